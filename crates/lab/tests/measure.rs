//! Measurements of tables: expressions and named functions, against closed forms.

use cotangent_lab::measure::{Expression, FUNCTIONS, MeasureError, Record, Records};
use std::f64::consts::{PI, TAU};

/// A run `a` of sine and line over 0 … 20, step 0.01.
fn runs() -> Records {
    let time: Vec<f64> = (0..=2000).map(|k| f64::from(k) * 0.01).collect();
    let of = |f: fn(f64) -> f64| time.iter().map(|t| f(*t)).collect::<Vec<f64>>();
    let a = Record::new([
        ("time", time.clone()),
        ("x", of(f64::sin)),
        ("line", of(|t| 3.0 - 2.0 * t)),
        ("cubic", of(|t| 1e-3 * t.powi(3))),
        ("u[1]", of(|t| t)),
        ("u[2]", of(|t| 10.0 * t)),
    ]);
    Records::from([("a".to_owned(), a.with("steps", 2000.0))])
}

fn number(text: &str) -> Result<f64, MeasureError> {
    Expression::parse(text)?.number(&runs())
}

fn is_near(text: &str, expected: f64, tolerance: f64) {
    let found = number(text).unwrap();
    assert!(found == expected || (found - expected).abs() <= tolerance, "{text}: {found} instead of {expected}");
}

#[test]
fn arithmetic_has_the_usual_precedence() {
    for (text, expected) in [
        ("1 + 2*3", 7.0),
        ("(1 + 2)*3", 9.0),
        ("-2^2", -4.0),
        ("2^-1", 0.5),
        ("2^3^2", 512.0),
        ("8/4/2", 1.0),
        ("5 - 3 - 1", 1.0),
        ("1.5e-3*2", 3e-3),
        ("cos(pi)", -1.0),
        ("a.steps/1000", 2.0),
    ] {
        assert_eq!(number(text), Ok(expected), "{text}");
    }
}

#[test]
fn functions_are_what_they_are_called() {
    is_near("max(a.x)", 1.0, 1e-4);
    is_near("min(a.line)", -37.0, 1e-12);
    is_near("mean(a.line)", -17.0, 1e-12);
    is_near("spread(a.time)", (2001.0f64 * 2001.0 - 1.0).sqrt() * 0.01 / 12f64.sqrt(), 1e-9);
    is_near("count(a.x)", 2001.0, 0.0);
    is_near("first(a.line) + last(a.line)", 3.0 - 37.0, 1e-12);
    is_near("norm(3, 4, 12)", 13.0, 1e-14);
    is_near("slope(a.time, a.line)", -2.0, 1e-12);
    is_near("at(a.line, a.time, 5.001)", -7.0, 1e-12);
    is_near("max(part(a.time, a.time, 1, 2))", 2.0, 1e-12);
    is_near("max(steps(a.time))", 0.01, 1e-12);
    is_near("last(running_max(a.x))", 1.0, 1e-4);
    is_near("variation(list(0, 1, 0, 1))", 4.0, 0.0);
    is_near("exponent(a.time, a.cubic)", 3.0, 0.05);
    is_near("order(list(0.4, 0.2, 0.1), 7*list(0.4, 0.2, 0.1)^4)", 4.0, 1e-9);
    is_near("first(zeros(a.time, a.x - 0.5))", PI / 6.0, 1e-4);
    is_near("mean(steps(rises(a.time, a.x)))", TAU, 1e-4);
    is_near("mean(steps(zeros(a.time, a.x)))", PI, 1e-4);
    is_near("exceeds(a.time, a.cubic, 1)", 10.01, 1e-9);
    is_near("exceeds(a.time, a.x, 2)", f64::INFINITY, 0.0);
    is_near("last(row(a.u[*], a.time, 3))", 30.0, 1e-12);
    is_near("count(row(a.u[*], a.time, 3))", 2.0, 0.0);
    is_near("max(every(a.u[2], 1000)) + count(every(a.u[2], 1000))", 203.0, 1e-9);
}

#[test]
fn a_wave_is_found_in_its_periodogram() {
    let n = 64;
    let wave = (0..n).map(|k| 2.0 + 0.5 * (TAU * 5.0 * f64::from(k) / f64::from(n)).cos()).collect();
    let runs = Records::from([("w".to_owned(), Record::new([("x", wave)]))]);
    let of = |text: &str| Expression::parse(text).unwrap().number(&runs).unwrap();
    assert_eq!(of("where_largest(amplitudes(w.x))"), 5.0);
    assert!((of("max(amplitudes(w.x))") - 0.25).abs() < 1e-12);
    assert_eq!(of("count(amplitudes(w.x))"), 33.0);
    assert_eq!(of("last(positions(amplitudes(w.x)))"), 32.0);
}

#[test]
fn what_is_no_number_is_not_passed_over() {
    let x = vec![1.0, f64::NAN, 0.5];
    let runs = Records::from([("w".to_owned(), Record::new([("time", vec![0.0, 1.0, 2.0]), ("x", x)]))]);
    let of = |text: &str| Expression::parse(text).unwrap().number(&runs).unwrap();
    assert!(of("max(w.x)").is_nan() && of("min(w.x)").is_nan() && of("max(running_max(w.x))").is_nan());
    assert_eq!(of("exceeds(w.time, w.x, 2)"), 1.0);
}

#[test]
fn mistakes_are_named() {
    let message = |text: &str| number(text).unwrap_err().to_string();
    assert_eq!(message("b.x"), "there is no run `b`");
    assert!(message("a.y").starts_with("the run `a` has no column `y`; it has time, x, line"));
    assert_eq!(message("largest(a.x)"), "there is no measurement `largest`");
    assert_eq!(message("max(a.x, 2)"), "`max` takes a, and is given 2");
    assert_eq!(message("a.x"), "a number is expected, and these are 2001 values");
    assert_eq!(message("max(a.x + part(a.x, a.time, 0, 1))"), "`+` is given 2001 and 101 values");
    assert_eq!(message("max(part(a.x, a.time, 30, 40))"), "`max` is given no values");
    for text in ["", "1 +", "max(", "max(a.x", "a.", "a.u[1", "1 2", "(1", "a", "2 ^", "1..2", "$", "max()"] {
        assert!(Expression::parse(text).is_err(), "{text}");
    }
    assert_eq!(number(&deep(100)), Ok(1.0));
}

fn deep(levels: usize) -> String {
    "(".repeat(levels) + "1" + &")".repeat(levels)
}

#[test]
fn what_is_too_long_or_too_deep_is_refused() {
    assert_eq!(number(&("1".to_owned() + &"+1".repeat(9_000))), Ok(9_001.0));
    assert_eq!(number(&("1".to_owned() + &"*1".repeat(9_000))), Ok(1.0));
    let long = |n| MeasureError::Long { length: n, most: 20_000 };
    assert_eq!(number(&("1".to_owned() + &"+1".repeat(100_000))), Err(long(200_001)));
    assert_eq!(number(&deep(100_000)), Err(long(200_001)));
    for levels in [deep(5_000), "-".repeat(5_000) + "1", "2^".repeat(5_000) + "1", "abs(".repeat(4_000) + "1"] {
        assert!(matches!(number(&levels), Err(MeasureError::Deep { most: 200, .. })), "{levels:.20}");
    }
}

#[test]
fn names_of_functions_are_distinct() {
    let mut names: Vec<&str> = FUNCTIONS.iter().map(|f| f.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), FUNCTIONS.len());
}
