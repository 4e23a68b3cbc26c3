//! What a method keeps on a system, measured and compared with its card.
//!
//! - *order*: the method in double-double arithmetic with several step sizes, against a solution by
//!   extrapolation of other equations for the same motion ([`order_against`]);
//! - *symplecticity*: the tangent map of one step, by dual numbers through the whole step, on the
//!   tangent space of the constraint manifold;
//! - *symmetry*: a step forward and one back;
//! - *constraints* and hidden constraints, and the growth of the *energy* error, along a run.

mod drift;
mod order;
mod subject;
mod symmetry;
mod symplectic;

pub(crate) use drift::{kinetic, scales};
pub use order::order_against;
pub use subject::Subject;
pub(crate) use subject::distance;

use crate::fit::{Growth, Order};
use cotangent_compile::{CompileError, Problem};
use cotangent_dynamics::Failure;
use cotangent_integrate::Prepared;
use cotangent_scalar::Dd;

/// A measurement, or why there is none.
#[derive(Clone, Debug)]
pub enum Finding<T> {
    /// What was measured.
    Measured(T),
    /// Why not.
    Undecided(String),
    /// It does not apply to this system.
    Absent,
}

/// One property: what the card claims, what was found, whether it holds.
#[derive(Clone, Debug)]
pub struct Property<T, C = bool> {
    /// What the card claims for these equations.
    pub claimed: C,
    /// What was measured.
    pub found: Finding<T>,
    /// Whether the property holds; `None` where it is undecided or does not apply.
    pub held: Option<bool>,
}

/// What a method keeps on a system.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The order of convergence.
    pub order: Property<Order, u32>,
    /// The largest change of dq∧dp on the tangent space, relative to the size of the images.
    pub symplectic_defect: Property<f64>,
    /// How far a step forward and one back end from the start, relative to the state.
    pub symmetry_defect: Property<f64>,
    /// The largest constraint residual along the run, relative to the size of its terms.
    pub constraint_defect: Property<f64>,
    /// The same for the hidden constraints.
    pub hidden_constraint_defect: Property<f64>,
    /// The largest energy error along the run, relative to the energy's own size.
    pub energy_defect: Property<f64>,
    /// The exponent of the growth of the energy error; bounded is claimed for symplectic methods
    /// and those that keep the energy.
    pub energy_drift: Property<Drift>,
}

/// How the energy error grows.
#[derive(Clone, Debug)]
pub struct Drift {
    /// The exponent of time, with its uncertainty; `None` where the error is round-off.
    pub growth: Option<Growth>,
    /// The same for the typical error, which rare events do not move.
    pub typical: Option<Growth>,
    /// Whether the error comes back to (nearly) zero in the last half of the run: the energy error
    /// of a symplectic method is a function of the state, and wanders with it; a drift does not
    /// come back.
    pub returns: bool,
    /// The largest energy error, relative to the energy's own size along the run.
    pub amplitude: f64,
}

/// Defects up to this are round-off.
pub const ROUND_OFF: f64 = 1e-12;

/// How far a measured order may be below the claim, beyond its own uncertainty.
const ORDER_TOLERANCE: f64 = 0.1;

/// An order that is known no better is not decided.
const CERTAIN_ORDER: f64 = 0.2;

/// An exponent above this, with its uncertainty taken off, is that of a growing error.
const BOUNDED: f64 = 0.25;

/// An exponent up to this, with its uncertainty added, is that of a bounded error.
const CERTAIN: f64 = 0.5;

/// How a certificate is measured.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The step size of the single steps and of the run.
    pub step: f64,
    /// The number of steps of the run.
    pub steps: u64,
}

/// Why there is no certificate at all.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum CertificateError {
    /// The step of the method could not be made.
    #[error("the method cannot make a step of {step}: {failure}")]
    NoStep {
        /// The step size.
        step: f64,
        /// Why.
        failure: Failure,
    },
    /// Something could not be compiled.
    #[error(transparent)]
    Compile(#[from] CompileError),
}

impl Certificate {
    /// Measures everything the card of a method speaks of.
    pub fn new(problem: &Problem, prepared: &Prepared, options: Options) -> Result<Certificate, CertificateError> {
        let subject = Subject::new(problem, prepared);
        let start = subject.start::<Dd>().map_err(|failure| CertificateError::NoStep { step: 0.0, failure })?;
        let no_step = |failure| CertificateError::NoStep { step: options.step, failure };
        // A generic point: some steps from the start, where nothing vanishes by chance.
        let point = subject.walk(&start, options.step, 5).map_err(no_step)?;
        let motion = &problem.motion;
        let claims = prepared.claims(motion.canonical);
        let constrained = motion.is_constrained();
        let order = order::measure(&subject, options.step);
        let symplectic_defect = match motion.structure {
            Some(_) => symplectic::defect(&subject, &point, options.step),
            None => Finding::Absent,
        };
        let symmetry_defect = symmetry::defect(&subject, &point, options.step);
        let run = drift::run(problem, prepared, options)?;
        let residual = |found: Finding<f64>, claimed: bool| -> Property<f64> {
            match constrained {
                true => Property::new(claimed, found, |&d| d <= ROUND_OFF),
                false => Property::new(false, Finding::Absent, |_| true),
            }
        };
        // Bounded beyond doubt, growing beyond doubt, or neither.
        let slow = |g: &Growth| g.exponent + g.uncertainty <= CERTAIN;
        let fast = |g: &Growth| g.exponent - g.uncertainty > BOUNDED;
        let bounded = |d: &Drift| {
            let mut growths = d.growth.iter().chain(&d.typical);
            match d.returns || d.growth.is_none() || growths.clone().any(slow) {
                true => Some(true),
                false => growths.all(fast).then_some(false),
            }
        };
        Ok(Certificate {
            order: Property::judged(claims.order, order, |o| {
                // A system may be kind to a method: linear constraints lower no order.
                let apart = f64::from(claims.order) - o.value - ORDER_TOLERANCE;
                match apart <= o.uncertainty.min(CERTAIN_ORDER) {
                    true => Some(true),
                    false => (apart > o.uncertainty).then_some(false),
                }
            }),
            symplectic_defect: Property::new(claims.symplectic, symplectic_defect, |&d| d <= ROUND_OFF),
            symmetry_defect: Property::new(claims.symmetric, symmetry_defect, |&d| d <= ROUND_OFF),
            constraint_defect: residual(run.constraints, claims.constraints),
            hidden_constraint_defect: residual(run.hidden_constraints, claims.hidden_constraints),
            energy_defect: Property::new(claims.energy, run.energy_error, |&a| a <= drift::ROUND_OFF),
            energy_drift: Property::judged(
                (claims.symplectic && motion.formulation.has_model_energy()) || claims.energy,
                run.energy,
                bounded,
            ),
        })
    }

    /// What is claimed and could not be decided, by name.
    pub fn undecided(&self) -> Vec<&'static str> {
        let open = |claimed: bool, held: Option<bool>| claimed && held.is_none();
        let all = [
            ("order", open(true, self.order.held)),
            ("symplectic", self.symplectic_defect.is_open()),
            ("symmetric", self.symmetry_defect.is_open()),
            ("constraints", self.constraint_defect.is_open()),
            ("hidden constraints", self.hidden_constraint_defect.is_open()),
            ("energy", self.energy_defect.is_open() || self.energy_drift.is_open()),
        ];
        all.into_iter().filter(|(_, open)| *open).map(|(name, _)| name).collect()
    }

    /// Whether everything that is claimed and could be measured holds.
    pub fn held(&self) -> bool {
        let broken = |claimed: bool, held: Option<bool>| claimed && held == Some(false);
        ![
            broken(true, self.order.held),
            self.symplectic_defect.broken(),
            self.symmetry_defect.broken(),
            self.constraint_defect.broken(),
            self.hidden_constraint_defect.broken(),
            self.energy_defect.broken(),
            self.energy_drift.broken(),
        ]
        .contains(&true)
    }
}

impl<T, C> Property<T, C> {
    fn new(claimed: C, found: Finding<T>, holds: impl Fn(&T) -> bool) -> Property<T, C> {
        Property::judged(claimed, found, |value| Some(holds(value)))
    }

    fn judged(claimed: C, found: Finding<T>, holds: impl Fn(&T) -> Option<bool>) -> Property<T, C> {
        let held = match &found {
            Finding::Measured(value) => holds(value),
            Finding::Undecided(_) | Finding::Absent => None,
        };
        Property { claimed, found, held }
    }
}

impl<T> Property<T> {
    /// Whether it is claimed and could not be decided.
    fn is_open(&self) -> bool {
        self.claimed && self.held.is_none()
    }

    /// Whether it is claimed and does not hold.
    pub fn broken(&self) -> bool {
        self.claimed && self.held == Some(false)
    }
}
