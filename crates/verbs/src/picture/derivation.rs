//! Energy and constraints as formulas.

use crate::figures::summed;
use cotangent_expr::{
    Array, Domain, Expr, Ix, Layout, Place, Range, Tensor, Term, dependencies, latex_lines, latex_member, latex_name,
    latex_velocity,
};
use cotangent_model::{ConstraintKind, Dynamics, System};
use cotangent_report::Formulas;
use cotangent_theory::{Motion, Space};
use std::sync::Arc;

/// More formulas of one kind are counted, not shown.
const MOST: usize = 12;
/// What fits on a line of a report, in points.
const WIDTH: f64 = 400.0;

/// What the equations of motion are made of.
pub(super) fn derivation(motion: &Motion, model: Option<&System>) -> Formulas {
    let mut formulas = Formulas::new("Derivation");
    formulas.introduction =
        "From the text of the model, with every named sub-expression put in and nothing typed by hand.".into();
    let system = &motion.system;
    let energy = system.dynamics.energy();
    let lagrangian = model.filter(|model| matches!(model.dynamics, Dynamics::Lagrangian { .. }));
    if let Some(model) = lagrangian {
        formulas = from_lagrangian(formulas, model);
    }
    let kind =
        if matches!(system.dynamics, Dynamics::Lagrangian { .. }) { ("Lagrangian", "L") } else { ("Hamiltonian", "H") };
    match scalar(energy).filter(|_| is_closed(energy)) {
        Some(_) if kind.1 == "L" && lagrangian.is_some() => {}
        Some(latex) => formulas = formulas.with(kind.0, format!("{} = {latex}", kind.1)),
        // Where velocities are not known as formulas of the momenta.
        None if lagrangian.is_some() => {
            formulas = formulas.with(kind.0, "H(q, p) = p^T \\dot q - L(q, \\dot q)");
        }
        None => {}
    }
    let hidden = "\\psi = \\frac{\\partial \\varphi}{\\partial q} \\frac{\\partial H}{\\partial p} = 0";
    let kinds = match &motion.space {
        Space::Surface(surface) | Space::Reduced(surface) => [
            ("Constraint", "chi", &surface.constraints, "\\chi = 0"),
            ("Hidden constraint", "chi", &surface.hidden, "\\chi = 0"),
        ],
        Space::Cotangent(structure) => [
            ("Constraint", "varphi", &structure.constraints, "\\varphi(q) = 0"),
            ("Hidden constraint", "psi", &structure.hidden, hidden),
        ],
        Space::Whole => return in_lines(formulas),
    };
    for (label, symbol, tensor, closed) in kinds {
        let mut lines = vec![];
        for array in tensor.shape()[0].arrays().iter().filter(|a| !a.is_empty()) {
            let name = array.name();
            match vector(array, tensor).filter(|_| is_closed(tensor)) {
                Some(list) => lines.extend(list.iter().map(|case| {
                    let left = latex_member(&format!("{symbol}_{name}"), &case.index());
                    (case.label(name), format!("{left} = {}", case.value))
                })),
                None => lines.push((array.name().to_owned(), closed.to_owned())),
            }
        }
        let more = lines.len().saturating_sub(MOST);
        for (name, latex) in lines.into_iter().take(MOST) {
            formulas = formulas.with(format!("{label} {name}"), latex);
        }
        if more > 0 {
            formulas = formulas.with(format!("{label}, {more} more"), closed);
        }
    }
    in_lines(formulas)
}

/// Long formulas over several lines.
fn in_lines(mut formulas: Formulas) -> Formulas {
    for formula in &mut formulas.items {
        let lines = latex_lines(&formula.latex, WIDTH, WIDTH);
        if lines.len() > 1 {
            formula.latex = format!("\\begin{{aligned}}&{}\\end{{aligned}}", lines.join(" \\\\ &"));
        }
    }
    formulas
}

/// Whether a formula has only names of the model, and none of what was solved for on the way.
fn is_closed(tensor: &Tensor) -> bool {
    dependencies(tensor).is_empty()
}

/// L, p = ∂L/∂q̇, and the time derivatives of the constraints on positions, in velocities.
fn from_lagrangian(mut formulas: Formulas, model: &System) -> Formulas {
    let Dynamics::Lagrangian { coordinates, velocities, lagrangian, .. } = &model.dynamics else { return formulas };
    if let Some(latex) = scalar(lagrangian) {
        formulas = formulas.with("Lagrangian", format!("L = {latex}"));
    }
    let mut lines = vec![];
    if let Ok(momenta) = lagrangian.gradient(velocities) {
        for (coordinate, velocity) in coordinates.arrays().iter().zip(velocities.arrays()) {
            let name = coordinate.name();
            let cases = vector(velocity, &momenta).unwrap_or_default();
            lines.extend(cases.iter().map(|case| {
                let index = case.index();
                let (momentum, by) = (latex_member(&format!("p_{name}"), &index), latex_velocity(name, &index));
                let formula = format!("{momentum} = \\frac{{\\partial L}}{{\\partial {by}}} = {}", case.value);
                (format!("Momentum of {}", case.label(name)), formula)
            }));
        }
    }
    for constraint in model.constraints.iter().filter(|c| c.kind == ConstraintKind::Holonomic) {
        let name = constraint.array.name();
        let cases =
            in_velocities(&constraint.residual, coordinates, velocities).and_then(|t| vector(&constraint.array, &t));
        for case in cases.unwrap_or_default() {
            let left = latex_velocity(&format!("varphi_{name}"), &case.index());
            lines.push((
                format!("Hidden constraint {}, in velocities", case.label(name)),
                format!("{left} = {} = 0", case.value),
            ));
        }
    }
    let more = lines.len().saturating_sub(2 * MOST);
    for (label, latex) in lines.into_iter().take(2 * MOST) {
        formulas = formulas.with(label, latex);
    }
    match more {
        0 => formulas,
        more => formulas.with(format!("{more} more"), "p = \\frac{\\partial L}{\\partial \\dot q}"),
    }
}

/// ∂φ/∂q q̇.
fn in_velocities(residual: &Tensor, coordinates: &Layout, velocities: &Layout) -> Option<Tensor> {
    let velocity = |place: &Place| {
        let k = coordinates.arrays().iter().position(|array| array == &place.array)?;
        Some(Expr::at(velocities.arrays().get(k)?, place.index.clone()))
    };
    let mut terms = vec![];
    for term in residual.jacobian(coordinates).ok()?.terms() {
        let [row, column] = term.at.as_slice() else { return None };
        let value = &term.value * &velocity(column)?;
        terms.push(Term { domain: term.domain.clone(), at: vec![row.clone()], value });
    }
    Tensor::new(residual.shape().to_vec(), terms).ok()
}

/// Members of a family with one formula.
struct Case {
    /// Nothing for a single quantity; a number, or a first and a last one.
    members: Option<(i64, i64)>,
    value: String,
}

impl Case {
    /// What stands below the name: nothing, a number, or i.
    fn index(&self) -> Vec<String> {
        match self.members {
            None => vec![],
            Some((a, b)) if a == b => vec![a.to_string()],
            Some(_) => vec!["i".to_owned()],
        }
    }

    /// The name of the quantity, and for which members the formula is.
    fn label(&self, name: &str) -> String {
        match self.members {
            None => name.to_owned(),
            Some((a, b)) if a == b => format!("{name}[{a}]"),
            Some((a, b)) => format!("{name}[i], i = {a}, …, {b}"),
        }
    }
}

/// The sum of all terms.
fn scalar(tensor: &Tensor) -> Option<String> {
    let terms: Option<Vec<String>> = tensor.terms().iter().map(|t| summand(t, 0, &[])).collect();
    Some(summed(&terms?))
}

/// The entries of a vector that belong to an array of at most one index; `None` if there is no
/// formula for them.
fn vector(array: &Array, tensor: &Tensor) -> Option<Vec<Case>> {
    let mut parts: Vec<Part<'_>> = vec![];
    for term in tensor.terms() {
        let place = term.at.first()?;
        if place.array.name() == array.name() {
            parts.push(Part::new(term, &place.index)?);
        }
    }
    if array.dims().is_empty() {
        let terms: Option<Vec<String>> = parts.iter().map(|p| summand(p.term, 0, &[])).collect();
        return Some(vec![Case { members: None, value: summed(&terms?) }]);
    }
    let [dim] = array.dims() else { return None };
    // Between two of these numbers the same terms are added up.
    let mut cuts: Vec<i64> = parts.iter().flat_map(|p| [p.members.0, p.members.1 + 1]).collect();
    cuts.extend([dim.first, dim.last() + 1]);
    cuts.sort_unstable();
    cuts.dedup();
    if cuts.len() > MOST {
        return None;
    }
    let mut cases = vec![];
    for w in cuts.windows(2) {
        let (low, high) = (w[0], w[1] - 1);
        let own = parts.iter().filter(|p| p.members.0 <= low && high <= p.members.1);
        let terms: Option<Vec<String>> = own.map(|p| p.at(low, high)).collect();
        cases.push(Case { members: Some((low, high)), value: summed(&terms?) });
    }
    Some(cases)
}

/// A term and the members that it adds to.
struct Part<'a> {
    term: &'a Term,
    members: (i64, i64),
    /// The member is variable 0 plus this; `None` if it is one member and no variable belongs to it.
    shift: Option<i64>,
}

impl Part<'_> {
    fn new<'a>(term: &'a Term, index: &[Ix]) -> Option<Part<'a>> {
        let Domain::Ranges(ranges) = &term.domain else { return None };
        match index {
            [] => Some(Part { term, members: (0, 0), shift: None }),
            [one] => match (one.as_constant(), one.as_shifted_var()) {
                (Some(k), _) => Some(Part { term, members: (k, k), shift: None }),
                (None, Some((0, shift))) => {
                    let first = ranges.first()?;
                    let (low, high) = (first.low.as_constant()?, first.high.as_constant()?);
                    Some(Part { term, members: (low + shift, high + shift), shift: Some(shift) })
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The term for a member of these.
    fn at(&self, low: i64, high: i64) -> Option<String> {
        match self.shift {
            None => summand(self.term, 0, &[]),
            Some(shift) if low == high => summand(self.term, 1, &[Ix::constant(low - shift)]),
            Some(shift) => summand(self.term, 1, &[Ix::var(0).shifted(-shift)]),
        }
    }
}

/// A term, whose first variables have these values; over the others it is a sum.
fn summand(term: &Term, bound: usize, by: &[Ix]) -> Option<String> {
    let Domain::Ranges(ranges) = &term.domain else { return None };
    let mut names: Vec<Arc<str>> = ranges.iter().map(|r| r.name.clone()).collect();
    if let (Some(first), true) = (names.first_mut(), bound > 0) {
        *first = "i".into();
    }
    // Further variables stay as they are, under another letter than the member's.
    for name in names.iter_mut().skip(bound).filter(|n| bound > 0 && n.as_ref() == "i") {
        *name = "j".into();
    }
    let index = |ix: &Ix| Expr::index(ix.substitute(by)).latex(&names);
    let sums: String = ranges
        .iter()
        .zip(&names)
        .skip(bound)
        .map(|(Range { low, high, .. }, name)| {
            format!("\\sum_{{{}={}}}^{{{}}} ", latex_name(name), index(low), index(high))
        })
        .collect();
    let value = term.value.instantiate(by).latex(&names);
    let compound = value.contains(" + ") || value.contains(" - ") || value.starts_with('-');
    Some(match (sums.is_empty(), compound) {
        (false, true) => format!("{sums}\\left({value}\\right)"),
        _ => format!("{sums}{value}"),
    })
}
