//! Formulations that somebody else derives: other variables, more or fewer, through the doors that every formulation
//! goes through.

use cotangent_analysis::constraints;
use cotangent_compile::Engine;
use cotangent_dynamics::{Advance, Measure};
use cotangent_expr::{Array, Expr, Layout, Role, Tensor, Term};
use cotangent_integrate::Method;
use cotangent_lab::Pendulum;
use cotangent_model::{Dynamics, System};
use cotangent_problem::{Instance, Model, Repairs};
use cotangent_scalar::Limits;
use cotangent_theory::{Formulation, Law, Lift, Motion, Space, Structure, VectorField};
use std::sync::Arc;

fn parse(text: &str) -> System {
    System::parse(text).unwrap()
}

fn posed(system: &System, motion: Motion) -> Instance {
    let model = Arc::new(Model::new(system, &Limits::default()));
    Arc::new(model.compile(motion, Engine::Best).unwrap()).instance(&[], Repairs::default()).unwrap()
}

/// The state of the equations and of the model after some steps, with the energy and the residuals of the model.
fn walked(problem: &Instance, method: Method, h: f64, steps: u64) -> (Vec<f64>, Vec<f64>, f64, Vec<f64>) {
    let prepared = problem.prepare(method).unwrap();
    let mut integrator = problem.integrator(&prepared).unwrap();
    let mut state = integrator.state(problem.start.clone());
    integrator.advance(&mut state, h, steps).unwrap();
    let mut diagnostics = problem.diagnostics().unwrap();
    let mut model = vec![0.0; problem.equations.motion.system.state().len()];
    diagnostics.model_state(&state.values, &mut model).unwrap();
    let kept = diagnostics.kept(&state.values).unwrap();
    (state.values.clone(), model, kept.energy, kept.constraints.clone())
}

fn scalar(a: &Array) -> Expr {
    Expr::at(a, vec![])
}

/// A vector over arrays of one entry each.
fn vector(entries: &[(Array, Expr)]) -> Tensor {
    let layout = Layout::new(entries.iter().map(|(a, _)| a.clone()).collect());
    let term = |(a, value): &(Array, Expr)| {
        Term::plain(vec![cotangent_expr::Place { array: a.clone(), index: vec![] }], value.clone())
    };
    Tensor::new(vec![layout], entries.iter().map(term).collect()).unwrap()
}

/// A bead on the parabola y = x², as a Poisson model with a constraint, in the two variables x and p_x that are left:
/// y = x² and p_y = 2 x p_x are functions of them. The same bead in one coordinate is an independent reference.
#[test]
fn a_constrained_poisson_model_is_reduced_to_fewer_variables() {
    let bead = parse(
        "param g = 2\nvariables x, y, u, v\nbracket {x, u} = 1, {y, v} = 1\nhamiltonian (u^2 + v^2)/2 + g*y\n\
         constraint wire: y = x^2\ninitial x = 0.5, y = 0.25, u = 0.3, v = 0.3\n",
    );
    let full = constraints(&bead).unwrap().motion(&bead, &Limits::default()).unwrap();
    let [x, y, u, v] = ["x", "y", "u", "v"].map(|name| full.state.find(name).unwrap().clone());
    let defined = |name: &str, value: Expr| Array::defined(name, vec![], Tensor::scalar(value).unwrap());
    let arrays = vec![
        (y.clone(), defined("slaved y", scalar(&x) * scalar(&x))),
        (v.clone(), defined("slaved v", Expr::from(2) * scalar(&x) * scalar(&u))),
    ];
    let lift = Lift { arrays, restriction: None };
    let state = Layout::new(vec![x, u]);
    // The rates of x and u under the Dirac bracket, with y and v put in.
    let kept = |t: &&Term| state.offset(&t.at[0].array).is_some();
    let terms = full.field().unwrap().rate.terms().iter().filter(kept).cloned().collect();
    let rate = Tensor::new(vec![state.clone()], terms).unwrap();
    let mut motion = Motion { state: state.clone(), lift, space: Space::Whole, ..full };
    let rate = motion.at_state(&rate).unwrap();
    motion.law = Law::Field { field: VectorField { state, rate }, canonical: false };

    let reduced = posed(&bead, motion);
    assert_eq!(reduced.start, [0.5, 0.3]);
    let (state, model, energy, residuals) = walked(&reduced, Method::Gauss { stages: 4 }, 0.02, 100);
    let one = parse("param g = 2\ncoord x\nlagrangian (1 + 4*x^2)*x'^2/2 - g*x^2\ninitial x = 0.5, x' = 0.3\n");
    let one = Instance::new(&one, Formulation::Multipliers, &[], Repairs::default(), Engine::Best).unwrap();
    let (reference, ..) = walked(&one, Method::Dop853 { tolerance: Some(1e-14) }, 0.02, 100);
    let velocity = reference[1] / (1.0 + 4.0 * reference[0] * reference[0]);
    assert!((state[0] - reference[0]).abs() < 1e-12 && (state[1] - velocity).abs() < 1e-12, "{state:?} {reference:?}");
    assert_eq!(model, [state[0], state[0] * state[0], state[1], 2.0 * state[0] * state[1]]);
    let initial = (0.09 + 0.09) / 2.0 + 2.0 * 0.25;
    assert!((energy - initial).abs() < 1e-13 && residuals.iter().all(|r| r.abs() < 1e-15), "{energy} {residuals:?}");
}

/// Time as a coordinate, with the conjugate momentum p_t = −H: the flow of K = Γ(q)(H + p_t) is that of H in a time of
/// which Γ dτ passes.
fn lapse(system: &System, gamma: &Expr) -> Motion {
    let model = Structure::new(system).unwrap().system;
    let Dynamics::Hamiltonian { coordinates, momenta, hamiltonian } = &model.dynamics else { panic!("canonical") };
    let t = Array::scalar("t", Role::Coordinate);
    let p_t = Array::scalar("p_t", Role::Momentum);
    let together = |own: &Layout, other: &Array| own.then(&Layout::new(vec![other.clone()]));
    let energy = hamiltonian.plus(&Tensor::scalar(scalar(&p_t)).unwrap()).unwrap().times(gamma);
    let extended = System {
        dynamics: Dynamics::Hamiltonian {
            coordinates: together(coordinates, &t),
            momenta: together(momenta, &p_t),
            hamiltonian: energy,
        },
        ..model.clone()
    };
    let structure = Structure::new(&extended).unwrap();
    let state = structure.state();
    let own = |a: &Array| (a.clone(), scalar(a));
    let value = hamiltonian.terms().iter().map(|t| t.value.clone());
    let mut entries: Vec<(Array, Expr)> = coordinates.arrays().iter().map(own).collect();
    entries.push((t, Expr::zero()));
    entries.extend(momenta.arrays().iter().map(own));
    entries.push((p_t, -Expr::sum(value)));
    Motion {
        system: model,
        formulation: Formulation::Multipliers,
        space: Space::Cotangent(Box::new(structure)),
        law: Law::IndexThree,
        velocity: None,
        lift: Lift { arrays: vec![], restriction: Some(vector(&entries)) },
        state,
        numbers: Layout::default(),
        auxiliaries: vec![],
        lapse: None,
        limits: Limits::default(),
    }
}

#[test]
fn time_in_the_state_runs_at_a_pace_of_its_own_and_the_constraints_are_kept() {
    let pendulum = parse(
        "param g = 1\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + g*y\nconstraint rod: (x^2 + y^2 - 1)/2 = 0\n\
         initial x = 1, p_y = -2\n",
    );
    let y = pendulum.state().find("y").unwrap().clone();
    // Slow at the bottom, fast at the top: from 1/2 to 5/2.
    let gamma = Expr::from(3) / Expr::from(2) + scalar(&y);
    let problem = posed(&pendulum, lapse(&pendulum, &gamma));
    assert_eq!(problem.start, [1.0, 0.0, 0.0, 0.0, -2.0, -2.0]);
    let exact = Pendulum::new(1.0, [1.0, 0.0], [0.0, -2.0]).unwrap();
    let mut errors = vec![];
    for steps in [200u64, 400, 800] {
        let (state, model, energy, residuals) = walked(&problem, Method::Rattle, 4.0 / steps as f64, steps);
        let [x, y, t, p_x, p_y, p_t] = state[..] else { panic!("six variables") };
        assert_eq!(model, [x, y, p_x, p_y]);
        // The time is another one than the parameter, and the state is that at the time it says.
        assert!((t - 4.0).abs() > 0.1, "{t}");
        let there = exact.at(t);
        errors.push((x - there.position[0]).hypot(y - there.position[1]));
        // p_t is a cyclic variable's momentum: constant. K = 0 nearly, so that H is.
        assert_eq!(p_t, -2.0);
        assert!((energy - 2.0).abs() < 1e-2 && residuals.iter().all(|r| r.abs() < 1e-15), "{energy} {residuals:?}");
    }
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((order - 2.0).abs() < 0.05, "{errors:?}");
    }
}
