//! Names and what they stand for.

use super::matrix::Matrix;
use crate::diagnostic::Span;
use crate::syntax::ast;
use cotangent_expr::{Array, Digest, Dim, Domain, Expr, Range, Role, Table};
use std::collections::HashMap;

/// What a name of an expression stands for.
#[derive(Clone)]
pub(super) enum Meaning {
    /// An integer parameter.
    Integer(i64),
    /// A family of integers.
    Table(Table),
    /// A real parameter.
    Parameter(Array),
    /// A coordinate with its velocity and momentum.
    Coordinate { position: Array, velocity: Array },
    /// A momentum.
    Momentum(Array),
    /// A variable of a Poisson or constant-form model.
    Variable(Array),
    /// A matrix of variables, of which some entries follow from others.
    Matrix(Matrix),
    /// A named sub-expression, by position in the list of definitions.
    Let(usize),
    /// Declared, but wrongly: nothing more is said about it.
    Broken,
}

impl Meaning {
    /// What kind of thing it is, in words.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Meaning::Integer(_) | Meaning::Table(_) => "an integer parameter",
            Meaning::Parameter(_) => "a parameter",
            Meaning::Coordinate { .. } => "a coordinate",
            Meaning::Momentum(_) => "a momentum",
            Meaning::Variable(_) => "a variable",
            Meaning::Matrix(_) => "a matrix of variables",
            Meaning::Let(_) => "a `let`",
            Meaning::Broken => "a name",
        }
    }
}

/// All names of a model.
#[derive(Default)]
pub(super) struct Names {
    meanings: HashMap<String, (Meaning, Span)>,
    order: Vec<String>,
}

impl Names {
    pub(super) fn get(&self, name: &str) -> Option<&Meaning> {
        self.meanings.get(name).map(|m| &m.0)
    }

    pub(super) fn span(&self, name: &str) -> Option<Span> {
        self.meanings.get(name).map(|m| m.1)
    }

    /// Declares a name; returns where it was declared before, if it was.
    pub(super) fn declare(&mut self, name: &str, meaning: Meaning, span: Span) -> Option<Span> {
        if let Some((_, before)) = self.meanings.get(name) {
            return Some(*before);
        }
        self.meanings.insert(name.into(), (meaning, span));
        self.order.push(name.into());
        None
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.order.iter().map(String::as_str)
    }
}

/// Where an expression stands: decides what it may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    /// A parameter's default, an initial value, a run setting: parameters only.
    Constant(&'static str),
    Lagrangian,
    Hamiltonian,
    /// A plain constraint.
    Constraint,
    /// A gauge condition.
    Gauge,
    Vakonomic,
    /// An entry of a bracket.
    Bracket,
    /// An entry of a constant form.
    Form,
    /// The position of a boundary.
    Boundary,
    /// An observable, a claim, a drawing or a lapse: all that the model has.
    Quantity,
    /// A named sub-expression: checked where it is used.
    Let,
}

/// The loop variables in scope, outermost first.
#[derive(Clone, Default)]
pub(super) struct Loops {
    pub(super) ranges: Vec<Range>,
    pub(super) spans: Vec<Span>,
    /// A binder is wrong, and that has been reported: what is inside is looked at for its own
    /// mistakes only.
    pub(super) broken: bool,
    /// Names of wrong binders: nothing is said about their uses.
    pub(super) lost: Vec<String>,
}

impl Loops {
    pub(super) fn position(&self, name: &str) -> Option<u8> {
        self.ranges.iter().position(|r| &*r.name == name).map(|k| k as u8)
    }

    pub(super) fn domain(&self) -> Domain {
        Domain::Ranges(self.ranges.clone())
    }

    /// With these ranges inside.
    pub(super) fn with(&self, ranges: &[Range]) -> Loops {
        let mut inner = self.clone();
        ranges.iter().for_each(|r| inner.push(r.clone(), Span::default()));
        inner
    }

    pub(super) fn push(&mut self, range: Range, span: Span) {
        self.ranges.push(range);
        self.spans.push(span);
    }

    pub(super) fn len(&self) -> usize {
        self.ranges.len()
    }

    /// The constant ranges as dimensions; `None` if one depends on another.
    pub(super) fn dims(&self) -> Option<Vec<Dim>> {
        let dim = |r: &Range| {
            let (first, last) = (r.low.as_constant()?, r.high.as_constant()?);
            let len = usize::try_from(last.checked_sub(first)?.checked_add(1)?).unwrap_or(0);
            Some(Dim { first, len })
        };
        self.ranges.iter().map(dim).collect()
    }
}

/// A summand: `factor` times `value` summed over further loop variables. The factor, in the
/// variables outside, stays beside the sum as it was written until it is known whether the sum
/// becomes an array or terms of a tensor.
#[derive(Clone)]
pub(super) struct Part {
    pub(super) loops: Vec<Range>,
    pub(super) factor: Expr,
    pub(super) value: Expr,
}

impl Part {
    /// `value` summed over `loops`.
    pub(super) fn new(loops: Vec<Range>, value: Expr) -> Part {
        Part { loops, factor: Expr::one(), value }
    }

    /// With the factor put in.
    pub(super) fn multiplied(self) -> Part {
        if self.factor.is_one() { self } else { Part::new(self.loops, self.factor * self.value) }
    }
}

/// An expression as a sum of parts; most have a single one without loops.
#[derive(Clone)]
pub(super) struct Parts(pub(super) Vec<Part>);

impl Parts {
    pub(super) fn plain(value: Expr) -> Parts {
        Parts(vec![Part::new(vec![], value)])
    }

    /// The expression, if nothing is summed.
    pub(super) fn as_plain(&self) -> Option<&Expr> {
        match self.0.as_slice() {
            [p] if p.loops.is_empty() => Some(&p.value),
            _ => None,
        }
    }

    /// Each summand through a linear map.
    pub(super) fn map(self, f: impl Fn(&Expr) -> Expr) -> Parts {
        let one = |p: Part| match p.loops.is_empty() {
            true => Part { value: f(&p.value), ..p },
            false => Part { factor: f(&p.factor), ..p },
        };
        Parts(self.0.into_iter().map(one).collect())
    }

    /// The sum of several; equal sums become one with a factor.
    pub(super) fn sum(all: Vec<Parts>) -> Parts {
        let (plain, summed): (Vec<Part>, Vec<Part>) =
            all.into_iter().flat_map(|p| p.0).partition(|p| p.loops.is_empty());
        let mut known: HashMap<(Digest, Digest), usize> = HashMap::new();
        let mut parts: Vec<Part> = vec![];
        for part in summed {
            let key = (Domain::Ranges(part.loops.clone()).digest(), part.value.digest());
            let k = *known.entry(key).or_insert(parts.len());
            match parts.get_mut(k) {
                Some(same) => same.factor = &same.factor + part.factor,
                None => parts.push(part),
            }
        }
        parts.retain(|p| !p.factor.is_zero());
        Parts::with_plain(plain, parts)
    }

    /// The sum of several without factors; parts over the same ranges become one, as in a tensor.
    pub(super) fn merged(all: Vec<Part>) -> Parts {
        let (plain, summed): (Vec<Part>, Vec<Part>) = all.into_iter().partition(|p| p.loops.is_empty());
        let mut known: HashMap<Digest, usize> = HashMap::new();
        let mut groups: Vec<(Vec<Range>, Vec<Expr>)> = vec![];
        for part in summed {
            let k = *known.entry(Domain::Ranges(part.loops.clone()).digest()).or_insert(groups.len());
            match groups.get_mut(k) {
                Some(group) => group.1.push(part.value),
                None => groups.push((part.loops, vec![part.value])),
            }
        }
        let parts = groups.into_iter().map(|(loops, values)| Part::new(loops, Expr::sum(values))).collect();
        Parts::with_plain(plain, parts)
    }

    fn with_plain(plain: Vec<Part>, mut parts: Vec<Part>) -> Parts {
        let plain = Expr::sum(plain.into_iter().map(|p| p.value));
        if !plain.is_zero() || parts.is_empty() {
            parts.insert(0, Part::new(vec![], plain));
        }
        Parts(parts)
    }
}

/// A set of roles.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Roles(u8);

impl Roles {
    pub(super) fn has(self, role: Role) -> bool {
        self.0 >> role as u8 & 1 == 1
    }

    pub(super) fn add(&mut self, role: Role) {
        self.0 |= 1 << role as u8;
    }

    pub(super) fn join(&mut self, other: Roles) {
        self.0 |= other.0;
    }
}

/// A definition of a `let`, and how far it has been worked out.
pub(super) struct Let<'a> {
    pub(super) definition: &'a ast::Definition,
    pub(super) state: LetState,
}

pub(super) enum LetState {
    Waiting,
    UnderWay,
    /// The loop variables are its binders.
    Done {
        loops: Loops,
        parts: Parts,
        /// What it is made of.
        roles: Roles,
        /// Its nodes: the cost of putting other indices in.
        nodes: u64,
    },
    Failed,
}
