//! `cotangent analyze`: derivations, verdicts, exit status.

mod common;

use common::{run, run_in};
use insta::assert_snapshot;
use serde_json::json;
use std::path::Path;

fn piped(arguments: &[&str], model: &str) -> common::Ran {
    run_in(Path::new("."), &[&["analyze", "-"], arguments].concat(), model.as_bytes())
}

#[test]
fn a_constraint_of_the_model() {
    assert_snapshot!(run(&["analyze", "pendulum"]).show());
}

#[test]
fn the_same_as_json() {
    let ran = run(&["analyze", "pendulum", "--json"]);
    let found = ran.json();
    assert_eq!((found["consistent"].clone(), found["degrees_of_freedom"].clone()), (json!(true), json!(1)));
    assert_eq!(found["constraints"][1]["class"], "second");
    assert_snapshot!(ran.show());
}

#[test]
fn a_singular_lagrangian() {
    assert_snapshot!(run(&["analyze", "landau"]).show());
    let found = run(&["analyze", "landau", "--json"]).json();
    assert_eq!(found["dirac_bracket"]["{x, y}"], "-1/B");
    assert_eq!(found["multipliers"]["u_x"], "-k_y*y/B");
}

/// By hand: for φ = (x² + y² − 1)/2 with unit mass {φ, φ′} = x² + y², which is 1 at the start; so C = ((0, 1), (−1, 0)).
#[test]
fn the_matrix_of_brackets_on_request() {
    assert_snapshot!(run(&["analyze", "crane", "--brackets"]).show());
    let found = run(&["analyze", "pendulum", "--brackets", "--json"]).json();
    assert_eq!(found["brackets"]["entries"], json!({ "{rod, rod'}": "x^2 + y^2" }));
    assert_eq!(found["brackets"]["at_start"], json!({ "determinant": 1.0, "condition": 1.0 }));
    assert_eq!(found["brackets"]["invertible"], json!(["rod", "rod'"]));
    assert_eq!(run(&["analyze", "pendulum", "--json"]).json().get("brackets"), None);
    // First class: they vanish on the surface, and nothing is inverted.
    let found = run(&["analyze", "einbein", "--brackets", "--json"]).json();
    let matrix = &found["brackets"];
    assert_eq!((&matrix["rank"], &matrix["size"], &matrix["at_start"]), (&json!(0), &json!(2), &json!(null)));
    // {φ, χ} of a gauge condition makes them second class.
    let found = run(&["analyze", "christ-lee", "--brackets", "--json"]).json();
    assert_eq!(found["brackets"]["rank"], found["second_class"]);
    let page = run(&["analyze", "pendulum", "--latex", "--brackets"]).show();
    assert!(page.contains("0 & x^{2} + y^{2} \\\\\n  -x^{2} - y^{2} & 0"), "{page}");
    // A model without constraints has no such matrix.
    assert_eq!(run(&["analyze", "kepler", "--brackets", "--json"]).json().get("brackets"), None);
}

#[test]
fn the_derivation_in_latex() {
    assert_snapshot!(run(&["analyze", "landau", "--latex"]).show());
}

#[test]
fn first_class_constraints_and_gauges() {
    assert_snapshot!(run(&["analyze", "einbein"]).show());
    assert_snapshot!(run(&["analyze", "christ-lee"]).show());
}

#[test]
fn an_irregular_constraint() {
    let found = run(&["analyze", "cawley", "--json"]).json();
    assert_eq!(found["irregular"], json!(["phi_y'"]));
    assert_eq!(found["first_class"], 3);
}

#[test]
fn a_poisson_model() {
    assert_snapshot!(run(&["analyze", "rigid-body"]).show());
    let found = run(&["analyze", "heavy-top", "--json"]).json();
    assert_eq!((&found["skew"], &found["jacobi"], &found["rank"]), (&json!(true), &json!(true), &json!(4)));
    assert_eq!(found["casimirs"]["length"]["verdict"], "proved");
}

#[test]
fn what_does_not_hold_ends_with_status_one() {
    let inconsistent = piped(&[], "coord x, y\nlagrangian y'^2/2 + x\n");
    assert_snapshot!(inconsistent.show());
    let undecided = piped(&[], "coord x, y\nlagrangian (x' + y')^4\n");
    assert_snapshot!(undecided.show());
    let claim = piped(&["--json"], "coord x\nhamiltonian p_x^2/2 + x\ninvariant P = p_x\n");
    assert_eq!((claim.status, &claim.json()["invariants"]["P"]["holds"]), (1, &json!(false)));
    let bracket = piped(&[], "variables a, b, c\nbracket {a, b} = c, {b, c} = a, {c, a} = a*b\nhamiltonian a^2\n");
    assert_snapshot!(bracket.show());
}

#[test]
fn what_cannot_be_set_is_refused() {
    let text = run(&["analyze", "pendulum", "--set", "x=1"]).show()
        + &run(&["analyze", "pendulum", "--set", "G=1"]).show()
        + &run(&["analyze", "chain", "--set", "n=1000"]).show();
    assert_snapshot!(text);
}

#[test]
fn sizes_and_parameters_are_set() {
    let found = run(&["analyze", "chain", "--set", "n=12", "--json"]).json();
    assert_eq!((&found["second_class"], &found["degrees_of_freedom"]), (&json!(24), &json!(12)));
    let found = piped(&["--set", "B=0", "--json"], "param B = 1\ncoord x, y\nlagrangian B*(x*y' - y*x')/2\n").json();
    assert_eq!(found["first_class"], 2);
}

#[test]
fn every_shipped_model_is_decided() {
    for model in cotangent::models::all() {
        let ran = run(&["analyze", model.name, "--json"]);
        // The one whose bracket is none says so.
        let status = i32::from(model.name == "zabusky-kruskal");
        assert_eq!((ran.status, &ran.json()["consistent"]), (status, &json!(true)), "{}", model.name);
    }
}

#[test]
fn a_surface_that_falls_apart() {
    let model = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint cross: x*y = 0\n";
    let found = piped(&["--json"], model);
    let parts = found.json()["branches"].clone();
    assert_eq!((found.status, &parts[1]["vanishing"]), (1, &json!(["y"])));
    assert_eq!((&parts[1]["degrees_of_freedom"], &parts[1]["second_class"]), (&json!(1), &json!(2)));
    assert_snapshot!(piped(&[], model).show());
}

/// The same claim, true and false, in `check` and in `analyze`.
#[test]
fn claims_are_shown_with_a_counterexample() {
    let model = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + x^2\ninvariant right = p_y, wrong = x*p_y - y*p_x\n";
    let found = piped(&["--json"], model).json();
    assert_eq!(found["invariants"]["right"]["verdict"], "proved");
    let wrong = &found["invariants"]["wrong"];
    assert_eq!(wrong["defect"], "2*x*y");
    let (at, value) = (&wrong["counterexample"]["at"], wrong["counterexample"]["value"].as_f64());
    let [x, y] = ["x", "y"].map(|z| at[z].as_f64().unwrap());
    assert!((value.unwrap() - 2.0 * x * y).abs() < 1e-14);
}

/// First class, and no gauge transformation: said, and no failure.
#[test]
fn where_diracs_conjecture_fails() {
    let ran = run(&["analyze", "cawley", "--json"]);
    let found = &ran.json()["dirac_conjecture"];
    assert_eq!((ran.status, &found["holds"], &found["dimension"]), (0, &json!(false), &json!(2)));
    assert_eq!(found["not_gauge"], json!(["phi_y'", "phi_y''"]));
    assert!(run(&["analyze", "cawley"]).show().contains("Dirac's conjecture fails"));
    assert_eq!(run(&["analyze", "einbein", "--json"]).json()["dirac_conjecture"]["holds"], json!(true));
}

/// A secondary constraint has a name of its own: it is the bracket without its factor.
#[test]
fn secondary_constraints_are_no_derivatives_in_latex() {
    let page = run(&["analyze", "einbein", "--latex"]).show();
    assert!(page.contains(r"\phi_{e}^{[2]} &\equiv m^{2}"), "{page}");
    assert!(!page.contains(r"\dot{\phi"), "{page}");
}

/// A line break in the name of a file stays inside the comment.
#[test]
fn names_do_not_leave_their_comment() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a\n\\input{b}.cot"), "coord x\nlagrangian x'^2/2\n").unwrap();
    let page = run_in(folder.path(), &["analyze", "a\n\\input{b}.cot", "--latex"], b"");
    assert_eq!(page.status, 0);
    let outside = |l: &str| l.contains("input") && !l.starts_with('%');
    assert!(!page.show().lines().any(outside), "{}", page.show());
}

/// What overflows is no formula.
#[test]
fn numbers_too_large_leave_no_message_in_a_formula() {
    let model = "coord x, y\nlagrangian (x'^2 + y'^2)/2 - y\nconstraint c: 1e250*(x^2 + y^2) = 1e250\n";
    for latex in [&[][..], &["--latex"]] {
        let page = piped(latex, model).show();
        assert!(!page.contains("finite value") && page.lines().all(|l| l.len() < 1000), "{page}");
    }
}

/// Every name has a formula that a reader of LaTeX understands, and so have large numbers and what was not a number.
#[test]
fn names_and_numbers_are_read_back_as_formulas() {
    use cotangent::expr::latex_name;
    use cotangent::report::{Formulas, Report};
    let names = ["theta", "theta_", "theta__", "_", "__", "_x", "x__y", "x_1", "x1", "p_theta_1_", "Re_2", "ab_cd12_"];
    let numbers = [cotangent::Expr::number(1e250), cotangent::Expr::number(-2.5e-300), cotangent::Expr::one() / 0];
    for latex in names.map(latex_name).into_iter().chain(numbers.map(|n| n.latex(&[]))) {
        let html = Report::new("").with(Formulas::new("").with("", latex.clone())).to_html().unwrap();
        assert!(html.contains("<math") && !html.contains("class=\"latex\""), "not set: {latex}");
    }
}

/// By hand: with W = ∂²L/∂v∂v, w = W⁻¹∇g for g = v·∇φ, the time derivative of g is vᵀφ_qq v + w·ṗ, ṗ = ∂L/∂q − λ∇φ (−
/// what W changes with q); and ∂H/∂p = v, whatever H is.
#[test]
fn implicit_velocities_leave_no_internal_names() {
    let texts = [
        ("lagrangian -sqrt(1 - x'^2 - y'^2) - y/10", "x^2 + y^2 = 1", "x*v[0] + y*v[1]"),
        ("lagrangian exp(x') + exp(-x') + exp(y') + exp(-y') - x", "x + 3*y = 0", "v[0] + 3*v[1]"),
        ("lagrangian x'^2/2 + y'^2/2 + x'^4 + x'^2*y'^2 + y'^4", "x*y = 1", "x*v[1] + y*v[0]"),
    ];
    for (energy, constraint, hidden) in texts {
        let text = format!("coord x, y\n{energy}\nconstraint c: {constraint}\ninitial x = 1\n");
        for arguments in [&[][..], &["--json"], &["--latex"]] {
            let ran = piped(arguments, &text);
            assert!(!ran.stdout.contains("adjoint") && ran.stdout.contains('w'), "{}", ran.stdout);
        }
        let found = piped(&["--json"], &text).json();
        assert_eq!(found["constraints"][1]["expression"], hidden, "{text}");
        let names: Vec<&str> =
            found["implicit"].as_array().unwrap().iter().map(|i| i["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["w1"], "{text}");
    }
}
