//! The clock of the machine.

use cotangent_scalar::Clock;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The time since it was first asked for, by a clock that never goes back.
pub fn clock() -> Clock {
    Clock::new(now)
}

fn now() -> Duration {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_runs_forward() {
        let begin = clock().now();
        while clock().now() == begin {
            std::hint::spin_loop();
        }
        assert!(clock().now() > begin);
    }
}
