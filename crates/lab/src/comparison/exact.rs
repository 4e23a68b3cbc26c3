//! What the combinations are compared with.
//!
//! Extrapolation of the Hamilton–Dirac equations (of the vector field, if there are no constraints) in
//! double-double arithmetic, at the times at which runs are sampled. Its tolerance is four digits below
//! the round-off of the runs, so that whatever amplifies errors, theirs are the larger ones.

use super::SAMPLES;
use super::unknown::Unknown;
use crate::certificate::distance;
use crate::forces::{MOVES, forces, momentum};
use crate::reference::{Reference, Sample};
use cotangent_compile::{Engine, Native, Tape};
use cotangent_dynamics::{Condition, Dynamics, Failure, State};
use cotangent_integrate::{IndexOne, project};
use cotangent_observe::Schedule;
use cotangent_problem::{Compiled, Conditioning, Diagnostics, Instance};
use cotangent_scalar::{Dd, Limits, larger, largest};
use cotangent_theory::Motion;

/// The solution at the times at which runs are sampled.
#[derive(Clone, Debug)]
pub struct Exact {
    samples: Vec<Sample<Dd>>,
    /// The names of its variables.
    names: Vec<String>,
    halves: bool,
    /// Forces and mobility at the start: what momenta are like that are nothing but rounding.
    forces: [f64; 2],
    /// How accurate it is at its end, relative to the state.
    pub accuracy: f64,
    /// Why it ends before the runs do, if it does.
    pub ended: Option<Unknown>,
}

/// The relative tolerance of its steps.
const TOLERANCE: f64 = 1e-20;

/// Where its own error is larger than this, it is no longer certain.
const CERTAIN: f64 = 1e-6;

/// Evaluations times variables that it may take.
const BUDGET: u64 = 4_000_000;

/// Beyond, a solution to so many digits takes too long.
const LARGEST: usize = 400;

/// A state that moves by no more, relative to its size, does not move: some digits above double-double.
const RESTS: f64 = 1e-25;

/// Times that differ by less, relative to themselves, are one.
const SAME: f64 = 1e-12;

impl Exact {
    /// The motion of a model from the start of a problem, at sorted times.
    pub fn new(problem: &Instance, times: &[f64], limits: &Limits) -> Result<Exact, Unknown> {
        let own = problem.equations.compiled.view(Native, problem.parameters.clone()).model_state(&problem.start)?;
        let size = own.len();
        if size > LARGEST {
            return Err(Unknown::TooLarge { size, largest: LARGEST });
        }
        let motion = problem.equations.motion.hamilton_dirac()?;
        let compiled = Compiled::new(&motion, Engine::Tape)?;
        let parameters = problem.parameters.iter().map(|&p| Dd::from(p)).collect();
        let view = compiled.view(Tape, parameters);
        let mut start = State::new(own.iter().map(|&v| Dd::from(v)).collect(), 0);
        let mut field = match (view.field()?, view.presymplectic()?) {
            (Some(field), _) => field,
            (None, Some(form)) => {
                let mut implied = IndexOne::new(form)?;
                implied.settle(&mut start.values)?;
                Box::new(implied)
            }
            (None, None) => return Err(Unknown::NoField),
        };
        if let Some(manifold) = view.manifold()?.filter(|m| m.shape().constraints > 0) {
            project(manifold, &mut start)?;
        }
        let numbers = compiled.view(Tape, problem.parameters.clone()).manifold()?;
        let found = numbers.map(|mut m| forces(m.as_mut(), std::slice::from_ref(&own))).transpose();
        let found = found?.unwrap_or_default();
        let mut rates = |z: &[Dd], out: &mut [Dd]| match limits.cancel.is_set() {
            true => Err(Failure::Interrupted),
            false => field.rate(z, out),
        };
        let reference = Reference::new(TOLERANCE).with_budget(BUDGET / size.max(1) as u64);
        let reference = reference.in_blocks(if motion.structure().is_some() { size / 2 } else { size });
        let times: Vec<Dd> = times.iter().map(|&t| Dd::from(t)).collect();
        let (solution, stopped) = reference.solve_as_far(&mut rates, &start.values, &times)?;
        let mut exact = Exact {
            samples: solution.samples,
            names: motion.system.state().entry_names(),
            halves: motion.structure().is_some(),
            forces: found,
            accuracy: 0.0,
            ended: None,
        };
        exact.ended = stopped.map(Unknown::Reference);
        let lost = exact.samples.iter().position(|s| exact.uncertainty(s) > CERTAIN);
        if let Some(k) = lost {
            exact.samples.truncate(k);
            exact.ended = Some(Unknown::Uncertain { certain: CERTAIN });
        }
        if let Some((k, time)) = exact.first_singular(&motion, problem)? {
            exact.samples.truncate(k);
            exact.ended = Some(Unknown::Singular { time });
        }
        exact.accuracy = exact.samples.last().map_or(0.0, |s| exact.uncertainty(s));
        Ok(exact)
    }

    /// The first sample behind a singular configuration, or near one, and its time.
    fn first_singular(&self, motion: &Motion, problem: &Instance) -> Result<Option<(usize, f64)>, Unknown> {
        let diagnostics = Diagnostics::new(motion, Engine::Best)?;
        let conditioning = diagnostics.with(&problem.parameters).conditioning;
        let Some(mut conditioning) = conditioning.map(Conditioning::of_forces) else { return Ok(None) };
        let view = problem.equations.compiled.view(Native, problem.parameters.clone());
        let mut before = view.model_state(&problem.start)?;
        let mut ill = true;
        for (k, sample) in self.samples.iter().enumerate() {
            let after: Vec<f64> = sample.state.iter().map(|z| z.hi()).collect();
            match conditioning.observe([&before, &after], None, ill) {
                Ok(seen) if !seen.is_singular() => (before, ill) = (after, seen.is_ill()),
                _ => return Ok(Some((k, sample.time.hi()))),
            }
        }
        Ok(None)
    }

    /// The last time at which it is known.
    pub fn until(&self) -> f64 {
        self.samples.last().map_or(0.0, |s| s.time.hi())
    }

    /// Where the variables of other equations for the same motion are among its own: (own, other) by their names; `None` if
    /// they are the same.
    pub fn shared(&self, problem: &Instance) -> Option<Vec<(usize, usize)>> {
        let names = problem.equations.motion.system.state().entry_names();
        if names == self.names {
            return None;
        }
        let other = |name: &String| names.iter().position(|n| n == name);
        Some(self.names.iter().enumerate().filter_map(|(own, name)| Some((own, other(name)?))).collect())
    }

    /// How far a state is from the solution in the variables that they share.
    pub fn distance_in(&self, shared: Option<&[(usize, usize)]>, time: f64, state: &[f64]) -> Option<f64> {
        let Some(shared) = shared else { return self.distance(time, state) };
        let sample = self.sample(time)?;
        let exact: Vec<Dd> = shared.iter().map(|&(own, _)| sample.state[own]).collect();
        let other: Vec<Dd> = shared.iter().filter_map(|&(_, k)| state.get(k).map(|&v| Dd::from(v))).collect();
        (!exact.is_empty() && exact.len() == other.len()).then(|| distance(&other, &exact, false))
    }

    fn sample(&self, time: f64) -> Option<&Sample<Dd>> {
        let after = self.samples.partition_point(|s| s.time.hi() < time - SAME * time.abs());
        self.samples.get(after).filter(|s| (s.time.hi() - time).abs() <= SAME * time.abs())
    }

    /// How far a state of the model is from the solution, positions and momenta each relative to their
    /// own size, or momenta that are at rest to what they would be otherwise; `None` at a time at which it is not known.
    pub fn distance(&self, time: f64, state: &[f64]) -> Option<f64> {
        let sample = self.sample(time)?;
        let state: Vec<Dd> = state.iter().map(|&v| Dd::from(v)).collect();
        (state.len() == sample.state.len()).then(|| {
            let half = state.len() / 2;
            let size = |part: &[Dd]| largest(part.iter().map(|z| z.hi()));
            let (q, p) = sample.state.split_at(half);
            let at_rest = momentum(self.forces, size(q), sample.time.hi());
            if !self.halves || at_rest == 0.0 || size(p) > MOVES * at_rest {
                return distance(&state, &sample.state, self.halves);
            }
            let apart = largest(state[half..].iter().zip(p).map(|(&a, &b)| (a - b).hi()));
            let apart = if apart == 0.0 { 0.0 } else { apart / at_rest };
            larger(distance(&state[..half], q, false), apart)
        })
    }

    fn uncertainty(&self, sample: &Sample<Dd>) -> f64 {
        let size = largest(sample.state.iter().map(|z| z.hi()));
        let error = largest(&sample.errors);
        // Of a state that is 0 the error itself.
        if error == 0.0 || size == 0.0 { error } else { error / size }
    }

    /// Whether the solution stays where it starts, to the accuracy to which it is known.
    pub fn rests(&self) -> bool {
        let Some((start, later)) = self.samples.split_first() else { return false };
        let size = largest(start.state.iter().map(|z| z.hi()));
        let stays =
            |s: &Sample<Dd>| s.state.iter().zip(&start.state).all(|(&a, &b)| (a - b).hi().abs() <= RESTS * size);
        !later.is_empty() && later.iter().all(stays)
    }
}

/// The times at which runs with these schedules are sampled, sorted.
pub fn sample_times(schedules: &[Schedule]) -> Vec<f64> {
    let mut times: Vec<f64> = vec![];
    for schedule in schedules {
        let total = schedule.total();
        let mut stride = 1u64;
        while total / stride + 1 > SAMPLES as u64 {
            stride *= 2;
        }
        times.extend((1..=total / stride).map(|k| schedule.time(k * stride)));
        times.push(schedule.time(total));
    }
    times.sort_by(f64::total_cmp);
    times.dedup_by(|a, b| (*a - *b).abs() <= SAME * b.abs());
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use cotangent_model::System;
    use cotangent_problem::Repairs;
    use cotangent_theory::Formulation;

    #[test]
    fn it_begins_on_the_constraints_to_all_of_its_digits() {
        // 0.6 and 0.8 are no binary numbers: as they are, x² + y² − 1 is 4e-17.
        let text = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + y\nconstraint rod: (x^2 + y^2 - 1)/2 = 0\n\
            initial x = 0.6, y = -0.8, p_x = 0.8, p_y = 0.6\n";
        let system = System::parse(text).unwrap();
        let problem = Instance::new(&system, Formulation::Multipliers, &[], Repairs::default(), Engine::Best).unwrap();
        let exact = Exact::new(&problem, &[0.5, 1.0], &Limits::default()).unwrap();
        for sample in &exact.samples {
            let [x, y, p, q] = std::array::from_fn(|k| sample.state[k]);
            let (rod, hidden) = (x * x + y * y - Dd::from(1.0), x * p + y * q);
            assert!(rod.hi().abs() < 1e-18 && hidden.hi().abs() < 1e-18, "{rod:?} {hidden:?}");
        }
    }
}
