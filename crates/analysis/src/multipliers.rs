//! Consistency conditions as linear equations for the multipliers.

use crate::algebra::{Fraction, Row, eliminate, size_cost};
use crate::dirac::Dirac;
use crate::error::AnalysisError;
use crate::parts::Part;
use crate::rank::{Rank, agreed, dependents, rank};
use crate::report::ConditionOutcome;
use cotangent_expr::Expr;
use cotangent_theory::phase::Sparse;

/// The largest number of multipliers that are solved for together.
const MAX_SOLVED: usize = 6;

impl Dirac<'_> {
    /// Solves the conditions of one component for multipliers; what is left, as (item, expression).
    pub(crate) fn component(
        &mut self,
        part: &Part,
        rows: &[Sparse],
    ) -> Result<Option<Vec<(usize, Expr)>>, AnalysisError> {
        let last = self.multipliers.len();
        if part.columns.is_empty() {
            return Ok(Some(
                part.rows.iter().map(|&i| (i, rows[i].get(&last).cloned().unwrap_or_else(Expr::zero))).collect(),
            ));
        }
        let Some((found, pivots)) = self.sampled_rank(part, rows)? else { return Ok(None) };
        let symbolic = if part.rows.len() <= MAX_SOLVED || found < part.rows.len() {
            self.eliminated(part, rows, found)
        } else {
            None
        };
        match symbolic {
            Some(rest) => Ok(Some(rest)),
            None if found == part.rows.len() => {
                self.implicit.extend(&pivots);
                for &i in &part.rows {
                    let names = pivots.iter().map(|&b| self.multipliers[b].to_string()).collect();
                    self.note(i, rows, ConditionOutcome::Multiplier(names));
                }
                Ok(Some(vec![]))
            }
            None => {
                let names: Vec<&str> = part.rows.iter().map(|&i| self.items[i].name.as_str()).collect();
                let names = names.join("`, `");
                self.journal.stop(format!("the conditions of `{names}` could not be eliminated by symbols"));
                Ok(None)
            }
        }
    }

    /// The rank of the conditions for the multipliers at the points of the surface, and as many multipliers that
    /// can be solved for, the others given.
    fn sampled_rank(&mut self, part: &Part, rows: &[Sparse]) -> Result<Option<(usize, Vec<usize>)>, AnalysisError> {
        let local = |i: &usize| -> Sparse {
            let place = |b: &usize| part.columns.binary_search(b).ok();
            rows[*i].iter().filter_map(|(b, e)| Some((place(b)?, e.clone()))).collect()
        };
        let matrix: Vec<Sparse> = part.rows.iter().map(local).collect();
        let columns = part.columns.len();
        let sampled = self.surface.sampler.rows(&matrix, columns, &self.surface.points)?;
        let ranks: Vec<Rank> = sampled.iter().map(|m| rank(m)).collect();
        let clear = sampled.iter().zip(&ranks).find(|(_, r)| **r != Rank::Unclear);
        if let (Some(r), Some((first, _))) = (agreed(&ranks), clear) {
            let transposed: Vec<_> = (0..columns).map(|j| first.iter().map(|row| row[j]).collect()).collect();
            let free = if r < columns { dependents(&transposed) } else { vec![] };
            let pivots = (0..columns).filter(|k| !free.contains(k)).map(|k| part.columns[k]);
            return Ok(Some((r, pivots.collect())));
        }
        let name = &self.items[part.rows[0]].name;
        self.journal.stop(format!(
            "the rank of the conditions for the multipliers (of `{name}` and others) could not be decided"
        ));
        Ok(None)
    }

    /// By symbols; `None` if the entries grow too large or the rank differs from the sampled one.
    fn eliminated(&mut self, part: &Part, rows: &[Sparse], expected: usize) -> Option<Vec<(usize, Expr)>> {
        let last = self.multipliers.len();
        let mut matrix: Vec<Row> = vec![];
        for &i in &part.rows {
            let mut row = Row::new();
            for (&b, e) in &rows[i] {
                let f = self.surface.field.normal(e)?;
                // It does not vanish at the points: what reduces to zero was multiplied by something that does.
                let reduced = self.surface.weak_normal(&f)?;
                row.insert(b, if reduced.is_zero() { f } else { reduced });
            }
            matrix.push(row);
        }
        let surface = &*self.surface;
        let cost = &mut |f: &Fraction| {
            let known = surface.field.only_parameters(&f.numerator);
            size_cost(f).map(|size| if known { size } else { size + 1000 })
        };
        let pivots = eliminate(&surface.field, &mut matrix, last, &mut |f| surface.weak_normal(&f), cost)?;
        if pivots.len() != expected {
            return None;
        }
        let mut rest = vec![];
        for (k, &i) in part.rows.iter().enumerate() {
            match pivots.iter().find(|p| p.0 == k) {
                Some((_, column, lead)) => {
                    self.surface.assume(&lead.numerator);
                    self.solved.insert(*column, matrix[k].clone());
                    self.note(i, rows, ConditionOutcome::Multiplier(vec![self.multipliers[*column].to_string()]));
                }
                None => {
                    let e = matrix[k].get(&last).map_or(Some(Expr::zero()), |f| self.surface.field.expression(f))?;
                    rest.push((i, e));
                }
            }
        }
        Some(rest)
    }
}
