//! A bar on the terminal, for runs that take a while.

use crate::cli::figures::number;
use cotangent::observe::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Shorter runs show nothing.
const PATIENCE: Duration = Duration::from_millis(500);

/// A bar that appears when a run takes longer than a moment, if somebody looks.
pub(super) struct Bar {
    begun: Instant,
    wanted: bool,
    bar: Option<ProgressBar>,
}

impl Bar {
    /// Nothing yet.
    pub(super) fn new(quiet: bool) -> Bar {
        Bar { begun: Instant::now(), wanted: !quiet && std::io::stderr().is_terminal(), bar: None }
    }

    /// How far the run is.
    pub(super) fn show(&mut self, progress: Progress) {
        if !self.wanted || self.bar.is_none() && self.begun.elapsed() < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(Some(progress.total), ProgressDrawTarget::stderr_with_hz(10));
            let template = "{percent:>3} % {wide_bar} {msg}  {eta} left";
            match ProgressStyle::with_template(template) {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            }
        });
        bar.set_position(progress.done);
        bar.set_message(format!("t = {}", number(progress.time)));
    }

    /// Takes the bar away.
    pub(super) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
