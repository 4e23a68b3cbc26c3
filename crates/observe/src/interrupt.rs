//! Stopping a run from outside: Ctrl-C asks, a second Ctrl-C insists.

use cotangent_scalar::{Cancel, Limits};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit status after a second signal: 128 + SIGINT, as shells report it.
const INSISTED: i32 = 130;

/// Signals are delivered to the process, so there is one handler for all runs in it.
static INSTALLED: OnceLock<Result<Interrupt, InterruptError>> = OnceLock::new();

/// A flag that says a run should stop at the next good moment. Clones are the same flag.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Cancel);

/// Why signals cannot be caught.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("cannot catch Ctrl-C: {reason}")]
pub struct InterruptError {
    /// What the operating system, or another handler in this process, says.
    reason: String,
}

impl Interrupt {
    /// A flag that only [`Interrupt::set`] sets.
    pub fn new() -> Self {
        Self::default()
    }

    /// The flag that Ctrl-C sets (SIGINT; on Unix also SIGTERM and SIGHUP). From the first call on,
    /// such a signal does not end the process; a second one does, at once, with exit status 130.
    /// Every call gives the same flag.
    pub fn install() -> Result<Self, InterruptError> {
        INSTALLED.get_or_init(Self::catch).clone()
    }

    fn catch() -> Result<Self, InterruptError> {
        let interrupt = Interrupt::new();
        let (flag, asked) = (interrupt.clone(), AtomicBool::new(false));
        // The handler runs in a thread of its own, where leaving the process is allowed.
        let handler = move || {
            flag.set();
            if asked.swap(true, Ordering::SeqCst) {
                std::process::exit(INSISTED);
            }
        };
        ctrlc::set_handler(handler).map_err(|e| InterruptError { reason: e.to_string() })?;
        Ok(interrupt)
    }

    /// Whether the run should stop. Cheap enough to ask after every step.
    pub fn is_set(&self) -> bool {
        self.0.is_set()
    }

    /// No limits but this flag, for computations that take [`Limits`].
    pub fn limits(&self) -> Limits {
        Limits::until(self.0.clone())
    }

    /// Asks for a stop, as Ctrl-C does.
    pub fn set(&self) {
        self.0.set();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_are_one_flag_and_new_flags_are_others() {
        let interrupt = Interrupt::new();
        let clone = interrupt.clone();
        assert!(!clone.is_set());
        interrupt.set();
        assert!(clone.is_set());
        assert!(!Interrupt::new().is_set());
    }

    #[test]
    fn installing_twice_gives_the_same_flag() {
        let (one, two) = (Interrupt::install().unwrap(), Interrupt::install().unwrap());
        one.set();
        assert!(two.is_set());
    }
}
