//! Whether a step of J ż = ∇H keeps to its branch.
//!
//! Nᵀ∇H(z) = 0 determines the part u of z in ker J, velocities and multipliers as functions of positions and momenta, and may
//! have several solutions. A step must end on the one that continues that of its beginning. u is carried along a path of the
//! other variables w, by prediction along the tangent, du/dw = −K⁻¹NᵀH_zz, and correction with K of the last point kept: what
//! converges like this while K changes by less than half of itself is the same solution, and no pole is passed. Where K is
//! singular on the path (a fold, a pole) the parts that can be gone become ever shorter, and the branch ends.
//!
//! The path is the line from the beginning of the step to its end. Where K changes much along the motion itself, the step may
//! have been thrown back by the end of its branch: there the motion is followed in small steps of its own.

use crate::index_one::IndexOne;
use cotangent_dynamics::{Failure, Field, Presymplectic};
use cotangent_solve::{LinearSolver, departure};

/// By how much K may change in a part of the path, relative to itself.
const CHANGE: f64 = 0.5;
/// How much smaller each correction must be than the last, on the average.
const CONTRACTION: f64 = 0.5;
/// Corrections in a part.
const CORRECTIONS: usize = 40;
/// Corrections of this part of the variables are round-off; from the second on, those that do not shrink.
const ROUND_OFF: [f64; 2] = [1e-14, 1e-9];
/// The shortest part of a path, and how many there may be.
const SHORTEST: f64 = 1e-9;
const MOST: usize = 2000;
/// Variables that agree to this part are the same without a further look.
const EQUAL: f64 = 1e-8;
/// Where between two solutions K is looked at.
const BETWEEN: [f64; 4] = [0.25, 0.5, 0.75, 1.0];
/// In how many parts a motion is followed where a step does not resolve it.
const PARTS: u32 = 16;
/// An end that is further from where the motion is followed to than this part of the step, and of the variable, is another.
const ASIDE: [f64; 2] = [0.5, 0.05];

impl<P: Presymplectic<f64>> IndexOne<P, f64> {
    /// Whether the part in ker J at the end of a step continues that at its beginning. The duration is known of steps that a
    /// method does not choose by itself.
    pub fn continues(&mut self, [before, after]: [&[f64]; 2], step: Option<f64>) -> Result<bool, Failure> {
        let line = self.carried(before, after)?;
        let arrives = line.is_some_and(|end| self.is_same(&end, after));
        let Some(h) = step else { return Ok(arrives) };
        if arrives && self.is_resolved(before, h)? {
            return Ok(true);
        }
        let Some(moved) = self.followed(before, h)? else { return Ok(false) };
        let is_aside = |k: usize| {
            let (off, changes) = ((after[k] - moved[k]).abs(), [after[k] - before[k], moved[k] - before[k]]);
            let size = after[k].abs().max(before[k].abs());
            off > ASIDE[0] * changes[0].abs().max(changes[1].abs()) && off > ASIDE[1] * size
        };
        let determined = self.variables().to_vec();
        if (0..after.len()).filter(|k| !determined.contains(k)).any(is_aside) {
            return Ok(false);
        }
        let end = self.carried(&moved, after)?;
        Ok(end.is_some_and(|end| self.is_same(&end, after)))
    }

    /// The state at the end of a line, its part in ker J carried along from the beginning; `None` if its branch ends.
    fn carried(&mut self, from: &[f64], to: &[f64]) -> Result<Option<Vec<f64>>, Failure> {
        let mut solver = LinearSolver::new(&self.restricted).map_err(Failure::of)?;
        let (mut here, mut there) = (vec![0.0; self.restricted.len()], vec![0.0; self.restricted.len()]);
        let line: Vec<f64> = to.iter().zip(from).map(|(to, from)| to - from).collect();
        let mut z = from.to_vec();
        let (mut done, mut part) = (0.0f64, 1.0f64);
        for _ in 0..MOST {
            if done >= 1.0 {
                return Ok(Some(z));
            }
            self.restricted_hessian(&z, &mut here)?;
            if solver.factor(&here).is_err() {
                return Ok(None);
            }
            let mut tangent = self.along(&line);
            solver.solve(&mut tangent);
            let unit = self.units(&z)?;
            loop {
                let mut next: Vec<f64> = z.iter().zip(&line).map(|(z, line)| z + part * line).collect();
                self.shift(&mut next, -part, &tangent);
                if part >= 1.0 - done {
                    next = self.completed(&next, to);
                }
                let kept = self.corrected(&mut solver, &unit, &mut next)
                    && self.restricted_hessian(&next, &mut there).is_ok()
                    && departure(&mut solver, &here, &there) <= CHANGE;
                if kept {
                    z = next;
                    done = if part >= 1.0 - done { 1.0 } else { done + part };
                    part = (2.0 * part).min(1.0 - done);
                    break;
                }
                part /= 2.0;
                if part < SHORTEST {
                    return Ok(None);
                }
            }
        }
        Ok(None)
    }

    /// A state with its part in ker J put into another one.
    fn completed(&self, from: &[f64], into: &[f64]) -> Vec<f64> {
        let mu: Vec<f64> = self.variables().iter().map(|&j| from[j] - into[j]).collect();
        let mut state = into.to_vec();
        self.shift(&mut state, 1.0, &mu);
        state
    }

    /// z + c N μ
    fn shift(&self, z: &mut [f64], c: f64, mu: &[f64]) {
        for (vector, m) in self.vectors.iter().zip(mu) {
            vector.iter().for_each(|&(j, n)| z[j] += c * n * m);
        }
    }

    /// Solves Nᵀ∇H = 0 with a matrix that was factored nearby; whether corrections shrink quickly.
    fn corrected(&mut self, solver: &mut LinearSolver<f64>, unit: &[f64], z: &mut [f64]) -> bool {
        let size = |x: &[f64]| {
            let larger = |m: f64, (x, u): (&f64, &f64)| if x.is_nan() { f64::NAN } else { m.max(x.abs() / u) };
            x.iter().zip(unit).fold(0.0, larger)
        };
        // A correction of velocities may be one of multipliers next, in other units: two are looked at together.
        let mut last = [f64::INFINITY; 2];
        for _ in 0..CORRECTIONS {
            let Ok(mut change) = self.residual(z) else { return false };
            solver.solve(&mut change);
            let by = size(&change);
            if !by.is_finite() {
                return false;
            }
            if by > CONTRACTION * CONTRACTION * last[0] {
                return by <= ROUND_OFF[1];
            }
            self.shift(z, -1.0, &change);
            if by <= ROUND_OFF[0] {
                return true;
            }
            last = [last[1], by];
        }
        false
    }

    /// Whether two solutions that differ by their part in ker J alone are the same: 0 = Nᵀ∇H(a) − Nᵀ∇H(b) = K̄ μ with a mean K̄ of
    /// K between them. Where K is nearly the same on all of the way, μ is round-off; in whatever units.
    fn is_same(&mut self, a: &[f64], b: &[f64]) -> bool {
        if a.iter().zip(b).all(|(a, b)| (a - b).abs() <= EQUAL * b.abs()) {
            return true;
        }
        let (mut here, mut there) = (vec![0.0; self.restricted.len()], vec![0.0; self.restricted.len()]);
        let Ok(mut solver) = LinearSolver::new(&self.restricted) else { return false };
        if self.restricted_hessian(b, &mut here).is_err() || solver.factor(&here).is_err() {
            return false;
        }
        BETWEEN.iter().all(|s| {
            let state: Vec<f64> = a.iter().zip(b).map(|(a, b)| b + s * (a - b)).collect();
            self.restricted_hessian(&state, &mut there).is_ok() && departure(&mut solver, &here, &there) <= CHANGE
        })
    }

    /// Whether K changes little while the motion goes on from a state for a time.
    fn is_resolved(&mut self, z: &[f64], h: f64) -> Result<bool, Failure> {
        let (mut here, mut there) = (vec![0.0; self.restricted.len()], vec![0.0; self.restricted.len()]);
        let mut rate = vec![0.0; z.len()];
        if self.rate(z, &mut rate).is_err() {
            return Ok(false);
        }
        let next: Vec<f64> = z.iter().zip(&rate).map(|(z, rate)| z + h * rate).collect();
        self.restricted_hessian(z, &mut here)?;
        let mut solver = LinearSolver::new(&self.restricted).map_err(Failure::of)?;
        let is_known = solver.factor(&here).is_ok() && self.restricted_hessian(&next, &mut there).is_ok();
        Ok(is_known && departure(&mut solver, &here, &there) <= CHANGE)
    }

    /// Where the motion leads to, by explicit midpoint steps; `None` if its branch ends.
    fn followed(&mut self, from: &[f64], h: f64) -> Result<Option<Vec<f64>>, Failure> {
        let (mut z, mut rate) = (from.to_vec(), vec![0.0; from.len()]);
        let part = h / f64::from(PARTS);
        let ahead =
            |z: &[f64], h: f64, rate: &[f64]| -> Vec<f64> { z.iter().zip(rate).map(|(z, r)| z + h * r).collect() };
        for _ in 0..PARTS {
            if self.rate(&z, &mut rate).is_err() {
                return Ok(None);
            }
            let Some(middle) = self.carried(&z, &ahead(&z, part / 2.0, &rate))? else { return Ok(None) };
            if self.rate(&middle, &mut rate).is_err() {
                return Ok(None);
            }
            let Some(next) = self.carried(&z, &ahead(&z, part, &rate))? else { return Ok(None) };
            z = next;
        }
        Ok(Some(z))
    }
}
