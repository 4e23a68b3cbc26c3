//! Iterations to a fixed point inline, for the stages of a Runge–Kutta method.

use super::step::{Arrival, Counted, Reach, StepEmitter};
use crate::record::FixedPoint;
use cotangent_dynamics::{PAUSE, Unknowns, patience};
use cotangent_solve::{Comparisons, StageRule, UNSETTLED};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, Value, types};
use cranelift_frontend::Variable;
use std::mem::offset_of;

/// The values that an iteration carries on.
struct Loop {
    unknowns: Vec<Variable>,
    /// What is known of each entry of the vector.
    known: Vec<[Variable; 2]>,
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
            known: columns.map(|_| [(); 2].map(|()| self.e.b.declare_var(types::F64))).collect(),
            count: self.e.b.declare_var(types::I64),
        };
        let guess: Vec<Value> = fixed.guess.iter().map(|&at| self.value(values, at)).collect();
        let finite = self.finite(&guess);
        let begin = self.e.b.create_block();
        self.e.b.ins().brif(finite, begin, &[], reach.bail, &[]);
        self.e.b.switch_to_block(begin);
        l.unknowns.iter().zip(&guess).for_each(|(&x, &g)| self.e.b.def_var(x, g));
        let unsettled = UNSETTLED.map(|number| self.e.b.ins().f64const(number));
        let nothing = self.e.b.ins().iconst(types::I64, 0);
        for (&variable, number) in l.known.iter().flat_map(|known| known.iter().zip(unsettled)) {
            self.e.b.def_var(variable, number);
        }
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
        let columns = self.columns(x, next, l.known.len());
        let tolerance = self.arrival(types::F64, offset_of!(Arrival, tolerance), reach);
        let (mut first, mut all) = (0, None);
        for count in site.groups() {
            let group = first..first + count;
            let mut largest = self.e.b.ins().f64const(0.0);
            for column in &columns[group.clone()] {
                largest = self.larger(largest, column.size);
            }
            for j in group {
                let Column { update, size } = columns[j];
                let known = l.known[j].map(|variable| self.e.b.use_var(variable));
                let sizes = [update, size, largest];
                let (settled, known) = StageRule::judge(self, f64::EPSILON, tolerance, sizes, known);
                l.known[j].iter().zip(known).for_each(|(&variable, value)| self.e.b.def_var(variable, value));
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
