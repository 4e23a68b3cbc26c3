//! What there is to know about a formulation: words, formulas, claims.

/// A formulation in words and formulas, and what it claims.
#[derive(Clone, Copy, Debug)]
pub struct Card {
    /// The name on the command line.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// Its equations.
    pub equations: &'static [&'static str],
    /// What the letters mean.
    pub symbols: &'static str,
    /// Where it comes from.
    pub derivation: &'static str,
    /// What is constant along every solution, also off the constraints.
    pub integrals: &'static str,
    /// Which methods it is for.
    pub methods: &'static str,
    /// Where it is described.
    pub reference: &'static str,
    /// The numbers it can be given.
    pub numbers: &'static [Number],
    /// Whether the equations with constraints are canonical.
    pub canonical: bool,
    /// Whether its solutions on the constraint manifold are those of the model.
    pub exact: bool,
    /// Whether a symplectic method on it keeps the energy of the model: not where the Hamiltonian of the equations is
    /// another one, which agrees with it on the constraint manifold alone, nor where the variables change on the way,
    /// and with them the energy that the method nearly keeps.
    pub model_energy: bool,
    /// Whether the rate of each variable depends on all of them with constraints, as multipliers are solved for: the
    /// matrix of an implicit step is full.
    pub full: bool,
    /// What its equations are with constraints on positions.
    pub shape: Shape,
    /// Why a projection onto the constraints makes no sense, if so.
    pub unprojected: Option<&'static str>,
    /// Whether a projection of the momenta starts variables of its own anew.
    pub resets: bool,
    /// What to try where a function inside its equations has no value.
    pub inside: Option<&'static str>,
}

/// What equations are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Canonical ones with unknown multipliers that hold the constraints.
    IndexThree,
    /// Canonical ones with unknown multipliers that hold the time derivatives of the constraints.
    IndexTwo,
    /// Ordinary differential equations.
    Field,
    /// Ordinary differential equations in charts of the constraint manifold.
    Chart,
}

/// A number of a formulation.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// Its name.
    pub name: &'static str,
    /// What it is, and its value unless said otherwise.
    pub meaning: &'static str,
    /// What it must be.
    pub least: Least,
}

/// What a number must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Least {
    /// Any number.
    Any,
    /// 0 or more.
    Zero,
    /// More than 0.
    AboveZero,
    /// 1 or more.
    One,
}

impl Least {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Least::Any => "a number",
            Least::Zero => "0 or more",
            Least::AboveZero => "more than 0",
            Least::One => "1 or more",
        }
    }

    /// Whether a value is that.
    pub fn admits(self, value: f64) -> bool {
        value.is_finite()
            && match self {
                Least::Any => true,
                Least::Zero => value >= 0.0,
                Least::AboveZero => value > 0.0,
                Least::One => value >= 1.0,
            }
    }
}

/// The letters of most formulations.
pub(super) const SYMBOLS: &str = "φ(q) = 0 are the constraints, G = ∂φ/∂q, ψ = G H_p their time derivatives (the hidden \
    constraints), Q = G H_pp Gᵀ, c = {ψ, H}, S the brackets {ψᵢ, ψⱼ}.";
