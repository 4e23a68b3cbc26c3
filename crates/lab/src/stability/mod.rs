//! Stability of the constraint manifold: what a formulation does to errors of the constraints.
//!
//! On the manifold φ = ψ = 0 all formulations have the same solutions; off it they differ. Small
//! residuals r = (φ, ψ) obey ṙ = A(t) r along a motion ([`Linearisation`]), with the frozen eigenvalues
//! of A and the growth of its fundamental matrix Φ as numbers, and a [`Verdict`] as their meaning. Along a
//! periodic motion Floquet's multipliers, the eigenvalues of Φ after a period, decide for all times; it may
//! end elsewhere, as an angle does that has grown by 2π, if the equations are the same there.
//!
//! (Leimkuhler & Reich, Math. Comp. 63 (1994), §3; Seiler, BIT 39 (1999), §6. For several constraints the
//! frozen eigenvalues alone do not decide.)
//!
//! ```
//! use cotangent_compile::Engine;
//! use cotangent_problem::{Instance, Repairs};
//! use cotangent_lab::stability::{Path, Stability};
//! use cotangent_model::System;
//! use cotangent_scalar::Limits;
//! use cotangent_theory::Formulation;
//!
//! let pendulum = System::parse(
//!     "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + y\nconstraint rod: (x^2 + y^2 - 1)/2 = 0\ninitial x = 1, p_y = -2\n",
//! )?;
//! let verdict = |formulation| -> Result<_, Box<dyn std::error::Error>> {
//!     let problem = Instance::new(&pendulum, formulation, &[], Repairs::default(), Engine::Best)?;
//!     Ok(Stability::along(&problem, &mut Path::new(&problem, 5.0, &Limits::default())?)?.verdict.name())
//! };
//! assert_eq!(verdict(Formulation::Total)?, "saddle");
//! assert_eq!(verdict(Formulation::Dirac { alpha: 0.0 })?, "centre");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod follow;
mod judge;
mod linearise;
mod obstacle;
mod path;
mod period;
mod propagate;
mod verdict;

pub use linearise::{Linearisation, Linearised};
pub use obstacle::Obstacle;
pub use path::Path;
pub use verdict::{Time, Unsure, Verdict};

use cotangent_problem::Instance;
use cotangent_scalar::figures::measured;
use cotangent_solve::EigenvalueError;
use cotangent_theory::{Formulation, Law, Space};
use follow::Followed;

/// What a formulation does to errors of the constraints along a motion.
#[derive(Clone, PartialEq, Debug)]
pub struct Stability {
    /// What it means.
    pub verdict: Verdict,
    /// Until when the motion was followed.
    pub until: f64,
    /// The eigenvalues of A, as (real, imaginary) parts, at times along the motion.
    pub frozen: Vec<Frozen>,
    /// The growth of log ‖Φ‖ per time, from the first half of the motion to the second (of decay, in the second
    /// alone); along a periodic or steady motion that in the long run. It is the rate of the verdict, if that has
    /// one.
    pub exponent: f64,
    /// How far the exponent may be off.
    pub uncertainty: f64,
    /// The largest ‖Φ‖ along the motion, at least 1.
    pub growth: f64,
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
    /// The multipliers of the given constraints alone, by the last of the time derivatives.
    #[error("the last time derivatives of the constraints are integrals, and those before drift with them")]
    ByDerivatives,
    /// Springs in the place of the constraints of a bracket.
    #[error("solutions leave the constraints")]
    Springs,
    /// More variables than can be handled.
    #[error("{size} variables are too many (at most {largest})")]
    TooLarge {
        /// The number of variables.
        size: usize,
        /// The limit.
        largest: usize,
    },
    /// The motion itself is not known.
    #[error("no motion to follow: {0}")]
    NoPath(Obstacle),
    /// The motion ends, or cannot be followed any further.
    #[error("the motion cannot be followed beyond t = {}: {obstacle}", measured(*time))]
    Lost {
        /// When.
        time: f64,
        /// Why.
        obstacle: Obstacle,
    },
    /// The linearisation does not exist at a point.
    #[error("at t = {} small errors obey no linear equations: {obstacle}", measured(*time))]
    NoMatrix {
        /// When.
        time: f64,
        /// Why not.
        obstacle: Obstacle,
    },
    /// The eigenvalues could not be found.
    #[error(transparent)]
    Eigenvalues(#[from] EigenvalueError),
}

impl Stability {
    /// What can be said of a formulation without following a motion.
    pub fn without_path(problem: &Instance) -> Option<Result<Stability, StabilityError>> {
        let motion = &problem.equations.motion;
        let by_velocity = motion.velocity.is_some() && !motion.is_holonomic();
        match (&motion.space, motion.formulation) {
            (Space::Surface(_), Formulation::IndexReduced) => return Some(Err(StabilityError::ByDerivatives)),
            (Space::Whole, Formulation::Penalty { .. }) if !motion.system.constraints.is_empty() => {
                return Some(Err(StabilityError::Springs));
            }
            _ => {}
        }
        let in_coordinates = motion.chart().is_some() || matches!(motion.space, Space::Reduced(_));
        if in_coordinates || by_velocity || matches!(motion.law, Law::Form(_)) && motion.field().is_none() {
            // Every point of a chart is one of the manifold; multipliers of velocity constraints are what keeps these.
            let verdict = Verdict::Identical;
            return Some(Ok(Stability {
                verdict,
                until: 0.0,
                frozen: vec![],
                exponent: 0.0,
                uncertainty: 0.0,
                growth: 1.0,
            }));
        }
        let unknown = motion.has_unknown_multipliers();
        unknown.then_some(Err(StabilityError::NoField))
    }

    /// By how much errors grow until a time: as seen, and as the verdict says beyond.
    pub fn amplification(&self, until: f64) -> f64 {
        let longer = (until / self.until).max(1.0);
        match self.verdict {
            Verdict::Drift => self.growth * longer,
            Verdict::Saddle { rate, .. } => self.growth.max((rate * until).exp()),
            _ => self.growth,
        }
    }

    /// Follows the residuals of a formulation along a motion of its model.
    pub fn along(problem: &Instance, path: &mut Path) -> Result<Stability, StabilityError> {
        if let Some(known) = Stability::without_path(problem) {
            return known;
        }
        if problem.equations.motion.structure().is_none_or(|s| s.state() != problem.equations.motion.state) {
            return Err(StabilityError::NoPath(Obstacle::NotCanonical));
        }
        judge::judged(Followed::new(problem, path)?)
    }
}
