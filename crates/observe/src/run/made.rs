//! A step that is made, by itself or along the smooth continuation of the motion, and what is noticed of it.

use super::{Run, RunError};
use crate::monitor::Change;
use cotangent_dynamics::{Advance, Branch, Conditioned, Equation, Failure, Kind, Measure};

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
            Branch::Undetermined => Some(Failure::Undetermined { equation }),
        }
    }

    /// Whether it is no continuation: a leap of the energy is no better than another branch.
    pub(super) fn is_lost(&self) -> bool {
        self.lost().is_some() || self.kind == Change::Leap
    }
}

/// A step from `before` to the state.
pub(super) struct Made {
    /// Why it is none.
    pub(super) failure: Option<Failure>,
    /// What is noticed of it, if it could be made at all.
    pub(super) seen: Option<Seen>,
    /// Whether it was made along the continuation of the motion, or in parts.
    pub(super) followed: bool,
    pub(super) parted: bool,
    /// How often it was brought back onto the constraints by the method itself.
    pub(super) mended: u64,
}

/// Larger systems are not followed: the parts together may take as long as a thousand steps.
const MAX_FOLLOWED: usize = 2000;

/// In how many parts a step is followed: where one of them ends at the singular point, others do not.
const PARTS: [u32; 4] = [8, 13, 29, 64];

impl<I: Advance, D: Measure> Run<I, D> {
    /// Makes a step from `before`, where the energy was this. A step with constraints that fails, or that changes the energy
    /// more than others near a singular configuration, where it may have several solutions, is made again along the smooth
    /// continuation of the motion, or in parts. Nothing is noted of it yet.
    pub(super) fn make(&mut self, h: f64, energy: f64) -> Result<Made, RunError> {
        self.state.copy_from(&self.before);
        let mended = self.integrator.mended();
        let begun = self.stepping.is_some().then(|| self.clock.now());
        let plain = self.integrator.advance(&mut self.state, h, 1).err().map(|(_, failure)| failure);
        if let (Some(total), Some(begun)) = (&mut self.stepping, begun) {
            *total += self.clock.now().saturating_sub(begun);
        }
        let mended = self.integrator.mended() - mended;
        let mut seen = match plain {
            None => Some(self.seen(h, energy, self.monitor.is_ill())?),
            Some(_) => None,
        };
        let ill = self.monitor.is_ill() || seen.is_some_and(|s| s.conditioned.is_some_and(|c| c.is_ill()));
        let again = match seen {
            Some(seen) => ill && seen.kind != Change::Ordinary || seen.lost().is_some(),
            None => self.quantities.conditioning().is_some(),
        };
        let (mut followed, mut parted) = (false, false);
        // A method that chooses its steps has nothing to solve.
        if again && self.state.values.len() <= MAX_FOLLOWED && self.integrator.own_steps().is_none() {
            (seen, followed) = self.follow(h, energy, seen)?;
            if (ill || seen.is_none()) && seen.is_none_or(|seen| seen.is_lost()) {
                let made = self.in_parts(h, energy, seen)?;
                (parted, seen) = (made.is_some(), made.or(seen));
            }
        }
        let failure = match (plain, seen) {
            // What was tried besides may have been left in the middle.
            _ if again && self.cancel.is_set() => Some(Failure::Interrupted),
            (None, Some(seen)) if ill && seen.kind == Change::Leap => Some(Failure::Torn { change: seen.change }),
            (Some(failure), seen) if seen.is_none_or(|seen| seen.kind >= Change::Rough) => Some(failure),
            (_, Some(seen)) => seen.lost(),
            _ => None,
        };
        Ok(Made { failure, seen, followed, parted, mended })
    }

    /// Makes the step from `before` again, along the smooth continuation of the motion, unless what was found of it
    /// by itself is as good; the state is then the better one. `None`: there is none. And whether it is a continuation.
    fn follow(&mut self, h: f64, energy: f64, plain: Option<Seen>) -> Result<(Option<Seen>, bool), RunError> {
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
        self.state = state;
        self.quantities.kept(&self.state.values)?;
        Ok((best, followed && best.is_some_and(|best| !best.is_lost())))
    }

    /// What a step from `before`, where the energy was this and forces perhaps badly determined, has come to.
    pub(super) fn seen(&mut self, h: f64, energy: f64, was_ill: bool) -> Result<Seen, RunError> {
        let known = self.conditioning();
        let mut conditioned = self.conditioned(h, was_ill)?;
        let is_near = conditioned.is_some_and(|c| c.is_singular()) || self.monitor.is_unsettled();
        let mut settled = false;
        if is_near && let Some(seen) = self.conditioned_settled(h, was_ill, &known)? {
            (conditioned, settled) = (Some(seen), true);
        }
        let change = self.quantities.kept(&self.state.values)?.energy - energy;
        let terms = match self.monitor.has_seen(change) {
            true => None,
            false => Some(self.quantities.energy_magnitude(&self.state.values)?),
        };
        let mut kind = terms.map_or(Change::Ordinary, |terms| self.monitor.judge(change, terms));
        let is_well = conditioned.is_some_and(|c| !c.is_ill());
        let is_far_larger = kind == Change::Large && self.monitor.is_far_larger(change);
        if is_far_larger && is_well && self.integrator.own_steps().is_none() && self.leaps_in_part(h)? {
            kind = Change::Leap;
        }
        Ok(Seen { change, kind, terms, conditioned, settled })
    }

    /// How well the forces were determined in the step from `before`, where this was known of them, with the momenta at both of
    /// its ends on the constraints, where the state then is: what a method leaves free of them beside a singular configuration is
    /// larger than they are, and as large behind it. `None`: the method leaves nothing free.
    fn conditioned_settled(&mut self, h: f64, was_ill: bool, known: &[f64]) -> Result<Option<Conditioned>, RunError> {
        let (mut before, mut state) = (self.before.clone(), self.state.clone());
        if !(self.integrator.settle(&mut before) && self.integrator.settle(&mut state)) {
            return Ok(None);
        }
        if let Some(conditioning) = self.quantities.conditioning() {
            conditioning.restore(known);
        }
        std::mem::swap(&mut self.before, &mut before);
        self.state = state;
        let seen = self.conditioned(h, was_ill);
        self.before = before;
        seen
    }

    /// Whether a step from `before` that changed the energy more than others changed that of what moves with some constraint out of
    /// proportion, however small a part of all it is: it is looked at as those near singular configurations are.
    fn leaps_in_part(&mut self, h: f64) -> Result<bool, RunError> {
        let known = self.conditioning();
        let Some(conditioning) = self.quantities.conditioning() else { return Ok(false) };
        let seen = conditioning.observe([&self.before.values, &self.state.values], Some(h), true);
        conditioning.restore(&known);
        Ok(seen?.branch != Branch::Kept)
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
