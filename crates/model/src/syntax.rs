//! The syntax of the `.cot` language: text to tree and back.
//!
//! ```
//! use cotangent_model::syntax::{format, parse};
//!
//! let parsed = parse("coord x\nhamiltonian p_x^2/(2)+(x^2)/2\n");
//! assert!(parsed.diagnostics.is_empty());
//! assert_eq!(format(&parsed.file), "coord x\nhamiltonian p_x^2/2 + x^2/2\n");
//! ```

pub mod ast;
mod format;
mod lexer;
mod lookalike;
mod number;
mod parser;
mod splitter;
mod token;
mod words;

pub use format::format;
pub use number::Decimal;
pub use parser::{Parsed, Skipped, decode, parse, parse_expression};
pub(crate) use words::is_unit;
pub use words::{
    AlgebraKind, BuiltInLapse, Colour, DrawingKind, Function, Keyword, RunKey, RunValueKind, reserved_name,
};
