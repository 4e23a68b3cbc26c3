//! What J ż = ∇H(z) with a singular J determines: the part of z that J says nothing about, and the rates of all.
//!
//! With N a basis of ker J, Nᵀ∇H(z) = 0; where NᵀH_zzN is regular (index one) this determines the part of z in ker J, and
//! with its time derivative the rates:
//!
//! ```text
//! J ż = ∇H in the independent rows of J,   NᵀH_zz ż = 0.
//! ```
//!
//! (R. I. McLachlan, K. Modin, O. Verdier & M. Wilkins, SIAM J. Sci. Comput. 36 (2014) A2229.)

use crate::blocks::{Block, BlockBuilder, Blocks};
use crate::sparse::Product;
use crate::stages::Kernel;
use crate::vector::{clear, times, zeros};
use cotangent_dynamics::{Failure, Field, Misuse, Presymplectic};
use cotangent_scalar::Real;
use cotangent_solve::{
    LinearSolver, NewtonError, NewtonOptions, NewtonWorkspace, Pattern, Scales, dependent_rows, newton,
};

/// Rows closer to the span of the others than this, relative to their length, depend on them.
const DEPENDENT: f64 = 1e-9;

/// J ż = ∇H, its kernel, and the vector field that it implies where Nᵀ∇H = 0.
pub struct IndexOne<'s, S> {
    system: Box<dyn Presymplectic<S> + 's>,
    kernel: Kernel,
    /// The independent rows of J, and Nᵀ.
    form: Vec<S>,
    basis: Vec<S>,
    /// NᵀH_zz.
    product: Product,
    blocks: Blocks,
    at: [Block; 2],
    solver: LinearSolver<S>,
    hessian: Vec<S>,
    products: Vec<S>,
    gradient: Vec<S>,
    matrix: Vec<S>,
}

impl<'s, S: Real> IndexOne<'s, S> {
    /// The equations with their kernel.
    pub fn new(mut system: Box<dyn Presymplectic<S> + 's>) -> Result<IndexOne<'s, S>, Failure> {
        let shape = system.shape().clone();
        let mut values = zeros(shape.form.len());
        system.form(&mut values)?;
        let numbers: Vec<f64> = values.iter().map(|v| v.value()).collect();
        let kernel = Kernel::new(&shape.form, &numbers).map_err(Failure::of)?;
        let (form, basis) = kernel.values(&values);
        let product = Product::new(kernel.pattern(), &shape.hessian).map_err(Failure::of)?;
        let mut builder = BlockBuilder::new(shape.form.rows());
        let at = [builder.block((0, 0), kernel.form()), builder.block((0, 0), &product.pattern)];
        let blocks = builder.build().map_err(Failure::of)?;
        Ok(IndexOne {
            solver: LinearSolver::new(&blocks.pattern).map_err(Failure::of)?,
            hessian: zeros(shape.hessian.len()),
            products: zeros(product.pattern.len()),
            gradient: zeros(shape.form.rows()),
            matrix: zeros(blocks.pattern.len()),
            system,
            kernel,
            form,
            basis,
            product,
            blocks,
            at,
        })
    }

    /// The dimension of ker J.
    pub fn kernel_dimension(&self) -> usize {
        self.vectors().len()
    }

    /// The vectors of N, each by its entries.
    fn vectors(&self) -> Vec<Vec<(usize, S)>> {
        let pattern = self.kernel.pattern();
        let rows = (0..pattern.rows()).filter(|&i| self.kernel.is_dependent(i));
        let entries =
            |i: usize| pattern.positions(i).zip(pattern.row(i)).map(|(k, &j)| (j as usize, self.basis[k])).collect();
        rows.map(entries).collect()
    }

    /// Nᵀ∇H, relative to nothing.
    pub fn residual(&mut self, z: &[S]) -> Result<Vec<S>, Failure> {
        let IndexOne { system, kernel, basis, gradient, .. } = self;
        system.gradient(z, gradient)?;
        let mut all = zeros(z.len());
        times(kernel.pattern(), basis, gradient, &mut all);
        Ok((0..z.len()).filter(|&i| kernel.is_dependent(i)).map(|i| all[i]).collect())
    }

    /// NᵀH_zzN, row by row.
    fn restricted_hessian(&mut self, z: &[S], vectors: &[Vec<(usize, S)>], out: &mut [S]) -> Result<(), Failure> {
        let IndexOne { system, kernel, basis, product, hessian, products, .. } = self;
        system.hessian(z, hessian)?;
        product.evaluate(basis, hessian, products);
        let rows = (0..z.len()).filter(|&i| kernel.is_dependent(i));
        for (row, out) in rows.zip(out.chunks_mut(vectors.len().max(1))) {
            for (vector, out) in vectors.iter().zip(out) {
                let term = |&(j, n): &(usize, S)| product.pattern.position(row, j).map(|k| products[k] * n);
                *out = vector.iter().filter_map(term).fold(S::from_f64(0.0), |sum, term| sum + term);
            }
        }
        Ok(())
    }

    /// Variables whose part in ker J the equations do not determine at a state: NᵀH_zzN is singular there.
    pub fn undetermined(&mut self, z: &[S]) -> Result<Vec<usize>, Failure> {
        let vectors = self.vectors();
        let k = vectors.len();
        let mut matrix = zeros(k * k);
        self.restricted_hessian(z, &vectors, &mut matrix)?;
        let pattern = Pattern::dense(k, k).map_err(Failure::of)?;
        let mut values: Vec<f64> = matrix.iter().map(|v| v.value()).collect();
        Scales::new(&pattern, &values, |_| true).apply(&pattern, &mut values);
        let rows = dependent_rows(&pattern, &values, DEPENDENT).map_err(Failure::of)?;
        // The variable that stands for a vector is that with its largest entry.
        let largest = |v: &Vec<(usize, S)>| {
            v.iter()
                .fold((0, 0.0), |best, (j, n)| if n.value().abs() > best.1 { (*j, n.value().abs()) } else { best })
                .0
        };
        Ok(rows.into_iter().map(|row| largest(&vectors[row.row])).collect())
    }

    /// Moves the part of a state in ker J to where Nᵀ∇H = 0, by Newton's method from where it is.
    pub fn settle(&mut self, z: &mut [S]) -> Result<(), Failure> {
        let vectors = self.vectors();
        let k = vectors.len();
        let mut workspace = NewtonWorkspace::new(&Pattern::dense(k, k).map_err(Failure::of)?).map_err(Failure::of)?;
        let options = NewtonOptions { max_halvings: 30, ..NewtonOptions::default() };
        let mut mu = zeros(k);
        let start = z.to_vec();
        let shifted = |mu: &[S]| {
            let mut z = start.clone();
            for (vector, &m) in vectors.iter().zip(mu) {
                vector.iter().for_each(|&(j, n)| z[j] = z[j] + n * m);
            }
            z
        };
        newton(&mut workspace, &options, &mut mu, |mu, r, matrix| {
            let z = shifted(mu);
            r.copy_from_slice(&self.residual(&z)?);
            self.restricted_hessian(&z, &vectors, matrix)
        })
        .map_err(|e: NewtonError<Failure>| match e.own() {
            Ok(error) => Failure::Newton { error: Box::new(error), equation: None },
            Err(failure) => failure,
        })?;
        z.copy_from_slice(&shifted(&mu));
        Ok(())
    }
}

impl<S: Real> Field<S> for IndexOne<'_, S> {
    fn dimension(&self) -> usize {
        self.gradient.len()
    }

    /// Its derivatives are asked for by implicit methods, which take the equations as they are.
    fn jacobian_pattern(&mut self) -> Result<Pattern, Failure> {
        Err(Misuse::OtherSystem.into())
    }

    fn rate(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        let IndexOne { system, kernel, form, basis, product, blocks, at, solver, hessian, products, matrix, .. } = self;
        system.gradient(z, out)?;
        let dependent = out.iter_mut().enumerate().filter(|(i, _)| kernel.is_dependent(*i));
        dependent.for_each(|(_, x)| *x = S::from_f64(0.0));
        system.hessian(z, hessian)?;
        product.evaluate(basis, hessian, products);
        clear(matrix);
        let one = S::from_f64(1.0);
        blocks.add(at[0], one, form, matrix);
        blocks.add(at[1], one, products, matrix);
        solver.factor(matrix).map_err(Failure::Singular)?;
        solver.solve(out);
        Ok(())
    }

    fn jacobian(&mut self, _: &[S], _: &mut [S]) -> Result<(), Failure> {
        self.jacobian_pattern().map(drop)
    }
}
