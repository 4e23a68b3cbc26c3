//! The equations of motion that stages are made of, before they are evaluated: which terms they have, and where the
//! derivatives of those have entries.

use super::kernel::Kernel;
use super::terms::{Derivative, Matrix, Term, Variable};
use crate::sparse::Product;
use cotangent_dynamics::{CanonicalShape, HiddenShape, Index, PresymplecticShape};
use cotangent_solve::{Pattern, PatternError};

/// The equations of motion that stages are made of: sizes and sparsity.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// Canonical equations with constraints.
    Canonical(Box<CanonicalParts>),
    /// A vector field, by the pattern of f′.
    Field(Pattern),
    /// J ż = ∇H.
    Presymplectic(Box<PresymplecticParts>),
}

#[derive(Clone, Debug)]
pub(crate) struct CanonicalParts {
    pub(super) shape: CanonicalShape,
    /// Where rows have the derivatives of ψ, or its multipliers.
    pub(super) hidden: Option<HiddenShape>,
    /// G H_pq and G H_pp, where ψ is derived by the product rule; and where the entries of H_pq are in H_qp.
    pub(super) products: Option<(Product, Product, Vec<usize>)>,
}

#[derive(Clone, Debug)]
pub(crate) struct PresymplecticParts {
    pub(super) shape: PresymplecticShape,
    pub(super) kernel: Kernel,
    /// H_zz in the independent rows of J, and where its entries are.
    pub(super) rows: (Pattern, Vec<usize>),
    /// NᵀH_zz.
    pub(super) product: Product,
}

impl Shape {
    /// Canonical equations; with the second derivatives of hidden constraints, where they are needed.
    pub(crate) fn canonical(shape: &CanonicalShape, hidden: Option<&HiddenShape>) -> Result<Shape, PatternError> {
        let products = match shape.index {
            Index::Three => None,
            Index::Two => {
                let (pq, origin) = shape.hessian_qp.transposed();
                let q = Product::new(&shape.jacobian, &pq)?;
                Some((q, Product::new(&shape.jacobian, &shape.hessian_pp)?, origin))
            }
        };
        Ok(Shape::Canonical(Box::new(CanonicalParts { shape: shape.clone(), hidden: hidden.cloned(), products })))
    }

    /// J ż = ∇H, where J has these values.
    pub(crate) fn presymplectic(shape: &PresymplecticShape, form: &[f64]) -> Result<Shape, PatternError> {
        let kernel = Kernel::new(&shape.form, form)?;
        let product = Product::new(kernel.pattern(), &shape.hessian)?;
        let rows = kernel.independent_rows(&shape.hessian)?;
        Ok(Shape::Presymplectic(Box::new(PresymplecticParts { shape: shape.clone(), kernel, rows, product })))
    }

    /// The matrix J in its independent rows, where the equations have one.
    pub(super) fn form(&self) -> Option<&Pattern> {
        match self {
            Shape::Presymplectic(parts) => Some(parts.kernel.form()),
            _ => None,
        }
    }

    /// The index of canonical equations with constraints.
    pub(crate) fn index(&self) -> Option<Index> {
        match self {
            Shape::Canonical(parts) => Some(parts.shape.index),
            _ => None,
        }
    }

    /// Whether the rows have the second derivatives of hidden constraints.
    pub(crate) fn has_hidden(&self) -> bool {
        matches!(self, Shape::Canonical(parts) if parts.hidden.is_some())
    }

    /// The length of a variable.
    pub(crate) fn len(&self, variable: Variable) -> usize {
        match (self, variable) {
            (Shape::Canonical(c), Variable::Position | Variable::Momentum) => c.shape.coordinates,
            (Shape::Canonical(c), Variable::Multiplier) => c.shape.constraints,
            (Shape::Canonical(c), Variable::HiddenMultiplier) => c.hidden.as_ref().map_or(0, |_| c.shape.constraints),
            (Shape::Field(jacobian), Variable::Position) => jacobian.rows(),
            (Shape::Presymplectic(p), Variable::Position) => p.shape.form.rows(),
            _ => 0,
        }
    }

    /// The length of a term.
    pub(super) fn rows(&self, term: Term) -> usize {
        match term {
            Term::Velocity | Term::Rate | Term::Gradient => self.len(Variable::Position),
            Term::Force => self.len(Variable::Momentum),
            Term::Constraint | Term::HiddenConstraint => self.len(Variable::Multiplier),
        }
    }

    /// The derivatives of a term.
    pub(super) fn derivatives(&self, term: Term) -> Vec<Derivative> {
        use Variable::{HiddenMultiplier, Momentum, Multiplier, Position};
        let plain = |matrix, by| Derivative { matrix, by, transposed: false };
        let transposed = |matrix, by| Derivative { matrix, by, transposed: true };
        let (mut all, of_hidden) = match term {
            Term::Velocity => (
                vec![transposed(Matrix::HessianQp, Position), plain(Matrix::HessianPp, Momentum)],
                vec![
                    transposed(Matrix::HiddenQp, Position),
                    plain(Matrix::HiddenPp, Momentum),
                    transposed(Matrix::HiddenP, HiddenMultiplier),
                ],
            ),
            Term::Force => (
                vec![
                    plain(Matrix::HessianQp, Momentum),
                    plain(Matrix::HessianQq, Position),
                    plain(Matrix::Curvature, Position),
                    transposed(Matrix::Jacobian, Multiplier),
                ],
                vec![
                    plain(Matrix::HiddenQq, Position),
                    plain(Matrix::HiddenQp, Momentum),
                    transposed(Matrix::HiddenQ, HiddenMultiplier),
                ],
            ),
            Term::Constraint => (vec![plain(Matrix::Jacobian, Position)], vec![]),
            Term::HiddenConstraint if self.has_hidden() => {
                (vec![], vec![plain(Matrix::HiddenQ, Position), plain(Matrix::HiddenP, Momentum)])
            }
            Term::HiddenConstraint => {
                let by_q = [Matrix::CurvatureAlong, Matrix::ProductQ].map(|matrix| plain(matrix, Position));
                (by_q.into_iter().chain([plain(Matrix::ProductP, Momentum)]).collect(), vec![])
            }
            Term::Rate => (vec![plain(Matrix::Derivative, Position)], vec![]),
            Term::Gradient => (vec![plain(Matrix::Hessian, Position)], vec![]),
        };
        if self.has_hidden() {
            all.extend(of_hidden);
        }
        all
    }

    /// Where a matrix has entries; `None` if the equations have no such matrix.
    pub(super) fn pattern(&self, matrix: Matrix) -> Option<&Pattern> {
        match self {
            Shape::Field(jacobian) => (matrix == Matrix::Derivative).then_some(jacobian),
            Shape::Presymplectic(p) => match matrix {
                Matrix::WholeHessian => Some(&p.shape.hessian),
                Matrix::Hessian => Some(&p.rows.0),
                Matrix::KernelHessian => Some(&p.product.pattern),
                _ => None,
            },
            Shape::Canonical(parts) => parts.pattern(matrix),
        }
    }
}

impl CanonicalParts {
    fn pattern(&self, matrix: Matrix) -> Option<&Pattern> {
        let CanonicalParts { shape, hidden, products } = self;
        match matrix {
            Matrix::HiddenQ => hidden.as_ref().map(|h| &h.q),
            Matrix::HiddenP => hidden.as_ref().map(|h| &h.p),
            Matrix::HiddenQq => hidden.as_ref().map(|h| &h.qq),
            Matrix::HiddenQp => hidden.as_ref().map(|h| &h.qp),
            Matrix::HiddenPp => hidden.as_ref().map(|h| &h.pp),
            Matrix::Jacobian => Some(&shape.jacobian),
            Matrix::HessianQp => Some(&shape.hessian_qp),
            Matrix::HessianPp => Some(&shape.hessian_pp),
            Matrix::HessianQq => Some(&shape.hessian_qq),
            Matrix::Curvature => Some(&shape.curvature),
            Matrix::CurvatureAlong => Some(&shape.curvature_along),
            Matrix::ProductQ => products.as_ref().map(|(q, _, _)| &q.pattern),
            Matrix::ProductP => products.as_ref().map(|(_, p, _)| &p.pattern),
            _ => None,
        }
    }
}
