//! The page as text: small, closed to the outside, safe, the same every time.

mod samples;

use cotangent_report::{
    Align, Animation, Code, DestinationError, FILE_LIMIT, Formulas, Frame, Plot, Provenance, Report, ReportError,
    Section, Series, Space, Table, Text, check_destination,
};
use proptest::prelude::*;

/// The values of all attributes of this name in the markup (not in scripts, styles or data).
fn attributes<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    let key = format!(" {name}=\"");
    html.match_indices(&key).filter_map(|(at, _)| html[at + key.len()..].split('"').next()).collect()
}

/// The page without what is inside its scripts and styles.
fn markup(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    while let Some(at) = ["<script", "<style"].iter().filter_map(|tag| rest.find(tag)).min() {
        let close = if rest[at..].starts_with("<script") { "</script>" } else { "</style>" };
        let inside = at + rest[at..].find('>').expect("the end of the tag") + 1;
        out.push_str(&rest[..inside]);
        rest = &rest[inside + rest[inside..].find(close).expect("the end of the element")..];
        out.push_str(&rest[..close.len()]);
        rest = &rest[close.len()..];
    }
    out + rest
}

#[test]
fn nothing_is_asked_of_the_outside() {
    for report in [samples::sample(), samples::awkward()] {
        let html = report.to_html().unwrap();
        assert!(html.contains(
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; \
             style-src 'unsafe-inline'; img-src data:"
        ));
        assert!(!html.contains("@import") && !html.contains("url("));
        let markup = markup(&html);
        assert!(attributes(&markup, "src").is_empty());
        assert!(attributes(&markup, "href").iter().all(|target| target.starts_with('#')));
        for tag in ["<link", "<iframe", "<img", "<object", "<embed", "<base", "<form"] {
            assert!(!markup.contains(tag), "{tag}");
        }
    }
}

#[test]
fn whatever_is_put_in_the_file_stays_small_and_says_what_is_missing() {
    let html = samples::enormous().to_html().unwrap();
    assert!(html.len() < FILE_LIMIT, "{}", html.len());
    for said in ["points are in this file", "frames are in this file", "formulas are left out", "lines are left out"] {
        assert!(html.contains(said), "{said}");
    }
    let mut crowd = Report::new("x".repeat(1_000_000));
    for k in 0..300 {
        let name = format!("{}{k}", "&".repeat(2000));
        crowd = crowd
            .with(Plot::new(&name, &name, &name).describe(&name).with(Series::line(
                &name,
                vec![0.5; 900],
                vec![0.1; 900],
            )))
            .with(Table::new(&name, &name).column(&name, Align::Left).row([name.as_str().into()]));
    }
    match crowd.to_html() {
        Ok(html) => assert!(html.len() < FILE_LIMIT),
        Err(error) => assert!(matches!(error, ReportError::TooManySections { sections: 600, .. }), "{error}"),
    }
}

#[test]
fn the_same_report_gives_the_same_bytes() {
    assert_eq!(samples::sample().to_html().unwrap(), samples::sample().to_html().unwrap());
}

#[test]
fn a_report_without_plots_does_not_carry_the_plotting_library() {
    let html = Report::new("T").with(Text::new("", "x")).to_html().unwrap();
    assert!(html.len() < 60_000 && !html.contains("uPlot.iife") && !html.contains("Leon Sorokin"), "{}", html.len());
    let html = Report::new("T").with(Plot::new("P", "x", "y")).to_html().unwrap();
    assert!(html.contains("Leon Sorokin") && html.contains("THE SOFTWARE IS PROVIDED"));
}

#[test]
fn every_figure_has_a_name_and_every_section_a_heading() {
    let html = markup(&samples::sample().to_html().unwrap());
    assert_eq!(html.matches("<h1>").count(), 1);
    assert_eq!(html.matches("<h2 ").count(), html.matches("<section ").count());
    assert_eq!(html.matches("<figure ").count(), html.matches("aria-roledescription=").count());
    for label in attributes(&html, "aria-label").iter().chain(&attributes(&html, "aria-labelledby")) {
        assert!(!label.is_empty());
    }
}

/// Relative luminance of an sRGB colour `#rrggbb`.
fn luminance(colour: &str) -> f64 {
    let channel = |k: usize| {
        let value = f64::from(u8::from_str_radix(&colour[k..k + 2], 16).unwrap()) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}

#[test]
fn colours_have_the_contrast_of_wcag_aa_in_both_themes() {
    for style in [include_str!("../assets/report.css"), include_str!("../assets/dark.css")] {
        let colour = |name: &str| {
            let at = style.find(&format!("--{name}: #")).unwrap_or_else(|| panic!("{name}"));
            &style[at + name.len() + 4..at + name.len() + 11]
        };
        let contrast = |a: &str, b: &str| {
            let (a, b) = (luminance(colour(a)), luminance(colour(b)));
            (a.max(b) + 0.05) / (a.min(b) + 0.05)
        };
        for text in ["ink", "soft", "accent", "held", "broken", "undecided", "comment"] {
            for paper in ["paper", "raised"] {
                assert!(contrast(text, paper) >= 4.5, "{text} on {paper}: {:.2}", contrast(text, paper));
            }
        }
        for line in ["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "disc", "rod", "strong"] {
            assert!(contrast(line, "paper") >= 3.0, "{line}: {:.2}", contrast(line, "paper"));
        }
    }
}

#[test]
fn destinations_are_refused_before_and_replaced_in_one_step() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.html");
    check_destination(&path).unwrap();
    assert!(!path.exists());
    Report::new("first").write(&path).unwrap();
    Report::new("second").write(&path).unwrap();
    assert!(std::fs::read_to_string(&path).unwrap().contains("<title>second</title>"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    let refused = |name: &str| check_destination(folder.path().join(name)).unwrap_err();
    assert!(matches!(refused("report.txt"), ReportError::UnknownExtension { .. }));
    assert!(matches!(refused("missing/report.html"), ReportError::Destination(DestinationError::NoFolder { .. })));
    std::fs::create_dir(folder.path().join("folder.html")).unwrap();
    assert!(matches!(refused("folder.html"), ReportError::Destination(DestinationError::Folder { .. })));
    let mut permissions = path.metadata().unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).unwrap();
    assert!(matches!(refused("report.html"), ReportError::Destination(DestinationError::Protected { .. })));
}

/// A report with this text wherever text can be.
fn everywhere(text: &str) -> Report {
    let frame = Frame { time: 0.0, positions: vec![[0.0; 3]], headings: vec![] };
    let mut animation = Animation::new(text, Space::Plane, vec![frame]);
    animation.description = text.into();
    let provenance = Provenance {
        version: text.into(),
        command: text.into(),
        model: text.into(),
        platform: Some(text.into()),
        seed: None,
        date: Some(text.into()),
        more: vec![(text.into(), text.into())],
    };
    let sections: [Section; 7] = [
        Text::new(text, text).into(),
        Table::new(text, text).column(text, Align::Left).row([text.into()]).into(),
        Formulas::new(text).with(text, text).into(),
        Code::new(text, text, text).into(),
        Plot::new(text, text, text).describe(text).with(Series::line(text, vec![0.0], vec![1.0])).into(),
        animation.into(),
        provenance.into(),
    ];
    sections.into_iter().fold(Report::new(text).subtitle(text), Report::with)
}

/// The tags of the page, without their attributes, and the names of all attributes.
fn skeleton(html: &str) -> Vec<String> {
    let math = |markup: &str| {
        let mut out = String::new();
        let mut rest = markup;
        while let Some((before, after)) = rest.split_once("<math") {
            out.push_str(before);
            rest = after.split_once("</math>").expect("the end of the formula").1;
        }
        out + rest
    };
    let markup = math(&markup(html));
    markup.split('<').skip(1).map(|tag| tag.split(['>', ' ']).next().unwrap_or("").to_owned()).collect()
}

#[test]
fn hostile_text_is_only_text() {
    let html = everywhere(samples::HOSTILE).to_html().unwrap();
    let tags = skeleton(&html);
    assert_eq!(tags.iter().filter(|tag| *tag == "script").count(), 3);
    assert!(!tags.iter().any(|tag| tag == "img"));
    assert!(!markup(&html).contains("onerror=alert(1)>"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_text_changes_the_elements_of_the_page(text in "[a-z<>&\"'/!=\\\\{}^_ -]{1,40}") {
        let known: std::collections::HashSet<String> =
            skeleton(&everywhere("word").to_html().unwrap()).into_iter().chain(
                ["code", "/code", "ul", "/ul", "li", "/li", "span", "/span"].map(String::from)).collect();
        for tag in skeleton(&everywhere(&text).to_html().unwrap()) {
            prop_assert!(known.contains(&tag), "{tag} from {text:?}");
        }
    }

    #[test]
    fn any_text_and_any_numbers_make_a_page(text in "\\PC*", values in prop::collection::vec(any::<f64>(), 0..60)) {
        let mut report = everywhere(&text);
        report.sections.push(Plot::new("", "", "").with(Series::line("", values.clone(), values.clone())).into());
        let frame = |x: &f64| Frame { time: *x, positions: vec![[*x, -x, x * 2.0]], headings: vec![] };
        report.sections.push(Animation::new("", Space::Three, values.iter().map(frame).collect()).into());
        prop_assert!(report.to_html().unwrap().len() < FILE_LIMIT);
    }
}
