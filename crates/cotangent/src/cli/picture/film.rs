//! The history of a run with the names of its numbers.

use super::scene::Scene;
use cotangent::compile::{CompileError, Engine, Picture, Problem};
use cotangent::observe::Run;
use cotangent::{Dynamics, Layout};

/// What a run was like.
pub(crate) struct Film {
    /// What the pictures are of: model, method, step, end.
    pub(crate) title: String,
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
}

/// More series in one picture cannot be told apart.
const MOST: usize = 6;

/// Numbers that a history may hold: 128 MB.
const ROOM: usize = 1 << 24;

/// Makes a run keep a history of at most so many samples, fewer if each is large; with the numbers
/// of a picture if the model draws one. False if there is no room for any.
pub(crate) fn watch(run: &mut Run, problem: &Problem, samples: usize, drawn: bool) -> Result<bool, CompileError> {
    let picture = match drawn {
        true => Picture::new(&problem.motion, &problem.parameters, Engine::Best)?,
        false => None,
    };
    let observables = run.diagnostics().observables.len();
    let numbers = run.state().values.len() + observables + picture.as_ref().map_or(0, Picture::len) + 4;
    let room = ROOM / numbers;
    if room < LEAST && !drawn {
        return Ok(false);
    }
    run.watch(samples.min(room.max(LEAST)), picture);
    Ok(true)
}

/// Fewer samples make no picture.
const LEAST: usize = 16;

impl Film {
    /// What a run has kept of itself; `None` if it was not watched. `from` is the step at which it
    /// was resumed.
    pub(crate) fn new(run: &mut Run, problem: &Problem, title: String, from: u64) -> Option<Film> {
        let observables = run.diagnostics().observables.clone();
        let constrained = !run.diagnostics().constraints.is_empty();
        let done = run.done();
        let (history, picture) = run.history()?;
        let motion = &problem.motion;
        let state = &motion.state;
        let n = state.len();
        let named = |layout: &Layout, k: usize, offset: usize| Named {
            name: layout.entry_name(k),
            values: history.value(offset + k),
        };
        let variables = motion.system.dynamics.variables().len().min(n);
        let (kind, layout, offset, total) = match (observables.len(), &motion.system.dynamics) {
            (0, Dynamics::Poisson { .. } | Dynamics::Form { .. }) => ("variables", state, 0, n),
            (0, _) => ("coordinates", state, 0, variables),
            (k, _) => ("observables", &observables, n, k),
        };
        let quantities =
            Quantities { kind, total, shown: (0..total.min(MOST)).map(|k| named(layout, k, offset)).collect() };
        let second = if motion.system.dynamics.momenta().is_some() { variables } else { 1 };
        let portrait = (n > second && n > 0).then(|| [named(state, 0, 0), named(state, second, 0)]);
        let numbers = |sample: usize| history.values(sample).get(n + observables.len()..).unwrap_or_default();
        let times = history.times().to_vec();
        let scene = picture.filter(|p| !p.is_empty()).map(|p| Scene::new(p, times.len(), numbers));
        let mut remarks = vec![];
        if from > 0 {
            remarks.push(format!("resumed after {from} steps; what came before is not shown"));
        }
        if let Some(scene) = &scene {
            remarks.extend(scene.remarks.iter().cloned());
        }
        Some(Film {
            title,
            remarks,
            stride: done.saturating_sub(from).div_ceil((times.len() as u64).saturating_sub(1).max(1)).max(1),
            energy_error: history.error(0),
            residuals: constrained.then(|| [history.error(1), history.error(2)]),
            quantities,
            portrait,
            scene,
            times,
        })
    }
}

impl Film {
    /// Whether several steps lie between two samples.
    pub(crate) fn is_thinned(&self) -> bool {
        self.stride > 1
    }

    /// Whether the motion may go to and fro between two samples, so that a line through them would
    /// show another motion: samples of a fast oscillation can look like a slow one.
    pub(crate) fn is_loose(&self) -> bool {
        self.stride > LOOSE
    }
}

/// Steps are a small part of a period; so many need not be.
const LOOSE: u64 = 32;

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
