//! What makes a pivot, shared by all factorisations.

use crate::transversal::{Transversal, power_of_two};
use cotangent_scalar::{Cancel, Real};

/// A matrix without an inverse, exactly or to working precision.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "the matrix is singular: column {column} depends on the columns before it \
     (row {row} is left over, relative pivot {pivot:.1e})"
)]
pub struct Singular {
    /// A row that depends on others: of those without a pivot, the one that is nearest to a
    /// combination of the rows used; in a sparse matrix the last of the rows that take part in
    /// that combination.
    pub row: usize,
    /// The column that was found to depend on the columns eliminated before it.
    pub column: usize,
    /// The best pivot there was, relative to its row and column. NaN if the matrix had an entry
    /// that is not finite.
    pub pivot: f64,
}

impl Singular {
    /// Whether the matrix had only finite entries: otherwise nothing is known of its rank.
    pub fn is_finite(&self) -> bool {
        self.pivot.is_finite()
    }
}

/// Pivots are nearly equal if they differ by this part.
pub(crate) const PREFERRED: f64 = 1e-3;

/// The sizes of the rows and columns of a matrix, by which pivots are chosen and judged.
///
/// A pivot a in row i and column j counts as |a|/(rᵢ cⱼ), with rᵢ the largest entry of row i and
/// cⱼ the largest of column j after the rows were divided by rᵢ. These are quickly found, but units
/// that differ much make a matrix look singular: in x = a y, b y = c the row of the first
/// equation tells of the largest of 1 and a only. Such a matrix is judged once more in the scales of
/// its [`Transversal`], which has pivots of size one wherever the units alone were to blame.
/// So neither the units of an equation nor those of an unknown matter.
#[derive(Clone, Debug)]
pub(crate) struct Scales {
    /// 1/rᵢ; zero for a row of zeros.
    rows: Vec<f64>,
    /// cⱼ.
    columns: Vec<f64>,
    /// The smallest pivot and the largest, as quotients |a|/rᵢ and cⱼ: they are compared by products.
    smallest: [f64; 2],
    largest: [f64; 2],
    /// √n.
    root: f64,
    /// Empty until it is needed.
    transversal: Transversal,
    /// Whether to stop: no pivot is accepted then.
    pub(crate) cancel: Cancel,
}

impl Scales {
    pub(crate) fn new(size: usize) -> Self {
        let zeros = || vec![0.0; size];
        let transversal = Transversal::default();
        let (root, cancel) = ((size as f64).sqrt(), Cancel::new());
        Self { rows: zeros(), columns: zeros(), smallest: [f64::NAN, 1.0], largest: NONE, root, transversal, cancel }
    }

    /// Measures a matrix given row by row: the places (row, column) of the entries and their values.
    pub(crate) fn measure<S: Real>(&mut self, addresses: &[(u32, u32)], values: &[S]) {
        (self.smallest, self.largest) = (ANY, NONE);
        self.rows.fill(0.0);
        self.columns.fill(0.0);
        let mut values = values;
        for row in addresses.chunk_by(|a, b| a.0 == b.0) {
            let (own, rest) = values.split_at(row.len().min(values.len()));
            values = rest;
            let sizes = || own.iter().map(|value| value.value().abs());
            let (mut largest, mut sum) = (0.0, 0.0);
            for size in sizes() {
                (largest, sum) = (larger(size, largest), sum + size);
            }
            let columns = row.iter().map(|&(_, j)| j as usize).zip(sizes());
            let own = &mut self.rows[row[0].0 as usize];
            if sum.is_finite() {
                *own = inverse(largest);
                columns.for_each(|(j, size)| self.columns[j] = larger(size * *own, self.columns[j]));
            } else {
                sizes().for_each(|size| grow(own, size));
                invert(own);
                columns.for_each(|(j, size)| grow(&mut self.columns[j], size * *own));
            }
        }
    }

    /// Replaces the scales by those of the transversal with the largest product; false, and nothing done, if
    /// an entry is not finite.
    pub(crate) fn balance<S: Real>(&mut self, entries: impl Iterator<Item = (u32, u32, S)> + Clone) -> bool {
        let values = entries.map(|(i, j, value)| (i, j, value.value()));
        if values.clone().any(|(_, _, value)| !value.is_finite()) {
            return false;
        }
        (self.smallest, self.largest) = (ANY, NONE);
        self.transversal.find(self.rows.len(), values);
        let found = &self.transversal;
        // A common factor of all rows may go to the columns: both in the middle of the range.
        let middle = |exponents: &[i64]| {
            let ends = exponents.iter().min().zip(exponents.iter().max());
            ends.map_or(0, |(least, most)| (least + most) / 2)
        };
        let shift = (middle(&found.rows) - middle(&found.columns)) / 2;
        self.rows.iter_mut().zip(&found.rows).for_each(|(scale, &k)| *scale = power_of_two(k - shift));
        self.columns.iter_mut().zip(&found.columns).for_each(|(size, &k)| *size = power_of_two(-k - shift));
        true
    }

    /// The size of an entry relative to its row.
    #[inline]
    pub(crate) fn in_row<S: Real>(&self, row: u32, value: S) -> f64 {
        value.value().abs() * self.rows[row as usize]
    }

    /// Whether a candidate replaces the best pivot so far, each with its row. Among near equals the
    /// earlier row is taken, so that of two equations that say the same the later is left over.
    #[inline]
    pub(crate) fn prefers(candidate: (f64, u32), best: (f64, u32)) -> bool {
        let margin = if candidate.1 < best.1 { -PREFERRED } else { PREFERRED };
        candidate.0 > best.0 + best.0.abs() * margin || candidate.0.is_nan()
    }

    /// Whether a pivot of size `in_row` relative to its row is one.
    #[inline]
    pub(crate) fn is_pivot<S: Real>(&self, column: usize, in_row: f64) -> bool {
        // What is left of a dependent row is round-off: some units, more for larger matrices.
        let negligible = 16.0 * S::EPSILON * self.root;
        in_row.is_finite() && in_row > negligible * self.columns[column] && !self.cancel.is_set()
    }

    /// Takes note of a pivot of size `in_row` relative to its row; false if it is none.
    #[inline]
    pub(crate) fn accept<S: Real>(&mut self, column: usize, in_row: f64) -> bool {
        let pivot = [in_row, self.columns[column]];
        if is_less(pivot, self.smallest) {
            self.smallest = pivot;
        }
        if is_less(self.largest, pivot) {
            self.largest = pivot;
        }
        let accepted = self.is_pivot::<S>(column, in_row);
        if !accepted {
            self.smallest = if in_row == 0.0 { [0.0, 1.0] } else { pivot };
        }
        accepted
    }

    /// Takes note of the pivots that a tridiagonal matrix has in the order of its rows; false if one is none, or another
    /// row is preferred: then nothing is known.
    ///
    /// `eliminate` gets k and gives the size of the pivot k, of the next row's entry in its column, and then of the entries
    /// of row k + 1 of the matrix as it was given: below, on and above the diagonal.
    pub(crate) fn in_order<S: Real>(
        &mut self,
        first: [f64; 2],
        mut eliminate: impl FnMut(usize) -> (f64, [f64; 3]),
    ) -> bool {
        let n = self.rows.len();
        let negligible = 16.0 * S::EPSILON * self.root;
        let (mut smallest, mut largest) = (ANY, NONE);
        // The scale of row k, and what rows before have in column k, in their scales.
        let mut row = inverse(first[0].max(first[1]));
        let (mut above, mut own, mut right) = (0.0, first[0], first[1]);
        let mut good = !(first[0].is_nan() || first[1].is_nan());
        for k in 0..n {
            let (pivot, [left, diagonal, next]) = eliminate(k);
            let next_row = inverse(left.max(diagonal).max(next));
            let below = left * next_row;
            let column = (own * row).max(above).max(below);
            let in_row = pivot * row;
            if is_less([in_row, column], smallest) {
                smallest = [in_row, column];
            }
            if is_less(largest, [in_row, column]) {
                largest = [in_row, column];
            }
            // The row below is only preferred if its entry is larger; comparisons with NaN do not hold.
            good &= in_row > negligible * column && in_row.is_finite() && below <= in_row + in_row * PREFERRED;
            good &= !(diagonal.is_nan() || next.is_nan());
            if k % 4096 == 0 && (!good || self.cancel.is_set()) {
                return false;
            }
            (above, own, right, row) = (right * row, diagonal, next, next_row);
        }
        (self.smallest, self.largest) = (smallest, largest);
        good
    }

    /// The pivot of the last failed [`accept`](Self::accept).
    pub(crate) fn last_pivot(&self) -> f64 {
        let pivot = quotient(self.smallest);
        if pivot.is_finite() { pivot } else { f64::NAN }
    }

    /// The smallest pivot over the largest: a cheap and optimistic estimate of 1/condition.
    pub(crate) fn pivot_ratio(&self) -> f64 {
        if self.rows.is_empty() { 1.0 } else { quotient(self.smallest) / quotient(self.largest) }
    }
}

/// No pivot is larger, none smaller.
const ANY: [f64; 2] = [f64::INFINITY, 1.0];
const NONE: [f64; 2] = [0.0, 1.0];

/// Whether one quotient is less than another.
#[inline]
fn is_less(a: [f64; 2], b: [f64; 2]) -> bool {
    let (one, other) = (a[0] * b[1], b[0] * a[1]);
    match one.min(other) >= f64::MIN_POSITIVE && one.max(other) < f64::INFINITY {
        true => one < other,
        // Products of what is small against its column are nothing.
        false => quotient(a) < quotient(b),
    }
}

fn quotient([numerator, denominator]: [f64; 2]) -> f64 {
    numerator / denominator
}

/// The larger one; of comparisons with NaN, the second.
#[inline]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The maximum, or NaN once there was one.
#[inline]
pub(crate) fn grow(largest: &mut f64, size: f64) {
    if size > *largest || size.is_nan() {
        *largest = size;
    }
}

fn invert(size: &mut f64) {
    *size = inverse(*size);
}

/// 1/size, and zero for zero.
#[inline]
fn inverse(size: f64) -> f64 {
    // An overflow for subnormal sizes would turn 0 · ∞ into NaN.
    if size == 0.0 { 0.0 } else { (1.0 / size).min(f64::MAX) }
}
