//! Recording a step: the arithmetic a generic step performs, as data.
//!
//! A step written over [`Scalar`] and [`Machine`] is run once with [`Traced`] numbers. What comes
//! out is a [`Recording`]: a list of operations in which a Newton iteration is one region and a
//! linear solve one instruction. It can be replayed (the reference) or compiled to one native
//! function (see [`Step`](crate::Step)).

use crate::program::{Binary, Unary};
use crate::tape::{binary, unary};
use cotangent_dynamics::{Contraction, Equations, Failure, Kind, Machine, Map, Misuse, Plan, Site, Unrecordable};
use cotangent_scalar::Scalar;
use cotangent_solve::Pattern;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

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
        /// Which iteration of its kind.
        iteration: u32,
        /// Which unknown.
        component: u32,
    },
    /// The solution of an iteration; after that of a fixed point comes its pause.
    Solution {
        /// Which iteration of its kind.
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

impl Iteration {
    /// Position of its first operation.
    pub fn first(&self) -> usize {
        self.start as usize - self.guess.len()
    }

    /// Position after its last operation, the solution.
    pub fn last(&self) -> usize {
        self.end as usize + self.guess.len()
    }
}

/// An iteration to a fixed point of a recording.
///
/// Its operations follow each other: the unknowns, the map, the other way with its own iterations, the solution, the pause.
#[derive(Clone, PartialEq, Debug)]
pub struct FixedPoint {
    /// Where in the step's plan.
    pub site: Site,
    /// The first guess.
    pub guess: Vec<u32>,
    /// Position of the first operation of the map, after the unknowns.
    pub start: u32,
    /// Position after the last operation of the map.
    pub end: u32,
    /// The values of the map.
    pub next: Vec<u32>,
    /// Where the map may not contract.
    pub otherwise: Option<Otherwise>,
}

/// Another way to a fixed point, where the map does not contract.
#[derive(Clone, PartialEq, Debug)]
pub struct Otherwise {
    /// For how many steps it is taken at once.
    pub pause: u32,
    /// Position after its last operation.
    pub end: u32,
    /// What it finds.
    pub solution: Vec<u32>,
}

impl FixedPoint {
    /// Position of its first operation.
    pub fn first(&self) -> usize {
        self.start as usize - self.guess.len()
    }

    /// Position of the solution.
    pub fn solution(&self) -> usize {
        self.otherwise.as_ref().map_or(self.end, |o| o.end) as usize
    }

    /// Position after its last operation.
    pub fn last(&self) -> usize {
        self.solution() + self.guess.len() + usize::from(self.otherwise.is_some())
    }
}

/// The arithmetic of a step, as data.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Recording {
    pub(crate) plan: Plan,
    pub(crate) ops: Vec<TraceOp>,
    pub(crate) iterations: Vec<Iteration>,
    pub(crate) fixed_points: Vec<FixedPoint>,
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

    /// The iterations of Newton's method, in order; they are not nested.
    pub fn iterations(&self) -> &[Iteration] {
        &self.iterations
    }

    /// The iterations to fixed points, in order; they are not nested.
    pub fn fixed_points(&self) -> &[FixedPoint] {
        &self.fixed_points
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
        // Where iterations use values, and which.
        let newton = self
            .iterations
            .iter()
            .flat_map(|i| [&i.guess, &i.terms, &i.residual, &i.jacobian].map(|list| (i.start, list)));
        let maps = self.fixed_points.iter().flat_map(|f| [&f.guess, &f.next].map(|list| (f.start, list)));
        let ways = self.fixed_points.iter().filter_map(|f| Some((f.start, f.otherwise.as_ref()?)));
        let pauses = ways.clone().map(|(start, o)| (start, o.pause));
        let lists = newton.chain(maps).chain(ways.map(|(_, o)| (o.end, &o.solution)));
        let taken: Vec<(u32, u32)> =
            lists.flat_map(|(at, list)| list.iter().map(move |&v| (at, v))).chain(pauses).collect();
        let leaks = |inside: Range<usize>| {
            let later = (inside.end..self.ops.len()).flat_map(uses);
            let taken = taken.iter().filter(|(at, _)| *at as usize > inside.end).map(|&(_, value)| value);
            later.chain(taken).chain(self.outputs.iter().copied()).any(|at| inside.contains(&(at as usize)))
        };
        let newton = self.iterations.iter().map(|it| it.first()..it.end as usize);
        let maps = self.fixed_points.iter().map(|f| f.first()..f.end as usize);
        let ways = self.fixed_points.iter().filter_map(|f| Some(f.end as usize..f.otherwise.as_ref()?.end as usize));
        newton.chain(maps).chain(ways).any(leaks)
    }
}

#[derive(Default)]
struct Trace {
    ops: Vec<TraceOp>,
    iterations: Vec<Iteration>,
    fixed_points: Vec<FixedPoint>,
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
        let Trace { ops, iterations, fixed_points, factors, solves, requirements, .. } = trace;
        let plan = plan.clone();
        let recording =
            Recording { plan, ops, iterations, fixed_points, factors, solves, requirements, outputs, inputs };
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

    /// Begins an iteration; which one it is.
    fn begin(&self, number: impl FnOnce(&Trace) -> usize) -> u32 {
        let mut trace = self.0.borrow_mut();
        trace.nested |= trace.inside;
        trace.inside = true;
        number(&trace) as u32
    }

    /// The unknowns of an iteration.
    fn unknowns(&self, iteration: u32, count: usize) -> Vec<Traced<'_>> {
        let unknown = |component| Traced::Value(self.push(TraceOp::Unknown { iteration, component }), self);
        (0..count as u32).map(unknown).collect()
    }

    /// What was computed from a position on is not used any more: it belongs to an iterate, not to the solution. Returns
    /// where it ends.
    fn forget_from(&self, start: u32) -> u32 {
        let mut trace = self.0.borrow_mut();
        trace.known.retain(|_, at| *at < start);
        trace.ops.len() as u32
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

impl<'t> Record<'t> {
    /// Records the map of a fixed-point equation.
    fn map(
        &mut self,
        site: Site,
        unknowns: &[Traced<'t>],
        map: impl FnOnce(&mut Self, &[Traced<'t>], &mut [Traced<'t>]) -> Result<(), Failure>,
    ) -> Result<FixedPoint, Failure> {
        let recorder = self.recorder;
        let planned = self.plan.unknowns(site).filter(|u| u.pattern.is_none() && u.len() == unknowns.len());
        if planned.ok_or(Misuse::NoSuchFixedPoint)?.stages.is_none() {
            return Err(Misuse::from(Unrecordable::FixedPoint).into());
        }
        let guess: Vec<u32> = unknowns.iter().map(|u| u.position(recorder)).collect();
        let iteration = recorder.begin(|trace| trace.fixed_points.len());
        let inside = recorder.unknowns(iteration, unknowns.len());
        let start = recorder.0.borrow().ops.len() as u32;
        let mut next = vec![Traced::Constant(0.0); unknowns.len()];
        map(self, &inside, &mut next)?;
        let next = next.iter().map(|v| v.position(recorder)).collect();
        let end = recorder.forget_from(start);
        recorder.0.borrow_mut().inside = false;
        Ok(FixedPoint { site, guess, start, end, next, otherwise: None })
    }

    /// The unknowns become the solution; which iteration it is.
    fn arrive(&mut self, fixed_point: FixedPoint, unknowns: &mut [Traced<'t>]) -> u32 {
        let recorder = self.recorder;
        let iteration = {
            let mut trace = recorder.0.borrow_mut();
            trace.fixed_points.push(fixed_point);
            trace.fixed_points.len() as u32 - 1
        };
        for (component, u) in unknowns.iter_mut().enumerate() {
            let component = component as u32;
            *u = Traced::Value(recorder.push(TraceOp::Solution { iteration, component }), recorder);
        }
        iteration
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
        let iteration = recorder.begin(|trace| trace.iterations.len());
        let inside = recorder.unknowns(iteration, k);
        let start = recorder.0.borrow().ops.len() as u32;
        let mut residual = vec![Traced::Constant(0.0); k];
        let mut jacobian = vec![Traced::Constant(0.0); pattern.len()];
        equations(&inside, &mut residual, &mut jacobian)?;
        let positions = |list: &[Traced<'t>]| list.iter().map(|v| v.position(recorder)).collect::<Vec<u32>>();
        let (residual, jacobian) = (positions(&residual), positions(&jacobian));
        {
            let end = recorder.forget_from(start);
            let mut trace = recorder.0.borrow_mut();
            trace.iterations.push(Iteration { site, guess, terms, start, end, residual, jacobian });
            trace.inside = false;
        }
        for (component, u) in unknowns.iter_mut().enumerate() {
            let component = component as u32;
            *u = Traced::Value(recorder.push(TraceOp::Solution { iteration, component }), recorder);
        }
        Ok(())
    }

    fn fixed_point(
        &mut self,
        site: Site,
        unknowns: &mut [Traced<'t>],
        map: &mut Map<'_, Traced<'t>>,
    ) -> Result<(), Failure> {
        let fixed_point = self.map(site, unknowns, |machine, x, next| map(machine, x, next))?;
        self.arrive(fixed_point, unknowns);
        Ok(())
    }

    fn contract(
        &mut self,
        site: Site,
        unknowns: &mut [Traced<'t>],
        pause: &mut Traced<'t>,
        equations: &mut dyn Contraction<Traced<'t>>,
    ) -> Result<(), Failure> {
        let recorder = self.recorder;
        let before = pause.position(recorder);
        let mut fixed_point = self.map(site, unknowns, |_, x, next| equations.map(x, next))?;
        equations.otherwise(self, unknowns)?;
        let solution = unknowns.iter().map(|v| v.position(recorder)).collect();
        let end = recorder.forget_from(fixed_point.end);
        fixed_point.otherwise = Some(Otherwise { pause: before, end, solution });
        let iteration = self.arrive(fixed_point, unknowns);
        let component = unknowns.len() as u32;
        *pause = Traced::Value(recorder.push(TraceOp::Solution { iteration, component }), recorder);
        Ok(())
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
