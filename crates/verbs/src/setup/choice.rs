//! Method, formulation and projection, by name.

use super::named::{composition, formulation, stage_solver, target};
use super::options::with_options;
use super::problem::explained;
use crate::choice::Choice;
use crate::failure::{Code, Failure};
use crate::figures::{count, number};
use crate::loaded::Loaded;
use crate::session::Session;
use cotangent_integrate::{Composition, Method, Needs, Projection, Recipe, StageSolver, Target};
use cotangent_model::{ConstraintKind, RunKey, System};
use cotangent_problem::Preferred;
use cotangent_theory::{Formulation, NumberError, Shape};

/// What is to be integrated and how.
#[derive(Clone)]
pub(crate) struct Selection {
    pub(crate) method: Method,
    /// What solves the equations of the stages, if it was chosen.
    pub(crate) stage_solver: Option<StageSolver>,
    pub(crate) composition: Option<Composition>,
    pub(crate) formulation: Formulation,
    pub(crate) projection: Option<Projection>,
    /// The names of the coordinates of each chart; none: chosen automatically.
    pub(crate) charts: Vec<String>,
}

impl Selection {
    /// A method with what is put around it, charts aside: their names mean something with a problem only.
    pub(crate) fn recipe(&self, method: Method) -> Recipe {
        Recipe::from(method).solved_by(self.stage_solver).composed(self.composition).projected(self.projection)
    }
}

/// A choice with everything filled in that was left open: by the model first, then by what fits the constraints.
pub(crate) fn completed(
    wanted: &Choice,
    own: &Choice,
    model: &Loaded,
    session: &mut Session<'_>,
) -> Result<Choice, Failure> {
    let system = &model.system;
    let formulation = match wanted_formulation(wanted, own, system) {
        Some(name) => name,
        None => default_formulation(model, session)?.name().to_owned(),
    };
    let method = match (&wanted.method, &own.method) {
        (Some(method), _) => method.clone(),
        // Not where the formulation was chosen without thinking of the method.
        (None, Some(own)) if fits(own, &formulation) || !is_constrained(system) => own.clone(),
        (None, _) => default_method(system, &formulation, wanted.stages.or(own.stages), session),
    };
    let as_written = wanted.method.is_none() && own.method.as_ref() == Some(&method) || wanted.method == own.method;
    let has_stages = Method::named(&method).is_some_and(|m| m.stages().is_some());
    let stages = wanted.stages.or_else(|| {
        let stages = own.stages?;
        if has_stages || as_written {
            return Some(stages);
        }
        session.note(format!("`stages = {stages}` of the model has no meaning for `{method}`"));
        None
    });
    // An inner method belongs to the method that the model names.
    let inner = wanted.inner.clone().or_else(|| own.inner.clone().filter(|_| as_written));
    let compose = wanted.compose.clone().or_else(|| {
        let compose = own.compose.clone()?;
        let composable = Method::named(&method).is_some_and(|m| m.card().symmetric);
        if composable || as_written {
            return Some(compose);
        }
        session.note(format!("`compose = {compose}` of the model has no meaning for `{method}`"));
        None
    });
    let choice = Choice {
        method: Some(method),
        stages,
        inner,
        compose,
        opt: with_epsilon(wanted, own, &formulation, session),
        formulation: Some(formulation),
        project: wanted.project.clone().or_else(|| own.project.clone()),
        ..wanted.clone()
    };
    let Selection { method, composition, formulation, .. } = Selection::named(&choice)?;
    if choice.lapse.is_some() && !formulation.has_time() {
        let message = format!("--lapse has no meaning for the formulation `{}`", formulation.name());
        return Err(Failure::new(Code::DoesNotApply, message).help("leave it out, or take --formulation lapse"));
    }
    Ok(choice.method(method).compose(composition).formulation(formulation))
}

/// The numbers of the formulation: ε as the model says, unless it is given.
fn with_epsilon(wanted: &Choice, own: &Choice, formulation: &str, session: &mut Session<'_>) -> Vec<(String, f64)> {
    let mut opt = wanted.opt.clone();
    for (name, value) in &own.opt {
        let card = Formulation::named(formulation).map(Formulation::card);
        if opt.iter().any(|(given, _)| given == name) {
            continue;
        }
        match card.is_some_and(|card| card.numbers.iter().any(|n| n.name == name)) {
            true => opt.push((name.clone(), *value)),
            false => {
                session.note(format!("`{name} = {}` of the model has no meaning for `{formulation}`", number(*value)))
            }
        }
    }
    opt
}

/// The formulation that is asked for: by its name, by a lapse, or by a method that is made for one.
pub(crate) fn wanted_formulation(wanted: &Choice, own: &Choice, system: &System) -> Option<String> {
    let method = wanted.method.as_ref().or(own.method.as_ref());
    let for_a_lapse = method.is_some_and(|m| Method::FOR_A_LAPSE.contains(&m.as_str()));
    let has_lapse = wanted.lapse.is_some() || system.setting(RunKey::Lapse).is_some();
    let lapse = || (for_a_lapse || has_lapse).then(|| "lapse".to_owned());
    wanted.formulation.clone().or_else(|| own.formulation.clone()).or_else(lapse)
}

/// The formulation where none is given; announced unless it is that with multipliers.
fn default_formulation(model: &Loaded, session: &mut Session<'_>) -> Result<Formulation, Failure> {
    let preferred = model.model.preferred(&model.settings);
    let Preferred { formulation, need } =
        preferred.map_err(|error| explained(error.into(), model, super::Repairs::default()))?;
    if let Some(need) = need {
        let name = formulation.name();
        let what = match formulation {
            Formulation::IndexOne => "the multipliers follow from the state",
            _ => "the equations of motion that Dirac's analysis leads to",
        };
        session.note(format!("formulation `{name}` ({need}): {what}"));
    }
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
    match (formulation.card().shape, method.card().needs) {
        (Shape::IndexThree, _) | (_, Needs::Any) => true,
        (Shape::IndexTwo, _) => false,
        (Shape::Field | Shape::Chart, needs) => matches!(needs, Needs::Field | Needs::Split),
    }
}

/// The method where none is given, or not one for the formulation; announced.
fn default_method(system: &System, formulation: &str, stages: Option<u64>, session: &mut Session<'_>) -> String {
    let with_stages = |least: u64| count(stages.unwrap_or(least), "stage", "stages");
    let (name, why) = match (is_constrained(system), Formulation::named(formulation).map(|f| f.card().shape)) {
        (true, Some(Shape::IndexThree)) => {
            (Method::Rattle.name(), "the default with constraints on positions".to_owned())
        }
        (true, Some(Shape::IndexTwo)) => {
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
    session.note(format!("method `{name}` ({why}); --method NAME chooses another, `cotangent methods` lists them"));
    name.to_owned()
}

impl Selection {
    /// What the names stand for.
    pub(crate) fn named(choice: &Choice) -> Result<Selection, Failure> {
        let method = with_options(choice)?;
        let stage_solver = choice.stage_solver.as_deref().map(stage_solver).transpose()?;
        let composition = choice.composition().map(composition).transpose()?;
        let formulation = formulation(choice.formulation.as_deref().unwrap_or_default())?;
        let formulation = with_numbers(formulation, &choice.opt)?;
        let target = choice.project.as_deref().map(target).transpose()?;
        let projection = projection(target, choice.project_above)?;
        Ok(Selection { method, stage_solver, composition, formulation, projection, charts: choice.chart.clone() })
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
