//! The constraints that Dirac's analysis found, where they are not those of a [`Structure`](crate::Structure).

use cotangent_expr::{Array, Error, Layout, Tensor};

/// The constraint surface of equations of motion of which every constraint is an integral.
#[derive(Clone, Debug)]
pub struct ConstraintSurface {
    /// Primary constraints and gauge conditions.
    pub constraints: Tensor,
    /// Those that follow from their time derivatives.
    pub hidden: Tensor,
    /// The generation of each, in this order: 1 for primary ones, 2 for those that follow from their time
    /// derivatives, …; 0 for gauge conditions.
    pub generations: Vec<usize>,
    /// C = {χ_a, χ_b} of the second-class constraints.
    pub brackets: Tensor,
    /// For each constraint, in the order of [`residuals`](ConstraintSurface::residuals), the direction along which a state is
    /// brought onto it, over the variables: {·, χ}, or the gradient of a Casimir.
    pub directions: Tensor,
    /// The multipliers of primary constraints in the total Hamiltonian, by name.
    pub multipliers: Layout,
    /// Their values as functions of the state, if there are any.
    pub values: Option<Array>,
    /// {z, H}*, over all variables.
    pub rate: Tensor,
    /// ∂χ/∂u, where variables u of the model follow from the others by the constraints χ = 0.
    pub slope: Option<Tensor>,
}

impl ConstraintSurface {
    /// All constraints, in the order of their generations' list.
    pub fn residuals(&self) -> Result<Tensor, Error> {
        let layout = self.constraints.shape()[0].then(&self.hidden.shape()[0]);
        Tensor::new(vec![layout], self.constraints.terms().iter().chain(self.hidden.terms()).cloned().collect())
    }
}
