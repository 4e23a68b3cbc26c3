//! What does not fit into memory is refused before it is tried.

use crate::failure::{Code, Failure};
use cotangent_model::System;
use cotangent_observe::Arrays;

/// Bytes that each variable of the state takes in all, as measured on chains of pendulums: its values, formulas of
/// families written out, rows of matrices, factors.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Use {
    /// A model with its values and residuals.
    Check,
    /// Equations of motion, matrices of a step, and their factors.
    Integrate,
}

impl Use {
    fn bytes(self) -> u64 {
        match self {
            Use::Check => 150,
            Use::Integrate => 1600,
        }
    }
}

/// Refuses a model that would need more than what is available, in bytes; nothing is known without.
pub(crate) fn afford(system: &System, purpose: Use, available: Option<u64>) -> Result<(), Failure> {
    let variables = system.state().len() as u64;
    let needed = variables.saturating_mul(purpose.bytes());
    within(needed, available, || format!("`{}` has {variables} variables", system.name))
        .map_err(|refused| refused.help("set a smaller size with --set, or take a larger machine"))
}

/// Refuses rows in memory, so many of so many numbers, likewise.
pub(crate) fn afford_rows([rows, numbers]: [u64; 2], available: Option<u64>) -> Result<(), Failure> {
    let needed = rows.saturating_mul(numbers).saturating_mul(Arrays::BYTES);
    within(needed, available, || format!("`arrays` would have {rows} rows of {numbers} numbers")).map_err(|refused| {
        refused.help("record fewer rows (--record), or write a table (--out FILE) instead of --arrays")
    })
}

fn within(needed: u64, available: Option<u64>, what: impl Fn() -> String) -> Result<(), Failure> {
    let Some(available) = available.filter(|available| needed > *available) else { return Ok(()) };
    let gigabytes = |bytes: u64| bytes as f64 / 1e9;
    let message = format!(
        "{}, which would need some {:.1} GB of memory, and {:.1} GB are available",
        what(),
        gigabytes(needed),
        gigabytes(available)
    );
    Err(Failure::new(Code::TooLarge, message))
}

#[cfg(test)]
mod tests {
    use super::{Use, afford};
    use cotangent_model::System;

    #[test]
    fn a_model_is_refused_by_its_size_and_what_is_available() {
        let system = System::parse("coord x[i in 1..500]\nhamiltonian sum(i in 1..500, p_x[i]^2)/2\n").unwrap();
        assert!(afford(&system, Use::Integrate, Some(1_600_000)).is_ok());
        assert!(afford(&system, Use::Integrate, Some(1_599_999)).is_err());
        assert!(afford(&system, Use::Check, Some(1_599_999)).is_ok());
        assert!(afford(&system, Use::Integrate, None).is_ok());
    }
}
