//! Factors of a polynomial in many unknowns from those on a line (Hensel's lemma).
//!
//! A polynomial in x and y₁, y₂, … is ordered by its degree in the y; what is known at y = 0, f = Π gⱼ^mⱼ with factors that
//! have no divisor in common, determines the factors in every order: of the first order in which f − Π gⱼ^mⱼ does not vanish,
//! e = Σ δⱼ mⱼ Πᵢ gᵢ^mᵢ/gⱼ with the corrections δⱼ, whose degree in x is below that of gⱼ.

use super::modular;
use super::polynomial::{Monomial, Polynomial};
use super::univariate::Univariate;
use super::work::Work;
use std::collections::BTreeMap;

/// A polynomial in x and the y: the coefficient of each product of powers of the y, not zero.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Series(BTreeMap<Monomial, Univariate>);

/// y = y' + shift + slope·x.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shear {
    pub(crate) unknown: u32,
    pub(crate) shift: u128,
    pub(crate) slope: u128,
}

impl Shear {
    pub(crate) fn back(&self) -> Shear {
        Shear { shift: modular::minus(0, self.shift), slope: modular::minus(0, self.slope), ..*self }
    }
}

impl Series {
    pub(crate) fn one() -> Series {
        Series(BTreeMap::from([(Monomial::default(), Univariate::one())]))
    }

    /// A polynomial, with this unknown as x.
    pub(crate) fn new(p: &Polynomial, x: u32) -> Series {
        let mut rows: BTreeMap<Monomial, Vec<u128>> = BTreeMap::new();
        for (m, &c) in &p.0 {
            let (row, k) = (rows.entry(m.without(x)).or_default(), m.degree(x) as usize);
            row.resize(row.len().max(k + 1), 0);
            row[k] = modular::residue(c);
        }
        Series(rows.into_iter().map(|(m, row)| (m, Univariate::new(row))).collect())
    }

    /// The terms: the powers of the y, that of x, and the coefficient.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (&Monomial, usize, u128)> {
        let each = |(m, row): (_, &Univariate)| {
            let row = row.coefficients().to_vec().into_iter().enumerate();
            row.filter(|t| t.1 != 0).map(move |(k, c)| (m, k, c))
        };
        self.0.iter().flat_map(each)
    }

    /// What it is on the line y = 0.
    pub(crate) fn on_line(&self) -> Univariate {
        self.0.get(&Monomial::default()).cloned().unwrap_or_default()
    }

    /// The total degree in the y and x is at most this.
    pub(crate) fn is_within(&self, degree: usize) -> bool {
        self.0.iter().all(|(m, row)| m.total() + row.degree() <= degree)
    }

    pub(crate) fn scaled(&self, by: u128) -> Series {
        Series(self.0.iter().map(|(m, row)| (m.clone(), row.scaled(by))).collect())
    }

    fn add(&mut self, m: Monomial, row: &Univariate) {
        let sum = self.0.remove(&m).unwrap_or_default().plus(row);
        if !sum.is_zero() {
            self.0.insert(m, sum);
        }
    }

    /// The product up to an order in the y.
    pub(crate) fn times(&self, other: &Series, order: usize, work: &Work) -> Option<Series> {
        let mut out = Series::default();
        for (m, f) in &self.0 {
            for (n, g) in other.0.iter().filter(|(n, _)| m.total() + n.total() <= order) {
                out.add(m.times(n), &f.times(g, work)?);
            }
        }
        Some(out)
    }

    /// With each y replaced, up to an order in those that replace them.
    pub(crate) fn sheared(&self, all: &[Shear], order: usize, work: &Work) -> Option<Series> {
        let Some((Shear { unknown, shift, slope }, rest)) = all.split_last() else { return Some(self.clone()) };
        let mut powers: Vec<Series> = vec![];
        for (m, row) in &self.0 {
            let k = m.degree(*unknown) as usize;
            powers.resize(powers.len().max(k + 1), Series::default());
            powers[k].0.insert(m.without(*unknown), row.clone());
        }
        // After Horner.
        let (along, across) = (Univariate::new(vec![*shift, *slope]), Monomial(vec![(*unknown, 1)]));
        let mut out = Series::default();
        for coefficient in powers.iter().rev() {
            let mut next = coefficient.sheared(rest, order, work)?;
            for (m, row) in &out.0 {
                next.add(m.clone(), &row.times(&along, work)?);
                if m.total() < order {
                    next.add(m.times(&across), row);
                }
            }
            out = next;
        }
        Some(out)
    }

    /// The factors gⱼ up to an order, from those on the line, where self = Π gⱼ^mⱼ with the leading coefficient 1 in x.
    pub(crate) fn lifted(&self, line: &[(Univariate, u32)], order: usize, work: &Work) -> Option<Vec<Series>> {
        let line_series = |g: &Univariate| Series(BTreeMap::from([(Monomial::default(), g.clone())]));
        let mut out: Vec<Series> = line.iter().map(|(g, _)| line_series(g)).collect();
        // Π gᵢ^(mᵢ−1), and for each factor the inverse of mⱼ Π gᵢ over the others, modulo itself.
        let mut repeated = Univariate::one();
        let mut inverses = vec![];
        for (j, (g, m)) in line.iter().enumerate() {
            for _ in 1..*m {
                repeated = repeated.times(g, work)?;
            }
            let others = line.iter().enumerate().filter(|(i, _)| *i != j);
            let cofactor = others.map(|(_, (f, _))| f).try_fold(Univariate::one(), |p, f| p.times(f, work))?;
            inverses.push(cofactor.scaled(u128::from(*m)).inverse(g, work)?);
        }
        for k in 1..=order {
            let mut product = Series::one();
            for (g, (_, m)) in out.iter().zip(line) {
                for _ in 0..*m {
                    product = product.times(g, k, work)?;
                }
            }
            let open: Vec<&Monomial> = self.0.keys().chain(product.0.keys()).filter(|m| m.total() == k).collect();
            let of = |s: &Series, m: &Monomial| s.0.get(m).cloned().unwrap_or_default();
            let errors: BTreeMap<Monomial, Univariate> =
                open.into_iter().map(|m| (m.clone(), of(self, m).minus(&of(&product, m)))).collect();
            for (m, error) in errors {
                let (error, rest) = error.divided(&repeated, work)?;
                if !rest.is_zero() {
                    return None;
                }
                for ((g, (own, _)), inverse) in out.iter_mut().zip(line).zip(&inverses) {
                    let correction = error.times(inverse, work)?.divided(own, work)?.1;
                    g.add(m.clone(), &correction);
                }
            }
        }
        Some(out)
    }
}
