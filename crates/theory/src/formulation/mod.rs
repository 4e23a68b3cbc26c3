//! Equivalent equations of motion for one constrained system.
//!
//! On the constraint manifold φ = ψ = 0 all of them have the same solutions; off it, where round-off
//! and truncation lead, they differ, and so do the methods that use them.

mod algebra;
mod auxiliary;
mod baumgarte;
mod dirac;
mod ggl;
mod hamilton_dirac;
mod impetus_striction;
mod linear_projected;
mod local_chart;
mod motion;
mod multipliers;
mod options;
mod penalty;
mod poisson;
mod standard;
mod total;

pub use local_chart::LocalChart;
pub use motion::{Motion, VectorField};
pub use options::OptionError;

use crate::error::TheoryError;
use crate::structure::Structure;
use auxiliary::Equations;
use cotangent_expr::Expr;
use cotangent_model::{Dynamics, System};
use cotangent_scalar::Limits;

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
}

impl Formulation {
    /// Every formulation.
    pub const ALL: [Formulation; 12] = [
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
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Formulation::Multipliers => "multipliers",
            Formulation::IndexReduced => "index-reduced",
            Formulation::Standard => "standard",
            Formulation::HamiltonDirac => "hamilton-dirac",
            Formulation::Total => "total",
            Formulation::Dirac { .. } => "dirac",
            Formulation::ImpetusStriction => "impetus-striction",
            Formulation::LocalChart { .. } => "local-chart",
            Formulation::LinearProjected => "linear-projected",
            Formulation::Ggl => "ggl",
            Formulation::Baumgarte { .. } => "baumgarte",
            Formulation::Penalty { .. } => "penalty",
        }
    }

    /// What it is, in a line.
    pub fn summary(self) -> &'static str {
        match self {
            Formulation::Multipliers => "the equations as given, multipliers unknown (index 3)",
            Formulation::IndexReduced => "time derivatives in place of the constraints, multipliers unknown (index 2)",
            Formulation::Standard => "the standard underlying equations: the multiplier as a function of the state",
            Formulation::HamiltonDirac => "the flow of H under the Dirac bracket; constraints and energy are integrals",
            Formulation::Total => "the flow of H + μᵀφ: Hamiltonian everywhere, the constraints a saddle",
            Formulation::Dirac { .. } => "the flow of H + μᵀφ + ηᵀψ: Hamiltonian everywhere, the constraints a centre",
            Formulation::ImpetusStriction => "momenta up to a reaction impulse: Hamiltonian, constraints are integrals",
            Formulation::LocalChart { .. } => "canonical equations in local coordinates of the constraint manifold",
            Formulation::LinearProjected => "H at the projected position, for linear constraints: Hamiltonian",
            Formulation::Ggl => "constraints and hidden constraints both kept by multipliers",
            Formulation::Baumgarte { .. } => "constraints that are damped instead of kept",
            Formulation::Penalty { .. } => "stiff springs instead of constraints",
        }
    }

    /// Whether the equations with constraints are canonical.
    fn is_canonical(self) -> bool {
        match self {
            Formulation::Multipliers
            | Formulation::Total
            | Formulation::Dirac { .. }
            | Formulation::ImpetusStriction
            | Formulation::LocalChart { .. }
            | Formulation::LinearProjected
            | Formulation::Penalty { .. } => true,
            Formulation::IndexReduced
            | Formulation::Standard
            | Formulation::HamiltonDirac
            | Formulation::Ggl
            | Formulation::Baumgarte { .. } => false,
        }
    }

    /// Whether its solutions on the constraint manifold are those of the model.
    pub fn is_exact(self) -> bool {
        !matches!(self, Formulation::Penalty { .. })
    }

    /// Whether a symplectic method on it keeps the energy of the model: not where the Hamiltonian of
    /// the equations is another one, which agrees with it on the constraint manifold alone, nor where
    /// the variables change on the way, and with them the energy that the method nearly keeps.
    pub fn has_model_energy(self) -> bool {
        use Formulation::{Dirac, LocalChart, Penalty, Total};
        !matches!(self, Total | Dirac { .. } | Penalty { .. } | LocalChart { .. })
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
        if matches!(system.dynamics, Dynamics::Poisson { .. } | Dynamics::Form { .. }) {
            return poisson::motion(system, self, limits);
        }
        self.of(&Structure::within(system, limits)?, limits)
    }

    /// The same for a system with coordinates whose derivatives and brackets are known.
    pub fn of(self, s: &Structure, limits: &Limits) -> Result<Motion, TheoryError> {
        let multipliers = s.multipliers()?;
        let number = |x: f64| Expr::from(x);
        let mut chart = None;
        let equations: Option<Equations> = match self {
            Formulation::Multipliers | Formulation::IndexReduced => multipliers::equations(s)?.map(Into::into),
            Formulation::Standard => Some(standard::equations(s)?.into()),
            Formulation::HamiltonDirac => Some(hamilton_dirac::equations(s)?),
            Formulation::Total => Some(total::equations(s)?.into()),
            Formulation::Dirac { alpha } => Some(dirac::equations(s, &number(alpha))?),
            Formulation::ImpetusStriction => Some(impetus_striction::equations(s)?),
            Formulation::LocalChart { .. } => {
                chart = local_chart::equations(s)?;
                multipliers::equations(s)?.map(Into::into)
            }
            Formulation::LinearProjected => Some(linear_projected::equations(s)?.into()),
            Formulation::Ggl => Some(ggl::equations(s)?),
            Formulation::Baumgarte { alpha, beta } => {
                Some(baumgarte::equations(s, &number(alpha), &number(beta))?.into())
            }
            Formulation::Penalty { epsilon } => Some(penalty::equations(s, &number(epsilon))?.into()),
        };
        let canonical = multipliers.is_none() || self.is_canonical();
        let (field, physical, auxiliaries) = match equations {
            Some(Equations { field, physical, auxiliaries }) => (Some(field), physical, auxiliaries),
            None => (None, None, vec![]),
        };
        Ok(Motion {
            system: s.system.clone(),
            formulation: self,
            state: s.state(),
            field,
            canonical,
            physical,
            chart,
            multipliers,
            auxiliaries,
            surface: None,
            structure: Some(s.clone()),
            limits: limits.clone(),
        })
    }
}
