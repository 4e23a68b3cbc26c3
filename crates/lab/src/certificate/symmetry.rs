//! A step forward and one back, in double-double arithmetic: round-off, which a small step amplifies,
//! is not a property of the method.

use super::Finding;
use super::subject::{Subject, distance};
use cotangent_scalar::Dd;

pub(super) fn defect(subject: &Subject<'_>, point: &[Dd], step: f64) -> Finding<f64> {
    match subject.walk_on(point, &[(step, 1), (-step, 1)]) {
        Ok(back) => Finding::Measured(distance(&back.values, point, subject.problem.motion.structure.is_some())),
        Err(e) => Finding::Undecided(format!("no step back: {e}")),
    }
}
