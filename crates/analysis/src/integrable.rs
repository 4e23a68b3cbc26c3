//! Velocity constraints that are constraints on positions in disguise.
//!
//! ω = Σ gₐ(q) dqₐ vanishes along the motions. Frobenius: the constraint ω = 0 is integrable, equivalent to f(q) = const for
//! some function f, where ω ∧ dω = 0,
//!
//! ```text
//! gₐ (∂_b g_c − ∂_c g_b) + g_b (∂_c gₐ − ∂ₐ g_c) + g_c (∂ₐ g_b − ∂_b gₐ) = 0   for all a < b < c.
//! ```
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
}
