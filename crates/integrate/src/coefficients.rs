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

/// P_n(x) and its derivative.
fn legendre(n: usize, x: Dd) -> (Dd, Dd) {
    let number = |k: usize| Dd::from(k as f64);
    let (mut before, mut p) = (Dd::from(0.0), Dd::from(1.0));
    for k in 0..n {
        let next = (number(2 * k + 1) * x * p - number(k) * before) / number(k + 1);
        (before, p) = (p, next);
    }
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
