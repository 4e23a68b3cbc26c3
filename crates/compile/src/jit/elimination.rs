//! Gaussian elimination of small matrices inline.

use super::newton::At;
use super::step::Steps;
use super::target::{Comparison, Sides, Target};
use crate::program::{Binary, Unary};
use cotangent_solve::LARGEST_UNROLLED;

/// A row is not exchanged for one below whose entry, relative to its row, is larger by less than this: the reference
/// exchanges them from a thousandth on.
const TIE: f64 = 1.0005;
/// A pivot that is larger than this, relative to its row, is one for the reference, too.
const PIVOT: f64 = 1e-8;

/// The largest of some sizes.
pub(super) fn largest<T: Target>(t: &mut T, sizes: &[T::Number]) -> T::Number {
    let zero = t.number(0.0);
    sizes.iter().fold(zero, |largest, &size| {
        let more = t.compare(Comparison::Less, largest, size);
        t.choice(more, size, largest)
    })
}

/// Whether a pivot is one for the reference, too, of its size and that of the largest entry of its row.
pub(super) fn is_pivot<T: Target>(t: &mut T, pivot: T::Number, row: T::Number) -> T::Truth {
    let least = t.number(PIVOT);
    let bound = t.binary(Binary::Mul, least, row);
    t.compare(Comparison::Less, bound, pivot)
}

/// Whether a pivot is not exchanged for an entry below it; of each the size and that of the largest entry of its row. In products,
/// which take less time than quotients; where these are not finite, or nothing, it is for the reference to say.
pub(super) fn is_in_order<T: Target>(t: &mut T, pivot: [T::Number; 2], below: [T::Number; 2]) -> T::Truth {
    let tie = t.number(TIE);
    let bound = t.binary(Binary::Mul, pivot[0], tie);
    let bound = t.binary(Binary::Mul, bound, below[1]);
    let size = t.binary(Binary::Mul, below[0], pivot[1]);
    t.compare(Comparison::Less, size, bound)
}

impl<T: Target> Steps<'_, '_, T> {
    /// J⁻¹ r; small matrices are eliminated inline, as [`LinearSolver`](cotangent_solve::LinearSolver) does with full and tridiagonal ones.
    /// Where the reference would exchange rows, or may find J singular, or something is not finite, it is called.
    pub(super) fn solved(&mut self, at: &At<'_, T>) -> Vec<T::Number> {
        let inline = (at.residual.len() <= LARGEST_UNROLLED).then(|| self.eliminated(at)).flatten();
        let Some((solution, ordinary)) = inline else { return self.solved_by_call(at) };
        let cells: Vec<T::Cell> = solution.iter().map(|_| self.t.cell()).collect();
        cells.iter().zip(&solution).for_each(|(&cell, &x)| self.t.set(cell, x));
        let merged = self.t.open_block();
        self.t.go_if(ordinary, merged);
        let solution = self.solved_by_call(at);
        cells.iter().zip(&solution).for_each(|(&cell, &x)| self.t.set(cell, x));
        self.t.close_block(merged);
        cells.into_iter().map(|cell| self.t.get(cell)).collect()
    }

    fn solved_by_call(&mut self, at: &At<'_, T>) -> Vec<T::Number> {
        let regular = self.t.factor(at.system, &at.jacobian);
        self.t.go_unless(regular, self.bail);
        let how = Sides { columns: 1, transposed: false, strict: true };
        let (solution, good) = self.t.solve(at.system, &at.residual, how);
        self.t.go_unless(good, self.bail);
        solution
    }

    /// J⁻¹ r by elimination in the order of the rows, and whether that is the order of the reference and all is finite.
    /// Entries that are not in the pattern take no operations. `None` if a pivot is none of them.
    fn eliminated(&mut self, at: &At<'_, T>) -> Option<(Vec<T::Number>, T::Truth)> {
        let n = at.residual.len();
        let mut a: Vec<Vec<Option<T::Number>>> = vec![vec![None; n]; n];
        let mut rows = vec![];
        for (i, row) in a.iter_mut().enumerate() {
            let mut sizes = vec![];
            for (entry, &j) in at.pattern.positions(i).zip(at.pattern.row(i)) {
                row[j as usize] = Some(at.jacobian[entry]);
                sizes.push(self.t.unary(Unary::Abs, at.jacobian[entry]));
            }
            rows.push(largest(self.t, &sizes));
        }
        // As the reference, which has the inverses of the pivots of a tridiagonal matrix.
        let inverses = at.pattern.is_tridiagonal();
        let (zero, one) = (self.t.number(0.0), self.t.number(1.0));
        let (mut conditions, mut pivots) = (vec![], vec![]);
        for k in 0..n {
            let pivot = a[k][k]?;
            let size = self.t.unary(Unary::Abs, pivot);
            conditions.push(is_pivot(self.t, size, rows[k]));
            pivots.push(if inverses { self.t.binary(Binary::Div, one, pivot) } else { pivot });
            let (done, below) = a.split_at_mut(k + 1);
            for (i, row) in (k + 1..).zip(below) {
                let Some(entry) = row[k] else { continue };
                let own = self.t.unary(Unary::Abs, entry);
                conditions.push(is_in_order(self.t, [size, rows[k]], [own, rows[i]]));
                let factor = self.over(entry, pivots[k], inverses);
                row[k] = Some(factor);
                for (entry, p) in row[k + 1..].iter_mut().zip(&done[k][k + 1..]) {
                    let Some(p) = p else { continue };
                    let product = self.t.binary(Binary::Mul, factor, *p);
                    *entry = Some(self.t.binary(Binary::Sub, entry.unwrap_or(zero), product));
                }
            }
        }
        let mut x = at.residual.clone();
        let subtract = |t: &mut T, sum: T::Number, entry: Option<T::Number>, x: T::Number| match entry {
            Some(entry) => {
                let product = t.binary(Binary::Mul, entry, x);
                t.binary(Binary::Sub, sum, product)
            }
            None => sum,
        };
        for i in 0..n {
            for j in 0..i {
                x[i] = subtract(self.t, x[i], a[i][j], x[j]);
            }
        }
        for i in (0..n).rev() {
            if inverses {
                // The products with the inverse do not wait for the rows below.
                let above = a[i].get(i + 1).copied().flatten();
                let above = above.map(|above| self.t.binary(Binary::Mul, above, pivots[i]));
                let own = self.t.binary(Binary::Mul, x[i], pivots[i]);
                x[i] = if i + 1 < n { subtract(self.t, own, above, x[i + 1]) } else { own };
                continue;
            }
            for j in i + 1..n {
                x[i] = subtract(self.t, x[i], a[i][j], x[j]);
            }
            x[i] = self.t.binary(Binary::Div, x[i], pivots[i]);
        }
        let ordinary = self.all(conditions);
        let finite = self.finite(&[&at.residual[..], &x].concat());
        Some((x, self.t.both(ordinary, finite)))
    }

    /// A quotient, or a product with the inverse.
    fn over(&mut self, x: T::Number, pivot: T::Number, inverse: bool) -> T::Number {
        self.t.binary(if inverse { Binary::Mul } else { Binary::Div }, x, pivot)
    }
}
