//! The Hamilton–Dirac equations that the analysis leads to: their integrals, off the surface too.

use cotangent_analysis::{MotionError, constraints};
use cotangent_compile::{Engine, FunctionBuilder, values};
use cotangent_expr::{Expr, Tensor};
use cotangent_model::System;
use cotangent_scalar::{Dd, Limits, Real};
use cotangent_theory::{Formulation, Motion};

fn parse(text: &str) -> System {
    System::parse(text).unwrap_or_else(|d| panic!("{d}"))
}

fn derived(text: &str) -> Motion {
    let system = parse(text);
    let known = constraints(&system).unwrap_or_else(|e| panic!("{e}"));
    known.motion(&system, &Limits::default()).unwrap()
}

/// The entries of vectors at a state, in double-double.
fn at(motion: &Motion, vectors: &[Tensor], state: &[f64]) -> Vec<Vec<Dd>> {
    let parameters = values::parameters(&motion.system, &[]).unwrap();
    let inputs = FunctionBuilder::new().input(&motion.state).input(&motion.system.parameter_layout());
    let f = vectors.iter().fold(inputs, |b, t| b.output(t)).engine(Engine::Tape).compile().unwrap();
    let fine = |v: &[f64]| v.iter().map(|&x| Dd::from(x)).collect::<Vec<_>>();
    let mut out: Vec<Vec<Dd>> = f.program().outputs.iter().map(|&n| vec![Dd::from(0.0); n]).collect();
    let mut slots: Vec<&mut [Dd]> = out.iter_mut().map(Vec::as_mut_slice).collect();
    let mut work = f.workspace_in::<Dd>().unwrap();
    f.call_in(&[&fine(state), &fine(&parameters)], &mut slots, &mut work).unwrap();
    out
}

fn rate(motion: &Motion) -> Tensor {
    motion.field().unwrap().rate.clone()
}

/// A generic state, on no surface.
fn generic(motion: &Motion) -> Vec<f64> {
    (0..motion.state.len()).map(|k| 0.3 + 1.2 * (1.0 + 2.3 * k as f64).sin()).collect()
}

/// ∇F·ż relative to |∇F| |ż|, for the constraints, the energy and the claims of a model.
fn changes(motion: &Motion, state: &[f64]) -> Vec<(String, f64)> {
    let system = &motion.system;
    let mut named: Vec<(String, Expr)> = vec![("H".into(), Expr::sum(system.dynamics.energy().entries()))];
    named.extend(system.constraints.iter().map(|c| (c.array.name().to_owned(), Expr::sum(c.residual.entries()))));
    let claims = system.claims.iter().map(|c| &c.quantity);
    named.extend(claims.map(|q| (q.array.name().to_owned(), Expr::sum(q.value.entries()))));
    let gradient = |e: &Expr| Tensor::scalar(e.clone()).unwrap().gradient(&motion.state).unwrap();
    let vectors: Vec<Tensor> = std::iter::once(rate(motion)).chain(named.iter().map(|n| gradient(&n.1))).collect();
    let mut values = at(motion, &vectors, state).into_iter();
    let flow = values.next().unwrap();
    let change = |slope: Vec<Dd>| {
        let norm = |v: &[Dd]| v.iter().fold(0.0f64, |m, x| m.max(x.value().abs()));
        let sum = slope.iter().zip(&flow).fold(Dd::from(0.0), |sum, (&s, &f)| sum + s * f);
        sum.value().abs() / (norm(&slope) * norm(&flow))
    };
    named.into_iter().zip(values).map(|((name, _), slope)| (name, change(slope))).collect()
}

const LAMBDA: &str = "param g = 1\ncoord x, y, lambda\nlagrangian (x'^2 + y'^2)/2 - g*y - lambda*(x^2 + y^2 - 1)/2\n";
const BODY: &str = "param a = 1, b = 2, c = 3\nvariables y1, y2, y3, z1, z2\n\
    bracket {y1, y2} = -y3, {y2, y3} = -y1, {y3, y1} = -y2, {z1, z2} = 1\n\
    hamiltonian (a*y1^2 + b*y2^2 + c*y3^2)/2 + z2^2/2 + y1*z1\n\
    constraint lock: y3 - z1 = 0\nconstraint tie: y1*y2 - z2 = 0\ncasimir C = y1^2 + y2^2 + y3^2\n";
const MOMENTA: &str = "coord x, y, z\nhamiltonian (p_x^2 + p_y^2 + p_z^2)/2 + (x^2 + 2*y^2 + z^2)/2\n\
    constraint a: p_x - y^2 - p_z*z = 0\n";
const QUARTIC: &str = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + (p_x^2 + p_y^2)^2/8 + y\n\
    constraint rod: (x^2 + y^2 - 1)/2 = 0\n";

/// Every constraint that was found, the energy and the Casimirs do not change at a point on no surface.
#[test]
fn constraints_energy_and_casimirs_are_strong_integrals() {
    let models = [
        (LAMBDA, 4),
        (BODY, 2),
        (MOMENTA, 2),
        (QUARTIC, 2),
        (include_str!("../../../models/landau.cot"), 2),
        (include_str!("../../../models/christ-lee.cot"), 4),
        (include_str!("../../../models/heisenberg.cot"), 2),
        (include_str!("../../../models/heisenberg-form.cot"), 8),
        (include_str!("../../../models/double-pendulum.cot"), 4),
        ("param m > 0 = 1\ncoord A0, A1\nlagrangian (A1' - A0)^2/2 + m^2*(A0^2 - A1^2)/2\n", 2),
    ];
    for (text, count) in models {
        let motion = derived(text);
        let state = generic(&motion);
        let surface = motion.surface().unwrap();
        assert_eq!(surface.generations.len(), count, "{}", motion.system.name);
        let residuals = at(&motion, &[surface.residuals().unwrap()], &state);
        assert!(residuals[0].iter().any(|r| r.value().abs() > 1e-2), "the point is off the surface");
        for (name, change) in changes(&motion, &state) {
            assert!(change < 1e-27, "{}: {name} changes by {change:e}", motion.system.name);
        }
    }
}

/// The same field as that of the holonomic constraints φ and ψ, everywhere.
#[test]
fn it_is_the_field_of_holonomic_constraints() {
    for text in [
        include_str!("../../../models/pendulum.cot"),
        include_str!("../../../models/double-pendulum.cot"),
        include_str!("../../../models/spherical-pendulum.cot"),
    ] {
        let system = parse(text);
        let (found, known) = (derived(text), Formulation::HamiltonDirac.apply(&system).unwrap());
        let state = generic(&found);
        assert_eq!(found.state.entry_names(), known.state.entry_names());
        let (a, b) = (at(&found, &[rate(&found)], &state).remove(0), at(&known, &[rate(&known)], &state).remove(0));
        let size = b.iter().fold(0.0f64, |m, x| m.max(x.value().abs()));
        for (k, (a, b)) in a.iter().zip(&b).enumerate() {
            let difference = (*a - *b).value().abs() / size;
            assert!(difference < 1e-27, "{}: entry {k} differs by {difference:e}", system.name);
        }
    }
}

/// Landau particle, ẋ = −k_y y/B and ẏ = k_x x/B on the surface, with velocities in observables.
#[test]
fn velocities_of_a_singular_lagrangian_are_functions_of_the_state() {
    let text = "param B != 0 = 2, k_x = 1, k_y = 4\ncoord x, y\n\
                lagrangian B*(x*y' - y*x')/2 - (k_x*x^2 + k_y*y^2)/2\nobserve v = x', w = y'\n";
    let motion = derived(text);
    let (x, y, b) = (0.7, -0.3, 2.0);
    let observed: Vec<Tensor> = motion.system.observables.iter().map(|o| o.value.clone()).collect();
    let values = at(&motion, &observed, &[x, y, -b * y / 2.0, b * x / 2.0]);
    assert!((values[0][0].value() + 4.0 * y / b).abs() < 1e-15);
    assert!((values[1][0].value() - x / b).abs() < 1e-15);
}

/// The multipliers of primary constraints on the surface are those that the analysis writes down.
#[test]
fn multipliers_are_those_of_the_total_hamiltonian() {
    let motion = derived(LAMBDA);
    let surface = motion.surface().unwrap();
    assert_eq!(surface.multipliers.entry_names(), ["u_lambda"]);
    assert_eq!(surface.generations, [1, 2, 3, 4]);
    let u = motion.multipliers().unwrap().remove(0).1;
    let u = Tensor::scalar(u.element(&[0])).unwrap();
    // p = |p| (−y, x), λ = p² − g y.
    let (x, y, p) = (0.6, -0.8, 1.5);
    let state = [x, y, p * p - y, -p * y, p * x, 0.0];
    let found = at(&motion, &[u], &state)[0][0].value();
    assert!((found + 3.0 * p * x).abs() < 1e-14, "u = −3 g p_y, and it is {found}");
}

/// A Casimir as a constraint needs no gauge: it moves nothing.
#[test]
fn a_casimir_is_kept_by_itself() {
    let motion = derived(
        "variables y1, y2, y3\nbracket {y1, y2} = -y3, {y2, y3} = -y1, {y3, y1} = -y2\n\
         hamiltonian (y1^2 + 2*y2^2 + 3*y3^2)/2\nconstraint sphere: y1^2 + y2^2 + y3^2 = 1\n",
    );
    assert!(motion.multipliers().unwrap().is_empty() && motion.surface().is_some());
    let state = generic(&motion);
    assert!(changes(&motion, &state).iter().all(|(_, change)| *change < 1e-28));
}

#[test]
fn what_the_analysis_refuses_has_no_motion() {
    let refused = |text: &str| constraints(&parse(text)).unwrap_err();
    let einbein = refused(include_str!("../../../models/einbein.cot"));
    assert_eq!(
        einbein.to_string(),
        "the motion is not determined: `phi_e`, `phi_e'` are first class, and `u_e` is arbitrary"
    );
    assert!(matches!(einbein, MotionError::FirstClass { .. }));
    assert!(matches!(refused(include_str!("../../../models/cawley.cot")), MotionError::Irregular { .. }));
    assert!(matches!(refused("coord x\nlagrangian x\n"), MotionError::Inconsistent { .. }));
    let over = refused("coord x\nhamiltonian p_x^2/2 + x^2/2\ngauge here: x = 0\n");
    assert!(matches!(over, MotionError::Overfixed { found: 2, expected: 0, .. }), "{over}");
    assert!(matches!(refused("coord x, y\nlagrangian (x' + y')^4\n"), MotionError::Undecided { .. }));
}

/// Second class without the gauge conditions: 2 of x and y; first class: 2. Conditions for both of these, and one more
/// with what follows from it.
#[test]
fn conditions_beyond_a_gauge_are_counted() {
    let model = "coord x, y, r, theta, xi\n\
        lagrangian (x*y' - y*x')/2 - (x^2 + y^2)/2 + r'^2/2 + r^2*(theta' - xi)^2/2 - (r - 1)^2/2\n\
        gauge angle: theta = 0\ngauge frame: xi = 0\n";
    assert_eq!(derived(model).surface().unwrap().generations.len(), 6);
    let over = constraints(&parse(&format!("{model}gauge ring: r = 1\n"))).unwrap_err();
    let MotionError::Overfixed { conditions, found: 8, expected: 6 } = over else { panic!("{over}") };
    assert_eq!(conditions, ["angle", "frame", "ring", "ring'"]);
}

/// A constraint on one variable alone: the rate of that variable is zero as an expression, and no other one is.
#[test]
fn a_variable_that_is_fixed_does_not_move_by_rounding() {
    let motion = derived(LAMBDA);
    let vanishing: Vec<String> = motion
        .state
        .entry_names()
        .into_iter()
        .zip(rate(&motion).entries())
        .filter(|(_, rate)| rate.is_zero())
        .map(|(name, _)| name)
        .collect();
    assert_eq!(vanishing, ["p_lambda"]);
}
