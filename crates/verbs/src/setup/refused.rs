//! What `run` refuses before its first step, for those who only ask.

use super::problem::{explained, states};
use super::{Repairs, Selection, completed, defaults, examined, prepare, schedule};
use crate::choice::Choice;
use crate::failure::Failure;
use crate::loaded::Loaded;
use crate::session::Session;
use cotangent_analysis::MotionError;
use cotangent_compile::{Engine, values};
use cotangent_problem::PoseError;

/// Why `run` refuses a model as it is.
pub(crate) struct Refused {
    /// What it says.
    pub(crate) failure: Failure,
    /// Whether the model or its data must be changed; otherwise the motion is not determined, or not known to be,
    /// which is no mistake of the model.
    pub(crate) is_mistake: bool,
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Refused {
        Refused { failure, is_mistake: true }
    }
}

/// Why `run` without options refuses a model before its first step; `None` if it does not. It goes the way that
/// `run` goes, so that both say the same. The step and the end of the run need not be in the model.
pub(crate) fn refused(model: &Loaded) -> Option<Refused> {
    attempt(model).err()
}

fn attempt(model: &Loaded) -> Result<(), Refused> {
    let parameters = values::parameters(&model.system, &model.settings).map_err(Failure::from)?;
    let own = defaults(&model.system, &parameters)?;
    // A step that is given is one that can be made.
    if own.step.is_some() {
        let steps = own.steps.or(own.until.is_none().then_some(1));
        schedule(&Choice { steps, ..own.clone() })?;
    }
    let mut nobody = Session::default();
    examined(model, false, &mut nobody).map_err(|failure| Refused { failure, is_mistake: false })?;
    let choice = Selection::named(&completed(&Choice::default(), &own, model, &mut nobody)?)?;
    let repairs = Repairs::default();
    let posed = model.model.pose(choice.formulation, &model.settings, repairs, Engine::Tape);
    let problem = posed.map_err(|error| Refused {
        is_mistake: is_mistake(&error, model),
        failure: explained(error, model, repairs),
    })?;
    prepare(&choice, &problem)?;
    Ok(())
}

/// Whether a model is to blame. A gauge that nothing fixes is a property of it, and so is a constraint that follows
/// from it and is irregular; where the analysis does not come to an end nobody is.
fn is_mistake(error: &PoseError, model: &Loaded) -> bool {
    match error {
        PoseError::Problem(_) => true,
        PoseError::Motion(MotionError::FirstClass { .. } | MotionError::Undecided { .. }) => false,
        PoseError::Motion(MotionError::Analysis(_)) => false,
        PoseError::Motion(MotionError::Overfixed { .. } | MotionError::Inconsistent { .. }) => true,
        PoseError::Motion(MotionError::Irregular { constraint, .. } | MotionError::Touching { constraint, .. }) => {
            states(&model.system, constraint)
        }
    }
}
