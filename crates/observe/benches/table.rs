//! Writing tables against the plainest code that does the same:
//!
//! ```text
//! cargo bench -p cotangent-observe --bench table
//! ```

#![allow(clippy::print_stdout)]

use cotangent_observe::{Columns, Family, TableWriter};
use cotangent_scalar::Cancel;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// Numbers as a run has them: all digits used, a few orders of magnitude.
fn fill(row: &mut [f64], r: usize) {
    for (c, x) in row.iter_mut().enumerate() {
        *x = ((r * 31 + c * 17) as f64 * 0.618_033_988_749_894_9).fract() * [1.0, 1e-9, 1e3][c % 3] - 0.3;
    }
}

/// Time of the rows and time of finishing.
fn table(path: &Path, columns: Columns, rows: usize) -> (Duration, Duration) {
    let mut row = vec![0.0; columns.width().unwrap_or(0)];
    fill(&mut row, 1);
    let mut table = TableWriter::create(path, columns).expect("a table");
    let begin = Instant::now();
    for r in 0..rows {
        row[0] = r as f64 * 0.01;
        table.row(&row).expect("a row");
    }
    let filled = begin.elapsed();
    table.finish(&Cancel::new()).expect("the table");
    (filled, begin.elapsed() - filled)
}

fn plain_text(path: &Path, width: usize, rows: usize) -> Duration {
    let mut row = vec![0.0; width];
    fill(&mut row, 1);
    let begin = Instant::now();
    let mut file = BufWriter::new(File::create(path).expect("a file"));
    for r in 0..rows {
        row[0] = r as f64 * 0.01;
        for x in &row {
            write!(file, "{x:?},").expect("a number");
        }
        file.write_all(b"\n").expect("a line");
    }
    file.flush().expect("the file");
    begin.elapsed()
}

fn plain_bytes(path: &Path, width: usize, rows: usize) -> (Duration, Duration) {
    let mut row = vec![0.0; width];
    fill(&mut row, 1);
    let begin = Instant::now();
    let mut file = BufWriter::with_capacity(1 << 18, File::create(path).expect("a file"));
    for r in 0..rows {
        row[0] = r as f64 * 0.01;
        for x in &row {
            file.write_all(&x.to_le_bytes()).expect("a number");
        }
    }
    file.flush().expect("the file");
    let filled = begin.elapsed();
    file.get_ref().sync_all().expect("the disk");
    (filled, begin.elapsed() - filled)
}

fn scalars(n: usize) -> Columns {
    (0..n).map(|i| Family::scalar(format!("x{i}"))).collect()
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let (csv, npz, raw) = (folder.path().join("a.csv"), folder.path().join("a.npz"), folder.path().join("raw"));
    println!("ns per number: rows + finishing (with the disk)");
    let shapes = [
        ("10 columns, 10^7 rows", scalars(10), 10_000_000),
        ("400000 columns, 100 rows", scalars(400_000), 100),
        ("a family of 400000, 100 rows", Columns(vec![Family::indexed("u", [(1, 400_000)])]), 100),
    ];
    for (what, columns, rows) in shapes {
        let width = columns.width().unwrap_or(0);
        let each = |time: Duration, rows: usize| time.as_secs_f64() * 1e9 / (width * rows) as f64;
        let fewer = (rows / 4).max(1);
        let (rows_csv, end_csv) = table(&csv, columns.clone(), fewer);
        let text = plain_text(&raw, width, fewer);
        println!(
            "csv, {what} (a quarter of them): {:.1} + {:.1}, `{{:?}}` alone {:.1}",
            each(rows_csv, fewer),
            each(end_csv, fewer),
            each(text, fewer)
        );
        let (rows_npz, end_npz) = table(&npz, columns, rows);
        let (bytes, disk) = plain_bytes(&raw, width, rows);
        println!(
            "npz, {what}: {:.2} + {:.2}, bytes alone {:.2} + {:.2}",
            each(rows_npz, rows),
            each(end_npz, rows),
            each(bytes, rows),
            each(disk, rows)
        );
    }
}
