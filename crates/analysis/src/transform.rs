//! The Legendre transform of any Lagrangian, singular ones included.
//!
//! With W = ∂²L/∂v∂v and L = ½ vᵀW(q)v + b(q)·v + L₀(q), the momenta are p = W v + b. Let I be r = rank W
//! rows of W that are independent; W_II is invertible, and x = W_II⁻¹ (p − b)_I. The other rows J give the
//! primary constraints and, on them,
//!
//! $$ \phi_J = (p - b)_J - W_{JI}\,x = 0, \qquad H_c = \tfrac12 (p - b)_I\cdot x - L_0 . $$
//!
//! The multiplier of φ_J in the total Hamiltonian is the velocity v_J. Lagrangians of degree one in the
//! velocities have their own [file](crate::homogeneous). Where W depends on velocities in another way and is
//! invertible, v is the root of ∂L/∂v = p; velocities that L is affine in may stand beside.
//!
//! Where L has corners or jumps in the velocities, as |v| and ⌊v⌋ have, W says nothing of them: |v| has W = 0, and is not
//! affine. Then only the root is sought.

use crate::algebra::{Field, Fraction, Polynomial, Row, eliminate, inverse, size_cost};
use crate::error::AnalysisError;
use crate::names::Names;
use crate::point::Point;
use crate::rank::{Rank, agreed, rank};
use crate::report::{Certainty, Transform};
use crate::sample::{HALVINGS, Legendre, Sampler};
use cotangent_expr::{Array, Expr, Layout, Node, Role, Tensor};
use cotangent_model::{ConstraintKind, Dynamics, System};
use cotangent_scalar::{Dd, Real, Scalar};
use cotangent_theory::phase::{Phase, Sparse, gradient, symbols};
use std::collections::BTreeMap;

/// A primary constraint and its multiplier.
pub(crate) struct Primary {
    pub(crate) name: String,
    pub(crate) multiplier: String,
    pub(crate) expression: Expr,
    /// Whether the multiplier is the rate at which a path is run through: L is not defined where it vanishes.
    pub(crate) runs: bool,
}

impl Primary {
    /// The one that the momentum of a coordinate leaves.
    pub(crate) fn new(coordinate: &str, expression: Expr) -> Primary {
        Primary { name: format!("phi_{coordinate}"), multiplier: format!("u_{coordinate}"), expression, runs: false }
    }

    /// The one that is left because nothing fixes the parameter of the path.
    pub(crate) fn running(coordinate: &str, expression: Expr) -> Primary {
        Primary { runs: true, ..Primary::new(coordinate, expression) }
    }
}

/// The Lagrangian of which the analysis is one: L(q, v), to which velocity constraints are added with their
/// multipliers as further coordinates.
#[derive(Debug)]
pub struct Lagrangian {
    /// q
    pub coordinates: Layout,
    /// v
    pub velocities: Layout,
    /// p
    pub momenta: Layout,
    /// L(q, v)
    pub value: Expr,
    /// The names of what was added.
    pub(crate) added: Vec<String>,
}

/// The Hamiltonian form.
pub(crate) struct Canonical {
    pub(crate) phase: Phase,
    pub(crate) hamiltonian: Expr,
    pub(crate) primaries: Vec<Primary>,
    /// What was divided by.
    pub(crate) pivots: Vec<Polynomial>,
    /// p = ∂L/∂v, where velocities have no formula.
    pub(crate) legendre: Option<Legendre>,
}

/// The rank of W, and the Hamiltonian form or why there is none.
pub(crate) struct Transformed {
    pub(crate) transform: Option<Transform>,
    pub(crate) canonical: Result<Canonical, String>,
    /// Whether the rank differs for the parameters of the model.
    pub(crate) degenerate: bool,
}

impl Lagrangian {
    /// The Lagrangian of a model, each velocity constraint c added as −λ·c with λ a coordinate; for a
    /// constant form J the one with the same equations, ½ zᵀJ z′ − H.
    pub fn new(system: &System) -> Result<Option<Lagrangian>, AnalysisError> {
        match &system.dynamics {
            Dynamics::Lagrangian { coordinates, velocities, momenta, lagrangian } => {
                let mut all = Lagrangian {
                    coordinates: coordinates.clone(),
                    velocities: velocities.clone(),
                    momenta: momenta.clone(),
                    value: scalar(lagrangian)?,
                    added: vec![],
                };
                let names = Names::new(system);
                for c in system.constraints.iter().filter(|c| c.kind == ConstraintKind::Vakonomic) {
                    let lambda = c.multiplier.name();
                    let array = c.multiplier.like(lambda, Role::Coordinate);
                    let residuals = c.residual.expand()?.entries();
                    let members = symbols(&Layout::new(vec![array.clone()]));
                    all.extend(&array, &names.free(&format!("p_{lambda}"), &[]));
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
                let names = Names::new(system);
                let all_wanted: Vec<String> = variables.arrays().iter().map(|a| format!("pi_{}", a.name())).collect();
                for (array, wanted) in variables.arrays().iter().zip(&all_wanted) {
                    let momentum = names.free(wanted, &all_wanted);
                    all.extend(array, &momentum);
                    all.added.push(momentum);
                }
                let (z, v) = (symbols(variables), symbols(&all.velocities));
                let mut terms = vec![-scalar(hamiltonian)?];
                for (at, j) in cotangent_theory::phase::entries(&form.expand()?) {
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
    pub(crate) fn at_rest(&self, e: &Expr) -> Expr {
        e.rewrite(&mut |leaf| match leaf.node() {
            Node::At(a, _) if self.velocities.offset(a).is_some() => Some(Expr::zero()),
            _ => None,
        })
    }

    pub(crate) fn moves(&self, e: &Expr) -> bool {
        e.leaves().iter().any(|l| matches!(l.node(), Node::At(a, _) if self.velocities.offset(a).is_some()))
    }

    /// The Hamiltonian form.
    pub(crate) fn transform(&self, system: &System, field: &mut Field) -> Result<Transformed, AnalysisError> {
        let slopes = dense(&gradient(&self.value, &self.velocities)?, self.velocities.len());
        let hessian: Vec<Sparse> = slopes.iter().map(|s| gradient(s, &self.velocities)).collect::<Result<_, _>>()?;
        let is_smooth = !self.value.bends_with(&|leaf| self.moves(leaf));
        let quadratic = is_smooth && !hessian.iter().flat_map(Sparse::values).any(|e| self.moves(e));
        let mut sampler = Sampler::new(system, &self.coordinates.then(&self.velocities), field.work());
        let sampled = self.sampled_rank(&mut sampler, &hessian, &mut |s, k| Some(s.draw(k)))?;
        let own = self.sampled_rank(&mut sampler, &hessian, &mut |s, k| s.draw_own(k))?;
        let degenerate = matches!((sampled, own), (Rank::Clear(a), Rank::Clear(b)) if a != b);
        let refused =
            |reason: &str, transform| Transformed { transform, canonical: Err(reason.to_owned()), degenerate };
        if quadratic && let Some((rank, canonical)) = self.eliminated(field, &hessian, &slopes) {
            if sampled != Rank::Clear(rank) && sampled != Rank::Unclear {
                let reason =
                    format!("the rank of the velocity Hessian is {rank} by elimination, but not at random points");
                return Ok(refused(&reason, None));
            }
            let transform = Some(self.rank(rank, Certainty::Proved));
            return Ok(Transformed { transform, canonical: Ok(canonical), degenerate });
        }
        let Rank::Clear(rank) = sampled else {
            return Ok(refused("the rank of the velocity Hessian could not be decided at random points", None));
        };
        let known = self.rank(rank, Certainty::Sampled(RANK_POINTS));
        let root = if is_smooth { self.root(field)? } else { None };
        for (own, canonical) in [root, self.reparametrised(field, &slopes)?].into_iter().flatten() {
            let whole = sound(&canonical.hamiltonian) && canonical.primaries.iter().all(|p| sound(&p.expression));
            if own == rank && whole {
                return Ok(Transformed { transform: Some(known), canonical: Ok(canonical), degenerate });
            }
        }
        if let Some(canonical) = self.implicit(system, &slopes, &hessian, rank)? {
            let transform = Some(Transform { implicit: true, ..known });
            return Ok(Transformed { transform, canonical: Ok(canonical), degenerate });
        }
        let n = self.velocities.len();
        if !is_smooth {
            let reason = "the momenta cannot be solved for the velocities: the Lagrangian has corners or jumps in them \
                          (abs, sign, min, max, floor, mod), of which its second derivatives say nothing";
            return Ok(refused(reason, Some(known)));
        }
        let reason = format!(
            "the momenta cannot be solved for the velocities: the velocity Hessian has rank {rank} of {n}, and the \
             Lagrangian is neither quadratic in the velocities, nor a root of a quadratic form in them, nor a ratio of \
             degree one, nor regular in some velocities and affine in the others"
        );
        Ok(refused(&reason, Some(known)))
    }

    fn rank(&self, rank: usize, certainty: Certainty) -> Transform {
        Transform { rank, velocities: self.velocities.len(), certainty, implicit: false }
    }

    fn sampled_rank(
        &self,
        sampler: &mut Sampler,
        hessian: &[Sparse],
        draw: &mut dyn FnMut(&mut Sampler, usize) -> Option<Point>,
    ) -> Result<Rank, AnalysisError> {
        let mut ranks = vec![];
        // A point outside the domain of L says nothing.
        for attempt in 0..20 {
            let Some(point) = draw(sampler, attempt) else { break };
            let width = self.velocities.len();
            let is_inside = |rows: &Vec<Vec<_>>| rows.iter().flatten().all(|x| Real::is_finite(*x));
            let mut rows = sampler.rows(hessian, width, std::slice::from_ref(&point))?;
            if !rows.iter().all(is_inside) {
                rows = sampler.rows(hessian, width, &self.slower(&point))?;
            }
            if let Some(rows) = rows.iter().find(|rows| is_inside(rows)) {
                ranks.push(rank(rows));
            }
            if ranks.len() == RANK_POINTS {
                break;
            }
        }
        Ok(agreed(&ranks).map_or(Rank::Unclear, Rank::Clear))
    }

    /// A point with smaller and smaller velocities: the domain of L may end at any speed of light.
    fn slower(&self, point: &Point) -> Vec<Point> {
        let first = self.coordinates.len();
        let slowed = |point: &Point| {
            let mut slower = point.clone();
            slower.state[first..].iter_mut().for_each(|v| *v = *v * Dd::from_f64(0.5));
            slower.units[first..].iter_mut().for_each(|unit| *unit *= 0.5);
            slower
        };
        std::iter::successors(Some(slowed(point)), |point| Some(slowed(point))).take(HALVINGS).collect()
    }

    /// By elimination of W(q): (rank, Hamiltonian form).
    fn eliminated(&self, field: &mut Field, hessian: &[Sparse], slopes: &[Expr]) -> Option<(usize, Canonical)> {
        let rows = normal_rows(field, hessian)?;
        let b: Vec<Expr> = slopes.iter().map(|s| self.at_rest(s)).collect();
        // √(v²) has no second derivative, and none at all at rest.
        if b.iter().any(|e| !sound(e)) {
            return None;
        }
        let momenta = symbols(&self.momenta);
        let impulse: Vec<Expr> = momenta.iter().zip(&b).map(|(p, b)| p - b).collect();
        let parts = Split::new(field, &rows, &impulse)?;
        let work = Expr::sum(parts.independent.iter().map(|&i| &impulse[i] * &parts.solution[&i]));
        let energy = work / 2 - self.at_rest(&self.value);
        let names = self.coordinates.entry_names();
        let primaries = parts.rest.iter().map(|(j, e)| Primary::new(&names[*j], e.clone())).collect();
        Some((parts.independent.len(), self.canonical(field, energy, primaries, parts.pivots)))
    }

    pub(crate) fn canonical(
        &self,
        field: &mut Field,
        energy: Expr,
        primaries: Vec<Primary>,
        pivots: Vec<Polynomial>,
    ) -> Canonical {
        let hamiltonian = field.simplified(&energy);
        let phase = Phase::canonical(&self.coordinates, &self.momenta);
        Canonical { phase, hamiltonian, primaries, pivots, legendre: None }
    }

    /// With the velocities as a root, where W is invertible but for velocities that L is affine in: then these
    /// leave p_j = ∂L/∂v_j as primary constraints, and the others are transformed by themselves.
    fn implicit(
        &self,
        system: &System,
        slopes: &[Expr],
        hessian: &[Sparse],
        rank: usize,
    ) -> Result<Option<Canonical>, AnalysisError> {
        let all = symbols(&self.velocities);
        let affine = |j: &usize| {
            hessian[*j].is_empty() && !self.moves(&slopes[*j]) && !self.value.bends_with(&|leaf| *leaf == all[*j])
        };
        let names = self.coordinates.entry_names();
        let primaries: Vec<usize> = (0..hessian.len()).filter(affine).collect();
        if rank + primaries.len() != hessian.len() {
            return Ok(None);
        }
        // Families are transformed as a whole.
        let places = |l: &Layout, k: usize| {
            let start = l.offset(&l.arrays()[k]).unwrap_or(0);
            start..start + l.arrays()[k].len()
        };
        let count = self.velocities.arrays().len();
        let regular: Vec<usize> = (0..count).filter(|&k| !places(&self.velocities, k).any(|j| affine(&j))).collect();
        if regular.iter().map(|&k| places(&self.velocities, k).len()).sum::<usize>() != rank {
            return Ok(None);
        }
        let part = |l: &Layout| Layout::new(regular.iter().map(|&k| l.arrays()[k].clone()).collect());
        // Without its affine part L is what it is where these velocities vanish.
        let still = |e: &Expr| e.rewrite(&mut |leaf| primaries.iter().any(|&j| all[j] == *leaf).then(Expr::zero));
        let dynamics = Dynamics::Lagrangian {
            coordinates: part(&self.coordinates),
            velocities: part(&self.velocities),
            momenta: part(&self.momenta),
            lagrangian: Tensor::scalar(still(&self.value))?,
        };
        let (claims, observables, drawings) = (vec![], vec![], vec![]);
        let regular = System { dynamics, claims, observables, drawings, ..system.clone() };
        let Ok(transformed) = cotangent_theory::legendre(&regular) else { return Ok(None) };
        let hamiltonian = scalar(transformed.dynamics.energy())?;
        let phase = Phase::canonical(&self.coordinates, &self.momenta);
        let momenta = symbols(&self.momenta);
        let primary = |&j: &usize| Primary::new(&names[j], &momenta[j] - still(&slopes[j]));
        let slopes = (0..slopes.len()).filter(|j| !affine(j)).map(|j| (j, still(&slopes[j]))).collect();
        let legendre = Legendre { coordinates: self.coordinates.clone(), velocities: self.velocities.clone(), slopes };
        Ok(Some(Canonical {
            phase,
            hamiltonian,
            primaries: primaries.iter().map(primary).collect(),
            pivots: vec![],
            legendre: Some(legendre),
        }))
    }
}

/// At how many points the rank of W is looked at.
const RANK_POINTS: usize = 5;

/// A symmetric matrix A taken apart: independent rows I, x = A_II⁻¹ y_I, and y_J − A_JI x for the others.
pub(crate) struct Split {
    pub(crate) independent: Vec<usize>,
    /// x, by row.
    pub(crate) solution: BTreeMap<usize, Expr>,
    pub(crate) rest: Vec<(usize, Expr)>,
    /// What was divided by.
    pub(crate) pivots: Vec<Polynomial>,
}

impl Split {
    pub(crate) fn new(field: &mut Field, rows: &[Row], y: &[Expr]) -> Option<Split> {
        let n = rows.len();
        let mut reduced = rows.to_vec();
        let found = eliminate(field, &mut reduced, n, &mut Some, &mut size_cost)?;
        let mut independent: Vec<usize> = found.iter().map(|p| p.0).collect();
        let pivots = found.into_iter().map(|p| p.2.numerator).collect();
        independent.sort_unstable();
        let place = |i: &usize| independent.binary_search(i).ok();
        let block: Vec<Row> = independent
            .iter()
            .map(|&i| rows[i].iter().filter_map(|(j, e)| Some((place(j)?, e.clone()))).collect())
            .collect();
        let inverse = inverse(field, &block, &mut Some, &mut size_cost)?;
        let mut solution = BTreeMap::new();
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
        Some(Split { independent, solution, rest, pivots })
    }
}

pub(crate) fn normal_rows(field: &mut Field, rows: &[Sparse]) -> Option<Vec<Row>> {
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

pub(crate) fn dense(row: &Sparse, len: usize) -> Vec<Expr> {
    (0..len).map(|k| row.get(&k).cloned().unwrap_or_else(Expr::zero)).collect()
}

/// Whether an expression has a value, and no division by zero in it.
pub(crate) fn sound(e: &Expr) -> bool {
    Tensor::scalar(e.clone()).is_ok()
}

/// The value of an energy without families.
pub(crate) fn scalar(t: &Tensor) -> Result<Expr, AnalysisError> {
    Ok(Expr::sum(t.expand()?.entries()))
}
