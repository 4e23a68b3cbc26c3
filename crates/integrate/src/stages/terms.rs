//! The vocabulary of stage equations: what stands in a row, and its derivatives.

use cotangent_dynamics::Kind;

/// The variables of a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Variable {
    /// q, or the whole state z where the equations do not tell positions from momenta.
    Position,
    /// p.
    Momentum,
    /// λ.
    Multiplier,
    /// μ.
    HiddenMultiplier,
}

impl Variable {
    pub(super) const ALL: [Variable; 4] =
        [Variable::Position, Variable::Momentum, Variable::Multiplier, Variable::HiddenMultiplier];
}

/// What can stand in a row, with ψ = G H_p the hidden constraints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Term {
    /// q̇ = H_p + ψ_pᵀμ.
    Velocity,
    /// −ṗ = H_q + Gᵀλ + ψ_qᵀμ.
    Force,
    /// φ(q).
    Constraint,
    /// ψ(q, p).
    HiddenConstraint,
    /// f(z), for a vector field ż = f(z).
    Rate,
    /// ∇H(z), for equations J ż = ∇H(z); zero in the rows of J that depend on the others.
    Gradient,
}

impl Term {
    /// What its rows determine.
    pub(super) fn kind(self) -> Kind {
        match self {
            Term::Velocity => Kind::Coordinate,
            Term::Force => Kind::Momentum,
            Term::Constraint => Kind::Constraint,
            Term::HiddenConstraint => Kind::HiddenConstraint,
            Term::Rate | Term::Gradient => Kind::State,
        }
    }

    /// Whether it is minus a rate, and is added to an increment.
    pub(super) fn is_added(self) -> bool {
        self == Term::Force
    }
}

/// The matrices that derivatives of terms are made of, in the order in which they are added to a Jacobian.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Matrix {
    /// ψ_q.
    HiddenQ,
    /// ψ_p.
    HiddenP,
    /// (μ·ψ)_qq.
    HiddenQq,
    /// (μ·ψ)_qp.
    HiddenQp,
    /// (μ·ψ)_pp.
    HiddenPp,
    /// G.
    Jacobian,
    /// H_qp.
    HessianQp,
    /// H_pp.
    HessianPp,
    /// H_qq.
    HessianQq,
    /// (λ·φ)_qq.
    Curvature,
    /// ∂(G v)/∂q for v = H_p.
    CurvatureAlong,
    /// G H_pq.
    ProductQ,
    /// G H_pp.
    ProductP,
    /// f′.
    Derivative,
    /// H_zz.
    WholeHessian,
    /// H_zz in the rows of J that are independent.
    Hessian,
    /// NᵀH_zz in the others, with N a basis of ker J.
    KernelHessian,
}

impl Matrix {
    pub(super) const ALL: [Matrix; 17] = [
        Matrix::HiddenQ,
        Matrix::HiddenP,
        Matrix::HiddenQq,
        Matrix::HiddenQp,
        Matrix::HiddenPp,
        Matrix::Jacobian,
        Matrix::HessianQp,
        Matrix::HessianPp,
        Matrix::HessianQq,
        Matrix::Curvature,
        Matrix::CurvatureAlong,
        Matrix::ProductQ,
        Matrix::ProductP,
        Matrix::Derivative,
        Matrix::WholeHessian,
        Matrix::Hessian,
        Matrix::KernelHessian,
    ];

    /// The matrices that are evaluated before it, or with it.
    pub(super) fn needs(self) -> &'static [Matrix] {
        match self {
            Matrix::HiddenP => &[Matrix::HiddenQ],
            Matrix::HiddenQp | Matrix::HiddenPp => &[Matrix::HiddenQq],
            Matrix::ProductQ => &[Matrix::Jacobian, Matrix::HessianQp],
            Matrix::ProductP => &[Matrix::Jacobian, Matrix::HessianPp],
            Matrix::Hessian | Matrix::KernelHessian => &[Matrix::WholeHessian],
            _ => &[],
        }
    }
}

/// A derivative of a term: by which variable, and whether the matrix is transposed.
pub(super) struct Derivative {
    pub(super) matrix: Matrix,
    pub(super) by: Variable,
    pub(super) transposed: bool,
}
