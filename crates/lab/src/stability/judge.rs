//! From numbers to a verdict.

use super::follow::{Followed, Growth, NOTHING, scaled};
use super::linearise::Linearised;
use super::propagate::{Fundamental, Matrix};
use super::verdict::{Time, Unsure, Verdict};
use super::{Frozen, Stability, StabilityError};
use cotangent_scalar::{larger, largest};
use cotangent_solve::eigenvalues;

/// When the time doubles, errors that grow exponentially grow by more than this factor (as a logarithm):
/// more than a power t⁴ does.
const EXPONENTIAL: f64 = 3.0;

/// Bounded errors grow by less than this: less than a drift does, log 2.
const BOUNDED: f64 = 0.5;

/// Exponential growth doubles when the time does, that of a power stays; this is between the two.
const FASTER: f64 = 1.5;

/// Entries that change by less, compared with the largest, are constant: rates of growth that this leaves are nothing.
const CONSTANT: f64 = 1e-8;

/// |λ| of a multiplier is one if its logarithm is smaller, and two of this distance are one: perturbations of
/// order ε move a double one by √ε.
const MULTIPLIER: f64 = 1e-3;

/// What errors do along a motion: it is followed for the time that was asked for, and then further until the
/// numbers tell or all that may be spent is spent.
pub(super) fn judged(mut followed: Followed<'_>) -> Result<Stability, StabilityError> {
    let mut intervals = followed.asked();
    let mut whole = followed.to(intervals)?;
    let mut decided = at_once(&followed.points, followed.until());
    if let Some(error) = &followed.stopped {
        // What is seen from the matrices holds at all of them; growth towards a singularity is none of its own.
        let verdict = decided.filter(|v| !matches!(v, Verdict::Undecided(_)));
        let verdict = verdict.unwrap_or_else(|| stopped(error, &followed.growth));
        let (until, growth) = (followed.until(), largest_growth(&followed));
        let (exponent, uncertainty) = match verdict {
            Verdict::Undecided(_) => exponent(&followed.growth),
            _ => (0.0, 0.0),
        };
        return Ok(Stability { verdict, until, frozen: followed.frozen()?, exponent, uncertainty, growth });
    }
    if decided.is_none() && whole {
        let period = followed.period()?;
        if period.is_some_and(|period| period == 0.0 || is_constant(&followed.points)) {
            decided = steady(&followed)?;
        }
        if decided.is_none()
            && let Some(period) = period.filter(|period| *period > 0.0)
        {
            return periodic(&followed, period);
        }
    }
    decided = decided.or_else(|| grown(&followed.growth, followed.time_asked(), followed.residuals()));
    if decided.is_none() {
        followed.allow_more();
        whole = whole || followed.to(intervals)?;
        decided = grown(&followed.growth, followed.time_asked(), followed.residuals());
    }
    while decided.is_none() && whole {
        intervals = intervals.saturating_mul(2);
        whole = followed.to(intervals)?;
        decided = grown(&followed.growth, followed.time_asked(), followed.residuals());
    }
    let frozen = followed.frozen()?;
    let verdict = match decided {
        Some(Verdict::Centre { time, .. }) => Verdict::Centre { frequency: frequency(&frozen), time },
        Some(verdict) => verdict,
        None => match &followed.stopped {
            Some(error) => stopped(error, &followed.growth),
            None => undecided(&followed.growth),
        },
    };
    let (exponent, uncertainty) = match verdict {
        // A drift is no exponential.
        Verdict::Integrals { .. } | Verdict::Drift | Verdict::Identical => (0.0, 0.0),
        Verdict::Centre { time: Time::Steady, .. } => (0.0, 0.0),
        Verdict::Saddle { rate, time: Time::Steady } => (rate, 0.0),
        Verdict::Damped { rate, time: Time::Steady } => (-rate, 0.0),
        Verdict::Damped { rate, .. } => (-rate, exponent(&followed.growth).1),
        _ => exponent(&followed.growth),
    };
    Ok(Stability { verdict, until: followed.until(), frozen, exponent, uncertainty, growth: largest_growth(&followed) })
}

/// What is seen from the matrices themselves.
fn at_once(points: &[(f64, Linearised)], until: f64) -> Option<Verdict> {
    let (_, first) = points.first()?;
    if first.residuals.is_empty() {
        return Some(Verdict::Identical);
    }
    let matrices: Vec<Matrix> = points.iter().map(|(_, l)| scaled(l, &first.sizes)).collect();
    let worst = |of: fn(&Linearised) -> f64| largest(points.iter().map(|(_, l)| of(l)));
    let fastest = largest(matrices.iter().flatten().flatten());
    let (defect, remainder) = (worst(|l| l.defect), worst(|l| l.remainder));
    if defect > NOTHING {
        return Some(Verdict::NotInvariant { part: defect });
    }
    if remainder > NOTHING * (fastest + 1.0 / until) {
        return Some(Verdict::Undecided(Unsure::Residuals { left: remainder }));
    }
    // Whether all entries that are asked for vanish.
    let vanishes = |asked: &dyn Fn(usize, usize) -> bool| {
        let entries = matrices.iter().flat_map(|a| a.iter().enumerate());
        let mut entries = entries.flat_map(|(i, row)| row.iter().enumerate().map(move |(j, x)| (i, j, x)));
        entries.all(|(i, j, x)| !asked(i, j) || x.abs() * until <= NOTHING)
    };
    if vanishes(&|_, _| true) {
        let identical = points.iter().any(|(_, l)| l.residuals.len() < l.count);
        return Some(Verdict::Integrals { identical });
    }
    // φ̇ = ψ alone: products of such matrices vanish, so that nothing grows faster.
    let is_hidden = |i: usize| first.residuals[i] >= first.count / 2;
    vanishes(&|i, j| is_hidden(i) || !is_hidden(j)).then_some(Verdict::Drift)
}

/// Whether A is the same at all times of a motion that repeats itself: its multipliers e^{λT} may coincide where its
/// eigenvalues do not.
fn is_constant(points: &[(f64, Linearised)]) -> bool {
    let Some((_, first)) = points.first() else { return false };
    let entries = |l: &Linearised| scaled(l, &first.sizes).into_iter().flatten().collect::<Vec<f64>>();
    let own = entries(first);
    let size = largest(&own);
    let same = |l: &Linearised| entries(l).iter().zip(&own).all(|(x, y)| (x - y).abs() <= CONSTANT * size);
    points.iter().all(|(_, l)| same(l))
}

/// Where A does not change its eigenvalues decide for all times, unless two of them coincide.
fn steady(followed: &Followed<'_>) -> Result<Option<Verdict>, StabilityError> {
    let Some((_, first)) = followed.points.first() else { return Ok(None) };
    let values = eigenvalues(&scaled(first, &first.sizes))?;
    let fastest = values.iter().fold(0.0f64, |m, v| m.max(v[0].hypot(v[1])));
    let largest = values.iter().fold(f64::NEG_INFINITY, |m, v| m.max(v[0]));
    let off = NOTHING * fastest;
    let pairs = values.iter().enumerate().flat_map(|(i, a)| values[..i].iter().map(move |b| (a, b)));
    let closest = pairs.map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1])).fold(f64::INFINITY, f64::min);
    Ok(match largest {
        rate if rate > off => Some(Verdict::Saddle { rate, time: Time::Steady }),
        rate if rate < -off => Some(Verdict::Damped { rate: -rate, time: Time::Steady }),
        _ if values.iter().all(|v| v[0].abs() <= off) && closest > NOTHING.sqrt() * fastest => {
            Some(Verdict::Centre { frequency: 0.0, time: Time::Steady })
        }
        _ => None,
    })
}

/// Floquet: Φ(nT) is Φ(T)ⁿ, so that its eigenvalues decide for all times.
fn periodic(followed: &Followed<'_>, period: f64) -> Result<Stability, StabilityError> {
    let largest = |phi: &Fundamental| -> Result<(f64, Vec<[f64; 2]>), StabilityError> {
        let list = phi.multipliers()?;
        Ok((list.iter().fold(f64::NEG_INFINITY, |m, l| m.max(l[0])), list))
    };
    let ((log, list), (rough, _)) = (largest(&followed.fine)?, largest(&followed.rough)?);
    let off = MULTIPLIER + (log - rough).abs();
    let frozen = followed.frozen()?;
    let rate = log / period;
    let on_circle = list.iter().all(|l| l[0].abs() <= off);
    let verdict = match log {
        log if log > off => Verdict::Saddle { rate, time: Time::Period(period) },
        log if log < -off => Verdict::Damped { rate: -rate, time: Time::Period(period) },
        _ if on_circle && closest(&list) > off.sqrt() => {
            Verdict::Centre { frequency: frequency(&frozen), time: Time::Period(period) }
        }
        _ => Verdict::Undecided(Unsure::Multipliers { coincide: on_circle, within: off.sqrt() }),
    };
    let uncertainty = (log - rough).abs() / period;
    Ok(Stability { verdict, until: period, frozen, exponent: rate, uncertainty, growth: largest_growth(followed) })
}

/// The largest ‖Φ‖.
fn largest_growth(followed: &Followed<'_>) -> f64 {
    followed.growth.iter().fold(0.0f64, |m, g| m.max(g.fine)).exp()
}

/// The smallest distance of two multipliers on the unit circle.
fn closest(list: &[[f64; 2]]) -> f64 {
    let chord = |a: f64, b: f64| 2.0 * (0.5 * (a - b)).sin().abs();
    let pairs = list.iter().enumerate().flat_map(|(i, a)| list[..i].iter().map(move |b| chord(a[1], b[1])));
    pairs.fold(f64::INFINITY, f64::min)
}

/// The largest imaginary part of an eigenvalue.
fn frequency(frozen: &[Frozen]) -> f64 {
    largest(frozen.iter().flat_map(|f| f.eigenvalues.iter().map(|v| v[1])))
}

/// The largest values in parts of the time, each twice as long as all before: neither the units of the start
/// nor the phase of an oscillation count.
fn octaves(growth: &[Growth], of: fn(&Growth) -> f64) -> [f64; 3] {
    let until = growth.last().map_or(0.0, |g| g.time);
    let largest = |from: f64, to: f64| {
        let part = growth.iter().filter(|g| g.time > from * until && g.time <= to * until);
        part.map(of).fold(f64::NEG_INFINITY, larger)
    };
    [largest(0.0, 0.25), largest(0.25, 0.5), largest(0.5, 1.0)]
}

/// What the growth of so many residuals says about errors, if it says anything. Bounded is what, within the
/// uncertainty, will not grow in the time that was asked for either.
fn grown(growth: &[Growth], asked: f64, residuals: usize) -> Option<Verdict> {
    let [early, middle, late] = octaves(growth, |g| g.fine);
    let gained = late - larger(early, middle);
    let until = growth.last()?.time;
    // The highest power of time that constant matrices of this size can make.
    let power = residuals.saturating_sub(1) as f64 * 2f64.ln();
    if gained > EXPONENTIAL && (gained > power || gained > FASTER * (middle - early)) {
        return Some(Verdict::Saddle { rate: exponent(growth).0, time: Time::Until(until) });
    }
    if gained < -EXPONENTIAL {
        // The largest error of the first half is that at its begin, before it has come to decay.
        return Some(Verdict::Damped { rate: -slope(growth), time: Time::Until(until) });
    }
    // Some errors decay if the volume of all does.
    let [early, middle, late] = octaves(growth, |g| g.volume);
    let shrunk = larger(early, middle) - late;
    let (rate, uncertainty) = exponent(growth);
    let changed = 0.5 * (rate.abs() + uncertainty) * until.max(asked);
    (changed < BOUNDED && shrunk < BOUNDED * residuals as f64)
        .then_some(Verdict::Centre { frequency: 0.0, time: Time::Until(until) })
}

/// The mean slope in the second half of the time.
fn slope(growth: &[Growth]) -> f64 {
    let Some(end) = growth.last() else { return 0.0 };
    let middle = growth.iter().find(|g| g.time >= 0.5 * end.time).unwrap_or(end);
    let later = end.time - middle.time;
    if later > 0.0 { (end.fine - middle.fine) / later } else { 0.0 }
}

/// The growth per time from the largest error of the first half of the time to that of the second; as
/// uncertain as its difference from the slope, where units and phases count, and as two step sizes differ.
fn exponent(growth: &[Growth]) -> (f64, f64) {
    let until = growth.last().map_or(0.0, |g| g.time);
    let halves = |of: fn(&Growth) -> f64| {
        let [early, middle, late] = octaves(growth, of);
        let gained = late - larger(early, middle);
        if gained.is_finite() { 2.0 * gained / until } else { 0.0 }
    };
    let (fine, rough) = (halves(|g| g.fine), halves(|g| g.rough));
    (fine, (fine - rough).abs().max((fine - slope(growth)).abs()))
}

/// What is known where nothing could be followed to the end.
fn stopped(error: &StabilityError, growth: &[Growth]) -> Verdict {
    let largest = growth.iter().map(|g| g.fine).fold(0.0, f64::max);
    Verdict::Undecided(Unsure::Stopped { error: Box::new(error.clone()), factor: largest.exp() })
}

fn undecided(growth: &[Growth]) -> Verdict {
    let largest = growth.iter().map(|g| g.fine).fold(f64::NEG_INFINITY, f64::max);
    let (exponent, uncertainty) = exponent(growth);
    let (factor, until) = (largest.exp(), growth.last().map_or(0.0, |g| g.time));
    Verdict::Undecided(Unsure::Growth { factor, until, exponent, uncertainty })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A growth sampled at 400 times until t = 20.
    fn growth(log: impl Fn(f64) -> f64, volume: impl Fn(f64) -> f64) -> Vec<Growth> {
        let sample = |k: u32| {
            let t = f64::from(k) / 20.0;
            Growth { time: t, fine: log(t), rough: log(t), volume: volume(t) }
        };
        (1..=400).map(sample).collect()
    }

    fn verdict(log: impl Fn(f64) -> f64) -> Option<Verdict> {
        grown(&growth(log, |_| 0.0), 20.0, 8)
    }

    #[test]
    fn exponentials_grow_and_decay_at_their_rates() {
        let near = |found: f64, rate: f64| (found - rate).abs() < 0.01;
        let wave = |t: f64| 0.3 * (7.0 * t).sin();
        assert!(matches!(verdict(|t| 0.4 * t), Some(Verdict::Saddle { rate, .. }) if near(rate, 0.4)));
        assert!(
            matches!(verdict(|t| 2.0 * t + wave(t)), Some(Verdict::Saddle { rate, .. }) if (rate - 2.0).abs() < 0.07)
        );
        assert!(matches!(verdict(|t| -0.4 * t), Some(Verdict::Damped { rate, .. }) if near(rate, 0.4)));
        // Errors that have decayed by a factor of e² in twice the time may still be on their way to anything.
        assert_eq!(verdict(|t| -0.2 * t), None);
        assert_eq!(verdict(|t| 0.2 * t), None);
    }

    #[test]
    fn powers_of_time_are_no_exponentials() {
        // Eight residuals can make t⁷ with constant matrices.
        for power in 1..=7 {
            assert_eq!(verdict(|t| f64::from(power) * t.ln()), None, "{power}");
        }
        let found = grown(&growth(|t| 5.0 * t.ln(), |_| 0.0), 20.0, 2);
        assert!(matches!(found, Some(Verdict::Saddle { .. })), "two residuals cannot: {found:?}");
    }

    #[test]
    fn bounded_is_what_does_not_grow_in_the_time_asked_for() {
        let wave = |t: f64| 0.1 * (3.0 * t).sin();
        assert_eq!(verdict(wave), Some(Verdict::Centre { frequency: 0.0, time: Time::Until(20.0) }));
        // The same, seen for a hundredth of the time asked for.
        assert_eq!(grown(&growth(wave, |_| 0.0), 2000.0, 8), None);
        // Volume lost: some errors decay.
        assert_eq!(grown(&growth(wave, |t| -t), 20.0, 8), None);
    }

    fn point(defect: f64, entries: [[f64; 2]; 2]) -> Vec<(f64, Linearised)> {
        let matrix = entries.map(|row| row.to_vec()).to_vec();
        let found = Linearised { matrix, sizes: vec![1.0; 2], residuals: vec![0, 1], count: 2, defect, remainder: 0.0 };
        vec![(0.0, found)]
    }

    #[test]
    fn a_manifold_is_left_by_more_than_a_millionth_of_the_motion() {
        let zero = [[0.0; 2]; 2];
        assert_eq!(at_once(&point(1.01e-6, zero), 1.0), Some(Verdict::NotInvariant { part: 1.01e-6 }));
        assert_eq!(at_once(&point(0.99e-6, zero), 1.0), Some(Verdict::Integrals { identical: false }));
    }

    #[test]
    fn what_is_nothing_depends_on_the_time_and_on_where_it_is() {
        let drift = |psi: f64| [[0.0, 1.0], [psi, 0.0]];
        assert_eq!(at_once(&point(0.0, drift(0.9e-7)), 10.0), Some(Verdict::Drift));
        assert_eq!(at_once(&point(0.0, drift(0.9e-7)), 20.0), None);
        assert_eq!(
            at_once(&point(0.0, [[0.0, 0.9e-7], [0.0, 0.0]]), 10.0),
            Some(Verdict::Integrals { identical: false })
        );
        let mut fewer = point(0.0, [[0.0; 2]; 2]);
        fewer[0].1.count = 4;
        assert_eq!(at_once(&fewer, 1.0), Some(Verdict::Integrals { identical: true }));
        let mut rest = point(0.0, drift(1.0));
        rest[0].1.remainder = 1e-5;
        assert!(matches!(at_once(&rest, 1.0), Some(Verdict::Undecided(_))));
    }
}
