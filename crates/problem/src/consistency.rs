//! Whether initial data satisfy the constraints, whatever the units.
//!
//! A residual is compared with how much it changes when the initial data change by their own size, tried in random
//! directions: the quotient is, to first order, the relative change of the data that would satisfy the constraint. Near a
//! singular configuration, where no change of the data changes it, it is zero if it is no more than the rounding of its terms.

use crate::scale::{of_kind, relative};
use cotangent_compile::values::{InitialValues, Rates, Residual, ValueError};
use cotangent_scalar::Random;

/// Data are consistent if a relative change by at most this much would remove every residual: enough
/// for numbers typed with nine digits. How large a residual itself is depends on the units.
const TOLERANCE: f64 = 1e-8;

/// Units in the last place of the terms of a residual that rounding explains: of the data, and of a few operations.
const UNITS: f64 = 4.0;

/// The relative size of the trial changes.
const CHANGE: f64 = 1e-5;

/// A residual and what it means.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    /// The constraint member.
    pub name: String,
    /// Whether it is the rate of change of that, which has to vanish too.
    pub is_rate: bool,
    /// Left side minus right side, or its rate of change.
    pub value: f64,
    /// The relative change of the initial data that would make it zero, roughly.
    pub relative: f64,
}

impl Measured {
    /// Whether the constraint holds.
    pub fn holds(&self) -> bool {
        self.relative <= TOLERANCE
    }
}

/// Evaluates residuals at the initial values and near them.
pub fn measure(
    residuals: impl Fn(&InitialValues) -> Result<Vec<Residual>, ValueError>,
    initial: &InitialValues,
) -> Result<Vec<Measured>, ValueError> {
    let at_start = residuals(initial)?;
    let mut random = Random::default();
    let mut response = vec![0.0f64; at_start.len()];
    if at_start.iter().any(|r| r.value != 0.0) {
        for _ in 0..TRIALS {
            let near = residuals(&changed(initial, &mut random))?;
            for ((response, r), near) in response.iter_mut().zip(&at_start).zip(&near) {
                *response = response.max((near.value - r.value).abs() / CHANGE);
            }
        }
    }
    let measured = |(r, response): (Residual, f64)| {
        let is_rounding = r.value.abs() <= UNITS * f64::EPSILON * r.magnitude;
        let relative = if is_rounding { 0.0 } else { relative(r.value, response) };
        Measured { name: r.name, is_rate: false, value: r.value, relative }
    };
    Ok(at_start.into_iter().zip(response).map(measured).collect())
}

/// Directions tried: in one of them alone the residual might happen not to change.
const TRIALS: usize = 3;

/// Every number changed by up to [`CHANGE`] of the largest of its kind.
fn changed(initial: &InitialValues, random: &mut Random) -> InitialValues {
    let mut shift = |values: &[f64]| -> Vec<f64> {
        let scale = of_kind(values);
        values.iter().map(|v| v + CHANGE * scale * random.signed()).collect()
    };
    InitialValues {
        coordinates: shift(&initial.coordinates),
        rates: match &initial.rates {
            Rates::None => Rates::None,
            Rates::Momenta(p) => Rates::Momenta(shift(p)),
            Rates::Velocities(v) => Rates::Velocities(shift(v)),
        },
        multipliers: initial.multipliers.clone(),
    }
}
