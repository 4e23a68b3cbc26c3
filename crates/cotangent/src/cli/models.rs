//! `cotangent models`: the shipped models.

use super::args;
use super::output::Output;
use anstyle::Style;
use cotangent::model::nearest::nearest;
use cotangent::models::{self, Model};
use cotangent::verbs::{Code, Failure, Status};
use serde::Serialize;

#[derive(Serialize)]
struct Entry {
    name: &'static str,
    kind: &'static str,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'static str>,
}

impl Entry {
    fn new(model: &Model) -> Entry {
        let kind = model.system().map_or("", |s| s.dynamics.kind());
        Entry { name: model.name, kind, title: model.title().unwrap_or_default(), source: None }
    }
}

#[derive(Serialize)]
struct List {
    models: Vec<Entry>,
}

/// Lists the models, or prints one.
pub(crate) fn run(args: &args::Models, out: &mut Output) -> Result<Status, Failure> {
    match &args.name {
        Some(name) => one(name, out)?,
        None => list(out)?,
    }
    Ok(Status::Held)
}

fn one(name: &str, out: &mut Output) -> Result<(), Failure> {
    let Some(model) = models::find(name) else {
        let failure = Failure::new(Code::UnknownModel, format!("there is no shipped model `{name}`"));
        return Err(failure.help(match nearest(name, models::all().iter().map(|m| m.name)) {
            Some(near) => format!("did you mean `{near}`? `cotangent models` lists them all"),
            None => "`cotangent models` lists them all".to_owned(),
        }));
    };
    if out.wants_json() {
        return out.document(&Entry { source: Some(model.source), ..Entry::new(model) });
    }
    out.print(model.source);
    Ok(())
}

fn list(out: &mut Output) -> Result<(), Failure> {
    let models: Vec<Entry> = models::all().iter().map(Entry::new).collect();
    if out.wants_json() {
        return out.document(&List { models });
    }
    let names = models.iter().map(|m| m.name.len()).max().unwrap_or(0);
    let kinds = models.iter().map(|m| m.kind.len()).max().unwrap_or(0);
    let bold = if out.coloured() { Style::new().bold() } else { Style::new() };
    for Entry { name, kind, title, .. } in &models {
        out.print(&format!("{bold}{name:names$}{bold:#}  {kind:kinds$}  {title}\n"));
    }
    out.hint("\n`cotangent check NAME` says more about one, `cotangent models NAME` prints its text.\n");
    Ok(())
}
