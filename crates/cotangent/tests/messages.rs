//! What the program says where a user of other tools stumbles: every message a snapshot.

mod common;

use common::{Ran, run_in};
use insta::assert_snapshot;
use std::path::Path;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn ran(folder: &Path, arguments: &[&str]) -> Ran {
    run_in(folder, arguments, b"")
}

/// `check` of a text.
fn checked(text: &str) -> String {
    let folder = folder();
    std::fs::write(folder.path().join("m.cot"), text).expect("written");
    ran(folder.path(), &["check", "m.cot"]).show()
}

#[test]
fn words_of_run_that_name_nothing_are_refused_where_they_stand() {
    assert_snapshot!(checked(
        "coord x\nhamiltonian p_x^2/2\nrun method = ratle, formulation = multiplier,\n  compose = yoshida, project = bot, step = 0.1\n"
    ));
    assert!(
        checked("coord x\nhamiltonian p_x^2/2\nrun method = gauss, compose = none, step = 0.1\n")
            .starts_with("exit status 0")
    );
}

#[test]
fn a_bracket_that_fails_jacobi_is_noted() {
    assert_snapshot!(checked(
        "variables a, b, c\nbracket {a, b} = c^2, {b, c} = a*b, {c, a} = 1\nhamiltonian a^2 + b^2\ninitial a = 1\nrun step = 0.1, until = 1\n"
    ));
    // Where that is not decided, that is said.
    let undecided = "param n : int = 1500\nvariables u[i in 1..n]\nbracket {u[i in 1..n], u[mod(i, n) + 1]} = u[i]*u[mod(i, n) + 1] + 1e-9*u[1]\n\
        hamiltonian sum(i in 1..n, u[i])\ninitial u = 1\n";
    assert!(checked(undecided).contains("note: not decided whether Jacobi's identity holds"), "{}", checked(undecided));
    // That of the rigid body is one.
    assert!(!ran(folder().path(), &["check", "rigid-body"]).stdout.contains("Jacobi"));
}

#[test]
fn names_of_lets_stay_in_what_check_prints() {
    assert_snapshot!(checked(
        "param l = 1, m = 1, g = 1\ncoord s, phi\nlet xc = s + l*sin(phi)/2, yc = -l*cos(phi)/2\n\
         lagrangian m*(xc'^2 + yc'^2)/2 + m*l^2*phi'^2/24 - m*g*yc\nconstraint track: xc = l/4\nobserve height = yc\ninitial phi = pi/6\n"
    ));
}

#[test]
fn a_comparison_from_an_equilibrium_says_so() {
    let folder = folder();
    // At the origin there is nothing to be relative to.
    std::fs::write(
        folder.path().join("rest.cot"),
        "coord q\nhamiltonian p_q^2/2 + q^2/2\ninitial q = 0\nrun step = 0.1, until = 1\n",
    )
    .expect("written");
    let shown = ran(folder.path(), &["compare", "rest.cot", "--methods", "gauss,rk4"]);
    assert!(!shown.stdout.contains("NaN") && !shown.stdout.contains("inf"));
    assert_snapshot!(shown.show());
    let json = ran(folder.path(), &["compare", "rest.cot", "--methods", "rk4", "--json"]).json();
    assert_eq!(json["equilibrium"], true);
    let hanging = ["compare", "pendulum", "--set", "x=0", "--set", "y=-1", "--set", "p_y=0", "--until", "1", "--json"];
    assert_eq!(ran(folder.path(), &hanging).json()["equilibrium"], true);
    let swinging = ["compare", "pendulum", "--until", "1", "--methods", "rattle", "--json"];
    assert_eq!(ran(folder.path(), &swinging).json().get("equilibrium"), None);
}

#[test]
fn a_name_of_a_file_and_of_a_shipped_model_is_told_apart() {
    let folder = folder();
    let first = |ran: Ran| ran.stderr.lines().map(|line| format!("{line}\n")).collect::<String>();
    let mut said = first(ran(folder.path(), &["new", "pendulum"]));
    said += &first(ran(folder.path(), &["check", "pendulum"]));
    said += &first(ran(folder.path(), &["check", "pendulum.cot"]));
    std::fs::write(folder.path().join("kepler"), "coord x\nhamiltonian p_x^2/2\n").expect("written");
    said += &first(ran(folder.path(), &["check", "kepler"]));
    assert_snapshot!(said);
}

#[test]
fn unknown_names_to_set_are_shown_with_the_nearest_or_all() {
    let said = |setting: &str| ran(folder().path(), &["check", "heavy-top", "--set", setting]).show();
    assert_snapshot!(said("wieght=1") + &said("foo=1"));
}

#[test]
fn which_model_is_meant_is_in_the_document_too() {
    let folder = folder();
    assert_eq!(ran(folder.path(), &["new", "pendulum"]).status, 0);
    for arguments in [
        &["check", "pendulum", "--json"][..],
        &["analyze", "pendulum", "--json"],
        &["run", "pendulum", "--steps", "3", "--json"],
        &["certify", "pendulum", "--steps", "50", "--json"],
        &["compare", "pendulum", "--until", "0.1", "--methods", "rattle", "--json"],
    ] {
        let found = ran(folder.path(), arguments).json();
        let first = found["notes"][0].as_str().unwrap_or_default().to_owned();
        assert_eq!(first, "`pendulum` is the shipped model; the file here is `pendulum.cot`", "{arguments:?}");
    }
}

#[test]
fn a_step_that_cannot_be_made_is_refused_by_check() {
    assert_snapshot!(
        checked("coord x\nhamiltonian p_x^2/2\nrun step = 0, until = 1\n")
            + &checked("param h = -1\ncoord x\nhamiltonian h*p_x^2/2\nrun step = h, until = 1\n")
    );
    assert!(checked("coord x\nhamiltonian p_x^2/2\nrun step = -0.1\n").starts_with("exit status 0"));
}

#[test]
fn what_is_asked_for_in_vain_is_said() {
    let folder = folder();
    let said = |arguments: &[&str]| ran(folder.path(), arguments).stderr;
    assert_snapshot!(
        [
            said(&["run", "pendulum", "--steps", "3", "--set", "lambda_rod=55"]),
            said(&["check", "pendulum", "--set", "lambda_rod=55"]),
            said(&["run", "kepler", "--steps", "3", "--columns", "residuals"]),
            said(&["run", "kepler", "--steps", "3", "--arrays"]),
            said(&["run", "henon-heiles", "--steps", "3", "--columns", "residuals,invariants", "--out", "a.csv"]),
            said(&["certify", "pendulum", "--set", "x=0", "--set", "y=-1", "--set", "p_y=0", "--steps", "50"]),
        ]
        .join("---\n")
    );
    // The multipliers of velocity constraints have initial values.
    let text = "coord x, y, th\nlagrangian (x'^2 + y'^2 + th'^2)/2\nvakonomic roll: x'*sin(th) = y'*cos(th)\n\
        initial x' = 1\nrun step = 0.1, steps = 3\n";
    let vakonomic = run_in(folder.path(), &["run", "-", "--set", "lambda_roll=2"], text.as_bytes());
    assert_eq!((vakonomic.status, vakonomic.stderr.contains("no effect")), (0, false), "{}", vakonomic.show());
}

#[test]
fn a_clock_is_not_called_by_a_name_of_the_model() {
    let text = |tau: &str| {
        format!(
            "coord {tau}, x\nlagrangian -sqrt({tau}'^2 - x'^2)\ngauge still: {tau} = 0\ninitial {tau}' = 1, x' = 0.5\nrun step = 0.1, until = 1\n"
        )
    };
    let said = |tau: &str| run_in(folder().path(), &["run", "-"], text(tau).as_bytes()).stderr;
    assert!(said("t").contains("`gauge clock: t = tau` makes it move"), "{}", said("t"));
    let own = said("tau");
    assert!(own.contains("rename the `tau` of the model") && !own.contains("tau = tau"), "{own}");
}

#[test]
fn a_run_that_failed_cannot_be_resumed_and_that_is_said() {
    let folder = folder();
    let text = "coord x\nhamiltonian p_x^2/2 + sqrt(1 - x)\ninitial p_x = 1\nobserve r = sqrt(1 - x)\nrun method = gauss, step = 0.3, until = 9\n";
    std::fs::write(folder.path().join("m.cot"), text).expect("written");
    assert_eq!(ran(folder.path(), &["run", "m.cot", "--out", "a.csv"]).status, 3);
    assert_snapshot!(ran(folder.path(), &["run", "--resume", "a.csv"]).show());
}

#[test]
fn equations_that_no_order_keeps_sparse_are_said_with_what_they_cost() {
    // Every rod ends at the hub, so every multiplier moves every rod: the matrix is full.
    let star = "param n : int > 0 = 300\ncoord u, v, x[i in 1..n], y[i in 1..n]\n\
        lagrangian (u'^2 + v'^2 + sum(i in 1..n, x[i]'^2 + y[i]'^2))/2 - v\n\
        constraint rod[i in 1..n]: (x[i] - u)^2 + (y[i] - v)^2 - 1 = 0\n\
        initial x[i in 1..n] = cos(i), y[i in 1..n] = sin(i)\nrun step = 0.01, until = 0.02\n";
    let run = |text: &str| run_in(folder().path(), &["run", "-"], text.as_bytes());
    let full = run(star);
    assert_eq!(full.status, 0, "{}", full.stderr);
    let said = "no order of elimination keeps the 300 equations of a step sparse: an update of Newton's method, of which a \
        step takes a few, is about 0.009 s of work";
    assert!(full.stderr.contains(said), "{}", full.stderr);
    // As a chain they are a band.
    let chain = star.replace("x[i] - u", "x[i] - x[i-1]").replace("y[i] - v", "y[i] - y[i-1]");
    let chain = chain.replace("= cos(i)", "= sum(k in 1..i, cos(k))").replace("= sin(i)", "= sum(k in 1..i, sin(k))");
    let band = run(&format!("{chain}boundary x[0] = 0, y[0] = 0\n"));
    assert_eq!(band.status, 0, "{}", band.stderr);
    assert!(!band.stderr.contains("no order of elimination"), "{}", band.stderr);
}
