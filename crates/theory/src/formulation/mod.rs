//! Equivalent equations of motion for one constrained system.
//!
//! On the constraint manifold φ = ψ = 0 all of them have the same solutions; off it, where round-off
//! and truncation lead, they differ, and so do the methods that use them.

mod baumgarte;
mod dirac;
mod ggl;
mod hamilton_dirac;
mod impetus_striction;
mod linear_projected;
mod local_chart;
mod multipliers;
mod penalty;
mod poisson;
mod standard;
mod total;

pub use local_chart::LocalChart;

use crate::error::TheoryError;
use crate::legendre::whole;
use crate::structure::Structure;
use crate::structure::minus;
use crate::surface::Surface;
use cotangent_expr::{Array, Expr, Layout, Node, Place, Tensor, Term};
use cotangent_model::{Dynamics, System};

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

/// Why a number of a formulation cannot be what it should.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OptionError {
    /// The formulation has none of that name.
    #[error("the formulation has no such number")]
    Unknown,
    /// A value that makes no sense.
    #[error("it must be {least}")]
    Range {
        /// What it must be.
        least: &'static str,
    },
}

/// What a number must be.
enum Least {
    Any,
    Zero,
    AboveZero,
    One,
}

impl Least {
    fn text(&self) -> &'static str {
        match self {
            Least::Any => "a number",
            Least::Zero => "0 or more",
            Least::AboveZero => "more than 0",
            Least::One => "1 or more",
        }
    }
}

/// A vector field on the state space.
#[derive(Clone, Debug)]
pub struct VectorField {
    /// The state.
    pub state: Layout,
    /// Its rate of change.
    pub rate: Tensor,
}

/// Equations of motion: what a formulation makes of a system.
#[derive(Clone, Debug)]
pub struct Motion {
    /// The system they come from, in Hamiltonian form if it has coordinates.
    pub system: System,
    /// Which equations they are.
    pub formulation: Formulation,
    /// The variables.
    pub state: Layout,
    /// Derivatives and brackets, if the system has coordinates.
    pub structure: Option<Structure>,
    /// The equations as a vector field, unless the multipliers are unknowns.
    pub field: Option<VectorField>,
    /// Whether the vector field, or the equations with multipliers, are canonical: a symplectic
    /// method is symplectic on these.
    pub canonical: bool,
    /// The model's momenta as functions of the state, where the state has others in their place.
    pub physical: Option<Vec<Array>>,
    /// The equations in a chart, where they are to be integrated in charts.
    pub chart: Option<LocalChart>,
    /// The multipliers as functions of the model's state, one for each constraint member, if there are
    /// constraints: the reaction forces are −Gᵀμ.
    pub multipliers: Option<Array>,
    /// The constraints, where an analysis found them and not the structure.
    pub surface: Option<Surface>,
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
        Formulation::LocalChart { threshold: 2.0 },
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

    /// The numbers it can be given, and what they are.
    pub fn options(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Formulation::Dirac { .. } => &[("alpha", "the weak term αφ in the equation for η; 0")],
            Formulation::Baumgarte { .. } => {
                &[("alpha", "half the damping of φ̈ + 2α φ̇ + β² φ = 0; 5"), ("beta", "its frequency; 5")]
            }
            Formulation::LocalChart { .. } => {
                &[("threshold", "a chart is changed for one that is better by this factor; 2")]
            }
            Formulation::Penalty { .. } => &[("epsilon", "the compliance of the springs φᵀφ/(2ε); 1e-4")],
            _ => &[],
        }
    }

    /// The same with another value of one of its numbers.
    pub fn with_option(mut self, name: &str, value: f64) -> Result<Formulation, OptionError> {
        let (number, least) = self.number(name).ok_or(OptionError::Unknown)?;
        let fits = match least {
            Least::Any => value.is_finite(),
            Least::Zero => value >= 0.0 && value.is_finite(),
            Least::AboveZero => value > 0.0 && value.is_finite(),
            Least::One => value >= 1.0 && value.is_finite(),
        };
        if !fits {
            return Err(OptionError::Range { least: least.text() });
        }
        *number = value;
        Ok(self)
    }

    /// The values of its numbers.
    pub fn values(mut self) -> Vec<(&'static str, f64)> {
        let names = self.options().iter().map(|(name, _)| *name);
        names.filter_map(|name| Some((name, *self.number(name)?.0))).collect()
    }

    fn number(&mut self, name: &str) -> Option<(&mut f64, Least)> {
        match (self, name) {
            (Formulation::Dirac { alpha }, "alpha") => Some((alpha, Least::Any)),
            (Formulation::Baumgarte { alpha, .. }, "alpha") => Some((alpha, Least::Zero)),
            (Formulation::Baumgarte { beta, .. }, "beta") => Some((beta, Least::Zero)),
            (Formulation::LocalChart { threshold }, "threshold") => Some((threshold, Least::One)),
            (Formulation::Penalty { epsilon }, "epsilon") => Some((epsilon, Least::AboveZero)),
            _ => None,
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
        if matches!(system.dynamics, Dynamics::Poisson { .. } | Dynamics::Form { .. }) {
            return poisson::motion(system, self);
        }
        let structure = Structure::new(system)?;
        let multipliers = structure.multipliers()?;
        let s = &structure;
        let number = |x: f64| Expr::from(x);
        let (mut physical, mut chart) = (None, None);
        let field = match self {
            Formulation::Multipliers | Formulation::IndexReduced => multipliers::equations(s)?,
            Formulation::Standard => Some(standard::equations(s)?),
            Formulation::HamiltonDirac => Some(hamilton_dirac::equations(s)?),
            Formulation::Total => Some(total::equations(s)?),
            Formulation::Dirac { alpha } => Some(dirac::equations(s, &number(alpha))?),
            Formulation::ImpetusStriction => {
                let (field, momenta) = impetus_striction::equations(s)?;
                physical = momenta;
                Some(field)
            }
            Formulation::LocalChart { .. } => {
                chart = local_chart::equations(s)?;
                multipliers::equations(s)?
            }
            Formulation::LinearProjected => Some(linear_projected::equations(s)?),
            Formulation::Ggl => Some(ggl::equations(s)?),
            Formulation::Baumgarte { alpha, beta } => Some(baumgarte::equations(s, &number(alpha), &number(beta))?),
            Formulation::Penalty { epsilon } => Some(penalty::equations(s, &number(epsilon))?),
        };
        let canonical = multipliers.is_none() || self.is_canonical();
        Ok(Motion {
            system: structure.system.clone(),
            formulation: self,
            state: structure.state(),
            field,
            canonical,
            physical,
            chart,
            multipliers,
            surface: None,
            structure: Some(structure),
        })
    }
}

impl Motion {
    /// Whether there are constraints.
    pub fn is_constrained(&self) -> bool {
        self.multipliers.is_some() || self.surface.is_some()
    }

    /// The state of the model as a function of the state of these equations, where they differ.
    pub fn model_state(&self) -> Result<Option<Tensor>, TheoryError> {
        let Some(s) = &self.structure else { return Ok(None) };
        let Some(physical) = &self.physical else { return Ok(None) };
        let positions = s.coordinates.arrays().iter().map(|q| whole(q, |index| Expr::at(q, index)));
        let momenta = s.momenta.arrays().iter().zip(physical);
        let terms = positions.chain(momenta.map(|(p, physical)| whole(p, |index| Expr::at(physical, index))));
        Ok(Some(Tensor::new(vec![s.state()], terms.collect())?))
    }

    /// A quantity of the model as a function of the state of these equations.
    pub fn at_state(&self, quantity: &Tensor) -> Result<Tensor, TheoryError> {
        match (&self.physical, &self.structure) {
            (Some(physical), Some(s)) => replaced(quantity, &s.momenta, physical),
            _ => Ok(quantity.clone()),
        }
    }
}

/// q̇ = K_p, ṗ = −K_q.
fn flow(s: &Structure, hamiltonian: &Tensor) -> Result<VectorField, TheoryError> {
    let rate = rate(s, &hamiltonian.gradient(&s.momenta)?, &minus(&hamiltonian.gradient(&s.coordinates)?))?;
    Ok(VectorField { state: s.state(), rate })
}

/// λᵀt for a vector over the constraints: a scalar.
fn pairing(lambda: &Array, t: &Tensor) -> Result<Tensor, TheoryError> {
    let rows = &t.shape()[0];
    let term = |term: &Term| {
        let row = rows.flat_index(&term.at[0].array, &term.at[0].index).unwrap_or_default();
        Term { at: vec![], value: &term.value * Expr::at(lambda, vec![row]), ..term.clone() }
    };
    Ok(Tensor::new(vec![], t.terms().iter().map(term).collect())?)
}

/// Tλ for a matrix with constraints as columns: a vector over its rows.
fn times(t: &Tensor, lambda: &Array) -> Result<Tensor, TheoryError> {
    let columns = &t.shape()[1];
    let term = |term: &Term| {
        let column = columns.flat_index(&term.at[1].array, &term.at[1].index).unwrap_or_default();
        Term { at: vec![term.at[0].clone()], value: &term.value * Expr::at(lambda, vec![column]), ..term.clone() }
    };
    Ok(Tensor::new(vec![t.shape()[0].clone()], t.terms().iter().map(term).collect())?)
}

/// Each array of a layout with its part of a vector added; the vector may be written over the
/// coordinates or the momenta.
fn plus_multiples(layout: &Layout, vector: &Tensor, name: &str) -> Result<Vec<Array>, TheoryError> {
    let over = vector.shape()[0].clone();
    let sum = |(array, other): (&Array, &Array)| {
        let own = vector.terms().iter().filter(|t| t.at[0].array == *other);
        let moved = own.map(|t| {
            let place = Place { array: array.clone(), index: t.at[0].index.clone() };
            Term { at: vec![place], ..t.clone() }
        });
        let terms = std::iter::once(whole(array, |index| Expr::at(array, index))).chain(moved).collect();
        let values = Tensor::new(vec![Layout::new(vec![array.clone()])], terms)?;
        Ok(Array::defined(&format!("{name}_{}", array.name()), array.dims().to_vec(), values))
    };
    layout.arrays().iter().zip(over.arrays()).map(sum).collect()
}

/// The arrays of a layout replaced by others, everywhere but in the definitions of those.
fn replaced(t: &Tensor, layout: &Layout, by: &[Array]) -> Result<Tensor, TheoryError> {
    Ok(t.rewrite_deep(&mut |leaf| match leaf.node() {
        Node::At(a, index) => {
            if by.contains(a) {
                return Some(leaf.clone());
            }
            let k = layout.arrays().iter().position(|own| own == a)?;
            Some(Expr::at(&by[k], index.clone()))
        }
        _ => None,
    })?)
}

/// Tᵀλ for a matrix with constraints as rows: a vector over its columns.
fn transposed_times(t: &Tensor, lambda: &Array) -> Result<Tensor, TheoryError> {
    let rows = &t.shape()[0];
    let term = |term: &Term| {
        let row = rows.flat_index(&term.at[0].array, &term.at[0].index).unwrap_or_default();
        Term { at: vec![term.at[1].clone()], value: &term.value * Expr::at(lambda, vec![row]), ..term.clone() }
    };
    Ok(Tensor::new(vec![t.shape()[1].clone()], t.terms().iter().map(term).collect())?)
}

/// The vector (q̇, ṗ) over the state from its halves, which are written over coordinates or momenta.
fn rate(s: &Structure, q: &Tensor, p: &Tensor) -> Result<Tensor, TheoryError> {
    let mut terms = vec![];
    for (half, to) in [(q, &s.coordinates), (p, &s.momenta)] {
        let from = half.shape()[0].clone();
        for t in half.terms() {
            let k = from.arrays().iter().position(|a| *a == t.at[0].array).unwrap_or(0);
            let place = Place { array: to.arrays()[k].clone(), index: t.at[0].index.clone() };
            terms.push(Term { at: vec![place], ..t.clone() });
        }
    }
    Ok(Tensor::new(vec![s.state()], terms)?)
}
