//! Tables as pandas and numpy read them: every column by its name, families with several indices too.
//!
//! Without a Python that has both these tests say that they are skipped; `scripts/setup-python` installs one.

mod common;

use common::run_in;
use std::path::Path;
use std::process::Command;

/// Three points at fixed distances, a family over a triangle, and one over a square.
const MODEL: &str = "model tri\nparam n : int = 3\ncoord x[i in 1..n], y[i in 1..n]\n\
    lagrangian sum(i in 1..n, x[i]'^2/2 + y[i]'^2/2)\n\
    constraint d[i in 2..n, j in 1..i-1]: ((x[i] - x[j])^2 + (y[i] - y[j])^2 - 1)/2 = 0\n\
    observe r[i in 2..n, j in 1..i-1] = sqrt((x[i] - x[j])^2 + (y[i] - y[j])^2)\n\
    observe s[i in 1..2, j in 0..1] = x[i] + 10*j\n\
    initial x = (0, 1, 1/2), y[3] = sqrt(3)/2, x' = 1, y[1]' = -1, y[2]' = 1, y[3]' = 0, x[3]' = 1 - sqrt(3)\n\
    run method = rattle, step = 0.1, until = 1\n";

/// Where a run wrote its table; `None` without a Python to read it.
#[allow(clippy::print_stderr)]
fn python(script: &str, folder: &Path) -> Option<String> {
    let found = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/setup-python")).arg("--find").output();
    let Some(program) = found.ok().filter(|o| o.status.success()) else {
        eprintln!("skipped: no Python with numpy and pandas; run scripts/setup-python or set COTANGENT_PYTHON");
        return None;
    };
    let program = String::from_utf8(program.stdout).expect("a path");
    let output = Command::new(program.trim()).args(["-c", script]).current_dir(folder).output().expect("Python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).expect("text"))
}

#[test]
fn pandas_and_numpy_read_every_column_of_a_table() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("tri.cot"), MODEL).expect("written");
    for table in ["tri.csv", "tri.npz"] {
        let ran = run_in(folder.path(), &["run", "tri.cot", "--out", table], b"");
        assert_eq!(ran.status, 0, "{}", ran.show());
    }
    let header = std::fs::read_to_string(folder.path().join("tri.csv")).expect("the table");
    let header = header.lines().next().expect("a header");
    assert!(
        header.contains("energy,r[2; 1],r[3; 1],r[3; 2],s[1; 0],s[1; 1],s[2; 0],s[2; 1],lambda_d[2; 1]"),
        "{header}"
    );
    assert!(!header.contains('"'));
    let script = r#"
import numpy as np, pandas as pd
frame = pd.read_csv("tri.csv")
assert frame.shape == (11, 24), frame.shape
assert not frame.isna().any().any()
assert list(frame.columns[14:17]) == ["r[2; 1]", "r[3; 1]", "r[3; 2]"], list(frame.columns)
assert np.allclose(frame[["r[2; 1]", "r[3; 1]", "r[3; 2]"]], 1)
assert np.allclose(frame["s[2; 1]"], frame["x[2]"] + 10)
plain = np.genfromtxt("tri.csv", delimiter=",", names=True)
assert len(plain.dtype.names) == 24 and plain.shape == (11,), plain.dtype
assert np.array_equal(plain["lambda_d3_1"], frame["lambda_d[3; 1]"].to_numpy())
named = np.genfromtxt("tri.csv", delimiter=",", names=True, deletechars="", replace_space=" ")
assert list(named.dtype.names) == list(frame.columns)
rows = np.loadtxt("tri.csv", delimiter=",", skiprows=1)
assert np.array_equal(rows, frame.to_numpy())
arrays = np.load("tri.npz")
assert np.array_equal(arrays["x"], frame[["x[1]", "x[2]", "x[3]"]].to_numpy())
assert arrays["s"].shape == (11, 2, 2) and np.array_equal(arrays["s"][:, 1, 0], frame["s[2; 0]"].to_numpy())
assert arrays["r"].shape == (11, 3) and np.array_equal(arrays["lambda_d"][:, 1], frame["lambda_d[3; 1]"].to_numpy())
print("read")
"#;
    if let Some(said) = python(script, folder.path()) {
        assert_eq!(said, "read\n");
    }
}

#[test]
fn members_of_a_triangle_are_called_by_both_indices_everywhere() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("tri.cot"), MODEL).expect("written");
    let ran = |arguments: &[&str]| run_in(folder.path(), arguments, b"");
    let analysis = ran(&["analyze", "tri.cot", "--json"]).json();
    let names: Vec<&str> =
        analysis["constraints"].as_array().expect("a list").iter().filter_map(|c| c["name"].as_str()).collect();
    assert_eq!(names[..4], ["d[2, 1]", "d[3, 1]", "d[3, 2]", "d[2, 1]'"]);
    assert!(analysis["multipliers"].get("lambda_d[3, 1]").is_some());
    // Both spellings can be set, and what does not exist is said in the words of the model.
    for setting in ["lambda_d[3, 1]=2", "lambda_d[3; 1]=2"] {
        assert_eq!(ran(&["check", "tri.cot", "--set", setting]).status, 0, "{setting}");
    }
    let refused = ran(&["check", "tri.cot", "--set", "lambda_d[1,3]=2"]);
    let expected = "error: `lambda_d[1, 3]` does not exist: its members are `lambda_d[2, 1]`, …, `lambda_d[3, 2]`\n";
    assert_eq!((refused.status, refused.stderr.as_str()), (2, expected));
}

#[test]
fn csv_npz_and_arrays_have_the_same_columns_whatever_the_model_calls_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "coord x[i in 1..2], y\nhamiltonian (p_x[1]^2 + p_x[2]^2 + p_y^2)/2 + y\nconstraint rod: x[1]^2 + x[2]^2 = 1\n\
        observe lambda_rod = 2*y, time = y, energy = 3, u[i in 1..2, j in 1..2] = x[i]*j, residual_rod = 7\n\
        invariant lambda_rod_ = 0*y + p_y^2/2 + y\ninitial x[1] = 1\nrun step = 0.1, until = 0.5\n";
    std::fs::write(folder.path().join("m.cot"), text).expect("written");
    let ran = |more: &[&str]| {
        run_in(folder.path(), &[&["run", "m.cot", "--columns", "residuals,invariants"], more].concat(), b"")
    };
    let found = ran(&["--json", "--arrays"]);
    let arrays = found.json()["arrays"].as_object().expect("arrays").clone();
    // Two of one name would be one here, and two in the text.
    let keys: Vec<String> = arrays.keys().cloned().collect();
    for key in &keys {
        assert_eq!(found.stdout.matches(&format!("    \"{key}\": [")).count(), 1, "{key}");
    }
    assert_eq!(ran(&["--out", "a.csv"]).status, 0);
    let table = std::fs::read_to_string(folder.path().join("a.csv")).expect("the table");
    let header: Vec<&str> = table.lines().next().expect("a header").split(',').collect();
    let mut names = [keys, header.iter().map(|name| (*name).to_owned()).collect()];
    names.iter_mut().for_each(|list| list.sort());
    assert_eq!(names[0], names[1]);
    for (name, first) in [("lambda_rod", 0.0), ("time_", 0.0), ("energy", 3.0), ("residual_rod", 7.0), ("u[1; 2]", 2.0)]
    {
        assert_eq!(arrays[name][0].as_f64(), Some(first), "{name}");
    }
    assert_eq!(ran(&["--out", "a.npz"]).status, 0);
    let script = "import numpy as np\nprint(*sorted(np.load('a.npz')['names']), sep='\\n')";
    if let Some(said) = python(script, folder.path()) {
        assert_eq!(said.lines().collect::<Vec<_>>(), names[0]);
    }
}

#[test]
fn arrays_of_a_run_that_goes_on_begin_where_it_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = |more: &[&str]| run_in(folder.path(), &[&["run"], more].concat(), b"");
    assert_eq!(ran(&["pendulum", "--step", "0.1", "--until", "1", "--out", "a.csv"]).status, 0);
    let found = ran(&["--resume", "a.csv", "--until", "2", "--json", "--arrays"]).json();
    let whole = ran(&["pendulum", "--step", "0.1", "--until", "2", "--json", "--arrays"]).json();
    let [later, all] = [&found, &whole].map(|d| d["arrays"]["x"].as_array().expect("numbers").clone());
    assert!(later.len() >= 11 && all.len() == 21 && all.ends_with(&later), "{later:?}");
    let note =
        found["notes"].as_array().expect("notes").iter().filter_map(|n| n.as_str()).find(|n| n.contains("arrays"));
    assert!(note.is_some_and(|note| note.ends_with("the rows before are in `a.csv`")), "{note:?}");
}
