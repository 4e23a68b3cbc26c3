//! Casimirs that are found, against closed forms and by their definition.

mod common;

use common::{analysis, number, value};
use cotangent_analysis::{Analysis, CasimirSearch, Certainty};
use std::collections::HashMap;

fn search(report: &Analysis) -> &CasimirSearch {
    report.poisson.as_ref().unwrap().casimirs.as_ref().unwrap()
}

/// The Casimirs of a model as they are printed; all of them are proved, and there are as many as there should be.
fn found(text: &str) -> Vec<String> {
    let report = analysis(text);
    let search = search(&report);
    assert_eq!((search.found.len(), search.known), (search.number, search.number));
    assert!(search.found.iter().all(|(_, certainty)| *certainty == Certainty::Proved));
    let mut all: Vec<String> = search.found.iter().map(|(e, _)| e.to_string()).collect();
    all.sort();
    all
}

const RIGID_BODY: &str = include_str!("../../../models/rigid-body.cot");
const HEAVY_TOP: &str = include_str!("../../../models/heavy-top.cot");
const LORENZ: &str = include_str!("../../../models/lorenz-86.cot");
const SPECIES: &str = include_str!("../../../models/lotka-volterra-3.cot");

#[test]
fn of_the_shipped_models() {
    assert_eq!(found(RIGID_BODY), ["y1^2 + y2^2 + y3^2"]);
    assert_eq!(found(HEAVY_TOP), ["g1*m1 + g2*m2 + g3*m3", "g1^2 + g2^2 + g3^2"]);
    assert_eq!(found(LORENZ), ["x1^2 + x2^2"]);
    // The kernel of (0 a −c; −a 0 b; c −b 0) is (b, c, a), for the logarithms.
    assert_eq!(found(SPECIES), ["a12*log(y3) + a23*log(y1) + a31*log(y2)"]);
    assert!(found(include_str!("../../../models/lotka-volterra.cot")).is_empty());
}

/// A ring of an even number of species has two: the products over the odd and the even places.
#[test]
fn of_volterra_lattices() {
    let ring = |n: usize| {
        format!(
            "param n : int = {n}\nvariables y[i in 1..n]\n\
             bracket {{y[i in 1..n], y[mod(i, n) + 1]}} = y[i]*y[mod(i, n) + 1]\nhamiltonian sum(i in 1..n, y[i])\n"
        )
    };
    assert_eq!(found(&ring(5)), ["y[1]*y[2]*y[3]*y[4]*y[5]"]);
    assert_eq!(found(&ring(6)), ["y[1]*y[3]*y[5]", "y[2]*y[4]*y[6]"]);
    // The kernel of (0 1 −3; −1 0 −2; 3 2 0) is (−2, 3, 1).
    let text = "variables x, y, z\nbracket {x, y} = x*y, {y, z} = -2*y*z, {z, x} = 3*z*x\nhamiltonian x\n";
    assert_eq!(found(text), ["y^3*z/x^2"]);
}

/// Flaschka's variables of the periodic Toda lattice: Σ b and Π a.
#[test]
fn of_the_toda_lattice() {
    let text = "param n : int = 4\nvariables a[i in 1..n], b[i in 1..n]\n\
                bracket {a[i in 1..n], b[i]} = -a[i], {a[i in 1..n], b[mod(i, n) + 1]} = a[i]\n\
                hamiltonian sum(i in 1..n, b[i]^2/2 + a[i]^2)\n";
    assert_eq!(found(text), ["a[1]*a[2]*a[3]*a[4]", "b[1] + b[2] + b[3] + b[4]"]);
}

/// {x, y} = ∂C/∂z and cyclically is a bracket in three dimensions, with the Casimir C, whatever C is.
#[test]
fn of_brackets_made_of_their_casimir() {
    let made = |c: [&str; 3]| {
        let [x, y, z] = c;
        format!(
            "param k = 2\nvariables x, y, z\nbracket {{x, y}} = {z}, {{y, z}} = {x}, {{z, x}} = {y}\nhamiltonian x\n"
        )
    };
    // x³ + y³ + z³ − xyz
    assert_eq!(found(&made(["3*x^2 - y*z", "3*y^2 - x*z", "3*z^2 - x*y"])), ["x^3 - x*y*z + y^3 + z^3"]);
    // A factor changes nothing, nor does a parameter inside: x² + k y.
    assert_eq!(found(&made(["2*x*(1 + y^2)", "k*(1 + y^2)", "0"])), ["k*y + x^2"]);
    // log x + k y
    assert_eq!(found(&made(["1/x", "k", "0"])), ["k*y + log(x)"]);
}

/// sin x + y z is none of those that are sought: it is said to be missing, and the search comes to an end.
#[test]
fn one_that_is_not_sought_is_missing() {
    let text = "variables x, y, z\nbracket {x, y} = y, {y, z} = cos(x), {z, x} = z\nhamiltonian x\n";
    let report = analysis(text);
    let search = search(&report);
    assert_eq!((search.number, search.known, search.found.len(), search.degree), (1, 0, 0, 6));
    // As a claim it is known.
    let report = analysis(&format!("{text}casimir C = sin(x) + y*z\n"));
    let poisson = report.poisson.unwrap().casimirs.unwrap();
    assert_eq!((poisson.number, poisson.known, poisson.found.len()), (1, 1, 0));
}

/// Three variables without brackets are three Casimirs; their squares and products are no more.
#[test]
fn dependent_ones_are_left_out() {
    assert_eq!(found("variables x, y, u, v, w\nbracket {x, y} = 1 + u^2\nhamiltonian x\n"), ["u", "v", "w"]);
}

/// Σⱼ Bᵢⱼ ∂ⱼC = 0, with B typed in here.
#[test]
fn by_their_definition() {
    let e3 = |i: usize, j: usize| -> f64 {
        let z = ["m1", "m2", "m3", "g1", "g2", "g3"].map(number);
        let cross = |a: usize, b: usize, at: usize| match (3 + b - a) % 3 {
            1 => -z[at + (b + 1) % 3],
            2 => z[at + (a + 1) % 3],
            _ => 0.0,
        };
        match (i < 3, j < 3) {
            (true, true) => cross(i, j, 0),
            (true, false) => cross(i, j - 3, 3),
            (false, true) => cross(i - 3, j, 3),
            (false, false) => 0.0,
        }
    };
    let report = analysis(HEAVY_TOP);
    let own = HashMap::new();
    for (c, _) in &search(&report).found {
        let symbol = |z: &String| c.leaves().into_iter().find(|leaf| leaf.to_string() == *z);
        let slope = |z: &String| symbol(z).map_or(0.0, |z| value(&c.derivative(&z).unwrap(), &own));
        let gradient: Vec<f64> = report.variables.iter().map(slope).collect();
        assert!(gradient.iter().any(|x| x.abs() > 0.1));
        for i in 0..6 {
            let sum: f64 = (0..6).map(|j| e3(i, j) * gradient[j]).sum();
            assert!(sum.abs() < 1e-14, "{c}: {sum}");
        }
    }
}

/// A bracket of many variables takes no longer than it should, and says what it left out.
#[test]
fn many_variables() {
    let ring = |n: usize| {
        format!(
            "param n : int = {n}\nvariables y[i in 1..n]\n\
             bracket {{y[i in 1..n], y[mod(i, n) + 1]}} = y[i]*y[mod(i, n) + 1]\nhamiltonian sum(i in 1..n, y[i])\n"
        )
    };
    let report = analysis(&ring(40));
    assert_eq!((search(&report).number, search(&report).known), (2, 2));
    let report = analysis(&ring(250));
    assert_eq!((search(&report).number, search(&report).known, search(&report).degree), (2, 0, 0));
}
