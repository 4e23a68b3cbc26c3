//! The parts a report is made of.

use crate::error::ReportError;
use crate::{Animation, Code, Formulas, Plot, Provenance, Table, Text};

/// One part of a report.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Section {
    /// Prose.
    Text(Text),
    /// A table.
    Table(Table),
    /// Formulas, such as the steps of a derivation.
    Formulas(Formulas),
    /// A listing, such as the text of the model.
    Code(Code),
    /// An interactive plot.
    Plot(Plot),
    /// Bodies in motion.
    Animation(Animation),
    /// Where the results come from.
    Provenance(Provenance),
}

macro_rules! sections {
    ($($name:ident),*) => {
        $(impl From<$name> for Section {
            fn from(part: $name) -> Self {
                Section::$name(part)
            }
        })*

        impl Section {
            pub(crate) fn title(&self) -> &str {
                match self {
                    $(Section::$name(part) => part.title(),)*
                }
            }

            /// About how many bytes it takes in full.
            pub(crate) fn need(&self) -> usize {
                match self {
                    $(Section::$name(part) => part.need(),)*
                }
            }

            /// The inside of the section, in about `budget` bytes.
            pub(crate) fn html(&self, id: usize, budget: usize) -> Result<String, ReportError> {
                match self {
                    $(Section::$name(part) => part.html(id, budget),)*
                }
            }
        }
    };
}

sections!(Text, Table, Formulas, Code, Plot, Animation, Provenance);

impl Section {
    /// Whether its bytes are numbers, which are thinned, or text, which is cut.
    pub(crate) fn is_data(&self) -> bool {
        matches!(self, Section::Plot(_) | Section::Animation(_))
    }
}
