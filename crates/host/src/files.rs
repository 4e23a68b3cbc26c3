//! Files that grow to the limit that a shell sets (`ulimit -f`).

use crate::interrupt::InterruptError;

/// From now on writing beyond the limit on the size of files fails, as it does on a full disk; by default the signal for it
/// (SIGXFSZ) ends the process without a word. Elsewhere than on Unix there is no such limit.
pub fn fail_at_file_limit() -> Result<(), InterruptError> {
    #[cfg(unix)]
    {
        use signal_hook::{consts::SIGXFSZ, flag::register};
        // A handler of any kind will do: nobody asks whether it came.
        register(SIGXFSZ, Default::default()).map_err(|e| InterruptError::new(&e))?;
    }
    Ok(())
}
