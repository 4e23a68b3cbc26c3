//! Expressions as text in the model language; what is printed reads back as the same expression.
//!
//! Two things have no place in the language and print for people only: a list of more than
//! [`MAX_BOXES`] boxes of points, as their number, and a sum that is another formula for some values
//! of an outer index (where it reaches a boundary), as an element of an array `sum`. A shorter list
//! of points prints as one sum over each box: the same value, in more terms.

use crate::array::{Array, Definition, Role};
use crate::digest::Digest;
use crate::domain::Domain;
use crate::expr::{Expr, Node};
use crate::function::Function;
use crate::index::{Atom, Ix};
use crate::number::Number;
use crate::tensor::{Tensor, Term};
use std::collections::HashSet;
use std::fmt::{self, Write};
use std::sync::Arc;

/// Longer texts are cut: sharing can make a small expression print exponentially long.
pub(crate) const MAX_TEXT: usize = 1 << 20;

/// A list of points prints as at most so many boxes.
const MAX_BOXES: usize = 16;

/// How tightly an operator binds.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Tight {
    Sum,
    Product,
    Power,
}

/// Prints an expression of a term over a domain, with the domain's names for its variables.
pub(crate) struct Printer {
    names: Vec<Arc<str>>,
    /// Names of arrays, which an index must not have.
    reserved: HashSet<String>,
    text: String,
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(&[]))
    }
}

impl Expr {
    /// The expression as text, with these names for loop variables 0, 1, …
    pub fn text(&self, names: &[Arc<str>]) -> String {
        let mut p = Printer::new([self].into_iter());
        p.names = names.to_vec();
        p.sum(self);
        p.finish()
    }
}

impl fmt::Display for Tensor {
    /// A scalar as a sum of its terms; other tensors one `place: value` per line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut p = Printer::new(self.terms().iter().map(|t| &t.value));
        if self.rank() == 0 {
            p.terms(self.terms());
        } else {
            for t in self.terms() {
                p.names = t.domain.names();
                for place in &t.at {
                    p.element(&place.array, &place.index);
                    p.push(if t.at.len() > 1 { ", " } else { "" });
                }
                p.push(": ");
                p.term(t);
                p.push("\n");
            }
        }
        f.write_str(&p.finish())
    }
}

impl Printer {
    fn new<'e>(values: impl Iterator<Item = &'e Expr>) -> Printer {
        fn visit(e: &Expr, seen: &mut HashSet<Digest>, names: &mut HashSet<String>) {
            for leaf in e.leaves() {
                let Node::At(a, _) = leaf.node() else { continue };
                if !seen.insert(a.digest()) {
                    continue;
                }
                names.insert(a.name().trim_end_matches('\'').to_string());
                if let Definition::Defined(t) = a.definition() {
                    t.terms().iter().for_each(|t| visit(&t.value, seen, names));
                }
            }
        }
        let mut reserved = HashSet::new();
        let mut seen = HashSet::new();
        values.for_each(|e| visit(e, &mut seen, &mut reserved));
        Printer { names: vec![], reserved, text: String::new() }
    }

    fn finish(mut self) -> String {
        if self.text.len() > MAX_TEXT {
            let mut cut = MAX_TEXT;
            while !self.text.is_char_boundary(cut) {
                cut -= 1;
            }
            self.text.truncate(cut);
            self.text.push_str(" …");
        }
        self.text
    }

    fn push(&mut self, s: &str) {
        if self.text.len() <= MAX_TEXT {
            self.text.push_str(s);
        }
    }

    fn number(&mut self, n: Number) {
        self.push(&n.to_string());
    }

    fn parenthesised(&mut self, inside: impl FnOnce(&mut Self)) {
        self.push("(");
        inside(self);
        self.push(")");
    }

    /// At sum level: anything without parentheses.
    fn sum(&mut self, e: &Expr) {
        if self.text.len() > MAX_TEXT {
            return;
        }
        let (constant, terms) = match e.node() {
            Node::Add(constant, terms) => (constant, terms),
            Node::Mul(_) => return self.product(Number::ONE, e),
            _ => return self.atom(e),
        };
        // (a + b)/2 rather than a/2 + b/2 where every coefficient has the same denominator.
        let denominator = |n: Number| n.as_ratio().map(|(_, d)| d);
        let common = denominator(terms[0].0).filter(|&d| {
            let rest = terms.iter().map(|t| t.0).chain((!constant.is_zero()).then_some(*constant));
            d > 1
                && terms.len() + !constant.is_zero() as usize > 1
                && rest.into_iter().all(|c| denominator(c) == Some(d))
        });
        match common {
            Some(d) => {
                let scaled = e.scale(Number::from(d));
                self.parenthesised(|p| p.sum(&scaled));
                self.push("/");
                self.number(Number::from(d));
            }
            None => self.signed_terms(*constant, terms),
        }
    }

    /// c₁e₁ + c₂e₂ − … + constant, beginning with a positive member if there is one.
    fn signed_terms(&mut self, constant: Number, terms: &[(Number, Expr)]) {
        let lead = terms.iter().position(|t| !t.0.is_negative());
        let constant_leads = lead.is_none() && !constant.is_zero() && !constant.is_negative();
        let lead = lead.unwrap_or(0);
        let mut first = true;
        if constant_leads {
            self.number(constant);
            first = false;
        }
        let order = std::iter::once(&terms[lead]).chain(terms[..lead].iter()).chain(&terms[lead + 1..]);
        for (c, t) in order {
            self.sign(c.is_negative(), first);
            self.product(c.abs(), t);
            first = false;
        }
        if !constant.is_zero() && !constant_leads {
            self.sign(constant.is_negative(), first);
            self.number(constant.abs());
        }
    }

    fn sign(&mut self, negative: bool, first: bool) {
        self.push(match (negative, first) {
            (true, true) => "-",
            (false, true) => "",
            (true, false) => " - ",
            (false, false) => " + ",
        });
    }

    /// coefficient·e as numerator/denominator, for a coefficient that is not negative.
    fn product(&mut self, coefficient: Number, e: &Expr) {
        let one = [(e.clone(), Number::ONE)];
        let Fraction { n, d, above, below } = Fraction::new(coefficient, e, &one);
        let mut first = true;
        if !n.is_one() || above.is_empty() {
            self.number(n);
            first = false;
        }
        for (b, k) in above {
            self.push(if first { "" } else { "*" });
            self.power(b, *k);
            first = false;
        }
        let mut d = d;
        // A number times a sum is taken into the sum, where a float coefficient would absorb it.
        if let [(b, k)] = below.as_slice()
            && !d.is_one()
            && *k == Number::MINUS_ONE
            && let Node::Add(constant, terms) = b.node()
            && !(constant.is_integer() && terms.iter().all(|t| t.0.is_integer()))
        {
            self.push("/");
            self.number(d);
            d = Number::ONE;
        }
        let many = below.len() + !d.is_one() as usize;
        if many == 0 {
            return;
        }
        self.push("/");
        let denominator = |p: &mut Self| {
            let mut first = d.is_one();
            if !first {
                p.number(d);
            }
            for (b, k) in &below {
                p.push(if first { "" } else { "*" });
                p.power(b, -*k);
                first = false;
            }
        };
        if many == 1 { denominator(self) } else { self.parenthesised(denominator) }
    }

    /// base^k for a positive k, safe as a factor or a divisor.
    fn power(&mut self, base: &Expr, k: Number) {
        if k.is_one() {
            self.tight(base, Tight::Product);
        } else if k == Number::HALF {
            self.push("sqrt");
            self.parenthesised(|p| p.sum(base));
        } else {
            self.tight(base, Tight::Power);
            self.push("^");
            if k.is_integer() { self.number(k) } else { self.parenthesised(|p| p.number(k)) }
        }
    }

    /// Parenthesised if it binds less tightly than its surroundings need.
    fn tight(&mut self, e: &Expr, need: Tight) {
        let own = match e.node() {
            Node::Add(..) => Tight::Sum,
            Node::Mul(_) => Tight::Product,
            Node::Number(n) if n.is_negative() || !n.is_integer() => Tight::Sum,
            Node::Call(Function::Pow, _) => Tight::Power,
            Node::At(a, _) if matches!(a.definition(), Definition::Defined(_)) => Tight::Sum,
            _ => return self.atom(e),
        };
        // A power as the base of a power needs parentheses, as a factor it does not.
        if own > need { self.atom(e) } else { self.parenthesised(|p| p.sum(e)) }
    }

    fn atom(&mut self, e: &Expr) {
        match e.node() {
            Node::Number(n) => self.number(*n),
            Node::Pi => self.push("pi"),
            Node::Index(i) => self.index(i),
            Node::At(array, index) => self.element(array, index),
            Node::Call(Function::Pow, args) => {
                self.tight(&args[0], Tight::Power);
                self.push("^");
                self.tight(&args[1], Tight::Power);
            }
            Node::Call(f, args) => {
                self.push(f.name());
                self.parenthesised(|p| {
                    if let Function::Stumpff(k) = f {
                        let _ = write!(p.text, "{k}, ");
                    }
                    for (k, a) in args.iter().enumerate() {
                        p.push(if k == 0 { "" } else { ", " });
                        p.sum(a);
                    }
                });
            }
            Node::Poison(p) => self.push(&format!("<{p}>")),
            Node::Add(..) | Node::Mul(_) => self.parenthesised(|p| p.sum(e)),
        }
    }

    /// `x`, `x[i - 1]`, `x[i]'`; a defined array as the sums that define it.
    fn element(&mut self, array: &Array, index: &[Ix]) {
        if let Definition::Defined(t) = array.definition()
            && let Some(terms) = inlined(t, index, self.names.len())
        {
            return self.terms(&terms);
        }
        let velocity = array.role() == Role::Velocity;
        let name = if velocity { array.name().trim_end_matches('\'') } else { array.name() };
        self.push(name);
        if !index.is_empty() {
            self.push("[");
            for (k, i) in array.shown_index(index).iter().enumerate() {
                self.push(if k == 0 { "" } else { ", " });
                self.index(i);
            }
            self.push("]");
        }
        self.push(if velocity { "'" } else { "" });
    }

    /// A sum of terms over domains, whose first variables are those already in scope.
    fn terms(&mut self, terms: &[Term]) {
        for (k, t) in terms.iter().enumerate() {
            self.push(if k == 0 { "" } else { " + " });
            self.term(t);
        }
        if terms.is_empty() {
            self.push("0");
        }
    }

    fn term(&mut self, t: &Term) {
        let outer = self.names.len().min(t.domain.arity());
        if t.domain.arity() == outer {
            return if self.text.is_empty() || self.text.ends_with(": ") {
                self.sum(&t.value)
            } else {
                self.tight(&t.value, Tight::Sum)
            };
        }
        let saved = self.names.clone();
        for v in outer..t.domain.arity() {
            let wanted = t.domain.name(v).cloned().unwrap_or_else(|| default_name(v as u8));
            let name = fresh(&wanted, &self.names, &self.reserved);
            self.names.push(name);
        }
        match &t.domain {
            Domain::Ranges(ranges) => {
                self.push("sum(");
                for (v, r) in ranges.iter().enumerate().skip(outer) {
                    let name = self.names[v].clone();
                    self.push(&name);
                    self.push(" in ");
                    self.index(&r.low);
                    self.push("..");
                    self.index(&r.high);
                    self.push(", ");
                }
                self.sum(&t.value);
                self.push(")");
            }
            Domain::Points(points) => match points.boxes(MAX_BOXES).filter(|_| outer == 0) {
                Some(boxes) => {
                    for (k, ranges) in boxes.iter().enumerate() {
                        self.push(if k == 0 { "sum(" } else { " + sum(" });
                        for (v, (a, b)) in ranges.iter().enumerate() {
                            let text = format!("{} in {a}..{b}, ", self.names[v]);
                            self.push(&text);
                        }
                        self.sum(&t.value);
                        self.push(")");
                    }
                }
                None => {
                    let names = self.names.join(", ");
                    self.push(&format!("sum(({names}) in {} points, ", points.values.len() / points.names.len()));
                    self.sum(&t.value);
                    self.push(")");
                }
            },
        }
        self.names = saved;
    }

    fn index(&mut self, i: &Ix) {
        let mut first = true;
        for (atom, c) in i.terms() {
            self.sign(*c < 0, first);
            first = false;
            if c.abs() != 1 {
                let _ = write!(self.text, "{}*", c.abs());
            }
            match atom {
                Atom::Var(v) => {
                    let name = self.names.get(*v as usize).cloned().unwrap_or_else(|| default_name(*v));
                    self.push(&name);
                }
                Atom::Table(t, at) => {
                    self.push(t.name());
                    self.push("[");
                    for (k, i) in at.iter().enumerate() {
                        self.push(if k == 0 { "" } else { ", " });
                        self.index(i);
                    }
                    self.push("]");
                }
                Atom::Mod(i, m) => {
                    self.push("mod(");
                    self.index(i);
                    let _ = write!(self.text, ", {m})");
                }
                Atom::Floor(i, d) => {
                    let single = matches!(i.terms(), [(_, 1)]) && i.offset() == 0;
                    self.push(if single { "floor(" } else { "floor((" });
                    self.index(i);
                    self.push(if single { "" } else { ")" });
                    let _ = write!(self.text, "/{d})");
                }
            }
        }
        if i.offset() != 0 || first {
            self.sign(i.offset() < 0, first);
            let _ = write!(self.text, "{}", i.offset().unsigned_abs());
        }
    }
}

/// coefficient·e as (n · factors above)/(d · factors below), those below with negative exponents.
pub(crate) struct Fraction<'a> {
    pub(crate) n: Number,
    pub(crate) d: Number,
    pub(crate) above: Vec<&'a (Expr, Number)>,
    pub(crate) below: Vec<&'a (Expr, Number)>,
}

impl<'a> Fraction<'a> {
    /// `one` is `e` to the power one, for an `e` that is no product.
    pub(crate) fn new(coefficient: Number, e: &'a Expr, one: &'a [(Expr, Number)]) -> Fraction<'a> {
        let (n, d) = match coefficient.as_ratio() {
            Some((n, d)) => (Number::from(n), Number::from(d)),
            None => (coefficient, Number::ONE),
        };
        let factors = if let Node::Mul(f) = e.node() { f } else { one };
        let (below, above) = factors.iter().partition(|(_, k)| k.is_negative());
        Fraction { n, d, above, below }
    }
}

/// The name of a loop variable that was given none.
pub(crate) fn default_name(v: u8) -> Arc<str> {
    match ["i", "j", "k", "l", "m", "n"].get(v as usize) {
        Some(name) => (*name).into(),
        None => format!("i{v}").into(),
    }
}

/// A name not in use: the wanted one, or with a number behind it.
pub(crate) fn fresh(wanted: &Arc<str>, used: &[Arc<str>], reserved: &HashSet<String>) -> Arc<str> {
    let mut name = wanted.clone();
    let mut k = 2;
    while used.contains(&name) || reserved.contains(&*name) {
        name = format!("{wanted}{k}").into();
        k += 1;
    }
    name
}

/// The terms of a defined array's element, with the element's index put in and `outer` variables
/// in scope before each term's own. `None` if a place is not a list of leading variables.
pub(crate) fn inlined(t: &Tensor, index: &[Ix], outer: usize) -> Option<Vec<Term>> {
    let leading_ranges = |term: &Term| match (&term.domain, term.at.first()) {
        (Domain::Ranges(ranges), Some(place)) => {
            Some(Domain::Ranges(ranges.get(..place.index.len())?.to_vec()).digest())
        }
        _ => None,
    };
    // Other formulas for other elements cannot be written as one.
    let common = leading_ranges(t.terms().first()?)?;
    let one = |term: &Term| {
        let Domain::Ranges(ranges) = &term.domain else { return None };
        (leading_ranges(term)? == common).then_some(())?;
        let place = &term.at.first()?.index;
        let leading = place.iter().enumerate().all(|(k, i)| i.as_shifted_var() == Some((k as u8, 0)));
        leading.then_some(())?;
        let mut by: Vec<Ix> = index.to_vec();
        let kept: Vec<_> =
            (0..outer).map(|_| crate::Range { name: "".into(), low: Ix::default(), high: Ix::default() }).collect();
        let mut all = kept;
        for (k, r) in ranges.iter().enumerate().skip(place.len()) {
            all.push(crate::Range { name: r.name.clone(), low: r.low.substitute(&by), high: r.high.substitute(&by) });
            by.push(Ix::var(u8::try_from(outer + k - place.len()).ok()?));
        }
        Some(Term { domain: Domain::Ranges(all), at: vec![], value: term.value.instantiate(&by) })
    };
    t.terms().iter().map(one).collect()
}
