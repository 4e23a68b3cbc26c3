//! The flows of the parts of an energy, compiled.

use super::Means;
use crate::error::underived;
use cotangent_compile::{Arithmetic, CompileError, Function};
use cotangent_dynamics::{Failure, Split};
use cotangent_expr::Layout;
use cotangent_model::System;
use cotangent_scalar::Scalar;
use cotangent_theory::{Part, Splitting};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The flow of a part.
struct Flow {
    increment: Function,
    /// Which entries of the state it may move.
    moved: Vec<Range<usize>>,
}

/// Derived and compiled when a splitting method asks for them.
pub(super) struct SplitFunctions {
    system: System,
    parameters: Layout,
    means: Means,
    functions: OnceLock<Result<Vec<Flow>, CompileError>>,
}

impl SplitFunctions {
    pub(super) fn new(system: &System, parameters: &Layout, means: &Means) -> Self {
        let (system, parameters, means) = (system.clone(), parameters.clone(), means.clone());
        SplitFunctions { system, parameters, means, functions: OnceLock::new() }
    }

    fn compile(&self) -> Result<Vec<Flow>, CompileError> {
        let splitting = Splitting::new(&self.system).map_err(underived)?;
        let compile = |part: &Part| {
            let inputs = [&splitting.state, &splitting.step, &self.parameters];
            let increment = self.means.compiled(&inputs, &part.increment)?;
            Ok(Flow { increment, moved: part.moved(&splitting.state) })
        };
        splitting.parts.iter().map(compile).collect()
    }

    fn get(&self) -> Result<&[Flow], Failure> {
        let made = self.functions.get_or_init(|| self.compile()).as_ref();
        made.map(Vec::as_slice).map_err(|e| Failure::of(e.clone()))
    }

    /// What was compiled so far.
    pub(super) fn functions(&self) -> impl Iterator<Item = &Function> {
        self.functions.get().and_then(|f| f.as_ref().ok()).into_iter().flatten().map(|flow| &flow.increment)
    }
}

pub(super) struct SplitView<S: Scalar, A: Arithmetic<S>> {
    functions: Arc<SplitFunctions>,
    arithmetic: A,
    parameters: Arc<[S]>,
    work: Vec<A::Work>,
}

impl<S: Scalar, A: Arithmetic<S>> SplitView<S, A> {
    pub(super) fn new(functions: Arc<SplitFunctions>, arithmetic: A, parameters: Arc<[S]>) -> Result<Self, Failure> {
        let made = functions.get()?.iter().map(|f| arithmetic.workspace(&f.increment).map_err(Failure::of));
        let work = made.collect::<Result<Vec<_>, _>>()?;
        Ok(SplitView { functions, arithmetic, parameters, work })
    }
}

impl<S: Scalar, A: Arithmetic<S>> Split<S> for SplitView<S, A> {
    fn dimension(&self) -> usize {
        self.functions.system.state().len()
    }

    fn parts(&self) -> usize {
        self.work.len()
    }

    fn increment(&mut self, part: usize, h: S, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        let f = &self.functions.get()?[part].increment;
        self.arithmetic.call(f, &[z, &[h], &self.parameters], &mut [out], &mut self.work[part])
    }

    fn moved(&self, part: usize) -> Vec<Range<usize>> {
        let known = self.functions.get().ok().and_then(|flows| flows.get(part));
        known.map_or_else(Vec::new, |flow| flow.moved.clone())
    }
}
