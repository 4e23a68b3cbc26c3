//! The average vector field method: how much quadrature the energy needs, the long run, and closed loops.

mod problems;

use cotangent_compile::Engine;
use cotangent_dynamics::{Advance, Measure};
use cotangent_integrate::{Composition, Method, Recipe};
use cotangent_problem::Integrator;
use cotangent_solve::NewtonOptions;
use cotangent_theory::Formulation;
use problems::{Case, DOUBLE, PENDULUM, RELATIVISTIC, shipped};
use proptest::prelude::*;
use std::f64::consts::TAU;

/// The largest errors of energy, constraints and hidden constraints over many steps, and the last state.
fn followed(text: &str, recipe: impl Into<Recipe>, step: f64, steps: u64) -> ([f64; 3], Vec<f64>) {
    let case = Case::new(text, Formulation::Multipliers);
    let p = &case.problem;
    let prepared = p.prepare(recipe.into()).unwrap();
    let mut diagnostics = p.diagnostics().unwrap();
    let options = NewtonOptions::default();
    let mut integrator = Integrator::new(&p.equations, &prepared, &p.parameters, options, Engine::Best).unwrap();
    let mut state = integrator.state(p.start.clone());
    let initial = diagnostics.kept(&state.values).unwrap().energy;
    let mut errors = [0.0f64; 3];
    for _ in 0..steps {
        integrator.advance(&mut state, step, 1).unwrap();
        let kept = diagnostics.kept(&state.values).unwrap();
        let size = |list: &[f64]| list.iter().fold(0.0f64, |m, r| m.max(r.abs()));
        let now = [(kept.energy - initial).abs(), size(&kept.constraints), size(&kept.hidden_constraints)];
        errors.iter_mut().zip(now).for_each(|(e, n)| *e = e.max(n));
    }
    (errors, state.values)
}

fn largest(text: &str, stages: usize, step: f64, steps: u64) -> [f64; 3] {
    followed(text, Method::AverageVectorField { stages }, step, steps).0
}

const AVERAGE: Method = Method::AverageVectorField { stages: 6 };

#[test]
fn a_quartic_energy_needs_two_points_and_no_more() {
    // Degree 4 = 2 s: exact from two points on, whatever the step.
    let [one, two] = [1, 2].map(|s| largest(DOUBLE, s, 0.1, 500)[0]);
    assert!(one > 1e-6, "{one:e}");
    assert!(two < 1e-13, "{two:e}");
}

#[test]
fn other_energies_are_kept_to_the_order_of_the_quadrature() {
    // 2 s for s points: each halving of the step divides the error by 4ˢ.
    for (s, steps) in [(1, [0.04, 0.02]), (2, [0.08, 0.04])] {
        let [coarse, fine] = steps.map(|h| largest(RELATIVISTIC, s, h, (20.0 / h) as u64)[0]);
        let order = (coarse / fine).log2();
        assert!((order - 2.0 * s as f64).abs() < 0.5, "{s} points: {coarse:e}, {fine:e}");
    }
    assert!(largest(RELATIVISTIC, 6, 0.05, 2000)[0] < 1e-12);
}

#[test]
fn a_long_run_keeps_energy_constraints_and_hidden_constraints() {
    let [energy, constraints, hidden] = largest(PENDULUM, 6, 0.1, 100_000);
    assert!(energy < 1e-12, "{energy:e}");
    assert!(constraints < 1e-15 && hidden < 4e-15, "{constraints:e} {hidden:e}");
    for name in ["four-bar", "four-bar-angles", "double-pendulum", "spherical-pendulum"] {
        let [energy, constraints, hidden] = largest(&shipped(name), 6, 0.01, 5000);
        assert!(
            energy < 1e-11 && constraints < 1e-14 && hidden < 1e-13,
            "{name}: {energy:e} {constraints:e} {hidden:e}"
        );
    }
}

#[test]
fn a_composition_keeps_the_same() {
    // Where the energy is no polynomial the inner steps must be small enough for the quadrature.
    for (text, step) in [(PENDULUM, 0.05), (DOUBLE, 0.05), (RELATIVISTIC, 0.01)] {
        let recipe = Recipe::from(AVERAGE).composed(Composition::Yoshida4);
        let ([energy, constraints, hidden], _) = followed(text, recipe, step, 500);
        assert!(energy < 1e-13 && constraints < 1e-14 && hidden < 1e-14, "{energy:e} {constraints:e} {hidden:e}");
    }
}

/// A closed loop with one degree of freedom: a crank of length a and a rod of length b, whose end slides on the
/// x axis or is held by a rocker of length c from (d, 0); the crank and the rocker are rods with their masses
/// along them, too.
#[derive(Clone, Copy, Debug)]
struct Loop {
    a: f64,
    b: f64,
    rocker: Option<(f64, f64)>,
    masses: [f64; 3],
    gravity: f64,
    angle: f64,
    speed: f64,
}

impl Loop {
    /// The angle of the rod and the place of its end, an angle of the rocker or x: closed forms.
    fn close(&self, angle: f64) -> [f64; 2] {
        let (x, y) = (self.a * angle.cos(), self.a * angle.sin());
        match self.rocker {
            None => {
                let rod = (-y / self.b).asin();
                [rod, x + self.b * rod.cos()]
            }
            Some((c, d)) => {
                // Two circles meet, about the end of the crank and about (d, 0); the upper of the two points.
                let far = (d - x).hypot(y);
                let along = (self.b * self.b - c * c + far * far) / (2.0 * far);
                let across = (self.b * self.b - along * along).sqrt();
                let (ux, uy) = ((d - x) / far, -y / far);
                let end = (x + along * ux - across * uy, y + along * uy + across * ux);
                [(end.1 - y).atan2(end.0 - x), end.1.atan2(end.0 - d)]
            }
        }
    }

    /// Their derivatives: the velocities of the two ends of the rod agree.
    fn slopes(&self, angle: f64) -> [f64; 2] {
        let [rod, end] = self.close(angle);
        let (sine, cosine) = (self.a * angle.sin(), self.a * angle.cos());
        match self.rocker {
            None => {
                let slope = -cosine / (self.b * rod.cos());
                [slope, -sine - self.b * rod.sin() * slope]
            }
            Some((c, _)) => {
                let turn = (rod - end).sin();
                [self.a * (end - angle).sin() / (self.b * turn), self.a * (rod - angle).sin() / (c * turn)]
            }
        }
    }

    /// M and V of the energy M(θ) θ̇²/2 + V(θ).
    fn reduced(&self, angle: f64) -> (f64, f64) {
        let Loop { a, b, masses: [mc, mr, me], .. } = *self;
        let ([rod, _], [rod_slope, end_slope]) = (self.close(angle), self.slopes(angle));
        let end = match self.rocker {
            None => me * end_slope * end_slope,
            Some((c, _)) => me * c * c / 3.0 * end_slope * end_slope,
        };
        let rod_mass = a * a + b * b * rod_slope * rod_slope / 3.0 + a * b * rod_slope * (angle - rod).cos();
        let potential = self.gravity * mr * (a * angle.sin() + b / 2.0 * rod.sin());
        (mc * a * a / 3.0 + mr * rod_mass + end, potential)
    }

    /// The angle after a time, while the crank turns forward: θ̇ = √(2 (E − V)/M), in many small steps.
    fn angle_at(&self, time: f64) -> f64 {
        let (mass, potential) = self.reduced(self.angle);
        let energy = mass * self.speed * self.speed / 2.0 + potential;
        let rate = |angle: f64| {
            let (mass, potential) = self.reduced(angle);
            (2.0 * (energy - potential) / mass).sqrt()
        };
        let (steps, mut angle) = ((time * self.speed * 1000.0).ceil() as u64, self.angle);
        let h = time / steps as f64;
        for _ in 0..steps {
            let k1 = rate(angle);
            let k2 = rate(angle + h / 2.0 * k1);
            let k3 = rate(angle + h / 2.0 * k2);
            let k4 = rate(angle + h * k3);
            angle += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        }
        angle
    }

    /// The same with all its coordinates and constraints; the mass matrix depends on the angles.
    fn text(&self) -> String {
        let Loop { a, b, masses: [mc, mr, me], gravity, angle, speed, .. } = *self;
        let ([rod, end], [rod_slope, end_slope]) = (self.close(angle), self.slopes(angle));
        let (energy, right) = match self.rocker {
            None => ("me*e'^2/2".to_string(), ["e".to_string(), "0".to_string()]),
            Some((c, d)) => (format!("me*{c:?}^2*e'^2/6"), [format!("{d:?} + {c:?}*cos(e)"), format!("{c:?}*sin(e)")]),
        };
        format!(
            "param a = {a:?}, b = {b:?}, mc = {mc:?}, mr = {mr:?}, me = {me:?}, g = {gravity:?}\ncoord t, r, e\n\
             lagrangian mc*a^2*t'^2/6 + mr*((a*t')^2 + (b*r')^2/3 + a*b*t'*r'*cos(t - r))/2 + {energy} \
             - g*mr*(a*sin(t) + b/2*sin(r))\n\
             constraint x: a*cos(t) + b*cos(r) - ({}) = 0\nconstraint y: a*sin(t) + b*sin(r) - ({}) = 0\n\
             initial t = {angle:?}, r = {rod:?}, e = {end:?}, t' = {speed:?}, r' = {:?}, e' = {:?}\n",
            right[0],
            right[1],
            rod_slope * speed,
            end_slope * speed,
        )
    }

    /// How far the angle is from the exact one at the end, after what was kept was checked.
    fn error(&self, step: f64, steps: u64) -> f64 {
        let ([energy, constraints, hidden], state) = followed(&self.text(), AVERAGE, step, steps);
        let (mass, potential) = self.reduced(self.angle);
        let scale = mass * self.speed * self.speed + potential.abs() + 1.0;
        assert!(energy < 1e-12 * scale, "{self:?}: energy {energy:e} of {scale}");
        let size = self.a + self.b;
        assert!(constraints < 1e-13 * size, "{self:?}: {constraints:e}");
        assert!(hidden < 1e-12 * size * (1.0 + self.speed), "{self:?}: {hidden:e}");
        (state[0] - self.angle_at(step * steps as f64)).abs()
    }
}

#[test]
fn a_slider_crank_turns_as_it_should_for_a_long_time() {
    let crank = Loop { a: 1.0, b: 2.0, rocker: None, masses: [1.0; 3], gravity: 0.0, angle: 0.0, speed: 20.0 };
    // By a sum over the periodic M(θ), in another program.
    assert!((crank.angle_at(10.0) - 135.041_919_653_297).abs() < 1e-9);
    let [coarse, fine] = [(0.001, 10_000), (0.0005, 20_000)].map(|(h, n)| crank.error(h, n));
    assert!(fine < 5e-4 && (coarse / fine - 4.0).abs() < 0.2, "{coarse:e} {fine:e}");
}

#[test]
fn a_step_back_undoes_a_step() {
    let bar = Loop {
        a: 1.0,
        b: 2.5,
        rocker: Some((2.8, 3.0)),
        masses: [1.0, 0.5, 2.0],
        gravity: 1.0,
        angle: 0.7,
        speed: 3.0,
    };
    for text in [bar.text(), DOUBLE.into(), RELATIVISTIC.into()] {
        let case = Case::new(&text, Formulation::Multipliers);
        let (p, prepared) = (&case.problem, case.prepared(AVERAGE, None));
        let options = NewtonOptions::default();
        let mut integrator = Integrator::new(&p.equations, &prepared, &p.parameters, options, Engine::Best).unwrap();
        let mut state = integrator.state(p.start.clone());
        integrator.advance(&mut state, 0.05, 20).unwrap();
        integrator.advance(&mut state, -0.05, 20).unwrap();
        let off = state.values.iter().zip(&p.start).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-12, "{off:e}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..problems::cases(6) })]
    #[test]
    fn closed_loops_keep_everything_and_are_of_second_order(
        b in 2.2f64..3.0,
        rocker in prop::option::of((2.5f64..3.5, 2.5f64..3.5)),
        masses in prop::array::uniform3(0.2f64..3.0),
        gravity in 0.0f64..1.0,
        angle in 0.0..TAU,
        speed in 4.0f64..8.0,
    ) {
        let closed = Loop { a: 1.0, b, rocker, masses, gravity, angle, speed };
        // The crank must turn round, with room left.
        let (mass, potential) = closed.reduced(angle);
        let energy = mass * speed * speed / 2.0 + potential;
        let highest = (0..100).map(|k| closed.reduced(TAU * f64::from(k) / 100.0).1).fold(f64::MIN, f64::max);
        prop_assume!(energy > 2.0 * highest.abs());
        let errors = [(0.004, 500), (0.002, 1000), (0.001, 2000)].map(|(h, n)| closed.error(h, n));
        // The error may pass through zero at the end for one of the steps, not for all.
        let second = errors.windows(2).any(|e| (e[0] / e[1] - 4.0).abs() < 0.3);
        prop_assert!(second && errors[2] < 1e-2, "{:?} {:?}", closed, errors);
    }
}
