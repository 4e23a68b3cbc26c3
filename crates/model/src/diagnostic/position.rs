//! From byte offsets to lines and columns.

/// A place in the text as people count: from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, from 1. Lines end with `\n`, `\r\n` or a lone `\r`.
    pub line: usize,
    /// The column, from 1, in characters (not bytes; a tab is one).
    pub column: usize,
}

/// Where the lines of a text begin: found once, however many places are asked for.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    source: &'a str,
    /// Byte offsets, ascending, the first 0.
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// The lines of a text.
    pub fn new(source: &'a str) -> Lines<'a> {
        let bytes = source.as_bytes();
        let ends = |k: usize| bytes[k] == b'\n' || (bytes[k] == b'\r' && bytes.get(k + 1) != Some(&b'\n'));
        let starts = [0].into_iter().chain((0..bytes.len()).filter(|&k| ends(k)).map(|k| k + 1)).collect();
        Lines { source, starts }
    }

    /// Line and column of a byte offset. Offsets beyond the end are taken for the end, offsets inside
    /// a character for its beginning.
    pub fn position(&self, offset: usize) -> Position {
        let end = self.source.floor_char_boundary(offset);
        let line = self.starts.partition_point(|&start| start <= end);
        let start = self.starts[..line].last().copied().unwrap_or(0);
        Position { line, column: 1 + self.source[start..end].chars().count() }
    }
}

/// Line and column of one byte offset; for many, see [`Lines`].
pub fn position_of(source: &str, offset: usize) -> Position {
    Lines::new(source).position(offset)
}

#[cfg(test)]
mod tests {
    use super::{Lines, Position, position_of};

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
    fn a_list_of_lines_tells_what_counting_tells() {
        let source = "a\r\rbθ\r\nθc\r\n\n\rend";
        let lines = Lines::new(source);
        for offset in 0..source.len() + 2 {
            let head = &source[..source.floor_char_boundary(offset)];
            // A `\r\n` that is cut in the middle has not ended its line.
            let cut = source[head.len()..].starts_with('\n') && head.ends_with('\r');
            let whole = if cut { &head[..head.len() - 1] } else { head };
            let ends = whole.replace("\r\n", "\n").replace('\r', "\n");
            let line = 1 + ends.matches('\n').count();
            let column = 1 + ends.rsplit('\n').next().unwrap_or("").chars().count() + usize::from(cut);
            assert_eq!(lines.position(offset), Position { line, column }, "{offset}");
        }
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
