//! What programs are written down in: numbers, integers, memory, loops.
//!
//! Everything about a program that does not depend on the machine (kernels as loops, Newton's method, small eliminations)
//! is written once over [`Target`]. A back end is an implementation of it: one file, such as
//! [`cranelift`](super::cranelift).

use crate::program::{Base, Binary, Unary};

/// A number in memory.
#[derive(Clone, Copy)]
pub(crate) struct Place<I> {
    /// The vector.
    pub(crate) base: Base,
    /// The entry: this, if there is one, plus the offset.
    pub(crate) index: Option<I>,
    pub(crate) offset: i64,
}

/// Comparisons of numbers; none holds for NaN.
#[derive(Clone, Copy)]
pub(crate) enum Comparison {
    Equal,
    Less,
    AtMost,
}

/// How linear equations are solved.
#[derive(Clone, Copy)]
pub(crate) struct Sides {
    /// How many right-hand sides there are.
    pub(crate) columns: usize,
    pub(crate) transposed: bool,
    /// Whether all numbers must be finite.
    pub(crate) strict: bool,
}

/// Something that code is written down for. Code is structured: blocks and loops are nested.
pub(crate) trait Target: Sized {
    /// A number that was computed.
    type Number: Copy;
    /// An integer, for indices.
    type Integer: Copy;
    /// What a comparison says.
    type Truth: Copy;
    /// A number that changes.
    type Cell: Copy;
    /// An integer that changes.
    type Counter: Copy;
    /// The end of a block, or the beginning of a loop.
    type Label: Copy;

    fn number(&mut self, x: f64) -> Self::Number;
    fn unary(&mut self, f: Unary, x: Self::Number) -> Self::Number;
    fn binary(&mut self, f: Binary, x: Self::Number, y: Self::Number) -> Self::Number;
    /// Sine and cosine of one argument.
    fn sin_cos(&mut self, x: Self::Number) -> [Self::Number; 2];

    fn integer(&mut self, k: i64) -> Self::Integer;
    fn sum(&mut self, a: Self::Integer, b: Self::Integer) -> Self::Integer;
    fn multiple(&mut self, a: Self::Integer, k: i64) -> Self::Integer;
    /// Quotient and remainder, which is not negative.
    fn divide(&mut self, a: Self::Integer, k: i64) -> [Self::Integer; 2];
    fn as_number(&mut self, k: Self::Integer) -> Self::Number;

    fn compare(&mut self, how: Comparison, a: Self::Number, b: Self::Number) -> Self::Truth;
    fn is_finite(&mut self, x: Self::Number) -> Self::Truth;
    /// a ≤ b.
    fn in_order(&mut self, a: Self::Integer, b: Self::Integer) -> Self::Truth;
    fn always(&mut self) -> Self::Truth;
    fn both(&mut self, a: Self::Truth, b: Self::Truth) -> Self::Truth;
    fn either(&mut self, a: Self::Truth, b: Self::Truth) -> Self::Truth;
    fn choice(&mut self, truth: Self::Truth, a: Self::Number, b: Self::Number) -> Self::Number;

    fn load(&mut self, from: Place<Self::Integer>) -> Self::Number;
    fn store(&mut self, to: Place<Self::Integer>, value: Self::Number);
    /// An entry of a table of integers, which outlives the code.
    fn entry(&mut self, table: &[i64], at: Self::Integer) -> Self::Integer;
    /// The same of numbers.
    fn coefficient(&mut self, table: &[f64], at: Self::Integer) -> Self::Number;

    fn cell(&mut self) -> Self::Cell;
    fn get(&mut self, cell: Self::Cell) -> Self::Number;
    fn set(&mut self, cell: Self::Cell, value: Self::Number);
    fn counter(&mut self) -> Self::Counter;
    fn count(&mut self, counter: Self::Counter) -> Self::Integer;
    fn set_count(&mut self, counter: Self::Counter, value: Self::Integer);

    /// Opens a block, whose end is the label.
    fn open_block(&mut self) -> Self::Label;
    /// Ends the innermost block.
    fn close_block(&mut self, end: Self::Label);
    /// Opens a loop, whose beginning is the label.
    fn open_loop(&mut self) -> Self::Label;
    /// Ends the innermost loop, whose body has to leave it or go to its beginning.
    fn close_loop(&mut self, head: Self::Label);
    /// Goes on at a label of a block or a loop that this is inside of.
    fn go(&mut self, to: Self::Label);
    fn go_if(&mut self, truth: Self::Truth, to: Self::Label);
    fn go_unless(&mut self, truth: Self::Truth, to: Self::Label);

    /// Factors the matrix of a system; whether it is finite and regular.
    fn factor(&mut self, system: usize, matrix: &[Self::Number]) -> Self::Truth;
    /// Solves with the last factors; and whether all went well.
    fn solve(&mut self, system: usize, sides: &[Self::Number], how: Sides) -> (Vec<Self::Number>, Self::Truth);
    /// The same with vectors of the work area: the matrix, the right-hand side, the solution, by where they begin; whether the
    /// matrix is regular.
    fn eliminate(&mut self, system: usize, vectors: [usize; 3]) -> Self::Truth;
    /// Whether a rounding of the unknowns explains the residual, by the rule of [`Bounds`](cotangent_solve::Bounds): of the
    /// Jacobian, the unknowns and the residual in the work area.
    fn explained(&mut self, system: usize, vectors: [usize; 3]) -> Self::Truth;
    /// Whether a stall is one at round-off, by [`Stall`](cotangent_solve::Stall): of the unknowns, their sizes, the residual, the
    /// Jacobian and those before the last update, with that, in the work area; and the number for sizes that do not show.
    fn is_round_off(&mut self, system: usize, vectors: [usize; 6], scale: Self::Number) -> Self::Truth;
}
