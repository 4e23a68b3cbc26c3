//! Runs that look at several steps as one say what runs that look at each step say.

mod problems;

use cotangent_integrate::{Composition, Method, Recipe};
use cotangent_observe::{End, Schedule};
use cotangent_scalar::Limits;
use cotangent_theory::Formulation;
use problems::{Case, Run};
use proptest::prelude::*;

/// A run that measures each step, or none but the last.
fn run(case: &Case, recipe: Recipe, (step, steps): (f64, u64), record: u64) -> (Run, End) {
    let p = &case.problem;
    let integrator = p.integrator(&p.prepare(recipe).unwrap()).unwrap();
    let schedule = Schedule::count(step, steps, record).unwrap();
    let mut run = Run::new(integrator, p.diagnostics().unwrap(), schedule, p.start.clone()).unwrap();
    let end = run.go(&Limits::default(), &mut []).unwrap();
    (run, end)
}

/// What a motion is held by: a folding slider-crank, a parallelogram, a curve with a crossing or a gap, a curve of narrow ends, a
/// chain in free fall with a light end, a sphere in a deep well, ovals on the narrow side of a pass from which it falls after a long rest.
fn text(which: u8, [a, b, c]: [f64; 3]) -> String {
    let (s, k) = (0.2 + 1.2 * a).sin_cos();
    let speed = 0.5 + 2.0 * b;
    let plane = "coord x, y\nlagrangian (x'^2 + y'^2)/2";
    match which {
        0 => format!(
            "coord x, y, z\nlagrangian (x'^2 + y'^2)/2 + {}*z'^2/2 - 0.3*y\nconstraint crank: (x^2 + y^2 - 1)/2 = 0\n\
             constraint rod: ((z - x)^2 + y^2 - 1)/2 = 0\n\
             initial x = {k}, y = {s}, z = {}, x' = {}, y' = {}, z' = {}\n",
            0.3 + c,
            2.0 * k,
            -speed * s,
            speed * k,
            -2.0 * speed * s
        ),
        1 => format!(
            "coord x, y, u, v\nlagrangian (x'^2 + y'^2 + u'^2 + v'^2)/2 \nconstraint left: (x^2 + y^2 - 1)/2 = 0\n\
             constraint right: ((u - 2)^2 + v^2 - 1)/2 = 0\nconstraint bar: ((u - x)^2 + (v - y)^2 - 4)/2 = 0\n\
             initial x = {k}, y = {s}, u = 2 + {k}, v = {s}, x' = {vx}, y' = {vy}, u' = {vx}, v' = {vy}\n",
            vx = -speed * s,
            vy = speed * k
        ),
        2 => format!(
            "{plane} - {}*x\nconstraint eight: (x^2 + y^2)^2 - x^2 + y^2 = 0\ninitial x = 1, y' = {speed}\n",
            a / 5.0
        ),
        3 => {
            let gap = 10f64.powf(-1.0 - 6.0 * a);
            let y = (1.0 - gap).sqrt();
            format!(
                "{plane} - {c}*x\nconstraint arm: x^2 - y^2 = {gap:e}\ninitial x = 1, y = {y}, x' = {}, y' = -{speed}\n",
                -speed * y
            )
        }
        4 => format!(
            "{plane} - {c}*y\nconstraint e: x^2 + y^2/{w} = 1\ninitial x = 1, y' = {speed}\n",
            w = 0.001 + a * a
        ),
        5 => format!(
            "coord x[i in 1..4], y[i in 1..4]\nboundary x[0] = 0, y[0] = 0\nparam m[i in 1..4] = if(i = 4, {}, 1)\n\
             lagrangian sum(i in 1..4, m[i]*(x[i]'^2 + y[i]'^2)/2 - m[i]*y[i])\n\
             constraint link[i in 1..4]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\ninitial x[i in 1..4] = i\n",
            10f64.powf(-3.0 * c)
        ),
        6 => format!(
            "coord x, y\nlagrangian (x'^2 + y'^2)/2 - sin(x)\nconstraint ovals: (y^2 - sin(x)^2 + {g:e})/2 = 0\n\
             initial x = pi/2, y = sqrt(1 - {g:e}), x' = {:e}\n",
            10f64.powf(-2.0 - 8.0 * b),
            g = 10f64.powf(-1.0 - 6.0 * a)
        ),
        _ => format!(
            "coord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2 + {}/sqrt((x - 0.2)^2 + y^2 + (z - 0.97)^2 + {})\n\
             constraint ball: (x^2 + y^2 + z^2 - 1)/2 = 0\ninitial x = 1, y' = {b}, z' = {a}\n",
            0.05 + c / 4.0,
            0.0005 + a * a / 100.0
        ),
    }
}

proptest! {
    #![proptest_config(problems::cases(40))]

    #[test]
    fn steps_looked_at_together_are_those_looked_at_one_by_one(
        which in 0u8..8, parts in [0.0..1.0f64, 0.0..1.0f64, 0.0..1.0f64], step in -3.3..-0.7f64, kind in 0u8..4,
    ) {
        let recipe = match kind {
            0 | 1 => Method::Rattle.into(),
            2 => Recipe::from(Method::Rattle).composed(Composition::Suzuki4),
            _ => Method::Lobatto3A3B { stages: 3 }.into(),
        };
        let case = Case::new(&text(which, parts), Formulation::Multipliers);
        let h = 10f64.powf(step);
        let plan = (h, (20.0 / h) as u64);
        let (each, end) = run(&case, recipe.clone(), plan, 1);
        let (together, ended) = run(&case, recipe, plan, 0);
        let seen = |run: &Run| {
            let m = run.monitor();
            let passages: Vec<_> = m.passages.iter().map(|p| (p.time, p.constraint, p.crossed)).collect();
            (passages, m.passage_count, m.followed, m.parted, m.settled, m.mended, m.jump.is_some())
        };
        prop_assert_eq!(seen(&together), seen(&each), "{:?} and {:?}", ended, end);
        // Relative to the largest entries of the matrix that were seen.
        for (one, other) in together.monitor().passages.iter().zip(&each.monitor().passages) {
            let ratio = one.condition / other.condition;
            prop_assert!((0.8..1.25).contains(&ratio), "{} and {}", one.condition, other.condition);
        }
        prop_assert_eq!((format!("{ended:?}"), together.done()), (format!("{end:?}"), each.done()));
        prop_assert_eq!(together.state(), each.state());
    }
}
