//! From a model to a problem: in any formulation, and in `hamilton-dirac` from the analysis where that of
//! holonomic constraints does not do.

use crate::error::{PoseError, ProblemError};
use crate::instance::Instance;
use crate::model::{Model, Repairs};
use cotangent_analysis::{AnalysisError, MotionError, analyze_within};
use cotangent_compile::Engine;
use cotangent_compile::values::Setting;
use cotangent_model::System;
use cotangent_scalar::Limits;
use cotangent_theory::Formulation;
use std::sync::Arc;

/// [`Model::pose`] of a system.
pub fn pose(
    system: &System,
    formulation: Formulation,
    set: &[Setting],
    repairs: Repairs,
    engine: Engine,
) -> Result<Instance, PoseError> {
    Arc::new(Model::new(system, &Limits::default())).pose(formulation, set, repairs, engine)
}

impl Model {
    /// [`Model::instance`], with what to state instead of a constraint whose gradient vanishes where it does, and for
    /// [`Formulation::HamiltonDirac`] the equations of its analysis where the model has gauge conditions, a singular
    /// Lagrangian, constraints on more than positions, or constraints whose forces their second time derivatives do not
    /// determine.
    pub fn pose(
        self: &Arc<Self>,
        formulation: Formulation,
        set: &[Setting],
        repairs: Repairs,
        engine: Engine,
    ) -> Result<Instance, PoseError> {
        let (system, limits) = (&self.system, &self.limits);
        limits.check().map_err(AnalysisError::from)?;
        let given = || self.instance(formulation, set, repairs, engine);
        let explained = |error: ProblemError| irregular(system, &error, limits).unwrap_or_else(|| error.into());
        if formulation.takes_brackets() && self.has_constrained_bracket() {
            return self.on_bracket(formulation, set, repairs, engine);
        }
        if formulation != Formulation::HamiltonDirac || self.need(set)?.is_none() {
            return given().map_err(explained);
        }
        Ok(Arc::new(self.analysed(engine)?).instance(set, repairs)?)
    }
}

/// Why a start is singular where the gradient of a constraint vanishes: if it does so wherever the constraint holds, as
/// that of (x² + y² − 1)² does, no other start is better, and the analysis knows what to state instead.
fn irregular(system: &System, error: &ProblemError, limits: &Limits) -> Option<PoseError> {
    let ProblemError::SingularStart { constraints } = error else { return None };
    let flat: Vec<&str> = constraints.iter().filter(|c| c.on.is_empty()).map(|c| c.name.as_str()).collect();
    if flat.is_empty() {
        return None;
    }
    let found = analyze_within(system, limits)
        .ok()?
        .irregular
        .into_iter()
        .find(|i| flat.contains(&i.0.as_str()) && !i.2.is_empty());
    let (constraint, expression, instead) = found?;
    Some(MotionError::Irregular { constraint, expression: expression.to_string(), instead }.into())
}
