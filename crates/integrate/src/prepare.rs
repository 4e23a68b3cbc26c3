//! From a method and a system to a stepper; the place where a mismatch is refused.

use crate::bracket::field_of;
use crate::card::{Claims, Keeps, KeepsBracket, Kind, Needs};
use crate::charts::{Charts, MOST_STEPS};
use crate::compose::{self, Composition};
use crate::held;
use crate::leapfrog;
use crate::method::Method;
use crate::offer::Offer;
use crate::plain;
use crate::projection::surface::SurfaceProjection;
use crate::projection::{self, ManifoldProjection, Planned, Projection, Target};
use crate::recipe::Recipe;
use crate::refusal::Refusal;
use crate::scheme::{Scheme, Sides};
use crate::stages::Shape;
use crate::vector::zeros;
use cotangent_dynamics::{Dynamics, Failure, Index, MemoryLayout, Misuse, Part, Plan, Stepper};
use cotangent_scalar::Scalar;
use std::ops::Range;
use std::sync::Arc;

/// A method planned for a system: it makes steppers in any arithmetic.
#[derive(Clone, Debug)]
pub struct Prepared {
    recipe: Recipe,
    plan: Plan,
    scheme: Scheme,
    charts: Option<Arc<Charts>>,
    index: Index,
    projection: Option<Planned>,
    /// What a state remembers besides its values.
    memory: MemoryLayout,
    /// Whether a step fails that does not end on the constraints it claims to keep.
    held: bool,
}

impl Prepared {
    /// Plans a method, with what is around it, for a system, or says why it does not fit.
    pub fn new(recipe: impl Into<Recipe>, system: &dyn Dynamics<'_, f64>) -> Result<Prepared, Refusal> {
        let recipe = recipe.into();
        let method = recipe.method;
        let offer = Offer::of(system)?;
        offer.admits(&recipe)?;
        let (canonical, mut field, manifold) = (system.canonical()?, field_of(system)?, system.manifold()?);
        let canonical = canonical.as_ref().map(|c| c.shape()).filter(|shape| match method.card().needs {
            Needs::Field | Needs::Split | Needs::Linear | Needs::Spheres | Needs::Matrices => false,
            Needs::Any => shape.constraints > 0,
            Needs::Unconstrained | Needs::Canonical => true,
        });
        // Positions and momenta, whose errors are measured in units of their own.
        let dimension = field.as_ref().map_or(0, |f| f.dimension());
        let chart = system.chart()?;
        let groups = match &manifold {
            Some(_) if chart.is_some() => vec![dimension / 2; 2],
            Some(m) if 2 * m.shape().coordinates == dimension => vec![dimension / 2; 2],
            _ => vec![dimension],
        };
        if method.card().needs == Needs::Split {
            system.split()?;
        }
        let index = canonical.map_or(Index::Three, |c| c.index);
        let mut plan = Plan::new();
        let hidden = || Ok(system.hidden()?.map(|h| h.shape().clone()));
        let free = &mut || match (field.as_mut(), system.presymplectic()?) {
            (Some(field), _) => Ok(Shape::Field(field.jacobian_pattern()?)),
            (None, Some(mut form)) => {
                let mut values = zeros(form.shape().form.len());
                form.form(&mut values)?;
                Ok(Shape::presymplectic(form.shape(), &values)?)
            }
            (None, None) => Err(Refusal::UnknownMultipliers { method }),
        };
        let (solver, composed) = (recipe.stage_solver, recipe.composition.is_some());
        let sides = Sides { canonical, hidden: &hidden, free, groups: &groups, solver, composed };
        let scheme = match method {
            Method::Reich { inner } if offer.restrained => {
                Scheme::restrained((inner.method(), recipe.stage_solver), system, &mut plan)?
            }
            Method::DiscreteEulerPoincare
            | Method::SphericalMidpoint
            | Method::IsospectralMidpoint
            | Method::IsospectralGauss { .. } => Scheme::of_bracket(method, system, &mut plan)?,
            Method::AverageVectorField { .. } if canonical.is_none() => Scheme::of_bracket(method, system, &mut plan)?,
            _ => Scheme::new(method, sides, &mut plan)?,
        };
        let charts = match (&chart, &manifold) {
            (Some(chart), Some(m)) => {
                Some(Charts::new(m.shape(), chart.coordinates(), chart.threshold(), &recipe.charts)?)
            }
            _ => None,
        };
        let scheme = match scheme {
            Scheme::Embedded(embedded) if charts.is_some() => Scheme::Embedded(embedded.giving_up_after(MOST_STEPS)),
            scheme => scheme,
        };
        let projection = match (recipe.projection, &manifold) {
            (None, _) => None,
            (Some(p), Some(m)) if offer.constrained => {
                Some(Planned::Manifold(ManifoldProjection::new(m.shape(), p, &mut plan)?))
            }
            (Some(p), _) => match system.surface()? {
                Some(s) => Some(Planned::Surface(SurfaceProjection::new(s.shape(), p, &mut plan)?)),
                None => None,
            },
        };
        let memory = memory(&scheme, charts.as_deref(), projection.is_some());
        Ok(Prepared { recipe, plan, scheme, charts, index, projection, memory, held: true })
    }

    /// What it was planned from.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// Whether a step fails that does not end on the constraints it claims to keep.
    pub fn is_held(&self) -> bool {
        self.held
    }

    /// The method.
    pub fn method(&self) -> Method {
        self.recipe.method
    }

    /// Whether its steps preserve dq∧dp₋ with the momentum before the last half of a step, p₋ = p + h H_q(q, p), in the place
    /// of dq∧dp.
    pub fn is_staggered(&self) -> bool {
        self.method() == Method::HamiltonPontryagin
    }

    /// The same with the tolerance taken out: steps as they are given.
    pub fn uncontrolled(&self) -> Prepared {
        let Scheme::Embedded(embedded) = &self.scheme else { return self.clone() };
        let method = self.method().with_tolerance(None).unwrap_or(self.method());
        let scheme = Scheme::Embedded(embedded.uncontrolled());
        Prepared {
            recipe: Recipe { method, ..self.recipe.clone() },
            memory: memory(&scheme, self.charts.as_deref(), self.projection.is_some()),
            scheme,
            ..self.clone()
        }
    }

    /// The same without the last look at the constraints: what its iterations take for a solution is one.
    pub fn unheld(&self) -> Prepared {
        Prepared { held: false, ..self.clone() }
    }

    /// Whether the positions of all later steps are the same, whatever the momenta along the gradients of the
    /// constraints are: SHAKE.
    pub fn leaves_momenta_free(&self) -> bool {
        self.method() == Method::Shake && self.projection().is_none()
    }

    /// The composition around the method.
    pub fn composition(&self) -> Option<Composition> {
        self.recipe.composition
    }

    /// The implicit equations of a step.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The projection around the method.
    pub fn projection(&self) -> Option<Projection> {
        self.recipe.projection
    }

    /// What the method, with its projection, claims on equations of a kind.
    pub fn claims(&self, kind: impl Into<Kind>) -> Claims {
        let Kind { canonical, bracket } = kind.into();
        let card = self.method().card();
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
            order: self.composition().map_or(order, |c| c.order().max(order)),
            symplectic: card.symplectic && canonical && projection.is_none(),
            energy: card.energy && (canonical || bracket.is_some()) && projection.is_none(),
            poisson: bracket.is_some_and(|b| match card.bracket {
                KeepsBracket::No => false,
                KeepsBracket::Constant => b.constant,
                KeepsBracket::Any => true,
            }),
            // Every Runge–Kutta method keeps linear integrals.
            casimirs: bracket.is_some_and(|b| match b.degree {
                _ if b.casimirs == 0 => false,
                _ if card.bracket == KeepsBracket::Any => true,
                Some(0 | 1) => true,
                Some(2) => card.quadratic_invariants || matches!(self.scheme, Scheme::AverageBracket(_)),
                _ => false,
            }),
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

    /// What a state remembers besides its values, part by part.
    pub fn memory(&self) -> &MemoryLayout {
        &self.memory
    }

    /// How often positions and momenta were projected, from the memory of a state.
    pub fn projections(&self, memory: &[f64]) -> Option<[u64; 2]> {
        self.counters(Part::Projections, memory)
    }

    /// Where a memory has the coordinates of the chart: their numbers, counted from 1.
    pub fn chart(&self) -> Option<Range<usize>> {
        self.memory.range(Part::Chart)
    }

    /// How often the chart was changed, from the memory of a state.
    pub fn chart_changes(&self, memory: &[f64]) -> Option<u64> {
        self.counters(Part::ChartChanges, memory).map(|[changes]| changes)
    }

    /// How many steps of its own a method with a tolerance has accepted and rejected, from the memory of a state.
    pub fn substeps(&self, memory: &[f64]) -> Option<[u64; 2]> {
        self.counters(Part::OwnSteps, memory)
    }

    fn counters<const N: usize>(&self, part: Part, memory: &[f64]) -> Option<[u64; N]> {
        let counters: [f64; N] = self.memory.part(part, memory)?.try_into().ok()?;
        Some(counters.map(|count| count as u64))
    }

    /// A stepper for the system in the arithmetic `S`.
    pub fn stepper<'s, S: Scalar + 's>(
        &self,
        system: &dyn Dynamics<'s, S>,
    ) -> Result<Box<dyn Stepper<S> + 's>, Failure> {
        let missing = || Failure::from(Misuse::OtherSystem);
        let inner = || {
            let inner = self.scheme.stepper(system)?;
            Ok::<_, Failure>(if self.recipe.compensated { inner } else { plain::around(inner) })
        };
        let inner = match self.recipe.composition {
            Some(composition) if self.recipe.compensated && self.scheme.is_leapfrog() => {
                leapfrog::composed(composition.rounded(), system.canonical()?.ok_or_else(missing)?)
            }
            Some(composition) => compose::around(composition, inner()?),
            None => inner()?,
        };
        let inner = match (&self.charts, system.chart()?) {
            (Some(charts), Some(chart)) => {
                charts.around(inner, chart, system.manifold()?.ok_or_else(missing)?, &self.memory)
            }
            _ => inner,
        };
        let stepper = match &self.projection {
            Some(Planned::Manifold(p)) => p.around(inner, system.manifold()?.ok_or_else(missing)?, &self.memory),
            Some(Planned::Surface(p)) => p.around(inner, system.surface()?.ok_or_else(missing)?, &self.memory),
            None => inner,
        };
        // Whether the equations are canonical is nothing to the constraints.
        let claims = self.claims(true);
        let held = self.held && (claims.constraints || claims.hidden_constraints);
        match system.manifold()?.filter(|m| held && m.shape().constraints > 0) {
            Some(manifold) => Ok(held::around(stepper, manifold, claims)),
            None => Ok(stepper),
        }
    }
}

/// What a state remembers: of the method, of its charts, of its projection.
fn memory(scheme: &Scheme, charts: Option<&Charts>, projected: bool) -> MemoryLayout {
    let method = scheme.memory();
    let in_charts = match charts {
        Some(charts) => charts.memory(method),
        None => method,
    };
    if projected { projection::memory(in_charts) } else { in_charts }
}
