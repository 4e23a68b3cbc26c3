//! What no step does unnoticed: come near a singular configuration, or change the energy by a leap.

use cotangent_dynamics::Conditioned;
use serde::{Deserialize, Serialize};

/// Steps near a singular configuration, one after the other.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Passage {
    /// The time at the end of the step with the largest condition.
    pub time: f64,
    /// That condition; 1/u where the constraints are dependent to working precision.
    pub condition: f64,
    /// The constraint that depends on the others.
    pub constraint: usize,
    /// Whether the motion went through the configuration.
    pub crossed: bool,
}

/// A change of the energy in one step that is out of proportion to all before, or to the energy itself.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Jump {
    /// The time at the end of the step.
    pub time: f64,
    /// By how much the energy changed.
    pub change: f64,
}

/// A step that does not resolve the motion.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Unresolved {
    /// The time at the end of the step.
    pub time: f64,
    /// How many times larger the terms of the energy became since they were last looked at.
    pub grown: f64,
    /// The same in two steps of half the size; none if they could not be made.
    pub halves: Option<f64>,
}

/// What was noticed along a run, in constant memory.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Monitor {
    /// The first passages, [`MAX_PASSAGES`] at most.
    pub passages: Vec<Passage>,
    /// How many there were in all.
    pub passage_count: u64,
    /// The largest leap of the energy.
    pub jump: Option<Jump>,
    /// When the error of the energy became a large part of it.
    pub lost: Option<Jump>,
    /// The first step that was found not to resolve the motion.
    #[serde(default)]
    pub unresolved: Option<Unresolved>,
    /// Steps of several solutions of which the smooth continuation was taken.
    pub followed: u64,
    /// Steps that were made in parts: they were longer than a gap between two branches is wide.
    #[serde(default)]
    pub parted: u64,
    /// Steps that were brought back onto the constraints, by no more than the rounding of their multipliers.
    pub mended: u64,
    /// Steps beside singular configurations whose momenta, which the method leaves free, were brought back.
    pub settled: u64,
    /// Rows between steps that no step of the method reaches.
    #[serde(default)]
    pub omitted: u64,
    /// The least and the largest pace of time, where it is a variable.
    #[serde(default)]
    pub pace: Option<[f64; 2]>,
    /// Whether forces were badly determined ever since the last singular configuration that was passed.
    unsettled: bool,
    /// Whether the last step belongs to a passage.
    near: bool,
    /// Whether a singular configuration was near at the end of the last step.
    ill: bool,
    /// The largest change of the energy in one step so far, leaps not counted.
    quiet: f64,
    /// An error of the energy that is known to be a small part of it, and with it all up to half as large again.
    known_error: f64,
    /// The terms of the energy when they were last looked at: as often as it changes by more than ever before.
    #[serde(default)]
    terms: f64,
    /// Steps seen.
    steps: u64,
    /// So many steps are looked at closely before others are taken calmly, and twice as many as this the next time.
    #[serde(default)]
    close: u64,
    #[serde(default)]
    last_close: u64,
}

/// So many passages are listed; the rest is counted.
pub const MAX_PASSAGES: usize = 100;

/// The fewest and the most steps that are looked at closely before that is thought of again.
const CLOSE: [u64; 2] = [16, 1024];
/// Steps that show what changes of the energy are ordinary.
const ORDINARY: u64 = 4;
/// An ordinary change is no larger than the largest so far, times this.
const GROWTH: f64 = 8.0;
/// A leap is larger than the largest change so far, times this, and than this part of the terms that the energy is
/// made of…
const LEAP: (f64, f64) = (20.0, 0.01);
/// … and a change that is this part of them is spoken of, whatever was before.
const SHARE: f64 = 0.05;
/// An error of the energy that is this part of its terms is spoken of, however slowly it came.
const LOST: f64 = 0.25;
/// Terms of the energy that grow by this factor are looked at again with half the step…
const GROWN: f64 = 4.0;
/// … and are not resolved if they differ by this one.
const APART: f64 = 2.0;
/// Units in the last place of those terms that rounding may change.
const UNITS: f64 = 1000.0;

/// What to think of a change of the energy in one step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
pub(crate) enum Change {
    /// As those before.
    Ordinary,
    /// Larger than those before.
    Large,
    /// A large part of the energy, though no more than steps before have led to expect.
    Rough,
    /// Out of all proportion.
    Leap,
}

impl Monitor {
    /// Whether a step before changed the energy as much.
    pub(crate) fn has_seen(&self, change: f64) -> bool {
        self.steps >= ORDINARY && change.abs() <= self.quiet
    }

    /// Whether a change of the energy is a leap, if that of what it is the energy of is small enough.
    pub(crate) fn is_far_larger(&self, change: f64) -> bool {
        change.abs() > LEAP.0 * self.quiet
    }

    /// Whether nothing out of the ordinary goes on.
    pub(crate) fn is_calm(&self) -> bool {
        self.steps >= ORDINARY && self.close == 0 && !(self.ill || self.unsettled || self.near)
    }

    /// Whether a change of the energy in so many steps hides no leap: a step before made it, or it is no large part of the terms.
    /// If it may hide one, these steps are looked at closely.
    pub(crate) fn expects(&mut self, change: f64, steps: u64, terms: impl FnOnce() -> f64) -> bool {
        let size = change.abs();
        let is_expected = size <= self.quiet || size <= 2.0 * self.quiet * steps as f64 && size <= LEAP.1 * terms();
        if !is_expected {
            self.close = steps;
        }
        is_expected
    }

    /// The next steps are looked at closely: as the last one had to be, these may have to be, too.
    pub(crate) fn look_closely(&mut self) {
        self.last_close = (2 * self.last_close).clamp(CLOSE[0], CLOSE[1]);
        self.close = self.last_close;
    }

    /// Whether a change of the energy in one step is ordinary: it is then known for the steps that follow.
    pub(crate) fn expects_one(&mut self, change: f64, terms: impl FnOnce() -> f64) -> bool {
        let is_ordinary = || change.is_finite() && self.judge(change, terms()) == Change::Ordinary;
        let is_expected = self.has_seen(change) || is_ordinary();
        if is_expected {
            self.quiet = self.quiet.max(change.abs());
        }
        is_expected
    }

    /// Takes note of so many steps in which nothing happened but this change of the energy.
    pub(crate) fn note_calm(&mut self, change: f64, steps: u64) {
        self.steps += steps;
        self.last_close = 0;
        // One of them made a change as large as their mean.
        self.quiet = self.quiet.max(change.abs() / steps as f64);
    }

    /// Takes note of a step through a narrow place, which has a smaller part of the energy to itself than others.
    pub(crate) fn note_kick(&mut self, time: f64, change: f64, terms: f64) {
        if change.abs() > LEAP.1 * terms && self.jump.is_none_or(|jump| change.abs() > jump.change.abs()) {
            self.jump = Some(Jump { time, change });
        }
    }

    /// Judges a change of the energy, given the size of its terms.
    pub(crate) fn judge(&self, change: f64, magnitude: f64) -> Change {
        let size = change.abs();
        let known = self.steps >= ORDINARY;
        if size > LEAP.1 * magnitude && known && size > LEAP.0 * self.quiet {
            Change::Leap
        } else if size > SHARE * magnitude && self.steps > 0 {
            // The first step from rest changes what is nothing yet.
            Change::Rough
        } else if known && size > GROWTH * self.quiet && size > UNITS * f64::EPSILON * magnitude {
            Change::Large
        } else {
            Change::Ordinary
        }
    }

    /// Whether the terms of the energy at the start are not known yet.
    pub(crate) fn lacks_terms(&self) -> bool {
        self.terms == 0.0
    }

    /// By what factor the terms of the energy have grown, if that has to be looked at: a motion that ends in finite time
    /// grows without bound, and a method that keeps the energy, the difference of these terms, may step over its end.
    pub(crate) fn has_grown(&self, terms: f64) -> Option<f64> {
        let looks = self.unresolved.is_none() && self.terms > 0.0 && terms.is_finite() && terms > GROWN * self.terms;
        looks.then(|| terms / self.terms)
    }

    /// Takes note of the terms of the energy, and of their growth beside that in two steps of half the size.
    pub(crate) fn note_terms(&mut self, time: f64, terms: f64, halves: Option<Option<f64>>) {
        if let (Some(halves), Some(grown)) = (halves, self.has_grown(terms)) {
            let halves = halves.map(|halves| halves / self.terms);
            let agrees = |halves: f64| halves < APART * grown && grown < APART * halves;
            if !halves.is_some_and(agrees) {
                self.unresolved = Some(Unresolved { time, grown, halves });
            }
        }
        self.terms = terms;
    }

    /// Whether the last state is one near which steps may have several solutions.
    pub(crate) fn is_ill(&self) -> bool {
        self.ill
    }

    /// Whether the motion has not yet left a singular configuration that it passed.
    pub(crate) fn is_unsettled(&self) -> bool {
        self.unsettled
    }

    /// Whether an error of the energy is larger than any that was looked at.
    pub(crate) fn is_new_error(&self, error: f64) -> bool {
        self.steps > 0 && error.abs() > 1.5 * self.known_error
    }

    /// Looks at an error of the energy, given the size of its terms: one that is a large part of them has become so
    /// step by step. An error that made them larger is no part of what they should be.
    pub(crate) fn note_error(&mut self, time: f64, error: f64, magnitude: f64) {
        let large = LOST * (magnitude - error.max(0.0)).max(0.0);
        if error.abs() > large && self.lost.is_none() {
            self.lost = Some(Jump { time, change: error });
        }
        // The next one to look at is half as large again, or large.
        self.known_error = match self.lost {
            Some(_) => error.abs(),
            // Of an energy that falls, the terms fall with it.
            None if error < 0.0 => error.abs().min(LOST / (1.0 + LOST) * (magnitude - error) / 1.5),
            None => error.abs().min(large / 1.5),
        };
    }

    /// Takes note of the pace of time.
    pub(crate) fn note_pace(&mut self, pace: f64) {
        let [least, largest] = self.pace.unwrap_or([pace, pace]);
        self.pace = Some([least.min(pace), largest.max(pace)]);
    }

    /// Takes note of a step that was made.
    pub(crate) fn note(&mut self, time: f64, change: f64, kind: Change, conditioned: Option<Conditioned>) {
        self.steps += 1;
        self.close = self.close.saturating_sub(1);
        if kind >= Change::Rough && self.jump.is_none_or(|jump| change.abs() > jump.change.abs()) {
            self.jump = Some(Jump { time, change });
        }
        if kind != Change::Leap {
            self.quiet = self.quiet.max(change.abs());
        }
        let Some(conditioned) = conditioned else { return };
        self.ill = conditioned.is_ill();
        let singular = conditioned.is_singular();
        self.unsettled = self.ill && (self.unsettled || singular);
        let Conditioned { condition, constraint, crossed, .. } = conditioned;
        let passage = Passage { time, condition, constraint, crossed };
        if singular && !self.near {
            self.passage_count += 1;
            if self.passages.len() < MAX_PASSAGES {
                self.passages.push(passage);
            }
        } else if singular
            && self.passage_count <= MAX_PASSAGES as u64
            && let Some(last) = self.passages.last_mut()
        {
            let crossed = crossed || last.crossed;
            *last = if condition > last.condition { passage } else { *last };
            last.crossed = crossed;
        }
        self.near = singular;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(changes: &[f64]) -> Monitor {
        let mut monitor = Monitor::default();
        for (k, &change) in changes.iter().enumerate() {
            let kind = monitor.judge(change, 1.0);
            monitor.note(k as f64, change, kind, None);
        }
        monitor
    }

    #[test]
    fn a_leap_is_out_of_proportion_to_the_steps_before_and_a_part_of_the_energy() {
        let quiet = [1e-6; 20];
        let with = |last: f64| after(&[&quiet[..], &[last]].concat()).jump;
        assert_eq!(with(0.5), Some(Jump { time: 20.0, change: 0.5 }));
        assert_eq!(with(-0.5), Some(Jump { time: 20.0, change: -0.5 }));
        assert_eq!(with(1e-3), None);
    }

    #[test]
    fn a_large_part_of_the_energy_is_not_expected_though_steps_before_led_to_it() {
        // Six times as much as ever before, of an energy of 1: 0.03 is ordinary, and 0.06 is spoken of.
        assert!(after(&[0.005; 20]).expects_one(0.03, || 1.0));
        assert!(!after(&[0.01; 20]).expects_one(0.06, || 1.0));
        assert!(!after(&[0.01; 20]).expects_one(f64::NAN, || 1.0));
    }

    #[test]
    fn errors_that_grow_from_step_to_step_are_no_leap() {
        let growing: Vec<f64> = (0..25).map(|k| 1e-9 * 2f64.powi(k)).collect();
        assert_eq!(after(&growing).jump, None);
        // Until they are a part of the energy that nobody would take for an error of the method.
        let growing: Vec<f64> = (0..30).map(|k| 1e-9 * 2f64.powi(k)).collect();
        assert_eq!(after(&growing).jump.map(|jump| jump.time), Some(29.0));
    }

    #[test]
    fn an_error_is_large_from_a_quarter_of_the_terms_on() {
        // H = T grows from 1, or falls, slowly: by a quarter of what it should be, or of what it has become.
        for (sign, at) in [(1.0, 250.0), (-1.0, 200.0)] {
            let mut monitor = Monitor { steps: 1, ..Monitor::default() };
            for error in (1..1000).map(|k| sign * 0.001 * f64::from(k)) {
                if monitor.is_new_error(error) {
                    monitor.note_error(1e3 * error.abs(), error, 1.0 + error);
                }
            }
            assert!(monitor.lost.is_some_and(|lost| (lost.time - at).abs() < 1.5), "{:?}", monitor.lost);
        }
    }

    #[test]
    fn terms_that_grow_otherwise_with_half_the_step_are_not_resolved() {
        let noted = |halves: Option<f64>| {
            let mut monitor = Monitor::default();
            monitor.note_terms(0.1, 2.0, None);
            assert_eq!((monitor.has_grown(7.0), monitor.has_grown(20.0)), (None, Some(10.0)));
            monitor.note_terms(0.2, 20.0, Some(halves));
            monitor.unresolved
        };
        assert_eq!(noted(Some(24.0)), None);
        assert_eq!(noted(Some(2e3)), Some(Unresolved { time: 0.2, grown: 10.0, halves: Some(1e3) }));
        assert_eq!(noted(Some(f64::NAN)).map(|u| u.time), Some(0.2));
        assert_eq!(noted(None), Some(Unresolved { time: 0.2, grown: 10.0, halves: None }));
    }

    #[test]
    fn steps_near_one_singular_configuration_are_one_passage() {
        let mut monitor = Monitor::default();
        let mut at = |time: f64, condition: f64, crossed: bool| {
            monitor.note(time, 0.0, Change::Ordinary, Some(Conditioned::of(condition, 3, crossed)));
        };
        at(0.1, 10.0, false);
        at(0.2, 1e7, false);
        at(0.3, 1e9, true);
        at(0.4, 1e6, false);
        at(0.5, 10.0, false);
        at(0.6, 100.0, true);
        let crossed = |time, condition| Passage { time, condition, constraint: 3, crossed: true };
        assert_eq!(monitor.passages, [crossed(0.3, 1e9), crossed(0.6, 100.0)]);
        assert_eq!(monitor.passage_count, 2);
    }
}
