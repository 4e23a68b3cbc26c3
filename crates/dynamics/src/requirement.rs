//! When an equation holds: what the rounding of its terms explains.

use crate::failure::Failure;
use crate::plan::{Equation, Kind};

/// How many units in the last place of its terms a residual may have: those of a solution have a few, and more
/// where several operations follow each other; a step without a solution is off by orders of magnitude.
const UNITS: f64 = 512.0;

/// The part of its terms that a residual may have, given the precision and a tolerance that was asked for.
pub fn allowance(epsilon: f64, tolerance: Option<f64>) -> f64 {
    tolerance.unwrap_or(0.0).max(UNITS * epsilon)
}

/// The failure of equations of which one is off by more than its share: |rᵢ| > allowance · mᵢ, with mᵢ the size of
/// its terms. A residual that is no number is off.
pub fn unsatisfied(kind: Kind, equations: impl Iterator<Item = (f64, f64)>, allowance: f64) -> Option<Failure> {
    let mut worst: Option<(f64, Failure)> = None;
    for (index, (residual, magnitude)) in equations.enumerate() {
        let (residual, explained) = (residual.abs(), allowance * magnitude);
        if residual <= explained {
            continue;
        }
        let excess = residual / explained;
        if worst.as_ref().is_none_or(|(most, _)| excess > *most || excess.is_nan()) {
            worst = Some((excess, Failure::Unsatisfied { equation: Equation { kind, index }, residual, explained }));
        }
    }
    worst.map(|(_, failure)| failure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_residual_counts_relative_to_its_terms_and_the_worst_is_named() {
        let allowance = allowance(f64::EPSILON, None);
        let failed =
            |r: &[f64], m: &[f64]| unsatisfied(Kind::Constraint, r.iter().copied().zip(m.iter().copied()), allowance);
        assert_eq!(failed(&[1e-15, -2e3], &[1.0, 1e19]), None);
        assert_eq!(failed(&[0.0], &[0.0]), None);
        let Some(Failure::Unsatisfied { equation, .. }) = failed(&[1e-10, 1e-9, 1e-12], &[1.0, 1e3, 1.0]) else {
            panic!("off by far more than rounding")
        };
        assert_eq!(equation.index, 0);
        assert!(failed(&[f64::NAN], &[1.0]).is_some() && failed(&[1e-300], &[0.0]).is_some());
    }

    #[test]
    fn a_tolerance_is_what_residuals_are_measured_against() {
        let allowance = allowance(f64::EPSILON, Some(1e-6));
        let failed = |r: f64| unsatisfied(Kind::Constraint, [(r, 10.0)].into_iter(), allowance).is_some();
        assert_eq!((failed(0.9e-5), failed(1.1e-5)), (false, true));
    }
}
