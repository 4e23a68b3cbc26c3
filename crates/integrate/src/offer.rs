//! What equations of motion offer to methods, and who can use it: a table, for which nothing is derived or compiled.

use crate::bracket::field_of;
use crate::card::{Keeps, Needs};
use crate::method::{Inner, MAX_STAGES, Method};
use crate::projection::Target;
use crate::recipe::Recipe;
use crate::refusal::Refusal;
use crate::stage_solver::StageSolver;
use cotangent_dynamics::{Dynamics, Failure, Index};

/// What equations of motion offer to methods.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offer {
    /// Whether they are ż = B(z)∇H.
    pub bracket: bool,
    /// Whether that B is linear in z, or affine.
    pub linear: bool,
    /// Whether it is that of a product of spheres.
    pub spheres: bool,
    /// Whether it is that of matrices.
    pub matrices: bool,
    /// The index of canonical equations, whose multipliers are unknown; `None` if they are others.
    pub canonical: Option<Index>,
    /// Whether they are ordinary differential equations.
    pub field: bool,
    /// Whether they are J ż = ∇H with a constant J.
    pub presymplectic: bool,
    /// Whether there are parts of an energy.
    pub split: bool,
    /// Whether there are constraints of a bracket, which may be held by the flows that they generate.
    pub restrained: bool,
    /// Whether there are constraints on the positions.
    pub constrained: bool,
    /// Whether they are integrated in charts.
    pub chart: bool,
    /// Whether there are constraints that an analysis found.
    pub surface: bool,
}

impl Offer {
    /// What a system offers.
    pub fn of(system: &dyn Dynamics<'_, f64>) -> Result<Offer, Failure> {
        let field = field_of(system)?.is_some();
        let bracket = system.bracket();
        Ok(Offer {
            bracket: bracket.is_some(),
            linear: bracket.as_ref().is_some_and(|b| b.linear),
            spheres: bracket.as_ref().is_some_and(|b| !b.spheres.is_empty()),
            matrices: bracket.is_some_and(|b| !b.matrices.is_empty()),
            canonical: system.canonical()?.map(|c| c.shape().index),
            field,
            // Equations with a regular J are a field as well.
            presymplectic: !field && system.presymplectic()?.is_some(),
            split: system.has_split(),
            restrained: system.is_restrained(),
            constrained: system.manifold()?.is_some_and(|m| m.shape().constraints > 0),
            chart: system.chart()?.is_some(),
            surface: system.surface()?.is_some(),
        })
    }

    /// Why a recipe does not fit, if so. Which charts exist is not looked at.
    pub fn admits(&self, recipe: &Recipe) -> Result<(), Refusal> {
        let method = recipe.method;
        let card = method.card();
        let momenta_lag = self.constrained && card.constraints == Keeps::Yes && card.hidden_constraints == Keeps::No;
        if recipe.composition.is_some() && (!card.symmetric || momenta_lag) {
            return Err(Refusal::NotComposable { method });
        }
        match (card.needs, self.canonical) {
            (Needs::Unconstrained, Some(_)) if self.constrained => return Err(Refusal::IgnoresConstraints { method }),
            (Needs::Canonical, Some(Index::Two)) => return Err(Refusal::IndexTwo { method }),
            (Needs::Split, _) if !self.split => return Err(Refusal::NoSplit { method }),
            (Needs::Linear, _) if !self.linear => return Err(Refusal::NotLinear { method }),
            (Needs::Spheres, _) if !self.spheres => return Err(Refusal::NoSpheres { method }),
            (Needs::Matrices, _) if !self.matrices => return Err(Refusal::NoMatrices { method }),
            (Needs::Canonical, None) if self.bracket && matches!(method, Method::AverageVectorField { .. }) => {}
            (Needs::Canonical, None) if self.restrains(method) => {
                if let Method::Reich { inner: Inner::SymplecticEuler | Inner::StormerVerlet } = method {
                    return Err(Refusal::InnerNotCanonical { method });
                }
            }
            (Needs::Unconstrained | Needs::Canonical, None) => return Err(Refusal::NotCanonical { method }),
            _ => {}
        }
        let with_form = matches!(method, Method::ImplicitMidpoint | Method::Gauss { .. });
        let knows_multipliers = matches!(card.needs, Needs::Unconstrained | Needs::Canonical)
            || self.holds_constraints(method)
            || self.presymplectic && with_form
            || card.needs == Needs::Split;
        if !self.field && !knows_multipliers {
            return Err(Refusal::UnknownMultipliers { method });
        }
        admits_parameters(method)?;
        match (recipe.stage_solver, method.is_iterated()) {
            (Some(_), None) => return Err(Refusal::NoStageSolver { method }),
            (Some(StageSolver::FixedPoint), Some(iterated)) if !iterated || self.presymplectic && !self.field => {
                return Err(Refusal::NotIterated { method });
            }
            _ => {}
        }
        if let (Method::Reich { inner }, false) = (method, self.constrained || self.restrained) {
            return Err(Refusal::NoConstraints { method, instead: inner.method() });
        }
        if let Method::Reich { inner: inner @ (Inner::SplittingLie | Inner::SplittingStrang) } = method
            && !self.restrained
        {
            return Err(Refusal::NoSplit { method: inner.method() });
        }
        if !self.chart && !recipe.charts.is_empty() {
            return Err(Refusal::NoCharts);
        }
        match recipe.projection {
            Some(p) if p.target == Target::Symmetric && self.holds_constraints(method) && !card.symmetric => {
                Err(Refusal::SymmetricProjection { method })
            }
            Some(p) if !self.constrained && self.surface && p.target != Target::Both => {
                Err(Refusal::NotSeparately { target: p.target })
            }
            Some(_) if !self.constrained && !self.surface => Err(Refusal::NothingToProjectOn),
            _ => Ok(()),
        }
    }

    /// Whether a method holds the constraints of a bracket by the flows that they generate.
    fn restrains(&self, method: Method) -> bool {
        self.restrained && matches!(method, Method::Reich { .. })
    }

    /// Whether a method solves for the multipliers itself.
    fn holds_constraints(&self, method: Method) -> bool {
        !matches!(method.card().needs, Needs::Field | Needs::Split | Needs::Linear | Needs::Spheres | Needs::Matrices)
            && self.canonical.is_some()
            && self.constrained
    }
}

/// Whether the stages and the tolerance of a method are possible.
fn admits_parameters(method: Method) -> Result<(), Refusal> {
    let least = if matches!(method, Method::Lobatto3A3B { .. }) { 2 } else { 1 };
    if let Some(stages) = method.stages().filter(|s| !(least..=MAX_STAGES).contains(s)) {
        return Err(Refusal::Stages { stages, least });
    }
    match method {
        Method::Dopri5 { tolerance: Some(tolerance) } | Method::Dop853 { tolerance: Some(tolerance) }
            if !(tolerance > 0.0 && tolerance < 1.0) =>
        {
            Err(Refusal::Tolerance { tolerance })
        }
        _ => Ok(()),
    }
}
