//! Matrices made of blocks: the Jacobians of stage equations.

use cotangent_scalar::Scalar;
use cotangent_solve::{Pattern, PatternError};

/// Collects the blocks of a matrix.
pub(crate) struct BlockBuilder {
    size: usize,
    /// The addresses of each block's entries, in the order of its own entries.
    blocks: Vec<Vec<(u32, u32)>>,
}

/// One block of a [`Blocks`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block(usize);

/// A matrix to which blocks are added.
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    pub(crate) pattern: Pattern,
    /// For each block, where its entries go.
    places: Vec<Vec<u32>>,
}

impl BlockBuilder {
    pub(crate) fn new(size: usize) -> BlockBuilder {
        BlockBuilder { size, blocks: vec![] }
    }

    /// A block with its first entry at (row, column).
    pub(crate) fn block(&mut self, (row, column): (usize, usize), pattern: &Pattern) -> Block {
        self.push(pattern.addresses().map(|(i, j)| (i + row as u32, j + column as u32)).collect())
    }

    /// The transpose of such a matrix, its entries in their own order.
    pub(crate) fn transposed(&mut self, (row, column): (usize, usize), pattern: &Pattern) -> Block {
        self.push(pattern.addresses().map(|(i, j)| (j + row as u32, i + column as u32)).collect())
    }

    /// The identity.
    pub(crate) fn identity(&mut self, (row, column): (usize, usize), size: usize) -> Block {
        self.push((0..size).map(|k| ((row + k) as u32, (column + k) as u32)).collect())
    }

    fn push(&mut self, addresses: Vec<(u32, u32)>) -> Block {
        self.blocks.push(addresses);
        Block(self.blocks.len() - 1)
    }

    pub(crate) fn build(self) -> Result<Blocks, PatternError> {
        let pattern = Pattern::new(self.size, self.size, &self.blocks.concat())?;
        let place = |&(i, j): &(u32, u32)| pattern.position(i as usize, j as usize).unwrap_or(0) as u32;
        let places = self.blocks.iter().map(|block| block.iter().map(place).collect()).collect();
        Ok(Blocks { pattern, places })
    }
}

impl Blocks {
    /// Adds factor · values to a block.
    pub(crate) fn add<S: Scalar>(&self, block: Block, factor: S, values: &[S], matrix: &mut [S]) {
        for (&at, &value) in self.places[block.0].iter().zip(values) {
            add(&mut matrix[at as usize], factor * value);
        }
    }

    /// Adds factor · I to a block.
    pub(crate) fn add_identity<S: Scalar>(&self, block: Block, factor: S, matrix: &mut [S]) {
        for &at in &self.places[block.0] {
            add(&mut matrix[at as usize], factor);
        }
    }
}

/// The first term of an entry replaces its zero, so that a recording has no additions to nothing.
fn add<S: Scalar>(entry: &mut S, term: S) {
    *entry = if entry.is_zero() { term } else { *entry + term };
}
