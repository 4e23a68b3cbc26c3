//! The unknowns of iterated stages, and the coefficients that they are found with.

use crate::coefficients::{Coefficient, Lobatto as Coefficients};
use cotangent_dynamics::CanonicalShape;
use cotangent_scalar::{Dd, Real, Scalar};

/// The unknowns of a stage, s − 1 of each: Qᵢ − q (i = 2 … s), Pᵢ − p (i < s) where H_q depends on it, and Λᵢ (i < s).
#[derive(Clone, Copy)]
pub(super) struct Columns {
    pub(super) n: usize,
    pub(super) momenta: usize,
    pub(super) m: usize,
}

impl Columns {
    pub(super) fn new(shape: &CanonicalShape) -> Columns {
        let n = shape.coordinates;
        Columns { n, momenta: if shape.separable { 0 } else { n }, m: shape.constraints }
    }

    pub(super) fn len(self) -> usize {
        self.n + self.momenta + self.m
    }

    /// The parts of a row.
    pub(super) fn split<S>(self, row: &[S]) -> [&[S]; 3] {
        let (positions, rest) = row.split_at(self.n);
        let (momenta, multipliers) = rest.split_at(self.momenta);
        [positions, momenta, multipliers]
    }

    pub(super) fn split_mut<S>(self, row: &mut [S]) -> [&mut [S]; 3] {
        let (positions, rest) = row.split_at_mut(self.n);
        let (momenta, multipliers) = rest.split_at_mut(self.momenta);
        [positions, momenta, multipliers]
    }
}

/// The coefficients in one arithmetic, by rows.
pub(super) struct Tables<S> {
    /// Of Qᵢ, i = 2 … s.
    pub(super) a: Vec<Vec<S>>,
    /// Of Pᵢ.
    pub(super) a_hat: Vec<Vec<S>>,
    /// (A Â)⁻¹, and the largest sum of the sizes of its rows.
    pub(super) inverse: Vec<Vec<S>>,
    pub(super) norm: S,
    /// What makes Qᵢ − q, Pᵢ − p and Λᵢ of the next step of the velocities, forces and multipliers of this one.
    pub(super) next: [Vec<Vec<S>>; 3],
}

impl<S: Scalar> Tables<S> {
    pub(super) fn new(c: &Coefficients) -> Tables<S> {
        let s = c.stages();
        let table = |rows: std::ops::Range<usize>, columns: usize, entry: &dyn Fn(usize, usize) -> Coefficient| {
            rows.map(|i| (0..columns).map(|j| entry(i, j).value(&[])).collect()).collect()
        };
        let inverse = c.inverse_of_product();
        let entry = |i: usize, j: usize| Coefficient::Number(inverse[i * (s - 1) + j]);
        let sum = |row: &[Dd]| row.iter().map(|x| x.value().abs()).sum::<f64>();
        let norm = inverse.chunks(s - 1).map(sum).fold(0.0, f64::max);
        Tables {
            a: table(1..s, s, &|i, j| c.a(i, j)),
            a_hat: table(0..s, s - 1, &|i, j| c.a_hat(i, j)),
            inverse: table(0..s - 1, s - 1, &entry),
            norm: S::from_f64(norm),
            next: [
                table(1..s, s, &|i, j| c.next_position(i, j)),
                table(0..s - 1, s - 1, &|i, j| c.next_momentum(i, j)),
                table(0..s - 1, s - 1, &|i, j| c.next_multiplier(i, j)),
            ],
        }
    }
}
