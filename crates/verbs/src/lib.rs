//! The verbs: check, analyze, run, certify, compare, each a function from a request to a document.
//!
//! A verb prints nothing and writes no file but those it is asked for. What it has to say on the way goes to a
//! [`Listener`]; it ends early where its limits say so. Its document is what `--json` shows, and text, figures and
//! reports are made of it.

mod analyze;
mod certify;
mod check;
mod choice;
mod claims;
mod compare;
mod explain;
mod failure;
mod figures;
mod formulations;
mod input;
mod loaded;
mod map;
mod memory;
mod methods;
mod noticed;
mod picture;
pub mod printable;
mod run;
mod session;
pub mod setting;
mod setup;

pub use analyze::{Document as Analyzed, analyze};
pub use certify::{Report as Certified, STEPS as CERTIFICATE_STEPS, certify};
pub use check::{Report as Checked, check};
pub use choice::{Choice, Files};
pub use compare::{Lists, Report as Compared, compare};
pub use explain::{Explained, explain};
pub use failure::{ErrorDocument, Failure};
pub use figures::number;
pub use formulations::{Formulations, formulations};
pub use input::Input;
pub use methods::{Methods, methods};
pub use run::{Order, Stop, Summary, run};
pub use session::{Listener, Message, Progress, Session, Status};
