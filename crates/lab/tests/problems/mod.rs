//! The problems that methods are measured on.

#![allow(dead_code, unreachable_pub)]

use cotangent_compile::Engine;
use cotangent_integrate::{Method, Prepared, Projection, Recipe, Refusal};
pub use cotangent_lab::Run;
use cotangent_model::{Options, System};
use cotangent_observe::{End, Schedule};
use cotangent_problem::{Instance, Repairs};
use cotangent_scalar::Limits;
use cotangent_theory::Formulation;
use proptest::prelude::ProptestConfig;

pub const PENDULUM: &str = "param g = 1\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + g*y\n\
    constraint rod: (x^2 + y^2 - 1)/2 = 0\ninitial x = 1, p_y = -2\n";

/// Two bobs of masses 2 and 1.5, with a quartic potential besides gravity.
pub const DOUBLE: &str = "param m1 = 2, m2 = 1.5, g = 1\ncoord x1, y1, x2, y2\n\
    hamiltonian (p_x1^2 + p_y1^2)/(2*m1) + (p_x2^2 + p_y2^2)/(2*m2) + g*(m1*y1 + m2*y2) + (x2 - y1)^4/10\n\
    constraint a: (x1^2 + y1^2 - 1)/2 = 0\nconstraint b: ((x2 - x1)^2 + (y2 - y1)^2 - 2)/2 = 0\n\
    initial x1 = 1, x2 = 1, y2 = sqrt(2), p_x2 = 0.3, p_y1 = 0.5\n";

/// A relativistic particle with an anisotropic metric on a curve: neither quadratic nor separable.
pub const RELATIVISTIC: &str = "coord x, y\nhamiltonian sqrt(1 + 2*p_x^2 + p_x*p_y + (1 + x^2)*p_y^2) + y + x^2*y/3\n\
    constraint curve: x^4 + y^2 + x*y - 1 = 0\ninitial x = 1, p_x = 0.2, p_y = 0.7\n";

/// The same without the constraint, in a potential well.
pub const FREE: &str = "coord x, y\n\
    hamiltonian sqrt(1 + 2*p_x^2 + p_x*p_y + (1 + x^2)*p_y^2) + x^2 + y^2/2 + x^2*y/10\n\
    initial x = 0.4, p_x = 0.2, p_y = 0.3\n";

/// Two linear constraints, a full mass matrix and a quartic potential.
pub const RAIL: &str = "coord x, y, z, w\n\
    hamiltonian p_x^2/2 + p_y^2 + p_z^2/3 + p_w^2/4 + p_x*p_y/2 + p_z*p_w/5 + x^4/4 + y^2*z^2/2 + w^2/2 + x*w/3\n\
    constraint a: x + 2*y - z = 1\nconstraint b: y - w + x/2 = 0\n\
    initial x = 0.3, y = 0.4, z = 0.1, w = 0.55, p_x = 0.5, p_y = -0.2, p_z = 0.1, p_w = 0.3\n";

/// A Lagrangian that is not quadratic in the velocities: the Legendre transform is a root.
pub const SPEEDY: &str = "coord x, y\nlagrangian -sqrt(1 - x'^2 - y'^2/2) - y\n\
    constraint circle: (x^2 + y^2 - 1)/2 = 0\ninitial x = 1, y' = 0.5\n";

/// Two springs: the energy, and each spring's, is a quadratic invariant.
pub const OSCILLATOR: &str = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + x^2/2 + y^2\n\
    invariant spring = p_x^2 + x^2\ninitial x = 1, p_y = 1\n";

/// So many random cases, or as many times more as the variable SOAK says.
pub fn cases(usual: u32) -> ProptestConfig {
    let factor = std::env::var("SOAK").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    ProptestConfig::with_cases(usual * factor)
}

pub fn shipped(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../../models/{name}.cot", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

pub struct Case {
    pub problem: Instance,
}

impl Case {
    pub fn new(text: &str, formulation: Formulation) -> Case {
        Case::sized(text, None, formulation)
    }

    pub fn sized(text: &str, n: Option<i64>, formulation: Formulation) -> Case {
        let options = Options { integers: n.map(|n| ("n".to_string(), n)).into_iter().collect() };
        let system = System::parse_with(text, &options).unwrap_or_else(|e| panic!("{e}"));
        let repairs = Repairs { project_initial: true, drop_redundant: false };
        let problem = Instance::new(&system, formulation, &[], repairs, Engine::Best).unwrap_or_else(|e| panic!("{e}"));
        Case { problem }
    }

    pub fn prepare(&self, method: Method, projection: Option<Projection>) -> Result<Prepared, Refusal> {
        self.problem.prepare(Recipe::from(method).projected(projection))
    }

    pub fn prepared(&self, method: Method, projection: Option<Projection>) -> Prepared {
        self.prepare(method, projection).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Runs it, every step measured.
    pub fn run(&self, recipe: impl Into<Recipe>, step: f64, steps: u64) -> (Run, End) {
        let p = &self.problem;
        let integrator = p.integrator(&p.prepare(recipe).unwrap()).unwrap();
        let schedule = Schedule::count(step, steps, 1).unwrap();
        let mut run = Run::new(integrator, p.diagnostics().unwrap(), schedule, p.start.clone()).unwrap();
        let end = run.go(&Limits::default(), &mut []).unwrap();
        (run, end)
    }
}

/// u and u′ after time t of M(u) u″ + M′(u) u′²/2 + V′(u) = 0, by small steps of the classical Runge–Kutta method.
pub fn angle(start: [f64; 2], inertia: impl Fn(f64) -> [f64; 2], slope: impl Fn(f64) -> f64, t: f64) -> [f64; 2] {
    let rate = |[u, w]: [f64; 2]| {
        let [m, dm] = inertia(u);
        [w, -(slope(u) + dm * w * w / 2.0) / m]
    };
    let count = 100_000;
    let h = t / f64::from(count);
    let plus = |z: [f64; 2], k: [f64; 2], c: f64| [z[0] + c * k[0], z[1] + c * k[1]];
    (0..count).fold(start, |z, _| {
        let a = rate(z);
        let b = rate(plus(z, a, h / 2.0));
        let c = rate(plus(z, b, h / 2.0));
        let d = rate(plus(z, c, h));
        [0, 1].map(|i| z[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]))
    })
}
