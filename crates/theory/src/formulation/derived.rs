//! What a formulation makes of constrained equations, and what it has besides the variables of the model: strictions,
//! impetus, further multipliers.

use super::{Card, Law, Lift, VectorField};
use crate::error::TheoryError;
use crate::legendre::try_whole;
use crate::structure::Structure;
use cotangent_expr::{Array, Expr, Layout, Role, Tensor};
use cotangent_model::Quantity;

/// What a formulation makes of constrained equations.
pub(super) struct Derived {
    pub(super) law: Law,
    pub(super) lift: Lift,
    /// Its numbers, where they stand in the law.
    pub(super) numbers: Vec<Array>,
    /// Quantities of its own, as functions of its state.
    pub(super) auxiliaries: Vec<Quantity>,
}

impl From<Law> for Derived {
    fn from(law: Law) -> Derived {
        Derived { law, lift: Lift::default(), numbers: vec![], auxiliaries: vec![] }
    }
}

impl Derived {
    /// A vector field that is canonical if the card says so.
    pub(super) fn field(field: VectorField, card: &Card) -> Derived {
        Law::Field { field, canonical: card.canonical }.into()
    }

    /// The same with numbers of its own.
    pub(super) fn of<const N: usize>(self, numbers: [Array; N]) -> Derived {
        Derived { numbers: numbers.to_vec(), ..self }
    }

    /// The same with quantities of its own.
    pub(super) fn with(self, auxiliaries: Vec<Quantity>) -> Derived {
        Derived { auxiliaries, ..self }
    }
}

/// A number of a formulation, by a name that no model can have.
pub(super) fn number(card: &Card, name: &str) -> (Array, Expr) {
    let array = Array::scalar(&format!("{} {name}", card.name), Role::Parameter);
    let value = Expr::at(&array, vec![]);
    (array, value)
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
    let array = like.like(&free(s, format!("{kind}_{}", like.name())), Role::Auxiliary);
    let value = Tensor::new(vec![Layout::new(vec![array.clone()])], vec![try_whole(&array, |index| entry(&index))?])?;
    Ok(Quantity { array, value })
}

/// A name that no column of a table has: with underscores where the model uses it.
pub(super) fn free(s: &Structure, mut name: String) -> String {
    let state = s.state();
    let observed = s.system.observables.iter().map(|o| &o.array);
    let multipliers = s.system.constraints.iter().map(|c| &c.multiplier);
    let used: Vec<&str> = state.arrays().iter().chain(observed).chain(multipliers).map(Array::name).collect();
    while used.contains(&name.as_str()) || name == "energy" || name == "time" {
        name.push('_');
    }
    name
}
