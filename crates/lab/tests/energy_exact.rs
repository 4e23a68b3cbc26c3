//! Steps that the energy determines: the discrete equations of (29) in Tyranowski's paper, where the lapse is an unknown and the
//! energy a condition, on the pendulum V = 1 − cos q.
//!
//! The book reports what comes out. The reference is the pendulum in closed form.

use cotangent_lab::Pendulum;

fn potential(q: f64) -> f64 {
    1.0 - q.cos()
}

/// What became of a run.
#[derive(Debug)]
struct Walked {
    time: f64,
    q: f64,
    steps: u32,
    /// The least and the largest step, divided by the first.
    range: [f64; 2],
    /// The largest error of the energy at the points where it is held.
    energy: f64,
}

/// With the energy at the midpoints: v₁ = v − ½(s₀V′(m₀) + s₁V′(m₁)), m₁ = q + ½s₁v₁, ½v₁² + V(m₁) = E, q₁ = q + s₁v₁. The first step
/// is given, and with it E. `None` if no step was found.
fn at_midpoints(h: f64, until: f64) -> Option<Walked> {
    // v₁ and m₁ for a step s after an impulse.
    let middle = |q: f64, v: f64, impulse: f64, s: f64| {
        let mut w = v;
        for _ in 0..60 {
            w = v - 0.5 * (impulse + s * (q + 0.5 * s * w).sin());
        }
        (w, q + 0.5 * s * w)
    };
    let (mut q, mut v, mut s) = (0.0, 1.0, h);
    let (w, m) = middle(q, v, 0.0, s);
    let energy = 0.5 * w * w + potential(m);
    let mut impulse = s * m.sin();
    (q, v) = (q + s * w, w);
    let mut walked = Walked { time: s, q, steps: 1, range: [1.0; 2], energy: 0.0 };
    while walked.time < until {
        let off = |s: f64| {
            let (w, m) = middle(q, v, impulse, s);
            0.5 * w * w + potential(m) - energy
        };
        // A bracket around the step before, as narrow as can be; the equation is nearly singular, and 0 to the last bit is one.
        let here = off(s);
        let mut width = 1e-3;
        let mut bracket = if here == 0.0 { Some([s, s]) } else { None };
        while bracket.is_none() && width < 0.9 {
            let other = [s * (1.0 - width), s * (1.0 + width)].into_iter().find(|&c| off(c) * here <= 0.0);
            bracket = other.map(|other| [s, other]);
            width *= 2.0;
        }
        let [mut a, mut b] = bracket?;
        for _ in 0..100 {
            let c = 0.5 * (a + b);
            if off(a) * off(c) <= 0.0 { b = c } else { a = c }
        }
        s = b;
        let (w, m) = middle(q, v, impulse, s);
        walked.energy = walked.energy.max(off(s).abs());
        impulse = s * m.sin();
        (q, v) = (q + s * w, w);
        walked.time += s;
        walked.q = q;
        walked.steps += 1;
        walked.range = [walked.range[0].min(s / h), walked.range[1].max(s / h)];
    }
    Some(walked)
}

/// With the energy at the end of every so many steps of the same lapse: q₁ = q + hNv, v₁ = ±√(2(E − V(q₁))), and the next lapse from
/// v₁ = v − hN₁V′(q₁). The time at which there is no real velocity, or no positive lapse.
fn at_ends(h: f64, every: u32, until: f64) -> Result<f64, f64> {
    let (mut q, mut lapse, mut time) = (0.5, 1.0, 0.0);
    let mut v = (2.0 * (0.5 - potential(q))).sqrt();
    while time < until {
        for _ in 1..every {
            q += h * lapse * v;
            v -= h * lapse * q.sin();
            time += h * lapse;
        }
        q += h * lapse * v;
        time += h * lapse;
        let square = 2.0 * (0.5 - potential(q));
        let predicted = v - h * lapse * q.sin();
        if square < 0.0 {
            return Err(time);
        }
        let next = square.sqrt().copysign(predicted);
        lapse = (v - next) / (h * q.sin());
        if lapse.is_nan() || lapse <= 0.0 {
            return Err(time);
        }
        v = next;
    }
    Ok(time)
}

#[test]
fn with_the_energy_at_midpoints_turning_points_are_harmless_and_the_order_is_two() {
    let exact = Pendulum::from_angle(1.0, 0.0, 1.0).unwrap();
    let mut errors = vec![];
    for h in [0.1, 0.05, 0.025] {
        let walked = at_midpoints(h, 10.0).unwrap();
        let there = exact.at(walked.time);
        errors.push((walked.q - there.position[0].atan2(-there.position[1])).abs());
        assert!(walked.energy < 4e-16, "{walked:?}");
    }
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((order - 2.0).abs() < 0.03, "{errors:?}");
    }
    // Eighteen periods, thirty-six turning points.
    let walked = at_midpoints(0.05, 123.0).unwrap();
    assert!(walked.range[0] > 0.96 && walked.range[1] < 1.11 && walked.energy < 4e-16, "{walked:?}");
    assert!(walked.steps > 2000);
}

#[test]
fn with_the_energy_at_ends_no_run_comes_far_nor_at_every_second_step() {
    for h in [0.01, 0.02, 0.05] {
        for every in 1..=4 {
            // From q = 0.5 the second turning point is less than five away.
            let ended = at_ends(h, every, 20.0);
            assert!(ended.is_err_and(|time| time < 5.0), "{h} {every}: {ended:?}");
        }
    }
}
