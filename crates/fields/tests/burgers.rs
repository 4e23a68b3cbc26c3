//! Burgers' equation: what approximates it, to the digits of an independent program (an integration of the semi-discrete
//! equations by DOP853, and midpoint steps solved by fixed points), and what does not.

use cotangent_compile::Engine;
use cotangent_dynamics::{Advance, AnySystem};
use cotangent_expr::{Expr, Function};
use cotangent_fields::burgers::{Galerkin, Midpoint, Reduced, averaged, zabusky_kruskal};
use cotangent_fields::{Characteristics, FieldsError, spectrum, total_variation};
use cotangent_integrate::{Handwritten, Method};
use cotangent_model::System;
use cotangent_problem::{Instance, Repairs};
use cotangent_theory::Formulation;
use std::f64::consts::TAU;

fn sine(x: &Expr) -> Expr {
    Expr::call(Function::Sin, vec![x.clone()])
}

fn raised(x: &Expr) -> Expr {
    sine(x) + 2
}

/// The semi-discrete equations.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Scheme {
    Galerkin,
    Averaged,
    ZabuskyKruskal,
}
use Scheme::{Averaged, ZabuskyKruskal};

const ALL: [Scheme; 3] = [Scheme::Galerkin, Averaged, ZabuskyKruskal];

fn instance(system: &System) -> Instance {
    Instance::new(system, Formulation::Multipliers, &[], Repairs::default(), Engine::Best).unwrap()
}

/// What makes midpoint steps of a scheme, the state, and the energy of a state.
struct Walk {
    integrator: Box<dyn Advance>,
    state: cotangent_dynamics::State<f64>,
    scheme: Scheme,
}

impl Walk {
    fn new(scheme: Scheme, cells: usize, mean: f64) -> Walk {
        let dx = TAU / cells as f64;
        let start = (0..cells).map(|i| mean + (i as f64 * dx).sin()).collect();
        let profile = if mean == 0.0 { sine } else { raised };
        let system = match scheme {
            Scheme::Galerkin => {
                let midpoint = Midpoint::new(&Galerkin::new(cells, dx).unwrap()).unwrap();
                return Walk { state: midpoint.state(start), integrator: Box::new(midpoint), scheme };
            }
            Averaged => averaged(cells, profile),
            ZabuskyKruskal => zabusky_kruskal(cells, profile),
        };
        let problem = instance(&system.unwrap());
        assert!(problem.start.iter().zip(&start).all(|(a, b)| (a - b).abs() < 1e-14));
        let integrator = problem.integrator(&problem.prepare(Method::ImplicitMidpoint).unwrap()).unwrap();
        Walk { state: integrator.state(problem.start.clone()), integrator: Box::new(integrator), scheme }
    }

    fn go(&mut self, h: f64, steps: u64) -> &[f64] {
        self.integrator.advance(&mut self.state, h, steps).unwrap();
        &self.state.values
    }

    fn energy(&self) -> f64 {
        let u = &self.state.values;
        let next = |i: usize| u[(i + 1) % u.len()];
        let mass = |i: usize| match self.scheme {
            ZabuskyKruskal => u[i] * u[i] / 2.0,
            _ => u[i] * u[i] / 3.0 + u[i] * next(i) / 6.0,
        };
        (0..u.len()).map(mass).sum()
    }
}

fn largest(u: &[f64]) -> f64 {
    u.iter().copied().fold(f64::MIN, f64::max)
}

/// The largest distance to the exact solution at the nodes.
fn error(u: &[f64], mean: f64, t: f64) -> f64 {
    let exact = Characteristics::new(|x| mean + x.sin(), f64::cos, TAU).unwrap();
    let dx = TAU / u.len() as f64;
    let at = |i: usize| exact.at(i as f64 * dx, t).unwrap();
    u.iter().enumerate().fold(0.0, |m, (i, u)| m.max((u - at(i)).abs()))
}

/// (scheme, steps of 0.003, max u, total variation, error or 0 after the shock)
const MIDPOINT: [(Scheme, u64, f64, f64, f64); 12] = [
    (Scheme::Galerkin, 150, 0.9999457211, 3.99978288, 4.5533e-4),
    (Scheme::Galerkin, 300, 0.9997720964, 3.99908839, 3.5438e-2),
    (Scheme::Galerkin, 500, 1.9098546995, 67.95482330, 0.0),
    (Scheme::Galerkin, 667, 1.8433488790, 127.20425949, 0.0),
    (Averaged, 150, 1.0002878213, 4.00115129, 1.5526e-3),
    (Averaged, 300, 1.0010979862, 4.00439194, 4.6504e-2),
    (Averaged, 500, 2.7589318100, 25.71851760, 0.0),
    (Averaged, 667, 2.9255397014, 59.09452115, 0.0),
    (ZabuskyKruskal, 150, 1.0001538725, 4.00061549, 1.1938e-3),
    (ZabuskyKruskal, 300, 1.0005828159, 4.00233126, 3.7782e-2),
    (ZabuskyKruskal, 500, 1.8375618612, 23.16006859, 0.0),
    (ZabuskyKruskal, 667, 1.7792883423, 47.67961594, 0.0),
];

#[test]
fn midpoint_steps_have_the_digits_of_an_independent_program() {
    for scheme in ALL {
        let (mut walk, mut made) = (Walk::new(scheme, 100, 0.0), 0);
        for (_, steps, max, variation, off) in MIDPOINT.into_iter().filter(|row| row.0 == scheme) {
            let u = walk.go(0.003, steps - made);
            made = steps;
            assert!((largest(u) - max).abs() < 1e-9, "{scheme:?} {steps}: {}", largest(u));
            assert!((total_variation(u) - variation).abs() < 1e-7, "{scheme:?} {steps}: {}", total_variation(u));
            if off > 0.0 {
                let found = error(u, 0.0, steps as f64 * 0.003);
                assert!((found / off - 1.0).abs() < 1e-4, "{scheme:?} {steps}: {found}");
            }
        }
    }
}

/// u at the nodes 25, 40, 45, 48 of 100, at t = 0.5 and 0.9.
#[test]
fn semi_discrete_equations_have_the_digits_of_an_independent_program() {
    let known = [
        (Scheme::Galerkin, 0.5, [0.9002880457438, 0.8755253677649, 0.5602822782565, 0.2466451145043]),
        (Scheme::Galerkin, 0.9, [0.7694804526451, 0.9991053200435, 0.9044645250110, 0.6550445866801]),
        (Averaged, 0.5, [0.9008308955136, 0.8748785875677, 0.5577907930851, 0.2445930901415]),
        (Averaged, 0.9, [0.7700783470203, 1.0004974151358, 0.9059425227186, 0.6590871902169]),
        (ZabuskyKruskal, 0.5, [0.9006928333567, 0.8748576224929, 0.5581895123618, 0.2449769172049]),
        (ZabuskyKruskal, 0.9, [0.7699350798690, 0.9999035353704, 0.9043785804926, 0.6570027808883]),
    ];
    for (scheme, t, nodes) in known {
        let steps = (t * 2000.0_f64).round() as u64;
        let dx = TAU / 100.0;
        let u = match scheme {
            Scheme::Galerkin => {
                let start = (0..100).map(|i| (i as f64 * dx).sin()).collect();
                let law = Handwritten::new(Galerkin::new(100, dx).unwrap(), start).unwrap();
                let mut rk4 = law.integrator(&law.prepare(Method::Rk4).unwrap()).unwrap();
                let mut state = rk4.state(law.start().to_vec());
                rk4.advance(&mut state, 5e-4, steps).unwrap();
                state.values
            }
            _ => {
                let make = if scheme == Averaged { averaged(100, sine) } else { zabusky_kruskal(100, sine) };
                let problem = instance(&make.unwrap());
                let mut rk4 = problem.integrator(&problem.prepare(Method::Rk4).unwrap()).unwrap();
                let mut state = rk4.state(problem.start.clone());
                rk4.advance(&mut state, 5e-4, steps).unwrap();
                state.values
            }
        };
        for (node, value) in [25, 40, 45, 48].into_iter().zip(nodes) {
            assert!((u[node] - value).abs() < 1e-10, "{scheme:?} {t}: u[{node}] = {}", u[node]);
        }
    }
}

#[test]
fn before_the_shock_the_error_is_of_second_order() {
    // Errors at t = 0.5 with 50, 100 and 200 cells and steps of a twentieth of a cell, of the independent program.
    let known = [
        (Scheme::Galerkin, 0.0, [2.443e-3, 6.096e-4, 1.529e-4]),
        (Averaged, 0.0, [8.040e-3, 2.060e-3, 5.204e-4]),
        (ZabuskyKruskal, 0.0, [6.268e-3, 1.599e-3, 4.014e-4]),
        (Scheme::Galerkin, 2.0, [2.347e-3, 5.968e-4, 1.498e-4]),
        (Averaged, 2.0, [2.686e-2, 7.016e-3, 1.796e-3]),
        (ZabuskyKruskal, 2.0, [1.740e-2, 4.470e-3, 1.130e-3]),
    ];
    for (scheme, mean, errors) in known {
        let found = [50, 100, 200].map(|cells: usize| {
            let steps = (0.5 / (TAU / cells as f64 / 20.0)).round();
            let mut walk = Walk::new(scheme, cells, mean);
            error(walk.go(0.5 / steps, steps as u64), mean, 0.5)
        });
        for (found, known) in found.iter().zip(errors) {
            assert!((found / known - 1.0).abs() < 0.02, "{scheme:?} {mean}: {found:e} for {known:e}");
        }
        let order = (found[1] / found[2]).log2();
        assert!((order - 2.0).abs() < 0.05, "{scheme:?} {mean}: {order}");
    }
}

#[test]
fn energy_and_momentum_stay_over_ten_thousand_steps_through_the_shock() {
    for scheme in ALL {
        let mut walk = Walk::new(scheme, 100, 0.0);
        let start = walk.energy();
        let known = if scheme == ZabuskyKruskal { 25.0 } else { 24.9835560702356 };
        assert!((start - known).abs() < 1e-12, "{scheme:?}: {start}");
        let (mut energy, mut momentum) = (0.0f64, 0.0f64);
        for _ in 0..100 {
            momentum = momentum.max(walk.go(0.003, 100).iter().sum::<f64>().abs());
            energy = energy.max((walk.energy() / start - 1.0).abs());
        }
        assert!(energy < 1e-13 && momentum < 1e-12, "{scheme:?}: energy {energy:e}, momentum {momentum:e}");
        // No smooth solution is left: what the shock would take away goes into the shortest waves.
        assert!(total_variation(&walk.state.values) > 60.0);
        let tail: f64 = spectrum(&walk.state.values, 51)[30..].iter().map(|a| a * a).sum();
        assert!(tail > 1e-3, "{scheme:?}: {tail}");
    }
}

#[test]
fn the_shock_is_said_with_its_time() {
    let sine = Characteristics::new(f64::sin, f64::cos, TAU).unwrap();
    assert!((sine.shock_time().unwrap() - 1.0).abs() < 1e-12);
    // u = sin(ξ) at x = ξ + t sin(ξ).
    for (xi, t) in [(0.3, 0.5), (2.0, 0.9), (4.0, 0.99)] {
        let x = xi + t * f64::sin(xi);
        assert!((sine.at(x, t).unwrap() - f64::sin(xi)).abs() < 1e-13, "{xi}");
    }
    let nodes = [(0, 1.3680733133557), (25, 2.3743028769335), (50, 2.9974022670357), (75, 1.1648758855395)];
    let raised = Characteristics::new(|x| 2.0 + x.sin(), f64::cos, TAU).unwrap();
    for (node, value) in nodes {
        let found = raised.at(f64::from(node) * TAU / 100.0, 0.5).unwrap();
        assert!((found - value).abs() < 1e-12, "{found}");
    }
    let after = sine.at(1.0, 1.25).unwrap_err();
    assert!(matches!(after, FieldsError::Shock { asked: 1.25, .. }));
    assert!(after.to_string().contains("characteristics cross, the shock begins at t = 1"), "{after}");
    let steep = Characteristics::new(|x| 3.0 * (2.0 * x).sin(), |x| 6.0 * (2.0 * x).cos(), TAU).unwrap();
    assert!((steep.shock_time().unwrap() - 1.0 / 6.0).abs() < 1e-12);
    let still = Characteristics::new(|_| 1.5, |_| 0.0, TAU).unwrap();
    assert_eq!(still.shock_time(), None);
    assert_eq!(still.at(0.2, 1e3).unwrap(), 1.5);
}

#[test]
fn lengths_places_and_times_that_are_none_are_refused() {
    for length in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = [
            Galerkin::new(8, length).err(),
            Reduced::new(8, length).err(),
            Characteristics::new(f64::sin, f64::cos, length).err(),
        ];
        for refused in refused {
            assert!(matches!(refused, Some(FieldsError::NotALength { .. })), "{length}: {refused:?}");
        }
    }
    let sine = Characteristics::new(f64::sin, f64::cos, TAU).unwrap();
    for (x, t) in [(1.0, f64::NAN), (f64::NAN, 0.5), (f64::INFINITY, 0.5)] {
        assert!(matches!(sine.at(x, t), Err(FieldsError::Nowhere { .. })), "{x} {t}");
    }
    let jump = Characteristics::new(|x: f64| 1.0 / x.max(0.0), |_| 0.0, TAU).unwrap();
    assert!(matches!(jump.at(-1.0, 0.5), Err(FieldsError::Nowhere { .. })));
}

#[test]
fn total_variation_and_spectrum_are_those_of_calculus() {
    let wave = |i: usize| 0.5 + 2.0 * (3.0 * TAU * i as f64 / 64.0).cos() + (32.0 * TAU * i as f64 / 64.0).cos();
    let u: Vec<f64> = (0..64).map(wave).collect();
    let found = spectrum(&u, 100);
    assert_eq!(found.len(), 33);
    for (k, amplitude) in found.iter().enumerate() {
        let exact = match k {
            0 => 0.5,
            3 | 32 => 1.0,
            _ => 0.0,
        };
        assert!((amplitude - exact).abs() < 1e-14, "{k}: {amplitude}");
    }
    assert_eq!(total_variation(&[0.0, 1.0, 0.0, -1.0]), 4.0);
    assert!(spectrum(&[], 3).is_empty());
    assert!(total_variation(&[]) == 0.0 && total_variation(&[]).is_sign_positive());
}

#[test]
fn the_energy_of_galerkins_equations_is_an_integral_of_their_field() {
    // dE/dt = UᵀM U̇ by a difference along the field, in the rounding of the energy.
    let system = Galerkin::new(12, 0.5).unwrap();
    let u: Vec<f64> = (0..12).map(|i| (1.3 * i as f64).sin() + 0.2 * (i as f64)).collect();
    let mut rate = vec![0.0; 12];
    system.view::<f64>().field().unwrap().unwrap().rate(&u, &mut rate).unwrap();
    let moved = |h: f64| u.iter().zip(&rate).map(|(u, r)| u + h * r).collect::<Vec<f64>>();
    let slope = (system.energy(&moved(1e-4)) - system.energy(&moved(-1e-4))) / 2e-4;
    let size: f64 = rate.iter().map(|r| r.abs()).sum();
    assert!(slope.abs() < 1e-10 * size, "{slope:e} of {size}");
}
