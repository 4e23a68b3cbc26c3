//! Ctrl-C is heard within a second in every phase.
//!
//! Long computations look at their [`Limits`](cotangent::scalar::Limits) and return. Some phases cannot look: a
//! function that is being compiled, the ordering of a large matrix. As long as there is nothing to keep, the program
//! ends without them.

use cotangent::scalar::Cancel;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// How long a computation may take to return.
const PATIENCE: Duration = Duration::from_millis(700);

/// How often the flag is looked at.
const EVERY: Duration = Duration::from_millis(50);

/// Whether there is something to keep: rows that are done, files that are open. Clones are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept(Arc<AtomicBool>);

impl Kept {
    /// From now on an interrupted command ends by itself.
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What the program says last, and with which status it ends.
pub(crate) struct Last {
    pub(crate) text: String,
    /// Whether it goes where results go.
    pub(crate) is_result: bool,
    pub(crate) status: u8,
}

/// Ends the program some time after an interrupt, unless there is something to keep.
pub(crate) fn watch(cancel: &Cancel, kept: &Kept, last: Last) {
    let (cancel, kept) = (cancel.clone(), kept.clone());
    thread::spawn(move || {
        while !cancel.is_set() {
            thread::sleep(EVERY);
        }
        thread::sleep(PATIENCE);
        if !kept.0.load(Ordering::Relaxed) {
            // Nobody can be told if the stream is closed.
            let _ = match last.is_result {
                true => std::io::stdout().write_all(last.text.as_bytes()),
                false => std::io::stderr().write_all(last.text.as_bytes()),
            };
            std::process::exit(i32::from(last.status));
        }
    });
}
