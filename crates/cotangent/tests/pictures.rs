//! Figures and reports of runs and certificates.

mod common;
#[cfg(unix)]
#[allow(dead_code)]
#[path = "../../report/tests/devtools/mod.rs"]
mod devtools;

use common::{Ran, run, run_in};
use insta::assert_snapshot;
use serde_json::json;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn text(folder: &Path, file: &str) -> String {
    std::fs::read_to_string(folder.join(file)).expect("the file")
}

fn ran(folder: &Path, arguments: &[&str]) -> Ran {
    run_in(folder, arguments, b"")
}

#[test]
fn a_run_is_drawn_and_reported() {
    let folder = folder();
    let there = folder.path();
    let arguments = ["run", "pendulum", "--plot", "a.svg", "--report", "a.html", "--json"];
    let found = ran(there, &arguments).json();
    assert_eq!((&found["plot"], &found["report"]), (&json!("a.svg"), &json!("a.html")));
    let svg = text(there, "a.svg");
    for part in ["Energy error", "Residuals", "hidden constraints", "angle", "Snapshots until t = 1.04"] {
        assert!(svg.contains(part), "{part}");
    }
    let html = text(there, "a.html");
    for part in [
        "What was kept",
        "1.375e-4",
        "Hidden constraint rod",
        "cotangent run pendulum --plot a.svg --report a.html --json",
        "# A mass on a rigid rod",
        "H. C. Andersen",
        "Final state",
    ] {
        assert!(html.contains(part), "{part}");
    }
    assert!(html.len() < 1_500_000 && !html.contains(there.to_str().expect("UTF-8")));
    assert_eq!(ran(there, &["run", "pendulum", "--plot", "b.png"]).status, 0);
    assert!(std::fs::read(there.join("b.png")).expect("the file").starts_with(b"\x89PNG"));
    assert_eq!(std::fs::read_dir(there).expect("the folder").count(), 3, "nothing else is left");
}

#[test]
fn a_certificate_is_drawn_and_reported() {
    let folder = folder();
    let arguments = ["certify", "pendulum", "--steps", "2000", "--plot", "a.svg", "--report", "a.html", "--json"];
    let found = ran(folder.path(), &arguments).json();
    assert_eq!((&found["plot"], &found["report"]), (&json!("a.svg"), &json!("a.html")));
    assert!(text(folder.path(), "a.svg").contains("2000 steps to t = 20"));
    assert!(text(folder.path(), "a.html").contains("symplectic (defect of a step)"));
}

#[test]
fn every_shipped_model_that_runs_is_drawn_and_reported() {
    let folder = folder();
    for model in cotangent::models::all() {
        let arguments = ["run", model.name, "--steps", "30", "--plot", "a.svg", "--report", "a.html"];
        let ran = ran(folder.path(), &arguments);
        assert!(ran.status == 0 || ran.status == 2, "{}: {}", model.name, ran.stderr);
        if ran.status == 0 {
            let html = text(folder.path(), "a.html");
            assert!(html.contains("Motion") && html.len() < 1_500_000, "{}", model.name);
            assert!(!text(folder.path(), "a.svg").contains("NaN"), "{}", model.name);
        }
    }
}

#[test]
fn the_chain_moves_and_a_long_one_is_thinned() {
    let folder = folder();
    let there = folder.path();
    let found = ran(there, &["run", "chain", "--set", "n=50", "--report", "c.html", "--json"]).json();
    assert_eq!(found["report"], "c.html");
    let html = text(there, "c.html");
    assert!(html.contains("50 moving bodies and 50 rods") && html.len() < 1_500_000, "{}", html.len());
    let arguments = ["run", "chain", "--set", "n=10000", "--steps", "5", "--plot", "d.svg", "--report", "d.html"];
    assert_eq!(ran(there, &arguments).status, 0);
    assert!(text(there, "d.svg").contains("bar: one of 25 shown, 10000 in all"));
    assert!(text(there, "d.html").contains("400 moving bodies and 400 rods"));
}

/// The least and the greatest value of a series in the table of a report.
fn extremes(html: &str, series: &str) -> [f64; 2] {
    // Other tables come before those of the plots.
    let row = html.rsplit(&format!("<th scope=\"row\">{series}</th>")).next().expect("the series");
    let row = row.split("</tr>").next().expect("a row");
    let cells: Vec<&str> = row.split("<td class=\"right\">").skip(1).collect();
    [3, 4].map(|k| {
        let cell = cells[k].split('<').next().expect("a cell").replace('−', "-");
        cell.parse().unwrap_or_else(|_| panic!("{series}: {cell}"))
    })
}

const OSCILLATOR: &str =
    "coord x\nhamiltonian p_x^2/2 + x^2/2\ninitial x = 1, p_x = 0\nobserve x2 = x\nobserve slow = x^2 + p_x^2\n";

#[test]
fn a_motion_that_is_faster_than_the_samples_is_a_band() {
    let folder = folder();
    let there = folder.path();
    std::fs::write(there.join("o.cot"), OSCILLATOR).expect("written");
    let arguments = ["run", "o.cot", "--step", "0.2", "--until", "25000", "--plot", "a.svg", "--report", "a.html"];
    let shown = ran(there, &arguments).stdout;
    assert!(shown.contains("⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿  -1 to 1"), "{shown}");
    let (svg, html) = (text(there, "a.svg"), text(there, "a.html"));
    assert!(svg.contains("class=\"band") && svg.contains("ranges over"), "{svg:.300}");
    assert!(html.contains("\"mark\":\"band\"") && html.contains("Bands are ranges over"));
    let [low, high] = extremes(&html, "x2");
    assert!((low + 1.0).abs() < 1e-3 && (high - 1.0).abs() < 1e-3, "{low} {high}");
    // The curve has as many samples to a turn as it needs, and its title says where it ends.
    let until = html.split("Phase portrait until t = ").nth(1).expect("a title");
    let until: f64 = until.split('<').next().and_then(|t| t.parse().ok()).expect("a time");
    assert!((100.0..3000.0).contains(&until), "{until}");
    // With few steps nothing is hidden and everything is a line.
    let arguments = ["run", "o.cot", "--step", "0.2", "--until", "25", "--plot", "b.svg", "--report", "b.html"];
    assert_eq!(ran(there, &arguments).status, 0);
    assert!(!text(there, "b.svg").contains("class=\"band") && !text(there, "b.html").contains("\"mark\":\"band\""));
    assert!(!text(there, "b.html").contains("portrait until"));
}

#[test]
fn snapshots_and_paths_of_a_long_run_are_those_of_its_beginning() {
    let folder = folder();
    let there = folder.path();
    let arguments = ["run", "pendulum", "--step", "0.1", "--until", "12000", "--plot", "a.svg", "--report", "a.html"];
    assert_eq!(ran(there, &arguments).status, 0);
    assert!(text(there, "a.svg").contains("Snapshots until t = 1."));
    assert!(text(there, "a.html").contains("It is shown from t = 0 to "));
    assert_eq!(ran(there, &["run", "kepler", "--step", "0.05", "--until", "2000", "--plot", "b.svg"]).status, 0);
    let svg = text(there, "b.svg");
    assert!(svg.contains("Snapshots until t = 200") && !svg.contains("too far apart"), "{svg:.300}");
}

#[test]
fn the_extremes_that_are_drawn_are_those_of_the_table() {
    let folder = folder();
    let there = folder.path();
    let model = "coord x\nhamiltonian p_x^2/2\ninitial x = 0, p_x = 1\nobserve spike = exp(-(x-500.32)^2*1e3)\n";
    std::fs::write(there.join("p.cot"), model).expect("written");
    let ends = ["--step", "0.01", "--until", "1000", "--record", "1"];
    let files = ["--out", "a.csv", "--plot", "a.svg", "--report", "a.html"];
    let shown = ran(there, &[&["run", "p.cot"], &ends[..], &files[..]].concat()).stdout;
    let table = text(there, "a.csv");
    let column = table.lines().next().and_then(|l| l.split(',').position(|c| c == "spike")).expect("the column");
    let cell = |line: &str| line.split(',').nth(column).and_then(|c| c.parse::<f64>().ok()).expect("a number");
    let highest = table.lines().skip(1).map(cell).fold(f64::MIN, f64::max);
    let [low, high] = extremes(&text(there, "a.html"), "spike");
    assert!((0.0..1e-9).contains(&low) && (high - highest).abs() < 1e-5, "{low} {high} {highest}");
    assert!(highest > 0.99 && shown.contains("0 to 1"), "{shown}");
    let svg = text(there, "a.svg");
    assert!(svg.contains("class=\"band") && svg.contains(">1.0<"), "the axis reaches the peak");
}

#[test]
fn rods_and_vehicles_keep_their_shape() {
    let folder = folder();
    let arguments = ["run", "crane", "--plot", "a.svg", "--report", "a.html"];
    assert_eq!(ran(folder.path(), &arguments).status, 0);
    let svg = text(folder.path(), "a.svg");
    assert!(svg.contains("Snapshots") && !svg.contains("Snapshots (axes not to scale)"));
    let long = "coord x\ncoord y\nhamiltonian p_x^2/2 + p_y^2/2\ninitial x = 0, y = 0, p_x = 10, p_y = 0.01\n\
                draw vehicle car: (x, y, 0.3)\n";
    std::fs::write(folder.path().join("l.cot"), long).expect("written");
    let found = ran(folder.path(), &["run", "l.cot", "--step", "0.1", "--until", "50", "--plot", "l.svg"]);
    assert_eq!(found.status, 0, "{}", found.stderr);
    let svg = text(folder.path(), "l.svg");
    let title = svg.split("Snapshots").nth(1).and_then(|rest| rest.split('<').next()).expect("a title");
    assert!(!title.contains("not to scale"), "{title}");
}

#[cfg(unix)]
#[test]
fn files_that_are_one_are_refused() {
    let folder = folder();
    let there = folder.path();
    std::fs::write(there.join("m.svg"), OSCILLATOR).expect("written");
    std::os::unix::fs::symlink("b.html", there.join("a.svg")).expect("a link");
    for (arguments, said) in [
        (["run", "pendulum", "--plot", "a.svg", "--report", "b.html"], "--plot and --report are the same file"),
        (["run", "m.svg", "--plot", "m.svg", "--report", "b.html"], "--plot and the model are the same file"),
        (["certify", "m.svg", "--plot", "m.svg", "--report", "b.html"], "--plot and the model are the same file"),
    ] {
        let found = ran(there, &arguments);
        assert!(found.status == 2 && found.stderr.contains(said), "{}", found.stderr);
    }
    assert_eq!(text(there, "m.svg"), OSCILLATOR);
    // A link to nothing yet is one to a new file.
    assert_eq!(ran(there, &["run", "pendulum", "--plot", "a.svg"]).status, 0);
    assert!(text(there, "b.html").starts_with("<svg"));
}

#[test]
fn what_cannot_be_drawn_is_refused_before_the_run() {
    let folder = folder();
    let there = folder.path();
    std::fs::create_dir(there.join("folder.svg")).expect("a folder");
    let mut shown = String::new();
    for arguments in [
        &["run", "pendulum", "--plot", "a.pdf"][..],
        &["run", "pendulum", "--plot", "a"],
        &["run", "pendulum", "--plot", "nowhere/a.svg"],
        &["run", "pendulum", "--plot", "folder.svg"],
        &["run", "pendulum", "--plot", "a.svg", "--out", "a.svg"],
        &["run", "pendulum", "--report", "./a.html", "--out", "a.html"],
        &["run", "pendulum", "--report", "a.svg"],
        &["run", "pendulum", "--report", "nowhere/a.html"],
        &["run", "pendulum", "--plot", "a.svg", "--record", "0"],
        &["run", "pendulum", "--plot", "a.svg", "--report", "a.html", "--record", "0"],
        &["certify", "pendulum", "--plot", "a.pdf"],
        &["certify", "pendulum", "--report", "nowhere/a.html"],
    ] {
        shown += &format!("{}: {}", arguments.join(" "), ran(there, arguments).show());
    }
    assert_snapshot!(shown);
    assert_eq!(std::fs::read_dir(there).expect("the folder").count(), 1, "nothing is written");
}

#[test]
fn short_and_failed_runs_are_drawn_as_far_as_they_came() {
    let folder = folder();
    let there = folder.path();
    for steps in ["0", "1", "2"] {
        let arguments = ["run", "pendulum", "--steps", steps, "--plot", "a.svg", "--report", "a.html"];
        assert_eq!(ran(there, &arguments).status, 0, "{steps}");
        assert!(text(there, "a.svg").contains("Energy error"));
    }
    let arguments = [
        "run", "pendulum", "--set", "p_y=0", "--step", "0.8", "--until", "80", "--plot", "b.svg", "--report", "b.html",
    ];
    assert_eq!(ran(there, &arguments).status, 3);
    assert!(text(there, "b.svg").contains("failed after 6 steps"));
    assert!(text(there, "b.html").contains("The run ended early"));
    let wild = "coord q\nhamiltonian p_q^2/2 - q^6\ninitial q = 2\nobserve root = sqrt(-1 - q^2)\n\
                draw point at: (q, log(-1 - q^2))\nrun method = rk4, step = 1, until = 100\n";
    let arguments = ["run", "-", "--plot", "c.svg", "--report", "c.html"];
    let wild = run_in(there, &arguments, wild.as_bytes());
    assert_eq!(wild.status, 3, "{}", wild.stderr);
    assert!(wild.stdout.contains("no values") && text(there, "c.svg").contains("Energy error"));
}

/// Starts a run, kills it after a while and resumes it with a figure; what the second one did.
fn killed_and_resumed(folder: &Path, milliseconds: u64) -> Ran {
    let arguments = ["run", "chain", "--set", "n=20", "--until", "200", "--checkpoint", "0.02", "--out", "a.csv"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_cotangent"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    std::thread::sleep(Duration::from_millis(milliseconds));
    child.kill().expect("the program can be killed");
    child.wait().expect("the program ends");
    ran(folder, &["run", "--resume", "a.csv", "--plot", "a.svg"])
}

#[test]
fn a_resumed_run_says_where_its_pictures_begin() {
    // How far a run comes before it is killed depends on the machine.
    for milliseconds in [300, 150, 600, 75, 1200, 2400] {
        let folder = folder();
        let resumed = killed_and_resumed(folder.path(), milliseconds);
        if resumed.status == 0 && !resumed.stderr.contains("after 0 of") {
            let svg = text(folder.path(), "a.svg");
            assert!(svg.contains("resumed after") && svg.contains("what came before is not shown"), "{svg:.500}");
            return;
        }
    }
    panic!("no run could be killed between its start and its end");
}

#[test]
fn lines_of_the_summary_are_not_wider_than_72() {
    for model in ["pendulum", "chain", "kepler", "toda", "rigid-body", "n-body"] {
        let shown = run(&["run", model, "--steps", "500"]).stdout;
        let lines: Vec<&str> = shown.lines().filter(|l| l.contains(", log") || l.contains(" to ")).skip(1).collect();
        assert!(!lines.is_empty(), "{shown}");
        assert!(lines.iter().all(|l| l.chars().count() <= 72), "{shown}");
    }
    assert!(!run(&["run", "pendulum", "--record", "0", "--until", "1"]).stdout.contains("|H - H(0)|"));
}

#[test]
#[cfg(unix)]
#[allow(clippy::print_stderr)]
fn a_report_works_in_a_browser() {
    let Some(program) = devtools::find() else {
        eprintln!("skipped: no browser; run scripts/setup-browser or set COTANGENT_BROWSER");
        return;
    };
    let folder = folder();
    for (model, plots) in [("pendulum", 4), ("rigid-body", 3)] {
        assert_eq!(ran(folder.path(), &["run", model, "--report", "a.html"]).status, 0);
        let mut browser = devtools::Browser::start(&program);
        browser.open(&folder.path().join("a.html"));
        let check = browser.check();
        assert_eq!(check["failures"], json!([]));
        assert_eq!(check["plots"].as_array().map(Vec::len), Some(plots));
        for plot in check["plots"].as_array().into_iter().flatten() {
            if plot["title"].as_str().is_some_and(|title| title.starts_with("Phase portrait")) {
                // A unit is as long on both axes.
                let unit = |axis: &str, side: usize| {
                    let [a, b] = [0, 1].map(|k| plot["view"][axis][k].as_f64().expect("a number"));
                    (b - a) / plot["area"][side].as_f64().expect("a size")
                };
                assert!((unit("x", 0) / unit("y", 1) - 1.0).abs() < 1e-6, "{plot}");
            }
            for series in plot["series"].as_array().into_iter().flatten() {
                assert!(series["pixels"].as_u64() > Some(30), "{}: {series}", plot["title"]);
            }
        }
        assert_eq!(check["animations"][0]["moved"], json!(true), "{check}");
        assert_eq!(browser.errors, Vec::<String>::new());
    }
}

#[cfg(unix)]
#[test]
fn a_picture_that_cannot_be_written_does_not_take_the_numbers_along() {
    // A limit on the size of files, in blocks of 512 bytes.
    let script = "ulimit -f 20; exec \"$0\" \"$@\"";
    for (verb, numbers) in [("run", "energy"), ("certify", "order of convergence")] {
        let folder = folder();
        let found = Command::new("sh")
            .args(["-c", script, env!("CARGO_BIN_EXE_cotangent"), verb, "pendulum", "--report", "a.html"])
            .env("NO_COLOR", "1")
            .current_dir(folder.path())
            .output()
            .expect("a shell");
        let [stdout, stderr] = [found.stdout, found.stderr].map(|text| String::from_utf8(text).expect("UTF-8"));
        assert_eq!(found.status.code(), Some(2), "{stderr}");
        assert!(stdout.contains(numbers), "{stdout}");
        assert!(stderr.contains("a.html"), "{stderr}");
        assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 0, "nothing half written is left");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_is_drawn_up_to_its_last_step() {
    let folder = folder();
    let arguments = ["run", "pendulum", "--until", "1e9", "--plot", "a.svg", "--report", "a.html", "--json"];
    let child = Command::new(env!("CARGO_BIN_EXE_cotangent"))
        .args(arguments)
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    std::thread::sleep(Duration::from_millis(1500));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one document");
    assert_eq!(found["status"], "interrupted");
    let steps = found["steps"].as_u64().expect("a number");
    assert!(steps > 0 && text(folder.path(), "a.svg").contains("interrupted"), "{steps}");
    assert!(text(folder.path(), "a.html").contains("interrupted"));
}

#[test]
fn a_movie_of_the_four_bar_is_small_enough_for_a_slide() {
    let folder = folder();
    let found = ran(folder.path(), &["run", "four-bar", "--until", "5", "--movie", "bar.gif", "--json"]).json();
    assert_eq!(found["movie"], "bar.gif");
    let bytes = std::fs::read(folder.path().join("bar.gif")).expect("the file");
    assert!(bytes.starts_with(b"GIF89a") && bytes.len() < 1_000_000, "{} bytes", bytes.len());
    // Twenty frames a second, and that at the start: a block of control before each.
    let frames = bytes.windows(4).filter(|w| *w == [0x21, 0xf9, 4, 4] || *w == [0x21, 0xf9, 4, 5]).count();
    assert_eq!(frames, 101);
    let refused = ran(folder.path(), &["run", "henon-heiles", "--until", "1", "--movie", "a.mp4"]);
    assert_eq!((refused.status, refused.stderr.contains("must end in .gif")), (2, true), "{}", refused.stderr);
    let still = run_in(
        folder.path(),
        &["run", "-", "--movie", "a.gif"],
        b"coord q\nhamiltonian p_q^2/2\nrun step = 1, until = 5\n",
    );
    assert_eq!((still.status, still.stderr.contains("draws nothing")), (2, true), "{}", still.stderr);
}

#[test]
fn a_movie_that_ends_before_the_run_says_so() {
    let folder = folder();
    let movie = |until: &str| {
        let found = ran(folder.path(), &["run", "pendulum", "--until", until, "--movie", "a.gif", "--json"]).json();
        let notes = found["notes"].as_array().expect("notes").iter().filter_map(|n| n.as_str()).map(str::to_owned);
        notes.filter(|note| note.contains("movie")).collect::<Vec<_>>()
    };
    let said = movie("1000");
    assert!(
        said.len() == 1 && said[0].starts_with("the movie shows t = 0 to ") && said[0].contains(" of 1000, at "),
        "{said:?}"
    );
    assert_eq!(movie("6"), [""; 0]);
    assert_eq!(movie("0.01"), [""; 0]);
}

#[test]
fn members_with_two_indices_are_chosen_in_every_spelling() {
    let folder = folder();
    let text = "param n : int = 3\ncoord x[i in 1..2, j in 1..n]\nlagrangian sum(i in 1..2, j in 1..n, x[i, j]'^2/2)\n\
        constraint c[i in 1..2]: x[i, 1]^2 + x[i, 2]^2 = 1\nobserve dist[i in 2..n, j in 1..i-1] = x[1, i] - x[1, j]\n\
        initial x[1, 1] = 1, x[2, 2] = 1, x[1, 2]' = 1\nrun step = 0.1, until = 1\n";
    std::fs::write(folder.path().join("m.cot"), text).expect("written");
    let run = |more: &[&str]| ran(folder.path(), &[&["run", "m.cot", "--plot", "a.svg"], more].concat());
    for list in ["dist[3,1],x[2, 2]", "dist[3, 1], x[2; 2]", "dist[3;1],x[2,2]"] {
        let found = run(&["--quantities", list]);
        assert_eq!(found.status, 0, "{list}: {}", found.stderr);
        let svg = self::text(folder.path(), "a.svg");
        assert!(svg.contains(">dist[3, 1]<") && svg.contains(">x[2, 2]<") && !svg.contains(">dist[2, 1]<"), "{list}");
    }
    for chart in ["x[1, 2],x[2, 1],x[1,3],x[2; 3]", "x[1,2],x[2,1],x[1,3],x[2,3]"] {
        let found = run(&["--formulation", "local-chart", "--chart", chart]);
        assert_eq!(found.status, 0, "{chart}: {}", found.stderr);
    }
    let refused = run(&["--quantities", "dist[1,3]"]);
    assert!(refused.stderr.contains("the model has no `dist[1, 3]`"), "{}", refused.stderr);
}

#[test]
fn the_theory_of_families_with_several_indices_is_shown() {
    let folder = folder();
    let text = "param n : int = 3\ncoord x[i in 1..n, k in 1..2]\nlagrangian sum(i in 1..n, k in 1..2, x[i, k]'^2/2)\n\
        constraint d[i in 2..n, j in 1..i-1]: sum(k in 1..2, (x[i, k] - x[j, k])^2)/2 = 1/2\n\
        constraint e[i in 1..1, k in 1..2]: x[i, k] = k\n\
        initial x = ((1, 2), (2, 2), (3/2, 2 + sqrt(3)/2)), x' = ((0, 0), (0, 1), (-sqrt(3)/2, 1/2))\nrun step = 0.1, until = 1\n";
    std::fs::write(folder.path().join("m.cot"), text).expect("written");
    let found = ran(folder.path(), &["run", "m.cot", "--report", "a.html"]);
    assert_eq!(found.status, 0, "{}", found.stderr);
    let html = self::text(folder.path(), "a.html");
    for part in [
        "Momentum of x[i, j], i = 1, …, 3, j = 1, …, 2",
        "Hidden constraint d[i, j], i = 2, …, 3, j = 1, …, i - 1, in velocities",
        "Hidden constraint e[1, j], j = 1, …, 2, in velocities",
    ] {
        assert!(html.contains(part), "{part}");
    }
}

#[test]
fn sizes_and_colours_of_what_is_drawn_are_honoured() {
    let folder = folder();
    let svg = |looks: [&str; 4]| {
        let [trail, vehicle, rod, point] = looks;
        let text = format!(
            "coord x, y, a\nhamiltonian (p_x^2 + p_y^2 + p_a^2)/2 + (x^2 + y^2)/2\ninitial x = 1, p_y = 1, p_a = 1\n\
             draw trail path: (x, y){trail}\ndraw vehicle car: (-x, y, a){vehicle}\n\
             draw rod bar: (x, y) -- (x/2, -y/2){rod}\ndraw point mass: (x, y){point}\nrun step = 0.05, until = 6\n"
        );
        let found = run_in(folder.path(), &["run", "-", "--plot", "a.svg"], text.as_bytes());
        assert_eq!(found.status, 0, "{}", found.stderr);
        self::text(folder.path(), "a.svg")
    };
    let usual = svg(["", "", "", ""]);
    assert!(usual.contains("stroke-width=\"1.1\"") && !usual.contains("clip-path"));
    assert!(svg([" size 3", "", "", ""]).contains("stroke-width=\"3.3\""));
    assert_ne!(svg(["", " size 3", "", ""]), usual);
    // Joints of a red rod are red, and not those of the usual colour.
    let red = svg(["", "", " colour red", ""]);
    let joints = |svg: &str, paint: &str| svg.matches(&format!("stroke=\"{paint}\" stroke-width=\"4.8\"")).count();
    assert_eq!((joints(&usual, "#005a92"), joints(&usual, "#c62828")), (5, 0));
    assert_eq!((joints(&red, "#005a92"), joints(&red, "#c62828")), (0, 5));
    // What is large is cut off at the frame.
    assert!(svg(["", "", "", " size 10"]).contains("clip-path=\"url(#frame-"));
}

#[test]
fn quantities_are_chosen_by_name() {
    let folder = folder();
    let plot =
        |more: &[&str]| ran(folder.path(), &[&["run", "chain", "--until", "2", "--plot", "a.svg"], more].concat());
    assert_eq!(plot(&["--quantities", "x[2],p_y"]).status, 0);
    let svg = text(folder.path(), "a.svg");
    assert!(svg.contains(">x[2]<") && svg.contains(">p_y[10]<") && !svg.contains(">end_x<"));
    let refused = plot(&["--quantities", "x[2],end_z"]);
    assert_eq!(refused.status, 2);
    assert!(
        refused.stderr.contains("the model has no `end_z`") && refused.stderr.contains("did you mean `end_"),
        "{}",
        refused.stderr
    );
}

/// A particle that moves freely along x, swings along y, and has a small quantity and an angle to observe.
const MIXED: &str = "coord x, y
hamiltonian (p_x^2 + p_y^2)/2 + y^2/2
initial p_x = 1, y = 1
observe large = 1000*y, small = y/1000, angle = atan2(sin(3*x), cos(3*x))
run method = gauss, step = 0.01, until = 10
";

#[test]
fn series_of_other_sizes_have_panels_of_their_own_and_full_turns_are_gaps() {
    let folder = folder();
    let arguments = ["run", "-", "--plot", "a.svg", "--report", "a.html"];
    assert_eq!(run_in(folder.path(), &arguments, MIXED.as_bytes()).status, 0);
    let svg = text(folder.path(), "a.svg");
    // Energy, one for each of three sizes; and the portrait of y, since p_x is conserved.
    assert_eq!(svg.matches("class=\"panel\"").count(), 4 + 1 - 1 + usize::from(svg.contains("Phase portrait")));
    assert!(!svg.contains(">p_x<"), "no portrait of a conserved momentum");
    let html = text(folder.path(), "a.html");
    assert!(html.contains("p_y") && !html.contains("\"x, p_x\""));
    for name in ["large", "small", "angle"] {
        assert!(svg.contains(&format!(">{name}<")), "{name}");
    }
}

#[test]
fn a_report_begins_with_the_motion_and_says_how_fast_it_is_played() {
    let folder = folder();
    assert_eq!(ran(folder.path(), &["run", "double-pendulum", "--until", "100", "--report", "a.html"]).status, 0);
    let html = text(folder.path(), "a.html");
    let place = |part: &str| html.find(part).unwrap_or_else(|| panic!("{part}"));
    assert!(place("<figure class=\"animation\"") < place("<table"), "the motion comes first");
    assert!(html.contains("time units a second"));
    // From the model as it is written, and with no name that is not defined.
    for part in ["Lagrangian", "Momentum of", "in velocities"] {
        assert!(html.contains(part), "{part}");
    }
}

#[test]
fn a_certificate_draws_its_convergence() {
    let folder = folder();
    let arguments = ["certify", "pendulum", "--steps", "200", "--plot", "a.svg", "--report", "a.html"];
    assert_eq!(ran(folder.path(), &arguments).status, 0);
    let svg = text(folder.path(), "a.svg");
    assert!(svg.contains("Convergence, order 2 claimed") && svg.contains("step h"));
    assert!(text(folder.path(), "a.html").contains("Convergence"));
}

#[test]
fn atoms_are_told_apart_by_colour_and_size() {
    let folder = folder();
    let model = "coord x, y\nhamiltonian (p_x^2 + p_y^2 + x^2 + y^2)/2\ninitial x = 1, p_y = 1\n\
        draw point oxygen: (x, y) colour red size 2, hydrogen: (-x, -y)\nrun step = 0.1, until = 3\n";
    let arguments = ["run", "-", "--plot", "a.svg", "--report", "a.html"];
    assert_eq!(run_in(folder.path(), &arguments, model.as_bytes()).status, 0);
    assert!(text(folder.path(), "a.svg").contains("#c62828"));
    assert!(text(folder.path(), "a.html").contains("[\"red\",2.0]"));
}

#[test]
fn every_template_draws_something() {
    let folder = folder();
    for kind in ["hamiltonian", "lagrangian", "poisson", "vakonomic", "form"] {
        assert_eq!(ran(folder.path(), &["new", kind, "--kind", kind]).status, 0);
        let file = format!("{kind}.cot");
        let made = ran(folder.path(), &["run", &file, "--until", "1", "--report", "a.html"]);
        assert_eq!(made.status, 0, "{kind}: {}", made.stderr);
        assert!(text(folder.path(), "a.html").contains("<figure class=\"animation\""), "{kind}");
    }
}

/// Velocity constraints have no time derivative that would have to vanish; those on positions have.
#[test]
fn hidden_constraints_are_drawn_where_there_are_some() {
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path();
    for (model, hidden) in [("bicycle", false), ("pendulum", true)] {
        let arguments = ["run", model, "--step", "0.1", "--steps", "20", "--plot", "a.svg", "--report", "a.html"];
        assert_eq!(ran(there, &arguments).status, 0);
        let (svg, html) = (text(there, "a.svg"), text(there, "a.html"));
        assert!(svg.contains("Residuals") && html.contains("Residuals"), "{model}");
        assert_eq!(
            [svg.contains("hidden constraints"), html.contains("\"hidden constraints\"")],
            [hidden; 2],
            "{model}"
        );
    }
}

/// Long formulas of a report are broken, and each is set.
#[test]
fn long_formulas_of_a_report_have_several_lines() {
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path();
    assert_eq!(ran(there, &["run", "four-bar", "--steps", "5", "--report", "a.html"]).status, 0);
    let html = text(there, "a.html");
    let derivation = html.split("From the text of the model").nth(1).expect("a derivation");
    assert!(derivation.contains("<mtable") && !derivation.contains("class=\"latex\""), "{derivation:.3000}");
}
