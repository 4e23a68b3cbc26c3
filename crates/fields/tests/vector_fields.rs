//! Lie algebras of piecewise polynomials, with exact constants.

use cotangent_analysis::{Certainty, Outcome, analyze};
use cotangent_compile::values::Setting;
use cotangent_compile::{Engine, Tape};
use cotangent_dynamics::Dynamics;
use cotangent_expr::{Expr, Number};
use cotangent_fields::burgers::broken;
use cotangent_fields::{FieldsError, PiecewisePolynomial, VectorFields};
use cotangent_model::System;
use cotangent_problem::{Repairs, pose};
use cotangent_theory::Formulation;

fn ratio(n: i64, d: i64) -> Number {
    Number::ratio(n, d).unwrap()
}

fn function(points: &[i64], pieces: &[&[i64]]) -> PiecewisePolynomial {
    PiecewisePolynomial {
        points: points.iter().map(|&x| Number::from(x)).collect(),
        pieces: pieces.iter().map(|p| p.iter().map(|&c| Number::from(c)).collect()).collect(),
    }
}

#[test]
fn broken_linear_functions_are_copies_of_the_affine_algebra() {
    let algebra = VectorFields::broken_linear(3, ratio(2, 7)).unwrap();
    // [1, x] = 1 on each cell, nothing between cells.
    let found: Vec<_> = algebra.constants().iter().map(|c| (c.i, c.j, c.k, c.value)).collect();
    assert_eq!(found, [(0, 1, 0, Number::ONE), (2, 3, 2, Number::ONE), (4, 5, 4, Number::ONE)]);
    // ∫1 = Δx, ∫(x − x̄)² = Δx³/12.
    assert_eq!(algebra.gram()[0][0], ratio(2, 7));
    assert_eq!(algebra.gram()[1][1], ratio(8, 12 * 343));
    assert!(algebra.gram()[0][1].is_zero() && algebra.gram()[0][2].is_zero());
    let report = analyze(&algebra.lie_poisson("cells", None).unwrap()).unwrap().poisson.unwrap();
    assert!(matches!(report.jacobi, Outcome::Holds(Certainty::Proved)));
    assert_eq!(report.algebra.unwrap().name.as_deref(), Some("aff(1) + aff(1) + aff(1)"));
}

#[test]
fn quadratic_functions_are_sl2_and_the_energy_is_that_of_the_velocities() {
    let points = [-1, 2];
    let basis: Vec<_> = [&[1][..], &[0, 1], &[0, 0, 1]].map(|p| function(&points, &[p])).to_vec();
    let algebra = VectorFields::new(&basis).unwrap();
    let system = algebra.lie_poisson("sl2", None).unwrap();
    let report = analyze(&system).unwrap().poisson.unwrap();
    assert_eq!(report.algebra.unwrap().name.as_deref(), Some("sl(2,R)"));
    // With velocities as energy of their own: Q = diag(1, 2, 4), H = m₁²/2 + m₂²/4 + m₃²/8.
    let q: Vec<Vec<Number>> = (0..3).map(|i| (0..3).map(|j| Number::from(i64::from(i == j) << i)).collect()).collect();
    let system = algebra.lie_poisson("sl2", Some(&q)).unwrap();
    assert_eq!(system.dynamics.energy().to_string(), "m[1]^2/2 + m[2]^2/4 + m[3]^2/8");
    let wrong = [vec![Number::ONE; 3], vec![Number::ONE; 3], vec![Number::ONE; 3]];
    assert!(matches!(algebra.lie_poisson("x", Some(&wrong)), Err(FieldsError::NotAnEnergy { size: 3 })));
    assert!(matches!(algebra.lie_poisson("x", Some(&q[..2])), Err(FieldsError::NotAnEnergy { size: 3 })));
}

/// B(z) of a system.
fn tensor(system: &System, set: &[Setting], z: &[f64]) -> Vec<Vec<f64>> {
    let problem = pose(system, Formulation::Multipliers, set, Repairs::default(), Engine::Best).unwrap();
    let view = problem.equations.compiled.view::<f64, _>(Tape, problem.parameters.clone());
    let mut poisson = view.poisson().unwrap().unwrap();
    let pattern = poisson.shape().tensor.clone();
    let mut out = vec![0.0; pattern.len()];
    poisson.tensor(z, &mut out).unwrap();
    let mut full = vec![vec![0.0; z.len()]; z.len()];
    pattern.addresses().zip(out).for_each(|((i, j), b)| full[i as usize][j as usize] = b);
    full
}

#[test]
fn the_momentum_of_a_particle_is_a_poisson_map() {
    // Clebsch: mᵢ = p eᵢ(q) of a canonical pair, {mᵢ, mⱼ} = ∂mᵢ/∂q ∂mⱼ/∂p − ∂mᵢ/∂p ∂mⱼ/∂q.
    let squares: Vec<_> = [&[1][..], &[0, 1], &[0, 0, 1]].map(|p| function(&[0, 2], &[p])).to_vec();
    // On two cells of length 1: 1 and x − x̄ on each.
    let cells = VectorFields::broken_linear(2, Number::ONE).unwrap();
    let half = |x: f64| if x < 1.0 { [1.0, x - 0.5, 0.0, 0.0] } else { [0.0, 0.0, 1.0, x - 1.5] };
    let slopes = |x: f64| if x < 1.0 { [0.0, 1.0, 0.0, 0.0] } else { [0.0, 0.0, 0.0, 1.0] };
    type Values = Box<dyn Fn(f64) -> Vec<f64>>;
    let cases: [(VectorFields, Values, Values); 2] = [
        (
            VectorFields::new(&squares).unwrap(),
            Box::new(|x| vec![1.0, x, x * x]),
            Box::new(|x| vec![0.0, 1.0, 2.0 * x]),
        ),
        (cells, Box::new(move |x| half(x).to_vec()), Box::new(move |x| slopes(x).to_vec())),
    ];
    for (algebra, values, slopes) in cases {
        for (q, p) in [(0.3, 1.7), (1.6, -0.9)] {
            let (e, d) = (values(q), slopes(q));
            let m: Vec<f64> = e.iter().map(|e| p * e).collect();
            let b = tensor(&algebra.lie_poisson("clebsch", None).unwrap(), &[], &m);
            for i in 0..m.len() {
                for j in 0..m.len() {
                    let canonical = p * d[i] * e[j] - e[i] * p * d[j];
                    assert!((b[i][j] - canonical).abs() < 1e-14, "{i} {j}: {} {canonical}", b[i][j]);
                }
            }
        }
    }
}

#[test]
fn the_bracket_of_burgers_is_a_third_of_that_of_broken_linear_functions() {
    // On cells of length Δx = 3/4: u = Δx^(−1/2) m₁ and v = (12/Δx³)^(1/2) m₂ for the normed functions.
    let (cells, length) = (4, 0.75);
    let algebra = VectorFields::broken_linear(cells, ratio(3, 4)).unwrap();
    let m = [0.4, 1.1, -0.3, 0.9, 1.7, -0.2, 0.6, -1.2];
    let lie = tensor(&algebra.lie_poisson("cells", None).unwrap(), &[], &m);
    let scale = [f64::powf(length, -0.5), (12.0 / f64::powi(length, 3)).sqrt()];
    // u₁ … u₄ and then v₁ … v₄ of the model; m₁, m₂ of one cell after the other.
    let place = |k: usize| (2 * (k % cells) + k / cells, scale[k / cells]);
    let mut free = broken(cells, |_| Expr::zero()).unwrap();
    free.constraints.clear();
    let z: Vec<f64> = (0..2 * cells).map(|k| place(k).1 * m[place(k).0]).collect();
    let found = tensor(&free, &[Setting { name: "L".into(), index: None, value: 3.0 }], &z);
    assert!(found.iter().flatten().filter(|b| **b != 0.0).count() == 2 * cells);
    for (i, row) in found.iter().enumerate() {
        for (j, b) in row.iter().enumerate() {
            let ((a, f), (c, g)) = (place(i), place(j));
            assert!((3.0 * b - f * g * lie[a][c]).abs() < 1e-12, "{i} {j}: {b}");
        }
    }
}

#[test]
fn numbers_that_are_no_fractions_or_do_not_fit_are_refused() {
    let float = PiecewisePolynomial {
        points: vec![Number::ZERO, Number::ONE],
        pieces: vec![vec![Number::from(0.1_f64.sqrt())]],
    };
    assert!(matches!(VectorFields::new(&[float]), Err(FieldsError::NotExact)));
    // ∫(x − x̄)² = Δx³/12 has more than 64 bits.
    let fine = VectorFields::broken_linear(1, ratio(1, 3_037_000_507));
    assert!(matches!(fine, Err(FieldsError::NotExact)), "{fine:?}");
    // On the way 128 bits are enough where 64 are not: Δx = 1/10⁵, whose inverse Gram matrix has 12·10¹⁵.
    let exact = VectorFields::broken_linear(2, ratio(1, 100_000)).unwrap();
    assert_eq!(exact.constants().len(), 2);
    assert!(exact.constants().iter().all(|c| c.value == Number::ONE));
}

#[test]
fn functions_that_do_not_close_are_refused_with_what_is_left() {
    // Hat functions on [0, 2] with values 1 at 0 and 1: their bracket is −1 on the first piece and 0 on the other.
    let hats = [function(&[0, 1, 2], &[&[1, -1], &[]]), function(&[0, 1, 2], &[&[0, 1], &[1, -1]])];
    let refused = VectorFields::new(&hats).unwrap_err();
    let FieldsError::NotClosed { first: 1, second: 2, .. } = &refused else { panic!("{refused}") };
    let text = refused.to_string();
    assert!(text.contains("[e1, e2] is no sum of them") && text.contains("on the piece from"), "{text}");
    // [x², x³] = x⁴.
    let powers = (0..4).map(|k| function(&[0, 1], &[&(0..=k).map(|i| i64::from(i == k)).collect::<Vec<_>>()]));
    let refused = VectorFields::new(&powers.collect::<Vec<_>>()).unwrap_err().to_string();
    assert!(refused.contains("[e3, e4]") && refused.contains("x^4"), "{refused}");
    let twice = [function(&[0, 1], &[&[1]]), function(&[0, 1], &[&[3]])];
    assert!(matches!(VectorFields::new(&twice), Err(FieldsError::Dependent { function: 2 })));
    let other = [function(&[0, 1], &[&[1]]), function(&[0, 2], &[&[0, 1]])];
    assert!(matches!(VectorFields::new(&other), Err(FieldsError::OtherMesh { function: 2 })));
    assert!(matches!(VectorFields::new(&[]), Err(FieldsError::NoFunctions)));
    let back = [function(&[1, 0], &[&[1]])];
    assert!(matches!(VectorFields::new(&back), Err(FieldsError::OtherMesh { function: 1 })));
}
