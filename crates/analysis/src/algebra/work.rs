//! How much algebra an analysis may do.
//!
//! Polynomials grow without warning, and what would take for ever has to end in "too large". Work is counted in
//! products and sums of terms, not in seconds, so that the same model gives the same report on every machine.
//! Where somebody asks to stop nothing is left to spend, and [`Work::check`] says so.

use cotangent_scalar::{Interrupted, Limits};
use std::cell::Cell;

/// The algebra that an analysis may take: some seconds. What is left then is sampled, or too large.
pub(crate) const WORK: u64 = 60_000_000;

/// What is left to spend.
#[derive(Debug)]
pub(crate) struct Work {
    left: Cell<u64>,
    limits: Limits,
}

impl Default for Work {
    fn default() -> Work {
        Work::new(u64::MAX, &Limits::default())
    }
}

impl Work {
    /// So much to spend, or what the limits say.
    pub(crate) fn new(usual: u64, limits: &Limits) -> Work {
        Work { left: Cell::new(limits.work.unwrap_or(usual)), limits: limits.clone() }
    }

    /// What is left to spend.
    pub(crate) fn left(&self) -> u64 {
        self.left.get()
    }

    /// Runs with so much work to spend, of what is left.
    pub(crate) fn within<T>(&self, limit: u64, run: impl FnOnce() -> T) -> T {
        let around = self.left.get();
        let granted = limit.min(around);
        self.left.set(granted);
        let out = run();
        self.left.set(around - (granted - self.left.get()));
        out
    }

    /// Spends work; `None` if there is not as much left, or somebody wants to stop.
    pub(crate) fn spend(&self, operations: usize) -> Option<()> {
        let left = self.left.get().checked_sub(operations as u64);
        self.left.set(left.unwrap_or(0));
        left.filter(|_| !self.limits.cancel.is_set()).map(|_| ())
    }

    /// An error if somebody wants to stop.
    pub(crate) fn check(&self) -> Result<(), Interrupted> {
        self.limits.check()
    }
}

#[cfg(test)]
mod tests {
    use super::Work;
    use cotangent_scalar::Limits;

    #[test]
    fn what_is_spent_inside_is_spent_outside() {
        let work = Work::new(100, &Limits::default());
        assert_eq!(work.within(10, || (work.spend(6), work.spend(6))), (Some(()), None));
        assert_eq!(work.spend(90), Some(()));
        assert_eq!(work.spend(1), None);
        assert_eq!(Work::default().spend(1_000_000), Some(()));
    }

    #[test]
    fn nothing_is_left_after_a_stop() {
        let limits = Limits::default();
        let work = Work::new(100, &limits);
        assert_eq!(work.spend(1), Some(()));
        limits.cancel.set();
        assert_eq!(work.spend(1), None);
        assert!(work.check().is_err());
    }
}
