//! Which equations of motion a model needs, from what it states.
//!
//! The equations with unknown multipliers are for constraints on positions and for momenta that determine the
//! velocities. Everything else needs the equations of Dirac's analysis: gauge conditions, constraints on momenta
//! or velocities, a velocity Hessian ∂²L/∂q̇∂q̇ or a form J without an inverse, and forces that nothing resists,
//! where G H_pp Gᵀ has none. Whether a matrix has an inverse is asked near the start, at a point in no particular
//! direction from it: a start may be singular where the model is not. Forces that the start does not determine are asked
//! for at another point of the constraint surface.

use crate::compiled::Compiled;
use crate::error::ProblemError;
use crate::model::{Model, projected};
use cotangent_analysis::MAX_VARIABLES;
use cotangent_compile::values::{InitialValues, Rates, Setting, ValueError};
use cotangent_compile::{CompileError, Engine, FunctionBuilder, Native};
use cotangent_dynamics::{Dynamics as _, Failure};
use cotangent_expr::{Layout, Tensor};
use cotangent_integrate::IndexOne;
use cotangent_model::{ConstraintKind, Dynamics};
use cotangent_scalar::Random;
use cotangent_solve::{Pattern, Scales, cancelled_rows, dependent_rows};
use cotangent_theory::{Formulation, Law, Motion};

/// Why a model needs the equations of its analysis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Need {
    /// A gauge is fixed.
    Gauge {
        /// A condition.
        name: String,
    },
    /// A constraint on more than positions.
    Constraint {
        /// The constraint.
        name: String,
        /// What it restricts.
        kind: ConstraintKind,
    },
    /// Momenta do not determine the velocities.
    Lagrangian,
    /// The form does not determine the rates.
    Form,
    /// The forces of the constraints act on coordinates that have no kinetic energy.
    Forces,
}

impl std::fmt::Display for Need {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Need::Gauge { name } => write!(f, "`{name}` fixes a gauge"),
            Need::Constraint { name, kind: ConstraintKind::Vakonomic } => write!(f, "`{name}` restricts velocities"),
            Need::Constraint { name, .. } => write!(f, "`{name}` restricts more than positions"),
            Need::Lagrangian => write!(f, "the Lagrangian is singular"),
            Need::Form => write!(f, "the form is a singular matrix"),
            Need::Forces => write!(f, "no kinetic energy resists the forces of the constraints"),
        }
    }
}

impl Model {
    /// Why it needs the equations of its analysis, [`Formulation::HamiltonDirac`]; `None` if those with multipliers do.
    ///
    /// [`Formulation::HamiltonDirac`]: cotangent_theory::Formulation::HamiltonDirac
    pub fn need(&self, set: &[Setting]) -> Result<Option<Need>, ProblemError> {
        let system = &self.system;
        if let Some(gauge) = system.gauges.iter().find(|g| !g.array.is_empty()) {
            return Ok(Some(Need::Gauge { name: gauge.array.name().into() }));
        }
        let other = |c: &&cotangent_model::Constraint| c.kind != ConstraintKind::Holonomic && !c.array.is_empty();
        if let Some(c) = system.constraints.iter().find(other) {
            return Ok(Some(Need::Constraint { name: c.array.name().into(), kind: c.kind }));
        }
        // Larger ones are classified, so that their analysis can be refused; their forces would take too long.
        let small = system.state().len() <= MAX_VARIABLES;
        if let (false, Dynamics::Hamiltonian { .. } | Dynamics::Poisson { .. }) = (small, &system.dynamics) {
            return Ok(None);
        }
        let (parameters, initial) = self.given(set)?;
        let near = Near::new(self, parameters, initial);
        let underived = |e: cotangent_expr::Error| ProblemError::from(CompileError::from(e));
        let restricted = !system.residuals(&[ConstraintKind::Holonomic]).map_err(underived)?.shape()[0].is_empty();
        let need = match &system.dynamics {
            Dynamics::Form { form, .. } => near.is_singular(form)?.then_some(Need::Form),
            Dynamics::Lagrangian { velocities, lagrangian, .. } => {
                let mass = lagrangian.hessian(velocities).map_err(underived)?;
                match near.is_singular(&mass)? {
                    true => Some(Need::Lagrangian),
                    false if small && restricted && !near.is_positive(&mass)? => near.unresisted()?,
                    false => None,
                }
            }
            Dynamics::Hamiltonian { momenta, hamiltonian, .. } if restricted => {
                let inverse_mass = hamiltonian.hessian(momenta).map_err(underived)?;
                match near.is_singular(&inverse_mass)? || !near.is_positive(&inverse_mass)? {
                    true => near.unresisted()?,
                    false => None,
                }
            }
            Dynamics::Hamiltonian { .. } | Dynamics::Poisson { .. } => None,
        };
        Ok(need)
    }
}

/// Which equations a model is run with where none are asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Preferred {
    /// The formulation.
    pub formulation: Formulation,
    /// Why it is not that with multipliers.
    pub need: Option<Need>,
}

impl Model {
    /// The formulation that fits a model: with multipliers, of index one where that determines the multipliers of
    /// velocity constraints, or else that of Dirac's analysis.
    pub fn preferred(&self, set: &[Setting]) -> Result<Preferred, ProblemError> {
        let need = self.need(set)?;
        let formulation = match &need {
            None => Formulation::Multipliers,
            Some(Need::Constraint { kind: ConstraintKind::Vakonomic, .. } | Need::Form)
                if self.is_index_one(set)? =>
            {
                Formulation::IndexOne
            }
            Some(_) if self.has_constrained_bracket() => Formulation::DiracBracket,
            Some(_) => Formulation::HamiltonDirac,
        };
        Ok(Preferred { formulation, need })
    }

    /// Whether its equations of index one exist, and determine near the start what they should.
    fn is_index_one(&self, set: &[Setting]) -> Result<bool, ProblemError> {
        if self.system.state().len() > MAX_VARIABLES {
            return Ok(false);
        }
        let Ok(motion) = self.motion(Formulation::IndexOne) else { return Ok(false) };
        let (parameters, initial) = self.given(set)?;
        let near = Near::new(self, parameters, initial);
        match (&motion.law, &motion.velocity) {
            (Law::Form(_), _) => near.determines(&motion),
            (_, Some(velocity)) => Ok(!near.is_degenerate(&velocity.kkt)?),
            _ => Ok(true),
        }
    }
}

/// Values near the start.
struct Near<'a> {
    model: &'a Model,
    /// Coordinates, then momenta or velocities, then parameters.
    inputs: Vec<(Layout, Vec<f64>)>,
    /// The start itself.
    initial: InitialValues,
    parameters: Vec<f64>,
}

/// The relative size of the changes that lead away from the start.
const CHANGE: f64 = 1e-3;

/// Rows closer to the span of the others than this, relative to their length, depend on them.
const TOLERANCE: f64 = 1e-9;

impl Near<'_> {
    fn new(model: &Model, parameters: Vec<f64>, initial: InitialValues) -> Near<'_> {
        let system = &model.system;
        let mut random = Random::default();
        let mut moved = |values: &[f64]| -> Vec<f64> {
            let largest = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            let scale = CHANGE * if largest > 0.0 { largest } else { 1.0 };
            values.iter().map(|v| v + scale * random.signed()).collect()
        };
        let variables = system.dynamics.variables();
        let mut inputs = vec![(variables.clone(), moved(&initial.coordinates))];
        let rest = vec![0.0; variables.len()];
        if let Some(momenta) = system.dynamics.momenta() {
            let known = if let Rates::Momenta(p) = &initial.rates { p } else { &rest };
            inputs.push((momenta.clone(), moved(known)));
        }
        if let Some(velocities) = system.dynamics.velocities() {
            let known = if let Rates::Velocities(v) = &initial.rates { v } else { &rest };
            inputs.push((velocities.clone(), moved(known)));
        }
        inputs.push((system.parameter_layout(), parameters.clone()));
        Near { model, inputs, initial, parameters }
    }

    /// Whether no force of a constraint is resisted that others do not determine already.
    fn unresisted(&self) -> Result<Option<Need>, ProblemError> {
        let Near { model, initial, parameters, .. } = self;
        // Constraints that depend on others are another matter, and said to be so.
        let dependent = match model.gradients()? {
            Some(gradients) => gradients.redundant(parameters, &initial.coordinates)?,
            None => vec![],
        };
        if !dependent.is_empty() {
            return Ok(None);
        }
        let Ok(structure) = model.structure() else { return Ok(None) };
        if self.is_singular(&structure.gram)? {
            return Ok(Some(Need::Forces));
        }
        // Off the constraints the forces are determined. Are they on them?
        let on_surface = |coordinates: &[f64]| -> Result<bool, ProblemError> {
            let at = InitialValues { coordinates: coordinates.to_vec(), ..initial.clone() };
            let Ok(coordinates) = projected(&model.system, parameters, &at, &model.limits) else { return Ok(false) };
            let mut inputs = self.inputs.clone();
            inputs[0].1 = coordinates;
            let moved = Near { model, inputs, initial: initial.clone(), parameters: parameters.clone() };
            Ok(moved.is_singular(&structure.gram)?)
        };
        let singular = on_surface(&initial.coordinates)? && on_surface(&self.inputs[0].1)?;
        Ok(singular.then_some(Need::Forces))
    }

    /// Whether J ż = ∇H determines there what J says nothing about.
    fn determines(&self, motion: &Motion) -> Result<bool, ProblemError> {
        let compiled = Compiled::new(motion, Engine::Tape)?;
        let view = compiled.view(Native, self.parameters.clone());
        // Velocities and multipliers may be variables, too.
        let known = self.inputs.iter().rev().skip(1).rev().flat_map(|(_, values)| values.iter().copied());
        let mut random = Random::default();
        let anything = std::iter::repeat_with(|| 0.5 + random.uniform());
        let point: Vec<f64> = known.chain(anything).take(motion.state.len()).collect();
        let undetermined = || -> Result<Vec<usize>, Failure> {
            let Some(form) = view.presymplectic()? else { return Ok(vec![]) };
            IndexOne::new(form)?.undetermined(&point)
        };
        Ok(undetermined().is_ok_and(|list| list.is_empty()))
    }

    /// Whether a matrix has no inverse there; false where it has no finite value.
    fn is_singular(&self, matrix: &Tensor) -> Result<bool, ValueError> {
        let Some((pattern, mut values)) = self.entries(matrix)? else { return Ok(false) };
        Scales::new(&pattern, &values, |_| true).apply(&pattern, &mut values);
        Ok(dependent_rows(&pattern, &values, TOLERANCE).is_ok_and(|rows| !rows.is_empty()))
    }

    /// The same for a matrix whose entries have units of their own.
    fn is_degenerate(&self, matrix: &Tensor) -> Result<bool, ValueError> {
        let Some((pattern, values)) = self.entries(matrix)? else { return Ok(false) };
        Ok(cancelled_rows(&pattern, &values, TOLERANCE).is_ok_and(|rows| !rows.is_empty()))
    }

    /// Whether the diagonal is positive: a matrix of masses that is not definite has seldom such a one.
    fn is_positive(&self, matrix: &Tensor) -> Result<bool, ValueError> {
        let Some((pattern, values)) = self.entries(matrix)? else { return Ok(true) };
        let diagonal = pattern.addresses().zip(&values).filter(|((i, j), value)| i == j && **value > 0.0);
        Ok(diagonal.count() == pattern.rows())
    }

    fn entries(&self, matrix: &Tensor) -> Result<Option<(Pattern, Vec<f64>)>, ValueError> {
        let builder = self.inputs.iter().fold(FunctionBuilder::new(), |b, (layout, _)| b.input(layout));
        let f = builder.sparse_output(matrix).engine(Engine::Tape).compile()?;
        let Some(pattern) = f.pattern(0).cloned() else { return Ok(None) };
        let mut values = vec![0.0; pattern.len()];
        let inputs: Vec<&[f64]> = self.inputs.iter().map(|(_, v)| &v[..]).collect();
        let called = f.call(&inputs, &mut [&mut values], &mut f.workspace());
        Ok((called.is_ok() && values.iter().all(|v| v.is_finite())).then_some((pattern, values)))
    }
}

#[cfg(test)]
mod tests {
    use super::Need;
    use crate::model::Model;
    use cotangent_model::{ConstraintKind, System};
    use cotangent_scalar::Limits;

    fn need(text: &str) -> Option<Need> {
        Model::new(&System::parse(text).unwrap(), &Limits::default()).need(&[]).unwrap()
    }

    #[test]
    fn a_singular_lagrangian_is_seen_in_a_large_model_too() {
        let chain = |moving: &str| {
            format!(
                "param n : int = 400\ncoord x[i in 1..n]\nlagrangian sum(i in {moving}, x[i]'^2/2) - sum(i in 1..n, x[i]^2)\n"
            )
        };
        assert_eq!(need(&chain("1..n")), None);
        assert_eq!(need(&chain("2..n")), Some(Need::Lagrangian));
    }

    #[test]
    fn what_a_model_states_decides() {
        let pendulum = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint rod: x^2 + y^2 = 1\ninitial x = 1";
        assert_eq!(need(pendulum), None);
        assert_eq!(need("variables a, b\nform (a, b) = 2\nhamiltonian a^2 + b^2"), None);
        assert_eq!(need("variables a, b, c\nform (a, b) = 2, (b, c) = 1\nhamiltonian a^2 + b^2"), Some(Need::Form));
        let skate = "coord x, y\nlagrangian (x'^2 + y'^2)/2\nvakonomic c: x' = y*y'";
        assert_eq!(need(skate), Some(Need::Constraint { name: "c".into(), kind: ConstraintKind::Vakonomic }));
        let phase = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint c: p_x = y";
        assert_eq!(need(phase), Some(Need::Constraint { name: "c".into(), kind: ConstraintKind::PhaseSpace }));
    }

    #[test]
    fn a_singular_lagrangian_is_told_from_a_singular_start() {
        assert_eq!(need("coord x, y\nlagrangian (x' + 3*y')^2/2 - x^2"), Some(Need::Lagrangian));
        assert_eq!(need("coord x, y\nlagrangian x'^2/2 - x*y"), Some(Need::Lagrangian));
        // Polar coordinates at the origin, and a quartic kinetic energy at rest.
        assert_eq!(need("coord r, a\nlagrangian (r'^2 + r^2*a'^2)/2"), None);
        assert_eq!(need("coord x\nlagrangian x'^4/4 - x^2"), None);
        assert_eq!(need("coord x\nlagrangian -sqrt(1 - x'^2)\ninitial x' = 0.3"), None);
    }

    #[test]
    fn units_do_not_make_a_lagrangian_singular() {
        for (m, l) in [(1e-27, 1e-10), (1e24, 1e8), (1.0, 1e10), (1e-12, 1e-12)] {
            let text = format!(
                "param m = {m:e}, l = {l:e}\ncoord a, b\n\
                 lagrangian a'^2 + m*l*a'*b'*cos(a - b) + m*l^2*b'^2\ninitial a = 1, b = 1/2"
            );
            assert_eq!(need(&text), None, "{m} {l}");
        }
    }

    #[test]
    fn forces_without_inertia_are_noticed_and_redundant_constraints_are_not_taken_for_them() {
        let light = "coord x, y\nhamiltonian p_x^2/2 + x^2\nconstraint c: y = 0";
        assert_eq!(need(light), Some(Need::Forces));
        assert_eq!(need("coord x, y\nlagrangian x'*y'\nconstraint c: x = 0"), Some(Need::Forces));
        assert_eq!(need("coord x, y\nhamiltonian p_x^2/2 + x^2\nconstraint c: x + y = 0"), None);
        let twice = "coord x, y\nhamiltonian p_x^2/2\nconstraint c: x + y = 0, d: 2*x + 2*y = 0";
        assert_eq!(need(twice), None);
    }
}
