//! Equations of motion: what a formulation makes of a system.
//!
//! A formulation is a map: a state of any dimension, the law that moves it, the space it lives in with its constraints, and
//! the way from its variables to those of the model and back. What is measured on the way is a quantity of the model.

use super::algebra::replaced_arrays;
use super::{Card, Formulation, LocalChart, MatrixBlock};
use crate::error::{TheoryError, Unrestrained};
use crate::legendre::whole;
use crate::restrained::Restrained;
use crate::structure::Structure;
use crate::surface::ConstraintSurface;
use crate::velocity::VelocityConstraints;
use cotangent_expr::{Array, Error, Expr, Layout, Tensor};
use cotangent_model::{Quantity, RunKey, System};
use cotangent_scalar::Limits;

/// A vector field on the state space.
#[derive(Clone, Debug)]
pub struct VectorField {
    /// The state.
    pub state: Layout,
    /// Its rate of change.
    pub rate: Tensor,
}

/// What moves the state.
#[derive(Clone, Debug)]
pub enum Law {
    /// q̇ = H_p, ṗ = −H_q − Gᵀλ, φ(q) = 0 with unknown multipliers λ.
    IndexThree,
    /// The same with G q̇ = 0 in place of φ = 0.
    IndexTwo,
    /// ż = f(z).
    Field {
        /// f.
        field: VectorField,
        /// Whether it is canonical: a symplectic method is symplectic on it.
        canonical: bool,
    },
    /// Canonical equations in a chart of the constraint manifold, which may be changed between steps.
    Chart(Box<LocalChart>),
    /// J ż = ∇H with a constant matrix J.
    Form(Box<Form>),
    /// ż = B(z)∇H.
    Bracket(Box<Bracket>),
}

/// A constant antisymmetric matrix J, perhaps singular, and an energy.
#[derive(Clone, Debug)]
pub struct Form {
    /// J, over the state.
    pub matrix: Tensor,
    /// H.
    pub hamiltonian: Tensor,
    /// J⁻¹∇H, where J has an inverse.
    pub field: Option<VectorField>,
}

/// A bracket {zᵢ, zⱼ} = Bᵢⱼ(z) and an energy.
#[derive(Clone, Debug)]
pub struct Bracket {
    /// B, over the state.
    pub tensor: Tensor,
    /// H.
    pub hamiltonian: Tensor,
    /// Functions that are claimed to commute with all others.
    pub casimirs: Tensor,
    /// B∇H.
    pub field: VectorField,
    /// Whether B is linear in the state, or affine.
    pub linear: bool,
    /// Where the state falls into triples with {yᵢ, yⱼ} = κ εᵢⱼₖ yₖ, these.
    pub spheres: Vec<[usize; 3]>,
    /// Where the state is made of the entries of matrices of Lie algebras, these.
    pub matrices: Vec<MatrixBlock>,
    /// Where it is Dirac's: the system without its constraints, and these with what they generate, or why these cannot be
    /// held by what they generate.
    pub restrained: Option<Result<Box<Restrained>, Unrestrained>>,
}

/// Where the state lives.
#[derive(Clone, Debug)]
pub enum Space {
    /// Positions and momenta, with constraints on the positions, if there are any.
    Cotangent(Box<Structure>),
    /// The surface of the constraints that an analysis found.
    Surface(Box<ConstraintSurface>),
    /// The same surface in coordinates of its own: the constraints hold identically.
    Reduced(Box<ConstraintSurface>),
    /// All of the space of the variables.
    Whole,
}

/// From the variables of the equations to those of the model, and back.
#[derive(Clone, Debug, Default)]
pub struct Lift {
    /// Variables of the model, each with what it is as a function of those of the equations; a variable that is not
    /// listed is one of both.
    pub arrays: Vec<(Array, Array)>,
    /// The state of the equations as a function of that of the model; without it each variable is that of the model.
    pub restriction: Option<Tensor>,
}

/// Time as a variable of the state.
#[derive(Clone, Debug)]
pub struct Lapse {
    /// Where the time is in the state.
    pub time: usize,
    /// Where its momentum is.
    pub momentum: usize,
    /// Γ, as a function of the state.
    pub pace: Tensor,
    /// The energy at the start, the last of the numbers of the formulation.
    pub energy: Array,
    /// How many observables it adds to those of the model: the lapse, and how far apart neighbouring poses and points of phase
    /// space are, divided by the step.
    pub observables: usize,
    /// Derivatives and brackets of the model itself.
    pub model: Box<Structure>,
}

impl Lapse {
    /// The energy at the start of a state: minus the momentum of the time.
    pub fn initial_energy(&self, start: &[f64]) -> f64 {
        -start[self.momentum]
    }
}

/// Equations of motion: what a formulation makes of a system.
#[derive(Clone, Debug)]
pub struct Motion {
    /// The model, in Hamiltonian form if it has coordinates.
    pub system: System,
    /// Which equations they are.
    pub formulation: Formulation,
    /// The variables.
    pub state: Layout,
    /// Where they live.
    pub space: Space,
    /// What moves them.
    pub law: Law,
    /// Constraints on velocities, whose multipliers the equations determine.
    pub velocity: Option<Box<VelocityConstraints>>,
    /// The way to the variables of the model.
    pub lift: Lift,
    /// Numbers of the formulation that are inputs, as the parameters of the model are.
    pub numbers: Layout,
    /// Quantities of the formulation itself, such as strictions, as functions of the state of these equations.
    pub auxiliaries: Vec<Quantity>,
    /// Time as a variable of the state, where it is one.
    pub lapse: Option<Box<Lapse>>,
    /// How far what is derived and compiled from them may go.
    pub limits: Limits,
}

impl Motion {
    /// What there is to know about the formulation.
    pub fn card(&self) -> &'static Card {
        self.formulation.card()
    }

    /// The inputs of everything that is compiled: the parameters of the model, then the numbers of the formulation.
    pub fn parameters(&self) -> Layout {
        self.system.parameter_layout().then(&self.numbers)
    }

    /// The values of those numbers that the formulation was given; 0 for those that follow from the start.
    pub fn number_values(&self) -> Vec<f64> {
        let given = self.formulation.numbers().into_iter().map(|(_, value)| value);
        given.chain(std::iter::repeat(0.0)).take(self.numbers.len()).collect()
    }

    /// Derivatives and brackets, if the state is one of positions and momenta.
    pub fn structure(&self) -> Option<&Structure> {
        match &self.space {
            Space::Cotangent(structure) => Some(structure),
            Space::Surface(_) | Space::Reduced(_) | Space::Whole => None,
        }
    }

    /// The constraints that an analysis found, where the state may leave them.
    pub fn surface(&self) -> Option<&ConstraintSurface> {
        match &self.space {
            Space::Surface(surface) => Some(surface),
            Space::Cotangent(_) | Space::Reduced(_) | Space::Whole => None,
        }
    }

    /// The equations as a vector field, unless the multipliers are unknowns or a chart is needed.
    pub fn field(&self) -> Option<&VectorField> {
        match &self.law {
            Law::Field { field, .. } => Some(field),
            Law::Form(form) => form.field.as_ref(),
            Law::Bracket(bracket) => Some(&bracket.field),
            Law::IndexThree | Law::IndexTwo | Law::Chart(_) => None,
        }
    }

    /// The equations in a chart, where they are to be integrated in charts.
    pub fn chart(&self) -> Option<&LocalChart> {
        match &self.law {
            Law::Chart(chart) => Some(chart),
            _ => None,
        }
    }

    /// Whether a symplectic method is symplectic on the equations: for dq∧dp, or for the form ½ dz∧J dz.
    pub fn is_canonical(&self) -> bool {
        match &self.law {
            Law::IndexThree | Law::Chart(_) | Law::Form(_) => true,
            Law::IndexTwo | Law::Bracket(_) => false,
            Law::Field { canonical, .. } => *canonical,
        }
    }

    /// Whether the multipliers of the constraints are unknowns of the equations.
    pub fn has_unknown_multipliers(&self) -> bool {
        matches!(self.law, Law::IndexThree | Law::IndexTwo)
    }

    /// Whether there are constraints.
    pub fn is_constrained(&self) -> bool {
        self.is_holonomic() || matches!(self.space, Space::Surface(_) | Space::Reduced(_))
    }

    /// Whether there are constraints on the positions.
    pub fn is_holonomic(&self) -> bool {
        self.structure().is_some_and(|s| !s.constraints.shape()[0].is_empty())
    }

    /// The multipliers as functions of the model's state, by name: on the positions one for each constraint member, and
    /// the reaction forces are −Gᵀμ; then those of velocity constraints.
    pub fn multipliers(&self) -> Result<Vec<(Layout, Array)>, TheoryError> {
        let own = match &self.space {
            Space::Cotangent(structure) => {
                // Forces are those of the model, in its time.
                let structure = self.lapse.as_ref().map_or(structure.as_ref(), |lapse| &lapse.model);
                structure.multipliers()?.map(|mu| (structure.multiplier_names(), mu))
            }
            Space::Surface(surface) | Space::Reduced(surface) => {
                surface.values.clone().map(|values| (surface.multipliers.clone(), values))
            }
            Space::Whole => None,
        };
        let velocity = self.velocity.as_ref().map(|v| (v.multipliers.clone(), v.values.clone()));
        Ok(own.into_iter().chain(velocity).collect())
    }

    /// The matrix that determines the multipliers: G H_pp Gᵀ, the brackets of the second-class constraints, or where there
    /// are constraints on velocities alone the matrix of the equations for velocities and multipliers.
    pub fn brackets(&self) -> Option<&Tensor> {
        let velocity = self.velocity.as_ref().map(|v| &v.matrix);
        match &self.space {
            Space::Cotangent(structure) if self.is_holonomic() => Some(&structure.gram),
            Space::Surface(surface) | Space::Reduced(surface) => Some(&surface.brackets),
            Space::Cotangent(_) | Space::Whole => velocity,
        }
    }

    /// The constraints, and those that follow from their time derivatives.
    pub fn constraints(&self) -> Option<[&Tensor; 2]> {
        match &self.space {
            Space::Cotangent(structure) => {
                let structure = self.lapse.as_ref().map_or(structure.as_ref(), |lapse| &lapse.model);
                Some([&structure.constraints, &structure.hidden])
            }
            Space::Surface(surface) | Space::Reduced(surface) => Some([&surface.constraints, &surface.hidden]),
            Space::Whole => None,
        }
    }

    /// The generation of each constraint that an analysis found: 1 for primary ones.
    pub fn generations(&self) -> &[usize] {
        match &self.space {
            Space::Surface(surface) | Space::Reduced(surface) => &surface.generations,
            Space::Cotangent(_) | Space::Whole => &[],
        }
    }

    /// Whether the model has equations of motion in another formulation. Nothing is derived: linear constraints and
    /// constant masses are those in whose derivatives no variable occurs.
    pub fn has(&self, formulation: Formulation) -> bool {
        if let Formulation::Lapse { .. } = formulation {
            let has_momenta = self.structure().is_some() && self.velocity.is_none();
            return has_momenta && self.system.setting(RunKey::Lapse).is_some();
        }
        if formulation == Formulation::IndexOne {
            return self.velocity.is_some() || matches!(self.law, Law::Form(_));
        }
        if self.formulation == Formulation::IndexOne {
            return formulation == Formulation::HamiltonDirac;
        }
        let Some(s) = self.structure() else {
            // Constraints that need an analysis; or equations that are what they are.
            return match (&self.space, &self.law) {
                // Springs in the place of constraints.
                (Space::Whole, Law::Bracket(_)) if !self.system.constraints.is_empty() => {
                    formulation == self.formulation
                }
                (Space::Whole, Law::Bracket(_)) => true,
                (Space::Whole, _) => !formulation.is_for_brackets(),
                (Space::Surface(surface) | Space::Reduced(surface), Law::Bracket(bracket)) => {
                    // Casimirs among the constraints have no conjugate ones; with Casimirs B has no inverse.
                    let casimirs = surface.brackets.shape()[0].len() < surface.generations.len();
                    let claimed = !bracket.casimirs.shape()[0].is_empty();
                    let odd = self.system.state().len() % 2 == 1;
                    match formulation {
                        Formulation::Slaved => !casimirs,
                        Formulation::ProjectedInverse => !(casimirs || claimed || odd),
                        _ => formulation.is_for_brackets() || formulation.takes_brackets(),
                    }
                }
                _ => formulation == Formulation::HamiltonDirac,
            };
        };
        if let Some(plain) = self.without_lapse() {
            return plain.has(formulation);
        }
        let (n, m) = (s.coordinates.len(), s.constraints.shape()[0].len());
        let free_of = |t: &Tensor, layouts: &[&Layout]| !layouts.iter().any(|l| t.depends_on(l));
        match formulation {
            _ if formulation.is_for_brackets() => false,
            Formulation::LocalChart { .. } => m == 0 || m < n,
            Formulation::LinearProjected => {
                let (q, p) = (&s.coordinates, &s.momenta);
                m == 0
                    || free_of(&s.jacobian, &[q, p]) && free_of(&s.hidden_p, &[q, p]) && free_of(&s.hamiltonian_p, &[q])
            }
            _ => true,
        }
    }

    /// The canonical equations of the same model in its own time, where time is a variable of these.
    pub fn without_lapse(&self) -> Option<Motion> {
        Formulation::Multipliers.of(&self.lapse.as_ref()?.model, &self.limits).ok()
    }

    /// The Hamilton–Dirac equations of the same model: these, if they are, as an analysis may have derived
    /// them, or if they determine all that is not in the state by themselves.
    pub fn hamilton_dirac(&self) -> Result<Motion, TheoryError> {
        if let Some(lapse) = &self.lapse {
            return Formulation::HamiltonDirac.of(&lapse.model, &self.limits);
        }
        match self.formulation {
            Formulation::HamiltonDirac => Ok(self.clone()),
            Formulation::DiracBracket => Ok(self.clone()),
            Formulation::IndexOne if !self.is_holonomic() => Ok(self.clone()),
            _ if matches!(self.space, Space::Surface(_) | Space::Reduced(_)) => self.on_all_variables(),
            _ => Formulation::HamiltonDirac.apply_within(&self.system, &self.limits),
        }
    }

    /// Explicit equations of the same motion, the Hamilton–Dirac equations; where time is a variable, with it.
    pub fn underlying(&self) -> Result<Motion, TheoryError> {
        let (Some(lapse), Some(structure)) = (&self.lapse, self.structure()) else { return self.hamilton_dirac() };
        let (numbers, lapse) = (self.numbers.clone(), Some(lapse.clone()));
        Ok(Motion { numbers, lapse, ..Formulation::HamiltonDirac.of(structure, &self.limits)? })
    }

    /// The flow of H under Dirac's bracket on all variables, where an analysis found the constraints.
    fn on_all_variables(&self) -> Result<Motion, TheoryError> {
        let (Space::Surface(surface) | Space::Reduced(surface)) = &self.space else { return Ok(self.clone()) };
        let state = surface.rate.shape()[0].clone();
        Ok(Motion {
            formulation: Formulation::HamiltonDirac,
            law: Law::Field {
                field: VectorField { state: state.clone(), rate: surface.rate.clone() },
                canonical: false,
            },
            state,
            space: Space::Surface(surface.clone()),
            lift: Lift::default(),
            numbers: Layout::default(),
            auxiliaries: vec![],
            ..self.clone()
        })
    }

    /// The state of the model as a function of the state of these equations, where they differ.
    pub fn model_state(&self) -> Result<Option<Tensor>, TheoryError> {
        let model = self.system.state();
        if self.lift.arrays.is_empty() && model == self.state {
            return Ok(None);
        }
        let term = |own: &Array| match self.lift.arrays.iter().find(|(array, _)| array == own) {
            Some((_, value)) => Ok(whole(own, |index| Expr::at(value, index))),
            None if self.state.offset(own).is_some() => Ok(whole(own, |index| Expr::at(own, index))),
            None => Err(Error::Foreign { array: own.name().into() }),
        };
        let terms = model.arrays().iter().map(term).collect::<Result<_, _>>()?;
        Ok(Some(Tensor::new(vec![model], terms)?))
    }

    /// The state of these equations as a function of the state of the model, where they differ.
    pub fn restriction(&self) -> Result<Option<Tensor>, TheoryError> {
        if let Some(restriction) = &self.lift.restriction {
            return Ok(Some(restriction.clone()));
        }
        let model = self.system.state();
        if model == self.state {
            return Ok(None);
        }
        let term = |own: &Array| match model.offset(own) {
            Some(_) => Ok(whole(own, |index| Expr::at(own, index))),
            None => Err(Error::Foreign { array: own.name().into() }),
        };
        let terms = self.state.arrays().iter().map(term).collect::<Result<_, _>>()?;
        Ok(Some(Tensor::new(vec![self.state.clone()], terms)?))
    }

    /// A quantity of the model as a function of the state of these equations.
    pub fn at_state(&self, quantity: &Tensor) -> Result<Tensor, TheoryError> {
        match self.lift.arrays.is_empty() {
            true => Ok(quantity.clone()),
            false => replaced_arrays(quantity, &self.lift.arrays),
        }
    }
}
