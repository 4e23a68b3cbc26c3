//! What is another for the parameters of the model than for generic ones.
//!
//! A claim or Jacobi's identity may hold for them alone, and what is so for generic parameters may not be so for them:
//! x² + 2 e x y + y² = 0 is two lines unless e² < 1, and then a point. So the system is analysed with its parameters replaced by
//! their values, and the two are compared.

use crate::algebra::{WORK, Work};
use crate::defects::{Defects, are_numbers, are_small};
use crate::error::AnalysisError;
use crate::own::{CLASSES, POINTS, SET};
use crate::poisson::{JACOBI, SKEW};
use crate::report::{Analysis, AtValues, Branch, ClaimReport, Count, Outcome, PoissonReport};
use crate::specialise::{OwnValues, at_own_values};
use cotangent_compile::values::parameters;
use cotangent_expr::{Expr, Node, Role, roundings};
use cotangent_model::System;
use cotangent_scalar::Limits;
use cotangent_theory::phase::Phase;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The parameters of a model, and what the analysis is for them; that is not known where numbers outgrow what there is.
struct Special {
    values: Vec<(String, f64)>,
    analysis: Option<Analysis>,
    /// Whether nothing is rounded in it.
    is_exact: bool,
    /// Whether numbers were rounded where the values were put in: what is left of them refutes nothing.
    is_rounded: bool,
    /// Whether all values are written as numbers, and none as a function of numbers.
    are_numbers: bool,
}

/// A system, its phase space if it has one, and within which limits it is looked at.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) system: &'a System,
    pub(crate) phase: Option<&'a Phase>,
    pub(crate) limits: &'a Limits,
}

impl<'a> Asked<'a> {
    /// Its defects at points; `None` without a phase space.
    fn defects(&self) -> Result<Option<Defects<'a>>, AnalysisError> {
        let work = || Rc::new(Work::new(WORK, self.limits));
        self.phase.map(|phase| Defects::new(self.system, phase, work())).transpose()
    }
}

/// Looks again, for the parameters of the model, at what does not hold for all, and where systems are small also at what does.
pub(crate) fn look_again(
    asked: Asked<'_>,
    is_symbolic: bool,
    report: &mut Analysis,
    analysed: impl FnOnce(&System) -> Result<Analysis, AnalysisError>,
) -> Result<(), AnalysisError> {
    claims_without_value(asked, report)?;
    let claims = !report.claims.iter().all(|c| matches!(c.outcome, Outcome::Holds(_)));
    let bracket = report.poisson.as_ref().is_some_and(is_no_bracket);
    let decided = is_symbolic && report.stopped.is_none() && report.consistent.is_some();
    if !claims && !bracket && !decided {
        return Ok(());
    }
    let Some(special) = Special::new(asked.system, analysed)? else { return Ok(()) };
    if claims {
        special.claims(asked, report)?;
    }
    if bracket {
        special.bracket(asked, report)?;
    }
    if decided {
        special.compare(report);
    }
    Ok(())
}

/// Claims that hold in general and have no value for the parameters of the model: L/(a − 1) where a = 1.
fn claims_without_value(asked: Asked<'_>, report: &mut Analysis) -> Result<(), AnalysisError> {
    let system = asked.system;
    if asked.phase.is_none() {
        return Ok(());
    }
    let has = |e: &Expr, role: Role| e.leaves().iter().any(|l| matches!(l.node(), Node::At(a, _) if a.role() == role));
    for claim in &system.claims {
        let array = &claim.quantity.array;
        for (k, value) in claim.quantity.value.expand()?.entries().into_iter().enumerate() {
            let name = array.element_name(&array.multi_index(k));
            let is_it = |c: &&mut ClaimReport| c.name == name && c.kind == claim.kind;
            let Some(c) = report.claims.iter_mut().find(is_it) else { continue };
            if !matches!(c.outcome, Outcome::Holds(_)) || has(&value, Role::Velocity) || !has(&value, Role::Parameter) {
                continue;
            }
            let Some(mut defects) = asked.defects()? else { return Ok(()) };
            if defects.is_undefined(&value)? {
                let leaves: BTreeSet<String> = value.leaves().iter().map(ToString::to_string).collect();
                let names = system.parameter_layout().entry_names().into_iter();
                let all = names.zip(parameters(system, &[]).unwrap_or_default());
                let values = all.filter(|v| leaves.contains(&v.0)).collect();
                c.at_values = Some(AtValues { values, outcome: Outcome::Undecided });
            }
        }
    }
    Ok(())
}

fn is_no_bracket(p: &PoissonReport) -> bool {
    [p.skew, p.jacobi].iter().any(|o| !matches!(o, Outcome::Holds(_)))
}

/// What holds by symbols where numbers are rounded need not hold.
pub(crate) fn unless_rounded(outcome: Outcome, is_exact: bool) -> Outcome {
    if matches!(outcome, Outcome::Holds(_)) && !is_exact { Outcome::Undecided } else { outcome }
}

impl Special {
    /// `None` if a parameter has no value, or there is none.
    fn new(
        system: &System,
        analysed: impl FnOnce(&System) -> Result<Analysis, AnalysisError>,
    ) -> Result<Option<Special>, AnalysisError> {
        let Ok(values) = parameters(system, &[]) else { return Ok(None) };
        let before = roundings();
        let own = at_own_values(system)?;
        let is_rounded = roundings() != before;
        let analysis = match own {
            OwnValues::Unknown => return Ok(None),
            OwnValues::Outgrown => None,
            OwnValues::Known(own) => match analysed(&own) {
                Ok(analysis) => Some(analysis),
                Err(AnalysisError::Expression(_)) => None,
                Err(other) => return Err(other),
            },
        };
        let is_exact = analysis.is_some() && are_small(system)?;
        let values = system.parameter_layout().entry_names().into_iter().zip(values).collect();
        Ok(Some(Special { values, analysis, is_exact, is_rounded, are_numbers: are_numbers(system)? }))
    }

    /// The parameters that occur in an expression, or all if none does.
    fn occurring(&self, e: Option<&Expr>) -> Vec<(String, f64)> {
        let leaves = e.map(Expr::leaves).unwrap_or_default();
        let occurring: BTreeSet<String> = leaves.iter().map(ToString::to_string).collect();
        let mut values = self.values.clone();
        if values.iter().any(|v| occurring.contains(&v.0)) {
            values.retain(|v| occurring.contains(&v.0));
        }
        values
    }

    /// Whether a claim that does not hold by symbols has a point that shows it, where symbols do not know what they stand for:
    /// log e − 1 is zero.
    fn is_refuted(&self, own: &ClaimReport) -> bool {
        own.outcome != Outcome::Fails || self.are_numbers || own.witness.is_some()
    }

    /// Claims that do not hold for all parameters.
    fn claims(&self, asked: Asked<'_>, report: &mut Analysis) -> Result<(), AnalysisError> {
        let special = self.analysis.as_ref();
        let is_free = special.is_some_and(|s| s.constraints.is_empty()) && report.constraints.is_empty();
        let phase = asked.phase.filter(|_| special.is_some());
        let mut defects = Asked { phase, ..asked }.defects()?;
        for c in report.claims.iter_mut().filter(|c| !matches!(c.outcome, Outcome::Holds(_))) {
            let same = |own: &&ClaimReport| own.name == c.name && own.kind == c.kind;
            let outcome = match special {
                Some(special) => match special.claims.iter().find(same) {
                    Some(own) if self.is_refuted(own) => own.outcome,
                    Some(_) => Outcome::Undecided,
                    None => continue,
                },
                None => Outcome::Undecided,
            };
            let outcome = match (outcome, &mut defects) {
                (Outcome::Holds(certainty), Some(defects)) => match defects.vanish(c, is_free)? {
                    Some(true) => Outcome::Holds(certainty),
                    Some(false) => Outcome::Fails,
                    None => Outcome::Undecided,
                },
                (Outcome::Fails, Some(defects)) if self.is_rounded => match defects.vanish(c, is_free)? {
                    Some(false) => Outcome::Fails,
                    Some(true) | None => Outcome::Undecided,
                },
                (outcome, _) => outcome,
            };
            c.at_values = Some(AtValues { values: self.occurring(c.defect.as_ref()), outcome });
        }
        Ok(())
    }

    /// Antisymmetry and Jacobi's identity where they do not hold for all parameters.
    fn bracket(&self, asked: Asked<'_>, report: &mut Analysis) -> Result<(), AnalysisError> {
        let Some(poisson) = &mut report.poisson else { return Ok(()) };
        let special = self.analysis.as_ref().and_then(|a| a.poisson.as_ref());
        // As for claims: what does not hold by symbols is to be seen at a point.
        let failure = match self.is_rounded {
            true => poisson.jacobi_failure.as_ref(),
            false => special.and_then(|p| p.jacobi_failure.as_ref()).filter(|_| !self.are_numbers),
        };
        let is_seen = match failure {
            Some(failure) => match asked.defects()? {
                Some(mut defects) => defects.at_points(std::slice::from_ref(&failure.3))? == Some(false),
                None => true,
            },
            None => true,
        };
        let sum = poisson.jacobi_failure.as_ref().map(|f| &f.3);
        let at_values = |general: Outcome, own: Option<Outcome>, e: Option<&Expr>| {
            let outcome = own.map_or(Outcome::Undecided, |own| unless_rounded(own, self.is_exact));
            (!matches!(general, Outcome::Holds(_))).then(|| AtValues { values: self.occurring(e), outcome })
        };
        poisson.skew_at_values = at_values(poisson.skew, special.map(|p| p.skew), None);
        let jacobi = special.map(|p| p.jacobi).map(|own| match own {
            Outcome::Fails if !is_seen => Outcome::Undecided,
            own => own,
        });
        poisson.jacobi_at_values = at_values(poisson.jacobi, jacobi, sum);
        for v in &mut report.verdicts {
            match v.statement.as_str() {
                SKEW => v.at_values = poisson.skew_at_values.clone(),
                JACOBI => v.at_values = poisson.jacobi_at_values.clone(),
                _ => {}
            }
        }
        Ok(())
    }

    /// Says what differs; where nothing does, what the sampled points left open is decided.
    fn compare(&self, report: &mut Analysis) {
        let Some(special) = &self.analysis else { return };
        let solved: Vec<&Branch> = special.branches.iter().filter(|b| b.analysis.consistent == Some(true)).collect();
        let is_known = |a: &Analysis| a.stopped.is_none() && a.consistent.is_some();
        let difference = match solved[..] {
            [] | [_] if !special.branches.is_empty() && !special.branches.iter().all(|b| is_known(&b.analysis)) => {
                return;
            }
            [] if is_known(special) => difference(report, special),
            // Parts without solutions are none.
            [] => match special.branches.first() {
                Some(part) => difference(report, &part.analysis),
                None => return,
            },
            [one] => difference(report, &one.analysis),
            _ => Some(fork(&solved)),
        };
        match difference {
            Some(statement) => {
                report.verdicts.retain(|v| v.statement != CLASSES && v.statement != POINTS);
                report.say(statement, if self.is_exact { Outcome::Fails } else { Outcome::Undecided });
            }
            None => {
                let is_open = |s: &str| s == CLASSES || s == POINTS;
                report.verdicts.retain(|v| v.outcome != Outcome::Undecided || !is_open(&v.statement));
            }
        }
    }
}

/// That the surface falls apart.
fn fork(parts: &[&Branch]) -> String {
    let vanishing = |b: &&Branch| b.factors.iter().map(|e| format!("{e} = 0")).collect::<Vec<_>>().join(", ");
    let parts: Vec<String> = parts.iter().map(vanishing).collect();
    let parts = parts.join(" or ");
    format!(
        "the constraint surface is in one piece for the parameters of the model, where it falls apart at {parts} {SET}"
    )
}

/// What is not so for the parameters of the model, and what is.
fn difference(general: &Analysis, special: &Analysis) -> Option<String> {
    match (general.consistent, special.consistent) {
        (Some(true), Some(false)) => {
            return Some(format!("the constraints stay zero for the parameters of the model {SET}"));
        }
        (Some(false), Some(true)) => {
            return Some(format!("a constraint cannot be kept for the parameters of the model {SET}"));
        }
        _ => {}
    }
    let number = |n: usize| format!("{n} {}", if n == 1 { "degree of freedom" } else { "degrees of freedom" });
    let freedom = special.degrees_of_freedom.map_or(String::new(), |n| format!(", {}", number(n)));
    match (general.count, special.count) {
        (Some(a), Some(b @ Count { first, second })) if a != b => Some(format!(
            "the classes are the same for the parameters of the model, where there are {first} first class, {second} second class{freedom} {SET}"
        )),
        _ => match (general.degrees_of_freedom, special.degrees_of_freedom) {
            (Some(a), Some(b)) if a != b => Some(format!(
                "there are as many degrees of freedom for the parameters of the model, where there are {b} {SET}"
            )),
            _ => None,
        },
    }
}
