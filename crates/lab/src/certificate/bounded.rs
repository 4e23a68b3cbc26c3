//! Whether the energy error is bounded.
//!
//! A symplectic method keeps a modified energy H̃ = H + hᵖ H₁ + …, so that the error of H is a function of the
//! state, −hᵖ H₁ + const: it wanders with the motion, and grows as little as that does. Along a run this
//! is seen only if the run came to its end, if the step is stable, and if the motion turned often.

use super::Drift;
use super::along::Along;
use super::reason::{LargerSteps, Reason};
use crate::fit::{Growth, growth_exponent, typical_growth_exponent};
use cotangent_scalar::{larger, largest};

/// An exponent above this, with its uncertainty taken off, is that of a growing error.
const GROWING: f64 = 0.25;

/// An exponent up to this, with its uncertainty added, is that of a bounded error.
pub const CERTAIN: f64 = 0.5;

/// An error that falls below this part of its largest size has come back.
const RETURN: f64 = 0.03;

/// Turns of the motion, below which a growing error may be a part of one oscillation.
const TURNS: usize = 24;

/// Parts of the run in which the size of the error is compared, and how many of the last ones have to grow.
const PARTS: usize = 8;
const LAST: usize = 6;

/// An energy error above this part of the energy that is exchanged belongs to another motion.
const RESOLVED: f64 = 0.25;

/// What the run says.
pub(super) enum Said {
    /// The error is round-off.
    RoundOff(Drift),
    /// It does not grow.
    Calm(Drift),
    /// It grows, beyond what its uncertainty explains.
    Grows(Drift),
    /// Both are possible.
    Open(Drift, Reason),
    /// Nothing, for this reason.
    Nothing(Reason),
}

/// What energy errors along a run can be by round-off, relative to its size: each step off by a unit in the last
/// place, all in one direction, and more for the sums of its evaluation.
pub(super) fn round_off(along: &Along) -> f64 {
    f64::EPSILON * (1e4 + along.steps as f64)
}

/// Of the evaluation of an energy some states show what it is off by, others may be worse.
const WORSE: f64 = 8.0;

/// The same where terms of the energy cancel: the round-off of these terms, and what the evaluation makes of them.
pub(super) fn round_off_of_terms(along: &Along) -> f64 {
    let size = size(along);
    round_off(along) * (along.rounded / size).max(1.0) + WORSE * along.misjudged / size
}

/// Below this size rounding is no longer relative.
const SMALLEST: f64 = f64::MIN_POSITIVE / f64::EPSILON;

/// Why the energy of a motion has no relative error, if it has none: numbers of its size have few digits, or none.
pub(super) fn underflow(along: &Along) -> Option<Reason> {
    let size = along.energy.max(along.exchanged[1]);
    (along.moves && size < SMALLEST).then_some(Reason::Underflow { size })
}

/// The size of the energy: the larger of |H(0)| and what is exchanged. The error itself is no part of it.
pub(super) fn size(along: &Along) -> f64 {
    let size = along.energy.max(along.exchanged[1]);
    if size > 0.0 && size.is_finite() { size } else { 1.0 }
}

/// The largest energy error, relative to that.
pub(super) fn amplitude(along: &Along) -> f64 {
    let error = largest(&along.errors);
    if error == 0.0 { 0.0 } else { error / size(along) }
}

/// What the run says, of a method of which it is known whether it keeps the energy.
pub(super) fn judge(along: &Along, kept: bool) -> Said {
    let Along { times, errors, .. } = along;
    if let Some(reason) = underflow(along) {
        return Said::Nothing(reason);
    }
    let amplitude = amplitude(along);
    let worst = amplitude * size(along);
    let early = if along.exchanged[0] > 0.0 { along.exchanged[0] } else { size(along) };
    let at_round_off = kept || amplitude <= round_off(along);
    if !at_round_off && (worst.is_nan() || worst > RESOLVED * early) {
        return Said::Nothing(Reason::Unresolved { part: worst / early });
    }
    if let Some(ended) = &along.ended {
        return Said::Nothing(Reason::Ended(ended.clone()));
    }
    if at_round_off {
        return Said::RoundOff(Drift { growth: None, typical: None, returns: true, amplitude });
    }
    let growth = match growth_exponent(times, errors) {
        Ok(growth) => growth,
        Err(e) => return Said::Nothing(Reason::NoGrowth(e)),
    };
    let typical = typical_growth_exponent(times, errors).ok();
    let half = &errors[errors.len() / 2..];
    let returns = half.iter().fold(f64::INFINITY, |m, e| m.min(e.abs())) <= RETURN * worst;
    let drift = Drift { growth: Some(growth), typical, returns, amplitude };
    let growths = || drift.growth.iter().chain(&drift.typical);
    let slow = |g: &Growth| g.exponent + g.uncertainty <= CERTAIN;
    let fast = |g: &Growth| g.exponent - g.uncertainty > GROWING;
    let parts = parts(errors);
    // The last quarter is no larger than what was before.
    let (before, last) = parts.largest.split_at(PARTS * 3 / 4);
    let level = largest(last) <= 1.5 * largest(before);
    if growths().any(slow) || (returns && level) {
        return Said::Calm(drift);
    }
    let steady = parts.typical[PARTS - LAST..].windows(2).all(|w| w[1] > w[0]);
    if growths().all(fast) && !returns && steady {
        return match along.turns >= TURNS {
            true if amplitude <= round_off_of_terms(along) => Said::Open(drift, Reason::RoundOff(LargerSteps::NoMore)),
            true => Said::Grows(drift),
            false => Said::Open(drift, Reason::TooShort { turns: along.turns, needed: TURNS }),
        };
    }
    Said::Open(drift, Reason::Open { exponent: growth.exponent, uncertainty: growth.uncertainty })
}

/// The error in equal parts of the run: its largest and its mean size.
struct Parts {
    largest: [f64; PARTS],
    typical: [f64; PARTS],
}

fn parts(errors: &[f64]) -> Parts {
    let part = |k: usize| &errors[errors.len() * k / PARTS..errors.len() * (k + 1) / PARTS];
    let largest: [f64; PARTS] = std::array::from_fn(|k| largest(part(k)));
    let typical = std::array::from_fn(|k| {
        let part = part(k);
        // Scaled, so that squares do not underflow.
        let scale = larger(largest[k], f64::MIN_POSITIVE);
        scale * (part.iter().map(|e| (e / scale).powi(2)).sum::<f64>() / part.len().max(1) as f64).sqrt()
    });
    Parts { largest, typical }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::{Ended, Stopped};
    use cotangent_dynamics::Failure;

    /// A run of 8000 steps with this energy error, of a motion with unit energy.
    fn run(turns: usize, error: impl Fn(f64) -> f64) -> Along {
        let times: Vec<f64> = (1..=8000).map(|k| 0.1 * f64::from(k)).collect();
        Along {
            members: [0; 2],
            residuals: [0.0; 2],
            casimirs: 0.0,
            scales: [vec![], vec![]],
            errors: times.iter().map(|&t| error(t)).collect(),
            times,
            energy: 0.0,
            exchanged: [1.0; 2],
            rounded: 0.0,
            misjudged: 0.0,
            places: vec![],
            charts: vec![],
            moves: true,
            moved: 1.0,
            turns,
            steps: 8000,
            ended: None,
            noticed: Default::default(),
        }
    }

    #[test]
    fn a_drift_is_seen_if_the_motion_turned_often() {
        for drift in [|t: f64| 1e-6 * t, |t: f64| -1e-8 * t * t, |t: f64| 1e-6 * t * (3.0 * t).sin().abs() + 1e-6 * t] {
            assert!(matches!(judge(&run(200, drift), false), Said::Grows(_)));
            assert!(matches!(judge(&run(5, drift), false), Said::Open(..)));
        }
    }

    /// Rounding of terms 10⁶ times as large as the energy may add up to what grows; it is no drift of the method.
    #[test]
    fn a_drift_within_the_round_off_of_terms_that_cancel_is_none() {
        let drift = |rounded| judge(&Along { rounded, ..run(200, |t| 1e-9 * t) }, false);
        assert!(matches!(drift(1.0), Said::Grows(_)));
        assert!(matches!(drift(1e6), Said::Open(_, Reason::RoundOff(_))));
        assert!(matches!(judge(&run(200, |t| 1e-9 * t), true), Said::RoundOff(_)));
    }

    #[test]
    fn an_error_that_wanders_with_the_motion_is_calm() {
        // An oscillation; one with slow beats; a quiet beginning and rare events, as of a chain that is let go.
        for error in [
            |t: f64| 1e-4 * (1.0 - t.cos()),
            |t: f64| 1e-4 * (t.sin() + (1.02 * t).sin()),
            |t: f64| if t < 60.0 { 1e-9 * t } else { 1e-4 * (1.3 * t).sin().powi(9) * (0.31 * t).cos() },
        ] {
            assert!(matches!(judge(&run(200, error), false), Said::Calm(_)));
        }
    }

    #[test]
    fn nothing_is_judged_where_the_step_is_unstable_or_the_run_ended() {
        assert!(matches!(
            judge(&run(200, |t| 1e-9 * (0.05 * t).exp()), false),
            Said::Nothing(Reason::Unresolved { .. })
        ));
        assert!(matches!(judge(&run(200, |t| if t > 700.0 { f64::NAN } else { 0.0 }), false), Said::Nothing(_)));
        let cause = Stopped::Step(Failure::Torn { change: 1.0 });
        let ended = Some(Ended { steps: 8000, of: 10000, cause });
        assert!(matches!(judge(&Along { ended: ended.clone(), ..run(200, f64::sin) }, false), Said::Nothing(_)));
        let calm = run(200, |t| 1e-4 * t.sin());
        assert!(
            matches!(judge(&Along { ended: ended.clone(), ..calm }, false), Said::Nothing(Reason::Ended(e)) if Some(&e) == ended.as_ref())
        );
        assert!(matches!(judge(&run(200, |t| 1e-13 * t.sin()), false), Said::RoundOff(_)));
    }
}
