//! The target that is this machine, by Cranelift: the only place that knows it.

use super::math;
use super::target::{Comparison, Place, Sides, Target};
use crate::error::CompileError;
use crate::program::{Base, Binary, Unary};
use cotangent_solve::{LinearSolver, Stall, StoppingRule};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{
    self, AbiParam, Block, InstBuilder, MemFlagsData, Signature, StackSlotData, StackSlotKind, Value, types,
};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module};
use std::collections::HashMap;

/// Code in the making: functions are added, then it is finished.
pub(super) struct Machine {
    module: JITModule,
    builders: FunctionBuilderContext,
    context: cranelift_codegen::Context,
    /// Bytes of machine code.
    pub(super) size: usize,
}

/// Finished code, which is freed with it.
pub(super) struct Code(Option<JITModule>);

// SAFETY: finished code is immutable and position-fixed; calls read it and write only through the pointers they are
// given. The module is touched again only by `drop`.
unsafe impl Send for Code {}
unsafe impl Sync for Code {}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.0.take() {
            // SAFETY: entries are kept beside the code and die with it, nothing else points into it.
            unsafe { module.free_memory() }
        }
    }
}

fn native(e: impl std::fmt::Display) -> CompileError {
    CompileError::Native(e.to_string())
}

impl Machine {
    /// For this machine.
    pub(super) fn new() -> Result<Machine, CompileError> {
        let mut flags = settings::builder();
        let wanted = [
            ("opt_level", "speed"),
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            ("enable_verifier", "false"),
        ];
        for (name, value) in wanted {
            flags.set(name, value).map_err(native)?;
        }
        let isa = cranelift_native::builder().map_err(native)?;
        let isa = isa.finish(settings::Flags::new(flags)).map_err(native)?;
        let module = JITModule::new(JITBuilder::with_isa(isa, cranelift_module::default_libcall_names()));
        let context = module.make_context();
        Ok(Machine { module, builders: FunctionBuilderContext::new(), context, size: 0 })
    }

    /// Adds a function of so many pointers or integers, whose code `write` writes down. It returns an integer, if `write`
    /// does.
    pub(super) fn function(
        &mut self,
        parameters: usize,
        returns: bool,
        write: impl FnOnce(&mut Cranelift<'_>, &[Value]) -> Option<Value>,
    ) -> Result<FuncId, CompileError> {
        self.module.clear_context(&mut self.context);
        let config = self.module.target_config();
        let function = &mut self.context.func;
        function.signature.call_conv = config.default_call_conv;
        function.signature.params.extend(vec![AbiParam::new(types::I64); parameters]);
        function.signature.returns.extend(returns.then(|| AbiParam::new(types::I64)));
        let mut b = FunctionBuilder::new(function, &mut self.builders);
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        b.seal_block(entry);
        let arguments = b.block_params(entry).to_vec();
        let mut target = Cranelift { b, pointers: HashMap::new(), solvers: None, config, fixed: true };
        let result = write(&mut target, &arguments);
        let mut b = target.b;
        b.ins().return_(result.as_slice());
        b.seal_all_blocks();
        b.finalize(config);
        let id = self.module.declare_anonymous_function(&self.context.func.signature).map_err(native)?;
        self.module.define_function(id, &mut self.context).map_err(native)?;
        self.size += self.context.compiled_code().map_or(0, |c| c.code_info().total_size as usize);
        Ok(id)
    }

    /// The code, and the entries of its functions.
    pub(super) fn finish(mut self, functions: &[FuncId]) -> Result<(Code, Vec<*const u8>), CompileError> {
        self.module.finalize_definitions().map_err(native)?;
        let entries = functions.iter().map(|&id| self.module.get_finalized_function(id)).collect();
        Ok((Code(Some(self.module)), entries))
    }
}

/// One function in the making.
pub(super) struct Cranelift<'a> {
    b: FunctionBuilder<'a>,
    pointers: HashMap<Base, Value>,
    solvers: Option<Value>,
    config: TargetFrontendConfig,
    /// Whether inputs never change while it runs.
    fixed: bool,
}

impl Cranelift<'_> {
    /// Where a vector is.
    pub(super) fn place(&mut self, base: Base, pointer: Value) {
        self.pointers.insert(base, pointer);
    }

    /// The same, from a list of pointers.
    pub(super) fn place_from(&mut self, base: Base, list: Value, at: usize) {
        let flags = MemFlagsData::trusted().with_readonly().with_can_move();
        let pointer = self.b.ins().load(types::I64, flags, list, 8 * at as i32);
        self.place(base, pointer);
    }

    /// What solves linear equations, and that inputs may be written to.
    pub(super) fn solve_with(&mut self, solvers: Value) {
        (self.solvers, self.fixed) = (Some(solvers), false);
    }

    fn signature(&self, parameters: &[ir::Type], returns: &[ir::Type]) -> Signature {
        let mut signature = Signature::new(self.config.default_call_conv);
        signature.params.extend(parameters.iter().map(|&t| AbiParam::new(t)));
        signature.returns.extend(returns.iter().map(|&t| AbiParam::new(t)));
        signature
    }

    fn call(&mut self, address: usize, arguments: &[Value], returns: &[ir::Type]) -> Option<Value> {
        let parameters: Vec<ir::Type> = arguments.iter().map(|&v| self.b.func.dfg.value_type(v)).collect();
        let signature = self.signature(&parameters, returns);
        let signature = self.b.import_signature(signature);
        let callee = self.b.ins().iconst(types::I64, address as i64);
        let call = self.b.ins().call_indirect(signature, callee, arguments);
        self.b.inst_results(call).first().copied()
    }

    fn calculate(&mut self, address: Option<usize>, arguments: &[Value]) -> Value {
        let result = self.call(address.unwrap_or(0), arguments, &[types::F64]);
        result.unwrap_or_else(|| self.b.ins().f64const(f64::NAN))
    }

    /// Room on the stack.
    fn slot(&mut self, numbers: usize) -> Value {
        let size = StackSlotData::new(StackSlotKind::ExplicitSlot, 8 * numbers as u32, 3);
        let slot = self.b.create_sized_stack_slot(size);
        self.b.ins().stack_addr(types::I64, slot, 0)
    }

    /// Numbers on the stack, one after the other.
    fn listed(&mut self, values: &[Value]) -> Value {
        let list = self.slot(values.len());
        for (k, &v) in values.iter().enumerate() {
            self.b.ins().store(MemFlagsData::trusted(), v, list, 8 * k as i32);
        }
        list
    }

    /// Whether a call that returns 0 if all went well did.
    fn went_well(&mut self, address: usize, arguments: &[Value]) -> Value {
        let status = self.call(address, arguments, &[types::I64]);
        let status = status.unwrap_or_else(|| self.b.ins().iconst(types::I64, 1));
        self.b.ins().icmp_imm_s(IntCC::Equal, status, 0)
    }

    /// The same for a function of vectors in the work area.
    fn of_vectors(&mut self, address: usize, system: usize, vectors: &[usize], number: Option<Value>) -> Value {
        let Some(solvers) = self.solvers else { return self.b.ins().iconst(types::I8, 0) };
        let mut arguments = vec![solvers, self.integer(system as i64)];
        let work = self.pointers[&Base::Work];
        arguments.extend(vectors.iter().map(|&at| self.b.ins().iadd_imm_s(work, 8 * at as i64)));
        arguments.extend(number);
        self.went_well(address, &arguments)
    }

    fn is_constant(&self, x: Value) -> bool {
        let dfg = &self.b.func.dfg;
        dfg.value_def(x).inst().is_some_and(|inst| dfg.insts[inst].opcode() == ir::Opcode::F64const)
    }

    fn pointer(&mut self, place: Place<Value>) -> (Value, i32) {
        let base = self.pointers[&place.base];
        let (pointer, offset) = match i32::try_from(place.offset.saturating_mul(8)) {
            Ok(offset) => (base, offset),
            Err(_) => (self.b.ins().iadd_imm_s(base, place.offset.saturating_mul(8)), 0),
        };
        match place.index {
            None => (pointer, offset),
            Some(index) => {
                let bytes = self.b.ins().ishl_imm_s(index, 3);
                (self.b.ins().iadd(pointer, bytes), offset)
            }
        }
    }

    fn entry_of(&mut self, table: *const u8, at: Value, kind: ir::Type) -> Value {
        let table = self.b.ins().iconst(types::I64, table as i64);
        let bytes = self.b.ins().ishl_imm_s(at, 3);
        let pointer = self.b.ins().iadd(table, bytes);
        self.b.ins().load(kind, MemFlagsData::trusted().with_readonly(), pointer, 0)
    }
}

impl Target for Cranelift<'_> {
    type Number = Value;
    type Integer = Value;
    type Truth = Value;
    type Cell = Variable;
    type Counter = Variable;
    type Label = Block;

    fn number(&mut self, x: f64) -> Value {
        self.b.ins().f64const(x)
    }

    fn unary(&mut self, f: Unary, x: Value) -> Value {
        match f {
            // With masks that are found in memory; `fneg` and `fabs` would put them into registers each time.
            Unary::Neg => {
                let sign = self.b.ins().f64const(-0.0);
                self.b.ins().bxor(x, sign)
            }
            Unary::Abs => {
                let rest = self.b.ins().f64const(f64::from_bits(i64::MAX as u64));
                self.b.ins().band(x, rest)
            }
            Unary::Sqrt => self.b.ins().sqrt(x),
            Unary::Sign => {
                let [zero, one, minus] = [0.0, 1.0, -1.0].map(|c| self.b.ins().f64const(c));
                let [more, less, none] = [FloatCC::GreaterThan, FloatCC::LessThan, FloatCC::Equal]
                    .map(|how| self.b.ins().fcmp(how, x, zero));
                let rest = self.b.ins().select(none, zero, x);
                let rest = self.b.ins().select(less, minus, rest);
                self.b.ins().select(more, one, rest)
            }
            Unary::Stumpff(k) => {
                let k = self.b.ins().iconst(types::I64, i64::from(k));
                self.calculate(Some(math::stumpff as *const () as usize), &[x, k])
            }
            _ => self.calculate(math::unary_address(f), &[x]),
        }
    }

    fn binary(&mut self, f: Binary, x: Value, y: Value) -> Value {
        // An operation finds a constant in memory if that is its second operand.
        let commutes = matches!(f, Binary::Add | Binary::Mul);
        let [x, y] = if commutes && self.is_constant(x) { [y, x] } else { [x, y] };
        match f {
            Binary::Add => self.b.ins().fadd(x, y),
            Binary::Sub => self.b.ins().fsub(x, y),
            Binary::Mul => self.b.ins().fmul(x, y),
            Binary::Div => self.b.ins().fdiv(x, y),
            _ => self.calculate(math::binary_address(f), &[x, y]),
        }
    }

    fn sin_cos(&mut self, x: Value) -> [Value; 2] {
        let out = self.slot(2);
        self.call(math::sin_cos as *const () as usize, &[x, out], &[]);
        [0, 8].map(|offset| self.b.ins().load(types::F64, MemFlagsData::trusted(), out, offset))
    }

    fn integer(&mut self, k: i64) -> Value {
        self.b.ins().iconst(types::I64, k)
    }

    fn sum(&mut self, a: Value, b: Value) -> Value {
        self.b.ins().iadd(a, b)
    }

    fn multiple(&mut self, a: Value, k: i64) -> Value {
        self.b.ins().imul_imm_s(a, k)
    }

    fn divide(&mut self, a: Value, k: i64) -> [Value; 2] {
        let d = self.b.ins().iconst(types::I64, k);
        let (quotient, remainder) = (self.b.ins().sdiv(a, d), self.b.ins().srem(a, d));
        let negative = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, remainder, 0);
        let (lower, raised) = (self.b.ins().iadd_imm_s(quotient, -1), self.b.ins().iadd(remainder, d));
        [self.b.ins().select(negative, lower, quotient), self.b.ins().select(negative, raised, remainder)]
    }

    fn as_number(&mut self, k: Value) -> Value {
        self.b.ins().fcvt_from_sint(types::F64, k)
    }

    fn compare(&mut self, how: Comparison, a: Value, b: Value) -> Value {
        let how = match how {
            Comparison::Equal => FloatCC::Equal,
            Comparison::Less => FloatCC::LessThan,
            Comparison::AtMost => FloatCC::LessThanOrEqual,
        };
        self.b.ins().fcmp(how, a, b)
    }

    fn is_finite(&mut self, x: Value) -> Value {
        // Of a number that is not finite the difference from itself is not a number.
        let nothing = self.b.ins().fsub(x, x);
        self.b.ins().fcmp(FloatCC::Ordered, nothing, nothing)
    }

    fn in_order(&mut self, a: Value, b: Value) -> Value {
        self.b.ins().icmp(IntCC::SignedLessThanOrEqual, a, b)
    }

    fn always(&mut self) -> Value {
        self.b.ins().iconst(types::I8, 1)
    }

    fn both(&mut self, a: Value, b: Value) -> Value {
        self.b.ins().band(a, b)
    }

    fn either(&mut self, a: Value, b: Value) -> Value {
        self.b.ins().bor(a, b)
    }

    fn choice(&mut self, truth: Value, a: Value, b: Value) -> Value {
        self.b.ins().select(truth, a, b)
    }

    fn load(&mut self, from: Place<Value>) -> Value {
        let (pointer, offset) = self.pointer(from);
        let flags = MemFlagsData::trusted();
        let readonly = self.fixed && matches!(from.base, Base::Input(_));
        let flags = if readonly { flags.with_readonly() } else { flags };
        self.b.ins().load(types::F64, flags, pointer, offset)
    }

    fn store(&mut self, to: Place<Value>, value: Value) {
        let (pointer, offset) = self.pointer(to);
        self.b.ins().store(MemFlagsData::trusted(), value, pointer, offset);
    }

    fn entry(&mut self, table: &[i64], at: Value) -> Value {
        self.entry_of(table.as_ptr().cast(), at, types::I64)
    }

    fn coefficient(&mut self, table: &[f64], at: Value) -> Value {
        self.entry_of(table.as_ptr().cast(), at, types::F64)
    }

    fn cell(&mut self) -> Variable {
        self.b.declare_var(types::F64)
    }

    fn get(&mut self, cell: Variable) -> Value {
        self.b.use_var(cell)
    }

    fn set(&mut self, cell: Variable, value: Value) {
        self.b.def_var(cell, value);
    }

    fn counter(&mut self) -> Variable {
        self.b.declare_var(types::I64)
    }

    fn count(&mut self, counter: Variable) -> Value {
        self.b.use_var(counter)
    }

    fn set_count(&mut self, counter: Variable, value: Value) {
        self.b.def_var(counter, value);
    }

    fn open_block(&mut self) -> Block {
        self.b.create_block()
    }

    fn close_block(&mut self, end: Block) {
        self.b.ins().jump(end, &[]);
        self.b.switch_to_block(end);
        self.b.seal_block(end);
    }

    fn open_loop(&mut self) -> Block {
        let head = self.b.create_block();
        self.b.ins().jump(head, &[]);
        self.b.switch_to_block(head);
        head
    }

    fn close_loop(&mut self, head: Block) {
        self.b.seal_block(head);
    }

    fn go(&mut self, to: Block) {
        self.b.ins().jump(to, &[]);
        // What follows is not reached.
        let rest = self.b.create_block();
        self.b.switch_to_block(rest);
        self.b.seal_block(rest);
    }

    fn go_if(&mut self, truth: Value, to: Block) {
        let rest = self.b.create_block();
        self.b.ins().brif(truth, to, &[], rest, &[]);
        self.b.switch_to_block(rest);
        self.b.seal_block(rest);
    }

    fn go_unless(&mut self, truth: Value, to: Block) {
        let rest = self.b.create_block();
        self.b.ins().brif(truth, rest, &[], to, &[]);
        self.b.switch_to_block(rest);
        self.b.seal_block(rest);
    }

    fn factor(&mut self, system: usize, matrix: &[Value]) -> Value {
        let Some(solvers) = self.solvers else { return self.b.ins().iconst(types::I8, 0) };
        let matrix = self.listed(matrix);
        let system = self.integer(system as i64);
        self.went_well(factor as *const () as usize, &[solvers, system, matrix])
    }

    fn solve(&mut self, system: usize, sides: &[Value], how: Sides) -> (Vec<Value>, Value) {
        let Some(solvers) = self.solvers else { return (sides.to_vec(), self.b.ins().iconst(types::I8, 0)) };
        let x = self.listed(sides);
        let numbers = [system, how.columns, usize::from(how.transposed), usize::from(how.strict)];
        let [system, columns, transposed, strict] = numbers.map(|n| self.integer(n as i64));
        let good = self.went_well(solve as *const () as usize, &[solvers, system, x, columns, transposed, strict]);
        let load = |k: usize| self.b.ins().load(types::F64, MemFlagsData::trusted(), x, 8 * k as i32);
        ((0..sides.len()).map(load).collect(), good)
    }

    fn eliminate(&mut self, system: usize, vectors: [usize; 3]) -> Value {
        self.of_vectors(eliminate as *const () as usize, system, &vectors, None)
    }

    fn explained(&mut self, system: usize, vectors: [usize; 3]) -> Value {
        self.of_vectors(explained as *const () as usize, system, &vectors, None)
    }

    fn is_round_off(&mut self, system: usize, vectors: [usize; 6], scale: Value) -> Value {
        self.of_vectors(is_round_off as *const () as usize, system, &vectors, Some(scale))
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
    // SAFETY: as above; the slot has as many values as the right-hand sides.
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

/// Factors a matrix and solves for one right-hand side. Returns 0 if it is not singular.
extern "C" fn eliminate(
    solvers: *mut LinearSolver<f64>,
    which: i64,
    matrix: *const f64,
    side: *const f64,
    solution: *mut f64,
) -> i64 {
    // SAFETY: native code passes the solvers it was given, the number of one of them, and vectors of the work area, which
    // do not overlap: of as many values as its pattern has entries, and as it has equations.
    unsafe {
        let solver = &mut *solvers.add(which as usize);
        let matrix = std::slice::from_raw_parts(matrix, solver.pattern().len());
        let side = std::slice::from_raw_parts(side, solver.size());
        let solution = std::slice::from_raw_parts_mut(solution, solver.size());
        solver.factor_and_solve(matrix, side, solution).is_err() as i64
    }
}

/// Returns 0 if a rounding of the unknowns explains every residual.
extern "C" fn explained(
    solvers: *mut LinearSolver<f64>,
    which: i64,
    jacobian: *const f64,
    unknowns: *const f64,
    residual: *const f64,
) -> i64 {
    // SAFETY: as above; nothing is written.
    let (solver, jacobian, unknowns, residual) = unsafe {
        let solver = &*solvers.add(which as usize);
        (
            solver,
            std::slice::from_raw_parts(jacobian, solver.pattern().len()),
            std::slice::from_raw_parts(unknowns, solver.size()),
            std::slice::from_raw_parts(residual, solver.size()),
        )
    };
    (!StoppingRule::explained(solver.pattern(), jacobian, unknowns, residual)) as i64
}

/// Returns 0 if a stall is one at round-off.
#[allow(clippy::too_many_arguments)]
extern "C" fn is_round_off(
    solvers: *mut LinearSolver<f64>,
    which: i64,
    unknowns: *const f64,
    sizes: *const f64,
    residual: *const f64,
    jacobian: *const f64,
    previous_jacobian: *const f64,
    previous_update: *const f64,
    scale: f64,
) -> i64 {
    // SAFETY: as above; nothing is written.
    let stall = unsafe {
        let pattern = (*solvers.add(which as usize)).pattern();
        let vector = |at: *const f64| std::slice::from_raw_parts(at, pattern.rows());
        let matrix = |at: *const f64| std::slice::from_raw_parts(at, pattern.len());
        Stall {
            pattern,
            unknowns: vector(unknowns),
            sizes: vector(sizes),
            residual: vector(residual),
            jacobian: matrix(jacobian),
            previous_jacobian: matrix(previous_jacobian),
            previous_update: vector(previous_update),
            terms: &[],
        }
    };
    (!stall.is_round_off(scale)) as i64
}
