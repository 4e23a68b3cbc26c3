//! A constrained system without its constraints: what the inner method of a splitting integrates.

use crate::blocks::{Block, BlockBuilder, Blocks};
use crate::vector::{clear, negate, zeros};
use cotangent_dynamics::{Canonical, CanonicalShape, Dynamics, Failure, Field};
use cotangent_scalar::Scalar;
use cotangent_solve::{Pattern, PatternError};

/// The shape of the equations without constraints.
pub(crate) fn free_shape(shape: &CanonicalShape) -> Result<CanonicalShape, PatternError> {
    let n = shape.coordinates;
    Ok(CanonicalShape {
        constraints: 0,
        jacobian: Pattern::new(0, n, &[])?,
        curvature: Pattern::new(n, n, &[])?,
        curvature_along: Pattern::new(0, n, &[])?,
        ..shape.clone()
    })
}

/// A system whose constraints are left out.
pub(crate) struct Free<'a, 's, S>(pub(crate) &'a dyn Dynamics<'s, S>);

impl<'s, S: Scalar + 's> Dynamics<'s, S> for Free<'_, 's, S> {
    fn canonical(&self) -> Result<Option<Box<dyn Canonical<S> + 's>>, Failure> {
        let Some(inner) = self.0.canonical()? else { return Ok(None) };
        let shape = free_shape(inner.shape()).map_err(Failure::of)?;
        Ok(Some(Box::new(FreeCanonical { inner, shape })))
    }

    fn field(&self) -> Result<Option<Box<dyn Field<S> + 's>>, Failure> {
        let Some(inner) = self.0.canonical()? else { return Ok(None) };
        Ok(Some(Box::new(FreeField::new(inner).map_err(Failure::of)?)))
    }

    fn manifold(&self) -> Result<Option<Box<dyn Canonical<S> + 's>>, Failure> {
        Ok(None)
    }
}

struct FreeCanonical<'s, S> {
    inner: Box<dyn Canonical<S> + 's>,
    shape: CanonicalShape,
}

impl<S: Scalar> Canonical<S> for FreeCanonical<'_, S> {
    fn shape(&self) -> &CanonicalShape {
        &self.shape
    }

    fn hamiltonian_q(&mut self, q: &[S], p: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.inner.hamiltonian_q(q, p, out)
    }

    fn hamiltonian_p(&mut self, q: &[S], p: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.inner.hamiltonian_p(q, p, out)
    }

    fn hessian_qq(&mut self, q: &[S], p: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.inner.hessian_qq(q, p, out)
    }

    fn hessian_qp(&mut self, q: &[S], p: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.inner.hessian_qp(q, p, out)
    }

    fn hessian_pp(&mut self, q: &[S], p: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.inner.hessian_pp(q, p, out)
    }

    fn constraints(&mut self, _: &[S], _: &mut [S]) -> Result<(), Failure> {
        Ok(())
    }

    fn constraint_magnitudes(&mut self, _: &[S], _: &mut [S]) -> Result<(), Failure> {
        Ok(())
    }

    fn jacobian(&mut self, _: &[S], _: &mut [S]) -> Result<(), Failure> {
        Ok(())
    }

    fn curvature(&mut self, _: &[S], _: &[S], _: &mut [S]) -> Result<(), Failure> {
        Ok(())
    }

    fn curvature_along(&mut self, _: &[S], _: &[S], _: &mut [S]) -> Result<(), Failure> {
        Ok(())
    }
}

/// (H_p, −H_q), with its Jacobian made of the second derivatives of H.
struct FreeField<'s, S> {
    inner: Box<dyn Canonical<S> + 's>,
    blocks: Blocks,
    /// ∂q̇/∂q, ∂q̇/∂p, ∂ṗ/∂q, ∂ṗ/∂p.
    at: [Block; 4],
    matrix: Vec<S>,
}

impl<'s, S: Scalar> FreeField<'s, S> {
    fn new(inner: Box<dyn Canonical<S> + 's>) -> Result<Self, PatternError> {
        let (blocks, at) = free_field(inner.shape())?;
        let s = inner.shape();
        let len = s.hessian_qq.len().max(s.hessian_qp.len()).max(s.hessian_pp.len());
        Ok(FreeField { inner, blocks, at, matrix: zeros(len) })
    }
}

/// The Jacobian of (H_p, −H_q) as blocks.
pub(crate) fn free_field(shape: &CanonicalShape) -> Result<(Blocks, [Block; 4]), PatternError> {
    let n = shape.coordinates;
    let mut b = BlockBuilder::new(2 * n);
    let at = [
        b.transposed((0, 0), &shape.hessian_qp),
        b.block((0, n), &shape.hessian_pp),
        b.block((n, 0), &shape.hessian_qq),
        b.block((n, n), &shape.hessian_qp),
    ];
    Ok((b.build()?, at))
}

impl<S: Scalar> Field<S> for FreeField<'_, S> {
    fn dimension(&self) -> usize {
        2 * self.inner.shape().coordinates
    }

    fn jacobian_pattern(&mut self) -> Result<Pattern, Failure> {
        Ok(self.blocks.pattern.clone())
    }

    fn rate(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        let n = self.inner.shape().coordinates;
        let ((q, p), (dq, dp)) = (z.split_at(n), out.split_at_mut(n));
        self.inner.hamiltonian_p(q, p, dq)?;
        self.inner.hamiltonian_q(q, p, dp)?;
        negate(dp);
        Ok(())
    }

    fn jacobian(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        let (q, p) = z.split_at(self.inner.shape().coordinates);
        let [qq, qp, pq, pp] = self.at;
        let one = S::from_f64(1.0);
        clear(out);
        let s = self.inner.shape();
        let (a, b, c) = (s.hessian_qp.len(), s.hessian_pp.len(), s.hessian_qq.len());
        self.inner.hessian_qp(q, p, &mut self.matrix[..a])?;
        self.blocks.add(qq, one, &self.matrix[..a], out);
        self.blocks.add(pp, -one, &self.matrix[..a], out);
        self.inner.hessian_pp(q, p, &mut self.matrix[..b])?;
        self.blocks.add(qp, one, &self.matrix[..b], out);
        self.inner.hessian_qq(q, p, &mut self.matrix[..c])?;
        self.blocks.add(pq, -one, &self.matrix[..c], out);
        Ok(())
    }
}
