//! Checks a system: from its formulas and values to a document.

use super::claims;
use super::document::{
    Checked, Claim, Document, Energy, Formula, JacobiFailure, Line, Parameter, Refusal, RunNumber, RunSetting,
    Variable, Worst,
};
use super::formula::{Case, Written, cases, lets, pairings, written_energy};
use super::values::{Start, Values, range};
use crate::failure::{Code, Failure, Problem};
use crate::input::Input;
use crate::kind::{ConstraintKind, GivenAs, Role};
use crate::setup::{AlmostPoisson, almost_poisson};
use cotangent_compile::values::{self, Setting};
use cotangent_expr::{Array, Layout, Tensor};
use cotangent_model::diagnostic::Lines;
use cotangent_model::syntax::ast::File;
use cotangent_model::{Constraint, Dynamics, Quantity, RunValue, Sign, System};
use cotangent_problem::consistency::{Measured, measure};
use cotangent_scalar::Limits;
use std::collections::BTreeMap;

/// The codes of failures of a singular start.
const SINGULAR: [Code; 5] =
    [Code::Singular, Code::Irregular, Code::NoValue, Code::SingularLagrangian, Code::SingularForm];

impl Document {
    pub(super) fn new(
        system: &System,
        input: &Input,
        file: &File,
        set: &[Setting],
        limits: &Limits,
    ) -> Result<Document, Failure> {
        let text = Text { written: Written::new(file, &input.source) };
        let lines = Lines::new(&input.source);
        let parameters = values::parameters(system, set)?;
        let initial = values::initial(system, &parameters, set)?;
        let residuals = measure(|at| values::constraint_residuals(system, &parameters, at), &initial)?;
        let hidden =
            measure(|at| Ok(values::hidden_residuals(system, &parameters, at)?.unwrap_or_default()), &initial)?;
        let energy = values::energy(system, &parameters, &initial)?;
        let constraints = checked(system, &text, &residuals, &hidden);
        let pairs = pairings(file, &input.source);
        let is_form = matches!(system.dynamics, Dynamics::Form { .. });
        let (brackets, form) = if is_form { (vec![], pairs) } else { (pairs, vec![]) };
        let (jacobi, undecided) = almost_poisson(system, set, limits);
        Ok(Document {
            name: system.name.clone(),
            title: system.title.clone(),
            file: input.name.clone(),
            kind: (&system.dynamics).into(),
            sizes: sizes(system),
            variables: variables(system),
            integers: system.integers.iter().cloned().collect(),
            parameters: parameter_values(system, &parameters),
            lets: lets(file, &input.source).into_iter().map(Line::from).collect(),
            energy: Energy {
                given_as: match system.dynamics {
                    Dynamics::Lagrangian { .. } => GivenAs::Lagrangian,
                    _ => GivenAs::Hamiltonian,
                },
                expression: system.dynamics.energy().to_string(),
                written: written_energy(file, &input.source),
                initial: energy.filter(|e| e.is_finite()),
                finite: energy.map(f64::is_finite),
            },
            bracket: brackets,
            jacobi_failure: jacobi.map(|AlmostPoisson { variables, sum, .. }| JacobiFailure { variables, sum }),
            form,
            consistent: verdict(&constraints),
            singular: None,
            refused: None,
            constraints,
            gauges: system.gauges.iter().map(|g| text.formula(&g.array, &g.residual)).collect(),
            claims: system
                .claims
                .iter()
                .zip(claims::test(system, set, limits))
                .map(|(c, tested)| Claim {
                    kind: c.kind.into(),
                    formula: text.quantity(&c.quantity),
                    test: tested.entry,
                    verdict: tested.text,
                })
                .collect(),
            observables: system.observables.iter().map(|q| text.quantity(q)).collect(),
            splits: system.splits.iter().map(|q| text.quantity(q)).collect(),
            split_defect: values::split_defect(system, &parameters)?,
            run: run_settings(system),
            initial: Start::new(system, &initial, set),
            warnings: system.warnings.iter().map(|d| Problem::new(d, &input.name, &lines)).collect(),
            notes: undecided.into_iter().collect(),
        })
    }

    /// Whether everything that could be checked holds.
    pub(super) fn held(&self) -> bool {
        self.consistent != Some(false)
            && !self.refused.as_ref().is_some_and(|r| r.is_mistake)
            && self.energy.finite != Some(false)
            && self.splits_add_up() != Some(false)
            && !self.claims.iter().any(Claim::is_refuted)
    }

    /// `run` refuses the model.
    pub(super) fn refuse(&mut self, failure: &Failure, is_mistake: bool) {
        let Failure::Refused { code, message, help } = failure else { return };
        match *code {
            Code::Inconsistent => self.consistent = Some(false),
            _ if is_mistake && SINGULAR.contains(code) => self.singular = Some(message.clone()),
            _ => {}
        }
        self.refused = Some(Refusal { code: *code, message: message.clone(), help: help.clone(), is_mistake });
    }

    /// Whether the parts of the energy add up, if there are parts.
    pub(super) fn splits_add_up(&self) -> Option<bool> {
        self.split_defect.filter(|d| !d.is_nan()).map(|d| d <= values::SPLIT_TOLERANCE)
    }
}

/// The model text, for formulas that are shown as written.
struct Text<'a> {
    written: Written<'a>,
}

impl Text<'_> {
    fn quantity(&self, q: &Quantity) -> Formula {
        self.formula(&q.array, &q.value)
    }

    fn formula(&self, array: &Array, value: &Tensor) -> Formula {
        let found =
            cases(array, value).or_else(|| self.written.of(array.name()).map(|case| vec![case])).unwrap_or_default();
        let own = self.written.with_let(array.name());
        Formula {
            name: array.name().to_owned(),
            members: array.len(),
            cases: found.into_iter().map(Line::from).collect(),
            written: own.map(Line::from),
        }
    }
}

impl From<Case> for Line {
    fn from(case: Case) -> Line {
        Line { members: case.head, expression: case.value }
    }
}

fn sizes(system: &System) -> BTreeMap<&'static str, usize> {
    let constraints = system.constraints.iter().map(|c| c.array.len()).sum();
    let parameters = system.parameter_layout().len();
    let mut sizes = BTreeMap::from([("constraints", constraints), ("parameters", parameters)]);
    let variables = system.dynamics.variables().len();
    match system.dynamics.momenta() {
        Some(momenta) => {
            sizes.insert("coordinates", variables);
            sizes.insert("momenta", momenta.len());
        }
        None => {
            sizes.insert("variables", variables);
        }
    }
    sizes
}

fn variables(system: &System) -> Vec<Variable> {
    let of = |layout: &Layout, role: Role| -> Vec<Variable> {
        let variable = |a: &Array| Variable { name: a.name().to_owned(), role, range: range(a), members: a.len() };
        layout.arrays().iter().map(variable).collect()
    };
    match system.dynamics.momenta() {
        Some(momenta) => {
            let mut all = of(system.dynamics.variables(), Role::Coordinate);
            all.extend(of(momenta, Role::Momentum));
            all
        }
        None => of(system.dynamics.variables(), Role::Variable),
    }
}

fn parameter_values(system: &System, values: &[f64]) -> Vec<Parameter> {
    let mut rest = values;
    let mut list = vec![];
    for p in &system.parameters {
        let (own, after) = rest.split_at_checked(p.array.len()).unwrap_or((rest, &[]));
        rest = after;
        let sign = p.sign.map(|s| match s {
            Sign::Positive => "> 0",
            Sign::NonNegative => ">= 0",
            Sign::Negative => "< 0",
            Sign::NonPositive => "<= 0",
            Sign::NonZero => "!= 0",
        });
        list.push(Parameter { values: Values::new(&p.array, own), sign });
    }
    list
}

fn run_settings(system: &System) -> Vec<RunSetting> {
    let value = |v: &RunValue| match v {
        RunValue::Word(word) => RunNumber::Text(word.clone()),
        RunValue::Lapse(lapse) => RunNumber::Text(lapse.name().to_owned()),
        RunValue::Expression(e) => match e.as_number() {
            Some(n) => RunNumber::Number(n.to_f64()),
            None => RunNumber::Text(e.to_string()),
        },
    };
    system.run.iter().map(|(key, v)| RunSetting { key: key.name(), value: value(v) }).collect()
}

/// Each constraint with the residuals of its members.
fn checked(system: &System, text: &Text<'_>, residuals: &[Measured], hidden: &[Measured]) -> Vec<Checked> {
    let (mut residuals, mut hidden) = (residuals, hidden);
    let one = |c: &Constraint| Checked {
        kind: c.kind.into(),
        formula: text.formula(&c.array, &c.residual),
        residual: take(&mut residuals, &c.array),
        hidden_residual: take(&mut hidden, &c.array),
    };
    system.constraints.iter().map(one).collect()
}

/// The worst of an array's residuals, if they come next in the list.
fn take(list: &mut &[Measured], array: &Array) -> Option<Worst> {
    let first = list.first()?;
    if array.is_empty() || first.name != array.element_name(&array.multi_index(0)) {
        return None;
    }
    let (own, rest) = list.split_at_checked(array.len())?;
    *list = rest;
    // A violated member before one that is larger but holds; not a number before all.
    let rank = |m: &Measured| (!m.holds(), if m.value.is_nan() { f64::INFINITY } else { m.value.abs() });
    let worst = own.iter().fold(first, |w, m| if rank(m) > rank(w) { m } else { w });
    Some(Worst {
        value: worst.value,
        max_abs: worst.value.abs(),
        at: worst.name.clone(),
        holds: worst.holds(),
        violated: own.iter().filter(|m| !m.holds()).count(),
    })
}

fn verdict(constraints: &[Checked]) -> Option<bool> {
    let results = || constraints.iter().flat_map(|c| [&c.residual, &c.hidden_residual]).flatten();
    if results().any(|w| !w.holds) {
        return Some(false);
    }
    let is_checked = |c: &Checked| {
        c.formula.members == 0
            || c.residual.is_some() && (c.kind != ConstraintKind::Holonomic || c.hidden_residual.is_some())
    };
    constraints.iter().all(is_checked).then_some(true)
}
