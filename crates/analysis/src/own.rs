//! Whether what holds for generic parameters holds for the parameters of the model.

use crate::classes::Classes;
use crate::dirac::{Dirac, Item};
use crate::error::AnalysisError;
use crate::rank::{Rank, rank};
use crate::report::Outcome;
use cotangent_expr::Expr;
use cotangent_theory::phase::Sparse;

/// How one looks at special parameters.
pub(crate) const SET: &str = "(--set analyses a special case)";
/// What the points say.
pub(crate) const CLASSES: &str =
    "the classes are the same for the parameters of the model (--set analyses a special case)";
pub(crate) const POINTS: &str = "there are points on the constraint surface for the parameters of the model";

impl Dirac<'_> {
    /// Looks again at points of the surface where the parameters have the values of the model: says so if
    /// something assumed not to vanish does, or if a rank differs.
    pub(crate) fn own_values(&mut self, classes: &Classes) -> Result<(), AnalysisError> {
        let all = || self.items.iter().chain(&self.redundant);
        let constraints: Vec<Expr> = all().map(|i| i.expression.clone()).collect();
        let gradients: Vec<Sparse> = all().map(|i| i.gradient.clone()).collect();
        let Some(points) = self.surface.sampler.own_surface(&constraints, &gradients)? else { return Ok(()) };
        if points.is_empty() {
            self.journal.say(POINTS, Outcome::Undecided);
            return Ok(());
        }
        let assumptions = self.surface.assumptions.clone();
        let values = self.surface.sampler.values(&assumptions, &points)?;
        let broken = |k: &usize| values.iter().all(|v| v[*k].vanishes() == Some(true));
        let broken: Vec<usize> = (0..assumptions.len()).filter(broken).collect();
        for e in broken.iter().map(|&k| &assumptions[k]) {
            let statement = format!("{e} != 0 for the parameters of the model {SET}");
            self.journal.say(statement, Outcome::Fails);
        }
        if !broken.is_empty() {
            return Ok(());
        }
        let own = |items: &[Item]| items.iter().map(|i| i.gradient.clone()).collect::<Vec<_>>();
        let known = [(own(&self.items), self.phase.len(), self.items.len())];
        let brackets = (classes.brackets.clone(), self.items.len(), classes.count.second);
        for (rows, width, expected) in known.into_iter().chain([brackets]) {
            let sampled = self.surface.sampler.rows(&rows, width, &points)?;
            let ranks: Vec<Rank> = sampled.iter().map(|r| rank(r)).collect();
            // Where gradients vanish with their constraints points are only near the surface, and ranks not clear.
            let outcome = match () {
                () if ranks.is_empty() || ranks.contains(&Rank::Clear(expected)) => continue,
                () if ranks.contains(&Rank::Unclear) => Outcome::Undecided,
                () => Outcome::Fails,
            };
            self.journal.say(CLASSES, outcome);
            return Ok(());
        }
        Ok(())
    }
}
