//! Lie algebras of piecewise polynomials, with exact constants.

use cotangent_analysis::{Certainty, Outcome, analyze};
use cotangent_expr::Number;
use cotangent_fields::{FieldsError, PiecewisePolynomial, VectorFields};

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
    let back = [function(&[1, 0], &[&[1]])];
    assert!(matches!(VectorFields::new(&back), Err(FieldsError::OtherMesh { function: 1 })));
}
