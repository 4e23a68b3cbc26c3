//! What the iterations of a step over vectors keep behind the work area of its program.

use crate::program::{Program, System};
use cotangent_dynamics::Unknowns;

/// What Newton's method keeps of each unknown: its update and that before, its largest size so far and the inverse of its pivot.
/// After these comes the Jacobian before the last update.
pub(super) const OF_UNKNOWN: usize = 4;

/// What an iteration to a fixed point keeps of each entry of the vector: its largest update at any stage, its largest size, and
/// the two numbers that are known of it.
const OF_ENTRY: usize = 4;

/// The length of the vector whose stages are unknown.
pub(super) fn columns(site: &Unknowns) -> usize {
    site.len() / site.repeats()
}

/// The end of the work area.
pub(crate) fn work(program: &Program) -> usize {
    let of_newton = |s: &System| OF_UNKNOWN * s.pattern.rows() + s.pattern.len();
    let iterated = program.plan.sites().iter().filter(|site| site.stages.is_some());
    let of_stages = iterated.map(|site| OF_ENTRY * columns(site));
    program.work + program.systems.iter().map(of_newton).chain(of_stages).max().unwrap_or(0)
}
