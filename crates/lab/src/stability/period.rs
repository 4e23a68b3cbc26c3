//! Whether a motion comes back to where it began.
//!
//! It is looked for near the plane through its start z₀ across the motion, ⟨f(z₀), z − z₀⟩ = 0, in the units
//! of the path. A motion of equations without time that is where it began repeats itself for ever.

use super::StabilityError;
use super::path::{Path, TICKS};

/// Intervals in which a return is looked for, if no longer time is asked for.
const LOOKED_AT: u64 = 128;

/// How near a return is, in units of the motion.
const CLOSE: f64 = 1e-7;

/// Steps to the plane, at most.
const STEPS: usize = 40;

/// The time of the first return to the start.
pub(super) fn found(path: &mut Path) -> Result<Option<f64>, StabilityError> {
    let start = path.at(0)?;
    let units = path.units.clone();
    let normal = path.rate(&start)?;
    let apart = |z: &[f64]| -> Vec<f64> { z.iter().zip(&start).zip(&units).map(|((z, s), u)| (z - s) / u).collect() };
    let along = |v: &[f64]| v.iter().zip(&normal).zip(&units).map(|((v, n), u)| v * n / u).sum::<f64>();
    let far = |z: &[f64]| apart(z).iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let mut before = start.clone();
    for k in 1..=path.intervals.max(LOOKED_AT) {
        let tick = k * TICKS;
        let now = match path.at(tick) {
            Ok(now) => now,
            Err(_) if path.is_beyond(tick) => return Ok(None),
            Err(error) => return Err(error),
        };
        if k > 1 && along(&apart(&before)) < 0.0 && along(&apart(&now)) >= 0.0 {
            let crossed = crossing(path, &before, &|z| along(&apart(z)))?;
            let mut state = before.clone();
            path.advance(&mut state, crossed)?;
            if far(&state) < CLOSE {
                return Ok(Some(path.time((k - 1) * TICKS) + crossed));
            }
        }
        before = now;
    }
    Ok(None)
}

/// The time within an interval at which a function of the state that changes its sign does so: the secant,
/// with half the weight for an end that stays (the Illinois rule).
fn crossing(path: &mut Path, from: &[f64], of: &dyn Fn(&[f64]) -> f64) -> Result<f64, StabilityError> {
    let (mut low, mut high) = (0.0, path.time(TICKS));
    let resolution = 4.0 * f64::EPSILON * high;
    let mut value = |time: f64| -> Result<f64, StabilityError> {
        let mut state = from.to_vec();
        path.advance(&mut state, time)?;
        Ok(of(&state))
    };
    let (mut below, mut above) = (value(low)?, value(high)?);
    let mut stayed = 0;
    for _ in 0..STEPS {
        let time = low - below * (high - low) / (above - below);
        if !time.is_finite() || high - low <= resolution {
            break;
        }
        let found = value(time)?;
        if found < 0.0 {
            (low, below) = (time, found);
            above *= if stayed == 1 { 0.5 } else { 1.0 };
            stayed = 1;
        } else {
            (high, above) = (time, found);
            below *= if stayed == -1 { 0.5 } else { 1.0 };
            stayed = -1;
        }
        if found == 0.0 {
            break;
        }
    }
    Ok(if above.abs() < below.abs() { high } else { low })
}
