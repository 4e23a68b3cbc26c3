//! Reports in a real browser: what is drawn, what moves, what the mouse and the keys do.
//!
//! Without a browser these tests say that they are skipped; `scripts/setup-browser` installs one.
#![cfg(unix)]

mod devtools;
mod samples;

use cotangent_report::{Animation, End, Frame, Plot, Report, Scale, Series, Space, Vehicle};
use devtools::Browser;
use serde_json::{Value, json};
use std::path::PathBuf;

/// The report, open in a browser; none if there is no browser.
#[allow(clippy::print_stderr)]
fn open(report: &Report) -> Option<(Browser, tempfile::TempDir)> {
    let Some(program) = devtools::find() else {
        eprintln!("skipped: no browser; run scripts/setup-browser or set COTANGENT_BROWSER");
        return None;
    };
    let folder = tempfile::tempdir().expect("a directory");
    let path: PathBuf = folder.path().join("report.html");
    report.write(&path).expect("the report is written");
    let mut browser = Browser::start(&program);
    browser.open(&path);
    Some((browser, folder))
}

fn plot<'a>(check: &'a Value, title: &str) -> &'a Value {
    check["plots"].as_array().and_then(|plots| plots.iter().find(|p| p["title"] == title)).expect("the plot")
}

fn has_label(plot: &Value, axis: usize, label: &str) -> bool {
    plot["labels"][axis].as_array().is_some_and(|labels| labels.contains(&json!(label)))
}

#[test]
fn every_plot_is_drawn_and_the_animation_moves() {
    let Some((mut browser, _folder)) = open(&samples::sample()) else { return };
    let check = browser.check();
    assert_eq!(check["failures"], json!([]));
    assert_eq!(check["plots"].as_array().map(Vec::len), Some(4));
    for plot in check["plots"].as_array().into_iter().flatten() {
        for series in plot["series"].as_array().into_iter().flatten() {
            assert!(series["pixels"].as_u64() > Some(30), "{}: {series}", plot["title"]);
        }
    }
    assert_eq!(check["animations"][0]["moved"], json!(true));
    assert!(has_label(plot(&check, "Constraint residuals"), 1, "10⁻¹⁶"), "{check}");
    assert!(plot(&check, "Constraint residuals")["note"].as_str().is_some_and(|n| n.contains("zero or negative")));
    // It plays by itself once it is in view.
    browser.middle("figure.animation canvas");
    browser.wait("cotangentCheck().animations[0].position > 1");
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn awkward_data_are_drawn_without_an_error() {
    let Some((mut browser, _folder)) = open(&samples::awkward()) else { return };
    let check = browser.check();
    assert_eq!(check["failures"], json!([]));
    assert!(plot(&check, "Zeros on a logarithmic axis")["note"].as_str().is_some_and(|n| n.starts_with("30 values")));
    assert!(plot(&check, "Nothing positive")["note"].as_str().is_some_and(|n| n.contains("the axis is linear")));
    for title in [
        "Gaps",
        "Six hundred decades",
        "Small changes of a large value",
        "Constant",
        "Infinite",
        "The largest numbers",
        "One point",
    ] {
        assert!(plot(&check, title)["series"][0]["pixels"].as_u64() > Some(5), "{title}");
    }
    assert!(has_label(plot(&check, "Gaps"), 1, "10⁻⁶"), "{}", plot(&check, "Gaps"));
    for animation in check["animations"].as_array().into_iter().flatten() {
        assert_eq!(animation["moved"], json!(true), "{animation}");
    }
    // Nothing of the hostile text became markup.
    assert_eq!(browser.evaluate("document.querySelectorAll('img').length"), json!(0));
    assert_eq!(browser.evaluate("document.querySelectorAll('script:not([type])').length"), json!(1));
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn the_mouse_zooms_moves_and_resets() {
    let Some((mut browser, _folder)) = open(&samples::sample()) else { return };
    let (x, y) = browser.middle("figure.plot .u-over");
    let view = |browser: &mut Browser| browser.check()["plots"][0]["view"].clone();
    let all = view(&mut browser);
    browser.drag((x - 100.0, y - 60.0), (x + 100.0, y + 60.0), false);
    let zoomed = view(&mut browser);
    let width = |view: &Value| view["x"][1].as_f64().zip(view["x"][0].as_f64()).map_or(0.0, |(b, a)| b - a);
    assert!(width(&zoomed) < 0.3 * width(&all), "{all} {zoomed}");
    browser.drag((x, y), (x + 50.0, y), true);
    let moved = view(&mut browser);
    assert!(moved["x"][0].as_f64() < zoomed["x"][0].as_f64(), "{zoomed} {moved}");
    assert!((width(&moved) - width(&zoomed)).abs() < 1e-9 * width(&all));
    browser.click((x, y), 2);
    assert_eq!(view(&mut browser), all);
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn the_cursor_reads_values_off_in_every_plot_of_the_same_time() {
    let Some((mut browser, _folder)) = open(&samples::sample()) else { return };
    let place = browser.middle("figure.plot .u-over");
    browser.mouse("mouseMoved", place, false, 0);
    browser.wait("cotangentCheck().plots[0].legend.includes('time = ')");
    let check = browser.check();
    assert!(check["plots"][0]["legend"].as_str().is_some_and(|l| l.contains("time = ")), "{check}");
    assert!(check["plots"][1]["legend"].as_str().is_some_and(|l| l.contains("time = ")), "{check}");
    assert!(!check["plots"][2]["legend"].as_str().is_some_and(|l| l.contains("angle = ")), "{check}");
}

#[test]
fn scales_and_themes_switch() {
    let Some((mut browser, _folder)) = open(&samples::sample()) else { return };
    assert!(has_label(&browser.check()["plots"][0], 1, "10⁻⁹"));
    let button = browser.middle("figure.plot .tools button");
    browser.click(button, 1);
    let check = browser.check();
    assert!(has_label(&check["plots"][0], 1, "0"), "{}", check["plots"][0]["labels"]);
    assert!(!has_label(&check["plots"][0], 1, "10⁻⁹"), "{}", check["plots"][0]["labels"]);
    assert!(check["plots"][0]["series"][0]["pixels"].as_u64() > Some(100));
    let theme = "document.documentElement.dataset.theme";
    assert_eq!(browser.evaluate(theme), json!("light"));
    browser.media("screen", &[("prefers-color-scheme", "dark")]);
    browser.wait(&format!("{theme} === 'dark'"));
    assert!(browser.check()["plots"][1]["series"][0]["pixels"].as_u64() > Some(100));
    let button = browser.middle("#page-tools button");
    browser.click(button, 1);
    assert_eq!(browser.evaluate(theme), json!("light"));
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn the_keys_play_pause_and_step() {
    let Some((mut browser, _folder)) = open(&samples::sample()) else { return };
    let drawing = "document.querySelector('figure.animation .drawing')";
    let state = |browser: &mut Browser| {
        let check = browser.check();
        (check["animations"][0]["playing"].clone(), check["animations"][0]["position"].clone())
    };
    browser.evaluate(&format!("{drawing}.focus()"));
    assert_eq!(state(&mut browser).0, json!(true));
    browser.key(" ");
    assert_eq!(state(&mut browser).0, json!(false));
    browser.key("End");
    assert_eq!(state(&mut browser).1, json!(449));
    browser.key("ArrowLeft");
    assert_eq!(state(&mut browser).1, json!(448));
    browser.key("Home");
    assert_eq!(state(&mut browser).1, json!(0));
    browser.key(" ");
    let middle = browser.middle("figure.animation input");
    browser.click(middle, 1);
    browser.wait("Math.abs(cotangentCheck().animations[0].position - 224) < 40");
    assert_eq!(state(&mut browser).0, json!(false));
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn who_wants_less_motion_gets_a_pause() {
    let Some((mut browser, folder)) = open(&samples::sample()) else { return };
    browser.media("screen", &[("prefers-reduced-motion", "reduce")]);
    browser.call("Page.navigate", json!({ "url": "about:blank" }));
    browser.open(&folder.path().join("report.html"));
    assert_eq!(browser.check()["animations"][0]["playing"], json!(false));
}

#[test]
fn a_narrow_screen_needs_no_scrolling_sideways() {
    for report in [samples::sample(), samples::awkward()] {
        let Some((mut browser, _folder)) = open(&report) else { return };
        let screen = json!({ "width": 360, "height": 700, "deviceScaleFactor": 2, "mobile": true });
        browser.call("Emulation.setDeviceMetricsOverride", screen);
        browser.wait("document.querySelector('.uplot').clientWidth < 360");
        assert_eq!(browser.evaluate("document.documentElement.scrollWidth"), json!(360));
        assert_eq!(browser.errors, Vec::<String>::new());
    }
}

#[test]
fn printing_is_light_and_without_controls() {
    let Some((mut browser, _folder)) = open(&samples::sample()) else { return };
    browser.media("screen", &[("prefers-color-scheme", "dark")]);
    browser.wait("document.documentElement.dataset.theme === 'dark'");
    let seen = "window.seen = []; addEventListener('beforeprint', () => \
                seen.push(document.documentElement.dataset.theme, matchMedia('print').matches))";
    browser.evaluate(seen);
    let pdf = browser.call("Page.printToPDF", json!({ "printBackground": true }));
    assert!(pdf["data"].as_str().is_some_and(|data| data.len() > 50_000));
    assert_eq!(browser.evaluate("seen[0]"), json!("light"));
    browser.wait("document.documentElement.dataset.theme === 'dark'");
    browser.media("print", &[]);
    assert_eq!(browser.evaluate("getComputedStyle(document.querySelector('.tools')).display"), json!("none"));
    assert_eq!(browser.errors, Vec::<String>::new());
}

/// How many pixels of the animation have the colour, their middle, and whether they rise to the
/// right (positive) or fall.
fn ink(browser: &mut Browser, name: &str) -> [f64; 4] {
    let script = format!(
        "(() => {{ const c = document.querySelector('figure.animation canvas'); \
         const hex = getComputedStyle(document.documentElement).getPropertyValue('{name}').trim(); \
         const ink = [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16)); \
         const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; const at = []; \
         for (let k = 0; k < d.length; k += 4) if ([0, 1, 2].every((i) => Math.abs(d[k + i] - ink[i]) < 12)) \
         at.push([(k / 4) % c.width, Math.floor(k / 4 / c.width)]); \
         const mean = (i) => at.reduce((s, p) => s + p[i], 0) / at.length; const [x, y] = [mean(0), mean(1)]; \
         return [at.length, x / c.width, y / c.height, at.reduce((s, p) => s - (p[0] - x) * (p[1] - y), 0)]; }})()"
    );
    let found = browser.evaluate(&script);
    [0, 1, 2, 3].map(|k| found[k].as_f64().unwrap_or(0.0))
}

#[test]
fn bodies_rods_and_vehicles_are_where_they_are() {
    let positions = vec![[0.0, 0.0, 0.0], [4.0, 3.0, 0.0], [3.0, 0.5, 0.0]];
    let frame = Frame { time: 0.0, positions, headings: vec![0.7] };
    let animation = Animation {
        rods: vec![(End::Body(0), End::Body(1))],
        discs: Some(vec![1]),
        vehicles: vec![Vehicle { body: 2, length: 1.0, width: 0.2 }],
        ..Animation::new("A", Space::Plane, vec![frame])
    };
    let Some((mut browser, _folder)) = open(&Report::new("R").with(animation)) else { return };
    let disc = ink(&mut browser, "--disc");
    assert!(disc[0] > 30.0 && disc[1] > 0.6 && disc[2] < 0.4, "the upper right: {disc:?}");
    let rod = ink(&mut browser, "--rod");
    assert!(rod[0] > 300.0 && rod[3] > 0.0, "it rises to the right: {rod:?}");
    let vehicle = ink(&mut browser, "--s0");
    assert!(vehicle[0] > 50.0 && vehicle[2] > 0.5 && vehicle[3] > 0.0, "it heads up and to the right: {vehicle:?}");
}

#[test]
fn a_band_is_drawn_between_its_ends_and_units_can_be_equal() {
    let t: Vec<f64> = (0..100).map(f64::from).collect();
    let circle = |f: fn(f64) -> f64| t.iter().map(|t| f(t * 0.2)).collect::<Vec<f64>>();
    let band = Plot::new("Band", "t", "y").with(Series::band("b", &t, &[-1.0; 100], &[2.0; 100]));
    let orbit = Plot::new("Orbit", "q", "p").equal_units().with(Series::line("o", circle(f64::cos), circle(f64::sin)));
    let rest = Plot::new("Rest", "q", "p").with(Series::line("r", vec![1.0; 50], vec![1.0; 50]));
    let lost = Plot::new("Lost", "t", "y").y_scale(Scale::Log).with(Series::line("n", t.clone(), vec![f64::NAN; 100]));
    let Some((mut browser, _folder)) = open(&Report::new("R").with(band).with(orbit).with(rest).with(lost)) else {
        return;
    };
    let check = browser.check();
    assert_eq!(check["failures"], json!([]));
    let view = &plot(&check, "Band")["view"];
    assert!(view["y"][0].as_f64() < Some(-1.0) && view["y"][1].as_f64() > Some(2.0), "{view}");
    assert!(plot(&check, "Band")["series"][0]["pixels"].as_u64() > Some(500));
    let orbit = plot(&check, "Orbit");
    let unit = |axis: &str, side: usize| {
        let [a, b] = [0, 1].map(|k| orbit["view"][axis][k].as_f64().expect("a number"));
        (b - a) / orbit["area"][side].as_f64().expect("a size")
    };
    assert!((unit("x", 0) / unit("y", 1) - 1.0).abs() < 1e-6, "{orbit}");
    assert!(plot(&check, "Rest")["series"][0]["pixels"].as_u64() > Some(5), "a point at rest is a disc");
    assert_eq!(plot(&check, "Lost")["note"], json!("There are no values of y."));
}

#[test]
fn keys_and_fingers_zoom_and_the_page_says_so() {
    let Some((mut browser, _folder)) = open(&samples::sample()) else { return };
    let width = |browser: &mut Browser| {
        let view = &browser.check()["plots"][0]["view"]["x"];
        view[1].as_f64().expect("a number") - view[0].as_f64().expect("a number")
    };
    let all = width(&mut browser);
    browser.evaluate("document.querySelector('figure.plot .drawing').focus()");
    browser.key("+");
    let closer = width(&mut browser);
    assert!((closer - all / 1.4).abs() < 1e-9 * all, "{closer} of {all}");
    browser.key("-");
    assert!((width(&mut browser) - all).abs() < 1e-9 * all);
    browser.key("0");
    let described = browser.evaluate(
        "document.querySelector('figure.plot .drawing').getAttribute('aria-describedby').split(' ') \
         .map((id) => document.getElementById(id).textContent).join(' ')",
    );
    assert!(described.as_str().is_some_and(|said| said.contains("arrows move")), "{described}");
    let (x, y) = browser.middle("figure.plot .u-over");
    let fingers = |apart: f64| json!([{ "x": x - apart, "y": y, "id": 0 }, { "x": x + apart, "y": y, "id": 1 }]);
    browser.call("Input.dispatchTouchEvent", json!({ "type": "touchStart", "touchPoints": fingers(40.0) }));
    for apart in [50.0, 60.0, 70.0, 80.0] {
        browser.call("Input.dispatchTouchEvent", json!({ "type": "touchMove", "touchPoints": fingers(apart) }));
    }
    browser.call("Input.dispatchTouchEvent", json!({ "type": "touchEnd", "touchPoints": [] }));
    assert!(width(&mut browser) < 0.7 * all, "{} of {all}", width(&mut browser));
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn paper_has_several_frames_and_a_narrow_screen_two_labels() {
    let Some((mut browser, _folder)) = open(&samples::sample()) else { return };
    browser.evaluate("window.stills = 0; addEventListener('beforeprint', () => { stills = document.querySelectorAll('.stills canvas').length; })");
    browser.call("Page.printToPDF", json!({ "printBackground": true }));
    assert_eq!(browser.evaluate("stills"), json!(4));
    browser.wait("document.querySelectorAll('.stills').length === 0");
    let screen = json!({ "width": 320, "height": 700, "deviceScaleFactor": 2, "mobile": true });
    browser.call("Emulation.setDeviceMetricsOverride", screen);
    browser.wait("document.querySelector('.uplot').clientWidth < 320");
    for plot in browser.check()["plots"].as_array().into_iter().flatten() {
        for axis in [0, 1] {
            let labels = plot["labels"][axis].as_array().into_iter().flatten().filter(|l| **l != json!(""));
            assert!(labels.count() >= 2, "{plot}");
        }
    }
    assert_eq!(browser.errors, Vec::<String>::new());
}
