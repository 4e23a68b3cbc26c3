//! From text to a system.

use crate::diagnostic::Diagnostics;
use crate::elaborate::elaborate;
use crate::syntax;
use crate::system::{Options, System};

impl System {
    /// Reads a model. Every mistake of the text is reported at once.
    pub fn parse(source: &str) -> Result<System, Diagnostics> {
        System::parse_with(source, &Options::default())
    }

    /// Reads a model with other sizes.
    pub fn parse_with(source: &str, options: &Options) -> Result<System, Diagnostics> {
        elaborate(syntax::parse(source), options)
    }
}
