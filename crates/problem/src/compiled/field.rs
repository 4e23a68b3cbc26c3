//! Ordinary differential equations, compiled.

use super::{Means, pattern};
use cotangent_compile::{Arithmetic, CompileError, Function};
use cotangent_dynamics::{Failure, Field};
use cotangent_expr::Layout;
use cotangent_scalar::Scalar;
use cotangent_solve::Pattern;
use cotangent_theory::VectorField;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

pub(super) struct FieldFunctions {
    pub(super) field: VectorField,
    pub(super) parameters: Layout,
    pub(super) means: Means,
    pub(super) rate: Function,
    /// Compiled when an implicit method asks for it: with multipliers solved for, it is full.
    pub(super) jacobian: OnceLock<Result<Function, CompileError>>,
}

impl FieldFunctions {
    pub(super) fn new(f: &VectorField, parameters: &Layout, means: &Means) -> Result<Self, CompileError> {
        let rate = means.compiled(&[&f.state, parameters], &f.rate)?;
        let (field, parameters) = (f.clone(), parameters.clone());
        Ok(FieldFunctions { field, parameters, means: means.clone(), rate, jacobian: OnceLock::new() })
    }

    pub(super) fn jacobian(&self) -> Result<&Function, Failure> {
        let compile = || {
            let matrix = self.field.rate.jacobian_within(&self.field.state, &self.means.limits)?;
            self.means.compiled(&[&self.field.state, &self.parameters], &matrix)
        };
        self.jacobian.get_or_init(compile).as_ref().map_err(|e| Failure::of(e.clone()))
    }
}

pub(super) struct FieldView<S: Scalar, A: Arithmetic<S>> {
    pub(super) functions: Arc<FieldFunctions>,
    pub(super) arithmetic: A,
    pub(super) parameters: Rc<RefCell<Vec<S>>>,
    pub(super) rate_work: A::Work,
    pub(super) jacobian_work: Option<A::Work>,
}

impl<S: Scalar, A: Arithmetic<S>> Field<S> for FieldView<S, A> {
    fn dimension(&self) -> usize {
        self.functions.field.state.len()
    }

    fn jacobian_pattern(&mut self) -> Result<Pattern, Failure> {
        pattern(self.functions.jacobian()?).map_err(Failure::of)
    }

    fn rate(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.arithmetic.call(&self.functions.rate, &[z, &self.parameters.borrow()], &mut [out], &mut self.rate_work)
    }

    fn jacobian(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        let f = self.functions.jacobian()?;
        let work = match &mut self.jacobian_work {
            Some(work) => work,
            none => none.insert(self.arithmetic.workspace(f).map_err(Failure::of)?),
        };
        self.arithmetic.call(f, &[z, &self.parameters.borrow()], &mut [out], work)
    }
}
