//! An interrupted and resumed table ends in the bytes of an uninterrupted one.

mod common;

use common::{arrays, files, part, write};
use cotangent_observe::{Columns, Family, Mark, TableError, TableWriter};
use cotangent_scalar::Cancel;
use proptest::prelude::*;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use tempfile::tempdir;

fn columns() -> Columns {
    Columns(vec![Family::scalar("t"), Family::indexed("u", [(2, 1), (5, 2)])])
}

fn append(path: &Path, bytes: &[u8]) {
    OpenOptions::new().append(true).open(path).unwrap().write_all(bytes).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn resuming_at_any_mark_gives_the_bytes_of_an_uninterrupted_run(
        rows in prop::collection::vec(prop::collection::vec(any::<f64>(), 3), 0..30),
        extra in prop::collection::vec(prop::collection::vec(any::<f64>(), 3), 0..10),
        torn: Vec<u8>,
        published: bool,
        npz: bool,
    ) {
        let folder = tempdir().unwrap();
        let ending = if npz { "npz" } else { "csv" };
        let path = folder.path().join(format!("whole.{ending}"));
        write(&path, &columns(), &rows);
        let whole = fs::read(&path).unwrap();
        let path = folder.path().join(format!("cut.{ending}"));
        for cut in 0..=rows.len() {
            let mut table = TableWriter::create(&path, columns()).unwrap();
            rows[..cut].iter().for_each(|row| table.row(row).unwrap());
            let mark = table.mark().unwrap();
            if published {
                table.publish().unwrap();
            }
            // What a killed process leaves: rows behind the mark, the last one torn.
            extra.iter().for_each(|row| table.row(row).unwrap());
            table.mark().unwrap();
            drop(table);
            append(&part(&path), &torn);

            let mark: Mark = serde_json::from_str(&serde_json::to_string(&mark).unwrap()).unwrap();
            let mut table = TableWriter::resume(&path, columns(), &mark, &Cancel::new()).unwrap();
            prop_assert_eq!(table.rows(), cut as u64);
            rows[cut..].iter().for_each(|row| table.row(row).unwrap());
            table.finish(&Cancel::new()).unwrap();
            prop_assert_eq!(fs::read(&path).unwrap(), &whole[..]);
        }
    }
}

#[test]
fn a_published_table_is_complete_and_the_run_goes_on() {
    for name in ["a.csv", "a.npz"] {
        let folder = tempdir().unwrap();
        let path = folder.path().join(name);
        let rows: Vec<Vec<f64>> = (0..5).map(|i| vec![i as f64; 3]).collect();
        let mut table = TableWriter::create(&path, columns()).unwrap();
        for n in 0..5 {
            table.publish().unwrap();
            let other = folder.path().join(format!("other-{name}"));
            write(&other, &columns(), &rows[..n]);
            assert_eq!(fs::read(&path).unwrap(), fs::read(&other).unwrap(), "{n} rows");
            fs::remove_file(other).unwrap();
            table.row(&rows[n]).unwrap();
        }
        assert_eq!(files(folder.path()), [format!(".{name}.part"), name.to_owned()]);
        table.finish(&Cancel::new()).unwrap();
        assert_eq!(files(folder.path()), [name]);
    }
}

#[test]
fn an_older_table_stays_until_a_new_one_is_complete() {
    for name in ["a.csv", "a.npz"] {
        let folder = tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, "precious").unwrap();
        let mut table = TableWriter::create(&path, columns()).unwrap();
        table.row(&[1.0; 3]).unwrap();
        table.mark().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
        table.discard().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
        assert_eq!(files(folder.path()), [name]);
        TableWriter::create(&path, columns()).unwrap().finish(&Cancel::new()).unwrap();
        assert_ne!(fs::read(&path).unwrap(), b"precious");
    }
}

#[test]
fn partial_data_that_are_not_those_of_the_mark_are_refused_and_left_alone() {
    for name in ["a.csv", "a.npz"] {
        let folder = tempdir().unwrap();
        let path = folder.path().join(name);
        let mut table = TableWriter::create(&path, columns()).unwrap();
        table.row(&[1.0, 2.0, 3.0]).unwrap();
        let mark = table.mark().unwrap();
        drop(table);
        let resume = |columns, mark: &Mark| {
            let said = TableWriter::resume(&path, columns, mark, &Cancel::new()).unwrap_err().to_string();
            said.replace(folder.path().to_str().unwrap(), "F").replace('\\', "/")
        };
        let part = part(&path);
        let good = fs::read(&part).unwrap();

        fs::write(&part, &good[1..]).unwrap();
        let (len, short) = (good.len(), good.len() - 1);
        assert_eq!(
            resume(columns(), &mark),
            format!(
                "cannot resume `F/{name}`: `F/.{name}.part` has {short} bytes, but {len} were there at the checkpoint"
            )
        );
        let mut bad = good.clone();
        *bad.last_mut().unwrap() ^= 1;
        fs::write(&part, &bad).unwrap();
        assert_eq!(
            resume(columns(), &mark),
            format!(
                "cannot resume `F/{name}`: `F/.{name}.part` does not hold the rows written before the checkpoint \
                 (was it damaged, or written by another run?)"
            )
        );
        assert_eq!(fs::read(&part).unwrap(), bad);
        fs::write(&part, &good).unwrap();
        let others = Columns(vec![Family::scalar("t"), Family::indexed("u", [(2, 1), (6, 2)])]);
        assert_eq!(
            resume(others, &mark),
            format!("cannot resume `F/{name}`: its columns were others at the checkpoint; record the same quantities")
        );
        fs::remove_file(&part).unwrap();
        assert_eq!(
            resume(columns(), &mark),
            format!(
                "cannot resume `F/{name}`: the rows written so far should be in `F/.{name}.part`, which is not there \
                 (a run that ends removes it); start the run anew"
            )
        );
        assert!(files(folder.path()).is_empty());
    }
}

#[test]
fn a_mark_that_makes_no_sense_is_refused() {
    let folder = tempdir().unwrap();
    for name in ["a.csv", "a.npz"] {
        let path = folder.path().join(name);
        let mut table = TableWriter::create(&path, columns()).unwrap();
        let mark = table.mark().unwrap();
        drop(table);
        for mark in [Mark { rows: u64::MAX, bytes: u64::MAX, ..mark }, Mark { bytes: u64::MAX, ..mark }] {
            assert!(TableWriter::resume(&path, columns(), &mark, &Cancel::new()).is_err());
        }
    }
    // Without columns any number of rows has no bytes.
    let path = folder.path().join("none.npz");
    let mark = TableWriter::create(&path, Columns::default()).unwrap().mark().unwrap();
    let mark = Mark { rows: u64::MAX, ..mark };
    let mut table = TableWriter::resume(&path, Columns::default(), &mark, &Cancel::new()).unwrap();
    table.row(&[]).unwrap();
    table.finish(&Cancel::new()).unwrap();
    assert_eq!(arrays(&path), []);
}

#[test]
fn two_runs_cannot_write_one_table() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let mut first = TableWriter::create(&path, columns()).unwrap();
    first.row(&[1.0; 3]).unwrap();
    let mark = first.mark().unwrap();
    let error = TableWriter::create(&path, columns()).unwrap_err();
    assert!(matches!(error, TableError::Busy { .. }), "{error}");
    assert!(matches!(TableWriter::resume(&path, columns(), &mark, &Cancel::new()), Err(TableError::Busy { .. })));
    first.finish(&Cancel::new()).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "t,u[2; 5],u[2; 6]\n1.0,1.0,1.0\n");
    TableWriter::create(&path, columns()).unwrap().discard().unwrap();
}

#[test]
fn rows_are_taken_from_a_table_that_was_completed_just_before_the_run_was_killed() {
    for name in ["a.csv", "a.npz"] {
        let folder = tempdir().unwrap();
        let path = folder.path().join(name);
        let rows: Vec<Vec<f64>> = (0..20).map(|k| vec![f64::from(k), 0.5, 1e300]).collect();
        let mut table = TableWriter::create(&path, columns()).unwrap();
        rows[..19].iter().for_each(|row| table.row(row).unwrap());
        let mark = table.mark().unwrap();
        table.row(&rows[19]).unwrap();
        table.finish(&Cancel::new()).unwrap();
        let whole = fs::read(&path).unwrap();
        // The second time a copy was left that did not come to its end.
        for copied in [None, Some("t,u[2")] {
            copied.into_iter().for_each(|bytes| fs::write(part(&path), bytes).unwrap());
            let mut table = TableWriter::resume(&path, columns(), &mark, &Cancel::new()).unwrap();
            assert_eq!(table.rows(), 19);
            table.row(&rows[19]).unwrap();
            table.finish(&Cancel::new()).unwrap();
            assert!(fs::read(&path).unwrap() == whole);
            assert_eq!(files(folder.path()), [name]);
        }
        // Another table of the same length is none to go on with, and rows that are there are left alone.
        fs::write(&path, vec![b'0'; whole.len()]).unwrap();
        let refused = TableWriter::resume(&path, columns(), &mark, &Cancel::new()).unwrap_err();
        assert!(matches!(refused, TableError::NothingToResume { .. }), "{refused}");
        fs::write(part(&path), "t,u[2").unwrap();
        let refused = TableWriter::resume(&path, columns(), &mark, &Cancel::new()).unwrap_err();
        assert!(!matches!(refused, TableError::NothingToResume { .. }), "{refused}");
        assert_eq!(fs::read(part(&path)).unwrap(), b"t,u[2");
    }
}

#[test]
fn whoever_stops_while_a_large_table_is_read_or_completed_loses_nothing() {
    let columns = || Columns(vec![Family::scalar("t"), Family::indexed("u", [(1, 1 << 20)])]);
    let row = vec![0.5; 1 + (1 << 20)];
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.npz");
    let (stopped, on) = (Cancel::new(), Cancel::new());
    stopped.set();
    let mut table = TableWriter::create(&path, columns()).unwrap();
    (0..9).for_each(|_| table.row(&row).unwrap());
    let mark = table.mark().unwrap();
    assert!(!table.is_short());
    let is_interrupt = |error: TableError| matches!(error, TableError::Interrupted { .. });
    assert!(is_interrupt(table.finish(&stopped).unwrap_err()));
    assert!(is_interrupt(TableWriter::resume(&path, columns(), &mark, &stopped).unwrap_err()));
    assert_eq!(files(folder.path()), [".a.npz.part"]);
    TableWriter::resume(&path, columns(), &mark, &on).unwrap().finish(&on).unwrap();
    assert_eq!(files(folder.path()), ["a.npz"]);
    assert!(is_interrupt(TableWriter::extend(&path, columns(), &mark, &stopped).unwrap_err()));
    assert_eq!(files(folder.path()), ["a.npz"], "a copy that was not asked for is gone");
    let table = TableWriter::extend(&path, columns(), &mark, &on).unwrap();
    assert_eq!(table.rows(), 9);
}

#[test]
fn what_a_run_left_that_was_killed_while_it_published_goes_with_the_next_table() {
    for name in ["a.csv", "a.npz"] {
        let folder = tempdir().unwrap();
        fs::write(folder.path().join(format!(".{name}.new")), "half a table").unwrap();
        fs::write(folder.path().join(format!(".{name}.part")), "some rows").unwrap();
        let table = TableWriter::create(&folder.path().join(name), columns()).unwrap();
        table.finish(&Cancel::new()).unwrap();
        assert_eq!(files(folder.path()), [name]);
    }
}
