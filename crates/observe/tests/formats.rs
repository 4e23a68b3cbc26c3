//! What is in a table is what was put in.

mod common;

use common::{arrays, bits, files, write};
use cotangent_observe::{Columns, Family, TableError, TableWriter};
use cotangent_scalar::Cancel;
use proptest::prelude::*;
use std::fs;
use tempfile::tempdir;

#[test]
fn a_csv_file_is_names_and_numbers() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("run.csv");
    let columns = Columns(vec![Family::scalar("t"), Family::indexed("u", [(2, 1), (5, 2)])]);
    write(&path, &columns, &[vec![0.0, 1e-7, f64::NAN], vec![0.1, f64::INFINITY, -f64::INFINITY]]);
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text, "t,u[2; 5],u[2; 6]\n0.0,1e-7,nan\n0.1,inf,-inf\n");
    assert_eq!(files(folder.path()), ["run.csv"], "nothing else is left");
}

#[test]
fn an_npz_file_has_an_array_per_column_with_the_row_as_first_index() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("run.npz");
    let columns = Columns(vec![
        Family::scalar("t"),
        Family::indexed("x", [(1, 2)]),
        Family::indexed("none", [(1, 0)]),
        Family::indexed("größe", [(0, 2), (0, 2)]),
    ]);
    let row = |i: f64| vec![i, i + 0.1, i + 0.2, i + 0.3, i + 0.4, i + 0.5, f64::NAN];
    write(&path, &columns, &[row(1.0), row(2.0)]);
    let read = arrays(&path);
    let shapes: Vec<(&str, &[u64])> = read.iter().map(|(name, shape, _)| (name.as_str(), &shape[..])).collect();
    assert_eq!(shapes, [("t", &[2][..]), ("x", &[2, 2]), ("none", &[2, 0]), ("größe", &[2, 2, 2])]);
    assert_eq!(read[0].2, [1.0, 2.0]);
    assert_eq!(read[1].2, [1.1, 1.2, 2.1, 2.2]);
    let (one, two) = (row(1.0), row(2.0));
    assert_eq!(bits(&read[3].2), bits(&[&one[3..], &two[3..]].concat()));
    assert_eq!(files(folder.path()), ["run.npz"], "nothing else is left");
}

#[test]
fn an_npz_file_is_the_same_bytes_whenever_it_is_written() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("x.npz");
    write(&path, &Columns(vec![Family::scalar("x")]), &[vec![1.5], vec![-2.0]]);
    let bytes = fs::read(&path).unwrap();
    // 30 + 5 local header, 128 + 16 array, 46 + 5 directory, 22 end.
    assert_eq!(bytes.len(), 35 + 144 + 51 + 22);
    assert_eq!(crc32fast::hash(&bytes), 1_654_049_010, "the bytes changed");
}

#[test]
fn tables_without_rows_or_without_columns_are_tables() {
    let folder = tempdir().unwrap();
    let columns = Columns(vec![Family::scalar("t"), Family::indexed("x", [(1, 3)])]);
    let none = Columns::default();
    let (csv, npz) = (folder.path().join("a.csv"), folder.path().join("a.npz"));
    write(&csv, &columns, &[]);
    assert_eq!(fs::read_to_string(&csv).unwrap(), "t,x[1],x[2],x[3]\n");
    write(&csv, &none, &[vec![], vec![]]);
    assert_eq!(fs::read_to_string(&csv).unwrap(), "\n\n\n");
    write(&npz, &columns, &[]);
    assert_eq!(arrays(&npz), [("t".into(), vec![0], vec![]), ("x".into(), vec![0, 3], vec![])]);
    write(&npz, &none, &[vec![], vec![]]);
    assert_eq!(arrays(&npz), []);
}

#[test]
fn a_table_may_have_a_hundred_thousand_columns() {
    const N: usize = 100_000;
    let folder = tempdir().unwrap();
    let rows: Vec<Vec<f64>> = (0..40).map(|r| (0..N).map(|c| (r * N + c) as f64).collect()).collect();
    let many: Columns = (0..N).map(|i| Family::scalar(format!("x{i}"))).collect();
    let path = folder.path().join("many.npz");
    write(&path, &many, &rows);
    let read = arrays(&path);
    assert_eq!(read.len(), N);
    for (c, (name, shape, numbers)) in read.iter().enumerate() {
        assert_eq!((name.as_str(), &shape[..]), (format!("x{c}").as_str(), &[40][..]));
        assert!(numbers.iter().enumerate().all(|(r, &x)| x == rows[r][c]));
    }
    let family = Columns(vec![Family::indexed("x", [(1, N)])]);
    write(&path, &family, &rows);
    assert_eq!(arrays(&path), [("x".into(), vec![40, N as u64], rows.concat())]);
    let path = folder.path().join("many.csv");
    write(&path, &many, &rows[..2]);
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[0].starts_with("x0,x1,") && lines[0].ends_with(",x99999"));
    let numbers: Vec<f64> = lines[2].split(',').map(|x| x.parse().unwrap()).collect();
    assert_eq!(numbers, rows[1]);
}

#[test]
fn tables_larger_than_a_tile_are_turned_right() {
    // 16 MiB are a tile. Long: several tiles of all columns. Wide: several tiles of all rows; and
    // one column that alone is more than a tile.
    let folder = tempdir().unwrap();
    let path = folder.path().join("large.npz");
    let long = Columns(vec![Family::scalar("t"), Family::indexed("x", [(1, 3)]), Family::scalar("e")]);
    let scalars = (0..300).map(|i| Family::scalar(format!("s{i}")));
    let wide =
        Columns(scalars.clone().chain([Family::indexed("x", [(1, 12_000)])]).chain([Family::scalar("e")]).collect());
    for (columns, rows) in [(long, 1_000_000), (wide, 200)] {
        let width = columns.width().unwrap();
        let value = |r: usize, c: usize| (r * width + c) as f64;
        let mut table = TableWriter::create(&path, columns.clone()).unwrap();
        let mut row = vec![0.0; width];
        for r in 0..rows {
            row.iter_mut().enumerate().for_each(|(c, x)| *x = value(r, c));
            table.row(&row).unwrap();
        }
        table.finish(&Cancel::new()).unwrap();
        let mut start = 0;
        for ((name, shape, numbers), column) in arrays(&path).iter().zip(&columns.0) {
            let k = column.width().unwrap();
            assert_eq!((name, shape[0]), (&column.name, rows as u64));
            assert_eq!(numbers.len(), rows * k);
            assert!(numbers.iter().enumerate().all(|(i, &x)| x == value(i / k, start + i % k)), "{name}");
            start += k;
        }
        assert_eq!(start, width);
    }
}

#[test]
fn a_row_of_the_wrong_length_is_refused_and_changes_nothing() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let mut table = TableWriter::create(&path, Columns(vec![Family::scalar("t")])).unwrap();
    let error = table.row(&[1.0, 2.0]).unwrap_err();
    assert_eq!(error.to_string(), "a row has 2 numbers, but the table has 1 columns");
    table.row(&[1.0]).unwrap();
    assert_eq!(table.rows(), 1);
    table.finish(&Cancel::new()).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "t\n1.0\n");
}

#[test]
fn columns_that_could_not_be_told_apart_or_stored_are_refused() {
    let folder = tempdir().unwrap();
    let error = |columns: Vec<Family>| {
        let path = folder.path().join("a.npz");
        TableWriter::create(&path, Columns(columns)).unwrap_err().to_string()
    };
    let twice = vec![Family::scalar("x"), Family::indexed("x", [(0, 1)])];
    assert_eq!(error(twice), "a table cannot have two columns named `x`");
    let long = error(vec![Family::scalar("y".repeat(70_000))]);
    assert_eq!(long, "the name of the column `yyyyyyyyyyyyyyyyyyyy…` has 70000 bytes; at most 65531 are possible");
    let wide = vec![Family::indexed("x", [(0, usize::MAX), (0, 7)])];
    assert!(Columns(wide.clone()).width().is_none());
    assert!(error(wide).starts_with("the rows of the table are too wide"));
    assert!(matches!(
        TableWriter::create(&folder.path().join("a.csv"), Columns(vec![Family::indexed("x", [(0, usize::MAX / 8)])])),
        Err(TableError::TooWide)
    ));
    assert!(files(folder.path()).is_empty());
}

fn any_columns() -> impl Strategy<Value = Columns> {
    let dims = prop::collection::vec((-3i64..3, 0usize..4), 0..3);
    prop::collection::vec(dims, 0..5)
        .prop_map(|all| all.into_iter().enumerate().map(|(i, dims)| Family::indexed(format!("c{i}"), dims)).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_table_is_read_back_to_its_bits(columns in any_columns(), count in 0usize..80, seed: u64) {
        let folder = tempdir().unwrap();
        let width = columns.width().unwrap();
        let mut state = seed;
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f64::from_bits(state)
        };
        let rows: Vec<Vec<f64>> = (0..count).map(|_| (0..width).map(|_| number()).collect()).collect();
        let path = folder.path().join("a.npz");
        write(&path, &columns, &rows);
        let mut start = 0;
        let read = arrays(&path);
        prop_assert_eq!(read.len(), columns.0.len());
        for ((name, shape, numbers), column) in read.iter().zip(&columns.0) {
            let k = column.width().unwrap();
            let expected: Vec<f64> = rows.iter().flat_map(|row| &row[start..start + k]).copied().collect();
            prop_assert_eq!(name, &column.name);
            prop_assert_eq!(&shape[1..], column.dims.iter().map(|&(_, n)| n as u64).collect::<Vec<_>>());
            prop_assert_eq!(shape[0], count as u64);
            prop_assert_eq!(bits(numbers), bits(&expected));
            start += k;
        }
    }
}
