//! The canonical order of terms and factors: decided by content, readable in print.
//!
//! Parameters come before coordinates, velocities and momenta; arrays of one role by name, with
//! digits compared as numbers; powers of one base from high to low. Where two compound expressions
//! agree to a fixed depth, their content hashes decide.

use crate::array::Array;
use crate::expr::{Expr, Node};
use crate::number::Number;
use std::cmp::Ordering;

/// Compares two terms or two factors.
pub(crate) fn compare(a: &Expr, b: &Expr) -> Ordering {
    if a == b { Ordering::Equal } else { powers(a, b, 6).then_with(|| a.digest().cmp(&b.digest())) }
}

/// Compares as products of powers, so that x, x·y and x² stand together.
fn powers(a: &Expr, b: &Expr, depth: u32) -> Ordering {
    if depth == 0 || a == b {
        return Ordering::Equal;
    }
    if !matches!(a.node(), Node::Mul(_)) && !matches!(b.node(), Node::Mul(_)) {
        return bases(a, b, depth);
    }
    // Borrowed: comparisons are most of the work of building a product.
    let (one_a, one_b) = ([(a.clone(), Number::ONE)], [(b.clone(), Number::ONE)]);
    let (fa, fb) = (factors(a, &one_a), factors(b, &one_b));
    for ((x, k), (y, l)) in fa.iter().zip(fb) {
        let order = bases(x, y, depth).then_with(|| l.cmp(k));
        if order != Ordering::Equal {
            return order;
        }
    }
    fa.len().cmp(&fb.len())
}

/// The powers that an expression is the product of: itself, given as `one`, if it is no product.
fn factors<'a>(e: &'a Expr, one: &'a [(Expr, Number)]) -> &'a [(Expr, Number)] {
    if let Node::Mul(factors) = e.node() { factors } else { one }
}

fn class(e: &Expr) -> u8 {
    match e.node() {
        Node::Number(_) => 0,
        Node::Pi => 1,
        Node::Index(_) => 2,
        Node::At(..) => 3,
        Node::Mul(_) => 4,
        Node::Call(..) => 5,
        Node::Add(..) => 6,
        Node::Poison(_) => 7,
    }
}

fn bases(a: &Expr, b: &Expr, depth: u32) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    class(a).cmp(&class(b)).then_with(|| match (a.node(), b.node()) {
        (Node::Number(x), Node::Number(y)) => x.cmp(y),
        (Node::Index(x), Node::Index(y)) => x.cmp(y),
        (Node::At(x, i), Node::At(y, j)) => arrays(x, y).then_with(|| i.cmp(j)),
        (Node::Mul(_), Node::Mul(_)) => powers(a, b, depth - 1),
        (Node::Call(f, x), Node::Call(g, y)) => f.cmp(g).then_with(|| first_difference(x.iter().zip(y), depth)),
        (Node::Add(_, x), Node::Add(_, y)) => {
            first_difference(x.iter().zip(y).map(|(s, t)| (&s.1, &t.1)), depth).then_with(|| x.len().cmp(&y.len()))
        }
        _ => Ordering::Equal,
    })
}

fn first_difference<'a>(mut pairs: impl Iterator<Item = (&'a Expr, &'a Expr)>, depth: u32) -> Ordering {
    pairs.find_map(|(x, y)| Some(powers(x, y, depth - 1)).filter(|o| *o != Ordering::Equal)).unwrap_or(Ordering::Equal)
}

fn arrays(a: &Array, b: &Array) -> Ordering {
    (a.role().cmp(&b.role())).then_with(|| natural(a.name(), b.name())).then_with(|| a.digest().cmp(&b.digest()))
}

/// Compares names with runs of digits as numbers: x2 before x10.
fn natural(a: &str, b: &str) -> Ordering {
    fn split(s: &str) -> (&str, Option<u64>, &str) {
        let head = s.find(|c: char| c.is_ascii_digit()).unwrap_or(s.len());
        let tail = s[head..].find(|c: char| !c.is_ascii_digit()).map_or(s.len(), |k| head + k);
        (&s[..head], s[head..tail].parse().ok(), &s[tail..])
    }
    let (mut x, mut y) = (a, b);
    while !x.is_empty() && !y.is_empty() {
        let ((hx, nx, tx), (hy, ny, ty)) = (split(x), split(y));
        let order = hx.cmp(hy).then(nx.cmp(&ny));
        if order != Ordering::Equal {
            return order;
        }
        (x, y) = (tx, ty);
    }
    x.len().cmp(&y.len()).then_with(|| a.cmp(b))
}
