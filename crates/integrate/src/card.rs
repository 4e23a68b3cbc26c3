//! What a method claims; the method suite tests every line of it.

/// What a method is and claims to keep.
///
/// "On canonical equations" means without constraints, or with constraints that the method itself
/// knows; for other equations a Runge–Kutta method keeps its order and its quadratic invariants.
#[derive(Clone, PartialEq, Debug)]
pub struct Card {
    /// The name on the command line.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// The order of convergence.
    pub order: u32,
    /// Whether a step preserves dq∧dp on canonical equations, restricted to φ = const where there
    /// are constraints.
    pub symplectic: bool,
    /// Which brackets a step preserves: of which it is a Poisson map.
    pub bracket: KeepsBracket,
    /// Whether a step backward undoes a step forward.
    pub symmetric: bool,
    /// Whether the constraints hold after every step.
    pub constraints: Keeps,
    /// Whether the hidden constraints G(q) q̇ = 0 hold after every step.
    pub hidden_constraints: Keeps,
    /// Whether quadratic first integrals of the equations are kept.
    pub quadratic_invariants: bool,
    /// Whether the energy of canonical equations is kept to round-off, whatever it is, at steps that
    /// resolve the motion.
    pub energy: bool,
    /// What the equations have to be.
    pub needs: Needs,
    /// When a step is explicit, in words.
    pub explicit: &'static str,
    /// The scheme, a formula on each line.
    pub scheme: &'static [&'static str],
    /// What the unknowns are and how they are found, in words.
    pub solution: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
}

impl Card {
    /// What it keeps, in words.
    pub fn keeps(&self) -> Vec<&'static str> {
        let all = [
            (self.symplectic, "dq∧dp on canonical equations (symplectic)"),
            (self.bracket == KeepsBracket::Constant, "constant brackets (a Poisson map)"),
            (self.bracket == KeepsBracket::Any, "the bracket, whatever it is (a Poisson map), and its Casimirs"),
            (self.symmetric, "the symmetry of time (a step back undoes a step)"),
            (self.quadratic_invariants, "quadratic first integrals"),
            (self.energy, "the energy of canonical equations"),
            (self.constraints == Keeps::Yes, "the constraints, to round-off"),
            (self.hidden_constraints == Keeps::Yes, "the hidden constraints G(q) q̇ = 0, to round-off"),
        ];
        all.into_iter().filter(|(is, _)| *is).map(|(_, words)| words).collect()
    }
}

/// Whether a method keeps something that only some systems have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keeps {
    /// It solves for it, to round-off.
    Yes,
    /// It does not.
    No,
    /// The method is not for systems with constraints; on equations without multipliers it does
    /// what those equations do.
    ByEquations,
}

/// Which brackets a method preserves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeepsBracket {
    /// None in general.
    No,
    /// Those that do not depend on the state.
    Constant,
    /// All, with their Casimirs.
    Any,
}

/// What a method works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    /// Canonical equations without constraints.
    Unconstrained,
    /// Canonical equations, with or without constraints on the positions.
    Canonical,
    /// Any ordinary differential equations.
    Field,
    /// Parts of an energy whose flows are known.
    Split,
    /// A bracket that is linear in the variables.
    Linear,
    /// A bracket of spheres: triples of variables with that of so(3).
    Spheres,
    /// A bracket of matrices: that of gl, so, su, sp and the like.
    Matrices,
    /// Either: canonical equations with constraints, or ordinary differential equations.
    Any,
}

/// What decides, of equations, what a method keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Kind {
    /// Whether a symplectic method is symplectic on them: canonical equations, or J ż = ∇H.
    pub canonical: bool,
    /// The bracket of ż = B(z)∇H.
    pub bracket: Option<BracketKind>,
}

/// What decides, of a bracket, what a method keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BracketKind {
    /// Whether B does not depend on z.
    pub constant: bool,
    /// The number of Casimirs that are known.
    pub casimirs: usize,
    /// Their largest degree: 1 if they are linear, 2 if they are quadratic; `None` beyond.
    pub degree: Option<u32>,
}

impl From<bool> for Kind {
    /// Canonical equations, or others.
    fn from(canonical: bool) -> Kind {
        Kind { canonical, bracket: None }
    }
}

/// What a method claims on particular equations, with its projection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claims {
    /// The order of convergence.
    pub order: u32,
    /// Whether a step preserves dq∧dp.
    pub symplectic: bool,
    /// Whether a step back undoes a step forward.
    pub symmetric: bool,
    /// Whether the constraints hold after every step.
    pub constraints: bool,
    /// Whether the hidden constraints do.
    pub hidden_constraints: bool,
    /// Whether the energy is kept.
    pub energy: bool,
    /// Whether a step is a Poisson map.
    pub poisson: bool,
    /// Whether the Casimirs that are known are kept.
    pub casimirs: bool,
}
