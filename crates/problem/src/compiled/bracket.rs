//! ż = B(z)∇H, compiled.

use super::{Means, pattern};
use cotangent_compile::{Arithmetic, CompileError, Function};
use cotangent_dynamics::{Failure, Poisson, PoissonShape};
use cotangent_expr::{Array, Dim, Expr, Layout, Role, Tensor, Term};
use cotangent_scalar::Scalar;
use cotangent_theory::Bracket;
use std::sync::{Arc, OnceLock};

/// Compiled when somebody asks for the bracket: methods for vector fields do not.
pub(super) struct BracketFunctions {
    bracket: Bracket,
    parameters: Layout,
    means: Means,
    functions: OnceLock<Result<Functions, CompileError>>,
}

struct Functions {
    shape: PoissonShape,
    /// B, ∂(B v)/∂z, ∇H, H_zz, Casimirs.
    all: [Function; 5],
}

impl BracketFunctions {
    pub(super) fn new(bracket: &Bracket, parameters: &Layout, means: &Means) -> Self {
        let (bracket, parameters, means) = (bracket.clone(), parameters.clone(), means.clone());
        BracketFunctions { bracket, parameters, means, functions: OnceLock::new() }
    }

    fn compile(&self) -> Result<Functions, CompileError> {
        let BracketFunctions { bracket, parameters, means, .. } = self;
        let state = &bracket.field.state;
        let gradient = bracket.hamiltonian.gradient_within(state, &means.limits)?;
        let hessian = gradient.jacobian_within(state, &means.limits)?;
        let (vector, along) = along(&bracket.tensor)?;
        let along = along.jacobian_within(state, &means.limits)?;
        let slopes = bracket.casimirs.jacobian_within(state, &means.limits)?;
        let curvature = slopes.jacobian_within(state, &means.limits)?;
        let degree = match curvature.is_zero() {
            true => Some(1),
            false => (!curvature.depends_on(state)).then_some(2),
        };
        let inputs = [state, parameters];
        let all = [
            means.compiled(&inputs, &bracket.tensor)?,
            means.compiled(&[state, &vector, parameters], &along)?,
            means.compiled(&inputs, &gradient)?,
            means.compiled(&inputs, &hessian)?,
            means.compiled(&inputs, &bracket.casimirs)?,
        ];
        let shape = PoissonShape {
            tensor: pattern(&all[0])?,
            tensor_along: pattern(&all[1])?,
            hessian: pattern(&all[3])?,
            casimirs: bracket.casimirs.shape()[0].len(),
            degree,
        };
        Ok(Functions { shape, all })
    }

    fn get(&self) -> Result<&Functions, Failure> {
        self.functions.get_or_init(|| self.compile()).as_ref().map_err(|e| Failure::of(e.clone()))
    }

    /// What was compiled so far.
    pub(super) fn functions(&self) -> impl Iterator<Item = &Function> {
        self.functions.get().and_then(|f| f.as_ref().ok()).into_iter().flat_map(|f| &f.all)
    }
}

/// B v for a given vector v, and the layout of that.
fn along(tensor: &Tensor) -> Result<(Layout, Tensor), cotangent_expr::Error> {
    let columns = &tensor.shape()[1];
    let v = Array::given("v", Role::Auxiliary, vec![Dim { first: 0, len: columns.len() }]);
    let term = |t: &Term| {
        let column = columns.flat_index(&t.at[1].array, &t.at[1].index)?;
        Ok(Term { at: vec![t.at[0].clone()], value: &t.value * Expr::at(&v, vec![column]), ..t.clone() })
    };
    let terms = tensor.terms().iter().map(term).collect::<Result<_, cotangent_expr::Error>>()?;
    Ok((Layout::new(vec![v.clone()]), Tensor::new(vec![tensor.shape()[0].clone()], terms)?))
}

pub(super) struct BracketView<S: Scalar, A: Arithmetic<S>> {
    functions: Arc<BracketFunctions>,
    shape: PoissonShape,
    arithmetic: A,
    parameters: Arc<[S]>,
    work: [A::Work; 5],
}

impl<S: Scalar, A: Arithmetic<S>> BracketView<S, A> {
    pub(super) fn new(functions: Arc<BracketFunctions>, arithmetic: A, parameters: Arc<[S]>) -> Result<Self, Failure> {
        let compiled = functions.get()?;
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|k| arithmetic.workspace(&compiled.all[k]).map_err(Failure::of));
        let (shape, work) = (compiled.shape.clone(), [a?, b?, c?, d?, e?]);
        Ok(BracketView { functions, shape, arithmetic, parameters, work })
    }

    fn call(&mut self, k: usize, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        let f = &self.functions.get()?.all[k];
        self.arithmetic.call(f, &[z, &self.parameters], &mut [out], &mut self.work[k])
    }
}

impl<S: Scalar, A: Arithmetic<S>> Poisson<S> for BracketView<S, A> {
    fn shape(&self) -> &PoissonShape {
        &self.shape
    }

    fn tensor(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.call(0, z, out)
    }

    fn tensor_along(&mut self, z: &[S], v: &[S], out: &mut [S]) -> Result<(), Failure> {
        let f = &self.functions.get()?.all[1];
        self.arithmetic.call(f, &[z, v, &self.parameters], &mut [out], &mut self.work[1])
    }

    fn gradient(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.call(2, z, out)
    }

    fn hessian(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.call(3, z, out)
    }

    fn casimirs(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.call(4, z, out)
    }
}
