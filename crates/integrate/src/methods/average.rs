//! The average vector field method with constraints: keeps the energy, whatever it is;
//! symmetric, order 2, constraints and hidden constraints at round-off.
//!
//! With ψ = G H_p the hidden constraints and F̄ = ∫ F(z(τ)) dτ the average along the step,
//! z(τ) = z + τ (z₁ − z), 0 ≤ τ ≤ 1, of the gradients of H, φ and ψ:
//!
//! ```text
//! q₁ = q + h (H̄_p + ψ̄_pᵀμ)
//! p₁ = p − h (H̄_q + Ḡᵀλ + ψ̄_qᵀμ),   φ(q₁) = 0,   ψ(q₁, p₁) = 0
//! ```
//!
//! *Energy.* The average of the gradient of F is a discrete gradient: F̄_z·(z₁ − z) = F(z₁) − F(z). The
//! step is z₁ − z = h J (H̄_z + φ̄_zᵀλ + ψ̄_zᵀμ) with J antisymmetric, so the product of z₁ − z with the
//! bracket is zero: H(z₁) − H(z) = −λ·(φ(q₁) − φ(q)) − μ·(ψ(z₁) − ψ(z)) = 0. With quadrature of s Gauss
//! points this holds to round-off where H, φ and ψ are polynomials of degree 2s, otherwise up to
//! O(h²ˢ⁺¹) in a step.
//!
//! *Multipliers.* φ(q₁) − φ(q) = Ḡ (q₁ − q) = 0 says Ḡ ψ̄_pᵀ μ = −Ḡ H̄_p. As ψ = 0 at both ends, ∫ G H_p dτ
//! is O(h²), and it differs from Ḡ H̄_p by O(h²): so μ = O(h²), with Q = G H_pp Gᵀ the matrix that
//! every method for these equations needs to be regular. In the same way ψ(z₁) = ψ(z) determines λ, with
//! the matrix −Q at h = 0. So near the start of a step there is one solution, a map of the
//! manifold φ = ψ = 0 into itself that depends on nothing else: no error off the manifold is carried on.
//!
//! *Order and symmetry.* Exchanging (z, h) and (z₁, −h) changes nothing, so the step is symmetric; without μ,
//! whose terms are O(h³) in a step, it is consistent. Hence order 2.
//!
//! Without μ and ψ(z₁) = 0, φ and H are kept as well, but ψ is carried on from step to step with
//! a sign that alternates: on curves whose curvature changes it grows exponentially.
//!
//! Newton's method solves for q₁ − q, p₁ − p, λ and μ together.
//!
//! O. Gonzalez, Comput. Methods Appl. Mech. Engrg. 174 (1999) 165 (discrete gradients with
//! constraints); R. I. McLachlan, G. R. W. Quispel & N. Robidoux, Phil. Trans. R. Soc. A 357 (1999)
//! 1021; G. R. W. Quispel & D. I. McLaren, J. Phys. A 41 (2008) 045206; the second multiplier as in
//! C. W. Gear, B. Leimkuhler & G. K. Gupta, J. Comput. Appl. Math. 12–13 (1985) 77.

use crate::card::{Card, Keeps, KeepsBracket, Needs};
use crate::coefficients::Gauss as Quadrature;
use crate::stages::{Evaluator, Input, Point, Row, Shape, StageEquations, Stages, Sum, Term, Unknown, Work};
use crate::vector::advanced;
use cotangent_dynamics::{CanonicalShape, Dynamics, Failure, HiddenShape, Machine, Plan, State, Stepper};
use cotangent_scalar::Scalar;
use cotangent_solve::PatternError;
use std::sync::Arc;

/// From so many points on the quadrature is exact to round-off at steps that resolve the motion.
const ENOUGH: usize = 4;

pub(crate) fn card(stages: usize) -> Card {
    Card {
        name: "average-vector-field",
        summary: "second order, symmetric, keeps the energy, with constraints at round-off",
        order: 2,
        symplectic: false,
        bracket: KeepsBracket::No,
        symmetric: true,
        constraints: Keeps::Yes,
        hidden_constraints: Keeps::Yes,
        quadratic_invariants: false,
        energy: stages >= ENOUGH,
        needs: Needs::Canonical,
        explicit: "never",
        scheme: &[
            "q₁ = q + h ∫ (H_p + ψ_pᵀμ) dτ at z(τ) = z + τ (z₁ − z),   0 ≤ τ ≤ 1",
            "p₁ = p − h ∫ (H_q + Gᵀλ + ψ_qᵀμ) dτ,   φ(q₁) = 0,   ψ(z₁) = 0,   ψ = G H_p",
        ],
        solution: "The integrals by Gauss quadrature of s points (`--stages S`, 6 unless said otherwise): the energy is kept exactly where H, φ and ψ are polynomials of degree 2s, otherwise up to O(h²ˢ⁺¹). Newton's method for q₁ − q, p₁ − p, λ and μ together; μ is O(h²). Averages of gradients are discrete gradients: H(z₁) − H(z) = −λ·(φ(q₁) − φ(q)) − μ·(ψ(z₁) − ψ(z)) = 0. With brackets z₁ = z + h B((z + z₁)/2) ∫ ∇H dτ, and quadratic Casimirs are kept as well.",
        reference: "O. Gonzalez, Comput. Methods Appl. Mech. Engrg. 174 (1999) 165; G. R. W. Quispel & D. I. McLaren, J. Phys. A 41 (2008) 045206; with brackets D. Cohen & E. Hairer, BIT 51 (2011) 91",
    }
}

/// q₁ − q, p₁ − p, λ, and with hidden constraints μ.
const POSITION: usize = 0;
const MOMENTUM: usize = 1;
const MULTIPLIER: usize = 2;
const HIDDEN_MULTIPLIER: usize = 3;

/// The equations: the quadrature has its points at parts of the increments, and z₁ is one more.
fn stage_equations(quadrature: &Quadrature, hidden: bool) -> StageEquations {
    let s = quadrature.stages();
    let z1 = Point { position: Some(POSITION), momentum: Some(MOMENTUM), ..Point::default() };
    let point = |i: usize| Point {
        multiplier: Some(MULTIPLIER),
        hidden_multiplier: hidden.then_some(HIDDEN_MULTIPLIER),
        part: Some(quadrature.c(i)),
        weight: Some(quadrature.b(i)),
        ..z1
    };
    let mean = || (0..s).map(|i| (i, 1.0.into())).collect();
    let mut equations = StageEquations {
        unknowns: vec![Unknown::position(1.0), Unknown::momentum(1.0), Unknown::multiplier()],
        points: (0..s).map(point).chain([z1]).collect(),
        rows: vec![
            Row::weighted(Term::Velocity, POSITION, mean(), Sum::OneByOne),
            Row::weighted(Term::Force, MOMENTUM, mean(), Sum::OneByOne),
            Row::Zero { term: Term::Constraint, point: s },
        ],
    };
    if hidden {
        equations.unknowns.push(Unknown::hidden_multiplier());
        equations.rows.push(Row::Zero { term: Term::HiddenConstraint, point: s });
    }
    equations
}

/// The method, planned.
#[derive(Clone, Debug)]
pub(crate) struct AverageVectorField {
    coordinates: usize,
    stages: Stages,
}

impl AverageVectorField {
    /// For equations with constraints the shape of the hidden ones is needed.
    pub(crate) fn new(
        shape: &CanonicalShape,
        hidden: Option<&HiddenShape>,
        points: usize,
        plan: &mut Plan,
    ) -> Result<Arc<AverageVectorField>, PatternError> {
        let declared = stage_equations(&Quadrature::new(points), hidden.is_some());
        let stages = Stages::new(declared, Shape::canonical(shape, hidden)?, plan)?;
        Ok(Arc::new(AverageVectorField { coordinates: shape.coordinates, stages }))
    }

    pub(crate) fn stepper<'s, S: Scalar + 's>(
        self: &Arc<Self>,
        system: &dyn Dynamics<'s, S>,
    ) -> Result<Box<dyn Stepper<S> + 's>, Failure> {
        let evaluator = Evaluator::new(&self.stages.shape, system)?;
        Ok(Box::new(AverageStepper { evaluator, work: self.stages.work(), method: self.clone() }))
    }
}

struct AverageStepper<'s, S> {
    method: Arc<AverageVectorField>,
    evaluator: Evaluator<'s, S>,
    work: Work<S>,
}

impl<S: Scalar> Stepper<S> for AverageStepper<'_, S> {
    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let AverageStepper { method, evaluator, work } = self;
        work.solve(&method.stages, machine, evaluator, (h, Input::none()), from)?;
        let ((q, p), (to_q, to_p)) = (from.halves(method.coordinates), to.halves_mut(method.coordinates));
        advanced(q, work.unknown(&method.stages, POSITION), to_q);
        advanced(p, work.unknown(&method.stages, MOMENTUM), to_p);
        Ok(())
    }
}
