//! Whether a motion comes back to where it began.
//!
//! It is looked for near the plane through its start z₀ across the motion, ⟨f(z₀), z − z₀⟩ = 0, in the units
//! of the path. A motion of equations without time that is where it began repeats itself for ever.
//!
//! So does one that is elsewhere, z(T) = z₀ + c, if the equations are the same there: f(z + c) = f(z) for all z,
//! as for an angle that has grown by 2π. Then the rates return, and they are looked for near a plane across
//! their own motion. Where they never change the motion is steady, and any time is a period.

use super::StabilityError;
use super::path::{Path, Return, TICKS};
use cotangent_problem::Instance;
use cotangent_scalar::{Limits, larger, largest};

/// Intervals in which a return is looked for, if no longer time is asked for.
const LOOKED_AT: u64 = 128;

/// How near a return is, in units of the motion.
const CLOSE: f64 = 1e-7;

/// A motion goes further than this, in its units.
const FAR: f64 = 1e-3;

/// Steps to the plane, at most.
const STEPS: usize = 40;

/// Rates that change by less, compared with the fastest, are steady.
const STEADY: f64 = 1e-10;

/// Points of a period in which the equations are compared with those a period later.
const COMPARED: u64 = 16;

impl Path {
    /// The motion of a model with constraints from the start of a problem, of which a time is asked for.
    pub fn new(problem: &Instance, until: f64, limits: &Limits) -> Result<Path, StabilityError> {
        let mut path = Path::begun(problem, until, limits)?;
        match found(&mut path) {
            Ok(Some(returns)) => path.repeat(returns),
            Err(error) if path.is_cancelled() => return Err(error),
            // A motion that cannot be followed so far is not seen to return.
            Ok(None) | Err(_) => {}
        }
        Ok(path)
    }
}

/// The first return.
fn found(path: &mut Path) -> Result<Option<Return>, StabilityError> {
    let start = path.at(0)?;
    let units = path.units.clone();
    let normal = path.rate(&start)?;
    let apart = |z: &[f64]| -> Vec<f64> { z.iter().zip(&start).zip(&units).map(|((z, s), u)| (z - s) / u).collect() };
    let along = |v: &[f64]| v.iter().zip(&normal).zip(&units).map(|((v, n), u)| v * n / u).sum::<f64>();
    let far = |z: &[f64]| largest(apart(z));
    let mut before = start.clone();
    let mut known = vec![start.clone()];
    for k in 1..=path.intervals.max(LOOKED_AT) {
        let tick = k * TICKS;
        let now = match path.at(tick) {
            Ok(now) => now,
            Err(_) if path.is_beyond(tick) => break,
            Err(error) => return Err(error),
        };
        if k > 1 && along(&apart(&before)) < 0.0 && along(&apart(&now)) >= 0.0 {
            let crossed = crossing(path, &before, &mut |_, z| Ok(along(&apart(z))))?;
            let mut state = before.clone();
            path.advance(&mut state, crossed)?;
            // What has gone nowhere does not return.
            let went = largest(known.iter().map(|z| far(z)));
            if far(&state) < CLOSE && went > FAR {
                let time = path.time((k - 1) * TICKS) + crossed;
                return Ok(Some(Return { time, shift: vec![0.0; start.len()] }));
            }
        }
        known.push(now.clone());
        before = now;
    }
    elsewhere(path, &known)
}

/// The first return of the rates to those at the start, along the points at the ends of the intervals.
fn elsewhere(path: &mut Path, known: &[Vec<f64>]) -> Result<Option<Return>, StabilityError> {
    let Some(start) = known.first() else { return Ok(None) };
    let units = path.units.clone();
    // In units per time.
    let rates = |path: &mut Path, z: &[f64]| -> Result<Vec<f64>, StabilityError> {
        Ok(path.rate(z)?.iter().zip(&units).map(|(f, u)| f / u).collect())
    };
    let all = known.iter().map(|z| rates(path, z)).collect::<Result<Vec<_>, _>>()?;
    let apart = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
    // What the rates would be without constraints shows how large their terms are, where they cancel.
    let fastest = all.iter().map(largest).fold(path.force, larger);
    let first = all[0].clone();
    if all.iter().all(|f| largest(apart(f, &first)) <= STEADY * fastest) {
        return Ok(Some(Return { time: 0.0, shift: vec![0.0; start.len()] }));
    }
    let soon = path.at(TICKS / 64)?;
    let normal = apart(&rates(path, &soon)?, &first);
    let across = |f: &[f64]| apart(f, &first).iter().zip(&normal).map(|(x, n)| x * n).sum::<f64>();
    for k in 2..all.len() {
        if !(across(&all[k - 1]) < 0.0 && across(&all[k]) >= 0.0) {
            continue;
        }
        let before = &known[k - 1];
        let crossed = crossing(path, before, &mut |path, z| Ok(across(&rates(path, z)?)))?;
        let mut state = before.clone();
        path.advance(&mut state, crossed)?;
        if !is_close(&apart(&rates(path, &state)?, &first), fastest) {
            continue;
        }
        let half = start.len() / 2;
        let moved = |k: usize| if (state[k] - start[k]).abs() < CLOSE * units[k] { 0.0 } else { state[k] - start[k] };
        let shift: Vec<f64> = (0..start.len()).map(moved).collect();
        if shift[half..].iter().any(|c| *c != 0.0) {
            continue;
        }
        // Whether the equations are the same there, all along.
        let (time, mut same) = (path.time((k as u64 - 1) * TICKS) + crossed, true);
        for point in (0..COMPARED).map(|j| &known[(j as usize * k) / COMPARED as usize]) {
            let there: Vec<f64> = point.iter().zip(&shift).map(|(z, c)| z + c).collect();
            let differ = apart(&rates(path, &there)?, &rates(path, point)?);
            same &= is_close(&differ, fastest);
        }
        if same {
            return Ok(Some(Return { time, shift }));
        }
    }
    Ok(None)
}

/// Whether rates that differ by this are the same beside the fastest; those without a value are not.
fn is_close(differ: &[f64], fastest: f64) -> bool {
    largest(differ) <= CLOSE * fastest
}

/// A function of a state on a path, whose sign is looked at.
type Sign<'a> = dyn FnMut(&mut Path, &[f64]) -> Result<f64, StabilityError> + 'a;

/// The time within an interval at which a function of the state that changes its sign does so: the secant,
/// with half the weight for an end that stays (the Illinois rule).
fn crossing(path: &mut Path, from: &[f64], of: &mut Sign<'_>) -> Result<f64, StabilityError> {
    let (mut low, mut high) = (0.0, path.time(TICKS));
    let resolution = 4.0 * f64::EPSILON * high;
    let mut value = |time: f64| -> Result<f64, StabilityError> {
        let mut state = from.to_vec();
        path.advance(&mut state, time)?;
        of(path, &state)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_without_a_value_are_no_return() {
        assert!(is_close(&[1e-9, 0.0], 1.0) && !is_close(&[1e-6, 0.0], 1.0));
        assert!(!is_close(&[0.0, f64::NAN], 1.0) && !is_close(&[0.0, 0.0], f64::NAN));
    }
}
