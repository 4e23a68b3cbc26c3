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
    /// The first row that was exchanged; rows of U before it reach no further than those of the matrix.
    first_exchanged: usize,
    /// Whether the matrix is tridiagonal and no rows were exchanged.
    in_order: bool,
}

impl<S: Real> BandedLu<S> {
    pub(crate) fn new(size: usize, lower: usize, upper: usize) -> Self {
        let entries = vec![S::from_f64(0.0); size * Self::row_length(lower, upper)];
        let (exchanged, origin) = (vec![0; size], vec![0; size]);
        Self { size, lower, upper, entries, exchanged, origin, first_exchanged: size, in_order: false }
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
        let further = if k < self.first_exchanged { 0 } else { self.lower };
        (last.min(k + self.lower), last.min(k + self.upper + further))
    }

    /// Factors a full tridiagonal matrix whose values are given row by row, if that takes no exchange of rows: with the same
    /// pivots as [`factor`](Self::factor), in one pass, and with products by their inverses in the place of quotients: these
    /// are stored behind each row. False if it does, or there is no factorisation.
    ///
    /// Right-hand sides, if there are any, are eliminated on the way: `x` is L⁻¹ b then.
    pub(crate) fn factor_in_order(&mut self, values: &[S], scales: &mut Scales, (b, x): (&[S], &mut [S])) -> bool {
        self.first_exchanged = self.size;
        if !self.in_order {
            self.exchanged.iter_mut().enumerate().for_each(|(k, exchanged)| *exchanged = k);
            self.in_order = true;
        }
        let (zero, one) = (S::from_f64(0.0), S::from_f64(1.0));
        let (n, size) = (self.size, |x: S| x.value().abs());
        let (mut rest, mut rows) = (values[2..].chunks(3), self.entries.chunks_exact_mut(4));
        let (mut diagonal, mut above) = (values[0], values[1]);
        let mut row = rows.next();
        let (mut multiplier, mut before) = (zero, zero);
        let mut sides = b.iter().zip(x);
        let good = scales.in_order::<S>([size(diagonal), size(above)], |_| {
            let inverse = one / diagonal;
            if let Some((&b, x)) = sides.next() {
                before = b - multiplier * before;
                *x = before;
            }
            if let Some(row) = &mut row {
                row.copy_from_slice(&[multiplier, diagonal, above, inverse]);
            }
            row = rows.next();
            let pivot = size(diagonal);
            let (below, own, next) = match rest.next() {
                Some(&[below, own, next]) => (below, own, next),
                Some(&[below, own]) => (below, own, zero),
                _ => return (pivot, [0.0; 3]),
            };
            multiplier = below * inverse;
            diagonal = own - multiplier * above;
            above = next;
            (pivot, [size(below), size(own), size(next)])
        });
        debug_assert!(n >= 2 && self.lower == 1 && self.upper == 1);
        self.in_order = good;
        good
    }

    pub(crate) fn factor(&mut self, scales: &mut Scales) -> Result<(), Singular> {
        (self.in_order, self.first_exchanged) = (false, self.size);
        for k in 0..self.size {
            self.origin[k] = k as u32;
        }
        for k in 0..self.size {
            let (last_row, _) = self.reach(k);
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
            if best != k {
                self.first_exchanged = self.first_exchanged.min(k);
            }
            let width = self.reach(k).1 - k + 1;
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
        let (last_row, last_column) = (self.reach(k).0, (k + self.lower + self.upper).min(self.size - 1));
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
        if self.in_order {
            return self.solve_in_order(x);
        }
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

    /// The same without exchanges, with the inverses of the pivots.
    fn solve_in_order(&self, x: &mut [S]) {
        let mut before = S::from_f64(0.0);
        for (x, row) in x.iter_mut().zip(self.entries.chunks_exact(4)) {
            before = *x - row[0] * before;
            *x = before;
        }
        self.back_in_order(x);
    }

    /// U⁻¹ x.
    pub(crate) fn back_in_order(&self, x: &mut [S]) {
        let mut rows = x.iter_mut().zip(self.entries.chunks_exact(4)).rev();
        let Some((x, row)) = rows.next() else { return };
        *x = *x * row[3];
        let mut after = *x;
        for (x, row) in rows {
            after = *x * row[3] - row[2] * row[3] * after;
            *x = after;
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

#[cfg(test)]
mod tests {
    use super::*;
    use cotangent_scalar::Random;

    /// A tridiagonal matrix row by row, factored both ways: whether the first was possible, and how far the solutions for
    /// a right-hand side are apart.
    fn compare(n: usize, diagonal: f64) -> (bool, f64) {
        let mut random = Random::default();
        let mut values = vec![];
        let mut generic = BandedLu::<f64>::new(n, 1, 1);
        for i in 0..n {
            for j in i.saturating_sub(1)..=(i + 1).min(n - 1) {
                let value = random.uniform() - 0.5 + if i == j { diagonal } else { 0.0 };
                let place = generic.place(i, j);
                generic.entries[place] = value;
                values.push(value);
            }
        }
        let addresses: Vec<(u32, u32)> = (0..n)
            .flat_map(|i| (i.saturating_sub(1)..=(i + 1).min(n - 1)).map(move |j| (i as u32, j as u32)))
            .collect();
        let (mut scales, mut own) = (Scales::new(n), Scales::new(n));
        scales.measure(&addresses, &values);
        generic.factor(&mut scales).unwrap();
        let mut fast = BandedLu::<f64>::new(n, 1, 1);
        let in_order = fast.factor_in_order(&values, &mut own, (&[], &mut []));
        if in_order {
            assert!((own.pivot_ratio() - scales.pivot_ratio()).abs() <= 1e-14);
            for (fast, generic) in fast.entries.chunks(4).zip(generic.entries.chunks(4)) {
                let apart = fast.iter().zip(&generic[..3]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(apart < 1e-14 && (fast[3] * generic[1] - 1.0).abs() < 1e-14, "{fast:?} {generic:?}");
            }
        }
        let b: Vec<f64> = (0..n).map(|_| random.uniform()).collect();
        let (mut x, mut y) = (b.clone(), b);
        let (mut transposed, mut other) = (x.clone(), y.clone());
        generic.solve(&mut x);
        fast.solve(&mut y);
        let mut at_once = vec![0.0; n];
        if fast.factor_in_order(&values, &mut own, (&other, &mut at_once)) {
            fast.back_in_order(&mut at_once);
            assert_eq!(at_once, y);
        }
        generic.solve_transposed(&mut transposed);
        fast.solve_transposed(&mut other);
        let apart = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        (in_order, apart(&x, &y).max(apart(&transposed, &other)))
    }

    #[test]
    fn without_exchanges_a_tridiagonal_matrix_has_the_same_factors() {
        for n in [2, 3, 9, 100] {
            let (in_order, apart) = compare(n, 2.0);
            assert!(in_order && apart < 1e-14, "{n} {apart:e}");
        }
    }

    #[test]
    fn an_exchange_is_noticed() {
        assert!(!compare(50, 0.0).0);
    }
}
