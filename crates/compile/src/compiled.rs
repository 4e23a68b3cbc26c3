//! A formulation as functions: what methods ask of a system, answered in any arithmetic.

use crate::arithmetic::Arithmetic;
use crate::error::CompileError;
use crate::function::{Engine, Function, FunctionBuilder};
use cotangent_dynamics::{Canonical, CanonicalShape, Chart, Dynamics, Failure, Field, Index};
use cotangent_expr::{Layout, Tensor};
use cotangent_scalar::Scalar;
use cotangent_solve::Pattern;
use cotangent_theory::{Formulation, Motion, Structure, TheoryError, VectorField};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

/// The equations of motion of a system, compiled.
///
/// [`Compiled::view`] shows them to methods in one arithmetic.
#[derive(Clone)]
pub struct Compiled {
    canonical: Option<Arc<CanonicalFunctions>>,
    field: Option<Arc<FieldFunctions>>,
    chart: Option<Arc<ChartFunctions>>,
    /// The variables of the model as a function of the state, where they differ.
    model_state: Option<Arc<Function>>,
    /// The number of variables of the state.
    dimension: usize,
    /// Whether the equations are the canonical ones, with the multipliers as unknowns.
    as_given: bool,
}

struct CanonicalFunctions {
    shape: CanonicalShape,
    hamiltonian_q: Function,
    hamiltonian_p: Function,
    hessian_qq: Function,
    hessian_qp: Function,
    hessian_pp: Function,
    constraints: Function,
    jacobian: Function,
    curvature: Function,
    curvature_along: Function,
}

/// Their parameters are those of the model, then the matrix of the chart, then the reference position.
struct ChartFunctions {
    coordinates: usize,
    threshold: f64,
    /// The numbers that make up a chart.
    length: usize,
    restriction: Function,
    lift: Function,
}

struct FieldFunctions {
    field: VectorField,
    parameters: Layout,
    engine: Engine,
    rate: Function,
    /// Compiled when an implicit method asks for it: with multipliers solved for, it is full.
    jacobian: OnceLock<Result<Function, CompileError>>,
}

impl Compiled {
    /// Compiles equations of motion; the parameters of the model are inputs.
    pub fn new(motion: &Motion, engine: Engine) -> Result<Compiled, CompileError> {
        let parameters = motion.system.parameter_layout();
        let index = if motion.formulation == Formulation::IndexReduced { Index::Two } else { Index::Three };
        let canonical = |s: &Structure| CanonicalFunctions::new(s, index, &parameters, engine).map(Arc::new);
        let field = |f: &VectorField| FieldFunctions::new(f, &parameters, engine).map(Arc::new);
        let (field, chart) = match &motion.chart {
            Some(local) => {
                let parameters = parameters.then(&local.chart).then(&local.reference);
                let field = FieldFunctions::new(&local.field, &parameters, engine)?;
                let Formulation::LocalChart { threshold } = motion.formulation else {
                    return Err(CompileError::Native("a chart without a threshold".into()));
                };
                let chart = ChartFunctions {
                    coordinates: local.field.state.len() / 2,
                    threshold,
                    length: local.chart.len() + local.reference.len(),
                    restriction: compiled(&[&motion.state, &parameters], &local.restriction, engine)?,
                    lift: compiled(&[&local.field.state, &parameters], &local.lift, engine)?,
                };
                (Some(Arc::new(field)), Some(Arc::new(chart)))
            }
            None => (motion.field.as_ref().map(field).transpose()?, None),
        };
        let underived = |e: TheoryError| CompileError::Native(e.to_string());
        let model_state = |t: Tensor| compiled(&[&motion.state, &parameters], &t, engine).map(Arc::new);
        Ok(Compiled {
            canonical: motion.structure.as_ref().map(canonical).transpose()?,
            field,
            chart,
            dimension: motion.state.len(),
            model_state: motion.model_state().map_err(underived)?.map(model_state).transpose()?,
            as_given: [Formulation::Multipliers, Formulation::IndexReduced].contains(&motion.formulation)
                || motion.multipliers.is_none(),
        })
    }

    /// The equations in one arithmetic, with these values of the parameters.
    pub fn view<S: Scalar, A: Arithmetic<S>>(&self, arithmetic: A, parameters: Vec<S>) -> View<S, A> {
        let mut with_chart = parameters.clone();
        let chart = self.chart.as_ref().map_or(0, |c| c.length);
        with_chart.resize(parameters.len() + chart, S::from_f64(0.0));
        let with_chart = Rc::new(RefCell::new(with_chart));
        View { compiled: self.clone(), arithmetic, parameters: parameters.into(), with_chart }
    }

    /// The number of variables.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Whether a step can be recorded: whether no function has an implicit one inside.
    pub fn is_inlinable(&self) -> bool {
        let canonical = self.canonical.iter().flat_map(|c| c.functions());
        let jacobian = self.field.iter().filter_map(|f| f.jacobian.get()?.as_ref().ok());
        canonical.chain(self.field.iter().map(|f| &f.rate)).chain(jacobian).all(Function::is_inlinable)
    }
}

impl CanonicalFunctions {
    fn new(s: &Structure, index: Index, parameters: &Layout, engine: Engine) -> Result<Self, CompileError> {
        let (q, p) = (&s.coordinates, &s.momenta);
        let qp = s.hamiltonian_q.jacobian(p)?;
        let energy = |t: &Tensor| compiled(&[q, p, parameters], t, engine);
        let position = |t: &Tensor| compiled(&[q, parameters], t, engine);
        let (hessian_qp, hessian_pp) = (energy(&qp)?, energy(&s.hamiltonian_p.jacobian(p)?)?);
        let hessian_qq = energy(&s.hamiltonian_q.jacobian(q)?)?;
        let jacobian = position(&s.jacobian)?;
        let failed = |e: TheoryError| CompileError::Native(e.to_string());
        let (lambda, curvature) = s.curvature().map_err(failed)?;
        let curvature = compiled(&[q, &lambda, parameters], &curvature, engine)?;
        let (v, curvature_along) = s.curvature_along().map_err(failed)?;
        let curvature_along = compiled(&[q, &v, parameters], &curvature_along, engine)?;
        let shape = CanonicalShape {
            coordinates: q.len(),
            constraints: s.constraints.shape()[0].len(),
            index,
            separable: qp.is_zero(),
            jacobian: pattern(&jacobian)?,
            curvature: pattern(&curvature)?,
            curvature_along: pattern(&curvature_along)?,
            hessian_qq: pattern(&hessian_qq)?,
            hessian_qp: pattern(&hessian_qp)?,
            hessian_pp: pattern(&hessian_pp)?,
        };
        let (hamiltonian_q, hamiltonian_p) = (energy(&s.hamiltonian_q)?, energy(&s.hamiltonian_p)?);
        let constraints = position(&s.constraints)?;
        Ok(CanonicalFunctions {
            shape,
            hamiltonian_q,
            hamiltonian_p,
            hessian_qq,
            hessian_qp,
            hessian_pp,
            constraints,
            jacobian,
            curvature,
            curvature_along,
        })
    }

    fn functions(&self) -> [&Function; 9] {
        [
            &self.hamiltonian_q,
            &self.hamiltonian_p,
            &self.hessian_qp,
            &self.hessian_pp,
            &self.constraints,
            &self.jacobian,
            &self.hessian_qq,
            &self.curvature,
            &self.curvature_along,
        ]
    }
}

impl FieldFunctions {
    fn new(f: &VectorField, parameters: &Layout, engine: Engine) -> Result<Self, CompileError> {
        let rate = compiled(&[&f.state, parameters], &f.rate, engine)?;
        let (field, parameters) = (f.clone(), parameters.clone());
        Ok(FieldFunctions { field, parameters, engine, rate, jacobian: OnceLock::new() })
    }

    fn jacobian(&self) -> Result<&Function, Failure> {
        let compile = || {
            let matrix = self.field.rate.jacobian(&self.field.state)?;
            compiled(&[&self.field.state, &self.parameters], &matrix, self.engine)
        };
        self.jacobian.get_or_init(compile).as_ref().map_err(|e| misused(e.clone()))
    }
}

/// A vector in full, a matrix by its pattern.
fn compiled(inputs: &[&Layout], tensor: &Tensor, engine: Engine) -> Result<Function, CompileError> {
    let builder = inputs.iter().fold(FunctionBuilder::new(), |b, layout| b.input(layout)).engine(engine);
    match tensor.rank() {
        2 => builder.sparse_output(tensor).compile(),
        _ => builder.output(tensor).compile(),
    }
}

fn pattern(matrix: &Function) -> Result<Pattern, CompileError> {
    matrix.pattern(0).cloned().ok_or_else(|| CompileError::Native("a matrix without a pattern".into()))
}

/// Compiled equations of motion in the arithmetic `S`.
#[derive(Clone)]
pub struct View<S, A> {
    compiled: Compiled,
    arithmetic: A,
    parameters: Arc<[S]>,
    /// The parameters of the field: where it is one in a chart, those of the chart that is set follow.
    with_chart: Rc<RefCell<Vec<S>>>,
}

impl<'s, S: Scalar + 's, A: Arithmetic<S> + 's> View<S, A>
where
    A::Work: 's,
{
    /// The variables of the model at a state of the equations of motion, which may have others.
    pub fn model_state(&self, state: &[S]) -> Result<Vec<S>, Failure> {
        let Some(f) = &self.compiled.model_state else { return Ok(state.to_vec()) };
        let mut out = state.to_vec();
        let mut work = self.arithmetic.workspace(f).map_err(misused)?;
        self.arithmetic.call(f, &[state, &self.parameters], &mut [&mut out], &mut work)?;
        Ok(out)
    }

    fn evaluator(&self) -> Result<Option<Box<dyn Canonical<S> + 's>>, Failure> {
        let Some(functions) = &self.compiled.canonical else { return Ok(None) };
        let work = functions.functions().map(|f| self.arithmetic.workspace(f).map_err(misused));
        let [a, b, c, d, e, f, g, h, i] = work;
        Ok(Some(Box::new(CanonicalView {
            work: [a?, b?, c?, d?, e?, f?, g?, h?, i?],
            functions: functions.clone(),
            arithmetic: self.arithmetic,
            parameters: self.parameters.clone(),
        })))
    }
}

fn misused(e: CompileError) -> Failure {
    Failure::Misused { reason: e.to_string() }
}

impl<'s, S: Scalar + 's, A: Arithmetic<S> + 's> Dynamics<'s, S> for View<S, A>
where
    A::Work: 's,
{
    fn canonical(&self) -> Result<Option<Box<dyn Canonical<S> + 's>>, Failure> {
        if self.compiled.as_given { self.evaluator() } else { Ok(None) }
    }

    fn field(&self) -> Result<Option<Box<dyn Field<S> + 's>>, Failure> {
        let Some(functions) = &self.compiled.field else { return Ok(None) };
        Ok(Some(Box::new(FieldView {
            rate_work: self.arithmetic.workspace(&functions.rate).map_err(misused)?,
            jacobian_work: None,
            functions: functions.clone(),
            arithmetic: self.arithmetic,
            parameters: self.with_chart.clone(),
        })))
    }

    fn chart(&self) -> Result<Option<Box<dyn Chart<S> + 's>>, Failure> {
        let Some(functions) = &self.compiled.chart else { return Ok(None) };
        Ok(Some(Box::new(ChartView {
            restriction_work: self.arithmetic.workspace(&functions.restriction).map_err(misused)?,
            lift_work: self.arithmetic.workspace(&functions.lift).map_err(misused)?,
            functions: functions.clone(),
            arithmetic: self.arithmetic,
            first: self.parameters.len(),
            parameters: self.with_chart.clone(),
        })))
    }

    fn manifold(&self) -> Result<Option<Box<dyn Canonical<S> + 's>>, Failure> {
        self.evaluator()
    }
}

struct CanonicalView<S, A: Arithmetic<S>>
where
    S: Scalar,
{
    functions: Arc<CanonicalFunctions>,
    arithmetic: A,
    parameters: Arc<[S]>,
    /// In the order of [`CanonicalFunctions::functions`].
    work: [A::Work; 9],
}

impl<S: Scalar, A: Arithmetic<S>> Canonical<S> for CanonicalView<S, A> {
    fn shape(&self) -> &CanonicalShape {
        &self.functions.shape
    }

    fn hamiltonian_q(&mut self, q: &[S], p: &[S], out: &mut [S]) -> Result<(), Failure> {
        let f = &self.functions.hamiltonian_q;
        self.arithmetic.call(f, &[q, p, &self.parameters], &mut [out], &mut self.work[0])
    }

    fn hamiltonian_p(&mut self, q: &[S], p: &[S], out: &mut [S]) -> Result<(), Failure> {
        let f = &self.functions.hamiltonian_p;
        self.arithmetic.call(f, &[q, p, &self.parameters], &mut [out], &mut self.work[1])
    }

    fn hessian_qp(&mut self, q: &[S], p: &[S], out: &mut [S]) -> Result<(), Failure> {
        let f = &self.functions.hessian_qp;
        self.arithmetic.call(f, &[q, p, &self.parameters], &mut [out], &mut self.work[2])
    }

    fn hessian_pp(&mut self, q: &[S], p: &[S], out: &mut [S]) -> Result<(), Failure> {
        let f = &self.functions.hessian_pp;
        self.arithmetic.call(f, &[q, p, &self.parameters], &mut [out], &mut self.work[3])
    }

    fn constraints(&mut self, q: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.arithmetic.call(&self.functions.constraints, &[q, &self.parameters], &mut [out], &mut self.work[4])
    }

    fn jacobian(&mut self, q: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.arithmetic.call(&self.functions.jacobian, &[q, &self.parameters], &mut [out], &mut self.work[5])
    }

    fn hessian_qq(&mut self, q: &[S], p: &[S], out: &mut [S]) -> Result<(), Failure> {
        let f = &self.functions.hessian_qq;
        self.arithmetic.call(f, &[q, p, &self.parameters], &mut [out], &mut self.work[6])
    }

    fn curvature(&mut self, q: &[S], lambda: &[S], out: &mut [S]) -> Result<(), Failure> {
        let f = &self.functions.curvature;
        self.arithmetic.call(f, &[q, lambda, &self.parameters], &mut [out], &mut self.work[7])
    }

    fn curvature_along(&mut self, q: &[S], v: &[S], out: &mut [S]) -> Result<(), Failure> {
        let f = &self.functions.curvature_along;
        self.arithmetic.call(f, &[q, v, &self.parameters], &mut [out], &mut self.work[8])
    }
}

struct FieldView<S: Scalar, A: Arithmetic<S>> {
    functions: Arc<FieldFunctions>,
    arithmetic: A,
    parameters: Rc<RefCell<Vec<S>>>,
    rate_work: A::Work,
    jacobian_work: Option<A::Work>,
}

impl<S: Scalar, A: Arithmetic<S>> Field<S> for FieldView<S, A> {
    fn dimension(&self) -> usize {
        self.functions.field.state.len()
    }

    fn jacobian_pattern(&mut self) -> Result<Pattern, Failure> {
        pattern(self.functions.jacobian()?).map_err(misused)
    }

    fn rate(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.arithmetic.call(&self.functions.rate, &[z, &self.parameters.borrow()], &mut [out], &mut self.rate_work)
    }

    fn jacobian(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        let f = self.functions.jacobian()?;
        let work = match &mut self.jacobian_work {
            Some(work) => work,
            none => none.insert(self.arithmetic.workspace(f).map_err(misused)?),
        };
        self.arithmetic.call(f, &[z, &self.parameters.borrow()], &mut [out], work)
    }
}

struct ChartView<S: Scalar, A: Arithmetic<S>> {
    functions: Arc<ChartFunctions>,
    arithmetic: A,
    parameters: Rc<RefCell<Vec<S>>>,
    /// Where the chart begins among the parameters.
    first: usize,
    restriction_work: A::Work,
    lift_work: A::Work,
}

impl<S: Scalar, A: Arithmetic<S>> Chart<S> for ChartView<S, A> {
    fn coordinates(&self) -> usize {
        self.functions.coordinates
    }

    fn threshold(&self) -> f64 {
        self.functions.threshold
    }

    fn set(&mut self, matrix: &[S], reference: &[S]) {
        let mut parameters = self.parameters.borrow_mut();
        let numbers = matrix.iter().chain(reference);
        parameters[self.first..].iter_mut().zip(numbers).for_each(|(p, &number)| *p = number);
    }

    fn restrict(&mut self, state: &[S], out: &mut [S]) -> Result<(), Failure> {
        let f = &self.functions.restriction;
        self.arithmetic.call(f, &[state, &self.parameters.borrow()], &mut [out], &mut self.restriction_work)
    }

    fn lift(&mut self, local: &[S], out: &mut [S]) -> Result<(), Failure> {
        let f = &self.functions.lift;
        self.arithmetic.call(f, &[local, &self.parameters.borrow()], &mut [out], &mut self.lift_work)
    }
}
