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

use cotangent_compile::Tape;
use cotangent_dynamics::{Canonical, Dynamics, Failure, Field, Value};
use cotangent_integrate::residuals;
use cotangent_problem::Instance;
use cotangent_scalar::{Dual, largest};
use cotangent_solve::{LinearSolver, Pattern};

/// Directions at once.
const WIDTH: usize = 4;

/// A number with its derivatives in some directions.
type First = Dual<f64, WIDTH>;
/// The same, itself differentiated along the motion.
type Second = Dual<First>;

/// The residuals near a point of the constraint manifold.
#[derive(Clone, PartialEq, Debug)]
pub struct Linearised {
    /// A, by rows.
    pub matrix: Vec<Vec<f64>>,
    /// The sizes of the residuals: how much each changes when the state changes by its units.
    pub sizes: Vec<f64>,
    /// Which residuals these are: φ first, then ψ. Those that vanish identically are left out.
    pub residuals: Vec<usize>,
    /// The number of all residuals.
    pub count: usize,
    /// The largest |Fᵢ| = |rᵢ′ f| by ‖rᵢ′‖ ‖f‖ in the units of the variables, the part of the motion that leads off
    /// the manifold: zero where that is invariant, up to the rounding of F and of the point.
    pub defect: f64,
    /// The largest entry of F′ − A r′ in the same sizes, a rate: zero where r obeys equations of its own.
    pub remainder: f64,
}

/// Makes linearisations for one set of equations.
pub struct Linearisation<'a> {
    problem: &'a Instance,
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
    pub fn new(problem: &'a Instance) -> Result<Option<Linearisation<'a>>, Failure> {
        let first = problem.parameters.iter().map(|&p| First::constant(p)).collect();
        let parameters: Vec<Second> =
            problem.parameters.iter().map(|&p| Second::constant(First::constant(p))).collect();
        let field = problem.equations.compiled.view(Tape, first).field()?;
        let manifold = problem.equations.compiled.view(Tape, parameters.clone()).manifold()?;
        let manifold = manifold.filter(|m| m.shape().constraints > 0);
        let (Some(field), Some(manifold)) = (field, manifold) else { return Ok(None) };
        let mapped = problem.equations.motion.model_state();
        let own_state = mapped.map_err(Failure::of)?.is_none();
        Ok(Some(Linearisation { problem, field, manifold, parameters, own_state }))
    }

    /// A at a state on the constraint manifold, with a unit for each variable, and how fast a motion must be at least,
    /// in units per time: A does not depend on them, but they tell small from large.
    pub fn at(&mut self, point: &[f64], units: &[f64], slowest: f64) -> Result<Linearised, Failure> {
        let units: Vec<f64> = (0..point.len()).map(|k| units.get(k).copied().unwrap_or(1.0)).collect();
        let mut columns: Vec<Column> = vec![];
        for first in (0..point.len()).step_by(WIDTH) {
            columns.extend(self.columns(point, first, &units)?);
        }
        let count = columns.first().map_or(0, |c| c.residual.len());
        let kept = self.kept(point, &columns, &units, count)?;
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
        let remainder = largest((0..m).flat_map(|i| columns.iter().map(move |c| (i, c))).map(|(i, c)| left(i, c)));
        let speed = self
            .free(point, &units)?
            .max(slowest)
            .max(columns.iter().zip(&units).fold(0.0, |s, (c, u)| s.hypot(c.motion / u)));
        let defect = largest(kept.iter().map(|&i| defect(&columns, point, &units, speed, i)));
        // What has no value neither vanishes nor does not.
        if (defect + remainder).is_nan() {
            return Err(Failure::NotFinite(Value::Residual));
        }
        for (i, row) in scaled.iter_mut().enumerate() {
            row.iter_mut().zip(&sizes).for_each(|(a, size)| *a *= sizes[i] / size);
        }
        Ok(Linearised { matrix: scaled, sizes, residuals: kept, count, defect, remainder })
    }

    /// r′e, F′e and F for a unit of each of some variables.
    fn columns(&mut self, point: &[f64], first: usize, units: &[f64]) -> Result<Vec<Column>, Failure> {
        let seed = |i: usize| std::array::from_fn(|k| if i == first + k { units[i] } else { 0.0 });
        let z: Vec<First> = point.iter().enumerate().map(|(i, &value)| Dual { value, tangent: seed(i) }).collect();
        let mut f = vec![First::constant(0.0); z.len()];
        self.field.rate(&z, &mut f)?;
        // Along the motion: the derivative of r in the direction f is F, and all is differentiated by z.
        let moving: Vec<Second> = z.iter().zip(&f).map(|(&value, &f)| Dual { value, tangent: [f] }).collect();
        let model = self.problem.equations.compiled.view(Tape, self.parameters.clone()).model_state(&moving)?;
        let r = residuals(self.manifold.as_mut(), &model)?;
        let column = |k: usize| Column {
            residual: r.iter().map(|r| r.value.tangent[k]).collect(),
            rate: r.iter().map(|r| r.tangent[0].tangent[k]).collect(),
            defect: r.iter().map(|r| r.tangent[0].value).collect(),
            motion: f[first + k].value,
        };
        Ok((0..WIDTH.min(point.len() - first)).map(column).collect())
    }

    /// How fast the state of the model moves in its units where no constraint holds it, ‖(H_p, −H_q)‖: what the
    /// terms of f are like where they cancel.
    fn free(&mut self, point: &[f64], units: &[f64]) -> Result<f64, Failure> {
        let at: Vec<Second> = point.iter().map(|&v| Second::constant(First::constant(v))).collect();
        let model = self.problem.equations.compiled.view(Tape, self.parameters.clone()).model_state(&at)?;
        let n = self.manifold.shape().coordinates;
        let Some((q, p)) = model.split_at_checked(n).filter(|(q, p)| q.len() == p.len()) else { return Ok(0.0) };
        let mut rates = vec![Second::constant(First::constant(0.0)); 2 * n];
        let (velocities, forces) = rates.split_at_mut(n);
        self.manifold.hamiltonian_p(q, p, velocities)?;
        self.manifold.hamiltonian_q(q, p, forces)?;
        let unit = |k: usize| units.get(k).copied().unwrap_or(1.0);
        Ok(rates.iter().enumerate().fold(0.0, |s, (k, rate)| s.hypot(rate.value.value / unit(k))))
    }

    /// The residuals that do not vanish identically: compared with those of the model, whose variables
    /// are free.
    fn kept(&mut self, point: &[f64], own: &[Column], units: &[f64], count: usize) -> Result<Vec<usize>, Failure> {
        if self.own_state {
            return Ok((0..count).collect());
        }
        let at: Vec<Second> = point.iter().map(|&v| Second::constant(First::constant(v))).collect();
        let model = self.problem.equations.compiled.view(Tape, self.parameters.clone()).model_state(&at)?;
        let mut sizes = vec![0.0f64; count];
        for first in (0..model.len().min(units.len())).step_by(WIDTH) {
            let mut z = model.clone();
            for (k, unit) in units.iter().enumerate().take(model.len()).skip(first).take(WIDTH) {
                z[k].value.tangent[k - first] = *unit;
            }
            let r = residuals(self.manifold.as_mut(), &z)?;
            for (size, r) in sizes.iter_mut().zip(&r) {
                *size = r.value.tangent.iter().fold(*size, |s, x| s.hypot(*x));
            }
        }
        let size = |i: usize| own.iter().fold(0.0f64, |s, c| s.hypot(c.residual[i]));
        Ok((0..count).filter(|&i| size(i) > IDENTICAL * sizes[i] || size(i).is_nan()).collect())
    }
}

struct Column {
    /// r′e.
    residual: Vec<f64>,
    /// F′e.
    rate: Vec<f64>,
    /// F.
    defect: Vec<f64>,
    /// f of this variable.
    motion: f64,
}

/// |Fᵢ| by ‖rᵢ′‖ and the speed of the motion as a whole: what stays at rest has no speed of its own to compare
/// with. Zero if it is not above the rounding of the point, some ε Σ |Fᵢₖ′ zₖ|, which stiff equations amplify.
fn defect(columns: &[Column], point: &[f64], units: &[f64], speed: f64, i: usize) -> f64 {
    let size = columns.iter().fold(0.0f64, |s, c| s.hypot(c.residual[i]));
    let terms = columns.iter().zip(point.iter().zip(units)).map(|(c, (z, u))| (c.rate[i] / u * z).abs());
    let rounding = ROUNDINGS * f64::EPSILON * terms.sum::<f64>();
    let found = columns.first().map_or(0.0, |c| c.defect[i].abs());
    if found <= rounding { 0.0 } else { found / (size * speed).max(found) }
}

/// Operations whose rounding errors may add up in F.
const ROUNDINGS: f64 = 1e3;

/// B G⁻¹ for a symmetric G.
fn solved(
    m: usize,
    gram: &dyn Fn(usize, usize) -> f64,
    b: &dyn Fn(usize, usize) -> f64,
) -> Result<Vec<Vec<f64>>, Failure> {
    let pattern = Pattern::dense(m, m).map_err(Failure::of)?;
    let mut solver = LinearSolver::new(&pattern).map_err(Failure::of)?;
    let values: Vec<f64> = (0..m * m).map(|k| gram(k / m.max(1), k % m.max(1))).collect();
    solver.factor(&values).map_err(Failure::Singular)?;
    let row = |i: usize| {
        let mut x: Vec<f64> = (0..m).map(|j| b(i, j)).collect();
        solver.solve(&mut x);
        x
    };
    Ok((0..m).map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F = 1·f₁ + 1·f₂ with F′ = (rate, 0) at the point (2, 0), while all moves with a speed.
    fn defect_of(motion: [f64; 2], rate: f64, speed: f64) -> f64 {
        let total = motion[0] + motion[1];
        let column = |k: usize| Column {
            residual: vec![3.0],
            rate: vec![if k == 0 { 3.0 * rate } else { 0.0 }],
            defect: vec![total],
            motion: motion[k],
        };
        // In units of 3.
        defect(&[column(0), column(1)], &[2.0, 0.0], &[3.0, 3.0], speed / 3.0, 0)
    }

    #[test]
    fn what_leads_off_the_manifold_is_a_part_of_the_whole_motion() {
        let root = 2f64.sqrt();
        assert_eq!(defect_of([1.0, -1.0], 0.0, root), 0.0);
        assert_eq!(defect_of([0.0, 0.0], 0.0, 0.0), 0.0);
        assert!((defect_of([1.0, 0.0], 0.0, 1.0) - 0.5f64.sqrt()).abs() < 1e-15);
        assert!((defect_of([1e-9, 1e-9], 0.0, 1e-9 * root) - 1.0).abs() < 1e-15);
        // The same where something else moves: rounding of what stays at rest.
        assert!(defect_of([1e-17, 1e-17], 0.0, 1.0) < 1e-16);
    }

    #[test]
    fn rounding_that_stiff_equations_amplify_is_no_motion() {
        // ε · 1000 · |F′ z| = 1000 ε · 2 · rate.
        let off = 1000.0 * f64::EPSILON * 2.0 * 1e6;
        assert!(defect_of([1.0, -1.0 + 2.0 * off], 1e6, 1.0) > 0.9 * off);
        assert_eq!(defect_of([1.0, -1.0 + 0.5 * off], 1e6, 1.0), 0.0);
    }
}
