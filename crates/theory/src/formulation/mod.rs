//! Equivalent equations of motion for one constrained system.
//!
//! On the constraint manifold φ = ψ = 0 all of them have the same solutions; off it, where round-off
//! and truncation lead, they differ, and so do the methods that use them.

mod algebra;
mod baumgarte;
mod card;
mod derived;
mod dirac;
mod dirac_bracket;
mod ggl;
mod hamilton_dirac;
mod impetus_striction;
mod index_one;
mod index_reduced;
mod lapse;
mod linear_projected;
mod local_chart;
mod matrices;
mod motion;
mod multipliers;
mod numbers;
mod penalty;
mod poisson;
mod reduced;
mod standard;
mod total;
mod triples;

pub use card::{Card, Least, Number, Shape};
pub use local_chart::LocalChart;
pub use matrices::MatrixBlock;
pub use motion::{Bracket, Form, Lapse, Law, Lift, Motion, Space, VectorField};
pub use numbers::NumberError;

use crate::error::TheoryError;
use crate::structure::Structure;
use algebra::hamiltonian_field;
use cotangent_expr::{Array, Layout};
use cotangent_model::{Dynamics, System};
use cotangent_scalar::Limits;
use derived::Derived;

/// Why formulations of Poisson systems are none of models with coordinates.
const FOR_BRACKETS: &str =
    "it is for models with brackets; `hamilton-dirac` and `local-chart` are its relatives for others";

/// A set of equations of motion, by name.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Formulation {
    /// The equations as given, with unknown multipliers: for methods that know constraints.
    Multipliers,
    /// The same with the time derivatives of the constraints in their place.
    IndexReduced,
    /// The standard underlying equations: the multiplier as a function of the state.
    Standard,
    /// Hamilton–Dirac equations: the flow of H under the Dirac bracket.
    HamiltonDirac,
    /// The flow of the total Hamiltonian H + μᵀφ.
    Total,
    /// The flow of Dirac's Hamiltonian H + μᵀφ + ηᵀψ.
    Dirac {
        /// The weak term αφ in the equation for η.
        alpha: f64,
    },
    /// Impetus–striction: momenta up to a reaction impulse.
    ImpetusStriction,
    /// The canonical equations in local coordinates of the constraint manifold.
    LocalChart {
        /// A chart is changed for one that is better by this factor.
        threshold: f64,
    },
    /// H at the projected position, for linear constraints.
    LinearProjected,
    /// The stabilised equations of Gear, Gupta and Leimkuhler.
    Ggl,
    /// Baumgarte's stabilisation.
    Baumgarte {
        /// Half the damping of φ̈ + 2α φ̇ + β² φ = 0.
        alpha: f64,
        /// Its frequency.
        beta: f64,
    },
    /// Stiff springs instead of constraints.
    Penalty {
        /// The compliance of H + φᵀφ/(2ε).
        epsilon: f64,
    },
    /// Velocity constraints with their multipliers as functions of the state, or J ż = ∇H with a singular J.
    IndexOne,
    /// Time as a variable, which passes at a pace of its own.
    Lapse {
        /// What keeps a built-in lapse finite where the motion rests.
        epsilon: f64,
        /// The weight of E − V in the lapse that spaces points of phase space equally.
        factor: f64,
        /// The power of the distance in the lapse for Kepler's problem.
        power: f64,
    },
    /// The flow of H under the Dirac bracket of a Poisson system.
    DiracBracket,
    /// A Poisson system in some of its variables, of which the others are functions.
    Slaved,
    /// The same with the constraints as coordinates that stay zero.
    DiracCoordinates,
    /// The same with the inverse of the bracket restricted to the constraints.
    ProjectedInverse,
    /// The bracket itself projected onto the constraints: in general no bracket, and other solutions.
    Projected,
}

impl Formulation {
    /// Every formulation.
    pub const ALL: [Formulation; 19] = [
        Formulation::Multipliers,
        Formulation::IndexReduced,
        Formulation::Standard,
        Formulation::HamiltonDirac,
        Formulation::Total,
        Formulation::Dirac { alpha: 0.0 },
        Formulation::ImpetusStriction,
        Formulation::LocalChart { threshold: 1.0 },
        Formulation::LinearProjected,
        Formulation::Ggl,
        Formulation::Baumgarte { alpha: 5.0, beta: 5.0 },
        Formulation::Penalty { epsilon: 1e-4 },
        Formulation::IndexOne,
        Formulation::Lapse { epsilon: 0.01, factor: 2.0, power: 1.5 },
        Formulation::DiracBracket,
        Formulation::Slaved,
        Formulation::DiracCoordinates,
        Formulation::ProjectedInverse,
        Formulation::Projected,
    ];

    /// Whether it is for models with brackets alone.
    pub fn is_for_brackets(self) -> bool {
        self == Formulation::DiracBracket || self.keeps_some()
    }

    /// Whether it is for constraints of models with brackets, too.
    pub fn takes_brackets(self) -> bool {
        matches!(self, Formulation::HamiltonDirac | Formulation::Penalty { .. } | Formulation::IndexReduced)
            || self.is_for_brackets()
    }

    /// Whether its state are some of the variables of the model, of which the others are functions.
    pub fn keeps_some(self) -> bool {
        use Formulation::{DiracCoordinates, Projected, ProjectedInverse, Slaved};
        matches!(self, Slaved | DiracCoordinates | ProjectedInverse | Projected)
    }

    /// Whether time is a variable of its state, and steps are made by another parameter.
    pub fn has_time(self) -> bool {
        matches!(self, Formulation::Lapse { .. })
    }

    /// What there is to know about it.
    pub fn card(self) -> &'static Card {
        match self {
            Formulation::Multipliers => &multipliers::CARD,
            Formulation::IndexReduced => &index_reduced::CARD,
            Formulation::Standard => &standard::CARD,
            Formulation::HamiltonDirac => &hamilton_dirac::CARD,
            Formulation::Total => &total::CARD,
            Formulation::Dirac { .. } => &dirac::CARD,
            Formulation::ImpetusStriction => &impetus_striction::CARD,
            Formulation::LocalChart { .. } => &local_chart::CARD,
            Formulation::LinearProjected => &linear_projected::CARD,
            Formulation::Ggl => &ggl::CARD,
            Formulation::Baumgarte { .. } => &baumgarte::CARD,
            Formulation::Penalty { .. } => &penalty::CARD,
            Formulation::IndexOne => &index_one::CARD,
            Formulation::Lapse { .. } => &lapse::CARD,
            Formulation::DiracBracket => &dirac_bracket::CARD,
            Formulation::Slaved => &reduced::SLAVED,
            Formulation::DiracCoordinates => &reduced::DIRAC_COORDINATES,
            Formulation::ProjectedInverse => &reduced::PROJECTED_INVERSE,
            Formulation::Projected => &reduced::PROJECTED,
        }
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.card().name
    }

    /// The formulation with this name.
    pub fn named(name: &str) -> Option<Formulation> {
        let name = if name == "weak-dirac" { "hamilton-dirac" } else { name };
        Formulation::ALL.into_iter().find(|f| f.name() == name)
    }

    /// Derives the equations for a system. Without constraints all are the same.
    pub fn apply(self, system: &System) -> Result<Motion, TheoryError> {
        self.apply_within(system, &Limits::default())
    }

    /// The same within limits.
    pub fn apply_within(self, system: &System, limits: &Limits) -> Result<Motion, TheoryError> {
        if self == Formulation::IndexOne {
            return index_one::motion(system, limits);
        }
        if matches!(system.dynamics, Dynamics::Poisson { .. } | Dynamics::Form { .. }) {
            if let Formulation::Lapse { .. } = self {
                return Err(TheoryError::NotCanonical { what: "a lapse", kind: system.dynamics.kind() });
            }
            return poisson::motion(system, self, limits);
        }
        self.of(&Structure::within(system, limits)?, limits)
    }

    /// The same for a system with coordinates whose derivatives and brackets are known.
    pub fn of(self, s: &Structure, limits: &Limits) -> Result<Motion, TheoryError> {
        if self.is_for_brackets() {
            return Err(TheoryError::Unfit { formulation: self.name(), why: FOR_BRACKETS });
        }
        if let Formulation::Lapse { .. } = self {
            return lapse::motion(self, s, limits);
        }
        let Derived { law, lift, numbers, auxiliaries } = match s.multipliers()? {
            Some(mu) => self.constrained(s, &mu)?,
            None => Law::Field { field: hamiltonian_field(s)?, canonical: true }.into(),
        };
        Ok(Motion {
            system: s.system.clone(),
            formulation: self,
            state: s.state(),
            space: Space::Cotangent(Box::new(s.clone())),
            law,
            velocity: None,
            lift,
            numbers: Layout::new(numbers),
            auxiliaries,
            lapse: None,
            limits: limits.clone(),
        })
    }

    /// With constraints, of which μ is the multiplier that keeps ψ what it is.
    fn constrained(self, s: &Structure, mu: &Array) -> Result<Derived, TheoryError> {
        match self {
            Formulation::Multipliers => Ok(Law::IndexThree.into()),
            Formulation::IndexReduced => Ok(Law::IndexTwo.into()),
            Formulation::Standard => standard::equations(s, mu),
            Formulation::HamiltonDirac => hamilton_dirac::equations(s),
            Formulation::Total => total::equations(s, mu),
            Formulation::Dirac { .. } => dirac::equations(s),
            Formulation::ImpetusStriction => impetus_striction::equations(s),
            Formulation::LocalChart { threshold } => {
                Ok(Law::Chart(Box::new(local_chart::equations(s, threshold)?)).into())
            }
            Formulation::LinearProjected => linear_projected::equations(s),
            Formulation::Ggl => ggl::equations(s),
            Formulation::Baumgarte { .. } => baumgarte::equations(s),
            Formulation::Penalty { .. } => penalty::equations(s),
            // Nothing on velocities is left.
            Formulation::IndexOne => Ok(Law::IndexThree.into()),
            _ => Err(TheoryError::Unfit { formulation: self.name(), why: FOR_BRACKETS }),
        }
    }
}
