//! A factorisation that is asked to stop does so, whatever the storage, and goes on when it is asked again.

use cotangent_scalar::Cancel;
use cotangent_solve::{LinearSolver, Pattern, Structure};

/// Diagonally dominant matrices: full, banded, and an arrow.
fn matrices() -> Vec<(Pattern, Vec<f64>, Structure)> {
    let n = 60u32;
    let full = Pattern::dense(n as usize, n as usize).unwrap();
    let banded = (0..n).flat_map(|i| (i.saturating_sub(1)..(i + 2).min(n)).map(move |j| (i, j)));
    let arrow = (0..n).flat_map(|i| [(i, i), (i, n - 1), (n - 1, i)]);
    let sparse = |entries: Vec<(u32, u32)>| Pattern::new(n as usize, n as usize, &entries).unwrap();
    let patterns = [full, sparse(banded.collect()), sparse(arrow.collect())];
    let filled = |pattern: Pattern| {
        let values = pattern.addresses().map(|(i, j)| if i == j { 100.0 } else { 1.0 / f64::from(1 + i + 2 * j) });
        let values = values.collect();
        let structure = LinearSolver::<f64>::new(&pattern).unwrap().structure();
        (pattern, values, structure)
    };
    patterns.map(filled).into()
}

#[test]
fn a_stop_is_heard_in_every_storage() {
    for (pattern, values, structure) in matrices() {
        let mut solver = LinearSolver::new(&pattern).unwrap();
        let cancel = Cancel::new();
        solver.cancel_with(&cancel);
        assert!(solver.factor(&values).is_ok(), "{structure:?}");
        cancel.set();
        assert!(solver.factor(&values).is_err(), "{structure:?}");
        solver.cancel_with(&Cancel::new());
        assert!(solver.factor(&values).is_ok(), "{structure:?}");
    }
    let structures: Vec<Structure> = matrices().into_iter().map(|m| m.2).collect();
    assert!(structures[0] != structures[1] && structures[1] != structures[2], "{structures:?}");
}
