//! Names in expressions: what they stand for here, their indices, and whether they belong here.

use super::Elaborator;
use super::Energy;
use super::expression::plural;
use super::scope::{Loops, Meaning, Parts, Purpose};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::syntax::Keyword;
use crate::syntax::ast::{self, Reference};
use crate::system::OrbitParameter;
use cotangent_expr::{Array, Dim, Expr, Ix, Role};

impl Elaborator<'_> {
    /// The indices of a reference, checked against the dimensions over the whole domain.
    pub(super) fn indices(&mut self, r: &Reference, dims: &[Dim], span: Span, loops: &Loops) -> Option<Vec<Ix>> {
        self.check_count(&r.name, r.indices.len(), dims, span)?;
        let found: Vec<Option<Ix>> = r.indices.iter().map(|i| self.index(i, loops)).collect();
        let index: Option<Vec<Ix>> = found.into_iter().collect();
        let index = index?;
        self.check_range(&r.name.text, &index, dims, span, loops, None)?;
        Some(index)
    }

    pub(super) fn check_count(&mut self, name: &ast::Name, found: usize, dims: &[Dim], span: Span) -> Option<()> {
        if found == dims.len() {
            return Some(());
        }
        let n = &name.text;
        let diagnostic = match (found, dims.len()) {
            (0, k) => {
                let letters: Vec<String> =
                    (0..k).map(|v| ["i", "j", "k"].get(v).map_or(format!("i{v}"), |l| l.to_string())).collect();
                let ranges: Vec<String> =
                    letters.iter().zip(dims).map(|(l, d)| format!("{l} in {}..{}", d.first, d.last())).collect();
                let (letters, ranges) = (letters.join(", "), ranges.join(", "));
                let message = format!("`{n}` is a family: it needs {k} {}", plural(k, "index", "indices"));
                Diagnostic::new(Code::IndexCount, span, message)
                    .help(format!("write `{n}[{letters}]` for one member, `sum({ranges}, {n}[{letters}])` for all"))
            }
            (_, 0) => Diagnostic::new(Code::IndexCount, span, format!("`{n}` is not a family: it takes no index"))
                .help(format!("write `{n}`, or declare it as a family: `{n}[i in 1..n]`")),
            (f, k) => {
                let ranges: Vec<String> = dims.iter().map(|d| format!("{}..{}", d.first, d.last())).collect();
                let message = format!("`{n}` takes {k} {}, not {f}", plural(k, "index", "indices"));
                Diagnostic::new(Code::IndexCount, span, message).help(format!(
                    "its {} in {}",
                    plural(k, "index lies", "indices lie"),
                    ranges.join(" and ")
                ))
            }
        };
        let declared = self.names.span(n);
        self.error(match declared {
            Some(at) => diagnostic.label(at, "declared here"),
            None => diagnostic,
        });
        None
    }

    /// Checks that an index stays inside (or on a boundary) for every point of the loops.
    pub(super) fn check_range(
        &mut self,
        name: &str,
        index: &[Ix],
        dims: &[Dim],
        span: Span,
        loops: &Loops,
        boundary: Option<&Array>,
    ) -> Option<()> {
        let domain = loops.domain();
        if loops.broken {
            return Some(());
        }
        let Some(hull) = domain.hull() else { return Some(()) };
        let inside = |(i, d): (&Ix, &Dim)| i.bounds(&hull).is_some_and(|(a, b)| d.contains(a) && d.contains(b));
        if index.iter().zip(dims).all(inside) {
            return Some(());
        }
        if domain.count(self.limits.points + 1) > self.limits.points {
            let message = format!(
                "the index of `{name}` may leave its family, and takes more than {} values to check",
                self.limits.points
            );
            self.error(Diagnostic::new(Code::TooLarge, span, message).help("reduce the ranges"));
            return None;
        }
        let mut bad: Option<(Vec<i64>, Vec<Option<i64>>)> = None;
        domain.for_each(&mut |vars| {
            // Nearly all of perhaps millions of points.
            if index.iter().zip(dims).all(|(i, d)| i.eval(vars).is_some_and(|k| d.contains(k))) {
                return true;
            }
            let at: Vec<Option<i64>> = index.iter().map(|i| i.eval(vars)).collect();
            let all: Option<Vec<i64>> = at.iter().copied().collect();
            let good = all.is_some_and(|at| {
                at.iter().zip(dims).all(|(&k, d)| d.contains(k))
                    || boundary.is_some_and(|a| self.boundaries.get(&a.digest()).is_some_and(|b| b.contains_key(&at)))
            });
            if !good {
                bad = Some((vars.to_vec(), at));
            }
            bad.is_none()
        });
        let Some((vars, at)) = bad else { return Some(()) };
        // A boundary that is wrong or did not parse may have extended the family.
        if boundary.is_some_and(|a| self.broken_boundaries.contains(&a.digest()))
            || self.parsed.lacks(Keyword::Boundary) && self.skipped.contains(name)
        {
            return None;
        }
        let shown: Vec<String> = at.iter().map(|k| k.map_or("?".into(), |k| k.to_string())).collect();
        let empty = dims.iter().any(|d| d.len == 0);
        let ranges: Vec<String> = dims.iter().map(|d| format!("{}..{}", d.first, d.last())).collect();
        let ranges = ranges.join(" × ");
        let place: Vec<String> = loops.ranges.iter().zip(&vars).map(|(r, v)| format!("{} = {v}", r.name)).collect();
        let for_point = if place.is_empty() { String::new() } else { format!(" (reached at {})", place.join(", ")) };
        let member = format!("{name}[{}]", shown.join(", "));
        let message = if empty {
            format!("`{member}` does not exist: `{name}` has no members, its range is {ranges}{for_point}")
        } else {
            format!("`{member}` is outside the range of `{name}`, {ranges}{for_point}")
        };
        let mut d = Diagnostic::new(Code::IndexOutOfRange, span, message);
        if let Some(declared) = self.names.span(name) {
            d = d.label(declared, "declared here");
        }
        let change =
            if place.is_empty() { format!("use an index in {ranges}") } else { "change the range of the index".into() };
        let help = match boundary {
            Some(a) if a.role() != Role::Momentum => {
                format!("{change}, or say what it is out there: `boundary {member} = …`").replace('\'', "")
            }
            _ => change,
        };
        self.error(d.help(help));
        None
    }

    /// Refuses a prime on what has no velocity.
    pub(super) fn no_prime(&mut self, r: &Reference, what: &str, help: &str) -> Option<()> {
        let Some(prime) = r.prime else { return Some(()) };
        let message = format!("`{}` is {what}: it has no velocity", r.name.text);
        self.error(Diagnostic::new(Code::MisplacedPrime, prime, message).help(help));
        None
    }

    pub(super) fn reference(&mut self, r: &Reference, span: Span, loops: &Loops, purpose: Purpose) -> Option<Parts> {
        let name = &r.name.text;
        if let Some(v) = loops.position(name) {
            self.no_prime(r, "an index", "only coordinates, and `let`s made of them, have velocities")?;
            if !r.indices.is_empty() {
                let message = format!("`{name}` is an index, a single integer: it has no members");
                self.error(Diagnostic::new(Code::IndexCount, span, message).help(format!("write `{name}`")));
                return None;
            }
            return Some(Parts::plain(Expr::index(Ix::var(v))));
        }
        let Some(meaning) = self.names.get(name).cloned() else {
            if name == OrbitParameter::NAME && purpose == Purpose::Gauge {
                return self.orbit_parameter(r, span);
            }
            // Still look at the indices: their mistakes are the user's too.
            r.indices.iter().for_each(|i| drop(self.index(i, loops)));
            self.unknown(&r.name, loops);
            return None;
        };
        self.used.insert(name.clone());
        if !matches!(meaning, Meaning::Coordinate { .. } | Meaning::Let(_) | Meaning::Broken) {
            let help = match meaning {
                Meaning::Variable(_) | Meaning::Matrix(_) => {
                    "in a Poisson or constant-form model the bracket or form gives the motion"
                }
                Meaning::Momentum(_) => "a momentum's rate of change follows from the energy",
                _ => "only coordinates, and `let`s made of them, have velocities; a parameter is constant",
            };
            self.no_prime(r, meaning.describe(), help)?;
        }
        match meaning {
            Meaning::Broken => None,
            Meaning::Integer(n) => {
                self.check_count(&r.name, r.indices.len(), &[], span)?;
                Some(Parts::plain(Expr::number(n)))
            }
            Meaning::Table(table) => {
                let index = self.indices(r, table.dims(), span, loops)?;
                Some(Parts::plain(Expr::index(Ix::table(table, index))))
            }
            Meaning::Parameter(array) => {
                let index = self.indices(r, array.dims(), span, loops)?;
                Some(Parts::plain(Expr::at(&array, index)))
            }
            Meaning::Coordinate { position, velocity } => {
                let array = if r.prime.is_some() { velocity } else { position };
                self.element(r, &array, span, loops, purpose)
            }
            Meaning::Momentum(array) | Meaning::Variable(array) => self.element(r, &array, span, loops, purpose),
            Meaning::Matrix(matrix) => self.matrix_entry(r, &matrix, span, loops, purpose),
            Meaning::Let(k) => self.let_value(k, r, span, loops, purpose),
        }
    }

    /// The parameter of the orbit in a gauge condition.
    fn orbit_parameter(&mut self, r: &Reference, span: Span) -> Option<Parts> {
        if let Some(prime) = r.prime {
            let message = "`tau` is the parameter of the orbit: its velocity is 1, and fixes nothing";
            self.error(Diagnostic::new(Code::MisplacedPrime, prime, message).help("write `tau` without the prime"));
            return None;
        }
        self.check_count(&r.name, r.indices.len(), &[], span)?;
        if self.is_poisson {
            let message = "`tau` is the parameter of an orbit, and a model with `variables` runs in its own time";
            let d = Diagnostic::new(Code::WrongPlace, span, message);
            self.error(d.help("write the gauge condition without it, or declare `coord` instead of `variables`"));
            return None;
        }
        let own = self.orbit.get_or_insert_default().clone();
        if let Some(at) = self.names.span(own.momentum.name()) {
            let message =
                format!("the momentum of `tau` is called `{}`, which is already declared", own.momentum.name());
            let d = Diagnostic::new(Code::DuplicateName, span, message).label(at, "declared here");
            self.error(d.help("rename what is declared"));
            return None;
        }
        Some(Parts::plain(Expr::at(&own.position, vec![])))
    }

    fn element(&mut self, r: &Reference, array: &Array, span: Span, loops: &Loops, purpose: Purpose) -> Option<Parts> {
        self.roles.add(array.role());
        self.check_role(array.role(), &r.name.text, span, purpose, None)?;
        self.check_count(&r.name, r.indices.len(), array.dims(), span)?;
        let found: Vec<Option<Ix>> = r.indices.iter().map(|i| self.index(i, loops)).collect();
        let index: Option<Vec<Ix>> = found.into_iter().collect();
        let index = index?;
        self.check_range(&r.name.text, &index, array.dims(), span, loops, Some(array))?;
        Some(Parts::plain(Expr::at(array, index)))
    }

    /// Refuses what does not belong at this place.
    pub(super) fn check_role(
        &mut self,
        role: Role,
        name: &str,
        span: Span,
        purpose: Purpose,
        through: Option<Span>,
    ) -> Option<()> {
        use Purpose as P;
        if matches!(purpose, P::Let) || role == Role::Parameter {
            return Some(());
        }
        let moves = matches!(role, Role::Coordinate | Role::Velocity | Role::Momentum);
        let hamiltonian = self.energy == Some(Energy::Hamiltonian);
        let lagrangian = self.energy == Some(Energy::Lagrangian);
        // What the reader sees at this place: the thing itself, or a `let` made of it.
        let is = |what: &str| match through {
            None => format!("`{name}` is {what}"),
            Some(_) => format!("`{name}` contains {what}"),
        };
        let instead = || match through {
            None => format!("use the momentum `{}`", self.momentum_of(name)),
            Some(_) => "use momenta instead of velocities".into(),
        };
        let velocity = match through {
            None => format!("`{name}'` is a velocity"),
            Some(_) => is("a velocity"),
        };
        let (message, help): (String, String) = match (purpose, role) {
            (P::Constant(what), _) if moves => (
                format!("{what} is fixed before the motion starts, and `{name}` is part of the motion"),
                "use numbers and parameters: a value that several places need can be a `param`".into(),
            ),
            (P::Lagrangian, Role::Momentum) => (
                format!("{}: a Lagrangian is written in positions and velocities", is("a momentum")),
                "write the velocity with a prime (x'), or state the model as a `hamiltonian`".into(),
            ),
            (P::Hamiltonian, Role::Velocity) => (
                format!("{velocity}: a Hamiltonian is written in positions and momenta"),
                format!("{}, or state the model as a `lagrangian`", instead()),
            ),
            (P::Quantity, Role::Velocity) if hamiltonian => (
                format!("{velocity}: this model is given by a Hamiltonian, which has momenta"),
                instead(),
            ),
            (P::Constraint, Role::Velocity) => (
                format!("{velocity}: a plain `constraint` is about positions, and one with velocities must say what it means"),
                "write `vakonomic NAME: …` if the varied paths obey it too (variational: sub-Riemannian geometry, optimal \
                 control). Rolling without slipping is nonholonomic (d'Alembert): another mechanics, which Cotangent does not do"
                    .into(),
            ),
            (P::Gauge, Role::Velocity) => (
                format!("{velocity}: a gauge condition is about positions and momenta"),
                "write it without velocities".into(),
            ),
            (P::Constraint, Role::Momentum) if lagrangian => (
                format!("{}: a Lagrangian model is constrained in positions", is("a momentum")),
                "constrain positions, or state the model as a `hamiltonian`".into(),
            ),
            (P::Vakonomic, Role::Momentum) => (
                format!("{}: a vakonomic constraint is written in positions and velocities", is("a momentum")),
                "write the velocity with a prime (x')".into(),
            ),
            (P::Form, _) if moves => (
                format!("the form must be constant, and {}", is("a variable")),
                "a matrix that depends on the variables is a `bracket`".into(),
            ),
            (P::Boundary, Role::Velocity | Role::Momentum) => (
                format!("{}: a boundary is made of parameters and positions", if role == Role::Velocity { velocity } else { is("a momentum") }),
                "give the position; its velocity follows".into(),
            ),
            _ => return Some(()),
        };
        // One statement with several velocities is one mistake.
        let statements = &self.parsed.file.statements;
        let statement = statements.partition_point(|s| s.span.start <= span.start);
        if !self.misplaced.insert((statement, role)) {
            return None;
        }
        let mut d = Diagnostic::new(Code::WrongPlace, span, message);
        if let Some(at) = through {
            d = d.label(at, "defined here");
        }
        self.error(d.help(help));
        None
    }

    /// The name of the momentum of a coordinate.
    fn momentum_of(&self, coordinate: &str) -> String {
        let statements = self.parsed.file.statements.iter();
        let all =
            statements.filter_map(|s| if let ast::StatementKind::Coord(list) = &s.kind { Some(list) } else { None });
        let own = all.flatten().find(|c| c.head.name.text == coordinate);
        let given = own.and_then(|c| c.momentum.as_ref()).map(|m| m.text.clone());
        given.unwrap_or_else(|| format!("p_{coordinate}"))
    }
}
