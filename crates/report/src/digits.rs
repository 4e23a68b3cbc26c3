//! Numbers for people.

/// The number with at most six significant digits: 0.25, 1.5×10⁻⁷, −3.
pub(crate) fn number(x: f64) -> String {
    if x.is_nan() {
        return "not a number".into();
    }
    if x.is_infinite() {
        return if x > 0.0 { "∞".into() } else { "−∞".into() };
    }
    let scientific = format!("{:.5e}", x.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if x < 0.0 { "−" } else { "" };
    if x == 0.0 || (-4..6).contains(&exponent) {
        let places = (5 - exponent).clamp(0, 12) as usize;
        return format!("{sign}{}", trimmed(&format!("{:.places$}", x.abs())));
    }
    match trimmed(mantissa) {
        "1" => format!("{sign}10{}", superscript(exponent)),
        mantissa => format!("{sign}{mantissa}×10{}", superscript(exponent)),
    }
}

fn trimmed(decimal: &str) -> &str {
    if decimal.contains('.') { decimal.trim_end_matches('0').trim_end_matches('.') } else { decimal }
}

fn superscript(n: i32) -> String {
    let digit = |c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        c => char::from_u32('⁰' as u32 + (c as u32 - '0' as u32)).unwrap_or(c),
    };
    n.to_string().chars().map(digit).collect()
}

/// A whole number in groups of three: 1 000 000.
pub(crate) fn count(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (k, c) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_written_by_hand() {
        let cases = [
            (0.0, "0"),
            (0.25, "0.25"),
            (-3.0, "−3"),
            (1e-7, "10⁻⁷"),
            (-1.5e-16, "−1.5×10⁻¹⁶"),
            (123456.0, "123456"),
            (1e6, "10⁶"),
            (999999.96, "10⁶"),
            (f64::INFINITY, "∞"),
            (5e-324, "4.94066×10⁻³²⁴"),
        ];
        for (x, text) in cases {
            assert_eq!(number(x), text);
        }
        assert_eq!(count(1234567), "1\u{202f}234\u{202f}567");
    }
}
