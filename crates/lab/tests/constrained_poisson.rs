//! Poisson systems with constraints: Dirac's bracket, the formulations that keep some of the variables, springs, and
//! Reich's method, against closed forms and solutions that are written out here.

use cotangent_compile::Engine;
use cotangent_dynamics::{Advance, Branch, Measure};
use cotangent_integrate::{Composition, Inner, Method, Recipe};
use cotangent_lab::certificate::{Certificate, Finding, Options};
use cotangent_lab::{Pendulum, Reference};
use cotangent_model::System;
use cotangent_problem::{Diagnostics, Instance, Model, PoseError, ProblemError, Repairs};
use cotangent_scalar::{Dd, Limits, Real};
use cotangent_theory::Formulation::{
    self, DiracBracket, DiracCoordinates, HamiltonDirac, IndexReduced, Penalty, Projected, ProjectedInverse, Slaved,
};
use cotangent_theory::TheoryError;
use std::sync::Arc;

/// The variables of Lorenz's model and a start on x4 = x5 with its time derivative.
const BALANCED: &str = include_str!("../../../models/lorenz-86-balanced.cot");
const START: &str = "initial x1 = 1.30000359782330158, x2 = 0.599992204654753451, x3 = 1, \
    x4 = -0.0116998803707567124, x5 = -0.0116998803707567124";

/// At t = 25, from the motion of one angle: th'(1 + kappa cos 2th) = x3, x3' = -(r^2/2) sin 2th.
const BALANCED_25: [f64; 5] =
    [1.427199132358605, 0.1144667488611696, -1.160667813599712, -0.002450502669878574, -0.002450502669878574];

fn balanced() -> String {
    let line = "initial x1 = 1.3, x2 = 0.6, x3 = 1, x4 = -epsilon*b*0.39, x5 = -epsilon*b*0.39";
    assert!(BALANCED.contains(line));
    BALANCED.replace(line, START)
}

fn keeping(text: &str, formulation: Formulation, chart: &[&str]) -> Result<Instance, PoseError> {
    let system = System::parse(text).unwrap_or_else(|e| panic!("{e:?}"));
    let charts = if chart.is_empty() { vec![] } else { vec![chart.iter().map(|c| (*c).to_owned()).collect()] };
    let model = Arc::new(Model::new(&system, &Limits::default()).keeping(charts));
    model.pose(formulation, &[], Repairs::default(), Engine::Best)
}

fn posed(text: &str, formulation: Formulation) -> Instance {
    keeping(text, formulation, &[]).unwrap_or_else(|e| panic!("{}: {e}", formulation.name()))
}

/// The variables of the model after some steps, with the largest constraint, hidden constraint and change of the first
/// claim on the way.
struct Walked {
    state: Vec<f64>,
    constraint: f64,
    hidden: f64,
    claim: f64,
    energy: f64,
}

fn walked(problem: &Instance, recipe: impl Into<Recipe>, h: f64, steps: u64) -> Walked {
    let prepared = problem.prepare(recipe).unwrap();
    let mut integrator = problem.integrator(&prepared).unwrap();
    let mut state = integrator.state(problem.start.clone());
    let mut diagnostics = problem.diagnostics().unwrap();
    let start = diagnostics.kept(&state.values).unwrap().clone();
    let largest = |list: &[f64]| list.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let mut found = Walked { state: vec![], constraint: 0.0, hidden: 0.0, claim: 0.0, energy: 0.0 };
    for _ in 0..steps {
        integrator.advance(&mut state, h, 1).unwrap();
        let now = diagnostics.kept(&state.values).unwrap();
        found.constraint = found.constraint.max(largest(&now.constraints));
        found.hidden = found.hidden.max(largest(&now.hidden_constraints));
        found.energy = found.energy.max((now.energy - start.energy).abs());
        if let (Some(a), Some(b)) = (now.claims.first(), start.claims.first()) {
            found.claim = found.claim.max((a / b - 1.0).abs());
        }
    }
    found.state = vec![0.0; problem.equations.motion.system.state().len()];
    diagnostics.model_state(&state.values, &mut found.state).unwrap();
    found
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
}

const STRANG: Method = Method::Reich { inner: Inner::SplittingStrang };

#[test]
fn reich_s_method_keeps_the_balance_of_lorenz_s_model() {
    let lorenz = posed(&balanced(), DiracBracket);
    let coarse = walked(&lorenz, STRANG, 5e-4, 50_000);
    let fine = walked(&lorenz, STRANG, 2.5e-4, 100_000);
    let errors = [&coarse, &fine].map(|w| distance(&w.state, &BALANCED_25));
    assert!(errors[1] < 1e-7, "{errors:?}");
    assert!((errors[0] / errors[1] - 4.0).abs() < 0.05, "{errors:?}");
    assert!(fine.constraint < 1e-16 && fine.hidden < 1e-12 && fine.claim < 1e-12, "{:e}", fine.hidden);
    // Of order 1 with the flows one after the other: an independent measurement of x2 with h = 2.5e-4.
    let lie = walked(&lorenz, Method::Reich { inner: Inner::SplittingLie }, 2.5e-4, 100_000);
    assert!((lie.state[1] - 0.111845400567).abs() < 1e-9, "{:?}", lie.state);
    // Of order 6 by composition.
    let high = || Recipe::from(STRANG).composed(Composition::KahanLi6);
    let error = |h: f64, steps| distance(&walked(&lorenz, high(), h, steps).state, &BALANCED_25);
    let (coarse, fine) = (error(0.01, 2500), error(0.005, 5000));
    assert!(fine < 1e-8 && (coarse / fine).log2() > 5.5, "{coarse:e} {fine:e}");
}

#[test]
fn reich_s_method_is_a_poisson_map_for_dirac_s_bracket() {
    let lorenz = posed(&balanced(), DiracBracket);
    for (method, claimed) in [(STRANG, true), (Method::Reich { inner: Inner::ImplicitMidpoint }, false)] {
        let prepared = lorenz.prepare(method).unwrap();
        let certificate = Certificate::new(&lorenz, &prepared, Options { step: 0.005, steps: 200 }).unwrap();
        let defect = &certificate.poisson_defect;
        assert_eq!((defect.claimed, defect.held), (claimed, Some(claimed)), "{defect:?}");
        let Finding::Measured(value) = defect.found else { panic!("{defect:?}") };
        assert_eq!(value < 1e-20, claimed, "{value:e}");
        assert!(claimed || value > 1e-12, "{value:e}");
        assert_eq!((certificate.order.claimed, certificate.order.held), (2, Some(true)), "{:?}", certificate.order);
        for keeps in [&certificate.constraint_defect, &certificate.hidden_constraint_defect] {
            assert_eq!((keeps.claimed, keeps.held), (true, Some(true)), "{keeps:?}");
        }
    }
}

/// RATTLE for H = T + V is Reich's method with the flows of V and T: a chain of three rods as a Poisson model.
#[test]
fn on_a_canonical_bracket_it_is_rattle() {
    let constraints = "constraint a: x1^2 + y1^2 = 1\nconstraint b: (x2 - x1)^2 + (y2 - y1)^2 = 1\n\
        constraint c: (x3 - x2)^2 + (y3 - y2)^2 = 1\n";
    let energy = "(u1^2 + v1^2)/2 + (u2^2 + v2^2)/4 + (u3^2 + v3^2)/6";
    let weight = "y1 + 2*y2 + 3*y3";
    let start = "x1 = 1, x2 = 1, y2 = 1, x3 = 2, y3 = 1";
    let poisson = format!(
        "variables x1, y1, x2, y2, x3, y3, u1, v1, u2, v2, u3, v3\n\
         bracket {{x1, u1}} = 1, {{y1, v1}} = 1, {{x2, u2}} = 1, {{y2, v2}} = 1, {{x3, u3}} = 1, {{y3, v3}} = 1\n\
         hamiltonian {energy} + {weight}\nsplit weight = {weight}, motion = {energy}\n{constraints}initial {start}, v1 = 0.3, v2 = 0.6, v3 = 0.9\n"
    );
    let canonical = format!(
        "coord x1, y1, x2, y2, x3, y3\nlagrangian (x1'^2 + y1'^2)/2 + (x2'^2 + y2'^2) + 3*(x3'^2 + y3'^2)/2 - ({weight})\n\
         {constraints}initial {start}, y1' = 0.3, y2' = 0.3, y3' = 0.3\n"
    );
    let own = walked(&posed(&poisson, DiracBracket), STRANG, 0.01, 300);
    let rattle = walked(&posed(&canonical, Formulation::Multipliers), Method::Rattle, 0.01, 300);
    assert!(distance(&own.state, &rattle.state) < 1e-11, "{:e}", distance(&own.state, &rattle.state));
    assert!(own.constraint < 1e-14 && own.hidden < 1e-13, "{:e} {:e}", own.constraint, own.hidden);
}

/// Lorenz's model with x3 and x5 as linear functions of the others.
fn two(a: [f64; 3], c: [f64; 3]) -> String {
    let [a1, a2, a3] = a;
    let [c1, c2, c3] = c;
    let (x1, x2, x4) = (1.3, 0.6, -0.0115);
    let (x3, x5) = (-(a1 * x1 + a2 * x2 + a3 * x4), -(c1 * x1 + c2 * x2 + c3 * x4));
    format!(
        "param b = 3, epsilon > 0 = 0.01\nvariables x1, x2, x3, x4, x5\nbracket {{x1, x3}} = -x2, {{x2, x3}} = x1\n\
         bracket {{x1, x5}} = b*x2, {{x2, x5}} = -b*x1, {{x4, x5}} = -1/epsilon\n\
         hamiltonian (x1^2 + 2*x2^2 + x3^2 + x4^2 + x5^2)/2\ncasimir enstrophy = (x1^2 + x2^2)/2\n\
         constraint g1: x3 + ({a1})*x1 + ({a2})*x2 + ({a3})*x4 = 0\n\
         constraint g2: x5 + ({c1})*x1 + ({c2})*x2 + ({c3})*x4 = 0\n\
         initial x1 = {x1}, x2 = {x2}, x3 = {x3}, x4 = {x4}, x5 = {x5}\n"
    )
}

/// x' = B(grad H + G^T lambda), (G B G^T) lambda = -G B grad H, written out for two constraints.
fn with_multipliers(a: [f64; 3], c: [f64; 3], z: [Dd; 5]) -> [Dd; 5] {
    let d = Dd::from;
    let (b, frequency) = (d(3.0), d(1.0) / d(0.01));
    let [x1, x2, x3, x4, x5] = z;
    let zero = d(0.0);
    let bracket = [
        [zero, zero, -x2, zero, b * x2],
        [zero, zero, x1, zero, -b * x1],
        [x2, -x1, zero, zero, zero],
        [zero, zero, zero, zero, -frequency],
        [-b * x2, b * x1, zero, frequency, zero],
    ];
    let times =
        |v: [Dd; 5]| -> [Dd; 5] { std::array::from_fn(|i| (0..5).fold(zero, |sum, j| sum + bracket[i][j] * v[j])) };
    let dot = |v: [Dd; 5], w: [Dd; 5]| (0..5).fold(zero, |sum, k| sum + v[k] * w[k]);
    let slope = [x1, d(2.0) * x2, x3, x4, x5];
    let g1 = [d(a[0]), d(a[1]), d(1.0), d(a[2]), zero];
    let g2 = [d(c[0]), d(c[1]), zero, d(c[2]), d(1.0)];
    let pair = dot(g1, times(g2));
    let free = times(slope);
    // [0, pair; -pair, 0] lambda = -(g1 B H', g2 B H')
    let (l2, l1) = (-dot(g1, free) / pair, dot(g2, free) / pair);
    times(std::array::from_fn(|k| slope[k] + g1[k] * l1 + g2[k] * l2))
}

#[test]
fn two_constraints_move_lorenz_s_model_in_every_formulation_as_multipliers_do() {
    let sets = [
        ([0.3, -0.2, 0.5], [0.1, 0.4, -0.3]),
        ([0.0, 0.0, 1.0], [0.0, 0.0, 0.0]),
        ([1.0, 2.0, -0.5], [-1.5, 0.5, 2.0]),
        ([-0.7, 0.9, 1.3], [2.1, -1.1, 0.6]),
    ];
    for (a, c) in sets {
        let text = two(a, c);
        let whole = posed(&text, DiracBracket);
        let mut z: Vec<Dd> = whole.start.iter().map(|&z| Dd::from(z)).collect();
        let mut rates = |z: &[Dd], out: &mut [Dd]| {
            out.copy_from_slice(&with_multipliers(a, c, std::array::from_fn(|k| z[k])));
            Ok::<(), std::convert::Infallible>(())
        };
        let t = 2.0;
        Reference::new(1e-22).in_blocks(5).solve(&mut rates, &mut z, Dd::from(t)).unwrap();
        let exact: Vec<f64> = z.iter().map(|z| z.value()).collect();
        assert!(distance(&exact, &whole.start) > 1e-3, "it moves: {exact:?}");
        for formulation in [DiracBracket, HamiltonDirac, Slaved, DiracCoordinates, IndexReduced] {
            let problem = posed(&text, formulation);
            assert_eq!(problem.start.len(), if formulation.keeps_some() { 3 } else { 5 });
            let found = walked(&problem, Method::Gauss { stages: 5 }, 0.002, 1000);
            let error = distance(&found.state, &exact);
            assert!(error < 1e-9, "{}: {error:e} {:?} {exact:?}", formulation.name(), found.state);
            assert!(found.constraint < 1e-12 && found.claim < 1e-12 && found.energy < 1e-10, "{}", formulation.name());
        }
        // Other variables to keep.
        let other = keeping(&text, Slaved, &["x2", "x3", "x5"]);
        if let Ok(other) = other {
            let found = walked(&other, Method::Gauss { stages: 5 }, 0.002, 1000);
            assert!(distance(&found.state, &exact) < 1e-9, "{:e}", distance(&found.state, &exact));
        }
        // Conserves the energy, and goes elsewhere.
        let found = walked(&posed(&text, Projected), Method::Gauss { stages: 5 }, 0.002, 1000);
        assert!(found.energy < 1e-10 && distance(&found.state, &exact) > 1e-3, "{:?}", found.state);
        // B has rank 4 of 5.
        let refused = keeping(&text, ProjectedInverse, &[]);
        assert!(matches!(refused, Err(PoseError::Problem(ProblemError::Theory(TheoryError::Unfit { .. })))));
    }
}

/// A pendulum as a Poisson model: B has an inverse, the constraint is not linear in any variable.
#[test]
fn variables_that_follow_from_equations_that_are_not_linear_are_found() {
    let text = "param g = 1\nvariables x, y, u, v\nbracket {x, u} = 1, {y, v} = 1\nhamiltonian (u^2 + v^2)/2 + g*y\n\
        constraint rod: x^2 + y^2 = 1\ninitial x = 0.6, y = -0.8, u = 0.4, v = 0.3\n";
    let exact = Pendulum::new(1.0, [0.6, -0.8], [0.4, 0.3]).unwrap().at(3.0);
    let exact = [exact.position[0], exact.position[1], exact.velocity[0], exact.velocity[1]];
    for formulation in [DiracBracket, Slaved, DiracCoordinates, ProjectedInverse, IndexReduced] {
        let chart: &[&str] = if formulation.keeps_some() { &["x", "u"] } else { &[] };
        let problem = keeping(text, formulation, chart).unwrap_or_else(|e| panic!("{e}"));
        let found = walked(&problem, Method::Gauss { stages: 4 }, 0.01, 300);
        assert!(distance(&found.state, &exact) < 1e-11, "{}: {:?} {exact:?}", formulation.name(), found.state);
    }
}

/// Springs: independent measurements of max |g| on [0, 1] and of the error at 1.
#[test]
fn springs_hold_the_balance_as_far_as_they_are_stiff() {
    let exact =
        [0.8310864014934276, 1.165888242179629, 0.02337807904049973, -0.01453430795604849, -0.01453430795604849];
    for (epsilon, largest, error) in [(1e-1, 2.5968e-3, 1.220e-3), (1e-2, 2.7134e-4, 7.65e-4)] {
        let problem = posed(&balanced(), Penalty { epsilon });
        let found = walked(&problem, Method::Gauss { stages: 4 }, 2e-4, 5000);
        assert!((found.constraint / largest - 1.0).abs() < 1e-2, "{:e}", found.constraint);
        assert!((distance(&found.state, &exact) / error - 1.0).abs() < 2e-2, "{:e}", distance(&found.state, &exact));
        assert!(found.claim < 1e-12);
    }
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let text = two([0.3, -0.2, 0.5], [0.1, 0.4, -0.3]);
    let refused = |chart: &[&str]| keeping(&text, Slaved, chart).err().map(|e| e.to_string()).unwrap_or_default();
    assert_eq!(refused(&["x1", "x9", "x4"]), "there is no variable `x9`");
    assert_eq!(refused(&["x1", "x2"]), "2 variables are named to be kept, and the constraints leave 3");
    // x1 and x2 do not follow from the others: with these coefficients the constraints do not contain them.
    let flat = two([0.0, 0.0, 1.0], [0.0, 0.0, 2.0]);
    let error = keeping(&flat, Slaved, &["x3", "x4", "x5"]).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(error.starts_with("the constraints do not determine x1, x2 as functions of the others"), "{error}");
    // Two constraints that do not commute are Casimirs of Dirac's bracket, and nothing is left.
    let problem = posed(&text, DiracBracket);
    let error = problem.prepare(STRANG).unwrap_err().to_string();
    assert!(error.contains("nothing is left to be held by a flow"), "{error}");
    let euler = Method::Reich { inner: Inner::StormerVerlet };
    assert!(problem.prepare(euler).unwrap_err().to_string().contains("canonical equations"));
    // Gauss methods do not keep what is not quadratic.
    let cubic = mixed("x^3/3", "x^2*u").replace("u = 0.4, v = 0.3", "z = 0.072, u = 0.4, v = 0.3, w = 0.144");
    let error = posed(&cubic, DiracBracket).prepare(MIDPOINT).unwrap_err().to_string();
    assert!(error.starts_with("`implicit-midpoint` does not keep the constraints that do not commute"), "{error}");
    // Nothing is conjugate to a Casimir.
    let error = keeping(&spinning("y1^2 + y2^2 + y3^2"), Slaved, &["y1", "y2"]).unwrap_err().to_string();
    assert!(error.contains("a constraint is a Casimir, which nothing is conjugate to"), "{error}");
}

const MIDPOINT: Method = Method::Reich { inner: Inner::ImplicitMidpoint };

/// A rod in the plane of x and y, and a third coordinate with its momentum that follow from them by z = f and w = u ∂f/∂x: two
/// constraints that do not commute, {z − f, w − u f'} = 1 + f'².
fn mixed(f: &str, product: &str) -> String {
    format!(
        "variables x, y, z, u, v, w\nbracket {{x, u}} = 1, {{y, v}} = 1, {{z, w}} = 1\n\
         hamiltonian (u^2 + v^2 + w^2)/2 + y + z^2\nsplit weight = y + z^2, motion = (u^2 + v^2 + w^2)/2\n\
         constraint rod: x^2 + y^2 = 1\nconstraint height: z = {f}\nconstraint speed: w = {product}\n\
         initial x = 0.6, y = -0.8, u = 0.4, v = 0.3\n"
    )
}

/// With z = kx and w = ku the momentum that is conjugate to x is P = (1 + k²)u, and the energy P²/2(1 + k²) + v²/2 + y + k²x²:
/// with x = cos a, y = sin a the motion of one angle.
#[test]
fn constraints_of_which_some_commute_are_held_after_the_others_are_put_into_the_bracket() {
    let linear = mixed("0.5*x", "0.5*u");
    let start = linear.replace("u = 0.4, v = 0.3", "z = 0.3, u = 0.4, v = 0.3, w = 0.2");
    let problem = posed(&start, DiracBracket);
    // L = (1 + k²sin²a)a'²/2 − sin a − k²cos²a, by the classical method in double-double.
    let k2 = 0.25;
    let rate = |[a, b]: [f64; 2]| {
        let (s, c) = a.sin_cos();
        let force = -c + 2.0 * k2 * c * s - k2 * s * c * b * b;
        [b, force / (1.0 + k2 * s * s)]
    };
    let mut angle = [(-0.8f64).atan2(0.6), 0.5];
    let (h, steps) = (1e-4, 20_000);
    for _ in 0..steps {
        let add = |z: [f64; 2], k: [f64; 2], h: f64| [z[0] + h * k[0], z[1] + h * k[1]];
        let k1 = rate(angle);
        let k2 = rate(add(angle, k1, h / 2.0));
        let k3 = rate(add(angle, k2, h / 2.0));
        let k4 = rate(add(angle, k3, h));
        angle = [0, 1].map(|i| angle[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    let ([s, c], b) = ([angle[0].sin(), angle[0].cos()], angle[1]);
    let exact = [c, s, 0.5 * c, -s * b, c * b, -0.5 * s * b];
    for method in [STRANG, MIDPOINT] {
        let high = |h: f64, steps| walked(&problem, Recipe::from(method).composed(Composition::KahanLi6), h, steps);
        let found = high(0.02, 100);
        assert!(distance(&found.state, &exact) < 1e-9, "{method:?} {:?} {exact:?}", found.state);
        assert!(found.constraint < 1e-14 && found.hidden < 1e-13, "{:e} {:e}", found.constraint, found.hidden);
        let errors = [(0.02, 100), (0.01, 200)].map(|(h, n)| distance(&walked(&problem, method, h, n).state, &exact));
        assert!((errors[0] / errors[1] - 4.0).abs() < 0.1, "{errors:?}");
    }
    let prepared = problem.prepare(STRANG).unwrap();
    let certificate = Certificate::new(&problem, &prepared, Options { step: 0.02, steps: 100 }).unwrap();
    assert_eq!((certificate.poisson_defect.claimed, certificate.poisson_defect.held), (true, Some(true)));
    // {z − x²/2, w − xu} = 1 + x² changes along the motion: the same as Dirac's bracket by itself.
    let bent = mixed("x^2/2", "x*u").replace("u = 0.4, v = 0.3", "z = 0.18, u = 0.4, v = 0.3, w = 0.24");
    let problem = posed(&bent, DiracBracket);
    let exact = walked(&problem, Method::Gauss { stages: 4 }, 0.005, 400).state;
    let found = walked(&problem, Recipe::from(MIDPOINT).composed(Composition::KahanLi6), 0.02, 100);
    assert!(distance(&found.state, &exact) < 1e-9, "{:e}", distance(&found.state, &exact));
    assert!(found.constraint < 1e-14 && found.hidden < 1e-13, "{:e} {:e}", found.constraint, found.hidden);
}

/// A free rigid body with a constraint.
fn spinning(constraint: &str) -> String {
    format!(
        "variables y1, y2, y3\nbracket {{y1, y2}} = -y3, {{y2, y3}} = -y1, {{y3, y1}} = -y2\n\
         hamiltonian y1^2/4 + y2^2/2 + 3*y3^2/4\nconstraint spin: {constraint} = 1\ninitial y1 = 0.6, y3 = 0.8\n"
    )
}

/// A constraint that is a Casimir holds by itself: the motion is that without it.
#[test]
fn a_casimir_is_welcome_among_dirac_s_coordinates() {
    let text = spinning("y1^2 + y2^2 + y3^2");
    let free = text.replace("constraint spin: y1^2 + y2^2 + y3^2 = 1\n", "");
    let exact = walked(&posed(&free, Formulation::Multipliers), Method::Gauss { stages: 4 }, 0.01, 100).state;
    for (formulation, chart) in [(DiracBracket, &[][..]), (DiracCoordinates, &["y1", "y2"])] {
        let problem = keeping(&text, formulation, chart).unwrap_or_else(|e| panic!("{e}"));
        let found = walked(&problem, Method::Gauss { stages: 4 }, 0.01, 100).state;
        assert!(distance(&found, &exact) < 1e-12, "{}: {found:?} {exact:?}", formulation.name());
    }
}

/// q1 = 0 with H = p1 p2 + q2²/2 + q2 q3 + (p3² + (1 + w²)q3²)/2: then p2, q2 + q3 and p1 + p3 vanish, one after the other, and
/// q3 is a harmonic oscillator.
#[test]
fn time_derivatives_are_taken_as_often_as_it_needs() {
    let text = "variables q1, q2, q3, p1, p2, p3\nbracket {q1, p1} = 1, {q2, p2} = 1, {q3, p3} = 1\n\
        hamiltonian p1*p2 + q2^2/2 + q2*q3 + (p3^2 + (1 + 4)*q3^2)/2\nconstraint still: q1 = 0\n\
        initial q2 = -1, q3 = 1, p1 = -0.5, p3 = 0.5\n";
    let (s, c) = 4f64.sin_cos();
    let (q, p) = (c + 0.25 * s, -2.0 * s + 0.5 * c);
    let exact = [0.0, -q, q, -p, 0.0, p];
    for formulation in [DiracBracket, IndexReduced, DiracCoordinates] {
        let problem = keeping(text, formulation, &[]).unwrap_or_else(|e| panic!("{}: {e}", formulation.name()));
        let found = walked(&problem, Method::Gauss { stages: 4 }, 0.02, 100);
        assert!(distance(&found.state, &exact) < 1e-12, "{}: {:?} {exact:?}", formulation.name(), found.state);
    }
}

/// q1 = 0 and p2 + p1 q2 = 0 have the bracket q2. With H = s p1 + q2²/2 they leave q2² = 1 − 2st and p1 = 0.3 + t: for s = 1 the
/// motion ends at t = 1/2, where the constraints commute, and a step over that time has no meaning.
#[test]
fn no_step_goes_over_a_point_where_the_brackets_of_the_constraints_are_singular() {
    let text = |s: i32| {
        format!(
            "variables q1, p1, q2, p2\nbracket {{q1, p1}} = 1, {{q2, p2}} = 1\nhamiltonian {s}*p1 + q2^2/2\n\
             constraint a: q1 = 0\nconstraint b: p2 + p1*q2 = 0\ninitial q2 = 1, p1 = 0.3, p2 = -0.3\n"
        )
    };
    let problem = posed(&text(-1), DiracBracket);
    let found = walked(&problem, Method::Gauss { stages: 4 }, 0.01, 100).state;
    assert!(distance(&found, &[0.0, 1.3, 3f64.sqrt(), -1.3 * 3f64.sqrt()]) < 1e-11, "{found:?}");
    let problem = posed(&text(1), DiracBracket);
    for method in [Method::Rk4, Method::ImplicitMidpoint, Method::Gauss { stages: 2 }] {
        for h in [0.3, 0.11, 0.07, 0.013, 0.0021] {
            let prepared = problem.prepare(method).unwrap();
            let mut integrator = problem.integrator(&prepared).unwrap();
            let mut state = integrator.state(problem.start.clone());
            let mut diagnostics = problem.diagnostics().unwrap();
            let mut stopped = None;
            for step in 0..1000 {
                let before = state.values.clone();
                let made = integrator.advance(&mut state, h, 1).is_ok();
                // What goes on all the same leaps in energy, which a run stops at or notes.
                let continues = |diagnostics: &mut Diagnostics| {
                    let seen = diagnostics.conditioning().unwrap().observe([&before, &state.values], Some(h), false);
                    let energies = [&before, &state.values].map(|z| diagnostics.kept(z).unwrap().energy);
                    seen.is_ok_and(|seen| seen.branch == Branch::Kept) && (energies[1] - energies[0]).abs() < 0.01
                };
                if !(made && continues(&mut diagnostics)) {
                    stopped = Some(f64::from(step) * h);
                    break;
                }
            }
            // Where q2² is of the size of the step, a few of them are without any accuracy.
            let stopped = stopped.unwrap_or_else(|| panic!("{method:?} with {h} went on"));
            assert!(stopped > 0.5 - 2.0 * h && stopped < 0.5 + 4.0 * h, "{method:?} with {h}: {stopped}");
        }
    }
}

/// With H = p1²/2 − q2²/2 the bracket q2 obeys q2²/2 = (1 − 2 p t + t²)/2, which comes close to nothing at t = p and grows again.
#[test]
fn constraints_that_nearly_commute_on_the_way_are_noticed() {
    let near = |smallest: f64| {
        let p = (1.0 - smallest * smallest).sqrt();
        let text = format!(
            "variables q1, p1, q2, p2\nbracket {{q1, p1}} = 1, {{q2, p2}} = 1\nhamiltonian p1^2/2 - q2^2/2\n\
             constraint a: q1 = 0\nconstraint b: p2 + p1*q2 = 0\ninitial q2 = 1, p1 = {p:?}, p2 = {:?}\n",
            -p
        );
        let problem = posed(&text, DiracBracket);
        let prepared = problem.prepare(Method::Dop853 { tolerance: Some(1e-12) }).unwrap();
        let mut integrator = problem.integrator(&prepared).unwrap();
        let mut state = integrator.state(problem.start.clone());
        let mut diagnostics = problem.diagnostics().unwrap();
        let mut worst = 0.0f64;
        for _ in 0..200 {
            let before = state.values.clone();
            integrator.advance(&mut state, 0.01, 1).unwrap();
            let seen = diagnostics.conditioning().unwrap().observe([&before, &state.values], None, false).unwrap();
            assert_eq!(seen.branch, Branch::Kept);
            worst = worst.max(seen.condition);
        }
        worst
    };
    for smallest in [0.1, 1e-2, 1e-4] {
        // At the nearest multiple of the step q2² is at most 1e-4/4 larger; the first step ends at q2 = 0.99.
        let exact = 1.0 / smallest;
        let least = 1.0 / (smallest * smallest + 0.25e-4f64).sqrt();
        let worst = near(smallest);
        assert!(worst > 0.98 * least && worst < 1.01 * exact, "{smallest:e}: {worst:e}");
    }
}

/// A pendulum in its height and the rate of that: at the lowest point the surface turns back over them, and x changes its sign.
/// No run comes out on the other branch.
#[test]
fn no_step_goes_over_a_fold_of_what_is_kept() {
    let text = "variables x, y, u, v\nbracket {x, u} = 1, {y, v} = 1\nhamiltonian (u^2 + v^2)/2 + y\n\
        constraint rod: x^2 + y^2 = 1\ninitial x = 0.8, y = -0.6\n";
    let exact = Pendulum::new(1.0, [0.8, -0.6], [0.0, 0.0]).unwrap();
    for formulation in [Slaved, DiracCoordinates, ProjectedInverse] {
        let problem = keeping(text, formulation, &["y", "v"]).unwrap_or_else(|e| panic!("{e}"));
        for (method, h) in [(Method::Gauss { stages: 2 }, 0.1), (Method::Rk4, 0.05), (Method::ImplicitMidpoint, 0.01)] {
            let prepared = problem.prepare(method).unwrap();
            let mut integrator = problem.integrator(&prepared).unwrap();
            let mut state = integrator.state(problem.start.clone());
            let mut diagnostics = problem.diagnostics().unwrap();
            let mut done = 0;
            let mut model = vec![0.0; 4];
            while f64::from(done) * h < 3.0 {
                let before = state.values.clone();
                let made = integrator.advance(&mut state, h, 1).is_ok();
                let ends = [&before[..], &state.values];
                if !made
                    || diagnostics.conditioning().unwrap().observe(ends, Some(h), false).unwrap().branch != Branch::Kept
                {
                    break;
                }
                done += 1;
                diagnostics.model_state(&state.values, &mut model).unwrap();
                let expected = exact.at(f64::from(done) * h).position;
                assert!(
                    (model[0] - expected[0]).abs() < 0.02,
                    "{} {method:?}: {model:?} {expected:?}",
                    formulation.name()
                );
            }
            // It is there at t = 1.66.
            let ended = f64::from(done) * h;
            assert!(ended > 1.66 - 3.5 * h && ended < 1.66 + h, "{} {method:?}: {ended}", formulation.name());
        }
    }
}

/// The reference is in the variables of the model, the method in fewer; `projected` has another motion, and is its own.
#[test]
fn orders_are_certified_in_formulations_that_keep_some_of_the_variables() {
    let pendulum = "param g = 1\nvariables x, y, u, v\nbracket {x, u} = 1, {y, v} = 1\nhamiltonian (u^2 + v^2)/2 + g*y\n\
        constraint rod: x^2 + y^2 = 1\ninitial x = 0.6, y = -0.8, u = 0.4, v = 0.3\n";
    let lorenz = balanced();
    let cases: [(&str, &[&str], &[Formulation], f64); 2] = [
        (pendulum, &["x", "u"], &[Slaved, DiracCoordinates, ProjectedInverse, Projected], 0.05),
        (&lorenz, &[], &[Slaved, DiracCoordinates, Projected], 0.05),
    ];
    for (text, chart, formulations, step) in cases {
        for &formulation in formulations {
            let problem = keeping(text, formulation, chart).unwrap_or_else(|e| panic!("{e}"));
            let prepared = problem.prepare(Method::Gauss { stages: 2 }).unwrap();
            let found = Certificate::new(&problem, &prepared, Options { step, steps: 40 }).unwrap();
            let Finding::Measured(order) = &found.order.found else { panic!("{formulation:?}: {:?}", found.order) };
            assert!((order.value - 4.0).abs() < 0.2, "{formulation:?}: {order:?}");
            assert_eq!(found.order.held, Some(true), "{formulation:?}");
            // Those of the variables that follow from the others, to rounding.
            for residual in [&found.constraint_defect, &found.hidden_constraint_defect] {
                let Finding::Measured(size) = residual.found else { panic!("{formulation:?}: {residual:?}") };
                assert!(size < 1e-14, "{formulation:?}: {size:e}");
            }
        }
    }
}

/// {x, u} = 1: the two constraints have no time derivative that is a constraint.
#[test]
fn what_has_no_hidden_constraints_is_not_judged_by_them() {
    let text = "variables x, y, u, v\nbracket {x, u} = 1, {y, v} = 1\nhamiltonian (u^2 + v^2 + y^4)/2 + x*y*v/3\n\
        constraint a: x = y/2\nconstraint b: u = 0.3*v\ninitial x = 0.2, y = 0.4, u = 0.15, v = 0.5\n";
    let problem = posed(text, DiracBracket);
    let prepared = problem.prepare(Method::Gauss { stages: 2 }).unwrap();
    let found = Certificate::new(&problem, &prepared, Options { step: 0.1, steps: 40 }).unwrap();
    assert!(matches!(found.hidden_constraint_defect.found, Finding::Absent), "{:?}", found.hidden_constraint_defect);
    assert!(matches!(found.constraint_defect.found, Finding::Measured(_)), "{:?}", found.constraint_defect);
}
