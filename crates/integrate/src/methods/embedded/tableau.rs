//! The coefficients of an explicit Runge–Kutta pair with dense output.

use crate::coefficients::rounded;
use crate::vector::{add_scaled, clear};
use cotangent_scalar::{Dd, Scalar};

/// A sum over stages: (stage, coefficient), where the coefficient is not zero.
pub(super) type Row<T> = Vec<(usize, T)>;

/// The coefficients of an explicit pair, stages counted from 0.
///
/// The last stage of a step is f(z₁), the first of the next one: its row of a is the weights.
#[derive(Clone, Debug)]
pub(super) struct Tableau<T> {
    /// aᵢⱼ of the second stage, the third and so on; the last row is the weights b.
    pub(super) step: Vec<Row<T>>,
    /// The differences of b and the weights of lower order.
    pub(super) estimators: Vec<Row<T>>,
    /// aᵢⱼ of the stages that only the dense output needs.
    pub(super) extra: Vec<Row<T>>,
    /// The coefficients of the dense output beyond its cubic part.
    pub(super) dense: Vec<Row<T>>,
}

impl<T> Tableau<T> {
    /// The number of stages, those of the dense output included.
    pub(super) fn stages(&self) -> usize {
        1 + self.step.len() + self.extra.len()
    }
}

impl Tableau<Dd> {
    /// The same in another arithmetic.
    pub(super) fn rounded<S: Scalar>(&self) -> Tableau<S> {
        let row = |row: &Row<Dd>| row.iter().map(|&(j, a)| (j, rounded(a))).collect();
        let rows = |rows: &[Row<Dd>]| rows.iter().map(row).collect();
        Tableau {
            step: rows(&self.step),
            estimators: rows(&self.estimators),
            extra: rows(&self.extra),
            dense: rows(&self.dense),
        }
    }
}

/// out = Σⱼ aⱼ xⱼ, where the vectors xⱼ follow one another.
pub(super) fn combine<S: Scalar>(row: &[(usize, S)], vectors: &[S], out: &mut [S]) {
    let n = out.len();
    clear(out);
    row.iter().for_each(|&(j, a)| add_scaled(out, a, &vectors[j * n..(j + 1) * n]));
}

/// Σⱼ aⱼ xⱼ for entry k, where the vectors xⱼ of n entries follow one another.
pub(super) fn combined<S: Scalar>(row: &[(usize, S)], vectors: &[S], n: usize, k: usize) -> S {
    row.iter().fold(S::from_f64(0.0), |sum, &(j, a)| sum + a * vectors[j * n + k])
}

/// The order conditions: Σ bᵢ Φᵢ(τ) = θ^|τ|/γ(τ) for every rooted tree τ, with θ = 1 at the end of a
/// step (Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, II.2 and II.6).
#[cfg(test)]
pub(super) mod conditions {
    use super::*;

    /// The elementary weights Φᵢ, the order and the density γ of a tree.
    struct Tree {
        weights: Vec<Dd>,
        order: u32,
        density: f64,
    }

    impl Tableau<Dd> {
        fn rows(&self) -> impl Iterator<Item = &Row<Dd>> {
            self.step.iter().chain(&self.extra)
        }

        /// cᵢ = Σⱼ aᵢⱼ.
        pub(in super::super) fn nodes(&self) -> Vec<Dd> {
            let sum = |row: &Row<Dd>| row.iter().fold(Dd::from(0.0), |sum, &(_, a)| sum + a);
            std::iter::once(Dd::from(0.0)).chain(self.rows().map(sum)).collect()
        }

        /// Σⱼ aᵢⱼ xⱼ for every stage.
        fn applied(&self, x: &[Dd]) -> Vec<Dd> {
            let rows = self.rows().map(|row| combined(row, x, 1, 0));
            std::iter::once(Dd::from(0.0)).chain(rows).collect()
        }

        /// The weights b(θ) of the dense output, by what it makes of the unit vectors.
        pub(in super::super) fn continuous(&self, theta: Dd) -> Vec<Dd> {
            let one = Dd::from(1.0);
            let rest = one - theta;
            let unit = |i: usize, j: usize| if i == j { one } else { Dd::from(0.0) };
            let of = |i: usize| {
                let rates: Vec<Dd> = (0..self.stages()).map(|j| unit(i, j)).collect();
                let last = self.step.len();
                let whole = combined(&self.step[last - 1], &rates, 1, 0);
                let second = rates[0] - whole;
                let third = whole - rates[last] - second;
                let mut tail = Dd::from(0.0);
                for (k, row) in self.dense.iter().enumerate().rev() {
                    tail = (if k % 2 == 0 { rest } else { theta }) * (combined(row, &rates, 1, 0) + tail);
                }
                theta * (whole + rest * (second + theta * (third + tail)))
            };
            (0..self.stages()).map(of).collect()
        }

        /// The largest defect of the conditions up to an order, and how many they are.
        pub(in super::super) fn defect(&self, weights: &[Dd], theta: Dd, order: u32) -> (f64, usize) {
            let trees = self.trees(order);
            let defect = |tree: &Tree| {
                let sum = weights.iter().zip(&tree.weights).fold(Dd::from(0.0), |sum, (&b, &w)| sum + b * w);
                let power = (0..tree.order).fold(Dd::from(1.0), |p, _| p * theta);
                (sum - power / Dd::from(tree.density)).hi().abs()
            };
            (trees.iter().map(defect).fold(0.0, f64::max), trees.len())
        }

        fn trees(&self, order: u32) -> Vec<Tree> {
            let mut trees: Vec<Tree> = vec![];
            for n in 1..=order {
                for branches in forests(&trees, n - 1, trees.len()) {
                    let ones = vec![Dd::from(1.0); self.stages()];
                    let weights = branches.iter().fold(ones, |product, &t| {
                        product.iter().zip(self.applied(&trees[t].weights)).map(|(&a, b)| a * b).collect()
                    });
                    let density = branches.iter().fold(f64::from(n), |d, &t| d * trees[t].density);
                    trees.push(Tree { weights, order: n, density });
                }
            }
            trees
        }
    }

    /// Every multiset of the first `end` trees with so many vertices together.
    fn forests(trees: &[Tree], vertices: u32, end: usize) -> Vec<Vec<usize>> {
        if vertices == 0 {
            return vec![vec![]];
        }
        let with = |t: usize| {
            let rest = vertices.checked_sub(trees[t].order);
            let rests = rest.map_or(vec![], |rest| forests(trees, rest, t + 1));
            rests.into_iter().map(move |mut forest| {
                forest.push(t);
                forest
            })
        };
        (0..end).flat_map(with).collect()
    }

    /// Weights that are given by a row.
    pub(in super::super) fn full(row: &Row<Dd>, stages: usize) -> Vec<Dd> {
        let mut weights = vec![Dd::from(0.0); stages];
        row.iter().for_each(|&(j, b)| weights[j] = b);
        weights
    }
}
