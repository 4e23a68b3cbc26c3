//! What is too large to compare.

use crate::failure::Code;
use crate::reason::Reason;
use cotangent_integrate::Method;
use cotangent_model::System;
use cotangent_problem::Instance;

/// Entries of the matrix that a step is solved with, at most: some 300 MB, and seconds for each elimination.
const MOST_ENTRIES: usize = 1 << 22;

/// Bytes that an entry takes in all: its value, derivative, address and factor.
const BYTES: f64 = 80.0;

/// Coordinates of a model whose charts are chosen and changed by eliminations in full matrices, at most.
const MOST_IN_CHARTS: usize = 1000;

/// Bytes that an entry of those takes in all.
const BYTES_IN_CHARTS: f64 = 450.0;

/// Why a model cannot be written in charts, if its size is the reason.
pub(super) fn chart_too_large(system: &System) -> Option<Reason> {
    let coordinates = system.dynamics.variables().len();
    (coordinates > MOST_IN_CHARTS && !system.constraints.is_empty()).then(|| {
        let gigabytes = (coordinates as f64).powi(2) * BYTES_IN_CHARTS / 1e9;
        let message = format!(
            "charts of {coordinates} coordinates are found with full matrices, which would need some {gigabytes:.1} GB"
        );
        Reason::new(Code::TooLarge, message)
    })
}

/// Why an implicit method cannot be run on these equations, if their size is the reason. Where multipliers are
/// solved for, each rate depends on all variables, and the matrix of a step is full.
pub(super) fn too_large(method: Method, problem: &Instance) -> Option<Reason> {
    let motion = &problem.equations.motion;
    let full = motion.is_constrained() && motion.card().full;
    if !full || method.card().explicit != "never" {
        return None;
    }
    let unknowns = problem.start.len().saturating_mul(method.stages().unwrap_or(1));
    let entries = unknowns.saturating_mul(unknowns);
    (entries > MOST_ENTRIES).then(|| {
        let gigabytes = entries as f64 * BYTES / 1e9;
        let message =
            format!("a step has {unknowns} unknowns and a full matrix, which would need some {gigabytes:.1} GB");
        Reason::new(Code::TooLarge, message)
    })
}
