//! Whether velocities and multipliers stay on their branch.
//!
//! They solve H_u(w, u) = 0, and follow from the other variables w = (q, p) where K = H_uu is regular. If they are variables of
//! the equations there may be several solutions, and a step must end on the one it began with. If u is a linear function of
//! p (L quadratic and g linear in the velocities) there is one, and K must stay regular on the way: behind a pole of K⁻¹
//! the motion is another one. The same holds of the multipliers C⁻¹{g, H} of a Poisson system, and of K = C.
//!
//! Variables u that follow from the others by χ(u, v) = 0 do so as long as K = ∂χ/∂u is regular. Where it is not, the surface
//! turns back over the v: a step that goes on behind such a fold ends with v on this side of it, and K never was singular
//! between its ends. The step that comes so near that the next two would reach the fold is the last one.

use crate::callable::Callable;
use crate::error::underived;
use cotangent_compile::{CompileError, Engine, FunctionBuilder};
use cotangent_dynamics::{Failure, Presymplectic, PresymplecticShape};
use cotangent_expr::Tensor;
use cotangent_integrate::IndexOne;
use cotangent_model::Dynamics;
use cotangent_solve::{LinearSolver, Pattern, departure, excess};
use cotangent_theory::{Formulation, Law, Motion, Space};

/// By how much K may change in a part of a step, relative to itself, without being singular on the way.
const CHANGE: f64 = 0.5;

/// The shortest part of a step that is looked at.
const SHORTEST: f64 = 1e-9;

/// By how much K may shrink in a step: if it goes on like this it is singular one and a half steps later.
const SHRINKS: f64 = 5.0 / 3.0;

/// What determines velocities and multipliers.
#[derive(Clone)]
pub(super) enum Multivalued {
    /// They are variables: Nᵀ∇H = 0, for parameters that are known later.
    Variables { functions: Box<Form>, equations: Option<Box<IndexOne<Form, f64>>> },
    /// A linear system.
    Linear(Box<Linear>),
}

/// J, ∇H and H_zz as functions.
#[derive(Clone)]
pub(super) struct Form {
    shape: PresymplecticShape,
    form: Callable,
    gradient: Callable,
    hessian: Callable,
    parameters: Vec<f64>,
}

/// K as a function of the state.
#[derive(Clone)]
pub(super) struct Linear {
    matrix: Callable,
    solver: LinearSolver<f64>,
    values: Vec<f64>,
    /// Where the solver was factored.
    known: Vec<f64>,
    parameters: Vec<f64>,
    /// Whether the surface turns back where K is singular.
    folds: bool,
}

impl Multivalued {
    /// For equations with velocity constraints, with those of a bracket, or with a form that may be singular.
    pub(super) fn new(motion: &Motion) -> Result<Vec<Multivalued>, CompileError> {
        if let Law::Form(form) = &motion.law {
            return Ok(if form.field.is_none() { variables(motion, form)?.into_iter().collect() } else { vec![] });
        }
        let slope = match &motion.space {
            Space::Reduced(surface) => surface.slope.as_ref(),
            _ => None,
        };
        let found = matches!(motion.space, Space::Surface(_) | Space::Reduced(_))
            && matches!(motion.system.dynamics, Dynamics::Poisson { .. });
        // The brackets of constraints play no part in a projection.
        let brackets = motion.brackets().filter(|_| found && motion.formulation != Formulation::Projected);
        let multipliers = motion.velocity.as_ref().map(|v| &v.kkt).or(brackets);
        let all = [(multipliers, false), (slope, true)];
        let all = all.into_iter().filter_map(|(matrix, folds)| matrix.map(|matrix| linear(motion, matrix, folds)));
        Ok(all.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    /// The same for these parameters.
    pub(super) fn with(&self, parameters: &[f64]) -> Multivalued {
        let parameters = parameters.to_vec();
        match self {
            Multivalued::Variables { functions, .. } => {
                let functions = Box::new(Form { parameters, ..(**functions).clone() });
                let equations = IndexOne::new((*functions).clone()).ok().filter(|e| e.kernel_dimension() > 0);
                Multivalued::Variables { functions, equations: equations.map(Box::new) }
            }
            Multivalued::Linear(linear) => Multivalued::Linear(Box::new(Linear { parameters, ..(**linear).clone() })),
        }
    }

    /// Whether the end of a step continues its beginning.
    pub(super) fn continues(&mut self, ends: [&[f64]; 2], step: Option<f64>) -> Result<bool, Failure> {
        match self {
            Multivalued::Variables { equations: Some(equations), .. } => equations.continues(ends, step),
            Multivalued::Variables { equations: None, .. } => Ok(true),
            Multivalued::Linear(linear) => linear.continues(ends),
        }
    }
}

fn sparse(builder: FunctionBuilder, t: &Tensor) -> Result<(Callable, Option<Pattern>), CompileError> {
    let function = builder.sparse_output(t).compile()?;
    let pattern = function.pattern(0).cloned();
    Ok((function.into(), pattern))
}

fn builder(motion: &Motion) -> FunctionBuilder {
    FunctionBuilder::new().input(&motion.state).input(&motion.parameters()).engine(Engine::Best)
}

/// Variables of a form without rates.
fn variables(motion: &Motion, form: &cotangent_theory::Form) -> Result<Option<Multivalued>, CompileError> {
    let gradient = form.hamiltonian.gradient_within(&motion.state, &motion.limits)?;
    let hessian = gradient.jacobian_within(&motion.state, &motion.limits)?;
    let own = FunctionBuilder::new().input(&motion.parameters()).engine(Engine::Best);
    let (matrix, hessian) = (sparse(own, &form.matrix)?, sparse(builder(motion), &hessian)?);
    let ((form, Some(form_pattern)), (hessian, Some(hessian_pattern))) = (matrix, hessian) else {
        return Ok(None);
    };
    let shape = PresymplecticShape { form: form_pattern, hessian: hessian_pattern };
    let gradient = builder(motion).output(&gradient).compile()?.into();
    let functions = Box::new(Form { shape, form, gradient, hessian, parameters: vec![] });
    Ok(Some(Multivalued::Variables { functions, equations: None }))
}

/// A matrix that is to stay regular; nothing where it never changes.
fn linear(motion: &Motion, matrix: &Tensor, folds: bool) -> Result<Option<Multivalued>, CompileError> {
    let matrix = motion.at_state(matrix).map_err(underived)?;
    if folds && !matrix.depends_on(&motion.state) {
        return Ok(None);
    }
    let (matrix, pattern) = sparse(builder(motion), &matrix)?;
    let Some(solver) = pattern.and_then(|pattern| LinearSolver::new(&pattern).ok()) else {
        return Ok(None);
    };
    let values = vec![0.0; solver.pattern().len()];
    let (known, parameters) = (values.clone(), vec![]);
    Ok(Some(Multivalued::Linear(Box::new(Linear { matrix, solver, values, known, parameters, folds }))))
}

impl Linear {
    /// Whether K stays regular, and does not come near a fold.
    fn continues(&mut self, ends: [&[f64]; 2]) -> Result<bool, Failure> {
        if !self.folds {
            return self.is_regular(ends);
        }
        // Behind a fold u has no value.
        Ok(self.is_regular(ends).unwrap_or(false) && !self.shrinks(ends).unwrap_or(true))
    }

    /// Whether K becomes singular soon if it goes on changing as in this step.
    fn shrinks(&mut self, [from, to]: [&[f64]; 2]) -> Result<bool, Failure> {
        self.matrix.call(&[to, &self.parameters], &mut [&mut self.values])?;
        if self.solver.factor(&self.values).is_err() {
            return Ok(true);
        }
        self.matrix.call(&[from, &self.parameters], &mut [&mut self.values])?;
        Ok(excess(&mut self.solver, &self.values) > SHRINKS)
    }

    /// Whether K stays regular on the line from one state to another.
    fn is_regular(&mut self, [from, to]: [&[f64]; 2]) -> Result<bool, Failure> {
        let at = |s: f64| -> Vec<f64> { from.iter().zip(to).map(|(from, to)| from + s * (to - from)).collect() };
        let (mut done, mut part) = (0.0f64, 1.0f64);
        self.matrix.call(&[from, &self.parameters], &mut [&mut self.values])?;
        while done < 1.0 {
            if self.solver.factor(&self.values).is_err() {
                return Ok(false);
            }
            self.known.copy_from_slice(&self.values);
            loop {
                let end = if part >= 1.0 - done { 1.0 } else { done + part };
                self.matrix.call(&[&at(end), &self.parameters], &mut [&mut self.values])?;
                let is_finite = self.values.iter().all(|v| v.is_finite());
                if is_finite && departure(&mut self.solver, &self.known, &self.values) <= CHANGE {
                    (done, part) = (end, (2.0 * part).min(1.0));
                    break;
                }
                part /= 2.0;
                if part < SHORTEST {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

impl Presymplectic<f64> for Form {
    fn shape(&self) -> &PresymplecticShape {
        &self.shape
    }

    fn form(&mut self, out: &mut [f64]) -> Result<(), Failure> {
        Ok(self.form.call(&[&self.parameters], &mut [out])?)
    }

    fn gradient(&mut self, z: &[f64], out: &mut [f64]) -> Result<(), Failure> {
        Ok(self.gradient.call(&[z, &self.parameters], &mut [out])?)
    }

    fn hessian(&mut self, z: &[f64], out: &mut [f64]) -> Result<(), Failure> {
        Ok(self.hessian.call(&[z, &self.parameters], &mut [out])?)
    }
}
