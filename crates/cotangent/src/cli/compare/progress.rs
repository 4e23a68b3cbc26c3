//! A line on the terminal that says what is being computed.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// A line, if somebody looks.
pub(super) struct Line(ProgressBar);

impl Line {
    /// Nothing yet.
    pub(super) fn new(quiet: bool) -> Line {
        if quiet || !std::io::stderr().is_terminal() {
            return Line(ProgressBar::hidden());
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        let bar = match ProgressStyle::with_template("{spinner} {elapsed:>4}  {wide_msg}") {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        };
        // By itself: the exact motion takes its time in one piece.
        bar.enable_steady_tick(Duration::from_millis(200));
        Line(bar)
    }

    /// What is being done.
    pub(super) fn show(&self, what: impl FnOnce() -> String) {
        if !self.0.is_hidden() {
            self.0.set_message(what());
        }
    }
}

/// The line is gone before results are shown.
impl Drop for Line {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
