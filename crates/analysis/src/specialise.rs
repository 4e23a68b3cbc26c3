//! A model at given values of some parameters.

use crate::error::AnalysisError;
use cotangent_compile::values::{Setting, parameters};
use cotangent_expr::{Array, Expr, Ix, Layout, Node, Place, Tensor, Term};
use cotangent_model::{Dynamics, System};
use std::collections::HashMap;

/// The system with these parameters replaced by their values, so that the analysis is about that case:
/// what vanishes for a special value alone is then seen to vanish. Other parameters stay symbols.
pub fn specialise(system: &System, set: &[Setting]) -> Result<System, AnalysisError> {
    if set.is_empty() {
        return Ok(system.clone());
    }
    if let Some(s) = set.iter().find(|s| system.parameter(&s.name).is_none()) {
        // A name that does not exist at all gets the message with the nearest one.
        parameters(system, set)?;
        return Err(AnalysisError::NotAParameter { name: s.name.clone() });
    }
    let values = parameters(system, set)?;
    let layout = system.parameter_layout();
    let mut by: HashMap<Expr, Expr> = HashMap::new();
    for p in &system.parameters {
        for k in 0..p.array.len() {
            let at = p.array.multi_index(k);
            let named = |s: &Setting| s.name == p.array.name() && s.index.as_ref().is_none_or(|i| *i == at);
            if let (true, Some(start)) = (set.iter().any(named), layout.offset(&p.array)) {
                by.insert(p.array.element(&at), Expr::number(values[start + k]));
            }
        }
    }
    let mut out = substituted(system, &by)?;
    // What depends on these has other values, too.
    for (p, start) in out.parameters.iter_mut().scan(0, |at, p| {
        let start = *at;
        *at += p.array.len();
        Some((p, start))
    }) {
        let own = |k: usize| by.contains_key(&p.array.element(&p.array.multi_index(k)));
        if (0..p.array.len()).any(own) {
            let known = values[start..start + p.array.len()].iter().map(|&x| Expr::number(x)).collect();
            p.default = Some(vector(&p.array, known)?);
        }
    }
    Ok(out)
}

/// Fractions of numbers up to this are not rounded in what a model is made of.
const SMALL: i64 = 1_000_000;

/// Whether a value is a small fraction.
pub(crate) fn is_small_fraction(e: &Expr) -> bool {
    e.as_number().and_then(|n| n.as_ratio()).is_some_and(|(n, d)| n.abs() <= SMALL && d <= SMALL)
}

/// The system with every parameter replaced by its value, with those that are set; `None` unless all values are written as small
/// fractions: others, as cos(π/2), may be rounded.
pub fn at_exact_values(system: &System, set: &[Setting]) -> Result<Option<System>, AnalysisError> {
    let set = specialise(system, set)?;
    let values = written_values(&set)?.filter(|values| values.iter().all(|(_, value)| is_small_fraction(value)));
    let Some(values) = values else { return Ok(None) };
    Ok(Some(substituted(&set, &values.into_iter().collect())?))
}

/// A system at the values that it gives its parameters.
pub(crate) enum OwnValues {
    /// There is no parameter, or one without a value.
    Unknown,
    /// Numbers become too large or too small, as the square of 10⁻²⁰⁰.
    Outgrown,
    /// The system.
    Known(Box<System>),
}

/// The system with every parameter replaced by the value that the model gives it, exactly: 1/3 is a third.
pub(crate) fn at_own_values(system: &System) -> Result<OwnValues, AnalysisError> {
    let own = || -> Result<OwnValues, AnalysisError> {
        let values = written_values(system)?.filter(|values| !values.is_empty());
        let Some(values) = values else { return Ok(OwnValues::Unknown) };
        Ok(OwnValues::Known(Box::new(substituted(system, &values.into_iter().collect())?)))
    };
    match own() {
        Err(AnalysisError::Expression(_)) => Ok(OwnValues::Outgrown),
        other => other,
    }
}

/// The parameters, each with the value that the model gives it, as it is written; `None` if one has none.
pub(crate) fn written_values(system: &System) -> Result<Option<Vec<(Expr, Expr)>>, AnalysisError> {
    let (mut by, mut out): (HashMap<Expr, Expr>, Vec<(Expr, Expr)>) = Default::default();
    for p in &system.parameters {
        let Some(default) = &p.default else { return Ok(None) };
        for (k, value) in substitute(default, &by)?.entries().into_iter().enumerate() {
            out.push((p.array.element(&p.array.multi_index(k)), value));
        }
        by.extend(out[out.len() - p.array.len()..].iter().cloned());
    }
    Ok(Some(out))
}

/// A vector over an array.
fn vector(array: &Array, values: Vec<Expr>) -> Result<Tensor, AnalysisError> {
    let place =
        |k: usize| Place { array: array.clone(), index: array.multi_index(k).into_iter().map(Ix::constant).collect() };
    let terms = values.into_iter().enumerate().map(|(k, value)| Term::plain(vec![place(k)], value)).collect();
    Ok(Tensor::new(vec![Layout::new(vec![array.clone()])], terms)?)
}

fn substitute(t: &Tensor, by: &HashMap<Expr, Expr>) -> Result<Tensor, AnalysisError> {
    Ok(t.expand()?.rewrite_deep(&mut |leaf| match leaf.node() {
        Node::At(..) => by.get(leaf).cloned(),
        _ => None,
    })?)
}

/// Symbols replaced in everything that is analysed.
fn substituted(system: &System, by: &HashMap<Expr, Expr>) -> Result<System, AnalysisError> {
    let fixed = |t: &Tensor| substitute(t, by);
    let mut out = system.clone();
    match &mut out.dynamics {
        Dynamics::Lagrangian { lagrangian: t, .. } | Dynamics::Hamiltonian { hamiltonian: t, .. } => *t = fixed(t)?,
        Dynamics::Poisson { bracket: b, hamiltonian: t, .. } | Dynamics::Form { form: b, hamiltonian: t, .. } => {
            (*b, *t) = (fixed(b)?, fixed(t)?);
        }
    }
    for c in out.constraints.iter_mut().chain(&mut out.gauges) {
        c.residual = fixed(&c.residual)?;
    }
    for c in &mut out.claims {
        c.quantity.value = fixed(&c.quantity.value)?;
    }
    Ok(out)
}
