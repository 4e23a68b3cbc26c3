//! What `analyze` finds, as data: what JSON shows, and what text is made of.

use super::bracket::Poisson;
use super::values::{points, special};
use crate::claims::{ClaimEntry, Judged, Known, holds};
use crate::failure::Problem;
use crate::kind::{Class, ModelKind};
use crate::map::Map;
use cotangent_analysis::{
    Analysis, BracketMatrix, Branch, ConditionOutcome, ConsistencyCondition, Constraint, Count, DiracBracket, Implicit,
    Invertibility, MultiplierValue, Outcome, Symbols, Verdict,
};
use cotangent_expr::Expr;
use cotangent_model::ClaimKind;
use cotangent_scalar::Random;
use serde::{Serialize, Serializer};

/// What `analyze` found.
#[derive(Clone, Debug, Serialize)]
pub struct Document {
    /// The name of the model.
    pub name: String,
    /// What it is, in a line.
    pub title: Option<String>,
    /// What it is given by.
    pub kind: ModelKind,
    /// Whether all constraints can be kept; null if that is not decided.
    pub consistent: Option<bool>,
    /// What is left.
    pub degrees_of_freedom: Option<usize>,
    /// The variables of phase space.
    pub variables: Vec<String>,
    /// Those that the model does not have: multipliers, momenta.
    pub added_variables: Vec<String>,
    /// The parameter of the orbit, if a gauge condition contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orbit_parameter: Option<String>,
    /// The Lagrangian.
    pub lagrangian: Option<String>,
    /// What the Legendre transform is made of.
    pub velocity_hessian: Option<Hessian>,
    /// The Hamiltonian.
    pub hamiltonian: Option<String>,
    /// Vectors w that occur in formulas: solutions of (∂²L/∂v∂v) w = b, where the velocities v are a root.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub implicit: Vec<ImplicitEntry>,
    /// With the primary constraints and their multipliers.
    pub total_hamiltonian: Option<String>,
    /// All constraints, of the model and found.
    pub constraints: Vec<ConstraintEntry>,
    /// The conditions that constraints are kept, and what came of each.
    pub conditions: Vec<ConditionEntry>,
    /// How many are first class.
    pub first_class: Option<usize>,
    /// How many are second class.
    pub second_class: Option<usize>,
    /// The same without gauge conditions.
    pub before_gauge: Option<Classes>,
    /// What first-class constraints generate.
    pub gauge: Vec<GaugeEntry>,
    /// Whether all of that are gauge transformations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dirac_conjecture: Option<ConjectureEntry>,
    /// The multipliers; null where nothing determines one, or no formula.
    pub multipliers: Map<Option<String>>,
    /// Those that nothing determines.
    pub arbitrary_multipliers: Vec<String>,
    /// Constraints whose gradient vanishes where they do.
    pub irregular: Vec<String>,
    /// The brackets of the constraints with each other, on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brackets: Option<BracketsEntry>,
    /// The brackets of variables that do not vanish.
    pub dirac_bracket: Option<Map<String>>,
    /// Why they are not written out.
    pub dirac_bracket_note: Option<String>,
    /// What is assumed not to vanish.
    pub assumptions: Vec<Assumption>,
    /// Of a Poisson model, whether its bracket is one.
    #[serde(flatten)]
    pub poisson: Option<Poisson>,
    /// Casimirs that the model claims.
    pub casimirs: Map<ClaimEntry>,
    /// Invariants that the model claims.
    pub invariants: Map<ClaimEntry>,
    /// What was decided on the way, and how.
    pub verdicts: Vec<VerdictEntry>,
    /// Why the analysis did not come to its end.
    pub stopped: Option<String>,
    /// The parts of a surface that falls apart.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<BranchEntry>,
    /// Of the points at which something is sampled.
    pub seed: u64,
    /// What is not wrong in the text of the model, but worth saying.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Problem>,
    /// What was said on the way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The derivation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latex: Option<String>,
    /// The text of the model in other coordinates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transformed: Option<String>,
    /// What the constraints of `irregular` are, and what is put in their place.
    #[serde(skip)]
    pub replaced: Vec<Replaced>,
    /// The primary constraints of the total Hamiltonian, each behind its multiplier.
    #[serde(skip)]
    pub total: Vec<(String, String)>,
    /// What Lagrangian and Hamiltonian are called.
    #[serde(skip)]
    pub symbols: Symbols,
}

/// Something that is assumed not to vanish.
#[derive(Clone, Debug, PartialEq)]
pub struct Assumption {
    /// What.
    pub expression: String,
}

impl Serialize for Assumption {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{} != 0", self.expression))
    }
}

/// A vector w with (∂²L/∂v∂v) w = b, or w = b.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ImplicitEntry {
    /// w.
    pub name: String,
    /// b.
    pub right: Vec<String>,
    /// Whether a system of equations is solved for it.
    pub solved: bool,
}

/// A constraint whose gradient vanishes where it does.
#[derive(Clone, Debug, PartialEq)]
pub struct Replaced {
    /// Its name.
    pub name: String,
    /// What it is.
    pub expression: String,
    /// What vanishes where it does, and has a gradient there.
    pub by: Vec<String>,
}

/// The matrix of second derivatives of the Lagrangian by the velocities.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hessian {
    /// Its rank.
    pub rank: usize,
    /// How many velocities there are.
    pub velocities: usize,
    /// How the rank is known.
    #[serde(flatten)]
    pub verdict: Judged,
    /// Whether the velocities have no formula, and are solved for.
    #[serde(skip)]
    pub is_implicit: bool,
}

/// A constraint.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConstraintEntry {
    /// Its name.
    pub name: String,
    /// What vanishes.
    pub expression: String,
    /// 1 for a primary constraint, 2 for a secondary one, …; 0 for a gauge condition.
    pub generation: usize,
    /// First or second.
    pub class: Option<Class>,
    /// What is added to it, by name, to make it first class.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub combination: Map<String>,
}

/// That a constraint is kept.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConditionEntry {
    /// The constraint.
    pub constraint: String,
    /// Its time derivative.
    pub derivative: Option<String>,
    /// What came of it.
    pub outcome: Consequence,
    /// The constraints or multipliers that came of it.
    pub names: Vec<String>,
    /// How it is known that nothing came of it.
    #[serde(skip)]
    pub known: Option<Judged>,
}

/// What comes of the condition that a constraint is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Consequence {
    /// It holds by itself.
    Identity,
    /// New constraints.
    Constraint,
    /// It determines multipliers.
    Multiplier,
    /// It cannot hold.
    Contradiction,
    /// It holds with the constraints before it.
    Dependent,
}

/// Numbers of constraints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Classes {
    /// How many are first class.
    pub first_class: usize,
    /// How many are second class.
    pub second_class: usize,
}

/// The matrix C of the brackets of the constraints with each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BracketsEntry {
    /// How many constraints there are.
    pub size: usize,
    /// The rank on the constraint surface.
    pub rank: usize,
    /// The second-class constraints, whose block is invertible.
    pub invertible: Vec<String>,
    /// The entries above the diagonal that do not vanish.
    pub entries: Map<String>,
    /// The invertible block where the model starts, if it starts on the constraints.
    pub at_start: Option<InvertibilityEntry>,
}

/// How well a matrix can be inverted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InvertibilityEntry {
    /// Its determinant.
    pub determinant: f64,
    /// Its largest singular value over the smallest one; infinite, in JSON null, where it is singular.
    pub condition: f64,
}

impl From<Invertibility> for InvertibilityEntry {
    fn from(Invertibility { determinant, condition }: Invertibility) -> InvertibilityEntry {
        InvertibilityEntry { determinant, condition }
    }
}

fn brackets(matrix: &BracketMatrix, report: &Analysis) -> BracketsEntry {
    let name = |i: &usize| report.constraints[*i].name.clone();
    let entry = |(i, j, e): &(usize, usize, Expr)| (format!("{{{}, {}}}", name(i), name(j)), e.to_string());
    BracketsEntry {
        size: report.constraints.len(),
        rank: matrix.second.len(),
        invertible: matrix.second.iter().map(name).collect(),
        entries: matrix.entries.iter().map(entry).collect(),
        at_start: None,
    }
}

/// What a first-class constraint generates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GaugeEntry {
    /// The constraint.
    pub generator: String,
    /// What it is.
    pub expression: String,
    /// How it changes each variable.
    pub changes: Map<String>,
}

/// Dirac's conjecture, about the theory without gauge conditions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConjectureEntry {
    /// Whether it holds, if that is decided.
    pub holds: Option<bool>,
    /// First-class constraints that generate no gauge transformation.
    pub not_gauge: Vec<String>,
    /// What is left when gauge transformations alone are taken out.
    pub dimension: Option<usize>,
}

/// Something that was decided.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerdictEntry {
    /// What was decided.
    pub statement: String,
    /// How, for the parameters of the model.
    #[serde(flatten)]
    pub verdict: Judged,
    /// For all parameters, if that is another matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_general: Option<Judged>,
    /// The parameters for which it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Map<f64>>,
}

impl VerdictEntry {
    fn new(v: &Verdict) -> VerdictEntry {
        let special = special(v.at_values.as_ref());
        VerdictEntry {
            statement: v.statement.clone(),
            verdict: Judged::new(v.judgement()),
            in_general: special.as_ref().map(|_| Judged::new(v.outcome)),
            values: special,
        }
    }

    /// As people read it.
    pub(super) fn words(&self) -> String {
        let own = self.verdict.words();
        match (&self.in_general, &self.values) {
            (Some(general), Some(values)) => {
                let general = match general.verdict {
                    Known::Fails => "but not in general",
                    Known::Proved | Known::Sampled | Known::Undecided => "undecided in general",
                };
                format!("holds at {} ({own}), {general}", points(values))
            }
            _ => own,
        }
    }
}

/// A part of a surface that falls apart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BranchEntry {
    /// What vanishes on it.
    pub vanishing: Vec<String>,
    /// Whether all constraints can be kept there.
    pub consistent: Option<bool>,
    /// Its constraints.
    pub constraints: Vec<ConstraintEntry>,
    /// How many are first class.
    pub first_class: Option<usize>,
    /// How many are second class.
    pub second_class: Option<usize>,
    /// What is left.
    pub degrees_of_freedom: Option<usize>,
    /// Why the analysis did not come to its end.
    pub stopped: Option<String>,
    /// Whether everything there is decided, consistent, and as it is claimed.
    #[serde(skip)]
    pub held: bool,
    /// The numbers of constraints without gauge conditions.
    #[serde(skip)]
    pub before_gauge: Option<Classes>,
}

impl Document {
    pub(super) fn new(report: &Analysis, kind: ModelKind, implicit: &[Implicit], latex: Option<String>) -> Document {
        let text = |e: &cotangent_expr::Expr| e.to_string();
        let claims = |kind: ClaimKind| {
            let own = report.claims.iter().filter(|c| c.kind == kind);
            own.map(|c| (c.name.clone(), ClaimEntry::new(c))).collect()
        };
        let arbitrary = report.multipliers.iter().filter(|m| matches!(m.value, MultiplierValue::Arbitrary));
        let multiplier = |value: &MultiplierValue| match value {
            MultiplierValue::Determined(e) => Some(text(e)),
            _ => None,
        };
        let (table, note) = match &report.dirac_bracket {
            Some(DiracBracket::Table(all)) => (Some(all), None),
            Some(DiracBracket::Implicit(reason)) => (None, Some(reason.clone())),
            Some(DiracBracket::Plain) => (None, Some("there are no second-class constraints".to_owned())),
            None => (None, None),
        };
        let gauge = report.gauge.iter().map(|g| GaugeEntry {
            generator: g.generator.clone(),
            expression: text(&g.expression),
            changes: g.changes.iter().map(|(z, e)| (z.clone(), text(e))).collect(),
        });
        Document {
            name: report.name.clone(),
            title: report.title.clone(),
            kind,
            consistent: report.consistent,
            degrees_of_freedom: report.degrees_of_freedom,
            variables: report.variables.clone(),
            added_variables: report.added.clone(),
            orbit_parameter: report.orbit_parameter.clone(),
            lagrangian: report.lagrangian.as_ref().map(text),
            velocity_hessian: report.transform.as_ref().map(|t| Hessian {
                rank: t.rank,
                velocities: t.velocities,
                verdict: Judged::new(Outcome::Holds(t.certainty)),
                is_implicit: t.implicit,
            }),
            hamiltonian: report.hamiltonian.as_ref().map(text),
            implicit: implicit
                .iter()
                .map(|i| ImplicitEntry {
                    name: i.name.clone(),
                    right: i.right.iter().map(text).collect(),
                    solved: i.solved,
                })
                .collect(),
            total_hamiltonian: (!report.multipliers.is_empty()).then(|| total(report)),
            constraints: report.constraints.iter().map(constraint).collect(),
            conditions: report.conditions.iter().map(condition).collect(),
            first_class: report.count.map(|c| c.first),
            second_class: report.count.map(|c| c.second),
            before_gauge: report.before_gauge.map(classes),
            gauge: gauge.collect(),
            multipliers: report.multipliers.iter().map(|m| (m.name.clone(), multiplier(&m.value))).collect(),
            arbitrary_multipliers: arbitrary.map(|m| m.name.clone()).collect(),
            dirac_conjecture: report.conjecture.as_ref().map(|c| ConjectureEntry {
                holds: holds(c.outcome),
                not_gauge: c.not_gauge.clone(),
                dimension: c.dimension,
            }),
            irregular: report.irregular.iter().map(|i| i.0.clone()).collect(),
            brackets: report.brackets.as_ref().map(|matrix| brackets(matrix, report)),
            dirac_bracket: table.map(|all| all.iter().map(|(a, b, e)| (format!("{{{a}, {b}}}"), text(e))).collect()),
            dirac_bracket_note: note,
            assumptions: report.assumptions.iter().map(|e| Assumption { expression: e.to_string() }).collect(),
            poisson: report.poisson.as_ref().map(Poisson::new),
            casimirs: claims(ClaimKind::Casimir),
            invariants: claims(ClaimKind::Invariant),
            verdicts: report.verdicts.iter().map(VerdictEntry::new).collect(),
            stopped: report.stopped.clone(),
            branches: report.branches.iter().map(branch).collect(),
            seed: Random::SEED,
            warnings: vec![],
            notes: vec![],
            latex,
            transformed: None,
            replaced: report.irregular.iter().map(replaced).collect(),
            total: report.multipliers.iter().map(|m| (m.name.clone(), m.constraint.clone())).collect(),
            symbols: report.symbols.clone(),
        }
    }
}

/// H_c with the primary constraints, by name.
fn total(report: &Analysis) -> String {
    let terms = report.multipliers.iter().map(|m| format!(" + {}*{}", m.name, m.constraint));
    format!("{}{}", report.symbols.canonical, terms.collect::<String>())
}

fn constraint(c: &Constraint) -> ConstraintEntry {
    let class = c.class.map(Class::from);
    let combination = c.combination.iter().map(|(name, e)| (name.clone(), e.to_string())).collect();
    let (name, expression) = (c.name.clone(), c.expression.to_string());
    ConstraintEntry { name, expression, generation: c.generation, class, combination }
}

fn condition(step: &ConsistencyCondition) -> ConditionEntry {
    let (outcome, names) = match &step.outcome {
        ConditionOutcome::Identity(_) => (Consequence::Identity, vec![]),
        ConditionOutcome::Constraint(names) => (Consequence::Constraint, names.clone()),
        ConditionOutcome::Multiplier(names) => (Consequence::Multiplier, names.clone()),
        ConditionOutcome::Contradiction => (Consequence::Contradiction, vec![]),
        ConditionOutcome::Dependent(_) => (Consequence::Dependent, vec![]),
    };
    let known = match &step.outcome {
        ConditionOutcome::Identity(c) | ConditionOutcome::Dependent(c) => Some(Judged::new(Outcome::Holds(*c))),
        _ => None,
    };
    let derivative = step.condition.as_ref().map(ToString::to_string);
    ConditionEntry { constraint: step.constraint.clone(), derivative, outcome, names, known }
}

fn branch(b: &Branch) -> BranchEntry {
    let part = &b.analysis;
    BranchEntry {
        vanishing: b.factors.iter().map(ToString::to_string).collect(),
        consistent: part.consistent,
        constraints: part.constraints.iter().map(constraint).collect(),
        first_class: part.count.map(|c| c.first),
        second_class: part.count.map(|c| c.second),
        degrees_of_freedom: part.degrees_of_freedom,
        stopped: part.stopped.clone(),
        held: part.held(),
        before_gauge: part.before_gauge.map(classes),
    }
}

fn classes(count: Count) -> Classes {
    Classes { first_class: count.first, second_class: count.second }
}

fn replaced((name, expression, by): &(String, Expr, Vec<Expr>)) -> Replaced {
    let by = by.iter().map(ToString::to_string).collect();
    Replaced { name: name.clone(), expression: expression.to_string(), by }
}
