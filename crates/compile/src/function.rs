//! Compiled functions: values, gradients, Jacobians of expressions as calls on slices of numbers.

use crate::error::{CallError, CompileError};
#[cfg(feature = "jit")]
use crate::jit::{MAX_VECTORS, Native, Single, spill};
use crate::lower::{Storage, lower};
use crate::program::{Instruction, Program};
use crate::record::{Recorder, Traced};
use crate::run::{self, Nobody, Run, Solvers};
use crate::tape::{self, Memory};
use crate::verify::verify;
use cotangent_dynamics::Failure;
use cotangent_expr::{Layout, Tensor};
use cotangent_scalar::{Limits, Real};
use cotangent_solve::Pattern;
use std::sync::Arc;
#[cfg(feature = "jit")]
use std::sync::OnceLock;

/// The most input or output vectors of one function.
#[cfg(not(feature = "jit"))]
const MAX_VECTORS: usize = 16;

/// Instructions of a function that is compiled at once.
#[cfg(feature = "jit")]
const SHORT: usize = 2_000;

/// Which engine runs a function in `f64`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Engine {
    /// Native code if this build has it (feature `jit`), else the tape.
    #[default]
    Best,
    /// The tape: the reference.
    Tape,
}

/// Describes a function to be compiled: what goes in, what comes out.
///
/// ```
/// use cotangent_compile::FunctionBuilder;
/// use cotangent_expr::{Array, Expr, Layout, Role, Tensor};
/// let (x, y) = (Array::scalar("x", Role::Coordinate), Array::scalar("y", Role::Coordinate));
/// let state = Layout::new(vec![x.clone(), y.clone()]);
/// let energy = Tensor::scalar(Expr::from(&x).powi(2) * Expr::from(&y))?;
/// let f = FunctionBuilder::new()
///     .input(&state)
///     .output(&energy)
///     .output(&energy.gradient(&state)?)
///     .compile()?;
/// let mut work = f.workspace();
/// let (mut value, mut gradient) = ([0.0], [0.0; 2]);
/// f.call(&[&[3.0, 2.0]], &mut [&mut value, &mut gradient], &mut work)?;
/// assert_eq!((value, gradient), ([18.0], [12.0, 9.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct FunctionBuilder {
    inputs: Vec<Layout>,
    outputs: Vec<(Tensor, Storage)>,
    engine: Engine,
    limits: Limits,
}

impl FunctionBuilder {
    /// A function without inputs and outputs yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an input vector with this layout.
    pub fn input(mut self, layout: &Layout) -> Self {
        self.inputs.push(layout.clone());
        self
    }

    /// Adds an output: every entry of a tensor, row-major (a scalar is one number).
    pub fn output(mut self, tensor: &Tensor) -> Self {
        self.outputs.push((tensor.clone(), Storage::Dense));
        self
    }

    /// Adds an output: the entries of a matrix that are not identically zero, in the order of
    /// [`Function::pattern`].
    pub fn sparse_output(mut self, matrix: &Tensor) -> Self {
        self.outputs.push((matrix.clone(), Storage::Sparse));
        self
    }

    /// Chooses the engine.
    pub fn engine(mut self, engine: Engine) -> Self {
        self.engine = engine;
        self
    }

    /// Sets limits, within which it is compiled.
    pub fn within(mut self, limits: &Limits) -> Self {
        self.limits = limits.clone();
        self
    }

    /// Compiles the function.
    pub fn compile(self) -> Result<Function, CompileError> {
        if self.inputs.len().max(self.outputs.len()) > MAX_VECTORS {
            return Err(CompileError::TooManyVectors { limit: MAX_VECTORS });
        }
        let lowered = lower(&self.inputs, &self.outputs, &self.limits)?;
        verify(&lowered.program)?;
        let program = Arc::new(lowered.program);
        self.limits.check()?;
        let solvers = Solvers::new(&program)?;
        let function = Function {
            #[cfg(feature = "jit")]
            single: None,
            #[cfg(feature = "jit")]
            spill: if self.engine == Engine::Best { spill(&program) } else { 0 },
            #[cfg(feature = "jit")]
            native: OnceLock::new(),
            #[cfg(feature = "jit")]
            engine: self.engine,
            #[cfg(feature = "jit")]
            limits: self.limits,
            program,
            patterns: lowered.patterns,
            solvers,
        };
        #[cfg(feature = "jit")]
        if function.program.len() <= SHORT {
            let single = function.native()?.and_then(|n| n.single(&function.program));
            return Ok(Function { single, ..function });
        }
        Ok(function)
    }
}

/// A compiled function. `Send + Sync`; calls do not allocate.
pub struct Function {
    program: Arc<Program>,
    patterns: Vec<Option<Pattern>>,
    solvers: Solvers<f64>,
    #[cfg(feature = "jit")]
    engine: Engine,
    #[cfg(feature = "jit")]
    limits: Limits,
    /// A long program becomes native code when it is called: many functions of large models never are.
    #[cfg(feature = "jit")]
    native: OnceLock<Result<Native, CompileError>>,
    /// The end of the work area that native code uses.
    #[cfg(feature = "jit")]
    spill: usize,
    /// The entry of a program that is one piece of native code.
    #[cfg(feature = "jit")]
    single: Option<Single>,
}

/// What a function needs besides its arguments: made once, used by every call.
pub struct Workspace<S> {
    /// The program it was made for.
    owner: Arc<Program>,
    work: Vec<S>,
    registers: Vec<S>,
    solvers: Solvers<S>,
}

impl Function {
    /// A workspace for calls in `f64`.
    pub fn workspace(&self) -> Workspace<f64> {
        self.workspace_with(self.solvers.clone())
    }

    /// A workspace for calls in another arithmetic.
    pub fn workspace_in<S: Real>(&self) -> Result<Workspace<S>, CompileError> {
        Ok(self.workspace_with(Solvers::new(&self.program)?))
    }

    fn workspace_with<S: Real>(&self, solvers: Solvers<S>) -> Workspace<S> {
        let zero = S::from_f64(0.0);
        let registers = self.program.segments.iter().map(tape::registers).max().unwrap_or(0);
        let work = vec![zero; self.work_len()];
        Workspace { owner: self.program.clone(), work, registers: vec![zero; registers], solvers }
    }

    #[inline]
    fn work_len(&self) -> usize {
        #[cfg(feature = "jit")]
        return self.program.work.max(self.spill);
        #[cfg(not(feature = "jit"))]
        self.program.work
    }

    /// The native code, made on the first call.
    #[cfg(feature = "jit")]
    fn native(&self) -> Result<Option<&Native>, CompileError> {
        match self.engine {
            Engine::Tape => Ok(None),
            Engine::Best => {
                let made = self.native.get_or_init(|| Native::compile(&self.program, &self.limits));
                made.as_ref().map(Some).map_err(Clone::clone)
            }
        }
    }

    /// Evaluates in `f64`.
    #[inline]
    pub fn call(
        &self,
        inputs: &[&[f64]],
        outputs: &mut [&mut [f64]],
        workspace: &mut Workspace<f64>,
    ) -> Result<(), CallError> {
        #[cfg(feature = "jit")]
        if let Some(single) = &self.single
            && Arc::ptr_eq(&self.program, &workspace.owner)
            && single.run(inputs, outputs, &mut workspace.work)
        {
            return Ok(());
        }
        self.call_steps(inputs, outputs, workspace)
    }

    fn call_steps(
        &self,
        inputs: &[&[f64]],
        outputs: &mut [&mut [f64]],
        workspace: &mut Workspace<f64>,
    ) -> Result<(), CallError> {
        #[cfg(feature = "jit")]
        if let Some(native) = self.native()? {
            let segment = |k: usize, memory: &mut Memory<'_, '_, f64>, _: &mut [f64]| {
                native.run(k, &self.program.segments[k], memory);
            };
            return self.run(inputs, outputs, workspace, &segment);
        }
        self.call_in(inputs, outputs, workspace)
    }

    /// Evaluates in any arithmetic, on the tape.
    pub fn call_in<S: Real>(
        &self,
        inputs: &[&[S]],
        outputs: &mut [&mut [S]],
        workspace: &mut Workspace<S>,
    ) -> Result<(), CallError> {
        let segment = |k: usize, memory: &mut Memory<'_, '_, S>, registers: &mut [S]| {
            memory.clear(&self.program.segments[k]);
            tape::run(&self.program.segments[k], memory, registers);
        };
        self.run(inputs, outputs, workspace, &segment)
    }

    /// Evaluates with numbers that record, straight-line arithmetic and loops written out, linear
    /// solves as instructions. Returns `false` (and does nothing) if there is a root, whose
    /// iteration could be inside another.
    pub fn inline<'t>(
        &self,
        recorder: &'t Recorder,
        inputs: &[&[Traced<'t>]],
        outputs: &mut [&mut [Traced<'t>]],
    ) -> Result<bool, CallError> {
        if !self.is_inlinable() {
            return Ok(false);
        }
        check_lengths("input", &self.program.inputs, inputs.iter().map(|s| s.len()))?;
        check_lengths("output", &self.program.outputs, outputs.iter().map(|s| s.len()))?;
        let zero = Traced::Constant(0.0);
        let mut work = vec![zero; self.program.work];
        let mut registers = vec![zero; self.program.segments.iter().map(tape::registers).max().unwrap_or(0)];
        let mut memory = Memory { inputs, outputs, work: &mut work };
        let mut factors = vec![0; self.program.systems.len()];
        for instruction in &self.program.instructions {
            match *instruction {
                Instruction::Segment(k) => {
                    memory.clear(&self.program.segments[k]);
                    tape::run(&self.program.segments[k], &mut memory, &mut registers);
                }
                Instruction::Factor { solver, values } => {
                    let system = &self.program.systems[solver];
                    factors[solver] = recorder.factor(system, &memory.work[values..values + system.pattern.len()]);
                }
                Instruction::Solve { solver, rhs, columns, transposed } => {
                    let len = columns * self.program.systems[solver].pattern.rows();
                    recorder.solve(factors[solver], &mut memory.work[rhs..rhs + len], transposed);
                }
                Instruction::Root { .. }
                | Instruction::FixedPoint { .. }
                | Instruction::Repeat { .. }
                | Instruction::Require { .. }
                | Instruction::Leave => {}
            }
        }
        Ok(true)
    }

    /// Whether [`Function::inline`] can record it.
    pub fn is_inlinable(&self) -> bool {
        !self.program.instructions.iter().any(|s| matches!(s, Instruction::Root { .. }))
    }

    fn run<S: Real>(
        &self,
        inputs: &[&[S]],
        outputs: &mut [&mut [S]],
        workspace: &mut Workspace<S>,
        segment: &run::Engine<'_, S>,
    ) -> Result<(), CallError> {
        self.check(inputs, outputs, workspace)?;
        let memory = Memory { inputs, outputs, work: &mut workspace.work };
        let Workspace { registers, solvers, .. } = workspace;
        let mut run = Run { program: &self.program, memory, registers, solvers, segment };
        run.instructions(&self.program.instructions, &mut Nobody).map_err(|failure| match failure {
            Failure::Implicit(implicit) => CallError::Implicit(implicit),
            _ => CallError::Misplaced,
        })
    }

    /// Checks the lengths of everything a call is given: native code relies on it.
    #[inline]
    fn check<S>(&self, inputs: &[&[S]], outputs: &[&mut [S]], workspace: &Workspace<S>) -> Result<(), CallError> {
        let same = inputs.len() == self.program.inputs.len()
            && outputs.len() == self.program.outputs.len()
            && inputs.iter().zip(&self.program.inputs).all(|(s, &n)| s.len() == n)
            && outputs.iter().zip(&self.program.outputs).all(|(s, &n)| s.len() == n)
            && Arc::ptr_eq(&self.program, &workspace.owner);
        if same { Ok(()) } else { self.wrong_lengths(inputs, outputs, workspace) }
    }

    #[cold]
    fn wrong_lengths<S>(
        &self,
        inputs: &[&[S]],
        outputs: &[&mut [S]],
        workspace: &Workspace<S>,
    ) -> Result<(), CallError> {
        check_lengths("input", &self.program.inputs, inputs.iter().map(|s| s.len()))?;
        check_lengths("output", &self.program.outputs, outputs.iter().map(|s| s.len()))?;
        if Arc::ptr_eq(&self.program, &workspace.owner) { Ok(()) } else { Err(CallError::ForeignWorkspace) }
    }

    /// The pattern of a sparse output.
    pub fn pattern(&self, output: usize) -> Option<&Pattern> {
        self.patterns.get(output).and_then(Option::as_ref)
    }

    /// The tape.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Whether calls in `f64` run native code.
    pub fn is_native(&self) -> bool {
        self.code_size().is_some()
    }

    /// Bytes of native code.
    pub fn code_size(&self) -> Option<usize> {
        #[cfg(feature = "jit")]
        return self.native().ok().flatten().map(|n| n.code_size);
        #[cfg(not(feature = "jit"))]
        None
    }
}

fn check_lengths(
    what: &'static str,
    expected: &[usize],
    found: impl ExactSizeIterator<Item = usize>,
) -> Result<(), CallError> {
    if found.len() != expected.len() {
        return Err(CallError::Count { what, expected: expected.len(), found: found.len() });
    }
    for (index, (&expected, found)) in expected.iter().zip(found).enumerate() {
        if found != expected {
            return Err(CallError::Length { what, index, expected, found });
        }
    }
    Ok(())
}
