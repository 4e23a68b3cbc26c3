//! Expressions as LaTeX.

use crate::array::{Array, Definition, Role};
use crate::domain::Domain;
use crate::expr::{Expr, Node};
use crate::function::Function;
use crate::index::{Atom, Ix};
use crate::number::Number;
use crate::print::{Fraction, MAX_TEXT, default_name, fresh, inlined};
use crate::symbol::{Symbol, latex_name};
use crate::tensor::Term;
use std::collections::HashSet;
use std::fmt::Write;
use std::sync::Arc;

impl Expr {
    /// The expression in LaTeX (mathematics mode), with these names for loop variables 0, 1, …
    pub fn latex(&self, names: &[Arc<str>]) -> String {
        let mut out = String::new();
        Latex { names: names.to_vec(), out: &mut out }.sum(self);
        if out.len() > MAX_TEXT {
            out.push_str(" \\dots");
        }
        out
    }
}

/// A rounded number: with a power of ten where its digits would be zeros.
fn decimal(x: f64) -> String {
    let text = format!("{x:e}");
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    match (exponent.parse::<i32>(), mantissa) {
        (Ok(-5..=15), _) => x.to_string(),
        (_, "1") => format!("10^{{{exponent}}}"),
        (_, "-1") => format!("-10^{{{exponent}}}"),
        _ => format!("{mantissa} \\cdot 10^{{{exponent}}}"),
    }
}

struct Latex<'a> {
    names: Vec<Arc<str>>,
    out: &'a mut String,
}

impl Latex<'_> {
    fn number(&mut self, n: Number) {
        let _ = match n.as_ratio() {
            Some((n, 1)) => write!(self.out, "{n}"),
            Some((n, d)) if n < 0 => write!(self.out, "-\\frac{{{}}}{{{d}}}", n.unsigned_abs()),
            Some((n, d)) => write!(self.out, "\\frac{{{n}}}{{{d}}}"),
            None => write!(self.out, "{}", decimal(n.to_f64())),
        };
    }

    fn sum(&mut self, e: &Expr) {
        // Sharing can make a small expression print exponentially long.
        if self.out.len() > MAX_TEXT {
            return;
        }
        let Node::Add(constant, terms) = e.node() else { return self.product(Number::ONE, e) };
        for (k, (c, t)) in terms.iter().enumerate() {
            self.out.push_str(match (c.is_negative(), k) {
                (true, 0) => "-",
                (true, _) => " - ",
                (false, 0) => "",
                (false, _) => " + ",
            });
            self.product(c.abs(), t);
        }
        if !constant.is_zero() {
            self.out.push_str(if constant.is_negative() { " - " } else { " + " });
            self.number(constant.abs());
        }
    }

    fn product(&mut self, coefficient: Number, e: &Expr) {
        let one = [(e.clone(), Number::ONE)];
        let Fraction { n, d, above, below } = Fraction::new(coefficient, e, &one);
        let fraction = !below.is_empty() || (!d.is_one() && !above.is_empty());
        if !fraction {
            return self.factors(coefficient, &above);
        }
        self.out.push_str("\\frac{");
        self.factors(n, &above);
        self.out.push_str("}{");
        let below: Vec<(Expr, Number)> = below.iter().map(|(b, k)| (b.clone(), -*k)).collect();
        self.factors(d, &below.iter().collect::<Vec<_>>());
        self.out.push('}');
    }

    fn factors(&mut self, coefficient: Number, factors: &[&(Expr, Number)]) {
        if !coefficient.is_one() || factors.is_empty() {
            self.number(coefficient);
        }
        let alone = coefficient.is_one() && factors.len() == 1;
        for (k, (b, e)) in factors.iter().enumerate() {
            if k > 0 || !coefficient.is_one() {
                self.out.push_str(if matches!(b.node(), Node::Number(_)) { " \\cdot " } else { " " });
            }
            if *e == Number::HALF {
                self.out.push_str("\\sqrt{");
                self.sum(b);
                self.out.push('}');
            } else if e.is_one() {
                if alone { self.sum_or_atom(b) } else { self.atom(b) }
            } else {
                self.base(b);
                self.out.push_str("^{");
                self.number(*e);
                self.out.push('}');
            }
        }
    }

    fn sum_or_atom(&mut self, e: &Expr) {
        if let Node::Add(..) = e.node() { self.sum(e) } else { self.atom(e) }
    }

    fn parenthesised(&mut self, inside: impl FnOnce(&mut Self)) {
        self.out.push_str("\\left(");
        inside(self);
        self.out.push_str("\\right)");
    }

    /// What is raised to a power: a power, and a number with more to it than digits, in parentheses.
    fn base(&mut self, e: &Expr) {
        let alone = match e.node() {
            Node::Number(n) => {
                let mut text = String::new();
                Latex { names: vec![], out: &mut text }.number(*n);
                text.bytes().all(|b| b.is_ascii_digit() || b == b'.')
            }
            Node::Call(Function::Pow, _) => false,
            _ => true,
        };
        if alone { self.atom(e) } else { self.parenthesised(|l| l.atom(e)) }
    }

    fn atom(&mut self, e: &Expr) {
        match e.node() {
            Node::Number(n) => self.number(*n),
            Node::Pi => self.out.push_str("\\pi"),
            Node::Index(i) if i.as_shifted_var().is_some_and(|(_, s)| s == 0) => self.index(i),
            Node::Index(i) => self.parenthesised(|l| l.index(i)),
            Node::At(array, index) => self.element(array, index),
            Node::Add(..) | Node::Mul(_) => self.parenthesised(|l| l.sum(e)),
            Node::Call(Function::Pow, args) => {
                self.base(&args[0]);
                self.out.push_str("^{");
                self.sum(&args[1]);
                self.out.push('}');
            }
            Node::Call(Function::Abs, args) => {
                self.out.push_str("\\left|");
                self.sum(&args[0]);
                self.out.push_str("\\right|");
            }
            Node::Call(f, args) => {
                match f {
                    Function::Stumpff(k) => {
                        let _ = write!(self.out, "c_{{{k}}}");
                    }
                    Function::Exp
                    | Function::Log
                    | Function::Sin
                    | Function::Cos
                    | Function::Tan
                    | Function::Sinh
                    | Function::Cosh
                    | Function::Tanh
                    | Function::Min
                    | Function::Max => {
                        let _ = write!(self.out, "\\{}", f.name());
                    }
                    Function::Asin | Function::Acos | Function::Atan => {
                        let _ = write!(self.out, "\\arc{}", &f.name()[1..]);
                    }
                    _ => {
                        let _ = write!(self.out, "\\operatorname{{{}}}", f.name());
                    }
                }
                self.parenthesised(|l| {
                    for (k, a) in args.iter().enumerate() {
                        l.out.push_str(if k == 0 { "" } else { ", " });
                        l.sum(a);
                    }
                });
            }
            // Why there is no formula is for messages to say.
            Node::Poison(_) => self.out.push_str("\\text{undefined}"),
        }
    }

    /// A sum over further loop variables, whose names are those of the domain.
    fn term(&mut self, t: &Term) {
        let outer = self.names.len();
        for v in outer..t.domain.arity() {
            let wanted = t.domain.name(v).cloned().unwrap_or_else(|| default_name(v as u8));
            self.names.push(fresh(&wanted, &self.names, &HashSet::new()));
        }
        if let Domain::Ranges(ranges) = &t.domain {
            for (v, r) in ranges.iter().enumerate().skip(outer) {
                let _ = write!(self.out, "\\sum_{{{}=", latex_name(&self.names[v]));
                self.index(&r.low);
                self.out.push_str("}^{");
                self.index(&r.high);
                self.out.push_str("} ");
            }
        }
        self.atom(&t.value);
        self.names.truncate(outer);
    }

    fn element(&mut self, array: &Array, index: &[Ix]) {
        if let Definition::Defined(t) = array.definition()
            && let Some(terms) = inlined(t, index, self.names.len())
        {
            return self.parenthesised(|l| {
                for (k, t) in terms.iter().enumerate() {
                    l.out.push_str(if k == 0 { "" } else { " + " });
                    l.term(t);
                }
            });
        }
        let mut symbol = Symbol::new(array.name().trim_end_matches('\''));
        if array.role() == Role::Velocity {
            symbol = symbol.dotted();
        }
        let members = array.shown_index(index).into_iter().map(|i| self.index_text(&i)).collect::<Vec<_>>();
        self.out.push_str(&symbol.member(members).latex());
    }

    fn index_text(&self, i: &Ix) -> String {
        let mut text = String::new();
        Latex { names: self.names.clone(), out: &mut text }.index(i);
        text
    }

    fn index(&mut self, i: &Ix) {
        let mut first = true;
        for (atom, c) in i.terms() {
            self.out.push_str(match (*c < 0, first) {
                (true, _) => "-",
                (false, true) => "",
                (false, false) => "+",
            });
            first = false;
            if c.abs() != 1 {
                let _ = write!(self.out, "{} ", c.abs());
            }
            match atom {
                Atom::Var(v) => {
                    let name = self.names.get(*v as usize).cloned().unwrap_or_else(|| default_name(*v));
                    self.out.push_str(&latex_name(&name));
                }
                Atom::Table(t, at) => {
                    let _ = write!(self.out, "{}_{{", latex_name(t.name()));
                    at.iter().for_each(|i| self.index(i));
                    self.out.push('}');
                }
                Atom::Mod(i, m) => {
                    self.out.push('(');
                    self.index(i);
                    let _ = write!(self.out, " \\bmod {m})");
                }
                Atom::Floor(i, d) => {
                    self.out.push_str("\\lfloor ");
                    self.index(i);
                    let _ = write!(self.out, "/{d}\\rfloor ");
                }
            }
        }
        if i.offset() != 0 || first {
            let plus = if first || i.offset() < 0 { "" } else { "+" };
            let _ = write!(self.out, "{plus}{}", i.offset());
        }
    }
}
