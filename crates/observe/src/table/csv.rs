//! A table as text: comma-separated values after [RFC 4180](https://www.rfc-editor.org/rfc/rfc4180),
//! with `\n` at the end of a line.
//!
//! Numbers are the shortest decimals that are read back to the same bits; what is not finite is
//! `nan`, `inf` or `-inf`, which Python, R, Julia and C read. The `csv` crate is not used: numbers
//! never need quotes, and serialising rows through it was measured to take half as long again or more.

use super::Columns;

/// Appends the line of names.
pub(super) fn header(columns: &Columns, line: &mut Vec<u8>) {
    for (i, name) in columns.members().enumerate() {
        if i > 0 {
            line.push(b',');
        }
        quote(&name, line);
    }
    line.push(b'\n');
}

/// Appends a name, between quotes where it could be misread. An empty name is quoted too: alone it
/// would make an empty line.
fn quote(name: &str, line: &mut Vec<u8>) {
    if !name.is_empty() && !name.contains([',', '"', '\n', '\r']) {
        line.extend_from_slice(name.as_bytes());
        return;
    }
    line.push(b'"');
    line.extend_from_slice(name.replace('"', "\"\"").as_bytes());
    line.push(b'"');
}

/// Appends a line of numbers.
pub(super) fn row(numbers: &[f64], line: &mut Vec<u8>) {
    // The longest number is `-1.2345678901234567e-308`.
    line.reserve(numbers.len() * 25 + 1);
    let mut decimal = zmij::Buffer::new();
    for (i, &x) in numbers.iter().enumerate() {
        if i > 0 {
            line.push(b',');
        }
        let text = if x.is_nan() { "nan" } else { decimal.format(x) };
        line.extend_from_slice(text.as_bytes());
    }
    line.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Family;
    use proptest::prelude::*;

    fn line(numbers: &[f64]) -> String {
        let mut bytes = Vec::new();
        row(numbers, &mut bytes);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn numbers_are_short_decimals() {
        assert_eq!(line(&[0.1, 1e-7, -2.0, 1e300, 0.3 - 0.1]), "0.1,1e-7,-2.0,1e+300,0.19999999999999998\n");
        assert_eq!(line(&[f64::NAN, -f64::NAN, f64::INFINITY, -f64::INFINITY, -0.0]), "nan,nan,inf,-inf,-0.0\n");
        assert_eq!(line(&[]), "\n");
    }

    #[test]
    fn names_are_quoted_where_they_have_to_be() {
        let names = ["t", "u,v", "say \"x\"", "", "two\nlines", "größe"];
        let mut columns: Columns = names.into_iter().map(Family::scalar).collect();
        columns.0.push(Family::indexed("w", [(1, 1), (2, 1)]));
        let mut bytes = Vec::new();
        header(&columns, &mut bytes);
        let expected = "t,\"u,v\",\"say \"\"x\"\"\",\"\",\"two\nlines\",größe,w[1; 2]\n";
        assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    }

    /// The significant digits.
    fn digits(number: &str) -> String {
        let mantissa = number.split('e').next().unwrap_or_default();
        let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        digits.trim_matches('0').to_owned()
    }

    proptest! {
        #[test]
        fn every_number_is_read_back_to_its_bits_and_none_can_be_shorter(x: f64) {
            let text = line(&[x]);
            let back: f64 = text.trim_end().parse().unwrap();
            prop_assert!(back.to_bits() == x.to_bits() || (x.is_nan() && back.is_nan()));
            prop_assert!(text.len() <= 25);
            if x.is_finite() {
                prop_assert_eq!(digits(text.trim_end()), digits(&format!("{x:e}")));
            }
        }
    }
}
