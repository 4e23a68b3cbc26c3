//! A figure in words, for readers who do not see it.

use crate::axis::{Axis, Scale};
use crate::digits::spoken;
use crate::figure::Figure;
use crate::panel::{Content, Panel};
use crate::sketch::Sketch;
use crate::span::Extent;
use crate::survey::{Found, grouped};
use crate::text::clean;

/// Series described one by one.
const MOST: usize = 40;

/// The description of a figure.
pub(crate) fn of(figure: &Figure, sketches: &[Sketch<'_>]) -> String {
    let mut out = Vec::new();
    for (index, sketch) in sketches.iter().enumerate() {
        if sketches.len() > 1 {
            out.push(format!("Panel {}.", index + 1));
        }
        describe(sketch, &mut out);
    }
    if figure.panels.is_empty() {
        out.push("A figure without panels.".into());
    }
    out.join(" ")
}

fn describe(sketch: &Sketch<'_>, out: &mut Vec<String>) {
    let panel = sketch.panel;
    if !sketch.title.is_empty() {
        out.push(format!("{}.", sketch.title));
    }
    out.push(format!("{} over {}.", axis(&panel.y, "y"), axis(&panel.x, "x")));
    match &panel.content {
        Content::Curves { series, .. } => {
            for (index, (one, found)) in series.iter().zip(&sketch.series).take(MOST).enumerate() {
                let Found { x, y, tally, .. } = *found;
                let name = clean(&one.name);
                let name = if name.is_empty() { format!("Series {}", index + 1) } else { name };
                let points = match tally.shown {
                    1 => "1 point".to_owned(),
                    count => format!("{} points", grouped(count)),
                };
                out.push(format!(
                    "{name}: {points}{}{}.",
                    interval(", x", x, panel, true),
                    interval(", y", y, panel, false)
                ));
            }
            if series.len() > MOST {
                out.push(format!("And {} more series.", series.len() - MOST));
            }
        }
        Content::Bodies(bodies) => {
            let points = bodies.snapshots.iter().map(|snapshot| snapshot.points.len()).max().unwrap_or(0);
            out.push(format!("{} snapshots of {points} points.", bodies.snapshots.len()));
        }
        Content::HeatMap(map) => {
            let label = clean(&map.colour.label);
            let range = sketch.bar.as_ref().map_or(String::new(), |bar| {
                format!(" from {} to {}", value(bar.span.lo, bar.scale), value(bar.span.hi, bar.scale))
            });
            out.push(format!("Heat map of {} × {} values{range}: {label}.", map.columns, map.rows));
        }
    }
    out.extend(sketch.message.iter().map(|message| format!("{message}.")));
    out.extend(sketch.notes.iter().cloned());
}

fn axis(axis: &Axis, otherwise: &str) -> String {
    let label = clean(&axis.label);
    let label = if label.is_empty() { otherwise } else { &label };
    match axis.scale {
        Scale::Linear => label.to_owned(),
        Scale::Log => format!("{label} (logarithmic)"),
        Scale::LogAbsolute => format!("{label} (absolute value, logarithmic)"),
    }
}

fn value(coordinate: f64, scale: Scale) -> String {
    spoken(if scale.is_log() { 10_f64.powf(coordinate) } else { coordinate })
}

fn interval(name: &str, extent: Extent, panel: &Panel, horizontal: bool) -> String {
    let scale = if horizontal { panel.x.scale } else { panel.y.scale };
    extent
        .bounds()
        .map_or(String::new(), |(lo, hi)| format!("{name} from {} to {}", value(lo, scale), value(hi, scale)))
}
