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
