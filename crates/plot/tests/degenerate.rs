//! Awkward data: always a sensible picture or a clear message, never a panic.

mod support;

use cotangent_plot::{
    Axis, Bodies, ColourMap, Figure, HeatMap, Joint, Kind, Legend, Panel, Series, Slope, Snapshot, Style, Theme,
};
use proptest::prelude::*;
use support::{Figure as Read, check};

fn picture(x: Axis, y: Axis, series: Vec<Series>) -> Read {
    check(&Figure::new("Title").with(Panel::new(x, y, series)).to_svg())
}

fn one(y: Axis, values: &[f64]) -> Read {
    let x = (0..values.len()).map(|i| i as f64).collect();
    picture(Axis::linear("x"), y, vec![Series::line("a", x, values.to_vec())])
}

#[test]
fn a_figure_without_panels_says_so() {
    assert!(check(&Figure::new("Nothing").to_svg()).says("no panels"));
    assert!(check(&Figure::default().to_svg()).says("no panels"));
}

#[test]
fn panels_without_data_say_why() {
    assert!(picture(Axis::linear("x"), Axis::linear("y"), vec![]).says("no data"));
    assert!(one(Axis::linear("y"), &[]).says("no data"));
    assert!(one(Axis::linear("y"), &[f64::NAN, f64::NAN]).says("every value is not a number"));
    assert!(one(Axis::log("y"), &[0.0, -1.0]).says("no positive value"));
    assert!(one(Axis::linear("y"), &[f64::INFINITY, f64::NEG_INFINITY]).says("no finite value"));
}

#[test]
fn an_empty_series_beside_others_is_named_as_such() {
    let empty = Series::line("lost", vec![], vec![]);
    let full = Series::line("found", vec![0.0, 1.0], vec![0.0, 1.0]);
    assert!(picture(Axis::linear("x"), Axis::linear("y"), vec![empty, full]).says("lost (no data)"));
}

#[test]
fn constants_lie_in_the_middle() {
    for (axis, value) in [
        (Axis::log("y"), 1e-16),
        (Axis::log("y"), 5e-324),
        (Axis::log("y"), f64::MAX),
        (Axis::linear("y"), 0.0),
        (Axis::linear("y"), -3.0),
        (Axis::linear("y"), 1e-300),
        (Axis::linear("y"), 5e-324),
        (Axis::linear("y"), 1e308),
        (Axis::linear("y"), 1.6e308),
    ] {
        let figure = one(axis, &[value; 5]);
        let panel = &figure.panels[0];
        let [_, top, _, bottom] = panel.frame;
        for [_, y] in &panel.drawn {
            assert!(*y > top + 0.05 * (bottom - top) && *y < bottom - 0.05 * (bottom - top), "{value}: {y}");
        }
        assert!(!panel.drawn.is_empty() && panel.ticks.len() >= 4, "{value}: {:?}", panel.ticks);
    }
}

#[test]
fn the_largest_number_is_drawn() {
    assert!(!one(Axis::linear("y"), &[f64::MAX; 3]).panels[0].drawn.is_empty());
}

#[test]
fn a_single_point_is_a_dot_in_the_middle() {
    for kind in [Kind::Line, Kind::Points, Kind::LinePoints, Kind::Step] {
        let figure = picture(Axis::linear("x"), Axis::log("y"), vec![Series::new("a", kind, vec![2.0], vec![1e-9])]);
        assert!(figure.panels[0].drawn.len() + figure.panels[0].markers.len() > 0);
    }
}

#[test]
fn zeros_negatives_and_infinities_are_marked_and_counted() {
    let figure = one(Axis::log("y"), &[1.0, 0.0, 0.1, -2.0, 0.01, f64::INFINITY, 0.001, f64::NAN]);
    assert_eq!(figure.panels[0].edges, 3);
    assert!(figure.says("1 zero and 1 negative value"));
    assert!(figure.says("1 infinite value"));
    assert!(figure.says("1 value is not a number"));
    let figure = one(Axis::log_absolute("y"), &[1.0, 0.0, 0.1, -2.0, 0.01]);
    assert!(figure.says("1 zero on the logarithmic scale") && !figure.says("negative"));
}

#[test]
fn extreme_ranges_have_ticks() {
    for (axis, low, high) in [
        (Axis::log("y"), 1e-300, 1e300),
        (Axis::log("y"), 5e-324, f64::MAX),
        (Axis::linear("y"), -f64::MAX, f64::MAX),
        (Axis::linear("y"), 1e-300, 3e-300),
        (Axis::linear("y"), 0.0, 5e-324),
        (Axis::linear("y"), 1.0, 1.0 + 1e-12),
        (Axis::linear("y"), 1.0, 1.0 + f64::EPSILON),
        (Axis::linear("y"), -1e15, -1e15 + 0.5),
        (Axis::log("y"), 1.0, 1.0 + 1e-12),
        (Axis::log("y"), 1e-3, 1.001e-3),
    ] {
        let label = format!("{axis:?} {low:e} {high:e}");
        let figure = one(axis, &[low, high, low]);
        let ticks = figure.panels[0].ticks.iter().filter(|tick| (tick[0] - figure.panels[0].frame[0]).abs() < 0.01);
        assert!(ticks.count() >= 2, "{label}: {:?}", figure.texts);
    }
}

#[test]
fn a_range_near_rounding_is_written_with_an_offset() {
    let figure = one(Axis::linear("energy"), &[1.0, 1.0 + 3e-12, 1.0 + 1e-12]);
    assert!(figure.says("×10⁻¹² + 1"), "{:?}", figure.texts);
}

#[test]
fn impossible_fixed_ranges_are_replaced_and_noted() {
    for (axis, from, to) in [
        (Axis::linear("y"), f64::NAN, 1.0),
        (Axis::linear("y"), 1.0, 1.0),
        (Axis::linear("y"), 0.0, f64::INFINITY),
        (Axis::log("y"), -1.0, 1.0),
        (Axis::log_absolute("y"), -1.0, 1.0),
    ] {
        assert!(one(axis.from_to(from, to), &[1.0, 2.0]).says("cannot be shown"), "{from} {to}");
    }
    assert!(!one(Axis::linear("y").from_to(3.0, 0.0), &[1.0, 2.0]).says("cannot be shown"));
}

#[test]
fn thirty_series_with_long_names_fit() {
    let x: Vec<f64> = (0..50).map(f64::from).collect();
    let series = |k: i32, words: usize| {
        let name = format!("{}number {k}", "a very long name of a method with many options ".repeat(words));
        Series::line(name, x.clone(), x.iter().map(|x| (x * 0.2 + f64::from(k)).sin()).collect())
    };
    for words in [0, 1, 6] {
        let all: Vec<Series> = (0..30).map(|k| series(k, words)).collect();
        let figure = picture(Axis::linear("x"), Axis::linear("y"), all);
        assert!(figure.panels[0].legend.is_some());
        assert!((0..30).all(|k| figure.texts.iter().any(|text| text.text.ends_with(&format!(" {k}")))));
    }
}

#[test]
fn long_titles_and_labels_are_wrapped() {
    let long = "the residual of the hidden velocity constraints of the projected method ".repeat(6);
    let panel =
        Panel::new(Axis::linear(&long), Axis::log(&long), vec![Series::line(&long, vec![1.0, 2.0], vec![1.0, 5.0])]);
    for size in [None, Some((200.0, 150.0)), Some((1.0, 1.0)), Some((f64::NAN, -3.0)), Some((1500.0, 300.0))] {
        let mut figure = Figure::new(&long).with(panel.clone().titled(&long));
        if let Some((width, height)) = size {
            figure = figure.sized(width, height);
        }
        check(&figure.to_svg());
    }
}

#[test]
fn unequal_lengths_are_noted() {
    let figure =
        picture(Axis::linear("x"), Axis::linear("y"), vec![Series::line("a", vec![1.0, 2.0, 3.0], vec![1.0, 2.0])]);
    assert!(figure.says("3 values of x but 2 of y"));
}

#[test]
fn heat_maps_say_what_is_wrong() {
    let map = |columns, rows, values| HeatMap::new(columns, rows, values, Axis::linear("c"));
    let picture = |map| check(&Figure::new("").with(Panel::heat_map("x", "y", map)).to_svg());
    assert!(picture(map(2, 2, vec![1.0])).says("2 × 2 cells, but 1 values"));
    assert!(picture(map(0, 0, vec![])).says("no data"));
    assert!(picture(map(usize::MAX, 2, vec![])).says("cells"));
    assert!(picture(map(1, 2, vec![f64::NAN; 2])).says("every value is not a number"));
    assert!(picture(map(1, 1, vec![1.0]).over((0.0, 0.0), (0.0, 1.0))).says("empty or infinite interval"));
    assert!(picture(map(2, 1, vec![1.0, f64::NAN])).says("1 value is not a number: blank"));
    picture(map(2, 1, vec![1.0, 1.0]));
    picture(map(2, 1, vec![f64::INFINITY, 1.0]).over((1.0, -1.0), (5.0, 2.0)));
    let large = HeatMap { map: ColourMap::Cividis, ..map(1000, 700, (0..700_000).map(f64::from).collect()) };
    let svg = Figure::new("").with(Panel::heat_map("x", "y", large)).to_svg();
    assert!(svg.len() < 300_000, "{}", svg.len());
    assert!(check(&svg).says("farthest from the median"));
}

#[test]
fn bodies_may_be_missing_or_lost() {
    let picture = |bodies| check(&Figure::new("").with(Panel::bodies("x", "y", bodies)).to_svg());
    assert!(picture(Bodies::default()).says("no data"));
    let bodies = Bodies {
        snapshots: vec![Snapshot::new("t = 0", vec![[0.0, 0.0], [f64::NAN, 1.0], [1.0, 1.0]])],
        rods: vec![(0, 1), (1, 2), (0, 2), (7, 9)],
        hulls: vec![vec![], vec![0, 1], vec![0, 2], vec![99]],
        joints: vec![Joint::Mass(f64::NAN), Joint::Support],
        trails: vec![vec![], vec![[0.0, f64::INFINITY]]],
        ..Bodies::default()
    };
    assert!(picture(bodies).says("2 positions cannot be shown"));
}

#[test]
fn slopes_need_two_logarithmic_axes_and_room() {
    for exponent in [-4.0, 0.0, f64::NAN, 1e9, 1e-9, 2.0] {
        let mut panel = Panel::work_precision(
            "work",
            "error",
            vec![Series::line_points("m", vec![1.0, 1e3], vec![1.0, 1e-9])],
            &[],
        );
        if let cotangent_plot::Content::Curves { slopes, .. } = &mut panel.content {
            slopes.push(Slope { exponent });
        }
        check(&Figure::new("").with(panel).to_svg());
    }
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![4 => -10.0..10.0_f64, 1 => any::<f64>(), 1 => Just(0.0), 1 => Just(f64::NAN)]
}

fn any_series() -> impl Strategy<Value = Series> {
    let kind = prop_oneof![Just(Kind::Line), Just(Kind::Points), Just(Kind::LinePoints), Just(Kind::Step)];
    let numbers = || prop::collection::vec(any_number(), 0..30);
    (".{0,40}", kind, numbers(), numbers(), prop::option::of(any_number()))
        .prop_map(|(name, kind, x, y, width)| Series::new(name, kind, x, y).styled(Style { width, ..Style::default() }))
}

fn any_axis() -> impl Strategy<Value = Axis> {
    let scale = prop_oneof![Just(Axis::linear("")), Just(Axis::log("")), Just(Axis::log_absolute(""))];
    (scale, ".{0,60}", prop::option::of((any_number(), any_number()))).prop_map(|(mut axis, label, range)| {
        axis.label = label;
        match range {
            Some((from, to)) => axis.from_to(from, to),
            None => axis,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_figure_is_well_formed_and_nothing_overlaps(
        title in ".{0,80}",
        panels in prop::collection::vec((any_axis(), any_axis(), prop::collection::vec(any_series(), 0..6), any::<bool>()), 1..4),
        columns in 0..3_usize,
        share_x: bool,
        legend in prop_oneof![Just(Legend::Auto), Just(Legend::Right), Just(Legend::Below), Just(Legend::Above), Just(Legend::None)],
    ) {
        let panel = |(x, y, series, equal)| {
            let mut panel = Panel::new(x, y, series).with_legend(legend);
            if equal {
                panel.aspect = cotangent_plot::Aspect::Equal;
            }
            panel
        };
        let panels = panels.into_iter().map(panel).collect();
        let figure = Figure { title, panels, columns, share_x, theme: Theme::Auto, ..Figure::default() };
        check(&figure.to_svg());
    }
}

#[test]
fn panels_share_the_labels_of_x_only_if_their_axes_agree() {
    let panel = |from: f64, to: f64| {
        Panel::new(
            Axis::linear("t").from_to(from, to),
            Axis::linear("y"),
            vec![Series::line("", vec![0.0, 5.0], vec![0.0, 1.0])],
        )
    };
    let labels = |panels| {
        let figure = Figure { panels, share_x: true, ..Figure::default() };
        check(&figure.to_svg()).texts.iter().filter(|text| text.text == "t").count()
    };
    assert_eq!(labels(vec![panel(0.0, 5.0), panel(0.0, 5.0)]), 1);
    assert_eq!(labels(vec![panel(0.0, 5.0), panel(0.0, 4.0)]), 2);
}
