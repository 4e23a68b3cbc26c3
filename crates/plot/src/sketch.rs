//! What a panel shows, before it is known where: spans, names, notes.

use crate::axis::{Place, Range, Scale};
use crate::legend::Legend;
use crate::panel::{Content, Panel};
use crate::span::Span;
use crate::survey::{Found, Survey, grouped};
use crate::text::clean;

/// The colour bar of a heat map.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) scale: Scale,
    pub(crate) span: Span,
}

/// A panel ready to be laid out.
#[derive(Clone, Debug)]
pub(crate) struct Sketch<'a> {
    pub(crate) panel: &'a Panel,
    pub(crate) x: Span,
    pub(crate) y: Span,
    pub(crate) bar: Option<Bar>,
    /// Indices of series or snapshots with an entry in the legend, and their names.
    pub(crate) entries: Vec<(usize, String)>,
    pub(crate) notes: Vec<String>,
    pub(crate) message: Option<String>,
    pub(crate) legend: Legend,
    /// What was found in each series.
    pub(crate) series: Vec<Found>,
    pub(crate) title: String,
    pub(crate) x_label: String,
    pub(crate) y_label: String,
}

impl<'a> Sketch<'a> {
    /// The sketch of a panel from the survey of its data.
    pub(crate) fn new(panel: &'a Panel, survey: Survey) -> Self {
        let (x, x_remark) = Span::of(&panel.x, survey.x, survey.margins[0]);
        let tight = survey.margins[0] == 0.0 && matches!(panel.content, Content::Curves { .. });
        let open = panel.x.range == Range::Auto && panel.x.scale == Scale::Linear;
        let x = if tight && open { x.snapped() } else { x };
        let (y, y_remark) = Span::of(&panel.y, survey.y, survey.margins[1]);
        let mut notes: Vec<String> = x_remark.into_iter().chain(y_remark).chain(survey.remarks).collect();
        notes.extend(outside(panel, x, y));
        let bar = match &panel.content {
            Content::HeatMap(map) if survey.message.is_none() => {
                let (span, remark) = Span::of(&map.colour, survey.colour, 0.0);
                notes.extend(remark);
                Some(Bar { label: clean(&map.colour.label), scale: map.colour.scale, span })
            }
            _ => None,
        };
        let entries: Vec<(usize, String)> =
            survey.names.into_iter().enumerate().filter(|(_, name)| !name.is_empty()).collect();
        Sketch {
            panel,
            x,
            y,
            bar,
            legend: if entries.is_empty() { Legend::None } else { panel.legend },
            entries,
            notes: notes.iter().map(|note| clean(note)).collect(),
            message: survey.message,
            series: survey.series,
            title: clean(&panel.title),
            x_label: clean(&panel.x.label),
            y_label: clean(&panel.y.label),
        }
    }

    /// The names in the legend.
    pub(crate) fn names(&self) -> Vec<String> {
        self.entries.iter().map(|(_, name)| name.clone()).collect()
    }
}

/// A remark on points outside a fixed range.
fn outside(panel: &Panel, x: Span, y: Span) -> Option<String> {
    let fixed = |range: Range| matches!(range, Range::Fixed(..));
    if !fixed(panel.x.range) && !fixed(panel.y.range) {
        return None;
    }
    let Content::Curves { series, .. } = &panel.content else { return None };
    let beyond = |place: Place, span: Span| matches!(place, Place::At(at) if at < span.lo || at > span.hi);
    let pairs = series.iter().flat_map(|one| one.pairs());
    let count =
        pairs.filter(|&(px, py)| beyond(panel.x.scale.place(px), x) || beyond(panel.y.scale.place(py), y)).count();
    (count > 0).then(|| format!("{} points lie outside the range shown.", grouped(count)))
}
