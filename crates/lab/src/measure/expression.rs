//! Sums, products and powers of columns, numbers and named functions.

use super::error::MeasureError;
use super::function::{Function, paired};
use super::record::Records;

/// What is measured.
///
/// ```text
/// sum     = product (("+" | "-") product)*
/// product = sign (("*" | "/") sign)*
/// sign    = "-" sign | power
/// power   = value ["^" sign]
/// value   = number | "pi" | "(" sum ")" | function "(" sum ("," sum)* ")" | run "." column
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Expression(Node);

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Number(f64),
    Column {
        run: String,
        name: String,
    },
    Negative(Box<Node>),
    /// From the left to the right.
    Operations {
        first: Box<Node>,
        then: Vec<(&'static str, Node)>,
    },
    Call {
        function: &'static Function,
        arguments: Vec<Node>,
    },
}

/// An expression has at most so many characters.
const LONGEST: usize = 20_000;

/// And so many levels, each of which takes a few frames of the stack.
const DEEPEST: usize = 200;

impl Expression {
    /// Reads an expression.
    pub fn parse(text: &str) -> Result<Expression, MeasureError> {
        let mut reader = Reader { text, characters: text.chars().collect(), at: 0, depth: 0 };
        let length = reader.characters.len();
        if length > LONGEST {
            return Err(MeasureError::Long { length, most: LONGEST });
        }
        let node = reader.sum()?;
        match reader.peek() {
            None => Ok(Expression(node)),
            Some(_) => Err(reader.unexpected("an operation or the end")),
        }
    }

    /// Its values.
    pub fn series(&self, runs: &Records) -> Result<Vec<f64>, MeasureError> {
        self.0.values(runs)
    }

    /// Its value, where it has one.
    pub fn number(&self, runs: &Records) -> Result<f64, MeasureError> {
        match self.series(runs)?.as_slice() {
            [value] => Ok(*value),
            values => Err(MeasureError::NotOne { count: values.len() }),
        }
    }

    /// The runs it is about.
    pub fn runs(&self) -> Vec<&str> {
        let mut found = vec![];
        self.0.runs(&mut found);
        found
    }
}

impl Node {
    fn values(&self, runs: &Records) -> Result<Vec<f64>, MeasureError> {
        match self {
            Node::Number(value) => Ok(vec![*value]),
            Node::Column { run, name } => {
                let record = runs.get(run).ok_or_else(|| MeasureError::UnknownRun { name: run.clone() })?;
                record.get(run, name)
            }
            Node::Negative(inner) => Ok(inner.values(runs)?.iter().map(|x| -x).collect()),
            Node::Operations { first, then } => then.iter().try_fold(first.values(runs)?, |left, (name, right)| {
                let f = match *name {
                    "+" => |a, b| a + b,
                    "-" => |a, b| a - b,
                    "*" => |a, b| a * b,
                    "/" => |a, b| a / b,
                    _ => f64::powf,
                };
                paired(name, &left, &right.values(runs)?, f)
            }),
            Node::Call { function, arguments } => {
                let values: Result<Vec<Vec<f64>>, MeasureError> = arguments.iter().map(|a| a.values(runs)).collect();
                function.apply(&values?)
            }
        }
    }

    fn runs<'a>(&'a self, found: &mut Vec<&'a str>) {
        match self {
            Node::Number(_) => {}
            Node::Column { run, .. } => found.push(run),
            Node::Negative(inner) => inner.runs(found),
            Node::Operations { first, then } => {
                first.runs(found);
                then.iter().for_each(|(_, n)| n.runs(found));
            }
            Node::Call { arguments, .. } => arguments.iter().for_each(|n| n.runs(found)),
        }
    }
}

/// Reads a part of an expression.
type Read<R> = fn(&mut R) -> Result<Node, MeasureError>;

struct Reader<'a> {
    text: &'a str,
    characters: Vec<char>,
    at: usize,
    /// How many signs, powers and parentheses are open.
    depth: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        while self.characters.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
        self.characters.get(self.at).copied()
    }

    fn takes(&mut self, c: char) -> bool {
        let taken = self.peek() == Some(c);
        self.at += usize::from(taken);
        taken
    }

    fn expect(&mut self, c: char, expected: &'static str) -> Result<(), MeasureError> {
        if self.takes(c) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    fn unexpected(&mut self, expected: &'static str) -> MeasureError {
        let found = self.peek().map_or("the end".to_owned(), |c| format!("`{c}`"));
        MeasureError::Syntax { text: self.text.to_owned(), found, at: self.at + 1, expected }
    }

    fn while_is(&mut self, is: impl Fn(char) -> bool) -> String {
        let rest = &self.characters[self.at.min(self.characters.len())..];
        let word: String = rest.iter().copied().take_while(|c| is(*c)).collect();
        self.at += word.chars().count();
        word
    }

    fn sum(&mut self) -> Result<Node, MeasureError> {
        self.operations(&["+", "-"], Self::product)
    }

    fn product(&mut self) -> Result<Node, MeasureError> {
        self.operations(&["*", "/"], Self::sign)
    }

    /// Some of these operations, one after the other.
    fn operations(&mut self, names: &[&'static str], read: Read<Self>) -> Result<Node, MeasureError> {
        let (first, mut then) = (read(self)?, vec![]);
        while let Some(name) = self.peek().and_then(|c| names.iter().find(|name| name.starts_with(c))) {
            then.push((*name, self.after(read)?));
        }
        Ok(if then.is_empty() { first } else { Node::Operations { first: Box::new(first), then } })
    }

    /// What comes after the character at hand.
    fn after(&mut self, read: Read<Self>) -> Result<Node, MeasureError> {
        self.at += 1;
        read(self)
    }

    /// Whatever stands inside another passes here.
    fn sign(&mut self) -> Result<Node, MeasureError> {
        if self.depth == DEEPEST {
            return Err(MeasureError::Deep { at: self.at + 1, most: DEEPEST });
        }
        self.depth += 1;
        let node = if self.takes('-') { Node::Negative(Box::new(self.sign()?)) } else { self.power()? };
        self.depth -= 1;
        Ok(node)
    }

    fn power(&mut self) -> Result<Node, MeasureError> {
        let base = self.value()?;
        Ok(match self.takes('^') {
            true => Node::Operations { first: Box::new(base), then: vec![("^", self.sign()?)] },
            false => base,
        })
    }

    fn value(&mut self) -> Result<Node, MeasureError> {
        match self.peek() {
            Some('(') => {
                let inner = self.after(Self::sum)?;
                self.expect(')', "`)`")?;
                Ok(inner)
            }
            Some(c) if c.is_ascii_digit() => self.number(),
            Some(c) if c.is_ascii_alphabetic() => self.named(),
            _ => Err(self.unexpected("a number, a column or a function")),
        }
    }

    fn number(&mut self) -> Result<Node, MeasureError> {
        let start = self.at;
        self.while_is(|c| c.is_ascii_digit() || c == '.');
        if self.characters.get(self.at).is_some_and(|c| matches!(c, 'e' | 'E')) {
            self.at += 1;
            self.at += usize::from(self.characters.get(self.at).is_some_and(|c| matches!(c, '+' | '-')));
            self.while_is(|c| c.is_ascii_digit());
        }
        let written: String = self.characters[start..self.at].iter().collect();
        written.parse().map(Node::Number).map_err(|_| {
            self.at = start;
            self.unexpected("a number")
        })
    }

    fn named(&mut self) -> Result<Node, MeasureError> {
        let name = self.while_is(|c| c.is_ascii_alphanumeric() || c == '_');
        if name == "pi" {
            return Ok(Node::Number(std::f64::consts::PI));
        }
        if self.takes('.') {
            let mut column = self.while_is(|c| c.is_ascii_alphanumeric() || c == '_');
            if column.is_empty() {
                return Err(self.unexpected("a column"));
            }
            if self.characters.get(self.at) == Some(&'[') {
                column += &self.while_is(|c| c != ']');
                column.push(']');
                self.expect(']', "`]`")?;
            }
            return Ok(Node::Column { run: name, name: column });
        }
        self.expect('(', "`.` and a column, or `(` and arguments")?;
        let function = Function::named(&name).ok_or(MeasureError::UnknownFunction { name })?;
        let mut arguments = vec![self.sum()?];
        while self.takes(',') {
            arguments.push(self.sum()?);
        }
        self.expect(')', "`,` or `)`")?;
        Ok(Node::Call { function, arguments })
    }
}
