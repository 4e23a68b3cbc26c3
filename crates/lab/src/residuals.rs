//! The constraints and their time derivatives as functions of the state of the model, and what moves it.

use cotangent_dynamics::{Canonical, Failure, Misuse};
use cotangent_scalar::Scalar;

/// r = (φ, ψ) at (q, p), with ψ = G H_p.
pub(crate) fn residuals<S: Scalar>(manifold: &mut dyn Canonical<S>, z: &[S]) -> Result<Vec<S>, Failure> {
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

/// What moves less, compared with what it would be like, is at rest: rounding, which grows for a while.
pub(crate) const MOVES: f64 = 1e4 * f64::EPSILON;

/// The largest ∂H/∂q in some states, and the largest change of a velocity ∂H/∂p in the first with a momentum of 1.
pub(crate) fn forces(manifold: &mut dyn Canonical<f64>, states: &[Vec<f64>]) -> Result<[f64; 2], Failure> {
    let [mut force, mut mobility] = [0.0f64; 2];
    for (k, state) in states.iter().enumerate() {
        let (q, p) = state.split_at(state.len() / 2);
        let mut rates = vec![0.0; q.len()];
        manifold.hamiltonian_q(q, p, &mut rates)?;
        force = rates.iter().fold(force, |m, f| m.max(f.abs()));
        if k > 0 {
            continue;
        }
        manifold.hamiltonian_p(q, p, &mut rates)?;
        for i in 0..p.len() {
            let (mut moved, mut velocities) = (p.to_vec(), rates.clone());
            moved[i] += 1.0;
            manifold.hamiltonian_p(q, &moved, &mut velocities)?;
            mobility = velocities.iter().zip(&rates).fold(mobility, |m, (a, b)| m.max((a - b).abs()));
        }
    }
    Ok([force, mobility])
}

/// The momentum that a force makes in a time, or that moves something as far as a distance.
pub(crate) fn momentum([force, mobility]: [f64; 2], distance: f64, time: f64) -> f64 {
    let moving = if mobility > 0.0 && time > 0.0 { distance / (time * mobility) } else { 0.0 };
    moving.max(force * time)
}
