//! Names and what they stand for.

use crate::diagnostic::Span;
use crate::syntax::ast;
use cotangent_expr::{Array, Dim, Domain, Expr, Range, Role, Table};
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
    /// A plain constraint or a gauge condition.
    Constraint,
    Vakonomic,
    /// An entry of a bracket.
    Bracket,
    /// An entry of a constant form.
    Form,
    /// The position of a boundary.
    Boundary,
    /// An observable, a claim, a part of the energy: anything.
    Quantity,
    /// A named sub-expression: checked where it is used.
    Let,
}

/// The loop variables in scope, outermost first.
#[derive(Clone, Default)]
pub(super) struct Loops {
    pub(super) ranges: Vec<Range>,
    pub(super) spans: Vec<Span>,
}

impl Loops {
    pub(super) fn position(&self, name: &str) -> Option<u8> {
        self.ranges.iter().position(|r| &*r.name == name).map(|k| k as u8)
    }

    pub(super) fn domain(&self) -> Domain {
        Domain::Ranges(self.ranges.clone())
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

/// A summand: `value` summed over further loop variables.
#[derive(Clone)]
pub(super) struct Part {
    pub(super) loops: Vec<Range>,
    pub(super) value: Expr,
}

/// An expression as a sum of parts; most have a single one without loops.
#[derive(Clone)]
pub(super) struct Parts(pub(super) Vec<Part>);

impl Parts {
    pub(super) fn plain(value: Expr) -> Parts {
        Parts(vec![Part { loops: vec![], value }])
    }

    /// The expression, if nothing is summed.
    pub(super) fn as_plain(&self) -> Option<&Expr> {
        match self.0.as_slice() {
            [p] if p.loops.is_empty() => Some(&p.value),
            _ => None,
        }
    }

    pub(super) fn map(self, f: impl Fn(&Expr) -> Expr) -> Parts {
        Parts(self.0.into_iter().map(|p| Part { value: f(&p.value), ..p }).collect())
    }

    /// The sum of several, with all plain parts as one.
    pub(super) fn sum(all: Vec<Parts>) -> Parts {
        let (plain, summed): (Vec<Part>, Vec<Part>) =
            all.into_iter().flat_map(|p| p.0).partition(|p| p.loops.is_empty());
        let plain = Expr::sum(plain.into_iter().map(|p| p.value));
        let mut parts = summed;
        if !plain.is_zero() || parts.is_empty() {
            parts.insert(0, Part { loops: vec![], value: plain });
        }
        Parts(parts)
    }

    /// Whether an array of this role occurs.
    pub(super) fn uses(&self, role: Role) -> bool {
        self.0.iter().any(|p| deep_uses(&p.value, role))
    }
}

/// Whether an array of this role occurs, also inside defined arrays.
pub(super) fn deep_uses(e: &Expr, role: Role) -> bool {
    e.leaves().iter().any(|l| match l.node() {
        cotangent_expr::Node::At(a, _) => {
            a.role() == role
                || match a.definition() {
                    cotangent_expr::Definition::Defined(t) => t.terms().iter().any(|t| deep_uses(&t.value, role)),
                    _ => false,
                }
        }
        _ => false,
    })
}

/// A definition of a `let`, and how far it has been worked out.
pub(super) struct Let {
    pub(super) definition: ast::Definition,
    pub(super) state: LetState,
}

pub(super) enum LetState {
    Waiting,
    UnderWay,
    /// The loop variables are its binders.
    Done {
        loops: Loops,
        parts: Parts,
    },
    Failed,
}
