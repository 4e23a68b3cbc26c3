//! The method suite: what a card claims holds on every problem; what it does not claim fails on at
//! least one, or is said to be incidental.
//!
//! A new method needs an entry in `Method::ALL`; a new problem a test here.

mod problems;

use cotangent_compile::Engine;
use cotangent_dynamics::{Advance, Measure};
use cotangent_integrate::{Inner, Method, Needs};
use cotangent_lab::Pendulum;
use cotangent_lab::certificate::{Certificate, Finding, Options, Subject, order_against};
use cotangent_problem::Integrator;
use cotangent_scalar::{Dd, Real, Scalar};
use cotangent_solve::NewtonOptions;
use cotangent_theory::Formulation;
use problems::{Case, DOUBLE, FREE, OSCILLATOR, PENDULUM, RAIL, RELATIVISTIC, SPEEDY, shipped};

/// Every method, those with stages with several numbers of them.
fn methods() -> Vec<Method> {
    let gauss = [1, 3, 4].map(|stages| Method::Gauss { stages });
    let lobatto = [2, 4].map(|stages| Method::Lobatto3A3B { stages });
    let reich = [Inner::SymplecticEuler, Inner::Gauss { stages: 2 }].map(|inner| Method::Reich { inner });
    Method::ALL.into_iter().chain(gauss).chain(lobatto).chain(reich).chain([Method::Radau2A { stages: 2 }]).collect()
}

/// The same with stages that take long to certify.
fn all_methods() -> Vec<Method> {
    let gauss = [5, 6].map(|stages| Method::Gauss { stages });
    let lobatto = [5, 6].map(|stages| Method::Lobatto3A3B { stages });
    methods().into_iter().chain(gauss).chain(lobatto).collect()
}

/// Checks the claims of every method that fits, and returns the certificates.
fn holds(name: &str, text: &str, n: Option<i64>, formulation: Formulation, step: f64) -> Vec<(Method, Certificate)> {
    holds_for(methods(), name, text, n, formulation, step)
}

fn holds_for(
    methods: Vec<Method>,
    name: &str,
    text: &str,
    n: Option<i64>,
    formulation: Formulation,
    step: f64,
) -> Vec<(Method, Certificate)> {
    let case = Case::sized(text, n, formulation);
    let fitting = methods.into_iter().filter_map(|m| Some((m, case.prepare(m, None).ok()?)));
    let certificates: Vec<(Method, Certificate)> = fitting
        .map(|(m, prepared)| (m, Certificate::new(&case.problem, &prepared, Options { step, steps: 6000 }).unwrap()))
        .collect();
    assert!(certificates.len() >= 2, "{name}: too few methods fit");
    for (method, c) in &certificates {
        let place = format!("{name}, {}, {method:?}: {c:#?}", formulation.name());
        assert_eq!(c.order.held, Some(true), "order on {place}");
        assert!(!c.symplectic_defect.broken(), "symplectic on {place}");
        assert!(!c.symmetry_defect.broken(), "symmetric on {place}");
        assert!(!c.constraint_defect.broken(), "constraints on {place}");
        assert!(!c.hidden_constraint_defect.broken(), "hidden constraints on {place}");
        assert!(!c.energy_defect.broken() && !c.energy_drift.broken(), "energy on {place}");
        // A claim is measured, not waved through.
        let decided = |claimed: bool, held: Option<bool>| !claimed || held.is_some();
        assert!(decided(c.symplectic_defect.claimed, c.symplectic_defect.held), "symplectic on {place}");
        assert!(decided(c.symmetry_defect.claimed, c.symmetry_defect.held), "symmetric on {place}");
        assert!(decided(c.constraint_defect.claimed, c.constraint_defect.held), "constraints on {place}");
        assert!(decided(c.energy_defect.claimed, c.energy_defect.held), "energy on {place}");
    }
    certificates
}

#[test]
fn kepler() {
    holds("kepler", &shipped("kepler"), None, Formulation::Multipliers, 0.01);
}

#[test]
fn henon_heiles() {
    holds("henon-heiles", &shipped("henon-heiles"), None, Formulation::Multipliers, 0.05);
}

/// Those for constraints on positions that have the same solutions: not stiff springs.
fn exact() -> impl Iterator<Item = Formulation> {
    Formulation::ALL.into_iter().filter(|&f| f.card().exact && f != Formulation::IndexOne && !f.is_for_brackets())
}

/// Those of the pendulum, which is not linear.
fn pendular() -> impl Iterator<Item = Formulation> {
    exact().filter(|&f| f != Formulation::LinearProjected)
}

#[test]
fn pendulum() {
    for formulation in pendular() {
        // Where errors grow or decay fast, or variables change, the leading term is most of the error for
        // smaller steps only.
        use Formulation::{Baumgarte, LocalChart, Total};
        let fast = matches!(formulation, Total | Baumgarte { .. } | LocalChart { .. });
        let step = if fast { 0.01 } else { 0.05 };
        holds("pendulum", PENDULUM, None, formulation, step);
    }
    // Springs that the step resolves.
    holds("pendulum", PENDULUM, None, Formulation::Penalty { epsilon: 1.0 }, 0.01);
}

/// Those that every method is measured on.
const FIRST: [Formulation; 4] =
    [Formulation::Multipliers, Formulation::IndexReduced, Formulation::Standard, Formulation::HamiltonDirac];

#[test]
fn double_pendulum_with_unequal_masses() {
    for formulation in FIRST {
        holds("double pendulum", DOUBLE, None, formulation, 0.02);
    }
}

#[test]
fn double_pendulum_in_other_formulations() {
    for formulation in pendular().filter(|f| !FIRST.contains(f)) {
        let methods = vec![Method::ImplicitMidpoint, Method::Rk4];
        holds_for(methods, "double pendulum", DOUBLE, None, formulation, 0.01);
    }
}

#[test]
fn linear_constraints() {
    let radau = Method::Radau2A { stages: 2 };
    let methods = vec![Method::ImplicitMidpoint, Method::Gauss { stages: 2 }, Method::Rk4, Method::Bdf2, radau];
    for formulation in exact() {
        holds_for(methods.clone(), "rail", RAIL, None, formulation, 0.05);
    }
}

#[test]
fn closed_loop_of_points() {
    holds("four-bar", &shipped("four-bar"), None, Formulation::Multipliers, 0.02);
}

#[test]
fn closed_loop_in_angles() {
    holds("four-bar-angles", &shipped("four-bar-angles"), None, Formulation::Multipliers, 0.02);
}

#[test]
fn an_energy_that_is_neither_separable_nor_quadratic() {
    holds("free", FREE, None, Formulation::Multipliers, 0.05);
    holds("relativistic", RELATIVISTIC, None, Formulation::Multipliers, 0.02);
}

#[test]
fn a_legendre_transform_by_newtons_method() {
    // Newton's method inside Newton's method, in double-double arithmetic: the cheaper methods only.
    let methods = vec![Method::Rattle, Method::Shake, Method::Lobatto3A3B { stages: 3 }];
    holds_for(methods, "speedy", SPEEDY, None, Formulation::Multipliers, 0.02);
}

#[test]
fn what_is_not_claimed_fails_somewhere() {
    let mut seen: Vec<(Method, Certificate)> = vec![];
    for (text, formulation, step) in [
        (shipped("kepler"), Formulation::Multipliers, 0.01),
        (FREE.into(), Formulation::Multipliers, 0.05),
        (DOUBLE.into(), Formulation::Multipliers, 0.02),
        (DOUBLE.into(), Formulation::Standard, 0.02),
    ] {
        seen.extend(holds("a problem", &text, None, formulation, step));
    }
    for method in Method::ALL {
        let card = method.card();
        let fails =
            |of: &dyn Fn(&Certificate) -> Option<bool>| seen.iter().any(|(m, c)| *m == method && of(c) == Some(false));
        // Of brackets: see `lie_poisson` and `isospectral`.
        if matches!(card.needs, Needs::Linear | Needs::Spheres | Needs::Matrices) {
            continue;
        }
        if !card.symplectic {
            assert!(fails(&|c| c.symplectic_defect.held), "{method:?} is symplectic everywhere");
        }
        if !card.symmetric {
            assert!(fails(&|c| c.symmetry_defect.held), "{method:?} is symmetric everywhere");
        }
        if card.hidden_constraints == cotangent_integrate::Keeps::No && card.constraints != card.hidden_constraints {
            assert!(fails(&|c| c.hidden_constraint_defect.held), "{method:?} keeps hidden constraints everywhere");
        }
    }
}

/// The largest change of the claimed invariant over many steps, relative to its value.
fn invariant_change(text: &str, method: Method, step: f64) -> Option<f64> {
    let case = Case::new(text, Formulation::Multipliers);
    let prepared = case.prepare(method, None).ok()?;
    let p = &case.problem;
    let mut diagnostics = p.diagnostics().unwrap();
    let options = NewtonOptions::default();
    let mut integrator = Integrator::new(&p.equations, &prepared, &p.parameters, options, Engine::Best).unwrap();
    let mut state = integrator.state(p.start.clone());
    let initial = diagnostics.kept(&state.values).unwrap().claims[0];
    let mut largest = 0.0f64;
    for _ in 0..3000 {
        integrator.advance(&mut state, step, 1).unwrap();
        largest = largest.max((diagnostics.kept(&state.values).unwrap().claims[0] - initial).abs());
    }
    Some(largest / initial.abs())
}

#[test]
fn quadratic_invariants_are_kept_by_those_that_claim_it_and_by_no_other() {
    for method in methods() {
        // So large a step that truncation stands out from round-off at high order, too.
        let Some(spring) = invariant_change(OSCILLATOR, method, 0.5) else { continue };
        // Angular momentum: bilinear in q and p, which partitioned methods keep as well.
        let momentum = invariant_change(&shipped("kepler"), method, 0.01).unwrap();
        match method.card().quadratic_invariants {
            true => assert!(spring < 1e-13 && momentum < 1e-13, "{method:?}: {spring:e} {momentum:e}"),
            // Those that average rates are the implicit midpoint rule on the spring.
            false => assert!(spring.max(momentum) > 1e-12, "{method:?}: {spring:e} {momentum:e}"),
        }
    }
}

/// The pendulum of the suite in closed form, at a time.
fn closed_form(time: Dd) -> Vec<Dd> {
    let number = Dd::from;
    let start = Pendulum::new(number(1.0), [number(1.0), number(0.0)], [number(0.0), number(-2.0)]).unwrap();
    let motion = start.at(time);
    [motion.position, motion.velocity].concat()
}

#[test]
fn orders_on_the_pendulum_against_the_closed_form() {
    for formulation in pendular() {
        let case = Case::new(PENDULUM, formulation);
        for method in all_methods() {
            // So small a step that the leading term of the error is most of it.
            let local = matches!(formulation, Formulation::LocalChart { .. });
            let step = match (method.name(), local) {
                ("dopri5", true) => 0.003,
                ("dopri5" | "radau-2a", _) => 0.0125,
                // Within one chart: where it is left depends on the step.
                (_, true) => 0.02,
                _ => 0.05,
            };
            let exact = closed_form(Dd::from(16.0) * Dd::from(step));
            let Ok(prepared) = case.prepare(method, None) else { continue };
            let order = order_against(&Subject::new(&case.problem, &prepared), step, &exact, 1e-30).unwrap();
            let claimed = f64::from(prepared.claims(case.problem.equations.motion.is_canonical()).order);
            // Its leading term is small by design, so that the next one shows.
            let bound = if method.name() == "dopri5" { 0.1 } else { 0.05 };
            assert!((order.value - claimed).abs() < bound, "{method:?}: {order:?}");
        }
    }
}

#[test]
fn two_stages_of_lobatto_and_reich_around_stormer_verlet_are_rattle() {
    for text in [PENDULUM, DOUBLE, RELATIVISTIC] {
        let case = Case::new(text, Formulation::Multipliers);
        let end = |method: Method| {
            let prepared = case.prepared(method, None);
            let subject = Subject::new(&case.problem, &prepared);
            subject.walk(&subject.start::<Dd>().unwrap(), 0.02, 50).unwrap()
        };
        let rattle = end(Method::Rattle);
        for method in [Method::Lobatto3A3B { stages: 2 }, Method::Reich { inner: Inner::StormerVerlet }] {
            let other = end(method);
            let apart = rattle.iter().zip(&other).map(|(&a, &b)| (a - b).value().abs()).fold(0.0, f64::max);
            assert!(apart < 1e-24, "{method:?}: {apart:e}");
        }
    }
}

#[test]
fn shake_has_the_positions_of_rattle() {
    for (text, n) in
        [(PENDULUM.to_string(), None), (DOUBLE.into(), None), (shipped("chain"), Some(5)), (RELATIVISTIC.into(), None)]
    {
        let case = Case::sized(&text, n, Formulation::Multipliers);
        let end = |method: Method| {
            let prepared = case.prepared(method, None);
            let subject = Subject::new(&case.problem, &prepared);
            subject.walk(&subject.start::<Dd>().unwrap(), 0.02, 50).unwrap()
        };
        let (rattle, shake) = (end(Method::Rattle), end(Method::Shake));
        let n = rattle.len() / 2;
        let difference =
            |range: std::ops::Range<usize>| range.map(|k| (rattle[k] - shake[k]).value().abs()).fold(0.0, f64::max);
        assert!(difference(0..n) < 1e-25, "{:e}", difference(0..n));
        assert!(difference(n..2 * n) > 1e-8, "{:e}", difference(n..2 * n));
    }
}

#[test]
fn momentum_projection_preserves_the_form_where_the_position_projection_does_not() {
    use cotangent_lab::SymplecticDefect;
    use cotangent_scalar::Dual;
    // Off the manifold: φ = const ≠ 0, momenta not tangent.
    let text = DOUBLE.replace("initial x1 = 1, x2 = 1,", "initial x1 = 1, x2 = 1.1,");
    let case = Case::new(&text, Formulation::Standard);
    let z = [1.05, 0.1, 1.2, 1.4, 0.3, 0.6, 0.4, 0.2];
    let g = [[z[0], z[1], 0.0, 0.0], [z[0] - z[2], z[1] - z[3], z[2] - z[0], z[3] - z[1]]];
    // Vectors with G δq = 0, δp arbitrary.
    let rows: Vec<f64> = g.iter().flat_map(|g| g.iter().copied().chain([0.0; 4])).collect();
    let pattern = cotangent_solve::Pattern::dense(2, 8).unwrap();
    let vectors = cotangent_solve::null_space(&pattern, &rows, 1e-12).unwrap();
    assert_eq!(vectors.len(), 6);
    let defect = |target: cotangent_integrate::Target| {
        let images: Vec<Vec<f64>> = vectors
            .iter()
            .map(|v| {
                let seeded: Vec<Dual<f64>> = z.iter().zip(v).map(|(&value, &d)| Dual { value, tangent: [d] }).collect();
                let parameters = case.problem.parameters.iter().map(|&p| Dual::from_f64(p)).collect();
                let view = case.problem.equations.compiled.view(cotangent_compile::Tape, parameters);
                let manifold = cotangent_dynamics::Dynamics::manifold(&view).unwrap().unwrap();
                let mut state = cotangent_dynamics::State::new(seeded, 0);
                cotangent_integrate::project_onto(target, manifold, &mut state).unwrap();
                state.values.iter().map(|d| d.tangent[0]).collect()
            })
            .collect();
        SymplecticDefect::<f64>::canonical(4).measure(&vectors, &images).unwrap().value
    };
    let (momentum, position) =
        (defect(cotangent_integrate::Target::Momentum), defect(cotangent_integrate::Target::Position));
    assert!(momentum < 1e-13, "{momentum:e}");
    assert!(position > 1e-3, "{position:e}");
}

/// A finding as a number.
fn number(finding: &Finding<f64>) -> f64 {
    if let Finding::Measured(value) = finding { *value } else { f64::NAN }
}

#[test]
fn one_step_at_a_tenth_is_symplectic_to_twelve_digits() {
    for (text, formulation) in [(PENDULUM, Formulation::Multipliers), (FREE, Formulation::Multipliers)] {
        let case = Case::new(text, formulation);
        for method in methods().into_iter().filter(|m| m.card().symplectic) {
            let Ok(prepared) = case.prepare(method, None) else { continue };
            let c = Certificate::new(&case.problem, &prepared, Options { step: 0.1, steps: 200 }).unwrap();
            let defect = number(&c.symplectic_defect.found);
            assert!(defect <= 1e-12, "{method:?}: {defect:e}");
        }
    }
    let case = Case::new(PENDULUM, Formulation::Standard);
    let prepared = case.prepared(Method::Rk4, None);
    let c = Certificate::new(&case.problem, &prepared, Options { step: 0.1, steps: 200 }).unwrap();
    assert!(number(&c.symplectic_defect.found) > 1e-6);
}
