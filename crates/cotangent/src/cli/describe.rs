//! `methods`, `formulations` and `explain`.

use super::args;
use super::output::Output;
use cotangent::verbs::{self, Failure, Status};

/// Lists the methods.
pub(crate) fn methods(out: &mut Output) -> Result<Status, Failure> {
    let list = verbs::methods();
    match out.wants_json() {
        true => out.document(&list)?,
        false => out.print(&list.text(out.coloured())),
    }
    out.hint("\n`cotangent explain NAME` gives the formulas of one.\n");
    Ok(Status::Held)
}

/// Lists the formulations.
pub(crate) fn formulations(out: &mut Output) -> Result<Status, Failure> {
    let list = verbs::formulations();
    match out.wants_json() {
        true => out.document(&list)?,
        false => out.print(&list.text(out.coloured())),
    }
    out.hint("\n`cotangent explain NAME` derives one; --formulation NAME integrates it.\n");
    Ok(Status::Held)
}

/// Explains a method, a composition or a formulation.
pub(crate) fn explain(args: &args::Explain, out: &mut Output) -> Result<Status, Failure> {
    let explained = verbs::explain(&args.name)?;
    match out.wants_json() {
        true => out.document(&explained)?,
        false => out.print(&explained.text(out.coloured())),
    }
    Ok(Status::Held)
}
