//! Interactive plots.

use crate::column::{self, Column};
use crate::digits::count;
use crate::error::ReportError;
use crate::series::{Mark, Series};
use crate::{budget, decimate, escape, series_table};
use serde_json::{Value, json};
use std::collections::HashMap;

/// More series than these in one plot are left out, which is said.
const MOST_SERIES: usize = 64;

/// Bytes of the page that a point takes, at most.
const POINT: usize = 22;

/// Bytes of the page that a series takes beside its points.
const NAMED: usize = 1500;

/// Bytes of the page for which a series is shown: with its first points.
const SERIES: usize = NAMED + 500;

/// A plot that can be zoomed and read off.
///
/// On a logarithmic axis zeros and negative values are gaps with a mark at the edge; a note says
/// how many there are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// Heading.
    pub title: String,
    /// What the plot shows, in words: its caption, and its description for who does not see it.
    pub description: String,
    /// Label of the abscissa.
    pub x_label: String,
    /// Label of the ordinate.
    pub y_label: String,
    /// Scale of the abscissa at first.
    pub x_scale: Scale,
    /// Scale of the ordinate at first.
    pub y_scale: Scale,
    /// Whether a unit has the same length on both axes (while both are linear).
    pub equal_units: bool,
    /// The series.
    pub series: Vec<Series>,
}

/// Scale of an axis. The reader can switch it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences have equal lengths.
    #[default]
    Linear,
    /// Equal ratios have equal lengths.
    Log,
}

impl Plot {
    /// A plot without series.
    pub fn new(title: impl Into<String>, x_label: impl Into<String>, y_label: impl Into<String>) -> Self {
        Plot { title: title.into(), x_label: x_label.into(), y_label: y_label.into(), ..Plot::default() }
    }

    /// With one more series.
    #[must_use]
    pub fn with(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// With this description.
    #[must_use]
    pub fn describe(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// With this scale of the abscissa.
    #[must_use]
    pub fn x_scale(mut self, scale: Scale) -> Self {
        self.x_scale = scale;
        self
    }

    /// With this scale of the ordinate.
    #[must_use]
    pub fn y_scale(mut self, scale: Scale) -> Self {
        self.y_scale = scale;
        self
    }

    /// With units of the same length on both axes.
    #[must_use]
    pub fn equal_units(mut self) -> Self {
        self.equal_units = true;
        self
    }

    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    pub(crate) fn need(&self) -> usize {
        let points: usize = self.series.iter().map(|series| series.x.len()).sum();
        (SERIES * self.series.len().clamp(1, MOST_SERIES)).saturating_add(points.saturating_mul(POINT))
    }

    pub(crate) fn html(&self, id: usize, budget: usize) -> Result<String, ReportError> {
        for series in &self.series {
            if series.x.len() != series.y.len() {
                return Err(ReportError::SeriesLength {
                    plot: escape::clip(&self.title, escape::SHORT),
                    series: escape::clip(&series.name, escape::SHORT),
                    x: series.x.len(),
                    y: series.y.len(),
                });
            }
        }
        let shown = self.series.len().min(MOST_SERIES).min((budget / SERIES).max(1));
        let shown = &self.series[..shown];
        let (data, kept) = self.encoded(shown, budget.saturating_sub(NAMED * shown.len()));
        let caption = match self.description.as_str() {
            "" => String::new(),
            text => format!("<p id=\"about-{id}\">{}</p>", escape::text(&escape::clip(text, 3000))),
        };
        let described = if caption.is_empty() { String::new() } else { format!(" aria-describedby=\"about-{id}\"") };
        let notes: String =
            self.notes(shown, kept).iter().map(|note| format!("<p class=\"note\">{note}</p>")).collect();
        Ok(format!(
            "<figure class=\"plot\" data-source=\"data-{id}\"><div class=\"tools\"></div>\
             <div class=\"drawing\" tabindex=\"0\" role=\"group\" aria-roledescription=\"plot\" aria-label=\"{}\"{described}></div>\
             <div class=\"legend\"></div><noscript><p class=\"note\">The plot is drawn by a script, which this \
             reader does not run; its extremes are below.</p></noscript>\
             <figcaption>{caption}<p class=\"note live\" hidden></p>{notes}</figcaption>{}</figure>\
             <script type=\"application/json\" id=\"data-{id}\">{}</script>",
            escape::short(&self.label()),
            series_table::html(shown),
            escape::json(&data),
        ))
    }

    fn label(&self) -> String {
        let clip = |text: &str| escape::clip(text, 80);
        format!("{}: {} against {}", clip(&self.title), clip(&self.y_label), clip(&self.x_label))
    }

    /// The data block and the number of points in it, in at most about `budget` bytes.
    fn encoded(&self, shown: &[Series], budget: usize) -> (Value, usize) {
        let lengths: Vec<usize> = shown.iter().map(|series| series.x.len()).collect();
        let mut points = budget / POINT * 2;
        loop {
            let shares = budget::share(&lengths, points);
            let mut columns = Columns::default();
            let (mut kept, mut series) = (0, Vec::new());
            for (one, share) in shown.iter().zip(shares) {
                let (xs, ys) = match one.mark {
                    Mark::Band => decimate::band(one, share),
                    _ => {
                        let indices = decimate::keep(one, share);
                        let pick = |values: &[f64]| indices.iter().map(|&k| values[k]).collect::<Vec<_>>();
                        (pick(&one.x), pick(&one.y))
                    }
                };
                kept += xs.len();
                let (x, y) = (columns.add(&xs, true), columns.add(&ys, false));
                series.push(json!({
                    "name": escape::clip(&one.name, 200), "x": x, "y": y, "ordered": one.is_ordered(),
                    "look": one.ink,
                    "mark": match one.mark {
                        Mark::Line => "line",
                        Mark::Points => "points",
                        Mark::Both => "both",
                        Mark::Band => "band",
                    },
                }));
            }
            if columns.length <= budget || points < 8 * shown.len() {
                return (self.data(shown, series, columns.json), kept);
            }
            points = points * 7 / 10;
        }
    }

    fn data(&self, shown: &[Series], series: Vec<Value>, columns: Vec<Value>) -> Value {
        let below = |values: fn(&Series) -> &Vec<f64>| shown.iter().flat_map(values).filter(|v| **v <= 0.0).count();
        // Plots over the same abscissas move their cursors together.
        let ends = shown.first().filter(|s| s.is_ordered()).and_then(|s| s.x.first().zip(s.x.last()));
        let sync = ends.map(|(first, last)| format!("{} {first} {last}", escape::clip(&self.x_label, 80)));
        json!({
            "title": escape::clip(&self.title, escape::SHORT),
            "xLabel": escape::clip(&self.x_label, 70),
            "yLabel": escape::clip(&self.y_label, 40),
            "xLog": self.x_scale == Scale::Log,
            "yLog": self.y_scale == Scale::Log,
            "xBelow": below(|s| &s.x),
            "yBelow": below(|s| &s.y),
            "equal": self.equal_units,
            "sync": sync,
            "series": series,
            "columns": columns,
        })
    }

    fn notes(&self, shown: &[Series], kept: usize) -> Vec<String> {
        let mut notes = Vec::new();
        let all: usize = shown.iter().map(|series| series.x.len()).sum();
        if kept < all {
            notes.push(format!(
                "{} of {} points are in this file, among them every peak and every gap.",
                count(kept),
                count(all)
            ));
        }
        if shown.len() < self.series.len() {
            let (shown, all) = (count(shown.len()), count(self.series.len()));
            notes.push(format!("The first {shown} of {all} series are shown, to keep the report small."));
        }
        let values = || shown.iter().flat_map(|s| s.x.iter().chain(&s.y));
        let meant: usize = self.series.iter().map(|one| one.gaps).sum();
        let missing = values().filter(|v| v.is_nan()).count().saturating_sub(meant);
        if missing > 0 {
            notes.push(format!("Values that are not numbers, and where the lines have gaps: {}.", count(missing)));
        }
        let infinite = values().filter(|v| v.is_infinite()).count();
        if infinite > 0 {
            notes.push(format!("Infinite values, marked at the edge: {}.", count(infinite)));
        }
        notes
    }
}

/// Columns, each held once.
#[derive(Default)]
struct Columns {
    json: Vec<Value>,
    length: usize,
    known: HashMap<Vec<u64>, usize>,
}

impl Columns {
    fn add(&mut self, values: &[f64], distinct: bool) -> usize {
        let key = values.iter().map(|v| v.to_bits()).collect();
        if let Some(&index) = self.known.get(&key) {
            return index;
        }
        let Column { json, length } = column::encode(values, distinct);
        self.json.push(json);
        self.length += length;
        self.known.insert(key, self.json.len() - 1);
        self.json.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(n: u32) -> Vec<f64> {
        (0..n).map(f64::from).collect()
    }

    #[test]
    fn series_of_different_lengths_are_refused_by_name() {
        let error = Plot::new("P", "t", "y").with(Series::line("s", ramp(3), ramp(2))).html(0, 10_000).unwrap_err();
        let said = "plot `P`: series `s` has 3 values of x and 2 of y; give one y for each x";
        assert_eq!(error.to_string(), said);
    }

    #[test]
    fn series_over_the_same_abscissas_hold_them_once() {
        let plot = Plot::new("P", "t", "y").with(Series::line("a", ramp(30), vec![1.0; 30])).with(Series::line(
            "b",
            ramp(30),
            ramp(30),
        ));
        let (data, kept) = plot.encoded(&plot.series, 10_000);
        assert_eq!((data["columns"].as_array().map(Vec::len), kept), (Some(2), 60));
    }

    #[test]
    fn the_size_is_that_of_the_budget_whatever_the_data() {
        let y = ramp(200_000).iter().map(|x| x * 1e-300).collect();
        let plot = Plot::new("P", "t", "y").with(Series::line("a", ramp(200_000), y));
        for budget in [0, 5_000, 100_000] {
            let html = plot.html(0, budget).unwrap();
            assert!(html.len() < budget + 6_000, "{} for {budget}", html.len());
            assert!(html.contains("points are in this file"));
        }
    }

    #[test]
    fn a_plot_that_gets_what_it_needs_is_whole() {
        for (series, points) in [(1, 0), (6, 3), (40, 1), (64, 2), (6, 5000)] {
            let mut plot = Plot::new("P", "t", "y");
            plot.series = vec![Series::line("a", ramp(points), ramp(points)); series];
            let html = plot.html(0, plot.need()).unwrap();
            assert!(!html.contains("series are shown") && !html.contains("are in this file"), "{series} of {points}");
        }
    }

    #[test]
    fn what_is_left_out_or_cannot_be_drawn_is_said() {
        let mut plot = Plot::new("P", "t", "y");
        plot.series = vec![Series::line("a", vec![0.0, 1.0], vec![f64::NAN, f64::INFINITY]); 100];
        let html = plot.html(0, 500_000).unwrap();
        assert!(html.contains("The first 64 of 100 series") && html.contains("marked at the edge: 64."));
        assert!(html.contains("the lines have gaps: 64."));
    }
}
