//! Constraints on velocities, g(q, q̇) = 0, that are part of a variational principle.

use cotangent_expr::{Array, Layout, Tensor};

/// Velocity constraints whose multipliers are functions of the state.
#[derive(Clone, Debug)]
pub struct VelocityConstraints {
    /// g, as functions of the state.
    pub residuals: Tensor,
    /// [[M, −Gᵀ], [−G, 0]], or H_uu with u = (v, λ) where these are variables: singular where velocities and multipliers do
    /// not follow from the momenta.
    pub kkt: Tensor,
    /// G M⁻¹Gᵀ with G = ∂g/∂q̇ and M = ∂²L/∂q̇², or G Gᵀ where M is not diagonal: singular where the constraints depend
    /// on each other.
    pub matrix: Tensor,
    /// `lambda_NAME`, one array for each constraint.
    pub multipliers: Layout,
    /// Their values.
    pub values: Array,
}
