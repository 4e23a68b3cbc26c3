//! Every method on systems from text: a step as one native function, replayed, and in parts, are
//! the same numbers; failures leave the state alone.

#[path = "common/systems.rs"]
mod systems;

use cotangent_compile::Engine;
use cotangent_dynamics::Advance;
use cotangent_integrate::{Method, Projection, Target};
use cotangent_theory::Formulation;
use systems::{Case, DOUBLE, FREE, RELATIVISTIC, SPEEDY, shipped};

use Formulation::{Dirac, HamiltonDirac, ImpetusStriction, IndexReduced, LocalChart, Multipliers, Penalty, Standard};

/// (name, text, n, formulation, methods).
type Line = (&'static str, String, Option<i64>, Formulation, Vec<Method>);

fn cases() -> Vec<Line> {
    let radau = Method::Radau2A { stages: 2 };
    let constrained = vec![Method::Rattle, Method::Shake, Method::Lobatto3A3B { stages: 3 }, Method::Bdf2, radau];
    let free = vec![
        Method::SymplecticEuler,
        Method::StormerVerlet,
        Method::ImplicitMidpoint,
        Method::Gauss { stages: 3 },
        Method::Rk4,
    ];
    let field = vec![Method::ImplicitMidpoint, Method::Gauss { stages: 2 }, Method::Rk4, Method::Bdf2, radau];
    vec![
        ("pendulum", shipped("pendulum"), None, Multipliers, constrained.clone()),
        ("pendulum", shipped("pendulum"), None, Standard, field.clone()),
        ("double", DOUBLE.into(), None, Multipliers, constrained.clone()),
        ("double", DOUBLE.into(), None, Standard, field.clone()),
        ("double", DOUBLE.into(), None, HamiltonDirac, field.clone()),
        ("double", DOUBLE.into(), None, IndexReduced, vec![Method::Bdf2, radau]),
        ("double", DOUBLE.into(), None, Dirac { alpha: 0.5 }, field.clone()),
        ("double", DOUBLE.into(), None, ImpetusStriction, field.clone()),
        ("double", DOUBLE.into(), None, LocalChart { threshold: 1.0 }, field.clone()),
        ("chain", shipped("chain"), Some(3), Penalty { epsilon: 1e-4 }, vec![Method::ImplicitMidpoint]),
        ("relativistic", RELATIVISTIC.into(), None, ImpetusStriction, field.clone()),
        ("relativistic", RELATIVISTIC.into(), None, LocalChart { threshold: 2.0 }, field.clone()),
        ("relativistic", RELATIVISTIC.into(), None, Multipliers, constrained.clone()),
        ("chain", shipped("chain"), Some(6), Multipliers, constrained.clone()),
        ("four-bar-angles", shipped("four-bar-angles"), None, Multipliers, constrained.clone()),
        ("four-bar", shipped("four-bar"), None, Multipliers, constrained.clone()),
        ("water", shipped("water"), None, Multipliers, constrained.clone()),
        ("speedy", SPEEDY.into(), None, Multipliers, constrained),
        ("kepler", shipped("kepler"), None, Multipliers, free.clone()),
        ("henon-heiles", shipped("henon-heiles"), None, Multipliers, free.clone()),
        ("free", FREE.into(), None, Multipliers, free),
        ("rigid-body", shipped("rigid-body"), None, Multipliers, field),
    ]
}

#[test]
fn whole_steps_replayed_steps_and_steps_in_parts_are_the_same_numbers() {
    for (name, text, n, formulation, methods) in cases() {
        let (best, tape) =
            (Case::new(&text, n, formulation, Engine::Best), Case::new(&text, n, formulation, Engine::Tape));
        for method in methods {
            let mut runs = [
                best.integrator(method, None, Engine::Best),
                best.integrator(method, None, Engine::Tape),
                best.in_parts(method, None),
                tape.in_parts(method, None),
            ];
            let ends: Vec<Vec<u64>> = runs
                .iter_mut()
                .map(|run| {
                    let mut state = run.state(best.start.clone());
                    run.advance(&mut state, 0.01, 100).unwrap_or_else(|e| panic!("{name} {method:?}: {e:?}"));
                    run.advance(&mut state, 0.005, 1).unwrap();
                    state.values.iter().chain(&state.carry).map(|v| v.to_bits()).collect()
                })
                .collect();
            for end in &ends[1..] {
                assert_eq!(end, &ends[0], "{name} {method:?}");
            }
            let iterations: Vec<u64> = runs.iter().map(|r| r.iterations()).collect();
            assert!(iterations.iter().all(|&i| i == iterations[0]), "{name} {method:?}: {iterations:?}");
            // The others are too large to be recorded, or decide on the way.
            if [Multipliers, IndexReduced, Standard, HamiltonDirac].contains(&formulation) {
                assert_eq!(runs[0].is_whole() || runs[0].is_looped(), name != "speedy", "{name} {method:?}");
            }
        }
    }
}

#[test]
fn projections_are_the_same_numbers_in_parts_and_whole() {
    let case = Case::new(DOUBLE, None, Formulation::Standard, Engine::Best);
    for target in [Target::Position, Target::Momentum, Target::Both] {
        let projection = Some(Projection { target, above: None });
        let mut runs = [case.integrator(Method::Rk4, projection, Engine::Best), case.in_parts(Method::Rk4, projection)];
        assert!(runs[0].is_whole() && !runs[1].is_whole());
        let ends = runs.each_mut().map(|run| {
            let mut state = run.state(case.start.clone());
            run.advance(&mut state, 0.05, 50).unwrap();
            state
        });
        assert_eq!(ends[0], ends[1]);
        let counts = case.prepared(Method::Rk4, projection).projections(&ends[0].memory).unwrap();
        let expected = match target {
            Target::Position => [50, 0],
            Target::Momentum => [0, 50],
            _ => [50, 50],
        };
        assert_eq!(counts, expected);
    }
}

#[test]
fn a_step_that_cannot_be_made_leaves_the_state_and_says_why() {
    let case = Case::new(&shipped("chain"), Some(3), Formulation::Multipliers, Engine::Best);
    for mut run in [case.integrator(Method::Rattle, None, Engine::Best), case.in_parts(Method::Rattle, None)] {
        let mut state = run.state(case.start.clone());
        // So large a step overshoots: no multiplier brings the end back onto the constraint.
        let (done, failure) = run.advance(&mut state, 50.0, 10).unwrap_err();
        assert_eq!((done, &state.values), (0, &case.start), "{failure}");
        run.advance(&mut state, 0.01, 10).unwrap();
    }
}

#[test]
fn an_unknown_that_vanishes_ends_compiled_and_replayed_iterations_alike() {
    // From rest in small steps, the momentum along the second link is zero for many of them.
    let case = Case::new(&shipped("chain"), Some(2), Penalty { epsilon: 1e-4 }, Engine::Best);
    let mut runs =
        [case.integrator(Method::ImplicitMidpoint, None, Engine::Best), case.in_parts(Method::ImplicitMidpoint, None)];
    assert!(runs[0].is_whole());
    let ends = runs.each_mut().map(|run| {
        let mut state = run.state(case.start.clone());
        run.advance(&mut state, 1e-4, 40).unwrap();
        (state, run.iterations())
    });
    assert_eq!(ends[0], ends[1]);
}
