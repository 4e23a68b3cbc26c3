//! How the envelope of an error grows with time.

use super::{FitError, Undecided, fit_line};
use cotangent_scalar::largest;

/// Samples before the first window ends.
const FIRST_SAMPLES: usize = 16;

/// Turning points the first window has, if the series oscillates: two periods.
const FIRST_TURNS: usize = 4;

/// Windows in which the exponent is measured, at least.
const FEWEST_WINDOWS: usize = 3;

/// The exponent of growth of a series, as observed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// p in envelope ≈ C·tᵖ over the later part of the series.
    pub exponent: f64,
    /// How far the exponent of the growth in the long run may be from this.
    pub uncertainty: f64,
    /// The largest |value|.
    pub amplitude: f64,
    /// Doublings of time seen.
    pub windows: usize,
}

/// The exponent p of the growing envelope tᵖ of an oscillating error, sampled at increasing times
/// t ≥ 0 since the start.
///
/// 0 is a bounded oscillation, ½ a random walk, 1 a linear drift, 2 a quadratic one.
///
/// The envelope E(t) is the largest |value| up to t. It is read at the times T, T/2, T/4, … that
/// remain after the first window, which has at least 16 samples and, if the series turns
/// four times at all, four turning points; before, E is on its way up to the first amplitude. Then log E
/// is fitted over log t in the later half of these times, at least three doublings.
///
/// The uncertainty is the sum of
///
/// - two standard errors of this fit;
/// - the difference between this slope and the one of the whole envelope: growth which only just
///   emerges from an oscillation has not reached its exponent. A drift still hidden below the
///   oscillation is not seen; the series is bounded *at this length*;
/// - 0.8/w · min(1, 4p) for w doublings of time: a single random walk wanders about its own growth
///   for about a doubling of time.
///
/// A series of zeros is bounded, with no uncertainty.
///
/// # Errors
/// If the series is no series, or does not cover three doublings after the first window.
pub fn growth_exponent(times: &[f64], values: &[f64]) -> Result<Growth, Undecided> {
    check(times, values)?;
    growth(values, envelope(times, values))
}

/// The same for the typical instead of the largest |value|: the median over each doubling of time.
///
/// Where an error is large at rare events (close encounters in a chaotic motion), the largest so far
/// creeps up for as long as rarer ones come; the typical size tells whether there is a drift.
///
/// # Errors
/// As for [`growth_exponent`].
pub fn typical_growth_exponent(times: &[f64], values: &[f64]) -> Result<Growth, Undecided> {
    check(times, values)?;
    growth(values, medians(times, values))
}

fn growth(values: &[f64], (time, size): (Vec<f64>, Vec<f64>)) -> Result<Growth, Undecided> {
    let amplitude = largest(values);
    let windows = time.len().saturating_sub(1);
    if amplitude == 0.0 && values.len() >= FIRST_SAMPLES {
        return Ok(Growth { exponent: 0.0, uncertainty: 0.0, amplitude, windows });
    }
    if windows < FEWEST_WINDOWS {
        return Err(Undecided::TooShort { windows });
    }
    // From the end on: the later half, four points at least.
    let later = (windows.div_ceil(2)).max(FEWEST_WINDOWS) + 1;
    let (late, whole) = (fit_line(&time[..later], &size[..later])?, fit_line(&time, &size)?);
    let wandering = 0.8 / windows as f64 * (4.0 * late.slope.abs()).min(1.0);
    let uncertainty = 2.0 * late.slope_error + (late.slope - whole.slope).abs() + wandering;
    Ok(Growth { exponent: late.slope, uncertainty, amplitude, windows })
}

fn check(times: &[f64], values: &[f64]) -> Result<(), Undecided> {
    if times.len() != values.len() {
        return Err(FitError::Lengths { left: times.len(), right: values.len() }.into());
    }
    if let Some(index) = (0..times.len()).find(|&i| !(times[i].is_finite() && values[i].is_finite())) {
        return Err(FitError::NotFinite { index }.into());
    }
    match (0..times.len()).find(|&i| times[i] < 0.0 || (i > 0 && times[i] <= times[i - 1])) {
        Some(index) => Err(Undecided::Times { index }),
        None => Ok(()),
    }
}

/// (log t, log E) at T, T/2, T/4, …, the latest first.
fn envelope(times: &[f64], values: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let running = values.iter().scan(0.0f64, |so_far, v| {
        *so_far = so_far.max(v.abs());
        Some(*so_far)
    });
    let running: Vec<f64> = running.collect();
    let first = first_window(values);
    let (mut log_times, mut log_sizes) = (Vec::new(), Vec::new());
    let mut until = times.last().copied().unwrap_or(0.0);
    loop {
        let count = times.partition_point(|&t| t <= until);
        if count <= first || until <= 0.0 || running[count - 1] == 0.0 {
            return (log_times, log_sizes);
        }
        log_times.push(until.ln());
        log_sizes.push(running[count - 1].ln());
        until *= 0.5;
    }
}

/// (log t, log of the median of |value| from t/2 to t) at T, T/2, T/4, …, the latest first.
fn medians(times: &[f64], values: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let first = first_window(values);
    let (mut log_times, mut log_sizes) = (Vec::new(), Vec::new());
    let mut until = times.last().copied().unwrap_or(0.0);
    loop {
        let (begin, end) = (times.partition_point(|&t| t <= 0.5 * until), times.partition_point(|&t| t <= until));
        let mut window: Vec<f64> = values[begin..end].iter().map(|v| v.abs()).collect();
        window.sort_unstable_by(f64::total_cmp);
        let median = window.get(window.len() / 2).copied().unwrap_or(0.0);
        if end <= first || until <= 0.0 || median == 0.0 {
            return (log_times, log_sizes);
        }
        log_times.push(until.ln());
        log_sizes.push(median.ln());
        until *= 0.5;
    }
}

/// The samples of the first window.
fn first_window(values: &[f64]) -> usize {
    let turns = |i: &usize| {
        let (before, after) = (values[*i] - values[*i - 1], values[*i + 1] - values[*i]);
        (before < 0.0 && after > 0.0) || (before > 0.0 && after < 0.0)
    };
    let turned = (1..values.len().saturating_sub(1)).filter(turns).nth(FIRST_TURNS - 1);
    turned.unwrap_or(0).max(FIRST_SAMPLES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_typical_size_tells_a_drift_from_rare_events() {
        let spiky = |t: f64| if (t as u64).is_power_of_two() { t.sqrt() } else { (7.0 * t).sin() };
        let (times, values) = series(20_000, 0.5, spiky);
        assert!(growth_exponent(&times, &values).unwrap().exponent > 0.4);
        let typical = typical_growth_exponent(&times, &values).unwrap();
        assert!(typical.exponent.abs() < 0.05, "{typical:?}");
        for power in [0.5, 1.0, 2.0] {
            let (times, values) = series(20_000, 0.5, |t| 3.0 * t.powf(power) + (7.0 * t).sin());
            let typical = typical_growth_exponent(&times, &values).unwrap();
            assert!((typical.exponent - power).abs() < 0.05, "{typical:?}");
        }
    }

    fn series(count: usize, step: f64, value: impl Fn(f64) -> f64) -> (Vec<f64>, Vec<f64>) {
        (0..count).map(|i| (i as f64 * step, value(i as f64 * step))).unzip()
    }

    fn growth(count: usize, step: f64, value: impl Fn(f64) -> f64) -> Growth {
        let (times, values) = series(count, step, value);
        growth_exponent(&times, &values).unwrap()
    }

    /// Uniform in (−1, 1), by xorshift.
    fn random_walk(seed: u64, count: usize) -> (Vec<f64>, Vec<f64>) {
        let mut bits = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut sum = 0.0;
        (0..count)
            .map(|i| {
                bits ^= bits << 13;
                bits ^= bits >> 7;
                bits ^= bits << 17;
                sum += (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
                (i as f64, 1e-16 * sum)
            })
            .unzip()
    }

    #[test]
    fn powers_are_recognised() {
        for p in [0.5, 1.0, 2.0, 3.0] {
            let found = growth(1000, 0.1, |t| 1e-9 * t.powf(p));
            assert!((found.exponent - p).abs() < 0.01, "{p}: {found:?}");
        }
    }

    #[test]
    fn a_bounded_oscillation_does_not_grow() {
        for (count, step) in [(500, 0.3), (20_000, 0.01), (5000, 0.1), (50_000, 1.7)] {
            let found = growth(count, step, |t| 1e-6 * (t.sin() + 0.3 * (2.7 * t).cos()));
            assert!(found.exponent <= found.uncertainty && found.uncertainty < 0.15, "{count} {step}: {found:?}");
            // Energy errors start at zero and have one sign.
            let found = growth(count, step, |t| 1e-6 * (1.0 - t.cos()));
            assert!(found.exponent.abs() < 0.02 && found.uncertainty < 0.15, "{count} {step}: {found:?}");
        }
    }

    #[test]
    fn a_drift_that_has_left_the_oscillation_behind_is_seen() {
        for (ratio, within) in [(10.0, 1.0), (100.0, 0.2), (1e4, 0.01)] {
            for p in [1, 2] {
                let end = 500.0f64;
                let value = |t: f64| 1e-8 * (t.sin() + ratio * (t / end).powi(p));
                let found = growth(10_000, end / 10_000.0, value);
                let off = (found.exponent - f64::from(p)).abs();
                assert!(off <= found.uncertainty && off < within, "{ratio} t^{p}: {found:?}");
            }
        }
    }

    #[test]
    fn an_oscillation_whose_amplitude_grows_is_a_drift() {
        let found = growth(10_000, 0.1, |t| 1e-8 * t * t.sin());
        assert!((found.exponent - 1.0).abs() < 0.05, "{found:?}");
    }

    #[test]
    fn a_drift_below_the_oscillation_is_bounded_at_this_length() {
        for ratio in [1e-3, 1e-2, 0.1] {
            let found = growth(5000, 0.1, |t| 1e-8 * (t.sin() + ratio * t / 500.0));
            // The envelope rises by the factor 1 + ratio in all, half of it in the last doubling.
            assert!(found.exponent < ratio && found.exponent >= 0.0, "{ratio}: {found:?}");
            assert!(found.uncertainty >= found.exponent * 0.2, "{ratio}: {found:?}");
        }
    }

    #[test]
    fn random_walks_grow_like_the_root_of_time() {
        let found: Vec<Growth> = (1..=200)
            .map(|seed| {
                let (times, values) = random_walk(seed, 4096);
                growth_exponent(&times, &values).unwrap()
            })
            .collect();
        let mean = found.iter().map(|g| g.exponent).sum::<f64>() / 200.0;
        assert!((mean - 0.5).abs() < 0.05, "{mean}");
        let covered = found.iter().filter(|g| (g.exponent - 0.5).abs() <= g.uncertainty).count();
        assert!(covered >= 180, "{covered} of 200");
    }

    #[test]
    fn nothing_and_a_constant_are_bounded() {
        let zero = growth(100, 0.1, |_| 0.0);
        assert_eq!((zero.exponent, zero.uncertainty, zero.amplitude), (0.0, 0.0, 0.0));
        let constant = growth(1000, 0.1, |_| -3e-7);
        assert!(constant.exponent.abs() < 1e-15 && constant.uncertainty < 1e-15 && constant.amplitude == 3e-7);
    }

    #[test]
    fn what_is_no_series_or_too_short_is_refused() {
        let (times, mut values) = series(100, 0.1, |t| t);
        assert_eq!(growth_exponent(&times[..20], &values[..20]), Err(Undecided::TooShort { windows: 0 }));
        assert_eq!(growth_exponent(&[], &[]), Err(Undecided::TooShort { windows: 0 }));
        assert_eq!(growth_exponent(&[0.0], &[0.0]), Err(Undecided::TooShort { windows: 0 }));
        assert_eq!(growth_exponent(&[0.0, 0.0], &[0.0, 1.0]), Err(Undecided::Times { index: 1 }));
        values[7] = f64::NAN;
        assert_eq!(growth_exponent(&times, &values), Err(FitError::NotFinite { index: 7 }.into()));
        assert!(growth_exponent(&times, &values[1..]).is_err());
    }
}
