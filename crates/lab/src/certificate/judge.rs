//! Judges what a method keeps: by single steps, and by what was seen along the run.

use super::along::Along;
use super::candidate::Candidate;
use super::elsewhere::{Elsewhere, Gauged, States};
use super::ladder::{FLOOR, Question, Sample, Shown, climb};
use super::probe::Probe;
use super::reason::{LargerSteps, Reason};
use super::{Finding, Property, ROUND_OFF, bounded};
use cotangent_integrate::Claims;
use cotangent_scalar::{larger, largest};

/// Residuals above this are no accumulated round-off.
const BEYOND: f64 = 1e-8;

/// So often a step is halved to see how fast the error of a quadrature falls.
const HALVINGS: i32 = 8;

/// From places along the motion, given by the steps that lead there.
const PLACES: [f64; 4] = [1.0, 0.73, 0.51, 0.37];

/// Judges single steps and what was seen along the run.
pub(super) struct Judge<'a, C> {
    pub(super) probe: Probe<'a, C>,
    claims: Claims,
    pub(super) step: f64,
    pub(super) along: &'a Along,
}

impl<'a, C: Candidate> Judge<'a, C> {
    pub(super) fn new(probe: Probe<'a, C>, claims: Claims, step: f64, along: &'a Along) -> Judge<'a, C> {
        Judge { probe, claims, step, along }
    }

    fn states(&mut self) -> States<'_, 'a, C> {
        States { probe: &mut self.probe, along: self.along, step: self.step }
    }

    /// A defect of a single step: of the order p + 1 where it is real.
    pub(super) fn step(
        &mut self,
        claimed: bool,
        mut measure: impl FnMut(&mut Probe<'_, C>, f64, f64) -> Result<Sample, Reason>,
    ) -> Property<f64> {
        let question =
            Question { step: self.step, order: self.claims.order, power: 2, floor: FLOOR, shows: FLOOR, claimed };
        match climb(question, &mut |place, step| measure(&mut self.probe, place, step)) {
            Ok((defect, shown)) => {
                if !claimed
                    && shown != Shown::Here
                    && let Some(defect) = self.states().at_charts(question, &mut measure)
                {
                    return Property { claimed, found: Finding::Measured(defect), held: Some(false), reason: None };
                }
                let (held, reason) = match shown {
                    Shown::Here => (Some(false), None),
                    // Of an equilibrium this is the linear part of the equations.
                    Shown::Nowhere if self.probe.rests && !claimed => {
                        (None, Some(Reason::RoundOff(LargerSteps::AtRest)))
                    }
                    Shown::Nowhere if !claimed => return self.not_claimed(question, defect, &mut measure),
                    Shown::Nowhere => (Some(true), None),
                    other => (None, other.reason()),
                };
                Property { claimed, found: Finding::Measured(defect), held, reason }
            }
            Err(reason) => Property { claimed, found: Finding::Undecided(reason), held: None, reason: None },
        }
    }

    /// A defect of a step that is not claimed to have none, and shows none from the start on.
    fn not_claimed(&mut self, question: Question, first: f64, measure: &mut Gauged<'_, C>) -> Property<f64> {
        let (defect, held, reason) = match self.states().show(question, measure) {
            Elsewhere::Shows(defect, Shown::Here) => (defect, Some(false), None),
            Elsewhere::Shows(defect, shown) => (defect, None, shown.reason()),
            // Charts are changed somewhere, and not along this run.
            Elsewhere::Holds if self.probe.in_charts() && self.along.charts.is_empty() => {
                (first, None, Some(Reason::OneChart))
            }
            Elsewhere::Holds => (first, Some(true), None),
            Elsewhere::Unknown => (first, None, Some(Reason::NowhereElse)),
        };
        Property { claimed: false, found: Finding::Measured(defect), held, reason }
    }

    /// Whether what was kept along the run is kept: what is not claimed may be so on this motion alone.
    fn kept(&mut self, question: Question, measure: &mut Gauged<'_, C>) -> (Option<bool>, Option<Reason>) {
        if question.claimed {
            return (Some(true), None);
        }
        let (question, here) = (Question { shows: question.floor, ..question }, self.step);
        match self.states().show(question, measure) {
            Elsewhere::Shows(_, Shown::At { step, defect }) => (None, Some(Reason::ThisMotion { step, defect })),
            Elsewhere::Shows(defect, _) => (None, Some(Reason::ThisMotion { step: here, defect })),
            Elsewhere::Holds => (Some(true), None),
            Elsewhere::Unknown => (None, Some(Reason::NowhereElse)),
        }
    }

    /// What single steps say of what changed along the run: by no more than round-off, or by more, perhaps as it ended early.
    fn explained(
        &mut self,
        question: Question,
        small: bool,
        ended: Option<Reason>,
        measure: &mut Gauged<'_, C>,
    ) -> (Option<bool>, Option<Reason>) {
        let shown = climb(question, &mut |place, step| measure(&mut self.probe, place, step));
        match (shown.map(|(_, shown)| shown), small) {
            (Ok(Shown::Nowhere), true) => self.kept(question, measure),
            (Ok(Shown::Nowhere), false) => (None, Some(ended.unwrap_or(Reason::Accumulated))),
            (Ok(Shown::Here), false) => (Some(false), None),
            (Ok(Shown::At { step, .. }), false) if !question.claimed || step == self.step => (Some(false), None),
            (Ok(Shown::Here), true) => (None, Some(Reason::InSteps)),
            (Ok(other), _) => (None, other.reason()),
            (Err(reason), _) => (None, Some(reason)),
        }
    }

    /// The residuals of the constraints (0) or of the hidden ones (1) along the run, if there are any.
    pub(super) fn residual(&mut self, level: usize, claimed: bool) -> Property<f64> {
        let along = self.along;
        if along.members[level] == 0 {
            return Property::absent();
        }
        let residual = along.residuals[level];
        let found = match &along.ended {
            Some(ended) if ended.steps == 0 => Finding::Undecided(Reason::Ended(ended.clone())),
            _ => Finding::Measured(residual),
        };
        let small = residual <= ROUND_OFF;
        let ended = along.ended.clone().map(Reason::Ended);
        if small && ended.is_some() {
            return Property { claimed, found, held: None, reason: ended };
        }
        // Of a run that ended early the last steps are none of the motion: they contradict no claim.
        let beyond = match ended.is_some() {
            true => !claimed && residual > BEYOND,
            false => residual.is_nan() || residual > BEYOND,
        };
        if claimed && small || beyond {
            return Property { claimed, found, held: Some(small), reason: None };
        }
        let scales = &along.scales[level];
        let floor = match self.probe.residual_at_start(level + 1, scales) {
            Ok(start) => FLOOR.max(16.0 * start),
            Err(reason) => return Property { claimed, found, held: None, reason: Some(reason) },
        };
        let question =
            Question { step: self.step, order: self.claims.order, power: 1, floor, shows: ROUND_OFF, claimed };
        let mut measure = |probe: &mut Probe<'_, C>, _: f64, step: f64| probe.residual(level + 1, scales, step);
        let (held, reason) = self.explained(question, small, ended, &mut measure);
        Property { claimed, found, held, reason }
    }

    /// The largest change of a Casimir along the run.
    pub(super) fn casimirs(&mut self, numbers: &[usize]) -> Property<f64> {
        let (claimed, along) = (self.claims.casimirs, self.along);
        let change = along.casimirs;
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
        let mut measure = |probe: &mut Probe<'_, C>, place: f64, step: f64| probe.casimirs(numbers, place, step);
        let (held, reason) = self.explained(question, small, ended, &mut measure);
        Property { claimed, found, held, reason }
    }

    /// The largest energy error along the run.
    pub(super) fn energy(&mut self) -> Property<f64> {
        let (claimed, along) = (self.claims.energy, self.along);
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
            let reason = if claimed { self.quadrature() } else { None };
            return Property { claimed, found, held: reason.is_none().then_some(false), reason };
        }
        if let Some(ended) = &along.ended {
            return Property { claimed, found, held: None, reason: Some(Reason::Ended(ended.clone())) };
        }
        if claimed {
            let (held, reason) = if small { (Some(true), None) } else { self.cancelled() };
            return Property { claimed, found, held, reason };
        }
        let size = bounded::size(along);
        let question =
            Question { step: self.step, order: self.claims.order, power: 2, floor: FLOOR, shows: round_off, claimed };
        let mut measure = |probe: &mut Probe<'_, C>, place: f64, step: f64| probe.energy(place, step, size);
        let shown = climb(question, &mut |place, step| measure(&mut self.probe, place, step));
        let (held, reason) = match (shown.map(|(_, shown)| shown), small) {
            (Ok(Shown::Nowhere), true) => self.kept(question, &mut measure),
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
    fn cancelled(&mut self) -> (Option<bool>, Option<Reason>) {
        let along = self.along;
        let (size, round_off) = (bounded::size(along), bounded::round_off(along));
        let mut worst = 0.0;
        for place in &along.places {
            let point = self.probe.settled(place);
            match point.and_then(|point| self.probe.energy_from(&point, self.step, size)) {
                Ok(sample) => worst = larger(worst, sample.defect),
                Err(reason) => return (None, Some(reason)),
            }
        }
        if worst * along.steps as f64 <= round_off {
            return (Some(true), None);
        }
        match self.quadrature() {
            None if worst > round_off => (Some(false), None),
            reason => (None, reason.or(Some(Reason::Accumulated))),
        }
    }

    /// Where a method that keeps the energy does not, whether its quadrature is why: that error falls like h²ˢ⁺¹, to
    /// round-off in a few halvings of the step, and the error of a method of order p which does not keep the energy like
    /// hᵖ⁺¹. At one place it may vanish by chance, and a large step cannot be made from all of them. With the step that is
    /// named the error along the run, so many times larger than round-off, is expected to fall below it.
    fn quadrature(&mut self) -> Option<Reason> {
        let along = self.along;
        let least = 2 * self.claims.order as i32 + 2;
        let (size, excess) = (bounded::size(along), bounded::amplitude(along) / bounded::round_off(along));
        let mut points: Vec<_> = PLACES.iter().filter_map(|place| self.probe.point(place * self.step).ok()).collect();
        points.extend(along.places.iter().filter_map(|place| self.probe.settled(place).ok()));
        if points.len() < 2 {
            return None;
        }
        // The largest defect as a multiple of the power that tells one from the other; that of the whole step, which may
        // resolve nothing, where there is no other.
        let (mut most, mut whole) = (0.0, 0.0);
        let (mut first, mut found) = (None, None);
        for halvings in 0..=HALVINGS {
            let factor = 0.5f64.powi(halvings);
            let samples: Vec<_> =
                points.iter().map(|point| self.probe.energy_from(point, factor * self.step, size)).collect();
            let defect = largest(samples.iter().flatten().map(|sample| sample.defect));
            let multiple = defect / factor.powi(least);
            if halvings > 0 && defect <= f64::EPSILON && samples.iter().all(Result::is_ok) {
                if found.is_none() && multiple > if most > 0.0 { most } else { whole } {
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
                _ => most = larger(most, multiple),
            }
        }
        found
    }
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
