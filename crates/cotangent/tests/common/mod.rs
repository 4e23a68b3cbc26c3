//! Runs the program and shows what it did.
#![allow(dead_code)] // No test uses all of it.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// What one run of the program did.
pub(crate) struct Ran {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// All of it, for a snapshot.
    pub(crate) fn show(&self) -> String {
        let mut text = format!("exit status {}\n", self.status);
        for (name, content) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !content.is_empty() {
                text += &format!("--- {name}\n{content}");
            }
        }
        // Editors and git dislike blanks at the ends of lines.
        text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
    }

    /// Stdout as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        let value: serde_json::Value = serde_json::from_str(&self.stdout).expect("stdout is one JSON document");
        assert_eq!(value["format"], 1);
        assert_eq!(self.stderr, "", "with --json everything is in the document");
        value
    }
}

/// Runs the program in a folder with this input.
pub(crate) fn run_in(folder: &Path, arguments: &[&str], stdin: &[u8]) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_cotangent"))
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("COLUMNS")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program that does not read its input closes the pipe.
    let _ = child.stdin.take().expect("stdin is piped").write_all(stdin);
    let output = child.wait_with_output().expect("the program ends");
    Ran {
        status: output.status.code().expect("the program was not killed"),
        stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
    }
}

/// Runs the program in an empty folder.
pub(crate) fn run(arguments: &[&str]) -> Ran {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = run_in(folder.path(), arguments, b"");
    let left = std::fs::read_dir(folder.path()).expect("the folder").count();
    assert!(left == 0 || arguments.contains(&"new"), "only `new` writes files");
    ran
}

/// Starts the program and leaves it running.
pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_cotangent"))
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}
