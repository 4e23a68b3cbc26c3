//! Building a [`System`] in Rust, with operators on expressions.

mod draw;

use crate::drawing::Drawing;
use crate::system::{
    Claim, ClaimKind, Constraint, ConstraintKind, DrawingKind, Dynamics, Initial, Parameter, Quantity, System,
};
use cotangent_expr::{Array, Domain, Error, Expr, Ix, Layout, Node, Place, Role, Tensor, Term};
use std::collections::HashSet;
use std::ops::RangeInclusive;

/// A coordinate of a [`SystemBuilder`]: position, velocity and momentum, each a scalar or a family.
#[derive(Clone, Debug)]
pub struct Coordinate {
    position: Array,
    velocity: Array,
    momentum: Array,
}

impl Coordinate {
    /// The position q of a scalar coordinate.
    pub fn q(&self) -> Expr {
        Expr::from(&self.position)
    }

    /// The velocity q̇ of a scalar coordinate.
    pub fn v(&self) -> Expr {
        Expr::from(&self.velocity)
    }

    /// The momentum p of a scalar coordinate.
    pub fn p(&self) -> Expr {
        Expr::from(&self.momentum)
    }

    /// The position of a member.
    pub fn q_at(&self, i: impl Into<Ix>) -> Expr {
        Expr::at(&self.position, vec![i.into()])
    }

    /// The velocity of a member.
    pub fn v_at(&self, i: impl Into<Ix>) -> Expr {
        Expr::at(&self.velocity, vec![i.into()])
    }

    /// The momentum of a member.
    pub fn p_at(&self, i: impl Into<Ix>) -> Expr {
        Expr::at(&self.momentum, vec![i.into()])
    }
}

/// A sum of expressions, some of them over ranges: an energy, or the members of a family.
///
/// ```
/// # use cotangent_model::{SystemBuilder, Sum};
/// # let mut b = SystemBuilder::new("chain");
/// let x = b.coordinate_family("x", 1..=10);
/// let kinetic = Sum::over("i", 1..=10, |i| x.p_at(i).powi(2) / 2);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Sum(Vec<Summand>);

/// An expression, alone or for every index of a range (name, first, last).
#[derive(Clone, Debug)]
struct Summand {
    range: Option<(String, i64, i64)>,
    value: Expr,
}

impl Sum {
    /// `value(i)` for every i of a range. The value is one expression in the index i, whatever the
    /// length of the range.
    pub fn over(name: &str, range: RangeInclusive<i64>, value: impl FnOnce(Ix) -> Expr) -> Sum {
        Sum(vec![Summand { range: Some((name.into(), *range.start(), *range.end())), value: value(Ix::var(0)) }])
    }

    /// The value of a single member, for families.
    pub fn member(index: i64, value: impl Into<Expr>) -> Sum {
        Sum(vec![Summand { range: Some(("i".into(), index, index)), value: value.into() }])
    }
}

impl<E: Into<Expr>> From<E> for Sum {
    fn from(e: E) -> Sum {
        Sum(vec![Summand { range: None, value: e.into() }])
    }
}

impl<S: Into<Sum>> std::ops::Add<S> for Sum {
    type Output = Sum;
    fn add(mut self, other: S) -> Sum {
        self.0.extend(other.into().0);
        self
    }
}

/// Why a system could not be built.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum BuildError {
    /// Two things with one name.
    #[error("the name `{0}` is used twice")]
    DuplicateName(String),
    /// A name that the model language could not write.
    #[error("`{0}` is not a name: use ASCII letters, digits and `_`, beginning with a letter")]
    NotAName(String),
    /// Something that does not belong where it stands.
    #[error("{place} contains `{name}`, which does not belong there")]
    WrongPlace {
        /// Where.
        place: String,
        /// What.
        name: String,
    },
    /// A range without an index to write to, or the other way round.
    #[error("{0} is a family: give its members with Sum::over or Sum::member")]
    NotAFamily(String),
    /// A rod with fewer than two points, or something else with more or less than one.
    #[error("the {kind} `{name}` has the wrong number of points: a rod has two or more, anything else has one")]
    PointCount {
        /// What is drawn.
        kind: DrawingKind,
        /// Its name.
        name: String,
    },
    /// Points with too few or too many components, or with others than the drawings before.
    #[error("`{0}`: every point of a picture has 2 components, or every one 3; a vehicle has x, y and its heading")]
    ComponentCount(String),
    /// An expression that could not be formed.
    #[error("{place}: {error}")]
    Expression {
        /// Where.
        place: String,
        /// Why.
        error: Error,
    },
}

/// {a, b} = value, for every point of a domain.
struct BracketEntry {
    domain: Domain,
    pair: [Expr; 2],
    value: Expr,
}

/// What a quantity or a drawing may be made of.
const QUANTITY: [Role; 4] = [Role::Parameter, Role::Coordinate, Role::Velocity, Role::Momentum];

/// Entries of single pairs.
fn listed<'a>(entries: &'a [(&Expr, &Expr, Expr)]) -> impl Iterator<Item = BracketEntry> + use<'a> {
    entries.iter().map(|(a, b, value)| BracketEntry {
        domain: Domain::point(),
        pair: [(*a).clone(), (*b).clone()],
        value: value.clone(),
    })
}

/// Whether the language could write this name.
fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !crate::syntax::reserved_name(name)
}

/// Builds a [`System`] step by step; mistakes are reported when it is finished.
///
/// ```
/// use cotangent_model::SystemBuilder;
/// let mut b = SystemBuilder::new("pendulum");
/// let g = b.parameter("g", 1);
/// let (x, y) = (b.coordinate("x"), b.coordinate("y"));
/// b.constraint("rod", (x.q().powi(2) + y.q().powi(2) - 1) / 2);
/// b.initial(&x.q(), 1);
/// b.initial(&y.p(), -2);
/// let system = b.hamiltonian((x.p().powi(2) + y.p().powi(2)) / 2 + g * y.q())?;
/// assert_eq!(system.dynamics.energy().to_string(), "g*y + p_x^2/2 + p_y^2/2");
/// # Ok::<(), cotangent_model::BuildError>(())
/// ```
pub struct SystemBuilder {
    name: String,
    title: Option<String>,
    parameters: Vec<Parameter>,
    coordinates: Vec<Coordinate>,
    variables: Vec<Array>,
    constraints: Vec<Constraint>,
    claims: Vec<Claim>,
    observables: Vec<Quantity>,
    splits: Vec<Quantity>,
    drawings: Vec<Drawing>,
    initial: Vec<(Array, Vec<Term>)>,
    bracket: Vec<BracketEntry>,
    names: HashSet<String>,
    labels: HashSet<String>,
    error: Option<BuildError>,
}

impl SystemBuilder {
    /// A system without variables yet.
    pub fn new(name: &str) -> SystemBuilder {
        SystemBuilder {
            name: name.into(),
            title: None,
            parameters: vec![],
            coordinates: vec![],
            variables: vec![],
            constraints: vec![],
            claims: vec![],
            observables: vec![],
            splits: vec![],
            drawings: vec![],
            initial: vec![],
            bracket: vec![],
            names: HashSet::new(),
            labels: HashSet::new(),
            error: None,
        }
    }

    /// A one-line description.
    pub fn title(&mut self, title: &str) {
        self.title = Some(title.into());
    }

    fn fail(&mut self, error: BuildError) {
        self.error.get_or_insert(error);
    }

    fn take(&mut self, name: &str) {
        if !is_name(name) {
            self.fail(BuildError::NotAName(name.into()));
        } else if !self.names.insert(name.into()) {
            self.fail(BuildError::DuplicateName(name.into()));
        }
    }

    /// Takes the name of a constraint, claim, observable, split or drawing.
    fn label(&mut self, name: &str) {
        if !is_name(name) {
            self.fail(BuildError::NotAName(name.into()));
        } else if !self.labels.insert(name.into()) {
            self.fail(BuildError::DuplicateName(name.into()));
        }
    }

    /// A scalar parameter with its default value, which may depend on parameters before it.
    pub fn parameter(&mut self, name: &str, value: impl Into<Expr>) -> Expr {
        self.take(name);
        let array = Array::scalar(name, Role::Parameter);
        let default = self.vector(&array, value.into().into(), name, &[Role::Parameter]);
        self.parameters.push(Parameter { array: array.clone(), default, sign: None });
        Expr::from(&array)
    }

    /// A family of parameters; `values` gives its members.
    pub fn parameter_family(&mut self, name: &str, range: RangeInclusive<i64>, values: Sum) -> Array {
        self.take(name);
        let array = Array::family(name, Role::Parameter, *range.start(), *range.end());
        let default = self.vector(&array, values, name, &[Role::Parameter]);
        self.parameters.push(Parameter { array: array.clone(), default, sign: None });
        array
    }

    /// A scalar coordinate; its momentum is `p_NAME`.
    pub fn coordinate(&mut self, name: &str) -> Coordinate {
        self.add_coordinate(name, Array::scalar)
    }

    /// A family of coordinates.
    pub fn coordinate_family(&mut self, name: &str, range: RangeInclusive<i64>) -> Coordinate {
        self.add_coordinate(name, |n, role| Array::family(n, role, *range.start(), *range.end()))
    }

    fn add_coordinate(&mut self, name: &str, array: impl Fn(&str, Role) -> Array) -> Coordinate {
        self.take(name);
        self.take(&format!("p_{name}"));
        let c = Coordinate {
            position: array(name, Role::Coordinate),
            velocity: array(&format!("{name}'"), Role::Velocity),
            momentum: array(&format!("p_{name}"), Role::Momentum),
        };
        self.coordinates.push(c.clone());
        c
    }

    /// A variable of a Poisson or constant-form system.
    pub fn variable(&mut self, name: &str) -> Expr {
        self.take(name);
        let array = Array::scalar(name, Role::Coordinate);
        self.variables.push(array.clone());
        Expr::from(&array)
    }

    /// A family of variables of a Poisson or constant-form system.
    pub fn variable_family(&mut self, name: &str, range: RangeInclusive<i64>) -> Array {
        self.take(name);
        let array = Array::family(name, Role::Coordinate, *range.start(), *range.end());
        self.variables.push(array.clone());
        array
    }

    /// A constraint: residual = 0, in positions (holonomic), momenta or variables.
    pub fn constraint(&mut self, name: &str, residual: impl Into<Expr>) {
        let array = Array::scalar(name, Role::Auxiliary);
        self.add_constraint(array, residual.into().into(), None);
    }

    /// A family of constraints; `residuals` gives its members.
    pub fn constraint_family(&mut self, name: &str, range: RangeInclusive<i64>, residuals: Sum) {
        let array = Array::family(name, Role::Auxiliary, *range.start(), *range.end());
        self.add_constraint(array, residuals, None);
    }

    /// A velocity constraint imposed before varying the action.
    pub fn vakonomic(&mut self, name: &str, residual: impl Into<Expr>) {
        let array = Array::scalar(name, Role::Auxiliary);
        self.add_constraint(array, residual.into().into(), Some(ConstraintKind::Vakonomic));
    }

    fn add_constraint(&mut self, array: Array, residual: Sum, kind: Option<ConstraintKind>) {
        let name = array.name().to_string();
        self.label(&name);
        self.take(&format!("lambda_{name}"));
        let uses = |role: Role| residual.0.iter().any(|s| s.value.uses(role));
        let kind = kind.unwrap_or(match () {
            _ if uses(Role::Momentum) || !self.variables.is_empty() => ConstraintKind::PhaseSpace,
            _ => ConstraintKind::Holonomic,
        });
        let allowed: &[Role] = match kind {
            ConstraintKind::Vakonomic => &[Role::Parameter, Role::Coordinate, Role::Velocity],
            ConstraintKind::PhaseSpace => &[Role::Parameter, Role::Coordinate, Role::Momentum],
            ConstraintKind::Holonomic => &[Role::Parameter, Role::Coordinate],
        };
        let multiplier = array.like(&format!("lambda_{name}"), Role::Multiplier);
        if let Some(residual) = self.vector(&array, residual, &name, allowed) {
            self.constraints.push(Constraint { array, multiplier, residual, kind });
        }
    }

    /// A quantity claimed to be conserved.
    pub fn invariant(&mut self, name: &str, value: impl Into<Sum>) {
        if let Some(quantity) = self.quantity(name, value.into()) {
            self.claims.push(Claim { kind: ClaimKind::Invariant, quantity });
        }
    }

    /// A quantity claimed to be a Casimir of the bracket.
    pub fn casimir(&mut self, name: &str, value: impl Into<Sum>) {
        if let Some(quantity) = self.quantity(name, value.into()) {
            self.claims.push(Claim { kind: ClaimKind::Casimir, quantity });
        }
    }

    /// Something else to record.
    pub fn observe(&mut self, name: &str, value: impl Into<Sum>) {
        let quantity = self.quantity(name, value.into());
        self.observables.extend(quantity);
    }

    /// A part of the energy for splitting methods.
    pub fn split(&mut self, name: &str, value: impl Into<Sum>) {
        let quantity = self.quantity(name, value.into());
        self.splits.extend(quantity);
    }

    fn quantity(&mut self, name: &str, value: Sum) -> Option<Quantity> {
        self.label(name);
        let array = Array::scalar(name, Role::Auxiliary);
        let value = self.total(&array, &value)?;
        Some(Quantity { array, value })
    }

    /// The value of a scalar quantity: whatever a sum lists, added up.
    fn total(&mut self, array: &Array, value: &Sum) -> Option<Tensor> {
        let name = array.name();
        let terms = self.terms(value, None, name, &QUANTITY)?;
        let place = Place { array: array.clone(), index: vec![] };
        let terms = terms.into_iter().map(|t| Term { at: vec![place.clone()], ..t }).collect();
        self.checked(vec![Layout::new(vec![array.clone()])], terms, name)
    }

    /// The initial value of a scalar position, velocity, momentum or variable, or of one member.
    pub fn initial(&mut self, what: &Expr, value: impl Into<Expr>) {
        let value = value.into();
        let Node::At(array, index) = what.node() else {
            return self.fail(BuildError::WrongPlace { place: "an initial value".into(), name: what.to_string() });
        };
        let place = Place { array: array.clone(), index: index.clone() };
        self.push_initial(array.clone(), vec![Term::plain(vec![place], value)]);
    }

    /// The initial values of a family's members.
    pub fn initial_family(&mut self, what: &Expr, range: RangeInclusive<i64>, value: impl FnOnce(Ix) -> Expr) {
        let Node::At(array, _) = what.node() else {
            return self.fail(BuildError::WrongPlace { place: "an initial value".into(), name: what.to_string() });
        };
        let array = array.clone();
        let place = Place { array: array.clone(), index: vec![Ix::var(0)] };
        let domain = Domain::range("i", *range.start(), *range.end());
        self.push_initial(array, vec![Term { domain, at: vec![place], value: value(Ix::var(0)) }]);
    }

    fn push_initial(&mut self, array: Array, terms: Vec<Term>) {
        match self.initial.iter_mut().find(|(a, _)| *a == array) {
            Some((_, own)) => own.extend(terms),
            None => self.initial.push((array, terms)),
        }
    }

    /// Finishes a Hamiltonian system.
    pub fn hamiltonian(self, energy: impl Into<Sum>) -> Result<System, BuildError> {
        let roles = [Role::Parameter, Role::Coordinate, Role::Momentum];
        self.finish(energy.into(), "the Hamiltonian", &roles, |b, hamiltonian| Dynamics::Hamiltonian {
            coordinates: b.layout(|c| &c.position),
            momenta: b.layout(|c| &c.momentum),
            hamiltonian,
        })
    }

    /// Finishes a Lagrangian system.
    pub fn lagrangian(self, lagrangian: impl Into<Sum>) -> Result<System, BuildError> {
        let roles = [Role::Parameter, Role::Coordinate, Role::Velocity];
        self.finish(lagrangian.into(), "the Lagrangian", &roles, |b, lagrangian| Dynamics::Lagrangian {
            coordinates: b.layout(|c| &c.position),
            velocities: b.layout(|c| &c.velocity),
            momenta: b.layout(|c| &c.momentum),
            lagrangian,
        })
    }

    /// Brackets {a, b} = value of a Poisson system for every i of a range; `entry(i)` gives (a, b, value), each pair once.
    ///
    /// ```
    /// # use cotangent_model::{SystemBuilder, Sum};
    /// # use cotangent_expr::Expr;
    /// let mut b = SystemBuilder::new("volterra");
    /// let y = b.variable_family("y", 1..=9);
    /// let at = |i| Expr::at(&y, vec![i]);
    /// b.bracket_family(1..=8, |i| (at(i.clone()), at(i.shifted(1)), at(i.clone()) * at(i.shifted(1))));
    /// let system = b.poisson(&[], Sum::over("i", 1..=9, at))?;
    /// assert_eq!(system.state().len(), 9);
    /// # Ok::<(), cotangent_model::BuildError>(())
    /// ```
    pub fn bracket_family(&mut self, range: RangeInclusive<i64>, entry: impl FnOnce(Ix) -> (Expr, Expr, Expr)) {
        let (a, b, value) = entry(Ix::var(0));
        let domain = Domain::range("i", *range.start(), *range.end());
        self.bracket.push(BracketEntry { domain, pair: [a, b], value });
    }

    /// Finishes a Poisson system ẏ = B∇H; `bracket` lists {a, b} = value, each pair once, besides those that
    /// [`bracket_family`](SystemBuilder::bracket_family) gave.
    pub fn poisson(
        mut self,
        bracket: &[(&Expr, &Expr, Expr)],
        hamiltonian: impl Into<Sum>,
    ) -> Result<System, BuildError> {
        let mut entries = std::mem::take(&mut self.bracket);
        entries.extend(listed(bracket));
        let matrix = self.antisymmetric(entries, "the bracket", &[Role::Parameter, Role::Coordinate]);
        let roles = [Role::Parameter, Role::Coordinate];
        self.finish(hamiltonian.into(), "the Hamiltonian", &roles, |b, hamiltonian| Dynamics::Poisson {
            variables: Layout::new(b.variables.clone()),
            bracket: matrix.unwrap_or_else(|| Tensor::zero(vec![])),
            hamiltonian,
            algebras: vec![],
        })
    }

    /// Finishes a system J ż = ∇H with constant J; `form` lists the entries (a, b), each pair once.
    pub fn form(mut self, form: &[(&Expr, &Expr, Expr)], hamiltonian: impl Into<Sum>) -> Result<System, BuildError> {
        let matrix = self.antisymmetric(listed(form).collect(), "the form", &[Role::Parameter]);
        let roles = [Role::Parameter, Role::Coordinate];
        self.finish(hamiltonian.into(), "the Hamiltonian", &roles, |b, hamiltonian| Dynamics::Form {
            variables: Layout::new(b.variables.clone()),
            form: matrix.unwrap_or_else(|| Tensor::zero(vec![])),
            hamiltonian,
        })
    }

    fn antisymmetric(&mut self, entries: Vec<BracketEntry>, place: &str, roles: &[Role]) -> Option<Tensor> {
        let variables = Layout::new(self.variables.clone());
        let mut terms = vec![];
        for BracketEntry { domain, pair: [a, b], value } in entries {
            self.check_roles(&value, place, roles);
            let (Node::At(x, i), Node::At(y, j)) = (a.node(), b.node()) else {
                self.fail(BuildError::WrongPlace { place: place.into(), name: format!("{{{a}, {b}}}") });
                return None;
            };
            let (first, second) =
                (Place { array: x.clone(), index: i.clone() }, Place { array: y.clone(), index: j.clone() });
            let at = vec![second.clone(), first.clone()];
            terms.push(Term { domain: domain.clone(), at: vec![first, second], value: value.clone() });
            terms.push(Term { domain, at, value: -value });
        }
        self.checked(vec![variables.clone(), variables], terms, place)
    }

    fn layout(&self, part: impl Fn(&Coordinate) -> &Array) -> Layout {
        Layout::new(self.coordinates.iter().map(|c| part(c).clone()).collect())
    }

    fn finish(
        mut self,
        energy: Sum,
        place: &str,
        roles: &[Role],
        make: impl FnOnce(&Self, Tensor) -> Dynamics,
    ) -> Result<System, BuildError> {
        let energy = self.terms(&energy, None, place, roles).and_then(|t| self.checked(vec![], t, place));
        let mut initial = vec![];
        for (array, terms) in std::mem::take(&mut self.initial) {
            let name = array.name().to_string();
            terms.iter().for_each(|t| self.check_roles(&t.value, "an initial value", &[Role::Parameter]));
            if let Some(value) = self.checked(vec![Layout::new(vec![array.clone()])], terms, &name) {
                let points = value.terms().iter().map(|t| t.domain.count(u64::MAX)).sum::<u64>();
                initial.push(Initial { named: (points as usize).min(array.len()), array, value });
            }
        }
        let dynamics = energy.map(|e| make(&self, e));
        if let Some(error) = self.error {
            return Err(error);
        }
        let Some(dynamics) = dynamics else { return Err(BuildError::NotAName(self.name)) };
        Ok(System {
            orbit_parameter: None,
            name: self.name,
            title: self.title,
            integers: vec![],
            parameters: self.parameters,
            dynamics,
            constraints: self.constraints,
            gauges: vec![],
            claims: self.claims,
            observables: self.observables,
            splits: self.splits,
            drawings: self.drawings,
            initial,
            run: vec![],
            warnings: vec![],
        })
    }

    /// A vector over `array` from the members a sum lists.
    fn vector(&mut self, array: &Array, values: Sum, place: &str, roles: &[Role]) -> Option<Tensor> {
        let terms = self.terms(&values, Some(array), place, roles)?;
        self.checked(vec![Layout::new(vec![array.clone()])], terms, place)
    }

    fn terms(&mut self, sum: &Sum, over: Option<&Array>, place: &str, roles: &[Role]) -> Option<Vec<Term>> {
        let mut terms = vec![];
        for Summand { range, value } in &sum.0 {
            self.check_roles(value, place, roles);
            let domain =
                range.as_ref().map_or_else(Domain::point, |(name, low, high)| Domain::range(name, *low, *high));
            let at = match over {
                None => vec![],
                Some(a) if a.dims().is_empty() == range.is_none() => {
                    let index = if range.is_some() { vec![Ix::var(0)] } else { vec![] };
                    vec![Place { array: a.clone(), index }]
                }
                Some(a) => {
                    self.fail(BuildError::NotAFamily(a.name().into()));
                    return None;
                }
            };
            terms.push(Term { domain, at, value: value.clone() });
        }
        Some(terms)
    }

    fn check_roles(&mut self, value: &Expr, place: &str, roles: &[Role]) {
        for leaf in value.leaves() {
            if let Node::At(a, _) = leaf.node()
                && a.role() != Role::Auxiliary
                && !roles.contains(&a.role())
            {
                self.fail(BuildError::WrongPlace { place: place.into(), name: leaf.to_string() });
            }
        }
    }

    fn checked(&mut self, shape: Vec<Layout>, terms: Vec<Term>, place: &str) -> Option<Tensor> {
        match Tensor::new(shape, terms) {
            Ok(t) => Some(t),
            Err(error) => {
                self.fail(BuildError::Expression { place: place.into(), error });
                None
            }
        }
    }
}
