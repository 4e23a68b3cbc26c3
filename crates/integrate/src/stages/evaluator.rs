//! Equations of motion that terms are evaluated from, in one arithmetic.

use super::shape::{CanonicalParts, PresymplecticParts, Shape};
use super::terms::{Matrix, Term, Variable};
use crate::bracket::field_of;
use crate::vector::{add_transposed_times, gathered, times, zeros};
use cotangent_dynamics::{Canonical, Dynamics, Failure, Field, Hidden, Misuse, Presymplectic};
use cotangent_scalar::Scalar;
use cotangent_solve::Pattern;

/// The variables of a point; multipliers may be absent.
#[derive(Clone, Copy)]
pub(crate) struct At<'a, S> {
    pub(super) q: &'a [S],
    pub(super) p: &'a [S],
    pub(super) lambda: &'a [S],
    pub(super) mu: &'a [S],
}

/// Equations of motion with the matrices of the point that was looked at last.
pub(crate) struct Evaluator<'s, S> {
    system: Side<'s, S>,
    /// By [`Matrix`].
    matrices: Vec<Vec<S>>,
    /// A velocity or a gradient.
    vector: Vec<S>,
    /// H_pq.
    transposed: Vec<S>,
}

/// The side of the system that the stages are made of.
enum Side<'s, S> {
    Canonical {
        parts: Box<CanonicalParts>,
        system: Box<dyn Canonical<S> + 's>,
        hidden: Option<Box<dyn Hidden<S> + 's>>,
    },
    Field(Box<dyn Field<S> + 's>),
    Presymplectic(Box<Form<'s, S>>),
}

struct Form<'s, S> {
    parts: Box<PresymplecticParts>,
    system: Box<dyn Presymplectic<S> + 's>,
    /// The independent rows of J.
    form: Vec<S>,
    /// Nᵀ.
    kernel: Vec<S>,
}

fn missing() -> Failure {
    Misuse::OtherSystem.into()
}

impl<'s, S: Scalar + 's> Evaluator<'s, S> {
    /// The side of a system that has this shape.
    pub(crate) fn new(shape: &Shape, system: &dyn Dynamics<'s, S>) -> Result<Evaluator<'s, S>, Failure> {
        let side = match shape {
            Shape::Canonical(parts) => {
                let hidden = match shape.has_hidden() {
                    true => Some(system.hidden()?.ok_or_else(missing)?),
                    false => None,
                };
                let system = system.canonical()?.ok_or_else(missing)?;
                Side::Canonical { parts: parts.clone(), system, hidden }
            }
            Shape::Field(_) => Side::Field(field_of(system)?.ok_or_else(missing)?),
            Shape::Presymplectic(parts) => {
                let mut system = system.presymplectic()?.ok_or_else(missing)?;
                let mut form = zeros(parts.shape.form.len());
                system.form(&mut form)?;
                let (form, kernel) = parts.kernel.values(&form);
                Side::Presymplectic(Box::new(Form { parts: parts.clone(), system, form, kernel }))
            }
        };
        let len = |matrix: Matrix| shape.pattern(matrix).map_or(0, |pattern| pattern.len());
        Ok(Evaluator {
            system: side,
            matrices: Matrix::ALL.into_iter().map(|matrix| zeros(len(matrix))).collect(),
            vector: zeros(shape.len(Variable::Position)),
            transposed: zeros(len(Matrix::HessianQp)),
        })
    }
}

impl<S: Scalar> Evaluator<'_, S> {
    /// The canonical equations, if they are such.
    pub(crate) fn canonical(&mut self) -> Result<&mut (dyn Canonical<S> + '_), Failure> {
        match &mut self.system {
            Side::Canonical { system, .. } => Ok(system.as_mut()),
            _ => Err(missing()),
        }
    }

    pub(super) fn matrix(&self, matrix: Matrix) -> &[S] {
        &self.matrices[matrix as usize]
    }

    pub(super) fn matrix_mut(&mut self, matrix: Matrix) -> &mut [S] {
        &mut self.matrices[matrix as usize]
    }

    /// The matrix J in its independent rows, where the equations have one.
    pub(super) fn form(&self) -> Option<(&Pattern, &[S])> {
        match &self.system {
            Side::Presymplectic(form) => Some((form.parts.kernel.form(), &form.form)),
            _ => None,
        }
    }

    /// A term at a point; the matrices it needs are evaluated there already.
    pub(super) fn term(&mut self, term: Term, at: At<'_, S>, out: &mut [S]) -> Result<(), Failure> {
        let Evaluator { system, matrices, vector, .. } = self;
        let matrix = |matrix: Matrix| &matrices[matrix as usize];
        let At { q, p, lambda, mu } = at;
        match (system, term) {
            (Side::Canonical { parts, system, .. }, Term::Velocity) => {
                system.hamiltonian_p(q, p, out)?;
                if let (Some(hidden), false) = (&parts.hidden, mu.is_empty()) {
                    add_transposed_times(&hidden.p, matrix(Matrix::HiddenP), mu, out);
                }
            }
            (Side::Canonical { parts, system, .. }, Term::Force) => {
                system.hamiltonian_q(q, p, out)?;
                add_transposed_times(&parts.shape.jacobian, matrix(Matrix::Jacobian), lambda, out);
                if let (Some(hidden), false) = (&parts.hidden, mu.is_empty()) {
                    add_transposed_times(&hidden.q, matrix(Matrix::HiddenQ), mu, out);
                }
            }
            (Side::Canonical { system, .. }, Term::Constraint) => system.constraints(q, out)?,
            (Side::Canonical { parts, system, .. }, Term::HiddenConstraint) => {
                system.hamiltonian_p(q, p, vector)?;
                times(&parts.shape.jacobian, matrix(Matrix::Jacobian), vector, out);
            }
            (Side::Field(field), Term::Rate) => field.rate(q, out)?,
            (Side::Presymplectic(form), Term::Gradient) => {
                form.system.gradient(q, out)?;
                let dependent = out.iter_mut().enumerate().filter(|(i, _)| form.parts.kernel.is_dependent(*i));
                dependent.for_each(|(_, x)| *x = S::from_f64(0.0));
            }
            _ => return Err(missing()),
        }
        Ok(())
    }

    /// ∇H projected onto ker J, in the rows of J that depend on the others; zero elsewhere.
    pub(super) fn kernel(&mut self, at: At<'_, S>, out: &mut [S]) -> Result<(), Failure> {
        let Side::Presymplectic(form) = &mut self.system else { return Err(missing()) };
        form.system.gradient(at.q, &mut self.vector)?;
        times(form.parts.kernel.pattern(), &form.kernel, &self.vector, out);
        Ok(())
    }

    /// Evaluates a matrix at a point; those it needs are evaluated there already.
    pub(super) fn differentiate(&mut self, matrix: Matrix, at: At<'_, S>) -> Result<(), Failure> {
        let Evaluator { system, matrices, vector, transposed } = self;
        let At { q, p, lambda, mu } = at;
        let own = matrix as usize;
        match system {
            Side::Field(field) => field.jacobian(q, &mut matrices[own]),
            Side::Presymplectic(form) => {
                if matrix == Matrix::WholeHessian {
                    return form.system.hessian(q, &mut matrices[own]);
                }
                let [hessian, out] = several(matrices, [Matrix::WholeHessian, matrix])?;
                match matrix {
                    Matrix::KernelHessian => form.parts.product.evaluate(&form.kernel, hessian, out),
                    _ => gathered(hessian, &form.parts.rows.1, out),
                }
                Ok(())
            }
            Side::Canonical { parts, system, hidden } => match matrix {
                Matrix::Jacobian => system.jacobian(q, &mut matrices[own]),
                Matrix::HessianQp => system.hessian_qp(q, p, &mut matrices[own]),
                Matrix::HessianPp => system.hessian_pp(q, p, &mut matrices[own]),
                Matrix::HessianQq => system.hessian_qq(q, p, &mut matrices[own]),
                Matrix::Curvature => system.curvature(q, lambda, &mut matrices[own]),
                Matrix::CurvatureAlong => {
                    system.hamiltonian_p(q, p, vector)?;
                    system.curvature_along(q, vector, &mut matrices[own])
                }
                Matrix::HiddenQ => {
                    let out = several(matrices, [Matrix::HiddenQ, Matrix::HiddenP])?;
                    hidden.as_mut().ok_or_else(missing)?.jacobians(q, p, out.map(|m| &mut m[..]))
                }
                Matrix::HiddenQq => {
                    let out = several(matrices, [Matrix::HiddenQq, Matrix::HiddenQp, Matrix::HiddenPp])?;
                    hidden.as_mut().ok_or_else(missing)?.curvature(q, p, mu, out.map(|m| &mut m[..]))
                }
                // With the one before.
                Matrix::HiddenP | Matrix::HiddenQp | Matrix::HiddenPp => Ok(()),
                Matrix::ProductQ | Matrix::ProductP => {
                    let (by_q, by_p, origin) = parts.products.as_ref().ok_or_else(missing)?;
                    if matrix == Matrix::ProductP {
                        let [g, pp, out] = several(matrices, [Matrix::Jacobian, Matrix::HessianPp, matrix])?;
                        by_p.evaluate(g, pp, out);
                    } else {
                        let [g, qp, out] = several(matrices, [Matrix::Jacobian, Matrix::HessianQp, matrix])?;
                        gathered(qp, origin, transposed);
                        by_q.evaluate(g, transposed, out);
                    }
                    Ok(())
                }
                Matrix::Derivative | Matrix::WholeHessian | Matrix::Hessian | Matrix::KernelHessian => Err(missing()),
            },
        }
    }
}

/// Several matrices at once.
fn several<S, const N: usize>(matrices: &mut [Vec<S>], which: [Matrix; N]) -> Result<[&mut Vec<S>; N], Failure> {
    matrices.get_disjoint_mut(which.map(|matrix| matrix as usize)).map_err(|_| missing())
}
