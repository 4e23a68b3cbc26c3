//! Ctrl-C is heard within a second in every phase.
//!
//! Long computations look at their [`Limits`](cotangent::scalar::Limits) and return. Some phases cannot look: a
//! function that is being compiled, the ordering of a large matrix, a result that is printed to somebody who does not
//! read it. As long as there is nothing to keep, the program ends without them.

use cotangent::scalar::Cancel;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How long a computation may take to return.
const PATIENCE: Duration = Duration::from_millis(500);

/// How long it may take at least from the moment at which everything is kept, to say so itself.
const GRACE: Duration = Duration::from_millis(200);

/// How often the flag is looked at.
const EVERY: Duration = Duration::from_millis(50);

/// What is said where an interrupted command has to be waited for.
const WAITING: &str = "interrupted: what was computed is being kept; Ctrl-C again ends the program at once\n";

/// What the program says last, and with which status it ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct Last {
    pub(crate) text: String,
    /// Whether it goes where results go.
    pub(crate) is_result: bool,
    pub(crate) status: u8,
}

/// Whether there is something to keep, rows that are done or files that are open; if not, what is said by a program
/// that ends now. Clones are the same.
#[derive(Clone, Debug)]
pub(crate) struct Phase(Arc<Mutex<Option<Last>>>);

impl Phase {
    /// Nothing is to be kept.
    pub(crate) fn new(last: Last) -> Phase {
        Phase(Arc::new(Mutex::new(Some(last))))
    }

    /// From now on an interrupted command ends by itself.
    pub(crate) fn keep(&self) {
        *self.lock() = None;
    }

    /// From now on nothing is lost by ending the program, which says this.
    pub(crate) fn leave(&self, last: Last) {
        *self.lock() = Some(last);
    }

    fn lock(&self) -> MutexGuard<'_, Option<Last>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the program some time after an interrupt, or after the last moment at which there was something to keep. Unless
/// `quiet`, those who have to wait for that moment are told so.
pub(crate) fn watch(cancel: &Cancel, phase: &Phase, quiet: bool) {
    let (cancel, phase) = (cancel.clone(), phase.clone());
    thread::spawn(move || {
        while !cancel.is_set() {
            thread::sleep(EVERY);
        }
        let (mut waited, mut idle, mut told) = (Duration::ZERO, Duration::ZERO, quiet);
        loop {
            thread::sleep(EVERY);
            waited += EVERY;
            // Nobody else speaks while the last words are said.
            let phase = phase.lock();
            match &*phase {
                Some(last) if waited >= PATIENCE && idle >= GRACE => end(last),
                Some(_) => idle += EVERY,
                None => {
                    idle = Duration::ZERO;
                    if waited >= PATIENCE && !told {
                        told = true;
                        // Nobody can be told if the stream is closed.
                        let _ = std::io::stderr().write_all(WAITING.as_bytes());
                    }
                }
            }
        }
    });
}

/// Says the last words and ends the program.
fn end(last: &Last) -> ! {
    // Nobody can be told if the stream is closed.
    let _ = match last.is_result {
        true => std::io::stdout().write_all(last.text.as_bytes()),
        false => std::io::stderr().write_all(last.text.as_bytes()),
    };
    std::process::exit(i32::from(last.status))
}
