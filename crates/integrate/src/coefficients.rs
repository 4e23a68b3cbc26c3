//! Coefficients of methods, computed in double-double and rounded once.

use cotangent_scalar::{Dd, Real, Scalar};
use std::cmp::Ordering;

/// A coefficient of a method.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Coefficient {
    /// A number, rounded once.
    Number(Dd),
    /// 1 − x with x rounded once, where the sum of both has to be 1 exactly.
    Complement(Dd),
    /// A number that is known when the step is made, by its place among those.
    Given(usize),
}

impl From<f64> for Coefficient {
    fn from(x: f64) -> Self {
        Coefficient::Number(Dd::from(x))
    }
}

impl Coefficient {
    pub(crate) fn value<S: Scalar>(self, given: &[S]) -> S {
        match self {
            Coefficient::Number(x) => rounded(x),
            Coefficient::Complement(x) => S::from_f64(1.0) - rounded::<S>(x),
            Coefficient::Given(k) => given[k],
        }
    }
}

/// So many stages and no more are continued as a polynomial.
const EXTRAPOLATED: usize = 8;

/// The coefficients of Gauss collocation: weights bᵢ, nodes cᵢ and μᵢⱼ = aᵢⱼ/bⱼ.
///
/// The method is symplectic where bᵢ aᵢⱼ + bⱼ aⱼᵢ = bᵢ bⱼ, that is μᵢⱼ + μⱼᵢ = 1. Of each pair the
/// larger is rounded, and the other, 1 − μ, needs no rounding: the condition holds exactly in
/// floating point, too, and no drift comes of the coefficients.
///
/// M. Antoñana, J. Makazaga & A. Murua, Numer. Algorithms 76 (2017) 861.
#[derive(Clone, Debug)]
pub(crate) struct Gauss {
    nodes: Vec<Dd>,
    weights: Vec<Dd>,
    /// μ, row by row.
    matrix: Vec<Dd>,
}

impl Gauss {
    /// For any positive number of stages.
    pub(crate) fn new(stages: usize) -> Gauss {
        let (nodes, weights) = quadrature(stages);
        // aᵢⱼ = ∫₀^cᵢ ℓⱼ, where the quadrature on [0, cᵢ] is exact.
        let integral = |i: usize, j: usize| {
            let terms = (0..stages).map(|k| weights[k] * lagrange(&nodes, j, nodes[i] * nodes[k]));
            nodes[i] * terms.fold(Dd::from(0.0), |sum, term| sum + term) / weights[j]
        };
        let matrix = (0..stages * stages).map(|k| integral(k / stages, k % stages)).collect();
        Gauss { nodes, weights, matrix }
    }

    pub(crate) fn stages(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn c(&self, i: usize) -> Coefficient {
        Coefficient::Number(self.nodes[i])
    }

    pub(crate) fn b(&self, i: usize) -> Coefficient {
        Coefficient::Number(self.weights[i])
    }

    /// bᵢ ℓⱼ(1 + cᵢ)/bⱼ: the terms h bᵢ f of the next step, of the same size, on the polynomial through those of this one.
    pub(crate) fn extrapolation(&self, i: usize, j: usize) -> Coefficient {
        Coefficient::Number(self.weights[i] * ahead(&self.nodes, j, self.nodes[i]) / self.weights[j])
    }

    /// μᵢⱼ = aᵢⱼ/bⱼ.
    pub(crate) fn mu(&self, i: usize, j: usize) -> Coefficient {
        let at = |i: usize, j: usize| self.matrix[i * self.stages() + j];
        match i.cmp(&j) {
            // The nodes grow with the index.
            Ordering::Greater => Coefficient::Number(at(i, j)),
            Ordering::Equal => 0.5.into(),
            Ordering::Less => Coefficient::Complement(at(j, i)),
        }
    }
}

/// The coefficients of the Lobatto IIIA–IIIB pair, s ≥ 2 stages.
#[derive(Clone, Debug)]
pub(crate) struct Lobatto {
    nodes: Vec<Dd>,
    weights: Vec<Dd>,
    /// IIIA, for the positions; row by row. Its first row is zero, its last the weights.
    positions: Vec<Dd>,
    /// IIIB, for the momenta. Its last column is zero, its first the first weight.
    momenta: Vec<Dd>,
}

impl Lobatto {
    pub(crate) fn new(stages: usize) -> Lobatto {
        let (nodes, weights) = lobatto(stages);
        let (inner, inner_weights) = quadrature(stages);
        let integral = |i: usize, j: usize| {
            let terms = (0..stages).map(|k| inner_weights[k] * lagrange(&nodes, j, nodes[i] * inner[k]));
            nodes[i] * terms.fold(Dd::from(0.0), |sum, term| sum + term)
        };
        let positions: Vec<Dd> = (0..stages * stages).map(|k| integral(k / stages, k % stages)).collect();
        // bᵢ âᵢⱼ + bⱼ aⱼᵢ = bᵢ bⱼ: the pair is symplectic.
        let conjugate = |i: usize, j: usize| match (i, j) {
            (_, 0) => weights[0],
            (_, j) if j + 1 == stages => Dd::from(0.0),
            (i, j) => weights[j] * (Dd::from(1.0) - positions[j * stages + i] / weights[i]),
        };
        let momenta = (0..stages * stages).map(|k| conjugate(k / stages, k % stages)).collect();
        Lobatto { nodes, weights, positions, momenta }
    }

    pub(crate) fn stages(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn c(&self, i: usize) -> Coefficient {
        Coefficient::Number(self.nodes[i])
    }

    pub(crate) fn b(&self, i: usize) -> Coefficient {
        Coefficient::Number(self.weights[i])
    }

    /// IIIA.
    pub(crate) fn a(&self, i: usize, j: usize) -> Coefficient {
        Coefficient::Number(self.positions[i * self.stages() + j])
    }

    /// IIIB.
    pub(crate) fn a_hat(&self, i: usize, j: usize) -> Coefficient {
        Coefficient::Number(self.momenta[i * self.stages() + j])
    }

    /// The inverse of A Â without its first row and its last column, which are zero; row by row.
    pub(crate) fn inverse_of_product(&self) -> Vec<Dd> {
        let s = self.stages();
        let entry = |i: usize, k: usize| sum((0..s).map(|j| self.positions[i * s + j] * self.momenta[j * s + k]));
        inverse((1..s).map(|i| (0..s - 1).map(|k| entry(i, k)).collect()).collect())
    }

    /// Σₖ aᵢₖ ℓⱼ(1 + cₖ): positions of the next step, of the same size, from the velocities of this one.
    pub(crate) fn next_position(&self, i: usize, j: usize) -> Coefficient {
        let s = self.stages();
        Coefficient::Number(sum((0..s).map(|k| self.positions[i * s + k] * ahead(&self.nodes, j, self.nodes[k]))))
    }

    /// Σₖ âᵢₖ ℓⱼ(1 + cₖ): its momenta from the forces of this one, of all nodes but the last.
    pub(crate) fn next_momentum(&self, i: usize, j: usize) -> Coefficient {
        let (s, nodes) = (self.stages(), &self.nodes[..self.stages() - 1]);
        Coefficient::Number(sum((0..s - 1).map(|k| self.momenta[i * s + k] * ahead(nodes, j, self.nodes[k]))))
    }

    /// ℓⱼ(1 + cᵢ): its multipliers from those of this one.
    pub(crate) fn next_multiplier(&self, i: usize, j: usize) -> Coefficient {
        Coefficient::Number(ahead(&self.nodes[..self.stages() - 1], j, self.nodes[i]))
    }
}

fn sum(terms: impl Iterator<Item = Dd>) -> Dd {
    terms.fold(Dd::from(0.0), |sum, term| sum + term)
}

/// ℓⱼ(1 + c): what a polynomial through values at the nodes is a step further. With many nodes it would magnify their
/// rounding, and the last of them stands for all.
fn ahead(nodes: &[Dd], j: usize, c: Dd) -> Dd {
    match nodes.len() <= EXTRAPOLATED {
        true => lagrange(nodes, j, Dd::from(1.0) + c),
        false => Dd::from(if j + 1 == nodes.len() { 1.0 } else { 0.0 }),
    }
}

/// The inverse of a regular matrix, row by row (Gauss–Jordan elimination).
fn inverse(mut rows: Vec<Vec<Dd>>) -> Vec<Dd> {
    let n = rows.len();
    for (i, row) in rows.iter_mut().enumerate() {
        row.extend((0..n).map(|j| Dd::from(if i == j { 1.0 } else { 0.0 })));
    }
    for k in 0..n {
        let size = |i: usize| rows[i][k].value().abs();
        let pivot = (k..n).max_by(|&i, &j| size(i).total_cmp(&size(j))).unwrap_or(k);
        rows.swap(k, pivot);
        let own = rows[k][k];
        rows[k].iter_mut().for_each(|x| *x = *x / own);
        let solved = rows[k].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            let factor = row[k];
            row.iter_mut().zip(&solved).for_each(|(x, &y)| *x = *x - factor * y);
        }
    }
    rows.iter().flat_map(|row| row[n..].iter().copied()).collect()
}

/// The coefficients of Radau IIA collocation, with d = a⁻¹: Σⱼ dᵢⱼ u(cⱼ) = u′(cᵢ) for a polynomial u
/// of degree s with u(0) = 0.
#[derive(Clone, Debug)]
pub(crate) struct Radau {
    nodes: Vec<Dd>,
    /// Row by row.
    derivatives: Vec<Dd>,
}

impl Radau {
    /// For any positive number of stages.
    pub(crate) fn new(stages: usize) -> Radau {
        let nodes = radau(stages);
        let one = Dd::from(1.0);
        // The derivatives of the Lagrange polynomials of 0, c₁, …, c_s, where ω = Π (x − cₖ), 0 among
        // the cₖ: ω′(cᵢ)/ω′(cⱼ)/(cᵢ − cⱼ), and the sum of the 1/(cⱼ − cₖ) for i = j.
        let others = |j: usize| (0..stages).filter(move |&k| k != j);
        let slope = |j: usize| others(j).fold(nodes[j], |product, k| product * (nodes[j] - nodes[k]));
        let slopes: Vec<Dd> = (0..stages).map(slope).collect();
        let derivative = |i: usize, j: usize| match i == j {
            true => others(j).fold(one / nodes[j], |sum, k| sum + one / (nodes[j] - nodes[k])),
            false => slopes[i] / slopes[j] / (nodes[i] - nodes[j]),
        };
        let derivatives = (0..stages * stages).map(|k| derivative(k / stages, k % stages)).collect();
        Radau { nodes, derivatives }
    }

    pub(crate) fn stages(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn c(&self, i: usize) -> Coefficient {
        Coefficient::Number(self.nodes[i])
    }

    pub(crate) fn d(&self, i: usize, j: usize) -> Coefficient {
        Coefficient::Number(self.derivatives[i * self.stages() + j])
    }
}

/// A double-double in another arithmetic: its parts do not overlap, so the sum rounds once.
pub(crate) fn rounded<S: Scalar>(x: Dd) -> S {
    let (high, low) = (x.hi(), x.lo());
    S::from_f64(high) + S::from_f64(low)
}

/// Nodes and weights of Gauss–Legendre quadrature on [0, 1].
fn quadrature(stages: usize) -> (Vec<Dd>, Vec<Dd>) {
    let (one, half) = (Dd::from(1.0), Dd::from(0.5));
    let mut nodes = vec![half; stages];
    let mut weights = vec![one; stages];
    for i in 0..stages.div_ceil(2) {
        // The i-th root of the Legendre polynomial from the right, by Newton's method.
        let mut x = Dd::from((std::f64::consts::PI * (i as f64 + 0.75) / (stages as f64 + 0.5)).cos());
        let mut slope = one;
        for _ in 0..100 {
            let (value, derivative) = legendre(stages, x);
            slope = derivative;
            let update = value / derivative;
            x = x - update;
            if update.hi().abs() < 1e-20 {
                slope = legendre(stages, x).1;
                break;
            }
        }
        if 2 * i + 1 == stages {
            x = Dd::from(0.0);
            slope = legendre(stages, x).1;
        }
        let weight = one / ((one - x * x) * slope * slope);
        (nodes[i], nodes[stages - 1 - i]) = (half - half * x, half + half * x);
        (weights[i], weights[stages - 1 - i]) = (weight, weight);
    }
    (nodes, weights)
}

/// Nodes and weights of Lobatto quadrature on [0, 1], the ends among the nodes.
fn lobatto(stages: usize) -> (Vec<Dd>, Vec<Dd>) {
    let (zero, one, half) = (Dd::from(0.0), Dd::from(1.0), Dd::from(0.5));
    let n = stages - 1;
    let number = |k: usize| Dd::from(k as f64);
    let mut nodes = vec![zero; stages];
    nodes[n] = one;
    for i in 1..n {
        // A root of P_n′, by Newton's method; P_n″ from Legendre's equation.
        let mut x = Dd::from(-(std::f64::consts::PI * i as f64 / n as f64).cos());
        for _ in 0..100 {
            let (p, slope) = legendre(n, x);
            let second = (number(2) * x * slope - number(n * (n + 1)) * p) / (one - x * x);
            let update = slope / second;
            x = x - update;
            if update.hi().abs() < 1e-20 {
                break;
            }
        }
        nodes[i] = if 2 * i == n { half } else { half + half * x };
    }
    let weight = |&c: &Dd| {
        let x = c + c - one;
        let p = legendre_value(n, x);
        one / (number(n * (n + 1)) * p * p)
    };
    let weights = nodes.iter().map(weight).collect();
    (nodes, weights)
}

/// Nodes of Radau quadrature on [0, 1], the right end among them.
fn radau(stages: usize) -> Vec<Dd> {
    let (one, half) = (Dd::from(1.0), Dd::from(0.5));
    let mut nodes = vec![one; stages];
    for i in 1..stages {
        // A root of P_s − P_{s−1}, by Newton's method from that of the Chebyshev polynomials.
        let mut x = Dd::from((std::f64::consts::TAU * i as f64 / (2 * stages - 1) as f64).cos());
        for _ in 0..100 {
            let ((p, slope), (q, slope_q)) = (legendre(stages, x), legendre(stages - 1, x));
            let update = (p - q) / (slope - slope_q);
            x = x - update;
            if update.hi().abs() < 1e-20 {
                break;
            }
        }
        nodes[stages - 1 - i] = half + half * x;
    }
    nodes
}

/// P_n(x).
fn legendre_value(n: usize, x: Dd) -> Dd {
    let number = |k: usize| Dd::from(k as f64);
    let (mut before, mut p) = (Dd::from(0.0), Dd::from(1.0));
    for k in 0..n {
        let next = (number(2 * k + 1) * x * p - number(k) * before) / number(k + 1);
        (before, p) = (p, next);
    }
    p
}

/// P_n(x) and its derivative.
fn legendre(n: usize, x: Dd) -> (Dd, Dd) {
    let number = |k: usize| Dd::from(k as f64);
    let (p, before) = (legendre_value(n, x), legendre_value(n.saturating_sub(1), x));
    (p, number(n) * (x * p - before) / (x * x - Dd::from(1.0)))
}

/// The j-th Lagrange polynomial of the nodes at x.
fn lagrange(nodes: &[Dd], j: usize, x: Dd) -> Dd {
    let others = (0..nodes.len()).filter(|&k| k != j);
    others.fold(Dd::from(1.0), |product, k| product * (x - nodes[k]) / (nodes[j] - nodes[k]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MAX_STAGES;

    #[test]
    fn the_weights_integrate_polynomials_up_to_degree_2s_minus_1_exactly() {
        for s in 1..=12 {
            let g = Gauss::new(s);
            for degree in 0..2 * s {
                let power = |x: Dd| (0..degree).fold(Dd::from(1.0), |p, _| p * x);
                let sum = (0..s).fold(Dd::from(0.0), |sum, i| sum + g.weights[i] * power(g.nodes[i]));
                let error = (sum - Dd::from(1.0) / Dd::from((degree + 1) as f64)).hi().abs();
                assert!(error < 1e-30, "s = {s}, degree {degree}: {error:e}");
            }
        }
    }

    #[test]
    fn the_coefficients_satisfy_the_condition_of_symplecticity() {
        // bᵢ aᵢⱼ + bⱼ aⱼᵢ = bᵢ bⱼ: nearly before rounding, exactly after it.
        for s in 1..=MAX_STAGES {
            let g = Gauss::new(s);
            for i in 0..s {
                for j in 0..s {
                    let defect = g.matrix[i * s + j] + g.matrix[j * s + i] - Dd::from(1.0);
                    assert!(defect.hi().abs() < 1e-26, "s = {s}: {:e}", defect.hi());
                    let [mu, transposed] = [g.mu(i, j), g.mu(j, i)].map(|mu| mu.value::<f64>(&[]));
                    let sum = Dd::from(mu) + Dd::from(transposed);
                    assert_eq!((sum.hi(), sum.lo()), (1.0, 0.0), "s = {s}");
                    let error = (Dd::from(mu) - g.matrix[i * s + j]).hi().abs();
                    assert!(error < 1.2e-16, "s = {s}, μ = {mu}: {error:e}");
                }
            }
        }
    }

    #[test]
    fn lobatto_weights_integrate_polynomials_up_to_degree_2s_minus_3_exactly() {
        for s in 2..=12 {
            let l = Lobatto::new(s);
            for degree in 0..2 * s - 2 {
                let power = |x: Dd| (0..degree).fold(Dd::from(1.0), |p, _| p * x);
                let sum = (0..s).fold(Dd::from(0.0), |sum, i| sum + l.weights[i] * power(l.nodes[i]));
                let error = (sum - Dd::from(1.0) / Dd::from((degree + 1) as f64)).hi().abs();
                assert!(error < 1e-29, "s = {s}, degree {degree}: {error:e}");
            }
            for i in 0..s {
                assert!(l.positions[i].hi().abs() < 1e-30, "the first row is zero");
                let last = l.positions[(s - 1) * s + i] - l.weights[i];
                assert!(last.hi().abs() < 1e-29, "the last row is the weights");
                // IIIB satisfies Σⱼ âᵢⱼ = cᵢ only for s ≥ 3; its quadrature does.
                let row = (0..s).fold(Dd::from(0.0), |sum, j| sum + l.momenta[i * s + j]);
                assert!(s == 2 || (row - l.nodes[i]).hi().abs() < 1e-28, "s = {s}, row {i}");
            }
        }
    }

    #[test]
    fn three_stages_of_lobatto_are_the_textbook_ones() {
        let l = Lobatto::new(3);
        let close = |found: &[Dd], wanted: &[(i64, i64)]| {
            found.iter().zip(wanted).all(|(&f, &(n, d))| (f - Dd::ratio(n, d)).hi().abs() < 1e-30)
        };
        assert!(close(&l.positions, &[(0, 1), (0, 1), (0, 1), (5, 24), (1, 3), (-1, 24), (1, 6), (2, 3), (1, 6)]));
        assert!(close(&l.momenta, &[(1, 6), (-1, 6), (0, 1), (1, 6), (1, 3), (0, 1), (1, 6), (5, 6), (0, 1)]));
    }

    #[test]
    fn two_stages_are_the_textbook_ones() {
        let g = Gauss::new(2);
        let root = Dd::from(3.0).sqrt() / Dd::from(6.0);
        let close = |a: Dd, b: Dd| (a - b).hi().abs() < 1e-31;
        assert!(close(g.nodes[0], Dd::from(0.5) - root) && close(g.nodes[1], Dd::from(0.5) + root));
        assert!(close(g.matrix[0], Dd::from(0.5)) && close(g.matrix[1], Dd::from(0.5) - root - root));
        assert_eq!(Gauss::new(1).c(0).value::<f64>(&[]), 0.5);
        assert_eq!(Gauss::new(1).mu(0, 0).value::<f64>(&[]), 0.5);
        assert_eq!(Gauss::new(1).b(0).value::<f64>(&[]), 1.0);
    }

    #[test]
    fn radau_nodes_make_a_quadrature_that_is_exact_up_to_degree_2s_minus_2() {
        for s in (1..=12).chain([32]) {
            let r = Radau::new(s);
            assert!(r.nodes[0].hi() > 0.0 && r.nodes.is_sorted_by(|a, b| a < b), "s = {s}");
            assert_eq!(r.nodes[s - 1], Dd::from(1.0));
            let (inner, inner_weights) = quadrature(s);
            let weight = |j: usize| {
                let terms = (0..s).map(|k| inner_weights[k] * lagrange(&r.nodes, j, inner[k]));
                terms.fold(Dd::from(0.0), |sum, term| sum + term)
            };
            let weights: Vec<Dd> = (0..s).map(weight).collect();
            for degree in 0..2 * s - 1 {
                let power = |x: Dd| (0..degree).fold(Dd::from(1.0), |p, _| p * x);
                let sum = (0..s).fold(Dd::from(0.0), |sum, i| sum + weights[i] * power(r.nodes[i]));
                let error = (sum - Dd::from(1.0) / Dd::from((degree + 1) as f64)).hi().abs();
                assert!(error < 1e-28, "s = {s}, degree {degree}: {error:e}");
            }
        }
    }

    #[test]
    fn radau_derivatives_are_exact_on_polynomials_up_to_degree_s() {
        // The simplifying condition C(s), multiplied by a⁻¹: Σⱼ dᵢⱼ cⱼᵏ = k cᵢᵏ⁻¹.
        for s in (1..=12).chain([32]) {
            let r = Radau::new(s);
            let power = |x: Dd, k: usize| (0..k).fold(Dd::from(1.0), |p, _| p * x);
            for i in 0..s {
                let size = r.derivatives[i * s..(i + 1) * s].iter().fold(0.0, |sum, d| sum + d.hi().abs());
                for k in 1..=s {
                    let terms = (0..s).map(|j| r.derivatives[i * s + j] * power(r.nodes[j], k));
                    let sum = terms.fold(Dd::from(0.0), |sum, term| sum + term);
                    let error = (sum - Dd::from(k as f64) * power(r.nodes[i], k - 1)).hi().abs();
                    assert!(error < 1e-29 * size, "s = {s}, degree {k}: {error:e}");
                }
            }
        }
    }

    #[test]
    fn radau_derivatives_invert_the_textbook_matrices() {
        let root = Dd::from(6.0).sqrt();
        let part = |a: i64, b: i64, c: i64| (Dd::from(a as f64) + Dd::from(b as f64) * root) / Dd::from(c as f64);
        let textbook = [
            vec![part(1, 0, 1)],
            vec![part(5, 0, 12), part(-1, 0, 12), part(3, 0, 4), part(1, 0, 4)],
            vec![
                part(88, -7, 360),
                part(296, -169, 1800),
                part(-2, 3, 225),
                part(296, 169, 1800),
                part(88, 7, 360),
                part(-2, -3, 225),
                part(16, -1, 36),
                part(16, 1, 36),
                part(1, 0, 9),
            ],
        ];
        for (a, s) in textbook.iter().zip(1..) {
            let r = Radau::new(s);
            for (i, j) in (0..s * s).map(|k| (k / s, k % s)) {
                let terms = (0..s).map(|k| a[i * s + k] * r.derivatives[k * s + j]);
                let product = terms.fold(Dd::from(0.0), |sum, term| sum + term);
                let expected = Dd::from(if i == j { 1.0 } else { 0.0 });
                assert!((product - expected).hi().abs() < 1e-30, "s = {s}: {:e}", (product - expected).hi());
            }
        }
    }
}
