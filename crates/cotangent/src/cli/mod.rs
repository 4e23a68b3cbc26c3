//! The command line: arguments in, a document on stdout, messages on stderr, an exit status.

mod args;
mod completions;
mod describe;
mod input;
mod memory;
mod models;
mod new;
mod output;
mod patience;
mod progress;
mod verbs;

use args::{Arguments, Verb};
use clap::{CommandFactory, FromArgMatches};
use cotangent::verbs::{Code, Failure, printable};
use output::{Output, REFUSED};
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
            return out.finish(Err(usage(&error)));
        }
        Err(error) if error.use_stderr() => {
            let coloured = output::is_coloured(colour, std::io::stderr().is_terminal());
            let text = if coloured { error.render().ansi().to_string() } else { error.render().to_string() };
            // Nobody can be told if stderr is closed.
            let _ = write!(std::io::stderr(), "{}", printable::lines(&text, coloured));
            return REFUSED.into();
        }
        Err(help) => return output::written(help.print().and_then(|()| std::io::stdout().flush()), 0),
    };
    let mut out = Output::new(arguments.json, arguments.color);
    if let Err(error) = out.listen() {
        return out.finish(Err(error));
    }
    let done = match arguments.verb {
        Verb::Check(check) => verbs::check(check, &mut out),
        Verb::Analyze(analyze) => verbs::analyze(analyze, &mut out),
        Verb::Run(run) => verbs::run(*run, &mut out),
        Verb::Certify(certify) => verbs::certify(certify, &mut out),
        Verb::Compare(compare) => verbs::compare(compare, &mut out),
        Verb::Reproduce(reproduce) => verbs::reproduce(reproduce, &mut out),
        Verb::Methods(_) => describe::methods(&mut out),
        Verb::Formulations(_) => describe::formulations(&mut out),
        Verb::Explain(explain) => describe::explain(&explain, &mut out),
        Verb::Models(models) => models::run(&models, &mut out),
        Verb::New(new) => new::run(&new, &mut out),
        Verb::Completions(completions) => completions::run(&completions, &mut out),
    };
    out.finish(done)
}

/// Arguments that were not understood.
fn usage(error: &clap::Error) -> Failure {
    let text = error.render().to_string();
    let (message, rest) = text.split_once("\n\n").unwrap_or((&text, ""));
    let message = message.strip_prefix("error: ").unwrap_or(message).trim();
    let help: Vec<&str> = rest.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    let help = (!help.is_empty()).then(|| help.join("; "));
    Failure::Refused { code: Code::Usage, message: message.to_owned(), help }
}
