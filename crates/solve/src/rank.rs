//! Rank decisions: which equations repeat others, and what a set of equations leaves free.

use crate::Pattern;
use crate::elimination::Eliminated;
use crate::orthogonal::Orthonormal;

/// A row that is a combination of earlier ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependent {
    /// The row.
    pub row: usize,
    /// The independent rows before it that have a part in the combination, ascending. None for a
    /// row of zeros.
    pub on: Vec<usize>,
}

/// Why the rank of a matrix is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RankError {
    /// There are more or fewer values than entries of the pattern.
    #[error("{values} values were given for {entries} entries")]
    Length {
        /// The number of values.
        values: usize,
        /// The number of entries.
        entries: usize,
    },
    /// An entry is infinite or NaN.
    #[error("row {row} has an entry that is not finite")]
    NotFinite {
        /// The row of the entry.
        row: usize,
    },
    /// Rows that hang together are so many, and so much entangled, that the decision would take
    /// more memory or time than it may.
    #[error("whether {rows} rows that hang together are independent takes too long to find out")]
    Undecided {
        /// The number of these rows.
        rows: usize,
    },
}

/// A set of rows that hang together is treated as full if that takes at most so many
/// multiplications.
const LARGEST_FULL: f64 = 1e8;
/// A null space is only asked for of matrices with at most so many columns squared.
const LARGEST_SPACE: usize = 1 << 24;

/// The rows that depend on earlier rows, ascending.
///
/// A row counts as dependent if what is left of it, after the best combination of earlier
/// independent rows is subtracted, is at most `tolerance` times the row. So the units of a row do
/// not matter; those of the columns do, unless [`Scales`] were applied before.
///
/// Rows that share no column are looked at separately. Small sets are made orthogonal
/// (Gram–Schmidt, twice), so that the distance is the Euclidean one; large ones are eliminated
/// sparsely in the order given, with the largest entry as the distance. That is linear in the
/// number of rows of a chain; where elimination fills in too much the answer is
/// [`RankError::Undecided`].
///
/// ```
/// use cotangent_solve::{Dependent, Pattern, dependent_rows};
///
/// let pattern = Pattern::dense(3, 2)?;
/// let dependent = dependent_rows(&pattern, &[1.0, 0.0, 1.0, 1.0, 0.0, 5.0], 1e-12)?;
/// assert_eq!(dependent, [Dependent { row: 2, on: vec![0, 1] }]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn dependent_rows(pattern: &Pattern, values: &[f64], tolerance: f64) -> Result<Vec<Dependent>, RankError> {
    let rows = Rows::new(pattern, values)?;
    let mut dependent = Vec::new();
    for component in components(pattern) {
        let columns = rows.columns_of(&component);
        let (m, n) = (component.len() as f64, columns.len() as f64);
        if m * m.min(n) * n <= LARGEST_FULL {
            full(&rows, &component, &columns, tolerance, &mut dependent);
        } else {
            sparse(&rows, &component, tolerance, &mut dependent)?;
        }
    }
    dependent.sort_unstable_by_key(|dependent| dependent.row);
    Ok(dependent)
}

/// An orthonormal basis of {v: A v = 0}, for matrices of moderate size.
///
/// Rows count as dependent as in [`dependent_rows`], so the number of basis vectors is that of the
/// columns less that of the independent rows.
///
/// ```
/// use cotangent_solve::{Pattern, null_space};
///
/// let basis = null_space(&Pattern::dense(1, 2)?, &[3.0, 4.0], 1e-12)?;
/// assert_eq!(basis.len(), 1);
/// assert!((3.0 * basis[0][0] + 4.0 * basis[0][1]).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn null_space(pattern: &Pattern, values: &[f64], tolerance: f64) -> Result<Vec<Vec<f64>>, RankError> {
    let rows = Rows::new(pattern, values)?;
    let (count, width) = (pattern.rows(), pattern.columns());
    if width.saturating_mul(width.max(count)) > LARGEST_SPACE {
        return Err(RankError::Undecided { rows: count });
    }
    let mut span = Orthonormal::new(width);
    for row in 0..count {
        let mut vector = vec![0.0; width];
        for (j, value) in rows.row(row) {
            vector[j as usize] = value;
        }
        span.add(vector, tolerance);
    }
    Ok(span.complement())
}

/// Scales rᵢ and cⱼ of rows and columns in which no entry rᵢ aᵢⱼ cⱼ is much larger than 1, and the largest of each row
/// and column is near it: the units of equations and unknowns do not count.
///
/// Rows and columns are divided in turn by the roots of their largest entries
/// (D. Ruiz, A scaling algorithm to equilibrate both rows and columns norms in matrices, RAL-TR-2001-034).
///
/// ```
/// use cotangent_solve::{Pattern, Scales};
///
/// let (pattern, mut values) = (Pattern::dense(2, 2)?, vec![1e100, 2.0, 3e100, -1.0]);
/// Scales::new(&pattern, &values, |_| true).apply(&pattern, &mut values);
/// assert!(values.iter().all(|v| (0.1..=1.001).contains(&v.abs())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scales {
    /// Those of the rows.
    pub rows: Vec<f64>,
    /// Those of the columns; `None` for a column without an entry that counts.
    pub columns: Vec<Option<f64>>,
}

/// Divisions, each of which halves the exponents that are left.
const DIVISIONS: usize = 12;

impl Scales {
    /// The scales of a matrix with finite entries; of which some may not count, such as those that are round-off.
    pub fn new(pattern: &Pattern, values: &[f64], counts: impl Fn(usize) -> bool) -> Scales {
        let (mut rows, mut columns) = (vec![1.0f64; pattern.rows()], vec![1.0f64; pattern.columns()]);
        let entries = || {
            let all = pattern.addresses().zip(values).enumerate();
            let all = all.filter(|(k, (_, value))| **value != 0.0 && counts(*k));
            all.map(|(_, ((i, j), value))| (i as usize, j as usize, value.abs()))
        };
        let divisor = |largest: &f64| if *largest > 0.0 && largest.is_finite() { largest.sqrt() } else { 1.0 };
        for _ in 0..DIVISIONS {
            let (mut of_rows, mut of_columns) = (vec![0.0f64; rows.len()], vec![0.0f64; columns.len()]);
            for (i, j, value) in entries() {
                let size = value * rows[i] * columns[j];
                of_rows[i] = of_rows[i].max(size);
                of_columns[j] = of_columns[j].max(size);
            }
            rows.iter_mut().zip(&of_rows).for_each(|(r, largest)| *r /= divisor(largest));
            columns.iter_mut().zip(&of_columns).for_each(|(c, largest)| *c /= divisor(largest));
        }
        let mut known = vec![false; columns.len()];
        entries().for_each(|(_, j, _)| known[j] = true);
        let columns = columns.into_iter().zip(known).map(|(c, known)| known.then_some(c)).collect();
        Scales { rows, columns }
    }

    /// Makes a matrix of the same pattern one in these scales.
    pub fn apply(&self, pattern: &Pattern, values: &mut [f64]) {
        for ((i, j), value) in pattern.addresses().zip(values) {
            *value *= self.rows[i as usize];
            *value *= self.columns[j as usize].unwrap_or(1.0);
        }
    }
}

/// The rows of a matrix, each divided by its largest entry.
struct Rows<'a> {
    pattern: &'a Pattern,
    values: &'a [f64],
    sizes: Vec<f64>,
}

impl<'a> Rows<'a> {
    fn new(pattern: &'a Pattern, values: &'a [f64]) -> Result<Self, RankError> {
        if values.len() != pattern.len() {
            return Err(RankError::Length { values: values.len(), entries: pattern.len() });
        }
        let mut sizes = Vec::with_capacity(pattern.rows());
        for row in 0..pattern.rows() {
            let entries = &values[pattern.positions(row)];
            if entries.iter().any(|value| !value.is_finite()) {
                return Err(RankError::NotFinite { row });
            }
            sizes.push(entries.iter().fold(0.0f64, |size, value| size.max(value.abs())));
        }
        Ok(Self { pattern, values, sizes })
    }

    /// The entries of a row that are not zero.
    fn row(&self, row: usize) -> impl Iterator<Item = (u32, f64)> {
        let values = &self.values[self.pattern.positions(row)];
        let size = self.sizes[row];
        self.pattern
            .row(row)
            .iter()
            .zip(values)
            .filter(|(_, value)| **value != 0.0)
            .map(move |(&j, value)| (j, value / size))
    }

    fn columns_of(&self, component: &[usize]) -> Vec<u32> {
        let mut columns: Vec<_> = component.iter().flat_map(|&row| self.pattern.row(row)).copied().collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }
}

fn full(rows: &Rows<'_>, component: &[usize], columns: &[u32], tolerance: f64, dependent: &mut Vec<Dependent>) {
    let mut span = Orthonormal::new(columns.len());
    let mut kept = Vec::new();
    for &row in component {
        let mut vector = vec![0.0; columns.len()];
        for (j, value) in rows.row(row) {
            if let Ok(place) = columns.binary_search(&j) {
                vector[place] = value;
            }
        }
        match span.add(vector, tolerance) {
            None => kept.push(row),
            Some(combination) => dependent.push(on_significant(row, combination, &kept, tolerance)),
        }
    }
}

fn sparse(
    rows: &Rows<'_>,
    component: &[usize],
    tolerance: f64,
    dependent: &mut Vec<Dependent>,
) -> Result<(), RankError> {
    let mut eliminated = Eliminated::new(rows.pattern.columns());
    let mut kept = Vec::new();
    for &row in component {
        match eliminated.add(rows.row(row), tolerance) {
            Ok(None) => kept.push(row),
            Ok(Some(combination)) => dependent.push(on_significant(row, combination, &kept, tolerance)),
            Err(_) => return Err(RankError::Undecided { rows: component.len() }),
        }
    }
    Ok(())
}

/// `combination`: (number of the kept row, coefficient). What is as small as the square root of
/// the tolerance beside the largest is taken for round-off.
fn on_significant(row: usize, combination: Vec<(usize, f64)>, kept: &[usize], tolerance: f64) -> Dependent {
    let largest = combination.iter().fold(0.0f64, |largest, (_, c)| largest.max(c.abs()));
    let least = largest * tolerance.abs().sqrt().clamp(1e-8, 1e-2);
    let significant = combination.into_iter().filter(|(_, c)| c.abs() > least);
    let mut on: Vec<_> = significant.filter_map(|(k, _)| kept.get(k).copied()).collect();
    on.sort_unstable();
    Dependent { row, on }
}

/// The rows that hang together by common columns, each set ascending.
fn components(pattern: &Pattern) -> Vec<Vec<usize>> {
    let n = pattern.columns();
    let mut root: Vec<u32> = (0..n as u32).collect();
    for i in 0..pattern.rows() {
        for pair in pattern.row(i).windows(2) {
            let (a, b) = (find(&mut root, pair[0]), find(&mut root, pair[1]));
            root[a.max(b) as usize] = a.min(b);
        }
    }
    let mut number = vec![usize::MAX; n];
    let mut sets: Vec<Vec<usize>> = Vec::new();
    for i in 0..pattern.rows() {
        match pattern.row(i).first() {
            None => sets.push(vec![i]),
            Some(&column) => {
                let place = &mut number[find(&mut root, column) as usize];
                if *place == usize::MAX {
                    *place = sets.len();
                    sets.push(Vec::new());
                }
                sets[*place].push(i);
            }
        }
    }
    sets
}

fn find(root: &mut [u32], mut node: u32) -> u32 {
    while root[node as usize] != node {
        let above = root[root[node as usize] as usize];
        root[node as usize] = above;
        node = above;
    }
    node
}
