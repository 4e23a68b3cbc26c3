//! What a run says of how the equations of stages are solved, and the option that chooses.

mod common;

use common::{Ran, run, run_in};

/// h ω = 1,000 with a step of 0.01.
const STIFF: &str = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + 5e9*x^2 + x^2*y^2 + y^2/2\n\
    initial x = 1e-5, p_y = 1\nrun method = gauss, step = 0.01, until = 1\n";

fn stiff(arguments: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), &[&["run", "-"], arguments].concat(), STIFF.as_bytes())
}

fn work(ran: &Ran) -> [Option<u64>; 2] {
    let json = ran.json();
    assert_eq!(json["status"], "finished");
    ["newton_iterations", "fixed_point_iterations"].map(|key| json["work"][key].as_u64())
}

#[test]
fn the_summary_says_which_solver_it_was() {
    let [newton, iterated] = work(&run(&["run", "kepler", "--method", "gauss", "--until", "1", "--json"]));
    assert!(newton == Some(0) && iterated > Some(300), "{newton:?} {iterated:?}");
    let by_newton = ["run", "kepler", "--method", "gauss", "--until", "1", "--stage-solver", "newton", "--json"];
    let [newton, iterated] = work(&run(&by_newton));
    assert!(newton > Some(100) && iterated.is_none(), "{newton:?} {iterated:?}");
    assert_eq!(run(&by_newton).json()["stage_solver"], "newton");
    // With constraints: one update in each step is for the hidden ones at its end.
    let constrained = ["run", "pendulum", "--method", "lobatto-3a3b", "--step", "0.01", "--until", "1", "--json"];
    let [newton, iterated] = work(&run(&constrained));
    assert!(newton == Some(100) && iterated > Some(300), "{newton:?} {iterated:?}");
    let [newton, iterated] = work(&run(&[&constrained[..], &["--stage-solver", "newton"]].concat()));
    assert!(newton > Some(300) && iterated.is_none(), "{newton:?} {iterated:?}");
    // Stiff: Newton's method in every step, and two trials in a hundred.
    let [newton, iterated] = work(&stiff(&["--json"]));
    assert!(newton > Some(200) && iterated > Some(2) && iterated < Some(100), "{newton:?} {iterated:?}");
}

#[test]
fn an_iteration_that_is_forced_and_does_not_contract_fails_with_the_way_out() {
    // h ω = 4 does not contract, and 1,000 leaves what is finite.
    for (step, cause) in [
        ("4e-5", "the fixed-point iteration did not converge in 50 iterations"),
        ("0.01", "of the fixed-point iteration unknown 2 is not finite"),
    ] {
        let ran = stiff(&["--stage-solver", "fixed-point", "--step", step]);
        assert_eq!(ran.status, 3);
        assert!(ran.stderr.contains(cause), "{}", ran.stderr);
        assert!(ran.stderr.contains("take --stage-solver newton"), "{}", ran.stderr);
    }
}

#[test]
fn a_choice_that_does_not_apply_is_refused() {
    let refused = |arguments: &[&str]| {
        let ran = run(arguments);
        assert_eq!(ran.status, 2);
        ran.stderr
    };
    let unknown = refused(&["run", "kepler", "--method", "gauss", "--stage-solver", "newtn"]);
    assert!(unknown.contains("there is no solver of stages `newtn`") && unknown.contains("did you mean `newton`"));
    let none = refused(&["run", "pendulum", "--stage-solver", "newton"]);
    assert!(none.contains("`rattle` has no stages") && none.contains("leave out --stage-solver"), "{none}");
    let never = refused(&["run", "pendulum", "--method", "radau-2a", "--stage-solver", "fixed-point"]);
    assert!(never.contains("take --stage-solver newton"), "{never}");
}
