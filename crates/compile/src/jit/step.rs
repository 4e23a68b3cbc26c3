//! Whole steps as native code: Newton's method inline for the ordinary course of an iteration.

use super::emit::Emitter;
use crate::error::CompileError;
use crate::record::{Iteration, Recording, TraceOp};
use cotangent_solve::{LinearSolver, NewtonOptions, Pattern};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{
    AbiParam, Block, BlockArg, InstBuilder, MemFlagsData, StackSlotData, StackSlotKind, Value, types,
};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use cranelift_jit::JITModule;
use cranelift_module::Module;
use std::collections::HashMap;

/// (state, constants, solvers, steps, updates of Newton's method) → steps made.
type Entry = unsafe extern "C" fn(*mut f64, *const f64, *mut LinearSolver<f64>, i64, *mut u64) -> i64;

/// A step as one native function.
pub(crate) struct NativeStep {
    module: Option<JITModule>,
    entry: Entry,
    state: usize,
    constants: usize,
    solvers: usize,
}

// SAFETY: as for `Native`.
unsafe impl Send for NativeStep {}
unsafe impl Sync for NativeStep {}

impl Drop for NativeStep {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: the entry dies with `self`.
            unsafe { module.free_memory() }
        }
    }
}

impl NativeStep {
    pub(crate) fn compile(recording: &Recording, options: &NewtonOptions) -> Result<NativeStep, CompileError> {
        let native = |e: &dyn std::fmt::Display| CompileError::Native(e.to_string());
        let mut module = super::module()?;
        let mut context = module.make_context();
        let mut builders = FunctionBuilderContext::new();
        let config = module.target_config();
        context.func.signature.call_conv = config.default_call_conv;
        context.func.signature.params.extend([AbiParam::new(types::I64); 5]);
        context.func.signature.returns.push(AbiParam::new(types::I64));
        let b = FunctionBuilder::new(&mut context.func, &mut builders);
        let emitter = Emitter { b, bases: HashMap::new(), vars: vec![], config };
        StepEmitter { e: emitter, recording, options }.emit();
        let id = module.declare_anonymous_function(&context.func.signature).map_err(|e| native(&e))?;
        module.define_function(id, &mut context).map_err(|e| native(&e))?;
        module.finalize_definitions().map_err(|e| native(&e))?;
        // SAFETY: the function was defined with exactly this signature.
        let entry = unsafe { std::mem::transmute::<*const u8, Entry>(module.get_finalized_function(id)) };
        let state = recording.outputs.len();
        let solvers = recording.iterations.len() + recording.factors.len();
        Ok(NativeStep { module: Some(module), entry, state, constants: recording.inputs - state, solvers })
    }

    /// Makes up to `steps` steps; stops before one that is out of the ordinary.
    pub(crate) fn advance(
        &self,
        state: &mut [f64],
        constants: &[f64],
        steps: u64,
        solvers: &mut [LinearSolver<f64>],
        iterations: &mut u64,
    ) -> u64 {
        let fits = state.len() == self.state && constants.len() == self.constants && solvers.len() == self.solvers;
        if !fits {
            return 0;
        }
        let steps = i64::try_from(steps).unwrap_or(i64::MAX);
        // SAFETY: the code reads and writes `state`, reads `constants`, counts in `iterations` and uses
        // one solver for each iteration and matrix of the recording, all of which have just been counted.
        let done =
            unsafe { (self.entry)(state.as_mut_ptr(), constants.as_ptr(), solvers.as_mut_ptr(), steps, iterations) };
        done.max(0) as u64
    }
}

/// Factors a matrix. Returns 0 if it is finite and not singular.
extern "C" fn factor(solvers: *mut LinearSolver<f64>, which: i64, matrix: *const f64) -> i64 {
    // SAFETY: native code passes the solvers it was given, the number of one of them, and a stack
    // slot with as many values as its pattern has entries.
    let (solver, matrix) = unsafe {
        let solver = &mut *solvers.add(which as usize);
        let len = solver.pattern().len();
        (solver, std::slice::from_raw_parts(matrix, len))
    };
    (!matrix.iter().all(|v| v.is_finite()) || solver.factor(matrix).is_err()) as i64
}

/// Solves in place for several right-hand sides. Returns 0 if all values are finite.
extern "C" fn solve(
    solvers: *mut LinearSolver<f64>,
    which: i64,
    x: *mut f64,
    columns: i64,
    transposed: i64,
    strict: i64,
) -> i64 {
    // SAFETY: as in `factor`; the slot holds this many columns.
    let (solver, x) = unsafe {
        let solver = &mut *solvers.add(which as usize);
        let len = solver.size() * columns as usize;
        (solver, std::slice::from_raw_parts_mut(x, len))
    };
    let finite = |v: &[f64]| v.iter().all(|v| v.is_finite());
    if strict != 0 && !finite(x) {
        return 1;
    }
    for x in x.chunks_mut(solver.size().max(1)) {
        if transposed != 0 { solver.solve_transposed(x) } else { solver.solve(x) }
    }
    (strict != 0 && !finite(x)) as i64
}

/// What the code of a step can reach.
#[derive(Clone, Copy)]
struct Reach {
    state: Value,
    constants: Value,
    solvers: Value,
    /// Where to go if something is out of the ordinary.
    bail: Block,
}

struct StepEmitter<'a, 'r> {
    e: Emitter<'a>,
    recording: &'r Recording,
    options: &'r NewtonOptions,
}

/// The values an iteration compares.
struct Loop {
    unknowns: Vec<Variable>,
    sizes: Vec<Variable>,
    previous: Variable,
    count: Variable,
}

impl StepEmitter<'_, '_> {
    fn emit(mut self) {
        let entry = self.e.b.create_block();
        self.e.b.append_block_params_for_function_params(entry);
        self.e.b.switch_to_block(entry);
        let p = self.e.b.block_params(entry).to_vec();
        let (state, constants, solvers, steps, updates) = (p[0], p[1], p[2], p[3], p[4]);
        let (done, made) = (self.e.b.declare_var(types::I64), self.e.b.declare_var(types::I64));
        let zero = self.e.b.ins().iconst(types::I64, 0);
        self.e.b.def_var(done, zero);
        let (head, body, finish) = (self.e.b.create_block(), self.e.b.create_block(), self.e.b.create_block());
        self.e.b.ins().jump(head, &[]);
        self.e.b.switch_to_block(head);
        let count = self.e.b.use_var(done);
        let more = self.e.b.ins().icmp(IntCC::SignedLessThan, count, steps);
        self.e.b.ins().brif(more, body, &[], finish, &[]);
        self.e.b.switch_to_block(body);
        let reach = Reach { state, constants, solvers, bail: finish };
        self.e.b.def_var(made, zero);
        let mut values: Vec<Option<Value>> = vec![None; self.recording.ops.len()];
        let mut k = 0;
        let recording = self.recording;
        for (which, iteration) in recording.iterations.iter().enumerate() {
            let start = iteration.start as usize - iteration.guess.len();
            self.ops(k..start, &mut values, reach);
            self.iteration(which, iteration, &mut values, reach, made);
            k = iteration.end as usize + iteration.guess.len();
        }
        self.ops(k..recording.ops.len(), &mut values, reach);
        let results: Vec<Value> = recording.outputs.iter().map(|&at| self.value(&values, at)).collect();
        let finite = self.finite(&results);
        let keep = self.e.b.create_block();
        self.e.b.ins().brif(finite, keep, &[], finish, &[]);
        self.e.b.switch_to_block(keep);
        for (i, &value) in results.iter().enumerate() {
            self.e.b.ins().store(MemFlagsData::trusted(), value, state, 8 * i as i32);
        }
        if !recording.iterations.is_empty() {
            let before = self.e.b.ins().load(types::I64, MemFlagsData::trusted(), updates, 0);
            let made = self.e.b.use_var(made);
            let sum = self.e.b.ins().iadd(before, made);
            self.e.b.ins().store(MemFlagsData::trusted(), sum, updates, 0);
        }
        let next = self.e.b.ins().iadd_imm_s(count, 1);
        self.e.b.def_var(done, next);
        self.e.b.ins().jump(head, &[]);
        self.e.b.switch_to_block(finish);
        let count = self.e.b.use_var(done);
        self.e.b.ins().return_(&[count]);
        self.e.b.seal_all_blocks();
        let config = self.e.config;
        self.e.b.finalize(config);
    }

    fn value(&mut self, values: &[Option<Value>], at: u32) -> Value {
        match values[at as usize] {
            Some(v) => v,
            None => self.e.b.ins().f64const(f64::NAN),
        }
    }

    fn ops(&mut self, range: std::ops::Range<usize>, values: &mut [Option<Value>], reach: Reach) {
        let n = self.recording.outputs.len();
        for k in range {
            let value = match self.recording.ops[k] {
                TraceOp::Input(i) => {
                    let i = i as usize;
                    let (list, at) = if i < n { (reach.state, i) } else { (reach.constants, i - n) };
                    self.e.b.ins().load(types::F64, MemFlagsData::trusted(), list, 8 * at as i32)
                }
                TraceOp::Constant(c) => self.e.b.ins().f64const(c),
                TraceOp::Unary(f, a) => {
                    let a = self.value(values, a);
                    self.e.unary(f, a)
                }
                TraceOp::Binary(f, a, b) => {
                    let (a, b) = (self.value(values, a), self.value(values, b));
                    self.e.binary(f, a, b)
                }
                TraceOp::Factor(f) => {
                    let matrix = &self.recording.factors[f as usize].matrix;
                    let matrix: Vec<Value> = matrix.iter().map(|&at| self.value(values, at)).collect();
                    self.factor(self.recording.iterations.len() + f as usize, &matrix, reach);
                    continue;
                }
                TraceOp::Linear { solve, component: 0 } => {
                    let recording = self.recording;
                    let s = &recording.solves[solve as usize];
                    let n = recording.factors[s.factor as usize].pattern.rows();
                    let rhs: Vec<Value> = s.rhs.iter().map(|&at| self.value(values, at)).collect();
                    let which = recording.iterations.len() + s.factor as usize;
                    let columns = (rhs.len() / n.max(1), s.transposed, false);
                    for (j, x) in self.solve(which, &rhs, columns, reach).into_iter().enumerate() {
                        values[k + j] = Some(x);
                    }
                    continue;
                }
                TraceOp::Unknown { .. } | TraceOp::Solution { .. } | TraceOp::Linear { .. } => continue,
            };
            values[k] = Some(value);
        }
    }

    /// Newton's method by the rule of [`StoppingRule`](cotangent_solve::StoppingRule), operation for
    /// operation; anything but its ordinary course goes to `bail`.
    fn iteration(&mut self, which: usize, it: &Iteration, values: &mut [Option<Value>], reach: Reach, made: Variable) {
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
        let limit = i64::from(self.options.stopping.max_iterations);
        let spent = self.e.b.ins().icmp_imm_s(IntCC::Equal, count, limit);
        let going = self.e.b.create_block();
        self.e.b.ins().brif(spent, bail, &[], going, &[]);
        self.e.b.switch_to_block(going);
        let delta = self.update(which, &r, &jacobian, reach);
        let sum = self.e.b.use_var(made);
        let sum = self.e.b.ins().iadd_imm_s(sum, 1);
        self.e.b.def_var(made, sum);

        let measure = self.measure(&l, &x, &r, (pattern, &jacobian), &delta);
        let next: Vec<Value> = x.iter().zip(&delta).map(|(&x, &d)| self.e.b.ins().fsub(x, d)).collect();
        let there: Vec<BlockArg> = next.iter().map(|&x| BlockArg::Value(x)).collect();
        let previous = self.e.b.use_var(l.previous);
        let theta = self.e.b.ins().fdiv(measure.update, previous);
        let c = |s: &mut Self, x: f64| s.e.b.ins().f64const(x);
        let (epsilon, twice, sixteenth) =
            (c(self, f64::EPSILON), c(self, 2.0 * f64::EPSILON), c(self, f64::EPSILON / 16.0));
        let (quarter, half) = (c(self, 0.25), c(self, 0.5));
        let small_update = self.e.b.ins().fcmp(FloatCC::LessThanOrEqual, measure.relative_update, epsilon);
        let small_residual = self.e.b.ins().fcmp(FloatCC::LessThanOrEqual, measure.relative_residual, twice);
        let shrinking = self.e.b.ins().fcmp(FloatCC::LessThanOrEqual, theta, quarter);
        let expected = self.e.b.ins().fmul(theta, measure.relative_update);
        let negligible = self.e.b.ins().fcmp(FloatCC::LessThanOrEqual, expected, sixteenth);
        let at_once = self.e.b.ins().bor(small_update, small_residual);
        let soon = self.e.b.ins().band(shrinking, negligible);
        let last = match self.options.stopping.tolerance {
            Some(tolerance) => {
                let tolerance = c(self, tolerance);
                self.e.b.ins().fcmp(FloatCC::LessThanOrEqual, measure.scaled_update, tolerance)
            }
            None => self.e.b.ins().bor(at_once, soon),
        };
        let onward = self.e.b.create_block();
        self.e.b.ins().brif(last, exit, &there, onward, &[]);
        self.e.b.switch_to_block(onward);
        let stalled = match self.options.stopping.tolerance {
            Some(_) => self.e.b.ins().iconst(types::I8, 0),
            None => self.e.b.ins().fcmp(FloatCC::GreaterThanOrEqual, theta, half),
        };
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

    /// Whether all comparisons hold.
    fn all(&mut self, comparisons: Vec<(FloatCC, Value, Value)>) -> Value {
        let mut all = None;
        for (how, a, b) in comparisons {
            let one = self.e.b.ins().fcmp(how, a, b);
            all = Some(all.map_or(one, |all| self.e.b.ins().band(all, one)));
        }
        all.unwrap_or_else(|| self.e.b.ins().iconst(types::I8, 1))
    }

    /// Whether every value is finite: the sum of their sizes is, unless it overflows, and then the
    /// reference decides.
    fn finite(&mut self, values: &[Value]) -> Value {
        let mut sum = self.e.b.ins().f64const(0.0);
        for &v in values {
            let size = self.e.b.ins().fabs(v);
            sum = self.e.b.ins().fadd(sum, size);
        }
        let infinity = self.e.b.ins().f64const(f64::INFINITY);
        self.e.b.ins().fcmp(FloatCC::LessThan, sum, infinity)
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

    /// Puts values on the stack and returns their address.
    fn slot(&mut self, values: &[Value]) -> Value {
        let size = StackSlotData::new(StackSlotKind::ExplicitSlot, 8 * values.len() as u32, 3);
        let slot = self.e.b.create_sized_stack_slot(size);
        let list = self.e.b.ins().stack_addr(types::I64, slot, 0);
        for (k, &v) in values.iter().enumerate() {
            self.e.b.ins().store(MemFlagsData::trusted(), v, list, 8 * k as i32);
        }
        list
    }

    /// Calls a function that returns 0 unless something is out of the ordinary.
    fn call(&mut self, function: usize, arguments: &[Value], bail: Block) {
        let signature = self.e.signature(&vec![types::I64; arguments.len()], &[types::I64]);
        let signature = self.e.b.import_signature(signature);
        let callee = self.e.b.ins().iconst(types::I64, function as i64);
        let call = self.e.b.ins().call_indirect(signature, callee, arguments);
        let status = self.e.b.inst_results(call)[0];
        let good = self.e.b.create_block();
        self.e.b.ins().brif(status, bail, &[], good, &[]);
        self.e.b.switch_to_block(good);
    }

    fn factor(&mut self, which: usize, matrix: &[Value], reach: Reach) {
        let matrix = self.slot(matrix);
        let which = self.e.b.ins().iconst(types::I64, which as i64);
        self.call(factor as *const () as usize, &[reach.solvers, which, matrix], reach.bail);
    }

    /// Solves with the last factors; `how` is the number of right-hand sides, whether the matrix is
    /// transposed and whether all values must be finite.
    fn solve(&mut self, which: usize, rhs: &[Value], how: (usize, bool, bool), reach: Reach) -> Vec<Value> {
        let x = self.slot(rhs);
        let (columns, transposed, strict) = how;
        let number = |s: &mut Self, n: usize| s.e.b.ins().iconst(types::I64, n as i64);
        let (which, columns) = (number(self, which), number(self, columns));
        let (transposed, strict) = (number(self, transposed as usize), number(self, strict as usize));
        let arguments = [reach.solvers, which, x, columns, transposed, strict];
        self.call(solve as *const () as usize, &arguments, reach.bail);
        let load = |k: usize| self.e.b.ins().load(types::F64, MemFlagsData::trusted(), x, 8 * k as i32);
        (0..rhs.len()).map(load).collect()
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
        let (mut update, mut relative, mut scaled, mut residual) = (None, None, None, None);
        let scale = self.e.b.ins().f64const(self.options.stopping.scale);
        for j in 0..n {
            let before = self.e.b.use_var(l.sizes[j]);
            let size = self.larger(before, sizes_x[j]);
            let size = self.larger(size, sizes_d[j]);
            self.e.b.def_var(l.sizes[j], size);
            let ratio = self.ratio(sizes_d[j], size);
            update = Some(self.grow(update, ratio));
            let ratio = self.ratio(sizes_d[j], sizes_x[j]);
            relative = Some(self.grow(relative, ratio));
            if self.options.stopping.tolerance.is_some() {
                let size = self.larger(sizes_x[j], scale);
                let ratio = self.ratio(sizes_d[j], size);
                scaled = Some(self.grow(scaled, ratio));
            }
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
            scaled_update: scaled.unwrap_or(none),
            relative_residual: residual.unwrap_or(none),
        }
    }

    fn larger(&mut self, a: Value, b: Value) -> Value {
        let more = self.e.b.ins().fcmp(FloatCC::GreaterThan, b, a);
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
    scaled_update: Value,
    relative_residual: Value,
}
