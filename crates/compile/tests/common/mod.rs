//! Random expressions as plain trees, evaluated without any of the code under test.

#![allow(dead_code, unreachable_pub)]

use cotangent_expr::{Array, Expr, Function, Layout, Role};
use cotangent_scalar::{Dd, Real, Scalar};
use proptest::prelude::*;

/// An expression tree as it might be typed in.
#[derive(Clone, Debug)]
pub enum Raw {
    Number(i64, i64),
    Var(usize),
    Add(Box<Raw>, Box<Raw>),
    Sub(Box<Raw>, Box<Raw>),
    Mul(Box<Raw>, Box<Raw>),
    Div(Box<Raw>, Box<Raw>),
    Neg(Box<Raw>),
    Powi(Box<Raw>, i64),
    Sqrt(Box<Raw>),
    Pow(Box<Raw>, Box<Raw>),
    Call1(Function, Box<Raw>),
    Call2(Function, Box<Raw>, Box<Raw>),
}

pub const VARS: usize = 3;

pub fn variables() -> Vec<Array> {
    ["x", "y", "z"].iter().map(|n| Array::scalar(n, Role::Coordinate)).collect()
}

pub fn layout() -> Layout {
    Layout::new(variables())
}

impl Raw {
    /// The canonical expression.
    pub fn expr(&self, vars: &[Expr]) -> Expr {
        match self {
            Raw::Number(n, d) => Expr::ratio(*n, *d),
            Raw::Var(v) => vars[*v].clone(),
            Raw::Add(a, b) => a.expr(vars) + b.expr(vars),
            Raw::Sub(a, b) => a.expr(vars) - b.expr(vars),
            Raw::Mul(a, b) => a.expr(vars) * b.expr(vars),
            Raw::Div(a, b) => a.expr(vars) / b.expr(vars),
            Raw::Neg(a) => -a.expr(vars),
            Raw::Powi(a, k) => a.expr(vars).powi(*k),
            Raw::Sqrt(a) => a.expr(vars).sqrt(),
            Raw::Pow(a, b) => a.expr(vars).power(&b.expr(vars)),
            Raw::Call1(f, a) => Expr::call(*f, vec![a.expr(vars)]),
            Raw::Call2(f, a, b) => Expr::call(*f, vec![a.expr(vars), b.expr(vars)]),
        }
    }

    /// The value, operation by operation as written.
    pub fn value<S: Scalar>(&self, x: &[S]) -> S {
        match self {
            Raw::Number(n, d) => S::ratio(*n, *d),
            Raw::Var(v) => x[*v],
            Raw::Add(a, b) => a.value(x) + b.value(x),
            Raw::Sub(a, b) => a.value(x) - b.value(x),
            Raw::Mul(a, b) => a.value(x) * b.value(x),
            Raw::Div(a, b) => a.value(x) / b.value(x),
            Raw::Neg(a) => -a.value(x),
            Raw::Powi(a, k) => {
                let base = a.value(x);
                let power = (0..k.abs()).fold(S::from_f64(1.0), |p, _| p * base);
                if *k < 0 { S::from_f64(1.0) / power } else { power }
            }
            Raw::Sqrt(a) => a.value(x).sqrt(),
            Raw::Pow(a, b) => a.value(x).pow(b.value(x)),
            Raw::Call1(f, a) => {
                let a = a.value(x);
                match f {
                    Function::Exp => a.exp(),
                    Function::Log => a.ln(),
                    Function::Sin => a.sin(),
                    Function::Cos => a.cos(),
                    Function::Tan => a.tan(),
                    Function::Asin => a.asin(),
                    Function::Acos => a.acos(),
                    Function::Atan => a.atan(),
                    Function::Sinh => a.sinh(),
                    Function::Cosh => a.cosh(),
                    Function::Tanh => a.tanh(),
                    Function::Abs => a.abs(),
                    Function::Sign => a.sign(),
                    Function::Floor => a.floor(),
                    Function::Stumpff(k) => a.stumpff(*k),
                    other => panic!("{other:?} takes two arguments"),
                }
            }
            Raw::Call2(f, a, b) => {
                let (a, b) = (a.value(x), b.value(x));
                match f {
                    Function::Atan2 => a.atan2(b),
                    Function::Min => a.min(b),
                    Function::Max => a.max(b),
                    Function::Mod => a.modulo(b),
                    other => panic!("{other:?} takes one argument"),
                }
            }
        }
    }
}

impl Raw {
    /// The largest power that anything in the tree is raised to, of powers of powers the product.
    /// Canonical forms multiply it out, (x/y)^k = x^k/y^k, and may overflow where the tree does not.
    pub fn degree(&self, x: &[Dd]) -> f64 {
        match self {
            Raw::Number(..) | Raw::Var(_) => 1.0,
            Raw::Neg(a) | Raw::Sqrt(a) | Raw::Call1(_, a) => a.degree(x),
            Raw::Powi(a, k) => a.degree(x) * k.abs().max(1) as f64,
            Raw::Pow(a, b) => a.degree(x) * b.value(x).value().abs().max(1.0) * b.degree(x),
            Raw::Add(a, b) | Raw::Sub(a, b) | Raw::Mul(a, b) | Raw::Div(a, b) | Raw::Call2(_, a, b) => {
                a.degree(x).max(b.degree(x))
            }
        }
    }

    /// Whether a function somewhere in the tree is asked at a jump, a kink or a branch point, where
    /// the last bit of its argument, or the sign of a zero, which exact arithmetic does not have,
    /// decides: `atan2(-0, -1)` is −π in floating point and π where −0 is 0.
    pub fn on_the_edge(&self, x: &[Dd]) -> bool {
        let at = |a: &Raw| a.value(x).value();
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0);
        let whole = |a: f64| near(a, a.round());
        match self {
            Raw::Number(..) | Raw::Var(_) => false,
            Raw::Add(a, b) | Raw::Sub(a, b) | Raw::Mul(a, b) => a.on_the_edge(x) || b.on_the_edge(x),
            Raw::Div(a, b) => near(at(b), 0.0) || a.on_the_edge(x) || b.on_the_edge(x),
            Raw::Neg(a) => a.on_the_edge(x),
            Raw::Powi(a, k) => (*k < 0 && near(at(a), 0.0)) || a.on_the_edge(x),
            Raw::Sqrt(a) => near(at(a), 0.0) || a.on_the_edge(x),
            Raw::Pow(a, b) => near(at(a), 0.0) || a.on_the_edge(x) || b.on_the_edge(x),
            Raw::Call1(f, a) => {
                let edge = match f {
                    Function::Abs | Function::Sign | Function::Log => near(at(a), 0.0),
                    Function::Floor => whole(at(a)),
                    Function::Asin | Function::Acos => near(at(a).abs(), 1.0),
                    _ => false,
                };
                edge || a.on_the_edge(x)
            }
            Raw::Call2(f, a, b) => {
                let edge = match f {
                    Function::Atan2 => near(at(a), 0.0) && at(b) < 1e-9,
                    Function::Mod => whole(at(a) / at(b)),
                    _ => near(at(a), at(b)),
                };
                edge || a.on_the_edge(x) || b.on_the_edge(x)
            }
        }
    }
}

fn one() -> impl Strategy<Value = Function> {
    use Function::*;
    prop_oneof![
        Just(Exp),
        Just(Log),
        Just(Sin),
        Just(Cos),
        Just(Tan),
        Just(Asin),
        Just(Acos),
        Just(Atan),
        Just(Sinh),
        Just(Cosh),
        Just(Tanh),
        Just(Abs),
        Just(Sign),
        Just(Floor),
        (0u32..4).prop_map(Stumpff),
    ]
}

fn two() -> impl Strategy<Value = Function> {
    use Function::*;
    prop_oneof![Just(Atan2), Just(Min), Just(Max), Just(Mod)]
}

/// Trees of every operation.
pub fn raw() -> impl Strategy<Value = Raw> {
    let leaf = prop_oneof![
        3 => (0..VARS).prop_map(Raw::Var),
        1 => (-9i64..10, 1i64..5).prop_map(|(n, d)| Raw::Number(n, d)),
    ];
    leaf.prop_recursive(5, 40, 2, |inner| {
        let b = |s: BoxedStrategy<Raw>| s.prop_map(Box::new);
        let i = inner.boxed();
        prop_oneof![
            4 => (b(i.clone()), b(i.clone())).prop_map(|(a, c)| Raw::Add(a, c)),
            3 => (b(i.clone()), b(i.clone())).prop_map(|(a, c)| Raw::Sub(a, c)),
            4 => (b(i.clone()), b(i.clone())).prop_map(|(a, c)| Raw::Mul(a, c)),
            2 => (b(i.clone()), b(i.clone())).prop_map(|(a, c)| Raw::Div(a, c)),
            1 => b(i.clone()).prop_map(Raw::Neg),
            2 => (b(i.clone()), -3i64..5).prop_map(|(a, k)| Raw::Powi(a, k)),
            1 => b(i.clone()).prop_map(Raw::Sqrt),
            1 => (b(i.clone()), b(i.clone())).prop_map(|(a, c)| Raw::Pow(a, c)),
            3 => (one(), b(i.clone())).prop_map(|(f, a)| Raw::Call1(f, a)),
            1 => (two(), b(i.clone()), b(i)).prop_map(|(f, a, c)| Raw::Call2(f, a, c)),
        ]
    })
}

/// A point away from the special values of the functions above.
pub fn point() -> impl Strategy<Value = [f64; VARS]> {
    [0.31..1.79f64, 0.31..1.79f64, -1.79..1.79f64]
}
