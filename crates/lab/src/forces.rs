//! What moves the state of a model.

use cotangent_dynamics::{Canonical, Failure};

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
