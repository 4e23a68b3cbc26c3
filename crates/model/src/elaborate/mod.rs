//! From the tree of a text to a [`System`]: names, families, and all checks of meaning.

mod algebra;
mod declare;
mod draw;
mod expression;
mod index;
mod initial;
mod lets;
mod matrix;
mod meant;
mod pairs;
mod pieces;
mod reference;
mod scope;
mod statements;
mod terms;
mod velocity;

use crate::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use crate::limits::MAX_RENDERED_DIAGNOSTICS;
use crate::nearest::nearest;
use crate::syntax::Parsed;
use crate::syntax::ast::{Coordinate, Name};
use crate::syntax::is_unit;
use crate::system::{Options, OrbitParameter, System};
use cotangent_expr::{Digest, Error, Expr, MAX_POINTS, Poison, Role, Table};
use scope::{Let, Loops, Names, Parts, Roles};
use std::collections::{HashMap, HashSet};

/// How large a model may become.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Members of a family: beyond, a run would need tens of gigabytes, at 1 kB for each variable.
    pub(crate) members: u64,
    /// Points of a sum.
    pub(crate) points: u64,
    /// Nodes of expressions built on the way.
    pub(crate) nodes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { members: 5_000_000, points: MAX_POINTS, nodes: 5_000_000 }
    }
}

/// Works out what a parsed text means; every mistake is reported.
pub(crate) fn elaborate(parsed: Parsed, options: &Options) -> Result<System, Diagnostics> {
    elaborate_within(parsed, options, Limits::default())
}

/// The same with other limits.
pub(crate) fn elaborate_within(parsed: Parsed, options: &Options, limits: Limits) -> Result<System, Diagnostics> {
    let mut elaborator = Elaborator {
        parsed: &parsed,
        options,
        limits,
        diagnostics: Diagnostics::new(),
        warnings: vec![],
        names: Names::default(),
        generated: HashMap::new(),
        lets: vec![],
        velocities: HashMap::new(),
        used: HashSet::new(),
        reported: HashSet::new(),
        misplaced: HashSet::new(),
        skipped: parsed.skipped.iter().flat_map(|s| s.names.iter().map(String::as_str)).collect(),
        boundaries: HashMap::new(),
        broken_boundaries: HashSet::new(),
        numbered: HashMap::new(),
        written: HashMap::new(),
        sums: HashMap::new(),
        roles: Roles::default(),
        array_roles: HashMap::new(),
        orbit: None,
        energy: None,
        without_variables: false,
        is_poisson: false,
        nodes: 0,
    };
    let system = elaborator.system();
    let found = std::mem::take(&mut elaborator.diagnostics);
    let mut all = parsed.diagnostics.clone();
    all.append(found);
    all.sort();
    match system {
        Some(system) if all.is_empty() => Ok(system),
        _ => Err(all),
    }
}

struct Elaborator<'a> {
    parsed: &'a Parsed,
    options: &'a Options,
    limits: Limits,
    diagnostics: Diagnostics,
    warnings: Vec<Diagnostic>,
    names: Names,
    /// Names that nobody wrote (`p_x`), and the coordinate each belongs to.
    generated: HashMap<String, String>,
    lets: Vec<Let<'a>>,
    /// The velocities of `let`s that were asked for, by position; `None` if there is none.
    velocities: HashMap<usize, Option<Parts>>,
    /// Names that some expression uses.
    used: HashSet<String>,
    /// Unknown names already reported.
    reported: HashSet<String>,
    /// Statements in which something of a role that does not belong there was reported.
    misplaced: HashSet<(usize, Role)>,
    /// Names in text that could not be parsed: they may be declared there.
    skipped: HashSet<&'a str>,
    /// Values outside the range of a family, by array and index.
    boundaries: HashMap<Digest, HashMap<Vec<i64>, Expr>>,
    /// Families with a boundary that is wrong: nothing is said about indices outside.
    broken_boundaries: HashSet<Digest>,
    /// For families over ranges that depend on one another: the number of each member.
    numbered: HashMap<Digest, Table>,
    /// The sums that became arrays.
    written: HashMap<Digest, terms::Written>,
    /// Sums as they are written under given loops, by element and loops.
    sums: HashMap<(Digest, Digest), Expr>,
    /// What the expression under way is made of.
    roles: Roles,
    /// What defined arrays are made of.
    array_roles: HashMap<Digest, Roles>,
    /// The parameter of the orbit, once a gauge condition has used it.
    orbit: Option<OrbitParameter>,
    /// What the model is given by, if that is clear.
    energy: Option<Energy>,
    /// No variables are declared at all: that is one mistake, not one for each of their names.
    without_variables: bool,
    /// The model declares `variables`.
    is_poisson: bool,
    /// Nodes built so far.
    nodes: u64,
}

/// What a model is given by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Energy {
    Lagrangian,
    Hamiltonian,
}

impl Elaborator<'_> {
    fn error(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports what the symbolic side refuses.
    fn refused(&mut self, error: &Error, span: Span) {
        let (code, help) = match error {
            Error::Poisoned(p) => poison_advice(*p),
            Error::OutOfRange { .. } | Error::Unbound | Error::Undefined => {
                (Code::IndexOutOfRange, "change the range of the index")
            }
            Error::TooLarge { .. } | Error::Interrupted(_) => (Code::TooLarge, "reduce the ranges"),
            Error::Misplaced { .. } | Error::Foreign { .. } | Error::Rank { .. } => {
                (Code::WrongPlace, "simplify this statement")
            }
        };
        self.error(Diagnostic::new(code, span, error.to_string()).help(help));
    }

    /// Accounts for work; beyond the limit there is one error, and everything ends.
    fn spend(&mut self, nodes: u64, span: Span) -> Option<()> {
        let before = self.exhausted();
        self.nodes = self.nodes.saturating_add(nodes);
        if self.exhausted() {
            if !before {
                let message = format!(
                    "the model needs more than {} nodes when its `let`s, products and boundaries are put in",
                    self.limits.nodes
                );
                self.error(
                    Diagnostic::new(Code::TooLarge, span, message)
                        .caption("the limit is reached here")
                        .help("describe repeated parts as a family: `coord x[i in 1..n]` and `sum(i in 1..n, …)`"),
                );
            }
            return None;
        }
        Some(())
    }

    fn exhausted(&self) -> bool {
        self.nodes > self.limits.nodes
    }

    /// The distinct nodes of an expression, counting no further than the work that is left.
    fn count_nodes(&self, e: &Expr) -> u64 {
        let left = self.limits.nodes.saturating_sub(self.nodes).saturating_add(1);
        let mut seen: HashSet<Digest> = HashSet::new();
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            if seen.insert(e.digest()) {
                open.extend(e.children());
            }
            if seen.len() as u64 >= left {
                break;
            }
        }
        seen.len() as u64
    }

    /// Reports a name that means nothing, once, with the nearest one that does.
    fn unknown(&mut self, name: &Name, loops: &Loops) {
        let kind = if self.is_poisson { "variables" } else { "coord" };
        self.unknown_name(
            name,
            loops,
            format!("declare it: `param {0} = …`, `{kind} {0}` or `let {0} = …`", name.text),
        );
    }

    /// The same where an integer is needed.
    fn unknown_index(&mut self, name: &Name, loops: &Loops) {
        let n = &name.text;
        let help = format!(
            "an index is bound where it is used, `sum({n} in 1..3, …)`; a size is declared, `param {n} : int = 3`"
        );
        self.unknown_name(name, loops, help);
    }

    fn unknown_name(&mut self, name: &Name, loops: &Loops, help: String) {
        // A declaration that did not parse may have declared it.
        let silent = self.without_variables
            || self.skipped.contains(name.text.as_str())
            || loops.lost.contains(&name.text)
            || !self.reported.insert(name.text.clone());
        if silent {
            return;
        }
        let d = Diagnostic::new(Code::UnknownName, name.span, format!("`{}` is not declared", name.text));
        // With this many errors none of them will be read: no search for the nearest name.
        if self.diagnostics.count() >= MAX_RENDERED_DIAGNOSTICS {
            return self.error(d);
        }
        if let Some(at) = self.declared_anywhere(&name.text) {
            let (message, help) = if at.start > name.span.start {
                (
                    format!("`{}` is declared further down", name.text),
                    "a parameter or size is declared before it is used: move its declaration up",
                )
            } else {
                (format!("`{}` is used in its own declaration", name.text), "use numbers and the names declared before")
            };
            let d = Diagnostic::new(Code::UnknownName, name.span, message);
            return self.error(d.label(at, "declared here").help(help));
        }
        if let Some(help) = self.meant(&name.text) {
            return self.error(d.help(help));
        }
        let candidates = self.names.iter().chain(loops.ranges.iter().map(|r| &*r.name));
        let near = nearest(&name.text, candidates).map(str::to_string);
        self.error(match near {
            Some(near) => d.help(format!("did you mean `{near}`?")),
            None if name.text == "e" => d.help("write exp(x) for the exponential, or declare `param e = …`"),
            None if is_unit(&name.text) => d.help(format!(
                "{help}; if it is a unit, leave it out: numbers have none, and all are in the same units"
            )),
            None => match name
                .text
                .strip_prefix("p_")
                .filter(|q| matches!(self.names.get(q), Some(scope::Meaning::Coordinate { .. })))
            {
                Some(q) => d.help(format!("the momentum of `{q}` was given another name where `{q}` is declared")),
                None => d.help(help),
            },
        });
    }

    /// Where a name is declared in the text, whether that has been read yet or not.
    fn declared_anywhere(&self, name: &str) -> Option<Span> {
        use crate::syntax::ast::StatementKind as S;
        let found = |n: &Name| (n.text == name).then_some(n.span);
        let momentum = |c: &Coordinate| match &c.momentum {
            Some(m) => found(m),
            None => (name.strip_prefix("p_") == Some(&c.head.name.text)).then_some(c.head.name.span),
        };
        self.parsed.file.statements.iter().find_map(|s| match &s.kind {
            S::Param(list) => list.iter().find_map(|p| found(&p.head.name)),
            S::Coord(list) => list.iter().find_map(|c| found(&c.head.name).or_else(|| momentum(c))),
            S::Variables(list) => list.iter().find_map(|h| found(&h.name)),
            S::Let(list) => list.iter().find_map(|d| found(&d.head.name)),
            _ => None,
        })
    }
}

/// The code for an expression that could not be built, and what to do.
fn poison_advice(reason: Poison) -> (Code, &'static str) {
    match reason {
        Poison::DivisionByZero => (Code::DivisionByZero, "a quotient needs a divisor that is not identically zero"),
        Poison::NotFinite => (
            Code::NoValue,
            "check the numbers: the logarithm of 0, the root of a negative number and an overflow have no value",
        ),
        Poison::ArgumentCount => (Code::ArgumentCount, "give it the arguments it takes"),
        Poison::TooDeep => (Code::TooLarge, "shorten the chain of `let`s or nested functions"),
        Poison::TooWide => (Code::TooLarge, "write it as a `sum` over a family"),
    }
}
