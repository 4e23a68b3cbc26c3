//! Random points on the constraint surface, and what expressions are there.
//!
//! Parameters are drawn as well, with the signs that the model states, so that a verdict is about
//! generic parameters. A point is moved onto the surface by Gauss–Newton steps, in `f64` first and
//! then in double-double: what vanishes there is about 10⁻²⁸, and what does not is about 1.

use crate::error::AnalysisError;
use crate::phase::Sparse;
use cotangent_compile::{Engine, Function, FunctionBuilder};
use cotangent_expr::{Expr, Layout, Tensor};
use cotangent_model::{Sign, System};
use cotangent_scalar::{Dd, Real, Scalar};
use cotangent_solve::{least_change, singular_values};

/// The seed of the random points: the same model gives the same report.
pub const SEED: u64 = 0x5EED_C07A;

/// A point of phase space with values of the parameters.
#[derive(Clone)]
pub(crate) struct Point {
    pub(crate) parameters: Vec<Dd>,
    pub(crate) state: Vec<Dd>,
}

/// Draws points and evaluates expressions.
pub(crate) struct Sampler {
    parameters: Layout,
    signs: Vec<Option<Sign>>,
    /// The values of the model's text, and its start: where a surface surely has points.
    usual: Option<(Vec<f64>, Vec<f64>)>,
    state: Layout,
    random: u64,
}

/// How often a point is sought before the surface counts as empty.
const ATTEMPTS: usize = 60;
/// So many attempts take random parameters.
const RANDOM: usize = 24;

impl Sampler {
    pub(crate) fn new(system: &System, state: &Layout) -> Sampler {
        let signs = system.parameters.iter().flat_map(|p| vec![p.sign; p.array.len()]).collect();
        let usual = cotangent_compile::values::parameters(system, &[]).ok().map(|values| {
            let start = cotangent_compile::values::initial(system, &values, &[]).map(|i| i.coordinates);
            (values, start.unwrap_or_default())
        });
        let parameters = system.parameter_layout();
        Sampler { parameters, signs, usual, state: state.clone(), random: SEED }
    }

    /// Uniform in (0, 1): xorshift64*.
    fn uniform(&mut self) -> f64 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        (self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A random point, wherever it is: every other one with positive variables (for logarithms and roots), and
    /// from the attempt [`RANDOM`] on near the values of the model's text.
    pub(crate) fn draw(&mut self, attempt: usize) -> Point {
        let usual = self.usual.clone().filter(|_| attempt >= RANDOM);
        let mut parameters = vec![];
        for k in 0..self.parameters.len() {
            let (size, side) = (0.5 + self.uniform(), self.uniform());
            let value = match (&usual, self.signs.get(k).copied().flatten()) {
                (Some((values, _)), _) if values[k] != 0.0 => values[k] * (0.95 + 0.1 * side),
                (_, Some(Sign::Positive | Sign::NonNegative)) => size,
                (_, Some(Sign::Negative | Sign::NonPositive)) => -size,
                _ if side < 0.5 => -size,
                _ => size,
            };
            parameters.push(Dd::from_f64(value));
        }
        let mut state: Vec<Dd> = vec![];
        for k in 0..self.state.len() {
            let step = 3.0 * self.uniform() - 1.5;
            let step = if attempt % 2 == 1 { step.abs() } else { step };
            let near = usual.as_ref().and_then(|(_, start)| start.get(k)).copied();
            state.push(Dd::from_f64(near.map_or(step, |s| s + 0.3 * step)));
        }
        Point { parameters, state }
    }

    /// Compiles expressions for evaluation.
    pub(crate) fn function(&self, expressions: &[Expr]) -> Result<Function, AnalysisError> {
        let outputs = Tensor::vector("value", expressions.to_vec())?;
        let builder = FunctionBuilder::new().input(&self.parameters).input(&self.state).output(&outputs);
        Ok(builder.engine(Engine::Tape).compile()?)
    }

    /// The values of expressions at points.
    pub(crate) fn values(&self, expressions: &[Expr], points: &[Point]) -> Result<Vec<Vec<Dd>>, AnalysisError> {
        let f = self.function(expressions)?;
        let mut workspace = f.workspace_in::<Dd>()?;
        let mut all = vec![];
        for point in points {
            let mut out = vec![Dd::from_f64(0.0); expressions.len()];
            // A root that is not found at this point leaves no value there.
            if f.call_in(&[&point.parameters, &point.state], &mut [&mut out], &mut workspace).is_err() {
                out.fill(Dd::from_f64(f64::NAN));
            }
            all.push(out);
        }
        Ok(all)
    }

    /// The values of sparse rows at points, as full matrices.
    pub(crate) fn rows(
        &self,
        rows: &[Sparse],
        width: usize,
        points: &[Point],
    ) -> Result<Vec<Vec<Vec<Dd>>>, AnalysisError> {
        let flat: Vec<Expr> = rows.iter().flat_map(|r| r.values().cloned()).collect();
        let mut all = vec![];
        for values in self.values(&flat, points)? {
            let mut values = values.into_iter();
            let full = |row: &Sparse| {
                let mut out = vec![Dd::from_f64(0.0); width];
                row.keys().zip(values.by_ref()).for_each(|(&j, v)| out[j] = v);
                out
            };
            all.push(rows.iter().map(full).collect());
        }
        Ok(all)
    }

    /// Points where all constraints vanish, or as many as were found.
    pub(crate) fn surface(
        &mut self,
        constraints: &[Expr],
        gradients: &[Sparse],
        count: usize,
    ) -> Result<Vec<Point>, AnalysisError> {
        let entries: Vec<Expr> =
            constraints.iter().cloned().chain(gradients.iter().flat_map(|g| g.values().cloned())).collect();
        let f = self.function(&entries)?;
        let mut points = vec![];
        for attempt in 0..ATTEMPTS {
            if points.len() == count {
                break;
            }
            let mut point = self.draw(attempt);
            if project(&f, gradients, &mut point)? {
                points.push(point);
            }
        }
        Ok(points)
    }
}

/// Moves a point onto the surface; whether it arrived.
fn project(f: &Function, gradients: &[Sparse], point: &mut Point) -> Result<bool, AnalysisError> {
    let start: Vec<f64> = point.state.iter().map(|x| x.value()).collect();
    let parameters: Vec<f64> = point.parameters.iter().map(|x| x.value()).collect();
    let mut coarse = Descent { f, gradients, parameters: &parameters, workspace: f.workspace_in::<f64>()? };
    let Some(near) = coarse.descend(start, 200, 1e-11) else { return Ok(false) };
    let mut fine = Descent { f, gradients, parameters: &point.parameters, workspace: f.workspace_in::<Dd>()? };
    let near = near.into_iter().map(Dd::from_f64).collect();
    // Where gradients vanish on the surface the error is only halved by a step.
    match fine.descend(near, 60, 1e-26) {
        Some(state) => point.state = state,
        None => return Ok(false),
    }
    Ok(true)
}

struct Descent<'a, S> {
    f: &'a Function,
    gradients: &'a [Sparse],
    parameters: &'a [S],
    workspace: cotangent_compile::Workspace<S>,
}

impl<S: Real> Descent<'_, S> {
    fn residual(&mut self, state: &[S]) -> Option<(Vec<S>, Vec<Vec<S>>)> {
        let entries = self.gradients.len() + self.gradients.iter().map(Sparse::len).sum::<usize>();
        let mut out = vec![S::from_f64(0.0); entries];
        self.f.call_in(&[self.parameters, state], &mut [&mut out], &mut self.workspace).ok()?;
        let slopes = out.split_off(self.gradients.len());
        let mut slopes = slopes.into_iter();
        let full = |g: &Sparse| {
            let mut row = vec![S::from_f64(0.0); state.len()];
            g.keys().zip(slopes.by_ref()).for_each(|(&j, s)| row[j] = s);
            row
        };
        let rows: Vec<Vec<S>> = self.gradients.iter().map(full).collect();
        let finite = out.iter().chain(rows.iter().flatten()).all(|x| x.is_finite());
        finite.then_some((out, rows))
    }

    /// Damped Gauss–Newton steps until the residual is below `tolerance`.
    fn descend(&mut self, mut state: Vec<S>, steps: usize, tolerance: f64) -> Option<Vec<S>> {
        let size = |r: &[S]| r.iter().fold(0.0f64, |m, x| m.max(x.value().abs()));
        let (mut residual, mut rows) = self.residual(&state)?;
        for _ in 0..steps {
            let before = size(&residual);
            if before <= tolerance {
                return (size(&state) < 1e6).then_some(state);
            }
            // The residual in full precision and the slope in `f64`: an iterative refinement.
            let plain = |v: &Vec<S>| v.iter().map(|x| x.value()).collect::<Vec<f64>>();
            let slope: Vec<Vec<f64>> = rows.iter().map(plain).collect();
            let change = least_change(&slope, &plain(&residual), 1e-9);
            let mut factor = 1.0;
            loop {
                let next: Vec<S> = state.iter().zip(&change).map(|(&x, &d)| x + S::from_f64(factor * d)).collect();
                if let Some((r, g)) = self.residual(&next)
                    && size(&r) < before
                {
                    (state, residual, rows) = (next, r, g);
                    break;
                }
                factor /= 2.0;
                if factor < 1e-4 {
                    return None;
                }
            }
        }
        None
    }
}

/// The rank of a matrix by its singular values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rank {
    /// With a clear gap behind it.
    Clear(usize),
    /// The singular values fall off without a gap.
    Unclear,
}

/// Matrices up to this size are looked at in double-double.
const MAX_FINE: usize = 16;

/// The rank of a matrix given by its rows.
pub(crate) fn rank(rows: &[Vec<Dd>]) -> Rank {
    let width = rows.first().map_or(0, Vec::len);
    if rows.iter().flatten().any(|x| !x.is_finite()) {
        return Rank::Unclear;
    }
    let (sigma, noise) = match rows.len().min(width) <= MAX_FINE {
        true => (singular_values(rows), 1e-18),
        false => {
            let coarse: Vec<Vec<f64>> = rows.iter().map(|r| r.iter().map(|x| x.value()).collect()).collect();
            (singular_values(&coarse), 1e-11)
        }
    };
    let largest = sigma.first().copied().unwrap_or(0.0);
    if largest < noise {
        return Rank::Clear(0);
    }
    let (low, high) = (noise * largest, 1e-7 * largest);
    let rank = sigma.iter().filter(|s| **s > high).count();
    if sigma.iter().any(|s| *s > low && *s <= high) { Rank::Unclear } else { Rank::Clear(rank) }
}
