//! Chains of any length and other shapes: cost for each link and step, memory, the time until the first step.

use crate::table::{Table, compared, memory, peak_memory, seconds};
use crate::{instance, integrator, plain, texts};
use cotangent_dynamics::{Advance, State};
use cotangent_integrate::Method;
use cotangent_plot::{Figure, Panel, Series, Theme};
use cotangent_problem::Integrator;
use cotangent_theory::Formulation;
use std::hint::black_box;

const LENGTHS: [usize; 4] = [10, 100, 1_000, 100_000];
const STEP: f64 = 0.01;

fn steps(n: usize) -> u64 {
    (300_000 / n as u64).clamp(30, 10_000)
}

/// Nanoseconds for each link and step, and what they are by hand.
pub(crate) fn measure(table: &mut Table) {
    let mut curves = [vec![], vec![]];
    for n in LENGTHS {
        let chain = instance(texts::CHAIN, Some(n), Formulation::Multipliers);
        let (mut ours, start) = integrator(&chain, Method::Rattle.into());
        let (count, rounds) = (steps(n), 9);
        // Positions grow with n, and so does what rounding leaves of the constraints.
        let tolerance = 1e-13f64.max(8.0 * f64::EPSILON * n as f64);
        let (mut end, mut by_hand, mut updates) = ([0.0; 2], [0.0; 2], 0);
        let times = compared(
            rounds,
            || {
                let mut state = start.clone();
                ours.advance(&mut state, black_box(STEP), count).unwrap_or_else(|(_, e)| panic!("{e:?}"));
                end = [state.values[n - 1], state.values[2 * n - 1]];
            },
            || {
                let mut chain = plain::Chain::new(n);
                (0..count).for_each(|_| chain.step(black_box(STEP), tolerance));
                (by_hand, updates) = ([chain.x[n], chain.y[n]], chain.updates);
            },
        );
        let work = count as f64 * n as f64;
        let apart = (end[0] - by_hand[0]).abs().max((end[1] - by_hand[1]).abs());
        let how = match (ours.is_whole(), ours.is_looped()) {
            (true, _) => "one function",
            (_, true) => "loops",
            _ => "in parts",
        };
        let each = [ours.iterations() as f64 / rounds as f64, updates as f64].map(|u| u / count as f64);
        let remarks = format!(
            "{how}, {:.1} updates a step ({:.1} by hand); ends {apart:.0e} apart after {count} steps",
            each[0], each[1]
        );
        let times = times.map(|t| t / work * 1e9);
        table.compare(&format!("chain of {n}, a link and step"), "ns", times, &remarks);
        curves.iter_mut().zip(times).for_each(|(curve, time)| curve.push(time));
    }
    let slope = |curve: &[f64]| 1.0 + (curve[3] / curve[1]).log10() / 3.0;
    table.tell("chain, exponent from 100 to 100,000 links", format!("{:.2}", slope(&curves[0])), "");
    if let Ok(folder) = std::env::var("SUITE") {
        let lengths = || LENGTHS.map(|n| n as f64).to_vec();
        let series = ["text model", "loop by hand"].into_iter().zip(curves);
        let series = series.map(|(name, curve)| Series::line_points(name, lengths(), curve)).collect();
        let panel = Panel::work_precision("links", "ns for each link and step", series, &[]);
        let figure = Figure::new("RATTLE on a chain").with(panel).themed(Theme::Auto);
        figure.write(format!("{folder}/suite-chain.svg")).unwrap_or_else(|e| panic!("{folder}: {e}"));
    }
}

/// Nanoseconds for each constraint and step in other shapes, beside those of the chain.
pub(crate) fn shapes(table: &mut Table) {
    let shapes = [
        ("straight chain", texts::STRAIGHT, 1000),
        ("tree", texts::TREE, 1000),
        ("ring", texts::RING, 1000),
        ("strip of triangles", texts::STRIP, 500),
        ("methane-like stars", texts::STAR, 250),
    ];
    let chain = instance(texts::CHAIN, Some(1000), Formulation::Multipliers);
    let (mut chain, first) = integrator(&chain, Method::Rattle.into());
    let (count, rounds) = (100, 9);
    for (name, text, n) in shapes {
        let shape = instance(text, Some(n), Formulation::Multipliers);
        let (mut ours, start) = integrator(&shape, Method::Rattle.into());
        let constraints = shape.equations.motion.structure().map_or(0, |s| s.constraints.shape()[0].len());
        let run = |integrator: &mut Integrator, start: &State<f64>| {
            let advanced = integrator.advance(&mut start.clone(), black_box(0.001), count);
            advanced.unwrap_or_else(|(_, e)| panic!("{name}: {e:?}"));
        };
        // In turns with the chain, since their ratio is asked for.
        let times = compared(rounds, || run(&mut ours, &start), || run(&mut chain, &first));
        let [each, of_chain] =
            [(times[0], constraints), (times[1], 1000)].map(|(t, m)| t / (count * m as u64) as f64 * 1e9);
        let updates = ours.iterations() as f64 / (rounds as u64 * count) as f64;
        let ratio = each / of_chain;
        let remarks =
            format!("{ratio:.2} of the chain's {of_chain:.0} ns; {constraints} constraints, {updates:.1} updates");
        table.tell(&format!("{name}, a constraint and step"), format!("{each:.0} ns"), &remarks);
    }
}

/// From text to the end of the first step.
pub(crate) fn latency(table: &mut Table) {
    for n in [10, 1_000, 100_000, 1_000_000] {
        let (begin, before) = (seconds(), memory());
        let chain = instance(texts::CHAIN, Some(n), Formulation::Multipliers);
        let (mut ours, mut state) = integrator(&chain, Method::Rattle.into());
        ours.advance(&mut state, STEP, 1).unwrap_or_else(|(_, e)| panic!("{e:?}"));
        let remarks = match n >= 100_000 {
            true => format!("{:.0} bytes of memory a link", (peak_memory() - before) * 1048576.0 / n as f64),
            false => String::new(),
        };
        table.tell(&format!("chain of {n}, text to first step"), format!("{:.3} s", seconds() - begin), &remarks);
    }
}
