//! Numbers for a system's symbols: parameters, initial values, and what they give at the start.

pub use crate::start::start;

use crate::error::{CallError, CompileError};
use crate::function::{Engine, FunctionBuilder};
use cotangent_expr::{Array, Digest, Dim, Expr, Layout, Node, Role, Tensor, dependencies, flat_position};
use cotangent_model::nearest::nearest;
use cotangent_model::{ConstraintKind, Dynamics, Sign, System};
use std::collections::{HashMap, HashSet};

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
    #[error("there is no parameter or variable `{name}` to set{}", nearest.as_ref().map_or(String::new(), |n| format!("; did you mean `{n}`?")))]
    UnknownName {
        /// The name.
        name: String,
        /// A similar name that exists.
        nearest: Option<String>,
    },
    /// A member that does not exist.
    #[error("`{name}{index:?}` does not exist: {}", ranges(dims))]
    NoSuchMember {
        /// The family or scalar.
        name: String,
        /// The index.
        index: Vec<i64>,
        /// Its dimensions.
        dims: Vec<Dim>,
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
    #[error("no momenta have the initial velocities: {reason}")]
    NoMomenta {
        /// What Newton's method says.
        reason: String,
    },
    /// An expression that could not be compiled.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// An expression that could not be evaluated.
    #[error(transparent)]
    Call(#[from] CallError),
}

fn ranges(dims: &[Dim]) -> String {
    if dims.is_empty() {
        return "it has no members".into();
    }
    let all: Vec<String> = dims.iter().map(|d| format!("{}..{}", d.first, d.last())).collect();
    format!("its members are {}", all.join(" × "))
}

/// Evaluates one tensor once, on the tape. Only the arrays it reads become inputs, so that the cost
/// is that of the tensor, however many parameters a model has.
pub fn evaluate(tensor: &Tensor, inputs: &[(&Layout, &[f64])]) -> Result<Vec<f64>, ValueError> {
    let read = read_by(tensor);
    let mut builder = FunctionBuilder::new();
    let mut values: Vec<Vec<f64>> = vec![];
    for (layout, all) in inputs {
        let mut own: Vec<(usize, &Array)> = read.values().filter_map(|a| Some((layout.offset(a)?, a))).collect();
        own.sort_by_key(|(start, _)| *start);
        values.push(own.iter().flat_map(|(start, a)| &all[*start..start + a.len()]).copied().collect());
        builder = builder.input(&Layout::new(own.into_iter().map(|(_, a)| a.clone()).collect()));
    }
    let f = builder.output(tensor).engine(Engine::Tape).compile()?;
    let mut out = vec![0.0; f.program().outputs[0]];
    let values: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
    f.call(&values, &mut [&mut out], &mut f.workspace())?;
    Ok(out)
}

/// The given arrays that a tensor reads, also through what defines others.
fn read_by(tensor: &Tensor) -> HashMap<Digest, Array> {
    let inner = dependencies(tensor);
    let tensors = std::iter::once(tensor).chain(inner.iter().flat_map(|a| a.definition().tensors()));
    let leaves = tensors.flat_map(Tensor::terms).flat_map(|t| t.value.leaves());
    let given = |leaf: Expr| match leaf.node() {
        Node::At(a, _) if a.is_given() => Some((a.digest(), a.clone())),
        _ => None,
    };
    leaves.filter_map(given).collect()
}

/// The values of all parameters, in the order of [`System::parameter_layout`]: settings first,
/// defaults otherwise, each default with the values of the parameters before it.
pub fn parameters(system: &System, set: &[Setting]) -> Result<Vec<f64>, ValueError> {
    check_names(system, set)?;
    let layout = system.parameter_layout();
    let mut values = vec![0.0; layout.len()];
    let by_name = by_name(set);
    let mut start = 0;
    for p in &system.parameters {
        let end = start + p.array.len();
        let own: &[&Setting] = by_name.get(p.array.name()).map_or(&[], Vec::as_slice);
        match &p.default {
            Some(default) => {
                let found = evaluate(default, &[(&layout, &values)])?;
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
        let slot = flat_position(array.dims(), index).and_then(|k| values.get_mut(k));
        match slot {
            Some(v) if !array.dims().is_empty() => *v = s.value,
            _ => {
                let (name, dims) = (s.name.clone(), array.dims().to_vec());
                return Err(ValueError::NoSuchMember { name, index: index.clone(), dims });
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
            return Err(ValueError::UnknownName { name: s.name.clone(), nearest });
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

/// The initial values. Where neither momenta nor velocities are given, a Lagrangian model starts
/// with velocity zero and a Hamiltonian one with momentum zero.
pub fn initial(system: &System, parameters: &[f64], set: &[Setting]) -> Result<InitialValues, ValueError> {
    check_names(system, set)?;
    let layout = system.parameter_layout();
    let by_name = by_name(set);
    let given: HashMap<Digest, &Tensor> = system.initial.iter().rev().map(|i| (i.array.digest(), &i.value)).collect();
    let vector = |arrays: &[Array]| -> Result<Vec<f64>, ValueError> {
        let mut all = vec![];
        for a in arrays {
            let mut own = match given.get(&a.digest()) {
                Some(value) => evaluate(value, &[(&layout, parameters)])?,
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

/// The value of one constraint member.
#[derive(Clone, PartialEq, Debug)]
pub struct Residual {
    /// The constraint, with its index.
    pub name: String,
    /// Left side minus right side.
    pub value: f64,
}

/// Named values of a vector.
fn named(layout: &Layout, values: Vec<f64>) -> Vec<Residual> {
    layout.entry_names().into_iter().zip(values).map(|(name, value)| Residual { name, value }).collect()
}

/// The layouts and values that expressions of a system may use at the start.
struct Start<'a> {
    inputs: Vec<(Layout, &'a [f64])>,
}

impl<'a> Start<'a> {
    fn new(system: &System, parameters: &'a [f64], initial: &'a InitialValues) -> Start<'a> {
        let mut inputs = vec![
            (system.parameter_layout(), parameters),
            (system.dynamics.variables().clone(), &initial.coordinates[..]),
        ];
        match (&initial.rates, &system.dynamics) {
            (Rates::Momenta(p), d) => inputs.extend(d.momenta().map(|l| (l.clone(), &p[..]))),
            (Rates::Velocities(v), d) => inputs.extend(d.velocities().map(|l| (l.clone(), &v[..]))),
            (Rates::None, _) => {}
        }
        Start { inputs }
    }

    fn evaluate(&self, tensor: &Tensor) -> Result<Vec<f64>, ValueError> {
        let inputs: Vec<(&Layout, &[f64])> = self.inputs.iter().map(|(l, v)| (l, *v)).collect();
        evaluate(tensor, &inputs)
    }
}

/// The residuals of the constraints at the initial values. Vakonomic constraints are left out
/// where momenta are given instead of velocities.
pub fn constraint_residuals(
    system: &System,
    parameters: &[f64],
    initial: &InitialValues,
) -> Result<Vec<Residual>, ValueError> {
    let start = Start::new(system, parameters, initial);
    let mut out = vec![];
    for c in &system.constraints {
        if c.kind == ConstraintKind::Vakonomic && !matches!(initial.rates, Rates::Velocities(_)) {
            continue;
        }
        if c.kind == ConstraintKind::PhaseSpace && matches!(initial.rates, Rates::Velocities(_)) {
            continue;
        }
        out.extend(named(&Layout::new(vec![c.array.clone()]), start.evaluate(&c.residual)?));
    }
    Ok(out)
}

/// The hidden constraints G(q)·q̇ of the holonomic ones at the initial values; `None` where the
/// velocity is known only through the Legendre transform of a Lagrangian.
pub fn hidden_residuals(
    system: &System,
    parameters: &[f64],
    initial: &InitialValues,
) -> Result<Option<Vec<Residual>>, ValueError> {
    let start = Start::new(system, parameters, initial);
    let velocity = match (&initial.rates, &system.dynamics) {
        (Rates::Velocities(v), _) => v.clone(),
        (Rates::Momenta(_), Dynamics::Hamiltonian { momenta, hamiltonian, .. }) => {
            start.evaluate(&hamiltonian.gradient(momenta).map_err(CompileError::from)?)?
        }
        _ => return Ok(None),
    };
    let residual = system.residuals(&[ConstraintKind::Holonomic]).map_err(CompileError::from)?;
    let coordinates = system.dynamics.variables();
    let jacobian = residual.jacobian(coordinates).map_err(CompileError::from)?;
    let builder = start.inputs.iter().fold(FunctionBuilder::new(), |b, (layout, _)| b.input(layout));
    let f = builder.sparse_output(&jacobian).engine(Engine::Tape).compile()?;
    let mut values = vec![0.0; f.program().outputs[0]];
    let inputs: Vec<&[f64]> = start.inputs.iter().map(|(_, v)| *v).collect();
    f.call(&inputs, &mut [&mut values], &mut f.workspace())?;
    let mut rate = vec![0.0; residual.shape()[0].len()];
    if let Some(pattern) = f.pattern(0) {
        for ((row, column), value) in pattern.addresses().zip(&values) {
            rate[row as usize] += value * velocity[column as usize];
        }
    }
    Ok(Some(named(&residual.shape()[0], rate)))
}

/// The energy at the initial values: H, or v·∂L/∂v − L; `None` where the velocity is unknown.
pub fn energy(system: &System, parameters: &[f64], initial: &InitialValues) -> Result<Option<f64>, ValueError> {
    let start = Start::new(system, parameters, initial);
    match (&system.dynamics, &initial.rates) {
        (Dynamics::Lagrangian { velocities, lagrangian, .. }, Rates::Velocities(v)) => {
            let momentum = start.evaluate(&lagrangian.gradient(velocities).map_err(CompileError::from)?)?;
            let value = start.evaluate(lagrangian)?;
            Ok(Some(momentum.iter().zip(v).map(|(p, v)| p * v).sum::<f64>() - value[0]))
        }
        (Dynamics::Lagrangian { .. }, _) | (Dynamics::Hamiltonian { .. }, Rates::Velocities(_)) => Ok(None),
        (dynamics, _) => Ok(start.evaluate(dynamics.energy())?.first().copied()),
    }
}

/// The largest |H − Σ parts| relative to |H| and the parts, at 16 generic points; `None` without
/// `split` statements, NaN if none of the points has a finite energy.
pub fn split_defect(system: &System, parameters: &[f64]) -> Result<Option<f64>, ValueError> {
    if system.splits.is_empty() {
        return Ok(None);
    }
    let state = system.state();
    let layout = system.parameter_layout();
    let mut defect = f64::NAN;
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    for _ in 0..16 {
        let point: Vec<f64> = (0..state.len())
            .map(|_| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                0.25 + (seed >> 11) as f64 / (1u64 << 53) as f64
            })
            .collect();
        let inputs: [(&Layout, &[f64]); 2] = [(&layout, parameters), (&state, &point)];
        let whole = evaluate(system.dynamics.energy(), &inputs)?[0];
        let mut parts = vec![];
        for s in &system.splits {
            parts.extend(evaluate(&s.value, &inputs)?);
        }
        let scale = parts.iter().map(|p| p.abs()).fold(whole.abs(), f64::max);
        if scale.is_finite() && scale > 0.0 {
            defect = defect.max((whole - parts.iter().sum::<f64>()).abs() / scale);
        }
    }
    Ok(Some(defect))
}
