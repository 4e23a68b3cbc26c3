//! Stumpff functions against decimals, exact series, and their defining relations.

mod common;

use common::{decimal, relative_error};
use cotangent_scalar::{Dd, Dual, Scalar};
use proptest::prelude::*;

/// (k, s, c_k(s)): from the series in 1200 digits.
const TABLE: [(u32, f64, &str); 43] = [
    (0, 0.5, "7.602445970756301512535471986232743946176e-1"),
    (0, 12.0, "-9.484431958418277611121288088320598050826e-1"),
    (0, -12.0, "1.598952330956493219332177726490903985842e1"),
    (0, 1000.0, "9.786826965598922782765334316746203139668e-1"),
    (0, -1000.0, "2.707493264582952498649545572628218005215e13"),
    (0, 1e6, "5.623790762907029910782492266053959687558e-1"),
    (0, -4000.0, "1.466103955552410724598212215957118896713e27"),
    (1, 0.5, "9.187253698655684377842315251246617518102e-1"),
    (1, 12.0, "-9.149476499657432655364526245379623247481e-2"),
    (1, -12.0, "4.606741940416606246393831742014344474753"),
    (1, 1000.0, "6.494626968060430100132352977844842128156e-3"),
    (1, -1000.0, "8.561845465647025810602619206948625320364e11"),
    (1, 1e6, "8.268795405320025602558874291092181412127e-4"),
    (2, 0.5, "4.795108058487396974929056027534512107648e-1"),
    (2, 12.0, "1.623702663201523134260107340693383170902e-1"),
    (2, -12.0, "1.249126942463744349443481438742419988202"),
    (2, 1000.0, "2.131730344010772172346656832537968603321e-5"),
    (2, 1e6, "4.376209237092970089217507733946040312442e-7"),
    (3, 0.5, "1.625492602688631244315369497506764963797e-1"),
    (3, 12.0, "9.095789708304786054613710520448301937290e-2"),
    (3, -12.0, "3.005618283680505205328193118345287062294e-1"),
    (3, -1000.0, "8.561845465637025810602619206948625320364e8"),
    (3, 1e6, "9.991731204594679974397441125708907818588e-7"),
    (5, 12.0, "6.309064131968233843377463455181970607814e-3"),
    (5, 1000.0, "1.656731612936347270967667990196445115088e-4"),
    (5, -1000.0, "8.561845463970359143935952540281958653698e5"),
    (5, -4000.0, "1.448821183164963436943142457200189958997e18"),
    (8, 0.5, "2.466432119353116786628908350142499244185e-5"),
    (8, -12.0, "2.842994355540760963164435112408564132051e-5"),
    (8, 1000.0, "1.347722200904918782114500498755653896843e-6"),
    (8, 1e6, "1.388847222722221784601298512925213300471e-9"),
    (20, 12.0, "4.005834852130881288274181483493500092670e-19"),
    (20, 1000.0, "1.180324855880705029874326436413968836530e-19"),
    (20, -1000.0, "2.685708557568717533252346887052453202698e-17"),
    (20, 1e6, "1.561442863811965883485192067839810746526e-22"),
    (20, -4000.0, "1.398185687549721580483131358786581661344e-9"),
    (60, 0.5, "1.201621631740187587621564776343140990539e-82"),
    (60, -12.0, "1.205605032790175723539543915815217905732e-82"),
    (60, 1000.0, "9.477918865665286772016018416247426345083e-83"),
    (60, -1000.0, "1.621791651926596873405747726854260938735e-82"),
    (60, 1e6, "4.240281417676780924648675403544707062268e-85"),
    (60, -4000.0, "8.880874204942768020868985203785503434814e-82"),
    // c_0 overflows here.
    (60, -1e6, "9.850355570085234969444396761216615626585e253"),
];

#[test]
fn known_decimals_are_met_to_a_few_units_in_the_last_place() {
    for (k, s, text) in TABLE {
        let exact = decimal(text);
        let double = relative_error(Dd::from(Scalar::stumpff(s, k)), exact);
        let double_double = relative_error(Dd::from(s).stumpff(k), exact);
        assert!(double < 6e-16, "c_{k}({s}) is off by {double:e}");
        // Powers of ten in the reference itself cost some 1e-30 at the ends of the range.
        assert!(double_double < 1e-30, "c_{k}({s}) is off by {double_double:e}");
    }
}

#[test]
fn the_limits_are_those_of_the_series() {
    assert_eq!(Scalar::stumpff(0.0, 0), 1.0);
    assert_eq!(Scalar::stumpff(0.0, 4), 1.0 / 24.0);
    assert_eq!(Scalar::stumpff(-1e6, 0), f64::INFINITY);
    assert_eq!(Scalar::stumpff(f64::NEG_INFINITY, 3), f64::INFINITY);
    assert_eq!(Scalar::stumpff(f64::INFINITY, 3), 0.0);
    assert!(Scalar::stumpff(f64::INFINITY, 0).is_nan());
    assert!(Scalar::stumpff(f64::NAN, 2).is_nan());
    for s in [0.0, 1.0, -1.0, 1e6, -1e6, 1e300, -1e300, 1e-300] {
        for k in [0, 1, 170, 171, 200, 1000, u32::MAX - 1, u32::MAX] {
            assert!(!Scalar::stumpff(s, k).is_nan(), "c_{k}({s})");
            assert!(!Dd::from(s).stumpff(k).hi().is_nan(), "c_{k}({s})");
        }
    }
    // e^z/(2 z^k) at z = 2000.
    let expected = (2000.0 - 200.0 * 2000f64.ln()).exp() / 2.0;
    assert!((Scalar::stumpff(-4e6, 200) / expected - 1.0).abs() < 1e-12);
}

/// The series itself, scaled so that it converges fast: c_k(s) for |s| ≤ 1 term by term.
fn plain_series(s: Dd, k: u32) -> Dd {
    let mut term = (1..=i64::from(k)).fold(Dd::from(1.0), |t, n| t / Dd::from(n));
    let mut sum = term;
    for j in 0..20 {
        let n = i64::from(k) + 2 * j;
        term = -(term * s) / Dd::from((n + 1) * (n + 2));
        sum = sum + term;
    }
    sum
}

proptest! {
    #[test]
    fn small_arguments_agree_with_the_plain_series(s in -1.0f64..1.0, k in 0u32..=60) {
        let exact = plain_series(Dd::from(s), k);
        prop_assert!(relative_error(Dd::from(s).stumpff(k), exact) < 2e-30);
        prop_assert!(relative_error(Dd::from(Scalar::stumpff(s, k)), exact) < 5e-16);
    }

    /// Doubles against double-doubles over the whole range; the two share the algorithm, not the
    /// round-off.
    #[test]
    fn doubles_are_good_to_a_few_units(exponent in -3.0f64..6.0, negative: bool, k in 0u32..=60) {
        let s = 10f64.powf(exponent) * if negative { -1.0 } else { 1.0 };
        let (double, exact) = (Scalar::stumpff(s, k), Dd::from(s).stumpff(k));
        // c_0 and c_1 have simple zeros, c_2 double ones; c_k > 0 from k = 3 on.
        let scale = match k {
            0 if s > 0.0 => 1.0,
            1 if s > 1.0 => 1.0 / s.sqrt(),
            _ => exact.hi(),
        };
        if exact.is_finite_and_normal() {
            let error = (Dd::from(double) - exact).abs().hi();
            prop_assert!(error < 1.5e-15 * scale, "c_{}({}): {:e}", k, s, error / scale);
        }
    }

    #[test]
    fn neighbours_satisfy_the_recurrence(exponent in -3.0f64..6.0, negative: bool, k in 0u32..=58) {
        let s = Dd::from(10f64.powf(exponent) * if negative { -1.0 } else { 1.0 });
        let (c, after) = (s.stumpff(k), s.stumpff(k + 2));
        let constant = plain_series(Dd::from(0.0), k);
        let defect = (c + s * after - constant).abs().hi();
        let scale = c.abs().hi() + (s * after).abs().hi() + constant.hi();
        prop_assert!(!scale.is_finite() || defect < 1e-30 * scale);
    }

    #[test]
    fn the_derivative_is_that_of_the_closed_forms(s in 0.1f64..50.0) {
        let root = s.sqrt();
        let slope = |k: u32, s: f64| Dual::<f64>::variable(s, 0).stumpff(k).tangent[0];
        let cosine = -root.sin() / (2.0 * root);
        prop_assert!((slope(0, s) - cosine).abs() < 1e-14);
        let sine = (root.cos() - root.sin() / root) / (2.0 * s);
        prop_assert!((slope(1, s) - sine).abs() < 1e-13);
        let cosh = -root.sinh() / (2.0 * root);
        prop_assert!((slope(0, -s) - cosh).abs() < 1e-14 * cosh.abs());
    }

    /// c_k′ term by term: −Σ j (−s)^{j−1}/(2j+k)!.
    #[test]
    fn the_derivative_is_that_of_the_series(s in -1.0f64..1.0, k in 0u32..=40) {
        let x = Dd::from(s);
        let mut term = (1..=i64::from(k)).fold(Dd::from(1.0), |t, n| t / Dd::from(n));
        let mut sum = Dd::from(0.0);
        for j in 0..20 {
            let n = i64::from(k) + 2 * j;
            term = -term / Dd::from((n + 1) * (n + 2));
            sum = sum + term * Dd::from(j + 1);
            term = term * x;
        }
        let slope = Dual::<Dd>::variable(x, 0).stumpff(k).tangent[0];
        prop_assert!(relative_error(slope, sum) < 1e-29);
    }
}

trait FiniteAndNormal {
    fn is_finite_and_normal(&self) -> bool;
}

impl FiniteAndNormal for Dd {
    fn is_finite_and_normal(&self) -> bool {
        self.hi().is_normal() && self.hi().abs() > 1e-270
    }
}
