//! A table as NumPy arrays: a zip archive with one `.npy` array per column, the row its first index.
//!
//! While the table grows, the rows are on the disk one after the other. The archive wants the
//! columns one after the other, so it is a transposition of a file that may be much larger than the
//! memory. It is cut into tiles of a fixed size. A tile has all columns and some rows if the table is
//! long: few large reads, one write per column. It has all rows and some columns if the table is wide:
//! one read per row, few large writes. So the number of reads and writes grows with the smaller side.
//!
//! Behind the columns come texts: what the table is of, for whoever finds it later.

use super::partial::goes_on;
use super::place::Placed;
use super::zip::{Member, end_of_archive};
use super::{Columns, Family, Text};
use cotangent_scalar::Cancel;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// How many bytes a tile has, unless a single row of a column has more.
const TILE: usize = 16 << 20;
/// Rows turned at once: a cache line of each stays in the fastest cache until all of it is used.
const BLOCK: usize = 32;

/// Appends a row of the partial data.
pub(super) fn row(numbers: &[f64], bytes: &mut Vec<u8>) {
    let start = bytes.len();
    bytes.resize(start + numbers.len() * 8, 0);
    for (to, x) in bytes[start..].as_chunks_mut::<8>().0.iter_mut().zip(numbers) {
        *to = x.to_le_bytes();
    }
}

/// What precedes the numbers in a `.npy` file (NEP 1): a Python dictionary, filled up with spaces
/// so that the numbers begin at a multiple of 64.
fn npy_header(rows: u64, column: &Family) -> Vec<u8> {
    let lengths: String = column.dims.iter().map(|&(_, len)| format!(" {len},")).collect();
    // Python writes a tuple of one number with a comma and a longer one without.
    let shape = format!("{rows},{lengths}");
    let shape = if column.dims.is_empty() { &shape } else { shape.trim_end_matches(',') };
    header("<f8", shape)
}

/// What precedes the entries of an array of this type and shape.
fn header(kind: &str, shape: &str) -> Vec<u8> {
    let dictionary = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    // Version 1.0 counts the bytes of the dictionary with 16 bits, version 2.0 with 32.
    let short = dictionary.len() + 64 <= usize::from(u16::MAX);
    let fixed = if short { 10 } else { 12 };
    let padded = (fixed + dictionary.len() + 1).next_multiple_of(64) - fixed;
    let mut header = b"\x93NUMPY".to_vec();
    header.extend([if short { 1 } else { 2 }, 0]);
    header.extend(&(padded as u32).to_le_bytes()[..fixed - 8]);
    header.extend(format!("{dictionary:<0$}\n", padded - 1).bytes());
    header
}

/// Texts as an array that NumPy reads: UTF-32, each filled up with zeros. A single one has no dimension.
fn text_array(text: &Text) -> Vec<u8> {
    let (list, shape) = match text {
        Text::One(text) => (std::slice::from_ref(text), String::new()),
        Text::List(list) => (&list[..], format!("{},", list.len())),
    };
    // NumPy knows no type for texts without letters.
    let longest = list.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
    let mut bytes = header(&format!("<U{longest}"), &shape);
    for text in list {
        let end = bytes.len() + longest * 4;
        bytes.extend(text.chars().flat_map(|c| u32::from(c).to_le_bytes()));
        bytes.resize(end, 0);
    }
    bytes
}

/// A column on its way from the rows to the archive.
struct Array {
    /// Where it is in a row, in bytes.
    start: usize,
    /// How many bytes of a row it has.
    len: usize,
    npy: Vec<u8>,
    member: Member,
    checksum: crc32fast::Hasher,
}

/// Where every column goes.
fn layout(rows: u64, columns: &Columns) -> Vec<Array> {
    let (mut start, mut place) = (0, 0);
    let array = |column: &Family| {
        let npy = npy_header(rows, column);
        // `Columns::check` has seen to it that a row can be counted.
        let len = column.width().unwrap_or(0) * 8;
        let size = npy.len() as u64 + rows.saturating_mul(len as u64);
        let member = Member { name: format!("{}.npy", column.name), size, checksum: 0, place };
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&npy);
        place = member.end();
        start += len;
        Array { start: start - len, len, npy, member, checksum }
    };
    columns.0.iter().map(array).collect()
}

/// Writes the archive of the rows in `source`, which is read from its beginning, until somebody asks to stop.
pub(super) fn assemble(
    source: &mut File,
    rows: u64,
    columns: &Columns,
    texts: &[(String, Text)],
    target: &File,
    cancel: &Cancel,
) -> io::Result<()> {
    let mut arrays = layout(rows, columns);
    let row_len = arrays.last().map_or(0, |last| last.start + last.len);
    let mut target = Placed::new(target);
    let mut turner = Turner { source, rows: if row_len == 0 { 0 } else { rows }, row_len, cancel };
    for group in groups(&mut arrays, rows) {
        turner.turn(group, &mut target)?;
    }
    let mut directory = arrays.last().map_or(0, |last| last.member.end());
    let mut members: Vec<Member> = arrays.into_iter().map(|array| array.member).collect();
    for (name, text) in texts {
        let bytes = text_array(text);
        let (size, checksum) = (bytes.len() as u64, crc32fast::hash(&bytes));
        let member = Member { name: format!("{name}.npy"), size, checksum, place: directory };
        target.write_at(member.place, &member.local_header())?;
        target.write_at(member.content(), &bytes)?;
        directory = member.end();
        members.push(member);
    }
    let mut place = directory;
    for member in &members {
        let entry = member.directory_entry();
        target.write_at(place, &entry)?;
        place += entry.len() as u64;
    }
    target.write_at(place, &end_of_archive(members.len() as u64, directory, place - directory))?;
    target.flush()
}

/// Brings the first `wanted` of the rows of an archive that was made by [`assemble`] back into their order.
pub(super) fn take_apart(
    source: &mut File,
    rows: u64,
    columns: &Columns,
    wanted: u64,
    cancel: &Cancel,
    mut write: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let arrays = layout(rows, columns);
    let row_len = arrays.last().map_or(0, |last| last.start + last.len);
    let most = (TILE / row_len.max(1)).max(1) as u64;
    let (mut column, mut tile) = (vec![], vec![]);
    for from in (0..wanted).step_by(most as usize) {
        let some = most.min(wanted - from) as usize;
        tile.resize(some * row_len, 0);
        for array in arrays.iter().filter(|array| array.len > 0) {
            goes_on(cancel)?;
            let begin = array.member.content() + array.npy.len() as u64 + from * array.len as u64;
            column.resize(some * array.len, 0);
            source.seek(SeekFrom::Start(begin))?;
            source.read_exact(&mut column)?;
            for (row, part) in tile.chunks_exact_mut(row_len).zip(column.chunks_exact(array.len)) {
                row[array.start..array.start + array.len].copy_from_slice(part);
            }
        }
        write(&tile)?;
    }
    Ok(())
}

/// How many rows an archive has whose first column is `first`, which is no family.
pub(super) fn rows(source: &mut File, columns: &Columns) -> io::Result<u64> {
    let Some(first) = layout(0, columns).into_iter().next() else { return Ok(0) };
    // The number of digits of the shape may change the length of the header, but not where it begins.
    let mut start = vec![0; 4096];
    source.seek(SeekFrom::Start(first.member.content()))?;
    let length = source.read(&mut start)?;
    let text = String::from_utf8_lossy(&start[..length]);
    let digits = text.split_once("'shape': (").map_or("", |(_, rest)| rest.split(',').next().unwrap_or(""));
    digits.parse().map_err(|_| io::Error::from(io::ErrorKind::InvalidData))
}

/// Cuts the columns into groups that are turned one after the other.
fn groups(arrays: &mut [Array], rows: u64) -> Vec<&mut [Array]> {
    if rows >= arrays.len() as u64 {
        return vec![arrays];
    }
    let mut groups = Vec::new();
    let mut rest = arrays;
    while !rest.is_empty() {
        let most = |&(_, end): &(usize, u64)| end <= TILE as u64;
        let ends = rest.iter().scan(0u64, |sum, array| {
            *sum = sum.saturating_add((array.len as u64).saturating_mul(rows));
            Some(*sum)
        });
        let fitting = ends.enumerate().take_while(most).count();
        let (group, behind) = rest.split_at_mut(fitting.max(1));
        groups.push(group);
        rest = behind;
    }
    groups
}

/// Brings the rows of a file into the order of columns.
struct Turner<'a> {
    source: &'a mut File,
    rows: u64,
    row_len: usize,
    cancel: &'a Cancel,
}

impl Turner<'_> {
    /// Writes a group of neighbouring columns, tile by tile.
    fn turn(&mut self, group: &mut [Array], target: &mut Placed<'_>) -> io::Result<()> {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { return Ok(()) };
        let (start, width) = (first.start, last.start + last.len - first.start);
        let most = self.rows.min((TILE / width.max(1)).max(1) as u64);
        let mut tile = vec![0; most as usize * width];
        let mut turned = tile.clone();
        let mut from = 0;
        // At least once: a table without rows has headers too.
        loop {
            let rows = most.min(self.rows - from);
            let size = rows as usize * width;
            self.read(from, start, width, &mut tile[..size])?;
            transpose(&tile[..size], width, group, &mut turned[..size]);
            let mut at = 0;
            for array in &mut *group {
                goes_on(self.cancel)?;
                let size = rows as usize * array.len;
                array.write(from, from + rows == self.rows, &turned[at..at + size], target)?;
                at += size;
            }
            from += rows;
            if from >= self.rows {
                return Ok(());
            }
        }
    }

    /// Reads the bytes `start..start + width` of rows.
    fn read(&mut self, from: u64, start: usize, width: usize, tile: &mut [u8]) -> io::Result<()> {
        if width == self.row_len {
            // Row after row: the file is where the last tile ended.
            return self.source.read_exact(tile);
        }
        for (i, part) in tile.chunks_exact_mut(width.max(1)).enumerate() {
            goes_on(self.cancel)?;
            let row = from + i as u64;
            self.source.seek(SeekFrom::Start(row * self.row_len as u64 + start as u64))?;
            self.source.read_exact(part)?;
        }
        Ok(())
    }
}

impl Array {
    /// Writes some rows, and the header together with the last ones: it has the checksum of all.
    fn write(&mut self, from: u64, last: bool, bytes: &[u8], target: &mut Placed<'_>) -> io::Result<()> {
        self.checksum.update(bytes);
        let content = self.member.content();
        if last {
            self.member.checksum = self.checksum.clone().finalize();
            target.write_at(self.member.place, &self.member.local_header())?;
            target.write_at(content, &self.npy)?;
        }
        target.write_at(content + self.npy.len() as u64 + from * self.len as u64, bytes)
    }
}

/// From rows of a group of columns to the columns one after the other.
fn transpose(tile: &[u8], width: usize, group: &[Array], turned: &mut [u8]) {
    let Some(origin) = group.first().map(|array| array.start) else { return };
    let rows = tile.len().checked_div(width).unwrap_or(0);
    for (block, lines) in tile.chunks(BLOCK * width.max(1)).enumerate() {
        for array in group.iter().filter(|array| array.len > 0) {
            let start = array.start - origin;
            let to = &mut turned[start * rows + block * BLOCK * array.len..];
            if array.len == 8 {
                // Copies of a size known to the compiler are moves.
                let numbers = lines.chunks_exact(width).map(|line| line[start..].first_chunk::<8>());
                for (to, x) in to.as_chunks_mut::<8>().0.iter_mut().zip(numbers.flatten()) {
                    *to = *x;
                }
            } else {
                let parts = lines.chunks_exact(width).map(|line| &line[start..start + array.len]);
                for (to, part) in to.chunks_exact_mut(array.len).zip(parts) {
                    to.copy_from_slice(part);
                }
            }
        }
    }
}
