//! What cannot be derived, and why.

/// Why a transform or a formulation does not exist for a system.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum TheoryError {
    /// The model has no coordinates with momenta.
    #[error("{what} needs a model with coordinates and momenta; this one is a {kind} model")]
    NotCanonical {
        /// What was asked for.
        what: &'static str,
        /// What the model is.
        kind: &'static str,
    },
    /// Some momenta do not determine a velocity.
    #[error(
        "the Lagrangian is singular: it does not contain the velocity of {names} in a way that its momentum determines it; this needs Dirac's analysis"
    )]
    SingularLagrangian {
        /// The coordinates.
        names: String,
    },
    /// A constraint of a kind that the formulation does not know.
    #[error("{what} is for holonomic constraints, and `{name}` is not one")]
    NotHolonomic {
        /// The formulation.
        what: &'static str,
        /// The constraint.
        name: String,
    },
    /// A formulation that is for other models.
    #[error("the formulation `{formulation}` does not fit this model: {why}")]
    Unfit {
        /// The formulation.
        formulation: &'static str,
        /// Why.
        why: &'static str,
    },
    /// An expression that could not be formed.
    #[error(transparent)]
    Expression(#[from] cotangent_expr::Error),
}
