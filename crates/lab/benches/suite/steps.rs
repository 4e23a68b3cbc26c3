//! Small systems: a step of a text model against a step by hand.

use crate::table::{Table, compared};
use crate::{instance, integrator, plain, texts};
use cotangent_dynamics::Advance;
use cotangent_integrate::{Composition, Method, Recipe};
use cotangent_theory::Formulation;
use std::hint::black_box;

const ROUNDS: usize = 7;

pub(crate) fn measure(table: &mut Table) {
    let gammas = plain::kahan_li_8();
    let composed = |method: Method| Recipe::from(method).composed(Composition::KahanLi8);
    one(
        table,
        "pendulum, rattle, a step",
        (texts::PENDULUM, Formulation::Multipliers, Method::Rattle.into()),
        [0.01, 1.0],
        plain::pendulum,
    );
    let pendulum = (texts::PENDULUM, Formulation::Multipliers, composed(Method::Rattle));
    one(table, "pendulum, kahan-li-8, a stage", pendulum, [0.1, 17.0], |z, h| {
        gammas.iter().fold(z, |z, gamma| plain::pendulum(z, gamma * h))
    });
    let stars = (texts::HENON_HEILES, Formulation::Multipliers, composed(Method::StormerVerlet));
    one(table, "Hénon–Heiles, order 8, a step", stars, [0.1, 1.0], |z, h| {
        gammas.iter().fold(z, |z, gamma| plain::henon_heiles(z, gamma * h))
    });
    let fewer = Recipe::from(Method::StormerVerlet).composed(Composition::Yoshida8);
    let stars = (texts::HENON_HEILES, Formulation::Multipliers, fewer);
    let gammas = plain::yoshida_8();
    one(table, "Hénon–Heiles, order 8 in 15 stages, a step", stars, [0.1, 1.0], |z, h| {
        gammas.iter().fold(z, |z, gamma| plain::henon_heiles(z, gamma * h))
    });
    let strang = (texts::LORENZ, Formulation::Multipliers, Method::SplittingStrang.into());
    one(table, "Lorenz-86, Strang, a step", strang, [1.0 / 4000.0, 1.0], plain::lorenz);
}

/// Nanoseconds of a step, or of one of its stages.
fn one<const N: usize>(
    table: &mut Table,
    what: &str,
    (text, formulation, recipe): (&str, Formulation, Recipe),
    [h, stages]: [f64; 2],
    step: impl Fn([f64; N], f64) -> [f64; N],
) {
    let instance = instance(text, None, formulation);
    let (mut ours, start) = integrator(&instance, recipe);
    let steps = (400_000.0 / stages) as u64;
    let (mut end, mut by_hand) = (vec![], [0.0; N]);
    let first: [f64; N] = std::array::from_fn(|k| start.values[k]);
    let times = compared(
        ROUNDS,
        || {
            let mut state = start.clone();
            ours.advance(&mut state, black_box(h), steps).unwrap_or_else(|(_, e)| panic!("{e:?}"));
            end = black_box(state.values);
        },
        || by_hand = black_box((0..steps).fold(black_box(first), |z, _| step(z, black_box(h)))),
    );
    let apart = end.iter().zip(&by_hand).fold(0.0f64, |worst, (a, b)| worst.max((a - b).abs()));
    let iterations = ours.iterations() as f64 / (ROUNDS as f64 * steps as f64 * stages);
    let how = if ours.is_whole() { "one function" } else { "in parts" };
    let remarks = format!("{how}, {iterations:.1} updates; ends {apart:.0e} apart after {steps} steps");
    table.compare(what, "ns", times.map(|t| t / (steps as f64 * stages) * 1e9), &remarks);
}
