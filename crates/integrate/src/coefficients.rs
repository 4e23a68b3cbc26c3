//! Coefficients of methods, computed in double-double and rounded once.

use cotangent_scalar::{Dd, Scalar};

/// The coefficients of Gauss collocation.
#[derive(Clone, Debug)]
pub(crate) struct Gauss {
    nodes: Vec<Dd>,
    weights: Vec<Dd>,
    /// Row by row.
    matrix: Vec<Dd>,
}

impl Gauss {
    /// For any positive number of stages.
    pub(crate) fn new(stages: usize) -> Gauss {
        let (nodes, weights) = quadrature(stages);
        // aᵢⱼ = ∫₀^cᵢ ℓⱼ, where the quadrature on [0, cᵢ] is exact.
        let integral = |i: usize, j: usize| {
            let terms = (0..stages).map(|k| weights[k] * lagrange(&nodes, j, nodes[i] * nodes[k]));
            nodes[i] * terms.fold(Dd::from(0.0), |sum, term| sum + term)
        };
        let matrix = (0..stages * stages).map(|k| integral(k / stages, k % stages)).collect();
        Gauss { nodes, weights, matrix }
    }

    pub(crate) fn stages(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn c<S: Scalar>(&self, i: usize) -> S {
        rounded(self.nodes[i])
    }

    pub(crate) fn b<S: Scalar>(&self, i: usize) -> S {
        rounded(self.weights[i])
    }

    pub(crate) fn a<S: Scalar>(&self, i: usize, j: usize) -> S {
        rounded(self.matrix[i * self.stages() + j])
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

    pub(crate) fn c<S: Scalar>(&self, i: usize) -> S {
        rounded(self.nodes[i])
    }

    pub(crate) fn b<S: Scalar>(&self, i: usize) -> S {
        rounded(self.weights[i])
    }

    /// IIIA.
    pub(crate) fn a<S: Scalar>(&self, i: usize, j: usize) -> S {
        rounded(self.positions[i * self.stages() + j])
    }

    /// IIIB.
    pub(crate) fn a_hat<S: Scalar>(&self, i: usize, j: usize) -> S {
        rounded(self.momenta[i * self.stages() + j])
    }
}

/// A double-double in another arithmetic: its parts do not overlap, so the sum rounds once.
fn rounded<S: Scalar>(x: Dd) -> S {
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
        // bᵢ aᵢⱼ + bⱼ aⱼᵢ = bᵢ bⱼ
        for s in 1..=12 {
            let g = Gauss::new(s);
            for i in 0..s {
                for j in 0..s {
                    let (b, a) = (&g.weights, |i: usize, j: usize| g.matrix[i * s + j]);
                    let defect = b[i] * a(i, j) + b[j] * a(j, i) - b[i] * b[j];
                    assert!(defect.hi().abs() < 1e-30, "s = {s}: {:e}", defect.hi());
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
        assert!(close(g.matrix[0], Dd::from(0.25)) && close(g.matrix[1], Dd::from(0.25) - root));
        assert_eq!(Gauss::new(1).c::<f64>(0), 0.5);
        assert_eq!(Gauss::new(1).a::<f64>(0, 0), 0.5);
        assert_eq!(Gauss::new(1).b::<f64>(0), 1.0);
    }
}
