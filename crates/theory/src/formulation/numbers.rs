//! The numbers of formulations.

use super::Formulation;

impl Formulation {
    /// The same with another value of one of its numbers.
    pub fn with_number(mut self, name: &str, value: f64) -> Result<Formulation, NumberError> {
        let number = self.card().numbers.iter().find(|n| n.name == name).ok_or(NumberError::Unknown)?;
        if !number.least.admits(value) {
            return Err(NumberError::Range { least: number.least.text() });
        }
        *self.number(name).ok_or(NumberError::Unknown)? = value;
        Ok(self)
    }

    /// The values of its numbers, in the order of its card.
    pub fn numbers(mut self) -> Vec<(&'static str, f64)> {
        let names = self.card().numbers.iter().map(|n| n.name);
        names.filter_map(|name| Some((name, *self.number(name)?))).collect()
    }

    fn number(&mut self, name: &str) -> Option<&mut f64> {
        match (self, name) {
            (Formulation::Dirac { alpha } | Formulation::Baumgarte { alpha, .. }, "alpha") => Some(alpha),
            (Formulation::Baumgarte { beta, .. }, "beta") => Some(beta),
            (Formulation::LocalChart { threshold }, "threshold") => Some(threshold),
            (Formulation::Penalty { epsilon } | Formulation::Lapse { epsilon, .. }, "epsilon") => Some(epsilon),
            (Formulation::Lapse { factor, .. }, "factor") => Some(factor),
            (Formulation::Lapse { power, .. }, "power") => Some(power),
            _ => None,
        }
    }
}

/// Why a number of a formulation cannot be what it should.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NumberError {
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
