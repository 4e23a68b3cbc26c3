//! What Dirac's algorithm notes on its way.

use crate::report::{Certainty, ConditionOutcome, ConsistencyCondition, Outcome, Verdict};
use cotangent_expr::Expr;

/// Conditions and decisions, in the order they were met.
#[derive(Clone, Default)]
pub(crate) struct Journal {
    /// The consistency conditions that were looked at, with the last outcome of each.
    pub(crate) conditions: Vec<ConsistencyCondition>,
    /// Constraints whose gradient vanishes on the surface, and what they were replaced by.
    pub(crate) irregular: Vec<(String, Expr, Vec<Expr>)>,
    /// What was decided.
    pub(crate) verdicts: Vec<Verdict>,
    /// Multipliers that were taken not to vanish.
    pub(crate) assumptions: Vec<Expr>,
    /// Why the algorithm stopped before its end.
    pub(crate) stopped: Option<String>,
}

impl Journal {
    /// Notes a decision.
    pub(crate) fn say(&mut self, statement: impl Into<String>, outcome: Outcome) {
        self.verdicts.push(Verdict { statement: statement.into(), outcome, at_values: None });
    }

    /// Notes, once, that a constraint was taken as it is: it may be a product, and its surface fall apart.
    pub(crate) fn unfactored(&mut self, name: &str) {
        let statement = format!("`{name}` = 0 does not fall apart: its factors were not found");
        if self.verdicts.iter().all(|v| v.statement != statement) {
            self.say(statement, Outcome::Undecided);
        }
    }

    /// Ends the algorithm with a reason.
    pub(crate) fn stop(&mut self, reason: impl Into<String>) {
        self.stopped = Some(reason.into());
    }

    /// Notes the outcome of a condition. On a smaller surface it may be another one: the last one counts.
    pub(crate) fn condition(&mut self, name: String, condition: Option<Expr>, outcome: ConditionOutcome, again: bool) {
        if again {
            let kept =
                |c: &ConsistencyCondition| c.constraint != name || matches!(c.outcome, ConditionOutcome::Constraint(_));
            self.conditions.retain(kept);
        }
        self.conditions.push(ConsistencyCondition { constraint: name, condition, outcome });
    }

    /// Notes that a constraint vanishes where the others do.
    pub(crate) fn dependent(&mut self, name: &str, certainty: Certainty) {
        let outcome = ConditionOutcome::Dependent(certainty);
        let led = |c: &&mut ConsistencyCondition| matches!(&c.outcome, ConditionOutcome::Constraint(names) if names.iter().any(|n| n == name));
        match self.conditions.iter_mut().find(led) {
            Some(condition) => condition.outcome = outcome,
            None => {
                let (constraint, condition) = (name.to_owned(), None);
                self.conditions.push(ConsistencyCondition { constraint, condition, outcome });
            }
        }
    }

    /// The weakest way in which the identities among the conditions are known.
    pub(crate) fn certainty(&self) -> Certainty {
        let all = self.conditions.iter().filter_map(|c| match c.outcome {
            ConditionOutcome::Identity(c) | ConditionOutcome::Dependent(c) => Some(c),
            _ => None,
        });
        all.fold(Certainty::Proved, Certainty::and)
    }
}
