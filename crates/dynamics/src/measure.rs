//! What is measured along a run.

use crate::conditioned::Conditioned;
use crate::failure::Failure;
use crate::family::Family;

/// Where the time of a state is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Time {
    /// It is the parameter by which steps are made.
    #[default]
    Parameter,
    /// It is this entry of the state: steps are made by another parameter.
    State(usize),
}

/// Quantities that should not change, or be zero.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Kept<S = f64> {
    /// H.
    pub energy: S,
    /// φ.
    pub constraints: Vec<S>,
    /// ψ = G q̇, or the constraints of later generations.
    pub hidden_constraints: Vec<S>,
    /// Claims, one after the other.
    pub claims: Vec<S>,
}

/// What the numbers are called that a run records besides time and energy.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recorded {
    /// The variables of the model.
    pub state: Vec<Family>,
    /// What else is asked for.
    pub observables: Vec<Family>,
    /// The multipliers of the constraints.
    pub multipliers: Vec<Family>,
    /// What the equations have besides the variables of the model.
    pub auxiliaries: Vec<Family>,
    /// The constraints, in the order of [`Kept`].
    pub constraints: Vec<Family>,
    /// The hidden constraints.
    pub hidden_constraints: Vec<Family>,
    /// The claims.
    pub claims: Vec<Family>,
    /// How many numbers a picture of the motion has.
    pub drawn: usize,
}

/// Evaluates the quantities of a system along its motion.
///
/// A quantity without a value is a [`Failure`]; what a system does not have fills nothing.
pub trait Measure {
    /// The quantities that should be kept, at a state.
    fn kept(&mut self, state: &[f64]) -> Result<&Kept, Failure>;

    /// The quantities as they were found last.
    fn last(&self) -> &Kept;

    /// The size of the terms of the energy at a state: what its changes are compared with.
    fn energy_magnitude(&mut self, state: &[f64]) -> Result<f64, Failure>;

    /// What the other quantities are called.
    fn names(&self) -> Recorded;

    /// The variables of the model at a state of the equations of motion, which may have others.
    fn model_state(&mut self, state: &[f64], out: &mut [f64]) -> Result<(), Failure> {
        out.copy_from_slice(state);
        Ok(())
    }

    /// The observables at a state.
    fn observe(&mut self, _state: &[f64], _out: &mut [f64]) -> Result<(), Failure> {
        Ok(())
    }

    /// The multipliers at a state: the reaction forces are −Gᵀμ. Not a number where the constraints are dependent.
    fn multipliers(&mut self, _state: &[f64], _out: &mut [f64]) -> Result<(), Failure> {
        Ok(())
    }

    /// The quantities of the formulation at a state. Not a number where the constraints are dependent.
    fn auxiliaries(&mut self, _state: &[f64], _out: &mut [f64]) -> Result<(), Failure> {
        Ok(())
    }

    /// The numbers of the picture at a state.
    fn draw(&mut self, _state: &[f64], _out: &mut [f64]) -> Result<(), Failure> {
        Ok(())
    }

    /// Where the time of a state is.
    fn time(&self) -> Time {
        Time::Parameter
    }

    /// How much time passes at a state in a unit of the parameter by which steps are made: more than nothing.
    fn pace(&mut self, _state: &[f64]) -> Result<f64, Failure> {
        Ok(1.0)
    }

    /// What judges how well the constraint forces are determined; none without constraints, or where nothing is known.
    fn conditioning(&mut self) -> Option<&mut dyn Condition> {
        None
    }
}

/// Judges along a run how well the constraint forces are determined.
pub trait Condition {
    /// Looks at a step between two states, at the first of which forces may be badly determined, or are known not to
    /// be; of the length `step`, if that is known. A step may be looked at several times.
    fn observe(&mut self, states: [&[f64]; 2], step: Option<f64>, was_ill: bool) -> Result<Conditioned, Failure>;

    /// Whether forces, which were determined well at the first of these states, are so at the second and nothing is to be said of
    /// the step. If not, or if that takes a closer look, what is remembered is as before.
    fn stays_well(&mut self, _states: [&[f64]; 2]) -> Result<bool, Failure> {
        Ok(false)
    }

    /// What the constraints are called.
    fn constraints(&self) -> Vec<String>;

    /// Appends what there is to remember, so that a resumed run judges as an uninterrupted one.
    fn memory(&self, memory: &mut Vec<f64>);

    /// Goes on with what was remembered.
    fn restore(&mut self, memory: &[f64]);
}
