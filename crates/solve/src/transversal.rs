//! Scales in which a matrix has a transversal of ones and no larger entry.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

const NONE: u32 = u32::MAX;
/// So many looks at each entry find the transversal of any matrix met in practice; what was found
/// by then are scales, too, only not the best.
const LOOKS: usize = 1000;

/// Finds powers of two rᵢ and cⱼ with |aᵢⱼ| rᵢ cⱼ < 2 everywhere and ≥ 1 on a transversal, if there is one
/// without a zero: that with the largest product of entries.
///
/// Every term of the determinant has the product of all row and column scales as a factor, so which
/// transversal that is does not depend on the units of equations and unknowns; what is
/// left of a pivot in these scales shows dependence, not units.
///
/// Shortest augmenting paths on −log₂ |aᵢⱼ|, rounded to whole numbers, with log₂ r and log₂ c the dual variables
/// (I. S. Duff & J. Koster, SIAM J. Matrix Anal. Appl. 22 (2001) 973).
#[derive(Clone, Debug, Default)]
pub(crate) struct Transversal {
    /// The entries (row, cost) by columns.
    starts: Vec<usize>,
    /// Where the next entry of each column goes.
    next: Vec<usize>,
    entries: Vec<(u32, i64)>,
    pub(crate) rows: Vec<i64>,
    pub(crate) columns: Vec<i64>,
    row_of: Vec<u32>,
    column_of: Vec<u32>,
    /// The shortest known way to each row, and the column it comes from.
    distance: Vec<i64>,
    parent: Vec<u32>,
    /// Rows whose distance is final in this search.
    done: Vec<u32>,
    reached: Vec<u32>,
    pending: BinaryHeap<Reverse<(i64, u32)>>,
    looks: usize,
}

impl Transversal {
    /// Finds the scales of a matrix, whose entries must be finite; zeros are left out. Memory is kept for the next.
    pub(crate) fn find(&mut self, size: usize, entries: impl Iterator<Item = (u32, u32, f64)> + Clone) {
        let nonzero = entries.filter(|entry| entry.2 != 0.0);
        refill(&mut self.starts, size + 1, 0);
        nonzero.clone().for_each(|(_, j, _)| self.starts[j as usize + 1] += 1);
        for j in 0..size {
            self.starts[j + 1] += self.starts[j];
        }
        self.next.clone_from(&self.starts);
        refill(&mut self.entries, self.starts[size], (0, 0));
        for (i, j, value) in nonzero {
            self.entries[self.next[j as usize]] = (i, -exponent(value));
            self.next[j as usize] += 1;
        }
        self.looks = LOOKS.saturating_mul(self.entries.len());
        refill(&mut self.rows, size, i64::MAX);
        refill(&mut self.columns, size, 0);
        refill(&mut self.distance, size, i64::MAX);
        for list in [&mut self.row_of, &mut self.column_of, &mut self.parent] {
            refill(list, size, NONE);
        }
        self.begin();
        for column in 0..size as u32 {
            if self.row_of[column as usize] == NONE && self.looks > 0 {
                self.augment(column);
            }
        }
    }

    fn column(&self, j: u32) -> &[(u32, i64)] {
        &self.entries[self.starts[j as usize]..self.starts[j as usize + 1]]
    }

    /// The largest entry of every row and column becomes one; columns take the row of theirs if it is free.
    fn begin(&mut self) {
        for &(i, cost) in &self.entries {
            let row = &mut self.rows[i as usize];
            *row = cost.min(*row);
        }
        for j in 0..self.columns.len() {
            let reduced = |&(i, cost): &(u32, i64)| (cost - self.rows[i as usize], i);
            let Some((least, row)) = self.column(j as u32).iter().map(reduced).min() else { continue };
            self.columns[j] = least;
            if self.column_of[row as usize] == NONE {
                self.join(row, j as u32);
            }
        }
        self.rows.iter_mut().filter(|r| **r == i64::MAX).for_each(|r| *r = 0);
    }

    fn join(&mut self, row: u32, column: u32) {
        self.row_of[column as usize] = row;
        self.column_of[row as usize] = column;
    }

    /// Looks at the entries of a column that is `at` far from the start.
    fn look(&mut self, column: u32, at: i64) {
        for k in self.starts[column as usize]..self.starts[column as usize + 1] {
            self.looks = self.looks.saturating_sub(1);
            let (row, cost) = self.entries[k];
            let distance = at + cost - self.rows[row as usize] - self.columns[column as usize];
            let known = &mut self.distance[row as usize];
            if distance < *known {
                if *known == i64::MAX {
                    self.reached.push(row);
                }
                *known = distance;
                self.parent[row as usize] = column;
                self.pending.push(Reverse((distance, row)));
            }
        }
    }

    /// Gives a column a row, others taking new ones, on the cheapest way; nothing if there is none.
    fn augment(&mut self, start: u32) {
        self.look(start, 0);
        let mut end = None;
        while let Some(Reverse((distance, row))) = self.pending.pop() {
            if distance > self.distance[row as usize] {
                continue;
            }
            match self.column_of[row as usize] {
                NONE => {
                    end = Some((row, distance));
                    break;
                }
                column => {
                    self.done.push(row);
                    self.look(column, distance);
                }
            }
        }
        if let Some((mut row, total)) = end {
            self.columns[start as usize] += total;
            for &i in &self.done {
                let short = total - self.distance[i as usize];
                self.rows[i as usize] -= short;
                self.columns[self.column_of[i as usize] as usize] += short;
            }
            while row != NONE {
                let column = self.parent[row as usize];
                let before = self.row_of[column as usize];
                self.join(row, column);
                row = before;
            }
        }
        for &row in &self.reached {
            self.distance[row as usize] = i64::MAX;
        }
        self.reached.clear();
        self.done.clear();
        self.pending.clear();
    }
}

fn refill<T: Clone>(list: &mut Vec<T>, len: usize, value: T) {
    list.clear();
    list.resize(len, value);
}

/// ⌊log₂ |x|⌋ of a finite number that is not zero.
fn exponent(x: f64) -> i64 {
    let bits = x.abs().to_bits();
    match bits >> 52 {
        0 => 63 - i64::from(bits.leading_zeros()) - 1074,
        e => e as i64 - 1023,
    }
}

/// 2ᵏ, or the nearest number that is not zero or infinite.
pub(crate) fn power_of_two(k: i64) -> f64 {
    f64::from_bits(((k.clamp(-1022, 1023) + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scaled(size: usize, entries: &[(u32, u32, f64)]) -> (Transversal, Vec<f64>) {
        let mut t = Transversal::default();
        t.find(size, entries.iter().copied());
        let scale =
            |&(i, j, a): &(u32, u32, f64)| a.abs() * 2f64.powi((t.rows[i as usize] + t.columns[j as usize]) as i32);
        let scaled = entries.iter().map(scale).collect();
        (t, scaled)
    }

    /// The largest product over all transversals, as a sum of exponents, by trying them all.
    fn best(size: usize, cost: &[Vec<Option<i64>>]) -> Option<i64> {
        fn rest(column: usize, used: &mut Vec<bool>, cost: &[Vec<Option<i64>>]) -> Option<i64> {
            if column == used.len() {
                return Some(0);
            }
            let mut best = None;
            for row in 0..used.len() {
                if let (false, Some(c)) = (used[row], cost[row][column]) {
                    used[row] = true;
                    let sum = rest(column + 1, used, cost).map(|r| r + c);
                    used[row] = false;
                    best = [best, sum].into_iter().flatten().min();
                }
            }
            best
        }
        rest(0, &mut vec![false; size], cost)
    }

    #[test]
    fn exponents_and_powers_are_those_of_the_numbers() {
        for (x, e) in [(1.0, 0), (-1.5, 0), (2.0, 1), (0.3, -2), (5e-324, -1074), (1e-310, -1030), (f64::MAX, 1023)] {
            assert_eq!(exponent(x), e, "{x}");
        }
        assert_eq!([power_of_two(3), power_of_two(-1)], [8.0, 0.5]);
        assert!(power_of_two(5000).is_finite() && power_of_two(-5000) > 0.0);
    }

    proptest! {
        #[test]
        fn no_entry_is_larger_than_those_of_the_best_transversal(
            values in prop::collection::vec(prop::option::weighted(0.6, (1.0f64..2.0, -80i32..80)), 25),
        ) {
            let entries: Vec<_> = values.iter().enumerate().filter_map(|(k, v)| {
                v.map(|(a, e)| (k as u32 / 5, k as u32 % 5, a * 2f64.powi(e)))
            }).collect();
            let (t, scaled) = scaled(5, &entries);
            prop_assert!(scaled.iter().all(|&a| a < 2.0));
            let cost: Vec<Vec<_>> = values.chunks(5).map(|r| r.iter().map(|v| v.map(|v| -i64::from(v.1))).collect()).collect();
            if let Some(least) = best(5, &cost) {
                // The dual value is that of the primal: the transversal is the best.
                prop_assert_eq!(t.rows.iter().chain(&t.columns).sum::<i64>(), least);
                let on: Vec<_> = entries.iter().zip(&scaled).filter(|((i, j, _), _)| t.row_of[*j as usize] == *i).collect();
                prop_assert!(on.len() == 5 && on.iter().all(|(_, a)| **a >= 1.0));
            }
        }
    }
}
