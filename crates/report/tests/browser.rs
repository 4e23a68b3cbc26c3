//! Reports in a real browser: what is drawn, what moves, what the mouse and the keys do.
//!
//! Without a browser these tests say that they are skipped; `scripts/setup-browser` installs one.
#![cfg(unix)]

mod devtools;
mod samples;

use cotangent_report::Report;
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
