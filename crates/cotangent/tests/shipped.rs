//! Every shipped model and every model that `new` writes runs, is certified and compared without options, or its
//! file says in one line why it cannot.

mod common;

use common::{Ran, run, run_in};
use std::path::Path;

/// How the line begins that says why a model cannot be run.
const CANNOT: &str = "# It cannot be run as it is: ";

/// The names of models in a folder that `cotangent VERB` accepts, and their texts.
fn models(folder: &Path) -> Vec<(String, String)> {
    let shipped = cotangent::models::all().iter().map(|m| (m.name.to_owned(), m.source.to_owned()));
    let kinds = ["hamiltonian", "lagrangian", "poisson", "vakonomic", "form"].map(|kind| {
        let ran = run_in(folder, &["new", kind, "--kind", kind], b"");
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let file = format!("{kind}.cot");
        let text = std::fs::read_to_string(folder.join(&file)).expect("the model that was written");
        (file, text)
    });
    shipped.chain(kinds).collect()
}

/// Runs a verb on every model.
fn each(verb: &str, more: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in models(folder.path()) {
        let Ran { status, stderr, stdout } = run_in(folder.path(), &[&[verb, &name], more].concat(), b"");
        match text.lines().find_map(|line| line.strip_prefix(CANNOT)) {
            None => assert_eq!(status, 0, "{verb} {name}: {stderr}{stdout}"),
            Some(why) => {
                assert_eq!(status, 2, "{verb} {name} can be done, and its file says that it cannot: {why}");
                let said = ["no equations of motion", "Jacobi's identity fails"].iter().any(|m| stderr.contains(m));
                assert!(said, "{verb} {name}: {stderr}");
            }
        }
    }
}

#[test]
fn every_model_runs_without_options() {
    each("run", &[]);
}

#[test]
fn every_model_is_certified_without_options() {
    each("certify", &[]);
}

#[test]
fn every_model_is_compared_without_options() {
    each("compare", &[]);
}

#[test]
fn sizes_that_a_model_does_not_allow_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |model: &str, size: &str| {
        let ran = run_in(folder.path(), &["run", model, "--set", size], b"");
        assert_eq!(ran.status, 2, "{model} {size}: {}", ran.stdout);
        ran.stderr
    };
    for odd in ["n=5", "n=7", "n=9", "n=101"] {
        let said = refused("burgers", odd);
        assert!(said.contains("the model requires mod(n, 2) = 0") && said.contains("singular everywhere"), "{said}");
    }
    for (model, few) in [("burgers", "n=1"), ("burgers", "n=2"), ("zabusky-kruskal", "n=2"), ("zabusky-kruskal", "n=3")]
    {
        let said = refused(model, few);
        assert!(said.contains("the model requires n >= 4") && said.contains("neighbours"), "{said}");
    }
    let said = refused("burgers", "n=3");
    assert!(said.contains("the model requires n >= 4"), "{said}");
}

#[test]
fn analysis_says_where_the_brackets_of_constraints_are_singular() {
    // The products of u over odd and even cells agree for this sine exactly if 4 divides n.
    for n in [4, 6, 8, 10] {
        let ran = run(&["analyze", "burgers", "--set", &format!("n={n}")]);
        let said = ran.stderr.contains("the matrix of the brackets of the constraints is singular");
        assert_eq!((ran.status, said), (0, n % 4 == 0), "{n}: {}", ran.stderr);
    }
}
