//! What signals do to a process: this test starts itself again and sends them.

#![cfg(unix)]

use cotangent_host::cancel_on_signal;
use cotangent_scalar::Cancel;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

/// The process that is interrupted: it says when it is ready and when it has been asked to stop.
#[test]
#[ignore = "run by the other tests in a process of its own"]
fn process() {
    let cancel = Cancel::new();
    cancel_on_signal(&cancel).unwrap();
    let say = |what: &str| writeln!(std::io::stdout(), "\n{what}").unwrap();
    say("ready");
    while !cancel.is_set() {
        std::thread::sleep(Duration::from_millis(5));
    }
    say("asked");
    std::thread::sleep(Duration::from_secs(60));
}

fn start() -> (Child, BufReader<ChildStdout>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "process", "--nocapture"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap());
    wait_for("ready", &mut said);
    (child, said)
}

fn wait_for(what: &str, said: &mut BufReader<ChildStdout>) {
    let mut line = String::new();
    while line.trim_end() != what {
        line.clear();
        assert_ne!(said.read_line(&mut line).unwrap(), 0, "the process ended before it said `{what}`");
    }
}

fn send(signal: &str, child: &Child) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

#[test]
fn the_first_signal_asks_and_the_second_ends_the_process_with_status_130() {
    for signals in [["-INT", "-INT"], ["-TERM", "-INT"]] {
        let (mut child, mut said) = start();
        send(signals[0], &child);
        wait_for("asked", &mut said);
        assert_eq!(child.try_wait().unwrap(), None, "it goes on after being asked");
        send(signals[1], &child);
        assert_eq!(child.wait().unwrap().code(), Some(130));
    }
}
