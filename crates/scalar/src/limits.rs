//! What a computation is given from outside: what it may spend, whether somebody wants it to stop, what time it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Says that a computation should stop at the next good moment. Clones are the same token.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A token that only [`Cancel::set`] sets.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// Whether the computation should stop. Cheap enough to ask after every step.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Asks for a stop.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A clock of the caller: the time since some moment of its own. The default stands still.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock(Option<fn() -> Duration>);

impl Clock {
    /// A clock that is read by this function, which never goes back.
    pub fn new(now: fn() -> Duration) -> Clock {
        Clock(Some(now))
    }

    /// What it shows.
    pub fn now(&self) -> Duration {
        self.0.map_or(Duration::ZERO, |now| now())
    }

    /// Whether it runs at all.
    pub fn is_running(&self) -> bool {
        self.0.is_some()
    }
}

/// What a long computation is given from outside, and hands on to its parts. The default has no limits, and no clock.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Whether to stop.
    pub cancel: Cancel,
    /// Operations that an algebraic computation may take, where not what it allows itself: counted, not timed, so that
    /// the result is the same on every machine.
    pub work: Option<u64>,
    /// The clock: what takes how long, and when to look up. No result depends on it.
    pub clock: Clock,
}

/// A computation that was asked to stop before it had a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interrupted;

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for Interrupted {}

impl Limits {
    /// No limits but this token.
    pub fn until(cancel: Cancel) -> Limits {
        Limits { cancel, ..Limits::default() }
    }

    /// The same with a clock.
    #[must_use]
    pub fn timed(self, clock: Clock) -> Limits {
        Limits { clock, ..self }
    }

    /// An error if somebody wants the computation to stop.
    pub fn check(&self) -> Result<(), Interrupted> {
        if self.cancel.is_set() { Err(Interrupted) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_are_one_token_and_new_ones_are_others() {
        let limits = Limits::until(Cancel::new());
        let clone = limits.clone();
        assert_eq!(clone.check(), Ok(()));
        limits.cancel.set();
        assert_eq!(clone.check(), Err(Interrupted));
        assert_eq!(Limits::default().check(), Ok(()));
    }

    #[test]
    fn a_clock_that_is_not_given_stands_still() {
        assert_eq!((Clock::default().now(), Clock::default().is_running()), (Duration::ZERO, false));
        let limits = Limits::until(Cancel::new()).timed(Clock::new(|| Duration::from_secs(3)));
        assert_eq!((limits.clock.now(), limits.clock.is_running()), (Duration::from_secs(3), true));
    }
}
