//! Velocity constraints that are constraints on positions in disguise.
//!
//! ω = Σ gₐ(q) dqₐ vanishes along the motions. Frobenius: the constraint ω = 0 is integrable, equivalent to f(q) = const for
//! some function f, where ω ∧ dω = 0,
//!
//! ```text
//! gₐ (∂_b g_c − ∂_c g_b) + g_b (∂_c gₐ − ∂ₐ g_c) + g_c (∂ₐ g_b − ∂_b gₐ) = 0   for all a < b < c.
//! ```
//!
//! Several constraints ω₁ = … = ω_m = 0 may be integrable together, though none is by itself: where dω_k ∧ ω₁ ∧ … ∧ ω_m = 0 for
//! all k, so that m functions of the positions stay what they are.
//!
//! If dω = 0 as it is written, f with df = ω is looked for, variable by variable; powers, sines and cosines are integrated.

use crate::algebra::Field;
use crate::error::AnalysisError;
use cotangent_expr::{Expr, Function, Layout, Node, Number, Tensor};
use cotangent_model::{ConstraintKind, Dynamics, System};
use cotangent_theory::phase::{gradient, symbols};

/// More coordinates are not looked at, three by three.
const LARGEST: usize = 40;

/// A velocity constraint that is integrable.
#[derive(Clone, Debug)]
pub struct Integrable {
    /// The constraint, with its index.
    pub constraint: String,
    /// f, whose time derivative it is, where it was found.
    pub integral: Option<Expr>,
}

/// The velocity constraints of a model that are integrable, each by itself; proved by symbols.
pub fn integrable(system: &System) -> Result<Vec<Integrable>, AnalysisError> {
    let Dynamics::Lagrangian { coordinates, velocities, .. } = &system.dynamics else { return Ok(vec![]) };
    if coordinates.len() > LARGEST {
        return Ok(vec![]);
    }
    let mut found = vec![];
    for c in system.constraints.iter().filter(|c| c.kind == ConstraintKind::Vakonomic) {
        for (k, residual) in c.residual.expand()?.entries().into_iter().enumerate() {
            let constraint = c.array.element_name(&c.array.multi_index(k));
            let Some(form) = Form::new(&residual, coordinates, velocities)? else { continue };
            let mut field = Field::default();
            if form.is_integrable(&mut field) {
                found.push(Integrable { constraint, integral: form.integral(&mut field)? });
            }
        }
    }
    Ok(found)
}

/// More products are not made for constraints together.
const MOST_PRODUCTS: usize = 20_000;

/// The velocity constraints of a model, if they are integrable together and not each by itself: all of them, with their
/// indices; proved by symbols.
pub fn jointly_integrable(system: &System) -> Result<Option<Vec<String>>, AnalysisError> {
    let Dynamics::Lagrangian { coordinates, velocities, .. } = &system.dynamics else { return Ok(None) };
    let (mut names, mut forms) = (vec![], vec![]);
    for c in system.constraints.iter().filter(|c| c.kind == ConstraintKind::Vakonomic) {
        for (k, residual) in c.residual.expand()?.entries().into_iter().enumerate() {
            let Some(form) = Form::new(&residual, coordinates, velocities)? else { return Ok(None) };
            names.push(c.array.element_name(&c.array.multi_index(k)));
            forms.push(form);
        }
    }
    let mut field = Field::default();
    let (n, m) = (coordinates.len(), forms.len());
    if m < 2 || m > n || forms.iter().all(|form| form.is_integrable(&mut field)) {
        return Ok(None);
    }
    let products = |size: usize| subsets(n, size).map(|list| list.len() * (1..=m).product::<usize>());
    let few = |size: usize| size > n || products(size).is_some_and(|count| count <= MOST_PRODUCTS);
    if m > 5 || !few(m) || !few(m + 2) {
        return Ok(None);
    }
    let mut vanishes = |e: &Expr| field.normal(e).map(|f| f.is_zero());
    let all: Vec<usize> = (0..m).collect();
    // ω₁ ∧ … ∧ ω_m ≠ 0: they are independent.
    let independent = subsets(n, m).unwrap_or_default();
    if !independent.iter().any(|columns| vanishes(&determinant(&forms, &all, columns)) == Some(false)) {
        return Ok(None);
    }
    for form in &forms {
        for columns in subsets(n, m + 2).unwrap_or_default() {
            if vanishes(&form.wedge(&forms, &all, &columns)) != Some(true) {
                return Ok(None);
            }
        }
    }
    Ok(Some(names))
}

/// The sets of so many of the first n numbers, ascending; none if they are too many.
fn subsets(n: usize, size: usize) -> Option<Vec<Vec<usize>>> {
    let mut found = vec![vec![]];
    for _ in 0..size {
        let longer = |list: &Vec<usize>| {
            let list = list.clone();
            let first = list.last().map_or(0, |k| k + 1);
            (first..n).map(move |k| [&list[..], &[k]].concat()).collect::<Vec<_>>()
        };
        found = found.iter().flat_map(longer).collect();
        if found.len() > MOST_PRODUCTS {
            return None;
        }
    }
    Some(found)
}

/// The determinant of gₐ for these forms and coordinates, expanded by its first row.
fn determinant(forms: &[Form], rows: &[usize], columns: &[usize]) -> Expr {
    let Some((&row, rest)) = rows.split_first() else { return Expr::one() };
    let entry = |(k, &column): (usize, &usize)| {
        let g = &forms[row].entries[column];
        if g.is_zero() {
            return Expr::zero();
        }
        let others: Vec<usize> = columns.iter().copied().filter(|c| *c != column).collect();
        let minor = g * determinant(forms, rest, &others);
        if k % 2 == 0 { minor } else { -minor }
    };
    Expr::sum(columns.iter().enumerate().map(entry))
}

/// ω, and ∂_b gₐ.
struct Form {
    coordinates: Layout,
    symbols: Vec<Expr>,
    entries: Vec<Expr>,
    derivatives: Vec<Vec<Expr>>,
}

impl Form {
    /// The form of a constraint; `None` if that is not linear in the velocities.
    fn new(residual: &Expr, coordinates: &Layout, velocities: &Layout) -> Result<Option<Form>, AnalysisError> {
        let slopes = gradient(residual, velocities)?;
        let n = coordinates.len();
        let entries: Vec<Expr> = (0..n).map(|k| slopes.get(&k).cloned().unwrap_or_else(Expr::zero)).collect();
        let power = Expr::sum(entries.iter().zip(symbols(velocities)).map(|(g, v)| g * v));
        if !Field::default().simplified(&(residual - power)).is_zero() {
            return Ok(None);
        }
        let mut derivatives = vec![];
        for g in &entries {
            if Tensor::scalar(g.clone())?.depends_on(velocities) {
                return Ok(None);
            }
            let row = gradient(g, coordinates)?;
            derivatives.push((0..n).map(|k| row.get(&k).cloned().unwrap_or_else(Expr::zero)).collect());
        }
        Ok(Some(Form { coordinates: coordinates.clone(), symbols: symbols(coordinates), entries, derivatives }))
    }

    /// ∂ₐ g_b − ∂_b gₐ
    fn turn(&self, a: usize, b: usize) -> Expr {
        &self.derivatives[b][a] - &self.derivatives[a][b]
    }

    /// An entry of dω ∧ ω₁ ∧ … ∧ ω_m.
    fn wedge(&self, forms: &[Form], rows: &[usize], columns: &[usize]) -> Expr {
        let mut terms = vec![];
        for (i, &a) in columns.iter().enumerate() {
            for (j, &b) in columns.iter().enumerate().skip(i + 1) {
                let turn = self.turn(a, b);
                if turn.is_zero() {
                    continue;
                }
                let others: Vec<usize> = columns.iter().copied().filter(|c| *c != a && *c != b).collect();
                let term = turn * determinant(forms, rows, &others);
                // The sign of the order (a, b, others).
                terms.push(if (i + j) % 2 == 1 { term } else { -term });
            }
        }
        Expr::sum(terms)
    }

    fn is_integrable(&self, field: &mut Field) -> bool {
        let n = self.entries.len();
        let mut vanishes = |e: Expr| field.normal(&e).is_some_and(|f| f.is_zero());
        let g = &self.entries;
        (0..n).all(|a| {
            (a + 1..n).all(|b| {
                (b + 1..n).all(|c| {
                    let all = &g[a] * self.turn(b, c) + &g[b] * self.turn(c, a) + &g[c] * self.turn(a, b);
                    vanishes(all)
                })
            })
        })
    }

    /// f with df = ω, if dω = 0 and the integrals are known.
    fn integral(&self, field: &mut Field) -> Result<Option<Expr>, AnalysisError> {
        let mut f = Expr::zero();
        for (a, g) in self.entries.iter().enumerate() {
            let known = gradient(&f, &self.coordinates)?.get(&a).cloned().unwrap_or_else(Expr::zero);
            let Some(more) = antiderivative(&(g - known), &self.symbols[a], field) else { return Ok(None) };
            f = f + more;
        }
        let slopes = gradient(&f, &self.coordinates)?;
        for (a, g) in self.entries.iter().enumerate() {
            let left = g - slopes.get(&a).cloned().unwrap_or_else(Expr::zero);
            if !field.normal(&left).is_some_and(|f| f.is_zero()) {
                return Ok(None);
            }
        }
        Ok((!f.is_zero()).then(|| field.simplified(&f)))
    }
}

/// ∫ e dx for a sum of terms c xᵏ, c sin x and c cos x with c free of x.
fn antiderivative(e: &Expr, x: &Expr, field: &mut Field) -> Option<Expr> {
    let fraction = field.normal(e)?;
    if fraction.is_zero() {
        return Some(Expr::zero());
    }
    let below = field.sum(&fraction.denominator)?;
    if contains(&below, x) {
        return None;
    }
    let mut terms = vec![];
    for (monomial, &c) in &fraction.numerator.0 {
        let (mut constant, mut power, mut function) = (Expr::number(i64::try_from(c).ok()?), 0i64, None);
        for &(v, k) in &monomial.0 {
            let symbol = field.symbol(v);
            match symbol.node() {
                _ if symbol == x => power = i64::from(k),
                Node::Call(own @ (Function::Sin | Function::Cos), args) if args[0] == *x && k == 1 => {
                    function = Some(*own);
                }
                _ if contains(symbol, x) => return None,
                _ => constant = constant * symbol.powi(i64::from(k)),
            }
        }
        terms.push(match (function, power) {
            (None, k) => constant * x.powi(k + 1) * Expr::number(Number::ratio(1, k + 1)?),
            (Some(Function::Sin), 0) => -(constant * Expr::call(Function::Cos, vec![x.clone()])),
            (Some(Function::Cos), 0) => constant * Expr::call(Function::Sin, vec![x.clone()]),
            _ => return None,
        });
    }
    Some(Expr::sum(terms) / below)
}

fn contains(e: &Expr, x: &Expr) -> bool {
    e.leaves().iter().any(|leaf| leaf == x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(constraints: &str) -> Vec<(String, Option<String>)> {
        let text = format!(
            "param c = 2\ncoord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2\nvakonomic {constraints}\ninitial x = 1\n"
        );
        let list = integrable(&System::parse(&text).unwrap()).unwrap();
        list.into_iter().map(|i| (i.constraint, i.integral.map(|f| f.to_string()))).collect()
    }

    #[test]
    fn a_total_time_derivative_is_found_and_its_integral_too() {
        let [(name, Some(integral))] = &found("a: x*x' + c*y*y' + z*cos(z)*0*z' + cos(z)*z' = 0")[..] else {
            panic!("one constraint")
        };
        assert_eq!(name, "a");
        // d/dt (x²/2 + c y²/2 + sin z).
        assert_eq!(integral, "c*y^2/2 + x^2/2 + sin(z)");
        assert_eq!(found("a: y*x' + x*y' = 0"), [("a".to_owned(), Some("x*y".to_owned()))]);
    }

    #[test]
    fn an_integrating_factor_is_enough_to_be_integrable() {
        // y dx − x dy is y² d(x/y).
        assert_eq!(found("a: y*x' - x*y' = 0"), [("a".to_owned(), None)]);
    }

    #[test]
    fn contact_forms_are_not_integrable_and_what_is_not_linear_is_no_form() {
        assert_eq!(found("a: z' - y*x' + x*y' = 0"), []);
        assert_eq!(found("a: x'*sin(z) - y'*cos(z) = 0"), []);
        assert_eq!(found("a: x'^2 + y'^2 = 1"), []);
        assert_eq!(found("a: x' = 1"), []);
    }
    fn together(coordinates: &str, constraints: &str) -> Option<Vec<String>> {
        let speeds: Vec<String> = coordinates.split(", ").map(|q| format!("{q}'^2")).collect();
        let text = format!(
            "coord {coordinates}\nlagrangian ({})/2\nvakonomic {constraints}\ninitial x = 1\n",
            speeds.join(" + ")
        );
        jointly_integrable(&System::parse(&text).unwrap()).unwrap()
    }

    /// dz − y dx and dy − w dx are contact forms; with a third one nothing but curves is left of four dimensions.
    #[test]
    fn constraints_may_be_integrable_together_though_none_is_by_itself() {
        let both = Some(vec!["a".to_owned(), "b".to_owned()]);
        // In three dimensions two of them leave curves.
        assert_eq!(together("x, y, z", "a: z' - y*x' = 0, b: y' + x*z' = 0"), both);
        // d(z − x y) and d(w − x y), mixed by a matrix of functions: each has an own turn.
        let mixed = "a: z' - y*x' - x*y' + x*(w' - y*x' - x*y') = 0, b: (w' - y*x' - x*y') + y*(z' - y*x' - x*y') = 0";
        assert_eq!(together("x, y, z, w", mixed), both);
        // The derived forms of a curve's jets: dy − z dx, dz − w dx (Engel) are not, nor is one contact form with another.
        assert_eq!(together("x, y, z, w", "a: y' - z*x' = 0, b: z' - w*x' = 0"), None);
        assert_eq!(together("x, y, z, u, v", "a: z' - y*x' = 0, b: v' - u*x' = 0"), None);
        // Each by itself is said of each.
        assert_eq!(together("x, y, z", "a: x*x' + y*y' = 0, b: z' = 0"), None);
        // The same twice says nothing.
        assert_eq!(together("x, y, z", "a: z' - y*x' = 0, b: 2*z' - 2*y*x' = 0"), None);
    }
}
