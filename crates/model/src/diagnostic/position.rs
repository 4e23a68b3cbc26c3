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
    let end = source.floor_char_boundary(offset);
    let (bytes, head) = (source.as_bytes(), &source.as_bytes()[..end]);
    let lone_return = |k: usize| head[k] == b'\r' && bytes.get(k + 1) != Some(&b'\n');
    // Counted in bytes: a text may have a warning on each of its lines.
    let mut line = 1 + head.iter().filter(|&&b| b == b'\n').count();
    let mut start = head.iter().rposition(|&b| b == b'\n').map_or(0, |k| k + 1);
    if head.contains(&b'\r') {
        line += (0..end).filter(|&k| lone_return(k)).count();
        start = (start..end).rev().find(|&k| lone_return(k)).map_or(start, |k| k + 1);
    }
    Position { line, column: 1 + source[start..end].chars().count() }
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
        assert_eq!(at("a\r\nb", 2), (1, 3));
        assert_eq!(at("a\r\rb\r\nθc\r", 9), (4, 3));
        assert_eq!(at("a\r\rb\r\nθc\r", 10), (5, 1));
    }
}
