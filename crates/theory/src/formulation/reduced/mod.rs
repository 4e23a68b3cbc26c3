//! A Poisson system on the surface of its constraints, in some of its own variables.
//!
//! With z = (u, v), as many u as constraints, χ(u, v) = 0 determines u = P(v) wherever ∂χ/∂u has an inverse. What is left
//! is a system in v alone,
//!
//! ```text
//! v̇ = B̃(v)∇K,   K(v) = H(P(v), v),   ∇K = H_v + P_vᵀH_u,   P_v = −χ_u⁻¹χ_v,
//! ```
//!
//! with a bracket B̃ that each of these formulations finds in its own way. The first three agree: it is Dirac's bracket in
//! the coordinates v of the surface.

mod dirac_coordinates;
mod linear;
mod projected;
mod projected_inverse;
mod slaved;

pub(super) use dirac_coordinates::CARD as DIRAC_COORDINATES;
pub(super) use projected::CARD as PROJECTED;
pub(super) use projected_inverse::CARD as PROJECTED_INVERSE;
pub(super) use slaved::CARD as SLAVED;

use super::algebra::replaced_arrays;
use super::card::{Card, Shape};
use super::dirac_bracket::Flow;
use super::poisson::claimed_casimirs;
use super::{Bracket, Formulation, Law, Lift, Motion, Space, VectorField};
use crate::constraints::Constraints;
use crate::error::TheoryError;
use crate::phase::{Phase, Sparse};
use crate::surface::ConstraintSurface;
use cotangent_expr::{Array, Error, Expr, Ix, Layout, Node, Place, Role, Tensor, Term, rows};
use cotangent_model::System;
use cotangent_scalar::Limits;
use linear::{Rows, solved};
use std::collections::BTreeMap;

/// What is common to the cards of those that keep some of the variables.
const KEPT: Card = Card {
    name: "",
    summary: "",
    equations: &[],
    symbols: "{zᵢ, zⱼ} = Bᵢⱼ(z); χ = 0 are the constraints, all that Dirac's analysis finds, G = ∂χ/∂z, \
        C = {χᵢ, χⱼ} = GBGᵀ; z = (u, v), u = P(v) where χ = 0; K(v) = H(P(v), v).",
    derivation: "",
    integrals: "",
    methods: "for methods for ordinary differential equations",
    reference: "",
    numbers: &[],
    canonical: false,
    exact: true,
    model_energy: true,
    full: true,
    shape: Shape::Field,
    unprojected: None,
    resets: false,
    inside: None,
};

/// The most terms of matrices that are written down. With about 2 kB for each, which is what one takes until it is
/// compiled, this is a little more than a gigabyte.
const MAX_TERMS: usize = 700_000;

impl Constraints {
    /// Refuses a formulation whose matrices would not fit into memory, before they are written down: each linear system has a
    /// matrix of its own, and where constraints are solved for variables an entry is a sum over these.
    ///
    /// - `slaved` solves with {g, g} for each variable that is kept, and once more for the motion; sums over these variables, twice;
    /// - `projected` with XᵀX for each variable and twice more, `projected-inverse` with XᵀB⁻¹X for each that is kept and once
    ///   more; sums over those that are solved for;
    /// - `dirac-coordinates` with the brackets of the constraints for each that is kept and once more.
    pub fn fits(&self, formulation: Formulation) -> Result<(), TheoryError> {
        let (solved, kept) = (self.list.len(), self.phase.len().saturating_sub(self.list.len()));
        let terms = match formulation {
            Formulation::Slaved => (kept + 1).saturating_mul(solved * solved).saturating_mul(2 * kept),
            Formulation::Projected => (kept + solved + 2).saturating_mul(kept * kept).saturating_mul(solved + 1),
            Formulation::ProjectedInverse => (kept + 1).saturating_mul(kept * kept).saturating_mul(solved + 1),
            Formulation::DiracCoordinates => (kept + 1).saturating_mul(solved * solved),
            _ => 0,
        };
        match terms > MAX_TERMS {
            true => Err(TheoryError::TooManyTerms { formulation: formulation.name(), terms, limit: MAX_TERMS }),
            false => Ok(()),
        }
    }

    /// The motion on the surface in the variables that are kept, by their numbers among those of the model. Where the
    /// constraints are not linear in the others, these are found near a given state.
    pub fn reduced(
        &self,
        system: &System,
        formulation: Formulation,
        (kept, near): (&[usize], &[f64]),
        limits: &Limits,
    ) -> Result<Motion, TheoryError> {
        self.fits(formulation)?;
        let reduction = Reduction::new(self, kept)?;
        let (tensor, rates) = match formulation {
            Formulation::Slaved => slaved::bracket(&reduction)?,
            Formulation::DiracCoordinates => dirac_coordinates::bracket(&reduction)?,
            Formulation::ProjectedInverse => projected_inverse::bracket(&reduction)?,
            Formulation::Projected => projected::bracket(&reduction)?,
            other => {
                let why = "it keeps all variables of a model";
                return Err(TheoryError::Unfit { formulation: other.name(), why });
            }
        };
        let flow = Flow::new(self)?;
        let slope = Some(linear::tensor("slope", &reduction.over_solved())?);
        let surface = ConstraintSurface { slope, ..flow.surface()? };
        let chart = Chart::new(&reduction, near)?;
        let model = flow.hamiltonian_form(system)?;
        let put = |t: &Tensor| replaced_arrays(t, &chart.lift.arrays);
        let field = VectorField { rate: put(&chart.vector(&rates)?)?, state: chart.state.clone() };
        let law = Law::Bracket(Box::new(Bracket {
            tensor: put(&chart.matrix(&tensor)?)?,
            hamiltonian: put(&Tensor::scalar(self.hamiltonian.clone())?)?,
            casimirs: put(&claimed_casimirs(&model)?)?,
            field,
            linear: false,
            spheres: vec![],
            matrices: vec![],
            restrained: None,
        }));
        Ok(Motion {
            system: model,
            formulation,
            state: chart.state,
            space: Space::Reduced(Box::new(surface)),
            law,
            velocity: None,
            lift: chart.lift,
            numbers: Layout::default(),
            auxiliaries: vec![],
            lapse: None,
            limits: limits.clone(),
        })
    }
}

/// The surface with its variables divided into u and v.
struct Reduction<'a> {
    known: &'a Constraints,
    phase: &'a Phase,
    /// v and u, by their numbers.
    kept: Vec<usize>,
    solved: Vec<usize>,
    /// ∂χ/∂z by rows.
    gradients: Vec<Sparse>,
    /// H_z.
    slope: Sparse,
}

impl<'a> Reduction<'a> {
    fn new(known: &'a Constraints, kept: &[usize]) -> Result<Reduction<'a>, TheoryError> {
        let phase = &known.phase;
        let solved = (0..phase.len()).filter(|k| !kept.contains(k)).collect();
        let gradients = known.list.iter().map(|c| phase.gradient(&c.expression)).collect::<Result<_, Error>>()?;
        let slope = phase.gradient(&known.hamiltonian)?;
        Ok(Reduction { known, phase, kept: kept.to_vec(), solved, gradients, slope })
    }

    /// Bᵢⱼ.
    fn bracket(&self, i: usize, j: usize) -> Expr {
        entry(&self.phase.bracket[i], j)
    }

    /// χ_u.
    fn over_solved(&self) -> Rows {
        let row = |g: &Sparse| self.solved.iter().map(|&k| entry(g, k)).collect();
        self.gradients.iter().map(row).collect()
    }

    /// P_v: a row for each of u, a column for each of v.
    fn slopes(&self) -> Result<Rows, Error> {
        let matrix = self.over_solved();
        let column = |j: &usize| {
            let right: Vec<Expr> = self.gradients.iter().map(|g| -entry(g, *j)).collect();
            solved("slope", &matrix, &right)
        };
        let columns = self.kept.iter().map(column).collect::<Result<Rows, Error>>()?;
        Ok(linear::transposed(&columns, self.solved.len()))
    }

    /// ∂z/∂v: a row for each variable.
    fn tangents(&self, slopes: &Rows) -> Rows {
        let row = |k: usize| match self.solved.iter().position(|&u| u == k) {
            Some(u) => slopes[u].clone(),
            None => self.kept.iter().map(|&v| if v == k { Expr::one() } else { Expr::zero() }).collect(),
        };
        (0..self.phase.len()).map(row).collect()
    }

    /// ∇K.
    fn energy_slope(&self, slopes: &Rows) -> Vec<Expr> {
        let of = |(j, v): (usize, &usize)| {
            let through = self.solved.iter().zip(slopes).map(|(u, row)| entry(&self.slope, *u) * &row[j]);
            Expr::sum(through.chain([entry(&self.slope, *v)]))
        };
        self.kept.iter().enumerate().map(of).collect()
    }
}

/// The bracket and the rates of v.
type Reduced = (Rows, Vec<Expr>);

fn entry(sparse: &Sparse, k: usize) -> Expr {
    sparse.get(&k).cloned().unwrap_or_else(Expr::zero)
}

/// The variables that are kept as a state, and the way back to all of them.
struct Chart {
    state: Layout,
    /// The kept variables, one by one.
    places: Vec<Place>,
    lift: Lift,
}

impl Chart {
    fn new(reduction: &Reduction<'_>, near: &[f64]) -> Result<Chart, TheoryError> {
        let layout = &reduction.phase.layout;
        // Arrays that are kept as a whole stay what they are; of others each member that is kept is one of its own.
        let (mut arrays, mut places, mut own) = (vec![], vec![], BTreeMap::new());
        for (array, offset) in with_offsets(layout) {
            let members: Vec<usize> = (0..array.len()).filter(|k| reduction.kept.contains(&(offset + k))).collect();
            let whole = members.len() == array.len();
            if whole {
                arrays.push(array.clone());
            }
            for k in members {
                let index: Vec<Ix> = array.multi_index(k).into_iter().map(Ix::constant).collect();
                let place = match whole {
                    true => Place { array: array.clone(), index },
                    false => {
                        let one = Array::scalar(&array.element_name(&array.multi_index(k)), Role::Coordinate);
                        arrays.push(one.clone());
                        Place { array: one, index: vec![] }
                    }
                };
                own.insert(offset + k, Expr::at(&place.array, place.index.clone()));
                places.push(place);
            }
        }
        let found = found(reduction, &own, near)?;
        own.extend(reduction.solved.iter().copied().zip(found));
        let pairs = lifted(layout, &own, "on the surface")?;
        let state = Layout::new(arrays);
        let taken = places.iter().zip(&reduction.kept);
        let taken = taken.map(|(place, k)| Term::plain(vec![place.clone()], reduction.phase.symbols[*k].clone()));
        let restriction = Some(Tensor::new(vec![state.clone()], taken.collect())?);
        Ok(Chart { state, places, lift: Lift { arrays: pairs, restriction } })
    }

    fn vector(&self, entries: &[Expr]) -> Result<Tensor, Error> {
        let terms = self.places.iter().zip(entries).map(|(place, e)| Term::plain(vec![place.clone()], e.clone()));
        Tensor::new(vec![self.state.clone()], terms.filter(|t| !t.value.is_zero()).collect())
    }

    fn matrix(&self, entries: &Rows) -> Result<Tensor, Error> {
        let row = |(place, row): (&Place, &Vec<Expr>)| {
            let entry = |(other, e): (&Place, &Expr)| Term::plain(vec![place.clone(), other.clone()], e.clone());
            self.places.iter().zip(row).map(entry).collect::<Vec<_>>()
        };
        let terms = self.places.iter().zip(entries).flat_map(row).filter(|t| !t.value.is_zero());
        Tensor::new(vec![self.state.clone(), self.state.clone()], terms.collect())
    }
}

/// The arrays of a layout with the numbers of their first members.
fn with_offsets(layout: &Layout) -> impl Iterator<Item = (&Array, usize)> {
    layout.arrays().iter().map(|a| (a, layout.offset(a).unwrap_or_default()))
}

/// Arrays of a layout, each with what its members are, by number; 0 where nothing is said. Those that are what they were
/// are left out.
fn lifted(layout: &Layout, values: &BTreeMap<usize, Expr>, name: &str) -> Result<Vec<(Array, Array)>, Error> {
    let mut pairs = vec![];
    for (array, offset) in with_offsets(layout) {
        let value = |k: usize| values.get(&(offset + k)).cloned().unwrap_or_else(Expr::zero);
        let same = |k: usize| matches!(value(k).node(), Node::At(a, _) if a == array);
        if (0..array.len()).all(same) {
            continue;
        }
        let term = |k: usize| {
            let index = array.multi_index(k).into_iter().map(Ix::constant).collect();
            Term::plain(vec![Place { array: array.clone(), index }], value(k))
        };
        let terms = (0..array.len()).map(term).filter(|t| !t.value.is_zero()).collect();
        let values = Tensor::new(vec![Layout::new(vec![array.clone()])], terms)?;
        let defined = Array::defined(&format!("{} {name}", array.name()), array.dims().to_vec(), values);
        pairs.push((array.clone(), defined));
    }
    Ok(pairs)
}

/// u = P(v): by one linear system where χ is affine in u, or else by Newton's method from where they are near a state.
fn found(reduction: &Reduction<'_>, own: &BTreeMap<usize, Expr>, near: &[f64]) -> Result<Vec<Expr>, TheoryError> {
    let Reduction { known, phase, solved: unknowns, .. } = reduction;
    let m = unknowns.len();
    let over = Layout::new(vec![rows("constraint", m)]);
    let place = |k: usize| Place { array: over.arrays()[0].clone(), index: vec![Ix::constant(k as i64)] };
    let vector = |entries: Vec<Expr>| {
        let terms = entries.into_iter().enumerate().map(|(k, e)| Term::plain(vec![place(k)], e)).collect();
        Tensor::new(vec![over.clone()], terms)
    };
    let residual = vector(known.list.iter().map(|c| c.expression.clone()).collect())?;
    let at = |values: &BTreeMap<usize, Expr>, name: &str, t: &Tensor| -> Result<Tensor, TheoryError> {
        replaced_arrays(t, &lifted(&phase.layout, values, name)?)
    };
    let matrix = reduction.over_solved();
    let contains = |e: &Expr| e.leaves().iter().any(|l| unknowns.iter().any(|&u| phase.symbols[u] == *l));
    if !matrix.iter().flatten().any(contains) {
        let without = at(own, "at zero", &residual)?.expand()?.entries();
        let matrix = at(own, "at zero", &linear::tensor("slaving", &matrix)?)?;
        let right: Vec<Expr> = without.into_iter().map(|e| -e).collect();
        return Ok(linear::solved_by("slaved", &linear::entries(&matrix)?, &right)?);
    }
    let unknown = rows("slaved", m);
    let mut values = own.clone();
    values.extend(unknowns.iter().enumerate().map(|(k, &u)| (u, Expr::at(&unknown, vec![Ix::constant(k as i64)]))));
    let residual = at(&values, "guess", &residual)?;
    let start = vector(unknowns.iter().map(|&u| Expr::from(near.get(u).copied().unwrap_or_default())).collect())?;
    let root = Array::root("slaved", unknown, residual, start)?;
    Ok((0..m).map(|k| Expr::at(&root, vec![Ix::constant(k as i64)])).collect())
}
