//! The multipliers that are expected in the next step.
//!
//! Of a step from t to t + h the multiplier λ of the first half is that of the motion at t + h/3, and μ of the second half that at
//! t + 2h/3, both up to O(h²): φ(q₁) = 0 is a condition on the mean of the acceleration with the weight 1 − s/h. The parabola
//! through μ₋₁, λ and μ of two equal steps, continued to the next,
//!
//! ```text
//! λ₁ = μ₋₁ + 5 (μ − λ)
//! ```
//!
//! is right up to O(h³), as any parabola; on a pendulum up to O(h⁵), as measured. After one step it is the line through λ and μ,
//! 3μ − 2λ, which is right up to O(h²).
//! Both relations are the same if time is reversed, when λ₁ and μ₋₁ change places, and λ and μ: what rounding leaves of the guess
//! in the solution has no direction in time, and energy does not drift for it. (The λ of the step before lies behind.)
//!
//! The guess is that of the motion where the motion is resolved. Where multipliers change by an eighth of their size in a
//! step, as near a singular configuration, or the steps are not equal, it is zero, which is the free motion: from a guess of some
//! other size Newton's method may find another solution, on the far side of a constraint.

use crate::vector::scaled;
use cotangent_dynamics::{Failure, MemoryLayout, Misuse, Part};
use cotangent_scalar::Scalar;

/// So many times the change of the multipliers in a step is at most their size.
const RESOLVED: f64 = 8.0;

/// One for two steps of the same size, otherwise zero.
pub(crate) fn equal_steps<S: Scalar>(h: S, last: S) -> S {
    S::from_f64(1.0) - (h - last).sign().abs()
}

/// What is remembered for the multipliers of the next step.
#[derive(Clone, Debug)]
pub(crate) struct Expected(MemoryLayout);

impl Expected {
    /// For so many constraints.
    pub(crate) fn new(constraints: usize) -> Expected {
        let memory = MemoryLayout::new().with(Part::NextMultipliers, constraints);
        let memory = memory.with(Part::LastMultipliers, constraints);
        Expected(memory.with(Part::Trust, 1).with(Part::LastStep, 1))
    }

    pub(crate) fn memory(&self) -> &MemoryLayout {
        &self.0
    }

    /// The first guess for a step.
    pub(crate) fn guess<S: Scalar>(&self, h: S, memory: &[S], lambda: &mut [S]) -> Result<(), Failure> {
        let next = self.0.part(Part::NextMultipliers, memory).ok_or(Misuse::OtherState)?;
        let equal = equal_steps(h, self.number(Part::LastStep, memory)?);
        scaled(equal * self.number(Part::Trust, memory)?, next, lambda);
        Ok(())
    }

    /// Remembers λ and μ of a step.
    pub(crate) fn remember<S: Scalar>(
        &self,
        h: S,
        from: &[S],
        (lambda, mu): (&[S], &[S]),
        (to, sizes): (&mut [S], [&mut [S]; 2]),
    ) -> Result<(), Failure> {
        let before = self.0.part(Part::LastMultipliers, from).ok_or(Misuse::OtherState)?;
        let equal = equal_steps(h, self.number(Part::LastStep, from)?);
        let parts = [Part::NextMultipliers, Part::LastMultipliers, Part::Trust, Part::LastStep];
        let [next, last, trust, step] = self.0.parts_mut(parts, to).ok_or(Misuse::OtherState)?;
        let [changes, own] = sizes;
        let [half, one, two, three] = [0.5, 1.0, 2.0, 3.0].map(S::from_f64);
        S::each([before, lambda, mu], [next, last, changes, own], |[before, lambda, mu], _| {
            // 3μ − 2λ, and what makes μ₋₁ + 5 (μ − λ) of it.
            let change = two * (mu - lambda) + equal * (before + two * mu - three * lambda);
            [mu + change, mu, change.abs(), mu.abs()]
        });
        let resolved = (S::total(own) - S::from_f64(RESOLVED) * S::total(changes)).sign();
        trust.fill(half * (one + resolved));
        step.fill(h);
        Ok(())
    }

    fn number<S: Scalar>(&self, part: Part, memory: &[S]) -> Result<S, Failure> {
        match self.0.part(part, memory) {
            Some(&[number]) => Ok(number),
            _ => Err(Misuse::OtherState.into()),
        }
    }
}
