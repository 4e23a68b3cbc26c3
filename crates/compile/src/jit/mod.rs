//! The fast engine: segments as native code, through Cranelift.
//!
//! Native code performs the tape's operations in the tape's order, with the same elementary
//! functions and without fused multiply–add, so both engines agree bit for bit. This module and
//! its children hold all `unsafe` code of Cotangent; what makes it sound is that every address of a
//! program is checked against its memory when the program is made, and every slice's length when
//! it is called.
#![allow(unsafe_code)]

mod area;
#[cfg(all(test, unix))]
pub(crate) mod c;
mod cranelift;
mod elimination;
mod fixed_point;
mod kernels;
mod looped;
mod math;
mod newton;
mod regions;
mod settled;
mod step;
mod target;

pub(crate) use step::Arrival;

use crate::error::CompileError;
use crate::program::{Base, Instruction, Op, Program, Segment};
use crate::tape::Memory;
use cotangent_dynamics::State;
use cotangent_scalar::Limits;
use cotangent_solve::LinearSolver;
use cranelift::{Code, Machine};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How native code gets its arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Convention {
    /// Each vector's address in a register: (input, input, input, output, output, work).
    Registers,
    /// Lists of addresses: (inputs, outputs, work).
    Lists,
}

impl Convention {
    /// Registers if they suffice.
    fn of(program: &Program) -> Convention {
        match program.inputs.len() <= INPUTS && program.outputs.len() <= OUTPUTS {
            true => Convention::Registers,
            false => Convention::Lists,
        }
    }
}

/// How many inputs and outputs are passed in registers.
const INPUTS: usize = 3;
const OUTPUTS: usize = 2;

/// A compiled piece of a segment; which of the two is the program's [`Convention`].
#[derive(Clone, Copy)]
union Entry {
    code: *const u8,
    registers: unsafe extern "C" fn(*const f64, *const f64, *const f64, *mut f64, *mut f64, *mut f64),
    lists: unsafe extern "C" fn(*const *const f64, *const *mut f64, *mut f64),
}

/// The native form of a program: a function for each piece of a segment.
pub(crate) struct Native {
    segments: Vec<Vec<Entry>>,
    convention: Convention,
    _code: Code,
    /// Keeps the integer tables alive whose addresses the code holds.
    _program: Arc<Program>,
    /// Bytes of machine code.
    pub(crate) code_size: usize,
}

/// The end of the work area that the code of a program uses: beyond the program's own, it hands values from piece to
/// piece.
pub(crate) fn spill(program: &Program) -> usize {
    let pieces = program.segments.iter().flat_map(|segment| kernels::pieces(segment, program.work));
    pieces.map(|piece| piece.spill()).max().unwrap_or(0)
}

// SAFETY: entries point into code that is immutable.
unsafe impl Send for Native {}
unsafe impl Sync for Native {}

impl Native {
    pub(crate) fn compile(program: &Arc<Program>, limits: &Limits) -> Result<Native, CompileError> {
        let mut machine = Machine::new()?;
        let convention = Convention::of(program);
        let (mut functions, mut counts) = (vec![], vec![]);
        for segment in &program.segments {
            let pieces = kernels::pieces(segment, program.work);
            counts.push(pieces.len());
            for piece in pieces {
                limits.check()?;
                functions.push(piece.compile(&mut machine, convention)?);
            }
        }
        let code_size = machine.size;
        let (code, entries) = machine.finish(&functions)?;
        let mut entries = entries.into_iter().map(|code| Entry { code });
        let segments = counts.into_iter().map(|count| entries.by_ref().take(count).collect()).collect();
        Ok(Native { segments, convention, _code: code, _program: program.clone(), code_size })
    }

    /// The only piece of a program, if it has just one, clears nothing and has few arguments: the
    /// common case for small systems.
    pub(crate) fn single(&self, program: &Program) -> Option<Single> {
        if self.convention != Convention::Registers {
            return None;
        }
        match (program.instructions.as_slice(), self.segments.as_slice(), program.segments.as_slice()) {
            ([Instruction::Segment(0)], [pieces], [segment]) if pieces.len() == 1 && segment.clear.is_empty() => {
                let length = |list: &[usize], k: usize| list.get(k).copied().unwrap_or(0);
                Some(Single {
                    entry: pieces[0],
                    inputs: std::array::from_fn(|k| length(&program.inputs, k)),
                    outputs: std::array::from_fn(|k| length(&program.outputs, k)),
                    counts: (program.inputs.len(), program.outputs.len()),
                    work: program.work.max(spill(program)),
                })
            }
            _ => None,
        }
    }

    /// Runs a segment. The lengths of all slices have been checked by the caller.
    pub(crate) fn run(&self, index: usize, segment: &Segment, memory: &mut Memory<'_, '_, f64>) {
        memory.clear(segment);
        // A slice is a pointer and a length; native code wants the pointers alone.
        let mut inputs = [std::ptr::null(); MAX_VECTORS];
        let mut outputs = [std::ptr::null_mut(); MAX_VECTORS];
        for (pointer, slice) in inputs.iter_mut().zip(memory.inputs) {
            *pointer = slice.as_ptr();
        }
        for (pointer, slice) in outputs.iter_mut().zip(memory.outputs.iter_mut()) {
            *pointer = slice.as_mut_ptr();
        }
        let work = memory.work.as_mut_ptr();
        for entry in &self.segments[index] {
            // SAFETY: see the module's documentation; the entry has the program's convention.
            unsafe {
                match self.convention {
                    Convention::Lists => (entry.lists)(inputs.as_ptr(), outputs.as_ptr(), work),
                    Convention::Registers => {
                        (entry.registers)(inputs[0], inputs[1], inputs[2], outputs[0], outputs[1], work);
                    }
                }
            }
        }
    }
}

/// A program of one piece: its entry and the lengths it relies on.
#[derive(Clone, Copy)]
pub(crate) struct Single {
    entry: Entry,
    inputs: [usize; INPUTS],
    outputs: [usize; OUTPUTS],
    counts: (usize, usize),
    work: usize,
}

// SAFETY: as for `Native`, which owns the code.
unsafe impl Send for Single {}
unsafe impl Sync for Single {}

impl Single {
    /// Runs it, unless a slice has the wrong length. The `Native` it came from must be alive.
    #[inline]
    pub(crate) fn run(&self, inputs: &[&[f64]], outputs: &mut [&mut [f64]], work: &mut [f64]) -> bool {
        let mut good = (inputs.len(), outputs.len()) == self.counts && work.len() == self.work;
        let mut from = [std::ptr::null(); INPUTS];
        let mut to = [std::ptr::null_mut(); OUTPUTS];
        for ((pointer, &n), slice) in from.iter_mut().zip(&self.inputs).zip(inputs) {
            good &= slice.len() == n;
            *pointer = slice.as_ptr();
        }
        for ((pointer, &n), slice) in to.iter_mut().zip(&self.outputs).zip(outputs) {
            good &= slice.len() == n;
            *pointer = slice.as_mut_ptr();
        }
        if good {
            // SAFETY: see the module's documentation; the convention is `Registers`.
            unsafe { (self.entry.registers)(from[0], from[1], from[2], to[0], to[1], work.as_mut_ptr()) }
        }
        good
    }
}

/// The most input or output vectors of one function.
pub(crate) const MAX_VECTORS: usize = 16;

impl kernels::Piece<'_> {
    fn compile(&self, machine: &mut Machine, convention: Convention) -> Result<cranelift_module::FuncId, CompileError> {
        let parameters = if convention == Convention::Registers { INPUTS + OUTPUTS + 1 } else { 3 };
        machine.function(parameters, false, |target, arguments| {
            for base in self.bases() {
                match (convention, base) {
                    (_, Base::Work) => target.place(base, arguments[parameters - 1]),
                    (Convention::Registers, Base::Input(k)) => target.place(base, arguments[k]),
                    (Convention::Registers, Base::Output(k)) => target.place(base, arguments[INPUTS + k]),
                    (Convention::Lists, Base::Input(k)) => target.place_from(base, arguments[0], k),
                    (Convention::Lists, Base::Output(k)) => target.place_from(base, arguments[1], k),
                }
            }
            self.write(target);
            None
        })
    }

    /// The vectors that it uses.
    fn bases(&self) -> BTreeSet<Base> {
        let loads = |op: &Op| if let Op::Load(a) = op { Some(a.base) } else { None };
        let used = |kernel: &crate::program::Kernel| {
            let loaded = kernel.ops.iter().filter_map(loads);
            loaded.chain(kernel.stores.iter().map(|store| store.to.base)).collect::<Vec<_>>()
        };
        self.kernels().iter().flat_map(used).chain([Base::Work]).collect()
    }
}

/// A step as one native function.
pub(crate) struct NativeStep {
    entry: StepEntry,
    _code: Code,
    /// Keeps the coefficients of stages alive, which the code reads.
    program: Arc<Program>,
}

/// (addresses of the inputs, of the numbers of the stopping rule and of what is counted; solvers; steps) → steps made.
type StepEntry = unsafe extern "C" fn(*const *mut f64, *mut LinearSolver<f64>, i64) -> i64;

impl NativeStep {
    pub(crate) fn compile(program: &Arc<Program>) -> Result<NativeStep, CompileError> {
        let mut machine = Machine::new()?;
        let function = machine.function(3, true, |target, arguments| {
            (0..program.inputs.len() + 2).for_each(|k| target.place_from(Base::Input(k), arguments[0], k));
            target.solve_with(arguments[1]);
            Some(step::write(target, program, arguments[2]))
        })?;
        let (code, entries) = machine.finish(&[function])?;
        // SAFETY: the function was defined with exactly this signature.
        let entry = unsafe { std::mem::transmute::<*const u8, StepEntry>(entries[0]) };
        Ok(NativeStep { entry, _code: code, program: program.clone() })
    }

    /// Makes up to `steps` steps; stops before one that is out of the ordinary. The state has been checked by the caller.
    pub(crate) fn advance(
        &self,
        state: &mut State<f64>,
        constants: &[f64],
        steps: u64,
        solvers: &mut [LinearSolver<f64>],
        counts: &mut [f64; 2],
        arrival: &Arrival,
    ) -> u64 {
        let State { values, carry, memory } = state;
        let lengths = [values.len(), carry.len(), constants.len(), memory.len()];
        let inputs = self.program.inputs.len();
        if lengths[..inputs] != self.program.inputs[..] || solvers.len() != self.program.systems.len() {
            return 0;
        }
        let steps = i64::try_from(steps).unwrap_or(i64::MAX);
        // The constants and the numbers of the rule are only read.
        let own = [values.as_mut_ptr(), carry.as_mut_ptr(), constants.as_ptr().cast_mut(), memory.as_mut_ptr()];
        let mut pointers = [std::ptr::null_mut(); 6];
        pointers[..inputs].copy_from_slice(&own[..inputs]);
        pointers[inputs] = arrival.numbers().as_ptr().cast_mut();
        pointers[inputs + 1] = counts.as_mut_ptr();
        // SAFETY: the code reads the inputs of its program and writes to all of them but the constants, as far as the
        // lengths that have just been compared; it reads the numbers of the rule, adds to the two that count, and uses
        // one solver for each system of the program.
        let done = unsafe { (self.entry)(pointers.as_ptr(), solvers.as_mut_ptr(), steps) };
        done.max(0) as u64
    }
}

/// A step with loops over members as one native function.
pub(crate) struct NativeLoops {
    entry: LoopsEntry,
    _code: Code,
    /// Keeps the integer tables alive whose addresses the code holds.
    program: Arc<Program>,
}

/// (addresses of the inputs, of the numbers of the stopping rule and of what is counted, of the outputs, of the work area;
/// solvers) → whether the step was made.
type LoopsEntry = unsafe extern "C" fn(*const *mut f64, *mut LinearSolver<f64>) -> i64;

impl NativeLoops {
    /// None if the step is too long for one function, or is not made of loops.
    pub(crate) fn compile(program: &Arc<Program>) -> Result<Option<NativeLoops>, CompileError> {
        if !looped::fits(program) {
            return Ok(None);
        }
        let mut machine = Machine::new()?;
        let (inputs, outputs) = (program.inputs.len(), program.outputs.len());
        let function = machine.function(2, true, |target, arguments| {
            (0..inputs + 2).for_each(|k| target.place_from(Base::Input(k), arguments[0], k));
            (0..outputs).for_each(|k| target.place_from(Base::Output(k), arguments[0], inputs + 2 + k));
            target.place_from(Base::Work, arguments[0], inputs + 2 + outputs);
            target.solve_with(arguments[1]);
            Some(looped::write(target, program))
        })?;
        let (code, entries) = machine.finish(&[function])?;
        // SAFETY: the function was defined with exactly this signature.
        let entry = unsafe { std::mem::transmute::<*const u8, LoopsEntry>(entries[0]) };
        Ok(Some(NativeLoops { entry, _code: code, program: program.clone() }))
    }

    /// The end of the work area that it uses.
    pub(crate) fn work(&self) -> usize {
        area::work(&self.program)
    }

    /// Makes one step; false if it is out of the ordinary, and then `next` is nothing. The states have been checked by the
    /// caller.
    pub(crate) fn step(
        &self,
        (state, next): (&State<f64>, &mut State<f64>),
        constants: &[f64],
        work: &mut [f64],
        solvers: &mut [LinearSolver<f64>],
        counts: &mut [f64; 2],
        arrival: &Arrival,
    ) -> bool {
        let Program { inputs, outputs, systems, .. } = &*self.program;
        let given = [&state.values[..], &state.carry, constants, &state.memory];
        let made = [&mut next.values, &mut next.carry, &mut next.memory];
        let fits = given.iter().map(|x| x.len()).take(inputs.len()).eq(inputs.iter().copied())
            && made.iter().map(|x| x.len()).take(outputs.len()).eq(outputs.iter().copied())
            && (solvers.len(), work.len() >= self.work()) == (systems.len(), true);
        if !fits {
            return false;
        }
        let mut pointers = [std::ptr::null_mut(); 10];
        // Inputs and the numbers of the rule are only read.
        let own = given[..inputs.len()].iter().map(|x| x.as_ptr().cast_mut());
        let own = own.chain([arrival.numbers().as_ptr().cast_mut(), counts.as_mut_ptr()]);
        let own = own.chain(made.into_iter().take(outputs.len()).map(|x| x.as_mut_ptr())).chain([work.as_mut_ptr()]);
        pointers.iter_mut().zip(own).for_each(|(pointer, own)| *pointer = own);
        // SAFETY: the code reads the inputs of its program and writes its outputs and the work area, as far as the lengths that
        // have just been compared; it reads the numbers of the rule, adds to the two that count, and uses one solver for
        // each system of the program.
        unsafe { (self.entry)(pointers.as_ptr(), solvers.as_mut_ptr()) == 1 }
    }
}
