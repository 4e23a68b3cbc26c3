//! A Lie algebra by its structure constants: spans, centre, subalgebras and quotients, the Killing form.

use crate::algebra::{Field, Fraction, Row, kernel, reduced};
use std::collections::BTreeMap;

/// A Lie algebra by the brackets of its basis.
pub(super) struct Algebra {
    pub(super) dimension: usize,
    /// [eᵢ, eⱼ], for those that do not vanish.
    pub(super) brackets: BTreeMap<(usize, usize), Row>,
}

impl Algebra {
    pub(super) fn abelian(dimension: usize) -> Algebra {
        Algebra { dimension, brackets: BTreeMap::new() }
    }

    /// Sets C_ijᵏ = −C_jiᵏ.
    pub(super) fn put(&mut self, i: usize, j: usize, k: usize, c: Fraction) {
        self.brackets.entry((j, i)).or_default().insert(k, c.negated());
        self.brackets.entry((i, j)).or_default().insert(k, c);
    }

    /// The basis.
    pub(super) fn whole(&self) -> Vec<Row> {
        (0..self.dimension).map(|i| Row::from([(i, Fraction::integer(1))])).collect()
    }

    pub(super) fn bracket(&self, field: &Field, x: &Row, y: &Row) -> Option<Row> {
        let mut out = Row::new();
        for (i, a) in x {
            for (j, b) in y {
                for (k, c) in self.brackets.get(&(*i, *j)).into_iter().flatten() {
                    let term = field.times(&field.times(a, b)?, c)?;
                    let old = out.remove(k).unwrap_or_else(|| Fraction::integer(0));
                    let sum = field.plus(&old, &term)?;
                    if !sum.is_zero() {
                        out.insert(*k, sum);
                    }
                }
            }
        }
        Some(out)
    }

    /// A basis of [U, V].
    pub(super) fn products(&self, field: &Field, u: &[Row], v: &[Row]) -> Option<Vec<Row>> {
        let mut all = vec![];
        for x in u {
            for y in v {
                all.push(self.bracket(field, x, y)?);
            }
        }
        self.span(field, all)
    }

    /// A basis of what vectors span.
    pub(super) fn span(&self, field: &Field, all: Vec<Row>) -> Option<Vec<Row>> {
        Some(reduced(field, all, self.dimension)?.into_iter().map(|(_, row)| row).collect())
    }

    /// A basis of the x with [x, eⱼ] = 0 for all j.
    pub(super) fn centre(&self, field: &Field) -> Option<Vec<Row>> {
        let mut rows: BTreeMap<(usize, usize), Row> = BTreeMap::new();
        for ((i, j), row) in &self.brackets {
            for (k, c) in row {
                rows.entry((*j, *k)).or_default().insert(*i, c.clone());
            }
        }
        kernel(field, rows.into_values().collect(), self.dimension)
    }

    /// κᵢⱼ = Σ C_ikˡ C_jlᵏ.
    pub(super) fn killing(&self, field: &Field) -> Option<Vec<Vec<Fraction>>> {
        let n = self.dimension;
        let mut out = vec![vec![Fraction::integer(0); n]; n];
        for ((i, k), row) in &self.brackets {
            for (l, c) in row {
                for j in 0..n {
                    if let Some(d) = self.brackets.get(&(j, *l)).and_then(|row| row.get(k)) {
                        out[*i][j] = field.plus(&out[*i][j], &field.times(c, d)?)?;
                    }
                }
            }
        }
        Some(out)
    }

    /// The algebra of a subspace that is one, given by a basis.
    pub(super) fn within(&self, field: &Field, basis: &[Row]) -> Option<Algebra> {
        let basis = reduced(field, basis.to_vec(), self.dimension)?;
        let mut out = Algebra::abelian(basis.len());
        for (i, (_, x)) in basis.iter().enumerate() {
            for (j, (_, y)) in basis.iter().enumerate().skip(i + 1) {
                let product = self.bracket(field, x, y)?;
                // Each basis vector has its own pivot.
                for (k, (pivot, _)) in basis.iter().enumerate() {
                    if let Some(c) = product.get(pivot) {
                        out.put(i, j, k, c.clone());
                    }
                }
            }
        }
        Some(out)
    }

    /// The algebra modulo an ideal, given by a basis.
    pub(super) fn modulo(&self, field: &Field, ideal: &[Row]) -> Option<Algebra> {
        let ideal = reduced(field, ideal.to_vec(), self.dimension)?;
        let rest: Vec<usize> = (0..self.dimension).filter(|k| ideal.iter().all(|(pivot, _)| pivot != k)).collect();
        let mut out = Algebra::abelian(rest.len());
        for (a, &i) in rest.iter().enumerate() {
            for (b, &j) in rest.iter().enumerate().skip(a + 1) {
                let product = self.brackets.get(&(i, j)).cloned().unwrap_or_default();
                for (c, k) in rest.iter().enumerate() {
                    let mut entry = product.get(k).cloned().unwrap_or_else(|| Fraction::integer(0));
                    for (pivot, row) in &ideal {
                        if let (Some(x), Some(y)) = (product.get(pivot), row.get(k)) {
                            entry = field.minus(&entry, &field.times(x, y)?)?;
                        }
                    }
                    if !entry.is_zero() {
                        out.put(a, b, c, entry);
                    }
                }
            }
        }
        Some(out)
    }

    /// Variables that brackets connect.
    pub(super) fn blocks(&self) -> Vec<Vec<usize>> {
        let mut label: Vec<usize> = (0..self.dimension).collect();
        for ((i, j), row) in &self.brackets {
            for k in row.keys().chain([j]) {
                let (a, b) = (label[*i], label[*k]);
                label.iter_mut().filter(|l| **l == a).for_each(|l| *l = b);
            }
        }
        let mut out: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (k, l) in label.into_iter().enumerate() {
            out.entry(l).or_default().push(k);
        }
        let mut blocks: Vec<Vec<usize>> = out.into_values().collect();
        blocks.sort();
        blocks
    }
}

/// Whether something that is not zero is positive.
pub(super) fn sign(field: &Field, f: &Fraction) -> Option<bool> {
    Some(field.strict_sign(&f.numerator)? == field.strict_sign(&f.denominator)?)
}

/// A symmetric matrix as a sum of squares: how many are positive, negative, and missing.
pub(super) fn signature(field: &Field, mut m: Vec<Vec<Fraction>>) -> Option<[usize; 3]> {
    let mut out = [0, 0, 0];
    let mut left: Vec<usize> = (0..m.len()).collect();
    loop {
        let Some(&i) = left.iter().find(|&&i| !m[i][i].is_zero()) else {
            // 2 x y = ((x + y)² − (x − y)²)/2
            let pair = left.iter().find_map(|&i| Some((i, *left.iter().find(|&&j| !m[i][j].is_zero())?)));
            let Some((i, j)) = pair else { break };
            for &k in &left {
                m[i][k] = field.plus(&m[i][k], &m[j][k])?;
            }
            for &k in &left {
                m[k][i] = field.plus(&m[k][i], &m[k][j])?;
            }
            continue;
        };
        out[usize::from(!sign(field, &m[i][i])?)] += 1;
        left.retain(|&k| k != i);
        for &j in &left {
            for &k in &left {
                let rest = field.over(&field.times(&m[j][i], &m[i][k])?, &m[i][i])?;
                m[j][k] = field.minus(&m[j][k], &rest)?;
            }
        }
    }
    out[2] = left.len();
    Some(out)
}
