//! Papers and their experiments as they are written down.

use serde::Deserialize;
use std::collections::BTreeMap;

/// A paper.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// What to call it.
    #[serde(skip)]
    pub key: String,
    /// Who wrote it.
    pub authors: String,
    /// Its title.
    pub title: String,
    /// Where it was published.
    pub published: String,
    /// What it is about.
    pub about: String,
    /// What is printed otherwise than it should be.
    #[serde(default)]
    pub erratum: Vec<Erratum>,
}

/// Something that is printed otherwise than it should be.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Erratum {
    /// Where it stands.
    pub r#where: String,
    /// What is printed.
    pub printed: String,
    /// What is right.
    pub correct: String,
}

/// An experiment: runs, what is claimed of them, and a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// What to call it: the paper and a name, `leimkuhler-reich/fig-3`.
    pub id: String,
    /// What it is, in a line.
    pub title: String,
    /// What is done, and what was chosen where the paper does not say it.
    pub about: String,
    /// The runs.
    pub run: Vec<Planned>,
    /// What is claimed.
    pub claim: Vec<Claim>,
    /// The panels of its figure.
    pub panel: Vec<Panel>,
}

/// A run of an experiment. What is left open is taken from the table `common` of the file, then from the model.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Planned {
    /// What expressions call it.
    pub name: String,
    /// A model of the same folder, or a shipped one.
    pub model: String,
    /// Values that are set, as on the command line: `g=0`.
    #[serde(default)]
    pub set: Vec<String>,
    /// The equations of motion.
    pub formulation: Option<String>,
    /// Their numbers.
    #[serde(default)]
    pub opt: BTreeMap<String, f64>,
    /// Their lapse.
    pub lapse: Option<String>,
    /// The coordinates of their charts.
    #[serde(default)]
    pub chart: Vec<String>,
    /// The method.
    pub method: Option<String>,
    /// Its stages.
    pub stages: Option<u64>,
    /// Its inner method.
    pub inner: Option<String>,
    /// The error of a step that it aims at.
    pub tol: Option<f64>,
    /// The composition of its steps.
    pub compose: Option<String>,
    /// The projection.
    pub project: Option<String>,
    /// Above which residual.
    pub project_above: Option<f64>,
    /// Whether initial data are moved onto the constraints.
    #[serde(default)]
    pub project_initial: bool,
    /// Whether a bracket for which Jacobi's identity fails is integrated.
    #[serde(default)]
    pub allow_almost_poisson: bool,
    /// Where Newton's method stops.
    pub solver_tol: Option<f64>,
    /// The step size.
    pub step: Option<f64>,
    /// The final time.
    pub until: Option<f64>,
    /// Or the number of steps.
    pub steps: Option<u64>,
    /// A row every so many steps; every step, unless given.
    pub record: Option<u64>,
    /// Whether the equations are linearised at the start: columns `eigenvalue_real` and `eigenvalue_imaginary`.
    #[serde(default)]
    pub linearise: bool,
}

/// Something that a paper claims, or that is measured beside it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// In words.
    pub claim: String,
    /// Where it stands in the paper.
    pub r#where: String,
    /// What is measured.
    pub measure: String,
    /// What the paper says, if it says something.
    pub paper: Option<Expected>,
    /// What was found independently.
    pub reference: Expected,
    /// Where the paper is wrong or leaves something open: why, in a sentence.
    pub note: Option<String>,
}

/// A value with a tolerance, or bounds.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// The value.
    pub value: Option<f64>,
    /// How far from it is near enough: a number, or a part of the value, `"5%"`.
    pub within: Option<Within>,
    /// The least that will do.
    pub at_least: Option<f64>,
    /// The most.
    pub at_most: Option<f64>,
    /// How the paper puts it.
    pub says: Option<String>,
}

/// A tolerance.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Within {
    /// A number.
    Absolute(f64),
    /// A part of the value, with the sign %.
    Relative(String),
}

/// A panel of a figure.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Panel {
    /// Its title.
    #[serde(default)]
    pub title: String,
    /// The label of the abscissa.
    pub x: String,
    /// The label of the ordinate.
    pub y: String,
    /// The axes that are logarithmic: `x`, `y` or `xy`.
    #[serde(default)]
    pub log: String,
    /// Whether units are equally long on both axes.
    #[serde(default)]
    pub equal: bool,
    /// The curves.
    pub curve: Vec<Curve>,
}

/// A curve.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// The abscissas.
    pub x: String,
    /// The ordinates.
    pub y: String,
    /// Whether points are drawn, not a line.
    #[serde(default)]
    pub points: bool,
}
