//! `cotangent formulations`: equivalent equations of motion.

use super::explain::formulation_text;
use super::failure::Failure;
use super::output::{Output, Status};
use anstyle::Style;
use cotangent::theory::Formulation;
use serde::Serialize;

#[derive(Serialize)]
struct List {
    formulations: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    name: &'static str,
    summary: &'static str,
    equations: &'static [&'static str],
    integrals: &'static str,
    reference: &'static str,
}

/// Prints the list.
pub(crate) fn run(out: &mut Output) -> Result<Status, Failure> {
    let entry = |f: Formulation| {
        let text = formulation_text(f);
        let (equations, integrals, reference) = (text.equations, text.integrals, text.reference);
        Entry { name: f.name(), summary: f.card().summary, equations, integrals, reference }
    };
    let formulations: Vec<Entry> = Formulation::ALL.into_iter().map(entry).collect();
    if out.wants_json() {
        out.document(&List { formulations })?;
        return Ok(Status::Held);
    }
    let width = formulations.iter().map(|f| f.name.len()).max().unwrap_or(0);
    let bold = if out.coloured() { Style::new().bold() } else { Style::new() };
    for f in &formulations {
        out.print(&format!("{bold}{:width$}{bold:#}  {}\n", f.name, f.summary));
        for line in f.equations {
            out.print(&format!("{:width$}  {line}\n", ""));
        }
        out.print(&format!("{:width$}  integrals: {}\n", "", f.integrals));
    }
    if out.on_terminal() {
        out.tell("\n`cotangent explain NAME` derives one; --formulation NAME integrates it.\n");
    }
    Ok(Status::Held)
}
