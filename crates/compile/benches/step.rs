//! A whole step (RATTLE on the pendulum, from text, recorded and compiled) against a plain loop:
//!
//! ```text
//! cargo bench -p cotangent-compile --bench step
//! ```

#![allow(clippy::print_stdout)]

#[path = "../tests/common/rattle.rs"]
mod rattle;

use cotangent_compile::{Engine, Numeric};
use rattle::{Mechanism, recorded};
use std::hint::black_box;
use std::time::Instant;

const STEPS: u64 = 1_000_000;

/// Newton's method for one unknown by the project's stopping rule, written out.
#[inline(always)]
fn newton(mut x: f64, f: impl Fn(f64) -> (f64, f64)) -> f64 {
    let ratio = |a: f64, b: f64| if a == 0.0 { 0.0 } else { a / b };
    let (mut size, mut previous) = (0.0f64, f64::NAN);
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
        if theta >= 0.5 && relative <= f64::EPSILON.sqrt() {
            return x;
        }
        x -= d;
        previous = update;
    }
    f64::NAN
}

fn by_hand(z: &mut [f64; 4], h: f64, g: f64) {
    let [x, y, mut px, mut py] = *z;
    py -= 0.5 * h * g;
    let moved = |l: f64| (x + h * (px - x * l), y + h * (py - y * l));
    let lambda = newton(0.0, |l| {
        let (a, b) = moved(l);
        ((a * a + b * b - 1.0) * 0.5, -(h * (a * x + b * y)))
    });
    let (a, b) = moved(lambda);
    (px, py) = (px - x * lambda, py - y * lambda);
    py -= 0.5 * h * g;
    let mu = newton(0.0, |m| (a * (px - a * m) + b * (py - b * m), -(a * a + b * b)));
    *z = [a, b, px - a * mu, py - b * mu];
}

/// Nanoseconds per step, the best of seven rounds.
fn time(mut f: impl FnMut()) -> f64 {
    let round = |f: &mut dyn FnMut()| {
        let begin = Instant::now();
        f();
        begin.elapsed().as_secs_f64() / STEPS as f64 * 1e9
    };
    (0..7).map(|_| round(&mut f)).fold(f64::INFINITY, f64::min)
}

fn main() {
    let (mechanism, start) = Mechanism::new(include_str!("../../../models/pendulum.cot"), None);
    let begin = Instant::now();
    let step = recorded(&mechanism, -1.0, Engine::Best);
    let compile = begin.elapsed().as_secs_f64() * 1e3;
    let h = 0.01;
    let hand = time(|| {
        let mut z = [1.0, 0.0, 0.0, -2.0];
        for _ in 0..STEPS {
            by_hand(&mut z, black_box(h), black_box(1.0));
        }
        black_box(z);
    });
    let mut work = step.workspace().unwrap();
    let native = time(|| {
        let mut z = start.clone();
        step.advance(&mut z, &[black_box(h)], STEPS, &mut work).unwrap();
        black_box(z);
    });
    let mut machine = Numeric::new();
    let begin = Instant::now();
    let (mut z, few) = (start.clone(), STEPS / 50);
    for _ in 0..few {
        let mut out = z.clone();
        machine.begin();
        mechanism.rattle(&mut machine, -1.0, h, &z, &mut out).unwrap();
        z = out;
    }
    let direct = begin.elapsed().as_secs_f64() / few as f64 * 1e9;
    println!(
        "RATTLE on the pendulum, ns per step ({} operations recorded, {compile:.2} ms to record and compile)",
        step.recording().ops().len()
    );
    println!("  hand-written loop   {hand:8.1}");
    println!(
        "  recorded, native    {native:8.1}   {:.2} × hand-written; {} of {} steps left to the reference",
        native / hand,
        work.replayed,
        7 * STEPS
    );
    println!("  run directly        {direct:8.1}   (the generic source, allocating: the reference)");
}
