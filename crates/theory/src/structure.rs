//! The brackets of a constrained Hamiltonian system that every formulation is made of.
//!
//! With φ the constraints, G = ∂φ/∂q, and {F, K} = F_q·K_p − F_p·K_q:
//!
//! - ψ = {φ, H} = G H_p, the hidden constraints;
//! - Q = {φ, ψ} = G ψ_pᵀ, symmetric positive definite where G has full rank and H_pp is definite;
//! - S = {ψ, ψ} = ψ_q ψ_pᵀ − ψ_p ψ_qᵀ, antisymmetric, zero for one constraint;
//! - c = {ψ, H} = ψ_q H_p − ψ_p H_q.

use crate::error::TheoryError;
use crate::legendre::legendre_within;
use cotangent_expr::{Array, Dim, Error, Expr, Layout, Number, Role, Tensor, Term, solve};
use cotangent_model::{ConstraintKind, Dynamics, System};
use cotangent_scalar::Limits;

/// Derivatives and brackets of a holonomically constrained system, as tensors.
#[derive(Clone, Debug)]
pub struct Structure {
    /// The system in Hamiltonian form.
    pub system: System,
    /// q
    pub coordinates: Layout,
    /// p
    pub momenta: Layout,
    /// H(q, p)
    pub hamiltonian: Tensor,
    /// φ(q)
    pub constraints: Tensor,
    /// G = ∂φ/∂q
    pub jacobian: Tensor,
    /// H_q
    pub hamiltonian_q: Tensor,
    /// H_p
    pub hamiltonian_p: Tensor,
    /// ψ = G H_p
    pub hidden: Tensor,
    /// ψ_q
    pub hidden_q: Tensor,
    /// ψ_p
    pub hidden_p: Tensor,
    /// Q = {φ, ψ}
    pub gram: Tensor,
    /// S = {ψ, ψ}
    pub twist: Tensor,
    /// c = {ψ, H}
    pub drift: Tensor,
    /// How far further derivations may go.
    pub limits: Limits,
}

impl Structure {
    /// Derives everything from a model with coordinates and holonomic constraints; a Lagrangian one
    /// is transformed first.
    pub fn new(system: &System) -> Result<Structure, TheoryError> {
        Structure::within(system, &Limits::default())
    }

    /// The same within limits, which hold for what is derived from it as well.
    pub fn within(system: &System, limits: &Limits) -> Result<Structure, TheoryError> {
        let what = "this formulation";
        if let Some(c) = system.constraints.iter().find(|c| c.kind != ConstraintKind::Holonomic) {
            return Err(TheoryError::NotHolonomic { what, name: c.array.name().into() });
        }
        let system = legendre_within(system, limits)?;
        let Dynamics::Hamiltonian { coordinates, momenta, hamiltonian } = system.dynamics.clone() else {
            return Err(TheoryError::NotCanonical { what, kind: system.dynamics.kind() });
        };
        let hamiltonian_q = hamiltonian.gradient_within(&coordinates, limits)?;
        let hamiltonian_p = hamiltonian.gradient_within(&momenta, limits)?;
        Structure::of(system, [hamiltonian_q, hamiltonian_p], limits)
    }

    /// The same for a Hamiltonian model whose derivatives H_q and H_p are known.
    pub(crate) fn of(system: System, gradient: [Tensor; 2], limits: &Limits) -> Result<Structure, TheoryError> {
        let what = "this formulation";
        let Dynamics::Hamiltonian { coordinates, momenta, hamiltonian } = system.dynamics.clone() else {
            return Err(TheoryError::NotCanonical { what, kind: system.dynamics.kind() });
        };
        let [hamiltonian_q, hamiltonian_p] = gradient;
        let constraints = system.residuals(&[ConstraintKind::Holonomic])?;
        let jacobian = constraints.jacobian_within(&coordinates, limits)?;
        let hidden = jacobian.contract(1, &hamiltonian_p, 0)?;
        let hidden_q = hidden.jacobian_within(&coordinates, limits)?;
        let hidden_p = hidden.jacobian_within(&momenta, limits)?;
        let gram = jacobian.contract(1, &hidden_p, 1)?;
        let turn = hidden_q.contract(1, &hidden_p, 1)?;
        let twist = turn.plus(&minus(&turn.transposed()?))?;
        let drift =
            hidden_q.contract(1, &hamiltonian_p, 0)?.plus(&minus(&hidden_p.contract(1, &hamiltonian_q, 0)?))?;
        Ok(Structure {
            system,
            coordinates,
            momenta,
            hamiltonian,
            constraints,
            jacobian,
            hamiltonian_q,
            hamiltonian_p,
            hidden,
            hidden_q,
            hidden_p,
            gram,
            twist,
            drift,
            limits: limits.clone(),
        })
    }

    /// Σᵢ λᵢ ∂²φᵢ/∂q² for given multipliers, and the layout of those.
    pub fn curvature(&self) -> Result<(Layout, Tensor), TheoryError> {
        let rows = &self.constraints.shape()[0];
        let lambda = Array::given("lambda", Role::Multiplier, vec![Dim { first: 0, len: rows.len() }]);
        let force = |t: &Term| {
            let row = rows.flat_index(&t.at[0].array, &t.at[0].index)?;
            Ok(Term { at: vec![t.at[1].clone()], value: &t.value * Expr::at(&lambda, vec![row]), ..t.clone() })
        };
        let terms = self.jacobian.terms().iter().map(force).collect::<Result<_, TheoryError>>()?;
        let force = Tensor::new(vec![self.jacobian.shape()[1].clone()], terms)?;
        Ok((Layout::new(vec![lambda]), force.jacobian_within(&self.coordinates, &self.limits)?))
    }

    /// ∂(G v)/∂q for a given vector v, and the layout of that.
    pub fn curvature_along(&self) -> Result<(Layout, Tensor), TheoryError> {
        let (rows, columns) = (&self.jacobian.shape()[0], &self.jacobian.shape()[1]);
        let v = Array::given("v", Role::Velocity, vec![Dim { first: 0, len: columns.len() }]);
        let change = |t: &Term| {
            let column = columns.flat_index(&t.at[1].array, &t.at[1].index)?;
            Ok(Term { at: vec![t.at[0].clone()], value: &t.value * Expr::at(&v, vec![column]), ..t.clone() })
        };
        let terms = self.jacobian.terms().iter().map(change).collect::<Result<_, TheoryError>>()?;
        let change = Tensor::new(vec![rows.clone()], terms)?;
        Ok((Layout::new(vec![v]), change.jacobian_within(&self.coordinates, &self.limits)?))
    }

    /// Σᵢ μᵢ ∂²ψᵢ/∂z² for given multipliers, as its parts qq, qp (rows for q) and pp, and the layout of those.
    pub fn hidden_curvature(&self) -> Result<(Layout, [Tensor; 3]), TheoryError> {
        let rows = self.hidden.shape()[0].arrays();
        let like = |a: &Array| a.like(&format!("mu {}", a.name()), Role::Multiplier);
        let mu: Vec<_> = rows.iter().map(like).collect();
        // Σᵢ μᵢ ∂ψᵢ/∂q, or ∂p.
        let weighted = |derivative: &Tensor| {
            let term = |t: &Term| {
                let (row, column) = (&t.at[0], &t.at[1]);
                let Some((_, mu)) = rows.iter().zip(&mu).find(|(a, _)| **a == row.array) else {
                    return Err(Error::Misplaced { array: row.array.name().into(), slot: 0 });
                };
                Ok(Term { at: vec![column.clone()], value: &t.value * Expr::at(mu, row.index.clone()), ..t.clone() })
            };
            let terms = derivative.terms().iter().map(term).collect::<Result<_, _>>()?;
            Tensor::new(vec![derivative.shape()[1].clone()], terms)
        };
        let (of_q, of_p) = (weighted(&self.hidden_q)?, weighted(&self.hidden_p)?);
        let (q, p) = (&self.coordinates, &self.momenta);
        let derived = |t: &Tensor, by: &Layout| t.jacobian_within(by, &self.limits);
        let parts = [derived(&of_q, q)?, derived(&of_q, p)?, derived(&of_p, p)?];
        Ok((Layout::new(mu), parts))
    }

    /// μ = Q⁻¹ c, with which ψ stays what it is; `None` without constraints.
    pub fn multipliers(&self) -> Result<Option<Array>, TheoryError> {
        match self.constraints.shape()[0].is_empty() {
            true => Ok(None),
            false => Ok(Some(solve("mu", &self.gram, &self.drift)?)),
        }
    }

    /// The names of the multipliers, one array for each constraint.
    pub fn multiplier_names(&self) -> Layout {
        let holonomic = self.system.constraints.iter().filter(|c| c.kind == ConstraintKind::Holonomic);
        Layout::new(holonomic.map(|c| c.multiplier.clone()).collect())
    }

    /// The state (q, p).
    pub fn state(&self) -> Layout {
        self.coordinates.then(&self.momenta)
    }
}

pub(crate) fn minus(t: &Tensor) -> Tensor {
    t.times(&Expr::number(Number::MINUS_ONE))
}
