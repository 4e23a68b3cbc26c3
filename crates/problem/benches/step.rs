//! RATTLE on the pendulum from its text, against a loop written by hand with the same Newton
//! iteration, first guesses and compensated summation; then chains of growing length.
//!
//! `cargo bench -p cotangent-problem --bench step`

#![allow(clippy::print_stdout)]

use cotangent_compile::Engine;
use cotangent_dynamics::Advance;
use cotangent_integrate::{Method, Prepared};
use cotangent_model::{Options, System};
use cotangent_problem::{Instance, Integrator, Repairs};
use cotangent_solve::NewtonOptions;
use cotangent_theory::Formulation;
use std::hint::black_box;
use std::time::Instant;

const STEPS: u64 = 200_000;

/// Newton's method in one unknown, by the rule of `StoppingRule`.
#[inline(always)]
fn newton(mut x: f64, f: impl Fn(f64) -> (f64, f64)) -> f64 {
    let (mut size, mut previous) = (0.0f64, f64::NAN);
    let ratio = |a: f64, b: f64| if a == 0.0 { 0.0 } else { a / b };
    for _ in 0..50 {
        let (r, j) = f(x);
        if r == 0.0 {
            return x;
        }
        let d = r / j;
        size = size.max(x.abs()).max(d.abs());
        let (update, relative) = (ratio(d.abs(), size), ratio(d.abs(), x.abs()));
        let residual = ratio(r.abs(), (j * x).abs());
        let theta = update / previous;
        let soon = theta <= 0.25 && theta * relative <= f64::EPSILON / 16.0;
        if relative <= f64::EPSILON || residual <= 2.0 * f64::EPSILON || soon {
            return x - d;
        }
        if theta >= 0.7 && relative <= f64::EPSILON.sqrt() {
            return x;
        }
        x -= d;
        previous = update;
    }
    f64::NAN
}

/// State and carry.
struct Hand {
    z: [f64; 4],
    e: [f64; 4],
}

#[inline(always)]
fn carried(x: f64, e: f64, d: f64) -> (f64, f64) {
    let y = d + e;
    let s = x + y;
    (s, y - (s - x))
}

fn by_hand(s: &mut Hand, h: f64, g: f64) {
    let ([x, y, px, py], [ex, ey, epx, epy]) = (s.z, s.e);
    let half = 0.5 * h;
    let first = |l: f64| {
        let (dpx, dpy) = (-(half * (x * l)), -(half * (g + y * l)));
        let (ax, ay) = (px + (dpx + epx), py + (dpy + epy));
        (dpx, dpy, h * ax, h * ay)
    };
    let lambda = newton(0.0, |l| {
        let (_, _, dx, dy) = first(l);
        let (a, b) = (x + (dx + ex), y + (dy + ey));
        (0.5 * (a * a + b * b - 1.0), -(half * h) * (a * x + b * y))
    });
    let (dpx, dpy, dx, dy) = first(lambda);
    let ((a, ea), (b, eb)) = (carried(x, ex, dx), carried(y, ey, dy));
    let second = |m: f64| (dpx - half * (a * m), dpy - half * (g + b * m));
    let mu = newton(0.0, |m| {
        let (kx, ky) = second(m);
        let (vx, vy) = (px + (kx + epx), py + (ky + epy));
        (a * vx + b * vy, -half * (a * a + b * b))
    });
    let (kx, ky) = second(mu);
    let ((px, epx), (py, epy)) = (carried(px, epx, kx), carried(py, epy, ky));
    *s = Hand { z: [a, b, px, py], e: [ea, eb, epx, epy] };
}

/// Nanoseconds per step, the best of seven rounds.
fn time(steps: u64, mut f: impl FnMut()) -> f64 {
    let round = |f: &mut dyn FnMut()| {
        let begin = Instant::now();
        f();
        begin.elapsed().as_secs_f64() / steps as f64 * 1e9
    };
    (0..7).map(|_| round(&mut f)).fold(f64::INFINITY, f64::min)
}

fn problem(text: &str, n: Option<i64>) -> (Instance, Prepared) {
    let options = Options { integers: n.map(|n| ("n".to_string(), n)).into_iter().collect() };
    let system = System::parse_with(text, &options).expect("a model");
    let problem = Instance::new(&system, Formulation::Multipliers, &[], Repairs::default(), Engine::Best)
        .unwrap_or_else(|e| panic!("{e}"));
    let prepared = problem.prepare(Method::Rattle).expect("rattle fits");
    (problem, prepared)
}

/// RATTLE on a planar chain of unit masses and rods, written by hand: Newton's method with a tridiagonal elimination, to
/// residuals of 1e-13 for short chains and 1e-12 for long ones, without compensation.
struct Plain {
    n: usize,
    /// Places 1 to n; those beside them are zero.
    v: [Vec<f64>; 13],
}

impl Plain {
    fn new(n: usize) -> Plain {
        let mut v = std::array::from_fn(|_| vec![0.0; n + 2]);
        for (i, x) in v[0].iter_mut().enumerate().take(n + 1) {
            *x = i as f64;
        }
        Plain { n, v }
    }

    fn step(&mut self, h: f64) {
        let n = self.n;
        let [x, y, p, q, rx, ry, ux, uy, a, b, c, g, w] = self.v.each_mut().map(|v| &mut v[..n + 2]);
        let mut eliminate = |a: &[f64], b: &[f64], c: &[f64], g: &mut [f64]| {
            w[1] = 1.0 / b[1];
            for i in 2..=n {
                let m = a[i] * w[i - 1];
                w[i] = 1.0 / (b[i] - m * c[i - 1]);
                g[i] -= m * g[i - 1];
            }
            g[n] *= w[n];
            for i in (1..n).rev() {
                g[i] = (g[i] - c[i] * g[i + 1]) * w[i];
            }
            g[n + 1] = 0.0;
        };
        for i in 1..=n {
            (rx[i], ry[i]) = (x[i] - x[i - 1], y[i] - y[i - 1]);
        }
        for i in 1..=n {
            q[i] -= 0.5 * h;
            (ux[i], uy[i]) = (x[i] + h * p[i], y[i] + h * q[i]);
        }
        for _ in 0..30 {
            let mut worst = 0.0f64;
            for i in 1..=n {
                let (ex, ey) = (ux[i] - ux[i - 1], uy[i] - uy[i - 1]);
                g[i] = 0.5 * (ex * ex + ey * ey - 1.0);
                worst = worst.max(g[i].abs());
                b[i] = if i == 1 { 1.0 } else { 2.0 } * (ex * rx[i] + ey * ry[i]);
                a[i] = -(ex * rx[i - 1] + ey * ry[i - 1]);
                c[i] = -(ex * rx[i + 1] + ey * ry[i + 1]);
            }
            if worst < if n > 100 { 1e-12 } else { 1e-13 } {
                break;
            }
            eliminate(a, b, c, g);
            for i in 1..=n {
                ux[i] -= g[i] * rx[i] - g[i + 1] * rx[i + 1];
                uy[i] -= g[i] * ry[i] - g[i + 1] * ry[i + 1];
            }
        }
        for i in 1..=n {
            p[i] = (ux[i] - x[i]) / h;
            q[i] = (uy[i] - y[i]) / h - 0.5 * h;
            (x[i], y[i]) = (ux[i], uy[i]);
        }
        for i in 1..=n {
            (rx[i], ry[i]) = (x[i] - x[i - 1], y[i] - y[i - 1]);
        }
        for i in 1..=n {
            g[i] = rx[i] * (p[i] - p[i - 1]) + ry[i] * (q[i] - q[i - 1]);
            b[i] = if i == 1 { 1.0 } else { 2.0 } * (rx[i] * rx[i] + ry[i] * ry[i]);
            a[i] = -(rx[i] * rx[i - 1] + ry[i] * ry[i - 1]);
            c[i] = -(rx[i] * rx[i + 1] + ry[i] * ry[i + 1]);
        }
        eliminate(a, b, c, g);
        for i in 1..=n {
            p[i] -= g[i] * rx[i] - g[i + 1] * rx[i + 1];
            q[i] -= g[i] * ry[i] - g[i + 1] * ry[i + 1];
        }
    }
}

fn main() {
    let h = 0.01;
    let begin = Instant::now();
    let (pendulum, prepared) = problem(include_str!("../../../models/pendulum.cot"), None);
    let options = NewtonOptions::default();
    let new = |engine| Integrator::new(&pendulum.equations, &prepared, &pendulum.parameters, options, engine);
    let mut whole = new(Engine::Best).expect("an integrator");
    let prepare = begin.elapsed().as_secs_f64() * 1e3;
    let mut end = [0.0; 4];
    let hand = time(STEPS, || {
        let mut s = Hand { z: [1.0, 0.0, 0.0, -2.0], e: [0.0; 4] };
        for _ in 0..STEPS {
            by_hand(&mut s, black_box(h), black_box(1.0));
        }
        end = black_box(s.z);
    });
    let run = |integrator: &mut Integrator, steps: u64| {
        let mut last = vec![];
        let ns = time(steps, || {
            let mut state = integrator.state(pendulum.start.clone());
            integrator.advance(&mut state, black_box(h), steps).expect("steps");
            last = black_box(state.values);
        });
        (ns, last)
    };
    let (native, last) = run(&mut whole, STEPS);
    let mut parts = Integrator::in_parts(&pendulum.equations, &prepared, &pendulum.parameters, options).expect("parts");
    let (in_parts, _) = run(&mut parts, STEPS / 20);
    let difference = end.iter().zip(&last).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    println!(
        "RATTLE on the pendulum, ns per step ({} operations, {prepare:.1} ms from text to step)",
        whole.operations().unwrap_or(0)
    );
    println!("  hand-written loop           {hand:8.1}");
    println!(
        "  one native function         {native:8.1}   {:.2} × hand-written; ends {difference:.0e} apart",
        native / hand
    );
    println!("  calls of native functions   {in_parts:8.1}   {:.2} ×", in_parts / hand);
    println!("chain from the horizontal, h = 0.001, ns per step and link");
    for n in [1, 3, 10, 15, 30, 100, 1000, 10_000, 100_000] {
        let begin = Instant::now();
        let (chain, prepared) = problem(include_str!("../../../models/chain.cot"), Some(n));
        let mut integrator = Integrator::new(&chain.equations, &prepared, &chain.parameters, options, Engine::Best)
            .expect("an integrator");
        let setup = begin.elapsed().as_secs_f64() * 1e3;
        let steps = (200_000 / n as u64).clamp(3, 20_000);
        let mut plain = Plain::new(n as usize);
        // In turns, the best of each: whatever else runs on the machine hits both.
        let (mut ns, mut by_hand) = (f64::INFINITY, f64::INFINITY);
        let mut state = integrator.state(chain.start.clone());
        for _ in 0..7 {
            let begin = Instant::now();
            integrator.advance(&mut state, 0.001, steps).expect("steps");
            ns = ns.min(begin.elapsed().as_secs_f64() * 1e9 / steps as f64 / n as f64);
            let begin = Instant::now();
            (0..steps).for_each(|_| plain.step(black_box(0.001)));
            by_hand = by_hand.min(begin.elapsed().as_secs_f64() * 1e9 / steps as f64 / n as f64);
        }
        let how = match (integrator.is_whole(), integrator.is_looped()) {
            (true, _) => "one function",
            (_, true) => "loops",
            _ => "in parts",
        };
        let newton = integrator.iterations() as f64 / (7 * steps) as f64;
        let ends = 2 * n as usize - 1;
        println!(
            "  {n:7} links {ns:9.0}   {:5.2} × a plain loop   {how:12} {newton:5.1} Newton updates a step, set up in {setup:.0} ms; ends {:.0e} apart",
            ns / by_hand,
            (state.values[ends] - plain.v[1][n as usize]).abs()
        );
    }
}
