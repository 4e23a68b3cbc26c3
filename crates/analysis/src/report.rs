//! What an analysis found.

use cotangent_expr::Expr;
use cotangent_model::ClaimKind;

/// How a statement is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Certainty {
    /// By symbols.
    Proved,
    /// At this number of random points of the constraint surface.
    Sampled(usize),
}

impl Certainty {
    /// The weaker of two.
    pub(crate) fn and(self, other: Certainty) -> Certainty {
        match (self, other) {
            (Certainty::Proved, c) | (c, Certainty::Proved) => c,
            (Certainty::Sampled(a), Certainty::Sampled(b)) => Certainty::Sampled(a.min(b)),
        }
    }
}

/// What became of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It holds.
    Holds(Certainty),
    /// It does not hold.
    Fails,
    /// It could not be decided.
    Undecided,
}

/// A statement and what became of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Verdict {
    /// What is stated.
    pub statement: String,
    /// Whether it holds, and how that is known.
    pub outcome: Outcome,
    /// Where it is one about all parameters and does not hold, or that is not known: what becomes of it for those of the
    /// model, if that was looked at.
    pub at_values: Option<AtValues>,
}

impl Verdict {
    /// What became of the statement for the parameters of the model.
    pub fn judgement(&self) -> Outcome {
        AtValues::judgement(&self.at_values, self.outcome)
    }
}

/// First or second class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Its brackets with all constraints vanish on the surface.
    First,
    /// One of those that belong to the invertible part of the matrix of brackets.
    Second,
}

/// A constraint found or given.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// Its name: that of the model, `phi_x` for a momentum that determines no velocity, with a prime for each
    /// time derivative that led to it.
    pub name: String,
    /// What vanishes.
    pub expression: Expr,
    /// 1 for primary ones, 2 for those that follow from their time derivatives, …; 0 for gauge conditions.
    pub generation: usize,
    /// Its class; none if the algorithm did not get that far.
    pub class: Option<Class>,
    /// For a first-class one: coefficients of second-class constraints to be added to make it so.
    pub combination: Vec<(String, Expr)>,
}

/// One consistency condition χ̇ ≈ 0 and its outcome.
#[derive(Clone, Debug)]
pub struct ConsistencyCondition {
    /// The constraint whose time derivative it is.
    pub constraint: String,
    /// The derivative {χ, H_c} + Σ u {χ, φ}, if it is not too long.
    pub condition: Option<Expr>,
    /// What follows.
    pub outcome: ConditionOutcome,
}

/// The three outcomes of Dirac's algorithm, and what else may happen.
#[derive(Clone, Debug, PartialEq)]
pub enum ConditionOutcome {
    /// Fulfilled by itself.
    Identity(Certainty),
    /// A new constraint, by name.
    Constraint(Vec<String>),
    /// An equation for a multiplier, by name; several are solved together.
    Multiplier(Vec<String>),
    /// It cannot be fulfilled.
    Contradiction,
    /// The same zeros as constraints found before.
    Dependent(Certainty),
}

/// What a Lagrange multiplier of the total Hamiltonian is.
#[derive(Clone, Debug)]
pub enum MultiplierValue {
    /// This function on phase space.
    Determined(Expr),
    /// Determined, but too long to be written: the solution of linear equations at each point.
    Implicit,
    /// An arbitrary function of time.
    Arbitrary,
}

/// A multiplier of the total Hamiltonian.
#[derive(Clone, Debug)]
pub struct Multiplier {
    /// Its name.
    pub name: String,
    /// The primary constraint it multiplies.
    pub constraint: String,
    /// What it is.
    pub value: MultiplierValue,
}

/// The transformation δz = ε{z, G} that a first-class constraint generates.
#[derive(Clone, Debug)]
pub struct GaugeTransformation {
    /// The constraint.
    pub generator: String,
    /// G.
    pub expression: Expr,
    /// {z, G} for the variables that change.
    pub changes: Vec<(String, Expr)>,
}

/// Dirac's conjecture for a model: that every first-class constraint generates a gauge transformation, a change that
/// arbitrary multipliers can make.
#[derive(Clone, PartialEq, Debug)]
pub struct Conjecture {
    /// Whether it holds; that is sampled.
    pub outcome: Outcome,
    /// First-class constraints that generate none: solutions that they lead to differ in more than the gauge.
    pub not_gauge: Vec<String>,
    /// The dimension of what is left if only gauge transformations are taken out, if that is known.
    pub dimension: Option<usize>,
}

/// The matrix C_ab = {χ_a, χ_b} of the constraints, in the order in which they are reported. It is antisymmetric.
#[derive(Clone, Debug, Default)]
pub struct BracketMatrix {
    /// Row, column and {χ_row, χ_column} for row < column, where that is not zero.
    pub entries: Vec<(usize, usize, Expr)>,
    /// The second-class constraints: their block is invertible, and its size is the rank of C.
    pub second: Vec<usize>,
}

/// Numbers that say how well the second-class block can be inverted, at one state.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Invertibility {
    /// The determinant; it is a square, as that of every antisymmetric matrix.
    pub determinant: f64,
    /// The largest singular value over the smallest one, with the constraints as they are written.
    pub condition: f64,
}

/// The brackets {zᵢ, zⱼ}* after the second-class constraints are taken to vanish.
#[derive(Clone, Debug)]
pub enum DiracBracket {
    /// There is no second-class constraint: it is the bracket itself.
    Plain,
    /// The brackets that do not vanish.
    Table(Vec<(String, String, Expr)>),
    /// It exists, but is not written out, and why.
    Implicit(String),
}

/// The Legendre transform of a Lagrangian.
#[derive(Clone, Debug)]
pub struct Transform {
    /// The rank of ∂²L/∂q̇∂q̇ at generic points.
    pub rank: usize,
    /// The number of velocities.
    pub velocities: usize,
    /// How the rank is known.
    pub certainty: Certainty,
    /// Whether the velocities are known only as the root v of ∂L/∂v = p.
    pub implicit: bool,
}

/// What is known of the bracket of a Poisson model.
#[derive(Clone, Debug)]
pub struct PoissonReport {
    /// The brackets {zᵢ, zⱼ} that do not vanish: of zᵢ with the variables behind it, or with all if it is not antisymmetric.
    pub table: Vec<(String, String, Expr)>,
    /// Whether {F, G} = −{G, F}, for all parameters.
    pub skew: Outcome,
    /// The same for the parameters of the model, where it does not hold for all.
    pub skew_at_values: Option<AtValues>,
    /// Whether Jacobi's identity holds, for all parameters.
    pub jacobi: Outcome,
    /// The same for the parameters of the model, where it does not hold for all.
    pub jacobi_at_values: Option<AtValues>,
    /// Variables whose cyclic sum of brackets does not vanish for all parameters.
    pub jacobi_failure: Option<(String, String, String, Expr)>,
    /// The rank at generic points.
    pub rank: Option<usize>,
    /// How it depends on the variables; none if that was not looked at.
    pub form: Option<BracketForm>,
    /// The Lie algebra of a linear bracket, or of the linear part of an affine one.
    pub algebra: Option<LieAlgebra>,
    /// The Casimirs that were sought; none if that was not done.
    pub casimirs: Option<CasimirSearch>,
}

/// How a bracket Bᵢⱼ(z) depends on the variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BracketForm {
    /// Not at all.
    Constant,
    /// Linear: a Lie–Poisson bracket.
    Linear,
    /// Linear and constant terms: a Lie–Poisson bracket with a cocycle.
    Affine,
    /// Bᵢⱼ = aᵢⱼ zᵢ zⱼ: constant for the logarithms of the variables.
    LogCanonical,
    /// In another way.
    Other,
}

/// The Lie algebra of a linear bracket Bᵢⱼ = Σ C_jiᵏ zₖ: [eᵢ, eⱼ] = Σ C_ijᵏ eₖ.
#[derive(Clone, Debug)]
pub struct LieAlgebra {
    /// The constants C_ijᵏ with i < j that do not vanish: the names of zᵢ, zⱼ, zₖ, and the value.
    pub constants: Vec<(String, String, String, Expr)>,
    /// Which one it is, if that is known: `so(3)`, `e(3)`, `so(3) + R^2`.
    pub name: Option<String>,
    /// Whether there are parameters in the constants: then all of this is about generic ones.
    pub generic: bool,
    /// The dimension of its centre.
    pub centre: usize,
    /// The dimensions of g, [g, g], [[g, g], [g, g]], … down to where they stay.
    pub derived: Vec<usize>,
    /// How many squares of each sign the Killing form is the sum of: positive, negative, and what is missing.
    pub killing: Option<[usize; 3]>,
}

/// The Casimirs of a bracket, as far as they were found.
#[derive(Clone, Debug)]
pub struct CasimirSearch {
    /// How many independent ones there are near a generic point, if Jacobi's identity holds: n − rank.
    pub number: usize,
    /// Independent ones.
    pub found: Vec<(Expr, Certainty)>,
    /// How many independent ones are known with those that the model claims.
    pub known: usize,
    /// The degree of the polynomials that were tried.
    pub degree: usize,
}

/// A quantity that the model claims to be conserved.
#[derive(Clone, Debug)]
pub struct ClaimReport {
    /// Its name.
    pub name: String,
    /// What is claimed.
    pub kind: ClaimKind,
    /// The quantity that the claim is about.
    pub value: Expr,
    /// Whether the claim holds for all parameters that the model allows.
    pub outcome: Outcome,
    /// What should vanish and does not.
    pub defect: Option<Expr>,
    /// For a Casimir: the variable whose bracket with it that is.
    pub with: Option<String>,
    /// Where it does not.
    pub witness: Option<Witness>,
    /// Where the claim does not hold for all parameters, or that is not known: what becomes of it for those of the
    /// model.
    pub at_values: Option<AtValues>,
}

impl ClaimReport {
    /// What became of the claim for the parameters of the model, which is what it is about.
    pub fn judgement(&self) -> Outcome {
        AtValues::judgement(&self.at_values, self.outcome)
    }
}

/// A claim or an identity for the parameters of the model alone.
#[derive(Clone, PartialEq, Debug)]
pub struct AtValues {
    /// The parameters and their values, those that matter where that is known.
    pub values: Vec<(String, f64)>,
    /// Whether it holds for them: proved where they are exact numbers.
    pub outcome: Outcome,
}

impl AtValues {
    /// What became of something for the parameters of the model, and for all if it was not looked at again.
    pub(crate) fn judgement(own: &Option<AtValues>, general: Outcome) -> Outcome {
        own.as_ref().map_or(general, |v| v.outcome)
    }
}

/// A point that refutes a claim.
#[derive(Clone, PartialEq, Debug)]
pub struct Witness {
    /// The parameters and variables that matter.
    pub at: Vec<(String, f64)>,
    /// What should vanish, there.
    pub value: f64,
}

/// A part of a constraint surface that falls apart.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The factors that vanish on it, in the order they were met.
    pub factors: Vec<Expr>,
    /// What is found there.
    pub analysis: Analysis,
}

/// Numbers of constraints of each class.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// Independent first-class constraints.
    pub first: usize,
    /// Independent second-class constraints.
    pub second: usize,
}

/// What is written for the Lagrangian and the Hamiltonian: L, H, H_c and H_T unless the model calls something else that.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbols {
    /// L
    pub lagrangian: String,
    /// H, where there are no constraints.
    pub hamiltonian: String,
    /// H_c
    pub canonical: String,
    /// H_T
    pub total: String,
}

/// The report of an analysis.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The model.
    pub name: String,
    /// Its title.
    pub title: Option<String>,
    /// `Lagrangian`, `Hamiltonian`, `Poisson`, `constant-form`.
    pub kind: &'static str,
    /// The variables of phase space.
    pub variables: Vec<String>,
    /// Variables added by the analysis: multipliers as coordinates, momenta of a constant form.
    pub added: Vec<String>,
    /// The parameter τ of the orbit, if a gauge condition contains it: a coordinate with τ′ = 1, whose momentum is added to
    /// the Hamiltonian. It is no degree of freedom.
    pub orbit_parameter: Option<String>,
    /// The Lagrangian, if the model gives one.
    pub lagrangian: Option<Expr>,
    /// Its Legendre transform.
    pub transform: Option<Transform>,
    /// The canonical Hamiltonian.
    pub hamiltonian: Option<Expr>,
    /// What Lagrangian and Hamiltonian are called.
    pub symbols: Symbols,
    /// Constraints, in the order found.
    pub constraints: Vec<Constraint>,
    /// The consistency conditions, in order.
    pub conditions: Vec<ConsistencyCondition>,
    /// Constraints as first found, and what they were replaced by, where their gradient vanishes on the surface.
    pub irregular: Vec<(String, Expr, Vec<Expr>)>,
    /// The multipliers of the total Hamiltonian.
    pub multipliers: Vec<Multiplier>,
    /// The classes, gauge conditions included.
    pub count: Option<Count>,
    /// The classes without the gauge conditions, if there are any.
    pub before_gauge: Option<Count>,
    /// What first-class constraints generate.
    pub gauge: Vec<GaugeTransformation>,
    /// Dirac's conjecture, where there are first-class constraints; it is about the theory without gauge conditions.
    pub conjecture: Option<Conjecture>,
    /// The brackets of the constraints with each other, if the algorithm came to its end and there are any.
    pub brackets: Option<BracketMatrix>,
    /// The Dirac bracket.
    pub dirac_bracket: Option<DiracBracket>,
    /// Half the dimension of what is left when all first-class constraints count as generators of gauge transformations.
    pub degrees_of_freedom: Option<usize>,
    /// Whether the equations of motion have solutions; none if that is not known.
    pub consistent: Option<bool>,
    /// Expressions that were taken not to vanish.
    pub assumptions: Vec<Expr>,
    /// The bracket of a Poisson model.
    pub poisson: Option<PoissonReport>,
    /// Claims of the model.
    pub claims: Vec<ClaimReport>,
    /// Each decision and how it is known.
    pub verdicts: Vec<Verdict>,
    /// Why the analysis stopped before its end.
    pub stopped: Option<String>,
    /// The parts of a surface that falls apart, where it stopped for that reason.
    pub branches: Vec<Branch>,
}

impl Analysis {
    /// Whether everything was decided, the system is consistent and every claim holds, for the parameters of the model
    /// at least.
    pub fn held(&self) -> bool {
        let fails = |o: &Outcome| !matches!(o, Outcome::Holds(_));
        self.stopped.is_none()
            && self.consistent == Some(true)
            && !self.verdicts.iter().any(|v| fails(&v.judgement()))
            && !self.claims.iter().any(|c| fails(&c.judgement()))
    }

    /// The constraint with this name.
    pub fn constraint(&self, name: &str) -> Option<&Constraint> {
        self.constraints.iter().find(|c| c.name == name)
    }

    pub(crate) fn say(&mut self, statement: impl Into<String>, outcome: Outcome) {
        self.verdicts.push(Verdict { statement: statement.into(), outcome, at_values: None });
    }

    /// Ends the analysis with a reason.
    pub(crate) fn stop(&mut self, reason: impl Into<String>) {
        self.stopped = Some(reason.into());
    }
}
