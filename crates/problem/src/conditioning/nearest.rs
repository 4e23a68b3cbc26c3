//! The singular configuration q* next to a state.
//!
//! With cᵢ = 1 for the constraint i that depends on the others, the rest of c follows from Q c = r² eᵢ without its row and
//! column i,
//!
//! ```text
//! Q_oo c_o = −Q_oi,
//! ```
//!
//! which is regular in q* itself unless more is dependent there. q* is found by Newton's method for r = Gᵀc = 0 in the plane
//! of v and n = H_pp r, which for one degree of freedom is the whole tangent space of the other constraints, to which it is
//! brought back with Q_oo. The level ℓ* = c·φ is stationary in q*, and is known to the rounding of its terms.

use super::Conditioning;
use super::arms::{Arms, Axes};
use super::branch::{MAX_VARIABLES, Nearest, Point};
use super::face::{Face, Gradients, dot};
use cotangent_compile::CallError;

/// A level within so many units in the last place of its terms is zero: lengths are rounded, too.
pub(super) const UNITS: f64 = 32.0;
/// What is further away than so many steps, or than so many times the distance that δ explains, is far.
const FAR: (f64, f64) = (30.0, 6.0);
/// The determinant of A in the plane, relative to its entries, below which it has no crossing there.
const FLAT: f64 = 1e-6;
/// Newton's method for q*: so many iterations, until a correction is this part of the step.
const NEWTON: (usize, f64) = (12, 1e-6);
/// A state is moved towards q* at most so often, each time by this part of its distance, if ½ ξᵀA ξ consists of terms that
/// are so many times larger than it is.
const APPROACH: (usize, f64, f64) = (12, 0.3, 8.0);
/// Newton's method by which it is brought back onto its curve: so many iterations.
const CORRECTIONS: usize = 4;

impl Conditioning {
    /// The singular configuration next to one of the ends of a step of the length `step` with these velocities.
    pub(super) fn nearest(
        &mut self,
        gradients: &mut Gradients,
        constraint: usize,
        (from, ends): (usize, [&[f64]; 2]),
        (velocities, step): (&[Vec<f64>; 2], f64),
    ) -> Result<Nearest, CallError> {
        let state = ends[from];
        let n = gradients.columns();
        if step.is_nan() || step <= 0.0 || n > MAX_VARIABLES {
            return Ok(Nearest::Unknown);
        }
        let mut at = state.to_vec();
        let mut face = Face::new(self.direction.len(), n);
        let mut axes: Option<[Vec<f64>; 2]> = None;
        let (mut bent, mut shift) = ([vec![0.0; n], vec![0.0; n]], vec![0.0; n]);
        let mut point =
            Point { level: 0.0, critical: 0.0, rounding: 0.0, bend: 0.0, step, distance: 0.0, path: 0.0, arms: None };
        let (mut by, mut shifted, mut form) = (step, step, [0.0; 3]);
        for iteration in 0..NEWTON.0 {
            if !self.explain(constraint, &at, &mut face.c)? {
                return Ok(Nearest::Unknown);
            }
            gradients.look(&at, &self.parameters, &mut face)?;
            let [level, rounding] = gradients.level(&at, &self.parameters, &face.c)?;
            // What is left of a correction changes the level by its square.
            (point.critical, point.rounding) = (level, UNITS * rounding + point.bend * shifted * shifted);
            if iteration == 0 {
                point.level = level;
            }
            // What brings the other constraints back.
            let mut y: Vec<f64> = gradients.constraints().iter().map(|phi| -phi).collect();
            self.among_others(constraint, &mut y);
            gradients.shift(&y, &mut shift);
            let axes = match &mut axes {
                Some(axes) => axes,
                None => {
                    if !gradients.weigh() {
                        return Ok(Nearest::Unknown);
                    }
                    let unit = |x: &[f64], size: f64| x.iter().map(|x| x / size).collect::<Vec<_>>();
                    let own = &velocities[from];
                    let speed = gradients.weighed(own, own).sqrt();
                    axes.insert([unit(own, speed), unit(&face.n, face.square.sqrt())])
                }
            };
            if iteration > 0 {
                for axis in axes.iter_mut() {
                    self.project(gradients, constraint, axis);
                }
            }
            if shifted <= NEWTON.1 * step {
                if gradients.has_one_freedom() {
                    let seen = Axes::of(form);
                    let mut end = |k: usize| {
                        let heading = [0, 1].map(|axis| gradients.weighed(&axes[axis], &velocities[k]));
                        let arms = self.arms(gradients, (&face.c, point.rounding), (&at, ends[k]), (axes, &seen));
                        arms.map(|arms| arms.heading(seen.along(heading)))
                    };
                    point.arms = Some([end(0)?, end(1)?]);
                    point.path = ends.iter().fold(0.0, |path, end| {
                        let apart = gradients.way(&at, end);
                        path + gradients.weighed(&apart, &apart).sqrt()
                    });
                }
                return Ok(Nearest::At(point));
            }
            let [e, f] = &*axes;
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
            shifted = alpha.hypot(beta) + gradients.weighed(&shift, &shift).max(0.0).sqrt();
            by = shifted.clamp(1e-5 * step, step);
            let apart = gradients.way(state, &at);
            point.distance = gradients.weighed(&apart, &apart).sqrt();
            let off = (2.0 * point.level.abs() / point.bend).sqrt();
            let is_near = point.distance <= FAR.0 * step + FAR.1 * off;
            if !is_near {
                return Ok(Nearest::Far);
            }
        }
        Ok(Nearest::Unknown)
    }

    /// On which arm a state lies, seen from the singular configuration `at`. One that is too far away for A to tell is moved
    /// towards it along its curve.
    fn arms(
        &mut self,
        gradients: &mut Gradients,
        (c, rounding): (&[f64], f64),
        (at, state): (&[f64], &[f64]),
        (plane, axes): (&[Vec<f64>; 2], &Axes),
    ) -> Result<Arms, CallError> {
        let [critical, _] = gradients.level(at, &self.parameters, c)?;
        let mut state = state.to_vec();
        let mut start = None;
        for rest in (0..=APPROACH.0).rev() {
            let xi = gradients.way(at, &state);
            let along = [0, 1].map(|k| gradients.weighed(&plane[k], &xi));
            let [level, own] = gradients.level(&state, &self.parameters, c)?;
            let (level, rounding) = (level - critical, rounding.max(UNITS * own));
            let arms = axes.arms(along, level, rounding);
            let is_far = axes.size(along) > APPROACH.2 * (rounding + level.abs());
            let start = start.get_or_insert_with(|| gradients.constraints().to_vec());
            if rest == 0 || arms.are_known() || !is_far || !self.approach(gradients, &mut state, (&xi, start))? {
                return Ok(arms);
            }
        }
        Ok(Arms::UNKNOWN)
    }

    /// Moves a state by a part of −ξ along the curve on which φ has these values; whether that leads on.
    fn approach(
        &mut self,
        gradients: &mut Gradients,
        state: &mut [f64],
        (xi, phi): (&[f64], &[f64]),
    ) -> Result<bool, CallError> {
        let (m, n) = (self.direction.len(), xi.len());
        let (mut face, mut y, mut normal) = (Face::new(m, n), vec![0.0; m], vec![0.0; n]);
        self.evaluate(state)?;
        if self.factor().is_some() {
            return Ok(false);
        }
        gradients.look(state, &self.parameters, &mut face)?;
        gradients.rates(xi, &mut y);
        self.solver.solve(&mut y);
        gradients.shift(&y, &mut normal);
        let tangent: Vec<f64> = xi.iter().zip(&normal).map(|(xi, normal)| xi - normal).collect();
        if 2.0 * gradients.weighed(&tangent, &tangent) < gradients.weighed(xi, xi) {
            return Ok(false);
        }
        state.iter_mut().zip(&tangent).for_each(|(q, t)| *q -= APPROACH.1 * t);
        for _ in 0..CORRECTIONS {
            self.evaluate(state)?;
            if self.factor().is_some() {
                return Ok(false);
            }
            gradients.look(state, &self.parameters, &mut face)?;
            gradients.level(state, &self.parameters, &face.c)?;
            y.iter_mut().zip(gradients.constraints()).zip(phi).for_each(|((y, now), phi)| *y = phi - now);
            self.solver.solve(&mut y);
            gradients.shift(&y, &mut normal);
            state.iter_mut().zip(&normal).for_each(|(q, normal)| *q += normal);
        }
        Ok(state.iter().all(|q| q.is_finite()))
    }

    /// c with cᵢ = 1 at a state, and Q_oo factored; whether the others are independent.
    fn explain(&mut self, constraint: usize, state: &[f64], c: &mut [f64]) -> Result<bool, CallError> {
        self.evaluate(state)?;
        c.fill(0.0);
        for ((i, j), value) in self.solver.pattern().addresses().zip(&mut self.values) {
            let (i, j) = (i as usize, j as usize);
            match (i == constraint, j == constraint) {
                (true, true) => *value = 1.0,
                (true, false) => *value = 0.0,
                (false, true) => c[i] = -std::mem::take(value),
                (false, false) => {}
            }
        }
        if self.factor().is_some() {
            return Ok(false);
        }
        self.solver.solve(c);
        c[constraint] = 1.0;
        Ok(c.iter().all(|c| c.is_finite()))
    }

    /// Q_oo⁻¹ x_o, Q_oo being factored.
    fn among_others(&mut self, constraint: usize, x: &mut [f64]) {
        x[constraint] = 0.0;
        self.solver.solve(x);
        x[constraint] = 0.0;
    }

    /// Projects a direction onto the tangent space of the other constraints where was looked at last.
    fn project(&mut self, gradients: &mut Gradients, constraint: usize, direction: &mut [f64]) {
        let (mut y, mut normal) = (vec![0.0; self.direction.len()], vec![0.0; direction.len()]);
        gradients.rates(direction, &mut y);
        self.among_others(constraint, &mut y);
        gradients.shift(&y, &mut normal);
        direction.iter_mut().zip(&normal).for_each(|(x, normal)| *x -= normal);
    }
}
