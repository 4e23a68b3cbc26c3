//! Systems from text and their integrators.

#![allow(dead_code, unreachable_pub)]

use cotangent_compile::{Engine, Native, values};
use cotangent_dynamics::State;
use cotangent_integrate::{Method, Prepared, Projection, Recipe, Refusal, project};
use cotangent_model::{Options, System};
use cotangent_problem::{Equations, Integrator};
use cotangent_solve::NewtonOptions;
use cotangent_theory::Formulation;
use std::sync::Arc;

/// Two bobs of masses 2 and 1.5, with a quartic potential besides gravity.
pub const DOUBLE: &str = "param m1 = 2, m2 = 1.5, g = 1\ncoord x1, y1, x2, y2\n\
    hamiltonian (p_x1^2 + p_y1^2)/(2*m1) + (p_x2^2 + p_y2^2)/(2*m2) + g*(m1*y1 + m2*y2) + (x2 - y1)^4/10\n\
    constraint a: (x1^2 + y1^2 - 1)/2 = 0\nconstraint b: ((x2 - x1)^2 + (y2 - y1)^2 - 2)/2 = 0\n\
    initial x1 = 1, x2 = 1, y2 = sqrt(2), p_x2 = 0.3, p_y1 = 0.5\n";

/// A relativistic particle with an anisotropic metric on a curve: neither quadratic nor separable.
pub const RELATIVISTIC: &str = "coord x, y\nhamiltonian sqrt(1 + 2*p_x^2 + p_x*p_y + (1 + x^2)*p_y^2) + y + x^2*y/3\n\
    constraint curve: x^4 + y^2 + x*y - 1 = 0\ninitial x = 1, p_x = 0.2, p_y = 0.7\n";

/// The same without the constraint: every derivative of the energy matters.
pub const FREE: &str = "coord x, y\nhamiltonian sqrt(1 + 2*p_x^2 + p_x*p_y + (1 + x^2)*p_y^2) + x^2 + y^2/2 + x^2*y/3\n\
    initial x = 0.4, p_x = 0.2, p_y = 0.7\n";

/// A Lagrangian that is not quadratic in the velocities: the Legendre transform is a root.
pub const SPEEDY: &str = "coord x, y\nlagrangian -sqrt(1 - x'^2 - y'^2/2) - y\n\
    constraint circle: (x^2 + y^2 - 1)/2 = 0\ninitial x = 1, y' = 0.5\n";

/// A system with a formulation, compiled, and its start on the constraint manifold.
pub struct Case {
    pub equations: Arc<Equations>,
    pub parameters: Vec<f64>,
    pub start: Vec<f64>,
}

pub fn shipped(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../../models/{name}.cot", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

impl Case {
    pub fn new(text: &str, n: Option<i64>, formulation: Formulation, engine: Engine) -> Case {
        let options = Options { integers: n.map(|n| ("n".to_string(), n)).into_iter().collect() };
        let system = System::parse_with(text, &options).unwrap();
        let equations = Arc::new(Equations::new(&system, formulation, engine).unwrap());
        let parameters = values::parameters(&system, &[]).unwrap();
        let initial = values::initial(&system, &parameters, &[]).unwrap();
        let mut start = values::start(&system, &parameters, &initial).unwrap();
        let parameters = [parameters, equations.motion.number_values()].concat();
        let view = equations.compiled.view(Native, parameters.clone());
        if let Some(manifold) = cotangent_dynamics::Dynamics::manifold(&view).unwrap() {
            let mut state = State::new(start, 0);
            project(manifold, &mut state).unwrap();
            start = state.values;
        }
        Case { equations, parameters, start }
    }

    pub fn prepared(&self, method: Method, projection: Option<Projection>) -> Prepared {
        self.prepare(method, projection).unwrap()
    }

    pub fn integrator(&self, method: Method, projection: Option<Projection>, engine: Engine) -> Integrator {
        let prepared = self.prepared(method, projection);
        Integrator::new(&self.equations, &prepared, &self.parameters, NewtonOptions::default(), engine).unwrap()
    }

    /// The method planned for this system, if it fits.
    pub fn fitting(&self, method: Method, projection: Option<Projection>) -> Option<Prepared> {
        self.prepare(method, projection).ok()
    }

    fn prepare(&self, method: Method, projection: Option<Projection>) -> Result<Prepared, Refusal> {
        let recipe = Recipe::from(method).projected(projection);
        self.equations.prepare(recipe)
    }

    /// Native, on the tape, and in parts.
    pub fn integrators(&self, prepared: &Prepared) -> Vec<Integrator> {
        let options = NewtonOptions::default();
        let new = |engine| Integrator::new(&self.equations, prepared, &self.parameters, options, engine).unwrap();
        let parts = Integrator::in_parts(&self.equations, prepared, &self.parameters, options).unwrap();
        vec![new(Engine::Best), new(Engine::Tape), parts]
    }

    pub fn in_parts(&self, method: Method, projection: Option<Projection>) -> Integrator {
        let prepared = self.prepared(method, projection);
        Integrator::in_parts(&self.equations, &prepared, &self.parameters, NewtonOptions::default()).unwrap()
    }
}
