//! LU factorisation of a full matrix.

use cotangent_scalar::Real;

use crate::pivoting::{Scales, Singular, grow};

/// P A = L U by Gaussian elimination, the pivot of a column being the entry that is largest
/// relative to its row; stored by rows, the multipliers of L below the diagonal.
#[derive(Clone, Debug)]
pub(crate) struct DenseLu<S> {
    size: usize,
    /// Also where the entries of the matrix are put before [`factor`](Self::factor).
    pub(crate) entries: Vec<S>,
    /// The row exchanged with row k in step k.
    exchanged: Vec<usize>,
    /// The original row now in place k.
    origin: Vec<u32>,
}

impl<S: Real> DenseLu<S> {
    pub(crate) fn new(size: usize) -> Self {
        let entries = vec![S::from_f64(0.0); size * size];
        Self { size, entries, exchanged: vec![0; size], origin: vec![0; size] }
    }

    /// Where the entry (row, column) is stored.
    pub(crate) fn place(&self, row: usize, column: usize) -> usize {
        row * self.size + column
    }

    pub(crate) fn factor(&mut self, scales: &mut Scales) -> Result<(), Singular> {
        let n = self.size;
        for k in 0..n {
            self.origin[k] = k as u32;
        }
        for k in 0..n {
            let (mut best, mut size) = (k, -1.0);
            for i in k..n {
                let candidate = scales.in_row(self.origin[i], self.entries[i * n + k]);
                if Scales::prefers((candidate, self.origin[i]), (size, self.origin[best])) {
                    (best, size) = (i, candidate);
                }
            }
            if !scales.accept::<S>(k, size) {
                let row = self.left_over(k, scales) as usize;
                return Err(Singular { row, column: k, pivot: scales.last_pivot() });
            }
            self.exchanged[k] = best;
            if best != k {
                self.origin.swap(k, best);
                let (upper, lower) = self.entries.split_at_mut(best * n);
                upper[k * n..(k + 1) * n].swap_with_slice(&mut lower[..n]);
            }
            let (done, below) = self.entries.split_at_mut((k + 1) * n);
            let pivot_row = &done[k * n + k..];
            for row in below.chunks_exact_mut(n) {
                if row[k].is_zero() {
                    continue;
                }
                let factor = row[k] / pivot_row[0];
                row[k] = factor;
                for (a, &p) in row[k + 1..].iter_mut().zip(&pivot_row[1..]) {
                    *a = *a - factor * p;
                }
            }
        }
        Ok(())
    }

    /// The remaining row of which least is left, relative to what it was.
    fn left_over(&self, k: usize, scales: &Scales) -> u32 {
        let (mut row, mut least) = (self.origin[k], f64::INFINITY);
        for i in k..self.size {
            let mut size = 0.0;
            for &entry in &self.entries[i * self.size + k..(i + 1) * self.size] {
                grow(&mut size, scales.in_row(self.origin[i], entry));
            }
            if size < least || size.is_nan() {
                (row, least) = (self.origin[i], size);
            }
        }
        row
    }

    /// A x = b, with b in `x` before and x after.
    pub(crate) fn solve(&self, x: &mut [S]) {
        let n = self.size;
        for k in 0..n {
            x.swap(k, self.exchanged[k]);
        }
        for i in 0..n {
            let row = &self.entries[i * n..(i + 1) * n];
            let mut sum = x[i];
            for j in 0..i {
                sum = sum - row[j] * x[j];
            }
            x[i] = sum;
        }
        for i in (0..n).rev() {
            let row = &self.entries[i * n..(i + 1) * n];
            let mut sum = x[i];
            for j in i + 1..n {
                sum = sum - row[j] * x[j];
            }
            x[i] = sum / row[i];
        }
    }

    /// Aᵀ x = b.
    pub(crate) fn solve_transposed(&self, x: &mut [S]) {
        let n = self.size;
        for i in 0..n {
            let row = &self.entries[i * n..(i + 1) * n];
            let value = x[i] / row[i];
            x[i] = value;
            for j in i + 1..n {
                x[j] = x[j] - row[j] * value;
            }
        }
        for i in (0..n).rev() {
            let row = &self.entries[i * n..(i + 1) * n];
            let value = x[i];
            for j in 0..i {
                x[j] = x[j] - row[j] * value;
            }
        }
        for k in (0..n).rev() {
            x.swap(k, self.exchanged[k]);
        }
    }
}
