//! What kinds of things there are in a model, with the names that documents give them.

use cotangent_analysis as analysis;
use cotangent_model::{self as model, Dynamics};
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! kinds {
    ($(#[doc = $meaning:literal] $kind:ident { $(#[doc = $one:literal] $variant:ident = $name:literal,)+ })+) => {$(
        #[doc = $meaning]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $kind {
            $(#[doc = $one] #[serde(rename = $name)] $variant,)+
        }

        impl fmt::Display for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $($kind::$variant => $name,)+
                })
            }
        }
    )+};
}

kinds! {
    /// What a model is given by.
    ModelKind {
        /// A Lagrangian.
        Lagrangian = "Lagrangian",
        /// A Hamiltonian in coordinates and momenta.
        Hamiltonian = "Hamiltonian",
        /// A Hamiltonian and a bracket.
        Poisson = "Poisson",
        /// A Hamiltonian and a constant form.
        ConstantForm = "constant-form",
    }
    /// What the energy of a model is given as.
    GivenAs {
        /// A Lagrangian.
        Lagrangian = "lagrangian",
        /// A Hamiltonian.
        Hamiltonian = "hamiltonian",
    }
    /// What a variable is.
    Role {
        /// A coordinate.
        Coordinate = "coordinate",
        /// The momentum of one.
        Momentum = "momentum",
        /// One without a partner.
        Variable = "variable",
    }
    /// What a constraint restricts.
    ConstraintKind {
        /// Positions.
        Holonomic = "holonomic",
        /// Momenta too, or variables.
        PhaseSpace = "phase-space",
        /// Velocities, before the action is varied.
        Vakonomic = "vakonomic",
    }
    /// What a model claims of a quantity.
    ClaimKind {
        /// It is in the kernel of the bracket.
        Casimir = "casimir",
        /// It is constant along every solution.
        Invariant = "invariant",
    }
    /// The class of a constraint.
    Class {
        /// Its brackets with all constraints vanish on the surface.
        First = "first",
        /// Others do not.
        Second = "second",
    }
}

impl From<&Dynamics> for ModelKind {
    fn from(dynamics: &Dynamics) -> ModelKind {
        match dynamics {
            Dynamics::Lagrangian { .. } => ModelKind::Lagrangian,
            Dynamics::Hamiltonian { .. } => ModelKind::Hamiltonian,
            Dynamics::Poisson { .. } => ModelKind::Poisson,
            Dynamics::Form { .. } => ModelKind::ConstantForm,
        }
    }
}

impl From<model::ConstraintKind> for ConstraintKind {
    fn from(kind: model::ConstraintKind) -> ConstraintKind {
        match kind {
            model::ConstraintKind::Holonomic => ConstraintKind::Holonomic,
            model::ConstraintKind::PhaseSpace => ConstraintKind::PhaseSpace,
            model::ConstraintKind::Vakonomic => ConstraintKind::Vakonomic,
        }
    }
}

impl From<model::ClaimKind> for ClaimKind {
    fn from(kind: model::ClaimKind) -> ClaimKind {
        match kind {
            model::ClaimKind::Casimir => ClaimKind::Casimir,
            model::ClaimKind::Invariant => ClaimKind::Invariant,
        }
    }
}

impl From<analysis::Class> for Class {
    fn from(class: analysis::Class) -> Class {
        match class {
            analysis::Class::First => Class::First,
            analysis::Class::Second => Class::Second,
        }
    }
}
