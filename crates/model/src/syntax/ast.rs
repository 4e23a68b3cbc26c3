//! The tree of a model text.
//!
//! Every part knows the bytes it came from. The tree says what was written, not what it means:
//! names are unresolved and numbers keep their digits. Equality compares spans too; use
//! [`File::without_spans`] or [`Expr::without_spans`] to compare only what was written.

mod references;
mod spans;

use super::number::Decimal;
use super::words::{AlgebraKind, Colour, DrawingKind, Function, Keyword, RunKey};
use crate::diagnostic::Span;

/// A whole model text.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct File {
    /// The statements, in the order of the text.
    pub statements: Vec<Statement>,
}

/// One statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// What it says.
    pub kind: StatementKind,
    /// The word it starts with.
    pub keyword: Span,
    /// All of it.
    pub span: Span,
}

/// What a statement says. Lists are never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// `model pendulum "Planar pendulum"`
    Model {
        /// The name of the model.
        name: Name,
        /// The title, without its quotes.
        title: Option<Title>,
    },
    /// `param n : int = 10, m[i in 1..n] > 0 = 1`
    Param(Vec<Parameter>),
    /// `require n >= 4 "neighbours of a cell differ"`
    Require(Vec<Requirement>),
    /// `coord x, q[i in 1..n] momentum p`
    Coord(Vec<Coordinate>),
    /// `variables y1, z[i in 1..n]`
    Variables(Vec<Head>),
    /// `algebra so(3): W`
    Algebra(Vec<Matrix>),
    /// `boundary x[0] = 0`
    Boundary(Vec<Assignment>),
    /// `let r2 = x^2 + y^2`
    Let(Vec<Definition>),
    /// `lagrangian x'^2/2`
    Lagrangian(Expr),
    /// `hamiltonian p_x^2/2`
    Hamiltonian(Expr),
    /// `bracket {y1, y2} = -y3`
    Bracket(Vec<Pairing>),
    /// `form (p, q) = 1`
    Form(Vec<Pairing>),
    /// `constraint rod: x^2 + y^2 = 1`
    Constraint(Vec<Relation>),
    /// `vakonomic roll: x'*sin(phi) - y'*cos(phi) = 0`
    Vakonomic(Vec<Relation>),
    /// `gauge coulomb: x = 0`
    Gauge(Vec<Relation>),
    /// `casimir spin = y1^2 + y2^2`
    Casimir(Vec<Definition>),
    /// `invariant L = x*p_y - y*p_x`
    Invariant(Vec<Definition>),
    /// `initial x[i in 1..n] = i*l, y' = 1`
    Initial(Vec<Assignment>),
    /// `observe angle = atan2(x, -y)`
    Observe(Vec<Definition>),
    /// `split A = p^2/2, B = q^2/2`
    Split(Vec<Definition>),
    /// `draw rod arm: (0, 0) -- (x, y)`
    Draw {
        /// What is drawn.
        kind: DrawingKind,
        /// Where that word stands.
        kind_span: Span,
        /// The drawings, all of this kind.
        drawings: Vec<Drawing>,
    },
    /// `run method = rattle, step = 0.01`
    Run(Vec<Setting>),
}

impl StatementKind {
    /// The word the statement starts with.
    pub fn keyword(&self) -> Keyword {
        match self {
            StatementKind::Model { .. } => Keyword::Model,
            StatementKind::Param(_) => Keyword::Param,
            StatementKind::Require(_) => Keyword::Require,
            StatementKind::Coord(_) => Keyword::Coord,
            StatementKind::Variables(_) => Keyword::Variables,
            StatementKind::Algebra(_) => Keyword::Algebra,
            StatementKind::Boundary(_) => Keyword::Boundary,
            StatementKind::Let(_) => Keyword::Let,
            StatementKind::Lagrangian(_) => Keyword::Lagrangian,
            StatementKind::Hamiltonian(_) => Keyword::Hamiltonian,
            StatementKind::Bracket(_) => Keyword::Bracket,
            StatementKind::Form(_) => Keyword::Form,
            StatementKind::Constraint(_) => Keyword::Constraint,
            StatementKind::Vakonomic(_) => Keyword::Vakonomic,
            StatementKind::Gauge(_) => Keyword::Gauge,
            StatementKind::Casimir(_) => Keyword::Casimir,
            StatementKind::Invariant(_) => Keyword::Invariant,
            StatementKind::Initial(_) => Keyword::Initial,
            StatementKind::Observe(_) => Keyword::Observe,
            StatementKind::Split(_) => Keyword::Split,
            StatementKind::Draw { .. } => Keyword::Draw,
            StatementKind::Run(_) => Keyword::Run,
        }
    }
}

/// A name, in ASCII.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A text in quotes, the title of a model or the reason of a requirement; it contains neither `"` nor line breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Title {
    /// The text between the quotes.
    pub text: String,
    /// Where it stands, with its quotes.
    pub span: Span,
}

/// What a declaration declares: a name, or a family `x[i in 1..n, j in 1..i-1]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The name.
    pub name: Name,
    /// The binders; empty for a scalar. They scope over the whole item.
    pub binders: Vec<Binder>,
    /// Name and binders.
    pub span: Span,
}

/// `i in from..to`; a later binder may use an earlier index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binder {
    /// The index.
    pub index: Name,
    /// The first value.
    pub from: Expr,
    /// The last value.
    pub to: Expr,
    /// All of it.
    pub span: Span,
}

/// What integer parameters must satisfy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// What must hold.
    pub condition: Condition,
    /// Why, for whoever sets them otherwise.
    pub reason: Option<Title>,
    /// All of it.
    pub span: Span,
}

/// One parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// What is declared.
    pub head: Head,
    /// `: int`, where it stands.
    pub integer: Option<Span>,
    /// A sign the analysis may use, and where it stands.
    pub sign: Option<(Sign, Span)>,
    /// The default value.
    pub value: Option<Expr>,
    /// All of it.
    pub span: Span,
}

/// The sign of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// `> 0`
    Positive,
    /// `>= 0`
    NonNegative,
    /// `< 0`
    Negative,
    /// `<= 0`
    NonPositive,
    /// `!= 0`
    NonZero,
}

/// One coordinate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coordinate {
    /// What is declared.
    pub head: Head,
    /// The name after `momentum`; `None` means the generated `p_…`.
    pub momentum: Option<Name>,
    /// All of it.
    pub span: Span,
}

/// `so(n): W`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Which algebra it is an element of.
    pub kind: AlgebraKind,
    /// The number of rows.
    pub size: Expr,
    /// The name of the matrix.
    pub name: Name,
    /// All of it.
    pub span: Span,
}

/// `head = value`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// What is defined.
    pub head: Head,
    /// Its value.
    pub value: Expr,
    /// All of it.
    pub span: Span,
}

/// `label: left = right`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// The name of the constraint.
    pub label: Head,
    /// Left of `=`.
    pub left: Expr,
    /// Right of `=`.
    pub right: Expr,
    /// All of it.
    pub span: Span,
}

/// `place = value`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// What gets the value.
    pub place: Place,
    /// The value.
    pub value: Expr,
    /// All of it.
    pub span: Span,
}

/// `{a, b} = value` or `(a, b) = value`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// The first variable.
    pub first: Place,
    /// The second; it may use the indices bound in the first.
    pub second: Place,
    /// The value.
    pub value: Expr,
    /// All of it.
    pub span: Span,
}

/// A variable on a left-hand side: `x`, `x'`, `x[3]`, `x[i in 1..n]'`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name.
    pub name: Name,
    /// The indices; empty for a scalar or a whole family.
    pub indices: Vec<PlaceIndex>,
    /// The prime, where it stands.
    pub prime: Option<Span>,
    /// All of it.
    pub span: Span,
}

/// An index on a left-hand side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceIndex {
    /// One member.
    At(Expr),
    /// Every member of a range.
    Each(Binder),
}

/// `label: point -- point …`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The name of the drawing.
    pub label: Head,
    /// The points, at least one; the binders of the label scope over them.
    pub points: Vec<Point>,
    /// `colour red`
    pub colour: Option<Colour>,
    /// `size 2`: a number, as it is written.
    pub size: Option<Name>,
    /// All of it.
    pub span: Span,
}

/// `(x, y)`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// The components, at least one.
    pub components: Vec<Expr>,
    /// All of it, with its parentheses.
    pub span: Span,
}

/// `key = value` of `run`. A key occurs once in a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The key.
    pub key: RunKey,
    /// Where the key stands.
    pub key_span: Span,
    /// Its value: a word or an expression as [`RunKey::value_kind`] says.
    pub value: SettingValue,
    /// All of it.
    pub span: Span,
}

/// The value of a `run` key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingValue {
    /// A word such as `kahan-li-8`.
    Word(Name),
    /// An expression.
    Expression(Expr),
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands, with the parentheses around it.
    pub span: Span,
}

/// What an expression is. Its depth is bounded by a small multiple of
/// [`crate::limits::MAX_NESTING`], so recursion over it is safe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// A number, as written.
    Number(String),
    /// `pi`
    Pi,
    /// A name, with its indices and prime.
    Reference(Reference),
    /// `-a`
    Negate(Box<Expr>),
    /// `first + a - b …`
    Sum {
        /// The first term.
        first: Box<Expr>,
        /// The other terms, at least one.
        rest: Vec<(Additive, Expr)>,
    },
    /// `first * a / b …`
    Product {
        /// The first factor.
        first: Box<Expr>,
        /// The other factors, at least one.
        rest: Vec<(Multiplicative, Expr)>,
    },
    /// `base^exponent`
    Power {
        /// The base.
        base: Box<Expr>,
        /// The exponent.
        exponent: Box<Expr>,
    },
    /// `sin(x)`; the number of arguments is right.
    Call {
        /// The function.
        function: Function,
        /// Where its name stands.
        name: Span,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// `(a, b, c)`, or `(a,)` with one item: the members of a family, or lists of them.
    List(Vec<Expr>),
    /// `if(condition, then, otherwise)`
    If {
        /// What is asked.
        condition: Box<Condition>,
        /// The value where it holds.
        then: Box<Expr>,
        /// The value where it does not.
        otherwise: Box<Expr>,
    },
    /// `sum(i in 1..n, body)` or `product(…)`
    Fold {
        /// Which of the two.
        fold: Fold,
        /// The binders, at least one.
        binders: Vec<Binder>,
        /// What is added or multiplied.
        body: Box<Expr>,
    },
}

impl ExprKind {
    /// The expressions it is made of: not those in indices, ranges and conditions.
    pub fn operands(&self) -> Vec<&Expr> {
        match self {
            ExprKind::Number(_) | ExprKind::Pi | ExprKind::Reference(_) => vec![],
            ExprKind::Negate(inner) => vec![inner],
            ExprKind::Sum { first, rest } => std::iter::once(&**first).chain(rest.iter().map(|(_, e)| e)).collect(),
            ExprKind::Product { first, rest } => std::iter::once(&**first).chain(rest.iter().map(|(_, e)| e)).collect(),
            ExprKind::Power { base, exponent } => vec![base, exponent],
            ExprKind::Call { arguments, .. } => arguments.iter().collect(),
            ExprKind::List(items) => items.iter().collect(),
            ExprKind::If { then, otherwise, .. } => vec![then, otherwise],
            ExprKind::Fold { body, .. } => vec![body],
        }
    }

    /// The value of a number, exactly.
    pub fn decimal(&self) -> Option<Decimal> {
        match self {
            ExprKind::Number(text) => Decimal::parse(text),
            _ => None,
        }
    }
}

/// What an `if` asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// `left < right`
    Compare {
        /// Left of the sign.
        left: Expr,
        /// The sign.
        comparison: Comparison,
        /// Right of it.
        right: Expr,
    },
    /// `not a`
    Not(Box<Condition>),
    /// `a and b and …`, at least two
    All(Vec<Condition>),
    /// `a or b or …`, at least two
    Any(Vec<Condition>),
}

/// How two integers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
}

impl Comparison {
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::Less => "<",
            Comparison::LessEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterEqual => ">=",
            Comparison::Equal => "=",
            Comparison::NotEqual => "!=",
        }
    }

    /// Whether it holds.
    pub fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Comparison::Less => left < right,
            Comparison::LessEqual => left <= right,
            Comparison::Greater => left > right,
            Comparison::GreaterEqual => left >= right,
            Comparison::Equal => left == right,
            Comparison::NotEqual => left != right,
        }
    }
}

/// A name in an expression: `x`, `x[i, j]`, `x[i]'`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The name.
    pub name: Name,
    /// The indices; empty if there are none.
    pub indices: Vec<Expr>,
    /// The prime, where it stands.
    pub prime: Option<Span>,
}

/// How a term joins a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Additive {
    /// `+`
    Plus,
    /// `-`
    Minus,
}

/// How a factor joins a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Multiplicative {
    /// `*`
    Times,
    /// `/`
    Over,
}

/// A sum or product over a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// `sum`
    Sum,
    /// `product`
    Product,
}
