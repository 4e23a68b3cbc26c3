//! Brackets of matrix algebras: variables that are the entries of matrices W with Ẇ = [W, Ω].
//!
//! Declared by the model, or recognised where all variables fall into triples {yᵢ, yⱼ} = κₖ yₖ, {yⱼ, yₖ} = κᵢ yᵢ,
//! {yₖ, yᵢ} = κⱼ yⱼ with numbers κ other than 0: so(3), sl(2) = so(2,1), and products of these, so(4) among them. With
//! K = diag(κ) and v̂ the matrix of v × · the equations ẏ = −(K y) × ∇H are Ẇ = [W, Ω] for W = K (K y)^ and Ω = −K (∇H)^.

use super::triples::Triple;
use cotangent_model::{Algebra, Entries};

/// Variables zₐ that are the coordinates of a matrix W = Σ zₐ Dₐ in an algebra: their equations are Ẇ = [W, Ω] with
/// Ω = Σ ∂H/∂zₐ Fₐ, and zₐ = tr(Fₐ W)/ν.
#[derive(Clone, PartialEq, Debug)]
pub struct MatrixBlock {
    /// The number of rows of W.
    pub rows: usize,
    /// The variables, by position in the state.
    pub variables: Vec<usize>,
    /// Dₐ: rows, columns and values.
    pub basis: Vec<Vec<(usize, usize, f64)>>,
    /// Fₐ likewise.
    pub dual: Vec<Vec<(usize, usize, f64)>>,
    /// ν.
    pub norm: f64,
}

/// The matrices of the algebras that a model declares, in the order of its variables.
pub(super) fn declared(algebras: &[Algebra]) -> Vec<MatrixBlock> {
    let mut first = 0;
    let block = |algebra: &Algebra| {
        let r = algebra.representation();
        let variables: Vec<usize> = (first..first + r.basis.len()).collect();
        first += r.basis.len();
        let values = |e: &Entries| e.iter().map(|&(i, j, v)| (i, j, v as f64)).collect();
        MatrixBlock {
            rows: r.rows,
            variables,
            basis: r.basis.iter().map(values).collect(),
            dual: r.dual.iter().map(values).collect(),
            norm: r.norm as f64,
        }
    };
    algebras.iter().map(block).collect()
}

/// The matrices of triples whose strengths are numbers; none if one is not.
pub(super) fn recognised(triples: &[Triple]) -> Vec<MatrixBlock> {
    let block = |t: &Triple| {
        let kappa: Vec<f64> = t.strengths.iter().filter_map(|s| Some(s.as_number()?.to_f64())).collect();
        let &[k0, k1, k2] = &kappa[..] else { return None };
        let kappa = [k0, k1, k2];
        let of = |a: usize| {
            let (b, c) = ((a + 1) % 3, (a + 2) % 3);
            let own = kappa[a];
            // The entries of the matrix of e × · for the unit vector e, in rows b and c.
            let d = vec![(b, c, -kappa[b] * own), (c, b, kappa[c] * own)];
            (d, vec![(b, c, kappa[b]), (c, b, -kappa[c])])
        };
        let (basis, dual) = (0..3).map(of).unzip();
        let norm = 2.0 * k0 * k1 * k2;
        (norm != 0.0).then(|| MatrixBlock { rows: 3, variables: t.variables.to_vec(), basis, dual, norm })
    };
    let all: Option<Vec<MatrixBlock>> = triples.iter().map(block).collect();
    all.unwrap_or_default()
}
