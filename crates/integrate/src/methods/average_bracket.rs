//! The average vector field method for ż = B(z)∇H: keeps the energy, whatever H and B are.
//!
//! ```text
//! z₁ = z + h B((z + z₁)/2) ∫₀¹ ∇H(z + τ(z₁ − z)) dτ
//! ```
//!
//! *Energy.* The average of the gradient is a discrete gradient: H(z₁) − H(z) = ∇̄H·(z₁ − z) = h ∇̄Hᵀ B ∇̄H = 0.
//! *Casimirs.* For a quadratic one C(z₁) − C(z) = ∇C(z̄)·(z₁ − z) with z̄ the midpoint, and ∇C(z̄)ᵀB(z̄) = 0.
//! The step is symmetric, of order 2, and no Poisson map.
//!
//! D. Cohen & E. Hairer, BIT 51 (2011) 91.

use crate::blocks::{Block, BlockBuilder, Blocks};
use crate::coefficients::Gauss as Quadrature;
use crate::sparse::Product;
use crate::vector::{add_scaled, advanced, clear, moved, scaled, times, zeros};
use cotangent_dynamics::{Failure, Kind, Machine, Plan, Poisson, PoissonShape, Site, State, Stepper};
use cotangent_scalar::Scalar;
use cotangent_solve::PatternError;
use std::sync::Arc;

/// The method, planned.
#[derive(Clone, Debug)]
pub(crate) struct AverageBracket {
    quadrature: Quadrature,
    shape: PoissonShape,
    /// B H_zz.
    product: Product,
    blocks: Blocks,
    /// The identity, ∂(B v)/∂z and B H_zz.
    at: [Block; 3],
    site: Site,
}

impl AverageBracket {
    pub(crate) fn new(
        shape: &PoissonShape,
        points: usize,
        plan: &mut Plan,
    ) -> Result<Arc<AverageBracket>, PatternError> {
        let n = shape.tensor.rows();
        let product = Product::new(&shape.tensor, &shape.hessian)?;
        let mut b = BlockBuilder::new(n);
        let at = [b.identity((0, 0), n), b.block((0, 0), &shape.tensor_along), b.block((0, 0), &product.pattern)];
        let blocks = b.build()?;
        let site = plan.newton(blocks.pattern.clone(), vec![(Kind::State, n)]);
        Ok(Arc::new(AverageBracket {
            quadrature: Quadrature::new(points),
            shape: shape.clone(),
            product,
            blocks,
            at,
            site,
        }))
    }

    pub(crate) fn stepper<'s, S: Scalar + 's>(
        self: &Arc<Self>,
        system: Box<dyn Poisson<S> + 's>,
    ) -> Box<dyn Stepper<S> + 's> {
        let n = self.shape.tensor.rows();
        Box::new(AverageStepper {
            system,
            increment: zeros(n),
            at: zeros(n),
            part: zeros(n),
            gradient: zeros(n),
            mean: zeros(n),
            tensor: zeros(self.shape.tensor.len()),
            along: zeros(self.shape.tensor_along.len()),
            hessian: zeros(self.shape.hessian.len()),
            hessians: zeros(self.shape.hessian.len()),
            products: zeros(self.product.pattern.len()),
            method: self.clone(),
        })
    }
}

struct AverageStepper<'s, S> {
    method: Arc<AverageBracket>,
    system: Box<dyn Poisson<S> + 's>,
    /// z₁ − z.
    increment: Vec<S>,
    at: Vec<S>,
    part: Vec<S>,
    gradient: Vec<S>,
    /// ∇̄H.
    mean: Vec<S>,
    tensor: Vec<S>,
    along: Vec<S>,
    hessian: Vec<S>,
    /// ∫ τ H_zz dτ.
    hessians: Vec<S>,
    products: Vec<S>,
}

impl<S: Scalar> Stepper<S> for AverageStepper<'_, S> {
    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let AverageStepper {
            method,
            system,
            increment,
            at,
            part,
            gradient,
            mean,
            tensor,
            along,
            hessian,
            hessians,
            products,
        } = self;
        let AverageBracket { quadrature, shape, product, blocks, at: places, site } = &**method;
        let start = (&from.values[..], &from.carry[..]);
        let half = S::from_f64(0.5);
        // A first guess: h B∇H.
        system.gradient(&from.values, gradient)?;
        system.tensor(&from.values, tensor)?;
        times(&shape.tensor, tensor, gradient, part);
        scaled(h, part, increment);
        machine.newton(*site, increment, &mut |d, r, jacobian| {
            clear(mean);
            clear(hessians);
            for i in 0..quadrature.stages() {
                let (c, b): (S, S) = (quadrature.c(i).value(&[]), quadrature.b(i).value(&[]));
                scaled(c, d, part);
                moved(start, part, at);
                system.gradient(at, gradient)?;
                system.hessian(at, hessian)?;
                add_scaled(mean, b, gradient);
                add_scaled(hessians, b * c, hessian);
            }
            scaled(half, d, part);
            moved(start, part, at);
            system.tensor(at, tensor)?;
            system.tensor_along(at, mean, along)?;
            product.evaluate(tensor, hessians, products);
            times(&shape.tensor, tensor, mean, part);
            scaled(-h, part, r);
            add_scaled(r, S::from_f64(1.0), d);
            clear(jacobian);
            blocks.add_identity(places[0], S::from_f64(1.0), jacobian);
            blocks.add(places[1], -h * half, along, jacobian);
            blocks.add(places[2], -h, products, jacobian);
            Ok(())
        })?;
        to.memory.copy_from_slice(&from.memory);
        advanced(start, increment, (&mut to.values, &mut to.carry));
        Ok(())
    }
}
