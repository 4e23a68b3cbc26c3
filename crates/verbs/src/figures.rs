//! Numbers and lists as people read them.

/// A value with up to ten significant digits.
pub fn number(value: f64) -> String {
    let rounded: f64 = format!("{value:.9e}").parse().unwrap_or(value);
    match rounded.abs() {
        0.0 => "0".to_owned(),
        size if (1e-4..1e10).contains(&size) => format!("{rounded}"),
        _ => format!("{rounded:e}"),
    }
}

/// The size of an error: two digits.
pub(crate) fn short(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        v if v.is_nan() => "not a number".to_owned(),
        v if (1e-3..1e4).contains(&v.abs()) => format!("{}", format!("{v:.2e}").parse::<f64>().unwrap_or(v)),
        v => format!("{v:.1e}"),
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
