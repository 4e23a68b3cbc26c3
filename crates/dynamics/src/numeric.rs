//! The machine that runs a step in numbers.

use crate::cause::{Misuse, Value};
use crate::failure::Failure;
use crate::machine::{Contraction, Equations, Machine, Map, PAUSE, patience};
use crate::plan::{Kind, Plan, Site, Unknowns};
use crate::requirement::{allowance, unsatisfied};
use cotangent_scalar::{Cancel, Real};
use cotangent_solve::{
    FixedPointWorkspace, NewtonError, NewtonOptions, NewtonWorkspace, StoppingRule, affine, fixed_point, newton,
};

/// Solves the equations of a step in any [`Real`] arithmetic.
///
/// Its workspaces are made once, from the plan of the step; a step does not allocate.
pub struct Numeric<S> {
    plan: Plan,
    newton: Vec<Option<NewtonWorkspace<S>>>,
    fixed_points: Vec<Option<FixedPointWorkspace<S>>>,
    /// Updates of Newton's method made so far.
    pub iterations: u64,
    /// Iterations to fixed points made so far.
    pub contractions: u64,
    /// When an iteration stops.
    pub options: NewtonOptions,
    /// Whether affine equations are iterated, too.
    refined: bool,
}

impl<S: Real> Numeric<S> {
    /// A machine for the steps of a plan.
    pub fn new(plan: &Plan, options: NewtonOptions) -> Result<Self, Failure> {
        let workspace = |u: &Unknowns| -> Result<Option<NewtonWorkspace<S>>, Failure> {
            let made = u.pattern.as_ref().map(NewtonWorkspace::new).transpose().map_err(Failure::of)?;
            Ok(made.map(|workspace| workspace.grouped(&u.groups())))
        };
        let newton = plan.sites().iter().map(workspace).collect::<Result<_, _>>()?;
        let fixed_point = |u: &Unknowns| match (&u.pattern, u.stages) {
            (Some(_), _) => None,
            (None, Some(stages)) => Some(FixedPointWorkspace::stages(stages, u.rounded, &u.groups())),
            (None, None) => Some(FixedPointWorkspace::grouped(&u.groups())),
        };
        let fixed_points = plan.sites().iter().map(fixed_point).collect();
        let refined = false;
        Ok(Numeric { plan: plan.clone(), newton, fixed_points, iterations: 0, contractions: 0, options, refined })
    }

    /// Steps fail when the token is set, also inside the solution of a large linear system.
    pub fn cancel_with(&mut self, cancel: &Cancel) {
        self.newton.iter_mut().flatten().for_each(|workspace| workspace.solver().cancel_with(cancel));
    }
}

impl<S: Real> Machine<S> for Numeric<S> {
    fn newton(&mut self, site: Site, unknowns: &mut [S], equations: &mut Equations<'_, S>) -> Result<(), Failure> {
        self.newton_of_terms(site, unknowns, &[], equations)
    }

    fn newton_of_terms(
        &mut self,
        site: Site,
        unknowns: &mut [S],
        terms: &[S],
        equations: &mut Equations<'_, S>,
    ) -> Result<(), Failure> {
        let Some(Some(workspace)) = self.newton.get_mut(site.index()) else {
            return Err(Misuse::NoSuchEquations.into());
        };
        if workspace.size() != unknowns.len() {
            return Err(Misuse::Unknowns.into());
        }
        workspace.set_terms(terms);
        let once = !self.refined && self.plan.unknowns(site).is_some_and(|u| u.affine);
        let solved = match once {
            true => affine(workspace, unknowns, equations),
            false => newton(workspace, &self.options, unknowns, equations),
        };
        match solved {
            Ok(work) => {
                self.iterations += u64::from(work.iterations);
                Ok(())
            }
            Err(error) => Err(failure(error, self.plan.unknowns(site))),
        }
    }

    fn fixed_point(&mut self, site: Site, unknowns: &mut [S], map: &mut Map<'_, S>) -> Result<(), Failure> {
        self.iterate(site, self.options.stopping, unknowns, map)
    }

    fn contract(
        &mut self,
        site: Site,
        unknowns: &mut [S],
        pause: &mut S,
        equations: &mut dyn Contraction<S>,
    ) -> Result<(), Failure> {
        if pause.value() > 0.0 {
            *pause = *pause - S::from_f64(1.0);
            return equations.otherwise(self, unknowns);
        }
        // As many for each digit.
        let patience = f64::from(patience(unknowns.len())) * S::EPSILON.ln() / f64::EPSILON.ln();
        let mut stopping = self.options.stopping;
        stopping.max_iterations = stopping.max_iterations.min(patience.ceil() as u32);
        match self.iterate(site, stopping, unknowns, &mut |_, x, next| equations.map(x, next)) {
            Err(failure @ (Failure::Interrupted | Failure::Misused(_))) => Err(failure),
            Ok(()) => {
                *pause = S::from_f64(0.0);
                Ok(())
            }
            Err(_) => {
                *pause = S::from_f64(PAUSE);
                equations.otherwise(self, unknowns)
            }
        }
    }

    fn require(&mut self, kind: Kind, residual: &[S], magnitude: &[S]) -> Result<(), Failure> {
        let equations = residual.iter().zip(magnitude).map(|(r, m)| (r.value(), m.value()));
        unsatisfied(kind, equations, allowance(S::EPSILON, self.options.stopping.tolerance)).map_or(Ok(()), Err)
    }

    fn refine(&mut self, on: bool) -> bool {
        self.refined = on;
        self.plan.sites().iter().any(|u| u.affine)
    }

    fn value(&mut self, x: S) -> Result<f64, Failure> {
        let value = x.value();
        if value.is_finite() { Ok(value) } else { Err(Failure::NotFinite(Value::Residual)) }
    }
}

impl<S: Real> Numeric<S> {
    fn iterate(
        &mut self,
        site: Site,
        stopping: StoppingRule,
        unknowns: &mut [S],
        map: &mut Map<'_, S>,
    ) -> Result<(), Failure> {
        // Taken out while the map, which may solve equations of other sites, has the machine.
        let taken = self.fixed_points.get_mut(site.index()).and_then(Option::take);
        let Some(mut workspace) = taken.filter(|w| w.size() == unknowns.len()) else {
            return Err(Misuse::NoSuchFixedPoint.into());
        };
        let mut evaluated = 0;
        let done = fixed_point(&mut workspace, &stopping, unknowns, |x, next| {
            evaluated += 1;
            map(self, x, next)
        });
        self.contractions += evaluated;
        self.fixed_points[site.index()] = Some(workspace);
        match done {
            Ok(_) => Ok(()),
            Err(error) => Err(match error.own() {
                Ok(error) => {
                    let unknown = error.unknown();
                    let equation = unknown.and_then(|k| self.plan.unknowns(site)?.equation(k));
                    Failure::FixedPoint { error: Box::new(error), equation }
                }
                Err(failure) => failure,
            }),
        }
    }
}

fn failure(error: NewtonError<Failure>, unknowns: Option<&Unknowns>) -> Failure {
    match error.own() {
        Ok(error) => {
            let equation = error.equation().and_then(|row| unknowns?.equation(row));
            Failure::Newton { error: Box::new(error), equation }
        }
        Err(failure) => failure,
    }
}
