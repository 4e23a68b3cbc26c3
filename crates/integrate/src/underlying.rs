//! The underlying ordinary differential equations of canonical ones with constraints.
//!
//! Along a motion ψ = G H_p = 0, hence, with v = H_p and ṗ = −H_q − Gᵀλ,
//!
//! ```text
//! 0 = ψ̇ = (∂(G v)/∂q) v + G (H_pq v − H_pp H_q) − G H_pp Gᵀ λ,
//! ```
//!
//! which determines λ. (Leimkuhler & Reich, Math. Comp. 63 (1994), section 2: the standard underlying equations.)

use cotangent_dynamics::{Canonical, CanonicalShape, Failure, Field, Misuse};
use cotangent_scalar::Real;
use cotangent_solve::{LinearSolver, Pattern};

/// q̇ = H_p, ṗ = −H_q − Gᵀλ(q, p). On the constraints its motions are those of the system; off them they drift.
pub struct Underlying<'s, S> {
    canonical: Box<dyn Canonical<S> + 's>,
    shape: CanonicalShape,
    solver: Option<LinearSolver<S>>,
}

impl<'s, S: Real> Underlying<'s, S> {
    /// The equations that these imply.
    pub fn new(canonical: Box<dyn Canonical<S> + 's>) -> Result<Underlying<'s, S>, Failure> {
        let shape = canonical.shape().clone();
        let solver = match shape.constraints {
            0 => None,
            m => {
                let pattern = Pattern::dense(m, m).map_err(Failure::of)?;
                Some(LinearSolver::new(&pattern).map_err(Failure::of)?)
            }
        };
        Ok(Underlying { canonical, shape, solver })
    }
}

/// A x, or Aᵀx, for a sparse matrix.
fn product<S: Real>(pattern: &Pattern, values: &[S], x: &[S], transposed: bool) -> Vec<S> {
    let mut out = vec![S::from_f64(0.0); if transposed { pattern.columns() } else { pattern.rows() }];
    for ((row, column), &a) in pattern.addresses().zip(values) {
        let (i, j) = if transposed { (column, row) } else { (row, column) };
        out[i as usize] = out[i as usize] + a * x[j as usize];
    }
    out
}

impl<S: Real> Field<S> for Underlying<'_, S> {
    fn dimension(&self) -> usize {
        2 * self.shape.coordinates
    }

    /// Its derivatives are asked for by implicit methods, which take the equations as they are.
    fn jacobian_pattern(&mut self) -> Result<Pattern, Failure> {
        Err(Misuse::OtherSystem.into())
    }

    fn rate(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        let Underlying { canonical, shape, solver } = self;
        let (q, p) = z.split_at(shape.coordinates);
        let (v, force) = out.split_at_mut(shape.coordinates);
        canonical.hamiltonian_p(q, p, v)?;
        canonical.hamiltonian_q(q, p, force)?;
        force.iter_mut().for_each(|f| *f = -*f);
        let Some(solver) = solver else { return Ok(()) };
        let zeros = |pattern: &Pattern| vec![S::from_f64(0.0); pattern.len()];
        let (mut g, mut pp, mut qp) = (zeros(&shape.jacobian), zeros(&shape.hessian_pp), zeros(&shape.hessian_qp));
        let mut turned = zeros(&shape.curvature_along);
        canonical.jacobian(q, &mut g)?;
        canonical.hessian_pp(q, p, &mut pp)?;
        canonical.hessian_qp(q, p, &mut qp)?;
        canonical.curvature_along(q, v, &mut turned)?;
        // H_pq v − H_pp H_q, the rows of H_qp being those of q.
        let mut free = product(&shape.hessian_qp, &qp, v, true);
        let pushed = product(&shape.hessian_pp, &pp, force, false);
        free.iter_mut().zip(pushed).for_each(|(a, b)| *a = *a + b);
        let mut lambda = product(&shape.jacobian, &g, &free, false);
        let curved = product(&shape.curvature_along, &turned, v, false);
        lambda.iter_mut().zip(curved).for_each(|(a, b)| *a = *a + b);
        // G H_pp Gᵀ, column by column.
        let m = shape.constraints;
        let mut gram = vec![S::from_f64(0.0); m * m];
        for k in 0..m {
            let unit: Vec<S> = (0..m).map(|i| S::from_f64(f64::from(u8::from(i == k)))).collect();
            let column = product(&shape.jacobian, &g, &unit, true);
            let column = product(&shape.hessian_pp, &pp, &column, false);
            for (i, value) in product(&shape.jacobian, &g, &column, false).into_iter().enumerate() {
                gram[i * m + k] = value;
            }
        }
        solver.factor(&gram).map_err(Failure::Singular)?;
        solver.solve(&mut lambda);
        let reaction = product(&shape.jacobian, &g, &lambda, true);
        force.iter_mut().zip(reaction).for_each(|(f, r)| *f = *f - r);
        Ok(())
    }

    fn jacobian(&mut self, _: &[S], _: &mut [S]) -> Result<(), Failure> {
        self.jacobian_pattern().map(drop)
    }
}
