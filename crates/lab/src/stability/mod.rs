//! Stability of the constraint manifold: what a formulation does to errors of the constraints.
//!
//! On the manifold φ = ψ = 0 all formulations have the same solutions; off it they differ. Small
//! residuals r = (φ, ψ) obey ṙ = A(t) r along a motion ([`Linearisation`]), with the frozen eigenvalues
//! of A and the growth of its fundamental matrix as numbers, and a [`Verdict`] as their meaning.
//!
//! (Leimkuhler & Reich, Math. Comp. 63 (1994), §3; Seiler, BIT 39 (1999), §6. For several constraints the
//! frozen eigenvalues alone do not decide.)
//!
//! ```
//! use cotangent_compile::{Engine, Problem, Repairs};
//! use cotangent_lab::stability::{Path, Stability};
//! use cotangent_model::System;
//! use cotangent_observe::Interrupt;
//! use cotangent_theory::Formulation;
//!
//! let pendulum = System::parse(
//!     "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + y\nconstraint rod: (x^2 + y^2 - 1)/2 = 0\ninitial x = 1, p_y = -2\n",
//! )?;
//! let verdict = |formulation| -> Result<_, Box<dyn std::error::Error>> {
//!     let problem = Problem::new(&pendulum, formulation, &[], Repairs::default(), Engine::Best)?;
//!     Ok(Stability::along(&problem, &Path::new(&problem, 5.0, &Interrupt::new())?)?.verdict.name())
//! };
//! assert_eq!(verdict(Formulation::Total)?, "saddle");
//! assert_eq!(verdict(Formulation::Dirac { alpha: 0.0 })?, "centre");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod linearise;
mod path;
mod propagate;
mod verdict;

pub use linearise::{Linearisation, Linearised};
pub use path::Path;
pub use verdict::Verdict;

use cotangent_compile::Problem;
use cotangent_dynamics::Failure;
use cotangent_solve::{EigenvalueError, eigenvalues};

/// What a formulation does to errors of the constraints along a motion.
#[derive(Clone, PartialEq, Debug)]
pub struct Stability {
    /// What it means.
    pub verdict: Verdict,
    /// Until when the motion was followed.
    pub until: f64,
    /// The eigenvalues of A, as (real, imaginary) parts, at times along the motion.
    pub frozen: Vec<Frozen>,
    /// The growth of log ‖Φ‖ per time, from the first half of the motion to the second.
    pub exponent: f64,
    /// How far the exponent may be off.
    pub uncertainty: f64,
}

/// The eigenvalues of A at one time.
#[derive(Clone, PartialEq, Debug)]
pub struct Frozen {
    /// When.
    pub time: f64,
    /// (real, imaginary).
    pub eigenvalues: Vec<[f64; 2]>,
}

/// Why nothing can be said.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum StabilityError {
    /// Multipliers are unknowns: the method keeps the constraints, or does not.
    #[error("what happens to the constraints is up to the method: the multipliers are unknowns")]
    NoField,
    /// Nothing can be violated.
    #[error("there are no constraints")]
    NoConstraints,
    /// The equations come from Dirac's analysis, which makes every constraint one of their integrals.
    #[error("every constraint that the analysis found is an integral of these equations")]
    ByAnalysis,
    /// More variables than can be handled.
    #[error("{size} variables are too many (at most {largest})")]
    TooLarge {
        /// The number of variables.
        size: usize,
        /// The limit.
        largest: usize,
    },
    /// The motion itself is not known.
    #[error("no motion to follow: {reason}")]
    NoPath {
        /// Why not.
        reason: String,
    },
    /// The linearisation does not exist at a point.
    #[error("at t = {time} the residual equations have no linearisation: {failure}")]
    NoMatrix {
        /// When.
        time: f64,
        /// Why not.
        failure: Failure,
    },
    /// The eigenvalues could not be found.
    #[error(transparent)]
    Eigenvalues(#[from] EigenvalueError),
}

/// Rates up to this, compared with those of A and the length of the motion, are round-off.
const NOTHING: f64 = 1e-6;

/// In the second half of the time errors that grow exponentially grow by more than this factor (as a
/// logarithm): more than a power t⁴ does.
const EXPONENTIAL: f64 = 3.0;

/// Bounded errors grow by less than this: less than a drift does, log 2.
const BOUNDED: f64 = 0.5;

/// An eigenvalue is imaginary if its real part is smaller by this factor.
const IMAGINARY: f64 = 1e-6;

impl Stability {
    /// What can be said of a formulation without following a motion.
    pub fn without_path(problem: &Problem) -> Option<Result<Stability, StabilityError>> {
        let motion = &problem.motion;
        if motion.chart.is_some() {
            // Every point of a chart is one of the manifold.
            let verdict = Verdict::Identical;
            return Some(Ok(Stability { verdict, until: 0.0, frozen: vec![], exponent: 0.0, uncertainty: 0.0 }));
        }
        let unknown = motion.field.is_none() && motion.is_constrained();
        unknown.then_some(Err(StabilityError::NoField))
    }

    /// Follows the residuals of a formulation along a motion of its model.
    pub fn along(problem: &Problem, path: &Path) -> Result<Stability, StabilityError> {
        let no_path = |reason: &str| StabilityError::NoPath { reason: reason.into() };
        let no_matrix = |time: f64| move |failure: Failure| StabilityError::NoMatrix { time, failure };
        if let Some(known) = Stability::without_path(problem) {
            return known;
        }
        if problem.motion.structure.as_ref().is_none_or(|s| s.state() != problem.motion.state) {
            return Err(no_path("the variables of these equations are not positions and momenta"));
        }
        let linearisation = Linearisation::new(problem).map_err(no_matrix(0.0))?;
        let mut linearisation = linearisation.ok_or(StabilityError::NoConstraints)?;
        let mut found = vec![];
        for pair in &path.points {
            for (time, point) in pair {
                found.push((*time, linearisation.at(point).map_err(no_matrix(*time))?));
            }
        }
        judged(&found, path)
    }
}

fn judged(found: &[(f64, Linearised)], path: &Path) -> Result<Stability, StabilityError> {
    let until = path.until();
    let eigenvalues = |(time, l): &(f64, Linearised)| -> Result<Frozen, StabilityError> {
        Ok(Frozen { time: *time, eigenvalues: eigenvalues(&l.matrix)? })
    };
    let frozen = found.iter().map(eigenvalues).collect::<Result<Vec<_>, _>>()?;
    // In the largest sizes of the residuals, the same for all times so that products make sense.
    let mut sizes = found.first().map_or(vec![], |(_, l)| l.sizes.clone());
    for (_, l) in found {
        sizes.iter_mut().zip(&l.sizes).for_each(|(size, now)| *size = size.max(*now));
    }
    let scaled = |l: &Linearised| -> Vec<Vec<f64>> {
        let row = |(i, row): (usize, &Vec<f64>)| row.iter().zip(&sizes).map(|(a, s)| a * s / sizes[i]).collect();
        l.matrix.iter().enumerate().map(row).collect()
    };
    let matrices: Vec<Vec<Vec<f64>>> = found.iter().map(|(_, l)| scaled(l)).collect();
    let pairs: Vec<[Vec<Vec<f64>>; 2]> = matrices.chunks_exact(2).map(|p| [p[0].clone(), p[1].clone()]).collect();
    let growth = propagate::growth(&pairs, path.step, true);
    let rough = propagate::growth(&pairs, path.step, false);
    // From the largest error of the first half of the time to that of the second: neither the units of the start
    // nor the phase of an oscillation count. As uncertain as its difference from the slope at the end, where they
    // do, and as the two propagations differ.
    let half = growth.len() / 2;
    let halves = |list: &[f64]| {
        let largest = |part: &[f64]| part.iter().fold(f64::NEG_INFINITY, |m, g| m.max(*g));
        let (early, late) = list.split_at(half.min(list.len()));
        let grown = largest(late) - largest(early);
        if grown.is_finite() { 2.0 * grown / until } else { 0.0 }
    };
    let exponent = halves(&growth);
    let at = |k: usize| growth.get(k).copied().unwrap_or(0.0);
    let slope = 2.0 * (at(growth.len().saturating_sub(1)) - at(half)) / until;
    let uncertainty = (exponent - halves(&rough)).abs().max((exponent - slope).abs());
    let verdict = match found.first() {
        Some((_, l)) => {
            let horizon = until.max(path.span);
            let evidence = Evidence { found, matrices: &matrices, frozen: &frozen, growth: &growth, until, horizon };
            evidence.verdict(&l.residuals)
        }
        None => Verdict::Undecided { reason: "the motion has no length".into() },
    };
    Ok(Stability { verdict, until, frozen, exponent, uncertainty })
}

/// What a verdict is made of.
struct Evidence<'a> {
    found: &'a [(f64, Linearised)],
    matrices: &'a [Vec<Vec<f64>>],
    frozen: &'a [Frozen],
    growth: &'a [f64],
    until: f64,
    /// The time in which the motion goes on by its own size, if that is longer: what is nothing in a short
    /// time may be something in this.
    horizon: f64,
}

impl Evidence<'_> {
    fn verdict(&self, residuals: &[usize]) -> Verdict {
        if residuals.is_empty() {
            return Verdict::Identical;
        }
        let worst = |of: fn(&Linearised) -> f64| self.found.iter().map(|(_, l)| of(l)).fold(0.0f64, f64::max);
        let fastest = self.matrices.iter().flatten().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
        let nothing = NOTHING * (fastest + 1.0 / self.horizon);
        // Points are on the manifold up to round-off, which stiff equations amplify.
        let still = NOTHING / self.horizon + 1e3 * f64::EPSILON * fastest;
        let (defect, remainder) = (worst(|l| l.defect), worst(|l| l.remainder));
        if defect > still {
            return Verdict::NotInvariant { rate: defect };
        }
        if remainder > nothing {
            let reason = format!("the residuals do not obey equations of their own ({remainder:.0e} is left)");
            return Verdict::Undecided { reason };
        }
        // Whether all entries that are asked for vanish.
        let vanishes = |asked: &dyn Fn(usize, usize) -> bool| {
            let entries = self.matrices.iter().flat_map(|a| a.iter().enumerate());
            let mut entries = entries.flat_map(|(i, row)| row.iter().enumerate().map(move |(j, x)| (i, j, x)));
            entries.all(|(i, j, x)| !asked(i, j) || x.abs() * self.horizon <= NOTHING)
        };
        if vanishes(&|_, _| true) {
            let identical = self.found.iter().any(|(_, l)| l.residuals.len() < l.count);
            return Verdict::Integrals { identical };
        }
        // φ̇ = ψ alone: products of such matrices vanish, so that nothing grows faster.
        let half = residuals.len() / 2;
        if vanishes(&|i, j| !(i < half && j >= half)) {
            return Verdict::Drift;
        }
        self.growing()
    }

    /// For matrices that are not nearly zero.
    fn growing(&self) -> Verdict {
        let half = self.growth.len() / 2;
        let largest = |list: &[f64]| list.iter().fold(f64::NEG_INFINITY, |m, g| m.max(*g));
        let [early, late] = [&self.growth[..half], &self.growth[half..]].map(largest);
        let (gained, end) = (late - early, self.growth.last().copied().unwrap_or(0.0));
        let fastest = |f: &Frozen| f.eigenvalues.iter().fold(f64::NEG_INFINITY, |m, v| m.max(v[0]));
        let size = |f: &Frozen| f.eigenvalues.iter().fold(0.0f64, |m, v| m.max(v[0].hypot(v[1])));
        let exponent = end / self.until;
        let mean = self.frozen.iter().map(fastest).sum::<f64>() / self.frozen.len().max(1) as f64;
        // A motion too short to show growth is judged by its eigenvalues alone.
        let short = mean.abs() * self.until < EXPONENTIAL;
        let always = self.frozen.iter().all(|f| fastest(f) > IMAGINARY.sqrt() * size(f));
        if gained > EXPONENTIAL {
            let later = self.until * (self.growth.len() - 1 - half) as f64 / self.growth.len() as f64;
            return Verdict::Saddle { rate: (end - self.growth[half]) / later };
        }
        if always && (short || exponent > 0.5 * mean) {
            return Verdict::Saddle { rate: mean };
        }
        if self.frozen.iter().all(|f| fastest(f) < -IMAGINARY.sqrt() * size(f)) && (short || end < 0.0) {
            return Verdict::Damped { rate: if short { -mean } else { -exponent } };
        }
        let imaginary = |f: &Frozen| f.eigenvalues.iter().all(|v| v[0].abs() <= IMAGINARY * size(f));
        let real = self.frozen.iter().filter(|f| !imaginary(f)).count();
        if real == 0 && gained < BOUNDED {
            let frequencies = self.frozen.iter().flat_map(|f| f.eigenvalues.iter().map(|v| v[1].abs()));
            return Verdict::Centre { frequency: frequencies.fold(0.0, f64::max), until: self.until };
        }
        let (part, factor) = (100.0 * real as f64 / self.frozen.len() as f64, late.exp());
        let fast = self.frozen.iter().map(fastest).fold(f64::NEG_INFINITY, f64::max);
        let (fast, factor) = (verdict::digits(fast), verdict::digits(factor));
        Verdict::Undecided {
            reason: format!(
                "at {part:.0} % of the times an eigenvalue is not imaginary (real parts up to {fast}), and errors \
                 grow to {factor} times themselves until t = {:.3}, on average like e^({exponent:.2} t)",
                self.until
            ),
        }
    }
}
