//! Random points on the constraint surface, and the values of expressions there.
//!
//! Parameters are drawn as well, with the signs that the model states, so that a verdict is about
//! generic parameters. A point is moved onto the surface by Gauss–Newton steps, in `f64` first and
//! then in double-double: what vanishes there is about 10⁻²⁸, and what does not is about 1.

use crate::algebra::{Work, decimal_form};
use crate::error::AnalysisError;
use crate::point::{Point, has_values, largest, weigh};
use crate::projection::project;
use crate::weighed::Weighed;
use cotangent_compile::{Engine, Function, FunctionBuilder};
use cotangent_expr::{Array, Definition, Expr, Layout, Node, Role, Tensor, dependencies};
use cotangent_model::{Sign, System};
use cotangent_scalar::{Dd, Random, Real, Scalar};
use cotangent_theory::phase::{Sparse, gradient};
use std::rc::Rc;

/// Draws points and evaluates expressions.
pub(crate) struct Sampler {
    parameters: Layout,
    signs: Vec<Option<Sign>>,
    /// The values of the model's text, and its start: where a surface surely has points.
    usual: Option<(Vec<f64>, Vec<f64>)>,
    /// The same values, not rounded.
    own_parameters: Option<Vec<Weighed>>,
    /// The start with momenta.
    start: Option<Vec<f64>>,
    state: Layout,
    /// Where momenta have a range of their own.
    legendre: Option<(Legendre, Function)>,
    /// What has to be a number at a point: the equations of motion.
    domain: Vec<Expr>,
    random: Random,
    work: Rc<Work>,
}

/// p = ∂L/∂v, where v has no formula in p: not every p need be one, as that of L = √(1 + v²) is less than 1.
pub(crate) struct Legendre {
    pub(crate) coordinates: Layout,
    pub(crate) velocities: Layout,
    /// ∂L/∂v by the place of its momentum, for those velocities that L is not affine in.
    pub(crate) slopes: Vec<(usize, Expr)>,
}

/// How often velocities are halved until they are inside the domain of L.
pub(crate) const HALVINGS: usize = 100;
/// How often a point is sought before the surface counts as empty.
const ATTEMPTS: usize = 60;
/// How often it is sought at other sizes after that, larger and smaller by such factors: not where
/// gradients vanish, as the distance from such a point is not small against a size that is not its own.
const OTHER_SIZES: usize = 72;
const FACTOR: f64 = 1e4;
const FACTORS: usize = 6;
/// The number of attempts with random parameters: those that follow are near the values of the model's text.
pub(crate) const RANDOM: usize = 24;

impl Sampler {
    pub(crate) fn new(system: &System, state: &Layout, work: Rc<Work>) -> Sampler {
        let signs = system.parameters.iter().flat_map(|p| vec![p.sign; p.array.len()]).collect();
        let values = cotangent_compile::values::parameters(system, &[]).ok();
        let initial = values.as_ref().and_then(|v| cotangent_compile::values::initial(system, v, &[]).ok());
        let start = |v: &[f64]| cotangent_compile::values::start(system, v, initial.as_ref()?).ok();
        let start = values.as_deref().and_then(start).filter(|start| start.len() == state.len());
        let own_parameters = exact_values(system);
        let usual = values.map(|values| (values, initial.map(|i| i.coordinates).unwrap_or_default()));
        let (parameters, random) = (system.parameter_layout(), Random::default());
        Sampler {
            parameters,
            signs,
            usual,
            own_parameters,
            start,
            state: state.clone(),
            legendre: None,
            domain: vec![],
            random,
            work,
        }
    }

    /// Momenta are those of random velocities from now on.
    pub(crate) fn draw_velocities(&mut self, legendre: Legendre) -> Result<(), AnalysisError> {
        let slopes = Tensor::vector("value", legendre.slopes.iter().map(|s| s.1.clone()).collect())?;
        let builder = FunctionBuilder::new().input(&self.parameters).input(&legendre.coordinates);
        let f = builder.input(&legendre.velocities).output(&slopes).engine(Engine::Tape).compile()?;
        self.legendre = Some((legendre, f));
        Ok(())
    }

    /// A random point, wherever it is: every other one with positive variables (for logarithms and roots). From
    /// the attempt [`RANDOM`] on parameters are near the values of the model's text, and so is the state, or it is
    /// of another order of magnitude.
    pub(crate) fn draw(&mut self, attempt: usize) -> Point {
        self.draw_with(attempt, None)
    }

    /// The same, with random parameters or these. After all attempts it is of other sizes: a circle whose radius is 10¹¹ is not
    /// found from the size of 1.
    fn draw_with(&mut self, attempt: usize, own: Option<Vec<Weighed>>) -> Point {
        let usual = self.usual.clone().filter(|_| attempt >= RANDOM);
        let far = attempt >= RANDOM && attempt.is_multiple_of(3) || attempt >= ATTEMPTS;
        let unit = match attempt.checked_sub(ATTEMPTS) {
            Some(k) => {
                let factor = if k % 2 == 0 { FACTOR } else { 1.0 / FACTOR };
                (0..=k / 2 % FACTORS).fold(1.0, |unit, _| unit * factor)
            }
            None if far => 10f64.powf(10.0 * self.random.uniform() - 4.0),
            None => 1.0,
        };
        let mut parameters = vec![];
        for k in 0..self.parameters.len() {
            let (size, side) = (0.5 + self.random.uniform(), self.random.uniform());
            let value = match (&usual, self.signs.get(k).copied().flatten()) {
                (Some((values, _)), _) if values[k] != 0.0 => values[k] * (0.95 + 0.1 * side),
                (_, Some(Sign::Positive | Sign::NonNegative)) => size,
                (_, Some(Sign::Negative | Sign::NonPositive)) => -size,
                _ if side < 0.5 => -size,
                _ => size,
            };
            parameters.push(Dd::from_f64(value));
        }
        let start = usual.filter(|_| !far).map(|u| u.1);
        let state = self.vary(start.as_deref().unwrap_or_default(), unit, attempt % 2 == 1);
        let units = vec![unit; state.len()];
        let (parameters, computed_from) = own.map_or((parameters, vec![]), |own| apart(&own));
        let mut point = Point { parameters, computed_from, state, units, slow: false };
        self.give_momenta(&mut point, unit);
        point
    }

    /// Gives a point the momenta of random velocities, as far as the domain of L reaches.
    fn give_momenta(&mut self, point: &mut Point, unit: f64) {
        let Some((legendre, f)) = &self.legendre else { return };
        let random = &mut self.random;
        let mut draw = || Dd::from_f64(unit * (3.0 * random.uniform() - 1.5));
        let velocities: Vec<Dd> = (0..legendre.velocities.len()).map(|_| draw()).collect();
        let Some(momenta) = legendre.momenta(f, point, velocities) else { return };
        let (first, size) = (point.state.len() / 2, largest(&momenta));
        for ((k, _), p) in legendre.slopes.iter().zip(momenta) {
            point.state[first + k] = p;
            point.units[first + k] = if size > 0.0 { size } else { unit };
        }
    }

    /// Random points around the start of the model, as far away as that is from zero, with its parameters: none if it does
    /// not give them. In units like those of an atom or a star what matters there is nothing elsewhere.
    pub(crate) fn draw_beside_start(&mut self, count: usize) -> Vec<Point> {
        let Some((parameters, start)) = self.own_parameters.clone().zip(self.start.clone()) else { return vec![] };
        // A variable that starts at zero is as large as those of its kind.
        let kinds = self.state.arrays().iter().flat_map(|a| vec![a.role() == Role::Momentum; a.len()]);
        let kinds: Vec<bool> = kinds.collect();
        let largest = |kind: bool| {
            let own = start.iter().zip(&kinds).filter(|(_, k)| **k == kind).map(|(x, _)| x.abs());
            Some(own.fold(0.0, f64::max)).filter(|size| *size > 0.0).unwrap_or(1.0)
        };
        let sizes = [false, true].map(largest);
        let (parameters, computed_from) = apart(&parameters);
        let point = |random: &mut Random| {
            let each = start.iter().zip(&kinds).map(|(&x, &kind)| {
                let size = if x == 0.0 { sizes[usize::from(kind)] } else { x.abs() };
                Dd::from_f64(x + size * (random.uniform() - 0.5))
            });
            let (parameters, computed_from) = (parameters.clone(), computed_from.clone());
            Point { parameters, computed_from, state: each.collect(), units: vec![0.0; start.len()], slow: false }
        };
        (0..count).map(|_| point(&mut self.random)).collect()
    }

    /// A random vector.
    pub(crate) fn draw_vector(&mut self, len: usize) -> Vec<Dd> {
        (0..len).map(|_| Dd::from_f64(3.0 * self.random.uniform() - 1.5)).collect()
    }

    /// A random state, near the start as far as one is given.
    fn vary(&mut self, start: &[f64], unit: f64, positive: bool) -> Vec<Dd> {
        let mut state: Vec<Dd> = vec![];
        for k in 0..self.state.len() {
            let step = unit * (3.0 * self.random.uniform() - 1.5);
            let step = if positive { step.abs() } else { step };
            state.push(Dd::from_f64(start.get(k).map_or(step, |s| s + 0.3 * step)));
        }
        state
    }

    /// The coordinates of a point by name, parameters first.
    pub(crate) fn named(&self, point: &Point, variables: &[String]) -> Vec<(String, f64)> {
        let names = self.parameters.entry_names().into_iter().chain(variables.iter().cloned());
        names.zip(point.parameters.iter().chain(&point.state).map(|x| x.value())).collect()
    }

    /// Compiles expressions for evaluation.
    pub(crate) fn function(&self, expressions: &[Expr]) -> Result<Function, AnalysisError> {
        self.work.check()?;
        let outputs = Tensor::vector("value", expressions.to_vec())?;
        let builder = FunctionBuilder::new().input(&self.parameters).input(&self.state).output(&outputs);
        Ok(builder.engine(Engine::Tape).compile()?)
    }

    /// The values of expressions at points.
    pub(crate) fn values(&self, expressions: &[Expr], points: &[Point]) -> Result<Vec<Vec<Weighed>>, AnalysisError> {
        let f = self.function(expressions)?;
        // An iteration adds up sizes of terms that are none of its result.
        let is_root = |a: &Array| matches!(a.definition(), Definition::Root { .. });
        let iterates = dependencies(&Tensor::vector("value", expressions.to_vec())?).iter().any(is_root);
        let values = |point| {
            let mut values = weigh(&f, expressions.len(), point)?;
            if iterates {
                values.iter_mut().for_each(|x| *x = x.as_one_term());
            }
            Ok(values)
        };
        points.iter().map(values).collect()
    }

    /// The values of sparse rows at points, as full matrices: what vanishes is zero, and what may or may not
    /// vanish is no number.
    pub(crate) fn rows(
        &self,
        rows: &[Sparse],
        width: usize,
        points: &[Point],
    ) -> Result<Vec<Vec<Vec<Dd>>>, AnalysisError> {
        let flat: Vec<Expr> = rows.iter().flat_map(|r| r.values().cloned()).collect();
        let mut all = vec![];
        for values in self.values(&flat, points)? {
            let mut values = values.into_iter().map(|x| match x.vanishes() {
                Some(true) => Dd::from_f64(0.0),
                Some(false) => x.value,
                None => Dd::from_f64(f64::NAN),
            });
            let full = |row: &Sparse| {
                let mut out = vec![Dd::from_f64(0.0); width];
                row.keys().zip(values.by_ref()).for_each(|(&j, v)| out[j] = v);
                out
            };
            all.push(rows.iter().map(full).collect());
        }
        Ok(all)
    }

    /// Points where all constraints vanish and the motion is defined, or as many as were found; those where their
    /// gradients seem to vanish, too, only where there are no others: y² = x² y⁴ also contains the origin.
    pub(crate) fn surface(
        &mut self,
        constraints: &[Expr],
        gradients: &[Sparse],
        count: usize,
    ) -> Result<Vec<Point>, AnalysisError> {
        let f = self.projection(constraints, gradients)?;
        let domain = self.function(&self.domain)?;
        let (mut points, mut slow) = (vec![], vec![]);
        for attempt in 0..ATTEMPTS + OTHER_SIZES {
            self.work.check()?;
            let found = points.len() + slow.len();
            if points.len() == count || attempt == ATTEMPTS && found > 0 {
                break;
            }
            let mut point = self.draw(attempt);
            if project(&f, gradients, &mut point)? {
                // A constraint without its denominator may vanish where that does: not a point of the surface.
                let finite = weigh(&domain, self.domain.len(), &point)?.iter().all(|x| x.is_finite());
                // Beside a size that is none of the model's own everything would vanish: values count as they are.
                if finite && (attempt < ATTEMPTS || has_values(&domain, self.domain.len(), &point)?) {
                    match point.slow {
                        true if attempt >= ATTEMPTS => {}
                        true => slow.push(point),
                        false => points.push(point),
                    }
                }
            }
        }
        slow.truncate(count - points.len());
        points.extend(slow);
        Ok(points)
    }

    /// The value of an expression without symbols; `None` if it has none.
    pub(crate) fn constant(&self, e: &Expr) -> Option<Weighed> {
        let zeros = |layout: &Layout| vec![Dd::from_f64(0.0); layout.len()];
        let (parameters, state) = (zeros(&self.parameters), zeros(&self.state));
        let point = Point { parameters, computed_from: vec![], units: vec![0.0; state.len()], state, slow: false };
        self.values(std::slice::from_ref(e), &[point]).ok()?.pop()?.pop()
    }

    /// The number of variables.
    pub(crate) fn width(&self) -> usize {
        self.state.len()
    }

    /// Points of a surface where something else vanishes, too.
    pub(crate) fn surface_where(
        &mut self,
        further: &Expr,
        constraints: &[Expr],
        gradients: &[Sparse],
        count: usize,
    ) -> Result<Vec<Point>, AnalysisError> {
        let all = [constraints, std::slice::from_ref(further)].concat();
        let slope = gradient(further, &self.state)?;
        self.surface(&all, &[gradients, &[slope]].concat(), count)
    }

    /// Points have to be inside the domain of these, too, from now on.
    pub(crate) fn stay_inside(&mut self, domain: impl IntoIterator<Item = Expr>) {
        self.domain.extend(domain);
    }

    /// Points of a surface for the parameters of the model; `None` if it does not give them all.
    pub(crate) fn own_surface(
        &mut self,
        constraints: &[Expr],
        gradients: &[Sparse],
    ) -> Result<Option<Vec<Point>>, AnalysisError> {
        let f = self.projection(constraints, gradients)?;
        let count = if self.state.len() > 60 { 1 } else { 2 };
        let mut points = vec![];
        for attempt in (0..ATTEMPTS).rev().chain(ATTEMPTS..ATTEMPTS + OTHER_SIZES) {
            self.work.check()?;
            if attempt == ATTEMPTS && !points.is_empty() {
                break;
            }
            let Some(mut point) = self.draw_own(attempt) else { return Ok(None) };
            if points.len() < count && project(&f, gradients, &mut point)? && !(attempt >= ATTEMPTS && point.slow) {
                points.push(point);
            }
        }
        Ok(Some(points))
    }

    /// Random points, with the parameters of the model as they are written: anywhere, and beside the start.
    pub(crate) fn draw_with_own_parameters(&mut self, count: usize) -> Vec<Point> {
        let Some(parameters) = self.own_parameters.clone() else { return vec![] };
        let anywhere = |k: usize| {
            let point = self.draw_with(k, Some(parameters.clone()));
            Point { units: vec![0.0; point.state.len()], ..point }
        };
        let mut points: Vec<Point> = (0..count).map(anywhere).collect();
        points.extend(self.draw_beside_start(count));
        points
    }

    /// A random point for the parameters of the model.
    pub(crate) fn draw_own(&mut self, attempt: usize) -> Option<Point> {
        let parameters = self.own_parameters.clone().filter(|v| !v.is_empty())?;
        Some(self.draw_with(attempt, Some(parameters)))
    }

    /// Points of a surface beside points that are on it.
    pub(crate) fn near(
        &mut self,
        points: &[Point],
        constraints: &[Expr],
        gradients: &[Sparse],
    ) -> Result<Vec<Point>, AnalysisError> {
        let f = self.projection(constraints, gradients)?;
        let mut out = vec![];
        for point in points {
            self.work.check()?;
            let mut beside = point.clone();
            let away = self.draw_vector(point.state.len());
            let steps = point.units.iter().zip(away).map(|(unit, d)| Dd::from_f64(0.01 * unit) * d);
            beside.state.iter_mut().zip(steps).for_each(|(x, step)| *x = *x + step);
            if project(&f, gradients, &mut beside)? {
                out.push(beside);
            }
        }
        Ok(out)
    }

    /// Constraints and their slopes.
    fn projection(&self, constraints: &[Expr], gradients: &[Sparse]) -> Result<Function, AnalysisError> {
        let slopes = gradients.iter().flat_map(|g| g.values().cloned());
        self.function(&constraints.iter().cloned().chain(slopes).collect::<Vec<_>>())
    }
}

impl Legendre {
    /// The momenta of these velocities, or of smaller ones that are in the domain of L with all up to twice as large: near its
    /// border, as that of light, they are not found again.
    fn momenta(&self, f: &Function, point: &Point, mut velocities: Vec<Dd>) -> Option<Vec<Dd>> {
        let mut workspace = f.workspace_in::<Dd>().ok()?;
        let coordinates = &point.state[..self.coordinates.len()];
        let mut twice = false;
        for _ in 0..HALVINGS {
            let mut slopes = vec![Dd::from_f64(0.0); self.slopes.len()];
            let called = f.call_in(&[&point.parameters, coordinates, &velocities], &mut [&mut slopes], &mut workspace);
            let inside = called.is_ok() && slopes.iter().all(|x| x.is_finite());
            if inside && twice {
                return Some(slopes);
            }
            twice = inside;
            velocities.iter_mut().for_each(|v| *v = *v * Dd::from_f64(0.5));
        }
        None
    }
}

/// Values, and the sizes of what they were computed from.
fn apart(values: &[Weighed]) -> (Vec<Dd>, Vec<f64>) {
    values.iter().map(|x| (x.value, x.size)).unzip()
}

/// The values that a model gives its parameters, as they are written: a third is not rounded to a `f64`.
fn exact_values(system: &System) -> Option<Vec<Weighed>> {
    let layout = system.parameter_layout();
    let mut defaults = vec![];
    for p in &system.parameters {
        defaults.extend(p.default.as_ref()?.expand().ok()?.entries());
    }
    let written: Vec<Option<Weighed>> = defaults.iter().map(|e| Some(Weighed::new(decimal(e)?, 0.0))).collect();
    let outputs = Tensor::vector("value", defaults).ok()?;
    let f = FunctionBuilder::new().input(&layout).output(&outputs).engine(Engine::Tape).compile().ok()?;
    let mut workspace = f.workspace_in::<Weighed>().ok()?;
    let mut values = vec![Weighed::from_f64(0.0); layout.len()];
    // Each depends on those before it alone: they are known round by round.
    for _ in 0..=DEPTH {
        let mut next = values.clone();
        f.call_in(&[&values], &mut [&mut next], &mut workspace).ok()?;
        next.iter_mut().zip(&written).for_each(|(value, written)| *value = written.unwrap_or(*value));
        if next.iter().zip(&values).all(|(new, old)| new.value == old.value && new.size == old.size) {
            return values.iter().all(|x| x.value.is_finite()).then_some(values);
        }
        values = next;
    }
    None
}

/// Parameters that depend on each other in longer chains are not followed.
const DEPTH: usize = 100;

/// A number that is written with few digits and no fraction of integers, in all digits of its decimal form.
fn decimal(e: &Expr) -> Option<Dd> {
    let Node::Number(n) = e.node() else { return None };
    if n.as_ratio().is_some() {
        return None;
    }
    let (digits, exponent) = decimal_form(*n)?;
    let power = (0..exponent.unsigned_abs()).fold(Dd::from_f64(1.0), |power, _| power * Dd::from_f64(10.0));
    let digits = Dd::ratio(digits, 1);
    let value = if exponent < 0 { digits / power } else { digits * power };
    value.is_finite().then_some(value)
}
