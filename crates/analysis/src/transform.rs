//! The Legendre transform of any Lagrangian, singular ones included.
//!
//! With W = ∂²L/∂v∂v and L = ½ vᵀW(q)v + b(q)·v + L₀(q), the momenta are p = W v + b. Let I be r = rank W
//! rows of W that are independent; W_II is invertible, and x = W_II⁻¹ (p − b)_I. The other rows J give the
//! primary constraints and, on them,
//!
//! $$ \phi_J = (p - b)_J - W_{JI}\,x = 0, \qquad H_c = \tfrac12 (p - b)_I\cdot x - L_0 . $$
//!
//! The multiplier of φ_J in the total Hamiltonian is the velocity v_J. For L = c √(vᵀK v) + b·v + L₀ the
//! same elimination of K gives, besides φ_J, the constraint (p − b)_I·x = c²; then H_c = −L₀. Where W
//! depends on velocities in another way and is invertible, v is the root of ∂L/∂v = p.

use crate::error::AnalysisError;
use crate::field::{Field, Fraction};
use crate::linear::{Row, eliminate, inverse, size_cost};
use crate::phase::{Phase, Sparse, gradient, symbols};
use crate::report::{Certainty, Transform};
use crate::sample::{Rank, Sampler, rank};
use cotangent_expr::{Array, Expr, Layout, Node, Number, Role, Tensor};
use cotangent_model::{ConstraintKind, Dynamics, System};

/// A primary constraint and its multiplier.
pub(crate) struct Primary {
    pub(crate) name: String,
    pub(crate) multiplier: String,
    pub(crate) expression: Expr,
}

/// L(q, v) and its variables.
pub(crate) struct Lagrangian {
    pub(crate) coordinates: Layout,
    pub(crate) velocities: Layout,
    pub(crate) momenta: Layout,
    pub(crate) value: Expr,
    /// The names of what was added.
    pub(crate) added: Vec<String>,
}

/// The Hamiltonian form.
pub(crate) struct Canonical {
    pub(crate) phase: Phase,
    pub(crate) hamiltonian: Expr,
    pub(crate) primaries: Vec<Primary>,
}

/// The rank of W, and the Hamiltonian form or why there is none.
pub(crate) struct Transformed {
    pub(crate) transform: Option<Transform>,
    pub(crate) canonical: Result<Canonical, String>,
}

impl Lagrangian {
    /// The Lagrangian of a model, each velocity constraint c added as −λ·c with λ a coordinate; for a
    /// constant form J the one with the same equations, ½ zᵀJ z′ − H.
    pub(crate) fn new(system: &System) -> Result<Option<Lagrangian>, AnalysisError> {
        match &system.dynamics {
            Dynamics::Lagrangian { coordinates, velocities, momenta, lagrangian } => {
                let mut all = Lagrangian {
                    coordinates: coordinates.clone(),
                    velocities: velocities.clone(),
                    momenta: momenta.clone(),
                    value: scalar(lagrangian)?,
                    added: vec![],
                };
                for c in system.constraints.iter().filter(|c| c.kind == ConstraintKind::Vakonomic) {
                    let lambda = c.multiplier.name();
                    let array = Array::given(lambda, Role::Coordinate, c.multiplier.dims().to_vec());
                    let residuals = c.residual.expand()?.entries();
                    let members = symbols(&Layout::new(vec![array.clone()]));
                    all.extend(&array, &format!("p_{lambda}"));
                    let work = Expr::sum(members.iter().zip(&residuals).map(|(l, r)| l * r));
                    all.value = &all.value - work;
                    all.added.push(lambda.to_owned());
                }
                Ok(Some(all))
            }
            Dynamics::Form { variables, form, hamiltonian } => {
                let empty = Layout::new(vec![]);
                let (coordinates, velocities, momenta) = (empty.clone(), empty.clone(), empty);
                let mut all = Lagrangian { coordinates, velocities, momenta, value: Expr::zero(), added: vec![] };
                for array in variables.arrays() {
                    let momentum = format!("pi_{}", array.name());
                    all.extend(array, &momentum);
                    all.added.push(momentum);
                }
                let (z, v) = (symbols(variables), symbols(&all.velocities));
                let mut terms = vec![-scalar(hamiltonian)?];
                for (at, j) in crate::phase::entries(&form.expand()?) {
                    terms.push((&z[at[0]] * &v[at[1]] * j) / 2);
                }
                all.value = Expr::sum(terms);
                Ok(Some(all))
            }
            _ => Ok(None),
        }
    }

    fn extend(&mut self, coordinate: &Array, momentum: &str) {
        let dims = || coordinate.dims().to_vec();
        let velocity = Array::given(&format!("{}'", coordinate.name()), Role::Velocity, dims());
        let momentum = Array::given(momentum, Role::Momentum, dims());
        self.coordinates = self.coordinates.then(&Layout::new(vec![coordinate.clone()]));
        self.velocities = self.velocities.then(&Layout::new(vec![velocity]));
        self.momenta = self.momenta.then(&Layout::new(vec![momentum]));
    }

    /// L where all velocities vanish, and so for its derivatives.
    fn at_rest(&self, e: &Expr) -> Expr {
        e.rewrite(&mut |leaf| match leaf.node() {
            Node::At(a, _) if self.velocities.offset(a).is_some() => Some(Expr::zero()),
            _ => None,
        })
    }

    fn moves(&self, e: &Expr) -> bool {
        e.leaves().iter().any(|l| matches!(l.node(), Node::At(a, _) if self.velocities.offset(a).is_some()))
    }

    /// The Hamiltonian form.
    pub(crate) fn transform(&self, system: &System, field: &mut Field) -> Result<Transformed, AnalysisError> {
        let slopes = dense(&gradient(&self.value, &self.velocities)?, self.velocities.len());
        let hessian: Vec<Sparse> = slopes.iter().map(|s| gradient(s, &self.velocities)).collect::<Result<_, _>>()?;
        let quadratic = !hessian.iter().flat_map(Sparse::values).any(|e| self.moves(e));
        let sampled = self.sampled_rank(system, &hessian)?;
        if quadratic {
            if let Some(found) = self.eliminated(field, &hessian, &slopes) {
                let rank = found.0;
                if sampled != Rank::Clear(rank) && sampled != Rank::Unclear {
                    let reason =
                        format!("the rank of the velocity Hessian is {rank} by elimination, but not at random points");
                    return Ok(Transformed { transform: None, canonical: Err(reason) });
                }
                return Ok(Transformed { transform: self.rank(rank, Certainty::Proved), canonical: Ok(found.1) });
            }
        } else if let Some((rank, canonical)) = self.homogeneous(field)? {
            let certainty = Certainty::Sampled(RANK_POINTS);
            let agrees = sampled == Rank::Clear(rank);
            let reason = || "the rank of the velocity Hessian could not be decided".to_owned();
            let canonical = if agrees { Ok(canonical) } else { Err(reason()) };
            return Ok(Transformed { transform: agrees.then(|| self.rank(rank, certainty)).flatten(), canonical });
        }
        self.implicit(system, sampled)
    }

    fn rank(&self, rank: usize, certainty: Certainty) -> Option<Transform> {
        Some(Transform { rank, velocities: self.velocities.len(), certainty, implicit: false })
    }

    fn sampled_rank(&self, system: &System, hessian: &[Sparse]) -> Result<Rank, AnalysisError> {
        let mut sampler = Sampler::new(system, &self.coordinates.then(&self.velocities));
        let mut ranks = vec![];
        // A point outside the domain of L says nothing.
        for attempt in 0..20 {
            let point = sampler.draw(attempt);
            let rows = sampler.rows(hessian, self.velocities.len(), &[point])?.remove(0);
            if rows.iter().flatten().all(|x| cotangent_scalar::Real::is_finite(*x)) {
                ranks.push(rank(&rows));
            }
            if ranks.len() == RANK_POINTS {
                break;
            }
        }
        let first = ranks.first().copied().unwrap_or(Rank::Unclear);
        Ok(if ranks.iter().all(|r| *r == first) { first } else { Rank::Unclear })
    }

    /// By elimination of W(q): (rank, Hamiltonian form).
    fn eliminated(&self, field: &mut Field, hessian: &[Sparse], slopes: &[Expr]) -> Option<(usize, Canonical)> {
        let rows = normal_rows(field, hessian)?;
        let b: Vec<Expr> = slopes.iter().map(|s| self.at_rest(s)).collect();
        let momenta = symbols(&self.momenta);
        let impulse: Vec<Expr> = momenta.iter().zip(&b).map(|(p, b)| p - b).collect();
        let parts = Split::new(field, &rows, &impulse)?;
        let work = Expr::sum(parts.independent.iter().map(|&i| &impulse[i] * &parts.solution[&i]));
        let energy = work / 2 - self.at_rest(&self.value);
        let names = self.coordinates.entry_names();
        let primary = |&(j, ref e): &(usize, Expr)| Primary {
            name: format!("phi_{}", names[j]),
            multiplier: format!("u_{}", names[j]),
            expression: e.clone(),
        };
        let primaries = parts.rest.iter().map(primary).collect();
        Some((parts.independent.len(), self.canonical(field, energy, primaries)))
    }

    fn canonical(&self, field: &mut Field, energy: Expr, primaries: Vec<Primary>) -> Canonical {
        let hamiltonian = field.simplified(&energy);
        Canonical { phase: Phase::canonical(&self.coordinates, &self.momenta), hamiltonian, primaries }
    }

    /// L = c √(vᵀK v) + b·v + L₀: (rank of W, Hamiltonian form).
    fn homogeneous(&self, field: &mut Field) -> Result<Option<(usize, Canonical)>, AnalysisError> {
        let Some((c, root, rest)) = self.root_term(field) else { return Ok(None) };
        if self.moves(&c) {
            return Ok(None);
        }
        let n = self.velocities.len();
        let slopes = dense(&gradient(&rest, &self.velocities)?, n);
        let under = dense(&gradient(&root, &self.velocities)?, n);
        let quadratic: Vec<Sparse> = under.iter().map(|s| gradient(s, &self.velocities)).collect::<Result<_, _>>()?;
        let constant = |e: &Expr| !self.moves(e);
        let pure = self.at_rest(&root).is_zero() && under.iter().all(|s| self.at_rest(s).is_zero());
        if !(pure && slopes.iter().all(constant) && quadratic.iter().flat_map(Sparse::values).all(constant)) {
            return Ok(None);
        }
        let momenta = symbols(&self.momenta);
        let impulse: Vec<Expr> = momenta.iter().zip(&slopes).map(|(p, b)| p - b).collect();
        let Some(rows) = normal_rows(field, &quadratic) else { return Ok(None) };
        let Some(parts) = Split::new(field, &rows, &impulse) else { return Ok(None) };
        // The second derivatives are 2K.
        let shell = Expr::sum(parts.independent.iter().map(|&i| &impulse[i] * &parts.solution[&i])) * 2 - c.powi(2);
        let shell = field.normal(&shell).and_then(|f| field.sum(&f.numerator)).unwrap_or(shell);
        let names = self.coordinates.entry_names();
        let mut all: Vec<(usize, Expr)> = parts.independent.iter().min().map(|&i| (i, shell)).into_iter().collect();
        all.extend(parts.rest);
        let primaries = all.into_iter().map(|(j, expression)| Primary {
            name: format!("phi_{}", names[j]),
            multiplier: format!("u_{}", names[j]),
            expression,
        });
        let primaries: Vec<Primary> = primaries.collect();
        Ok(Some((n - primaries.len(), self.canonical(field, -self.at_rest(&rest), primaries))))
    }

    /// (c, Q, rest) of L = c √Q + rest with one root that contains velocities.
    fn root_term(&self, field: &mut Field) -> Option<(Expr, Expr, Expr)> {
        let f = field.normal(&self.value)?;
        let roots: Vec<(u32, Expr)> = f
            .numerator
            .unknowns()
            .into_iter()
            .filter_map(|v| match field.symbol(v).node() {
                Node::Mul(factors) => match factors.as_slice() {
                    [(base, k)] if *k == Number::HALF && self.moves(base) => Some((v, base.clone())),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        let [(v, base)] = roots.as_slice() else { return None };
        let parts = f.numerator.coefficients(*v);
        let [rest, c] = parts.as_slice() else { return None };
        let over = |p: &crate::polynomial::Polynomial| {
            field.fraction(p.clone(), f.denominator.clone()).and_then(|f| field.expression(&f))
        };
        Some((over(c)?, base.clone(), over(rest)?))
    }

    /// With the velocities as a root, where W is invertible.
    fn implicit(&self, system: &System, sampled: Rank) -> Result<Transformed, AnalysisError> {
        let n = self.velocities.len();
        match sampled {
            Rank::Clear(r) if r == n && self.added.is_empty() => {
                let regular = cotangent_theory::legendre(system)?;
                let hamiltonian = scalar(regular.dynamics.energy())?;
                let phase = Phase::canonical(&self.coordinates, &self.momenta);
                let canonical = Ok(Canonical { phase, hamiltonian, primaries: vec![] });
                let transform =
                    self.rank(n, Certainty::Sampled(RANK_POINTS)).map(|t| Transform { implicit: true, ..t });
                Ok(Transformed { transform, canonical })
            }
            Rank::Clear(r) => {
                let reason = format!(
                    "the momenta cannot be solved for the velocities: the velocity Hessian has rank {r} of {n}, and the \
                     Lagrangian is neither quadratic in the velocities nor a root of a quadratic form in them"
                );
                Ok(Transformed { transform: self.rank(r, Certainty::Sampled(RANK_POINTS)), canonical: Err(reason) })
            }
            Rank::Unclear => {
                let reason = "the rank of the velocity Hessian could not be decided at random points".to_owned();
                Ok(Transformed { transform: None, canonical: Err(reason) })
            }
        }
    }
}

/// At how many points the rank of W is looked at.
const RANK_POINTS: usize = 5;

/// A symmetric matrix A taken apart: independent rows I, x = A_II⁻¹ y_I, and y_J − A_JI x for the others.
struct Split {
    independent: Vec<usize>,
    /// x, by row.
    solution: std::collections::BTreeMap<usize, Expr>,
    rest: Vec<(usize, Expr)>,
}

impl Split {
    fn new(field: &mut Field, rows: &[Row], y: &[Expr]) -> Option<Split> {
        let n = rows.len();
        let mut reduced = rows.to_vec();
        let mut independent: Vec<usize> =
            eliminate(field, &mut reduced, n, &mut Some, &mut size_cost)?.into_iter().map(|p| p.0).collect();
        independent.sort_unstable();
        let place = |i: &usize| independent.binary_search(i).ok();
        let block: Vec<Row> = independent
            .iter()
            .map(|&i| rows[i].iter().filter_map(|(j, e)| Some((place(j)?, e.clone()))).collect())
            .collect();
        let inverse = inverse(field, &block, &mut Some, &mut size_cost)?;
        let mut solution = std::collections::BTreeMap::new();
        for (row, &i) in inverse.iter().zip(&independent) {
            let mut terms = vec![];
            for (&k, e) in row {
                terms.push(field.expression(e)? * &y[independent[k]]);
            }
            solution.insert(i, Expr::sum(terms));
        }
        let mut rest = vec![];
        for j in (0..n).filter(|j| place(j).is_none()) {
            let mut terms = vec![y[j].clone()];
            for (i, e) in &rows[j] {
                if let Some(x) = solution.get(i) {
                    terms.push(-(field.expression(e)? * x));
                }
            }
            rest.push((j, field.simplified(&Expr::sum(terms))));
        }
        Some(Split { independent, solution, rest })
    }
}

fn normal_rows(field: &mut Field, rows: &[Sparse]) -> Option<Vec<Row>> {
    let mut out = vec![];
    for row in rows {
        let mut new = Row::new();
        for (&j, e) in row {
            let f: Fraction = field.normal(e)?;
            if !f.is_zero() {
                new.insert(j, f);
            }
        }
        out.push(new);
    }
    Some(out)
}

fn dense(row: &Sparse, len: usize) -> Vec<Expr> {
    (0..len).map(|k| row.get(&k).cloned().unwrap_or_else(Expr::zero)).collect()
}

/// The value of an energy without families.
pub(crate) fn scalar(t: &Tensor) -> Result<Expr, AnalysisError> {
    Ok(Expr::sum(t.expand()?.entries()))
}
