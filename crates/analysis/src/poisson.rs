//! Whether a bracket is one, and what it leaves alone.
//!
//! Jacobi's identity for B(z) is Σ_l (B_il ∂_l B_jk + B_jl ∂_l B_ki + B_kl ∂_l B_ij) = 0 for all i < j < k.

use crate::error::AnalysisError;
use crate::rank::{Rank, rank};
use crate::report::{Analysis, Certainty, Outcome, PoissonReport};
use crate::sample::RANDOM;
use crate::surface::{KnownSurface, Weak};
use crate::weighed::Weighed;
use cotangent_expr::Expr;
use cotangent_scalar::{Dd, Scalar};
use cotangent_theory::phase::{Phase, Sparse};
use std::collections::BTreeMap;

/// How many points are looked at, half of them with positive variables.
const POINTS: usize = 8;
/// With more terms the identity is not written out.
const MAX_TERMS: usize = 5_000;
/// With more variables fewer points are looked at.
const MANY: usize = 60;

/// What is said of a bracket.
pub(crate) const SKEW: &str = "{F, G} = -{G, F}";
pub(crate) const JACOBI: &str = "Jacobi's identity";

/// Checks antisymmetry and Jacobi's identity everywhere, not only on a constraint surface.
pub(crate) fn axioms(phase: &Phase, surface: &mut KnownSurface) -> Result<PoissonReport, AnalysisError> {
    let n = phase.len();
    let at = |i: usize, j: usize| phase.bracket[i].get(&j).cloned().unwrap_or_else(Expr::zero);
    let (mut pairs, mut sums) = (vec![], vec![]);
    for i in 0..n {
        for &j in phase.bracket[i].keys() {
            pairs.push([vec![at(i, j)], vec![at(j, i)]]);
            sums.push(at(i, j) + at(j, i));
        }
    }
    let (mut skew, which) = everywhere(surface, &sums)?;
    if let (Outcome::Fails, true, Some(k)) = (skew, surface.field.is_rounded(), which) {
        skew = unless_seen(surface.decide_products(&pairs[k], true)?);
    }
    let slopes = Slopes::new(phase)?;
    let (mut jacobi, mut jacobi_failure) = match slopes.terms(phase) <= MAX_TERMS {
        true => slopes.identity(phase, surface)?,
        false => (slopes.contracted(phase, surface)?, None),
    };
    // What is left of rounded numbers is to be seen at a point.
    if jacobi == Outcome::Fails && surface.field.is_rounded() {
        jacobi = slopes.contracted(phase, surface)?;
        jacobi_failure = jacobi_failure.filter(|_| jacobi == Outcome::Fails);
    }
    let mut table = vec![];
    for (i, row) in phase.bracket.iter().enumerate() {
        for (&j, e) in row.iter().filter(|(j, _)| i < **j || !matches!(skew, Outcome::Holds(_))) {
            table.push((phase.names[i].clone(), phase.names[j].clone(), e.clone()));
        }
    }
    Ok(PoissonReport {
        table,
        skew,
        skew_at_values: None,
        jacobi,
        jacobi_at_values: None,
        jacobi_failure,
        rank: None,
        form: None,
        algebra: None,
        casimirs: None,
    })
}

/// The same, and the rank of the bracket.
pub(crate) fn examine(phase: &Phase, surface: &mut KnownSurface, report: &mut Analysis) -> Result<(), AnalysisError> {
    let n = phase.len();
    let found = axioms(phase, surface)?;
    let count = if n > MANY { 2 } else { POINTS };
    let mut generic = None;
    // Near the start, where the bracket has a value there alone.
    for first in [0, RANDOM] {
        let points: Vec<_> = (first..first + count).map(|k| surface.sampler.draw(k)).collect();
        let ranks: Vec<Rank> = surface.sampler.rows(&phase.bracket, n, &points)?.iter().map(|m| rank(m)).collect();
        // The largest rank is the generic one.
        if let Some(Rank::Clear(r)) = ranks.iter().max_by_key(|r| if let Rank::Clear(r) = r { *r } else { 0 }) {
            generic = Some(*r);
            break;
        }
    }
    let rank = generic;
    report.say(SKEW, found.skew);
    report.say(JACOBI, found.jacobi);
    match rank {
        Some(r) => report.say(format!("the bracket has rank {r} of {n}"), Outcome::Holds(Certainty::Sampled(count))),
        None => report.say("the bracket has a clear rank", Outcome::Undecided),
    }
    report.poisson = Some(PoissonReport { rank, ..found });
    Ok(())
}

/// Three variables and their cyclic sum of brackets.
type Failure = (String, String, String, Expr);

/// ∂_l B_jk, by j: (k, its gradient).
struct Slopes(Vec<Vec<(usize, Sparse)>>);

impl Slopes {
    fn new(phase: &Phase) -> Result<Slopes, AnalysisError> {
        let mut slopes = vec![];
        for row in &phase.bracket {
            let each = |(&j, e): (&usize, &Expr)| Ok((j, phase.gradient(e)?));
            slopes.push(row.iter().map(each).collect::<Result<_, AnalysisError>>()?);
        }
        Ok(Slopes(slopes))
    }

    /// How many products B_il ∂_l B_jk there are.
    fn terms(&self, phase: &Phase) -> usize {
        self.0.iter().flatten().flat_map(|(_, gradient)| gradient.keys()).map(|&l| phase.bracket[l].len()).sum()
    }

    /// The identity triple by triple; one that it does not hold for.
    fn identity(&self, phase: &Phase, surface: &mut KnownSurface) -> Result<(Outcome, Option<Failure>), AnalysisError> {
        // A triple contributes only where some B_jk changes along some B_il: sums are collected by triple.
        let mut cyclic: BTreeMap<[usize; 3], Vec<Expr>> = BTreeMap::new();
        for (j, row) in self.0.iter().enumerate() {
            for (k, gradient) in row {
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
        let failure = failed.map(|k| {
            let [a, b, c] = triples[k].map(|i| phase.names[i].clone());
            (a, b, c, surface.simplified(&sums[k]))
        });
        Ok((jacobi, failure))
    }

    /// The identity for three random linear functions at random points:
    /// Σ aᵢ bⱼ c_k B_il ∂_l B_jk + cyclic = 0. It vanishes for all of them only if it holds.
    fn contracted(&self, phase: &Phase, surface: &mut KnownSurface) -> Result<Outcome, AnalysisError> {
        let n = phase.len();
        let brackets = phase.bracket.iter().flat_map(|row| row.values().cloned());
        let slopes = self.0.iter().flatten().flat_map(|(_, gradient)| gradient.values().cloned());
        let expressions: Vec<Expr> = brackets.chain(slopes).collect();
        let points: Vec<_> = (0..4).map(|k| surface.sampler.draw(k)).collect();
        let values = surface.sampler.values(&expressions, &points)?;
        let mut weak = vec![];
        for values in values {
            let mut values = values.into_iter();
            let vectors: [Vec<Weighed>; 3] = std::array::from_fn(|_| {
                surface.sampler.draw_vector(n).into_iter().map(|x| Weighed::new(x, 0.0)).collect()
            });
            let zero = || vec![Weighed::new(Dd::from_f64(0.0), 0.0); n];
            // X_a,l = Σ aᵢ B_il
            let mut flows = [zero(), zero(), zero()];
            for (i, row) in phase.bracket.iter().enumerate() {
                for (&l, b) in row.keys().zip(values.by_ref()) {
                    flows.iter_mut().zip(&vectors).for_each(|(x, a)| x[l] = x[l] + a[i] * b);
                }
            }
            let mut sum = Weighed::new(Dd::from_f64(0.0), 0.0);
            for (j, row) in self.0.iter().enumerate() {
                for (k, gradient) in row {
                    for (&l, slope) in gradient.keys().zip(values.by_ref()) {
                        for a in 0..3 {
                            let (b, c) = (&vectors[(a + 1) % 3], &vectors[(a + 2) % 3]);
                            sum = sum + flows[a][l] * b[j] * c[*k] * slope;
                        }
                    }
                }
            }
            weak.push(sum.vanishes().filter(|_| sum.speaks(false)));
        }
        Ok(match weak.iter().all(|w| *w == Some(true)) {
            true => Outcome::Holds(Certainty::Sampled(weak.len())),
            false if weak.contains(&Some(false)) => Outcome::Fails,
            false => Outcome::Undecided,
        })
    }
}

/// What becomes of a defect that is left of rounded numbers: points refute, and do not show that all others vanish.
pub(crate) fn unless_seen(weak: Weak) -> Outcome {
    match weak {
        Weak::Nonzero | Weak::Never => Outcome::Fails,
        Weak::Zero(_) | Weak::Undecided => Outcome::Undecided,
    }
}

/// Whether expressions vanish identically, and which one does not.
pub(crate) fn everywhere(surface: &mut KnownSurface, all: &[Expr]) -> Result<(Outcome, Option<usize>), AnalysisError> {
    let mut certainty = Certainty::Proved;
    for (k, weak) in surface.decide_everywhere(all)?.iter().enumerate() {
        match weak {
            Weak::Zero(c) => certainty = certainty.and(*c),
            Weak::Nonzero | Weak::Never => return Ok((Outcome::Fails, Some(k))),
            Weak::Undecided => return Ok((Outcome::Undecided, Some(k))),
        }
    }
    Ok((Outcome::Holds(certainty), None))
}
