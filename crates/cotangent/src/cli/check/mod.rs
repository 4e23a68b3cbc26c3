//! `cotangent check`: what a model is, and whether its initial data fit its constraints.

mod formula;
mod report;
mod text;
mod values;

use super::args;
use super::failure::Failure;
use super::input::Input;
use super::output::{Output, Status};
use super::setting::Settings;
use cotangent::model::diagnostic::{Colour, Diagnostic, Diagnostics};
use cotangent::model::syntax::{self, ast::StatementKind};
use cotangent::model::{Options, System};
use report::Report;

/// Checks a model.
pub(crate) fn run(args: &args::Check, out: &mut Output) -> Result<Status, Failure> {
    let input = Input::read(&args.model)?;
    let file = syntax::parse(&input.source).file;
    let settings = Settings::sort(&args.set, &file)?;
    let options = Options { integers: settings.integers.clone() };
    let mut system = System::parse_with(&input.source, &options).map_err(|d| input.failure(d))?;
    let is_named = file.statements.iter().any(|s| matches!(s.kind, StatementKind::Model { .. }));
    if let (false, Some(stem)) = (is_named, &input.stem) {
        system.name.clone_from(stem);
    }
    let report = Report::new(&system, &input, &file, &settings.values)?;
    if out.wants_json() {
        out.document(&report)?;
    } else {
        let warnings = warnings(&system.warnings, &input, out.message_colour());
        out.tell(&warnings);
        out.print(&text::render(&report, out.coloured()));
    }
    Ok(if report.held() { Status::Held } else { Status::Failed })
}

/// Warnings with the lines they are about.
fn warnings(list: &[Diagnostic], input: &Input, colour: Colour) -> String {
    let mut all = Diagnostics::new();
    list.iter().for_each(|d| all.push(d.clone()));
    let drawn = all.render(&input.name, &input.source, colour);
    // Diagnostics are drawn as errors: their headings start with the code in brackets.
    let heading = |line: &str| line.starts_with('[') || line.starts_with("\u{1b}[") && line.contains("Error:");
    let lines = drawn.lines().map(|line| match heading(line) {
        true => line.replacen("Error:", "Warning:", 1),
        false => line.to_owned(),
    });
    lines.map(|line| line + "\n").collect()
}
