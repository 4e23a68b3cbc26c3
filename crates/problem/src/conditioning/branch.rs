//! Whether a step kept to its branch at a singular configuration.
//!
//! Near a singular configuration q* the combination c·φ, on the surface of the other constraints, is
//!
//! ```text
//! c·φ = ℓ* + ½ ξᵀA ξ + …,   ξ = q − q*,   r = A ξ,   A = Σ cᵢ ∂²φᵢ/∂q².
//! ```
//!
//! With ℓ* = 0 two branches cross in q*; otherwise they avoid each other at the distance √(2|ℓ*|/|A|). A motion comes
//! nearest to q* where r·H_pp A v changes its sign. It goes through q* if r is reversed and v is not; it turns into
//! another branch if the frame (v, r) turns as a whole; if v is reversed and r is not it goes back where it came from.
//!
//! To turn is right where ℓ* ≠ 0, if it leads along the same branch of the hyperbola ½ ξᵀA ξ = −ℓ*, and to go straight on
//! where ℓ* = 0. A state that is off its constraints by δ = c·φ moves on another level, where branches that cross avoid
//! each other: if δ is as large as ℓ*, a turn says nothing of the motion on the constraints, however small the steps are
//! that resolve it.
//!
//! The ends of a step lie on arms of the hyperbola, between the axes of A: with the coordinates x₊ and x₋ along the
//! eigenvectors of its positive and its negative eigenvalue, a motion keeps the sign of x₊ where ℓ* < 0, that of x₋ where
//! ℓ* > 0, and changes both or none where ℓ* = 0. Along its branch it goes on in the direction that it came in, unless a force
//! turns it, which takes more than a step.

use super::arms::Arms;
use super::face::{Face, Gradients, dot};
use cotangent_compile::CallError;
use cotangent_dynamics::Branch;

/// The cosine of an angle that a step resolves, in which a motion turns.
const RESOLVED: f64 = 0.9;
/// A gap of less than this part of a step is not resolved.
const GAP: f64 = 0.2;
/// A step in which r changes by less than this part of itself is not the one that comes nearest to q*.
const STILL: f64 = 0.02;
/// A step in which r changes by more than this part of itself may have come past q*.
const MOVED: f64 = 0.25;
/// A step that is shorter than this part of what the velocities at its ends make of it goes nowhere.
const STUCK: f64 = 0.25;
/// A motion whose speed falls by less than this part of what it changes by in the next step is not slowed.
const SLOWED: f64 = 0.1;
/// A speed of this part of another one is rest.
const RESTS: f64 = 1e-10;
/// The way around a gap, relative to what the speeds make of it: out of these bounds the step is another one's.
const WAY: [f64; 2] = [0.85, 1.18];
/// So far at most, relative to what the speeds make of a step, its way is from all that velocities between those at its ends make of
/// it: an arc of two radians is. What is further away is another solution of its equations.
const ASTRAY: f64 = 0.5;
/// Larger systems are not looked at so closely.
pub(super) const MAX_VARIABLES: usize = 500;

/// How a step went by.
pub(super) struct Passed {
    pub(super) crossed: bool,
    /// It came nearest to a singular configuration, and turned there.
    pub(super) turned: bool,
    /// It came out on the other side of the configuration, and goes the other way, was thrown back, or stays there: no
    /// branch leads there.
    pub(super) reflected: bool,
    /// Whether a force may have turned the motion: it slowed it in the step before, or nothing is known of that.
    pub(super) slowed: bool,
    /// Whether the turn is one that a step can resolve.
    resolved: bool,
    /// Whether M is not positive there: it has neither lengths nor angles.
    pub(super) indefinite: bool,
    /// Whether r hardly changed.
    pub(super) still: bool,
    /// Whether the step is so near that it may have come past a singular configuration.
    pub(super) moved: bool,
    /// Whether its end is not where its velocities lead.
    pub(super) astray: bool,
    /// |Δq| in the metric M, or what the speeds make of it if that is more.
    pub(super) distance: f64,
    /// What the speeds make of it, where the duration is known.
    expected: Option<f64>,
}

/// The singular configuration next to a state.
pub(super) struct Point {
    /// δ, ℓ*, and what rounding explains of them.
    pub(super) level: f64,
    pub(super) critical: f64,
    pub(super) rounding: f64,
    /// |A|, in the metric M.
    pub(super) bend: f64,
    /// The length of the step.
    pub(super) step: f64,
    /// |ξ|.
    pub(super) distance: f64,
    /// |ξ| + |ξ′|: the way from one end of the step to the other around the vertex of a narrow gap, if the plane is all there is.
    pub(super) path: f64,
    /// Where the ends of the step lie, if the plane is all there is.
    pub(super) arms: Option<[Arms; 2]>,
}

pub(super) enum Nearest {
    At(Point),
    Far,
    Unknown,
}

impl Point {
    /// What became of the branch in a step, or in two that are looked at as one.
    pub(super) fn branch(&self, passed: &Passed, is_one: bool) -> Branch {
        let gap = (2.0 * self.critical.abs() / self.bend).sqrt();
        let unresolved = !passed.resolved && gap < GAP * self.step;
        let near = self.is_near();
        // A gap is one of the constraints, however far the state is off them.
        let level = if self.critical.abs() > self.rounding { -self.critical } else { 0.0 };
        if is_one && near && passed.reflected {
            return Branch::Left;
        }
        if let Some([first, last]) = &self.arms
            && let Some(kept) = first.leads_to(last, level)
        {
            let is_thrown_back = !passed.slowed && first.is_turned_back(last, level);
            let is_lost =
                is_one && near && (is_thrown_back || first.is_around(last) && self.is_out_of_time(passed, gap));
            return if kept == Branch::Kept && is_lost { Branch::Left } else { kept };
        }
        match (passed.turned, passed.crossed) {
            (true, _) if is_one && near && (!self.has_gap() || unresolved) => Branch::Left,
            (_, true) if near && self.arms.is_some() && level != 0.0 => Branch::Jumped,
            _ => Branch::Kept,
        }
    }

    /// Whether it is within a few steps.
    pub(super) fn is_near(&self) -> bool {
        let off = (2.0 * self.level.abs() / self.bend).sqrt();
        self.distance <= 2.0 * self.step + 3.0 * off
    }

    /// Whether branches avoid each other by more than the state is off its constraints.
    pub(super) fn has_gap(&self) -> bool {
        self.critical.abs() > 2.0 * self.level.abs() + self.rounding
    }

    /// Whether a step around a gap that it does not resolve came too far, or not far enough: its equations may have such
    /// solutions, too, on the right arm and with the right energy.
    fn is_out_of_time(&self, passed: &Passed, gap: f64) -> bool {
        let [least, most] = WAY;
        gap < GAP * self.step && passed.expected.is_some_and(|way| !(least * way..=most * way).contains(&self.path))
    }
}

impl Gradients {
    /// How a step between two states, the one before which began at an earlier one, went by what is singular, and is
    /// perhaps close. The duration is known of steps that a method does not choose by itself.
    pub(super) fn passed(
        &mut self,
        before: &mut Face,
        after: &mut Face,
        [from, to]: [&[f64]; 2],
        ((earlier, duration), close): ((Option<&[f64]>, Option<f64>), bool),
        parameters: &[f64],
    ) -> Result<Passed, CallError> {
        let n = self.columns();
        let mut passed = Passed {
            crossed: false,
            turned: false,
            reflected: false,
            slowed: true,
            resolved: true,
            indefinite: false,
            still: false,
            moved: false,
            astray: false,
            distance: 0.0,
            expected: None,
        };
        let gradients = before.cosine(after);
        let opposite = gradients < super::OPPOSITE;
        // |r′ − r|²
        let change = before.square + after.square - 2.0 * before.product(after);
        let least = before.square.min(after.square);
        let is_still = !close && change < STILL * STILL * least;
        passed.still = is_still;
        passed.moved = close || change > MOVED * MOVED * least;
        let moves = n <= MAX_VARIABLES
            && self.move_on(from, parameters, before)
            && self.move_on(to, parameters, after)
            && self.weigh();
        if !moves {
            passed.crossed = opposite && !is_still;
            return Ok(passed);
        }
        let squares = [&before.v, &after.v].map(|v| self.weighed(v, v));
        [before.kinetic, after.kinetic] = squares.map(|square| square / 2.0);
        passed.astray = duration.is_some_and(|h| self.is_astray([from, to], [&before.v, &after.v], h));
        if is_still {
            return Ok(passed);
        }
        passed.indefinite =
            [before.square, after.square].iter().chain(&squares).any(|square| *square < 0.0) || self.is_indefinite();
        let step = self.way(from, to);
        passed.distance = self.weighed(&step, &step).sqrt();
        let [slow, fast] = squares.map(f64::sqrt);
        let along = self.weighed(&before.v, &after.v);
        let velocities = along / (slow * fast);
        let rests = slow.min(fast) <= RESTS * slow.max(fast);
        if rests || !(velocities.is_finite() && passed.distance > 0.0) {
            passed.crossed = opposite;
            return Ok(passed);
        }
        passed.crossed = opposite && velocities > 0.0;
        // Δq = h (v + v′)/2 + O(h³): in q* the equations of a step may be solved by staying there.
        let h = duration.map_or(0.0, f64::abs);
        let far = h * (slow * slow + fast * fast + 2.0 * along).max(0.0).sqrt() / 2.0;
        let is_stuck = velocities > 0.0 && passed.distance < STUCK * far;
        // One that is thrown back may end where it began: what is near is so for a step of its speed.
        passed.expected = duration.map(|h| h.abs() * (slow + fast) / 2.0);
        passed.distance = passed.distance.max(h * (slow + fast) / 2.0);
        if is_stuck {
            (passed.turned, passed.reflected) = (true, true);
            return Ok(passed);
        }
        // Branches may meet at an acute angle, so that v turns by more than a right one: the frame (v, n) is turned there,
        // and is turned over where a motion goes back. v·M n′ = v·r′.
        let is_turned_over = along * before.product(after) < dot(&before.v, &after.r) * dot(&after.v, &before.r);
        let is_reversal = velocities < 0.0 && gradients > 0.0 && is_turned_over;
        // A force that turns a motion back in one step has slowed it in the step before.
        let mut was = before.clone();
        let is_known = earlier.is_some_and(|state| self.move_on(state, parameters, &mut was));
        passed.slowed = !is_known || self.weighed(&was.v, &was.v).sqrt() - slow >= SLOWED * (slow + fast);
        if is_reversal && velocities < super::OPPOSITE {
            passed.reflected = !passed.slowed;
            passed.turned = passed.reflected;
        }
        if passed.crossed || is_reversal {
            return Ok(passed);
        }
        let mut bent = vec![0.0; n];
        let mut rate = |face: &Face, state: &[f64], speed: f64| -> Result<f64, CallError> {
            self.bend(face, state, parameters, (&face.v, passed.distance / (2.0 * speed)), &mut bent)?;
            Ok(dot(&face.n, &bent))
        };
        passed.reflected = opposite && velocities < super::OPPOSITE;
        passed.turned = passed.reflected || rate(before, from, slow)? < 0.0 && rate(after, to, fast)? > 0.0;
        passed.resolved = velocities > RESOLVED && gradients > RESOLVED;
        Ok(passed)
    }

    /// The velocities at both ends of a step. Where a motion rests it is the direction in which it may move, to where the other end
    /// is.
    pub(super) fn headings(
        &mut self,
        [before, after]: [&Face; 2],
        states: [&[f64]; 2],
        mut free: impl FnMut(&mut Gradients, &[f64], &mut [f64]) -> Result<bool, CallError>,
    ) -> Result<[Vec<f64>; 2], CallError> {
        let mut headings = [before.v.clone(), after.v.clone()];
        let [slow, fast] = headings.each_ref().map(|v| self.weighed(v, v).sqrt());
        let resting = match (slow <= RESTS * fast, fast <= RESTS * slow) {
            (true, false) => 0,
            (false, true) => 1,
            _ => return Ok(headings),
        };
        let way = self.way(states[0], states[1]);
        let mut most = 0.0;
        // For one degree of freedom there is one such direction, whatever is projected onto it.
        let axes = if self.has_one_freedom() { self.columns() } else { 0 };
        for k in 0..=axes {
            let mut direction =
                if k == 0 { way.clone() } else { (1..=axes).map(|j| f64::from(u8::from(j == k))).collect() };
            if k > 0 && !self.moves(k - 1) {
                continue;
            }
            let whole = self.weighed(&direction, &direction);
            if !free(self, states[resting], &mut direction)? {
                continue;
            }
            let part = self.weighed(&direction, &direction) / whole;
            if part.is_finite() && part > most {
                most = part;
                let sign = self.weighed(&direction, &way).signum();
                direction.iter_mut().for_each(|x| *x *= sign);
                headings[resting] = direction;
            }
        }
        Ok(headings)
    }

    /// Whether a step of this duration does not end where its velocities lead: Δq = h (v + v′)/2 + O(h³), or, if the motion turns
    /// somewhere on the way, h ((1 − s) v + s v′) with s from 0 to 1.
    fn is_astray(&mut self, [from, to]: [&[f64]; 2], [v, w]: [&[f64]; 2], h: f64) -> bool {
        let mean: Vec<f64> = self.way(from, to).iter().map(|way| way / h).collect();
        let apart = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
        let (turn, mut rest) = (apart(w, v), apart(&mean, v));
        let square = self.weighed(&turn, &turn);
        let part = if square > 0.0 { (self.weighed(&rest, &turn) / square).clamp(0.0, 1.0) } else { 0.0 };
        rest.iter_mut().zip(&turn).for_each(|(rest, turn)| *rest -= part * turn);
        let speeds = self.weighed(v, v).sqrt() + self.weighed(w, w).sqrt();
        self.weighed(&rest, &rest).sqrt() > ASTRAY * speeds / 2.0
    }
}
