//! Products of polynomials that SymPy 1.14 says are irreducible over the rational numbers (`factor_list` finds them to be
//! their only factor): factorisation is unique, so that exactly these have to be found again.
//!
//! `irreducible.txt` has one in each line, coefficient:exponents of x, y, z, w.

use super::factors;
use crate::algebra::modular;
use crate::algebra::polynomial::{Monomial, Polynomial};
use crate::algebra::work::Work;
use cotangent_scalar::Random;

fn parsed(line: &str) -> Polynomial {
    let term = |text: &str| {
        let (c, exponents) = text.split_once(':').unwrap();
        let powers = exponents.bytes().zip(0u32..).map(|(k, v)| (v, u32::from(k - b'0'))).filter(|f| f.1 > 0);
        (Monomial(powers.collect()), c.parse().unwrap())
    };
    Polynomial(line.split(' ').map(term).collect()).positive().0
}

fn irreducible() -> Vec<Polynomial> {
    include_str!("irreducible.txt").lines().map(parsed).collect()
}

fn product(parts: &[(Polynomial, u32)]) -> Polynomial {
    let work = &Work::default();
    parts.iter().fold(Polynomial::one(), |p, (f, k)| p.times(&f.power(*k, work).unwrap(), work).unwrap())
}

/// The same in one order.
fn sorted(mut all: Vec<(Polynomial, u32)>) -> Vec<(Polynomial, u32)> {
    all.sort_by_key(|(p, k)| (*k, p.0.iter().map(|(m, c)| (m.0.clone(), *c)).collect::<Vec<_>>()));
    all
}

#[test]
fn a_square_modulo_the_prime_alone_is_not_taken_for_irreducible() {
    // x² + b x + c with b² − 4c = 3 (2¹²⁷ − 1): a square modulo the prime, irreducible over the rational numbers.
    let (b, c) = (22_592_555_198_148_962_257i128, 9_085_650_594_589_554_217i128);
    assert_eq!(modular::times(modular::residue(b), modular::residue(b)), modular::residue(4 * c));
    let of = |terms: &[(u32, i128)]| {
        let term = |&(k, c): &(u32, i128)| (Monomial(if k > 0 { vec![(0, k)] } else { vec![] }), c);
        Polynomial(terms.iter().map(term).collect())
    };
    let (line, square) = (of(&[(1, 1), (0, -1)]), of(&[(2, 1), (1, b), (0, c)]));
    let both = vec![(line, 1), (square, 1)];
    let found = factors(&product(&both), &Work::default());
    assert!(found.is_none_or(|found| sorted(found) == sorted(both)));
}

#[test]
fn irreducible_polynomials_are_their_only_factor() {
    for p in irreducible() {
        assert_eq!(factors(&p, &Work::default()), Some(vec![(p.clone(), 1)]), "{p:?}");
    }
}

/// Two to four of them, some repeated, of degree 10 at most; with a number before them.
#[test]
fn products_are_taken_apart_into_what_they_were_made_of() {
    let (all, mut random) = (irreducible(), Random::default());
    let cases = 150 * std::env::var("SOAK").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    for _ in 0..cases {
        let mut next = |n: usize| (random.uniform() * n as f64) as usize;
        let mut parts: Vec<(Polynomial, u32)> = vec![];
        for _ in 0..2 + next(3) {
            let (f, k) = (&all[next(all.len())], 1 + (next(4) / 3) as u32);
            let degree: usize = parts.iter().map(|(p, k)| p.total_degree() * *k as usize).sum();
            if degree + f.total_degree() * k as usize <= 10 && parts.iter().all(|p| p.0 != *f) {
                parts.push((f.clone(), k));
            }
        }
        let number = Polynomial::constant(next(30) as i128 - 40);
        let p = number.times(&product(&parts), &Work::default()).unwrap();
        let found = factors(&p, &Work::default());
        assert_eq!(found.map(sorted), Some(sorted(parts.clone())), "{parts:?}");
    }
}

#[test]
fn monomials_and_numbers_are_factors_too() {
    let work = &Work::default();
    let x = Polynomial::unknown(0);
    assert_eq!(factors(&Polynomial::constant(-12), work), Some(vec![]));
    assert_eq!(factors(&Polynomial::default(), work), None);
    let p = product(&[(x.clone(), 3), (Polynomial::unknown(5), 1), (Polynomial::constant(7), 1)]);
    assert_eq!(factors(&p, work), Some(vec![(x, 3), (Polynomial::unknown(5), 1)]));
}

/// xⁿ − 1 has a factor for each divisor of n: the cyclotomic polynomials.
#[test]
fn powers_of_one() {
    let work = &Work::default();
    let x = |k: u32| Polynomial::unknown(0).power(k, work).unwrap();
    for (n, count) in [(1, 1), (2, 2), (6, 4), (12, 6), (15, 4), (16, 5)] {
        let found = factors(&x(n).minus(&Polynomial::one(), work).unwrap(), work).unwrap();
        assert_eq!(found.len(), count, "x^{n} − 1");
    }
}

/// Where work or numbers do not suffice nothing is said.
#[test]
fn what_is_not_known_is_not_said() {
    let [f, g] = ["1:2000 1:0200 -1:0000", "1:2000 2:0200 -3:0000"].map(parsed);
    let p = product(&[(f, 1), (g, 1)]);
    let short = Work::new(100, &cotangent_scalar::Limits::default());
    assert_eq!(factors(&p, &short), None);
    // Gelfond's bound for a height of 2¹²⁰ is beyond the prime.
    let large = |c: i128| {
        Polynomial::unknown(0).power(2, &Work::default()).unwrap().plus(&Polynomial::constant(c), &Work::default())
    };
    let p = product(&[(large(-(1 << 60) + 1).unwrap(), 1), (large(-(1 << 60) + 3).unwrap(), 1)]);
    assert_eq!(factors(&p, &Work::default()), None);
}
