//! Where results and messages go, and what the exit status is.

use super::args::Colour;
use super::memory;
use super::patience::{self, Last, Phase};
use super::progress::Bar;
use cotangent::host::{cancel_on_signal, clock, fail_at_file_limit};
use cotangent::model::diagnostic::{self, Diagnostic, Diagnostics};
use cotangent::scalar::{Cancel, Limits};
use cotangent::verbs::{Code, Failure, Input, Listener, Message, Progress, Session, Status, printable};
use serde::Serialize;
use std::ffi::OsString;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

/// The exit status of a verb that was not refused.
pub(crate) fn exit(status: Status) -> u8 {
    match status {
        Status::Held => 0,
        Status::NotHeld => 1,
        Status::Unwritten => REFUSED,
        Status::Stopped => 3,
    }
}

/// The exit status of what was refused.
pub(crate) const REFUSED: u8 = 2;

/// The version of the JSON documents.
pub(crate) const FORMAT: u32 = 1;

/// Collects what a command prints. It is written at the end, so that an error leaves stdout empty.
pub(crate) struct Output {
    json: bool,
    colour: Colour,
    /// What goes to stdout.
    text: String,
    /// Whether a document could be written there, if it was already.
    printed: Option<io::Result<()>>,
    /// What goes to stderr.
    messages: String,
    /// What the next session begins with.
    notes: Vec<String>,
    cancel: Cancel,
    phase: Phase,
}

impl Output {
    pub(crate) fn new(json: bool, colour: Colour) -> Output {
        Output {
            json,
            colour,
            text: String::new(),
            printed: None,
            messages: String::new(),
            notes: vec![],
            cancel: Cancel::new(),
            phase: Phase::new(Last::default()),
        }
    }

    /// From now on Ctrl-C asks for a stop.
    pub(crate) fn listen(&mut self) -> Result<(), Failure> {
        cancel_on_signal(&self.cancel)
            .and_then(|()| fail_at_file_limit())
            .map_err(|e| Failure::new(Code::Signals, e.to_string()))?;
        self.phase.leave(self.last(&Failure::interrupted())?);
        patience::watch(&self.cancel, &self.phase, self.json);
        Ok(())
    }

    /// What an interrupted program says instead of a result.
    fn last(&self, failure: &Failure) -> Result<Last, Failure> {
        let text = match self.json {
            true => document(&failure.document())?,
            false => failure.render(self.message_colour()),
        };
        Ok(Last { text, is_result: self.json, status: exit(Status::Stopped) })
    }

    /// A session of a verb: its messages go to stderr, and it may go on until Ctrl-C.
    pub(crate) fn session(&mut self) -> Session<'_> {
        let limits = Limits::until(self.cancel.clone()).timed(clock());
        let bar = Bar::new(self.json);
        let notes = std::mem::take(&mut self.notes);
        let session = Session::new(Ear { out: self, bar }, limits).with_memory(memory::available());
        notes.into_iter().fold(session, Session::saying)
    }

    /// Notes something that the next session begins with.
    pub(crate) fn note(&mut self, text: String) {
        self.notes.push(text);
    }

    /// Whether a JSON document is wanted.
    pub(crate) fn wants_json(&self) -> bool {
        self.json
    }

    /// Whether results are coloured.
    pub(crate) fn coloured(&self) -> bool {
        coloured(self.colour, io::stdout().is_terminal())
    }

    /// How messages are coloured.
    pub(crate) fn message_colour(&self) -> diagnostic::Colour {
        match coloured(self.colour, io::stderr().is_terminal()) {
            true => diagnostic::Colour::Always,
            false => diagnostic::Colour::Never,
        }
    }

    /// Whether a person reads the results.
    pub(crate) fn on_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// Adds text to the result.
    pub(crate) fn print(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds text to the messages; with `--json` everything is in the document instead.
    pub(crate) fn tell(&mut self, text: &str) {
        if !self.json {
            self.messages.push_str(text);
        }
    }

    /// Says how to go on, to a person.
    pub(crate) fn hint(&mut self, text: &str) {
        if self.on_terminal() {
            self.tell(text);
        }
    }

    /// Adds a failure to the messages.
    pub(crate) fn tell_of(&mut self, failure: &Failure) {
        self.tell(&failure.render(self.message_colour()));
    }

    /// Makes a document the result. It may take most of the memory there is, and long: it is printed while it is made. After
    /// an interrupt it is short.
    pub(crate) fn document(&mut self, document: &impl Serialize) -> Result<(), Failure> {
        if self.cancel.is_set() {
            self.text = self::document(document)?;
            return Ok(());
        }
        self.cut();
        let mut stdout = BufWriter::with_capacity(1 << 16, io::stdout().lock());
        self.printed = Some(write(document, &mut stdout).and_then(|()| stdout.flush()));
        Ok(())
    }

    /// Whoever asks to stop from now on, or already has and does not get all of the result soon, has to know that there is more.
    fn cut(&self) {
        let text = "error: interrupted while the result was printed: the end of it is missing\n".to_owned();
        self.phase.leave(Last { text, is_result: false, status: exit(Status::Stopped) });
    }

    /// Writes everything and gives the exit status.
    pub(crate) fn finish(mut self, done: Result<Status, Failure>) -> ExitCode {
        let status = match done {
            Ok(status) => exit(status),
            Err(failure) => {
                // Whatever a part says that was asked to stop, but a file that could not be written is another matter.
                let stopped = self.cancel.is_set() && !failure.is_about_files() && !failure.is_interrupt();
                let failure = if stopped { Failure::interrupted() } else { failure };
                self.text.clear();
                let text = failure.render(self.message_colour());
                self.tell(&text);
                if self.json && self.document(&failure.document()).is_err() {
                    self.messages.push_str("error: the error cannot be written as JSON\n");
                }
                if failure.is_interrupt() { exit(Status::Stopped) } else { REFUSED }
            }
        };
        let text = if self.json { self.text.as_str().into() } else { printable::lines(&self.text, self.coloured()) };
        self.cut();
        let mut stdout = io::stdout().lock();
        let written = match self.printed.take() {
            Some(written) => written,
            None => stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()),
        };
        // Messages come last, where they are seen. Nobody can be told if stderr is closed.
        let coloured = matches!(self.message_colour(), diagnostic::Colour::Always);
        let mut stderr = io::stderr().lock();
        let _ = stderr.write_all(printable::lines(&self.messages, coloured).as_bytes());
        drop(stderr);
        self::written(written, status)
    }
}

/// The exit status of a program whose result was written, or was not.
pub(crate) fn written(written: io::Result<()>, status: u8) -> ExitCode {
    match written {
        Ok(()) => status.into(),
        // The reader has seen enough: `cotangent models | head -1`.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => status.into(),
        Err(error) => {
            // Nobody can be told if stderr is closed.
            let _ = writeln!(io::stderr(), "error: cannot write the result: {error}");
            REFUSED.into()
        }
    }
}

/// Hears what a verb says: at once on stderr, and with `--json` not at all, as it is in the document.
struct Ear<'a> {
    out: &'a mut Output,
    bar: Bar,
}

impl Listener for Ear<'_> {
    fn hear(&mut self, message: Message<'_>) {
        if self.out.json {
            return;
        }
        self.bar.clear();
        let (kind, text) = match message {
            Message::Note(text) => ("note", text),
            Message::Warning(text) => ("warning", text),
            Message::Text(input, warnings) => return self.out.tell(&drawn(input, warnings, self.out.message_colour())),
        };
        // Nobody can be told if stderr is closed.
        let _ = writeln!(io::stderr(), "{kind}: {}", printable::line(text));
    }

    fn progress(&mut self, progress: Progress<'_>) {
        self.bar.show(progress);
    }

    fn keep(&mut self) {
        self.out.phase.keep();
    }

    fn kept(&mut self, told: &str) {
        // What cannot be said leaves what was to be said before.
        if let Ok(last) = self.out.last(&Failure::new(Code::Interrupted, told)) {
            self.out.phase.leave(last);
        }
    }
}

/// Warnings about the text of a model, with the lines they are about.
fn drawn(input: &Input, warnings: &[Diagnostic], colour: diagnostic::Colour) -> String {
    let mut all = Diagnostics::new();
    warnings.iter().for_each(|d| all.push(d.clone()));
    all.render_warnings(&printable::line(&input.name), &input.source, colour)
}

/// A document and the version of its format, as text.
pub(crate) fn document(content: &impl Serialize) -> Result<String, Failure> {
    let unwritten = |e: String| Failure::new(Code::Json, format!("the result cannot be written as JSON: {e}"));
    let mut text = vec![];
    write(content, &mut text).map_err(|e| unwritten(e.to_string()))?;
    String::from_utf8(text).map_err(|e| unwritten(e.to_string()))
}

/// The same, written while it is made.
fn write(content: &impl Serialize, to: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(printable::Json(&mut *to), &Document { format: FORMAT, content })?;
    to.write_all(b"\n")
}

/// A document and the version of its format.
#[derive(Serialize)]
struct Document<'a, T> {
    format: u32,
    #[serde(flatten)]
    content: &'a T,
}

fn coloured(wanted: Colour, is_terminal: bool) -> bool {
    match wanted {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => {
            let no_colour = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
            let dumb = std::env::var_os("TERM").is_some_and(|v| v == "dumb");
            is_terminal && !no_colour && !dumb
        }
    }
}

/// Whether messages of the parser of arguments are coloured.
pub(crate) fn is_coloured(choice: clap::ColorChoice, is_terminal: bool) -> bool {
    coloured(
        match choice {
            clap::ColorChoice::Always => Colour::Always,
            clap::ColorChoice::Never => Colour::Never,
            clap::ColorChoice::Auto => Colour::Auto,
        },
        is_terminal,
    )
}

/// The colours of the help, which is printed before the arguments are understood.
pub(crate) fn clap_colour(arguments: &[OsString]) -> clap::ColorChoice {
    let words: Vec<&str> = arguments.iter().filter_map(|a| a.to_str()).collect();
    let after = words.windows(2).find(|pair| pair[0] == "--color").map(|pair| pair[1]);
    match words.iter().find_map(|w| w.strip_prefix("--color=")).or(after) {
        Some("always") => clap::ColorChoice::Always,
        Some("never") => clap::ColorChoice::Never,
        _ => clap::ColorChoice::Auto,
    }
}
