//! The extremes of the series of a plot, for readers who do not see it.

use crate::digits::{count, number};
use crate::escape;
use crate::series::Series;

/// A table of number, range and last value of each series.
pub(crate) fn html(series: &[Series]) -> String {
    let rows: String = series.iter().map(row).collect();
    format!(
        "<details class=\"numbers\"><summary>Extremes of the series</summary><div class=\"scroll\" tabindex=\"0\">\
         <table><thead><tr><th scope=\"col\">series</th><th scope=\"col\" class=\"right\">points</th>\
         <th scope=\"col\" class=\"right\">x from</th><th scope=\"col\" class=\"right\">x to</th>\
         <th scope=\"col\" class=\"right\">least y</th><th scope=\"col\" class=\"right\">greatest y</th>\
         <th scope=\"col\" class=\"right\">last y</th></tr></thead><tbody>{rows}</tbody></table></div></details>"
    )
}

fn row(series: &Series) -> String {
    let (x_low, x_high) = range(&series.x);
    let (low, high) = range(&series.y);
    let last = series.y.last().map_or_else(|| "–".into(), |y| number(*y));
    format!(
        "<tr><th scope=\"row\">{}</th><td class=\"right\">{}</td><td class=\"right\">{x_low}</td>\
         <td class=\"right\">{x_high}</td><td class=\"right\">{low}</td><td class=\"right\">{high}</td>\
         <td class=\"right\">{last}</td></tr>",
        escape::text(&escape::clip(&series.name, 80)),
        count(series.x.len()),
    )
}

fn range(values: &[f64]) -> (String, String) {
    let finite = || values.iter().copied().filter(|v| v.is_finite());
    match (finite().reduce(f64::min), finite().reduce(f64::max)) {
        (Some(low), Some(high)) => (number(low), number(high)),
        _ => ("–".into(), "–".into()),
    }
}
