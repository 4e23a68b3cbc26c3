//! Where the branches of a step are.

use crate::failure::Failure;
use crate::plan::{Kind, Site};
use cotangent_scalar::Scalar;

/// Residual and Jacobian of implicit equations at the unknowns; the Jacobian's values are in the
/// order of the pattern of the [`Site`].
pub type Equations<'a, S> = dyn FnMut(&[S], &mut [S], &mut [S]) -> Result<(), Failure> + 'a;

/// The map of a fixed-point equation x = F(x): (machine, x, F(x)).
pub type Map<'a, S> = dyn FnMut(&mut dyn Machine<S>, &[S], &mut [S]) -> Result<(), Failure> + 'a;

/// A fixed-point equation x = F(x) with a way to solve it where F does not contract, or too slowly.
pub trait Contraction<S: Scalar> {
    /// The map F.
    fn map(&mut self, x: &[S], next: &mut [S]) -> Result<(), Failure>;

    /// Another way to the fixed point, from a first guess of its own.
    fn otherwise(&mut self, machine: &mut dyn Machine<S>, x: &mut [S]) -> Result<(), Failure>;
}

/// So many iterations of a contraction in `f64` cost about what the other way does, Newton's method with a full matrix: the
/// more unknowns, the more.
pub fn patience(unknowns: usize) -> u32 {
    (8 + 4 * unknowns.min(12)) as u32
}

/// After a map that did not contract so many further steps go the other way at once.
pub const PAUSE: f64 = 63.0;

/// Where the branches of a step are.
pub trait Machine<S: Scalar> {
    /// Solves equations by Newton's method; `unknowns` holds the first guess before and the
    /// solution after.
    ///
    /// The equations may be evaluated any number of times, the last time not at the solution: what
    /// else depends on the unknowns is computed from them afterwards. They are evaluated with the
    /// same instructions each time (a recording evaluates them once). Where the plan knows them as affine, one update is made.
    fn newton(&mut self, site: Site, unknowns: &mut [S], equations: &mut Equations<'_, S>) -> Result<(), Failure>;

    /// The same for equations the sizes of whose terms are known: an update that is bound to leave less than their rounding
    /// is the last.
    fn newton_of_terms(
        &mut self,
        site: Site,
        unknowns: &mut [S],
        _terms: &[S],
        equations: &mut Equations<'_, S>,
    ) -> Result<(), Failure> {
        self.newton(site, unknowns, equations)
    }

    /// Iterates a contraction to its fixed point; `unknowns` holds the first guess before.
    fn fixed_point(&mut self, site: Site, unknowns: &mut [S], map: &mut Map<'_, S>) -> Result<(), Failure>;

    /// The same where the map may not contract: after so many iterations as [`patience`] says, or where F has no value, it goes the other
    /// way. `pause` counts the steps that go that way without trying; it is remembered from step to step, and set to
    /// [`PAUSE`] after a trial in vain.
    fn contract(
        &mut self,
        site: Site,
        unknowns: &mut [S],
        pause: &mut S,
        equations: &mut dyn Contraction<S>,
    ) -> Result<(), Failure>;

    /// Requires that equations hold: that each residual is explained by the rounding of its terms, whose sizes are
    /// given (see [`unsatisfied`](crate::unsatisfied)). Whatever an iteration thinks of its own arrival, a step
    /// that has no solution fails here.
    fn require(&mut self, kind: Kind, residual: &[S], magnitude: &[S]) -> Result<(), Failure>;

    /// From now on affine equations are iterated like any others, until round-off is all that is left, or again solved once;
    /// false if there are none, or none that can be iterated. For a step that one update left short of what it requires.
    fn refine(&mut self, _on: bool) -> bool {
        false
    }

    /// A number, to branch on; an infinity or NaN is a failure. A step that asks cannot be recorded.
    fn value(&mut self, x: S) -> Result<f64, Failure>;
}
