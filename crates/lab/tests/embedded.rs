//! Dormand and Prince's methods: their own steps, and what they deliver.

mod problems;

use cotangent_compile::{Engine, Native};
use cotangent_dynamics::{
    Advance, Canonical, Dynamics, Failure, Field, GaveUp, Measure, Numeric, State, Stepper, Value,
};
use cotangent_integrate::{Method, Prepared, Projection, Refusal, Target};
use cotangent_lab::Pendulum;
use cotangent_lab::certificate::{Certificate, Options, Subject, order_against};
use cotangent_problem::Integrator;
use cotangent_scalar::{Dd, Dual, Real, Scalar};
use cotangent_solve::{NewtonOptions, Pattern};
use cotangent_theory::Formulation;
use problems::{Case, FREE, PENDULUM, shipped};

/// Both methods with a tolerance.
fn both(tolerance: f64) -> [Method; 2] {
    let tolerance = Some(tolerance);
    [Method::Dopri5 { tolerance }, Method::Dop853 { tolerance }]
}

fn unasked() -> Failure {
    Failure::of(std::io::Error::other("an explicit method asks for a Jacobian"))
}

/// A vector field of so many variables.
#[derive(Clone, Copy)]
struct Law<S>(usize, fn(&[S], &mut [S]));

impl<S: Scalar> Field<S> for Law<S> {
    fn dimension(&self) -> usize {
        self.0
    }
    fn jacobian_pattern(&mut self) -> Result<Pattern, Failure> {
        Err(unasked())
    }
    fn rate(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        (self.1)(z, out);
        Ok(())
    }
    fn jacobian(&mut self, _: &[S], _: &mut [S]) -> Result<(), Failure> {
        Err(unasked())
    }
}

impl<S: Scalar + 'static> Dynamics<'static, S> for Law<S> {
    fn canonical(&self) -> Result<Option<Box<dyn Canonical<S>>>, Failure> {
        Ok(None)
    }
    fn field(&self) -> Result<Option<Box<dyn Field<S>>>, Failure> {
        Ok(Some(Box::new(*self)))
    }
    fn manifold(&self) -> Result<Option<Box<dyn Canonical<S>>>, Failure> {
        Ok(None)
    }
}

/// A method on its way.
struct Run<S> {
    prepared: Prepared,
    stepper: Box<dyn Stepper<S>>,
    machine: Numeric<S>,
    state: State<S>,
}

impl<S: Real + 'static> Run<S> {
    fn new(prepared: Prepared, system: &dyn Dynamics<'static, S>, start: &[S]) -> Run<S> {
        let stepper = prepared.stepper(system).unwrap();
        let machine = Numeric::new(prepared.plan(), NewtonOptions::default()).unwrap();
        let state = State::new(start.to_vec(), stepper.memory());
        Run { prepared, stepper, machine, state }
    }

    /// On a law; the method is planned for the same law in `f64`, of which it sees the dimension.
    fn law(method: Method, law: Law<S>, start: &[S]) -> Run<S> {
        let prepared = Prepared::new(method, &Law::<f64>(law.0, |_, _| ())).unwrap();
        Run::new(prepared, &law, start)
    }

    fn advance(&mut self, h: S, intervals: usize) -> Result<(), Failure> {
        let mut next = self.state.clone();
        for _ in 0..intervals {
            self.stepper.step(&mut self.machine, h, &self.state, &mut next)?;
            std::mem::swap(&mut self.state, &mut next);
        }
        Ok(())
    }

    fn values(&self) -> &[S] {
        &self.state.values
    }

    fn substeps(&self) -> [u64; 2] {
        let memory: Vec<f64> = self.state.memory.iter().map(|m| m.value()).collect();
        self.prepared.substeps(&memory).unwrap()
    }
}

fn on(case: &Case, method: Method, projection: Option<Projection>) -> Run<f64> {
    let p = &case.problem;
    let view = p.equations.compiled.view(Native, p.parameters.clone());
    Run::new(case.prepared(method, projection), &view, &p.start)
}

/// The pendulum of the problems in closed form.
fn swing(time: f64) -> Vec<f64> {
    let motion = Pendulum::new(1.0, [1.0, 0.0], [0.0, -2.0]).unwrap().at(time);
    [motion.position, motion.velocity].concat()
}

fn apart<S: Real>(a: &[S], b: &[S]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| (a - b).value().abs()).fold(0.0, f64::max)
}

fn oscillator<S: Scalar>(z: &[S], rate: &mut [S]) {
    (rate[0], rate[1]) = (z[1], -z[0]);
}

#[test]
fn the_formulas_are_of_orders_5_and_8() {
    let number = Dd::from;
    let motion = Pendulum::new(number(1.0), [number(1.0), number(0.0)], [number(0.0), number(-2.0)]).unwrap();
    let exact = motion.at(number(16.0) * number(0.01));
    let exact = [exact.position, exact.velocity].concat();
    for formulation in [Formulation::Standard, Formulation::HamiltonDirac] {
        let case = Case::new(PENDULUM, formulation);
        for method in both(1e-10) {
            let prepared = case.prepared(method, None);
            let order = order_against(&Subject::new(&case.problem, &prepared), 0.01, &exact, 1e-30).unwrap();
            let off = (order.value - f64::from(method.card().order)).abs();
            assert!(off < 0.01 + order.uncertainty && order.uncertainty < 0.1, "{method:?}: {order:?}");
        }
    }
}

#[test]
fn the_error_follows_the_tolerance_between_own_steps_too() {
    let case = Case::new(PENDULUM, Formulation::Standard);
    let tolerances = [1e-6, 1e-8, 1e-10, 1e-12];
    for k in 0..2 {
        let errors = tolerances.map(|tolerance| {
            let mut run = on(&case, both(tolerance)[k], None);
            let mut largest = 0.0f64;
            for i in 1..=230 {
                run.advance(0.013, 1).unwrap();
                largest = largest.max(apart(run.values(), &swing(0.013 * f64::from(i))));
            }
            assert!(largest < 100.0 * tolerance, "{:?}: {largest:e}", both(tolerance)[k]);
            largest
        });
        let slope = (errors[0] / errors[3]).log10() / 6.0;
        assert!((0.85..1.15).contains(&slope), "{errors:?}: {slope}");
    }
}

#[test]
fn the_interval_of_output_does_not_change_the_own_steps() {
    let at_rest = PENDULUM.replace(", p_y = -2", "");
    for (text, method) in [PENDULUM, &at_rest].into_iter().flat_map(|t| both(1e-9).map(|m| (t, m))) {
        let case = Case::new(text, Formulation::Standard);
        let end = |h: f64, intervals: usize| {
            let mut run = on(&case, method, None);
            run.advance(h, intervals).unwrap();
            run
        };
        let (whole, parts) = (end(1.0, 8), end(1.0 / 128.0, 1024));
        assert_eq!(whole.values(), parts.values(), "{method:?}");
        assert_eq!(whole.substeps(), parts.substeps(), "{method:?}");
        let decimal = end(0.01, 800);
        assert!(apart(whole.values(), decimal.values()) < 2e-15, "{method:?}");
        assert!(whole.state.carry.iter().all(|&c| c == 0.0));
    }
}

#[test]
fn a_state_that_is_copied_goes_on_to_the_bit() {
    let case = Case::new(PENDULUM, Formulation::Standard);
    for method in both(1e-8) {
        let mut run = on(&case, method, None);
        run.advance(0.03, 17).unwrap();
        let mut other = on(&case, method, None);
        other.state = run.state.clone();
        run.advance(0.03, 100).unwrap();
        other.advance(0.03, 100).unwrap();
        assert_eq!(run.state, other.state);
    }
}

#[test]
fn a_run_forth_and_back_ends_at_the_start() {
    let case = Case::new(PENDULUM, Formulation::Standard);
    for method in both(1e-10) {
        let mut run = on(&case, method, None);
        run.advance(0.07, 20).unwrap();
        run.advance(-0.07, 20).unwrap();
        assert!(apart(run.values(), &case.problem.start) < 1e-8, "{:e}", apart(run.values(), &case.problem.start));
    }
}

#[test]
fn a_projection_is_a_fresh_start_and_keeps_what_it_is_for() {
    let case = Case::new(PENDULUM, Formulation::Standard);
    for (target, method) in [Target::Momentum, Target::Both].into_iter().flat_map(|t| both(1e-8).map(|m| (t, m))) {
        let mut run = on(&case, method, Some(Projection { target, above: None }));
        let mut diagnostics = case.problem.diagnostics().unwrap();
        for i in 1..=300 {
            run.advance(0.02, 1).unwrap();
            let kept = diagnostics.kept(run.values()).unwrap();
            assert!(kept.hidden_constraints[0].abs() < 1e-14, "{target:?}: {:e}", kept.hidden_constraints[0]);
            assert!(target == Target::Momentum || kept.constraints[0].abs() < 1e-14);
            assert!(apart(run.values(), &swing(0.02 * f64::from(i))) < 1e-6);
        }
        // One own step for an interval, after the first.
        let [accepted, rejected] = run.substeps();
        assert!((300..310).contains(&accepted) && rejected < 3, "{accepted} {rejected}");
        assert_eq!(
            run.prepared.projections(&run.state.memory),
            Some([if target == Target::Both { 300 } else { 0 }, 300])
        );
    }
}

#[test]
fn a_state_moved_by_hand_is_where_the_solution_goes_on() {
    for method in both(1e-10) {
        let mut run = Run::law(method, Law(2, oscillator), &[1.0, 0.0]);
        run.advance(0.1, 7).unwrap();
        run.state.values = vec![0.0, 2.0];
        run.advance(0.1, 10).unwrap();
        assert!(apart(run.values(), &[2.0 * 1f64.sin(), 2.0 * 1f64.cos()]) < 1e-9);
    }
}

/// Why a method that chooses its own steps gave up, and its tolerance.
fn gave_up(done: Result<(), Failure>) -> (f64, GaveUp) {
    let Err(Failure::ErrorControl(control)) = done else { panic!("{done:?}") };
    (control.tolerance, control.cause)
}

#[test]
fn a_singularity_ahead_ends_the_run_with_a_word() {
    // z = 1/(1 − t)
    for method in both(1e-8) {
        let mut run = Run::law(method, Law(1, |z, rate| rate[0] = z[0] * z[0]), &[1.0]);
        run.advance(0.25, 3).unwrap();
        assert!((run.values()[0] - 4.0).abs() < 1e-5);
        let (tolerance, cause) = gave_up(run.advance(0.5, 1));
        assert!(tolerance == 1e-8 && matches!(cause, GaveUp::TooSmall { undefined: None, .. }), "{cause:?}");
        assert!((run.values()[0] - 4.0).abs() < 1e-5, "the state is that before");
    }
}

#[test]
fn the_edge_of_the_domain_ends_the_run_with_a_word() {
    // √z is no number below 0, which is reached at t = 2 − 2 log 2.
    for method in both(1e-8) {
        let mut run = Run::law(method, Law(1, |z: &[f64], rate| rate[0] = -z[0].sqrt() - 1.0), &[1.0]);
        let (_, cause) = gave_up(run.advance(2.0, 1));
        let no_rate = Some(Failure::NotFinite(Value::Residual));
        assert!(matches!(&cause, GaveUp::TooSmall { undefined, .. } if *undefined == no_rate), "{cause:?}");
        let mut run = Run::law(method, Law(1, |_, rate| rate[0] = f64::NAN), &[1.0]);
        assert!(matches!(run.advance(1.0, 1), Err(Failure::NotFinite(_))));
    }
}

#[test]
fn stiff_equations_are_done_in_small_steps_or_not_at_all() {
    for method in both(1e-6) {
        let stiff = Law(2, |z: &[f64], rate| (rate[0], rate[1]) = (-1e6 * z[0], -z[1]));
        let mut run = Run::law(method, stiff, &[1.0, 1.0]);
        run.advance(0.01, 1).unwrap();
        assert!((run.values()[1] - (-0.01f64).exp()).abs() < 1e-5 && run.values()[0].abs() < 1e-4);
        let (_, cause) = gave_up(run.advance(10.0, 1));
        assert!(matches!(cause, GaveUp::TooMany { most: 100_000, interval: 10.0, .. }), "{cause:?}");
    }
}

#[test]
fn tolerances_that_cannot_be_met_are_refused() {
    for method in both(1e-30) {
        let mut run = Run::law(method, Law(2, oscillator), &[1.0, 0.0]);
        assert_eq!(gave_up(run.advance(1.0, 1)), (1e-30, GaveUp::RoundOff { epsilon: f64::EPSILON }));
    }
    for tolerance in [0.0, -1.0, 1.0, 1e300, f64::NAN, f64::INFINITY] {
        for method in both(tolerance) {
            let refused = Prepared::new(method, &Law::<f64>(2, oscillator)).unwrap_err();
            assert!(matches!(refused, Refusal::Tolerance { .. }), "{refused}");
        }
    }
}

#[test]
fn the_steps_of_a_comet_are_small_at_the_pericentre() {
    let case = Case::new(&shipped("kepler").replace("e >= 0 = 0.6", "e >= 0 = 0.9"), Formulation::Multipliers);
    for method in both(1e-10) {
        let mut run = on(&case, method, None);
        let mut steps = vec![];
        for _ in 0..64 {
            let before = run.substeps()[0];
            run.advance(std::f64::consts::PI / 32.0, 1).unwrap();
            steps.push(run.substeps()[0] - before);
        }
        assert!(steps[0] >= 5 * steps[32].max(1), "{steps:?}");
        let [accepted, rejected] = run.substeps();
        assert!((50..400).contains(&accepted) && accepted == steps.iter().sum::<u64>(), "{accepted}");
        // The controller with an integral part sees the pericentre coming.
        assert_eq!(rejected == 0, matches!(method, Method::Dopri5 { .. }), "{rejected}");
        assert!(apart(run.values(), &case.problem.start) < 1e-6);
    }
}

#[test]
fn the_steps_do_not_depend_on_units() {
    let small = "param L = 1e-10, m = 1e-26, g = 1e20\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/(2*m) + m*g*y\n\
        constraint rod: (x^2 + y^2 - L^2)/2 = 0\ninitial x = L, p_y = -2*m*sqrt(g*L)\n";
    for method in both(1e-9) {
        let [one, other] = [(PENDULUM, 0.1), (small, 1e-16)].map(|(text, h)| {
            let mut run = on(&Case::new(text, Formulation::Standard), method, None);
            run.advance(h, 100).unwrap();
            run.substeps()
        });
        assert!(one[0].abs_diff(other[0]) <= 1 && one[1].abs_diff(other[1]) <= 1, "{one:?} {other:?}");
    }
}

#[test]
fn where_nothing_moves_nothing_is_done() {
    for method in both(1e-10) {
        let mut run = Run::law(method, Law(2, |_, rate| rate.fill(0.0)), &[1.0, 0.0]);
        run.advance(0.1, 1000).unwrap();
        assert_eq!(run.values(), [1.0, 0.0]);
        assert!(run.substeps()[0] < 10 && run.substeps()[1] == 0);
        // From zero at a constant rate.
        let mut run = Run::law(method, Law(1, |_, rate| rate[0] = 3.0), &[0.0]);
        run.advance(0.125, 1000).unwrap();
        assert!((run.values()[0] / 375.0 - 1.0).abs() < 1e-14, "{}", run.values()[0]);
    }
}

#[test]
fn double_double_arithmetic_meets_its_tolerances() {
    let number = Dd::from;
    let (sin, cos) = number(1.0).sin_cos();
    for (method, bound) in [(both(1e-16)[0], 1e-14), (both(1e-28)[1], 1e-26)] {
        let mut run = Run::law(method, Law(2, oscillator), &[number(1.0), number(0.0)]);
        run.advance(number(0.25), 4).unwrap();
        let error = apart(run.values(), &[cos, -sin]);
        assert!(error < bound, "{method:?}: {error:e} {:?}", run.substeps());
    }
}

#[test]
fn dense_output_is_as_good_as_the_steps_at_any_tolerance() {
    // A dense output of lower order than the error estimate would fall behind.
    for (k, tolerances) in [(0, [1e-9, 1e-15]), (1, [1e-12, 1e-24])] {
        let errors = tolerances.map(|tolerance| {
            let mut run = Run::law(both(tolerance)[k], Law(2, oscillator), &[Dd::from(1.0), Dd::from(0.0)]);
            let mut largest = 0.0f64;
            for i in 1..=100 {
                run.advance(Dd::ratio(1, 64), 1).unwrap();
                let (sin, cos) = Dd::ratio(i, 64).sin_cos();
                largest = largest.max(apart(run.values(), &[cos, -sin]));
            }
            largest
        });
        let slope = (errors[0] / errors[1]).ln() / (tolerances[0] / tolerances[1]).ln();
        assert!((0.9..1.1).contains(&slope) && errors[1] < 100.0 * tolerances[1], "{errors:?}: {slope}");
    }
}

#[test]
fn a_start_with_momenta_that_are_round_off_takes_no_tiny_steps() {
    let case = Case::new(&PENDULUM.replace("p_y = -2", "p_y = 1e-17"), Formulation::Standard);
    for method in both(1e-8) {
        let mut run = on(&case, method, None);
        run.advance(0.1, 10).unwrap();
        assert!(run.substeps()[0] < 50, "{:?}", run.substeps());
        let motion = Pendulum::new(1.0, [1.0, 0.0], [0.0, 0.0]).unwrap().at(1.0);
        assert!(apart(run.values(), &[motion.position, motion.velocity].concat()) < 1e-6);
    }
}

#[test]
fn derivatives_by_the_start_and_by_time_go_through_the_own_steps() {
    type D = Dual<Dd>;
    let number = |x: f64| D::from_f64(x);
    for method in both(1e-14) {
        let mut run = Run::law(method, Law(2, oscillator), &[D::variable(Dd::from(1.0), 0), number(0.0)]);
        run.advance(number(0.25), 4).unwrap();
        let (sin, cos) = Dd::from(1.0).sin_cos();
        let tangent: Vec<Dd> = run.values().iter().map(|d| d.tangent[0]).collect();
        assert!(apart(&tangent, &[cos, -sin]) < 1e-12);
        let mut run = Run::law(method, Law(2, oscillator), &[number(1.0), number(0.0)]);
        run.advance(D::variable(Dd::from(0.25), 0), 4).unwrap();
        let tangent: Vec<Dd> = run.values().iter().map(|d| d.tangent[0]).collect();
        let four = Dd::from(4.0);
        assert!(apart(&tangent, &[-four * sin, -four * cos]) < 1e-11, "{tangent:?}");
    }
}

#[test]
fn steps_as_they_are_given_are_one_function() {
    let case = Case::new(FREE, Formulation::Multipliers);
    let p = &case.problem;
    for method in both(1e-10) {
        let made = |method: Method| {
            let options = NewtonOptions::default();
            Integrator::new(&p.equations, &case.prepared(method, None), &p.parameters, options, Engine::Best).unwrap()
        };
        let (mut controlled, mut given) = (made(method), made(method.with_tolerance(None).unwrap()));
        assert!(given.is_whole() && !controlled.is_whole());
        let mut states = [given.state(p.start.clone()), controlled.state(p.start.clone())];
        given.advance(&mut states[0], 0.01, 100).unwrap();
        controlled.advance(&mut states[1], 0.01, 100).unwrap();
        assert!(apart(&states[0].values, &states[1].values) < 1e-9);
    }
}

#[test]
fn certificates_measure_the_order_of_the_formula_and_the_rest_under_control() {
    let case = Case::new(&shipped("kepler"), Formulation::Multipliers);
    for method in both(1e-10) {
        let prepared = case.prepared(method, None);
        let c = Certificate::new(&case.problem, &prepared, Options { step: 0.01, steps: 500 }).unwrap();
        assert_eq!(c.order.held, Some(true), "{c:#?}");
        assert!(c.held());
    }
}
