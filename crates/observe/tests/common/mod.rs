//! Reading tables back without the code that wrote them: `zip` and `npyz` for archives.

#![allow(dead_code)]

use cotangent_observe::{Columns, TableWriter};
use cotangent_scalar::Cancel;
use std::io::Read;
use std::path::{Path, PathBuf};

/// An array of an archive: name, shape, numbers.
pub(crate) type Array = (String, Vec<u64>, Vec<f64>);

/// All arrays of a `.npz` file, in its order.
pub(crate) fn arrays(path: &Path) -> Vec<Array> {
    let mut archive = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
    let count = archive.len();
    let read = |i| {
        let mut member = archive.by_index(i).unwrap();
        let name = member.name().unwrap().strip_suffix(".npy").unwrap().to_owned();
        let mut bytes = Vec::new();
        // Reading to the end checks the CRC too.
        member.read_to_end(&mut bytes).unwrap();
        let npy = npyz::NpyFile::new(&bytes[..]).unwrap();
        assert_eq!(npy.order(), npyz::Order::C);
        let shape = npy.shape().to_vec();
        (name, shape, npy.into_vec().unwrap())
    };
    (0..count).map(read).collect()
}

/// Writes a whole table at once.
pub(crate) fn write(path: &Path, columns: &Columns, rows: &[Vec<f64>]) {
    let mut table = TableWriter::create(path, columns.clone()).unwrap();
    rows.iter().for_each(|row| table.row(row).unwrap());
    table.finish(&Cancel::new()).unwrap();
}

/// The names in a folder, sorted.
pub(crate) fn files(folder: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<String> = std::fs::read_dir(folder).unwrap().map(name).collect();
    names.sort();
    names
}

/// The partial data of a table.
pub(crate) fn part(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap().to_str().unwrap();
    path.with_file_name(format!(".{name}.part"))
}

/// Numbers as bits: NaNs compare equal to themselves.
pub(crate) fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}
