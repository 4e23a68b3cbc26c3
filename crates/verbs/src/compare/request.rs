//! What is to be compared: lists of names become lists of choices.

use crate::choice::{Choice, Files};
use crate::failure::{Code, Failure};
use crate::figures::{number, short};
use crate::loaded::Loaded;
use crate::setup::{
    Repairs, composition, defaults, formulation, given_once, method, option, projection, stage_solver, target,
    with_options,
};
use cotangent_compile::values;
use cotangent_integrate::{Composition, MAX_STAGES, Method, Projection, StageSolver, Target};
use cotangent_model::{Dynamics, RunKey};
use cotangent_observe::Schedule;
use cotangent_theory::Formulation;
use serde::{Deserialize, Serialize};

/// What is compared, and what is written of it. An empty list stands for what is chosen, or else for all that fit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// What all combinations have in common.
    pub choice: Choice,
    /// The formulations, by name; all that fit unless given.
    pub formulations: Vec<String>,
    /// The methods, by name; one that suits each formulation unless given.
    pub methods: Vec<String>,
    /// The projections, by name, with `none`.
    pub projections: Vec<String>,
    /// The step sizes.
    pub steps: Vec<f64>,
    /// The files to write.
    pub files: Files,
}

/// What is to be compared: lists of names as lists of what they stand for.
pub(super) struct Combinations {
    pub(super) formulations: Vec<Formulation>,
    /// Whether they were named.
    pub(super) named: bool,
    /// None: one that suits each formulation.
    pub(super) methods: Option<Vec<Method>>,
    /// What solves the equations of stages, if it was chosen.
    pub(super) stage_solver: Option<StageSolver>,
    /// Of the steps of each method.
    pub(super) composition: Option<Composition>,
    /// Methods that suit one formulation or another: the model's own first.
    pub(super) suited: Vec<Method>,
    pub(super) projections: Vec<Option<Projection>>,
    /// From the largest step on.
    pub(super) schedules: Vec<Schedule>,
    /// The names of the coordinates of each chart; none: chosen automatically.
    pub(super) charts: Vec<String>,
    pub(super) until: f64,
    /// What the `run` statement of the model says and is left aside here.
    pub(super) ignored: Vec<String>,
    pub(super) repairs: Repairs,
    /// What was asked for of all.
    pub(super) common: Choice,
}

/// More combinations are refused.
const MOST: usize = 500;

/// Those for models of this kind.
fn suited_formulations(model: &Loaded) -> Vec<Formulation> {
    let brackets = matches!(model.system.dynamics, Dynamics::Poisson { .. });
    let has_lapse = model.system.setting(RunKey::Lapse).is_some();
    let suits = |f: &Formulation| {
        (has_lapse || !f.has_time())
            && match brackets && !model.system.constraints.is_empty() {
                // `hamilton-dirac` is `dirac-bracket` then.
                true => f.takes_brackets() && *f != Formulation::HamiltonDirac,
                false => brackets || !f.is_for_brackets(),
            }
    };
    Formulation::ALL.into_iter().filter(suits).collect()
}

impl Combinations {
    pub(super) fn new(request: &Request, model: &Loaded) -> Result<Combinations, Failure> {
        let wanted = &request.choice;
        let parameters = values::parameters(&model.system, &model.settings)?;
        let own = defaults(&model.system, &parameters)?;
        let named = list(&request.formulations, &wanted.formulation);
        let formulations = match named.as_slice() {
            [] => suited_formulations(model),
            names => listed(names, "--formulations", formulation)?,
        };
        let formulations = with_numbers(formulations, &wanted.opt)?;
        let methods = match (request.methods.as_slice(), &wanted.method) {
            ([], None) => None,
            ([], Some(_)) => Some(vec![with_options(wanted)?]),
            (names, _) => Some(staged(listed(names, "--methods", method)?, wanted.stages)?),
        };
        // RATTLE for multipliers, Gauss collocation for vector fields.
        let its =
            own.method.as_ref().and_then(|_| with_options(&Choice { stages: None, tol: None, ..own.clone() }).ok());
        let common = [Method::Rattle, Method::Gauss { stages: 2 }, Method::Radau2A { stages: 3 }, Method::Rk4];
        let suited = its.into_iter().chain(common).collect();
        let stages = own.stages.filter(|_| its.is_some_and(|m| m.stages().is_some()));
        let suited = staged(suited, wanted.stages.or(stages))?;
        let projections = projections(request)?;
        let (steps, until) = times(request, &own, &model.system.name)?;
        let total = [formulations.len(), methods.as_ref().map_or(1, Vec::len), steps.len(), projections.len()];
        let total = total.into_iter().fold(1usize, usize::saturating_mul);
        if total > MOST {
            let message = format!("these are {total} combinations, and at most {MOST} are compared at once");
            return Err(Failure::new(Code::TooMany, message).help("shorten one of the lists"));
        }
        let schedule = |&h: &f64| Schedule::until(h, until, 1);
        let schedules = steps.iter().map(schedule).collect::<Result<Vec<_>, _>>();
        let schedules = schedules
            .map_err(|e| Failure::new(Code::Schedule, e.to_string()).help("give larger steps or an earlier --until"))?;
        let aside = [("compose", &own.compose), ("project", &own.project)];
        let ignored = aside.iter().filter_map(|(key, value)| Some(format!("`{key} = {}`", value.as_deref()?)));
        Ok(Combinations {
            ignored: ignored.collect(),
            charts: wanted.chart.clone(),
            formulations,
            named: !named.is_empty(),
            methods,
            stage_solver: wanted.stage_solver.as_deref().map(stage_solver).transpose()?,
            composition: wanted.composition().map(composition).transpose()?,
            suited,
            projections,
            schedules,
            until,
            repairs: wanted.repairs(),
            common: wanted.clone(),
        })
    }
}

/// The names of a list, or else the one that is chosen.
fn list(names: &[String], chosen: &Option<String>) -> Vec<String> {
    if names.is_empty() { chosen.iter().cloned().collect() } else { names.to_vec() }
}

/// The things with these names; each once.
fn listed<T>(names: &[String], option: &str, of: impl Fn(&str) -> Result<T, Failure>) -> Result<Vec<T>, Failure> {
    let empty =
        || Failure::new(Code::EmptyList, format!("{option} has an empty name")).help(format!("write {option} a,b"));
    for (k, name) in names.iter().enumerate() {
        let name = name.trim();
        if name.is_empty() {
            return Err(empty());
        }
        if names[..k].iter().any(|other| other.trim() == name) {
            return Err(Failure::new(Code::DuplicateName, format!("{option} has `{name}` twice")).help("keep one"));
        }
    }
    names.iter().map(|name| of(name.trim())).collect()
}

/// Every number goes to those formulations that have it; one that none has is a mistake.
fn with_numbers(mut formulations: Vec<Formulation>, opt: &[(String, f64)]) -> Result<Vec<Formulation>, Failure> {
    given_once(opt)?;
    for (name, value) in opt {
        let mut meant = false;
        for formulation in &mut formulations {
            if formulation.card().numbers.iter().any(|n| n.name == name) {
                (*formulation, meant) = (option(*formulation, name, *value)?, true);
            }
        }
        if !meant {
            let known: Vec<String> = Formulation::ALL
                .iter()
                .flat_map(|f| f.card().numbers.iter().map(|n| format!("{} ({})", n.name, f.name())))
                .collect();
            let message = format!("none of these formulations has an option `{name}`");
            return Err(Failure::new(Code::UnknownOption, message).help(format!("there are {}", known.join(", "))));
        }
    }
    Ok(formulations)
}

/// Stages for those methods that have them.
fn staged(methods: Vec<Method>, stages: Option<u64>) -> Result<Vec<Method>, Failure> {
    let Some(wanted) = stages else { return Ok(methods) };
    let stages = usize::try_from(wanted).ok().filter(|s| (1..=MAX_STAGES).contains(s)).ok_or_else(|| {
        let message = format!("a method has 1 to {MAX_STAGES} stages, not {wanted}");
        Failure::new(Code::Stages, message).help("choose another --stages")
    })?;
    if methods.iter().all(|m| m.stages().is_none()) {
        return Err(
            Failure::new(Code::DoesNotApply, "none of these methods has stages to choose").help("leave out --stages")
        );
    }
    Ok(methods.into_iter().map(|m| m.with_stages(stages).unwrap_or(m)).collect())
}

fn projections(request: &Request) -> Result<Vec<Option<Projection>>, Failure> {
    let wanted = &request.choice;
    let of = |name: &str| match name {
        "none" => Ok(None),
        name => target(name).map(Some),
    };
    let targets = match list(&request.projections, &wanted.project).as_slice() {
        [] => vec![None],
        names => listed(names, "--projections", of)?,
    };
    if let (Some(_), true) = (wanted.project_above, targets.iter().all(Option::is_none)) {
        let message = "--project-above says when to project, and nothing is projected";
        return Err(Failure::new(Code::ProjectAbove, message).help("add --projections momentum, or another"));
    }
    let one = |target: &Option<Target>| match target {
        Some(Target::Symmetric) if wanted.project_above.is_some() => {
            let message = "--project-above has no meaning for the projection `symmetric`, which is part of every step";
            Err(Failure::new(Code::ProjectAbove, message).help("leave out one of the two"))
        }
        Some(target) => projection(Some(*target), wanted.project_above),
        None => Ok(None),
    };
    targets.iter().map(one).collect()
}

/// The steps, from the largest on, and the final time.
fn times(request: &Request, own: &Choice, model: &str) -> Result<(Vec<f64>, f64), Failure> {
    let wanted = &request.choice;
    let missing = |what: &str, help: &str| {
        Failure::new(Code::MissingValue, format!("nothing says {what} for `{model}`")).help(help.to_owned())
    };
    let option = if request.steps.is_empty() { "--step" } else { "--steps-list" };
    let mut steps = match (request.steps.as_slice(), wanted.step.or(own.step)) {
        ([], Some(step)) => vec![step],
        ([], None) => {
            let help = "add --step 0.01, or write `run step = 0.01` in the model";
            return Err(missing("how large a step is", help));
        }
        (list, _) => list.to_vec(),
    };
    if let Some(step) = steps.iter().find(|h| **h <= 0.0) {
        let message = format!("a step is {}, and steps are positive here", number(*step));
        return Err(Failure::new(Code::Schedule, message).help(format!("give another {option}")));
    }
    steps.sort_by(|a, b| b.total_cmp(a));
    if let Some(pair) = steps.windows(2).find(|pair| pair[0] == pair[1]) {
        let message = format!("{option} has {} twice", number(pair[0]));
        return Err(Failure::new(Code::DuplicateName, message).help("keep one"));
    }
    let counted = |n: u64| n as f64 * steps.first().copied().unwrap_or(0.0);
    let until = wanted.until.or(wanted.steps.map(counted)).or(own.until).or(own.steps.map(counted));
    let until = until
        .ok_or_else(|| missing("when the runs end", "add --until 100, or write `run until = 100` in the model"))?;
    if until <= 0.0 {
        let message = format!("the runs end at t = {}, and they begin at 0", number(until));
        return Err(Failure::new(Code::Schedule, message).help("give a positive --until"));
    }
    if let Some(step) = steps.iter().find(|h| until / **h > MOST_STEPS) {
        let steps = until / step;
        let message =
            format!("{} steps of {} to t = {} are too many to compare", short(steps), number(*step), number(until));
        return Err(Failure::new(Code::Schedule, message).help("give larger steps or an earlier --until"));
    }
    Ok((steps, until))
}

/// A comparison of longer runs would take days.
const MOST_STEPS: f64 = 1e10;
