//! A step with its loops, ready to run.

use super::fuse::fused;
use super::record::{Item, LoopedRecording};
use crate::error::CompileError;
use crate::function::Engine;
#[cfg(feature = "jit")]
use crate::jit::{Native, spill};
use crate::program::{Address, Base, Instruction, Kernel, Op, Program, Segment, Store, System};
use crate::tape::{self, Memory};
use crate::verify::verify;
use cotangent_dynamics::{Failure, Machine, Misuse, Numeric, Plan, Site, State, Value};
use cotangent_scalar::{Cancel, Limits};
use cotangent_solve::NewtonOptions;
use std::sync::Arc;

/// The most operations of a step: beyond, compiling it takes long.
const MOST_OPERATIONS: usize = 40_000;

/// A step as a program: the state, what rounding has cut off from it, constants and memory in; the next state out.
///
/// The loop of Newton's method is that of the reference, and so is every number. What fails here may be made by the
/// reference, which also says why it cannot be.
pub struct LoopedStep {
    program: Arc<Program>,
    plan: Plan,
    /// The site of each system of the program.
    sites: Vec<Site>,
    /// How many of the instructions depend on the constants alone.
    once: usize,
    work: usize,
    #[cfg(feature = "jit")]
    native: Option<Native>,
}

/// What a [`LoopedStep`] needs besides its arguments.
pub struct LoopedWorkspace {
    owner: Arc<Program>,
    work: Vec<f64>,
    registers: Vec<f64>,
    /// The unknowns of each system.
    unknowns: Vec<Vec<f64>>,
    /// The sizes of the terms of each system, where they are known.
    terms: Vec<Vec<f64>>,
    machine: Numeric<f64>,
    next: State<f64>,
}

impl LoopedWorkspace {
    /// Steps fail when the token is set, also inside the solution of a large linear system.
    pub fn cancel_with(&mut self, cancel: &Cancel) {
        self.machine.cancel_with(cancel);
    }

    /// Updates of Newton's method made so far.
    pub fn iterations(&self) -> u64 {
        self.machine.iterations
    }
}

impl LoopedStep {
    /// Joins the loops of a recording and compiles them. Its inputs are values, carry, constants and, if there are any,
    /// what is remembered; its outputs values, carry and what is remembered.
    pub fn new(recording: LoopedRecording, engine: Engine) -> Result<LoopedStep, CompileError> {
        let LoopedRecording { plan, arrays, inputs, outputs, items } = recording;
        // All but the constants.
        let changing: Vec<usize> =
            inputs.iter().enumerate().filter(|(k, _)| *k != 2).map(|(_, &array)| array).collect();
        let [once, each] = fused(&arrays, items, &changing, &outputs);
        let mut building = Building::new(&arrays, &inputs, &outputs, &plan);
        let (mut instructions, each) = (building.instructions(once)?, building.instructions(each)?);
        let Building { mut program, sites, .. } = building;
        let once = instructions.len();
        instructions.extend(each);
        program.instructions = instructions;
        if program.len() > MOST_OPERATIONS {
            return Err(CompileError::TooLarge { limit: MOST_OPERATIONS });
        }
        verify(&program)?;
        let program = Arc::new(program);
        #[cfg(feature = "jit")]
        let (native, spilled) = match engine {
            Engine::Best => (Some(Native::compile(&program, &Limits::default())?), spill(&program)),
            Engine::Tape => (None, 0),
        };
        #[cfg(not(feature = "jit"))]
        let (_, spilled, _) = (engine, 0, Limits::default());
        Ok(LoopedStep {
            work: program.work.max(spilled),
            program,
            plan,
            sites,
            once,
            #[cfg(feature = "jit")]
            native,
        })
    }

    /// What it does.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// A workspace, with how the equations of a step are solved.
    pub fn workspace(&self, options: NewtonOptions) -> Result<LoopedWorkspace, CompileError> {
        let registers = self.program.segments.iter().map(tape::registers).max().unwrap_or(0);
        Ok(LoopedWorkspace {
            owner: self.program.clone(),
            work: vec![0.0; self.work],
            registers: vec![0.0; registers],
            unknowns: self.program.systems.iter().map(|s| vec![0.0; s.pattern.rows()]).collect(),
            terms: self.program.instructions.iter().filter_map(|i| self.terms(i)).collect(),
            machine: Numeric::new(&self.plan, options).map_err(|e| CompileError::system("step", e))?,
            next: State::default(),
        })
    }

    /// Room for the sizes of the terms of a system.
    fn terms(&self, instruction: &Instruction) -> Option<Vec<f64>> {
        match instruction {
            Instruction::Root { solver, terms, .. } => {
                Some(vec![0.0; terms.map_or(0, |_| self.program.systems[*solver].pattern.rows())])
            }
            _ => None,
        }
    }

    /// Makes `steps` steps. On failure the state is that of the last good step; the error says how many were made.
    pub fn advance(
        &self,
        state: &mut State<f64>,
        constants: &[f64],
        steps: u64,
        work: &mut LoopedWorkspace,
    ) -> Result<(), (u64, Failure)> {
        if !Arc::ptr_eq(&self.program, &work.owner) {
            return Err((0, Misuse::OtherWorkspace.into()));
        }
        work.next.copy_from(state);
        let (once, each) = self.program.instructions.split_at(self.once);
        self.run(once, state, constants, work).map_err(|e| (0, e))?;
        for done in 0..steps {
            self.run(each, state, constants, work).map_err(|e| (done, e))?;
            if let Some(k) = work.next.values.iter().position(|v| !v.is_finite()) {
                return Err((done, Failure::NotFinite(Value::State(k))));
            }
            std::mem::swap(state, &mut work.next);
        }
        Ok(())
    }

    fn run(
        &self,
        instructions: &[Instruction],
        state: &State<f64>,
        constants: &[f64],
        work: &mut LoopedWorkspace,
    ) -> Result<(), Failure> {
        let Program { inputs: wanted, outputs: made, .. } = &*self.program;
        let LoopedWorkspace { work, registers, unknowns, terms, machine, next, .. } = work;
        let inputs = [&state.values[..], &state.carry, constants, &state.memory];
        let mut outputs = [&mut next.values[..], &mut next.carry, &mut next.memory];
        let (inputs, outputs) = (&inputs[..wanted.len().min(4)], &mut outputs[..made.len().min(3)]);
        // Native code relies on the lengths.
        if !(inputs.iter().map(|x| x.len()).eq(wanted.iter().copied())
            && outputs.iter().map(|y| y.len()).eq(made.iter().copied())
            && work.len() == self.work)
        {
            return Err(Misuse::OtherState.into());
        }
        let mut memory = Memory { inputs, outputs, work };
        for instruction in instructions {
            match instruction {
                Instruction::Segment(k) => self.segment(*k, &mut memory, registers),
                Instruction::Root { solver, unknown, terms: sizes, residual, jacobian, body } => {
                    let (x, terms) = (&mut unknowns[*solver], &mut terms[*solver]);
                    let at = *unknown..*unknown + x.len();
                    x.copy_from_slice(&memory.work[at.clone()]);
                    if let Some(sizes) = *sizes {
                        let len = terms.len();
                        terms.copy_from_slice(&memory.work[sizes..sizes + len]);
                    }
                    machine.newton_of_terms(self.sites[*solver], x, terms, &mut |x, r, j| {
                        memory.work[at.clone()].copy_from_slice(x);
                        for instruction in body {
                            if let Instruction::Segment(k) = instruction {
                                self.segment(*k, &mut memory, registers);
                            }
                        }
                        r.copy_from_slice(&memory.work[*residual..*residual + r.len()]);
                        j.copy_from_slice(&memory.work[*jacobian..*jacobian + j.len()]);
                        Ok(())
                    })?;
                    memory.work[at].copy_from_slice(x);
                }
                Instruction::Require { kind, residual, magnitude, count } => {
                    let [residual, magnitude] = [*residual, *magnitude].map(|at| &memory.work[at..at + count]);
                    machine.require(*kind, residual, magnitude)?;
                }
                Instruction::Factor { .. } | Instruction::Solve { .. } => return Err(Misuse::NoSuchEquations.into()),
            }
        }
        Ok(())
    }

    fn segment(&self, k: usize, memory: &mut Memory<'_, '_, f64>, registers: &mut [f64]) {
        let segment = &self.program.segments[k];
        #[cfg(feature = "jit")]
        if let Some(native) = &self.native {
            return native.run(k, segment, memory);
        }
        tape::run(segment, memory, registers);
    }
}

/// From items to a program.
struct Building<'a> {
    program: Program,
    sites: Vec<Site>,
    plan: &'a Plan,
    arrays: &'a [usize],
    /// Where each array is: a base, and from where on.
    places: Vec<Option<(Base, usize)>>,
}

impl<'a> Building<'a> {
    fn new(arrays: &'a [usize], inputs: &[usize], outputs: &[usize], plan: &'a Plan) -> Building<'a> {
        let lengths = |list: &[usize]| list.iter().map(|&array| arrays[array]).collect();
        let program = Program { inputs: lengths(inputs), outputs: lengths(outputs), ..Program::default() };
        let mut places = vec![None; arrays.len()];
        inputs.iter().enumerate().for_each(|(k, &array)| places[array] = Some((Base::Input(k), 0)));
        outputs.iter().enumerate().for_each(|(k, &array)| places[array] = Some((Base::Output(k), 0)));
        Building { program, sites: vec![], plan, arrays, places }
    }

    /// Where an array is; it gets a place when it is first met.
    fn place(&mut self, array: usize) -> (Base, usize) {
        let Building { program, arrays, places, .. } = self;
        *places[array].get_or_insert_with(|| {
            program.work += arrays[array];
            (Base::Work, program.work - arrays[array])
        })
    }

    /// Where an array is in the work area.
    fn in_work(&mut self, array: usize) -> Result<usize, CompileError> {
        match self.place(array) {
            (Base::Work, at) => Ok(at),
            _ => Err(CompileError::NotComputed { what: "the residual of a step".into() }),
        }
    }

    fn address(&mut self, address: &Address) -> Address {
        match address.base {
            Base::Output(array) => {
                let (base, first) = self.place(array);
                Address { base, at: address.at.shifted(first as i64) }
            }
            _ => address.clone(),
        }
    }

    fn kernel(&mut self, kernel: Kernel) -> Kernel {
        let Kernel { domain, ops, stores } = kernel;
        let ops = ops.into_iter().map(|op| match op {
            Op::Load(a) => Op::Load(self.address(&a)),
            other => other,
        });
        let ops = ops.collect();
        let stores = stores.into_iter().map(|s| Store { to: self.address(&s.to), ..s }).collect();
        Kernel { domain, ops, stores }
    }

    fn instructions(&mut self, items: Vec<Item>) -> Result<Vec<Instruction>, CompileError> {
        let mut out = vec![];
        let mut open = Segment::default();
        for item in items {
            match item {
                Item::Kernel(kernel) => {
                    let kernel = self.kernel(kernel);
                    open.kernels.push(kernel);
                }
                Item::Newton { site, unknown, terms, residual, jacobian, body } => {
                    self.close(&mut open, &mut out);
                    let pattern = self.plan.unknowns(site).and_then(|u| u.pattern.clone());
                    let Some(pattern) = pattern else { return Err(CompileError::system("step", Misuse::Unknowns)) };
                    self.program.systems.push(System { name: "step".into(), pattern });
                    self.sites.push(site);
                    let solver = self.sites.len() - 1;
                    let unknown = self.in_work(unknown)?;
                    let terms = terms.map(|terms| self.in_work(terms)).transpose()?;
                    let body = self.instructions(body)?;
                    let (residual, jacobian) = (self.in_work(residual)?, self.in_work(jacobian)?);
                    out.push(Instruction::Root { solver, unknown, terms, residual, jacobian, body });
                }
                Item::Require { kind, residual, magnitude } => {
                    self.close(&mut open, &mut out);
                    let count = self.arrays[residual];
                    let (residual, magnitude) = (self.in_work(residual)?, self.in_work(magnitude)?);
                    out.push(Instruction::Require { kind, residual, magnitude, count });
                }
            }
        }
        self.close(&mut open, &mut out);
        Ok(out)
    }

    fn close(&mut self, open: &mut Segment, out: &mut Vec<Instruction>) {
        if !open.kernels.is_empty() {
            self.program.segments.push(std::mem::take(open));
            out.push(Instruction::Segment(self.program.segments.len() - 1));
        }
    }
}
