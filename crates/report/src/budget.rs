//! How many bytes each section may take.

/// A report is smaller than this many bytes.
pub const FILE_LIMIT: usize = 1_500_000;

/// Bytes for prose, tables, formulas and listings together.
pub(crate) const TEXT: usize = 400_000;

/// Bytes for plots and animations together.
pub(crate) const DATA: usize = 900_000;

/// Shares `total` out: who needs little gets it all, the others get equal shares of the rest.
pub(crate) fn share(needs: &[usize], total: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..needs.len()).collect();
    order.sort_by_key(|&k| needs[k]);
    let mut shares = vec![0; needs.len()];
    let (mut left, mut claimants) = (total, needs.len());
    for k in order {
        shares[k] = needs[k].min(left / claimants.max(1));
        left -= shares[k];
        claimants -= 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_needs_are_met_and_large_ones_share_the_rest() {
        assert_eq!(share(&[10, 1000, 20, 1000], 130), [10, 50, 20, 50]);
        assert_eq!(share(&[10, 20], 130), [10, 20]);
        assert_eq!(share(&[], 130), [0; 0]);
        assert_eq!(share(&[usize::MAX, 5], 0), [0, 0]);
    }
}
