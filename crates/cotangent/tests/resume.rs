//! A run that is killed and resumed, as often as it takes, ends in the same bytes as one that is not.

mod common;

use common::{run_in, start};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

/// A chain that takes a second or two, with checkpoints all the time.
const CHAIN: [&str; 8] = ["--set", "n=20", "--until", "200", "--record", "20", "--checkpoint", "0.03"];

fn chain<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["run", "chain"], &CHAIN[..], more].concat()
}

/// Numbers that differ from run to run: kill times should not always be the same.
fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

fn seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(1, |d| d.as_nanos() as u64)
}

/// Waits until a file is there.
fn wait_for(path: &Path) {
    let begun = std::time::Instant::now();
    while !path.exists() && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Waits a while, then kills what still runs. `None`: it was killed.
fn kill_after(mut child: Child, wait: Duration) -> Option<ExitStatus> {
    std::thread::sleep(wait);
    match child.try_wait().expect("the program can be asked") {
        Some(status) => Some(status),
        None => {
            child.kill().expect("the program can be killed");
            child.wait().expect("the program ends");
            None
        }
    }
}

/// Whether a run came to its end: its checkpoint says so, or is gone.
fn is_finished(checkpoint: &Path) -> bool {
    let says = |bytes: Vec<u8>| bytes.windows(15).any(|w| w == b"\"finished\":true");
    std::fs::read(checkpoint).map_or(true, says)
}

#[test]
fn a_killed_and_resumed_run_gives_the_same_bytes() {
    let mut seed = seed();
    for name in ["traj.csv", "traj.npz"] {
        let (whole, broken) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let ran = run_in(whole.path(), &chain(&["--out", name]), b"");
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let expected = std::fs::read(whole.path().join(name)).unwrap();
        let mut kills = 0;
        // The same command line, repeated until it is done.
        for attempt in 0.. {
            let child = start(broken.path(), &chain(&["--resume", name]));
            let ended = match attempt {
                // Before the first step, most likely: the first checkpoint is written there.
                0 => {
                    wait_for(&broken.path().join(format!("{name}.checkpoint")));
                    kill_after(child, Duration::ZERO)
                }
                1..=12 => kill_after(child, Duration::from_millis(30 + random(&mut seed) % 250)),
                _ => Some(child.wait_with_output().unwrap().status),
            };
            match ended {
                None => kills += 1,
                Some(status) => {
                    // The last kill may have come after the run was complete, which says so.
                    let complete = is_finished(&broken.path().join(format!("{name}.checkpoint")));
                    assert!(status.success() || (kills > 0 && complete), "{name}: {status}");
                    break;
                }
            }
        }
        assert!(kills > 0, "the run was too short to be killed");
        let mut left: Vec<_> = std::fs::read_dir(broken.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        left.retain(|file| *file != *format!("{name}.checkpoint"));
        assert_eq!(left, [name], "nothing else is left behind after {kills} kills");
        let found = std::fs::read(broken.path().join(name)).unwrap();
        // Behind the numbers of arrays is the command, which is another.
        let end = |bytes: &[u8]| bytes.windows(9).position(|w| w == b"names.npy").unwrap_or(bytes.len());
        let (found, expected) = (&found[..end(&found)], &expected[..end(&expected)]);
        assert!(found == expected, "{name} differs after {kills} kills: {} bytes, {}", found.len(), expected.len());
    }
}

/// What is said to those who go on with another run than they began.
#[cfg(unix)]
fn resume_as_another_run(folder: &Path) -> String {
    let options = [
        &["pendulum"][..],
        &["chain", "--set", "n=21", "--set", "g=2"],
        &["--step", "0.02", "--method", "shake", "--formulation", "standard"],
        &["--until", "300", "--record", "1", "--project", "both", "--stages", "2", "--solver-tol", "1e-9"],
        &["--steps", "7", "--project-initial", "--drop-redundant"],
        &["--out", "b.csv"],
    ];
    let mut text = String::new();
    for more in options {
        let ran = run_in(folder, &[&["run", "--resume", "a.csv"], more].concat(), b"");
        assert_eq!(ran.status, 2);
        text += &format!("{}: {}", more.join(" "), ran.show());
    }
    text
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_a_readable_table_and_a_run_to_resume() {
    for signal in ["INT", "TERM"] {
        let folder = tempfile::tempdir().unwrap();
        let arguments = ["run", "chain", "--set", "n=20", "--until", "200", "--record", "20", "--out", "a.csv"];
        let child = start(folder.path(), &arguments);
        wait_for(&folder.path().join("a.csv.checkpoint"));
        let sent = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().expect("kill starts");
        assert!(sent.success());
        let output = child.wait_with_output().expect("the program ends");
        assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains("to go on: cotangent run --resume a.csv"), "{stderr}");
        let table = std::fs::read_to_string(folder.path().join("a.csv")).unwrap();
        let width = table.lines().next().unwrap().split(',').count();
        assert!(table.lines().all(|l| l.split(',').count() == width) && table.ends_with('\n'));
        let rows = table.lines().count();
        // A new run would lose the old one.
        let refused = run_in(folder.path(), &arguments, b"");
        assert_eq!(refused.status, 2);
        assert!(refused.stderr.contains("a run that writes `a.csv` was interrupted"), "{}", refused.stderr);
        if signal == "INT" {
            insta::assert_snapshot!(resume_as_another_run(folder.path()));
        }
        // The checkpoint alone is enough.
        let ran = run_in(folder.path(), &["run", "--resume", "a.csv", "--json"], b"");
        assert_eq!((ran.status, &ran.json()["status"]), (0, &"finished".into()), "{}", ran.stderr);
        assert_eq!(ran.json()["steps"], 20_000);
        let whole = std::fs::read_to_string(folder.path().join("a.csv")).unwrap();
        assert!(whole.starts_with(&table[..table.trim_end().rfind('\n').unwrap()]), "the rows stay as they were");
        assert!(whole.lines().count() == 1002 && rows <= 1002);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "the table and its checkpoint");
    }
}

/// A page without what depends on when and how fast it was made.
fn timeless(page: &str) -> String {
    let timed = |line: &&str| !line.contains("seconds of integration") && !line.contains("UTC");
    page.lines().filter(timed).collect::<Vec<_>>().join("\n")
}

#[test]
fn pictures_of_a_killed_and_resumed_run_are_those_of_a_run_that_was_not() {
    let mut seed = seed();
    let (whole, broken) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    // So many steps that the history is thinned out, and an observable that ranges are kept of.
    let options = ["--until", "3000", "--step", "0.01", "--checkpoint", "0.02", "--record", "100"];
    let command: Vec<&str> =
        [&["run", "double-pendulum", "--out", "a.csv", "--plot", "a.svg", "--report", "a.html"], &options[..]].concat();
    let ran = run_in(whole.path(), &command, b"");
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let mut kills = 0;
    for attempt in 0.. {
        // The checkpoint alone is enough: it knows of the pictures.
        let again = ["run", "--resume", "a.csv"];
        let child = start(broken.path(), if attempt == 0 { &command } else { &again });
        wait_for(&broken.path().join("a.csv.checkpoint"));
        let wait = Duration::from_millis(random(&mut seed) % 150);
        let ended = if attempt < 8 { kill_after(child, wait) } else { Some(child.wait_with_output().unwrap().status) };
        match ended {
            None => kills += 1,
            Some(status) => {
                let complete = is_finished(&broken.path().join("a.csv.checkpoint"));
                assert!(status.success() || (kills > 0 && complete), "{status}");
                break;
            }
        }
    }
    assert!(kills > 0, "the run was too short to be killed");
    let read = |folder: &Path, name: &str| std::fs::read_to_string(folder.join(name)).expect(name);
    for name in ["a.csv", "a.svg"] {
        assert!(read(whole.path(), name) == read(broken.path(), name), "{name} differs after {kills} kills");
    }
    let pages = [whole.path(), broken.path()].map(|folder| timeless(&read(folder, "a.html")));
    let differs = pages[0].lines().zip(pages[1].lines()).find(|(a, b)| a != b);
    assert!(pages[0] == pages[1], "a.html differs after {kills} kills: {differs:?}");
}

#[cfg(unix)]
#[test]
fn a_report_that_could_not_be_written_is_made_from_the_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("pages");
    std::fs::create_dir(&pages).unwrap();
    let child = start(folder.path(), &chain(&["--out", "a.csv", "--report", "pages/a.html"]));
    wait_for(&folder.path().join("a.csv.checkpoint"));
    std::fs::remove_dir_all(&pages).unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("`a.csv` is complete; to make what is missing: cotangent run --resume a.csv"), "{stderr}");
    let table = std::fs::read(folder.path().join("a.csv")).unwrap();
    std::fs::create_dir(&pages).unwrap();
    let ran = run_in(folder.path(), &["run", "--resume", "a.csv"], b"");
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let page = std::fs::read_to_string(pages.join("a.html")).unwrap();
    assert!(!page.contains("what came before is not shown"));
    assert!(std::fs::read(folder.path().join("a.csv")).unwrap() == table);
    // It is extended as a run is in which nothing went wrong.
    let whole = tempfile::tempdir().unwrap();
    let ran = run_in(whole.path(), &chain(&["--out", "a.csv"]), b"");
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let extended = [folder.path(), whole.path()].map(|folder| {
        let ran = run_in(folder, &["run", "--resume", "a.csv", "--until", "205"], b"");
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        std::fs::read(folder.join("a.csv")).unwrap()
    });
    assert!(extended[0] == extended[1]);
}

/// Begins a run and kills it at its first checkpoint.
fn begin(folder: &Path, arguments: &[&str]) {
    let child = start(folder, arguments);
    wait_for(&folder.join("a.csv.checkpoint"));
    assert!(kill_after(child, Duration::ZERO).is_none(), "the run was too short to be killed");
}

#[test]
fn every_option_that_differs_is_refused_with_both_values() {
    let long = ["--until", "1e6", "--out", "a.csv"];
    let pendulum = |more: &[&'static str]| [&["run", "pendulum"], &long[..], more].concat();
    let runs = [
        (pendulum(&["--method", "dopri5", "--formulation", "standard", "--tol", "1e-6"]), "--tol 1e-9", "1e-6"),
        (pendulum(&["--method", "reich", "--inner", "gauss"]), "--inner implicit-midpoint", "gauss"),
        (pendulum(&["--formulation", "baumgarte", "--opt", "alpha=3"]), "--opt alpha=4.0", "alpha=3.0"),
        (pendulum(&["--formulation", "baumgarte"]), "--opt beta=4.0", "beta=5.0"),
        (pendulum(&["--formulation", "local-chart", "--chart", "x", "--chart", "y"]), "--chart y", "x and y"),
        (pendulum(&["--compose", "yoshida-4"]), "--compose none", "yoshida-4"),
        (pendulum(&[]), "--solver-tol 1e-9", "not given"),
        (pendulum(&[]), "--project-above 1e-9", "not given"),
    ];
    for (began, other, was) in runs {
        let folder = tempfile::tempdir().unwrap();
        begin(folder.path(), &began);
        let (option, value) = other.split_once(' ').unwrap();
        let ran = run_in(folder.path(), &["run", "--resume", "a.csv", option, value], b"");
        assert_eq!(ran.status, 2, "{other}: {}", ran.stderr);
        let expected = format!("{option} is {value} and was {was}");
        assert!(ran.stderr.contains(&expected), "{expected}: {}", ran.stderr);
    }
}

/// A disk of three megabytes is full long before the run is done, and long before its first checkpoint but that of the
/// start: what was computed until then is kept, and the run can go on elsewhere.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_costs_nothing_that_was_computed() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = ["run", "pendulum", "--steps", "60000", "--record", "1", "--out", "m.csv", "--checkpoint", "3600"];
    let whole = run_in(folder.path(), &run, b"");
    assert_eq!(whole.status, 0, "{}", whole.stderr);
    let expected = std::fs::read(folder.path().join("m.csv")).expect("the table");
    std::fs::create_dir_all(folder.path().join("disk")).expect("a folder");
    std::fs::create_dir_all(folder.path().join("kept")).expect("a folder");
    let script = format!(
        "mount -t tmpfs -o size=3m tmpfs disk || exit 77\ncd disk\n{} {}\nstatus=$?\ncp -a . ../kept\nexit $status",
        env!("CARGO_BIN_EXE_cotangent"),
        run.join(" ")
    );
    let made = Command::new("unshare")
        .args(["--user", "--mount", "--map-root-user", "sh", "-c", &script])
        .current_dir(folder.path())
        .output();
    // Where no disk may be mounted there is nothing to see.
    let Ok(made) = made else { return };
    let said = String::from_utf8_lossy(&made.stderr);
    match made.status.code() {
        Some(3) => {}
        Some(77) => return,
        _ if said.contains("unshare") => return,
        other => panic!("{other:?}: {said}"),
    }
    assert!(said.contains("No space left") && said.contains("`m.csv` is not complete"), "{said}");
    let result = String::from_utf8_lossy(&made.stdout);
    assert!(!result.contains("m.csv"), "there is no table: {result}");
    let kept = folder.path().join("kept");
    let resumed = run_in(&kept, &["run", "--resume", "m.csv"], b"");
    assert_eq!(resumed.status, 0, "{}", resumed.stderr);
    let after = resumed.stderr.split("after ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    let after: u64 = after.replace(['\u{202f}', ',', ' '], "").parse().expect("a number of steps");
    // Two megabytes of rows of some hundred and twenty bytes.
    assert!(after > 10_000, "{}", resumed.stderr);
    assert!(std::fs::read(kept.join("m.csv")).expect("the table") == expected);
    let left = std::fs::read_dir(&kept).expect("the folder").count();
    assert_eq!(left, 2, "only the table is left, and its checkpoint");
}

/// The signal that comes with the limit would end the program without a word.
#[cfg(unix)]
#[test]
fn a_limit_on_the_size_of_files_is_a_full_disk() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = ["run", "pendulum", "--steps", "60000", "--record", "1", "--out", "m.csv", "--checkpoint", "0.01"];
    // In blocks of 512 or 1024 bytes: less than the table, more than a checkpoint.
    let made = Command::new("sh")
        .args(["-c", "ulimit -f 2000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_cotangent")])
        .args(run)
        .current_dir(folder.path())
        .output()
        .expect("a shell");
    let said = String::from_utf8_lossy(&made.stderr);
    assert_eq!(made.status.code(), Some(3), "{said}");
    assert!(said.contains("`m.csv` is not complete"), "{said}");
    let resumed = run_in(folder.path(), &["run", "--resume", "m.csv"], b"");
    assert_eq!(resumed.status, 0, "{}", resumed.stderr);
    let whole = tempfile::tempdir().expect("a folder");
    assert_eq!(run_in(whole.path(), &run, b"").status, 0);
    let tables = [folder.path(), whole.path()].map(|f| std::fs::read(f.join("m.csv")).expect("the table"));
    assert!(tables[0] == tables[1]);
}

/// Between two rows that one step makes, a step is made that is made again when the run goes on.
#[cfg(unix)]
#[test]
fn a_run_that_is_interrupted_between_rows_counts_its_work_once() {
    let mut seed = seed();
    let (whole, broken) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let options = ["--step", "0.001", "--compose", "kahan-li-8", "--every", "0.00007", "--checkpoint", "0.02"];
    let command: Vec<&str> = [&["run", "pendulum", "--until", "5", "--json", "--out", "a.csv"], &options[..]].concat();
    let work = run_in(whole.path(), &command, b"").json()["work"].clone();
    let mut interrupts = 0;
    let found = loop {
        let again = ["run", "--resume", "a.csv", "--json"];
        let child = start(broken.path(), if interrupts == 0 { &command } else { &again });
        wait_for(&broken.path().join("a.csv.checkpoint"));
        std::thread::sleep(Duration::from_millis(random(&mut seed) % 100));
        if interrupts < 5 {
            let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        }
        let output = child.wait_with_output().unwrap();
        if output.status.success() {
            break serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()["work"].clone();
        }
        assert_eq!(output.status.code(), Some(3));
        interrupts += 1;
    };
    assert!(interrupts > 0, "the run was too short to be interrupted");
    assert_eq!(found, work, "after {interrupts} interrupts");
    let tables = [whole.path(), broken.path()].map(|folder| std::fs::read(folder.join("a.csv")).unwrap());
    assert!(tables[0] == tables[1]);
}

#[test]
fn pictures_follow_their_table_into_another_folder() {
    let folder = tempfile::tempdir().unwrap();
    let [first, copy] = ["a", "b"].map(|name| folder.path().join(name));
    [&first, &copy].into_iter().for_each(|f| std::fs::create_dir(f).unwrap());
    let elsewhere = folder.path().join("c.svg");
    let run = ["run", "pendulum", "--until", "1", "--out", "a.csv", "--report", "a.html", "--plot"];
    let run = |plot| [&run[..], &[plot]].concat();
    // Given from its folder a picture goes with the table; given by a whole path it stays where it is.
    for plot in ["a.svg", elsewhere.to_str().unwrap()] {
        assert_eq!(run_in(&first, &run(plot), b"").status, 0);
        for file in std::fs::read_dir(&first).unwrap().flatten() {
            std::fs::copy(file.path(), copy.join(file.file_name())).unwrap();
        }
        let before = ["a.csv", "a.svg", "a.html"].map(|name| std::fs::read(first.join(name)).unwrap());
        // From a folder of its own, too.
        let ran = run_in(folder.path(), &["run", "--resume", "b/a.csv", "--until", "2"], b"");
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let after = ["a.csv", "a.svg", "a.html"].map(|name| std::fs::read(first.join(name)).unwrap());
        assert!(before == after, "the original is left alone");
        let changed = |name: &str| std::fs::read(copy.join(name)).unwrap() != std::fs::read(first.join(name)).unwrap();
        assert!(changed("a.csv") && changed("a.html"));
        assert_eq!(changed("a.svg"), plot == "a.svg");
    }
    assert!(elsewhere.exists());
}

#[test]
fn a_finished_run_is_extended_to_the_bytes_of_one_that_went_on() {
    // A last step that was shortened; one that was not, off the rows; start and end alone; pictures; columns.
    let runs: [(&[&str], [&str; 3]); 5] = [
        (&["pendulum", "--step", "0.3", "--record", "3"], ["4", "7.5", "10"]),
        (&["pendulum", "--step", "0.25", "--record", "7"], ["4", "4.25", "10"]),
        (&["pendulum", "--step", "0.3", "--record", "0"], ["0.2", "7.5", "10"]),
        (&["chain", "--step", "0.07", "--plot", "a.svg"], ["1", "1.5", "2"]),
        (&["rigid-body", "--step", "0.3", "--columns", "invariants,residuals"], ["0.3", "0.6", "1"]),
    ];
    for (options, [first, second, last]) in runs {
        for name in ["a.csv", "a.npz"] {
            let (whole, extended) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let to = |until| [&["run"], options, &["--out", name, "--json", "--until", until]].concat();
            let uninterrupted = run_in(whole.path(), &to(last), b"").json();
            assert_eq!(run_in(extended.path(), &to(first), b"").status, 0);
            let further = |until| run_in(extended.path(), &["run", "--resume", name, "--json", "--until", until], b"");
            assert_eq!(further(second).status, 0);
            let found = further(last).json();
            for key in ["state", "energy", "constraints", "hidden_constraints", "work", "steps", "time", "initial"] {
                assert_eq!(found[key], uninterrupted[key], "{options:?} {name}: {key}");
            }
            let read = |folder: &Path, name: &str| std::fs::read(folder.join(name)).expect(name);
            let [expected, found] = [whole.path(), extended.path()].map(|folder| read(folder, name));
            match name {
                "a.csv" => assert!(found == expected, "{options:?}"),
                // Behind the numbers is the command, which is another.
                _ => {
                    let end = expected.windows(9).position(|w| w == b"names.npy").expect("texts");
                    assert!(found[..end] == expected[..end], "{options:?}");
                }
            }
            if options.contains(&"--plot") {
                assert!(read(whole.path(), "a.svg") == read(extended.path(), "a.svg"));
            }
        }
    }
}

#[test]
fn what_cannot_be_extended_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path();
    let begin = || run_in(there, &["run", "pendulum", "--until", "1", "--out", "a.csv"], b"");
    let further = |more: &[&str]| run_in(there, &[&["run", "--resume", "a.csv"], more].concat(), b"").show();
    assert_eq!(begin().status, 0);
    let mut text = further(&[]);
    text += &further(&["--until", "0.5"]);
    text += &further(&["--until", "1"]);
    text += &further(&["--until", "2", "--step", "0.02"]);
    text += &further(&["--until", "2", "--columns", "residuals"]);
    let table = std::fs::read_to_string(there.join("a.csv")).unwrap();
    std::fs::write(there.join("a.csv"), table.replace("0.5", "0.6")).unwrap();
    text += &further(&["--until", "2"]);
    std::fs::remove_file(there.join("a.csv")).unwrap();
    text += &further(&["--until", "2"]);
    insta::assert_snapshot!(text);
    // A table may be written again: nothing is lost.
    assert_eq!(begin().status, 0);
    assert_eq!(begin().status, 0);
    let mut left: Vec<_> = std::fs::read_dir(there).unwrap().map(|e| e.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["a.csv", "a.csv.checkpoint"]);
}

#[test]
fn what_an_extension_changes_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let ran = |more: &[&str]| run_in(folder.path(), &[&["run"], more].concat(), b"");
    assert_eq!(ran(&["pendulum", "--step", "0.01", "--until", "1", "--out", "a.csv"]).status, 0);
    let said = ran(&["--resume", "a.csv", "--until", "300.003"]).stderr;
    for part in [
        "note: t = 300.003 is no multiple of the step 0.01: the last step is 0.003",
        "note: rows stay 1 step apart, as they began; of a run made at once they would be 4 steps apart unless --record",
    ] {
        assert!(said.contains(part), "{said}");
    }
    // With the same rows nothing is said.
    assert_eq!(ran(&["pendulum", "--step", "0.01", "--until", "1", "--out", "b.csv"]).status, 0);
    assert!(!ran(&["--resume", "b.csv", "--until", "2"]).stderr.contains("rows stay"));
}
