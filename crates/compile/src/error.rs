//! What can go wrong when a function is compiled or called.

use cotangent_scalar::Interrupted;

/// Why a function could not be compiled.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum CompileError {
    /// An expression could not be formed.
    #[error(transparent)]
    Expression(#[from] cotangent_expr::Error),
    /// An array that is not among the inputs.
    #[error("`{0}` is used but is not an input of the function")]
    MissingInput(String),
    /// An array that is part of two inputs.
    #[error("`{0}` is an input twice")]
    DuplicateInput(String),
    /// More instructions than the limit.
    #[error("the function needs more than {limit} instructions; the model is too large to compile")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// More input or output vectors than a function may have.
    #[error("a function has at most {limit} input and {limit} output vectors")]
    TooManyVectors {
        /// The limit.
        limit: usize,
    },
    /// A value that would be used before it is computed: a defect of this library.
    #[error("{what} would be used before it is computed; this is a defect of the compiler, please report it")]
    NotComputed {
        /// The value.
        what: String,
    },
    /// A linear system that cannot be set up.
    #[error("the linear system for `{name}`: {reason}")]
    System {
        /// What is solved for.
        name: String,
        /// Why not.
        reason: String,
    },
    /// Equations that do not exist.
    #[error("{0}")]
    Underived(String),
    /// Cranelift refused.
    #[error("native code generation failed: {0}")]
    Native(String),
}

impl From<Interrupted> for CompileError {
    fn from(interrupted: Interrupted) -> CompileError {
        CompileError::Expression(interrupted.into())
    }
}

/// Why a call did not produce values.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum CallError {
    /// The wrong number of arguments.
    #[error("{found} {what} vectors given, expected {expected}")]
    Count {
        /// `input` or `output`.
        what: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// No native code for a long function, which is made when it is first called.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// A workspace of another function.
    #[error("the workspace was made for another function")]
    ForeignWorkspace,
    /// An argument of the wrong length.
    #[error("{what} {index} has length {found}, expected {expected}")]
    Length {
        /// `input` or `output`.
        what: &'static str,
        /// Which one.
        index: usize,
        /// The length it should have.
        expected: usize,
        /// The length it has.
        found: usize,
    },
    /// A matrix that cannot be factored. What is solved for has a name that no model knows.
    #[error("a linear system inside the equations of motion is singular (row {row})")]
    Singular {
        /// What is solved for.
        name: String,
        /// A row that depends on the others.
        row: usize,
    },
    /// Newton's method did not find the root.
    #[error("Newton's method inside the equations of motion failed: {reason}")]
    Newton {
        /// What is solved for.
        name: String,
        /// Why.
        reason: String,
    },
}
