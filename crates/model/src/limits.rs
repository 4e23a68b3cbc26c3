//! How large a model text may be. Beyond a limit there is an error, never a hang or an overflow.

/// Bytes of source text.
pub const MAX_SOURCE_BYTES: usize = 4 << 20;
/// Nesting of brackets, exponents and signs in an expression: deep enough for any model, and shallow
/// enough for the stack of a thread in an unoptimised build.
pub const MAX_NESTING: usize = 100;
/// Statements of a file.
pub const MAX_STATEMENTS: usize = 100_000;
/// Digits of the exponent of a number: `1e-400` is fine (and zero in `f64`), `1e123456` is not.
pub const MAX_EXPONENT_DIGITS: usize = 5;
/// Errors shown to the user; the rest are counted.
pub const MAX_RENDERED_DIAGNOSTICS: usize = 50;
/// Errors kept in memory; the rest are counted.
pub const MAX_STORED_DIAGNOSTICS: usize = 1_000;
/// Bytes of a line that is still shown with an error.
pub const MAX_EXCERPT_LINE: usize = 1_000;
