//! Irreducible factors over the rational numbers.
//!
//! A factor of total degree d is one of degree d on every line that the leading form does not vanish along. So a polynomial
//! is looked at on lines in general position modulo a large prime: the degrees that products of its factors have on all of
//! these lines are the only ones that factors may have, which often decides. Otherwise the factors on one line are lifted
//! (see `lifting`), and products of them are tried; what divides is a factor. That no other one exists is known if its
//! coefficients would be told from their residues: heights of factors multiply to at most e^(d₁ + … + dₙ) times that
//! of the product, where dᵢ is the degree in the unknown i (A. O. Gelfond).

use super::divisor::{common_monomial, content, content_in};
use super::lifting::{Series, Shear};
use super::modular;
use super::polynomial::{Monomial, Polynomial};
use super::univariate::Univariate;
use super::work::Work;
use cotangent_scalar::Random;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// What the factors of a polynomial may take, and what may be spent first on those that have fewer unknowns.
const FACTORS: u64 = 4_000_000;
const CONTENTS: u64 = 200_000;
/// How many lines are looked at.
const LINES: u64 = 3;
/// The largest number of factors on a line whose products are tried.
const MAX_ON_LINE: usize = 16;

/// The irreducible factors with their multiplicities, up to a number; `None` if they are not known.
pub(crate) fn factors(p: &Polynomial, work: &Work) -> Option<Vec<(Polynomial, u32)>> {
    if p.is_zero() {
        return None;
    }
    let m = common_monomial(p);
    let mut out: Vec<(Polynomial, u32)> = m.0.iter().map(|&(v, k)| (Polynomial::unknown(v), k)).collect();
    let core = p.over(&Polynomial::monomial(m.clone(), content(p).max(1)), work)?.positive().0;
    work.within(FACTORS, || by_unknowns(core, &mut out, work))?;
    // The shorter ones first, as a reader would write them; the order says nothing.
    let key = |p: &Polynomial| {
        (p.total_degree(), p.0.len(), Reverse(p.0.iter().rev().map(|(m, c)| (m.clone(), *c)).collect::<Vec<_>>()))
    };
    out[m.0.len()..].sort_by_cached_key(|f| key(&f.0));
    Some(out)
}

/// Factors that have not all of the unknowns, first: what the coefficients of the powers of an unknown have in common.
fn by_unknowns(p: Polynomial, out: &mut Vec<(Polynomial, u32)>, work: &Work) -> Option<()> {
    if p.as_constant().is_some() {
        return Some(());
    }
    let mut primitive = true;
    for v in p.unknowns() {
        match work.within(CONTENTS, || content_in(&p, v, work)) {
            Some(common) if common.as_constant().is_none() => {
                by_unknowns(p.over(&common, work)?.positive().0, out, work)?;
                return by_unknowns(common, out, work);
            }
            Some(_) => {}
            None => primitive = false,
        }
    }
    // Of degree 1 in an unknown, and without a content: irreducible.
    match primitive && p.unknowns().iter().any(|&v| p.degree(v) == 1) {
        true => out.push((p, 1)),
        false => out.extend(by_lines(p, work)?),
    }
    Some(())
}

/// A polynomial on a line: of each multiplicity the products of the factors of one degree, with the degree.
struct OnLine {
    shears: Vec<Shear>,
    classes: BTreeMap<u32, Vec<(Univariate, usize)>>,
}

impl OnLine {
    /// `None` if the line is a special one, too.
    fn new(p: &Polynomial, x: u32, seed: u64, work: &Work) -> Option<OnLine> {
        let mut random = Random::new(Random::SEED + seed);
        let mut next = || modular::anywhere(&mut random);
        let others = p.unknowns().into_iter().filter(|&v| v != x);
        let shears: Vec<Shear> = others.map(|unknown| Shear { unknown, shift: next(), slope: next() }).collect();
        let line = Series::new(p, x).sheared(&shears, 0, work)?.on_line();
        if line.degree() != p.total_degree() {
            return None;
        }
        let mut classes = BTreeMap::new();
        for (part, multiplicity) in line.square_free(work)? {
            classes.insert(multiplicity, part.by_degree(work)?);
        }
        Some(OnLine { shears, classes })
    }

    /// The degrees of the factors of a class.
    fn degrees(class: &[(Univariate, usize)]) -> Vec<usize> {
        class.iter().flat_map(|(product, d)| vec![*d; product.degree() / d]).collect()
    }

    fn count(&self) -> usize {
        self.classes.values().map(|class| OnLine::degrees(class).len()).sum()
    }

    /// The degrees that products of factors of each class may have.
    fn sums(&self) -> BTreeMap<u32, BTreeSet<usize>> {
        let sums = |class: &Vec<(Univariate, usize)>| {
            OnLine::degrees(class).into_iter().fold(BTreeSet::from([0]), |known, d| {
                let more: Vec<usize> = known.iter().map(|s| s + d).collect();
                known.into_iter().chain(more).collect()
            })
        };
        self.classes.iter().map(|(&m, class)| (m, sums(class))).collect()
    }
}

/// A class, and the degree of all of it.
fn whole((&m, sums): (&u32, &BTreeSet<usize>)) -> (u32, Option<usize>) {
    (m, sums.last().copied())
}

fn by_lines(p: Polynomial, work: &Work) -> Option<Vec<(Polynomial, u32)>> {
    let x = *p.unknowns().first()?;
    let (mut best, mut degrees): (Option<OnLine>, Option<BTreeMap<u32, BTreeSet<usize>>>) = (None, None);
    for seed in 0..LINES {
        let line = OnLine::new(&p, x, seed, work)?;
        let sums = line.sums();
        let left = match degrees.take() {
            None => sums,
            Some(known) if known.iter().map(whole).eq(sums.iter().map(whole)) => {
                known.into_iter().zip(sums).map(|((m, a), (_, b))| (m, a.intersection(&b).copied().collect())).collect()
            }
            // One of the lines is a special one.
            Some(_) => return None,
        };
        if left.keys().eq([&1]) && left.values().all(|d| d.len() == 2) {
            return Some(vec![(p, 1)]);
        }
        degrees = Some(left);
        if best.as_ref().is_none_or(|known| line.count() < known.count()) {
            best = Some(line);
        }
    }
    let (line, degrees) = (best?, degrees?);
    let bound = bound(&p);
    if line.count() > MAX_ON_LINE || bound >= LARGEST {
        return None;
    }
    Search { rest: p, x, degrees, bound, out: vec![], work }.run(line)
}

/// A little less than half the prime.
const LARGEST: f64 = (1u128 << 125) as f64;

/// What the coefficients of factors, times the leading one of the polynomial, do not exceed, nor those that a division by
/// a factor meets.
fn bound(p: &Polynomial) -> f64 {
    let height = p.0.values().map(|c| c.unsigned_abs()).max().unwrap_or(0) as f64;
    let lead = p.0.last_key_value().map_or(0, |t| t.1.unsigned_abs()) as f64;
    let degrees: u32 = p.unknowns().iter().map(|&v| p.degree(v)).sum();
    (lead + p.0.len() as f64) * height * f64::from(degrees).exp()
}

/// The search for products of factors on a line that are factors of the polynomial.
struct Search<'a> {
    /// The polynomial without the factors that were found.
    rest: Polynomial,
    x: u32,
    /// The degrees that factors of each multiplicity may have.
    degrees: BTreeMap<u32, BTreeSet<usize>>,
    /// Of coefficients.
    bound: f64,
    out: Vec<(Polynomial, u32)>,
    work: &'a Work,
}

impl Search<'_> {
    fn run(mut self, line: OnLine) -> Option<Vec<(Polynomial, u32)>> {
        let (mut on_line, mut order) = (vec![], 0);
        for (&m, class) in &line.classes {
            let whole: usize = class.iter().map(|(product, _)| product.degree()).sum();
            // The larger one of two simple factors is what is left of the polynomial.
            let most = if m == 1 { whole / 2 } else { whole };
            order = order.max(self.degrees[&m].iter().copied().filter(|&d| d <= most).max().unwrap_or(0));
            for (product, degree) in class {
                on_line.extend(product.of_degree(*degree, self.work)?.into_iter().map(|g| (g, m)));
            }
        }
        let target = Series::new(&self.rest, self.x).sheared(&line.shears, order, self.work)?;
        let lead = *target.on_line().coefficients().last()?;
        let lifted = target.scaled(modular::inverse(lead)).lifted(&on_line, order, self.work)?;
        let mut simple = 0;
        for &m in line.classes.keys().rev() {
            let own = lifted.iter().zip(&on_line).filter(|(_, g)| g.1 == m).map(|(g, _)| g.clone()).collect();
            let left = self.class(m, own, &line.shears)?;
            // What is a power modulo the prime alone is none: nothing is known of its factors.
            if m > 1 && left > 0 {
                return None;
            }
            simple = left;
        }
        // What is left has no factor of half its degree or less, if it is made of simple factors on the line.
        match self.rest.as_constant() {
            Some(_) => {}
            None if line.classes.contains_key(&1) && self.rest.total_degree() == simple => {
                self.out.push((self.rest, 1))
            }
            None => return None,
        }
        Some(self.out)
    }

    /// The factors of one multiplicity: products of as few as possible. Returns the degree of those on the line that are in none.
    fn class(&mut self, multiplicity: u32, mut open: Vec<Series>, shears: &[Shear]) -> Option<usize> {
        let back: Vec<Shear> = shears.iter().map(Shear::back).collect();
        let mut size = 1;
        while size <= open.len() {
            let Some((chosen, g)) = self.next(size, &open, multiplicity, &back)? else {
                size += 1;
                continue;
            };
            for _ in 0..multiplicity {
                self.rest = self.rest.over(&g, self.work)?;
            }
            self.out.push((g, multiplicity));
            let mut at = 0..;
            open.retain(|_| at.next().is_some_and(|k: usize| !chosen.contains(&k)));
        }
        Some(open.iter().map(|g| g.on_line().degree()).sum())
    }

    /// The next product of so many that is a factor.
    fn next(&self, size: usize, open: &[Series], m: u32, back: &[Shear]) -> Option<Option<(Vec<usize>, Polynomial)>> {
        for chosen in subsets(open.len(), size) {
            if let Some(g) = self.tried(&chosen, open, m, back)? {
                return Some(Some((chosen, g)));
            }
        }
        Some(None)
    }

    /// Whether the product of some factors is one of the polynomial: `Some(None)` if not, `None` if that is not known.
    fn tried(&self, chosen: &[usize], open: &[Series], m: u32, back: &[Shear]) -> Option<Option<Polynomial>> {
        let degree = |g: &Series| g.on_line().degree();
        let own: usize = chosen.iter().map(|&k| degree(&open[k])).sum();
        let whole: usize = open.iter().map(degree).sum();
        if !self.degrees[&m].contains(&own) || m == 1 && 2 * own > whole {
            return Some(None);
        }
        let product = chosen.iter().try_fold(Series::one(), |p, &k| p.times(&open[k], own, self.work))?;
        if !product.is_within(own) {
            return Some(None);
        }
        let there = product.sheared(back, own, self.work)?;
        let Some(g) = self.integral(&there) else { return Some(None) };
        Some(self.rest.quotient(&g, self.work)?.map(|_| g))
    }

    /// The polynomial with integer coefficients, of which this is a multiple modulo the prime: its leading coefficient
    /// divides that of the whole. `None` if no factor has such coefficients.
    fn integral(&self, found: &Series) -> Option<Polynomial> {
        let with_x = |m: &Monomial, k: usize| match k {
            0 => m.clone(),
            _ => m.times(&Monomial(vec![(self.x, k as u32)])),
        };
        let residues: BTreeMap<Monomial, u128> = found.terms().map(|(m, k, c)| (with_x(m, k), c)).collect();
        let lead = modular::residue(*self.rest.0.last_key_value()?.1);
        let scale = modular::times(lead, modular::inverse(*residues.last_key_value()?.1));
        let integers = residues.into_iter().map(|(m, c)| (m, modular::balanced(modular::times(c, scale))));
        let multiple = Polynomial(integers.collect());
        if multiple.0.values().any(|c| c.unsigned_abs() as f64 > self.bound) {
            return None;
        }
        let number = content(&multiple).max(1);
        Some(Polynomial(multiple.0.into_iter().map(|(m, c)| (m, c / number)).collect()).positive().0)
    }
}

/// The subsets of 0, …, n − 1 with so many elements.
fn subsets(n: usize, size: usize) -> impl Iterator<Item = Vec<usize>> {
    (0u32..1 << n)
        .filter(move |mask| mask.count_ones() as usize == size)
        .map(move |mask| (0..n).filter(|k| mask >> k & 1 == 1).collect())
}

#[cfg(test)]
mod tests;
