//! Residual equations against closed forms, and what is concluded from them.

mod problems;

use cotangent_compile::{FunctionBuilder, Tape};
use cotangent_dynamics::Dynamics;
use cotangent_expr::{Array, Dim, Domain, Expr, Ix, Layout, Place, Range, Tensor, Term};
use cotangent_lab::Reference;
use cotangent_lab::stability::{Linearisation, Linearised, Path, Stability, StabilityError, Time, Verdict};
use cotangent_problem::Instance;
use cotangent_scalar::{Dd, Limits};
use cotangent_solve::eigenvalues;
use cotangent_theory::{Formulation, Structure};
use problems::{Case, DOUBLE, PENDULUM, RAIL, RELATIVISTIC, SPEEDY};

const DIRAC: Formulation = Formulation::Dirac { alpha: 0.0 };
const BAUMGARTE: Formulation = Formulation::Baumgarte { alpha: 5.0, beta: 5.0 };

fn linearised(problem: &Instance, point: &[f64]) -> Linearised {
    Linearisation::new(problem)
        .unwrap()
        .unwrap()
        .at(point, &vec![1.0; point.len()], 0.0)
        .unwrap_or_else(|e| panic!("{e}"))
}

fn stability(text: &str, formulation: Formulation, until: f64) -> Stability {
    let case = Case::new(text, formulation);
    let mut path = Path::new(&case.problem, until, &Limits::default()).unwrap();
    Stability::along(&case.problem, &mut path).unwrap_or_else(|e| panic!("{e}"))
}

fn assert_matrix(found: &[Vec<f64>], expected: &[Vec<f64>], within: f64) {
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert!((f - e).abs() < within, "{found:?}, expected {expected:?}");
    }
}

#[test]
fn the_pendulum_has_the_matrices_of_the_literature_for_any_gravity() {
    for g in [0.0, 1.0, 9.81] {
        let text = PENDULUM.replace("g = 1", &format!("g = {g}"));
        for (angle, momentum) in [(0.3f64, 1.7), (2.0, -0.4), (-1.1, 0.0)] {
            let (x, y) = (angle.cos(), angle.sin());
            let point = [x, y, -momentum * y, momentum * x];
            let b = 4.0 * momentum * momentum - g * y;
            let is = |formulation: Formulation, expected: [[f64; 2]; 2]| {
                let case = Case::new(&text, formulation);
                let found = linearised(&case.problem, &point);
                assert_matrix(&found.matrix, &expected.map(|row| row.to_vec()), 1e-12 * (1.0 + b.abs()));
                assert!(found.defect < 1e-14 && found.remainder < 1e-13, "{formulation:?}: {found:?}");
            };
            is(Formulation::Total, [[0.0, 1.0], [b, 0.0]]);
            is(DIRAC, [[0.0, -1.0], [b, 0.0]]);
            is(Formulation::Dirac { alpha: 0.7 }, [[0.7, -1.0], [b, -0.7]]);
            is(Formulation::Standard, [[0.0, 1.0], [0.0, 0.0]]);
            is(Formulation::HamiltonDirac, [[0.0; 2]; 2]);
            is(Formulation::Ggl, [[0.0; 2]; 2]);
            is(Formulation::Baumgarte { alpha: 3.0, beta: 2.0 }, [[0.0, 1.0], [-4.0, -6.0]]);
        }
    }
}

#[test]
fn impetus_and_striction_leave_only_the_constraints_to_violate() {
    for text in [PENDULUM, DOUBLE, RELATIVISTIC] {
        let case = Case::new(text, Formulation::ImpetusStriction);
        let found = linearised(&case.problem, &case.problem.start);
        let m = found.residuals.len();
        assert_eq!(found.residuals, (0..m).collect::<Vec<_>>(), "the physical ψ vanishes identically");
        assert_matrix(&found.matrix, &vec![vec![0.0; m]; m], 1e-10);
        assert_eq!(stability(text, Formulation::ImpetusStriction, 5.0).verdict, Verdict::Integrals { identical: true });
    }
}

/// A vector that is solved for, as a tensor.
fn whole(vector: &Array) -> Tensor {
    let range = |d: &Dim| Range { name: "i".into(), low: Ix::constant(d.first), high: Ix::constant(d.last()) };
    let index: Vec<Ix> = (0..vector.dims().len()).map(|k| Ix::var(k as u8)).collect();
    let term = Term {
        domain: Domain::Ranges(vector.dims().iter().map(range).collect()),
        at: vec![Place { array: vector.clone(), index: index.clone() }],
        value: Expr::at(vector, index),
    };
    Tensor::new(vec![Layout::new(vec![vector.clone()])], vec![term]).unwrap()
}

/// {φ, μ}, {ψ, μ}, Q and S at a point, from the expressions.
fn brackets(problem: &Instance, point: &[f64]) -> [Vec<Vec<f64>>; 4] {
    let s: &Structure = problem.equations.motion.structure().unwrap();
    let mu = whole(&s.multipliers().unwrap().unwrap());
    let (mu_q, mu_p) = (mu.jacobian(&s.coordinates).unwrap(), mu.jacobian(&s.momenta).unwrap());
    let minus = |t: &Tensor| t.times(&Expr::from(-1));
    let a = s.jacobian.contract(1, &mu_p, 1).unwrap();
    let b = s.hidden_q.contract(1, &mu_p, 1).unwrap();
    let b = b.plus(&minus(&s.hidden_p.contract(1, &mu_q, 1).unwrap())).unwrap();
    let m = s.constraints.shape()[0].len();
    let value = |t: &Tensor| -> Vec<Vec<f64>> {
        let f = FunctionBuilder::new().input(&s.state()).input(&problem.equations.motion.system.parameter_layout());
        let f = f.output(t).compile().unwrap();
        let mut out = vec![0.0; m * m];
        f.call(&[point, &problem.parameters], &mut [&mut out], &mut f.workspace()).unwrap();
        out.chunks(m).map(<[f64]>::to_vec).collect()
    };
    [value(&a), value(&b), value(&s.gram), value(&s.twist)]
}

fn product(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let entry = |row: &Vec<f64>, j: usize| row.iter().zip(b).map(|(x, b)| x * b[j]).sum();
    a.iter().map(|row| (0..b[0].len()).map(|j| entry(row, j)).collect()).collect()
}

/// [[a, b], [c, d]] of blocks.
fn blocks(a: &[Vec<f64>], b: &[Vec<f64>], c: &[Vec<f64>], d: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let beside =
        |x: &[Vec<f64>], y: &[Vec<f64>]| x.iter().zip(y).map(|(x, y)| [&x[..], y].concat()).collect::<Vec<_>>();
    [beside(a, b), beside(c, d)].concat()
}

#[test]
fn several_constraints_obey_the_brackets() {
    // Off-diagonal masses, a quartic potential, an energy that is not quadratic, S ≠ 0.
    for text in [DOUBLE, RELATIVISTIC, SPEEDY, RAIL] {
        let total = Case::new(text, Formulation::Total);
        let point = total.problem.start.clone();
        let [a, b, q, s] = brackets(&total.problem, &point);
        let m = a.len();
        let unit = |x: f64| -> Vec<Vec<f64>> {
            (0..m).map(|i| (0..m).map(|j| if i == j { x } else { 0.0 }).collect()).collect()
        };
        let zero = unit(0.0);
        let found = linearised(&total.problem, &point);
        assert_matrix(&found.matrix, &blocks(&a, &unit(1.0), &b, &zero), 1e-10);
        // S Q⁻¹, by Cramer's rule.
        let inverse = match m {
            1 => vec![vec![1.0 / q[0][0]]],
            _ => {
                let det = q[0][0] * q[1][1] - q[0][1] * q[1][0];
                vec![vec![q[1][1] / det, -q[0][1] / det], vec![-q[1][0] / det, q[0][0] / det]]
            }
        };
        let w = product(&s, &inverse);
        let plus = |x: &[Vec<f64>], y: &[Vec<f64>]| -> Vec<Vec<f64>> {
            x.iter().zip(y).map(|(x, y)| x.iter().zip(y).map(|(x, y)| x + y).collect()).collect()
        };
        let minus = |x: &[Vec<f64>]| -> Vec<Vec<f64>> { x.iter().map(|r| r.iter().map(|x| -x).collect()).collect() };
        let expected = blocks(&plus(&a, &w), &unit(-1.0), &plus(&b, &product(&w, &w)), &minus(&w));
        let dirac = Case::new(text, DIRAC);
        assert_matrix(&linearised(&dirac.problem, &point).matrix, &expected, 1e-10);
        for formulation in [Formulation::HamiltonDirac, Formulation::Ggl] {
            let case = Case::new(text, formulation);
            assert_matrix(&linearised(&case.problem, &point).matrix, &blocks(&zero, &zero, &zero, &zero), 1e-10);
        }
        let standard = Case::new(text, Formulation::Standard);
        assert_matrix(&linearised(&standard.problem, &point).matrix, &blocks(&zero, &unit(1.0), &zero, &zero), 1e-10);
    }
}

#[test]
fn baumgarte_has_the_eigenvalues_of_its_oscillator() {
    for (alpha, beta) in [(5.0f64, 5.0f64), (1.0, 4.0), (4.0, 1.0)] {
        let case = Case::new(DOUBLE, Formulation::Baumgarte { alpha, beta });
        let mut found = eigenvalues(&linearised(&case.problem, &case.problem.start).matrix).unwrap();
        found.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        let root = alpha * alpha - beta * beta;
        for (k, value) in found.iter().enumerate() {
            let lower = if root >= 0.0 { k < 2 } else { value[1] < 0.0 };
            let sign = if lower { -1.0 } else { 1.0 };
            let expected = match root >= 0.0 {
                true => [-alpha + sign * root.sqrt(), 0.0],
                false => [-alpha, sign * (-root).sqrt()],
            };
            // Double eigenvalues are found to half the digits.
            assert!((value[0] - expected[0]).hypot(value[1] - expected[1]) < 1e-5, "{found:?}, {expected:?}");
        }
    }
}

#[test]
fn verdicts_on_the_pendulum() {
    let verdict = |formulation| stability(PENDULUM, formulation, 10.0);
    let total = verdict(Formulation::Total);
    // Between the smallest and the largest of √(4p² − y) = √(16 − 9y).
    assert!(matches!(total.verdict, Verdict::Saddle { rate, .. } if (7f64.sqrt()..5.0).contains(&rate)), "{total:?}");
    // A period of it, and twelve of an integration of its own.
    let expected = swing_growth([std::f64::consts::FRAC_PI_2, -2.0], [0.0, 1.0], 12.0 * total.until);
    assert!((total.exponent - expected).abs() < 1e-3, "{} and {expected}", total.exponent);
    let dirac = verdict(DIRAC);
    assert!(matches!(dirac.verdict, Verdict::Centre { frequency, .. } if (frequency - 5.0).abs() < 0.01), "{dirac:?}");
    assert_eq!(verdict(Formulation::Standard).verdict, Verdict::Drift);
    assert_eq!(verdict(Formulation::HamiltonDirac).verdict, Verdict::Integrals { identical: false });
    assert_eq!(verdict(Formulation::Ggl).verdict, Verdict::Integrals { identical: false });
    let damped = verdict(BAUMGARTE).verdict;
    assert!(matches!(damped, Verdict::Damped { rate, .. } if (4.0..5.1).contains(&rate)), "{damped:?}");
    let penalty = verdict(Formulation::Penalty { epsilon: 1e-4 }).verdict;
    assert!(matches!(penalty, Verdict::NotInvariant { .. }), "{penalty:?}");
    // The free weak term α makes the centre a saddle when it exceeds the frequency.
    assert_eq!(verdict(Formulation::Dirac { alpha: 1.0 }).verdict.name(), "centre");
    assert_eq!(verdict(Formulation::Dirac { alpha: 6.0 }).verdict.name(), "saddle");
}

#[test]
fn stiff_equations_are_told_from_invariant_ones() {
    // A chain at rest: at first a spring instead of a constraint makes no difference.
    let verdict = |formulation| {
        let case = Case::sized(&problems::shipped("chain"), Some(4), formulation);
        let mut path = Path::new(&case.problem, 3.0, &Limits::default()).unwrap();
        Stability::along(&case.problem, &mut path).unwrap_or_else(|e| panic!("{e}")).verdict.name()
    };
    assert_eq!(verdict(Formulation::Penalty { epsilon: 1e-4 }), "not-invariant");
    assert_eq!(verdict(BAUMGARTE), "damped");
    assert_eq!(verdict(Formulation::Baumgarte { alpha: 300.0, beta: 300.0 }), "damped");
    assert_eq!(verdict(Formulation::Standard), "neutral");
}

#[test]
fn verdicts_for_linear_constraints_and_short_motions() {
    assert_eq!(stability(RAIL, Formulation::LinearProjected, 5.0).verdict, Verdict::Drift);
    assert_eq!(stability(PENDULUM, Formulation::Total, 0.1).verdict.name(), "saddle");
    assert_eq!(stability(PENDULUM, DIRAC, 0.1).verdict.name(), "centre");
    assert_eq!(stability(PENDULUM, BAUMGARTE, 0.5).verdict.name(), "damped");
}

#[test]
fn several_constraints_are_judged_by_the_growth_and_not_by_frozen_eigenvalues() {
    let total = stability(DOUBLE, Formulation::Total, 10.0);
    assert_eq!(total.verdict.name(), "saddle");
    let dirac = stability(DOUBLE, DIRAC, 10.0);
    let real = dirac.frozen.iter().flat_map(|f| &f.eigenvalues).fold(0.0f64, |m, v| m.max(v[0]));
    assert!(real > 1e-3, "the frozen eigenvalues are not imaginary: {real}");
    assert_ne!(dirac.verdict.name(), "centre");
}

#[test]
fn what_has_no_residual_equations_says_so() {
    let case = Case::new(PENDULUM, Formulation::Multipliers);
    let mut path = Path::new(&case.problem, 1.0, &Limits::default()).unwrap();
    assert_eq!(Stability::along(&case.problem, &mut path), Err(StabilityError::NoField));
    let free = Case::new(problems::FREE, Formulation::Multipliers);
    assert_eq!(Path::new(&free.problem, 1.0, &Limits::default()).err(), Some(StabilityError::NoConstraints));
}

/// The growth per time of the largest solution of φ̇ = αφ + σψ, ψ̇ = bφ − αψ with b = 4θ̇² + cos θ along a
/// swing from an angle with a velocity, in the second half of the time: an integration of its own.
fn swing_growth([angle, velocity]: [f64; 2], [alpha, sigma]: [f64; 2], until: f64) -> f64 {
    let rate = |z: [f64; 6]| {
        let [theta, omega, a, b, c, d] = z;
        let strength = 4.0 * omega * omega + theta.cos();
        let [f, g] = [[a, b], [c, d]].map(|[phi, psi]| [alpha * phi + sigma * psi, strength * phi - alpha * psi]);
        [omega, -theta.sin(), f[0], f[1], g[0], g[1]]
    };
    let plus = |z: [f64; 6], k: [f64; 6], h: f64| std::array::from_fn(|i| z[i] + h * k[i]);
    let mut z = [angle, velocity, 1.0, 0.0, 0.0, 1.0];
    let (h, steps) = (1e-3, (until / 1e-3) as usize);
    let size = |z: [f64; 6]| z[2..].iter().map(|x| x * x).sum::<f64>().sqrt().ln();
    let mut middle = 0.0;
    for k in 0..steps {
        if k == steps / 2 {
            middle = size(z);
        }
        let k1 = rate(z);
        let k2 = rate(plus(z, k1, h / 2.0));
        let k3 = rate(plus(z, k2, h / 2.0));
        let k4 = rate(plus(z, k3, h));
        z = std::array::from_fn(|i| z[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    (size(z) - middle) / (until / 2.0)
}

#[test]
fn a_swing_from_rest_resonates_although_every_eigenvalue_is_imaginary() {
    for (angle, alpha) in [(0.25f64, 0.342), (0.5, 0.685)] {
        let start = format!("initial x = sin({angle}), y = -cos({angle})\n");
        let text = PENDULUM.replace("initial x = 1, p_y = -2\n", &start);
        // Shorter than a period: Floquet's multipliers tell of all times.
        let found = stability(&text, Formulation::Dirac { alpha }, 2.0);
        let real = found.frozen.iter().flat_map(|f| &f.eigenvalues).fold(0.0f64, |m, v| m.max(v[0]));
        assert!(real < 1e-6, "{real}");
        let expected = swing_growth([angle, 0.0], [alpha, -1.0], 2000.0);
        assert!((found.exponent - expected).abs() < 0.002, "{} and {expected}", found.exponent);
        assert!(matches!(found.verdict, Verdict::Saddle { rate, .. } if rate == found.exponent), "{}", found.verdict);
    }
}

/// The pendulum of length `a` in other units of mass and time, with its pivot elsewhere.
fn elsewhere(pivot: f64, a: f64, mass: f64, second: f64) -> String {
    let (g, p) = (a / (second * second), -2.0 * mass * a / second);
    format!(
        "coord x, y\nhamiltonian (p_x^2 + p_y^2)/(2*{mass:e}) + {mass:e}*{g:e}*y\n\
         constraint rod: ((x - {pivot:e})^2 + y^2 - {a:e}^2)/2 = 0\ninitial x = {pivot:e} + {a:e}, p_y = {p:e}\n"
    )
}

#[test]
fn verdicts_depend_neither_on_the_origin_nor_on_units() {
    for formulation in [Formulation::Total, DIRAC, Formulation::Dirac { alpha: 6.0 }, Formulation::Standard, BAUMGARTE]
    {
        let own = stability(PENDULUM, formulation, 10.0);
        for (pivot, a, mass, second) in
            [(1000.0, 1.0, 1.0, 1.0), (-50.0, 1.0, 1.0, 1.0), (0.0, 1e-3, 7.0, 1e3), (2.0, 1e2, 0.01, 0.1)]
        {
            // Baumgarte's numbers are rates.
            let there = match formulation {
                Formulation::Baumgarte { alpha, beta } => {
                    Formulation::Baumgarte { alpha: alpha / second, beta: beta / second }
                }
                Formulation::Dirac { alpha } => Formulation::Dirac { alpha: alpha / second },
                other => other,
            };
            let found = stability(&elsewhere(pivot, a, mass, second), there, 10.0 * second);
            assert_eq!(found.verdict.name(), own.verdict.name(), "{formulation:?} at {pivot}, {a}: {}", found.verdict);
            let apart = (found.exponent * second - own.exponent).abs();
            assert!(apart < 1e-4, "{formulation:?} at {pivot}, {a}: {} and {}", found.exponent * second, own.exponent);
            assert!((found.until / second - own.until).abs() < 1e-6, "{} and {}", found.until, own.until);
        }
    }
    for formulation in
        [Formulation::HamiltonDirac, Formulation::ImpetusStriction, Formulation::Penalty { epsilon: 1e-4 }]
    {
        let own = stability(PENDULUM, formulation, 10.0).verdict.name();
        for (pivot, a) in [(1000.0, 1.0), (0.0, 1e-6), (0.0, 1e2)] {
            let found = stability(&elsewhere(pivot, a, 1.0, 1.0), formulation, 10.0);
            assert_eq!(found.verdict.name(), own, "{formulation:?} at {pivot}, {a}: {}", found.verdict);
        }
    }
}

#[test]
fn hidden_constraints_that_hold_identically_do_so_in_any_units() {
    for a in [1e-6, 1.0, 1e6] {
        let case = Case::new(&elsewhere(0.0, a, 1.0, 1.0), Formulation::ImpetusStriction);
        let units = [a, a, 2.0 * a, 2.0 * a];
        let found = Linearisation::new(&case.problem).unwrap().unwrap().at(&case.problem.start, &units, 0.0).unwrap();
        assert_eq!((found.residuals, found.count), (vec![0], 2), "{a}");
    }
}

/// (φ, ψ) of the double pendulum.
fn double_residuals(z: &[Dd]) -> [f64; 4] {
    let number = |x: f64| Dd::from(x);
    let [x1, y1, x2, y2, px1, py1, px2, py2] = std::array::from_fn(|k| z[k]);
    let (u1, v1, u2, v2) = (px1 / number(2.0), py1 / number(2.0), px2 / number(1.5), py2 / number(1.5));
    let (x, y, u, v) = (x2 - x1, y2 - y1, u2 - u1, v2 - v1);
    let half = number(0.5);
    [(x1 * x1 + y1 * y1 - number(1.0)) * half, (x * x + y * y - number(2.0)) * half, x1 * u1 + y1 * v1, x * u + y * v]
        .map(|r| r.hi())
}

#[test]
fn a_trajectory_off_the_manifold_of_several_constraints_leaves_at_the_rate_found() {
    // The equations themselves in 32 digits, from a start that violates the constraints by 10⁻²⁰.
    for alpha in [0.0, 0.5] {
        let formulation = Formulation::Dirac { alpha };
        let found = stability(DOUBLE, formulation, 40.0);
        let case = Case::new(DOUBLE, formulation);
        let parameters = case.problem.parameters.iter().map(|&p| Dd::from(p)).collect();
        let mut field = case.problem.equations.compiled.view(Tape, parameters).field().unwrap().unwrap();
        let mut start: Vec<Dd> = case.problem.start.iter().map(|&z| Dd::from(z)).collect();
        start[0] = start[0] + Dd::from(1e-20);
        start[3] = start[3] - Dd::from(2e-20);
        let times: Vec<Dd> = (1..=600).map(|k| Dd::from(found.until * f64::from(k) / 600.0)).collect();
        let mut rates = |z: &[Dd], out: &mut [Dd]| field.rate(z, out);
        let solution = Reference::new(1e-24).solve_at(&mut rates, &start, &times).unwrap();
        let size = |z: &[Dd]| double_residuals(z).iter().fold(0.0f64, |s, r| s.hypot(*r)).ln();
        let sizes: Vec<f64> = solution.samples.iter().map(|s| size(&s.state)).collect();
        let largest = |part: &[f64]| part.iter().fold(f64::NEG_INFINITY, |m, s| m.max(*s));
        let expected = 2.0 * (largest(&sizes[300..]) - largest(&sizes[..300])) / found.until;
        let apart = (found.exponent - expected).abs();
        assert!(apart < 0.03 + 0.1 * expected.abs(), "{alpha}: {} and {expected}, {}", found.exponent, found.verdict);
        assert_eq!(found.verdict.name() == "saddle", expected * found.until / 2.0 > 3.0, "{alpha}: {}", found.verdict);
    }
}

/// A crank and a rod of equal length, which lie on each other where x = s = 0: there the constraints depend on each
/// other, and the smooth motion goes on along s = 2x.
fn folding(mass: f64, gravity: f64, angle: f64) -> String {
    let (x, y) = (angle.cos(), angle.sin());
    format!(
        "param m = {mass}, g = {gravity}\ncoord x, y, s\nlagrangian m*(x'^2 + y'^2)/2 + s'^2/2 - m*g*y\n\
         constraint crank: (x^2 + y^2 - 1)/2 = 0\nconstraint rod: ((x - s)^2 + y^2 - 1)/2 = 0\n\
         initial x = {x}, y = {y}, s = {}, x' = {}, y' = {}, s' = {}\n",
        2.0 * x,
        3.0 * y,
        -3.0 * x,
        6.0 * y
    )
}

#[test]
fn errors_are_followed_through_positions_in_which_constraints_depend_on_each_other() {
    for (mass, gravity, angle) in [(1.0, 1.0, 0.9), (0.4, 0.3, 1.2)] {
        let text = folding(mass, gravity, angle);
        // φ̈ + 10 φ̇ + 25 φ = 0 whatever the configuration: r ~ t e^(−5t), so that log ‖Φ‖ falls at 5 − 1/t, from
        // t = 0.75 to 1.5 at 4.08.
        let found = stability(&text, BAUMGARTE, 1.5);
        if let Verdict::Damped { rate, .. } = found.verdict {
            assert!((3.5..=5.01).contains(&rate), "{text}: {rate}");
        }
        // As far as the motion could be followed, in words of the model.
        let said = found.verdict.to_string();
        assert!(found.until > 0.2 && !said.contains("`eta`") && !said.contains("column"), "{text}: {said}");
        assert!(!matches!(found.verdict, Verdict::Centre { .. } | Verdict::NotInvariant { .. }), "{text}: {said}");
    }
}

/// Without gravity the pendulum turns evenly, and A = [[0, −1], [b, 0]] does not change: the multipliers of a turn coincide,
/// ±i√b do not.
#[test]
fn constant_matrices_are_judged_by_their_eigenvalues() {
    let text = PENDULUM.replace("g = 1", "g = 0");
    for until in [1.0, 20.0] {
        let found = stability(&text, DIRAC, until);
        let Verdict::Centre { frequency, time } = found.verdict else { panic!("{:?}", found.verdict) };
        assert_eq!(time, Time::Steady, "{until}");
        // b = 4 p² = 16.
        assert!((frequency - 4.0).abs() < 1e-6, "{frequency}");
    }
    // With α² > b it is a saddle of rate √(α² − b).
    let found = stability(&text, Formulation::Dirac { alpha: 6.0 }, 20.0);
    let Verdict::Saddle { rate, time: Time::Steady } = found.verdict else { panic!("{:?}", found.verdict) };
    assert!((rate - 20f64.sqrt()).abs() < 1e-6, "{rate}");
}
