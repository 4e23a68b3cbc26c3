//! J ż = ∇H, compiled.

use super::{Means, pattern};
use cotangent_compile::{Arithmetic, CompileError, Function};
use cotangent_dynamics::{Failure, Presymplectic, PresymplecticShape};
use cotangent_expr::Layout;
use cotangent_scalar::Scalar;
use cotangent_theory::Form;
use std::sync::{Arc, OnceLock};

/// Compiled when somebody asks for the form: methods for vector fields do not.
pub(super) struct FormFunctions {
    form: Form,
    state: Layout,
    parameters: Layout,
    means: Means,
    functions: OnceLock<Result<Functions, CompileError>>,
}

struct Functions {
    shape: PresymplecticShape,
    /// J, ∇H and H_zz.
    all: [Function; 3],
}

impl FormFunctions {
    pub(super) fn new(form: &Form, state: &Layout, parameters: &Layout, means: &Means) -> Self {
        let (state, parameters, means) = (state.clone(), parameters.clone(), means.clone());
        FormFunctions { form: form.clone(), state, parameters, means, functions: OnceLock::new() }
    }

    fn compile(&self) -> Result<Functions, CompileError> {
        let FormFunctions { form, state, parameters, means, .. } = self;
        let gradient = form.hamiltonian.gradient_within(state, &means.limits)?;
        let hessian = gradient.jacobian_within(state, &means.limits)?;
        let matrix = means.compiled(&[parameters], &form.matrix)?;
        let hessian = means.compiled(&[state, parameters], &hessian)?;
        let shape = PresymplecticShape { form: pattern(&matrix)?, hessian: pattern(&hessian)? };
        Ok(Functions { shape, all: [matrix, means.compiled(&[state, parameters], &gradient)?, hessian] })
    }

    fn get(&self) -> Result<&Functions, Failure> {
        self.functions.get_or_init(|| self.compile()).as_ref().map_err(|e| Failure::of(e.clone()))
    }

    /// What was compiled so far.
    pub(super) fn functions(&self) -> impl Iterator<Item = &Function> {
        self.functions.get().and_then(|f| f.as_ref().ok()).into_iter().flat_map(|f| &f.all)
    }
}

pub(super) struct FormView<S: Scalar, A: Arithmetic<S>> {
    functions: Arc<FormFunctions>,
    shape: PresymplecticShape,
    arithmetic: A,
    parameters: Arc<[S]>,
    work: [A::Work; 3],
}

impl<S: Scalar, A: Arithmetic<S>> FormView<S, A> {
    pub(super) fn new(functions: Arc<FormFunctions>, arithmetic: A, parameters: Arc<[S]>) -> Result<Self, Failure> {
        let compiled = functions.get()?;
        let [a, b, c] = [0, 1, 2].map(|k| arithmetic.workspace(&compiled.all[k]).map_err(Failure::of));
        let (shape, work) = (compiled.shape.clone(), [a?, b?, c?]);
        Ok(FormView { functions, shape, arithmetic, parameters, work })
    }

    fn call(&mut self, k: usize, inputs: &[&[S]], out: &mut [S]) -> Result<(), Failure> {
        self.arithmetic.call(&self.functions.get()?.all[k], inputs, &mut [out], &mut self.work[k])
    }
}

impl<S: Scalar, A: Arithmetic<S>> Presymplectic<S> for FormView<S, A> {
    fn shape(&self) -> &PresymplecticShape {
        &self.shape
    }

    fn form(&mut self, out: &mut [S]) -> Result<(), Failure> {
        let parameters = self.parameters.clone();
        self.call(0, &[&parameters], out)
    }

    fn gradient(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        let parameters = self.parameters.clone();
        self.call(1, &[z, &parameters], out)
    }

    fn hessian(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        let parameters = self.parameters.clone();
        self.call(2, &[z, &parameters], out)
    }
}
