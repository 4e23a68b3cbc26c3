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
                    let left = latex_member(&format!("{symbol}_{name}"), &case.index);
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
                let index = &case.index;
                let (momentum, by) = (latex_member(&format!("p_{name}"), index), latex_velocity(name, index));
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
            let left = latex_velocity(&format!("varphi_{name}"), &case.index);
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
    /// What stands below the name: nothing, or for each index a number or a letter.
    index: Vec<String>,
    /// For which members the formula is: `, i = 1, …, 3`.
    ranges: String,
    value: String,
}

/// What the indices of a member are called.
const LETTERS: [&str; 4] = ["i", "j", "k", "l"];

impl Case {
    /// The members between the first and the last value of each index.
    fn new(members: &[(i64, i64)], value: String) -> Case {
        let one = |(&(a, b), letter): (&(i64, i64), &&str)| if a == b { a.to_string() } else { (*letter).to_owned() };
        let several = members.iter().zip(LETTERS).filter(|((a, b), _)| a != b);
        Case {
            index: members.iter().zip(&LETTERS).map(one).collect(),
            ranges: several.map(|((a, b), letter)| format!(", {letter} = {a}, …, {b}")).collect(),
            value,
        }
    }

    /// The name of the quantity, and for which members the formula is.
    fn label(&self, name: &str) -> String {
        match self.index.is_empty() {
            true => name.to_owned(),
            false => format!("{name}[{}]{}", self.index.join(", "), self.ranges),
        }
    }
}

/// The sum of all terms.
fn scalar(tensor: &Tensor) -> Option<String> {
    let terms: Option<Vec<String>> = tensor.terms().iter().map(|t| summand(t, &[])).collect();
    Some(summed(&terms?))
}

/// The entries of a vector that belong to an array; `None` if there is no formula for them.
fn vector(array: &Array, tensor: &Tensor) -> Option<Vec<Case>> {
    if array.members().is_some() {
        return triangle(array, tensor).map(|case| vec![case]);
    }
    let dims = array.dims();
    if dims.len() > LETTERS.len() {
        return None;
    }
    let mut parts: Vec<Part<'_>> = vec![];
    for term in tensor.terms() {
        let place = term.at.first()?;
        if place.array.name() == array.name() {
            parts.push(Part::new(term, &place.index)?);
        }
    }
    // Between two of these numbers of each index the same terms are added up.
    let mut boxes: Vec<Vec<(i64, i64)>> = vec![vec![]];
    for (d, dim) in dims.iter().enumerate() {
        let mut cuts: Vec<i64> = parts.iter().flat_map(|p| [p.members[d].0, p.members[d].1 + 1]).collect();
        cuts.extend([dim.first, dim.last() + 1]);
        cuts.sort_unstable();
        cuts.dedup();
        let with = |outer: &Vec<(i64, i64)>| {
            let inner = cuts.windows(2).map(|w| (w[0], w[1] - 1));
            inner.map(|one| outer.iter().copied().chain([one]).collect()).collect::<Vec<_>>()
        };
        boxes = boxes.iter().flat_map(with).collect();
        if boxes.len() >= MOST {
            return None;
        }
    }
    let case = |members: Vec<(i64, i64)>| {
        let terms: Option<Vec<String>> = parts.iter().filter(|p| p.has(&members)).map(|p| p.at(&members)).collect();
        Some(Case::new(&members, summed(&terms?)))
    };
    boxes.into_iter().map(case).collect()
}

/// All members of a family over ranges that depend on one another, such as i in 2..n, j in 1..i-1.
fn triangle(array: &Array, tensor: &Tensor) -> Option<Case> {
    let own: Vec<&Term> = tensor.terms().iter().filter(|t| t.at.first().is_some_and(|at| at.array == *array)).collect();
    let first = own.first()?;
    let index = array.shown_index(&first.at.first()?.index);
    let Domain::Ranges(ranges) = &first.domain else { return None };
    let ranges = ranges.get(..index.len()).filter(|_| index.len() <= LETTERS.len())?;
    // The outer variables of every term are the indices of the member, in their order.
    let in_order = |term: &&Term| {
        let Domain::Ranges(all) = &term.domain else { return false };
        let index = array.shown_index(&term.at[0].index);
        let is_own = |(k, i): (usize, &Ix)| i.as_shifted_var() == Some((k as u8, 0));
        index.iter().enumerate().all(is_own) && all.get(..index.len()).is_some_and(|outer| same(outer, ranges))
    };
    if !own.iter().all(in_order) {
        return None;
    }
    let one = |v: usize| Bound { variable: v, letter: LETTERS[v], value: Ix::var(v as u8) };
    let bound: Vec<Bound> = (0..index.len()).map(one).collect();
    let value: Option<Vec<String>> = own.iter().map(|term| summand(term, &bound)).collect();
    let names: Vec<Arc<str>> = LETTERS.iter().map(|letter| (*letter).into()).collect();
    let text = |ix: &Ix| Expr::index(ix.clone()).latex(&names);
    let range =
        |(range, letter): (&Range, &str)| format!(", {letter} = {}, …, {}", text(&range.low), text(&range.high));
    Some(Case {
        index: LETTERS[..index.len()].iter().map(|letter| (*letter).to_owned()).collect(),
        ranges: ranges.iter().zip(LETTERS).map(range).collect(),
        value: summed(&value?),
    })
}

/// Whether ranges are the same, whatever their variables are called.
fn same(a: &[Range], b: &[Range]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.low == b.low && a.high == b.high)
}

/// A term and the members that it adds to.
struct Part<'a> {
    term: &'a Term,
    /// The first and the last value of each index.
    members: Vec<(i64, i64)>,
    /// Each index is a variable of the term plus a number; `None` if it is one number, and no variable belongs to it.
    shifts: Vec<Option<(usize, i64)>>,
}

impl Part<'_> {
    fn new<'a>(term: &'a Term, index: &[Ix]) -> Option<Part<'a>> {
        let Domain::Ranges(ranges) = &term.domain else { return None };
        let mut part = Part { term, members: vec![], shifts: vec![] };
        for one in index {
            let (members, shift) = match (one.as_constant(), one.as_shifted_var()) {
                (Some(k), _) => ((k, k), None),
                (None, Some((variable, shift))) => {
                    let range = ranges.get(usize::from(variable))?;
                    let (low, high) = (range.low.as_constant()?, range.high.as_constant()?);
                    ((low + shift, high + shift), Some((usize::from(variable), shift)))
                }
                _ => return None,
            };
            // A variable in two indices: members on a diagonal, which is no box.
            if shift.is_some_and(|(v, _)| part.shifts.iter().flatten().any(|(other, _)| *other == v)) {
                return None;
            }
            part.members.push(members);
            part.shifts.push(shift);
        }
        Some(part)
    }

    /// Whether it adds to all of these members.
    fn has(&self, members: &[(i64, i64)]) -> bool {
        self.members.iter().zip(members).all(|(own, some)| own.0 <= some.0 && some.1 <= own.1)
    }

    /// The term for a member of these.
    fn at(&self, members: &[(i64, i64)]) -> Option<String> {
        let one = |(d, shift): (usize, &Option<(usize, i64)>)| {
            let ((variable, shift), (low, high)) = ((*shift)?, members[d]);
            let value = if low == high { Ix::constant(low - shift) } else { Ix::var(variable as u8).shifted(-shift) };
            Some(Bound { variable, letter: LETTERS[d], value })
        };
        summand(self.term, &self.shifts.iter().enumerate().filter_map(one).collect::<Vec<_>>())
    }
}

/// A variable of a term that the index of a member gives.
struct Bound {
    variable: usize,
    letter: &'static str,
    value: Ix,
}

/// A term, some of whose variables have these values; over the others it is a sum.
fn summand(term: &Term, bound: &[Bound]) -> Option<String> {
    let Domain::Ranges(ranges) = &term.domain else { return None };
    let letters: Vec<&str> = bound.iter().map(|b| b.letter).collect();
    let mut names: Vec<Arc<str>> = vec![];
    for (v, range) in ranges.iter().enumerate() {
        let own = bound.iter().find(|b| b.variable == v).map(|b| b.letter);
        // Further variables stay as they are, under another letter than those of the member.
        let known = |letter: &str| ranges.iter().map(|r| &r.name).chain(&names).any(|name| name.as_ref() == letter);
        let is_free = |letter: &str| !letters.contains(&letter) && !known(letter);
        let other = LETTERS.into_iter().chain(["m", "n"]).find(|letter| is_free(letter));
        names.push(match own {
            Some(letter) => letter.into(),
            None if letters.contains(&range.name.as_ref()) => other?.into(),
            None => range.name.clone(),
        });
    }
    let value = |v: usize| bound.iter().find(|b| b.variable == v).map_or(Ix::var(v as u8), |b| b.value.clone());
    let by: Vec<Ix> = (0..ranges.len()).map(value).collect();
    let index = |ix: &Ix| Expr::index(ix.substitute(&by)).latex(&names);
    let free = ranges.iter().zip(&names).enumerate().filter(|(v, _)| !bound.iter().any(|b| b.variable == *v));
    let sums: String = free
        .map(|(_, (Range { low, high, .. }, name))| {
            format!("\\sum_{{{}={}}}^{{{}}} ", latex_name(name), index(low), index(high))
        })
        .collect();
    let value = term.value.instantiate(&by).latex(&names);
    let compound = value.contains(" + ") || value.contains(" - ") || value.starts_with('-');
    Some(match (sums.is_empty(), compound) {
        (false, true) => format!("{sums}\\left({value}\\right)"),
        _ => format!("{sums}{value}"),
    })
}
