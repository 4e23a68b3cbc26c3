//! Steps that are looked at one by one: whether they went on smoothly.

use super::{Halt, Observers, Run, RunError};
use crate::monitor::Change;
use cotangent_dynamics::{Advance, Branch, Conditioned, Equation, Failure, Kind, Measure, Time};

/// What is noticed of a step.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    /// By how much the energy changed.
    pub(super) change: f64,
    pub(super) kind: Change,
    /// The terms of the energy, where they were looked at.
    pub(super) terms: Option<f64>,
    pub(super) conditioned: Option<Conditioned>,
    /// Whether momenta that the method leaves free were brought back.
    pub(super) settled: bool,
}

impl Seen {
    /// Why the step is none, if it did not keep to its branch.
    pub(super) fn lost(&self) -> Option<Failure> {
        let conditioned = self.conditioned?;
        let equation = Equation { kind: Kind::Constraint, index: conditioned.constraint };
        match conditioned.branch {
            Branch::Kept => None,
            Branch::Left => Some(Failure::Branched { equation }),
            Branch::Jumped => Some(Failure::Jumped { equation }),
            Branch::Ended => Some(Failure::Ended { equation }),
        }
    }

    /// Whether it is no continuation: a leap of the energy is no better than another branch.
    fn is_lost(&self) -> bool {
        self.lost().is_some() || self.kind == Change::Leap
    }
}

/// Larger systems are not followed: the parts together take as long as a hundred steps, in which nothing is heard.
const MAX_FOLLOWED: usize = 2000;

/// A lapse that is this part of its largest value vanishes…
const VANISHED: f64 = 1e-9;

/// … and so does one that is this part of it, if the energy changed by the next part of its terms.
const SMALL: f64 = 1e-2;
const OTHER: f64 = 0.05;

/// In how many parts a step is followed: where one of them ends at the singular point, others do not.
const PARTS: [u32; 4] = [8, 13, 29, 64];

impl<I: Advance, D: Measure> Run<I, D> {
    /// Steps one by one, each looked at, and measured where rows are recorded.
    pub(super) fn judged_steps(
        &mut self,
        h: f64,
        count: u64,
        observers: Observers<'_, '_, I, D>,
    ) -> Result<Option<Halt>, RunError> {
        for _ in 0..count {
            self.before.copy_from(&self.state);
            let mended = self.integrator.mended();
            let begun = self.stepping.is_some().then(|| self.clock.now());
            let (h, made) = match self.goal().filter(|_| self.is_ending) {
                Some(until) => match self.step_to(until, h, self.done) {
                    Ok(size) => (size, Ok(())),
                    Err(failure) => (h, Err(failure)),
                },
                None => (h, self.integrator.advance(&mut self.state, h, 1).map_err(|(_, failure)| failure)),
            };
            if let (Some(total), Some(begun)) = (&mut self.stepping, begun) {
                *total += self.clock.now().saturating_sub(begun);
            }
            if made.is_ok() && !self.is_ending && self.has_passed() {
                // The last step is made by itself: what is saved before it can go on to another end.
                self.state.copy_from(&self.before);
                self.is_ending = true;
                return Ok(None);
            }
            self.monitor.mended += self.integrator.mended() - mended;
            if let Some(failure) = self.look_at_step(h, made)? {
                return Ok(Some(Halt::Failed(failure)));
            }
            self.done += 1;
            if self.is_ending {
                self.last = Some(h);
            }
            self.record_between(h)?;
            if self.schedule.record > 0
                && let Some(halted) = self.measured(observers)?
            {
                return Ok(Some(halted));
            }
        }
        Ok(None)
    }

    /// Judges a step from `before` to the state. A step with constraints that fails, or that changes the energy more
    /// than others near a singular configuration, where it may have several solutions, is made again along the smooth
    /// continuation of the motion, or in parts; if the energy leaps all the same the step has failed, and the state is that
    /// before it.
    fn look_at_step(&mut self, h: f64, made: Result<(), Failure>) -> Result<Option<Failure>, RunError> {
        let energy = self.quantities.last().energy;
        let mut seen = match made {
            Ok(()) => Some(self.seen(h, energy, self.monitor.is_ill())?),
            Err(_) => None,
        };
        let ill = self.monitor.is_ill() || seen.is_some_and(|s| s.conditioned.is_some_and(|c| c.is_ill()));
        let again = match seen {
            Some(seen) => ill && seen.kind != Change::Ordinary || seen.lost().is_some(),
            None => self.quantities.conditioning().is_some(),
        };
        let mut parted = false;
        // A method that chooses its steps has nothing to solve.
        if again && self.state.values.len() <= MAX_FOLLOWED && self.integrator.own_steps().is_none() {
            seen = self.follow(h, energy, seen)?;
            if ill && !self.is_ending && seen.is_none_or(|seen| seen.is_lost()) {
                let made = self.in_parts(h, energy, seen)?;
                (parted, seen) = (made.is_some(), made.or(seen));
            }
        }
        let pace = match seen {
            Some(_) if self.time != Time::Parameter => Some(self.quantities.pace(&self.state.values)?),
            _ => None,
        };
        let error = seen.map(|seen| energy + seen.change - self.kept.as_slice()[0].initial);
        let stands = match (pace, error) {
            (Some(pace), Some(error)) => self.stands_still(h, pace, error)?,
            _ => false,
        };
        let halves = seen.map_or(Ok(None), |seen| self.halves(h, seen));
        let failure = match (made, seen) {
            _ if halves.is_err() => halves.clone().err(),
            _ if stands => pace.map(|pace| Failure::Standstill { pace }),
            (Ok(()), Some(seen)) if ill && seen.kind == Change::Leap => Some(Failure::Torn { change: seen.change }),
            (Err(failure), seen) if seen.is_none_or(|s| s.kind >= Change::Rough) => Some(failure),
            (_, Some(seen)) => seen.lost(),
            _ => None,
        };
        let (None, Some(seen)) = (&failure, seen) else {
            self.state.copy_from(&self.before);
            self.quantities.kept(&self.state.values)?;
            return Ok(failure);
        };
        let halves = halves.unwrap_or_default();
        let time = self.time_of(&self.state, self.done + 1);
        if let Some(pace) = pace {
            self.monitor.note_pace(pace);
        }
        self.monitor.note(time, seen.change, seen.kind, seen.conditioned);
        self.monitor.settled += u64::from(seen.settled);
        self.monitor.parted += u64::from(parted);
        if let Some(terms) = seen.terms {
            self.monitor.note_terms(time, terms, halves);
        }
        let error = energy + seen.change - self.kept.as_slice()[0].initial;
        if self.monitor.is_new_error(error) {
            let magnitude = self.quantities.energy_magnitude(&self.state.values)?;
            self.monitor.note_error(time, error, magnitude);
        }
        Ok(None)
    }

    /// The terms of the energy after two steps of half the size from `before`, if their growth has to be looked at; `None`
    /// inside if these steps cannot be made.
    fn halves(&mut self, h: f64, seen: Seen) -> Result<Option<Option<f64>>, Failure> {
        // A method that chooses its steps resolves what it meets.
        if seen.terms.is_some() && self.monitor.lacks_terms() {
            let terms = self.quantities.energy_magnitude(&self.before.values)?;
            self.monitor.note_terms(0.0, terms, None);
        }
        let grown = seen.terms.and_then(|terms| self.monitor.has_grown(terms));
        // Where branches meet, half steps may take another one.
        if grown.is_none() || self.integrator.own_steps().is_some() || self.monitor.is_ill() {
            return Ok(None);
        }
        let mut state = self.integrator.state(self.before.values.clone());
        match self.integrator.advance(&mut state, h / 2.0, 2) {
            // A state whose energy has no value is none.
            Ok(()) => Ok(Some(self.quantities.energy_magnitude(&state.values).ok().filter(|terms| terms.is_finite()))),
            Err((_, Failure::Interrupted)) => Err(Failure::Interrupted),
            Err(_) => Ok(Some(None)),
        }
    }

    /// Whether time, where it is a variable of the state, came to a stand in the step from `before`, or turned. A lapse that
    /// vanishes on the way is approached in ever shorter steps and never reached; rounding throws the motion back at last, on a
    /// branch of another energy.
    fn stands_still(&mut self, h: f64, pace: f64, error: f64) -> Result<bool, RunError> {
        let passed = self.time_of(&self.state, self.done + 1) - self.time_of(&self.before, self.done);
        let part = pace / self.monitor.pace.map_or(pace, |[_, largest]| largest);
        if pace.is_nan() || pace <= 0.0 || passed * h <= 0.0 || part < VANISHED {
            return Ok(true);
        }
        Ok(part < SMALL && error.abs() > OTHER * self.quantities.energy_magnitude(&self.state.values)?)
    }

    /// Makes the step from `before` again, along the smooth continuation of the motion, unless what was found of it
    /// by itself is as good; the state is then the better one. `None`: there is none.
    fn follow(&mut self, h: f64, energy: f64, plain: Option<Seen>) -> Result<Option<Seen>, RunError> {
        let (mut best, mut state) = (plain, self.state.clone());
        let mut followed = false;
        for parts in PARTS {
            self.state.copy_from(&self.before);
            if self.integrator.follow(&mut self.state, h, parts).is_err() {
                continue;
            }
            // What has no value is no continuation.
            let Ok(seen) = self.seen(h, energy, self.monitor.is_ill()) else { continue };
            let is_better = |best: Seen| match (seen.is_lost(), best.is_lost()) {
                (false, true) => true,
                (true, false) => false,
                _ => seen.change.abs() < best.change.abs() / 4.0,
            };
            if best.is_none_or(is_better) {
                (best, state, followed) = (Some(seen), self.state.clone(), true);
            }
            if seen.kind == Change::Ordinary && seen.lost().is_none() {
                break;
            }
        }
        self.monitor.followed += u64::from(followed && best.is_some_and(|best| !best.is_lost()));
        self.state = state;
        self.quantities.kept(&self.state.values)?;
        Ok(best)
    }

    /// What a step from `before`, where the energy was this and forces perhaps badly determined, has come to.
    pub(super) fn seen(&mut self, h: f64, energy: f64, was_ill: bool) -> Result<Seen, RunError> {
        let conditioned = self.conditioned(h, was_ill)?;
        let crosses = conditioned.is_some_and(|c| c.crossed);
        let settled = (crosses || self.monitor.is_unsettled()) && self.integrator.settle(&mut self.state);
        let change = self.quantities.kept(&self.state.values)?.energy - energy;
        let terms = match self.monitor.has_seen(change) {
            true => None,
            false => Some(self.quantities.energy_magnitude(&self.state.values)?),
        };
        let kind = terms.map_or(Change::Ordinary, |terms| self.monitor.judge(change, terms));
        Ok(Seen { change, kind, terms, conditioned, settled })
    }

    /// How well the forces were determined in the step from `before`, and in the method's own steps inside it.
    fn conditioned(&mut self, h: f64, was_ill: bool) -> Result<Option<Conditioned>, RunError> {
        let Some(conditioning) = self.quantities.conditioning() else { return Ok(None) };
        // The last of its own steps goes to the end of this step, or beyond.
        let n = self.state.values.len();
        let own = self.integrator.own_steps().unwrap_or_default();
        let step = self.integrator.own_steps().is_none().then_some(h);
        let own = own[..own.len().saturating_sub(n)].chunks_exact(n.max(1));
        let (mut before, mut ill) = (&self.before.values[..], was_ill);
        let mut worst: Option<Conditioned> = None;
        for after in own.chain([&self.state.values[..]]).skip_while(|after| **after == self.before.values) {
            let seen = conditioning.observe([before, after], step, ill)?;
            (before, ill) = (after, seen.is_ill());
            worst = Some(worst.map_or(seen, |worst| worst.and(seen)));
        }
        Ok(worst)
    }
}
