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
//! quadratic energy. It is said only where no larger step shows a defect.

mod along;
mod bounded;
mod candidate;
mod casimirs;
mod ended;
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
pub use candidate::{Candidate, Explicit, KeptIn, Nature};
pub use casimirs::{NoCasimir, no_casimirs};
pub use ended::{Ended, Stopped};
pub use order::order_against;
pub use reason::{LargerSteps, OrderAt, Reason};
pub(crate) use size::{kinetic, scales};
pub use subject::Subject;
pub(crate) use subject::distance;

use crate::fit::{Growth, Order};
use along::Along;
use bounded::Said;
use cotangent_compile::CompileError;
use cotangent_dynamics::Failure;
use cotangent_integrate::{Claims, Kind, Prepared};
use cotangent_scalar::{Interrupted, Limits};
use ladder::{FLOOR, Question, Sample, Shown, climb};
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

/// Residuals above this are no accumulated round-off.
const BEYOND: f64 = 1e-8;

/// So often a step is halved to see how fast the error of a quadrature falls.
const HALVINGS: i32 = 8;

/// From places along the motion, given by the steps that lead there.
const PLACES: [f64; 4] = [1.0, 0.73, 0.51, 0.37];

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
        let mut judge = Judge { probe: Probe::new(subject, options.step)?, claims, step: options.step };
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
        let no_casimirs = no_casimirs(problem);
        let known = 0..nature.bracket.map_or(0, |bracket| bracket.casimirs);
        let casimirs: Vec<usize> = known.filter(|k| no_casimirs.iter().all(|none| none.number != *k)).collect();
        let along = along::run(problem, prepared, &casimirs, options, limits)?;
        let rests = rests && along.moved <= STILL;
        let singular = along.noticed.monitor.passages.first().map(|passage| passage.time.abs());
        let whole = Subject::new(problem, prepared).within(limits);
        let order = order::judge(&whole, options.step, claims.order, singular);
        let [constraint_defect, hidden_constraint_defect] = match nature.constrained {
            true => {
                let claimed = [claims.constraints, claims.hidden_constraints];
                [0, 1].map(|level| judge.residual(&along, level, claimed[level]).at_rest(rests))
            }
            false => [Property::absent(), Property::absent()],
        };
        let casimir_defect = match casimirs.is_empty() {
            true => Property::absent(),
            false => judge.casimirs(&along, &casimirs).at_rest(rests),
        };
        let energy_defect = judge.energy(&along).at_rest(rests);
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

/// Judges single steps, with larger ones where the given one shows nothing.
struct Judge<'a, C> {
    probe: Probe<'a, C>,
    claims: Claims,
    step: f64,
}

impl<C: Candidate> Judge<'_, C> {
    /// A defect of a single step: of the order p + 1 where it is real.
    fn step(
        &mut self,
        claimed: bool,
        mut measure: impl FnMut(&mut Probe<'_, C>, f64, f64) -> Result<Sample, Reason>,
    ) -> Property<f64> {
        let question =
            Question { step: self.step, order: self.claims.order, power: 2, floor: FLOOR, shows: FLOOR, claimed };
        match climb(question, &mut |place, step| measure(&mut self.probe, place, step)) {
            Ok((defect, shown)) => {
                let (held, reason) = match shown {
                    Shown::Here => (Some(false), None),
                    // Of an equilibrium this is the linear part of the equations.
                    Shown::Nowhere if self.probe.rests && !claimed => {
                        (None, Some(Reason::RoundOff(LargerSteps::AtRest)))
                    }
                    Shown::Nowhere => (Some(true), None),
                    other => (None, other.reason()),
                };
                Property { claimed, found: Finding::Measured(defect), held, reason }
            }
            Err(reason) => Property { claimed, found: Finding::Undecided(reason), held: None, reason: None },
        }
    }

    /// The residuals of the constraints (0) or of the hidden ones (1) along the run, if there are any.
    fn residual(&mut self, along: &Along, level: usize, claimed: bool) -> Property<f64> {
        if along.members[level] == 0 {
            return Property::absent();
        }
        let residual = along.residuals[level];
        let found = match &along.ended {
            Some(ended) if ended.steps == 0 => Finding::Undecided(Reason::Ended(ended.clone())),
            _ => Finding::Measured(residual),
        };
        let small = residual <= ROUND_OFF;
        if small && let Some(ended) = &along.ended {
            return Property { claimed, found, held: None, reason: Some(Reason::Ended(ended.clone())) };
        }
        if claimed && small || residual.is_nan() || residual > BEYOND {
            return Property { claimed, found, held: Some(small), reason: None };
        }
        let scales = &along.scales[level];
        let floor = match self.probe.residual_at_start(level + 1, scales) {
            Ok(start) => FLOOR.max(16.0 * start),
            Err(reason) => return Property { claimed, found, held: None, reason: Some(reason) },
        };
        let question =
            Question { step: self.step, order: self.claims.order, power: 1, floor, shows: ROUND_OFF, claimed };
        let shown = climb(question, &mut |_, step| self.probe.residual(level + 1, scales, step));
        let (held, reason) = match (shown.map(|(_, shown)| shown), small) {
            (Ok(Shown::Nowhere), true) => (Some(true), None),
            (Ok(Shown::Nowhere), false) => (None, Some(Reason::Accumulated)),
            (Ok(Shown::Here), false) => (Some(false), None),
            (Ok(Shown::At { step, .. }), false) if !claimed || step == self.step => (Some(false), None),
            (Ok(Shown::Here), true) => (None, Some(Reason::InSteps)),
            (Ok(other), _) => (None, other.reason()),
            (Err(reason), _) => (None, Some(reason)),
        };
        Property { claimed, found, held, reason }
    }

    /// The largest change of a Casimir along the run.
    fn casimirs(&mut self, along: &Along, numbers: &[usize]) -> Property<f64> {
        let (claimed, change) = (self.claims.casimirs, along.casimirs);
        let (found, small) = (Finding::Measured(change), change <= ROUND_OFF);
        let ended = along.ended.clone().map(Reason::Ended);
        if small && ended.is_some() {
            return Property { claimed, found, held: None, reason: ended };
        }
        // Of a run that ended early the last steps are none of the motion.
        if ended.is_none() && (claimed && small || change.is_nan() || change > BEYOND) {
            return Property { claimed, found, held: Some(small), reason: None };
        }
        let question =
            Question { step: self.step, order: self.claims.order, power: 2, floor: FLOOR, shows: ROUND_OFF, claimed };
        let shown = climb(question, &mut |place, step| self.probe.casimirs(numbers, place, step));
        let (held, reason) = match (shown.map(|(_, shown)| shown), small) {
            (Ok(Shown::Nowhere), true) => (Some(true), None),
            (Ok(Shown::Nowhere), false) => (None, Some(ended.unwrap_or(Reason::Accumulated))),
            (Ok(Shown::Here), false) => (Some(false), None),
            (Ok(Shown::At { step, .. }), false) if !claimed || step == self.step => (Some(false), None),
            (Ok(Shown::Here), true) => (None, Some(Reason::InSteps)),
            (Ok(other), _) => (None, other.reason()),
            (Err(reason), _) => (None, Some(reason)),
        };
        Property { claimed, found, held, reason }
    }

    /// The largest energy error along the run.
    fn energy(&mut self, along: &Along) -> Property<f64> {
        let claimed = self.claims.energy;
        let (amplitude, round_off) = (bounded::amplitude(along), bounded::round_off(along));
        let found = match along.errors.is_empty() {
            true => Finding::Undecided(Reason::NoEnergy),
            false => Finding::Measured(amplitude),
        };
        if let Some(reason) = bounded::underflow(along) {
            return Property { claimed, found: Finding::Undecided(reason), held: None, reason: None };
        }
        let small = amplitude <= round_off;
        if amplitude.is_nan() || amplitude > bounded::round_off_of_terms(along).max(round_off) {
            let reason = if claimed { self.quadrature(along) } else { None };
            return Property { claimed, found, held: reason.is_none().then_some(false), reason };
        }
        if let Some(ended) = &along.ended {
            return Property { claimed, found, held: None, reason: Some(Reason::Ended(ended.clone())) };
        }
        if claimed {
            let (held, reason) = if small { (Some(true), None) } else { self.cancelled(along) };
            return Property { claimed, found, held, reason };
        }
        let size = bounded::size(along);
        let question =
            Question { step: self.step, order: self.claims.order, power: 2, floor: FLOOR, shows: round_off, claimed };
        let shown = climb(question, &mut |place, step| self.probe.energy(place, step, size));
        let (held, reason) = match (shown.map(|(_, shown)| shown), small) {
            (Ok(Shown::Nowhere), true) => (Some(true), None),
            (Ok(Shown::Nowhere), false) => (None, Some(Reason::Accumulated)),
            (Ok(Shown::Here), false) => (Some(false), None),
            (Ok(Shown::Here), true) => (None, Some(Reason::InSteps)),
            (Ok(other), _) => (None, other.reason()),
            (Err(reason), _) => (None, Some(reason)),
        };
        Property { claimed, found, held, reason }
    }

    /// Where a method that keeps the energy shows an error above the round-off of the energy, and not above that of its
    /// terms, which cancel: whether so many steps as single ones in double-double arithmetic explain it.
    fn cancelled(&mut self, along: &Along) -> (Option<bool>, Option<Reason>) {
        let (size, round_off) = (bounded::size(along), bounded::round_off(along));
        let mut largest = 0.0f64;
        for place in &along.places {
            let point = self.probe.settled(place);
            match point.and_then(|point| self.probe.energy_from(&point, self.step, size)) {
                Ok(sample) => largest = largest.max(sample.defect),
                Err(reason) => return (None, Some(reason)),
            }
        }
        if largest * along.steps as f64 <= round_off {
            return (Some(true), None);
        }
        match self.quadrature(along) {
            None if largest > round_off => (Some(false), None),
            reason => (None, reason.or(Some(Reason::Accumulated))),
        }
    }

    /// Where a method that keeps the energy does not, whether its quadrature is why: that error falls like h²ˢ⁺¹, to
    /// round-off in a few halvings of the step, and the error of a method of order p which does not keep the energy like
    /// hᵖ⁺¹. At one place it may vanish by chance, and a large step cannot be made from all of them. With the step that is
    /// named the error along the run, so many times larger than round-off, is expected to fall below it.
    fn quadrature(&mut self, along: &Along) -> Option<Reason> {
        let least = 2 * self.claims.order as i32 + 2;
        let (size, excess) = (bounded::size(along), bounded::amplitude(along) / bounded::round_off(along));
        let mut points: Vec<_> = PLACES.iter().filter_map(|place| self.probe.point(place * self.step).ok()).collect();
        points.extend(along.places.iter().filter_map(|place| self.probe.settled(place).ok()));
        if points.len() < 2 {
            return None;
        }
        // The largest defect as a multiple of the power that tells one from the other; that of the whole step, which may
        // resolve nothing, where there is no other.
        let (mut largest, mut whole) = (0.0f64, 0.0);
        let (mut first, mut found) = (None, None);
        for halvings in 0..=HALVINGS {
            let factor = 0.5f64.powi(halvings);
            let samples: Vec<_> =
                points.iter().map(|point| self.probe.energy_from(point, factor * self.step, size)).collect();
            let defect = samples.iter().flatten().map(|sample| sample.defect).fold(0.0, f64::max);
            let multiple = defect / factor.powi(least);
            if halvings > 0 && defect <= f64::EPSILON && samples.iter().all(Result::is_ok) {
                if found.is_none() && multiple > if largest > 0.0 { largest } else { whole } {
                    return None;
                }
                found = Some(Reason::Quadrature { step: self.step * factor, defect });
                if first.is_none_or(|first| excess * defect <= first) {
                    break;
                }
            }
            if samples.iter().any(Result::is_ok) {
                first.get_or_insert(defect);
            }
            match halvings {
                0 => whole = multiple,
                _ => largest = largest.max(multiple),
            }
        }
        found
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

impl Shown {
    /// Why nothing was seen at the given step.
    fn reason(self) -> Option<Reason> {
        match self {
            Shown::At { step, defect } => Some(Reason::DefectAbove { step, defect }),
            Shown::Unclear(reason) => Some(reason),
            Shown::Here | Shown::Nowhere => None,
        }
    }
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
