//! From the MODEL argument to a text.

use super::failure::{Code, Failure};
use super::printable;
use cotangent::model::diagnostic::Diagnostics;
use cotangent::model::limits::MAX_SOURCE_BYTES;
use cotangent::model::nearest::nearest;
use cotangent::model::syntax::decode;
use cotangent::models;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// A model text and what to call it in messages.
pub(crate) struct Input {
    /// A path, `<stdin>`, or the name of a shipped model's file.
    pub(crate) name: String,
    /// The name of the model, if its text gives none.
    pub(crate) stem: Option<String>,
    /// The text.
    pub(crate) source: String,
    /// The command that asked for it first, if that is another than this one.
    pub(crate) command: Option<String>,
}

impl Input {
    /// Reads the file, stdin for `-`, or the shipped model of that name; a file comes first.
    pub(crate) fn read(argument: &str) -> Result<Input, Failure> {
        if argument == "-" {
            return Input::from_reader("<stdin>", Some("stdin".to_owned()), io::stdin().lock());
        }
        let path = Path::new(argument);
        let metadata = std::fs::metadata(path);
        if metadata.as_ref().map_or(true, |m| m.is_dir())
            && let Some(model) = models::find(argument)
        {
            let stem = Some(model.name.to_owned());
            return Ok(Input {
                name: format!("{}.cot", model.name),
                stem,
                source: model.source.to_owned(),
                command: None,
            });
        }
        match metadata {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Err(missing(argument)),
            Err(e) => Err(unreadable(argument, &e)),
            Ok(m) if m.is_dir() => Err(Failure::new(Code::NotAFile, format!("`{argument}` is a directory"))
                .help("name a model file in it, or a shipped model (`cotangent models`)")),
            Ok(_) => {
                let file = File::open(path).map_err(|e| unreadable(argument, &e))?;
                let stem = path.file_stem().and_then(|s| s.to_str()).map(str::to_owned);
                Input::from_reader(argument, stem, file)
            }
        }
    }

    fn from_reader(name: &str, stem: Option<String>, reader: impl Read) -> Result<Input, Failure> {
        let name = &printable::line(name);
        let mut bytes = vec![];
        let limit = MAX_SOURCE_BYTES as u64 + 1;
        reader.take(limit).read_to_end(&mut bytes).map_err(|e| unreadable(name, &e))?;
        if bytes.len() > MAX_SOURCE_BYTES {
            let message = format!("`{name}` is larger than {} MiB", MAX_SOURCE_BYTES >> 20);
            return Err(Failure::new(Code::SourceTooLarge, message)
                .help("describe repeated parts as a family: `coord x[i in 1..n]`"));
        }
        match decode(&bytes) {
            Ok(text) => Ok(Input { name: name.to_string(), stem, source: text.to_owned(), command: None }),
            Err(diagnostics) => Err(Failure::Model {
                file: name.to_string(),
                source: String::from_utf8_lossy(&bytes).into_owned(),
                diagnostics,
            }),
        }
    }

    /// The mistakes of this text.
    pub(crate) fn failure(&self, diagnostics: Diagnostics) -> Failure {
        Failure::Model { file: self.name.clone(), source: self.source.clone(), diagnostics }
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
