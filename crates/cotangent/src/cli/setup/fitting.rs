//! Whether a method fits, and which others do.

use super::Choice;
use crate::cli::failure::Failure;
use crate::cli::figures::listed;
use cotangent::compile::{Compiled, Engine, Native, Problem};
use cotangent::integrate::{Method, Prepared, Refusal};
use cotangent::model::{ConstraintKind, System};
use cotangent::theory::Formulation;

/// Plans a method for a problem; a refusal names the constraints at stake and what fits instead.
pub(crate) fn prepare(choice: &Choice, problem: &Problem) -> Result<Prepared, Failure> {
    if let Some(message) = loses_order(choice) {
        return Err(Failure::new("does-not-fit", message).help("leave out --project, or take a one-step method"));
    }
    let view = problem.compiled.view(Native, problem.parameters.clone());
    let Choice { method, composition, projection, .. } = *choice;
    Prepared::composed(method, composition, projection, &view).map_err(|refusal| explain(&refusal, choice, problem))
}

/// The same where others are tried, too: why not is enough.
pub(crate) fn fits(choice: &Choice, problem: &Problem) -> Result<Prepared, String> {
    if let Some(message) = loses_order(choice) {
        return Err(message.to_owned());
    }
    let view = problem.compiled.view(Native, problem.parameters.clone());
    let Choice { method, composition, projection, .. } = *choice;
    Prepared::composed(method, composition, projection, &view).map_err(|refusal| refusal.to_string())
}

fn loses_order(choice: &Choice) -> Option<&'static str> {
    let resets = choice.projection.is_some_and(|p| p.target.momenta());
    let resets = resets && choice.formulation == Formulation::ImpetusStriction;
    (resets && choice.method == Method::Bdf2).then_some(
        "`bdf2` would lose its order: a projection of the momenta resets the striction, and the step before, which \
         it goes on from, knows nothing of that",
    )
}

fn explain(refusal: &Refusal, choice: &Choice, problem: &Problem) -> Failure {
    let (method, formulation) = (choice.method.name(), choice.formulation.name());
    let constraints = constraints(&problem.motion.system);
    let fitting = || match fitting(choice, problem) {
        list if list.is_empty() => "no method fits this model yet".to_owned(),
        list => format!("these fit: {list}"),
    };
    match refusal {
        Refusal::IgnoresConstraints { .. } => {
            let message = format!("`{method}` knows no constraints: it would ignore {constraints}");
            Failure::new("ignores-constraints", message).help(fitting())
        }
        Refusal::UnknownMultipliers { .. } => {
            let message = format!(
                "`{method}` integrates ordinary differential equations, and in the formulation `{formulation}` the \
                 forces of {constraints} are unknowns: it would ignore them"
            );
            Failure::new("unknown-multipliers", message).help(fitting())
        }
        Refusal::NotCanonical { .. } if constraints.is_empty() => {
            let message = format!("`{method}` is for coordinates and momenta, and this model has neither");
            Failure::new("not-canonical", message).help(fitting())
        }
        Refusal::NotCanonical { .. } => {
            let message = format!(
                "`{method}` solves for the forces of {constraints} itself, and the formulation `{formulation}` \
                 has eliminated them"
            );
            Failure::new("not-canonical", message).help(fitting())
        }
        Refusal::NotComposable { .. } => {
            Failure::new("not-composable", refusal.to_string()).help("compose `rattle`, or another symmetric method")
        }
        Refusal::NothingToProjectOn => {
            Failure::new("nothing-to-project", "the model has no constraints to project on").help("leave out --project")
        }
        Refusal::Tolerance { .. } => Failure::new("tol", refusal.to_string()).help("choose another --tol"),
        Refusal::Stages { .. } => Failure::new("stages", refusal.to_string()).help("choose another --stages"),
        Refusal::TooLarge(_) => Failure::new("too-large", refusal.to_string()).help("choose another method"),
        Refusal::Failure(_) => Failure::new("evaluate", refusal.to_string()),
        // A composition that does not fit, a method that is for constraints only.
        _ => Failure::new("does-not-fit", refusal.to_string()).help(fitting()),
    }
}

/// The constraints on positions, families with their ranges.
fn constraints(system: &System) -> String {
    let holonomic = system.constraints.iter().filter(|c| c.kind == ConstraintKind::Holonomic && !c.array.is_empty());
    let name = |c: &cotangent::model::Constraint| match c.array.dims() {
        [] => format!("`{}`", c.array.name()),
        dims => {
            let ranges: Vec<String> = dims.iter().map(|d| format!("{}..{}", d.first, d.last())).collect();
            format!("`{}[{}]`", c.array.name(), ranges.join(", "))
        }
    };
    let mut names: Vec<String> = holonomic.map(name).collect();
    if names.len() > MOST {
        let more = names.len() - MOST;
        names.truncate(MOST);
        names.push(format!("{more} more"));
    }
    listed(&names)
}

/// More constraints are only counted.
const MOST: usize = 6;

/// Every method that fits, by formulation.
fn fitting(choice: &Choice, problem: &Problem) -> String {
    let mut parts: Vec<(Vec<&'static str>, Vec<&'static str>)> = vec![];
    for formulation in Formulation::ALL {
        let Ok(motion) = formulation.apply(&problem.motion.system) else { continue };
        let Ok(compiled) = Compiled::new(&motion, Engine::Tape) else { continue };
        let view = compiled.view(Native, problem.parameters.clone());
        let fits = |m: &Method| Prepared::composed(*m, choice.composition, choice.projection, &view).is_ok();
        let methods: Vec<&str> = Method::ALL.into_iter().filter(fits).map(Method::name).collect();
        match parts.iter_mut().find(|(_, known)| *known == methods) {
            Some((formulations, _)) => formulations.push(formulation.name()),
            None if !methods.is_empty() => parts.push((vec![formulation.name()], methods)),
            None => {}
        }
    }
    let everywhere = |formulations: &[&str]| formulations.len() == Formulation::ALL.len();
    let part = |(formulations, methods): &(Vec<&str>, Vec<&str>)| match everywhere(formulations) {
        true => format!("--method {}", methods.join(", ")),
        false => format!("--method {} (with --formulation {})", methods.join(", "), formulations.join(", ")),
    };
    parts.iter().map(part).collect::<Vec<_>>().join("; ")
}
