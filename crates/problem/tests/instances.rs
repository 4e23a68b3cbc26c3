//! Equations are compiled once for as many values as are asked for, in any thread, with the same bits.

use cotangent_compile::Engine;
use cotangent_compile::values::Setting;
use cotangent_dynamics::{Advance, Measure};
use cotangent_integrate::Method;
use cotangent_model::System;
use cotangent_problem::{Equations, Instance, Repairs};
use cotangent_theory::Formulation;
use std::sync::Arc;

fn model(name: &str) -> System {
    let file = format!("{}/../../models/{name}.cot", env!("CARGO_MANIFEST_DIR"));
    System::parse(&std::fs::read_to_string(file).unwrap()).unwrap()
}

fn settings(parameter: &str, k: usize) -> Vec<Setting> {
    vec![Setting { name: parameter.into(), index: None, value: 1.0 + k as f64 / 37.0 }]
}

/// The state after some steps, and the energy there, to the bit.
fn run(instance: &Instance, method: Method) -> Vec<u64> {
    let prepared = instance.prepare(method).unwrap();
    let mut integrator = instance.integrator(&prepared).unwrap();
    let mut state = integrator.state(instance.start.clone());
    integrator.advance(&mut state, 0.01, 20).unwrap();
    let energy = instance.diagnostics().unwrap().kept(&state.values).unwrap().energy;
    state.values.iter().chain([&energy]).map(|v| v.to_bits()).collect()
}

/// Models, a parameter of each, a formulation and a method.
fn cases() -> Vec<(System, &'static str, Formulation, Method)> {
    vec![
        (model("pendulum"), "g", Formulation::Multipliers, Method::Rattle),
        (model("four-bar"), "g", Formulation::Multipliers, Method::Rattle),
        (model("pendulum"), "g", Formulation::HamiltonDirac, Method::Gauss { stages: 2 }),
        (model("pendulum"), "g", Formulation::LocalChart { threshold: 1.0 }, Method::ImplicitMidpoint),
        (model("pendulum"), "g", Formulation::ImpetusStriction, Method::Dop853 { tolerance: Some(1e-9) }),
        (model("chain"), "g", Formulation::Standard, Method::Rk4),
        (model("kepler"), "mu", Formulation::Multipliers, Method::StormerVerlet),
        (model("lorenz-86"), "b", Formulation::Multipliers, Method::Gauss { stages: 3 }),
        (model("rigid-body"), "I1", Formulation::Multipliers, Method::ImplicitMidpoint),
    ]
}

#[test]
fn an_instance_of_shared_equations_is_the_one_that_has_its_own() {
    for (system, parameter, formulation, method) in cases() {
        let shared = Arc::new(Equations::new(&system, formulation, Engine::Best).unwrap());
        for k in 0..5 {
            let set = settings(parameter, k);
            let one = shared.instance(&set, Repairs::default()).unwrap();
            let own = Instance::new(&system, formulation, &set, Repairs::default(), Engine::Best).unwrap();
            assert_eq!((&one.parameters, &one.start), (&own.parameters, &own.start));
            assert_eq!(run(&one, method), run(&own, method), "{} {k}", system.name);
        }
    }
}

#[test]
fn numbers_of_a_formulation_are_inputs_too() {
    let system = model("pendulum");
    let shared = |formulation| {
        let equations = Arc::new(Equations::new(&system, formulation, Engine::Best).unwrap());
        equations.instance(&[], Repairs::default()).unwrap()
    };
    let own = |f| Instance::new(&system, f, &[], Repairs::default(), Engine::Best).unwrap();
    let cases = [
        (Formulation::Baumgarte { alpha: 5.0, beta: 5.0 }, "beta"),
        (Formulation::Penalty { epsilon: 1e-2 }, "epsilon"),
        (Formulation::Dirac { alpha: 0.0 }, "alpha"),
        (Formulation::LocalChart { threshold: 1.0 }, "threshold"),
    ];
    for (formulation, name) in cases {
        let one = shared(formulation);
        let mut states = vec![];
        for value in [1.5, 2.0, 7.25] {
            let other = one.with_number(name, value).unwrap();
            let wanted = own(formulation.with_number(name, value).unwrap());
            assert_eq!((&other.parameters, other.formulation), (&wanted.parameters, wanted.formulation));
            states.push(run(&other, Method::Rk4));
            assert_eq!(states.last(), Some(&run(&wanted, Method::Rk4)), "{name} = {value}");
            let same = Arc::ptr_eq(&other.equations, &one.equations);
            assert_eq!(same, name != "threshold", "{name}");
        }
        // No chart is changed within so few steps.
        assert_eq!(states[0] == states[2], name == "threshold", "{name}");
        assert!(one.with_number("gamma", 1.0).is_err() && one.with_number(name, f64::NAN).is_err());
    }
}

#[test]
fn two_threads_get_the_same_bits() {
    for (system, parameter, formulation, method) in cases() {
        let shared = Arc::new(Equations::new(&system, formulation, Engine::Best).unwrap());
        let all = |shared: &Arc<Equations>| -> Vec<Vec<u64>> {
            let one = |k| run(&shared.instance(&settings(parameter, k), Repairs::default()).unwrap(), method);
            (0..8).map(one).collect()
        };
        let [a, b] = std::thread::scope(|s| {
            let [a, b] = [s.spawn(|| all(&shared)), s.spawn(|| all(&shared))];
            [a.join().unwrap(), b.join().unwrap()]
        });
        assert_eq!(a, b);
        assert_eq!(a, all(&shared));
    }
}

#[test]
fn what_depends_on_values_is_asked_of_an_instance() {
    let text = "param l = 1\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + y\nconstraint rod: x^2 + y^2 - l^2 = 0\n\
        initial x = 1\n";
    let equations =
        Arc::new(Equations::new(&System::parse(text).unwrap(), Formulation::Standard, Engine::Tape).unwrap());
    let of = |l: f64, project_initial: bool| {
        let set = [Setting { name: "l".into(), index: None, value: l }];
        equations.instance(&set, Repairs { project_initial, drop_redundant: false })
    };
    assert!(of(1.0, false).is_ok());
    assert!(matches!(of(2.0, false), Err(cotangent_problem::ProblemError::Inconsistent { .. })));
    let moved = of(2.0, true).unwrap();
    assert_eq!((moved.start[0], moved.moved.map(|m| m[0])), (2.0, Some(1.0)));
    assert!(of(f64::NAN, false).is_err());
}

#[test]
fn equations_go_to_other_threads() {
    fn both<T: Send + Sync>() {}
    fn sent<T: Send>() {}
    both::<Equations>();
    sent::<Instance>();
}
