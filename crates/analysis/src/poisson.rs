//! Whether a bracket is one, and what it leaves alone.
//!
//! Jacobi's identity for B(z) is Σ_l (B_il ∂_l B_jk + B_jl ∂_l B_ki + B_kl ∂_l B_ij) = 0 for all i < j < k.

use crate::error::AnalysisError;
use crate::phase::{Phase, Sparse};
use crate::report::{Analysis, Certainty, Outcome, PoissonReport};
use crate::sample::{Rank, rank};
use crate::surface::{Surface, Weak};
use cotangent_expr::Expr;

/// How many points are looked at, half of them with positive variables.
const POINTS: usize = 4;

/// Checks antisymmetry and Jacobi's identity everywhere, not only on a constraint surface.
pub(crate) fn examine(phase: &Phase, surface: &mut Surface, report: &mut Analysis) -> Result<(), AnalysisError> {
    let n = phase.len();
    let at = |i: usize, j: usize| phase.bracket[i].get(&j).cloned().unwrap_or_else(Expr::zero);
    let mut sums = vec![];
    for i in 0..n {
        for &j in phase.bracket[i].keys() {
            sums.push(at(i, j) + at(j, i));
        }
    }
    let skew = everywhere(surface, &sums)?.0;
    let mut slopes: Vec<Vec<(usize, Sparse)>> = vec![];
    for row in &phase.bracket {
        let each = |(&j, e): (&usize, &Expr)| Ok((j, phase.gradient(e)?));
        slopes.push(row.iter().map(each).collect::<Result<_, AnalysisError>>()?);
    }
    // A triple contributes only where some B_jk changes along some B_il: sums are collected by triple.
    let mut cyclic: std::collections::BTreeMap<[usize; 3], Vec<Expr>> = Default::default();
    for j in 0..n {
        for (k, gradient) in &slopes[j] {
            for (i, e) in phase.flow(gradient) {
                // {zᵢ, B_jk}; each unordered triple gets j < k once.
                if j < *k && i != j && i != *k {
                    let mut triple = [i, j, *k];
                    // Cyclic permutations leave the sum, a transposition changes its sign.
                    let even = i < j || *k < i;
                    triple.sort_unstable();
                    cyclic.entry(triple).or_default().push(if even { e } else { -e });
                }
            }
        }
    }
    let (triples, sums): (Vec<_>, Vec<_>) = cyclic.into_iter().map(|(t, e)| (t, Expr::sum(e))).unzip();
    let (jacobi, failed) = everywhere(surface, &sums)?;
    let jacobi_failure = failed.map(|k| {
        let [a, b, c] = triples[k].map(|i| phase.names[i].clone());
        (a, b, c, surface.simplified(&sums[k]))
    });
    let points: Vec<_> = (0..2 * POINTS).map(|k| surface.sampler.draw(k)).collect();
    let ranks: Vec<Rank> = surface.sampler.rows(&phase.bracket, n, &points)?.iter().map(|m| rank(m)).collect();
    // The largest rank is the generic one.
    let rank = match ranks.iter().max_by_key(|r| if let Rank::Clear(r) = r { *r } else { 0 }) {
        Some(Rank::Clear(r)) => Some(*r),
        _ => None,
    };
    report.say("{F, G} = -{G, F}", skew);
    report.say("Jacobi's identity", jacobi);
    match rank {
        Some(r) => {
            report.say(format!("the bracket has rank {r} of {n}"), Outcome::Holds(Certainty::Sampled(points.len())))
        }
        None => report.say("the bracket has a clear rank", Outcome::Undecided),
    }
    report.poisson = Some(PoissonReport { skew, jacobi, jacobi_failure, rank });
    Ok(())
}

/// Whether expressions vanish identically, and which one does not.
pub(crate) fn everywhere(surface: &mut Surface, all: &[Expr]) -> Result<(Outcome, Option<usize>), AnalysisError> {
    // Without constraints the surface is all of phase space.
    let kept = std::mem::take(&mut surface.points);
    surface.points = (0..2 * POINTS).map(|k| surface.sampler.draw(k)).collect();
    let verdicts = surface.decide(all);
    surface.points = kept;
    let verdicts = verdicts?;
    let mut certainty = Certainty::Proved;
    for (k, weak) in verdicts.iter().enumerate() {
        match weak {
            Weak::Zero(c) => certainty = certainty.and(*c),
            Weak::Nonzero | Weak::Never => return Ok((Outcome::Fails, Some(k))),
            Weak::Undecided => return Ok((Outcome::Undecided, Some(k))),
        }
    }
    Ok((Outcome::Holds(certainty), None))
}
