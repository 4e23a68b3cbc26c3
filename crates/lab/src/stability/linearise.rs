//! The matrix A of ṙ = A r near the constraint manifold.
//!
//! Along ż = f(z) the residuals r = (φ, ψ) change at the rate F(z) = r′(z) f(z), which vanishes on the
//! manifold if that is invariant. Its derivative there annihilates tangent vectors, so that
//! F′(z) = A r′(z), and with any right inverse N of r′, r′N = I,
//!
//! A = F′(z) N.
//!
//! F and F′ are exact: dual numbers of dual numbers through the equations as they are compiled, whatever
//! the number of constraints, the masses and the energy. How well F′ = A r′ holds is measured, too.

use crate::residuals::residuals;
use cotangent_compile::{Problem, Tape};
use cotangent_dynamics::{Canonical, Dynamics, Failure, Field};
use cotangent_scalar::Dual;
use cotangent_solve::{LinearSolver, Pattern};

/// A number with its derivative in one direction.
type First = Dual<f64>;
/// The same, itself differentiated along the motion.
type Second = Dual<First>;

/// The residuals near a point of the constraint manifold.
#[derive(Clone, PartialEq, Debug)]
pub struct Linearised {
    /// A, by rows.
    pub matrix: Vec<Vec<f64>>,
    /// The sizes of the residuals: how much each changes when the state changes by its own size.
    pub sizes: Vec<f64>,
    /// Which residuals these are: φ first, then ψ. Those that vanish identically are left out.
    pub residuals: Vec<usize>,
    /// The number of all residuals.
    pub count: usize,
    /// The largest |rᵢ′ f| by the size of rᵢ, a rate: zero where the manifold is invariant.
    pub defect: f64,
    /// The largest entry of F′ − A r′ in the same sizes, a rate: zero where r obeys equations of its own.
    pub remainder: f64,
}

/// Makes linearisations for one set of equations.
pub struct Linearisation<'a> {
    problem: &'a Problem,
    field: Box<dyn Field<First>>,
    manifold: Box<dyn Canonical<Second>>,
    parameters: Vec<Second>,
    /// Whether the state is that of the model.
    own_state: bool,
}

/// A residual whose derivative is so much smaller than that of the model's own vanishes identically.
const IDENTICAL: f64 = 1e-9;

impl<'a> Linearisation<'a> {
    /// `None` if there is no vector field or there are no constraints.
    pub fn new(problem: &'a Problem) -> Result<Option<Linearisation<'a>>, Failure> {
        let first = problem.parameters.iter().map(|&p| First::constant(p)).collect();
        let parameters: Vec<Second> =
            problem.parameters.iter().map(|&p| Second::constant(First::constant(p))).collect();
        let field = problem.compiled.view(Tape, first).field()?;
        let manifold = problem.compiled.view(Tape, parameters.clone()).manifold()?;
        let manifold = manifold.filter(|m| m.shape().constraints > 0);
        let (Some(field), Some(manifold)) = (field, manifold) else { return Ok(None) };
        let mapped = problem.motion.model_state();
        let own_state = mapped.map_err(|e| Failure::Misused { reason: e.to_string() })?.is_none();
        Ok(Some(Linearisation { problem, field, manifold, parameters, own_state }))
    }

    /// A at a state on the constraint manifold.
    pub fn at(&mut self, point: &[f64]) -> Result<Linearised, Failure> {
        let units = units(point);
        let columns = (0..point.len()).map(|k| self.column(point, k, units[k]));
        let columns = columns.collect::<Result<Vec<Column>, _>>()?;
        let count = columns.first().map_or(0, |c| c.residual.len());
        let kept = self.kept(point, &columns, &units, count)?;
        let largest = |list: &mut dyn Iterator<Item = f64>| list.fold(0.0f64, |m, x| if x > m { x } else { m });
        let norm = |i: usize| columns.iter().map(|c| c.residual[i].powi(2)).sum::<f64>().sqrt();
        let sizes: Vec<f64> = kept.iter().map(|&i| norm(i)).collect();
        // Each residual in its own size: R̂ has rows of length one.
        let unit = |k: usize, c: &Column| c.residual[kept[k]] / sizes[k];
        let rate = |k: usize, c: &Column| c.rate[kept[k]] / sizes[k];
        let m = kept.len();
        let product = |a: &dyn Fn(usize, &Column) -> f64, i: usize, j: usize| -> f64 {
            columns.iter().map(|c| a(i, c) * unit(j, c)).sum()
        };
        // Â = F̂′ R̂ᵀ (R̂R̂ᵀ)⁻¹.
        let mut scaled = solved(m, &|i, j| product(&unit, i, j), &|i, j| product(&rate, i, j))?;
        let left = |i: usize, c: &Column| (0..m).fold(rate(i, c), |s, j| s - scaled[i][j] * unit(j, c)).abs();
        let remainder = largest(&mut (0..m).flat_map(|i| columns.iter().map(move |c| (i, c))).map(|(i, c)| left(i, c)));
        let defect = columns
            .first()
            .map_or(0.0, |c| largest(&mut kept.iter().zip(&sizes).map(|(&i, size)| (c.defect[i] / size).abs())));
        for (i, row) in scaled.iter_mut().enumerate() {
            row.iter_mut().zip(&sizes).for_each(|(a, size)| *a *= sizes[i] / size);
        }
        Ok(Linearised { matrix: scaled, sizes, residuals: kept, count, defect, remainder })
    }

    /// r′e, F′e and F for a unit of the k-th variable.
    fn column(&mut self, point: &[f64], k: usize, unit: f64) -> Result<Column, Failure> {
        let seed = |i: usize| if i == k { unit } else { 0.0 };
        let z: Vec<First> = point.iter().enumerate().map(|(i, &value)| Dual { value, tangent: [seed(i)] }).collect();
        let mut f = vec![First::constant(0.0); z.len()];
        self.field.rate(&z, &mut f)?;
        // Along the motion: the derivative of r in the direction f is F, and all is differentiated by z.
        let moving: Vec<Second> = z.iter().zip(&f).map(|(&value, &f)| Dual { value, tangent: [f] }).collect();
        let model = self.problem.compiled.view(Tape, self.parameters.clone()).model_state(&moving)?;
        let r = residuals(self.manifold.as_mut(), &model)?;
        Ok(Column {
            residual: r.iter().map(|r| r.value.tangent[0]).collect(),
            rate: r.iter().map(|r| r.tangent[0].tangent[0]).collect(),
            defect: r.iter().map(|r| r.tangent[0].value).collect(),
        })
    }

    /// The residuals that do not vanish identically: compared with those of the model, whose variables
    /// are free.
    fn kept(&mut self, point: &[f64], own: &[Column], units: &[f64], count: usize) -> Result<Vec<usize>, Failure> {
        if self.own_state {
            return Ok((0..count).collect());
        }
        let at: Vec<Second> = point.iter().map(|&v| Second::constant(First::constant(v))).collect();
        let model = self.problem.compiled.view(Tape, self.parameters.clone()).model_state(&at)?;
        let mut sizes = vec![0.0f64; count];
        for (k, unit) in units.iter().enumerate().take(model.len()) {
            let mut z = model.clone();
            z[k].value.tangent[0] = *unit;
            let r = residuals(self.manifold.as_mut(), &z)?;
            sizes.iter_mut().zip(&r).for_each(|(size, r)| *size = size.hypot(r.value.tangent[0]));
        }
        let size = |i: usize| own.iter().fold(0.0f64, |s, c| s.hypot(c.residual[i]));
        Ok((0..count).filter(|&i| size(i) > IDENTICAL * sizes[i]).collect())
    }
}

struct Column {
    /// r′e.
    residual: Vec<f64>,
    /// F′e.
    rate: Vec<f64>,
    /// F.
    defect: Vec<f64>,
}

/// B G⁻¹ for a symmetric G.
fn solved(
    m: usize,
    gram: &dyn Fn(usize, usize) -> f64,
    b: &dyn Fn(usize, usize) -> f64,
) -> Result<Vec<Vec<f64>>, Failure> {
    let misused = |e: &dyn std::fmt::Display| Failure::Misused { reason: e.to_string() };
    let pattern = Pattern::dense(m, m).map_err(|e| misused(&e))?;
    let mut solver = LinearSolver::new(&pattern).map_err(|e| misused(&e))?;
    let values: Vec<f64> = (0..m * m).map(|k| gram(k / m.max(1), k % m.max(1))).collect();
    solver.factor(&values).map_err(|e| Failure::Singular { reason: e.to_string(), equation: None })?;
    let row = |i: usize| {
        let mut x: Vec<f64> = (0..m).map(|j| b(i, j)).collect();
        solver.solve(&mut x);
        x
    };
    Ok((0..m).map(row).collect())
}

/// The largest position for each position, the largest momentum for each momentum.
fn units(point: &[f64]) -> Vec<f64> {
    let (q, p) = point.split_at(point.len() / 2);
    let size = |half: &[f64]| {
        let largest = half.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        if largest > 0.0 && largest.is_finite() { largest } else { 1.0 }
    };
    [vec![size(q); q.len()], vec![size(p); p.len()]].concat()
}
