//! Galerkin's projection onto continuous linear functions, in nodal values U:
//!
//! $$ (M \dot U)_i = -\frac{(U_i + U_{i+1})\,U_{i+1} - (U_{i-1} + U_i)\,U_{i-1}}{6\,\Delta x}, \qquad
//! M = \mathrm{circ}(\tfrac16, \tfrac23, \tfrac16), $$
//!
//! with the integrals ½ UᵀMU and ΣUᵢ. M⁻¹ is full: U̇ takes O(n) operations, but methods that solve equations with ∂U̇/∂U take
//! O(n³). [`Midpoint`](super::Midpoint) leaves M on the left side, and takes O(n).
//!
//! It is what projecting the broken functions gives, with the Moore–Penrose inverse of their embedding: the same motion as
//! that of [`broken`](super::broken) in the formulation `projected`.

use super::{Ring, enough, regular};
use crate::error::FieldsError;
use cotangent_dynamics::{AnySystem, Dynamics, Failure, Family, Field};
use cotangent_scalar::Scalar;
use cotangent_solve::Pattern;

/// Galerkin's equations on a circle.
#[derive(Clone, PartialEq, Debug)]
pub struct Galerkin {
    cells: usize,
    cell_length: f64,
}

impl Galerkin {
    /// The equations on so many cells of a length.
    pub fn new(cells: usize, cell_length: f64) -> Result<Galerkin, FieldsError> {
        enough(cells)?;
        Ok(Galerkin { cells, cell_length: regular(cell_length)? })
    }

    /// T(U)ᵢ/(6Δx) from Uᵢ₋₁, Uᵢ, Uᵢ₊₁.
    fn transport<S: Scalar>(&self, [before, own, after]: [S; 3]) -> S {
        ((own + after) * after - (before + own) * before) / S::from_f64(6.0 * self.cell_length)
    }

    /// Its derivatives by the node before, the own and the node after.
    fn slopes<S: Scalar>(&self, u: &[S], i: usize) -> [S; 3] {
        let n = u.len();
        let (before, after) = (u[(i + n - 1) % n], u[(i + 1) % n]);
        let (two, scale) = (S::from_f64(2.0), S::from_f64(6.0 * self.cell_length));
        [-(two * before + u[i]) / scale, (after - before) / scale, (u[i] + two * after) / scale]
    }
}

/// The entries of M: own and neighbour.
fn mass<S: Scalar>() -> [S; 2] {
    [S::ratio(2, 3), S::ratio(1, 6)]
}

/// (M U)ᵢ from Uᵢ₋₁, Uᵢ, Uᵢ₊₁.
fn times_mass<S: Scalar>([before, here, after]: [S; 3]) -> S {
    let [own, neighbour] = mass::<S>();
    own * here + neighbour * (before + after)
}

impl Ring for Galerkin {
    fn nodes(&self) -> usize {
        self.cells
    }

    fn row<S: Scalar>(&self, u: [S; 3], v: [S; 3], h: S) -> S {
        times_mass(v) + h * self.transport(u)
    }

    /// M is never singular.
    fn check(&self, _: &[f64]) -> Result<(), FieldsError> {
        Ok(())
    }
}

/// Solves M x = b in place: elimination without the corners, which a second right side puts in (Sherman & Morrison).
fn divide_mass<S: Scalar>(b: &mut [S]) {
    let n = b.len();
    let [own, neighbour] = mass::<S>();
    // M = A + neighbour (e₁ + eₙ)(e₁ + eₙ)ᵀ with A = M without corners and own − neighbour at both ends.
    let zero = S::from_f64(0.0);
    let mut w = vec![zero; n];
    (w[0], w[n - 1]) = (S::from_f64(1.0), S::from_f64(1.0));
    let diagonal = |i: usize| if i == 0 || i == n - 1 { own - neighbour } else { own };
    let mut upper = vec![zero; n];
    let mut pivot = diagonal(0);
    for i in 0..n {
        if i > 0 {
            upper[i - 1] = neighbour / pivot;
            pivot = diagonal(i) - neighbour * upper[i - 1];
            b[i] = b[i] - neighbour * b[i - 1];
            w[i] = w[i] - neighbour * w[i - 1];
        }
        b[i] = b[i] / pivot;
        w[i] = w[i] / pivot;
    }
    for i in (0..n - 1).rev() {
        b[i] = b[i] - upper[i] * b[i + 1];
        w[i] = w[i] - upper[i] * w[i + 1];
    }
    let factor = neighbour * (b[0] + b[n - 1]) / (S::from_f64(1.0) + neighbour * (w[0] + w[n - 1]));
    b.iter_mut().zip(&w).for_each(|(b, &w)| *b = *b - factor * w);
}

impl AnySystem for Galerkin {
    fn view<'s, S: Scalar + 's>(&'s self) -> Box<dyn Dynamics<'s, S> + 's> {
        Box::new(View(self))
    }

    fn energy<S: Scalar>(&self, u: &[S]) -> S {
        let n = u.len();
        let terms = (0..n).map(|i| u[i] * times_mass([u[(i + n - 1) % n], u[i], u[(i + 1) % n]]));
        terms.fold(S::from_f64(0.0), |sum, term| sum + term) / S::from_f64(2.0)
    }

    fn is_canonical(&self) -> bool {
        false
    }

    fn names(&self) -> Vec<Family> {
        vec![Family::indexed("u", [(1, self.cells)])]
    }
}

struct View<'s>(&'s Galerkin);

impl<'s, S: Scalar + 's> Dynamics<'s, S> for View<'s> {
    fn field(&self) -> Result<Option<Box<dyn Field<S> + 's>>, Failure> {
        Ok(Some(Box::new(View(self.0))))
    }
}

impl<S: Scalar> Field<S> for View<'_> {
    fn dimension(&self) -> usize {
        self.0.cells
    }

    fn jacobian_pattern(&mut self) -> Result<Pattern, Failure> {
        Pattern::dense(self.0.cells, self.0.cells).map_err(Failure::of)
    }

    fn rate(&mut self, u: &[S], out: &mut [S]) -> Result<(), Failure> {
        let n = u.len();
        for (i, out) in out.iter_mut().enumerate() {
            *out = -self.0.transport([u[(i + n - 1) % n], u[i], u[(i + 1) % n]]);
        }
        divide_mass(out);
        Ok(())
    }

    fn jacobian(&mut self, u: &[S], out: &mut [S]) -> Result<(), Failure> {
        let n = u.len();
        let mut column = vec![S::from_f64(0.0); n];
        for j in 0..n {
            column.fill(S::from_f64(0.0));
            for (i, which) in [((j + 1) % n, 0), (j, 1), ((j + n - 1) % n, 2)] {
                column[i] = -self.0.slopes(u, i)[which];
            }
            divide_mass(&mut column);
            (0..n).for_each(|i| out[i * n + j] = column[i]);
        }
        Ok(())
    }
}
