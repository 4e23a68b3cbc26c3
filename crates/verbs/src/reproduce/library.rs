//! The papers that are known, with their experiments and models.

use super::data::{Claim, Expected, Experiment, Panel, Paper, Planned};
use crate::choice::Choice;
use crate::failure::{Code, Failure};
use crate::input::Input;
use crate::setting;
use cotangent_lab::measure::{Expression, FUNCTIONS, MeasureError};
use cotangent_model::nearest::{distance, nearest};
use serde::Deserialize;
use std::fmt::Display;
use std::ops::Range;
use toml::Spanned;

/// The texts of a paper: its description, its experiments and models of its own, by the names of their files.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    /// What to call the paper.
    pub key: String,
    /// What it is.
    pub paper: String,
    /// Its experiments, in order.
    pub experiments: Vec<(String, String)>,
    /// Models that are not shipped.
    pub models: Vec<(String, String)>,
}

/// The papers that are known.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// The papers.
    pub papers: Vec<Paper>,
    /// Their experiments.
    pub experiments: Vec<Experiment>,
    /// The models of their runs.
    models: Vec<(String, String, String)>,
}

impl Library {
    /// Reads papers and their experiments; `shipped` has names and texts of models that are not in their folders.
    pub fn new(folders: &[Folder], shipped: &[(&str, &str)]) -> Result<Library, Failure> {
        let mut library = Library::default();
        for folder in folders {
            let text = &folder.paper;
            let paper: Paper = toml::from_str(text).map_err(|e| unread(&folder.key, text, &e, None))?;
            if folder.experiments.is_empty() {
                return Err(
                    mistaken(&folder.key, "it has no experiments").help("each is a file that ends with `.toml`")
                );
            }
            let own = folder.models.iter().map(|(name, text)| (name.as_str(), text.as_str()));
            let models: Vec<(&str, &str)> = own.chain(shipped.iter().copied()).collect();
            library.papers.push(Paper { key: folder.key.clone(), ..paper });
            for (name, text) in &folder.experiments {
                let id = format!("{}/{name}", folder.key);
                let experiment = read(&id, text)?;
                for model in experiment.run.iter().map(|run| run.model.as_str()) {
                    let (_, source) = (models.iter().find(|(name, _)| *name == model))
                        .ok_or_else(|| mistaken(&id, no_such("model", model, models.iter().map(|(name, _)| *name))))?;
                    if library.model(&folder.key, model).is_none() {
                        library.models.push((folder.key.clone(), model.to_owned(), (*source).to_owned()));
                    }
                }
                library.experiments.push(experiment);
            }
        }
        Ok(library)
    }

    /// The paper of an experiment.
    pub fn paper(&self, experiment: &Experiment) -> Option<&Paper> {
        self.papers.iter().find(|paper| paper.key == experiment.paper())
    }

    /// The experiments that are asked for: by name, by paper, or `all`; in their own order.
    pub fn select(&self, wanted: &[String]) -> Result<Vec<&Experiment>, Failure> {
        let matches = |word: &str, e: &Experiment| word == "all" || word == e.id || word == e.paper();
        if let Some(word) = wanted.iter().find(|w| !self.experiments.iter().any(|e| matches(w, e))) {
            return Err(self.unknown(word));
        }
        Ok(self.experiments.iter().filter(|e| wanted.iter().any(|w| matches(w, e))).collect())
    }

    /// There is no such experiment; those there are, the nearest first.
    fn unknown(&self, word: &str) -> Failure {
        let papers = self.papers.iter().map(|p| p.key.as_str());
        let mut known: Vec<&str> = papers.chain(self.experiments.iter().map(|e| e.id.as_str())).collect();
        let folded = word.to_lowercase();
        known.sort_by_key(|name| far(&folded, name));
        known.push("all");
        Failure::new(Code::UnknownExperiment, format!("there is no paper and no experiment `{word}`"))
            .help(format!("there are, the nearest first: {}", known.join(", ")))
    }

    /// The model of a run of a paper.
    pub(super) fn model(&self, paper: &str, name: &str) -> Option<Input> {
        let (_, _, source) = self.models.iter().find(|(p, n, _)| (p.as_str(), n.as_str()) == (paper, name))?;
        let name = name.to_owned();
        Some(Input { name: format!("{name}.cot"), stem: Some(name), source: source.clone(), command: String::new() })
    }
}

/// How far a word is from a name, with or without its paper: the beginning of a name, or a figure among those of a
/// name, is nearer than any other word.
fn far(word: &str, name: &str) -> (bool, usize) {
    let own = name.split('/').next_back().unwrap_or(name);
    let means = |name: &str| name.starts_with(word) || is_among(word, name);
    (![name, own].into_iter().any(means), distance(word, name).min(distance(word, own)))
}

/// Whether a name with a number, `fig-9`, is among those of a name with two, `fig-8-11`.
fn is_among(word: &str, name: &str) -> bool {
    let numbered =
        |text: &str| text.rsplit_once('-').and_then(|(rest, n)| Some((rest.to_owned(), n.parse::<u64>().ok()?)));
    let Some((kind, number)) = numbered(word) else { return false };
    let Some((start, last)) = numbered(name) else { return false };
    numbered(&start).is_some_and(|(start, first)| start == kind && (first..=last).contains(&number))
}

impl Experiment {
    /// The paper it is of.
    pub fn paper(&self) -> &str {
        self.id.split('/').next().unwrap_or_default()
    }

    /// Its name without the paper.
    pub(super) fn name(&self) -> &str {
        self.id.split_once('/').map_or(self.id.as_str(), |(_, name)| name)
    }
}

impl Planned {
    /// What is integrated, and how.
    pub(super) fn choice(&self) -> Result<Choice, String> {
        if self.until.is_some() && self.steps.is_some() {
            return Err("it has both `until` and `steps`, and ends at one of them".to_owned());
        }
        let p = self.clone();
        Ok(Choice {
            formulation: p.formulation,
            lapse: p.lapse,
            opt: p.opt.into_iter().collect(),
            method: p.method,
            stages: p.stages,
            stage_solver: None,
            inner: p.inner,
            tol: p.tol,
            compose: p.compose,
            project: p.project,
            project_above: p.project_above,
            chart: p.chart,
            project_initial: p.project_initial,
            allow_almost_poisson: p.allow_almost_poisson,
            step: p.step,
            until: p.until,
            steps: p.steps,
            solver_tol: p.solver_tol,
            record: Some(p.record.unwrap_or(1)),
            set: p.set.iter().map(|text| setting::parse(text)).collect::<Result<_, _>>()?,
            ..Choice::default()
        })
    }
}

/// An experiment as its file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    title: String,
    about: String,
    /// What is put into each run that does not say otherwise.
    #[serde(default)]
    common: toml::Table,
    run: Vec<Spanned<toml::Table>>,
    #[serde(default)]
    claim: Vec<Claim>,
    #[serde(default)]
    panel: Vec<Panel>,
}

/// The text of a paper or an experiment has a mistake.
fn mistaken(id: &str, what: impl Display) -> Failure {
    let kind = if id.contains('/') { "experiment" } else { "paper" };
    Failure::new(Code::Experiment, format!("the {kind} `{id}`: {what}"))
}

/// It is no TOML, or has not the fields that it should; `place` is where that was found, if the error does not know.
fn unread(id: &str, text: &str, error: &toml::de::Error, place: Option<Range<usize>>) -> Failure {
    let message = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
    let start = error.span().or(place).map_or(0, |span| span.start);
    let line = text.bytes().take(start).filter(|b| *b == b'\n').count() + 1;
    mistaken(id, format!("line {line}: {message}"))
}

/// A name of something that is not there, with the nearest one that is.
fn no_such<'a>(what: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let near = nearest(name, known).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    format!("there is no {what} `{name}`{near}")
}

/// Reads an experiment and finds its mistakes.
fn read(id: &str, text: &str) -> Result<Experiment, Failure> {
    let written: Written = toml::from_str(text).map_err(|e| unread(id, text, &e, None))?;
    let planned = |run: Spanned<toml::Table>| {
        let (place, mut run) = (run.span(), run.into_inner());
        for (key, value) in &written.common {
            run.entry(key.clone()).or_insert_with(|| value.clone());
        }
        let run: Planned = run.try_into().map_err(|e| unread(id, text, &e, Some(place)))?;
        run.choice().map_err(|e| mistaken(id, format!("the run `{}`: {e}", run.name)))?;
        Ok(run)
    };
    let run = written.run.into_iter().map(planned).collect::<Result<Vec<Planned>, Failure>>()?;
    for claim in &written.claim {
        let check = |expected: &Expected| {
            expected.mistake().map_or(Ok(()), |m| Err(mistaken(id, format!("`{}`: {m}", claim.claim))))
        };
        check(&claim.reference)?;
        claim.paper.as_ref().map_or(Ok(()), check)?;
    }
    let curves = written.panel.iter().flat_map(|p| &p.curve).flat_map(|c| [&c.x, &c.y]);
    for text in written.claim.iter().map(|c| &c.measure).chain(curves) {
        let expression = Expression::parse(text).map_err(|e| match e {
            MeasureError::UnknownFunction { name } => {
                mistaken(id, format!("`{text}`: {}", no_such("measurement", &name, FUNCTIONS.iter().map(|f| f.name))))
            }
            e => mistaken(id, e),
        })?;
        if let Some(other) = expression.runs().into_iter().find(|name| !run.iter().any(|r| r.name == *name)) {
            let known = run.iter().map(|r| r.name.as_str());
            return Err(mistaken(id, format!("`{text}`: {}", no_such("run", other, known))));
        }
    }
    let Written { title, about, claim, panel, .. } = written;
    Ok(Experiment { id: id.to_owned(), title, about, run, claim, panel })
}
