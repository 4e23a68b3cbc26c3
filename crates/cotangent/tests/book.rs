//! The commands of the README and of the book print what they are said to print.
//!
//! In a `console` block, `$ command` is run and what follows it is its output, stdout and stderr as
//! they come. A line `…` stands for any lines. A command has to succeed, unless `$ echo $?` comes
//! next and shows its exit status. Commands are `cotangent …` (also as `cargo run --release -- …`),
//! `cat FILE` and `echo $?`.
//!
//! A page has a folder of its own. A `text` block after a line that ends with "`NAME.cot`:" is
//! written there. Between `<!-- include PATH -->` and `<!-- end -->` stands a copy of that file.
//!
//! Where the output is right and the page is not, `COTANGENT_BLESS=1 cargo test -p cotangent --test
//! book` rewrites the page.

#[allow(dead_code)]
mod pages;

use pages::{Block, blocks, read, root};
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

/// README.md and the pages of the book, as paths in the repository.
fn all_pages() -> Vec<String> {
    let mut pages = vec![String::from("README.md")];
    pages.extend(files_of_the_book().into_iter().map(|name| format!("docs/src/{name}")));
    pages
}

/// The Markdown files of the book but its list of contents.
fn files_of_the_book() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(root().join("docs/src"))
        .expect("the book")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .filter(|name| name.ends_with(".md") && name != "SUMMARY.md")
        .collect();
    names.sort();
    names
}

#[test]
fn every_command_prints_what_its_page_says() {
    let bless = std::env::var_os("COTANGENT_BLESS").is_some();
    let (mut commands, mut wrong) = (0, vec![]);
    for page in all_pages() {
        let found = read(&page);
        let text = with_included_files(&found);
        if text != found {
            wrong.push(format!("{page}: an included file is another one"));
        }
        let folder = tempfile::tempdir().expect("a folder");
        let mut corrected = text.clone();
        let mut replacements = vec![];
        for block in blocks(&text) {
            if let Some(name) = file_name(&block) {
                std::fs::write(folder.path().join(name), block.content).expect("the file is written");
            }
            if block.info == "console" {
                let actual = session(&block, folder.path());
                commands += actual.len();
                let said = said(block.content);
                for ((command, output), (_, expected)) in actual.iter().zip(&said) {
                    if !matches(expected, output) {
                        wrong.push(format!("{page}:{}: $ {command}\n{output}", block.line));
                    }
                }
                replacements.push((block.range, show(&actual, &said)));
            }
        }
        // From the end, so that earlier ranges stay valid.
        for (range, new) in replacements.into_iter().rev() {
            corrected.replace_range(range, &new);
        }
        if bless && corrected != found {
            std::fs::write(root().join(&page), corrected).expect("the page is written");
        }
    }
    assert!(commands > 10, "the book shows commands");
    assert!(bless || wrong.is_empty(), "these differ (see the head of this file):\n\n{}", wrong.join("\n"));
}

/// A page with the files that it includes as they are now.
fn with_included_files(page: &str) -> String {
    let (open, end) = ("<!-- include ", "<!-- end -->");
    let mut parts = page.split(open);
    let mut out = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let (path, rest) = part.split_once(" -->\n").expect("the path of a file");
        let (_, after) = rest.split_once(end).expect("the end of the copy");
        out += &format!("{open}{path} -->\n{}{end}{after}", read(path));
    }
    out
}

/// The file that a `text` block is, by the line before it.
fn file_name<'a>(block: &Block<'a>) -> Option<&'a str> {
    let name = block.before.strip_suffix("`:").filter(|_| block.info == "text")?.rsplit('`').next()?;
    name.ends_with(".cot").then_some(name)
}

/// The commands of a block, each with the output it is said to have.
fn said(content: &str) -> Vec<(&str, String)> {
    let mut out: Vec<(&str, String)> = vec![];
    for line in content.lines() {
        match (line.strip_prefix("$ "), out.last_mut()) {
            (Some(command), _) => out.push((command, String::new())),
            (None, Some((_, output))) => *output += &format!("{line}\n"),
            (None, None) => panic!("a console block starts with a command, not with `{line}`"),
        }
    }
    out
}

/// Runs the commands of a block: each with what it prints.
fn session<'a>(block: &Block<'a>, folder: &Path) -> Vec<(&'a str, String)> {
    let commands: Vec<&str> = said(block.content).into_iter().map(|c| c.0).collect();
    let mut status = 0;
    let mut out = vec![];
    for (k, &command) in commands.iter().enumerate() {
        let output = if command == "echo $?" { format!("{status}\n") } else { run(command, folder, &mut status) };
        let shown = commands.get(k + 1) == Some(&"echo $?");
        assert!(status == 0 || shown || command == "echo $?", "`{command}` ends with {status}:\n{output}");
        out.push((command, output));
    }
    out
}

fn run(command: &str, folder: &Path, status: &mut i32) -> String {
    let short = command.replace("cargo run --release --", "cotangent");
    let words: Vec<String> = words(&short);
    *status = 0;
    match words[0].as_str() {
        "cat" => std::fs::read_to_string(folder.join(&words[1])).unwrap_or_else(|e| panic!("{command}: {e}")),
        "cotangent" => {
            let output = tempfile::NamedTempFile::new().expect("a file");
            let open = || -> Stdio { File::options().append(true).open(output.path()).expect("the file").into() };
            let ended = Command::new(env!("CARGO_BIN_EXE_cotangent"))
                .args(&words[1..])
                .current_dir(folder)
                .env("NO_COLOR", "1")
                .env_remove("CLICOLOR_FORCE")
                .env_remove("COLUMNS")
                .stdin(Stdio::null())
                .stdout(open())
                .stderr(open())
                .status()
                .expect("the program starts");
            *status = ended.code().expect("the program was not killed");
            let text = std::fs::read_to_string(output.path()).expect("UTF-8");
            // Editors and git dislike blanks at the ends of lines.
            text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
        }
        other => panic!("`{other}` in `{command}` is none of the commands a page may use"),
    }
}

/// The words of a command; double quotes keep one together.
fn words(command: &str) -> Vec<String> {
    let (mut out, mut quoted, mut inside) = (vec![String::new()], false, false);
    for c in command.chars() {
        match c {
            '"' => (quoted, inside) = (!quoted, true),
            ' ' if !quoted => {
                if inside {
                    out.push(String::new());
                }
                inside = false;
            }
            c => {
                inside = true;
                out.last_mut().expect("one at least").push(c);
            }
        }
    }
    out
}

/// Whether an output is the expected one, in which a line `…` stands for any lines.
fn matches(expected: &str, output: &str) -> bool {
    fn lines(expected: &[&str], output: &[&str]) -> bool {
        match expected.split_first() {
            None => output.is_empty(),
            Some((&"…", rest)) => (0..=output.len()).any(|k| lines(rest, &output[k..])),
            Some((first, rest)) => output.split_first().is_some_and(|(o, tail)| o == first && lines(rest, tail)),
        }
    }
    lines(&expected.lines().collect::<Vec<_>>(), &output.lines().collect::<Vec<_>>())
}

/// A block with the actual outputs; one that is right stays as it is.
fn show(actual: &[(&str, String)], said: &[(&str, String)]) -> String {
    let one = |((command, output), (_, expected)): (&(&str, String), &(&str, String))| {
        // The time a run takes is another one each time.
        let timeless =
            |line: &str| if line.starts_with("  seconds ") { "…\n".to_owned() } else { format!("{line}\n") };
        let shown = if matches(expected, output) { expected.clone() } else { output.lines().map(timeless).collect() };
        format!("$ {command}\n{shown}")
    };
    actual.iter().zip(said).map(one).collect()
}

#[test]
fn the_conventions_of_console_blocks_hold() {
    assert!(matches("a\n…\nd\n", "a\nb\nc\nd\n") && matches("a\n…\n", "a\n") && matches("", ""));
    assert!(!matches("a\n…\nd\n", "a\nb\n") && !matches("a\n", "a\nb\n") && !matches("", "a\n"));
    assert_eq!(words("check  a.cot --set \"x'=1 + 2\""), ["check", "a.cot", "--set", "x'=1 + 2"]);
    let page = "Write `swing.cot`:\n\n```text\ncoord x\n```\n\nElse\n\n```console\n$ a b\nc\n$ echo $?\n2\n```\n";
    let found = blocks(page);
    assert_eq!((found.len(), file_name(&found[0]), file_name(&found[1])), (2, Some("swing.cot"), None));
    assert_eq!(said(found[1].content), [("a b", "c\n".into()), ("echo $?", "2\n".into())]);
    assert_eq!(&page[found[0].range.clone()], "coord x\n");
}

#[test]
fn the_contents_list_every_page_and_no_other() {
    let summary = read("docs/src/SUMMARY.md");
    let mut listed = links(&summary);
    listed.sort();
    assert_eq!(listed, files_of_the_book());
}

#[test]
fn every_shipped_model_is_described() {
    let page = read("docs/src/models.md");
    let described: Vec<&str> =
        page.lines().filter_map(|l| l.strip_prefix("**`")?.split_once("`**:").map(|(name, _)| name)).collect();
    let mut sorted = described.clone();
    sorted.sort();
    assert_eq!(sorted, cotangent::models::all().iter().map(|m| m.name).collect::<Vec<_>>());
}

#[test]
fn every_method_and_formulation_is_explained() {
    let page = read("docs/src/methods.md");
    let methods = cotangent::Method::ALL.map(cotangent::Method::name);
    let formulations = cotangent::Formulation::ALL.map(cotangent::Formulation::name);
    let all: Vec<&str> = methods.into_iter().chain(formulations).collect();
    let (_, page) = page.split_once("## The methods").expect("the heading");
    let explained: Vec<&str> = page.lines().filter_map(|l| l.strip_prefix("$ cotangent explain ")).collect();
    assert_eq!(explained, all);
}

/// The targets of the Markdown links of a text.
fn links(text: &str) -> Vec<String> {
    let ends = |rest: &str| rest.split_once(')').map(|(target, _)| target.to_owned());
    text.split("](").skip(1).filter_map(ends).collect()
}

#[test]
fn every_link_leads_somewhere() {
    for page in all_pages().into_iter().chain(["ARCHITECTURE.md".into(), "CHANGELOG.md".into()]) {
        let text = read(&page);
        for target in links(&text).iter().filter(|t| !t.starts_with("https://")) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let folder = Path::new(&page).parent().expect("a folder");
            let path = root().join(if file.is_empty() { Path::new(&page).to_owned() } else { folder.join(file) });
            assert!(path.exists(), "{page}: {target}");
            let there = std::fs::read_to_string(&path).unwrap_or_default();
            let found = anchor.is_empty() || there.lines().any(|l| l.starts_with('#') && slug(l) == anchor);
            assert!(found, "{page}: {target}: no such heading");
        }
    }
}

/// The anchor of a heading.
fn slug(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    text.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).collect::<String>().replace(' ', "-")
}
