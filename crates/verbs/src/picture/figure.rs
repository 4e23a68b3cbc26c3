//! One figure of a run: energy error, residuals, quantities, motion.

use super::film::{Film, Named, is_coarse, is_coarse_curve, is_slender, moment, pieces};
use super::snapshots;
use crate::figures::count;
use cotangent_plot::{Aspect, Axis, Dash, Figure, Kind, Panel, Series, Style};
use std::ops::Range;

/// Draws a run.
pub(crate) fn figure(film: &Film) -> Figure {
    let remarks: String = film.remarks.iter().map(|r| format!(" – {r}")).collect();
    let mut figure = Figure { columns: 2, ..Figure::new(format!("{}{remarks}", film.title)) };
    figure.panels.push(energy(film));
    figure.panels.extend(residuals(film));
    figure.panels.extend(quantities(film));
    if let Some(scene) = film.scene.as_ref().filter(|s| !s.bodies.is_empty()) {
        figure.panels.push(snapshots::panel(film, scene));
    }
    // In the place that is left.
    if figure.panels.len() % 2 == 1 {
        figure.panels.extend(film.portrait.as_ref().map(|axes| portrait(film, axes)));
    }
    figure
}

fn time() -> Axis {
    Axis::linear("time t")
}

/// A few samples are marked, many are joined.
fn kind(samples: usize) -> Kind {
    if samples < 40 { Kind::LinePoints } else { Kind::Line }
}

/// What a sample of an error stands for.
fn sampled(film: &Film) -> &'static str {
    if film.is_thinned() { " (largest between two samples)" } else { "" }
}

/// A logarithmic axis on which small differences look small.
fn at_least_a_decade(axis: Axis, values: &[&[f64]]) -> Axis {
    let sizes = values.iter().copied().flatten().map(|x| x.abs()).filter(|x| x.is_finite() && *x > 0.0);
    let (low, high) = sizes.fold((f64::INFINITY, 0.0f64), |(l, h), x| (l.min(x), h.max(x)));
    // Far from the ends of all numbers, so that the range exists.
    if low < high && high < 8.0 * low && low > 1e-300 && high < 1e300 {
        let middle = low.sqrt() * high.sqrt();
        return axis.from_to(middle / 10f64.sqrt(), middle * 10f64.sqrt());
    }
    axis
}

fn energy(film: &Film) -> Panel {
    let series = Series::new("", kind(film.times.len()), film.times.clone(), film.energy_error.clone());
    let axis = at_least_a_decade(Axis::log_absolute("|H(t) − H(0)|"), &[&film.energy_error]);
    let panel = Panel::new(time(), axis, vec![series]);
    panel.titled(format!("Energy error{}", sampled(film)))
}

fn residuals(film: &Film) -> Option<Panel> {
    if film.residuals.is_empty() {
        return None;
    }
    let series =
        |name: &str, values: &Vec<f64>| Series::new(name, kind(film.times.len()), film.times.clone(), values.clone());
    let list = film.residuals.iter().map(|(name, values)| series(name, values)).collect();
    let all: Vec<&[f64]> = film.residuals.iter().map(|(_, values)| values.as_slice()).collect();
    let axis = at_least_a_decade(Axis::log("largest residual"), &all);
    let panel = Panel::new(time(), axis, list);
    Some(panel.titled(format!("Residuals{}", sampled(film))))
}

/// The quantities, those of very different size in panels of their own; each has one look in all of them.
fn quantities(film: &Film) -> Vec<Panel> {
    let q = &film.quantities;
    let one = |k: usize| {
        let Named { name, values, band } = &q.shown[k];
        let style = Style { colour: Some(k), ..Style::default() };
        let series = match band {
            Some(band) => vec![Series::band(name.clone(), &film.times, &band.low, &band.high)],
            None => {
                let coarse = !film.is_thinned() && is_coarse(values);
                let kind = if coarse { Kind::Points } else { kind(film.times.len()) };
                let piece = |part: Range<usize>| {
                    // One entry in the legend.
                    let name = if part.start == 0 { name.as_str() } else { "" };
                    Series::new(name, kind, film.times[part.clone()].to_vec(), values[part].to_vec())
                };
                pieces(values).into_iter().map(piece).collect()
            }
        };
        // All pieces are drawn in one way.
        let dash = (series.len() > 1).then_some(Dash::Solid);
        series.into_iter().map(move |one| one.styled(Style { dash: style.dash.or(dash), ..style }))
    };
    let panel = |(place, group): (usize, Vec<usize>)| {
        let mut series: Vec<Series> = group.iter().flat_map(|&k| one(k)).collect();
        let (label, name) = match group.as_slice() {
            [only] => (q.shown[*only].name.clone(), String::new()),
            _ => (q.kind.to_owned(), capitalised(q.kind)),
        };
        if group.len() == 1 {
            series.iter_mut().for_each(|one| one.name.clear());
        }
        let title = match q.total > q.shown.len() && place == 0 {
            true => format!("The first {} of {}", q.shown.len(), count(q.total, "quantity", q.kind)),
            false => name,
        };
        let title = match (group.iter().any(|&k| q.shown[k].band.is_some()), title.as_str()) {
            (false, _) => title,
            (true, "") => capitalised(&ranges(film)),
            (true, title) => format!("{title}: {}", ranges(film)),
        };
        Panel::new(time(), Axis::linear(label), series).titled(title)
    };
    q.groups().into_iter().enumerate().map(panel).collect()
}

/// What a band shows.
pub(super) fn ranges(film: &Film) -> String {
    let intervals = film.quantities.shown.iter().find_map(|n| n.band.as_ref()).map_or(1, |b| b.intervals as u64);
    format!("ranges over {} steps", film.stride * intervals)
}

fn portrait(film: &Film, [x, y]: &[Named; 2]) -> Panel {
    let curve: Vec<[f64; 3]> = x.values.iter().zip(&y.values).map(|(&x, &y)| [x, y, 0.0]).collect();
    let coarse = is_coarse_curve(&curve);
    let kind = if coarse { Kind::Points } else { Kind::Line };
    let series = Series::new("", kind, x.values.clone(), y.values.clone());
    let mut panel = Panel::phase_portrait(x.name.clone(), y.name.clone(), vec![series]);
    let mut title = "Phase portrait".to_owned();
    if let Some(until) = film.until() {
        title += &format!(" until t = {}", moment(until));
    }
    if is_slender(&x.values, &y.values) {
        panel.aspect = Aspect::Free;
        title += " (axes not to scale)";
    }
    panel.titled(title)
}

pub(super) fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
