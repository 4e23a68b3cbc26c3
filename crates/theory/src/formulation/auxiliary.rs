//! What a formulation has besides the variables of the model: strictions, impetus, further multipliers.

use super::VectorField;
use crate::error::TheoryError;
use crate::legendre::try_whole;
use crate::structure::Structure;
use cotangent_expr::{Array, Expr, Layout, Role, Tensor};
use cotangent_model::Quantity;

/// A vector field, and what else a formulation says.
pub(super) struct Equations {
    pub(super) field: VectorField,
    /// The model's momenta, where the state has others.
    pub(super) physical: Option<Vec<Array>>,
    /// Quantities of its own, as functions of its state.
    pub(super) auxiliaries: Vec<Quantity>,
}

impl From<VectorField> for Equations {
    fn from(field: VectorField) -> Equations {
        Equations { field, physical: None, auxiliaries: vec![] }
    }
}

impl Equations {
    /// The same with quantities of its own.
    pub(super) fn with(self, auxiliaries: Vec<Quantity>) -> Equations {
        Equations { auxiliaries, ..self }
    }
}

/// A vector with an entry for each constraint member, as one quantity `KIND_NAME` for each constraint.
pub(super) fn per_constraint(s: &Structure, kind: &str, vector: &Array) -> Result<Vec<Quantity>, TheoryError> {
    let rows = &s.constraints.shape()[0];
    let one = |constraint: &Array| {
        let entry = |index: &[_]| Ok(Expr::at(vector, vec![rows.flat_index(constraint, index)?]));
        named(s, kind, constraint, &entry)
    };
    rows.arrays().iter().map(one).collect()
}

/// The momenta of the state as quantities `KIND_NAME`.
pub(super) fn per_momentum(s: &Structure, kind: &str) -> Result<Vec<Quantity>, TheoryError> {
    s.momenta.arrays().iter().map(|p| named(s, kind, p, &|index| Ok(Expr::at(p, index.to_vec())))).collect()
}

fn named(
    s: &Structure,
    kind: &str,
    like: &Array,
    entry: &dyn Fn(&[cotangent_expr::Ix]) -> Result<Expr, TheoryError>,
) -> Result<Quantity, TheoryError> {
    let array = Array::given(&free(s, format!("{kind}_{}", like.name())), Role::Auxiliary, like.dims().to_vec());
    let value = Tensor::new(vec![Layout::new(vec![array.clone()])], vec![try_whole(&array, |index| entry(&index))?])?;
    Ok(Quantity { array, value })
}

/// A name that no column of a table has: with underscores where the model uses it.
fn free(s: &Structure, mut name: String) -> String {
    let state = s.state();
    let observed = s.system.observables.iter().map(|o| &o.array);
    let multipliers = s.system.constraints.iter().map(|c| &c.multiplier);
    let used: Vec<&str> = state.arrays().iter().chain(observed).chain(multipliers).map(Array::name).collect();
    while used.contains(&name.as_str()) || name == "energy" || name == "time" {
        name.push('_');
    }
    name
}
