//! From the tree of a text to a [`System`]: names, families, and all checks of meaning.

mod declare;
mod expression;
mod index;
mod initial;
mod scope;
mod statements;
mod terms;

use crate::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use crate::nearest::nearest;
use crate::syntax::Parsed;
use crate::syntax::ast::Name;
use crate::system::{Options, System};
use cotangent_expr::{Digest, Expr, Table};
use scope::{Let, Loops, Names};
use std::collections::{HashMap, HashSet};

/// Works out what a parsed text means; every mistake is reported.
pub(crate) fn elaborate(parsed: Parsed, options: &Options) -> Result<System, Diagnostics> {
    let mut elaborator = Elaborator {
        parsed: &parsed,
        options,
        diagnostics: Diagnostics::new(),
        warnings: vec![],
        names: Names::default(),
        lets: vec![],
        used: HashSet::new(),
        reported: HashSet::new(),
        boundaries: HashMap::new(),
        numbered: HashMap::new(),
        is_lagrangian: false,
        depth: 0,
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
    diagnostics: Diagnostics,
    warnings: Vec<Diagnostic>,
    names: Names,
    lets: Vec<Let>,
    /// Names that some expression uses.
    used: HashSet<String>,
    /// Unknown names already reported.
    reported: HashSet<String>,
    /// Values outside the range of a family, by array and index.
    boundaries: HashMap<Digest, HashMap<Vec<i64>, Expr>>,
    /// For families over ranges that depend on one another: the number of each member.
    numbered: HashMap<Digest, Table>,
    is_lagrangian: bool,
    /// How deep the expression under way is nested, through `let`s as well.
    depth: usize,
}

impl Elaborator<'_> {
    fn error(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports a name that means nothing, once, with the nearest one that does.
    fn unknown(&mut self, name: &Name, loops: &Loops) {
        // A declaration that did not parse may have declared it.
        if self.parsed.may_declare(&name.text) || !self.reported.insert(name.text.clone()) {
            return;
        }
        if let Some(later) = self.declared_later(&name.text) {
            let d = Diagnostic::new(Code::UnknownName, name.span, format!("`{}` is declared further down", name.text));
            self.error(
                d.label(later, "declared here")
                    .help("a parameter or size is declared before it is used: move this one up"),
            );
            return;
        }
        let candidates = self.names.iter().chain(loops.ranges.iter().map(|r| &*r.name));
        let near = nearest(&name.text, candidates).map(str::to_string);
        let mut d = Diagnostic::new(Code::UnknownName, name.span, format!("`{}` is not declared", name.text));
        d = match near {
            Some(near) => d.help(format!("did you mean `{near}`?")),
            None if name.text == "e" => d.help("write exp(x) for the exponential, or declare `param e = …`"),
            None if name.text == "t" => {
                d.help("models do not depend on time explicitly; declare `param t = …` if it is a constant")
            }
            None => d.help(format!("declare it: param {0} = …, coord {0}, or let {0} = …", name.text)),
        };
        self.error(d);
    }

    /// Where a parameter, coordinate or variable is declared in the text, whether it has been read yet or not.
    fn declared_later(&self, name: &str) -> Option<Span> {
        use crate::syntax::ast::StatementKind as S;
        let found = |n: &Name| (n.text == name).then_some(n.span);
        self.parsed.file.statements.iter().find_map(|s| match &s.kind {
            S::Param(list) => list.iter().find_map(|p| found(&p.head.name)),
            S::Coord(list) => list.iter().find_map(|c| found(&c.head.name)),
            S::Variables(list) => list.iter().find_map(|h| found(&h.name)),
            S::Let(list) => list.iter().find_map(|d| found(&d.head.name)),
            _ => None,
        })
    }
}
