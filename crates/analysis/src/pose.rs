//! From a model to a problem: in any formulation, and in `hamilton-dirac` from the analysis where that of
//! holonomic constraints does not do.

use crate::AnalysisError;
use crate::analyze::analyze_within;
use crate::motion::{MotionError, motion_within};
use crate::transform::Lagrangian;
use cotangent_compile::values::{self, InitialValues, Rates, Setting, ValueError};
use cotangent_compile::{CompileError, Engine, Freedom, Problem, ProblemError, Repairs, Start};
use cotangent_expr::{Expr, Layout, Node, Tensor};
use cotangent_model::{ConstraintKind, System};
use cotangent_scalar::Limits;
use cotangent_theory::{Formulation, TheoryError};

/// Why there is no problem.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum PoseError {
    /// Values, equations or a start that do not exist.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// An analysis that leads to no equations of motion.
    #[error(transparent)]
    Motion(#[from] MotionError),
}

impl From<AnalysisError> for PoseError {
    fn from(error: AnalysisError) -> PoseError {
        MotionError::from(error).into()
    }
}

impl From<ValueError> for PoseError {
    fn from(error: ValueError) -> PoseError {
        ProblemError::from(error).into()
    }
}

/// [`Problem::new`], with what to state instead of a constraint whose gradient vanishes where it does, and for
/// [`Formulation::HamiltonDirac`] the equations of [`motion`](crate::motion) where the model has
/// gauge conditions, a singular Lagrangian, constraints on more than positions, or constraints whose forces
/// their second time derivatives do not determine.
pub fn pose(
    system: &System,
    formulation: Formulation,
    set: &[Setting],
    repairs: Repairs,
    engine: Engine,
) -> Result<Problem, PoseError> {
    pose_within(system, formulation, set, repairs, engine, &Limits::default())
}

/// The same within limits.
pub fn pose_within(
    system: &System,
    formulation: Formulation,
    set: &[Setting],
    repairs: Repairs,
    engine: Engine,
    limits: &Limits,
) -> Result<Problem, PoseError> {
    limits.check().map_err(AnalysisError::from)?;
    let given = || Problem::within(system, formulation, set, repairs, engine, limits);
    let explained = |error: ProblemError| irregular(system, &error, limits).unwrap_or_else(|| error.into());
    if formulation != Formulation::HamiltonDirac {
        return given().map_err(explained);
    }
    let mut refused = None;
    if system.gauges.is_empty() {
        match given() {
            Err(error) if needs_analysis(&error) => refused = Some(error),
            done => return done.map_err(explained),
        }
    }
    let parameters = values::parameters(system, set)?;
    let motion = motion_within(system, limits).map_err(|error| match (error, refused) {
        (error @ MotionError::Analysis(AnalysisError::Interrupted(_)), _) => error.into(),
        (MotionError::Analysis(_), Some(refused)) => PoseError::from(refused),
        (error, _) => error.into(),
    })?;
    let from = start(system, &motion.state, &parameters, set)?;
    Ok(Problem::on_surface(motion, parameters, from, repairs, engine)?)
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

/// Whether the equations may not be those of holonomic constraints whose second time derivatives determine
/// the forces: a matrix without an inverse is one without a finite rate.
fn needs_analysis(error: &ProblemError) -> bool {
    use TheoryError::{NotHolonomic, SingularLagrangian};
    matches!(
        error,
        ProblemError::Theory(SingularLagrangian { .. } | NotHolonomic { .. })
            | ProblemError::Unresisted { .. }
            | ProblemError::NoRate(_)
    )
}

/// The state that the initial values describe: momenta follow from velocities by p = ∂L/∂q̇, also where they
/// do not determine them.
fn start(system: &System, state: &Layout, parameters: &[f64], set: &[Setting]) -> Result<Start, PoseError> {
    let initial = values::initial(system, parameters, set)?;
    let lagrangian = Lagrangian::new(system)?;
    let values = match &lagrangian {
        Some(lagrangian) => of_lagrangian(lagrangian, system, parameters, &initial)?,
        None => values::start(system, parameters, &initial)?,
    };
    let named = |name: &str| {
        system.initial.iter().any(|i| i.array.name() == name && i.named > 0) || set.iter().any(|s| s.name == name)
    };
    let half = state.arrays().len() / 2;
    let mut freedom = vec![];
    for (k, array) in state.arrays().iter().enumerate() {
        let Some(lagrangian) = &lagrangian else {
            freedom.extend(vec![if named(array.name()) { Freedom::Given } else { Freedom::Default }; array.len()]);
            continue;
        };
        // A momentum is given with its velocity.
        let (velocity, is_momentum) = (&lagrangian.velocities.arrays()[k % half], k >= half);
        let is_given = named(array.name()) || is_momentum && named(velocity.name());
        let is_added = system.state().offset(array).is_none();
        let moves = |leaf: &Expr| matches!(leaf.node(), Node::At(a, _) if a == velocity);
        let free = match () {
            _ if is_given => Freedom::Given,
            _ if is_added => Freedom::Determined,
            _ if !lagrangian.value.leaves().iter().any(moves) => Freedom::Multiplier,
            _ => Freedom::Default,
        };
        freedom.extend(vec![free; array.len()]);
    }
    Ok(Start { values, freedom })
}

fn of_lagrangian(
    lagrangian: &Lagrangian,
    system: &System,
    parameters: &[f64],
    initial: &InitialValues,
) -> Result<Vec<f64>, PoseError> {
    // Multipliers of velocity constraints are coordinates after those of the model.
    let mut q = initial.coordinates.clone();
    let mut multipliers = &initial.multipliers[..];
    for c in &system.constraints {
        let (own, rest) = multipliers.split_at(c.multiplier.len().min(multipliers.len()));
        multipliers = rest;
        if c.kind == ConstraintKind::Vakonomic {
            q.extend(own);
        }
    }
    let n = lagrangian.coordinates.len();
    let padded = |known: &[f64]| -> Vec<f64> { known.iter().copied().chain(std::iter::repeat(0.0)).take(n).collect() };
    let p = match &initial.rates {
        Rates::Momenta(p) => padded(p),
        Rates::Velocities(_) | Rates::None => {
            let v = if let Rates::Velocities(v) = &initial.rates { padded(v) } else { vec![0.0; n] };
            let underived = |e: cotangent_expr::Error| ValueError::from(CompileError::from(e));
            let energy = Tensor::scalar(lagrangian.value.clone()).map_err(underived)?;
            let momentum = energy.gradient(&lagrangian.velocities).map_err(underived)?;
            let inputs = [
                (&lagrangian.coordinates, &q[..]),
                (&lagrangian.velocities, &v[..]),
                (&system.parameter_layout(), parameters),
            ];
            values::evaluate(&momentum, &inputs)?
        }
    };
    Ok([q, p].concat())
}
