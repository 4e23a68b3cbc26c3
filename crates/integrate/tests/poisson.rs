//! ż = B(z)∇H(z), given by its bracket alone: methods that know no brackets take it for a vector field.
//!
//! The free rigid body, ṁ = m × ω with ω = ∇H and H = ½ Σ mᵢ²/Iᵢ; |m|² is a Casimir.

use cotangent_dynamics::{Canonical, Dynamics, Failure, Field, Numeric, Poisson, PoissonShape, State, Stepper};
use cotangent_integrate::{Method, Prepared};
use cotangent_scalar::{Real, Scalar};
use cotangent_solve::{NewtonOptions, Pattern};

/// 1/I.
#[derive(Clone, Copy)]
struct RigidBody([f64; 3]);

struct Evaluator {
    inverse: [f64; 3],
    shape: PoissonShape,
}

/// Rows of the matrix of v ↦ m × v, without the diagonal.
fn cross<S: Scalar>([x, y, z]: [S; 3], out: &mut [S]) {
    out.copy_from_slice(&[-z, y, z, -x, -y, x]);
}

impl<S: Scalar> Poisson<S> for Evaluator {
    fn shape(&self) -> &PoissonShape {
        &self.shape
    }

    fn tensor(&mut self, m: &[S], out: &mut [S]) -> Result<(), Failure> {
        cross([m[0], m[1], m[2]], out);
        Ok(())
    }

    fn tensor_along(&mut self, _: &[S], v: &[S], out: &mut [S]) -> Result<(), Failure> {
        // m × v = −v × m.
        cross([-v[0], -v[1], -v[2]], out);
        Ok(())
    }

    fn gradient(&mut self, m: &[S], out: &mut [S]) -> Result<(), Failure> {
        (0..3).for_each(|k| out[k] = S::from_f64(self.inverse[k]) * m[k]);
        Ok(())
    }

    fn hessian(&mut self, _: &[S], out: &mut [S]) -> Result<(), Failure> {
        (0..3).for_each(|k| out[k] = S::from_f64(self.inverse[k]));
        Ok(())
    }

    fn casimirs(&mut self, m: &[S], out: &mut [S]) -> Result<(), Failure> {
        out[0] = m[0] * m[0] + m[1] * m[1] + m[2] * m[2];
        Ok(())
    }
}

impl<'s, S: Scalar + 's> Dynamics<'s, S> for RigidBody {
    fn canonical(&self) -> Result<Option<Box<dyn Canonical<S> + 's>>, Failure> {
        Ok(None)
    }

    fn field(&self) -> Result<Option<Box<dyn Field<S> + 's>>, Failure> {
        Ok(None)
    }

    fn manifold(&self) -> Result<Option<Box<dyn Canonical<S> + 's>>, Failure> {
        Ok(None)
    }

    fn poisson(&self) -> Result<Option<Box<dyn Poisson<S> + 's>>, Failure> {
        let pattern = |e: &[(u32, u32)]| Pattern::new(3, 3, e).map_err(Failure::of);
        let skew = pattern(&[(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)])?;
        let hessian = pattern(&[(0, 0), (1, 1), (2, 2)])?;
        let shape = PoissonShape { tensor: skew.clone(), tensor_along: skew, hessian, casimirs: 1, degree: Some(2) };
        Ok(Some(Box::new(Evaluator { inverse: self.0, shape })))
    }
}

fn walk<S: Real>(body: RigidBody, method: Method, start: [S; 3], (h, steps): (f64, u32)) -> Vec<S> {
    let prepared = Prepared::new(method, &body).unwrap();
    let mut stepper: Box<dyn Stepper<S>> = prepared.stepper(&body).unwrap();
    let mut machine = Numeric::new(prepared.plan(), NewtonOptions::default()).unwrap();
    let mut state = State::new(start.to_vec(), stepper.memory());
    let mut next = state.clone();
    for _ in 0..steps {
        stepper.step(&mut machine, S::from_f64(h), &state, &mut next).unwrap();
        std::mem::swap(&mut state, &mut next);
    }
    state.values
}

#[test]
fn every_method_for_vector_fields_has_its_order() {
    // I₁ = I₂: m₃ is constant, and the others turn by −m₃ (1/I₃ − 1/I₁) t.
    let body = RigidBody([0.5, 0.5, 1.25]);
    let start = [1.0, 0.25, 0.8];
    let angle: f64 = -start[2] * (1.25 - 0.5) * 2.0;
    let (sin, cos) = angle.sin_cos();
    let exact = [start[0] * cos - start[1] * sin, start[0] * sin + start[1] * cos, start[2]];
    let methods = [
        Method::Rk4,
        Method::Dopri5 { tolerance: None },
        Method::ImplicitMidpoint,
        Method::Gauss { stages: 2 },
        Method::Radau2A { stages: 2 },
    ];
    for method in methods {
        let error = |steps: u32| {
            let end = walk(body, method, start, (2.0 / f64::from(steps), steps));
            end.iter().zip(exact).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()))
        };
        let (coarse, fine) = (error(8), error(16));
        let order = (coarse / fine).log2();
        assert!((order - f64::from(method.card().order)).abs() < 0.25, "{method:?}: {order}, {coarse:e}");
    }
}

#[test]
fn a_method_that_keeps_quadratic_invariants_keeps_the_casimir_and_others_do_not() {
    let body = RigidBody([1.0, 0.5, 1.0 / 3.0]);
    let mut bracket: Box<dyn Poisson<f64>> = body.poisson().unwrap().unwrap();
    let start = [0.3, 1.1, -0.4];
    let mut casimir = |m: &[f64]| {
        let mut out = [0.0];
        bracket.casimirs(m, &mut out).unwrap();
        out[0]
    };
    let before = casimir(&start);
    let mut change = |method| (casimir(&walk(body, method, start, (0.2, 1000))) - before).abs();
    assert!(change(Method::ImplicitMidpoint) < 1e-14 && change(Method::Gauss { stages: 3 }) < 1e-14);
    assert!(change(Method::Rk4) > 1e-6);
}
