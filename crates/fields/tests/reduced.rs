//! Continuous functions with Dirac's bracket: a Poisson system that does not approximate Burgers' equation.

use cotangent_analysis::{Certainty, Outcome, analyze};
use cotangent_compile::{Engine, Tape};
use cotangent_dynamics::{Advance, AnySystem, Dynamics, Measure};
use cotangent_expr::{Expr, Function};
use cotangent_fields::burgers::{
    Galerkin, Midpoint, Reduced, Ring, Splitting, averaged, broken, reduced, zabusky_kruskal,
};
use cotangent_fields::{Characteristics, FieldsError, total_variation};
use cotangent_integrate::{Handwritten, Method};
use cotangent_model::System;
use cotangent_problem::{Instance, Repairs, pose};
use cotangent_scalar::Dual;
use cotangent_theory::Formulation::{
    self, DiracBracket, DiracCoordinates, Multipliers, Projected, ProjectedInverse, Slaved,
};
use std::f64::consts::TAU;

fn sine(x: &Expr) -> Expr {
    Expr::call(Function::Sin, vec![x.clone()])
}

fn posed(system: &System, formulation: Formulation) -> Instance {
    pose(system, formulation, &[], Repairs::default(), Engine::Best)
        .unwrap_or_else(|e| panic!("{}: {e}", formulation.name()))
}

/// As it is, also where the bracket is none.
fn plain(system: &System) -> Instance {
    Instance::new(system, Multipliers, &[], Repairs::default(), Engine::Best).unwrap()
}

/// The nodal values y after some steps of the broken functions in a formulation: at the right ends of the cells.
fn nodes(cells: usize, formulation: Formulation, h: f64, steps: u64) -> Vec<f64> {
    let problem = posed(&broken(cells, sine).unwrap(), formulation);
    let mut gauss = problem.integrator(&problem.prepare(Method::Gauss { stages: 3 }).unwrap()).unwrap();
    let mut state = gauss.state(problem.start.clone());
    gauss.advance(&mut state, h, steps).unwrap();
    let mut z = vec![0.0; 2 * cells];
    problem.diagnostics().unwrap().model_state(&state.values, &mut z).unwrap();
    (0..cells).map(|i| z[i] + 3f64.sqrt() * z[cells + i]).collect()
}

fn sines(cells: usize, mean: f64) -> Vec<f64> {
    let dx = TAU / cells as f64;
    (1..=cells).map(|i| dx.sqrt() * (mean + (i as f64 * dx).sin())).collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
}

#[test]
fn diracs_bracket_and_the_restricted_inverse_agree() {
    for cells in [6, 10] {
        let (h, steps) = (2e-4, 50);
        let law = Reduced::new(cells, TAU / cells as f64).unwrap();
        let start = sines(cells, 0.0);
        let law = Handwritten::new(law, start).unwrap();
        let mut gauss = law.integrator(&law.prepare(Method::Gauss { stages: 3 }).unwrap()).unwrap();
        let mut state = gauss.state(law.start().to_vec());
        gauss.advance(&mut state, h, steps).unwrap();
        assert!(distance(&state.values, law.start()) > 0.02, "it moves");
        for formulation in [DiracBracket, Slaved, DiracCoordinates, ProjectedInverse] {
            let off = distance(&nodes(cells, formulation, h, steps), &state.values);
            assert!(off < 1e-10, "{cells} {}: {off:e}", formulation.name());
        }
        // Written out, from x = 0 on.
        let problem = posed(&reduced(cells, sine).unwrap(), Multipliers);
        let mut gauss = problem.integrator(&problem.prepare(Method::Gauss { stages: 3 }).unwrap()).unwrap();
        let mut written = gauss.state(problem.start.clone());
        gauss.advance(&mut written, h, steps).unwrap();
        written.values.rotate_left(1);
        let off = distance(&written.values, &state.values);
        assert!(off < 1e-10, "{cells}, written out: {off:e}");
    }
}

#[test]
fn the_formulation_projected_is_galerkins_scheme() {
    for cells in [6, 10] {
        let (h, steps) = (1e-3, 300);
        let dx = TAU / cells as f64;
        let law = Galerkin::new(cells, dx).unwrap();
        let start = sines(cells, 0.0).iter().map(|y| y / dx.sqrt()).collect();
        let law = Handwritten::new(law, start).unwrap();
        let mut gauss = law.integrator(&law.prepare(Method::Gauss { stages: 3 }).unwrap()).unwrap();
        let mut state = gauss.state(law.start().to_vec());
        gauss.advance(&mut state, h, steps).unwrap();
        let y: Vec<f64> = state.values.iter().map(|u| u * dx.sqrt()).collect();
        assert!(distance(law.start(), &state.values) > 0.05, "it moves");
        let off = distance(&nodes(cells, Projected, h, steps), &y);
        assert!(off < 1e-10, "{cells}: {off:e}");
        // The bracket of the averages makes another motion.
        let problem = plain(&averaged(cells, sine).unwrap());
        let mut gauss = problem.integrator(&problem.prepare(Method::Gauss { stages: 3 }).unwrap()).unwrap();
        let mut other = gauss.state(problem.start.clone());
        gauss.advance(&mut other, h, steps).unwrap();
        other.values.rotate_left(1);
        assert!(distance(&other.values, &state.values) > 1e-3);
    }
}

/// B(z) of a system, row by row, and its derivatives along each variable.
fn tensor(system: &System, z: &[f64]) -> (Vec<Vec<f64>>, Vec<Vec<Vec<f64>>>) {
    let n = z.len();
    let problem = plain(system);
    let parameters = problem.parameters.iter().map(|&p| Dual::constant(p)).collect();
    let mut poisson = problem.equations.compiled.view::<Dual<f64>, _>(Tape, parameters).poisson().unwrap().unwrap();
    let pattern = poisson.shape().tensor.clone();
    let mut value = vec![vec![0.0; n]; n];
    let mut slopes = vec![];
    for l in 0..n {
        let mut point: Vec<Dual<f64>> = z.iter().map(|&z| Dual::constant(z)).collect();
        point[l] = Dual::variable(z[l], 0);
        let mut out = vec![Dual::constant(0.0); pattern.len()];
        poisson.tensor(&point, &mut out).unwrap();
        let mut slope = vec![vec![0.0; n]; n];
        for ((i, j), b) in pattern.addresses().zip(&out) {
            (value[i as usize][j as usize], slope[i as usize][j as usize]) = (b.value, b.tangent[0]);
        }
        slopes.push(slope);
    }
    (value, slopes)
}

#[test]
fn the_bracket_of_averages_is_a_third_of_that_of_the_broken_functions() {
    let cells = 6;
    let dx = TAU / cells as f64;
    let nodal = [0.4, 1.1, -0.3, 0.9, 1.7, -0.2];
    let y: Vec<f64> = nodal.iter().map(|u| u * dx.sqrt()).collect();
    // Node i between cells i and i + 1, counted from 0: uᵢ = (yᵢ₋₁ + yᵢ)/2, vᵢ = (yᵢ − yᵢ₋₁)/(2√3).
    let before = |i: usize| y[(i + cells - 1) % cells];
    let mut z: Vec<f64> = (0..cells).map(|i| (before(i) + y[i]) / 2.0).collect();
    z.extend((0..cells).map(|i| (y[i] - before(i)) / 12f64.sqrt()));
    let mut free = broken(cells, sine).unwrap();
    free.constraints.clear();
    let (b, _) = tensor(&free, &z);
    let (own, _) = tensor(&averaged(cells, sine).unwrap(), &nodal);
    // ȳᵢ = ½(uᵢ + √3vᵢ + uᵢ₊₁ − √3vᵢ₊₁).
    let average = |i: usize| {
        let mut row = vec![0.0; 2 * cells];
        let next = (i + 1) % cells;
        (row[i], row[next]) = (0.5, 0.5);
        (row[cells + i], row[cells + next]) = (0.75f64.sqrt(), -(0.75f64.sqrt()));
        row
    };
    for i in 0..cells {
        for j in 0..cells {
            let (f, g) = (average(i), average(j));
            let size = 2 * cells;
            let bracket: f64 = (0..size * size).map(|k| f[k / size] * b[k / size][k % size] * g[k % size]).sum();
            // y = Δx^(1/2) U, and the energy of U is that of y over Δx: {Uᵢ, Uⱼ} is to be {yᵢ, yⱼ} Δx/Δx.
            assert!((bracket - 3.0 * own[i][j]).abs() < 1e-13, "{i} {j}: {bracket} {}", own[i][j]);
        }
    }
}

#[test]
fn jacobis_identity_at_all_triples_of_six_nodes() {
    let y = [0.4, 1.1, -0.3, 0.9, 1.7, -0.2];
    let failure = |system: &System| {
        let (b, slopes) = tensor(system, &y);
        let size = b.iter().flatten().fold(0.0f64, |m, b| m.max(b.abs()));
        let part = move |i: usize, j: usize, k: usize| (0..6).map(|l| b[i][l] * slopes[l][j][k]).sum::<f64>();
        (size, move |i: usize, j: usize, k: usize| part(i, j, k) + part(j, k, i) + part(k, i, j))
    };
    let (size, diracs) = failure(&reduced(6, sine).unwrap());
    let averages = averaged(6, sine).unwrap();
    let (_, cut) = failure(&averages);
    let strength = 1.0 / TAU.powi(2);
    for i in 0..6 {
        for j in i + 1..6 {
            for k in j + 1..6 {
                assert!(diracs(i, j, k).abs() < 1e-12 * size * size, "{i} {j} {k}: {:e}", diracs(i, j, k));
                // k²(U_first − U_last) for three neighbours, nothing for others; 6Δx = 2π.
                let chain = (0..6).map(|a| [a, (a + 1) % 6, (a + 2) % 6]).find(|chain| {
                    let mut sorted = *chain;
                    sorted.sort_unstable();
                    sorted == [i, j, k]
                });
                let expected = chain.map_or(0.0, |[first, _, last]| strength * (y[first] - y[last]));
                assert!((cut(i, j, k) - expected).abs() < 1e-13, "{i} {j} {k}: {} {expected}", cut(i, j, k));
            }
        }
    }
}

#[test]
fn singular_states_end_every_method_with_the_reason() {
    let said = |failure: cotangent_dynamics::Failure| {
        let mut text = failure.to_string();
        let mut source = std::error::Error::source(&failure);
        while let Some(error) = source {
            text = error.to_string();
            source = error.source();
        }
        assert!(text.contains("the brackets of the constraints are singular"), "{text}");
    };
    for (cells, mean) in [(8, 0.0), (100, 0.0), (60, 2.0)] {
        let plain = Reduced::new(cells, TAU / cells as f64).unwrap();
        let split = plain.clone().split(Splitting::Sublattices);
        for (law, method) in [(&plain, Method::Rk4), (&split, Method::SplittingStrang)] {
            let law = Handwritten::new(law.clone(), sines(cells, mean)).unwrap();
            let mut integrator = law.integrator(&law.prepare(method).unwrap()).unwrap();
            let mut state = integrator.state(law.start().to_vec());
            said(integrator.advance(&mut state, 1e-6, 10).unwrap_err().1);
        }
        let mut midpoint = Midpoint::new(&plain).unwrap();
        let mut state = midpoint.state(sines(cells, mean));
        said(midpoint.advance(&mut state, 1e-6, 10).unwrap_err().1);
    }
}

#[test]
fn one_sum_of_neighbours_may_vanish() {
    // y₁ + y₂ = 0 (counted from 1), where Dirac's bracket is regular: sᵢ₋₁ẏᵢ₊₁ − sᵢẏᵢ₋₁ = c sᵢ₋₁sᵢ ∂K/∂yᵢ.
    for shift in 0..6 {
        let mut y = [1.0, -1.0, 2.0, 3.0, 0.5, 0.7];
        y.rotate_right(shift);
        let law = Reduced::new(6, 1.0).unwrap();
        law.check(&y).unwrap();
        let mut rate = [0.0; 6];
        law.view::<f64>().field().unwrap().unwrap().rate(&y, &mut rate).unwrap();
        for i in 0..6 {
            let (before, after) = ((i + 5) % 6, (i + 1) % 6);
            let (s, t) = (y[before] + y[i], y[i] + y[after]);
            let slope = 2.0 / 3.0 * y[i] + (y[before] + y[after]) / 6.0;
            let off = s * rate[after] - t * rate[before] - 2.0 * s * t * slope;
            assert!(off.abs() < 1e-12, "{shift} {i}: {off:e} {rate:?}");
        }
        // Next to it the rates are almost the same.
        let mut near = y;
        near[2] += 1e-9;
        near[5] -= 1e-9;
        let mut other = [0.0; 6];
        law.view::<f64>().field().unwrap().unwrap().rate(&near, &mut other).unwrap();
        assert!(distance(&rate, &other) < 1e-6, "{rate:?} {other:?}");
        // And so is a part of a step of the splitting.
        let split = law.split(Splitting::Sublattices);
        for part in 0..2 {
            let increment = |y: &[f64]| {
                let mut out = vec![0.0; 6];
                split.view::<f64>().split().unwrap().unwrap().increment(part, 0.1, y, &mut out).unwrap();
                out
            };
            assert!(distance(&increment(&y), &increment(&near)) < 1e-6);
        }
    }
    // Both an odd and an even one: singular.
    let law = Reduced::new(6, 1.0).unwrap();
    assert_eq!(law.check(&[1.0, -1.0, 1.0, 3.0, 0.5, 0.7]), Err(FieldsError::Singular));
    assert_eq!(law.check(&[0.0; 6]), Err(FieldsError::Singular));
    assert_eq!(law.check(&[1.0; 5]), Err(FieldsError::OtherLength { given: 5, cells: 6 }));
}

#[test]
fn midpoint_steps_by_rows_are_those_of_the_general_method_and_keep_the_energy() {
    for (cells, splitting) in [(6, None), (10, None), (10, Some(Splitting::Sublattices))] {
        let dx = TAU / cells as f64;
        let law = Reduced::new(cells, dx).unwrap();
        let law = splitting.map_or(law.clone(), |s| law.split(s));
        let energy = |y: &[f64]| AnySystem::energy(&law, y);
        let mut rows = Midpoint::new(&law).unwrap();
        let mut found = rows.state(sines(cells, 0.0));
        let start = energy(&found.values);
        rows.advance(&mut found, 1e-4, 50).unwrap();
        let general = Handwritten::new(law.clone(), sines(cells, 0.0)).unwrap();
        let mut midpoint = general.integrator(&general.prepare(Method::ImplicitMidpoint).unwrap()).unwrap();
        let mut state = midpoint.state(general.start().to_vec());
        midpoint.advance(&mut state, 1e-4, 50).unwrap();
        assert!(distance(&state.values, general.start()) > 0.01, "it moves");
        assert!(distance(&found.values, &state.values) < 1e-13, "{:e}", distance(&found.values, &state.values));
        assert!((energy(&found.values) / start - 1.0).abs() < 1e-14);
    }
    // As many nodes as make a full matrix impossible.
    let cells = 10_002;
    let law = Reduced::new(cells, TAU / cells as f64).unwrap();
    let mut midpoint = Midpoint::new(&law).unwrap();
    let mut state = midpoint.state(sines(cells, 0.0));
    let start = AnySystem::energy(&law, &state.values);
    midpoint.advance(&mut state, 1e-12, 3).unwrap();
    assert!((AnySystem::energy(&law, &state.values) / start - 1.0).abs() < 1e-13);
    assert!(distance(&state.values, &sines(cells, 0.0)) > 1e-9);
}

#[test]
fn jacobis_identity_holds_for_diracs_bracket_and_fails_for_that_of_averages() {
    for cells in [4, 6] {
        let report = analyze(&reduced(cells, sine).unwrap()).unwrap().poisson.unwrap();
        // Fractions of polynomials with six variables are tried at random points.
        let proved = matches!(report.jacobi, Outcome::Holds(Certainty::Proved));
        assert!(proved || cells == 6 && matches!(report.jacobi, Outcome::Holds(_)), "{cells}: {:?}", report.jacobi);
        assert_eq!(report.rank, Some(cells), "no Casimirs");
    }
    // {a, {b, c}} + cyclic = k²(U₁ − U₃) with k = 1/(6Δx).
    for system in [averaged(6, sine).unwrap(), zabusky_kruskal(6, sine).unwrap()] {
        let report = analyze(&system).unwrap().poisson.unwrap();
        let (a, b, c, sum) = report.jacobi_failure.unwrap();
        assert_eq!([a, b, c].join(" "), "u[1] u[2] u[3]");
        assert_eq!(sum.to_string(), "(u[1] - u[3])/L^2");
    }
}

#[test]
fn where_the_brackets_of_the_constraints_are_singular() {
    let check = |y: &[f64]| Reduced::new(y.len(), 0.1).unwrap().check(y);
    // Sines: singular exactly where 4 divides the number of cells. Positive data: nearly so for all.
    for cells in [8, 100, 104] {
        let refused = check(&sines(cells, 0.0)).unwrap_err();
        assert!(matches!(refused, FieldsError::Singular), "{cells}");
        assert!(refused.to_string().contains("sines if 4 divides the number of cells"), "{refused}");
    }
    for cells in [6, 102, 202] {
        check(&sines(cells, 0.0)).unwrap();
    }
    check(&sines(22, 2.0)).unwrap();
    assert!(check(&sines(60, 2.0)).is_err());
    for cells in [6, 8, 34] {
        assert!(check(&vec![0.7; cells]).is_err(), "constants");
    }
    // The same from the model: its multipliers have no value at the start.
    let refused = pose(&broken(8, sine).unwrap(), DiracBracket, &[], Repairs::default(), Engine::Best);
    let message = refused.err().map(|e| e.to_string()).unwrap_or_default();
    assert!(message.contains("matrix of brackets of the second-class constraints is singular"), "{message}");
}

#[test]
fn the_field_grows_without_limit_where_that_of_burgers_stays() {
    // max |U_t| of Dirac's bracket; that of Burgers is 1/2 for the sine and 2.2 for 2 + sin.
    let fastest = |cells: usize, mean: f64| {
        let dx = TAU / cells as f64;
        let law = Reduced::new(cells, dx).unwrap();
        let mut rate = vec![0.0; cells];
        law.view::<f64>().field().unwrap().unwrap().rate(&sines(cells, mean), &mut rate).unwrap();
        rate.iter().fold(0.0f64, |m, r| m.max(r.abs())) / dx.sqrt()
    };
    for (cells, mean, known) in [
        (22, 0.0, 32.16),
        (102, 0.0, 687.1),
        (202, 0.0, 2700.0),
        (6, 2.0, 1.205e3),
        (10, 2.0, 3.903e4),
        (14, 2.0, 9.855e5),
        (22, 2.0, 4.394e8),
    ] {
        let found = fastest(cells, mean);
        assert!((found / known - 1.0).abs() < 2e-3, "{cells} {mean}: {found:e}");
    }
    // sin: c √y ∂⁻¹(y^(3/2)), separately on odd and even nodes; its largest value is 1.306328 c/Δx in the limit.
    let dx = TAU / 1002.0;
    let limit = fastest(1002, 0.0) * dx * dx / 2.0;
    assert!((limit - 1.306331).abs() < 2e-6, "{limit}");
}

/// The sine of 102 cells with factors as in the figure of the thesis: c = (36/Δx³)^(1/2), energy ½ Σz², every node a part
/// for a time dt/102.
fn figure(splitting: Splitting) -> Handwritten<Reduced> {
    let dx = TAU / 102.0;
    let law = Reduced::new(102, dx).unwrap().with_strength((36.0 / dx.powi(3)).sqrt()).split(splitting);
    Handwritten::new(law, (1..=102).map(|i| (f64::from(i) * dx).sin()).collect()).unwrap()
}

fn paired(z: &[f64]) -> Vec<f64> {
    (0..z.len()).map(|i| (z[i] + z[(i + 1) % z.len()]) / 2.0).collect()
}

fn largest(u: &[f64]) -> f64 {
    u.iter().copied().fold(f64::MIN, f64::max)
}

#[test]
fn the_figure_of_the_thesis_is_a_checkerboard_of_which_averages_were_drawn() {
    let law = figure(Splitting::Nodes);
    let mut lie = law.integrator(&law.prepare(Method::SplittingLie).unwrap()).unwrap();
    let mut state = lie.state(law.start().to_vec());
    // (steps of 1e-4, max z, max of the averages, total variation of z and of the averages)
    let known = [
        (10, 1.0526, 0.998465, 8.8896, 3.99424),
        (50, 1.22499, 0.975272, 40.8429, 4.06891),
        (100, 1.32165, 0.909467, 72.8444, 4.21021),
        (200, 1.2478, 0.737863, 106.531, 4.35183),
    ];
    let mut made = 0;
    for (steps, max, average, variation, smooth) in known {
        lie.advance(&mut state, 1e-4 / 102.0, steps - made).unwrap();
        made = steps;
        let (z, mean) = (&state.values, paired(&state.values));
        let close = |a: f64, b: f64| (a / b - 1.0).abs() < 2e-5;
        assert!(close(largest(z), max) && close(largest(&mean), average), "{steps}: {} {}", largest(z), largest(&mean));
        let found = [total_variation(z), total_variation(&mean)];
        assert!(close(found[0], variation) && close(found[1], smooth), "{steps}: {found:?}");
    }
}

#[test]
fn the_exact_flow_of_the_same_system_and_its_splitting_into_two_parts() {
    let law = figure(Splitting::Sublattices);
    let reach = |method: Method, until: f64, steps: u64| {
        let mut integrator = law.integrator(&law.prepare(method).unwrap()).unwrap();
        let mut state = integrator.state(law.start().to_vec());
        integrator.advance(&mut state, until / 102.0 / steps as f64, steps).unwrap();
        state.values
    };
    let exact = reach(Method::Rk4, 0.01, 4000);
    // The exact flow at time 0.01 of the figure.
    assert!((largest(&exact) - 1.324846).abs() < 2e-6, "{}", largest(&exact));
    assert!((largest(&paired(&exact)) - 0.909862).abs() < 2e-6);
    assert!((total_variation(&exact) - 72.8449).abs() < 1e-4, "{}", total_variation(&exact));
    let energy = |z: &[f64]| law.law().energy(z);
    assert!((energy(&exact) / energy(law.start()) - 1.0).abs() < 1e-9);
    // Before the first two neighbouring sums pass through zero together, at 0.0021, the flow is smooth.
    let early = reach(Method::Rk4, 0.0015, 4000);
    let off = |steps: u64| distance(&reach(Method::SplittingStrang, 0.0015, steps), &early);
    let (coarse, fine) = (off(20), off(40));
    assert!((coarse / fine - 4.0).abs() < 0.2, "{coarse:e} {fine:e}");
}

/// Mᵢⱼ of M = Σ dyᵢ∧dyᵢ₊₁/(yᵢ + yᵢ₊₁).
fn form(y: &[f64]) -> Vec<Vec<f64>> {
    let n = y.len();
    let mut m = vec![vec![0.0; n]; n];
    for i in 0..n {
        let j = (i + 1) % n;
        m[i][j] += 1.0 / (y[i] + y[j]);
        m[j][i] -= 1.0 / (y[i] + y[j]);
    }
    m
}

#[test]
fn the_flows_of_both_parts_keep_the_bracket() {
    // φ′ᵀ M(φ) φ′ = M, with φ′ by dual numbers.
    let y = [0.4, 1.1, -0.3, 0.9, 1.7, -0.2];
    let law = Reduced::new(6, 1.0).unwrap().split(Splitting::Sublattices);
    let mut parts = law.view::<Dual<f64>>().split().unwrap().unwrap();
    assert_eq!(parts.parts(), 2);
    for part in 0..2 {
        let mut tangents = vec![];
        let mut end = vec![0.0; 6];
        for j in 0..6 {
            let mut z: Vec<Dual<f64>> = y.iter().map(|&y| Dual::constant(y)).collect();
            z[j] = Dual::variable(y[j], 0);
            let mut out = vec![Dual::constant(0.0); 6];
            parts.increment(part, Dual::constant(0.15), &z, &mut out).unwrap();
            let moved: Vec<Dual<f64>> = z.iter().zip(&out).map(|(&z, &d)| z + d).collect();
            end = moved.iter().map(|d| d.value).collect();
            tangents.push(moved.iter().map(|d| d.tangent[0]).collect::<Vec<f64>>());
        }
        assert!(distance(&end, &y) > 0.05);
        let (before, after) = (form(&y), form(&end));
        for (i, a) in tangents.iter().enumerate() {
            for (j, b) in tangents.iter().enumerate() {
                let pulled: f64 = (0..36).map(|k| a[k / 6] * after[k / 6][k % 6] * b[k % 6]).sum();
                assert!((pulled - before[i][j]).abs() < 1e-11, "part {part}, {i} {j}: {pulled} {}", before[i][j]);
            }
        }
    }
}

#[test]
fn it_is_not_burgers_equation_at_any_time() {
    // 2 + sin at t = 1e-4: the exact solution moved by 2.2e-4.
    for (cells, known) in [(6, 0.121), (10, 3.43)] {
        let dx = TAU / cells as f64;
        let law = Handwritten::new(Reduced::new(cells, dx).unwrap(), sines(cells, 2.0)).unwrap();
        let mut rk4 = law.integrator(&law.prepare(Method::Rk4).unwrap()).unwrap();
        let mut state = rk4.state(law.start().to_vec());
        rk4.advance(&mut state, 1e-7, 1000).unwrap();
        let exact = Characteristics::new(|x| 2.0 + x.sin(), f64::cos, TAU).unwrap();
        let off = |i: usize| (state.values[i] / dx.sqrt() - exact.at((i + 1) as f64 * dx, 1e-4).unwrap()).abs();
        let error = (0..cells).map(off).fold(0.0, f64::max);
        assert!((error / known - 1.0).abs() < 0.01, "{cells}: {error}");
    }
}

#[test]
fn meshes_and_starts_that_do_not_fit_are_refused_with_the_reason() {
    let message = |made: Result<cotangent_model::System, FieldsError>| made.unwrap_err().to_string();
    for make in [broken, reduced] {
        let odd = message(make(5, sine));
        assert!(odd.contains("5 cells have 5 constraints") && odd.contains("take an even number"), "{odd}");
        for few in [1, 2, 3] {
            assert!(message(make(few, sine)).contains(&format!("{few} cells are too few")));
        }
    }
    assert!(message(zabusky_kruskal(3, sine)).contains("which takes 4 or more"));
    assert!(message(averaged(0, sine)).contains("0 cells are too few"));
    assert!(message(reduced(64, sine)).contains("take at most 32"));
    assert!(Reduced::new(7, 0.1).unwrap_err().to_string().contains("singular, as their number is odd"));
    // A start with a jump between cells.
    let mut system = broken(6, sine).unwrap();
    system.initial.retain(|i| i.array.name() == "u");
    let refused = pose(&system, DiracBracket, &[], Repairs::default(), Engine::Best).err().unwrap().to_string();
    assert!(refused.contains("jump"), "{refused}");
}
