//! LU factorisation of a band matrix.

use cotangent_scalar::Real;

use crate::pivoting::{Scales, Singular, grow};

/// Gaussian elimination with row exchanges inside the band.
///
/// With l diagonals below and u above, an exchange lets U reach l + u above the diagonal. Row i
/// stores the columns i − l … i + l + u. As in LAPACK's `gbtrf` the multipliers stay where they
/// were made, so a solve repeats the exchanges and eliminations one after the other.
#[derive(Clone, Debug)]
pub(crate) struct BandedLu<S> {
    size: usize,
    lower: usize,
    upper: usize,
    /// Also where the entries of the matrix are put before [`factor`](Self::factor).
    pub(crate) entries: Vec<S>,
    /// The row exchanged with row k in step k.
    exchanged: Vec<usize>,
    /// The original row now in place k.
    origin: Vec<u32>,
}

impl<S: Real> BandedLu<S> {
    pub(crate) fn new(size: usize, lower: usize, upper: usize) -> Self {
        let entries = vec![S::from_f64(0.0); size * Self::row_length(lower, upper)];
        Self { size, lower, upper, entries, exchanged: vec![0; size], origin: vec![0; size] }
    }

    pub(crate) fn row_length(lower: usize, upper: usize) -> usize {
        2 * lower + upper + 1
    }

    /// The numbers of diagonals below and above the main one.
    pub(crate) fn bandwidth(&self) -> (usize, usize) {
        (self.lower, self.upper)
    }

    /// Where the entry (row, column) is stored, for a column within the band.
    pub(crate) fn place(&self, row: usize, column: usize) -> usize {
        row * Self::row_length(self.lower, self.upper) + self.lower + column - row
    }

    /// The last row with an entry in column k, and the last column with one in row k of U.
    fn reach(&self, k: usize) -> (usize, usize) {
        let last = self.size - 1;
        (last.min(k + self.lower), last.min(k + self.lower + self.upper))
    }

    pub(crate) fn factor(&mut self, scales: &mut Scales) -> Result<(), Singular> {
        for k in 0..self.size {
            self.origin[k] = k as u32;
        }
        for k in 0..self.size {
            let (last_row, last_column) = self.reach(k);
            let (mut best, mut size) = (k, -1.0);
            for i in k..=last_row {
                let candidate = scales.in_row(self.origin[i], self.entries[self.place(i, k)]);
                if Scales::prefers((candidate, self.origin[i]), (size, self.origin[best])) {
                    (best, size) = (i, candidate);
                }
            }
            if !scales.accept::<S>(k, size) {
                let row = self.left_over(k, scales) as usize;
                return Err(Singular { row, column: k, pivot: scales.last_pivot() });
            }
            self.exchanged[k] = best;
            let width = last_column - k + 1;
            let diagonal = self.place(k, k);
            if best != k {
                self.origin.swap(k, best);
                let other = self.place(best, k);
                let (above, below) = self.entries.split_at_mut(other);
                above[diagonal..diagonal + width].swap_with_slice(&mut below[..width]);
            }
            for i in k + 1..=last_row {
                let place = self.place(i, k);
                let (above, below) = self.entries.split_at_mut(place);
                let (pivot_row, row) = (&above[diagonal..diagonal + width], &mut below[..width]);
                if row[0].is_zero() {
                    continue;
                }
                let factor = row[0] / pivot_row[0];
                row[0] = factor;
                for (a, &p) in row[1..].iter_mut().zip(&pivot_row[1..]) {
                    *a = *a - factor * p;
                }
            }
        }
        Ok(())
    }

    /// The row that could still take part of which least is left, relative to what it was.
    fn left_over(&self, k: usize, scales: &Scales) -> u32 {
        let (last_row, last_column) = self.reach(k);
        let (mut row, mut least) = (self.origin[k], f64::INFINITY);
        for i in k..=last_row {
            let mut size = 0.0;
            for &entry in &self.entries[self.place(i, k)..=self.place(i, last_column)] {
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
        for k in 0..self.size {
            x.swap(k, self.exchanged[k]);
            let value = x[k];
            for i in k + 1..=self.reach(k).0 {
                x[i] = x[i] - self.entries[self.place(i, k)] * value;
            }
        }
        for k in (0..self.size).rev() {
            let row = &self.entries[self.place(k, k)..=self.place(k, self.reach(k).1)];
            let mut sum = x[k];
            for (&u, &y) in row[1..].iter().zip(&x[k + 1..]) {
                sum = sum - u * y;
            }
            x[k] = sum / row[0];
        }
    }

    /// Aᵀ x = b.
    pub(crate) fn solve_transposed(&self, x: &mut [S]) {
        for k in 0..self.size {
            let row = &self.entries[self.place(k, k)..=self.place(k, self.reach(k).1)];
            let value = x[k] / row[0];
            x[k] = value;
            for (&u, y) in row[1..].iter().zip(&mut x[k + 1..]) {
                *y = *y - u * value;
            }
        }
        for k in (0..self.size).rev() {
            let mut sum = x[k];
            for i in k + 1..=self.reach(k).0 {
                sum = sum - self.entries[self.place(i, k)] * x[i];
            }
            x[k] = sum;
            x.swap(k, self.exchanged[k]);
        }
    }
}
