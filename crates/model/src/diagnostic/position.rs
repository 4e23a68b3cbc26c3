//! From byte offsets to lines and columns.

/// A place in the text as people count: from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, from 1. Lines end with `\n`, `\r\n` or a lone `\r`.
    pub line: usize,
    /// The column, from 1, in characters (not bytes; a tab is one).
    pub column: usize,
}

/// Line and column of a byte offset. Offsets beyond the end are taken for the end, offsets inside
/// a character for its beginning.
pub fn position_of(source: &str, offset: usize) -> Position {
    let mut line = 1;
    let mut column = 1;
    let mut characters = source.char_indices().peekable();
    while let Some((_, c)) = characters.next() {
        let next = characters.peek().map_or(source.len(), |&(next, _)| next);
        if next > offset {
            break;
        }
        let before_line_feed = characters.peek().is_some_and(|&(_, next)| next == '\n');
        if c == '\n' || (c == '\r' && !before_line_feed) {
            line += 1;
            column = 1;
        } else {
            column += 1;
        }
    }
    Position { line, column }
}

#[cfg(test)]
mod tests {
    use super::{Position, position_of};

    fn at(source: &str, offset: usize) -> (usize, usize) {
        let Position { line, column } = position_of(source, offset);
        (line, column)
    }

    #[test]
    fn columns_count_characters() {
        let source = "θ = é + x";
        assert_eq!(at(source, 0), (1, 1));
        assert_eq!(at(source, source.find('x').unwrap()), (1, 9));
        assert_eq!(at(source, 1), (1, 1));
        assert_eq!(at(source, 1000), (1, 10));
    }

    #[test]
    fn every_line_ending_counts_once() {
        assert_eq!(at("a\nb", 2), (2, 1));
        assert_eq!(at("a\r\nb", 3), (2, 1));
        assert_eq!(at("a\rb", 2), (2, 1));
        assert_eq!(at("", 0), (1, 1));
        assert_eq!(at("\n", 1), (2, 1));
    }
}
