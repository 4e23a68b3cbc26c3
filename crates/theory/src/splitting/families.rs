//! Flows of whole families, whose members are not taken one by one.
//!
//! Where the rates of what a part moves do not depend on what it moves, or each on its own variable alone and linearly,
//!
//! ```text
//! ẏᵢ = aᵢ yᵢ + bᵢ,   yᵢ(h) − yᵢ = h φ(aᵢh) wᵢ,   w = a y + b,   φ(x) = (eˣ − 1)/x,
//! ```
//!
//! the flow is a family, too.

use super::exponential;
use cotangent_expr::{Array, Dim, Domain, Error, Expr, Ix, Layout, Place, Range, Tensor, Term};
use cotangent_model::Dynamics;

/// ż = {z, E} for a part E of the energy; `None` for what has no bracket.
pub(super) fn rate(dynamics: &Dynamics, part: &Tensor) -> Result<Option<Tensor>, Error> {
    Ok(match dynamics {
        Dynamics::Poisson { variables, bracket, .. } => Some(bracket.contract(1, &part.gradient(variables)?, 0)?),
        Dynamics::Hamiltonian { coordinates, momenta, .. } => {
            let state = coordinates.then(momenta);
            let moved = |by: &Layout, other: &Layout, sign: i64| -> Result<Vec<Term>, Error> {
                let slopes = part.gradient(by)?;
                let conjugate = |place: &Place| {
                    let k = by.arrays().iter().position(|a| *a == place.array)?;
                    Some(Place { array: other.arrays().get(k)?.clone(), index: place.index.clone() })
                };
                let term = |t: &Term| {
                    let at = vec![conjugate(&t.at[0])?];
                    Some(Term { domain: t.domain.clone(), at, value: Expr::from(sign) * &t.value })
                };
                Ok(slopes.terms().iter().filter_map(term).collect())
            };
            let terms = [moved(momenta, coordinates, 1)?, moved(coordinates, momenta, -1)?].concat();
            Some(Tensor::new(vec![state], terms)?)
        }
        _ => None,
    })
}

/// z(h) − z for these rates; `None` where members depend on each other.
pub(super) fn increment(rate: &Tensor, h: &Expr) -> Result<Option<Tensor>, Error> {
    let state = &rate.shape()[0];
    let mut moved = vec![false; state.len()];
    let numbered = rate.terms().iter().all(|t| {
        t.domain.for_each(&mut |vars| match number(state, &t.at[0], vars) {
            Some(k) => {
                moved[k] = true;
                true
            }
            None => false,
        })
    });
    if !numbered {
        return Ok(None);
    }
    let Some(slopes) = own_slopes(&rate.jacobian(state)?, &moved) else { return Ok(None) };
    if slopes.is_empty() {
        return Ok(Some(rate.times(h)));
    }
    let slopes = Tensor::new(vec![state.clone()], slopes)?;
    // A slope that changes on the way.
    if own_slopes(&slopes.jacobian(state)?, &moved).is_none_or(|all| !all.is_empty()) {
        return Ok(None);
    }
    let mut terms = vec![];
    for array in state.arrays() {
        let own = |t: &Tensor, what: &str| -> Result<Array, Error> {
            let terms = t.terms().iter().filter(|t| t.at[0].array == *array).cloned().collect();
            let own = Tensor::new(vec![Layout::new(vec![array.clone()])], terms)?;
            Ok(Array::defined(&format!("{what} of {}", array.name()), array.dims().to_vec(), own))
        };
        if !rate.terms().iter().any(|t| t.at[0].array == *array) {
            continue;
        }
        let (rates, slopes) = (own(rate, "rate")?, own(&slopes, "slope")?);
        let index: Vec<Ix> = (0..array.dims().len()).map(|k| Ix::var(k as u8)).collect();
        let range = |d: &Dim| Range { name: "i".into(), low: Ix::constant(d.first), high: Ix::constant(d.last()) };
        let value = exponential(&Expr::at(&slopes, index.clone()), h) * Expr::at(&rates, index.clone());
        terms.push(Term {
            domain: Domain::Ranges(array.dims().iter().map(range).collect()),
            at: vec![Place { array: array.clone(), index }],
            value,
        });
    }
    Ok(Some(Tensor::new(vec![state.clone()], terms)?))
}

/// The position of a place in the state.
fn number(state: &Layout, place: &Place, vars: &[i64]) -> Option<usize> {
    Some(state.offset(&place.array)? + place.position(vars)?)
}

/// The entries of a Jacobian by variables that are moved, if all are of the diagonal: by rows.
fn own_slopes(jacobian: &Tensor, moved: &[bool]) -> Option<Vec<Term>> {
    let state = &jacobian.shape()[0];
    let mut slopes = vec![];
    for t in jacobian.terms() {
        let mut own = vec![];
        let fits = t.domain.for_each(&mut |vars| {
            let [Some(row), Some(column)] = [0, 1].map(|slot| number(state, &t.at[slot], vars)) else { return false };
            if moved[column] {
                own.extend_from_slice(vars);
            }
            !moved[column] || row == column
        });
        if !fits {
            return None;
        }
        let point = t.domain.is_point() && number(state, &t.at[1], &[]).is_some_and(|k| moved[k]);
        if point || !own.is_empty() {
            let domain = Domain::from_points(t.domain.names(), own);
            slopes.push(Term { domain, at: vec![t.at[0].clone()], value: t.value.clone() });
        }
    }
    Some(slopes)
}
