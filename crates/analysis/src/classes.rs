//! First and second class, gauge transformations, the Dirac bracket.
//!
//! Δ_ab = {χ_a, χ_b} on the surface has the rank S, the number of second-class constraints: S of them, p,
//! whose rows are independent have an invertible block C = Δ_pp. The others become first class as
//! G_a = χ_a − Σ k_b χ_b with k = Δ_ap C⁻¹. The Dirac bracket is
//! {F, G}* = {F, G} − Σ {F, χ_a} C⁻¹_ab {χ_b, G} over the second-class constraints.

use crate::algebra::{Fraction, Row, inverse, size_cost};
use crate::conclusion::Conclusion;
use crate::dirac::{Dirac, Item};
use crate::error::AnalysisError;
use crate::rank::{Rank, agreed, dependents, rank};
use crate::report::{
    BracketMatrix, Certainty, Class, Count, DiracBracket, GaugeTransformation, Multiplier, MultiplierValue, Outcome,
};
use crate::surface::{KnownSurface, Weak};
use cotangent_expr::Expr;
use cotangent_theory::phase::{Phase, Sparse};

/// A larger matrix of second-class brackets is not inverted by symbols.
const MAX_INVERTED: usize = 8;
/// With more variables the Dirac bracket is not written out.
const MAX_TABLE: usize = 24;
/// Longer tables are not written out.
const MAX_TABLE_SIZE: u64 = 20_000;

/// The classes of all constraints.
pub(crate) struct Classes {
    pub(crate) count: Count,
    /// The items of the invertible block.
    second: Vec<usize>,
    pub(crate) first: Vec<usize>,
    /// Δ
    pub(crate) brackets: Vec<Sparse>,
}

impl Classes {
    /// Δ with its invertible block.
    fn matrix(&self) -> BracketMatrix {
        let above = |(i, row): (usize, &Sparse)| -> Vec<(usize, usize, Expr)> {
            row.iter().filter(|(j, _)| i < **j).map(|(j, e)| (i, *j, e.clone())).collect()
        };
        let entries = self.brackets.iter().enumerate().flat_map(above).collect();
        BracketMatrix { entries, second: self.second.clone() }
    }
}

impl Dirac<'_> {
    /// Splits the constraints into classes; `None`, with the reason in the journal, if the rank is not clear.
    pub(crate) fn classes(&mut self) -> Result<Option<Classes>, AnalysisError> {
        let n = self.items.len();
        let row = |a: &Item| -> Sparse {
            let pairs = self.items.iter().enumerate().map(|(b, item)| (b, Phase::pair(&a.gradient, &item.flow)));
            pairs.filter(|(_, e)| !e.is_zero()).collect()
        };
        let brackets: Vec<Sparse> = self.items.iter().map(row).collect();
        let sampled = self.surface.sampler.rows(&brackets, n, &self.surface.points)?;
        let ranks: Vec<Rank> = sampled.iter().map(|m| rank(m)).collect();
        let clear = sampled.iter().zip(&ranks).find(|(_, r)| **r != Rank::Unclear).map(|c| c.0);
        let Some(rank) = agreed(&ranks).or((n == 0).then_some(0)) else {
            self.journal.stop("the rank of the matrix of brackets of the constraints could not be decided");
            return Ok(None);
        };
        let dependent = match (clear, rank) {
            (_, r) if r == n => vec![],
            (Some(matrix), r) if r > 0 => dependents(matrix),
            _ => (0..n).collect(),
        };
        if n - dependent.len() != rank {
            self.journal.stop("which constraints are second class could not be decided");
            return Ok(None);
        }
        let second = (0..n).filter(|i| !dependent.contains(i)).collect();
        let count = Count { first: dependent.len(), second: rank };
        Ok(Some(Classes { count, second, first: dependent, brackets }))
    }

    /// Classes, multipliers, gauge transformations and the Dirac bracket.
    pub(crate) fn conclude(&mut self, classes: &Classes, out: &mut Conclusion) {
        let class = |i: usize| if classes.first.contains(&i) { Class::First } else { Class::Second };
        out.classes = (0..self.items.len()).map(class).collect();
        out.count = Some(classes.count);
        out.brackets = (!self.items.is_empty()).then(|| classes.matrix());
        let weak = self.inverted(classes, true);
        self.gauge(classes, weak.as_deref(), out);
        out.multipliers = self.multiplier_values();
        let strong = self.inverted(classes, false);
        out.bracket = Some(self.dirac_bracket(classes, strong.or(weak)));
    }

    /// How the number of first-class constraints is known: that brackets do not vanish is seen at any point,
    /// that they do takes a proof.
    pub(crate) fn class_certainty(&mut self, classes: &Classes) -> Result<Certainty, AnalysisError> {
        let sampled = Certainty::Sampled(self.surface.points.len());
        let mut certainty = Certainty::Proved;
        let combinations: Vec<Vec<(usize, Expr)>> = match self.inverted(classes, true) {
            Some(inverse) => {
                let all = classes.first.iter().map(|&a| self.combination(a, classes, &inverse));
                match all.collect::<Option<_>>() {
                    Some(all) => all,
                    None => return Ok(sampled),
                }
            }
            None => return Ok(sampled),
        };
        for (&a, combination) in classes.first.iter().zip(&combinations) {
            for b in 0..self.items.len() {
                let at = |i: usize| classes.brackets[i].get(&b).cloned().unwrap_or_else(Expr::zero);
                let rest = Expr::sum(combination.iter().map(|(i, k)| -(k * at(*i))).chain([at(a)]));
                match self.surface.decide(&[rest])?[0] {
                    Weak::Zero(c) => certainty = certainty.and(c),
                    _ => return Ok(sampled),
                }
            }
        }
        Ok(certainty)
    }

    /// C⁻¹, on the surface or everywhere.
    pub(crate) fn inverted(&mut self, classes: &Classes, weakly: bool) -> Option<Vec<Row>> {
        if classes.second.len() > MAX_INVERTED {
            return None;
        }
        let mut block = vec![];
        for &a in &classes.second {
            let mut row = Row::new();
            for (k, b) in classes.second.iter().enumerate() {
                let Some(e) = classes.brackets[a].get(b) else { continue };
                let f = self.surface.field.normal(e)?;
                let f = if weakly { self.surface.weak_normal(&f)? } else { f };
                if !f.is_zero() {
                    row.insert(k, f);
                }
            }
            block.push(row);
        }
        let surface: &KnownSurface = self.surface;
        let tidy = &mut |f: Fraction| if weakly { surface.weak_normal(&f) } else { Some(f) };
        inverse(&surface.field, &block, tidy, &mut size_cost)
    }

    /// What the first-class constraints generate, as far as they can be made first class by symbols.
    fn gauge(&mut self, classes: &Classes, inverse: Option<&[Row]>, out: &mut Conclusion) {
        for &a in &classes.first {
            let mut combination: Vec<(usize, Expr)> = vec![];
            let meets = classes.second.iter().any(|b| classes.brackets[a].contains_key(b));
            match (meets, inverse) {
                (false, _) => {}
                (true, None) => continue,
                (true, Some(inverse)) => match self.combination(a, classes, inverse) {
                    Some(found) => combination = found,
                    None => continue,
                },
            }
            let item = &self.items[a];
            let mut terms = vec![item.expression.clone()];
            let mut changes: std::collections::BTreeMap<usize, Vec<Expr>> =
                item.flow.iter().map(|(i, e)| (*i, vec![e.clone()])).collect();
            for (b, k) in &combination {
                terms.push(-(k * &self.items[*b].expression));
                for (i, e) in &self.items[*b].flow {
                    changes.entry(*i).or_default().push(-(k * e));
                }
            }
            let (generator, expression) = (item.name.clone(), Expr::sum(terms));
            let added = combination.iter().map(|(b, k)| (self.items[*b].name.clone(), -k)).collect();
            out.combinations.insert(a, added);
            let mut list = vec![];
            for (i, terms) in changes {
                let e = self.surface.written(&Expr::sum(terms));
                if !e.is_zero() {
                    list.push((self.phase.names[i].clone(), e));
                }
            }
            out.gauge.push(GaugeTransformation { generator, expression, changes: list });
        }
    }

    /// k = Δ_ap C⁻¹, as (item, coefficient).
    pub(crate) fn combination(&mut self, a: usize, classes: &Classes, inverse: &[Row]) -> Option<Vec<(usize, Expr)>> {
        let mut sums: Vec<Fraction> = vec![Fraction::integer(0); classes.second.len()];
        for (k, b) in classes.second.iter().enumerate() {
            let Some(e) = classes.brackets[a].get(b) else { continue };
            let f = self.surface.field.normal(e)?;
            let f = self.surface.weak_normal(&f)?;
            for (&j, entry) in &inverse[k] {
                let term = self.surface.field.times(&f, entry)?;
                sums[j] = self.surface.weak_normal(&self.surface.field.plus(&sums[j], &term)?)?;
            }
        }
        let mut out = vec![];
        for (k, f) in sums.iter().enumerate().filter(|(_, f)| !f.is_zero()) {
            out.push((classes.second[k], self.surface.field.expression(f)?));
        }
        Some(out)
    }

    /// The multipliers, from the solved conditions: u = −(Σ row·u) − row[last].
    pub(crate) fn multiplier_values(&mut self) -> Vec<Multiplier> {
        let mut out = vec![];
        let last = self.multipliers.len();
        for b in 0..last {
            let value = match self.solved.get(&b) {
                Some(row) => {
                    let terms = row.iter().filter(|(c, _)| **c != b).map(|(&c, f)| {
                        let e = self.surface.field.expression(f)?;
                        Some(-(if c == last { e } else { e * &self.multipliers[c] }))
                    });
                    let sum = terms.collect::<Option<Vec<Expr>>>().map(Expr::sum);
                    match sum.filter(|e| e.poisoned().is_none()) {
                        Some(e) => MultiplierValue::Determined(self.surface.written(&e)),
                        None => MultiplierValue::Implicit,
                    }
                }
                None if self.implicit.contains(&b) => MultiplierValue::Implicit,
                None => MultiplierValue::Arbitrary,
            };
            let (name, constraint) = (self.multipliers[b].to_string(), self.items[b].name.clone());
            out.push(Multiplier { name, constraint, value });
        }
        out
    }

    fn dirac_bracket(&mut self, classes: &Classes, inverse: Option<Vec<Row>>) -> DiracBracket {
        let second = classes.second.len();
        if second == 0 {
            return DiracBracket::Plain;
        }
        let too_large = || {
            DiracBracket::Implicit(format!(
                "C of {second} second-class constraints is too large to be inverted by symbols"
            ))
        };
        let Some(inverse) = inverse.filter(|_| self.phase.len() <= MAX_TABLE) else { return too_large() };
        match self.table(classes, &inverse) {
            Some(table) if table.iter().map(|t| t.2.size()).sum::<u64>() <= MAX_TABLE_SIZE => {
                DiracBracket::Table(table)
            }
            _ => too_large(),
        }
    }

    /// {zᵢ, zⱼ}* = Bᵢⱼ + Σ {zᵢ, χ_a} C⁻¹_ab {zⱼ, χ_b}.
    fn table(&mut self, classes: &Classes, inverse: &[Row]) -> Option<Vec<(String, String, Expr)>> {
        let field = &mut self.surface.field;
        let mut flows: Vec<Row> = vec![];
        for &a in &classes.second {
            let mut row = Row::new();
            for (&i, e) in &self.items[a].flow {
                row.insert(i, field.normal(e)?);
            }
            flows.push(row);
        }
        let mut out = vec![];
        for i in 0..self.phase.len() {
            for j in i + 1..self.phase.len() {
                let mut sum = match self.phase.bracket[i].get(&j) {
                    Some(e) => field.normal(e)?,
                    None => Fraction::integer(0),
                };
                for (a, row) in inverse.iter().enumerate() {
                    let Some(left) = flows[a].get(&i) else { continue };
                    for (&b, c) in row {
                        let Some(right) = flows[b].get(&j) else { continue };
                        sum = field.plus(&sum, &field.times(&field.times(left, c)?, right)?)?;
                    }
                }
                if !sum.is_zero() {
                    out.push((self.phase.names[i].clone(), self.phase.names[j].clone(), field.expression(&sum)?));
                }
            }
        }
        Some(out)
    }

    /// Half the dimension of what is left: (rank B − S − 2F)/2, where F counts the first-class constraints that
    /// generate something. A Casimir does not: it chooses a leaf. In the leaf the constraints take away as many
    /// dimensions as their flows have, S + F.
    pub(crate) fn degrees_of_freedom(&self, classes: &Classes) -> Result<Option<usize>, AnalysisError> {
        let width = self.phase.len();
        let second = classes.count.second;
        let (dimension, taken) = match self.phase.canonical {
            true => (width, self.items.len()),
            false if self.items.is_empty() => match self.rank {
                Some(rank) => (rank, 0),
                None => return Ok(None),
            },
            false => {
                let flows: Vec<Sparse> = self.items.iter().map(|i| i.flow.clone()).collect();
                let ranks = |rows: &[Sparse]| -> Result<Option<usize>, AnalysisError> {
                    let all = self.surface.sampler.rows(rows, width, &self.surface.points)?;
                    // A point outside the domain of a bracket has no rank; the largest is the generic one.
                    let clear = all.iter().filter_map(|m| match rank(m) {
                        Rank::Clear(r) => Some(r),
                        Rank::Unclear => None,
                    });
                    Ok(clear.max())
                };
                match (ranks(&self.phase.bracket)?, ranks(&flows)?) {
                    (Some(dimension), Some(taken)) => (dimension, taken),
                    _ => return Ok(None),
                }
            }
        };
        let generators = taken.checked_sub(second);
        let left = generators.and_then(|f| dimension.checked_sub(second + 2 * f));
        Ok(left.map(|d| (d / 2).saturating_sub(usize::from(self.has_orbit_parameter))))
    }

    /// The verdicts about the algorithm as a whole.
    pub(crate) fn closing_verdict(&mut self) {
        if self.items.is_empty() {
            return;
        }
        let (certainty, points) = (self.certainty(), self.surface.points.len());
        self.journal.say("the constraints stay zero", Outcome::Holds(certainty));
        self.journal.say("their gradients are independent", Outcome::Holds(Certainty::Sampled(points)));
    }
}
