//! The closed form of the pendulum against its equation, its initial data and known motions.

mod common;

use common::decimal;
use cotangent_lab::{Elliptic, Motion, Pendulum, PendulumError};
use cotangent_scalar::{Dd, Dual, Scalar};
use proptest::prelude::*;

fn dd(x: f64) -> Dd {
    Dd::from(x)
}

#[test]
fn the_turning_pendulum_is_the_known_one() {
    let zero = dd(0.0);
    let pendulum = Pendulum::new(dd(1.0), [dd(1.0), zero], [zero, dd(-2.0)]).unwrap();
    let period = decimal("3.3132763404731883328969367458661219800");
    assert!((pendulum.period().unwrap() - period).abs().hi() < 1e-30);
    let functions = Elliptic::new(Dd::ratio(2, 3)).unwrap();
    let phase = decimal("0.84235566079488836055947958048993065246");
    for time in [-7.0, -0.25, 0.0, 1.0, 3.0, 33.0].map(dd) {
        let (s, c, d) = functions.sn_cn_dn(phase - dd(1.5).sqrt() * time);
        let x = [dd(2.0) * s * c, dd(2.0) * s * s - dd(1.0)];
        let p = [-x[1], x[0]].map(|e| -dd(6.0).sqrt() * d * e);
        let motion = pendulum.at(time);
        for i in 0..2 {
            assert!((motion.position[i] - x[i]).abs().hi() < 2e-30, "{time:?}");
            assert!((motion.velocity[i] - p[i]).abs().hi() < 5e-30, "{time:?}");
        }
    }
}

#[test]
fn a_quarter_period_takes_a_swing_to_its_turning_point() {
    // From the lowest point with θ′ = √2 at g = 1, m = ½ and the swing ends at 90 degrees.
    let pendulum = Pendulum::from_angle(dd(1.0), dd(0.0), dd(2.0).sqrt()).unwrap();
    let quarter = decimal("1.8540746773013719184338503471952600462");
    assert!((pendulum.period().unwrap() - dd(4.0) * quarter).abs().hi() < 1e-30);
    let top = pendulum.at(quarter);
    assert!((top.position[0] - dd(1.0)).abs().hi() < 1e-30);
    assert!(top.position[1].abs().hi() < 1e-30 && top.rate.abs().hi() < 1e-30);
}

#[test]
fn rest_stays_and_its_derivative_is_the_small_oscillation() {
    type D = Dual<Dd>;
    let g = D::from_f64(4.0);
    let at_rest = |angle, rate| Pendulum::from_angle(g, angle, rate).unwrap();
    let (zero, time) = (D::from_f64(0.0), D::from_f64(0.75));
    let still = at_rest(zero, zero);
    let [x, y] = still.at(time).position;
    assert_eq!((still.period(), x), (None, zero));
    assert!((y.value + dd(1.0)).abs().hi() < 1e-31);
    // θ ≈ θ₀ cos 2t + θ₀′ sin(2t)/2
    let (sin, cos) = dd(1.5).sin_cos();
    let moved = at_rest(Dual::variable(dd(0.0), 0), zero).at(time);
    assert!((moved.position[0].tangent[0] - cos).abs().hi() < 1e-31);
    let pushed = at_rest(zero, Dual::variable(dd(0.0), 0)).at(time);
    assert!((pushed.position[0].tangent[0] - sin * dd(0.5)).abs().hi() < 1e-31);
    // At the highest point it stays, too, but only to rounding.
    let top = Pendulum::new(1.0, [0.0, 1.0], [0.0, 0.0]).unwrap();
    assert_eq!((top.period(), top.at(5.0).position), (None, [0.0, 1.0]));
}

#[test]
fn on_the_separatrix_the_functions_are_hyperbolic() {
    // From the lowest point with θ′ = 2√g: sin θ/2 = tanh √g t.
    let pendulum = Pendulum::new(dd(1.0), [dd(0.0), dd(-1.0)], [dd(2.0), dd(0.0)]).unwrap();
    let (t, motion) = (dd(1.25), pendulum.at(dd(1.25)));
    let (s, sech) = (t.tanh(), dd(1.0) / t.cosh());
    assert!((motion.position[0] - dd(2.0) * s * sech).abs().hi() < 1e-30);
    assert!((motion.rate - dd(2.0) * sech).abs().hi() < 1e-30);
    assert_eq!(pendulum.period(), None);
}

#[test]
fn without_gravity_it_turns_evenly() {
    let pendulum = Pendulum::from_angle(0.0, 0.5, 3.0).unwrap();
    let motion = pendulum.at(2.0);
    assert!((motion.position[0] - 6.5f64.sin()).abs() < 1e-15 && motion.rate == 3.0);
    assert!((pendulum.period().unwrap() - std::f64::consts::TAU / 3.0).abs() < 1e-15);
}

#[test]
fn data_of_no_pendulum_are_refused() {
    assert_eq!(Pendulum::new(-1.0, [1.0, 0.0], [0.0, 0.0]), Err(PendulumError::Gravity { value: -1.0 }));
    assert_eq!(Pendulum::new(1.0, [2.0, 0.0], [0.0, 0.0]), Err(PendulumError::OffCircle { defect: 3.0 }));
    assert_eq!(Pendulum::new(1.0, [1.0, 0.0], [0.5, 0.0]), Err(PendulumError::NotTangent { defect: 0.5 }));
    assert_eq!(Pendulum::new(1.0, [f64::NAN, 0.0], [0.0, 0.0]), Err(PendulumError::NotFinite));
    assert_eq!(Pendulum::from_angle(1.0, 0.0, f64::INFINITY), Err(PendulumError::NotFinite));
}

proptest! {
    #[test]
    fn it_solves_its_equation_from_its_initial_data(
        g in 0.01..10.0f64, angle in -7.0..7.0f64, rate in -8.0..8.0f64, time in -5.0..5.0f64,
    ) {
        type D = Dual<Dd>;
        let pendulum = Pendulum::from_angle(D::from_f64(g), D::from_f64(angle), D::from_f64(rate)).unwrap();
        let start = pendulum.at(D::from_f64(0.0));
        prop_assert!((start.position[0].value - dd(angle).sin()).abs().hi() < 1e-29);
        prop_assert!((start.position[1].value + dd(angle).cos()).abs().hi() < 1e-29);
        prop_assert!((start.rate.value - dd(rate)).abs().hi() < 1e-29);
        let now = pendulum.at(Dual::variable(dd(time), 0));
        let tight = 1e-28;
        for i in 0..2 {
            prop_assert!((now.position[i].tangent[0] - now.velocity[i].value).abs().hi() < tight);
        }
        prop_assert!((now.rate.tangent[0] + dd(g) * now.position[0].value).abs().hi() < tight);
        let energy = |m: Motion<D>| dd(0.5) * m.rate.value * m.rate.value + dd(g) * m.position[1].value;
        prop_assert!((energy(now) - energy(start)).abs().hi() < tight);
    }

    #[test]
    fn cartesian_data_and_angles_agree(angle in -3.1..3.1f64, rate in -4.0..4.0f64, time in -5.0..5.0f64) {
        let (sin, cos) = dd(angle).sin_cos();
        let rate = dd(rate);
        let cartesian = Pendulum::new(dd(1.0), [sin, -cos], [rate * cos, rate * sin]).unwrap();
        let angular = Pendulum::from_angle(dd(1.0), dd(angle), rate).unwrap();
        let (a, b) = (cartesian.at(dd(time)), angular.at(dd(time)));
        for i in 0..2 {
            prop_assert!((a.position[i] - b.position[i]).abs().hi() < 1e-27);
            prop_assert!((a.velocity[i] - b.velocity[i]).abs().hi() < 1e-27);
        }
    }

    #[test]
    fn no_data_panic(g in any::<f64>(), angle in any::<f64>(), rate in any::<f64>(), time in any::<f64>()) {
        if let Ok(pendulum) = Pendulum::from_angle(g, angle, rate) {
            let _ = (pendulum.at(time), pendulum.period());
        }
    }
}
