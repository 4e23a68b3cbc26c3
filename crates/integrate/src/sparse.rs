//! Products of matrices with fixed patterns, planned once.

use crate::vector::{gathered, scale, zeros};
use cotangent_dynamics::CanonicalShape;
use cotangent_scalar::Scalar;
use cotangent_solve::{Pattern, PatternError};
use std::sync::Arc;

/// C = A B: which entries multiply into which.
#[derive(Clone, Debug)]
pub(crate) struct Product {
    pub(crate) pattern: Pattern,
    /// (entry of C, entry of A, entry of B), by entry of C.
    terms: Vec<(u32, u32, u32)>,
}

impl Product {
    /// The plan for A B, given both patterns.
    pub(crate) fn new(a: &Pattern, b: &Pattern) -> Result<Product, PatternError> {
        let mut addresses = vec![];
        for i in 0..a.rows() {
            for &j in a.row(i) {
                addresses.extend(b.row(j as usize).iter().map(|&k| (i as u32, k)));
            }
        }
        let pattern = Pattern::new(a.rows(), b.columns(), &addresses)?;
        let mut terms = vec![];
        for i in 0..a.rows() {
            for (at, &j) in a.positions(i).zip(a.row(i)) {
                for (bt, &k) in b.positions(j as usize).zip(b.row(j as usize)) {
                    if let Some(c) = pattern.position(i, k as usize) {
                        terms.push((c as u32, at as u32, bt as u32));
                    }
                }
            }
        }
        terms.sort_unstable();
        Ok(Product { pattern, terms })
    }

    pub(crate) fn evaluate<S: Scalar>(&self, a: &[S], b: &[S], out: &mut [S]) {
        let mut current = u32::MAX;
        for &(c, i, j) in &self.terms {
            let term = a[i as usize] * b[j as usize];
            let out = &mut out[c as usize];
            *out = if c == current { *out + term } else { term };
            current = c;
        }
    }
}

/// A D Bᵀ with A and B of one pattern: the matrix of a constraint force's effect on constraints.
#[derive(Clone, Debug)]
pub(crate) struct Gram {
    left: Product,
    right: Product,
    /// For each entry of the transposed pattern of B: where it is in B.
    transposed: Vec<usize>,
}

/// The intermediate results of a [`Gram`].
#[derive(Clone, Debug)]
pub(crate) struct GramWork<S> {
    product: Vec<S>,
    transposed: Vec<S>,
}

impl Gram {
    /// G H_pp Gᵀ of canonical equations.
    pub(crate) fn of(shape: &CanonicalShape) -> Result<Arc<Gram>, PatternError> {
        let left = Product::new(&shape.jacobian, &shape.hessian_pp)?;
        let (transpose, transposed) = shape.jacobian.transposed();
        let right = Product::new(&left.pattern, &transpose)?;
        Ok(Arc::new(Gram { left, right, transposed }))
    }

    pub(crate) fn pattern(&self) -> &Pattern {
        &self.right.pattern
    }

    pub(crate) fn work<S: Scalar>(&self) -> GramWork<S> {
        GramWork { product: zeros(self.left.pattern.len()), transposed: zeros(self.transposed.len()) }
    }

    /// out = factor · A D Bᵀ.
    pub(crate) fn evaluate<S: Scalar>(
        &self,
        factor: S,
        (a, d, b): (&[S], &[S], &[S]),
        work: &mut GramWork<S>,
        out: &mut [S],
    ) {
        self.left.evaluate(a, d, &mut work.product);
        gathered(b, &self.transposed, &mut work.transposed);
        self.right.evaluate(&work.product, &work.transposed, out);
        scale(factor, out);
    }
}
