//! LU factorisation of a sparse matrix.

use cotangent_scalar::Real;

use crate::Pattern;
use crate::pivoting::{Scales, Singular, grow};
use crate::reach::Reach;
use crate::symbolic::SymbolicFactorisation;

/// The pivot meant is taken if it is at least this part of the best: it keeps the structure.
pub(crate) const LEAST_PLANNED: f64 = 0.05;
/// Any other is taken for the sparsity of its row if it is at least this part of the best.
const LEAST_OTHER: f64 = 0.1;
const NONE: u32 = u32::MAX;

/// Gaussian elimination column by column (Gilbert & Peierls, 1988): column k of L and U comes from
/// solving with the columns of L before it.
///
/// As long as the pivots meant by the [`SymbolicFactorisation`] are good enough, nothing is searched for: where L
/// and U have entries is known, and columns with the same rows are applied four at a time. From
/// the first column on whose pivot is not, rows are chosen for stability and sparsity, and the
/// entries are found by searching. So the result is a function of the values alone, not of what
/// was factored before.
///
/// Memory for twice the planned entries is set aside; only if exchanges of rows make more than
/// that does a factorisation ask for more, which is then kept.
#[derive(Clone, Debug)]
pub(crate) struct SparseLu<S> {
    size: usize,
    symbolic: SymbolicFactorisation,
    /// The matrix by columns.
    matrix: Pattern,
    /// Also where the entries of the matrix are put before [`factor`](Self::factor).
    pub(crate) entries: Vec<S>,
    /// The number of entries in each row of the matrix.
    row_lengths: Vec<u32>,
    /// L below the diagonal, multipliers; rows as in the matrix.
    lower: Columns<S>,
    /// U above the diagonal; rows are steps.
    upper: Columns<S>,
    diagonal: Vec<S>,
    /// The row that is the pivot of step k; none in a column that depends on others.
    pivot_rows: Vec<u32>,
    /// Columns before this one are as planned.
    planned: usize,
    /// A column or a right-hand side while it is worked on; zero in between.
    work: Vec<S>,
    reach: Reach,
}

/// The columns of a triangular factor.
#[derive(Clone, Debug)]
struct Columns<S> {
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<S>,
}

impl<S: Real> Columns<S> {
    fn new(pattern: &Pattern) -> Self {
        let entries = pattern.len();
        let mut rows = Vec::with_capacity(2 * entries + pattern.rows());
        let mut values = Vec::with_capacity(2 * entries + pattern.rows());
        rows.extend(pattern.addresses().map(|(_, i)| i));
        values.resize(entries, S::from_f64(0.0));
        let starts = (0..pattern.rows()).map(|k| pattern.positions(k).start).chain([entries]).collect();
        Self { starts, rows, values }
    }

    fn column(&self, k: usize) -> (&[u32], &[S]) {
        let range = self.starts[k]..self.starts[k + 1];
        (&self.rows[range.clone()], &self.values[range])
    }

    /// x −= column k times `factor`.
    fn apply(&self, k: usize, factor: S, x: &mut [S]) {
        let (rows, values) = self.column(k);
        for (&i, &l) in rows.iter().zip(values) {
            let x = &mut x[i as usize];
            *x = *x - l * factor;
        }
    }

    /// Eliminates with the columns `first` … `first` + 3, which have the same rows below them.
    fn apply_four(&self, first: usize, x: &mut [S]) {
        let (rows, l3) = self.column(first + 3);
        let l = |i: usize| self.column(first + i).1;
        let (l0, l1, l2) = (l(0), l(1), l(2));
        let x0 = x[first];
        let x1 = x[first + 1] - l0[0] * x0;
        let x2 = x[first + 2] - l0[1] * x0 - l1[0] * x1;
        let x3 = x[first + 3] - l0[2] * x0 - l1[1] * x1 - l2[0] * x2;
        (x[first + 1], x[first + 2], x[first + 3]) = (x1, x2, x3);
        let values = l0[3..].iter().zip(&l1[2..]).zip(&l2[1..]).zip(l3);
        for (&i, (((&l0, &l1), &l2), &l3)) in rows.iter().zip(values) {
            let x = &mut x[i as usize];
            *x = *x - l0 * x0 - l1 * x1 - l2 * x2 - l3 * x3;
        }
    }

    /// Forgets the columns from the k-th on.
    fn truncate(&mut self, k: usize) {
        self.rows.truncate(self.starts[k]);
        self.values.truncate(self.starts[k]);
    }

    /// Makes the columns from the k-th on those of the pattern again.
    fn restore(&mut self, k: usize, pattern: &Pattern) {
        self.truncate(k);
        for column in k..pattern.rows() {
            self.rows.extend_from_slice(pattern.row(column));
            self.starts[column + 1] = self.rows.len();
        }
        self.values.resize(self.rows.len(), S::from_f64(0.0));
    }

    fn push(&mut self, row: u32, value: S) {
        self.rows.push(row);
        self.values.push(value);
    }

    fn end_column(&mut self, k: usize) {
        self.starts[k + 1] = self.rows.len();
    }
}

impl<S: Real> SparseLu<S> {
    /// For a matrix given by its columns, in the order of elimination.
    pub(crate) fn new(symbolic: SymbolicFactorisation, matrix: Pattern) -> Self {
        let (size, zero) = (matrix.rows(), S::from_f64(0.0));
        let mut row_lengths = vec![0; size];
        for (_, i) in matrix.addresses() {
            row_lengths[i as usize] += 1;
        }
        Self {
            size,
            lower: Columns::new(&symbolic.lower),
            upper: Columns::new(&symbolic.upper),
            symbolic,
            entries: vec![zero; matrix.len()],
            matrix,
            row_lengths,
            diagonal: vec![zero; size],
            pivot_rows: (0..size as u32).collect(),
            planned: size,
            work: vec![zero; size],
            reach: Reach::new(size),
        }
    }

    /// Where the entry (row, column) is stored.
    pub(crate) fn place(&self, row: usize, column: usize) -> usize {
        self.matrix.position(column, row).unwrap_or(0)
    }

    /// Entries of L and U, as planned.
    pub(crate) fn fill(&self) -> usize {
        self.size + self.symbolic.lower.len() + self.symbolic.upper.len()
    }

    pub(crate) fn factor(&mut self, scales: &mut Scales) -> Result<(), Singular> {
        if self.planned < self.size {
            self.lower.restore(self.planned, &self.symbolic.lower);
            self.upper.restore(self.planned, &self.symbolic.upper);
            for k in 0..self.size {
                self.pivot_rows[k] = k as u32;
            }
        }
        self.planned = self.size;
        let Some(first) = (0..self.size).find(|&k| !self.planned_column(k, scales)) else { return Ok(()) };
        self.planned = first;
        self.lower.truncate(first);
        self.upper.truncate(first);
        self.reach.start(first);
        let mut singular = None;
        for k in first..self.size {
            if let Err(found) = self.searched_column(k, scales) {
                if found.pivot.is_nan() || scales.cancel.is_set() {
                    return Err(found);
                }
                singular.get_or_insert(found);
            }
        }
        match singular {
            Some(found) => Err(Singular { row: self.last_of_dependent(scales).unwrap_or(found.row), ..found }),
            None => Ok(()),
        }
    }

    fn scatter(&mut self, k: usize) {
        for (&i, &value) in self.matrix.row(k).iter().zip(&self.entries[self.matrix.positions(k)]) {
            self.work[i as usize] = value;
        }
    }

    /// Column k with the pivot meant; false, and nothing done, if it is not good enough.
    fn planned_column(&mut self, k: usize, scales: &mut Scales) -> bool {
        self.scatter(k);
        let zero = S::from_f64(0.0);
        let steps = self.symbolic.upper.row(k);
        let mut position = 0;
        while position < steps.len() {
            let first = steps[position] as usize;
            let last = (self.symbolic.last_alike[first] as usize).min(k - 1);
            if last - first >= 3 {
                self.lower.apply_four(first, &mut self.work);
                position += 4;
            } else {
                self.lower.apply(first, self.work[first], &mut self.work);
                position += 1;
            }
        }
        let rows = self.symbolic.lower.row(k);
        let diagonal = self.work[k];
        let size = scales.in_row(k as u32, diagonal);
        let mut largest = size;
        for &i in rows {
            grow(&mut largest, scales.in_row(i, self.work[i as usize]));
        }
        let good = size >= LEAST_PLANNED * largest && scales.is_pivot::<S>(k, size);
        if good {
            scales.accept::<S>(k, size);
            self.diagonal[k] = diagonal;
            for (&i, value) in rows.iter().zip(&mut self.lower.values[self.symbolic.lower.positions(k)]) {
                *value = self.work[i as usize] / diagonal;
            }
            for (&j, value) in steps.iter().zip(&mut self.upper.values[self.symbolic.upper.positions(k)]) {
                *value = self.work[j as usize];
            }
        }
        self.work[k] = zero;
        for &i in rows.iter().chain(steps) {
            self.work[i as usize] = zero;
        }
        good
    }

    /// Column k with the pivot that stability and sparsity suggest. A column that depends on those
    /// before it gets none, and is reported with one of the rows left.
    fn searched_column(&mut self, k: usize, scales: &mut Scales) -> Result<(), Singular> {
        let zero = S::from_f64(0.0);
        self.scatter(k);
        self.reach.search(self.matrix.row(k), &self.lower.starts, &self.lower.rows);
        for &step in self.reach.steps() {
            let place = self.pivot_rows[step as usize] as usize;
            let pivot = self.work[place];
            self.work[place] = zero;
            self.upper.push(step, pivot);
            self.lower.apply(step as usize, pivot, &mut self.work);
        }
        self.upper.end_column(k);
        let (row, size) = self.choose(k, scales);
        let accepted = scales.accept::<S>(k, size);
        if accepted {
            let pivot = self.work[row as usize];
            self.diagonal[k] = pivot;
            self.pivot_rows[k] = row;
            for &i in self.reach.rows().iter().filter(|&&i| i != row) {
                self.lower.push(i, self.work[i as usize] / pivot);
            }
            self.reach.assign(row, k);
        } else {
            self.pivot_rows[k] = NONE;
        }
        self.lower.end_column(k);
        for &i in self.reach.rows() {
            self.work[i as usize] = zero;
        }
        if accepted { Ok(()) } else { Err(Singular { row: row as usize, column: k, pivot: scales.last_pivot() }) }
    }

    /// The row of the pivot and its size relative to the row.
    fn choose(&self, k: usize, scales: &Scales) -> (u32, f64) {
        let size = |i: u32| scales.in_row(i, self.work[i as usize]);
        let (mut best, mut largest, mut meant) = (k as u32, 0.0, None);
        for &i in self.reach.rows() {
            let candidate = size(i);
            if candidate > largest || candidate.is_nan() {
                (best, largest) = (i, candidate);
            }
            if i as usize == k {
                meant = Some(candidate);
            }
        }
        match meant {
            _ if largest.is_nan() => return (best, largest),
            Some(candidate) if candidate >= LEAST_PLANNED * largest => return (k as u32, candidate),
            _ => {}
        }
        let good = self.reach.rows().iter().filter(|&&i| size(i) >= LEAST_OTHER * largest);
        let row = good.min_by_key(|&&i| (self.row_lengths[i as usize], i)).copied().unwrap_or(best);
        (row, size(row))
    }

    /// A row without a pivot is a combination of the others: the last row, in the numbering from
    /// outside, that has a part in it.
    fn last_of_dependent(&mut self, scales: &Scales) -> Option<usize> {
        let left = (0..self.size as u32).find(|&i| self.reach.is_left(i))?;
        self.work[left as usize] = S::from_f64(1.0);
        self.transposed_lower();
        // The parts of the combination: coefficient times size of the row.
        let part = |x: S, i: u32| x.value().abs() / scales.in_row(i, S::from_f64(1.0));
        let parts = || self.work.iter().zip(0u32..).filter(|(x, _)| x.value() != 0.0).map(|(&x, i)| (part(x, i), i));
        let largest = parts().map(|(part, _)| part).fold(0.0, f64::max);
        let involved = parts().filter(|&(part, _)| part >= 1e-3 * largest).map(|(_, i)| i);
        let last = involved.max_by_key(|&i| self.symbolic.rows[i as usize]);
        self.work.fill(S::from_f64(0.0));
        Some(last.unwrap_or(left) as usize)
    }

    /// Lᵀ x = b in the working memory, by rows.
    fn transposed_lower(&mut self) {
        for k in (0..self.size).rev() {
            let (rows, values) = self.lower.column(k);
            if let Some(&row) = self.pivot_rows.get(k)
                && row != NONE
            {
                let mut sum = self.work[row as usize];
                for (&i, &l) in rows.iter().zip(values) {
                    sum = sum - l * self.work[i as usize];
                }
                self.work[row as usize] = sum;
            }
        }
    }

    /// A x = b, with b in `x` before and x after.
    pub(crate) fn solve(&mut self, x: &mut [S]) {
        for k in 0..self.size {
            let pivot = x[self.pivot_rows[k] as usize];
            self.work[k] = pivot;
            self.lower.apply(k, pivot, x);
        }
        x.copy_from_slice(&self.work);
        for k in (0..self.size).rev() {
            let value = x[k] / self.diagonal[k];
            x[k] = value;
            self.upper.apply(k, value, x);
        }
        self.work.fill(S::from_f64(0.0));
    }

    /// Aᵀ x = b.
    pub(crate) fn solve_transposed(&mut self, x: &mut [S]) {
        for k in 0..self.size {
            let (steps, values) = self.upper.column(k);
            let mut sum = x[k];
            for (&j, &u) in steps.iter().zip(values) {
                sum = sum - u * x[j as usize];
            }
            x[k] = sum / self.diagonal[k];
        }
        for (&row, &value) in self.pivot_rows.iter().zip(x.iter()) {
            self.work[row as usize] = value;
        }
        self.transposed_lower();
        x.copy_from_slice(&self.work);
        self.work.fill(S::from_f64(0.0));
    }
}
