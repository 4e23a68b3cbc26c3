//! Why there is no system.

use cotangent_model::BuildError;

/// Why a discretisation could not be made, or a solution does not exist.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum FieldsError {
    /// A mesh that is too coarse.
    #[error("{cells} cells are too few: neighbours of a cell must differ, which takes {least} or more")]
    TooFewCells {
        /// As many as were asked for.
        cells: usize,
        /// As many as there must be.
        least: usize,
    },
    /// A mesh that is too fine for a bracket that is written out.
    #[error(
        "a bracket of {cells} cells is too long to be written out: take at most {most}, or the numbers of `Reduced`"
    )]
    TooManyCells {
        /// As many as were asked for.
        cells: usize,
        /// As many as there may be.
        most: usize,
    },
    /// As many constraints as cells: their brackets make an antisymmetric matrix, which is singular if that is odd.
    #[error(
        "{cells} cells have {cells} constraints, and the antisymmetric matrix of their brackets is singular, as their number \
         is odd: take an even number"
    )]
    OddCells {
        /// The number of cells.
        cells: usize,
    },
    /// A state where the matrix of the brackets of the constraints has no inverse.
    #[error(
        "the brackets of the constraints are singular there: the products of yᵢ + yᵢ₊₁ over odd and over even i agree; \
         constants have that always, sines if 4 divides the number of cells, and positive data on many cells up to rounding"
    )]
    Singular,
    /// A state of another length.
    #[error("a state of {given} numbers: there are {cells}")]
    OtherLength {
        /// As many as were given.
        given: usize,
        /// As many as there must be.
        cells: usize,
    },
    /// A length that is none.
    #[error("a {what} of {length}: it must be positive and finite")]
    NotALength {
        /// What has that length.
        what: &'static str,
        /// The length.
        length: f64,
    },
    /// A basis without functions.
    #[error("there are no basis functions: give one or more")]
    NoFunctions,
    /// Functions on different meshes, or a mesh that does not increase.
    #[error("function {function} does not fit the mesh of the first: all are given on the same increasing points")]
    OtherMesh {
        /// Its number, from 1.
        function: usize,
    },
    /// Basis functions of which one is a sum of others.
    #[error("basis function {function} is a sum of multiples of those before it: leave it out")]
    Dependent {
        /// Its number, from 1.
        function: usize,
    },
    /// A bracket that is no sum of basis functions.
    #[error(
        "the basis functions span no Lie algebra: [e{first}, e{second}] is no sum of them, {remainder} is left on the piece \
         from {from} to {to}; add the missing functions, or take constant and linear functions on each piece, which close"
    )]
    NotClosed {
        /// Number of the first function, from 1.
        first: usize,
        /// Number of the second.
        second: usize,
        /// What is left of their bracket, in x from the left end of the piece.
        remainder: String,
        /// Where the piece begins.
        from: String,
        /// Where it ends.
        to: String,
    },
    /// A matrix of the energy that is none.
    #[error("the energy is given by a symmetric regular matrix of {size} rows")]
    NotAnEnergy {
        /// The number of basis functions.
        size: usize,
    },
    /// A fraction that has too many digits.
    #[error("the numbers of this basis are no fractions that fit 64 bits: take simpler points or fewer functions")]
    NotExact,
    /// Characteristics have crossed.
    #[error("there is no smooth solution at t = {asked}: characteristics cross, the shock begins at t = {time}")]
    Shock {
        /// When the first characteristics meet.
        time: f64,
        /// When the solution was asked for.
        asked: f64,
    },
    /// A place or a time without a value.
    #[error("there is no solution at x = {place}, t = {time}")]
    Nowhere {
        /// x
        place: f64,
        /// t
        time: f64,
    },
    /// A size without a sine bracket.
    #[error("N = {size}: the sine bracket needs an odd N of 3 or more")]
    NotOdd {
        /// N.
        size: usize,
    },
    /// A system that could not be built.
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// A length that is one.
pub(crate) fn length(what: &'static str, length: f64) -> Result<f64, FieldsError> {
    match length > 0.0 && length.is_finite() {
        true => Ok(length),
        false => Err(FieldsError::NotALength { what, length }),
    }
}
