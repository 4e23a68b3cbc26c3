//! Which factorisation suits a pattern.

use crate::banded::BandedLu;
use crate::ordering::Ordering;
use crate::symbolic::SymbolicFactorisation;
use crate::{Pattern, PatternError};

/// Why there is no solver for a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsupported {
    /// The pattern is not square.
    #[error("a system of {rows} equations in {columns} unknowns is not square")]
    NotSquare {
        /// The number of rows.
        rows: usize,
        /// The number of columns.
        columns: usize,
    },
    /// No factorisation fits the memory meant for it.
    #[error("the factors of a system of {size} equations would have more than {limit} entries")]
    TooLarge {
        /// The number of equations.
        size: usize,
        /// The largest number of entries allowed.
        limit: usize,
    },
    /// The pattern cannot be reordered.
    #[error(transparent)]
    Pattern(#[from] PatternError),
}

/// The way chosen to factor matrices of a pattern.
pub(crate) enum Choice {
    Dense,
    Banded(Ordering),
    Sparse(SymbolicFactorisation),
}

/// Up to this size nothing is worth the index arithmetic: a matrix is full, if it is not tridiagonal, and native code eliminates
/// it without loops.
pub const LARGEST_UNROLLED: usize = 12;
/// A band of so few multiplications in a row is not compared with anything but the full matrix.
const NARROW: usize = 64;
/// The largest numbers of entries a factorisation may store.
const LARGEST_DENSE: usize = 1 << 24;
const LARGEST_BAND: usize = 1 << 27;
const LARGEST_SPARSE: usize = 1 << 26;
/// The time of a multiplication in a factorisation relative to one in a full matrix (about 1 ns),
/// and what a row takes beside its multiplications, in the same unit. By the bench `linear`: a tree
/// is eliminated sparsely in 35 ns a row at any size, as a full matrix in 70 ns at 10 rows and in
/// 140 ns at 20; a square grid sparsely in 70 ns at 36 rows and in 95 ns at 100, as a band of
/// 10 + 10 diagonals in 165 ns; a chain as a band in 26 ns.
const BAND_MULTIPLICATION: f64 = 0.7;
const BAND_ROW: f64 = 20.0;
const SPARSE_MULTIPLICATION: f64 = 2.0;
const SPARSE_ROW: f64 = 40.0;

impl Choice {
    /// The fastest, by the multiplications a factorisation takes, and about how many nanoseconds these are.
    pub(crate) fn new(pattern: &Pattern) -> Result<(Self, f64), Unsupported> {
        let size = pattern.rows();
        if pattern.is_tridiagonal() {
            let band = Ordering::natural(size, [1, 1]);
            let cost = size as f64 * (BAND_MULTIPLICATION * band.cost() as f64 + BAND_ROW);
            return Ok((Self::Banded(band), cost));
        }
        if size <= LARGEST_UNROLLED {
            return Ok((Self::Dense, (size * size * size) as f64));
        }
        let fits = |row: usize, limit: usize| row.saturating_mul(size) <= limit;
        let n = size as f64;
        let dense = if fits(size, LARGEST_DENSE) { n * n * n / 3.0 } else { f64::INFINITY };
        let band = Ordering::narrow(pattern)?;
        let width = BandedLu::<f64>::row_length(band.lower, band.upper);
        let banded = if 2 * width <= size && fits(width, LARGEST_BAND) {
            n * (BAND_MULTIPLICATION * band.cost() as f64 + BAND_ROW)
        } else {
            f64::INFINITY
        };
        if banded.is_finite() && band.cost() <= NARROW {
            return Ok((Self::Banded(band), banded));
        }
        let symbolic = SymbolicFactorisation::new(pattern, LARGEST_SPARSE)?;
        let sparse = symbolic
            .as_ref()
            .map_or(f64::INFINITY, |symbolic| SPARSE_MULTIPLICATION * symbolic.cost() + SPARSE_ROW * n);
        match symbolic {
            Some(symbolic) if sparse < dense.min(banded) => Ok((Self::Sparse(symbolic), sparse)),
            _ if banded < dense => Ok((Self::Banded(band), banded)),
            _ if dense.is_finite() => Ok((Self::Dense, dense)),
            _ => Err(Unsupported::TooLarge { size, limit: LARGEST_SPARSE }),
        }
    }
}

/// About how many nanoseconds the factorisation of a matrix of this pattern takes, if no order of elimination keeps it sparse:
/// if it is so many for each row that they are for multiplications alone.
pub fn filling(pattern: &Pattern) -> Option<f64> {
    let (_, cost) = Choice::new(pattern).ok()?;
    (cost > FULL * SPARSE_ROW * pattern.rows() as f64).then_some(cost)
}

/// So many times what a row takes beside its multiplications.
const FULL: f64 = 100.0;
