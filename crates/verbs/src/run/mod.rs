//! `run`: integrate a model, write a table, say what was kept.

mod page;
mod ready;
mod remedy;
mod request;
mod summary;
mod task;
mod text;

pub use request::Request;
pub use summary::{Claimed, Document, Energy, Moved, OwnSteps, Residual, Work};

use crate::choice::Choice;
use crate::ending::Ending;
use crate::failure::{Code, Failure};
use crate::figures::number;
use crate::input::Source;
use crate::session::{Session, Status};
use cotangent_plot::{Figure, Movie};
use cotangent_report::Report;
use ready::Ready;
use std::time::Duration;

/// Integrates a model: steps, method and equations as chosen, or else as the model says.
pub fn run(model: impl Into<Source>, choice: &Choice) -> Result<Document, Failure> {
    let request = Request { choice: choice.clone(), ..Request::default() };
    request.answer(Some(model.into()), &mut Session::default())
}

impl Request {
    /// Integrates a model, or goes on with an interrupted run, which knows its model.
    pub fn answer(&self, model: Option<Source>, session: &mut Session<'_>) -> Result<Document, Failure> {
        let every = interval(self.checkpoint)?;
        let mut ready = Ready::new(self, model, session)?;
        let end = ready.integrate(every, session);
        ready.document(&end, session)
    }
}

impl Document {
    /// Whether the run came to its end, and, if it did, whether everything was written.
    pub fn status(&self) -> Status {
        let interrupted = self.unwritten.iter().any(|reason| reason.code == Code::Interrupted);
        match self.status {
            _ if interrupted => Status::Stopped,
            Ending::Failed | Ending::Interrupted => Status::Stopped,
            Ending::Finished if !self.unwritten.is_empty() => Status::Unwritten,
            Ending::Finished => Status::Held,
        }
    }

    /// Why it ended early, and which pictures could not be written.
    pub fn failures(&self) -> impl Iterator<Item = Failure> {
        self.failure.iter().map(Failure::from).chain(self.unwritten.iter().map(Failure::from))
    }

    /// As people read it.
    pub fn text(&self, coloured: bool) -> String {
        text::render(self, coloured)
    }

    /// Energy error, residuals, observables and motion as a figure; `None` if nothing was kept of the motion.
    pub fn figure(&self) -> Option<Figure> {
        self.background.figure()
    }

    /// The motion as a movie; `None` if nothing was kept of it, or the model draws nothing.
    pub fn movie(&self) -> Option<Movie> {
        self.background.movie()
    }

    /// A report: a page with the numbers, formulas, plots and the motion.
    pub fn page(&self) -> Report {
        page::page(self).report()
    }
}

/// The time between two checkpoints.
fn interval(seconds: Option<f64>) -> Result<Duration, Failure> {
    let seconds = seconds.unwrap_or(2.0);
    let refused = || {
        Failure::new(Code::Checkpoint, format!("--checkpoint is {}", number(seconds)))
            .help("give the seconds between two checkpoints")
    };
    Duration::try_from_secs_f64(seconds).map_err(|_| refused())
}
