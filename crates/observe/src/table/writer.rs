//! The table as its user sees it.

use super::partial::Partial;
use super::{Columns, Mark, TableError, Text, csv, npz};
use cotangent_destination::Destination;
use std::fs::File;
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

    /// Goes on with a table at a mark; rows written behind it are dropped.
    pub fn resume(path: &Path, columns: Columns, mark: &Mark) -> Result<Self, TableError> {
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
        let partial = Partial::reopen(destination.sibling("part"), path, mark.bytes, mark.checksum)?;
        Ok(TableWriter { destination, columns, width, format, partial, rows: mark.rows, texts: vec![] })
    }

    /// Goes on behind the first rows of a table that is complete, up to a mark that was made when it grew. The table
    /// stays until the longer one is published.
    pub fn extend(path: &Path, columns: Columns, mark: &Mark) -> Result<Self, TableError> {
        let format = Format::of(path)?;
        let destination = Destination::at(path)?;
        let failed = |source| TableError::Write { path: path.to_owned(), source };
        let mut table = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(TableError::Gone { path: path.to_owned() });
            }
            opened => opened.map_err(failed)?,
        };
        let mut partial = Partial::create(destination.sibling("part"), path)?;
        let copied = match format {
            Format::Csv => partial.fill(&mut table.take(mark.bytes)),
            Format::Npz => npz::rows(&mut table, &columns).and_then(|rows| {
                let write = |bytes: &[u8]| partial.fill(&mut { bytes });
                npz::take_apart(&mut table, rows, &columns, mark.rows, write)
            }),
        };
        let kept = copied.ok().and_then(|()| partial.sync().ok()) == Some((mark.bytes, mark.checksum));
        if !kept {
            partial.remove()?;
            return Err(TableError::NotAsLeft { path: path.to_owned() });
        }
        drop(partial);
        Self::resume(path, columns, mark)
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
        let (part, bytes) = self.partial.rewind()?;
        let temporary = self.destination.temporary();
        let assembled = File::create(&temporary).and_then(|mut file| {
            match self.format {
                Format::Csv => drop(io::copy(&mut part.take(bytes), &mut file)?),
                Format::Npz => npz::assemble(part, self.rows, &self.columns, &self.texts, &file)?,
            }
            self.destination.replace_with(&file, &temporary)
        });
        assembled.map_err(|source| {
            // What could not be completed takes no room on a disk that may be full.
            let _ = std::fs::remove_file(&temporary);
            self.failed(source)
        })
    }

    /// Makes the complete table and removes the partial data.
    pub fn finish(mut self) -> Result<(), TableError> {
        match self.format {
            Format::Csv => {
                self.partial.flush()?;
                let made = self.destination.replace_with(self.partial.file(), self.partial.path());
                made.map_err(|source| self.failed(source))
            }
            Format::Npz => {
                self.publish()?;
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
