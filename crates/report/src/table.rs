//! Tables, with marks for what held.

use crate::digits::count;
use crate::error::ReportError;
use crate::escape;
use crate::mathml;

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Heading; none if empty.
    pub title: String,
    /// What the table shows; none if empty.
    pub caption: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows, with a cell for each column; the first is the heading of its row.
    pub rows: Vec<Vec<Cell>>,
}

/// A column of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    /// Heading.
    pub name: String,
    /// Where the cells are aligned.
    pub align: Align,
}

/// Where the cells of a column are aligned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Align {
    /// Words.
    #[default]
    Left,
    /// Marks.
    Centre,
    /// Numbers.
    Right,
}

/// What is in a cell.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Cell {
    /// Words or numbers.
    Text(String),
    /// A formula in LaTeX.
    Formula(String),
    /// Whether something held, with a remark that may be empty.
    Status(Status, String),
}

/// Whether a claim held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It held.
    Held,
    /// It did not hold.
    Broken,
    /// It could not be decided.
    Undecided,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Cell::Text(text.into())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Cell::Text(text)
    }
}

impl From<Status> for Cell {
    fn from(status: Status) -> Self {
        Cell::Status(status, String::new())
    }
}

impl Status {
    fn mark(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Status::Held => ("held", "✓", "held"),
            Status::Broken => ("broken", "✗", "broken"),
            Status::Undecided => ("undecided", "?", "undecided"),
        }
    }
}

impl Table {
    /// An empty table under a heading (none if empty).
    pub fn new(title: impl Into<String>, caption: impl Into<String>) -> Self {
        Table { title: title.into(), caption: caption.into(), ..Table::default() }
    }

    /// With one more column.
    #[must_use]
    pub fn column(mut self, name: impl Into<String>, align: Align) -> Self {
        self.columns.push(Column { name: name.into(), align });
        self
    }

    /// With one more row.
    #[must_use]
    pub fn row(mut self, cells: impl IntoIterator<Item = Cell>) -> Self {
        self.rows.push(cells.into_iter().collect());
        self
    }

    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    pub(crate) fn need(&self) -> usize {
        let cell = |cell: &Cell| match cell {
            Cell::Text(text) => 30 + 2 * text.len(),
            Cell::Formula(latex) => 60 + 25 * latex.len(),
            Cell::Status(_, remark) => 120 + 2 * remark.len(),
        };
        1000 + self.rows.iter().flatten().map(cell).sum::<usize>()
    }

    pub(crate) fn html(&self, _id: usize, budget: usize) -> Result<String, ReportError> {
        for (k, row) in self.rows.iter().enumerate() {
            if row.len() != self.columns.len() {
                return Err(ReportError::RowLength {
                    table: escape::clip(&self.title, escape::SHORT),
                    row: k + 1,
                    expected: self.columns.len(),
                    found: row.len(),
                });
            }
        }
        let mut body = String::new();
        let mut note = String::new();
        for (k, row) in self.rows.iter().enumerate() {
            let html = self.row_html(row);
            if body.len() + html.len() > budget {
                note = format!(
                    "<p class=\"note\">The last {} of {} rows are left out to keep the report small.</p>",
                    count(self.rows.len() - k),
                    count(self.rows.len())
                );
                break;
            }
            body.push_str(&html);
        }
        let head: String = self
            .columns
            .iter()
            .map(|c| format!("<th scope=\"col\"{}>{}</th>", c.align.class(), escape::short(&c.name)))
            .collect();
        let caption = match self.caption.as_str() {
            "" => String::new(),
            caption => format!("<caption>{}</caption>", escape::text(&escape::clip(caption, 2000))),
        };
        let label = if self.title.is_empty() { "Table" } else { &self.title };
        Ok(format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table>{caption}<thead><tr>{head}</tr></thead>\
             <tbody>{body}</tbody></table></div>{note}",
            escape::short(label)
        ))
    }

    fn row_html(&self, row: &[Cell]) -> String {
        let mut html = String::from("<tr>");
        for (k, (cell, column)) in row.iter().zip(&self.columns).enumerate() {
            let (open, close) = if k == 0 { ("th scope=\"row\"", "th") } else { ("td", "td") };
            html.push_str(&format!("<{open}{}>{}</{close}>", column.align.class(), cell.html()));
        }
        html.push_str("</tr>");
        html
    }
}

impl Align {
    fn class(self) -> &'static str {
        match self {
            Align::Left => "",
            Align::Centre => " class=\"centre\"",
            Align::Right => " class=\"right\"",
        }
    }
}

impl Cell {
    fn html(&self) -> String {
        match self {
            Cell::Text(text) => escape::text(text),
            Cell::Formula(latex) => mathml::inline(latex),
            Cell::Status(status, remark) => {
                let (class, sign, word) = status.mark();
                let remark = if remark.is_empty() { String::new() } else { format!(" {}", escape::text(remark)) };
                format!("<span class=\"mark {class}\"><span aria-hidden=\"true\">{sign}</span> {word}</span>{remark}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_the_wrong_length_is_refused_by_number() {
        let table = Table::new("T", "").column("a", Align::Left).row(["1".into()]).row([]);
        let error = table.html(0, 1000).unwrap_err();
        assert_eq!(error.to_string(), "table `T`: row 2 has 0 cells, but there are 1 columns");
    }

    #[test]
    fn a_status_is_a_word_and_not_only_a_colour() {
        let html = Cell::Status(Status::Broken, "by 2".into()).html();
        assert!(html.contains("broken</span> by 2"), "{html}");
    }

    #[test]
    fn a_long_table_says_how_much_is_missing() {
        let mut table = Table::new("T", "").column("<a>", Align::Right);
        table.rows = vec![vec!["x".into()]; 50_000];
        let html = table.html(0, 10_000).unwrap();
        assert!(html.len() < 11_000 && html.contains("rows are left out") && html.contains("&lt;a&gt;"));
    }
}
