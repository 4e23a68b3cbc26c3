//! Whether a defect is one of the method or round-off.
//!
//! A method of order p that lacks a property shows a defect that falls with the step, like hᵖ⁺¹ in one step;
//! round-off does not fall, and grows where a small step divides it. So a defect is *real* if it falls as
//! the step is halved twice. One that is not seen at the given step is looked for at larger ones, 4 h, 16 h, …, up
//! to a step so large that it would show. Where smaller steps cannot be made, it is real if it fell so from 4 h on.
//!
//! The equations of a large step have several solutions, and the one that is found need not continue the motion. What that
//! does to a property ends at once below some step, where nothing else is left. So what contradicts a claim has to fall
//! like a power of the step, as far down as it can be followed.

use super::reason::{LargerSteps, Reason};
use cotangent_dynamics::{Failure, Value};

/// A defect in double-double arithmetic up to this can be round-off, its amplification by the equations of a step
/// included; what is larger has to fall with the step to be real.
pub(super) const FLOOR: f64 = 1e-26;

/// Steps grow by this from level to level, and so many times at most.
const RATIO: f64 = 4.0;
const LEVELS: usize = 12;

/// A step that changes the state by this part of it resolves nothing that a larger one would.
const RESOLVED: f64 = 0.25;

/// A map that stretches vectors by more has images so large and so nearly parallel that no defect is seen.
const GROWTH: f64 = 1e3;

/// Error constants of methods of high order may be as small as this.
const SMALLEST_CONSTANT: f64 = 1e-12;

/// So often a step is halved to see how what contradicts a claim falls.
const HALVINGS: i32 = 14;

/// Far above round-off: real if it does not grow as the step falls.
const LARGE: f64 = 1e-6;
pub(super) const CLEAR: f64 = 1e-18;

/// What is asked.
#[derive(Clone, Copy)]
pub(super) struct Question {
    /// The step at which the property is judged.
    pub(super) step: f64,
    /// The order of the method.
    pub(super) order: u32,
    /// The least power of the step by which a real defect falls.
    pub(super) power: i32,
    /// Up to here it can be round-off.
    pub(super) floor: f64,
    /// From here on it shows.
    pub(super) shows: f64,
    /// Whether the method claims the property.
    pub(super) claimed: bool,
}

/// A defect, and which part of the state the step changes.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    pub(super) defect: f64,
    pub(super) reach: f64,
    /// By how much it stretches what it is relative to.
    pub(super) growth: f64,
}

impl Sample {
    /// Of a step whose defect has a value: where it has none, nothing is known of the step.
    pub(super) fn new(defect: f64, reach: f64, growth: f64) -> Result<Sample, Reason> {
        match [defect, reach, growth].iter().any(|number| number.is_nan()) {
            true => Err(Reason::Value(Failure::NotFinite(Value::Residual))),
            false => Ok(Sample { defect, reach, growth }),
        }
    }
}

impl Question {
    /// Whether a sample without a defect says nothing of one.
    fn is_blind(&self, sample: Sample) -> bool {
        !self.claimed && sample.defect <= self.floor && sample.growth > GROWTH
    }

    /// Whether a defect that does not fall is too large for round-off.
    fn is_odd(&self, sample: Sample) -> bool {
        sample.defect > self.floor.max(CLEAR)
    }
}

/// Where a defect shows.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Shown {
    /// At the given step.
    Here,
    /// At a larger one.
    At {
        /// This one.
        step: f64,
        /// What it is there.
        defect: f64,
    },
    /// Neither there nor at larger steps.
    Nowhere,
    /// It is not known, for this reason.
    Unclear(Reason),
}

/// What measures: `gauge(place, step)` is the defect of steps of a size from a point that `place` steps to.
pub(super) type Gauge<'a> = dyn FnMut(f64, f64) -> Result<Sample, Reason> + 'a;

enum Nature {
    Real,
    /// From round-off to something large at once: no power of the step. Another solution was taken. With the step below
    /// which it is not, and the defect there.
    Sudden(f64, f64),
    RoundOff,
    /// Not known: a smaller step cannot be made.
    Unknown(Reason),
}

/// The defect at the given step, and where it shows.
pub(super) fn climb(ask: Question, gauge: &mut Gauge<'_>) -> Result<(f64, Shown), Reason> {
    let first = gauge(ask.step, ask.step)?;
    if ask.is_blind(first) {
        return Ok((first.defect, descend(ask, gauge)));
    }
    let (mut step, mut sample) = (ask.step, first);
    let (mut quiet, mut seen, mut unknown) = (false, None, None);
    // What neither falls as a defect does nor can be round-off: at the given step, and at larger ones.
    let mut odd = [false; 2];
    let mut larger = LargerSteps::NoMore;
    for level in 0..=LEVELS {
        if sample.defect > ask.floor {
            match nature(ask, step, sample, gauge) {
                Nature::Real if sample.defect > ask.shows && level == 0 => return Ok((first.defect, Shown::Here)),
                // Smaller than the next larger step's by as much as a defect falls.
                Nature::Real
                    if level == 1
                        && unknown.is_some()
                        && first.defect > ask.shows.max(CLEAR)
                        && first.defect <= 1.5 * sample.defect * RATIO.powi(-ask.power) =>
                {
                    return Ok((first.defect, Shown::Here));
                }
                Nature::Real => seen = Some((step, sample.defect)),
                Nature::Unknown(reason) if level == 0 => unknown = Some(reason),
                Nature::Sudden(smaller, there) if level == 0 => {
                    let reason = Reason::OtherSolution { defect: first.defect, step: smaller, there };
                    return Ok((first.defect, Shown::Unclear(reason)));
                }
                Nature::Sudden(..) => {
                    larger = LargerSteps::OtherSolution { step };
                    break;
                }
                Nature::RoundOff | Nature::Unknown(_) => odd[usize::from(level > 0)] |= ask.is_odd(sample),
            }
        } else if ask.is_blind(sample) {
            larger = LargerSteps::Growing;
            break;
        } else {
            quiet = true;
            let reach = sample.reach;
            // So large that a method without the property would show it.
            let telling = reach.powi(ask.order as i32 + 1) * SMALLEST_CONSTANT >= ask.floor;
            if reach >= RESOLVED || (ask.claimed && telling) {
                break;
            }
        }
        if seen.is_some_and(|(_, defect)| defect > ask.shows) || level == LEVELS {
            break;
        }
        match gauge(RATIO * step, RATIO * step) {
            Ok(next) => (step, sample) = (RATIO * step, next),
            Err(reason) => {
                larger = LargerSteps::NoStep { step: RATIO * step, reason: Box::new(reason) };
                break;
            }
        }
    }
    let top = step / ask.step >= RATIO.powi(LEVELS as i32);
    let conclusive = sample.defect <= ask.floor && !ask.is_blind(sample) && (sample.reach >= RESOLVED || top);
    if let Some(reason) = unknown {
        let reason = Reason::SmallerSteps { defect: first.defect, reason: Box::new(reason) };
        return Ok((first.defect, Shown::Unclear(reason)));
    }
    let shown = match seen {
        Some((step, defect)) => Shown::At { step, defect },
        None if quiet && !odd[0] && (ask.claimed || conclusive && !odd[1]) => Shown::Nowhere,
        None if quiet && !odd[0] => Shown::Unclear(Reason::RoundOff(larger)),
        None => Shown::Unclear(Reason::NotFalling { defect: first.defect, larger }),
    };
    Ok((first.defect, shown))
}

/// Where a defect shows that the growth in larger steps hides.
fn descend(ask: Question, gauge: &mut Gauge<'_>) -> Shown {
    for level in 1..=LEVELS {
        let step = ask.step * RATIO.powi(-(level as i32));
        match gauge(step, step) {
            Ok(sample) if ask.is_blind(sample) => continue,
            Ok(sample) if sample.defect > ask.shows && matches!(nature(ask, step, sample, gauge), Nature::Real) => {
                return Shown::At { step, defect: sample.defect };
            }
            _ => break,
        }
    }
    Shown::Unclear(Reason::RoundOff(LargerSteps::Growing))
}

fn nature(ask: Question, step: f64, at: Sample, gauge: &mut Gauge<'_>) -> Nature {
    // Twice the order, and a factor: more than any power of the step makes of a halving.
    let most = 2f64.powi(2 * ask.order as i32 + 12);
    let (mut defects, mut failed, mut skipped) = (vec![at.defect], None, 0);
    for halvings in 1..=HALVINGS {
        let smaller = step * 0.5f64.powi(halvings);
        let defect = match gauge(step, smaller) {
            Ok(sample) => sample.defect,
            Err(reason) if halvings <= 2 => return Nature::Unknown(reason),
            Err(reason) => {
                (failed, skipped) = (Some(reason), skipped + 1);
                continue;
            }
        };
        if defects.last().is_some_and(|&last| last > most.powi(1 + skipped) * defect.max(ask.floor)) {
            if defect <= CLEAR {
                return Nature::Sudden(smaller, defect);
            }
            // A step that does not resolve anything says nothing of how a defect falls: from this one on.
            defects.clear();
        }
        defects.push(defect);
        skipped = 0;
        let real = defects.last_chunk().is_some_and(|last: &[f64; 3]| is_real(ask, last));
        // A large step may resolve nothing, and what is not claimed is real if it is so at smaller ones.
        if halvings == 2 && defects.len() == 3 && !real && (ask.claimed || at.defect <= LARGE) {
            return Nature::RoundOff;
        }
        // The rest is for what contradicts a claim, and has not yet fallen to round-off.
        if defects.len() >= 3 && (!ask.claimed && real || ask.claimed && defect <= CLEAR) {
            return Nature::Real;
        }
    }
    match (failed, &defects[..]) {
        (Some(reason), defects) if defects.len() < 3 || !falls(ask, defects) => Nature::Unknown(reason),
        (_, [first, .., last])
            if *last <= first * 0.5f64.powf(0.5 * f64::from(ask.power) * (defects.len() - 1) as f64) =>
        {
            Nature::Real
        }
        _ => Nature::RoundOff,
    }
}

/// Whether the defects of a step, of half of it and of a quarter fall as real ones do.
fn is_real(ask: Question, defects: &[f64; 3]) -> bool {
    let [whole, half, quarter] = *defects;
    let clear = whole > CLEAR && half <= whole && quarter <= 0.7 * whole;
    let large = whole > LARGE && quarter <= 2.0 * whole;
    falls(ask, defects) || clear || large
}

/// Whether they fall at least as fast as the power of the step that is asked for.
fn falls(ask: Question, defects: &[f64]) -> bool {
    let [whole, half, quarter] = [0, 1, 2].map(|k| defects[k]);
    half <= 1.25 * whole * 0.5f64.powi(ask.power) && quarter <= 1.5 * whole * 0.25f64.powi(ask.power)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A step that resolves nothing, 4 or larger: what it shows does not fall at first, and vanishes at a larger one.
    #[test]
    fn what_is_far_above_round_off_is_not_said_to_hold() {
        let mut unresolved = |_: f64, h: f64| {
            let defect = if h > 8.0 { 1e-30 } else { 0.4 * h.powi(3) / (1.0 + h.powi(6)) };
            Ok(Sample { defect, reach: 1.0, growth: 1.0 })
        };
        assert_eq!(climb(asked(4.0, 2, false), &mut unresolved).unwrap().1, Shown::Here);
        // One that falls nowhere is none that is known, whatever a larger step shows.
        for claimed in [true, false] {
            let mut rough = |_: f64, h: f64| {
                let defect = if h > 2.0 { 1e-30 } else { 1e-9 };
                Ok(Sample { defect, reach: 1.0, growth: 1.0 })
            };
            let shown = climb(asked(1.0, 2, claimed), &mut rough).unwrap().1;
            assert!(matches!(shown, Shown::Unclear(Reason::NotFalling { .. })), "{claimed}: {shown:?}");
        }
    }

    fn asked(step: f64, order: u32, claimed: bool) -> Question {
        Question { step, order, power: 2, floor: FLOOR, shows: FLOOR, claimed }
    }

    /// Images that grow like 10⁴⁰ h hide a defect from h = 0.05 on.
    #[test]
    fn where_images_grow_without_bound_nothing_is_shown() {
        let mut explodes = |_: f64, h: f64| match h < 0.02 {
            true => Ok(Sample { defect: h.powi(5), reach: h, growth: 2.0 }),
            false => Ok(Sample { defect: 1e-72, reach: 1.0, growth: 1e36 }),
        };
        let shown = climb(asked(0.05, 4, false), &mut explodes).unwrap().1;
        assert!(matches!(shown, Shown::At { step, .. } if (step - 0.0125).abs() < 1e-12), "{shown:?}");
        // A method without a defect anywhere says as little there.
        let mut none =
            |_: f64, h: f64| Ok(Sample { defect: 1e-72, reach: h, growth: if h < 0.02 { 2.0 } else { 1e36 } });
        let growing = || Shown::Unclear(Reason::RoundOff(LargerSteps::Growing));
        assert_eq!(climb(asked(0.05, 4, false), &mut none).unwrap().1, growing());
        assert_eq!(climb(asked(0.01, 4, false), &mut none).unwrap().1, growing());
        assert_eq!(climb(asked(0.05, 4, true), &mut none).unwrap().1, Shown::Nowhere);
    }

    #[test]
    fn a_defect_that_falls_steeply_at_first_is_one_nevertheless() {
        // As of rk4 on p²/2 + q⁸/8 from q = p = 1: 10⁷ at h = 1, where nothing is resolved, and 0.18 (2h)⁶ from 1/2 on.
        let steep = |h: f64| if h > 0.9 { 1e7 } else { 0.18 * (2.0 * h).powi(6) };
        let shown = climb(asked(1.0, 4, true), &mut |_, h| Ok(Sample { defect: steep(h), reach: h, growth: 1.0 }));
        assert!(matches!(shown, Ok((1e7, Shown::Here))), "{shown:?}");
        // Nor is a fall over steps that cannot be made.
        let gaps = climb(asked(1.0, 4, true), &mut |_, h: f64| match (0.02..0.2).contains(&h) {
            true => Err(Reason::Singular),
            false => Ok(Sample { defect: h.powi(6), reach: h, growth: 1.0 }),
        });
        assert!(matches!(gaps, Ok((1.0, Shown::Here))), "{gaps:?}");
        // What does not fall at all is no defect that grows with the step.
        let flat = climb(asked(1.0, 4, true), &mut |_, h| Ok(Sample { defect: 1e-5, reach: h, growth: 1.0 }));
        assert!(!matches!(flat, Ok((_, Shown::Here))), "{flat:?}");
    }

    /// Round-off of 10⁻³⁰/h, with scatter, and a defect c hʳ; a step moves the state by h.
    fn noisy(c: f64, r: i32) -> impl FnMut(f64, f64) -> Result<Sample, Reason> {
        move |_, h: f64| {
            let scatter = 1.0 + 0.9 * (1e4 * h.ln()).sin();
            Ok(Sample { defect: 1e-30 / h * scatter + c * h.powi(r), reach: h, growth: 1.0 })
        }
    }

    #[test]
    fn a_defect_is_found_at_any_step() {
        for (order, c) in [(1, 0.1), (2, 0.01), (4, 1e-4), (8, 1e-8), (12, 1e-12)] {
            for exponent in 0..20 {
                let h = 0.5 * 0.5f64.powi(exponent);
                let (defect, shown) = climb(asked(h, order, false), &mut noisy(c, order as i32 + 1)).unwrap();
                match shown {
                    Shown::Here => assert!(defect > FLOOR),
                    Shown::At { step, defect } => assert!(step > h && defect > FLOOR),
                    other => panic!("order {order}, step {h}: {other:?}"),
                }
            }
        }
    }

    #[test]
    fn round_off_is_no_defect_at_any_step() {
        for claimed in [true, false] {
            for exponent in 0..20 {
                let h = 0.5 * 0.5f64.powi(exponent);
                let (_, shown) = climb(asked(h, 4, claimed), &mut noisy(0.0, 1)).unwrap();
                assert_eq!(shown, Shown::Nowhere, "step {h}");
            }
        }
    }

    #[test]
    fn a_jump_at_a_large_step_is_no_power_of_the_step() {
        let mut gauge =
            |_: f64, h: f64| Ok(Sample { defect: if h > 1.0 { 1e-3 } else { 1e-31 }, reach: 1e-7 * h, growth: 1.0 });
        assert_eq!(climb(asked(0.5, 2, true), &mut gauge).unwrap().1, Shown::Nowhere);
        assert!(matches!(climb(asked(0.5, 2, false), &mut gauge).unwrap().1, Shown::Unclear(_)));
        assert!(matches!(climb(asked(1.5, 2, true), &mut gauge).unwrap().1, Shown::Unclear(_)));
    }

    /// Other solutions at several steps, from 0.1 on, and none of it below; and a defect that is one all the way down.
    #[test]
    fn what_ends_at_once_below_some_step_contradicts_no_claim() {
        let mut other =
            |_: f64, h: f64| Ok(Sample { defect: if h > 0.1 { 0.9 * h.sqrt() } else { 1e-31 }, reach: h, growth: 1.0 });
        let (defect, shown) = climb(asked(0.8, 4, true), &mut other).unwrap();
        let reason = Reason::OtherSolution { defect, step: 0.1, there: 1e-31 };
        assert_eq!(shown, Shown::Unclear(reason));
        let mut rough =
            |_: f64, h: f64| Ok(Sample { defect: (0.9 * h.sqrt()).min(100.0 * h.powi(5)), reach: h, growth: 1.0 });
        assert_eq!(climb(asked(0.8, 4, true), &mut rough).unwrap().1, Shown::Here);
    }

    /// A defect h³ where steps below 0.008 cannot be made: seen from 0.04 on, at which it is 64 times that of 0.01.
    #[test]
    fn a_defect_is_told_from_round_off_where_no_smaller_step_can_be_made() {
        let failing = |above: f64, c: f64| {
            move |_: f64, h: f64| match h < 0.008 || h > above {
                true => Err(Reason::NoField),
                false => Ok(Sample { defect: c * h.powi(3), reach: h, growth: 1.0 }),
            }
        };
        for claimed in [true, false] {
            assert_eq!(climb(asked(0.01, 2, claimed), &mut failing(1.0, 0.1)).unwrap().1, Shown::Here);
            // Nothing to compare with: neither a defect nor round-off.
            let unknown = Reason::SmallerSteps { defect: 0.1 * 0.01f64.powi(3), reason: Box::new(Reason::NoField) };
            let alone = climb(asked(0.01, 2, claimed), &mut failing(0.02, 0.1)).unwrap().1;
            assert_eq!(alone, Shown::Unclear(unknown));
        }
        // What does not fall from the larger step on is none that is known.
        let mut steady = |_: f64, h: f64| match h < 0.008 {
            true => Err(Reason::NoField),
            false => Ok(Sample { defect: if h < 0.02 { 1e-6 } else { 0.1 * h.powi(3) }, reach: h, growth: 1.0 }),
        };
        let shown = climb(asked(0.01, 2, false), &mut steady).unwrap().1;
        assert!(matches!(shown, Shown::Unclear(Reason::SmallerSteps { .. })), "{shown:?}");
    }

    #[test]
    fn where_larger_steps_fail_what_is_not_claimed_is_open() {
        let mut gauge = |_: f64, h: f64| match h > 0.01 {
            true => Err(Reason::NoField),
            false => Ok(Sample { defect: 1e-31, reach: h, growth: 1.0 }),
        };
        assert_eq!(climb(asked(0.01, 2, true), &mut gauge).unwrap().1, Shown::Nowhere);
        let larger = LargerSteps::NoStep { step: 0.04, reason: Box::new(Reason::NoField) };
        assert_eq!(climb(asked(0.01, 2, false), &mut gauge).unwrap().1, Shown::Unclear(Reason::RoundOff(larger)));
        assert!(climb(asked(0.02, 2, true), &mut gauge).is_err());
    }
}
