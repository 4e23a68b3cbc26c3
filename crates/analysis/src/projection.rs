//! From a random point onto the constraint surface.
//!
//! A point is moved by Gauss–Newton steps, in `f64` first and then in double-double. Variables may turn out to be of
//! another size than they were drawn with, as on the circle x² + y² = 10⁻¹⁸: then they have that size from then on, and
//! what is made of them is judged by it. A variable that vanishes on the surface, but for round-off, keeps its size.

use crate::error::AnalysisError;
use crate::point::{Point, largest, weigh};
use cotangent_compile::Function;
use cotangent_scalar::{Dd, Random, Real, Scalar};
use cotangent_solve::{Descent, Linearised, gauss_newton};
use cotangent_theory::phase::Sparse;

/// Points so many times farther away than they were drawn do not count: the surface may be there only in the limit.
const MAX_GROWTH: f64 = 1e8;
/// From 10⁻¹¹ to 10⁻²⁶ it takes one or two steps with a slope known to 16 digits; a double zero takes 25.
const MAX_STEPS: usize = 12;
/// A variable is of another size if it has become so many times larger or smaller.
const OTHER: f64 = 1e6;
/// How far beside a point, in units of its sizes.
const BESIDE: f64 = 0.01;
/// How often sizes are changed.
const MAX_SIZES: usize = 6;

/// Moves a point onto the surface, where its variables have their sizes; whether it arrived.
pub(crate) fn project(f: &Function, gradients: &[Sparse], point: &mut Point) -> Result<bool, AnalysisError> {
    let mut random = Random::default();
    for _ in 0..MAX_SIZES {
        if !moved(f, gradients, point)? {
            return Ok(false);
        }
        match other_sizes(f, gradients, point)? {
            // From beside it, so that the steps show again whether gradients vanish.
            Some(sizes) => {
                let steps = sizes.iter().map(|size| Dd::from_f64(BESIDE * size * (2.0 * random.uniform() - 1.0)));
                point.state.iter_mut().zip(steps).for_each(|(x, step)| *x = *x + step);
                point.units = sizes;
            }
            None => return Ok(true),
        }
    }
    // It goes on and on: the surface is there only in the limit.
    Ok(false)
}

/// Moves a point onto the surface; whether it arrived.
fn moved(f: &Function, gradients: &[Sparse], point: &mut Point) -> Result<bool, AnalysisError> {
    let Some(units) = units(f, gradients, point)? else { return Ok(false) };
    let start: Vec<f64> = point.state.iter().map(|x| x.value()).collect();
    let parameters: Vec<f64> = point.parameters.iter().map(|x| x.value()).collect();
    let (scales, unit) = (point.scales(), Some(largest_of(&point.units)).filter(|u| *u > 0.0).unwrap_or(1.0));
    let workspace = f.workspace_in::<f64>()?;
    let mut coarse =
        Equations { f, gradients, units: &units, scales: &scales, unit, parameters: &parameters, workspace };
    let Some((near, _)) = coarse.descend(start, 200, 1e-11) else { return Ok(false) };
    point.state = near.into_iter().map(Dd::from_f64).collect();
    let Some(units) = self::units(f, gradients, point)? else { return Ok(false) };
    let (workspace, parameters) = (f.workspace_in::<Dd>()?, &point.parameters);
    let mut fine = Equations { f, gradients, units: &units, scales: &scales, unit, parameters, workspace };
    // Where gradients vanish on the surface the error is only halved by a step.
    let Some((state, steps)) = fine.descend(point.state.clone(), 120, 1e-26) else { return Ok(false) };
    (point.state, point.slow) = (state, steps > MAX_STEPS);
    Ok(true)
}

/// The sizes of the variables of a point on the surface where some are others than they were drawn with.
fn other_sizes(f: &Function, gradients: &[Sparse], point: &Point) -> Result<Option<Vec<f64>>, AnalysisError> {
    let sizes: Vec<f64> = point.state.iter().map(|x| x.value().abs()).collect();
    let with_size = |k: &usize| point.units[*k] > 0.0 && sizes[*k] > 0.0;
    let (mut large, mut small) = (vec![], vec![]);
    for k in (0..sizes.len()).filter(with_size) {
        match sizes[k] / point.units[k] {
            x if x > OTHER => large.push(k),
            x if x < 1.0 / OTHER => small.push(k),
            _ => {}
        }
    }
    if !small.is_empty() && vanish_without(f, gradients, point, &small)? {
        small.clear();
    }
    let mut other = large;
    for k in small {
        if !vanish_without(f, gradients, point, &[k])? {
            other.push(k);
        }
    }
    let mut units = point.units.clone();
    other.iter().for_each(|&k| units[k] = sizes[k]);
    Ok((!other.is_empty()).then_some(units))
}

/// Whether the constraints vanish as well where these variables do.
fn vanish_without(f: &Function, gradients: &[Sparse], point: &Point, which: &[usize]) -> Result<bool, AnalysisError> {
    let mut there = point.clone();
    for &k in which {
        (there.state[k], there.units[k]) = (Dd::from_f64(0.0), 0.0);
    }
    let values = weigh(f, entries(gradients), &there)?;
    Ok(values.into_iter().take(gradients.len()).all(|x| x.vanishes() == Some(true)))
}

/// How many values constraints and their slopes are.
fn entries(gradients: &[Sparse]) -> usize {
    gradients.len() + gradients.iter().map(Sparse::len).sum::<usize>()
}

fn largest_of(sizes: &[f64]) -> f64 {
    sizes.iter().fold(0.0, |m: f64, x| m.max(*x))
}

/// The sizes of the constraints at a point: what their residuals are small against.
fn units(f: &Function, gradients: &[Sparse], point: &Point) -> Result<Option<Vec<f64>>, AnalysisError> {
    let sizes = weigh(f, entries(gradients), point)?.into_iter().take(gradients.len()).map(|x| x.size);
    let sizes: Vec<f64> = sizes.map(|s| if s > 0.0 { s } else { 1.0 }).collect();
    Ok(sizes.iter().all(|s| s.is_finite()).then_some(sizes))
}

/// Constraints in units of their sizes.
struct Equations<'a, S> {
    f: &'a Function,
    gradients: &'a [Sparse],
    /// What each constraint is measured in.
    units: &'a [f64],
    /// And each variable.
    scales: &'a [f64],
    /// The size of the largest variable.
    unit: f64,
    parameters: &'a [S],
    workspace: cotangent_compile::Workspace<S>,
}

impl<S: Real> Equations<'_, S> {
    /// The equations at a point; `None` where one of them is no number.
    fn linearised(&mut self, state: &[S]) -> Option<Linearised<S>> {
        let mut out = vec![S::from_f64(0.0); entries(self.gradients)];
        self.f.call_in(&[self.parameters, state], &mut [&mut out], &mut self.workspace).ok()?;
        let slopes = out.split_off(self.gradients.len());
        let mut slopes = slopes.into_iter();
        let full = |(g, &unit): (&Sparse, &f64)| {
            let mut row = vec![S::from_f64(0.0); state.len()];
            let scaled = |j: usize, s: S| s * S::from_f64(self.scales[j]) / S::from_f64(unit);
            g.keys().zip(slopes.by_ref()).for_each(|(&j, s)| row[j] = scaled(j, s));
            row
        };
        let rows: Vec<Vec<S>> = self.gradients.iter().zip(self.units).map(full).collect();
        out.iter_mut().zip(self.units).for_each(|(r, &unit)| *r = *r / S::from_f64(unit));
        let finite = out.iter().chain(rows.iter().flatten()).all(|x| x.is_finite());
        finite.then(|| Linearised { size: largest(&out), residual: out, rows })
    }

    /// Gauss–Newton steps until the residual is below `enough`, and how many it took. They are least in units of the variables.
    fn descend(&mut self, state: Vec<S>, steps: usize, enough: f64) -> Option<(Vec<S>, usize)> {
        let descent = Descent { steps, enough: Some(enough), shortest: 1e-4, dependent: 1e-9 };
        let scales: Vec<S> = self.scales.iter().map(|x| S::from_f64(*x)).collect();
        let unscaled = |y: &[S]| y.iter().zip(&scales).map(|(&y, &unit)| y * unit).collect::<Vec<S>>();
        let start = state.into_iter().zip(&scales).map(|(x, &unit)| x / unit).collect();
        let found = gauss_newton(&descent, start, |y: &[S]| self.linearised(&unscaled(y)).ok_or(())).ok()?;
        let state = unscaled(&found.x);
        (found.arrived && largest(&state) < MAX_GROWTH * self.unit).then_some((state, found.steps))
    }
}
