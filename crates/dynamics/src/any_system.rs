//! Systems that are written in Rust, once for any arithmetic.

use crate::family::Family;
use crate::system::Dynamics;
use cotangent_scalar::Scalar;

/// A system, given once for any arithmetic: the same source is run in `f64`, differentiated with dual numbers and
/// run in double-double arithmetic, as certificates do.
///
/// Of a Hamiltonian with constraints it follows by differentiation: see [`Mechanics`](crate::Mechanics).
pub trait AnySystem {
    /// The equations in the arithmetic `S`.
    fn view<'s, S: Scalar + 's>(&'s self) -> Box<dyn Dynamics<'s, S> + 's>;

    /// The energy at a state.
    fn energy<S: Scalar>(&self, state: &[S]) -> S;

    /// Whether ż = J ∇H, with J the canonical matrix: whether a symplectic method may be asked to be one.
    fn is_canonical(&self) -> bool;

    /// What the variables are called.
    fn names(&self) -> Vec<Family>;
}
