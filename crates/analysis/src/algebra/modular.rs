//! Numbers modulo the prime 2¹²⁷ − 1, so large that whatever fits into a coefficient is told from its residue.

use cotangent_scalar::Random;

pub(crate) const PRIME: u128 = (1 << 127) - 1;

/// The residue of an integer.
pub(crate) fn residue(c: i128) -> u128 {
    // The prime is the largest integer of this type.
    c.rem_euclid(i128::MAX).unsigned_abs()
}

/// The integer nearest to zero with this residue.
pub(crate) fn balanced(r: u128) -> i128 {
    let lift = |r: u128| i128::try_from(r).unwrap_or(0);
    if r > PRIME / 2 { -lift(PRIME - r) } else { lift(r) }
}

#[inline]
pub(crate) fn plus(a: u128, b: u128) -> u128 {
    let sum = a + b;
    if sum >= PRIME { sum - PRIME } else { sum }
}

#[inline]
pub(crate) fn minus(a: u128, b: u128) -> u128 {
    plus(a, PRIME - b)
}

/// With a = a₁2⁶⁴ + a₀ and b alike, and 2¹²⁷ = 1: a b = 2 a₁b₁ + (a₁b₀ + a₀b₁)2⁶⁴ + a₀b₀.
#[inline]
pub(crate) fn times(a: u128, b: u128) -> u128 {
    let low = |x: u128| x & u128::from(u64::MAX);
    let (a1, a0, b1, b0) = (a >> 64, low(a), b >> 64, low(b));
    let (high, middle, bottom) = (a1 * b1, a1 * b0 + a0 * b1, a0 * b0);
    let shifted = (middle & ((1 << 63) - 1)) << 64;
    let sum = plus(2 * high, middle >> 63);
    plus(plus(sum, shifted), plus(bottom & PRIME, bottom >> 127))
}

pub(crate) fn power(mut base: u128, mut exponent: u128) -> u128 {
    let mut out = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            out = times(out, base);
        }
        base = times(base, base);
        exponent >>= 1;
    }
    out
}

/// 1/a for a ≠ 0: a^(P − 2), after Fermat.
pub(crate) fn inverse(a: u128) -> u128 {
    power(a, PRIME - 2)
}

/// A residue in no particular place.
pub(crate) fn anywhere(random: &mut Random) -> u128 {
    let mut half = || (random.uniform() * (1u64 << 53) as f64) as u128;
    (half() << 64) ^ half()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_long_multiplication() {
        // By shifts and sums, bit by bit.
        let slow = |a: u128, b: u128| {
            (0..127).rev().fold(0, |sum, k| {
                let twice = plus(sum, sum);
                if b >> k & 1 == 1 { plus(twice, a) } else { twice }
            })
        };
        let random = &mut Random::default();
        let mut all: Vec<u128> = (0..20).map(|_| anywhere(random)).collect();
        all.extend([0, 1, 2, PRIME - 1, PRIME / 2, 1 << 64, (1 << 64) - 1, 1 << 126]);
        for &a in &all {
            for &b in &all {
                assert_eq!(times(a, b), slow(a, b), "{a} {b}");
            }
            assert!(a == 0 || times(a, inverse(a)) == 1);
            assert_eq!(residue(balanced(a)), a);
            assert_eq!(minus(a, a), 0);
        }
    }
}
