//! Starts of J ż = ∇H with a singular J: what J says nothing about follows from Nᵀ∇H = 0, N a basis of ker J.

use crate::equations::Equations;
use crate::error::ProblemError;
use cotangent_compile::Native;
use cotangent_compile::values::{InitialValues, Rates, Setting};
use cotangent_dynamics::{Dynamics, Failure};
use cotangent_expr::{Array, Role};
use cotangent_integrate::IndexOne;
use cotangent_model::ConstraintKind;
use cotangent_scalar::Random;

/// A given value is consistent if it is off by at most this part of the size of the values: enough for numbers typed
/// with nine digits.
const TOLERANCE: f64 = 1e-8;

/// Places from which Newton's method looks for what was not given.
const TRIALS: usize = 8;

/// A start, and what was not given of it.
pub(crate) struct Settled {
    pub(crate) start: Vec<f64>,
    /// Variables that were not given, with their values.
    pub(crate) determined: Vec<(String, f64)>,
}

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
        let mut equations = IndexOne::new(form).map_err(unknown)?;
        if equations.kernel_dimension() == 0 {
            return Ok(None);
        }
        let (given, is_given) = self.whole_start(model_state, initial, set);
        let mut start = given.clone();
        let mut random = Random::default();
        let mut outcome = equations.settle(&mut start);
        for _ in 0..TRIALS {
            if outcome.is_ok() {
                break;
            }
            start = given.clone();
            let size = start.iter().fold(0.0f64, |m, v| m.max(v.abs())).max(1.0);
            let open = start.iter_mut().zip(&is_given).filter(|(_, given)| !**given);
            open.for_each(|(v, _)| *v += size * random.signed());
            outcome = equations.settle(&mut start);
        }
        let at = if outcome.is_ok() { &start } else { &given };
        let undetermined = equations.undetermined(at).map_err(unknown)?;
        if !undetermined.is_empty() {
            let name = |k: usize| self.motion.state.entry_name(k);
            return Err(ProblemError::NotIndexOne { variables: undetermined.into_iter().map(name).collect() });
        }
        outcome.map_err(unknown)?;
        let size = start.iter().chain(&given).fold(0.0f64, |m, v| m.max(v.abs()));
        let mut determined = vec![];
        for (k, (&found, &given)) in start.iter().zip(&given).enumerate() {
            let name = || self.motion.state.entry_name(k);
            match is_given[k] {
                true if (found - given).abs() > TOLERANCE * size && !project => {
                    return Err(ProblemError::Contradicted { name: name(), given, found });
                }
                false if found != 0.0 => determined.push((name(), found)),
                _ => {}
            }
        }
        Ok(Some(Settled { start, determined }))
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
