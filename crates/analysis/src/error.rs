//! What keeps an analysis from being made at all.

/// Why there is no report.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum AnalysisError {
    /// More variables than the analysis takes apart.
    #[error("the model has {variables} variables, and the analysis takes at most {limit}; set a smaller size")]
    TooLarge {
        /// The variables of phase space.
        variables: usize,
        /// The limit.
        limit: usize,
    },
    /// More brackets than Jacobi's identity is looked at for.
    #[error("there are more than {limit} pairs of variables with a bracket")]
    TooManyBrackets {
        /// The limit.
        limit: u64,
    },
    /// A value for something that is not a parameter.
    #[error("`{name}` is not a parameter: the analysis keeps variables as symbols, and takes no initial values")]
    NotAParameter {
        /// The name.
        name: String,
    },
    /// Somebody asked to stop.
    #[error(transparent)]
    Interrupted(#[from] cotangent_scalar::Interrupted),
    /// An expression that could not be formed.
    #[error(transparent)]
    Expression(#[from] cotangent_expr::Error),
    /// An expression that could not be compiled.
    #[error(transparent)]
    Compile(#[from] cotangent_compile::CompileError),
    /// A Legendre transform that does not exist.
    #[error(transparent)]
    Theory(#[from] cotangent_theory::TheoryError),
    /// A value that does not exist.
    #[error(transparent)]
    Value(#[from] cotangent_compile::values::ValueError),
}
