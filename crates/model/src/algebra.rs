//! Matrix Lie algebras: what `algebra so(4): W` declares.
//!
//! The variables zₐ of a model are the entries of a matrix W = Σ zₐ Dₐ in the algebra; with the gradient Ω = Σ ∂H/∂zₐ Fₐ
//! of an energy the equations of motion are
//!
//! ```text
//! Ẇ = [W, Ω],   tr(Fₐ D_b) = ν δₐ_b,   so that zₐ = tr(Fₐ W)/ν
//! ```
//!
//! with a number ν of the algebra. The bracket is that of Lie and Poisson,
//! {zₐ, z_b} = Σ_c C_c zc with C_c = tr(Fₐ [D_c, F_b])/ν, which are integers here. Traces of powers of W are Casimirs.
//!
//! | | W | Ω |
//! |---|---|---|
//! | gl(n) | any real matrix | Ωᵢⱼ = ∂H/∂Wⱼᵢ |
//! | sl(n) | of trace 0 | the same with Ωₙₙ = 0 |
//! | so(n) | antisymmetric | Ωᵢⱼ = ∂H/∂Wᵢⱼ |
//! | u(n) | A + iS with A antisymmetric, S symmetric | Ωᵢⱼ = ∂H/∂Aᵢⱼ + i ∂H/∂Sᵢⱼ, twice the latter on the diagonal |
//! | su(n) | of trace 0 | the same with Ωₙₙ = 0 |
//! | sp(n) | −S J with S symmetric, J = (0 1; −1 0) | −J G, Gᵢⱼ = ∂H/∂Sᵢⱼ, twice that on the diagonal |
//!
//! The bracket of sp(n) is that of second moments Sᵢⱼ = zᵢzⱼ of canonical variables z. Complex matrices are real ones of
//! twice the size: A + iS stands for (A −S; S A).

use crate::syntax::AlgebraKind;
use std::collections::BTreeMap;

/// A matrix Lie algebra of a given size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Algebra {
    /// Which one.
    pub kind: AlgebraKind,
    /// n.
    pub size: usize,
}

/// Entries of a matrix: row, column and value.
pub type Entries = Vec<(usize, usize, i64)>;

/// The matrices of an algebra, as real ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Representation {
    /// The number of rows.
    pub rows: usize,
    /// Dₐ, by variables.
    pub basis: Vec<Entries>,
    /// Fₐ, by variables.
    pub dual: Vec<Entries>,
    /// ν = tr(Fₐ Dₐ).
    pub norm: i64,
}

/// One of the real matrices that W is made of: its entries that are variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// What is added to the name of W.
    pub suffix: &'static str,
    /// Whether the entries below the diagonal follow from those above.
    pub symmetry: Symmetry,
    /// Whether the last entry of the diagonal follows from the others.
    pub traceless: bool,
}

/// How the entries of a matrix are related.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symmetry {
    /// Not at all.
    None,
    /// Wⱼᵢ = Wᵢⱼ.
    Symmetric,
    /// Wⱼᵢ = −Wᵢⱼ.
    Antisymmetric,
}

impl Part {
    /// The entries that are variables, by row and column from 1.
    pub fn members(&self, size: usize) -> Vec<[usize; 2]> {
        let all = (1..=size).flat_map(|i| (1..=size).map(move |j| [i, j]));
        all.filter(|&[i, j]| self.has(i as i64, j as i64, size)).collect()
    }

    /// Whether an entry is a variable, by row and column from 1.
    pub fn has(&self, i: i64, j: i64, size: usize) -> bool {
        let last = self.traceless && i == j && i == size as i64;
        !last
            && match self.symmetry {
                Symmetry::None => true,
                Symmetry::Symmetric => i <= j,
                Symmetry::Antisymmetric => i < j,
            }
    }
}

impl Algebra {
    /// Why there is no such algebra, if so.
    pub fn exists(self) -> Result<(), &'static str> {
        match self.kind {
            AlgebraKind::So if self.size < 3 => Err("so(n) moves something from n = 3 on"),
            AlgebraKind::Sp if self.size < 2 || !self.size.is_multiple_of(2) => Err("sp(n) has an even n, from 2 on"),
            _ if self.size < 2 => Err("a matrix of one row commutes with all others: n is at least 2"),
            _ => Ok(()),
        }
    }

    /// The real matrices that W is made of.
    pub fn parts(self) -> Vec<Part> {
        let part = |suffix, symmetry, traceless| Part { suffix, symmetry, traceless };
        let (re, im) = (part("_re", Symmetry::Antisymmetric, false), |t| part("_im", Symmetry::Symmetric, t));
        match self.kind {
            AlgebraKind::Gl => vec![part("", Symmetry::None, false)],
            AlgebraKind::Sl => vec![part("", Symmetry::None, true)],
            AlgebraKind::So => vec![part("", Symmetry::Antisymmetric, false)],
            AlgebraKind::U => vec![re, im(false)],
            AlgebraKind::Su => vec![re, im(true)],
            AlgebraKind::Sp => vec![part("", Symmetry::Symmetric, false)],
        }
    }

    /// The number of variables.
    pub fn dimension(self) -> u64 {
        let n = self.size as u64;
        match self.kind {
            AlgebraKind::Gl | AlgebraKind::U => n.saturating_mul(n),
            AlgebraKind::Sl | AlgebraKind::Su => n.saturating_mul(n).saturating_sub(1),
            AlgebraKind::So => n.saturating_mul(n.saturating_sub(1)) / 2,
            AlgebraKind::Sp => n.saturating_mul(n.saturating_add(1)) / 2,
        }
    }

    /// The number of rows of the real matrices.
    pub fn rows(self) -> usize {
        match self.kind {
            AlgebraKind::U | AlgebraKind::Su => self.size.saturating_mul(2),
            _ => self.size,
        }
    }

    /// No fewer than the products zₐ ∂H/∂z_b in the equations of motion.
    pub fn products(self) -> u64 {
        self.dimension().saturating_mul(self.rows() as u64).saturating_mul(2)
    }

    /// Its matrices.
    pub fn representation(self) -> Representation {
        let n = self.size;
        let (mut basis, mut dual) = (vec![], vec![]);
        for part in self.parts() {
            for [i, j] in part.members(n) {
                let (i, j) = (i - 1, j - 1);
                let (d, f) = match (self.kind, part.suffix) {
                    (AlgebraKind::Gl | AlgebraKind::Sl, _) => (vec![(i, j, 1)], vec![(j, i, 1)]),
                    (AlgebraKind::So, _) => (vec![(i, j, 1), (j, i, -1)], vec![(i, j, 1), (j, i, -1)]),
                    (AlgebraKind::Sp, _) => {
                        let s = if i == j { vec![(i, i, 1)] } else { vec![(i, j, 1), (j, i, 1)] };
                        let factor = if i == j { 2 } else { 1 };
                        // −S J and −J G.
                        let d = s.iter().map(|&(r, c, v)| (r, opposite(c, n), -v * form(c, n))).collect();
                        let f = s.iter().map(|&(r, c, v)| (opposite(r, n), c, v * factor * form(r, n))).collect();
                        (d, f)
                    }
                    (_, "_re") => (real(&[(i, j, 1), (j, i, -1)], n), real(&[(i, j, 1), (j, i, -1)], n)),
                    _ if i == j => (imaginary(&[(i, i, 1)], n), imaginary(&[(i, i, 2)], n)),
                    _ => (imaginary(&[(i, j, 1), (j, i, 1)], n), imaginary(&[(i, j, 1), (j, i, 1)], n)),
                };
                let mut d: Entries = d;
                if part.traceless && i == j {
                    match self.kind {
                        AlgebraKind::Su => d.extend(imaginary(&[(n - 1, n - 1, -1)], n)),
                        _ => d.push((n - 1, n - 1, -1)),
                    }
                }
                basis.push(d);
                dual.push(f);
            }
        }
        let norm = match self.kind {
            AlgebraKind::Gl | AlgebraKind::Sl => 1,
            AlgebraKind::So | AlgebraKind::Sp => -2,
            AlgebraKind::U | AlgebraKind::Su => -4,
        };
        Representation { rows: self.rows(), basis, dual, norm }
    }
}

impl Representation {
    /// {zₐ, z_b} = Σ C z_c: all (a, b, c, C), variables counted from 0.
    pub fn bracket(&self) -> Vec<[i64; 4]> {
        let n = self.rows;
        // Which matrices have entries in a row or a column, and at a place.
        let mut in_column: Vec<Vec<(usize, usize, i64)>> = vec![vec![]; n];
        let mut in_row = in_column.clone();
        let mut at: BTreeMap<(usize, usize), Vec<(usize, i64)>> = BTreeMap::new();
        for (c, entries) in self.basis.iter().enumerate() {
            for &(row, column, value) in entries {
                in_column[column].push((c, row, value));
                in_row[row].push((c, column, value));
            }
        }
        for (a, entries) in self.dual.iter().enumerate() {
            for &(row, column, value) in entries {
                at.entry((column, row)).or_default().push((a, value));
            }
        }
        let mut found: BTreeMap<(usize, usize, usize), i64> = BTreeMap::new();
        for (b, entries) in self.dual.iter().enumerate() {
            for &(row, column, f) in entries {
                // tr(Fₐ [D_c, F_b]): D_c F_b has entries at (·, column), F_b D_c at (row, ·).
                let right = in_column[row].iter().map(|&(c, r, d)| (c, (r, column), d * f));
                let left = in_row[column].iter().map(|&(c, k, d)| (c, (row, k), -d * f));
                for (c, place, value) in right.chain(left) {
                    for &(a, w) in at.get(&place).map_or(&[][..], Vec::as_slice) {
                        *found.entry((a, b, c)).or_default() += w * value;
                    }
                }
            }
        }
        let entry = |((a, b, c), sum): ((usize, usize, usize), i64)| [a as i64, b as i64, c as i64, sum / self.norm];
        found.into_iter().filter(|(_, sum)| *sum != 0).map(entry).collect()
    }
}

/// The column of the entry of J in a row.
fn opposite(k: usize, n: usize) -> usize {
    (k + n / 2) % n
}

/// The entry of J in a row.
fn form(k: usize, n: usize) -> i64 {
    if k < n / 2 { 1 } else { -1 }
}

/// A real matrix among the complex ones.
fn real(entries: &[(usize, usize, i64)], n: usize) -> Entries {
    entries.iter().flat_map(|&(i, j, v)| [(i, j, v), (i + n, j + n, v)]).collect()
}

/// A real matrix times i.
fn imaginary(entries: &[(usize, usize, i64)], n: usize) -> Entries {
    entries.iter().flat_map(|&(i, j, v)| [(i, j + n, -v), (i + n, j, v)]).collect()
}

#[cfg(test)]
mod tests {
    use super::{Algebra, Entries};
    use crate::syntax::AlgebraKind;

    type Matrix = Vec<Vec<f64>>;

    fn dense(rows: usize, entries: &Entries) -> Matrix {
        let mut m = vec![vec![0.0; rows]; rows];
        entries.iter().for_each(|&(i, j, v)| m[i][j] += v as f64);
        m
    }

    fn times(a: &Matrix, b: &Matrix) -> Matrix {
        let entry = |row: &Vec<f64>, j: usize| row.iter().zip(b).map(|(x, r)| x * r[j]).sum();
        a.iter().map(|row| (0..b.len()).map(|j| entry(row, j)).collect()).collect()
    }

    fn trace(a: &Matrix) -> f64 {
        (0..a.len()).map(|k| a[k][k]).sum()
    }

    fn all() -> Vec<Algebra> {
        let of = |kind, sizes: &[usize]| sizes.iter().map(move |&size| Algebra { kind, size }).collect::<Vec<_>>();
        let kinds = [AlgebraKind::Gl, AlgebraKind::Sl, AlgebraKind::U, AlgebraKind::Su];
        let mut all: Vec<Algebra> = kinds.iter().flat_map(|&k| of(k, &[2, 3, 4])).collect();
        all.extend(of(AlgebraKind::So, &[3, 4, 5]));
        all.extend(of(AlgebraKind::Sp, &[2, 4, 6]));
        all
    }

    #[test]
    fn the_two_bases_are_dual_and_as_many_as_the_dimension() {
        for algebra in all() {
            let r = algebra.representation();
            assert_eq!(r.basis.len() as u64, algebra.dimension(), "{algebra:?}");
            for (b, entries) in r.basis.iter().enumerate() {
                let d = dense(r.rows, entries);
                for a in 0..r.basis.len() {
                    let expected = if a == b { f64::from(r.norm as i32) } else { 0.0 };
                    assert!(
                        (trace(&times(&dense(r.rows, &r.dual[a]), &d)) - expected).abs() < 1e-12,
                        "{algebra:?} {a} {b}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_bracket_is_the_commutator_of_matrices() {
        for algebra in all() {
            let r = algebra.representation();
            let bracket = r.bracket();
            assert!(bracket.len() as u64 <= algebra.products(), "{algebra:?}");
            for b in 0..r.basis.len() {
                for c in 0..r.basis.len() {
                    // [D_c, F_b] = Σ C Dₐ
                    let (d, f) = (dense(r.rows, &r.basis[c]), dense(r.rows, &r.dual[b]));
                    let (left, right) = (times(&d, &f), times(&f, &d));
                    let mut rest: Matrix =
                        left.iter().zip(&right).map(|(x, y)| x.iter().zip(y).map(|(x, y)| x - y).collect()).collect();
                    for &[a, other, of, value] in &bracket {
                        if (other as usize, of as usize) == (b, c) {
                            let own = dense(r.rows, &r.basis[a as usize]);
                            for (row, own) in rest.iter_mut().zip(&own) {
                                row.iter_mut().zip(own).for_each(|(x, d)| *x -= value as f64 * d);
                            }
                        }
                    }
                    assert!(rest.iter().flatten().all(|x| x.abs() < 1e-12), "{algebra:?}: {b}, {c}: {rest:?}");
                }
            }
        }
    }

    #[test]
    fn second_moments_have_the_bracket_of_sp() {
        // {q², p²} = 4 q p, {q², q p} = 2 q², {q p, p²} = 2 p² for S₁₁, S₁₂, S₂₂.
        let bracket = Algebra { kind: AlgebraKind::Sp, size: 2 }.representation().bracket();
        assert_eq!(bracket, [[0, 1, 0, 2], [0, 2, 1, 4], [1, 0, 0, -2], [1, 2, 2, 2], [2, 0, 1, -4], [2, 1, 2, -2]]);
    }
}
