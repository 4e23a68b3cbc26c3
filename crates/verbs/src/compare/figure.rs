//! A comparison as a figure: over time with one step, work and precision with several.

use super::counted;
use super::report::{Document, Row};
use crate::ending::Ending;
use cotangent_lab::comparison::Curves;
use cotangent_plot::{Axis, Figure, Legend, Panel, Series, Style};

/// A curve: its name, abscissas and ordinates.
pub(super) type Curve = (String, Vec<f64>, Vec<f64>);

/// Draws a comparison.
pub(super) fn figure(report: &Document) -> Figure {
    let title = format!("{}: {}{}", report.model, counted(report), left_out(report));
    if report.steps.len() > 1 {
        let series = work_precision(report).into_iter().map(|(name, x, y)| Series::line_points(name, x, y)).collect();
        let panel =
            Panel::work_precision("seconds, the shortest of repeated runs", "error at the end", series, &[2.0, 4.0]);
        return Figure::new(title).with(panel.with_legend(Legend::Right)).sized(860.0, 560.0);
    }
    let mut figure = Figure { columns: 2, ..Figure::new(title) }.sized(1100.0, 820.0);
    for (k, ([title, label], curves)) in over_time(report).into_iter().enumerate() {
        let series = |(k, (name, x, y))| Series::line_points(name, x, y).styled(Style::constant(k));
        let series = curves.into_iter().enumerate().map(series).collect();
        // A series looks the same in every panel: one legend is enough.
        let legend = if k == 0 { Legend::Below } else { Legend::None };
        let panel = Panel::new(Axis::linear("time t"), Axis::log_absolute(label), series);
        figure = figure.with(panel.titled(title).with_legend(legend));
    }
    figure
}

/// How many combinations have no place in the figure.
fn left_out(report: &Document) -> String {
    let is_drawn = |row: &&Row| match report.steps.len() > 1 {
        true => end_error(row).is_some(),
        false => !row.curves.times.is_empty(),
    };
    match report.rows.len() - report.rows.iter().filter(is_drawn).count() {
        0 => String::new(),
        n => format!("; {n} not drawn: failed, or far off"),
    }
}

/// The error of a run that came to its end; beyond 10 it has lost the motion.
fn end_error(row: &Row) -> Option<f64> {
    row.error.value.filter(|e| row.status == Ending::Finished && *e < 10.0)
}

/// Errors over seconds, a curve for each formulation, method and projection.
pub(super) fn work_precision(report: &Document) -> Vec<Curve> {
    let mut curves: Vec<Curve> = vec![];
    for row in &report.rows {
        let Some(error) = end_error(row) else { continue };
        let name = name(report, row);
        let known = curves.iter().position(|c| c.0 == name);
        let k = known.unwrap_or_else(|| {
            curves.push((name, vec![], vec![]));
            curves.len() - 1
        });
        curves[k].1.push(row.seconds);
        curves[k].2.push(error);
    }
    curves
}

/// The errors along the runs: of the state, the energy and, with constraints, the residuals; each with
/// a title and the label of an axis.
pub(super) fn over_time(report: &Document) -> Vec<([&'static str; 2], Vec<Curve>)> {
    type Errors = fn(&Curves) -> &Vec<f64>;
    let mut kinds: Vec<([&'static str; 2], Errors)> = vec![
        (["Error of the state", "relative error"], |c| &c.error),
        (["Energy error", "|H(t) − H(0)|"], |c| &c.energy),
    ];
    if report.rows.iter().any(|r| r.constraints.r#final.is_some()) {
        kinds.push((["Constraints", "largest residual"], |c| &c.constraints));
        kinds.push((["Hidden constraints", "largest residual"], |c| &c.hidden));
    }
    let curve = |row: &Row, of: Errors| {
        let sizes = of(&row.curves).iter().map(|e| e.abs()).collect();
        (name(report, row), row.curves.times.clone(), sizes)
    };
    kinds.into_iter().map(|(names, of)| (names, report.rows.iter().map(|row| curve(row, of)).collect())).collect()
}

/// The formulation alone where that is enough.
fn name(report: &Document, row: &Row) -> String {
    let others = report.rows.iter().filter(|r| r.formulation() == row.formulation());
    let described = |row: &Row| row.described().replace(" with ", ", ");
    let several = others.map(described).collect::<std::collections::BTreeSet<_>>().len() > 1;
    let one = report.formulations.len() == 1;
    match (several, one) {
        (true, true) => described(row),
        (true, false) => format!("{}, {}", row.formulation(), described(row)),
        (false, _) => row.formulation().to_owned(),
    }
}
