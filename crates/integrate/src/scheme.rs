//! The planned method, one variant for each family: what its steps need besides the system.

use crate::free::{Free, free_field, free_shape};
use crate::method::Method;
use crate::methods::{average, bdf2, embedded, gauss, lobatto, radau, rattle, reich, rk4, symplectic_euler};
use crate::refusal::Refusal;
use crate::semi_explicit::Shape;
use cotangent_dynamics::{CanonicalShape, Dynamics, Failure, HiddenShape, Misuse, Plan, Stepper};
use cotangent_scalar::Scalar;
use cotangent_solve::Pattern;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(crate) enum Scheme {
    SymplecticEuler(Arc<symplectic_euler::Scheme>),
    Rattle(Arc<rattle::Scheme>),
    Lobatto(Arc<lobatto::Scheme>),
    Reich(Arc<reich::Scheme>, Box<Scheme>),
    Gauss(Arc<gauss::Scheme>),
    Average(Arc<average::Scheme>),
    Rk4,
    Embedded(Arc<embedded::Scheme>),
    Bdf2(Arc<bdf2::Scheme>),
    Radau(Arc<radau::Scheme>),
}

impl Scheme {
    pub(crate) fn new(
        method: Method,
        canonical: Option<&CanonicalShape>,
        hidden: &dyn Fn() -> Result<Option<HiddenShape>, Failure>,
        jacobian: &mut dyn FnMut() -> Result<Option<Pattern>, Failure>,
        groups: &[usize],
        plan: &mut Plan,
    ) -> Result<Scheme, Refusal> {
        let mut field = || jacobian()?.ok_or(Refusal::UnknownMultipliers { method });
        Ok(match (method, canonical) {
            (Method::SymplecticEuler, Some(shape)) => {
                Scheme::SymplecticEuler(symplectic_euler::Scheme::new(shape, plan)?)
            }
            (Method::StormerVerlet | Method::Rattle, Some(shape)) => {
                Scheme::Rattle(rattle::Scheme::new(shape, rattle::Ending::Hidden, plan)?)
            }
            (Method::Shake, Some(shape)) => Scheme::Rattle(rattle::Scheme::new(shape, rattle::Ending::Reused, plan)?),
            (Method::Lobatto3A3B { stages }, Some(shape)) => {
                Scheme::Lobatto(lobatto::Scheme::new(shape, stages, plan)?)
            }
            (Method::Reich { inner }, Some(shape)) => {
                let free = free_shape(shape)?;
                let field = free_field(shape)?.0.pattern;
                let inner =
                    Scheme::new(inner.method(), Some(&free), hidden, &mut || Ok(Some(field.clone())), groups, plan)?;
                Scheme::Reich(reich::Scheme::new(shape, plan)?, Box::new(inner))
            }
            (Method::ImplicitMidpoint, _) => Scheme::Gauss(gauss::Scheme::new(&field()?, 1, plan)?),
            (Method::Gauss { stages }, _) => Scheme::Gauss(gauss::Scheme::new(&field()?, stages, plan)?),
            (Method::AverageVectorField { stages }, Some(shape)) => {
                let missing = || Failure::from(Misuse::NoHiddenConstraints);
                let hidden = if shape.constraints == 0 { None } else { Some(hidden()?.ok_or_else(missing)?) };
                Scheme::Average(average::Scheme::new(shape, hidden.as_ref(), stages, plan)?)
            }
            (Method::Rk4, _) => Scheme::Rk4,
            (Method::Dopri5 { tolerance }, _) => {
                Scheme::Embedded(embedded::Scheme::new(embedded::Pair::Dopri5, tolerance, groups))
            }
            (Method::Dop853 { tolerance }, _) => {
                Scheme::Embedded(embedded::Scheme::new(embedded::Pair::Dop853, tolerance, groups))
            }
            (Method::Bdf2 | Method::Radau2A { .. }, _) => {
                let shape = match canonical {
                    Some(shape) => Shape::canonical(shape)?,
                    None => Shape::field(&field()?),
                };
                match method {
                    Method::Radau2A { stages } => Scheme::Radau(radau::Scheme::new(shape, stages, plan)?),
                    _ => Scheme::Bdf2(bdf2::Scheme::new(shape, plan)?),
                }
            }
            (method, None) => return Err(Refusal::NotCanonical { method }),
        })
    }

    pub(crate) fn stepper<'s, S: Scalar + 's>(
        &self,
        system: &dyn Dynamics<'s, S>,
    ) -> Result<Box<dyn Stepper<S> + 's>, Failure> {
        let missing = || Failure::from(Misuse::OtherSystem);
        let canonical = || system.canonical()?.ok_or_else(missing);
        let field = || system.field()?.ok_or_else(missing);
        Ok(match self {
            Scheme::SymplecticEuler(scheme) => scheme.stepper(canonical()?),
            Scheme::Rattle(scheme) => scheme.stepper(canonical()?),
            Scheme::Lobatto(scheme) => scheme.stepper(canonical()?),
            Scheme::Reich(scheme, inner) => scheme.stepper(inner.stepper(&Free(system))?, canonical()?),
            Scheme::Gauss(scheme) => scheme.stepper(field()?),
            Scheme::Average(scheme) => {
                let hidden = if scheme.keeps_hidden() { Some(system.hidden()?.ok_or_else(missing)?) } else { None };
                scheme.stepper(canonical()?, hidden)
            }
            Scheme::Rk4 => rk4::stepper(field()?),
            Scheme::Embedded(scheme) => scheme.stepper(field()?),
            Scheme::Bdf2(scheme) => scheme.stepper(scheme.shape().of(system)?),
            Scheme::Radau(scheme) => scheme.stepper(scheme.shape().of(system)?),
        })
    }

    /// Whether the method itself knows the constraints, rather than a field that comes from them.
    pub(crate) fn is_constrained(&self) -> bool {
        match self {
            Scheme::Bdf2(scheme) => scheme.shape().index.is_some(),
            Scheme::Radau(scheme) => scheme.shape().index.is_some(),
            _ => true,
        }
    }

    /// The order, where multipliers lower that of the card.
    pub(crate) fn order(&self) -> Option<u32> {
        match self {
            Scheme::Radau(scheme) => scheme.constrained_order(),
            _ => None,
        }
    }
}
