//! A system that is written in Rust, with a start: ready to be integrated, measured and certified.

use crate::prepare::Prepared;
use crate::projection::project;
use crate::propagator::Propagator;
use crate::recipe::Recipe;
use crate::refusal::Refusal;
use crate::residuals::residuals;
use cotangent_dynamics::{AnySystem, Canonical, Failure, Kept, Kind, Measure, Recorded, State, allowance, unsatisfied};
use cotangent_scalar::{Dual, Scalar};
use cotangent_solve::{NewtonOptions, StoppingRule};

/// A start whose residuals are larger than this part of their terms is none.
const CONSISTENT: f64 = 1e-8;

/// A law of motion with a start on its constraints.
///
/// ```
/// use cotangent_dynamics::{Advance, Mechanics};
/// use cotangent_integrate::{Handwritten, Method};
/// use cotangent_scalar::Scalar;
///
/// struct Oscillator;
/// impl Mechanics for Oscillator {
///     fn coordinates(&self) -> usize {
///         1
///     }
///     fn hamiltonian<S: Scalar>(&self, q: &[S], p: &[S]) -> S {
///         (q[0] * q[0] + p[0] * p[0]) / S::from_f64(2.0)
///     }
/// }
/// let system = Handwritten::new(Oscillator, vec![1.0, 0.0])?;
/// let mut gauss = system.integrator(&system.prepare(Method::Gauss { stages: 3 })?)?;
/// let mut state = gauss.state(system.start().to_vec());
/// gauss.advance(&mut state, 0.1, 10).map_err(|(_, failure)| failure)?;
/// assert!((state.values[0] - 1f64.cos()).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Handwritten<L> {
    law: L,
    start: Vec<f64>,
}

impl<L: AnySystem> Handwritten<L> {
    /// A law with a start, which is brought onto the constraints to round-off; one that is off them by more is refused.
    pub fn new(law: L, start: Vec<f64>) -> Result<Handwritten<L>, Failure> {
        let manifold = || Ok::<_, Failure>(law.view::<f64>().manifold()?.filter(|m| m.shape().constraints > 0));
        let mut state = State::new(start, 0);
        if let (Some(mut at), Some(onto)) = (manifold()?, manifold()?) {
            if let Some(failure) = inconsistent(at.as_mut(), &state.values)? {
                return Err(failure);
            }
            project(onto, &mut state)?;
        }
        let start = state.values;
        Ok(Handwritten { law, start })
    }

    /// The law.
    pub fn law(&self) -> &L {
        &self.law
    }

    /// The initial state.
    pub fn start(&self) -> &[f64] {
        &self.start
    }

    /// Plans a method for the system, or says why it does not fit.
    pub fn prepare(&self, recipe: impl Into<Recipe>) -> Result<Prepared, Refusal> {
        Prepared::new(recipe, &*self.law.view::<f64>())
    }

    /// The planned method, its equations solved to round-off.
    pub fn integrator(&self, prepared: &Prepared) -> Result<Propagator<'_>, Failure> {
        Propagator::new(prepared, self.newton()?, self.start.len(), || self.law.view())
    }

    /// How the equations of a step are solved: to round-off, which is seen from the terms of the constraints where
    /// multipliers vanish.
    pub fn newton(&self) -> Result<NewtonOptions, Failure> {
        let rule = StoppingRule::default();
        let mut scale = rule.scale;
        if let Some(mut manifold) = self.law.view::<f64>().manifold()? {
            let mut sizes = vec![0.0; manifold.shape().constraints];
            manifold.constraint_magnitudes(&self.start[..manifold.shape().coordinates], &mut sizes)?;
            scale = sizes.into_iter().filter(|s| s.is_finite()).fold(scale, f64::max);
        }
        Ok(NewtonOptions { stopping: StoppingRule { scale, ..rule }, ..NewtonOptions::default() })
    }

    /// What there is to measure on the way: energy, constraints, hidden constraints.
    pub fn quantities(&self) -> Result<Quantities<'_, L>, Failure> {
        let manifold = self.law.view::<f64>().manifold()?.filter(|m| m.shape().constraints > 0);
        Ok(Quantities { law: &self.law, manifold, kept: Kept::default() })
    }
}

/// Why a state is not on the constraints, or the hidden ones, if it is not.
fn inconsistent(manifold: &mut dyn Canonical<f64>, z: &[f64]) -> Result<Option<Failure>, Failure> {
    let residuals = residuals(manifold, z)?;
    let (n, m) = (manifold.shape().coordinates, manifold.shape().constraints);
    let (q, p) = z.split_at(n);
    let mut sizes = vec![0.0; m];
    manifold.constraint_magnitudes(q, &mut sizes)?;
    // Σⱼ |Gᵢⱼ| max |q̇|, as those of the constraints are Σⱼ |Gᵢⱼ| max |q|.
    let mut velocity = vec![0.0; n];
    manifold.hamiltonian_p(q, p, &mut velocity)?;
    let largest = |x: &[f64]| x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let ratio = largest(&velocity) / largest(q);
    let hidden: Vec<f64> = sizes.iter().map(|s| s * ratio).collect();
    let allowed = allowance(f64::EPSILON, Some(CONSISTENT));
    let (phi, psi) = residuals.split_at(m);
    let of = |kind, r: &[f64], s: Vec<f64>| unsatisfied(kind, r.iter().copied().zip(s), allowed);
    Ok(of(Kind::Constraint, phi, sizes).or_else(|| of(Kind::HiddenConstraint, psi, hidden)))
}

/// Measures energy, constraints and hidden constraints of a law.
pub struct Quantities<'s, L> {
    law: &'s L,
    manifold: Option<Box<dyn Canonical<f64> + 's>>,
    kept: Kept,
}

impl<L: AnySystem> Measure for Quantities<'_, L> {
    fn kept(&mut self, state: &[f64]) -> Result<&Kept, Failure> {
        self.kept.energy = self.law.energy(state);
        if let Some(manifold) = &mut self.manifold {
            self.kept.constraints = residuals(manifold.as_mut(), state)?;
            self.kept.hidden_constraints = self.kept.constraints.split_off(manifold.shape().constraints);
        }
        Ok(&self.kept)
    }

    fn last(&self) -> &Kept {
        &self.kept
    }

    /// |H| + Σᵢ |zᵢ ∂H/∂zᵢ|: for H = T + V, with T quadratic in the momenta, at least T + |V|.
    fn energy_magnitude(&mut self, state: &[f64]) -> Result<f64, Failure> {
        let mut z: Vec<Dual<f64>> = state.iter().map(|&z| Dual::from_f64(z)).collect();
        let mut sum = self.law.energy(state).abs();
        for k in 0..z.len() {
            z[k].tangent[0] = 1.0;
            sum += (state[k] * self.law.energy(&z).tangent[0]).abs();
            z[k].tangent[0] = 0.0;
        }
        Ok(sum)
    }

    fn names(&self) -> Recorded {
        Recorded { state: self.law.names(), ..Recorded::default() }
    }
}
