//! The pendulum to t = 1,000 with its energy to so many digits and its constraint at round-off.

use crate::table::{Table, compared};
use crate::{instance, integrator, plain, texts};
use cotangent_dynamics::{Advance, Measure};
use cotangent_integrate::{Composition, Method, Recipe};
use cotangent_theory::Formulation;
use std::hint::black_box;

const TIME: f64 = 1000.0;

/// Its name, the equations and the method.
type Way = (String, Formulation, Recipe);

pub(crate) fn measure(table: &mut Table) {
    let composed = |c| Recipe::from(Method::Rattle).composed(c);
    let rattle = [
        ("kahan-li-8".to_string(), composed(Composition::KahanLi8)),
        ("sofroniou-spaletta-10".to_string(), composed(Composition::SofroniouSpaletta10)),
    ];
    let lobatto =
        [5, 8].map(|stages| (format!("lobatto-3a3b, {stages} stages"), Method::Lobatto3A3B { stages }.into()));
    let multipliers = rattle.into_iter().chain(lobatto).map(|(name, recipe)| (name, Formulation::Multipliers, recipe));
    // The constraints of the pendulum are quadratic integrals of the Hamilton–Dirac equations, which gauss keeps.
    let gauss = [4, 5, 6].map(|stages| {
        let name = format!("gauss, {stages} stages, hamilton-dirac");
        (name, Formulation::HamiltonDirac, Method::Gauss { stages }.into())
    });
    let ways: Vec<Way> = multipliers.chain(gauss).collect();
    for (digits, error) in [("1e-10", 1e-10), ("1e-13", 1e-13)] {
        let plain = by_hand(error);
        for way in &ways {
            let what = format!("pendulum to t = 1000, energy {digits}, {}", way.0);
            match ours(way, error) {
                Some((time, h, off)) => {
                    let time = time * 1e3;
                    match plain {
                        Some((plain, own)) => {
                            let remarks = format!("h = {h:.3} ({own:.3} by hand); constraints below {off:.0e}");
                            table.compare(&what, "ms", [time, plain * 1e3], &remarks);
                        }
                        None => {
                            let remarks = format!("h = {h:.3}; constraints below {off:.0e}");
                            table.tell(&what, format!("{time:.2} ms"), &remarks);
                        }
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

/// Residuals up to this are round-off: some units for each of the steps, of which the signs differ.
const ROUND_OFF: f64 = 3e-14;

/// Seconds, the size of the largest step with this energy error all along, and the largest residual of a constraint.
fn ours((_, formulation, recipe): &Way, error: f64) -> Option<(f64, f64, f64)> {
    let pendulum = instance(texts::PENDULUM, None, *formulation);
    let mut diagnostics = pendulum.diagnostics().expect("diagnostics");
    let (mut run, start) = integrator(&pendulum, recipe.clone());
    let energy = diagnostics.kept(&start.values).expect("values").energy;
    let mut off = 0.0f64;
    let steps = sizes().find(|&steps| {
        let mut state = start.clone();
        off = 0.0;
        (0..steps).all(|_| {
            let made = run.advance(&mut state, TIME / steps as f64, 1).is_ok();
            let kept = diagnostics.kept(&state.values).expect("values");
            off = kept.constraints.iter().chain(&kept.hidden_constraints).fold(off, |off, r| off.max(r.abs()));
            made && off < ROUND_OFF && (kept.energy - energy).abs() < error
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
    Some((time, TIME / steps as f64, off))
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
