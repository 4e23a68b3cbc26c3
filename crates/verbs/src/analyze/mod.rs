//! `analyze`: Dirac's analysis of a model.

mod bracket;
mod coordinates;
mod document;
mod text;
mod values;

pub use crate::claims::{ClaimEntry, Claimed, Counterexample, Judged, Known};
pub use bracket::{Algebra, Form, FoundCasimir, JacobiFailure, Poisson, Signature, StructureConstant};
pub use document::{
    BracketsEntry, BranchEntry, Classes, ConditionEntry, ConjectureEntry, Consequence, ConstraintEntry, Document,
    GaugeEntry, Hessian, ImplicitEntry, InvertibilityEntry, Replaced, VerdictEntry,
};

use crate::choice::shown::settings;
use crate::failure::{Code, Failure};
use crate::input::Source;
use crate::loaded::Loaded;
use crate::session::{Session, Status};
use crate::setup::{Repairs, posed};
use cotangent_analysis::{Analysis, AnalysisError, Invertibility, analyze_within, latex, specialise};
use cotangent_compile::values::Setting;
use cotangent_problem::{PoseError, ProblemError};
use cotangent_theory::Formulation;
use serde::{Deserialize, Serialize};

/// A model, to be analysed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// Sizes, and parameters that are numbers; others stay symbols.
    #[serde(with = "settings")]
    pub set: Vec<Setting>,
    /// Whether the derivation is written in LaTeX.
    pub latex: bool,
    /// Whether the matrix of the brackets of the constraints is shown.
    pub brackets: bool,
    /// New coordinates of a Poisson model, in terms of its variables: `u = x + y, v = x - y`.
    pub coordinates: Option<String>,
    /// The variables in terms of those; needed where they are not linear.
    pub inverse: Option<String>,
}

/// Dirac's analysis of a model: its constraints, their classes, multipliers, the bracket; whether its claims hold.
pub fn analyze(model: impl Into<Source>) -> Result<Document, Failure> {
    Request::default().answer(model.into(), &mut Session::default())
}

impl Request {
    /// Analyses a model.
    pub fn answer(&self, model: Source, session: &mut Session<'_>) -> Result<Document, Failure> {
        let model = Loaded::new(model, &self.set, session.limits())?;
        let system = specialise(&model.system, &model.settings).map_err(refused)?;
        let coordinates = self.coordinates.as_deref();
        let transformed =
            coordinates.map(|to| coordinates::text(&model, &self.set, to, self.inverse.as_deref())).transpose()?;
        let mut report = analyze_within(&system, &model.limits).map_err(refused)?;
        let invertibility = match self.brackets {
            true => {
                report.simplify_brackets(&system, &model.limits).map_err(refused)?;
                at_the_start(&report, &model)
            }
            false => {
                report.brackets = None;
                // The class of constraints is that of the surface; where a model starts it may be another.
                if report.poisson.is_some()
                    && is_singular(&posed(&model, Formulation::HamiltonDirac, Repairs::default()))
                {
                    session.note("where the model starts the matrix of the brackets of the constraints is singular: multipliers are not determined there".to_owned());
                }
                None
            }
        };
        session.review(&model.input, &model.system.warnings);
        let derivation = self.latex.then(|| latex(&report));
        let (shown, implicit) = report.legible();
        let (warnings, notes) = (session.warnings().to_vec(), session.notes().to_vec());
        let mut document = Document::new(&shown, (&system.dynamics).into(), &implicit, derivation);
        if let Some(matrix) = &mut document.brackets {
            matrix.at_start = invertibility.map(Into::into);
        }
        Ok(Document { warnings, notes, transformed, ..document })
    }
}

fn is_singular<T>(posed: &Result<T, PoseError>) -> bool {
    matches!(posed, Err(PoseError::Problem(ProblemError::SingularBrackets { .. })))
}

/// How well the second-class block of the matrix of brackets can be inverted where the model starts; nothing if it does
/// not start there, or its motion is not determined.
fn at_the_start(report: &Analysis, model: &Loaded) -> Option<Invertibility> {
    let matrix = report.brackets.as_ref()?;
    let posed = posed(model, Formulation::HamiltonDirac, Repairs::default());
    if is_singular(&posed) {
        return Some(Invertibility { determinant: 0.0, condition: f64::INFINITY });
    }
    let instance = posed.ok()?;
    let motion = &instance.equations.motion;
    let parameters = motion.parameters();
    matrix.invertibility([(&motion.state, &instance.start), (&parameters, &instance.parameters)]).ok()?
}

impl Document {
    /// Whether everything is decided, consistent, and as it is claimed.
    pub fn status(&self) -> Status {
        if self.held() { Status::Held } else { Status::NotHeld }
    }

    /// Whether everything is decided, consistent, and as it is claimed for the parameters of the model at least.
    pub(crate) fn held(&self) -> bool {
        let claims = || self.casimirs.iter().chain(self.invariants.iter());
        self.stopped.is_none()
            && self.consistent == Some(true)
            && self.verdicts.iter().all(|v| v.verdict.holds())
            && claims().all(|(_, claim)| claim.holds == Some(true))
    }

    /// As people read it.
    pub fn text(&self, coloured: bool) -> String {
        match (&self.transformed, &self.latex) {
            (Some(model), _) => model.clone(),
            (None, Some(latex)) => latex.clone(),
            (None, None) => text::render(self, coloured),
        }
    }
}

fn refused(error: AnalysisError) -> Failure {
    match error {
        AnalysisError::Value(e) => e.into(),
        AnalysisError::Interrupted(_) => Failure::interrupted(),
        AnalysisError::TooLarge { .. } => Failure::new(Code::TooLarge, error.to_string()),
        AnalysisError::NotAParameter { .. } => {
            Failure::new(Code::WrongPlace, error.to_string()).help("--set gives sizes and parameters here")
        }
        _ => Failure::new(Code::Analysis, error.to_string()),
    }
}
