//! From a model to a problem with a consistent start, or why there is none.

use super::gauge::{self, has_tau};
use super::impossible::impossible;
use crate::failure::{Code, Failure};
use crate::figures::{listed, number, short};
use crate::loaded::Loaded;
use crate::session::Session;
use cotangent_analysis::{self as analysis, MotionError};
use cotangent_compile::{CompileError, Engine};
use cotangent_expr::{Array, Error as ExprError, Expr, Layout};
use cotangent_model::nearest::nearest;
use cotangent_model::{ConstraintKind, Dynamics, OrbitParameter, System};
use cotangent_problem::consistency::Measured;
use cotangent_problem::{Instance, Need, PoseError, ProblemError, Redundant, irregular};
use cotangent_theory::{Formulation, Space, TheoryError};

pub(crate) use cotangent_problem::Repairs;

/// Derives, compiles and checks; says what was repaired.
pub(crate) fn pose(
    model: &Loaded,
    formulation: Formulation,
    repairs: Repairs,
    session: &mut Session<'_>,
) -> Result<Instance, Failure> {
    let problem = posed(model, formulation, repairs).map_err(|error| explained(error, model, repairs))?;
    remark(&problem, &model.system, repairs, session);
    caution(&problem, session);
    Ok(problem)
}

/// Says of a formulation that projects the bracket that its motion is another one.
pub(crate) fn caution(problem: &Instance, session: &mut Session<'_>) {
    let motion = &problem.equations.motion;
    if motion.formulation == Formulation::Projected && motion.is_constrained() {
        session.note(
            "the motion of `projected` is not that of the model: the forces of the constraints are left out; its bracket is \
             antisymmetric, so that the energy is conserved, and in general violates Jacobi's identity",
        );
    }
}

/// The same in silence.
pub(crate) fn posed(model: &Loaded, formulation: Formulation, repairs: Repairs) -> Result<Instance, PoseError> {
    model.model.pose(formulation, &model.settings, repairs, Engine::Best)
}

/// What is said of a model that makes no problem.
pub(crate) fn explained(error: PoseError, model: &Loaded, repairs: Repairs) -> Failure {
    match error {
        _ if model.limits.cancel.is_set() => Failure::interrupted(),
        PoseError::Problem(error) => explain(error, model, repairs),
        PoseError::Motion(error) => match dependent_velocities(model, repairs) {
            Some(dependent) => explain(dependent, model, repairs),
            None => undetermined(&error, model),
        },
    }
}

/// Velocity constraints that say the same twice, or nothing, are first class for the analysis: that is not what is wrong.
fn dependent_velocities(model: &Loaded, repairs: Repairs) -> Option<ProblemError> {
    let restricts = |c: &cotangent_model::Constraint| c.kind == ConstraintKind::Vakonomic && !c.array.is_empty();
    if !model.system.constraints.iter().any(restricts) {
        return None;
    }
    match posed(model, Formulation::IndexOne, repairs) {
        Err(PoseError::Problem(
            error @ (ProblemError::DependentVelocities { .. } | ProblemError::Unrestricting { .. }),
        )) => Some(error),
        _ => None,
    }
}

/// Says what was repaired.
pub(crate) fn remark(problem: &Instance, system: &System, repairs: Repairs, session: &mut Session<'_>) {
    let formulation = problem.equations.motion.formulation;
    if !problem.dropped.is_empty() {
        let verb = if problem.dropped.len() == 1 { "it depends" } else { "they depend" };
        session.note(format!("left out {}: {verb} on other constraints", dependent(&problem.dropped)));
    }
    let implied = implied(problem, system);
    if !implied.is_empty() {
        let verb = if implied.len() == 1 { "it depends" } else { "they depend" };
        session.note(format!("left out {}: {verb} on other constraints", listed(&implied)));
    }
    let unrestricted = !problem.equations.motion.is_constrained()
        && formulation != Formulation::IndexOne
        && problem.equations.motion.system.constraints.is_empty();
    if formulation != Formulation::Multipliers && !formulation.has_time() && unrestricted {
        session.note(format!("there are no constraints: `{}` makes no difference", formulation.name()));
    }
    if problem.equations.motion.velocity.is_some() {
        for found in cotangent_analysis::integrable(system).unwrap_or_default() {
            let what = match &found.integral {
                Some(f) => format!("{f} stays what it is"),
                None => "a function of the positions stays what it is".to_owned(),
            };
            session.note(format!("the velocity constraint `{}` is integrable: {what}", found.constraint));
        }
        if let Ok(Some(names)) = cotangent_analysis::jointly_integrable(system) {
            let list: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            session.note(format!(
                "the velocity constraints {} are integrable together: {} functions of the positions stay what they are",
                list.join(", "),
                names.len()
            ));
        }
    }
    if !problem.determined.is_empty() {
        let one = |(name, value): &(String, f64)| format!("{name} = {}", number(*value));
        let values: Vec<String> = problem.determined.iter().take(MOST).map(one).collect();
        let more = if problem.determined.len() > MOST { ", …" } else { "" };
        let other: Vec<String> = problem.alternative.iter().take(MOST).map(one).collect();
        let choice = match other.is_empty() {
            true => String::new(),
            false => format!("; they may also be {}{more}: `initial` chooses", other.join(", ")),
        };
        session.note(format!("the constraints determine the initial values {}{more}{choice}", values.join(", ")));
    }
    if let Some(advice) = standstill(problem, system) {
        session.note(format!(
            "nothing moves: the Hamiltonian vanishes, and no gauge condition contains the parameter `{tau}` of the orbit; \
             {advice} makes it move",
            tau = OrbitParameter::NAME
        ));
    }
    let moved = moved(problem);
    if !moved.is_empty() {
        let what = match repairs.project_initial {
            true => "the initial data were moved onto the constraints",
            false => "rounding of the initial data was removed",
        };
        session.note(format!("{what}: {}", moved.join(", ")));
    }
}

/// How far positions and momenta were moved, where that is more than the rounding of their values.
fn moved(problem: &Instance) -> Vec<String> {
    let coordinates = problem.equations.motion.system.dynamics.variables().len();
    let (positions, momenta) = problem.start.split_at(coordinates.min(problem.start.len()));
    let parts = [("positions", positions), ("momenta", momenta)].into_iter().zip(problem.moved.into_iter().flatten());
    let rounding = |values: &[f64]| f64::EPSILON * values.iter().fold(0.0, |size, v| v.abs().max(size));
    parts
        .filter(|((_, values), by)| *by > rounding(values))
        .map(|((name, _), by)| format!("{name} by up to {}", short(by)))
        .collect()
}

/// Constraints of a bracket, with backticks, that the analysis did not need: they follow from the others.
fn implied(problem: &Instance, system: &System) -> Vec<String> {
    let motion = &problem.equations.motion;
    let (Dynamics::Poisson { .. }, Space::Surface(surface) | Space::Reduced(surface)) =
        (&system.dynamics, &motion.space)
    else {
        return vec![];
    };
    let needed = [&surface.constraints, &surface.hidden].map(|t| t.shape()[0].entry_names()).concat();
    let stated = system.constraints.iter().flat_map(|c| Layout::new(vec![c.array.clone()]).entry_names());
    stated.filter(|name| !needed.contains(name)).map(|name| format!("`{name}`")).collect()
}

/// What would make a coordinate the clock, where the path has no parameter and every condition keeps it where
/// it is: then H_T = H_c = 0.
fn standstill(problem: &Instance, system: &System) -> Option<String> {
    if system.gauges.is_empty() || system.orbit_parameter.is_some() {
        return None;
    }
    let energy = problem.equations.motion.system.dynamics.energy().expand().ok()?;
    let vanishes = energy.entries().iter().all(Expr::is_zero);
    let coordinate = system.dynamics.variables().entry_names().into_iter().next()?;
    let clock = |coordinate: &str| format!("a clock such as `gauge clock: {coordinate} = {}`", OrbitParameter::NAME);
    vanishes.then(|| match has_tau(system) {
        true => format!("rename the `{}` of the model, to `t` say, and {}", OrbitParameter::NAME, clock("t")),
        false => clock(&coordinate),
    })
}

fn explain(error: ProblemError, model: &Loaded, repairs: Repairs) -> Failure {
    let name = &model.system.name;
    let text = error.to_string();
    match error {
        ProblemError::Value(error) => error.into(),
        ProblemError::Theory(error) => underivable(&error, model),
        ProblemError::Given => Failure::new(Code::DoesNotFit, text),
        ProblemError::Number(_) => Failure::new(Code::Option, text).help("choose another --opt"),
        ProblemError::Compile(error) => {
            let failure = Failure::new(Code::Compile, text);
            match error {
                error if error.is_too_large() => failure.help(SMALLER),
                CompileError::Expression(ExprError::Poisoned(_)) => failure.help(
                    "a number in a formula, or in a derivative of one, is beyond what can be computed with: write it in \
                     other units, or as a parameter",
                ),
                _ => failure,
            }
        }
        ProblemError::Inconsistent { residuals } => {
            // Constraints that the model does not state are shown by the analysis.
            let stated = residuals.iter().all(|m| states(&model.system, &m.name));
            let verb = if stated { "check` shows every residual" } else { "analyze` derives these constraints" };
            Failure::new(Code::Inconsistent, violated(&residuals)).help(no_data(model, repairs).unwrap_or_else(|| {
                format!("--project-initial moves the data onto the constraints; --set gives others; `cotangent {verb}")
            }))
        }
        ProblemError::Redundant { .. } => Failure::new(Code::Redundant, format!("redundant constraints: {text}"))
            .help("--drop-redundant goes on without them; the motion is the same"),
        ProblemError::Contradictory { .. } => {
            Failure::new(Code::Contradictory, text).help("correct one of them: no initial data can satisfy them all")
        }
        ProblemError::SingularStart { constraints } => singular_start(&constraints, text, model),
        ProblemError::Unresisted { .. } => {
            Failure::new(Code::Singular, text).help(match analysis::constraints_within(&model.system, &model.limits) {
                Ok(_) => WAY_OUT,
                Err(_) => "give every coordinate that the constraint restricts a kinetic energy",
            })
        }
        ProblemError::Scale { .. } => Failure::new(Code::Scale, text)
            .help("divide the constraint by a number of the size of its terms: the motion is the same"),
        ProblemError::SingularBrackets { .. } => Failure::new(Code::Singular, text)
            .help("start from other data (--set); `cotangent analyze MODEL --set …` looks at special parameters"),
        ProblemError::DependentVelocities { .. } => Failure::new(Code::Singular, text)
            .help("take it out if the others imply it; otherwise start elsewhere (--set)"),
        ProblemError::Unrestricting { .. } => Failure::new(Code::Singular, text)
            .help("write the constraint in another way, or start elsewhere (--set)"),
        ProblemError::DependentTogether { .. } => Failure::new(Code::Singular, text)
            .help("take one of them out if the others imply it; otherwise start elsewhere (--set)"),
        ProblemError::NotIndexOne { .. } if matches!(model.system.dynamics, Dynamics::Lagrangian { .. }) => {
            Failure::new(Code::Singular, text).help(
                "give every velocity a kinetic energy or a constraint, and every constraint a velocity; start elsewhere \
                 (--set) if the equations are singular there alone",
            )
        }
        ProblemError::NotIndexOne { .. } => Failure::new(Code::Singular, text).help(
            "a multiplier in which the energy is linear belongs to a constraint on positions: write that as \
             `constraint`; --formulation hamilton-dirac runs what Dirac's analysis makes of the model as it is",
        ),
        ProblemError::Contradicted { .. } => Failure::new(Code::Inconsistent, text)
            .help("leave it out of `initial`, or project the initial data with --project-initial"),
        ProblemError::UnknownVariable { name, known } => {
            let help = match nearest(&name, known.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", known.join(", ")),
            };
            Failure::new(Code::UnknownCoordinate, text).help(help)
        }
        ProblemError::Keep { .. } | ProblemError::Charts { .. } => {
            Failure::new(Code::Chart, text).help("--chart x1,x2,… names the variables that are kept, all in one list")
        }
        ProblemError::Unkept { .. } => Failure::new(Code::Chart, text)
            .help("keep others with --chart, or none to have them chosen; `dirac-bracket` keeps all variables"),
        ProblemError::NotProjected(_) => {
            let help = no_data(model, repairs).unwrap_or_else(|| match repairs.project_initial {
                true => "start nearer to the constraints (--set), or correct the model if they contradict each other".into(),
                false => "correct the initial data (--set)".into(),
            });
            Failure::new(Code::NotProjected, text).help(help)
        }
        ProblemError::NoRate(why) => {
            match (&model.system.dynamics, why.singular()) {
                (Dynamics::Form { .. }, Some(singular)) => {
                    let rate = undetermined_rate(model, singular.row);
                    let message = format!("no equations of motion for `{name}`: its form is a singular matrix{rate}");
                    return Failure::new(Code::SingularForm, message).help(way_out(model));
                }
                (Dynamics::Lagrangian { .. }, Some(_)) => {
                    let message =
                        format!("no equations of motion for `{name}`: its velocity Hessian is a singular matrix");
                    return Failure::new(Code::SingularLagrangian, message).help(way_out(model));
                }
                _ => {}
            }
            // The analysis keeps parameters as symbols, and does not see what their values do.
            let need = model.model.need(&model.settings);
            let degenerate = matches!(need, Ok(Some(Need::Lagrangian | Need::Form)));
            Failure::new(Code::NoValue, text).help(match degenerate && !model.system.parameters.is_empty() {
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
    // No other start helps where they are dependent wherever they hold.
    if let Some(error) = irregular(&model.system, constraints, &model.limits) {
        return undetermined(&error, model);
    }
    Failure::new(Code::Singular, text)
        .help("the forces are not determined there: start from another configuration (--set)")
}

/// What helps where no initial data do.
fn no_data(model: &Loaded, repairs: Repairs) -> Option<String> {
    Some(format!("correct the model: {}", impossible(model, repairs)?))
}

/// Whether a model states a constraint with this name, or a family with this member; others follow from the model.
pub(super) fn states(system: &System, name: &str) -> bool {
    let has = |array: &Array| {
        let is_member = |k: usize| array.element_name(&array.multi_index(k)) == name;
        array.name() == name || (0..array.len()).any(is_member)
    };
    system.constraints.iter().any(|c| has(&c.array))
}

/// The constraints that initial data violate, and by how much.
fn violated(residuals: &[Measured]) -> String {
    let one = |m: &Measured| match m.is_rate {
        true => format!("`{}` changes at the rate {}", m.name, short(m.value)),
        false => format!("`{}` is off by {}", m.name, short(m.value)),
    };
    let mut parts: Vec<String> = residuals.iter().take(MOST).map(one).collect();
    if residuals.len() > MOST {
        parts.push(format!("{} more do not hold", residuals.len() - MOST));
    }
    format!("the initial data violate the constraints: {}", parts.join(", "))
}

/// More are only counted.
const MOST: usize = 6;

/// What helps where a model is too large for what its formulation or method asks for.
pub(super) const SMALLER: &str = "a smaller model may pass, or another formulation: `multipliers` needs least";

/// The variable whose rate a singular matrix does not determine: that of a row.
fn undetermined_rate(model: &Loaded, row: usize) -> String {
    let layout = model.system.dynamics.variables();
    match row < layout.len() {
        true => format!(" that does not determine the rate of `{}`", layout.entry_name(row)),
        false => String::new(),
    }
}

fn underivable(error: &TheoryError, model: &Loaded) -> Failure {
    let (code, help) = match error {
        TheoryError::NotHolonomic { .. } => (Code::NotHolonomic, way_out(model)),
        TheoryError::SingularLagrangian { .. } => (Code::SingularLagrangian, way_out(model)),
        TheoryError::NotCanonical { .. } => (Code::NotCanonical, "choose another formulation".into()),
        TheoryError::Unfit { .. } => (Code::DoesNotFit, "choose another --formulation".into()),
        TheoryError::TooManyTerms { .. } => (
            Code::DoesNotFit,
            "choose a smaller model, or another --formulation: `dirac-bracket` has the same motion".into(),
        ),
        TheoryError::NoFlow { .. } => (Code::DoesNotFit, KNOWN_FLOWS.into()),
        TheoryError::NoConstraintFlow { .. } | TheoryError::Unrestrained(_) => (Code::DoesNotFit, UNRESTRAINED.into()),
        TheoryError::Expression(_) => {
            (Code::Derive, "this is a limit of the derivation; a smaller model may pass".into())
        }
    };
    Failure::new(code, format!("no equations of motion for `{}`: {error}", model.system.name)).help(help)
}

/// What helps where the flow of a part of the energy is not known.
pub(super) const KNOWN_FLOWS: &str = "name parts whose flows are known in the model, `split A = …, B = …`: where a part moves \
    variables, their rates may be constant, or linear in them (growth, rotations); an implicit method needs no parts";

/// What helps where constraints are not held by the flows that they generate.
pub(super) const UNRESTRAINED: &str = "take another method, such as `gauss`, or a formulation with fewer variables: `slaved` or \
    `dirac-coordinates`";

const WAY_OUT: &str = "--formulation hamilton-dirac integrates it: `cotangent analyze` finds the constraints it needs";

/// What Dirac's analysis makes of a model that has no equations of motion by itself.
fn way_out(model: &Loaded) -> String {
    match analysis::constraints_within(&model.system, &model.limits) {
        Ok(_) => {
            "--formulation hamilton-dirac integrates it: `cotangent analyze` finds the constraints it needs".into()
        }
        Err(error) => format!("--formulation hamilton-dirac does not help: {error}; {}", remedy(&error, model)),
    }
}

/// Why the analysis leads to no equations of motion.
fn undetermined(error: &MotionError, model: &Loaded) -> Failure {
    let code = match error {
        MotionError::FirstClass { .. } => Code::FirstClass,
        MotionError::Overfixed { .. } => Code::Overfixed,
        MotionError::Irregular { .. } | MotionError::Touching { .. } => Code::Irregular,
        MotionError::Inconsistent { .. } => Code::NoMotion,
        MotionError::Undecided { .. } => Code::Undecided,
        MotionError::Analysis(_) => Code::Analysis,
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
            match states(&model.system, constraint) {
                true => format!("state {instead} instead: the same points, and forces that are determined there"),
                false => format!(
                    "the model does not state it: it follows, and no force holds it; `cotangent analyze` shows what \
                     is found with {instead} in its place"
                ),
            }
        }
        MotionError::Touching { constraint, instead, .. } => {
            let instead: Vec<String> = instead.iter().map(|e| format!("{e} = 0")).collect();
            format!(
                "state {} in the place of `{constraint}`: with the others the same points, and forces that are determined \
                 there",
                instead.join(", ")
            )
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
