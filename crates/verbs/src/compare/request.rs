//! What is to be compared: lists of names become lists of choices.

use crate::choice::Choice;
use crate::failure::Failure;
use crate::figures::number;
use crate::loaded::Loaded;
use crate::setup::{Defaults, Repairs, formulation, given_once, method, option, projection, target};
use cotangent_compile::values;
use cotangent_integrate::{MAX_STAGES, Method, Projection, Target};
use cotangent_observe::Schedule;
use cotangent_theory::Formulation;

/// What is compared, by name; an empty list stands for all that fit, or for what is chosen.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    /// The formulations; all that fit unless given.
    pub formulations: Option<Vec<String>>,
    /// The methods; one that suits each formulation unless given.
    pub methods: Option<Vec<String>>,
    /// The projections; none unless given.
    pub projections: Option<Vec<String>>,
    /// The step sizes; the one that is chosen unless given.
    pub steps: Option<Vec<f64>>,
}

/// What is to be compared.
pub(super) struct Request {
    pub(super) formulations: Vec<Formulation>,
    /// Whether they were named.
    pub(super) named: bool,
    /// None: one that suits each formulation.
    pub(super) methods: Option<Vec<Method>>,
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
}

/// More combinations are refused.
const MOST: usize = 500;

impl Request {
    pub(super) fn new(wanted: &Choice, lists: &Lists, model: &Loaded) -> Result<Request, Failure> {
        let parameters = values::parameters(&model.system, &model.settings)?;
        let defaults = Defaults::new(&model.system, &parameters)?;
        let formulations = match &lists.formulations {
            Some(names) => listed(names, "--formulations", formulation)?,
            None => Formulation::ALL.to_vec(),
        };
        let formulations = with_options(formulations, &wanted.opt)?;
        let methods = match &lists.methods {
            Some(names) => Some(staged(listed(names, "--methods", method)?, wanted.stages)?),
            None => None,
        };
        // RATTLE for multipliers, Gauss collocation for vector fields.
        let own = defaults.method.as_deref().and_then(Method::named);
        let common = [Method::Rattle, Method::Gauss { stages: 2 }, Method::Radau2A { stages: 3 }, Method::Rk4];
        let suited = own.into_iter().chain(common).collect();
        let suited =
            staged(suited, wanted.stages.or(defaults.stages.filter(|_| own.is_some_and(|m| m.stages().is_some()))))?;
        let projections = projections(wanted, lists)?;
        let (steps, until) = times(wanted, lists, &defaults, &model.system.name)?;
        let total = [formulations.len(), methods.as_ref().map_or(1, Vec::len), steps.len(), projections.len()];
        let total = total.into_iter().fold(1usize, usize::saturating_mul);
        if total > MOST {
            let message = format!("these are {total} combinations, and at most {MOST} are compared at once");
            return Err(Failure::new("too-many", message).help("shorten one of the lists"));
        }
        let schedule = |&h: &f64| Schedule::until(h, until, 1);
        let schedules = steps.iter().map(schedule).collect::<Result<Vec<_>, _>>();
        let schedules = schedules
            .map_err(|e| Failure::new("schedule", e.to_string()).help("give larger steps or an earlier --until"))?;
        let aside = [("compose", &defaults.compose), ("project", &defaults.project)];
        let ignored = aside.iter().filter_map(|(key, value)| Some(format!("`{key} = {}`", value.as_deref()?)));
        Ok(Request {
            ignored: ignored.collect(),
            charts: wanted.chart.clone(),
            formulations,
            named: lists.formulations.is_some(),
            methods,
            suited,
            projections,
            schedules,
            until,
            repairs: Repairs { project_initial: wanted.project_initial, drop_redundant: wanted.drop_redundant },
        })
    }
}

/// The things with these names; each once.
fn listed<T>(names: &[String], option: &str, of: impl Fn(&str) -> Result<T, Failure>) -> Result<Vec<T>, Failure> {
    let empty =
        || Failure::new("empty-list", format!("{option} has an empty name")).help(format!("write {option} a,b"));
    for (k, name) in names.iter().enumerate() {
        let name = name.trim();
        if name.is_empty() {
            return Err(empty());
        }
        if names[..k].iter().any(|other| other.trim() == name) {
            return Err(Failure::new("duplicate-name", format!("{option} has `{name}` twice")).help("keep one"));
        }
    }
    if names.is_empty() {
        return Err(empty());
    }
    names.iter().map(|name| of(name.trim())).collect()
}

/// Every number goes to those formulations that have it; one that none has is a mistake.
fn with_options(mut formulations: Vec<Formulation>, opt: &[(String, f64)]) -> Result<Vec<Formulation>, Failure> {
    given_once(opt)?;
    for (name, value) in opt {
        let mut meant = false;
        for formulation in &mut formulations {
            if formulation.options().iter().any(|(own, _)| own == name) {
                (*formulation, meant) = (option(*formulation, name, *value)?, true);
            }
        }
        if !meant {
            let known: Vec<String> = Formulation::ALL
                .iter()
                .flat_map(|f| f.options().iter().map(|(option, _)| format!("{option} ({})", f.name())))
                .collect();
            let message = format!("none of these formulations has an option `{name}`");
            return Err(Failure::new("unknown-option", message).help(format!("there are {}", known.join(", "))));
        }
    }
    Ok(formulations)
}

/// Stages for those methods that have them.
fn staged(methods: Vec<Method>, stages: Option<u64>) -> Result<Vec<Method>, Failure> {
    let Some(wanted) = stages else { return Ok(methods) };
    let stages = usize::try_from(wanted).ok().filter(|s| (1..=MAX_STAGES).contains(s)).ok_or_else(|| {
        let message = format!("a method has 1 to {MAX_STAGES} stages, not {wanted}");
        Failure::new("stages", message).help("choose another --stages")
    })?;
    if methods.iter().all(|m| m.stages().is_none()) {
        return Err(
            Failure::new("does-not-apply", "none of these methods has stages to choose").help("leave out --stages")
        );
    }
    Ok(methods.into_iter().map(|m| m.with_stages(stages).unwrap_or(m)).collect())
}

fn projections(wanted: &Choice, lists: &Lists) -> Result<Vec<Option<Projection>>, Failure> {
    let of = |name: &str| match name {
        "none" => Ok(None),
        name => target(name).map(Some),
    };
    let targets = match &lists.projections {
        Some(names) => listed(names, "--projections", of)?,
        None => vec![None],
    };
    if let (Some(_), true) = (wanted.project_above, targets.iter().all(Option::is_none)) {
        let message = "--project-above says when to project, and nothing is projected";
        return Err(Failure::new("project-above", message).help("add --projections momentum, or another"));
    }
    let one = |target: &Option<Target>| match target {
        Some(Target::Symmetric) if wanted.project_above.is_some() => {
            let message = "--project-above has no meaning for the projection `symmetric`, which is part of every step";
            Err(Failure::new("project-above", message).help("leave out one of the two"))
        }
        Some(target) => projection(Some(*target), wanted.project_above),
        None => Ok(None),
    };
    targets.iter().map(one).collect()
}

/// The steps, from the largest on, and the final time.
fn times(wanted: &Choice, lists: &Lists, defaults: &Defaults, model: &str) -> Result<(Vec<f64>, f64), Failure> {
    let missing = |what: &str, help: &str| {
        Failure::new("missing-value", format!("nothing says {what} for `{model}`")).help(help.to_owned())
    };
    let option = if lists.steps.is_some() { "--steps-list" } else { "--step" };
    let mut steps = match (&lists.steps, wanted.step.or(defaults.step)) {
        (Some(list), _) => list.clone(),
        (None, Some(step)) => vec![step],
        (None, None) => {
            let help = "add --step 0.01, or write `run step = 0.01` in the model";
            return Err(missing("how large a step is", help));
        }
    };
    if let Some(step) = steps.iter().find(|h| **h <= 0.0) {
        let message = format!("a step is {}, and steps are positive here", number(*step));
        return Err(Failure::new("schedule", message).help(format!("give another {option}")));
    }
    steps.sort_by(|a, b| b.total_cmp(a));
    if let Some(pair) = steps.windows(2).find(|pair| pair[0] == pair[1]) {
        let message = format!("{option} has {} twice", number(pair[0]));
        return Err(Failure::new("duplicate-name", message).help("keep one"));
    }
    let counted = defaults.steps.map(|n| n as f64 * steps.first().copied().unwrap_or(0.0));
    let until = wanted.until.or(defaults.until).or(counted);
    let until = until
        .ok_or_else(|| missing("when the runs end", "add --until 100, or write `run until = 100` in the model"))?;
    if until <= 0.0 {
        let message = format!("the runs end at t = {}, and they begin at 0", number(until));
        return Err(Failure::new("schedule", message).help("give a positive --until"));
    }
    if let Some(step) = steps.iter().find(|h| until / **h > MOST_STEPS) {
        let steps = until / step;
        let message =
            format!("{steps:.1e} steps of {} to t = {} are too many to compare", number(*step), number(until));
        return Err(Failure::new("schedule", message).help("give larger steps or an earlier --until"));
    }
    Ok((steps, until))
}

/// A comparison of longer runs would take days.
const MOST_STEPS: f64 = 1e10;
