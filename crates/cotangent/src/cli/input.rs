//! From the MODEL argument to a text.

use super::output::Output;
use cotangent::model::limits::MAX_SOURCE_BYTES;
use cotangent::model::nearest::nearest;
use cotangent::model::syntax::decode;
use cotangent::models;
use cotangent::verbs::{Code, Failure, Input, printable};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Reads the model, and says which one is meant where a file and a shipped model share its name.
pub(crate) fn read_for(argument: &OsStr, out: &mut Output) -> Result<Input, Failure> {
    let input = read(argument)?;
    if let Some(note) = argument.to_str().and_then(which) {
        out.note(note);
    }
    Ok(input)
}

/// Which model a name means that a file and a shipped model share.
fn which(argument: &str) -> Option<String> {
    models::find(argument)?;
    let shown = printable::line(argument);
    if Path::new(argument).is_file() {
        return Some(format!(
            "`{shown}` is the file of that name here; the shipped model is printed by `cotangent models {shown}`"
        ));
    }
    let beside = format!("{argument}.cot");
    Path::new(&beside).is_file().then(|| {
        let beside = printable::line(&beside);
        format!("`{shown}` is the shipped model; the file here is `{beside}`")
    })
}

/// Reads the file, stdin for `-`, or the shipped model of that name; a file comes first. The name of a file need not be
/// text.
fn read(argument: &OsStr) -> Result<Input, Failure> {
    if argument == "-" {
        return from_reader("<stdin>", Some("stdin".to_owned()), io::stdin().lock());
    }
    let path = Path::new(argument);
    let metadata = std::fs::metadata(path);
    if metadata.as_ref().map_or(true, |m| m.is_dir())
        && let Some(model) = argument.to_str().and_then(models::find)
    {
        return Ok(input(format!("{}.cot", model.name), Some(model.name.to_owned()), model.source.to_owned()));
    }
    let argument = &*argument.to_string_lossy();
    match metadata {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Err(missing(argument)),
        Err(e) => Err(unreadable(argument, &e)),
        Ok(m) if m.is_dir() => Err(Failure::new(Code::NotAFile, format!("`{argument}` is a directory"))
            .help("name a model file in it, or a shipped model (`cotangent models`)")),
        Ok(_) => {
            let file = File::open(path).map_err(|e| unreadable(argument, &e))?;
            let stem = path.file_stem().and_then(|s| s.to_str()).map(str::to_owned);
            from_reader(argument, stem, file)
        }
    }
}

fn input(name: String, stem: Option<String>, source: String) -> Input {
    Input { name, stem, source, command: shortened(std::env::args_os()) }
}

fn from_reader(name: &str, stem: Option<String>, reader: impl Read) -> Result<Input, Failure> {
    let name = name.to_owned();
    let mut bytes = vec![];
    let limit = MAX_SOURCE_BYTES as u64 + 1;
    reader.take(limit).read_to_end(&mut bytes).map_err(|e| unreadable(&name, &e))?;
    if bytes.len() > MAX_SOURCE_BYTES {
        let message = format!("`{name}` is larger than {} MiB", MAX_SOURCE_BYTES >> 20);
        return Err(Failure::new(Code::SourceTooLarge, message)
            .help("describe repeated parts as a family: `coord x[i in 1..n]`"));
    }
    match decode(&bytes) {
        Ok(text) => Ok(input(name, stem, text.to_owned())),
        Err(diagnostics) => {
            let source = String::from_utf8_lossy(&bytes).into_owned();
            Err(Failure::Model { file: name, source, diagnostics })
        }
    }
}

fn unreadable(name: &str, error: &io::Error) -> Failure {
    Failure::new(Code::Unreadable, format!("cannot read `{name}`: {error}"))
}

fn missing(argument: &str) -> Failure {
    let failure = Failure::new(Code::UnknownModel, format!("there is no file and no shipped model `{argument}`"));
    let with_extension = format!("{argument}.cot");
    if Path::new(&with_extension).is_file() {
        return failure.help(format!("did you mean the file `{with_extension}`?"));
    }
    let name = argument.strip_suffix(".cot").unwrap_or(argument);
    let near = models::find(name).map(|m| m.name).or_else(|| nearest(name, models::all().iter().map(|m| m.name)));
    failure.help(match near {
        Some(near) => format!("did you mean `{near}`? `cotangent models` lists the shipped models"),
        None => "`cotangent models` lists the shipped models".to_owned(),
    })
}

/// The command that was given, without the folders of files elsewhere: they say nothing to others.
fn shortened(arguments: impl Iterator<Item = OsString>) -> String {
    let short = |word: &str| match Path::new(word) {
        path if path.is_absolute() => path.file_name().map_or(word.to_owned(), |n| n.to_string_lossy().into_owned()),
        _ => word.to_owned(),
    };
    let one = |word: OsString| {
        let word = word.to_string_lossy().into_owned();
        let word = match word.split_once('=') {
            Some((option, value)) if option.starts_with("--") => format!("{option}={}", short(value)),
            _ => short(&word),
        };
        match word.is_empty() || word.contains(|c: char| c.is_whitespace() || "'\"()[]*$&;|<>#".contains(c)) {
            true => format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$")),
            false => word,
        }
    };
    let words: Vec<String> = arguments.skip(1).map(one).collect();
    format!("cotangent {}", words.join(" "))
}
