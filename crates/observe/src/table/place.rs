//! Writing pieces of a file at given places.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

/// How much is collected before it is written.
const BUFFER: usize = 1 << 20;

/// A file written at any place; pieces that follow each other become one write.
pub(super) struct Placed<'a> {
    file: &'a File,
    /// Where the buffer belongs.
    at: u64,
    buffer: Vec<u8>,
}

impl<'a> Placed<'a> {
    pub(super) fn new(file: &'a File) -> Self {
        Placed { file, at: 0, buffer: Vec::new() }
    }

    /// Puts bytes at a place.
    pub(super) fn write_at(&mut self, place: u64, bytes: &[u8]) -> io::Result<()> {
        if place != self.at + self.buffer.len() as u64 || self.buffer.len() + bytes.len() > BUFFER {
            self.flush()?;
            self.at = place;
        }
        if bytes.len() < BUFFER {
            self.buffer.extend_from_slice(bytes);
            return Ok(());
        }
        self.put(bytes)?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    /// Writes what is left.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        let buffer = std::mem::take(&mut self.buffer);
        if !buffer.is_empty() {
            self.put(&buffer)?;
            self.at += buffer.len() as u64;
        }
        self.buffer = buffer;
        self.buffer.clear();
        Ok(())
    }

    fn put(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.file;
        file.seek(SeekFrom::Start(self.at))?;
        file.write_all(bytes)
    }
}
