//! What follows when the algorithm has ended, and the report of all of it.

use crate::dirac::{Dirac, Item};
use crate::report::{
    Analysis, BracketMatrix, ClaimReport, Class, Conjecture, Constraint, Count, DiracBracket, GaugeTransformation,
    Multiplier,
};
use cotangent_expr::Expr;
use std::collections::BTreeMap;

/// What follows from the constraints; less where the algorithm stopped early.
#[derive(Default)]
pub(crate) struct Conclusion {
    pub(crate) count: Option<Count>,
    pub(crate) before_gauge: Option<Count>,
    /// The class of each constraint.
    pub(crate) classes: Vec<Class>,
    /// The second-class constraints that are added to a first-class one, by its position.
    pub(crate) combinations: BTreeMap<usize, Vec<(String, Expr)>>,
    pub(crate) gauge: Vec<GaugeTransformation>,
    pub(crate) multipliers: Vec<Multiplier>,
    pub(crate) brackets: Option<BracketMatrix>,
    pub(crate) bracket: Option<DiracBracket>,
    pub(crate) degrees_of_freedom: Option<usize>,
    pub(crate) conjecture: Option<Conjecture>,
    pub(crate) claims: Vec<ClaimReport>,
}

impl Conclusion {
    /// Writes the state of the algorithm and what follows from it into a report.
    pub(crate) fn write(mut self, dirac: Dirac<'_>, report: &mut Analysis) {
        let constraint = |(i, item): (usize, &Item)| Constraint {
            name: item.name.clone(),
            expression: item.expression.clone(),
            generation: item.generation,
            class: self.classes.get(i).copied(),
            combination: self.combinations.remove(&i).unwrap_or_default(),
        };
        report.constraints = dirac.entered().iter().enumerate().map(constraint).collect();
        let journal = dirac.journal;
        report.conditions = journal.conditions;
        report.irregular = journal.irregular;
        report.verdicts.extend(journal.verdicts);
        report.assumptions.extend(journal.assumptions);
        report.stopped = journal.stopped;
        report.count = self.count;
        report.before_gauge = self.before_gauge;
        report.gauge = self.gauge;
        report.multipliers = self.multipliers;
        report.brackets = self.brackets;
        report.dirac_bracket = self.bracket;
        report.degrees_of_freedom = self.degrees_of_freedom;
        report.conjecture = self.conjecture;
        report.claims = self.claims;
    }
}
