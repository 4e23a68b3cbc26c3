//! The statements that make the system: energy, constraints, claims, settings.

use super::declare::Declared;
use super::draw::Picture;
use super::scope::{Loops, Meaning, Parts, Purpose, Roles};
use super::{Elaborator, Energy};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::nearest::nearest;
use crate::syntax::ast::{self, ExprKind, Setting, SettingValue, StatementKind};
use crate::syntax::{BuiltInLapse, Keyword, RunKey};
use crate::system::{Claim, ClaimKind, Constraint, ConstraintKind, Dynamics, Quantity, RunValue, System};
use cotangent_expr::{Array, Layout, Role, Tensor};
use std::collections::HashMap;

impl Elaborator<'_> {
    pub(super) fn system(&mut self) -> Option<System> {
        let parsed = self.parsed;
        let statements = &parsed.file.statements;
        let find = |k: Keyword| statements.iter().find(move |s| s.kind.keyword() == k);
        let stated = |k: Keyword| find(k).is_some() || parsed.lacks(k);
        self.energy = match (stated(Keyword::Lagrangian), stated(Keyword::Hamiltonian)) {
            (true, false) => Some(Energy::Lagrangian),
            (false, true) => Some(Energy::Hamiltonian),
            _ => None,
        };
        self.is_poisson = find(Keyword::Variables).or(find(Keyword::Algebra)).is_some();
        let declared = self.declarations();
        if declared.refused {
            return None;
        }
        self.without_variables = ![Keyword::Coord, Keyword::Variables, Keyword::Algebra].into_iter().any(stated);
        self.boundary_statements();
        self.all_lets();
        self.once(Keyword::Model, "the name of the model");
        let dynamics = self.dynamics(&declared);
        let mut labels = Labels::default();
        let mut constraints = vec![];
        let mut gauges = vec![];
        let mut claims = vec![];
        let mut observables = vec![];
        let mut splits = vec![];
        let mut picture = Picture::default();
        for s in statements {
            match &s.kind {
                StatementKind::Constraint(list) => {
                    constraints
                        .extend(list.iter().filter_map(|r| self.constraint(r, Keyword::Constraint, &mut labels)));
                }
                StatementKind::Vakonomic(list) => {
                    constraints.extend(list.iter().filter_map(|r| self.constraint(r, Keyword::Vakonomic, &mut labels)));
                }
                StatementKind::Gauge(list) => {
                    gauges.extend(list.iter().filter_map(|r| self.constraint(r, Keyword::Gauge, &mut labels)));
                }
                StatementKind::Casimir(list) => {
                    if !declared.coordinates.is_empty() {
                        let message =
                            "a Casimir belongs to a Poisson bracket, and a model with `coord` has none but constants";
                        self.error(
                            Diagnostic::new(Code::WrongPlace, s.keyword, message)
                                .help("write `invariant` for a quantity that the motion conserves"),
                        );
                    }
                    let quantities = list.iter().filter_map(|d| self.column(d, &mut labels));
                    claims.extend(quantities.map(|quantity| Claim { kind: ClaimKind::Casimir, quantity }));
                }
                StatementKind::Invariant(list) => {
                    let quantities = list.iter().filter_map(|d| self.column(d, &mut labels));
                    claims.extend(quantities.map(|quantity| Claim { kind: ClaimKind::Invariant, quantity }));
                }
                StatementKind::Observe(list) => {
                    observables.extend(list.iter().filter_map(|d| self.column(d, &mut labels)))
                }
                StatementKind::Split(list) => {
                    let wrong = self.energy == Some(Energy::Lagrangian);
                    if wrong {
                        let message = "`split` names parts of a Hamiltonian, and this model is given by a Lagrangian";
                        self.error(
                            Diagnostic::new(Code::WrongPlace, s.keyword, message)
                                .help("state the model as a `hamiltonian`, or remove the split"),
                        );
                    }
                    let purpose = if wrong { Purpose::Quantity } else { Purpose::Hamiltonian };
                    splits.extend(list.iter().filter_map(|d| self.quantity(d, purpose, &mut labels)));
                }
                StatementKind::Draw { kind, drawings, .. } => {
                    drawings.iter().for_each(|d| self.drawing(*kind, d, &mut labels, &mut picture))
                }
                _ => {}
            }
        }
        let initial = self.initial_values(&declared, &constraints);
        let run = self.settings();
        self.warn_unused();
        let (name, title) = match find(Keyword::Model).map(|s| &s.kind) {
            Some(StatementKind::Model { name, title }) => (name.text.clone(), title.as_ref().map(|t| t.text.clone())),
            _ => (String::new(), None),
        };
        Some(System {
            name,
            title,
            integers: declared.integers,
            parameters: declared.parameters,
            dynamics: dynamics?,
            constraints,
            gauges,
            orbit_parameter: self.orbit.take(),
            claims,
            observables,
            splits,
            drawings: picture.drawings,
            initial,
            run,
            warnings: std::mem::take(&mut self.warnings),
        })
    }

    /// Refuses a second statement of a kind.
    fn once(&mut self, keyword: Keyword, what: &str) {
        let parsed = self.parsed;
        let mut all = parsed.file.statements.iter().filter(|s| s.kind.keyword() == keyword);
        let Some(first) = all.next() else { return };
        for again in all {
            let d = Diagnostic::new(Code::DuplicateStatement, again.span, format!("{what} is given twice"));
            self.error(d.label(first.span, "first given here").help("keep one of them"));
        }
    }

    fn dynamics(&mut self, declared: &Declared) -> Option<Dynamics> {
        let parsed = self.parsed;
        self.once(Keyword::Lagrangian, "the Lagrangian");
        self.once(Keyword::Hamiltonian, "the Hamiltonian");
        let statement = |k: Keyword| parsed.file.statements.iter().find(move |s| s.kind.keyword() == k);
        let [lagrangian, hamiltonian, coord, variables, bracket, form, algebra] = [
            Keyword::Lagrangian,
            Keyword::Hamiltonian,
            Keyword::Coord,
            Keyword::Variables,
            Keyword::Bracket,
            Keyword::Form,
            Keyword::Algebra,
        ]
        .map(statement);
        let consistent = self.consistent(declared);
        // Every energy is looked at, for its own mistakes.
        let mut energies = vec![];
        for s in &parsed.file.statements {
            let (e, purpose) = match &s.kind {
                StatementKind::Lagrangian(_) if variables.or(algebra).is_some() => continue,
                StatementKind::Lagrangian(e) => (e, Purpose::Lagrangian),
                StatementKind::Hamiltonian(e) => (e, Purpose::Hamiltonian),
                _ => continue,
            };
            energies.push(self.energy_of(e, purpose));
        }
        let all = Layout::new(declared.variables.clone());
        let bracket_matrix =
            if variables.is_some() && bracket.is_some() { self.pairs(&all, Keyword::Bracket) } else { None };
        let form_matrix = if variables.is_some() && form.is_some() { self.pairs(&all, Keyword::Form) } else { None };
        if !consistent {
            return None;
        }
        let energy = energies.into_iter().next()??;
        let (coordinates, momenta) = (Layout::new(declared.coordinates.clone()), Layout::new(declared.momenta.clone()));
        match (lagrangian, hamiltonian, coord) {
            (Some(_), _, Some(_)) => {
                let velocities = Layout::new(declared.velocities.clone());
                Some(Dynamics::Lagrangian { coordinates, velocities, momenta, lagrangian: energy })
            }
            (_, Some(_), Some(_)) => Some(Dynamics::Hamiltonian { coordinates, momenta, hamiltonian: energy }),
            _ if algebra.is_some() => {
                let (bracket, algebras) = (self.commutators(declared)?, declared.algebras.clone());
                Some(Dynamics::Poisson { variables: all, bracket, hamiltonian: energy, algebras })
            }
            _ if bracket.is_some() => {
                let algebras = vec![];
                Some(Dynamics::Poisson { variables: all, bracket: bracket_matrix?, hamiltonian: energy, algebras })
            }
            _ => Some(Dynamics::Form { variables: all, form: form_matrix?, hamiltonian: energy }),
        }
    }

    fn energy_of(&mut self, e: &ast::Expr, purpose: Purpose) -> Option<Tensor> {
        let parts = self.parts(e, &Loops::default(), purpose)?;
        let tensor = self.scalar(parts, e.span)?;
        if tensor.is_zero() {
            self.warnings.push(Diagnostic::new(Code::NoValue, e.span, "the energy is identically zero"));
        } else if purpose == Purpose::Lagrangian {
            let mut roles = Roles::default();
            tensor.terms().iter().for_each(|t| roles.join(self.roles_of(&t.value)));
            if !roles.has(Role::Velocity) {
                let d = Diagnostic::new(Code::NoValue, e.span, "the Lagrangian contains no velocity");
                self.warnings.push(d.help("a velocity is written with a prime: x'"));
            }
        }
        Some(tensor)
    }

    /// Checks that the statements make one of the four kinds of model.
    fn consistent(&mut self, declared: &Declared) -> bool {
        let parsed = self.parsed;
        let statement = |k: Keyword| parsed.file.statements.iter().find(move |s| s.kind.keyword() == k);
        let lacks = |keys: &[Keyword]| keys.iter().any(|&k| parsed.lacks(k));
        let before = self.diagnostics.count();
        let (lagrangian, hamiltonian) = (statement(Keyword::Lagrangian), statement(Keyword::Hamiltonian));
        let (coord, variables) = (statement(Keyword::Coord), statement(Keyword::Variables));
        let (bracket, form) = (statement(Keyword::Bracket), statement(Keyword::Form));
        if let (Some(l), Some(h)) = (lagrangian, hamiltonian) {
            let message = "a model has a Lagrangian or a Hamiltonian, not both";
            let help = "keep one; the other follows by the Legendre transform";
            self.error(exclusive(message, l.span, h.span).help(help));
        }
        if lagrangian.is_none() && hamiltonian.is_none() && !lacks(&[Keyword::Lagrangian, Keyword::Hamiltonian]) {
            let d = Diagnostic::new(Code::MissingStatement, self.end(), "the model has no energy");
            self.error(d.caption("to be added").help("add `hamiltonian …` or `lagrangian …`"));
        }
        if self.without_variables {
            let d = Diagnostic::new(Code::MissingStatement, self.end(), "the model has no variables");
            self.error(d.caption("to be added").help(
                "add `coord x, y` (with momenta p_x, p_y), or `variables a, b` and `bracket {a, b} = …` for a Poisson model",
            ));
            return false;
        }
        if let Some(algebra) = statement(Keyword::Algebra) {
            return self.consistent_algebra(algebra) && self.diagnostics.count() == before;
        }
        match (coord, variables) {
            (Some(c), Some(v)) => {
                let help =
                    "coordinates carry their momenta and the canonical bracket; variables need a `bracket` or a `form`";
                self.error(exclusive("a model has `coord` or `variables`, not both", c.span, v.span).help(help));
            }
            (Some(_), None) => {
                if let Some(s) = bracket.or(form) {
                    let word = s.kind.keyword();
                    let message = format!(
                        "a `{word}` is for `variables`: with `coord` the bracket is the canonical one, {{q, p}} = 1"
                    );
                    let d = Diagnostic::new(Code::WrongPlace, s.span, message);
                    self.error(d.help(format!("remove the `{word}`, or declare `variables` instead of `coord`")));
                }
            }
            (None, Some(_)) => {
                if let (Some(l), None) = (lagrangian, hamiltonian) {
                    let message = "a Lagrangian needs coordinates, which have velocities; `variables` have none";
                    let d = Diagnostic::new(Code::WrongPlace, l.span, message);
                    self.error(d.help("declare `coord` instead of `variables`, or give a `hamiltonian`"));
                } else if let (Some(b), Some(f)) = (bracket, form) {
                    let help = "`bracket` for ẏ = B(y)∇H, `form` for J ż = ∇H with a constant J";
                    self.error(exclusive("a model has a `bracket` or a `form`, not both", b.span, f.span).help(help));
                } else if bracket.is_none() && form.is_none() && !lacks(&[Keyword::Bracket, Keyword::Form]) {
                    let message = "`variables` need a `bracket` (or a `form`) to move";
                    let d = Diagnostic::new(Code::MissingStatement, self.end(), message);
                    let help = "add `bracket {a, b} = …` (what is not named is 0), or declare `coord` for coordinates with momenta";
                    self.error(d.caption("to be added").help(help));
                }
            }
            (None, None) => {}
        }
        let arrays: Vec<&Array> = declared.coordinates.iter().chain(&declared.variables).collect();
        if let Some(s) = coord.or(variables)
            && !arrays.is_empty()
            && arrays.iter().all(|a| a.is_empty())
            && !lacks(&[Keyword::Coord, Keyword::Variables])
            && self.diagnostics.count() == 0
        {
            let message = "the model has no variables: every family is empty";
            let d = Diagnostic::new(Code::MissingStatement, s.span, message);
            self.error(d.help("a range a..b is empty if b < a: check the sizes"));
        }
        self.diagnostics.count() == before
    }

    /// Just after the last statement: where something is missing.
    pub(super) fn end(&self) -> Span {
        self.parsed.file.statements.last().map_or(Span::default(), |s| s.span.after())
    }

    fn constraint(&mut self, r: &ast::Relation, keyword: Keyword, labels: &mut Labels) -> Option<Constraint> {
        let name = &r.label.name;
        let fresh = self.label(name, labels);
        let loops = self.bind(&r.label.binders, &Loops::default());
        if keyword == Keyword::Vakonomic && self.energy == Some(Energy::Hamiltonian) {
            let d = Diagnostic::new(
                Code::WrongPlace,
                r.span,
                "a vakonomic constraint restricts velocities, and a Hamiltonian model has momenta instead",
            );
            self.error(d.help("state the model as a `lagrangian`"));
            return None;
        }
        let purpose = match keyword {
            Keyword::Vakonomic => Purpose::Vakonomic,
            Keyword::Gauge => Purpose::Gauge,
            _ => Purpose::Constraint,
        };
        let (left, right) = (self.parts(&r.left, &loops, purpose), self.parts(&r.right, &loops, purpose));
        if loops.broken {
            return None;
        }
        let array = self.labelled(&name.text, Role::Auxiliary, &loops, r.label.span)?;
        let multiplier = array.like(&format!("lambda_{}", name.text), Role::Multiplier);
        if let Some(table) = self.numbered.get(&array.digest()).cloned() {
            self.numbered.insert(multiplier.digest(), table);
        }
        if keyword != Keyword::Gauge
            && let Some(before) = self.names.span(multiplier.name())
        {
            let message = format!(
                "the multiplier of `{}` is called `{}`, which is already declared",
                name.text,
                multiplier.name()
            );
            self.error(
                Diagnostic::new(Code::DuplicateName, name.span, message)
                    .label(before, "declared here")
                    .help("rename one of the two"),
            );
            return None;
        }
        let parts = Parts::sum(vec![left?, right?.map(|v| -v)]);
        if parts.0.iter().all(|p| p.value.is_zero() || p.factor.is_zero()) {
            self.always_satisfied(r);
            return None;
        }
        let mut roles = Roles::default();
        for p in &parts.0 {
            roles.join(self.roles_of(&p.value));
            roles.join(self.roles_of(&p.factor));
        }
        let [velocity, momentum, coordinate] =
            [Role::Velocity, Role::Momentum, Role::Coordinate].map(|role| roles.has(role));
        if !velocity && !momentum && !coordinate {
            let message = format!("`{}` constrains nothing: it contains no variable", name.text);
            let d = Diagnostic::new(Code::EmptyConstraint, r.span, message);
            self.error(d.help("a constraint relates coordinates (or variables), not parameters alone"));
            return None;
        }
        if keyword == Keyword::Vakonomic && !velocity {
            let message = "a vakonomic constraint restricts velocities, and there are none here";
            let d = Diagnostic::new(Code::WrongPlace, r.span, message);
            self.error(d.help(format!("write `constraint {}: …` for positions", name.text)));
            return None;
        }
        let residual = self.vector(&array, parts, &loops, r.span)?;
        if residual.is_zero() && !array.is_empty() {
            self.always_satisfied(r);
            return None;
        }
        let kind = match () {
            _ if velocity => ConstraintKind::Vakonomic,
            _ if momentum || self.is_poisson => ConstraintKind::PhaseSpace,
            _ => ConstraintKind::Holonomic,
        };
        fresh.then_some(Constraint { array, multiplier, residual, kind })
    }

    fn always_satisfied(&mut self, r: &ast::Relation) {
        let message = format!("`{}` is always satisfied: both sides are equal", r.label.name.text);
        self.error(Diagnostic::new(Code::EmptyConstraint, r.span, message).help("remove it, or correct one side"));
    }

    /// A quantity that stands beside the variables in tables, and so cannot be called like one of them.
    fn column(&mut self, d: &ast::Definition, labels: &mut Labels) -> Option<Quantity> {
        let name = &d.head.name;
        let variable = match self.names.get(&name.text) {
            Some(m @ (Meaning::Coordinate { .. } | Meaning::Momentum(_) | Meaning::Variable(_))) => Some(m.describe()),
            _ => None,
        };
        if let Some(what) = variable {
            let message = format!("`{}` is {what}, and tables would have two columns of that name", name.text);
            let mut d = Diagnostic::new(Code::DuplicateName, name.span, message);
            if let Some(at) = self.names.span(&name.text) {
                d = d.label(at, "declared here");
            }
            self.error(d.help("variables are in every table; give this quantity another name"));
        }
        let quantity = self.quantity(d, Purpose::Quantity, labels);
        quantity.filter(|_| variable.is_none())
    }

    fn quantity(&mut self, d: &ast::Definition, purpose: Purpose, labels: &mut Labels) -> Option<Quantity> {
        let fresh = self.label(&d.head.name, labels);
        let loops = self.bind(&d.head.binders, &Loops::default());
        let parts = self.parts(&d.value, &loops, purpose)?;
        if loops.broken {
            return None;
        }
        let array = self.labelled(&d.head.name.text, Role::Auxiliary, &loops, d.head.span)?;
        let value = self.vector(&array, parts, &loops, d.value.span)?;
        fresh.then_some(Quantity { array, value })
    }

    /// Takes a label; labels are distinct among themselves.
    pub(super) fn label(&mut self, name: &ast::Name, labels: &mut Labels) -> bool {
        match labels.0.get(&name.text) {
            Some(&before) => {
                let d =
                    Diagnostic::new(Code::DuplicateName, name.span, format!("the label `{}` is used twice", name.text));
                self.error(d.label(before, "first used here").help(
                    "rename one of the two: constraints, claims, observables, splits and drawings are known by their labels",
                ));
                false
            }
            None => {
                labels.0.insert(name.text.clone(), name.span);
                true
            }
        }
    }

    fn settings(&mut self) -> Vec<(RunKey, RunValue)> {
        let parsed = self.parsed;
        let mut found: Vec<(RunKey, RunValue)> = vec![];
        let mut first: HashMap<RunKey, Span> = HashMap::new();
        for s in &parsed.file.statements {
            let StatementKind::Run(list) = &s.kind else { continue };
            for setting in list {
                if let Some(&before) = first.get(&setting.key) {
                    let d =
                        Diagnostic::new(Code::DuplicateRunKey, setting.span, format!("`{}` is set twice", setting.key));
                    self.error(d.label(before, "first set here").help("keep one of the two"));
                    continue;
                }
                first.insert(setting.key, setting.span);
                found.extend(self.setting(setting).map(|v| (setting.key, v)));
            }
        }
        found
    }

    fn setting(&mut self, setting: &Setting) -> Option<RunValue> {
        match &setting.value {
            SettingValue::Word(word) => Some(match BuiltInLapse::from_name(&word.text) {
                Some(lapse) if setting.key == RunKey::Lapse => RunValue::Lapse(lapse),
                _ => RunValue::Word(word.text.clone()),
            }),
            SettingValue::Expression(e) => {
                let is_lapse = setting.key == RunKey::Lapse;
                if is_lapse
                    && let ExprKind::Reference(r) = &e.kind
                    && r.indices.is_empty()
                    && r.prime.is_none()
                    && self.names.get(&r.name.text).is_none()
                    && let Some(lapse) = BuiltInLapse::from_name(&r.name.text)
                {
                    return Some(RunValue::Lapse(lapse));
                }
                if is_lapse && let Some(d) = self.misspelt_lapse(e) {
                    self.error(d);
                    return None;
                }
                let purpose = if is_lapse { Purpose::Quantity } else { Purpose::Constant("a run setting") };
                self.closed(e, &Loops::default(), purpose).map(RunValue::Expression)
            }
        }
    }

    /// A lapse made of names that are not declared and nearly those of one that is built in.
    fn misspelt_lapse(&self, e: &ast::Expr) -> Option<Diagnostic> {
        let text = e.to_string().replace(' ', "");
        let names = || BuiltInLapse::ALL.iter().map(|lapse| lapse.name());
        let is_word = text.split('-').all(|name| self.names.get(name).is_none());
        let near = nearest(&text, names()).filter(|_| is_word)?;
        let d = Diagnostic::new(Code::UnknownRunValue, e.span, format!("there is no lapse `{text}`"));
        Some(d.help(format!("did you mean `{near}`? built in are {}", names().collect::<Vec<_>>().join(", "))))
    }

    fn warn_unused(&mut self) {
        let unused: Vec<(String, Span)> = (self.names.iter())
            .filter(|n| !self.used.contains(*n))
            .filter(|n| {
                matches!(
                    self.names.get(n),
                    Some(Meaning::Parameter(_) | Meaning::Integer(_) | Meaning::Table(_) | Meaning::Let(_))
                )
            })
            .filter_map(|n| Some((n.to_string(), self.names.span(n)?)))
            .collect();
        for (name, span) in unused {
            self.warnings.push(Diagnostic::new(
                Code::Unused,
                span,
                format!("`{name}` is declared but nothing uses it"),
            ));
        }
    }
}

/// The names of constraints, claims, observables, splits and drawings.
#[derive(Default)]
pub(super) struct Labels(HashMap<String, Span>);

/// Two statements of which a model has one: the later one is at fault.
fn exclusive(message: &str, a: Span, b: Span) -> Diagnostic {
    Diagnostic::new(Code::DuplicateStatement, a.max(b), message).label(a.min(b), "the other one is here")
}
