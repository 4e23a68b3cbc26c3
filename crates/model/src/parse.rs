//! From text to a system.

use crate::diagnostic::Diagnostics;
use crate::elaborate::elaborate;
use crate::syntax::ast::StatementKind;
use crate::syntax::{self, RunKey};
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

    /// Reads a model with another lapse than that of its `run` statement: a name or an expression, as it would stand
    /// there. Diagnostics are about [`System::text_with_lapse`].
    pub fn parse_with_lapse(source: &str, options: &Options, lapse: &str) -> Result<System, Diagnostics> {
        let mut parsed = syntax::parse(&System::text_with_lapse(source, lapse));
        let last = parsed.file.statements.len().saturating_sub(1);
        for statement in &mut parsed.file.statements[..last] {
            if let StatementKind::Run(settings) = &mut statement.kind {
                settings.retain(|setting| setting.key != RunKey::Lapse);
            }
        }
        elaborate(parsed, options)
    }

    /// The text of a model with another lapse at its end.
    pub fn text_with_lapse(source: &str, lapse: &str) -> String {
        let lapse = lapse.replace(['\n', '\r', '#'], " ");
        format!("{}\n\nrun lapse = {lapse}\n", source.trim_end())
    }
}
