//! Dirac's conjecture: that every first-class constraint generates a gauge transformation.
//!
//! With the multipliers that are determined put in, H_T = H′ + Σ u_a G_a, where u_a are arbitrary and G_a are the primary
//! first-class constraints. Motions with the same start and other u differ along the flows of G_a, {G_a, H′}, {G_a, G_b}
//! and of brackets of these, with the functions as they are: {p_y, H} = p_x² e⁻ʸ/2 has no flow where p_x = 0, so p_x,
//! though first class, moves nothing that u can move (Cawley; Henneaux & Teitelboim, Quantization of Gauge Systems, 1.2.2).

use crate::algebra::Row;
use crate::classes::Classes;
use crate::dirac::Dirac;
use crate::error::AnalysisError;
use crate::rank::{Rank, agreed, rank};
use crate::report::{Certainty, Conjecture, Outcome};
use cotangent_expr::Expr;
use cotangent_theory::phase::{Phase, Sparse};

/// Brackets of brackets, up to here.
const MAX_LEVELS: usize = 12;
/// Longer functions are not bracketed.
const MAX_SIZE: u64 = 4_000;
/// More functions are not looked at.
const MAX_FUNCTIONS: usize = 80;

impl Dirac<'_> {
    /// Which first-class constraints generate gauge transformations; `None` without first-class constraints.
    pub(crate) fn conjecture(&mut self, classes: &Classes) -> Result<Option<Conjecture>, AnalysisError> {
        if classes.first.is_empty() {
            return Ok(None);
        }
        let undecided = Conjecture { outcome: Outcome::Undecided, not_gauge: vec![], dimension: None };
        Ok(Some(match self.orbit(classes)? {
            Some(orbit) => self.moved_by(&orbit, classes)?.unwrap_or(undecided),
            None => undecided,
        }))
    }

    /// The flows that arbitrary multipliers can follow; `None` if that is too much to find out.
    fn orbit(&mut self, classes: &Classes) -> Result<Option<Vec<Sparse>>, AnalysisError> {
        let Some((energy, generators)) = self.arbitrary() else { return Ok(None) };
        let primary = |e: &Expr| self.phase.gradient(e);
        let gradients: Vec<Sparse> = generators.iter().map(primary).collect::<Result<_, _>>()?;
        let mut sources: Vec<Sparse> = gradients.iter().map(|g| self.phase.flow(g)).collect();
        let mut flows = sources.clone();
        sources.push(self.phase.flow(&primary(&energy)?));
        let (mut newest, mut known) = (gradients, None);
        for _ in 0..MAX_LEVELS {
            let Some(reached) = self.rank_of(&flows)? else { return Ok(None) };
            // The flows of first-class constraints are all there is.
            if reached >= classes.first.len() || known == Some(reached) {
                return Ok(Some(flows));
            }
            known = Some(reached);
            let mut next = vec![];
            for gradient in &newest {
                for source in &sources {
                    let bracket = self.surface.simplified(&Phase::pair(gradient, source));
                    if bracket.is_zero() {
                        continue;
                    }
                    if bracket.size() > MAX_SIZE || flows.len() > MAX_FUNCTIONS || bracket.poisoned().is_some() {
                        return Ok(None);
                    }
                    let slope = self.phase.gradient(&bracket)?;
                    flows.push(self.phase.flow(&slope));
                    next.push(slope);
                }
            }
            if next.is_empty() {
                return Ok(Some(flows));
            }
            newest = next;
        }
        Ok(None)
    }

    /// H′ and the G_a; `None` where multipliers are not known as formulas.
    fn arbitrary(&self) -> Option<(Expr, Vec<Expr>)> {
        if !self.implicit.is_empty() {
            return None;
        }
        let last = self.multipliers.len();
        let part = |column: usize| -> Option<Vec<Expr>> {
            let solved = self.solved.iter().filter_map(|(b, row): (&usize, &Row)| Some((b, row.get(&column)?)));
            solved.map(|(&b, f)| Some(-(self.surface.field.expression(f)? * &self.items[b].expression))).collect()
        };
        let energy = Expr::sum(part(last)?.into_iter().chain([self.hamiltonian.clone()]));
        let free = (0..last).filter(|b| !self.solved.contains_key(b));
        let generators = free.map(|b| Some(Expr::sum(part(b)?.into_iter().chain([self.items[b].expression.clone()]))));
        Some((energy, generators.collect::<Option<_>>()?))
    }

    fn rank_of(&self, flows: &[Sparse]) -> Result<Option<usize>, AnalysisError> {
        let all = self.surface.sampler.rows(flows, self.phase.len(), &self.surface.points)?;
        let ranks: Vec<Rank> = all.iter().map(|m| rank(m)).collect();
        Ok(agreed(&ranks).or(flows.is_empty().then_some(0)))
    }

    /// Which first-class constraints generate what is in the span of these flows; `None` if that is not clear.
    fn moved_by(&mut self, orbit: &[Sparse], classes: &Classes) -> Result<Option<Conjecture>, AnalysisError> {
        let Some(reached) = self.rank_of(orbit)? else { return Ok(None) };
        let inverse = self.inverted(classes, true);
        let mut not_gauge = vec![];
        for &a in &classes.first {
            let combination = match inverse.as_ref().map(|inverse| self.combination(a, classes, inverse)) {
                Some(Some(found)) => found,
                _ => return Ok(None),
            };
            let mut changes: std::collections::BTreeMap<usize, Vec<Expr>> =
                self.items[a].flow.iter().map(|(i, e)| (*i, vec![e.clone()])).collect();
            for (b, k) in &combination {
                for (i, e) in &self.items[*b].flow {
                    changes.entry(*i).or_default().push(-(k * e));
                }
            }
            let own: Sparse = changes.into_iter().map(|(i, terms)| (i, Expr::sum(terms))).collect();
            match self.rank_of(&[orbit, &[own]].concat())? {
                Some(with) if with > reached => not_gauge.push(self.items[a].name.clone()),
                Some(_) => {}
                None => return Ok(None),
            }
        }
        let outcome = match not_gauge.is_empty() {
            true => Outcome::Holds(Certainty::Sampled(self.surface.points.len())),
            false => Outcome::Fails,
        };
        // The parameter of the orbit and its momentum are not of the theory.
        let taken = self.items.len() + reached + 2 * usize::from(self.has_orbit_parameter);
        let dimension = self.phase.len().checked_sub(taken).filter(|_| self.phase.canonical);
        Ok(Some(Conjecture { outcome, not_gauge, dimension }))
    }
}
