//! Stage equations in the form of derivatives: what Radau IIA and backward differentiation share.
//!
//! ```text
//! Σⱼ dᵢⱼ (Yⱼ − z) − ρ = h f(Yᵢ, Λᵢ),   g(Yᵢ) = 0,   z₁ = Y_s
//! ```
//!
//! for a vector field f(z), or for canonical equations with constraints,
//!
//! ```text
//! z = (q, p),   f = (H_p, −H_q − Gᵀλ),   g = φ(q) (index 3) or G(q) H_p(q, p) (index 2)
//! ```
//!
//! In this form only multiples of the identity couple the stages, and a multiplier occurs in its own stage alone, so
//! the matrix stays sparse for many stages.
//!
//! With constraints the unknowns are Qᵢ − q, h (Pᵢ − p) and h² Λᵢ: a multiplier moves momenta by h Λᵢ and positions by
//! h² Λᵢ, so in these the entries of a row do not depend on the step size and make pivots of one size.

use crate::coefficients::Coefficient;
use crate::stages::{Point, Row, Shape, StageEquations, Stages, Term, Unknown, Work};
use cotangent_dynamics::Index;
use cotangent_scalar::Scalar;

/// The equations, given the nodes c and, row by row, the coefficients d.
pub(crate) fn stage_equations(shape: &Shape, c: &[Coefficient], d: &[Coefficient]) -> StageEquations {
    let s = c.len();
    let constraint = shape.index().map(|index| match index {
        Index::Three => Term::Constraint,
        Index::Two => Term::HiddenConstraint,
    });
    let each = vectors(shape);
    let (mut unknowns, mut points, mut rows) = (vec![], vec![], vec![]);
    for i in 0..s {
        let left = |offset: usize| (0..s).map(|j| (j * each + offset, d[i * s + j])).collect();
        unknowns.push(Unknown::position(c[i]));
        match constraint {
            None => {
                points.push(Point { position: Some(i), ..Point::default() });
                rows.push(Row::derivative(Term::Rate, left(0), i));
            }
            Some(term) => {
                unknowns.extend([Unknown::momentum(c[i]).in_units(1), Unknown::multiplier().in_units(2)]);
                let [position, momentum, multiplier] = [0, 1, 2].map(|offset| Some(i * each + offset));
                points.push(Point { position, momentum, multiplier, ..Point::default() });
                rows.push(Row::derivative(Term::Velocity, left(0), i));
                rows.push(Row::derivative(Term::Force, left(1), i));
                rows.push(Row::Zero { term, point: i });
            }
        }
    }
    StageEquations { unknowns, points, rows }
}

/// The vectors of unknowns of a stage.
fn vectors(shape: &Shape) -> usize {
    if shape.index().is_some() { 3 } else { 1 }
}

/// out = Y_s − z.
pub(crate) fn increment<S: Scalar>(stages: &Stages, number: usize, work: &Work<S>, out: &mut [S]) {
    let last = (number - 1) * vectors(&stages.shape);
    match stages.shape.index() {
        None => work.vector(stages, last, out),
        Some(_) => {
            let (dq, dp) = out.split_at_mut(out.len() / 2);
            work.vector(stages, last, dq);
            work.vector(stages, last + 1, dp);
        }
    }
}
