//! The fast engine: segments as native code, through Cranelift.
//!
//! Native code performs the tape's operations in the tape's order, with the same elementary
//! functions and without fused multiply–add, so both engines agree bit for bit. This module and
//! its children hold all `unsafe` code of Cotangent; what makes it sound is that every address of a
//! program is checked against its memory when the program is made, and every slice's length when
//! it is called.
#![allow(unsafe_code)]

mod elimination;
mod emit;
mod fixed_point;
mod math;
mod newton;
mod step;

pub(crate) use step::{Arrival, NativeStep};

use crate::error::CompileError;
use crate::program::{Instruction, Program, Segment};
use crate::tape::Memory;
use cotangent_scalar::Limits;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::Module;
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

/// The native form of a program.
pub(crate) struct Native {
    /// Owns the code; taken only when dropped.
    module: Option<JITModule>,
    segments: Vec<Vec<Entry>>,
    convention: Convention,
    /// Keeps the integer tables alive whose addresses the code holds.
    _program: Arc<Program>,
    /// Bytes of machine code.
    pub(crate) code_size: usize,
}

/// The end of the work area that the code of a program uses: beyond the program's own, it hands values from piece to
/// piece.
pub(crate) fn spill(program: &Program) -> usize {
    let pieces = program.segments.iter().flat_map(|segment| emit::pieces(segment, program.work));
    pieces.map(|piece| piece.spill()).max().unwrap_or(0)
}

// SAFETY: after `compile` the code is immutable and position-fixed; calls read it and write only
// through the pointers they are given. The module is touched again only by `drop`.
unsafe impl Send for Native {}
unsafe impl Sync for Native {}

/// An empty module for this machine.
fn module() -> Result<JITModule, CompileError> {
    let native = |e: &dyn std::fmt::Display| CompileError::Native(e.to_string());
    let mut flags = settings::builder();
    let wanted = [
        ("opt_level", "speed"),
        ("is_pic", "false"),
        ("use_colocated_libcalls", "false"),
        ("enable_verifier", "false"),
    ];
    for (name, value) in wanted {
        flags.set(name, value).map_err(|e| native(&e))?;
    }
    let isa = cranelift_native::builder().map_err(|e| native(&e))?;
    let isa = isa.finish(settings::Flags::new(flags)).map_err(|e| native(&e))?;
    Ok(JITModule::new(JITBuilder::with_isa(isa, cranelift_module::default_libcall_names())))
}

impl Native {
    pub(crate) fn compile(program: &Arc<Program>, limits: &Limits) -> Result<Native, CompileError> {
        let native = |e: &dyn std::fmt::Display| CompileError::Native(e.to_string());
        let mut module = module()?;
        let mut builders = FunctionBuilderContext::new();
        let mut context = module.make_context();
        let convention = Convention::of(program);
        let mut pieces = vec![];
        let mut code_size = 0;
        for segment in &program.segments {
            let mut ids = vec![];
            for piece in emit::pieces(segment, program.work) {
                limits.check()?;
                module.clear_context(&mut context);
                piece.emit(&mut context.func, &mut builders, module.target_config(), convention);
                let id = module.declare_anonymous_function(&context.func.signature).map_err(|e| native(&e))?;
                module.define_function(id, &mut context).map_err(|e| native(&e))?;
                code_size += context.compiled_code().map_or(0, |c| c.code_info().total_size as usize);
                ids.push(id);
            }
            pieces.push(ids);
        }
        module.finalize_definitions().map_err(|e| native(&e))?;
        let entry = |id| Entry { code: module.get_finalized_function(id) };
        let segments = pieces.into_iter().map(|ids| ids.into_iter().map(entry).collect()).collect();
        Ok(Native { module: Some(module), segments, convention, _program: program.clone(), code_size })
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

impl Drop for Native {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: the entries die with `self`, nothing else points into the code.
            unsafe { module.free_memory() }
        }
    }
}
