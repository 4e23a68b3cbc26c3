//! A step that is made in parts.
//!
//! Where two branches come near each other a motion turns from one arm of a hyperbola into the other, in a gap that may be much
//! narrower than a step is long. No step of that length has the turn among its solutions, and none of it can be seen from
//! one: it goes over the gap, has no solution, or changes the energy. Shorter steps of the same method turn with the motion as
//! soon as they resolve the gap. Where there is none but by what the motion is off its constraints, they turn, too: there a step
//! is not made in parts. Momenta that a method leaves free along the gradients, by as much as its step is long, are
//! brought back before and behind each of them.

use super::made::Seen;
use super::{Run, RunError};
use cotangent_dynamics::{Advance, Branch, Conditioned, Failure, Measure};

/// A step is made in so many parts at most, counted with those that were none…
const MOST: u32 = 1000;

/// … the smallest of which is this part of it: a power of two.
const FINEST: u64 = 1 << 30;

/// The change of the energy in a part is no larger than this part of its terms: a hundred of them are no leap.
const SMALL: f64 = 1e-4;

impl<I: Advance, D: Measure> Run<I, D> {
    /// Makes the step from `before`, where the energy was this, in parts that are as short as it takes to keep to the branch and
    /// nearly to the energy; the state is then its end. `None`: there are none, and the state is what it was. What is known of
    /// the gap is known from the step that was lost, or from its ends if it has no solution: parts that resolve it may not
    /// come near enough to see it.
    pub(super) fn in_parts(&mut self, h: f64, energy: f64, lost: Option<Seen>) -> Result<Option<Seen>, RunError> {
        let (start, plain) = (self.before.clone(), self.state.clone());
        let gap = lost.and_then(|lost| lost.conditioned?.gap);
        let known = self.conditioning();
        let mut made = self.make_parts(h, energy, gap)?;
        self.before = start;
        let met = made.and_then(|made| made.conditioned?.gap).or(gap);
        if met != Some(true) && !(made.is_some() && lost.is_none() && self.turns_in_gap(h, &known)?) {
            made = None;
        }
        if made.is_none() {
            self.state = plain;
            // What was seen of parts that are none is forgotten.
            if let Some(conditioning) = self.quantities.conditioning() {
                conditioning.restore(&known);
            }
        }
        self.quantities.kept(&self.state.values)?;
        Ok(made)
    }

    /// Whether the motion from `before`, where this was known of the forces, to the state turns in a gap between branches.
    fn turns_in_gap(&mut self, h: f64, known: &[f64]) -> Result<bool, RunError> {
        let parts = self.conditioning();
        let Some(conditioning) = self.quantities.conditioning() else { return Ok(false) };
        conditioning.restore(known);
        let seen = conditioning.observe([&self.before.values, &self.state.values], Some(h), true);
        conditioning.restore(&parts);
        let seen = seen?;
        Ok(seen.branch == Branch::Kept && seen.gap == Some(true))
    }

    /// The same, with `before` moved along; the state is that of the last part that was tried.
    fn make_parts(&mut self, h: f64, first: f64, gap: Option<bool>) -> Result<Option<Seen>, RunError> {
        let (mut is_ill, mut settled) = (self.monitor.is_ill(), self.integrator.settle(&mut self.before));
        let begun = self.quantities.kept(&self.before.values)?.energy;
        let mut energy = begun;
        let mut met: Option<Conditioned> = None;
        let (mut done, mut part) = (0, FINEST / 2);
        for _ in 0..MOST {
            let size = h * (part as f64 / FINEST as f64);
            self.state.copy_from(&self.before);
            let seen = match self.integrator.advance(&mut self.state, size, 1) {
                Ok(()) => {
                    settled |= self.integrator.settle(&mut self.state);
                    self.seen(size, energy, is_ill).ok()
                }
                Err((_, Failure::Interrupted)) => return Ok(None),
                Err(_) => None,
            };
            let most = SMALL * self.quantities.energy_magnitude(&self.before.values)?;
            let Some(seen) = seen.filter(|seen| seen.lost().is_none() && seen.change.abs() <= most) else {
                if part == 1 {
                    return Ok(None);
                }
                part /= 2;
                continue;
            };
            done += part;
            energy += seen.change;
            is_ill = seen.conditioned.is_some_and(|c| c.is_ill());
            met = match (met, seen.conditioned) {
                (Some(met), Some(now)) => Some(met.and(now)),
                (met, now) => met.or(now),
            };
            if met.and_then(|met| met.gap).or(gap) == Some(false) {
                return Ok(None);
            }
            if done == FINEST {
                let change = energy - first;
                let terms = self.quantities.energy_magnitude(&self.state.values)?;
                let kind = self.monitor.judge(energy - begun, terms);
                return Ok(Some(Seen { change, kind, terms: Some(terms), conditioned: met, settled }));
            }
            self.before.copy_from(&self.state);
            part = (2 * part).min(FINEST - done);
        }
        Ok(None)
    }
}
