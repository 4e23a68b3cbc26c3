//! Models as text, and formulas as numbers.

#![allow(dead_code, unreachable_pub)]

use cotangent_analysis::{Analysis, Class, Count, DiracBracket, analyze};
use cotangent_expr::{Expr, Function, Node};
use cotangent_model::System;
use proptest::prelude::ProptestConfig;
use std::collections::HashMap;

/// So many random cases, or as many times more as the variable SOAK says.
pub fn cases(usual: u32) -> ProptestConfig {
    let factor = std::env::var("SOAK").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    ProptestConfig::with_cases(usual * factor)
}

/// The analysis of a model text.
pub fn analysis(text: &str) -> Analysis {
    let system = System::parse(text).unwrap_or_else(|d| panic!("{d}"));
    analyze(&system).unwrap_or_else(|e| panic!("{e}"))
}

/// (first class, second class, degrees of freedom) of a system that is consistent.
pub fn counts(report: &Analysis) -> (usize, usize, usize) {
    assert_eq!((report.consistent, &report.stopped), (Some(true), &None));
    let Count { first, second } = report.count.unwrap();
    let of = |class| report.constraints.iter().filter(|c| c.class == Some(class)).count();
    assert_eq!((of(Class::First), of(Class::Second)), (first, second));
    (first, second, report.degrees_of_freedom.unwrap())
}

/// `name: expression` of all constraints.
pub fn constraints(report: &Analysis) -> Vec<String> {
    report.constraints.iter().map(|c| format!("{} ({}): {}", c.name, c.generation, c.expression)).collect()
}

/// A value for every name: reproducible, not small, not equal.
pub fn number(name: &str) -> f64 {
    let hash = name.bytes().fold(17u64, |h, b| h.wrapping_mul(31).wrapping_add(b as u64));
    0.4 + (hash % 1009) as f64 / 900.0
}

/// The value of an expression at those values, or at others given by name. Written apart from the tape.
pub fn value(e: &Expr, at: &HashMap<String, f64>) -> f64 {
    match e.node() {
        Node::Number(n) => n.to_f64(),
        Node::Pi => std::f64::consts::PI,
        Node::At(..) => {
            let name = e.to_string();
            at.get(&name).copied().unwrap_or_else(|| number(&name))
        }
        Node::Add(c, terms) => terms.iter().fold(c.to_f64(), |s, (k, t)| s + k.to_f64() * value(t, at)),
        Node::Mul(factors) => factors.iter().map(|(b, k)| value(b, at).powf(k.to_f64())).product(),
        Node::Call(f, args) => {
            let x = value(&args[0], at);
            match f {
                Function::Sin => x.sin(),
                Function::Cos => x.cos(),
                Function::Exp => x.exp(),
                other => panic!("{other:?} does not occur"),
            }
        }
        other => panic!("{other:?} does not occur"),
    }
}

/// {a, b}* of a table, in either order.
pub fn bracket(report: &Analysis, a: &str, b: &str) -> Expr {
    let Some(DiracBracket::Table(table)) = &report.dirac_bracket else { panic!("no table") };
    for (x, y, e) in table {
        if (x.as_str(), y.as_str()) == (a, b) {
            return e.clone();
        }
        if (x.as_str(), y.as_str()) == (b, a) {
            return -e;
        }
    }
    Expr::zero()
}

/// The variable with this name, as it stands in some expression.
pub fn symbol(report: &Analysis, name: &str) -> Option<Expr> {
    let mut all: Vec<&Expr> = report.constraints.iter().map(|c| &c.expression).collect();
    all.extend(&report.hamiltonian);
    if let Some(DiracBracket::Table(table)) = &report.dirac_bracket {
        all.extend(table.iter().map(|t| &t.2));
    }
    all.into_iter().flat_map(Expr::leaves).find(|l| l.to_string() == name)
}

/// ∂e/∂name.
pub fn slope(report: &Analysis, e: &Expr, name: &str) -> Expr {
    symbol(report, name).map_or_else(Expr::zero, |s| e.derivative(&s).unwrap())
}
