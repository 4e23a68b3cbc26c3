//! The constraints and their time derivatives as functions of the state.

use cotangent_dynamics::{Canonical, Failure, Misuse};
use cotangent_scalar::Scalar;

/// r = (φ, ψ) at (q, p), with ψ = G H_p.
pub fn residuals<S: Scalar>(manifold: &mut dyn Canonical<S>, z: &[S]) -> Result<Vec<S>, Failure> {
    let zero = S::from_f64(0.0);
    let shape = manifold.shape().clone();
    let Some((q, p)) = z.split_at_checked(shape.coordinates).filter(|(q, p)| q.len() == p.len()) else {
        return Err(Misuse::NotCanonical.into());
    };
    let mut out = vec![zero; 2 * shape.constraints];
    let (phi, psi) = out.split_at_mut(shape.constraints);
    manifold.constraints(q, phi)?;
    let (mut g, mut velocity) = (vec![zero; shape.jacobian.len()], vec![zero; shape.coordinates]);
    manifold.jacobian(q, &mut g)?;
    manifold.hamiltonian_p(q, p, &mut velocity)?;
    for ((row, column), g) in shape.jacobian.addresses().zip(g) {
        psi[row as usize] = psi[row as usize] + g * velocity[column as usize];
    }
    Ok(out)
}
