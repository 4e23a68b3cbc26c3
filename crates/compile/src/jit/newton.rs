//! Newton's method inline, for the ordinary course of an iteration.

use super::step::{Arrival, Counted, Reach, StepEmitter};
use crate::record::Iteration;
use cotangent_solve::{Pattern, StoppingRule};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{BlockArg, InstBuilder, Value, types};
use cranelift_frontend::Variable;
use std::mem::offset_of;

/// The values an iteration compares.
struct Loop {
    unknowns: Vec<Variable>,
    sizes: Vec<Variable>,
    previous: Variable,
    count: Variable,
}

impl StepEmitter<'_, '_> {
    /// Newton's method by the rule of [`StoppingRule`](cotangent_solve::StoppingRule), operation for
    /// operation; anything but its ordinary course goes to `bail`.
    pub(super) fn iteration(
        &mut self,
        which: usize,
        it: &Iteration,
        values: &mut [Option<Value>],
        reach: Reach,
        counted: Counted,
    ) {
        let n = it.guess.len();
        let bail = reach.bail;
        let Some(pattern) = self.recording.plan.unknowns(it.site).and_then(|u| u.pattern.as_ref()) else { return };
        let l = Loop {
            unknowns: (0..n).map(|_| self.e.b.declare_var(types::F64)).collect(),
            sizes: (0..n).map(|_| self.e.b.declare_var(types::F64)).collect(),
            previous: self.e.b.declare_var(types::F64),
            count: self.e.b.declare_var(types::I64),
        };
        let zero = self.e.b.ins().f64const(0.0);
        for (j, &g) in it.guess.iter().enumerate() {
            let g = self.value(values, g);
            self.e.b.def_var(l.unknowns[j], g);
            self.e.b.def_var(l.sizes[j], zero);
        }
        // No update yet: no comparison with NaN holds.
        let none = self.e.b.ins().f64const(f64::NAN);
        self.e.b.def_var(l.previous, none);
        let start = self.e.b.ins().iconst(types::I64, 0);
        self.e.b.def_var(l.count, start);
        let (head, exit) = (self.e.b.create_block(), self.e.b.create_block());
        let solution: Vec<Value> = (0..n).map(|_| self.e.b.append_block_param(exit, types::F64)).collect();
        self.e.b.ins().jump(head, &[]);
        self.e.b.switch_to_block(head);
        let x: Vec<Value> = l.unknowns.iter().map(|&u| self.e.b.use_var(u)).collect();
        for (j, &x) in x.iter().enumerate() {
            values[it.start as usize - n + j] = Some(x);
        }
        self.ops(it.start as usize..it.end as usize, values, reach);
        let r: Vec<Value> = it.residual.iter().map(|&at| self.value(values, at)).collect();
        let jacobian: Vec<Value> = it.jacobian.iter().map(|&at| self.value(values, at)).collect();
        let here: Vec<BlockArg> = x.iter().map(|&x| BlockArg::Value(x)).collect();

        // Solved already: every residual is zero.
        let solved = self.all(r.iter().map(|&r| (FloatCC::Equal, r, zero)).collect());
        let finite = self.finite(&jacobian);
        let solved = self.e.b.ins().band(solved, finite);
        let unsolved = self.e.b.create_block();
        self.e.b.ins().brif(solved, exit, &here, unsolved, &[]);
        self.e.b.switch_to_block(unsolved);
        let count = self.e.b.use_var(l.count);
        let limit = self.arrival(types::I64, offset_of!(Arrival, limit), reach);
        let spent = self.e.b.ins().icmp(IntCC::Equal, count, limit);
        let going = self.e.b.create_block();
        self.e.b.ins().brif(spent, bail, &[], going, &[]);
        self.e.b.switch_to_block(going);
        let delta = self.update(which, &r, &jacobian, reach);
        self.count(counted.updates);

        let measure = self.measure(&l, &x, &r, (pattern, &jacobian), &delta);
        let next: Vec<Value> = x.iter().zip(&delta).map(|(&x, &d)| self.e.b.ins().fsub(x, d)).collect();
        let there: Vec<BlockArg> = next.iter().map(|&x| BlockArg::Value(x)).collect();
        let previous = self.e.b.use_var(l.previous);
        let theta = self.e.b.ins().fdiv(measure.update, previous);
        let c = |s: &mut Self, x: f64| s.e.b.ins().f64const(x);
        let (epsilon, twice, sixteenth) =
            (c(self, f64::EPSILON), c(self, 2.0 * f64::EPSILON), c(self, f64::EPSILON / 16.0));
        let (quarter, stall_ratio) = (c(self, 0.25), c(self, StoppingRule::STALL));
        let small_update = self.e.b.ins().fcmp(FloatCC::LessThanOrEqual, measure.relative_update, epsilon);
        let small_residual = self.e.b.ins().fcmp(FloatCC::LessThanOrEqual, measure.relative_residual, twice);
        let shrinking = self.e.b.ins().fcmp(FloatCC::LessThanOrEqual, theta, quarter);
        let expected = self.e.b.ins().fmul(theta, measure.relative_update);
        let negligible = self.e.b.ins().fcmp(FloatCC::LessThanOrEqual, expected, sixteenth);
        let last_update = self.arrival(types::F64, offset_of!(Arrival, update), reach);
        let gone = self.e.b.ins().fcmp(FloatCC::LessThanOrEqual, measure.update, last_update);
        let at_once = self.e.b.ins().bor(small_update, small_residual);
        let at_once = self.e.b.ins().bor(at_once, gone);
        let soon = self.e.b.ins().band(shrinking, negligible);
        let last = self.e.b.ins().bor(at_once, soon);
        let onward = self.e.b.create_block();
        self.e.b.ins().brif(last, exit, &there, onward, &[]);
        self.e.b.switch_to_block(onward);
        let stalled = self.e.b.ins().fcmp(FloatCC::GreaterThanOrEqual, theta, stall_ratio);
        let (again, stall) = (self.e.b.create_block(), self.e.b.create_block());
        self.e.b.ins().brif(stalled, stall, &[], again, &[]);
        // A stall at round-off is arrival; any other is for the reference to judge.
        self.e.b.switch_to_block(stall);
        let root = c(self, f64::EPSILON.sqrt());
        let round_off = self.e.b.ins().fcmp(FloatCC::LessThanOrEqual, measure.relative_update, root);
        self.e.b.ins().brif(round_off, exit, &here, bail, &[]);
        self.e.b.switch_to_block(again);
        for (j, &x) in next.iter().enumerate() {
            self.e.b.def_var(l.unknowns[j], x);
        }
        self.e.b.def_var(l.previous, measure.update);
        let count = self.e.b.ins().iadd_imm_s(count, 1);
        self.e.b.def_var(l.count, count);
        self.e.b.ins().jump(head, &[]);
        self.e.b.switch_to_block(exit);
        for (j, &s) in solution.iter().enumerate() {
            values[it.end as usize + j] = Some(s);
        }
    }

    /// δ = J⁻¹ r.
    fn update(&mut self, which: usize, r: &[Value], jacobian: &[Value], reach: Reach) -> Vec<Value> {
        if let (&[r], &[j]) = (r, jacobian) {
            let good = self.e.b.create_block();
            let delta = self.e.b.ins().fdiv(r, j);
            let infinity = self.e.b.ins().f64const(f64::INFINITY);
            let mut finite = vec![];
            for v in [r, j, delta] {
                let size = self.e.b.ins().fabs(v);
                finite.push((FloatCC::LessThan, size, infinity));
            }
            let finite = self.all(finite);
            self.e.b.ins().brif(finite, good, &[], reach.bail, &[]);
            self.e.b.switch_to_block(good);
            return vec![delta];
        }
        self.factor(which, jacobian, reach);
        self.solve(which, r, (1, false, true), reach)
    }

    /// The sizes that the stopping rule compares, computed as `NewtonWorkspace::measure` does.
    fn measure(
        &mut self,
        l: &Loop,
        x: &[Value],
        r: &[Value],
        (pattern, jacobian): (&Pattern, &[Value]),
        delta: &[Value],
    ) -> Measured {
        let n = x.len();
        let abs = |s: &mut Self, v: &Value| s.e.b.ins().fabs(*v);
        let sizes_x: Vec<Value> = x.iter().map(|v| abs(self, v)).collect();
        let sizes_d: Vec<Value> = delta.iter().map(|v| abs(self, v)).collect();
        let (mut update, mut relative, mut residual) = (None, None, None);
        for j in 0..n {
            let before = self.e.b.use_var(l.sizes[j]);
            let size = self.larger(before, sizes_x[j]);
            let size = self.larger(size, sizes_d[j]);
            self.e.b.def_var(l.sizes[j], size);
            let ratio = self.ratio(sizes_d[j], size);
            update = Some(self.grow(update, ratio));
            let ratio = self.ratio(sizes_d[j], sizes_x[j]);
            relative = Some(self.grow(relative, ratio));
        }
        for i in 0..n {
            let mut row = None;
            for (entry, &j) in pattern.positions(i).zip(pattern.row(i)) {
                let term = self.e.b.ins().fmul(jacobian[entry], x[j as usize]);
                let term = self.e.b.ins().fabs(term);
                row = Some(row.map_or(term, |sum| self.e.b.ins().fadd(sum, term)));
            }
            let size = self.e.b.ins().fabs(r[i]);
            let row = row.unwrap_or_else(|| self.e.b.ins().f64const(0.0));
            let ratio = self.ratio(size, row);
            residual = Some(self.grow(residual, ratio));
        }
        let none = self.e.b.ins().f64const(f64::NAN);
        Measured {
            update: update.unwrap_or(none),
            relative_update: relative.unwrap_or(none),
            relative_residual: residual.unwrap_or(none),
        }
    }

    pub(super) fn larger(&mut self, a: Value, b: Value) -> Value {
        let more = self.e.b.ins().fcmp(FloatCC::LessThan, a, b);
        self.e.b.ins().select(more, b, a)
    }

    fn grow(&mut self, largest: Option<Value>, size: Value) -> Value {
        largest.map_or(size, |l| self.larger(l, size))
    }

    /// a/b, where 0/0 is 0.
    fn ratio(&mut self, a: Value, b: Value) -> Value {
        let zero = self.e.b.ins().f64const(0.0);
        let nothing = self.e.b.ins().fcmp(FloatCC::Equal, a, zero);
        let quotient = self.e.b.ins().fdiv(a, b);
        self.e.b.ins().select(nothing, zero, quotient)
    }
}

struct Measured {
    update: Value,
    relative_update: Value,
    relative_residual: Value,
}
