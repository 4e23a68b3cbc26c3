//! Canonical equations with constraints, compiled.

use super::{Means, pattern};
use crate::error::underived;
use cotangent_compile::{Arithmetic, CompileError, Function};
use cotangent_dynamics::{Canonical, CanonicalShape, Failure, Index};
use cotangent_expr::{Layout, Tensor};
use cotangent_scalar::Scalar;
use cotangent_theory::Structure;
use std::sync::Arc;

pub(super) struct CanonicalFunctions {
    pub(super) shape: CanonicalShape,
    pub(super) hamiltonian_q: Function,
    pub(super) hamiltonian_p: Function,
    pub(super) hessian_qq: Function,
    pub(super) hessian_qp: Function,
    pub(super) hessian_pp: Function,
    pub(super) constraints: Function,
    pub(super) constraint_magnitudes: Function,
    pub(super) jacobian: Function,
    pub(super) curvature: Function,
    pub(super) curvature_along: Function,
}

impl CanonicalFunctions {
    pub(super) fn new(s: &Structure, index: Index, parameters: &Layout, means: &Means) -> Result<Self, CompileError> {
        let (q, p) = (&s.coordinates, &s.momenta);
        let derived = |t: &Tensor, by: &Layout| t.jacobian_within(by, &means.limits);
        let (qp, pp) = (derived(&s.hamiltonian_q, p)?, derived(&s.hamiltonian_p, p)?);
        let energy = |t: &Tensor| means.compiled(&[q, p, parameters], t);
        let position = |t: &Tensor| means.compiled(&[q, parameters], t);
        let (hessian_qp, hessian_pp) = (energy(&qp)?, energy(&pp)?);
        let hessian_qq = energy(&derived(&s.hamiltonian_q, q)?)?;
        let jacobian = position(&s.jacobian)?;
        let (lambda, curvature) = s.curvature().map_err(underived)?;
        let curvature = means.compiled(&[q, &lambda, parameters], &curvature)?;
        let (v, curvature_along) = s.curvature_along().map_err(underived)?;
        let curvature_along = means.compiled(&[q, &v, parameters], &curvature_along)?;
        let shape = CanonicalShape {
            coordinates: q.len(),
            constraints: s.constraints.shape()[0].len(),
            index,
            separable: qp.is_zero(),
            quadratic: !pp.depends_on(p),
            jacobian: pattern(&jacobian)?,
            curvature: pattern(&curvature)?,
            curvature_along: pattern(&curvature_along)?,
            hessian_qq: pattern(&hessian_qq)?,
            hessian_qp: pattern(&hessian_qp)?,
            hessian_pp: pattern(&hessian_pp)?,
        };
        let (hamiltonian_q, hamiltonian_p) = (energy(&s.hamiltonian_q)?, energy(&s.hamiltonian_p)?);
        let constraints = position(&s.constraints)?;
        let constraint_magnitudes = position(&s.constraints.magnitude()?)?;
        Ok(CanonicalFunctions {
            shape,
            hamiltonian_q,
            hamiltonian_p,
            hessian_qq,
            hessian_qp,
            hessian_pp,
            constraints,
            constraint_magnitudes,
            jacobian,
            curvature,
            curvature_along,
        })
    }

    pub(super) fn functions(&self) -> [&Function; 10] {
        [
            &self.hamiltonian_q,
            &self.hamiltonian_p,
            &self.hessian_qp,
            &self.hessian_pp,
            &self.constraints,
            &self.jacobian,
            &self.hessian_qq,
            &self.curvature,
            &self.curvature_along,
            &self.constraint_magnitudes,
        ]
    }
}

pub(super) struct CanonicalView<S, A: Arithmetic<S>>
where
    S: Scalar,
{
    pub(super) functions: Arc<CanonicalFunctions>,
    pub(super) arithmetic: A,
    pub(super) parameters: Arc<[S]>,
    /// In the order of [`CanonicalFunctions::functions`].
    pub(super) work: [A::Work; 10],
}

impl<S: Scalar, A: Arithmetic<S>> Canonical<S> for CanonicalView<S, A> {
    fn shape(&self) -> &CanonicalShape {
        &self.functions.shape
    }

    fn hamiltonian_q(&mut self, q: &[S], p: &[S], out: &mut [S]) -> Result<(), Failure> {
        let f = &self.functions.hamiltonian_q;
        self.arithmetic.call(f, &[q, p, &self.parameters], &mut [out], &mut self.work[0])
    }

    fn hamiltonian_p(&mut self, q: &[S], p: &[S], out: &mut [S]) -> Result<(), Failure> {
        let f = &self.functions.hamiltonian_p;
        self.arithmetic.call(f, &[q, p, &self.parameters], &mut [out], &mut self.work[1])
    }

    fn hessian_qp(&mut self, q: &[S], p: &[S], out: &mut [S]) -> Result<(), Failure> {
        let f = &self.functions.hessian_qp;
        self.arithmetic.call(f, &[q, p, &self.parameters], &mut [out], &mut self.work[2])
    }

    fn hessian_pp(&mut self, q: &[S], p: &[S], out: &mut [S]) -> Result<(), Failure> {
        let f = &self.functions.hessian_pp;
        self.arithmetic.call(f, &[q, p, &self.parameters], &mut [out], &mut self.work[3])
    }

    fn constraints(&mut self, q: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.arithmetic.call(&self.functions.constraints, &[q, &self.parameters], &mut [out], &mut self.work[4])
    }

    fn constraint_magnitudes(&mut self, q: &[S], out: &mut [S]) -> Result<(), Failure> {
        let f = &self.functions.constraint_magnitudes;
        self.arithmetic.call(f, &[q, &self.parameters], &mut [out], &mut self.work[9])
    }

    fn jacobian(&mut self, q: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.arithmetic.call(&self.functions.jacobian, &[q, &self.parameters], &mut [out], &mut self.work[5])
    }

    fn hessian_qq(&mut self, q: &[S], p: &[S], out: &mut [S]) -> Result<(), Failure> {
        let f = &self.functions.hessian_qq;
        self.arithmetic.call(f, &[q, p, &self.parameters], &mut [out], &mut self.work[6])
    }

    fn curvature(&mut self, q: &[S], lambda: &[S], out: &mut [S]) -> Result<(), Failure> {
        let f = &self.functions.curvature;
        self.arithmetic.call(f, &[q, lambda, &self.parameters], &mut [out], &mut self.work[7])
    }

    fn curvature_along(&mut self, q: &[S], v: &[S], out: &mut [S]) -> Result<(), Failure> {
        let f = &self.functions.curvature_along;
        self.arithmetic.call(f, &[q, v, &self.parameters], &mut [out], &mut self.work[8])
    }
}
