//! When an iteration has arrived.

/// When Newton's method stops.
///
/// By default it iterates to round-off, and the last update is always made: an iteration that
/// stops as soon as a threshold is met leaves errors of one sign, which add up in a long run,
/// where those of round-off average out (Hairer, McLachlan & Razakarivony, BIT 48, 2008).
///
/// With δ the update, u the precision and θ the ratio of the last two updates, it has arrived when
///
/// 1. the residual is exactly zero; or
/// 2. the update is the last that can matter: |δⱼ| ≤ u |xⱼ| for every unknown; or the residual is
///    what a rounding of the unknowns explains, |fᵢ| ≤ 2u Σⱼ |∂fᵢ/∂xⱼ xⱼ| for every equation; or θ is
///    small and the next update is expected to be negligible, θ |δⱼ| ≤ u |xⱼ|/16; or every unknown
///    that still changes is all but gone, |δⱼ| ≤ u² sⱼ, sⱼ being its largest size so far; or
/// 3. the updates no longer shrink (θ ≥ 0.7; at a double root they halve), which is accepted if it happens at round-off and not
///    for want of a solution: if |δⱼ| ≤ √u |xⱼ| for every unknown; or if the residual is
///    small, |fᵢ| ≤ √u max(`scale`, Σⱼ |∂fᵢ/∂xⱼ xⱼ|), and is not the quadratic remainder
///    ½ ΔJ δ that the change of the Jacobian predicts; from the fourth stall on either may be
///    otherwise, if |fᵢ| ≤ √u max Σⱼ |∂fₖ/∂xⱼ| sⱼ over the equations k of its group.
///
/// The last case matters where an unknown is zero, or where the equations are made of terms much
/// larger than the part that moves with the unknowns (constraints solved for multipliers).
///
/// The largest size of an unknown is that of the present iterate alone once some update but the first was larger than
/// it by 1/√u: such an iteration has gone astray, and by what it came to everything else would be small.
///
/// Everything is relative to the size of rows and unknowns, so units do not matter, except for
/// `scale`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoppingRule {
    /// Stop already at the first update with |δⱼ| ≤ tolerance · sⱼ for every unknown, sⱼ being its
    /// largest size so far; `None`: at round-off only, as above.
    pub tolerance: Option<f64>,
    /// The size of the terms that unknowns and equations are made of, where they do not show it
    /// themselves.
    pub scale: f64,
    /// After so many updates the iteration is given up.
    pub max_iterations: u32,
}

impl StoppingRule {
    /// Updates whose ratio θ is at least this do not shrink. Newton's method converges with θ = ½ to
    /// a double root, as near a singular configuration: that is slow, but not a stall.
    pub const STALL: f64 = 0.7;
}

impl Default for StoppingRule {
    fn default() -> Self {
        Self { tolerance: None, scale: 1.0, max_iterations: 50 }
    }
}

/// What the rule looks at in one iteration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measure {
    /// max |δⱼ|/sⱼ, with sⱼ the size of the unknown or its largest update so far.
    pub(crate) update: f64,
    /// max |δⱼ|/|xⱼ|.
    pub(crate) relative_update: f64,
    /// max |fᵢ|/Σⱼ |∂fᵢ/∂xⱼ xⱼ|.
    pub(crate) relative_residual: f64,
    /// Whether |δⱼ| > sⱼ/√u for some unknown, with its largest size before.
    pub(crate) runaway: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Make the update and go on.
    Continue,
    /// Make the update: it is the last.
    Last,
    /// The updates do not shrink; converged if this is round-off.
    Stalled,
}

impl StoppingRule {
    /// `previous` is the [`Measure::update`] of the iteration before, if this was a full step.
    pub(crate) fn judge(&self, epsilon: f64, previous: Option<f64>, now: &Measure) -> Verdict {
        if self.tolerance.is_some_and(|tolerance| now.update <= tolerance)
            || now.relative_update <= epsilon
            || now.update <= epsilon * epsilon
            || now.relative_residual <= 2.0 * epsilon
        {
            return Verdict::Last;
        }
        match previous.map(|update| now.update / update) {
            Some(theta) if theta <= 0.25 && theta * now.relative_update <= epsilon / 16.0 => Verdict::Last,
            Some(theta) if theta >= Self::STALL => Verdict::Stalled,
            _ => Verdict::Continue,
        }
    }
}

/// a/b for sizes, where 0/0 is 0: nothing is always small.
pub(crate) fn size_ratio(a: f64, b: f64) -> f64 {
    if a == 0.0 { 0.0 } else { a / b }
}

#[cfg(test)]
mod tests {
    use super::*;

    const U: f64 = f64::EPSILON;

    fn measure(update: f64) -> Measure {
        Measure { update, relative_update: update, relative_residual: update, runaway: false }
    }

    #[test]
    fn an_update_below_the_last_digit_is_the_last() {
        assert_eq!(StoppingRule::default().judge(U, None, &measure(1e-16)), Verdict::Last);
        assert_eq!(StoppingRule::default().judge(U, None, &measure(1e-15)), Verdict::Continue);
    }

    #[test]
    fn an_update_is_the_last_if_the_next_is_bound_to_be_negligible() {
        assert_eq!(StoppingRule::default().judge(U, Some(1e-5), &measure(1e-12)), Verdict::Last);
        assert_eq!(StoppingRule::default().judge(U, Some(1e-5), &measure(1e-10)), Verdict::Continue);
    }

    #[test]
    fn an_unknown_that_vanishes_has_arrived() {
        // It halves for ever, and never is small compared with itself.
        let vanishing = |update: f64| Measure { update, relative_update: 0.5, relative_residual: 1.0, runaway: false };
        assert_eq!(StoppingRule::default().judge(U, Some(8e-32), &vanishing(4e-32)), Verdict::Last);
        assert_eq!(StoppingRule::default().judge(U, Some(2e-20), &vanishing(1e-20)), Verdict::Continue);
    }

    #[test]
    fn updates_that_do_not_shrink_are_a_stall() {
        assert_eq!(StoppingRule::default().judge(U, Some(1e-13), &measure(0.8e-13)), Verdict::Stalled);
        // A double root.
        assert_eq!(StoppingRule::default().judge(U, Some(1e-9), &measure(0.5e-9)), Verdict::Continue);
        assert_eq!(StoppingRule::default().judge(U, None, &measure(1e-13)), Verdict::Continue);
    }

    #[test]
    fn a_tolerance_is_one_more_way_out() {
        let rule = StoppingRule { tolerance: Some(1e-8), ..StoppingRule::default() };
        assert_eq!(rule.judge(U, Some(1e-9), &measure(1e-8)), Verdict::Last);
        assert_eq!(rule.judge(U, Some(1e-7), &measure(2e-8)), Verdict::Continue);
        assert_eq!(rule.judge(U, Some(2e-8), &measure(2e-8)), Verdict::Stalled);
    }

    #[test]
    fn nothing_is_small() {
        assert_eq!((size_ratio(0.0, 0.0), size_ratio(1.0, 0.0)), (0.0, f64::INFINITY));
    }
}
