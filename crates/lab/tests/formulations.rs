//! The formulations of the pendulum as Leimkuhler & Reich and Seiler ran them, against laws and an
//! independent computation; and what methods keep on each of them.

mod problems;

use cotangent_compile::Engine;
use cotangent_dynamics::{Advance, Measure, State};
use cotangent_integrate::{Method, Prepared, Recipe};
use cotangent_lab::certificate::Subject;
use cotangent_problem::Integrator;
use cotangent_scalar::{Dd, Real};
use cotangent_solve::NewtonOptions;
use cotangent_theory::Formulation;
use problems::{Case, DOUBLE, PENDULUM, RELATIVISTIC};

/// The largest |H − H₀|, |φ| and |ψ| of a run, and those of its end with their signs.
struct Seen {
    largest: [f64; 3],
    last: [f64; 3],
    energies: Vec<f64>,
    chart_changes: Option<u64>,
}

fn seen(case: &Case, prepared: &Prepared, step: f64, steps: usize) -> Seen {
    let p = &case.problem;
    let mut diagnostics = p.diagnostics().unwrap();
    let options = NewtonOptions::default();
    let mut integrator = Integrator::new(&p.equations, prepared, &p.parameters, options, Engine::Best).unwrap();
    let mut state = integrator.state(p.start.clone());
    let mut seen = Seen { largest: [0.0; 3], last: [0.0; 3], energies: vec![], chart_changes: None };
    let mut initial = None;
    for k in 0..=steps {
        let kept = diagnostics.kept(&state.values).unwrap();
        let first = *initial.get_or_insert(kept.energy);
        seen.energies.push(kept.energy - first);
        seen.last = [kept.energy - first, kept.constraints[0], kept.hidden_constraints[0]];
        (0..3).for_each(|i| seen.largest[i] = seen.largest[i].max(seen.last[i].abs()));
        if k < steps {
            integrator.advance(&mut state, step, 1).unwrap();
        }
    }
    seen.chart_changes = prepared.chart_changes(&state.memory);
    seen
}

fn pendulum(g: i32, formulation: Formulation) -> Case {
    Case::new(&PENDULUM.replace("g = 1", &format!("g = {g}")), formulation)
}

fn close(found: f64, expected: f64, relative: f64) {
    assert!((found / expected - 1.0).abs() < relative, "{found:e} and not {expected:e}");
}

#[test]
fn in_coordinate_charts_the_energy_drifts_at_the_law() {
    for h in [0.005, 0.0025] {
        let case = pendulum(0, Formulation::LocalChart { threshold: 1.0 });
        let prepared = case.prepared(Method::ImplicitMidpoint, None);
        let steps = (400.0 / h) as usize;
        let seen = seen(&case, &prepared, h, steps);
        assert!(seen.largest[1] < 1e-15 && seen.largest[2] < 1e-14, "{:?}", seen.largest);
        // Least squares: the slope of the energy over time.
        let n = seen.energies.len() as f64;
        let (t0, e0) = ((n - 1.0) / 2.0 * h, seen.energies.iter().sum::<f64>() / n);
        let moment =
            |f: &dyn Fn(usize, f64) -> f64| seen.energies.iter().enumerate().map(|(k, &e)| f(k, e)).sum::<f64>();
        let t = |k: usize| k as f64 * h - t0;
        let slope = moment(&|k, e| t(k) * (e - e0)) / moment(&|k, _| t(k) * t(k));
        close(slope, -64.0 / std::f64::consts::PI * h.powi(3), 0.05);
        // Four charts in the time π.
        let changes = seen.chart_changes.unwrap() as f64;
        assert!((changes - 4.0 * 400.0 / std::f64::consts::PI).abs() < 3.0, "{changes}");
    }
}

#[test]
fn diracs_hamiltonian_is_bounded() {
    // An independent computation with the same step: max |H − 2|, |φ|, |ψ| until t = 100.
    for (g, expected) in [(0, [3.882957e-2, 9.899592e-3, 1.979178e-2]), (1, [6.275756e-2, 1.179715e-2, 2.379930e-2])] {
        let case = pendulum(g, Formulation::Dirac { alpha: 0.0 });
        let seen = seen(&case, &case.prepared(Method::ImplicitMidpoint, None), 0.1, 1000);
        (0..3).for_each(|k| close(seen.largest[k], expected[k], 1e-5));
    }
}

#[test]
fn the_total_hamiltonian_is_unstable() {
    // At t = 1: H − 2, φ, ψ of an independent computation; without gravity also the law of a saddle.
    for (g, expected) in
        [(0, [5.2907326e-3, -1.315460e-3, -5.472025e-3]), (1, [2.30207931e-2, -3.647560e-3, -1.821351e-2])]
    {
        let case = pendulum(g, Formulation::Total);
        let seen = seen(&case, &case.prepared(Method::ImplicitMidpoint, None), 0.01, 100);
        (0..3).for_each(|k| close(seen.last[k], expected[k], 1e-5));
        if g == 0 {
            let h2 = 1e-4f64;
            close(seen.last[1], -h2 / 2.0 * (4f64.cosh() - 1.0), 1e-3);
            close(seen.last[2], -2.0 * h2 * 4f64.sinh(), 5e-3);
        }
    }
}

#[test]
fn gauss_methods_keep_constraints_and_energy_on_hamilton_dirac() {
    for stages in [1, 2, 3] {
        let case = pendulum(1, Formulation::HamiltonDirac);
        let seen = seen(&case, &case.prepared(Method::Gauss { stages }, None), 0.1, 1000);
        assert!(seen.largest.iter().all(|&l| l < 2e-13), "{stages} stages: {:?}", seen.largest);
    }
}

#[test]
fn the_midpoint_rule_on_impetus_and_striction_is_rattle() {
    // For quadratic constraints and uniform gravity, over a hundred steps and in any arithmetic.
    let masses = DOUBLE.replace(" + (x2 - y1)^4/10", "");
    for text in [PENDULUM, &masses] {
        let ends =
            [(Formulation::Multipliers, Method::Rattle), (Formulation::ImpetusStriction, Method::ImplicitMidpoint)]
                .map(|(formulation, method)| {
                    let case = Case::new(text, formulation);
                    let prepared = case.prepared(method, None);
                    let subject = Subject::new(&case.problem, &prepared);
                    let end = subject.walk(&subject.start::<Dd>().unwrap(), 0.02, 100).unwrap();
                    subject.model_state(&end).unwrap()
                });
        let apart = ends[0].iter().zip(&ends[1]).map(|(&a, &b)| (a - b).value().abs()).fold(0.0, f64::max);
        assert!(apart < 1e-24, "{apart:e}");
    }
}

#[test]
fn charts_of_several_constraints_agree_with_the_constrained_equations() {
    for (text, step) in [(PENDULUM, 0.01), (DOUBLE, 0.01), (RELATIVISTIC, 0.01)] {
        let end = |formulation, method| {
            let case = Case::new(text, formulation);
            let prepared = case.prepared(method, None);
            let subject = Subject::new(&case.problem, &prepared);
            subject.walk(&subject.start::<Dd>().unwrap(), step, 300).unwrap()
        };
        let exact = end(Formulation::HamiltonDirac, Method::Gauss { stages: 5 });
        for threshold in [1.0, 2.0] {
            let other = end(Formulation::LocalChart { threshold }, Method::Gauss { stages: 5 });
            let apart = exact.iter().zip(&other).map(|(&a, &b)| (a - b).value().abs()).fold(0.0, f64::max);
            assert!(apart < 1e-16, "{text}: {apart:e}");
        }
    }
}

#[test]
fn charts_may_be_given() {
    let case = pendulum(1, Formulation::LocalChart { threshold: 2.0 });
    let gauss = || Recipe::from(Method::Gauss { stages: 3 });
    let prepare = |charts: Vec<Vec<usize>>| case.problem.prepare(gauss().in_charts(charts));
    // Both coordinates in turn, as if chosen automatically.
    let both = seen(&case, &prepare(vec![vec![1], vec![0]]).unwrap(), 0.02, 200);
    let automatic = seen(&case, &case.prepared(Method::Gauss { stages: 3 }, None), 0.02, 200);
    assert_eq!(both.energies, automatic.energies);
    assert!(both.chart_changes.unwrap() > 2);
    // The height alone fits until the pendulum hangs.
    let one = prepare(vec![vec![1]]).unwrap();
    assert_eq!(seen(&case, &one, 0.02, 20).chart_changes, Some(0));
    for wrong in [vec![], vec![0, 1], vec![2]] {
        assert!(prepare(vec![wrong]).is_err());
    }
}

#[test]
fn a_run_in_charts_goes_on_from_its_state_alone() {
    for method in [Method::Bdf2, Method::Gauss { stages: 2 }, Method::Dopri5 { tolerance: Some(1e-9) }] {
        let case = pendulum(1, Formulation::LocalChart { threshold: 2.0 });
        let (p, prepared) = (&case.problem, case.prepared(method, None));
        let integrator =
            || Integrator::new(&p.equations, &prepared, &p.parameters, NewtonOptions::default(), Engine::Best);
        let (mut whole, mut first, mut second) = (integrator().unwrap(), integrator().unwrap(), integrator().unwrap());
        let mut expected = whole.state(p.start.clone());
        let mut state = expected.clone();
        whole.advance(&mut expected, 0.01, 400).unwrap();
        // In the middle of a chart.
        first.advance(&mut state, 0.01, 130).unwrap();
        second.advance(&mut state, 0.01, 270).unwrap();
        assert_eq!(state, expected, "{method:?}");
        assert!(prepared.chart_changes(&state.memory).unwrap() > 3);
    }
}

/// States before and after each step, with the number of changes of chart.
fn walked(case: &Case, method: Method, step: f64, steps: usize) -> Vec<(State<f64>, u64)> {
    let (p, prepared) = (&case.problem, case.prepared(method, None));
    let options = NewtonOptions::default();
    let mut integrator = Integrator::new(&p.equations, &prepared, &p.parameters, options, Engine::Best).unwrap();
    let mut state = integrator.state(p.start.clone());
    let mut walked = vec![(state.clone(), 0)];
    for _ in 0..steps {
        integrator.advance(&mut state, step, 1).unwrap();
        walked.push((state.clone(), prepared.chart_changes(&state.memory).unwrap()));
    }
    walked
}

#[test]
fn a_chart_is_left_where_another_is_better_by_the_threshold() {
    for threshold in [1.0, 2.0, 3.0] {
        let case = pendulum(1, Formulation::LocalChart { threshold });
        let walked = walked(&case, Method::ImplicitMidpoint, 0.01, 400);
        // |det G_D| of the one chart is |x|, of the other |y|.
        let ratio = |state: &State<f64>| {
            let [x, y] = [state.values[0].abs(), state.values[1].abs()];
            x.max(y) / x.min(y)
        };
        let changes: Vec<usize> = (1..walked.len()).filter(|&k| walked[k].1 > walked[k - 1].1).collect();
        assert!(changes.len() > 3, "{threshold}");
        for k in changes {
            let (before, earlier) = (ratio(&walked[k - 1].0), ratio(&walked[k - 2].0));
            assert!(
                before > threshold && (earlier <= threshold || threshold == 1.0),
                "{threshold}: {earlier} {before}"
            );
        }
    }
}

#[test]
fn a_method_with_a_past_starts_anew_in_another_chart() {
    let case = pendulum(1, Formulation::LocalChart { threshold: 1.0 });
    let walked = walked(&case, Method::Bdf2, 0.01, 200);
    let (p, prepared) = (&case.problem, case.prepared(Method::Bdf2, None));
    let options = NewtonOptions::default();
    let mut integrator = Integrator::new(&p.equations, &prepared, &p.parameters, options, Engine::Best).unwrap();
    let mut changes = 0;
    for k in (1..walked.len()).filter(|&k| walked[k].1 > walked[k - 1].1) {
        let mut anew = integrator.state(walked[k - 1].0.values.clone());
        integrator.advance(&mut anew, 0.01, 1).unwrap();
        assert_eq!(anew.values, walked[k].0.values, "step {k}");
        changes += 1;
    }
    assert!(changes > 1);
}

#[test]
fn reactions_are_those_of_the_physical_momentum() {
    // On the circle μ = p² − g y, whatever the variables of the equations are.
    for formulation in
        [Formulation::ImpetusStriction, Formulation::LocalChart { threshold: 1.0 }, Formulation::Standard]
    {
        let case = pendulum(1, formulation);
        let (p, prepared) = (&case.problem, case.prepared(Method::Gauss { stages: 3 }, None));
        let mut diagnostics = p.diagnostics().unwrap();
        let options = NewtonOptions::default();
        let mut integrator = Integrator::new(&p.equations, &prepared, &p.parameters, options, Engine::Best).unwrap();
        let mut state = integrator.state(p.start.clone());
        integrator.advance(&mut state, 0.01, 130).unwrap();
        let (mut model, mut mu) = ([0.0; 4], [0.0]);
        diagnostics.model_state(&state.values, &mut model).unwrap();
        diagnostics.multipliers(&state.values, &mut mu).unwrap();
        let [x, y, px, py] = model;
        assert!((x * px + y * py).abs() < 1e-8, "{formulation:?}");
        assert!((mu[0] - (px * px + py * py - y)).abs() < 1e-7, "{formulation:?}: {mu:?}");
    }
}
