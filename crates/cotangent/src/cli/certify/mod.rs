//! `cotangent certify`: what a method keeps on a model, against what it claims.

mod page;
mod report;
mod text;

use super::args;
use super::failure::{Code, Failure};
use super::figures::{count, number};
use super::input::Input;
use super::loaded::Loaded;
use super::memory::{self, Use};
use super::noticed;
use super::output::{Output, Status};
use super::picture::Destinations;
use super::setup::{Blame, Choice, Defaults, Names, Repairs, pose, prepare};
use cotangent::compile::values;
use cotangent::lab::certificate::{Certificate, CertificateError, Ended, Options};
use cotangent::problem::Instance;
use report::Report;

/// The most steps of the run for constraints and energy: hours, at a microsecond each.
const MOST_STEPS: u64 = 10_000_000_000;

/// Measures what a method keeps.
pub(crate) fn run(args: &args::Certify, out: &mut Output) -> Result<Status, Failure> {
    let pictures = Destinations::new(args.plot.as_deref(), args.report.as_deref(), None, Some(&args.model))?;
    let model = Loaded::new(Input::read(&args.model)?, &args.choose.set, out.limits())?;
    memory::afford(&model.system, Use::Integrate, memory::available())?;
    let parameters = values::parameters(&model.system, &model.settings)?;
    let defaults = Defaults::new(&model.system, &parameters)?;
    let step = args.choose.step.or(defaults.step).ok_or_else(|| {
        Failure::new(Code::MissingValue, format!("nothing says how large a step is for `{}`", model.system.name))
            .help("add --step 0.01, or write `run step = 0.01` in the model")
    })?;
    if step == 0.0 {
        return Err(Failure::new(Code::Schedule, "the step is 0").help("give another --step"));
    }
    if args.steps == 0 {
        let message = "--steps is 0: the run for constraints and energy has no step";
        return Err(Failure::new(Code::Schedule, message).help("give another --steps, or leave it out for 20000"));
    }
    if args.steps > MOST_STEPS {
        let years = args.steps as f64 * 1e-6 / 3.156e7;
        let message = format!(
            "--steps is {}: a certificate takes at most {MOST_STEPS} steps; at a microsecond each, these would take \
             {years:.1} years",
            args.steps
        );
        return Err(Failure::new(Code::TooLarge, message).help("give another --steps, or leave it out for 20000"));
    }
    let choice = Choice::named(&Names::new(&args.choose, &defaults, &model, out)?)?;
    let repairs = Repairs { project_initial: args.choose.project_initial, drop_redundant: args.choose.drop_redundant };
    let problem = pose(&model, choice.formulation, repairs, out)?;
    let prepared = prepare(&choice, &problem)?;
    let options = Options { step, steps: args.steps };
    let certificate = Certificate::within(&problem, &prepared, options, &model.limits).map_err(|e| match e {
        CertificateError::Interrupted(_) => Failure::interrupted(),
        CertificateError::Compile(_) | CertificateError::System(_) => Failure::new(Code::Compile, e.to_string()),
    })?;
    let stop = certificate.ended.as_ref().map(|ended| stopped(ended, &problem, options));
    let failure = stop.as_ref().map(Failure::message);
    let seen = &certificate.noticed;
    let singular_passages = noticed::passages(&seen.monitor, &seen.names);
    noticed::notes(&seen.monitor, &singular_passages).into_iter().for_each(|note| out.note(note));
    let mut report = Report::new(&certificate, &model.system, &problem, &prepared, options, failure, out.notes());
    report.singular_passages = singular_passages;
    let mut unwritten = vec![];
    if pictures.any() {
        match page::film(&report, &problem, &prepared, options) {
            Ok(film) => {
                let page = || page::page(&report, film.as_ref(), &problem, &prepared, &model.input).report();
                let written = pictures.write(film.as_ref(), page);
                (report.plot, report.report, unwritten) = (written.plot, written.report, written.failures);
            }
            Err(failure) => unwritten.push(failure),
        }
    }
    report.notes.extend(unwritten.iter().map(Failure::message));
    match out.wants_json() {
        true => out.document(&report)?,
        false => {
            out.print(&text::render(&report, out.coloured()));
            stop.iter().chain(&unwritten).for_each(|failure| out.tell(&failure.render(out.message_colour())));
        }
    }
    Ok(match (unwritten.is_empty(), stop.is_some(), certificate.held()) {
        (false, _, _) => Status::Error,
        (true, true, _) => Status::Stopped,
        (true, false, true) => Status::Held,
        (true, false, false) => Status::Failed,
    })
}

/// A run that did not reach its end.
fn stopped(ended: &Ended, problem: &Instance, options: Options) -> Failure {
    let message = match ended.failure() {
        Some(failure) => {
            let reason = Blame::new(&problem.equations.motion).of(failure).message;
            let (done, all) = (ended.steps, count(options.steps, "step", "steps"));
            format!("the run ended after {done} of {all} of {}: {reason}", number(options.step))
        }
        None => ended.to_string(),
    };
    let help = match ended.failure() {
        Some(cotangent::dynamics::Failure::Branched { .. }) => noticed::BRANCHED,
        Some(cotangent::dynamics::Failure::Jumped { .. }) => noticed::JUMPED,
        _ => "take a smaller --step",
    };
    Failure::new(Code::NoStep, message).help(help)
}
