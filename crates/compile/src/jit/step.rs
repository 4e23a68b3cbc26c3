//! Whole steps as native code: Newton's method inline for the ordinary course of an iteration.

use super::emit::Emitter;
use crate::error::CompileError;
use crate::record::{Recording, TraceOp};
use cotangent_dynamics::allowance;
use cotangent_solve::{LinearSolver, NewtonOptions, StoppingRule};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{
    AbiParam, Block, InstBuilder, MemFlagsData, StackSlotData, StackSlotKind, Type, Value, types,
};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use cranelift_jit::JITModule;
use cranelift_module::Module;
use std::collections::HashMap;

/// (state, constants, solvers, steps, what is counted, when an iteration has arrived) → steps made.
type Entry =
    unsafe extern "C" fn(*mut f64, *const f64, *mut LinearSolver<f64>, i64, *mut [u64; 2], *const Arrival) -> i64;

/// What the numbers of a stopping rule make of its comparisons.
#[repr(C)]
pub(crate) struct Arrival {
    /// An update max |δⱼ|/sⱼ up to this is the last.
    pub(super) update: f64,
    /// The same to a fixed point.
    pub(super) tolerance: f64,
    /// The part of the terms of an equation that its residual may be.
    allowance: f64,
    /// Updates until the iteration is given up.
    pub(super) limit: i64,
}

impl Arrival {
    pub(crate) fn new(options: &NewtonOptions) -> Arrival {
        let StoppingRule { tolerance, max_iterations, .. } = options.stopping;
        Arrival {
            update: options.stopping.smallest_update(f64::EPSILON),
            tolerance: tolerance.unwrap_or(0.0),
            allowance: allowance(f64::EPSILON, tolerance),
            limit: i64::from(max_iterations),
        }
    }
}

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
    pub(crate) fn compile(recording: &Recording) -> Result<NativeStep, CompileError> {
        let native = |e: &dyn std::fmt::Display| CompileError::Native(e.to_string());
        let mut module = super::module()?;
        let mut context = module.make_context();
        let mut builders = FunctionBuilderContext::new();
        let config = module.target_config();
        context.func.signature.call_conv = config.default_call_conv;
        context.func.signature.params.extend([AbiParam::new(types::I64); 6]);
        context.func.signature.returns.push(AbiParam::new(types::I64));
        let b = FunctionBuilder::new(&mut context.func, &mut builders);
        let emitter = Emitter { b, bases: HashMap::new(), vars: vec![], config };
        StepEmitter { e: emitter, recording }.emit();
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
        iterations: &mut [u64; 2],
        arrival: &Arrival,
    ) -> u64 {
        let fits = state.len() == self.state && constants.len() == self.constants && solvers.len() == self.solvers;
        if !fits {
            return 0;
        }
        let steps = i64::try_from(steps).unwrap_or(i64::MAX);
        let (state, constants, solvers) = (state.as_mut_ptr(), constants.as_ptr(), solvers.as_mut_ptr());
        // SAFETY: the code reads and writes `state`, reads `constants` and `arrival`, counts in `iterations` and
        // uses one solver for each iteration and matrix of the recording, all of which have just been counted.
        let done = unsafe { (self.entry)(state, constants, solvers, steps, iterations, arrival) };
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
pub(super) struct Reach {
    state: Value,
    constants: Value,
    solvers: Value,
    arrival: Value,
    /// Where to go if something is out of the ordinary.
    pub(super) bail: Block,
}

/// What is counted on the way: updates of Newton's method, and iterations to fixed points.
#[derive(Clone, Copy)]
pub(super) struct Counted {
    pub(super) updates: Variable,
    pub(super) contractions: Variable,
}

pub(super) struct StepEmitter<'a, 'r> {
    pub(super) e: Emitter<'a>,
    pub(super) recording: &'r Recording,
}

impl StepEmitter<'_, '_> {
    fn emit(mut self) {
        let entry = self.e.b.create_block();
        self.e.b.append_block_params_for_function_params(entry);
        self.e.b.switch_to_block(entry);
        let p = self.e.b.block_params(entry).to_vec();
        let (state, constants, solvers, steps, sums, arrival) = (p[0], p[1], p[2], p[3], p[4], p[5]);
        let [done, updates, contractions] = [(); 3].map(|()| self.e.b.declare_var(types::I64));
        let counted = Counted { updates, contractions };
        let zero = self.e.b.ins().iconst(types::I64, 0);
        self.e.b.def_var(done, zero);
        let (head, body, finish) = (self.e.b.create_block(), self.e.b.create_block(), self.e.b.create_block());
        self.e.b.ins().jump(head, &[]);
        self.e.b.switch_to_block(head);
        let count = self.e.b.use_var(done);
        let more = self.e.b.ins().icmp(IntCC::SignedLessThan, count, steps);
        self.e.b.ins().brif(more, body, &[], finish, &[]);
        self.e.b.switch_to_block(body);
        let reach = Reach { state, constants, solvers, arrival, bail: finish };
        self.e.b.def_var(updates, zero);
        self.e.b.def_var(contractions, zero);
        let mut values: Vec<Option<Value>> = vec![None; self.recording.ops.len()];
        let recording = self.recording;
        self.regions(0..recording.ops.len(), &mut values, reach, counted);
        let results: Vec<Value> = recording.outputs.iter().map(|&at| self.value(&values, at)).collect();
        let finite = self.finite(&results);
        let keep = self.e.b.create_block();
        self.e.b.ins().brif(finite, keep, &[], finish, &[]);
        self.e.b.switch_to_block(keep);
        for (i, &value) in results.iter().enumerate() {
            self.e.b.ins().store(MemFlagsData::trusted(), value, state, 8 * i as i32);
        }
        let used = [!recording.iterations.is_empty(), !recording.fixed_points.is_empty()];
        for (k, variable) in [updates, contractions].into_iter().enumerate().filter(|(k, _)| used[*k]) {
            let before = self.e.b.ins().load(types::I64, MemFlagsData::trusted(), sums, 8 * k as i32);
            let made = self.e.b.use_var(variable);
            let sum = self.e.b.ins().iadd(before, made);
            self.e.b.ins().store(MemFlagsData::trusted(), sum, sums, 8 * k as i32);
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

    /// Operations with the iterations among them.
    pub(super) fn regions(
        &mut self,
        range: std::ops::Range<usize>,
        values: &mut [Option<Value>],
        reach: Reach,
        counted: Counted,
    ) {
        let recording = self.recording;
        let mut k = range.start;
        while k < range.end {
            let newton = recording.iterations.iter().position(|i| i.first() >= k && i.first() < range.end);
            let fixed = recording.fixed_points.iter().find(|f| f.first() >= k && f.first() < range.end);
            let next = newton.map(|which| (which, &recording.iterations[which]));
            match (next, fixed) {
                (Some((which, newton)), fixed) if fixed.is_none_or(|f| newton.first() < f.first()) => {
                    self.ops(k..newton.first(), values, reach);
                    self.iteration(which, newton, values, reach, counted);
                    k = newton.last();
                }
                (_, Some(fixed)) => {
                    self.ops(k..fixed.first(), values, reach);
                    self.fixed_point(fixed, values, reach, counted);
                    k = fixed.last();
                }
                (_, None) => {
                    self.ops(k..range.end, values, reach);
                    k = range.end;
                }
            }
        }
    }

    /// One more of what is counted.
    pub(super) fn count(&mut self, variable: Variable) {
        let sum = self.e.b.use_var(variable);
        let sum = self.e.b.ins().iadd_imm_s(sum, 1);
        self.e.b.def_var(variable, sum);
    }

    pub(super) fn value(&mut self, values: &[Option<Value>], at: u32) -> Value {
        match values[at as usize] {
            Some(v) => v,
            None => self.e.b.ins().f64const(f64::NAN),
        }
    }

    pub(super) fn ops(&mut self, range: std::ops::Range<usize>, values: &mut [Option<Value>], reach: Reach) {
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
                TraceOp::Require(r) => {
                    self.require(r as usize, values, reach);
                    continue;
                }
                TraceOp::Unknown { .. } | TraceOp::Solution { .. } | TraceOp::Linear { .. } => continue,
            };
            values[k] = Some(value);
        }
    }

    /// Residuals larger than what their terms explain are for the reference to judge.
    fn require(&mut self, which: usize, values: &[Option<Value>], reach: Reach) {
        let requirement = &self.recording.requirements[which];
        let allowance = self.arrival(types::F64, std::mem::offset_of!(Arrival, allowance), reach);
        let mut hold = vec![];
        for (&residual, &magnitude) in requirement.residual.iter().zip(&requirement.magnitude) {
            let (residual, magnitude) = (self.value(values, residual), self.value(values, magnitude));
            let size = self.e.b.ins().fabs(residual);
            let explained = self.e.b.ins().fmul(allowance, magnitude);
            hold.push((FloatCC::LessThanOrEqual, size, explained));
        }
        let hold = self.all(hold);
        let good = self.e.b.create_block();
        self.e.b.ins().brif(hold, good, &[], reach.bail, &[]);
        self.e.b.switch_to_block(good);
    }

    /// A number of the stopping rule.
    pub(super) fn arrival(&mut self, kind: Type, offset: usize, reach: Reach) -> Value {
        self.e.b.ins().load(kind, MemFlagsData::trusted(), reach.arrival, offset as i32)
    }

    /// Whether all comparisons hold.
    pub(super) fn all(&mut self, comparisons: Vec<(FloatCC, Value, Value)>) -> Value {
        let mut all = None;
        for (how, a, b) in comparisons {
            let one = self.e.b.ins().fcmp(how, a, b);
            all = Some(all.map_or(one, |all| self.e.b.ins().band(all, one)));
        }
        all.unwrap_or_else(|| self.e.b.ins().iconst(types::I8, 1))
    }

    /// Whether every value is finite: the sum of their sizes is, unless it overflows, and then the
    /// reference decides.
    pub(super) fn finite(&mut self, values: &[Value]) -> Value {
        let mut sum = self.e.b.ins().f64const(0.0);
        for &v in values {
            let size = self.e.b.ins().fabs(v);
            sum = self.e.b.ins().fadd(sum, size);
        }
        let infinity = self.e.b.ins().f64const(f64::INFINITY);
        self.e.b.ins().fcmp(FloatCC::LessThan, sum, infinity)
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

    pub(super) fn factor(&mut self, which: usize, matrix: &[Value], reach: Reach) {
        let matrix = self.slot(matrix);
        let which = self.e.b.ins().iconst(types::I64, which as i64);
        self.call(factor as *const () as usize, &[reach.solvers, which, matrix], reach.bail);
    }

    /// Solves with the last factors; `how` is the number of right-hand sides, whether the matrix is
    /// transposed and whether all values must be finite.
    pub(super) fn solve(&mut self, which: usize, rhs: &[Value], how: (usize, bool, bool), reach: Reach) -> Vec<Value> {
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
}
