//! One source of a step: run, differentiated, recorded, compiled. RATTLE for unit masses on the
//! pendulum and a short chain, from their texts.

use cotangent_compile::record::Recorder;
use cotangent_compile::{Engine, Function, FunctionBuilder, Numeric, Step, values};
use cotangent_dynamics::{Failure, Machine};
use cotangent_model::{ConstraintKind, Options, System};
use cotangent_scalar::{Dual, Scalar};

/// What this step asks of a system: the force −∂V/∂q, the constraints and their Jacobian.
struct Mechanism {
    function: Function,
    parameters: Vec<f64>,
    n: usize,
    m: usize,
}

impl Mechanism {
    fn new(text: &str, links: Option<i64>) -> (Mechanism, Vec<f64>) {
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
    fn evaluate<S: Scalar>(&self, q: &[S]) -> (Vec<S>, Vec<S>, Vec<S>) {
        let zero = S::from_f64(0.0);
        let (mut f, mut phi, mut g) = (vec![zero; self.n], vec![zero; self.m], vec![zero; self.n * self.m]);
        let parameters: Vec<S> = self.parameters.iter().map(|&p| S::from_f64(p)).collect();
        let inputs: [&[S]; 3] = [q, &vec![zero; self.n], &parameters];
        assert!(self.function.inline(&inputs, &mut [&mut f, &mut phi, &mut g]).unwrap());
        (f, phi, g)
    }

    /// One step of RATTLE with unit masses; `sign` is −1 for a Hamiltonian, +1 for a Lagrangian.
    fn rattle<S: Scalar>(
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

const PENDULUM: &str = include_str!("../../../models/pendulum.cot");
const CHAIN: &str = include_str!("../../../models/chain.cot");

/// The mechanism, its initial state and the sign of its energy gradient.
fn cases() -> Vec<(Mechanism, Vec<f64>, f64)> {
    let (p, z) = Mechanism::new(PENDULUM, None);
    let (c, y) = Mechanism::new(CHAIN, Some(3));
    vec![(p, z, -1.0), (c, y, 1.0)]
}

fn recorded(mechanism: &Mechanism, sign: f64, engine: Engine) -> Step {
    let n = 2 * mechanism.n;
    let recording = Recorder::record(n + 1, n, |machine, inputs, out| {
        let (z, h) = inputs.split_at(n);
        mechanism.rattle(machine, sign, h[0], z, out)
    });
    Step::new(recording.unwrap(), engine).unwrap()
}

#[test]
fn recorded_replayed_and_native_steps_equal_the_direct_run_bit_for_bit() {
    for (mechanism, start, sign) in cases() {
        let (native, tape) = (recorded(&mechanism, sign, Engine::Best), recorded(&mechanism, sign, Engine::Tape));
        let (mut a, mut b, mut c) = (start.clone(), start.clone(), start.clone());
        let (mut wa, mut wb) = (native.workspace().unwrap(), tape.workspace().unwrap());
        let mut machine = Numeric::new();
        for _ in 0..40 {
            native.advance(&mut a, &[0.01], 50, &mut wa).unwrap();
            tape.advance(&mut b, &[0.01], 50, &mut wb).unwrap();
            for _ in 0..50 {
                let mut out = c.clone();
                machine.begin();
                mechanism.rattle(&mut machine, sign, 0.01, &c, &mut out).unwrap();
                c = out;
            }
            assert_eq!(a, b);
            assert_eq!(a, c);
        }
        let (_, phi, _) = mechanism.evaluate(&a[..mechanism.n]);
        assert!(phi.iter().all(|r: &f64| r.abs() < 4e-15), "{phi:?}");
        assert!(a != start);
        // Native code makes nearly all of the steps itself.
        assert!(!cfg!(feature = "jit") || wa.replayed < 20, "{} steps replayed", wa.replayed);
    }
}

#[test]
fn dual_numbers_through_the_whole_step_certify_that_it_is_symplectic() {
    // On the tangent space of the constraint manifold, DᵀJD = J: ω(Du, Dv) = ω(u, v).
    for (mechanism, start, sign) in cases() {
        let n = mechanism.n;
        // A generic state on the manifold: some steps from the start.
        let step = recorded(&mechanism, sign, Engine::Best);
        let mut z = start;
        step.advance(&mut z, &[0.02], 37, &mut step.workspace().unwrap()).unwrap();
        let tangents = tangent_vectors(&mechanism, &z);
        assert!(tangents.len() >= 2);
        let pushed: Vec<Vec<f64>> = tangents
            .iter()
            .map(|t| {
                let seeded: Vec<Dual<f64>> = z.iter().zip(t).map(|(&value, &d)| Dual { value, tangent: [d] }).collect();
                let mut out = seeded.clone();
                mechanism.rattle(&mut Numeric::new(), sign, Dual::from_f64(0.1), &seeded, &mut out).unwrap();
                out.iter().map(|d| d.tangent[0]).collect()
            })
            .collect();
        let omega = |u: &[f64], v: &[f64]| -> f64 { (0..n).map(|j| u[j] * v[n + j] - u[n + j] * v[j]).sum() };
        let mut largest = 0.0f64;
        for i in 0..tangents.len() {
            for k in 0..tangents.len() {
                let (before, after) = (omega(&tangents[i], &tangents[k]), omega(&pushed[i], &pushed[k]));
                assert!((before - after).abs() < 1e-12, "{before} became {after}");
                largest = largest.max(before.abs());
            }
        }
        assert!(largest > 0.1, "the form is not zero on these vectors");
    }
}

/// Vectors tangent to φ = 0, Gp = 0 (unit masses) at z, by projecting unit vectors: (δq, δp) with
/// G δq = 0 and G δp + δq·∇(Gp) = 0.
fn tangent_vectors(mechanism: &Mechanism, z: &[f64]) -> Vec<Vec<f64>> {
    let (n, m) = (mechanism.n, mechanism.m);
    let (q, p) = z.split_at(n);
    let (_, _, g) = mechanism.evaluate(q);
    // Rows of the full constraint Jacobian, the derivative of Gp by dual numbers.
    let mut rows: Vec<Vec<f64>> = vec![];
    for i in 0..m {
        rows.push([&g[i * n..(i + 1) * n], &vec![0.0; n]].concat());
    }
    let mut hidden = vec![vec![0.0; 2 * n]; m];
    for j in 0..n {
        let seeded: Vec<Dual<f64>> = (0..n).map(|k| Dual { value: q[k], tangent: [(k == j) as u8 as f64] }).collect();
        let (_, _, dual) = mechanism.evaluate(&seeded);
        for i in 0..m {
            hidden[i][j] = (0..n).map(|k| dual[i * n + k].tangent[0] * p[k]).sum();
            hidden[i][n + j] = g[i * n + j];
        }
    }
    rows.extend(hidden);
    // Gram–Schmidt on the rows, then on what is left of the unit vectors.
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut basis: Vec<Vec<f64>> = vec![];
    let reduce = |mut v: Vec<f64>, basis: &mut Vec<Vec<f64>>| -> bool {
        for _ in 0..2 {
            for b in basis.iter() {
                let c = dot(&v, b);
                v.iter_mut().zip(b).for_each(|(v, b)| *v -= c * b);
            }
        }
        let size = dot(&v, &v).sqrt();
        if size < 1e-6 {
            return false;
        }
        basis.push(v.iter().map(|v| v / size).collect());
        true
    };
    for row in rows {
        assert!(reduce(row, &mut basis));
    }
    let constraints = basis.len();
    for k in 0..2 * n {
        reduce((0..2 * n).map(|j| (j == k) as u8 as f64).collect(), &mut basis);
    }
    basis.split_off(constraints)
}

#[test]
fn a_step_that_cannot_be_made_leaves_the_state_and_says_why() {
    for (mechanism, start, sign) in cases() {
        for engine in [Engine::Best, Engine::Tape] {
            let step = recorded(&mechanism, sign, engine);
            let mut z = start.clone();
            // So large a step overshoots: no multiplier brings the end back onto the constraint.
            let (done, failure) = step.advance(&mut z, &[50.0], 10, &mut step.workspace().unwrap()).unwrap_err();
            assert_eq!((done, &z), (0, &start), "{failure}");
        }
    }
}
