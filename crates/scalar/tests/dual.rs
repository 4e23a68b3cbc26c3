//! Dual numbers against closed forms.

use cotangent_scalar::{Dd, Dual, Real, Scalar};
use proptest::prelude::*;

type Plane = Dual<f64, 2>;
type Second = Dual<Dual<f64>>;

fn x(value: f64) -> Dual<f64> {
    Dual::variable(value, 0)
}

/// A function of one variable in any arithmetic, for a table of them.
trait Function {
    fn at<S: Scalar>(&self, x: S) -> S;
}

/// Checks the derivative against a central difference in double-double, whose error is 1e-20.
#[track_caller]
fn assert_differentiated(f: impl Function, at: f64) {
    let h = 1e-10;
    let (up, down) = (f.at(Dd::new(at, h)), f.at(Dd::new(at, -h)));
    let expected = ((up - down) / Dd::from(2.0 * h)).hi();
    let dual = f.at(x(at));
    let error = (dual.tangent[0] - expected).abs() / (1.0 + expected.abs());
    assert!(error < 1e-13, "at {at}: {} and {expected}", dual.tangent[0]);
    assert_eq!(dual.value, f.at(at));
}

macro_rules! differentiated {
    ($($name:ident: $x:ident -> $body:expr, at $($at:expr),+;)+) => {$(
        #[test]
        fn $name() {
            struct F;
            impl Function for F {
                fn at<S: Scalar>(&self, $x: S) -> S { $body }
            }
            $(assert_differentiated(F, $at);)+
        }
    )+};
}

differentiated! {
    quotients_are_differentiated: x -> (x * x - S::ratio(1, 3)) / (x + S::from_f64(2.0)), at 0.0, 1.5, -7.0;
    roots_are_differentiated: x -> x.sqrt(), at 0.01, 3.0;
    exponentials_are_differentiated: x -> x.exp(), at -3.0, 0.0, 2.0;
    logarithms_are_differentiated: x -> x.ln(), at 0.2, 1.0, 9.0;
    sines_are_differentiated: x -> x.sin() * S::pi(), at -3.0, 0.0, 2.0;
    cosines_are_differentiated: x -> x.cos(), at -3.0, 0.0, 2.0;
    tangents_are_differentiated: x -> x.tan(), at -1.0, 0.0, 2.0;
    inverse_sines_are_differentiated: x -> x.asin(), at -0.9, 0.0, 0.5;
    inverse_cosines_are_differentiated: x -> x.acos(), at -0.9, 0.0, 0.5;
    inverse_tangents_are_differentiated: x -> x.atan(), at -9.0, 0.0, 0.5;
    angles_are_differentiated: x -> x.atan2(x * x - S::from_f64(2.0)), at -3.0, -1.0, 0.5, 4.0;
    hyperbolic_sines_are_differentiated: x -> x.sinh(), at -2.0, 0.0, 0.5;
    hyperbolic_cosines_are_differentiated: x -> x.cosh(), at -2.0, 0.0, 0.5;
    hyperbolic_tangents_are_differentiated: x -> x.tanh(), at -2.0, 0.0, 0.5;
    absolute_values_are_differentiated: x -> x.abs(), at -2.0, 0.5;
    steps_have_derivative_zero: x -> x.floor() + x.sign(), at -2.5, 0.5;
    remainders_are_differentiated: x -> x.modulo(S::from_f64(0.75)) + S::from_f64(5.0).modulo(x), at 2.0, 0.6;
    extrema_are_differentiated: x -> x.min(x * x) + x.max(S::from_f64(2.0)), at -2.0, 0.5, 3.0;
    powers_are_differentiated: x -> x.pow(S::from_f64(2.5)) + S::from_f64(2.0).pow(x), at 0.5, 3.0;
    powers_of_itself_are_differentiated: x -> x.pow(x), at 0.5, 3.0;
    stumpff_functions_are_differentiated: x -> x.stumpff(0) + x.stumpff(3) * x.stumpff(7), at -30.0, 0.0, 0.5, 40.0;
}

#[test]
fn directions_are_independent() {
    let (a, b) = (Plane::variable(3.0, 0), Plane::variable(4.0, 1));
    let radius = (a * a + b * b).sqrt();
    assert_eq!(radius.value, 5.0);
    assert!((radius.tangent[0] - 0.6).abs() < 2e-16 && (radius.tangent[1] - 0.8).abs() < 2e-16);
    let angle = b.atan2(a);
    assert!((angle.tangent[0] + 4.0 / 25.0).abs() < 1e-16 && (angle.tangent[1] - 3.0 / 25.0).abs() < 1e-16);
    assert_eq!(Plane::variable(1.0, 7), Plane::constant(1.0));
}

#[test]
fn extrema_select_and_share_ties_equally() {
    let (a, b) = (Plane::variable(1.0, 0), Plane::variable(2.0, 1));
    assert_eq!((a.min(b).tangent, a.max(b).tangent), ([1.0, 0.0], [0.0, 1.0]));
    assert_eq!((b.min(a).tangent, b.max(a).tangent), ([1.0, 0.0], [0.0, 1.0]));
    let c = Plane::variable(1.0, 1);
    assert_eq!((a.min(c).tangent, a.max(c).tangent), ([0.5, 0.5], [0.5, 0.5]));
    assert_eq!(x(0.0).abs().tangent, [0.0]);
}

#[test]
fn constant_exponents_accept_any_base() {
    let constant = Dual::from_f64;
    assert_eq!(x(-3.0).pow(constant(2.0)), Dual { value: 9.0, tangent: [-6.0] });
    assert_eq!(x(0.0).pow(constant(2.0)), Dual { value: 0.0, tangent: [0.0] });
    assert_eq!(x(0.0).pow(constant(1.0)), Dual { value: 0.0, tangent: [1.0] });
    assert_eq!(x(0.0).pow(constant(0.0)), Dual { value: 1.0, tangent: [0.0] });
    assert_eq!(x(-2.0).pow(constant(-1.0)), Dual { value: -0.5, tangent: [-0.25] });
    // A constant base of zero, and a negative base with a moving exponent.
    assert_eq!(constant(0.0).pow(constant(0.5)), Dual { value: 0.0, tangent: [0.0] });
    assert!(constant(-2.0).pow(x(2.0)).tangent[0].is_nan());
    // Second derivatives at zero: (x³)″ = 6x, (x²)″ = 2, x″ = 0.
    let second = |e: f64| Second::variable(x(0.0), 0).pow(Second::from_f64(e)).tangent[0].tangent[0];
    assert_eq!((second(3.0), second(2.0), second(1.0), second(0.0)), (0.0, 2.0, 0.0, 0.0));
}

#[test]
fn a_constant_stays_constant_where_the_derivative_is_infinite() {
    let mixed = Plane { value: 0.0, tangent: [0.0, 1.0] };
    assert_eq!(mixed.sqrt().tangent, [0.0, f64::INFINITY]);
    assert_eq!(Plane::constant(1.0).asin().tangent, [0.0, 0.0]);
}

#[test]
fn nesting_gives_second_derivatives() {
    // f = exp(sin x): f″ = (cos² x − sin x) f.
    let at = Second::variable(x(0.7), 0);
    let f = at.sin().exp();
    let (sin, cos) = 0.7f64.sin_cos();
    let exact = sin.exp();
    assert!((f.value.value - exact).abs() < 1e-15);
    assert!((f.value.tangent[0] - cos * exact).abs() < 1e-15);
    assert!((f.tangent[0].value - cos * exact).abs() < 1e-15);
    assert!((f.tangent[0].tangent[0] - (cos * cos - sin) * exact).abs() < 1e-15);
}

#[test]
fn reals_report_value_order_and_infinitesimal_part() {
    assert_eq!((f64::DERIVATIVE_ORDER, Dd::DERIVATIVE_ORDER), (0, 0));
    assert_eq!((<Dual<Dd>>::DERIVATIVE_ORDER, Second::DERIVATIVE_ORDER), (1, 2));
    assert_eq!((f64::refinements(), <Dual<f64>>::refinements(), Second::refinements()), (0, 1, 2));
    assert_eq!(<Dual<Second>>::refinements(), 2);
    let nested = Second { value: Dual { value: 1.0, tangent: [2.0] }, tangent: [Dual { value: 3.0, tangent: [4.0] }] };
    assert_eq!(nested.value(), 1.0);
    assert_eq!(nested.infinitesimal(), nested - Second::from_f64(1.0));
    assert!(nested.is_finite() && !Dual { value: 1.0, tangent: [f64::NAN] }.is_finite());
    assert!(!nested.is_zero() && Second::from_f64(0.0).is_zero() && !x(0.0).is_zero());
}

proptest! {
    #[test]
    fn products_and_quotients_obey_leibniz(a in -5.0f64..5.0, b in 0.1f64..5.0, da in -5.0f64..5.0, db in -5.0f64..5.0) {
        let (u, v) = (Dual { value: a, tangent: [da] }, Dual { value: b, tangent: [db] });
        prop_assert!(((u * v).tangent[0] - (da * b + a * db)).abs() < 1e-13);
        prop_assert!(((u / v).tangent[0] - (da * b - a * db) / (b * b)).abs() < 1e-10);
        prop_assert!(((u / v * v).tangent[0] - da).abs() < 1e-11);
        prop_assert_eq!((u - v).tangent[0], da - db);
        prop_assert_eq!(-(u + v), -u - v);
    }
}
