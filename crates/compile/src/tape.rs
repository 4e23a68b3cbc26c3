//! The reference engine: interprets kernels in any scalar.

use crate::program::{Address, Base, Binary, Kernel, Op, Segment, Unary, Write};
use cotangent_expr::Number;
use cotangent_scalar::Scalar;

/// The memory of one call: the caller's vectors and the work area.
pub(crate) struct Memory<'a, 'b, S> {
    pub(crate) inputs: &'a [&'a [S]],
    pub(crate) outputs: &'a mut [&'b mut [S]],
    pub(crate) work: &'a mut [S],
}

impl<S: Scalar> Memory<'_, '_, S> {
    fn load(&self, address: &Address, vars: &[i64]) -> S {
        let at = position(address, vars);
        match address.base {
            Base::Input(k) => self.inputs[k][at],
            Base::Output(k) => self.outputs[k][at],
            Base::Work => self.work[at],
        }
    }

    fn slot(&mut self, address: &Address, vars: &[i64]) -> &mut S {
        let at = position(address, vars);
        match address.base {
            Base::Output(k) => &mut self.outputs[k][at],
            // Inputs are never written: lowering addresses only outputs and work.
            Base::Input(_) | Base::Work => &mut self.work[at],
        }
    }

    /// Sets to zero what a segment adds to.
    pub(crate) fn clear(&mut self, segment: &Segment) {
        for &(base, start, len) in &segment.clear {
            let memory: &mut [S] = match base {
                Base::Output(k) => self.outputs[k],
                Base::Input(_) | Base::Work => self.work,
            };
            memory[start..start + len].fill(S::from_f64(0.0));
        }
    }
}

fn position(address: &Address, vars: &[i64]) -> usize {
    // Verified when the program was made: the index is inside for every point.
    address.at.eval(vars).unwrap_or(0) as usize
}

/// Runs the kernels of a segment; `registers` holds at least [`registers`] values.
pub(crate) fn run<S: Scalar>(segment: &Segment, memory: &mut Memory<'_, '_, S>, registers: &mut [S]) {
    for kernel in &segment.kernels {
        let (values, sums) = registers.split_at_mut(kernel.ops.len());
        sums[..kernel.stores.len()].fill(S::from_f64(0.0));
        kernel.domain.for_each(&mut |vars| {
            point(kernel, memory, vars, values, sums);
            true
        });
        for (store, sum) in kernel.stores.iter().zip(sums) {
            if store.write == Write::Reduce {
                let slot = memory.slot(&store.to, &[]);
                *slot = *slot + *sum;
            }
        }
    }
}

/// How many registers a segment needs.
pub(crate) fn registers(segment: &Segment) -> usize {
    segment.kernels.iter().map(|k| k.ops.len() + k.stores.len()).max().unwrap_or(0)
}

fn point<S: Scalar>(kernel: &Kernel, memory: &mut Memory<'_, '_, S>, vars: &[i64], v: &mut [S], sums: &mut [S]) {
    for (k, op) in kernel.ops.iter().enumerate() {
        v[k] = match op {
            Op::Constant(n) => constant(*n),
            Op::Pi => S::pi(),
            Op::Index(i) => S::from_f64(i.eval(vars).unwrap_or(0) as f64),
            Op::Load(address) => memory.load(address, vars),
            Op::Unary(f, a) => unary(*f, v[*a as usize]),
            Op::Binary(f, a, b) => binary(*f, v[*a as usize], v[*b as usize]),
        };
    }
    for (store, sum) in kernel.stores.iter().zip(sums) {
        let value = v[store.value as usize];
        match store.write {
            Write::Set => *memory.slot(&store.to, vars) = value,
            Write::Add => {
                let slot = memory.slot(&store.to, vars);
                *slot = *slot + value;
            }
            Write::Reduce => *sum = *sum + value,
        }
    }
}

fn constant<S: Scalar>(n: Number) -> S {
    match n.as_ratio() {
        Some((n, d)) => S::ratio(n, d),
        None => S::from_f64(n.to_f64()),
    }
}

pub(crate) fn unary<S: Scalar>(f: Unary, x: S) -> S {
    match f {
        Unary::Neg => -x,
        Unary::Sqrt => x.sqrt(),
        Unary::Exp => x.exp(),
        Unary::Ln => x.ln(),
        Unary::Sin => x.sin(),
        Unary::Cos => x.cos(),
        Unary::Tan => x.tan(),
        Unary::Asin => x.asin(),
        Unary::Acos => x.acos(),
        Unary::Atan => x.atan(),
        Unary::Sinh => x.sinh(),
        Unary::Cosh => x.cosh(),
        Unary::Tanh => x.tanh(),
        Unary::Abs => x.abs(),
        Unary::Sign => x.sign(),
        Unary::Floor => x.floor(),
        Unary::Stumpff(k) => x.stumpff(k),
    }
}

pub(crate) fn binary<S: Scalar>(f: Binary, a: S, b: S) -> S {
    match f {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div => a / b,
        Binary::Atan2 => a.atan2(b),
        Binary::Min => a.min(b),
        Binary::Max => a.max(b),
        Binary::Mod => a.modulo(b),
        Binary::Pow => a.pow(b),
    }
}
