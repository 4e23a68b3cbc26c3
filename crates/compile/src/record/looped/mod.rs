//! Recording a step with its loops.

mod machine;
mod number;

pub use machine::LoopRecord;

use super::item::Item;
use super::layout::program;
use crate::program::{Address, Base, Instruction, Kernel, Op, Program, Store, Write};
use cotangent_dynamics::{Failure, Misuse, Plan, Unrecordable};
use cotangent_expr::{Domain, Ix, Number};
use std::cell::RefCell;

/// The most kernels of a recording, and the most operations in them: one that has more is not made of loops. What joins them compares
/// all entries that they touch with each other, which takes some tenths of a second for so many.
const MOST_KERNELS: usize = 800;
const MOST_OPERATIONS: usize = 30_000;

/// In place of an array: the value of an operation of the loop that is being recorded.
const LANE: u32 = u32::MAX;

/// A number that knows where it is.
#[derive(Clone, Copy)]
pub enum Looped<'t> {
    /// Known while recording.
    Constant(f64),
    /// An entry of an array.
    Entry(u32, u32, &'t LoopRecorder),
}

#[derive(Default)]
struct Trace {
    arrays: Vec<usize>,
    items: Vec<Item>,
    /// What came before the regions that are being recorded, the outermost first.
    outside: Vec<Vec<Item>>,
    /// Whether an iteration is being recorded, and stages.
    iterated: bool,
    repeated: bool,
    /// The operations of the loop that is being recorded.
    body: Option<Vec<Op>>,
    kernels: usize,
    operations: usize,
    fault: Option<Unrecordable>,
}

impl Trace {
    /// Begins a region.
    fn begin(&mut self) {
        let before = std::mem::take(&mut self.items);
        self.outside.push(before);
    }

    /// Ends it: what it does.
    fn end(&mut self) -> Vec<Item> {
        let before = self.outside.pop().unwrap_or_default();
        std::mem::replace(&mut self.items, before)
    }
}

/// Records loops; lives as long as the [`Looped`] numbers that refer to it.
#[derive(Default)]
pub struct LoopRecorder(RefCell<Trace>);

/// A stretch of a vector.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// Entries of an array one after the other, from this one on.
    Entries(u32, u32),
    /// The same number again and again.
    Same(Uniform),
}

#[derive(Clone, Copy, PartialEq)]
enum Uniform {
    Constant(u64),
    Entry(u32, u32),
}

impl LoopRecorder {
    /// Records a step with the implicit equations of `plan`: `step` gets vectors of these lengths and gives others. The
    /// third of those it gets is constant from step to step.
    pub fn record(
        plan: &Plan,
        inputs: &[usize],
        step: impl for<'t> FnOnce(&mut LoopRecord<'t>, Vec<Vec<Looped<'t>>>) -> Result<Vec<Vec<Looped<'t>>>, Failure>,
    ) -> Result<Program, Failure> {
        let recorder = LoopRecorder::default();
        let given: Vec<usize> = inputs.iter().map(|&len| recorder.array(len)).collect();
        let vectors = given.iter().map(|&array| recorder.entries(array)).collect();
        let results = step(&mut LoopRecord { recorder: &recorder, plan }, vectors)?;
        let outputs: Vec<usize> = results.iter().map(|vector| recorder.copied(vector)).collect();
        let Trace { arrays, items, fault, .. } = recorder.0.into_inner();
        match fault {
            Some(why) => Err(Misuse::from(why).into()),
            None => program(plan, &arrays, &given, &outputs, items),
        }
    }

    fn array(&self, len: usize) -> usize {
        let mut trace = self.0.borrow_mut();
        trace.arrays.push(len);
        trace.arrays.len() - 1
    }

    fn entries(&self, array: usize) -> Vec<Looped<'_>> {
        let len = self.0.borrow().arrays[array];
        (0..len).map(|at| Looped::Entry(array as u32, at as u32, self)).collect()
    }

    fn item(&self, item: Item) {
        self.0.borrow_mut().items.push(item);
    }

    fn kernel(&self, domain: Domain, ops: Vec<Op>, stores: Vec<Store>) {
        let mut kernel = Kernel { domain, ops, stores };
        kernel.drop_unused();
        let mut trace = self.0.borrow_mut();
        trace.kernels += 1;
        trace.operations += kernel.ops.len();
        match trace.kernels > MOST_KERNELS || trace.operations > MOST_OPERATIONS {
            true => trace.fault = Some(Unrecordable::TooLong),
            false => trace.items.push(Item::Kernel(kernel)),
        }
    }

    /// The position of a number among the operations of the loop that is being recorded.
    fn operand(&self, x: Looped<'_>) -> u32 {
        let mut trace = self.0.borrow_mut();
        let op = match x {
            Looped::Entry(LANE, at, _) if trace.body.is_some() => return at,
            Looped::Entry(LANE, ..) => {
                trace.fault = Some(Unrecordable::Foreign);
                Op::Constant(Number::ZERO)
            }
            Looped::Entry(array, at, own) => {
                if !std::ptr::eq(own, self) {
                    trace.fault = Some(Unrecordable::Foreign);
                }
                Op::Load(address(array as usize, Ix::constant(i64::from(at))))
            }
            Looped::Constant(c) => Op::Constant(Number::from(c)),
        };
        push(&mut trace.body, op)
    }

    /// Records an operation: into the loop that is being recorded, otherwise as a number of its own.
    fn operation(&self, operands: &[Looped<'_>], op: impl Fn(&[u32]) -> Op) -> Looped<'_> {
        let alone = self.0.borrow().body.is_none();
        if alone {
            self.0.borrow_mut().body = Some(vec![]);
        }
        let operands: Vec<u32> = operands.iter().map(|&x| self.operand(x)).collect();
        let value = push(&mut self.0.borrow_mut().body, op(&operands));
        if !alone {
            return Looped::Entry(LANE, value, self);
        }
        let array = self.array(1);
        let ops = self.0.borrow_mut().body.take().unwrap_or_default();
        let to = address(array, Ix::constant(0));
        self.kernel(Domain::point(), ops, vec![Store { to, value, write: Write::Set }]);
        Looped::Entry(array as u32, 0, self)
    }

    /// Records a loop, whose body stores what `f` says: an address and a number.
    fn repeat<'t>(&'t self, rounds: usize, f: impl FnOnce(&Ix) -> Vec<(Address, Looped<'t>, Write)>) {
        self.0.borrow_mut().body = Some(vec![]);
        let (domain, round) = match rounds {
            1 => (Domain::point(), Ix::constant(0)),
            _ => (Domain::range("k", 0, rounds as i64 - 1), Ix::var(0)),
        };
        let made = f(&round);
        let stores = made.into_iter().map(|(to, x, write)| Store { to, value: self.operand(x), write }).collect();
        let ops = self.0.borrow_mut().body.take().unwrap_or_default();
        self.kernel(domain, ops, stores);
    }

    fn load(&self, from: Address) -> Looped<'_> {
        Looped::Entry(LANE, push(&mut self.0.borrow_mut().body, Op::Load(from)), self)
    }

    fn uniform(&self, x: Uniform) -> Looped<'_> {
        match x {
            Uniform::Constant(bits) => Looped::Constant(f64::from_bits(bits)),
            Uniform::Entry(array, at) => Looped::Entry(array, at, self),
        }
    }

    /// A vector as a copy of its own.
    fn copied(&self, vector: &[Looped<'_>]) -> usize {
        let array = self.array(vector.len());
        for (start, len, part) in parts(vector) {
            self.repeat(len, |k| {
                let x = match part {
                    Part::Entries(from, at) => self.load(address(from as usize, k.shifted(i64::from(at)))),
                    Part::Same(x) => self.uniform(x),
                };
                vec![(address(array, k.shifted(start as i64)), x, Write::Set)]
            });
        }
        array
    }

    /// An array that a vector is a stretch of, and from where on; a copy, if it is none.
    fn stretch(&self, vector: &[Looped<'_>]) -> (usize, i64) {
        match parts(vector)[..] {
            [(_, _, Part::Entries(array, at))] => (array as usize, i64::from(at)),
            _ => (self.copied(vector), 0),
        }
    }

    /// An array that is this vector; a copy, if it is none.
    fn whole(&self, vector: &[Looped<'_>]) -> usize {
        match self.stretch(vector) {
            (array, 0) if self.0.borrow().arrays[array] == vector.len() => array,
            _ => self.copied(vector),
        }
    }

    /// Records what a function does, as loops; false if it solves equations.
    pub(crate) fn splice<'t>(
        &'t self,
        program: &Program,
        inputs: &[&[Looped<'t>]],
        outputs: &mut [&mut [Looped<'t>]],
    ) -> bool {
        let fits = inputs.iter().map(|x| x.len()).eq(program.inputs.iter().copied())
            && outputs.iter().map(|y| y.len()).eq(program.outputs.iter().copied());
        if !fits || program.instructions.iter().any(|i| !matches!(i, Instruction::Segment(_))) {
            return false;
        }
        let given: Vec<(usize, i64)> = inputs.iter().map(|vector| self.stretch(vector)).collect();
        let made: Vec<usize> = program.outputs.iter().map(|&len| self.array(len)).collect();
        let work = self.array(program.work);
        let placed = |a: &Address| match a.base {
            Base::Input(k) => address(given[k].0, a.at.shifted(given[k].1)),
            Base::Output(k) => address(made[k], a.at.clone()),
            Base::Work => address(work, a.at.clone()),
        };
        for segment in &program.segments {
            for &(base, start, len) in &segment.clear {
                self.repeat(len, |k| {
                    let to = placed(&Address { base, at: k.shifted(start as i64) });
                    vec![(to, Looped::Constant(0.0), Write::Set)]
                });
            }
            for kernel in &segment.kernels {
                let op = |op: &Op| match op {
                    Op::Load(a) => Op::Load(placed(a)),
                    other => other.clone(),
                };
                let store = |s: &Store| Store { to: placed(&s.to), ..s.clone() };
                let stores = kernel.stores.iter().map(store).collect();
                self.kernel(kernel.domain.clone(), kernel.ops.iter().map(op).collect(), stores);
            }
        }
        for (out, &array) in outputs.iter_mut().zip(&made) {
            out.copy_from_slice(&self.entries(array));
        }
        true
    }
}

fn address(array: usize, at: Ix) -> Address {
    Address { base: Base::Output(array), at }
}

fn push(body: &mut Option<Vec<Op>>, op: Op) -> u32 {
    let body = body.get_or_insert_default();
    body.push(op);
    body.len() as u32 - 1
}

/// The stretches of a vector: start, length, and what it is.
fn parts(vector: &[Looped<'_>]) -> Vec<(usize, usize, Part)> {
    let mut out: Vec<(usize, usize, Part)> = vec![];
    for (k, x) in vector.iter().enumerate() {
        let same = match *x {
            Looped::Constant(c) => Uniform::Constant(c.to_bits()),
            Looped::Entry(array, at, _) => Uniform::Entry(array, at),
        };
        if let Some((start, len, part)) = out.last_mut() {
            let continued = match (*part, same) {
                (Part::Entries(array, first), Uniform::Entry(own, at)) if array == own => {
                    // A stretch of one entry may still become the same again and again.
                    if *len == 1 && at == first {
                        *part = Part::Same(same);
                        true
                    } else {
                        at as usize == first as usize + (k - *start)
                    }
                }
                (Part::Same(x), y) => x == y,
                _ => false,
            };
            if continued {
                *len += 1;
                continue;
            }
        }
        let part = match same {
            Uniform::Entry(array, at) => Part::Entries(array, at),
            constant => Part::Same(constant),
        };
        out.push((k, 1, part));
    }
    out
}
