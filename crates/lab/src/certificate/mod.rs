//! What a method keeps on a system, measured and compared with its card.
//!
//! - *order*: the method in double-double arithmetic with several step sizes, against a solution by
//!   extrapolation of other equations for the same motion ([`order_against`]);
//! - *symplecticity*: the tangent map of one step, by dual numbers through the whole step, on the
//!   tangent space of the constraint manifold;
//! - *Poisson maps*: the same tangent map on the bracket, and *Casimirs* along a run;
//! - *symmetry*: a step forward and one back;
//! - *constraints* and hidden constraints, the *energy* and the growth of its error, along a run.
//!
//! Each is a measurement with an uncertainty, and there are three verdicts: it holds, it does not, or it is not
//! decided, for a reason. A defect of a step is compared with round-off by how it falls with the step. What is not
//! claimed and yet holds is *incidental*: true on this model, as the average vector field is symplectic for a
//! quadratic energy. It is said only where neither a larger step nor another state shows a defect.

mod along;
mod bounded;
mod candidate;
mod casimirs;
mod charts;
mod elsewhere;
mod ended;
mod judge;
mod ladder;
mod order;
mod poisson;
mod probe;
mod reason;
mod size;
mod stable;
mod subject;
mod symplectic;

pub use along::Noticed;
pub use bounded::CERTAIN;
pub use candidate::{Candidate, Explicit, KeptIn, Nature};
pub use casimirs::{NoCasimir, no_casimirs};
pub use ended::{Ended, Stopped};
pub use order::order_against;
pub use reason::{LargerSteps, OrderAt, Reason};
pub(crate) use size::{kinetic, residual_sizes, scales};
pub use subject::Subject;
pub(crate) use subject::distance;

use crate::fit::{Growth, Order};
use along::Along;
use bounded::Said;
use cotangent_compile::CompileError;
use cotangent_dynamics::Failure;
use cotangent_integrate::{Kind, Prepared};
use cotangent_scalar::{Interrupted, Limits};
use judge::Judge;
use probe::{Probe, STILL};

/// A measurement, or why there is none.
#[derive(Clone, Debug)]
pub enum Finding<T> {
    /// What was measured.
    Measured(T),
    /// Why not.
    Undecided(Reason),
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
    /// Why it is undecided, though something was measured.
    pub reason: Option<Reason>,
}

/// What a method keeps on a system.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The order of convergence.
    pub order: Property<Order, u32>,
    /// The largest change of dq∧dp, or ½ dz∧J dz, on the tangent space, relative to the size of the images.
    pub symplectic_defect: Property<f64>,
    /// The largest entry of φ′Bφ′ᵀ − B∘φ for a step φ, relative to the terms of its sums.
    pub poisson_defect: Property<f64>,
    /// The largest change of a Casimir along the run, relative to the size of its terms.
    pub casimir_defect: Property<f64>,
    /// Functions that are claimed to be Casimirs and are none: no method keeps them, and they are left out.
    pub no_casimirs: Vec<NoCasimir>,
    /// How far a step forward and one back end from the start, relative to the state.
    pub symmetry_defect: Property<f64>,
    /// The largest constraint residual along the run, relative to the size of its terms.
    pub constraint_defect: Property<f64>,
    /// The same for the hidden constraints.
    pub hidden_constraint_defect: Property<f64>,
    /// The largest energy error along the run, relative to the energy's size: the larger of |H(0)| and what
    /// its parts exchange.
    pub energy_defect: Property<f64>,
    /// The exponent of the growth of the energy error; bounded is claimed for symplectic methods
    /// and those that keep the energy.
    pub energy_drift: Property<Drift>,
    /// Why the run for constraints and energy did not reach its end, if it did not.
    pub ended: Option<Ended>,
    /// What was noticed along it.
    pub noticed: Noticed,
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
    /// The largest energy error, relative to the energy's size: the larger of |H(0)| and what
    /// its parts exchange.
    pub amplitude: f64,
}

/// Residuals along a run up to this, relative to their terms, are round-off.
pub const ROUND_OFF: f64 = 1e-12;

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
    /// Something could not be compiled.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// A system written in Rust cannot be set up.
    #[error(transparent)]
    System(#[from] Failure),
    /// Somebody asked to stop.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl Certificate {
    /// Measures everything the card of a method speaks of.
    pub fn new<C: Candidate>(
        problem: &C,
        prepared: &Prepared,
        options: Options,
    ) -> Result<Certificate, CertificateError> {
        Certificate::within(problem, prepared, options, &Limits::default())
    }

    /// The same within limits: [`CertificateError::Interrupted`] soon after somebody asks to stop.
    pub fn within<C: Candidate>(
        problem: &C,
        prepared: &Prepared,
        options: Options,
        limits: &Limits,
    ) -> Result<Certificate, CertificateError> {
        // What a single step does is a property of the formula, whatever controls its steps.
        let formula = prepared.uncontrolled();
        let subject = Subject::new(problem, &formula).within(limits);
        let nature = problem.nature();
        let claims = prepared.claims(Kind { canonical: nature.canonical, bracket: nature.bracket });
        let no_casimirs = no_casimirs(problem);
        let known = 0..nature.bracket.map_or(0, |bracket| bracket.casimirs);
        let casimirs: Vec<usize> = known.filter(|k| no_casimirs.iter().all(|none| none.number != *k)).collect();
        let along = along::run(problem, prepared, &casimirs, options, limits)?;
        let mut judge = Judge::new(Probe::new(subject, options.step)?, claims, options.step, &along);
        let symplectic_defect = match nature.halves || nature.form {
            true => judge.step(claims.symplectic, |probe, place, step| probe.symplectic(place, step)),
            false => Property::absent(),
        };
        let poisson_defect = match nature.bracket {
            Some(_) => judge.step(claims.poisson, |probe, place, step| probe.poisson(place, step)),
            None => Property::absent(),
        };
        let symmetry_defect = judge.step(claims.symmetric, |probe, place, step| probe.symmetry(place, step));
        // Standing still is symmetric, and kept is what does not change.
        let rests = judge.probe.rests;
        let symmetry_defect = symmetry_defect.at_rest(rests);
        let rests = rests && along.moved <= STILL;
        let singular = along.noticed.monitor.passages.first().map(|passage| passage.time.abs());
        let whole = Subject::new(problem, prepared).within(limits);
        let order = order::judge(&whole, options.step, claims.order, singular);
        let [constraint_defect, hidden_constraint_defect] = match nature.constrained {
            true => {
                let claimed = [claims.constraints, claims.hidden_constraints];
                [0, 1].map(|level| judge.residual(level, claimed[level]).at_rest(rests))
            }
            false => [Property::absent(), Property::absent()],
        };
        let casimir_defect = match casimirs.is_empty() {
            true => Property::absent(),
            false => judge.casimirs(&casimirs).at_rest(rests),
        };
        let energy_defect = judge.energy().at_rest(rests);
        let has_energy = nature.own_energy;
        let bounds = Bounds {
            symplectic: has_energy
                && (symplectic_defect.held.unwrap_or(claims.symplectic)
                    || poisson_defect.held.unwrap_or(claims.poisson)),
            energy: energy_defect.held == Some(true),
        };
        let claimed = ((claims.symplectic || claims.poisson) && has_energy) || claims.energy;
        let mut energy_drift = drift(&along, claimed, bounds, energy_defect.reason.as_ref()).at_rest(rests);
        // What the quadrature leaves may add up, or not, and says nothing of the method.
        if energy_drift.held != Some(true)
            && let Some(reason @ Reason::Quadrature { .. }) = &energy_defect.reason
        {
            (energy_drift.held, energy_drift.reason) = (None, Some(reason.clone()));
        }
        if energy_drift.held == Some(true)
            && let Some(reason) = stable::unstable(&subject, options.step, options.steps)
        {
            (energy_drift.held, energy_drift.reason) = (None, Some(reason));
        }
        drop(judge);
        let Along { ended, noticed, .. } = along;
        // What was not measured for want of time is not undecided.
        limits.check()?;
        Ok(Certificate {
            order,
            symplectic_defect,
            poisson_defect,
            casimir_defect,
            no_casimirs,
            symmetry_defect,
            constraint_defect,
            hidden_constraint_defect,
            energy_defect,
            energy_drift,
            ended,
            noticed,
        })
    }

    /// For a matrix B(z) that is no bracket, as Jacobi's identity fails: there are no Poisson maps and no Casimirs to speak
    /// of, and what follows for the energy from a Poisson map is not claimed.
    pub fn without_bracket(&mut self) {
        self.poisson_defect = Property::absent();
        self.casimir_defect = Property::absent();
        self.energy_drift.claimed = self.energy_defect.claimed;
    }

    /// Whether everything claimed holds; `None` where something claimed is not decided, or the run did not reach its
    /// end.
    pub fn certified(&self) -> Option<bool> {
        match self.held() {
            false => Some(false),
            true => (self.undecided().is_empty() && self.ended.is_none()).then_some(true),
        }
    }

    /// What is claimed and could not be decided, by name.
    pub fn undecided(&self) -> Vec<&'static str> {
        let open = |claimed: bool, held: Option<bool>| claimed && held.is_none();
        let all = [
            ("order", open(true, self.order.held)),
            ("symplectic", self.symplectic_defect.is_open()),
            ("Poisson map", self.poisson_defect.is_open()),
            ("Casimirs", self.casimir_defect.is_open()),
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
            self.poisson_defect.broken(),
            self.casimir_defect.broken(),
            self.symmetry_defect.broken(),
            self.constraint_defect.broken(),
            self.hidden_constraint_defect.broken(),
            self.energy_defect.broken(),
            self.energy_drift.broken(),
        ]
        .contains(&true)
    }
}

/// What bounds an energy error: a modified energy that is kept, or that there is no error.
struct Bounds {
    symplectic: bool,
    energy: bool,
}

/// Whether the energy error is bounded: where something bounds it, what the run shows; elsewhere a run
/// without growth proves nothing.
fn drift(along: &Along, claimed: bool, bounds: Bounds, below: Option<&Reason>) -> Property<Drift> {
    let (found, held, reason) = match bounded::judge(along, bounds.energy) {
        Said::Nothing(reason) => (Finding::Undecided(reason), None, None),
        Said::Grows(drift) => (Finding::Measured(drift), Some(false), None),
        Said::Open(drift, reason) => (Finding::Measured(drift), None, Some(reason)),
        Said::Calm(drift) if bounds.symplectic => (Finding::Measured(drift), Some(true), None),
        Said::RoundOff(drift) if bounds.symplectic || bounds.energy => (Finding::Measured(drift), Some(true), None),
        Said::RoundOff(drift) => (Finding::Measured(drift), None, below.cloned()),
        Said::Calm(drift) => (Finding::Measured(drift), None, Some(Reason::Unbounded)),
    };
    Property { claimed, found, held, reason }
}

impl<T> Property<T> {
    /// What the system does not have.
    fn absent() -> Property<T> {
        Property { claimed: false, found: Finding::Absent, held: None, reason: None }
    }
}

impl<T> Property<T> {
    /// Decides nothing where nothing moves.
    fn at_rest(mut self, rests: bool) -> Self {
        if rests && !matches!(self.found, Finding::Absent) {
            (self.held, self.reason) = (None, Some(Reason::RoundOff(LargerSteps::AtRest)));
        }
        self
    }

    /// Whether it is claimed and could not be decided.
    fn is_open(&self) -> bool {
        self.claimed && self.held.is_none()
    }

    /// Whether it is claimed and does not hold.
    pub fn broken(&self) -> bool {
        self.claimed && self.held == Some(false)
    }
}
