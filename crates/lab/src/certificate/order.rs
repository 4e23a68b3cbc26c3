//! The order of a method, against an independent solution.
//!
//! The method runs in double-double arithmetic, so that errors of high-order methods are not lost in
//! round-off, over one interval with steps that halve. The solution to compare with comes from
//! extrapolation, a family of its own, applied to the Hamilton–Dirac equations (or the vector field,
//! if there are no constraints): other equations than those the method solves. Errors are measured in the
//! variables of the model, whatever those of the equations are.

use super::candidate::{Candidate, Explicit};
use super::stable::resolves;
use super::subject::{Subject, distance};
use super::{Finding, OrderAt, Property, Reason};
use crate::fit::{Order, observed_order};
use crate::reference::Reference;
use cotangent_scalar::Dd;

/// The interval has so many steps of the given size.
const INTERVAL: u64 = 16;

/// Step sizes from 2³ to 2⁻⁴ times the given one.
const COARSEST: i32 = 3;
const FINEST: i32 = -4;

/// An error is one of the method, not of the reference, if it is so many times larger.
const MARGIN: f64 = 1e3;

/// Evaluations times dimension that the reference may take.
const BUDGET: u64 = 8_000_000;

/// Beyond, a reference to so many digits takes too long.
const LARGEST: usize = 400;

/// How far a measured order may be below the claim, beyond its own uncertainty.
const TOLERANCE: f64 = 0.1;

/// Where the given step contradicts a claim, these parts of it are asked, each an eighth of the one before; two of them at
/// least have to confirm it.
const SMALLER: [f64; 5] = [1.0 / 8.0, 1.0 / 64.0, 1.0 / 512.0, 1.0 / 4096.0, 1.0 / 32768.0];
const CONFIRMED: usize = 2;

/// A fit that is known no better contradicts nothing.
const TOLD: f64 = 0.5;

/// An order that is known no better is not decided.
const CERTAIN: f64 = 0.2;

/// The order, judged: whether it is what is claimed, or why that is not decided.
///
/// It is a statement about small steps. Where the given step contradicts it, a smaller one is asked; where errors are
/// lost in round-off, a larger one. Behind a singular configuration, at the time that is given, the equations of the
/// reference may go on along another branch.
pub(super) fn judge<C: Candidate>(
    subject: &Subject<'_, C>,
    step: f64,
    claimed: u32,
    singular: Option<f64>,
) -> Property<Order, u32> {
    if subject.problem.start().len() > LARGEST {
        let reason = Reason::NoReference { largest: LARGEST };
        return Property { claimed, found: Finding::Undecided(reason), held: None, reason: None };
    }
    let at = |factor: f64| -> Result<Order, Reason> {
        let time = INTERVAL as f64 * step * factor;
        if singular.is_some_and(|singular| singular <= time.abs()) {
            return Err(Reason::Singular);
        }
        reference(subject, time).and_then(|(exact, known)| order_against(subject, step * factor, &exact, known))
    };
    let described = |factor: f64, order: &Order| OrderAt {
        step: step * factor,
        value: order.value,
        uncertainty: order.uncertainty,
    };
    // The first of some steps that shows the order.
    let elsewhere = |factors: &[f64]| {
        let shows = |&factor: &f64| {
            let order = at(factor).ok().filter(|order| held(order, claimed) == Some(true))?;
            Some((factor, described(factor, &order)))
        };
        factors.iter().find_map(shows)
    };
    // What smaller steps say of what the given one denies: down to where it is certain.
    let smaller = |verdict: Option<bool>| {
        let mut confirmed = 0;
        for factor in SMALLER {
            match at(factor).map(|order| (held(&order, claimed), order)) {
                Ok((Some(true), order)) => return (None, Some(Reason::TooLarge(described(factor, &order)))),
                Ok((Some(false), order)) if order.uncertainty < TOLD && resolves(subject, step * factor) => {
                    confirmed += 1
                }
                Ok(_) => confirmed = 0,
                // Below are rounding and the accuracy of the reference.
                Err(_) if confirmed > 0 => break,
                Err(_) => {}
            }
            if verdict.is_none() && factor <= SMALLER[CONFIRMED - 1] || confirmed >= CONFIRMED {
                break;
            }
        }
        match verdict {
            Some(false) if confirmed > 0 => (Some(false), None),
            _ => (None, Some(Reason::NotConfirmed)),
        }
    };
    match at(1.0) {
        Ok(order) => {
            let (held, reason) = match held(&order, claimed) {
                Some(true) => (Some(true), None),
                verdict => smaller(verdict),
            };
            Property { claimed, found: Finding::Measured(order), held, reason }
        }
        Err(why) => {
            let reason = match elsewhere(&[8.0, 0.125, 64.0, 512.0]) {
                Some((factor, larger)) if factor > 1.0 => Reason::OrderAbove(larger),
                Some((_, there)) => Reason::OrderElsewhere { here: Box::new(why), there },
                None => why,
            };
            Property { claimed, found: Finding::Undecided(reason), held: None, reason: None }
        }
    }
}

/// A system may be kind to a method: linear constraints lower no order. An order is what is claimed if it is not below
/// it, and known well enough to tell it from the next lower one.
fn held(order: &Order, claimed: u32) -> Option<bool> {
    let apart = f64::from(claimed) - order.value - TOLERANCE;
    let is_told_from_lower = order.value - order.uncertainty > f64::from(claimed) - 0.5;
    match apart <= order.uncertainty.min(CERTAIN) && is_told_from_lower {
        true => Some(true),
        false => (apart > order.uncertainty).then_some(false),
    }
}

/// The order of a method from its distances to the exact state after 16 steps of the given size,
/// which is known to the accuracy `known`, relative to its size.
///
/// The order is that of the formula: a method that controls its steps makes those that are given.
pub fn order_against<C: Candidate>(
    subject: &Subject<'_, C>,
    step: f64,
    exact: &[Dd],
    known: f64,
) -> Result<Order, Reason> {
    let formula = subject.prepared.uncontrolled();
    let subject = &Subject { prepared: &formula, ..*subject };
    let start = subject.start::<Dd>().map_err(Reason::Step)?;
    let halves = subject.problem.nature().halves;
    let (mut sizes, mut errors) = (vec![], vec![]);
    for level in (FINEST..=COARSEST).rev() {
        let factor = 2f64.powi(level);
        let steps = (INTERVAL as f64 / factor) as u64;
        // A step that is too large for the method is no part of its order.
        let walked = subject.walk(&start, step * factor, steps);
        let Ok(end) = walked.and_then(|end| subject.model_state(&end)) else { continue };
        let error = distance(&end, exact, halves);
        if error <= MARGIN * known {
            break;
        }
        sizes.push(step.abs() * factor);
        errors.push(error);
    }
    observed_order(&sizes, &errors).map_err(Reason::NoOrder)
}

/// The variables of the model at a time, to some 25 digits, and how accurate they are.
fn reference<C: Candidate>(subject: &Subject<'_, C>, time: f64) -> Result<(Vec<Dd>, f64), Reason> {
    subject.go_on().map_err(Reason::Step)?;
    let Some(Explicit { mut field, of_model }) = subject.problem.reference()? else { return Err(Reason::NoField) };
    let lifted = |state: Vec<Dd>| subject.model_state(&state).map_err(Reason::Step);
    let start = subject.start::<Dd>().map_err(Reason::Step)?;
    let mut state = if of_model { lifted(start)? } else { start };
    let mut rates = |z: &[Dd], out: &mut [Dd]| subject.go_on().and_then(|()| field.rate(z, out));
    let budget = BUDGET / state.len().max(1) as u64;
    let blocks = if subject.problem.nature().halves { 2 } else { 1 };
    let reference = Reference::new(1e-28).with_budget(budget).in_blocks(state.len() / blocks);
    let solved = reference.solve(&mut rates, &mut state, Dd::from(time));
    let solved = solved.map_err(Reason::Reference)?;
    let state = if of_model { state } else { lifted(state)? };
    Ok((state, solved.error_estimate))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cotangent_compile::Engine;
    use cotangent_integrate::Method;
    use cotangent_model::{Options, System};
    use cotangent_problem::{Instance, Repairs};
    use cotangent_theory::Formulation;

    #[test]
    fn an_order_that_is_not_known_decides_nothing() {
        let judged =
            |value, uncertainty, claimed| held(&Order { value, uncertainty, used: vec![], points: vec![] }, claimed);
        // An interval that has the order claimed and those below it.
        assert_eq!(judged(6.2, 4.4, 4), None);
        assert_eq!(judged(4.0, 0.6, 4), None);
        assert_eq!(judged(3.0, 1.5, 4), None);
        // One that has no lower order, and one that has no other.
        assert_eq!(judged(6.2, 1.4, 4), Some(true));
        assert_eq!(judged(3.9, 0.1, 4), Some(true));
        assert_eq!(judged(3.75, 0.2, 4), Some(true));
        assert_eq!(judged(3.0, 0.3, 4), Some(false));
        assert_eq!(judged(3.8, 0.01, 4), Some(false));
    }

    #[test]
    fn a_claim_that_is_too_high_is_contradicted_at_steps_that_show_it() {
        let text = "coord x\nhamiltonian p_x^2/2 - cos(x)\ninitial x = 1, p_x = 0.3\n";
        let system = System::parse_with(text, &Options::default()).unwrap();
        let problem = Instance::new(&system, Formulation::Multipliers, &[], Repairs::default(), Engine::Tape).unwrap();
        for (method, order) in [(Method::Rk4, 4), (Method::StormerVerlet, 2), (Method::SymplecticEuler, 1)] {
            let prepared = problem.prepare(method).unwrap();
            let subject = Subject::new(&problem, &prepared);
            for step in [0.3, 0.1, 0.01] {
                assert_eq!(judge(&subject, step, order, None).held, Some(true), "{method:?} {step}");
                assert_eq!(judge(&subject, step, order + 1, None).held, Some(false), "{method:?} {step}");
            }
        }
    }
}
