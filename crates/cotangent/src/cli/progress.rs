//! How far a verb has come, on the terminal.

use cotangent::verbs::{Progress, number};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Shorter runs show nothing.
const PATIENCE: Duration = Duration::from_millis(500);

/// A bar for a run that takes longer than a moment, a line for a comparison, if somebody looks.
pub(crate) struct Bar {
    wanted: bool,
    begun: Option<Instant>,
    bar: Option<ProgressBar>,
}

impl Bar {
    /// Nothing yet.
    pub(crate) fn new(quiet: bool) -> Bar {
        Bar { wanted: !quiet && std::io::stderr().is_terminal(), begun: None, bar: None }
    }

    /// How far it is.
    pub(crate) fn show(&mut self, progress: Progress<'_>) {
        if !self.wanted {
            return;
        }
        let time = format!("t = {}", number(progress.time));
        match (progress.what, progress.total) {
            ("", _) => {
                let begun = *self.begun.get_or_insert_with(Instant::now);
                if self.bar.is_some() || begun.elapsed() >= PATIENCE {
                    let bar = self.bar.get_or_insert_with(|| counted(progress.total));
                    bar.set_position(progress.done);
                    bar.set_message(time);
                }
            }
            (what, 0) => self.bar.get_or_insert_with(spinning).set_message(what.to_owned()),
            (what, _) => self.bar.get_or_insert_with(spinning).set_message(format!("{what}, {time}")),
        }
    }

    /// Takes the bar away: something else is shown.
    pub(crate) fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.clear();
    }
}

fn counted(total: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(10));
    styled(bar, "{percent:>3} % {wide_bar} {msg}  {eta} left")
}

fn spinning() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
    let bar = styled(bar, "{spinner} {elapsed:>4}  {wide_msg}");
    // By itself: the exact motion takes its time in one piece.
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn styled(bar: ProgressBar, template: &str) -> ProgressBar {
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
