//! What a model text means: the [`System`] that everything else works on.

use crate::algebra::Algebra;
use crate::diagnostic::Diagnostic;
use crate::drawing::Drawing;
use cotangent_expr::{Array, Layout, Role, Tensor};

pub use crate::syntax::ast::Sign;
pub use crate::syntax::{BuiltInLapse, Colour, DrawingKind, RunKey};

/// A mechanical or Poisson system as symbols: variables, parameters, energy, constraints.
///
/// Made from text by [`System::parse`] or in Rust by [`SystemBuilder`](crate::SystemBuilder).
#[derive(Clone, Debug)]
pub struct System {
    /// The model's name.
    pub name: String,
    /// A one-line description.
    pub title: Option<String>,
    /// Integer parameters: sizes of families. They are part of the structure.
    pub integers: Vec<(String, i64)>,
    /// Real parameters: inputs of every compiled function.
    pub parameters: Vec<Parameter>,
    /// Variables and what drives them.
    pub dynamics: Dynamics,
    /// Constraints, in the order of the text.
    pub constraints: Vec<Constraint>,
    /// Gauge conditions.
    pub gauges: Vec<Constraint>,
    /// The parameter of the orbit, if a gauge condition uses it.
    pub orbit_parameter: Option<OrbitParameter>,
    /// Claims to be checked: Casimirs and invariants.
    pub claims: Vec<Claim>,
    /// What else to record.
    pub observables: Vec<Quantity>,
    /// Parts of the energy for splitting methods.
    pub splits: Vec<Quantity>,
    /// What a picture of the motion shows; all in the plane, or all in space.
    pub drawings: Vec<Drawing>,
    /// Initial values.
    pub initial: Vec<Initial>,
    /// Defaults for `run`.
    pub run: Vec<(RunKey, RunValue)>,
    /// What is not wrong but worth saying.
    pub warnings: Vec<Diagnostic>,
}

/// A real parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its array: a scalar or a family.
    pub array: Array,
    /// The default value, a vector over the array in terms of other parameters.
    pub default: Option<Tensor>,
    /// A sign the analysis may use.
    pub sign: Option<Sign>,
}

/// The variables of a system and what drives them.
#[derive(Clone, Debug)]
pub enum Dynamics {
    /// δ∫L = 0.
    Lagrangian {
        /// q
        coordinates: Layout,
        /// q̇
        velocities: Layout,
        /// p = ∂L/∂q̇
        momenta: Layout,
        /// L(q, q̇)
        lagrangian: Tensor,
    },
    /// q̇ = ∂H/∂p, ṗ = −∂H/∂q.
    Hamiltonian {
        /// q
        coordinates: Layout,
        /// p
        momenta: Layout,
        /// H(q, p)
        hamiltonian: Tensor,
    },
    /// ẏ = B(y)∇H, with B the matrix of brackets {yᵢ, yⱼ}.
    Poisson {
        /// y
        variables: Layout,
        /// B, both triangles
        bracket: Tensor,
        /// H(y)
        hamiltonian: Tensor,
        /// The matrix algebras whose elements the variables are, in order, if the model declares them.
        algebras: Vec<Algebra>,
    },
    /// J ż = ∇H with a constant antisymmetric matrix J.
    Form {
        /// z
        variables: Layout,
        /// J, both triangles
        form: Tensor,
        /// H(z)
        hamiltonian: Tensor,
    },
}

impl Dynamics {
    /// The coordinates q, or the variables of a Poisson or constant-form model.
    pub fn variables(&self) -> &Layout {
        match self {
            Dynamics::Lagrangian { coordinates, .. } | Dynamics::Hamiltonian { coordinates, .. } => coordinates,
            Dynamics::Poisson { variables, .. } | Dynamics::Form { variables, .. } => variables,
        }
    }

    /// The momenta p, if the model has coordinates.
    pub fn momenta(&self) -> Option<&Layout> {
        match self {
            Dynamics::Lagrangian { momenta, .. } | Dynamics::Hamiltonian { momenta, .. } => Some(momenta),
            _ => None,
        }
    }

    /// The velocities q̇ of a Lagrangian model.
    pub fn velocities(&self) -> Option<&Layout> {
        match self {
            Dynamics::Lagrangian { velocities, .. } => Some(velocities),
            _ => None,
        }
    }

    /// The Lagrangian or the Hamiltonian.
    pub fn energy(&self) -> &Tensor {
        match self {
            Dynamics::Lagrangian { lagrangian, .. } => lagrangian,
            Dynamics::Hamiltonian { hamiltonian, .. }
            | Dynamics::Poisson { hamiltonian, .. }
            | Dynamics::Form { hamiltonian, .. } => hamiltonian,
        }
    }

    /// What kind of model this is, in words.
    pub fn kind(&self) -> &'static str {
        match self {
            Dynamics::Lagrangian { .. } => "Lagrangian",
            Dynamics::Hamiltonian { .. } => "Hamiltonian",
            Dynamics::Poisson { .. } => "Poisson",
            Dynamics::Form { .. } => "constant-form",
        }
    }
}

/// What a constraint restricts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConstraintKind {
    /// Positions only: φ(q) = 0.
    Holonomic,
    /// Momenta too, or the variables of a Poisson or constant-form model.
    PhaseSpace,
    /// Velocities, imposed before varying the action.
    Vakonomic,
}

/// A constraint or a family of them: residual = 0.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// Its name, as an array over the members.
    pub array: Array,
    /// Its Lagrange multiplier, `lambda_NAME`.
    pub multiplier: Array,
    /// Left side minus right side, a vector over the members.
    pub residual: Tensor,
    /// What it restricts.
    pub kind: ConstraintKind,
}

/// The parameter τ of the orbit, which is the time of a run: a coordinate with τ′ = 1, beside those of the model. Its
/// momentum is added to the Hamiltonian, so that d/dτ F = {F, H + p_τ} has ∂F/∂τ in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OrbitParameter {
    /// τ
    pub position: Array,
    /// p_τ
    pub momentum: Array,
}

impl OrbitParameter {
    /// What it is called in gauge conditions, unless the model gives the name to something else.
    pub const NAME: &str = "tau";
}

impl Default for OrbitParameter {
    fn default() -> OrbitParameter {
        OrbitParameter {
            position: Array::scalar(OrbitParameter::NAME, Role::Coordinate),
            momentum: Array::scalar(&format!("p_{}", OrbitParameter::NAME), Role::Momentum),
        }
    }
}

/// What a claim says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClaimKind {
    /// In the kernel of the bracket.
    Casimir,
    /// Constant along every solution.
    Invariant,
}

/// A quantity that is claimed to be conserved.
#[derive(Clone, Debug)]
pub struct Claim {
    /// What is claimed.
    pub kind: ClaimKind,
    /// The quantity.
    pub quantity: Quantity,
}

/// A named quantity or family of quantities.
#[derive(Clone, Debug)]
pub struct Quantity {
    /// Its name, as an array over the members.
    pub array: Array,
    /// Its values, a vector over the members.
    pub value: Tensor,
}

/// The initial values of one array of variables.
#[derive(Clone, Debug)]
pub struct Initial {
    /// The coordinate, velocity, momentum, variable or multiplier.
    pub array: Array,
    /// The values, in terms of parameters; members not named are zero.
    pub value: Tensor,
    /// How many members were named.
    pub named: usize,
}

/// The value of a `run` setting.
#[derive(Clone, Debug)]
pub enum RunValue {
    /// A word such as `kahan-li-8`.
    Word(String),
    /// A lapse that has a name.
    Lapse(BuiltInLapse),
    /// An expression in parameters (and coordinates, for a lapse).
    Expression(cotangent_expr::Expr),
}

/// What may be set when a model is read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Values for integer parameters, by name: they decide sizes, so they must be known first.
    pub integers: Vec<(String, i64)>,
}

impl System {
    /// The dimension of the picture, 2 or 3; `None` if the model draws nothing.
    pub fn picture_dimension(&self) -> Option<usize> {
        self.drawings.first().map(Drawing::dimension)
    }

    /// The real parameters as one vector.
    pub fn parameter_layout(&self) -> Layout {
        Layout::new(self.parameters.iter().map(|p| p.array.clone()).collect())
    }

    /// The state: coordinates and momenta, or the variables.
    pub fn state(&self) -> Layout {
        let variables = self.dynamics.variables();
        self.dynamics.momenta().map_or_else(|| variables.clone(), |p| variables.then(p))
    }

    /// The parameter with this name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|p| p.array.name() == name)
    }

    /// The constraint with this name.
    pub fn constraint(&self, name: &str) -> Option<&Constraint> {
        self.constraints.iter().find(|c| c.array.name() == name)
    }

    /// The residuals of all constraints of a kind as one vector.
    pub fn residuals(&self, kinds: &[ConstraintKind]) -> Result<Tensor, cotangent_expr::Error> {
        let chosen: Vec<&Constraint> = self.constraints.iter().filter(|c| kinds.contains(&c.kind)).collect();
        let layout = Layout::new(chosen.iter().map(|c| c.array.clone()).collect());
        let terms = chosen.iter().flat_map(|c| c.residual.terms().iter().cloned()).collect();
        Tensor::new(vec![layout], terms)
    }

    /// The initial values given for an array.
    pub fn initial_of(&self, array: &Array) -> Option<&Initial> {
        self.initial.iter().find(|i| &i.array == array)
    }

    /// A setting of `run`.
    pub fn setting(&self, key: RunKey) -> Option<&RunValue> {
        self.run.iter().find(|(k, _)| *k == key).map(|(_, v)| v)
    }
}
