//! Steps end on their constraints or fail, and mechanisms pass their singular positions on the smooth branch.

mod problems;

use cotangent_integrate::{Composition, Method, Recipe};
use cotangent_observe::End;
use cotangent_theory::Formulation;
use problems::{Case, Run};
use proptest::prelude::*;

fn run(text: &str, recipe: Recipe, step: f64, steps: u64) -> (Run, End) {
    Case::new(text, Formulation::Multipliers).run(recipe, step, steps)
}

/// A chain of six links, one mass of which is light, in units of length.
fn chain(light: usize, mass: f64, unit: f64) -> String {
    let masses = (1..=6).map(|i| if i == light { mass } else { 1.0 });
    let coordinates = (1..=6).map(|i| format!("x{i}, y{i}")).collect::<Vec<_>>().join(", ");
    let energy = masses.enumerate().map(|(k, m)| {
        let i = k + 1;
        format!("{m:e}*(x{i}'^2 + y{i}'^2)/2 - {m:e}*{unit:e}*y{i}")
    });
    let energy = energy.collect::<Vec<_>>().join(" + ");
    let mut text = format!("coord {coordinates}\nlagrangian {energy}\n");
    for i in 1..=6 {
        let before =
            if i == 1 { ["0".to_owned(), "0".to_owned()] } else { [format!("x{}", i - 1), format!("y{}", i - 1)] };
        text += &format!("constraint c{i}: ((x{i} - {})^2 + (y{i} - {})^2 - {unit:e}^2)/2 = 0\n", before[0], before[1]);
    }
    let initial = (1..=6).map(|i| format!("x{i} = {i}*{unit:e}")).collect::<Vec<_>>().join(", ");
    text + &format!("initial {initial}\n")
}

/// The largest error of a link's length, relative to it, from the positions alone.
fn stretch(positions: &[f64], unit: f64) -> f64 {
    let at = |i: usize| if i == 0 { [0.0, 0.0] } else { [positions[2 * i - 2], positions[2 * i - 1]] };
    let length = |i: usize| (at(i)[0] - at(i - 1)[0]).hypot(at(i)[1] - at(i - 1)[1]);
    (1..=6).map(|i| (length(i) / unit - 1.0).abs()).fold(0.0, f64::max)
}

/// θ after time t of M(θ) θ″ + M′(θ) θ′²/2 + V′(θ) = 0, by small steps of the classical Runge–Kutta method.
fn angle(start: [f64; 2], inertia: impl Fn(f64) -> [f64; 2], force: impl Fn(f64) -> f64, t: f64) -> f64 {
    let rate = |[a, w]: [f64; 2]| {
        let [m, slope] = inertia(a);
        [w, (force(a) - slope * w * w / 2.0) / m]
    };
    let count = 200_000;
    let h = t / f64::from(count);
    let mut z = start;
    let plus = |z: [f64; 2], k: [f64; 2], c: f64| [z[0] + c * k[0], z[1] + c * k[1]];
    for _ in 0..count {
        let a = rate(z);
        let b = rate(plus(z, a, h / 2.0));
        let c = rate(plus(z, b, h / 2.0));
        let d = rate(plus(z, c, h));
        z = [0, 1].map(|i| z[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
    }
    z[0]
}

/// How many points first + kπ lie between two angles.
fn between(from: f64, to: f64, first: f64) -> i64 {
    let count = |a: f64| ((a - first) / std::f64::consts::PI).floor() as i64;
    count(to) - count(from)
}

fn recipe(kind: u8) -> Recipe {
    match kind {
        0 => Method::Rattle.into(),
        1 => Recipe::from(Method::Rattle).composed(Composition::Suzuki4),
        2 => Recipe::from(Method::Rattle).composed(Composition::KahanLi8),
        _ => Method::Lobatto3A3B { stages: 3 }.into(),
    }
}

proptest! {
    #![proptest_config(problems::cases(24))]

    #[test]
    fn a_step_without_a_solution_fails_however_light_a_mass_is(
        light in 1usize..=6, mass in -13.0..0.0f64, step in -2.5..-1.0f64, unit in -9.0..9.0f64, kind in 0u8..4,
    ) {
        let (mass, unit) = (10f64.powf(mass), 10f64.powf(unit));
        let method = [Method::Rattle, Method::Shake, Method::Lobatto3A3B { stages: 2 }, Method::Lobatto3A3B { stages: 3 }];
        let (run, _) = run(&chain(light, mass, unit), method[kind as usize].into(), 10f64.powf(step), 60);
        // The last good state, whether the run came to its end or not: a few hundred units in the last place of
        // terms that are up to twelve lengths long.
        let off = stretch(&run.state().values[..12], unit);
        prop_assert!(off < 2e-12, "{off:e}, m = {mass:e}");
        let largest = run.constraints().iter().map(|c| c.max_abs).fold(0.0, f64::max) / (unit * unit);
        prop_assert!(largest < 2e-12, "{largest:e}, m = {mass:e}");
        // All but SHAKE keep the hidden constraints: Δr·Δv against |Δr| |v| in the metric of the masses, with v = p/m and
        // the impulses h g of gravity.
        let (q, p) = run.state().values.split_at(12);
        let masses: Vec<f64> = (1..=6).map(|i| if i == light { mass } else { 1.0 }).collect();
        let at = |z: &[f64], i: usize, m: f64| if i == 0 { [0.0, 0.0] } else { [z[2 * i - 2] / m, z[2 * i - 1] / m] };
        let velocity = |i: usize| if i == 0 { [0.0, 0.0] } else { at(p, i, masses[i - 1]) };
        let kinetic: f64 = (1..=6).map(|i| masses[i - 1] * velocity(i).iter().map(|v| v * v).sum::<f64>()).sum();
        let impulse = 10f64.powf(step) * unit * masses.iter().sum::<f64>().sqrt();
        for i in 1..=6 {
            let [a, b, u, v] = [at(q, i, 1.0), at(q, i - 1, 1.0), velocity(i), velocity(i - 1)];
            let rate = ((a[0] - b[0]) * (u[0] - v[0]) + (a[1] - b[1]) * (u[1] - v[1])) / unit;
            let gradient = (1.0 / masses[i - 1] + if i == 1 { 0.0 } else { 1.0 / masses[i - 2] }).sqrt();
            let allowed = 2e-12 * gradient * (kinetic.sqrt() + impulse);
            prop_assert!(kind == 1 || rate.abs() < allowed, "{i}: {rate:e} of {allowed:e}, m = {mass:e}");
        }
    }

    #[test]
    fn a_folding_slider_crank_stays_on_its_branch(
        start in 0.2..1.3f64, speed in 1.5..2.5f64, mass in 0.3..3.0f64, g in 0.0..0.6f64, step in -2.0..-1.0f64, kind in 0u8..4,
    ) {
        // Crank and rod of one length: at θ = π/2 the slider is in the centre, and could stay there.
        let (s, c) = start.sin_cos();
        let text = format!(
            "coord x, y, z\nlagrangian (x'^2 + y'^2)/2 + {mass}*z'^2/2 - {g}*y\n\
             constraint crank: (x^2 + y^2 - 1)/2 = 0\nconstraint rod: ((z - x)^2 + y^2 - 1)/2 = 0\n\
             initial x = {c}, y = {s}, z = {}, x' = {}, y' = {}, z' = {}\n",
            2.0 * c, -speed * s, speed * c, -2.0 * speed * s
        );
        // At θ = 0 the slider rests, and the crank turns fastest.
        let energy = (1.0 + 4.0 * mass * s * s) * speed * speed / 2.0 + g * s;
        let fastest = (2.0 * (energy + g)).sqrt();
        let h = 2.0 * 10f64.powf(step) / fastest;
        let steps = (8.0 / h) as u64;
        let (run, end) = run(&text, recipe(kind), h, steps);
        prop_assert!(matches!(end, End::Finished), "{end:?}");
        let [x, y, z] = run.state().values[..3] else { panic!() };
        prop_assert!((z - 2.0 * x).abs() < 1e-8, "x = {x}, z = {z}");
        let error = run.energy().max_deviation;
        prop_assert!(error < 20.0 * (h * fastest).powi(2) * energy.abs(), "{error:e}");
        let t = steps as f64 * h;
        let inertia = |a: f64| [1.0 + 4.0 * mass * a.sin().powi(2), 4.0 * mass * (2.0 * a).sin()];
        let end = angle([start, speed], inertia, |a| -g * a.cos(), t);
        let expected = between(start, end, std::f64::consts::FRAC_PI_2);
        let found = run.monitor().passage_count as i64;
        prop_assert!((found - expected).abs() <= 1, "{found} passages, {expected} expected");
        prop_assert!((x - end.cos()).hypot(y - end.sin()) < 60.0 * (h * fastest).powi(2));
    }

    #[test]
    fn a_parallelogram_stays_one(
        start in 0.2..2.9f64, speed in 0.8..2.5f64, mass in 0.3..3.0f64, length in 0.5..3.0f64, step in -2.0..-1.0f64, kind in 0u8..4,
    ) {
        let (s, c) = start.sin_cos();
        let text = format!(
            "coord x, y, u, v\nlagrangian (x'^2 + y'^2)/2 + {mass}*(u'^2 + v'^2)/2 \n\
             constraint a: (x^2 + y^2 - 1)/2 = 0\nconstraint b: ((u - {length})^2 + v^2 - 1)/2 = 0\n\
             constraint c: ((u - x)^2 + (v - y)^2 - {length}^2)/2 = 0\n\
             initial x = {c}, y = {s}, u = {length} + {c}, v = {s}, x' = {vx}, y' = {vy}, u' = {vx}, v' = {vy}\n",
            vx = -speed * s, vy = speed * c,
        );
        let h = 10f64.powf(step);
        let steps = (12.0 / h) as u64;
        let (run, end) = run(&text, recipe(kind), h, steps);
        prop_assert!(matches!(end, End::Finished), "{end:?}");
        let [x, y, u, v] = run.state().values[..4] else { panic!() };
        prop_assert!((u - x - length).abs() < 1e-8 && (v - y).abs() < 1e-8, "{:?}", run.state().values);
        // Without gravity both cranks turn evenly.
        let expected = between(start, start + speed * steps as f64 * h, 0.0);
        let found = run.monitor().passage_count as i64;
        prop_assert!((found - expected).abs() <= 1, "{found} passages, {expected} expected");
        prop_assert!(run.energy().max_deviation < 1e-2 * run.energy().initial);
    }
}

#[test]
fn a_figure_of_eight_is_run_through_its_crossing() {
    // The gradient of a single constraint vanishes where the curve crosses itself; by symmetry the smooth branch goes
    // straight on. (x² + y²)² = x² − y².
    let text = "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint eight: (x^2 + y^2)^2 - x^2 + y^2 = 0\n\
        initial x = 1, y' = 1\n";
    for step in [0.01, 0.0137, 0.05] {
        let (run, end) = run(text, Method::Rattle.into(), step, (20.0 / step) as u64);
        assert!(matches!(end, End::Finished), "{end:?}");
        // A speed of one along a curve of length 5.2441151 (the lemniscate constant), two crossings in each round.
        let crossings = run.monitor().passages.iter().filter(|p| p.crossed).count();
        assert!((7..=8).contains(&crossings), "{crossings}");
        assert!(run.energy().max_deviation < 0.02, "{:e}", run.energy().max_deviation);
    }
}

#[test]
fn a_fall_through_a_pole_is_noticed() {
    let text = "coord x\nlagrangian x'^2/2 + 1/x\ninitial x = 1\n";
    let (run, _) = run(text, Method::StormerVerlet.into(), 0.01, 200);
    let jump = run.monitor().jump.expect("the energy leaps where the step goes over the pole");
    // The fall from rest at 1 takes π/√8.
    assert!((jump.time - std::f64::consts::PI / 8f64.sqrt()).abs() < 0.05, "{jump:?}");
}

#[test]
fn a_last_kick_that_newton_s_method_does_not_find_is_none() {
    // Velocities are bounded here: Newton's method for the last multiplier runs away to 10¹⁰⁶ and comes back to exactly 0.
    let text = "coord x, y\nhamiltonian sqrt(1 + 2*p_x^2 + p_x*p_y + (1 + x^2)*p_y^2) + y + x^2*y/3\n\
        constraint curve: x^4 + y^2 + x*y - 1 = 0\ninitial x = 0.2565333978011643, y = -1.1343091786198665, \
        p_x = 1.5407569944157014, p_y = -1.8064095762607781\n";
    let (run, end) = Case::new(text, Formulation::Multipliers).run(Method::Lobatto3A3B { stages: 3 }, 0.6, 1);
    let [x, y, p, q] = run.state().values[..] else { panic!() };
    let size = (1.0 + 2.0 * p * p + p * q + (1.0 + x * x) * q * q).sqrt();
    let (v, w) = ((2.0 * p + q / 2.0) / size, (p / 2.0 + (1.0 + x * x) * q) / size);
    let hidden = (4.0 * x.powi(3) + y) * v + (2.0 * y + x) * w;
    assert!(hidden.abs() < 1e-13, "{end:?}: {hidden}");
}

/// A double pendulum whose pivot is a particle held by x = 0 and y = 0: of these constraints nothing cancels but in the step, and
/// what rounding leaves is no part of their own terms.
#[test]
fn a_constraint_of_one_term_holds_as_far_as_the_step_rounds() {
    let held = "coord x[i in 1..3], y[i in 1..3]\nlagrangian sum(i in 1..3, (x[i]'^2 + y[i]'^2)/2 - y[i])\n\
        constraint a: x[1] = 0\nconstraint b: y[1] = 0\n\
        constraint rod[i in 1..2]: (x[i+1] - x[i])^2 + (y[i+1] - y[i])^2 = 1\n\
        initial x[2] = 0.6, y[2] = -0.8, x[3] = 1.2, y[3] = -1.6\n";
    let free = "coord x[i in 2..3], y[i in 2..3]\nlagrangian sum(i in 2..3, (x[i]'^2 + y[i]'^2)/2 - y[i])\n\
        constraint first: x[2]^2 + y[2]^2 = 1\nconstraint second: (x[3] - x[2])^2 + (y[3] - y[2])^2 = 1\n\
        initial x[2] = 0.6, y[2] = -0.8, x[3] = 1.2, y[3] = -1.6\n";
    for method in [Method::Rattle, Method::Shake, Method::Lobatto3A3B { stages: 3 }] {
        for h in [0.0037, 0.01, 0.03] {
            let state = |text: &str| {
                let (run, end) = run(text, method.into(), h, 200);
                assert!(matches!(end, End::Finished), "{method:?} with {h}: {end:?}");
                run.state().values.clone()
            };
            let (held, free) = (state(held), state(free));
            assert!([held[0], held[3]].iter().all(|z| z.abs() < 1e-15), "{method:?} with {h}: {held:?}");
            let distance = |k: usize| (held[k + 1] - free[k]).abs();
            assert!(distance(0) < 1e-10 && distance(1) < 1e-10, "{method:?} with {h}: {held:?} {free:?}");
        }
    }
}
