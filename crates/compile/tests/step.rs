//! One source of a step: run, differentiated, recorded, compiled. RATTLE for unit masses on the
//! pendulum and a short chain, from their texts.

#[path = "common/rattle.rs"]
mod rattle;

use cotangent_compile::record::{Recorder, Traced};
use cotangent_compile::{Engine, Numeric, Step};
use cotangent_dynamics::Machine;
use cotangent_scalar::{Dual, Scalar};
use rattle::{Mechanism, recorded};

const PENDULUM: &str = include_str!("../../../models/pendulum.cot");
const CHAIN: &str = include_str!("../../../models/chain.cot");

/// The mechanism, its initial state and the sign of its energy gradient.
fn cases() -> Vec<(Mechanism, Vec<f64>, f64)> {
    let (p, z) = Mechanism::new(PENDULUM, None);
    let (c, y) = Mechanism::new(CHAIN, Some(3));
    vec![(p, z, -1.0), (c, y, 1.0)]
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

#[test]
fn a_state_that_is_not_finite_is_never_kept() {
    let recording = Recorder::record(1, 1, |_, z, out| {
        out[0] = z[0] * z[0];
        Ok(())
    });
    for engine in [Engine::Best, Engine::Tape] {
        let step = Step::new(recording.clone().unwrap(), engine).unwrap();
        let mut z = [2.0];
        let (done, failure) = step.advance(&mut z, &[], 100, &mut step.workspace().unwrap()).unwrap_err();
        assert_eq!((done, z[0]), (9, 2f64.powi(512)), "{failure}");
    }
}

#[test]
fn a_root_at_which_the_jacobian_is_infinite_is_no_root_for_either_engine() {
    let recording = Recorder::record(1, 1, |machine, z, out| {
        let mut u = [z[0]];
        machine.newton(&mut u, &mut |u, r, j| {
            r[0] = u[0].sqrt();
            j[0] = Traced::from_f64(0.5) / u[0].sqrt();
        })?;
        out[0] = u[0];
        Ok(())
    });
    for engine in [Engine::Best, Engine::Tape] {
        let step = Step::new(recording.clone().unwrap(), engine).unwrap();
        assert!(step.advance(&mut [0.0], &[], 1, &mut step.workspace().unwrap()).is_err());
    }
}

#[test]
fn a_value_of_an_iterate_cannot_leave_its_iteration() {
    let recording = Recorder::record(1, 1, |machine, z, out| {
        let mut inside = z[0];
        machine.newton(&mut [z[0]], &mut |u, r, j| {
            inside = u[0] * u[0];
            r[0] = inside - z[0];
            j[0] = u[0] + u[0];
        })?;
        out[0] = inside;
        Ok(())
    });
    assert!(recording.unwrap_err().to_string().contains("inside an iteration"));
}
