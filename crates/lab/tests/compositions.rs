//! Compositions of symmetric methods: order, symplecticity, constraints.

mod problems;

use cotangent_integrate::{Composition, Method, Prepared, Recipe};
use cotangent_lab::Pendulum;
use cotangent_lab::certificate::{Certificate, Finding, Options, Subject, order_against};
use cotangent_scalar::Dd;
use cotangent_theory::Formulation;
use problems::{Case, DOUBLE, PENDULUM, shipped};

fn composed(case: &Case, method: Method, composition: Composition) -> Prepared {
    case.problem.prepare(Recipe::from(method).composed(composition)).unwrap()
}

#[test]
fn orders_on_the_pendulum_against_the_closed_form() {
    let number = Dd::from;
    let pendulum = Pendulum::new(number(1.0), [number(1.0), number(0.0)], [number(0.0), number(-2.0)]).unwrap();
    let case = Case::new(PENDULUM, Formulation::Multipliers);
    for (composition, step) in Composition::ALL.into_iter().map(|c| (c, if c.order() > 6 { 0.1 } else { 0.05 })) {
        let motion = pendulum.at(number(16.0) * number(step));
        let exact = [motion.position, motion.velocity].concat();
        let prepared = composed(&case, Method::Rattle, composition);
        let order = order_against(&Subject::new(&case.problem, &prepared), step, &exact, 1e-30).unwrap();
        assert!((order.value - f64::from(composition.order())).abs() < 0.1, "{composition:?}: {order:?}");
    }
}

#[test]
fn orders_on_the_double_pendulum_against_25_digits() {
    let case = Case::new(DOUBLE, Formulation::Multipliers);
    for composition in Composition::ALL {
        let step = if composition.order() > 6 { 0.05 } else { 0.02 };
        let prepared = composed(&case, Method::Rattle, composition);
        let c = Certificate::new(&case.problem, &prepared, Options { step, steps: 10 }).unwrap();
        let Finding::Measured(order) = &c.order.found else { panic!("{composition:?}: {:?}", c.order) };
        assert!((order.value - f64::from(composition.order())).abs() < 0.1, "{composition:?}: {order:?}");
    }
}

#[test]
fn a_composition_keeps_what_its_method_keeps() {
    for text in [PENDULUM, DOUBLE, &shipped("four-bar")] {
        let case = Case::new(text, Formulation::Multipliers);
        for composition in Composition::ALL {
            let prepared = composed(&case, Method::Rattle, composition);
            let c = Certificate::new(&case.problem, &prepared, Options { step: 0.05, steps: 500 }).unwrap();
            assert!(!c.symplectic_defect.broken(), "{composition:?}: {c:#?}");
            assert!(!c.symmetry_defect.broken(), "{composition:?}: {c:#?}");
            assert!(!c.constraint_defect.broken(), "{composition:?}: {c:#?}");
            assert!(!c.hidden_constraint_defect.broken(), "{composition:?}: {c:#?}");
            assert!(c.symplectic_defect.held.is_some() && c.constraint_defect.held.is_some());
        }
    }
}

#[test]
fn only_symmetric_methods_are_composed() {
    for (formulation, method) in [(Formulation::Standard, Method::Rk4), (Formulation::Multipliers, Method::Shake)] {
        let case = Case::new(PENDULUM, formulation);
        let refused = case.problem.prepare(Recipe::from(method).composed(Composition::KahanLi8)).unwrap_err();
        assert!(refused.to_string().contains("a symmetric method"), "{refused}");
    }
}

#[test]
fn kicks_that_are_merged_are_those_of_single_steps() {
    // With two stages the Lobatto pair is the Störmer–Verlet method, made stage by stage: its kicks are not merged.
    let single = Method::Lobatto3A3B { stages: 2 };
    let relativistic = "coord x, y\nhamiltonian sqrt(1 + 2*p_x^2 + p_x*p_y + p_y^2) + x^2 + y^2/2 + x^2*y/10\n\
        initial x = 0.4, p_x = 0.2, p_y = 0.3\n";
    for text in [shipped("henon-heiles"), relativistic.to_owned()] {
        let case = Case::new(&text, Formulation::Multipliers);
        for composition in Composition::ALL {
            let [merged, one_by_one] = [Method::StormerVerlet, single].map(|method| {
                let (run, _) = case.run(Recipe::from(method).composed(composition), 0.1, 20);
                run.state().values.clone()
            });
            for (a, b) in merged.iter().zip(&one_by_one) {
                assert!((a - b).abs() < 1e-14, "{text}, {composition:?}: {a} {b}");
            }
        }
    }
}
