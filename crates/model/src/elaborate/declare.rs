//! Declarations: parameters, coordinates, variables, `let`s and boundaries.

use super::Elaborator;
use super::scope::{Let, LetState, Loops, Meaning, Purpose};
use super::terms::MAX_FAMILY;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::syntax::ast::{self, PlaceIndex, StatementKind};
use crate::system::Parameter;
use cotangent_expr::{Array, Dim, Expr, Ix, Node, Role, Table, Tensor};

/// The arrays of the dynamics, in the order of the text.
#[derive(Default)]
pub(super) struct Declared {
    pub(super) integers: Vec<(String, i64)>,
    pub(super) parameters: Vec<Parameter>,
    pub(super) coordinates: Vec<Array>,
    pub(super) velocities: Vec<Array>,
    pub(super) momenta: Vec<Array>,
    pub(super) variables: Vec<Array>,
}

impl Elaborator<'_> {
    pub(super) fn declarations(&mut self) -> Declared {
        let mut declared = Declared::default();
        for statement in &self.parsed.file.statements {
            match &statement.kind {
                StatementKind::Param(list) => list.iter().for_each(|p| self.parameter(p, &mut declared)),
                StatementKind::Coord(list) => list.iter().for_each(|c| self.coordinate(c, &mut declared)),
                StatementKind::Variables(list) => {
                    for head in list {
                        let meaning = match self.family(head) {
                            Some(dims) => {
                                let array = Array::given(&head.name.text, Role::Coordinate, dims);
                                declared.variables.push(array.clone());
                                Meaning::Variable(array)
                            }
                            None => Meaning::Broken,
                        };
                        self.declare(&head.name, meaning);
                    }
                }
                StatementKind::Let(list) => {
                    for definition in list {
                        self.declare(&definition.head.name, Meaning::Let(self.lets.len()));
                        self.lets.push(Let { definition: definition.clone(), state: LetState::Waiting });
                    }
                }
                _ => {}
            }
        }
        for (name, _) in &self.options.integers {
            if !declared.integers.iter().any(|(n, _)| n == name) {
                self.unknown_override(name);
            }
        }
        declared
    }

    fn unknown_override(&mut self, name: &str) {
        let message = format!("there is no integer parameter `{name}` to set");
        self.error(Diagnostic::new(Code::UnknownName, Span::default(), message));
    }

    fn declare(&mut self, name: &ast::Name, meaning: Meaning) -> bool {
        let Some(before) = self.names.declare(&name.text, meaning, name.span) else { return true };
        self.error(
            Diagnostic::new(Code::DuplicateName, name.span, format!("`{}` is declared twice", name.text))
                .label(before, "first declared here")
                .help("rename one of the two"),
        );
        false
    }

    /// The dimensions of a declared family; empty for a scalar.
    fn family(&mut self, head: &ast::Head) -> Option<Vec<Dim>> {
        let loops = self.bind(&head.binders, &Loops::default())?;
        let Some(dims) = loops.dims() else {
            self.rectangular_error(head.span);
            return None;
        };
        if dims.iter().map(|d| d.len as u64).fold(1, u64::saturating_mul) > MAX_FAMILY {
            self.too_large(&head.name.text, head.span);
            return None;
        }
        Some(dims)
    }

    fn parameter(&mut self, p: &ast::Parameter, declared: &mut Declared) {
        let name = &p.head.name;
        if p.integer.is_some() {
            let meaning = self.integer_parameter(p, declared).unwrap_or(Meaning::Broken);
            self.declare(name, meaning);
            return;
        }
        let Some(dims) = self.family(&p.head) else {
            self.declare(name, Meaning::Broken);
            return;
        };
        let array = Array::given(&name.text, Role::Parameter, dims);
        // The default is worked out first: a parameter cannot be its own default.
        let default = match &p.value {
            None => None,
            Some(value) => {
                let default = self.default(&array, &p.head, value);
                if default.is_none() {
                    self.declare(name, Meaning::Broken);
                    return;
                }
                default
            }
        };
        if self.declare(name, Meaning::Parameter(array.clone())) {
            declared.parameters.push(Parameter { array, default, sign: p.sign.map(|s| s.0) });
        }
    }

    fn default(&mut self, array: &Array, head: &ast::Head, value: &ast::Expr) -> Option<Tensor> {
        let loops = self.bind(&head.binders, &Loops::default())?;
        let parts = self.parts(value, &loops, Purpose::Constant("the value of a parameter"))?;
        self.vector(array, parts, &loops, value.span)
    }

    fn integer_parameter(&mut self, p: &ast::Parameter, declared: &mut Declared) -> Option<Meaning> {
        let name = &p.head.name.text;
        let given = self.options.integers.iter().find(|(n, _)| n == name).map(|&(_, v)| v);
        if p.head.binders.is_empty() {
            let value = match (given, &p.value) {
                (Some(v), _) => v,
                (None, Some(e)) => self.integer(e, &Loops::default())?,
                (None, None) => {
                    let message =
                        format!("the integer parameter `{name}` needs a value: it decides the size of the model");
                    self.error(
                        Diagnostic::new(Code::MissingValue, p.span, message)
                            .help(format!("write param {name} : int = 10")),
                    );
                    return None;
                }
            };
            declared.integers.push((name.clone(), value));
            if let Some((sign, at)) = p.sign {
                use crate::syntax::ast::Sign::*;
                let holds = match sign {
                    Positive => value > 0,
                    NonNegative => value >= 0,
                    Negative => value < 0,
                    NonPositive => value <= 0,
                    NonZero => value != 0,
                };
                if !holds {
                    self.error(Diagnostic::new(
                        Code::WrongSign,
                        at,
                        format!("`{name}` is {value}, which has another sign"),
                    ));
                    return None;
                }
            }
            return Some(Meaning::Integer(value));
        }
        let Some(value) = &p.value else {
            self.error(Diagnostic::new(
                Code::MissingValue,
                p.span,
                format!("the integer family `{name}` needs values"),
            ));
            return None;
        };
        let dims = self.family(&p.head)?;
        let loops = self.bind(&p.head.binders, &Loops::default())?;
        let ix = self.index(value, &loops)?;
        let mut values = vec![];
        loops.domain().for_each(&mut |point| {
            values.extend(ix.eval(point));
            true
        });
        Table::new(name, dims, values).map(Meaning::Table)
    }

    fn coordinate(&mut self, c: &ast::Coordinate, declared: &mut Declared) {
        let name = &c.head.name;
        let momentum_name = c.momentum.as_ref().map_or_else(|| format!("p_{}", name.text), |m| m.text.clone());
        let momentum_span = c.momentum.as_ref().map_or(name.span, |m| m.span);
        let (meaning, momentum) = match self.family(&c.head) {
            Some(dims) => {
                let position = Array::given(&name.text, Role::Coordinate, dims.clone());
                let velocity = Array::given(&format!("{}'", name.text), Role::Velocity, dims.clone());
                let momentum = Array::given(&momentum_name, Role::Momentum, dims);
                declared.coordinates.push(position.clone());
                declared.velocities.push(velocity.clone());
                declared.momenta.push(momentum.clone());
                (Meaning::Coordinate { position, velocity }, Meaning::Momentum(momentum))
            }
            None => (Meaning::Broken, Meaning::Broken),
        };
        self.declare(name, meaning);
        if let Some(before) = self.names.declare(&momentum_name, momentum, momentum_span) {
            let message =
                format!("the momentum of `{}` is called `{momentum_name}`, which is already declared", name.text);
            self.error(
                Diagnostic::new(Code::DuplicateName, momentum_span, message)
                    .label(before, "declared here")
                    .help(format!("name the momentum yourself: coord {} momentum OTHER", name.text)),
            );
        }
    }

    pub(super) fn boundary_statements(&mut self) {
        for statement in &self.parsed.file.statements {
            if let StatementKind::Boundary(list) = &statement.kind {
                list.iter().for_each(|b| {
                    self.boundary(b);
                });
            }
        }
    }

    fn boundary(&mut self, b: &ast::Assignment) -> Option<()> {
        let name = &b.place.name;
        let (array, velocity) = match self.names.get(&name.text).cloned() {
            None => {
                self.unknown(name, &Loops::default());
                return None;
            }
            Some(Meaning::Broken) => return None,
            Some(Meaning::Coordinate { position, velocity }) if !position.dims().is_empty() => {
                (position, Some(velocity))
            }
            Some(Meaning::Variable(v)) if !v.dims().is_empty() => (v, None),
            Some(m) => {
                let message = format!(
                    "a boundary extends a family of coordinates or variables; `{}` is {}",
                    name.text,
                    m.describe()
                );
                self.error(Diagnostic::new(Code::WrongPlace, b.place.span, message));
                return None;
            }
        };
        if let Some(prime) = b.place.prime {
            let message = "a boundary is a position";
            self.error(
                Diagnostic::new(Code::MisplacedPrime, prime, message).help("give the position; its velocity follows"),
            );
            return None;
        }
        let (loops, index) = self.place_index(&b.place)?;
        self.check_count(name, index.len(), array.dims(), b.place.span)?;
        let value = self.closed(&b.value, &loops, Purpose::Boundary)?;
        let mut good = Some(());
        let mut entries = vec![];
        loops.domain().for_each(&mut |point| {
            let at: Option<Vec<i64>> = index.iter().map(|i| i.eval(point)).collect();
            let by: Vec<Ix> = point.iter().map(|&k| Ix::constant(k)).collect();
            entries.extend(at.map(|at| (at, value.instantiate(&by))));
            true
        });
        for (at, value) in entries {
            let member = array.element_name(&at);
            if at.iter().zip(array.dims()).all(|(&k, d)| d.contains(k)) {
                let message = format!("`{member}` is inside the family: a boundary lies outside");
                self.error(
                    Diagnostic::new(Code::IndexOutOfRange, b.place.span, message)
                        .help("to fix a coordinate, use a `constraint`"),
                );
                return None;
            }
            if let Some(v) = &velocity {
                let rate = self.rate_of(&value, b.value.span)?;
                self.boundaries.entry(v.digest()).or_default().insert(at.clone(), rate);
            }
            let before = self.boundaries.entry(array.digest()).or_default().insert(at, value);
            if before.is_some() {
                self.error(Diagnostic::new(
                    Code::DuplicateName,
                    b.place.span,
                    format!("the boundary `{member}` is given twice"),
                ));
                good = None;
            }
        }
        good
    }

    /// d/dt of an expression in coordinates: Σ ∂f/∂q·q̇.
    fn rate_of(&mut self, value: &Expr, span: Span) -> Option<Expr> {
        let mut rate = vec![];
        for leaf in value.leaves() {
            let Node::At(a, index) = leaf.node() else { continue };
            if a.role() != Role::Coordinate {
                continue;
            }
            let Some(Meaning::Coordinate { velocity, .. }) = self.names.get(a.name()).cloned() else {
                self.error(Diagnostic::new(Code::WrongPlace, span, "a boundary is made of parameters and coordinates"));
                return None;
            };
            let slope = value.derivative(&leaf).unwrap_or_else(|_| Expr::zero());
            rate.push(slope * Expr::at(&velocity, index.clone()));
        }
        Some(Expr::sum(rate))
    }

    /// The loops and the index of a left-hand side; a binder runs over all its members.
    pub(super) fn place_index(&mut self, place: &ast::Place) -> Option<(Loops, Vec<Ix>)> {
        self.place_index_in(place, &Loops::default())
    }

    pub(super) fn place_index_in(&mut self, place: &ast::Place, outer: &Loops) -> Option<(Loops, Vec<Ix>)> {
        let mut loops = outer.clone();
        let mut index = vec![];
        for i in &place.indices {
            match i {
                PlaceIndex::At(e) => index.push(self.index(e, &loops)?),
                PlaceIndex::Each(b) => {
                    loops = self.bind(std::slice::from_ref(b), &loops)?;
                    index.push(Ix::var(loops.len() as u8 - 1));
                }
            }
        }
        Some((loops, index))
    }
}
