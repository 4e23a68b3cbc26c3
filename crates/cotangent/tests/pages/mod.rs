//! The pages of the book and the README, and the fenced blocks in them.

use std::ops::Range;
use std::path::{Path, PathBuf};

/// The folder of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text of a file of the repository.
pub(crate) fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// A fenced block of a page.
#[derive(Debug)]
pub(crate) struct Block<'a> {
    /// What stands behind the opening fence: `console`, `text`, `rust`.
    pub(crate) info: &'a str,
    /// The last line of text before it that is not empty.
    pub(crate) before: &'a str,
    /// The line of the opening fence, from 1.
    pub(crate) line: usize,
    /// Where its content is in the page.
    pub(crate) range: Range<usize>,
    /// The content, with its last line end.
    pub(crate) content: &'a str,
}

/// The fenced blocks of a page, in order.
pub(crate) fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut out = vec![];
    let (mut at, mut before) = (0, "");
    let mut open: Option<(&str, &str, usize, usize)> = None;
    for (number, line) in page.split_inclusive('\n').enumerate() {
        let (start, text) = (at, line.trim_end());
        at += line.len();
        match (open, text.strip_prefix("```")) {
            (None, Some(info)) => open = Some((info, before, number + 1, at)),
            (Some((info, before, line, from)), Some("")) => {
                out.push(Block { info, before, line, range: from..start, content: &page[from..start] });
                open = None;
            }
            (None, None) if !text.is_empty() => before = text,
            _ => {}
        }
    }
    assert!(open.is_none(), "the block `{}` is not closed", open.map_or("", |o| o.0));
    out
}
