//! How large an own step is.

use super::tableau::combined;
use super::{Formula, Pair};
use crate::vector::{difference, scaled_sum};
use cotangent_dynamics::{Failure, Machine};
use cotangent_scalar::Scalar;

/// A step-size controller with proportional and integral part.
///
/// ```text
/// h ← h · 0.9 ε₀^β / ε^(1/k − 3β/4),   between the least and the largest factor
/// ```
///
/// with the error ε of a step in units of the tolerance, that of the step before ε₀, and the power k
/// of h that the error estimate is proportional to. After a rejected step h does not grow, and ε₀
/// does not count.
///
/// K. Gustafsson, M. Lundh & G. Söderlind, BIT 28 (1988) 270; Hairer, Nørsett & Wanner, Solving
/// Ordinary Differential Equations I, II.4; Hairer & Wanner, II, IV.2.
#[derive(Clone, Copy, Debug)]
pub(super) struct Controller {
    pub(super) tolerance: f64,
    /// 1/k.
    power: f64,
    beta: f64,
    least: f64,
    largest: f64,
}

/// A step aims at a part of what is allowed.
const SAFETY: f64 = 0.9;

/// An error smaller than this is taken as this where it is that of the step before.
pub(super) const LEAST_ERROR: f64 = 1e-4;

impl Controller {
    pub(super) fn new(pair: Pair, tolerance: f64) -> Controller {
        match pair {
            Pair::Dopri5 => Controller { tolerance, power: 0.2, beta: 0.04, least: 0.2, largest: 10.0 },
            Pair::Dop853 => Controller { tolerance, power: 0.125, beta: 0.0, least: 1.0 / 3.0, largest: 6.0 },
        }
    }

    /// The factor after an accepted step.
    pub(super) fn after(&self, error: f64, before: f64) -> f64 {
        (SAFETY * before.powf(self.beta) / self.damped(error)).clamp(self.least, self.largest)
    }

    /// The factor after a rejected step.
    pub(super) fn after_rejection(&self, error: f64) -> f64 {
        (SAFETY / self.damped(error)).max(self.least)
    }

    fn damped(&self, error: f64) -> f64 {
        error.powf(self.power - 0.75 * self.beta)
    }

    /// The first step size, from the relative rates of the solution and of its rate: 1/τ is the
    /// larger of |ż|/|z| and (|z̈|/|z|)^½, and h = τ (T/100)^(1/k).
    ///
    /// Hairer, Nørsett & Wanner, II.4, with the time scale τ in place of a unit of time. `formula`
    /// has f(z) as its first rate; its second is overwritten. `None` where nothing moves.
    pub(super) fn first<S: Scalar>(
        &self,
        machine: &mut dyn Machine<S>,
        formula: &mut Formula<'_, S>,
        groups: &[usize],
        values: &[S],
        direction: f64,
    ) -> Result<Option<f64>, Failure> {
        let n = formula.dimension;
        // A group that is at zero has no size of its own: where nothing else moves, as at rest, it shows how it moves
        // the others.
        let (mut first, mut absolute) = (0.0f64, 0.0f64);
        for group in ranges(groups) {
            let size = size(machine, &values[group.clone()])?;
            let rates = &formula.rates[group];
            match size > 0.0 {
                true => first = first.max(rms(machine, rates, size)?),
                false => absolute = absolute.max(rms(machine, rates, 1.0)?),
            }
        }
        let probe = match first > 0.0 {
            true => Some(0.01 / first),
            // Where everything is at zero there is no size at all.
            false if absolute > 0.0 => {
                Some(from_rest(machine, formula, groups, values, direction)?.unwrap_or(0.01 / absolute))
            }
            false => None,
        };
        let Some(probe) = probe.filter(|probe| probe.is_finite() && *probe > 0.0) else { return Ok(None) };
        let Formula { field, rates, stage, increment, .. } = formula;
        let h = S::from_f64(direction * probe);
        scaled_sum(values, h, &rates[..n], stage);
        let second = field.rate(stage, &mut rates[n..2 * n]).and_then(|()| {
            difference(&rates[n..2 * n], &rates[..n], increment);
            let mut second = 0.0f64;
            for group in ranges(groups) {
                let size = size(machine, &values[group.clone()])?.max(size(machine, &stage[group.clone()])?);
                if size > 0.0 {
                    second = second.max(rms(machine, &increment[group], size)? / probe);
                }
            }
            Ok(second)
        });
        match second {
            Ok(second) => {
                let inverse = first.max(second.sqrt());
                let step = (0.01 * self.tolerance).powf(self.power) / inverse;
                Ok(Some(step.min(100.0 * probe)))
            }
            Err(failure @ Failure::Misused { .. }) => Err(failure),
            // Outside of where the rate is defined: the error control finds the step.
            Err(_) => Ok(Some(probe)),
        }
    }

    /// The error of a trial step in units of the tolerance, each group of variables relative to its
    /// own size; `end` is its end.
    pub(super) fn error<S: Scalar>(
        &self,
        machine: &mut dyn Machine<S>,
        formula: &Formula<'_, S>,
        groups: &[usize],
        step: f64,
        (start, end): (&[S], &[S]),
    ) -> Result<f64, Failure> {
        let n = formula.dimension;
        let mut largest = 0.0f64;
        for group in ranges(groups) {
            let scale = scale(machine, &start[group.clone()], &end[group.clone()])?;
            let mut norms = [0.0f64; 2];
            for (norm, row) in norms.iter_mut().zip(&formula.tableau.estimators) {
                for k in group.clone() {
                    let part = machine.value(combined(row, &formula.rates, n, k))? / scale;
                    *norm += part * part / group.len() as f64;
                }
            }
            let [e, lower] = norms.map(f64::sqrt);
            // One estimator as it is; of two, the second only damps the first.
            let error = match formula.tableau.estimators.len() {
                2 if e > 0.0 => e * (e / e.hypot(0.1 * lower)),
                _ => e,
            };
            largest = largest.max(step * error / self.tolerance);
        }
        Ok(largest)
    }
}

pub(super) fn ranges(groups: &[usize]) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    let ends = groups.iter().scan(0, |end, &len| {
        *end += len;
        Some((*end, len))
    });
    ends.filter(|&(_, len)| len > 0).map(|(end, len)| end - len..end)
}

/// A hundredth of the time scale (|z|/|z̈|)^½ of variables at rest. Those at zero are moved along their rates for some time,
/// which moves the others at a rate that is that time times z̈: first for a unit of time, then for what that has shown.
/// `None` where that moves nothing.
fn from_rest<S: Scalar>(
    machine: &mut dyn Machine<S>,
    formula: &mut Formula<'_, S>,
    groups: &[usize],
    values: &[S],
    direction: f64,
) -> Result<Option<f64>, Failure> {
    let n = formula.dimension;
    let Formula { field, rates, stage, .. } = formula;
    let mut time = 1.0f64;
    for _ in 0..3 {
        scaled_sum(values, S::from_f64(direction * time), &rates[..n], stage);
        let pace = field.rate(stage, &mut rates[n..2 * n]).and_then(|()| {
            let mut pace = 0.0f64;
            for group in ranges(groups) {
                let size = size(machine, &values[group.clone()])?;
                if size > 0.0 {
                    pace = pace.max(rms(machine, &rates[n + group.start..n + group.end], size)?);
                }
            }
            Ok(pace)
        });
        time = match pace {
            Ok(pace) => 0.01 * (time / pace).sqrt(),
            Err(failure @ Failure::Misused { .. }) => return Err(failure),
            // Outside of where the rate is defined.
            Err(_) => 1e-3 * time,
        };
        if !(time.is_finite() && time > 0.0) {
            return Ok(None);
        }
    }
    Ok(Some(time))
}

/// The largest entry.
fn size<S: Scalar>(machine: &mut dyn Machine<S>, x: &[S]) -> Result<f64, Failure> {
    x.iter().try_fold(0.0f64, |m, &x| Ok(m.max(machine.value(x)?.abs())))
}

/// The size of a group before or after a step; where it is zero, errors are absolute.
pub(super) fn scale<S: Scalar>(machine: &mut dyn Machine<S>, before: &[S], after: &[S]) -> Result<f64, Failure> {
    let size = size(machine, before)?.max(size(machine, after)?);
    Ok(if size > 0.0 { size } else { 1.0 })
}

/// The root of the mean square of x/scale.
fn rms<S: Scalar>(machine: &mut dyn Machine<S>, x: &[S], scale: f64) -> Result<f64, Failure> {
    let square = |sum: f64, &x: &S| -> Result<f64, Failure> { Ok(sum + (machine.value(x)? / scale).powi(2)) };
    Ok((x.iter().try_fold(0.0, square)? / x.len() as f64).sqrt())
}
