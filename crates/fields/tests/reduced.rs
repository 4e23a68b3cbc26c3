//! Continuous functions with Dirac's bracket: a Poisson system that does not approximate Burgers' equation.

use cotangent_analysis::{Certainty, Outcome, analyze};
use cotangent_compile::Engine;
use cotangent_dynamics::{Advance, AnySystem, Measure};
use cotangent_expr::{Expr, Function};
use cotangent_fields::burgers::{Reduced, Splitting, broken, projected, reduced, zabusky_kruskal};
use cotangent_fields::{Characteristics, FieldsError, total_variation};
use cotangent_integrate::{Handwritten, Method};
use cotangent_problem::{Instance, Repairs, pose};
use cotangent_scalar::Dual;
use cotangent_theory::Formulation::{
    self, DiracBracket, DiracCoordinates, Multipliers, Projected, ProjectedInverse, Slaved,
};
use std::f64::consts::TAU;

fn sine(x: &Expr) -> Expr {
    Expr::call(Function::Sin, vec![x.clone()])
}

fn posed(system: &cotangent_model::System, formulation: Formulation) -> Instance {
    pose(system, formulation, &[], Repairs::default(), Engine::Best)
        .unwrap_or_else(|e| panic!("{}: {e}", formulation.name()))
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
        law.check(&start).unwrap();
        let law = Handwritten::new(law, start).unwrap();
        let mut gauss = law.integrator(&law.prepare(Method::Gauss { stages: 3 }).unwrap()).unwrap();
        let mut state = gauss.state(law.start().to_vec());
        gauss.advance(&mut state, h, steps).unwrap();
        assert!(distance(&state.values, law.start()) > 0.02, "it moves");
        for formulation in [DiracBracket, Slaved, DiracCoordinates, ProjectedInverse] {
            let off = distance(&nodes(cells, formulation, h, steps), &state.values);
            assert!(off < 1e-10, "{cells} {}: {off:e}", formulation.name());
        }
        // The bracket cut off is another one.
        assert!(distance(&nodes(cells, Projected, h, steps), &state.values) > 1e-3);
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
fn jacobis_identity_holds_for_diracs_bracket_and_fails_for_the_one_cut_off() {
    for cells in [4, 6] {
        let report = analyze(&reduced(cells, sine).unwrap()).unwrap().poisson.unwrap();
        // Fractions of polynomials with six variables are tried at random points.
        let proved = matches!(report.jacobi, Outcome::Holds(Certainty::Proved));
        assert!(proved || cells == 6 && matches!(report.jacobi, Outcome::Holds(_)), "{cells}: {:?}", report.jacobi);
        assert_eq!(report.rank, Some(cells), "no Casimirs");
    }
    // {a, {b, c}} + cyclic = k²(U₁ − U₃) with k = 1/(6Δx).
    for system in [projected(6, sine).unwrap(), zabusky_kruskal(6, sine).unwrap()] {
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
        assert!(matches!(refused, FieldsError::SingularStart { .. }), "{cells}");
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

fn averaged(z: &[f64]) -> Vec<f64> {
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
        let (z, mean) = (&state.values, averaged(&state.values));
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
    assert!((largest(&averaged(&exact)) - 0.909862).abs() < 2e-6);
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
        let exact = Characteristics::new(|x| 2.0 + x.sin(), f64::cos, TAU);
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
        assert!(message(make(2, sine)).contains("2 cells are too few"));
    }
    assert!(message(zabusky_kruskal(3, sine)).contains("which takes 4 or more"));
    assert!(message(projected(0, sine)).contains("0 cells are too few"));
    assert!(message(reduced(64, sine)).contains("take at most 32"));
    assert!(Reduced::new(7, 0.1).unwrap_err().to_string().contains("singular, as their number is odd"));
    // A start with a jump between cells.
    let mut system = broken(6, sine).unwrap();
    system.initial.retain(|i| i.array.name() == "u");
    let refused = pose(&system, DiracBracket, &[], Repairs::default(), Engine::Best).err().unwrap().to_string();
    assert!(refused.contains("jump"), "{refused}");
}
