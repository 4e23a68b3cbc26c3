//! Identities that hold everywhere, also off the constraint manifold, and closed forms.

use cotangent_compile::{Engine, FunctionBuilder, values};
use cotangent_expr::{Layout, Tensor};
use cotangent_model::{Dynamics, Options, System};
use cotangent_scalar::{Dd, Real};
use cotangent_theory::{Formulation, Structure, TheoryError, legendre};

fn system(text: &str) -> System {
    System::parse(text).unwrap_or_else(|e| panic!("{e}"))
}

fn shipped(name: &str, n: Option<i64>) -> System {
    let path = format!("{}/../../models/{name}.cot", env!("CARGO_MANIFEST_DIR"));
    let options = Options { integers: n.map(|n| ("n".to_string(), n)).into_iter().collect() };
    System::parse_with(&std::fs::read_to_string(path).unwrap(), &options).unwrap()
}

/// Two bobs of masses 2 and 1.5 on rods, with a quartic potential besides gravity: S ≠ 0.
const DOUBLE: &str = "param m1 = 2, m2 = 1.5, g = 1\ncoord x1, y1, x2, y2\n\
    hamiltonian (p_x1^2 + p_y1^2)/(2*m1) + (p_x2^2 + p_y2^2)/(2*m2) + g*(m1*y1 + m2*y2) + (x2 - y1)^4/10\n\
    constraint a: (x1^2 + y1^2 - 1)/2 = 0\nconstraint b: ((x2 - x1)^2 + (y2 - y1)^2 - 2)/2 = 0\n";

/// A relativistic particle with an anisotropic metric on a curve: not quadratic, not separable.
const RELATIVISTIC: &str = "coord x, y\nhamiltonian sqrt(1 + 2*p_x^2 + p_x*p_y + (1 + x^2)*p_y^2) + y + x^2*y/3\n\
    constraint curve: x^4 + y^2 + x*y - 1 = 0\n";

const PENDULUM: &str =
    "param g = 1\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + g*y\nconstraint rod: (x^2 + y^2 - 1)/2 = 0\n";

fn evaluate(tensors: &[Tensor], by: &Layout, parameters: (&Layout, &[f64]), z: &[f64]) -> Vec<Vec<Dd>> {
    let builder = FunctionBuilder::new().input(by).input(parameters.0);
    let f = tensors.iter().fold(builder, |b, t| b.output(t)).engine(Engine::Tape).compile().unwrap();
    let lift = |v: &[f64]| v.iter().map(|&v| Dd::from(v)).collect::<Vec<Dd>>();
    let mut out: Vec<Vec<Dd>> = f.program().outputs.iter().map(|&n| vec![Dd::from(0.0); n]).collect();
    let mut slices: Vec<&mut [Dd]> = out.iter_mut().map(Vec::as_mut_slice).collect();
    let mut work = f.workspace_in::<Dd>().unwrap();
    f.call_in(&[&lift(z), &lift(parameters.1)], &mut slices, &mut work).unwrap();
    out
}

/// A point off the manifold.
fn generic(n: usize) -> Vec<f64> {
    (0..n).map(|k| 0.6 + 0.7 * (1.3 * k as f64 + 0.4).sin()).collect()
}

/// d/dt of φ, ψ and H along a formulation, at a generic point off the manifold.
fn rates(s: &System, formulation: Formulation) -> [Vec<f64>; 3] {
    let structure = Structure::new(s).unwrap();
    let motion = formulation.apply(s).unwrap();
    let field = motion.field().unwrap();
    let along = |t: &Tensor| t.jacobian(&field.state).unwrap();
    let tensors = [
        field.rate.clone(),
        along(&structure.constraints),
        along(&structure.hidden),
        structure.hamiltonian.gradient(&field.state).unwrap(),
    ];
    let p = [values::parameters(s, &[]).unwrap(), motion.number_values()].concat();
    let out = evaluate(&tensors, &field.state, (&motion.parameters(), &p), &generic(field.state.len()));
    let along = |rows: &[Dd]| {
        let dot = |row: &[Dd]| row.iter().zip(&out[0]).fold(Dd::from(0.0), |s, (&a, &b)| s + a * b).value();
        rows.chunks(out[0].len()).map(dot).collect::<Vec<f64>>()
    };
    [along(&out[1]), along(&out[2]), along(&out[3])]
}

fn zero(values: &[f64]) -> bool {
    values.iter().all(|v| v.abs() < 1e-26)
}

#[test]
fn the_hidden_constraint_is_a_strong_integral_of_the_standard_equations() {
    for s in [system(PENDULUM), system(DOUBLE), system(RELATIVISTIC), shipped("chain", Some(5))] {
        let [phi, psi, _] = rates(&s, Formulation::Standard);
        assert!(zero(&psi), "{psi:?}");
        // φ̇ = ψ, which is not zero off the manifold.
        assert!(!zero(&phi));
    }
}

#[test]
fn constraints_and_energy_are_strong_integrals_of_the_hamilton_dirac_equations() {
    for s in
        [system(PENDULUM), system(DOUBLE), system(RELATIVISTIC), shipped("chain", Some(5)), shipped("four-bar", None)]
    {
        let [phi, psi, h] = rates(&s, Formulation::HamiltonDirac);
        assert!(zero(&phi) && zero(&psi) && zero(&h), "{phi:?} {psi:?} {h:?}");
    }
}

#[test]
fn the_pendulum_has_the_equations_of_the_papers() {
    // Seiler (42): ṗ = −(0, g) − μ q with μ = (p² − g y)/(x² + y²).
    let s = system(PENDULUM);
    let field = Formulation::Standard.apply(&s).unwrap().field().unwrap().clone();
    let (x, y, px, py) = (0.7f64, -0.4, 1.1, 0.3);
    let layout = s.parameter_layout();
    let out = evaluate(&[field.rate], &field.state, (&layout, &[2.0]), &[x, y, px, py]);
    let mu = (px * px + py * py - 2.0 * y) / (x * x + y * y);
    for (found, wanted) in out[0].iter().zip([px, py, -mu * x, -2.0 - mu * y]) {
        assert!((found.value() - wanted).abs() < 1e-15);
    }
    // Both formulations agree on the manifold: q = (0.6, −0.8), p ⟂ q.
    let rate = |f: Formulation| {
        let field = f.apply(&s).unwrap().field().unwrap().clone();
        evaluate(&[field.rate], &field.state, (&layout, &[2.0]), &[0.6, -0.8, 1.6, 1.2]).swap_remove(0)
    };
    for (a, b) in rate(Formulation::Standard).iter().zip(rate(Formulation::HamiltonDirac)) {
        assert!((*a - b).value().abs() < 1e-15);
    }
}

#[test]
fn families_stay_families_through_a_formulation() {
    let large = Structure::new(&shipped("chain", Some(2000))).unwrap();
    let small = Structure::new(&shipped("chain", Some(6))).unwrap();
    assert_eq!(large.gram.terms().len(), small.gram.terms().len());
    assert!(large.twist.is_zero() == small.twist.is_zero());
    let field = Formulation::HamiltonDirac.apply(&shipped("chain", Some(2000))).unwrap().field().unwrap().clone();
    assert!(field.rate.terms().len() < 60, "{}", field.rate.terms().len());
}

fn hamiltonian(s: &System) -> Tensor {
    let Dynamics::Hamiltonian { hamiltonian, .. } = legendre(s).unwrap().dynamics else { panic!() };
    hamiltonian
}

#[test]
fn diagonal_masses_give_a_formula() {
    let chain = shipped("chain", None);
    assert_eq!(hamiltonian(&chain).to_string(), "sum(i in 1..10, g*m[i]*y[i] + p_x[i]^2/(2*m[i]) + p_y[i]^2/(2*m[i]))");
    let magnetic = system("param B = 2, m = 3\ncoord x, y\nlagrangian m*(x'^2 + y'^2)/2 + B*(x*y' - y*x')/2 - x^2\n");
    // (p_y − B x/2)²/(2m) + (p_x + B y/2)²/(2m) + x²
    assert_eq!(hamiltonian(&magnetic).to_string(), "(B*x - 2*p_y)^2/(8*m) + (B*y + 2*p_x)^2/(8*m) + x^2");
}

#[test]
fn a_mass_matrix_that_depends_on_the_configuration_is_inverted() {
    // Double pendulum in angles, unit masses and lengths: H in closed form.
    let s = system("coord a, b\nlagrangian a'^2 + b'^2/2 + a'*b'*cos(a - b) + 2*cos(a) + cos(b)\n");
    let (q, p) = ([0.7f64, -0.3], [0.9f64, 0.4]);
    let state = s.state();
    let layout = s.parameter_layout();
    let found = evaluate(&[hamiltonian(&s)], &state, (&layout, &[]), &[q[0], q[1], p[0], p[1]])[0][0].value();
    let d = q[0] - q[1];
    let wanted = (p[0] * p[0] + 2.0 * p[1] * p[1] - 2.0 * p[0] * p[1] * d.cos()) / (2.0 * (1.0 + d.sin().powi(2)))
        - 2.0 * q[0].cos()
        - q[1].cos();
    assert!((found - wanted).abs() < 1e-15, "{found} and {wanted}");
}

#[test]
fn a_lagrangian_that_is_not_quadratic_is_transformed_by_newton() {
    // L = −√(1 − v²) − V: H = √(1 + p²) + V.
    let s = system("coord x, y\nlagrangian -sqrt(1 - x'^2 - y'^2) - x^2*y\n");
    let (z, layout) = ([0.4f64, 0.8, 1.2, -0.5], s.parameter_layout());
    let h = hamiltonian(&s);
    let state = s.state();
    let out = evaluate(&[h.clone(), h.gradient(&state).unwrap()], &state, (&layout, &[]), &z);
    let root = (1.0f64 + z[2] * z[2] + z[3] * z[3]).sqrt();
    assert!((out[0][0].value() - (root + z[0] * z[0] * z[1])).abs() < 1e-15);
    let wanted = [2.0 * z[0] * z[1], z[0] * z[0], z[2] / root, z[3] / root];
    for (found, wanted) in out[1].iter().zip(wanted) {
        assert!((found.value() - wanted).abs() < 1e-15);
    }
}

#[test]
fn what_has_no_transform_is_refused_by_name() {
    let error = legendre(&system("coord x, y\nlagrangian x'^2/2 + x*y' - y^2\n")).unwrap_err();
    assert!(matches!(&error, TheoryError::SingularLagrangian { names } if names == "`y`"), "{error}");
    assert!(matches!(Structure::new(&shipped("rigid-body", None)), Err(TheoryError::NotCanonical { .. })));
    let momentum = system("coord x, y\nhamiltonian p_x^2 + p_y^2\nconstraint c: p_x - y = 0\n");
    assert!(matches!(Structure::new(&momentum), Err(TheoryError::NotHolonomic { .. })));
}

#[test]
fn velocities_inside_sums_are_transformed_too() {
    // L = (Σ v)²/2 + Σ v²/2 for three unit masses: M = 1 + 11ᵀ, H = ½ (p·p − (Σp)²/4).
    let s = system("coord x[i in 1..3]\nlagrangian sum(i in 1..3, x[i]')^2/2 + sum(i in 1..3, x[i]'^2)/2\n");
    let (state, layout) = (s.state(), s.parameter_layout());
    let p = [0.3f64, -1.1, 0.7];
    let found = evaluate(&[hamiltonian(&s)], &state, (&layout, &[]), &[0.0, 0.0, 0.0, p[0], p[1], p[2]])[0][0].value();
    let (square, sum) = (p.iter().map(|p| p * p).sum::<f64>(), p.iter().sum::<f64>());
    assert!((found - (square - sum * sum / 4.0) / 2.0).abs() < 1e-15);
}

/// The models above with a point on each one's manifold, momenta tangent to it.
fn on_manifold() -> [(System, Vec<f64>); 3] {
    let double = vec![0.6, -0.8, 1.6, 0.2, 2.0 * 0.8, 2.0 * 0.6, 1.5 * (0.8 + 0.7), 1.5 * (0.6 - 0.7)];
    [
        (system(PENDULUM), vec![0.6, -0.8, 1.6, 1.2]),
        (system(DOUBLE), double),
        // At (0, 1) G = (1, 2), and G H_p ~ 3 p_x + 5/2 p_y.
        (system(RELATIVISTIC), vec![0.0, 1.0, 2.5, -3.0]),
    ]
}

#[test]
fn all_formulations_agree_on_the_manifold() {
    for (s, z) in on_manifold() {
        let rate = |f: Formulation| -> Vec<f64> {
            let motion = f.apply(&s).unwrap();
            let field = motion.field().unwrap().clone();
            let parameters = [values::parameters(&s, &[]).unwrap(), motion.number_values()].concat();
            let out = evaluate(&[field.rate], &field.state, (&motion.parameters(), &parameters), &z);
            out[0].iter().map(|x| x.value()).collect()
        };
        let standard = rate(Formulation::Standard);
        let n = standard.len() / 2;
        let others = [
            Formulation::HamiltonDirac,
            Formulation::Total,
            Formulation::Dirac { alpha: 0.0 },
            Formulation::Dirac { alpha: 3.0 },
            Formulation::Ggl,
            Formulation::Baumgarte { alpha: 2.0, beta: 3.0 },
        ];
        for f in others {
            for (a, b) in rate(f).iter().zip(&standard) {
                assert!((a - b).abs() < 1e-13, "{f:?}: {a} and {b}");
            }
        }
        // Where p* = p, the impetus changes as the momentum does but for the reaction, which λ takes up.
        for (a, b) in rate(Formulation::ImpetusStriction)[..n].iter().zip(&standard) {
            assert!((a - b).abs() < 1e-13, "{a} and {b}");
        }
    }
}

#[test]
fn positions_are_strong_integrals_of_impetus_striction_and_its_hamiltonian_too() {
    for s in [system(PENDULUM), system(DOUBLE), system(RELATIVISTIC), shipped("chain", Some(4))] {
        let motion = Formulation::ImpetusStriction.apply(&s).unwrap();
        let structure = motion.structure().unwrap();
        let field = motion.field().unwrap();
        let energy = motion.at_state(&structure.hamiltonian).unwrap();
        let tensors = [
            field.rate.clone(),
            structure.constraints.jacobian(&field.state).unwrap(),
            energy.gradient(&field.state).unwrap(),
            motion.at_state(&structure.hidden).unwrap(),
        ];
        let (layout, p) = (s.parameter_layout(), values::parameters(&s, &[]).unwrap());
        let z = generic(field.state.len());
        let out = evaluate(&tensors, &field.state, (&layout, &p), &z);
        let along = |row: &[Dd]| row.iter().zip(&out[0]).fold(Dd::from(0.0), |s, (&a, &b)| s + a * b).value().abs();
        assert!(out[1].chunks(z.len()).all(|row| along(row) < 1e-26));
        assert!(along(&out[2]) < 1e-26);
        // The physical momentum satisfies the hidden constraint for any impetus.
        assert!(out[3].iter().all(|x| x.value().abs() < 1e-26), "{:?}", out[3]);
        // The equations are canonical: ṗ* = −∂H*/∂q, by implicit differentiation.
        let n = z.len() / 2;
        for k in 0..n {
            assert!((out[0][k] - out[2][n + k]).value().abs() < 1e-25);
            assert!((out[0][n + k] + out[2][k]).value().abs() < 1e-25);
        }
    }
}

#[test]
fn stabilised_equations_keep_or_damp_what_they_say() {
    for s in [system(PENDULUM), system(DOUBLE), system(RELATIVISTIC)] {
        let [phi, psi, h] = rates(&s, Formulation::Ggl);
        assert!(zero(&phi) && zero(&psi) && !zero(&h), "{phi:?} {psi:?} {h:?}");
        let (alpha, beta) = (0.7, 1.3);
        let [phi, psi, _] = rates(&s, Formulation::Baumgarte { alpha, beta });
        // φ̇ = ψ, ψ̇ = −2αψ − β²φ.
        let structure = Structure::new(&s).unwrap();
        let (layout, p) = (s.parameter_layout(), values::parameters(&s, &[]).unwrap());
        let state = structure.state();
        let at = [structure.constraints.clone(), structure.hidden.clone()];
        let out = evaluate(&at, &state, (&layout, &p), &generic(state.len()));
        for k in 0..phi.len() {
            let [f, g] = [out[0][k].value(), out[1][k].value()];
            assert!((phi[k] - g).abs() < 1e-14);
            assert!((psi[k] + 2.0 * alpha * g + beta * beta * f).abs() < 1e-13);
        }
    }
}

#[test]
fn total_and_dirac_have_the_residual_equations_of_the_pendulum() {
    // Linearised about φ = ψ = 0: [[0, ±1], [4p² − g y, 0]], + for H + μᵀφ, − for H + μᵀφ + ηᵀψ.
    let s = system(PENDULUM);
    let (y, p2) = (-0.8, 4.0);
    let rate = 4.0 * p2 - y;
    let small = 1e-6;
    let moved = |d: [f64; 2]| {
        // Radially by φ and along q by ψ: φ = r δr, ψ = q·p.
        let (q, p) = ([0.6, -0.8], [1.6, 1.2]);
        let scale = (1.0 + 2.0 * d[0]).sqrt();
        let q = q.map(|q| q * scale);
        [q[0], q[1], p[0] / scale + q[0] * d[1] / (scale * scale), p[1] / scale + q[1] * d[1] / (scale * scale)]
    };
    for (f, sign) in [(Formulation::Total, 1.0), (Formulation::Dirac { alpha: 0.0 }, -1.0)] {
        let motion = f.apply(&s).unwrap();
        let field = motion.field().unwrap();
        let parameters = [vec![1.0], motion.number_values()].concat();
        let structure = Structure::new(&s).unwrap();
        let rates = |z: &[f64]| -> [f64; 2] {
            let tensors = [
                field.rate.clone(),
                structure.constraints.jacobian(&field.state).unwrap(),
                structure.hidden.jacobian(&field.state).unwrap(),
            ];
            let out = evaluate(&tensors, &field.state, (&motion.parameters(), &parameters), z);
            [1, 2].map(|k| out[k].iter().zip(&out[0]).fold(Dd::from(0.0), |s, (&a, &b)| s + a * b).value())
        };
        let slope = |direction: [f64; 2]| {
            let [a, b] = [small, -small].map(|e| rates(&moved(direction.map(|d| d * e))));
            [0, 1].map(|k| (a[k] - b[k]) / (2.0 * small))
        };
        let [by_phi, by_psi] = [slope([1.0, 0.0]), slope([0.0, 1.0])];
        for (found, wanted) in [by_phi[0], by_phi[1], by_psi[0], by_psi[1]].iter().zip([0.0, rate, sign, 0.0]) {
            assert!((found - wanted).abs() < 1e-6, "{f:?}: {by_phi:?} {by_psi:?}");
        }
    }
}

#[test]
fn linear_constraints_are_projected_and_others_refused() {
    let s = system(
        "param m = 3\ncoord x, y, z\nhamiltonian p_x^2/2 + p_y^2/(2*m) + p_z^2 + x^4 + x*y^2 + cos(z)\n\
         constraint plane: x + 2*y - z - 1 = 0\n",
    );
    let [phi, psi, _] = rates(&s, Formulation::LinearProjected);
    assert!(zero(&psi) && !zero(&phi));
    // On the manifold the standard equations: (1, 1, 2), momenta with p_x + 2 p_y/3 − 2 p_z = 0.
    let rate = |f: Formulation| {
        let field = f.apply(&s).unwrap().field().unwrap().clone();
        evaluate(&[field.rate], &field.state, (&s.parameter_layout(), &[3.0]), &[1.0, 1.0, 2.0, 1.0, 1.5, 1.0])
    };
    for (a, b) in rate(Formulation::LinearProjected)[0].iter().zip(&rate(Formulation::Standard)[0]) {
        assert!((*a - *b).value().abs() < 1e-14);
    }
    let refused = |s: &System| Formulation::LinearProjected.apply(s).unwrap_err().to_string();
    assert!(refused(&system(PENDULUM)).contains("not linear"));
    let heavy = system("coord x, y\nhamiltonian (1 + x^2)*p_x^2 + p_y^2\nconstraint line: x - y = 0\n");
    assert!(refused(&heavy).contains("mass matrix"));
}

#[test]
fn a_penalty_is_a_spring() {
    let s = system(PENDULUM);
    let motion = Formulation::Penalty { epsilon: 0.25 }.apply(&s).unwrap();
    let field = motion.field().unwrap().clone();
    let (x, y) = (0.7f64, -0.4);
    let out = evaluate(&[field.rate], &field.state, (&motion.parameters(), &[2.0, 0.25]), &[x, y, 1.1, 0.3]);
    let spring = (x * x + y * y - 1.0) / 2.0 / 0.25;
    for (found, wanted) in out[0].iter().zip([1.1, 0.3, -spring * x, -2.0 - spring * y]) {
        assert!((found.value() - wanted).abs() < 1e-15);
    }
}

#[test]
fn the_pendulum_in_a_chart_is_that_of_the_paper() {
    // δ = x: Ĥ = θ²(1 − δ²)/2 + g y with y = −√(1 − δ²); p = θ(1 − x², −xy), θ = p_x/(1 − x²).
    let s = system(PENDULUM);
    let local = Formulation::LocalChart { threshold: 2.0 }.apply(&s).unwrap().chart().unwrap().clone();
    let layout = s.parameter_layout().then(&local.chart).then(&local.reference);
    let (g, delta, theta) = (1.3, 0.6, 2.0);
    let parameters = [g, 1.0, 0.0, 0.5, -0.7];
    let out = evaluate(&[local.field.rate, local.lift], &local.field.state, (&layout, &parameters), &[delta, theta]);
    let number = |v: &[Dd]| v.iter().map(|x| x.value()).collect::<Vec<f64>>();
    let y = -0.8;
    let rate = [theta * (1.0 - delta * delta), delta * theta * theta + g * delta / y];
    let lifted = [delta, y, theta * (1.0 - delta * delta), -theta * delta * y];
    for (found, expected) in [(number(&out[0]), rate.to_vec()), (number(&out[1]), lifted.to_vec())] {
        assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-14), "{found:?} and {expected:?}");
    }
    let back = evaluate(&[local.restriction], &structure_state(&s), (&layout, &parameters), &lifted);
    assert!(number(&back[0]).iter().zip([delta, theta]).all(|(a, b)| (a - b).abs() < 1e-14), "{back:?}");
}

fn structure_state(s: &System) -> Layout {
    Structure::new(s).unwrap().state()
}

#[test]
fn a_chart_shows_the_same_motion_as_the_constrained_equations() {
    // Along the lift of (δ, θ) the rates are those of the standard equations, for charts that mix coordinates.
    for (s, z) in on_manifold() {
        let structure = Structure::new(&s).unwrap();
        let (n, m) = (structure.coordinates.len(), structure.constraints.shape()[0].len());
        let local = Formulation::LocalChart { threshold: 2.0 }.apply(&s).unwrap().chart().unwrap().clone();
        let layout = s.parameter_layout().then(&local.chart).then(&local.reference);
        let matrix = (0..(n - m) * n).map(|k| (1.7 * k as f64 + 0.3).cos());
        let mut parameters = values::parameters(&s, &[]).unwrap();
        parameters.extend(matrix.chain(z[..n].iter().copied()));
        let state = structure.state();
        let given = evaluate(&[local.restriction], &state, (&layout, &parameters), &z);
        let given: Vec<f64> = given[0].iter().map(|v| v.value()).collect();
        let derivative = local.lift.jacobian(&local.field.state).unwrap();
        let out =
            evaluate(&[local.field.rate, derivative, local.lift], &local.field.state, (&layout, &parameters), &given);
        let along: Vec<f64> = out[1]
            .chunks(given.len())
            .map(|row| row.iter().zip(&out[0]).fold(Dd::from(0.0), |sum, (&a, &b)| sum + a * b).value())
            .collect();
        let field = Formulation::Standard.apply(&s).unwrap().field().unwrap().clone();
        let expected = evaluate(&[field.rate], &state, (&layout, &parameters), &z);
        for (k, (a, b)) in along.iter().zip(&expected[0]).enumerate() {
            assert!((a - b.value()).abs() < 1e-12, "entry {k}: {a} and {b:?}");
        }
        assert!(out[2].iter().zip(&z).all(|(a, b)| (a.value() - b).abs() < 1e-13));
    }
}
