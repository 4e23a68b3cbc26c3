//! What should vanish and does not for all parameters, at those of the model.
//!
//! Symbols are not enough there: numbers are rounded where they outgrow fractions, and what is left out may be all there is, as of
//! (w + 1) − w with w = 10³⁰⁰. So what should vanish is also looked at in as many digits as there are.

use crate::algebra::Work;
use crate::error::AnalysisError;
use crate::point::Point;
use crate::report::ClaimReport;
use crate::sample::Sampler;
use crate::specialise::{is_small_fraction, written_values};
use cotangent_expr::{Expr, Node};
use cotangent_model::{ClaimKind, System};
use cotangent_scalar::Real;
use cotangent_theory::phase::Phase;
use std::rc::Rc;

/// At how many points.
const POINTS: usize = 4;

/// A system at the values that it gives its parameters.
pub(crate) struct Defects<'a> {
    system: &'a System,
    phase: &'a Phase,
    sampler: Sampler,
    /// Whether all values are small fractions.
    are_small: bool,
}

/// Whether all values of the parameters are small fractions, so that nothing is rounded.
pub(crate) fn are_small(system: &System) -> Result<bool, AnalysisError> {
    // Functions of such numbers are not evaluated by symbols.
    let is_small = |e: &Expr| is_small_fraction(e) || !matches!(e.node(), Node::Number(_));
    match written_values(system) {
        Ok(values) => Ok(values.is_some_and(|values| values.iter().all(|(_, value)| is_small(value)))),
        Err(AnalysisError::Expression(_)) => Ok(false),
        Err(other) => Err(other),
    }
}

/// Whether all values of the parameters are written as numbers, and none as a function of numbers.
pub(crate) fn are_numbers(system: &System) -> Result<bool, AnalysisError> {
    match written_values(system) {
        Ok(values) => Ok(values.is_some_and(|values| values.iter().all(|v| matches!(v.1.node(), Node::Number(_))))),
        Err(AnalysisError::Expression(_)) => Ok(false),
        Err(other) => Err(other),
    }
}

impl<'a> Defects<'a> {
    pub(crate) fn new(system: &'a System, phase: &'a Phase, work: Rc<Work>) -> Result<Defects<'a>, AnalysisError> {
        let are_small = are_small(system)?;
        Ok(Defects { system, phase, sampler: Sampler::new(system, &phase.layout, work), are_small })
    }

    /// Whether what should vanish for a claim does: all brackets of a Casimir, the rate of an invariant where there are no
    /// constraints. Other claims are taken to be right where nothing is rounded.
    pub(crate) fn vanish(&mut self, claim: &ClaimReport, is_free: bool) -> Result<Option<bool>, AnalysisError> {
        let expressions = match (claim.kind, &claim.defect) {
            (ClaimKind::Casimir, _) => self.brackets(&claim.name)?,
            (ClaimKind::Invariant, Some(rate)) if is_free => vec![rate.clone()],
            _ => return Ok(self.are_small.then_some(true)),
        };
        self.at_points(&expressions)
    }

    /// Whether expressions vanish at random points, with the parameters of the model.
    pub(crate) fn at_points(&mut self, expressions: &[Expr]) -> Result<Option<bool>, AnalysisError> {
        let points = self.sampler.draw_with_own_parameters(POINTS);
        let values = self.sampler.values(expressions, &points)?;
        let shown: Vec<Option<bool>> =
            values.iter().flatten().filter(|v| v.speaks(true)).map(|v| v.vanishes_anywhere()).collect();
        let is_known = values.iter().any(|values| values.iter().all(|v| v.speaks(true)));
        Ok(match shown.iter().all(|v| *v == Some(true)) {
            true => is_known.then_some(true),
            false => shown.contains(&Some(false)).then_some(false),
        })
    }

    /// Whether an expression has a value at random points, and none with the parameters of the model.
    pub(crate) fn is_undefined(&mut self, e: &Expr) -> Result<bool, AnalysisError> {
        let own = self.sampler.draw_with_own_parameters(POINTS);
        let general: Vec<Point> = (0..POINTS).map(|k| self.sampler.draw(k)).collect();
        let has_value = |points: &[Point]| -> Result<bool, AnalysisError> {
            let values = self.sampler.values(std::slice::from_ref(e), points)?;
            Ok(values.iter().flatten().any(|v| v.is_finite()))
        };
        Ok(!own.is_empty() && has_value(&general)? && !has_value(&own)?)
    }

    /// The brackets of a quantity with all variables.
    fn brackets(&self, name: &str) -> Result<Vec<Expr>, AnalysisError> {
        for claim in &self.system.claims {
            let array = &claim.quantity.array;
            let mut members = claim.quantity.value.expand()?.entries().into_iter().enumerate();
            if let Some((_, value)) = members.find(|(k, _)| array.element_name(&array.multi_index(*k)) == name) {
                return Ok(self.phase.flow(&self.phase.gradient(&value)?).into_values().collect());
            }
        }
        Ok(vec![])
    }
}
