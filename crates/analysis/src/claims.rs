//! Whether what a model claims to be conserved is.
//!
//! A Casimir C has B∇C = 0 everywhere; an invariant I has {I, H_T} ≈ 0, whatever the multipliers that are
//! not determined do. What is not so is shown at a point. What is not so for all parameters may be so for those of the
//! model: x^ab y^−b z is a Casimir of the three-species system if abc = −1.

use crate::dirac::{Dirac, energy_gradient};
use crate::error::AnalysisError;
use crate::poisson::{everywhere, unless_seen};
use crate::rank::{Rank, rank};
use crate::report::{Certainty, ClaimReport, Outcome, Witness};
use crate::surface::Weak;
use cotangent_expr::{Expr, Node, Role};
use cotangent_model::{Claim, ClaimKind};
use cotangent_scalar::Real;
use cotangent_solve::least_change;
use cotangent_theory::phase::{Phase, Sparse};
use std::collections::BTreeSet;

/// What became of a claim, and what should vanish and does not.
type Judgement = (Outcome, Option<Expr>);

impl Dirac<'_> {
    /// Checks the claims of a model.
    pub(crate) fn claims(&mut self, claims: &[Claim]) -> Result<Vec<ClaimReport>, AnalysisError> {
        let mut out = vec![];
        for claim in claims {
            let array = &claim.quantity.array;
            for (k, value) in claim.quantity.value.expand()?.entries().into_iter().enumerate() {
                let name = array.element_name(&array.multi_index(k));
                let kind = claim.kind;
                let ((outcome, defect), with) = match kind {
                    ClaimKind::Casimir => self.casimir(&value)?,
                    ClaimKind::Invariant => (self.invariant(&value)?, None),
                };
                let witness = match (outcome, &defect) {
                    (Outcome::Fails, Some(e)) => self.witness(e, kind)?,
                    _ => None,
                };
                let defect = defect.map(|e| self.surface.simplified(&e));
                out.push(ClaimReport { name, kind, value, outcome, defect, with, witness, at_values: None });
            }
        }
        Ok(out)
    }

    /// A point where something does not vanish: of the surface, or for a Casimir anywhere.
    fn witness(&mut self, e: &Expr, kind: ClaimKind) -> Result<Option<Witness>, AnalysisError> {
        let points = match kind {
            ClaimKind::Casimir => (0..4).map(|k| self.surface.sampler.draw(k)).collect(),
            ClaimKind::Invariant => self.surface.points.clone(),
        };
        let values = self.surface.sampler.values(std::slice::from_ref(e), &points)?;
        let found = points.iter().zip(&values).find(|(_, v)| v[0].vanishes() == Some(false));
        let occurring: BTreeSet<String> = e.leaves().iter().map(ToString::to_string).collect();
        Ok(found.map(|(point, value)| {
            let mut at = self.surface.sampler.named(point, &self.phase.names);
            at.retain(|(name, _)| occurring.contains(name));
            Witness { at, value: value[0].value() }
        }))
    }

    /// Also the variable that has a bracket with it.
    fn casimir(&mut self, value: &Expr) -> Result<(Judgement, Option<String>), AnalysisError> {
        let flow = self.phase.flow(&self.phase.gradient(value)?);
        let (variables, flow): (Vec<usize>, Vec<Expr>) = flow.into_iter().unzip();
        let (outcome, which) = everywhere(self.surface, &flow)?;
        let with = which.map(|k| self.phase.names[variables[k]].clone());
        let defect = which.map(|k| flow[k].clone());
        if let (Outcome::Fails, true, Some(k)) = (outcome, self.surface.field.is_rounded(), which) {
            let of_one = self.phase.gradient(value)?.into_iter();
            let all =
                of_one.flat_map(|(j, slope)| Some(vec![self.phase.bracket[j].get(&variables[k])?.clone(), slope]));
            let products: Vec<Vec<Expr>> = all.collect();
            return Ok(match unless_seen(self.surface.decide_products(&products, true)?) {
                Outcome::Fails => ((Outcome::Fails, defect), with),
                other => ((other, None), None),
            });
        }
        Ok(((outcome, defect), with))
    }

    /// What points show of the rate of an invariant, whose factors are evaluated one by one.
    fn seen_rate(&mut self, gradient: &Sparse, moved: &[usize]) -> Result<Weak, AnalysisError> {
        let minus = Expr::number(-1);
        let mut products: Vec<Vec<Expr>> = vec![];
        for (j, slope) in energy_gradient(self.phase, &self.hamiltonian)? {
            for (i, b) in &self.phase.bracket[j] {
                let own = gradient.get(i).map(|own| vec![minus.clone(), b.clone(), slope.clone(), own.clone()]);
                products.extend(own);
            }
        }
        for &b in moved {
            let Some(row) = self.solved.get(&b) else { continue };
            let Some(f) = row.get(&self.multipliers.len()).and_then(|f| self.surface.field.expression(f)) else {
                continue;
            };
            for (i, own) in gradient {
                let push = self.items[b].flow.get(i);
                products.extend(push.map(|push| vec![minus.clone(), f.clone(), own.clone(), push.clone()]));
            }
        }
        self.surface.decide_products(&products, false)
    }

    fn invariant(&mut self, value: &Expr) -> Result<Judgement, AnalysisError> {
        let Some(value) = self.in_momenta(value) else { return Ok((Outcome::Undecided, None)) };
        let gradient = self.phase.gradient(&value)?;
        let last = self.multipliers.len();
        let drift = Phase::pair(&gradient, &self.motion);
        let pushes: Vec<Expr> = (0..last).map(|b| Phase::pair(&gradient, &self.items[b].flow)).collect();
        let weak = self.surface.decide(&pushes)?;
        let moved: Vec<usize> = (0..last).filter(|&b| !matches!(weak[b], Weak::Zero(_))).collect();
        if let Some(rate) = self.rate(&drift, &pushes, &moved) {
            let mut weak = self.surface.decide(std::slice::from_ref(&rate))?[0];
            if weak == Weak::Undecided {
                // In its shortest form, whose terms cancel less.
                let shortest = self.surface.simplified(&rate);
                weak = self.surface.decide(std::slice::from_ref(&shortest))?[0];
            }
            if matches!(weak, Weak::Nonzero | Weak::Never) && self.surface.field.is_rounded() {
                // What is left of rounded numbers may be their rounding alone.
                weak = self.seen_rate(&gradient, &moved)?;
            }
            return Ok(match weak {
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

    /// With the multipliers at each point: the rate of I is that of no arbitrary multiplier if its pushes
    /// {I, φ_b} are a combination of those of the constraints, and with one solution for u it has to vanish.
    fn sampled_invariant(&mut self, drift: Expr, pushes: Vec<Expr>) -> Result<Judgement, AnalysisError> {
        let last = self.multipliers.len();
        let mut rows: Vec<Sparse> = vec![];
        for item in &self.items {
            let mut row: Sparse = (0..last).map(|b| (b, Phase::pair(&item.gradient, &self.items[b].flow))).collect();
            row.insert(last, Phase::pair(&item.gradient, &self.motion));
            rows.push(row);
        }
        let mut own: Sparse = pushes.iter().cloned().enumerate().collect();
        own.insert(last, drift.clone());
        let own_terms: Vec<Expr> = own.values().cloned().collect();
        let own_values = self.surface.sampler.values(&own_terms, &self.surface.points)?;
        rows.push(own);
        let points = self.surface.points.len();
        let mut judged: Vec<Judgement> = vec![];
        let matrices = self.surface.sampler.rows(&rows, last + 1, &self.surface.points)?;
        for (mut matrix, own_values) in matrices.into_iter().zip(own_values) {
            let own = matrix.pop().unwrap_or_default();
            let residual: Vec<_> = matrix.iter_mut().filter_map(Vec::pop).collect();
            let alone = rank(&matrix);
            let together = rank(&[matrix.as_slice(), &[own[..last].to_vec()]].concat());
            let (Rank::Clear(alone), Rank::Clear(together)) = (alone, together) else {
                return Ok((Outcome::Undecided, None));
            };
            if together > alone {
                let pushed = (0..last).find(|&b| !own[b].value().eq(&0.0));
                judged.push((Outcome::Fails, pushed.map(|b| pushes[b].clone())));
                continue;
            }
            let multipliers = least_change(&matrix, &residual, 1e-12);
            let terms = own[..last].iter().zip(&multipliers).map(|(&p, &u)| p * u);
            let (rate, size) =
                terms.fold((own[last], own[last].value().abs()), |(sum, size), t| (sum + t, size + t.value().abs()));
            let speaks = own_values.iter().all(|x| x.speaks(false));
            judged.push(match rate.value().abs() {
                r if r <= 1e-15 * size && speaks => (Outcome::Holds(Certainty::Sampled(points)), None),
                r if r > 1e-9 * size => (Outcome::Fails, Some(drift.clone())),
                _ => (Outcome::Undecided, None),
            });
        }
        let fails = judged.iter().find(|j| j.0 == Outcome::Fails);
        let open = judged.iter().find(|j| j.0 == Outcome::Undecided);
        Ok(fails.or(open).or(judged.first()).cloned().unwrap_or((Outcome::Undecided, None)))
    }
}
