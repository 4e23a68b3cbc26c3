//! Method, formulation and projection, by name.

use super::Defaults;
use super::options::with_options;
use super::problem::explained;
use crate::cli::args::Choose;
use crate::cli::failure::{Code, Failure};
use crate::cli::figures::{count, number};
use crate::cli::loaded::Loaded;
use crate::cli::output::Output;
use cotangent::integrate::{Composition, Method, Needs, Projection, Recipe, Target};
use cotangent::model::nearest::nearest;
use cotangent::model::{ConstraintKind, System};
use cotangent::theory::{Formulation, NumberError};
use serde::{Deserialize, Serialize};

/// What is to be integrated and how, as a checkpoint keeps it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Names {
    pub(crate) method: String,
    pub(crate) stages: Option<u64>,
    pub(crate) inner: Option<String>,
    pub(crate) tol: Option<f64>,
    pub(crate) compose: Option<String>,
    pub(crate) formulation: String,
    pub(crate) opt: Vec<(String, f64)>,
    pub(crate) chart: Vec<String>,
    pub(crate) project: Option<String>,
    pub(crate) project_above: Option<f64>,
}

/// What is to be integrated and how.
#[derive(Clone)]
pub(crate) struct Choice {
    pub(crate) method: Method,
    pub(crate) composition: Option<Composition>,
    pub(crate) formulation: Formulation,
    pub(crate) projection: Option<Projection>,
    /// The names of the coordinates of each chart; none: chosen automatically.
    pub(crate) charts: Vec<String>,
}

impl Choice {
    /// A method with what is put around it, charts aside: their names mean something with a problem only.
    pub(crate) fn recipe(&self, method: Method) -> Recipe {
        Recipe::from(method).composed(self.composition).projected(self.projection)
    }
}

impl Names {
    /// The command line first, then the model, then what fits the constraints.
    pub(crate) fn new(args: &Choose, defaults: &Defaults, model: &Loaded, out: &mut Output) -> Result<Names, Failure> {
        let system = &model.system;
        let formulation = match args.formulation.as_ref().or(defaults.formulation.as_ref()) {
            Some(name) => name.clone(),
            None => default_formulation(model, out)?.name().to_owned(),
        };
        let wanted = args.stages.or(defaults.stages);
        let method = match (&args.method, &defaults.method) {
            (Some(method), _) => method.clone(),
            // Not where the formulation was chosen without thinking of the method.
            (None, Some(own)) if fits(own, &formulation) || !is_constrained(system) => own.clone(),
            (None, _) => default_method(system, &formulation, wanted, out),
        };
        let own = args.method.is_none() && defaults.method.as_ref() == Some(&method) || args.method == defaults.method;
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
        Ok(Names {
            method,
            stages: stages.or(own_stages.map(|s| s as u64)),
            inner: args.inner.clone(),
            tol: args.tol,
            compose: compose.filter(|name| name != "none"),
            formulation,
            opt: args.opt.clone(),
            chart: args.chart.clone(),
            project: args.project.clone().or_else(|| defaults.project.clone()),
            project_above: args.project_above,
        })
    }
}

/// The formulation where none is given; announced unless it is that with multipliers.
fn default_formulation(model: &Loaded, out: &mut Output) -> Result<Formulation, Failure> {
    let Some(need) =
        model.model.need(&model.settings).map_err(|error| explained(error.into(), model, super::Repairs::default()))?
    else {
        return Ok(Formulation::Multipliers);
    };
    let formulation = Formulation::HamiltonDirac;
    let name = formulation.name();
    out.note(format!("formulation `{name}` ({need}): the equations of motion that Dirac's analysis leads to"));
    Ok(formulation)
}

/// Whether there are constraints on positions.
fn is_constrained(system: &System) -> bool {
    system.constraints.iter().any(|c| c.kind == ConstraintKind::Holonomic && !c.array.is_empty())
}

/// Whether a method is for equations of this kind; names that do not exist are refused elsewhere.
fn fits(method: &str, formulation: &str) -> bool {
    let (Some(method), Some(formulation)) = (Method::named(method), Formulation::named(formulation)) else {
        return true;
    };
    match (formulation, method.card().needs) {
        (Formulation::Multipliers, _) | (_, Needs::Any) => true,
        (Formulation::IndexReduced, _) => false,
        (_, needs) => needs == Needs::Field,
    }
}

/// The method where none is given, or not one for the formulation; announced.
fn default_method(system: &System, formulation: &str, stages: Option<u64>, out: &mut Output) -> String {
    let with_stages = |least: u64| count(stages.unwrap_or(least), "stage", "stages");
    let (name, why) = match (is_constrained(system), Formulation::named(formulation)) {
        (true, Some(Formulation::Multipliers)) => {
            (Method::Rattle.name(), "the default with constraints on positions".to_owned())
        }
        (true, Some(Formulation::IndexReduced)) => {
            (Method::Radau2A { stages: 3 }.name(), format!("with {}, the default for this formulation", with_stages(3)))
        }
        (true, _) => {
            (Method::Gauss { stages: 2 }.name(), format!("with {}, the default for this formulation", with_stages(2)))
        }
        (false, _) => {
            let why = format!("with {}, the default without constraints on positions", with_stages(2));
            (Method::Gauss { stages: 2 }.name(), why)
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
        let formulation = with_numbers(formulation(&names.formulation)?, &names.opt)?;
        let target = names.project.as_deref().map(target).transpose()?;
        let projection = projection(target, names.project_above)?;
        Ok(Choice { method, composition, formulation, projection, charts: names.chart.clone() })
    }
}

/// The formulation with its numbers, each given once.
fn with_numbers(formulation: Formulation, opt: &[(String, f64)]) -> Result<Formulation, Failure> {
    given_once(opt)?;
    opt.iter().try_fold(formulation, |f, (name, value)| option(f, name, *value))
}

/// No number is given twice.
pub(crate) fn given_once(opt: &[(String, f64)]) -> Result<(), Failure> {
    let twice = |k: usize| opt[..k].iter().any(|(name, _)| *name == opt[k].0);
    if let Some(k) = (0..opt.len()).find(|&k| twice(k)) {
        let message = format!("--opt gives `{}` twice", opt[k].0);
        return Err(Failure::new(Code::DuplicateOption, message).help("leave one of them out"));
    }
    Ok(())
}

/// The formulation with one of its numbers.
pub(crate) fn option(formulation: Formulation, name: &str, value: f64) -> Result<Formulation, Failure> {
    formulation.with_number(name, value).map_err(|error| match error {
        NumberError::Range { least } => {
            let message = format!("`{name}` of `{}` must be {least}, not {}", formulation.name(), number(value));
            Failure::new(Code::Option, message).help(format!("choose another --opt {name}=VALUE"))
        }
        NumberError::Unknown => {
            let message = format!("the formulation `{}` has no option `{name}`", formulation.name());
            let known = formulation.card().numbers.iter().map(|n| format!("{} ({})", n.name, n.meaning));
            Failure::new(Code::UnknownOption, message).help(match known.collect::<Vec<_>>().as_slice() {
                [] => "leave out --opt".to_owned(),
                known => format!("it has {}", known.join(", ")),
            })
        }
    })
}

/// The formulation with a name.
pub(crate) fn formulation(name: &str) -> Result<Formulation, Failure> {
    let known = Formulation::ALL.map(Formulation::name);
    Formulation::named(name).ok_or_else(|| {
        unknown((Code::UnknownFormulation, "formulation"), name, &known, "`cotangent formulations` lists them")
    })
}

/// The method with a name.
pub(crate) fn method(name: &str) -> Result<Method, Failure> {
    let known = Method::ALL.map(Method::name);
    Method::named(name)
        .ok_or_else(|| unknown((Code::UnknownMethod, "method"), name, &known, "`cotangent methods` lists them"))
}

fn composition(name: &str) -> Result<Composition, Failure> {
    let known = Composition::ALL.map(Composition::name);
    let list = format!("there are {}", known.join(", "));
    Composition::named(name).ok_or_else(|| unknown((Code::UnknownComposition, "composition"), name, &known, &list))
}

/// The projection with a name.
pub(crate) fn target(name: &str) -> Result<Target, Failure> {
    let known = Target::ALL.map(Target::name);
    let found = Target::ALL.into_iter().find(|t| t.name() == name);
    found.ok_or_else(|| {
        unknown((Code::UnknownProjection, "projection"), name, &known, &format!("there are {}", known.join(", ")))
    })
}

/// A projection, and when it is due.
pub(crate) fn projection(target: Option<Target>, above: Option<f64>) -> Result<Option<Projection>, Failure> {
    let refused = |message: &str, help: &str| Err(Failure::new(Code::ProjectAbove, message).help(help));
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

fn unknown((code, what): (Code, &str), name: &str, known: &[&str], list: &str) -> Failure {
    let failure = Failure::new(code, format!("there is no {what} `{name}`"));
    failure.help(match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? {list}"),
        None => list.to_owned(),
    })
}
