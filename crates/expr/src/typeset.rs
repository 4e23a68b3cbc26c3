//! Long formulas over several lines.
//!
//! A formula is read into boxes of about the widths that TeX gives them (points, Computer Modern at 10 pt), and set like
//! a paragraph: lines are broken before the signs of the outermost sum. A term that is wider than a line is broken
//! between its factors, its parentheses are opened, and a fraction becomes a product with the reciprocal of what is below,
//! or a quotient on the line.

use std::iter::Peekable;
use std::str::Chars;

/// The indentation of a further line.
const INDENT: f64 = 10.0;
/// A sign between two terms, with its spaces.
const SIGN: f64 = 12.2;
/// The narrow space around what is between `\left` and `\right`.
const THIN: f64 = 1.7;
/// A delimiter that stands over several lines, and what may stand above it.
const DELIMITER: f64 = 8.0;
/// A formula that nests deeper than this is not broken inside.
const MAX_NESTING: usize = 64;

/// A formula in lines: the first of at most the first width (in points), the others of the second. A line after the first
/// begins with `\quad`.
pub fn latex_lines(formula: &str, first: f64, further: f64) -> Vec<String> {
    let mut setter = Setter { lines: vec![String::new()], used: 0.0, room: first, further, fresh: true };
    setter.sum(&read(formula));
    setter.lines
}

/// About the width of a formula, in points.
pub fn latex_width(formula: &str) -> f64 {
    total(&read(formula))
}

/// Something that is printed.
#[derive(Debug)]
struct Piece {
    /// Its LaTeX on one line.
    text: String,
    width: f64,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// What is not broken.
    Whole,
    /// Plus or minus between two terms.
    Sign,
    /// An equality or the like.
    Relation,
    /// A wide space, before a remark.
    Wide,
    /// A comma.
    Comma,
    /// Between two factors.
    Gap,
    /// What stands between two delimiters, and what is behind the second.
    Fenced {
        open: String,
        inside: Vec<Piece>,
        close: String,
    },
    /// A root.
    Root(Vec<Piece>),
    Fraction {
        above: Vec<Piece>,
        below: Vec<Piece>,
    },
}

fn total(pieces: &[Piece]) -> f64 {
    pieces.iter().map(|p| p.width).sum()
}

fn flat(pieces: &[Piece]) -> String {
    pieces.iter().map(|p| p.text.as_str()).collect()
}

/// Whether it has more than one term.
fn is_sum(pieces: &[Piece]) -> bool {
    pieces.iter().any(|p| matches!(p.kind, Kind::Sign))
}

/// Delimiters over several lines have a size of their own.
fn size(pieces: &[Piece]) -> &'static str {
    if flat(pieces).contains("\\frac") { "\\Big" } else { "\\big" }
}

/// Lines that are filled from the left.
struct Setter {
    lines: Vec<String>,
    /// Of the last line.
    used: f64,
    /// The width of the last line.
    room: f64,
    /// The width of lines to come.
    further: f64,
    /// Whether nothing stands on the last line.
    fresh: bool,
}

impl Setter {
    fn fits(&self, width: f64) -> bool {
        self.used + width <= self.room
    }

    fn put(&mut self, text: &str, width: f64) {
        if let Some(line) = self.lines.last_mut() {
            line.push_str(text);
        }
        self.used += width;
        self.fresh = false;
    }

    /// Another line, unless nothing stands on this one.
    fn break_line(&mut self) {
        if !self.fresh {
            self.lines.push("\\quad ".to_owned());
            (self.used, self.room, self.fresh) = (INDENT, self.further, true);
        }
    }

    /// Terms, with breaks between them.
    fn sum(&mut self, pieces: &[Piece]) {
        // A remark stays together.
        let remark = pieces.iter().position(|p| matches!(p.kind, Kind::Wide)).unwrap_or(pieces.len());
        let starts = pieces.iter().enumerate().filter(|(k, p)| match p.kind {
            Kind::Sign => true,
            Kind::Relation => *k < remark,
            _ => *k == remark,
        });
        let mut starts: Vec<usize> = starts.map(|s| s.0).collect();
        starts.extend(pieces.iter().enumerate().filter(|(_, p)| matches!(p.kind, Kind::Comma)).map(|s| s.0 + 1));
        starts.extend([0, pieces.len()]);
        starts.sort_unstable();
        starts.dedup();
        for term in starts.windows(2) {
            self.term(&pieces[term[0]..term[1]]);
        }
    }

    /// A term with the sign before it.
    fn term(&mut self, term: &[Piece]) {
        let width = total(term);
        // What no line holds begins where it stands if there is room for a part of it.
        let whole = width <= self.further - INDENT;
        if !self.fits(width) && (whole || self.used > self.room / 2.0) {
            self.break_line();
        }
        let (head, rest) = match term {
            [first, rest @ ..] if matches!(first.kind, Kind::Sign) => (Some(first), rest),
            _ => (None, term),
        };
        if let Some(sign) = head {
            // Behind an empty group a sign has the spaces of one between terms.
            let text = if self.fresh { format!("{{}}{}", sign.text) } else { sign.text.clone() };
            self.put(&text, sign.width);
        }
        let rest = if self.fresh && self.lines.len() > 1 { rest.trim_start() } else { rest };
        match self.fits(total(rest)) {
            true => rest.iter().for_each(|p| self.put(&p.text, p.width)),
            false => self.product(rest),
        }
    }

    /// Factors of a term that no line holds.
    fn product(&mut self, factors: &[Piece]) {
        for (k, factor) in factors.iter().enumerate() {
            let behind_a_factor = k > 0 && matches!(factors[k - 1].kind, Kind::Gap);
            if !self.fits(factor.width) && behind_a_factor && factor.width <= self.further - INDENT - SIGN {
                self.break_line();
                self.put("{} \\times ", SIGN);
            }
            match &factor.kind {
                _ if self.fits(factor.width) => self.put(&factor.text, factor.width),
                Kind::Fenced { open, inside, close } => {
                    let times = if behind_a_factor { "{} \\times " } else { "" };
                    self.opened(("", times), (open, inside, close));
                }
                Kind::Root(inside) => self.opened(("", ""), ("(", inside, ")^{1/2}")),
                Kind::Fraction { above, below } => self.fraction(above, below),
                _ => {
                    self.break_line();
                    self.put(&factor.text, factor.width);
                }
            }
        }
    }

    /// Delimiters and what is between them, over several lines, behind a mark (or another one, at the beginning of a line).
    /// No line ends with the first delimiter.
    fn opened(&mut self, (mark, at_a_start): (&str, &str), (open, inside, close): (&str, &[Piece], &str)) {
        let first = inside.iter().skip(1).position(|p| matches!(p.kind, Kind::Sign)).map_or(inside.len(), |k| k + 1);
        let first = total(&inside[..first]);
        let mut mark = mark;
        if !self.fits(SIGN + DELIMITER + first.min(self.further / 2.0)) && !self.fresh {
            self.break_line();
            mark = at_a_start;
        }
        let size = size(inside);
        self.put(&format!("{mark}{size}l{open}"), DELIMITER + if mark.is_empty() { 0.0 } else { SIGN });
        // The last line has room for what closes.
        self.room -= DELIMITER;
        self.further -= DELIMITER;
        self.sum(inside);
        self.room += DELIMITER;
        self.further += DELIMITER;
        self.put(&format!("{size}r{close}"), DELIMITER);
    }

    fn fraction(&mut self, above: &[Piece], below: &[Piece]) {
        let short = total(below) <= self.further / 2.0;
        if short {
            self.term(&[reciprocal(below)]);
        }
        match is_sum(above) {
            true => self.opened(("", ""), ("(", above, ")")),
            false => self.product(above),
        }
        if !short {
            let slash = format!("{}/ ", size(below));
            self.opened((&format!(" {slash}"), &slash), ("(", below, ")"));
        }
    }
}

fn reciprocal(below: &[Piece]) -> Piece {
    let text = format!("\\frac{{1}}{{{}}}", flat(below));
    Piece { text, width: total(below) + 2.4, kind: Kind::Whole }
}

trait TrimStart {
    fn trim_start(&self) -> &Self;
}

impl TrimStart for [Piece] {
    /// Without the spaces at its beginning.
    fn trim_start(&self) -> &[Piece] {
        let is_space = |p: &Piece| matches!(p.kind, Kind::Gap | Kind::Wide) || p.text.trim() == "\\";
        let first = self.iter().position(|p| !is_space(p)).unwrap_or(self.len());
        &self[first..]
    }
}

fn read(formula: &str) -> Vec<Piece> {
    Reader { rest: formula.chars().peekable(), nesting: 0 }.sequence(None)
}

/// Reads a formula into boxes; whatever it is, no character is lost.
struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    nesting: usize,
}

impl Reader<'_> {
    /// Up to a closing brace or a `\right`, which is left unread; or to the end.
    fn sequence(&mut self, until: Option<&str>) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = vec![];
        while let Some(&c) = self.rest.peek() {
            match (until, c) {
                (Some("}"), '}') => break,
                (Some("\\right"), '\\') if self.is_next("\\right") && !self.is_next("\\rightarrow") => break,
                _ => {}
            }
            let mut piece = self.piece(pieces.last());
            self.scripts(&mut piece);
            pieces.push(piece);
        }
        pieces
    }

    fn is_next(&self, text: &str) -> bool {
        let mut ahead = self.rest.clone();
        text.chars().all(|c| ahead.next() == Some(c))
    }

    fn skip(&mut self, count: usize) {
        for _ in 0..count {
            self.rest.next();
        }
    }

    fn piece(&mut self, before: Option<&Piece>) -> Piece {
        let whole = |text: String, width: f64| Piece { text, width, kind: Kind::Whole };
        for sign in [" + ", " - "] {
            if self.is_next(sign) {
                self.skip(3);
                return Piece { text: sign.to_owned(), width: SIGN, kind: Kind::Sign };
            }
        }
        match self.rest.next() {
            None => whole(String::new(), 0.0),
            // Nothing is broken behind the sign of a sum or of an equality.
            Some(' ') => {
                let is_operator = |p: &Piece| p.text.starts_with("\\sum") || matches!(p.kind, Kind::Relation);
                let gap = before.is_some_and(|p| !is_operator(p));
                Piece { text: " ".to_owned(), width: 0.0, kind: if gap { Kind::Gap } else { Kind::Whole } }
            }
            Some(',') => Piece { text: ",".to_owned(), width: 2.8 + THIN, kind: Kind::Comma },
            Some('\\') => self.command(),
            Some('{') => {
                let inside = self.group();
                whole(format!("{{{}}}", flat(&inside)), total(&inside))
            }
            Some(c) => {
                let kind = if matches!(c, '=' | '<' | '>') { Kind::Relation } else { Kind::Whole };
                Piece { text: c.to_string(), width: of_letter(c), kind }
            }
        }
    }

    /// What is between braces, of which the first was read.
    fn group(&mut self) -> Vec<Piece> {
        self.nesting += 1;
        let inside = if self.nesting > MAX_NESTING { self.unread_group() } else { self.sequence(Some("}")) };
        self.nesting -= 1;
        self.rest.next();
        inside
    }

    /// A group that nests too deeply, as one box.
    fn unread_group(&mut self) -> Vec<Piece> {
        let (mut text, mut depth) = (String::new(), 0usize);
        while let Some(&c) = self.rest.peek() {
            match c {
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                '{' => depth += 1,
                _ => {}
            }
            text.push(c);
            self.rest.next();
        }
        let width = 5.0 * text.chars().filter(|c| c.is_ascii_alphanumeric()).count() as f64;
        vec![Piece { text, width, kind: Kind::Whole }]
    }

    /// The argument of a command.
    fn argument(&mut self) -> Vec<Piece> {
        match self.rest.peek() {
            Some('{') => {
                self.rest.next();
                self.group()
            }
            Some(_) => vec![self.piece(None)],
            None => vec![],
        }
    }

    fn command(&mut self) -> Piece {
        let mut name = String::new();
        while let Some(c) = self.rest.next_if(char::is_ascii_alphabetic) {
            name.push(c);
        }
        if name.is_empty() {
            name.extend(self.rest.next());
        }
        let whole = |text: String, width: f64| Piece { text, width, kind: Kind::Whole };
        match name.as_str() {
            "left" => self.fence(),
            "frac" => {
                let (above, below) = (self.argument(), self.argument());
                let text = format!("\\frac{{{}}}{{{}}}", flat(&above), flat(&below));
                let width = total(&above).max(total(&below)) + 2.4;
                Piece { text, width, kind: Kind::Fraction { above, below } }
            }
            "sqrt" => {
                let inside = self.argument();
                let (text, width) = (format!("\\sqrt{{{}}}", flat(&inside)), total(&inside) + 8.4);
                Piece { text, width, kind: Kind::Root(inside) }
            }
            "text" | "mathrm" | "mathit" | "operatorname" | "dot" => {
                let inside = self.argument();
                let text = flat(&inside);
                let letters: f64 = text.chars().map(|c| if c == ' ' { 3.3 } else { of_letter(c).min(8.4) }).sum();
                let width = if name == "dot" { total(&inside) } else { letters };
                whole(format!("\\{name}{{{text}}}"), width)
            }
            _ => {
                // A letter behind the name of a command would belong to it.
                let is_word = name.ends_with(|c: char| c.is_ascii_alphabetic());
                let end = if is_word && self.rest.peek().is_some_and(char::is_ascii_alphabetic) { " " } else { "" };
                let kind = match name.as_str() {
                    "quad" | "qquad" => Kind::Wide,
                    "approx" | "equiv" | "neq" => Kind::Relation,
                    _ => Kind::Whole,
                };
                Piece { text: format!("\\{name}{end}"), width: of_command(&name), kind }
            }
        }
    }

    /// Behind `\left`.
    fn fence(&mut self) -> Piece {
        let open = self.delimiter();
        self.nesting += 1;
        let inside = if self.nesting > MAX_NESTING { vec![] } else { self.sequence(Some("\\right")) };
        self.nesting -= 1;
        if !self.is_next("\\right") {
            let (text, width) = (format!("\\left{open}{}", flat(&inside)), 8.0 + total(&inside));
            return Piece { text, width, kind: Kind::Whole };
        }
        self.skip("\\right".len());
        let close = self.delimiter();
        let text = format!("\\left{open}{}\\right{close}", flat(&inside));
        let delimiters = if text.contains("\\frac") || text.contains("\\sum") { 16.0 } else { 8.0 };
        let width = total(&inside) + delimiters + 2.0 * THIN;
        Piece { text, width, kind: Kind::Fenced { open, inside, close } }
    }

    /// A parenthesis, a bar, or an escaped brace.
    fn delimiter(&mut self) -> String {
        let mut text: String = self.rest.next().into_iter().collect();
        if text == "\\" {
            text.extend(self.rest.next());
        }
        text
    }

    /// What stands below and above, in smaller letters.
    fn scripts(&mut self, piece: &mut Piece) {
        let mut widest: f64 = 0.0;
        while let Some(mark) = self.rest.next_if(|c| matches!(c, '_' | '^')) {
            let inside = self.argument();
            let script = format!("{mark}{{{}}}", flat(&inside));
            widest = widest.max(0.7 * total(&inside) + 0.5);
            piece.text += &script;
            if let Kind::Fenced { close, .. } = &mut piece.kind {
                *close += &script;
            } else {
                piece.kind = Kind::Whole;
            }
        }
        // Limits of a sum stand below and above it.
        piece.width = if piece.text.starts_with("\\sum") { piece.width.max(widest) } else { piece.width + widest };
    }
}

/// Of a letter in mathematics.
fn of_letter(c: char) -> f64 {
    match c {
        ' ' => 0.0,
        'i' | 'j' | 'l' | 't' | '\'' => 3.8,
        'm' => 8.8,
        'w' => 7.2,
        '.' | '|' => 2.8,
        '(' | ')' | '[' | ']' => 3.9,
        '=' | '<' | '>' => 13.3,
        '-' | '+' => 7.8,
        ':' => 8.4,
        'M' | 'W' => 10.5,
        'A'..='Z' => 8.2,
        'a'..='z' | '0'..='9' | '/' | '*' | '!' => 5.3,
        _ => 7.0,
    }
}

fn of_command(name: &str) -> f64 {
    match name {
        "quad" => 10.0,
        "qquad" => 20.0,
        "," => THIN,
        ";" => 2.8,
        " " => 3.3,
        "{" | "}" | "_" => 5.0,
        "sum" => 14.5 + THIN,
        "cdot" => 7.3,
        "times" => SIGN,
        "approx" | "equiv" | "neq" | "in" => 13.3,
        "Rightarrow" => 15.6,
        "dots" | "ldots" | "cdots" => 13.5,
        "bmod" => 30.0,
        "sin" | "cos" | "tan" | "sinh" | "cosh" | "tanh" | "exp" | "log" | "min" | "max" | "arcsin" | "arccos"
        | "arctan" => 5.0 * name.len() as f64 + THIN,
        "lfloor" | "rfloor" => 4.5,
        _ if name.starts_with(|c: char| c.is_ascii_uppercase()) => 7.8,
        _ => 6.5,
    }
}

#[cfg(test)]
mod tests {
    use super::{flat, latex_lines, latex_width, read};

    fn sum(n: usize) -> String {
        (0..n).map(|k| format!("\\left(a + {k}\\right) b_{{{k}}}")).collect::<Vec<_>>().join(" + ")
    }

    fn is_balanced(line: &str) -> bool {
        let mut depth = 0i32;
        for c in line.replace("\\{", "").replace("\\}", "").chars() {
            depth += i32::from(c == '{') - i32::from(c == '}');
            if depth < 0 {
                return false;
            }
        }
        depth == 0 && line.matches("\\left").count() == line.matches("\\right").count()
    }

    #[test]
    fn short_formulas_stay_as_they_are() {
        for text in ["\\frac{a + b}{2} - c", "x_{1}^{2}", "\\{a, b\\}", "\\alpha x + \\sin\\left(x\\right)", ""] {
            assert_eq!(latex_lines(text, 300.0, 300.0), [text]);
        }
    }

    #[test]
    fn sums_are_broken_before_their_signs_and_nothing_is_lost() {
        let text = sum(20);
        let lines = latex_lines(&text, 250.0, 250.0);
        assert!(lines.len() > 3, "{lines:?}");
        for line in &lines[1..] {
            assert!(line.starts_with("\\quad {} + \\left(a"), "{line}");
        }
        assert!(lines.iter().all(|l| is_balanced(l) && latex_width(l) <= 250.0), "{lines:?}");
        assert_eq!(lines.join("").replace("\\quad {}", ""), text);
    }

    #[test]
    fn factors_wider_than_a_line_are_opened() {
        let text = format!("x - \\lambda \\left({}\\right)^{{2}} \\left(y - z\\right)", sum(20));
        let lines = latex_lines(&text, 250.0, 250.0);
        assert!(lines.iter().all(|l| is_balanced(l) && latex_width(l) <= 250.0), "{lines:#?}");
        let all = lines.join("");
        assert!(all.contains("\\bigl(") && all.contains("\\bigr)^{2}"), "{all}");
    }

    #[test]
    fn fractions_wider_than_a_line_become_products_or_quotients() {
        for (text, mark) in [
            (format!("\\frac{{{}}}{{2 m}}", sum(20)), "\\frac{1}{2 m}\\bigl("),
            (format!("\\frac{{x}}{{{}}}", sum(20)), "x \\big/ \\bigl("),
            (format!("\\frac{{{}}}{{{}}}", sum(20), sum(30)), "\\bigr)\\quad \\big/ \\bigl("),
            (format!("\\frac{{3 x \\left({}\\right)}}{{2 m}}", sum(20)), "\\frac{1}{2 m}3 x \\bigl("),
            (format!("\\sqrt{{{}}}", sum(20)), "\\bigr)^{1/2}"),
        ] {
            let lines = latex_lines(&text, 250.0, 250.0);
            assert!(lines.iter().all(|l| is_balanced(l) && latex_width(l) <= 260.0), "{lines:#?}");
            assert!(lines.join("").contains(mark), "{mark}: {lines:#?}");
        }
    }

    #[test]
    fn remarks_stay_together() {
        let remark = "\\quad\\Rightarrow\\quad \\mathrm{crank}^{[2]} \\approx 0";
        let lines = latex_lines(&format!("= {} {remark}", sum(4)), 250.0, 250.0);
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[1].ends_with(remark.trim_start_matches("\\quad")), "{lines:?}");
        let list = "\\quad \\mathrm{rod},\\ \\mathrm{link}";
        assert_eq!(latex_lines(list, 250.0, 250.0), [list]);
    }

    #[test]
    fn any_text_is_read_and_nothing_is_lost() {
        let deep = "{".repeat(500) + &"}".repeat(500);
        for text in ["\\frac{a", "x^", "\\left( x", "}", "\\", "\\right)", "a_{b}^{c}_d", "{{}", "\\left", &deep] {
            let lines = latex_lines(text, 10.0, 10.0);
            assert!(!lines.is_empty());
        }
        for text in ["\\{a, b\\}^{*} = \\dots", "\\alpha x\\,y", "\\text{if } x", "\\sum_{i=1}^{5} x_{i}"] {
            assert_eq!(flat(&read(text)), text);
        }
    }

    /// Widths that pdfTeX measured (`\wd` of a box in display style, Computer Modern at 10 pt).
    #[test]
    fn widths_are_about_those_of_tex() {
        for (text, points) in MEASURED {
            let width = latex_width(text);
            assert!((0.93..1.25).contains(&(width / points)), "{text}: {width} for {points}");
        }
    }

    const MEASURED: [(&str, f64); 9] = [
        (r"L = \frac{m_{1} \left(\dot{x}_{1}^{2} + \dot{y}_{1}^{2}\right)}{2} - g m_{1} y_{1}", 118.8),
        (r"\lambda_{\mathrm{link},1} \left(x_{1}^{2} + y_{1}^{2}\right)", 68.8),
        (r"\frac{p_{x,1}^{2}}{2 m_{1}} + \frac{p_{y,1}^{2}}{2 m_{1}}", 53.6),
        (r"\sin\left(\theta_{1} - \theta_{2}\right) \cos\left(\theta_{1}\right)", 86.0),
        (r"\sqrt{\dot{t}^{2} - \dot{x}^{2}} + \exp\left(q_{1} - q_{2}\right)", 107.6),
        (r"\sum_{i=1}^{10} x_{i} y_{i} + 10^{-8} \quad\Rightarrow\quad \mathrm{crank}^{[2]} \approx 0", 153.4),
        (
            r"-\frac{l^{2}}{2} + \frac{\left(x_{1} - x_{2}\right)^{2}}{2} + \frac{\left(y_{1} - y_{2}\right)^{2}}{2}",
            135.2,
        ),
        (
            r"6 x_{1} \left(\frac{2 m_{2} p_{x1}}{4 m_{1} m_{2} + 4 m_{1} m_{3} + 3 m_{2}^{2} + 4 m_{2} m_{3}} - \frac{m_{2} p_{x2}}{m_{3}}\right)",
            225.5,
        ),
        (r"\{\mathrm{coupler}^{[2]}, H_T\} \quad\text{determines the multipliers}", 194.1),
    ];
}
