//! Arithmetic operators for expressions, by value, by reference and with numbers.

use crate::expr::Expr;
use crate::number::Number;
use std::ops::{Add, Div, Mul, Neg, Sub};

fn add(a: &Expr, b: &Expr) -> Expr {
    Expr::sum([a.clone(), b.clone()])
}
fn sub(a: &Expr, b: &Expr) -> Expr {
    Expr::linear(Number::ZERO, [(Number::ONE, a.clone()), (Number::MINUS_ONE, b.clone())])
}
fn mul(a: &Expr, b: &Expr) -> Expr {
    Expr::product([a.clone(), b.clone()])
}
fn div(a: &Expr, b: &Expr) -> Expr {
    Expr::product([a.clone(), b.powi(-1)])
}

macro_rules! operator {
    ($trait:ident, $method:ident) => {
        operator!($trait, $method, Expr, Expr);
        operator!($trait, $method, Expr, &Expr);
        operator!($trait, $method, &Expr, Expr);
        operator!($trait, $method, &Expr, &Expr);
        operator!($trait, $method, number Expr, i64);
        operator!($trait, $method, number &Expr, i64);
        operator!($trait, $method, number Expr, f64);
        operator!($trait, $method, number &Expr, f64);
    };
    ($trait:ident, $method:ident, $left:ty, $right:ty) => {
        impl $trait<$right> for $left {
            type Output = Expr;
            fn $method(self, other: $right) -> Expr {
                $method(std::borrow::Borrow::borrow(&self), std::borrow::Borrow::borrow(&other))
            }
        }
    };
    ($trait:ident, $method:ident, number $left:ty, $number:ty) => {
        impl $trait<$number> for $left {
            type Output = Expr;
            fn $method(self, other: $number) -> Expr {
                $method(std::borrow::Borrow::borrow(&self), &Expr::number(other))
            }
        }
        impl $trait<$left> for $number {
            type Output = Expr;
            fn $method(self, other: $left) -> Expr {
                $method(&Expr::number(self), std::borrow::Borrow::borrow(&other))
            }
        }
    };
}
operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
operator!(Div, div);

impl Neg for Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        self.scale(Number::MINUS_ONE)
    }
}
impl Neg for &Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        self.scale(Number::MINUS_ONE)
    }
}
