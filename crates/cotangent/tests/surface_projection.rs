//! Projections onto the constraints that Dirac's analysis found.

mod common;

use common::run_in;
use cotangent::dynamics::{Advance, Measure};
use cotangent::integrate::{Projection, Recipe, Refusal, Target};
use cotangent::lab::Pendulum;
use cotangent::problem::pose;
use cotangent::{Engine, Formulation, Instance, Method, Repairs, System};

const BOTH: Option<Projection> = Some(Projection { target: Target::Both, above: None });

fn posed(text: &str) -> Instance {
    let system = System::parse(text).unwrap_or_else(|d| panic!("{d}"));
    let repairs = Repairs { project_initial: true, drop_redundant: false };
    pose(&system, Formulation::HamiltonDirac, &[], repairs, Engine::Best).unwrap_or_else(|e| panic!("{e}"))
}

/// The state after so many steps of the classical Runge–Kutta method, and how often it was projected.
fn walk(problem: &Instance, projection: Option<Projection>, h: f64, steps: u64) -> (Vec<f64>, u64) {
    let prepared = problem.prepare(Recipe::from(Method::Rk4).projected(projection)).unwrap();
    let mut integrator = problem.integrator(&prepared).unwrap();
    let mut state = integrator.state(problem.start.clone());
    integrator.advance(&mut state, h, steps).unwrap_or_else(|(_, e)| panic!("{e}"));
    let count = prepared.projections(&state.memory).map_or(0, |[count, _]| count);
    (state.values, count)
}

/// The largest constraint, of all generations.
fn residual(problem: &Instance, state: &[f64]) -> f64 {
    let mut diagnostics = problem.diagnostics().unwrap();
    let kept = diagnostics.kept(state).unwrap();
    kept.constraints.iter().chain(&kept.hidden_constraints).fold(0.0, |m, r| r.abs().max(m))
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

const LAMBDA: &str = "param g = 1\ncoord x, y, lambda\n\
    lagrangian (x'^2 + y'^2)/2 - g*y - lambda*(x^2 + y^2 - 1)/2\ninitial x = 1, y' = -2\n";

/// Four generations are kept to round-off, and the method keeps its order against the closed form.
#[test]
fn every_generation_is_kept_and_so_is_the_order() {
    let problem = posed(LAMBDA);
    let exact = Pendulum::new(1.0, [1.0, 0.0], [0.0, -2.0]).unwrap().at(4.0);
    let ([x, y], [vx, vy]) = (exact.position, exact.velocity);
    let exact = [x, y, vx * vx + vy * vy - y, vx, vy, 0.0];
    let error = |steps: u64| {
        let (state, count) = walk(&problem, BOTH, 4.0 / steps as f64, steps);
        assert_eq!(count, steps);
        assert!(residual(&problem, &state) < 1e-14);
        distance(&state, &exact)
    };
    let (coarse, fine) = (error(200), error(400));
    assert!((coarse / fine).log2() > 3.8, "{coarse:e} {fine:e}");
    assert!(residual(&problem, &walk(&problem, None, 0.02, 200).0) > 1e-8);
}

/// The displacement is a combination of the Hamiltonian vector fields of the constraints
/// p_λ, (x² + y² − 1)/2, x p_x + y p_y and p² − g y − λ(x² + y²), taken by hand.
#[test]
fn the_displacement_is_symplectically_orthogonal_to_the_surface() {
    let problem = posed(LAMBDA);
    let h = 0.3;
    let (off, on) = (walk(&problem, None, h, 1).0, walk(&problem, BOTH, h, 1).0);
    let mut rest: Vec<f64> = on.iter().zip(&off).map(|(a, b)| a - b).collect();
    let size = rest.iter().map(|d| d * d).sum::<f64>().sqrt();
    assert!(size > 1e-3);
    let [x, y, l, px, py, _] = off[..] else { panic!("{off:?}") };
    let mut fields = [
        [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, -x, -y, 0.0],
        [x, y, 0.0, -px, -py, 0.0],
        [2.0 * px, 2.0 * py, 0.0, 2.0 * l * x, 1.0 + 2.0 * l * y, x * x + y * y],
    ];
    // What is left of it beside their span, by Gram and Schmidt.
    for k in 0..fields.len() {
        let unit = fields[k];
        let norm = unit.iter().map(|u| u * u).sum::<f64>();
        let without = |v: &mut [f64]| {
            let part = v.iter().zip(&unit).map(|(v, u)| v * u).sum::<f64>() / norm;
            v.iter_mut().zip(&unit).for_each(|(v, u)| *v -= part * u);
        };
        fields[k + 1..].iter_mut().for_each(|f| without(f));
        without(&mut rest);
    }
    let left = rest.iter().map(|d| d * d).sum::<f64>().sqrt();
    assert!(left < 1e-13 * size.max(1.0), "{left:e} of {size:e}");
}

/// A particle in a strong field that varies: p_y = x + x³/3, p_x = 0.
#[test]
fn landau_particle_in_a_field_that_varies() {
    let problem = posed("coord x, y\nlagrangian (x + x^3/3)*y' - (x^2 + y^2)/2\ninitial x = 1, y = 1/5\n");
    let fine = walk(&problem, None, 1e-3, 10_000).0;
    let (state, _) = walk(&problem, BOTH, 0.05, 200);
    assert!(residual(&problem, &state) < 1e-15);
    assert!(residual(&problem, &walk(&problem, None, 0.05, 200).0) > 1e-10);
    assert!(distance(&state, &fine) < 1e-6, "{state:?} {fine:?}");
    assert!(((state[0].powi(2) + state[1].powi(2)) / 2.0 - 0.52).abs() < 1e-7);
}

/// With a gauge fixed, only what is gauge moves: r and p_r are those of r'' = −r whether it is projected or not.
#[test]
fn a_gauge_is_restored_by_gauge_transformations() {
    let problem = posed(
        "coord r, theta, xi\nlagrangian r'^2/2 + r^2*(theta' - xi)^2/2 - r^2/2\ngauge angle: theta - r^2/4 = 0\n\
         gauge frame: xi - r*p_r/2 = 0\ninitial r = 1, p_r = 1/2, theta = 1/4, xi = 1/4\n",
    );
    let ((off, _), (on, _)) = (walk(&problem, None, 0.05, 100), walk(&problem, BOTH, 0.05, 100));
    assert!(residual(&problem, &off) > 1e-9 && residual(&problem, &on) < 1e-15);
    assert!((on[0] - off[0]).abs() < 1e-14 && (on[3] - off[3]).abs() < 1e-14, "{on:?} {off:?}");
    let t = 5.0f64;
    assert!((on[0] - (t.cos() + 0.5 * t.sin())).abs() < 1e-6);
}

const TOP: &str = "param I1 = 2, I2 = 1, I3 = 3/2\nvariables y1, y2, y3, z1, z2, z3\n\
    bracket {y1, y2} = -y3, {y2, y3} = -y1, {y3, y1} = -y2, {y1, z2} = -z3, {y2, z1} = z3, {y2, z3} = -z1, \
    {y3, z2} = z1, {y3, z1} = -z2, {y1, z3} = z2\n\
    hamiltonian y1^2/(2*I1) + y2^2/(2*I2) + y3^2/(2*I3) + z3\nconstraint plane: z1 - z2*z3/3 = 0\n\
    initial y1 = 1, z2 = 0.6, z3 = 0.8\n";

/// A heavy rigid body held by a constraint: along Hamiltonian vector fields its Casimirs change only by the
/// square of the displacement.
#[test]
fn casimirs_of_a_rigid_body_do_not_notice() {
    let problem = posed(TOP);
    let casimirs = |s: &[f64]| {
        let [y1, y2, y3, z1, z2, z3] = s[..] else { panic!("{s:?}") };
        [z1 * z1 + z2 * z2 + z3 * z3, y1 * z1 + y2 * z2 + y3 * z3]
    };
    let (off, on) = (walk(&problem, None, 0.5, 1).0, walk(&problem, BOTH, 0.5, 1).0);
    let moved = distance(&off, &on);
    assert!(moved > 1e-6 && residual(&problem, &on) < 1e-15, "{moved:e}");
    assert!(distance(&casimirs(&off), &casimirs(&on)) < 10.0 * moved * moved + 1e-15);
    let (off, on) = (walk(&problem, None, 0.05, 100).0, walk(&problem, BOTH, 0.05, 100).0);
    assert!(residual(&problem, &off) > 1e-9 && residual(&problem, &on) < 1e-15);
    assert!(distance(&casimirs(&off), &casimirs(&on)) < 1e-13);
}

/// A constraint that is a Casimir itself moves nothing; the state is brought back along its gradient.
#[test]
fn a_casimir_as_a_constraint() {
    let problem = posed(
        "variables y1, y2, y3\nbracket {y1, y2} = -y3, {y2, y3} = -y1, {y3, y1} = -y2\n\
         hamiltonian y1^2/4 + y2^2/2 + 3*y3^2/4\nconstraint ball: y1^2 + y2^2 + y3^2 = 1\n\
         initial y1 = 0.48, y2 = 0.6, y3 = 0.64\n",
    );
    let ((off, _), (on, _)) = (walk(&problem, None, 0.1, 200), walk(&problem, BOTH, 0.1, 200));
    assert!(residual(&problem, &off) > 1e-8 && residual(&problem, &on) < 1e-15);
    assert!(distance(&off, &on) < 1e-4);
}

#[test]
fn a_threshold_saves_projections() {
    let problem = posed(LAMBDA);
    let above = Some(Projection { target: Target::Both, above: Some(1e-6) });
    let (state, count) = walk(&problem, above, 0.05, 200);
    assert!(residual(&problem, &state) <= 1e-6);
    assert!((1..200).contains(&count), "{count}");
}

#[test]
fn positions_and_momenta_do_not_come_apart() {
    let problem = posed(LAMBDA);
    for target in [Target::Position, Target::Momentum, Target::Symmetric] {
        let refused = problem.prepare(Recipe::from(Method::Rk4).projected(Projection { target, above: None }));
        assert_eq!(refused.err(), Some(Refusal::NotSeparately { target }));
    }
    let folder = tempfile::tempdir().unwrap();
    let run = ["run", "landau", "--formulation", "hamilton-dirac", "--until", "1", "--project"];
    let said = |target: &str| run_in(folder.path(), &[&run[..], &[target, "--json"]].concat(), b"").json();
    assert_eq!(said("momentum")["error"]["code"], "not-separately");
    let done = said("both");
    assert_eq!(done["work"]["projections"], done["steps"]);
}
