//! Constraints of a bracket with the flows that they generate, and the system without them, compiled.

use super::{Compiled, Means, pattern};
use crate::error::underived;
use cotangent_compile::{Arithmetic, CompileError, Function};
use cotangent_dynamics::{Failure, Restrained, RestrainedShape};
use cotangent_expr::Layout;
use cotangent_scalar::Scalar;
use cotangent_theory::{Formulation, Part, Unrestrained};
use std::sync::{Arc, OnceLock};

type Known = Result<Box<cotangent_theory::Restrained>, Unrestrained>;

/// Derived and compiled when a method asks for them.
pub(super) struct RestrainedFunctions {
    known: Known,
    parameters: Layout,
    means: Means,
    functions: OnceLock<Result<Functions, CompileError>>,
    free: OnceLock<Result<Compiled, CompileError>>,
}

struct Functions {
    shape: RestrainedShape,
    /// g, χ, {χ, g}, then the flow of each constraint.
    all: Vec<Function>,
}

/// The number of functions before the flows.
const FIRST: usize = 3;

impl RestrainedFunctions {
    pub(super) fn new(known: &Known, parameters: &Layout, means: &Means) -> Self {
        let (known, parameters, means) = (known.clone(), parameters.clone(), means.clone());
        RestrainedFunctions { known, parameters, means, functions: OnceLock::new(), free: OnceLock::new() }
    }

    fn known(&self) -> Result<&cotangent_theory::Restrained, CompileError> {
        self.known.as_deref().map_err(|why| underived(why.clone().into()))
    }

    fn compile(&self) -> Result<Functions, CompileError> {
        let known = self.known()?;
        let flows = known.flows().map_err(underived)?;
        let inputs = [&flows.state, &self.parameters];
        let mut all = vec![
            self.means.compiled(&inputs, &known.constraints)?,
            self.means.compiled(&inputs, &known.hidden)?,
            self.means.compiled(&inputs, &known.brackets)?,
        ];
        let flow = |part: &Part| self.means.compiled(&[&flows.state, &flows.step, &self.parameters], &part.increment);
        all.extend(flows.parts.iter().map(flow).collect::<Result<Vec<_>, _>>()?);
        let (dimension, brackets) = (flows.state.len(), pattern(&all[2])?);
        let shape = RestrainedShape { dimension, brackets, pairs_quadratic: known.pairs_quadratic };
        Ok(Functions { shape, all })
    }

    fn get(&self) -> Result<&Functions, Failure> {
        self.functions.get_or_init(|| self.compile()).as_ref().map_err(|e| Failure::of(e.clone()))
    }

    /// The system without constraints.
    pub(super) fn free(&self) -> Result<&Compiled, Failure> {
        let compile = || {
            let motion = Formulation::Multipliers.apply_within(&self.known()?.system, &self.means.limits);
            Compiled::new(&motion.map_err(underived)?, self.means.engine)
        };
        self.free.get_or_init(compile).as_ref().map_err(|e| Failure::of(e.clone()))
    }

    /// Whether no function that was compiled so far has an implicit one inside.
    pub(super) fn is_inlinable(&self) -> bool {
        let own = self.functions.get().and_then(|f| f.as_ref().ok()).into_iter().flat_map(|f| &f.all);
        let free = self.free.get().and_then(|f| f.as_ref().ok());
        own.into_iter().all(Function::is_inlinable) && free.is_none_or(Compiled::is_inlinable)
    }
}

pub(super) struct RestrainedView<S: Scalar, A: Arithmetic<S>> {
    functions: Arc<RestrainedFunctions>,
    shape: RestrainedShape,
    arithmetic: A,
    parameters: Arc<[S]>,
    work: Vec<A::Work>,
}

impl<S: Scalar, A: Arithmetic<S>> RestrainedView<S, A> {
    pub(super) fn new(
        functions: Arc<RestrainedFunctions>,
        arithmetic: A,
        parameters: Arc<[S]>,
    ) -> Result<Self, Failure> {
        let compiled = functions.get()?;
        let work = compiled.all.iter().map(|f| arithmetic.workspace(f).map_err(Failure::of));
        let (work, shape) = (work.collect::<Result<Vec<_>, _>>()?, compiled.shape.clone());
        Ok(RestrainedView { functions, shape, arithmetic, parameters, work })
    }

    fn call(&mut self, k: usize, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        let f = &self.functions.get()?.all[k];
        self.arithmetic.call(f, &[z, &self.parameters], &mut [out], &mut self.work[k])
    }
}

impl<S: Scalar, A: Arithmetic<S>> Restrained<S> for RestrainedView<S, A> {
    fn shape(&self) -> &RestrainedShape {
        &self.shape
    }

    fn constraints(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.call(0, z, out)
    }

    fn hidden(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.call(1, z, out)
    }

    fn brackets(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.call(2, z, out)
    }

    fn increment(&mut self, constraint: usize, lambda: S, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        let k = FIRST + constraint;
        let f = &self.functions.get()?.all[k];
        self.arithmetic.call(f, &[z, &[lambda], &self.parameters], &mut [out], &mut self.work[k])
    }
}
