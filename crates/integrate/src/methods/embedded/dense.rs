//! The solution inside a step.
//!
//! ```text
//! u(θ) = z₁ − (1−θ) (Δ − θ (r₂ + θ (r₃ + (1−θ) (r₄ + θ (r₅ + (1−θ) (r₆ + θ r₇))))))
//! Δ = z₁ − z,   r₂ = h f(z) − Δ,   r₃ = Δ − h f(z₁) − r₂,   r₄ … = h Σⱼ dᵢⱼ kⱼ
//! ```
//!
//! (r₄ is the last for order 5). Order 7 takes stages that the step itself does not have, and that no estimate of its error
//! knows of: one of them may lie where the rate has a pole, as at a singular configuration of a mechanism that the step has
//! crossed smoothly. The rates of all stages at their nodes cᵢ are those of one curve, and differ from the rate of its cubic
//! part,
//!
//! ```text
//! h kᵢ = Δ + (1 − 2cᵢ) r₂ + (2cᵢ − 3cᵢ²) r₃ + O(h⁴),   cᵢ = Σⱼ aᵢⱼ,
//! ```
//!
//! by as much as those of the step do.

use super::Formula;
use super::control::{Controller, ranges, scale};
use super::tableau::{Row, combine};
use crate::vector::{displace, scale as times, scaled, scaled_difference, subtract};
use cotangent_dynamics::{Failure, Machine};
use cotangent_scalar::Scalar;

/// The vectors Δ, r₂, r₃; those of `Tableau::dense` follow.
pub(super) const CUBIC: usize = 3;

/// A stage that is off the cubic part by so many times as much as those of the step is none of the same curve. On a smooth
/// one its nodes, between theirs, make it about 1.
const ASTRAY: f64 = 4.0;

impl<S: Scalar> Formula<'_, S> {
    /// Δ, r₂, r₃ … of a step from a state, with the stages that only they need.
    pub(super) fn dense(&mut self, h: S, from: (&[S], &[S]), out: &mut [S]) -> Result<(), Failure> {
        let Formula { tableau, field, dimension, rates, stage, increment } = self;
        let n = *dimension;
        let last = tableau.step.len();
        for (row, i) in tableau.extra.iter().zip(last + 1..) {
            combine(row, rates, stage);
            times(h, stage);
            displace(from, stage);
            field.rate(stage, &mut rates[i * n..(i + 1) * n])?;
        }
        let (whole, rest) = out.split_at_mut(n);
        let (second, rest) = rest.split_at_mut(n);
        let (third, others) = rest.split_at_mut(n);
        whole.copy_from_slice(increment);
        scaled(h, &rates[..n], second);
        subtract(second, whole);
        scaled_difference(whole, h, &rates[last * n..(last + 1) * n], third);
        subtract(third, second);
        for (row, out) in tableau.dense.iter().zip(others.chunks_mut(n.max(1))) {
            combine(row, rates, out);
            times(h, out);
        }
        Ok(())
    }

    /// Whether the stages of the dense output are those of the curve that the step has found, which ends at `end`.
    pub(super) fn is_one_curve(
        &self,
        machine: &mut dyn Machine<S>,
        (controller, groups): (&Controller, &[usize]),
        (h, start, end): (S, &[S], &[S]),
        dense: &[S],
    ) -> Result<bool, Failure> {
        let (n, last) = (self.dimension, self.tableau.step.len());
        for group in ranges(groups) {
            let size = scale(machine, &start[group.clone()], &end[group.clone()])?;
            let mut off = |row: &Row<S>, stage: usize| -> Result<f64, Failure> {
                let node = row.iter().try_fold(0.0, |sum, &(_, a)| Ok::<f64, Failure>(sum + machine.value(a)?))?;
                let [a, b] = [1.0 - 2.0 * node, (2.0 - 3.0 * node) * node].map(S::from_f64);
                group.clone().try_fold(0.0f64, |most, k| {
                    let cubic = dense[k] + a * dense[n + k] + b * dense[2 * n + k];
                    let off = machine.value(h * self.rates[stage * n + k] - cubic)?.abs();
                    Ok(if off > most || off.is_nan() { off } else { most })
                })
            };
            let mut allowed = controller.tolerance * size;
            for (row, stage) in self.tableau.step[..last - 1].iter().zip(1..) {
                allowed = allowed.max(ASTRAY * off(row, stage)?);
            }
            for (row, stage) in self.tableau.extra.iter().zip(last + 1..) {
                // NaN is none either.
                let off = off(row, stage)?;
                if off > allowed || off.is_nan() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
