//! Newton's method inline, for the ordinary course of an iteration.

use super::step::{Arrival, Counted, Reach, StepEmitter};
use crate::program::{Binary, Unary};
use crate::record::{Iteration, TraceOp};
use cotangent_solve::{Comparisons, Pattern, StoppingRule, Verdict};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{BlockArg, InstBuilder, Value, types};
use cranelift_frontend::Variable;
use std::collections::HashSet;
use std::mem::offset_of;

/// The values an iteration compares.
struct Loop {
    unknowns: Vec<Variable>,
    sizes: Vec<Variable>,
    previous: Variable,
    count: Variable,
}

impl StepEmitter<'_, '_> {
    /// Newton's method by the rule of [`StoppingRule`](cotangent_solve::StoppingRule), or one update of affine equations;
    /// anything but its ordinary course goes to `bail`.
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
        let Some(unknowns) = self.recording.plan.unknowns(it.site) else { return };
        let Some(pattern) = unknowns.pattern.as_ref() else { return };
        if unknowns.affine {
            return self.affine((which, it, pattern), values, reach, counted);
        }
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
        let delta = self.update(which, &r, (pattern, &jacobian), reach);
        self.count(counted.updates);

        let terms: Vec<Value> = it.terms.iter().map(|&at| self.value(values, at)).collect();
        let verdict = self.judge(&l, (&x, &delta), (&r, &terms), (pattern, &jacobian), reach);
        let next: Vec<Value> = x.iter().zip(&delta).map(|(&x, &d)| self.e.b.ins().fsub(x, d)).collect();
        let there: Vec<BlockArg> = next.iter().map(|&x| BlockArg::Value(x)).collect();
        let onward = self.e.b.create_block();
        self.e.b.ins().brif(verdict.last, exit, &there, onward, &[]);
        self.e.b.switch_to_block(onward);
        let (again, stall) = (self.e.b.create_block(), self.e.b.create_block());
        self.e.b.ins().brif(verdict.stalled, stall, &[], again, &[]);
        // A stall at round-off is arrival; any other is for the reference to judge.
        self.e.b.switch_to_block(stall);
        self.e.b.ins().brif(verdict.round_off, exit, &here, bail, &[]);
        self.e.b.switch_to_block(again);
        for (j, &x) in next.iter().enumerate() {
            self.e.b.def_var(l.unknowns[j], x);
        }
        self.e.b.def_var(l.previous, verdict.update);
        let count = self.e.b.ins().iadd_imm_s(count, 1);
        self.e.b.def_var(l.count, count);
        self.e.b.ins().jump(head, &[]);
        self.e.b.switch_to_block(exit);
        for (j, &s) in solution.iter().enumerate() {
            values[it.end as usize + j] = Some(s);
        }
    }

    /// One update from the first guess.
    fn affine(
        &mut self,
        (which, it, pattern): (usize, &Iteration, &Pattern),
        values: &mut [Option<Value>],
        reach: Reach,
        counted: Counted,
    ) {
        let n = it.guess.len();
        let first = it.start as usize - n;
        let x: Vec<Value> = it.guess.iter().map(|&g| self.value(values, g)).collect();
        for (j, &x) in x.iter().enumerate() {
            values[first + j] = Some(x);
        }
        self.ops_from_nothing(it, values, reach);
        let r: Vec<Value> = it.residual.iter().map(|&at| self.value(values, at)).collect();
        let jacobian: Vec<Value> = it.jacobian.iter().map(|&at| self.value(values, at)).collect();
        let delta = self.update(which, &r, (pattern, &jacobian), reach);
        for (j, (&x, &delta)) in x.iter().zip(&delta).enumerate() {
            values[it.end as usize + j] = Some(self.e.b.ins().fsub(x, delta));
        }
        // None where every residual is zero already.
        let zero = self.e.b.ins().f64const(0.0);
        let solved = self.all(r.iter().map(|&r| (FloatCC::Equal, r, zero)).collect());
        let count = self.e.b.ins().uextend(types::I64, solved);
        let one = self.e.b.ins().iconst(types::I64, 1);
        let count = self.e.b.ins().isub(one, count);
        let sum = self.e.b.use_var(counted.updates);
        let sum = self.e.b.ins().iadd(sum, count);
        self.e.b.def_var(counted.updates, sum);
    }

    /// The equations at a first guess that may be zero: what is multiplied by it is left out. It is an entry of the
    /// Jacobian, or part of one, and not finite only if that is not.
    fn ops_from_nothing(&mut self, it: &Iteration, values: &mut [Option<Value>], reach: Reach) {
        let recording = self.recording;
        let first = it.start as usize - it.guess.len();
        let is_zero = |g: &u32| matches!(recording.ops[*g as usize], TraceOp::Constant(0.0));
        let mut nothing: HashSet<usize> =
            (first..).zip(&it.guess).filter(|(_, g)| is_zero(g)).map(|(k, _)| k).collect();
        for k in it.start as usize..it.end as usize {
            let zero = |at: u32| nothing.contains(&(at as usize));
            let known = match recording.ops[k] {
                TraceOp::Binary(Binary::Mul, a, b) if zero(a) || zero(b) => None,
                TraceOp::Unary(Unary::Neg, a) if zero(a) => None,
                TraceOp::Binary(Binary::Add | Binary::Sub, a, b) if zero(b) => Some(a),
                TraceOp::Binary(Binary::Add, a, b) if zero(a) => Some(b),
                _ => {
                    self.ops(k..k + 1, values, reach);
                    continue;
                }
            };
            values[k] = match known {
                Some(at) => values[at as usize],
                None => Some(self.e.b.ins().f64const(0.0)),
            };
            if known.is_none_or(zero) {
                nothing.insert(k);
            }
        }
    }

    /// δ = J⁻¹ r.
    fn update(
        &mut self,
        which: usize,
        r: &[Value],
        (pattern, jacobian): (&Pattern, &[Value]),
        reach: Reach,
    ) -> Vec<Value> {
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
        self.solved(which, r, (pattern, jacobian), reach)
    }

    /// What the stopping rule says of an update.
    fn judge(
        &mut self,
        l: &Loop,
        (x, delta): (&[Value], &[Value]),
        (r, terms): (&[Value], &[Value]),
        (pattern, jacobian): (&Pattern, &[Value]),
        reach: Reach,
    ) -> Verdict<Value, Value> {
        let mut unknowns = vec![];
        for (j, (&x, &delta)) in x.iter().zip(delta).enumerate() {
            let (x, delta) = (self.e.b.ins().fabs(x), self.e.b.ins().fabs(delta));
            let before = self.e.b.use_var(l.sizes[j]);
            let size = self.larger(before, x);
            let size = self.larger(size, delta);
            self.e.b.def_var(l.sizes[j], size);
            unknowns.push([x, delta, size]);
        }
        let (mut equations, mut moving) = (vec![], vec![]);
        for (i, &r) in r.iter().enumerate() {
            let mut row = None;
            for (entry, &j) in pattern.positions(i).zip(pattern.row(i)) {
                let term = self.e.b.ins().fmul(jacobian[entry], x[j as usize]);
                let term = self.e.b.ins().fabs(term);
                row = Some(row.map_or(term, |sum| self.e.b.ins().fadd(sum, term)));
            }
            let row = row.unwrap_or_else(|| self.e.b.ins().f64const(0.0));
            let terms = terms.get(i).copied().unwrap_or_else(|| self.e.b.ins().f64const(f64::NAN));
            let size = self.e.b.ins().fabs(r);
            equations.push([size, terms]);
            moving.push([size, row]);
        }
        let smallest = self.arrival(types::F64, offset_of!(Arrival, update), reach);
        let previous = self.e.b.use_var(l.previous);
        let (unknowns, equations, moving) = (unknowns.into_iter(), equations.into_iter(), moving.into_iter());
        StoppingRule::judge(self, f64::EPSILON, (smallest, previous), unknowns, equations, moving)
    }
}

/// The comparisons of the stopping rule as instructions.
impl Comparisons for StepEmitter<'_, '_> {
    type Number = Value;
    type Truth = Value;

    fn number(&mut self, x: f64) -> Value {
        self.e.b.ins().f64const(x)
    }

    fn product(&mut self, a: Value, b: Value) -> Value {
        self.e.b.ins().fmul(a, b)
    }

    fn ratio(&mut self, a: Value, b: Value) -> Value {
        let zero = self.e.b.ins().f64const(0.0);
        let nothing = self.e.b.ins().fcmp(FloatCC::Equal, a, zero);
        let quotient = self.e.b.ins().fdiv(a, b);
        self.e.b.ins().select(nothing, zero, quotient)
    }

    fn larger(&mut self, a: Value, b: Value) -> Value {
        // As one instruction: the larger one of two.
        let more = self.e.b.ins().fcmp(FloatCC::LessThan, a, b);
        self.e.b.ins().select(more, b, a)
    }

    fn at_most(&mut self, a: Value, b: Value) -> Value {
        self.e.b.ins().fcmp(FloatCC::LessThanOrEqual, a, b)
    }

    fn both(&mut self, a: Value, b: Value) -> Value {
        self.e.b.ins().band(a, b)
    }

    fn either(&mut self, a: Value, b: Value) -> Value {
        self.e.b.ins().bor(a, b)
    }

    fn choice(&mut self, truth: Value, a: Value, b: Value) -> Value {
        self.e.b.ins().select(truth, a, b)
    }
}
