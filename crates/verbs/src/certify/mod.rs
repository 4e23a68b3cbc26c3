//! `certify`: what a method keeps on a model, against what it claims.

mod page;
mod report;
mod text;

pub use report::{Document, Measured, Verdict};

use crate::choice::{Choice, Files};
use crate::failure::{Code, Failure};
use crate::figures::{count, number};
use crate::input::Source;
use crate::loaded::Loaded;
use crate::memory::{Use, afford};
use crate::noticed;
use crate::picture::{Background, Destinations};
use crate::reason::Reason;
use crate::session::{Session, Status};
use crate::setup::{Blame, Selection, completed, defaults, examined, pose, prepare};
use crate::stop::Stop;
use cotangent_compile::values;
use cotangent_dynamics::{Advance, State};
use cotangent_integrate::Prepared;
use cotangent_lab::certificate::{Certificate, CertificateError, Ended, Options, Stopped};
use cotangent_plot::Figure;
use cotangent_problem::Instance;
use cotangent_report::Report;
use serde::{Deserialize, Serialize};

/// The most steps of the run for constraints and energy: hours, at a microsecond each.
const MOST_STEPS: u64 = 10_000_000_000;

/// The steps of the run for constraints and energy, unless said otherwise.
pub const STEPS: u64 = 20_000;

/// A certificate, and what is written of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// What is measured; `steps` is the length of the run for constraints and energy.
    pub choice: Choice,
    /// The files to write.
    pub files: Files,
}

/// Measures what a method keeps on a model, and compares with what it claims; [`STEPS`] steps unless chosen otherwise.
pub fn certify(model: impl Into<Source>, choice: &Choice) -> Result<Document, Failure> {
    let request = Request { choice: choice.clone(), ..Request::default() };
    request.answer(model.into(), &mut Session::default())
}

impl Request {
    /// Measures what a method keeps.
    pub fn answer(&self, model: Source, session: &mut Session<'_>) -> Result<Document, Failure> {
        let (plot, report) = (self.files.plot.as_deref(), self.files.report.as_deref());
        let pictures = Destinations::new(plot, report, None, Some(model.name()))?;
        let model = Loaded::with_lapse(model, &self.choice.set, self.choice.lapse.as_deref(), session.limits())?
            .keeping(&self.choice.chart);
        afford(&model.system, Use::Integrate, session.memory())?;
        let parameters = values::parameters(&model.system, &model.settings)?;
        let own = defaults(&model.system, &parameters)?;
        let step = self.choice.step.or(own.step).ok_or_else(|| {
            Failure::new(Code::MissingValue, format!("nothing says how large a step is for `{}`", model.system.name))
                .help("add --step 0.01, or write `run step = 0.01` in the model")
        })?;
        if step == 0.0 {
            return Err(Failure::new(Code::Schedule, "the step is 0").help("give another --step"));
        }
        let options = Options { step, steps: length(self.choice.steps.unwrap_or(STEPS))? };
        session.review(&model.input, &model.system.warnings);
        let choice = completed(&self.choice, &own, &model, session)?;
        let choice = Choice { step: Some(step), steps: Some(options.steps), ..choice };
        let almost_poisson = examined(&model, choice.allow_almost_poisson, session)?;
        let selection = Selection::named(&choice)?;
        let problem = pose(&model, selection.formulation, choice.repairs(), session)?;
        let prepared = prepare(&selection, &problem)?;
        let mut certificate =
            Certificate::within(&problem, &prepared, options, &model.limits).map_err(|e| match e {
                CertificateError::Interrupted(_) => Failure::interrupted(),
                CertificateError::Compile(_) | CertificateError::System(_) => {
                    Failure::new(Code::Compile, e.to_string())
                }
            })?;
        if rests(&problem, &prepared, step) {
            session.warn(
                "the start is an equilibrium: nothing moves, and what is measured is standing still; give the motion another \
                 start (--set)",
            );
        }
        if almost_poisson.is_some() {
            certificate.without_bracket();
        }
        for note in noticed::no_casimirs(&certificate.no_casimirs, &problem) {
            session.note(format!("{note}; it is left out here"));
        }
        let stop = certificate.ended.as_ref().map(|ended| stopped(ended, &problem, options));
        let seen = &certificate.noticed;
        let singular_passages = noticed::passages(&seen.monitor, &seen.names);
        noticed::notes(&seen.monitor, &singular_passages).into_iter().for_each(|note| session.note(note));
        let mut document = Document::new(&certificate, &model.system, &problem, choice, options, stop, session.notes());
        document.singular_passages = singular_passages;
        document.almost_poisson = almost_poisson;
        document.warnings = session.warnings().to_vec();
        document.background = Background {
            input: model.input.clone(),
            equations: Some(problem.equations.clone()),
            system: Some(model.system.clone().into()),
            ..Background::default()
        };
        if pictures.any() {
            // A run that nobody waits for to its end takes nothing back of what was measured.
            session.keep();
            match page::film(&document, &problem, &prepared, options, &model.limits) {
                Ok(film) => {
                    document.background.film = film.map(Into::into);
                    let written = pictures.write(|| document.figure(), || document.page());
                    (document.plot, document.report) = (written.plot, written.report);
                    document.unwritten = written.failures;
                }
                Err(reason) => document.unwritten.push(reason),
            }
        }
        document.notes.extend(document.unwritten.iter().map(Reason::to_string));
        Ok(document)
    }
}

/// Whether steps lead nowhere.
fn rests(problem: &Instance, prepared: &Prepared, step: f64) -> bool {
    let Ok(mut integrator) = problem.integrator(prepared) else { return false };
    let mut state = integrator.state(problem.start.clone());
    let size = problem.start.iter().fold(0.0f64, |m, z| m.max(z.abs()));
    let stays =
        |state: &State<f64>| state.values.iter().zip(&problem.start).all(|(a, b)| (a - b).abs() <= STILL * size);
    integrator.advance(&mut state, step, STEPS_LOOKED_AT).is_ok() && stays(&state)
}

/// What changes by less in some steps, relative to the state, is round-off.
const STILL: f64 = 1e-14;
const STEPS_LOOKED_AT: u64 = 4;

/// The length of the run for constraints and energy.
fn length(steps: u64) -> Result<u64, Failure> {
    if steps == 0 {
        let message = "--steps is 0: the run for constraints and energy has no step";
        return Err(Failure::new(Code::Schedule, message).help("give another --steps, or leave it out for 20000"));
    }
    if steps > MOST_STEPS {
        let years = steps as f64 * 1e-6 / 3.156e7;
        let message = format!(
            "--steps is {steps}: a certificate takes at most {MOST_STEPS} steps; at a microsecond each, these would take \
             {years:.1} years"
        );
        return Err(Failure::new(Code::TooLarge, message).help("give another --steps, or leave it out for 20000"));
    }
    Ok(steps)
}

impl Document {
    /// Whether everything claimed holds.
    pub fn status(&self) -> Status {
        let interrupted = self.unwritten.iter().any(|reason| reason.code == Code::Interrupted);
        match (self.unwritten.is_empty(), &self.failure, self.held) {
            _ if interrupted => Status::Stopped,
            (_, Some(_), _) => Status::Stopped,
            (false, ..) => Status::Unwritten,
            (true, None, Some(false)) => Status::NotHeld,
            (true, None, _) => Status::Held,
        }
    }

    /// Why the run for constraints and energy ended early, and which files could not be written.
    pub fn failures(&self) -> impl Iterator<Item = Failure> {
        self.failure.iter().map(Failure::from).chain(self.unwritten.iter().map(Failure::from))
    }

    /// As people read it.
    pub fn text(&self, coloured: bool) -> String {
        text::render(self, coloured)
    }

    /// Convergence, and the run that measured constraints and energy, as a figure, if a file for one was asked for.
    pub fn figure(&self) -> Option<Figure> {
        let mut figure = self.background.figure()?;
        figure.panels.splice(0..0, page::convergence(self));
        Some(figure)
    }

    /// A report: a page with the certificate and formulas.
    pub fn page(&self) -> Report {
        page::page(self).report()
    }
}

/// A run that did not reach its end.
fn stopped(ended: &Ended, problem: &Instance, options: Options) -> Stop {
    let (done, time) = (ended.steps, ended.steps as f64 * options.step);
    match &ended.cause {
        Stopped::Step(failure) => {
            let blamed = Blame::new(&problem.equations.motion).of(failure);
            let (all, step) = (count(options.steps, "step", "steps"), number(options.step));
            let message = format!("the run ended after {done} of {all} of {step}: {}", blamed.message);
            Stop { message, ..Stop::because(blamed, time, done) }
        }
        Stopped::Unmeasured(source) => Stop::undefined(source.into(), ended.to_string(), time, done),
    }
}
