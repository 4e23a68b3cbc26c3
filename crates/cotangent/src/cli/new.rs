//! `cotangent new`: a model to start from.

use super::args::{self, Template};
use super::output::Output;
use cotangent::verbs::{Code, Failure, Status, printable};
use cotangent::{System, models};
use serde::Serialize;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

#[derive(Serialize)]
struct Written {
    written: String,
}

impl Template {
    fn text(self) -> &'static str {
        match self {
            Template::Hamiltonian => include_str!("../../templates/hamiltonian.cot"),
            Template::Lagrangian => include_str!("../../templates/lagrangian.cot"),
            Template::Poisson => include_str!("../../templates/poisson.cot"),
            Template::Vakonomic => include_str!("../../templates/vakonomic.cot"),
            Template::Form => include_str!("../../templates/form.cot"),
        }
    }
}

/// Writes the file.
pub(crate) fn run(args: &args::New, out: &mut Output) -> Result<Status, Failure> {
    let (path, name) = target(&args.name)?;
    let text = args.kind.text().replace("NAME", &name);
    // The templates are correct: what can be wrong is the name.
    if let Err(diagnostics) = System::parse(&text) {
        let reason = diagnostics.iter().next().map_or(String::new(), |d| d.message.clone());
        return Err(Failure::new(Code::ReservedName, reason).help("choose another name"));
    }
    write(&path, &text)?;
    let shown = path.display().to_string();
    if out.wants_json() {
        out.document(&Written { written: shown })?;
    } else {
        let shown = printable::line(&shown);
        out.print(&format!("{shown}\n"));
        out.tell(&format!("Wrote {shown}. Edit it, then: cotangent check {shown}\n"));
        if let Some(model) = path.file_stem().and_then(|s| s.to_str()).and_then(models::find) {
            let name = model.name;
            out.tell(&format!("note: there is a shipped model `{name}`, too: `cotangent check {name}` means that one, with `.cot` your file\n"));
        }
    }
    Ok(Status::Held)
}

/// The file to write and the name of the model in it.
fn target(argument: &Path) -> Result<(PathBuf, String), Failure> {
    let shown = argument.display();
    let bad = || {
        Failure::new(Code::MalformedName, format!("`{shown}` cannot name a model"))
            .help("a name is made of letters, digits, `_` and `-`, and starts with a letter")
    };
    let file = argument.file_name().and_then(|f| f.to_str()).ok_or_else(bad)?;
    let stem = file.strip_suffix(".cot").unwrap_or(file);
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !stem.starts_with(|c: char| c.is_ascii_alphabetic()) || !stem.chars().all(fits) {
        return Err(bad());
    }
    Ok((argument.with_file_name(format!("{stem}.cot")), stem.replace('-', "_")))
}

/// Writes a new file: all of it or nothing, and never over another.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let shown = path.display();
    let failed = |e: &std::io::Error| match e.kind() {
        ErrorKind::AlreadyExists => {
            Failure::new(Code::Exists, format!("`{shown}` exists already; nothing was written"))
                .help("choose another name, or remove the file")
        }
        _ => Failure::new(Code::Unwritable, format!("cannot write `{shown}`: {e}")),
    };
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(Failure::new(Code::Unwritable, format!("there is no directory `{}`", folder.display())));
    }
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // What a file normally gets; the user's umask takes away from it.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.prefix(".cotangent").tempfile_in(folder).map_err(|e| failed(&e))?;
    file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(|e| failed(&e))?;
    file.persist_noclobber(path).map_err(|e| failed(&e.error))?;
    Ok(())
}
