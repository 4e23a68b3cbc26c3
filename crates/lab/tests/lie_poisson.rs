//! Methods for brackets: those that keep Casimirs and the bracket for any energy, and one that keeps the energy.

use cotangent_compile::Engine;
use cotangent_dynamics::{Advance, Measure};
use cotangent_integrate::{Composition, Method, Recipe, Refusal};
use cotangent_lab::certificate::{Certificate, Finding, Options};
use cotangent_lab::{Reference, no_casimirs};
use cotangent_model::System;
use cotangent_problem::{Instance, Repairs, pose};
use cotangent_scalar::{Dd, Real};
use cotangent_theory::Formulation;

const RIGID_BODY: &str = include_str!("../../../models/rigid-body.cot");
const HEAVY_TOP: &str = include_str!("../../../models/heavy-top.cot");
const LORENZ: &str = include_str!("../../../models/lorenz-86.cot");
const VORTICES: &str = include_str!("../../../models/sphere-vortices.cot");
const LOTKA_VOLTERRA_3: &str = include_str!("../../../models/lotka-volterra-3.cot");
/// An energy that is no polynomial, on e(3): gravity and a magnet.
const MAGNET: &str = "param I1 > 0 = 1, I2 > 0 = 0.7, I3 > 0 = 1/2\nvariables m1, m2, m3, g1, g2, g3\n\
    bracket {m1, m2} = -m3, {m2, m3} = -m1, {m3, m1} = -m2\nbracket {m1, g2} = -g3, {m2, g3} = -g1, {m3, g1} = -g2\n\
    bracket {m2, g1} = g3, {m3, g2} = g1, {m1, g3} = g2\n\
    hamiltonian sqrt(1 + m1^2/I1 + m2^2/I2 + m3^2/I3) + exp(g3)/2 + cos(g1 + 2*g2)/3\n\
    casimir length = g1^2 + g2^2 + g3^2, vertical = m1*g1 + m2*g2 + m3*g3\n\
    initial m1 = 0.5, m2 = -0.8, m3 = 1.1, g1 = 0.48, g2 = 0.6, g3 = 0.64\n";

fn posed(text: &str) -> Instance {
    let system = System::parse(text).unwrap_or_else(|e| panic!("{e:?}"));
    pose(&system, Formulation::Multipliers, &[], Repairs::default(), Engine::Best).unwrap()
}

/// The state after some steps, the largest change of the energy relative to its start, and of any Casimir.
fn walked(problem: &Instance, recipe: impl Into<Recipe>, h: f64, steps: u64) -> (Vec<f64>, f64, f64) {
    let prepared = problem.prepare(recipe).unwrap();
    let mut integrator = problem.integrator(&prepared).unwrap();
    let mut state = integrator.state(problem.start.clone());
    let mut diagnostics = problem.diagnostics().unwrap();
    let casimirs = diagnostics.casimirs();
    let start = diagnostics.kept(&state.values).unwrap().clone();
    let (mut energy, mut casimir) = (0.0f64, 0.0f64);
    for _ in 0..steps {
        integrator.advance(&mut state, h, 1).unwrap();
        let now = diagnostics.kept(&state.values).unwrap();
        energy = energy.max((now.energy - start.energy).abs() / start.energy.abs());
        let change = |&k: &usize| (now.claims[k] - start.claims[k]).abs() / start.claims[k].abs().max(1e-300);
        casimir = casimirs.iter().map(change).fold(casimir, f64::max);
    }
    (state.values, energy, casimir)
}

/// The exact motion, in twice the digits.
fn exact(problem: &Instance, t: f64) -> Vec<f64> {
    let view = problem
        .equations
        .compiled
        .view(cotangent_compile::Tape, problem.parameters.iter().map(|&p| Dd::from(p)).collect());
    let mut field = cotangent_dynamics::Dynamics::field(&view).unwrap().unwrap();
    let mut z: Vec<Dd> = problem.start.iter().map(|&z| Dd::from(z)).collect();
    let reference = Reference::new(1e-22).in_blocks(z.len());
    reference.solve(&mut |z: &[Dd], out: &mut [Dd]| field.rate(z, out), &mut z, Dd::from(t)).unwrap();
    z.iter().map(|z| z.value()).collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
}

const POINCARE: Method = Method::DiscreteEulerPoincare;
const SPHERICAL: Method = Method::SphericalMidpoint;
const AVERAGE: Method = Method::AverageVectorField { stages: 6 };

#[test]
fn orders_and_compositions() {
    let cases: [(&str, &[Method], f64); 5] = [
        (RIGID_BODY, &[POINCARE, SPHERICAL, AVERAGE], 2.0),
        (HEAVY_TOP, &[POINCARE, AVERAGE], 1.0),
        (MAGNET, &[POINCARE, AVERAGE], 1.0),
        (VORTICES, &[POINCARE, SPHERICAL, AVERAGE], 1.0),
        (LOTKA_VOLTERRA_3, &[AVERAGE], 0.5),
    ];
    for (text, methods, t) in cases {
        let problem = posed(text);
        let end = exact(&problem, t);
        for &method in methods {
            let error =
                |recipe: Recipe, steps: u64| distance(&walked(&problem, recipe, t / steps as f64, steps).0, &end);
            let (coarse, fine) = (error(method.into(), 40), error(method.into(), 80));
            assert!(((coarse / fine).log2() - 2.0).abs() < 0.1, "{}: {coarse:e} {fine:e}", method.name());
            let high = |steps: u64| error(Recipe::from(method).composed(Composition::KahanLi6), steps);
            let (coarse, fine) = (high(10), high(20));
            assert!(fine < 1e-13 || (coarse / fine).log2() > 5.5, "{}: {coarse:e} {fine:e}", method.name());
        }
    }
}

#[test]
fn certificates_find_poisson_maps_and_casimirs_for_any_energy() {
    let cases: [(&str, &[Method], f64); 5] = [
        (RIGID_BODY, &[POINCARE, SPHERICAL], 0.1),
        (HEAVY_TOP, &[POINCARE], 0.05),
        (MAGNET, &[POINCARE], 0.05),
        (LORENZ, &[POINCARE], 2e-3),
        (VORTICES, &[POINCARE, SPHERICAL], 0.05),
    ];
    for (text, methods, step) in cases {
        let problem = posed(text);
        for &method in methods {
            let prepared = problem.prepare(method).unwrap();
            let c = Certificate::new(&problem, &prepared, Options { step, steps: 500 }).unwrap();
            let Finding::Measured(defect) = c.poisson_defect.found else { panic!("{:?}", c.poisson_defect) };
            assert!(defect < 1e-26, "{}: {defect:e}", method.name());
            assert_eq!((c.poisson_defect.claimed, c.poisson_defect.held), (true, Some(true)), "{:?}", c.poisson_defect);
            assert_eq!((c.casimir_defect.claimed, c.casimir_defect.held), (true, Some(true)), "{:?}", c.casimir_defect);
            assert_eq!(
                (c.symmetry_defect.claimed, c.symmetry_defect.held),
                (true, Some(true)),
                "{:?}",
                c.symmetry_defect
            );
        }
    }
}

#[test]
fn energies_are_kept_by_average_gradients_and_quadratic_casimirs_with_them() {
    for (text, h, quadratic) in
        [(RIGID_BODY, 0.1, true), (HEAVY_TOP, 0.05, true), (MAGNET, 0.02, true), (LOTKA_VOLTERRA_3, 0.02, false)]
    {
        let (_, energy, casimir) = walked(&posed(text), AVERAGE, h, 1000);
        assert!(energy < 1e-12, "{energy:e}");
        assert_eq!(casimir < 1e-12, quadratic, "{casimir:e}");
    }
}

#[test]
fn casimirs_hold_over_a_million_steps() {
    for (text, method, h) in [(RIGID_BODY, SPHERICAL, 0.1), (RIGID_BODY, POINCARE, 0.1)] {
        let problem = posed(text);
        let prepared = problem.prepare(method).unwrap();
        let mut integrator = problem.integrator(&prepared).unwrap();
        let mut state = integrator.state(problem.start.clone());
        let mut diagnostics = problem.diagnostics().unwrap();
        let start = diagnostics.kept(&state.values).unwrap().claims[0];
        integrator.advance(&mut state, h, 1_000_000).unwrap();
        let end = diagnostics.kept(&state.values).unwrap().claims[0];
        assert!((end / start - 1.0).abs() < 1e-12, "{}: {:e}", method.name(), end / start - 1.0);
    }
}

#[test]
fn what_is_no_sphere_or_not_linear_is_refused() {
    let refused = |text: &str, method: Method| posed(text).prepare(method).unwrap_err();
    assert_eq!(refused(HEAVY_TOP, SPHERICAL), Refusal::NoSpheres { method: SPHERICAL });
    assert_eq!(refused(LOTKA_VOLTERRA_3, POINCARE), Refusal::NotLinear { method: POINCARE });
    // so(2, 1) is none: a sign is another.
    let hyperbolic =
        "variables x, y, z\nbracket {x, y} = -z, {y, z} = x, {z, x} = y\nhamiltonian x^2 + z\ninitial x = 1, z = 2\n";
    assert_eq!(refused(hyperbolic, SPHERICAL), Refusal::NoSpheres { method: SPHERICAL });
    posed(hyperbolic).prepare(POINCARE).unwrap();
    // A step that turns by ten radians is not resolved, and says so.
    let problem = posed(RIGID_BODY);
    let prepared = problem.prepare(POINCARE).unwrap();
    let mut integrator = problem.integrator(&prepared).unwrap();
    let mut state = integrator.state(problem.start.clone());
    assert!(integrator.advance(&mut state, 20.0, 1).is_err());
}

/// {x, c} = −2yz and {y, d} = −1e-9 z; the other claims are Casimirs.
#[test]
fn claimed_casimirs_that_are_none_are_named_and_left_out() {
    let text = "variables x, y, z\nbracket {x, y} = z, {y, z} = x, {z, x} = y\nhamiltonian x^2 + y^2/2 + z^2/3\n\
        casimir c = x^2 + y^2 + 2*z^2, r = x^2 + y^2 + z^2, d = x^2 + y^2 + z^2 + 1e-9*x\n\
        casimir e = exp(-x^2 - y^2 - z^2)\ninitial x = 1, y = 1/2, z = 1/5\n";
    let body = posed(text);
    let found = no_casimirs(&body);
    assert_eq!(found.iter().map(|none| none.number).collect::<Vec<_>>(), [0, 2]);
    let [Some((x, first)), Some((y, second))] = [found[0].bracket, found[1].bracket] else { panic!("{found:?}") };
    // {x, c} = c_y {x, y} + c_z {x, z} = 2y z − 4z y.
    assert!(x == 0 && (first + 2.0 * 0.5 * 0.2).abs() < 1e-15, "{first:e}");
    assert!(y == 1 && (second + 0.2e-9).abs() < 1e-20, "{second:e}");
    let prepared = body.prepare(SPHERICAL).unwrap();
    let certificate = Certificate::new(&body, &prepared, Options { step: 0.05, steps: 500 }).unwrap();
    assert_eq!(certificate.no_casimirs, found);
    let casimirs = &certificate.casimir_defect;
    assert_eq!((casimirs.claimed, casimirs.held), (true, Some(true)), "{casimirs:?}");
    // Where none is left, nothing is judged.
    let alone = posed(&text.replace(", r = x^2 + y^2 + z^2", "").replace("casimir e = exp(-x^2 - y^2 - z^2)\n", ""));
    let prepared = alone.prepare(SPHERICAL).unwrap();
    let certificate = Certificate::new(&alone, &prepared, Options { step: 0.05, steps: 500 }).unwrap();
    assert!(matches!(certificate.casimir_defect.found, Finding::Absent), "{:?}", certificate.casimir_defect);
    for text in [RIGID_BODY, HEAVY_TOP, LORENZ, VORTICES, LOTKA_VOLTERRA_3, MAGNET] {
        assert_eq!(no_casimirs(&posed(text)), []);
    }
}

/// A spin of length 0 stays what it is, and the other one moves as if it were alone.
#[test]
fn the_origin_is_a_sphere_by_itself() {
    let spin = "bracket {a, b} = c, {b, c} = a, {c, a} = b\n";
    let (own, coupling) = ("a^2/2 + b^2/3 + c^2/5", " + a*x + b*y + 2*c*z + x^2");
    let start = "initial a = 1, b = 0.3, c = 0.2\n";
    let alone = posed(&format!("variables a, b, c\n{spin}hamiltonian {own}\n{start}"));
    let both = posed(&format!(
        "variables a, b, c, x, y, z\n{spin}bracket {{x, y}} = z, {{y, z}} = x, {{z, x}} = y\n\
         hamiltonian {own}{coupling}\n{start}"
    ));
    let (expected, ..) = walked(&alone, SPHERICAL, 0.1, 50);
    let (found, ..) = walked(&both, SPHERICAL, 0.1, 50);
    assert!(distance(&found[..3], &expected) < 1e-14, "{found:?} {expected:?}");
    assert_eq!(found[3..], [0.0; 3]);
    // The tangent map, too.
    let prepared = both.prepare(SPHERICAL).unwrap();
    let certificate = Certificate::new(&both, &prepared, Options { step: 0.1, steps: 50 }).unwrap();
    assert_eq!(certificate.poisson_defect.held, Some(true), "{:?}", certificate.poisson_defect);
}
