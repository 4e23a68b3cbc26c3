//! The report as programs read it.

use crate::claims::{ClaimEntry, Judged, holds};
use crate::map::Map;
use cotangent_analysis::{
    Analysis, Branch, Class, Constraint, DiracBracket, Implicit, MultiplierValue, Outcome, SEED, Step, StepOutcome,
};
use serde::Serialize;

/// What `analyze` found.
#[derive(Serialize)]
pub struct Document {
    name: String,
    title: Option<String>,
    kind: &'static str,
    consistent: Option<bool>,
    degrees_of_freedom: Option<usize>,
    variables: Vec<String>,
    added_variables: Vec<String>,
    lagrangian: Option<String>,
    velocity_hessian: Option<Hessian>,
    hamiltonian: Option<String>,
    /// Vectors w that occur in formulas: solutions of (∂²L/∂v∂v) w = b, where the velocities v are a root.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    implicit: Vec<ImplicitEntry>,
    total_hamiltonian: Option<String>,
    constraints: Vec<ConstraintEntry>,
    conditions: Vec<ConditionEntry>,
    first_class: Option<usize>,
    second_class: Option<usize>,
    before_gauge: Option<Classes>,
    gauge: Vec<GaugeEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dirac_conjecture: Option<ConjectureEntry>,
    multipliers: Map<Option<String>>,
    arbitrary_multipliers: Vec<String>,
    irregular: Vec<String>,
    dirac_bracket: Option<Map<String>>,
    dirac_bracket_note: Option<String>,
    assumptions: Vec<String>,
    #[serde(flatten)]
    poisson: Option<Poisson>,
    casimirs: Map<ClaimEntry>,
    invariants: Map<ClaimEntry>,
    verdicts: Vec<VerdictEntry>,
    stopped: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    branches: Vec<BranchEntry>,
    seed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) latex: Option<String>,
    #[serde(skip)]
    pub(super) analysis: Analysis,
    #[serde(skip)]
    pub(super) implicit_vectors: Vec<Implicit>,
}

/// A vector w with (∂²L/∂v∂v) w = b, or w = b.
#[derive(Serialize)]
struct ImplicitEntry {
    name: String,
    right: Vec<String>,
    solved: bool,
}

#[derive(Serialize)]
struct Hessian {
    rank: usize,
    velocities: usize,
    #[serde(flatten)]
    verdict: Judged,
}

#[derive(Serialize)]
struct ConstraintEntry {
    name: String,
    expression: String,
    generation: usize,
    class: Option<&'static str>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    combination: Map<String>,
}

#[derive(Serialize)]
struct ConditionEntry {
    constraint: String,
    derivative: Option<String>,
    outcome: &'static str,
    names: Vec<String>,
}

#[derive(Serialize)]
struct Classes {
    first_class: usize,
    second_class: usize,
}

#[derive(Serialize)]
struct GaugeEntry {
    generator: String,
    expression: String,
    changes: Map<String>,
}

/// Dirac's conjecture.
#[derive(Serialize)]
struct ConjectureEntry {
    holds: Option<bool>,
    /// First-class constraints that generate no gauge transformation.
    not_gauge: Vec<String>,
    /// What is left when gauge transformations alone are taken out.
    dimension: Option<usize>,
}

#[derive(Serialize)]
struct Poisson {
    skew: Option<bool>,
    jacobi: Option<bool>,
    jacobi_failure: Option<JacobiFailure>,
    rank: Option<usize>,
}

#[derive(Serialize)]
struct JacobiFailure {
    variables: [String; 3],
    sum: String,
}

#[derive(Serialize)]
struct VerdictEntry {
    statement: String,
    #[serde(flatten)]
    verdict: Judged,
}

/// A part of a surface that falls apart.
#[derive(Serialize)]
struct BranchEntry {
    vanishing: Vec<String>,
    consistent: Option<bool>,
    constraints: Vec<ConstraintEntry>,
    first_class: Option<usize>,
    second_class: Option<usize>,
    degrees_of_freedom: Option<usize>,
    stopped: Option<String>,
}

impl Document {
    pub(super) fn new(analysis: Analysis, implicit_vectors: Vec<Implicit>, latex: Option<String>) -> Document {
        let (report, implicit) = (&analysis, &implicit_vectors);
        let text = |e: &cotangent_expr::Expr| e.to_string();
        let claims = |kind: &str| {
            let own = report.claims.iter().filter(|c| c.kind == kind);
            own.map(|c| (c.name.clone(), ClaimEntry::new(c))).collect()
        };
        let poisson = report.poisson.as_ref().map(|p| Poisson {
            skew: holds(p.skew),
            jacobi: holds(p.jacobi),
            jacobi_failure: p
                .jacobi_failure
                .clone()
                .map(|(a, b, c, e)| JacobiFailure { variables: [a, b, c], sum: text(&e) }),
            rank: p.rank,
        });
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
        let verdicts = report
            .verdicts
            .iter()
            .map(|v| VerdictEntry { statement: v.statement.clone(), verdict: Judged::new(v.outcome) });
        Document {
            name: report.name.clone(),
            title: report.title.clone(),
            kind: report.kind,
            consistent: report.consistent,
            degrees_of_freedom: report.degrees_of_freedom,
            variables: report.variables.clone(),
            added_variables: report.added.clone(),
            lagrangian: report.lagrangian.as_ref().map(text),
            velocity_hessian: report.transform.as_ref().map(|t| Hessian {
                rank: t.rank,
                velocities: t.velocities,
                verdict: Judged::new(Outcome::Holds(t.certainty)),
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
            conditions: report.steps.iter().map(condition).collect(),
            first_class: report.count.map(|c| c.first),
            second_class: report.count.map(|c| c.second),
            before_gauge: report.before_gauge.map(|c| Classes { first_class: c.first, second_class: c.second }),
            gauge: gauge.collect(),
            multipliers: report.multipliers.iter().map(|m| (m.name.clone(), multiplier(&m.value))).collect(),
            arbitrary_multipliers: arbitrary.map(|m| m.name.clone()).collect(),
            dirac_conjecture: report.conjecture.as_ref().map(|c| ConjectureEntry {
                holds: holds(c.outcome),
                not_gauge: c.not_gauge.clone(),
                dimension: c.dimension,
            }),
            irregular: report.irregular.iter().map(|i| i.0.clone()).collect(),
            dirac_bracket: table.map(|all| all.iter().map(|(a, b, e)| (format!("{{{a}, {b}}}"), text(e))).collect()),
            dirac_bracket_note: note,
            assumptions: report.assumptions.iter().map(|e| format!("{e} != 0")).collect(),
            poisson,
            casimirs: claims("casimir"),
            invariants: claims("invariant"),
            verdicts: verdicts.collect(),
            stopped: report.stopped.clone(),
            branches: report.branches.iter().map(branch).collect(),
            seed: SEED,
            latex,
            analysis,
            implicit_vectors,
        }
    }
}

/// H_c with the primary constraints, by name.
fn total(report: &Analysis) -> String {
    let terms = report.multipliers.iter().map(|m| format!(" + {}*{}", m.name, m.constraint));
    format!("H_c{}", terms.collect::<String>())
}

fn constraint(c: &Constraint) -> ConstraintEntry {
    let class = c.class.map(|class| match class {
        Class::First => "first",
        Class::Second => "second",
    });
    let combination = c.combination.iter().map(|(name, e)| (name.clone(), e.to_string())).collect();
    let (name, expression) = (c.name.clone(), c.expression.to_string());
    ConstraintEntry { name, expression, generation: c.generation, class, combination }
}

fn condition(step: &Step) -> ConditionEntry {
    let (outcome, names) = match &step.outcome {
        StepOutcome::Identity(_) => ("identity", vec![]),
        StepOutcome::Constraint(names) => ("constraint", names.clone()),
        StepOutcome::Multiplier(names) => ("multiplier", names.clone()),
        StepOutcome::Contradiction => ("contradiction", vec![]),
        StepOutcome::Dependent(_) => ("dependent", vec![]),
    };
    let derivative = step.condition.as_ref().map(ToString::to_string);
    ConditionEntry { constraint: step.constraint.clone(), derivative, outcome, names }
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
    }
}
