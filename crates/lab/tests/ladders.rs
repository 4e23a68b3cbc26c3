//! Mechanisms of one degree of freedom in which several constraints depend on the others at once go straight through.

mod problems;

use cotangent_integrate::{Composition, Inner, Method, Recipe};
use cotangent_observe::End;
use cotangent_theory::Formulation;
use problems::{Case, angle};
use proptest::prelude::*;

/// Cranks of length 1 at distances d, each joined to the next by a bar of the length d: parallelograms that share their cranks. All
/// of them lie flat at once. With masses, in a field g, from an angle with a speed.
struct Ladder {
    masses: Vec<f64>,
    distance: f64,
    g: f64,
    start: f64,
    speed: f64,
}

impl Ladder {
    fn text(&self) -> String {
        let Ladder { masses, distance: d, g, start, speed } = self;
        let (s, c) = start.sin_cos();
        let (mut names, mut energy, mut constraints, mut initial) = (vec![], vec![], vec![], vec![]);
        for (i, m) in masses.iter().enumerate() {
            let foot = i as f64 * d;
            names.push(format!("x{i}, y{i}"));
            energy.push(format!("{m:?}*(x{i}'^2 + y{i}'^2)/2 - {m:?}*{g:?}*y{i}"));
            constraints.push(format!("crank{i}: ((x{i} - {foot:?})^2 + y{i}^2 - 1)/2 = 0"));
            if i > 0 {
                let k = i - 1;
                constraints.push(format!("bar{i}: ((x{i} - x{k})^2 + (y{i} - y{k})^2 - {d:?}^2)/2 = 0"));
            }
            initial.push(format!("x{i} = {:?}, y{i} = {s:?}", foot + c));
            initial.push(format!("x{i}' = {:?}, y{i}' = {:?}", -speed * s, speed * c));
        }
        format!(
            "coord {}\nlagrangian {}\nconstraint {}\ninitial {}\n",
            names.join(", "),
            energy.join(" + "),
            constraints.join(", "),
            initial.join(", ")
        )
    }

    /// The largest distance of a joint from where it is when the cranks stand at an angle.
    fn off(&self, state: &[f64], angle: f64) -> f64 {
        let joint = |i: usize| [i as f64 * self.distance + angle.cos(), angle.sin()];
        let apart = |i: usize| (state[2 * i] - joint(i)[0]).hypot(state[2 * i + 1] - joint(i)[1]);
        (0..self.masses.len()).map(apart).fold(0.0, f64::max)
    }
}

/// Multipliers at round-off, hidden constraints at round-off, and constraints that drift.
const COMBINATIONS: [(Formulation, Method); 11] = [
    (Formulation::Multipliers, Method::Rattle),
    (Formulation::Multipliers, Method::Shake),
    (Formulation::Multipliers, Method::Lobatto3A3B { stages: 3 }),
    (Formulation::Multipliers, Method::Reich { inner: Inner::StormerVerlet }),
    (Formulation::Multipliers, Method::AverageVectorField { stages: 3 }),
    (Formulation::Multipliers, Method::Radau2A { stages: 2 }),
    (Formulation::Standard, Method::Gauss { stages: 2 }),
    (Formulation::HamiltonDirac, Method::Gauss { stages: 2 }),
    (Formulation::ImpetusStriction, Method::Gauss { stages: 2 }),
    (Formulation::LocalChart { threshold: 1.0 }, Method::Gauss { stages: 2 }),
    (Formulation::Ggl, Method::Radau2A { stages: 2 }),
];

#[test]
fn a_double_four_bar_turns_evenly_whatever_integrates_it() {
    // Upright with the speed 1: the cranks lie flat at t = π/2, with two more dependent constraints than one.
    let ladder = |count: usize, distance: f64| Ladder {
        masses: vec![1.0; count],
        distance,
        g: 0.0,
        start: std::f64::consts::FRAC_PI_2,
        speed: 1.0,
    };
    for (formulation, method) in COMBINATIONS {
        let own = ladder(3, 1.0);
        let (run, end) = Case::new(&own.text(), formulation).run(method, 0.01, 300);
        assert!(matches!(end, End::Finished), "{formulation:?} {method:?}: {end:?} at {}", run.time());
        let off = own.off(&run.state().values, std::f64::consts::FRAC_PI_2 + 3.0);
        assert!(off < 1e-3, "{formulation:?} {method:?}: {off:e}");
        let passed: Vec<f64> = run.monitor().passages.iter().filter(|p| p.crossed).map(|p| p.time).collect();
        assert!(
            passed.len() == 1 && (passed[0] - std::f64::consts::FRAC_PI_2).abs() < 0.03,
            "{formulation:?} {method:?}: {passed:?}"
        );
    }
    for (count, distance, h) in [(3, 1.0, 1e-3), (4, 1.5, 0.01), (5, 1.0, 0.01), (5, 0.7, 0.037)] {
        let own = ladder(count, distance);
        let steps = (3.0 / h) as u64;
        let (run, end) = Case::new(&own.text(), Formulation::Multipliers).run(Method::Rattle, h, steps);
        assert!(matches!(end, End::Finished), "{count} cranks: {end:?} at {}", run.time());
        let off = own.off(&run.state().values, std::f64::consts::FRAC_PI_2 + steps as f64 * h);
        assert!(off < 10.0 * h * h, "{count} cranks: {off:e}");
    }
}

proptest! {
    #![proptest_config(problems::cases(12))]

    #[test]
    fn ladders_of_cranks_stay_parallelograms(
        masses in prop::collection::vec(0.3..3.0f64, 3..5), distance in 0.4..2.5f64, g in 0.0..0.3f64,
        start in 0.3..2.8f64, speed in 1.2..2.0f64, step in -2.5..-1.2f64, kind in 0u8..3,
    ) {
        let ladder = Ladder { masses, distance, g, start, speed };
        let h = 10f64.powf(step);
        let steps = (5.0 / h) as u64;
        let recipe: Recipe = match kind {
            0 => Method::Rattle.into(),
            1 => Recipe::from(Method::Rattle).composed(Composition::Suzuki4),
            _ => Method::Lobatto3A3B { stages: 3 }.into(),
        };
        let (run, end) = Case::new(&ladder.text(), Formulation::Multipliers).run(recipe, h, steps);
        prop_assert!(matches!(end, End::Finished), "{end:?} at {}", run.time());
        // Every mass goes along its own circle: θ″ = −g cos θ.
        let [end, _] = angle([start, speed], |_| [1.0, 0.0], |a| g * a.cos(), steps as f64 * h);
        let off = ladder.off(&run.state().values, end);
        prop_assert!(off < 60.0 * (h * speed).powi(2), "{off:e}");
    }

    #[test]
    fn two_sliders_on_one_crank_pass_their_centre(
        start in 0.3..1.2f64, speed in 0.8..2.0f64, step in -2.5..-1.5f64, moves in any::<bool>(),
    ) {
        // Both rods are as long as the crank: at θ = π/2 each slider may go on or stay, u = 2 cos θ or u = 0.
        let (s, c) = start.sin_cos();
        let other = if moves { 2.0 } else { 0.0 };
        let text = format!(
            "coord x, y, u, v\nlagrangian (x'^2 + y'^2 + u'^2 + v'^2)/2\n\
             constraint crank: (x^2 + y^2 - 1)/2 = 0, first: ((u - x)^2 + y^2 - 1)/2 = 0, second: ((v - x)^2 + y^2 - 1)/2 = 0\n\
             initial x = {c:?}, y = {s:?}, u = {:?}, v = {:?}, x' = {:?}, y' = {:?}, u' = {:?}, v' = {:?}\n",
            2.0 * c, other * c, -speed * s, speed * c, -2.0 * speed * s, -other * speed * s
        );
        let h = 10f64.powf(step);
        let steps = (3.0 / h) as u64;
        let (run, end) = Case::new(&text, Formulation::Multipliers).run(Method::Rattle, h, steps);
        prop_assert!(matches!(end, End::Finished), "{end:?} at {}", run.time());
        let k = 4.0 + other * other;
        let inertia = |a: f64| [1.0 + k * a.sin().powi(2), k * (2.0 * a).sin()];
        let [a, _] = angle([start, speed], inertia, |_| 0.0, steps as f64 * h);
        let [x, y, u, v] = run.state().values[..4] else { panic!() };
        prop_assert!((u - 2.0 * x).abs() < 1e-8 && (v - other * x).abs() < 1e-8, "{u} {v} at {x}");
        prop_assert!((x - a.cos()).hypot(y - a.sin()) < 60.0 * (2.0 * h * speed).powi(2), "{x} {y}");
    }
}
