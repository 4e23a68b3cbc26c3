//! The Legendre transform: from L(q, q̇) to H(q, p).
//!
//! p = ∂L/∂q̇ is solved for the velocities v(q, p), and H = p·v − L. For L = ½ vᵀM v + b·v + L₀ the
//! equation is linear, M v = p − b, and H = ½ (p − b)·v − L₀. Otherwise v is the root that Newton's
//! method finds from rest, or from p where the mass vanishes at rest.

use crate::error::TheoryError;
use cotangent_expr::{
    Array, Dim, Domain, Error, Expr, Ix, Layout, Node, Place, Range, Role, Tensor, Term, dependencies, rows, solve,
};
use cotangent_model::{Claim, Dynamics, Quantity, RunKey, RunValue, System};
use cotangent_scalar::Limits;

/// The Hamiltonian form of a model with coordinates; one that is Hamiltonian already comes back as
/// it is. Constraints, parameters and initial values stay; claims, observables and drawings are
/// written in momenta.
pub fn legendre(system: &System) -> Result<System, TheoryError> {
    legendre_within(system, &Limits::default())
}

/// The same within limits.
pub fn legendre_within(system: &System, limits: &Limits) -> Result<System, TheoryError> {
    let Dynamics::Lagrangian { coordinates, velocities, momenta, lagrangian } = &system.dynamics else {
        return match &system.dynamics {
            Dynamics::Hamiltonian { .. } => Ok(system.clone()),
            other => Err(TheoryError::NotCanonical { what: "the Legendre transform", kind: other.kind() }),
        };
    };
    let mass = lagrangian.hessian_within(velocities, limits)?;
    check_rows(&mass, coordinates)?;
    let velocity = match uses_velocity(&mass) || bends_with_velocity(lagrangian) {
        true => Velocity::root(lagrangian, &mass, velocities, momenta, limits)?,
        false => Velocity::linear(lagrangian, &mass, velocities, momenta, limits)?,
    };
    let hamiltonian = velocity.hamiltonian(lagrangian, velocities, momenta)?;
    in_momenta(system, hamiltonian, &|a, i| velocity.at(velocities, a, i).ok())
}

/// The Hamiltonian form of a Lagrangian model: with this energy, and with velocities by a formula in coordinates and
/// momenta wherever they occur.
pub(crate) fn in_momenta(system: &System, hamiltonian: Tensor, by: Formula<'_>) -> Result<System, TheoryError> {
    let Dynamics::Lagrangian { coordinates, velocities, momenta, .. } = &system.dynamics else {
        return Ok(system.clone());
    };
    let dynamics = Dynamics::Hamiltonian { coordinates: coordinates.clone(), momenta: momenta.clone(), hamiltonian };
    let rewritten = |t: &Tensor| substituted(t, velocities, by);
    let quantity = |q: &Quantity| -> Result<Quantity, TheoryError> {
        Ok(Quantity { array: q.array.clone(), value: rewritten(&q.value)? })
    };
    let claim =
        |c: &Claim| -> Result<Claim, TheoryError> { Ok(Claim { kind: c.kind, quantity: quantity(&c.quantity)? }) };
    let observables = system.observables.iter().map(quantity).collect::<Result<_, _>>()?;
    let claims = system.claims.iter().map(claim).collect::<Result<_, _>>()?;
    let setting = |(key, value): &(RunKey, RunValue)| -> Result<(RunKey, RunValue), TheoryError> {
        let value = match value {
            RunValue::Expression(lapse) if *key == RunKey::Lapse => {
                let lapse = rewritten(&Tensor::scalar(lapse.clone())?)?;
                RunValue::Expression(as_expression("lapse", lapse))
            }
            other => other.clone(),
        };
        Ok((*key, value))
    };
    let run = system.run.iter().map(setting).collect::<Result<_, _>>()?;
    let drawings = system.drawings.iter().map(|d| d.map(rewritten)).collect::<Result<_, _>>()?;
    Ok(System { dynamics, observables, claims, drawings, run, ..system.clone() })
}

/// A scalar as an expression; what is summed over a family by a name.
pub(crate) fn as_expression(name: &str, scalar: Tensor) -> Expr {
    match scalar.terms().iter().all(|t| t.domain.is_point()) {
        true => Expr::sum(scalar.terms().iter().map(|t| t.value.clone())),
        false => Expr::at(&Array::defined(name, vec![], scalar), vec![]),
    }
}

/// Refuses velocities that the mass matrix does not contain at all.
fn check_rows(mass: &Tensor, coordinates: &Layout) -> Result<(), TheoryError> {
    let mut found = vec![false; coordinates.len()];
    for t in mass.terms() {
        let own = &t.at[0].array;
        let foreign = || Error::Foreign { array: own.name().into() };
        let offset = mass.shape()[0].offset(own).ok_or_else(foreign)?;
        t.domain.for_each(&mut |vars| {
            if let Some(k) = t.at[0].position(vars) {
                found[offset + k] = true;
            }
            true
        });
    }
    let missing: Vec<String> =
        (0..found.len()).filter(|&k| !found[k]).map(|k| format!("`{}`", coordinates.entry_name(k))).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let mut names = missing.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
    if missing.len() > 8 {
        names.push_str(&format!(" and {} more", missing.len() - 8));
    }
    Err(TheoryError::SingularLagrangian { names })
}

/// Whether a velocity occurs, also inside defined sums.
pub(crate) fn uses_velocity(t: &Tensor) -> bool {
    with_dependencies(t).iter().flat_map(Tensor::terms).any(|t| t.value.leaves().iter().any(is_velocity))
}

/// A tensor and those that it is defined by.
fn with_dependencies(t: &Tensor) -> Vec<Tensor> {
    let of = |a: &Array| a.definition().tensors().into_iter().cloned().collect::<Vec<_>>();
    std::iter::once(t.clone()).chain(dependencies(t).iter().flat_map(of)).collect()
}

fn is_velocity(leaf: &Expr) -> bool {
    matches!(leaf.node(), Node::At(a, _) if a.role() == Role::Velocity)
}

/// Whether a velocity occurs in a function with corners or jumps: then a mass without velocities does not make the Lagrangian
/// quadratic.
pub(crate) fn bends_with_velocity(t: &Tensor) -> bool {
    with_dependencies(t).iter().flat_map(Tensor::terms).any(|t| t.value.bends_with(&is_velocity))
}

/// Where the velocities are sought from: rest, or the momenta where the mass matrix vanishes at rest, as that of q̇⁴ does:
/// Newton's method cannot start there.
fn away_from_rest(mass: &Tensor, velocities: &Layout, momenta: &Layout) -> Result<Tensor, TheoryError> {
    let still = at_rest(mass, velocities);
    let massive = |a: &Array| match &still {
        Ok(still) => still.terms().iter().any(|t| t.at[0].array == *a && !t.value.is_zero()),
        // Not defined at rest.
        Err(_) => false,
    };
    let pairs = velocities.arrays().iter().zip(momenta.arrays()).filter(|(v, _)| !massive(v));
    let terms = pairs.map(|(v, p)| whole(v, |index| Expr::at(p, index))).collect();
    Ok(Tensor::new(vec![velocities.clone()], terms)?.flattened("v")?)
}

/// v(q, p).
enum Velocity {
    /// A formula for each velocity array, in the loop variables of its dimensions: a diagonal mass
    /// matrix.
    Formulas { formulas: Vec<Expr>, impulse: Vec<Expr> },
    /// Elements of one vector over all velocities: the solution of M v = p − b.
    Solved { v: Array, impulse: Tensor },
    /// Elements of one vector over all velocities: the root of ∂L/∂q̇(q, v) = p.
    Root { v: Array },
}

impl Velocity {
    fn linear(
        lagrangian: &Tensor,
        mass: &Tensor,
        velocities: &Layout,
        momenta: &Layout,
        limits: &Limits,
    ) -> Result<Velocity, TheoryError> {
        // p − b, b = ∂L/∂q̇ at rest.
        let at_rest = at_rest(&lagrangian.gradient_within(velocities, limits)?, velocities)?;
        let mut terms: Vec<Term> =
            at_rest.terms().iter().map(|t| Term { value: -t.value.clone(), ..t.clone() }).collect();
        for (v, p) in velocities.arrays().iter().zip(momenta.arrays()) {
            terms.push(whole(v, |index| Expr::at(p, index)));
        }
        let impulse = Tensor::new(vec![velocities.clone()], terms)?;
        let formulas = velocities.arrays().iter().map(|a| {
            let (m, f) = (diagonal_formula(mass, a)?, formula(&impulse, a)?);
            Some((&f / m, f))
        });
        if let Some(pairs) = formulas.collect::<Option<Vec<_>>>() {
            let (formulas, impulse) = pairs.into_iter().unzip();
            return Ok(Velocity::Formulas { formulas, impulse });
        }
        Ok(Velocity::Solved { v: solve("v", mass, &impulse)?, impulse })
    }

    fn root(
        lagrangian: &Tensor,
        mass: &Tensor,
        velocities: &Layout,
        momenta: &Layout,
        limits: &Limits,
    ) -> Result<Velocity, TheoryError> {
        let n = velocities.len();
        let unknown = rows("v", n);
        let gradient = lagrangian.gradient_within(velocities, limits)?;
        let mut terms: Vec<Term> = gradient.terms().to_vec();
        for (v, p) in velocities.arrays().iter().zip(momenta.arrays()) {
            terms.push(whole(v, |index| -Expr::at(p, index)));
        }
        let residual = Tensor::new(vec![velocities.clone()], terms)?.flattened("v")?;
        let residual = substituted(&residual, velocities, &|a, index| {
            velocities.flat_index(a, index).ok().map(|i| Expr::at(&unknown, vec![i]))
        })?;
        let start = away_from_rest(mass, velocities, momenta)?;
        Ok(Velocity::Root { v: Array::root("v", unknown, residual, start)? })
    }

    /// The velocity with this index.
    fn at(&self, velocities: &Layout, array: &Array, index: &[Ix]) -> Result<Expr, TheoryError> {
        match self {
            Velocity::Formulas { formulas, .. } => {
                let foreign = || Error::Foreign { array: array.name().into() };
                let k = velocities.arrays().iter().position(|a| a == array).ok_or_else(foreign)?;
                Ok(formulas[k].instantiate(index))
            }
            Velocity::Solved { v, .. } | Velocity::Root { v } => {
                Ok(Expr::at(v, vec![velocities.flat_index(array, index)?]))
            }
        }
    }

    fn hamiltonian(&self, lagrangian: &Tensor, velocities: &Layout, momenta: &Layout) -> Result<Tensor, TheoryError> {
        let mut terms = vec![];
        let (factor, rest) = match self {
            Velocity::Root { .. } => {
                (Expr::one(), substituted(lagrangian, velocities, &|a, i| self.at(velocities, a, i).ok())?)
            }
            _ => (Expr::ratio(1, 2), at_rest(lagrangian, velocities)?),
        };
        match self {
            Velocity::Solved { impulse, .. } => {
                for t in impulse.terms() {
                    let v = self.at(velocities, &t.at[0].array, &t.at[0].index)?;
                    terms.push(Term { at: vec![], value: &factor * &t.value * v, ..t.clone() });
                }
            }
            _ => {
                for (k, (v, p)) in velocities.arrays().iter().zip(momenta.arrays()).enumerate() {
                    let value = |index: Vec<Ix>| {
                        let push = match self {
                            Velocity::Formulas { impulse, .. } => impulse[k].instantiate(&index),
                            _ => Expr::at(p, index.clone()),
                        };
                        Ok(&factor * push * self.at(velocities, v, &index)?)
                    };
                    terms.push(Term { at: vec![], ..try_whole(v, value)? });
                }
            }
        }
        terms.extend(rest.terms().iter().map(|t| Term { value: -t.value.clone(), ..t.clone() }));
        Ok(Tensor::new(vec![], terms)?)
    }
}

/// One term over all members of an array.
pub(crate) fn whole(array: &Array, value: impl Fn(Vec<Ix>) -> Expr) -> Term {
    let (domain, place, index) = over(array);
    Term { domain, at: vec![place], value: value(index) }
}

/// The same with a value that may fail.
pub(crate) fn try_whole(
    array: &Array,
    value: impl Fn(Vec<Ix>) -> Result<Expr, TheoryError>,
) -> Result<Term, TheoryError> {
    let (domain, place, index) = over(array);
    Ok(Term { domain, at: vec![place], value: value(index)? })
}

/// The members of an array: their domain, place and index.
fn over(array: &Array) -> (Domain, Place, Vec<Ix>) {
    let name = |k: usize| ["i", "j", "k", "l"].get(k).copied().unwrap_or("i");
    let range = |(k, d): (usize, &Dim)| Range {
        name: name(k).into(),
        low: Ix::constant(d.first),
        high: Ix::constant(d.last()),
    };
    let index: Vec<Ix> = (0..array.dims().len()).map(|v| Ix::var(v as u8)).collect();
    let domain = Domain::Ranges(array.dims().iter().enumerate().map(range).collect());
    (domain, Place { array: array.clone(), index: index.clone() }, index)
}

/// A formula for the velocity with an index.
pub(crate) type Formula<'a> = &'a dyn Fn(&Array, &[Ix]) -> Option<Expr>;

/// Replaces velocities, also inside defined sums.
pub(crate) fn substituted(t: &Tensor, velocities: &Layout, by: Formula<'_>) -> Result<Tensor, TheoryError> {
    Ok(t.rewrite_deep(&mut |leaf| match leaf.node() {
        Node::At(a, index) if velocities.offset(a).is_some() => by(a, index),
        _ => None,
    })?)
}

/// The same with every velocity zero.
pub(crate) fn at_rest(t: &Tensor, velocities: &Layout) -> Result<Tensor, TheoryError> {
    substituted(t, velocities, &|_, _| Some(Expr::zero()))
}

/// The formula of a vector's members over one array, in the loop variables of its dimensions, if
/// one term gives them all.
fn formula(vector: &Tensor, array: &Array) -> Option<Expr> {
    let own: Vec<&Term> = vector.terms().iter().filter(|t| &t.at[0].array == array).collect();
    let [term] = own.as_slice() else { return None };
    covers(term, array).then(|| term.value.clone())
}

/// The same for the diagonal of a matrix that has no other entries in these rows.
pub(crate) fn diagonal_formula(matrix: &Tensor, array: &Array) -> Option<Expr> {
    let own: Vec<&Term> = matrix.terms().iter().filter(|t| &t.at[0].array == array).collect();
    let [term] = own.as_slice() else { return None };
    (term.at[0] == term.at[1] && covers(term, array)).then(|| term.value.clone())
}

/// Whether a term's place runs over an array index by index.
fn covers(term: &Term, array: &Array) -> bool {
    let Domain::Ranges(ranges) = &term.domain else { return false };
    let same = |(k, (r, d)): (usize, (&Range, &Dim))| {
        r.low.as_constant() == Some(d.first)
            && r.high.as_constant() == Some(d.last())
            && term.at[0].index[k].as_shifted_var() == Some((k as u8, 0))
    };
    ranges.len() == array.dims().len() && ranges.iter().zip(array.dims()).enumerate().all(same)
}
