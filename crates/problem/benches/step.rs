//! RATTLE on the pendulum from its text, alone and composed, against loops written by hand with a Newton iteration of their
//! own; then chains of growing length.
//!
//! `cargo bench -p cotangent-problem --bench step`

#![allow(clippy::print_stdout, clippy::excessive_precision)]

use cotangent_compile::Engine;
use cotangent_dynamics::Advance;
use cotangent_integrate::{Composition, Method, Prepared, Recipe};
use cotangent_model::{Options, System};
use cotangent_problem::{Instance, Integrator, Repairs};
use cotangent_solve::NewtonOptions;
use cotangent_theory::Formulation;
use std::hint::black_box;
use std::time::Instant;

const STEPS: u64 = 200_000;

/// γ₁ … γ₉ of Kahan and Li's composition of order 8; the others are the same backwards.
const KAHAN_LI_8: [f64; 9] = [
    0.130_202_483_088_890_08,
    0.561_162_981_775_108_38,
    -0.389_474_962_644_847_29,
    0.158_841_906_555_155_6,
    -0.395_903_894_133_237_58,
    0.184_539_640_978_315_7,
    0.258_374_387_686_322_05,
    0.295_011_723_609_310_3,
    -0.605_508_533_830_034_51,
];

/// x, y, p_x, p_y, and what rounding has cut off from each.
#[derive(Clone, Copy)]
struct Hand {
    z: [f64; 4],
    e: [f64; 4],
}

const START: Hand = Hand { z: [1.0, 0.0, 0.0, -2.0], e: [0.0; 4] };

/// A step of RATTLE as one writes it for this pendulum alone: the iteration ends after the first update from a residual
/// below 1e-15, and the second multiplier is a quotient.
#[inline(always)]
fn plain([x, y, px, py]: [f64; 4], h: f64, g: f64) -> [f64; 4] {
    let (kx, ky, mut l) = (px, py - 0.5 * h * g, 0.0);
    for _ in 0..20 {
        let (a, b) = (x + h * (kx - l * x), y + h * (ky - l * y));
        let phi: f64 = 0.5 * (a * a + b * b - 1.0);
        l += phi / (h * (a * x + b * y));
        if phi.abs() < 1e-15 {
            break;
        }
    }
    let (kx, ky) = (kx - l * x, ky - l * y);
    let (a, b) = (x + h * kx, y + h * ky);
    let ky = ky - 0.5 * h * g;
    let m = (a * kx + b * ky) / (a * a + b * b);
    [a, b, kx - m * a, ky - m * b]
}

#[inline(always)]
fn carried(x: f64, e: f64, d: f64) -> (f64, f64) {
    let y = d + e;
    let s = x + y;
    (s, y - (s - x))
}

/// The same with compensated summation.
#[inline(always)]
fn compensated(s: Hand, h: f64, g: f64) -> Hand {
    let ([x, y, px, py], [ex, ey, epx, epy]) = (s.z, s.e);
    let half = 0.5 * h;
    let kicked = |l: f64| {
        let (dx, dy) = (-(l * x), -half * g - l * y);
        (dx, dy, px + (dx + epx), py + (dy + epy))
    };
    let mut l = 0.0;
    for _ in 0..20 {
        let (_, _, kx, ky) = kicked(l);
        let (a, b) = (x + (h * kx + ex), y + (h * ky + ey));
        let phi: f64 = 0.5 * (a * a + b * b - 1.0);
        l += phi / (h * (a * x + b * y));
        if phi.abs() < 1e-15 {
            break;
        }
    }
    let (dx, dy, kx, ky) = kicked(l);
    let ((a, ea), (b, eb)) = (carried(x, ex, h * kx), carried(y, ey, h * ky));
    let m = (a * kx + b * (ky - half * g)) / (a * a + b * b);
    let ((px, epx), (py, epy)) = (carried(px, epx, dx - m * a), carried(py, epy, dy - half * g - m * b));
    Hand { z: [a, b, px, py], e: [ea, eb, epx, epy] }
}

/// Nanoseconds per step, the best of fifteen rounds.
fn time(steps: u64, mut f: impl FnMut()) -> f64 {
    let clock = Instant::now();
    let round = |f: &mut dyn FnMut()| {
        let begin = seconds(clock);
        f();
        (seconds(clock) - begin) / steps as f64 * 1e9
    };
    (0..15).map(|_| round(&mut f)).fold(f64::INFINITY, f64::min)
}

/// Seconds that this process was on a processor, which other processes do not change much; where the system does not
/// tell, those of the clock.
fn seconds(begin: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/self/schedstat").ok();
    let spent = told.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    spent.map_or_else(|| begin.elapsed().as_secs_f64(), |nanoseconds| nanoseconds * 1e-9)
}

fn problem(text: &str, n: Option<i64>) -> (Instance, Prepared) {
    let options = Options { integers: n.map(|n| ("n".to_string(), n)).into_iter().collect() };
    let system = System::parse_with(text, &options).expect("a model");
    let problem = Instance::new(&system, Formulation::Multipliers, &[], Repairs::default(), Engine::Best)
        .unwrap_or_else(|e| panic!("{e}"));
    let prepared = problem.prepare(Method::Rattle).expect("rattle fits");
    (problem, prepared)
}

/// The pendulum: by hand without and with compensation, from its text as one function, and by calls of functions.
fn pendulum(stages: &[f64], recipe: Recipe, steps: u64) {
    let h = 0.01;
    let begin = Instant::now();
    let (pendulum, _) = problem(include_str!("../../../models/pendulum.cot"), None);
    let prepared = pendulum.prepare(recipe).expect("it fits");
    let options = NewtonOptions::default();
    let new = |engine| Integrator::new(&pendulum.equations, &prepared, &pendulum.parameters, options, engine);
    let mut whole = new(Engine::Best).expect("an integrator");
    let prepare = begin.elapsed().as_secs_f64() * 1e3;
    let made = steps * stages.len() as u64;
    let by_hand = time(made, || {
        let (mut z, h, g) = (START.z, black_box(h), black_box(1.0));
        for _ in 0..steps {
            stages.iter().for_each(|gamma| z = plain(z, gamma * h, g));
        }
        black_box(z);
    });
    let mut end = [0.0; 4];
    let with_carry = time(made, || {
        let (mut s, h, g) = (START, black_box(h), black_box(1.0));
        for _ in 0..steps {
            stages.iter().for_each(|gamma| s = compensated(s, gamma * h, g));
        }
        end = black_box(s.z);
    });
    let run = |integrator: &mut Integrator, steps: u64| {
        let mut last = vec![];
        let before = integrator.iterations();
        let ns = time(steps * stages.len() as u64, || {
            let mut state = integrator.state(pendulum.start.clone());
            integrator.advance(&mut state, black_box(h), steps).expect("steps");
            last = black_box(state.values);
        });
        let updates = (integrator.iterations() - before) as f64 / (15 * steps * stages.len() as u64) as f64;
        (ns, updates, last)
    };
    let (native, updates, last) = run(&mut whole, steps);
    let mut parts = Integrator::in_parts(&pendulum.equations, &prepared, &pendulum.parameters, options).expect("parts");
    let (in_parts, _, _) = run(&mut parts, steps / 20);
    let difference = end.iter().zip(&last).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    println!(
        "{} on the pendulum, ns per stage ({} operations, {prepare:.1} ms from text to step)",
        recipe_name(&prepared),
        whole.operations().unwrap_or(0)
    );
    println!("  by hand                     {by_hand:8.1}");
    println!("  by hand, compensated        {with_carry:8.1}   {:.2} × by hand", with_carry / by_hand);
    println!(
        "  one native function         {native:8.1}   {:.2} × by hand, {:.2} × compensated; {updates:.1} updates; ends {difference:.0e} apart",
        native / by_hand,
        native / with_carry
    );
    println!("  calls of native functions   {in_parts:8.1}   {:.2} ×", in_parts / by_hand);
}

fn recipe_name(prepared: &Prepared) -> String {
    let composition = prepared.composition().map_or(String::new(), |c| format!(" + {}", c.name()));
    format!("{}{composition}", prepared.method().name())
}

fn main() {
    let (options, clock) = (NewtonOptions::default(), Instant::now());
    pendulum(&[1.0], Method::Rattle.into(), STEPS);
    let stages: Vec<f64> = KAHAN_LI_8.into_iter().chain(KAHAN_LI_8.into_iter().rev().skip(1)).collect();
    pendulum(&stages, Recipe::from(Method::Rattle).composed(Composition::KahanLi8), STEPS / 10);
    println!("chain from the horizontal, h = 0.001, ns per step and link");
    for n in [1, 3, 10, 30, 100, 1000, 10_000, 100_000] {
        let begin = Instant::now();
        let (chain, prepared) = problem(include_str!("../../../models/chain.cot"), Some(n));
        let mut integrator = Integrator::new(&chain.equations, &prepared, &chain.parameters, options, Engine::Best)
            .expect("an integrator");
        let setup = begin.elapsed().as_secs_f64() * 1e3;
        let steps = (200_000 / n as u64).clamp(3, 20_000);
        let mut state = integrator.state(chain.start.clone());
        let begin = seconds(clock);
        integrator.advance(&mut state, 0.001, steps).expect("steps");
        let ns = (seconds(clock) - begin) * 1e9 / steps as f64 / n as f64;
        let how = match (integrator.is_whole(), integrator.is_looped()) {
            (true, _) => "one function",
            (_, true) => "loops",
            _ => "in parts",
        };
        let newton = integrator.iterations() as f64 / steps as f64;
        println!("  {n:7} links {ns:9.0}   {how:12} {newton:5.1} Newton updates a step, set up in {setup:.0} ms");
    }
}
