//! Derivatives of the hidden constraints, compiled.

use super::Means;
use crate::error::underived;
use cotangent_compile::{Arithmetic, CompileError, Function};
use cotangent_dynamics::{Failure, Hidden, HiddenShape};
use cotangent_expr::{Layout, Tensor};
use cotangent_scalar::Scalar;
use cotangent_solve::Pattern;
use cotangent_theory::Structure;
use std::sync::{Arc, OnceLock};

/// Compiled when a method asks for them: they have third derivatives of the model inside.
pub(super) struct HiddenFunctions {
    structure: Structure,
    parameters: Layout,
    means: Means,
    functions: OnceLock<Result<Derivatives, CompileError>>,
}

pub(super) struct Derivatives {
    shape: HiddenShape,
    jacobians: Function,
    curvature: Function,
}

impl HiddenFunctions {
    pub(super) fn new(s: &Structure, parameters: &Layout, means: &Means) -> Self {
        let (structure, parameters) = (s.clone(), parameters.clone());
        HiddenFunctions { structure, parameters, means: means.clone(), functions: OnceLock::new() }
    }

    fn compile(&self) -> Result<Derivatives, CompileError> {
        let s = &self.structure;
        let function = |inputs: &[&Layout], outputs: &[&Tensor]| {
            outputs.iter().fold(self.means.builder(inputs), |b, t| b.sparse_output(t)).compile()
        };
        let (q, p, parameters) = (&s.coordinates, &s.momenta, &self.parameters);
        let (mu, [qq, qp, pp]) = s.hidden_curvature().map_err(underived)?;
        let jacobians = function(&[q, p, parameters], &[&s.hidden_q, &s.hidden_p])?;
        let curvature = function(&[q, p, &mu, parameters], &[&qq, &qp, &pp])?;
        let shape = HiddenShape {
            q: pattern(&jacobians, 0)?,
            p: pattern(&jacobians, 1)?,
            qq: pattern(&curvature, 0)?,
            qp: pattern(&curvature, 1)?,
            pp: pattern(&curvature, 2)?,
        };
        Ok(Derivatives { shape, jacobians, curvature })
    }

    pub(super) fn get(&self) -> Result<&Derivatives, Failure> {
        self.functions.get_or_init(|| self.compile()).as_ref().map_err(|e| Failure::of(e.clone()))
    }

    /// What was compiled so far.
    pub(super) fn functions(&self) -> impl Iterator<Item = &Function> {
        let derivatives = self.functions.get().and_then(|f| f.as_ref().ok());
        derivatives.into_iter().flat_map(|d| [&d.jacobians, &d.curvature])
    }
}

fn pattern(function: &Function, output: usize) -> Result<Pattern, CompileError> {
    function.pattern(output).cloned().ok_or_else(|| CompileError::Native("a matrix without a pattern".into()))
}

pub(super) struct HiddenView<S: Scalar, A: Arithmetic<S>> {
    functions: Arc<HiddenFunctions>,
    shape: HiddenShape,
    arithmetic: A,
    parameters: Arc<[S]>,
    work: [A::Work; 2],
}

impl<S: Scalar, A: Arithmetic<S>> HiddenView<S, A> {
    pub(super) fn new(functions: Arc<HiddenFunctions>, arithmetic: A, parameters: Arc<[S]>) -> Result<Self, Failure> {
        let compiled = functions.get()?;
        let work = |f: &Function| arithmetic.workspace(f).map_err(Failure::of);
        let (shape, work) = (compiled.shape.clone(), [work(&compiled.jacobians)?, work(&compiled.curvature)?]);
        Ok(HiddenView { functions, shape, arithmetic, parameters, work })
    }
}

impl<S: Scalar, A: Arithmetic<S>> Hidden<S> for HiddenView<S, A> {
    fn shape(&self) -> &HiddenShape {
        &self.shape
    }

    fn jacobians(&mut self, q: &[S], p: &[S], mut out: [&mut [S]; 2]) -> Result<(), Failure> {
        let f = &self.functions.get()?.jacobians;
        self.arithmetic.call(f, &[q, p, &self.parameters], &mut out, &mut self.work[0])
    }

    fn curvature(&mut self, q: &[S], p: &[S], mu: &[S], mut out: [&mut [S]; 3]) -> Result<(), Failure> {
        let f = &self.functions.get()?.curvature;
        self.arithmetic.call(f, &[q, p, mu, &self.parameters], &mut out, &mut self.work[1])
    }
}
