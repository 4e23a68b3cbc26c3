//! Whether a step kept to its branch, part by part of the mechanism.

use super::branch::Nearest;
use super::energy::Energy;
use super::face::{Face, Gradients, dot};
use super::{Conditioning, OPPOSITE};
use cotangent_compile::CallError;
use cotangent_dynamics::{Branch, Conditioned, NEARLY_SINGULAR};

/// So many parts of a mechanism at most are judged in one step, the worst of them whatever its condition is and the others from
/// this one on.
const JUDGED: (usize, f64) = (8, 4.0);
/// Of a step of a method that chooses its steps nothing is told at this condition, but of that which leads out of there: a
/// millionth of a radian is far from the rounding of positions, and of A.
const TOO_NEAR: f64 = 1e12;
/// A step near a singular configuration that changes the energy of what moves there by more than this part of it is another
/// solution, whatever that is of the energy of all.
const LEAP: f64 = 0.1;

impl Conditioning {
    /// Whether each part of the mechanism kept to its branch, given their conditions, the worst one first; Q is factored at the end
    /// of the step.
    pub(super) fn judge_parts(
        &mut self,
        gradients: &mut Gradients,
        earlier: (Option<&[f64]>, Option<f64>),
        states: [&[f64]; 2],
        (was_ill, is_one): (bool, bool),
        found: &[(f64, usize)],
    ) -> Result<Option<Conditioned>, CallError> {
        let mut all: Option<Conditioned> = None;
        for (k, &(condition, row)) in found.iter().take(JUDGED.0).enumerate() {
            if k > 0 && !was_ill && condition < JUDGED.1 {
                break;
            }
            if k > 0 {
                self.evaluate(states[1])?;
                self.factor();
            }
            gradients.turn_to(row);
            let mut seen = Conditioned::of(condition, row, false);
            self.judge(gradients, earlier, states, (was_ill, is_one), &mut seen)?;
            all = Some(all.map_or(seen, |all| all.and(seen)));
        }
        Ok(all)
    }

    /// Whether the step kept to its branch; Q is factored at its end.
    fn judge(
        &mut self,
        gradients: &mut Gradients,
        earlier: (Option<&[f64]>, Option<f64>),
        [before, after]: [&[f64]; 2],
        (was_ill, is_one): (bool, bool),
        seen: &mut Conditioned,
    ) -> Result<(), CallError> {
        let constraint = seen.constraint;
        let last = self.face(gradients, constraint, after)?;
        std::mem::swap(&mut self.before, &mut self.after);
        self.evaluate(before)?;
        self.factor();
        let first = self.face(gradients, constraint, before)?;
        std::mem::swap(&mut self.before, &mut self.after);
        let near = was_ill || seen.is_ill();
        // A method that chooses its steps may turn there in steps as short as the rounding of its positions.
        let is_too_near = is_one && earlier.1.is_none() && seen.condition >= TOO_NEAR;
        self.is_blind |= is_one && (!(first && last) || is_too_near);
        let is_young = is_one && self.young[0] > 0.0;
        let is_seen = near || self.before.cosine(&self.after) <= OPPOSITE;
        if is_too_near || !(first && last) || !(is_seen || is_young) {
            return Ok(());
        }
        let mut parameters = std::mem::take(&mut self.parameters);
        let close = seen.condition >= NEARLY_SINGULAR;
        let (first, last) = (&mut self.before, &mut self.after);
        let passed = gradients.passed(first, last, [before, after], (earlier, close), &parameters);
        std::mem::swap(&mut self.parameters, &mut parameters);
        let passed = passed?;
        seen.crossed = passed.crossed;
        if passed.indefinite {
            seen.branch = if is_seen { Branch::Undetermined } else { Branch::Kept };
            return Ok(());
        }
        if is_young && !passed.still {
            let passing = if passed.moved { 0.0 } else { 1.0 };
            self.young[1] = self.young[1].max(self.young[0] - passing);
        }
        if is_one && is_seen && (passed.astray || self.leaps(gradients, [before, after])?) {
            seen.branch = Branch::Left;
            return Ok(());
        }
        if !(passed.crossed || passed.turned || passed.moved) {
            return Ok(());
        }
        let from = usize::from(self.before.square >= self.after.square);
        let (first, last) = (self.before.clone(), self.after.clone());
        let velocities = gradients.headings([&first, &last], [before, after], |gradients, state, direction| {
            self.keep_free(gradients, state, direction)
        })?;
        let step = (from, [before, after]);
        if is_seen && let Some(route) = self.route(gradients, constraint, step, (&velocities, passed.distance))? {
            seen.crossed = route.crossed;
            seen.gap = Some(false);
            seen.branch = route.branch(&passed, is_one);
            return Ok(());
        }
        match self.nearest(gradients, constraint, step, (&velocities, passed.distance))? {
            Nearest::Far => seen.far = is_seen,
            // Where A vanishes along the motion, branches touch: which of them goes on smoothly is not known from A.
            Nearest::Unknown if is_one && is_seen && close && passed.crossed && gradients.has_one_freedom() => {
                seen.branch = Branch::Left;
            }
            Nearest::Unknown => {}
            Nearest::At(point) if !(is_seen || point.is_near()) => {}
            Nearest::At(point) => {
                seen.branch = point.branch(&passed, is_one);
                seen.gap = Some(point.has_gap());
                if is_one {
                    self.is_placed &= point.arms.is_none_or(|[first, _]| first.are_known());
                }
            }
        }
        Ok(())
    }

    /// Leaves of a direction what no constraint stops at a state; whether that is known.
    fn keep_free(
        &mut self,
        gradients: &mut Gradients,
        state: &[f64],
        direction: &mut [f64],
    ) -> Result<bool, CallError> {
        self.evaluate(state)?;
        if self.factor().is_some() {
            return Ok(false);
        }
        let mut face = Face::new(self.direction.len(), direction.len());
        let (mut y, mut normal) = (vec![0.0; self.direction.len()], vec![0.0; direction.len()]);
        gradients.look(state, &self.parameters, &mut face)?;
        gradients.rates(direction, &mut y);
        self.solver.solve(&mut y);
        gradients.shift(&y, &mut normal);
        direction.iter_mut().zip(&normal).for_each(|(x, normal)| *x -= normal);
        Ok(true)
    }

    /// Whether a step changes the energy of what moves with the constraint by a large part, seen with the velocities as they are and
    /// without what leads off the constraints in them: some methods leave that free, and others drift.
    fn leaps(&mut self, gradients: &mut Gradients, states: [&[f64]; 2]) -> Result<bool, CallError> {
        // The energy of all is looked at in each step.
        if gradients.is_one_part() {
            return Ok(false);
        }
        let Some(mut energy) = self.energy.take() else { return Ok(false) };
        let leaps = self.leaps_by(&mut energy, gradients, states);
        self.energy = Some(energy);
        leaps
    }

    fn leaps_by(
        &mut self,
        energy: &mut Energy,
        gradients: &mut Gradients,
        states: [&[f64]; 2],
    ) -> Result<bool, CallError> {
        let is_leap = |gain: Option<[f64; 2]>| gain.is_some_and(|[change, size]| change > LEAP * size);
        if !is_leap(energy.gain(gradients, [&self.before, &self.after], states, &self.parameters)?) {
            return Ok(false);
        }
        let mut faces = [self.before.clone(), self.after.clone()];
        for (state, face) in states.iter().zip(&mut faces) {
            self.evaluate(state)?;
            if self.factor().is_some() {
                return Ok(true);
            }
            gradients.look(state, &self.parameters, face)?;
            // ½ ψ·Q⁻¹ψ with ψ = G v.
            let mut y = vec![0.0; self.direction.len()];
            gradients.rates(&face.v, &mut y);
            let off = y.clone();
            self.solver.solve(&mut y);
            face.kinetic -= dot(&off, &y) / 2.0;
        }
        let [before, after] = &faces;
        Ok(is_leap(energy.gain(gradients, [before, after], states, &self.parameters)?))
    }
}
