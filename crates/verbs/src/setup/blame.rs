//! What a failed step says, with the names of constraints and variables for their numbers.

use cotangent_dynamics::{Equation, Failure, Kind};
use cotangent_expr::Layout;
use cotangent_theory::Motion;

/// The layouts that give numbers their names.
pub(crate) struct Blame {
    constraints: Layout,
    state: Layout,
    coordinates: usize,
}

/// Why a step failed.
pub(crate) struct Blamed {
    /// A stable name for the kind of failure.
    pub(crate) code: &'static str,
    pub(crate) reason: String,
    /// The constraints at fault.
    pub(crate) constraints: Vec<String>,
    /// The variables at fault.
    pub(crate) variables: Vec<String>,
}

impl Blame {
    /// The names of a motion and of its constraints.
    pub(crate) fn new(motion: &Motion) -> Blame {
        let coordinates = motion.structure.as_ref().map_or(motion.state.len(), |s| s.coordinates.len());
        let constraints = match (&motion.structure, &motion.surface) {
            (Some(s), _) => s.constraints.shape()[0].clone(),
            (None, Some(s)) => s.constraints.shape()[0].then(&s.hidden.shape()[0]),
            (None, None) => Layout::new(vec![]),
        };
        Blame { constraints, state: motion.state.clone(), coordinates }
    }

    /// A failure in the names of the model.
    pub(crate) fn of(&self, failure: &Failure) -> Blamed {
        let (equation, code) = match failure {
            Failure::NotConverged { equation, .. } => (*equation, "not-converged"),
            Failure::Unsatisfied { equation, .. } => (Some(*equation), "unsatisfied"),
            Failure::Singular { equation, .. } => (*equation, "singular"),
            Failure::Torn { .. } => (None, "torn"),
            Failure::Branched { equation } => (Some(*equation), "branched"),
            Failure::Jumped { equation } => (Some(*equation), "jumped"),
            Failure::NotFinite { .. } => (None, "not-finite"),
            Failure::Misused { .. } => (None, "misused"),
            Failure::Interrupted => (None, "interrupted"),
        };
        let mut blamed = Blamed { code, reason: failure.to_string(), constraints: vec![], variables: vec![] };
        if let Some((name, kind)) = equation.and_then(|e| self.name(e)) {
            let what = match kind {
                Kind::Constraint => format!("the constraint `{name}`"),
                Kind::HiddenConstraint => format!("the time derivative of the constraint `{name}`"),
                _ => format!("the equation for `{name}`"),
            };
            blamed.reason = reworded(&blamed.reason, &what);
            match kind {
                Kind::Constraint | Kind::HiddenConstraint => blamed.constraints.push(name),
                _ => blamed.variables.push(name),
            }
        }
        if let Some((iteration, _)) = blamed.reason.split_once(" a value is not finite: ") {
            // Which one is a number that only the solver knows.
            let iteration = iteration.rsplit(": ").next().unwrap_or(iteration);
            blamed.reason = format!("{iteration} a value is not finite");
        }
        if let Some(k) = entry(&blamed.reason) {
            // Values come first, then what rounding cut off from each of them.
            let name = self.state.entry_name(k % self.state.len().max(1));
            blamed.reason = blamed.reason.replace(&format!("entry {k} of the new state"), &format!("`{name}`"));
            blamed.variables.push(name);
        }
        blamed
    }

    /// What an equation is about.
    fn name(&self, equation: Equation) -> Option<(String, Kind)> {
        let (layout, position) = match equation.kind {
            Kind::Constraint | Kind::HiddenConstraint => (&self.constraints, equation.index),
            Kind::Coordinate | Kind::State => (&self.state, equation.index),
            Kind::Momentum => (&self.state, self.coordinates + equation.index),
        };
        (position < layout.len()).then(|| (layout.entry_name(position), equation.kind))
    }
}

/// What a solver says, with the name of the equation for its number.
fn reworded(reason: &str, what: &str) -> String {
    for word in ["equation ", "unknown "] {
        if let Some((before, after)) = reason.split_once(word) {
            let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
            if rest.len() < after.len() {
                return format!("{before}{what}{rest}");
            }
        }
    }
    match reason.split_once("the matrix is singular") {
        Some((before, _)) => format!("{before}{what} depends on the others"),
        None => format!("{reason} ({what})"),
    }
}

/// The number in "entry 3 of the new state".
fn entry(reason: &str) -> Option<usize> {
    let (_, after) = reason.split_once("entry ")?;
    after.strip_suffix(" of the new state")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{entry, reworded};

    #[test]
    fn numbers_become_names() {
        let rod = "the constraint `rod`";
        assert_eq!(reworded("it failed: equation 12 is off by 1e-3", rod), format!("it failed: {rod} is off by 1e-3"));
        assert_eq!(reworded("unknown 3 still changes", rod), format!("{rod} still changes"));
        let singular = "in iteration 0 of Newton's method the matrix is singular: column 0 depends on …";
        assert_eq!(reworded(singular, rod), format!("in iteration 0 of Newton's method {rod} depends on the others"));
        assert_eq!(reworded("no luck", rod), format!("no luck ({rod})"));
        assert_eq!(entry("a value of the step is not finite: entry 3 of the new state"), Some(3));
        assert_eq!(entry("entry x of the new state"), None);
    }
}
