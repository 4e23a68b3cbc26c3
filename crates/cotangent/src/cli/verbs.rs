//! From arguments to a verb, and from its document to what is printed.

use super::args;
use super::input;
use super::output::Output;
use cotangent::verbs::{self, Failure, Files, Lists, Order, Status, Summary, printable};
use std::path::Path;

/// Checks a model.
pub(crate) fn check(args: &args::Check, out: &mut Output) -> Result<Status, Failure> {
    let checked = verbs::check(input::read(&args.model)?, &args.set, &mut out.session())?;
    match out.wants_json() {
        true => out.document(&checked)?,
        false => out.print(&checked.text(out.coloured())),
    }
    if checked.can_run() {
        out.hint(&format!("\nTo integrate it: cotangent run {}\n", args.model));
    }
    Ok(checked.status())
}

/// Analyses a model.
pub(crate) fn analyze(args: &args::Analyze, out: &mut Output) -> Result<Status, Failure> {
    let analyzed = verbs::analyze(input::read(&args.model)?, &args.set, args.latex, &mut out.session())?;
    match out.wants_json() {
        true => out.document(&analyzed)?,
        false => out.print(&analyzed.text(out.coloured())),
    }
    Ok(analyzed.status())
}

/// Integrates a model.
pub(crate) fn run(args: args::Run, out: &mut Output) -> Result<Status, Failure> {
    let choice = args.choice();
    let order = Order {
        model: args.model.as_deref().map(input::read).transpose()?,
        choice,
        files: Files { table: args.out, plot: args.plot, report: args.report },
        resume: args.resume,
        checkpoint: args.checkpoint,
        quiet: out.wants_json(),
    };
    let summary = verbs::run(&order, &mut out.session())?;
    match out.wants_json() {
        true => out.document(&summary)?,
        false => {
            out.print(&summary.text(out.coloured()));
            summary.failures().for_each(|failure| out.tell_of(&failure));
            ended(&summary, out);
        }
    }
    Ok(summary.status())
}

/// What became of the table, and how to go on.
fn ended(summary: &Summary, out: &mut Output) {
    let table = summary.out.as_deref().map(printable::line);
    match (&table, summary.status) {
        (Some(table), "finished") if summary.status() == Status::Unwritten => {
            out.tell(&format!("`{table}` is complete; to make what is missing: cotangent run --resume {table}\n"));
        }
        (Some(table), "interrupted") => {
            out.tell(&format!(
                "interrupted: `{table}` has the rows so far; to go on: cotangent run --resume {table}\n"
            ));
        }
        (None, "interrupted") => out.tell("interrupted: with --out FILE a run can be resumed\n"),
        (Some(table), "failed") if summary.out.as_ref().is_some_and(|file| Path::new(file).exists()) => {
            out.tell(&format!("the rows up to there are in `{table}`\n"));
        }
        (Some(table), "failed") => out.tell(&format!("`{table}` could not be completed\n")),
        _ => {}
    }
}

/// Measures what a method keeps.
pub(crate) fn certify(args: args::Certify, out: &mut Output) -> Result<Status, Failure> {
    let choice = args.choice();
    let files = Files { table: None, plot: args.plot, report: args.report };
    let certified = verbs::certify(input::read(&args.model)?, &choice, &files, &mut out.session())?;
    match out.wants_json() {
        true => out.document(&certified)?,
        false => {
            out.print(&certified.text(out.coloured()));
            certified.failures().for_each(|failure| out.tell_of(failure));
        }
    }
    Ok(certified.status())
}

/// Compares formulations and methods.
pub(crate) fn compare(args: args::Compare, out: &mut Output) -> Result<Status, Failure> {
    let choice = args.choice();
    let lists = Lists {
        formulations: args.formulations,
        methods: args.methods,
        projections: args.projections,
        steps: args.steps_list,
    };
    let files = Files { table: None, plot: args.plot, report: args.report };
    let compared = verbs::compare(input::read(&args.model)?, &choice, &lists, &files, &mut out.session())?;
    match out.wants_json() {
        true => out.document(&compared)?,
        false => {
            out.print(&compared.text(out.coloured(), out.on_terminal()));
            compared.failures().for_each(|failure| out.tell_of(failure));
            if compared.is_interrupted() {
                out.tell("interrupted: these are the rows done so far\n");
            }
        }
    }
    Ok(compared.status())
}
