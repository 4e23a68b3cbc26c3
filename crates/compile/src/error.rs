//! What can go wrong when a function is compiled or called.

use cotangent_dynamics::{Implicit, Source};
use cotangent_scalar::Interrupted;
use std::error::Error;

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
    #[error("the linear system for `{name}`: {cause}")]
    System {
        /// What is solved for.
        name: String,
        /// Why not.
        cause: Source,
    },
    /// Equations that do not exist.
    #[error(transparent)]
    Underived(Source),
    /// Cranelift refused.
    #[error("native code generation failed: {0}")]
    Native(String),
}

impl CompileError {
    /// Whether it would take more work or memory than the limits allow.
    pub fn is_too_large(&self) -> bool {
        use cotangent_expr::Error as E;
        matches!(self, Self::Expression(E::TooLarge { .. }) | Self::TooLarge { .. } | Self::TooManyVectors { .. })
    }

    /// A linear system for something that cannot be set up.
    pub fn system(name: impl Into<String>, cause: impl Error + Send + Sync + 'static) -> CompileError {
        CompileError::System { name: name.into(), cause: Source::new(cause) }
    }
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
    /// Implicit equations of a step, which a function has none of.
    #[error("a function has no implicit equations of a step")]
    Misplaced,
    /// Equations inside the function that have no solution.
    #[error(transparent)]
    Implicit(Box<Implicit>),
}
