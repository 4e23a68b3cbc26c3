//! Room on the disk that a run gives up when there is no more, to keep what it has computed.

// It is room on a disk.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)]

use cotangent_destination::Destination;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What a table may have in memory only, and something for the file system itself.
const TABLE: u64 = 1 << 20;

/// Room beside a checkpoint, for the next one and for the rows before it. Dropped, it is free.
pub(crate) struct Reserve {
    path: PathBuf,
}

impl Reserve {
    /// Takes the room, in the place of what an earlier run may have left; none where there is none.
    pub(crate) fn beside(checkpoint: &Path) -> Option<Reserve> {
        let reserve = Reserve { path: Destination::at(checkpoint).ok()?.sibling("reserve") };
        let room = TABLE + 2 * fs::metadata(checkpoint).map_or(0, |m| m.len());
        // Dropped if there is no room: a reserve that is not whole would only be in the way.
        reserve.fill(room).ok().map(|()| reserve)
    }

    /// Bytes that are written, as holes in a file take no room.
    fn fill(&self, mut room: u64) -> io::Result<()> {
        let mut file = File::create(&self.path)?;
        let zeros = vec![0; 1 << 16];
        while room > 0 {
            let most = room.min(zeros.len() as u64);
            file.write_all(&zeros[..most as usize])?;
            room -= most;
        }
        Ok(())
    }
}

impl Drop for Reserve {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}
