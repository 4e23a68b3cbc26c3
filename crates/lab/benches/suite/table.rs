//! Times, and the table of what was measured.

/// Seconds that this thread was on a processor, which other processes change little.
#[cfg(unix)]
pub(crate) fn seconds() -> f64 {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    spent.tv_sec as f64 + spent.tv_nsec as f64 * 1e-9
}

/// Seconds of the clock.
#[cfg(not(unix))]
pub(crate) fn seconds() -> f64 {
    thread_local!(static BEGIN: std::time::Instant = std::time::Instant::now());
    BEGIN.with(|begin| begin.elapsed().as_secs_f64())
}

/// Seconds of each of two computations, the best of several rounds that alternate.
pub(crate) fn compared(rounds: usize, mut ours: impl FnMut(), mut plain: impl FnMut()) -> [f64; 2] {
    let time = |f: &mut dyn FnMut()| {
        let begin = seconds();
        f();
        seconds() - begin
    };
    (0..rounds).fold([f64::INFINITY; 2], |[a, b], _| [a.min(time(&mut ours)), b.min(time(&mut plain))])
}

/// A line for each measurement.
pub(crate) struct Table(Vec<[String; 5]>);

impl Table {
    pub(crate) fn new() -> Table {
        println!("{}", machine());
        let table = Table(vec![]);
        table.print(&["", "ours", "by hand", "ratio", "remarks"].map(String::from));
        table
    }

    /// A measurement beside that of a loop by hand, in a unit.
    pub(crate) fn compare(&mut self, what: &str, unit: &str, [ours, plain]: [f64; 2], remarks: &str) {
        let shown = |x: f64| format!("{x:.*} {unit}", if x < 10.0 { 2 } else { 1 });
        self.push([what.into(), shown(ours), shown(plain), format!("{:.2}", ours / plain), remarks.into()]);
    }

    /// A measurement by itself.
    pub(crate) fn tell(&mut self, what: &str, value: String, remarks: &str) {
        self.push([what.into(), value, String::new(), String::new(), remarks.into()]);
    }

    fn push(&mut self, row: [String; 5]) {
        self.print(&row);
        self.0.push(row);
    }

    fn print(&self, [what, ours, plain, ratio, remarks]: &[String; 5]) {
        println!("{what:44} {ours:>12} {plain:>12} {ratio:>7}   {remarks}");
    }

    pub(crate) fn write(&self) {
        let Ok(folder) = std::env::var("SUITE") else { return };
        let mut text = format!("{}\n\n|  | ours | by hand | ratio |  |\n|---|---:|---:|---:|---|\n", machine());
        for [what, ours, plain, ratio, remarks] in &self.0 {
            text += &format!("| {what} | {ours} | {plain} | {ratio} | {remarks} |\n");
        }
        let path = format!("{folder}/suite.md");
        std::fs::write(&path, text).unwrap_or_else(|e| panic!("{path}: {e}"));
    }
}

/// Processor, compiler, version.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split(':').nth(1)).unwrap_or("?");
    let rustc = std::process::Command::new("rustc").arg("--version").output().map(|o| o.stdout).unwrap_or_default();
    let rustc = String::from_utf8_lossy(&rustc);
    let profile = if cfg!(debug_assertions) { "dev" } else { "release" };
    format!("Cotangent {} ({profile}), {}, {}", env!("CARGO_PKG_VERSION"), rustc.trim(), name.trim())
}

/// The memory of this process now, in megabytes; [`peak_memory`] counts from here on.
pub(crate) fn memory() -> f64 {
    // "5" sets the largest memory so far back to the present one (Linux, proc(5)).
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    status("VmRSS:")
}

/// The largest memory of this process since [`memory`] was asked for, in megabytes.
pub(crate) fn peak_memory() -> f64 {
    status("VmHWM:")
}

fn status(name: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(f64::NAN) / 1024.0
}
