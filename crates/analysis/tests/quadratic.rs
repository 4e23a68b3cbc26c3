//! Random quadratic Lagrangians, whose constraints follow from linear algebra.
//!
//! L = ½ q̇ᵀM q̇ + q̇ᵀA q − ½ qᵀK q. A state z = (q, p) has a solution through it if it is in the largest subspace V with:
//! for each z in V there are velocities v with p = M v + A q and (v, Aᵀv − K q) in V again. V is found by exact elimination
//! modulo a prime, from the equations of motion as they stand: there is no Legendre transform in it, no Hamiltonian and no
//! multiplier. The rows C of V = {C z = 0} are the constraints, and the rank of their brackets C J Cᵀ is the number of those
//! that are second class.

mod common;

use common::{analysis, counts};
use proptest::prelude::*;

/// 2⁶¹ − 1: no determinant of small integers is a multiple by accident.
const PRIME: i128 = (1 << 61) - 1;

type Matrix = Vec<Vec<i128>>;

fn inverse(x: i128) -> i128 {
    let (mut base, mut exponent, mut out) = (x.rem_euclid(PRIME), PRIME - 2, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            out = out * base % PRIME;
        }
        base = base * base % PRIME;
        exponent >>= 1;
    }
    out
}

/// Reduced row echelon form in the first `columns` columns, and its rank there.
fn echelon(rows: &mut Matrix, columns: usize) -> usize {
    let mut rank = 0;
    for c in 0..columns {
        let Some(pivot) = (rank..rows.len()).find(|&r| rows[r][c].rem_euclid(PRIME) != 0) else { continue };
        rows.swap(rank, pivot);
        let by = inverse(rows[rank][c]);
        rows[rank].iter_mut().for_each(|x| *x = *x * by % PRIME);
        let lead = rows[rank].clone();
        for r in (0..rows.len()).filter(|&r| r != rank) {
            let factor = rows[r][c].rem_euclid(PRIME);
            if factor != 0 {
                rows[r].iter_mut().zip(&lead).for_each(|(x, l)| *x = (*x - factor * l % PRIME).rem_euclid(PRIME));
            }
        }
        rank += 1;
    }
    rank
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let entry = |row: &[i128], j: usize| row.iter().zip(b).fold(0, |s, (x, r)| (s + x * r[j]).rem_euclid(PRIME));
    a.iter().map(|row| (0..b.first().map_or(0, Vec::len)).map(|j| entry(row, j)).collect()).collect()
}

fn transposed(a: &Matrix) -> Matrix {
    (0..a.first().map_or(0, Vec::len)).map(|j| a.iter().map(|r| r[j]).collect()).collect()
}

/// (first class, second class, degrees of freedom).
fn expected(m: &Matrix, a: &Matrix, k: &Matrix) -> (usize, usize, usize) {
    let n = m.len();
    let mut constraints: Matrix = vec![];
    loop {
        // G v = R z: p − A q = M v, and C (v, Aᵀv) = C (0, K q).
        let mut all: Matrix = vec![];
        for i in 0..n {
            let momentum = (0..n).map(|j| i128::from(i == j));
            all.push(m[i].iter().copied().chain(a[i].iter().map(|x| -x)).chain(momentum).collect());
        }
        for c in &constraints {
            let (on_q, on_p) = (vec![c[..n].to_vec()], vec![c[n..].to_vec()]);
            let velocity = product(&on_p, &transposed(a));
            let force = product(&on_p, k);
            let left = on_q[0].iter().zip(&velocity[0]).map(|(x, y)| x + y);
            all.push(left.chain(force[0].iter().copied()).chain(vec![0; n]).collect());
        }
        let rank = echelon(&mut all, n);
        let mut new: Matrix = constraints.clone();
        new.extend(all[rank..].iter().map(|row| row[n..].to_vec()));
        let count = echelon(&mut new, 2 * n);
        new.truncate(count);
        if count == constraints.len() {
            break;
        }
        constraints = new;
    }
    let turned: Matrix =
        constraints.iter().map(|c| c[n..].iter().map(|x| -x).chain(c[..n].iter().copied()).collect()).collect();
    let mut brackets = if constraints.is_empty() { vec![] } else { product(&constraints, &transposed(&turned)) };
    let second = echelon(&mut brackets, constraints.len());
    let first = constraints.len() - second;
    (first, second, (2 * n - second - 2 * first) / 2)
}

fn text(m: &Matrix, a: &Matrix, k: &Matrix) -> String {
    let n = m.len();
    let names: Vec<String> = (0..n).map(|i| format!("q{i}")).collect();
    let mut terms = vec![];
    for i in 0..n {
        for j in 0..n {
            terms.push(format!("({})*q{i}'*q{j}'/2 + ({})*q{i}'*q{j} - ({})*q{i}*q{j}/2", m[i][j], a[i][j], k[i][j]));
        }
    }
    format!("coord {}\nlagrangian {}\n", names.join(", "), terms.join(" + "))
}

/// Σ ± w wᵀ of a few random vectors.
fn symmetric(n: usize, most: usize) -> impl Strategy<Value = Matrix> {
    let vector = prop::collection::vec(-2i128..=2, n);
    prop::collection::vec((vector, prop::bool::ANY), 0..=most).prop_map(move |all| {
        let mut out = vec![vec![0; n]; n];
        for (w, positive) in all {
            for i in 0..n {
                for j in 0..n {
                    out[i][j] += if positive { w[i] * w[j] } else { -w[i] * w[j] };
                }
            }
        }
        out
    })
}

fn lagrangian() -> impl Strategy<Value = (Matrix, Matrix, Matrix)> {
    (2usize..=5).prop_flat_map(|n| {
        let sparse = prop::collection::vec(prop_oneof![3 => Just(0i128), 1 => -2i128..=2], n);
        (symmetric(n, n - 1), prop::collection::vec(sparse, n), symmetric(n, n))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn quadratic_lagrangians_are_linear_algebra((m, a, k) in lagrangian()) {
        let text = text(&m, &a, &k);
        let report = analysis(&text);
        prop_assert!(report.stopped.is_none(), "{text}{:?}", report.stopped);
        prop_assert_eq!(counts(&report), expected(&m, &a, &k), "{}", text);
        // Linear constraints are regular: every first-class one generates a gauge transformation.
        let fails = report.conjecture.is_some_and(|c| !c.not_gauge.is_empty());
        prop_assert!(!fails, "{}", text);
    }
}

/// The oracle by hand: (x′ − y)²/2 is pure gauge, x y′ − y x′ is one degree of freedom, x′² one besides a spectator.
#[test]
fn the_subspaces_are_those_found_by_hand() {
    let zero = || vec![vec![0; 2]; 2];
    let (m, a, k) = (vec![vec![1, 0], vec![0, 0]], vec![vec![0, -1], vec![0, 0]], vec![vec![0, 0], vec![0, -1]]);
    assert_eq!(expected(&m, &a, &k), (2, 0, 0));
    assert_eq!(expected(&zero(), &vec![vec![0, -1], vec![1, 0]], &zero()), (0, 2, 1));
    assert_eq!(expected(&m, &zero(), &zero()), (1, 0, 1));
}
