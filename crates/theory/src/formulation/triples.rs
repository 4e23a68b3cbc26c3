//! Brackets whose variables fall into triples, each with that of so(3) up to factors.

use crate::error::TheoryError;
use crate::phase::Phase;
use cotangent_expr::{Expr, Layout, Tensor};

/// More variables are not taken one by one.
const LARGEST: usize = 3000;

/// Variables with {yᵢ, yⱼ} = κₖ yₖ, {yⱼ, yₖ} = κᵢ yᵢ, {yₖ, yᵢ} = κⱼ yⱼ, and no bracket with others.
pub(super) struct Triple {
    /// i, j, k.
    pub(super) variables: [usize; 3],
    /// κᵢ, κⱼ, κₖ: they contain no variable.
    pub(super) strengths: [Expr; 3],
}

impl Triple {
    /// Whether the strengths are equal: the Casimir is a sphere.
    pub(super) fn is_sphere(&self) -> bool {
        let [a, b, c] = &self.strengths;
        a == b && b == c
    }
}

/// The triples that all variables fall into; none if they do not.
pub(super) fn triples(variables: &Layout, bracket: &Tensor) -> Result<Vec<Triple>, TheoryError> {
    let n = variables.len();
    if n == 0 || !n.is_multiple_of(3) || n > LARGEST {
        return Ok(vec![]);
    }
    let phase = Phase::general(variables, bracket)?;
    let mut seen = vec![false; n];
    let mut found = vec![];
    for i in 0..n {
        if seen[i] {
            continue;
        }
        let others: Vec<usize> = phase.bracket[i].keys().copied().collect();
        let [j, k] = others[..] else { return Ok(vec![]) };
        let entry = |a: usize, b: usize| phase.bracket[a].get(&b).cloned().unwrap_or_else(Expr::zero);
        let alone = |a: usize| phase.bracket[a].keys().all(|b| [i, j, k].contains(b));
        let strength = |a: usize, b: usize, c: usize| -> Result<Option<Expr>, TheoryError> {
            let slopes = phase.gradient(&entry(a, b))?;
            let factor = slopes.get(&c).filter(|_| slopes.len() == 1).cloned();
            let constant = factor.filter(|f| !f.leaves().iter().any(|leaf| phase.symbols.contains(leaf)));
            Ok(constant.filter(|f| (entry(a, b) - f * &phase.symbols[c]).is_zero()))
        };
        let all = [strength(j, k, i)?, strength(k, i, j)?, strength(i, j, k)?];
        let [Some(first), Some(second), Some(third)] = all else { return Ok(vec![]) };
        if seen[j] || seen[k] || !alone(j) || !alone(k) {
            return Ok(vec![]);
        }
        [i, j, k].iter().for_each(|&a| seen[a] = true);
        found.push(Triple { variables: [i, j, k], strengths: [first, second, third] });
    }
    Ok(found)
}
