//! The bracket of a Poisson model, as data and in words.

use super::values::{points, special};
use crate::claims::{Judged, holds};
use crate::figures::count;
use crate::map::Map;
use cotangent_analysis::{AtValues, BracketForm, Certainty, LieAlgebra, Outcome, PoissonReport};
use cotangent_expr::Expr;
use serde::Serialize;

/// The bracket of a Poisson model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Poisson {
    /// Whether it is antisymmetric, for the parameters of the model.
    pub skew: Option<bool>,
    /// Whether Jacobi's identity holds, for the parameters of the model.
    pub jacobi: Option<bool>,
    /// Those, if it holds for them and not for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jacobi_values: Option<Map<f64>>,
    /// Where it does not hold, in general.
    pub jacobi_failure: Option<JacobiFailure>,
    /// The rank of the bracket.
    pub rank: Option<usize>,
    /// How it depends on the variables.
    pub bracket_form: Option<Form>,
    /// Of a linear bracket, or of the linear part of an affine one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lie_algebra: Option<Algebra>,
    /// How many independent Casimirs there are near a generic point, if it is a bracket.
    pub casimir_count: Option<usize>,
    /// Independent Casimirs that were found; null if they were not sought.
    pub found_casimirs: Option<Vec<FoundCasimir>>,
    /// How many independent ones are known with those that the model claims.
    pub known_casimirs: Option<usize>,
    /// The degree of the polynomials that were tried, after variables and their logarithms.
    pub casimir_degree: Option<usize>,
}

/// How a bracket depends on the variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Not at all.
    Constant,
    /// Linear: a Lie–Poisson bracket.
    Linear,
    /// Linear and constant terms.
    Affine,
    /// Constant for the logarithms of the variables.
    LogCanonical,
    /// In another way.
    Other,
}

impl From<BracketForm> for Form {
    fn from(form: BracketForm) -> Form {
        match form {
            BracketForm::Constant => Form::Constant,
            BracketForm::Linear => Form::Linear,
            BracketForm::Affine => Form::Affine,
            BracketForm::LogCanonical => Form::LogCanonical,
            BracketForm::Other => Form::Other,
        }
    }
}

/// A Lie algebra.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Algebra {
    /// Which one it is, if that is known.
    pub name: Option<String>,
    /// Whether there are parameters in the constants: then all of this is about generic ones.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub generic: bool,
    /// The sign of the constants.
    pub convention: &'static str,
    /// Those that do not vanish, each pair in one order.
    pub structure_constants: Vec<StructureConstant>,
    /// The dimension of the centre.
    pub centre: usize,
    /// The dimensions of the derived series, down to where they stay.
    pub derived_series: Vec<usize>,
    /// The signature of the Killing form.
    pub killing_form: Option<Signature>,
}

/// C_ij^k: the part of e_k in [e_i, e_j].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StructureConstant {
    /// The variable of e_i.
    pub i: String,
    /// The variable of e_j.
    pub j: String,
    /// The variable of e_k.
    pub k: String,
    /// The constant.
    pub value: String,
}

/// Numbers of squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Signature {
    /// Those with a plus sign.
    pub positive: usize,
    /// Those with a minus sign.
    pub negative: usize,
    /// Those that are missing.
    pub zero: usize,
}

/// A Casimir that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundCasimir {
    /// What it is.
    pub expression: String,
    /// How it is known that it is one.
    #[serde(flatten)]
    pub verdict: Judged,
}

/// For the parameters of the model, where something is another matter for them.
fn own(general: Outcome, at_values: &Option<AtValues>) -> Outcome {
    at_values.as_ref().map_or(general, |v| v.outcome)
}

impl Poisson {
    pub(super) fn new(p: &PoissonReport) -> Poisson {
        let found = |(e, certainty): &(Expr, Certainty)| FoundCasimir {
            expression: e.to_string(),
            verdict: Judged::new(Outcome::Holds(*certainty)),
        };
        let sought = p.casimirs.as_ref();
        Poisson {
            skew: holds(own(p.skew, &p.skew_at_values)),
            jacobi: holds(own(p.jacobi, &p.jacobi_at_values)),
            jacobi_values: special(p.jacobi_at_values.as_ref()),
            jacobi_failure: p
                .jacobi_failure
                .clone()
                .map(|(a, b, c, e)| JacobiFailure { variables: [a, b, c], sum: e.to_string() }),
            rank: p.rank,
            bracket_form: p.form.map(Form::from),
            lie_algebra: p.algebra.as_ref().map(Algebra::new),
            casimir_count: sought.map(|c| c.number),
            found_casimirs: sought.map(|c| c.found.iter().map(found).collect()),
            known_casimirs: sought.map(|c| c.known),
            casimir_degree: sought.map(|c| c.degree),
        }
    }
}

impl Algebra {
    fn new(algebra: &LieAlgebra) -> Algebra {
        let constant = |(i, j, k, value): &(String, String, String, Expr)| StructureConstant {
            i: i.clone(),
            j: j.clone(),
            k: k.clone(),
            value: value.to_string(),
        };
        Algebra {
            name: algebra.name.clone(),
            generic: algebra.generic,
            convention: "{z_i, z_j} = sum_k C_ji^k z_k, [e_i, e_j] = sum_k C_ij^k e_k",
            structure_constants: algebra.constants.iter().map(constant).collect(),
            centre: algebra.centre,
            derived_series: algebra.derived.clone(),
            killing_form: algebra.killing.map(|[positive, negative, zero]| Signature { positive, negative, zero }),
        }
    }
}

/// Three variables whose brackets are no bracket's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JacobiFailure {
    /// Three variables.
    pub variables: [String; 3],
    /// The cyclic sum of their brackets.
    pub sum: String,
}

impl Poisson {
    /// In words; `cut` shortens a formula.
    pub(super) fn lines(&self, variables: usize, cut: impl Fn(&str) -> String) -> Vec<String> {
        let mut lines = vec![];
        if let Some(r) = self.rank {
            lines.push(format!("rank {r} of {}{}", variables, self.known()));
        }
        lines.extend(
            self.bracket_form
                .and_then(|form| match form {
                    Form::Constant => Some("constant: it does not depend on the variables"),
                    Form::Linear if self.lie_algebra.is_some() => {
                        Some("linear: a Lie–Poisson bracket, {z_i, z_j} = Σ C_ji^k z_k, [e_i, e_j] = Σ C_ij^k e_k")
                    }
                    Form::Affine if self.lie_algebra.is_some() => {
                        Some("affine: a Lie–Poisson bracket and a cocycle, {z_i, z_j} = c_ij + Σ C_ji^k z_k")
                    }
                    Form::LogCanonical => Some("log-canonical: {z_i, z_j} = a_ij z_i z_j, constant for the logarithms"),
                    Form::Linear | Form::Affine | Form::Other => None,
                })
                .map(str::to_owned),
        );
        if let Some(failure) = &self.jacobi_failure {
            let ([a, b, c], e) = (&failure.variables, &failure.sum);
            let sum = format!("{{{a}, {{{b}, {c}}}}} + {{{b}, {{{c}, {a}}}}} + {{{c}, {{{a}, {b}}}}}");
            let is = match &self.jacobi_values {
                Some(values) => format!("a bracket at {}, but not in general", points(values)),
                None => "not a bracket".to_owned(),
            };
            lines.push(format!("{is}: {sum} = {}", cut(e)));
        }
        lines
    }

    /// How many Casimirs there are, and how many are known.
    fn known(&self) -> String {
        let (Some(number), Some(known)) = (self.casimir_count, self.known_casimirs) else { return String::new() };
        let degree = self.casimir_degree.filter(|_| known < number);
        let sought = degree.map_or(String::new(), |d| match d {
            0 => "; too large to be sought".to_owned(),
            1 => ", sought among the variables and their logarithms".to_owned(),
            d => format!(", sought among logarithms and polynomials of degree {d}"),
        });
        match number {
            0 => ": no Casimirs".to_owned(),
            _ if self.jacobi != Some(true) || self.jacobi_values.is_some() => {
                format!(": at most {}, {known} found{sought}", count(number, "Casimir", "Casimirs"))
            }
            _ => format!(": {}, {known} of {number} found{sought}", count(number, "Casimir", "Casimirs")),
        }
    }
}

/// A pair of variables, or a constant and a variable.
type Names<'a> = (&'a str, &'a str);

impl Algebra {
    /// The name of a Lie algebra, and the brackets of its basis that do not vanish.
    pub(super) fn commutators(&self, factor: impl Fn(&str) -> String) -> Vec<String> {
        let mut by_pair: Vec<(Names<'_>, Vec<Names<'_>>)> = vec![];
        for c in &self.structure_constants {
            let (pair, term) = ((c.i.as_str(), c.j.as_str()), (c.value.as_str(), c.k.as_str()));
            match by_pair.last_mut().filter(|(last, _)| *last == pair) {
                Some((_, terms)) => terms.push(term),
                None => by_pair.push((pair, vec![term])),
            }
        }
        let term = |(value, k): &Names<'_>| match *value {
            "1" => format!("e_{k}"),
            "-1" => format!("-e_{k}"),
            value => format!("{}*e_{k}", factor(value)),
        };
        let sum = |terms: &[Names<'_>]| terms.iter().map(term).collect::<Vec<_>>().join(" + ").replace("+ -", "- ");
        let lines = by_pair.iter().map(|((i, j), terms)| format!("[e_{i}, e_{j}] = {}", sum(terms)));
        let generic = if self.generic { ", for generic parameters" } else { "" };
        self.name.iter().map(|name| format!("{name}{generic}")).chain(lines).collect()
    }
}
