//! Every shipped model: engines agree, families equal their expanded form, derivatives equal those
//! of dual numbers through the tape.

use cotangent_compile::{Engine, Function, FunctionBuilder, values};
use cotangent_expr::{Layout, Tensor};
use cotangent_model::{Dynamics, System};
use cotangent_scalar::{Dd, Dual, Real, Scalar};
use std::path::PathBuf;

fn models() -> Vec<(String, System)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut all: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    all.retain(|p| p.extension().is_some_and(|e| e == "cot"));
    all.sort();
    assert!(all.len() >= 17);
    let read = |p: &PathBuf| {
        let name = p.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(p).unwrap();
        (name.clone(), System::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}")))
    };
    all.iter().map(read).collect()
}

/// Everything a later stage differentiates: scalars and vectors with the layout they depend on.
fn tensors(s: &System) -> (Layout, Vec<Tensor>) {
    let mut by = s.dynamics.variables().clone();
    for more in [s.dynamics.velocities(), s.dynamics.momenta()].into_iter().flatten() {
        by = by.then(more);
    }
    let mut all = vec![s.dynamics.energy().clone()];
    all.extend(s.constraints.iter().chain(&s.gauges).map(|c| c.residual.clone()));
    all.extend(s.claims.iter().map(|c| c.quantity.value.clone()));
    all.extend(s.observables.iter().chain(&s.splits).map(|q| q.value.clone()));
    if let Dynamics::Poisson { bracket, .. } | Dynamics::Form { form: bracket, .. } = &s.dynamics {
        all.push(bracket.clone());
    }
    (by, all)
}

/// A generic point: the initial values, moved a little.
fn point(s: &System, by: &Layout, parameters: &[f64]) -> Vec<f64> {
    let start = values::initial(s, parameters, &[]).unwrap();
    let mut z = start.coordinates;
    z.resize(by.len(), 0.3);
    z.iter().enumerate().map(|(k, v)| v + 0.05 * (1.0 + k as f64).sin()).collect()
}

fn build(s: &System, by: &Layout, tensors: &[Tensor], engine: Engine) -> Vec<Function> {
    let one =
        |t: &Tensor| FunctionBuilder::new().input(by).input(&s.parameter_layout()).output(t).engine(engine).compile();
    tensors.iter().map(|t| one(t).unwrap()).collect()
}

fn run<S: Real>(f: &Function, z: &[S], p: &[S]) -> Vec<S> {
    let mut out = vec![S::from_f64(0.0); f.program().outputs[0]];
    f.call_in(&[z, p], &mut [&mut out], &mut f.workspace_in::<S>().unwrap()).unwrap();
    out
}

#[test]
fn native_code_equals_the_tape_on_every_model() {
    for (name, s) in models() {
        let (by, values_) = tensors(&s);
        let derivatives: Vec<Tensor> =
            values_.iter().filter(|t| t.rank() < 2).map(|t| t.jacobian(&by).unwrap()).collect();
        let all = [values_, derivatives, vec![s.dynamics.energy().hessian(&by).unwrap()]].concat();
        let p = values::parameters(&s, &[]).unwrap();
        let z = point(&s, &by, &p);
        for (k, f) in build(&s, &by, &all, Engine::Best).iter().enumerate() {
            assert_eq!(f.is_native(), cfg!(feature = "jit"));
            let mut native = vec![0.0; f.program().outputs[0]];
            f.call(&[&z, &p], &mut [&mut native], &mut f.workspace()).unwrap();
            let tape: Vec<f64> = run(f, &z, &p);
            assert!(native.iter().zip(&tape).all(|(a, b)| a.to_bits() == b.to_bits()), "{name}, tensor {k}");
            assert!(native.iter().all(|v| v.is_finite()), "{name}, tensor {k}: {native:?}");
        }
    }
}

#[test]
fn families_equal_their_expanded_form_on_every_model() {
    for (name, s) in models() {
        let (by, values_) = tensors(&s);
        let derivatives: Vec<Tensor> =
            values_.iter().filter(|t| t.rank() < 2).map(|t| t.jacobian(&by).unwrap()).collect();
        let second = vec![s.dynamics.energy().hessian(&by).unwrap()];
        let all = [values_, derivatives, second].concat();
        // Derivatives of the expanded form are taken after expanding.
        let plain: Vec<Tensor> = tensors(&s).1.iter().map(|t| t.expand().unwrap()).collect();
        let plain_derivatives: Vec<Tensor> =
            plain.iter().filter(|t| t.rank() < 2).map(|t| t.jacobian(&by).unwrap()).collect();
        let plain_second = vec![plain[0].gradient(&by).unwrap().jacobian(&by).unwrap()];
        let expanded = [plain, plain_derivatives, plain_second].concat();
        let p = values::parameters(&s, &[]).unwrap();
        let z = point(&s, &by, &p);
        let (z, p): (Vec<Dd>, Vec<Dd>) =
            (z.iter().map(|&v| Dd::from(v)).collect(), p.iter().map(|&v| Dd::from(v)).collect());
        let (a, b) = (build(&s, &by, &all, Engine::Tape), build(&s, &by, &expanded, Engine::Tape));
        for (k, (f, g)) in a.iter().zip(&b).enumerate() {
            for (u, v) in run(f, &z, &p).into_iter().zip(run(g, &z, &p)) {
                let error = (u - v).value().abs();
                assert!(
                    error <= 1e-27 * v.value().abs().max(1.0),
                    "{name}, tensor {k}: {} and {}",
                    u.value(),
                    v.value()
                );
            }
        }
    }
}

#[test]
fn derivatives_equal_dual_numbers_on_every_model() {
    for (name, s) in models() {
        let (by, values_) = tensors(&s);
        let p = values::parameters(&s, &[]).unwrap();
        let z = point(&s, &by, &p);
        let direction: Vec<f64> = (0..z.len()).map(|k| (2.0 + 3.0 * k as f64).cos()).collect();
        for (k, t) in values_.iter().filter(|t| t.rank() < 2).enumerate() {
            let derivative = t.jacobian(&by).unwrap();
            let (f, d) = (
                &build(&s, &by, std::slice::from_ref(t), Engine::Tape)[0],
                &build(&s, &by, &[derivative], Engine::Tape)[0],
            );
            let seeded: Vec<Dual<Dd>> =
                z.iter().zip(&direction).map(|(&v, &d)| Dual { value: Dd::from(v), tangent: [Dd::from(d)] }).collect();
            let parameters: Vec<Dual<Dd>> = p.iter().map(|&v| Dual::from_f64(v)).collect();
            let wanted: Vec<Dd> = run(f, &seeded, &parameters).iter().map(|v| v.tangent[0]).collect();
            let (z, p): (Vec<Dd>, Vec<Dd>) =
                (z.iter().map(|&v| Dd::from(v)).collect(), p.iter().map(|&v| Dd::from(v)).collect());
            let rows = run(d, &z, &p);
            for (row, wanted) in rows.chunks(by.len()).zip(wanted) {
                let found = row.iter().zip(&direction).fold(Dd::from(0.0), |sum, (&a, &b)| sum + a * Dd::from(b));
                let scale = row.iter().map(|v| v.value().abs()).fold(1.0, f64::max);
                assert!((found - wanted).value().abs() < 1e-26 * scale, "{name}, tensor {k}");
            }
        }
    }
}

#[test]
fn shipped_initial_data_satisfy_their_constraints() {
    for (name, s) in models() {
        let p = values::parameters(&s, &[]).unwrap();
        let start = values::initial(&s, &p, &[]).unwrap();
        for r in values::constraint_residuals(&s, &p, &start).unwrap() {
            assert!(r.value.abs() < 1e-14, "{name}: {} = {}", r.name, r.value);
        }
        for r in values::hidden_residuals(&s, &p, &start).unwrap().into_iter().flatten() {
            assert!(r.value.abs() < 1e-14, "{name}: d/dt {} = {}", r.name, r.value);
        }
        if let Some(defect) = values::split_defect(&s, &p).unwrap() {
            assert!(defect < 1e-14, "{name}: the parts differ from the whole by {defect}");
        }
    }
}
