//! An analysis that is asked to stop does so, wherever it is.

use cotangent_analysis::{AnalysisError, MotionError, analyze_within, constraints_within};
use cotangent_model::System;
use cotangent_scalar::{Interrupted, Limits};

/// A singular Lagrangian whose constraints are found by much algebra.
const MODEL: &str = "
param a = 1
coord x, y, z, u, v
lagrangian (x'^2 + y'^2 + z'^2)/2 + u*(x^2 + y^2 + z^2 - a) + v*(x*y*z - x^3 + y^2) - x*y
";

fn system() -> System {
    System::parse(MODEL).unwrap()
}

#[test]
fn a_stop_before_the_beginning_is_heard_by_every_entry() {
    let limits = Limits::default();
    limits.cancel.set();
    assert_eq!(analyze_within(&system(), &limits).err(), Some(AnalysisError::Interrupted(Interrupted)));
    let stopped = MotionError::Analysis(AnalysisError::Interrupted(Interrupted));
    assert_eq!(constraints_within(&system(), &limits).err(), Some(stopped));
}

#[test]
fn a_stop_on_the_way_is_no_verdict() {
    // Whenever it comes: the whole report, or none.
    let whole = format!("{:?}", analyze_within(&system(), &Limits::default()).unwrap());
    for microseconds in [0, 100, 1000, 3000, 10_000, 30_000] {
        let limits = Limits::default();
        let token = limits.cancel.clone();
        let asks = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_micros(microseconds));
            token.set();
        });
        match analyze_within(&system(), &limits) {
            Ok(report) => assert_eq!(format!("{report:?}"), whole),
            Err(error) => assert_eq!(error, AnalysisError::Interrupted(Interrupted)),
        }
        asks.join().unwrap();
    }
}

#[test]
fn the_work_allowed_is_what_the_limits_say() {
    let limits = Limits { work: Some(10), ..Limits::default() };
    let little = analyze_within(&system(), &limits);
    let whole = analyze_within(&system(), &Limits::default());
    assert_ne!(format!("{little:?}"), format!("{whole:?}"));
}
