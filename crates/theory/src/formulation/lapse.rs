//! A lapse: time as a coordinate that passes at a pace of its own, so that equal steps are steps of different durations.
//!
//! With the time t, its momentum p_t and Γ > 0 the canonical equations of K = Γ(H + p_t) are
//!
//! ```text
//! q′ = Γ H_p + (H + p_t) Γ_p     t′ = Γ
//! p′ = −Γ H_q − (H + p_t) Γ_q    p_t′ = 0
//! ```
//!
//! where ′ is the derivative by a parameter τ. From p_t = −E, with E the energy at the start, K stays zero, H = E, and
//! the motion is that of H with dt = Γ dτ. A symplectic method for K with equal steps of τ is a variational integrator
//! with adaptive steps of t. Γ may depend on positions and on momenta; constraints φ(q) = 0 are what they were.
//!
//! Built in, with V = H(q, 0), the kinetic metric |v|² = vᵀMv, M⁻¹ = H_pp(q, 0), and E − V = ½|q̇|²:
//!
//! - `equispaced-poses`: Γ = 1/√(E − V + ε), steps of about the length √2 h in the kinetic metric;
//! - `arc-length`: Γ = 1/√(2(E − V) + ε), steps of the length h;
//! - `equispaced-phase`: Γ = 1/√(c(E − V) + ∇VᵀM⁻¹∇V + ε), steps of the length h in phase space with c = 2;
//! - `kepler`: Γ = |q|^power.
//!
//! T. M. Tyranowski, Hamilton–Pontryagin variational integrators (2009), has Γ(q) of the first and the third kind, the
//! latter with c = 1, by which the steps differ by a factor of up to √2. Time transformations of this form: S. Reich,
//! SIAM J. Numer. Anal. 36 (1999) 1549; E. Hairer, Appl. Numer. Math. 25 (1997) 219.

use super::algebra::hamiltonian_field;
use super::card::{Card, Least, Number, Shape};
use super::derived::{free, number};
use super::{Formulation, Lapse, Law, Lift, Motion, Space};
use crate::error::TheoryError;
use crate::legendre::{as_expression, whole};
use crate::structure::{Structure, minus};
use cotangent_expr::{Array, Definition, Error, Expr, Layout, Node, Place, Role, Tensor, Term};
use cotangent_model::{BuiltInLapse, Dynamics, Quantity, RunKey, RunValue, System};
use cotangent_scalar::Limits;

/// What there is to know about it.
pub(super) const CARD: Card = Card {
    name: "lapse",
    summary: "time as a variable: equal steps are of different durations, and the structure is kept",
    equations: &[
        "K = Γ (H + p_t)",
        "q̇ = Γ H_p + (H + p_t) Γ_p",
        "ṗ = −Γ H_q − (H + p_t) Γ_q − Gᵀλ",
        "ṫ = Γ",
        "φ(q) = 0",
    ],
    symbols: "Γ is the lapse, t the physical time and p_t its momentum, which is minus the energy at the start; the dot is the \
        derivative by the parameter τ of which steps are equal. φ(q) = 0 are the constraints, G = ∂φ/∂q.",
    derivation: "The canonical equations of K, which vanishes along the motion: that of H in the time t, of which Γ dτ passes. \
        `run lapse = …` in the model or --lapse gives Γ: an expression in positions and momenta, or `equispaced-poses` \
        (Γ = 1/√(E − V + ε)), `arc-length` (Γ = 1/√(2(E − V) + ε)), `equispaced-phase` (Γ = 1/√(c(E − V) + ∇VᵀM⁻¹∇V + ε)), \
        `kepler` (Γ = |q|^s), with E the energy at the start, V = H(q, 0) and M⁻¹ = H_pp(q, 0).",
    integrals: "K, p_t",
    methods: "for methods that know constraints; without any, for all: `step` is one of the parameter, `until` a physical time",
    reference: "T. M. Tyranowski, Hamilton–Pontryagin variational integrators (2009); E. Hairer, Appl. Numer. Math. 25 (1997) 219; S. Reich, SIAM J. Numer. Anal. 36 (1999) 1549",
    numbers: &[
        Number {
            name: "epsilon",
            meaning: "ε of the built-in lapses, which bounds them where the motion rests; 0.01",
            least: Least::Zero,
        },
        Number {
            name: "factor",
            meaning: "c of `equispaced-phase`; 2, and 1 in Tyranowski's paper",
            least: Least::Zero,
        },
        Number { name: "power", meaning: "s of `kepler`; 1.5", least: Least::Any },
    ],
    canonical: true,
    exact: true,
    model_energy: true,
    full: false,
    shape: Shape::IndexThree,
    unprojected: None,
    resets: false,
    inside: Some("the lapse has no value there: a larger --opt epsilon=E bounds it, and another --lapse may have one"),
};

/// The equations of motion with time as a variable.
pub(super) fn motion(formulation: Formulation, s: &Structure, limits: &Limits) -> Result<Motion, TheoryError> {
    let system = &s.system;
    let Some(given) = system.setting(RunKey::Lapse) else {
        let why =
            "nothing says what the lapse is; --lapse NAME or --lapse EXPRESSION does, or `run lapse = …` in the model";
        return Err(TheoryError::Unfit { formulation: CARD.name, why });
    };
    let [epsilon, factor, power, energy] = ["epsilon", "factor", "power", "energy"].map(|name| number(&CARD, name));
    let numbers = [&epsilon, &factor, &power, &energy].map(|(array, _)| array.clone());
    let gamma = match given {
        RunValue::Expression(gamma) => gamma.clone(),
        RunValue::Lapse(name) => built_in(*name, s, [epsilon.1, factor.1, power.1, energy.1.clone()])?,
        RunValue::Word(_) => {
            return Err(TheoryError::Unfit { formulation: CARD.name, why: "its lapse is no expression" });
        }
    };
    let [t, p_t] = [("t", Role::Coordinate), ("p_t", Role::Momentum)]
        .map(|(name, role)| Array::scalar(&free(s, name.to_owned()), role));
    let hamiltonian = s.hamiltonian.plus(&Tensor::scalar(Expr::at(&p_t, vec![]))?)?.times(&gamma);
    let after = |own: &Layout, other: &Array| own.then(&Layout::new(vec![other.clone()]));
    let (coordinates, momenta) = (after(&s.coordinates, &t), after(&s.momenta, &p_t));
    let dynamics = Dynamics::Hamiltonian { coordinates, momenta, hamiltonian };
    // What the run statement says of a lapse is inside.
    let extended = Structure::within(&System { dynamics, ..system.clone() }, limits)?;
    let state = extended.state();
    let law = match s.constraints.shape()[0].is_empty() {
        true => Law::Field { field: hamiltonian_field(&extended)?, canonical: true },
        false => Law::IndexThree,
    };
    let observables = observables(s, &gamma)?;
    let added = observables.len();
    let mut system = system.clone();
    system.observables.extend(observables);
    Ok(Motion {
        system,
        formulation,
        space: Space::Cotangent(Box::new(extended)),
        law,
        velocity: None,
        lift: Lift { arrays: vec![], restriction: Some(restriction(s, &state, [&t, &p_t])?) },
        numbers: Layout::new(numbers.to_vec()),
        auxiliaries: vec![],
        lapse: Some(Box::new(Lapse {
            time: s.coordinates.len(),
            momentum: state.len() - 1,
            pace: Tensor::scalar(gamma)?,
            energy: energy.0,
            observables: added,
            model: Box::new(s.clone()),
        })),
        state,
        limits: limits.clone(),
    })
}

/// Γ, and Γ|q̇| and Γ√(|q̇|² + |ṗ|²): how far apart neighbouring points are, divided by the step. What constraint forces do to
/// momenta is no part of H, and with constraints the last is left out.
fn observables(s: &Structure, gamma: &Expr) -> Result<Vec<Quantity>, TheoryError> {
    let square = |t: &Tensor| t.contract(0, t, 0).map(|square| as_expression("square", square));
    let (velocity, force) = (square(&s.hamiltonian_p)?, square(&s.hamiltonian_q)?);
    let mut list = vec![(CARD.name, gamma.clone()), ("pose_spacing", gamma * velocity.sqrt())];
    if s.constraints.shape()[0].is_empty() {
        list.push(("phase_spacing", gamma * (velocity + force).sqrt()));
    }
    let quantity = |(name, value): (&str, Expr)| {
        let array = Array::scalar(&free(s, name.to_owned()), Role::Auxiliary);
        let place = Place { array: array.clone(), index: vec![] };
        let value = Tensor::new(vec![Layout::new(vec![array.clone()])], vec![Term::plain(vec![place], value)])?;
        Ok(Quantity { array, value })
    };
    list.into_iter().map(quantity).collect()
}

/// (q, 0, p, −H(q, p)).
fn restriction(s: &Structure, state: &Layout, [_, p_t]: [&Array; 2]) -> Result<Tensor, TheoryError> {
    let own = s.coordinates.arrays().iter().chain(s.momenta.arrays());
    let own = own.map(|a| whole(a, |index| Expr::at(a, index)));
    let place = Place { array: p_t.clone(), index: vec![] };
    let energy = minus(&s.hamiltonian);
    let energy = energy.terms().iter().map(|t| Term { at: vec![place.clone()], ..t.clone() });
    Ok(Tensor::new(vec![state.clone()], own.chain(energy).collect())?)
}

/// The lapse with a name.
fn built_in(
    name: BuiltInLapse,
    s: &Structure,
    [epsilon, factor, power, energy]: [Expr; 4],
) -> Result<Expr, TheoryError> {
    // At p = 0.
    let at_rest = |t: &Tensor| {
        t.rewrite_deep(&mut |leaf| match leaf.node() {
            Node::At(a, _) if s.momenta.offset(a).is_some() => Some(Expr::zero()),
            _ => None,
        })
    };
    let potential = at_rest(&s.hamiltonian)?;
    if name != BuiltInLapse::Kepler && !vanishes(&at_rest(&s.hamiltonian_p)?)? {
        let why = "momenta do not vanish with the velocities, so that H at p = 0 is no potential for this lapse: write the \
                   lapse as an expression";
        return Err(TheoryError::Unfit { formulation: CARD.name, why });
    }
    let kinetic = energy - as_expression("potential", potential.clone());
    let over_root = |square: Expr| Expr::one() / square.sqrt();
    Ok(match name {
        BuiltInLapse::EquispacedPoses => over_root(kinetic + epsilon),
        BuiltInLapse::ArcLength => over_root(Expr::from(2) * kinetic + epsilon),
        BuiltInLapse::EquispacedPhase => {
            let force = potential.gradient_within(&s.coordinates, &s.limits)?;
            let mobility = at_rest(&s.hamiltonian_p.jacobian_within(&s.momenta, &s.limits)?)?;
            let square = mobility.contract(1, &force, 0)?.contract(0, &force, 0)?;
            over_root(factor * kinetic + as_expression("squared force", square) + epsilon)
        }
        BuiltInLapse::Kepler => {
            let terms = s.coordinates.arrays().iter().map(|q| whole(q, |index| Expr::at(q, index))).collect();
            let q = Tensor::new(vec![s.coordinates.clone()], terms)?;
            let square = as_expression("squared distance", q.contract(0, &q, 0)?);
            square.power(&(power / Expr::from(2)))
        }
    })
}

/// Whether all entries are zero, also as solutions of linear systems without a right-hand side.
fn vanishes(t: &Tensor) -> Result<bool, Error> {
    let mut failed = None;
    let known = t.rewrite(&mut |leaf| {
        let Node::At(array, _) = leaf.node() else { return None };
        let inner = match array.definition() {
            Definition::Defined(values) => values,
            Definition::Solved { rhs, .. } => rhs,
            _ => return None,
        };
        match vanishes(inner) {
            Ok(zero) => zero.then(Expr::zero),
            Err(error) => {
                failed = Some(error);
                None
            }
        }
    })?;
    failed.map_or(Ok(known.is_zero()), Err)
}
