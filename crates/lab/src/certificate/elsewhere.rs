//! Where a property is asked for that is not claimed: what holds from the start may hold there alone.
//!
//! A motion on which terms vanish, as along a straight line that is invariant, shows no defect of these terms, and steps in
//! one chart none of a change of charts. So steps are made from other states, too: where a run changes its chart, along the
//! run, and beside the start in general directions.

use super::along::Along;
use super::candidate::Candidate;
use super::charts::{STATES, Spot};
use super::ladder::{CLEAR, Question, Sample, Shown, climb};
use super::probe::Probe;
use super::reason::Reason;
use cotangent_scalar::{Random, largest};
use std::ops::Range;

/// Measures a defect of a step of a size, from a point that steps of another lead to.
pub(super) type Gauged<'g, C> = dyn FnMut(&mut Probe<'_, C>, f64, f64) -> Result<Sample, Reason> + 'g;

/// So many variables are asked for at most, in all states.
const VARIABLES: usize = 96;

/// How far states beside the start are from it, relative to the largest position or momentum.
const BESIDE: f64 = 0.1;

/// What other states show of a property.
pub(super) enum Elsewhere {
    /// This defect, here or at larger steps.
    Shows(f64, Shown),
    /// None.
    Holds,
    /// No step could be made from any.
    Unknown,
}

/// The states of a run other than its start, and those beside it.
pub(super) struct States<'p, 'a, C> {
    pub(super) probe: &'p mut Probe<'a, C>,
    pub(super) along: &'a Along,
    pub(super) step: f64,
}

impl<'a, C: Candidate> States<'_, 'a, C> {
    /// A defect of a step at whose end another chart is better, if there is one. Smaller steps from there do not reach the
    /// change: they say nothing of it.
    pub(super) fn at_charts(&mut self, ask: Question, measure: &mut Gauged<'_, C>) -> Option<f64> {
        let along = self.along;
        let mut found = None;
        for Spot { state, chart } in &along.charts {
            if self.probe.go_to(state, chart).is_ok()
                && let Ok(sample) = measure(self.probe, self.step, self.step)
                && sample.defect > ask.floor.max(CLEAR)
            {
                found = Some(sample.defect);
                break;
            }
        }
        self.probe.leave();
        found
    }

    /// What they show.
    pub(super) fn show(&mut self, ask: Question, measure: &mut Gauged<'_, C>) -> Elsewhere {
        if let Some(defect) = self.at_charts(ask, measure) {
            return Elsewhere::Shows(defect, Shown::Here);
        }
        let mut found = Elsewhere::Unknown;
        for state in &self.others() {
            if self.probe.go_to(state, &[]).is_err() {
                continue;
            }
            match climb(ask, &mut |place, step| measure(self.probe, place, step)) {
                Ok((defect, shown @ (Shown::Here | Shown::At { .. }))) => {
                    found = Elsewhere::Shows(defect, shown);
                    break;
                }
                Ok(_) => found = Elsewhere::Holds,
                Err(_) => {}
            }
        }
        self.probe.leave();
        found
    }

    /// States beside the start, and some along the run.
    fn others(&self) -> Vec<Vec<f64>> {
        let (problem, along) = (self.probe.problem(), self.along);
        let start = problem.start();
        let states = (VARIABLES / start.len().max(1)).clamp(1, STATES);
        let places = if along.ended.is_some() { &[][..] } else { &along.places[..] };
        let middle = if problem.nature().halves { start.len() / 2 } else { start.len() };
        let unit = |range: Range<usize>| {
            let part = |state: &[f64]| largest(&state[range.clone()]);
            let on_the_way = places.iter().map(|place| part(place)).find(|size| *size > 0.0);
            Some(part(start)).filter(|size| *size > 0.0).or(on_the_way).unwrap_or(1.0)
        };
        let units = [unit(0..middle), unit(middle..start.len())];
        let mut random = Random::default();
        let mut beside = || {
            let moved =
                start.iter().enumerate().map(|(k, z)| z + BESIDE * random.signed() * units[usize::from(k >= middle)]);
            moved.collect::<Vec<f64>>()
        };
        let free = if problem.has_neighbours() { states } else { 0 };
        let mut others: Vec<Vec<f64>> = (0..free).map(|_| beside()).collect();
        others.extend(places.iter().step_by(places.len().div_ceil(states).max(1)).cloned());
        others
    }
}
