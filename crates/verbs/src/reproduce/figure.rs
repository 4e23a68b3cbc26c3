//! The panels of an experiment, as a picture and for a page.

use super::document::{Panel, Reproduced};
use cotangent_plot::{self as plot, Aspect, Axis, Figure, Legend};
use cotangent_report::{self as report, Scale};

/// The figure of an experiment; none if it has no panels.
pub(super) fn figure(experiment: &Reproduced) -> Option<Figure> {
    if experiment.panels.is_empty() {
        return None;
    }
    let columns = if experiment.panels.len() > 1 { 2 } else { 1 };
    let figure = Figure { columns, ..Figure::new(format!("{}: {}", experiment.id, experiment.title)) };
    Some(experiment.panels.iter().fold(figure, |figure, panel| figure.with(drawn(panel))))
}

fn drawn(panel: &Panel) -> plot::Panel {
    let series = panel.data.curve.iter().zip(&panel.curves).map(|(curve, [x, y])| match curve.points {
        true => plot::Series::points(curve.name.clone(), x.clone(), y.clone()),
        false => plot::Series::line(curve.name.clone(), x.clone(), y.clone()),
    });
    let axis = |label: &str, letter: char| match panel.data.log.contains(letter) {
        true => Axis::log_absolute(label),
        false => Axis::linear(label),
    };
    let legend = if panel.data.curve.len() > 1 { Legend::Below } else { Legend::None };
    let mut drawn = plot::Panel::new(axis(&panel.data.x, 'x'), axis(&panel.data.y, 'y'), series.collect())
        .titled(panel.data.title.clone())
        .with_legend(legend);
    if panel.data.equal {
        drawn.aspect = Aspect::Equal;
    }
    drawn
}

/// A panel for a page.
pub(super) fn interactive(panel: &Panel) -> report::Plot {
    let scale = |letter: char| if panel.data.log.contains(letter) { Scale::Log } else { Scale::Linear };
    let mut plot = report::Plot::new(panel.data.title.clone(), panel.data.x.clone(), panel.data.y.clone())
        .x_scale(scale('x'))
        .y_scale(scale('y'));
    if panel.data.equal {
        plot = plot.equal_units();
    }
    for (curve, [x, y]) in panel.data.curve.iter().zip(&panel.curves) {
        let name = if curve.name.is_empty() { panel.data.y.clone() } else { curve.name.clone() };
        let y = if panel.data.log.contains('y') { y.iter().map(|y| y.abs()).collect() } else { y.clone() };
        plot = plot.with(match curve.points {
            true => report::Series::points(name, x.clone(), y),
            false => report::Series::line(name, x.clone(), y),
        });
    }
    plot
}
