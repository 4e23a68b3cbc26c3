//! What the program computes for every shipped model with every formulation and every method, as it was written
//! down in `tests/golden`: states, energies, work, notes and refusals. A change of the program's inside leaves it
//! as it is.
//!
//! Numbers may differ as elementary functions do between machines; `GOLDEN=exact` allows no difference, and
//! `GOLDEN=write` writes the files anew (`scripts/golden`).

mod common;

use common::run;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;

/// The relative difference that is none between machines.
const NOISE: f64 = 1e-6;

/// Entries of a state that are written down one by one; of the others, the sum.
const SHOWN: usize = 6;

/// What is measured in time, said by the command already, or a matter of round-off.
const LEFT_OUT: [&str; 13] = [
    "format",
    "model",
    "method",
    "formulation",
    "project",
    "step",
    "record",
    "out",
    "seconds",
    "native",
    "help",
    "all",
    "worst",
];

/// What a run begins with.
const SAID_BY_CHECK: [&str; 2] = ["parameters", "initial"];

/// What follows from the state: looked at in the runs without options alone.
const FOLLOWS: [&str; 2] = ["constraints", "hidden_constraints"];

/// What there is to choose from.
struct Names {
    methods: Vec<String>,
    formulations: Vec<String>,
    compositions: Vec<String>,
}

impl Names {
    fn listed() -> Names {
        let list = |verb: &str| run(&[verb, "--json"]).json();
        let names = |list: &Value| -> Vec<String> {
            let list = list.as_array().expect("a list");
            list.iter().map(|one| one["name"].as_str().expect("a name").to_owned()).collect()
        };
        let (methods, formulations) = (list("methods"), list("formulations"));
        Names {
            methods: names(&methods["methods"]),
            formulations: names(&formulations["formulations"]),
            compositions: names(&methods["compositions"]),
        }
    }
}

/// What a command says, without what changes from run to run.
fn outcome(model: &str, command: &str) -> String {
    let mut words = command.split(' ');
    let verb = words.next().expect("a verb");
    let arguments: Vec<&str> = [verb, model, "--json"].into_iter().chain(words).collect();
    let ran = run(&arguments);
    let mut document = ran.json();
    if let Value::Object(entries) = &mut document {
        entries.retain(|key, _| !SAID_BY_CHECK.contains(&key.as_str()));
    }
    shorten(&mut document);
    if let (true, Value::Object(entries)) = (command.contains(" --method "), &mut document) {
        entries.retain(|key, _| !FOLLOWS.contains(&key.as_str()));
    }
    format!("{} {document}", ran.status)
}

/// Takes out what is left out, and the many entries of a large state.
fn shorten(value: &mut Value) {
    match value {
        Value::Object(entries) => {
            entries.retain(|key, entry| !LEFT_OUT.contains(&key.as_str()) && !is_empty(entry));
            entries.values_mut().for_each(shorten);
            if entries.len() > SHOWN && entries.values().all(Value::is_number) {
                let rest: Vec<String> = entries.keys().skip(SHOWN).cloned().collect();
                let number = |key| entries.remove(key).and_then(|v: Value| v.as_f64());
                let sum: f64 = rest.iter().filter_map(number).sum();
                entries.insert("the sum of the others".into(), json!(sum));
            }
        }
        Value::Array(entries) => entries.iter_mut().for_each(shorten),
        _ => {}
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(entries) => entries.is_empty(),
        Value::Array(entries) => entries.is_empty(),
        _ => false,
    }
}

/// Every command for a model, without its name, and what it does.
///
/// A formulation with which two methods do what they do with an earlier one, or are refused for one reason, is the same
/// or refused with the others too: these two alone are looked at.
fn outcomes(model: &str) -> Vec<(String, String)> {
    let Names { methods, formulations, compositions } = Names::listed();
    let does = |command: String| {
        let outcome = outcome(model, &command);
        (command, outcome)
    };
    let first = ["check", "analyze", "run", "certify", "compare --until 0.5"];
    let mut all: Vec<(String, String)> = first.into_iter().map(|command| does(command.into())).collect();
    let mut seen: Vec<[String; 2]> = vec![];
    for formulation in formulations {
        let command = |method: &str| format!("run --formulation {formulation} --method {method} --steps 8");
        let probes = ["rk4", "gauss"].map(|method| does(command(method)));
        let looked = probes.each_ref().map(|(_, outcome)| outcome.clone());
        let is_refused = looked[0] == looked[1] && looked[0].starts_with('2');
        let is_known = is_refused || seen.contains(&looked);
        all.extend(probes);
        seen.push(looked);
        if !is_known {
            let others = methods.iter().filter(|method| !["rk4", "gauss"].contains(&method.as_str()));
            all.extend(others.map(|method| does(command(method))));
        }
    }
    all.extend(compositions.iter().map(|composition| does(format!("run --compose {composition} --steps 2"))));
    for projection in ["position", "momentum", "both", "symmetric"] {
        all.push(does(format!("run --method rk4 --formulation standard --project {projection} --steps 8")));
    }
    all
}

/// The commands, and after those that do the same what they do.
fn text(outcomes: Vec<(String, String)>) -> String {
    let mut groups: Vec<(Vec<String>, String)> = vec![];
    for (command, outcome) in outcomes {
        match groups.iter_mut().find(|(_, known)| *known == outcome) {
            Some((commands, _)) => commands.push(command),
            None => groups.push((vec![command], outcome)),
        }
    }
    groups.iter().fold(String::new(), |mut text, (commands, outcome)| {
        let _ = writeln!(text, "{}\n    {outcome}", commands.join("\n"));
        text
    })
}

/// What a file of `golden` says, command by command.
fn read(text: &str) -> Vec<(&str, &str)> {
    let mut read = vec![];
    let mut open = vec![];
    for line in text.lines() {
        match line.strip_prefix("    ") {
            Some(outcome) => read.extend(open.drain(..).map(|command| (command, outcome))),
            None => open.push(line),
        }
    }
    read
}

/// Whether two outcomes differ by no more than elementary functions do: the work may, by an update.
fn agree(a: &str, b: &str) -> bool {
    let parts = |text: &str| -> (String, Value) {
        let (status, document) = text.split_once(' ').expect("a status");
        (status.to_owned(), serde_json::from_str(document).expect("a document"))
    };
    let ((a, first), (b, second)) = (parts(a), parts(b));
    a == b && alike(&first, &second)
}

fn alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
            (a - b).abs() <= NOISE * a.abs().max(1.0)
        }
        (Value::Object(a), Value::Object(b)) => {
            let same = |(key, value): (&String, &Value)| key == "work" || b.get(key).is_some_and(|b| alike(value, b));
            a.len() == b.len() && a.iter().all(same)
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        _ => a == b,
    }
}

/// What judges by round-off, and may judge otherwise on another machine: its status alone is compared.
fn is_judged(command: &str) -> bool {
    command == "certify" || command.starts_with("compare")
}

fn check(model: &str) {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{model}.txt"));
    let now = outcomes(model);
    let wanted = std::env::var("GOLDEN").unwrap_or_default();
    if wanted == "write" {
        std::fs::write(&file, text(now)).expect("the file is written");
        return;
    }
    let kept = std::fs::read_to_string(&file).expect("the file of this model");
    let kept = read(&kept);
    for (command, now) in &now {
        let Some((_, kept)) = kept.iter().find(|(c, _)| c == command) else { panic!("{model}: `{command}` is new") };
        let fine = match wanted.as_str() {
            "exact" => kept == now,
            _ if is_judged(command) => kept[..1] == now[..1],
            _ => agree(kept, now),
        };
        assert!(fine, "{model}: {command}\nwas {kept}\nis  {now}");
    }
    assert_eq!(kept.len(), now.len(), "{model}: commands are no longer run");
}

macro_rules! models {
    ($($function:ident $name:literal)*) => {
        $(#[test]
        fn $function() {
            check($name);
        })*

        #[test]
        fn every_shipped_model_is_here() {
            let shipped: Vec<&str> = cotangent::models::all().iter().map(|m| m.name).collect();
            assert_eq!(shipped, [$($name),*]);
        }
    };
}

models! {
    bicycle "bicycle"
    burgers "burgers"
    cawley "cawley"
    chain "chain"
    charged_bead "charged-bead"
    christ_lee "christ-lee"
    crane "crane"
    double_pendulum "double-pendulum"
    eccentric_kepler "eccentric-kepler"
    einbein "einbein"
    four_bar "four-bar"
    four_bar_angles "four-bar-angles"
    heavy_top "heavy-top"
    heisenberg "heisenberg"
    heisenberg_form "heisenberg-form"
    heisenberg_sphere "heisenberg-sphere"
    henon_heiles "henon-heiles"
    kepler "kepler"
    landau "landau"
    lorenz_86 "lorenz-86"
    lorenz_86_balanced "lorenz-86-balanced"
    lotka_volterra "lotka-volterra"
    lotka_volterra_3 "lotka-volterra-3"
    n_body "n-body"
    pendulum "pendulum"
    rigid_body "rigid-body"
    rigid_body_4 "rigid-body-4"
    skate "skate"
    spatial_four_bar "spatial-four-bar"
    sphere_vortices "sphere-vortices"
    spherical_pendulum "spherical-pendulum"
    toda "toda"
    tree "tree"
    volterra_lattice "volterra-lattice"
    water "water"
    zabusky_kruskal "zabusky-kruskal"
}
