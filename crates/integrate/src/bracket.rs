//! Poisson systems as vector fields, for methods that know no brackets.
//!
//! ```text
//! f(z) = B(z)∇H(z),   f′ = ∂(B v)/∂z + B H_zz   with v = ∇H(z)
//! ```

use crate::blocks::{Block, BlockBuilder, Blocks};
use crate::sparse::Product;
use crate::vector::{clear, times, zeros};
use cotangent_dynamics::{Dynamics, Failure, Field, Poisson};
use cotangent_scalar::Scalar;
use cotangent_solve::{Pattern, PatternError};

/// The vector field of a system: its own, or that of its bracket.
pub(crate) fn field_of<'s, S: Scalar + 's>(
    system: &dyn Dynamics<'s, S>,
) -> Result<Option<Box<dyn Field<S> + 's>>, Failure> {
    if let Some(field) = system.field()? {
        return Ok(Some(field));
    }
    let Some(system) = system.poisson()? else { return Ok(None) };
    let field = PoissonField::new(system).map_err(Failure::of)?;
    Ok(Some(Box::new(field)))
}

struct PoissonField<'s, S> {
    system: Box<dyn Poisson<S> + 's>,
    /// B H_zz.
    product: Product,
    blocks: Blocks,
    /// ∂(B v)/∂z and B H_zz.
    at: [Block; 2],
    tensor: Vec<S>,
    tensor_along: Vec<S>,
    hessian: Vec<S>,
    products: Vec<S>,
    gradient: Vec<S>,
}

impl<'s, S: Scalar> PoissonField<'s, S> {
    fn new(system: Box<dyn Poisson<S> + 's>) -> Result<Self, PatternError> {
        let shape = system.shape();
        let product = Product::new(&shape.tensor, &shape.hessian)?;
        let mut b = BlockBuilder::new(shape.tensor.rows());
        let at = [b.block((0, 0), &shape.tensor_along), b.block((0, 0), &product.pattern)];
        Ok(PoissonField {
            blocks: b.build()?,
            at,
            tensor: zeros(shape.tensor.len()),
            tensor_along: zeros(shape.tensor_along.len()),
            hessian: zeros(shape.hessian.len()),
            products: zeros(product.pattern.len()),
            gradient: zeros(shape.tensor.rows()),
            product,
            system,
        })
    }
}

impl<S: Scalar> Field<S> for PoissonField<'_, S> {
    fn dimension(&self) -> usize {
        self.gradient.len()
    }

    fn jacobian_pattern(&mut self) -> Result<Pattern, Failure> {
        Ok(self.blocks.pattern.clone())
    }

    fn rate(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.system.gradient(z, &mut self.gradient)?;
        self.system.tensor(z, &mut self.tensor)?;
        times(&self.system.shape().tensor, &self.tensor, &self.gradient, out);
        Ok(())
    }

    fn jacobian(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        let PoissonField { system, product, blocks, at, tensor, tensor_along, hessian, products, gradient } = self;
        system.gradient(z, gradient)?;
        system.tensor(z, tensor)?;
        system.tensor_along(z, gradient, tensor_along)?;
        system.hessian(z, hessian)?;
        product.evaluate(tensor, hessian, products);
        let one = S::from_f64(1.0);
        clear(out);
        blocks.add(at[0], one, tensor_along, out);
        blocks.add(at[1], one, products, out);
        Ok(())
    }
}
