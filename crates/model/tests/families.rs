//! A family is what it stands for: its expanded form equals the energy written out member by member.

mod random;

use cotangent_expr::{Array, Expr, Function, Node, Role};
use cotangent_model::System;
use random::Random;
use std::collections::HashMap;

/// A random energy, to be written as text and built by hand.
enum Energy {
    Number(i64),
    Parameter,
    /// `m[i]`
    Mass(usize),
    /// `u[i + shift]`, with a prime or not
    Member(usize, i64, bool),
    /// `w[i, j]`
    Cell(usize, usize),
    /// The index itself.
    Index(usize),
    Add(Box<Energy>, Box<Energy>),
    Subtract(Box<Energy>, Box<Energy>),
    /// A product of something without sums and anything under a function.
    Times(Box<Energy>, Box<Energy>),
    Sine(Box<Energy>),
    Square(Box<Energy>),
    /// A sum over 1..n, 1..i, i..n, or 2..n-1.
    Sum(Range, Box<Energy>),
}

#[derive(Clone, Copy)]
enum Range {
    All,
    UpTo(usize),
    From(usize),
    Inner,
}

const NAMES: [&str; 4] = ["i", "j", "k", "l"];

fn leaf(r: &mut Random, depth: usize) -> Energy {
    match r.below(8) {
        0 => Energy::Number(r.below(5) as i64 - 1),
        1 => Energy::Parameter,
        2 if depth > 0 => Energy::Mass(r.below(depth)),
        3 if depth > 0 => Energy::Cell(r.below(depth), r.below(depth)),
        4 if depth > 0 => Energy::Index(r.below(depth)),
        5.. if depth > 0 => Energy::Member(r.below(depth), r.below(3) as i64 - 1, r.below(3) == 0),
        _ => Energy::Number(2),
    }
}

fn energy(r: &mut Random, size: usize, depth: usize) -> Energy {
    if size == 0 {
        return leaf(r, depth);
    }
    let sub = |r: &mut Random| Box::new(energy(r, size - 1, depth));
    match r.below(9) {
        0 | 1 => Energy::Add(sub(r), sub(r)),
        2 => Energy::Subtract(sub(r), sub(r)),
        3 => Energy::Times(Box::new(leaf(r, depth)), Box::new(Energy::Sine(sub(r)))),
        4 => Energy::Sine(sub(r)),
        5 => Energy::Square(sub(r)),
        _ if depth < 3 => {
            let range = match r.below(4) {
                0 if depth > 0 => Range::UpTo(r.below(depth)),
                1 if depth > 0 => Range::From(r.below(depth)),
                2 => Range::Inner,
                _ => Range::All,
            };
            Energy::Sum(range, Box::new(energy(r, size - 1, depth + 1)))
        }
        _ => leaf(r, depth),
    }
}

impl Energy {
    fn text(&self, depth: usize) -> String {
        match self {
            Energy::Number(n) => format!("({n})"),
            Energy::Parameter => "g".into(),
            Energy::Mass(i) => format!("m[{}]", NAMES[*i]),
            Energy::Member(i, shift, prime) => {
                format!("u[{} + ({shift})]{}", NAMES[*i], if *prime { "'" } else { "" })
            }
            Energy::Cell(i, j) => format!("w[{}, {}]", NAMES[*i], NAMES[*j]),
            Energy::Index(i) => NAMES[*i].into(),
            Energy::Add(a, b) => format!("({} + {})", a.text(depth), b.text(depth)),
            Energy::Subtract(a, b) => format!("({} - {})", a.text(depth), b.text(depth)),
            Energy::Times(a, b) => format!("{}*{}", a.text(depth), b.text(depth)),
            Energy::Sine(a) => format!("sin({})", a.text(depth)),
            Energy::Square(a) => format!("({})^2", a.text(depth)),
            Energy::Sum(range, body) => {
                let (low, high) = match range {
                    Range::All => ("1", "n"),
                    Range::UpTo(i) => ("1", NAMES[*i]),
                    Range::From(i) => (NAMES[*i], "n"),
                    Range::Inner => ("2", "n-1"),
                };
                format!("sum({} in {low}..{high}, {})", NAMES[depth], body.text(depth + 1))
            }
        }
    }

    fn built(&self, a: &Arrays, at: &mut Vec<i64>) -> Expr {
        match self {
            Energy::Number(n) => Expr::number(*n),
            Energy::Parameter => Expr::from(&a.g),
            Energy::Mass(i) => a.m.element(&[at[*i]]),
            Energy::Member(i, shift, prime) => a.member(at[*i] + shift, *prime),
            Energy::Cell(i, j) => a.w.element(&[at[*i], at[*j]]),
            Energy::Index(i) => Expr::number(at[*i]),
            Energy::Add(x, y) => x.built(a, at) + y.built(a, at),
            Energy::Subtract(x, y) => x.built(a, at) - y.built(a, at),
            Energy::Times(x, y) => x.built(a, at) * y.built(a, at),
            Energy::Sine(x) => Expr::call(Function::Sin, vec![x.built(a, at)]),
            Energy::Square(x) => x.built(a, at).powi(2),
            Energy::Sum(range, body) => {
                let (low, high) = match range {
                    Range::All => (1, a.n),
                    Range::UpTo(i) => (1, at[*i]),
                    Range::From(i) => (at[*i], a.n),
                    Range::Inner => (2, a.n - 1),
                };
                let mut terms = vec![];
                for k in low..=high {
                    at.push(k);
                    terms.push(body.built(a, at));
                    at.pop();
                }
                Expr::sum(terms)
            }
        }
    }
}

struct Arrays {
    n: i64,
    g: Array,
    m: Array,
    u: Array,
    v: Array,
    w: Array,
}

impl Arrays {
    /// u[k] or its velocity, with u[0] = 1 and u[n+1] = g·u[1] − (Σ u)² at the ends.
    fn member(&self, k: i64, prime: bool) -> Expr {
        let g = Expr::from(&self.g);
        let all = |a: &Array| Expr::sum((1..=self.n).map(|k| a.element(&[k])));
        match (k, prime) {
            (0, false) => Expr::one(),
            (0, true) => Expr::zero(),
            (k, false) if k == self.n + 1 => g * self.u.element(&[1]) - all(&self.u).powi(2),
            // The chain rule, each velocity with its own slope.
            (k, true) if k == self.n + 1 => {
                let slope = all(&self.u) * -2;
                let each = (1..=self.n).map(|k| &slope * self.v.element(&[k]));
                g * self.v.element(&[1]) + Expr::sum(each)
            }
            (k, false) => self.u.element(&[k]),
            (k, true) => self.v.element(&[k]),
        }
    }
}

#[test]
fn the_expanded_form_equals_the_energy_written_out_by_hand() {
    let mut r = Random(0xfa111e5);
    let (mut families, mut equal) = (0, 0);
    for case in 0..3000 {
        let n = 1 + r.below(4) as i64;
        let size = 1 + r.below(4);
        let energy = energy(&mut r, size, 0);
        let text = energy.text(0);
        let source = format!(
            "param n : int = {n}\nparam g = 1\nparam m[i in 1..n] = 1\ncoord u[i in 1..n], w[i in 1..n, j in 1..n]\n\
             boundary u[0] = 1, u[n+1] = g*u[1] - sum(i in 1..n, u[i])^2\nlagrangian {text}\n"
        );
        let system = match System::parse(&source) {
            Ok(system) => system,
            Err(e) => panic!("{source}\n{e}"),
        };
        let square = vec![cotangent_expr::Dim { first: 1, len: n as usize }; 2];
        let arrays = Arrays {
            n,
            g: Array::scalar("g", Role::Parameter),
            m: Array::family("m", Role::Parameter, 1, n),
            u: Array::family("u", Role::Coordinate, 1, n),
            v: Array::family("u'", Role::Velocity, 1, n),
            w: Array::given("w", Role::Coordinate, square),
        };
        let expected = energy.built(&arrays, &mut vec![]);
        let found = system.dynamics.energy().expand().unwrap();
        let found = found.as_scalar().unwrap_or_else(|| panic!("{found}"));
        // A factor beside one sum is multiplied in: then the forms differ, and the values are compared.
        assert!(found == expected || same_value(&found, &expected), "case {case}: {source}\n{found}\n{expected}");
        equal += usize::from(found == expected);
        families += usize::from(system.dynamics.energy().terms().iter().any(|t| !t.domain.is_point()));
    }
    assert!(families > 500 && equal > 2500, "{families} {equal}");
}

/// Whether two expressions agree at random points, up to rounding.
fn same_value(a: &Expr, b: &Expr) -> bool {
    let mut r = Random(0x5a3e);
    (0..3).all(|_| {
        let mut points = HashMap::new();
        let mut at = |leaf: &Expr| *points.entry(leaf.digest()).or_insert_with(|| r.below(1000) as f64 / 512.0 - 1.0);
        let (x, y) = (value(a, &mut at), value(b, &mut at));
        (x - y).abs() <= 1e-9 * (1.0 + x.abs().max(y.abs()))
    })
}

fn value(e: &Expr, at: &mut impl FnMut(&Expr) -> f64) -> f64 {
    match e.node() {
        Node::Number(n) => n.to_f64(),
        Node::At(..) => at(e),
        Node::Add(c, terms) => c.to_f64() + terms.iter().map(|(c, t)| c.to_f64() * value(t, at)).sum::<f64>(),
        Node::Mul(factors) => factors.iter().map(|(b, k)| value(b, at).powf(k.to_f64())).product(),
        Node::Call(Function::Sin, args) => value(&args[0], at).sin(),
        other => panic!("{other:?}"),
    }
}
