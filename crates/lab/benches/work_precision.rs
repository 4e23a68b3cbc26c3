//! Work and precision: seconds against the error at the end, for every method, on the pendulum
//! (against its closed form) and a double pendulum with unequal masses (against 25 digits).
//!
//! `cargo bench -p cotangent-lab --bench work_precision` prints the time each method takes for an
//! error of 10⁻⁶ and of 10⁻¹⁰; with `COTANGENT_BLESS=1` it draws the diagrams of the book anew.

#![allow(clippy::print_stdout)]

use cotangent_compile::{Engine, Tape};
use cotangent_dynamics::{Advance, Dynamics};
use cotangent_integrate::{Composition, Inner, Method, Recipe};
use cotangent_lab::{Pendulum, Reference};
use cotangent_model::System;
use cotangent_plot::{Figure, Panel, Series, Theme};
use cotangent_problem::{Compiled, Instance, Repairs};
use cotangent_scalar::Dd;
use cotangent_theory::Formulation;
use std::time::Instant;

const PENDULUM: &str = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + y\nconstraint rod: (x^2 + y^2 - 1)/2 = 0\n\
    initial x = 1, p_y = -2\n";
const DOUBLE: &str = "coord x1, y1, x2, y2\n\
    hamiltonian (p_x1^2 + p_y1^2)/4 + (p_x2^2 + p_y2^2)/3 + 2*y1 + 3/2*y2\n\
    constraint a: (x1^2 + y1^2 - 1)/2 = 0\nconstraint b: ((x2 - x1)^2 + (y2 - y1)^2 - 1/2)/2 = 0\n\
    initial x1 = 1, x2 = 1, y2 = -sqrt(1/2)\n";
const TIME: f64 = 10.0;

/// A curve of the diagram.
struct Way {
    name: String,
    formulation: Formulation,
    recipe: Recipe,
}

fn ways() -> [(&'static str, Vec<Way>); 2] {
    let way = |name: &str, method: Method, formulation: Formulation| Way {
        name: name.into(),
        formulation,
        recipe: method.into(),
    };
    let rattle = || way("rattle", Method::Rattle, Formulation::Multipliers);
    let composed = |c: Composition| Way {
        name: format!("rattle + {}", c.name()),
        recipe: rattle().recipe.composed(c),
        ..rattle()
    };
    let lobatto = |stages: usize| {
        way(&format!("lobatto-3a3b, {stages} stages"), Method::Lobatto3A3B { stages }, Formulation::Multipliers)
    };
    let mut constrained = vec![rattle()];
    constrained.extend(Composition::ALL.into_iter().map(composed));
    constrained.extend([3, 4, 6].map(lobatto));
    let controlled = Some(1e-6);
    let others = vec![
        rattle(),
        way("reich around gauss", Method::Reich { inner: Inner::Gauss { stages: 2 } }, Formulation::Multipliers),
        way("average-vector-field", Method::AverageVectorField { stages: 2 }, Formulation::Multipliers),
        way("bdf2", Method::Bdf2, Formulation::Multipliers),
        way("radau-2a, 3 stages", Method::Radau2A { stages: 3 }, Formulation::Multipliers),
        way("implicit-midpoint", Method::ImplicitMidpoint, Formulation::HamiltonDirac),
        way("gauss, 2 stages", Method::Gauss { stages: 2 }, Formulation::HamiltonDirac),
        way("gauss, 4 stages", Method::Gauss { stages: 4 }, Formulation::HamiltonDirac),
        way("rk4", Method::Rk4, Formulation::Standard),
        way("dopri5", Method::Dopri5 { tolerance: controlled }, Formulation::Standard),
        way("dop853", Method::Dop853 { tolerance: controlled }, Formulation::Standard),
    ];
    [("methods for constraints", constrained), ("other methods", others)]
}

fn problem(text: &str, formulation: Formulation) -> Instance {
    let system = System::parse(text).expect("a model");
    let repairs = Repairs { project_initial: true, drop_redundant: false };
    Instance::new(&system, formulation, &[], repairs, Engine::Best).expect("a problem")
}

/// The state at the end, from the start as it is in double precision.
fn exact_pendulum() -> Vec<f64> {
    let number = Dd::from;
    let start = Pendulum::new(number(1.0), [number(1.0), number(0.0)], [number(0.0), number(-2.0)]).expect("a start");
    let motion = start.at(number(TIME));
    motion.position.iter().chain(&motion.velocity).map(|x| x.hi()).collect()
}

fn exact_double() -> Vec<f64> {
    let problem = problem(DOUBLE, Formulation::HamiltonDirac);
    let compiled = Compiled::new(&problem.equations.motion, Engine::Tape).expect("it compiles");
    let mut field = compiled.view(Tape, vec![]).field().expect("a system").expect("a field");
    let mut state: Vec<Dd> = problem.start.iter().map(|&x| Dd::from(x)).collect();
    let mut rates = |z: &[Dd], out: &mut [Dd]| field.rate(z, out);
    let solved = Reference::new(1e-28).solve(&mut rates, &mut state, Dd::from(TIME)).expect("a solution");
    println!("reference of the double pendulum: to {:.0e}", solved.error_estimate);
    state.iter().map(|x| x.hi()).collect()
}

/// (seconds, error) for one size of step or tolerance.
fn measure(problem: &Instance, way: &Way, level: i32, exact: &[f64]) -> Option<(f64, f64)> {
    let method = way.recipe.method;
    let (method, steps) = match method.tolerance() {
        // From 10⁻³ on, by a factor of 10.
        Some(_) => (method.with_tolerance(Some(10f64.powi(-3 - level)))?, 1),
        None => (method, 20u64 << level),
    };
    let prepared = problem.prepare(Recipe { method, ..way.recipe.clone() }).unwrap_or_else(|e| panic!("{e}"));
    let mut run = problem.integrator(&prepared).expect("it compiles");
    let (mut seconds, mut error) = (f64::INFINITY, 0.0);
    let begin = Instant::now();
    // The shortest of several: what else the machine does only adds.
    while begin.elapsed().as_millis() < 20 {
        let mut state = run.state(problem.start.clone());
        let started = Instant::now();
        run.advance(&mut state, TIME / steps as f64, steps).ok()?;
        seconds = started.elapsed().as_secs_f64().min(seconds);
        error = state.values.iter().zip(exact).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    }
    Some((seconds, error))
}

/// The time at which a curve crosses an error, between its points.
fn time_for(points: &[(f64, f64)], error: f64) -> Option<f64> {
    let pair = points.windows(2).find(|w| w[0].1 > error && w[1].1 <= error)?;
    let part = (pair[0].1 / error).ln() / (pair[0].1 / pair[1].1).ln();
    Some(pair[0].0 * (pair[1].0 / pair[0].0).powf(part))
}

fn diagram(title: &str, file: &str, text: &str, exact: &[f64]) {
    println!("{title}: seconds for an error of 1e-6 and 1e-10 at t = {TIME}");
    let mut figure = Figure::new(format!("{title}: work and precision at t = {TIME}")).sized(760.0, 1040.0);
    for (name, ways) in ways() {
        let mut series = vec![];
        for way in ways {
            let problem = problem(text, way.formulation);
            let mut points: Vec<(f64, f64)> = vec![];
            for level in 0..16 {
                let Some(point) = measure(&problem, &way, level, exact).filter(|p| p.1 < 10.0) else { continue };
                // Beyond round-off more work is no more precision.
                let ended = points.last().is_some_and(|last| point.1 > 0.7 * last.1 && point.1 < 1e-9);
                points.push(point);
                if ended || point.0 > 1.0 {
                    break;
                }
            }
            let shown = |error: f64| time_for(&points, error).map_or("-".into(), |t| format!("{t:.1e}"));
            let formulation = way.formulation.name();
            println!("  {:30} {formulation:16} {:>8} {:>8}", way.name, shown(1e-6), shown(1e-10));
            let (seconds, errors) = points.into_iter().unzip();
            series.push(Series::line_points(way.name, seconds, errors));
        }
        let panel = Panel::work_precision("seconds", format!("error, {name}"), series, &[2.0, 4.0, 8.0]);
        figure = figure.with(panel);
    }
    if std::env::var_os("COTANGENT_BLESS").is_some() {
        let path = format!("{}/../../docs/src/pictures/{file}.svg", env!("CARGO_MANIFEST_DIR"));
        figure.themed(Theme::Auto).write(path).expect("the picture is written");
    }
}

fn main() {
    diagram("Pendulum", "work-precision-pendulum", PENDULUM, &exact_pendulum());
    diagram("Double pendulum", "work-precision-double-pendulum", DOUBLE, &exact_double());
}
