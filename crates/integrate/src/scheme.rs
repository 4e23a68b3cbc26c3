//! The planned method, one variant for each family: what its steps need besides the system.

use crate::bracket::field_of;
use crate::card::Needs;
use crate::free::{Free, free_field, free_shape};
use crate::method::Method;
use crate::methods::average::AverageVectorField;
use crate::methods::average_bracket::AverageBracket;
use crate::methods::bdf2::BackwardDifferentiation;
use crate::methods::embedded::{EmbeddedMethod, Pair};
use crate::methods::euler_poincare::EulerPoincare;
use crate::methods::gauss::GaussCollocation;
use crate::methods::isospectral::Isospectral;
use crate::methods::lobatto::LobattoPair;
use crate::methods::radau::RadauCollocation;
use crate::methods::rattle::{Last, Rattle};
use crate::methods::reich::ReichSplitting;
use crate::methods::restrained::ReichPoisson;
use crate::methods::spherical::SphericalMidpoint;
use crate::methods::symplectic_euler::{First, SymplecticEuler};
use crate::methods::{rk4, splitting};
use crate::refusal::Refusal;
use crate::stage_solver::StageSolver;
use crate::stages::Shape;
use cotangent_dynamics::{CanonicalShape, Dynamics, Failure, HiddenShape, MemoryLayout, Misuse, Plan, Stepper};
use cotangent_scalar::Scalar;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(crate) enum Scheme {
    SymplecticEuler(Arc<SymplecticEuler>),
    Rattle(Arc<Rattle>),
    Lobatto(Arc<LobattoPair>),
    Reich(Arc<ReichSplitting>, Box<Scheme>),
    Restrained(Arc<ReichPoisson>, Box<Scheme>),
    Gauss(Arc<GaussCollocation>),
    Average(Arc<AverageVectorField>),
    AverageBracket(Arc<AverageBracket>),
    Splitting(splitting::Order),
    EulerPoincare(Arc<EulerPoincare>),
    Spherical(Arc<SphericalMidpoint>),
    Isospectral(Arc<Isospectral>),
    Rk4,
    Embedded(Arc<EmbeddedMethod>),
    Bdf2(Arc<BackwardDifferentiation>),
    Radau(Arc<RadauCollocation>),
}

/// The sides of a system that a method can be planned for.
pub(crate) struct Sides<'a> {
    pub(crate) canonical: Option<&'a CanonicalShape>,
    pub(crate) hidden: &'a dyn Fn() -> Result<Option<HiddenShape>, Failure>,
    /// The equations without unknown multipliers; asked for by implicit methods only.
    pub(crate) free: &'a mut dyn FnMut() -> Result<Shape, Refusal>,
    /// The lengths of the groups of variables that have a size in common.
    pub(crate) groups: &'a [usize],
    pub(crate) solver: Option<StageSolver>,
    /// Whether steps of different sizes follow each other.
    pub(crate) composed: bool,
}

impl Scheme {
    pub(crate) fn new(method: Method, sides: Sides<'_>, plan: &mut Plan) -> Result<Scheme, Refusal> {
        let Sides { canonical, hidden, free, groups, solver, composed } = sides;
        Ok(match (method, canonical) {
            (Method::SymplecticEuler, Some(shape)) => {
                Scheme::SymplecticEuler(SymplecticEuler::new(shape, First::Momenta, plan)?)
            }
            (Method::HamiltonPontryagin, Some(shape)) => {
                Scheme::SymplecticEuler(SymplecticEuler::new(shape, First::Positions, plan)?)
            }
            (Method::StormerVerlet | Method::Rattle, Some(shape)) => {
                Scheme::Rattle(Rattle::new(shape, Last::Hidden, composed, plan)?)
            }
            (Method::Shake, Some(shape)) => Scheme::Rattle(Rattle::new(shape, Last::Reused, composed, plan)?),
            (Method::Lobatto3A3B { stages }, Some(shape)) => {
                Scheme::Lobatto(LobattoPair::new(shape, stages, solver, plan)?)
            }
            (Method::Reich { inner }, Some(shape)) => {
                let without = free_shape(shape)?;
                let field = free_field(shape)?.0.pattern;
                let free = &mut || Ok(Shape::Field(field.clone()));
                let sides = Sides { canonical: Some(&without), hidden, free, groups, solver, composed };
                let inner = Scheme::new(inner.method(), sides, plan)?;
                Scheme::Reich(ReichSplitting::new(shape, plan)?, Box::new(inner))
            }
            (Method::ImplicitMidpoint, _) => Scheme::Gauss(GaussCollocation::new(free()?, 1, solver, plan)?),
            (Method::Gauss { stages }, _) => Scheme::Gauss(GaussCollocation::new(free()?, stages, solver, plan)?),
            (Method::AverageVectorField { stages }, Some(shape)) => {
                let missing = || Failure::from(Misuse::NoHiddenConstraints);
                let hidden = if shape.constraints == 0 { None } else { Some(hidden()?.ok_or_else(missing)?) };
                Scheme::Average(AverageVectorField::new(shape, hidden.as_ref(), stages, plan)?)
            }
            (Method::SplittingLie, _) => Scheme::Splitting(splitting::Order::Lie),
            (Method::SplittingStrang, _) => Scheme::Splitting(splitting::Order::Strang),
            (Method::Rk4, _) => Scheme::Rk4,
            (Method::Dopri5 { tolerance }, _) => Scheme::Embedded(EmbeddedMethod::new(Pair::Dopri5, tolerance, groups)),
            (Method::Dop853 { tolerance }, _) => Scheme::Embedded(EmbeddedMethod::new(Pair::Dop853, tolerance, groups)),
            (Method::Bdf2 | Method::Radau2A { .. }, _) => {
                let shape = match canonical {
                    Some(shape) => Shape::canonical(shape, None)?,
                    None => free()?,
                };
                match method {
                    Method::Radau2A { stages } => Scheme::Radau(RadauCollocation::new(shape, stages, plan)?),
                    _ => Scheme::Bdf2(BackwardDifferentiation::new(shape, plan)?),
                }
            }
            (method, _) => return Err(Refusal::NotCanonical { method }),
        })
    }

    /// A method that asks for a bracket.
    pub(crate) fn of_bracket(
        method: Method,
        system: &dyn Dynamics<'_, f64>,
        plan: &mut Plan,
    ) -> Result<Scheme, Refusal> {
        let missing = || Failure::from(Misuse::OtherSystem);
        let shape = || Ok::<_, Failure>(system.poisson()?.ok_or_else(missing)?.shape().clone());
        Ok(match method {
            Method::AverageVectorField { stages } => {
                Scheme::AverageBracket(AverageBracket::new(&shape()?, stages, plan)?)
            }
            Method::SphericalMidpoint => {
                let jacobian = field_of(system)?.ok_or_else(missing)?.jacobian_pattern()?;
                let spheres = system.bracket().unwrap_or_default().spheres;
                Scheme::Spherical(SphericalMidpoint::new(&jacobian, &spheres, plan)?)
            }
            Method::IsospectralMidpoint | Method::IsospectralGauss { .. } => {
                let matrices = system.bracket().unwrap_or_default().matrices;
                Scheme::Isospectral(Isospectral::new(matrices, method.stages().unwrap_or(1), plan))
            }
            _ => Scheme::EulerPoincare(EulerPoincare::new(&shape()?, plan)?),
        })
    }

    /// Reich's method where the constraints are held by the flows that they generate.
    pub(crate) fn restrained(
        (inner, solver): (Method, Option<StageSolver>),
        system: &dyn Dynamics<'_, f64>,
        plan: &mut Plan,
    ) -> Result<Scheme, Refusal> {
        let missing = || Failure::from(Misuse::OtherSystem);
        let free = system.unrestrained()?.ok_or_else(missing)?;
        let shape = system.restrained()?.ok_or_else(missing)?.shape().clone();
        match inner.card().needs == Needs::Split {
            true => drop(free.split()?),
            false if !shape.pairs_quadratic => return Err(Refusal::InnerLeavesPairs { inner }),
            false => {}
        }
        let mut field = field_of(&*free)?.ok_or_else(missing)?;
        let groups = [shape.dimension];
        let free = &mut || Ok(Shape::Field(field.jacobian_pattern()?));
        let hidden = &|| Ok(None);
        let sides = Sides { canonical: None, hidden, free, groups: &groups, solver, composed: false };
        let inner = Scheme::new(inner, sides, plan)?;
        Ok(Scheme::Restrained(ReichPoisson::new(&shape, plan), Box::new(inner)))
    }

    pub(crate) fn stepper<'s, S: Scalar + 's>(
        &self,
        system: &dyn Dynamics<'s, S>,
    ) -> Result<Box<dyn Stepper<S> + 's>, Failure> {
        let missing = || Failure::from(Misuse::OtherSystem);
        let canonical = || system.canonical()?.ok_or_else(missing);
        let field = || field_of(system)?.ok_or_else(missing);
        Ok(match self {
            Scheme::SymplecticEuler(method) => method.stepper(canonical()?),
            Scheme::Rattle(method) => method.stepper(system)?,
            Scheme::Lobatto(method) => method.stepper(system)?,
            Scheme::Reich(method, inner) => method.stepper(inner.stepper(&Free(system))?, canonical()?),
            Scheme::Restrained(method, inner) => {
                let free = system.unrestrained()?.ok_or_else(missing)?;
                method.stepper(inner.stepper(&*free)?, system.restrained()?.ok_or_else(missing)?)
            }
            Scheme::Gauss(method) => method.stepper(system)?,
            Scheme::Average(method) => method.stepper(system)?,
            Scheme::AverageBracket(method) => method.stepper(system.poisson()?.ok_or_else(missing)?),
            Scheme::EulerPoincare(method) => method.stepper(system.poisson()?.ok_or_else(missing)?),
            Scheme::Isospectral(method) => method.stepper(system.poisson()?.ok_or_else(missing)?),
            Scheme::Spherical(method) => method.stepper(field()?)?,
            Scheme::Splitting(order) => splitting::stepper(*order, system.split()?.ok_or_else(missing)?),
            Scheme::Rk4 => rk4::stepper(field()?),
            Scheme::Embedded(method) => method.stepper(field()?),
            Scheme::Bdf2(method) => method.stepper(system)?,
            Scheme::Radau(method) => method.stepper(system)?,
        })
    }

    /// What the method remembers from step to step.
    pub(crate) fn memory(&self) -> MemoryLayout {
        match self {
            Scheme::Gauss(method) => method.memory(),
            Scheme::Lobatto(method) => method.memory(),
            Scheme::Rattle(method) => method.memory(),
            Scheme::Bdf2(method) => method.memory().clone(),
            Scheme::Embedded(method) => method.memory().clone(),
            Scheme::Reich(_, inner) | Scheme::Restrained(_, inner) => inner.memory(),
            _ => MemoryLayout::new(),
        }
    }

    /// Whether it is the Störmer–Verlet method for a separable energy.
    pub(crate) fn is_leapfrog(&self) -> bool {
        matches!(self, Scheme::Rattle(method) if method.is_leapfrog())
    }

    /// Whether the method itself knows the constraints, rather than a field that comes from them.
    pub(crate) fn is_constrained(&self) -> bool {
        match self {
            Scheme::Bdf2(method) => method.shape().index().is_some(),
            Scheme::Radau(method) => method.shape().index().is_some(),
            _ => true,
        }
    }

    /// The order, where multipliers lower that of the card.
    pub(crate) fn order(&self) -> Option<u32> {
        match self {
            Scheme::Radau(method) => method.constrained_order(),
            _ => None,
        }
    }
}
