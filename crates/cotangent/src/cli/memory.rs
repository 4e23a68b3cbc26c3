//! The memory that can be had.

/// The memory that this process can get, where the system says so (Linux): what is free, and its own limit.
pub(crate) fn available() -> Option<u64> {
    let free = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| free(&text));
    let own = std::fs::read_to_string("/proc/self/limits").ok().and_then(|text| own(&text));
    free.into_iter().chain(own).min()
}

/// `MemAvailable:   22000000 kB`.
fn free(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// `Max address space   8000000000   unlimited   bytes`, the first the one in force.
fn own(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{free, own};

    #[test]
    fn what_the_system_says_is_read() {
        assert_eq!(free("MemTotal: 9 kB\nMemAvailable:    2000 kB\n"), Some(2_048_000));
        assert_eq!(own("Limit  Soft  Hard\nMax address space         unlimited            unlimited  bytes\n"), None);
        assert_eq!(own("Max address space         4096            unlimited  bytes\n"), Some(4096));
    }
}
