//! The papers that are known, with their experiments and models.

use super::data::{Expected, Experiment, Paper, Planned};
use crate::choice::Choice;
use crate::failure::{Code, Failure};
use crate::input::Input;
use crate::setting;
use cotangent_lab::measure::Expression;
use cotangent_model::nearest::distance;

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
    /// Reads papers and their experiments; `shipped` has the texts of models that are not in their folders.
    pub fn new(folders: &[Folder], shipped: impl Fn(&str) -> Option<&'static str>) -> Result<Library, Failure> {
        let mut library = Library::default();
        for folder in folders {
            let paper: Paper = toml::from_str(&folder.paper).map_err(|e| mistaken(&folder.key, &e.to_string()))?;
            library.papers.push(Paper { key: folder.key.clone(), ..paper });
            for (name, text) in &folder.experiments {
                let id = format!("{}/{name}", folder.key);
                let experiment = read(&id, text)?;
                for model in experiment.run.iter().map(|run| run.model.as_str()) {
                    let own = folder.models.iter().find(|(name, _)| name == model).map(|(_, text)| text.as_str());
                    let source = own.or_else(|| shipped(model));
                    let source = source.ok_or_else(|| mistaken(&id, &format!("there is no model `{model}`")))?;
                    let key = (folder.key.clone(), model.to_owned());
                    if !library.models.iter().any(|(paper, name, _)| (paper, name) == (&key.0, &key.1)) {
                        library.models.push((key.0, key.1, source.to_owned()));
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
        let far = |name: &str| {
            let own = name.split('/').next_back().unwrap_or(name);
            distance(&word.to_lowercase(), name).min(distance(&word.to_lowercase(), own))
        };
        known.sort_by_key(|name| far(name));
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

/// The text of an experiment has a mistake.
fn mistaken(id: &str, what: &str) -> Failure {
    Failure::new(Code::Experiment, format!("the experiment `{id}`: {what}"))
}

/// Reads an experiment and finds its mistakes.
fn read(id: &str, text: &str) -> Result<Experiment, Failure> {
    let refused = |what: &dyn std::fmt::Display| mistaken(id, &what.to_string());
    let mut table: toml::Table = toml::from_str(text).map_err(|e| refused(&e))?;
    // What is common to all runs is put into each that does not say otherwise.
    if let Some(toml::Value::Table(common)) = table.remove("common") {
        let runs = table.get_mut("run").and_then(toml::Value::as_array_mut).into_iter().flatten();
        for run in runs.filter_map(toml::Value::as_table_mut) {
            for (key, value) in &common {
                run.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
    }
    let mut experiment: Experiment = table.try_into().map_err(|e| refused(&e))?;
    id.clone_into(&mut experiment.id);
    for run in &experiment.run {
        run.choice().map_err(|e| refused(&e))?;
    }
    for claim in &experiment.claim {
        let check = |expected: &Expected| {
            expected.mistake().map_or(Ok(()), |m| Err(refused(&format!("`{}`: {m}", claim.claim))))
        };
        check(&claim.reference)?;
        claim.paper.as_ref().map_or(Ok(()), check)?;
    }
    let curves = experiment.panel.iter().flat_map(|p| &p.curve).flat_map(|c| [&c.x, &c.y]);
    for text in experiment.claim.iter().map(|c| &c.measure).chain(curves) {
        let expression = Expression::parse(text).map_err(|e| refused(&e))?;
        if let Some(run) = expression.runs().into_iter().find(|run| !experiment.run.iter().any(|r| r.name == *run)) {
            return Err(refused(&format!("`{text}`: there is no run `{run}`")));
        }
    }
    Ok(experiment)
}
