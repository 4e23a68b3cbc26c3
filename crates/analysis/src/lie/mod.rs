//! How a bracket depends on its variables, and which Lie algebra a linear one comes from.
//!
//! A bracket Bᵢⱼ = Σ C_jiᵏ zₖ is that on the dual of the Lie algebra [eᵢ, eⱼ] = Σ C_ijᵏ eₖ, with the sign of the Euler
//! equations of a body: ż = z × ∇H on the dual of so(3), [e₁, e₂] = e₃.

mod name;
mod structure;

use crate::algebra::{Field, Monomial};
use crate::report::{BracketForm, LieAlgebra};
use cotangent_theory::phase::Phase;
use structure::{Algebra, signature};

/// Brackets of more variables are not looked at.
const MAX_VARIABLES: usize = 200;
/// Algebras of a larger dimension are not looked at.
const MAX_DIMENSION: usize = 40;

/// The form of a bracket, with the Lie algebra of its linear part if it has nothing of higher degree; `None` where it is too
/// large.
pub(crate) fn form(phase: &Phase, field: &mut Field) -> Option<(BracketForm, Option<LieAlgebra>)> {
    let n = phase.len();
    if n > MAX_VARIABLES {
        return None;
    }
    let unknowns: Vec<u32> = phase.symbols.iter().map(|z| field.unknown(z)).collect();
    let mut algebra = Algebra::abelian(n);
    let (mut constant, mut linear, mut quadratic, mut other) = (false, false, false, false);
    for (i, row) in phase.bracket.iter().enumerate() {
        for (&j, b) in row.range(i + 1..) {
            let f = field.normal(b)?;
            if !f.is_zero() && !field.only_parameters(&f.denominator) {
                return Some((BracketForm::Other, None));
            }
            for (monomial, c) in field.by_variables(&f.numerator) {
                let c = field.fraction(c, f.denominator.clone())?;
                match &monomial.0[..] {
                    [] => constant = true,
                    [(v, 1)] if unknowns.contains(v) => {
                        linear = true;
                        let k = unknowns.iter().position(|u| u == v)?;
                        algebra.put(i, j, k, c.negated());
                    }
                    _ if monomial == pair(unknowns[i], unknowns[j]) => quadratic = true,
                    _ => other = true,
                }
            }
        }
    }
    let described = || if n <= MAX_DIMENSION { described(&algebra, phase, field) } else { None };
    Some(match (constant, linear, quadratic, other) {
        (_, false, false, false) => (BracketForm::Constant, None),
        (false, true, false, false) => (BracketForm::Linear, described()),
        (true, true, false, false) => (BracketForm::Affine, described()),
        (false, false, true, false) => (BracketForm::LogCanonical, None),
        _ => (BracketForm::Other, None),
    })
}

/// zᵢ zⱼ
fn pair(a: u32, b: u32) -> Monomial {
    Monomial(vec![(a, 1)]).times(&Monomial(vec![(b, 1)]))
}

/// What is known of an algebra.
fn described(algebra: &Algebra, phase: &Phase, field: &Field) -> Option<LieAlgebra> {
    let mut constants = vec![];
    for ((i, j), row) in algebra.brackets.iter().filter(|((i, j), _)| i < j) {
        for (k, c) in row {
            let [i, j, k] = [*i, *j, *k].map(|k| phase.names[k].clone());
            constants.push((i, j, k, field.expression(c)?));
        }
    }
    let whole = algebra.whole();
    let mut derived = vec![algebra.dimension];
    let mut last = whole.clone();
    loop {
        let next = algebra.products(field, &last, &last)?;
        if next.len() == last.len() {
            break;
        }
        derived.push(next.len());
        last = next;
    }
    let generic = constants.iter().any(|(_, _, _, c)| !c.leaves().is_empty());
    Some(LieAlgebra {
        constants,
        generic,
        name: algebra.name(field),
        centre: algebra.centre(field)?.len(),
        derived,
        killing: algebra.killing(field).and_then(|k| signature(field, k)),
    })
}
