//! Numbers as people read them: a few significant digits, without an exponent where that is short.
//!
//! ```
//! use cotangent_scalar::figures::{number, short};
//! assert_eq!(number(0.1 + 0.2), "0.3");
//! assert_eq!(short(3.14159e-9), "3.1e-9");
//! ```

/// The nearest number with so many significant digits.
pub fn rounded(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(value)
}

/// A value, with up to ten digits.
pub fn number(value: f64) -> String {
    let rounded = rounded(value, 10);
    match rounded.abs() {
        0.0 => "0".to_owned(),
        size if (1e-4..1e10).contains(&size) => format!("{rounded}"),
        _ => format!("{rounded:e}"),
    }
}

/// A size, with two digits, three where it is written without an exponent.
pub fn short(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        v if v.is_nan() => "not a number".to_owned(),
        v if (1e-3..1e4).contains(&v.abs()) => format!("{}", rounded(v, 3)),
        v => format!("{v:.1e}"),
    }
}

/// A measured value, with three digits.
pub fn measured(value: f64) -> String {
    match rounded(value, 3) {
        rounded if rounded == 0.0 || (1e-4..1e6).contains(&rounded.abs()) => format!("{rounded}"),
        _ => format!("{value:.2e}"),
    }
}

/// The size of an error in a table, with four digits; two where it is about as small as round-off.
pub fn error(size: f64) -> String {
    match size {
        0.0 => "0".to_owned(),
        e if e.is_nan() => "not a number".to_owned(),
        e if e < 1e-12 => format!("{e:.1e}"),
        e => format!("{e:.3e}"),
    }
}

/// All digits that a number needs to be read back, with an exponent where that is shorter.
pub fn exact(value: f64) -> String {
    let [plain, scientific] = [format!("{value}"), format!("{value:e}")];
    if scientific.len() < plain.len() { scientific } else { plain }
}

#[cfg(test)]
mod tests {
    use super::{error, exact, measured, number, rounded, short};

    #[test]
    fn digits_are_as_many_as_said() {
        assert_eq!([rounded(1234.5678, 2), rounded(-0.00123456, 4)], [1200.0, -0.001235]);
        assert_eq!([0.0, 2.0 / 3.0, 1e-5, 1.5e10].map(number), ["0", "0.6666666667", "1e-5", "1.5e10"]);
        assert_eq!([0.0, 2.0 / 3.0, 9999.0, 1e-7 / 3.0].map(short), ["0", "0.667", "10000", "3.3e-8"]);
        assert_eq!([0.0, -2.0 / 3.0, 1e6, 1e-7 / 3.0].map(measured), ["0", "-0.667", "1.00e6", "3.33e-8"]);
        assert_eq!([0.0, 2.0 / 3.0, 1e-15 / 3.0].map(error), ["0", "6.667e-1", "3.3e-16"]);
    }

    #[test]
    fn exact_numbers_are_read_back() {
        assert_eq!([0.1, 1e-7, 1e22, 0.5].map(exact), ["0.1", "1e-7", "1e22", "0.5"]);
        for x in [1.0 / 3.0, 1e-300 / 7.0, -123456789.123] {
            assert_eq!(exact(x).parse(), Ok(x));
        }
    }

    #[test]
    fn what_is_no_number_says_so() {
        assert_eq!([short(f64::NAN), error(f64::NAN)], ["not a number", "not a number"]);
        assert_eq!(number(f64::INFINITY), "inf");
    }
}
