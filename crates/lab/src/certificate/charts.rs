//! Where a run changes its chart.

use cotangent_integrate::Prepared;
use std::ops::Range;

/// So many states of each kind are asked at most.
pub(super) const STATES: usize = 3;

/// A state, and the chart that is in use there, as a memory has it; none: the best one.
#[derive(Clone, Default)]
pub(super) struct Spot {
    pub(super) state: Vec<f64>,
    pub(super) chart: Vec<f64>,
}

/// Changes of the chart along a run.
pub(super) struct Charts {
    /// Where a memory has the chart.
    part: Option<Range<usize>>,
    /// The last two states, the older one first.
    last: [Spot; 2],
    /// States from which a step ends where the chart is changed.
    pub(super) changes: Vec<Spot>,
}

impl Charts {
    pub(super) fn new(prepared: &Prepared) -> Charts {
        Charts { part: prepared.chart(), last: Default::default(), changes: vec![] }
    }

    /// Goes on to a state, with the chart of the step that led there.
    pub(super) fn follow(&mut self, state: &[f64], memory: &[f64]) {
        let Some(chart) = self.part.clone().and_then(|part| memory.get(part)) else { return };
        let [older, newer] = &mut self.last;
        // Before the first step none is in use.
        let is_known = newer.chart.iter().any(|number| *number > 0.0) && !older.state.is_empty();
        if is_known && newer.chart != chart && self.changes.len() < STATES {
            self.changes.push(Spot { chart: newer.chart.clone(), ..older.clone() });
        }
        std::mem::swap(older, newer);
        newer.state.clear();
        newer.state.extend_from_slice(state);
        newer.chart.clear();
        newer.chart.extend_from_slice(chart);
    }
}
