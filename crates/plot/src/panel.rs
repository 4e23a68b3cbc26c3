//! Panels: axes and what is drawn between them.

use crate::axis::Axis;
use crate::bodies::Bodies;
use crate::heat::HeatMap;
use crate::legend::Legend;
use crate::series::Series;

/// The shape of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Aspect {
    /// The axes fill the frame.
    #[default]
    Free,
    /// One unit is equally long on both axes (linear axes only); a range is widened for it.
    Equal,
}

/// A triangle that shows the slope of a power law in a log–log panel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// The exponent p of error ∝ workᵖ; an order-four method has −4.
    pub exponent: f64,
}

/// What a panel shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Series of points, with triangles that show reference slopes.
    Curves {
        /// The series, drawn in this order.
        series: Vec<Series>,
        /// Reference slopes; drawn where there is room, and only if both axes are logarithmic.
        slopes: Vec<Slope>,
    },
    /// Snapshots of bodies in the plane.
    Bodies(Bodies),
    /// A matrix of colours.
    HeatMap(HeatMap),
}

/// One frame of a figure with its axes, content and legend.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// A title above the frame; empty for none.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn.
    pub content: Content,
    /// Where the legend is.
    pub legend: Legend,
    /// Whether units are equally long on both axes.
    pub aspect: Aspect,
}

impl Panel {
    fn of(x: Axis, y: Axis, content: Content) -> Self {
        Panel { title: String::new(), x, y, content, legend: Legend::Auto, aspect: Aspect::Free }
    }

    /// Series over common axes.
    pub fn new(x: Axis, y: Axis, series: Vec<Series>) -> Self {
        Panel::of(x, y, Content::Curves { series, slopes: Vec::new() })
    }

    /// Curves in a plane whose axes have equal units.
    pub fn phase_portrait(x: impl Into<String>, y: impl Into<String>, series: Vec<Series>) -> Self {
        Panel { aspect: Aspect::Equal, ..Panel::new(Axis::linear(x), Axis::linear(y), series) }
    }

    /// Bodies in a plane whose axes have equal units.
    pub fn bodies(x: impl Into<String>, y: impl Into<String>, bodies: Bodies) -> Self {
        Panel { aspect: Aspect::Equal, ..Panel::of(Axis::linear(x), Axis::linear(y), Content::Bodies(bodies)) }
    }

    /// A matrix of colours; its ranges are those of the axes.
    pub fn heat_map(x: impl Into<String>, y: impl Into<String>, map: HeatMap) -> Self {
        Panel::of(Axis::linear(x), Axis::linear(y), Content::HeatMap(map))
    }

    /// Error over work, both logarithmic: one line a method, with triangles of the given orders.
    pub fn work_precision(
        work: impl Into<String>,
        error: impl Into<String>,
        methods: Vec<Series>,
        orders: &[f64],
    ) -> Self {
        let slopes = orders.iter().map(|order| Slope { exponent: -order }).collect();
        Panel::of(Axis::log(work), Axis::log_absolute(error), Content::Curves { series: methods, slopes })
    }

    /// The same panel with a title.
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// The same panel with its legend elsewhere.
    pub fn with_legend(mut self, legend: Legend) -> Self {
        self.legend = legend;
        self
    }
}
