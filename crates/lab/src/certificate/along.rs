//! Constraints and energy along a run.

use super::candidate::Candidate;
use super::charts::{Charts, Spot};
use super::ended::{Ended, Stopped};
use super::size::{Sizes, Taken, Terms, kinetic};
use super::{CertificateError, Options};
use cotangent_dynamics::{Advance, Failure, Measure, Source};
use cotangent_integrate::Prepared;
use cotangent_observe::{End, Monitor, Observer, Run, RunError, Sample, Schedule, Verdict};
use cotangent_scalar::{Dual, Interrupted, Limits, larger, largest};
use std::ops::ControlFlow;

/// Most samples of the energy that are kept.
const SAMPLES: u64 = 20_000;

/// Most samples at which the sizes of terms are taken.
const SIZES: u64 = 256;

/// States of the run from which single steps are looked at.
const PLACES: u64 = 12;

/// A turn counts if the motion has come back by this part of its width.
const HYSTERESIS: f64 = 0.1;

/// What was noticed along the run: singular configurations, leaps of the energy.
#[derive(Clone, Debug, Default)]
pub struct Noticed {
    /// What.
    pub monitor: Monitor,
    /// What its constraints are called.
    pub names: Vec<String>,
}

/// What was seen along the run.
pub(super) struct Along {
    /// How many constraints and hidden constraints there are.
    pub(super) members: [usize; 2],
    /// The largest residual of constraints and hidden constraints, relative to the size of their terms on the way.
    pub(super) residuals: [f64; 2],
    /// The largest change of a Casimir, relative to the size of its terms on the way.
    pub(super) casimirs: f64,
    /// The sizes of these terms.
    pub(super) scales: [Vec<f64>; 2],
    pub(super) times: Vec<f64>,
    /// H − H(0) at these times.
    pub(super) errors: Vec<f64>,
    /// |H(0)|.
    pub(super) energy: f64,
    /// The energy that is exchanged: the largest kinetic energy in the first quarter of the run; and in all of it, if
    /// that is larger than p·q̇ at the start.
    pub(super) exchanged: [f64; 2],
    /// What rounding of the states is relative to, where terms of the energy cancel: the largest Σᵢ |zᵢ ∂H/∂zᵢ|.
    pub(super) rounded: f64,
    /// The largest error that the energy was evaluated with.
    pub(super) misjudged: f64,
    /// Some states: that before the step that changed the energy most, and others along the run.
    pub(super) places: Vec<Vec<f64>>,
    /// States from which a step ends where another chart is better than the one that is in use.
    pub(super) charts: Vec<Spot>,
    /// Whether anything moved.
    pub(super) moves: bool,
    /// How far, relative to the largest position, or to the largest variable where there are no momenta.
    pub(super) moved: f64,
    /// How often the motion turned back.
    pub(super) turns: usize,
    pub(super) steps: u64,
    pub(super) ended: Option<Ended>,
    pub(super) noticed: Noticed,
}

/// Runs, and looks at the Casimirs of these numbers.
pub(super) fn run<C: Candidate>(
    problem: &C,
    prepared: &Prepared,
    casimirs: &[usize],
    options: Options,
    limits: &Limits,
) -> Result<Along, CertificateError> {
    let (mut quantities, integrator) = (problem.quantities()?, problem.integrator(prepared)?);
    // What is measured says how many there are: a system in Rust need not name them.
    let members = quantities.kept(problem.start()).map(|k| [k.constraints.len(), k.hidden_constraints.len()]);
    let mut look = Look {
        along: Along {
            members: members.unwrap_or_default(),
            residuals: [0.0; 2],
            casimirs: 0.0,
            scales: [vec![], vec![]],
            times: vec![],
            errors: vec![],
            energy: 0.0,
            exchanged: [0.0, kinetic(problem)],
            rounded: 0.0,
            misjudged: 0.0,
            places: vec![],
            charts: vec![],
            moves: false,
            moved: 0.0,
            turns: 0,
            steps: options.steps,
            ended: None,
            noticed: Noticed::default(),
        },
        options,
        seen: 0,
        sizes: Sizes::new(problem)?,
        taken: Taken::default(),
        largest: [vec![], vec![]],
        before: Before::default(),
        casimirs: Casimirs::new(problem, casimirs),
        turns: Turns::new(problem),
        charts: Charts::new(prepared),
    };
    let (step, steps) = (options.step, options.steps);
    let schedule = Schedule { step, steps, last: None, until: None, record: steps, every: None };
    let mut run = match Run::new(integrator, quantities, schedule, problem.start().to_vec()) {
        Ok(run) => run,
        Err(e) => {
            look.along.ended = Some(undefined(0, options.steps, e));
            return Ok(look.along);
        }
    };
    let ended = match run.go(limits, &mut [&mut look]) {
        Ok(End::Interrupted | End::Stopped) => return Err(Interrupted.into()),
        Ok(End::Finished) => None,
        Ok(End::Failed(failure)) => Some(Ended { steps: look.seen, of: options.steps, cause: Stopped::Step(failure) }),
        Err(e) => Some(undefined(look.seen, options.steps, e)),
    };
    let Look { mut along, largest: residuals, turns, before, casimirs, charts, .. } = look;
    along.charts = charts.changes;
    along.casimirs = casimirs.changed();
    along.places.extend(before.leap.map(|(_, state)| state));
    along.places.reverse();
    let names = run.diagnostics().conditioning().map(|c| c.constraints()).unwrap_or_default();
    along.noticed = Noticed { monitor: run.monitor().clone(), names };
    (along.moves, along.turns, along.ended) = (turns.width > 0.0, turns.count, ended);
    along.moved = turns.moved();
    // Where nothing moves, nothing shows how large terms are.
    along.scales.iter_mut().flatten().for_each(|s| *s = if *s > 0.0 { *s } else { 1.0 });
    for (worst, (residuals, scales)) in along.residuals.iter_mut().zip(residuals.iter().zip(&along.scales)) {
        *worst = largest(residuals.iter().zip(scales).map(|(r, s)| if *r == 0.0 { 0.0 } else { r / s }));
    }
    Ok(along)
}

/// Looks at a run.
struct Look<'a, C> {
    along: Along,
    options: Options,
    /// The last step that was seen.
    seen: u64,
    sizes: Sizes<'a, C>,
    taken: Taken,
    largest: [Vec<f64>; 2],
    before: Before,
    casimirs: Casimirs<'a, C>,
    turns: Turns<'a>,
    charts: Charts,
}

/// The state one step before, the energy error there, and the largest change of it in a step with the state before that.
#[derive(Default)]
struct Before {
    state: Vec<f64>,
    error: f64,
    leap: Option<(f64, Vec<f64>)>,
}

impl Before {
    /// Goes on to a state.
    fn follow(&mut self, state: &[f64], error: f64) {
        let change = (error - self.error).abs();
        if !self.state.is_empty() && self.leap.as_ref().is_none_or(|(largest, _)| change > *largest) {
            self.leap = Some((change, self.state.clone()));
        }
        self.state.clear();
        self.state.extend_from_slice(state);
        self.error = error;
    }
}

/// Casimirs along a run.
struct Casimirs<'a, C> {
    problem: &'a C,
    /// Their numbers, and where they are among the claims.
    numbers: Vec<usize>,
    at: Vec<usize>,
    start: Vec<f64>,
    /// Their largest changes, and the largest sizes of their terms.
    changes: Vec<f64>,
    sizes: Vec<f64>,
}

impl<'a, C: Candidate> Casimirs<'a, C> {
    /// Those of these numbers.
    fn new(problem: &'a C, numbers: &[usize]) -> Casimirs<'a, C> {
        let at = problem.casimirs();
        let at = numbers.iter().filter_map(|&k| at.get(k).copied()).collect();
        let (changes, sizes) = (vec![0.0; numbers.len()], vec![0.0; numbers.len()]);
        Casimirs { problem, numbers: numbers.to_vec(), at, start: vec![], changes, sizes }
    }

    /// Goes on to a state with these claims; the sizes of terms are taken where that is due.
    fn follow(&mut self, claims: &[f64], state: &[f64], due: bool) {
        if self.at.is_empty() {
            return;
        }
        let values: Vec<f64> = self.at.iter().filter_map(|&k| claims.get(k).copied()).collect();
        if self.start.is_empty() {
            self.start.clone_from(&values);
        }
        keep_largest(&mut self.changes, &values.iter().zip(&self.start).map(|(v, s)| v - s).collect::<Vec<_>>());
        if due {
            let found = casimir_sizes(self.problem, state).unwrap_or_default();
            for (size, &k) in self.sizes.iter_mut().zip(&self.numbers) {
                *size = found.get(k).copied().filter(|s| s.is_finite()).map_or(*size, |s| size.max(s));
            }
        }
    }

    /// The largest change, relative to the sizes of terms.
    fn changed(&self) -> f64 {
        largest(self.changes.iter().zip(&self.sizes).map(|(c, s)| c / if *s > 0.0 { *s } else { 1.0 }))
    }
}

/// |C| + Σᵢ |zᵢ ∂C/∂zᵢ| at a state.
pub(super) fn casimir_sizes(problem: &impl Candidate, state: &[f64]) -> Result<Vec<f64>, Failure> {
    let Some(mut system) = problem.view::<Dual<f64>>().poisson()? else { return Ok(vec![]) };
    let mut z: Vec<Dual<f64>> = state.iter().map(|&v| Dual::constant(v)).collect();
    let mut out = vec![Dual::constant(0.0); system.shape().casimirs];
    system.casimirs(&z, &mut out)?;
    let mut sizes: Vec<f64> = out.iter().map(|c| c.value.abs()).collect();
    for k in 0..z.len() {
        z[k].tangent[0] = 1.0;
        system.casimirs(&z, &mut out)?;
        sizes.iter_mut().zip(&out).for_each(|(s, c)| *s += (z[k].value * c.tangent[0]).abs());
        z[k].tangent[0] = 0.0;
    }
    Ok(sizes)
}

impl<C: Candidate, I: Advance, D: Measure> Observer<I, D> for Look<'_, C> {
    fn begin(&mut self, run: &mut Run<I, D>) -> Result<(), RunError> {
        self.along.energy = run.energy().initial.abs();
        self.at(&mut run.sample());
        Ok(())
    }

    fn sample(&mut self, sample: &mut Sample<'_, D>) -> Verdict {
        self.at(sample);
        Ok(ControlFlow::Continue(()))
    }
}

impl<C: Candidate> Look<'_, C> {
    fn at<D: Measure>(&mut self, sample: &mut Sample<'_, D>) {
        let Look { along, options, sizes, taken, largest, before, casimirs, turns, charts, .. } = self;
        let k = sample.step;
        self.seen = k;
        let kept = sample.quantities.last();
        keep_largest(&mut largest[0], &kept.constraints);
        keep_largest(&mut largest[1], &kept.hidden_constraints);
        let (state, energy, h) = (&sample.state.values, kept.energy, options.step);
        let halves = state.split_at(turns.middle.min(state.len()));
        let residuals = [&kept.constraints[..], &kept.hidden_constraints];
        let regular = k.is_multiple_of(options.steps.div_ceil(SIZES).max(1)) || k == options.steps;
        let due = regular || taken.is_outgrown(halves, residuals, &along.scales);
        casimirs.follow(&kept.claims, state, due);
        if k < options.steps && k.is_multiple_of(options.steps.div_ceil(PLACES).max(1)) {
            along.places.push(state.clone());
        }
        if k > 0 && k.is_multiple_of(options.steps.div_ceil(SAMPLES).max(1)) {
            along.times.push(k as f64 * options.step.abs());
            along.errors.push(sample.energy_error());
        }
        turns.follow(state);
        charts.follow(state, &sample.state.memory);
        if due {
            sizes.grow(&mut along.scales, state, h);
            taken.note(halves, residuals, &along.scales);
            let Terms { exchanged, rounded } = sizes.terms(state, (k > 0).then_some((&before.state[..], h)));
            along.rounded = along.rounded.max(rounded);
            along.misjudged = along.misjudged.max(sizes.misjudged(state, energy));
            let so_far = if 4 * k <= options.steps { 0..2 } else { 1..2 };
            along.exchanged[so_far].iter_mut().for_each(|largest| *largest = largest.max(exchanged));
        }
        before.follow(state, sample.energy_error());
    }
}

fn undefined(steps: u64, of: u64, error: RunError) -> Ended {
    Ended { steps, of, cause: Stopped::Unmeasured(Source::new(error)) }
}

/// The largest of each residual.
fn keep_largest(largest: &mut Vec<f64>, residuals: &[f64]) {
    largest.resize(residuals.len(), 0.0);
    largest.iter_mut().zip(residuals).for_each(|(m, r)| *m = larger(*m, r.abs()));
}

/// Counts how often the distance from the start, positions and momenta in units of their sizes, turns.
struct Turns<'a> {
    start: &'a [f64],
    middle: usize,
    /// The largest position and momentum so far.
    units: [f64; 2],
    /// The largest change of a position.
    moved: f64,
    /// The extremes since the last turn, and over all.
    recent: [f64; 2],
    width: f64,
    rising: bool,
    count: usize,
}

impl<'a> Turns<'a> {
    fn new(problem: &'a impl Candidate) -> Turns<'a> {
        let start = problem.start();
        let middle = if problem.nature().halves { start.len() / 2 } else { start.len() };
        Turns { start, middle, units: [0.0; 2], moved: 0.0, recent: [0.0; 2], width: 0.0, rising: true, count: 0 }
    }

    /// The largest change of a position, relative to the largest position.
    fn moved(&self) -> f64 {
        if self.moved == 0.0 { 0.0 } else { self.moved / self.units[0] }
    }

    fn follow(&mut self, state: &[f64]) {
        let moved = state.iter().zip(&self.start[..self.middle]).map(|(a, b)| (a - b).abs());
        self.moved = moved.fold(self.moved, f64::max);
        let part = |range: std::ops::Range<usize>, unit: &mut f64| -> f64 {
            let size = largest(&state[range.clone()]);
            *unit = unit.max(size);
            // Relative first, so that squares do not underflow.
            let moved = state[range.clone()].iter().zip(&self.start[range]).map(|(a, b)| ((a - b) / *unit).powi(2));
            if *unit == 0.0 { 0.0 } else { moved.sum::<f64>().sqrt() }
        };
        let [q, p] = &mut self.units;
        let away = part(0..self.middle, q) + part(self.middle..state.len().min(self.start.len()), p);
        self.width = self.width.max(away);
        let back = HYSTERESIS * self.width;
        match self.rising {
            true if away > self.recent[1] => self.recent[1] = away,
            true if away < self.recent[1] - back => {
                (self.rising, self.recent[0], self.count) = (false, away, self.count + 1);
            }
            false if away < self.recent[0] => self.recent[0] = away,
            false if away > self.recent[0] + back => {
                (self.rising, self.recent[1], self.count) = (true, away, self.count + 1);
            }
            _ => {}
        }
    }
}
