//! Numbers for a system's symbols: parameters, initial values, and what they give at the start.

mod at_start;

pub use at_start::{Residual, SPLIT_TOLERANCE, SplitDifference, split_defect, split_difference};

use crate::error::{CallError, CompileError};
use crate::evaluator::{Evaluator, Memo};
use cotangent_expr::{Array, Digest, Layout, Role, Tensor};
use cotangent_model::nearest::nearest;
use cotangent_model::{Dynamics, Sign, System};
use cotangent_scalar::Limits;
use cotangent_solve::NewtonError;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

/// A value given from outside: `name=value`, or `name[3]=value` for one member.
#[derive(Clone, PartialEq, Debug)]
pub struct Setting {
    /// A parameter, coordinate, momentum, velocity (`x'`), variable or multiplier.
    pub name: String,
    /// The member; `None` for a scalar or a whole family.
    pub index: Option<Vec<i64>>,
    /// The value.
    pub value: f64,
}

/// Why there is no value.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum ValueError {
    /// A setting for something that does not exist.
    #[error("there is no parameter or variable `{name}` to set; {}", instead(nearest.as_deref(), known))]
    UnknownName {
        /// The name.
        name: String,
        /// A similar name that exists.
        nearest: Option<String>,
        /// All names that exist, parameters first.
        known: Vec<String>,
    },
    /// A member that does not exist.
    #[error("`{name}{index:?}` does not exist: {}", members_of(array))]
    NoSuchMember {
        /// The family or scalar.
        name: String,
        /// The index.
        index: Vec<i64>,
        /// What there is.
        array: Array,
    },
    /// A parameter without a value.
    #[error("the parameter `{name}` has no value; give it one with `--set {name}=…` or in the model")]
    MissingValue {
        /// The parameter.
        name: String,
    },
    /// A value that is not finite.
    #[error("the value of `{name}` is {value}, not a finite number")]
    NotFinite {
        /// The entry.
        name: String,
        /// Its value.
        value: f64,
    },
    /// A value that contradicts the sign stated in the model.
    #[error("the parameter `{name}` is {value}, but the model states `{name} {sign} 0`")]
    WrongSign {
        /// The entry.
        name: String,
        /// Its value.
        value: f64,
        /// The comparison stated.
        sign: &'static str,
    },
    /// Velocities and momenta at once.
    #[error("initial values give velocities or momenta, not both: `{velocity}` and `{momentum}`")]
    MixedRates {
        /// A velocity that is given.
        velocity: String,
        /// A momentum that is given.
        momentum: String,
    },
    /// Velocities that no momenta have.
    #[error("no momenta have the initial velocities: {cause}")]
    NoMomenta {
        /// What Newton's method says.
        cause: NewtonError,
    },
    /// An expression that could not be compiled.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// An expression that could not be evaluated.
    #[error(transparent)]
    Call(#[from] CallError),
}

/// The nearest name, or what there is.
fn instead(nearest: Option<&str>, known: &[String]) -> String {
    const MOST: usize = 12;
    let more = if known.len() > MOST { ", …" } else { "" };
    match nearest {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("there are {}{more}", known[..known.len().min(MOST)].join(", ")),
    }
}

fn members_of(array: &Array) -> String {
    if array.dims().is_empty() {
        return "it has no members".into();
    }
    if array.members().is_some() {
        let name = |k: usize| array.element_name(&array.multi_index(k));
        return match array.len() {
            0 => "it has no members".into(),
            1 => format!("its only member is `{}`", name(0)),
            n => format!("its members are `{}`, …, `{}`", name(0), name(n - 1)),
        };
    }
    let all: Vec<String> = array.dims().iter().map(|d| format!("{}..{}", d.first, d.last())).collect();
    format!("its members are {}", all.join(" × "))
}

/// Evaluates one tensor once, on the tape.
pub fn evaluate(tensor: &Tensor, inputs: &[(&Layout, &[f64])]) -> Result<Vec<f64>, ValueError> {
    let (layouts, values): (Vec<&Layout>, Vec<&[f64]>) = inputs.iter().copied().unzip();
    Ok(Evaluator::new(tensor, &layouts, &Limits::default())?.call(&values)?)
}

/// What gives numbers to a system's symbols: parameters, initial values, and what follows from them at the start.
///
/// What is compiled for that is kept, if there are to be many values.
pub struct Values {
    system: System,
    layout: Layout,
    /// The holonomic constraints.
    holonomic: OnceLock<Tensor>,
    kept: Option<Memo<Key, Evaluator>>,
    limits: Limits,
}

/// What is evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    /// The default of a parameter.
    Default(usize),
    /// An initial value.
    Initial(Digest),
    /// A constraint, in momenta or velocities.
    Residual(usize, Given),
    /// The size of what it is made of.
    Magnitude(usize, Given),
    /// The gradients of the constraints.
    Gradients(Given),
    VelocityGradients(usize),
    /// H_p
    Velocity,
    /// ∂L/∂v
    Momentum,
    /// L or H.
    Energy(Given),
}

/// What is given besides positions.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Given {
    Nothing,
    Momenta,
    Velocities,
}

impl Values {
    /// Of a system, once.
    pub fn once(system: &System) -> Values {
        Values {
            system: system.clone(),
            layout: system.parameter_layout(),
            holonomic: OnceLock::new(),
            kept: None,
            limits: Limits::default(),
        }
    }

    /// Of a system, as often as is asked for, within limits.
    pub fn new(system: &System, limits: &Limits) -> Values {
        Values { kept: Some(Memo::default()), limits: limits.clone(), ..Values::once(system) }
    }

    /// Evaluates a tensor, which a key stands for.
    fn evaluated(
        &self,
        key: Key,
        inputs: &[(&Layout, &[f64])],
        make: impl FnOnce(&[&Layout]) -> Result<Evaluator, CompileError>,
    ) -> Result<(Arc<Evaluator>, Vec<f64>), ValueError> {
        let (layouts, values): (Vec<&Layout>, Vec<&[f64]>) = inputs.iter().copied().unzip();
        let f = match &self.kept {
            Some(kept) => kept.get(key, || make(&layouts))?,
            None => Arc::new(make(&layouts)?),
        };
        let values = f.call(&values)?;
        Ok((f, values))
    }

    /// The values of all parameters, in the order of [`System::parameter_layout`]: settings first,
    /// defaults otherwise, each default with the values of the parameters before it.
    pub fn parameters(&self, set: &[Setting]) -> Result<Vec<f64>, ValueError> {
        check_names(&self.system, set)?;
        let mut values = vec![0.0; self.layout.len()];
        let by_name = by_name(set);
        let mut start = 0;
        for (k, p) in self.system.parameters.iter().enumerate() {
            let end = start + p.array.len();
            let own: &[&Setting] = by_name.get(p.array.name()).map_or(&[], Vec::as_slice);
            match &p.default {
                Some(default) => {
                    let inputs = [(&self.layout, &values[..])];
                    let (_, found) =
                        self.evaluated(Key::Default(k), &inputs, |by| Evaluator::new(default, by, &self.limits))?;
                    values[start..end].copy_from_slice(&found);
                }
                None if own.iter().any(|s| s.index.is_none()) || p.array.is_empty() => {}
                None => return Err(ValueError::MissingValue { name: p.array.name().into() }),
            }
            assign(&mut values[start..end], &p.array, own)?;
            for (k, &value) in values[start..end].iter().enumerate() {
                let name = || p.array.element_name(&p.array.multi_index(k));
                if !value.is_finite() {
                    return Err(ValueError::NotFinite { name: name(), value });
                }
                if let Some(sign) = p.sign.and_then(|s| violated(s, value)) {
                    return Err(ValueError::WrongSign { name: name(), value, sign });
                }
            }
            start = end;
        }
        Ok(values)
    }

    /// The initial values. Where neither momenta nor velocities are given, a Lagrangian model starts
    /// with velocity zero and a Hamiltonian one with momentum zero.
    pub fn initial(&self, parameters: &[f64], set: &[Setting]) -> Result<InitialValues, ValueError> {
        let system = &self.system;
        check_names(system, set)?;
        let by_name = by_name(set);
        let given: HashMap<Digest, &Tensor> =
            system.initial.iter().rev().map(|i| (i.array.digest(), &i.value)).collect();
        let vector = |arrays: &[Array]| -> Result<Vec<f64>, ValueError> {
            let mut all = vec![];
            for a in arrays {
                let mut own = match given.get(&a.digest()) {
                    Some(value) => {
                        let inputs = [(&self.layout, parameters)];
                        self.evaluated(Key::Initial(a.digest()), &inputs, |by| Evaluator::new(value, by, &self.limits))?
                            .1
                    }
                    None => vec![0.0; a.len()],
                };
                assign(&mut own, a, by_name.get(a.name()).map_or(&[], Vec::as_slice))?;
                if let Some(k) = own.iter().position(|v| !v.is_finite()) {
                    return Err(ValueError::NotFinite { name: a.element_name(&a.multi_index(k)), value: own[k] });
                }
                all.extend(own);
            }
            Ok(all)
        };
        let velocities = velocities(system);
        let momenta = system.dynamics.momenta().map_or(&[][..], Layout::arrays);
        let named = |arrays: &[Array]| {
            let is_given = |a: &&Array| given.contains_key(&a.digest()) || by_name.contains_key(a.name());
            arrays.iter().find(is_given).map(|a| a.name().to_string())
        };
        let rates = match (named(&velocities), named(momenta), &system.dynamics) {
            (Some(velocity), Some(momentum), _) => return Err(ValueError::MixedRates { velocity, momentum }),
            (_, _, Dynamics::Poisson { .. } | Dynamics::Form { .. }) => Rates::None,
            (Some(_), None, _) | (None, None, Dynamics::Lagrangian { .. }) => Rates::Velocities(vector(&velocities)?),
            (None, _, _) => Rates::Momenta(vector(momenta)?),
        };
        let multipliers: Vec<Array> = system.constraints.iter().map(|c| c.multiplier.clone()).collect();
        Ok(InitialValues {
            coordinates: vector(system.dynamics.variables().arrays())?,
            rates,
            multipliers: vector(&multipliers)?,
        })
    }
}

/// [`Values::parameters`], once.
pub fn parameters(system: &System, set: &[Setting]) -> Result<Vec<f64>, ValueError> {
    Values::once(system).parameters(set)
}

/// [`Values::initial`], once.
pub fn initial(system: &System, parameters: &[f64], set: &[Setting]) -> Result<InitialValues, ValueError> {
    Values::once(system).initial(parameters, set)
}

/// [`Values::start`], once.
pub fn start(system: &System, parameters: &[f64], initial: &InitialValues) -> Result<Vec<f64>, ValueError> {
    Values::once(system).start(parameters, initial)
}

/// [`Values::constraint_residuals`], once.
pub fn constraint_residuals(
    system: &System,
    parameters: &[f64],
    initial: &InitialValues,
) -> Result<Vec<Residual>, ValueError> {
    Values::once(system).constraint_residuals(parameters, initial)
}

/// [`Values::hidden_residuals`], once.
pub fn hidden_residuals(
    system: &System,
    parameters: &[f64],
    initial: &InitialValues,
) -> Result<Option<Vec<Residual>>, ValueError> {
    Values::once(system).hidden_residuals(parameters, initial)
}

/// [`Values::energy`], once.
pub fn energy(system: &System, parameters: &[f64], initial: &InitialValues) -> Result<Option<f64>, ValueError> {
    Values::once(system).energy(parameters, initial)
}

/// The settings for each name.
fn by_name(set: &[Setting]) -> HashMap<&str, Vec<&Setting>> {
    let mut all: HashMap<&str, Vec<&Setting>> = HashMap::new();
    for s in set {
        all.entry(&s.name).or_default().push(s);
    }
    all
}

/// The comparison that a value violates, if it does.
fn violated(sign: Sign, value: f64) -> Option<&'static str> {
    let (holds, text) = match sign {
        Sign::Positive => (value > 0.0, ">"),
        Sign::NonNegative => (value >= 0.0, ">="),
        Sign::Negative => (value < 0.0, "<"),
        Sign::NonPositive => (value <= 0.0, "<="),
        Sign::NonZero => (value != 0.0, "!="),
    };
    (!holds).then_some(text)
}

/// Whole families first, then single members.
fn assign(values: &mut [f64], array: &Array, set: &[&Setting]) -> Result<(), ValueError> {
    for s in set.iter().filter(|s| s.index.is_none()) {
        values.fill(s.value);
    }
    for s in set {
        let Some(index) = &s.index else { continue };
        let slot = array.position(index).and_then(|k| values.get_mut(k));
        match slot {
            Some(v) if !array.dims().is_empty() => *v = s.value,
            _ => {
                let (name, array) = (s.name.clone(), array.clone());
                return Err(ValueError::NoSuchMember { name, index: index.clone(), array });
            }
        }
    }
    Ok(())
}

fn check_names(system: &System, set: &[Setting]) -> Result<(), ValueError> {
    let multipliers = system.constraints.iter().map(|c| &c.multiplier);
    let velocities = velocities(system);
    let layouts = [Some(system.dynamics.variables()), system.dynamics.momenta()];
    let variables = layouts.into_iter().flatten().flat_map(Layout::arrays).chain(&velocities);
    let arrays = system.parameters.iter().map(|p| &p.array).chain(variables).chain(multipliers);
    let names: Vec<&str> = arrays.map(Array::name).chain(system.integers.iter().map(|(n, _)| n.as_str())).collect();
    let known: HashSet<&str> = names.iter().copied().collect();
    for s in set {
        if !known.contains(s.name.as_str()) {
            let nearest = nearest(&s.name, names.iter().copied()).map(str::to_string);
            let known = names.iter().map(|n| n.to_string()).collect();
            return Err(ValueError::UnknownName { name: s.name.clone(), nearest, known });
        }
    }
    Ok(())
}

/// The velocities of the coordinates; none in a Poisson or constant-form model.
fn velocities(system: &System) -> Vec<Array> {
    let of = |q: &Array| Array::given(&format!("{}'", q.name()), Role::Velocity, q.dims().to_vec());
    let coordinates = system.dynamics.momenta().map(|_| system.dynamics.variables().arrays());
    coordinates.unwrap_or_default().iter().map(of).collect()
}

/// What else the initial data give besides positions.
#[derive(Clone, PartialEq, Debug)]
pub enum Rates {
    /// Nothing: a Poisson or constant-form model.
    None,
    /// Momenta.
    Momenta(Vec<f64>),
    /// Velocities.
    Velocities(Vec<f64>),
}

/// Initial values of a system.
#[derive(Clone, PartialEq, Debug)]
pub struct InitialValues {
    /// Coordinates, or the variables of a Poisson or constant-form model.
    pub coordinates: Vec<f64>,
    /// Momenta or velocities.
    pub rates: Rates,
    /// Multipliers, constraint after constraint.
    pub multipliers: Vec<f64>,
}
