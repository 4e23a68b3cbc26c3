//! Zeitlin's matrices: the sine bracket, its limit, and steps that keep all eigenvalues.

#[allow(unreachable_pub)]
mod spectra;

use cotangent_dynamics::{Advance, AnySystem};
use cotangent_fields::zeitlin::{Isospectral, Torus};
use cotangent_integrate::{Handwritten, Method};
use spectra::{drift, eigenvalues, swirls};
use std::f64::consts::{PI, TAU};

fn rate(torus: &Torus, state: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; state.len()];
    torus.view::<f64>().field().unwrap().unwrap().rate(state, &mut out).unwrap();
    out
}

/// Largest difference of a field on the points of the torus and a function.
fn off(n: usize, field: &[f64], exact: impl Fn(f64, f64) -> f64) -> f64 {
    let at = |k: usize| TAU * k as f64 / n as f64;
    field.iter().enumerate().fold(0.0, |m, (k, w)| m.max((w - exact(at(k / n), at(k % n))).abs()))
}

#[test]
fn a_field_goes_to_matrices_and_back() {
    for n in [9, 15, 17] {
        let torus = Torus::new(n).unwrap();
        let field = |x: f64, y: f64| (x + 2.0 * y).cos() - 0.5 * (4.0 * x).sin() + 0.25 * (3.0 * x - y).sin();
        let state = torus.state(field);
        assert!(off(n, &torus.vorticity(&state), field) < 1e-14);
        // ½∫ω² = 2π² Σ|ωₖ|² and ½∫|∇ψ|², each wave a cos with |ωₖ|² + |ω₋ₖ|² = a²/2.
        let (enstrophy, energy) = (1.0 + 0.25 + 0.0625, 1.0 / 5.0 + 0.25 / 16.0 + 0.0625 / 10.0);
        assert!((torus.enstrophy(&state) - PI * PI * enstrophy).abs() < 1e-12);
        assert!((torus.energy(&state) - PI * PI * energy).abs() < 1e-12);
        assert!((AnySystem::energy(&torus, &state) - PI * PI * energy).abs() < 1e-11);
    }
}

#[test]
fn the_bracket_is_the_sine_bracket() {
    // Two waves m, n: ω̇ has the waves m ± n, with (N/2π) sin(2π m×n/N) in the place of m×n.
    let n = 11;
    let torus = Torus::new(n).unwrap();
    let (a, b) = (0.7, -0.4);
    let (m, k) = ([1.0, 2.0], [3.0, -1.0]);
    let wave = |q: [f64; 2], x: f64, y: f64| q[0] * x + q[1] * y;
    let state = torus.state(|x, y| a * wave(m, x, y).cos() + b * wave(k, x, y).cos());
    let cross = m[0] * k[1] - m[1] * k[0];
    let sine = n as f64 / TAU * (TAU / n as f64 * cross).sin();
    // ω̇ = −{ψ, ω}; {cos m·x, cos k·x} = m×k sin(m·x) sin(k·x); ψ = −Σ a cos(m·x)/|m|².
    let (mm, kk) = (5.0, 10.0);
    let factor = a * b * (1.0 / mm - 1.0 / kk) * sine;
    let sum = |x, y| (wave(m, x, y) + wave(k, x, y)).cos();
    let difference = |x, y| (wave(m, x, y) - wave(k, x, y)).cos();
    let exact = |x, y| factor * (difference(x, y) - sum(x, y)) / 2.0;
    let found = torus.vorticity(&rate(&torus, &state));
    assert!(off(n, &found, exact) < 1e-13, "{:e}", off(n, &found, exact));
    // In the limit it is that of Euler's equations, with an error of second order in 1/N.
    let limit = |n: usize| {
        let torus = Torus::new(n).unwrap();
        let state = torus.state(|x, y| x.cos() + 0.5 * (x + 2.0 * y).cos());
        // ψ = −cos x − cos(x + 2y)/10; −{ψ, ω} = −(ψ_x ω_y − ψ_y ω_x).
        let exact = |x: f64, y: f64| {
            let s = (x + 2.0 * y).sin();
            let (px, py) = (x.sin() + s / 10.0, s / 5.0);
            let (wx, wy) = (-x.sin() - s / 2.0, -s);
            -(px * wy - py * wx)
        };
        off(n, &torus.vorticity(&rate(&torus, &state)), exact)
    };
    // The one product of waves has m×n = 2.
    let missing = |n: f64| 1.0 - (2.0 * TAU / n).sin() / (2.0 * TAU / n);
    let (ratio, exact) = (limit(15) / limit(31), missing(15.0) / missing(31.0));
    assert!((ratio / exact - 1.0).abs() < 0.05 && exact > 4.0, "{ratio} {exact}");
}

#[test]
fn steps_are_of_second_order_and_forth_and_back_is_where_it_was() {
    let torus = Torus::new(7).unwrap();
    let start = torus.state(swirls);
    let law = Handwritten::new(torus.clone(), start.clone()).unwrap();
    let mut gauss = law.integrator(&law.prepare(Method::Gauss { stages: 3 }).unwrap()).unwrap();
    let mut exact = gauss.state(start.clone());
    gauss.advance(&mut exact, 0.05, 20).unwrap();
    let reach = |steps: u64| {
        let mut method = Isospectral::new(&torus);
        let mut state = method.state(start.clone());
        method.advance(&mut state, 1.0 / steps as f64, steps).unwrap();
        state
    };
    let errors = [20, 40, 80].map(|steps| drift(&exact.values, &reach(steps).values));
    assert!((errors[0] / errors[1] - 4.0).abs() < 0.1 && (errors[1] / errors[2] - 4.0).abs() < 0.05, "{errors:?}");
    let mut method = Isospectral::new(&torus);
    let mut state = method.state(start.clone());
    method.advance(&mut state, 0.1, 10).unwrap();
    assert!(drift(&start, &state.values) > 0.01);
    method.advance(&mut state, -0.1, 10).unwrap();
    assert!(drift(&start, &state.values) < 1e-14, "{:e}", drift(&start, &state.values));
}

#[test]
fn all_eigenvalues_stay_over_ten_thousand_steps() {
    for (n, steps, h) in [(17, 10_000, 0.1), (65, 500, 0.05)] {
        let torus = Torus::new(n).unwrap();
        let start = torus.state(swirls);
        let mut method = Isospectral::new(&torus);
        let mut state = method.state(start.clone());
        let (before, energy, enstrophy) = (eigenvalues(&torus, &start), torus.energy(&start), torus.enstrophy(&start));
        let mut worst = 0.0f64;
        for _ in 0..20 {
            method.advance(&mut state, h, steps / 20).unwrap();
            worst = worst.max((torus.energy(&state.values) / energy - 1.0).abs());
        }
        let lost = drift(&before, &eigenvalues(&torus, &state.values));
        assert!(lost < 1e-12, "{n}: {lost:e}");
        assert!(worst < 2e-2, "{n}: energy {worst:e}");
        assert!((torus.enstrophy(&state.values) / enstrophy - 1.0).abs() < 1e-12);
        assert!(drift(&start, &state.values) > 0.3, "it moves");
    }
}

#[test]
fn sizes_without_a_sine_bracket_are_refused() {
    for n in [0, 1, 2, 16, 256] {
        let refused = Torus::new(n).err().unwrap().to_string();
        assert!(refused.contains(&format!("N = {n}: the sine bracket needs an odd N of 3 or more")), "{refused}");
    }
}
