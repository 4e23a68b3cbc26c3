//! Numbers as they are written beside an axis.
//!
//! A tick is an integer n times a power of ten 10ᵏ, so its decimal digits are known exactly and
//! no label shows rounding.

/// An integer times a power of ten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    pub(crate) n: i64,
    pub(crate) k: i32,
}

impl Decimal {
    /// The nearest floating-point number.
    pub(crate) fn value(self) -> f64 {
        format!("{}e{}", self.n, self.k).parse().unwrap_or(f64::NAN)
    }

    /// Without trailing zeros in n.
    fn reduced(mut self) -> Decimal {
        while self.n != 0 && self.n % 10 == 0 {
            self.n /= 10;
            self.k += 1;
        }
        self
    }

    /// All digits, without an exponent.
    fn plain(self) -> String {
        let digits = self.n.unsigned_abs().to_string();
        let body = match usize::try_from(-self.k) {
            Ok(places) if places > 0 => {
                let padded = format!("{digits:0>width$}", width = places + 1);
                let (whole, part) = padded.split_at(padded.len() - places);
                format!("{whole}.{part}")
            }
            _ if self.n == 0 => digits,
            _ => digits + &"0".repeat(self.k.unsigned_abs() as usize),
        };
        if self.n < 0 { format!("−{body}") } else { body }
    }

    /// A short form: plain digits or d.ddd×10ᵏ.
    fn short(self) -> String {
        let reduced = self.reduced();
        let exponent = length(reduced.n) - 1 + reduced.k;
        if reduced.n == 0 || (-4..=9).contains(&exponent) {
            return Decimal { n: reduced.n, k: if reduced.n == 0 { 0 } else { reduced.k } }.plain();
        }
        format!("{}×{}", Decimal { n: reduced.n, k: reduced.k - exponent }.plain(), power_of_ten(exponent))
    }
}

/// Number of decimal digits.
fn length(n: i64) -> i32 {
    n.unsigned_abs().checked_ilog10().map_or(1, |log| log as i32 + 1)
}

/// 10ᵏ with real superscripts.
pub(crate) fn power_of_ten(exponent: i32) -> String {
    let raised = |character| match character {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => digit.to_digit(10).and_then(|value| char::from_u32(0x2070 + value)).unwrap_or(digit),
    };
    std::iter::once('1').chain(['0']).chain(exponent.to_string().chars().map(raised)).collect()
}

/// Labels for ticks n·10ᵏ of one axis, and what is said once at its end: a common factor, an
/// offset, or nothing.
pub(crate) fn labels(ns: &[i64], k: i32) -> (Vec<String>, String) {
    let (Some(&least), Some(&most)) = (ns.iter().min(), ns.iter().max()) else { return (Vec::new(), String::new()) };
    let largest = if least.unsigned_abs() > most.unsigned_abs() { least } else { most };
    let significant = length(largest) - ns.iter().map(|&n| trailing_zeros(n)).min().unwrap_or(0);
    let mut offset = 0;
    if significant > 6 && least.signum() == most.signum() {
        let block = 10_i64.saturating_pow(length(most - least) as u32);
        if largest.abs() / block >= 100 {
            offset = least / block * block;
        }
    }
    let shifted: Vec<i64> = ns.iter().map(|n| n - offset).collect();
    let (texts, mut note) = scaled(&shifted, k);
    if offset != 0 {
        let sign = if offset < 0 { '−' } else { '+' };
        let size = Decimal { n: offset.saturating_abs(), k }.short();
        note = format!("{note} {sign} {size}").trim_start().to_owned();
    }
    (texts, note)
}

fn trailing_zeros(mut n: i64) -> i32 {
    if n == 0 {
        return 18;
    }
    let mut zeros = 0;
    while n % 10 == 0 {
        n /= 10;
        zeros += 1;
    }
    zeros
}

/// Plain labels if they are short, else labels for a common power of ten.
fn scaled(ns: &[i64], k: i32) -> (Vec<String>, String) {
    let zeros = ns.iter().map(|&n| trailing_zeros(n)).min().unwrap_or(0).min(17);
    let divisor = 10_i64.pow(zeros.unsigned_abs());
    let k = k + zeros;
    let ns: Vec<i64> = ns.iter().map(|n| n / divisor).collect();
    let size = ns.iter().copied().map(length).max().unwrap_or(1);
    let exponent = size - 1 + k;
    let plain = |k| ns.iter().map(|&n| Decimal { n, k }.plain()).collect();
    if ns.iter().all(|&n| n == 0) {
        return (plain(0), String::new());
    }
    let longest = (size.max(1 - k) + i32::from(k < 0)).max(exponent + 1);
    if (-3..=4).contains(&exponent) && longest <= 6 {
        return (plain(k), String::new());
    }
    (plain(k - exponent), format!("×{}", power_of_ten(exponent)))
}

/// A number in running text, with three or four significant digits.
pub(crate) fn spoken(value: f64) -> String {
    if value.is_nan() {
        return "not a number".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞".into() } else { "−∞".into() };
    }
    if value == 0.0 {
        return "0".into();
    }
    let text = format!("{value:.3e}");
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let n: i64 = mantissa.replace('.', "").parse().unwrap_or(0);
    Decimal { n, k: exponent - 3 }.short()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_plain_when_short() {
        assert_eq!(labels(&[0, 2, 4], 0), (vec!["0".into(), "2".into(), "4".into()], String::new()));
        assert_eq!(labels(&[-5, 0, 5], -1).0, ["−0.5", "0.0", "0.5"]);
        assert_eq!(labels(&[0, 5, 10], 2).0, ["0", "500", "1000"]);
    }

    #[test]
    fn a_common_factor_is_taken_out() {
        let (texts, note) = labels(&[0, 5, 10], -6);
        assert_eq!((texts.join(" ").as_str(), note.as_str()), ("0.0 0.5 1.0", "×10⁻⁵"));
        let (texts, note) = labels(&[0, 2, 4, 6, 8, 10], 4);
        assert_eq!((texts.join(" ").as_str(), note.as_str()), ("0.0 0.2 0.4 0.6 0.8 1.0", "×10⁵"));
    }

    #[test]
    fn a_narrow_range_is_written_with_an_offset() {
        let (texts, note) = labels(&[1_000_000_000_000, 1_000_000_000_002, 1_000_000_000_004], -12);
        assert_eq!((texts.join(" ").as_str(), note.as_str()), ("0 2 4", "×10⁻¹² + 1"));
        let (texts, note) = labels(&[-123_456_004, -123_456_002], -6);
        assert_eq!((texts.join(" ").as_str(), note.as_str()), ("−4 −2", "×10⁻⁶ − 123.456"));
    }

    #[test]
    fn spoken_numbers_are_short() {
        let spoken: Vec<_> = [0.0, 1.0, -2.5, 1e-16, 12345.678, 1e300].map(spoken).into();
        assert_eq!(spoken, ["0", "1", "−2.5", "1×10⁻¹⁶", "12350", "1×10³⁰⁰"]);
    }

    #[test]
    fn decimals_have_their_exact_value() {
        assert_eq!(Decimal { n: 3, k: -1 }.value(), 0.3);
        assert_eq!(Decimal { n: 17, k: 307 }.value(), 1.7e308);
    }
}
