//! Starts of J ż = ∇H with a singular J: what J says nothing about follows from Nᵀ∇H = 0, N a basis of ker J.

use crate::equations::Equations;
use crate::error::ProblemError;
use cotangent_compile::Native;
use cotangent_compile::values::{InitialValues, Rates, Setting};
use cotangent_dynamics::{Dynamics, Failure, Presymplectic};
use cotangent_expr::{Array, Role};
use cotangent_integrate::IndexOne;
use cotangent_model::ConstraintKind;
use cotangent_scalar::Random;

/// Given values are consistent if the equations are off by at most this part of their terms: enough for numbers typed with
/// nine digits.
const TOLERANCE: f64 = 1e-8;

/// Places from which Newton's method looks for what was not given.
const TRIALS: usize = 8;

/// Solutions that differ by less than this part of a variable are the same.
const APART: f64 = 1e-3;

/// A start, and what was not given of it.
pub(crate) struct Settled {
    pub(crate) start: Vec<f64>,
    /// Variables that were not given, or were given otherwise, with their values.
    pub(crate) determined: Vec<(String, f64)>,
    /// The same where the equations have another solution, if one was found.
    pub(crate) alternative: Vec<(String, f64)>,
}

/// The equations of a start.
type Kernel = IndexOne<Box<dyn Presymplectic<f64>>, f64>;

impl Equations {
    /// The start of equations with a constant form; `None` if they are others, or J is regular.
    pub(crate) fn settled(
        &self,
        parameters: &[f64],
        model_state: &[f64],
        initial: &InitialValues,
        (set, project): (&[Setting], bool),
    ) -> Result<Option<Settled>, ProblemError> {
        if self.motion.field().is_some() {
            return Ok(None);
        }
        let view = self.compiled.view(Native, parameters.to_vec());
        let unknown = |e: Failure| ProblemError::NotProjected(e.into());
        let Some(form) = view.presymplectic().map_err(unknown)? else { return Ok(None) };
        let mut equations: Kernel = IndexOne::new(form).map_err(unknown)?;
        if equations.kernel_dimension() == 0 {
            return Ok(None);
        }
        let (given, is_given) = self.whole_start(model_state, initial, set);
        let own = equations.variables().to_vec();
        let open: Vec<usize> = (0..own.len()).filter(|&k| !is_given[own[k]]).collect();
        let guess = self.guessed(&mut equations, &given, &open).map_err(unknown)?;
        let consistent = consistent(&mut equations, &guess, &open).map_err(unknown)?;
        let is_consistent = consistent.is_some();
        let outcome = match consistent {
            Some(start) => Ok(start),
            None => searched(&mut equations, &guess, &open),
        };
        let at = outcome.as_ref().unwrap_or(&guess);
        let name = |k: usize| self.motion.state.entry_name(k);
        let mut undetermined = equations.undetermined(at).map_err(unknown)?;
        if undetermined.is_empty() && outcome.is_ok() && !equations.is_isolated(at).map_err(unknown)? {
            let is_multiplier = |k: &usize| self.role(*k) == Some(Role::Multiplier);
            let some = own.iter().any(is_multiplier);
            undetermined = own.iter().copied().filter(|k| !some || is_multiplier(k)).collect();
        }
        if !undetermined.is_empty() {
            return Err(ProblemError::NotIndexOne { variables: undetermined.into_iter().map(name).collect() });
        }
        let start = outcome.map_err(unknown)?;
        let change = |k: usize| (start[k] - given[k]).abs() / start[k].abs().max(given[k].abs());
        let moved = (0..start.len()).filter(|&k| is_given[k] && change(k) > TOLERANCE);
        if !is_consistent && !project {
            let worst = moved.clone().max_by(|&a, &b| change(a).total_cmp(&change(b)));
            if let Some(k) = worst {
                return Err(ProblemError::Contradicted { name: name(k), given: given[k], found: start[k] });
            }
        }
        let mut listed: Vec<usize> = open.iter().map(|&k| own[k]).filter(|&k| start[k] != 0.0).collect();
        if !is_consistent {
            listed.extend(moved);
        }
        let of = |state: &[f64]| -> Vec<(String, f64)> { listed.iter().map(|&k| (name(k), state[k])).collect() };
        // Where some of it was given, that has chosen.
        let other = if open.len() < own.len() { None } else { another(&mut equations, &start, &open) };
        let alternative = other.map(|state| of(&state)).unwrap_or_default();
        Ok(Some(Settled { determined: of(&start), alternative, start }))
    }

    /// What kind of variable an entry of the state is.
    fn role(&self, entry: usize) -> Option<Role> {
        let mut end = 0;
        let own = self.motion.state.arrays().iter().find(|a| {
            end += a.len();
            entry < end
        });
        own.map(|a| a.role())
    }

    /// Values from which Newton's method may look for those that are open: velocities by one step of it from rest, which is
    /// M v = p where masses are constant, or else like the momenta.
    fn guessed(&self, equations: &mut Kernel, given: &[f64], open: &[usize]) -> Result<Vec<f64>, Failure> {
        let own = equations.variables().to_vec();
        let is_velocity = |k: &usize| self.role(own[*k]) == Some(Role::Velocity);
        let velocities: Vec<usize> = open.iter().copied().filter(is_velocity).collect();
        let mut at_rest = given.to_vec();
        velocities.iter().for_each(|&k| at_rest[own[k]] = 0.0);
        let moves = !velocities.is_empty() && equations.advance_along(&velocities, &mut at_rest).unwrap_or(false);
        Ok(if moves { at_rest } else { given.to_vec() })
    }

    /// The values of all variables, and which of them were given: where velocities and multipliers are variables beside
    /// those of the model, and not given, a first guess.
    fn whole_start(&self, model_state: &[f64], initial: &InitialValues, set: &[Setting]) -> (Vec<f64>, Vec<bool>) {
        let system = &self.model.system;
        let named = |name: &str| {
            system.initial.iter().any(|i| i.array.name() == name && i.named > 0) || set.iter().any(|s| s.name == name)
        };
        let mut values = model_state.to_vec();
        if values.len() < self.motion.state.len() {
            values.extend(match &initial.rates {
                Rates::Velocities(v) => v,
                _ => &model_state[initial.coordinates.len()..],
            });
            let mut multipliers = &initial.multipliers[..];
            for c in &system.constraints {
                let (own, rest) = multipliers.split_at(c.multiplier.len().min(multipliers.len()));
                multipliers = rest;
                if c.kind == ConstraintKind::Vakonomic {
                    values.extend(own);
                }
            }
        }
        let by_velocity = matches!(initial.rates, Rates::Velocities(_));
        let given = |array: &Array| match array.role() {
            _ if system.dynamics.momenta().is_none() => named(array.name()),
            Role::Velocity => by_velocity,
            Role::Multiplier => by_velocity || named(array.name()),
            _ => true,
        };
        let flags = self.motion.state.arrays().iter().flat_map(|a| vec![given(a); a.len()]).collect();
        values.resize(self.motion.state.len(), 0.0);
        (values, flags)
    }
}

/// The solution with all that was given, if there is one.
fn consistent(equations: &mut Kernel, guess: &[f64], open: &[usize]) -> Result<Option<Vec<f64>>, Failure> {
    if open.len() == equations.kernel_dimension() {
        return Ok(None);
    }
    let mut start = guess.to_vec();
    let holds = (open.is_empty() || equations.settle_along(open, &mut start).is_ok())
        && equations.violated(&start, TOLERANCE)?.is_none()
        && equations.settle(&mut start).is_ok();
    Ok(holds.then_some(start))
}

/// A solution near a guess, or from elsewhere.
fn searched(equations: &mut Kernel, guess: &[f64], open: &[usize]) -> Result<Vec<f64>, Failure> {
    let mut start = guess.to_vec();
    let mut outcome = equations.settle(&mut start);
    let mut random = Random::default();
    for _ in 0..TRIALS {
        if outcome.is_ok() {
            break;
        }
        start = elsewhere(equations, guess, open, &mut random);
        outcome = equations.settle(&mut start);
    }
    outcome.map(|()| start)
}

/// A guess with other values of what is open, in its units.
fn elsewhere(equations: &mut Kernel, guess: &[f64], open: &[usize], random: &mut Random) -> Vec<f64> {
    let own = equations.variables().to_vec();
    let units = equations.units(guess).unwrap_or_else(|_| vec![1.0; own.len()]);
    let size = own.iter().zip(&units).fold(0.0f64, |m, (&k, unit)| m.max(guess[k].abs() / unit));
    let size = if size.is_finite() && size > 0.0 { size } else { 1.0 };
    let mut start = guess.to_vec();
    open.iter().for_each(|&k| start[own[k]] += size * units[k] * random.signed());
    start
}

/// Another solution of the equations, if it is found easily.
fn another(equations: &mut Kernel, start: &[f64], open: &[usize]) -> Option<Vec<f64>> {
    let own = equations.variables().to_vec();
    let differs = |a: &[f64]| own.iter().any(|&k| (a[k] - start[k]).abs() > APART * a[k].abs().max(start[k].abs()));
    let mut mirrored = start.to_vec();
    open.iter().for_each(|&k| mirrored[own[k]] = -start[own[k]]);
    let mut random = Random::default();
    for trial in 0..TRIALS {
        let mut other = if trial == 0 { mirrored.clone() } else { elsewhere(equations, start, open, &mut random) };
        let is_solution = equations.settle(&mut other).is_ok() && equations.is_isolated(&other).unwrap_or(false);
        if is_solution && differs(&other) && other.iter().all(|v| v.is_finite()) {
            return Some(other);
        }
    }
    None
}
