//! What numbers that record have in common: operators and functions become operations of their recorder, by `map` and
//! `join`.

macro_rules! operators {
    ($number:ident) => {
        operators!($number: Add add, Sub sub, Mul mul, Div div);

        impl std::ops::Neg for $number<'_> {
            type Output = Self;
            fn neg(self) -> Self {
                self.map(Unary::Neg)
            }
        }
    };
    ($number:ident: $($trait:ident $method:ident),*) => {
        $(impl std::ops::$trait for $number<'_> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                self.join(other, Binary::$trait)
            }
        })*
    };
}

/// The functions of a [`Scalar`](cotangent_scalar::Scalar).
macro_rules! elementary {
    ($number:ident) => {
        fn from_f64(x: f64) -> Self {
            $number::Constant(x)
        }
        fn ratio(numerator: i64, denominator: i64) -> Self {
            $number::Constant(f64::ratio(numerator, denominator))
        }
        fn pi() -> Self {
            $number::Constant(std::f64::consts::PI)
        }
        fn is_zero(self) -> bool {
            matches!(self, $number::Constant(c) if c == 0.0)
        }
        elementary!(of one: sqrt Sqrt, exp Exp, ln Ln, sin Sin, cos Cos, tan Tan, asin Asin,
            acos Acos, atan Atan, sinh Sinh, cosh Cosh, tanh Tanh, abs Abs, sign Sign, floor Floor);
        elementary!(of two: atan2 Atan2, min Min, max Max, modulo Mod, pow Pow);
        fn stumpff(self, k: u32) -> Self {
            self.map(Unary::Stumpff(k))
        }
    };
    (of one: $($name:ident $op:ident),*) => {
        $(fn $name(self) -> Self {
            self.map(Unary::$op)
        })*
    };
    (of two: $($name:ident $op:ident),*) => {
        $(fn $name(self, other: Self) -> Self {
            self.join(other, Binary::$op)
        })*
    };
}

pub(crate) use {elementary, operators};
