//! What `check` finds, as data: what JSON shows, and what text is made of.

use super::values::{Start, Values};
use crate::claims::ClaimEntry;
use crate::failure::{Code, Problem};
use crate::kind::{ClaimKind, ConstraintKind, GivenAs, ModelKind, Role};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// What a model is, and what is wrong with it.
#[derive(Clone, Debug, Serialize)]
pub struct Document {
    /// The name of the model.
    pub name: String,
    /// What it is, in a line.
    pub title: Option<String>,
    /// What its text is called.
    pub file: String,
    /// What it is given by.
    pub kind: ModelKind,
    /// How many coordinates, momenta or variables, constraints and parameters there are.
    pub sizes: BTreeMap<&'static str, usize>,
    /// The variables.
    pub variables: Vec<Variable>,
    /// Integer parameters.
    pub integers: BTreeMap<String, i64>,
    /// Real parameters.
    pub parameters: Vec<Parameter>,
    /// Named sub-expressions, as written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lets: Vec<Line>,
    /// The energy, or the Lagrangian.
    pub energy: Energy,
    /// The brackets of variables, as written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bracket: Vec<String>,
    /// What shows that the bracket is none: Jacobi's identity fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jacobi_failure: Option<JacobiFailure>,
    /// The entries of a constant form, as written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub form: Vec<String>,
    /// The constraints, and whether the initial data satisfy them.
    pub constraints: Vec<Checked>,
    /// Gauge conditions.
    pub gauges: Vec<Formula>,
    /// Casimirs and invariants, and whether they are some.
    pub claims: Vec<Claim>,
    /// What the model observes.
    pub observables: Vec<Formula>,
    /// The parts of the energy.
    pub splits: Vec<Formula>,
    /// The largest relative difference between the energy and the sum of its parts.
    pub split_defect: Option<f64>,
    /// The `run` statement.
    #[serde(serialize_with = "as_map")]
    pub run: Vec<RunSetting>,
    /// Initial values.
    pub initial: Start,
    /// Whether the initial data satisfy all constraints; null if something could not be checked.
    pub consistent: Option<bool>,
    /// Why no run can begin at the initial data, if they are singular.
    pub singular: Option<String>,
    /// Why `run` refuses the model before its first step; null if it does not.
    pub refused: Option<Refusal>,
    /// What is not wrong in the text, but worth saying.
    pub warnings: Vec<Problem>,
    /// What was said on the way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Where Jacobi's identity fails.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JacobiFailure {
    /// Three variables; null where the identity was sampled.
    pub variables: Option<[String; 3]>,
    /// The cyclic sum of their brackets, which would have to vanish.
    pub sum: Option<String>,
}

/// An array of variables.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// What it is.
    pub role: Role,
    /// First and last index of each dimension; empty for a scalar.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub range: Vec<(i64, i64)>,
    /// How many members it has.
    pub members: usize,
}

/// A real parameter, or a family of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parameter {
    /// Its name and values.
    #[serde(flatten)]
    pub values: Values,
    /// What is assumed of its sign.
    pub sign: Option<&'static str>,
}

/// The energy, or the Lagrangian.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Energy {
    /// What the expression is.
    pub given_as: GivenAs,
    /// The expression, with every `let` put in.
    pub expression: String,
    /// The same as written, where it mentions a `let`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
    /// The energy at the start; null where it is unknown or not a finite number.
    pub initial: Option<f64>,
    /// Whether the energy at the start is a finite number; null where it is unknown.
    pub finite: Option<bool>,
}

/// A named formula, in cases for a family whose members differ.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Formula {
    /// Its name.
    pub name: String,
    /// How many members it has.
    pub members: usize,
    /// One formula for each part of a family, with every `let` put in.
    pub cases: Vec<Line>,
    /// The same as written, where it mentions a `let`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<Line>,
}

/// A formula for some members.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// `rod`, `link[1]`, `link[i], i in 2..10`.
    pub members: String,
    /// The formula.
    pub expression: String,
}

/// A Casimir or an invariant.
#[derive(Clone, Debug, Serialize)]
pub struct Claim {
    /// What is claimed.
    pub kind: ClaimKind,
    /// What is claimed to be constant.
    #[serde(flatten)]
    pub formula: Formula,
    /// What became of it; null if the analysis did not get that far.
    pub test: Option<ClaimEntry>,
    /// The same in words.
    #[serde(skip)]
    pub verdict: String,
}

/// A constraint, at the initial data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Checked {
    /// What it restricts.
    pub kind: ConstraintKind,
    /// The expressions are left sides minus right sides.
    #[serde(flatten)]
    pub formula: Formula,
    /// At the initial values; null where it could not be evaluated.
    pub residual: Option<Worst>,
    /// Of the time derivative, for a holonomic constraint; null where it could not be evaluated.
    pub hidden_residual: Option<Worst>,
}

/// The largest residual of a family.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Worst {
    /// Left minus right side, or its rate.
    pub value: f64,
    /// Its size.
    pub max_abs: f64,
    /// The member.
    pub at: String,
    /// Whether it is 0 up to round-off.
    pub holds: bool,
    /// Members that do not hold.
    pub violated: usize,
}

/// A line of the `run` statement.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSetting {
    /// `method`, `step`, …
    pub key: &'static str,
    /// Its value.
    pub value: RunNumber,
}

/// A number, or what was written instead: a word, or an expression in parameters.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum RunNumber {
    /// A number.
    Number(f64),
    /// A word or an expression.
    Text(String),
}

/// Why `run` refuses a model.
#[derive(Clone, Debug, Serialize)]
pub struct Refusal {
    /// A stable name for the kind of refusal.
    pub code: Code,
    /// What is wrong.
    pub message: String,
    /// What to do instead.
    pub help: Option<String>,
    /// Whether the model or its data must be changed.
    #[serde(skip)]
    pub is_mistake: bool,
}

impl Claim {
    /// Whether it is refuted.
    pub(crate) fn is_refuted(&self) -> bool {
        self.test.as_ref().is_some_and(|test| test.holds == Some(false))
    }
}

fn as_map<S: Serializer>(run: &[RunSetting], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(run.iter().map(|s| (s.key, &s.value)))
}
