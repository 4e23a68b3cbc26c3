//! Sums of products at fixed places, planned once: what products with sparse matrices are.

use std::collections::HashMap;
use std::sync::Arc;

/// Sums Σ f(x₁\[i₁\], …, x_K\[i_K\]), each with a place in a vector of results.
///
/// Where the places of a stretch of rows advance by constants, as they do along a chain, it is one loop; rows without such
/// an order are loops over lists of places, one for all rows of the same shape.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Sums<const K: usize> {
    loops: Vec<SumLoop<K>>,
}

/// A loop in each round of which some sums are made.
#[derive(Clone, Debug, PartialEq)]
pub struct SumLoop<const K: usize> {
    /// How often it runs.
    pub rounds: usize,
    /// For each sum of a round: where it goes, and the places of the factors of its terms.
    pub sums: Vec<(Place, Vec<[Place; K]>)>,
}

/// A place in a vector, for each round of a loop.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// `start` + `step` · round.
    Affine {
        /// In round 0.
        start: usize,
        /// From a round to the next.
        step: isize,
    },
    /// One for each round.
    Listed(Arc<[u32]>),
}

impl Place {
    /// Where it is in a round.
    #[inline]
    pub fn at(&self, round: usize) -> usize {
        match self {
            Place::Affine { start, step } => start.wrapping_add_signed(step.wrapping_mul(round as isize)),
            Place::Listed(places) => places[round] as usize,
        }
    }
}

/// With more stretches than this, rows of one shape are listed.
const MOST_STRETCHES: usize = 24;

impl<const K: usize> Sums<K> {
    /// The loops; they are independent of each other, and so are their rounds.
    pub fn loops(&self) -> &[SumLoop<K>] {
        &self.loops
    }
}

/// Takes the rows of sums one after the other.
#[derive(Debug)]
pub struct SumsBuilder<const K: usize> {
    /// The row at hand: how many terms each of its sums has, and all places: the sum's own, then those of its terms.
    shape: Vec<u32>,
    places: Vec<u32>,
    shapes: HashMap<Vec<u32>, usize>,
    stretches: Vec<Stretch>,
}

/// Rows of one shape whose places advance by constants.
#[derive(Debug)]
struct Stretch {
    shape: usize,
    rounds: usize,
    first: Vec<u32>,
    last: Vec<u32>,
    /// None for a single row.
    steps: Option<Vec<i64>>,
}

impl<const K: usize> Default for SumsBuilder<K> {
    fn default() -> Self {
        SumsBuilder { shape: vec![], places: vec![], shapes: HashMap::new(), stretches: vec![] }
    }
}

impl<const K: usize> SumsBuilder<K> {
    /// Begins a sum of the row at hand.
    pub fn sum(&mut self, to: usize) {
        self.shape.push(0);
        self.places.push(to as u32);
    }

    /// Adds a term to it.
    pub fn term(&mut self, factors: [usize; K]) {
        if let Some(terms) = self.shape.last_mut() {
            *terms += 1;
            self.places.extend(factors.map(|at| at as u32));
        }
    }

    /// Ends the row.
    pub fn end_row(&mut self) {
        let shape = match self.shapes.get(&self.shape) {
            Some(&known) => known,
            None => {
                self.shapes.insert(self.shape.clone(), self.shapes.len());
                self.shapes.len() - 1
            }
        };
        if !self.continues(shape) {
            let (first, last) = (self.places.clone(), self.places.clone());
            self.stretches.push(Stretch { shape, rounds: 1, first, last, steps: None });
        }
        self.shape.clear();
        self.places.clear();
    }

    /// Adds the row to the last stretch, if it goes on with it.
    fn continues(&mut self, shape: usize) -> bool {
        let Some(last) = self.stretches.last_mut().filter(|last| last.shape == shape) else { return false };
        let moved = self.places.iter().zip(&last.last).map(|(&a, &b)| i64::from(a) - i64::from(b));
        match &last.steps {
            None => last.steps = Some(moved.collect()),
            Some(steps) if moved.eq(steps.iter().copied()) => {}
            Some(_) => return false,
        }
        last.rounds += 1;
        last.last.copy_from_slice(&self.places);
        true
    }

    /// The plan.
    pub fn finish(self) -> Sums<K> {
        let mut shapes = vec![&[][..]; self.shapes.len()];
        self.shapes.iter().for_each(|(shape, &k)| shapes[k] = shape);
        let affine = |s: &Stretch| {
            let place = |k: usize| Place::Affine {
                start: s.first[k] as usize,
                step: s.steps.as_ref().map_or(0, |steps| steps[k] as isize),
            };
            SumLoop { rounds: s.rounds, sums: sums(shapes[s.shape], place) }
        };
        let listed = |shape: usize| {
            let own = || self.stretches.iter().filter(|s| s.shape == shape);
            let place = |k: usize| {
                let of = |s: &Stretch| {
                    let (first, step) = (i64::from(s.first[k]), s.steps.as_ref().map_or(0, |steps| steps[k]));
                    (0..s.rounds as i64).map(move |round| (first + step * round) as u32)
                };
                Place::Listed(own().flat_map(of).collect())
            };
            SumLoop { rounds: own().map(|s| s.rounds).sum(), sums: sums(shapes[shape], place) }
        };
        let loops = match self.stretches.len() <= MOST_STRETCHES {
            true => self.stretches.iter().map(affine).collect(),
            false => (0..shapes.len()).map(listed).collect(),
        };
        Sums { loops }
    }
}

/// The sums of a row of this shape, with its places by their number.
fn sums<const K: usize>(shape: &[u32], place: impl Fn(usize) -> Place) -> Vec<(Place, Vec<[Place; K]>)> {
    let mut next = 0;
    let mut row = vec![];
    for &terms in shape {
        let to = place(next);
        next += 1;
        let term = |t: u32| std::array::from_fn(|k| place(next + t as usize * K + k));
        row.push((to, (0..terms).map(term).collect()));
        next += terms as usize * K;
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scalar;

    /// y = A x for a matrix by rows, twice: planned and entry by entry.
    fn product(rows: &[Vec<usize>], columns: usize) -> (Sums<2>, Vec<f64>, Vec<f64>) {
        let mut builder = SumsBuilder::default();
        let mut position = 0;
        for (i, row) in rows.iter().enumerate() {
            builder.sum(i);
            for &j in row {
                builder.term([position, j]);
                position += 1;
            }
            builder.end_row();
        }
        let plan = builder.finish();
        let a: Vec<f64> = (0..position).map(|k| 1.0 + k as f64).collect();
        let x: Vec<f64> = (0..columns).map(|k| 0.5 - k as f64).collect();
        let mut position = 0;
        let mut by_hand = vec![];
        for row in rows {
            by_hand.push(row.iter().map(|&j| (a[position], x[j], position += 1)).fold(0.0, |s, (a, x, ())| s + a * x));
        }
        let mut out = vec![f64::NAN; rows.len()];
        f64::sums(&plan, false, [&a, &x], &mut out, |[a, x]| a * x, |sum| sum);
        (plan, out, by_hand)
    }

    #[test]
    fn rows_of_a_chain_are_few_loops() {
        let n = 100;
        let rows: Vec<Vec<usize>> =
            (0..n).map(|i: usize| (i.saturating_sub(1)..=(i + 1).min(n - 1)).collect()).collect();
        let (plan, out, by_hand) = product(&rows, n);
        assert_eq!(plan.loops().len(), 3);
        assert_eq!(out, by_hand);
    }

    #[test]
    fn rows_without_order_are_listed_by_shape() {
        let n = 101;
        let rows: Vec<Vec<usize>> =
            (0..n).map(|i| (0..i % 3).map(|k| (i * i + 17 * k * k + k) % n).collect()).collect();
        let (plan, out, by_hand) = product(&rows, n);
        assert_eq!(plan.loops().len(), 3);
        assert_eq!(out, by_hand);
    }
}
