//! Burgers' equation u_t + u u_x = 0 before the shock: u is constant along x = ξ + u t.

use crate::error::{FieldsError, length};

/// Points at which the steepest descent is looked for, before it is found between them.
const SAMPLES: u32 = 4096;
/// Halvings of an interval until it is no longer than its rounding.
const HALVINGS: u32 = 200;

/// The exact solution of u_t + u u_x = 0 from a smooth periodic profile.
///
/// ```
/// use cotangent_fields::Characteristics;
/// use std::f64::consts::TAU;
///
/// let sine = Characteristics::new(f64::sin, f64::cos, TAU)?;
/// assert!((sine.shock_time().unwrap() - 1.0).abs() < 1e-12);
/// assert!(sine.at(1.0, 0.5)? < 1.0);
/// assert!(sine.at(1.0, 1.5).unwrap_err().to_string().contains("the shock begins at t = 1"));
/// # Ok::<(), cotangent_fields::FieldsError>(())
/// ```
pub struct Characteristics<F> {
    profile: F,
    /// When characteristics first cross, forward and backward in time.
    crossings: [Option<f64>; 2],
}

impl<F: Fn(f64) -> f64> Characteristics<F> {
    /// The solution from u(x, 0) with its derivative and its period.
    pub fn new(profile: F, slope: impl Fn(f64) -> f64, period: f64) -> Result<Characteristics<F>, FieldsError> {
        let period = length("period", period)?;
        let step = period / f64::from(SAMPLES);
        let crossing = |sign: f64| {
            let falling = |x: f64| sign * slope(x);
            let samples = (0..SAMPLES).map(|k| step * f64::from(k));
            let x = samples.min_by(|a, b| falling(*a).total_cmp(&falling(*b)))?;
            let steepest = least(&falling, x - step, x + step);
            (steepest < 0.0).then(|| -sign / steepest)
        };
        Ok(Characteristics { crossings: [crossing(1.0), crossing(-1.0)], profile })
    }

    /// When characteristics first cross, −1/min u₀′; never if the profile does not fall anywhere.
    pub fn shock_time(&self) -> Option<f64> {
        self.crossings[0]
    }

    /// u(x, t), until the shock.
    pub fn at(&self, x: f64, t: f64) -> Result<f64, FieldsError> {
        let [forward, backward] = self.crossings;
        if let Some(time) = forward.filter(|&time| t >= time).or(backward.filter(|&time| t <= time)) {
            return Err(FieldsError::Shock { time, asked: t });
        }
        let nowhere = FieldsError::Nowhere { place: x, time: t };
        if !x.is_finite() || !t.is_finite() {
            return Err(nowhere);
        }
        // ξ + t u₀(ξ) − x grows with ξ.
        let late = |xi: f64| xi + t * (self.profile)(xi) > x;
        let mut reach = t.abs() * (self.profile)(x).abs() + f64::EPSILON;
        while late(x - reach) || !late(x + reach) {
            reach *= 2.0;
            if !reach.is_finite() {
                return Err(nowhere);
            }
        }
        let (mut low, mut high) = (x - reach, x + reach);
        for _ in 0..HALVINGS {
            let middle = low + (high - low) / 2.0;
            if middle <= low || middle >= high {
                break;
            }
            if late(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some((self.profile)(low)).filter(|u| u.is_finite()).ok_or(nowhere)
    }
}

/// The least value of a function between two points, by golden sections.
fn least(f: &impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    for _ in 0..HALVINGS {
        let (a, b) = (high - golden * (high - low), low + golden * (high - low));
        if a >= b {
            break;
        }
        if f(a) < f(b) {
            high = b;
        } else {
            low = a;
        }
    }
    f(low + (high - low) / 2.0)
}
