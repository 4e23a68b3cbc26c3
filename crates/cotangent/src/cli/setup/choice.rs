//! Method, formulation and projection, by name.

use super::Defaults;
use super::options::with_options;
use crate::cli::args::Choose;
use crate::cli::failure::Failure;
use crate::cli::figures::count;
use crate::cli::output::Output;
use cotangent::integrate::{Composition, Method, Projection, Target};
use cotangent::model::nearest::nearest;
use cotangent::model::{ConstraintKind, System};
use cotangent::theory::Formulation;
use serde::{Deserialize, Serialize};

/// What is to be integrated and how, as a checkpoint keeps it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Names {
    pub(crate) method: String,
    pub(crate) stages: Option<u64>,
    pub(crate) inner: Option<String>,
    pub(crate) index: Option<u64>,
    pub(crate) tol: Option<f64>,
    pub(crate) compose: Option<String>,
    pub(crate) formulation: String,
    #[serde(default)]
    pub(crate) opt: Vec<(String, f64)>,
    pub(crate) project: Option<String>,
    pub(crate) project_above: Option<f64>,
}

/// What is to be integrated and how.
#[derive(Clone, Copy)]
pub(crate) struct Choice {
    pub(crate) method: Method,
    pub(crate) composition: Option<Composition>,
    pub(crate) formulation: Formulation,
    pub(crate) projection: Option<Projection>,
}

impl Names {
    /// The command line first, then the model, then what fits the constraints.
    pub(crate) fn new(args: &Choose, defaults: &Defaults, system: &System, out: &mut Output) -> Names {
        let given = args.method.clone().or_else(|| defaults.method.clone());
        let own = args.method.is_none() || args.method == defaults.method;
        let wanted = args.stages.or(defaults.stages);
        let method = given.unwrap_or_else(|| default_method(system, wanted, out));
        let own_stages = Method::named(&method).and_then(Method::stages);
        let stages = args.stages.or_else(|| {
            let stages = defaults.stages?;
            if own_stages.is_some() || own {
                return Some(stages);
            }
            out.note(format!("`stages = {stages}` of the model has no meaning for `{method}`"));
            None
        });
        let compose = args.compose.clone().or_else(|| {
            let compose = defaults.compose.clone()?;
            let composable = Method::named(&method).is_some_and(|m| m.card().symmetric);
            if composable || own {
                return Some(compose);
            }
            out.note(format!("`compose = {compose}` of the model has no meaning for `{method}`"));
            None
        });
        Names {
            method,
            stages: stages.or(own_stages.map(|s| s as u64)),
            inner: args.inner.clone(),
            index: args.index,
            tol: args.tol,
            compose: compose.filter(|name| name != "none"),
            formulation: args
                .formulation
                .clone()
                .or_else(|| defaults.formulation.clone())
                .unwrap_or_else(|| Formulation::Multipliers.name().to_owned()),
            opt: args.opt.clone(),
            project: args.project.clone().or_else(|| defaults.project.clone()),
            project_above: args.project_above,
        }
    }
}

/// The method of a model that names none, announced.
fn default_method(system: &System, stages: Option<u64>, out: &mut Output) -> String {
    let constrained = system.constraints.iter().any(|c| c.kind == ConstraintKind::Holonomic && !c.array.is_empty());
    let (name, why) = match constrained {
        true => (Method::Rattle.name(), "the default with constraints on positions".to_owned()),
        false => {
            let stages = count(stages.unwrap_or(2), "stage", "stages");
            let name = Method::Gauss { stages: 2 }.name();
            (name, format!("with {stages}, the default without constraints on positions"))
        }
    };
    out.note(format!("method `{name}` ({why}); --method NAME chooses another, `cotangent methods` lists them"));
    name.to_owned()
}

impl Choice {
    /// What the names stand for.
    pub(crate) fn named(names: &Names) -> Result<Choice, Failure> {
        let method = with_options(names)?;
        let composition = names.compose.as_deref().map(composition).transpose()?;
        let formulation = formulation(&names.formulation)?;
        let formulation = names.opt.iter().try_fold(formulation, |f, (name, value)| option(f, name, *value))?;
        let target = names.project.as_deref().map(target).transpose()?;
        Ok(Choice { method, composition, formulation, projection: projection(target, names.project_above)? })
    }
}

/// The formulation with one of its numbers.
fn option(formulation: Formulation, name: &str, value: f64) -> Result<Formulation, Failure> {
    formulation.with_option(name, value).ok_or_else(|| {
        let message = format!("the formulation `{}` has no option `{name}`", formulation.name());
        let known: Vec<String> =
            formulation.options().iter().map(|(name, meaning)| format!("{name} ({meaning})")).collect();
        Failure::new("unknown-option", message).help(match known.as_slice() {
            [] => "leave out --opt".to_owned(),
            known => format!("it has {}", known.join(", ")),
        })
    })
}

/// The formulation with a name.
pub(crate) fn formulation(name: &str) -> Result<Formulation, Failure> {
    let known = Formulation::ALL.map(Formulation::name);
    Formulation::named(name).ok_or_else(|| unknown("formulation", name, &known, "`cotangent formulations` lists them"))
}

/// The method with a name.
pub(crate) fn method(name: &str) -> Result<Method, Failure> {
    let known = Method::ALL.map(Method::name);
    Method::named(name).ok_or_else(|| unknown("method", name, &known, "`cotangent methods` lists them"))
}

fn composition(name: &str) -> Result<Composition, Failure> {
    let known = Composition::ALL.map(Composition::name);
    let list = format!("there are {}", known.join(", "));
    Composition::named(name).ok_or_else(|| unknown("composition", name, &known, &list))
}

/// The projection with a name.
pub(crate) fn target(name: &str) -> Result<Target, Failure> {
    let known = Target::ALL.map(Target::name);
    let found = Target::ALL.into_iter().find(|t| t.name() == name);
    found.ok_or_else(|| unknown("projection", name, &known, &format!("there are {}", known.join(", "))))
}

/// A projection, and when it is due.
pub(crate) fn projection(target: Option<Target>, above: Option<f64>) -> Result<Option<Projection>, Failure> {
    let refused = |message: &str, help: &str| Err(Failure::new("project-above", message).help(help));
    match (target, above) {
        (None, Some(_)) => refused(
            "--project-above says when to project, and nothing is projected",
            "add --project position, momentum or both",
        ),
        (Some(Target::Symmetric), Some(_)) => refused(
            "--project-above has no meaning with --project symmetric, which is part of every step",
            "leave out --project-above, or project `both`",
        ),
        (Some(_), Some(eps)) if eps < 0.0 => {
            refused(&format!("--project-above is {eps}"), "it must be a number of 0 or more")
        }
        (target, above) => Ok(target.map(|target| Projection { target, above })),
    }
}

fn unknown(what: &str, name: &str, known: &[&str], list: &str) -> Failure {
    let code = match what {
        "method" => "unknown-method",
        "composition" => "unknown-composition",
        "formulation" => "unknown-formulation",
        _ => "unknown-projection",
    };
    let failure = Failure::new(code, format!("there is no {what} `{name}`"));
    failure.help(match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? {list}"),
        None => list.to_owned(),
    })
}
