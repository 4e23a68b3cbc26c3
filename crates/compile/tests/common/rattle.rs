//! RATTLE for unit masses as a generic step, on systems from text: a step to record.

#![allow(dead_code, unreachable_pub)]

use cotangent_compile::record::Recorder;
use cotangent_compile::{Engine, Function, FunctionBuilder, Step, values};
use cotangent_dynamics::{Failure, Machine};
use cotangent_model::{ConstraintKind, Options, System};
use cotangent_scalar::Scalar;

/// What this step asks of a system: the force −∂V/∂q, the constraints and their Jacobian.
pub struct Mechanism {
    function: Function,
    parameters: Vec<f64>,
    pub n: usize,
    pub m: usize,
}

impl Mechanism {
    pub fn new(text: &str, links: Option<i64>) -> (Mechanism, Vec<f64>) {
        let options = Options { integers: links.map(|n| ("n".to_string(), n)).into_iter().collect() };
        let system = System::parse_with(text, &options).unwrap();
        let q = system.dynamics.variables();
        let phi = system.residuals(&[ConstraintKind::Holonomic]);
        let energy = system.dynamics.energy();
        let gradient = energy.gradient(q).unwrap();
        let rates = system.dynamics.velocities().or(system.dynamics.momenta()).unwrap();
        let function = FunctionBuilder::new()
            .input(q)
            .input(rates)
            .input(&system.parameter_layout())
            .output(&gradient)
            .output(&phi)
            .output(&phi.jacobian(q).unwrap())
            .compile()
            .unwrap();
        let parameters = values::parameters(&system, &[]).unwrap();
        let start = values::initial(&system, &parameters, &[]).unwrap();
        let rates = match start.rates {
            values::Rates::Momenta(p) | values::Rates::Velocities(p) => p,
            values::Rates::None => vec![],
        };
        let (n, m) = (q.len(), phi.shape()[0].len());
        (Mechanism { function, parameters, n, m }, [start.coordinates, rates].concat())
    }

    /// (∂V/∂q or −∂V/∂q as the text's sign is, φ, G) at q.
    pub fn evaluate<S: Scalar>(&self, q: &[S]) -> (Vec<S>, Vec<S>, Vec<S>) {
        let zero = S::from_f64(0.0);
        let (mut f, mut phi, mut g) = (vec![zero; self.n], vec![zero; self.m], vec![zero; self.n * self.m]);
        let parameters: Vec<S> = self.parameters.iter().map(|&p| S::from_f64(p)).collect();
        let inputs: [&[S]; 3] = [q, &vec![zero; self.n], &parameters];
        assert!(self.function.inline(&inputs, &mut [&mut f, &mut phi, &mut g]).unwrap());
        (f, phi, g)
    }

    /// One step of RATTLE with unit masses; `sign` is −1 for a Hamiltonian, +1 for a Lagrangian.
    pub fn rattle<S: Scalar>(
        &self,
        machine: &mut dyn Machine<S>,
        sign: f64,
        h: S,
        z: &[S],
        out: &mut [S],
    ) -> Result<(), Failure> {
        let (n, m) = (self.n, self.m);
        let (q, p) = z.split_at(n);
        let half = h * S::from_f64(0.5) * S::from_f64(sign);
        let (f, _, a) = self.evaluate(q);
        let kicked: Vec<S> = (0..n).map(|j| p[j] + half * f[j]).collect();
        let moved = |lambda: &[S]| -> (Vec<S>, Vec<S>) {
            let p: Vec<S> = (0..n).map(|j| (0..m).fold(kicked[j], |p, i| p - a[i * n + j] * lambda[i])).collect();
            let q = (0..n).map(|j| q[j] + h * p[j]).collect();
            (q, p)
        };
        let mut lambda = vec![S::from_f64(0.0); m];
        machine.newton(&mut lambda, &mut |lambda, r, jacobian| {
            let (_, phi, b) = self.evaluate(&moved(lambda).0);
            r.copy_from_slice(&phi);
            for i in 0..m {
                for k in 0..m {
                    let dot = (0..n).fold(S::from_f64(0.0), |s, j| s + b[i * n + j] * a[k * n + j]);
                    jacobian[i * m + k] = -(h * dot);
                }
            }
        })?;
        let (q1, p1) = moved(&lambda);
        let (f, _, b) = self.evaluate(&q1);
        let p1: Vec<S> = (0..n).map(|j| p1[j] + half * f[j]).collect();
        let mut mu = vec![S::from_f64(0.0); m];
        machine.newton(&mut mu, &mut |mu, r, jacobian| {
            for i in 0..m {
                r[i] = (0..n).fold(S::from_f64(0.0), |s, j| {
                    s + b[i * n + j] * (0..m).fold(p1[j], |p, k| p - b[k * n + j] * mu[k])
                });
                for k in 0..m {
                    jacobian[i * m + k] = -(0..n).fold(S::from_f64(0.0), |s, j| s + b[i * n + j] * b[k * n + j]);
                }
            }
        })?;
        for j in 0..n {
            out[j] = q1[j];
            out[n + j] = (0..m).fold(p1[j], |p, i| p - b[i * n + j] * mu[i]);
        }
        Ok(())
    }
}

/// The step as a recording, ready to run.
pub fn recorded(mechanism: &Mechanism, sign: f64, engine: Engine) -> Step {
    let n = 2 * mechanism.n;
    let recording = Recorder::record(n + 1, n, |machine, inputs, out| {
        let (z, h) = inputs.split_at(n);
        mechanism.rattle(machine, sign, h[0], z, out)
    });
    Step::new(recording.unwrap(), engine).unwrap()
}
