//! Numbers and lists as people read them.

pub use cotangent_scalar::figures::number;
pub(crate) use cotangent_scalar::figures::{error, rounded, short};

/// A number that was given, with all its digits.
pub(crate) fn given(value: f64) -> String {
    match value.abs() {
        size if size == 0.0 || (1e-4..1e16).contains(&size) => format!("{value}"),
        _ => format!("{value:e}"),
    }
}

/// `1 step`, `2 steps`.
pub(crate) fn count(n: impl TryInto<u64>, one: &str, many: &str) -> String {
    let n: u64 = n.try_into().unwrap_or(u64::MAX);
    format!("{n} {}", if n == 1 { one } else { many })
}

/// a, b and c
pub(crate) fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [start @ .., last] => format!("{} and {last}", start.join(", ")),
    }
}

/// a + b - c, without `+ -`; 0 without terms.
pub(crate) fn summed(terms: &[String]) -> String {
    if terms.is_empty() {
        return "0".to_owned();
    }
    terms.iter().fold(String::new(), |sum, term| match term.strip_prefix('-') {
        _ if sum.is_empty() => term.clone(),
        Some(rest) => format!("{sum} - {rest}"),
        None => format!("{sum} + {term}"),
    })
}

/// Text broken at blanks into lines of a width.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let room = lines.last().map_or(0, |l| l.chars().count());
        if room > 0 && room + 1 + word.chars().count() > width {
            lines.push(String::new());
        }
        if let Some(last) = lines.last_mut() {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}
