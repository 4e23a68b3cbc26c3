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
    /// A formulation whose equations are too large for this model.
    #[error(
        "the equations of `{formulation}` would have {terms} terms for a model of this size, and at most {limit} are written down"
    )]
    TooManyTerms {
        /// The formulation.
        formulation: &'static str,
        /// How many there would be.
        terms: usize,
        /// How many there may be.
        limit: usize,
    },
    /// A part of the energy whose flow is not known.
    #[error("the flow of the part `{part}` is not known: {why}")]
    NoFlow {
        /// The part.
        part: String,
        /// Why.
        why: NoFlow,
    },
    /// A constraint that generates a flow that is not known.
    #[error("the flow that the constraint `{constraint}` generates is not known: {why}")]
    NoConstraintFlow {
        /// The constraint.
        constraint: String,
        /// Why.
        why: NoFlow,
    },
    /// Constraints that are not held by the flows that they generate.
    #[error(transparent)]
    Unrestrained(#[from] Unrestrained),
    /// An expression that could not be formed.
    #[error(transparent)]
    Expression(#[from] cotangent_expr::Error),
}

/// Why the flow of a part is not known.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoFlow {
    /// It moves variables on which its own rates depend in a way that is not linear.
    #[error("the rate of `{variable}` is not linear in the variables that it moves")]
    NotLinear {
        /// The variable.
        variable: String,
    },
    /// It couples too many variables.
    #[error("{} depend on each other in a way that has no simple exponential", variables.join(", "))]
    Coupled {
        /// The variables.
        variables: Vec<String>,
    },
    /// There are too many variables.
    #[error("it has more than {largest} variables")]
    TooLarge {
        /// The limit.
        largest: usize,
    },
}

/// Why constraints are not held by the flows that they generate.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unrestrained {
    /// No constraint is left when those that do not commute have become Casimirs of Dirac's bracket.
    #[error(
        "no two of the constraints commute: nothing is left to be held by a flow, as all are Casimirs of Dirac's bracket"
    )]
    Pairs,
    /// The time derivatives of the constraints lead to more than one further constraint each.
    #[error("the constraints lead to others whose time derivatives are constraints again")]
    Deeper,
}
