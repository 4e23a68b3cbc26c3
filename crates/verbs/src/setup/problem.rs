//! From a model to a problem with a consistent start, or why there is none.

use super::gauge;
use crate::failure::Failure;
use crate::figures::{number, short};
use crate::loaded::Loaded;
use crate::session::Session;
use cotangent_analysis::{self as analysis, MotionError};
use cotangent_compile::Engine;
use cotangent_model::Dynamics;
use cotangent_problem::consistency::Measured;
use cotangent_problem::{self as problem, Instance, Need, PoseError, ProblemError, Redundant};
use cotangent_theory::{Formulation, TheoryError};

pub(crate) use cotangent_problem::Repairs;

/// Derives, compiles and checks; says what was repaired.
pub(crate) fn pose(
    model: &Loaded,
    formulation: Formulation,
    repairs: Repairs,
    session: &mut Session<'_>,
) -> Result<Instance, Failure> {
    let problem = posed(model, formulation, repairs)?;
    remark(&problem, repairs, session);
    Ok(problem)
}

/// The same in silence.
pub(crate) fn posed(model: &Loaded, formulation: Formulation, repairs: Repairs) -> Result<Instance, Failure> {
    let posed = model.model.pose(formulation, &model.settings, repairs, Engine::Best);
    posed.map_err(|error| explained(error, model, repairs))
}

/// What is said of a model that makes no problem.
pub(super) fn explained(error: PoseError, model: &Loaded, repairs: Repairs) -> Failure {
    match error {
        _ if model.limits.cancel.is_set() => Failure::interrupted(),
        PoseError::Problem(error) => explain(error, model, repairs),
        PoseError::Motion(error) => undetermined(&error, model),
    }
}

/// Says what was repaired.
pub(crate) fn remark(problem: &Instance, repairs: Repairs, session: &mut Session<'_>) {
    let formulation = problem.equations.motion.formulation;
    if !problem.dropped.is_empty() {
        let verb = if problem.dropped.len() == 1 { "it depends" } else { "they depend" };
        session.note(format!("left out {}: {verb} on other constraints", dependent(&problem.dropped)));
    }
    if formulation != Formulation::Multipliers && !problem.equations.motion.is_constrained() {
        session.note(format!("there are no constraints: `{}` makes no difference", formulation.name()));
    }
    if !problem.determined.is_empty() {
        let one = |(name, value): &(String, f64)| format!("{name} = {}", number(*value));
        let values: Vec<String> = problem.determined.iter().take(MOST).map(one).collect();
        let more = if problem.determined.len() > MOST { ", …" } else { "" };
        session.note(format!("the constraints determine the initial values {}{more}", values.join(", ")));
    }
    match problem.moved {
        Some([q, p]) if repairs.project_initial => session.note(format!(
            "the initial data were moved onto the constraints: positions by up to {}, momenta by up to {}",
            short(q),
            short(p)
        )),
        Some([q, p]) => session.note(format!(
            "rounding of the initial data was removed: positions moved by up to {}, momenta by up to {}",
            short(q),
            short(p)
        )),
        None => {}
    }
}

fn explain(error: ProblemError, model: &Loaded, repairs: Repairs) -> Failure {
    let name = &model.system.name;
    let text = error.to_string();
    match error {
        ProblemError::Value(error) => error.into(),
        ProblemError::Theory(error) => underivable(&error, model),
        ProblemError::Compile(_) => Failure::new("compile", text)
            .help("a smaller model may pass, or another formulation: `multipliers` needs least"),
        ProblemError::Inconsistent { residuals } => {
            // Constraints that the model does not state are shown by the analysis.
            let stem =
                |m: &Measured| m.name.trim_start_matches("d/dt ").split('[').next().unwrap_or_default().to_owned();
            let stated = residuals.iter().all(|m| model.system.constraint(&stem(m)).is_some());
            let verb = if stated { "check` shows every residual" } else { "analyze` derives these constraints" };
            Failure::new("inconsistent", violated(&residuals)).help(format!(
                "--project-initial moves the data onto the constraints; --set gives others; `cotangent {verb}"
            ))
        }
        ProblemError::Redundant { .. } => Failure::new("redundant", format!("redundant constraints: {text}"))
            .help("--drop-redundant goes on without them; the motion is the same"),
        ProblemError::Contradictory { .. } => {
            Failure::new("contradictory", text).help("correct one of them: no initial data can satisfy them all")
        }
        ProblemError::SingularStart { constraints } => singular_start(&constraints, text, model),
        ProblemError::Unresisted { .. } => {
            Failure::new("singular", text).help(match analysis::motion_within(&model.system, &model.limits) {
                Ok(_) => WAY_OUT,
                Err(_) => "give every coordinate that the constraint restricts a kinetic energy",
            })
        }
        ProblemError::Scale { .. } => Failure::new("scale", text)
            .help("divide the constraint by a number of the size of its terms: the motion is the same"),
        ProblemError::SingularBrackets { .. } => Failure::new("singular", text)
            .help("start from other data (--set); `cotangent analyze MODEL --set …` looks at special parameters"),
        ProblemError::NotProjected(_) => {
            let help = match repairs.project_initial {
                true => "start nearer to the constraints (--set), or correct the model if they contradict each other",
                false => "correct the initial data (--set)",
            };
            Failure::new("not-projected", text).help(help)
        }
        ProblemError::NoRate(_)
            if matches!(model.system.dynamics, Dynamics::Form { .. }) && text.contains("singular") =>
        {
            let message =
                format!("no equations of motion for `{name}`: its form is a singular matrix{}", row(model, &text));
            Failure::new("singular-form", message).help(way_out(model))
        }
        ProblemError::NoRate(_)
            if matches!(model.system.dynamics, Dynamics::Lagrangian { .. }) && text.contains("singular") =>
        {
            let message = format!("no equations of motion for `{name}`: its velocity Hessian is a singular matrix");
            Failure::new("singular-lagrangian", message).help(way_out(model))
        }
        ProblemError::NoRate(_) => {
            // The analysis keeps parameters as symbols, and does not see what their values do.
            let need = problem::needs_analysis(&model.system, &model.settings);
            let degenerate = matches!(need, Ok(Some(Need::Lagrangian | Need::Form)));
            Failure::new("no-value", text).help(match degenerate && !model.system.parameters.is_empty() {
                true => {
                    "the model is singular at these values of its parameters: write them into it as numbers, and \
                         Dirac's analysis finds the constraints"
                }
                false => "start from other data (--set)",
            })
        }
    }
}

/// Constraints that are dependent where the run starts: by chance, or wherever they hold.
fn singular_start(constraints: &[Redundant], text: String, model: &Loaded) -> Failure {
    // A gradient that vanishes may do so wherever the constraint does; no other start helps then.
    if constraints.iter().any(|r| r.on.is_empty())
        && let Err(error @ MotionError::Irregular { .. }) = analysis::motion_within(&model.system, &model.limits)
    {
        return undetermined(&error, model);
    }
    Failure::new("singular", text).help("the forces are not determined there: start from another configuration (--set)")
}

/// The constraints that initial data violate, and by how much.
fn violated(residuals: &[Measured]) -> String {
    let one = |m: &Measured| match m.name.strip_prefix("d/dt ") {
        Some(name) => format!("`{name}` changes at the rate {}", short(m.value)),
        None => format!("`{}` is off by {}", m.name, short(m.value)),
    };
    let mut parts: Vec<String> = residuals.iter().take(MOST).map(one).collect();
    if residuals.len() > MOST {
        parts.push(format!("{} more do not hold", residuals.len() - MOST));
    }
    format!("the initial data violate the constraints: {}", parts.join(", "))
}

/// More are only counted.
const MOST: usize = 6;

/// The variable whose rate a singular matrix does not determine, from "(row 6)".
fn row(model: &Loaded, text: &str) -> String {
    let digits = |rest: &str| rest.split_once(')').and_then(|(number, _)| number.parse::<usize>().ok());
    let position = text.rsplit_once("(row ").and_then(|(_, rest)| digits(rest));
    let layout = model.system.dynamics.variables();
    match position.filter(|&k| k < layout.len()) {
        Some(k) => format!(" that does not determine the rate of `{}`", layout.entry_name(k)),
        None => String::new(),
    }
}

fn underivable(error: &TheoryError, model: &Loaded) -> Failure {
    let (code, help) = match error {
        TheoryError::NotHolonomic { .. } => ("not-holonomic", way_out(model)),
        TheoryError::SingularLagrangian { .. } => ("singular-lagrangian", way_out(model)),
        TheoryError::NotCanonical { .. } => ("not-canonical", "choose another formulation".into()),
        TheoryError::Unfit { .. } => ("does-not-fit", "choose another --formulation".into()),
        TheoryError::Expression(_) => ("derive", "this is a limit of the derivation; a smaller model may pass".into()),
    };
    Failure::new(code, format!("no equations of motion for `{}`: {error}", model.system.name)).help(help)
}

const WAY_OUT: &str = "--formulation hamilton-dirac integrates it: `cotangent analyze` finds the constraints it needs";

/// What Dirac's analysis makes of a model that has no equations of motion by itself.
fn way_out(model: &Loaded) -> String {
    match analysis::motion_within(&model.system, &model.limits) {
        Ok(_) => {
            "--formulation hamilton-dirac integrates it: `cotangent analyze` finds the constraints it needs".into()
        }
        Err(error) => format!("--formulation hamilton-dirac does not help: {error}; {}", remedy(&error, model)),
    }
}

/// Why the analysis leads to no equations of motion.
fn undetermined(error: &MotionError, model: &Loaded) -> Failure {
    let code = match error {
        MotionError::FirstClass { .. } => "first-class",
        MotionError::Overfixed { .. } => "overfixed",
        MotionError::Irregular { .. } => "irregular",
        MotionError::Inconsistent { .. } => "no-motion",
        MotionError::Undecided { .. } => "undecided",
        MotionError::Analysis(_) => "analysis",
    };
    let message = format!("no equations of motion for `{}`: {error}", model.system.name);
    Failure::new(code, message).help(remedy(error, model))
}

fn remedy(error: &MotionError, model: &Loaded) -> String {
    match error {
        MotionError::FirstClass { .. } => match gauge::proposed(model) {
            Some(statement) => format!(
                "`{statement}` in the model chooses one motion among them; `cotangent analyze` shows what the \
                 constraints generate"
            ),
            None => "a `gauge NAME: …` statement in the model chooses one motion among them; `cotangent analyze` \
                     shows what the constraints generate"
                .into(),
        },
        MotionError::Overfixed { .. } => {
            "take back conditions; `cotangent analyze` shows what is first class without them".into()
        }
        MotionError::Irregular { constraint, instead, .. } if !instead.is_empty() => {
            let instead: Vec<String> = instead.iter().map(|e| format!("{e} = 0")).collect();
            let instead = instead.join(", ");
            match model.system.constraint(constraint.split('[').next().unwrap_or_default()) {
                Some(_) => format!("state {instead} instead: the same points, and forces that are determined there"),
                None => format!(
                    "the model does not state it: it follows, and no force holds it; `cotangent analyze` shows what \
                     is found with {instead} in its place"
                ),
            }
        }
        _ => "`cotangent analyze` shows how far it got".into(),
    }
}

fn dependent(list: &[Redundant]) -> String {
    let mut names: Vec<String> = list.iter().take(MOST).map(|r| format!("`{}`", r.name)).collect();
    if list.len() > MOST {
        names.push(format!("{} more", list.len() - MOST));
    }
    names.join(", ")
}
