//! What the foundation costs, as ratios against plain code in the same run:
//!
//! ```text
//! cargo bench -p cotangent-compile --bench foundation
//! ```

#![allow(clippy::print_stdout)]

use cotangent_compile::{Engine, Function, FunctionBuilder, values};
use cotangent_expr::{Expr, Layout, Tensor, solve};
use cotangent_model::{ConstraintKind, Dynamics, Options, System};
use std::hint::black_box;
use std::time::Instant;

const PENDULUM: &str = include_str!("../../../models/pendulum.cot");
const CHAIN: &str = include_str!("../../../models/chain.cot");
const N_BODY: &str = include_str!("../../../models/n-body.cot");
const WATER: &str = include_str!("../../../models/water.cot");
const DOUBLE_PENDULUM: &str = include_str!("../../../models/double-pendulum.cot");

/// Nanoseconds per call, the best of several rounds.
fn time(mut f: impl FnMut()) -> f64 {
    let mut calls = 1u64;
    let mut best = f64::INFINITY;
    let begin = Instant::now();
    while begin.elapsed().as_secs_f64() < 0.6 {
        let t = Instant::now();
        for _ in 0..calls {
            f();
        }
        let seconds = t.elapsed().as_secs_f64();
        best = best.min(seconds / calls as f64 * 1e9);
        if seconds < 2e-3 {
            calls *= 2;
        }
    }
    best
}

/// q̇ = ∂H/∂p, ṗ = −∂H/∂q − Gᵀμ with Qμ = c, as expressions: nothing derived by hand.
fn underlying_equations(system: &System) -> Tensor {
    let Dynamics::Hamiltonian { coordinates, momenta, hamiltonian } = &system.dynamics else { unreachable!() };
    let phi = system.residuals(&[ConstraintKind::Holonomic]).unwrap();
    let (hq, hp) =
        (hamiltonian.gradient(coordinates).unwrap().entries(), hamiltonian.gradient(momenta).unwrap().entries());
    let matrix = |f: &[Expr], by: &Layout| -> Vec<Vec<Expr>> {
        f.iter().map(|e| Tensor::scalar(e.clone()).unwrap().gradient(by).unwrap().entries()).collect()
    };
    let dot = |a: &[Expr], b: &[Expr]| Expr::sum(a.iter().zip(b).map(|(a, b)| a * b));
    let g = matrix(&phi.entries(), coordinates);
    let psi: Vec<Expr> = g.iter().map(|row| dot(row, &hp)).collect();
    let (psi_q, psi_p) = (matrix(&psi, coordinates), matrix(&psi, momenta));
    let c: Vec<Expr> = psi_q.iter().zip(&psi_p).map(|(q, p)| dot(q, &hp) - dot(p, &hq)).collect();
    let q: Vec<Vec<Expr>> = g.iter().map(|row| psi_p.iter().map(|p| dot(row, p)).collect()).collect();
    let mu = solve("mu", &Tensor::matrix("row", q).unwrap(), &Tensor::vector("row", c).unwrap()).unwrap();
    let force = (0..hq.len()).map(|j| {
        let reaction = g.iter().enumerate().map(|(i, row)| &row[j] * mu.element(&[i as i64]));
        -(&hq[j] + Expr::sum(reaction))
    });
    Tensor::vector("rate", hp.iter().cloned().chain(force).collect()).unwrap()
}

#[inline(never)]
fn pendulum_by_hand(z: &[f64], parameters: &[f64], out: &mut [f64]) {
    let (z, out): (&[f64; 4], &mut [f64; 4]) = (z.try_into().unwrap(), out.try_into().unwrap());
    let [x, y, px, py] = *z;
    let g = parameters[0];
    let mu = (px * px + py * py - g * y) / (x * x + y * y);
    *out = [px, py, -mu * x, -g - mu * y];
}

fn pendulum() {
    let system = System::parse(PENDULUM).unwrap();
    let rate = underlying_equations(&system);
    let (state, parameters) = (system.state(), system.parameter_layout());
    let build = |engine| {
        FunctionBuilder::new().input(&state).input(&parameters).output(&rate).engine(engine).compile().unwrap()
    };
    let (native, tape) = (build(Engine::Best), build(Engine::Tape));
    let (z, p) = ([0.6, -0.8, 1.6, 1.2], [1.0]);
    let mut out = [0.0; 4];
    let mut expected = [0.0; 4];
    pendulum_by_hand(&z, &p, &mut expected);
    let hand = time(|| pendulum_by_hand(black_box(&z), black_box(&p), black_box(&mut out)));
    let mut run = |f: &Function| {
        let mut work = f.workspace();
        let ns = time(|| f.call(&[black_box(&z), black_box(&p)], &mut [black_box(&mut out)], &mut work).unwrap());
        assert!(out.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-15));
        ns
    };
    let (n, t) = (run(&native), run(&tape));
    println!("pendulum right-hand side, ns per call");
    println!("  hand-written Rust   {hand:8.2}");
    println!("  native              {n:8.2}   {:.2} × hand-written (bar: 1.6)", n / hand);
    println!("  tape                {t:8.2}   {:.1} × native", t / n);
}

fn gradient_against_value(name: &str, text: &str, n: Option<i64>) {
    let options = Options { integers: n.map(|n| ("n".to_string(), n)).into_iter().collect() };
    let system = System::parse_with(text, &options).unwrap();
    let p = values::parameters(&system, &[]).unwrap();
    let start = values::initial(&system, &p, &[]).unwrap();
    let energy = system.dynamics.energy();
    let second = system.dynamics.velocities().or(system.dynamics.momenta()).unwrap().clone();
    let q: Vec<f64> = start.coordinates.iter().enumerate().map(|(k, q)| q + 0.1 * (k as f64).sin()).collect();
    let v: Vec<f64> = (0..second.len()).map(|k| (k as f64).cos()).collect();
    let state = system.dynamics.variables().then(&second);
    let z: Vec<f64> = q.into_iter().chain(v).collect();
    let build = |t: &Tensor| {
        FunctionBuilder::new().input(&state).input(&system.parameter_layout()).output(t).compile().unwrap()
    };
    let run = |f: &Function| {
        let mut out = vec![0.0; f.program().outputs[0]];
        let mut work = f.workspace();
        time(|| f.call(&[black_box(&z), black_box(&p)], &mut [black_box(&mut out)], &mut work).unwrap())
    };
    let (value, gradient) = (run(&build(energy)), run(&build(&energy.gradient(&state).unwrap())));
    println!(
        "  {name:<28} value {value:10.1} ns   gradient {gradient:10.1} ns   {:.2} × value (bar: 5)",
        gradient / value
    );
}

/// From text to the first evaluation of energy gradient, constraints and sparse Jacobian.
fn first_evaluation(text: &str, n: Option<i64>) -> (f64, usize, usize, usize) {
    let begin = Instant::now();
    let options = Options { integers: n.map(|n| ("n".to_string(), n)).into_iter().collect() };
    let system = System::parse_with(text, &options).unwrap();
    let q = system.dynamics.variables();
    let second = system.dynamics.velocities().or(system.dynamics.momenta()).unwrap();
    let phi = system.residuals(&[ConstraintKind::Holonomic]).unwrap();
    let f = FunctionBuilder::new()
        .input(q)
        .input(second)
        .input(&system.parameter_layout())
        .output(&system.dynamics.energy().gradient(&q.then(second)).unwrap())
        .output(&phi)
        .sparse_output(&phi.jacobian(q).unwrap())
        .compile()
        .unwrap();
    let p = values::parameters(&system, &[]).unwrap();
    let start = values::initial(&system, &p, &[]).unwrap();
    let v = match &start.rates {
        values::Rates::Momenta(v) | values::Rates::Velocities(v) => v.clone(),
        values::Rates::None => vec![],
    };
    let mut out: Vec<Vec<f64>> = f.program().outputs.iter().map(|&n| vec![0.0; n]).collect();
    let mut slices: Vec<&mut [f64]> = out.iter_mut().map(Vec::as_mut_slice).collect();
    f.call(&[&start.coordinates, &v, &p], &mut slices, &mut f.workspace()).unwrap();
    let seconds = begin.elapsed().as_secs_f64();
    assert!(out[1].iter().all(|r| r.abs() < 1e-9), "the shipped initial data satisfy the constraints");
    (seconds, f.code_size().unwrap_or(0), f.program().len(), out[2].len())
}

fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kib| kib / 1024.0)
}

fn main() {
    pendulum();
    println!("energy gradient against energy");
    gradient_against_value("pendulum", PENDULUM, None);
    gradient_against_value("double pendulum", DOUBLE_PENDULUM, None);
    gradient_against_value("water", WATER, None);
    gradient_against_value("n-body", N_BODY, None);
    gradient_against_value("chain, n = 1000", CHAIN, Some(1000));
    println!("from text to the first compiled evaluation (energy gradient, constraints, sparse Jacobian)");
    let bars = [(PENDULUM, "pendulum", None, 5e-3), (CHAIN, "chain", Some(10), 0.5), (CHAIN, "chain", Some(1000), 0.5)];
    let more = [(CHAIN, "chain", Some(100_000), 10.0), (CHAIN, "chain", Some(1_000_000), f64::INFINITY)];
    for (text, name, n, bar) in bars.into_iter().chain(more) {
        let best = (0..if n.unwrap_or(0) < 10_000 { 5 } else { 1 })
            .map(|_| first_evaluation(text, n))
            .reduce(|a, b| if a.0 < b.0 { a } else { b });
        let (seconds, code, ops, entries) = best.unwrap();
        let memory = peak_memory().map_or(String::new(), |m| format!(", peak memory {m:.0} MiB"));
        let bar = if bar.is_finite() { format!("bar: {} ms", bar * 1e3) } else { "no bar".into() };
        let label = n.map_or(name.to_string(), |n| format!("{name}, n = {n}"));
        println!(
            "  {label:<22} {:9.3} ms ({bar}); {code} bytes of code, {ops} instructions, {entries} Jacobian entries{memory}",
            seconds * 1e3,
        );
    }
}
