//! When an iteration has arrived.

use crate::Pattern;
use crate::pivoting::grow;
use cotangent_scalar::Real;

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
///    what a rounding of the unknowns explains, |fᵢ| ≤ 2u Σⱼ |∂fᵢ/∂xⱼ xⱼ| for every equation; or θ ≤ ¼
///    and what comes next is negligible: θ |δⱼ| ≤ u |xⱼ|/16 for every unknown, or, where the sizes tᵢ of the terms of the equations
///    are given, the residual that quadratic convergence leaves, θ² |fᵢ| ≤ u tᵢ/65536 for every equation (it has one sign, and
///    adds up), which is also known of a first update of no more than ¼ from a good guess: |fᵢ| ≤ √u tᵢ/256, as what it leaves is of the
///    size of |fᵢ|²/tᵢ; or every unknown
///    that still changes is all but gone, |δⱼ| ≤ u² sⱼ, sⱼ being its largest size so far; or
/// 3. the updates no longer shrink (θ ≥ 0.7; at a double root they halve), which is accepted if it happens at round-off and not
///    for want of a solution: if |δⱼ| ≤ √u |xⱼ| for every unknown; or if the residual is
///    small, |fᵢ| ≤ √u max(tᵢ, Σⱼ |∂fᵢ/∂xⱼ xⱼ|), tᵢ being the terms at the first guess if they are given and
///    `scale` otherwise, and is not the quadratic remainder
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

/// What the rule is written in: numbers and comparisons that are made, or that are written down as a program.
pub trait Comparisons {
    /// A number.
    type Number: Copy;
    /// What a comparison says.
    type Truth: Copy;
    /// A number that is known.
    fn number(&mut self, x: f64) -> Self::Number;
    /// a b.
    fn product(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;
    /// a/b for sizes, where 0/0 is 0: nothing is always small.
    fn ratio(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;
    /// The larger of two.
    fn larger(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;
    /// a ≤ b, which holds for no NaN.
    fn at_most(&mut self, a: Self::Number, b: Self::Number) -> Self::Truth;
    /// Both.
    fn both(&mut self, a: Self::Truth, b: Self::Truth) -> Self::Truth;
    /// At least one.
    fn either(&mut self, a: Self::Truth, b: Self::Truth) -> Self::Truth;
    /// a if it holds, otherwise b.
    fn choice(&mut self, truth: Self::Truth, a: Self::Number, b: Self::Number) -> Self::Number;
    /// Whether it is known by now not to hold, so that nothing more need be compared for it.
    fn fails(&self, _: Self::Truth) -> bool {
        false
    }
}

/// What the rule says of an update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict<N, T> {
    /// max |δⱼ|/sⱼ.
    pub update: N,
    /// It is made, and is the last.
    pub last: T,
    /// Otherwise: the updates do not shrink; converged if this is round-off.
    pub stalled: T,
    /// And it is: |δⱼ| ≤ √u |xⱼ| for every unknown.
    pub round_off: T,
}

impl StoppingRule {
    /// An update max |δⱼ|/sⱼ up to this is the last.
    pub fn smallest_update(&self, epsilon: f64) -> f64 {
        self.tolerance.unwrap_or(0.0).max(epsilon * epsilon)
    }

    /// The rule for vectors that are at hand: [`Bounds`] has its comparisons.
    ///
    /// `smallest` is [`smallest_update`](Self::smallest_update) and `previous` the update of the iteration before, if that
    /// was a full step, otherwise NaN. Of each unknown |xⱼ|, |δⱼ| and sⱼ are given, its size or largest update so far, and of
    /// each equation |fᵢ| and tᵢ, NaN if it is not known, and then |fᵢ| and Σⱼ |∂fᵢ/∂xⱼ xⱼ|.
    pub fn judge<C: Comparisons>(
        c: &mut C,
        epsilon: f64,
        (smallest, previous): (C::Number, C::Number),
        unknowns: impl Iterator<Item = [C::Number; 3]> + Clone,
        terms: impl Iterator<Item = [C::Number; 2]>,
        moving: impl Iterator<Item = [C::Number; 2]>,
    ) -> Verdict<C::Number, C::Truth> {
        let mut update = c.number(0.0);
        for [_, delta, size] in unknowns.clone() {
            update = Bounds::larger(c, update, [delta, size]);
        }
        let bounds = Bounds::new(c, epsilon, update, previous);
        let mut held = Held([bounds.always(c); 6]);
        for [x, delta, _] in unknowns {
            let tests = bounds.unknown(c, [x, delta]);
            if held.and(c, UNKNOWN, tests) {
                break;
            }
        }
        for [f, terms] in terms {
            let tests = bounds.equation(c, [f, terms]);
            if held.and(c, EQUATION, tests) {
                break;
            }
        }
        for [f, moving] in moving {
            let tests = [bounds.explained(c, [f, moving])];
            if held.and(c, EXPLAINED, tests) {
                break;
            }
        }
        bounds.verdict(c, smallest, held)
    }
}

impl StoppingRule {
    /// Whether a rounding of the unknowns explains every residual: |fᵢ| ≤ 2u Σⱼ |∂fᵢ/∂xⱼ xⱼ|.
    pub fn explained<S: Real>(pattern: &Pattern, jacobian: &[S], unknowns: &[S], residual: &[S]) -> bool {
        let none = Bounds::new(&mut Made, S::EPSILON, f64::NAN, f64::NAN);
        residual.iter().enumerate().all(|(i, f)| {
            let moving = moving(pattern, i, jacobian, unknowns);
            none.explained(&mut Made, [f.value().abs(), moving])
        })
    }
}

/// Σⱼ |∂fᵢ/∂xⱼ xⱼ|: how much of equation i moves with the unknowns.
pub(crate) fn moving<S: Real>(pattern: &Pattern, i: usize, jacobian: &[S], x: &[S]) -> f64 {
    let entries = pattern.row(i).iter().zip(&jacobian[pattern.positions(i)]);
    entries.map(|(&j, entry)| (entry.value() * x[j as usize].value()).abs()).sum()
}

/// What holds of all unknowns and equations: the comparisons of [`Bounds`], those of unknowns first, then those of equations with
/// their terms, then that with what moves.
#[derive(Clone, Copy, Debug)]
pub struct Held<T>(pub [T; 6]);

/// Where the three of [`Bounds::unknown`] begin.
const UNKNOWN: usize = 0;
/// Where the two of [`Bounds::equation`] begin.
const EQUATION: usize = 3;
/// Where that of [`Bounds::explained`] is.
const EXPLAINED: usize = 5;

impl<T: Copy> Held<T> {
    /// Takes note of what is known of one more; whether nothing that remains can change anything. An update that is small is
    /// round-off, too, and need not be waited for.
    fn and<C: Comparisons<Truth = T>, const N: usize>(&mut self, c: &mut C, first: usize, tests: [T; N]) -> bool {
        for (held, test) in self.0[first..].iter_mut().zip(tests) {
            *held = c.both(*held, test);
        }
        let waited = if first == UNKNOWN { first + 1 } else { first };
        self.0[waited..first + N].iter().all(|&held| c.fails(held))
    }
}

/// The comparisons of the rule for one update, in products: a quotient takes as long as several of them.
#[derive(Clone, Copy, Debug)]
pub struct Bounds<N> {
    update: N,
    square: N,
    quarter: N,
    stall: N,
    sixteenth: N,
    remainder: N,
    unit: N,
    root: N,
    twice: N,
    near: N,
}

impl<N: Copy> Bounds<N> {
    /// max |δⱼ|/sⱼ, one by one.
    pub fn larger<C: Comparisons<Number = N>>(c: &mut C, update: N, [delta, size]: [N; 2]) -> N {
        let ratio = c.ratio(delta, size);
        c.larger(update, ratio)
    }

    /// For an update max |δⱼ|/sⱼ after another: θ is their quotient, and its square is what the next θ is.
    pub fn new<C: Comparisons<Number = N>>(c: &mut C, epsilon: f64, update: N, previous: N) -> Self {
        let [quarter, stall, sixteenth] = [0.25, StoppingRule::STALL, epsilon / 16.0].map(|part| {
            let part = c.number(part);
            c.product(part, previous)
        });
        let sixteenth_of_previous = c.product(sixteenth, previous);
        let part = c.number(1.0 / 4096.0);
        let remainder = c.product(sixteenth_of_previous, part);
        let square = c.product(update, update);
        let (unit, root, twice) = (c.number(epsilon), c.number(epsilon.sqrt()), c.number(2.0 * epsilon));
        let near = c.number(epsilon.sqrt() / 256.0);
        Bounds { update, square, quarter, stall, sixteenth, remainder, unit, root, twice, near }
    }

    /// What holds of nothing at all.
    pub fn always<C: Comparisons<Number = N>>(&self, c: &mut C) -> C::Truth {
        c.at_most(self.unit, self.unit)
    }

    /// Of |xⱼ| and |δⱼ|: whether the update is small, whether it is round-off, whether what comes next is negligible.
    pub fn unknown<C: Comparisons<Number = N>>(&self, c: &mut C, [x, delta]: [N; 2]) -> [C::Truth; 3] {
        let small = within(c, delta, self.unit, x);
        let round_off = within(c, delta, self.root, x);
        let next = c.product(self.update, delta);
        [small, round_off, within(c, next, self.sixteenth, x)]
    }

    /// Of |fᵢ| and tᵢ: whether the residual that is left vanishes, whether the guess was good.
    pub fn equation<C: Comparisons<Number = N>>(&self, c: &mut C, [f, terms]: [N; 2]) -> [C::Truth; 2] {
        let next = c.product(self.square, f);
        [within(c, next, self.remainder, terms), within(c, f, self.near, terms)]
    }

    /// Of |fᵢ| and Σⱼ |∂fᵢ/∂xⱼ xⱼ|: whether a rounding of the unknowns explains the residual.
    pub fn explained<C: Comparisons<Number = N>>(&self, c: &mut C, [f, moving]: [N; 2]) -> C::Truth {
        within(c, f, self.twice, moving)
    }

    /// What follows from what holds of all.
    pub fn verdict<C: Comparisons<Number = N>>(
        &self,
        c: &mut C,
        smallest: N,
        held: Held<C::Truth>,
    ) -> Verdict<N, C::Truth> {
        let [small, round_off, negligible, vanishing, nearby, explained] = held.0;
        let shrinking = c.at_most(self.update, self.quarter);
        let part = c.number(0.25);
        let slight = c.at_most(self.update, part);
        let nearby = c.both(slight, nearby);
        let soon = c.either(negligible, vanishing);
        let soon = c.both(shrinking, soon);
        let mut last = c.at_most(self.update, smallest);
        for reason in [small, explained, soon, nearby] {
            last = c.either(last, reason);
        }
        let stalled = c.at_most(self.stall, self.update);
        Verdict { update: self.update, last, stalled, round_off }
    }
}

/// a ≤ part · of.
fn within<C: Comparisons>(c: &mut C, a: C::Number, part: C::Number, of: C::Number) -> C::Truth {
    let bound = c.product(part, of);
    c.at_most(a, bound)
}

/// Comparisons that are made.
pub(crate) struct Made;

impl Comparisons for Made {
    type Number = f64;
    type Truth = bool;

    #[inline]
    fn number(&mut self, x: f64) -> f64 {
        x
    }

    #[inline]
    fn product(&mut self, a: f64, b: f64) -> f64 {
        a * b
    }

    #[inline]
    fn ratio(&mut self, a: f64, b: f64) -> f64 {
        size_ratio(a, b)
    }

    #[inline]
    fn larger(&mut self, mut a: f64, b: f64) -> f64 {
        grow(&mut a, b);
        a
    }

    #[inline]
    fn at_most(&mut self, a: f64, b: f64) -> bool {
        a <= b
    }

    #[inline]
    fn both(&mut self, a: bool, b: bool) -> bool {
        a && b
    }

    #[inline]
    fn either(&mut self, a: bool, b: bool) -> bool {
        a || b
    }

    #[inline]
    fn choice(&mut self, truth: bool, a: f64, b: f64) -> f64 {
        if truth { a } else { b }
    }

    #[inline]
    fn fails(&self, truth: bool) -> bool {
        !truth
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

    fn judge(tolerance: Option<f64>, previous: Option<f64>, unknowns: [f64; 3], [f, moving]: [f64; 2]) -> &'static str {
        judge_terms(tolerance, previous, unknowns, [f, moving, f64::NAN])
    }

    fn judge_terms(
        tolerance: Option<f64>,
        previous: Option<f64>,
        unknowns: [f64; 3],
        [f, moving, terms]: [f64; 3],
    ) -> &'static str {
        let smallest = StoppingRule { tolerance, ..StoppingRule::default() }.smallest_update(U);
        let before = (smallest, previous.unwrap_or(f64::NAN));
        let one = |pair: [f64; 2]| [pair].into_iter();
        let verdict =
            StoppingRule::judge(&mut Made, U, before, [unknowns].into_iter(), one([f, terms]), one([f, moving]));
        match verdict {
            Verdict { last: true, .. } => "last",
            Verdict { stalled: true, round_off: true, .. } => "stalled at round-off",
            Verdict { stalled: true, .. } => "stalled",
            _ => "continue",
        }
    }

    /// An unknown of size 1 in an equation that is made of it.
    fn relative(tolerance: Option<f64>, previous: Option<f64>, update: f64) -> &'static str {
        judge(tolerance, previous, [1.0, update, 1.0], [update, 1.0])
    }

    #[test]
    fn an_update_below_the_last_digit_is_the_last() {
        assert_eq!(relative(None, None, 1e-16), "last");
        assert_eq!(relative(None, None, 1e-15), "continue");
    }

    #[test]
    fn a_residual_that_rounding_of_the_unknowns_explains_is_the_last() {
        assert_eq!(judge(None, None, [1.0, 1e-3, 1.0], [4e-16, 1.0]), "last");
        assert_eq!(judge(None, None, [1.0, 1e-3, 1.0], [5e-16, 1.0]), "continue");
    }

    #[test]
    fn an_update_is_the_last_if_the_next_is_bound_to_be_negligible() {
        assert_eq!(relative(None, Some(1e-5), 1e-12), "last");
        assert_eq!(relative(None, Some(1e-5), 1e-10), "continue");
    }

    #[test]
    fn an_update_is_the_last_if_what_it_leaves_is_less_than_the_rounding_of_terms() {
        // A multiplier that moves a constraint by 10⁻⁶ of its terms: after updates of 1 and 10⁻⁶ the residual goes from
        // 10⁻⁶ and 10⁻¹² to 10⁻²⁴; with 10⁻⁴ it goes from 10⁻⁴ and 10⁻⁸ to 10⁻¹⁶, which is not yet nothing.
        let constraint = |part: f64, terms: f64| {
            judge_terms(None, Some(1.0), [1.0, part, 1.0], [part * part * terms, part * terms, terms])
        };
        assert_eq!((constraint(1e-6, 1.0), constraint(1e-4, 1.0)), ("last", "continue"));
        assert_eq!((constraint(1e-6, 1e-90), constraint(1e-4, 1e90)), ("last", "continue"));
        assert_eq!(judge(None, Some(1.0), [1.0, 1e-6, 1.0], [1e-12, 1e-6]), "continue");
    }

    #[test]
    fn a_first_update_from_a_good_guess_is_the_last() {
        // It leaves a residual of about f²/t: of (5·10⁻¹¹)² for terms of size one.
        let guessed =
            |update: f64, f: f64, terms: f64| judge_terms(None, None, [1.0, update, 1.0], [f, update * terms, terms]);
        assert_eq!((guessed(1e-3, 5e-11, 1.0), guessed(1e-3, 7e-11, 1.0)), ("last", "continue"));
        assert_eq!((guessed(1e-3, 5e79, 1e90), guessed(1e-3, 7e-101, 1e-90)), ("last", "continue"));
        // Not one that moves an unknown by much, and not where the terms are not known.
        assert_eq!((guessed(0.3, 5e-11, 1.0), guessed(1e-3, 5e-11, f64::NAN)), ("continue", "continue"));
    }

    #[test]
    fn an_unknown_that_vanishes_has_arrived() {
        // It halves for ever, and never is small compared with itself.
        let vanishing = |previous, update| judge(None, Some(previous), [2.0 * update, update, 1.0], [1.0, 1.0]);
        assert_eq!(vanishing(8e-32, 4e-32), "last");
        assert_eq!(vanishing(2e-20, 1e-20), "continue");
    }

    #[test]
    fn updates_that_do_not_shrink_are_a_stall() {
        assert_eq!(relative(None, Some(1e-13), 0.8e-13), "stalled at round-off");
        assert_eq!(relative(None, Some(1e-3), 0.8e-3), "stalled");
        // A double root.
        assert_eq!(relative(None, Some(1e-9), 0.5e-9), "continue");
        assert_eq!(relative(None, None, 1e-13), "continue");
    }

    #[test]
    fn a_tolerance_is_one_more_way_out() {
        assert_eq!(relative(Some(1e-8), Some(1e-9), 1e-8), "last");
        assert_eq!(relative(Some(1e-8), Some(1e-7), 2e-8), "continue");
        assert_eq!(relative(Some(1e-8), Some(2e-8), 2e-8), "stalled");
    }

    #[test]
    fn units_do_not_matter() {
        for unit in [1e-140, 1e-60, 1e60, 1e140] {
            for (previous, update) in [(1e-4, 2e-12), (1.0, 3e-6), (1e-3, 0.9e-3), (1e-7, 1e-13)] {
                let scaled = judge(None, Some(previous), [unit, update * unit, unit], [update * unit, unit]);
                assert_eq!(scaled, relative(None, Some(previous), update), "{unit} {previous} {update}");
            }
        }
    }

    #[test]
    fn nothing_is_small() {
        assert_eq!((size_ratio(0.0, 0.0), size_ratio(1.0, 0.0)), (0.0, f64::INFINITY));
        assert_eq!(judge(None, None, [0.0; 3], [0.0; 2]), "last");
    }

    #[test]
    fn no_number_is_no_arrival() {
        assert_eq!(judge(None, None, [1.0, f64::NAN, f64::NAN], [f64::NAN, 1.0]), "continue");
    }
}
