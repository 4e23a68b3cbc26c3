//! What single steps do, in double-double arithmetic: round-off, which a small step amplifies, is not a
//! property of the method.

use super::CertificateError;
use super::along::casimir_sizes;
use super::candidate::{Candidate, KeptIn};
use super::ladder::Sample;
use super::reason::Reason;
use super::size::Sizes;
use super::subject::{Subject, distance};
use super::symplectic::Mapped;
use super::{poisson, symplectic};
use cotangent_dynamics::{Failure, Measure};
use cotangent_scalar::{Dd, Real, larger, largest};

/// From the start to a generic point, where nothing vanishes by chance.
const WALK: u64 = 5;

/// Beyond this the state of an unstable step says nothing of the motion: the walk is made with smaller steps.
const FARTHEST: f64 = 1e3;
const SHORTER: i32 = 6;

/// Where steps so much larger lead no further, relative to the state, nothing moves.
const LARGER: f64 = 16.0;
pub(super) const STILL: f64 = 1e-12;

/// Steps after which the constraints are looked at.
const AWAY: u64 = 3;

/// Beyond, the tangent map column by column takes too long.
const LARGEST: usize = 200;

/// What the tangent map of a step of this size from a point shows.
type Map<'a, C> = fn(&Subject<'a, C>, &[Dd], f64) -> Result<Mapped, Reason>;

/// The size of something at a state.
type Terms<'a> = Box<dyn FnMut(&[f64]) -> Result<f64, Failure> + 'a>;

/// A method on a system, with what should be kept, in double-double arithmetic.
pub(super) struct Probe<'a, C> {
    subject: Subject<'a, C>,
    start: Vec<Dd>,
    /// Energy, constraints, hidden constraints.
    kept: KeptIn<'a, Dd>,
    /// How large the terms of the energy are at a state, and what rounding of the state makes of it.
    terms: Terms<'a>,
    /// The last point, and the step that led to it.
    point: Option<(f64, Vec<Dd>)>,
    /// Where steps begin, if not at the start or where steps from it lead.
    spot: Option<Vec<Dd>>,
    /// Whether the start is an equilibrium.
    pub(super) rests: bool,
}

impl<'a, C: Candidate> Probe<'a, C> {
    pub(super) fn new(subject: Subject<'a, C>, step: f64) -> Result<Probe<'a, C>, CertificateError> {
        let given = || subject.problem.start().iter().map(|&v| Dd::from(v)).collect();
        let mut probe = Probe {
            start: subject.start::<Dd>().unwrap_or_else(|_| given()),
            kept: subject.problem.kept()?,
            terms: terms(subject.problem)?,
            subject,
            point: None,
            spot: None,
            rests: false,
        };
        probe.rests = probe.rests(step);
        Ok(probe)
    }

    pub(super) fn problem(&self) -> &'a C {
        self.subject.problem
    }

    /// Whether steps are made in charts.
    pub(super) fn in_charts(&self) -> bool {
        self.subject.prepared.chart().is_some()
    }

    /// Steps begin at this state from now on, in a chart.
    pub(super) fn go_to(&mut self, state: &[f64], chart: &'a [f64]) -> Result<(), Reason> {
        self.spot = Some(self.settled(state)?);
        self.subject.chart = chart;
        Ok(())
    }

    /// Steps begin at the start again.
    pub(super) fn leave(&mut self) {
        (self.spot, self.subject.chart) = (None, &[]);
    }

    /// Some steps of this size from the start, or of a smaller one where they multiply the state.
    pub(super) fn point(&mut self, place: f64) -> Result<Vec<Dd>, Reason> {
        if let Some(spot) = &self.spot {
            return Ok(spot.clone());
        }
        if let Some((at, point)) = &self.point
            && *at == place
        {
            return Ok(point.clone());
        }
        let mut found = self.walk(place)?;
        for shorter in 1..=SHORTER {
            if found.1 <= FARTHEST {
                break;
            }
            found = self.walk(place * 0.25f64.powi(shorter))?;
        }
        self.point = Some((place, found.0.clone()));
        Ok(found.0)
    }

    /// Steps from the start, and by how much all but the first multiply positions or momenta.
    fn walk(&self, step: f64) -> Result<(Vec<Dd>, f64), Reason> {
        let walked = |steps: u64| self.subject.walk(&self.start, step, steps).map_err(Reason::Step);
        let (first, last) = (walked(1)?, walked(WALK)?);
        Ok((last.clone(), self.grown(&first, &last)))
    }

    /// By how much positions or momenta are larger than before.
    fn grown(&self, before: &[Dd], after: &[Dd]) -> f64 {
        let parts = [0, 1].map(|half| part(after, half, self.halves()) / part(before, half, self.halves()));
        parts.into_iter().filter(|g| g.is_finite()).fold(1.0, f64::max)
    }

    /// A state of a run, to the precision of the arithmetic.
    pub(super) fn settled(&self, state: &[f64]) -> Result<Vec<Dd>, Reason> {
        self.subject.settled(state).map_err(Reason::Step)
    }

    /// Whether the start is an equilibrium, to the precision with which it is given.
    fn rests(&self, step: f64) -> bool {
        let middle = if self.halves() { self.start.len() / 2 } else { self.start.len() };
        let walked = |step: f64| self.subject.walk(&self.start, step, WALK);
        let Ok(end) = walked(LARGER * step).or_else(|_| walked(step)) else { return false };
        distance(&end[..middle], &self.start[..middle], false) <= STILL
    }

    fn halves(&self) -> bool {
        self.subject.problem.nature().halves
    }

    /// Energy, constraints, hidden constraints.
    fn kept(&mut self, state: &[Dd]) -> Result<[Vec<Dd>; 3], Reason> {
        (self.kept)(state).map_err(Reason::Value)
    }

    /// The change of dq∧dp by a step on the tangent space.
    pub(super) fn symplectic(&mut self, place: f64, step: f64) -> Result<Sample, Reason> {
        self.mapped(place, step, symplectic::measure)
    }

    /// How far a step is from a Poisson map.
    pub(super) fn poisson(&mut self, place: f64, step: f64) -> Result<Sample, Reason> {
        self.mapped(place, step, poisson::measure)
    }

    /// A defect of the tangent map of a step; at an equilibrium perturbations move, and nothing else.
    fn mapped(&mut self, place: f64, step: f64, measure: Map<'a, C>) -> Result<Sample, Reason> {
        let point = self.point(place)?;
        if point.len() > LARGEST {
            return Err(Reason::NoTangentMap { largest: LARGEST });
        }
        let end = self.subject.walk(&point, step, 1).map_err(Reason::Step)?;
        let mapped = measure(&self.subject, &point, step)?;
        let reach = if self.rests { mapped.change } else { reach(&point, &end, self.halves()) };
        Sample::new(mapped.defect, reach, mapped.growth)
    }

    /// The change of the Casimirs of these numbers by a step, relative to the sizes of their terms.
    pub(super) fn casimirs(&mut self, numbers: &[usize], place: f64, step: f64) -> Result<Sample, Reason> {
        let point = self.point(place)?;
        let end = self.subject.walk(&point, step, 1).map_err(Reason::Step)?;
        let sizes = |state: &[Dd]| {
            let state: Vec<f64> = state.iter().map(|z| z.value()).collect();
            casimir_sizes(self.subject.problem, &state).map_err(Reason::Value)
        };
        let sizes: Vec<f64> = sizes(&point)?.into_iter().zip(sizes(&end)?).map(|(a, b)| larger(a, b)).collect();
        let Some(mut system) = self.subject.problem.view::<Dd>().poisson().map_err(Reason::Step)? else {
            return Err(Reason::NoEnergy);
        };
        let mut of = |z: &[Dd]| -> Result<Vec<Dd>, Reason> {
            let mut out = vec![Dd::from(0.0); system.shape().casimirs];
            system.casimirs(z, &mut out).map_err(Reason::Value)?;
            Ok(out)
        };
        let (before, after) = (of(&point)?, of(&end)?);
        let relative = |change: f64, size: f64| if change == 0.0 { 0.0 } else { change / size };
        let change = before.iter().zip(&after).zip(&sizes).map(|((&a, &b), s)| relative((b - a).value().abs(), *s));
        let change = change.enumerate().filter(|(k, _)| numbers.contains(k)).map(|(_, change)| change);
        Sample::new(largest(change), reach(&point, &end, self.halves()), self.grown(&point, &end))
    }

    /// How far a step forward and one back end from where they began.
    pub(super) fn symmetry(&mut self, place: f64, step: f64) -> Result<Sample, Reason> {
        let point = self.point(place)?;
        let walk = |steps: &[(f64, u64)]| self.subject.walk_on(&point, steps).map(|state| state.values);
        let there = walk(&[(step, 1)]).map_err(Reason::Step)?;
        let back = walk(&[(step, 1), (-step, 1)]).map_err(Reason::StepBack)?;
        // On the way back the round-off is that of the state there, which an unstable step makes large.
        let growth = self.grown(&point, &there);
        let defect = distance(&back, &point, self.halves()) / growth;
        Sample::new(defect, reach(&point, &there, self.halves()), growth)
    }

    /// The change of the energy by a step, relative to its terms where the step begins, or to a size that is smaller: a
    /// motion that grows without bound has far larger terms later, beside which no step from here would show anything.
    pub(super) fn energy(&mut self, place: f64, step: f64, size: f64) -> Result<Sample, Reason> {
        let point = self.point(place)?;
        let state: Vec<f64> = point.iter().map(|z| z.value()).collect();
        let terms = (self.terms)(&state).map_err(Reason::Value)?;
        let size = if terms > 0.0 && terms < size { terms } else { size };
        self.energy_from(&point, step, size)
    }

    /// The change of the energy by a step from a point, relative to a size.
    pub(super) fn energy_from(&mut self, point: &[Dd], step: f64, size: f64) -> Result<Sample, Reason> {
        let end = self.subject.walk(point, step, 1).map_err(Reason::Step)?;
        let [before, after] = [self.kept(point)?, self.kept(&end)?];
        let change = largest(before[0].iter().zip(&after[0]).map(|(&a, &b)| (b - a).value()));
        Sample::new(change / size, reach(point, &end, self.halves()), 1.0)
    }

    /// The largest residual of the constraints (1) or hidden constraints (2) after some steps from the start,
    /// each relative to its scale.
    pub(super) fn residual(&mut self, level: usize, scales: &[f64], step: f64) -> Result<Sample, Reason> {
        let from = self.spot.as_ref().unwrap_or(&self.start);
        let end = self.subject.walk(from, step, AWAY).map_err(Reason::Step)?;
        let reach = reach(from, &end, self.halves());
        Sample::new(self.relative(level, &end, scales)?, reach, 1.0)
    }

    /// The same at the start: zero to the precision of the arithmetic, or of the values given.
    pub(super) fn residual_at_start(&mut self, level: usize, scales: &[f64]) -> Result<f64, Reason> {
        let start = self.start.clone();
        self.relative(level, &start, scales)
    }

    fn relative(&mut self, level: usize, state: &[Dd], scales: &[f64]) -> Result<f64, Reason> {
        let kept = self.kept(state)?;
        Ok(largest(kept[level].iter().zip(scales).map(|(r, s)| r.value() / s)))
    }
}

/// How large the terms of the energy are, or what it changes by where a state is rounded, in units of the last place.
fn terms<C: Candidate>(problem: &C) -> Result<Terms<'_>, CertificateError> {
    let (mut quantities, mut sizes) = (problem.quantities()?, Sizes::new(problem)?);
    Ok(Box::new(move |state| Ok(larger(quantities.energy_magnitude(state)?, sizes.terms(state, None).rounded))))
}

/// The largest position (0) or momentum (1).
fn part(state: &[Dd], half: usize, halves: bool) -> f64 {
    let middle = if halves { state.len() / 2 } else { state.len() };
    let part = if half == 0 { &state[..middle] } else { &state[middle..] };
    largest(part.iter().map(|v| v.value()))
}

/// Which part of the state a step changes, of positions or momenta the smaller one: where one of them is near zero
/// by chance, its change tells nothing.
fn reach(from: &[Dd], to: &[Dd], halves: bool) -> f64 {
    let middle = if halves { from.len() / 2 } else { from.len() };
    let part = |a: &[Dd], b: &[Dd]| {
        let size = largest(a.iter().chain(b).map(|v| v.value()));
        let moved = largest(a.iter().zip(b).map(|(&a, &b)| (b - a).value()));
        if moved == 0.0 { 0.0 } else { moved / size }
    };
    let positions = part(&from[..middle], &to[..middle]);
    if halves { positions.min(part(&from[middle..], &to[middle..])) } else { positions }
}
