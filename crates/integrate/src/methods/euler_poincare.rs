//! The discrete Euler–Poincaré equations of a bracket that is linear in the variables, in Hamiltonian form: a Poisson map
//! that keeps every Casimir, for any energy.
//!
//! For a fixed ξ, ẏ = B(y)ξ is linear: its flow is that of the energy ξ·y, a coadjoint motion. With A = h B(·)ξ,
//!
//! ```text
//! ȳ = ∫₀¹ e^(sA) y ds = y + A y/2! + A²y/3! + …,   ξ = ∇H(ȳ)
//! y₁ = e^A y = y + h B(ȳ)∇H(ȳ)
//! ```
//!
//! y₁ lies on the coadjoint orbit of y, so that Casimirs stay what they are. ȳ = dexp*·y is the momentum of the discrete
//! Hamilton–Pontryagin principle on the group, with g₁ = g exp(hξ): y₁ follows from y by a variational principle, and the
//! step is a Poisson map. It is symmetric, of order 2. A constant part of B is the cocycle of a central extension.
//!
//! N. Bou-Rabee & J. E. Marsden, Found. Comput. Math. 9 (2009) 197; J. E. Marsden, S. Pekarsky & S. Shkoller, Nonlinearity
//! 12 (1999) 1647.

use crate::card::{Card, Keeps, KeepsBracket, Needs};
use crate::vector::{add, advanced, moved, scaled, times, zeros};
use cotangent_dynamics::{Failure, Kind, Machine, Plan, Poisson, PoissonShape, Site, State, Stepper};
use cotangent_scalar::Scalar;
use cotangent_solve::PatternError;
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "discrete-euler-poincare",
    summary: "a variational method for Lie–Poisson systems: a Poisson map that keeps every Casimir, second order, symmetric",
    order: 2,
    symplectic: false,
    bracket: KeepsBracket::Any,
    symmetric: true,
    constraints: Keeps::ByEquations,
    hidden_constraints: Keeps::ByEquations,
    quadratic_invariants: false,
    energy: false,
    needs: Needs::Linear,
    explicit: "never",
    scheme: &["ȳ = ∫₀¹ e^(sA) y ds,   A = h B(·)ξ,   ξ = ∇H(ȳ)", "y₁ = e^A y = y + h B(ȳ)∇H(ȳ)"],
    solution: "For brackets that are linear (or affine) in the variables: so(3), e(3), any Lie algebra, and any energy. ȳ \
        by fixed-point iteration, e^(sA) by its series, which is long enough for steps that turn by two radians at most; \
        a step that turns by more fails. y₁ lies on the coadjoint orbit of y.",
    reference: "N. Bou-Rabee & J. E. Marsden, Found. Comput. Math. 9 (2009) 197; J. E. Marsden, S. Pekarsky & S. Shkoller, \
        Nonlinearity 12 (1999) 1647",
};

/// Terms of the series: 2³²/33! is below the rounding of double-double numbers.
const TERMS: usize = 32;

/// The method, planned.
#[derive(Clone, Debug)]
pub(crate) struct EulerPoincare {
    shape: PoissonShape,
    site: Site,
}

impl EulerPoincare {
    pub(crate) fn new(shape: &PoissonShape, plan: &mut Plan) -> Result<Arc<EulerPoincare>, PatternError> {
        let site = plan.fixed_point(vec![(Kind::State, shape.tensor.rows())]);
        Ok(Arc::new(EulerPoincare { shape: shape.clone(), site }))
    }

    pub(crate) fn stepper<'s, S: Scalar + 's>(
        self: &Arc<Self>,
        system: Box<dyn Poisson<S> + 's>,
    ) -> Box<dyn Stepper<S> + 's> {
        let n = self.shape.tensor.rows();
        Box::new(EulerPoincareStepper {
            average: zeros(n),
            pass: Pass {
                system,
                gradient: zeros(n),
                tensor: zeros(self.shape.tensor.len()),
                matrix: zeros(self.shape.tensor_along.len()),
                term: zeros(n),
                product: zeros(n),
                sum: zeros(n),
            },
            method: self.clone(),
        })
    }
}

struct EulerPoincareStepper<'s, S> {
    method: Arc<EulerPoincare>,
    /// ȳ.
    average: Vec<S>,
    pass: Pass<'s, S>,
}

struct Pass<'s, S> {
    system: Box<dyn Poisson<S> + 's>,
    gradient: Vec<S>,
    tensor: Vec<S>,
    matrix: Vec<S>,
    term: Vec<S>,
    product: Vec<S>,
    sum: Vec<S>,
}

impl<S: Scalar> Stepper<S> for EulerPoincareStepper<'_, S> {
    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let EulerPoincareStepper { method, average, pass } = self;
        average.copy_from_slice(&from.values);
        let start = (&from.values[..], &from.carry[..]);
        machine.fixed_point(method.site, average, &mut |_, y, next| {
            pass.along(&method.shape, h, y, &from.values)?;
            moved(start, &pass.sum, next);
            Ok(())
        })?;
        pass.along(&method.shape, h, average, &from.values)?;
        // What the series leaves out must be rounding: turns of a step by more are not resolved.
        let size = from.values.iter().fold(S::from_f64(0.0), |sum, &y| sum + y * y).sqrt();
        pass.product.fill(size);
        machine.require(Kind::State, &pass.term, &pass.product)?;
        pass.system.tensor(average, &mut pass.tensor)?;
        times(&method.shape.tensor, &pass.tensor, &pass.gradient, &mut pass.product);
        scaled(h, &pass.product, &mut pass.term);
        to.memory.copy_from_slice(&from.memory);
        advanced(start, &pass.term, (&mut to.values, &mut to.carry));
        Ok(())
    }
}

impl<S: Scalar> Pass<'_, S> {
    /// ∫₀¹ e^(sA) y ds − y for ξ = ∇H at a guess of ȳ, the last term of its series, and ξ.
    fn along(&mut self, shape: &PoissonShape, h: S, guess: &[S], y: &[S]) -> Result<(), Failure> {
        let Pass { system, gradient, tensor, matrix, term, product, sum } = self;
        system.gradient(guess, gradient)?;
        // The matrix of y ↦ B(y)ξ, the same everywhere; a constant part of B acts on y alone.
        system.tensor_along(y, gradient, matrix)?;
        system.tensor(y, tensor)?;
        times(&shape.tensor, tensor, gradient, product);
        scaled(h * S::from_f64(0.5), product, term);
        sum.copy_from_slice(term);
        for k in 1..TERMS {
            times(&shape.tensor_along, matrix, term, product);
            scaled(h / S::from_f64((k + 2) as f64), product, term);
            add(sum, term);
        }
        Ok(())
    }
}
