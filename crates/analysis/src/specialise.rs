//! A model at given values of some parameters.

use crate::error::AnalysisError;
use cotangent_compile::values::{Setting, parameters};
use cotangent_expr::{Expr, Node, Tensor};
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
    let fixed = |t: &Tensor| -> Result<Tensor, AnalysisError> {
        Ok(t.expand()?.rewrite_deep(&mut |leaf| match leaf.node() {
            Node::At(..) => by.get(leaf).cloned(),
            _ => None,
        })?)
    };
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
