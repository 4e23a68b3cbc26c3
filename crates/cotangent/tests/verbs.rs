//! The other verbs, and the help.

mod common;

use common::{run, run_in};
use insta::assert_snapshot;
use std::process::{Command, Stdio};

#[test]
fn models_are_listed() {
    assert_snapshot!(run(&["models"]).show());
    let json = run(&["models", "--json"]).json();
    assert_eq!(json["models"].as_array().map(Vec::len), Some(cotangent::models::all().len()));
}

#[test]
fn a_model_is_printed() {
    assert_eq!(run(&["models", "pendulum"]).stdout, cotangent::models::find("pendulum").unwrap().source);
    let json = run(&["models", "pendulum", "--json"]).json();
    assert_eq!(json["source"], cotangent::models::find("pendulum").unwrap().source);
}

#[test]
fn every_template_passes_its_check() {
    for kind in ["hamiltonian", "lagrangian", "poisson", "vakonomic", "form"] {
        let folder = tempfile::tempdir().unwrap();
        let ran = run_in(folder.path(), &["new", "my-model", "--kind", kind], b"");
        assert_eq!((ran.status, ran.stdout.as_str()), (0, "my-model.cot\n"));
        let ran = run_in(folder.path(), &["check", "my-model.cot"], b"");
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{kind}");
        assert!(ran.stdout.starts_with("my_model: "));
        let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|f| f.unwrap().file_name()).collect();
        assert_eq!(files, ["my-model.cot"]);
    }
}

#[test]
fn new_never_overwrites() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("swing.cot");
    std::fs::write(&path, "mine").unwrap();
    for name in ["swing", "swing.cot"] {
        let ran = run_in(folder.path(), &["new", name], b"");
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""));
        assert!(ran.stderr.starts_with("error: `swing.cot` exists already; nothing was written"));
    }
    assert_eq!(run_in(folder.path(), &["new", "swing", "--json"], b"").json()["error"]["code"], "exists");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn new_refuses_bad_names() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a b", "2x", "", "..", "sin", "no/such/folder", "θ"] {
        let ran = run_in(folder.path(), &["new", name], b"");
        assert_eq!(ran.status, 2, "{name}: {}", ran.stderr);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn new_says_what_it_wrote_as_json() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run_in(folder.path(), &["new", "--json", "swing"], b"").json()["written"], "swing.cot");
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = run(&["completions", shell]);
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
        assert!(ran.stdout.contains("cotangent") && ran.stdout.contains("check"), "{shell}");
        assert!(run(&["completions", shell, "--json"]).json()["script"].is_string());
    }
}

#[test]
fn version() {
    let engine = if cfg!(feature = "jit") { " (native code)\n" } else { " (without native code" };
    let wanted = format!("cotangent {}{engine}", env!("CARGO_PKG_VERSION"));
    assert!(run(&["--version"]).stdout.starts_with(&wanted));
}

#[test]
fn help_teaches() {
    assert_snapshot!("help", run(&["--help"]).show());
    assert_snapshot!("help_check", run(&["check", "--help"]).show());
    assert_snapshot!("help_analyze", run(&["analyze", "--help"]).show());
    assert_snapshot!("help_run", run(&["run", "--help"]).show());
    assert_snapshot!("help_certify", run(&["certify", "--help"]).show());
    assert_snapshot!("help_compare", run(&["compare", "--help"]).show());
    assert_snapshot!("help_reproduce", run(&["reproduce", "--help"]).show());
    assert_snapshot!("help_methods", run(&["methods", "--help"]).show());
    assert_snapshot!("help_formulations", run(&["formulations", "--help"]).show());
    assert_snapshot!("help_explain", run(&["help", "explain"]).show());
    assert_snapshot!("help_models", run(&["models", "--help"]).show());
    assert_snapshot!("help_new", run(&["new", "--help"]).show());
    assert_snapshot!("help_completions", run(&["help", "completions"]).show());
    let bare = run(&[]);
    assert_eq!(bare.status, 2);
    assert!(bare.stderr.contains("Start here"));
}

#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_cotangent"))
        .args(["models"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}
