//! What a run leaves behind to be taken up again, to the same bits.

use super::observer::{Observer, Unobserved, Verdict};
use super::{End, Foreign, Run, RunError};
use crate::checkpoint::Checkpoint;
use crate::monitor::Monitor;
use crate::platform::Platform;
use crate::reserve::Reserve;
use crate::statistics::ExtremesList;
use crate::table::Mark;
use cotangent_dynamics::{Advance, Measure, State};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

/// What a checkpoint says besides its numbers; `request` is what the caller needs to set up the
/// same run again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Header<R> {
    /// What was asked for.
    pub request: R,
    /// Steps made.
    pub done: u64,
    /// Whether the run has reached its end; this is then the state before the last step, from which it can go on to
    /// another one.
    #[serde(default)]
    pub finished: bool,
    /// How much of the table is on the disk.
    pub mark: Option<Mark>,
    /// Where it ran.
    pub platform: Platform,
    /// Updates of Newton's method.
    pub iterations: u64,
    /// Iterations to fixed points.
    #[serde(default)]
    pub contractions: u64,
    /// Seconds of integration.
    pub seconds: f64,
    /// What was noticed on the way.
    #[serde(default)]
    pub monitor: Monitor,
    /// Where observables or the picture had no value.
    #[serde(default)]
    pub unobserved: Option<Unobserved>,
    /// Rows of the next step that are in the table already.
    #[serde(default)]
    pub between: u64,
}

impl<I: Advance, D: Measure> Run<I, D> {
    /// What judges forces remembers.
    pub(super) fn conditioning(&mut self) -> Vec<f64> {
        let mut memory = vec![];
        if let Some(conditioning) = self.quantities.conditioning() {
            conditioning.memory(&mut memory);
        }
        memory
    }

    /// Everything it takes to go on from here.
    fn saved<R: Clone>(&mut self, request: &R) -> Result<Checkpoint<Header<R>>, RunError> {
        let mark = self.recorder.as_mut().map(|recorder| recorder.table.mark()).transpose()?;
        let conditioning = self.conditioning();
        let parts = [&self.state.values[..], &self.state.carry, &self.state.memory, &conditioning];
        let statistics = ExtremesList::state_len(self.kept.as_slice().len());
        // All at once: of a large system they are hundreds of megabytes, and somebody may wait.
        let mut numbers = Vec::with_capacity(parts.iter().map(|part| part.len()).sum::<usize>() + statistics);
        parts.iter().for_each(|part| numbers.extend_from_slice(part));
        self.kept.export(&mut numbers);
        if let Some(watch) = &self.watch {
            watch.history.export(&mut numbers);
        }
        let header = Header {
            request: request.clone(),
            done: self.done,
            finished: false,
            mark,
            platform: Platform::current(),
            iterations: self.iterations(),
            contractions: self.contractions(),
            seconds: self.seconds,
            monitor: self.monitor.clone(),
            unobserved: self.unobserved.clone(),
            between: self.between,
        };
        Ok(Checkpoint { header, numbers })
    }

    /// Goes back to what a checkpoint says.
    pub fn restore<R>(&mut self, checkpoint: &Checkpoint<Header<R>>) -> Result<(), RunError> {
        let header = &checkpoint.header;
        let [n, m] = [self.state.values.len(), self.state.memory.len()];
        let quantities = self.kept.as_slice().len();
        let conditioning = self.conditioning().len();
        let numbers = &checkpoint.numbers;
        let own = 2 * n + m + conditioning + ExtremesList::state_len(quantities);
        if numbers.len() < own {
            return Err(Foreign::Variables.into());
        }
        if header.done > self.schedule.total() {
            return Err(Foreign::Steps.into());
        }
        let (numbers, past) = numbers.split_at(own);
        let (values, rest) = numbers.split_at(n);
        let (carry, rest) = rest.split_at(n);
        let (memory, rest) = rest.split_at(m);
        let (conditioning, rest) = rest.split_at(conditioning);
        if let Some(c) = self.quantities.conditioning() {
            c.restore(conditioning);
        }
        self.monitor = header.monitor.clone();
        self.kept = ExtremesList::import(quantities, rest)?;
        self.state = State { values: values.to_vec(), carry: carry.to_vec(), memory: memory.to_vec() };
        self.done = header.done;
        (self.is_ending, self.last) = (false, None);
        self.seconds = header.seconds;
        self.earlier = [header.iterations, header.contractions];
        self.unobserved.clone_from(&header.unobserved);
        self.between = header.between;
        self.past = past.to_vec();
        self.quantities.kept(&self.state.values)?;
        if !self.has_room_between() {
            return Err(Foreign::Steps.into());
        }
        Ok(())
    }
}

/// Writes checkpoints: at the begin, every so often by the clock of the run, when it is interrupted, and at its end.
///
/// That of the end is the state before the last step: from there a run that is killed while its table is completed ends
/// in the same bytes, and one that is finished goes on to a later end.
pub struct Checkpoints<R> {
    path: PathBuf,
    every: Duration,
    request: R,
    /// When the last one was written, and how long that took.
    saved: Duration,
    saving: Duration,
    reserve: Option<Reserve>,
    /// The state before the last step.
    before_last: Option<Checkpoint<Header<R>>>,
    has_published: bool,
}

impl<R: Clone + Serialize + DeserializeOwned> Checkpoints<R> {
    /// Into a file, with so much time between two; `request` is what it takes to set up the same run again.
    pub fn new(path: PathBuf, every: Duration, request: R) -> Checkpoints<R> {
        Checkpoints {
            path,
            every,
            request,
            saved: Duration::ZERO,
            saving: Duration::ZERO,
            reserve: None,
            before_last: None,
            has_published: false,
        }
    }

    /// Whether the table of a run that was interrupted has the rows so far. One that is large is completed only when
    /// the run ends.
    pub fn has_published(&self) -> bool {
        self.has_published
    }

    /// Says that the run is finished, and leaves what it is extended from: the state before its last step, which may have
    /// been a shorter one. False if that step was not made under these eyes.
    pub fn leave(&mut self) -> Result<bool, RunError> {
        let Some(mut left) = self.before_last.take() else { return Ok(false) };
        left.header.finished = true;
        left.write(&self.path)?;
        Ok(true)
    }

    /// Remembers the state before the last step.
    fn look<I: Advance, D: Measure>(&mut self, run: &mut Run<I, D>) -> Result<(), RunError> {
        if run.is_ending && run.last.is_none() || run.done() + 1 == run.schedule.total() {
            self.before_last = Some(run.saved(&self.request)?);
        }
        Ok(())
    }

    fn save<I: Advance, D: Measure>(&self, run: &mut Run<I, D>) -> Result<(), RunError> {
        Ok(run.saved(&self.request)?.write(&self.path)?)
    }
}

impl<R: Clone + Serialize + DeserializeOwned, I: Advance, D: Measure> Observer<I, D> for Checkpoints<R> {
    fn begin(&mut self, run: &mut Run<I, D>) -> Result<(), RunError> {
        (self.saved, self.saving) = (run.clock().now(), Duration::ZERO);
        self.save(run)?;
        self.look(run)?;
        self.reserve = Reserve::beside(&self.path);
        Ok(())
    }

    fn pause(&mut self, run: &mut Run<I, D>) -> Verdict {
        self.look(run)?;
        // Whoever went on from the last state could not tell what to extend the run from.
        if run.is_finished() {
            return Ok(ControlFlow::Continue(()));
        }
        let begun = run.clock().now();
        // A large history takes a while to write: not more than a tenth of the time.
        if run.clock().is_running() && begun.saturating_sub(self.saved) >= self.every.max(10 * self.saving) {
            if let Err(error) = self.save(run) {
                self.reserve = None;
                let _ = self.save(run);
                return Err(error);
            }
            self.saved = run.clock().now();
            self.saving = self.saved.saturating_sub(begun);
        }
        Ok(ControlFlow::Continue(()))
    }

    fn end(&mut self, run: &mut Run<I, D>, end: Result<&End, &RunError>) -> Result<(), RunError> {
        self.reserve = None;
        match end {
            Ok(End::Interrupted | End::Stopped) => {
                self.save(run)?;
                self.has_published = run.publish()?;
                Ok(())
            }
            Ok(End::Finished) => match &self.before_last {
                Some(left) => Ok(left.write(&self.path)?),
                None => self.save(run),
            },
            // A row that could not be written: what was computed is kept, now that some room was given up for it.
            Err(RunError::Table(_)) => {
                if let Some(left) = self.before_last.as_ref().filter(|_| run.is_finished()) {
                    // The last step is made again, and its row with it.
                    let _ = left.write(&self.path);
                    return Ok(());
                }
                let caught_up = if run.is_behind() { run.record() } else { Ok(()) };
                let _ = caught_up.and_then(|()| self.save(run));
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
