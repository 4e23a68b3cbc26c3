//! A 128-bit content hash: two expressions are the same exactly when their digests are.
//!
//! Digests depend on content alone, never on addresses or the order of allocation, so every
//! table and every canonical order built from them is the same in each run.

/// The content hash of an expression, array, domain or tensor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Digest(u128);

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// Builds a [`Digest`] from parts.
#[derive(Clone, Copy)]
pub(crate) struct Hasher {
    a: u64,
    b: u64,
}

fn fold(x: u64, y: u64) -> u64 {
    let wide = (x as u128).wrapping_mul(y as u128);
    (wide as u64) ^ ((wide >> 64) as u64)
}

impl Hasher {
    /// Starts a digest of one kind of thing; different tags give unrelated digests.
    pub(crate) fn new(tag: u64) -> Self {
        Hasher { a: 0x9e37_79b9_7f4a_7c15, b: 0xd1b5_4a32_d192_ed03 }.word(tag)
    }

    pub(crate) fn word(mut self, x: u64) -> Self {
        self.a = fold(self.a ^ x, 0xa076_1d64_78bd_642f).wrapping_add(self.b.rotate_left(23));
        self.b = fold(self.b ^ x.rotate_left(32), 0xe703_7ed1_a0b4_28db) ^ self.a.rotate_left(41);
        self
    }

    pub(crate) fn digest(self, d: Digest) -> Self {
        self.word(d.0 as u64).word((d.0 >> 64) as u64)
    }

    pub(crate) fn text(self, s: &str) -> Self {
        s.as_bytes().chunks(8).fold(self.word(s.len() as u64), |h, c| {
            let mut word = [0; 8];
            word[..c.len()].copy_from_slice(c);
            h.word(u64::from_le_bytes(word))
        })
    }

    pub(crate) fn finish(self) -> Digest {
        let h = self.word(0x589).word(0x1f3);
        Digest((h.a as u128) << 64 | h.b as u128)
    }
}
