//! `reproduce`: the experiments of papers, made again. All of them take about 20 s; here are those that take seconds.

mod common;
#[cfg(unix)]
#[allow(dead_code)]
#[path = "../../report/tests/devtools/mod.rs"]
mod devtools;
#[allow(dead_code)]
mod pages;

use common::{run, run_in};
use cotangent::experiments;
use cotangent::lab::measure::FUNCTIONS;
use cotangent::verbs::reproduce::data::Experiment;
use cotangent::verbs::reproduce::{Library, Request};
use cotangent::verbs::{Session, Status};
use pages::{read, root};
use serde_json::Value;
use std::path::Path;

/// Experiments that take seconds together.
const QUICK: [&str; 5] =
    ["leimkuhler-reich/fig-4", "seiler/eigenvalues", "mclachlan/fig-3", "mclachlan/fig-4", "mclachlan/fig-7"];

fn library() -> Library {
    experiments::library().expect("the experiments are without mistakes")
}

/// About how many steps an experiment takes.
fn work(experiment: &Experiment) -> f64 {
    let steps = |r: &cotangent::verbs::reproduce::data::Planned| {
        let stated = r.steps.map(|n| n as f64).or_else(|| Some(r.until? / r.step?));
        stated.unwrap_or(1e5)
    };
    experiment.run.iter().map(steps).sum()
}

#[test]
fn every_file_under_experiments_is_part_of_the_program() {
    let (shipped, on_disk) = (library(), experiments::read(&root().join("experiments")).expect("the folder is read"));
    let ids = |library: &Library| library.experiments.iter().map(|e| e.id.clone()).collect::<Vec<String>>();
    assert_eq!(ids(&shipped), ids(&on_disk));
    for experiment in &shipped.experiments {
        assert!(!experiment.claim.is_empty() && !experiment.panel.is_empty(), "{}", experiment.id);
        assert!(shipped.paper(experiment).is_some());
    }
    let claims: usize = shipped.experiments.iter().map(|e| e.claim.len()).sum();
    assert!(claims >= 60, "{claims}");
}

#[test]
fn quick_experiments_are_those_of_their_references() {
    let request = Request { wanted: QUICK.map(String::from).to_vec(), ..Request::default() };
    let document = request.answer(&library(), &mut Session::default()).expect("they are known");
    assert_eq!(document.status(), Status::Held, "{}", document.text(false));
    assert_eq!(document.experiments.len(), QUICK.len());
    // The book has the same tables, but for last digits of what is round-off.
    let book = read("docs/src/papers.md");
    let page = document.markdown();
    let rows = |text: &str| -> Vec<Vec<String>> {
        let tables = text.lines().filter(|line| line.starts_with("| "));
        tables.map(|line| line.replace("\\|", "¦").split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
    };
    let in_book = rows(&book);
    for row in rows(&page) {
        let is_same = |other: &&Vec<String>| {
            other.len() == row.len() && other.iter().zip(&row).enumerate().all(|(k, (a, b))| a == b || k == 4)
        };
        let found = in_book.iter().find(is_same).unwrap_or_else(|| panic!("the book has no row {row:?}"));
        if let (Some(Ok(a)), Some(Ok(b))) =
            (found.get(4).map(|c| c.parse::<f64>()), row.get(4).map(|c| c.parse::<f64>()))
        {
            assert!((a - b).abs() <= 1e-4 * b.abs() || a.abs().max(b.abs()) < 1e-8, "{found:?} and {row:?}");
        }
    }
}

#[test]
fn the_book_has_every_claim_and_every_erratum() {
    let book = read("docs/src/papers.md");
    let cell = |text: &str| text.replace('|', "\\|").replace('*', "\\*");
    for experiment in library().experiments {
        assert!(book.contains(&format!("### {}: {}", experiment.id, experiment.title)), "{}", experiment.id);
        for claim in experiment.claim {
            let row = format!("| {} | {} |", cell(&claim.claim), cell(&claim.r#where));
            assert!(book.contains(&row), "{}: {row}", experiment.id);
        }
    }
    for erratum in library().papers.iter().flat_map(|paper| &paper.erratum) {
        let row = [&erratum.r#where, &erratum.printed, &erratum.correct].map(|text| cell(text)).join(" | ");
        assert!(book.contains(&row), "{row}");
    }
    let functions = read("docs/src/reproduce.md");
    for f in FUNCTIONS {
        let row = format!("| `{}({})` | {} |", f.name, f.arguments, cell(f.summary));
        assert!(functions.contains(&row), "{row}");
    }
}

#[test]
fn the_list_has_every_paper() {
    let ran = run(&["reproduce"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    let json = run(&["reproduce", "--json"]).json();
    let listed = json["papers"].as_array().expect("papers");
    assert_eq!(listed.len(), library().papers.len());
    for paper in listed {
        assert!(ran.stdout.contains(paper["key"].as_str().expect("a key")));
    }
}

#[test]
fn what_is_unknown_is_refused_with_the_nearest_first() {
    let ran = run(&["reproduce", "seiler/fig1"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("there is no paper and no experiment `seiler/fig1`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("the nearest first: seiler/fig-1, "), "{}", ran.stderr);
    assert_eq!(run(&["reproduce", "nonsense", "--json"]).json()["error"]["code"], "unknown-experiment");
    for (word, first) in [
        ("leimkuhler", "leimkuhler-reich"),
        ("tyranowski/fig-1x", "tyranowski/fig-1"),
        ("mclachlan/fig-9", "mclachlan/fig-8-11"),
        ("mclachlan/fig-10", "mclachlan/fig-8-11"),
        ("fig-10", "tyranowski/fig-10"),
        ("balk/fig-3", "balk/fig-3-1"),
    ] {
        let ran = run(&["reproduce", word]);
        assert!(ran.stderr.contains(&format!("the nearest first: {first}, ")), "{word}: {}", ran.stderr);
    }
}

#[test]
fn a_folder_without_papers_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    paper(folder.path(), "reference = { at_most = -1 }");
    std::fs::create_dir_all(folder.path().join("empty")).expect("a folder");
    for (place, help) in [("empty", "a folder for each paper"), ("papers/mine", "give the one above it")] {
        for words in [&["reproduce", "--folder", place][..], &["reproduce", "all", "--folder", place]] {
            let ran = run_in(folder.path(), words, b"");
            assert_eq!((ran.status, ran.stdout.as_str()), (2, ""));
            let said = format!("there is no folder with a file `paper.toml` in `{place}`");
            assert!(ran.stderr.contains(&said) && ran.stderr.contains(help), "{}", ran.stderr);
        }
    }
    std::fs::remove_file(folder.path().join("papers/mine/one.toml")).expect("the file");
    let ran = run_in(folder.path(), &["reproduce", "all", "--folder", "papers"], b"");
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("the paper `mine`: it has no experiments"), "{}", ran.stderr);
}

#[test]
fn a_file_that_is_no_text_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    paper(folder.path(), "reference = { at_most = -1 }");
    let own = Path::new("papers").join("mine").join("stone.cot");
    std::fs::write(folder.path().join(&own), b"coord \xff").expect("a file");
    let ran = run_in(folder.path(), &["reproduce", "--folder", "papers"], b"");
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains(&format!("`{}`", own.display())), "{}", ran.stderr);
}

#[test]
fn pages_are_written_of_something() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = run_in(folder.path(), &["reproduce", "--out", "pages"], b"");
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("WHAT"), "{}", ran.stderr);
}

/// A paper with one experiment.
fn paper(folder: &Path, claim: &str) {
    let own = folder.join("papers/mine");
    std::fs::create_dir_all(&own).expect("a folder");
    let about = "authors = \"A\"\ntitle = \"T\"\npublished = \"P\"\nabout = \"B\"\n";
    std::fs::write(own.join("paper.toml"), about).expect("a file");
    let experiment = format!(
        "title = \"Fall\"\nabout = \"A stone.\"\n[[run]]\nname = \"fall\"\nmodel = \"stone\"\nmethod = \"rk4\"\nstep = 0.1\nuntil = 2\n\
         [[claim]]\nclaim = \"height\"\nwhere = \"Fig. 1\"\nmeasure = \"last(fall.z)\"\n{claim}\n"
    );
    std::fs::write(own.join("one.toml"), experiment).expect("a file");
    std::fs::write(own.join("stone.cot"), "coord z\nhamiltonian p_z^2/2 + z\n").expect("a file");
}

#[test]
fn the_verdict_is_about_the_paper_and_the_status_about_the_reference() {
    for (claim, verdict, held, status) in [
        ("paper = { value = -2, within = 0.01 }\nreference = { value = -2, within = 1e-9 }", "reproduced", true, 0),
        ("paper = { value = -3, within = 0.01 }\nreference = { value = -2, within = 1e-9 }", "differs", true, 0),
        ("reference = { at_most = -1 }", "not stated", true, 0),
        (
            "paper = { at_most = 0, says = \"down\" }\nreference = { value = -3, within = \"1%\" }",
            "reproduced",
            false,
            1,
        ),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        paper(folder.path(), claim);
        let ran = run_in(folder.path(), &["reproduce", "mine/one", "--folder", "papers", "--json"], b"");
        let json = ran.json();
        let found = &json["experiments"][0]["claims"][0];
        assert_eq!((found["verdict"].as_str(), found["reference"]["held"].as_bool()), (Some(verdict), Some(held)));
        assert!((found["measured"].as_f64().expect("a number") + 2.0).abs() < 1e-12, "{found}");
        assert_eq!(ran.status, status, "{claim}");
        for key in ["claim", "where", "paper", "tolerance", "measure"] {
            assert!(found.get(key).is_some(), "{key}");
        }
    }
}

/// Puts something else into the experiment.
fn edit(folder: &Path, from: &str, to: &str) {
    let file = folder.join("papers/mine/one.toml");
    let text = std::fs::read_to_string(&file).expect("the file");
    assert!(text.contains(from));
    std::fs::write(&file, text.replace(from, to)).expect("the file");
}

/// The experiment is refused with these words.
fn refused(folder: &Path, said: &str) {
    let ran = run_in(folder, &["reproduce", "mine", "--folder", "papers"], b"");
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{said}");
    assert!(ran.stderr.contains(said) && ran.stderr.contains("mine/one"), "{said}: {}", ran.stderr);
    assert!(!ran.stderr.contains("\\n"), "{}", ran.stderr);
}

#[test]
fn mistakes_in_experiments_are_named() {
    for (claim, said) in [
        ("reference = { value = 1 }", "a `value` needs `within`"),
        ("reference = { at_most = 1 }\nnotes = \"x\"", "unknown field `notes`"),
        (
            "reference = { at_most = 1 }\n[[panel]]\nx = \"a\"\ny = \"b\"\ncurve = [{ x = \"run.time\", y = \"1\" }]",
            "there is no run `run`",
        ),
        ("reference = { at_most = 1 }\n[[claim]]\nclaim = \"x\"\nwhere = \"y\"\n", "line 14: missing field `measure`"),
        ("reference = { at_most = 1 }\n[[run]]\nname = \"x\"\n", "line 14: missing field `model`"),
        ("reference = { at_most = 1 }\n[[claim]\n", "line 14: "),
        ("reference = { at_most = }", "line 13: "),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        paper(folder.path(), claim);
        refused(folder.path(), said);
    }
    let deep = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
    for (from, to, said) in [
        ("until = 2", "until = 2\nsteps = 20", "the run `fall`: it has both `until` and `steps`"),
        ("[[run]]", "[common]\nsteps = 20\n[[run]]", "the run `fall`: it has both `until` and `steps`"),
        ("\"stone\"", "\"pendulun\"", "there is no model `pendulun`; did you mean `pendulum`?"),
        ("\"stone\"", "\"ston\"", "there is no model `ston`; did you mean `stone`?"),
        ("last(fall.z)", "lastt(fall.z)", "there is no measurement `lastt`; did you mean `last`?"),
        ("last(fall.z)", "last(fal.z)", "there is no run `fal`; did you mean `fall`?"),
        ("last(fall.z)", &deep, "the expression is 200001 characters long"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        paper(folder.path(), "reference = { at_most = 1 }");
        edit(folder.path(), from, to);
        refused(folder.path(), said);
    }
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(run_in(folder.path(), &["reproduce", "all", "--folder", "no"], b"").status, 2);
}

#[test]
fn a_run_that_is_refused_leaves_its_reference() {
    let folder = tempfile::tempdir().expect("a folder");
    let panel = "[[panel]]\nx = \"t\"\ny = \"z\"\ncurve = [{ x = \"fall.time\", y = \"fall.z\" }]";
    paper(
        folder.path(),
        &format!("paper = {{ at_most = 0, says = \"down\" }}\nreference = {{ at_most = 1 }}\n{panel}"),
    );
    edit(folder.path(), "rk4", "no-such-method");
    let ran = run_in(folder.path(), &["reproduce", "mine", "--folder", "papers", "--json", "--out", "pages"], b"");
    let json = ran.json();
    let claim = &json["experiments"][0]["claims"][0];
    assert_eq!((ran.status, &claim["measured"], claim["reference"]["held"].as_bool()), (1, &Value::Null, Some(false)));
    assert!(claim["reason"].as_str().is_some_and(|why| why.contains("no-such-method")), "{claim}");
    // The page is written, without the picture.
    assert_eq!((claim["verdict"].as_str(), ran.stderr.as_str()), (Some("not measured"), ""));
    assert!(folder.path().join("pages/mine.html").exists() && !folder.path().join("pages/mine/one.svg").exists());
}

#[test]
fn a_curve_that_cannot_be_drawn_is_said_with_its_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let panels = "[[panel]]\ntitle = \"Height\"\nx = \"t\"\ny = \"z\"\ncurve = [{ name = \"a\", x = \"fall.time\", y = \"fall.z\" }, \
                  { name = \"b\", x = \"fall.time\", y = \"fall.height\" }, { name = \"c\", x = \"fall.time\", y = \"1\" }]\n\
                  [[panel]]\ntitle = \"Nothing\"\nx = \"t\"\ny = \"z\"\n\
                  curve = [{ x = \"part(fall.z, fall.time, 5, 6)\", y = \"part(fall.z, fall.time, 5, 6)\" }]";
    paper(folder.path(), &format!("reference = {{ at_most = -1 }}\n{panels}"));
    let words = ["reproduce", "mine", "--folder", "papers", "--out", "pages"];
    let (text, ran) =
        (run_in(folder.path(), &words, b""), run_in(folder.path(), &[&words[..], &["--json"]].concat(), b""));
    assert_eq!((text.status, ran.status), (1, 1));
    let page = std::fs::read_to_string(folder.path().join("pages/mine.html")).expect("a page");
    let undrawn = ran.json()["experiments"][0]["undrawn"].clone();
    for (k, (panel, curve, reason)) in [
        ("Height", "b", "the run `fall` has no column `height`"),
        ("Height", "c", "`fall.time` is 21 values, and `1` is 1"),
        ("Nothing", "", "`part(fall.z, fall.time, 5, 6)` has no values"),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!((&undrawn[k]["panel"], &undrawn[k]["curve"]), (&panel.into(), &curve.into()));
        assert!(undrawn[k]["reason"].as_str().is_some_and(|why| why.starts_with(reason)), "{undrawn}");
        let said =
            if curve.is_empty() { format!("NOT drawn: {panel}: ") } else { format!("NOT drawn: {panel}, {curve}: ") };
        assert!(text.stdout.contains(&said) && page.contains(&said), "{}", text.stdout);
    }
    assert!(text.stdout.contains("; 3 curves not drawn"), "{}", text.stdout);
    assert!(folder.path().join("pages/mine/one.svg").exists());
}

#[cfg(unix)]
#[test]
fn an_interrupt_is_heard() {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_cotangent"))
        .args(["reproduce", "seiler", "--json"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    std::thread::sleep(std::time::Duration::from_millis(700));
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    let status = child.wait().expect("the program ends");
    assert_eq!(status.code(), Some(3));
}

/// Each paper's page, with its quickest experiment.
#[test]
#[cfg(unix)]
#[allow(clippy::print_stderr)]
fn pages_of_papers_work_in_a_browser() {
    let Some(program) = devtools::find() else {
        eprintln!("skipped: no browser; run scripts/setup-browser or set COTANGENT_BROWSER");
        return;
    };
    let (library, folder) = (library(), tempfile::tempdir().expect("a folder"));
    for paper in &library.papers {
        let own = library.experiments.iter().filter(|e| e.paper() == paper.key);
        let quickest = own.min_by(|a, b| work(a).total_cmp(&work(b))).expect("a paper has experiments");
        let request =
            Request { wanted: vec![quickest.id.clone()], out: Some(folder.path().to_owned()), ..Request::default() };
        let document = request.answer(&library, &mut Session::default()).expect("it is known");
        assert!(document.unwritten.is_empty(), "{:?}", document.unwritten);
        let mut browser = devtools::Browser::start(&program);
        browser.open(&folder.path().join(&paper.key).with_extension("html"));
        let check = browser.check();
        assert_eq!(check["failures"], serde_json::json!([]), "{}", paper.key);
        assert_eq!(check["plots"].as_array().map(Vec::len), Some(quickest.panel.len()), "{}", paper.key);
        assert_eq!(browser.errors, Vec::<String>::new(), "{}", paper.key);
        let picture = folder.path().join(&quickest.id).with_extension("svg");
        assert!(std::fs::read_to_string(picture).is_ok_and(|svg| svg.contains("<svg")));
    }
}
