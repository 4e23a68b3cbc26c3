//! Stopping from outside: Ctrl-C asks, a second Ctrl-C insists.

use cotangent_scalar::Cancel;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit status after a second signal: 128 + SIGINT, as shells report it.
const INSISTED: i32 = 130;

/// Why signals cannot be caught.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("cannot catch signals such as Ctrl-C: {reason}")]
pub struct InterruptError {
    /// What the operating system, or another handler in this process, says.
    reason: String,
}

impl InterruptError {
    pub(crate) fn new(reason: &impl ToString) -> InterruptError {
        InterruptError { reason: reason.to_string() }
    }
}

/// From now on Ctrl-C sets this token (SIGINT; on Unix also SIGTERM and SIGHUP) and does not end the process; a second
/// one does, at once, with exit status 130. Signals are delivered to the process: a second call is an error.
pub fn cancel_on_signal(cancel: &Cancel) -> Result<(), InterruptError> {
    let (cancel, asked) = (cancel.clone(), AtomicBool::new(false));
    // The handler runs in a thread of its own, where leaving the process is allowed.
    let handler = move || {
        cancel.set();
        if asked.swap(true, Ordering::SeqCst) {
            std::process::exit(INSISTED);
        }
    };
    ctrlc::set_handler(handler).map_err(|e| InterruptError::new(&e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_handler_in_a_process() {
        assert_eq!(cancel_on_signal(&Cancel::new()), Ok(()));
        let again = cancel_on_signal(&Cancel::new()).unwrap_err();
        assert!(again.to_string().starts_with("cannot catch signals such as Ctrl-C: "), "{again}");
    }
}
