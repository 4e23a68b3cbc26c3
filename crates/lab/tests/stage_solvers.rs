//! The equations of stages by iteration and by Newton's method.

mod problems;

use cotangent_compile::Engine;
use cotangent_dynamics::{Advance, Failure, State};
use cotangent_integrate::{Composition, Inner, Method, Recipe, Refusal, StageSolver};
use cotangent_problem::Integrator;
use cotangent_solve::NewtonOptions;
use cotangent_theory::Formulation;
use problems::{Case, DOUBLE, FREE, PENDULUM, RELATIVISTIC, shipped};

fn integrators(case: &Case, recipe: Recipe) -> [Integrator; 2] {
    let p = &case.problem;
    let prepared = p.prepare(recipe).unwrap_or_else(|e| panic!("{e}"));
    let options = NewtonOptions::default();
    [
        Integrator::new(&p.equations, &prepared, &p.parameters, options, Engine::Best).unwrap(),
        Integrator::in_parts(&p.equations, &prepared, &p.parameters, options).unwrap(),
    ]
}

/// Updates of Newton's method and iterations in so many steps, and the state.
fn run(case: &Case, recipe: Recipe, h: f64, steps: u64) -> ([u64; 2], State<f64>) {
    let mut states = integrators(case, recipe).map(|mut run| {
        let mut state = run.state(case.problem.start.clone());
        run.advance(&mut state, h, steps).unwrap_or_else(|(_, e)| panic!("{e}"));
        ([run.iterations(), run.contractions()], state)
    });
    // One native function, or calls of functions: the same numbers.
    assert_eq!(states[0], states[1]);
    std::mem::take(&mut states[0])
}

#[test]
fn both_solvers_agree_to_round_off() {
    let cases: [(String, Formulation, f64); 9] = [
        (FREE.into(), Formulation::Multipliers, 0.1),
        (shipped("henon-heiles"), Formulation::Multipliers, 0.1),
        (shipped("kepler"), Formulation::Multipliers, 0.05),
        (shipped("rigid-body"), Formulation::Multipliers, 0.1),
        (shipped("lotka-volterra"), Formulation::Multipliers, 0.05),
        (shipped("sphere-vortices"), Formulation::Multipliers, 0.05),
        (PENDULUM.into(), Formulation::HamiltonDirac, 0.05),
        (DOUBLE.into(), Formulation::Standard, 0.02),
        (RELATIVISTIC.into(), Formulation::ImpetusStriction, 0.02),
    ];
    for (text, formulation, h) in cases {
        let case = Case::new(&text, formulation);
        for stages in [1, 2, 4, 6] {
            let recipe = Recipe::from(Method::Gauss { stages });
            let (newton, by_newton) = run(&case, recipe.clone().solved_by(StageSolver::Newton), h, 20);
            let (iterated, state) = run(&case, recipe.clone(), h, 20);
            let (forced, same) = run(&case, recipe.solved_by(StageSolver::FixedPoint), h, 20);
            assert_eq!((newton[1], iterated[0], forced[0]), (0, 0, 0), "{text}, {stages} stages");
            assert_eq!((&same.values, &same.carry), (&state.values, &state.carry));
            // Twenty steps of a few roundings each, magnified by the motion.
            let size = state.values.iter().fold(1.0f64, |m, v| m.max(v.abs()));
            for (a, b) in by_newton.values.iter().zip(&state.values) {
                assert!((a - b).abs() < 2e-13 * size, "{text}, {stages} stages: {a} {b}");
            }
        }
    }
}

/// A spatial pendulum with a full mass matrix that depends on the position, and a second rod.
const FULL: &str = "coord x, y, z, u, v, w\n\
    hamiltonian (p_x^2 + 2*p_y^2 + (1 + x^2)*p_z^2)/2 + p_x*p_y/3 + p_y*p_z*x/4 + p_u^2 + p_v^2/2 + p_w^2/2 \
    + p_u*p_x/5 + z + w + x*u/3\n\
    constraint first: x^2 + y^2 + z^2 = 1\nconstraint second: (u - x)^2 + (v - y)^2 + (w - z)^2 = 1/4\n\
    initial x = 0.6, z = -0.8, u = 0.6, v = 0.5, w = -0.8\n";

#[test]
fn constrained_stages_by_both_solvers_agree_to_round_off() {
    let cases: [(String, Option<i64>, f64); 6] = [
        (PENDULUM.into(), None, 0.1),
        (DOUBLE.into(), None, 0.05),
        (shipped("four-bar"), None, 0.02),
        (shipped("chain"), Some(5), 0.02),
        (FULL.into(), None, 0.05),
        (RELATIVISTIC.into(), None, 0.05),
    ];
    for (text, n, h) in cases {
        let case = Case::sized(&text, n, Formulation::Multipliers);
        for stages in [2, 3, 5, 8] {
            let recipe = Recipe::from(Method::Lobatto3A3B { stages });
            let (newton, by_newton) = run(&case, recipe.clone().solved_by(StageSolver::Newton), h, 20);
            let (iterated, state) = run(&case, recipe.clone(), h, 20);
            let (_, same) = run(&case, recipe.solved_by(StageSolver::FixedPoint), h, 20);
            assert_eq!(newton[1], 0);
            // One update in each step for the hidden constraints, or some where the energy is not quadratic.
            assert!(iterated[0] <= 20 * 4 && iterated[1] <= 20 * 20, "{text}, {stages} stages: {iterated:?}");
            assert_eq!((&same.values, &same.carry), (&state.values, &state.carry));
            let size = state.values.iter().fold(1.0f64, |m, v| m.max(v.abs()));
            for (a, b) in by_newton.values.iter().zip(&state.values) {
                assert!((a - b).abs() < 2e-13 * size, "{text}, {stages} stages: {a} {b}");
            }
        }
    }
}

#[test]
fn an_iteration_leaves_no_bias() {
    // Gauss's methods keep quadratic integrals, here the constraint: what is lost of it is what the iteration leaves and
    // rounding, which for n steps are about √n units in the last place. A unit in each step in one direction is n of them.
    let text = PENDULUM.replace("p_y = -2", "p_y = -2.18").replace("g = 1", "g = 3.67");
    let case = Case::new(&text, Formulation::HamiltonDirac);
    for h in [0.05, 0.07, 0.1, 0.14, 0.2, 0.28] {
        let steps = 10_000;
        let (_, state) =
            run(&case, Recipe::from(Method::Gauss { stages: 2 }).solved_by(StageSolver::FixedPoint), h, steps);
        let [x, y] = [state.values[0], state.values[1]];
        let lost = (x * x + y * y - 1.0).abs() / f64::EPSILON;
        assert!(lost < 0.5 * (steps as f64).sqrt(), "h = {h}: {lost} units");
    }
}

#[test]
fn an_iteration_of_constrained_stages_leaves_no_bias() {
    // The pair keeps x p_y − y p_x, on which the constraint force does not act.
    let case = Case::new(
        "coord x, y, z\nhamiltonian (p_x^2 + p_y^2 + p_z^2)/2 + z\nconstraint rod: x^2 + y^2 + z^2 = 1\n\
         initial x = 0.6, z = -0.8, p_y = 0.7\n",
        Formulation::Multipliers,
    );
    for (stages, h) in [(2, 0.01), (3, 0.01), (3, 0.07), (3, 0.2), (5, 0.1), (5, 0.28), (8, 0.4)] {
        let steps = 10_000;
        let [iterated, by_newton] = [StageSolver::FixedPoint, StageSolver::Newton].map(|solver| {
            let recipe = Recipe::from(Method::Lobatto3A3B { stages }).solved_by(solver);
            let (_, state) = run(&case, recipe, h, steps);
            let [x, y, p, q] = [0, 1, 3, 4].map(|k| state.values[k]);
            (x * q - y * p - 0.42) / (0.42 * f64::EPSILON)
        });
        // What the rounding of the coefficients loses in every step both lose.
        let own = (iterated - by_newton).abs();
        assert!(own < (steps as f64).sqrt(), "{stages} stages, h = {h}: {own} units");
    }
}

#[test]
fn newtons_method_takes_over_where_constrained_stages_do_not_contract() {
    // A spring with h ω = 10 beside a pendulum.
    let stiff = Case::new(
        "coord x, y, z\nhamiltonian (p_x^2 + p_y^2 + p_z^2)/2 + y + 5e5*z^2 + x*z^2\nconstraint rod: x^2 + y^2 = 1\n\
         initial x = 1, z = 1e-12\n",
        Formulation::Multipliers,
    );
    let recipe = Recipe::from(Method::Lobatto3A3B { stages: 3 });
    let (work, state) = run(&stiff, recipe.clone(), 0.01, 5);
    let (newton, by_newton) = run(&stiff, recipe.clone().solved_by(StageSolver::Newton), 0.01, 5);
    assert!(work[0] == newton[0] && work[1] > 0 && work[1] <= 56, "{work:?} {newton:?}");
    for k in [0, 1, 3, 4] {
        assert!((state.values[k] - by_newton.values[k]).abs() < 1e-14, "{k}: {state:?} {by_newton:?}");
    }
    let [mut run, _] = integrators(&stiff, recipe.solved_by(StageSolver::FixedPoint));
    let mut state = run.state(stiff.problem.start.clone());
    let (done, failure) = run.advance(&mut state, 0.01, 1).unwrap_err();
    assert!(done == 0 && matches!(failure, Failure::FixedPoint { .. }), "{failure}");
}

#[test]
fn newtons_method_takes_over_where_the_iteration_does_not_contract() {
    // A spring so stiff that h ω = 10⁴: what Newton's method finds from the start on.
    let stiff = Case::new(
        "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + 5e11*x^2 + x^2*y^2 + y^2/2\ninitial x = 1e-6, p_y = 1\n",
        Formulation::Multipliers,
    );
    let recipe = Recipe::from(Method::Gauss { stages: 2 });
    let (work, state) = run(&stiff, recipe.clone(), 0.01, 640);
    let (newton, by_newton) = run(&stiff, recipe.clone().solved_by(StageSolver::Newton), 0.01, 640);
    assert_eq!((&state.values, work[0]), (&by_newton.values, newton[0]));
    // It is tried once in 64 steps.
    assert!(work[1] <= 10 * 40, "{work:?}");
    let [mut run, _] = integrators(&stiff, recipe.solved_by(StageSolver::FixedPoint));
    let mut state = run.state(stiff.problem.start.clone());
    let (done, failure) = run.advance(&mut state, 0.01, 1).unwrap_err();
    assert!(done == 0 && matches!(failure, Failure::FixedPoint { .. }), "{failure}");
    assert_eq!(state.values, stiff.problem.start);
}

#[test]
fn the_iteration_comes_back_after_a_while() {
    // An eccentric orbit: near the centre its steps are too large to be iterated.
    let case = Case::new(
        "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 - 1/sqrt(x^2 + y^2)\ninitial x = 1.9, p_y = 0.23\n",
        Formulation::Multipliers,
    );
    let (work, _) = run(&case, Method::ImplicitMidpoint.into(), 0.02, 4_000);
    assert!(work[0] > 60 && work[1] > 10_000, "{work:?}");
}

#[test]
fn a_run_that_is_stopped_and_taken_up_again_is_the_same_to_the_bit() {
    let case = Case::new(FREE, Formulation::Multipliers);
    for recipe in [
        Recipe::from(Method::Gauss { stages: 3 }),
        Recipe::from(Method::ImplicitMidpoint).composed(Composition::Suzuki4),
    ] {
        let (_, whole) = run(&case, recipe.clone(), 0.1, 50);
        let [mut first, _] = integrators(&case, recipe.clone());
        let mut state = first.state(case.problem.start.clone());
        first.advance(&mut state, 0.1, 23).unwrap();
        let [mut second, _] = integrators(&case, recipe);
        second.advance(&mut state, 0.1, 27).unwrap();
        assert_eq!(state, whole);
    }
}

#[test]
fn the_stages_of_the_step_before_save_iterations_and_another_step_size_forgets_them() {
    let case = Case::new(&shipped("henon-heiles"), Formulation::Multipliers);
    let recipe = Recipe::from(Method::Gauss { stages: 4 });
    let iterations = |steps: &[f64]| {
        let [mut run, _] = integrators(&case, recipe.clone());
        let mut state = run.state(case.problem.start.clone());
        steps.iter().for_each(|h| run.advance(&mut state, *h, 1).unwrap());
        run.contractions() as f64 / steps.len() as f64
    };
    let (equal, other) = (vec![0.1; 40], [0.1, 0.11].repeat(20));
    assert!(iterations(&equal) + 2.0 < iterations(&other), "{} {}", iterations(&equal), iterations(&other));
}

#[test]
fn a_method_without_such_stages_refuses_the_choice() {
    let case = Case::new(PENDULUM, Formulation::Multipliers);
    let refused = |method: Method, solver| case.problem.prepare(Recipe::from(method).solved_by(solver)).err();
    assert!(matches!(refused(Method::Rattle, StageSolver::Newton), Some(Refusal::NoStageSolver { .. })));
    let radau = Method::Radau2A { stages: 3 };
    assert!(matches!(refused(radau, StageSolver::FixedPoint), Some(Refusal::NotIterated { .. })));
    assert_eq!(refused(radau, StageSolver::Newton), None);
    let reich = Method::Reich { inner: Inner::ImplicitMidpoint };
    assert_eq!(refused(reich, StageSolver::FixedPoint), None);
}
