//! What is refused: exit status 2, a message that can be acted on, nothing on stdout, no file.

mod common;

use common::{Ran, run, run_in};
use insta::assert_snapshot;
use std::path::Path;

/// Refused; the same as JSON has the same first message.
fn refused(arguments: &[&str]) -> String {
    let ran = run(arguments);
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""));
    let json = run(&[arguments, &["--json"]].concat());
    assert_eq!(json.status, 2);
    let document = json.json();
    let error = &document["error"];
    assert!(error["code"].is_string() && error["message"].is_string() && error["all"].is_array());
    ran.stderr
}

fn check_text(text: &[u8]) -> Ran {
    run_in(Path::new("."), &["check", "-"], text)
}

#[test]
fn models_that_do_not_exist() {
    assert_snapshot!(refused(&["check", "pendlum"]), @r"
    error: there is no file and no shipped model `pendlum`
     help: did you mean `pendulum`? `cotangent models` lists the shipped models
    ");
    assert_snapshot!(refused(&["check", "double_pendulum.cot"]), @r"
    error: there is no file and no shipped model `double_pendulum.cot`
     help: did you mean `double-pendulum`? `cotangent models` lists the shipped models
    ");
    assert_snapshot!(refused(&["check", "nothing/like/it.cot"]), @r"
    error: there is no file and no shipped model `nothing/like/it.cot`
     help: `cotangent models` lists the shipped models
    ");
    assert_snapshot!(refused(&["models", "water-molecule"]), @r"
    error: there is no shipped model `water-molecule`
     help: `cotangent models` lists them all
    ");
}

#[test]
fn a_forgotten_extension() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("swing.cot"), "coord q\nhamiltonian p_q^2\n").unwrap();
    assert_snapshot!(run_in(folder.path(), &["check", "swing"], b"").stderr, @r"
    error: there is no file and no shipped model `swing`
     help: did you mean the file `swing.cot`?
    ");
}

#[test]
fn a_directory() {
    assert_snapshot!(refused(&["check", "."]), @r"
    error: `.` is a directory
     help: name a model file in it, or a shipped model (`cotangent models`)
    ");
}

#[test]
fn not_utf8() {
    let ran = check_text(b"coord x\nhamiltonian \xff\xfe\n");
    assert_snapshot!(ran.show());
}

#[test]
fn empty() {
    let ran = check_text(b"");
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.starts_with("[missing-statement]"), "{}", ran.stderr);
}

#[test]
fn huge() {
    let ran = check_text(&vec![b'x'; 5 << 20]);
    assert_snapshot!(ran.show());
}

#[test]
fn every_mistake_at_once() {
    assert_snapshot!(check_text(MISTAKES).show());
}

#[test]
fn every_mistake_at_once_as_json() {
    let ran = run_in(Path::new("."), &["check", "--json", "-"], MISTAKES);
    assert_eq!(ran.status, 2);
    let document = ran.json();
    let error = &document["error"];
    let all = error["all"].as_array().unwrap();
    let codes: Vec<&str> = all.iter().filter_map(|e| e["code"].as_str()).collect();
    assert_eq!(codes, ["implicit-multiplication", "missing-equals", "unknown-name"]);
    for key in ["code", "message", "at", "help"] {
        assert_eq!(error[key], all[0][key]);
    }
    let at = serde_json::json!({"file": "<stdin>", "line": 3, "column": 33, "start": 55, "end": 57});
    assert_eq!(error["at"], at);
}

const MISTAKES: &[u8] = b"param g = 1
coord x, y
hamiltonian (p_x^2 + p_y^2)/2 + 2g*y
constraint rod: (x^2 + y^2 - 1)/2
initial z = 1
";

#[test]
fn settings() {
    let set = |model: &str, setting: &str| refused(&["check", model, "--set", setting]);
    assert_snapshot!(set("pendulum", "lenght=1"), @"error: there is no parameter or variable `lenght` to set; there are g, x, y, p_x, p_y, x', y', lambda_rod");
    assert_snapshot!(set("heavy-top", "wieght=1"), @"error: there is no parameter or variable `wieght` to set; did you mean `weight`?");
    assert_snapshot!(set("chain", "m[11]=1"), @"error: `m[11]` does not exist: its members are 1..10");
    assert_snapshot!(set("pendulum", "g[1]=1"), @"error: `g[1]` does not exist: it has no members");
    assert_snapshot!(set("chain", "n=2.5"), @"error: `n` is an integer, and 2.5 is not");
    assert_snapshot!(set("chain", "n[1]=2"), @"error: `n` is one integer; it has no member `n[1]`");
    assert_snapshot!(set("tree", "parent[2]=1"), @r"
    error: `parent` is a family of integers; --set cannot change it
     help: edit the model
    ");
    assert_snapshot!(set("kepler", "mu=-1"), @"error: the parameter `mu` is -1, but the model states `mu > 0`");
    assert_snapshot!(set("bicycle", "x'=1"), @r"
    error: initial values give velocities or momenta, not both: `x'` and `p_y`
     help: set the kind that the model's `initial` gives
    ");
    assert_snapshot!(set("pendulum", "g"), @r"
    error: invalid value 'g' for '--set <NAME=VALUE>': write NAME=VALUE, for example g=9.81

    For more information, try '--help'.
    ");
    assert_snapshot!(set("pendulum", "g=x"), @r"
    error: invalid value 'g=x' for '--set <NAME=VALUE>': `x` is not a value; write a number such as 9.81 or an expression such as pi/4

    For more information, try '--help'.
    ");
    assert_snapshot!(refused(&["check", "pendulum", "--set", "g=1", "--set", "g=2"]), @r"
    error: --set gives `g` twice
     help: keep one
    ");
}

#[test]
fn a_parameter_without_a_value() {
    let ran = check_text(b"param k\ncoord x\nhamiltonian p_x^2 + k*x^2\n");
    assert_eq!(ran.status, 2);
    assert_snapshot!(ran.stderr, @"error: the parameter `k` has no value; give it one with `--set k=…` or in the model");
}

#[test]
fn sizes_beyond_the_limit() {
    assert_eq!(run(&["check", "chain", "--set", "n=1e15"]).status, 2);
    assert_eq!(run(&["check", "chain", "--set", "n=-9007199254740992"]).status, 2);
}

#[test]
fn usage() {
    assert_eq!(run(&["no-such-verb"]).status, 2);
    assert_eq!(run(&["check"]).status, 2);
    assert_eq!(run(&["check", "pendulum", "--json", "--no-such-option"]).json()["error"]["code"], "usage");
    assert_eq!(run(&["--json", "no-such-verb"]).json()["error"]["code"], "usage");
}
