//! Gaussian elimination of small matrices inline.

use super::step::{Reach, StepEmitter};
use cotangent_solve::{LARGEST_UNROLLED, Pattern};
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{BlockArg, InstBuilder, Value, types};

/// A row is not exchanged for one below whose entry, relative to its row, is larger by less than this: the reference
/// exchanges them from a thousandth on.
const TIE: f64 = 1.0005;
/// A pivot that is larger than this, relative to its row, is one for the reference, too.
const PIVOT: f64 = 1e-8;

impl StepEmitter<'_, '_> {
    /// J⁻¹ r; small matrices are eliminated inline, as [`LinearSolver`](cotangent_solve::LinearSolver) does with full ones.
    /// Where the reference would exchange rows, or may find J singular, or something is not finite, it is called.
    pub(super) fn solved(
        &mut self,
        which: usize,
        r: &[Value],
        (pattern, jacobian): (&Pattern, &[Value]),
        reach: Reach,
    ) -> Vec<Value> {
        let inline = (r.len() <= LARGEST_UNROLLED).then(|| self.eliminated(r, pattern, jacobian)).flatten();
        let Some((solution, ordinary)) = inline else {
            self.factor(which, jacobian, reach);
            return self.solve(which, r, (1, false, true), reach);
        };
        let (called, merged) = (self.e.b.create_block(), self.e.b.create_block());
        let result = r.iter().map(|_| self.e.b.append_block_param(merged, types::F64)).collect();
        let arguments = |values: Vec<Value>| values.into_iter().map(BlockArg::Value).collect::<Vec<_>>();
        self.e.b.ins().brif(ordinary, merged, &arguments(solution), called, &[]);
        self.e.b.switch_to_block(called);
        self.factor(which, jacobian, reach);
        let solution = self.solve(which, r, (1, false, true), reach);
        self.e.b.ins().jump(merged, &arguments(solution));
        self.e.b.switch_to_block(merged);
        result
    }

    /// J⁻¹ r by elimination in the order of the rows, and whether that is the order of the reference and all is finite.
    /// Entries that are not in the pattern take no operations. `None` if a pivot is none of them.
    fn eliminated(&mut self, r: &[Value], pattern: &Pattern, jacobian: &[Value]) -> Option<(Vec<Value>, Value)> {
        let n = r.len();
        let mut a: Vec<Vec<Option<Value>>> = vec![vec![None; n]; n];
        let mut scales = vec![];
        let one = self.e.b.ins().f64const(1.0);
        for (i, row) in a.iter_mut().enumerate() {
            let mut largest = self.e.b.ins().f64const(0.0);
            for (entry, &j) in pattern.positions(i).zip(pattern.row(i)) {
                row[j as usize] = Some(jacobian[entry]);
                let size = self.e.b.ins().fabs(jacobian[entry]);
                let more = self.e.b.ins().fcmp(FloatCC::GreaterThan, size, largest);
                largest = self.e.b.ins().select(more, size, largest);
            }
            scales.push(self.e.b.ins().fdiv(one, largest));
        }
        let (tie, least) = (self.e.b.ins().f64const(TIE), self.e.b.ins().f64const(PIVOT));
        let zero = self.e.b.ins().f64const(0.0);
        let mut conditions = vec![];
        for k in 0..n {
            let pivot = a[k][k]?;
            let in_row = |s: &mut Self, value: Value, i: usize| {
                let size = s.e.b.ins().fabs(value);
                s.e.b.ins().fmul(size, scales[i])
            };
            let best = in_row(self, pivot, k);
            conditions.push((FloatCC::GreaterThan, best, least));
            let bound = self.e.b.ins().fmul(best, tie);
            let (done, below) = a.split_at_mut(k + 1);
            for (i, row) in (k + 1..).zip(below) {
                let Some(entry) = row[k] else { continue };
                conditions.push((FloatCC::LessThanOrEqual, in_row(self, entry, i), bound));
                let factor = self.e.b.ins().fdiv(entry, pivot);
                row[k] = Some(factor);
                for (entry, p) in row[k + 1..].iter_mut().zip(&done[k][k + 1..]) {
                    let Some(p) = p else { continue };
                    let product = self.e.b.ins().fmul(factor, *p);
                    *entry = Some(self.e.b.ins().fsub(entry.unwrap_or(zero), product));
                }
            }
        }
        let mut x = r.to_vec();
        let subtract = |s: &mut Self, sum: Value, entry: Option<Value>, x: Value| match entry {
            Some(entry) => {
                let product = s.e.b.ins().fmul(entry, x);
                s.e.b.ins().fsub(sum, product)
            }
            None => sum,
        };
        for i in 0..n {
            for j in 0..i {
                x[i] = subtract(self, x[i], a[i][j], x[j]);
            }
        }
        for i in (0..n).rev() {
            for j in i + 1..n {
                x[i] = subtract(self, x[i], a[i][j], x[j]);
            }
            x[i] = self.e.b.ins().fdiv(x[i], a[i][i]?);
        }
        let ordinary = self.all(conditions);
        let finite = self.finite(&[r, &x].concat());
        Some((x, self.e.b.ins().band(ordinary, finite)))
    }
}
