//! What a run has come to.

use super::Run;
use super::observer::{Progress, Unobserved};
use super::watch::watched;
use crate::history::History;
use crate::monitor::Monitor;
use crate::statistics::Extremes;
use cotangent_dynamics::{Advance, Measure, State};
use cotangent_scalar::Clock;

impl<I: Advance, D: Measure> Run<I, D> {
    /// Updates of Newton's method.
    pub fn iterations(&self) -> u64 {
        self.earlier[0] + self.integrator.iterations() - self.again[0]
    }

    /// Iterations to fixed points.
    pub fn contractions(&self) -> u64 {
        self.earlier[1] + self.integrator.contractions() - self.again[1]
    }

    /// How many values each sample of a history has: the state, the observables and the numbers of
    /// the picture, one after the other.
    pub fn watched(&self) -> usize {
        watched(&self.quantities.names()).into_iter().sum()
    }
}

impl<I, D: Measure> Run<I, D> {
    /// The extremes of the energy.
    pub fn energy(&self) -> Extremes {
        self.kept.as_slice()[0]
    }

    /// The extremes of each constraint member.
    pub fn constraints(&self) -> &[Extremes] {
        &self.kept.as_slice()[1..][..self.quantities.last().constraints.len()]
    }

    /// The extremes of each hidden constraint, if the system has them.
    pub fn hidden_constraints(&self) -> &[Extremes] {
        let kept = self.quantities.last();
        &self.kept.as_slice()[1 + kept.constraints.len()..][..kept.hidden_constraints.len()]
    }

    /// The extremes of each claimed quantity.
    pub fn claims(&self) -> &[Extremes] {
        let kept = self.quantities.last();
        &self.kept.as_slice()[1 + kept.constraints.len() + kept.hidden_constraints.len()..]
    }
}

impl<I, D> Run<I, D> {
    /// Steps made.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// How far it is; of a run to a time that is a variable, how many steps it will have is guessed.
    pub fn progress(&self) -> Progress {
        let (done, time) = (self.done, self.time());
        let total = match self.goal() {
            Some(goal) if time != 0.0 => ((goal / time * done as f64).ceil() as u64).max(done),
            _ => self.schedule.total(),
        };
        Progress { done, total, time }
    }

    /// The state.
    pub fn state(&self) -> &State<f64> {
        &self.state
    }

    /// What makes the steps.
    pub fn integrator(&self) -> &I {
        &self.integrator
    }

    /// What is measured.
    pub fn quantities(&self) -> &D {
        &self.quantities
    }

    /// What is measured, to be evaluated.
    pub fn diagnostics(&mut self) -> &mut D {
        &mut self.quantities
    }

    /// The history so far.
    pub fn history(&self) -> Option<&History> {
        self.watch.as_ref().map(|watch| &watch.history)
    }

    /// Where observables or the picture had no value.
    pub fn unobserved(&self) -> Option<&Unobserved> {
        self.unobserved.as_ref()
    }

    /// What was noticed on the way: singular configurations, leaps of the energy.
    pub fn monitor(&self) -> &Monitor {
        &self.monitor
    }

    /// The clock it goes by.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Seconds of integration and measurement, output not included; 0 without a clock.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// From now on the time of steps between measurements is kept, at the cost of two looks at the clock each.
    pub fn time_steps(&mut self) {
        self.stepping.get_or_insert_default();
    }

    /// Seconds of steps between measurements, since [`Run::time_steps`].
    pub fn stepping(&self) -> Option<f64> {
        self.stepping.map(|t| t.as_secs_f64())
    }
}
