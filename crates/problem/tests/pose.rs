//! Starts of the equations that the analysis leads to.

use cotangent_compile::Engine;
use cotangent_compile::values::Setting;
use cotangent_model::System;
use cotangent_problem::pose;
use cotangent_problem::{Instance, PoseError, ProblemError, Repairs};
use cotangent_theory::{Formulation, TheoryError};

fn posed(text: &str, project_initial: bool, set: &[Setting]) -> Instance {
    let system = System::parse(text).unwrap_or_else(|d| panic!("{d}"));
    let repairs = Repairs { project_initial, drop_redundant: false };
    pose(&system, Formulation::HamiltonDirac, set, repairs, Engine::Tape).unwrap_or_else(|e| panic!("{e}"))
}

fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (k, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() < 1e-14, "entry {k}: {found:?} and not {expected:?}");
    }
}

const TIED: &str = "param m = 2\ncoord x, y, lambda\nlagrangian m*(x'^2 + y'^2)/2 - y^2/2 - lambda*(x - y)\n";

/// p_x = p_y has to hold: a velocity that was given keeps its momentum, and the other one gives way.
#[test]
fn a_given_velocity_is_a_given_momentum() {
    // m x'' = −λ and m y'' = −y + λ: λ = y/2.
    let given = |which: &str| posed(&format!("{TIED}initial x = 1, y = 1, {which}' = 3, lambda = 1/2\n"), true, &[]);
    for which in ["x", "y"] {
        close(&given(which).start, &[1.0, 1.0, 0.5, 6.0, 6.0, 0.0]);
    }
    // From the command line, too.
    let set = [Setting { name: "y'".into(), index: None, value: 3.0 }];
    close(
        &posed(&format!("{TIED}initial x = 1, y = 1, lambda = 1/2\n"), true, &set).start,
        &[1.0, 1.0, 0.5, 6.0, 6.0, 0.0],
    );
    // Neither was given: nothing has to move. Both: they meet half-way.
    close(
        &posed(&format!("{TIED}initial x = 1, y = 1, lambda = 1/2\n"), false, &[]).start,
        &[1.0, 1.0, 0.5, 0.0, 0.0, 0.0],
    );
    let both = posed(&format!("{TIED}initial x = 1, y = 1, x' = 3, y' = 1, lambda = 1/2\n"), true, &[]);
    close(&both.start, &[1.0, 1.0, 0.5, 4.0, 4.0, 0.0]);
}

/// The multipliers of velocity constraints are coordinates: p = ∂L/∂q̇ with them, whatever the other constraints.
#[test]
fn multipliers_of_velocity_constraints_come_with_the_velocities() {
    let text = "coord x, y, z, w\nlagrangian (x'^2 + y'^2 + z'^2 + w'^2)/2\nconstraint tie: w = x\n\
        vakonomic contact: z' - y*x' + x*y' = 0\ninitial x = 1, w = 1, y = 2, x' = 1, w' = 1, y' = 1/2, z' = 3/2, \
        lambda_contact = 1/4\n";
    let problem = posed(text, false, &[]);
    let names = problem.equations.motion.state.entry_names();
    let of = |name: &str| problem.start[names.iter().position(|n| n == name).unwrap_or_else(|| panic!("{names:?}"))];
    // L + λ (z' − y x' + x y'), up to the sign of λ, which is that of the model's multipliers.
    let sign = (of("p_z") - 1.5) / 0.25;
    assert!(sign.abs() == 1.0, "{sign}");
    close(
        &["lambda_contact", "p_x", "p_y", "p_z", "p_w", "p_lambda_contact"].map(of),
        &[0.25, 1.0 - sign * 0.25 * 2.0, 0.5 + sign * 0.25, 1.5 + sign * 0.25, 1.0, 0.0],
    );
}

/// (x² + y² − 1)² has no gradient where it vanishes: no start is better than another, in whatever formulation, and the
/// regular constraint is offered. x² + y² = r² at the origin is a start to be changed.
#[test]
fn an_irregular_constraint_is_replaced_and_not_started_elsewhere() {
    let refused = |constraint: &str, start: &str, formulation| {
        let text = format!(
            "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + y\nconstraint rod: {constraint} = 0\ninitial {start}\n"
        );
        let system = System::parse(&text).unwrap();
        pose(&system, formulation, &[], Repairs::default(), Engine::Tape).map(|_| ()).unwrap_err()
    };
    use cotangent_analysis::MotionError;
    use cotangent_problem::PoseError;
    for formulation in [Formulation::Multipliers, Formulation::HamiltonDirac, Formulation::Ggl] {
        for (constraint, start) in [("(x^2 + y^2 - 1)^2", "x = 1, p_y = -2"), ("3*(x - y^2)^4", "y = 1, x = 1")] {
            match refused(constraint, start, formulation) {
                PoseError::Motion(MotionError::Irregular { constraint, instead, .. }) => {
                    assert_eq!((constraint.as_str(), instead.len()), ("rod", 1), "{formulation:?}");
                }
                other => panic!("{formulation:?}: {other}"),
            }
        }
    }
    // The circle touches the line, or the pair of lines, in all points that they have in common: there y² = 0.
    for line in ["x", "x^2"] {
        let touching = format!("x^2 + y^2 - 1 = 0\nconstraint line: {line} - 1");
        match refused(&touching, "x = 1", Formulation::Multipliers) {
            PoseError::Motion(MotionError::Touching { constraint, others, instead }) => {
                assert_eq!(
                    (constraint.as_str(), others.join(","), instead.join(",")),
                    ("rod", "line".into(), "y".into())
                );
            }
            other => panic!("{line}: {other}"),
        }
    }
    let cone = refused("x^2 - y^2*(1 + y)", "x = 0, y = 0", Formulation::Multipliers);
    assert!(matches!(cone, PoseError::Problem(_)), "{cone}");
}

#[test]
fn a_stop_before_the_beginning_is_heard() {
    use cotangent_analysis::{AnalysisError, MotionError};
    use cotangent_problem::{Model, PoseError};
    use cotangent_scalar::{Interrupted, Limits};
    let limits = Limits::default();
    limits.cancel.set();
    let system = System::parse("coord x, y\nlagrangian x'^2/2 + y*x\n").unwrap();
    let model = std::sync::Arc::new(Model::new(&system, &limits));
    let posed = model.pose(Formulation::HamiltonDirac, &[], Repairs::default(), Engine::Tape).err();
    assert_eq!(posed, Some(PoseError::Motion(MotionError::Analysis(AnalysisError::Interrupted(Interrupted)))));
}

/// Burgers' equation on 26 cells has 26 constraints, and 26 variables are kept: 27 systems of 26² entries, each a sum of 52
/// products. That is refused before any of them is written down; `dirac-bracket` writes down the brackets alone.
#[test]
fn equations_that_would_not_fit_into_memory_are_refused_with_their_size() {
    let text = include_str!("../../../models/burgers.cot").replace("param n : int = 6", "param n : int = 26");
    let system = System::parse(&text).unwrap_or_else(|d| panic!("{d}"));
    let refused = pose(&system, Formulation::Slaved, &[], Repairs::default(), Engine::Tape).err();
    let Some(PoseError::Problem(ProblemError::Theory(TheoryError::TooManyTerms { formulation, terms, .. }))) = refused
    else {
        panic!("{refused:?}")
    };
    assert_eq!((formulation, terms), ("slaved", 27 * 26 * 26 * 52));
}
