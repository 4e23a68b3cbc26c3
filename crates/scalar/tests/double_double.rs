//! Double-double arithmetic against 38-digit decimals and against the identities of its functions.

mod common;

use common::{decimal, relative_error};
use cotangent_scalar::{Dd, Real, Scalar};
use proptest::prelude::*;

fn dd(x: f64) -> Dd {
    Dd::from(x)
}

#[track_caller]
fn assert_near(a: Dd, b: Dd, tolerance: f64) {
    let error = relative_error(a, b);
    assert!(error <= tolerance, "{a:?} differs from {b:?} by {error:e}");
}

#[test]
fn every_function_agrees_with_known_decimals() {
    let table = [
        (Dd::pi(), "3.1415926535897932384626433832795028841"),
        (Dd::ratio(1, 7), "0.14285714285714285714285714285714285714"),
        (dd(2.0).sqrt(), "1.414213562373095048801688724209698078570"),
        (dd(1.0).exp(), "2.718281828459045235360287471352662497757"),
        (dd(-10.5).exp(), "2.753644934974715785741109710242551110159e-5"),
        (dd(700.0).exp(), "1.014232054735004509455329595231267615205e304"),
        (dd(10.0).ln(), "2.302585092994045684017991454684364207601"),
        (dd(1.0009765625).ln(), "9.760859730554588959608249080171866726118e-4"),
        (dd(1.0).sin(), "8.414709848078965066525023216302989996226e-1"),
        (dd(1.0).cos(), "5.403023058681397174009366074429766037323e-1"),
        (dd(1.0).tan(), "1.557407724654902230506974807458360173087"),
        (dd(2f64.powi(-30)).sin(), "9.313225746154785154903677388422806518822e-10"),
        (dd(2f64.powi(40)).sin(), "-4.057050115328287198206483025752853128930e-1"),
        (dd(1e22).sin(), "-8.522008497671888017727058937530293682618e-1"),
        (dd(2f64.powi(1000)).cos(), "9.872460775989134842399017963294680056270e-1"),
        (dd(0.5).asin(), "5.235987755982988730771072305465838140329e-1"),
        (dd(0.75).asin(), "8.480620789814810080529443389984180800734e-1"),
        (dd(0.75).acos(), "7.227342478134156111783773526413333620252e-1"),
        (dd(-0.75).acos(), "2.418858405776377627284266030638169522172"),
        (dd(1.0 - 2f64.powi(-40)).acos(), "1.348699152348711236744119223137878670913e-6"),
        (dd(3.0).atan(), "1.249045772398254425829917077281090123078"),
        (dd(-1.0).atan2(dd(-2.0)), "-2.677945044588987122248387151818288482169"),
        (dd(0.25).sinh(), "2.526123168081683079141251505420579055198e-1"),
        (dd(5.0).sinh(), "7.420321057778875897700947199606456559962e1"),
        (dd(5.0).cosh(), "7.420994852478784444410610804448771402387e1"),
        (dd(0.5).tanh(), "4.621171572600097585023184836436725487303e-1"),
        (dd(3.0).tanh(), "9.950547536867304513318801852554884750978e-1"),
        (dd(3.0).pow(dd(2.5)), "1.558845726811989564174701707355285130249e1"),
        (dd(7.0).pow(dd(-0.125)), "7.840842766892245016410129437845563676300e-1"),
    ];
    for (value, text) in table {
        let error = relative_error(value, decimal(text));
        assert!(error < 5e-31 || (text.ends_with("e304") && error < 1e-29), "{text}: {error:e}");
    }
}

#[test]
fn constants_carry_both_words() {
    assert_eq!((Dd::pi().hi(), Dd::pi().lo()), (std::f64::consts::PI, 1.2246467991473532e-16));
    let n = (1i64 << 62) + 1;
    assert_eq!(Dd::from(n), Dd::new(2f64.powi(62), 1.0));
    assert_eq!(Dd::ratio(n, 1), Dd::from(n));
    assert_near(Dd::ratio(-1, 3) * dd(3.0), dd(-1.0), 1e-32);
    assert_eq!(Dd::ratio(i64::MIN, 2), dd(-(2f64.powi(62))));
}

#[test]
fn the_low_word_takes_part_in_comparison_and_rounding_down() {
    let below = Dd::new(3.0, -1e-20);
    assert!(below < dd(3.0) && Dd::new(3.0, 1e-20) > dd(3.0));
    assert_eq!(below.floor(), dd(2.0));
    assert_eq!(Dd::new(3.0, 1e-20).floor(), dd(3.0));
    assert_eq!(Dd::new(2f64.powi(60), 0.75).floor(), dd(2f64.powi(60)));
    assert_eq!(Scalar::min(below, dd(3.0)), below);
    assert_eq!(Scalar::max(below, dd(3.0)), dd(3.0));
    assert_eq!(below.sign(), dd(1.0));
    assert_eq!((-below).abs(), below);
}

#[test]
fn limits_and_undefined_values_are_those_of_doubles() {
    let (inf, nan) = (dd(f64::INFINITY), dd(f64::NAN));
    assert_eq!(dd(1.0) / dd(0.0), inf);
    assert_eq!(dd(-1.0) / dd(0.0), -inf);
    assert_eq!(dd(1.0) / inf, dd(0.0));
    assert_eq!(inf + dd(1.0), inf);
    assert_eq!(dd(1e308) * dd(1e308), inf);
    assert!((inf - inf).hi().is_nan() && (inf * dd(0.0)).hi().is_nan() && (dd(0.0) / dd(0.0)).hi().is_nan());
    assert_eq!(dd(0.0).sqrt(), dd(0.0));
    assert_eq!(inf.sqrt(), inf);
    assert_eq!((inf.exp(), (-inf).exp(), dd(800.0).exp(), dd(-800.0).exp()), (inf, dd(0.0), inf, dd(0.0)));
    assert_eq!((dd(0.0).ln(), inf.ln()), (-inf, inf));
    assert_eq!((inf.atan(), (-inf).atan()), (Dd::pi() / dd(2.0), -Dd::pi() / dd(2.0)));
    assert_eq!((inf.sinh(), (-inf).sinh(), (-inf).cosh()), (inf, -inf, inf));
    assert_eq!((inf.tanh(), (-inf).tanh(), dd(400.0).tanh()), (dd(1.0), dd(-1.0), dd(1.0)));
    assert_eq!((inf.floor(), (-inf).sign()), (inf, dd(-1.0)));
    let undefined = [
        dd(-1.0).sqrt(),
        dd(-1.0).ln(),
        inf.sin(),
        inf.cos(),
        inf.tan(),
        dd(1.5).asin(),
        dd(1.5).acos(),
        dd(-2.0).pow(dd(0.5)),
        Scalar::min(nan, dd(1.0)),
        Scalar::max(dd(1.0), nan),
        nan.exp(),
        nan.atan2(dd(1.0)),
        nan.tanh(),
        nan.sign(),
        nan.floor(),
    ];
    for (i, x) in undefined.iter().enumerate() {
        assert!(!x.is_finite() && x.hi().is_nan(), "number {i} is {x:?}");
    }
}

#[test]
fn angles_of_the_axes_are_exact_multiples() {
    let (zero, one) = (dd(0.0), dd(1.0));
    assert_near(zero.atan2(-one), Dd::pi(), 1e-32);
    assert_near((-zero).atan2(-one), -Dd::pi(), 1e-32);
    assert_near((-zero).atan2(-zero), -Dd::pi(), 1e-32);
    assert_near(one.atan2(zero) * dd(2.0), Dd::pi(), 1e-32);
    assert_near(dd(f64::INFINITY).atan2(dd(f64::NEG_INFINITY)), Dd::pi() * dd(0.75), 1e-32);
    assert_eq!(zero.atan2(one), zero);
    assert_near(dd(1e-300).atan2(dd(-1e-300)), Dd::pi() * dd(0.75), 1e-32);
    assert_near(dd(1e300).atan2(dd(1e300)), Dd::pi() * dd(0.25), 1e-32);
}

#[test]
fn powers_of_integer_exponent_accept_any_base() {
    assert_eq!(dd(-3.0).pow(dd(3.0)), dd(-27.0));
    assert_eq!(dd(-2.0).pow(dd(-2.0)), dd(0.25));
    assert_eq!(dd(0.0).pow(dd(2.0)), dd(0.0));
    assert_eq!(dd(0.0).pow(dd(-1.0)), dd(f64::INFINITY));
    assert_eq!(dd(-5.0).pow(dd(0.0)), dd(1.0));
    assert_near(dd(-1.0 - 2f64.powi(-20)).pow(dd(101.0)), -(dd(1.0 + 2f64.powi(-20)).ln() * dd(101.0)).exp(), 1e-30);
}

/// A double-double of size 10^[low, high] and either sign, with a full low word.
fn sized(low: f64, high: f64) -> impl Strategy<Value = Dd> {
    (low..high, -1.0f64..1.0, any::<bool>()).prop_map(|(exponent, tail, negative)| {
        let hi = 10f64.powf(exponent);
        let x = Dd::new(hi, hi * 2f64.powi(-54) * tail);
        if negative { -x } else { x }
    })
}

proptest! {
    #[test]
    fn division_undoes_multiplication(x in sized(-100.0, 100.0), y in sized(-100.0, 100.0)) {
        prop_assert!(relative_error(x * y / y, x) < 2e-31);
        prop_assert!(relative_error((x + y) - y, x) * (x / (x.abs() + y.abs())).abs().hi() < 1e-31);
    }

    #[test]
    fn the_square_of_the_root_is_the_number(x in sized(-280.0, 300.0)) {
        let root = x.abs().sqrt();
        prop_assert!(relative_error(root * root, x.abs()) < 1e-31);
    }

    #[test]
    fn exponential_and_logarithm_are_inverse(x in sized(-250.0, 300.0)) {
        let ln = x.abs().ln();
        // The exponential turns the absolute error of its argument into a relative one.
        prop_assert!(relative_error(ln.exp(), x.abs()) < 1e-31 * (1.0 + ln.abs().hi()));
    }

    #[test]
    fn the_exponential_of_a_sum_is_the_product(x in sized(-6.0, 2.0), y in sized(-6.0, 2.0)) {
        let scale = 1.0 + x.abs().hi() + y.abs().hi();
        prop_assert!(relative_error((x + y).exp(), x.exp() * y.exp()) < 1e-31 * scale);
    }

    #[test]
    fn sine_and_cosine_lie_on_the_circle(x in sized(-30.0, 300.0)) {
        let (sin, cos) = x.sin_cos();
        prop_assert!(relative_error(sin * sin + cos * cos, dd(1.0)) < 1e-31);
    }

    #[test]
    fn sine_obeys_the_addition_theorem(x in sized(-10.0, 3.0), y in sized(-10.0, 3.0)) {
        let ((sx, cx), (sy, cy)) = (x.sin_cos(), y.sin_cos());
        let error = ((x + y).sin() - (sx * cy + cx * sy)).abs().hi();
        prop_assert!(error < 1e-31 * (1.0 + x.abs().hi() + y.abs().hi()));
    }

    #[test]
    fn whole_turns_do_not_change_the_sine(x in sized(-3.0, 0.0), n in -1_000_000i64..1_000_000) {
        let turned = x + Dd::pi() * Dd::from(2 * n);
        let error = (turned.sin() - x.sin()).abs().hi();
        prop_assert!(error < 1e-31 * (1.0 + 6.3 * (n as f64).abs()));
    }

    #[test]
    fn angles_are_inverse_to_sine_cosine_and_tangent(x in sized(-20.0, 0.0)) {
        prop_assert!(relative_error(x.asin().sin(), x) < 1e-30);
        prop_assert!(relative_error(x.atan().tan(), x) < 1e-30);
        prop_assert!((x.acos().cos() - x).abs().hi() < 1e-30);
        prop_assert!((x.asin() + x.acos() - Dd::pi() / dd(2.0)).abs().hi() < 1e-31);
    }

    #[test]
    fn the_angle_of_a_point_points_at_it(x in sized(-5.0, 5.0), y in sized(-5.0, 5.0)) {
        let radius = (x * x + y * y).sqrt();
        let (sin, cos) = y.atan2(x).sin_cos();
        prop_assert!((sin * radius - y).abs().hi() < 1e-30 * radius.hi());
        prop_assert!((cos * radius - x).abs().hi() < 1e-30 * radius.hi());
    }

    #[test]
    fn hyperbolic_functions_agree_with_the_exponential(x in sized(-200.0, 2.8)) {
        let (sinh, cosh) = (x.sinh(), x.cosh());
        prop_assert!(relative_error(sinh + cosh, x.exp()) < 1e-30 || x.hi() < -1.0);
        prop_assert!(relative_error(x.tanh(), sinh / cosh) < 1e-30);
        prop_assert!(relative_error((cosh - sinh) * (cosh + sinh), dd(1.0)) < 1e-31 * cosh.hi() * cosh.hi());
        if sinh.abs().hi() > 1e-140 && x.abs().hi() < 300.0 {
            let doubled = (x + x).sinh();
            prop_assert!(relative_error(doubled, dd(2.0) * sinh * cosh) < 1e-30);
        }
    }

    #[test]
    fn every_function_rounds_to_its_double(bits in any::<u64>(), other in any::<u64>()) {
        // Any bit pattern at all: also subnormal, infinite and NaN.
        let (x, y) = (f64::from_bits(bits), f64::from_bits(other));
        let pairs = [
            (dd(x).sqrt(), x.sqrt()), (dd(x).exp(), x.exp()), (dd(x).ln(), x.ln()), (dd(x).sin(), x.sin()),
            (dd(x).cos(), x.cos()), (dd(x).tan(), x.tan()), (dd(x).asin(), x.asin()), (dd(x).acos(), x.acos()),
            (dd(x).atan(), x.atan()), (dd(x).sinh(), x.sinh()), (dd(x).cosh(), x.cosh()), (dd(x).tanh(), x.tanh()),
            (dd(x).atan2(dd(y)), x.atan2(y)), (dd(x).pow(dd(y)), x.powf(y)), (dd(x).floor(), x.floor()),
            (dd(x) + dd(y), x + y), (dd(x) * dd(y), x * y), (dd(x) / dd(y), x / y),
            (Scalar::min(dd(x), dd(y)), Scalar::min(x, y)), (Scalar::max(dd(x), dd(y)), Scalar::max(x, y)),
        ];
        for (i, (ours, theirs)) in pairs.into_iter().enumerate() {
            let same = ours.hi() == theirs || (ours.hi().is_nan() && theirs.is_nan());
            let near = (ours.hi() - theirs).abs() <= 4.0 * f64::EPSILON * theirs.abs() + 5e-324;
            prop_assert!(same || near, "function {i} of {x:e}, {y:e}: {ours:?} and {theirs:e}");
            prop_assert!(ours.lo() == 0.0 || ours.lo().abs() <= ours.hi().abs() * f64::EPSILON);
        }
    }
}
