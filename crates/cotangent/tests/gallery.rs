//! The pictures of the gallery are those of the page: made here, from runs of the library.
//!
//! `COTANGENT_BLESS=1 cargo test -p cotangent --test gallery` writes them anew.

#[allow(dead_code)]
mod pages;

use cotangent::integrate::{Composition, Projection, Recipe, Target};
use cotangent::lab::Pendulum;
use cotangent::observe::{End, HISTORY_ERRORS, History};
use cotangent::plot::{Axis, Bodies, Figure, HeatMap, Joint, Panel, Series, Snapshot, Theme};
use cotangent::scalar::{Dd, Limits};
use cotangent::{Engine, Formulation, Instance, Method, Repairs, Run, Schedule, System, models};
use pages::{read, root};

/// How a model is integrated.
#[derive(Clone)]
struct Way {
    recipe: Recipe,
    formulation: Formulation,
}

impl Way {
    fn new(method: Method, formulation: Formulation) -> Way {
        Way { recipe: method.into(), formulation }
    }
}

fn composed(name: &str) -> Way {
    let composition = Composition::named(name);
    assert!(composition.is_some(), "{name}");
    Way { recipe: Recipe::from(Method::Rattle).composed(composition), formulation: Formulation::Multipliers }
}

/// A run of a model, with a history of every step up to so many samples.
fn run(text: &str, way: Way, step: f64, steps: u64, samples: usize) -> Run {
    let system = System::parse(text).expect("a model");
    let problem = Instance::new(&system, way.formulation, &[], Repairs::default(), Engine::Best).expect("a problem");
    let prepared = problem.prepare(way.recipe).expect("a method that fits");
    let integrator = problem.integrator(&prepared).expect("compiles");
    let diagnostics = problem.diagnostics().expect("compiles");
    let schedule = Schedule::count(step, steps, steps).expect("a schedule");
    let mut run = Run::new(integrator, diagnostics, schedule, problem.start).expect("a run");
    let history = History::new(samples, HISTORY_ERRORS.len(), run.watched());
    run.watch(history);
    assert!(matches!(run.go(&Limits::default(), &mut []), Ok(End::Finished)));
    run
}

fn shipped(name: &str) -> &'static str {
    models::find(name).expect("a shipped model").source
}

fn history(run: &Run) -> &History {
    run.history().expect("a history")
}

fn energy() -> Figure {
    let dirac = Formulation::HamiltonDirac;
    let ways = [
        ("rattle", Way::new(Method::Rattle, Formulation::Multipliers)),
        ("gauss, 2 stages, on hamilton-dirac", Way::new(Method::Gauss { stages: 2 }, dirac)),
        ("rk4 on hamilton-dirac", Way::new(Method::Rk4, dirac)),
    ];
    let series = ways.map(|(name, way)| {
        // Intervals are longer than a swing: shorter ones would show beats with it.
        let run = run(shipped("pendulum"), way, 0.1, 10_000, 100);
        Series::line(name, history(&run).times().to_vec(), history(&run).error(0))
    });
    let panel = Panel::new(Axis::linear("time t"), Axis::log_absolute("|H(t) − H(0)|"), series.into());
    Figure::new("Pendulum, 10⁴ steps of 0.1: largest energy error in 79 intervals").with(panel)
}

fn residuals() -> Figure {
    let projection = Projection { target: Target::Momentum, above: None };
    let standard = Way::new(Method::Rk4, Formulation::Standard);
    let projected = Way { recipe: standard.recipe.clone().projected(projection), ..standard };
    let ways = [
        ("rk4, standard", standard),
        ("rk4, standard, momenta projected", projected),
        ("rk4, hamilton-dirac", Way::new(Method::Rk4, Formulation::HamiltonDirac)),
        ("rattle", Way::new(Method::Rattle, Formulation::Multipliers)),
    ];
    let series = ways.map(|(name, way)| {
        let run = run(shipped("pendulum"), way, 0.025, 8000, 500);
        Series::line(name, history(&run).times().to_vec(), history(&run).error(1))
    });
    let panel = Panel::new(Axis::linear("time t"), Axis::log("largest residual of the rod"), series.into());
    Figure::new("How far the pendulum leaves its circle, step 0.025").with(panel)
}

fn portrait() -> Figure {
    let orbit = |(q, p): (f64, f64)| {
        let text = format!("coord q\nhamiltonian p_q^2/2 - q^2/2 + q^4/4\ninitial q = {q}, p_q = {p}\n");
        let run = run(&text, Way::new(Method::StormerVerlet, Formulation::Multipliers), 0.02, 1000, 1100);
        let name = format!("from ({q}, {p})").replace('-', "−");
        Series::line(name, history(&run).value(0), history(&run).value(1))
    };
    let starts = [(0.6, 0.0), (-0.6, 0.0), (0.2, 0.0), (-0.2, 0.0), (0.0, 0.4), (0.0, 0.9)];
    let panel = Panel::phase_portrait("q", "p", starts.map(orbit).into());
    Figure::new("Double well, Störmer–Verlet").with(panel)
}

fn chain() -> Figure {
    let (n, text) = (30, shipped("chain").replace("param n : int = 10", "param n : int = 30"));
    let run = run(&text, Way::new(Method::Rattle, Formulation::Multipliers), 0.02, 600, 1000);
    let history = history(&run);
    let point = |sample: usize, k: usize| match k {
        0 => [0.0, 0.0],
        k => [history.values(sample)[k - 1], history.values(sample)[n + k - 1]],
    };
    let snapshot = |sample: usize| {
        let label = format!("t = {:.1}", history.times()[sample]);
        Snapshot::new(label, (0..=n).map(|k| point(sample, k)).collect())
    };
    let mut joints = vec![Joint::Mass(0.5); n + 1];
    joints[0] = Joint::Support;
    let bodies = Bodies {
        snapshots: [0, 240, 340, 400, 500, 600].map(snapshot).into(),
        rods: (0..n).map(|k| (k, k + 1)).collect(),
        joints,
        trails: vec![(0..=600).map(|s| point(s, n)).collect()],
        ..Bodies::default()
    };
    Figure::new("A chain of 30 links, let go from the horizontal").with(Panel::bodies("x", "y", bodies))
}

fn crane() -> Figure {
    let run = run(shipped("crane"), Way::new(Method::Rattle, Formulation::Multipliers), 0.005, 600, 700);
    let history = history(&run);
    let at = |sample: usize| {
        let z = history.values(sample);
        let (trolley, load) = ([z[0], z[1]], [z[2], z[3]]);
        // The trolley along the rail, y = 0.3 x²/2.
        let (sin, cos) = (0.3 * z[0]).atan().sin_cos();
        let corner = |[a, b]: [f64; 2]| [z[0] + a * cos - b * sin, z[1] + a * sin + b * cos];
        let corners = [[-0.12, -0.05], [0.12, -0.05], [0.12, 0.05], [-0.12, 0.05]].map(corner);
        [[trolley, load].as_slice(), &corners].concat()
    };
    let snapshot = |sample: usize| Snapshot::new(format!("t = {:.2}", history.times()[sample]), at(sample));
    let rail = (0..=50).map(|k| f64::from(k) / 20.0 - 1.25).map(|x| [x, 0.15 * x * x]).collect();
    let bodies = Bodies {
        snapshots: [0, 90, 150, 210, 300].map(snapshot).into(),
        rods: vec![(0, 1)],
        hulls: vec![vec![2, 3, 4, 5]],
        joints: [&[Joint::Hinge, Joint::Mass(1.0)][..], &[Joint::Hidden; 4]].concat(),
        trails: vec![rail, (0..=300).map(|s| at(s)[1]).collect()],
        ..Bodies::default()
    };
    Figure::new("A load on a trolley that rolls on a sagging rail").with(Panel::bodies("x", "y", bodies))
}

fn work_precision() -> Figure {
    let dirac = Formulation::HamiltonDirac;
    let ways = [
        ("rattle", Way::new(Method::Rattle, Formulation::Multipliers)),
        ("rattle, yoshida-4", composed("yoshida-4")),
        ("rattle, kahan-li-8", composed("kahan-li-8")),
        ("lobatto-3a3b, 3 stages", Way::new(Method::Lobatto3A3B { stages: 3 }, Formulation::Multipliers)),
        ("gauss, 3 stages, hamilton-dirac", Way::new(Method::Gauss { stages: 3 }, dirac)),
    ];
    let [zero, one, two] = [0.0, 1.0, -2.0].map(Dd::from);
    let exact = Pendulum::new(one, [one, zero], [zero, two]).expect("a motion").at(Dd::from(10.0));
    let series = ways.map(|(name, way)| {
        let (mut work, mut errors) = (vec![], vec![]);
        for steps in [50, 100, 200, 400, 800, 1600] {
            let run = run(shipped("pendulum"), way.clone(), 10.0 / steps as f64, steps, 4);
            let z = &run.state().values;
            let error = (0..2).map(|c| (z[c] - exact.position[c].hi()).abs()).fold(0.0, f64::max);
            work.push(run.iterations() as f64);
            errors.push(error);
        }
        Series::line_points(name, work, errors)
    });
    let panel = Panel::work_precision(
        "iterations of Newton's method",
        "error of the position at t = 10",
        series.into(),
        &[2.0, 4.0, 8.0],
    );
    Figure::new("Pendulum: work and precision, against the closed form").with(panel)
}

fn lattice() -> Figure {
    let n = 41;
    let text = "param n : int = 41\nparam alpha = 1/4\ncoord q[i in 1..n]\nboundary q[0] = 0, q[n+1] = 0\n\
                hamiltonian sum(i in 1..n, p_q[i]^2/2) + sum(i in 0..n, (q[i+1] - q[i])^2/2 + alpha*(q[i+1] - q[i])^4)\n\
                initial q[21] = 1\n";
    let run = run(text, Way::new(Method::StormerVerlet, Formulation::Multipliers), 0.05, 1200, 300);
    let history = history(&run);
    let columns = history.times().len();
    let values = (0..n).flat_map(|site| history.value(site)).collect();
    let map = HeatMap::new(columns, n, values, Axis::linear("displacement q")).over((0.0, 60.0), (0.5, n as f64 + 0.5));
    let panel = Panel::heat_map("time t", "site", map);
    Figure::new("A lattice of 41 masses, the middle one displaced").with(panel)
}

/// Numbers and what lies between them.
fn tokens(svg: &str) -> Vec<&str> {
    let part = |c: char| c.is_ascii_digit() || c == '.';
    let (mut out, mut start) = (vec![], 0);
    let bytes = svg.char_indices().collect::<Vec<_>>();
    for w in bytes.windows(2) {
        if part(w[0].1) != part(w[1].1) {
            out.push(&svg[start..w[1].0]);
            start = w[1].0;
        }
    }
    out.push(&svg[start..]);
    out
}

/// Whether two pictures look the same: processors may differ in the last digit.
fn alike(a: &str, b: &str) -> bool {
    let near = |a: &str, b: &str| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() < 0.1,
        _ => a == b,
    };
    let (a, b) = (tokens(a), tokens(b));
    a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| near(a, b))
}

#[test]
fn the_pictures_are_current_and_on_the_page() {
    let bless = std::env::var_os("COTANGENT_BLESS").is_some();
    let page = read("docs/src/gallery.md");
    let figures = [
        ("energy", energy()),
        ("residuals", residuals()),
        ("portrait", portrait()),
        ("chain", chain()),
        ("crane", crane()),
        ("work-precision", work_precision()),
        ("lattice", lattice()),
    ];
    let mut differ = vec![];
    for (name, figure) in figures {
        let path = format!("docs/src/pictures/gallery/{name}.svg");
        let svg = figure.themed(Theme::Auto).to_svg() + "\n";
        let there = std::fs::read_to_string(root().join(&path)).unwrap_or_default();
        if !alike(&there, &svg) {
            differ.push(path.clone());
            if bless {
                std::fs::create_dir_all(root().join("docs/src/pictures/gallery")).expect("the folder");
                std::fs::write(root().join(&path), svg).expect("the picture is written");
            }
        }
        assert!(page.contains(&format!("](pictures/gallery/{name}.svg)")), "{name} is not on the page");
    }
    assert!(bless || differ.is_empty(), "these pictures are old (see the head of this file): {differ:?}");
}

#[test]
fn pictures_that_differ_are_told_apart() {
    assert!(alike("<a x=\"1.25\"/>", "<a x=\"1.26\"/>") && !alike("<a x=\"1.25\"/>", "<a x=\"1.45\"/>"));
    assert!(!alike("<a x=\"1\"/>", "<b x=\"1\"/>") && !alike("", "<a/>"));
}
