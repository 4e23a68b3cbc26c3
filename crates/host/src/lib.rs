//! What an ordinary machine gives to a computation: its clock, its processors, and Ctrl-C as a request to stop.
//!
//! The other crates do not ask the machine: they are handed clock and token in their
//! [`Limits`](cotangent_scalar::Limits), so that they run where there is no clock, or another one, as in a browser.
//!
//! ```
//! use cotangent_scalar::{Cancel, Limits};
//!
//! let cancel = Cancel::new();
//! cotangent_host::cancel_on_signal(&cancel)?;
//! let limits = Limits::until(cancel).timed(cotangent_host::clock());
//! assert!(limits.clock.is_running() && limits.check().is_ok());
//! # Ok::<(), cotangent_host::InterruptError>(())
//! ```

mod clock;
mod files;
mod interrupt;
mod workers;

pub use clock::clock;
pub use files::fail_at_file_limit;
pub use interrupt::{InterruptError, cancel_on_signal};
pub use workers::side_by_side;
