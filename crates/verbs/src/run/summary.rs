//! What a run found, as data: what JSON shows, and what text and pages are made of.

use crate::choice::{Choice, shown};
use crate::ending::Ending;
use crate::failure::{Code, Failure, Problem};
use crate::map::{Map, all_or_nan, arrays_or_nan, or_nan};
use crate::noticed::SingularPassage;
use crate::picture::Background;
use crate::reason::Reason;
use crate::setup::AlmostPoisson;
use crate::stop::Stop;
use cotangent_dynamics::Measure;
use cotangent_expr::{Array, Layout};
use cotangent_integrate::Prepared;
use cotangent_lab::Run;
use cotangent_model::{ClaimKind, System};
use cotangent_observe::Extremes;
use cotangent_problem::Instance;
use serde::{Deserialize, Serialize};

/// What a run has come to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Document {
    /// The name of the model.
    pub model: String,
    /// What it is, in a line.
    #[serde(skip)]
    pub title: Option<String>,
    /// What was integrated, and how: nothing is left open.
    #[serde(flatten, with = "shown")]
    pub choice: Choice,
    /// Sizes and parameters, by member.
    #[serde(default, deserialize_with = "all_or_nan")]
    pub parameters: Map<f64>,
    /// The state at the start, in the variables of `state`.
    #[serde(default, deserialize_with = "all_or_nan")]
    pub initial: Map<f64>,
    /// How the run ended.
    pub status: Ending,
    /// The steps that were made.
    pub steps: u64,
    /// The time reached.
    pub time: f64,
    /// The parameter by which steps were made, where time is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameter_time: Option<f64>,
    /// How much time passed in a unit of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lapse: Option<Lapse>,
    /// Coordinates and momenta, or variables, by member.
    #[serde(deserialize_with = "all_or_nan")]
    pub state: Map<f64>,
    /// The energy.
    pub energy: Energy,
    /// The constraints.
    pub constraints: Map<Residual>,
    /// Their time derivatives, or what an analysis found besides them.
    pub hidden_constraints: Map<Residual>,
    /// Casimirs that the model claims.
    pub casimirs: Map<Claimed>,
    /// Invariants that the model claims.
    pub invariants: Map<Claimed>,
    /// The multipliers at the end.
    #[serde(deserialize_with = "all_or_nan")]
    pub multipliers: Map<f64>,
    /// What the formulation has besides the variables of the model.
    #[serde(deserialize_with = "all_or_nan")]
    pub auxiliaries: Map<f64>,
    /// The coordinates of the chart in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chart: Option<Vec<String>>,
    /// What the model observes, at the end.
    #[serde(deserialize_with = "all_or_nan")]
    pub observables: Map<f64>,
    /// The work.
    pub work: Work,
    /// Of integration and measurement, output not included.
    pub seconds: f64,
    /// Whether native code ran; otherwise the tape did.
    pub native: bool,
    /// Whether a step was one program, with or without loops; otherwise it was made in parts, by calls of functions.
    pub whole_step: bool,
    /// Every so many steps a row; 0: the start and the end only, also for what is measured.
    pub record: Option<u64>,
    /// The rows of a table, column by column, if they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "arrays_or_nan")]
    pub arrays: Option<Map<Vec<f64>>>,
    /// The table.
    pub out: Option<String>,
    /// The figure.
    pub plot: Option<String>,
    /// The report.
    pub report: Option<String>,
    /// The movie.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub movie: Option<String>,
    /// How far the initial data were moved onto the constraints.
    pub moved: Option<Moved>,
    /// Constraints that were left out.
    pub dropped: Vec<String>,
    /// Why the run ended early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Stop>,
    /// Where the bracket of the model is none: why, and what is lost by that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub almost_poisson: Option<AlmostPoisson>,
    /// What is not wrong in the text of the model, but worth saying.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Problem>,
    /// What was said on the way.
    pub notes: Vec<String>,
    /// Singular configurations that the motion came to, or near.
    pub singular_passages: Vec<SingularPassage>,
    /// What pictures and pages show besides.
    #[serde(skip)]
    pub background: Background,
    /// Pictures that could not be written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unwritten: Vec<Reason>,
}

/// The energy along a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// At the start.
    #[serde(deserialize_with = "or_nan")]
    pub initial: f64,
    /// At the end.
    #[serde(deserialize_with = "or_nan")]
    pub r#final: f64,
    /// The largest difference from that at the start.
    #[serde(deserialize_with = "or_nan")]
    pub max_abs_error: f64,
}

/// A constraint; of a family the member with the largest residual.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Residual {
    /// At the end.
    #[serde(deserialize_with = "or_nan")]
    pub r#final: f64,
    /// The largest.
    #[serde(deserialize_with = "or_nan")]
    pub max_abs: f64,
    /// The member of a family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<String>,
    /// Where an analysis found it: 1 for a primary constraint, 2 for a secondary one, …; 0 for a gauge condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<usize>,
}

/// A quantity claimed to be constant; of a family the member that changed most.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claimed {
    /// At the start.
    #[serde(deserialize_with = "or_nan")]
    pub initial: f64,
    /// At the end.
    #[serde(deserialize_with = "or_nan")]
    pub r#final: f64,
    /// The largest change.
    #[serde(deserialize_with = "or_nan")]
    pub max_abs: f64,
    /// The member of a family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<String>,
}

/// The lapse along a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lapse {
    /// The least.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

/// The work of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// Iterations of Newton's method.
    pub newton_iterations: u64,
    /// Iterations to fixed points, of the stages of a method above all; none: there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed_point_iterations: Option<u64>,
    /// Projections onto the constraints.
    pub projections: u64,
    /// Those of positions, or of all variables at once.
    pub position_projections: u64,
    /// Those of momenta.
    pub momentum_projections: u64,
    /// Changes of the chart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chart_changes: Option<u64>,
    /// Of a method that chooses its own steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_steps: Option<OwnSteps>,
}

/// The steps that a method with a tolerance has chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnSteps {
    /// Those that were made.
    pub accepted: u64,
    /// Those that were tried, and whose error was too large.
    pub rejected: u64,
}

/// How far initial data were moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moved {
    /// The largest change of a position.
    pub positions: f64,
    /// The largest change of a momentum.
    pub momenta: f64,
}

/// What there was to run.
pub(super) struct Setup<'a> {
    pub(super) choice: &'a Choice,
    pub(super) system: &'a System,
    pub(super) problem: &'a Instance,
    pub(super) prepared: &'a Prepared,
    pub(super) out: Option<String>,
}

impl Document {
    /// What a run has come to.
    pub(super) fn new(setup: &Setup<'_>, run: &mut Run, status: Ending) -> Result<Document, Failure> {
        let failed = |e: cotangent_dynamics::Failure| Failure::new(Code::Evaluate, e.to_string());
        let reached = run.state().values.clone();
        let energy = run.energy();
        let (constraints, hidden) = (run.constraints().to_vec(), run.hidden_constraints().to_vec());
        let claims = run.claims().to_vec();
        let diagnostics = run.diagnostics();
        let mut observed = vec![0.0; diagnostics.observables.len()];
        // What is not defined at the final state is null.
        if diagnostics.observe(&reached, &mut observed).is_err() {
            observed.fill(f64::NAN);
        }
        let mut forces = vec![0.0; diagnostics.multipliers.len()];
        if diagnostics.multipliers(&reached, &mut forces).is_err() {
            forces.fill(f64::NAN);
        }
        let mut own = vec![0.0; diagnostics.auxiliaries.len()];
        if diagnostics.auxiliaries(&reached, &mut own).is_err() {
            own.fill(f64::NAN);
        }
        let model = setup.problem.equations.motion.system.state();
        let mut state = vec![0.0; model.len()];
        if diagnostics.model_state(&reached, &mut state).is_err() {
            state = known(&model, &setup.problem.equations.motion.state, &reached);
        }
        let mut initial = vec![0.0; model.len()];
        diagnostics.model_state(&setup.problem.start, &mut initial).map_err(failed)?;
        let claimed = |kind: ClaimKind| {
            let mut rest = &claims[..];
            let mut list = vec![];
            for (own, array) in &diagnostics.claims {
                let (members, after) = rest.split_at(array.len().min(rest.len()));
                rest = after;
                if let Some((name, worst)) = worst(array, members, |e| e.max_deviation).filter(|_| *own == kind) {
                    let Extremes { initial, last, max_deviation, .. } = worst;
                    let entry = Claimed { initial, r#final: last, max_abs: max_deviation, worst: name };
                    list.push((array.name().to_owned(), entry));
                }
            }
            Map(list)
        };
        let (casimirs, invariants) = (claimed(ClaimKind::Casimir), claimed(ClaimKind::Invariant));
        let [constraint_names, hidden_names] =
            [&diagnostics.constraints, &diagnostics.hidden_constraints].map(Layout::clone);
        let [multiplier_names, auxiliary_names, observable_names] =
            [&diagnostics.multipliers, &diagnostics.auxiliaries, &diagnostics.observables].map(Layout::clone);
        let generations = setup.problem.equations.motion.generations();
        let (primary, later) = generations.split_at(constraint_names.len().min(generations.len()));
        let [positions, momenta] = setup.prepared.projections(&run.state().memory).unwrap_or_default();
        let chart = chart(setup, &run.state().memory);
        let own_steps = setup.prepared.substeps(&run.state().memory);
        Ok(Document {
            model: setup.system.name.clone(),
            title: setup.system.title.clone(),
            choice: setup.choice.clone(),
            parameters: parameters(setup),
            initial: flat(&model, &initial),
            status,
            steps: run.done(),
            time: run.time(),
            parameter_time: run.parameter_time(),
            lapse: run.monitor().pace.map(|[min, max]| Lapse { min, max }),
            state: flat(&model, &state),
            energy: Energy { initial: energy.initial, r#final: energy.last, max_abs_error: energy.max_deviation },
            constraints: residuals(&constraint_names, &constraints, primary),
            hidden_constraints: residuals(&hidden_names, &hidden, later),
            casimirs,
            invariants,
            multipliers: flat(&multiplier_names, &forces),
            auxiliaries: flat(&auxiliary_names, &own),
            chart,
            observables: flat(&observable_names, &observed),
            work: Work {
                newton_iterations: run.iterations(),
                fixed_point_iterations: Some(run.contractions()).filter(|n| *n > 0),
                projections: if setup.prepared.projects_at_once() { positions } else { positions + momenta },
                position_projections: positions,
                momentum_projections: momenta,
                chart_changes: setup.prepared.chart_changes(&run.state().memory),
                own_steps: own_steps.map(|[accepted, rejected]| OwnSteps { accepted, rejected }),
            },
            seconds: run.seconds(),
            native: cfg!(feature = "jit"),
            whole_step: run.integrator().is_whole() || run.integrator().is_looped(),
            record: setup
                .choice
                .record
                .filter(|&every| every == 0 || setup.out.is_some() && setup.choice.every.is_none()),
            arrays: None,
            out: setup.out.clone(),
            plot: None,
            report: None,
            movie: None,
            moved: setup.problem.moved.map(|[positions, momenta]| Moved { positions, momenta }),
            dropped: setup.problem.dropped.iter().map(|r| r.name.clone()).collect(),
            failure: None,
            almost_poisson: None,
            warnings: vec![],
            notes: vec![],
            singular_passages: vec![],
            background: Background::default(),
            unwritten: vec![],
        })
    }
}

impl Document {
    /// Whether a projection moves all variables at once: the constraints were found by an analysis, and mix them.
    pub(super) fn is_projected_at_once(&self) -> bool {
        let all = [&self.constraints, &self.hidden_constraints];
        all.iter().flat_map(|list| list.iter()).any(|(_, r)| r.generation.is_some())
    }
}

/// The sizes of a model and its parameters; the numbers of the formulation are its options.
fn parameters(setup: &Setup<'_>) -> Map<f64> {
    let sizes = setup.system.integers.iter().map(|(name, value)| (name.clone(), *value as f64));
    let names = setup.system.parameter_layout().entry_names().into_iter();
    Map(sizes.chain(names.zip(setup.problem.parameters.iter().copied())).collect())
}

/// The variables of a model of which those of the equations are some; the others, which do not follow from them, are not a
/// number.
fn known(model: &Layout, own: &Layout, values: &[f64]) -> Vec<f64> {
    let own = own.entry_names();
    let value = |name: String| own.iter().position(|n| *n == name).and_then(|k| values.get(k).copied());
    model.entry_names().into_iter().map(|name| value(name).unwrap_or(f64::NAN)).collect()
}

/// The names of the coordinates of the chart in use; none before the first step.
fn chart(setup: &Setup<'_>, memory: &[f64]) -> Option<Vec<String>> {
    let numbers = memory.get(setup.prepared.chart()?)?;
    let name = |&k: &f64| Some(setup.problem.equations.motion.state.entry_name((k as usize).checked_sub(1)?));
    numbers.iter().map(name).collect()
}

fn flat(layout: &Layout, values: &[f64]) -> Map<f64> {
    Map(layout.entry_names().into_iter().zip(values.iter().copied()).collect())
}

fn residuals(layout: &Layout, list: &[Extremes], generations: &[usize]) -> Map<Residual> {
    let mut rest = list;
    let mut found = vec![];
    for (k, array) in layout.arrays().iter().enumerate() {
        let (own, after) = rest.split_at(array.len().min(rest.len()));
        rest = after;
        if let Some((name, worst)) = worst(array, own, |e| e.max_abs) {
            let generation = generations.get(k).copied();
            let entry = Residual { r#final: worst.last, max_abs: worst.max_abs, worst: name, generation };
            found.push((array.name().to_owned(), entry));
        }
    }
    Map(if generations.is_empty() { found } else { families(found) })
}

/// Members of a family that were found one by one, such as `link[2]'`, as one entry.
fn families(list: Vec<(String, Residual)>) -> Vec<(String, Residual)> {
    let mut out: Vec<(String, Residual)> = vec![];
    for (name, mut entry) in list {
        let family = family(&name);
        if family != name {
            entry.worst = Some(name);
        }
        match out.iter_mut().find(|(known, e)| *known == family && e.generation == entry.generation) {
            Some((_, known)) if larger(entry.max_abs, known.max_abs) => *known = entry,
            Some(_) => {}
            None => out.push((family, entry)),
        }
    }
    out
}

/// The name of a member without its index.
pub(super) fn family(name: &str) -> String {
    match (name.find('['), name.find(']')) {
        (Some(open), Some(close)) if open < close => format!("{}{}", &name[..open], &name[close + 1..]),
        _ => name.to_owned(),
    }
}

/// NaN is the largest.
fn larger(a: f64, b: f64) -> bool {
    a > b || a.is_nan() && !b.is_nan()
}

/// The member with the largest size, NaN being the largest, and its name in a family.
fn worst(array: &Array, own: &[Extremes], size: impl Fn(&Extremes) -> f64) -> Option<(Option<String>, Extremes)> {
    let best = (0..own.len()).reduce(|best, k| if larger(size(&own[k]), size(&own[best])) { k } else { best })?;
    let name = (!array.dims().is_empty()).then(|| array.element_name(&array.multi_index(best)));
    Some((name, own[best]))
}
