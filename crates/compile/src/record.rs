//! Recording a step: the arithmetic a generic step performs, as data.
//!
//! A step written over [`Scalar`] and [`Machine`] is run once with [`Traced`] numbers. What comes
//! out is a [`Recording`]: a list of operations in which a Newton iteration is one region and a
//! linear solve one instruction. It can be replayed (the reference) or compiled to one native
//! function (see [`Step`](crate::Step)).

use crate::program::{Binary, Unary};
use crate::tape::{binary, unary};
use cotangent_dynamics::{Equations, Failure, Kind, Machine, Map, Misuse, Plan, Site, Unrecordable};
use cotangent_scalar::Scalar;
use cotangent_solve::Pattern;
use std::cell::RefCell;
use std::collections::HashMap;

/// The most operations of a recording: beyond, compiling it as one function would take seconds, and
/// calls of separate functions cost little in comparison.
pub const MAX_RECORDED: usize = 6_000;

/// One operation; its value is referred to by its position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum TraceOp {
    /// An input of the step.
    Input(u32),
    /// A number.
    Constant(f64),
    /// A function of an earlier value.
    Unary(Unary, u32),
    /// A function of two earlier values.
    Binary(Binary, u32, u32),
    /// An unknown inside an iteration: the current iterate.
    Unknown {
        /// Which iteration.
        iteration: u32,
        /// Which unknown.
        component: u32,
    },
    /// The solution of an iteration.
    Solution {
        /// Which iteration.
        iteration: u32,
        /// Which unknown.
        component: u32,
    },
    /// A matrix is factored; it has no value.
    Factor(u32),
    /// The solution of linear equations.
    Linear {
        /// Which equations.
        solve: u32,
        /// Which unknown.
        component: u32,
    },
    /// Equations are required to hold; it has no value.
    Require(u32),
}

/// Equations that a recording requires to hold.
#[derive(Clone, PartialEq, Debug)]
pub struct Requirement {
    /// What they are.
    pub kind: Kind,
    /// What is to be zero.
    pub residual: Vec<u32>,
    /// The sizes of its terms.
    pub magnitude: Vec<u32>,
}

/// A matrix that a recording factors.
#[derive(Clone, PartialEq, Debug)]
pub struct Factor {
    /// Where it has entries.
    pub pattern: Pattern,
    /// The entries, in the order of the pattern.
    pub matrix: Vec<u32>,
}

/// Linear equations of a recording.
#[derive(Clone, PartialEq, Debug)]
pub struct LinearSolve {
    /// The matrix, which was factored before.
    pub factor: u32,
    /// The right-hand sides, one after the other.
    pub rhs: Vec<u32>,
    /// With the transposed matrix.
    pub transposed: bool,
}

/// A Newton iteration of a recording.
#[derive(Clone, PartialEq, Debug)]
pub struct Iteration {
    /// Where in the step's plan.
    pub site: Site,
    /// The first guess.
    pub guess: Vec<u32>,
    /// The sizes of the terms of the equations, if they are known.
    pub terms: Vec<u32>,
    /// Position of the first operation of the equations, after the unknowns.
    pub start: u32,
    /// Position after their last operation.
    pub end: u32,
    /// The residual.
    pub residual: Vec<u32>,
    /// The Jacobian, in the order of the site's pattern.
    pub jacobian: Vec<u32>,
}

/// The arithmetic of a step, as data.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Recording {
    pub(crate) plan: Plan,
    pub(crate) ops: Vec<TraceOp>,
    pub(crate) iterations: Vec<Iteration>,
    pub(crate) factors: Vec<Factor>,
    pub(crate) solves: Vec<LinearSolve>,
    pub(crate) requirements: Vec<Requirement>,
    pub(crate) outputs: Vec<u32>,
    pub(crate) inputs: usize,
}

impl Recording {
    /// The operations.
    pub fn ops(&self) -> &[TraceOp] {
        &self.ops
    }

    /// The iterations, in order; they are not nested.
    pub fn iterations(&self) -> &[Iteration] {
        &self.iterations
    }

    /// The results.
    pub fn outputs(&self) -> &[u32] {
        &self.outputs
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Whether a value computed inside an iteration is used after it, where it would be that of
    /// some iterate and not of the solution.
    fn leaks(&self) -> bool {
        let inside = |it: &Iteration, at: u32| at >= it.start - it.guess.len() as u32 && at < it.end;
        let uses = |k: usize| match self.ops[k] {
            TraceOp::Unary(_, a) => vec![a],
            TraceOp::Binary(_, a, b) => vec![a, b],
            TraceOp::Factor(f) => self.factors[f as usize].matrix.clone(),
            TraceOp::Linear { solve, component: 0 } => self.solves[solve as usize].rhs.clone(),
            TraceOp::Require(r) => {
                let r = &self.requirements[r as usize];
                [&r.residual[..], &r.magnitude].concat()
            }
            _ => vec![],
        };
        self.iterations.iter().enumerate().any(|(n, it)| {
            let later = (it.end as usize..self.ops.len()).flat_map(uses);
            let guesses =
                self.iterations[n + 1..].iter().flat_map(|i| [&i.guess, &i.terms, &i.residual, &i.jacobian]).flatten();
            later.chain(guesses.copied()).chain(self.outputs.iter().copied()).any(|at| inside(it, at))
        })
    }
}

#[derive(Default)]
struct Trace {
    ops: Vec<TraceOp>,
    iterations: Vec<Iteration>,
    factors: Vec<Factor>,
    solves: Vec<LinearSolve>,
    requirements: Vec<Requirement>,
    /// Operations already made, so that equal ones are made once.
    known: HashMap<Key, u32>,
    /// Whether an iteration is being recorded.
    inside: bool,
    nested: bool,
    /// Whether a number of another recorder was used.
    foreign: bool,
    /// Whether there were more operations than [`MAX_RECORDED`].
    full: bool,
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Constant(u64),
    Unary(Unary, u32),
    Binary(Binary, u32, u32),
}

/// Records operations; lives as long as the [`Traced`] numbers that refer to it.
#[derive(Default)]
pub struct Recorder(RefCell<Trace>);

/// A number that records what is done with it.
#[derive(Clone, Copy)]
pub enum Traced<'t> {
    /// Known while recording.
    Constant(f64),
    /// The value of an operation.
    Value(u32, &'t Recorder),
}

impl Recorder {
    /// Records a step with the implicit equations of `plan`: `step` gets the inputs and fills the
    /// outputs.
    pub fn record(
        plan: &Plan,
        inputs: usize,
        outputs: usize,
        step: impl for<'t> FnOnce(&mut Record<'t>, &[Traced<'t>], &mut [Traced<'t>]) -> Result<(), Failure>,
    ) -> Result<Recording, Failure> {
        let recorder = Recorder::default();
        let given: Vec<Traced<'_>> =
            (0..inputs).map(|k| Traced::Value(recorder.push(TraceOp::Input(k as u32)), &recorder)).collect();
        let mut results = vec![Traced::Constant(0.0); outputs];
        step(&mut Record { recorder: &recorder, plan }, &given, &mut results)?;
        let outputs = results.iter().map(|r| r.position(&recorder)).collect();
        let trace = recorder.0.into_inner();
        let unrecordable = |why: Unrecordable| Err(Misuse::from(why).into());
        if trace.nested {
            return unrecordable(Unrecordable::Nested);
        }
        if trace.foreign {
            return unrecordable(Unrecordable::Foreign);
        }
        if trace.full {
            return unrecordable(Unrecordable::TooLong);
        }
        let Trace { ops, iterations, factors, solves, requirements, .. } = trace;
        let plan = plan.clone();
        let recording = Recording { plan, ops, iterations, factors, solves, requirements, outputs, inputs };
        match recording.leaks() {
            true => unrecordable(Unrecordable::Leak),
            false => Ok(recording),
        }
    }

    fn push(&self, op: TraceOp) -> u32 {
        let mut trace = self.0.borrow_mut();
        let key: Option<Key> = match op {
            TraceOp::Constant(c) => Some(Key::Constant(c.to_bits())),
            TraceOp::Unary(f, a) => Some(Key::Unary(f, a)),
            TraceOp::Binary(f, a, b) => Some(Key::Binary(f, a, b)),
            _ => None,
        };
        if let Some(known) = key.as_ref().and_then(|k| trace.known.get(k)) {
            return *known;
        }
        if trace.ops.len() >= MAX_RECORDED {
            trace.full = true;
            return 0;
        }
        trace.ops.push(op);
        let at = trace.ops.len() as u32 - 1;
        if let Some(key) = key {
            trace.known.insert(key, at);
        }
        at
    }

    /// Records that a matrix is factored.
    pub(crate) fn factor<'t>(&'t self, pattern: &Pattern, matrix: &[Traced<'t>]) -> u32 {
        let matrix = matrix.iter().map(|v| v.position(self)).collect();
        let factor = {
            let mut trace = self.0.borrow_mut();
            trace.factors.push(Factor { pattern: pattern.clone(), matrix });
            trace.factors.len() as u32 - 1
        };
        self.push(TraceOp::Factor(factor));
        factor
    }

    /// Records linear equations; the right-hand sides become the solutions.
    pub(crate) fn solve<'t>(&'t self, factor: u32, rhs: &mut [Traced<'t>], transposed: bool) {
        let positions = rhs.iter().map(|v| v.position(self)).collect();
        let solve = {
            let mut trace = self.0.borrow_mut();
            trace.solves.push(LinearSolve { factor, rhs: positions, transposed });
            trace.solves.len() as u32 - 1
        };
        for (component, x) in rhs.iter_mut().enumerate() {
            let component = component as u32;
            *x = Traced::Value(self.push(TraceOp::Linear { solve, component }), self);
        }
    }
}

/// The machine that records: a Newton iteration becomes one region.
pub struct Record<'t> {
    recorder: &'t Recorder,
    plan: &'t Plan,
}

impl<'t> Record<'t> {
    /// The recorder of this step.
    pub fn recorder(&self) -> &'t Recorder {
        self.recorder
    }
}

impl<'t> Machine<Traced<'t>> for Record<'t> {
    fn newton(
        &mut self,
        site: Site,
        unknowns: &mut [Traced<'t>],
        equations: &mut Equations<'_, Traced<'t>>,
    ) -> Result<(), Failure> {
        self.newton_of_terms(site, unknowns, &[], equations)
    }

    fn newton_of_terms(
        &mut self,
        site: Site,
        unknowns: &mut [Traced<'t>],
        terms: &[Traced<'t>],
        equations: &mut Equations<'_, Traced<'t>>,
    ) -> Result<(), Failure> {
        let recorder = self.recorder;
        let pattern = self.plan.unknowns(site).and_then(|u| u.pattern.as_ref());
        let Some(pattern) = pattern.filter(|p| p.rows() == unknowns.len()) else {
            return Err(Misuse::NoSuchEquations.into());
        };
        let k = unknowns.len();
        let [guess, terms] =
            [&*unknowns, terms].map(|list| list.iter().map(|u| u.position(recorder)).collect::<Vec<u32>>());
        let iteration = {
            let mut trace = recorder.0.borrow_mut();
            trace.nested |= trace.inside;
            trace.inside = true;
            trace.iterations.len() as u32
        };
        let inside: Vec<Traced<'t>> = (0..k as u32)
            .map(|component| Traced::Value(recorder.push(TraceOp::Unknown { iteration, component }), recorder))
            .collect();
        let start = recorder.0.borrow().ops.len() as u32;
        let mut residual = vec![Traced::Constant(0.0); k];
        let mut jacobian = vec![Traced::Constant(0.0); pattern.len()];
        equations(&inside, &mut residual, &mut jacobian)?;
        let positions = |list: &[Traced<'t>]| list.iter().map(|v| v.position(recorder)).collect::<Vec<u32>>();
        let (residual, jacobian) = (positions(&residual), positions(&jacobian));
        {
            let mut trace = recorder.0.borrow_mut();
            let end = trace.ops.len() as u32;
            // What was computed inside belongs to the iterate, not to the solution.
            trace.known.retain(|_, at| *at < start);
            trace.iterations.push(Iteration { site, guess, terms, start, end, residual, jacobian });
            trace.inside = false;
        }
        for (component, u) in unknowns.iter_mut().enumerate() {
            let component = component as u32;
            *u = Traced::Value(recorder.push(TraceOp::Solution { iteration, component }), recorder);
        }
        Ok(())
    }

    fn fixed_point(&mut self, _: Site, _: &mut [Traced<'t>], _: &mut Map<'_, Traced<'t>>) -> Result<(), Failure> {
        Err(Misuse::from(Unrecordable::FixedPoint).into())
    }

    fn require(&mut self, kind: Kind, residual: &[Traced<'t>], magnitude: &[Traced<'t>]) -> Result<(), Failure> {
        let positions = |list: &[Traced<'t>]| list.iter().map(|v| v.position(self.recorder)).collect();
        let requirement = Requirement { kind, residual: positions(residual), magnitude: positions(magnitude) };
        let which = {
            let mut trace = self.recorder.0.borrow_mut();
            trace.requirements.push(requirement);
            trace.requirements.len() as u32 - 1
        };
        self.recorder.push(TraceOp::Require(which));
        Ok(())
    }

    fn value(&mut self, _: Traced<'t>) -> Result<f64, Failure> {
        Err(Misuse::from(Unrecordable::Decision).into())
    }
}

impl<'t> Traced<'t> {
    fn position(self, recorder: &'t Recorder) -> u32 {
        match self {
            Traced::Constant(c) => recorder.push(TraceOp::Constant(c)),
            Traced::Value(at, own) => {
                recorder.0.borrow_mut().foreign |= !std::ptr::eq(own, recorder);
                at
            }
        }
    }

    fn map(self, f: Unary) -> Self {
        match self {
            Traced::Constant(c) => Traced::Constant(unary(f, c)),
            Traced::Value(a, r) => Traced::Value(r.push(TraceOp::Unary(f, a)), r),
        }
    }

    fn join(self, other: Self, f: Binary) -> Self {
        let recorder = match (self, other) {
            (Traced::Constant(a), Traced::Constant(b)) => return Traced::Constant(binary(f, a, b)),
            // Exact in IEEE arithmetic, whatever the other value is.
            (_, Traced::Constant(1.0)) if matches!(f, Binary::Mul | Binary::Div) => return self,
            (Traced::Constant(1.0), _) if f == Binary::Mul => return other,
            (Traced::Value(_, r), _) | (_, Traced::Value(_, r)) => r,
        };
        let (a, b) = (self.position(recorder), other.position(recorder));
        Traced::Value(recorder.push(TraceOp::Binary(f, a, b)), recorder)
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident),*) => {
        $(impl std::ops::$trait for Traced<'_> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                self.join(other, Binary::$trait)
            }
        })*
    };
}
operators!(Add add, Sub sub, Mul mul, Div div);

impl std::ops::Neg for Traced<'_> {
    type Output = Self;
    fn neg(self) -> Self {
        self.map(Unary::Neg)
    }
}

macro_rules! functions {
    ($($name:ident $op:ident),*) => {
        $(fn $name(self) -> Self {
            self.map(Unary::$op)
        })*
    };
}

impl Scalar for Traced<'_> {
    fn from_f64(x: f64) -> Self {
        Traced::Constant(x)
    }
    fn ratio(numerator: i64, denominator: i64) -> Self {
        Traced::Constant(f64::ratio(numerator, denominator))
    }
    fn pi() -> Self {
        Traced::Constant(std::f64::consts::PI)
    }
    fn is_zero(self) -> bool {
        matches!(self, Traced::Constant(c) if c == 0.0)
    }
    functions!(sqrt Sqrt, exp Exp, ln Ln, sin Sin, cos Cos, tan Tan, asin Asin, acos Acos, atan Atan, sinh Sinh,
        cosh Cosh, tanh Tanh, abs Abs, sign Sign, floor Floor);
    fn atan2(self, x: Self) -> Self {
        self.join(x, Binary::Atan2)
    }
    fn min(self, other: Self) -> Self {
        self.join(other, Binary::Min)
    }
    fn max(self, other: Self) -> Self {
        self.join(other, Binary::Max)
    }
    fn modulo(self, modulus: Self) -> Self {
        self.join(modulus, Binary::Mod)
    }
    fn pow(self, exponent: Self) -> Self {
        self.join(exponent, Binary::Pow)
    }
    fn stumpff(self, k: u32) -> Self {
        self.map(Unary::Stumpff(k))
    }
}
