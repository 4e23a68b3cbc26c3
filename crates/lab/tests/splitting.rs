//! Splitting methods: exact flows of the parts of an energy, on brackets of every kind.

use cotangent_compile::Engine;
use cotangent_dynamics::{Advance, Measure};
use cotangent_integrate::{Composition, Method, Recipe};
use cotangent_lab::certificate::{Certificate, Finding, Options};
use cotangent_lab::{Pendulum, Reference};
use cotangent_model::System;
use cotangent_problem::{Instance, Repairs, pose};
use cotangent_scalar::{Dd, Real};
use cotangent_theory::{Formulation, NoFlow, Splitting, TheoryError};

const LORENZ: &str = include_str!("../../../models/lorenz-86.cot");
const RIGID_BODY: &str = include_str!("../../../models/rigid-body.cot");
const LOTKA_VOLTERRA_3: &str = include_str!("../../../models/lotka-volterra-3.cot");

fn posed(text: &str) -> Instance {
    let system = System::parse(text).unwrap();
    pose(&system, Formulation::Multipliers, &[], Repairs::default(), Engine::Best).unwrap()
}

/// The state after some steps, and the largest changes of the energy and of the first claim, relative to their start.
fn walked(problem: &Instance, recipe: impl Into<Recipe>, h: f64, steps: u64) -> (Vec<f64>, f64, f64) {
    let prepared = problem.prepare(recipe).unwrap();
    let mut integrator = problem.integrator(&prepared).unwrap();
    let mut state = integrator.state(problem.start.clone());
    let mut diagnostics = problem.diagnostics().unwrap();
    let kept = |d: &mut cotangent_problem::Diagnostics, z: &[f64]| {
        let kept = d.kept(z).unwrap();
        [kept.energy, kept.claims.first().copied().unwrap_or(1.0)]
    };
    let start = kept(&mut diagnostics, &state.values);
    let mut worst = [0.0f64; 2];
    for _ in 0..steps {
        integrator.advance(&mut state, h, 1).unwrap();
        let now = kept(&mut diagnostics, &state.values);
        (0..2).for_each(|k| worst[k] = worst[k].max((now[k] / start[k] - 1.0).abs()));
    }
    (state.values, worst[0], worst[1])
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
}

/// At t = 25, by Taylor series of order 30 in 36 digits.
const LORENZ_25: [f64; 5] =
    [1.427090546230751, 0.1158126627740577, -1.160440279053641, 0.004877340251019581, -0.01437001889932154];

#[test]
fn lorenz_is_what_its_reference_says() {
    let lorenz = posed(LORENZ);
    let high = Recipe::from(Method::SplittingStrang).composed(Composition::KahanLi8);
    let (state, _, casimir) = walked(&lorenz, high, 0.0025, 10_000);
    assert!(distance(&state, &LORENZ_25) < 1e-9, "{:e}", distance(&state, &LORENZ_25));
    assert!(casimir < 1e-12, "{casimir:e}");
    // Independent measurements with h = 2.5e-4: the largest error of the energy, and of the state at the end.
    let (state, energy, casimir) = walked(&lorenz, Method::SplittingStrang, 2.5e-4, 100_000);
    assert!((energy / 1.18767e-8 - 1.0).abs() < 1e-4 && casimir < 1e-12, "{energy:e} {casimir:e}");
    assert!((distance(&state, &LORENZ_25) / 8.6802e-4 - 1.0).abs() < 1e-3);
    let (state, energy, _) = walked(&lorenz, Method::SplittingLie, 2.5e-4, 100_000);
    assert!((energy / 1.19089e-4 - 1.0).abs() < 1e-4 && (distance(&state, &LORENZ_25) / 2.5896e-3 - 1.0).abs() < 1e-3);
}

/// The solution of ż = f(z) by extrapolation.
fn reference<const N: usize>(f: impl Fn([Dd; N]) -> [Dd; N], start: [f64; N], t: f64) -> [f64; N] {
    let mut z = start.map(Dd::from);
    let mut rates = |z: &[Dd], out: &mut [Dd]| {
        out.copy_from_slice(&f(std::array::from_fn(|k| z[k])));
        Ok::<(), std::convert::Infallible>(())
    };
    Reference::new(1e-24).solve(&mut rates, &mut z, Dd::from(t)).unwrap();
    z.map(|z| z.value())
}

#[test]
fn a_rigid_body_and_three_species_are_right_to_ten_digits() {
    let high = || Recipe::from(Method::SplittingStrang).composed(Composition::KahanLi8);
    // Euler's equations, written out.
    let euler = |[a, b, c]: [Dd; 3]| {
        let w = [a / Dd::from(2.0), b, c * Dd::from(1.5)];
        [b * w[2] - c * w[1], c * w[0] - a * w[2], a * w[1] - b * w[0]]
    };
    let body = posed(RIGID_BODY);
    let exact = reference(euler, [body.start[0], body.start[1], body.start[2]], 20.0);
    let (state, _, casimir) = walked(&body, high(), 0.1, 200);
    assert!(distance(&state, &exact) < 1e-10 && casimir < 1e-14, "{state:?} {exact:?}");
    let species = posed(LOTKA_VOLTERRA_3);
    let exact = species
        .equations
        .compiled
        .view(cotangent_compile::Tape, species.parameters.iter().map(|&p| Dd::from(p)).collect());
    let mut field = cotangent_dynamics::Dynamics::field(&exact).unwrap().unwrap();
    let mut z: Vec<Dd> = species.start.iter().map(|&z| Dd::from(z)).collect();
    Reference::new(1e-24).solve(&mut |z: &[Dd], out: &mut [Dd]| field.rate(z, out), &mut z, Dd::from(5.0)).unwrap();
    let (state, _, casimir) = walked(&species, high(), 0.01, 500);
    let exact: Vec<f64> = z.iter().map(|z| z.value()).collect();
    assert!(distance(&state, &exact) < 1e-10 && casimir < 1e-12, "{state:?} {exact:?}");
}

#[test]
fn casimirs_hold_over_a_million_steps() {
    for (text, h) in [(RIGID_BODY, 0.1), (LORENZ, 2.5e-4)] {
        let problem = posed(text);
        let prepared = problem.prepare(Method::SplittingStrang).unwrap();
        let mut integrator = problem.integrator(&prepared).unwrap();
        let mut state = integrator.state(problem.start.clone());
        let mut diagnostics = problem.diagnostics().unwrap();
        let start = diagnostics.kept(&state.values).unwrap().claims[0];
        integrator.advance(&mut state, h, 1_000_000).unwrap();
        let end = diagnostics.kept(&state.values).unwrap().claims[0];
        assert!((end / start - 1.0).abs() < 1e-12, "{:e}", end / start - 1.0);
    }
}

#[test]
fn certificates_measure_poisson_maps_and_casimirs() {
    for text in [RIGID_BODY, LORENZ, LOTKA_VOLTERRA_3] {
        let problem = posed(text);
        for method in [Method::SplittingLie, Method::SplittingStrang] {
            let prepared = problem.prepare(method).unwrap();
            let step = if text == LORENZ { 1e-3 } else { 0.05 };
            let c = Certificate::new(&problem, &prepared, Options { step, steps: 2000 }).unwrap();
            assert_eq!((c.poisson_defect.claimed, c.poisson_defect.held), (true, Some(true)), "{:?}", c.poisson_defect);
            assert_eq!((c.casimir_defect.claimed, c.casimir_defect.held), (true, Some(true)), "{:?}", c.casimir_defect);
            assert_eq!(c.order.held, Some(true), "{:?}", c.order);
            let Finding::Measured(defect) = c.poisson_defect.found else { panic!("measured") };
            assert!(defect < 1e-28, "{defect:e}");
        }
        // Gauss methods are no Poisson maps for brackets that depend on the state.
        let prepared = problem.prepare(Method::Gauss { stages: 2 }).unwrap();
        let step = if text == LORENZ { 1e-3 } else { 0.05 };
        let c = Certificate::new(&problem, &prepared, Options { step, steps: 500 }).unwrap();
        assert_eq!((c.poisson_defect.claimed, c.poisson_defect.held), (false, Some(false)), "{:?}", c.poisson_defect);
    }
}

#[test]
fn canonical_equations_split_into_their_terms() {
    // H = p²/2 − cos q: kick and drift.
    let pendulum = posed("coord q\nhamiltonian p_q^2/2 - cos(q)\ninitial q = 1, p_q = 0.5\n");
    let exact = Pendulum::from_angle(1.0, 1.0, 0.5).unwrap().at(2.0);
    let error = |steps: u64| {
        let (state, ..) = walked(&pendulum, Method::SplittingStrang, 2.0 / steps as f64, steps);
        f64::hypot(state[0].sin() - exact.position[0], -state[0].cos() - exact.position[1])
    };
    let (coarse, fine) = (error(50), error(100));
    assert!(fine < 1e-3 && ((coarse / fine).log2() - 2.0).abs() < 0.05, "{coarse:e} {fine:e}");
}

/// Each kind of block against the solution of its differential equations.
#[test]
fn flows_are_exact() {
    let cases = [
        // One variable: exponential growth, with a source.
        ("variables x, y\nbracket {x, y} = x\nhamiltonian y\ninitial x = 0.7, y = 0.4\n", 0.8),
        // Two variables: a rotation about a moving centre, and a hyperbolic one.
        ("coord x\nhamiltonian p_x^2/2 + x^2/2 + x + p_x\nsplit A = p_x^2/2 + x^2/2 + x + p_x\ninitial x = 1\n", 1.3),
        ("coord x\nhamiltonian p_x^2/2 - x^2/2 + p_x\nsplit A = p_x^2/2 - x^2/2 + p_x\ninitial x = 1\n", 1.3),
        // No cycles.
        ("coord x, y\nhamiltonian p_x*y + p_x + p_y*2\nsplit A = p_x*y + p_x + p_y*2\ninitial x = 1, p_x = 0.3\n", 1.1),
        // Three variables: rotation about an axis that is kept.
        (
            "variables a, b, c, u\nbracket {a, b} = -c, {b, c} = -a, {c, a} = -b\nhamiltonian u*(a + 2*b + 3*c)\n\
             split A = u*(a + 2*b + 3*c)\ninitial a = 1, b = -0.4, u = 0.7\n",
            1.2,
        ),
        // Two variables that grow together: a node that is no eigenvector, a spiral, one with a rate that is zero.
        ("variables x, y, s\nbracket {x, s} = x + y, {y, s} = y\nhamiltonian s\ninitial x = 0.7, y = 0.4\n", 0.8),
        (
            "variables x, y, s\nbracket {x, s} = x - 3*y, {y, s} = 3*x + y\nhamiltonian s\ninitial x = 0.7, y = 0.4\n",
            0.8,
        ),
        (
            "variables x, y, s\nbracket {x, s} = x + 2*y, {y, s} = 2*x + 4*y\nhamiltonian s\ninitial x = 0.7, y = 0.4\n",
            0.3,
        ),
        ("variables x, y, s\nbracket {x, s} = x + 5*y, {y, s} = -3*y\nhamiltonian s\ninitial x = 0.7, y = 0.4\n", 0.3),
    ];
    for (text, h) in cases {
        let problem = posed(text);
        let (state, ..) = walked(&problem, Method::SplittingLie, h, 1);
        let view = problem.equations.compiled.view(cotangent_compile::Tape, vec![]);
        let mut field = cotangent_dynamics::Dynamics::<Dd>::field(&view).unwrap().unwrap();
        let mut z: Vec<Dd> = problem.start.iter().map(|&z| Dd::from(z)).collect();
        Reference::new(1e-24).solve(&mut |z: &[Dd], out: &mut [Dd]| field.rate(z, out), &mut z, Dd::from(h)).unwrap();
        let exact: Vec<f64> = z.iter().map(|z| z.value()).collect();
        assert!(distance(&state, &exact) < 1e-15, "{text}: {state:?} {exact:?}");
    }
}

/// The odd species of a food chain move the even ones, and these the odd ones: y(h) = y exp(h (right − left)). The same
/// formula written out here, for families that are too large to be taken member by member, and for small ones.
#[test]
fn families_flow_as_a_whole() {
    let lattice = |n: usize| {
        format!(
            "param n : int = {n}\nvariables y[i in 1..n]\n\
             bracket {{y[i in 1..n], y[mod(i, n) + 1]}} = y[i]*y[mod(i, n) + 1]\nhamiltonian sum(i in 1..n, y[i])\n\
             split odd = sum(k in 1..floor(n/2), y[2*k - 1]), even = sum(k in 1..floor(n/2), y[2*k])\n\
             casimir all = sum(i in 1..n, log(y[i]))\ninitial y[i in 1..n] = 1 + cos(2*pi*i/n)/2\n"
        )
    };
    for n in [8, 100_000] {
        let problem = posed(&lattice(n));
        let (found, ..) = walked(&problem, Method::SplittingStrang, 0.1, 3);
        let mut y = problem.start.clone();
        let mut flow = |first: usize, h: f64| {
            let old = y.clone();
            for i in (first..n).step_by(2) {
                y[i] = old[i] * (h * (old[(i + 1) % n] - old[(i + n - 1) % n])).exp();
            }
        };
        // The part `odd` moves what has an even number in the text, an odd one from 0.
        for _ in 0..3 {
            flow(1, 0.05);
            flow(0, 0.1);
            flow(1, 0.05);
        }
        assert!(distance(&found, &y) < 1e-14, "{n}: {:e}", distance(&found, &y));
    }
    // Without parts that are named, the members of a family whose flow is not known as a whole are parts.
    let unnamed = lattice(6).lines().filter(|l| !l.starts_with("split")).collect::<Vec<_>>().join("\n") + "\n";
    assert_eq!(Splitting::new(&System::parse(&unnamed).unwrap()).unwrap().parts.len(), 6);
    // A chain of five thousand particles with springs: kicks and drifts of all at once.
    let chain = "param n : int = 5000\ncoord q[i in 1..n]\n\
        hamiltonian sum(i in 1..n, p_q[i]^2/2) + sum(i in 1..n-1, (q[i+1] - q[i])^4/4)\n\
        initial q[i in 1..n] = sin(i), p_q[i in 1..n] = 0\n";
    let parts = Splitting::new(&System::parse(chain).unwrap()).unwrap().parts;
    assert_eq!(parts.len(), 2);
}

#[test]
fn parts_without_a_known_flow_are_named() {
    let unknown = |text: &str| match Splitting::new(&System::parse(text).unwrap()) {
        Err(TheoryError::NoFlow { part, why }) => (part, why),
        other => panic!("{other:?}"),
    };
    let (part, why) = unknown("coord q\nhamiltonian p_q^2*q^2/2\nsplit A = p_q^2*q^2/2\ninitial q = 1\n");
    assert_eq!(part, "A");
    assert!(matches!(why, NoFlow::NotLinear { .. }), "{why}");
    let four = "coord x, y\nhamiltonian p_x^2 + p_y^2 + x^2 + y^2 + x*y\nsplit all = p_x^2 + p_y^2 + x^2 + y^2 + x*y\n";
    let (part, why) = unknown(four);
    assert_eq!(part, "all");
    assert!(matches!(why, NoFlow::Coupled { variables } if variables.len() == 4));
}
