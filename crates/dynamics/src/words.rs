//! What a failure says: the one place with its sentences, with numbers or with names.

use crate::cause::{Misuse, Unsolved, Value};
use crate::failure::{ErrorControl, Failure, GaveUp};
use crate::plan::Equation;
use cotangent_solve::{FixedPointError, NewtonError};
use std::fmt;

/// What equations and variables are called.
pub trait Names {
    /// An equation of a step, such as "the constraint `rod`"; `None` if it has no name.
    fn equation(&self, equation: Equation) -> Option<String>;

    /// An entry of the state after a step, as [`Value::State`] counts them.
    fn entry(&self, entry: usize) -> Option<String>;
}

impl Failure {
    /// What it says, with names for the numbers of equations and variables.
    pub fn named(&self, names: &dyn Names) -> String {
        Words { failure: self, names: Some(names) }.to_string()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Words { failure: self, names: None }.fmt(f)
    }
}

struct Words<'a> {
    failure: &'a Failure,
    names: Option<&'a dyn Names>,
}

impl Words<'_> {
    fn name(&self, equation: Option<Equation>) -> Option<String> {
        self.names?.equation(equation?)
    }

    fn called(&self, equation: Equation) -> String {
        self.name(Some(equation)).unwrap_or_else(|| format!("equation {}", equation.index))
    }
}

impl fmt::Display for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NOT_FINITE: &str = "a value of the step is not finite";
        const MATRIX: &str = "in the matrix of linear equations";
        match self.failure {
            Failure::Newton { error, equation } => {
                let name = self.name(*equation);
                match (self.names, &**error) {
                    (None, NewtonError::NotFinite { .. }) => write!(f, "{NOT_FINITE}: {error}"),
                    (None, error) => write!(f, "{error}"),
                    (Some(_), error) => f.write_str(&error.named(name.as_ref().map(|n| n as _))),
                }
            }
            Failure::FixedPoint { error, equation } => match &**error {
                FixedPointError::NotFinite { .. } => write!(f, "{NOT_FINITE}: {error}"),
                error => f.write_str(&error.named(self.name(*equation).as_ref().map(|n| n as _))),
            },
            Failure::Implicit(implicit) => match (&implicit.cause, self.names) {
                (Unsolved::Newton(error), Some(_)) => {
                    write!(f, "Newton's method inside the equations of motion failed: {}", error.named(None))
                }
                (Unsolved::Linear(singular), _) if !singular.is_finite() => write!(f, "{NOT_FINITE}: {MATRIX}"),
                (Unsolved::Linear(_), Some(_)) => {
                    write!(f, "a linear system inside the equations of motion has no unique solution")
                }
                (cause, None) => write!(f, "{cause}"),
            },
            Failure::Singular(singular) if !singular.is_finite() => write!(f, "{NOT_FINITE}: {MATRIX}"),
            Failure::Singular(singular) => match self.names {
                Some(_) => write!(f, "linear equations of the step have no unique solution"),
                None => write!(f, "{singular}"),
            },
            Failure::Unsatisfied { equation, residual, explained } => write!(
                f,
                "the step found no solution: {} is off by {residual:.1e}, of which the rounding of its terms explains \
                 {explained:.1e}",
                self.called(*equation)
            ),
            Failure::Torn { change } => write!(
                f,
                "no step was found that continues the motion smoothly: the energy would change by {change:.1e}; the \
                 constraints are nearly dependent here, or bend too much for the step"
            ),
            Failure::Branched { equation } => {
                let name = self.called(*equation);
                write!(f, "the step turns into another branch at a singular configuration of {name}")
            }
            Failure::Jumped { equation } => write!(
                f,
                "the step goes over a gap between two branches, near a singular configuration of {}, that is narrower \
                 than the step",
                self.called(*equation)
            ),
            Failure::Undetermined { equation } => write!(
                f,
                "the step comes by a singular configuration of {} where the energy is not convex in the momenta: on which branch \
                 the motion goes on cannot be told",
                self.called(*equation)
            ),
            Failure::Ended { equation } => {
                write!(
                    f,
                    "what has no rate of its own (velocities, multipliers, variables that follow from others) does not continue through the step"
                )?;
                if let Some(names) = self.names
                    && let Some(name) = names.equation(*equation)
                {
                    write!(f, ", at {name}")?;
                }
                write!(
                    f,
                    ": its equations have several solutions, and the step ends on another one, or they become singular on the way"
                )
            }
            Failure::Standstill { pace } => {
                write!(f, "the lapse at its end would be {pace:.3e}, and must stay well above 0 for time to pass")
            }
            Failure::NoChart { given } => f.write_str(match given {
                0 => "no coordinates fit: the constraints are dependent there",
                1 => "the chart does not fit there: the other coordinates do not follow from its own",
                _ => "none of the charts fits there: the other coordinates do not follow from theirs",
            }),
            Failure::ErrorControl(control) => self.gave_up(control, f),
            Failure::NotFinite(value) => {
                let name = match (value, self.names) {
                    (Value::State(entry), Some(names)) => names.entry(*entry),
                    _ => None,
                };
                match name {
                    Some(name) => write!(f, "{NOT_FINITE}: `{name}`"),
                    None => write!(f, "{NOT_FINITE}: {value}"),
                }
            }
            // What a library above this one says of itself is nobody's misuse.
            Failure::Misused(Misuse::Source(source)) => write!(f, "{source}"),
            Failure::Misused(misuse) => write!(f, "a step was used wrongly: {misuse}"),
            Failure::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl Words<'_> {
    fn gave_up(&self, control: &ErrorControl, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the tolerance {:e} of the error of a step ", control.tolerance)?;
        match &control.cause {
            GaveUp::RoundOff { epsilon } => {
                write!(f, "is less than round-off ({epsilon:.1e}); take a larger tolerance")
            }
            GaveUp::TooMany { most, interval, step } => write!(
                f,
                "needs more than {most} steps in the interval {interval:e}, now of {step:.1e}; take a larger \
                 tolerance, a smaller interval, or an implicit method if the equations are stiff"
            ),
            GaveUp::TooSmall { step, interval, undefined } => {
                write!(f, "needs steps below {step:.1e} in the interval {interval:e}")?;
                let Some(undefined) = undefined else {
                    return write!(f, "; take a larger tolerance, or end the run before the singularity ahead");
                };
                match undefined {
                    Failure::NotFinite(_) => write!(f, ", where rates are not finite")?,
                    failure => write!(f, ", where {}", Words { failure, names: self.names })?,
                }
                write!(f, "; the solution leaves the domain of the equations: end the run before")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cause::Implicit;
    use crate::plan::Kind;
    use cotangent_solve::{Quantity, Singular};

    /// A pendulum with one constraint, in x and y.
    struct Pendulum;

    impl Names for Pendulum {
        fn equation(&self, equation: Equation) -> Option<String> {
            let name = match equation.kind {
                Kind::Constraint => ["the constraint `rod`"].get(equation.index)?,
                _ => ["the equation for `x`", "the equation for `y`"].get(equation.index)?,
            };
            Some((*name).to_owned())
        }

        fn entry(&self, entry: usize) -> Option<String> {
            ["x", "y"].get(entry % 2).filter(|_| entry < 4).map(|name| (*name).to_owned())
        }
    }

    fn said(failure: &Failure) -> [String; 2] {
        [failure.to_string(), failure.named(&Pendulum)]
    }

    #[test]
    fn numbers_become_names() {
        let equation = Equation { kind: Kind::Constraint, index: 0 };
        let failure = Failure::Unsatisfied { equation, residual: 1e-3, explained: 2e-16 };
        let words = |what: &str| {
            format!(
                "the step found no solution: {what} is off by 1.0e-3, of which the rounding of its terms explains 2.0e-16"
            )
        };
        assert_eq!(said(&failure), [words("equation 0"), words("the constraint `rod`")]);
        // An equation beyond those that have names keeps its number.
        let failure = Failure::Branched { equation: Equation { kind: Kind::Constraint, index: 7 } };
        let [number, name] = said(&failure);
        assert!(number == name && number.ends_with("of equation 7"), "{name}");
    }

    #[test]
    fn what_iterations_say_has_the_name_of_the_equation() {
        let equation = Some(Equation { kind: Kind::Constraint, index: 0 });
        let error = NewtonError::NotConverged { residual: 0.5, iterations: 50, worst: 12 };
        let off = |what: &str| format!("Newton's method did not converge in 50 iterations: {what} is off by 5.0e-1");
        let failure = Failure::Newton { error: Box::new(error), equation };
        assert_eq!(said(&failure), [off("equation 12"), off("the constraint `rod`")]);
        let singular = Singular { row: 3, column: 1, pivot: 0.0 };
        let error = Box::new(NewtonError::Singular { singular, iteration: 2 });
        let [number, name] = said(&Failure::Newton { error, equation });
        assert!(number.contains("row 3 is left over"), "{number}");
        assert_eq!(name, "in iteration 2 of Newton's method the constraint `rod` depends on the others");
        let error = Box::new(FixedPointError::NotConverged { update: 0.25, ratio: 1.5, iterations: 9, worst: 4 });
        let equation = Some(Equation { kind: Kind::State, index: 1 });
        let changes = |what: &str| {
            format!(
                "the fixed-point iteration did not converge in 9 iterations: {what} still changes by 2.5e-1 of its size, \
                 1.50 times the change before"
            )
        };
        let failure = Failure::FixedPoint { error, equation };
        assert_eq!(said(&failure), [changes("unknown 4"), changes("the equation for `y`")]);
    }

    #[test]
    fn matrices_have_neither_rows_nor_columns_for_people_and_nan_is_no_dependence() {
        let singular = |pivot: f64| Singular { row: 1, column: 0, pivot };
        let inside =
            |pivot: f64| Failure::from(Implicit { name: "lambda".into(), cause: Unsolved::Linear(singular(pivot)) });
        for failure in [Failure::Singular(singular(f64::NAN)), inside(f64::NAN)] {
            let words = "a value of the step is not finite: in the matrix of linear equations";
            assert_eq!(said(&failure), [words, words]);
            assert_eq!(failure.kind(), crate::FailureKind::NotFinite);
        }
        for failure in [Failure::Singular(singular(0.0)), inside(0.0)] {
            let [number, name] = said(&failure);
            assert!(number.contains("row 1") && !name.contains("row") && !name.contains("column"), "{number}, {name}");
            assert!(name.ends_with("no unique solution"), "{name}");
            assert_eq!(failure.kind(), crate::FailureKind::Singular);
        }
    }

    #[test]
    fn what_is_not_finite_is_a_variable_or_nothing_that_has_a_name() {
        let words = |what: &str| format!("a value of the step is not finite: {what}");
        let entry = |k: usize| said(&Failure::NotFinite(Value::State(k)));
        assert_eq!(entry(1), [words("entry 1 of the new state"), words("`y`")]);
        // What rounding has cut off from y; then what the method remembers.
        assert_eq!(entry(3)[1], words("`y`"));
        assert_eq!(entry(4)[1], words("entry 4 of the new state"));
        let error = NewtonError::NotFinite { quantity: Quantity::Residual, index: 3, iteration: 1 };
        let inner = "in iteration 1 of Newton's method a value is not finite";
        let failure = Failure::Newton { error: Box::new(error.clone()), equation: None };
        assert_eq!(said(&failure), [words(&format!("{inner}: Residual 3")), inner.to_owned()]);
        let failure = Failure::from(Implicit { name: "velocity".into(), cause: Unsolved::Newton(error) });
        let inside = "Newton's method inside the equations of motion failed: ";
        assert_eq!(said(&failure), [format!("{inside}{inner}: Residual 3"), format!("{inside}{inner}")]);
        let cause = GaveUp::TooSmall { step: 1e-17, interval: 0.5, undefined: Some(failure) };
        let control = Failure::ErrorControl(Box::new(ErrorControl { tolerance: 1e-6, cause }));
        let name = &said(&control)[1];
        assert!(name.contains(&format!(", where {inside}{inner}; the solution leaves")), "{name}");
    }
}
