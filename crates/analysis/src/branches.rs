//! A constraint surface that falls apart: x y = 0 is x = 0 or y = 0, and each part is a system of its own.

use crate::error::AnalysisError;
use crate::report::{Analysis, Branch};
use crate::surface::KnownSurface;
use cotangent_expr::Expr;

/// How deep parts that fall apart again are followed: the number of choices.
const MAX_CHOICES: usize = 4;
/// The largest number of parts.
const MAX_BRANCHES: usize = 16;

/// A part: its analysis, the factors at which it falls apart again, and its surface.
pub(crate) struct Part {
    pub(crate) analysis: Analysis,
    pub(crate) fork: Option<Vec<Expr>>,
    pub(crate) surface: Option<KnownSurface>,
}

/// Analyses each part, and the parts of those that fall apart again; says whether these are all. A part inside another one
/// is left out.
pub(crate) fn branches(
    factors: &[Expr],
    part: &dyn Fn(&[Expr]) -> Result<Part, AnalysisError>,
) -> Result<(Vec<Branch>, bool), AnalysisError> {
    let mut open: Vec<Vec<Expr>> = factors.iter().rev().map(|f| vec![f.clone()]).collect();
    let mut met: Vec<Vec<Expr>> = vec![];
    let mut out: Vec<(Branch, Option<KnownSurface>)> = vec![];
    let mut all = true;
    while let Some(chosen) = open.pop() {
        if out.len() == MAX_BRANCHES {
            all = false;
            break;
        }
        let same = |known: &Vec<Expr>| known.len() == chosen.len() && known.iter().all(|f| chosen.contains(f));
        if met.iter().any(same) {
            continue;
        }
        met.push(chosen.clone());
        let Part { analysis, fork, surface } = part(&chosen)?;
        match fork.filter(|_| chosen.len() < MAX_CHOICES) {
            Some(factors) => open.extend(factors.into_iter().rev().map(|f| [chosen.clone(), vec![f]].concat())),
            None => out.push((Branch { factors: chosen, analysis }, surface)),
        }
    }
    let mut kept: Vec<(Branch, Option<KnownSurface>)> = vec![];
    for mut new in out {
        let mut inside = false;
        for known in &kept {
            inside = inside || is_inside(&mut new, &known.0)?;
        }
        if !inside {
            let mut left = vec![];
            for mut known in kept {
                if !is_inside(&mut known, &new.0)? {
                    left.push(known);
                }
            }
            kept = left;
            kept.push(new);
        }
    }
    Ok((kept.into_iter().map(|k| k.0).collect(), all))
}

/// Whether a part is inside another one; both have solutions.
fn is_inside((part, surface): &mut (Branch, Option<KnownSurface>), other: &Branch) -> Result<bool, AnalysisError> {
    match surface {
        Some(surface) if [&*part, other].iter().all(|b| b.analysis.consistent == Some(true)) => {
            // What was chosen need not be among the constraints, where it vanishes near all points at which they do.
            surface.is_inside(other.analysis.constraints.iter().map(|c| &c.expression).chain(&other.factors))
        }
        _ => Ok(false),
    }
}
