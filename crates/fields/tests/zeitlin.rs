//! Zeitlin's matrices: the sine bracket, its limit, and steps that keep all eigenvalues.

#[allow(unreachable_pub)]
mod spectra;

use cotangent_compile::Engine;
use cotangent_dynamics::{Advance, AnySystem};
use cotangent_fields::FieldsError;
use cotangent_fields::zeitlin::{Isospectral, Torus};
use cotangent_integrate::{Handwritten, Method};
use cotangent_model::System;
use cotangent_problem::{Repairs, pose};
use cotangent_theory::Formulation;
use rustfft::num_complex::Complex64;
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
        assert!(off(n, &torus.vorticity(&state).unwrap(), field) < 1e-14);
        // ½∫ω² = 2π² Σ|ωₖ|² and ½∫|∇ψ|², each wave a cos with |ωₖ|² + |ω₋ₖ|² = a²/2.
        let (enstrophy, energy) = (1.0 + 0.25 + 0.0625, 1.0 / 5.0 + 0.25 / 16.0 + 0.0625 / 10.0);
        assert!((torus.enstrophy(&state).unwrap() - PI * PI * enstrophy).abs() < 1e-12);
        assert!((torus.energy(&state).unwrap() - PI * PI * energy).abs() < 1e-12);
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
    let found = torus.vorticity(&rate(&torus, &state)).unwrap();
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
        off(n, &torus.vorticity(&rate(&torus, &state)).unwrap(), exact)
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
        let (before, energy, enstrophy) =
            (eigenvalues(&torus, &start), torus.energy(&start).unwrap(), torus.enstrophy(&start).unwrap());
        let mut worst = 0.0f64;
        for _ in 0..20 {
            method.advance(&mut state, h, steps / 20).unwrap();
            worst = worst.max((torus.energy(&state.values).unwrap() / energy - 1.0).abs());
        }
        let lost = drift(&before, &eigenvalues(&torus, &state.values));
        assert!(lost < 1e-12, "{n}: {lost:e}");
        assert!(worst < 2e-2, "{n}: energy {worst:e}");
        assert!((torus.enstrophy(&state.values).unwrap() / enstrophy - 1.0).abs() < 1e-12);
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

#[test]
fn waves_that_do_not_fit_are_cut_off() {
    let torus = Torus::new(17).unwrap();
    let plain = torus.state(|x, y| (3.0 * x - y).sin());
    // cos 12x is cos 5x at 17 points.
    for fast in [9.0, 12.0, 17.0, 20.0] {
        let both = torus.state(|x, y| (3.0 * x - y).sin() + (fast * x).cos() + (fast * y - x).sin());
        assert!(drift(&plain, &both) < 1e-14, "{fast}: {:e}", drift(&plain, &both));
    }
    assert!(drift(&plain, &torus.state(|x, y| (3.0 * x - y).sin() + (8.0 * x).cos())) > 0.1);
}

#[test]
fn states_of_another_length_are_refused() {
    let torus = Torus::new(5).unwrap();
    let short = [1.0; 24];
    let refused = FieldsError::OtherLength { given: 24, cells: 25 };
    assert_eq!(torus.energy(&short), Err(refused.clone()));
    assert_eq!(torus.enstrophy(&short), Err(refused.clone()));
    assert_eq!(torus.vorticity(&short), Err(refused.clone()));
    assert_eq!(torus.unpacked(&short), Err(refused));
}

/// The bracket {zᵢ, zⱼ} of the Lie–Poisson structure Ẇ = [∇H, W] on skew-Hermitian matrices, ∇ for Re tr A†B.
fn bracket(torus: &Torus, state: &[f64]) -> Vec<Vec<f64>> {
    let n = torus.size();
    let w = torus.unpacked(state).unwrap();
    let unit = |k: usize| {
        // The gradient of the entry k of a state.
        let (a, b) = (k / n, k % n);
        let mut g = vec![Complex64::ZERO; n * n];
        match a.cmp(&b) {
            std::cmp::Ordering::Equal => g[k] = Complex64::I,
            std::cmp::Ordering::Less => (g[a * n + b], g[b * n + a]) = (Complex64::new(0.5, 0.0), (-0.5).into()),
            std::cmp::Ordering::Greater => (g[a * n + b], g[b * n + a]) = (Complex64::I * 0.5, Complex64::I * 0.5),
        }
        g
    };
    let column = |k: usize| {
        let g = unit(k);
        let entry = |i: usize, j: usize| {
            (0..n).map(|l| g[i * n + l] * w[l * n + j] - w[i * n + l] * g[l * n + j]).sum::<Complex64>()
        };
        let packed = |k: usize| if k / n < k % n { entry(k / n, k % n).re } else { entry(k % n, k / n).im };
        (0..n * n).map(packed).collect::<Vec<f64>>()
    };
    let columns: Vec<Vec<f64>> = (0..n * n).map(column).collect();
    (0..n * n).map(|i| (0..n * n).map(|j| columns[j][i]).collect()).collect()
}

#[test]
fn a_step_is_a_poisson_map() {
    let torus = Torus::new(3).unwrap();
    let start = torus.state(|x, y| x.cos() + 0.7 * (y + 0.4).sin() - 0.5 * (x - y).cos() + 0.3 * (x + y + 1.0).sin());
    // The equations are those of the bracket: [B, W] = −(N²/16π³)[∇E, W].
    let slope = |k: usize| {
        let at = |h: f64| {
            let mut z = start.clone();
            z[k] += h;
            torus.energy(&z).unwrap()
        };
        (at(1e-3) - at(-1e-3)) / 2e-3
    };
    let gradient: Vec<f64> = (0..9).map(slope).collect();
    let b = bracket(&torus, &start);
    let factor = -9.0 / (16.0 * PI.powi(3));
    for (k, rate) in rate(&torus, &start).into_iter().enumerate() {
        let own: f64 = factor * b[k].iter().zip(&gradient).map(|(b, g)| b * g).sum::<f64>();
        assert!((own - rate).abs() < 1e-11, "{k}: {own} {rate}");
    }
    // φ′ B φ′ᵀ = B(φ), with φ′ by differences of fourth order; the explicit midpoint rule does not do that.
    let defect = |step: &dyn Fn(&[f64]) -> Vec<f64>| {
        let h = 2e-3;
        let column = |k: usize| {
            let at = |times: f64| {
                let mut z = start.clone();
                z[k] += times * h;
                step(&z)
            };
            let (one, two) = ((at(1.0), at(-1.0)), (at(2.0), at(-2.0)));
            let entry = |i: usize| (8.0 * (one.0[i] - one.1[i]) - (two.0[i] - two.1[i])) / (12.0 * h);
            (0..9).map(entry).collect::<Vec<f64>>()
        };
        let columns: Vec<Vec<f64>> = (0..9).map(column).collect();
        let (before, after) = (bracket(&torus, &start), bracket(&torus, &step(&start)));
        let mut worst = 0.0f64;
        for i in 0..9 {
            for j in 0..9 {
                let moved: f64 = (0..81).map(|k| columns[k / 9][i] * before[k / 9][k % 9] * columns[k % 9][j]).sum();
                worst = worst.max((moved - after[i][j]).abs());
            }
        }
        worst
    };
    let isospectral = defect(&|z| {
        let mut method = Isospectral::new(&torus);
        let mut state = method.state(z.to_vec());
        method.advance(&mut state, 1.0, 1).unwrap();
        state.values
    });
    let explicit = defect(&|z| {
        let moved = |by: &[f64], h: f64| z.iter().zip(by).map(|(z, r)| z + h * r).collect::<Vec<f64>>();
        moved(&rate(&torus, &moved(&rate(&torus, z), 0.5)), 1.0)
    });
    assert!(isospectral < 1e-9 && explicit > 1e-5, "{isospectral:e} {explicit:e}");
}

#[test]
fn the_error_of_the_energy_is_of_second_order_and_does_not_drift() {
    let torus = Torus::new(7).unwrap();
    let start = torus.state(swirls);
    let energy = torus.energy(&start).unwrap();
    // The largest error in each half of a time.
    let errors = |h: f64, steps: u64| {
        let mut method = Isospectral::new(&torus);
        let mut state = method.state(start.clone());
        [(); 2].map(|()| {
            let mut worst = 0.0f64;
            for _ in 0..steps / 2 {
                method.advance(&mut state, h, 1).unwrap();
                worst = worst.max((torus.energy(&state.values).unwrap() / energy - 1.0).abs());
            }
            worst
        })
    };
    let (coarse, fine) = (errors(0.1, 200), errors(0.05, 400));
    assert!((coarse[0] / fine[0] - 4.0).abs() < 0.2, "{coarse:?} {fine:?}");
    // A drift would double it from one half to the other.
    let [first, second] = errors(0.1, 40_000);
    assert!(second < 1.2 * first, "{first:e} {second:e}");
}

#[test]
fn iterations_are_counted_without_the_product_at_the_end() {
    let torus = Torus::new(5).unwrap();
    let mut method = Isospectral::new(&torus);
    let mut state = method.state(torus.state(swirls));
    method.advance(&mut state, 0.1, 10).unwrap();
    assert_eq!(method.products(), 2 * method.iterations() + 10);
}

#[test]
fn steps_are_those_of_the_method_for_declared_algebras() {
    // `algebra u(3): W` has Ẇ = [W, Ω] with Ω = 2∇H for Re tr A†B, and B = −(N²/16π³)∇E: so H = (N²/32π³) E.
    let n = 3;
    let torus = Torus::new(n).unwrap();
    let name = |k: usize| {
        let (a, b) = (k / n + 1, k % n + 1);
        if a < b { format!("W_re[{a}, {b}]") } else { format!("W_im[{b}, {a}]") }
    };
    let energy = |places: &[usize]| {
        let mut z = vec![0.0; n * n];
        places.iter().for_each(|&k| z[k] += 1.0);
        torus.energy(&z).unwrap() * 9.0 / (32.0 * PI.powi(3))
    };
    let mut terms = vec![];
    for i in 0..n * n {
        terms.push(format!("{:e}*{}^2", energy(&[i]), name(i)));
        for j in i + 1..n * n {
            let mixed = energy(&[i, j]) - energy(&[i]) - energy(&[j]);
            terms.push(format!("({mixed:e})*{}*{}", name(i), name(j)));
        }
    }
    let start = torus.state(|x, y| x.cos() + 0.7 * (y + 0.4).sin() - 0.5 * (x - y).cos());
    let initial: Vec<String> = (0..n * n).map(|k| format!("{} = {:e}", name(k), start[k])).collect();
    let text = format!("algebra u(3): W\nhamiltonian {}\ninitial {}\n", terms.join(" + "), initial.join(", "));
    let system = System::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let problem = pose(&system, Formulation::Multipliers, &[], Repairs::default(), Engine::Best).unwrap();
    let mut general = problem.integrator(&problem.prepare(Method::IsospectralMidpoint).unwrap()).unwrap();
    let mut found = general.state(problem.start.clone());
    general.advance(&mut found, 0.2, 20).unwrap();
    let mut method = Isospectral::new(&torus);
    let mut state = method.state(start.clone());
    method.advance(&mut state, 0.2, 20).unwrap();
    assert!(drift(&start, &state.values) > 0.05, "it moves");
    // W_re[1, 2], [1, 3], [2, 3], then W_im[1, 1], [1, 2], …
    let order = [1, 2, 5, 0, 3, 6, 4, 7, 8];
    let expected: Vec<f64> = order.iter().map(|&k| state.values[k]).collect();
    assert!(drift(&expected, &found.values) < 1e-13, "{:e}", drift(&expected, &found.values));
}
