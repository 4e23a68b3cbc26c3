//! The statements that make the system: energy, bracket, constraints, claims, settings.

use super::Elaborator;
use super::declare::Declared;
use super::scope::{Loops, Meaning, Parts, Purpose};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::syntax::ast::{self, ExprKind, Setting, SettingValue, StatementKind};
use crate::syntax::{Keyword, RunKey};
use crate::system::{Claim, ClaimKind, Constraint, ConstraintKind, Dynamics, Quantity, RunValue, System};
use cotangent_expr::{Array, Layout, Place, Role, Tensor, Term};
use std::collections::HashMap;

impl Elaborator<'_> {
    pub(super) fn system(&mut self) -> Option<System> {
        let parsed = self.parsed;
        let statements = &parsed.file.statements;
        let find = |k: Keyword| statements.iter().find(move |s| s.kind.keyword() == k);
        self.is_lagrangian = find(Keyword::Lagrangian).is_some();
        let declared = self.declarations();
        self.boundary_statements();
        for k in 0..self.lets.len() {
            self.check_let(k);
        }
        self.once(Keyword::Model, "the name of the model");
        let dynamics = self.dynamics(&declared);
        let mut labels = Labels::default();
        let mut constraints = vec![];
        let mut gauges = vec![];
        let mut claims = vec![];
        let mut observables = vec![];
        let mut splits = vec![];
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
                            "a Casimir belongs to a Poisson bracket; a model with `coord` has none but constants";
                        self.error(
                            Diagnostic::new(Code::WrongPlace, s.keyword, message)
                                .help("write `invariant` for a conserved quantity"),
                        );
                    }
                    let quantities = list.iter().filter_map(|d| self.quantity(d, &mut labels));
                    claims.extend(quantities.map(|quantity| Claim { kind: ClaimKind::Casimir, quantity }));
                }
                StatementKind::Invariant(list) => {
                    let quantities = list.iter().filter_map(|d| self.quantity(d, &mut labels));
                    claims.extend(quantities.map(|quantity| Claim { kind: ClaimKind::Invariant, quantity }));
                }
                StatementKind::Observe(list) => {
                    observables.extend(list.iter().filter_map(|d| self.quantity(d, &mut labels)))
                }
                StatementKind::Split(list) => {
                    if self.is_lagrangian {
                        let message = "`split` names parts of a Hamiltonian, and this model is given by a Lagrangian";
                        self.error(
                            Diagnostic::new(Code::WrongPlace, s.keyword, message)
                                .help("state the model as a `hamiltonian`"),
                        );
                    }
                    splits.extend(list.iter().filter_map(|d| self.quantity(d, &mut labels)));
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
            claims,
            observables,
            splits,
            initial,
            run,
            warnings: std::mem::take(&mut self.warnings),
        })
    }

    /// The one statement of a kind; a second one is an error.
    fn once(&mut self, keyword: Keyword, what: &str) -> Option<&'_ ast::Statement> {
        let parsed = self.parsed;
        let mut all = parsed.file.statements.iter().filter(|s| s.kind.keyword() == keyword);
        let first = all.next();
        for again in all {
            if let Some(first) = first {
                let d = Diagnostic::new(Code::DuplicateStatement, again.span, format!("{what} is given twice"));
                self.error(d.label(first.span, "first given here").help("keep one of them"));
            }
        }
        first
    }

    fn dynamics(&mut self, declared: &Declared) -> Option<Dynamics> {
        let parsed = self.parsed;
        let lagrangian = self.once(Keyword::Lagrangian, "the Lagrangian").map(|s| s.span);
        let hamiltonian = self.once(Keyword::Hamiltonian, "the Hamiltonian").map(|s| s.span);
        let statement = |k: Keyword| parsed.file.statements.iter().find(move |s| s.kind.keyword() == k);
        let (bracket, form) = (statement(Keyword::Bracket), statement(Keyword::Form));
        let energy = parsed.file.statements.iter().find_map(|s| match &s.kind {
            StatementKind::Lagrangian(e) => Some((e, Purpose::Lagrangian)),
            StatementKind::Hamiltonian(e) => Some((e, Purpose::Hamiltonian)),
            _ => None,
        });
        if let (Some(l), Some(h)) = (lagrangian, hamiltonian) {
            let d = Diagnostic::new(
                Code::DuplicateStatement,
                h.max(l),
                "a model has a Lagrangian or a Hamiltonian, not both",
            );
            self.error(
                d.label(h.min(l), "first given here").help("keep one; the other follows by the Legendre transform"),
            );
            return None;
        }
        let energy_span = lagrangian.or(hamiltonian);
        let lacks = |keys: &[Keyword]| keys.iter().any(|&k| parsed.lacks(k));
        if energy_span.is_none() && !lacks(&[Keyword::Lagrangian, Keyword::Hamiltonian]) {
            let d = Diagnostic::new(Code::MissingStatement, self.end(), "the model has no energy");
            self.error(d.help("add `lagrangian …` or `hamiltonian …`"));
        }
        let has_coord = statement(Keyword::Coord).is_some();
        let has_variables = statement(Keyword::Variables).is_some();
        if !has_coord && !has_variables && !lacks(&[Keyword::Coord, Keyword::Variables]) {
            let d = Diagnostic::new(Code::MissingStatement, self.end(), "the model has no variables");
            self.error(
                d.help("add `coord x, y` (with momenta p_x, p_y), or `variables` and `bracket` for a Poisson model"),
            );
        }
        if let (Some(c), Some(v)) = (statement(Keyword::Coord), statement(Keyword::Variables)) {
            let d = Diagnostic::new(Code::DuplicateStatement, v.span, "a model has `coord` or `variables`, not both");
            self.error(d.label(c.span, "coordinates declared here").help(
                "coordinates carry their momenta and the canonical bracket; variables need a `bracket` or a `form`",
            ));
            return None;
        }
        if has_coord && let Some(s) = bracket.or(form) {
            let d =
                Diagnostic::new(Code::WrongPlace, s.span, "a model with `coord` has the canonical bracket {q, p} = 1");
            self.error(d.help("declare `variables` instead of `coord` to give your own"));
            return None;
        }
        if has_variables {
            if let Some(l) = lagrangian {
                let d = Diagnostic::new(Code::WrongPlace, l, "a Lagrangian needs coordinates with velocities");
                self.error(d.help("declare `coord` instead of `variables`, or give a `hamiltonian`"));
                return None;
            }
            if let (Some(b), Some(f)) = (bracket, form) {
                let d = Diagnostic::new(
                    Code::DuplicateStatement,
                    f.span.max(b.span),
                    "a model has a `bracket` or a `form`, not both",
                );
                self.error(d.label(f.span.min(b.span), "first given here"));
                return None;
            }
            if bracket.is_none() && form.is_none() && !lacks(&[Keyword::Bracket, Keyword::Form]) {
                let d = Diagnostic::new(Code::MissingStatement, self.end(), "variables need a `bracket` or a `form`");
                self.error(d.help("add `bracket {a, b} = …` (what is not named is 0)"));
            }
        }
        let energy = energy.and_then(|(e, purpose)| {
            let parts = self.parts(e, &Loops::default(), purpose)?;
            let tensor = self.scalar(parts, e.span)?;
            let role = if purpose == Purpose::Lagrangian { Role::Velocity } else { Role::Coordinate };
            if tensor.is_zero() {
                self.warnings.push(Diagnostic::new(Code::NoValue, e.span, "the energy is identically zero"));
            } else if role == Role::Velocity && !Parts(terms_as_parts(&tensor)).uses(Role::Velocity) {
                self.warnings.push(Diagnostic::new(Code::NoValue, e.span, "the Lagrangian contains no velocity"));
            }
            Some(tensor)
        });
        let pairs =
            if has_variables { self.pairs(&Layout::new(declared.variables.clone()), bracket.is_some()) } else { None };
        let energy = energy?;
        let (coordinates, momenta) = (Layout::new(declared.coordinates.clone()), Layout::new(declared.momenta.clone()));
        Some(match (lagrangian.is_some(), has_coord, bracket.is_some()) {
            (true, ..) => {
                let velocities = Layout::new(declared.velocities.clone());
                Dynamics::Lagrangian { coordinates, velocities, momenta, lagrangian: energy }
            }
            (_, true, _) => Dynamics::Hamiltonian { coordinates, momenta, hamiltonian: energy },
            (_, _, true) => Dynamics::Poisson {
                variables: Layout::new(declared.variables.clone()),
                bracket: pairs?,
                hamiltonian: energy,
            },
            _ => {
                Dynamics::Form { variables: Layout::new(declared.variables.clone()), form: pairs?, hamiltonian: energy }
            }
        })
    }

    /// Just after the last statement: where something is missing.
    fn end(&self) -> Span {
        self.parsed.file.statements.last().map_or(Span::default(), |s| s.span.after())
    }

    /// The antisymmetric matrix of all `bracket` or `form` entries.
    fn pairs(&mut self, variables: &Layout, is_bracket: bool) -> Option<Tensor> {
        let parsed = self.parsed;
        let mut terms: Vec<Term> = vec![];
        let mut seen: HashMap<(usize, usize), Span> = HashMap::new();
        let mut good = true;
        for s in &parsed.file.statements {
            let list = match &s.kind {
                StatementKind::Bracket(list) if is_bracket => list,
                StatementKind::Form(list) if !is_bracket => list,
                _ => continue,
            };
            for pair in list {
                match self.pair(pair, variables, is_bracket, &mut seen) {
                    Some(more) => terms.extend(more),
                    None => good = false,
                }
            }
        }
        if !good {
            return None;
        }
        match Tensor::new(vec![variables.clone(), variables.clone()], terms) {
            Ok(t) => Some(t),
            Err(e) => {
                self.error(Diagnostic::new(Code::TooLarge, self.end(), e.to_string()));
                None
            }
        }
    }

    fn pair(
        &mut self,
        pair: &ast::Pairing,
        variables: &Layout,
        is_bracket: bool,
        seen: &mut HashMap<(usize, usize), Span>,
    ) -> Option<Vec<Term>> {
        let what = if is_bracket { "bracket" } else { "form" };
        let (first, second) = (self.variable(&pair.first, what), self.variable(&pair.second, what));
        let (first, second) = (first?, second?);
        let (loops, i) = self.place_index(&pair.first)?;
        let (loops, j) = self.place_index_in(&pair.second, &loops)?;
        self.check_count(&pair.first.name, i.len(), first.dims(), pair.first.span)?;
        self.check_count(&pair.second.name, j.len(), second.dims(), pair.second.span)?;
        self.check_range(&pair.first.name.text, &i, first.dims(), pair.first.span, &loops, None)?;
        self.check_range(&pair.second.name.text, &j, second.dims(), pair.second.span, &loops, None)?;
        let purpose = if is_bracket { Purpose::Bracket } else { Purpose::Form };
        let parts = self.parts(&pair.value, &loops, purpose)?;
        let (a, b) = (Place { array: first.clone(), index: i }, Place { array: second.clone(), index: j });
        let (oa, ob) = (variables.offset(&first)?, variables.offset(&second)?);
        let mut clash = None;
        let mut own: Vec<(usize, usize)> = vec![];
        loops.domain().for_each(&mut |vars| {
            if let (Some(p), Some(q)) = (a.position(vars), b.position(vars)) {
                let key = ((oa + p).min(ob + q), (oa + p).max(ob + q));
                if key.0 == key.1 || seen.contains_key(&key) {
                    clash = Some(key);
                }
                own.push(key);
                if clash.is_none() && seen.insert(key, pair.span).is_some() {
                    clash = Some(key);
                }
            }
            clash.is_none()
        });
        if let Some((p, q)) = clash {
            let names = format!("{{{}, {}}}", variables.entry_name(p), variables.entry_name(q));
            let d = if p == q {
                let message = format!("the {what} of `{}` with itself is zero", variables.entry_name(p));
                Diagnostic::new(Code::WrongPlace, pair.span, message).help("leave it out: the matrix is antisymmetric")
            } else {
                let d =
                    Diagnostic::new(Code::DuplicateName, pair.span, format!("the {what} entry {names} is given twice"));
                let before = seen.get(&(p, q)).copied().filter(|s| *s != pair.span);
                let d = before.into_iter().fold(d, |d, at| d.label(at, "first given here"));
                d.help("the opposite order follows by antisymmetry: give each pair once")
            };
            self.error(d);
            return None;
        }
        let shape = vec![variables.clone(), variables.clone()];
        let negated = parts.clone().map(|v| -v);
        let upper = self.tensor(parts, &loops, &[a.clone(), b.clone()], shape.clone(), pair.value.span)?;
        let lower = self.tensor(negated, &loops, &[b, a], shape, pair.value.span)?;
        Some(upper.terms().iter().chain(lower.terms()).cloned().collect())
    }

    /// The variable on the left of a bracket or form entry.
    fn variable(&mut self, place: &ast::Place, what: &str) -> Option<Array> {
        let name = &place.name.text;
        if let Some(prime) = place.prime {
            self.error(Diagnostic::new(
                Code::MisplacedPrime,
                prime,
                format!("a {what} is between variables, not their velocities"),
            ));
            return None;
        }
        match self.names.get(name).cloned() {
            Some(Meaning::Variable(v)) => Some(v),
            Some(Meaning::Broken) => None,
            Some(m) => {
                let message = format!("a {what} is between variables, and `{name}` is {}", m.describe());
                let help = match m {
                    Meaning::Parameter(_) | Meaning::Integer(_) => "the bracket with a constant is zero: leave it out",
                    _ => "declare it with `variables`",
                };
                self.error(Diagnostic::new(Code::WrongPlace, place.span, message).help(help));
                None
            }
            None => {
                self.unknown(&place.name, &Loops::default());
                None
            }
        }
    }

    fn constraint(&mut self, r: &ast::Relation, keyword: Keyword, labels: &mut Labels) -> Option<Constraint> {
        let name = &r.label.name;
        let fresh = self.label(name, labels);
        let loops = self.bind(&r.label.binders, &Loops::default());
        let purpose = if keyword == Keyword::Vakonomic { Purpose::Vakonomic } else { Purpose::Constraint };
        let inner = loops.clone().unwrap_or_default();
        let (left, right) = (self.parts(&r.left, &inner, purpose), self.parts(&r.right, &inner, purpose));
        let loops = loops?;
        let array = self.labelled(&name.text, Role::Auxiliary, &loops, r.label.span)?;
        let multiplier = Array::given(&format!("lambda_{}", name.text), Role::Multiplier, array.dims().to_vec());
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
        let (velocity, momentum) = (parts.uses(Role::Velocity), parts.uses(Role::Momentum));
        let coordinate = parts.uses(Role::Coordinate);
        if keyword == Keyword::Vakonomic {
            if !self.is_lagrangian {
                let d = Diagnostic::new(Code::WrongPlace, r.span, "a vakonomic constraint needs a Lagrangian");
                self.error(d.help("state the model as a `lagrangian`: its velocities are what is constrained"));
                return None;
            }
            if !velocity {
                let d = Diagnostic::new(
                    Code::WrongPlace,
                    r.span,
                    "a vakonomic constraint restricts velocities, and there are none here",
                );
                self.error(d.help(format!("write `constraint {}: …` for positions", name.text)));
                return None;
            }
        }
        if !velocity && !momentum && !coordinate {
            let d = Diagnostic::new(
                Code::EmptyConstraint,
                r.span,
                format!("`{}` constrains nothing: it contains no variable", name.text),
            );
            self.error(d.help("a constraint must depend on coordinates"));
            return None;
        }
        let residual = self.vector(&array, parts, &loops, r.span)?;
        if residual.is_zero() && !array.is_empty() {
            let d = Diagnostic::new(
                Code::EmptyConstraint,
                r.span,
                format!("`{}` is always satisfied: both sides are equal", name.text),
            );
            self.error(d.help("remove it, or correct one side"));
            return None;
        }
        let has_variables = self.parsed.file.statements.iter().any(|s| s.kind.keyword() == Keyword::Variables);
        let kind = match () {
            _ if velocity => ConstraintKind::Vakonomic,
            _ if momentum || has_variables => ConstraintKind::PhaseSpace,
            _ => ConstraintKind::Holonomic,
        };
        fresh.then_some(Constraint { array, multiplier, residual, kind })
    }

    fn quantity(&mut self, d: &ast::Definition, labels: &mut Labels) -> Option<Quantity> {
        let fresh = self.label(&d.head.name, labels);
        let loops = self.bind(&d.head.binders, &Loops::default())?;
        let parts = self.parts(&d.value, &loops, Purpose::Quantity)?;
        let array = self.labelled(&d.head.name.text, Role::Auxiliary, &loops, d.head.span)?;
        let value = self.vector(&array, parts, &loops, d.value.span)?;
        fresh.then_some(Quantity { array, value })
    }

    /// Takes a label; labels are distinct among themselves.
    fn label(&mut self, name: &ast::Name, labels: &mut Labels) -> bool {
        match labels.0.get(&name.text) {
            Some(&before) => {
                let d =
                    Diagnostic::new(Code::DuplicateName, name.span, format!("the label `{}` is used twice", name.text));
                self.error(d.label(before, "first used here").help("rename one of the two"));
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
                    self.error(d.label(before, "first set here"));
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
            SettingValue::Word(word) => Some(RunValue::Word(word.text.clone())),
            SettingValue::Expression(e) => {
                let is_lapse = setting.key == RunKey::Lapse;
                if is_lapse
                    && let ExprKind::Reference(r) = &e.kind
                    && r.indices.is_empty()
                    && r.prime.is_none()
                    && self.names.get(&r.name.text).is_none()
                {
                    return Some(RunValue::Word(r.name.text.clone()));
                }
                let purpose = if is_lapse { Purpose::Quantity } else { Purpose::Constant("a run setting") };
                self.closed(e, &Loops::default(), purpose).map(RunValue::Expression)
            }
        }
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

/// The names of constraints, claims, observables and splits.
#[derive(Default)]
struct Labels(HashMap<String, Span>);

fn terms_as_parts(t: &Tensor) -> Vec<super::scope::Part> {
    t.terms().iter().map(|t| super::scope::Part { loops: vec![], value: t.value.clone() }).collect()
}
