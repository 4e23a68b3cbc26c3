//! Units do not matter: a run in any units is the run in plain ones, scaled back.

mod problems;

use cotangent_compile::Engine;
use cotangent_dynamics::Advance;
use cotangent_integrate::{Composition, Inner, Method, Projection, Recipe, Target};
use cotangent_problem::Integrator;
use cotangent_solve::NewtonOptions;
use cotangent_theory::Formulation;
use problems::Case;
use proptest::prelude::*;

/// The units of mass, length and time.
#[derive(Clone, Copy, Debug)]
struct Units {
    mass: f64,
    length: f64,
    time: f64,
}

const PLAIN: Units = Units { mass: 1.0, length: 1.0, time: 1.0 };

/// What a coordinate is.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Quantity {
    Length,
    Angle,
}

/// Models with masses, lengths and an acceleration, as functions of the units they are written in.
#[derive(Clone, Copy, Debug)]
enum Model {
    Pendulum,
    DoublePendulum,
    /// Three links, the last of them light.
    Chain,
    /// In joint coordinates, with velocities.
    FourBar,
    /// Two angles and a length; a mass matrix that depends on the angles.
    SliderCrank,
}

impl Model {
    const ALL: [Model; 5] = [Model::Pendulum, Model::DoublePendulum, Model::Chain, Model::FourBar, Model::SliderCrank];

    fn text(self, u: Units) -> String {
        let Units { mass, length, time } = u;
        let (speed, gravity) = (length / time, length / time / time);
        let given = format!("param m = {mass:e}, l = {length:e}, g = {gravity:e}, v = {speed:e}\n");
        let rest = match self {
            Model::Pendulum => {
                "coord x, y\nhamiltonian (p_x^2 + p_y^2)/(2*m) + m*g*y\n\
                 constraint rod: (x^2 + y^2 - l^2)/2 = 0\ninitial x = l, p_y = -2*m*v\n"
            }
            Model::DoublePendulum => {
                "coord x1, y1, x2, y2\n\
                 hamiltonian (p_x1^2 + p_y1^2)/(4*m) + (p_x2^2 + p_y2^2)/(3*m) + g*m*(2*y1 + 3*y2/2)\n\
                 constraint a: (x1^2 + y1^2 - l^2)/2 = 0\n\
                 constraint b: ((x2 - x1)^2 + (y2 - y1)^2 - 2*l^2)/2 = 0\n\
                 initial x1 = l, x2 = 2*l, y2 = l, p_y1 = 2*m*v, p_x2 = -3*m*v/10, p_y2 = 9*m*v/5\n"
            }
            Model::Chain => {
                "coord x1, y1, x2, y2, x3, y3\n\
                 hamiltonian (p_x1^2 + p_y1^2 + p_x2^2 + p_y2^2 + 1000*(p_x3^2 + p_y3^2))/(2*m) \
                 + g*m*(y1 + y2 + y3/1000)\n\
                 constraint a: (x1^2 + y1^2 - l^2)/2 = 0\n\
                 constraint b: ((x2 - x1)^2 + (y2 - y1)^2 - l^2)/2 = 0\n\
                 constraint c: ((x3 - x2)^2 + (y3 - y2)^2 - l^2)/2 = 0\n\
                 initial x1 = l, x2 = 2*l, x3 = 2*l, y3 = -l, p_y1 = m*v, p_y2 = m*v, p_y3 = m*v/1000\n"
            }
            Model::FourBar => {
                "coord x1, y1, x2, y2\n\
                 let u2 = x1'^2 + y1'^2, uv = x1'*x2' + y1'*y2', w2 = x2'^2 + y2'^2\n\
                 lagrangian m*u2/6 + 5*m*(u2 + uv + w2)/6 + m*w2/2 - g*m*(3*y1 + 4*y2)\n\
                 constraint crank: (x1^2 + y1^2 - l^2)/2 = 0\n\
                 constraint coupler: ((x2 - x1)^2 + (y2 - y1)^2 - 25*l^2)/2 = 0\n\
                 constraint rocker: ((x2 - 5*l)^2 + y2^2 - 9*l^2)/2 = 0\n\
                 initial x1 = l, x2 = 5*l, y2 = 3*l, y1' = v, x2' = 3*v/4\n"
            }
            Model::SliderCrank => {
                "coord t, r, s\n\
                 lagrangian m*(l*t')^2/6 + m*((l*t')^2 + (2*l*r')^2/3 + 2*l^2*t'*r'*cos(t - r))/2 + m*s'^2/2\n\
                 constraint x: l*cos(t) + 2*l*cos(r) - s = 0\nconstraint y: l*sin(t) + 2*l*sin(r) = 0\n\
                 initial t = 0, r = 0, s = 3*l, t' = 2*v/l, r' = -v/l\n"
            }
        };
        given + rest
    }

    /// Whether it has angles beside lengths.
    fn has_angles(self) -> bool {
        matches!(self, Model::SliderCrank)
    }

    /// The size of each variable of the state that is 1 in plain units.
    fn sizes(self, u: Units) -> Vec<f64> {
        use Quantity::{Angle, Length};
        let coordinates = match self {
            Model::Pendulum => vec![Length; 2],
            Model::DoublePendulum | Model::FourBar => vec![Length; 4],
            Model::Chain => vec![Length; 6],
            Model::SliderCrank => vec![Angle, Angle, Length],
        };
        let position = |q: &Quantity| if *q == Length { u.length } else { 1.0 };
        let action = u.mass * u.length / u.time * u.length;
        let momenta = coordinates.iter().map(|q| action / position(q));
        coordinates.iter().map(position).chain(momenta).collect()
    }
}

/// Everything with equations to solve, or a size to compare with.
fn recipes() -> Vec<(Formulation, Recipe)> {
    let multipliers = Formulation::Multipliers;
    let methods = [
        Method::Rattle,
        Method::Shake,
        Method::Lobatto3A3B { stages: 2 },
        Method::Lobatto3A3B { stages: 3 },
        Method::Reich { inner: Inner::ImplicitMidpoint },
        Method::AverageVectorField { stages: 4 },
        Method::Bdf2,
        Method::Radau2A { stages: 2 },
        Method::Radau2A { stages: 3 },
    ];
    let mut all: Vec<_> = methods.map(|m| (multipliers, Recipe::from(m))).into();
    for method in [Method::Rattle, Method::AverageVectorField { stages: 4 }, Method::Lobatto3A3B { stages: 2 }] {
        all.push((multipliers, Recipe::from(method).composed(Composition::Suzuki4)));
    }
    all.push((Formulation::IndexReduced, Method::Radau2A { stages: 2 }.into()));
    all.push((Formulation::IndexReduced, Method::Bdf2.into()));
    let fields = [
        Formulation::Standard,
        Formulation::HamiltonDirac,
        Formulation::Total,
        Formulation::ImpetusStriction,
        Formulation::LocalChart { threshold: 1.5 },
        Formulation::Ggl,
    ];
    for formulation in fields {
        for method in [Method::Gauss { stages: 2 }, Method::Rk4, Method::Radau2A { stages: 2 }, Method::Bdf2] {
            all.push((formulation, method.into()));
        }
        all.push((formulation, Method::Dop853 { tolerance: Some(1e-10) }.into()));
    }
    for target in [Target::Both, Target::Symmetric] {
        let projection = Projection { target, above: None };
        all.push((Formulation::Standard, Recipe::from(Method::Gauss { stages: 1 }).projected(projection)));
    }
    all
}

/// The state after some steps, scaled back; or why there is none.
fn end(model: Model, u: Units, formulation: Formulation, recipe: &Recipe) -> Result<Vec<f64>, String> {
    let case = Case::new(&model.text(u), formulation);
    let p = &case.problem;
    let prepared = p.prepare(recipe.clone()).map_err(|e| e.to_string())?;
    let options = NewtonOptions::default();
    let mut integrator =
        Integrator::new(&p.equations, &prepared, &p.parameters, options, Engine::Best).map_err(|e| e.to_string())?;
    let mut state = integrator.state(p.start.clone());
    integrator.advance(&mut state, 0.0078125 * u.time, 16).map_err(|e| format!("{e:?}"))?;
    Ok(state.values.iter().zip(model.sizes(u)).map(|(x, size)| x / size).collect())
}

fn compare(model: Model, u: Units, formulation: Formulation, recipe: &Recipe) -> Result<(), String> {
    // A tolerance is relative to the largest position and the largest momentum: of angles beside lengths of 10¹¹ it says
    // nothing (limits of the book), and the error of 10⁻⁸ or so that a step then has is one it lets pass.
    let controlled = recipe.method.tolerance().is_some();
    let u = if controlled && model.has_angles() { Units { length: 1.0, ..u } } else { u };
    let plain = end(model, PLAIN, formulation, recipe)?;
    let scaled = end(model, u, formulation, recipe)?;
    let size = |part: &[f64]| part.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let n = plain.len() / 2;
    // Round-off; or what a tolerance lets pass, as round-off in the error of a step changes the next one's size.
    let allowed = recipe.method.tolerance().map_or(1e-11, |tolerance| 10.0 * tolerance);
    for (a, b) in plain.chunks(n).zip(scaled.chunks(n)) {
        let off = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        if off.is_nan() || off > allowed * size(a) {
            return Err(format!("{plain:?}\n{scaled:?}"));
        }
    }
    Ok(())
}

#[test]
fn a_pendulum_in_the_units_of_planets_and_of_atoms_swings_as_any_other() {
    let units = [
        Units { mass: 1e24, length: 1e8, time: 1.0 },
        Units { mass: 1e-27, length: 1e-10, time: 1.0 },
        Units { mass: 1e15, length: 1.0, time: 1.0 },
        Units { mass: 2e30, length: 1.5e11, time: 5e6 },
    ];
    for (formulation, recipe) in recipes() {
        for u in units {
            let compared = compare(Model::Pendulum, u, formulation, &recipe);
            compared.unwrap_or_else(|e| panic!("{u:?} {formulation:?} {recipe:?}: {e}"));
        }
    }
}

/// A pendulum and a double pendulum whose origin is elsewhere: there positions have fewer digits, and nothing else changes.
#[test]
fn the_origin_does_not_matter() {
    let run = |offset: f64, links: usize, recipe: &Recipe| -> Result<Vec<f64>, String> {
        let second = [
            "",
            "coord u, v\nconstraint b: ((u - x)^2 + (v - y)^2 - 1)/2 = 0\ninitial u = a + 1, v = a - 1, p_u = 0.3\n",
        ][links - 1];
        let energy = ["(p_x^2 + p_y^2)/2 + y", "(p_x^2 + p_y^2 + p_u^2 + p_v^2)/2 + y + v"][links - 1];
        let text = format!(
            "param a = {offset:e}\ncoord x, y\n{second}hamiltonian {energy}\n\
             constraint rod: ((x - a)^2 + (y - a)^2 - 1)/2 = 0\ninitial x = a + 1, y = a, p_y = -1\n"
        );
        let case = Case::new(&text, Formulation::Multipliers);
        let p = &case.problem;
        let prepared = p.prepare(recipe.clone()).map_err(|e| e.to_string())?;
        let mut integrator =
            Integrator::new(&p.equations, &prepared, &p.parameters, NewtonOptions::default(), Engine::Best).unwrap();
        let mut state = integrator.state(p.start.clone());
        integrator.advance(&mut state, 0.01, 100).map_err(|e| format!("{e:?}"))?;
        let n = 2 * links;
        Ok(state.values.iter().enumerate().map(|(k, z)| if k < n { z - offset } else { *z }).collect())
    };
    let inner = [Inner::ImplicitMidpoint, Inner::SymplecticEuler, Inner::Gauss { stages: 2 }];
    let reich = inner.map(|inner| Recipe::from(Method::Reich { inner }));
    let composed = Recipe::from(Method::Reich { inner: Inner::ImplicitMidpoint }).composed(Composition::Suzuki4);
    let others = [Method::Rattle, Method::Lobatto3A3B { stages: 3 }].map(Recipe::from);
    for recipe in reich.into_iter().chain([composed]).chain(others) {
        for links in [1, 2] {
            let Ok(here) = run(0.0, links, &recipe) else { continue };
            for offset in [1e3, -1e6, 1e6] {
                let there = run(offset, links, &recipe).unwrap_or_else(|e| panic!("{recipe:?} {offset}: {e}"));
                let off = here.iter().zip(&there).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(off < 1e3 * f64::EPSILON * offset.abs(), "{recipe:?} at {offset}: {off:e}");
            }
        }
    }
}

#[test]
fn constraints_that_say_the_same_are_found_in_any_units() {
    for length in [1.0, 1e-10, 1.5e11] {
        let text = format!(
            "param l = {length:e}, m = 2e30\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/(2*m)\n\
             constraint a: (x^2 + y^2 - l^2)/2 = 0\nconstraint b: 3*l*(x^2 + y^2) - 3*l^3 = 0\ninitial x = l\n"
        );
        let system = cotangent_model::System::parse(&text).unwrap();
        let repairs = cotangent_problem::Repairs { project_initial: true, drop_redundant: false };
        let problem = cotangent_problem::Instance::new(&system, Formulation::Multipliers, &[], repairs, Engine::Best);
        let Err(cotangent_problem::ProblemError::Redundant { constraints }) = problem else { panic!("{length}") };
        assert_eq!((constraints.len(), constraints[0].name.as_str()), (1, "b"));
    }
}

/// The states between the own steps of a method that chooses them, from rest, scaled back.
fn own_steps(u: Units, method: Method, formulation: Formulation) -> Vec<f64> {
    let Units { mass, length, time } = u;
    let text = format!(
        "param m = {mass:e}, l = {length:e}, g = {:e}\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/(2*m) + m*g*y\n\
         constraint rod: (x^2 + y^2 - l^2)/2 = 0\ninitial x = l\n",
        length / time / time
    );
    let case = Case::new(&text, formulation);
    let p = &case.problem;
    let prepared = p.prepare(method).unwrap();
    let options = NewtonOptions::default();
    let mut integrator = Integrator::new(&p.equations, &prepared, &p.parameters, options, Engine::Best).unwrap();
    let mut state = integrator.state(p.start.clone());
    integrator.advance(&mut state, 4.0 * time, 1).unwrap();
    let sizes = Model::Pendulum.sizes(u);
    integrator.own_steps().unwrap().chunks(4).flat_map(|z| z.iter().zip(&sizes).map(|(z, s)| z / s)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..problems::cases(40) })]
    /// From rest, where momenta have no size: the first step, and so all others.
    #[test]
    fn own_steps_are_the_same_in_all_units(
        (mass, length, time) in (-27.0f64..24.0, -12.0f64..12.0, -8.0f64..8.0),
        method in prop::sample::select(vec![
            Method::Dopri5 { tolerance: Some(1e-8) },
            Method::Dop853 { tolerance: Some(1e-10) },
        ]),
        formulation in prop::sample::select(vec![Formulation::Standard, Formulation::HamiltonDirac, Formulation::Ggl]),
    ) {
        let u = Units { mass: 10f64.powf(mass), length: 10f64.powf(length), time: 10f64.powf(time) };
        let (plain, scaled) = (own_steps(PLAIN, method, formulation), own_steps(u, method, formulation));
        prop_assert_eq!(plain.len(), scaled.len());
        let off = plain.iter().zip(&scaled).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        // Round-off in the error of a step, which is a part of the tolerance, becomes some of the next one's size.
        let allowed = method.tolerance().map_or(0.0, |tolerance| 100.0 * f64::EPSILON / tolerance);
        prop_assert!(off < allowed, "{}: {:?} {:?}", off, &plain[..12], &scaled[..12]);
    }

    /// The fixed point of a symmetric projection, around several methods.
    #[test]
    fn symmetric_projections_are_the_same_in_all_units(
        model in prop::sample::select(&Model::ALL[..]),
        (mass, length, time) in (-27.0f64..24.0, -12.0f64..12.0, -8.0f64..8.0),
        method in prop::sample::select(vec![Method::Gauss { stages: 1 }, Method::Gauss { stages: 2 }, Method::Rk4]),
        formulation in prop::sample::select(vec![
            Formulation::Standard,
            Formulation::HamiltonDirac,
            Formulation::ImpetusStriction,
        ]),
    ) {
        let u = Units { mass: 10f64.powf(mass), length: 10f64.powf(length), time: 10f64.powf(time) };
        let recipe = Recipe::from(method).projected(Projection { target: Target::Symmetric, above: None });
        let compared = compare(model, u, formulation, &recipe);
        prop_assert!(compared.is_ok(), "{:?} {:?} {:?} {:?}: {}", model, u, formulation, recipe, compared.unwrap_err());
    }

    #[test]
    fn units_do_not_matter(
        model in prop::sample::select(&Model::ALL[..]),
        (mass, length, time) in (-27.0f64..30.0, -12.0f64..12.0, -8.0f64..8.0),
        (formulation, recipe) in prop::sample::select(recipes()),
    ) {
        let u = Units { mass: 10f64.powf(mass), length: 10f64.powf(length), time: 10f64.powf(time) };
        let compared = compare(model, u, formulation, &recipe);
        prop_assert!(compared.is_ok(), "{:?} {:?} {:?} {:?}: {}", model, u, formulation, recipe, compared.unwrap_err());
    }
}
