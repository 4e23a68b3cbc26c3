//! What is released from rest beside a crossing goes along its branch, or the run stops or says that its energy changed.

mod problems;

use cotangent_integrate::{Composition, Method, Recipe};
use cotangent_observe::End;
use cotangent_theory::Formulation;
use problems::{Case, Run, angle};
use proptest::prelude::*;

fn recipe(kind: u8) -> Recipe {
    match kind {
        0 => Method::Rattle.into(),
        1 => Method::Shake.into(),
        2 => Method::Lobatto3A3B { stages: 3 }.into(),
        3 => Recipe::from(Method::Rattle).composed(Composition::KahanLi6),
        _ => Method::Bdf2.into(),
    }
}

/// A figure of eight x = sin u, y = sin u cos u with different masses along x and y, released at u.
fn eight([m, n]: [f64; 2], g: f64, u: f64) -> String {
    let (s, c) = u.sin_cos();
    format!(
        "coord x, y\nlagrangian {m:?}*x'^2/2 + {n:?}*y'^2/2 - {g:?}*y\nconstraint eight: y^2 - x^2*(1 - x^2) = 0\n\
         initial x = {s:?}, y = {:?}\n",
        s * c
    )
}

/// u after a time.
fn slid([m, n]: [f64; 2], g: f64, u: f64, t: f64) -> f64 {
    let inertia = |u: f64| {
        let (c, d) = (u.cos(), (2.0 * u).cos());
        [m * c * c + n * d * d, -m * (2.0 * u).sin() - 2.0 * n * (4.0 * u).sin()]
    };
    angle([u, 0.0], inertia, |u| g * (2.0 * u).cos(), t)[0]
}

#[test]
fn a_first_step_from_rest_over_a_crossing_goes_straight_on() {
    // Down along the branch from just above the crossing.
    let (masses, g, start) = ([1.1, 2.5], 2.5, 8.3e-4);
    for h in [0.055, 0.0602, 0.065, 0.07] {
        let steps = (0.9 / h) as u64;
        let (run, end) = Case::new(&eight(masses, g, start), Formulation::Multipliers).run(Method::Rattle, h, steps);
        assert!(matches!(end, End::Finished), "{h}: {end:?}");
        let u = slid(masses, g, start, steps as f64 * h);
        let [x, y] = run.state().values[..2] else { panic!() };
        assert!((x - u.sin()).hypot(y - u.sin() * u.cos()) < 0.05, "{h}: {x} {y}, not {u}");
        let passed: Vec<f64> = run.monitor().passages.iter().filter(|p| p.crossed).map(|p| p.time).collect();
        assert!(passed.len() == 1 && passed[0] < 0.15, "{h}: {passed:?}");
    }
}

/// A crossed parallelogram with cranks of length 1 about (0, 0) and (`length`, 0), lying flat to the right or to the left.
#[derive(Clone, Copy)]
struct Crossed {
    length: f64,
    left: bool,
}

impl Crossed {
    /// (x, y) of both joints and their derivatives by s = tan(a/2), a being the angle from the side on which the cranks lie flat:
    /// tan(f/2) = −k tan(t/2) with k = (d + 1)/(d − 1), or its inverse about t = π.
    fn joints(self, s: f64) -> ([f64; 4], [f64; 4]) {
        let k = (self.length + 1.0) / (self.length - 1.0);
        let k = if self.left { 1.0 / k } else { k };
        let side = if self.left { -1.0 } else { 1.0 };
        let joint = |z: f64| [side * (1.0 - z * z) / (1.0 + z * z), side * 2.0 * z / (1.0 + z * z)];
        let slope = |z: f64| {
            let r = (1.0 + z * z).powi(2);
            [side * -4.0 * z / r, side * 2.0 * (1.0 - z * z) / r]
        };
        let (a, b, da, db) = (joint(s), joint(-k * s), slope(s), slope(-k * s));
        ([a[0], a[1], self.length + b[0], b[1]], [da[0], da[1], -k * db[0], -k * db[1]])
    }

    fn inertia(self, masses: [f64; 4], s: f64) -> [f64; 2] {
        let m = |s: f64| self.joints(s).1.iter().zip(&masses).map(|(d, m)| m * d * d).sum::<f64>();
        let e = 1e-5;
        [m(s), (m(s + e) - m(s - e)) / (2.0 * e)]
    }
}

#[test]
fn momenta_that_shake_leaves_free_hide_no_slow_passage() {
    // Its kicks change the velocities by as much as they are, along the gradients.
    let linkage = Crossed { length: 0.932 / 0.62, left: true };
    let (masses, springs) = ([1.531, 0.459, 1.825, 2.128], [0.15, 0.18, 0.21, 0.24]);
    let forces = [0.0, 0.459 / 0.62, 0.0, 2.128 / 0.62];
    let start = [-0.0031404 / 2.0, -0.0060785 / 2.0];
    let (q0, d) = linkage.joints(start[0]);
    let v = d.map(|d| d * start[1]);
    let terms = ["x", "y", "u", "v"]
        .iter()
        .enumerate()
        .map(|(i, q)| format!(" + {:?}*{q}'^2/2 - {:?}*{q}^2/2 - {:?}*{q}", masses[i], springs[i], forces[i]));
    let starts =
        ["x", "y", "u", "v"].iter().enumerate().map(|(i, q)| format!("initial {q} = {:?}, {q}' = {:?}\n", q0[i], v[i]));
    let text = format!(
        "coord x, y, u, v\nlagrangian 0{}\nconstraint crank: (x^2 + y^2 - 1)/2 = 0, \
         rocker: ((u - {2:?})^2 + v^2 - 1)/2 = 0, coupler: ((u - x)^2 + (v - y)^2 - {2:?}^2)/2 = 0\n{1}",
        terms.collect::<String>(),
        starts.collect::<String>(),
        linkage.length
    );
    let slope = |s: f64| {
        let (q, d) = linkage.joints(s);
        (0..4).map(|k| (springs[k] * q[k] + forces[k]) * d[k]).sum::<f64>()
    };
    for h in [0.0155, 0.0157, 0.0158, 0.01585, 0.0159, 0.01595, 0.016, 0.0161] {
        let steps = (3.0 / h) as u64;
        let (run, end) = Case::new(&text, Formulation::Multipliers).run(Method::Shake, h, steps);
        assert!(matches!(end, End::Finished), "{h}: {end:?}");
        let s = angle(start, |s| linkage.inertia(masses, s), slope, steps as f64 * h)[0];
        let off = run.state().values.iter().zip(linkage.joints(s).0).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-3, "{h}: {:?}, not {:?}", &run.state().values[..4], linkage.joints(s).0);
    }
}

/// Whether a run that came to its end says nothing of its energy.
fn is_silent(run: &Run, end: &End) -> bool {
    matches!(end, End::Finished) && run.monitor().jump.is_none() && run.monitor().lost.is_none()
}

proptest! {
    #![proptest_config(problems::cases(24))]

    #[test]
    fn an_eight_released_beside_its_crossing_keeps_to_its_branch_or_says_so(
        m in 0.3..3.0f64, n in 0.3..3.0f64, g in 0.5..3.0f64, beside in -5.0..-2.0f64, up in any::<bool>(),
        step in -2.0..-1.2f64, kind in 0u8..5,
    ) {
        let start = if up { 10f64.powf(beside) } else { -(10f64.powf(beside)) };
        let h = 10f64.powf(step);
        let steps = (1.5 / h) as u64;
        let (run, end) = Case::new(&eight([m, n], g, start), Formulation::Multipliers).run(recipe(kind), h, steps);
        if is_silent(&run, &end) {
            let u = slid([m, n], g, start, steps as f64 * h);
            let [x, y] = run.state().values[..2] else { panic!() };
            prop_assert!((x - u.sin()).hypot(y - u.sin() * u.cos()) < 0.2, "{x} {y}, not at u = {u}");
        }
    }

    #[test]
    fn a_crossed_parallelogram_released_beside_its_flat_position_keeps_to_its_branch_or_says_so(
        masses in prop::array::uniform4(0.4..3.0f64), length in 1.3..2.5f64, g in 0.5..2.0f64, beside in -5.0..-2.0f64,
        left in any::<bool>(), up in any::<bool>(), step in -2.0..-1.2f64, kind in 0u8..5,
    ) {
        let linkage = Crossed { length, left };
        let s = if up { 10f64.powf(beside) } else { -(10f64.powf(beside)) };
        let (q, _) = linkage.joints(s);
        let text = format!(
            "coord x, y, u, v\nlagrangian {:?}*x'^2/2 + {:?}*y'^2/2 + {:?}*u'^2/2 + {:?}*v'^2/2 - {g:?}*(y + v)\n\
             constraint crank: (x^2 + y^2 - 1)/2 = 0, rocker: ((u - {length:?})^2 + v^2 - 1)/2 = 0, \
             coupler: ((u - x)^2 + (v - y)^2 - {length:?}^2)/2 = 0\n\
             initial x = {:?}, y = {:?}, u = {:?}, v = {:?}\n",
            masses[0], masses[1], masses[2], masses[3], q[0], q[1], q[2], q[3]
        );
        let slope = |s: f64| {
            let d = linkage.joints(s).1;
            g * (d[1] + d[3])
        };
        let h = 10f64.powf(step);
        let steps = (1.0 / h) as u64;
        let (run, end) = Case::new(&text, Formulation::Multipliers).run(recipe(kind), h, steps);
        if is_silent(&run, &end) {
            let (exact, _) = linkage.joints(angle([s, 0.0], |s| linkage.inertia(masses, s), slope, steps as f64 * h)[0]);
            let off = run.state().values.iter().zip(exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            prop_assert!(off < 0.1, "{:?}, not {exact:?}", &run.state().values[..4]);
        }
    }
}
