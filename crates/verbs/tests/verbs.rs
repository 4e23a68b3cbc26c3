//! The verbs as a library: with systems built in Rust, listeners, and limits.

use cotangent_integrate::Method;
use cotangent_model::{System, SystemBuilder};
use cotangent_scalar::{Cancel, Limits};
use cotangent_verbs::{
    Choice, Code, Ending, Failure, Files, Listener, Message, Progress, Session, Status, analyze, certify, check,
    compare, run,
};

/// The pendulum of length 1 that turns over.
fn pendulum() -> System {
    let mut b = SystemBuilder::new("pendulum");
    let (x, y) = (b.coordinate("x"), b.coordinate("y"));
    b.constraint("rod", (x.q().powi(2) + y.q().powi(2) - 1) / 2);
    b.initial(&x.q(), 1);
    b.initial(&y.p(), -2);
    b.hamiltonian((x.p().powi(2) + y.p().powi(2)) / 2 + y.q()).expect("a system")
}

#[test]
fn a_system_built_in_rust_goes_through_every_verb() {
    let system = pendulum();
    let choice = Choice::default().method(Method::Rattle).step(0.1).until(2.0);
    assert_eq!(check(&system).expect("checked").status(), Status::Held);
    assert_eq!(analyze(&system).expect("analysed").status(), Status::Held);
    let ran = run(&system, &choice).expect("a run");
    assert_eq!((ran.status, ran.steps), (Ending::Finished, 20));
    assert!(ran.constraints.get("rod").expect("the rod").max_abs < 1e-14);
    let page = ran.page().to_html().expect("a page");
    assert!(page.contains("Energy error") && page.contains("Hidden constraint rod"), "plots and formulas");
    assert!(ran.figure().is_some());
    let certified = certify(&system, &Choice::default().method(Method::Rattle).step(0.1)).expect("measured");
    assert_eq!(certified.held, Some(true));
    assert!((certified.order.measured.expect("an order") - 2.0).abs() < 0.1);
    let compared = compare(&system, &choice).expect("compared");
    assert!(compared.rows.iter().any(|row| row.choice.method.as_deref() == Some("rattle")));
}

#[test]
fn what_a_choice_names_is_all_that_is_compared() {
    let choice = Choice::default().method(Method::Gauss { stages: 3 }).step(0.1).steps(10);
    let compared = compare(&pendulum(), &Choice { formulation: Some("standard".into()), ..choice }).expect("compared");
    let rows: Vec<_> = compared.rows.iter().map(|row| (row.choice.described(), row.steps)).collect();
    assert_eq!(rows, [("gauss with 3 stages".to_owned(), 10)]);
    assert!(compared.formulations.iter().all(|f| f.name == "standard"));
}

#[test]
fn equations_of_index_one_are_compared_with_a_method_of_the_same_order_or_alone() {
    let contact = "coord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2\nvakonomic a: z' - y*x' + x*y' = 0\n\
                   initial x' = 0.1, y' = 0.3, lambda_a = 1\nrun step = 0.1, until = 1\n";
    let compared = compare(contact, &Choice::default()).expect("compared");
    let rows: Vec<_> = compared.rows.iter().map(|row| row.choice.described()).collect();
    assert_eq!(rows, ["gauss with 2 stages", "gauss with 2 stages"]);
    // One that the analysis decides, and one that it leaves undecided.
    for (constraint, formulations) in
        [("z' - y*x' + x*y'", &["hamilton-dirac", "index-one"][..]), ("z' - y*x' + x*y' + z'^3", &["index-one"])]
    {
        let rooted = format!(
            "coord x, y, z\nlagrangian -sqrt(1 - x'^2 - y'^2 - z'^2) - x^2/2\nvakonomic g: {constraint} = 0\n\
             initial x = 0.1, y = 0.2, z = 0.3, x' = 0.5, y' = -0.3, z' = 0.13, lambda_g = 0.4\n\
             run step = 0.02, until = 0.2\n"
        );
        let choice = Choice::default().project_initial();
        let compared = compare(rooted.as_str(), &choice).expect("compared");
        let names: Vec<_> = compared.formulations.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(names, formulations);
    }
}

#[test]
fn a_velocity_constraint_that_others_imply_is_named_by_default() {
    let text = "coord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2\n\
                vakonomic a: x' - y*z' = 0, b: y' - x*z' = 0, c: x' + y' - (x + y)*z' = 0\n\
                initial x = 1, y = 1, x' = 1, y' = 1, z' = 1\nrun step = 0.1, until = 1\n";
    let refused = run(text, &Choice::default()).expect_err("dependent");
    assert!(refused.to_string().contains("`c` depends on the others"), "{refused}");
}

/// Writes down what it hears, and stops a run when it has come half way.
struct Witness<'a> {
    heard: &'a mut Vec<String>,
    stop: Cancel,
}

impl Listener for Witness<'_> {
    fn hear(&mut self, message: Message<'_>) {
        if let Message::Note(text) | Message::Warning(text) = message {
            self.heard.push(text.to_owned());
        }
    }

    fn progress(&mut self, progress: Progress<'_>) {
        if 2 * progress.done > progress.total {
            self.stop.set();
        }
    }
}

#[test]
fn a_listener_hears_notes_and_may_stop_a_run() {
    let mut heard = vec![];
    let stop = Cancel::new();
    let witness = Witness { heard: &mut heard, stop: stop.clone() };
    let request = run::Request { choice: Choice::default().step(1e-4).steps(2_000_000), ..run::Request::default() };
    let mut session = Session::new(witness, Limits::until(stop));
    let ended = request.answer(Some((&pendulum()).into()), &mut session).expect("a result");
    drop(session);
    assert_eq!((ended.status, ended.status()), (Ending::Interrupted, Status::Stopped));
    assert!(ended.steps >= 1_000_000 && ended.steps < 2_000_000, "{}", ended.steps);
    // Which method was taken is said, and stands in the document.
    assert_eq!(heard, ended.notes);
    assert!(heard[0].starts_with("method `rattle`"), "{heard:?}");
}

#[test]
fn a_table_of_a_system_without_a_text_leaves_no_checkpoint() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().join("swing.csv");
    let files = Files { table: Some(table.clone()), ..Files::default() };
    let request = run::Request { choice: Choice::default().step(0.1).steps(10), files, ..run::Request::default() };
    let ran = request.answer(Some((&pendulum()).into()), &mut Session::default()).expect("a run");
    assert_eq!(ran.status(), Status::Held);
    let rows = std::fs::read_to_string(&table).expect("the table").lines().count();
    assert_eq!(rows, 12, "a heading and 11 rows");
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 1);
}

/// Does something as soon as there is a result.
struct WhenKept<F>(F);

impl<F: FnMut()> Listener for WhenKept<F> {
    fn keep(&mut self) {
        (self.0)();
    }
}

#[test]
fn what_could_not_be_written_is_in_the_document() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("pictures");
    std::fs::create_dir(&place).expect("a folder");
    let files = Files { plot: Some(place.join("swing.svg")), ..Files::default() };
    let request = run::Request { choice: Choice::default().step(0.1).steps(10), files, ..run::Request::default() };
    let gone = WhenKept(|| std::fs::remove_dir_all(&place).expect("a folder to remove"));
    let mut session = Session::new(gone, Limits::default());
    let made = request.answer(Some((&pendulum()).into()), &mut session).expect("a run");
    assert_eq!((made.status, made.status()), (Ending::Finished, Status::Unwritten));
    let read: run::Document = serde_json::from_str(&serde_json::to_string(&made).expect("JSON")).expect("a document");
    assert_eq!(read.status(), Status::Unwritten);
    assert_eq!(read.unwritten, made.unwritten);
    assert!(read.unwritten[0].message.contains("swing.svg"), "{:?}", read.unwritten);
    // What stopped early did so whether or not it was drawn.
    for status in [Ending::Failed, Ending::Interrupted] {
        assert_eq!(run::Document { status, ..read.clone() }.status(), Status::Stopped);
    }
}

/// A run of the pendulum with its rows.
fn rows(steps: u64) -> run::Request {
    let choice = Choice { record: Some(1), ..Choice::default().method(Method::Rattle).step(1e-3).steps(steps) };
    run::Request { choice, arrays: true, ..run::Request::default() }
}

#[test]
fn rows_for_which_there_is_no_memory_are_refused_before_the_first_step() {
    // Time, two positions, two momenta, the energy and a multiplier, each 8 bytes in a row and in a column.
    let needed = 1001 * 7 * 16;
    let ran = |memory: u64| {
        let mut session = Session::default().with_memory(Some(memory));
        rows(1000).answer(Some((&pendulum()).into()), &mut session)
    };
    let arrays = ran(needed).expect("a run").arrays.expect("rows");
    assert_eq!(arrays.iter().map(|(_, column)| column.len()).collect::<Vec<_>>(), [1001; 7]);
    let refused = ran(needed - 1).expect_err("no memory");
    assert!(matches!(refused, Failure::Refused { code: Code::TooLarge, .. }), "{refused:?}");
}

/// Asks to stop after so many steps.
struct After {
    steps: u64,
    stop: Cancel,
}

impl Listener for After {
    fn progress(&mut self, progress: Progress<'_>) {
        if progress.done >= self.steps {
            self.stop.set();
        }
    }
}

#[test]
fn rows_that_take_long_to_print_are_left_out_of_the_document_of_an_interrupted_run() {
    // Rows of 7 numbers: of two million and more none are printed.
    for (steps, kept) in [(1_000, true), (300_000, false)] {
        let stop = Cancel::new();
        let mut session = Session::new(After { steps, stop: stop.clone() }, Limits::until(stop));
        let made = rows(1_000_000).answer(Some((&pendulum()).into()), &mut session).expect("a run");
        assert_eq!((made.status, made.status()), (Ending::Interrupted, Status::Stopped));
        assert_eq!(
            made.arrays.as_ref().map(|a| a.iter().all(|(_, c)| c.len() as u64 == made.steps + 1)),
            kept.then_some(true)
        );
        assert_eq!(made.notes.iter().any(|note| note.starts_with("`arrays` is left out")), !kept, "{:?}", made.notes);
    }
}

#[test]
fn who_asks_to_stop_at_the_end_of_a_run_does_not_wait_for_its_rows() {
    for (steps, status) in [(1_000, Status::Held), (300_000, Status::Stopped)] {
        let stop = Cancel::new();
        let mut session = Session::new(WhenKept(|| stop.set()), Limits::until(stop.clone()));
        let made = rows(steps).answer(Some((&pendulum()).into()), &mut session).expect("a run");
        assert_eq!(
            (made.status, made.status(), made.arrays.is_some()),
            (Ending::Finished, status, status == Status::Held)
        );
    }
}

#[test]
fn a_certificate_outlives_an_interrupt_while_it_is_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = Files { report: Some(folder.path().join("certificate.html")), ..Files::default() };
    let choice = Choice::default().method(Method::Rattle).step(0.1).steps(2000);
    let request = certify::Request { choice, files };
    let stop = Cancel::new();
    let mut session = Session::new(WhenKept(|| stop.set()), Limits::until(stop.clone()));
    let made = request.answer((&pendulum()).into(), &mut session).expect("a certificate");
    assert_eq!((made.held, made.status()), (Some(true), Status::Stopped));
    assert_eq!(made.unwritten.iter().map(|r| r.code).collect::<Vec<_>>(), [Code::Interrupted]);
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 0, "no picture of half a run");
}

#[test]
fn what_cannot_be_done_is_refused_with_a_way_out() {
    let refused = run(&pendulum(), &Choice::default().method(Method::Rk4).step(0.1).steps(10)).expect_err("no method");
    assert!(refused.to_string().contains("`rod`") && refused.to_string().contains("hamilton-dirac"), "{refused}");
    let refused = run("coord x\nhamiltonian p_x^2/2 + q\n", &Choice::default()).expect_err("a mistake");
    assert!(refused.to_string().contains('q'), "{refused}");
    let refused = run(&pendulum(), &Choice::default().set("m[", 1.0).step(0.1).steps(1)).expect_err("no such place");
    assert!(refused.to_string().contains("m["), "{refused}");
}
