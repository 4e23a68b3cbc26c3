//! Projections onto the constraint manifold, around any method.
//!
//! - *position*: q ← q̃ + H_pp(q̃, p) G(q̃)ᵀν with φ(q) = 0, orthogonal in the metric of the kinetic
//!   energy; p stays;
//! - *momentum*: p ← p̃ − G(q)ᵀλ with G(q) H_p(q, p) = 0. It preserves dq∧dp restricted to φ = const
//!   and lowers the energy by ½ ψᵀQ⁻¹ψ for a quadratic kinetic energy; the position projection
//!   preserves neither;
//! - *both*: positions first, then momenta at the new positions;
//! - *both* on constraints that mix positions and momenta: all variables at once ([`surface`]);
//! - *symmetric*: the same displacement along both directions before and after the step
//!   ([`symmetric`]).
//!
//! W. M. Seiler, Stable underlying equations for constrained Hamiltonian systems, §6–7 (corrected);
//! Hairer, Lubich & Wanner, Geometric Numerical Integration, IV.4 and V.4.1.

mod after;
pub(crate) mod surface;
mod symmetric;

use crate::sparse::Gram;
use cotangent_dynamics::{
    Canonical, CanonicalShape, Failure, Kind, Machine, MemoryLayout, Misuse, Numeric, Part, Plan, Site, State, Stepper,
};
use cotangent_scalar::{Real, Scalar};
use cotangent_solve::{NewtonOptions, PatternError};
use std::sync::Arc;

/// Onto what a state is projected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// φ(q) = 0.
    Position,
    /// G(q) H_p = 0.
    Momentum,
    /// Both, the positions first.
    Both,
    /// Both, before and after the step.
    Symmetric,
}

/// A projection around a method.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Projection {
    /// Onto what.
    pub target: Target,
    /// Only where a residual is larger than this; `None`: after every step.
    pub above: Option<f64>,
}

impl Target {
    /// Every target.
    pub const ALL: [Target; 4] = [Target::Position, Target::Momentum, Target::Both, Target::Symmetric];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Target::Position => "position",
            Target::Momentum => "momentum",
            Target::Both => "both",
            Target::Symmetric => "symmetric",
        }
    }

    /// Whether it brings the positions onto φ = 0.
    pub fn positions(self) -> bool {
        self != Target::Momentum
    }

    /// Whether it brings the momenta onto G H_p = 0.
    pub fn momenta(self) -> bool {
        self != Target::Position
    }
}

/// The method, planned.
#[derive(Clone, Debug)]
pub(crate) struct ManifoldProjection {
    pub(crate) projection: Projection,
    shape: CanonicalShape,
    gram: Arc<Gram>,
    position: Site,
    momentum: Site,
    /// The fixed point of the symmetric projection, and the linear system in it.
    symmetric: Option<(Site, Site)>,
}

/// A projection around a method, as it is planned.
#[derive(Clone, Debug)]
pub(crate) enum Planned {
    /// Onto constraints on positions, and their time derivatives.
    Manifold(Arc<ManifoldProjection>),
    /// Onto constraints that mix all variables.
    Surface(Arc<surface::SurfaceProjection>),
}

impl ManifoldProjection {
    pub(crate) fn new(
        shape: &CanonicalShape,
        projection: Projection,
        plan: &mut Plan,
    ) -> Result<Arc<ManifoldProjection>, PatternError> {
        let (n, m) = (shape.coordinates, shape.constraints);
        let gram = Gram::of(shape)?;
        let mut site = |kind: Kind| plan.newton(gram.pattern().clone(), vec![(kind, m)]);
        let (position, momentum) = (site(Kind::Constraint), site(Kind::HiddenConstraint));
        let symmetric = (projection.target == Target::Symmetric).then(|| {
            let linear = plan.affine(gram.pattern().clone(), vec![(Kind::Constraint, m)]);
            let half = [(Kind::Coordinate, n), (Kind::Momentum, n)];
            (plan.fixed_point([half, half].concat()), linear)
        });
        Ok(Arc::new(ManifoldProjection { projection, shape: shape.clone(), gram, position, momentum, symmetric }))
    }

    /// The method with the projection around it.
    pub(crate) fn around<'s, S: Scalar + 's>(
        self: &Arc<Self>,
        inner: Box<dyn Stepper<S> + 's>,
        manifold: Box<dyn Canonical<S> + 's>,
        memory: &MemoryLayout,
    ) -> Box<dyn Stepper<S> + 's> {
        match self.symmetric {
            Some(sites) => symmetric::stepper(self.clone(), inner, manifold, sites, memory),
            None => after::stepper(self.clone(), inner, manifold, memory),
        }
    }
}

/// What a state remembers besides what the method does.
pub(crate) fn memory(of_method: MemoryLayout) -> MemoryLayout {
    of_method.with(Part::Projections, 2)
}

/// Hands on how often positions and momenta were projected, each once more if it was now.
fn count<S: Scalar>(memory: &MemoryLayout, done: [bool; 2], from: &[S], to: &mut [S]) -> Result<(), Failure> {
    let counters = memory.part(Part::Projections, from).zip(memory.part_mut(Part::Projections, to));
    let (before, after) = counters.ok_or(Misuse::OtherState)?;
    for (k, done) in done.into_iter().enumerate() {
        after[k] = if done { before[k] + S::from_f64(1.0) } else { before[k] };
    }
    Ok(())
}

/// Projects a state (q, p) onto the constraints and hidden constraints of a system.
pub fn project<S: Real>(system: Box<dyn Canonical<S> + '_>, state: &mut State<S>) -> Result<(), Failure> {
    project_onto(Target::Both, system, state)
}

/// Projects a state (q, p) of a system; a symmetric projection needs a step and is here one onto
/// both.
pub fn project_onto<S: Real>(
    target: Target,
    system: Box<dyn Canonical<S> + '_>,
    state: &mut State<S>,
) -> Result<(), Failure> {
    let projection = Projection { target: Target::Both, above: None };
    let mut plan = Plan::new();
    let planned = ManifoldProjection::new(system.shape(), projection, &mut plan).map_err(Failure::of)?;
    // From far away, too: a step that makes matters worse is halved.
    let options = NewtonOptions { max_halvings: 30, ..NewtonOptions::default() };
    let mut machine = Numeric::new(&plan, options)?;
    let mut projector = after::Projector::new(planned, system);
    if target.positions() {
        projector.positions(&mut machine, state)?;
    }
    if target.momenta() {
        projector.momenta(&mut machine, state)?;
    }
    Ok(())
}

/// Whether a projection is due: always, or where a residual exceeds the threshold.
fn is_due<S: Scalar>(machine: &mut dyn Machine<S>, above: Option<f64>, residual: &[S]) -> Result<bool, Failure> {
    let Some(bound) = above else { return Ok(true) };
    let mut largest = 0.0f64;
    for &r in residual {
        largest = largest.max(machine.value(r)?.abs());
    }
    Ok(largest > bound)
}
