//! The table as its user sees it.

use super::partial::Partial;
use super::{Columns, Mark, TableError, Text, csv, npz};
use cotangent_destination::Destination;
use cotangent_scalar::Cancel;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Csv,
    Npz,
}

impl Format {
    fn of(path: &Path) -> Result<Self, TableError> {
        let ending = path.extension().unwrap_or_default();
        if ending.eq_ignore_ascii_case("csv") {
            Ok(Format::Csv)
        } else if ending.eq_ignore_ascii_case("npz") {
            Ok(Format::Npz)
        } else {
            Err(TableError::Format { path: path.to_owned() })
        }
    }
}

/// Copying or turning so many bytes takes no longer than a moment.
const SHORT: u64 = 64 << 20;

/// A table that grows by rows.
///
/// Dropping it keeps the rows for [`TableWriter::resume`] and leaves an older table alone.
#[derive(Debug)]
pub struct TableWriter {
    destination: Destination,
    columns: Columns,
    width: usize,
    format: Format,
    partial: Partial,
    rows: u64,
    /// What the table is of, by name.
    texts: Vec<(String, Text)>,
}

impl TableWriter {
    /// Begins a table; the ending of the file name, `.csv` or `.npz`, says in which format.
    ///
    /// Whatever would keep the table from being written is found here and not after the run. A table
    /// that is already there stays until this one is published.
    pub fn create(path: &Path, columns: Columns) -> Result<Self, TableError> {
        let format = Format::of(path)?;
        let width = columns.check()?;
        let destination = Destination::at(path)?;
        let partial = Partial::create(destination.sibling("part"), path)?;
        let mut table = TableWriter { destination, columns, width, format, partial, rows: 0, texts: vec![] };
        if format == Format::Csv {
            csv::header(&table.columns, table.partial.buffer()?);
        }
        // Written at once, so that a full disk is noticed, and findable after a crash.
        table.partial.flush()?;
        table.destination.sync_folder().map_err(|source| TableError::Write { path: path.to_owned(), source })?;
        Ok(table)
    }

    /// Goes on with a table at a mark; rows written behind it are dropped. Where the partial data are gone, because the
    /// run ended just after it completed the table, they are taken from there.
    ///
    /// The rows are read once, until somebody asks to stop.
    pub fn resume(path: &Path, columns: Columns, mark: &Mark, cancel: &Cancel) -> Result<Self, TableError> {
        let resumed = Self::reopen(path, columns.clone(), mark, cancel);
        let Err(missing @ (TableError::NothingToResume { .. } | TableError::TooShort { .. })) = resumed else {
            return resumed;
        };
        match holds(path, &columns, mark) {
            true => Self::extend(path, columns, mark, cancel).map_err(|error| match error {
                TableError::NotAsLeft { .. } => missing,
                error => error,
            }),
            false => Err(missing),
        }
    }

    fn reopen(path: &Path, columns: Columns, mark: &Mark, cancel: &Cancel) -> Result<Self, TableError> {
        let format = Format::of(path)?;
        let width = columns.check()?;
        let expected = match format {
            Format::Csv => Some(mark.bytes),
            Format::Npz => mark.rows.checked_mul(width as u64 * 8),
        };
        if columns.checksum() != mark.columns || expected != Some(mark.bytes) {
            return Err(TableError::OtherColumns { path: path.to_owned() });
        }
        let destination = Destination::at(path)?;
        let partial = Partial::reopen(destination.sibling("part"), path, mark, cancel)?;
        Ok(TableWriter { destination, columns, width, format, partial, rows: mark.rows, texts: vec![] })
    }

    /// Goes on behind the first rows of a table that is complete, up to a mark that was made when it grew. The table
    /// stays until the longer one is published.
    pub fn extend(path: &Path, columns: Columns, mark: &Mark, cancel: &Cancel) -> Result<Self, TableError> {
        let format = Format::of(path)?;
        let destination = Destination::at(path)?;
        let failed = |source| TableError::Write { path: path.to_owned(), source };
        let mut table = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(TableError::Gone { path: path.to_owned() });
            }
            opened => opened.map_err(failed)?,
        };
        // Partial data that are there stay until the copy is known to be right.
        let copy = destination.sibling("copy");
        let mut partial = Partial::create(copy.clone(), path)?;
        let copied = match format {
            Format::Csv => partial.fill(&mut table.take(mark.bytes), cancel),
            Format::Npz => npz::rows(&mut table, &columns).and_then(|rows| {
                let write = |bytes: &[u8]| partial.fill(&mut { bytes }, cancel);
                npz::take_apart(&mut table, rows, &columns, mark.rows, cancel, write)
            }),
        };
        let kept = copied.ok().and_then(|()| partial.sync().ok()) == Some((mark.bytes, mark.checksum));
        if !kept {
            partial.remove()?;
            let path = path.to_owned();
            return Err(match cancel.is_set() {
                true => TableError::Interrupted { path },
                false => TableError::NotAsLeft { path },
            });
        }
        drop(partial);
        fs::rename(&copy, destination.sibling("part")).map_err(failed)?;
        Self::reopen(path, columns, mark, cancel)
    }

    /// Puts texts into the table, if its format has room for them: what it is of, by name. The names of columns stay;
    /// those of texts give way to them with a `_` at their end.
    #[must_use]
    pub fn with_texts(mut self, texts: Vec<(String, Text)>) -> Self {
        self.texts = texts;
        for (name, _) in &mut self.texts {
            while self.columns.0.iter().any(|column| column.name == *name) {
                name.push('_');
            }
        }
        self
    }

    /// The columns.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// How many rows it has so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Adds a row. After an error the row is not in the table.
    pub fn row(&mut self, numbers: &[f64]) -> Result<(), TableError> {
        if numbers.len() != self.width {
            return Err(TableError::Width { expected: self.width, found: numbers.len() });
        }
        let buffer = self.partial.buffer()?;
        match self.format {
            Format::Csv => csv::row(numbers, buffer),
            Format::Npz => npz::row(numbers, buffer),
        }
        self.rows = self.rows.saturating_add(1);
        Ok(())
    }

    /// Puts all rows so far on the disk and says how many they are. A checkpoint is written after
    /// this and keeps the mark.
    pub fn mark(&mut self) -> Result<Mark, TableError> {
        let (bytes, checksum) = self.partial.sync()?;
        Ok(Mark { rows: self.rows, bytes, checksum, columns: self.columns.checksum() })
    }

    /// Makes a complete table of all rows so far, in the place of an older one, and keeps what is
    /// needed to go on, now or by [`TableWriter::resume`].
    pub fn publish(&mut self) -> Result<(), TableError> {
        self.assemble(&Cancel::new())
    }

    /// Whether [`TableWriter::publish`] takes no longer than a moment.
    pub fn is_short(&self) -> bool {
        self.partial.bytes() <= SHORT
    }

    /// Makes the complete table, in the place of an older one.
    fn assemble(&mut self, cancel: &Cancel) -> Result<(), TableError> {
        let (part, bytes) = self.partial.rewind()?;
        let temporary = self.destination.temporary();
        let assembled = File::create(&temporary).and_then(|mut file| {
            match self.format {
                Format::Csv => drop(io::copy(&mut part.take(bytes), &mut file)?),
                Format::Npz => npz::assemble(part, self.rows, &self.columns, &self.texts, &file, cancel)?,
            }
            self.destination.replace_with(&file, &temporary)
        });
        assembled.map_err(|source| {
            // What could not be completed takes no room on a disk that may be full.
            let _ = std::fs::remove_file(&temporary);
            match source.kind() {
                io::ErrorKind::Interrupted => TableError::Interrupted { path: self.destination.path().to_owned() },
                _ => self.failed(source),
            }
        })
    }

    /// Makes the complete table and removes the partial data. If somebody asks to stop and it takes longer than a
    /// moment, the partial data stay for [`TableWriter::resume`].
    pub fn finish(mut self, cancel: &Cancel) -> Result<(), TableError> {
        match self.format {
            Format::Csv => {
                self.partial.flush()?;
                let made = self.destination.replace_with(self.partial.file(), self.partial.path());
                made.map_err(|source| self.failed(source))?;
                // What a run left that was killed while it published; that there is nothing is no error.
                let _ = std::fs::remove_file(self.destination.temporary());
                Ok(())
            }
            Format::Npz => {
                match self.is_short() {
                    true => self.publish()?,
                    false => self.assemble(cancel)?,
                }
                self.partial.remove()
            }
        }
    }

    /// Gives the table up: removes the partial data and leaves an older table alone.
    pub fn discard(self) -> Result<(), TableError> {
        self.partial.remove()
    }

    fn failed(&self, source: io::Error) -> TableError {
        TableError::Write { path: self.destination.path().to_owned(), source }
    }
}

/// Whether a table may hold the rows up to a mark.
fn holds(path: &Path, columns: &Columns, mark: &Mark) -> bool {
    let Ok(mut table) = File::open(path) else { return false };
    match Format::of(path) {
        Ok(Format::Csv) => table.metadata().is_ok_and(|m| m.len() >= mark.bytes),
        Ok(Format::Npz) => npz::rows(&mut table, columns).is_ok_and(|rows| rows >= mark.rows),
        Err(_) => false,
    }
}
