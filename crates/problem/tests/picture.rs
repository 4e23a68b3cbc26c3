//! Drawings as numbers.

use cotangent_compile::Engine;
use cotangent_model::{DrawingKind, System};
use cotangent_problem::Picture;
use cotangent_theory::Formulation;

fn picture(text: &str) -> Option<Picture> {
    drawn(text, Formulation::Multipliers)
}

fn drawn(text: &str, formulation: Formulation) -> Option<Picture> {
    let system = System::parse(text).unwrap_or_else(|e| panic!("{e}"));
    let motion = formulation.apply(&system).unwrap();
    let parameters = cotangent_compile::values::parameters(&system, &[]).unwrap();
    Picture::new(&motion, &parameters, Engine::Best).unwrap()
}

#[test]
fn points_and_rods_of_families_are_where_the_state_puts_them() {
    let text = "param n : int = 3\nparam l = 2\ncoord x[i in 1..n], y[i in 1..n]\nboundary x[0] = 0, y[0] = l\n\
        lagrangian sum(i in 1..n, (x[i]'^2 + y[i]'^2)/4)\n\
        draw rod bar[i in 1..n]: (x[i-1], y[i-1]) -- (x[i], y[i]) -- (l*i, x[i]')\n\
        draw vehicle car: (x[1], y[2], y[3]/2)\n";
    let mut picture = picture(text).unwrap();
    let state = [1.0, 2.0, 3.0, 10.0, 20.0, 30.0, 0.5, 0.0, 0.25, 0.0, 0.0, 0.0];
    let mut numbers = vec![0.0; picture.len()];
    picture.draw(&state, &mut numbers).unwrap();
    let [bar, car] = &picture.shapes[..] else { panic!("{:?}", picture.shapes) };
    assert_eq!((bar.kind, bar.members, bar.points), (DrawingKind::Rod, 3, 3));
    let at = |member: usize, point: usize| bar.point(&numbers, member, point).collect::<Vec<f64>>();
    assert_eq!(at(0, 0), [0.0, 2.0]);
    assert_eq!(at(2, 0), [2.0, 20.0]);
    assert_eq!(at(2, 1), [3.0, 30.0]);
    // A velocity is written in momenta: p = x'/2.
    assert_eq!(at(0, 2), [2.0, 1.0]);
    assert_eq!(at(2, 2), [6.0, 0.5]);
    assert_eq!(car.point(&numbers, 0, 0).collect::<Vec<f64>>(), [1.0, 20.0]);
    assert_eq!(car.heading(&numbers, 0), Some(15.0));
    assert_eq!(bar.heading(&numbers, 0), None);
}

#[test]
fn a_model_without_drawings_has_no_picture() {
    assert!(picture("coord x\nhamiltonian p_x^2/2\n").is_none());
}

/// The state of impetus–striction has p* = p + Gᵀλ in the place of p; what is drawn is p, which is tangent.
#[test]
fn a_drawing_shows_the_momenta_of_the_model() {
    let text = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + y\nconstraint rod: (x^2 + y^2 - 1)/2 = 0\n\
        draw rod speed: (x, y) -- (x + p_x, y + p_y)\n";
    let mut picture = drawn(text, Formulation::ImpetusStriction).unwrap();
    let (q, p, lambda) = ([0.6, 0.8], [-1.6, 1.2], 5.0);
    let mut numbers = vec![0.0; picture.len()];
    picture.draw(&[q[0], q[1], p[0] + lambda * q[0], p[1] + lambda * q[1]], &mut numbers).unwrap();
    let tip: Vec<f64> = picture.shapes[0].point(&numbers, 0, 1).collect();
    for (found, expected) in tip.iter().zip([q[0] + p[0], q[1] + p[1]]) {
        assert!((found - expected).abs() < 1e-14, "{tip:?}");
    }
}
