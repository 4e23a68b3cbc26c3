//! Residuals followed along a motion, with steps that A itself chooses.
//!
//! A step is good enough if it and its two halves lead to the same Φ; otherwise it is halved. So what counts
//! is how fast A(t) and the residuals change, and neither the origin of the coordinates nor units.

use super::linearise::{Linearisation, Linearised};
use super::path::{Path, Return, TICKS};
use super::propagate::{Fundamental, Matrix, apart, product, step, sum, trace};
use super::{Frozen, Obstacle, StabilityError};
use cotangent_dynamics::Failure;
use cotangent_problem::Instance;
use cotangent_scalar::largest;
use cotangent_solve::eigenvalues;

/// Rates up to this, compared with those of A and the length of the motion, are round-off; a part of the
/// motion up to this does not lead off the manifold.
pub(super) const NOTHING: f64 = 1e-6;

/// How far a step and its two halves may be apart; the halves are sixteen times as good.
const TOLERANCE: f64 = 1e-4;

/// Linearisations for a system of four variables; larger ones have fewer, as each costs more.
const MOST: f64 = 8192.0;

/// Linearisations for any.
const FEWEST: f64 = 128.0;

/// Matrices that differ by less, compared with their largest entry, are the same.
const SAME: f64 = 1e-6;

/// Ticks beside one at which there is no linearisation, at which there may be one.
const ASIDE: [u64; 4] = [8, 64, 512, 4096];

/// Where the growth decides and has not yet, there are so many times more.
const PATIENCE: usize = 3;

/// What is known so far.
pub(super) struct Followed<'a> {
    path: &'a mut Path,
    linearisation: Linearisation<'a>,
    left: usize,
    /// Linearisations for growth that has not decided.
    reserve: usize,
    intervals: u64,
    /// Whether the motion leads off the manifold.
    leaves: bool,
    /// A at the end.
    last: Matrix,
    /// The linearisations, in the order in which they were asked for.
    pub(super) points: Vec<(f64, Linearised)>,
    /// Φ, made of halves of steps.
    pub(super) fine: Fundamental,
    /// Φ, made of whole ones: their difference is an uncertainty.
    pub(super) rough: Fundamental,
    /// After each step.
    pub(super) growth: Vec<Growth>,
    /// Why it was not followed any further, if it could not be.
    pub(super) stopped: Option<StabilityError>,
}

/// How errors have grown until a time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Growth {
    pub(super) time: f64,
    /// log ‖Φ‖.
    pub(super) fine: f64,
    /// The same with steps twice as long.
    pub(super) rough: f64,
    /// log det Φ = ∫ tr A.
    pub(super) volume: f64,
}

/// Why it ends.
enum End {
    /// All that may be spent is spent.
    Spent,
    /// The motion, or the linear equations along it, end.
    Stopped(StabilityError),
    Failed(StabilityError),
}

impl From<StabilityError> for End {
    fn from(error: StabilityError) -> End {
        End::Failed(error)
    }
}

impl<'a> Followed<'a> {
    /// At the start of a motion.
    pub(super) fn new(problem: &'a Instance, path: &'a mut Path) -> Result<Followed<'a>, StabilityError> {
        let linearisation = Linearisation::new(problem).map_err(no_matrix(0.0))?;
        let linearisation = linearisation.ok_or(StabilityError::NoConstraints)?;
        let left = (MOST * (4.0 / path.size().max(1) as f64).powf(1.5)).clamp(FEWEST, MOST) as usize;
        let mut followed = Followed {
            path,
            linearisation,
            left,
            reserve: PATIENCE * left,
            intervals: 0,
            leaves: false,
            last: vec![],
            points: vec![],
            fine: Fundamental::new(0),
            rough: Fundamental::new(0),
            growth: vec![],
            stopped: None,
        };
        followed.last = match followed.matrix(0) {
            Ok(matrix) => matrix,
            Err(End::Failed(error) | End::Stopped(error)) => return Err(error),
            Err(End::Spent) => vec![],
        };
        followed.fine = Fundamental::new(followed.last.len());
        followed.rough = followed.fine.clone();
        Ok(followed)
    }

    /// The intervals of the time that was asked for, or of a period.
    pub(super) fn asked(&self) -> u64 {
        self.path.intervals
    }

    /// The time that was asked for.
    pub(super) fn time_asked(&self) -> f64 {
        self.path.time(self.path.intervals * TICKS)
    }

    /// The number of residuals that do not vanish identically.
    pub(super) fn residuals(&self) -> usize {
        self.points.first().map_or(0, |(_, l)| l.residuals.len())
    }

    /// The length of a period of the motion, if the residual equations are the same after it, too; zero if they
    /// are at all times.
    pub(super) fn period(&mut self) -> Result<Option<f64>, StabilityError> {
        let Some(Return { time, shift }) = self.path.returns.clone() else { return Ok(None) };
        let steady = time == 0.0;
        if !steady && shift.iter().all(|c| *c == 0.0) {
            return Ok(Some(time));
        }
        let start = self.path.at(0)?;
        let quarter = self.path.intervals * TICKS / 4;
        for tick in (0..4).map(|k| k * quarter) {
            let point = self.path.at(tick)?;
            let later = if steady { start.clone() } else { point.iter().zip(&shift).map(|(z, c)| z + c).collect() };
            let mut matrix = |z: &[f64]| -> Result<Matrix, StabilityError> {
                let found = self.linearisation.at(z, &self.path.units, self.path.slowest);
                let found = found.map_err(no_matrix(self.path.time(tick)))?;
                Ok(scaled(&found, &found.sizes))
            };
            let (own, later) = (matrix(&point)?, matrix(&later)?);
            if !is_same(&own, &later) {
                return Ok(None);
            }
        }
        Ok(Some(time))
    }

    /// Until when errors were followed.
    pub(super) fn until(&self) -> f64 {
        self.growth.last().map_or(0.0, |g| g.time)
    }

    /// Follows the errors for so many intervals since the start, but not off the manifold; whether it got
    /// there.
    pub(super) fn to(&mut self, intervals: u64) -> Result<bool, StabilityError> {
        while self.intervals < intervals {
            if self.leaves || self.stopped.is_some() {
                return Ok(false);
            }
            let (fine, rough, steps) = (self.fine.clone(), self.rough.clone(), self.growth.len());
            match self.interval() {
                Ok(()) => self.intervals += 1,
                Err(End::Spent) => {
                    // Back to where the interval began.
                    (self.fine, self.rough) = (fine, rough);
                    self.growth.truncate(steps);
                    return Ok(false);
                }
                // What was followed of the interval counts.
                Err(End::Stopped(error)) => {
                    self.stopped = Some(error);
                    return Ok(false);
                }
                Err(End::Failed(error)) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Allows more linearisations, once.
    pub(super) fn allow_more(&mut self) {
        self.left += std::mem::take(&mut self.reserve);
    }

    fn interval(&mut self) -> Result<(), End> {
        let begin = self.intervals * TICKS;
        let (middle, end) = (self.matrix(begin + TICKS / 2)?, self.matrix(begin + TICKS)?);
        let first = self.last.clone();
        self.steps(begin, TICKS, [&first, &middle, &end])?;
        self.last = end;
        Ok(())
    }

    /// Goes on by so many ticks, in one step or in two halves.
    fn steps(&mut self, begin: u64, ticks: u64, [a, b, c]: [&Matrix; 3]) -> Result<(), End> {
        let quarters = [self.matrix(begin + ticks / 4)?, self.matrix(begin + 3 * (ticks / 4))?];
        let (left, right) = ([a, &quarters[0], b], [b, &quarters[1], c]);
        let h = self.path.time(ticks);
        let (whole, halves) = (step([a, b, c], h), product(&step(right, 0.5 * h), &step(left, 0.5 * h)));
        let finest = ticks <= 8;
        if !finest && (apart(&whole, &halves) > TOLERANCE || !apart(&whole, &halves).is_finite()) {
            self.steps(begin, ticks / 2, left)?;
            return self.steps(begin + ticks / 2, ticks / 2, right);
        }
        self.rough.apply(&whole);
        self.fine.apply(&halves);
        let grown = h / 6.0 * (trace(a) + 4.0 * trace(b) + trace(c));
        let volume = self.growth.last().map_or(0.0, |g| g.volume) + grown;
        let time = self.path.time(begin + ticks);
        self.growth.push(Growth { time, fine: self.fine.log, rough: self.rough.log, volume });
        Ok(())
    }

    /// A at a tick, in the sizes that the residuals have at the start.
    fn matrix(&mut self, tick: u64) -> Result<Matrix, End> {
        self.left = self.left.checked_sub(1).ok_or(End::Spent)?;
        let time = self.path.time(tick);
        let found = self.near(tick)?;
        let scaled = match self.points.first() {
            Some((_, first)) if first.residuals != found.residuals => {
                return Err(StabilityError::NoMatrix { time, obstacle: Obstacle::OtherResiduals }.into());
            }
            Some((_, first)) => scaled(&found, &first.sizes),
            None => scaled(&found, &found.sizes),
        };
        self.leaves |= found.defect > NOTHING;
        self.points.push((time, found));
        Ok(scaled)
    }

    /// The linearisation at a tick; where constraints depend on each other at this moment alone, that at one next to
    /// it: A may well be continuous there, and if it is not, shorter steps will tell.
    fn near(&mut self, tick: u64) -> Result<Linearised, End> {
        let failure = match self.at(tick) {
            Ok(found) => return Ok(found),
            Err(failure) => failure,
        };
        for apart in ASIDE {
            for other in [tick.checked_sub(apart), Some(tick + apart)].into_iter().flatten() {
                self.path.not_interrupted()?;
                self.left = self.left.checked_sub(1).ok_or(End::Spent)?;
                if let Ok(found) = self.at(other) {
                    return Ok(found);
                }
            }
        }
        self.path.not_interrupted()?;
        Err(if self.path.is_beyond(tick) { End::Spent } else { End::Stopped(failure) })
    }

    fn at(&mut self, tick: u64) -> Result<Linearised, StabilityError> {
        let point = self.path.at(tick)?;
        let time = self.path.time(tick);
        self.linearisation.at(&point, &self.path.units, self.path.slowest).map_err(no_matrix(time))
    }

    /// The eigenvalues of A at all times.
    pub(super) fn frozen(&self) -> Result<Vec<Frozen>, StabilityError> {
        let frozen = |(time, l): &(f64, Linearised)| -> Result<Frozen, StabilityError> {
            self.path.not_interrupted()?;
            Ok(Frozen { time: *time, eigenvalues: eigenvalues(&l.matrix)? })
        };
        let mut list = self.points.iter().map(frozen).collect::<Result<Vec<_>, _>>()?;
        list.sort_by(|a, b| a.time.total_cmp(&b.time));
        Ok(list)
    }
}

/// Whether two matrices are the same; one with an entry that has no value is the same as none.
fn is_same(a: &Matrix, b: &Matrix) -> bool {
    let size = |a: &Matrix| largest(a.iter().flatten());
    a.len() == b.len() && size(&sum(a, b, 1.0, -1.0)) <= SAME * size(a)
}

/// A in units of the residuals.
pub(super) fn scaled(l: &Linearised, sizes: &[f64]) -> Matrix {
    let row = |(i, row): (usize, &Vec<f64>)| row.iter().zip(sizes).map(|(a, s)| a * s / sizes[i]).collect();
    l.matrix.iter().enumerate().map(row).collect()
}

fn no_matrix(time: f64) -> impl Fn(Failure) -> StabilityError {
    move |failure| StabilityError::NoMatrix { time, obstacle: failure.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_without_a_value_is_the_same_as_none() {
        let matrix = |entry: f64| vec![vec![1.0, entry], vec![0.0, 2.0]];
        assert!(is_same(&matrix(0.5), &matrix(0.5)) && !is_same(&matrix(0.5), &matrix(0.6)));
        for [a, b] in [[f64::NAN, 0.5], [0.5, f64::NAN], [f64::NAN; 2]] {
            assert!(!is_same(&matrix(a), &matrix(b)));
        }
        assert!(is_same(&vec![], &vec![]) && !is_same(&matrix(0.5), &vec![]));
    }
}
