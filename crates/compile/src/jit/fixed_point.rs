//! Iterations to a fixed point inline, for the stages of a Runge–Kutta method.

use super::step::{Arrival, Counted, Reach, StepEmitter};
use crate::record::FixedPoint;
use cotangent_dynamics::{PAUSE, Unknowns, patience};
use cotangent_solve::{Comparisons, StageRule};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, Value, types};
use cranelift_frontend::Variable;
use std::mem::offset_of;

/// The values that an iteration carries on.
struct Loop {
    unknowns: Vec<Variable>,
    /// By entry of the vector.
    smallest: Vec<Variable>,
    stalls: Vec<Variable>,
    count: Variable,
}

/// An entry of the vector: its largest update at any stage, and its largest size.
struct Column {
    update: Value,
    size: Value,
}

impl StepEmitter<'_, '_> {
    /// The iteration by the rule of [`StageRule`], operation for operation, and the other way.
    pub(super) fn fixed_point(
        &mut self,
        fixed: &FixedPoint,
        values: &mut [Option<Value>],
        reach: Reach,
        counted: Counted,
    ) {
        let n = fixed.guess.len();
        let b = &mut self.e.b;
        let [arrived, failed, way, exit] = [(); 4].map(|()| b.create_block());
        let found: Vec<Value> = (0..n + 1).map(|_| b.append_block_param(exit, types::F64)).collect();
        let solution: Vec<Value> = (0..n).map(|_| b.append_block_param(arrived, types::F64)).collect();
        let pause = fixed.otherwise.as_ref().map(|o| self.value(values, o.pause));
        let zero = self.e.b.ins().f64const(0.0);
        let left = self.e.b.append_block_param(way, types::F64);
        if let Some(pause) = pause {
            let (skip, one) = (self.e.b.create_block(), self.e.b.ins().f64const(1.0));
            let tried = self.e.b.create_block();
            let skipped = self.e.b.ins().fcmp(FloatCC::GreaterThan, pause, zero);
            self.e.b.ins().brif(skipped, skip, &[], tried, &[]);
            self.e.b.switch_to_block(skip);
            let fewer = self.e.b.ins().fsub(pause, one);
            self.e.b.ins().jump(way, &[BlockArg::Value(fewer)]);
            self.e.b.switch_to_block(tried);
        }
        self.iterate(fixed, values, reach, counted, (arrived, failed));
        self.e.b.switch_to_block(arrived);
        let there: Vec<BlockArg> = solution.into_iter().chain([zero]).map(BlockArg::Value).collect();
        self.e.b.ins().jump(exit, &there);

        self.e.b.switch_to_block(failed);
        match &fixed.otherwise {
            // The reference says why.
            None => self.e.b.ins().jump(reach.bail, &[]),
            Some(_) => {
                let again = self.e.b.ins().f64const(PAUSE);
                self.e.b.ins().jump(way, &[BlockArg::Value(again)])
            }
        };
        self.e.b.switch_to_block(way);
        match &fixed.otherwise {
            None => self.e.b.ins().jump(reach.bail, &[]),
            Some(otherwise) => {
                self.regions(fixed.end as usize..otherwise.end as usize, values, reach, counted);
                let found: Vec<Value> = otherwise.solution.iter().map(|&at| self.value(values, at)).collect();
                let there: Vec<BlockArg> = found.into_iter().chain([left]).map(BlockArg::Value).collect();
                self.e.b.ins().jump(exit, &there)
            }
        };
        self.e.b.switch_to_block(exit);
        let kept = n + usize::from(fixed.otherwise.is_some());
        for (k, &value) in found.iter().take(kept).enumerate() {
            values[fixed.solution() + k] = Some(value);
        }
    }

    /// The loop: to the first block with the solution, or to the second.
    fn iterate(
        &mut self,
        fixed: &FixedPoint,
        values: &mut [Option<Value>],
        reach: Reach,
        counted: Counted,
        (arrived, failed): (Block, Block),
    ) {
        let Some(site) = self.recording.plan.unknowns(fixed.site) else { return };
        let columns = 0..site.len() / site.stages.unwrap_or(1).max(1);
        let l = Loop {
            unknowns: fixed.guess.iter().map(|_| self.e.b.declare_var(types::F64)).collect(),
            smallest: columns.clone().map(|_| self.e.b.declare_var(types::F64)).collect(),
            stalls: columns.map(|_| self.e.b.declare_var(types::I64)).collect(),
            count: self.e.b.declare_var(types::I64),
        };
        let guess: Vec<Value> = fixed.guess.iter().map(|&at| self.value(values, at)).collect();
        let finite = self.finite(&guess);
        let begin = self.e.b.create_block();
        self.e.b.ins().brif(finite, begin, &[], reach.bail, &[]);
        self.e.b.switch_to_block(begin);
        l.unknowns.iter().zip(&guess).for_each(|(&x, &g)| self.e.b.def_var(x, g));
        let none = self.e.b.ins().f64const(f64::INFINITY);
        let nothing = self.e.b.ins().iconst(types::I64, 0);
        l.smallest.iter().for_each(|&smallest| self.e.b.def_var(smallest, none));
        l.stalls.iter().for_each(|&stalls| self.e.b.def_var(stalls, nothing));
        self.e.b.def_var(l.count, nothing);
        let head = self.e.b.create_block();
        self.e.b.ins().jump(head, &[]);
        self.e.b.switch_to_block(head);
        let x: Vec<Value> = l.unknowns.iter().map(|&u| self.e.b.use_var(u)).collect();
        for (j, &x) in x.iter().enumerate() {
            values[fixed.first() + j] = Some(x);
        }
        self.count(counted.contractions);
        self.ops(fixed.start as usize..fixed.end as usize, values, reach);
        let next: Vec<Value> = fixed.next.iter().map(|&at| self.value(values, at)).collect();
        let finite = self.finite(&next);
        let going = self.e.b.create_block();
        // Sizes that add up to no number are for the reference to judge.
        self.e.b.ins().brif(finite, going, &[], reach.bail, &[]);
        self.e.b.switch_to_block(going);
        l.unknowns.iter().zip(&next).for_each(|(&x, &next)| self.e.b.def_var(x, next));
        let patience = fixed.otherwise.as_ref().map_or(i64::MAX, |_| i64::from(patience(x.len())));
        self.judge_change(&l, (site, patience), (&x, &next), reach, (arrived, failed));
        self.e.b.ins().jump(head, &[]);
    }

    /// Leaves the loop, or goes on.
    fn judge_change(
        &mut self,
        l: &Loop,
        (site, patience): (&Unknowns, i64),
        (x, next): (&[Value], &[Value]),
        reach: Reach,
        (arrived, failed): (Block, Block),
    ) {
        let there: Vec<BlockArg> = next.iter().map(|&x| BlockArg::Value(x)).collect();
        let columns = self.columns(x, next, l.stalls.len());
        let tolerance = self.arrival(types::F64, offset_of!(Arrival, tolerance), reach);
        let (mut first, mut all) = (0, None);
        for count in site.groups() {
            let group = first..first + count;
            let mut largest = self.e.b.ins().f64const(0.0);
            for column in &columns[group.clone()] {
                largest = self.larger(largest, column.size);
            }
            let part = self.e.b.ins().f64const(StageRule::NOISE * f64::EPSILON);
            let noise = self.e.b.ins().fmul(part, largest);
            for j in group {
                let settled = self.settled(&columns[j], (l.smallest[j], l.stalls[j]), tolerance, noise);
                all = Some(all.map_or(settled, |all| self.e.b.ins().band(all, settled)));
            }
            first += count;
        }
        let all = all.unwrap_or_else(|| self.e.b.ins().iconst(types::I8, 1));
        let patient = self.e.b.create_block();
        self.e.b.ins().brif(all, arrived, &there, patient, &[]);

        self.e.b.switch_to_block(patient);
        let count = self.e.b.use_var(l.count);
        let count = self.e.b.ins().iadd_imm_s(count, 1);
        self.e.b.def_var(l.count, count);
        let limit = self.arrival(types::I64, offset_of!(Arrival, limit), reach);
        let patience = self.e.b.ins().iconst(types::I64, patience);
        let limit = self.e.b.ins().smin(limit, patience);
        let spent = self.e.b.ins().icmp(IntCC::SignedGreaterThanOrEqual, count, limit);
        let going = self.e.b.create_block();
        self.e.b.ins().brif(spent, failed, &[], going, &[]);
        self.e.b.switch_to_block(going);
    }

    /// Whether an entry is settled.
    fn settled(
        &mut self,
        column: &Column,
        (smallest, stalls): (Variable, Variable),
        tolerance: Value,
        noise: Value,
    ) -> Value {
        use FloatCC::{GreaterThanOrEqual, LessThan, LessThanOrEqual};
        let &Column { update, size } = column;
        let c = |s: &mut Self, x: f64| s.e.b.ins().f64const(x);
        let (least, before) = (self.e.b.use_var(smallest), self.e.b.use_var(stalls));
        let (zero, epsilon) = (c(self, 0.0), c(self, f64::EPSILON));
        let (negligible, units) = (c(self, StageRule::NEGLIGIBLE), c(self, StageRule::ROUND_OFF));
        let unit = self.e.b.ins().fmul(epsilon, size);
        let tolerated = self.e.b.ins().fmul(tolerance, size);
        let tolerated = self.e.b.ins().fcmp(LessThanOrEqual, update, tolerated);
        let square = self.e.b.ins().fmul(update, update);
        let gap = self.e.b.ins().fsub(least, update);
        let rest = self.e.b.ins().fmul(negligible, unit);
        let rest = self.e.b.ins().fmul(rest, gap);
        let last = self.all(vec![(LessThanOrEqual, update, unit), (LessThanOrEqual, square, rest)]);
        let round_off = self.e.b.ins().fmul(units, unit);
        let steady = self.all(vec![(LessThanOrEqual, update, round_off), (GreaterThanOrEqual, update, least)]);
        let settled = self.e.b.ins().bor(tolerated, last);
        let settled = self.e.b.ins().bor(settled, steady);

        let shrinks = self.e.b.ins().fcmp(LessThan, update, least);
        let anew = self.e.b.ins().fcmp(FloatCC::Equal, least, zero);
        let more = self.e.b.ins().iadd_imm_s(before, 1);
        let none = self.e.b.ins().iconst(types::I64, 0);
        let fresh = self.e.b.ins().bor(shrinks, anew);
        let fresh = self.e.b.ins().bor(fresh, settled);
        let now = self.e.b.ins().select(fresh, none, more);
        self.e.b.def_var(stalls, now);
        let lower = self.smaller(least, update);
        let lower = self.e.b.ins().select(anew, update, lower);
        let lower = self.e.b.ins().select(settled, zero, lower);
        self.e.b.def_var(smallest, lower);
        let stall = self.e.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, now, i64::from(StageRule::STALLS));
        let is_noise = self.e.b.ins().fcmp(LessThanOrEqual, update, noise);
        let is_noise = self.e.b.ins().band(stall, is_noise);
        self.e.b.ins().bor(settled, is_noise)
    }

    fn smaller(&mut self, a: Value, b: Value) -> Value {
        let less = self.e.b.ins().fcmp(FloatCC::LessThan, b, a);
        self.e.b.ins().select(less, b, a)
    }

    fn columns(&mut self, x: &[Value], next: &[Value], n: usize) -> Vec<Column> {
        let column = |j: usize| {
            let zero = self.e.b.ins().f64const(0.0);
            let (mut update, mut size) = (zero, zero);
            for k in (j..x.len()).step_by(n) {
                let change = self.e.b.ins().fsub(next[k], x[k]);
                let change = self.e.b.ins().fabs(change);
                update = self.larger(update, change);
                let own = self.e.b.ins().fabs(next[k]);
                size = self.larger(size, own);
            }
            Column { update, size }
        };
        (0..n).map(column).collect()
    }
}
