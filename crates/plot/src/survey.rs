//! A first look at the data of a panel: extents, and values that have no place on the axes.

use crate::axis::{Place, Scale};
use crate::bodies::Bodies;
use crate::heat::HeatMap;
use crate::panel::{Content, Panel};
use crate::series::Series;
use crate::span::Extent;

/// How many values have no ordinary place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) shown: usize,
    not_numbers: usize,
    infinite: usize,
    zeros: usize,
    negative: usize,
}

impl Tally {
    /// Counts a pair by the worse of its two places.
    fn count(&mut self, x: Place, y: Place) {
        match (x, y) {
            (Place::NotANumber, _) | (_, Place::NotANumber) => self.not_numbers += 1,
            (Place::Infinite { .. }, _) | (_, Place::Infinite { .. }) => self.infinite += 1,
            (Place::Negative, _) | (_, Place::Negative) => self.negative += 1,
            (Place::Zero, _) | (_, Place::Zero) => self.zeros += 1,
            (Place::At(_), Place::At(_)) => self.shown += 1,
        }
    }

    /// Whether some value has no place in the frame but is marked at its edge.
    pub(crate) fn has_edges(&self) -> bool {
        self.infinite + self.zeros + self.negative > 0
    }

    /// What a reader must know about values that are not drawn in their place.
    pub(crate) fn remarks(&self, cells: bool) -> Vec<String> {
        let mut out = Vec::new();
        let number = |count: usize, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            _ => Some(format!("{} {many}", grouped(count))),
        };
        let place = if cells { "in the lowest colour" } else { "marked at the lower edge" };
        let low = [number(self.zeros, "zero", "zeros"), number(self.negative, "negative value", "negative values")];
        let low: Vec<String> = low.into_iter().flatten().collect();
        if !low.is_empty() {
            out.push(format!("{} on the logarithmic scale: {place}.", low.join(" and ")));
        }
        let place = if cells { "in the colour of the nearer end" } else { "marked at the edge" };
        out.extend(number(self.infinite, "infinite value", "infinite values").map(|text| format!("{text}: {place}.")));
        let place = if cells { "blank" } else { "left out (gaps in lines)" };
        let missing = number(self.not_numbers, "value is not a number", "values are not numbers");
        out.extend(missing.map(|text| format!("{text}: {place}.")));
        out
    }

    /// What a series has that shows nothing in its place.
    fn instead(&self) -> &'static str {
        match [self.zeros, self.negative, self.infinite, self.not_numbers].map(|count| count > 0) {
            [true, false, false, false] => "zero throughout",
            [_, true, false, false] => "not positive",
            [false, false, true, false] => "infinite",
            [true, _, _, _] | [_, true, _, _] | [_, _, true, _] => "no finite positive value",
            _ => "no data",
        }
    }

    /// Why nothing can be shown.
    fn reason(&self) -> String {
        let special = self.not_numbers + self.infinite + self.zeros + self.negative;
        if special == 0 {
            "no data".into()
        } else if special == self.not_numbers {
            "no data: every value is not a number".into()
        } else if self.zeros + self.negative > 0 && self.infinite == 0 {
            "no positive value to show on a logarithmic axis".into()
        } else {
            "no finite value to show".into()
        }
    }
}

/// A count with thin spaces between groups of three digits.
pub(crate) fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) && digits.len() > 4 {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// What was found in one series.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) x: Extent,
    pub(crate) y: Extent,
    pub(crate) tally: Tally,
    /// Whether x never decreases.
    pub(crate) ascends: bool,
}

/// What was found in the data of a panel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Survey {
    pub(crate) x: Extent,
    pub(crate) y: Extent,
    pub(crate) colour: Extent,
    pub(crate) remarks: Vec<String>,
    pub(crate) message: Option<String>,
    /// Names for the legend, empty where there is no entry.
    pub(crate) names: Vec<String>,
    /// What was found in each series.
    pub(crate) series: Vec<Found>,
    /// The free part to leave on either side of x and y.
    pub(crate) margins: [f64; 2],
}

impl Survey {
    /// Looks at a panel.
    pub(crate) fn of(panel: &Panel) -> Survey {
        match &panel.content {
            Content::Curves { series, .. } => of_series(panel, series),
            Content::Bodies(bodies) => of_bodies(panel, bodies),
            Content::HeatMap(map) => of_heat_map(map),
        }
    }
}

/// Looks at one series.
fn of_one(series: &Series, x_scale: Scale, y_scale: Scale) -> Found {
    let (mut xs, mut ys, mut tally) = (Extent::default(), Extent::default(), Tally::default());
    let (mut before, mut ascends) = (f64::NEG_INFINITY, true);
    for (x, y) in series.pairs() {
        if !x.is_nan() {
            ascends &= x >= before;
            before = x;
        }
        let (x, y) = (x_scale.place(x), y_scale.place(y));
        if let Place::At(at) = x {
            xs.include(at);
        }
        if let (Place::At(at), false) = (y, x == Place::NotANumber) {
            ys.include(at);
        }
        tally.count(x, y);
    }
    Found { x: xs, y: ys, tally, ascends }
}

fn of_series(panel: &Panel, series: &[Series]) -> Survey {
    let mut survey = Survey { margins: [0.0, 0.05], ..Survey::default() };
    let mut total = Tally::default();
    for one in series {
        let found = of_one(one, panel.x.scale, panel.y.scale);
        let Found { x, y, tally, ascends } = found;
        survey.series.push(found);
        survey.x.merge(x);
        survey.y.merge(y);
        total.shown += tally.shown;
        total.not_numbers += tally.not_numbers;
        total.infinite += tally.infinite;
        total.zeros += tally.zeros;
        total.negative += tally.negative;
        let name = crate::text::clean(&one.name);
        survey.names.push(match (name.is_empty(), tally.shown) {
            (false, 0) if series.len() > 1 => format!("{name} ({})", tally.instead()),
            _ => name.clone(),
        });
        if one.x.len() != one.y.len() {
            let (xs, ys) = (grouped(one.x.len()), grouped(one.y.len()));
            let who = if name.is_empty() { String::new() } else { format!("{name}: ") };
            survey.remarks.push(format!("{who}{xs} values of x but {ys} of y; the surplus is not drawn."));
        }
        let marked = matches!(one.kind, crate::Kind::Points | crate::Kind::LinePoints);
        if marked || !ascends {
            survey.margins[0] = 0.04;
        }
    }
    survey.remarks.extend(total.remarks(false));
    survey.message = (total.shown == 0).then(|| total.reason());
    survey
}

fn of_bodies(panel: &Panel, bodies: &Bodies) -> Survey {
    let mut survey = Survey { margins: [0.08, 0.08], ..Survey::default() };
    let mut tally = Tally::default();
    for [x, y] in bodies.positions() {
        let (x, y) = (panel.x.scale.place(x), panel.y.scale.place(y));
        if let (Place::At(x), Place::At(y)) = (x, y) {
            survey.x.include(x);
            survey.y.include(y);
        }
        tally.count(x, y);
    }
    let lost = tally.not_numbers + tally.infinite + tally.zeros + tally.negative;
    if lost > 0 {
        survey.remarks.push(format!("{} positions cannot be shown and are left out.", grouped(lost)));
    }
    survey.names = bodies.snapshots.iter().map(|snapshot| crate::text::clean(&snapshot.label)).collect();
    survey.message = (tally.shown == 0).then(|| tally.reason());
    survey
}

fn of_heat_map(map: &HeatMap) -> Survey {
    let mut survey = Survey::default();
    let fault = map.fault();
    if fault.is_none() {
        [map.x.0, map.x.1].into_iter().for_each(|x| survey.x.include(x));
        [map.y.0, map.y.1].into_iter().for_each(|y| survey.y.include(y));
        let mut tally = Tally::default();
        for &value in &map.values {
            let place = map.colour.scale.place(value);
            if let Place::At(at) = place {
                survey.colour.include(at);
            }
            tally.count(Place::At(0.0), place);
        }
        survey.remarks = tally.remarks(true);
        let (across, up) = crate::heat::blocks(map);
        if across * up > 1 {
            survey
                .remarks
                .push(format!("Each cell shows, of {across} × {up} values, the one farthest from the median."));
        }
        survey.message = (tally.shown == 0).then(|| tally.reason());
    }
    survey.message = fault.or(survey.message);
    survey
}
