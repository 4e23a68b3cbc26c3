//! `cotangent completions`: scripts for shells.

use super::args::{self, Arguments};
use super::output::Output;
use clap::CommandFactory;
use cotangent::verbs::{Failure, Status};
use serde::Serialize;

#[derive(Serialize)]
struct Script {
    shell: String,
    script: String,
}

/// Prints the script.
pub(crate) fn run(args: &args::Completions, out: &mut Output) -> Result<Status, Failure> {
    let mut bytes = vec![];
    clap_complete::generate(args.shell, &mut Arguments::command(), "cotangent", &mut bytes);
    let script = String::from_utf8_lossy(&bytes).into_owned();
    if out.wants_json() {
        out.document(&Script { shell: args.shell.to_string(), script })?;
    } else {
        out.print(&script);
    }
    Ok(Status::Held)
}
