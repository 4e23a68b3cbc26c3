//! Documents are data: what is written as JSON is read back, and prints the same.

use cotangent_integrate::{Composition, Method, Projection, Target};
use cotangent_theory::Formulation;
use cotangent_verbs::{
    Choice, Class, Code, ConstraintKind, Ending, Failure, Files, GivenAs, ModelKind, Session, Status, Watch, analyze,
    certify, check, compare, run,
};

/// A chain of three links, from its text, without a title.
const CHAIN: &str = "
param n : int = 3
coord x[i in 1..n], y[i in 1..n]
boundary x[0] = 0, y[0] = 0
hamiltonian sum(i in 1..n, (p_x[i]^2 + p_y[i]^2)/2 + y[i])
constraint link[i in 1..n]: ((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1)/2 = 0
initial x[i in 1..n] = i
observe height[i in 1..n] = y[i]
run method = rattle, step = 0.05, until = 1
";

const PENDULUM: &str = "
coord x, y
hamiltonian (p_x^2 + p_y^2)/2 + y
constraint rod: (x^2 + y^2 - 1)/2 = 0
initial x = 1, p_y = -2
run method = rattle, step = 0.1, until = 2
";

#[test]
fn a_run_that_is_read_back_prints_the_same() {
    let request = run::Request { watch: Watch::Nothing, ..run::Request::default() };
    let made = request.answer(Some(CHAIN.into()), &mut Session::default()).expect("a run");
    let json = serde_json::to_string(&made).expect("JSON");
    let read: run::Document = serde_json::from_str(&json).expect("a document");
    assert_eq!(read.text(false), made.text(false));
    assert!(made.text(false).contains("x[1..3] = ("), "{}", made.text(false));
    assert_eq!(serde_json::to_string(&read).expect("JSON"), json);
}

#[test]
fn a_run_that_ended_early_is_read_back_with_its_reason() {
    // No step of this size reaches the rod again.
    let made = run(PENDULUM, &Choice::default().step(3.0).steps(100)).expect("a document");
    assert_eq!((made.status, made.status()), (Ending::Failed, Status::Stopped));
    let read: run::Document = serde_json::from_str(&serde_json::to_string(&made).expect("JSON")).expect("a document");
    let (made, read) = (made.failure.expect("a reason"), read.failure.expect("a reason"));
    assert_eq!((read.code, read.message, read.step), (Code::NotConverged, made.message, 1));
    assert_eq!(read.constraints, ["rod"]);
}

#[test]
fn a_certificate_and_a_row_that_ended_early_say_why_as_a_run_does() {
    let wild = Choice::default().step(3.0).steps(100);
    let ran = run(PENDULUM, &wild).expect("a document").failure.expect("a reason");
    let made = certify(PENDULUM, &wild).expect("a document");
    let read: certify::Document =
        serde_json::from_str(&serde_json::to_string(&made).expect("JSON")).expect("a document");
    let stop = read.failure.clone().expect("a reason");
    assert_eq!((stop.code, &stop.constraints), (ran.code, &ran.constraints));
    // Only a run has a tolerance to choose.
    assert_eq!(format!("{}; --solver-tol asks for less than round-off", stop.advice), ran.advice);
    assert_eq!((stop.step, stop.time, read.status()), (1, 0.0, Status::Stopped));
    let made = compare(PENDULUM, &Choice::default().step(3.0).until(300.0)).expect("a document");
    let read: compare::Document =
        serde_json::from_str(&serde_json::to_string(&made).expect("JSON")).expect("a document");
    let row = read.rows.iter().find(|row| row.choice.method.as_deref() == Some("rattle")).expect("a row");
    let stop = row.failure.clone().expect("a reason");
    assert_eq!((stop.code, &stop.constraints), (ran.code, &ran.constraints));
    // Only a run has a tolerance to choose.
    assert_eq!(format!("{}; --solver-tol asks for less than round-off", stop.advice), ran.advice);
    assert_eq!((stop.step, stop.time), (1, 0.0));
}

#[test]
fn what_does_not_fit_or_is_not_decided_has_a_code() {
    let request = compare::Request { methods: vec!["rattle".into(), "rk4".into()], ..compare::Request::default() };
    let made = request.answer(PENDULUM.into(), &mut Session::default()).expect("a comparison");
    let codes: Vec<Code> = made.skipped.iter().map(|skipped| skipped.reason.code).collect();
    assert!(codes.contains(&Code::UnknownMultipliers) && codes.contains(&Code::NotCanonical), "{:?}", made.skipped);
    let free = "coord x\nhamiltonian (p_x^2 + x^2)/2\ninitial x = 1\nrun step = 0.1, until = 1\n";
    let made = certify(free, &Choice::default().steps(100)).expect("a certificate");
    assert_eq!(made.constraint_defect.reason.expect("a reason").code, Code::Absent);
}

#[test]
fn a_certificate_that_is_read_back_prints_the_same() {
    let made = certify(PENDULUM, &Choice::default()).expect("a certificate");
    let json = serde_json::to_string(&made).expect("JSON");
    let read: certify::Document = serde_json::from_str(&json).expect("a document");
    assert_eq!(read.text(false), made.text(false));
    assert_eq!((read.status(), read.held), (Status::Held, Some(true)));
}

#[test]
fn a_comparison_that_is_read_back_prints_the_same() {
    let request = compare::Request {
        formulations: ["multipliers", "standard", "dirac"].map(str::to_owned).into(),
        projections: ["none", "momentum"].map(str::to_owned).into(),
        ..compare::Request::default()
    };
    let made = request.answer(PENDULUM.into(), &mut Session::default()).expect("a comparison");
    let json = serde_json::to_string(&made).expect("JSON");
    let read: compare::Document = serde_json::from_str(&json).expect("a document");
    assert_eq!(read.text(false, true), made.text(false, true));
    assert!(made.rows.len() > 3 && made.rows.iter().all(|row| row.status == Ending::Finished));
}

#[test]
fn a_choice_is_completed_by_the_model_and_says_all() {
    let made = run(PENDULUM, &Choice::default().until(1.0)).expect("a run");
    let choice = &made.choice;
    assert_eq!(choice.method.as_deref(), Some("rattle"));
    assert_eq!(choice.formulation.as_deref(), Some("multipliers"));
    assert_eq!((choice.step, choice.until, choice.steps), (Some(0.1), Some(1.0), None));
    // The same again, from what it says.
    let again = run(PENDULUM, choice).expect("a run");
    assert_eq!(again.choice, *choice);
    assert_eq!(again.state, made.state);
}

#[test]
fn a_choice_is_made_of_types_or_of_names() {
    let typed = Choice::default()
        .method(Method::Gauss { stages: 3 })
        .formulation(Formulation::Baumgarte { alpha: 2.0, beta: 3.0 })
        .compose(Some(Composition::Suzuki4))
        .project(Projection { target: Target::Both, above: Some(1e-9) })
        .set("m[2]", 2.0)
        .step(0.1)
        .steps(10);
    let named: Choice = serde_json::from_str(
        r#"{"method": "gauss", "stages": 3, "formulation": "baumgarte", "opt": [["alpha", 2], ["beta", 3]],
            "compose": "suzuki-4", "project": "both", "project_above": 1e-9, "step": 0.1, "steps": 10,
            "set": [{"name": "m", "index": [2], "value": 2}]}"#,
    )
    .expect("a choice");
    assert_eq!(typed, named);
    let written = serde_json::to_string(&typed).expect("JSON");
    assert_eq!(serde_json::from_str::<Choice>(&written).expect("a choice"), typed);
    assert!(serde_json::from_str::<Choice>(r#"{"methods": "gauss"}"#).is_err(), "a name that no choice has");
}

#[test]
fn warnings_about_the_text_are_in_the_documents() {
    let text = format!("param idle = 3\n{PENDULUM}");
    let warned = check(text.as_str()).expect("checked").warnings;
    assert_eq!(warned.iter().map(|w| w.code.as_ref()).collect::<Vec<_>>(), ["unused"]);
    let ran = run(text.as_str(), &Choice::default()).expect("a run");
    let read: run::Document = serde_json::from_str(&serde_json::to_string(&ran).expect("JSON")).expect("a document");
    assert_eq!(read.warnings, warned);
    assert_eq!(analyze(text.as_str()).expect("analysed").warnings, warned);
    assert_eq!(certify(text.as_str(), &Choice::default().steps(100)).expect("a certificate").warnings, warned);
    assert_eq!(compare(text.as_str(), &Choice::default()).expect("a comparison").warnings, warned);
}

#[test]
fn documents_say_all_that_was_asked_for() {
    let text = "
param m[i in 1..2] > 0 = 1
coord x, y
hamiltonian p_x^2/(2*m[1]) + p_y^2/(2*m[2]) + y
constraint rod: (x^2 + y^2 - 1)/2 = 0
initial x = 1, p_y = -2
run method = rattle, step = 0.1, until = 1
";
    let choice = Choice::default().set("m[2]", 2.0).project_initial().drop_redundant();
    let choice = Choice { solver_tol: Some(1e-12), ..choice };
    let made = run(text, &choice).expect("a run");
    let json = serde_json::to_value(&made).expect("JSON");
    assert_eq!(json["set"], serde_json::json!([{ "name": "m", "index": [2], "value": 2.0 }]));
    let read: run::Document = serde_json::from_value(json).expect("a document");
    assert_eq!((&read.choice.set, read.choice.solver_tol), (&choice.set, Some(1e-12)));
    assert!(read.choice.project_initial && read.choice.drop_redundant);
    let line =
        "m[2] = 2; solver tolerance 1e-12; initial data moved onto the constraints; redundant constraints left out";
    assert!(made.text(false).contains(&format!("with        {line}\n")), "{}", made.text(false));
    // From what it says the same numbers come again.
    assert_eq!(run(text, &Choice { until: Some(1.0), ..read.choice }).expect("a run").state, made.state);
    let made = certify(text, &choice.clone().steps(100)).expect("a certificate");
    let read: certify::Document =
        serde_json::from_str(&serde_json::to_string(&made).expect("JSON")).expect("a document");
    assert_eq!(read.choice.set, choice.set);
    assert!(made.text(false).contains("with m[2] = 2; "));
    let choice = Choice::default().set("m[2]", 2.0).formulation(Formulation::LocalChart { threshold: 2.0 }).chart("x");
    let made = compare(text, &choice).expect("a comparison");
    let read: compare::Document =
        serde_json::from_str(&serde_json::to_string(&made).expect("JSON")).expect("a document");
    assert_eq!((&read.choice.set, &read.choice.chart), (&choice.set, &choice.chart));
    assert!(read.text(false, false).contains("with m[2] = 2; chart x\n"), "{}", read.text(false, false));
}

#[test]
fn an_observable_without_a_value_is_said() {
    // cos t: its logarithm has no value from t = π/2 on, after 158 steps.
    let text = "
coord x
hamiltonian (p_x^2 + x^2)/2
initial x = 1
observe l = log(x), square = x^2
run method = stormer-verlet, step = 0.01, until = 2
";
    let noted = |watch: Watch, table: Option<std::path::PathBuf>| {
        let files = Files { table, ..Files::default() };
        let request = run::Request { watch, files, ..run::Request::default() };
        let made = request.answer(Some(text.into()), &mut Session::default()).expect("a run");
        assert!(made.observables.get("l").expect("the logarithm").is_nan());
        made.notes.join("; ")
    };
    assert!(noted(Watch::Nothing, None).contains("`l` has no finite value at the end"));
    let folder = tempfile::tempdir().expect("a folder");
    let table = Some(folder.path().join("logarithm.csv"));
    // At 1.58, …, 2.
    let said = noted(Watch::Nothing, table);
    assert!(said.contains("`l` has no finite value at 43 samples, the first at time 1.58"), "{said}");
}

#[test]
fn numbers_beyond_all_bounds_are_not_finite_rather_than_singular() {
    let heisenberg = include_str!("../../../models/heisenberg.cot");
    let choice = Choice::default().formulation(Formulation::HamiltonDirac).method(Method::Rk4).step(5.0).steps(1000);
    let made = run(heisenberg, &choice).expect("a document");
    let stop = made.failure.expect("a reason");
    assert_eq!(stop.code, Code::NotFinite, "{}", stop.message);
    assert!(!stop.message.contains("column") && stop.advice.contains("smaller --step"), "{stop:?}");
}

#[test]
fn an_energy_without_a_value_is_no_matter_of_units() {
    let refused = |text: &str| match run(text, &Choice::default().step(0.1).steps(10)).expect_err("no energy") {
        Failure::Refused { code, help, .. } => (code, help.expect("a way out")),
        other => panic!("{other}"),
    };
    let (code, help) = refused("coord x\nhamiltonian p_x^2/2 + log(x)\ninitial x = -1\n");
    assert_eq!(code, Code::NoValue);
    assert!(help.contains("logarithm") && help.contains("--set") && !help.contains("units"), "{help}");
    // p^2 is beyond 1.8e308.
    let (code, help) = refused("param m = 1e155\ncoord x\nhamiltonian p_x^2/(2*m) + x^2\ninitial p_x = m\n");
    assert_eq!(code, Code::NoValue);
    assert!(help.contains("units"), "{help}");
}

#[test]
fn a_file_that_cannot_be_written_has_one_code_whatever_it_is() {
    let nowhere = |name: &str| Some(std::path::PathBuf::from(format!("no/such/folder/{name}")));
    let all = [
        Files { table: nowhere("a.csv"), ..Files::default() },
        Files { table: nowhere("a.txt"), ..Files::default() },
        Files { plot: nowhere("a.svg"), ..Files::default() },
        Files { plot: nowhere("a.gif"), ..Files::default() },
        Files { report: nowhere("a.html"), ..Files::default() },
        Files { report: nowhere("a.pdf"), ..Files::default() },
    ];
    for files in all {
        let request = run::Request { files: files.clone(), ..run::Request::default() };
        match request.answer(Some(PENDULUM.into()), &mut Session::default()).expect_err("no such folder") {
            Failure::Refused { code, message, .. } => assert_eq!(code, Code::Unwritable, "{files:?}: {message}"),
            other => panic!("{other}"),
        }
    }
}

#[test]
fn kinds_are_data_under_the_names_that_json_shows() {
    let checked = check(PENDULUM).expect("checked");
    assert_eq!((checked.kind, checked.energy.given_as), (ModelKind::Hamiltonian, GivenAs::Hamiltonian));
    assert_eq!(checked.constraints[0].kind, ConstraintKind::Holonomic);
    let json = serde_json::to_value(&checked).expect("JSON");
    assert_eq!((&json["kind"], &json["constraints"][0]["kind"]), (&"Hamiltonian".into(), &"holonomic".into()));
    // The primary constraint p_y - a x is second class where a does not vanish.
    let analysed = analyze("param a\ncoord x, y\nlagrangian x'^2/2 + a*x*y'\n").expect("analysed");
    assert_eq!(analysed.constraints[0].class, Some(Class::Second));
    let json = serde_json::to_value(&analysed).expect("JSON");
    let assumed: Vec<String> = analysed.assumptions.iter().map(|a| format!("{} != 0", a.expression)).collect();
    assert!(!assumed.is_empty());
    assert_eq!(json["assumptions"], serde_json::json!(assumed));
    let compared = compare(PENDULUM, &Choice::default()).expect("compared");
    let fate =
        |name: &str| compared.formulations.iter().find(|f| f.name == name).expect("a formulation").stability.verdict;
    assert_eq!([fate("multipliers"), fate("total")], [None, Some(compare::Fate::Saddle)]);
}
