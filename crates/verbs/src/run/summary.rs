//! What a run found, as data: printed as text or as JSON.

use super::request::Request;
use super::stop::Stop;
use crate::failure::Failure;
use crate::map::Map;
use crate::methods::Chosen;
use crate::noticed::SingularPassage;
use crate::picture::Sparkline;
use cotangent_expr::{Array, Layout};
use cotangent_integrate::Prepared;
use cotangent_model::ClaimKind;
use cotangent_model::System;
use cotangent_observe::{Extremes, Run};
use cotangent_problem::Instance;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a run has come to.
#[derive(Serialize)]
pub struct Summary {
    pub(super) model: String,
    #[serde(skip)]
    pub(super) title: Option<String>,
    #[serde(flatten)]
    pub(super) chosen: Chosen,
    pub(super) formulation: &'static str,
    /// The numbers of the formulation.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) opt: BTreeMap<&'static str, f64>,
    pub(super) project: Option<&'static str>,
    pub(super) step: f64,
    /// `finished`, `interrupted` or `failed`.
    pub status: &'static str,
    pub(super) steps: u64,
    pub(super) time: f64,
    /// Coordinates and momenta, or variables, by member.
    pub(super) state: Map<f64>,
    #[serde(skip)]
    pub(super) state_arrays: Vec<Values>,
    pub(super) energy: Energy,
    pub(super) constraints: Map<Residual>,
    pub(super) hidden_constraints: Map<Residual>,
    pub(super) casimirs: Map<Claimed>,
    pub(super) invariants: Map<Claimed>,
    pub(super) multipliers: Map<f64>,
    #[serde(skip)]
    pub(super) multiplier_arrays: Vec<Values>,
    /// What the formulation has besides the variables of the model.
    pub(super) auxiliaries: Map<f64>,
    #[serde(skip)]
    pub(super) auxiliary_arrays: Vec<Values>,
    /// The coordinates of the chart in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) chart: Option<Vec<String>>,
    pub(super) observables: Map<f64>,
    #[serde(skip)]
    pub(super) observable_arrays: Vec<Values>,
    pub(super) work: Work,
    /// Of integration and measurement, output not included.
    pub(super) seconds: f64,
    /// Whether native code ran; otherwise the tape did.
    pub(super) native: bool,
    /// Whether a step was one function.
    pub(super) whole_step: bool,
    /// Every so many steps a row; 0: the start and the end only, also for what is measured.
    pub(super) record: Option<u64>,
    /// The table.
    pub out: Option<String>,
    /// The figure.
    pub(super) plot: Option<String>,
    /// The report.
    pub(super) report: Option<String>,
    #[serde(skip)]
    pub(super) sparklines: Vec<Sparkline>,
    /// How far the initial data were moved onto the constraints.
    pub(super) moved: Option<Moved>,
    /// Constraints that were left out.
    pub(super) dropped: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failure: Option<Stop>,
    pub(super) notes: Vec<String>,
    pub(super) singular_passages: Vec<SingularPassage>,
    /// Pictures that could not be written.
    #[serde(skip)]
    pub(super) unwritten: Vec<Failure>,
}

#[derive(Serialize)]
pub(super) struct Energy {
    pub(super) initial: f64,
    pub(super) r#final: f64,
    pub(super) max_abs_error: f64,
}

/// A constraint; of a family the member with the largest residual.
#[derive(Serialize)]
pub(super) struct Residual {
    pub(super) r#final: f64,
    pub(super) max_abs: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) worst: Option<String>,
    /// Where an analysis found it: 1 for a primary constraint, 2 for a secondary one, …; 0 for a gauge condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) generation: Option<usize>,
}

/// A quantity claimed to be constant; of a family the member that changed most.
#[derive(Serialize)]
pub(super) struct Claimed {
    pub(super) initial: f64,
    pub(super) r#final: f64,
    /// The largest change.
    pub(super) max_abs: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) worst: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Work {
    pub(super) newton_iterations: u64,
    pub(super) projections: u64,
    /// Whether positions and momenta are projected together.
    #[serde(skip)]
    pub(super) at_once: bool,
    pub(super) position_projections: u64,
    pub(super) momentum_projections: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) chart_changes: Option<u64>,
    /// Of a method that chooses its own steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) own_steps: Option<OwnSteps>,
}

/// The steps that a method with a tolerance has chosen.
#[derive(Serialize)]
pub(super) struct OwnSteps {
    pub(super) accepted: u64,
    pub(super) rejected: u64,
}

#[derive(Serialize)]
pub(super) struct Moved {
    pub(super) positions: f64,
    pub(super) momenta: f64,
}

/// The final values of an array.
pub(super) struct Values {
    pub(super) array: Array,
    pub(super) values: Vec<f64>,
}

/// What there was to run.
pub(super) struct Setup<'a> {
    pub(super) request: &'a Request,
    pub(super) system: &'a System,
    pub(super) problem: &'a Instance,
    pub(super) prepared: &'a Prepared,
    pub(super) out: Option<String>,
}

impl Summary {
    /// What a run has come to.
    pub(super) fn new(setup: &Setup<'_>, run: &mut Run, status: &'static str) -> Result<Summary, Failure> {
        let failed = |e: cotangent_compile::CallError| Failure::new("evaluate", e.to_string());
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
        diagnostics.multipliers(&reached, &mut forces).map_err(failed)?;
        let mut own = vec![0.0; diagnostics.auxiliaries.len()];
        diagnostics.auxiliaries(&reached, &mut own).map_err(failed)?;
        let mut state = vec![0.0; reached.len()];
        diagnostics.model_state(&reached, &mut state).map_err(failed)?;
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
        let generations = setup.problem.equations.motion.surface.as_ref().map_or(&[][..], |s| &s.generations[..]);
        let (primary, later) = generations.split_at(constraint_names.len().min(generations.len()));
        let [positions, momenta] = setup.prepared.projections(&run.state().memory).unwrap_or_default();
        let chart = chart(setup, &run.state().memory);
        let own_steps = setup.prepared.substeps(&run.state().memory);
        Ok(Summary {
            model: setup.system.name.clone(),
            title: setup.system.title.clone(),
            chosen: Chosen::new(setup.prepared),
            formulation: setup.problem.equations.motion.formulation.name(),
            opt: setup.problem.equations.motion.formulation.values().into_iter().collect(),
            project: setup.prepared.projection().map(|p| p.target.name()),
            step: setup.request.step,
            status,
            steps: run.done(),
            time: run.time(),
            state: flat(&setup.problem.equations.motion.state, &state),
            state_arrays: arrays(&setup.problem.equations.motion.state, &state),
            energy: Energy { initial: energy.initial, r#final: energy.last, max_abs_error: energy.max_deviation },
            constraints: residuals(&constraint_names, &constraints, primary),
            hidden_constraints: residuals(&hidden_names, &hidden, later),
            casimirs,
            invariants,
            multipliers: flat(&multiplier_names, &forces),
            multiplier_arrays: arrays(&multiplier_names, &forces),
            auxiliaries: flat(&auxiliary_names, &own),
            auxiliary_arrays: arrays(&auxiliary_names, &own),
            chart,
            observables: flat(&observable_names, &observed),
            observable_arrays: arrays(&observable_names, &observed),
            work: Work {
                newton_iterations: run.iterations(),
                projections: if setup.prepared.projects_at_once() { positions } else { positions + momenta },
                at_once: setup.prepared.projects_at_once(),
                position_projections: positions,
                momentum_projections: momenta,
                chart_changes: setup.prepared.chart_changes(&run.state().memory),
                own_steps: own_steps.map(|[accepted, rejected]| OwnSteps { accepted, rejected }),
            },
            seconds: run.seconds(),
            native: cfg!(feature = "jit"),
            whole_step: run.is_whole(),
            record: Some(setup.request.record).filter(|&every| every == 0 || setup.out.is_some()),
            out: setup.out.clone(),
            plot: None,
            report: None,
            sparklines: vec![],
            moved: setup.problem.moved.map(|[positions, momenta]| Moved { positions, momenta }),
            dropped: setup.problem.dropped.iter().map(|r| r.name.clone()).collect(),
            failure: None,
            notes: vec![],
            singular_passages: vec![],
            unwritten: vec![],
        })
    }
}

/// The names of the coordinates of the chart in use; none before the first step.
fn chart(setup: &Setup<'_>, memory: &[f64]) -> Option<Vec<String>> {
    let numbers = memory.get(setup.prepared.chart(memory.len())?)?;
    let name = |&k: &f64| Some(setup.problem.equations.motion.state.entry_name((k as usize).checked_sub(1)?));
    numbers.iter().map(name).collect()
}

fn flat(layout: &Layout, values: &[f64]) -> Map<f64> {
    Map(layout.entry_names().into_iter().zip(values.iter().copied()).collect())
}

fn arrays(layout: &Layout, values: &[f64]) -> Vec<Values> {
    let mut rest = values;
    let mut next = |array: &Array| {
        let (own, after) = rest.split_at(array.len().min(rest.len()));
        rest = after;
        Values { array: array.clone(), values: own.to_vec() }
    };
    layout.arrays().iter().map(&mut next).collect()
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
