//! Rank decisions: closed forms, hidden combinations, residuals against the matrix.

use cotangent_solve::{Dependent, Pattern, RankError, dependent_rows, null_space};
use proptest::prelude::*;

fn dense(rows: &[Vec<f64>]) -> (Pattern, Vec<f64>) {
    let width = rows.first().map_or(0, Vec::len);
    (Pattern::dense(rows.len(), width).unwrap(), rows.concat())
}

fn sparse(rows: usize, columns: usize, entries: &[(u32, u32, f64)]) -> (Pattern, Vec<f64>) {
    let addresses: Vec<_> = entries.iter().map(|&(i, j, _)| (i, j)).collect();
    let pattern = Pattern::new(rows, columns, &addresses).unwrap();
    let mut values = vec![0.0; pattern.len()];
    for &(i, j, value) in entries {
        values[pattern.position(i as usize, j as usize).unwrap()] = value;
    }
    (pattern, values)
}

fn dependent(rows: &[Vec<f64>]) -> Vec<Dependent> {
    let (pattern, values) = dense(rows);
    dependent_rows(&pattern, &values, 1e-10).unwrap()
}

#[test]
fn combinations_name_the_rows_they_are_made_of() {
    let rows = [
        vec![1.0, 0.0, 2.0, 0.0],
        vec![0.0, 1.0, 0.0, 3.0],
        vec![0.0; 4],
        vec![2.0, 0.0, 4.0, 0.0],
        vec![0.0, 0.0, 1.0, 1.0],
        vec![1.0, -1.0, 3.0, -2.0], // 0 − 1 + 4
        vec![0.0, 1.0, 1.0, 4.0],   // 1 + 4
    ];
    let expected = [(2, vec![]), (3, vec![0]), (5, vec![0, 1, 4]), (6, vec![1, 4])];
    assert_eq!(dependent(&rows), expected.map(|(row, on)| Dependent { row, on }));
    // Five rows in three dimensions.
    let found = dependent(&[vec![1.0, 2.0, 3.0], vec![4.0, 5.0, 6.0], vec![7.0, 8.0, 10.0], vec![1.0, 1.0, 1.0]]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].row, 3);
}

#[test]
fn nearly_parallel_is_not_parallel() {
    let rows = [vec![1.0, 0.0], vec![1.0, 1e-6]];
    assert_eq!(dependent(&rows), []);
    let (pattern, values) = dense(&rows);
    let found = dependent_rows(&pattern, &values, 1e-5).unwrap();
    assert_eq!(found, [Dependent { row: 1, on: vec![0] }]);
}

/// Differences along a chain are independent; the one that closes the ring is their sum.
fn chain(n: u32, repeat: &[u32]) -> (Pattern, Vec<f64>) {
    let mut entries: Vec<_> = (0..n).flat_map(|i| [(i, i, 1.0 + f64::from(i % 3)), (i, i + 1, -2.0)]).collect();
    for (&i, row) in repeat.iter().zip(n..) {
        entries.extend([(row, i, -3e12 * (1.0 + f64::from(i % 3))), (row, i + 1, 6e12)]);
    }
    sparse(n as usize + repeat.len(), n as usize + 1, &entries)
}

#[test]
fn a_long_chain_is_decided_quickly() {
    let n = 100_000;
    let (pattern, values) = chain(n, &[5, 77_777]);
    let start = std::time::Instant::now();
    let found = dependent_rows(&pattern, &values, 1e-10).unwrap();
    assert!(start.elapsed().as_secs() < 10);
    let expected = [(n as usize, vec![5]), (n as usize + 1, vec![77_777])];
    assert_eq!(found, expected.map(|(row, on)| Dependent { row, on }));
}

#[test]
fn the_sparse_way_agrees_with_the_full_one() {
    // Two loops in a graph of edges, one in a small component, one in a component of 3000 edges.
    let mut entries = Vec::new();
    let mut edge = |row: u32, a: u32, b: u32| entries.extend([(row, a, 1.0), (row, b, -1.0)]);
    for i in 0..2999 {
        edge(i, i, i + 1);
    }
    edge(2999, 1000, 1010); // the sum of ten edges
    for (row, (a, b)) in (3000..).zip([(4000, 4001), (4001, 4002), (4000, 4002)]) {
        edge(row, a, b);
    }
    let (pattern, values) = sparse(3003, 4003, &entries);
    let found = dependent_rows(&pattern, &values, 1e-10).unwrap();
    let expected = [(2999, (1000..1010).collect()), (3002, vec![3000, 3001])];
    assert_eq!(found, expected.map(|(row, on)| Dependent { row, on }));
}

#[test]
fn a_grid_of_edges_has_as_many_loops_as_faces() {
    let side = 30u32;
    let mut entries = Vec::new();
    let mut row = 0;
    for i in 0..side * side {
        let next = [(i % side + 1 < side).then_some(i + 1), (i + side < side * side).then_some(i + side)];
        for j in next.into_iter().flatten() {
            entries.extend([(row, i, 1.0), (row, j, -1.0)]);
            row += 1;
        }
    }
    let (pattern, values) = sparse(row as usize, (side * side) as usize, &entries);
    let found = dependent_rows(&pattern, &values, 1e-10).unwrap();
    assert_eq!(found.len(), ((side - 1) * (side - 1)) as usize);
    // In every loop, each node is met by an even number of edges.
    for Dependent { row, on } in found {
        let mut degree = vec![0; (side * side) as usize];
        for &edge in on.iter().chain([&row]) {
            pattern.row(edge).iter().for_each(|&j| degree[j as usize] += 1);
        }
        assert!(degree.iter().all(|d| d % 2 == 0) && on.iter().all(|&r| r < row));
    }
}

#[test]
fn what_cannot_be_decided_is_said() {
    let (pattern, _) = dense(&[vec![1.0, 2.0], vec![3.0, 4.0]]);
    let broken = dependent_rows(&pattern, &[1.0, 2.0, f64::NAN, 4.0], 1e-10);
    assert_eq!(broken, Err(RankError::NotFinite { row: 1 }));
    assert_eq!(null_space(&pattern, &[1.0, f64::INFINITY, 3.0, 4.0], 1e-10), Err(RankError::NotFinite { row: 0 }));
    assert_eq!(dependent_rows(&pattern, &[1.0], 1e-10), Err(RankError::Length { values: 1, entries: 4 }));
    let wide = Pattern::new(1, 100_000, &[(0, 3)]).unwrap();
    assert_eq!(null_space(&wide, &[1.0], 1e-10), Err(RankError::Undecided { rows: 1 }));
    assert_eq!(dependent_rows(&wide, &[1.0], 1e-10), Ok(vec![]));
}

#[test]
fn the_tangent_plane_of_a_sphere_is_found() {
    let normal = [0.36, 0.48, 0.8];
    let basis = null_space(&Pattern::dense(1, 3).unwrap(), &normal, 1e-12).unwrap();
    assert_eq!(basis.len(), 2);
    check_basis(&basis, &[normal.to_vec()]);
    // No equations: everything. As many as unknowns: nothing.
    assert_eq!(null_space(&Pattern::new(0, 2, &[]).unwrap(), &[], 1e-12).unwrap(), [[1.0, 0.0], [0.0, 1.0]]);
    let (pattern, values) = dense(&[vec![1.0, 2.0], vec![3.0, 4.0]]);
    assert!(null_space(&pattern, &values, 1e-12).unwrap().is_empty());
}

fn check_basis(basis: &[Vec<f64>], rows: &[Vec<f64>]) {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for (k, v) in basis.iter().enumerate() {
        for (l, w) in basis.iter().enumerate() {
            assert!((dot(v, w) - f64::from(u8::from(k == l))).abs() < 1e-14);
        }
        for row in rows {
            assert!(dot(row, v).abs() <= 1e-12 * dot(row, row).sqrt());
        }
    }
}

/// Rows of which some are combinations of those before, in units of their own.
fn hidden_rank() -> impl Strategy<Value = (Vec<Vec<f64>>, Vec<Vec<usize>>)> {
    let width = 30;
    let row = (prop::collection::vec(-1.0f64..1.0, width), prop::collection::vec(0usize..100, 0..4), -12i32..=12);
    prop::collection::vec((row, any::<bool>()), 1..25).prop_map(move |recipe| {
        let (mut rows, mut combined): (Vec<Vec<f64>>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
        let mut pure: Vec<(usize, Vec<f64>)> = Vec::new();
        for (index, ((fresh, picks, exponent), depends)) in recipe.into_iter().enumerate() {
            let unit = 10f64.powi(exponent);
            let mut on: Vec<_> = picks.iter().filter(|_| !pure.is_empty()).map(|p| p % pure.len()).collect();
            on.sort_unstable();
            on.dedup();
            let row: Vec<f64> = if depends {
                let sum = |j: usize| on.iter().enumerate().map(|(k, &p)| (1.0 + k as f64) * pure[p].1[j]).sum();
                (0..width).map(sum).collect()
            } else {
                on.clear();
                pure.push((index, fresh.clone()));
                fresh
            };
            rows.push(row.iter().map(|x| x * unit).collect());
            combined.push(if depends { on.iter().map(|&p| pure[p].0).collect() } else { vec![index] });
        }
        (rows, combined)
    })
}

proptest! {
    #[test]
    fn hidden_combinations_are_found_whatever_the_units((rows, combined) in hidden_rank()) {
        let expected: Vec<_> = combined.iter().enumerate().filter(|(row, on)| on[..] != [*row])
            .map(|(row, on)| Dependent { row, on: on.clone() }).collect();
        let (pattern, values) = dense(&rows);
        prop_assert_eq!(dependent_rows(&pattern, &values, 1e-9).unwrap(), expected.clone());
        let basis = null_space(&pattern, &values, 1e-9).unwrap();
        prop_assert_eq!(basis.len(), 30 - (rows.len() - expected.len()));
        check_basis(&basis, &rows);
    }

    #[test]
    fn any_matrix_is_decided(entries in prop::collection::vec((0u32..20, 0u32..20, prop::num::f64::ANY), 0..80)) {
        let (pattern, values) = sparse(20, 20, &entries);
        let _ = null_space(&pattern, &values, 1e-9);
        for Dependent { row, on } in dependent_rows(&pattern, &values, 1e-9).unwrap_or_default() {
            prop_assert!(on.iter().all(|&r| r < row));
        }
    }
}
