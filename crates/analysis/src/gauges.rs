//! Gauge conditions: what turns first class into second, and nothing else.
//!
//! A condition that fixes a gauge makes one first-class constraint second class, with itself as the partner;
//! the degrees of freedom stay. One that takes some of them away restricts the motion instead.

use crate::classes::Classes;
use crate::dirac::{Candidate, Dirac, Progress};
use crate::error::AnalysisError;
use crate::report::{Multiplier, Outcome};
use cotangent_model::System;

impl Dirac<'_> {
    /// Adds the gauge conditions of a model after the algorithm has closed: the classes with them, or how it ended and
    /// what the multipliers are there.
    pub(crate) fn fix_gauge(
        &mut self,
        system: &System,
        before: &Classes,
    ) -> Result<Result<Classes, (Progress, Vec<Multiplier>)>, AnalysisError> {
        let freedom = self.degrees_of_freedom(before)?;
        let mut conditions = vec![];
        for g in &system.gauges {
            for (k, expression) in g.residual.expand()?.entries().into_iter().enumerate() {
                let name = g.array.element_name(&g.array.multi_index(k));
                conditions.push(Candidate { name, expression, generation: 0, multiplier: None });
            }
        }
        let names: Vec<String> = conditions.iter().map(|c| c.name.clone()).collect();
        let fixed = match self.given(conditions)? {
            Progress::Open => self.run()?,
            other => other,
        };
        if fixed == Progress::Inconsistent {
            self.journal.say("the gauge conditions can be kept", Outcome::Fails);
        }
        if fixed != Progress::Closed {
            return Ok(Err((fixed, self.multiplier_values())));
        }
        let Some(after) = self.classes()? else { return Ok(Err((Progress::Stopped, vec![]))) };
        for name in names.iter().filter(|n| self.items.iter().all(|i| i.name != **n)) {
            self.journal.say(format!("the gauge condition `{name}` says something new"), Outcome::Fails);
        }
        if let (Some(a), Some(b)) = (freedom, self.degrees_of_freedom(&after)?)
            && a != b
        {
            let statement =
                format!("the gauge conditions leave the degrees of freedom, {a} without them and {b} with them");
            self.journal.say(statement, Outcome::Fails);
        }
        Ok(Ok(after))
    }
}
