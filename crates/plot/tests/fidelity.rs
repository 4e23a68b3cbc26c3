//! What is drawn is what was given: no false features, no lost peaks.

mod support;

use cotangent_plot::{Axis, Figure, Kind, Panel, Series};
use proptest::prelude::*;
use support::{check, extremes, tolerance};

fn coordinate(log: bool, value: f64) -> Option<f64> {
    match log {
        false => Some(value).filter(|value| value.is_finite()),
        true => Some(value.log10()).filter(|value| value.is_finite()),
    }
}

/// The drawn extremes equal those of the data.
fn assert_faithful(kind: Kind, x: &[f64], y: &[f64], log: bool) {
    let axis = if log { Axis::log("y") } else { Axis::linear("y") };
    let series = Series::new("data", kind, x.to_vec(), y.to_vec());
    let svg = Figure::new("").with(Panel::new(Axis::linear("x"), axis, vec![series])).to_svg();
    let figure = check(&svg);
    let panel = &figure.panels[0];
    let pairs = x.iter().zip(y).filter_map(|(&x, &y)| Some((coordinate(false, x)?, coordinate(log, y)?)));
    let mut data = [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY];
    for (x, y) in pairs {
        data = [data[0].min(x), data[1].max(x), data[2].min(y), data[3].max(y)];
    }
    if data[0] > data[1] {
        assert!(panel.drawn.is_empty() && figure.says("no "), "{:?}", figure.texts);
        return;
    }
    let (drawn, slack) = (extremes(panel), tolerance(panel));
    for i in 0..4 {
        assert!((drawn[i] - data[i]).abs() <= slack[i / 2], "{i}: drawn {drawn:?}, data {data:?}, slack {slack:?}");
    }
}

fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => -1e3..1e3_f64,
        2 => (-300.0..300.0_f64).prop_map(|e| 10_f64.powf(e)),
        1 => Just(0.0),
        1 => Just(f64::NAN),
        1 => Just(f64::INFINITY),
        1 => Just(f64::NEG_INFINITY),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn short_series_are_drawn_exactly(y in prop::collection::vec(value(), 1..60), log: bool, steps: bool) {
        let x: Vec<f64> = (0..y.len()).map(|i| i as f64).collect();
        assert_faithful(if steps { Kind::Step } else { Kind::Line }, &x, &y, log);
    }

    #[test]
    fn curves_are_drawn_exactly(points in prop::collection::vec((-5.0..5.0_f64, -2.0..9.0_f64), 1..60)) {
        let (x, y): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
        assert_faithful(Kind::Line, &x, &y, false);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn dense_series_keep_their_extremes(seed: u64, count in 2500..30_000_usize, log: bool, ordered: bool) {
        let mut random = noise(seed);
        let x: Vec<f64> = (0..count).map(|i| if ordered { i as f64 } else { random() }).collect();
        let y: Vec<f64> = (0..count).map(|_| 10_f64.powf(-6.0 * random())).collect();
        assert_faithful(Kind::Line, &x, &y, log);
    }
}

#[test]
fn single_samples_in_a_million_stand_out() {
    let count = 1_000_000;
    let mut random = noise(5);
    let x: Vec<f64> = (0..count).map(f64::from).collect();
    let mut y: Vec<f64> = x.iter().map(|_| 1e-12 * (1.0 + 0.2 * random())).collect();
    let spikes = [1_usize, 123_456, 500_001, 777_777, 999_998];
    for &spike in &spikes {
        y[spike] = 1e-5;
    }
    y[333_333] = 1e-16;
    for log in [false, true] {
        assert_faithful(Kind::Line, &x, &y, log);
        let axis = if log { Axis::log("error") } else { Axis::linear("error") };
        let panel = Panel::new(Axis::linear("step"), axis, vec![Series::line("", x.clone(), y.clone())]);
        let svg = Figure::new("").with(panel).to_svg();
        assert!(svg.len() < 300_000, "{}", svg.len());
        let figure = check(&svg);
        let panel = &figure.panels[0];
        let [left, top, right, bottom] = panel.frame;
        for &spike in &spikes {
            let at = left + (spike as f64 - panel.x.lo) / (panel.x.hi - panel.x.lo) * (right - left);
            let near = panel.drawn.iter().filter(|point| (point[0] - at).abs() < 0.02);
            let highest = near.map(|point| point[1]).fold(f64::INFINITY, f64::min);
            assert!(highest < top + 0.1 * (bottom - top), "spike at {spike}: {highest}");
        }
        let high = panel.drawn.iter().filter(|point| point[1] < top + 0.3 * (bottom - top)).count();
        assert_eq!(high, spikes.len(), "no other point is high");
    }
}

#[test]
fn gaps_stay_open() {
    let x: Vec<f64> = (0..100).map(f64::from).collect();
    let mut y = x.clone();
    y[40] = f64::NAN;
    y[41] = f64::NAN;
    y[43] = f64::NAN;
    let panel = Panel::new(Axis::linear("x"), Axis::linear("y"), vec![Series::line("", x, y)]);
    let figure = check(&Figure::new("").with(panel).to_svg());
    let mut lengths: Vec<usize> = figure.panels[0].lines.iter().map(Vec::len).collect();
    lengths.sort_unstable();
    assert_eq!(lengths, [2, 40, 56], "the point between two gaps is a dot, drawn as a line without length");
    assert!(figure.says("3 values are not numbers"));
}

#[test]
fn a_gap_wider_than_a_pixel_stays_open_in_a_dense_series() {
    let x: Vec<f64> = (0..100_000).map(f64::from).collect();
    let y = x.iter().map(|&x| if (50_000.0..51_000.0).contains(&x) { f64::NAN } else { x.sin() }).collect();
    let panel = Panel::new(Axis::linear("x"), Axis::linear("y"), vec![Series::line("", x, y)]);
    assert_eq!(check(&Figure::new("").with(panel).to_svg()).panels[0].lines.len(), 2);
}

#[test]
fn lines_are_cut_at_a_fixed_range_and_the_rest_is_counted() {
    let x: Vec<f64> = (0..=10).map(f64::from).collect();
    let y = vec![0.0, 1.0, 0.5, 1e300, 0.5, -1e300, 0.5, 0.2, 0.1, 0.9, 0.3];
    let panel = Panel::new(Axis::linear("x"), Axis::linear("y").from_to(0.0, 1.0), vec![Series::line("", x, y)]);
    let figure = check(&Figure::new("").with(panel).to_svg());
    assert!(figure.says("2 points lie outside the range shown"));
}

#[test]
fn units_are_equally_long_in_a_phase_portrait() {
    let angle: Vec<f64> = (0..400).map(|i| f64::from(i) * 0.0158).collect();
    let circle = Series::line("", angle.iter().map(|a| a.cos()).collect(), angle.iter().map(|a| a.sin()).collect());
    let figure = check(&Figure::new("").with(Panel::phase_portrait("q", "p", vec![circle])).to_svg());
    let panel = &figure.panels[0];
    let [left, top, right, bottom] = panel.frame;
    let (x, y) = ((right - left) / (panel.x.hi - panel.x.lo), (bottom - top) / (panel.y.hi - panel.y.lo));
    assert!((x / y - 1.0).abs() < 1e-3, "{x} {y}");
}
