//! The methods by name.

use crate::card::Card;
use crate::methods::{
    average, bdf2, embedded, euler_poincare, gauss, isospectral, lobatto, radau, rattle, reich, rk4, spherical,
    splitting, symplectic_euler,
};

/// A method with its options.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Method {
    /// p₁ = p − h H_q(q, p₁), q₁ = q + h H_p(q, p₁).
    SymplecticEuler,
    /// The Störmer–Verlet method, kick–drift–kick.
    StormerVerlet,
    /// q₁ = q + h H_p(q, p), p₁ = p − h H_q(q₁, p₁).
    HamiltonPontryagin,
    /// RATTLE without its second projection.
    Shake,
    /// Störmer–Verlet with constraints and hidden constraints.
    Rattle,
    /// The Lobatto IIIA–IIIB pair, for constraints.
    Lobatto3A3B {
        /// The number of stages, at least 2.
        stages: usize,
    },
    /// Reich's method: constraint forces around a step of an unconstrained method.
    Reich {
        /// The unconstrained method.
        inner: Inner,
    },
    /// The implicit midpoint rule.
    ImplicitMidpoint,
    /// Gauss collocation.
    Gauss {
        /// The number of stages.
        stages: usize,
    },
    /// The gradient of the energy averaged along the step: keeps the energy.
    AverageVectorField {
        /// The number of points of the quadrature.
        stages: usize,
    },
    /// The classical Runge–Kutta method.
    Rk4,
    /// Dormand and Prince's method of order 5.
    Dopri5 {
        /// The error of a step, relative to the size of the state; `None`: steps as they are given.
        tolerance: Option<f64>,
    },
    /// Dormand and Prince's method of order 8.
    Dop853 {
        /// The error of a step, relative to the size of the state; `None`: steps as they are given.
        tolerance: Option<f64>,
    },
    /// The second backward differentiation formula.
    Bdf2,
    /// The flows of the parts of the energy, one after the other.
    SplittingLie,
    /// The same forth and back.
    SplittingStrang,
    /// The discrete Euler–Poincaré equations, for linear brackets.
    DiscreteEulerPoincare,
    /// The midpoint rule on spheres.
    SphericalMidpoint,
    /// The midpoint rule for matrix algebras.
    IsospectralMidpoint,
    /// Gauss collocation for matrix algebras.
    IsospectralGauss {
        /// The number of stages.
        stages: usize,
    },
    /// Radau IIA collocation.
    Radau2A {
        /// The number of stages.
        stages: usize,
    },
}

/// The methods that Reich's method takes for the equations without constraints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inner {
    /// The symplectic Euler method.
    SymplecticEuler,
    /// The Störmer–Verlet method; with it Reich's method is RATTLE.
    StormerVerlet,
    /// The implicit midpoint rule.
    ImplicitMidpoint,
    /// Gauss collocation.
    Gauss {
        /// The number of stages.
        stages: usize,
    },
    /// The flows of the parts of the energy, one after the other, for Poisson systems.
    SplittingLie,
    /// The same forth and back.
    SplittingStrang,
}

impl Inner {
    /// The method as it is.
    pub fn method(self) -> Method {
        match self {
            Inner::SymplecticEuler => Method::SymplecticEuler,
            Inner::StormerVerlet => Method::StormerVerlet,
            Inner::ImplicitMidpoint => Method::ImplicitMidpoint,
            Inner::Gauss { stages } => Method::Gauss { stages },
            Inner::SplittingLie => Method::SplittingLie,
            Inner::SplittingStrang => Method::SplittingStrang,
        }
    }

    /// The method as an inner one, if it is symplectic and needs no constraints.
    pub fn of(method: Method) -> Option<Inner> {
        match method {
            Method::SymplecticEuler => Some(Inner::SymplecticEuler),
            Method::StormerVerlet => Some(Inner::StormerVerlet),
            Method::ImplicitMidpoint => Some(Inner::ImplicitMidpoint),
            Method::Gauss { stages } => Some(Inner::Gauss { stages }),
            Method::SplittingLie => Some(Inner::SplittingLie),
            Method::SplittingStrang => Some(Inner::SplittingStrang),
            _ => None,
        }
    }
}

/// The error of a step that methods with a step-size control aim at unless told otherwise.
pub const TOLERANCE: f64 = 1e-10;

/// Another name of RATTLE for equations with a lapse.
const HAMILTON_PONTRYAGIN_2: &str = "hamilton-pontryagin-2";

/// The most stages of a method.
pub const MAX_STAGES: usize = 32;

impl Method {
    /// Every method, with default options.
    pub const ALL: [Method; 21] = [
        Method::SymplecticEuler,
        Method::StormerVerlet,
        Method::HamiltonPontryagin,
        Method::Shake,
        Method::Rattle,
        Method::Lobatto3A3B { stages: 3 },
        Method::Reich { inner: Inner::ImplicitMidpoint },
        Method::ImplicitMidpoint,
        Method::Gauss { stages: 2 },
        Method::AverageVectorField { stages: 6 },
        Method::SplittingLie,
        Method::SplittingStrang,
        Method::DiscreteEulerPoincare,
        Method::SphericalMidpoint,
        Method::IsospectralMidpoint,
        Method::IsospectralGauss { stages: 2 },
        Method::Rk4,
        Method::Dopri5 { tolerance: Some(TOLERANCE) },
        Method::Dop853 { tolerance: Some(TOLERANCE) },
        Method::Bdf2,
        Method::Radau2A { stages: 3 },
    ];

    /// The names of methods that are made for equations with a lapse.
    pub const FOR_A_LAPSE: [&str; 2] = ["hamilton-pontryagin", HAMILTON_PONTRYAGIN_2];

    /// The method with this name, with default options.
    pub fn named(name: &str) -> Option<Method> {
        // The symmetric Hamilton–Pontryagin method is RATTLE for the equations with a lapse.
        let name = if name == HAMILTON_PONTRYAGIN_2 { Method::Rattle.name() } else { name };
        Method::ALL.into_iter().find(|m| m.name() == name)
    }

    /// The number of stages, where it can be chosen.
    pub fn stages(self) -> Option<usize> {
        match self {
            Method::Lobatto3A3B { stages }
            | Method::Gauss { stages }
            | Method::AverageVectorField { stages }
            | Method::IsospectralGauss { stages }
            | Method::Radau2A { stages } => Some(stages),
            _ => None,
        }
    }

    /// The same with another number of stages, where it can be chosen.
    pub fn with_stages(mut self, number: usize) -> Option<Method> {
        match &mut self {
            Method::Lobatto3A3B { stages }
            | Method::Gauss { stages }
            | Method::AverageVectorField { stages }
            | Method::IsospectralGauss { stages }
            | Method::Radau2A { stages } => *stages = number,
            _ => return None,
        }
        Some(self)
    }

    /// Whether it solves for stages that can be iterated; `None` if it has none.
    pub fn is_iterated(self) -> Option<bool> {
        match self {
            Method::ImplicitMidpoint | Method::Gauss { .. } | Method::Lobatto3A3B { .. } => Some(true),
            Method::Reich { inner } => inner.method().is_iterated(),
            Method::AverageVectorField { .. } | Method::Bdf2 | Method::Radau2A { .. } => Some(false),
            _ => None,
        }
    }

    /// The error of a step it aims at, where it controls its steps.
    pub fn tolerance(self) -> Option<f64> {
        match self {
            Method::Dopri5 { tolerance } | Method::Dop853 { tolerance } => tolerance,
            _ => None,
        }
    }

    /// The same with another tolerance (`None`: steps as they are given), where it can be chosen.
    pub fn with_tolerance(mut self, value: Option<f64>) -> Option<Method> {
        match &mut self {
            Method::Dopri5 { tolerance } | Method::Dop853 { tolerance } => *tolerance = value,
            _ => return None,
        }
        Some(self)
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.card().name
    }

    /// What it claims.
    pub fn card(self) -> Card {
        match self {
            Method::SymplecticEuler => symplectic_euler::CARD,
            Method::StormerVerlet => rattle::STORMER_VERLET,
            Method::HamiltonPontryagin => symplectic_euler::HAMILTON_PONTRYAGIN,
            Method::Shake => rattle::SHAKE,
            Method::Rattle => rattle::RATTLE,
            Method::Lobatto3A3B { stages } => lobatto::card(stages),
            Method::Reich { inner } => reich::card(&inner.method().card()),
            Method::ImplicitMidpoint => gauss::IMPLICIT_MIDPOINT,
            Method::Gauss { stages } => gauss::card(stages),
            Method::AverageVectorField { stages } => average::card(stages),
            Method::SplittingLie => splitting::LIE,
            Method::SplittingStrang => splitting::STRANG,
            Method::DiscreteEulerPoincare => euler_poincare::CARD,
            Method::SphericalMidpoint => spherical::CARD,
            Method::IsospectralMidpoint => isospectral::MIDPOINT,
            Method::IsospectralGauss { stages } => isospectral::card(stages),
            Method::Rk4 => rk4::CARD,
            Method::Dopri5 { .. } => embedded::DOPRI5,
            Method::Dop853 { .. } => embedded::DOP853,
            Method::Bdf2 => bdf2::CARD,
            Method::Radau2A { stages } => radau::card(stages),
        }
    }
}
