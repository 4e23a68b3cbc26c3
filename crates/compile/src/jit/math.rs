//! The elementary functions native code calls: the same as the tape's.

use crate::program::{Binary, Unary};
use crate::tape::{binary, unary};
use cotangent_scalar::Scalar;

macro_rules! one {
    ($($name:ident)*) => {
        $(
            #[allow(non_snake_case)]
            extern "C" fn $name(x: f64) -> f64 {
                unary(Unary::$name, x)
            }
        )*
        /// The address of a function of one number.
        pub(super) fn unary_address(f: Unary) -> Option<usize> {
            match f {
                $(Unary::$name => Some($name as extern "C" fn(f64) -> f64 as usize),)*
                _ => None,
            }
        }
    };
}
one!(Exp Ln Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Sign Floor);

macro_rules! two {
    ($($name:ident)*) => {
        $(
            #[allow(non_snake_case)]
            extern "C" fn $name(x: f64, y: f64) -> f64 {
                binary(Binary::$name, x, y)
            }
        )*
        /// The address of a function of two numbers.
        pub(super) fn binary_address(f: Binary) -> Option<usize> {
            match f {
                $(Binary::$name => Some($name as extern "C" fn(f64, f64) -> f64 as usize),)*
                _ => None,
            }
        }
    };
}
two!(Atan2 Min Max Mod Pow);

/// c_k(x), the order as an integer.
pub(super) extern "C" fn stumpff(x: f64, k: i64) -> f64 {
    x.stumpff(k as u32)
}

/// Sine and cosine at once: one argument reduction.
pub(super) extern "C" fn sin_cos(x: f64, out: *mut f64) {
    let (s, c) = x.sin_cos();
    // SAFETY: native code passes the address of a stack slot of two numbers.
    unsafe {
        out.write(s);
        out.add(1).write(c);
    }
}
