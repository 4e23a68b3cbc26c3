//! Updates that no longer shrink: round-off, or want of a solution.

use crate::Pattern;
use crate::stopping::moving;
use cotangent_scalar::Real;

/// An iterate of Newton's method whose update is no smaller than the one before.
#[derive(Clone, Copy, Debug)]
pub struct Stall<'a, S> {
    /// Where the Jacobian has entries.
    pub pattern: &'a Pattern,
    /// The unknowns.
    pub unknowns: &'a [S],
    /// The largest size of each unknown or its update so far.
    pub sizes: &'a [f64],
    /// The residual.
    pub residual: &'a [S],
    /// The Jacobian.
    pub jacobian: &'a [S],
    /// The Jacobian before the last update.
    pub previous_jacobian: &'a [S],
    /// The last update, which led here.
    pub previous_update: &'a [S],
    /// The sizes of the terms of the equations, where these are known apart from what moves with the unknowns; otherwise empty.
    pub terms: &'a [f64],
}

/// Σⱼ |∂fᵢ/∂xⱼ| sⱼ: how much of equation i moves with the largest sizes of the unknowns so far.
pub(crate) fn weight<S: Real>(pattern: &Pattern, i: usize, jacobian: &[S], sizes: &[f64]) -> f64 {
    let entries = pattern.row(i).iter().zip(&jacobian[pattern.positions(i)]);
    entries.map(|(&j, entry)| entry.value().abs() * sizes[j as usize]).sum()
}

impl<S: Real> Stall<'_, S> {
    /// Whether every residual is round-off: it is small, were its terms of the size `scale`, if theirs are not known, or of its
    /// own, and not the quadratic remainder of the last update.
    ///
    /// f at the new point is ½ ΔJ δ if the Jacobian is right and nothing is rounded. Every equation must be at round-off or off
    /// by more than that: one that is noise says nothing of the others.
    pub fn is_round_off(&self, scale: f64) -> bool {
        (0..self.residual.len()).all(|i| self.is_small(i, scale) && self.is_noise(i, 0.0))
    }

    /// Whether a residual is so small that it may be round-off, were its terms of this size, if theirs is not known, or of its own.
    pub(crate) fn is_small(&self, i: usize, scale: f64) -> bool {
        let own = moving(self.pattern, i, self.jacobian, self.unknowns);
        // Where terms have no finite size theirs is not known.
        let terms = self.terms.get(i).map_or(scale, |&terms| if terms.is_finite() { terms } else { 0.0 });
        self.is_within(i, own.max(terms))
    }

    /// Whether a residual is small beside this size.
    pub(crate) fn is_within(&self, i: usize, size: f64) -> bool {
        self.residual[i].value().abs() <= S::EPSILON.sqrt() * size
    }

    /// Whether a residual shows no quadratic remainder larger than what is accepted, or than round-off.
    pub(crate) fn is_noise(&self, i: usize, accepted: f64) -> bool {
        let mut change = 0.0;
        for (position, &j) in self.pattern.positions(i).zip(self.pattern.row(i)) {
            let difference = self.jacobian[position] - self.previous_jacobian[position];
            change += (difference.value() * self.previous_update[j as usize].value()).abs();
        }
        let residual = self.residual[i].value().abs();
        residual > 4.0 * change || residual <= accepted.max(16.0 * S::EPSILON * self.weight(i))
    }

    /// How much of equation i moves with the largest sizes of the unknowns so far.
    pub(crate) fn weight(&self, i: usize) -> f64 {
        weight(self.pattern, i, self.jacobian, self.sizes)
    }
}
