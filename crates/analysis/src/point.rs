//! A point of phase space, and what functions are there with the sizes of their terms.

use crate::error::AnalysisError;
use crate::weighed::Weighed;
use cotangent_compile::Function;
use cotangent_scalar::{Dd, Real, Scalar};

/// A point of phase space with values of the parameters.
#[derive(Clone)]
pub(crate) struct Point {
    pub(crate) parameters: Vec<Dd>,
    /// The sizes of what they were computed from, where that is larger: sin π is zero but for rounding, beside π.
    pub(crate) computed_from: Vec<f64>,
    pub(crate) state: Vec<Dd>,
    /// The sizes of the variables that are not known to be larger.
    pub(crate) units: Vec<f64>,
    /// Whether it came nearer to the surface by small steps only, as where gradients vanish on it.
    pub(crate) slow: bool,
}

impl Point {
    /// Parameters and state with their sizes.
    fn weighed(&self) -> [Vec<Weighed>; 2] {
        let sizes = self.computed_from.iter().copied().chain(std::iter::repeat(0.0));
        let parameters = self.parameters.iter().zip(sizes).map(|(x, size)| Weighed::new(*x, size)).collect();
        let state = self.state.iter().zip(&self.units).map(|(x, unit)| Weighed::new(*x, *unit)).collect();
        [parameters, state]
    }

    /// The sizes of the variables in units of the largest.
    pub(crate) fn scales(&self) -> Vec<f64> {
        let largest = self.units.iter().fold(0.0, |m: f64, x| m.max(*x));
        self.units.iter().map(|x| if *x > 0.0 { x / largest } else { 1.0 }).collect()
    }
}

/// The values of a function at a point; none where a root in it is not found.
pub(crate) fn weigh(f: &Function, outputs: usize, point: &Point) -> Result<Vec<Weighed>, AnalysisError> {
    let mut workspace = f.workspace_in::<Weighed>()?;
    let mut out = vec![Weighed::from_f64(0.0); outputs];
    let [parameters, state] = point.weighed();
    if f.call_in(&[&parameters, &state], &mut [&mut out], &mut workspace).is_err() {
        out.fill(Weighed::from_f64(f64::NAN));
    }
    Ok(out)
}

/// Whether a function has values at a point, whatever the sizes of variables are.
pub(crate) fn has_values(f: &Function, outputs: usize, point: &Point) -> Result<bool, AnalysisError> {
    let mut workspace = f.workspace_in::<Dd>()?;
    let mut out = vec![Dd::from_f64(0.0); outputs];
    let called = f.call_in(&[&point.parameters, &point.state], &mut [&mut out], &mut workspace);
    Ok(called.is_ok() && out.iter().all(|x| x.value().is_finite()))
}

pub(crate) fn largest<S: Real>(values: &[S]) -> f64 {
    values.iter().fold(0.0, |m: f64, x| m.max(x.value().abs()))
}
