//! What can be certified: a system in any arithmetic, from a start.

use super::CertificateError;
use super::reason::Reason;
use cotangent_compile::{Engine, Native, Tape};
use cotangent_dynamics::{Advance, AnySystem, Dynamics, Failure, Field, Measure};
use cotangent_integrate::{
    BracketKind, Handwritten, IndexOne, Prepared, Propagator, Quantities, Underlying, residuals,
};
use cotangent_problem::{Compiled, Diagnostics, Instance, Integrator};
use cotangent_scalar::{Dd, Real};
use cotangent_solve::NewtonOptions;
use cotangent_theory::{Law, Space};

/// Evaluates energy, constraints and hidden constraints at states.
pub type KeptIn<'s, S> = Box<dyn FnMut(&[S]) -> Result<[Vec<S>; 3], Failure> + 's>;

/// Explicit equations of a motion, to be solved by another method.
pub struct Explicit<'s> {
    /// The rates of their variables.
    pub field: Box<dyn Field<Dd> + 's>,
    /// Whether the variables are those of the model, and not of the equations that are certified.
    pub of_model: bool,
}

/// What kind of equations a system has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Nature {
    /// Whether they are canonical, or have a constant form, so that symplectic methods are symplectic.
    pub canonical: bool,
    /// Whether the state is one of positions and momenta, half of it each.
    pub halves: bool,
    /// Whether they are J ż = ∇H with a constant J.
    pub form: bool,
    /// The bracket of ż = B(z)∇H.
    pub bracket: Option<BracketKind>,
    /// Whether there are constraints.
    pub constrained: bool,
    /// Whether their Hamiltonian is the energy, also off the constraints.
    pub own_energy: bool,
}

/// A system that can be certified: [`Instance`]s of models, and systems written in Rust ([`Handwritten`]).
pub trait Candidate {
    /// What makes its steps in `f64`.
    type Integrator<'s>: Advance
    where
        Self: 's;
    /// What is measured on the way.
    type Quantities<'s>: Measure
    where
        Self: 's;

    /// The initial state.
    fn start(&self) -> &[f64];

    /// What kind of equations it has.
    fn nature(&self) -> Nature;

    /// How the equations of a step are solved.
    fn newton(&self) -> Result<NewtonOptions, Failure>;

    /// A planned method, ready to run.
    fn integrator(&self, prepared: &Prepared) -> Result<Self::Integrator<'_>, CertificateError>;

    /// What there is to measure.
    fn quantities(&self) -> Result<Self::Quantities<'_>, CertificateError>;

    /// The equations in the arithmetic `S`.
    fn view<'s, S: Real + 'static>(&'s self) -> Box<dyn Dynamics<'s, S> + 's>;

    /// The same in `f64`, as fast as can be.
    fn numbers<'s>(&'s self) -> Box<dyn Dynamics<'s, f64> + 's> {
        self.view()
    }

    /// What should be kept, in the arithmetic `S`.
    fn kept<S: Real + 'static>(&self) -> Result<KeptIn<'_, S>, CertificateError>;

    /// The variables of the model at a state of the equations of motion, which may have others.
    fn model_state<S: Real + 'static>(&self, state: &[S]) -> Result<Vec<S>, Failure> {
        Ok(state.to_vec())
    }

    /// Explicit equations of the same motion, if there are some.
    fn reference(&self) -> Result<Option<Explicit<'_>>, Reason>;

    /// Which of the claims along a run are Casimirs, by their numbers.
    fn casimirs(&self) -> Vec<usize> {
        vec![]
    }

    /// Whether a state beside the start, brought onto the constraints, is one of the model, too.
    fn has_neighbours(&self) -> bool {
        true
    }

    /// The sizes of the terms of constraints that an analysis found, and of later ones, at the start.
    fn surface_scales(&self) -> Option<[Vec<f64>; 2]> {
        None
    }
}

/// What the claims of methods depend on, of a bracket.
fn bracket(system: &dyn Dynamics<'_, f64>) -> Option<BracketKind> {
    let poisson = system.poisson().ok()??;
    let shape = poisson.shape();
    Some(BracketKind { constant: shape.tensor_along.is_empty(), casimirs: shape.casimirs, degree: shape.degree })
}

/// The vector field of a system, or that which its constant form implies.
fn implied<'s>(system: &dyn Dynamics<'s, Dd>) -> Result<Option<Box<dyn Field<Dd> + 's>>, Reason> {
    if let Some(field) = system.field().map_err(Reason::Step)? {
        return Ok(Some(field));
    }
    match system.presymplectic().map_err(Reason::Step)? {
        Some(form) => Ok(Some(Box::new(IndexOne::new(form).map_err(Reason::Step)?))),
        None => Ok(None),
    }
}

impl Candidate for Instance {
    type Integrator<'s> = Integrator;
    type Quantities<'s> = Diagnostics;

    fn start(&self) -> &[f64] {
        &self.start
    }

    fn nature(&self) -> Nature {
        let motion = &self.equations.motion;
        Nature {
            canonical: motion.is_canonical(),
            halves: motion.structure().is_some(),
            form: matches!(motion.law, Law::Form(_)),
            bracket: bracket(&*self.numbers()),
            constrained: motion.is_constrained(),
            own_energy: motion.card().model_energy,
        }
    }

    fn newton(&self) -> Result<NewtonOptions, Failure> {
        Ok(Instance::newton(self, None))
    }

    fn integrator(&self, prepared: &Prepared) -> Result<Integrator, CertificateError> {
        Ok(Instance::integrator(self, prepared)?)
    }

    fn quantities(&self) -> Result<Diagnostics, CertificateError> {
        Ok(self.diagnostics()?)
    }

    fn view<'s, S: Real + 'static>(&'s self) -> Box<dyn Dynamics<'s, S> + 's> {
        let parameters = self.parameters.iter().map(|&p| S::from_f64(p)).collect();
        Box::new(self.equations.compiled.view(Tape, parameters))
    }

    fn numbers<'s>(&'s self) -> Box<dyn Dynamics<'s, f64> + 's> {
        Box::new(self.equations.compiled.view(Native, self.parameters.clone()))
    }

    fn kept<S: Real + 'static>(&self) -> Result<KeptIn<'_, S>, CertificateError> {
        let diagnostics = self.diagnostics()?;
        let mut work = diagnostics.kept_function().workspace_in::<S>()?;
        let parameters: Vec<S> = self.parameters.iter().map(|&p| S::from_f64(p)).collect();
        Ok(Box::new(move |state: &[S]| {
            let f = diagnostics.kept_function();
            let mut outputs: Vec<Vec<S>> = f.program().outputs.iter().map(|&n| vec![S::from_f64(0.0); n]).collect();
            let mut slots: Vec<&mut [S]> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
            f.call_in(&[state, &parameters], &mut slots, &mut work)?;
            let mut outputs = outputs.into_iter();
            Ok([0; 3].map(|_| outputs.next().unwrap_or_default()))
        }))
    }

    fn model_state<S: Real + 'static>(&self, state: &[S]) -> Result<Vec<S>, Failure> {
        // Where time is a variable, its error is one, too.
        if self.equations.motion.lapse.is_some() {
            return Ok(state.to_vec());
        }
        let parameters = self.parameters.iter().map(|&p| S::from_f64(p)).collect();
        self.equations.compiled.view(Tape, parameters).model_state(state)
    }

    /// The Hamilton–Dirac equations, which are in the variables of the model; equations that have other solutions are
    /// their own reference.
    fn reference(&self) -> Result<Option<Explicit<'_>>, Reason> {
        let given = &self.equations.motion;
        let of_model = given.card().exact;
        let motion = if of_model { given.underlying() } else { Ok(given.clone()) };
        let motion = motion.map_err(Reason::Theory)?;
        let compiled = Compiled::new(&motion, Engine::Tape).map_err(Reason::Compile)?;
        let parameters = self.parameters.iter().map(|&p| Dd::from(p)).collect();
        let field = implied(&compiled.view(Tape, parameters))?;
        Ok(field.map(|field| Explicit { field, of_model }))
    }

    fn casimirs(&self) -> Vec<usize> {
        self.diagnostics().map(|d| d.casimirs()).unwrap_or_default()
    }

    /// A momentum of time belongs to the energy, and constraints that an analysis found mix all variables.
    fn has_neighbours(&self) -> bool {
        let motion = &self.equations.motion;
        motion.lapse.is_none() && !matches!(motion.space, Space::Surface(_) | Space::Reduced(_))
    }

    fn surface_scales(&self) -> Option<[Vec<f64>; 2]> {
        let (Space::Surface(surface) | Space::Reduced(surface)) = &self.equations.motion.space else { return None };
        let mut scales = Instance::surface_scales(self).unwrap_or_else(|_| vec![1.0; surface.generations.len()]);
        let later = scales.split_off(surface.constraints.shape()[0].len().min(scales.len()));
        Some([scales, later])
    }
}

impl<L: AnySystem> Candidate for Handwritten<L> {
    type Integrator<'s>
        = Propagator<'s>
    where
        L: 's;
    type Quantities<'s>
        = Quantities<'s, L>
    where
        L: 's;

    fn start(&self) -> &[f64] {
        Handwritten::start(self)
    }

    fn nature(&self) -> Nature {
        let manifold = self.law().view::<f64>().manifold().ok().flatten();
        let constraints = manifold.as_ref().map_or(0, |m| m.shape().constraints);
        let canonical = self.law().is_canonical();
        let view = self.law().view::<f64>();
        let form = view.presymplectic().ok().flatten().is_some();
        let bracket = bracket(&*view);
        let own_energy = canonical || form || bracket.is_some();
        let (halves, constrained) = (manifold.is_some(), constraints > 0);
        Nature { canonical: canonical || form, halves, form, bracket, constrained, own_energy }
    }

    fn newton(&self) -> Result<NewtonOptions, Failure> {
        Handwritten::newton(self)
    }

    fn integrator(&self, prepared: &Prepared) -> Result<Propagator<'_>, CertificateError> {
        Ok(Handwritten::integrator(self, prepared)?)
    }

    fn quantities(&self) -> Result<Quantities<'_, L>, CertificateError> {
        Ok(Handwritten::quantities(self)?)
    }

    fn view<'s, S: Real + 'static>(&'s self) -> Box<dyn Dynamics<'s, S> + 's> {
        self.law().view()
    }

    fn kept<S: Real + 'static>(&self) -> Result<KeptIn<'_, S>, CertificateError> {
        let mut manifold = self.law().view::<S>().manifold()?.filter(|m| m.shape().constraints > 0);
        Ok(Box::new(move |state: &[S]| {
            let energy = vec![self.law().energy(state)];
            let Some(manifold) = &mut manifold else { return Ok([energy, vec![], vec![]]) };
            let mut constraints = residuals(manifold.as_mut(), state)?;
            let hidden = constraints.split_off(manifold.shape().constraints);
            Ok([energy, constraints, hidden])
        }))
    }

    /// Its field, or what its canonical equations imply.
    fn reference(&self) -> Result<Option<Explicit<'_>>, Reason> {
        let view = self.law().view::<Dd>();
        let field: Box<dyn Field<Dd> + '_> = match (implied(&*view)?, view.canonical().map_err(Reason::Step)?) {
            (Some(field), _) => field,
            (None, Some(canonical)) => Box::new(Underlying::new(canonical).map_err(Reason::Step)?),
            (None, None) => return Ok(None),
        };
        Ok(Some(Explicit { field, of_model: true }))
    }
}
