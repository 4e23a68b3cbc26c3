//! From arguments to a verb, and from its document to what is printed.

use super::args;
use super::input;
use super::output::Output;
use cotangent::experiments;
use cotangent::verbs::{self, Code, Ending, Failure, Source, Status, printable};

/// Checks a model.
pub(crate) fn check(args: args::Check, out: &mut Output) -> Result<Status, Failure> {
    let request = verbs::check::Request { set: args.set };
    let model = input::read_for(&args.model, out)?;
    let document = request.answer(model.into(), &mut out.session())?;
    match out.wants_json() {
        true => out.document(&document)?,
        false => out.print(&document.text(out.coloured())),
    }
    if document.can_run() {
        out.hint(&format!("\nTo integrate it: cotangent run {}\n", args.model.display()));
    }
    Ok(document.status())
}

/// Analyses a model.
pub(crate) fn analyze(args: args::Analyze, out: &mut Output) -> Result<Status, Failure> {
    let args::Analyze { set, latex, brackets, coordinates, inverse, .. } = args;
    let request = verbs::analyze::Request { set, latex, brackets, coordinates, inverse };
    let model = input::read_for(&args.model, out)?;
    let document = request.answer(model.into(), &mut out.session())?;
    match out.wants_json() {
        true => out.document(&document)?,
        false => out.print(&document.text(out.coloured())),
    }
    Ok(document.status())
}

/// Integrates a model.
pub(crate) fn run(args: args::Run, out: &mut Output) -> Result<Status, Failure> {
    let (model, request) = args.request(out.wants_json());
    if request.arrays && !out.wants_json() {
        let message = "--arrays puts the rows into the JSON document, and none is asked for";
        return Err(Failure::new(Code::Usage, message).help("add --json, or write a table with --out FILE.csv"));
    }
    let model = model.as_deref().map(|model| input::read_for(model, out)).transpose()?;
    let document = request.answer(model.map(Source::from), &mut out.session())?;
    match out.wants_json() {
        true => out.document(&document)?,
        false => {
            out.print(&document.text(out.coloured()));
            document.failures().for_each(|failure| out.tell_of(&failure));
            ended(&document, out);
        }
    }
    Ok(document.status())
}

/// What became of the table, and how to go on.
fn ended(document: &verbs::run::Document, out: &mut Output) {
    let table = document.out.as_deref().map(printable::line);
    let said = match (&table, document.status) {
        (Some(table), Ending::Finished) if !document.unwritten.is_empty() => {
            format!("`{table}` is complete; to make what is missing: cotangent run --resume {table}\n")
        }
        (_, Ending::Finished) => String::new(),
        (Some(table), Ending::Interrupted) => {
            format!("interrupted: `{table}` has the rows so far; to go on: cotangent run --resume {table}\n")
        }
        (None, Ending::Interrupted) if document.unwritten.is_empty() => {
            "interrupted: with --out FILE a run can be resumed\n".to_owned()
        }
        (Some(table), Ending::Failed) => format!("the rows up to there are in `{table}`\n"),
        (None, Ending::Failed | Ending::Interrupted) => String::new(),
    };
    out.tell(&said);
}

/// Measures what a method keeps.
pub(crate) fn certify(args: args::Certify, out: &mut Output) -> Result<Status, Failure> {
    let (model, request) = args.request();
    let model = input::read_for(&model, out)?;
    let document = request.answer(model.into(), &mut out.session())?;
    match out.wants_json() {
        true => out.document(&document)?,
        false => {
            out.print(&document.text(out.coloured()));
            document.failures().for_each(|failure| out.tell_of(&failure));
        }
    }
    Ok(document.status())
}

/// Compares formulations and methods.
pub(crate) fn compare(args: args::Compare, out: &mut Output) -> Result<Status, Failure> {
    let (model, request) = args.request();
    let model = input::read_for(&model, out)?;
    let document = request.answer(model.into(), &mut out.session())?;
    match out.wants_json() {
        true => out.document(&document)?,
        false => {
            out.print(&document.text(out.coloured(), out.on_terminal()));
            document.failures().for_each(|failure| out.tell_of(&failure));
            if document.status == Ending::Interrupted {
                out.tell("interrupted: these are the rows done so far\n");
            }
        }
    }
    Ok(document.status())
}

/// Makes experiments of papers again, or lists them.
pub(crate) fn reproduce(args: args::Reproduce, out: &mut Output) -> Result<Status, Failure> {
    let library = args.folder.as_deref().map_or_else(experiments::library, experiments::read)?;
    let request = args.request();
    if request.wanted.is_empty() {
        let list = library.list();
        match out.wants_json() {
            true => out.document(&list)?,
            false => out.print(&list.text(out.coloured())),
        }
        return Ok(Status::Held);
    }
    let document = request.answer(&library, &mut out.session())?;
    match out.wants_json() {
        true => out.document(&document)?,
        false => {
            out.print(&document.text(out.coloured()));
            document.failures().for_each(|failure| out.tell_of(&failure));
        }
    }
    Ok(document.status())
}
