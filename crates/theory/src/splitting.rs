//! Parts of an energy whose flows are known in closed form.
//!
//! A part Hₖ moves some variables and leaves the others as they are. With those kept, its equations are often affine,
//!
//! ```text
//! ẏ = A y + b,   y(h) = y + ∫₀ʰ e^(sA) w ds,   w = A y + b,
//! ```
//!
//! and A falls into blocks for which the integral is known. With the Stumpff functions c_k(s) = Σ_j (−s)^j/(2j+k)!:
//!
//! - no cycles: A is nilpotent, and the series Σ h^j/j! A^(j−1) w ends;
//! - one variable: h φ(a h) w with φ(x) = (eˣ − 1)/x = e^(x/2) c₁(−x²/4);
//! - two variables with trace zero, A² = δ: h c₁(σ) w + h² c₂(σ) A w with σ = −δh², a rotation where δ < 0;
//! - two variables with trace 2τ and b = 0, N = A − τ, N² = δ: (e^(τh) c₀(σ) − 1) y + e^(τh) h c₁(σ) N y;
//! - three variables with Aᵀ = −A, A³ = δA: h w + h² c₂(σ) A w + h³ c₃(σ) A²w.
//!
//! What is given are the increments y(h) − y, so that sums can be compensated.

mod families;

use crate::error::{NoFlow, TheoryError};
use crate::phase::{Phase, Sparse};
use cotangent_expr::{Array, Expr, Function, Ix, Layout, Node, Place, Role, Tensor, Term};
use cotangent_model::{Dynamics, System};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// More variables are not taken one by one.
const LARGEST: usize = 3000;

/// The parts of an energy, with their flows.
#[derive(Clone, Debug)]
pub struct Splitting {
    /// The state.
    pub state: Layout,
    /// The step h, an input of the flows.
    pub step: Layout,
    /// The parts, in the order of the model.
    pub parts: Vec<Part>,
}

/// A part of an energy.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// φ_h(z) − z for its flow φ.
    pub increment: Tensor,
}

impl Part {
    /// Which entries of the state it may move, in order: those of a family together.
    pub fn moved(&self, state: &Layout) -> Vec<Range<usize>> {
        let range = |term: &Term| {
            let Place { array, index } = term.at.first()?;
            let offset = state.offset(array)?;
            let own = array.flat_index(index).as_constant().and_then(|at| usize::try_from(at).ok());
            Some(own.map_or(offset..offset + array.len(), |at| offset + at..offset + at + 1))
        };
        let mut ranges: Vec<Range<usize>> = self.increment.terms().iter().filter_map(range).collect();
        ranges.sort_by_key(|range| (range.start, range.end));
        let mut joined: Vec<Range<usize>> = vec![];
        for range in ranges {
            match joined.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        joined
    }
}

impl Splitting {
    /// The parts that a model names; without any, the terms of its energy. Families are taken as a whole where their flows
    /// are known as such, else member by member.
    pub fn new(system: &System) -> Result<Splitting, TheoryError> {
        let dynamics = &system.dynamics;
        let (state, hamiltonian) = match dynamics {
            Dynamics::Hamiltonian { coordinates, momenta, hamiltonian } => (coordinates.then(momenta), hamiltonian),
            Dynamics::Poisson { variables, hamiltonian, .. } => (variables.clone(), hamiltonian),
            other => return Err(TheoryError::NotCanonical { what: "a splitting", kind: other.kind() }),
        };
        let step = Array::scalar("step of a flow", Role::Auxiliary);
        let h = Expr::at(&step, vec![]);
        let refused = |part: String, why: NoFlow| TheoryError::NoFlow { part, why };
        let mut phase = None;
        let mut parts = vec![];
        for (name, energy) in named(system, hamiltonian)? {
            let whole = match families::rate(dynamics, &energy)? {
                Some(rate) => families::increment(&rate, &h)?,
                None => None,
            };
            if let Some(increment) = whole {
                parts.push(Part { name, increment });
                continue;
            }
            if state.len() > LARGEST {
                return Err(refused(name, NoFlow::TooLarge { largest: LARGEST }));
            }
            if phase.is_none() {
                phase = match dynamics {
                    Dynamics::Hamiltonian { coordinates, momenta, .. } => Some(Phase::canonical(coordinates, momenta)),
                    Dynamics::Poisson { variables, bracket, .. } => Some(Phase::general(variables, bracket)?),
                    _ => None,
                };
            }
            let Some(phase) = &phase else { continue };
            let members = match system.splits.is_empty() {
                false => vec![(name, Expr::sum(energy.expand()?.entries()))],
                true => {
                    let members: Vec<Expr> = energy.expand()?.terms().iter().flat_map(|t| summands(&t.value)).collect();
                    let count = members.len();
                    let own = |(k, e): (usize, Expr)| match count {
                        1 => (name.clone(), e),
                        _ => (format!("{name}.{}", k + 1), e),
                    };
                    members.into_iter().enumerate().map(own).collect()
                }
            };
            parts.extend(Splitting::of(phase, members, refused)?.parts);
        }
        Ok(Splitting { state, step: Layout::new(vec![step]), parts })
    }

    /// The flows of functions, by name; a function of the name says what it means that one is not known.
    pub(crate) fn of(
        phase: &Phase,
        generators: Vec<(String, Expr)>,
        refused: fn(String, NoFlow) -> TheoryError,
    ) -> Result<Splitting, TheoryError> {
        let step = Array::scalar("step of a flow", Role::Auxiliary);
        let h = Expr::at(&step, vec![]);
        let mut parts = vec![];
        for (name, energy) in generators {
            let increments = flow(phase, &energy, &h).map_err(|why| match why {
                Failed::NoFlow(why) => refused(name.clone(), why),
                Failed::Expression(error) => error.into(),
            })?;
            parts.push(Part { name, increment: vector(phase, &increments)? });
        }
        Ok(Splitting { state: phase.layout.clone(), step: Layout::new(vec![step]), parts })
    }
}

/// The parts by name.
fn named(system: &System, hamiltonian: &Tensor) -> Result<Vec<(String, Tensor)>, TheoryError> {
    let mut parts = vec![];
    for split in &system.splits {
        if split.array.dims().is_empty() {
            let terms = split.value.terms().iter().map(|t| Term { at: vec![], ..t.clone() }).collect();
            parts.push((split.array.name().to_owned(), Tensor::new(vec![], terms)?));
            continue;
        }
        for (k, value) in split.value.expand()?.entries().into_iter().enumerate() {
            parts.push((split.array.element_name(&split.array.multi_index(k)), Tensor::scalar(value)?));
        }
    }
    if parts.is_empty() {
        for (k, t) in hamiltonian.terms().iter().enumerate() {
            for (j, value) in summands(&t.value).into_iter().enumerate() {
                let part = Tensor::new(vec![], vec![Term { value, ..t.clone() }])?;
                parts.push((format!("term {}.{}", k + 1, j + 1), part));
            }
        }
    }
    Ok(parts)
}

/// h φ(ah) = ∫₀ʰ e^(as) ds.
fn exponential(a: &Expr, h: &Expr) -> Expr {
    let x = a * h;
    h * Expr::call(Function::Exp, vec![&x / 2]) * stumpff(1, &(-(&x * &x) / 4))
}

fn stumpff(k: u32, s: &Expr) -> Expr {
    Expr::call(Function::Stumpff(k), vec![s.clone()])
}

/// The terms of a sum.
fn summands(e: &Expr) -> Vec<Expr> {
    match e.node() {
        Node::Add(_, terms) => terms.iter().map(|(c, t)| Expr::number(*c) * t).collect(),
        _ => vec![e.clone()],
    }
}

enum Failed {
    NoFlow(NoFlow),
    Expression(cotangent_expr::Error),
}

impl From<cotangent_expr::Error> for Failed {
    fn from(error: cotangent_expr::Error) -> Failed {
        Failed::Expression(error)
    }
}

/// The increments of the variables that a part moves.
fn flow(phase: &Phase, energy: &Expr, h: &Expr) -> Result<Sparse, Failed> {
    let rates = phase.flow(&phase.gradient(energy)?);
    let moving: BTreeSet<usize> = rates.keys().copied().collect();
    let moves = |e: &Expr| -> bool {
        let leaves = e.leaves();
        moving.iter().any(|&k| leaves.contains(&phase.symbols[k]))
    };
    // A by rows. w is the rate itself.
    let mut matrix: BTreeMap<usize, Sparse> = BTreeMap::new();
    for (&i, rate) in &rates {
        let slopes = phase.gradient(rate)?;
        let row: Sparse = slopes.into_iter().filter(|(j, _)| moving.contains(j)).collect();
        if row.values().any(&moves) {
            return Err(Failed::NoFlow(NoFlow::NotLinear { variable: phase.names[i].clone() }));
        }
        matrix.insert(i, row);
    }
    let mut increments = Sparse::new();
    for block in blocks(&matrix) {
        let own = |k: &usize| (*k, rates[k].clone());
        let w: Sparse = block.iter().map(own).collect();
        // A y = w, where there is no b.
        let y: Sparse = block.iter().map(|&k| (k, phase.symbols[k].clone())).collect();
        let rest = times(&matrix, &y);
        let linear = block.iter().all(|k| (&rates[k] - &entry(&rest, *k)).is_zero());
        let Some(found) = integral(&matrix, &block, (&w, linear.then_some(&y)), h) else {
            let variables = block.iter().map(|&k| format!("`{}`", phase.names[k])).collect();
            return Err(Failed::NoFlow(NoFlow::Coupled { variables }));
        };
        increments.extend(found);
    }
    Ok(increments)
}

/// Variables that depend on each other, one way or the other.
fn blocks(matrix: &BTreeMap<usize, Sparse>) -> Vec<Vec<usize>> {
    let mut neighbours: BTreeMap<usize, BTreeSet<usize>> = matrix.keys().map(|&k| (k, BTreeSet::new())).collect();
    for (&i, row) in matrix {
        for &j in row.keys() {
            neighbours.entry(i).or_default().insert(j);
            neighbours.entry(j).or_default().insert(i);
        }
    }
    let mut seen = BTreeSet::new();
    let mut blocks = vec![];
    for &start in matrix.keys() {
        if !seen.insert(start) {
            continue;
        }
        let (mut block, mut open) = (vec![start], vec![start]);
        while let Some(k) = open.pop() {
            for &next in &neighbours[&k] {
                if seen.insert(next) {
                    block.push(next);
                    open.push(next);
                }
            }
        }
        block.sort_unstable();
        blocks.push(block);
    }
    blocks
}

/// A v.
fn times(matrix: &BTreeMap<usize, Sparse>, v: &Sparse) -> Sparse {
    let row = |i: &usize| {
        let terms = matrix.get(i)?.iter().filter_map(|(j, a)| v.get(j).map(|v| a * v));
        Some((*i, Expr::sum(terms.collect::<Vec<_>>())))
    };
    let all = v.keys().chain(matrix.keys()).copied().collect::<BTreeSet<_>>();
    all.iter().filter_map(row).filter(|(_, e)| !e.is_zero()).collect()
}

/// Σ fₖ vₖ.
fn combined(terms: &[(Expr, &Sparse)]) -> Sparse {
    let mut sums: BTreeMap<usize, Vec<Expr>> = BTreeMap::new();
    for (factor, vector) in terms {
        for (k, v) in vector.iter() {
            sums.entry(*k).or_default().push(factor * v);
        }
    }
    sums.into_iter().map(|(k, list)| (k, Expr::sum(list))).collect()
}

fn entry(sparse: &Sparse, k: usize) -> Expr {
    sparse.get(&k).cloned().unwrap_or_else(Expr::zero)
}

/// ∫₀ʰ e^(sA) w ds on a block, if it is known; and y with A y = w, if there is one that is known.
fn integral(
    matrix: &BTreeMap<usize, Sparse>,
    block: &[usize],
    (w, y): (&Sparse, Option<&Sparse>),
    h: &Expr,
) -> Option<Sparse> {
    let entry = |i: usize, j: usize| entry(&matrix[&i], j);
    let own: BTreeMap<usize, Sparse> = block.iter().map(|&k| (k, matrix[&k].clone())).collect();
    if let Some(series) = nilpotent(&own, w, h) {
        return Some(series);
    }
    match block {
        [k] => Some(combined(&[(exponential(&entry(*k, *k), h), w)])),
        [i, j] => {
            let (p, q, r, s) = (entry(*i, *i), entry(*i, *j), entry(*j, *i), entry(*j, *j));
            if !(&p + &s).is_zero() {
                return Some(spiral(w, y?, [p, q, r, s], h));
            }
            let sigma = -((&p * &p + q * r) * h.powi(2));
            let turned = times(&own, w);
            Some(combined(&[(h * stumpff(1, &sigma), w), (h.powi(2) * stumpff(2, &sigma), &turned)]))
        }
        [i, j, k] => {
            let pairs = [(*i, *j), (*j, *k), (*k, *i)];
            let skew = pairs.iter().all(|&(a, b)| (entry(a, b) + entry(b, a)).is_zero())
                && block.iter().all(|&a| entry(a, a).is_zero());
            if !skew {
                return None;
            }
            let delta = -Expr::sum(pairs.iter().map(|&(a, b)| entry(a, b).powi(2)).collect::<Vec<_>>());
            let sigma = -(delta * h.powi(2));
            let once = times(&own, w);
            let twice = times(&own, &once);
            Some(combined(&[
                (h.clone(), w),
                (h.powi(2) * stumpff(2, &sigma), &once),
                (h.powi(3) * stumpff(3, &sigma), &twice),
            ]))
        }
        _ => None,
    }
}

/// (e^(hA) − 1) y for a matrix of two rows with entries p, q, r, s and w = A y: e^(τh) c₀ − 1 = τhφ(τh) c₀ − σ c₂.
fn spiral(w: &Sparse, y: &Sparse, [p, q, r, s]: [Expr; 4], h: &Expr) -> Sparse {
    let tau = (&p + &s) / 2;
    let skewed = (&p - &s) / 2;
    let sigma = -((&skewed * &skewed + q * r) * h.powi(2));
    let growth = Expr::call(Function::Exp, vec![&tau * h]);
    // N y = w − τ y.
    let turned = combined(&[(Expr::one(), w), (-&tau, y)]);
    let along = &tau * exponential(&tau, h) * stumpff(0, &sigma) - &sigma * stumpff(2, &sigma);
    combined(&[(along, y), (h * growth * stumpff(1, &sigma), &turned)])
}

/// Σ h^j/j! A^(j−1) w, if A has no cycles.
fn nilpotent(own: &BTreeMap<usize, Sparse>, w: &Sparse, h: &Expr) -> Option<Sparse> {
    // Variables whose rows are exhausted by those before them.
    let mut left: BTreeSet<usize> = own.keys().copied().collect();
    while let Some(&k) = left.iter().find(|k| own[k].keys().all(|j| !left.contains(j))) {
        left.remove(&k);
    }
    if !left.is_empty() {
        return None;
    }
    let (mut power, mut terms, mut factorial) = (w.clone(), vec![], 1i64);
    for j in 1..=own.len() as i64 {
        if power.is_empty() {
            break;
        }
        factorial = factorial.checked_mul(j)?;
        terms.push((h.powi(j) * Expr::ratio(1, factorial), power.clone()));
        power = times(own, &power);
    }
    let terms: Vec<(Expr, &Sparse)> = terms.iter().map(|(f, v)| (f.clone(), v)).collect();
    Some(combined(&terms))
}

/// Increments as a vector over the state.
fn vector(phase: &Phase, increments: &Sparse) -> Result<Tensor, cotangent_expr::Error> {
    let mut terms = vec![];
    for array in phase.layout.arrays() {
        let offset = phase.layout.offset(array).unwrap_or_default();
        for k in 0..array.len() {
            if let Some(value) = increments.get(&(offset + k)) {
                let index: Vec<Ix> = array.multi_index(k).into_iter().map(Ix::constant).collect();
                terms.push(Term::plain(vec![Place { array: array.clone(), index }], value.clone()));
            }
        }
    }
    Tensor::new(vec![phase.layout.clone()], terms)
}
