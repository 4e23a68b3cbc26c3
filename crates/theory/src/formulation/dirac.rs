//! Dirac's Hamiltonian H_T = H + μᵀφ + ηᵀψ as a Hamiltonian system on the whole phase space.
//!
//! With Q η = −ψ + αφ and Q μ = c + Sη, both functions of the state that are differentiated with
//! the rest. The residuals of one constraint obey φ̇ ≈ aφ − ψ, ψ̇ ≈ bφ: for the pendulum a centre.
//! α is free, as φ = 0 on the manifold (Leimkuhler & Reich, §3.2); it moves the eigenvalues.
//! (Leimkuhler & Reich, Math. Comp. 63 (1994), eqs. (16)–(17).)

use super::algebra::{flow, pairing, times};
use super::auxiliary::{Equations, per_constraint};
use crate::error::TheoryError;
use crate::structure::{Structure, minus};
use cotangent_expr::{Expr, solve};

pub(super) fn equations(s: &Structure, alpha: &Expr) -> Result<Equations, TheoryError> {
    if s.constraints.shape()[0].is_empty() {
        return Ok(flow(s, &s.hamiltonian)?.into());
    }
    let eta = solve("eta", &s.gram, &minus(&s.hidden).plus(&s.constraints.times(alpha))?)?;
    let mu = solve("mu", &s.gram, &s.drift.plus(&times(&s.twist, &eta)?)?)?;
    let total = s.hamiltonian.plus(&pairing(&mu, &s.constraints)?)?.plus(&pairing(&eta, &s.hidden)?)?;
    Ok(Equations::from(flow(s, &total)?).with(per_constraint(s, "eta", &eta)?))
}
