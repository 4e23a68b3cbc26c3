//! Systems of conditions split into independent ones: the connected components by common multipliers.

use cotangent_theory::phase::Sparse;

/// Conditions connected by common multipliers.
pub(crate) struct Part {
    pub(crate) rows: Vec<usize>,
    pub(crate) columns: Vec<usize>,
}

/// The parts of a system of conditions; those without multipliers one by one.
pub(crate) fn components(rows: &[Sparse], last: usize) -> Vec<Part> {
    let columns: Vec<Vec<usize>> = rows.iter().map(|r| r.range(..last).map(|e| *e.0).collect()).collect();
    let mut parts: Vec<Part> = vec![];
    for (i, own) in columns.into_iter().enumerate() {
        let mut new = Part { rows: vec![i], columns: own };
        let mut apart = vec![];
        for part in parts {
            if part.columns.iter().any(|c| new.columns.contains(c)) {
                new.rows.extend(part.rows);
                new.columns.extend(part.columns);
            } else {
                apart.push(part);
            }
        }
        new.rows.sort_unstable();
        new.columns.sort_unstable();
        new.columns.dedup();
        parts = apart;
        parts.push(new);
    }
    parts
}
