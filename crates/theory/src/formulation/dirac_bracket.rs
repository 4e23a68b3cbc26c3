//! The flow of H under the Dirac bracket, where an analysis found the constraints.
//!
//! Where every constraint χ is second class, C_ab = {χ_a, χ_b} is invertible, and
//!
//! $$ \dot z = \{z, H\}^* = \{z, H\} - \{z, \chi_a\}\,x_a, \qquad C x = \{\chi, H\}, $$
//!
//! has all χ and H as strong integrals, whatever the bracket: {χ, H}* = {χ, H} − C x = 0 and
//! {H, H}* = {χ, H}·x = xᵀC x = 0. C x = {χ, H} is solved where the field is evaluated; nothing is inverted
//! by symbols. A constraint that is a Casimir moves nothing and is kept by itself.
//!
//! On the surface −x_a is the multiplier of χ_a in the total Hamiltonian, for a primary constraint; those of
//! the others vanish. q̇ is what the field says: the velocities of a singular Lagrangian are not functions
//! of its momenta, but they are functions of the state.

use super::card::{Card, Shape};
use super::poisson::claimed_casimirs;
use super::{Bracket, Formulation, Law, Lift, Motion, Space, VectorField};
use crate::constraints::{Classified, Constraints};
use crate::error::TheoryError;
use crate::phase::{Phase, Sparse, member};
use crate::restrained::Restrained;
use crate::surface::ConstraintSurface;
use cotangent_expr::{Array, Dim, Error, Expr, Ix, Layout, Node, Place, Role, Tensor, Term, solve};
use cotangent_model::{Claim, ConstraintKind, Dynamics, Quantity, System};
use cotangent_scalar::Limits;

/// What there is to know about it.
pub(super) const CARD: Card = Card {
    name: "dirac-bracket",
    summary: "the flow of H under the Dirac bracket of a Poisson system; constraints, energy and Casimirs are integrals",
    equations: &["ż = B* ∇H,   B* = B − B Gᵀ C⁻¹ G B", "ż = B(∇H + Gᵀλ),   C λ = −G B ∇H"],
    symbols: "{zᵢ, zⱼ} = Bᵢⱼ(z); χ = 0 are the constraints, all that Dirac's analysis finds, G = ∂χ/∂z, \
        C = {χᵢ, χⱼ} = GBGᵀ.",
    derivation: "Dirac's bracket {f, g}* = {f, g} − {f, χᵢ} (C⁻¹)ᵢⱼ {χⱼ, g} on any Poisson system: the constraints and the \
        Casimirs of B are Casimirs of it. A single constraint g has {g, g} = 0 and brings χ = {g, H} with it. \
        `hamilton-dirac` is the same vector field. C is solved where the field is evaluated; its condition is \
        followed along the run. `reich` keeps Dirac's bracket itself.",
    integrals: "all constraints found, H, and the Casimirs of the bracket",
    methods: "for methods for ordinary differential equations, and for `reich` where constraints commute and their flows \
        are known",
    reference: "P. A. M. Dirac, Canad. J. Math. 2 (1950) 129; for Poisson systems Balk, Local numerical discretization of \
        Euler–Poisson reduction, section 3.3",
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

impl Constraints {
    /// The Hamilton–Dirac equations of the model that they are of. The model in the result is Hamiltonian (or Poisson),
    /// with these constraints as its own.
    pub fn motion(&self, system: &System, limits: &Limits) -> Result<Motion, TheoryError> {
        Ok(Flow::new(self)?.motion(system, limits)?)
    }

    /// The equations ż = {z, H} + λ{z, g} with the multipliers of the given constraints alone, λ such that the time
    /// derivatives of some constraints vanish, by their numbers: as many as are given. Off the surface they differ from
    /// those of Dirac's bracket, and drift.
    pub fn index_reduced(&self, system: &System, rows: &[usize], limits: &Limits) -> Result<Motion, TheoryError> {
        let field = Flow::new(self)?.index_reduced(rows)?.field()?;
        let law = Law::Field { field, canonical: false };
        Ok(Motion { law, formulation: Formulation::IndexReduced, ..self.motion(system, limits)? })
    }

    /// {χ_r, g_a}: for every constraint its brackets with those that are given.
    pub fn brackets_with_given(&self) -> Result<Vec<Vec<Expr>>, TheoryError> {
        let given = self.list.iter().filter(|c| c.multiplier.is_some() && c.second);
        let flows = given.map(|c| Ok(self.phase.flow(&self.phase.gradient(&c.expression)?)));
        let flows = flows.collect::<Result<Vec<Sparse>, Error>>()?;
        let row = |c: &Classified| {
            let gradient = self.phase.gradient(&c.expression)?;
            Ok(flows.iter().map(|flow| Phase::pair(&gradient, flow)).collect())
        };
        self.list.iter().map(row).collect()
    }
}

/// The flow of H under the Dirac bracket, member by member.
pub(super) struct Flow<'a> {
    known: &'a Constraints,
    constraints: &'a [Classified],
    phase: &'a Phase,
    hamiltonian: &'a Expr,
    /// {χ_a, χ_b}
    brackets: Tensor,
    /// x
    multipliers: Option<Array>,
    /// {z, χ_a} of the second-class constraints.
    flows: Vec<Sparse>,
    /// ż
    rates: Vec<Expr>,
}

impl<'a> Flow<'a> {
    pub(super) fn new(known: &'a Constraints) -> Result<Flow<'a>, Error> {
        let Constraints { phase, hamiltonian, list } = known;
        let free = phase.flow(&phase.gradient(hamiltonian)?);
        let second = || list.iter().filter(|c| c.second);
        let gradients: Vec<Sparse> = second().map(|c| phase.gradient(&c.expression)).collect::<Result<_, _>>()?;
        let flows: Vec<Sparse> = gradients.iter().map(|g| phase.flow(g)).collect();
        let arrays: Vec<Array> = second().map(named).collect();
        let layout = Layout::new(arrays.clone());
        let (mut matrix, mut right) = (vec![], vec![]);
        for (i, (a, gradient)) in arrays.iter().zip(&gradients).enumerate() {
            for (b, flow) in arrays.iter().zip(&flows).skip(i + 1) {
                let bracket = Phase::pair(gradient, flow);
                matrix.push(Term::plain(vec![scalar(b), scalar(a)], -&bracket));
                matrix.push(Term::plain(vec![scalar(a), scalar(b)], bracket));
            }
            right.push(Term::plain(vec![scalar(a)], Phase::pair(gradient, &free)));
        }
        let brackets = Tensor::new(vec![layout.clone(), layout.clone()], matrix)?;
        let multipliers = match arrays.is_empty() {
            true => None,
            false => Some(solve("dirac_multipliers", &brackets, &Tensor::new(vec![layout], right)?)?),
        };
        // A constraint on one variable alone: its rate is zero, and not only up to rounding.
        let constant = |k: usize| gradients.iter().any(|g| g.len() == 1 && g.contains_key(&k));
        let rate = |k: usize| {
            if constant(k) {
                return Expr::zero();
            }
            let pushes = flows.iter().enumerate().filter_map(|(a, flow)| {
                Some(-(flow.get(&k)? * Expr::at(multipliers.as_ref()?, vec![Ix::constant(a as i64)])))
            });
            Expr::sum(free.get(&k).cloned().into_iter().chain(pushes))
        };
        let rates = (0..phase.len()).map(rate).collect();
        Ok(Flow { known, constraints: list, phase, hamiltonian, brackets, multipliers, flows, rates })
    }

    /// The constraints hold, and the multipliers of the given ones are those that keep the time derivatives of these rows
    /// zero: {χ_r, H} + {χ_r, g_a}λ_a = 0, as many rows as given constraints. Without the multipliers of those that
    /// follow, which vanish on the surface.
    fn index_reduced(mut self, rows: &[usize]) -> Result<Flow<'a>, Error> {
        let phase = self.phase;
        let free = phase.flow(&phase.gradient(self.hamiltonian)?);
        let given: Vec<&Classified> = self.constraints.iter().filter(|c| c.multiplier.is_some() && c.second).collect();
        let gradients = given.iter().map(|c| phase.gradient(&c.expression)).collect::<Result<Vec<_>, _>>()?;
        let flows: Vec<Sparse> = gradients.iter().map(|g| phase.flow(g)).collect();
        let arrays: Vec<Array> = given.iter().map(|c| named(c)).collect();
        let layout = Layout::new(arrays.clone());
        let (mut matrix, mut right) = (vec![], vec![]);
        for (&r, a) in rows.iter().zip(&arrays) {
            let gradient = phase.gradient(&self.constraints[r].expression)?;
            for (b, flow) in arrays.iter().zip(&flows) {
                matrix.push(Term::plain(vec![scalar(a), scalar(b)], Phase::pair(&gradient, flow)));
            }
            right.push(Term::plain(vec![scalar(a)], -Phase::pair(&gradient, &free)));
        }
        let matrix = Tensor::new(vec![layout.clone(), layout.clone()], matrix)?;
        let lambda = solve("index_reduced_multipliers", &matrix, &Tensor::new(vec![layout], right)?)?;
        let rate = |k: usize| {
            let pushes = flows.iter().enumerate();
            let pushes =
                pushes.filter_map(|(a, flow)| Some(flow.get(&k)? * Expr::at(&lambda, vec![Ix::constant(a as i64)])));
            Expr::sum(free.get(&k).cloned().into_iter().chain(pushes))
        };
        self.rates = (0..phase.len()).map(rate).collect();
        Ok(self)
    }

    fn field(&self) -> Result<VectorField, Error> {
        let state = self.phase.layout.clone();
        let mut terms = vec![];
        for array in state.arrays() {
            terms.extend(self.rate_of(array));
        }
        Ok(VectorField { rate: Tensor::new(vec![state.clone()], terms)?, state })
    }

    fn motion(self, system: &System, limits: &Limits) -> Result<Motion, Error> {
        let state = self.phase.layout.clone();
        let field = self.field()?;
        let system = self.hamiltonian_form(system)?;
        let space = match self.constraints.is_empty() {
            true => Space::Whole,
            false => Space::Surface(Box::new(self.surface()?)),
        };
        let law = match &system.dynamics {
            Dynamics::Poisson { hamiltonian, .. } => Law::Bracket(Box::new(Bracket {
                tensor: self.dirac()?,
                hamiltonian: hamiltonian.clone(),
                casimirs: claimed_casimirs(&system)?,
                field,
                linear: false,
                spheres: vec![],
                matrices: vec![],
                restrained: Restrained::new(self.known, &system)?,
            })),
            _ => Law::Field { field, canonical: false },
        };
        let formulation = match law {
            Law::Bracket(_) => Formulation::DiracBracket,
            _ => Formulation::HamiltonDirac,
        };
        Ok(Motion {
            system,
            formulation,
            state,
            space,
            law,
            velocity: None,
            lift: Lift::default(),
            numbers: Layout::default(),
            auxiliaries: vec![],
            lapse: None,
            limits: limits.clone(),
        })
    }

    /// B* = B − {z, χ}C⁻¹{χ, z}, column by column.
    fn dirac(&self) -> Result<Tensor, Error> {
        let layout = &self.phase.layout;
        let places: Vec<Place> = layout.arrays().iter().flat_map(|a| (0..a.len()).map(move |k| member(a, k))).collect();
        let over = &self.brackets.shape()[0];
        let mut terms = vec![];
        for (j, column) in places.iter().enumerate() {
            let own = self.flows.iter().zip(over.arrays());
            let right: Vec<Term> =
                own.filter_map(|(flow, a)| Some(Term::plain(vec![scalar(a)], -flow.get(&j)?.clone()))).collect();
            let answer = match right.is_empty() {
                true => None,
                false => Some(solve("dirac_bracket", &self.brackets, &Tensor::new(vec![over.clone()], right)?)?),
            };
            for (i, row) in places.iter().enumerate().filter(|(i, _)| *i != j) {
                let pushes = self.flows.iter().enumerate().filter_map(|(a, flow)| {
                    Some(-(flow.get(&i)? * Expr::at(answer.as_ref()?, vec![Ix::constant(a as i64)])))
                });
                let value = Expr::sum(self.phase.bracket[i].get(&j).cloned().into_iter().chain(pushes));
                if !value.is_zero() {
                    terms.push(Term::plain(vec![row.clone(), column.clone()], value));
                }
            }
        }
        Tensor::new(vec![layout.clone(), layout.clone()], terms)
    }

    /// ż for the members of one array.
    fn rate_of(&self, array: &Array) -> Vec<Term> {
        let offset = self.phase.layout.offset(array).unwrap_or_default();
        (0..array.len()).map(|k| Term::plain(vec![member(array, k)], self.rates[offset + k].clone())).collect()
    }

    pub(super) fn surface(&self) -> Result<ConstraintSurface, Error> {
        let (multipliers, values) = self.multipliers()?;
        let (given, found): (Vec<_>, Vec<_>) = self.constraints.iter().partition(|c| c.generation <= 1);
        let generations = given.iter().chain(&found).map(|c| c.generation).collect();
        let vector = |list: &[&Classified]| {
            let layout = Layout::new(list.iter().map(|c| named(c)).collect());
            let term = |c: &&Classified| Term::plain(vec![scalar(&named(c))], c.expression.clone());
            Tensor::new(vec![layout], list.iter().map(term).collect())
        };
        let (constraints, hidden) = (vector(&given)?, vector(&found)?);
        let directions = self.directions(constraints.shape()[0].then(&hidden.shape()[0]))?;
        Ok(ConstraintSurface {
            constraints,
            hidden,
            generations,
            brackets: self.brackets.clone(),
            directions,
            multipliers,
            values,
            rate: self.field()?.rate,
            slope: None,
        })
    }

    /// {z, χ} for each constraint.
    fn directions(&self, constraints: Layout) -> Result<Tensor, Error> {
        let mut terms = vec![];
        for c in self.constraints {
            let gradient = self.phase.gradient(&c.expression)?;
            let flow = self.phase.flow(&gradient);
            // The gradient of a Casimir, which moves nothing.
            let direction = if c.second { flow } else { gradient };
            let entries = self.phase.layout.arrays().iter().flat_map(|a| (0..a.len()).map(move |k| member(a, k)));
            for (k, entry) in entries.enumerate() {
                terms.extend(direction.get(&k).map(|v| Term::plain(vec![entry, scalar(&named(c))], v.clone())));
            }
        }
        Tensor::new(vec![self.phase.layout.clone(), constraints], terms)
    }

    /// −x for the primary constraints, and their names.
    fn multipliers(&self) -> Result<(Layout, Option<Array>), Error> {
        let second = self.constraints.iter().filter(|c| c.second);
        let (mut names, mut values) = (vec![], vec![]);
        for (a, c) in second.enumerate() {
            if let (Some(name), Some(x)) = (&c.multiplier, &self.multipliers) {
                names.push(Array::scalar(name, Role::Multiplier));
                values.push(-Expr::at(x, vec![Ix::constant(a as i64)]));
            }
        }
        let dims = vec![Dim { first: 0, len: values.len() }];
        let array = match values.is_empty() {
            true => None,
            false => Some(Array::defined("multipliers", dims, Tensor::vector("multipliers", values)?)),
        };
        Ok((Layout::new(names), array))
    }

    /// The model on phase space: its energy, what was found as its constraints, and its quantities with
    /// velocities as functions of the state.
    pub(super) fn hamiltonian_form(&self, system: &System) -> Result<System, Error> {
        let hamiltonian = Tensor::scalar(self.hamiltonian.clone())?;
        let dynamics = match &system.dynamics {
            Dynamics::Poisson { variables, bracket, algebras, .. } => {
                let (variables, bracket, algebras) = (variables.clone(), bracket.clone(), algebras.clone());
                Dynamics::Poisson { variables, bracket, hamiltonian, algebras }
            }
            _ => {
                let (q, p) = self.phase.layout.arrays().split_at(self.phase.layout.arrays().len() / 2);
                let (coordinates, momenta) = (Layout::new(q.to_vec()), Layout::new(p.to_vec()));
                Dynamics::Hamiltonian { coordinates, momenta, hamiltonian }
            }
        };
        let rewritten = |t: &Tensor| self.without_velocities(t);
        let quantity = |q: &Quantity| Ok(Quantity { array: q.array.clone(), value: rewritten(&q.value)? });
        let claim = |c: &Claim| Ok(Claim { kind: c.kind, quantity: quantity(&c.quantity)? });
        let constraints = self.constraints.iter().map(|c| self.constraint(c)).collect::<Result<_, Error>>()?;
        let observables = system.observables.iter().map(quantity).collect::<Result<_, Error>>()?;
        let claims = system.claims.iter().map(claim).collect::<Result<_, Error>>()?;
        let drawings = system.drawings.iter().map(|d| d.map(rewritten)).collect::<Result<_, Error>>()?;
        Ok(System { dynamics, constraints, gauges: vec![], observables, claims, drawings, ..system.clone() })
    }

    fn constraint(&self, c: &Classified) -> Result<cotangent_model::Constraint, Error> {
        let array = named(c);
        let residual = Term::plain(vec![scalar(&array)], c.expression.clone());
        let own = c.multiplier.clone().unwrap_or_else(|| format!("lambda_{}", c.name));
        let multiplier = Array::scalar(&own, Role::Multiplier);
        let residual = Tensor::new(vec![Layout::new(vec![array.clone()])], vec![residual])?;
        Ok(cotangent_model::Constraint { array, multiplier, residual, kind: ConstraintKind::PhaseSpace })
    }

    /// With each velocity replaced by the rate of its coordinate.
    fn without_velocities(&self, t: &Tensor) -> Result<Tensor, Error> {
        let velocity = |name: &str| {
            let coordinate = self.phase.layout.find(name.strip_suffix('\'')?)?;
            let values = Tensor::new(vec![Layout::new(vec![coordinate.clone()])], self.rate_of(coordinate)).ok()?;
            Some(Array::defined(name, coordinate.dims().to_vec(), values))
        };
        t.rewrite_deep(&mut |leaf| match leaf.node() {
            Node::At(a, index) if a.role() == Role::Velocity => Some(Expr::at(&velocity(a.name())?, index.clone())),
            _ => None,
        })
    }
}

/// A constraint's name as an array.
fn named(c: &Classified) -> Array {
    Array::scalar(&c.name, Role::Auxiliary)
}

fn scalar(array: &Array) -> Place {
    Place { array: array.clone(), index: vec![] }
}
