//! The history of a run with the names of its numbers.

use super::band::Band;
use super::scene::Scene;
use crate::figures::{number, rounded};
use cotangent_compile::{CompileError, Engine};
use cotangent_expr::Layout;
use cotangent_lab::Run;
use cotangent_model::Dynamics;
use cotangent_observe::{HISTORY_ERRORS, History};
use cotangent_problem::{Instance, Picture};
use serde::{Deserialize, Serialize};

/// What a run was like.
pub(crate) struct Film {
    /// What the pictures are of: model, method, step, end.
    pub(crate) title: String,
    /// Whether it begins where the motion does.
    pub(crate) is_whole: bool,
    /// What there is to say about all of it.
    pub(crate) remarks: Vec<String>,
    pub(crate) times: Vec<f64>,
    /// Steps from one sample to the next.
    pub(crate) stride: u64,
    /// Between two samples the largest, with its sign.
    pub(crate) energy_error: Vec<f64>,
    /// The largest residuals of the constraints and of the hidden ones; none without constraints.
    pub(crate) residuals: Option<[Vec<f64>; 2]>,
    /// Observables, or without any the coordinates or variables.
    pub(crate) quantities: Quantities,
    /// The times of the portrait and the scene: from the start as long as curves through so many
    /// samples are those of the motion.
    pub(crate) dense: Vec<f64>,
    /// Whether they end before the run does.
    pub(crate) is_cut: bool,
    /// Two quantities against each other.
    pub(crate) portrait: Option<[Named; 2]>,
    /// What the model draws.
    pub(crate) scene: Option<Scene>,
}

/// Quantities over time.
pub(crate) struct Quantities {
    /// What they are.
    pub(crate) kind: &'static str,
    /// Some of them.
    pub(crate) shown: Vec<Named>,
    /// How many there are.
    pub(crate) total: usize,
}

/// Values with a name.
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) values: Vec<f64>,
    /// Where the values do not show what lies between them.
    pub(crate) band: Option<Band>,
}

impl Named {
    /// The least and the greatest at each sample.
    pub(crate) fn ends(&self) -> (&[f64], &[f64]) {
        self.band.as_ref().map_or((&self.values, &self.values), |b| (&b.low, &b.high))
    }
}

/// More series in one picture cannot be told apart.
const MOST: usize = 6;

/// Samples of a history for pictures.
const SAMPLES: usize = 4000;

/// Numbers that a history may hold: 128 MB.
const ROOM: usize = 1 << 24;

/// What is kept of a motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Watch {
    /// Nothing.
    Nothing,
    /// Some samples, for lines of text.
    Lines,
    /// Samples with the numbers of what the model draws, for figures and pages.
    #[default]
    Drawn,
}

/// Makes a run keep a history, with fewer samples if each is large; with the numbers of a picture if the model draws
/// one. False if nothing is kept.
pub(crate) fn watch(run: &mut Run, problem: &Instance, watch: Watch) -> Result<bool, CompileError> {
    let (samples, drawn) = match watch {
        Watch::Nothing => return Ok(false),
        Watch::Lines => (SAMPLES / 4, false),
        Watch::Drawn => (SAMPLES, true),
    };
    if drawn {
        run.diagnostics().picture = Picture::new(&problem.equations.motion, &problem.parameters, Engine::Best)?;
    }
    let len = run.watched();
    let shown = Shown::new(run, problem);
    let ranged: Vec<usize> = (shown.offset..shown.offset + shown.total.min(MOST)).collect();
    let numbers = (len + 1) * if drawn { 2 } else { 1 } + HISTORY_ERRORS.len() + 2 * ranged.len();
    let room = ROOM / numbers;
    if room < LEAST && !drawn {
        return Ok(false);
    }
    let mut curves = vec![];
    if drawn {
        curves.extend(shown.portrait.iter().flatten().map(|&k| vec![k]));
        let picture = run.quantities().picture.as_ref();
        let first = len - picture.map_or(0, Picture::len);
        curves.extend(picture.iter().map(|p| p.coordinates().map(|k| first + k).collect()));
    }
    let history = History::new(samples.min(room.max(LEAST)), HISTORY_ERRORS.len(), len);
    run.watch(history.ranging(ranged).following(curves));
    Ok(true)
}

/// Fewer samples make no picture.
const LEAST: usize = 16;

/// Which values of a history are shown.
struct Shown {
    kind: &'static str,
    layout: Layout,
    /// Where the values of the layout begin.
    offset: usize,
    total: usize,
    portrait: Option<[usize; 2]>,
}

impl Shown {
    fn new(run: &mut Run, problem: &Instance) -> Shown {
        let observables = run.diagnostics().observables.clone();
        let motion = &problem.equations.motion;
        let n = motion.state.len();
        let variables = motion.system.dynamics.variables().len().min(n);
        let (kind, layout, offset, total) = match (observables.len(), &motion.system.dynamics) {
            (0, Dynamics::Poisson { .. } | Dynamics::Form { .. }) => ("variables", motion.state.clone(), 0, n),
            (0, _) => ("coordinates", motion.state.clone(), 0, variables),
            (k, _) => ("observables", observables, n, k),
        };
        let second = if motion.system.dynamics.momenta().is_some() { variables } else { 1 };
        let portrait = (n > second && n > 0).then_some([0, second]);
        Shown { kind, layout, offset, total, portrait }
    }
}

impl Film {
    /// What a run has kept of itself; `None` if it was not watched. `from` is the step at which it
    /// was resumed.
    pub(crate) fn new(run: &mut Run, problem: &Instance, title: String, from: u64) -> Option<Film> {
        let shown = Shown::new(run, problem);
        let constrained = !run.diagnostics().constraints.is_empty();
        let (history, picture) = (run.history()?, run.quantities().picture.as_ref());
        let width = run.watched() - picture.map_or(0, Picture::len);
        let state = &problem.equations.motion.state;
        let quantity = |k: usize| {
            let values = history.value(shown.offset + k);
            let band = (history.stride() > 1).then(|| Band::new(&values, &history.range(shown.offset + k))).flatten();
            Named { name: shown.layout.entry_name(k), values, band }
        };
        let quantities = Quantities {
            kind: shown.kind,
            total: shown.total,
            shown: (0..shown.total.min(MOST)).map(quantity).collect(),
        };
        let dense = history.dense();
        let axis = |k: usize| Named { name: state.entry_name(k), values: dense.value(k), band: None };
        let numbers = |sample: usize| dense.values(sample).get(width..).unwrap_or_default();
        let scene = picture.filter(|p| !p.is_empty()).map(|p| Scene::new(p, dense.times().len(), numbers));
        let mut remarks = vec![];
        if from > 0 {
            remarks.push(format!("resumed after {from} steps; what came before is not shown"));
        }
        if let Some(scene) = &scene {
            remarks.extend(scene.remarks.iter().cloned());
        }
        Some(Film {
            title,
            is_whole: from == 0,
            remarks,
            stride: history.stride(),
            energy_error: history.error(0),
            residuals: constrained.then(|| [history.error(1), history.error(2)]),
            quantities,
            dense: dense.times().to_vec(),
            is_cut: history.is_cut(),
            portrait: shown.portrait.map(|axes| axes.map(axis)),
            scene,
            times: history.times().to_vec(),
        })
    }
}

impl Film {
    /// Whether several steps lie between two samples.
    pub(crate) fn is_thinned(&self) -> bool {
        self.stride > 1
    }

    /// Until when the portrait and the scene are shown, if not to the end.
    pub(crate) fn until(&self) -> Option<f64> {
        self.dense.last().copied().filter(|_| self.is_cut)
    }
}

/// Whether a series turns so often that a line through its samples would show a motion that is not
/// there.
pub(crate) fn is_coarse(values: &[f64]) -> bool {
    let turns = values.windows(3).filter(|w| (w[1] - w[0]) * (w[2] - w[1]) < 0.0).count();
    values.len() > 20 && turns * 10 > values.len() * 3
}

/// The same for a curve in a plane or in space: its steps are long compared with its extent.
pub(crate) fn is_coarse_curve(points: &[[f64; 3]]) -> bool {
    let finite: Vec<&[f64; 3]> = points.iter().filter(|p| p.iter().all(|c| c.is_finite())).collect();
    let size = (0..3).map(|c| {
        let (low, high) =
            finite.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p| (l.min(p[c]), h.max(p[c])));
        if high > low { high - low } else { 0.0 }
    });
    let extent = size.map(|s| s * s).sum::<f64>().sqrt();
    let length = |w: &[&[f64; 3]]| (0..3).map(|c| (w[1][c] - w[0][c]).powi(2)).sum::<f64>().sqrt();
    let mut lengths: Vec<f64> = finite.windows(2).map(length).collect();
    lengths.sort_by(f64::total_cmp);
    lengths.len() > 20 && lengths[lengths.len() / 2] > 0.15 * extent
}

/// Extents that differ by more than this are not drawn to scale.
const SLENDER: f64 = 6.0;

/// Whether two axes with one unit would leave most of a picture empty.
pub(super) fn is_slender(x: &[f64], y: &[f64]) -> bool {
    let size = |values: &[f64]| {
        let finite = values.iter().filter(|x| x.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
        high - low
    };
    let ratio = size(x) / size(y);
    ratio.is_finite() && !(1.0 / SLENDER..=SLENDER).contains(&ratio)
}

/// A time with four digits.
pub(super) fn moment(time: f64) -> String {
    number(rounded(time, 4))
}
