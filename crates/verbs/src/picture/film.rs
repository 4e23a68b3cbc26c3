//! The history of a run with the names of its numbers.

use super::band::Band;
use super::scene::Scene;
use crate::failure::{Code, Failure};
use crate::figures::{number, rounded};
use cotangent_compile::{CompileError, Engine};
use cotangent_expr::{Array, Layout, Tensor};
use cotangent_lab::Run;
use cotangent_model::Dynamics;
use cotangent_model::nearest::nearest;
use cotangent_observe::{HISTORY_ERRORS, History};
use cotangent_problem::{Instance, Picture};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::ops::Range;

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
    /// The largest residuals of the constraints, and of hidden ones, by name; none without constraints.
    pub(crate) residuals: Vec<(&'static str, Vec<f64>)>,
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

/// More series are not shown even if they are asked for.
const MOST_CHOSEN: usize = 24;

/// Series whose largest values differ by more than this are no neighbours: the smaller would look like zero.
const APART: f64 = 30.0;

impl Quantities {
    /// Those that are shown, by their numbers, in groups of about one size.
    pub(crate) fn groups(&self) -> Vec<Vec<usize>> {
        let size = |k: usize| {
            let (low, high) = self.shown[k].ends();
            low.iter().chain(high).filter(|x| x.is_finite()).fold(0.0, |m: f64, x| m.max(x.abs()))
        };
        let mut groups: Vec<(f64, f64, Vec<usize>)> = vec![];
        for k in 0..self.shown.len() {
            let own = size(k);
            let fits = |(low, high, _): &&mut (f64, f64, Vec<usize>)| {
                own == 0.0 || *high == 0.0 || (own <= APART * *low && *high <= APART * own)
            };
            match groups.iter_mut().find(fits) {
                Some((low, high, group)) => {
                    // What is zero all the time has no size.
                    (*low, *high) = match own {
                        0.0 => (*low, *high),
                        own if *high == 0.0 => (own, own),
                        own => (low.min(own), high.max(own)),
                    };
                    group.push(k);
                }
                None => groups.push((own, own, vec![k])),
            }
        }
        groups.into_iter().map(|(_, _, group)| group).collect()
    }
}

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
pub(crate) fn watch(run: &mut Run, problem: &Instance, watch: Watch, wanted: &[String]) -> Result<bool, CompileError> {
    let (samples, drawn) = match watch {
        Watch::Nothing => return Ok(false),
        Watch::Lines => (SAMPLES / 4, false),
        Watch::Drawn => (SAMPLES, true),
    };
    if drawn {
        run.diagnostics().picture = Picture::new(&problem.equations.motion, &problem.parameters, Engine::Best)?;
    }
    let len = run.watched();
    let shown = Shown::new(run, problem, wanted);
    let ranged: Vec<usize> = shown.entries.iter().map(|(_, place)| *place).collect();
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
    /// Names, and places in the history.
    entries: Vec<(String, usize)>,
    total: usize,
    portrait: Option<[usize; 2]>,
}

impl Shown {
    fn new(run: &mut Run, problem: &Instance, wanted: &[String]) -> Shown {
        let observables = run.diagnostics().observables.clone();
        let motion = &problem.equations.motion;
        // A history has the variables of the model, whatever those of the equations are.
        let state = motion.system.state();
        let n = state.len();
        let variables = motion.system.dynamics.variables().len().min(n);
        let portrait = portrait(problem, variables, n);
        if !wanted.is_empty() {
            let known = known(run, problem);
            let found: Vec<(String, usize)> = wanted.iter().flat_map(|name| named(&known, name)).collect();
            let total = found.len();
            return Shown {
                kind: "quantities",
                entries: found.into_iter().take(MOST_CHOSEN).collect(),
                total,
                portrait,
            };
        }
        // A lapse is shown beside what would be shown without it.
        let lapse = motion.lapse.as_ref().map_or(0, |lapse| lapse.observables);
        let of_model = observables.len() - lapse;
        let lapse = (lapse > 0).then(|| (observables.entry_name(of_model), n + of_model));
        let (kind, layout, offset, total) = match (of_model, &motion.system.dynamics) {
            (0, Dynamics::Poisson { .. } | Dynamics::Form { .. }) => ("variables", state, 0, n),
            (0, _) => ("coordinates", state, 0, variables),
            (k, _) => ("observables", observables, n, k),
        };
        let entries = (0..total.min(MOST)).map(|k| (layout.entry_name(k), offset + k));
        Shown { kind, entries: entries.chain(lapse).collect(), total, portrait }
    }
}

/// All that a history has a value of, by family and member: the variables of the model and its observables.
fn known(run: &mut Run, problem: &Instance) -> Vec<(String, String, usize)> {
    let layouts = [problem.equations.motion.system.state(), run.diagnostics().observables.clone()];
    let arrays = layouts.iter().flat_map(Layout::arrays);
    let members = arrays.flat_map(|array| {
        let name = |k: usize| match array.dims() {
            [] => array.name().to_owned(),
            _ => array.element_name(&array.multi_index(k)),
        };
        (0..array.len()).map(move |k| (array.name().to_owned(), name(k)))
    });
    members.enumerate().map(|(place, (family, member))| (family, member, place)).collect()
}

/// A member, or all members of a family.
fn named(known: &[(String, String, usize)], name: &str) -> Vec<(String, usize)> {
    let is_meant = |(family, member, _): &&(String, String, usize)| *family == name || *member == name;
    known.iter().filter(is_meant).map(|(_, member, place)| (member.clone(), *place)).collect()
}

/// Refuses names of quantities that a run has no value of.
pub(crate) fn check_quantities(run: &mut Run, problem: &Instance, wanted: &[String]) -> Result<(), Failure> {
    if wanted.is_empty() {
        return Ok(());
    }
    let known = known(run, problem);
    let Some(name) = wanted.iter().find(|name| named(&known, name).is_empty()) else { return Ok(()) };
    let candidates = known.iter().flat_map(|(family, member, _)| [family.as_str(), member.as_str()]);
    let failure = Failure::new(Code::UnknownName, format!("--quantities: the model has no `{name}`"));
    Err(match nearest(name, candidates) {
        Some(near) => failure.help(format!("did you mean `{near}`?")),
        None => failure.help("name variables of the model or what it observes, such as x or x[3]"),
    })
}

/// A coordinate and its momentum, or the first two variables. The first pair whose momentum is not conserved because
/// nothing depends on the coordinate.
fn portrait(problem: &Instance, variables: usize, n: usize) -> Option<[usize; 2]> {
    let motion = &problem.equations.motion;
    if motion.system.dynamics.momenta().is_none() {
        return (n > 1).then_some([0, 1]);
    }
    let coordinates = motion.system.dynamics.variables();
    let residuals = motion.system.constraints.iter().map(|c| &c.residual);
    let acting: HashSet<Array> =
        residuals.chain([motion.system.dynamics.energy()]).flat_map(Tensor::occurring).collect();
    let acts = |array: &Array| acting.contains(array);
    let mut place = 0;
    for array in coordinates.arrays() {
        if !array.is_empty() && variables + place < n && acts(array) {
            return Some([place, variables + place]);
        }
        place += array.len();
    }
    None
}

/// Whether a series is one number up to round-off, where others of its kind are as large as this.
fn is_constant(values: &[f64], size: f64) -> bool {
    let finite = || values.iter().copied().filter(|x| x.is_finite());
    let (low, high) = finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    let half = high / 2.0 - low / 2.0;
    low > high || half <= 1e-10 * low.abs().max(high.abs()) || half <= 1e-13 * size
}

impl Film {
    /// What a run has kept of itself; `None` if it was not watched. `from` is the step at which it
    /// was resumed.
    pub(crate) fn new(run: &mut Run, problem: &Instance, title: String, from: u64, wanted: &[String]) -> Option<Film> {
        let shown = Shown::new(run, problem, wanted);
        let diagnostics = run.diagnostics();
        let kinds =
            [("constraints", &diagnostics.constraints), ("hidden constraints", &diagnostics.hidden_constraints)]
                .map(|(name, layout)| (name, !layout.is_empty()));
        let (history, picture) = (run.history()?, run.quantities().picture.as_ref());
        let width = run.watched() - picture.map_or(0, Picture::len);
        let state = problem.equations.motion.system.state();
        let quantity = |(name, place): &(String, usize)| {
            let values = history.value(*place);
            let band = (history.stride() > 1).then(|| Band::new(&values, &history.range(*place))).flatten();
            Named { name: name.clone(), values, band }
        };
        let quantities =
            Quantities { kind: shown.kind, total: shown.total, shown: shown.entries.iter().map(quantity).collect() };
        let dense = history.dense();
        let axis = |k: usize| Named { name: state.entry_name(k), values: dense.value(k), band: None };
        // Coordinates are measured by coordinates, and momenta by momenta.
        let variables = problem.equations.motion.system.dynamics.variables().len().min(state.len());
        let size = |k: usize| {
            let kind = if k < variables { 0..variables } else { variables..state.len() };
            let all = (0..dense.times().len()).flat_map(|sample| dense.values(sample).get(kind.clone()));
            all.flatten().filter(|x| x.is_finite()).fold(0.0f64, |m, x| m.max(x.abs()))
        };
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
            residuals: (1..)
                .zip(kinds)
                .filter(|(_, (_, is_there))| *is_there)
                .map(|(k, (name, _))| (name, history.error(k)))
                .collect(),
            quantities,
            dense: dense.times().to_vec(),
            is_cut: history.is_cut(),
            portrait: shown
                .portrait
                .filter(|axes| !axes.iter().any(|k| is_constant(&dense.value(*k), size(*k))))
                .map(|axes| axes.map(axis)),
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

/// A series of angles between two ends a full turn apart, whatever that is called (2π, 360, or π for a direction), in
/// pieces from one leap to the next: the motion goes on there, and a line would show one that goes back. Other series
/// are one piece.
///
/// A leap goes over more than half of all values. It is a turn if it goes against the steps beside it, far beyond them,
/// and from end to end; if one leap is none, the others are none either.
pub(crate) fn pieces(values: &[f64]) -> Vec<Range<usize>> {
    let finite = || values.iter().copied().filter(|x| x.is_finite());
    let (low, high) = finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    let range = high - low;
    let step = |k: usize| values[k] - values[k - 1];
    let is_leap = |k: &usize| step(*k).abs() > range / 2.0;
    let is_turn = |k: &usize| {
        let beside = [k - 1, k + 1].into_iter().filter(|k| (1..values.len()).contains(k) && !is_leap(k));
        let beside: Vec<f64> = beside.map(step).filter(|s| s.is_finite()).collect();
        let (leap, largest) = (step(*k), beside.iter().fold(0.0f64, |m, s| m.max(s.abs())));
        !beside.is_empty()
            && beside.iter().all(|s| s * leap < 0.0)
            && leap.abs() > 3.0 * largest
            && leap.abs() >= range * (1.0 - 1e-9) - 4.0 * largest
    };
    let leaps: Vec<usize> = (1..values.len()).filter(is_leap).collect();
    let mut ends = if leaps.iter().all(is_turn) { leaps } else { vec![] };
    ends.push(values.len());
    let mut begin = 0;
    ends.into_iter().map(|end| std::mem::replace(&mut begin, end)..end).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_turn_is_a_gap_and_nothing_else_is() {
        let times: Vec<f64> = (0..200).map(|k| f64::from(k) * 0.1).collect();
        let angle: Vec<f64> = times.iter().map(|t| t.sin().atan2(t.cos())).collect();
        // At π, 3π and 5π.
        assert_eq!(pieces(&angle), [0..32, 32..95, 95..158, 158..200]);
        let other: Vec<f64> = times.iter().map(|t| 3.0 * t.sin()).collect();
        assert_eq!(pieces(&other), std::slice::from_ref(&(0..200)));
        // A square wave leaps, too, and goes back.
        let square: Vec<f64> = times.iter().map(|t| if t.sin() > 0.0 { 2.0 } else { -2.0 }).collect();
        assert_eq!(pieces(&square).len(), 1);
        assert_eq!(pieces(&[]), std::slice::from_ref(&(0..0)));
    }

    #[test]
    fn a_turn_may_be_called_360_or_half_of_one() {
        let times: Vec<f64> = (0..200).map(|k| f64::from(k) * 0.1).collect();
        let degrees: Vec<f64> = times.iter().map(|t| t.sin().atan2(t.cos()).to_degrees()).collect();
        assert_eq!(pieces(&degrees), [0..32, 32..95, 95..158, 158..200]);
        // A direction without a sense: at π/2, 3π/2, …
        let direction: Vec<f64> = times.iter().map(|t| t.tan().atan()).collect();
        assert_eq!(pieces(&direction).iter().map(|p| p.end).collect::<Vec<_>>(), [16, 48, 79, 110, 142, 173, 200]);
        // Backwards, and about the angle at which it leaps.
        let back: Vec<f64> = degrees.iter().map(|a| -a).collect();
        assert_eq!(pieces(&back), pieces(&degrees));
        let top: Vec<f64> =
            times.iter().map(|t| (0.5 * t.sin() + 0.01).sin().atan2(-(0.5 * t.sin() + 0.01).cos())).collect();
        let top = top.iter().map(|a| -a).collect::<Vec<_>>();
        assert!(pieces(&top).len() > 5);
        assert!(pieces(&top).iter().all(|p| top[p.clone()].windows(2).all(|w| (w[1] - w[0]).abs() < 0.1)));
        // A curve that is sampled three times in a period leaps, too.
        let coarse: Vec<f64> = (0..200).map(|k| (f64::from(k) * 1.91).sin()).collect();
        assert_eq!(pieces(&coarse).len(), 1);
    }

    #[test]
    fn series_of_very_different_size_are_apart() {
        let named = |size: f64| Named { name: String::new(), values: vec![-size, 0.5 * size], band: None };
        let shown = [1.0, 1e-3, 5.0, 0.0, 2e-3, 1e4].map(named).into();
        let groups = Quantities { kind: "quantities", shown, total: 6 }.groups();
        assert_eq!(groups, [vec![0, 2, 3], vec![1, 4], vec![5]]);
    }

    #[test]
    fn a_number_with_round_off_is_constant() {
        let alone = |values: &[f64]| is_constant(values, 0.0);
        assert!(alone(&[1.0, 1.0 + 1e-15, 1.0 - 3e-16]) && alone(&[0.0; 3]) && alone(&[]));
        assert!(!alone(&[1.0, 1.001]) && !alone(&[0.0, 1e-20]));
        // Beside others, what is 0 but for their round-off is 0.
        assert!(is_constant(&[0.0, 1e-16, -3e-17], 2.0) && !is_constant(&[0.0, 1e-10], 2.0));
    }
}
