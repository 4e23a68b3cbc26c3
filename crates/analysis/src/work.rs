//! How much algebra an analysis may do.
//!
//! Polynomials grow without warning, and what would take for ever has to end in "too large". Work is counted in
//! products and sums of terms, not in seconds, so that the same model gives the same report on every machine.
//! The count belongs to the analysis that runs on this thread.

use std::cell::Cell;

thread_local! {
    static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// Runs with so much work to spend, of what is left around it.
pub(crate) fn within<T>(limit: u64, run: impl FnOnce() -> T) -> T {
    let around = LEFT.get();
    let granted = limit.min(around);
    LEFT.set(granted);
    let out = run();
    LEFT.set(around - (granted - LEFT.get()));
    out
}

/// Spends work; `None` if there is not as much left.
pub(crate) fn spend(operations: usize) -> Option<()> {
    let left = LEFT.get().checked_sub(operations as u64);
    LEFT.set(left.unwrap_or(0));
    left.map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::{spend, within};

    #[test]
    fn what_is_spent_inside_is_spent_outside() {
        within(100, || {
            assert_eq!(within(10, || (spend(6), spend(6))), (Some(()), None));
            assert_eq!(spend(90), Some(()));
            assert_eq!(spend(1), None);
        });
        assert_eq!(spend(1_000_000), Some(()));
    }
}
