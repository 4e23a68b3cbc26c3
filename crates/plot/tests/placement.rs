//! Every kind of figure: nothing clipped, no text over another, no legend over data.

mod support;

use cotangent_plot::{Axis, Bodies, Figure, HeatMap, Joint, Legend, Panel, Series, Snapshot};
use support::{check, path};

fn range(count: i32, step: f64) -> Vec<f64> {
    (0..count).map(|i| f64::from(i) * step).collect()
}

fn pendulum() -> Panel {
    let at = |t: f64| vec![[0.0, 0.0], [t.sin(), -t.cos()], [t.sin() + (2.0 * t).sin(), -t.cos() - (2.0 * t).cos()]];
    let bodies = Bodies {
        snapshots: range(5, 0.3).into_iter().map(|t| Snapshot::new(format!("t = {t:.1}"), at(t))).collect(),
        rods: vec![(0, 1), (1, 2)],
        joints: vec![Joint::Support, Joint::Mass(1.0), Joint::Mass(1.5)],
        trails: vec![range(200, 0.006).into_iter().map(|t| at(t)[2]).collect()],
        ..Bodies::default()
    };
    Panel::bodies("x / m", "y / m", bodies)
}

fn diagram() -> Panel {
    let method = |name: &str, order: i32, cost: f64| {
        let steps = [1e2, 1e3, 1e4, 1e5_f64];
        let errors = steps.iter().map(|n| (3.0 / n).powi(order)).collect();
        Series::line_points(name, steps.iter().map(|n| n * cost).collect(), errors)
    };
    let methods = vec![method("RATTLE", 2, 1.0), method("Lobatto", 4, 3.0)];
    Panel::work_precision("evaluations", "error", methods, &[2.0, 4.0])
}

fn matrix(scale: Axis) -> Panel {
    let values = (0..600).map(|i| 1e-9 * f64::from(i + 1)).collect();
    Panel::heat_map("step h", "eccentricity e", HeatMap::new(30, 20, values, scale)).titled("Energy error")
}

fn waves(count: i32) -> Panel {
    let t = range(500, 0.02);
    let wave = |k: i32| {
        let y = t.iter().map(|t| 1.0 + 1e-9 * (3.0 * t + f64::from(k)).sin()).collect();
        Series::line(format!("run {k}"), t.clone(), y)
    };
    Panel::new(Axis::linear("time t"), Axis::linear("H"), (0..count).map(wave).collect()).titled("Waves")
}

#[test]
fn bodies_have_a_legend_beside_them() {
    let figure = check(&Figure::new("Pendulum").with(pendulum()).to_svg());
    assert!(figure.panels[0].legend.is_some() && figure.says("t = 1.2"));
}

#[test]
fn work_and_precision_have_slopes_and_names() {
    let figure = check(&Figure::new("Work").with(diagram()).to_svg());
    assert!(figure.says("slope −2") && figure.says("slope −4") && figure.says("Lobatto"));
}

#[test]
fn heat_maps_have_a_labelled_bar() {
    for scale in [Axis::linear("largest error"), Axis::log("largest error")] {
        let figure = check(&Figure::new("Errors").with(matrix(scale)).to_svg());
        assert!(figure.says("largest error") && figure.says("eccentricity e"));
    }
}

#[test]
fn a_legend_without_a_free_place_goes_outside() {
    for count in [1, 2, 6, 12, 40] {
        let figure = check(&Figure::new("Waves").with(waves(count)).to_svg());
        let (_, inside) = figure.panels[0].legend.unwrap();
        assert!(!inside, "{count} waves fill the frame");
    }
}

#[test]
fn panels_of_all_kinds_stand_side_by_side() {
    let panels = vec![pendulum(), diagram(), matrix(Axis::log("error")), waves(3)];
    for columns in 1..=4 {
        for size in [cotangent_plot::Size::Auto, cotangent_plot::Size::Fixed { width: 800.0, height: 700.0 }] {
            let figure = Figure { panels: panels.clone(), columns, size, ..Figure::new("All kinds") };
            let read = check(&figure.to_svg());
            assert_eq!(read.panels.len(), 4);
            let lefts: Vec<f64> = read.panels.iter().step_by(columns).map(|panel| panel.frame[0]).collect();
            assert!(lefts.iter().all(|left| *left == lefts[0]), "frames of a column are aligned: {lefts:?}");
        }
    }
}

#[test]
fn a_legend_can_be_anywhere_or_nowhere() {
    for legend in [Legend::Auto, Legend::Above, Legend::Right, Legend::Below] {
        assert!(check(&Figure::new("").with(diagram().with_legend(legend)).to_svg()).panels[0].legend.is_some());
    }
    assert!(check(&Figure::new("").with(diagram().with_legend(Legend::None)).to_svg()).panels[0].legend.is_none());
}

#[test]
fn orders_are_drawn_true_to_scale() {
    let svg = Figure::new("").with(diagram()).to_svg();
    let figure = check(&svg);
    let panel = &figure.panels[0];
    let [left, top, right, bottom] = panel.frame;
    let decade_x = (right - left) / (panel.x.hi - panel.x.lo);
    let decade_y = (bottom - top) / (panel.y.hi - panel.y.lo);
    let document = roxmltree::Document::parse(&svg).unwrap();
    let triangles = document.descendants().filter(|node| node.attribute("class") == Some("slope"));
    let slopes: Vec<f64> = triangles
        .map(|node| {
            let corners = path(node.attribute("d").unwrap()).concat();
            (corners[1][1] - corners[0][1]) / decade_y / ((corners[1][0] - corners[0][0]) / decade_x)
        })
        .collect();
    assert_eq!(slopes.len(), 2);
    assert!((slopes[0] - 2.0).abs() < 0.02 && (slopes[1] - 4.0).abs() < 0.02, "{slopes:?}");
}
