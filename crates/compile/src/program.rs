//! The intermediate form: what a compiled function or a recorded step does, as data that every engine reads.
//!
//! A program is a list of [`Instruction`]s over three kinds of memory: the caller's inputs, the caller's
//! outputs, and a work area. Arithmetic happens in [`Kernel`]s, straight-line code in single assignment that is repeated
//! over a domain: a point, or the members of a family. Around kernels there are regions: Newton's method, an iteration to
//! a fixed point, stages that differ in a coefficient; a matrix that is factored, linear equations that are solved,
//! equations that have to hold. The tape runs a program in any arithmetic and is the reference ([`run`](crate)); other
//! engines write it down for a machine.

use cotangent_dynamics::{Kind, Plan, Site};
use cotangent_expr::{Domain, Ix, Number};
use cotangent_solve::Pattern;

/// Which memory an address is in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Base {
    /// An input vector of the caller.
    Input(usize),
    /// An output vector of the caller.
    Output(usize),
    /// The work area.
    Work,
}

/// A number in memory: a base and an index that may depend on the loop variables.
#[derive(Clone, PartialEq, Debug)]
pub struct Address {
    /// The memory.
    pub base: Base,
    /// The position in it.
    pub at: Ix,
}

/// Functions of one number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Unary {
    Neg,
    Sqrt,
    Exp,
    Ln,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Abs,
    Sign,
    Floor,
    Stumpff(u32),
}

/// Functions of two numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Atan2,
    Min,
    Max,
    Mod,
    Pow,
}

/// One instruction; its value is referred to by its position in the kernel.
#[derive(Clone, PartialEq, Debug)]
pub enum Op {
    /// A number.
    Constant(Number),
    /// π.
    Pi,
    /// An index as a number.
    Index(Ix),
    /// A number from memory.
    Load(Address),
    /// A function of an earlier value.
    Unary(Unary, u32),
    /// A function of two earlier values.
    Binary(Binary, u32, u32),
}

/// How a value is written to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Write {
    /// Replace.
    Set,
    /// Add at each point.
    Add,
    /// Sum over all points in a register, then add; the address does not depend on the point.
    Reduce,
}

/// A value written to memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Store {
    /// Where.
    pub to: Address,
    /// Which instruction's value.
    pub value: u32,
    /// How.
    pub write: Write,
}

/// Straight-line code repeated over the points of a domain; each point runs all instructions and
/// then all stores, in order.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The points.
    pub domain: Domain,
    /// The instructions.
    pub ops: Vec<Op>,
    /// The stores.
    pub stores: Vec<Store>,
}

impl Kernel {
    /// Drops the instructions that nothing stored depends on.
    pub(crate) fn drop_unused(&mut self) {
        let mut used = vec![false; self.ops.len()];
        self.stores.iter().for_each(|store| used[store.value as usize] = true);
        for (k, op) in self.ops.iter().enumerate().rev() {
            match *op {
                Op::Unary(_, a) if used[k] => used[a as usize] = true,
                Op::Binary(_, a, b) if used[k] => (used[a as usize], used[b as usize]) = (true, true),
                _ => {}
            }
        }
        let mut place = vec![0; self.ops.len()];
        let mut ops = vec![];
        for (k, op) in std::mem::take(&mut self.ops).into_iter().enumerate().filter(|(k, _)| used[*k]) {
            place[k] = ops.len() as u32;
            ops.push(match op {
                Op::Unary(f, a) => Op::Unary(f, place[a as usize]),
                Op::Binary(f, a, b) => Op::Binary(f, place[a as usize], place[b as usize]),
                other => other,
            });
        }
        self.ops = ops;
        self.stores.iter_mut().for_each(|store| store.value = place[store.value as usize]);
    }
}

/// Memory set to zero, then kernels in order: what one native function does.
#[derive(Clone, Debug, Default)]
pub struct Segment {
    /// (base, start, length) of memory to clear first.
    pub clear: Vec<(Base, usize, usize)>,
    /// The kernels.
    pub kernels: Vec<Kernel>,
}

/// One instruction of a program.
#[derive(Clone, Debug)]
pub enum Instruction {
    /// Run a segment.
    Segment(usize),
    /// Factor the matrix whose values start at `values` in the work area.
    Factor {
        /// Which linear solver.
        solver: usize,
        /// Where the values are.
        values: usize,
    },
    /// Solve in place for `columns` right-hand sides, one after the other from `rhs` in the work area.
    Solve {
        /// Which linear solver.
        solver: usize,
        /// Where the right-hand sides are.
        rhs: usize,
        /// How many.
        columns: usize,
        /// With the transposed matrix.
        transposed: bool,
    },
    /// Newton's method for the unknowns at `unknown` in the work area.
    Root {
        /// Which solver and name.
        solver: usize,
        /// Where the unknowns are; they hold the starting point before, and the solution after.
        unknown: usize,
        /// Where the sizes of the terms of the equations are, if they are known: in a function those at the starting point.
        terms: Option<usize>,
        /// Where `body` leaves the residual.
        residual: usize,
        /// Where `body` leaves the Jacobian's values.
        jacobian: usize,
        /// Computes residual and Jacobian from the unknowns.
        body: Vec<Instruction>,
    },
    /// An iteration x ← F(x) to a fixed point.
    FixedPoint {
        /// Which equations of the plan.
        site: Site,
        /// Where x is; the first guess before, the solution after.
        unknown: usize,
        /// Where `body` leaves F(x).
        next: usize,
        /// Computes F(x).
        body: Vec<Instruction>,
        /// Where F may not contract.
        otherwise: Option<Otherwise>,
    },
    /// Stages that differ in a coefficient alone, each from where the last one led.
    Repeat {
        /// The coefficients, one for each stage.
        coefficients: Vec<f64>,
        /// Where the coefficient of a stage is put.
        coefficient: usize,
        /// Where the state before a stage is; after the last, what that led to.
        state: usize,
        /// Where `body` leaves the state after it.
        next: usize,
        /// The length of the state.
        count: usize,
        /// Makes a stage.
        body: Vec<Instruction>,
    },
    /// Equations have to hold: residuals and the sizes of their terms in the work area.
    Require {
        /// What they are.
        kind: Kind,
        /// Where the residuals are.
        residual: usize,
        /// Where the sizes are.
        magnitude: usize,
        /// How many.
        count: usize,
    },
    /// The step is not made by this program but by calls of functions.
    Leave,
}

/// Another way to a fixed point, where the map does not contract.
#[derive(Clone, Debug)]
pub struct Otherwise {
    /// For how many steps it is taken at once, before and after; see [`Machine::contract`](cotangent_dynamics::Machine::contract).
    pub pause: usize,
    /// Where `body` leaves what it finds.
    pub solution: usize,
    /// Finds it.
    pub body: Vec<Instruction>,
}

/// A linear system of the program.
#[derive(Clone, Debug)]
pub struct System {
    /// What the solution is called, for messages.
    pub name: String,
    /// The sparsity of the matrix.
    pub pattern: Pattern,
    /// Where the equations are in the plan of a step; those of a function are in none.
    pub site: Option<Site>,
}

/// A function, or a step, as data.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Lengths of the inputs.
    pub inputs: Vec<usize>,
    /// Lengths of the outputs.
    pub outputs: Vec<usize>,
    /// Length of the work area.
    pub work: usize,
    /// The segments.
    pub segments: Vec<Segment>,
    /// What to do, in order.
    pub instructions: Vec<Instruction>,
    /// The linear systems.
    pub systems: Vec<System>,
    /// How many instructions depend on constants alone, so that several calls with these need them once.
    pub once: usize,
    /// The implicit equations of a step.
    pub plan: Plan,
}

impl Program {
    /// The number of instructions in all kernels.
    pub fn len(&self) -> usize {
        self.segments.iter().flat_map(|s| &s.kernels).map(|k| k.ops.len()).sum()
    }

    /// Whether it has no loops over members, every address is one number, and does all that there is to do.
    pub fn is_flat(&self) -> bool {
        let is_one = |a: &Address| a.at.as_constant().is_some();
        let leaves = self.all_instructions().iter().any(|instruction| matches!(instruction, Instruction::Leave));
        !leaves
            && self.segments.iter().all(|segment| {
                segment.clear.is_empty()
                    && segment.kernels.iter().all(|kernel| {
                        kernel.domain.is_point()
                            && kernel.ops.iter().all(|op| if let Op::Load(a) = op { is_one(a) } else { true })
                            && kernel.stores.iter().all(|store| is_one(&store.to) && store.write == Write::Set)
                    })
            })
    }

    /// All instructions, those inside of others after these.
    pub fn all_instructions(&self) -> Vec<&Instruction> {
        let mut out: Vec<&Instruction> = self.instructions.iter().collect();
        let mut k = 0;
        while let Some(&instruction) = out.get(k) {
            out.extend(instruction.bodies().into_iter().flatten());
            k += 1;
        }
        out
    }

    /// Whether there is no instruction.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Instruction {
    /// The instructions inside of it.
    pub fn bodies(&self) -> [&[Instruction]; 2] {
        match self {
            Instruction::Root { body, .. } | Instruction::Repeat { body, .. } => [body, &[]],
            Instruction::FixedPoint { body, otherwise, .. } => [body, otherwise.as_ref().map_or(&[], |o| &o.body)],
            Instruction::Segment(_)
            | Instruction::Factor { .. }
            | Instruction::Solve { .. }
            | Instruction::Require { .. }
            | Instruction::Leave => [&[]; 2],
        }
    }
}
