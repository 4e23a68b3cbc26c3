//! Sparse elimination of rows in the order given.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Elimination made more entries or took more multiplications than it may.
pub(crate) struct TooMuch;

const MOST_ENTRIES: usize = 1 << 26;
const MOST_MULTIPLICATIONS: u64 = 1 << 30;

/// Rows taken up so far, each reduced by those before it and with a pivot in a column of its own:
/// that of its largest entry.
pub(crate) struct Eliminated {
    /// The row whose pivot is in each column.
    row_of: Vec<u32>,
    rows: Vec<Reduced>,
    /// The row at hand, zero elsewhere.
    work: Vec<f64>,
    entries: usize,
    multiplications: u64,
}

struct Reduced {
    pivot: u32,
    /// What is left of the row, (column, value), its pivot made 1.
    left: Vec<(u32, f64)>,
    /// What was divided by for that.
    divisor: f64,
    /// What was subtracted: (row, factor).
    subtracted: Vec<(u32, f64)>,
}

const NONE: u32 = u32::MAX;

impl Eliminated {
    pub(crate) fn new(columns: usize) -> Self {
        let (row_of, work) = (vec![NONE; columns], vec![0.0; columns]);
        Self { row_of, rows: Vec::new(), work, entries: 0, multiplications: 0 }
    }

    /// Takes up a row of entries of order one; or, if at most `tolerance` is left of it, returns
    /// how it is combined from those taken up.
    pub(crate) fn add(
        &mut self,
        row: impl Iterator<Item = (u32, f64)>,
        tolerance: f64,
    ) -> Result<Option<Vec<(usize, f64)>>, TooMuch> {
        let mut columns = Vec::new();
        let mut pending = BinaryHeap::new();
        let mut size = 0.0f64;
        for (j, value) in row {
            self.work[j as usize] = value;
            size = size.max(value.abs());
            columns.push(j);
            if self.row_of[j as usize] != NONE {
                pending.push(Reverse(self.row_of[j as usize]));
            }
        }
        let mut subtracted = Vec::new();
        let mut last = NONE;
        // Ascending: a row has no entry at the pivots of those before it.
        while let Some(Reverse(k)) = pending.pop() {
            if k == last {
                continue;
            }
            last = k;
            let reduced = &self.rows[k as usize];
            let factor = self.work[reduced.pivot as usize];
            self.multiplications += reduced.left.len() as u64;
            for &(j, value) in &reduced.left {
                let place = &mut self.work[j as usize];
                if *place == 0.0 {
                    columns.push(j);
                    let owner = self.row_of[j as usize];
                    if owner != NONE && owner > k {
                        pending.push(Reverse(owner));
                    }
                }
                *place -= factor * value;
                size = size.max(place.abs());
            }
            self.work[reduced.pivot as usize] = 0.0;
            if factor != 0.0 {
                subtracted.push((k, factor));
            }
        }
        columns.sort_unstable();
        columns.dedup();
        let mut left: Vec<_> = columns.iter().map(|&j| (j, std::mem::take(&mut self.work[j as usize]))).collect();
        // Elimination leaves round-off of the largest entries met on the way.
        let least = tolerance.max(8.0 * f64::EPSILON * size);
        let pivot = left.iter().copied().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()).then(b.0.cmp(&a.0)));
        let pivot = pivot.filter(|(_, value)| value.abs() > least);
        if self.entries > MOST_ENTRIES || self.multiplications > MOST_MULTIPLICATIONS {
            return Err(TooMuch);
        }
        let Some((pivot, divisor)) = pivot else { return Ok(Some(self.combination(subtracted))) };
        left.retain_mut(|(_, value)| {
            let keep = *value != 0.0;
            *value /= divisor;
            keep
        });
        self.entries += left.len() + subtracted.len();
        self.row_of[pivot as usize] = self.rows.len() as u32;
        self.rows.push(Reduced { pivot, left, divisor, subtracted });
        Ok(None)
    }

    /// From factors of reduced rows to coefficients of the rows as they were.
    fn combination(&mut self, subtracted: Vec<(u32, f64)>) -> Vec<(usize, f64)> {
        let mut factors: BTreeMap<_, _> = subtracted.into_iter().collect();
        let mut combination = Vec::new();
        while let Some((k, factor)) = factors.pop_last() {
            let reduced = &self.rows[k as usize];
            let coefficient = factor / reduced.divisor;
            combination.push((k as usize, coefficient));
            self.multiplications += reduced.subtracted.len() as u64;
            for &(i, before) in &reduced.subtracted {
                *factors.entry(i).or_insert(0.0) -= coefficient * before;
            }
        }
        combination
    }
}
