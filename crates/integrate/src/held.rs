//! A step that is one only if the constraints hold at its end.

use crate::card::Claims;
use crate::vector::{clear, times, zeros};
use cotangent_dynamics::{Canonical, CanonicalShape, Failure, Kind, Machine, State, Stepper};
use cotangent_scalar::Scalar;
use cotangent_solve::Pattern;

/// The method, whose steps fail where they do not end on φ(q) = 0 and ψ = G(q) H_p = 0, if it claims so, whatever its own
/// iterations think of that.
///
/// An iteration measures its residual by how much its unknowns can change it, and for multipliers that is as much
/// as a mass is light: ∂φ/∂λ ~ h²/m. What counts for a constraint is the size of its own terms. Those of ψ may all be
/// zero but for what rounding left of momenta and impulses that cancel; in the metric H_pp, which has no units to compare,
///
/// ```text
/// |ψᵢ| ≤ |Gᵢ| |π|,   |Gᵢ|² = Σ |Gᵢⱼ H_pp Gᵢₖ|,   |π|² = Σ |πⱼ H_pp πₖ|   for π = p, p₁ and h H_q.
/// ```
///
/// So may those of φ, as of x = 0, of which nothing cancels but in the step: where its terms sᵢ are no larger than φᵢ
/// itself, h|Gᵢ||π| counts, by the share 4|φᵢ|/(sᵢ + 4|φᵢ|).
pub(crate) fn around<'s, S: Scalar + 's>(
    inner: Box<dyn Stepper<S> + 's>,
    manifold: Box<dyn Canonical<S> + 's>,
    claims: Claims,
) -> Box<dyn Stepper<S> + 's> {
    let terms = HiddenTerms::new(manifold.shape());
    let m = manifold.shape().constraints;
    let (residual, magnitude) = ([zeros(m), zeros(m)], [zeros(m), zeros(m)]);
    Box::new(Held { inner, manifold, claims, terms, residual, magnitude })
}

struct Held<'s, S> {
    inner: Box<dyn Stepper<S> + 's>,
    manifold: Box<dyn Canonical<S> + 's>,
    /// Whether φ and ψ have to be zero.
    claims: Claims,
    terms: HiddenTerms<S>,
    /// Of φ and ψ.
    residual: [Vec<S>; 2],
    magnitude: [Vec<S>; 2],
}

impl<S: Scalar> Stepper<S> for Held<'_, S> {
    fn memory(&self) -> usize {
        self.inner.memory()
    }

    fn forget(&self, memory: &mut [S]) {
        self.inner.forget(memory);
    }

    fn own_steps(&self) -> Option<&[S]> {
        self.inner.own_steps()
    }

    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let made = self.attempt(machine, h, from, to);
        if !matches!(made, Err(Failure::Unsatisfied { .. })) || !machine.refine(true) {
            return made;
        }
        let again = self.attempt(machine, h, from, to);
        machine.refine(false);
        again
    }
}

impl<S: Scalar> Held<'_, S> {
    fn attempt(
        &mut self,
        machine: &mut dyn Machine<S>,
        h: S,
        from: &State<S>,
        to: &mut State<S>,
    ) -> Result<(), Failure> {
        self.inner.step(machine, h, from, to)?;
        let Held { manifold, claims, terms, residual: [phi, psi], magnitude: [of_phi, of_psi], .. } = self;
        if !(claims.constraints || claims.hidden_constraints) {
            return Ok(());
        }
        terms.evaluate(manifold.as_mut(), h, [&from.values, &to.values], psi, of_psi)?;
        if claims.constraints {
            let q = &to.values[..manifold.shape().coordinates];
            manifold.constraints(q, phi)?;
            manifold.constraint_magnitudes(q, of_phi)?;
            moved(h, phi, of_psi, of_phi);
            machine.require(Kind::Constraint, phi, of_phi)?;
        }
        if claims.hidden_constraints {
            machine.require(Kind::HiddenConstraint, psi, of_psi)?;
        }
        Ok(())
    }
}

/// Adds to the sizes of the terms of φ what they move by in a step, where nothing of them cancels.
pub(crate) fn moved<S: Scalar>(h: S, phi: &[S], rates: &[S], sizes: &mut [S]) {
    let tiny = S::from_f64(f64::MIN_POSITIVE);
    for ((size, phi), rate) in sizes.iter_mut().zip(phi).zip(rates) {
        let own = phi.abs() * S::from_f64(4.0);
        *size = *size + h.abs() * *rate * own / (*size + own + tiny);
    }
}

/// The terms of ψ = G H_p.
pub(crate) struct HiddenTerms<S> {
    shape: CanonicalShape,
    g: Vec<S>,
    hpp: Vec<S>,
    velocity: Vec<S>,
    force: Vec<S>,
    /// The products Gᵢⱼ H_pp Gᵢₖ: i, and where their factors are.
    products: Vec<(usize, [usize; 3])>,
}

impl<S: Scalar> HiddenTerms<S> {
    pub(crate) fn new(shape: &CanonicalShape) -> Self {
        let n = shape.coordinates;
        let (g, hpp) = (zeros(shape.jacobian.len()), zeros(shape.hessian_pp.len()));
        let products = products(shape);
        HiddenTerms { shape: shape.clone(), g, hpp, velocity: zeros(n), force: zeros(n), products }
    }

    /// ψ at the end of a step, and the sizes of its terms.
    pub(crate) fn evaluate(
        &mut self,
        manifold: &mut (dyn Canonical<S> + '_),
        h: S,
        [from, to]: [&[S]; 2],
        residual: &mut [S],
        magnitude: &mut [S],
    ) -> Result<(), Failure> {
        let HiddenTerms { shape, g, hpp, velocity, force, products } = self;
        let (q, p) = to.split_at(shape.coordinates);
        manifold.jacobian(q, g)?;
        manifold.hamiltonian_p(q, p, velocity)?;
        manifold.hamiltonian_q(q, p, force)?;
        manifold.hessian_pp(q, p, hpp)?;
        times(&shape.jacobian, g, velocity, residual);
        let square = |x: &[S]| square(&shape.hessian_pp, hpp, x);
        let momenta = (square(&from[shape.coordinates..]) + square(p) + h * h * square(force)).sqrt();
        lengths(products, g, hpp, magnitude);
        magnitude.iter_mut().for_each(|m| *m = *m * momenta);
        Ok(())
    }
}

/// The products Gᵢⱼ H_pp Gᵢₖ: i, and where their factors are.
pub(crate) fn products(shape: &CanonicalShape) -> Vec<(usize, [usize; 3])> {
    let mut products = vec![];
    for i in 0..shape.constraints {
        let row = || shape.jacobian.row(i).iter().zip(shape.jacobian.positions(i));
        for (&j, first) in row() {
            let pairs = row().filter_map(|(&k, last)| {
                let between = shape.hessian_pp.position(j as usize, k as usize)?;
                Some((i, [first, between, last]))
            });
            products.extend(pairs);
        }
    }
    products
}

/// |Gᵢ|, the root of the sum of the sizes of these products.
pub(crate) fn lengths<S: Scalar>(products: &[(usize, [usize; 3])], g: &[S], hpp: &[S], out: &mut [S]) {
    clear(out);
    for &(i, [first, between, last]) in products {
        out[i] = out[i] + (g[first] * hpp[between] * g[last]).abs();
    }
    out.iter_mut().for_each(|length| *length = length.sqrt());
}

/// Σ |xⱼ Aⱼₖ xₖ|.
pub(crate) fn square<S: Scalar>(pattern: &Pattern, a: &[S], x: &[S]) -> S {
    let terms = pattern.addresses().zip(a).map(|((i, j), a)| (x[i as usize] * *a * x[j as usize]).abs());
    terms.fold(S::from_f64(0.0), |sum, term| sum + term)
}
