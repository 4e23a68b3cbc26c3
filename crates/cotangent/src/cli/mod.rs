//! The command line: arguments in, a document on stdout, messages on stderr, an exit status.

mod analyze;
mod args;
mod certify;
mod check;
mod claims;
mod code;
mod compare;
mod completions;
mod ending;
mod explain;
mod failure;
mod figures;
mod formulations;
mod input;
mod loaded;
mod map;
mod memory;
mod methods;
mod models;
mod new;
mod noticed;
mod output;
mod patience;
mod picture;
mod printable;
mod run;
mod setting;
mod setup;

use args::{Arguments, Verb};
use clap::{CommandFactory, FromArgMatches};
use failure::Failure;
use output::{Output, Status};
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

/// Runs the program with these arguments, the first being its own name.
pub(crate) fn run(arguments: Vec<OsString>) -> ExitCode {
    // A usage error, too, is one JSON document if `--json` was among the arguments.
    let json = arguments.iter().take_while(|a| *a != "--").any(|a| a == "--json");
    let colour = output::clap_colour(&arguments);
    let command = Arguments::command().color(colour);
    let parsed = command.try_get_matches_from(arguments).and_then(|m| Arguments::from_arg_matches(&m));
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(error) if json && error.use_stderr() => {
            let out = Output::new(true, args::Colour::Never);
            return out.finish(Err(Failure::usage(&error)));
        }
        Err(error) if error.use_stderr() => {
            let coloured = output::is_coloured(colour, std::io::stderr().is_terminal());
            let text = if coloured { error.render().ansi().to_string() } else { error.render().to_string() };
            // Nobody can be told if stderr is closed.
            let _ = write!(std::io::stderr(), "{}", printable::lines(&text, coloured));
            return Status::Error.into();
        }
        Err(help) => {
            // There is nobody to tell if the help cannot be written.
            let _ = help.print();
            return Status::Held.into();
        }
    };
    let mut out = Output::new(arguments.json, arguments.color);
    if let Err(error) = out.listen() {
        return out.finish(Err(error));
    }
    let done = match &arguments.verb {
        Verb::Check(check) => check::run(check, &mut out),
        Verb::Analyze(analyze) => analyze::run(analyze, &mut out),
        Verb::Run(run) => run::run(run, &mut out),
        Verb::Certify(certify) => certify::run(certify, &mut out),
        Verb::Compare(compare) => compare::run(compare, &mut out),
        Verb::Methods(_) => methods::run(&mut out),
        Verb::Formulations(_) => formulations::run(&mut out),
        Verb::Explain(explain) => explain::run(explain, &mut out),
        Verb::Models(models) => models::run(models, &mut out),
        Verb::New(new) => new::run(new, &mut out),
        Verb::Completions(completions) => completions::run(completions, &mut out),
    };
    out.finish(done)
}
