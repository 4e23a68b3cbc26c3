//! How runs end.

use serde::{Deserialize, Serialize};
use std::fmt;

/// How a run, or a list of them, ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// At its last step.
    Finished,
    /// On request.
    Interrupted,
    /// At a step that could not be made, or something around the steps.
    Failed,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ending::Finished => "finished",
            Ending::Interrupted => "interrupted",
            Ending::Failed => "failed",
        })
    }
}
