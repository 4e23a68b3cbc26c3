//! Whether a method fits, and which others do.

use super::problem::{KNOWN_FLOWS, SMALLER, UNRESTRAINED};
use super::{Selection, charts};
use crate::failure::{Code, Failure};
use crate::figures::{listed, short};
use crate::reason::Reason;
use cotangent_compile::{CompileError, values};
use cotangent_dynamics::{Failure as Unmade, Misuse};
use cotangent_expr::{Array, Error as ExprError};
use cotangent_integrate::{Method, Needs, Prepared, Refusal};
use cotangent_model::System;
use cotangent_problem::{Instance, offer};
use cotangent_theory::{Formulation, Law, Motion, Splitting};
use std::cell::OnceCell;

/// Plans a method for a problem; a refusal names the constraints at stake and what fits instead.
pub(crate) fn prepare(choice: &Selection, problem: &Instance) -> Result<Prepared, Failure> {
    if let Some(message) = misprojected(choice) {
        return Err(Failure::new(Code::DoesNotFit, message)
            .help("leave out --project, or choose another formulation or method"));
    }
    if choice.method.card().needs == Needs::Split {
        let system = &problem.equations.motion.system;
        let found = values::split_difference(system, &problem.parameters)?;
        if let Some(found) = found.filter(|found| found.relative > values::SPLIT_TOLERANCE) {
            let names: Vec<&str> = system.splits.iter().map(|part| part.array.name()).collect();
            let point = system.state().entry_names().into_iter().zip(&found.point);
            let point: Vec<String> = point.take(MOST).map(|(name, z)| format!("{name} = {}", short(*z))).collect();
            let message = format!(
                "the parts of `split` do not add up to the energy: H - ({}) is {} at {}{}",
                names.join(" + "),
                short(found.difference),
                point.join(", "),
                if found.point.len() > MOST { ", …" } else { "" }
            );
            return Err(Failure::new(Code::DoesNotFit, message).help("correct a part, or add one with what is missing"));
        }
    }
    // Where some variables are kept, they are in the equations already.
    let kept = choice.formulation.keeps_some() && problem.equations.motion.is_constrained();
    let charts = if kept { vec![] } else { charts::named(&choice.charts, problem)? };
    let recipe = choice.recipe(choice.method).in_charts(charts);
    problem.prepare(recipe).map_err(|refusal| explain(&refusal, choice, problem))
}

/// The same where others are tried, too, charts aside: why not is enough.
pub(crate) fn fits(choice: &Selection, problem: &Instance) -> Result<Prepared, Reason> {
    if let Some(message) = misprojected(choice) {
        return Err(Reason::new(Code::DoesNotFit, message));
    }
    problem.prepare(choice.recipe(choice.method)).map_err(|refusal| match unknown_flow(choice, problem) {
        Some((why, _)) if matches!(refusal, Refusal::Failure(_)) => Reason::new(Code::DoesNotFit, why),
        _ => Reason::new(code(&refusal), refusal.to_string()),
    })
}

/// Why a method that is made of flows has none on these equations, and what would do: that of a part of the energy or of a
/// constraint is not known, or the constraints are not held by flows.
fn unknown_flow(choice: &Selection, problem: &Instance) -> Option<(String, &'static str)> {
    let motion = &problem.equations.motion;
    let of_parts = |system: &System| Splitting::new(system).err().map(|e| (e.to_string(), KNOWN_FLOWS));
    match (choice.method, &motion.law) {
        (method, _) if method.card().needs == Needs::Split => of_parts(&motion.system),
        (Method::Reich { inner }, Law::Bracket(bracket)) => match bracket.restrained.as_ref()? {
            Err(why) => Some((why.to_string(), UNRESTRAINED)),
            Ok(restrained) => match restrained.flows() {
                Err(why) => Some((why.to_string(), UNRESTRAINED)),
                Ok(_) if inner.method().card().needs == Needs::Split => of_parts(&restrained.system),
                Ok(_) => None,
            },
        },
        _ => None,
    }
}

/// Why a projection makes no sense with the formulation.
fn misprojected(choice: &Selection) -> Option<&'static str> {
    let target = choice.projection?.target;
    let card = choice.formulation.card();
    if card.unprojected.is_some() {
        return card.unprojected;
    }
    let resets = target.momenta() && card.resets;
    (resets && choice.method == Method::Bdf2).then_some(
        "`bdf2` would lose its order: a projection of the momenta resets the striction, and the step before, which \
         it goes on from, knows nothing of that",
    )
}

/// What programs call a refusal.
fn code(refusal: &Refusal) -> Code {
    match refusal {
        Refusal::IgnoresConstraints { .. } => Code::IgnoresConstraints,
        Refusal::UnknownMultipliers { .. } => Code::UnknownMultipliers,
        Refusal::NotCanonical { .. } => Code::NotCanonical,
        Refusal::NotComposable { .. } => Code::NotComposable,
        Refusal::NotSeparately { .. } => Code::NotSeparately,
        Refusal::NothingToProjectOn => Code::NothingToProject,
        Refusal::IndexTwo { .. } => Code::Index,
        Refusal::NoCharts => Code::NoCharts,
        Refusal::Chart { .. } => Code::Chart,
        Refusal::Threshold { .. } => Code::Threshold,
        Refusal::Tolerance { .. } => Code::Tol,
        Refusal::Stages { .. } => Code::Stages,
        Refusal::NoStageSolver { .. } => Code::DoesNotApply,
        Refusal::TooLarge(_) => Code::TooLarge,
        Refusal::Failure(_) if is_too_large(refusal) => Code::TooLarge,
        Refusal::Failure(_) => Code::Evaluate,
        // A composition or projection that does not fit, a method that is for constraints only.
        _ => Code::DoesNotFit,
    }
}

/// Whether the derivatives of the equations of a step would be too large.
fn is_too_large(refusal: &Refusal) -> bool {
    let Refusal::Failure(Unmade::Misused(Misuse::Source(source))) = refusal else { return false };
    let of_expressions = source.error().downcast_ref().is_some_and(|e| matches!(e, ExprError::TooLarge { .. }));
    of_expressions || source.error().downcast_ref().is_some_and(CompileError::is_too_large)
}

fn explain(refusal: &Refusal, choice: &Selection, problem: &Instance) -> Failure {
    let (method, formulation) = (choice.method.name(), choice.formulation.name());
    let constraints = constraints(&problem.equations.motion);
    let fitting = || match fitting(choice, problem) {
        list if list.is_empty() => "no method fits this model yet".to_owned(),
        list => format!("these fit: {list}"),
    };
    let failure = |message: String| Failure::new(code(refusal), message);
    match refusal {
        Refusal::IgnoresConstraints { .. } => {
            failure(format!("`{method}` knows no constraints: it would ignore {constraints}")).help(fitting())
        }
        Refusal::UnknownMultipliers { .. } if constraints.is_empty() => failure(format!(
            "`{method}` integrates ordinary differential equations, and in the formulation `{formulation}` some variables \
             have no rate: they follow from the others"
        ))
        .help(fitting()),
        Refusal::UnknownMultipliers { .. } => failure(format!(
            "`{method}` integrates ordinary differential equations, and in the formulation `{formulation}` the forces \
             of {constraints} are unknowns: it would ignore them"
        ))
        .help(fitting()),
        Refusal::NotCanonical { .. } if is_extended(&problem.equations.motion) => failure(format!(
            "`{method}` is for coordinates and momenta, and here velocities and multipliers are variables beside them: L is \
             not quadratic, or a constraint not linear in the velocities"
        ))
        .help(fitting()),
        Refusal::NotCanonical { .. } if !problem.equations.motion.is_constrained() => {
            failure(format!("`{method}` is for coordinates and momenta, and this model has neither")).help(fitting())
        }
        Refusal::NotCanonical { .. } => failure(match choice.method.card().needs {
            Needs::Unconstrained => format!(
                "`{method}` is for models without constraints, not for the equations that the formulation \
                 `{formulation}` makes of {constraints}"
            ),
            _ => format!(
                "`{method}` solves for the forces of {constraints} itself, and the formulation `{formulation}` has \
                 eliminated them"
            ),
        })
        .help(fitting()),
        Refusal::NotSeparately { target } => failure(format!(
            "--project {}: {constraints} were found by Dirac's analysis and mix the variables, so that they are \
             projected on all at once",
            target.name()
        ))
        .help("choose --project both"),
        Refusal::NothingToProjectOn => {
            failure("the model has no constraints to project on".to_owned()).help("leave out --project")
        }
        Refusal::IndexTwo { .. } => failure(format!(
            "`{method}` holds {constraints}, and the formulation `{formulation}` has the time derivatives in their place"
        ))
        .help(fitting()),
        Refusal::NoCharts => failure("--chart is for --formulation local-chart with constraints, and for those of brackets that keep some variables".to_owned())
            .help("leave out --chart, or choose that formulation"),
        refusal => {
            let failure = failure(refusal.to_string());
            match refusal {
                Refusal::NotComposable { .. } => failure.help("compose `rattle`, or another symmetric method"),
                Refusal::Chart { .. } => {
                    failure.help("--chart takes as many coordinates as there are degrees of freedom, such as x,y[3]")
                }
                Refusal::Threshold { .. } => failure.help("choose --opt threshold=2"),
                Refusal::SymmetricProjection { .. } => failure.help("project `both` after each step instead"),
                Refusal::Tolerance { .. } => failure.help("choose another --tol"),
                Refusal::Stages { .. } => failure.help("choose another --stages"),
                Refusal::NoStageSolver { .. } => failure.help("leave out --stage-solver, or take `gauss`"),
                Refusal::NotIterated { .. } => failure.help("leave out --stage-solver, or take --stage-solver newton"),
                Refusal::TooLarge(_) => failure.help("choose another method"),
                Refusal::Failure(_) => match unknown_flow(choice, problem) {
                    Some((why, help)) => Failure::new(Code::DoesNotFit, why).help(help),
                    None if is_too_large(refusal) => failure.help(SMALLER),
                    None => failure,
                },
                _ => failure.help(fitting()),
            }
        }
    }
}

/// The constraints, families with their ranges.
fn constraints(motion: &Motion) -> String {
    let arrays = motion.system.constraints.iter().map(|c| &c.array).filter(|a| !a.is_empty());
    let name = |array: &Array| match array.dims() {
        [] => format!("`{}`", array.name()),
        dims => {
            let ranges: Vec<String> = dims.iter().map(|d| format!("{}..{}", d.first, d.last())).collect();
            format!("`{}[{}]`", array.name(), ranges.join(", "))
        }
    };
    let mut names: Vec<String> = arrays.map(name).collect();
    if names.len() > MOST {
        let more = names.len() - MOST;
        names.truncate(MOST);
        names.push(format!("{more} more"));
    }
    listed(&names)
}

/// More constraints are only counted, more variables not shown.
const MOST: usize = 6;

/// Every method that fits, by formulation: from tables, without deriving what nobody asked for.
fn fitting(choice: &Selection, problem: &Instance) -> String {
    let mut parts: Vec<(Vec<&'static str>, Vec<&'static str>)> = vec![];
    let known = OnceCell::new();
    let flows = || *known.get_or_init(|| Splitting::new(&problem.equations.motion.system).is_ok());
    for formulation in Formulation::ALL {
        let Some(offer) = offer(&problem.equations.motion, formulation) else { continue };
        let fits = |m: &Method| offer.admits(&choice.recipe(*m)).is_ok() && (m.card().needs != Needs::Split || flows());
        let methods: Vec<&str> = Method::ALL.into_iter().filter(fits).map(Method::name).collect();
        match parts.iter_mut().find(|(_, known)| *known == methods) {
            Some((formulations, _)) => formulations.push(formulation.name()),
            None if !methods.is_empty() => parts.push((vec![formulation.name()], methods)),
            None => {}
        }
    }
    let offered = Formulation::ALL.into_iter().filter(|f| offer(&problem.equations.motion, *f).is_some()).count();
    let everywhere = |formulations: &[&str]| formulations.len() == offered;
    let part = |(formulations, methods): &(Vec<&str>, Vec<&str>)| match everywhere(formulations) {
        true => format!("--method {}", methods.join(", ")),
        false => format!("--method {} (with --formulation {})", methods.join(", "), formulations.join(", ")),
    };
    parts.iter().map(part).collect::<Vec<_>>().join("; ")
}

/// Whether velocities and multipliers are variables beside coordinates and momenta.
fn is_extended(motion: &Motion) -> bool {
    motion.velocity.is_some() && motion.structure().is_none()
}
