//! Index-one equations: velocity constraints g(q, q̇) = 0 of a variational principle, and J ż = ∇H with a singular J.
//!
//! With F = L − λᵀg the momenta are p = L_v − g_vᵀλ, and
//!
//! ```text
//! H(q, p, λ, v) = p·v − L(q, v) + λᵀg(q, v),   −ṗ = H_q, q̇ = H_p, 0 = H_λ, 0 = H_v
//! ```
//!
//! where the matrix [[−F_vv, g_vᵀ], [g_v, 0]] is regular, H_v = H_λ = 0 determine v and λ: the equations are of index one.
//! L_vv itself may be singular.
//!
//! - *Linear*: if L is quadratic and g linear in the velocities, (v, λ) solve a linear system,
//!
//!   ```text
//!   M v − Gᵀλ = p − a,   −G v = b      (L = ½ vᵀM v + a·v + L₀,  g = G v + b)
//!   ```
//!
//!   and H(q, p) = ½ (p − a)·v + ½ λ·b − L₀ is the Hamiltonian of ordinary canonical equations: for every method, and
//!   with holonomic constraints besides. As v and λ are stationary, H_p = v and H_q = −L_q + λᵀg_q with v and λ kept.
//! - *In general* v and λ are variables, and the equations J ż = ∇H for z = (q, p, v, λ). A method for such follows the
//!   branch of λ, of which there may be several.

use super::{Card, Form, Formulation, Law, Lift, Motion, Shape, Space};
use crate::error::TheoryError;
use crate::legendre::{at_rest, bends_with_velocity, diagonal_formula, in_momenta, substituted, uses_velocity, whole};
use crate::structure::{Structure, minus};
use crate::velocity::VelocityConstraints;
use cotangent_expr::{Array, Dim, Expr, Ix, Layout, Number, Place, Tensor, Term, solve};
use cotangent_model::{ConstraintKind, Dynamics, System};
use cotangent_scalar::Limits;

/// What there is to know about it.
pub(super) const CARD: Card = Card {
    name: "index-one",
    summary: "velocity constraints with their multipliers found on the way; J ż = ∇H with a singular J",
    equations: &["q̇ = H_p,   ṗ = −H_q,   H = p·v − L(q, v) + λᵀg(q, v)", "0 = p − L_v + g_vᵀλ", "0 = g(q, v)"],
    symbols: "g(q, q̇) = 0 are the velocity constraints (`vakonomic`), λ their multipliers, v the velocities.",
    derivation: "Hamilton's principle for L − λᵀg. Where the matrix [[−F_vv, g_vᵀ], [g_v, 0]] with F = L − λᵀg is \
        regular, v and λ are functions of (q, p): an equation of index one. If L is quadratic and g linear in the \
        velocities they solve a linear system, and what is left are canonical equations for H(q, p), for every method; \
        otherwise v and λ are variables beside q and p, and the equations are J ż = ∇H with a singular matrix J, for \
        Gauss methods. A Runge–Kutta method does the same to both. Models with a `form` are such equations as they are \
        written: ∇H must determine what J says nothing about.",
    integrals: "g = 0 and H; the two-form dq∧dp, or ½ dz∧J dz",
    methods: "for symplectic methods: `gauss`; with holonomic constraints besides `reich` or `rattle`",
    reference: "R. I. McLachlan, K. Modin, O. Verdier & M. Wilkins, Symplectic integrators for index one constraints, \
        SIAM J. Sci. Comput. 36 (2014) A2229",
    numbers: &[],
    canonical: true,
    exact: true,
    model_energy: true,
    full: true,
    shape: Shape::IndexThree,
    unprojected: None,
    resets: false,
    inside: None,
};

/// The equations of a model with velocity constraints or a constant form.
pub(super) fn motion(system: &System, limits: &Limits) -> Result<Motion, TheoryError> {
    let unfit = |why| TheoryError::Unfit { formulation: CARD.name, why };
    if let Dynamics::Form { form, hamiltonian, .. } = &system.dynamics {
        if let Some(c) = system.constraints.first() {
            let what = "a model with a constant form";
            return Err(TheoryError::NotHolonomic { what, name: c.array.name().into() });
        }
        let form = Form { matrix: form.clone(), hamiltonian: hamiltonian.clone(), field: None };
        return Ok(of_form(system.clone(), form, None, limits));
    }
    let vakonomic = |c: &&cotangent_model::Constraint| c.kind == ConstraintKind::Vakonomic && !c.array.is_empty();
    if !system.constraints.iter().any(|c| vakonomic(&c)) {
        return Err(unfit("it has no constraints on velocities, and no constant form"));
    }
    if !system.gauges.is_empty() {
        return Err(unfit("it fixes a gauge"));
    }
    let Some(restricted) = Restricted::new(system, limits)? else {
        return Err(unfit("velocity constraints are for Lagrangian models"));
    };
    match restricted.is_linear() {
        true => restricted.canonical(limits),
        false if system.constraints.iter().any(|c| c.kind == ConstraintKind::Holonomic && !c.array.is_empty()) => {
            Err(unfit(
                "with constraints on positions besides, L must be quadratic and the velocity constraints linear in the \
                 velocities",
            ))
        }
        false => restricted.extended(limits),
    }
}

/// J ż = ∇H for all variables of a system.
fn of_form(system: System, form: Form, velocity: Option<VelocityConstraints>, limits: &Limits) -> Motion {
    Motion {
        formulation: Formulation::IndexOne,
        state: system.dynamics.variables().clone(),
        system,
        space: Space::Whole,
        law: Law::Form(Box::new(form)),
        velocity: velocity.map(Box::new),
        lift: Lift::default(),
        numbers: Layout::default(),
        auxiliaries: vec![],
        lapse: None,
        limits: limits.clone(),
    }
}

/// A Lagrangian with velocity constraints, and its derivatives.
struct Restricted<'a> {
    system: &'a System,
    coordinates: &'a Layout,
    velocities: &'a Layout,
    momenta: &'a Layout,
    lagrangian: &'a Tensor,
    /// g
    constraints: Tensor,
    /// λ
    multipliers: Layout,
    /// M = L_vv
    mass: Tensor,
    /// G = g_v
    jacobian: Tensor,
}

impl<'a> Restricted<'a> {
    fn new(system: &'a System, limits: &Limits) -> Result<Option<Restricted<'a>>, TheoryError> {
        let Dynamics::Lagrangian { coordinates, velocities, momenta, lagrangian } = &system.dynamics else {
            return Ok(None);
        };
        let constraints = system.residuals(&[ConstraintKind::Vakonomic])?;
        let own = system.constraints.iter().filter(|c| c.kind == ConstraintKind::Vakonomic);
        Ok(Some(Restricted {
            system,
            coordinates,
            velocities,
            momenta,
            lagrangian,
            multipliers: Layout::new(own.map(|c| c.multiplier.clone()).collect()),
            mass: lagrangian.hessian_within(velocities, limits)?,
            jacobian: constraints.jacobian_within(velocities, limits)?,
            constraints,
        }))
    }

    fn is_linear(&self) -> bool {
        let bends = bends_with_velocity(self.lagrangian) || bends_with_velocity(&self.constraints);
        !bends && !uses_velocity(&self.mass) && !uses_velocity(&self.jacobian)
    }

    /// The place of the multiplier of a constraint member.
    fn multiplier(&self, constraint: &Place) -> Result<Place, TheoryError> {
        let list = self.constraints.shape()[0].arrays();
        let foreign = || cotangent_expr::Error::Foreign { array: constraint.array.name().into() };
        let k = list.iter().position(|a| *a == constraint.array).ok_or_else(foreign)?;
        Ok(Place { array: self.multipliers.arrays()[k].clone(), index: constraint.index.clone() })
    }

    /// λᵀt for a vector over the constraints, or for the rows of a matrix, λ being given by its place.
    fn paired(&self, t: &Tensor, lambda: &dyn Fn(&Place) -> Result<Expr, TheoryError>) -> Result<Tensor, TheoryError> {
        let term = |term: &Term| {
            let factor = lambda(&self.multiplier(&term.at[0])?)?;
            Ok(Term { at: term.at[1..].to_vec(), value: &term.value * factor, ..term.clone() })
        };
        let terms = t.terms().iter().map(term).collect::<Result<_, TheoryError>>()?;
        Ok(Tensor::new(t.shape()[1..].to_vec(), terms)?)
    }

    /// G M⁻¹Gᵀ for a diagonal M without velocities, otherwise G Gᵀ.
    fn gram(&self) -> Result<Tensor, TheoryError> {
        let masses = self.velocities.arrays().iter().map(|v| diagonal_formula(&self.mass, v).map(|m| (v, m)));
        let masses: Vec<(&Array, Expr)> = masses.collect::<Option<_>>().unwrap_or_default();
        let light = |t: &Term| {
            let mass = masses.iter().find(|(v, _)| **v == t.at[1].array);
            let value = mass.map_or(t.value.clone(), |(_, m)| &t.value / m.instantiate(&t.at[1].index));
            Term { value, ..t.clone() }
        };
        let terms = match uses_velocity(&self.mass) {
            true => self.jacobian.terms().to_vec(),
            false => self.jacobian.terms().iter().map(light).collect(),
        };
        let pushed = Tensor::new(self.jacobian.shape().to_vec(), terms)?;
        Ok(self.jacobian.contract(1, &pushed, 1)?)
    }

    /// v and λ.
    fn unknowns(&self) -> Layout {
        self.velocities.then(&self.multipliers)
    }

    /// [[M, −Gᵀ], [−G, 0]]
    fn kkt(&self) -> Result<Tensor, TheoryError> {
        let unknowns = self.unknowns();
        let mut matrix = self.mass.terms().to_vec();
        for t in self.jacobian.terms() {
            let (row, column) = (self.multiplier(&t.at[0])?, t.at[1].clone());
            matrix.push(Term { at: vec![row.clone(), column.clone()], value: -&t.value, ..t.clone() });
            matrix.push(Term { at: vec![column, row], value: -&t.value, ..t.clone() });
        }
        Ok(Tensor::new(vec![unknowns.clone(), unknowns], matrix)?)
    }

    /// Canonical equations for H(q, p), v and λ being the solution of a linear system.
    fn canonical(&self, limits: &Limits) -> Result<Motion, TheoryError> {
        let Restricted { system, coordinates, velocities, momenta, lagrangian, .. } = *self;
        let (unknowns, matrix) = (self.unknowns(), self.kkt()?);
        let still = at_rest(&lagrangian.gradient_within(velocities, limits)?, velocities)?;
        let mut impulse: Vec<Term> = minus(&still).terms().to_vec();
        for (v, p) in velocities.arrays().iter().zip(momenta.arrays()) {
            impulse.push(whole(v, |index| Expr::at(p, index)));
        }
        let offset = at_rest(&self.constraints, velocities)?;
        let mut right = impulse.clone();
        for t in offset.terms() {
            right.push(Term { at: vec![self.multiplier(&t.at[0])?], ..t.clone() });
        }
        let solution = solve("velocity", &matrix, &Tensor::new(vec![unknowns.clone()], right.clone())?)?;
        let value = |place: &Place| -> Result<Expr, TheoryError> {
            Ok(Expr::at(&solution, vec![unknowns.flat_index(&place.array, &place.index)?]))
        };
        let velocity = |a: &Array, index: &[Ix]| {
            let place = Place { array: a.clone(), index: index.to_vec() };
            value(&place).ok()
        };
        let moving = |t: &Tensor| substituted(t, velocities, &velocity);
        // ½ (p − a)·v + ½ b·λ − L₀
        let half = |t: &Term| -> Result<Term, TheoryError> {
            Ok(Term { at: vec![], value: Expr::ratio(1, 2) * &t.value * value(&t.at[0])?, ..t.clone() })
        };
        let mut energy: Vec<Term> = right.iter().map(half).collect::<Result<_, _>>()?;
        energy.extend(minus(&at_rest(lagrangian, velocities)?).terms().iter().cloned());
        let hamiltonian = Tensor::new(vec![], energy)?;
        let given = moving(&lagrangian.gradient_within(coordinates, limits)?)?;
        let pulled = moving(&self.constraints.jacobian_within(coordinates, limits)?)?;
        let hamiltonian_q = minus(&given).plus(&self.paired(&pulled, &value)?)?;
        let rates = velocities.arrays().iter().zip(momenta.arrays()).map(|(v, p)| {
            let index: Vec<Ix> = (0..v.dims().len()).map(|k| Ix::var(k as u8)).collect();
            let rate = value(&Place { array: v.clone(), index })?;
            Ok(whole(p, |_| rate.clone()))
        });
        let hamiltonian_p = Tensor::new(vec![momenta.clone()], rates.collect::<Result<_, TheoryError>>()?)?;
        let mut canonical = in_momenta(system, hamiltonian, &velocity)?;
        canonical.constraints.retain(|c| c.kind != ConstraintKind::Vakonomic);
        let structure = Structure::of(canonical, [hamiltonian_q, hamiltonian_p], limits)?;
        let first = velocities.len() as i64;
        let dims = vec![Dim { first: 0, len: self.multipliers.len() }];
        let entry = (0..self.multipliers.len() as i64).map(|k| Expr::at(&solution, vec![Ix::constant(first + k)]));
        let values = Array::defined("velocity_multipliers", dims, Tensor::vector("multipliers", entry.collect())?);
        let motion = Formulation::Multipliers.of(&structure, limits)?;
        let velocity = VelocityConstraints {
            residuals: moving(&self.constraints)?,
            kkt: self.kkt()?,
            matrix: self.gram()?,
            multipliers: self.multipliers.clone(),
            values,
        };
        Ok(Motion { formulation: Formulation::IndexOne, velocity: Some(Box::new(velocity)), ..motion })
    }

    /// J ż = ∇H for z = (q, p, v, λ).
    fn extended(&self, limits: &Limits) -> Result<Motion, TheoryError> {
        let Restricted { system, coordinates, velocities, momenta, lagrangian, .. } = *self;
        let state = coordinates.then(momenta).then(velocities).then(&self.multipliers);
        let mut energy = minus(lagrangian).terms().to_vec();
        let mut form = vec![];
        for ((q, v), p) in coordinates.arrays().iter().zip(velocities.arrays()).zip(momenta.arrays()) {
            let power = whole(q, |index| Expr::at(p, index.clone()) * Expr::at(v, index));
            energy.push(Term { at: vec![], ..power });
            // −ṗ = H_q and q̇ = H_p.
            for (row, column, sign) in [(q, p, Number::MINUS_ONE), (p, q, Number::ONE)] {
                let one = whole(row, |_| Expr::number(sign));
                let other = Place { array: column.clone(), index: one.at[0].index.clone() };
                form.push(Term { at: vec![one.at[0].clone(), other], ..one });
            }
        }
        let given = |place: &Place| Ok(Expr::at(&place.array, place.index.clone()));
        energy.extend(self.paired(&self.constraints, &given)?.terms().iter().cloned());
        let hamiltonian = Tensor::new(vec![], energy)?;
        let matrix = Tensor::new(vec![state.clone(), state.clone()], form)?;
        let entries = (0..self.multipliers.arrays().len()).flat_map(|k| {
            let array = &self.multipliers.arrays()[k];
            (0..array.len()).map(move |i| array.element(&array.multi_index(i)))
        });
        let dims = vec![Dim { first: 0, len: self.multipliers.len() }];
        let values = Array::defined("velocity_multipliers", dims, Tensor::vector("multipliers", entries.collect())?);
        let velocity = VelocityConstraints {
            residuals: self.constraints.clone(),
            kkt: hamiltonian.hessian_within(&self.unknowns(), limits)?,
            matrix: self.gram()?,
            multipliers: self.multipliers.clone(),
            values,
        };
        let dynamics = Dynamics::Form { variables: state, form: matrix.clone(), hamiltonian: hamiltonian.clone() };
        let constraints = vec![];
        let system = System { dynamics, constraints, ..system.clone() };
        Ok(of_form(system, Form { matrix, hamiltonian, field: None }, Some(velocity), limits))
    }
}
