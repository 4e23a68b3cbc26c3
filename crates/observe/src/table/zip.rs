//! The little of the zip format that a `.npz` file needs: members stored as they are, with the
//! 64-bit fields of zip64 where a size or a number does not fit the old ones.
//!
//! Section numbers are those of PKWARE's
//! [APPNOTE 6.3.10](https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT). All that could
//! differ between two runs (times, owners) is fixed, so equal arrays make equal files.

/// Sizes from here on need zip64 (4.4.8).
const LARGE: u64 = u32::MAX as u64;
/// Numbers of members from here on need zip64 (4.4.21).
const MANY: u64 = u16::MAX as u64;
/// 1 January 1980, the first day a zip file knows (4.4.6): time, then date.
const EPOCH: [u8; 4] = [0, 0, 0x21, 0];
/// Made on Unix (4.4.2), so that the permissions below are understood.
const UNIX: u16 = 3 << 8;
/// An ordinary file, readable by all.
const PERMISSIONS: u32 = 0o100644 << 16;

/// A member of the archive.
#[derive(Debug)]
pub(super) struct Member {
    /// Its name, at most 65535 bytes.
    pub name: String,
    /// How many bytes it has.
    pub size: u64,
    /// The CRC-32 of its bytes.
    pub checksum: u32,
    /// Where its local header begins.
    pub place: u64,
}

impl Member {
    /// Where its bytes begin.
    pub(super) fn content(&self) -> u64 {
        let zip64 = if self.size >= LARGE { 20 } else { 0 };
        self.place + 30 + self.name.len() as u64 + zip64
    }

    /// Where the next thing in the archive begins.
    pub(super) fn end(&self) -> u64 {
        self.content() + self.size
    }

    /// What precedes its bytes (4.3.7).
    pub(super) fn local_header(&self) -> Vec<u8> {
        let mut extra = Vec::new();
        if self.size >= LARGE {
            zip64_field(&[self.size, self.size], &mut extra);
        }
        let mut header = b"PK\x03\x04".to_vec();
        self.common(self.size >= LARGE, &extra, &mut header);
        header.extend(self.name.as_bytes());
        header.extend(extra);
        header
    }

    /// Its line in the directory at the end (4.3.12).
    pub(super) fn directory_entry(&self) -> Vec<u8> {
        let mut large = Vec::new();
        if self.size >= LARGE {
            large.extend([self.size, self.size]);
        }
        if self.place >= LARGE {
            large.push(self.place);
        }
        let mut extra = Vec::new();
        zip64_field(&large, &mut extra);
        let mut entry = b"PK\x01\x02".to_vec();
        entry.extend((UNIX | version(!large.is_empty())).to_le_bytes());
        self.common(!large.is_empty(), &extra, &mut entry);
        entry.extend([0; 6]); // no comment, first disk, binary
        entry.extend(PERMISSIONS.to_le_bytes());
        entry.extend(clamped(self.place));
        entry.extend(self.name.as_bytes());
        entry.extend(extra);
        entry
    }

    /// The fields that a local header and an entry of the directory share.
    fn common(&self, zip64: bool, extra: &[u8], header: &mut Vec<u8>) {
        // A name that is not ASCII is announced as UTF-8 (4.4.4, bit 11).
        let flags: u16 = if self.name.is_ascii() { 0 } else { 1 << 11 };
        header.extend(version(zip64).to_le_bytes());
        header.extend(flags.to_le_bytes());
        header.extend([0, 0]); // stored
        header.extend(EPOCH);
        header.extend(self.checksum.to_le_bytes());
        header.extend(clamped(self.size));
        header.extend(clamped(self.size));
        header.extend((self.name.len() as u16).to_le_bytes());
        header.extend((extra.len() as u16).to_le_bytes());
    }
}

/// What ends the archive (4.3.14 to 4.3.16), given where the directory is and how long.
pub(super) fn end_of_archive(members: u64, directory: u64, length: u64) -> Vec<u8> {
    let mut end = Vec::new();
    if members >= MANY || directory >= LARGE || length >= LARGE {
        let at = directory + length;
        end.extend(b"PK\x06\x06");
        end.extend(44u64.to_le_bytes()); // the length of the rest of this record
        end.extend((UNIX | version(true)).to_le_bytes());
        end.extend(version(true).to_le_bytes());
        end.extend([0; 8]); // this disk, the disk of the directory
        for number in [members, members, length, directory] {
            end.extend(number.to_le_bytes());
        }
        end.extend(b"PK\x06\x07");
        end.extend([0; 4]);
        end.extend(at.to_le_bytes());
        end.extend(1u32.to_le_bytes()); // one disk
    }
    let members = members.min(MANY) as u16;
    end.extend(b"PK\x05\x06");
    end.extend([0; 4]);
    end.extend(members.to_le_bytes());
    end.extend(members.to_le_bytes());
    end.extend(clamped(length));
    end.extend(clamped(directory));
    end.extend([0, 0]); // no comment
    end
}

/// The version of the format that is needed to read it (4.4.3): 4.5 for zip64, else 2.0.
fn version(zip64: bool) -> u16 {
    if zip64 { 45 } else { 20 }
}

/// A 32-bit field; all ones say that the number is in the zip64 field.
fn clamped(number: u64) -> [u8; 4] {
    (number.min(LARGE) as u32).to_le_bytes()
}

/// Appends the extra field with the numbers that did not fit (4.5.3), if there are any.
fn zip64_field(numbers: &[u64], extra: &mut Vec<u8>) {
    if numbers.is_empty() {
        return;
    }
    extra.extend(1u16.to_le_bytes());
    extra.extend((numbers.len() as u16 * 8).to_le_bytes());
    extra.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(size: u64, place: u64) -> Member {
        Member { name: "größe.npy".into(), size, checksum: 0x1234_5678, place }
    }

    #[test]
    fn content_begins_behind_the_local_header_of_any_size() {
        for size in [0, 1, LARGE - 1, LARGE, LARGE + 1, 1 << 40] {
            let member = member(size, 17);
            assert_eq!(member.content(), 17 + member.local_header().len() as u64);
        }
    }

    #[test]
    fn only_what_does_not_fit_is_in_the_zip64_field() {
        let zip64 = |size, place| {
            let entry = member(size, place).directory_entry();
            entry[46 + "größe.npy".len()..].to_vec()
        };
        assert!(zip64(LARGE - 1, LARGE - 1).is_empty());
        let [place, size] = [(LARGE + 5).to_le_bytes(), (LARGE + 9).to_le_bytes()];
        assert_eq!(zip64(3, LARGE + 5), [&[1, 0, 8, 0][..], &place].concat());
        assert_eq!(zip64(LARGE + 9, 3), [&[1, 0, 16, 0][..], &size, &size].concat());
        assert_eq!(zip64(LARGE + 9, LARGE + 5), [&[1, 0, 24, 0][..], &size, &size, &place].concat());
    }

    #[test]
    fn the_end_has_zip64_records_only_where_they_are_needed() {
        assert_eq!(end_of_archive(0, 0, 0).len(), 22);
        assert_eq!(end_of_archive(MANY - 1, LARGE - 1, LARGE - 1).len(), 22);
        for (members, directory, length) in [(MANY, 5, 5), (5, LARGE, 5), (5, 5, LARGE)] {
            assert_eq!(end_of_archive(members, directory, length).len(), 56 + 20 + 22);
        }
    }
}
