//! The rank of a matrix of values, and which rows depend on others, whatever the units of rows and columns.

use cotangent_scalar::{Dd, Real, Scalar};
use cotangent_solve::{Pattern, dependent_rows, singular_values};

/// The rank of a matrix by its singular values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rank {
    /// With a clear gap behind it.
    Clear(usize),
    /// The singular values fall off without a gap.
    Unclear,
}

/// The rank at generic points: that of all points where it is clear, if these are most of them.
pub(crate) fn agreed(ranks: &[Rank]) -> Option<usize> {
    let clear: Vec<usize> = ranks.iter().filter_map(|r| if let Rank::Clear(r) = r { Some(*r) } else { None }).collect();
    let first = *clear.first()?;
    (2 * clear.len() > ranks.len() && clear.iter().all(|r| *r == first)).then_some(first)
}

/// Matrices up to this size are looked at in double-double.
const MAX_FINE: usize = 16;

/// The rank of a matrix given by its rows, whatever the units of its rows and columns.
pub(crate) fn rank(rows: &[Vec<Dd>]) -> Rank {
    let width = rows.first().map_or(0, Vec::len);
    if rows.iter().flatten().any(|x| !x.is_finite()) {
        return Rank::Unclear;
    }
    let rows = equilibrated(rows);
    let (sigma, noise) = match rows.len().min(width) <= MAX_FINE {
        true => (singular_values(&rows), 1e-16),
        false => {
            let coarse: Vec<Vec<f64>> = rows.iter().map(|r| r.iter().map(|x| x.value()).collect()).collect();
            (singular_values(&coarse), 1e-11)
        }
    };
    let largest = sigma.first().copied().unwrap_or(0.0);
    let (low, high) = (noise * largest, 1e-7 * largest);
    let rank = sigma.iter().filter(|s| **s > high).count();
    if sigma.iter().any(|s| *s > low && *s <= high) { Rank::Unclear } else { Rank::Clear(rank) }
}

/// Rows of a matrix that depend on earlier ones.
pub(crate) fn dependents(matrix: &[Vec<Dd>]) -> Vec<usize> {
    let (rows, columns) = (matrix.len(), matrix.first().map_or(0, Vec::len));
    let values: Vec<f64> = equilibrated(matrix).iter().flatten().map(|x| x.value()).collect();
    let found = Pattern::dense(rows, columns).ok().and_then(|p| dependent_rows(&p, &values, 1e-9).ok());
    found.map(|rows| rows.into_iter().map(|d| d.row).collect()).unwrap_or_default()
}

/// Rows and columns in units of their largest entry, by powers of two: the rank stays.
fn equilibrated(rows: &[Vec<Dd>]) -> Vec<Vec<Dd>> {
    let mut rows = rows.to_vec();
    let unit = |largest: f64| if largest > 0.0 { largest.log2().round().exp2() } else { 1.0 };
    for _ in 0..3 {
        for row in &mut rows {
            let by = Dd::from_f64(unit(row.iter().fold(0.0, |m: f64, x| m.max(x.value().abs()))));
            row.iter_mut().for_each(|x| *x = *x / by);
        }
        for j in 0..rows.first().map_or(0, Vec::len) {
            let by = Dd::from_f64(unit(rows.iter().fold(0.0, |m: f64, r| m.max(r[j].value().abs()))));
            rows.iter_mut().for_each(|r| r[j] = r[j] / by);
        }
    }
    rows
}
