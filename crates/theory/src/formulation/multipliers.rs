//! The equations as given: q̇ = H_p, ṗ = −H_q − Gᵀλ, φ(q) = 0, with unknown multipliers λ.
//!
//! Of index 2 (`index-reduced`) with ψ = G(q) H_p = 0 in place of φ = 0: a method that holds those
//! lets φ drift, and needs one derivative less of its own.
//!
//! They are a vector field only where there are no constraints.

use super::VectorField;
use crate::error::TheoryError;
use crate::structure::Structure;

pub(super) fn equations(s: &Structure) -> Result<Option<VectorField>, TheoryError> {
    match s.constraints.shape()[0].is_empty() {
        true => super::standard::equations(s).map(Some),
        false => Ok(None),
    }
}
