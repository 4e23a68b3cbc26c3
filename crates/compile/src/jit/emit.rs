//! Cranelift code for kernels.

use super::{Convention, INPUTS, OUTPUTS, math};
use crate::program::{Address, Base, Binary, Kernel, Op, Segment, Unary, Write};
use cotangent_expr::{Atom, Domain, Ix};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    self, AbiParam, InstBuilder, MemFlagsData, Signature, StackSlotData, StackSlotKind, Value, types,
};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Straight-line code longer than this is cut: compile time grows faster than length.
const PIECE: usize = 2000;

/// What becomes one native function: whole kernels, or a stretch of a long straight-line one.
pub(super) enum Piece<'a> {
    Kernels(&'a [Kernel]),
    Stretch { kernel: &'a Kernel, ops: Range<usize>, slots: std::rc::Rc<SpillSlots> },
}

/// Which values of a long kernel pass from stretch to stretch, and where they are kept.
pub(super) struct SpillSlots {
    slot: HashMap<u32, usize>,
    end: usize,
}

pub(super) fn pieces(segment: &Segment, work: usize) -> Vec<Piece<'_>> {
    let mut out = vec![];
    let mut start = 0;
    let is_long = |k: &Kernel| k.domain.is_point() && k.ops.len() > PIECE;
    for (k, kernel) in segment.kernels.iter().enumerate() {
        if is_long(kernel) {
            if start < k {
                out.push(Piece::Kernels(&segment.kernels[start..k]));
            }
            start = k + 1;
            let slots = std::rc::Rc::new(SpillSlots::new(kernel, work));
            for first in (0..kernel.ops.len()).step_by(PIECE) {
                let ops = first..(first + PIECE).min(kernel.ops.len());
                out.push(Piece::Stretch { kernel, ops, slots: slots.clone() });
            }
        }
    }
    if start < segment.kernels.len() {
        out.push(Piece::Kernels(&segment.kernels[start..]));
    }
    out
}

/// Values that are cheaper to make again than to keep.
fn is_cheap(op: &Op) -> bool {
    matches!(op, Op::Constant(_) | Op::Pi | Op::Index(_))
        || matches!(op, Op::Load(a) if matches!(a.base, Base::Input(_)))
}

impl SpillSlots {
    fn new(kernel: &Kernel, work: usize) -> SpillSlots {
        let mut slot = HashMap::new();
        let mut end = work;
        let mut keep = |value: u32, user: usize| {
            if value as usize / PIECE != user && !is_cheap(&kernel.ops[value as usize]) {
                slot.entry(value).or_insert_with(|| {
                    end += 1;
                    end - 1
                });
            }
        };
        for (k, op) in kernel.ops.iter().enumerate() {
            match op {
                Op::Unary(_, a) => keep(*a, k / PIECE),
                Op::Binary(_, a, b) => {
                    keep(*a, k / PIECE);
                    keep(*b, k / PIECE);
                }
                _ => {}
            }
        }
        SpillSlots { slot, end }
    }
}

impl Piece<'_> {
    /// The end of the work area this piece uses, beyond the program's own.
    pub(super) fn spill(&self) -> usize {
        match self {
            Piece::Kernels(_) => 0,
            Piece::Stretch { slots, .. } => slots.end,
        }
    }

    pub(super) fn emit(
        &self,
        func: &mut ir::Function,
        context: &mut FunctionBuilderContext,
        config: TargetFrontendConfig,
        convention: Convention,
    ) {
        let parameters = if convention == Convention::Registers { INPUTS + OUTPUTS + 1 } else { 3 };
        for _ in 0..parameters {
            func.signature.params.push(AbiParam::new(types::I64));
        }
        func.signature.call_conv = config.default_call_conv;
        let mut b = FunctionBuilder::new(func, context);
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        b.seal_block(entry);
        let arguments = b.block_params(entry).to_vec();
        let mut bases = HashMap::new();
        bases.insert(Base::Work, arguments[parameters - 1]);
        let (kernels, range) = match self {
            Piece::Kernels(kernels) => (*kernels, None),
            Piece::Stretch { kernel, ops, slots } => (std::slice::from_ref(*kernel), Some((ops.clone(), slots))),
        };
        let flags = MemFlagsData::trusted().with_readonly().with_can_move();
        for base in used_bases(kernels) {
            let pointer = match (convention, base) {
                (_, Base::Work) => continue,
                (Convention::Registers, Base::Input(k)) => arguments[k],
                (Convention::Registers, Base::Output(k)) => arguments[INPUTS + k],
                (Convention::Lists, Base::Input(k)) => b.ins().load(types::I64, flags, arguments[0], 8 * k as i32),
                (Convention::Lists, Base::Output(k)) => b.ins().load(types::I64, flags, arguments[1], 8 * k as i32),
            };
            bases.insert(base, pointer);
        }
        let mut emitter = Emitter { b, bases, vars: vec![], config };
        match range {
            None => kernels.iter().for_each(|k| emitter.kernel(k)),
            Some((ops, slots)) => emitter.stretch(&kernels[0], ops, slots),
        }
        let mut b = emitter.b;
        b.ins().return_(&[]);
        b.seal_all_blocks();
        b.finalize(config);
    }
}

fn used_bases(kernels: &[Kernel]) -> Vec<Base> {
    let mut out: Vec<Base> = vec![];
    let mut add = |base| {
        if !out.contains(&base) {
            out.push(base);
        }
    };
    for k in kernels {
        k.ops.iter().for_each(|op| {
            if let Op::Load(a) = op {
                add(a.base)
            }
        });
        k.stores.iter().for_each(|s| add(s.to.base));
    }
    out
}

pub(super) struct Emitter<'a> {
    pub(super) b: FunctionBuilder<'a>,
    pub(super) bases: HashMap<Base, Value>,
    /// Values of the loop variables.
    pub(super) vars: Vec<Value>,
    pub(super) config: TargetFrontendConfig,
}

impl Emitter<'_> {
    fn kernel(&mut self, kernel: &Kernel) {
        let sums: Vec<Option<Variable>> = kernel
            .stores
            .iter()
            .map(|s| {
                (s.write == Write::Reduce).then(|| {
                    let sum = self.b.declare_var(types::F64);
                    let zero = self.b.ins().f64const(0.0);
                    self.b.def_var(sum, zero);
                    sum
                })
            })
            .collect();
        match &kernel.domain {
            Domain::Ranges(ranges) => self.nest(ranges, kernel, &sums),
            Domain::Points(points) => {
                let arity = points.names.len() as i64;
                let count = points.values.len() as i64 / arity;
                let (first, last) = (self.b.ins().iconst(types::I64, 0), self.b.ins().iconst(types::I64, count - 1));
                let table = self.b.ins().iconst(types::I64, points.values.as_ptr() as i64);
                self.repeat(first, last, |e, k| {
                    let at = e.b.ins().imul_imm_s(k, arity * 8);
                    let row = e.b.ins().iadd(table, at);
                    let flags = MemFlagsData::trusted().with_readonly();
                    for v in 0..arity {
                        let value = e.b.ins().load(types::I64, flags, row, 8 * v as i32);
                        e.vars.push(value);
                    }
                    e.point(kernel, &sums);
                    e.vars.clear();
                });
            }
        }
        for (store, sum) in kernel.stores.iter().zip(sums) {
            if let Some(sum) = sum {
                let value = self.b.use_var(sum);
                self.add(&store.to, value);
            }
        }
    }

    fn nest(&mut self, ranges: &[cotangent_expr::Range], kernel: &Kernel, sums: &[Option<Variable>]) {
        let Some((first, rest)) = ranges.split_first() else { return self.point(kernel, sums) };
        let (low, high) = (self.index(&first.low), self.index(&first.high));
        self.repeat(low, high, |e, i| {
            e.vars.push(i);
            e.nest(rest, kernel, sums);
            e.vars.pop();
        });
    }

    /// for i in low..=high { body }
    fn repeat(&mut self, low: Value, high: Value, body: impl FnOnce(&mut Self, Value)) {
        let counter = self.b.declare_var(types::I64);
        self.b.def_var(counter, low);
        let (head, inside, done) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.ins().jump(head, &[]);
        self.b.switch_to_block(head);
        let i = self.b.use_var(counter);
        let more = self.b.ins().icmp(IntCC::SignedLessThanOrEqual, i, high);
        self.b.ins().brif(more, inside, &[], done, &[]);
        self.b.switch_to_block(inside);
        body(self, i);
        let next = self.b.ins().iadd_imm_s(i, 1);
        self.b.def_var(counter, next);
        self.b.ins().jump(head, &[]);
        self.b.switch_to_block(done);
    }

    fn point(&mut self, kernel: &Kernel, sums: &[Option<Variable>]) {
        let mut values = HashMap::with_capacity(kernel.ops.len());
        self.ops(kernel, 0..kernel.ops.len(), &mut values, &mut |_, _, _| None);
        for (store, sum) in kernel.stores.iter().zip(sums) {
            let value = values[&store.value];
            match (store.write, sum) {
                (Write::Reduce, Some(sum)) => {
                    let before = self.b.use_var(*sum);
                    let after = self.b.ins().fadd(before, value);
                    self.b.def_var(*sum, after);
                }
                (Write::Set, _) => self.set(&store.to, value),
                _ => self.add(&store.to, value),
            }
        }
    }

    /// A stretch of a long kernel: values from earlier stretches come from their slots.
    fn stretch(&mut self, kernel: &Kernel, ops: Range<usize>, slots: &SpillSlots) {
        let mut values = HashMap::with_capacity(ops.len());
        let mut recall = |e: &mut Self, kernel: &Kernel, v: u32| match slots.slot.get(&v) {
            Some(&slot) => Some(e.load(&Address { base: Base::Work, at: Ix::constant(slot as i64) }, false)),
            None => Some(e.cheap(&kernel.ops[v as usize])),
        };
        self.ops(kernel, ops.clone(), &mut values, &mut recall);
        for k in ops.clone() {
            if let Some(&slot) = slots.slot.get(&(k as u32)) {
                self.set(&Address { base: Base::Work, at: Ix::constant(slot as i64) }, values[&(k as u32)]);
            }
        }
        for store in kernel.stores.iter().filter(|s| ops.contains(&(s.value as usize))) {
            let value = values[&store.value];
            match store.write {
                Write::Set => self.set(&store.to, value),
                Write::Add | Write::Reduce => self.add(&store.to, value),
            }
        }
    }

    #[allow(clippy::type_complexity)]
    fn ops(
        &mut self,
        kernel: &Kernel,
        range: Range<usize>,
        values: &mut HashMap<u32, Value>,
        recall: &mut dyn FnMut(&mut Self, &Kernel, u32) -> Option<Value>,
    ) {
        let ops = &kernel.ops;
        // Arguments whose sine and cosine are both wanted.
        let of = |f: Unary| -> HashSet<u32> {
            range
                .clone()
                .filter_map(|k| if let Op::Unary(g, a) = ops[k] { (g == f).then_some(a) } else { None })
                .collect()
        };
        let both: HashSet<u32> = of(Unary::Sin).intersection(&of(Unary::Cos)).copied().collect();
        let mut pairs: HashMap<u32, (Value, Value)> = HashMap::new();
        let mut get = |e: &mut Self, values: &mut HashMap<u32, Value>, v: u32| -> Value {
            if let Some(&known) = values.get(&v) {
                return known;
            }
            let value = recall(e, kernel, v).unwrap_or_else(|| e.b.ins().f64const(f64::NAN));
            values.insert(v, value);
            value
        };
        for k in range.clone() {
            let value = match &ops[k] {
                Op::Unary(f @ (Unary::Sin | Unary::Cos), a) if both.contains(a) => {
                    let (s, c) = match pairs.get(a) {
                        Some(&pair) => pair,
                        None => {
                            let x = get(self, values, *a);
                            let pair = self.sin_cos(x);
                            pairs.insert(*a, pair);
                            pair
                        }
                    };
                    if *f == Unary::Sin { s } else { c }
                }
                Op::Unary(f, a) => {
                    let x = get(self, values, *a);
                    self.unary(*f, x)
                }
                Op::Binary(f, a, b) => {
                    let (x, y) = (get(self, values, *a), get(self, values, *b));
                    self.binary(*f, x, y)
                }
                Op::Load(a) => self.load(a, matches!(a.base, Base::Input(_))),
                cheap => self.cheap(cheap),
            };
            values.insert(k as u32, value);
        }
    }

    fn cheap(&mut self, op: &Op) -> Value {
        match op {
            Op::Constant(n) => self.b.ins().f64const(n.to_f64()),
            Op::Pi => self.b.ins().f64const(std::f64::consts::PI),
            Op::Index(i) => {
                let i = self.index(i);
                self.b.ins().fcvt_from_sint(types::F64, i)
            }
            Op::Load(a) => self.load(a, matches!(a.base, Base::Input(_))),
            Op::Unary(..) | Op::Binary(..) => self.b.ins().f64const(f64::NAN),
        }
    }

    pub(super) fn unary(&mut self, f: Unary, x: Value) -> Value {
        match f {
            Unary::Neg => self.b.ins().fneg(x),
            Unary::Sqrt => self.b.ins().sqrt(x),
            Unary::Abs => self.b.ins().fabs(x),
            Unary::Stumpff(k) => {
                let k = self.b.ins().iconst(types::I64, k as i64);
                self.call(math::stumpff as *const () as usize, &[types::F64, types::I64], &[x, k])
            }
            _ => self.call(math::unary_address(f).unwrap_or(0), &[types::F64], &[x]),
        }
    }

    pub(super) fn binary(&mut self, f: Binary, x: Value, y: Value) -> Value {
        match f {
            Binary::Add => self.b.ins().fadd(x, y),
            Binary::Sub => self.b.ins().fsub(x, y),
            Binary::Mul => self.b.ins().fmul(x, y),
            Binary::Div => self.b.ins().fdiv(x, y),
            _ => self.call(math::binary_address(f).unwrap_or(0), &[types::F64; 2], &[x, y]),
        }
    }

    pub(super) fn signature(&self, parameters: &[ir::Type], returns: &[ir::Type]) -> Signature {
        let mut signature = Signature::new(self.config.default_call_conv);
        signature.params.extend(parameters.iter().map(|&t| AbiParam::new(t)));
        signature.returns.extend(returns.iter().map(|&t| AbiParam::new(t)));
        signature
    }

    fn call(&mut self, address: usize, parameters: &[ir::Type], arguments: &[Value]) -> Value {
        let signature = self.signature(parameters, &[types::F64]);
        let signature = self.b.import_signature(signature);
        let callee = self.b.ins().iconst(types::I64, address as i64);
        let call = self.b.ins().call_indirect(signature, callee, arguments);
        self.b.inst_results(call)[0]
    }

    fn sin_cos(&mut self, x: Value) -> (Value, Value) {
        let slot = self.b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, 16, 3));
        let out = self.b.ins().stack_addr(types::I64, slot, 0);
        let signature = self.signature(&[types::F64, types::I64], &[]);
        let signature = self.b.import_signature(signature);
        let callee = self.b.ins().iconst(types::I64, math::sin_cos as *const () as usize as i64);
        self.b.ins().call_indirect(signature, callee, &[x, out]);
        (
            self.b.ins().load(types::F64, MemFlagsData::trusted(), out, 0),
            self.b.ins().load(types::F64, MemFlagsData::trusted(), out, 8),
        )
    }

    /// The pointer and byte offset of an address.
    fn place(&mut self, address: &Address) -> (Value, i32) {
        let base = self.bases[&address.base];
        let bytes = address.at.offset().saturating_mul(8);
        match i32::try_from(bytes) {
            Ok(offset) => {
                let rest = address.at.shifted(-address.at.offset());
                let pointer = self.advance(base, &rest);
                (pointer, offset)
            }
            Err(_) => (self.advance(base, &address.at), 0),
        }
    }

    /// base + 8·at
    fn advance(&mut self, base: Value, at: &Ix) -> Value {
        if at.as_constant() == Some(0) {
            return base;
        }
        let at = self.index(at);
        let bytes = self.b.ins().ishl_imm_s(at, 3);
        self.b.ins().iadd(base, bytes)
    }

    fn load(&mut self, address: &Address, readonly: bool) -> Value {
        let (pointer, offset) = self.place(address);
        let flags = MemFlagsData::trusted();
        let flags = if readonly { flags.with_readonly() } else { flags };
        self.b.ins().load(types::F64, flags, pointer, offset)
    }

    fn set(&mut self, address: &Address, value: Value) {
        let (pointer, offset) = self.place(address);
        self.b.ins().store(MemFlagsData::trusted(), value, pointer, offset);
    }

    fn add(&mut self, address: &Address, value: Value) {
        let before = self.load(address, false);
        let after = self.b.ins().fadd(before, value);
        self.set(address, after);
    }

    /// An index as an integer.
    fn index(&mut self, i: &Ix) -> Value {
        let mut sum: Option<Value> = None;
        for (atom, c) in i.terms() {
            let value = match atom {
                Atom::Var(v) => self.vars[*v as usize],
                Atom::Table(t, at) => {
                    let mut flat: Option<Value> = None;
                    for (i, d) in at.iter().zip(t.dims()) {
                        let own = self.index(&i.shifted(-d.first));
                        flat = Some(match flat {
                            None => own,
                            Some(f) => {
                                let f = self.b.ins().imul_imm_s(f, d.len as i64);
                                self.b.ins().iadd(f, own)
                            }
                        });
                    }
                    let flat = flat.unwrap_or_else(|| self.b.ins().iconst(types::I64, 0));
                    let table = self.b.ins().iconst(types::I64, t.values().as_ptr() as i64);
                    let bytes = self.b.ins().ishl_imm_s(flat, 3);
                    let pointer = self.b.ins().iadd(table, bytes);
                    self.b.ins().load(types::I64, MemFlagsData::trusted().with_readonly(), pointer, 0)
                }
                Atom::Mod(i, m) => {
                    let i = self.index(i);
                    self.divide(i, *m).1
                }
                Atom::Floor(i, d) => {
                    let i = self.index(i);
                    self.divide(i, *d).0
                }
            };
            let value = if *c == 1 { value } else { self.b.ins().imul_imm_s(value, *c) };
            sum = Some(sum.map_or(value, |s| self.b.ins().iadd(s, value)));
        }
        match sum {
            None => self.b.ins().iconst(types::I64, i.offset()),
            Some(s) if i.offset() == 0 => s,
            Some(s) => self.b.ins().iadd_imm_s(s, i.offset()),
        }
    }

    /// Quotient and remainder with 0 ≤ remainder < divisor.
    fn divide(&mut self, i: Value, divisor: i64) -> (Value, Value) {
        let d = self.b.ins().iconst(types::I64, divisor);
        let (quotient, remainder) = (self.b.ins().sdiv(i, d), self.b.ins().srem(i, d));
        let negative = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, remainder, 0);
        let (lower, raised) = (self.b.ins().iadd_imm_s(quotient, -1), self.b.ins().iadd(remainder, d));
        (self.b.ins().select(negative, lower, quotient), self.b.ins().select(negative, raised, remainder))
    }
}
