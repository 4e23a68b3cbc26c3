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
//! q* is found by Newton's method for r = 0 in the plane of v and n = H_pp r, which for one degree of freedom is the whole
//! tangent space of the other constraints, to which it is brought back.

use super::Conditioning;
use super::face::{Face, Gradients, dot};
use cotangent_compile::CallError;
use cotangent_dynamics::Branch;

/// The cosine of an angle that a step resolves, in which a motion turns.
const RESOLVED: f64 = 0.9;
/// A gap of less than this part of a step is not resolved.
const GAP: f64 = 0.2;
/// A gap of less than this part of the distance in which the gradient grows to its size is none: lengths may be rounded.
const NO_GAP: f64 = 1e-4;
/// A level within so many units in the last place of its terms is zero.
const UNITS: f64 = 512.0;
/// A step in which r changes by less than this part of itself is not the one that comes nearest to q*.
const STILL: f64 = 0.02;
/// A step that is shorter than this part of what the velocities at its ends make of it goes nowhere.
const STUCK: f64 = 0.25;
/// A motion whose speed falls by less than this part of what it changes by in the next step is not slowed.
const SLOWED: f64 = 0.1;
/// What is further away than so many steps, or than so many times the distance that δ explains, is far.
const FAR: (f64, f64) = (30.0, 6.0);
/// The determinant of A in the plane, relative to its entries, below which it has no crossing there.
const FLAT: f64 = 1e-6;
/// Newton's method for q*: so many iterations, until a correction is this part of the step.
const NEWTON: (usize, f64) = (12, 1e-6);
/// Larger systems are not looked at so closely.
const MAX_VARIABLES: usize = 500;

/// How a step went by.
pub(super) struct Passed {
    pub(super) crossed: bool,
    /// It came nearest to a singular configuration, and turned there.
    pub(super) turned: bool,
    /// It came out on the other side of the configuration, and goes the other way, was thrown back, or stays there: no
    /// branch leads there.
    reflected: bool,
    /// Whether the turn is one that a step can resolve.
    resolved: bool,
    /// |Δq| in the metric M.
    pub(super) distance: f64,
}

/// The singular configuration next to a state.
pub(super) struct Point {
    /// δ, ℓ* and what rounding explains of them.
    level: f64,
    critical: f64,
    rounding: f64,
    /// |A|, in the metric M.
    bend: f64,
    /// |Δq| of the step.
    step: f64,
    /// |ξ|.
    distance: f64,
    /// Whether the plane is all there is.
    planar: bool,
    /// Whether the ends of the step lie on different branches of the level, which avoid each other here.
    apart: bool,
}

pub(super) enum Nearest {
    At(Point),
    Far,
    Unknown,
}

impl Point {
    pub(super) fn branch(&self, passed: &Passed, largest: f64) -> Branch {
        let gap = (2.0 * self.critical.abs() / self.bend).sqrt();
        let off = (2.0 * self.level.abs() / self.bend).sqrt();
        let explained = self.critical.abs() <= 2.0 * self.level.abs() + UNITS * self.rounding;
        let unresolved = !passed.resolved && gap < GAP * self.step;
        let near = self.distance <= 2.0 * self.step + 3.0 * off;
        // A gap is one of the constraints, however far the state is off them.
        let wide = gap > NO_GAP * largest.sqrt() / self.bend && self.critical.abs() > UNITS * self.rounding;
        match (passed.turned, passed.crossed) {
            (true, _) if near && (explained || unresolved || passed.reflected) => Branch::Left,
            (_, true) if near && self.planar && wide => Branch::Jumped,
            _ if near && self.planar && wide && self.apart && !passed.resolved => Branch::Jumped,
            _ => Branch::Kept,
        }
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
        let mut passed = Passed { crossed: false, turned: false, reflected: false, resolved: true, distance: 0.0 };
        let gradients = before.cosine(after);
        let opposite = gradients < super::OPPOSITE;
        // |r′ − r|²
        let change = before.square + after.square - 2.0 * before.product(after);
        let is_still = !close && change < STILL * STILL * before.square.min(after.square);
        let moves = !is_still
            && n <= MAX_VARIABLES
            && self.move_on(from, parameters, before)
            && self.move_on(to, parameters, after)
            && self.weigh();
        if !moves {
            passed.crossed = opposite;
            return Ok(passed);
        }
        let step: Vec<f64> = to[..n].iter().zip(&from[..n]).map(|(a, b)| a - b).collect();
        passed.distance = self.weighed(&step, &step).sqrt();
        let [slow, fast] = [&before.v, &after.v].map(|v| self.weighed(v, v).sqrt());
        let along = self.weighed(&before.v, &after.v);
        let velocities = along / (slow * fast);
        if !(velocities.is_finite() && passed.distance > 0.0) {
            passed.crossed = opposite;
            return Ok(passed);
        }
        passed.crossed = opposite && velocities > 0.0;
        // Δq = h (v + v′)/2 + O(h³): in q* the equations of a step may be solved by staying there.
        let far = duration.map_or(0.0, |h| h.abs() * (slow * slow + fast * fast + 2.0 * along).max(0.0).sqrt() / 2.0);
        if velocities > 0.0 && passed.distance < STUCK * far {
            (passed.turned, passed.reflected) = (true, true);
            return Ok(passed);
        }
        // Branches may meet at an acute angle, so that v turns by more than a right one: the frame (v, n) is turned there,
        // and is turned over where a motion goes back. v·M n′ = v·r′.
        let is_turned_over = along * before.product(after) < dot(&before.v, &after.r) * dot(&after.v, &before.r);
        let is_reversal = velocities < 0.0 && gradients > 0.0 && is_turned_over;
        if is_reversal && velocities < super::OPPOSITE {
            // A force that turns a motion back in one step has slowed it in the step before.
            let mut was = before.clone();
            let is_known = earlier.is_some_and(|state| self.move_on(state, parameters, &mut was));
            passed.reflected = is_known && self.weighed(&was.v, &was.v).sqrt() - slow < SLOWED * (slow + fast);
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
}

impl Conditioning {
    /// The singular configuration next to the state with these velocities, one of the ends of a step of the length `step`.
    pub(super) fn nearest(
        &mut self,
        gradients: &mut Gradients,
        constraint: usize,
        (state, ends): (&[f64], [&[f64]; 2]),
        (velocities, step): (&[f64], f64),
    ) -> Result<Nearest, CallError> {
        let n = gradients.columns();
        if step.is_nan() || step <= 0.0 || n > MAX_VARIABLES {
            return Ok(Nearest::Unknown);
        }
        let mut at = state.to_vec();
        let mut face = Face::new(self.direction.len(), n);
        let mut axes: Option<[Vec<f64>; 2]> = None;
        let (mut bent, mut shift) = ([vec![0.0; n], vec![0.0; n]], vec![0.0; n]);
        let mut point = Point {
            level: 0.0,
            critical: 0.0,
            rounding: 0.0,
            bend: 0.0,
            step,
            distance: 0.0,
            planar: n == self.direction.len() + 1,
            apart: false,
        };
        let (mut by, mut shifted, mut form) = (step, step, [0.0; 3]);
        for iteration in 0..NEWTON.0 {
            self.evaluate(&at)?;
            let singular = self.factor().is_some();
            if !singular {
                self.column(constraint);
                let scale = self.direction[constraint];
                if scale.is_finite() && scale != 0.0 {
                    face.c.iter_mut().zip(&self.direction).for_each(|(c, x)| *c = x / scale);
                }
            }
            if face.c[constraint] == 0.0 {
                return Ok(Nearest::Unknown);
            }
            gradients.look(&at, &self.parameters, &mut face)?;
            let [level, rounding] = gradients.level(&at, &self.parameters, &face.c)?;
            (point.critical, point.rounding) = (level, point.rounding.max(rounding));
            if iteration == 0 {
                point.level = level;
            }
            if singular || shifted <= NEWTON.1 * step {
                let Some(axes) = &axes else { return Ok(Nearest::Unknown) };
                let along = |end: &[f64]| {
                    let xi: Vec<f64> = end[..n].iter().zip(&at).map(|(q, at)| q - at).collect();
                    [0, 1].map(|k| gradients.weighed(&axes[k], &xi))
                };
                point.apart = are_apart(form, point.level - level, ends.map(along));
                return Ok(Nearest::At(point));
            }
            // What brings the other constraints back: Q y = −φ without the part of c.
            let mut y: Vec<f64> = gradients.constraints().iter().map(|phi| -phi).collect();
            y[constraint] += level;
            self.solver.solve(&mut y);
            gradients.shift(&y, &mut shift);
            let axes = match &axes {
                Some(axes) => axes,
                None => {
                    if !gradients.weigh() {
                        return Ok(Nearest::Unknown);
                    }
                    let unit = |x: &[f64], size: f64| x.iter().map(|x| x / size).collect::<Vec<_>>();
                    let speed = gradients.weighed(velocities, velocities).sqrt();
                    axes.insert([unit(velocities, speed), unit(&face.n, face.square.sqrt())])
                }
            };
            let [e, f] = axes;
            for (axis, bent) in axes.iter().zip(&mut bent) {
                gradients.bend(&face, &at, &self.parameters, (axis, by), bent)?;
            }
            let (a, b, d) = (dot(e, &bent[0]), dot(f, &bent[0]), dot(f, &bent[1]));
            form = [a, b, d];
            let size = a.abs().max(b.abs()).max(d.abs());
            let determinant = a * d - b * b;
            if iteration == 0 {
                point.bend = size;
            }
            if !(size.is_finite() && size > 0.0 && determinant.abs() > FLAT * size * size) {
                return Ok(Nearest::Unknown);
            }
            // Where A is definite there is no crossing, but a point.
            if determinant > 0.0 {
                return Ok(Nearest::Far);
            }
            let (x, y) = (dot(&face.r, e), dot(&face.r, f));
            let (alpha, beta) = ((b * y - d * x) / determinant, (b * x - a * y) / determinant);
            let moved = (0..n).map(|k| alpha * e[k] + beta * f[k] + shift[k]);
            at.iter_mut().zip(moved).for_each(|(q, moved)| *q += moved);
            shifted = alpha.hypot(beta);
            by = shifted.clamp(1e-5 * step, step);
            let apart: Vec<f64> = at[..n].iter().zip(state).map(|(a, b)| a - b).collect();
            point.distance = gradients.weighed(&apart, &apart).sqrt();
            let off = (2.0 * point.level.abs() / point.bend).sqrt();
            let is_near = point.distance <= FAR.0 * step + FAR.1 * off;
            if !is_near {
                return Ok(Nearest::Far);
            }
        }
        Ok(Nearest::Unknown)
    }
}

/// Whether two points lie on different branches of the hyperbola ½ ξᵀA ξ = level: on different sides along the
/// eigenvector of A = (a b; b d) whose eigenvalue has the sign of the level.
fn are_apart([a, b, d]: [f64; 3], level: f64, [first, last]: [[f64; 2]; 2]) -> bool {
    let root = ((a - d) / 2.0).hypot(b).copysign(level);
    // (A − κ) u = 0 with κ = (a + d)/2 + root; the larger of two ways to write u.
    let [x, y] = [root + (a - d) / 2.0, root - (a - d) / 2.0];
    let u = if x.abs() > y.abs() { [x, b] } else { [b, y] };
    let [first, last] = [first, last].map(|xi| xi[0] * u[0] + xi[1] * u[1]);
    first * last < 0.0
}

#[cfg(test)]
mod tests {
    use super::are_apart;

    #[test]
    fn branches_of_a_hyperbola_lie_on_both_sides_of_its_centre() {
        // x y = level, turned by an angle: on x, y > 0 and on x, y < 0 for a positive level.
        for angle in [0.0f64, 0.3, 1.1, 2.0, 3.0, 4.5] {
            let (s, c) = angle.sin_cos();
            let turned = |[x, y]: [f64; 2]| [c * x - s * y, s * x + c * y];
            let form = [-2.0 * s * c, c * c - s * s, 2.0 * s * c];
            let [near, far, back] = [[2.0, 0.5], [0.5, 2.0], [-4.0, -0.25]].map(turned);
            assert!(!are_apart(form, 1.0, [near, far]) && are_apart(form, 1.0, [near, back]));
            let [near, far, back] = [[2.0, -0.5], [0.5, -2.0], [-4.0, 0.25]].map(turned);
            assert!(!are_apart(form, -1.0, [near, far]) && are_apart(form, -1.0, [near, back]));
        }
    }
}
