//! Combinations side by side: Seiler's experiment, and what each formulation does to the pendulum.

mod problems;

use cotangent_integrate::{Method, Projection, Target};
use cotangent_lab::comparison::{Combination, Ended, Exact, Measured, Pace, Unknown, measure, sample_times};
use cotangent_observe::Schedule;
use cotangent_scalar::Limits;
use cotangent_theory::Formulation;
use problems::{Case, DOUBLE, FREE, PENDULUM};
use proptest::prelude::*;

fn run(
    text: &str,
    formulation: Formulation,
    method: Method,
    projection: Option<Projection>,
    h: f64,
    t: f64,
) -> Measured {
    let case = Case::new(text, formulation);
    let prepared = case.prepared(method, projection);
    let schedule = Schedule::until(h, t, 1).unwrap();
    let exact = Exact::new(&case.problem, &sample_times(&[schedule]), &Limits::default()).unwrap();
    let combination = Combination { problem: &case.problem, prepared: &prepared, amplification: 1.0 };
    measure(&combination, schedule, Some(&exact), &Limits::default(), &mut |_| {}).unwrap()
}

#[track_caller]
fn grows(pace: &Pace, exponent: f64) {
    match pace {
        Pace::Power(growth) => assert!((growth.exponent - exponent).abs() < 0.1, "{growth:?}, expected {exponent}"),
        other => panic!("{other:?}"),
    }
}

fn seiler(above: Option<f64>) -> Measured {
    let projection = above.map(|eps| Projection { target: Target::Momentum, above: Some(eps) });
    run(PENDULUM, Formulation::Standard, Method::Rk4, projection, 0.025, 1023.0)
}

#[test]
fn without_projections_errors_grow_as_in_seilers_experiment() {
    let none = seiler(None);
    assert_eq!((none.ended, none.steps, none.projections), (Ended::Finished, 40920, [0, 0]));
    grows(&none.error_growth, 3.0);
    grows(&none.energy_growth, 2.0);
    grows(&none.constraint_growth, 2.0);
    grows(&none.hidden_growth, 1.0);
    assert!((none.energy - 3.750973e-1).abs() < 5e-7);
    assert!((none.residuals[0][0] + 8.503802e-2).abs() < 5e-8);
    assert!((none.residuals[1][0] + 1.774747e-4).abs() < 5e-10);
}

#[test]
fn a_few_momentum_projections_take_an_order_off_the_growth() {
    let momentum = seiler(Some(1e-6));
    assert_eq!(momentum.projections, [0, 155]);
    grows(&momentum.error_growth, 2.0);
    grows(&momentum.energy_growth, 1.0);
    grows(&momentum.constraint_growth, 1.0);
    assert!((momentum.residuals[0][0] + 5.167142e-4).abs() < 5e-10);
    assert_eq!(seiler(Some(1e-8)).projections, [0, 12129]);
}

#[test]
fn formulations_differ_off_the_manifold() {
    let gauss = |formulation| run(PENDULUM, formulation, Method::Gauss { stages: 2 }, None, 0.05, 100.0);
    let total = gauss(Formulation::Total);
    assert!(matches!(total.ended, Ended::Failed(_)) || total.constraints > 0.1, "{:?}", total.ended);
    let dirac = gauss(Formulation::Dirac { alpha: 0.0 });
    assert_eq!(dirac.ended, Ended::Finished);
    assert!(dirac.constraints < 1e-4 && dirac.constraints > 1e-12);
    let exact = gauss(Formulation::HamiltonDirac);
    assert!(exact.energy < 1e-12 && exact.constraints < 1e-12 && exact.hidden < 1e-12, "{exact:?}");
    assert_eq!((exact.energy_growth, exact.constraint_growth), (Pace::RoundOff, Pace::RoundOff));
    let (time, error) = exact.error.unwrap();
    assert!(time == 100.0 && error < 1e-3 && error > 1e-9);
}

#[test]
fn an_error_of_the_method_is_not_called_round_off_because_it_is_small() {
    // ψ of the standard equations is h⁵ a step: what falls by 16 when the step is halved is the method's.
    let after = |h: f64| run(PENDULUM, Formulation::Standard, Method::Rk4, None, h, 0.02);
    let (coarse, fine) = (after(0.004), after(0.002));
    assert!(coarse.constraints < 1e-12 && coarse.constraint_growth != Pace::RoundOff, "{coarse:?}");
    assert!((coarse.constraints / fine.constraints - 16.0).abs() < 1.0, "{} {}", coarse.constraints, fine.constraints);
}

/// A run without the exact motion.
fn bare(text: &str, formulation: Formulation, method: Method, h: f64, t: f64) -> Measured {
    let case = Case::new(text, formulation);
    let prepared = case.prepared(method, None);
    let combination = Combination { problem: &case.problem, prepared: &prepared, amplification: 1.0 };
    measure(&combination, Schedule::until(h, t, 1).unwrap(), None, &Limits::default(), &mut |_| {}).unwrap()
}

proptest! {
    #![proptest_config(problems::cases(8))]

    /// Small steps, many of them: what falls with the step is the method's, however many steps could explain it.
    #[test]
    fn what_falls_with_the_step_is_not_round_off(log in -3.3..-2.0f64, p in 0.5..3.0f64, gauss in any::<bool>()) {
        let (h, text) = (10f64.powf(log), PENDULUM.replace("p_y = -2", &format!("p_y = {p}")));
        let method = if gauss { Method::Gauss { stages: 2 } } else { Method::Rk4 };
        let [own, half] = [h, h / 2.0].map(|h| bare(&text, Formulation::Standard, method, h, 1.0));
        for (own, half, growth) in [
            (own.energy, half.energy, &own.energy_growth),
            (own.constraints, half.constraints, &own.constraint_growth),
            (own.hidden, half.hidden, &own.hidden_growth),
        ] {
            // Of order four: a factor of 16, which rounding blurs.
            prop_assert!(own < 8.0 * half || own < 1e-14 || *growth != Pace::RoundOff, "{own:e} {half:e} {growth:?}");
        }
    }

    /// RATTLE solves for the constraints; Gauss collocation keeps quadratic integrals, here all three.
    #[test]
    fn what_a_method_keeps_is_round_off(h in 0.005..0.1f64, p in -3.0..3.0f64, g in 0.0..5.0f64) {
        let text = PENDULUM.replace("p_y = -2", &format!("p_y = {p}")).replace("g = 1", &format!("g = {g}"));
        let rattle = bare(&text, Formulation::Multipliers, Method::Rattle, h, 20.0);
        prop_assert_eq!([&rattle.constraint_growth, &rattle.hidden_growth], [&Pace::RoundOff; 2], "{:?}", rattle);
        let gauss = bare(&text, Formulation::HamiltonDirac, Method::Gauss { stages: 2 }, h, 20.0);
        let found = [&gauss.energy_growth, &gauss.constraint_growth, &gauss.hidden_growth];
        prop_assert_eq!(found, [&Pace::RoundOff; 3], "{} {} {}", gauss.energy, gauss.constraints, gauss.hidden);
    }
}

#[test]
fn residuals_of_a_few_units_in_the_last_place_do_not_grow() {
    // Of Gauss collocation with two stages G·q̇ is 9e-16, as a pendulum that falls from rest, nearly, has q̇ of size 3: the steps
    // are so large that only a few of them are made.
    let text = PENDULUM.replace("p_y = -2", "p_y = -0.010559023737252074").replace("g = 1", "g = 4.745463380491062");
    let gauss = bare(&text, Formulation::HamiltonDirac, Method::Gauss { stages: 2 }, 0.09580967642951854, 20.0);
    assert!(gauss.hidden < 1e-14, "{}", gauss.hidden);
    assert_eq!(gauss.hidden_growth, Pace::RoundOff);
}

#[test]
fn what_only_rounding_moves_has_no_error_of_its_own_size() {
    // A crank upright, held by a rod: π/2 and √3 are rounded, and nothing else moves it.
    let text = "coord theta, phi, s\nlagrangian theta'^2/6 + 2*phi'^2/3 + s'^2/2 - sin(theta)/2\n\
        constraint across: cos(theta) + 2*cos(phi) - s = 0\nconstraint along: sin(theta) + 2*sin(phi) = 0\n\
        initial theta = pi/2, phi = -pi/6, s = sqrt(3)\n";
    let found = run(text, Formulation::Multipliers, Method::Rattle, None, 0.01, 2.0);
    assert!(found.error.unwrap().1 < 1e-13, "{:?}", found.error);
}

#[test]
fn what_was_not_finished_keeps_what_was_measured() {
    let case = Case::new(PENDULUM, Formulation::Multipliers);
    let prepared = case.prepared(Method::Rattle, None);
    let schedule = Schedule::until(0.01, 1e6, 1).unwrap();
    let limits = Limits::default();
    limits.cancel.set();
    let combination = Combination { problem: &case.problem, prepared: &prepared, amplification: 1.0 };
    let found = measure(&combination, schedule, None, &limits, &mut |_| {}).unwrap();
    assert_eq!((found.ended, found.steps, found.error), (Ended::Interrupted, 0, None));
}

#[test]
fn a_chaotic_motion_is_known_for_as_long_as_it_is_certain() {
    let case = Case::new(&DOUBLE.replace("g = 1", "g = 12"), Formulation::Multipliers);
    let times: Vec<f64> = (1..=400).map(|k| f64::from(k) / 4.0).collect();
    let exact = Exact::new(&case.problem, &times, &Limits::default()).unwrap();
    assert!(exact.until() < 100.0, "{}", exact.until());
    assert_eq!(exact.ended, Some(Unknown::Uncertain { certain: 1e-6 }));
    // Errors do not grow a thousandfold from sample to sample: it ends where it must.
    assert!((1e-9..=1e-6).contains(&exact.accuracy), "{}", exact.accuracy);
    assert_eq!(exact.distance(0.5001, &case.problem.start), None, "no sample there");
}

#[test]
fn without_constraints_there_is_a_reference_too() {
    let found = run(FREE, Formulation::Multipliers, Method::Gauss { stages: 3 }, None, 0.1, 10.0);
    assert!(found.error.unwrap().1 < 1e-7 && found.residuals.iter().all(Vec::is_empty));
}
