//! A failed step as a document: its code, what it says in the names of the model, and what to try.

use crate::failure::Code;
use crate::noticed::{BRANCHED, JUMPED};
use cotangent_dynamics::{Equation, Failure, FailureKind, Kind, Names, Unsolved, Value};
use cotangent_expr::Layout;
use cotangent_theory::{Card, Motion, Space};

/// What gives numbers their names, and decides what helps.
pub(crate) struct Blame {
    constraints: Layout,
    state: Layout,
    coordinates: usize,
    card: &'static Card,
}

/// Where an iteration does not arrive.
const SMALLER: &str = "take a smaller --step; if it is small already, look whether the motion comes near a singular \
    configuration, where the constraints depend on each other";

/// Where velocities and multipliers do not continue.
const ENDED: &str = "take a smaller --step, which tells solutions apart that come near each other; if the run stops at the \
    same time again, the motion ends there: its momenta do not determine velocities and multipliers any more, or the surface of \
    the constraints turns back over the variables that are kept: --chart keeps others, and `dirac-bracket` all";

/// Where no metric tells branches apart.
const UNDETERMINED: &str = "the eigenvalues of H_pp have different signs, by the model or by a lapse of velocities: take another --lapse, \
    coordinates that the constraints leave free, or another start";

/// Where time does not pass.
const STANDSTILL: &str = "take a smaller --step, or another --lapse, which stays positive";

/// Why a step failed.
pub(crate) struct Blamed {
    /// A stable name for the kind of failure.
    pub(crate) code: Code,
    pub(crate) message: String,
    /// The constraints at fault.
    pub(crate) constraints: Vec<String>,
    /// The variables at fault.
    pub(crate) variables: Vec<String>,
    /// What to try.
    pub(crate) advice: &'static str,
    /// Whether a tolerance of the equations of a step may help, too.
    pub(crate) is_of_tolerance: bool,
}

impl Blame {
    /// The names of a motion and of its constraints.
    pub(crate) fn new(motion: &Motion) -> Blame {
        let coordinates = motion.structure().map_or(motion.state.len(), |s| s.coordinates.len());
        let constraints = match &motion.space {
            Space::Cotangent(s) => s.constraints.shape()[0].clone(),
            Space::Surface(s) | Space::Reduced(s) => s.constraints.shape()[0].then(&s.hidden.shape()[0]),
            Space::Whole => Layout::default(),
        };
        let constraints = match &motion.velocity {
            Some(velocity) => constraints.then(&velocity.residuals.shape()[0]),
            None => constraints,
        };
        Blame { constraints, state: motion.state.clone(), coordinates, card: motion.card() }
    }

    /// A failure in the names of the model.
    pub(crate) fn of(&self, failure: &Failure) -> Blamed {
        let (mut constraints, mut variables) = (vec![], vec![]);
        if let Some(equation) = failure.equation() {
            let at_fault = if is_constraint(equation) { &mut constraints } else { &mut variables };
            at_fault.extend(self.name(equation));
        }
        if let Failure::NotFinite(Value::State(entry)) = failure {
            variables.extend(self.entry(*entry));
        }
        let code = failure.kind().into();
        let advice = self.advice(failure, !constraints.is_empty());
        let is_of_tolerance = advice == SMALLER;
        Blamed { code, message: failure.named(self), constraints, variables, advice, is_of_tolerance }
    }

    fn advice(&self, failure: &Failure, constraints: bool) -> &'static str {
        // Only a Hamiltonian that is not quadratic makes Newton's method look for the reactions from nothing.
        let inside = matches!(failure, Failure::Implicit(i) if matches!(i.cause, Unsolved::Newton(_)));
        if let (FailureKind::NotConverged, true, Some(advice)) = (failure.kind(), inside, self.card.inside) {
            return advice;
        }
        match failure.kind() {
            FailureKind::Singular if constraints => {
                "the constraints depend on each other there (a singular configuration): start elsewhere, or state the \
                 model with other constraints"
            }
            FailureKind::Singular => match failure {
                Failure::NoChart { given: 1.. } => "name other charts with --chart, or none to have them chosen",
                _ => "the equations have no unique solution there: start elsewhere, or take another formulation",
            },
            // A method that chooses its own steps has said what to do.
            FailureKind::NotConverged if matches!(failure, Failure::ErrorControl(_)) => {
                "--step is only the interval of output here"
            }
            FailureKind::NotConverged | FailureKind::Unsatisfied => SMALLER,
            FailureKind::Torn => {
                "take a smaller --step; at a singular configuration another one, so that no step ends so close to it: if \
                 the mechanism may go several ways there, the equations do not say which"
            }
            FailureKind::Branched => BRANCHED,
            FailureKind::Jumped => JUMPED,
            FailureKind::Ended => ENDED,
            FailureKind::Undetermined => UNDETERMINED,
            FailureKind::Standstill => STANDSTILL,
            FailureKind::NotFinite => {
                "take a smaller --step; the motion may also reach a point where the model is not defined"
            }
            FailureKind::Interrupted => "give it more time",
            FailureKind::Misused => "this should not happen; please report it",
        }
    }

    /// What an equation is about.
    fn name(&self, equation: Equation) -> Option<String> {
        let (layout, position) = match equation.kind {
            Kind::Constraint | Kind::HiddenConstraint => (&self.constraints, equation.index),
            Kind::Coordinate | Kind::State => (&self.state, equation.index),
            Kind::Momentum => (&self.state, self.coordinates + equation.index),
            Kind::Matrix => return None,
        };
        (position < layout.len()).then(|| layout.entry_name(position))
    }
}

impl Names for Blame {
    fn equation(&self, equation: Equation) -> Option<String> {
        if equation.kind == Kind::Matrix {
            return Some("the matrix of a stage".into());
        }
        let name = self.name(equation)?;
        Some(match equation.kind {
            Kind::Constraint => format!("the constraint `{name}`"),
            Kind::HiddenConstraint => format!("the time derivative of the constraint `{name}`"),
            Kind::Coordinate | Kind::Momentum | Kind::State | Kind::Matrix => format!("the equation for `{name}`"),
        })
    }

    /// Values come first, then what rounding cut off from each of them; what a method remembers has no name.
    fn entry(&self, entry: usize) -> Option<String> {
        let n = self.state.len();
        (entry < 2 * n).then(|| self.state.entry_name(entry % n))
    }
}

fn is_constraint(equation: Equation) -> bool {
    matches!(equation.kind, Kind::Constraint | Kind::HiddenConstraint)
}
