//! A formulation as functions: what methods ask of a system, answered in any arithmetic.

mod bracket;
mod canonical;
mod chart;
mod field;
mod form;
mod hidden;
mod restrained;
mod split;
mod surface;

use crate::error::underived;
use bracket::{BracketFunctions, BracketView};
use canonical::{CanonicalFunctions, CanonicalView};
use chart::{ChartFunctions, ChartView};
use cotangent_compile::{Arithmetic, CompileError, Engine, Function, FunctionBuilder};
use cotangent_dynamics::{
    BracketShape, Canonical, Chart, Dynamics, Failure, Field, Hidden, Index, MatrixBlock, Poisson, Presymplectic,
    Restrained, Split, Surface,
};
use cotangent_expr::{Layout, Tensor};
use cotangent_integrate::Offer;
use cotangent_scalar::{Limits, Scalar};
use cotangent_solve::Pattern;
use cotangent_theory::{Formulation, Law, Motion, Shape, Structure, VectorField};
use field::{FieldFunctions, FieldView};
use form::{FormFunctions, FormView};
use hidden::{HiddenFunctions, HiddenView};
use restrained::{RestrainedFunctions, RestrainedView};
use split::{SplitFunctions, SplitView};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use surface::{SurfaceFunctions, SurfaceView};

/// The equations of motion of a system, compiled.
///
/// [`Compiled::view`] shows them to methods in one arithmetic.
#[derive(Clone)]
pub struct Compiled {
    canonical: Option<Arc<CanonicalFunctions>>,
    hidden: Option<Arc<HiddenFunctions>>,
    field: Option<Arc<FieldFunctions>>,
    chart: Option<Arc<ChartFunctions>>,
    surface: Option<Arc<SurfaceFunctions>>,
    form: Option<Arc<FormFunctions>>,
    bracket: Option<Arc<BracketFunctions>>,
    split: Option<Arc<SplitFunctions>>,
    restrained: Option<Arc<RestrainedFunctions>>,
    bracket_shape: Option<BracketShape>,
    /// The variables of the model as a function of the state, where they differ.
    lift: Option<Arc<Function>>,
    /// The state as a function of the variables of the model, where they differ.
    restriction: Option<Arc<Function>>,
    /// How many parameters the canonical equations have, and how many with the numbers of the formulation.
    parameters: [usize; 2],
    /// The number of variables of the state.
    dimension: usize,
    /// Whether the equations are the canonical ones, with the multipliers as unknowns.
    as_given: bool,
}

/// What the formulations of a model have in common, as functions.
#[derive(Default)]
pub(crate) struct Shared {
    canonical: OnceLock<Arc<CanonicalFunctions>>,
    hidden: OnceLock<Arc<HiddenFunctions>>,
}

impl Compiled {
    /// Compiles equations of motion; the parameters of the model are inputs.
    pub fn new(motion: &Motion, engine: Engine) -> Result<Compiled, CompileError> {
        Compiled::sharing(motion, engine, &Shared::default())
    }

    /// The same with what other formulations of the model have compiled already.
    pub(crate) fn sharing(motion: &Motion, engine: Engine, shared: &Shared) -> Result<Compiled, CompileError> {
        let all = motion.parameters();
        // The canonical equations of a lapse have its numbers inside, and are of no use to other formulations.
        let alone = Shared::default();
        let (parameters, shared) = match motion.lapse {
            Some(_) => (all.clone(), &alone),
            None => (motion.system.parameter_layout(), shared),
        };
        let means = &Means { engine, limits: motion.limits.clone() };
        let index = index(motion);
        let canonical = |s: &Structure| -> Result<Arc<CanonicalFunctions>, CompileError> {
            let new = || CanonicalFunctions::new(s, index, &parameters, means).map(Arc::new);
            match (index, shared.canonical.get()) {
                (Index::Three, Some(known)) => Ok(known.clone()),
                (Index::Three, None) => new().map(|made| shared.canonical.get_or_init(|| made).clone()),
                (Index::Two, _) => new(),
            }
        };
        let hidden =
            |s: &Structure| shared.hidden.get_or_init(|| Arc::new(HiddenFunctions::new(s, &parameters, means))).clone();
        let field = |f: &VectorField| FieldFunctions::new(f, &all, means).map(Arc::new);
        let (field, chart) = match &motion.law {
            Law::Chart(local) => {
                let inputs = all.then(&local.chart).then(&local.reference);
                let field = FieldFunctions::new(&local.field, &inputs, means)?;
                let chart = ChartFunctions {
                    coordinates: local.field.state.len() / 2,
                    threshold: local.threshold,
                    length: local.chart.len() + local.reference.len(),
                    restriction: means.compiled(&[&motion.state, &inputs], &local.restriction)?,
                    lift: means.compiled(&[&local.field.state, &inputs], &local.lift)?,
                };
                (Some(Arc::new(field)), Some(Arc::new(chart)))
            }
            _ => (motion.field().map(field).transpose()?, None),
        };
        let form = match &motion.law {
            Law::Form(form) => Some(Arc::new(FormFunctions::new(form, &motion.state, &parameters, means))),
            _ => None,
        };
        let bracket = match &motion.law {
            Law::Bracket(bracket) => Some(Arc::new(BracketFunctions::new(bracket, &all, means))),
            _ => None,
        };
        let restrained = match &motion.law {
            Law::Bracket(bracket) => bracket.restrained.as_ref(),
            _ => None,
        };
        let restrained = restrained.map(|known| Arc::new(RestrainedFunctions::new(known, &parameters, means)));
        let split = has_parts(motion).then(|| Arc::new(SplitFunctions::new(&motion.system, &parameters, means)));
        let surface =
            motion.surface().map(|s| SurfaceFunctions::new(s, &motion.state, &parameters, means).map(Arc::new));
        let map = |inputs: &Layout, t: Option<Tensor>| {
            t.map(|t| means.compiled(&[inputs, &parameters], &t).map(Arc::new)).transpose()
        };
        Ok(Compiled {
            canonical: motion.structure().map(canonical).transpose()?,
            hidden: motion.structure().map(hidden),
            field,
            chart,
            surface: surface.transpose()?,
            form,
            bracket,
            split,
            restrained,
            bracket_shape: bracket_shape(motion),
            dimension: motion.state.len(),
            parameters: [parameters.len(), all.len()],
            lift: map(&motion.state, motion.model_state().map_err(underived)?)?,
            restriction: map(&motion.system.state(), motion.restriction().map_err(underived)?)?,
            as_given: motion.has_unknown_multipliers() || !motion.is_holonomic(),
        })
    }

    /// The equations in one arithmetic, with these values of the parameters: those of the model, then the numbers of the
    /// formulation. Numbers of another one, which may follow, are not looked at.
    pub fn view<S: Scalar, A: Arithmetic<S>>(&self, arithmetic: A, mut parameters: Vec<S>) -> View<S, A> {
        let [model, all] = self.parameters;
        parameters.truncate(all);
        let of_model = parameters[..model.min(parameters.len())].into();
        let chart = self.chart.as_ref().map_or(0, |c| c.length);
        parameters.resize(parameters.len() + chart, S::from_f64(0.0));
        let with_chart = Rc::new(RefCell::new(parameters));
        View { compiled: self.clone(), arithmetic, parameters: of_model, with_chart }
    }

    /// The number of inputs besides the state: parameters of the model, and numbers of the formulation.
    pub fn parameters(&self) -> usize {
        self.parameters[1]
    }

    /// The number of variables.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Whether a step can be recorded: whether no function has an implicit one inside.
    pub fn is_inlinable(&self) -> bool {
        let canonical = self.canonical.iter().flat_map(|c| c.functions());
        let jacobian = self.field.iter().filter_map(|f| f.jacobian.get()?.as_ref().ok());
        let surface = self.surface.iter().flat_map(|s| s.functions());
        let hidden = self.hidden.iter().flat_map(|h| h.functions());
        let form = self.form.iter().flat_map(|f| f.functions());
        let bracket = self.bracket.iter().flat_map(|b| b.functions());
        canonical
            .chain(hidden)
            .chain(surface)
            .chain(form)
            .chain(bracket)
            .chain(self.split.iter().flat_map(|s| s.functions()))
            .chain(self.field.iter().map(|f| &f.rate))
            .chain(jacobian)
            .all(Function::is_inlinable)
            && self.restrained.as_ref().is_none_or(|r| r.is_inlinable())
    }
}

/// What the equations of a model offer to methods in another formulation, if it has them in that: from those at hand,
/// without deriving others.
pub fn offer(motion: &Motion, formulation: Formulation) -> Option<Offer> {
    if !motion.has(formulation) {
        return None;
    }
    let (constrained, canonical) = (motion.is_holonomic(), motion.structure().is_some());
    let form = formulation == Formulation::IndexOne && !canonical;
    // Without constraints all formulations are the same.
    let shape = if constrained { formulation.card().shape } else { Shape::Field };
    let with_multipliers = match shape {
        Shape::IndexThree => Some(Index::Three),
        Shape::IndexTwo => Some(Index::Two),
        Shape::Field | Shape::Chart => None,
    };
    let special = bracket_shape(motion).filter(|_| !motion.is_constrained()).unwrap_or_default();
    Some(Offer {
        canonical: if canonical && !constrained { Some(Index::Three) } else { with_multipliers },
        field: with_multipliers.is_none() && !form,
        presymplectic: form,
        bracket: has_bracket(motion, formulation),
        linear: special.linear,
        spheres: !special.spheres.is_empty(),
        matrices: !special.matrices.is_empty(),
        split: has_parts(motion),
        restrained: is_restrained(motion, formulation),
        constrained,
        chart: shape == Shape::Chart,
        surface: motion.surface().is_some()
            && !formulation.keeps_some()
            && !matches!(formulation, Formulation::Penalty { .. }),
    })
}

/// Whether equations are ż = B(z)∇H in a formulation.
fn has_bracket(motion: &Motion, formulation: Formulation) -> bool {
    matches!(motion.law, Law::Bracket(_)) && !(motion.is_constrained() && formulation == Formulation::IndexReduced)
}

/// What is special about the bracket of equations.
fn bracket_shape(motion: &Motion) -> Option<BracketShape> {
    match &motion.law {
        Law::Bracket(b) => Some(BracketShape {
            linear: b.linear,
            spheres: b.spheres.clone(),
            matrices: b.matrices.iter().cloned().map(matrix_block).collect(),
        }),
        _ => None,
    }
}

/// The same matrices, for methods.
fn matrix_block(block: cotangent_theory::MatrixBlock) -> MatrixBlock {
    let cotangent_theory::MatrixBlock { rows, variables, basis, dual, norm } = block;
    MatrixBlock { rows, variables, basis, dual, norm }
}

/// Whether Dirac's bracket comes with constraints that may be held by the flows they generate.
fn is_restrained(motion: &Motion, formulation: Formulation) -> bool {
    let own = matches!(&motion.law, Law::Bracket(bracket) if bracket.restrained.is_some());
    own && matches!(formulation, Formulation::DiracBracket | Formulation::HamiltonDirac)
}

/// Whether the energy of the model moves the state by itself, so that its parts do.
fn has_parts(motion: &Motion) -> bool {
    let energy = match &motion.law {
        Law::Bracket(_) => true,
        Law::Field { canonical, .. } => *canonical && motion.structure().is_some(),
        _ => false,
    };
    energy && !motion.is_constrained() && motion.state == motion.system.state()
}

/// On which level the constraints are held.
fn index(motion: &Motion) -> Index {
    match motion.law {
        Law::IndexTwo => Index::Two,
        _ => Index::Three,
    }
}

/// With which engine, and within which limits, functions are compiled.
#[derive(Clone)]
struct Means {
    engine: Engine,
    limits: Limits,
}

impl Means {
    fn builder(&self, inputs: &[&Layout]) -> FunctionBuilder {
        let builder = FunctionBuilder::new().engine(self.engine).within(&self.limits);
        inputs.iter().fold(builder, |b, layout| b.input(layout))
    }

    /// A vector in full, a matrix by its pattern.
    fn compiled(&self, inputs: &[&Layout], tensor: &Tensor) -> Result<Function, CompileError> {
        let builder = self.builder(inputs);
        match tensor.rank() {
            2 => builder.sparse_output(tensor).compile(),
            _ => builder.output(tensor).compile(),
        }
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
        self.mapped(self.compiled.lift.as_deref(), state)
    }

    /// The state of the equations of motion for these variables of the model.
    pub fn restricted(&self, model: &[S]) -> Result<Vec<S>, Failure> {
        self.mapped(self.compiled.restriction.as_deref(), model)
    }

    fn mapped(&self, f: Option<&Function>, from: &[S]) -> Result<Vec<S>, Failure> {
        let Some(f) = f else { return Ok(from.to_vec()) };
        let mut out = vec![S::from_f64(0.0); f.program().outputs[0]];
        let mut work = self.arithmetic.workspace(f).map_err(Failure::of)?;
        self.arithmetic.call(f, &[from, &self.parameters], &mut [&mut out], &mut work)?;
        Ok(out)
    }

    fn evaluator(&self) -> Result<Option<Box<dyn Canonical<S> + 's>>, Failure> {
        let Some(functions) = &self.compiled.canonical else { return Ok(None) };
        let work = functions.functions().map(|f| self.arithmetic.workspace(f).map_err(Failure::of));
        let [a, b, c, d, e, f, g, h, i, j] = work;
        Ok(Some(Box::new(CanonicalView {
            work: [a?, b?, c?, d?, e?, f?, g?, h?, i?, j?],
            functions: functions.clone(),
            arithmetic: self.arithmetic,
            parameters: self.parameters.clone(),
        })))
    }
}

impl<'s, S: Scalar + 's, A: Arithmetic<S> + 's> Dynamics<'s, S> for View<S, A>
where
    A::Work: 's,
{
    fn canonical(&self) -> Result<Option<Box<dyn Canonical<S> + 's>>, Failure> {
        if self.compiled.as_given { self.evaluator() } else { Ok(None) }
    }

    fn hidden(&self) -> Result<Option<Box<dyn Hidden<S> + 's>>, Failure> {
        let Some(functions) = &self.compiled.hidden else { return Ok(None) };
        let view = HiddenView::new(functions.clone(), self.arithmetic, self.parameters.clone())?;
        Ok(Some(Box::new(view)))
    }

    fn field(&self) -> Result<Option<Box<dyn Field<S> + 's>>, Failure> {
        let Some(functions) = &self.compiled.field else { return Ok(None) };
        Ok(Some(Box::new(FieldView {
            rate_work: self.arithmetic.workspace(&functions.rate).map_err(Failure::of)?,
            jacobian_work: None,
            functions: functions.clone(),
            arithmetic: self.arithmetic,
            parameters: self.with_chart.clone(),
        })))
    }

    fn presymplectic(&self) -> Result<Option<Box<dyn Presymplectic<S> + 's>>, Failure> {
        let Some(functions) = &self.compiled.form else { return Ok(None) };
        let view = FormView::new(functions.clone(), self.arithmetic, self.parameters.clone())?;
        Ok(Some(Box::new(view)))
    }

    fn poisson(&self) -> Result<Option<Box<dyn Poisson<S> + 's>>, Failure> {
        let Some(functions) = &self.compiled.bracket else { return Ok(None) };
        let inputs = self.with_chart.borrow();
        let parameters = inputs[..self.compiled.parameters[1].min(inputs.len())].into();
        let view = BracketView::new(functions.clone(), self.arithmetic, parameters)?;
        Ok(Some(Box::new(view)))
    }

    fn bracket(&self) -> Option<BracketShape> {
        self.compiled.bracket_shape.clone()
    }

    fn has_split(&self) -> bool {
        self.compiled.split.is_some()
    }

    fn split(&self) -> Result<Option<Box<dyn Split<S> + 's>>, Failure> {
        let Some(functions) = &self.compiled.split else { return Ok(None) };
        let view = SplitView::new(functions.clone(), self.arithmetic, self.parameters.clone())?;
        Ok(Some(Box::new(view)))
    }

    fn is_restrained(&self) -> bool {
        self.compiled.restrained.is_some()
    }

    fn restrained(&self) -> Result<Option<Box<dyn Restrained<S> + 's>>, Failure> {
        let Some(functions) = &self.compiled.restrained else { return Ok(None) };
        let view = RestrainedView::new(functions.clone(), self.arithmetic, self.parameters.clone())?;
        Ok(Some(Box::new(view)))
    }

    fn unrestrained(&self) -> Result<Option<Box<dyn Dynamics<'s, S> + 's>>, Failure> {
        let Some(functions) = &self.compiled.restrained else { return Ok(None) };
        let free = functions.free()?.view(self.arithmetic, self.parameters.to_vec());
        Ok(Some(Box::new(free)))
    }

    fn chart(&self) -> Result<Option<Box<dyn Chart<S> + 's>>, Failure> {
        let Some(functions) = &self.compiled.chart else { return Ok(None) };
        Ok(Some(Box::new(ChartView {
            restriction_work: self.arithmetic.workspace(&functions.restriction).map_err(Failure::of)?,
            lift_work: self.arithmetic.workspace(&functions.lift).map_err(Failure::of)?,
            functions: functions.clone(),
            arithmetic: self.arithmetic,
            first: self.compiled.parameters[1],
            parameters: self.with_chart.clone(),
        })))
    }

    fn manifold(&self) -> Result<Option<Box<dyn Canonical<S> + 's>>, Failure> {
        self.evaluator()
    }

    fn surface(&self) -> Result<Option<Box<dyn Surface<S> + 's>>, Failure> {
        let Some(functions) = &self.compiled.surface else { return Ok(None) };
        let [a, b, c] = functions.functions().map(|f| self.arithmetic.workspace(f).map_err(Failure::of));
        Ok(Some(Box::new(SurfaceView {
            work: [a?, b?, c?],
            functions: functions.clone(),
            arithmetic: self.arithmetic,
            parameters: self.parameters.clone(),
        })))
    }
}
