//! Elliptic functions against 42-digit values and their identities.

mod common;

use common::decimal;
use cotangent_lab::{Elliptic, EllipticError};
use cotangent_scalar::{Dd, Dual, Real, Scalar};
use proptest::prelude::*;

/// Two units in the last place of double-double arithmetic are 10⁻³¹.
const TIGHT: f64 = 1e-30;

fn close(a: Dd, b: Dd, within: f64) {
    assert!((a - b).abs().hi() <= within * b.abs().hi().max(1e-3), "{a:?} {b:?}: {:e}", (a - b).hi());
}

fn of(numerator: i64, denominator: i64) -> Elliptic<Dd> {
    Elliptic::new(Dd::ratio(numerator, denominator)).unwrap()
}

/// m = 1 − 2⁻⁴⁰, close to the hyperbolic limit.
fn steep() -> Elliptic<Dd> {
    of((1 << 40) - 1, 1 << 40)
}

#[test]
fn complete_integrals_have_all_digits() {
    let table = [
        (of(2, 3), "2.0289591027488149276497441044627788440"),
        (of(1, 2), "1.8540746773013719184338503471952600462"),
        (of(1, 100), "1.5747455615173559526690306886598600916"),
        (of(15, 16), "2.8012060846652040463603616736194372092"),
        (steep(), "15.249237972322036708789139702390697860"),
    ];
    for (functions, expected) in table {
        close(functions.quarter_period(), decimal(expected), TIGHT);
    }
    close(of(0, 1).quarter_period(), Dd::pi() * Dd::from(0.5), TIGHT);
}

#[test]
fn incomplete_integrals_have_all_digits() {
    let quarter = Dd::pi() * Dd::from(0.25);
    close(of(2, 3).first_kind(quarter), decimal("0.84235566079488836055947958048993065246"), TIGHT);
    let table = [
        (0.5, of(1, 2), "0.51046713562800475633610409111157993625"),
        (2.0, of(1, 2), "2.4443826360611187799214146876050854013"),
        (-10.0, of(2, 3), "-12.770807771840189081742957305003314354"),
        (1.5, of(15, 16), "2.5214509487729315554168780161637145488"),
        (100.0, of(1, 4), "107.35098311769529504322571357915304114"),
    ];
    for (amplitude, functions, expected) in table {
        close(functions.first_kind(Dd::from(amplitude)), decimal(expected), TIGHT);
    }
}

#[test]
fn functions_have_all_digits() {
    let table = [
        (
            of(1, 2).sn_cn_dn(Dd::from(0.75)),
            [
                "0.65851474412999668079184151472401543417",
                "0.75256782535755872031220186685345613528",
                "0.88497410463905806932553248087156327630",
            ],
        ),
        (
            of(2, 3).sn_cn_dn(Dd::from(-3.5)),
            [
                "-0.51407534234791074363819310453321547449",
                "-0.85774503343935391558447495106147734705",
                "0.90764403536110211023451468852818902320",
            ],
        ),
        (
            of(15, 16).sn_cn_dn(Dd::from(20.0)),
            [
                "-0.99497951412485021762526823221907197343",
                "0.10007880131115173520329136043986613253",
                "0.26812269778477292247902985196716065578",
            ],
        ),
        (
            steep().sn_cn_dn(Dd::from(5.0)),
            [
                "0.99990920426282227780549785763742176013",
                "0.013475282204449550710715078001225740782",
                "0.013475282238190200362867604840526592724",
            ],
        ),
    ];
    for ((sn, cn, dn), expected) in table {
        for (value, expected) in [sn, cn, dn].into_iter().zip(expected) {
            close(value, decimal(expected), 20.0 * TIGHT);
        }
    }
}

#[test]
fn parameters_out_of_range_are_refused() {
    for m in [-1e-300, 1.0, 1.5, f64::NAN, f64::INFINITY] {
        assert!(matches!(Elliptic::new(m), Err(EllipticError::Parameter { .. })), "{m}");
    }
    assert!(Elliptic::with_complement(1.0, 1e-300).is_ok_and(|e| e.quarter_period() > 300.0));
    let (sn, ..) = of(1, 2).sn_cn_dn(Dd::from(f64::NAN));
    assert!(!sn.is_finite());
}

/// A double-double with both words in use.
fn dd(range: std::ops::Range<f64>) -> impl Strategy<Value = Dd> {
    (range, -1.0..1.0f64).prop_map(|(hi, lo)| Dd::new(hi, hi.abs() * lo * 1e-17))
}

proptest! {
    #[test]
    fn squares_add_up(u in dd(-30.0..30.0), m in dd(0.0..0.999)) {
        let (sn, cn, dn) = Elliptic::new(m).unwrap().sn_cn_dn(u);
        let one = Dd::from(1.0);
        prop_assert!((sn * sn + cn * cn - one).abs().hi() < TIGHT);
        prop_assert!((dn * dn + m * sn * sn - one).abs().hi() < TIGHT);
    }

    #[test]
    fn derivatives_are_the_products(u in dd(-10.0..10.0), m in dd(0.0..0.99)) {
        let functions: Elliptic<Dual<Dd>> = Elliptic::new(Dual::constant(m)).unwrap();
        let (sn, cn, dn) = functions.sn_cn_dn(Dual::variable(u, 0));
        let off = |f: Dual<Dd>, g: Dd| (f.tangent[0] - g).abs().hi();
        prop_assert!(off(sn, cn.value * dn.value) < 2.0 * TIGHT);
        prop_assert!(off(cn, -sn.value * dn.value) < 2.0 * TIGHT);
        prop_assert!(off(dn, -m * sn.value * cn.value) < 2.0 * TIGHT);
    }

    #[test]
    fn the_integral_is_inverted_and_has_its_derivative(phi in dd(-10.0..10.0), m in dd(0.0..0.99)) {
        let functions: Elliptic<Dual<Dd>> = Elliptic::new(Dual::constant(m)).unwrap();
        let u = functions.first_kind(Dual::variable(phi, 0));
        let (sin, cos) = phi.sin_cos();
        let slope = Dd::from(1.0) / (Dd::from(1.0) - m * sin * sin).sqrt();
        prop_assert!((u.tangent[0] - slope).abs().hi() < 100.0 * TIGHT);
        let (sn, cn, _) = functions.sn_cn_dn(u);
        prop_assert!((sn.value - sin).abs().hi() < 10.0 * TIGHT);
        prop_assert!((cn.value - cos).abs().hi() < 10.0 * TIGHT);
        prop_assert!((sn.tangent[0] - cos).abs().hi() < 100.0 * TIGHT);
    }

    #[test]
    fn the_parameter_may_be_differentiated(u in -3.0..3.0f64, m in 0.1..0.9f64) {
        // ∂sn/∂m from the equation it solves, sn″ = −(1+m) sn + 2m sn³, differentiated by m:
        // compare ∂ₘ(sn′²) with ∂ₘ((1 − sn²)(1 − m sn²)).
        type Second = Dual<Dual<Dd>>;
        let m = Second { value: Dual::variable(Dd::from(m), 0), tangent: [Dual::from_f64(0.0)] };
        let u = Second { value: Dual::from_f64(u), tangent: [Dual::from_f64(1.0)] };
        let (sn, ..) = Elliptic::new(m).unwrap().sn_cn_dn(u);
        let one = Dual::from_f64(1.0);
        let (value, slope) = (sn.value, sn.tangent[0]);
        let off = slope * slope - (one - value * value) * (one - m.value * value * value);
        prop_assert!(off.value.abs().hi() < TIGHT && off.tangent[0].abs().hi() < 100.0 * TIGHT);
    }

    #[test]
    fn no_parameter_or_argument_panics(u in any::<f64>(), m in any::<f64>(), complement in any::<f64>()) {
        for functions in [Elliptic::new(m), Elliptic::with_complement(m, complement)].into_iter().flatten() {
            let _ = (functions.sn_cn_dn(u), functions.first_kind(u));
        }
    }
}
