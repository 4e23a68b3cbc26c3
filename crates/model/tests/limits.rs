//! Models at and beyond the limits: an error or a result, never a hang, a panic or a stack overflow.

use cotangent_model::diagnostic::{Code, Colour};
use cotangent_model::{Options, System};
use std::fmt::Write as _;

fn codes(source: &str) -> Vec<Code> {
    match System::parse(source) {
        Ok(_) => vec![],
        Err(errors) => {
            assert!(!errors.is_empty(), "refused without a reason:\n{source}");
            assert!(!errors.render("m", source, Colour::Never).is_empty());
            errors.iter().map(|d| d.code).collect()
        }
    }
}

/// A model in x with the given lines.
fn with(lines: &str) -> String {
    format!("coord x[i in 1..3]\nhamiltonian sum(i in 1..3, p_x[i]^2)\n{lines}\n")
}

#[test]
fn huge_ranges_are_refused_or_empty() {
    for (range, expected) in [
        ("1..10^15", Some(Code::TooLarge)),
        ("1..9223372036854775807", Some(Code::TooLarge)),
        ("-9223372036854775807*2..3", Some(Code::TooLarge)),
        ("9223372036854775807+9223372036854775807..3", Some(Code::TooLarge)),
        ("1..10^12", Some(Code::TooLarge)),
        ("10^12..1", None),
        ("3..1", None),
    ] {
        for line in ["observe s = sum(k in RANGE, k*x[1])", "observe s[k in RANGE] = k*x[1]"] {
            let found = codes(&with(&line.replace("RANGE", range)));
            assert_eq!(found.first(), expected.as_ref(), "{line} {range}");
            assert!(found.iter().all(|c| *c == Code::TooLarge), "{line} {range}");
        }
    }
    // Only the index of the member decides.
    assert_eq!(codes(&with("observe s = sum(k in 1..10^9, x[mod(k, 3)])")), [Code::TooLarge]);
    assert_eq!(codes(&with("observe s = sum(k in 1..10^12, j in k..k-1, x[j])")), [Code::TooLarge]);
    assert_eq!(codes(&with("constraint c[k in 1..10^12, j in k..k-1]: x[1] = 0")), [Code::TooLarge]);
    assert_eq!(codes(&with("param t[k in 1..10^6, j in 1..10^6, l in 1..0] : int = 1")), [Code::TooLarge]);
    assert_eq!(codes(&with("coord u[k in 1..10^12, j in 1..10^12, l in 1..0]")), [Code::TooLarge]);
    assert_eq!(codes(&with("boundary x[k in 4..10^9] = 0")), [Code::TooLarge]);
    let y = "variables y[i in 1..100000]\nbracket {y[i in 1..100000], y[j in i+1..100000]} = 1\nhamiltonian y[1]";
    assert_eq!(codes(y), [Code::TooLarge]);
}

#[test]
fn integers_do_not_wrap() {
    for index in [
        "4611686018427387904*4",
        "mod(9223372036854775807 + 9223372036854775807, 7)",
        "abs(-9223372036854775807 - 10)",
        "2^70",
        "(9223372036854775807 + 5) - 9223372036854775807",
        "mod(1099511627776*1099511627776*k, 7) + 1",
    ] {
        let found = codes(&with(&format!("observe s = sum(k in 1..2, x[{index}])")));
        assert!(!found.is_empty(), "{index}");
        assert!(found.iter().all(|c| matches!(c, Code::TooLarge | Code::NotAnInteger)), "{index} {found:?}");
    }
    for value in [i64::MIN, i64::MAX, -1, 0, 1 << 41] {
        let source = "param n : int = 3\nparam m[i in 1..n] = 1\ncoord x\nhamiltonian p_x^2 + sum(i in 1..n, m[i])*x";
        let _ = System::parse_with(source, &Options { integers: vec![("n".into(), value)] });
    }
}

#[test]
fn long_chains_of_lets_are_worked_out_in_any_order() {
    let chain = |forward: bool, step: &str, n: usize| {
        let mut lines: Vec<String> =
            (1..n).map(|k| format!("let a{k} = {}", step.replace("A", &format!("a{}", k - 1)))).collect();
        lines.push("let a0 = x".into());
        if !forward {
            lines.reverse();
        }
        format!("coord x\n{}\nhamiltonian p_x^2 + a{}\n", lines.join("\n"), n - 1)
    };
    for forward in [true, false] {
        assert_eq!(codes(&chain(forward, "A + 1", 50_000)), []);
        assert_eq!(codes(&chain(forward, "A + A", 50)), []);
        assert_eq!(codes(&chain(forward, "sin(A)", 900)), []);
        // Deeper than expressions may be: one message, not one for each that follows.
        assert_eq!(codes(&chain(forward, "sin(A)", 5_000)), [Code::TooLarge]);
    }
    let mut circle = String::from("coord x\nhamiltonian p_x^2 + a0\n");
    for k in 0..50_000 {
        let _ = writeln!(circle, "let a{k} = a{} + 1", (k + 1) % 50_000);
    }
    assert_eq!(codes(&circle), [Code::CyclicLet]);
}

#[test]
fn lets_that_explode_are_refused() {
    // A flat sum that grows by one in each of many steps: quadratic.
    let mut wide = String::from("coord x[i in 1..20000]\nlet a0 = 0\n");
    for k in 1..20_000 {
        let _ = writeln!(wide, "let a{k} = a{} + x[{k}]", k - 1);
    }
    wide.push_str("hamiltonian p_x[1]^2 + a19999\n");
    assert_eq!(codes(&wide), [Code::TooLarge]);
    // Shifted copies of shifted copies.
    let mut shifted = String::from("coord x[i in -3000..3000]\nlet a0[i in -2900..2900] = x[i]\n");
    for k in 1..20 {
        let r = 2900 - 50 * k;
        let _ = writeln!(shifted, "let a{k}[i in -{r}..{r}] = sin(a{0}[i-{k}])*a{0}[i+{k}] + a{0}[i]^2", k - 1);
    }
    shifted.push_str("hamiltonian p_x[1]^2 + a19[0]\n");
    let _ = codes(&shifted);
    // Sums in sums through `let`s nest deeper than indices may.
    let mut nested = String::from("coord x[i in 1..2]\nlet a0 = x[1]\n");
    for k in 1..100 {
        let _ = writeln!(nested, "let a{k} = sum(i in 1..2, a{}*x[i])", k - 1);
    }
    nested.push_str("hamiltonian p_x[1]^2 + a99\n");
    assert_eq!(codes(&nested), []);
    // Products of sums: each level refers to two arrays of the level before.
    let mut products = String::from("coord x[i in 1..2]\nlet a0 = x[1]\n");
    for k in 1..200 {
        let _ = writeln!(products, "let a{k} = sum(i in 1..2, a{0}*x[i])*sum(i in 1..2, a{0} + x[i])", k - 1);
    }
    products.push_str("hamiltonian p_x[1]^2 + a199\n");
    let _ = codes(&products);
    // The number of sums doubles.
    let mut sums = String::from("coord x[i in 1..2]\nlet a0[k in 1..1000] = sum(i in 1..k, x[1])\n");
    for k in 1..30 {
        let _ = writeln!(sums, "let a{k}[k in 1..{1}] = a{0}[k] + a{0}[k+{k}]", k - 1, 1000 - 30 * k);
    }
    sums.push_str("hamiltonian p_x[1]^2 + a29[1]\n");
    let _ = codes(&sums);
}

#[test]
fn many_mistakes_are_counted_quickly() {
    let mut text = String::from("coord x\nhamiltonian p_x^2\n");
    for k in 0..40_000 {
        let _ = writeln!(text, "observe o{k} = unknown{k} + x");
    }
    let errors = System::parse(&text).map(|_| ()).unwrap_err();
    assert_eq!(errors.count(), 40_000);
    let mut text = String::from("coord x\nhamiltonian p_x^2\n");
    for k in 0..20_000 {
        let _ = writeln!(text, "let l{k} = 2x{k} + y{k} (");
    }
    assert!(System::parse(&text).is_err());
}

#[test]
fn many_names_are_declared_quickly() {
    let mut text = String::new();
    for k in 0..20_000 {
        let _ = writeln!(text, "coord x{k}\ninitial x{k} = {k}\nlet r{k} = x{k}^2");
    }
    text.push_str("hamiltonian p_x0^2 + r1\n");
    assert_eq!(codes(&text), []);
}

#[test]
fn a_table_that_a_hull_leaves_does_not_empty_the_sum() {
    // i + j - 1 stays inside `t` at every point, though not for independent i and j.
    let source = "param t[i in 1..3] : int = i\ncoord x[i in 1..3]\n\
        hamiltonian sum(i in 1..3, j in 1..4-i, k in 1..t[i+j-1], p_x[k]^2)\n";
    let system = System::parse(source).unwrap();
    let expanded = system.dynamics.energy().expand().unwrap();
    assert_eq!(expanded.to_string(), "6*p_x[1]^2 + 5*p_x[2]^2 + 3*p_x[3]^2");
}

#[test]
fn the_deepest_tree_fits_a_small_stack() {
    let deep = |open: &str, close: &str| {
        let n = cotangent_model::limits::MAX_NESTING - 2;
        format!("coord x\nlet a = {}x{}\nhamiltonian p_x^2 + a\n", open.repeat(n), close.repeat(n))
    };
    let texts = [
        deep("(1 + ", ")"),
        deep("sin(", ")"),
        deep("-", ""),
        deep("2^", ""),
        deep("2*(1/(1 + ", "))"),
        deep("exp(x*(", "))"),
    ];
    let work = move || texts.iter().for_each(|t| drop(codes(t)));
    let joined = std::thread::Builder::new().stack_size(1 << 20).spawn(work).map(|t| t.join());
    assert!(matches!(joined, Ok(Ok(()))));
}

#[test]
fn numbers_that_would_silently_be_zero_or_infinite_are_refused() {
    for number in ["1e-5000", "1e-400", "0.0001e-320", "4e-325", "1e400", "9e308"] {
        for line in ["param g = NUMBER", "observe a = NUMBER*x[1]", "initial x[1] = NUMBER"] {
            assert_eq!(codes(&with(&line.replace("NUMBER", number))), [Code::NoValue], "{line} {number}");
        }
    }
    for number in ["0", "0.000", "0e-5000", "5e-324", "1e-300", "1e308"] {
        assert_eq!(codes(&with(&format!("param g = {number}"))), [], "{number}");
    }
}
