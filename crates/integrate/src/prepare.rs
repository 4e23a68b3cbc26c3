//! From a method and a system to a stepper; the place where a mismatch is refused.

use crate::card::{Claims, Keeps, Needs};
use crate::charts;
use crate::compose::{self, Composition};
use crate::free::{Free, free_field, free_shape};
use crate::method::{MAX_STAGES, Method};
use crate::methods::{average, bdf2, embedded, gauss, lobatto, radau, rattle, reich, rk4, symplectic_euler};
use crate::plain;
use crate::projection::{self, COUNTERS, Planned, Projection, Target};
use crate::refusal::Refusal;
use cotangent_dynamics::{CanonicalShape, Dynamics, Failure, Index, Plan, Stepper};
use cotangent_scalar::Scalar;
use cotangent_solve::Pattern;
use std::ops::Range;
use std::sync::Arc;

/// A method planned for a system: it makes steppers in any arithmetic.
#[derive(Clone, Debug)]
pub struct Prepared {
    method: Method,
    composition: Option<Composition>,
    compensated: bool,
    plan: Plan,
    scheme: Scheme,
    charts: Option<Arc<charts::Scheme>>,
    index: Index,
    projection: Option<Planned>,
}

#[derive(Clone, Debug)]
enum Scheme {
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
    fn new(
        method: Method,
        canonical: Option<&CanonicalShape>,
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
            (Method::Lobatto3A3B { stages }, _) if !(2..=MAX_STAGES).contains(&stages) => {
                return Err(Refusal::Stages { stages, least: 2 });
            }
            (Method::Lobatto3A3B { stages }, Some(shape)) => {
                Scheme::Lobatto(lobatto::Scheme::new(shape, stages, plan)?)
            }
            (Method::Reich { inner }, Some(shape)) if shape.constraints == 0 => {
                return Err(Refusal::NoConstraints { method, instead: inner.method() });
            }
            (Method::Reich { inner }, Some(shape)) => {
                let free = free_shape(shape)?;
                let field = free_field(shape)?.0.pattern;
                let inner = Scheme::new(inner.method(), Some(&free), &mut || Ok(Some(field.clone())), groups, plan)?;
                Scheme::Reich(reich::Scheme::new(shape, plan)?, Box::new(inner))
            }
            (Method::ImplicitMidpoint, _) => Scheme::Gauss(gauss::Scheme::new(&field()?, 1, plan)?),
            (Method::Gauss { stages }, _) if stages == 0 || stages > MAX_STAGES => {
                return Err(Refusal::Stages { stages, least: 1 });
            }
            (Method::Gauss { stages }, _) => Scheme::Gauss(gauss::Scheme::new(&field()?, stages, plan)?),
            (Method::AverageVectorField { stages }, _) if stages == 0 || stages > MAX_STAGES => {
                return Err(Refusal::Stages { stages, least: 1 });
            }
            (Method::AverageVectorField { stages }, Some(shape)) => {
                Scheme::Average(average::Scheme::new(shape, stages, plan)?)
            }
            (Method::Rk4, _) => Scheme::Rk4,
            (Method::Dopri5 { tolerance: Some(tolerance) } | Method::Dop853 { tolerance: Some(tolerance) }, _)
                if !(tolerance > 0.0 && tolerance.is_finite()) =>
            {
                return Err(Refusal::Tolerance { tolerance });
            }
            (Method::Dopri5 { tolerance }, _) => {
                Scheme::Embedded(embedded::Scheme::new(embedded::Pair::Dopri5, tolerance, groups))
            }
            (Method::Dop853 { tolerance }, _) => {
                Scheme::Embedded(embedded::Scheme::new(embedded::Pair::Dop853, tolerance, groups))
            }
            (Method::Bdf2, Some(shape)) => Scheme::Bdf2(bdf2::Scheme::constrained(shape, plan)?),
            (Method::Bdf2, None) => Scheme::Bdf2(bdf2::Scheme::free(&field()?, plan)?),
            (Method::Radau2A { stages }, _) if stages == 0 || stages > MAX_STAGES => {
                return Err(Refusal::Stages { stages, least: 1 });
            }
            (Method::Radau2A { stages }, Some(shape)) => {
                Scheme::Radau(radau::Scheme::constrained(shape, stages, plan)?)
            }
            (Method::Radau2A { stages }, None) => Scheme::Radau(radau::Scheme::free(&field()?, stages, plan)?),
            (method, None) => return Err(Refusal::NotCanonical { method }),
        })
    }

    fn stepper<'s, S: Scalar + 's>(&self, system: &dyn Dynamics<'s, S>) -> Result<Box<dyn Stepper<S> + 's>, Failure> {
        let missing = || Failure::Misused { reason: "the system is not the one the method was planned for".into() };
        let canonical = || system.canonical()?.ok_or_else(missing);
        let field = || system.field()?.ok_or_else(missing);
        Ok(match self {
            Scheme::SymplecticEuler(scheme) => scheme.stepper(canonical()?),
            Scheme::Rattle(scheme) => scheme.stepper(canonical()?),
            Scheme::Lobatto(scheme) => scheme.stepper(canonical()?),
            Scheme::Reich(scheme, inner) => scheme.stepper(inner.stepper(&Free(system))?, canonical()?),
            Scheme::Gauss(scheme) => scheme.stepper(field()?),
            Scheme::Average(scheme) => scheme.stepper(canonical()?),
            Scheme::Rk4 => rk4::stepper(field()?),
            Scheme::Embedded(scheme) => scheme.stepper(field()?),
            Scheme::Bdf2(scheme) if scheme.is_constrained() => scheme.stepper_constrained(canonical()?),
            Scheme::Bdf2(scheme) => scheme.stepper_free(field()?),
            Scheme::Radau(scheme) if scheme.is_constrained() => scheme.stepper_constrained(canonical()?),
            Scheme::Radau(scheme) => scheme.stepper_free(field()?),
        })
    }

    /// Whether the method itself knows the constraints, rather than a field that comes from them.
    fn is_constrained(&self) -> bool {
        match self {
            Scheme::Bdf2(scheme) => scheme.is_constrained(),
            Scheme::Radau(scheme) => scheme.is_constrained(),
            _ => true,
        }
    }

    /// The order, where multipliers lower that of the card.
    fn order(&self) -> Option<u32> {
        match self {
            Scheme::Radau(scheme) => scheme.constrained_order(),
            _ => None,
        }
    }
}

impl Prepared {
    /// Plans a method for a system, or says why it does not fit.
    pub fn new(
        method: Method,
        projection: Option<Projection>,
        system: &dyn Dynamics<'_, f64>,
    ) -> Result<Prepared, Refusal> {
        Prepared::composed(method, None, projection, system)
    }

    /// The same with a composition around the method, inside the projection.
    pub fn composed(
        method: Method,
        composition: Option<Composition>,
        projection: Option<Projection>,
        system: &dyn Dynamics<'_, f64>,
    ) -> Result<Prepared, Refusal> {
        let card = method.card();
        let (canonical, mut field, manifold) = (system.canonical()?, system.field()?, system.manifold()?);
        let constrained = manifold.as_ref().is_some_and(|m| m.shape().constraints > 0);
        let momenta_lag = constrained && card.constraints == Keeps::Yes && card.hidden_constraints == Keeps::No;
        if composition.is_some() && (!card.symmetric || momenta_lag) {
            return Err(Refusal::NotComposable { method });
        }
        let canonical = match (method.card().needs, &canonical) {
            (Needs::Field, _) => None,
            (Needs::Any, Some(c)) if c.shape().constraints > 0 => Some(c.shape()),
            (Needs::Any, _) => None,
            (Needs::Unconstrained, Some(c)) if c.shape().constraints > 0 => {
                return Err(Refusal::IgnoresConstraints { method });
            }
            (Needs::Canonical, Some(c)) if c.shape().index == Index::Two => return Err(Refusal::IndexTwo { method }),
            (Needs::Unconstrained | Needs::Canonical, Some(c)) => Some(c.shape()),
            (Needs::Unconstrained | Needs::Canonical, None) => return Err(Refusal::NotCanonical { method }),
        };
        if canonical.is_none() && field.is_none() {
            return Err(Refusal::UnknownMultipliers { method });
        }
        // Positions and momenta, whose errors are measured in units of their own.
        let dimension = field.as_ref().map_or(0, |f| f.dimension());
        let chart = system.chart()?;
        let groups = match &manifold {
            Some(_) if chart.is_some() => vec![dimension / 2; 2],
            Some(m) if 2 * m.shape().coordinates == dimension => vec![dimension / 2; 2],
            _ => vec![dimension],
        };
        let index = canonical.map_or(Index::Three, |c| c.index);
        let holds_constraints = canonical.is_some_and(|c| c.constraints > 0);
        let mut plan = Plan::new();
        let mut jacobian = || field.as_mut().map(|f| f.jacobian_pattern()).transpose();
        let scheme = Scheme::new(method, canonical, &mut jacobian, &groups, &mut plan)?;
        let charts = match (&chart, &manifold) {
            (Some(chart), Some(m)) => Some(charts::Scheme::new(m.shape(), chart.coordinates(), chart.threshold())?),
            _ => None,
        };
        let projection = match (projection, &manifold) {
            (None, _) => None,
            (Some(p), _) if p.target == Target::Symmetric && holds_constraints && !card.symmetric => {
                return Err(Refusal::SymmetricProjection { method });
            }
            (Some(p), Some(m)) if constrained => {
                Some(Planned::Manifold(projection::Scheme::new(m.shape(), p, &mut plan)?))
            }
            (Some(p), _) => match system.surface()? {
                Some(_) if p.target != Target::Both => return Err(Refusal::NotSeparately { target: p.target }),
                Some(s) => Some(Planned::Surface(projection::surface::Scheme::new(s.shape(), p, &mut plan)?)),
                None => return Err(Refusal::NothingToProjectOn),
            },
        };
        Ok(Prepared { method, composition, compensated: true, plan, scheme, charts, index, projection })
    }

    /// The method.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The same in these charts alone: sets of coordinates by their numbers.
    pub fn in_charts(self, given: Vec<Vec<usize>>) -> Result<Prepared, Refusal> {
        let charts = self.charts.as_ref().ok_or(Refusal::NoCharts)?.given(given)?;
        Ok(Prepared { charts: Some(charts), ..self })
    }

    /// The same without compensated summation, to see what it is worth.
    pub fn without_compensation(self) -> Prepared {
        Prepared { compensated: false, ..self }
    }

    /// The same with the tolerance taken out: steps as they are given.
    pub fn uncontrolled(&self) -> Prepared {
        match &self.scheme {
            Scheme::Embedded(scheme) => Prepared {
                method: self.method.with_tolerance(None).unwrap_or(self.method),
                scheme: Scheme::Embedded(scheme.uncontrolled()),
                ..self.clone()
            },
            _ => self.clone(),
        }
    }

    /// The composition around the method.
    pub fn composition(&self) -> Option<Composition> {
        self.composition
    }

    /// The implicit equations of a step.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The projection around the method.
    pub fn projection(&self) -> Option<Projection> {
        self.projection.as_ref().map(Planned::projection)
    }

    /// What the method, with its projection, claims on equations that are canonical or not.
    pub fn claims(&self, canonical: bool) -> Claims {
        let card = self.method.card();
        let projection = self.projection();
        let keeps = |keeps: Keeps| keeps == Keeps::Yes && self.scheme.is_constrained();
        // In the place of the constraints.
        let (constraints, hidden_constraints) = match self.index {
            Index::Three => (keeps(card.constraints), keeps(card.hidden_constraints)),
            Index::Two => (false, keeps(card.constraints)),
        };
        let everywhere = |on: fn(Target) -> bool| projection.is_some_and(|p| p.above.is_none() && on(p.target));
        // Multipliers lower the order of momenta normal to the constraints, which a projection takes off.
        let lowered = self.scheme.order().filter(|_| !everywhere(Target::momenta));
        let order = lowered.unwrap_or(card.order);
        Claims {
            order: self.composition.map_or(order, |c| c.order().max(order)),
            symplectic: card.symplectic && canonical && projection.is_none(),
            energy: card.energy && canonical && projection.is_none(),
            // Back from where a chart ends, the way leads through the next one.
            symmetric: card.symmetric
                && projection.is_none_or(|p| p.target == Target::Symmetric)
                && self.charts.as_ref().is_none_or(|c| c.is_one()),
            constraints: self.charts.is_some() || constraints || everywhere(Target::positions),
            // A projection of the positions alone moves off the hidden constraints again.
            hidden_constraints: match projection {
                Some(p) if p.target == Target::Position => false,
                _ => self.charts.is_some() || hidden_constraints || everywhere(Target::momenta),
            },
        }
    }

    /// Whether a projection moves all variables at once, and not positions and momenta one after the other.
    pub fn projects_at_once(&self) -> bool {
        matches!(self.projection, Some(Planned::Surface(_)))
    }

    /// How often positions and momenta were projected, from the memory of a state.
    pub fn projections(&self, memory: &[f64]) -> Option<[u64; 2]> {
        self.projection.as_ref()?;
        let counters = memory.get(memory.len().checked_sub(COUNTERS)?..)?;
        Some([counters[0] as u64, counters[1] as u64])
    }

    /// How often the chart was changed, from the memory of a state.
    pub fn chart_changes(&self, memory: &[f64]) -> Option<u64> {
        memory.get(self.chart(memory.len())?.end).map(|&count| count as u64)
    }

    /// Where a memory of this length has the coordinates of the chart: their numbers, counted from 1.
    pub fn chart(&self, memory: usize) -> Option<Range<usize>> {
        let charts = self.charts.as_ref()?;
        // After them the number of changes, then the numbers of a projection.
        let after = 1 + if self.projection.is_some() { COUNTERS } else { 0 };
        let end = memory.checked_sub(after)?;
        Some(end.checked_sub(charts.coordinates())?..end)
    }

    /// How many steps of its own a method with a tolerance has accepted and rejected, from the
    /// memory of a state; that of the method comes first, before that of a projection.
    pub fn substeps(&self, memory: &[f64]) -> Option<[u64; 2]> {
        match &self.scheme {
            Scheme::Embedded(scheme) => scheme.substeps(memory),
            _ => None,
        }
    }

    /// A stepper for the system in the arithmetic `S`.
    pub fn stepper<'s, S: Scalar + 's>(
        &self,
        system: &dyn Dynamics<'s, S>,
    ) -> Result<Box<dyn Stepper<S> + 's>, Failure> {
        let missing = || Failure::Misused { reason: "the system is not the one the method was planned for".into() };
        let inner = self.scheme.stepper(system)?;
        let inner = if self.compensated { inner } else { plain::around(inner) };
        let inner = match self.composition {
            Some(composition) => compose::around(composition, inner),
            None => inner,
        };
        let inner = match (&self.charts, system.chart()?) {
            (Some(charts), Some(chart)) => charts.around(inner, chart, system.manifold()?.ok_or_else(missing)?),
            _ => inner,
        };
        match &self.projection {
            Some(Planned::Manifold(p)) => Ok(p.around(inner, system.manifold()?.ok_or_else(missing)?)),
            Some(Planned::Surface(p)) => Ok(p.around(inner, system.surface()?.ok_or_else(missing)?)),
            None => Ok(inner),
        }
    }
}
