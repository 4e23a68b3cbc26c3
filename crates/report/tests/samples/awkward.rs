//! Reports that are hard to draw.

use cotangent_report::{Animation, Code, End, Formulas, Frame, Plot, Report, Scale, Series, Space, Text, Vehicle};

/// Text that would break a page if it were not escaped.
pub(crate) const HOSTILE: &str =
    "</script></style><script>alert('x')</script><img src=x onerror=alert(1)>\"'&amp;<!-- \u{2028} ∂é漢";

/// Everything that is not a well-behaved series or animation.
pub(crate) fn awkward() -> Report {
    let t: Vec<f64> = (0..200).map(f64::from).collect();
    let gaps = t.iter().map(|&t| if t % 20.0 < 3.0 { 0.0 } else { 1e-16 * (1.0 + t % 7.0) }).collect();
    let broken = t.iter().map(|&t| if t % 25.0 < 5.0 { f64::NAN } else { 1e-8 * t }).collect();
    let steep = t.iter().map(|&t| 1e-300 * 10f64.powf(t * 3.0)).collect();
    let offset = t.iter().map(|&t| -9.81 + 1e-12 * (t * 0.1).sin()).collect();
    let lines = |title: &str, scale, y: Vec<f64>| {
        Plot::new(title, "index", "value").y_scale(scale).with(Series::line("curve", t.clone(), y))
    };
    let circle = |r: f64| -> Series {
        let angle = |k: i32| f64::from(k) * 0.0628;
        let (x, y) = ((0..=100).map(|k| r * angle(k).cos()).collect(), (0..=100).map(|k| r * angle(k).sin()).collect());
        Series::line(format!("radius {r}"), x, y)
    };
    let mut many = Plot::new("Twelve series", "index", "value").y_scale(Scale::Log);
    many.series = (1..=12)
        .map(|k| Series::line(format!("series {k}"), t.clone(), t.iter().map(|t| f64::from(k) * (1.0 + t)).collect()))
        .collect();
    Report::new(HOSTILE)
        .subtitle(HOSTILE)
        .with(Text::new(HOSTILE, HOSTILE))
        .with(lines("Zeros on a logarithmic axis", Scale::Log, gaps))
        .with(lines("Gaps", Scale::Linear, broken))
        .with(lines("Six hundred decades", Scale::Log, steep))
        .with(lines("Small changes of a large value", Scale::Linear, offset))
        .with(lines("Constant", Scale::Linear, vec![3.0; 200]))
        .with(lines("Nothing positive", Scale::Log, vec![-1.0; 200]))
        .with(lines("Infinite", Scale::Linear, t.iter().map(|&t| if t == 100.0 { f64::INFINITY } else { t }).collect()))
        .with(lines("The largest numbers", Scale::Linear, t.iter().map(|t| f64::MAX * (t * 0.1).sin()).collect()))
        .with(Plot::new("Empty", "", ""))
        .with(Plot::new("One point", "x", "y").with(Series::line("point", vec![1.0], vec![2.0])))
        .with(Plot::new("Circles", "x", "y").equal_units().with(circle(1.0)).with(circle(0.5)))
        .with(many)
        .with(Plot::new(HOSTILE, HOSTILE, HOSTILE).describe(HOSTILE).with(Series::line(
            HOSTILE,
            vec![0.0, 1.0],
            vec![0.0, 1.0],
        )))
        .with(space())
        .with(skate())
        .with(Formulas::new("Formulas").with(HOSTILE, HOSTILE))
        .with(Code::new("Listing", HOSTILE, HOSTILE))
}

/// Two rods in space.
fn space() -> Animation {
    let frame = |k: i32| {
        let t = f64::from(k) * 0.05;
        let a = [0.8 * t.cos(), 0.8 * t.sin(), -0.6];
        Frame {
            time: t,
            positions: vec![a, [a[0] + 0.6 * (2.0 * t).cos(), a[1] + 0.6 * (2.0 * t).sin(), -1.2]],
            headings: vec![],
        }
    };
    let mut animation = Animation::new("Double pendulum in space", Space::Three, (0..200).map(frame).collect());
    animation.rods = vec![(End::Fixed([0.0; 3]), End::Body(0)), (End::Body(0), End::Body(1))];
    animation.trails = vec![1];
    animation
}

/// A vehicle on a curve, with a frame that is missing.
fn skate() -> Animation {
    let frame = |k: i32| {
        let t = f64::from(k) * 0.05;
        let place = if k == 50 { [f64::NAN; 3] } else { [2.0 * t.sin(), (2.0 * t).sin(), 0.0] };
        Frame { time: t, positions: vec![place], headings: vec![(2.0 * (2.0 * t).cos()).atan2(2.0 * t.cos())] }
    };
    let mut animation = Animation::new("Skate", Space::Plane, (0..126).map(frame).collect());
    animation.vehicles = vec![Vehicle { body: 0, length: 0.5, width: 0.22 }];
    animation.trails = vec![0];
    animation.trail_length = 0.4;
    animation
}

/// Far more than fits: a million points, ten thousand frames of 200 bodies, long texts.
pub(crate) fn enormous() -> Report {
    let t: Vec<f64> = (0..1_000_000).map(|k| f64::from(k) * 1e-3).collect();
    let y = t.iter().map(|t| (t * 0.01).sin() + if *t == 500.0 { 9.0 } else { 0.0 }).collect();
    let frame = |f: i32| Frame {
        time: f64::from(f),
        positions: (0..200).map(|b| [f64::from((f * b) % 101), f64::from((f + b) % 97), 0.0]).collect(),
        headings: vec![],
    };
    let mut formulas = Formulas::new("Formulas");
    for k in 0..3000 {
        formulas =
            formulas.with(format!("step {k}"), format!(r"\sum_{{i=1}}^{{{k}}} \frac{{p_{{i}}^{{2}}}}{{2 m_{{i}}}}"));
    }
    Report::new("Enormous")
        .with(Plot::new("A million points", "time", "value").with(Series::line("signal", t, y)))
        .with(Animation::new("Ten thousand frames", Space::Plane, (0..10_000).map(frame).collect()))
        .with(formulas)
        .with(Code::new("Model", "a line of the model\n".repeat(100_000), "cot"))
        .with(Text::new("Text", "A paragraph of text.\n\n".repeat(100_000)))
}
