//! Numbers beyond all numbers, names that would upset a terminal, starts that are singular.

mod common;

use common::{Ran, run, run_in};

/// Runs a verb on a text from stdin.
fn on(text: &str, arguments: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), arguments, text.as_bytes())
}

#[test]
fn an_energy_that_is_no_number_is_never_a_success() {
    // p^2 is beyond 1.8e308, though p and the velocity are not.
    let heavy = "param m = 1e155\ncoord x\nhamiltonian p_x^2/(2*m) + x^2\ninitial p_x = m\nrun step = 0.1, until = 1";
    let ran = on(heavy, &["run", "-"]);
    assert_eq!(ran.status, 2, "{}", ran.stdout);
    assert!(ran.stderr.contains("the energy at the start is inf"), "{}", ran.stderr);
    // x = cosh t stays finite until t = 709, x^2 until t = 355.
    let hill = "coord x\nhamiltonian p_x^2/2 - x^2/2\ninitial x = 1\nrun method = rk4, step = 0.1, until = 600";
    let ran = on(hill, &["run", "-", "--json"]);
    assert_eq!(ran.status, 3, "{}", ran.stdout);
    let json = ran.json();
    assert_eq!(json["failure"]["code"], "not-finite");
    let time = json["time"].as_f64().unwrap();
    assert!((354.0..357.0).contains(&time), "{time}");
}

#[test]
fn numbers_that_a_double_cannot_hold_are_refused() {
    let tight = ["run", "pendulum", "--method", "dopri5", "--formulation", "standard", "--tol"];
    for (arguments, said) in [
        ([&tight[..], &["1e-5000"]].concat(), "too small"),
        ([&tight[..], &["2/1e400"]].concat(), "too large"),
        ([&tight[..], &["1"]].concat(), "smaller than 1"),
        (vec!["run", "pendulum", "--solver-tol", "1e300"], "at most 0.1"),
        (vec!["run", "pendulum", "--step", "1e-400"], "too small"),
        (vec!["check", "pendulum", "--set", "g=1e-400"], "too small"),
        (vec!["run", "pendulum", "--step", "1e-300"], "1.0e302 steps"),
        (vec!["compare", "pendulum", "--step", "1e-300"], "1.0e302 steps"),
    ] {
        let ran = run(&arguments);
        assert_eq!(ran.status, 2, "{arguments:?}");
        assert!(ran.stderr.contains(said), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn check_refuses_the_starts_that_run_refuses() {
    let gap = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint c: x*y = 0\nrun step = 0.01, until = 1";
    let pole = "coord r, a\nhamiltonian (p_r^2 + p_a^2/r^2)/2\ninitial p_a = 1\nrun step = 0.01, until = 1";
    let light = "coord x, y\nlagrangian x'^2/2 + (x*y')^2/2\ninitial p_x = 1\nrun step = 0.01, until = 1";
    for text in [gap, pole, light] {
        assert_eq!(on(text, &["run", "-"]).status, 2, "{text}");
        let ran = on(text, &["check", "-"]);
        assert_eq!(ran.status, 1, "{text}\n{}{}", ran.stdout, ran.stderr);
    }
    let json = on(gap, &["check", "-", "--json"]).json();
    assert!(json["singular"].as_str().unwrap().contains("singular"), "{}", json["singular"]);
    assert_eq!(run(&["check", "pendulum", "--json"]).json()["singular"], serde_json::Value::Null);
}

/// What `check` says is what `run` says, word for word, and its status is 1 where the model must be changed.
#[test]
fn check_says_whatever_run_refuses() {
    let run_it = "run step = 0.01, until = 0.1";
    let ellipse = |a: u32, b: u32, power: u32| {
        format!(
            "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint c: ({a}*x^2 + {b}*y^2 - {a})^{power} = 0\n\
             initial x = 1, p_y = 1\n{run_it}"
        )
    };
    let mistakes = [
        ellipse(1, 1, 2),
        ellipse(2, 3, 2),
        ellipse(5, 1, 3),
        ellipse(1, 7, 4),
        format!("coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint c: x + y = 0, d: 3*x + 3*y = 0\n{run_it}"),
        format!(
            "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint c: x + y = 0, d: x - y^2 = 0, e: x = 0\n{run_it}"
        ),
        // p_y' = -x, so that x = 0 must hold as well.
        format!("coord x, y\nlagrangian x'^2/2 - x*y\ninitial x = 1\n{run_it}"),
        format!("coord x, y\nlagrangian x'^2/2 - x*y\n{run_it}, formulation = multipliers"),
        format!(
            "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint c: x + y = 0\n{run_it}, method = stormer-verlet"
        ),
    ];
    let gauge = format!("coord x, e\nlagrangian x'^2/(2*e) + e/2\ninitial e = 1, p_x = 1\n{run_it}");
    let fine = [ellipse(1, 1, 1), ellipse(2, 3, 1), format!("coord x, y\nlagrangian x'^2/2 - x*y\n{run_it}")];
    let texts = mistakes.iter().map(|t| (t, 1)).chain([(&gauge, 0)]).chain(fine.iter().map(|t| (t, 0)));
    for (text, status) in texts {
        let (ran, checked) = (on(text, &["run", "-"]), on(text, &["check", "-", "--json"]));
        let refused = &checked.json()["refused"];
        assert_eq!(checked.status, status, "{text}\n{refused}\n{}", ran.stderr);
        match refused["message"].as_str() {
            None => assert_eq!(ran.status, 0, "{text}\n{}", ran.stderr),
            Some(message) => {
                assert_eq!(ran.status, 2, "{text}\n{message}");
                assert!(ran.stderr.contains(message), "{text}\n{message}\n{}", ran.stderr);
                let help = refused["help"].as_str().unwrap();
                assert!(on(text, &["check", "-"]).stdout.contains(help), "{text}\n{help}");
            }
        }
    }
}

#[test]
fn a_variable_may_be_called_time_or_energy() {
    let folder = tempfile::tempdir().unwrap();
    let text = "coord time, energy\nhamiltonian (p_time^2 + p_energy^2)/2\ninitial p_time = 1\nobserve chart = time\n\
                run step = 0.5, until = 1";
    let ran = run_in(folder.path(), &["run", "-", "--out", "a.csv"], text.as_bytes());
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let table = std::fs::read_to_string(folder.path().join("a.csv")).unwrap();
    assert_eq!(table.lines().next(), Some("time_,time,energy,p_time,p_energy,energy_,chart"));
    assert_eq!(table.lines().last(), Some("1.0,1.0,0.0,1.0,0.0,0.5,1.0"));
}

/// Whether a terminal would do something else with the text than to show it.
fn acts(text: &str) -> bool {
    text.contains(|c: char| {
        c.is_control() && c != '\n' || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    })
}

#[cfg(unix)]
#[test]
fn no_name_or_title_reaches_a_terminal_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let name = "a\u{1b}[2J\u{202e}\nerror: b.cot";
    let good = "model m \"t\u{202e}itle\"\ncoord x\nhamiltonian p_x^2/2\nrun step = 0.1, until = 1\n";
    std::fs::write(folder.path().join(name), good).unwrap();
    std::fs::write(folder.path().join(format!("bad{name}")), "coord x\nhamiltonian y\n").unwrap();
    let (bad, plot) = (format!("bad{name}"), format!("{name}.svg"));
    let long = format!("--{name}");
    for arguments in [
        vec!["run", name],
        vec!["run", name, "--plot", &plot],
        vec!["check", name],
        vec!["analyze", name],
        vec!["compare", name],
        vec!["check", &bad],
        vec!["check", "missing\u{1b}[2J\u{7}"],
        vec!["run", "pendulum", "--method", "\u{1b}]0;title\u{7}rattle"],
        vec!["run", "pendulum", "--set", "\u{1b}[2J=1"],
        vec!["run", "pendulum", &long],
        vec!["\u{1b}[2Jrun"],
        vec!["explain", "\u{202e}rattle"],
        vec!["new", "\u{1b}[2J"],
    ] {
        let ran = run_in(folder.path(), &arguments, b"");
        assert!(!acts(&ran.stdout) && !acts(&ran.stderr), "{arguments:?}: {:?} {:?}", ran.stdout, ran.stderr);
        assert!(!ran.stderr.lines().any(|line| line == "error: b.cot"), "{arguments:?}: {}", ran.stderr);
    }
    let picture = std::fs::read_to_string(folder.path().join(plot)).unwrap();
    assert!(!acts(&picture));
    // A program finds the file by its name.
    let json = run_in(folder.path(), &["check", &bad, "--json"], b"");
    assert!(!acts(&json.stdout), "{:?}", json.stdout);
    assert_eq!(json.json()["error"]["at"]["file"], bad);
}

#[test]
fn latex_and_json_are_both_given() {
    let json = run(&["analyze", "landau", "--latex", "--json"]).json();
    assert_eq!(json["consistent"], true);
    assert_eq!(json["latex"].as_str(), Some(run(&["analyze", "landau", "--latex"]).stdout.as_str()));
}

#[test]
fn what_would_take_years_or_more_memory_than_there_is_is_refused_at_once() {
    let ran = run(&["certify", "pendulum", "--steps", "1000000000000000000"]);
    assert_eq!(ran.status, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("years"), "{}", ran.stderr);
    // 7 numbers in each of 10¹⁵ rows.
    let rows = run(&["run", "pendulum", "--steps", "1000000000000000", "--record", "1", "--arrays", "--json"]);
    assert_eq!((rows.status, &rows.json()["error"]["code"]), (2, &"too-large".into()), "{}", rows.stdout);
    let rows = run(&["run", "kepler", "--steps", "10", "--every", "1e-300", "--out", "nowhere/a.csv", "--json"]);
    assert_eq!((rows.status, &rows.json()["error"]["code"]), (2, &"schedule".into()), "{}", rows.stdout);
    // 8·10¹² bytes and more, before anything is compiled.
    let many = "param n : int = 1000000000\ncoord x[i in 1..n]\nhamiltonian sum(i in 1..n, p_x[i]^2)/2\nrun step = 1, until = 1";
    for verb in ["run", "certify", "compare", "check"] {
        let ran = on(many, &[verb, "-"]);
        assert_eq!(ran.status, 2, "{verb}: {}", ran.stderr);
        assert!(ran.stderr.contains("GB") || ran.stderr.contains("too-large"), "{verb}: {}", ran.stderr);
    }
}

#[test]
fn a_refusal_of_a_large_model_offers_what_that_of_a_small_one_does() {
    let offered = |n: &str| {
        let ran = run(&["run", "chain", "--set", n, "--method", "rk4"]);
        assert_eq!(ran.status, 2, "{}", ran.stdout);
        ran.stderr.split_once("these fit: ").expect("what fits").1.to_owned()
    };
    assert_eq!(offered("n=5000"), offered("n=5"));
}

/// exp(b') has momenta of one sign only, and the impetus p + Gᵀλ leaves them, though p does not.
#[test]
fn an_impetus_without_velocities_is_explained_and_can_be_reset() {
    for (c, slope) in [("a^2 + b^2 - 1", "a' = 0.4, b' = -0.3"), ("(a^2 + b^2 - 1)/2", "a' = 0.5, b' = -0.375")] {
        let text = format!(
            "coord a, b\nlagrangian (exp(a') + exp(-a'))/2 + exp(b')*(1 + a^2/4)\nconstraint c: {c} = 0\n\
             initial a = 0.6, b = 0.8, {slope}\nrun step = 0.01, until = 4, formulation = impetus-striction"
        );
        let ran = on(&text, &["run", "-"]);
        assert_eq!(ran.status, 3, "{}", ran.stdout);
        assert!(ran.stderr.contains("--project momentum") && !ran.stderr.contains("`v`"), "{}", ran.stderr);
        let (reset, other) = (
            on(&text, &["run", "-", "--project", "momentum", "--json"]),
            on(&text, &["run", "-", "--formulation", "hamilton-dirac", "--json"]),
        );
        assert_eq!((reset.status, other.status), (0, 0), "{}{}", reset.stderr, other.stderr);
        let state = |ran: &Ran| ran.json()["state"]["a"].as_f64().unwrap();
        assert!((state(&reset) - state(&other)).abs() < 1e-6, "{} {}", state(&reset), state(&other));
    }
}

/// Far from the origin hidden constraints are known as well as positions are, and no better.
#[test]
fn rounding_far_from_the_origin_is_no_defect() {
    for c in ["1e3", "1e4", "1e5"] {
        let text = format!(
            "param c = {c}\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + y\n\
             constraint rod: ((x - c)^2 + (y + c)^2 - 1)/2 = 0\ninitial x = c + 1, y = -c, p_y = -2\n\
             run method = average-vector-field, step = 0.01, until = 1"
        );
        let ran = on(&text, &["certify", "-", "--steps", "2000"]);
        assert_eq!(ran.status, 0, "{c}: {}{}", ran.stdout, ran.stderr);
    }
}

/// Every result is missed where it cannot be written, the help and the version, too.
#[cfg(target_os = "linux")]
#[test]
fn a_help_that_cannot_be_written_is_an_error() {
    for arguments in [&["--help"][..], &["--version"], &["help", "run"], &["run", "-h"], &["models"]] {
        let full = std::fs::File::create("/dev/full").expect("a full disk");
        let ran = std::process::Command::new(env!("CARGO_BIN_EXE_cotangent")).args(arguments).stdout(full).output();
        let ran = ran.expect("the program starts");
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(said.starts_with("error: cannot write the result: No space left"), "{arguments:?}: {said}");
        assert_eq!(ran.status.code(), Some(2), "{arguments:?}");
    }
}

/// The name of a file is any bytes on Unix, that of a model, too.
#[cfg(target_os = "linux")]
#[test]
fn the_name_of_a_model_file_need_not_be_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().expect("a folder");
    let name = OsStr::from_bytes(b"swing\xff.cot");
    let text = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + y\nconstraint rod: (x^2 + y^2 - 1)/2 = 0\n\
        initial x = 1, p_y = -2\nrun step = 0.1, until = 1\n";
    std::fs::write(folder.path().join(name), text).expect("a model");
    let ran = |verb: &str, name: &OsStr, more: &[&str]| {
        let program = std::process::Command::new(env!("CARGO_BIN_EXE_cotangent"));
        let ran = { program }.arg(verb).arg(name).args(more).current_dir(folder.path()).output();
        ran.expect("the program starts")
    };
    for (verb, more) in [
        ("check", &["--json"][..]),
        ("analyze", &[]),
        ("run", &["--out", "a.csv"]),
        ("certify", &["--json"]),
        ("compare", &["--methods", "rattle"]),
    ] {
        let ran = ran(verb, name, more);
        assert_eq!(ran.status.code(), Some(0), "{verb}: {}", String::from_utf8_lossy(&ran.stderr));
    }
    let missing = ran("check", OsStr::from_bytes(b"other\xff.cot"), &[]);
    assert_eq!(missing.status.code(), Some(2));
    let said = String::from_utf8_lossy(&missing.stderr);
    assert!(said.contains("there is no file and no shipped model `other\u{fffd}.cot`"), "{said}");
}
