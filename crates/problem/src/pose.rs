//! From a model to a problem: in any formulation, and in `hamilton-dirac` from the analysis where that of
//! holonomic constraints does not do.

use crate::error::{PoseError, ProblemError};
use crate::instance::Instance;
use crate::model::{Model, Repairs};
use crate::redundancy::Redundant;
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
        let explained = |error: ProblemError| match &error {
            ProblemError::SingularStart { constraints } => {
                irregular(system, constraints, limits).map_or_else(|| error.into(), PoseError::from)
            }
            _ => error.into(),
        };
        if formulation.takes_brackets() && self.has_constrained_bracket() {
            return self.on_bracket(formulation, set, repairs, engine);
        }
        if formulation != Formulation::HamiltonDirac || self.need(set)?.is_none() {
            return given().map_err(explained);
        }
        Ok(Arc::new(self.analysed(engine)?).instance(set, repairs)?)
    }
}

/// Larger models are not analysed for a reason.
const LARGEST: usize = 40;

/// Why a start is singular, if every one is: where the gradient of a constraint vanishes wherever it holds, as that of
/// (x² + y² − 1)² does, or where one touches another, as x² + y² = 1 does x = 1. No other start is better then, and the
/// analysis knows what to state instead, on each of the parts that a surface falls apart into.
pub fn irregular(system: &System, constraints: &[Redundant], limits: &Limits) -> Option<MotionError> {
    if system.dynamics.variables().len() > LARGEST && constraints.iter().all(|c| !c.on.is_empty()) {
        return None;
    }
    let is_meant = |name: &String| constraints.iter().any(|c| c.name == *name || c.on.contains(name));
    let report = analyze_within(system, limits).ok()?;
    let branches = report.branches.iter().flat_map(|branch| &branch.analysis.irregular);
    let mut found = report.irregular.iter().chain(branches).filter(|(name, _, new)| is_meant(name) && !new.is_empty());
    let (constraint, expression, instead) = found.next()?.clone();
    let instead = instead.iter().map(ToString::to_string).collect();
    let others: Vec<String> = constraints
        .iter()
        .filter(|c| c.name == constraint || c.on.contains(&constraint))
        .flat_map(|c| c.on.iter().chain([&c.name]))
        .filter(|name| **name != constraint)
        .cloned()
        .collect();
    Some(match others.is_empty() {
        true => MotionError::Irregular { constraint, expression: expression.to_string(), instead },
        false => MotionError::Touching { constraint, others, instead },
    })
}
