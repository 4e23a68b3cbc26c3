//! Why something is not decided.

use super::ended::Ended;
use crate::fit::Undecided;
use crate::reference::ReferenceError;
use crate::tangent::TangentError;
use cotangent_compile::CompileError;
use cotangent_dynamics::{Failure, Names};
use cotangent_scalar::figures::{exact, number, short};
use cotangent_theory::TheoryError;
use std::fmt;

/// Why something is not decided, or was not measured.
///
/// [`Display`](fmt::Display) says it with the numbers of equations and variables, [`named`](Reason::named) with names in
/// their place.
#[derive(Clone, PartialEq, Debug)]
pub enum Reason {
    /// A step could not be made.
    Step(Failure),
    /// The step back could not be made.
    StepBack(Failure),
    /// The run did not reach its end.
    Ended(Ended),
    /// A quantity has no value.
    Value(Failure),
    /// Vectors that are none of the tangent space.
    Tangent(TangentError),
    /// The motion itself could not be derived.
    Theory(TheoryError),
    /// The motion itself could not be compiled.
    Compile(CompileError),
    /// There are no rates to solve for the motion itself.
    NoField,
    /// The motion itself is not known.
    Reference(ReferenceError<Failure>),
    /// More variables than a tangent map is computed for.
    NoTangentMap {
        /// The most.
        largest: usize,
    },
    /// More variables than the motion itself is solved for.
    NoReference {
        /// The most.
        largest: usize,
    },
    /// The steps come to a singular configuration.
    Singular,
    /// The errors at several steps show no order.
    NoOrder(Undecided),
    /// This step is too large: a smaller one shows the order.
    TooLarge(OrderAt),
    /// Smaller steps do not confirm what this one shows.
    NotConfirmed,
    /// The errors at this step are round-off: a larger one shows the order.
    OrderAbove(OrderAt),
    /// There is no order at this step; another one shows it.
    OrderElsewhere {
        /// Why not at this step.
        here: Box<Reason>,
        /// What another one shows.
        there: OrderAt,
    },
    /// A defect is round-off at this step, and shows at a larger one.
    DefectAbove {
        /// The larger one.
        step: f64,
        /// The defect there.
        defect: f64,
    },
    /// A defect is round-off at this step, and larger steps do not tell.
    RoundOff(LargerSteps),
    /// A defect is neither one of the method nor round-off.
    NotFalling {
        /// The defect.
        defect: f64,
        /// Why larger steps do not tell.
        larger: LargerSteps,
    },
    /// A defect that is not one of a smaller step, where it ends at once: this step takes another solution of its equations
    /// than the one that continues the motion.
    OtherSolution {
        /// The defect.
        defect: f64,
        /// The smaller step.
        step: f64,
        /// The defect there.
        there: f64,
    },
    /// A defect of which it is not known whether it falls with the step: a smaller one cannot be made.
    SmallerSteps {
        /// The defect.
        defect: f64,
        /// Why not.
        reason: Box<Reason>,
    },
    /// Seen in single steps, and below round-off along the run.
    InSteps,
    /// Kept in single steps, and above round-off along the run.
    Accumulated,
    /// Kept along the run, and not from other states.
    ThisMotion {
        /// A step from there.
        step: f64,
        /// What it changes.
        defect: f64,
    },
    /// No step of the run changes the chart.
    OneChart,
    /// Kept from the start on, and no step could be made from another state.
    NowhereElse,
    /// No energy was measured.
    NoEnergy,
    /// The energy is too small for its error to be one of the method.
    Underflow {
        /// Its size.
        size: f64,
    },
    /// The quadrature of a method that keeps the energy is not exact at this step; at a smaller one it is.
    Quadrature {
        /// The smaller one.
        step: f64,
        /// By how much it changes the energy.
        defect: f64,
    },
    /// The energy error is as large as the motion.
    Unresolved {
        /// The error, as a part of the energy that was exchanged at first.
        part: f64,
    },
    /// The errors along the run show no power of time.
    NoGrowth(Undecided),
    /// The motion turned too seldom to tell a growing error from an oscillation.
    TooShort {
        /// How often it turned.
        turns: usize,
        /// How often it would have to.
        needed: usize,
    },
    /// The growth of the error is not known well enough.
    Open {
        /// The exponent of time.
        exponent: f64,
        /// How far it may be off.
        uncertainty: f64,
    },
    /// Nothing grows, and nothing that the method keeps excludes it.
    Unbounded,
    /// A perturbation grows more than with smaller steps.
    Unstable {
        /// By how much.
        grown: f64,
        /// In so many steps.
        steps: u64,
        /// By how much with a quarter of the step.
        finer: f64,
    },
}

/// The order that another step shows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OrderAt {
    /// The step.
    pub step: f64,
    /// The order.
    pub value: f64,
    /// How far it may be off.
    pub uncertainty: f64,
}

/// Why larger steps do not tell more.
#[derive(Clone, PartialEq, Debug)]
pub enum LargerSteps {
    /// They show the same.
    NoMore,
    /// The start is an equilibrium: nothing moves.
    AtRest,
    /// Perturbations grow so much that a defect is lost in them.
    Growing,
    /// One takes another solution.
    OtherSolution {
        /// This one.
        step: f64,
    },
    /// One cannot be made.
    NoStep {
        /// This one.
        step: f64,
        /// Why.
        reason: Box<Reason>,
    },
}

impl Reason {
    /// What it says, with names for the numbers of equations and variables.
    pub fn named(&self, names: &dyn Names) -> String {
        Words(self, Some(names)).to_string()
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Words(self, None).fmt(f)
    }
}

impl std::error::Error for Reason {}

impl fmt::Display for OrderAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at step {} the order is {:.2} ± {:.2}", exact(self.step), self.value, self.uncertainty)
    }
}

/// A reason, with or without names.
struct Words<'a>(&'a Reason, Option<&'a dyn Names>);

impl Words<'_> {
    fn failure(&self, failure: &Failure) -> String {
        self.1.map_or_else(|| failure.to_string(), |names| failure.named(names))
    }

    fn larger(&self, larger: &LargerSteps) -> String {
        match larger {
            LargerSteps::NoMore => "larger steps say no more".to_owned(),
            LargerSteps::AtRest => "the start is an equilibrium".to_owned(),
            LargerSteps::Growing => "perturbations grow in it more than anything shows: take a smaller step".to_owned(),
            LargerSteps::OtherSolution { step } => format!("a step of {} takes another solution", exact(*step)),
            LargerSteps::NoStep { step, reason } => {
                format!("a step of {} cannot be made: {}", exact(*step), Words(reason, self.1))
            }
        }
    }
}

impl fmt::Display for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Reason::Step(failure) => f.write_str(&self.failure(failure)),
            Reason::StepBack(failure) => write!(f, "no step back: {}", self.failure(failure)),
            Reason::Ended(ended) => f.write_str(&ended.said(self.1)),
            Reason::Value(error) => write!(f, "{error}"),
            Reason::Tangent(error) => write!(f, "{error}"),
            Reason::Theory(error) => write!(f, "{error}"),
            Reason::Compile(error) => write!(f, "{error}"),
            Reason::NoField => write!(f, "there is no vector field to solve"),
            Reason::Reference(ReferenceError::Rates { time, error }) => {
                let error = self.failure(error);
                write!(f, "the reference solution: at time {} the rates could not be evaluated: {error}", number(*time))
            }
            Reason::Reference(error) => write!(f, "the reference solution: {error}"),
            Reason::NoTangentMap { largest } => write!(f, "no tangent map for more than {largest} variables"),
            Reason::NoReference { largest } => write!(f, "no reference solution for more than {largest} variables"),
            Reason::Singular => {
                write!(f, "the motion comes to a singular configuration, where branches meet, in these steps")
            }
            Reason::NoOrder(undecided) => write!(f, "{undecided}"),
            Reason::TooLarge(smaller) => write!(f, "this step is too large: {smaller}"),
            Reason::NotConfirmed => write!(f, "smaller steps do not confirm what this one shows"),
            Reason::OrderAbove(larger) => write!(f, "below round-off at this step; {larger}"),
            Reason::OrderElsewhere { here, there } => write!(f, "{}; {there}", Words(here, self.1)),
            Reason::DefectAbove { step, defect } => {
                write!(f, "below round-off at this step; at step {} it is {}", exact(*step), short(*defect))
            }
            Reason::RoundOff(LargerSteps::AtRest) => write!(f, "nothing moves: the start is an equilibrium"),
            Reason::RoundOff(larger) => write!(f, "below round-off at this step, and {}", self.larger(larger)),
            Reason::NotFalling { defect, larger } => {
                write!(
                    f,
                    "{} does not fall with the step as a defect does, and {}",
                    short(*defect),
                    self.larger(larger)
                )
            }
            Reason::OtherSolution { defect, step, there } => write!(
                f,
                "{} is no defect of the method: this step takes another solution of its equations than the one that \
                 continues the motion; at step {} it is {}",
                short(*defect),
                exact(*step),
                short(*there)
            ),
            Reason::SmallerSteps { defect, reason } => write!(
                f,
                "{}, which may be none of the method: a smaller step, by which it should fall, cannot be made: {}",
                short(*defect),
                Words(reason, self.1)
            ),
            Reason::InSteps => write!(f, "seen in single steps, and below round-off along the run"),
            Reason::Accumulated => write!(f, "single steps keep it; along the run their round-off accumulates"),
            Reason::ThisMotion { step, defect } => write!(
                f,
                "it is kept on this motion alone: from a state beside it a step of {} is off by {}",
                exact(*step),
                short(*defect)
            ),
            Reason::OneChart => {
                write!(f, "no step of this run changes the chart, and one that does need not keep it")
            }
            Reason::NowhereElse => {
                write!(f, "it is kept from this start on, and no step could be made from another state")
            }
            Reason::NoEnergy => write!(f, "no energy was measured"),
            Reason::Underflow { size } => write!(
                f,
                "the energy, of size {}, is below what the arithmetic resolves: choose other units",
                short(*size)
            ),
            Reason::Quadrature { step, defect } => write!(
                f,
                "this step is too large for the quadrature of its averages: one of {} changes the energy by {}; take a \
                 smaller step or more --stages",
                exact(*step),
                short(*defect)
            ),
            Reason::Unresolved { part } => write!(
                f,
                "the step is not stable, or does not resolve the motion: the energy error reaches {} of the energy \
                 that was exchanged at first; take a smaller step",
                short(*part)
            ),
            Reason::NoGrowth(undecided) => write!(f, "{undecided}; take more steps"),
            Reason::TooShort { turns, needed } => write!(
                f,
                "the run is too short: the error grew while the motion turned {turns} times, of {needed} needed; take \
                 more steps"
            ),
            Reason::Open { exponent, uncertainty } => write!(
                f,
                "t^({exponent:.2} ± {uncertainty:.2}) can be a bounded error or a growing one; take more steps"
            ),
            Reason::Unbounded => {
                write!(f, "no growth is seen in so many steps, and nothing that the method keeps excludes it")
            }
            Reason::Unstable { grown, steps, finer } => write!(
                f,
                "the step is not stable: a small perturbation grows by {} in {steps} steps, by {} in {} of a quarter \
                 of it",
                short(*grown),
                short(*finer),
                4 * steps
            ),
        }
    }
}
