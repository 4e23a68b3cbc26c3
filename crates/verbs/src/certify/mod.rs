//! `certify`: what a method keeps on a model, against what it claims.

mod page;
mod report;
mod text;

pub use report::Report;

use crate::choice::{Choice, Files};
use crate::failure::Failure;
use crate::figures::{count, number};
use crate::input::Input;
use crate::loaded::Loaded;
use crate::memory::{Use, afford};
use crate::noticed;
use crate::picture::Destinations;
use crate::session::{Session, Status};
use crate::setup::{Blame, Defaults, Names, Repairs, Selection, pose, prepare};
use cotangent_compile::values;
use cotangent_lab::certificate::{Certificate, CertificateError, Ended, Options};
use cotangent_problem::Instance;

/// The most steps of the run for constraints and energy: hours, at a microsecond each.
const MOST_STEPS: u64 = 10_000_000_000;

/// The steps of the run for constraints and energy, unless said otherwise.
pub const STEPS: u64 = 20_000;

/// Measures what a method keeps; `steps` of the choice is the length of the run for constraints and energy.
pub fn certify(input: Input, wanted: &Choice, files: &Files, session: &mut Session<'_>) -> Result<Report, Failure> {
    let pictures = Destinations::new(files.plot.as_deref(), files.report.as_deref(), None, Some(&input.name))?;
    let model = Loaded::new(input, &wanted.set, session.limits())?;
    afford(&model.system, Use::Integrate, session.memory())?;
    let parameters = values::parameters(&model.system, &model.settings)?;
    let defaults = Defaults::new(&model.system, &parameters)?;
    let step = wanted.step.or(defaults.step).ok_or_else(|| {
        Failure::new("missing-value", format!("nothing says how large a step is for `{}`", model.system.name))
            .help("add --step 0.01, or write `run step = 0.01` in the model")
    })?;
    if step == 0.0 {
        return Err(Failure::new("schedule", "the step is 0").help("give another --step"));
    }
    let options = Options { step, steps: length(wanted.steps.unwrap_or(STEPS))? };
    let choice = Selection::named(&Names::new(wanted, &defaults, &model, session)?)?;
    let repairs = Repairs { project_initial: wanted.project_initial, drop_redundant: wanted.drop_redundant };
    let problem = pose(&model, choice.formulation, repairs, session)?;
    let prepared = prepare(&choice, &problem)?;
    let certificate = Certificate::within(&problem, &prepared, options, &model.limits).map_err(|e| match e {
        CertificateError::Interrupted(_) => Failure::interrupted(),
        CertificateError::Compile(_) => Failure::new("compile", e.to_string()),
    })?;
    let stop = certificate.ended.as_ref().map(|ended| stopped(ended, &problem, options));
    let seen = &certificate.noticed;
    let singular_passages = noticed::passages(&seen.monitor, &seen.names);
    noticed::notes(&seen.monitor, &singular_passages).into_iter().for_each(|note| session.note(note));
    let mut report = Report::new(&certificate, &model.system, &problem, &prepared, options, stop, session.notes());
    report.singular_passages = singular_passages;
    if pictures.any() {
        match page::film(&report, &problem, &prepared, options) {
            Ok(film) => {
                let page = || page::page(&report, film.as_ref(), &problem, &prepared, &model.input).report();
                let written = pictures.write(film.as_ref(), page);
                (report.plot, report.report, report.unwritten) = (written.plot, written.report, written.failures);
            }
            Err(failure) => report.unwritten.push(failure),
        }
    }
    report.notes.extend(report.unwritten.iter().map(Failure::message));
    Ok(report)
}

/// The length of the run for constraints and energy.
fn length(steps: u64) -> Result<u64, Failure> {
    if steps == 0 {
        let message = "--steps is 0: the run for constraints and energy has no step";
        return Err(Failure::new("schedule", message).help("give another --steps, or leave it out for 20000"));
    }
    if steps > MOST_STEPS {
        let years = steps as f64 * 1e-6 / 3.156e7;
        let message = format!(
            "--steps is {steps}: a certificate takes at most {MOST_STEPS} steps; at a microsecond each, these would take \
             {years:.1} years"
        );
        return Err(Failure::new("too-large", message).help("give another --steps, or leave it out for 20000"));
    }
    Ok(steps)
}

impl Report {
    /// Whether everything claimed holds.
    pub fn status(&self) -> Status {
        match (self.unwritten.is_empty(), &self.stop, self.nothing_refuted) {
            (false, _, _) => Status::Unwritten,
            (true, Some(_), _) => Status::Stopped,
            (true, None, true) => Status::Held,
            (true, None, false) => Status::NotHeld,
        }
    }

    /// Why the run for constraints and energy ended early, and which files could not be written.
    pub fn failures(&self) -> impl Iterator<Item = &Failure> {
        self.stop.iter().chain(&self.unwritten)
    }

    /// As people read it.
    pub fn text(&self, coloured: bool) -> String {
        text::render(self, coloured)
    }
}

/// A run that did not reach its end.
fn stopped(ended: &Ended, problem: &Instance, options: Options) -> Failure {
    let message = match &ended.failure {
        Some(failure) => {
            let reason = Blame::new(&problem.equations.motion).of(failure).reason;
            let (done, all) = (ended.steps, count(options.steps, "step", "steps"));
            format!("the run ended after {done} of {all} of {}: {reason}", number(options.step))
        }
        None => ended.reason.clone(),
    };
    let help = match &ended.failure {
        Some(cotangent_dynamics::Failure::Branched { .. }) => noticed::BRANCHED,
        Some(cotangent_dynamics::Failure::Jumped { .. }) => noticed::JUMPED,
        _ => "take a smaller --step",
    };
    Failure::new("no-step", message).help(help)
}
