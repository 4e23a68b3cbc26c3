//! Rank decisions for matrices whose entries have units of their own.
//!
//! A matrix of velocities and multipliers has blocks of masses beside gradients of constraints: entries of very different
//! sizes, none of which is negligible, and scales of rows and columns do not make them equal. What is left of an entry
//! after an elimination is compared with what was subtracted: an entry is zero if it is nothing but a cancellation.

use crate::rank::RankError;
use crate::{Pattern, Scales};
use std::collections::BTreeMap;

/// An entry, and the largest term that it was made of.
#[derive(Clone, Copy)]
struct Entry {
    value: f64,
    term: f64,
}

/// The rows of a square matrix of which elimination leaves nothing but cancellations, to this part of their terms.
///
/// ```
/// use cotangent_solve::{Pattern, cancelled_rows};
///
/// // Two rows that differ by little in every norm, and are independent.
/// let pattern = Pattern::dense(2, 2)?;
/// assert!(cancelled_rows(&pattern, &[1e-20, 1.0, 0.0, 1.0], 1e-10)?.is_empty());
/// assert_eq!(cancelled_rows(&pattern, &[0.1, 0.3, 1.0 / 3.0, 1.0], 1e-10)?.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cancelled_rows(pattern: &Pattern, values: &[f64], tolerance: f64) -> Result<Vec<usize>, RankError> {
    if values.len() != pattern.len() {
        return Err(RankError::Length { values: values.len(), entries: pattern.len() });
    }
    let scales = Scales::new(pattern, values, |_| true);
    let mut rows: BTreeMap<usize, BTreeMap<usize, Entry>> = BTreeMap::new();
    for i in 0..pattern.rows() {
        let entries = pattern.row(i).iter().zip(&values[pattern.positions(i)]);
        let mut row = BTreeMap::new();
        for (&j, &value) in entries.filter(|(_, value)| **value != 0.0) {
            if !value.is_finite() {
                return Err(RankError::NotFinite { row: i });
            }
            row.insert(j as usize, Entry { value, term: value.abs() });
        }
        rows.insert(i, row);
    }
    let size = |i: usize, j: usize, e: &Entry| e.value.abs() * scales.rows[i] * scales.columns[j].unwrap_or(1.0);
    loop {
        let entries = rows.iter().flat_map(|(&i, row)| row.iter().map(move |(&j, e)| (i, j, e)));
        let largest = entries.max_by(|a, b| size(a.0, a.1, a.2).total_cmp(&size(b.0, b.1, b.2)));
        let Some((i, column, &Entry { value: pivot, .. })) = largest else { break };
        let Some(chosen) = rows.remove(&i) else { break };
        for row in rows.values_mut() {
            let Some(Entry { value, .. }) = row.remove(&column) else { continue };
            let factor = value / pivot;
            for (&j, own) in chosen.iter().filter(|(j, _)| **j != column) {
                let entry = row.entry(j).or_insert(Entry { value: 0.0, term: 0.0 });
                entry.value -= factor * own.value;
                entry.term = entry.term.max((factor * own.value).abs());
            }
            row.retain(|_, e| e.value.abs() > tolerance * e.term);
        }
    }
    Ok(rows.into_keys().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [[m I, G], [Gᵀ, 0]] for a gradient G = (a, b, 1).
    fn kkt(m: f64, [a, b]: [f64; 2]) -> Vec<f64> {
        vec![m, 0.0, 0.0, a, 0.0, m, 0.0, b, 0.0, 0.0, m, 1.0, a, b, 1.0, 0.0]
    }

    #[test]
    fn units_do_not_make_a_matrix_singular() {
        let pattern = Pattern::dense(4, 4).unwrap();
        for m in [1e-30, 1e-12, 1.0, 1e15, 1e40] {
            for g in [[1e7, 2e7], [1.0, 0.5], [1e-9, 3e-9]] {
                assert_eq!(cancelled_rows(&pattern, &kkt(m, g), 1e-10), Ok(vec![]), "{m} {g:?}");
            }
        }
    }

    #[test]
    fn combinations_of_other_rows_are_found_in_any_units() {
        // The third row is 0.1 of the first and 0.7 of the second.
        let (a, b) = ([1.0, 0.3, -0.2], [0.4, 1.1, 0.9]);
        for unit in [1e-20, 1.0, 1e20] {
            let third = [0, 1, 2].map(|k| (0.1 * a[k] + 0.7 * b[k]) * [unit, 1.0, 1.0 / unit][k]);
            let scaled = |row: [f64; 3]| [row[0] * unit, row[1], row[2] / unit];
            let values = [scaled(a), scaled(b), third].concat();
            assert_eq!(cancelled_rows(&Pattern::dense(3, 3).unwrap(), &values, 1e-10).unwrap().len(), 1);
        }
        let none = [0.0, 0.0, 0.0, 1.0];
        assert_eq!(cancelled_rows(&Pattern::dense(2, 2).unwrap(), &none, 1e-10), Ok(vec![0]));
    }
}
