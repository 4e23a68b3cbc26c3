//! The numbers of formulations.

use super::Formulation;

impl Formulation {
    /// The numbers it can be given, and what they are.
    pub fn options(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Formulation::Dirac { .. } => &[("alpha", "the weak term αφ in the equation for η; 0")],
            Formulation::Baumgarte { .. } => {
                &[("alpha", "half the damping of φ̈ + 2α φ̇ + β² φ = 0; 5"), ("beta", "its frequency; 5")]
            }
            Formulation::LocalChart { .. } => {
                &[("threshold", "a chart is changed for one that is better by this factor; 1")]
            }
            Formulation::Penalty { .. } => &[("epsilon", "the compliance of the springs φᵀφ/(2ε); 1e-4")],
            _ => &[],
        }
    }

    /// The same with another value of one of its numbers.
    pub fn with_option(mut self, name: &str, value: f64) -> Result<Formulation, OptionError> {
        let (number, least) = self.number(name).ok_or(OptionError::Unknown)?;
        let fits = match least {
            Least::Any => value.is_finite(),
            Least::Zero => value >= 0.0 && value.is_finite(),
            Least::AboveZero => value > 0.0 && value.is_finite(),
            Least::One => value >= 1.0 && value.is_finite(),
        };
        if !fits {
            return Err(OptionError::Range { least: least.text() });
        }
        *number = value;
        Ok(self)
    }

    /// The values of its numbers.
    pub fn values(mut self) -> Vec<(&'static str, f64)> {
        let names = self.options().iter().map(|(name, _)| *name);
        names.filter_map(|name| Some((name, *self.number(name)?.0))).collect()
    }

    fn number(&mut self, name: &str) -> Option<(&mut f64, Least)> {
        match (self, name) {
            (Formulation::Dirac { alpha }, "alpha") => Some((alpha, Least::Any)),
            (Formulation::Baumgarte { alpha, .. }, "alpha") => Some((alpha, Least::Zero)),
            (Formulation::Baumgarte { beta, .. }, "beta") => Some((beta, Least::Zero)),
            (Formulation::LocalChart { threshold }, "threshold") => Some((threshold, Least::One)),
            (Formulation::Penalty { epsilon }, "epsilon") => Some((epsilon, Least::AboveZero)),
            _ => None,
        }
    }
}

/// Why a number of a formulation cannot be what it should.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OptionError {
    /// The formulation has none of that name.
    #[error("the formulation has no such number")]
    Unknown,
    /// A value that makes no sense.
    #[error("it must be {least}")]
    Range {
        /// What it must be.
        least: &'static str,
    },
}

/// What a number must be.
enum Least {
    Any,
    Zero,
    AboveZero,
    One,
}

impl Least {
    fn text(&self) -> &'static str {
        match self {
            Least::Any => "a number",
            Least::Zero => "0 or more",
            Least::AboveZero => "more than 0",
            Least::One => "1 or more",
        }
    }
}
