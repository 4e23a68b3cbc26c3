//! A constraint surface that falls apart: x y = 0 is x = 0 or y = 0, and each part is a system of its own.

use crate::error::AnalysisError;
use crate::report::{Analysis, Branch};
use cotangent_expr::Expr;

/// Parts that fall apart again are followed up to so many choices,
const MAX_CHOICES: usize = 4;
/// and so many parts in all.
const MAX_BRANCHES: usize = 16;

/// An analysis where some factors vanish, and the factors at which it falls apart again.
type Part<'a> = dyn Fn(&[Expr]) -> Result<(Analysis, Option<Vec<Expr>>), AnalysisError> + 'a;

/// Analyses each part, and the parts of those that fall apart again.
pub(crate) fn branches(factors: &[Expr], part: &Part<'_>) -> Result<Vec<Branch>, AnalysisError> {
    let mut open: Vec<Vec<Expr>> = factors.iter().rev().map(|f| vec![f.clone()]).collect();
    let mut out: Vec<Branch> = vec![];
    while let Some(chosen) = open.pop() {
        if out.len() == MAX_BRANCHES {
            break;
        }
        let same = |b: &Branch| b.factors.len() == chosen.len() && b.factors.iter().all(|f| chosen.contains(f));
        if out.iter().any(same) {
            continue;
        }
        let (analysis, fork) = part(&chosen)?;
        match fork.filter(|_| chosen.len() < MAX_CHOICES) {
            Some(factors) => open.extend(factors.into_iter().rev().map(|f| [chosen.clone(), vec![f]].concat())),
            None => out.push(Branch { factors: chosen, analysis }),
        }
    }
    Ok(out)
}
