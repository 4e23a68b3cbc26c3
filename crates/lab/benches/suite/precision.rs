//! The pendulum to t = 1,000 with its energy to so many digits and its constraint at round-off.

use crate::table::{Table, compared};
use crate::{instance, integrator, plain, texts};
use cotangent_dynamics::{Advance, Measure};
use cotangent_integrate::{Composition, Method, Recipe};
use cotangent_theory::Formulation;
use std::hint::black_box;

const TIME: f64 = 1000.0;

pub(crate) fn measure(table: &mut Table) {
    let composed = |c| Recipe::from(Method::Rattle).composed(c);
    let ways: Vec<(String, Recipe)> = [
        ("kahan-li-8".to_string(), composed(Composition::KahanLi8)),
        ("sofroniou-spaletta-10".to_string(), composed(Composition::SofroniouSpaletta10)),
    ]
    .into_iter()
    .chain([4, 5, 6, 8].map(|stages| (format!("lobatto-3a3b, {stages} stages"), Method::Lobatto3A3B { stages }.into())))
    .collect();
    for (digits, error) in [("1e-10", 1e-10), ("1e-13", 1e-13)] {
        let plain = by_hand(error);
        for (name, recipe) in &ways {
            let what = format!("pendulum to t = 1000, energy {digits}, {name}");
            match ours(recipe, error) {
                Some((time, h)) => {
                    let time = time * 1e3;
                    match plain {
                        Some((plain, own)) => {
                            table.compare(&what, "ms", [time, plain * 1e3], &format!("h = {h:.3} ({own:.3} by hand)"));
                        }
                        None => table.tell(&what, format!("{time:.2} ms"), &format!("h = {h:.3}")),
                    }
                }
                None => table.tell(&what, "-".into(), "not reached"),
            }
        }
    }
}

/// Steps from large to small.
fn sizes() -> impl Iterator<Item = u64> {
    (0..40).map(|k| (TIME * 1.12f64.powi(k)) as u64)
}

/// Seconds, and the size of the largest step with this energy error all along.
fn ours(recipe: &Recipe, error: f64) -> Option<(f64, f64)> {
    let pendulum = instance(texts::PENDULUM, None, Formulation::Multipliers);
    let mut diagnostics = pendulum.diagnostics().expect("diagnostics");
    let (mut run, start) = integrator(&pendulum, recipe.clone());
    let energy = diagnostics.kept(&start.values).expect("values").energy;
    let steps = sizes().find(|&steps| {
        let mut state = start.clone();
        (0..steps).all(|_| {
            let made = run.advance(&mut state, TIME / steps as f64, 1).is_ok();
            let kept = diagnostics.kept(&state.values).expect("values");
            let held = kept.constraints.iter().chain(&kept.hidden_constraints).all(|r| r.abs() < 1e-14);
            made && held && (kept.energy - energy).abs() < error
        })
    })?;
    let [time, _] = compared(
        7,
        || {
            let mut state = start.clone();
            run.advance(&mut state, black_box(TIME / steps as f64), steps).unwrap_or_else(|(_, e)| panic!("{e:?}"));
            black_box(&state.values);
        },
        || {},
    );
    Some((time, TIME / steps as f64))
}

/// The same of the loop by hand with the composition of order 8.
fn by_hand(error: f64) -> Option<(f64, f64)> {
    let gammas = plain::kahan_li_8();
    let start = [1.0, 0.0, 0.0, -2.0];
    let step = |z: [f64; 4], h: f64| gammas.iter().fold(z, |z, gamma| plain::pendulum(z, gamma * h));
    let steps = sizes().find(|&steps| {
        let mut z = start;
        (0..steps).all(|_| {
            z = step(z, TIME / steps as f64);
            (0.5 * (z[2] * z[2] + z[3] * z[3]) + z[1] - 2.0).abs() < error
        })
    })?;
    let h = TIME / steps as f64;
    let [time, _] = compared(
        7,
        || {
            black_box((0..steps).fold(black_box(start), |z, _| step(z, black_box(h))));
        },
        || {},
    );
    Some((time, h))
}
