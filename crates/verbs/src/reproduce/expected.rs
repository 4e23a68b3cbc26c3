//! Whether a measurement is as expected.

use super::data::{Expected, Within};
use crate::figures::number;

impl Within {
    /// As a number.
    fn of(&self, value: f64) -> Option<f64> {
        match self {
            Within::Absolute(size) => Some(*size).filter(|size| *size >= 0.0),
            Within::Relative(text) => {
                let percent: f64 = text.trim().strip_suffix('%')?.trim().parse().ok()?;
                (percent >= 0.0).then(|| percent / 100.0 * value.abs())
            }
        }
    }
}

impl Expected {
    /// What is wrong with it.
    pub(super) fn mistake(&self) -> Option<&'static str> {
        let bounds = self.at_least.is_some() || self.at_most.is_some();
        match (self.value, &self.within) {
            (Some(_), None) => Some("a `value` needs `within`"),
            (Some(value), Some(within)) if within.of(value).is_none() => {
                Some("`within` is a number or a percentage such as \"5%\", and not negative")
            }
            (Some(_), Some(_)) if bounds => Some("it has either a `value` or bounds"),
            (None, Some(_)) => Some("`within` belongs to a `value`"),
            (None, None) if !bounds => Some("it has neither a `value` nor bounds"),
            _ => None,
        }
    }

    /// How far from the value is near enough.
    pub(super) fn tolerance(&self) -> Option<f64> {
        self.within.as_ref()?.of(self.value?)
    }

    /// Whether a measurement is as expected.
    pub(super) fn holds(&self, measured: f64) -> bool {
        let near = |value: f64| self.tolerance().is_some_and(|tolerance| (measured - value).abs() <= tolerance);
        !measured.is_nan()
            && self.value.is_none_or(near)
            && self.at_least.is_none_or(|least| measured >= least)
            && self.at_most.is_none_or(|most| measured <= most)
    }

    /// In words and numbers.
    pub(super) fn shown(&self) -> String {
        match (self.value, self.at_least, self.at_most) {
            (Some(value), ..) => number(value),
            (None, Some(least), Some(most)) => format!("{} to {}", number(least), number(most)),
            (None, Some(least), None) => format!("at least {}", number(least)),
            (None, None, Some(most)) => format!("at most {}", number(most)),
            (None, None, None) => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(text: &str) -> Expected {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn tolerances_are_numbers_or_parts_of_the_value() {
        let plain = expected("value = 155\nwithin = 0");
        assert!(plain.holds(155.0) && !plain.holds(154.0) && !plain.holds(f64::NAN));
        let part = expected("value = -2\nwithin = \"25%\"");
        assert!(part.holds(-2.5) && part.holds(-1.5) && !part.holds(-2.6) && part.tolerance() == Some(0.5));
    }

    #[test]
    fn bounds_hold_on_both_sides() {
        let bounds = expected("at_least = 1\nat_most = 2");
        assert!(bounds.holds(1.0) && bounds.holds(2.0) && !bounds.holds(0.9) && !bounds.holds(f64::INFINITY));
        assert_eq!(bounds.shown(), "1 to 2");
        assert!(!expected("at_most = 2").holds(f64::NAN));
    }

    #[test]
    fn what_says_nothing_is_a_mistake() {
        for text in
            ["says = \"bounded\"", "value = 1", "within = 1", "value = 1\nwithin = \"5\"", "value = 1\nwithin = -1"]
        {
            assert!(expected(text).mistake().is_some(), "{text}");
        }
        assert_eq!(expected("value = 1\nwithin = \"5%\"").mistake(), None);
    }
}
