//! Declarations: parameters, coordinates, variables, `let`s and boundaries.

use super::Elaborator;
use super::index::LARGEST;
use super::scope::{Let, Loops, Meaning, Part, Parts, Purpose};
use crate::algebra::Algebra;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::nearest::nearest;
use crate::syntax::Parsed;
use crate::syntax::ast::{self, PlaceIndex, StatementKind};
use crate::system::Parameter;
use cotangent_expr::{Array, Dim, Domain, Expr, Ix, Layout, Node, Number, Role, Table, Tensor};
use std::collections::HashSet;

/// The arrays of the dynamics, in the order of the text.
#[derive(Default)]
pub(super) struct Declared {
    pub(super) integers: Vec<(String, i64)>,
    pub(super) parameters: Vec<Parameter>,
    pub(super) coordinates: Vec<Array>,
    pub(super) velocities: Vec<Array>,
    pub(super) momenta: Vec<Array>,
    pub(super) variables: Vec<Array>,
    pub(super) algebras: Vec<Algebra>,
    /// A requirement fails: there is no model of these sizes.
    pub(super) refused: bool,
}

impl<'a> Elaborator<'a> {
    pub(super) fn declarations(&mut self) -> Declared {
        let mut declared = Declared::default();
        let parsed: &'a Parsed = self.parsed;
        for statement in &parsed.file.statements {
            match &statement.kind {
                StatementKind::Param(list) => list.iter().for_each(|p| self.parameter(p, &mut declared)),
                StatementKind::Require(list) => {
                    declared.refused |= list.iter().any(|r| self.requirement(r).is_none());
                }
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
                StatementKind::Algebra(list) => list.iter().for_each(|m| self.matrix(m, &mut declared)),
                StatementKind::Let(list) => {
                    for definition in list {
                        self.declare(&definition.head.name, Meaning::Let(self.lets.len()));
                        self.lets.push(Let::new(definition));
                    }
                }
                _ => {}
            }
        }
        self.overrides();
        declared
    }

    /// Refuses sizes that do not satisfy what is required of them.
    fn requirement(&mut self, r: &ast::Requirement) -> Option<()> {
        if self.holds(&r.condition, &Loops::default(), &[])? {
            return Some(());
        }
        let mut given: Vec<String> = vec![];
        for reference in r.condition.references() {
            if let Some(Meaning::Integer(value)) = self.names.get(&reference.name.text) {
                given.push(format!("{} = {value}", reference.name.text));
            }
        }
        given.dedup();
        let reason = r.reason.as_ref().map_or_else(String::new, |reason| format!(": {}", reason.text));
        let message = format!("the model requires {}, and {}{reason}", r.condition, given.join(", "));
        self.error(Diagnostic::new(Code::RequirementFails, r.span, message).help("choose other integers"));
        None
    }

    /// Refuses values for what is not an integer parameter.
    fn overrides(&mut self) {
        let parsed = self.parsed;
        let parameters = parsed.file.statements.iter().flat_map(|s| match &s.kind {
            StatementKind::Param(list) => list.as_slice(),
            _ => &[],
        });
        let integers: HashSet<&str> = parameters
            .filter(|p| p.integer.is_some() && p.head.binders.is_empty())
            .map(|p| p.head.name.text.as_str())
            .collect();
        for (name, _) in &self.options.integers {
            if integers.contains(name.as_str()) || self.skipped.contains(name.as_str()) {
                continue;
            }
            let declared = self.names.get(name).map(|m| (m.describe(), self.names.span(name).unwrap_or_default()));
            let d = match declared {
                Some((what, at)) => {
                    let message =
                        format!("`{name}` cannot be set as a size: it is {what}, not a single integer parameter");
                    Diagnostic::new(Code::NotAnInteger, at, message).caption("declared here")
                }
                None => {
                    let message = format!("there is no integer parameter `{name}` to set");
                    Diagnostic::new(Code::UnknownName, Span::default(), message).caption("in this model")
                }
            };
            let near = nearest(name, (self.names.iter()).filter(|n| integers.contains(n)));
            let mut all: Vec<&str> = integers.iter().copied().collect();
            all.sort_unstable();
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None if all.is_empty() => "the model has no integer parameter".into(),
                None => format!("integer parameters of this model: {}", all.join(", ")),
            };
            self.error(d.help(help));
        }
    }

    pub(super) fn declare(&mut self, name: &ast::Name, meaning: Meaning) -> bool {
        let Some(before) = self.names.declare(&name.text, meaning, name.span) else { return true };
        let d = match self.generated.get(&name.text) {
            Some(q) => {
                let message = format!("`{}` is already the name of the momentum of `{q}`", name.text);
                Diagnostic::new(Code::DuplicateName, name.span, message)
                    .label(before, "this coordinate")
                    .help(format!("choose another name, or name the momentum yourself: `coord {q} momentum OTHER`"))
            }
            None => Diagnostic::new(Code::DuplicateName, name.span, format!("`{}` is declared twice", name.text))
                .label(before, "first declared here")
                .help("rename one of the two: names are case-sensitive"),
        };
        self.error(d);
        false
    }

    /// The dimensions of a declared family; empty for a scalar.
    fn family(&mut self, head: &ast::Head) -> Option<Vec<Dim>> {
        let loops = self.bind(&head.binders, &Loops::default());
        if loops.broken {
            return None;
        }
        let Some(dims) = loops.dims() else {
            self.rectangular_error(head.span);
            return None;
        };
        self.fits(&head.name.text, dims, head.span)
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
        let numbers: Vec<Number> = match default.as_ref().map(Tensor::terms) {
            None => vec![],
            Some([]) => vec![Number::ZERO],
            Some(terms) => terms.iter().filter_map(|t| t.value.as_number()).collect(),
        };
        if let Some((sign, at)) = p.sign {
            // One message, however many of a list have the wrong sign.
            let _ = numbers.into_iter().try_for_each(|number| self.check_sign(&name.text, sign, at, number));
        }
        if self.declare(name, Meaning::Parameter(array.clone())) {
            declared.parameters.push(Parameter { array, default, sign: p.sign.map(|s| s.0) });
        }
    }

    fn default(&mut self, array: &Array, head: &ast::Head, value: &ast::Expr) -> Option<Tensor> {
        let loops = self.bind(&head.binders, &Loops::default());
        let pieces = self.pieces(value, &loops, &head.name.text)?;
        self.vector_of_pieces(array, pieces, Purpose::Constant("the value of a parameter"), value.span)
    }

    fn integer_parameter(&mut self, p: &ast::Parameter, declared: &mut Declared) -> Option<Meaning> {
        let name = &p.head.name.text;
        let given = self.options.integers.iter().find(|(n, _)| n == name).map(|&(_, v)| v);
        if p.head.binders.is_empty() {
            let value = match (given, &p.value) {
                (Some(v), _) if v.unsigned_abs() <= LARGEST.unsigned_abs() => v,
                (Some(v), _) => {
                    let message = format!("`{name}` = {v} is too large: at most {LARGEST} in magnitude");
                    self.error(Diagnostic::new(Code::TooLarge, p.head.span, message).help("set a smaller value"));
                    return None;
                }
                (None, Some(e)) => self.integer(e, &Loops::default())?,
                (None, None) => {
                    let message =
                        format!("the integer parameter `{name}` needs a value: it decides the size of the model");
                    self.error(
                        Diagnostic::new(Code::MissingValue, p.span, message)
                            .help(format!("write `param {name} : int = 10`")),
                    );
                    return None;
                }
            };
            declared.integers.push((name.clone(), value));
            if let Some((sign, at)) = p.sign {
                self.check_sign(name, sign, at, value.into())?;
            }
            return Some(Meaning::Integer(value));
        }
        let Some(value) = &p.value else {
            let message = format!("the integer family `{name}` needs values: they decide the structure of the model");
            self.error(Diagnostic::new(Code::MissingValue, p.span, message).help(format!(
                "write a formula in the index, `param {name}[i in 1..n] : int = i`, or a list, `(1, 2, 3)`"
            )));
            return None;
        };
        let dims = self.family(&p.head)?;
        let loops = self.bind(&p.head.binders, &Loops::default());
        let mut values = vec![];
        for piece in self.pieces(value, &loops, name)? {
            let ix = self.index(piece.value, &piece.loops)?;
            piece.loops.domain().for_each(&mut |point| {
                values.extend(ix.eval(point));
                true
            });
        }
        if let Some((sign, at)) = p.sign {
            for &value in &values {
                self.check_sign(name, sign, at, value.into())?;
            }
        }
        Table::new(name, dims, values).map(Meaning::Table)
    }

    /// Refuses a value that contradicts the sign stated for it.
    fn check_sign(&mut self, name: &str, sign: ast::Sign, at: Span, value: Number) -> Option<()> {
        use ast::Sign::*;
        let (holds, wanted) = match sign {
            Positive => (!value.is_negative() && !value.is_zero(), "> 0"),
            NonNegative => (!value.is_negative(), ">= 0"),
            Negative => (value.is_negative(), "< 0"),
            NonPositive => (value.is_negative() || value.is_zero(), "<= 0"),
            NonZero => (!value.is_zero(), "!= 0"),
        };
        if holds {
            return Some(());
        }
        let message = format!("`{name}` is stated to be {wanted}, and its value is {value}");
        self.error(Diagnostic::new(Code::WrongSign, at, message).help("change the value or the sign"));
        None
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
        let fresh = self.declare(name, meaning);
        let before = self.names.declare(&momentum_name, momentum, momentum_span);
        match before {
            None if c.momentum.is_none() => {
                self.generated.insert(momentum_name, name.text.clone());
            }
            None => {}
            // A coordinate declared twice is one mistake.
            Some(_) if !fresh => {}
            Some(before) => {
                let message =
                    format!("the momentum of `{}` is called `{momentum_name}`, which is already declared", name.text);
                self.error(
                    Diagnostic::new(Code::DuplicateName, momentum_span, message)
                        .label(before, "declared here")
                        .help(format!("name the momentum otherwise: `coord {} momentum OTHER`", name.text)),
                );
            }
        }
    }

    pub(super) fn boundary_statements(&mut self) {
        for statement in &self.parsed.file.statements {
            if let StatementKind::Boundary(list) = &statement.kind {
                for b in list {
                    if self.boundary(b).is_none()
                        && let Some(Meaning::Coordinate { position, velocity }) = self.names.get(&b.place.name.text)
                    {
                        let both = [position.digest(), velocity.digest()];
                        self.broken_boundaries.extend(both);
                    }
                }
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
                let single = matches!(m, Meaning::Coordinate { .. } | Meaning::Variable(_));
                let what = if single { "a single one".into() } else { m.describe().to_string() };
                let message =
                    format!("a boundary extends a family of coordinates or variables; `{}` is {what}", name.text);
                let help = if single {
                    format!("to hold it fixed, use a `constraint`, or make `{}` a parameter", name.text)
                } else {
                    "give the boundary of the coordinate or variable it belongs to".into()
                };
                self.error(Diagnostic::new(Code::WrongPlace, b.place.span, message).help(help));
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
        let (loops, index) = self.place_index(&b.place);
        let counted = self.check_count(name, b.place.indices.len(), array.dims(), b.place.span);
        let value = self.closed(&b.value, &loops, Purpose::Boundary)?;
        counted?;
        let index = index?;
        let count = loops.domain().count(self.limits.members + 1);
        if count > self.limits.members {
            self.too_large(&name.text, b.place.span);
            return None;
        }
        let nodes = self.count_nodes(&value);
        self.spend(nodes.saturating_mul(count), b.span)?;
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
                        .help("to hold a member fixed, use a `constraint`; or leave it out of the family's range"),
                );
                return None;
            }
            // A boundary may be given by one before it.
            let value = value.rewrite(&mut |leaf| self.beyond(leaf));
            if let Some(p) = value.poisoned() {
                self.refused(&p.into(), b.value.span);
                return None;
            }
            if let Some(v) = &velocity {
                let rate = self.rate_of(&value, b.value.span)?;
                self.boundaries.entry(v.digest()).or_default().insert(at.clone(), rate);
            }
            let before = self.boundaries.entry(array.digest()).or_default().insert(at, value);
            if before.is_some() {
                let message = format!("the boundary `{member}` is given twice");
                self.error(Diagnostic::new(Code::DuplicateName, b.place.span, message).help("keep one of the two"));
                return None;
            }
        }
        Some(())
    }

    /// The boundary value an element with a constant index stands for, if it lies outside.
    fn beyond(&self, leaf: &Expr) -> Option<Expr> {
        let Node::At(a, index) = leaf.node() else { return None };
        let at: Option<Vec<i64>> = index.iter().map(Ix::as_constant).collect();
        self.boundaries.get(&a.digest())?.get(&at?).cloned()
    }

    /// d/dt of an expression in coordinates: Σ ∂f/∂q·q̇, also through sums.
    fn rate_of(&mut self, value: &Expr, span: Span) -> Option<Expr> {
        if value.leaves().is_empty() {
            return Some(Expr::zero());
        }
        let coordinates: Vec<(Array, Array)> = (self.names.iter())
            .filter_map(|n| match self.names.get(n) {
                Some(Meaning::Coordinate { position, velocity }) => Some((position.clone(), velocity.clone())),
                _ => None,
            })
            .collect();
        let layout = Layout::new(coordinates.iter().map(|c| c.0.clone()).collect());
        let slopes = match Tensor::scalar(value.clone()).and_then(|t| t.gradient(&layout)) {
            Ok(slopes) => slopes,
            Err(e) => {
                self.refused(&e, span);
                return None;
            }
        };
        let mut parts = vec![];
        for term in slopes.terms() {
            let place = &term.at[0];
            let Some((_, velocity)) = coordinates.iter().find(|c| c.0 == place.array) else { continue };
            let value = &term.value * Expr::at(velocity, place.index.clone());
            let Domain::Ranges(loops) = term.domain.clone() else {
                let message = "a boundary that reaches another boundary inside a sum is not supported";
                self.error(
                    Diagnostic::new(Code::WrongPlace, span, message).help("write the sum over members of the family"),
                );
                return None;
            };
            parts.push(Parts(vec![Part::new(loops, value)]));
        }
        let parts = if parts.is_empty() { Parts::plain(Expr::zero()) } else { Parts::sum(parts) };
        self.close(parts, &Loops::default(), span)
    }

    /// The loops and the index of a left-hand side; a binder runs over all its members. The index
    /// is `None` after a diagnostic; the loops then still know the names that are bound.
    pub(super) fn place_index(&mut self, place: &ast::Place) -> (Loops, Option<Vec<Ix>>) {
        self.place_index_in(place, &Loops::default())
    }

    pub(super) fn place_index_in(&mut self, place: &ast::Place, outer: &Loops) -> (Loops, Option<Vec<Ix>>) {
        let mut loops = outer.clone();
        let mut index = Some(vec![]);
        for i in &place.indices {
            let next = match i {
                PlaceIndex::At(e) => self.index(e, &loops),
                PlaceIndex::Each(b) => {
                    loops = self.bind(std::slice::from_ref(b), &loops);
                    (!loops.broken).then(|| Ix::var(loops.len() as u8 - 1))
                }
            };
            index = index.zip(next).map(|(mut all, next)| {
                all.push(next);
                all
            });
        }
        (loops, index)
    }
}
