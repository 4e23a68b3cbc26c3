//! Writes one figure of each kind, as SVG and PNG, into a directory.
//!
//! `cargo run -p cotangent-plot --example gallery -- DIR [SCALE]`

use cotangent_plot::{
    Axis, Bodies, Figure, HeatMap, Joint, Panel, PlotError, Series, Snapshot, Theme, check_destination,
};
use std::path::{Path, PathBuf};

/// A small generator of reproducible noise in [0, 1).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn energy() -> Figure {
    let count = 100_000;
    let t: Vec<f64> = (0..count).map(|i| f64::from(i) * 0.01).collect();
    let mut noise = Noise(7);
    let mut walk = 0.0;
    let euler = t.iter().map(|t| 2e-3 * (t * 1.3).sin() + 1e-3 * (t * 0.71).cos()).collect();
    let midpoint = t.iter().map(|t| 3e-6 * (2.6 * t).sin() * (1.0 + 0.3 * (0.02 * t).sin())).collect();
    let gauss = t
        .iter()
        .map(|_| {
            walk += (noise.next() - 0.5) * 2e-16;
            walk + (noise.next() - 0.5) * 4e-16
        })
        .collect();
    let panel = Panel::new(
        Axis::linear("time t"),
        Axis::log_absolute("energy error |H(t) − H(0)|"),
        vec![
            Series::line("symplectic Euler", t.clone(), euler),
            Series::line("implicit midpoint", t.clone(), midpoint),
            Series::line("Gauss, 4 stages", t, gauss),
        ],
    );
    Figure::new("Energy error of three methods, 10⁵ steps").with(panel)
}

fn residuals() -> Figure {
    let t: Vec<f64> = (0..2000).map(|i| f64::from(i) * 0.005).collect();
    let mut noise = Noise(3);
    let mut values =
        || -> Vec<f64> { t.iter().map(|_| (noise.next() * 5.0).floor() * 1.1102230246251565e-16).collect() };
    let position = values();
    let velocity = t.iter().map(|t| 4e-15 * (1.0 + t).ln() * (1.0 + 0.4 * (9.0 * t).sin())).collect();
    let panel = Panel::new(
        Axis::linear("time t"),
        Axis::log("residual"),
        vec![
            Series::points("position constraint ‖g(q)‖", t.clone(), position),
            Series::line("velocity constraint ‖G(q) q̇‖", t, velocity),
        ],
    );
    Figure::new("Constraint residuals").with(panel)
}

fn portrait() -> Figure {
    let orbit = |energy: f64| {
        let (mut q, mut p) = (if energy > 1.0 { -std::f64::consts::PI } else { 0.0 }, (2.0 * (energy + 1.0)).sqrt());
        let (mut qs, mut ps) = (vec![q], vec![p]);
        for _ in 0..4000 {
            p -= 0.0025 * f64::sin(q);
            q += 0.005 * p;
            p -= 0.0025 * f64::sin(q);
            if q > std::f64::consts::PI {
                break;
            }
            qs.push(q);
            ps.push(p);
        }
        Series::line(format!("H = {energy}"), qs, ps)
    };
    let panel = Panel::phase_portrait("angle φ", "momentum p", [-0.7, 0.0, 0.8, 1.4].map(orbit).into());
    Figure::new("Pendulum: phase portrait").with(panel)
}

fn double_pendulum() -> Figure {
    let at = |t: f64| {
        let (a, b) = (1.2 * (1.7 * t).cos(), 1.6 * (1.7 * t + 0.4).cos() + 0.3 * (5.0 * t).sin());
        let first = [a.sin(), -a.cos()];
        vec![[0.0, 0.0], first, [first[0] + b.sin(), first[1] - b.cos()]]
    };
    let times = [0.0, 0.25, 0.5, 0.75, 1.0];
    let bodies = Bodies {
        snapshots: times.iter().map(|&t| Snapshot::new(format!("t = {t:.2}"), at(t))).collect(),
        rods: vec![(0, 1), (1, 2)],
        joints: vec![Joint::Support, Joint::Mass(1.0), Joint::Mass(1.3)],
        trails: vec![(0..=200).map(|i| at(f64::from(i) * 0.005)[2]).collect()],
        ..Bodies::default()
    };
    Figure::new("Double pendulum").with(Panel::bodies("x", "y", bodies))
}

fn chain() -> Figure {
    let links = 30;
    let at = |t: f64| {
        let mut points = vec![[0.0, 0.0]];
        let (mut x, mut y) = (0.0, 0.0);
        for i in 0..links {
            let s = f64::from(i) / f64::from(links);
            let angle = 1.3 * (1.1 * t + 0.2).cos() * (1.0 - 0.4 * s) + 0.5 * (6.0 * s - 2.0 * t).sin() * s;
            x += angle.sin() / f64::from(links);
            y -= angle.cos() / f64::from(links);
            points.push([x, y]);
        }
        points
    };
    let mut joints = vec![Joint::Hinge; 31];
    joints[0] = Joint::Support;
    joints[30] = Joint::Mass(1.0);
    let bodies = Bodies {
        snapshots: [0.0, 0.6, 1.2, 1.8].map(|t| Snapshot::new(format!("t = {t:.1} s"), at(t))).into(),
        rods: (0..30).map(|i| (i, i + 1)).collect(),
        joints,
        ..Bodies::default()
    };
    Figure::new("Chain of 30 links").with(Panel::bodies("x / m", "y / m", bodies))
}

fn vehicle() -> Figure {
    let at = |t: f64| {
        let (x, y, angle) =
            (2.0 * (0.9 * t).sin(), 1.2 * (1.8 * t).sin(), (2.16 * (1.8 * t).cos()).atan2(1.8 * (0.9 * t).cos()));
        let place = |[a, b]: [f64; 2]| [x + a * angle.cos() - b * angle.sin(), y + a * angle.sin() + b * angle.cos()];
        [[-0.22, -0.12], [0.18, -0.12], [0.3, 0.0], [0.18, 0.12], [-0.22, 0.12], [0.0, 0.0]].map(place).to_vec()
    };
    let bodies = Bodies {
        snapshots: [0.2, 0.9, 1.6, 2.3, 3.0].map(|t| Snapshot::new(format!("t = {t:.1}"), at(t))).into(),
        hulls: vec![vec![0, 1, 2, 3, 4]],
        joints: vec![Joint::Hidden; 5],
        trails: vec![(0..=700).map(|i| at(f64::from(i) * 0.01)[5]).collect()],
        ..Bodies::default()
    };
    Figure::new("Sleigh on a plane").with(Panel::bodies("x", "y", bodies))
}

fn work_precision() -> Figure {
    let mut noise = Noise(11);
    let mut method = |name: &str, order: f64, stages: f64, constant: f64| {
        let steps: Vec<f64> = (0..9).map(|i| 50.0 * 2_f64.powi(i)).collect();
        let error =
            |n: &f64| (constant * n.powf(-order) * (1.0 + 0.3 * noise.next())).max(3e-14 * (1.0 + noise.next()));
        let errors = steps.iter().map(error).collect();
        Series::line_points(name, steps.iter().map(|n| n * stages).collect(), errors)
    };
    let methods = vec![
        method("RATTLE", 2.0, 4.0, 30.0),
        method("Gauss 2 + projection", 4.0, 11.0, 3e3),
        method("Lobatto IIIA–IIIB 3", 4.0, 14.0, 8e2),
        method("Suzuki composition, order 6", 6.0, 28.0, 2e7),
    ];
    let panel = Panel::work_precision("evaluations of forces", "error at t = 10", methods, &[2.0, 4.0, 6.0]);
    Figure::new("Work and precision").with(panel)
}

fn heat_map() -> Figure {
    let (columns, rows) = (60, 45);
    let value = |i: usize, j: usize| {
        let (h, e) = (-3.0 + i as f64 * 0.05, j as f64 * 0.022);
        10_f64.powf(2.0 * h) * (1.0 + 40.0 * (-((e - 0.6) * 9.0).powi(2)).exp() * (1.0 + (25.0 * h).sin().abs()))
    };
    let values = (0..rows).flat_map(|j| (0..columns).map(move |i| value(i, j))).collect();
    let map = HeatMap::new(columns, rows, values, Axis::log("largest energy error")).over((-3.0, 0.0), (0.0, 1.0));
    Figure::new("Energy error over step and eccentricity").with(Panel::heat_map(
        "log₁₀ of the step h",
        "eccentricity e",
        map,
    ))
}

fn fine_heat_map() -> Figure {
    let (columns, rows) = (300, 240);
    let value = |i: usize, j: usize| {
        let (x, y) = (i as f64 / 300.0, j as f64 / 240.0);
        (12.0 * x + 3.0 * (7.0 * y).sin()).sin() * (9.0 * y).cos() + 0.3 * (40.0 * x * y).sin()
    };
    let values = (0..rows).flat_map(|j| (0..columns).map(move |i| value(i, j))).collect();
    let map = HeatMap::new(columns, rows, values, Axis::linear("vorticity ω")).over((0.0, 6.0), (0.0, 4.0));
    Figure::new("Vorticity").with(Panel::heat_map("x", "y", map))
}

fn stacked() -> Figure {
    let t: Vec<f64> = (0..3000).map(|i| f64::from(i) * 0.01).collect();
    let q = t.iter().map(|t| (1.1 * t).cos() * (-0.02 * t).exp()).collect();
    let p = t.iter().map(|t| -1.1 * (1.1 * t).sin() * (-0.02 * t).exp()).collect();
    let drift = t.iter().map(|t| 1.0 + 1e-12 * (0.05 * t * t + (3.0 * t).sin())).collect();
    let state = Panel::new(
        Axis::linear("time t"),
        Axis::linear("state"),
        vec![Series::line("q", t.clone(), q), Series::line("q̇", t.clone(), p)],
    );
    let energy = Panel::new(Axis::linear("time t"), Axis::linear("energy H"), vec![Series::line("", t, drift)]);
    Figure { share_x: true, ..Figure::new("Damped oscillation and its energy").with(state).with(energy) }
}

fn awkward() -> Figure {
    let x: Vec<f64> = (0..40).map(f64::from).collect();
    let mut y: Vec<f64> = x.iter().map(|x| 10_f64.powf(-0.2 * x)).collect();
    y[10] = f64::NAN;
    y[20] = f64::INFINITY;
    y[25] = 0.0;
    y[26] = 0.0;
    y[30] = -1.0;
    let steps = x.iter().map(|x| 1e-4 * (1.0 + (x / 6.0).floor())).collect();
    let panels = vec![
        Panel::new(
            Axis::linear("step"),
            Axis::log("error"),
            vec![Series::line_points("with gaps", x.clone(), y), Series::step("steps", x.clone(), steps)],
        ),
        Panel::new(Axis::linear("t"), Axis::log("error"), vec![Series::line("constant", x.clone(), vec![1e-16; 40])]),
        Panel::new(Axis::linear("t"), Axis::log("error"), vec![Series::line("nothing", x.clone(), vec![0.0; 40])]),
        Panel::new(Axis::linear("t"), Axis::linear("energy"), vec![Series::points("one", vec![3.0], vec![1e300])]),
    ];
    Figure { panels, columns: 2, ..Figure::new("Awkward data") }
}

fn crowd() -> Figure {
    let x: Vec<f64> = (0..200).map(|i| f64::from(i) * 0.05).collect();
    let series = (0..30)
        .map(|k| {
            let y = x.iter().map(|x| (0.4 * x + 0.2 * f64::from(k)).sin() + 0.12 * f64::from(k)).collect();
            Series::line(format!("initial condition {k}"), x.clone(), y)
        })
        .collect();
    Figure::new("Thirty series").with(Panel::new(Axis::linear("time"), Axis::linear("q₁"), series))
}

fn main() -> Result<(), PlotError> {
    let mut arguments = std::env::args().skip(1);
    let directory = PathBuf::from(arguments.next().unwrap_or_else(|| ".".into()));
    let scale = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(2.0);
    let figures = [
        ("energy", energy()),
        ("residuals", residuals()),
        ("portrait", portrait()),
        ("double-pendulum", double_pendulum()),
        ("chain", chain()),
        ("vehicle", vehicle()),
        ("work-precision", work_precision()),
        ("heat-map", heat_map()),
        ("fine-heat-map", fine_heat_map()),
        ("stacked", stacked()),
        ("stacked-dark", stacked().themed(Theme::Dark)),
        ("awkward", awkward()),
        ("crowd", crowd()),
    ];
    for (name, figure) in figures {
        let svg = directory.join(name).with_extension("svg");
        check_destination(&svg)?;
        figure.clone().themed(if figure.theme == Theme::Dark { Theme::Dark } else { Theme::Auto }).write(&svg)?;
        write_png(&directory.join(name).with_extension("png"), &figure, scale)?;
    }
    Ok(())
}

fn write_png(path: &Path, figure: &Figure, scale: f64) -> Result<(), PlotError> {
    if scale == 2.0 {
        return figure.write(path);
    }
    Ok(cotangent_destination::replace(path, &figure.to_png(scale)?)?)
}
