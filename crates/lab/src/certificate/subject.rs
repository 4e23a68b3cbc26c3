//! A method on a system, in any arithmetic.

use super::candidate::Candidate;
use cotangent_dynamics::{Canonical, Failure, Numeric, Presymplectic, State, Value};
use cotangent_integrate::{IndexOne, Prepared, project};
use cotangent_scalar::{Limits, Real, larger, largest};

/// Equations with a constant form, and the rates that they imply.
type Implied<'a, S> = IndexOne<Box<dyn Presymplectic<S> + 'a>, S>;

/// A method on a system, in any arithmetic.
pub struct Subject<'a, C> {
    pub(super) problem: &'a C,
    pub(super) prepared: &'a Prepared,
    pub(super) limits: Option<&'a Limits>,
    /// The chart that is in use where steps begin, as a memory has it; none: the best one.
    pub(super) chart: &'a [f64],
}

impl<C> Clone for Subject<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Subject<'_, C> {}

impl<'a, C: Candidate> Subject<'a, C> {
    /// The method as planned for the problem.
    pub fn new(problem: &'a C, prepared: &'a Prepared) -> Subject<'a, C> {
        Subject { problem, prepared, limits: None, chart: &[] }
    }

    /// The same within limits: no step is made after somebody asked to stop.
    pub fn within(self, limits: &'a Limits) -> Subject<'a, C> {
        Subject { limits: Some(limits), ..self }
    }

    /// Whether to go on.
    pub(super) fn go_on(&self) -> Result<(), Failure> {
        self.limits.map_or(Ok(()), Limits::check).map_err(|_| Failure::Interrupted)
    }

    /// The constraints.
    pub fn manifold<S: Real + 'static>(&self) -> Result<Option<Box<dyn Canonical<S> + 'a>>, Failure> {
        self.problem.view::<S>().manifold()
    }

    /// Equations with a constant form, where that is singular.
    pub(super) fn form<S: Real + 'static>(&self) -> Result<Option<Implied<'a, S>>, Failure> {
        if !self.problem.nature().form {
            return Ok(None);
        }
        let form = self.problem.view::<S>().presymplectic()?.map(IndexOne::new).transpose()?;
        Ok(form.filter(|form| form.kernel_dimension() > 0))
    }

    /// The start, on the constraint manifold to the precision of the arithmetic.
    pub fn start<S: Real + 'static>(&self) -> Result<Vec<S>, Failure> {
        self.settled(self.problem.start())
    }

    /// The same for another state.
    pub(super) fn settled<S: Real + 'static>(&self, state: &[f64]) -> Result<Vec<S>, Failure> {
        let values = state.iter().map(|&v| S::from_f64(v)).collect();
        let mut state = State::new(values, 0);
        if let Some(manifold) = self.manifold::<S>()?.filter(|m| m.shape().constraints > 0) {
            project(manifold, &mut state)?;
        }
        if let Some(mut form) = self.form::<S>()? {
            form.settle(&mut state.values)?;
        }
        Ok(state.values)
    }

    /// The state after so many steps.
    pub fn walk<S: Real + 'static>(&self, from: &[S], h: f64, steps: u64) -> Result<Vec<S>, Failure> {
        Ok(self.walk_on(from, &[(h, steps)])?.values)
    }

    /// The variables of the model at a state of the equations of motion, which may have others.
    pub fn model_state<S: Real + 'static>(&self, state: &[S]) -> Result<Vec<S>, Failure> {
        self.problem.model_state(state)
    }

    /// The state after several walks, each of so many steps of a size.
    pub(super) fn walk_on<S: Real + 'static>(&self, from: &[S], walks: &[(f64, u64)]) -> Result<State<S>, Failure> {
        let mut stepper = self.prepared.stepper(&*self.problem.view::<S>())?;
        let mut machine = Numeric::new(self.prepared.plan(), self.problem.newton()?)?;
        let mut state = State::new(from.to_vec(), stepper.memory());
        let chart = self.prepared.chart().and_then(|part| state.memory.get_mut(part)).unwrap_or_default();
        chart.iter_mut().zip(self.chart).for_each(|(to, &number)| *to = S::from_f64(number));
        let mut next = state.clone();
        for &(h, steps) in walks {
            for _ in 0..steps {
                self.go_on()?;
                stepper.step(&mut machine, S::from_f64(h), &state, &mut next)?;
                if let Some(k) = next.values.iter().position(|v| !v.is_finite()) {
                    return Err(Failure::NotFinite(Value::State(k)));
                }
                std::mem::swap(&mut state, &mut next);
            }
        }
        Ok(state)
    }
}

/// The largest difference of two states, positions and momenta each relative to their own size.
pub(crate) fn distance<S: Real>(a: &[S], b: &[S], halves: bool) -> f64 {
    let middle = if halves { a.len() / 2 } else { a.len() };
    let relative = |a: &[S], b: &[S]| {
        let size = largest(b.iter().map(|v| v.value()));
        let difference = largest(a.iter().zip(b).map(|(&a, &b)| (a - b).value()));
        if difference == 0.0 { 0.0 } else { difference / if size > 0.0 { size } else { 1.0 } }
    };
    larger(relative(&a[..middle], &b[..middle]), relative(&a[middle..], &b[middle..]))
}
