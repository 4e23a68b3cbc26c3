//! Ctrl-C is heard within a second in every phase.
//!
//! Long computations look at their [`Limits`](cotangent::scalar::Limits) and return. Some phases cannot look: a
//! function that is being compiled, the ordering of a large matrix. As long as there is nothing to keep, the program
//! ends without them.

use super::output::{Output, document, exit};
use cotangent::scalar::Cancel;
use cotangent::verbs::{Failure, Status};
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

/// Ends the program some time after an interrupt, unless there is something to keep.
pub(crate) fn watch(cancel: &Cancel, kept: &Kept, out: &Output) {
    let (cancel, kept, failure) = (cancel.clone(), kept.clone(), Failure::interrupted());
    let json = out.wants_json();
    let text = match json {
        true => document(&failure.document()).unwrap_or_default(),
        false => failure.render(out.message_colour()),
    };
    thread::spawn(move || {
        while !cancel.is_set() {
            thread::sleep(EVERY);
        }
        thread::sleep(PATIENCE);
        if !kept.0.load(Ordering::Relaxed) {
            // Nobody can be told if the stream is closed.
            let _ = if json {
                std::io::stdout().write_all(text.as_bytes())
            } else {
                std::io::stderr().write_all(text.as_bytes())
            };
            std::process::exit(i32::from(exit(Status::Stopped)));
        }
    });
}
