//! Casimirs of a bracket: functions C with B∇C = 0.
//!
//! A bracket of rank r in n variables has n − r independent ones near a generic point, if Jacobi's identity holds. They are
//! sought as Σ cₖ fₖ, where the functions fₖ are the variables and their logarithms, then monomials of rising degree.
//! Σ cₖ {zᵢ, fₖ} = 0 for all i and all z is a system of linear equations for the cₖ: one for every monomial in the variables,
//! with coefficients made of parameters. Σ kᵢ log zᵢ with integer kᵢ is written as Π zᵢ^kᵢ.

use crate::algebra::{Fraction, Row, kernel};
use crate::error::AnalysisError;
use crate::point::Point;
use crate::poisson::everywhere;
use crate::rank::{Rank, rank};
use crate::report::{CasimirSearch, Certainty, Outcome};
use crate::surface::KnownSurface;
use cotangent_expr::{Expr, Function, Node, Number};
use cotangent_theory::phase::{Phase, Sparse};
use std::collections::BTreeMap;

/// With more variables none are sought.
const MAX_VARIABLES: usize = 200;
/// More monomials are not tried.
const MAX_FUNCTIONS: usize = 300;
/// Nor those of a higher degree.
const MAX_DEGREE: usize = 6;
/// Larger exponents are left in logarithms.
const MAX_EXPONENT: i64 = 64;

/// Seeks so many Casimirs; `claimed` are those of the model that are some.
pub(crate) fn search(
    phase: &Phase,
    surface: &mut KnownSurface,
    number: usize,
    claimed: &[Expr],
) -> Result<CasimirSearch, AnalysisError> {
    let points = [1, 3].map(|attempt| surface.sampler.draw(attempt));
    let mut seeker = Seeker { phase, surface, points, independent: vec![], found: vec![] };
    let logarithms = phase.symbols.iter().map(|z| Expr::call(Function::Log, vec![z.clone()]));
    let mut functions: Vec<Expr> = phase.symbols.iter().cloned().chain(logarithms).collect();
    let mut degree = 0;
    while seeker.found.len() < number && phase.len() <= MAX_VARIABLES {
        if !seeker.among(&functions)? {
            break;
        }
        degree += 1;
        match monomials(&phase.symbols, degree + 1).filter(|_| degree < MAX_DEGREE) {
            Some(next) => functions = next,
            None => break,
        }
    }
    for c in claimed {
        let gradient = phase.gradient(c)?;
        seeker.take(gradient)?;
    }
    let known = seeker.independent.len();
    Ok(CasimirSearch { number, known, degree, found: seeker.found })
}

struct Seeker<'a> {
    phase: &'a Phase,
    surface: &'a mut KnownSurface,
    /// Where gradients are compared: with positive variables.
    points: [Point; 2],
    /// The gradients of what is known.
    independent: Vec<Sparse>,
    found: Vec<(Expr, Certainty)>,
}

impl Seeker<'_> {
    /// Takes the Casimirs among the combinations of functions; false if that is too much work.
    fn among(&mut self, functions: &[Expr]) -> Result<bool, AnalysisError> {
        let Some(rows) = self.equations(functions)? else { return Ok(false) };
        let Some(mut all) = kernel(&self.surface.field, rows, functions.len()) else { return Ok(false) };
        all.sort_by_key(Row::len);
        for vector in all {
            let Some(c) = self.combination(&vector, functions) else { return Ok(false) };
            let gradient = self.phase.gradient(&c)?;
            let flow: Vec<Expr> = self.phase.flow(&gradient).into_values().collect();
            if let (Outcome::Holds(certainty), _) = everywhere(self.surface, &flow)?
                && self.take(gradient)?
            {
                self.found.push((c, certainty));
            }
        }
        Ok(true)
    }

    /// What the coefficients of the functions have to satisfy; `None` where that is too much.
    fn equations(&mut self, functions: &[Expr]) -> Result<Option<Vec<Row>>, AnalysisError> {
        // {zᵢ, fₖ}, by i and k.
        let mut flows: BTreeMap<usize, Vec<(usize, Fraction)>> = BTreeMap::new();
        for (k, f) in functions.iter().enumerate() {
            for (i, e) in self.phase.flow(&self.phase.gradient(f)?) {
                let Some(f) = self.surface.field.normal(&e) else { return Ok(None) };
                flows.entry(i).or_default().push((k, f));
            }
        }
        Ok(flows.into_values().map(|flow| self.coefficients(&flow)).collect::<Option<Vec<_>>>().map(|r| r.concat()))
    }

    /// Σ cₖ fₖ = 0 for all values of the variables: one equation for each monomial.
    fn coefficients(&self, functions: &[(usize, Fraction)]) -> Option<Vec<Row>> {
        let field = &self.surface.field;
        let work = &field.work();
        let denominator = field.common_denominator(functions.iter().map(|(_, f)| f))?;
        let mut rows: BTreeMap<_, Row> = BTreeMap::new();
        for (k, f) in functions {
            let numerator = f.numerator.times(&denominator.over(&f.denominator, work)?, work)?;
            for (monomial, c) in field.by_variables(&numerator) {
                let c = Fraction { numerator: c, denominator: Fraction::integer(1).denominator };
                rows.entry(monomial).or_default().insert(*k, c);
            }
        }
        Some(rows.into_values().collect())
    }

    /// Σ cₖ fₖ without a denominator, or its exponential if that is a product of powers.
    fn combination(&mut self, vector: &Row, functions: &[Expr]) -> Option<Expr> {
        let field = &mut self.surface.field;
        let mut sum = Fraction::integer(0);
        for (&k, c) in vector {
            let f = field.normal(&functions[k])?;
            sum = field.plus(&sum, &field.times(c, &f)?)?;
        }
        // The one coefficient that is 1 makes the numerator primitive.
        let (numerator, _) = sum.numerator.positive();
        let sum = field.sum(&numerator)?;
        Some(product(&sum).unwrap_or(sum))
    }

    /// Takes up a function whose gradient does not depend on those before; says whether it does not.
    fn take(&mut self, gradient: Sparse) -> Result<bool, AnalysisError> {
        self.independent.push(gradient);
        let matrices = self.surface.sampler.rows(&self.independent, self.phase.len(), &self.points)?;
        let full = Rank::Clear(self.independent.len());
        let is_new = matrices.iter().any(|m| rank(m) == full);
        if !is_new {
            self.independent.pop();
        }
        Ok(is_new)
    }
}

/// Π zᵢ^kᵢ for Σ kᵢ log zᵢ with integers kᵢ.
fn product(sum: &Expr) -> Option<Expr> {
    let single = [(Number::ONE, sum.clone())];
    let terms = match sum.node() {
        Node::Add(constant, terms) if constant.is_zero() => &terms[..],
        _ => &single,
    };
    let power = |(k, e): &(Number, Expr)| match e.node() {
        Node::Call(Function::Log, args) => Some((args[0].clone(), k.as_integer().filter(|k| k.abs() <= MAX_EXPONENT)?)),
        _ => None,
    };
    let powers: Vec<(Expr, i64)> = terms.iter().map(power).collect::<Option<_>>()?;
    // C and 1/C are Casimirs: the one with more above the line.
    let sign = if powers.iter().map(|(_, k)| k).sum::<i64>() < 0 { -1 } else { 1 };
    Some(Expr::product(powers.iter().map(|(z, k)| z.powi(sign * k))))
}

/// The monomials of degrees 1 to d; `None` if there are too many.
fn monomials(variables: &[Expr], degree: usize) -> Option<Vec<Expr>> {
    let mut all: Vec<Expr> = vec![];
    // Those of the last degree, each with the first variable that may still be put to it.
    let mut last = vec![(0, Expr::one())];
    for _ in 0..degree {
        let mut next = vec![];
        for (first, m) in &last {
            for (i, z) in variables.iter().enumerate().skip(*first) {
                next.push((i, m * z));
            }
            if all.len() + next.len() > MAX_FUNCTIONS {
                return None;
            }
        }
        all.extend(next.iter().map(|(_, m)| m.clone()));
        last = next;
    }
    Some(all)
}
