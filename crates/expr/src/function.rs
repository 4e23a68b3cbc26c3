//! The elementary functions an expression may call.

/// An elementary function. Roots and numeric powers are powers, not functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Function {
    /// Natural exponential.
    Exp,
    /// Natural logarithm.
    Log,
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
    /// Tangent.
    Tan,
    /// Inverse sine.
    Asin,
    /// Inverse cosine.
    Acos,
    /// Inverse tangent.
    Atan,
    /// Hyperbolic sine.
    Sinh,
    /// Hyperbolic cosine.
    Cosh,
    /// Hyperbolic tangent.
    Tanh,
    /// Absolute value.
    Abs,
    /// −1, 0 or 1.
    Sign,
    /// Rounding down.
    Floor,
    /// `atan2(y, x)`: the angle of the point (x, y).
    Atan2,
    /// The smaller of two.
    Min,
    /// The larger of two.
    Max,
    /// `mod(a, b)` = a − b·floor(a/b).
    Mod,
    /// A power with an exponent that is not a number.
    Pow,
    /// The Stumpff function c_k(s) = Σ_j (−s)^j/(2j+k)!.
    Stumpff(u32),
}

use Function::*;

impl Function {
    /// The functions a model may call by name (`stumpff` and `^` are written differently).
    pub const NAMED: [Function; 18] =
        [Exp, Log, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Abs, Sign, Floor, Atan2, Min, Max, Mod];

    /// Whether it has corners or jumps.
    pub fn has_corners(self) -> bool {
        matches!(self, Abs | Sign | Floor | Min | Max | Mod)
    }

    /// The name in the model language.
    pub fn name(self) -> &'static str {
        match self {
            Exp => "exp",
            Log => "log",
            Sin => "sin",
            Cos => "cos",
            Tan => "tan",
            Asin => "asin",
            Acos => "acos",
            Atan => "atan",
            Sinh => "sinh",
            Cosh => "cosh",
            Tanh => "tanh",
            Abs => "abs",
            Sign => "sign",
            Floor => "floor",
            Atan2 => "atan2",
            Min => "min",
            Max => "max",
            Mod => "mod",
            Pow => "pow",
            Stumpff(_) => "stumpff",
        }
    }

    /// How many arguments it takes (the order of a Stumpff function is not an argument).
    pub fn arity(self) -> usize {
        match self {
            Atan2 | Min | Max | Mod | Pow => 2,
            _ => 1,
        }
    }

    /// f(−x) = −f(x).
    pub(crate) fn is_odd(self) -> bool {
        matches!(self, Sin | Tan | Asin | Atan | Sinh | Tanh | Sign)
    }

    /// f(−x) = f(x).
    pub(crate) fn is_even(self) -> bool {
        matches!(self, Cos | Cosh | Abs)
    }

    /// Words that identify it, for digests.
    pub(crate) fn words(self) -> [u64; 2] {
        match self {
            Stumpff(k) => [99, k as u64],
            Pow => [98, 0],
            _ => [Function::NAMED.iter().position(|&f| f == self).map_or(97, |p| p as u64), 0],
        }
    }
}
