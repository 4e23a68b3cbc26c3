//! The stage equations of a method, as it declares them.

use super::terms::{Term, Variable};
use crate::coefficients::Coefficient;

/// Stage equations: as many rows as unknowns.
#[derive(Clone, Debug)]
pub(crate) struct StageEquations {
    pub(crate) unknowns: Vec<Unknown>,
    pub(crate) points: Vec<Point>,
    pub(crate) rows: Vec<Row>,
}

/// A vector of unknowns: an increment of variables from the start of the step to a point, or multipliers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unknown {
    pub(super) variable: Variable,
    /// The first guess is what the rate at the start, without multipliers, makes of this part of the step.
    pub(super) node: Coefficient,
    /// The unknown is hᵘ times the vector.
    pub(super) unit: usize,
}

impl Unknown {
    /// The increment of positions, or of the whole state of a vector field.
    pub(crate) fn position(node: impl Into<Coefficient>) -> Unknown {
        Unknown { variable: Variable::Position, node: node.into(), unit: 0 }
    }

    /// The increment of momenta.
    pub(crate) fn momentum(node: impl Into<Coefficient>) -> Unknown {
        Unknown { variable: Variable::Momentum, node: node.into(), unit: 0 }
    }

    /// The multipliers λ of the constraints; first guess zero.
    pub(crate) fn multiplier() -> Unknown {
        Unknown { variable: Variable::Multiplier, node: 0.0.into(), unit: 0 }
    }

    /// The multipliers μ of the hidden constraints; first guess zero.
    pub(crate) fn hidden_multiplier() -> Unknown {
        Unknown { variable: Variable::HiddenMultiplier, node: 0.0.into(), unit: 0 }
    }

    /// The same in units in which it is hᵘ times the vector.
    pub(crate) fn in_units(self, unit: usize) -> Unknown {
        Unknown { unit, ..self }
    }
}

/// A point at which the equations of motion are evaluated. What no unknown moves is as at the start; multipliers that
/// are not given are not there.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Point {
    /// The unknown that moves the positions, or the whole state of a vector field.
    pub(crate) position: Option<usize>,
    pub(crate) momentum: Option<usize>,
    pub(crate) multiplier: Option<usize>,
    pub(crate) hidden_multiplier: Option<usize>,
    /// The part of the increments at which it lies; all unless said otherwise.
    pub(crate) part: Option<Coefficient>,
    /// Its terms are multiplied by h times this, before they are summed up.
    pub(crate) weight: Option<Coefficient>,
}

impl Point {
    /// The unknown that a variable depends on.
    pub(super) fn unknown(&self, variable: Variable) -> Option<usize> {
        match variable {
            Variable::Position => self.position,
            Variable::Momentum => self.momentum,
            Variable::Multiplier => self.multiplier,
            Variable::HiddenMultiplier => self.hidden_multiplier,
        }
    }
}

/// In which order the terms of a row are summed up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sum {
    /// By themselves first.
    Together,
    /// Each is added to what the row has so far.
    OneByOne,
}

/// Rows of the equations.
#[derive(Clone, Debug)]
pub(crate) enum Row {
    /// Σₖ dₖ xₖ − ρ ± h Σⱼ aⱼ T(zⱼ) = 0; with the matrix J before the first sum where the equations are J ż = ∇H.
    Increment {
        /// It also says which sign it has.
        term: Term,
        /// (unknown, d): those of one variable.
        left: Vec<(usize, Coefficient)>,
        /// (point, a).
        right: Vec<(usize, Coefficient)>,
        /// A further factor of the sum, with the step size; `None` where the points have weights.
        factor: Option<Coefficient>,
        sum: Sum,
        /// The point at which ∇H, projected onto ker J, is zero: in the rows in which J says nothing new.
        kernel: Option<usize>,
    },
    /// T(z) = 0 at a point.
    Zero { term: Term, point: usize },
}

impl Row {
    /// xₖ ± h Σⱼ aⱼ T(zⱼ) = 0.
    pub(crate) fn increment(term: Term, unknown: usize, right: Vec<(usize, Coefficient)>) -> Row {
        let left = vec![(unknown, 1.0.into())];
        Row::Increment { term, left, right, factor: Some(1.0.into()), sum: Sum::Together, kernel: None }
    }

    /// xₖ ± h/2 Σⱼ T(zⱼ) = 0.
    pub(crate) fn half(term: Term, unknown: usize, points: &[usize]) -> Row {
        let (left, right) = (vec![(unknown, 1.0.into())], points.iter().map(|&j| (j, 1.0.into())).collect());
        Row::Increment { term, left, right, factor: Some(0.5.into()), sum: Sum::Together, kernel: None }
    }

    /// Σₖ dₖ xₖ − ρ ± h T(z) = 0.
    pub(crate) fn derivative(term: Term, left: Vec<(usize, Coefficient)>, point: usize) -> Row {
        let right = vec![(point, 1.0.into())];
        Row::Increment { term, left, right, factor: Some(1.0.into()), sum: Sum::Together, kernel: None }
    }

    /// xₖ ± Σⱼ aⱼ T(zⱼ) = 0 with weights at the points.
    pub(crate) fn weighted(term: Term, unknown: usize, right: Vec<(usize, Coefficient)>, sum: Sum) -> Row {
        Row::Increment { term, left: vec![(unknown, 1.0.into())], right, factor: None, sum, kernel: None }
    }

    /// The same with ∇H projected onto ker J, at a point, in the rows in which J says nothing new.
    pub(crate) fn with_kernel(mut self, point: usize) -> Row {
        if let Row::Increment { kernel, .. } = &mut self {
            *kernel = Some(point);
        }
        self
    }

    pub(super) fn term(&self) -> Term {
        match self {
            Row::Increment { term, .. } | Row::Zero { term, .. } => *term,
        }
    }
}
