//! Whether what a model claims to be conserved is.
//!
//! A Casimir C has B∇C = 0 everywhere; an invariant I has {I, H_T} ≈ 0, whatever the multipliers that are
//! not determined do.

use crate::dirac::Dirac;
use crate::error::AnalysisError;
use crate::phase::{Phase, Sparse};
use crate::poisson::everywhere;
use crate::report::{Certainty, ClaimReport, Outcome};
use crate::sample::Point;
use crate::surface::Weak;
use cotangent_expr::{Expr, Node, Role};
use cotangent_model::{Claim, ClaimKind};
use cotangent_scalar::Real;
use cotangent_solve::least_change;

impl Dirac<'_> {
    /// Checks the claims of a model.
    pub(crate) fn claims(&mut self, claims: &[Claim]) -> Result<(), AnalysisError> {
        for claim in claims {
            let array = &claim.quantity.array;
            for (k, value) in claim.quantity.value.expand()?.entries().into_iter().enumerate() {
                let name = array.element_name(&array.multi_index(k));
                let (kind, (outcome, defect)) = match claim.kind {
                    ClaimKind::Casimir => ("casimir", self.casimir(&value)?),
                    ClaimKind::Invariant => ("invariant", self.invariant(&value)?),
                };
                let defect = defect.map(|e| self.surface.simplified(&e));
                self.report.claims.push(ClaimReport { name, kind, outcome, defect });
            }
        }
        Ok(())
    }

    fn casimir(&mut self, value: &Expr) -> Result<(Outcome, Option<Expr>), AnalysisError> {
        let flow: Vec<Expr> = self.phase.flow(&self.phase.gradient(value)?).into_values().collect();
        let (outcome, which) = everywhere(self.surface, &flow)?;
        Ok((outcome, which.map(|k| flow[k].clone())))
    }

    fn invariant(&mut self, value: &Expr) -> Result<(Outcome, Option<Expr>), AnalysisError> {
        let Some(value) = self.in_momenta(value) else { return Ok((Outcome::Undecided, None)) };
        let gradient = self.phase.gradient(&value)?;
        let last = self.multipliers.len();
        let drift = Phase::pair(&gradient, &self.motion);
        let pushes: Vec<Expr> = (0..last).map(|b| Phase::pair(&gradient, &self.items[b].flow)).collect();
        let weak = self.surface.decide(&pushes)?;
        let moved: Vec<usize> = (0..last).filter(|&b| !matches!(weak[b], Weak::Zero(_))).collect();
        let pushed = moved.iter().find(|b| !self.solved.contains_key(b) && !self.implicit.contains(b));
        if let Some(&b) = pushed {
            // An arbitrary multiplier changes it.
            let outcome = if weak[b] == Weak::Undecided { Outcome::Undecided } else { Outcome::Fails };
            return Ok((outcome, Some(pushes[b].clone())));
        }
        if let Some(rate) = self.rate(&drift, &pushes, &moved) {
            return Ok(match self.surface.decide(std::slice::from_ref(&rate))?[0] {
                Weak::Zero(c) => (Outcome::Holds(c), None),
                Weak::Nonzero | Weak::Never => (Outcome::Fails, Some(rate)),
                Weak::Undecided => (Outcome::Undecided, None),
            });
        }
        self.sampled_invariant(drift, pushes)
    }

    /// With velocities replaced by {q, H_T}; `None` where a multiplier that is not known as a formula moves q.
    fn in_momenta(&self, value: &Expr) -> Option<Expr> {
        let mut known = true;
        let new = value.rewrite(&mut |leaf| {
            let Node::At(array, index) = leaf.node() else { return None };
            if array.role() != Role::Velocity {
                return None;
            }
            let index: Option<Vec<i64>> = index.iter().map(|i| i.as_constant()).collect();
            let stem = array.name().trim_end_matches('\'');
            let coordinate = index.and_then(|index| self.phase.layout.position(stem, &index));
            let velocity = coordinate.and_then(|k| {
                let entry = |flow: &Sparse| flow.get(&k).cloned().unwrap_or_else(Expr::zero);
                let pushes: Vec<Expr> = (0..self.multipliers.len()).map(|b| entry(&self.items[b].flow)).collect();
                let moved: Vec<usize> = (0..pushes.len()).filter(|&b| !pushes[b].is_zero()).collect();
                self.rate(&entry(&self.motion), &pushes, &moved)
            });
            known = known && velocity.is_some();
            velocity
        });
        known.then_some(new)
    }

    /// {I, H_T} with the multipliers that are known as formulas.
    fn rate(&self, drift: &Expr, pushes: &[Expr], moved: &[usize]) -> Option<Expr> {
        let last = self.multipliers.len();
        let mut terms = vec![drift.clone()];
        for &b in moved {
            let row = self.solved.get(&b)?;
            if row.keys().any(|&c| c != b && c != last) {
                return None;
            }
            if let Some(f) = row.get(&last) {
                terms.push(-(self.surface.field.expression(f)? * &pushes[b]));
            }
        }
        Some(Expr::sum(terms))
    }

    /// With the multipliers solved for at each point.
    fn sampled_invariant(&mut self, drift: Expr, pushes: Vec<Expr>) -> Result<(Outcome, Option<Expr>), AnalysisError> {
        let last = self.multipliers.len();
        let mut rows: Vec<Sparse> = vec![];
        for item in &self.items {
            let mut row: Sparse = (0..last).map(|b| (b, Phase::pair(&item.gradient, &self.items[b].flow))).collect();
            row.insert(last, Phase::pair(&item.gradient, &self.motion));
            rows.push(row);
        }
        let mut own: Sparse = pushes.into_iter().enumerate().collect();
        own.insert(last, drift.clone());
        rows.push(own);
        let points: Vec<Point> = self.surface.points.clone();
        let mut worst = 0.0f64;
        for mut matrix in self.surface.sampler.rows(&rows, last + 1, &points)? {
            let own = matrix.pop().unwrap_or_default();
            let residual: Vec<_> = matrix.iter_mut().filter_map(Vec::pop).collect();
            let multipliers = least_change(&matrix, &residual, 1e-12);
            let rate = own[..last].iter().zip(&multipliers).fold(own[last], |sum, (&p, &u)| sum + p * u);
            worst = worst.max(rate.value().abs());
        }
        Ok(match worst {
            w if points.is_empty() || !w.is_finite() => (Outcome::Undecided, None),
            w if w < 1e-15 => (Outcome::Holds(Certainty::Sampled(points.len())), None),
            w if w > 1e-9 => (Outcome::Fails, Some(drift)),
            _ => (Outcome::Undecided, None),
        })
    }
}
