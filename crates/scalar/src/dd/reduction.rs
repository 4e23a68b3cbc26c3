//! Reduction of an angle by quarter turns: x = n π/2 + r with |r| ≤ π/4 (and a hair more).

use super::Dd;
use super::sums::{distilled, two_product};

/// π/2 in four words.
const HALF_PI: [f64; 4] =
    [std::f64::consts::FRAC_PI_2, 6.123233995736766e-17, -1.4973849048591698e-33, 5.562271104316826e-50];

/// The binary digits of 2/π behind the point, preceded by a word of zeros.
const TWO_OVER_PI: [u64; 24] = [
    0x0000000000000000,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
    0xf0cfbc209af4361d,
    0xa9e391615ee61b08,
    0x6599855f14a06840,
    0x8dffd8804d732731,
];

/// Where subtraction of multiples ends and [`far_remainder`] begins.
const FAR: f64 = (1u64 << 30) as f64;

impl Dd {
    /// (r, n mod 4) with `self` = n π/2 + r.
    pub(super) fn reduced_by_quarter_turns(self) -> (Self, u8) {
        if self.hi.abs() < FAR {
            return near_remainder(self);
        }
        // Far out the two words are reduced one by one: the low one may itself be large.
        let (high, n) = far_remainder(self.hi);
        let (low, m) = if self.lo.abs() < FAR { near_remainder(Self::from(self.lo)) } else { far_remainder(self.lo) };
        let (r, carry) = near_remainder(high + low);
        (r, (n + m + carry) % 4)
    }
}

/// Subtracts a multiple of π/2 with products that are not rounded (Cody & Waite).
fn near_remainder(x: Dd) -> (Dd, u8) {
    let n = (x.hi * std::f64::consts::FRAC_2_PI).round();
    if n == 0.0 {
        return (x, 0);
    }
    let (a, b) = two_product(-n, HALF_PI[0]);
    let (c, d) = two_product(-n, HALF_PI[1]);
    let (e, f) = two_product(-n, HALF_PI[2]);
    let r = distilled([x.hi, x.lo, a, b, c, d, e, f, -n * HALF_PI[3]]);
    (r, n.rem_euclid(4.0) as u8)
}

/// Multiplies by the digits of 2/π that matter modulo 4 (Payne & Hanek).
///
/// With |x| = m 2ᵉ and bᵢ the i-th digit of 2/π, the terms m bᵢ 2^{e−i} with i ≤ e − 2 are whole
/// turns. The next 256 digits, times m, leave two digits for the quadrant and at least 200 right
/// ones for the fraction.
fn far_remainder(x: f64) -> (Dd, u8) {
    let bits = x.abs().to_bits();
    let mantissa = (bits & ((1 << 52) - 1)) | (1 << 52);
    let exponent = (bits >> 52) as i32 - 1075;
    // The table starts 64 digits before the point, at digit i = -63; the window at i = e - 1.
    let first = (exponent + 62).max(0) as usize;
    let product = times(window(first), mantissa);
    let mut quadrant = (product[0] >> 62) as u8;
    let mut fraction = product;
    fraction[0] &= (1 << 62) - 1;
    // To the nearest quarter turn: f - 1 = -(complement of f) up to the last digit.
    let round_up = fraction[0] >> 61 == 1;
    if round_up {
        quadrant += 1;
        fraction = fraction.map(|word| !word);
        fraction[0] &= (1 << 62) - 1;
    }
    let mut terms = [0.0; 8];
    for i in 0..8 {
        let half = (fraction[i / 2] >> (32 * (1 - i % 2))) as u32;
        terms[7 - i] = f64::from(half) * 2f64.powi(2 - 32 * (i as i32 + 1));
    }
    let turns = distilled(terms);
    let r = turns * Dd { hi: HALF_PI[0], lo: HALF_PI[1] };
    if round_up != (x < 0.0) { (-r, signed(quadrant, x)) } else { (r, signed(quadrant, x)) }
}

fn signed(quadrant: u8, x: f64) -> u8 {
    if x < 0.0 { (8 - quadrant) % 4 } else { quadrant % 4 }
}

/// The 256 digits of the table from position `first` on, most significant word first.
fn window(first: usize) -> [u64; 4] {
    let (word, shift) = (first / 64, first % 64);
    let at = |i: usize| TWO_OVER_PI.get(word + i).copied().unwrap_or(0);
    std::array::from_fn(|i| match shift {
        0 => at(i),
        _ => (at(i) << shift) | (at(i + 1) >> (64 - shift)),
    })
}

/// The product with one word, modulo 2²⁵⁶.
fn times(words: [u64; 4], factor: u64) -> [u64; 4] {
    let mut product = [0; 4];
    let mut carry = 0;
    for i in (0..4).rev() {
        let sum = u128::from(words[i]) * u128::from(factor) + carry;
        product[i] = sum as u64;
        carry = sum >> 64;
    }
    product
}
