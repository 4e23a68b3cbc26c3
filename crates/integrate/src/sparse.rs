//! Products of matrices with fixed patterns, planned once.

use crate::vector::zeros;
use cotangent_dynamics::CanonicalShape;
use cotangent_scalar::{Scalar, Sums, SumsBuilder};
use cotangent_solve::{Pattern, PatternError};
use std::sync::Arc;

/// C = A B: which entries multiply into which.
#[derive(Clone, Debug)]
pub(crate) struct Product {
    pub(crate) pattern: Pattern,
    sums: Sums<2>,
}

impl Product {
    /// The plan for A B, given both patterns.
    pub(crate) fn new(a: &Pattern, b: &Pattern) -> Result<Product, PatternError> {
        Product::of(a, b, |entry| entry)
    }

    /// The plan for A Bᵀ, with the entries of B as they are.
    pub(crate) fn with_transposed(a: &Pattern, b: &Pattern) -> Result<Product, PatternError> {
        let (transposed, origin) = b.transposed();
        Product::of(a, &transposed, |entry| origin[entry])
    }

    /// The same as [`new`](Product::new) where the entries of B are elsewhere than in its pattern.
    fn of(a: &Pattern, b: &Pattern, place: impl Fn(usize) -> usize) -> Result<Product, PatternError> {
        let mut addresses = vec![];
        for i in 0..a.rows() {
            for &j in a.row(i) {
                addresses.extend(b.row(j as usize).iter().map(|&k| (i as u32, k)));
            }
        }
        let pattern = Pattern::new(a.rows(), b.columns(), &addresses)?;
        let mut sums = SumsBuilder::default();
        let mut terms = vec![];
        for i in 0..a.rows() {
            terms.clear();
            for (at, &j) in a.positions(i).zip(a.row(i)) {
                for (bt, &k) in b.positions(j as usize).zip(b.row(j as usize)) {
                    terms.extend(pattern.position(i, k as usize).map(|c| (c, at, bt)));
                }
            }
            terms.sort_unstable();
            let mut next = terms.iter().peekable();
            for c in pattern.positions(i) {
                sums.sum(c);
                while let Some(&(_, at, bt)) = next.next_if(|term| term.0 == c) {
                    sums.term([at, place(bt)]);
                }
            }
            sums.end_row();
        }
        Ok(Product { pattern, sums: sums.finish() })
    }

    pub(crate) fn evaluate<S: Scalar>(&self, a: &[S], b: &[S], out: &mut [S]) {
        S::sums(&self.sums, false, [a, b], out, |[a, b]| a * b, |sum| sum);
    }

    /// out = factor · A B.
    pub(crate) fn scaled<S: Scalar>(&self, factor: S, a: &[S], b: &[S], out: &mut [S]) {
        S::sums(&self.sums, false, [a, b], out, |[a, b]| a * b, |sum| factor * sum);
    }
}

/// Products of a matrix of one pattern with vectors.
#[derive(Clone, Debug)]
pub(crate) struct Times {
    rows: Sums<2>,
    columns: Sums<2>,
}

impl Times {
    pub(crate) fn new(pattern: &Pattern) -> Times {
        let mut rows = SumsBuilder::default();
        for i in 0..pattern.rows() {
            rows.sum(i);
            pattern.positions(i).zip(pattern.row(i)).for_each(|(at, &j)| rows.term([at, j as usize]));
            rows.end_row();
        }
        let (transposed, origin) = pattern.transposed();
        let mut columns = SumsBuilder::default();
        for j in 0..pattern.columns() {
            columns.sum(j);
            transposed.positions(j).zip(transposed.row(j)).for_each(|(at, &i)| columns.term([origin[at], i as usize]));
            columns.end_row();
        }
        Times { rows: rows.finish(), columns: columns.finish() }
    }

    /// out = A x.
    pub(crate) fn evaluate<S: Scalar>(&self, a: &[S], x: &[S], out: &mut [S]) {
        S::sums(&self.rows, false, [a, x], out, |[a, x]| a * x, |sum| sum);
    }

    /// out = b + Aᵀ x.
    pub(crate) fn plus_transposed<S: Scalar>(&self, a: &[S], x: &[S], b: &[S], out: &mut [S]) {
        out.copy_from_slice(b);
        S::sums(&self.columns, true, [a, x], out, |[a, x]| a * x, |sum| sum);
    }
}

/// A D Bᵀ with A and B of one pattern: the matrix of a constraint force's effect on constraints.
#[derive(Clone, Debug)]
pub(crate) struct Gram {
    left: Product,
    /// With the entries of Bᵀ where they are in B.
    right: Product,
    /// Products of G with vectors.
    pub(crate) jacobian: Times,
}

/// The intermediate results of a [`Gram`].
#[derive(Clone, Debug)]
pub(crate) struct GramWork<S> {
    product: Vec<S>,
}

impl Gram {
    /// G H_pp Gᵀ of canonical equations.
    pub(crate) fn of(shape: &CanonicalShape) -> Result<Arc<Gram>, PatternError> {
        let left = Product::new(&shape.jacobian, &shape.hessian_pp)?;
        let right = Product::with_transposed(&left.pattern, &shape.jacobian)?;
        Ok(Arc::new(Gram { left, right, jacobian: Times::new(&shape.jacobian) }))
    }

    pub(crate) fn pattern(&self) -> &Pattern {
        &self.right.pattern
    }

    pub(crate) fn work<S: Scalar>(&self) -> GramWork<S> {
        GramWork { product: zeros(self.left.pattern.len()) }
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
        self.right.scaled(factor, &work.product, b, out);
    }
}
