//! Why a command was refused, for people and for programs.

pub(crate) use crate::code::Code;

use crate::printable;
use anstyle::{AnsiColor, Style};
use cotangent_compile::values::ValueError;
use cotangent_model::diagnostic::{Colour, Diagnostic, Diagnostics, Lines};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Why a command was refused.
#[derive(Clone, Debug)]
pub enum Failure {
    /// A model text has mistakes.
    Model {
        /// What the text is called.
        file: String,
        /// The text.
        source: String,
        /// The mistakes.
        diagnostics: Diagnostics,
    },
    /// Anything else.
    Refused {
        /// A stable name for the kind of error.
        code: Code,
        /// What is wrong.
        message: String,
        /// What to do instead.
        help: Option<String>,
    },
}

impl Failure {
    /// A failure without help. The message is one line, whatever the names in it are made of.
    pub fn new(code: Code, message: impl Into<String>) -> Failure {
        let message = printable::line(&message.into()).into_owned();
        Failure::Refused { code, message, help: None }
    }

    /// The command was interrupted before it had a result.
    pub fn interrupted() -> Failure {
        Failure::new(Code::Interrupted, "interrupted before there was a result")
    }

    /// Whether that is it.
    pub fn is_interrupt(&self) -> bool {
        matches!(self, Failure::Refused { code: Code::Interrupted, .. })
    }

    /// Whether a file could not be read or written, which has nothing to do with how far a computation came.
    pub fn is_about_files(&self) -> bool {
        matches!(self, Failure::Refused { code, .. } if code.is_about_files())
    }

    /// Says what to do instead.
    pub fn help(self, text: impl Into<String>) -> Failure {
        match self {
            Failure::Refused { code, message, .. } => {
                let help = Some(printable::line(&text.into()).into_owned());
                Failure::Refused { code, message, help }
            }
            model => model,
        }
    }

    /// What is wrong, in a line.
    pub fn message(&self) -> String {
        match self {
            Failure::Refused { message, .. } => message.clone(),
            Failure::Model { file, .. } => format!("`{}` has mistakes", printable::line(file)),
        }
    }

    /// As people read it.
    pub fn render(&self, colour: Colour) -> String {
        match self {
            Failure::Model { file, source, diagnostics } => {
                let file = printable::line(file);
                let mut text = diagnostics.render(&file, source, colour);
                let count = diagnostics.count();
                text += &match count {
                    1 => format!("error: {file} has 1 mistake\n"),
                    _ => format!("error: {file} has {count} mistakes\n"),
                };
                text
            }
            Failure::Refused { message, help, .. } => {
                let paint = |style: Style, text: &str| match colour {
                    Colour::Always => format!("{style}{text}{style:#}"),
                    Colour::Never => text.to_owned(),
                };
                let mut text = format!("{} {message}\n", paint(AnsiColor::Red.on_default().bold(), "error:"));
                if let Some(help) = help {
                    text += &format!("{} {help}\n", paint(AnsiColor::Cyan.on_default().bold(), " help:"));
                }
                text
            }
        }
    }

    /// As programs read it.
    pub fn document(&self) -> ErrorDocument {
        let error = match self {
            Failure::Model { file, source, diagnostics } => {
                let lines = Lines::new(source);
                let all: Vec<Problem> = diagnostics.iter().map(|d| Problem::new(d, file, &lines)).collect();
                let first = all.first().cloned().unwrap_or(Problem::plain(Code::Model, "the model has mistakes", None));
                ErrorContent { first, all }
            }
            Failure::Refused { code, message, help } => {
                let first = Problem::plain(*code, message, help.clone());
                ErrorContent { all: vec![first.clone()], first }
            }
        };
        ErrorDocument { error }
    }
}

/// What is wrong, and what to do instead.
impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Model { diagnostics, .. } => write!(f, "{diagnostics}"),
            Failure::Refused { message, help: None, .. } => write!(f, "{message}"),
            Failure::Refused { message, help: Some(help), .. } => write!(f, "{message}; {help}"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<ValueError> for Failure {
    fn from(error: ValueError) -> Failure {
        let code = match &error {
            ValueError::UnknownName { .. } => Code::UnknownName,
            ValueError::NoSuchMember { .. } => Code::IndexOutOfRange,
            ValueError::MissingValue { .. } => Code::MissingValue,
            ValueError::NotFinite { .. } => Code::NoValue,
            ValueError::WrongSign { .. } => Code::WrongSign,
            ValueError::MixedRates { .. } => Code::WrongPlace,
            ValueError::NoMomenta { .. } => Code::NoMomenta,
            ValueError::Compile(_) => Code::Compile,
            ValueError::Call(_) => Code::Evaluate,
        };
        let failure = Failure::new(code, error.to_string());
        match error {
            ValueError::MixedRates { .. } => failure.help("set the kind that the model's `initial` gives"),
            _ => failure,
        }
    }
}

/// The JSON form of a failure.
#[derive(Serialize)]
pub struct ErrorDocument {
    error: ErrorContent,
}

#[derive(Serialize)]
struct ErrorContent {
    #[serde(flatten)]
    first: Problem,
    all: Vec<Problem>,
}

/// The JSON form of one diagnostic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// A stable name for the kind of mistake.
    pub code: Cow<'static, str>,
    /// What is wrong.
    pub message: String,
    /// Where.
    pub at: Option<At>,
    /// What to write instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// The characters at fault: line and column from 1, `start..end` in bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct At {
    /// What the text is called.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The first byte.
    pub start: usize,
    /// The byte behind the last.
    pub end: usize,
}

impl Problem {
    pub(crate) fn new(d: &Diagnostic, file: &str, lines: &Lines<'_>) -> Problem {
        let position = lines.position(d.span.start);
        let at = At {
            file: file.to_owned(),
            line: position.line,
            column: position.column,
            start: d.span.start,
            end: d.span.end,
        };
        Problem { code: d.code.name().into(), message: d.message.clone(), at: Some(at), help: d.help.clone() }
    }

    fn plain(code: Code, message: &str, help: Option<String>) -> Problem {
        Problem { code: code.name().into(), message: message.to_owned(), at: None, help }
    }
}
