//! Checks that a program computes every number before it uses it.
//!
//! The instructions are followed in order, with a note for each number of the work area and the outputs
//! whether it has been written, and for each linear system whether it has been factored. What the
//! body of an iteration or of stages computes belongs to the last iterate or stage, so that only the unknowns, or the
//! state, are known after it.

use crate::error::CompileError;
use crate::program::{Address, Base, Instruction, Kernel, Op, Otherwise, Program, Segment, Write};

/// Follows a program whose addresses are known to be inside their memory.
pub(crate) fn computed_before_use(program: &Program) -> Result<(), CompileError> {
    let mut known = Known {
        program,
        work: vec![false; program.work],
        outputs: program.outputs.iter().map(|&n| vec![false; n]).collect(),
        factored: vec![false; program.systems.len()],
    };
    known.instructions(&program.instructions)?;
    match known.outputs.iter().flatten().all(|&known| known) {
        true => Ok(()),
        false => Err(CompileError::NotComputed { what: "an output".into() }),
    }
}

struct Known<'a> {
    program: &'a Program,
    work: Vec<bool>,
    outputs: Vec<Vec<bool>>,
    factored: Vec<bool>,
}

impl Known<'_> {
    fn instructions(&mut self, instructions: &[Instruction]) -> Result<(), CompileError> {
        for instruction in instructions {
            match instruction {
                Instruction::Segment(k) => self.segment(&self.program.segments[*k])?,
                Instruction::Factor { solver, values } => {
                    self.require(*solver, *values, self.program.systems[*solver].pattern.len())?;
                    self.factored[*solver] = true;
                }
                Instruction::Solve { solver, rhs, columns, .. } => {
                    if !self.factored[*solver] {
                        return Err(self.missing(*solver));
                    }
                    self.require(*solver, *rhs, columns * self.program.systems[*solver].pattern.rows())?;
                }
                Instruction::Leave => {}
                Instruction::Require { residual, magnitude, count, .. } => {
                    [*residual, *magnitude].into_iter().try_for_each(|at| self.computed(at, *count))?;
                }
                Instruction::Root { solver, unknown, terms, residual, jacobian, body } => {
                    let pattern = &self.program.systems[*solver].pattern;
                    self.require(*solver, *unknown, pattern.rows())?;
                    terms.iter().try_for_each(|terms| self.require(*solver, *terms, pattern.rows()))?;
                    let outside = (self.work.clone(), self.factored.clone());
                    self.instructions(body)?;
                    self.require(*solver, *residual, pattern.rows())?;
                    self.require(*solver, *jacobian, pattern.len())?;
                    (self.work, self.factored) = outside;
                }
                Instruction::FixedPoint { site, unknown, next, body, otherwise } => {
                    let len = self.program.plan.unknowns(*site).map_or(0, |site| site.len());
                    self.computed(*unknown, len)?;
                    let outside = (self.work.clone(), self.factored.clone());
                    self.instructions(body)?;
                    self.computed(*next, len)?;
                    (self.work, self.factored) = outside.clone();
                    if let Some(Otherwise { pause, solution, body }) = otherwise {
                        self.computed(*pause, 1)?;
                        self.instructions(body)?;
                        self.computed(*solution, len)?;
                    }
                    (self.work, self.factored) = outside;
                }
                Instruction::Repeat { coefficient, state, next, count, body, .. } => {
                    self.computed(*state, *count)?;
                    let outside = (self.work.clone(), self.factored.clone());
                    self.work[*coefficient] = true;
                    self.instructions(body)?;
                    self.computed(*next, *count)?;
                    (self.work, self.factored) = outside;
                }
            }
        }
        Ok(())
    }

    fn segment(&mut self, segment: &Segment) -> Result<(), CompileError> {
        for &(base, start, len) in &segment.clear {
            match base {
                Base::Input(_) => {}
                Base::Output(k) => self.outputs[k][start..start + len].fill(true),
                Base::Work => self.work[start..start + len].fill(true),
            }
        }
        segment.kernels.iter().try_for_each(|kernel| self.kernel(kernel))
    }

    fn kernel(&mut self, kernel: &Kernel) -> Result<(), CompileError> {
        let ahead = |(at, op): (usize, &Op)| match *op {
            Op::Unary(_, a) => a as usize >= at,
            Op::Binary(_, a, b) => a.max(b) as usize >= at,
            _ => false,
        };
        let stored = |s: &crate::program::Store| s.value as usize >= kernel.ops.len();
        if kernel.ops.iter().enumerate().any(ahead) || kernel.stores.iter().any(stored) {
            return Err(CompileError::NotComputed { what: "an operand".into() });
        }
        // A domain without points computes nothing.
        let Some(hull) = kernel.domain.hull() else { return Ok(()) };
        let loads = kernel.ops.iter().filter_map(|op| if let Op::Load(a) = op { Some(a) } else { None });
        let added = kernel.stores.iter().filter(|s| s.write != Write::Set).map(|s| &s.to);
        let before = loads.chain(added).try_for_each(|address| self.read(kernel, address, &hull));
        if let Err(missing) = before {
            // Perhaps the kernel makes it itself, at an earlier point.
            return if self.in_order(kernel) { Ok(()) } else { Err(missing) };
        }
        for store in kernel.stores.iter().filter(|s| s.write == Write::Set) {
            self.written(kernel, &store.to);
        }
        Ok(())
    }

    /// Follows a kernel point by point: whether all it reads is known where it is read.
    fn in_order(&mut self, kernel: &Kernel) -> bool {
        let at = |address: &Address, vars: &[i64]| address.at.eval(vars).and_then(|at| usize::try_from(at).ok());
        kernel.domain.for_each(&mut |vars| {
            let is_known = |own: &Self, address: &Address| match own.memory(address.base) {
                Some(memory) => at(address, vars).and_then(|at| memory.get(at)).is_some_and(|&known| known),
                None => true,
            };
            let mut loads = kernel.ops.iter().filter_map(|op| if let Op::Load(a) = op { Some(a) } else { None });
            let loaded = loads.all(|address| is_known(self, address));
            loaded
                && kernel.stores.iter().all(|store| {
                    let slot = match store.to.base {
                        _ if store.write != Write::Set => return is_known(self, &store.to),
                        Base::Input(_) => None,
                        Base::Output(k) => at(&store.to, vars).and_then(|at| self.outputs[k].get_mut(at)),
                        Base::Work => at(&store.to, vars).and_then(|at| self.work.get_mut(at)),
                    };
                    slot.map(|slot| *slot = true).is_some()
                })
        })
    }

    fn memory(&self, base: Base) -> Option<&[bool]> {
        match base {
            Base::Input(_) => None,
            Base::Output(k) => Some(&self.outputs[k]),
            Base::Work => Some(&self.work),
        }
    }

    /// By the bounds of the index; point by point where not all between them is known.
    fn read(&self, kernel: &Kernel, address: &Address, hull: &[(i64, i64)]) -> Result<(), CompileError> {
        let Some(memory) = self.memory(address.base) else { return Ok(()) };
        let between = address.at.bounds(hull).and_then(|(a, b)| memory.get(a as usize..=b as usize));
        let is_known = |vars: &[i64]| {
            let at = address.at.eval(vars).and_then(|at| usize::try_from(at).ok());
            at.and_then(|at| memory.get(at)).is_some_and(|&known| known)
        };
        match between.is_some_and(|all| all.iter().all(|&known| known))
            || kernel.domain.for_each(&mut |vars| is_known(vars))
        {
            true => Ok(()),
            false => Err(CompileError::NotComputed { what: format!("{:?} {:?}", address.base, address.at) }),
        }
    }

    fn written(&mut self, kernel: &Kernel, address: &Address) {
        let memory = match address.base {
            // Inputs are never written.
            Base::Input(_) => return,
            Base::Output(k) => &mut self.outputs[k],
            Base::Work => &mut self.work,
        };
        kernel.domain.for_each(&mut |vars| {
            let at = address.at.eval(vars).and_then(|at| usize::try_from(at).ok());
            if let Some(slot) = at.and_then(|at| memory.get_mut(at)) {
                *slot = true;
            }
            true
        });
    }

    /// Numbers of an iteration, of stages or of what has to hold.
    fn computed(&self, at: usize, len: usize) -> Result<(), CompileError> {
        match self.work.get(at..at + len).is_some_and(|all| all.iter().all(|&known| known)) {
            true => Ok(()),
            false => Err(CompileError::NotComputed { what: format!("the work area from {at} on") }),
        }
    }

    fn require(&self, system: usize, at: usize, len: usize) -> Result<(), CompileError> {
        let known = self.work.get(at..at + len).is_some_and(|all| all.iter().all(|&known| known));
        if known { Ok(()) } else { Err(self.missing(system)) }
    }

    fn missing(&self, system: usize) -> CompileError {
        CompileError::NotComputed { what: format!("the linear system for `{}`", self.program.systems[system].name) }
    }
}
