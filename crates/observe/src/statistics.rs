//! The extremes of a quantity along a run, in constant memory.
//!
//! A NaN is the largest of all: once a quantity was NaN, its extremes are, whatever came later.
//! The state is plain numbers, so that a resumed run reports the same.

use cotangent_scalar::larger;

/// How many numbers the state of one quantity has.
const STATE: usize = 4;

/// The extremes of one quantity.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Extremes {
    /// The largest |x|.
    pub max_abs: f64,
    /// The largest |x − initial|.
    pub max_deviation: f64,
    /// The first value.
    pub initial: f64,
    /// The latest value.
    pub last: f64,
}

/// Why extremes could not be recorded or restored.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StatisticsError {
    /// The wrong number of values.
    #[error("{found} values given for {expected} quantities")]
    Values {
        /// How many quantities there are.
        expected: usize,
        /// How many values there are.
        found: usize,
    },
    /// A stored state of the wrong length.
    #[error("the stored extremes of {quantities} quantities have {found} numbers instead of {}", quantities * STATE)]
    State {
        /// How many quantities there should be.
        quantities: usize,
        /// How many numbers there are.
        found: usize,
    },
}

impl Extremes {
    /// Begins with the first value.
    pub fn new(initial: f64) -> Self {
        // From something that is not finite nothing has a distance.
        let max_deviation = if initial.is_finite() { 0.0 } else { f64::NAN };
        Extremes { max_abs: initial.abs(), max_deviation, initial, last: initial }
    }

    /// Takes the next value.
    pub fn record(&mut self, x: f64) {
        self.max_abs = larger(self.max_abs, x.abs());
        self.max_deviation = larger(self.max_deviation, (x - self.initial).abs());
        self.last = x;
    }

    fn state(&self) -> [f64; STATE] {
        [self.max_abs, self.max_deviation, self.initial, self.last]
    }
}

impl From<[f64; STATE]> for Extremes {
    fn from([max_abs, max_deviation, initial, last]: [f64; STATE]) -> Self {
        Extremes { max_abs, max_deviation, initial, last }
    }
}

/// The extremes of several quantities; their names are kept by whoever watches them.
#[derive(Clone, PartialEq, Debug)]
pub struct ExtremesList(Vec<Extremes>);

impl ExtremesList {
    /// Begins with the first values.
    pub fn new(initial: &[f64]) -> Self {
        ExtremesList(initial.iter().map(|&x| Extremes::new(x)).collect())
    }

    /// Takes the next values.
    pub fn record(&mut self, values: &[f64]) -> Result<(), StatisticsError> {
        if values.len() != self.0.len() {
            return Err(StatisticsError::Values { expected: self.0.len(), found: values.len() });
        }
        self.0.iter_mut().zip(values).for_each(|(extremes, &x)| extremes.record(x));
        Ok(())
    }

    /// Takes the next values, which lie in several places.
    pub fn record_parts(&mut self, parts: &[&[f64]]) -> Result<(), StatisticsError> {
        let found = parts.iter().map(|p| p.len()).sum();
        if found != self.0.len() {
            return Err(StatisticsError::Values { expected: self.0.len(), found });
        }
        let values = parts.iter().flat_map(|p| p.iter());
        self.0.iter_mut().zip(values).for_each(|(extremes, &x)| extremes.record(x));
        Ok(())
    }

    /// The extremes, in the order of the values.
    pub fn as_slice(&self) -> &[Extremes] {
        &self.0
    }

    /// How many numbers the state of so many quantities has.
    pub fn state_len(quantities: usize) -> usize {
        quantities.saturating_mul(STATE)
    }

    /// Appends the state to the numbers of a checkpoint.
    pub fn export(&self, numbers: &mut Vec<f64>) {
        self.0.iter().for_each(|extremes| numbers.extend(extremes.state()));
    }

    /// Restores the state of so many quantities from exactly the numbers that were appended.
    pub fn import(quantities: usize, numbers: &[f64]) -> Result<Self, StatisticsError> {
        if numbers.len() != Self::state_len(quantities) {
            return Err(StatisticsError::State { quantities, found: numbers.len() });
        }
        let states = numbers.as_chunks::<STATE>().0;
        Ok(ExtremesList(states.iter().map(|&state| state.into()).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn extremes_are_those_of_the_definition() {
        let mut energy = Extremes::new(-2.0);
        [-2.5, -1.75, -2.0].into_iter().for_each(|x| energy.record(x));
        assert_eq!(energy, Extremes { max_abs: 2.5, max_deviation: 0.5, initial: -2.0, last: -2.0 });
    }

    #[test]
    fn a_nan_stays_the_maximum() {
        for values in [[f64::NAN, 1.0, 2.0], [1.0, f64::NAN, 2.0], [1.0, 2.0, f64::NAN]] {
            let mut extremes = Extremes::new(values[0]);
            values[1..].iter().for_each(|&x| extremes.record(x));
            assert!(extremes.max_abs.is_nan() && extremes.max_deviation.is_nan(), "{values:?}");
        }
    }

    #[test]
    fn an_infinity_is_larger_than_any_number_and_smaller_than_nan() {
        let mut extremes = Extremes::new(1.0);
        extremes.record(f64::NEG_INFINITY);
        extremes.record(3.0);
        assert_eq!((extremes.max_abs, extremes.max_deviation), (f64::INFINITY, f64::INFINITY));
        extremes.record(f64::NAN);
        assert!(extremes.max_abs.is_nan());
    }

    #[test]
    fn wrong_lengths_are_refused() {
        let mut list = ExtremesList::new(&[1.0, 2.0]);
        let error = list.record(&[1.0]).unwrap_err();
        assert_eq!(error.to_string(), "1 values given for 2 quantities");
        let error = ExtremesList::import(2, &[0.0; 7]).unwrap_err();
        assert_eq!(error.to_string(), "the stored extremes of 2 quantities have 7 numbers instead of 8");
        assert!(ExtremesList::import(usize::MAX, &[0.0; 4]).is_err());
    }

    proptest! {
        #[test]
        fn a_restored_list_goes_on_to_the_same_bits(rows: Vec<[f64; 3]>, cut: prop::sample::Index) {
            let mut whole = ExtremesList::new(&[0.5, f64::NAN, -1.0]);
            let mut resumed = whole.clone();
            let cut = cut.index(rows.len() + 1);
            for (i, row) in rows.iter().enumerate() {
                if i == cut {
                    let mut numbers = Vec::new();
                    resumed.export(&mut numbers);
                    resumed = ExtremesList::import(3, &numbers).unwrap();
                }
                whole.record(row).unwrap();
                resumed.record(row).unwrap();
            }
            let bits = |list: &ExtremesList| {
                let mut numbers = Vec::new();
                list.export(&mut numbers);
                numbers.into_iter().map(f64::to_bits).collect::<Vec<_>>()
            };
            prop_assert_eq!(bits(&whole), bits(&resumed));
        }
    }
}
