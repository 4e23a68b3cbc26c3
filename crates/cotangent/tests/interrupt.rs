//! Ctrl-C is heard while tables and documents are written, and nothing is lost by it.
#![cfg(unix)]

mod common;

use common::start;
use std::io::Read;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// Far longer than anything here takes, and far shorter than what is interrupted.
const LONG: Duration = Duration::from_secs(60);

/// Waits until something holds.
fn wait_until(holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < LONG, "it takes too long");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status().expect("kill starts");
    assert!(sent.success());
}

/// The exit status of a program that nobody reads from, and what it said.
fn ended(mut child: Child) -> (Option<i32>, String) {
    let begun = Instant::now();
    let status = loop {
        match child.try_wait().expect("the program can be asked") {
            Some(status) => break status.code(),
            None if begun.elapsed() > LONG => {
                child.kill().expect("the program can be killed");
                panic!("the program does not end");
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let mut said = String::new();
    child.stderr.take().expect("stderr is piped").read_to_string(&mut said).expect("stderr is UTF-8");
    (status, said)
}

#[test]
fn a_large_table_is_left_to_be_completed_later() {
    for (table, part) in [("a.csv", ".a.csv.part"), ("a.npz", ".a.npz.part")] {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        let steps = ["run", "chain", "--set", "n=3000", "--steps", "100000000", "--record", "1", "--out", table];
        let child = start(folder.path(), &steps);
        wait_until(|| std::fs::metadata(file(part)).is_ok_and(|m| m.len() > 100 << 20));
        interrupt(&child);
        let (status, said) = ended(child);
        assert_eq!(status, Some(3), "{said}");
        // Which words it comes to depends on the machine: that the table takes longer than a moment to complete, or, if the
        // summary does already, that it was not printed.
        let told = format!("what was computed is kept, to go on: cotangent run --resume {table}\n");
        assert!(said.ends_with(&told), "{said}");
        let [kept, checkpoint] = [part, &format!("{table}.checkpoint")].map(file);
        assert!(!file(table).exists() && kept.exists() && checkpoint.exists());
        // It goes on, and can be interrupted again.
        let before = std::fs::metadata(&kept).unwrap().len();
        let child = start(folder.path(), &["run", "--resume", table]);
        wait_until(|| std::fs::metadata(&kept).is_ok_and(|m| m.len() > before + (10 << 20)));
        interrupt(&child);
        let (status, said) = ended(child);
        assert_eq!(status, Some(3), "{said}");
        assert!(said.contains("note: resuming at t = "), "{said}");
    }
}

#[test]
fn a_result_that_nobody_reads_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    // Much more than what a pipe holds.
    let mut child =
        start(folder.path(), &["run", "pendulum", "--steps", "50000", "--record", "1", "--json", "--arrays"]);
    let mut first = [0; 1];
    child.stdout.as_mut().expect("stdout is piped").read_exact(&mut first).expect("the result begins");
    interrupt(&child);
    let (status, said) = ended(child);
    assert_eq!(
        (status, said.as_str()),
        (Some(3), "error: interrupted while the result was printed: the end of it is missing\n")
    );
}

#[test]
fn rows_between_steps_are_neither_lost_nor_written_twice() {
    let folder = tempfile::tempdir().unwrap();
    let arguments =
        |out: &'static str| ["run", "pendulum", "--step", "0.1", "--until", "0.2", "--every", "1e-6", "--out", out];
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert_eq!(ended(start(folder.path(), &arguments("whole.csv"))).0, Some(0));
    let child = start(folder.path(), &arguments("a.csv"));
    wait_until(|| std::fs::metadata(folder.path().join(".a.csv.part")).is_ok_and(|m| m.len() > 1 << 20));
    interrupt(&child);
    let (status, said) = ended(child);
    assert_eq!(status, Some(3), "{said}");
    // None of the steps is made yet, and thousands of its rows are.
    let header = String::from_utf8_lossy(&read("a.csv.checkpoint")).into_owned();
    assert!(header.contains("\"done\":0") && !header.contains("\"between\":0"), "{header:.2000}");
    assert!(read("a.csv").len() < read("whole.csv").len());
    assert_eq!(ended(start(folder.path(), &["run", "--resume", "a.csv"])).0, Some(0));
    assert!(read("a.csv") == read("whole.csv"));
}
