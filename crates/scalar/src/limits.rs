//! How far a computation may go: what it may spend, and whether somebody wants it to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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

/// What a long computation is given from outside, and hands on to its parts. The default has no limits.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Whether to stop.
    pub cancel: Cancel,
    /// Operations that an algebraic computation may take, where not what it allows itself: counted, not timed, so that
    /// the result is the same on every machine.
    pub work: Option<u64>,
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
        Limits { cancel, work: None }
    }

    /// An error if somebody wants the computation to stop.
    pub fn check(&self) -> Result<(), Interrupted> {
        if self.cancel.is_set() { Err(Interrupted) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cancel, Interrupted, Limits};

    #[test]
    fn clones_are_one_token_and_new_ones_are_others() {
        let limits = Limits::until(Cancel::new());
        let clone = limits.clone();
        assert_eq!(clone.check(), Ok(()));
        limits.cancel.set();
        assert_eq!(clone.check(), Err(Interrupted));
        assert_eq!(Limits::default().check(), Ok(()));
    }
}
