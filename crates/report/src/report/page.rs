//! The page around the sections.

use super::Report;
use crate::escape;
use crate::section::Section;
use std::fmt::Write;

const STYLE: &str = include_str!("../../assets/report.css");
const DARK: &str = include_str!("../../assets/dark.css");
const SCRIPTS: [&str; 10] = [
    include_str!("../../assets/numbers.js"),
    include_str!("../../assets/plot.js"),
    include_str!("../../assets/curves.js"),
    include_str!("../../assets/zoom.js"),
    include_str!("../../assets/legend.js"),
    include_str!("../../assets/animation.js"),
    include_str!("../../assets/bodies.js"),
    include_str!("../../assets/player.js"),
    include_str!("../../assets/page.js"),
    include_str!("../../assets/check.js"),
];
const LANGUAGE: &str = include_str!("../../assets/language.js");
const UPLOT_SCRIPT: &str = include_str!("../../assets/uplot/uPlot.iife.min.js");
const UPLOT_STYLE: &str = include_str!("../../assets/uplot/uPlot.min.css");
const UPLOT_LICENCE: &str = include_str!("../../assets/uplot/LICENSE");

/// Nothing but what is in the page itself.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; \
                      base-uri 'none'; form-action 'none'";

/// The page of the report with these insides of its sections.
pub(crate) fn html(report: &Report, bodies: &[String]) -> String {
    let plots = report.sections.iter().any(|section| matches!(section, Section::Plot(_)));
    let title = escape::short(if report.title.is_empty() { "Report" } else { &report.title });
    let mut out = String::with_capacity(200_000 + bodies.iter().map(String::len).sum::<usize>());
    let mut put = |pieces: &[&str]| pieces.iter().for_each(|piece| out.push_str(piece));
    put(&["<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"]);
    put(&["<meta http-equiv=\"Content-Security-Policy\" content=\"", POLICY, "\">\n"]);
    put(&["<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"]);
    put(&["<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"cotangent\">\n"]);
    put(&["<title>", &title, "</title>\n<style>\n"]);
    if plots {
        put(&[UPLOT_STYLE, "\n"]);
    }
    put(&[STYLE]);
    // Asked for by the reader's system or, where scripts run, by the button.
    put(&["@media screen and (prefers-color-scheme: dark) { :root:not([data-theme]) {\n", DARK, "} }\n"]);
    put(&[":root[data-theme=\"dark\"] {\n", DARK, "}\n"]);
    put(&["</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#content\">Skip to the content</a>\n"]);
    put(&["<header>\n<div><h1>", &title, "</h1>\n"]);
    if !report.subtitle.is_empty() {
        put(&["<p class=\"subtitle\">", &escape::short(&report.subtitle), "</p>\n"]);
    }
    put(&["</div>\n<div id=\"page-tools\"></div>\n</header>\n", &contents(report)]);
    put(&["<main id=\"content\">\n"]);
    for (id, (section, body)) in report.sections.iter().zip(bodies).enumerate() {
        put(&[&opening(id, section.title()), body, "</section>\n"]);
    }
    put(&["</main>\n<div id=\"self-check\" hidden></div>\n<script>\n"]);
    if plots {
        put(&[LANGUAGE, "/*!\n", UPLOT_LICENCE, "*/\n", UPLOT_SCRIPT, "\n"]);
    }
    put(&["(() => {\n\"use strict\";\n"]);
    put(&SCRIPTS);
    put(&["})();\n</script>\n</body>\n</html>\n"]);
    out
}

fn opening(id: usize, title: &str) -> String {
    match title {
        "" => format!("<section id=\"section-{id}\">\n"),
        title => format!(
            "<section id=\"section-{id}\" aria-labelledby=\"title-{id}\">\n<h2 id=\"title-{id}\">{}</h2>\n",
            escape::short(title)
        ),
    }
}

/// Links to the sections, if there are three with a title or more.
fn contents(report: &Report) -> String {
    let titled = || report.sections.iter().enumerate().filter(|(_, section)| !section.title().is_empty());
    if titled().count() < 3 {
        return String::new();
    }
    let mut links = String::new();
    for (id, section) in titled() {
        let title = escape::text(&escape::clip(section.title(), 80));
        let _ = write!(links, "<li><a href=\"#section-{id}\">{title}</a></li>");
    }
    format!("<nav aria-label=\"Contents\"><ul>{links}</ul></nav>\n")
}
