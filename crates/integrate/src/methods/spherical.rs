//! The spherical midpoint rule for products of spheres: spins, point vortices, rigid bodies.
//!
//! ```text
//! y₁ = y + h f(ŷ),   ŷ = √(|y||y₁|) (y + y₁)/|y + y₁| for each triple,   f = B∇H
//! ```
//!
//! With {yᵢ, yⱼ} = κ εᵢⱼₖ yₖ on every triple of variables f is tangent to spheres; evaluated on them the midpoint rule is a
//! Poisson map. |y| stays what it is, as f(ŷ) is normal to y + y₁. Symmetric, of order 2.
//!
//! R. I. McLachlan, K. Modin & O. Verdier, Phys. Rev. E 89 (2014) 061301; Math. Comp. 86 (2017) 2325.

use crate::blocks::{Block, BlockBuilder, Blocks};
use crate::card::{Card, Keeps, KeepsBracket, Needs};
use crate::sparse::Product;
use crate::vector::{add_scaled, advanced, clear, moved, scaled, zeros};
use cotangent_dynamics::{Failure, Field, Kind, Machine, Plan, Site, State, Stepper};
use cotangent_scalar::Scalar;
use cotangent_solve::{Pattern, PatternError};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "spherical-midpoint",
    summary: "the midpoint rule on spheres, for spins, vortices and rigid bodies: a Poisson map, second order, symmetric",
    order: 2,
    symplectic: false,
    bracket: KeepsBracket::Any,
    symmetric: true,
    constraints: Keeps::ByEquations,
    hidden_constraints: Keeps::ByEquations,
    quadratic_invariants: false,
    energy: false,
    needs: Needs::Spheres,
    explicit: "never",
    scheme: &["y₁ = y + h f(ŷ),   ŷ = √(|y||y₁|) (y + y₁)/|y + y₁| for each triple of variables,   f = B∇H"],
    solution: "For brackets {yᵢ, yⱼ} = κ εᵢⱼₖ yₖ on triples of variables, with any κ for each, and any energy: products of \
        so(3). Newton's method for y₁ − y.",
    reference: "R. I. McLachlan, K. Modin & O. Verdier, Phys. Rev. E 89 (2014) 061301; Math. Comp. 86 (2017) 2325",
};

/// The square of a length that is none; its own square is a number.
const LEAST: f64 = 1e-150;

/// The method, planned.
#[derive(Clone, Debug)]
pub(crate) struct SphericalMidpoint {
    spheres: Vec<[usize; 3]>,
    /// Where ∂ŷ/∂y₁ has entries, by triples.
    slopes: Pattern,
    product: Product,
    blocks: Blocks,
    /// The identity and f′ŷ′.
    at: [Block; 2],
    site: Site,
    dimension: usize,
}

impl SphericalMidpoint {
    pub(crate) fn new(
        jacobian: &Pattern,
        spheres: &[[usize; 3]],
        plan: &mut Plan,
    ) -> Result<Arc<SphericalMidpoint>, PatternError> {
        let n = jacobian.rows();
        let pairs = |s: &[usize; 3]| {
            let s = *s;
            (0..9).map(move |k| (s[k / 3] as u32, s[k % 3] as u32))
        };
        let slopes = Pattern::new(n, n, &spheres.iter().flat_map(pairs).collect::<Vec<_>>())?;
        let product = Product::new(jacobian, &slopes)?;
        let mut b = BlockBuilder::new(n);
        let at = [b.identity((0, 0), n), b.block((0, 0), &product.pattern)];
        let blocks = b.build()?;
        let site = plan.newton(blocks.pattern.clone(), vec![(Kind::State, n)]);
        Ok(Arc::new(SphericalMidpoint { spheres: spheres.to_vec(), slopes, product, blocks, at, site, dimension: n }))
    }

    pub(crate) fn stepper<'s, S: Scalar + 's>(
        self: &Arc<Self>,
        mut field: Box<dyn Field<S> + 's>,
    ) -> Result<Box<dyn Stepper<S> + 's>, Failure> {
        let (n, entries) = (self.dimension, field.jacobian_pattern()?.len());
        Ok(Box::new(SphericalStepper {
            field,
            increment: zeros(n),
            end: zeros(n),
            middle: zeros(n),
            rate: zeros(n),
            jacobian: zeros(entries),
            slopes: zeros(self.slopes.len()),
            products: zeros(self.product.pattern.len()),
            method: self.clone(),
        }))
    }

    /// ŷ, and ∂ŷ/∂y₁ in the order of its pattern.
    fn middle<S: Scalar>(&self, y: &[S], y1: &[S], out: &mut [S], slopes: &mut [S]) {
        let (half, least) = (S::from_f64(0.5), S::from_f64(LEAST));
        for s in &self.spheres {
            let dot = |a: [S; 3], b: [S; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            let (from, to) = (s.map(|k| y[k]), s.map(|k| y1[k]));
            let sum: [S; 3] = std::array::from_fn(|i| from[i] + to[i]);
            // At the origin, which is a sphere by itself, ŷ = (y + y₁)/2.
            let (square, length) = (dot(to, to).max(least), dot(sum, sum).max(S::from_f64(4.0 * LEAST)).sqrt());
            // R = √(|y||y₁|) as a fourth root.
            let radius = (dot(from, from).max(least) * square).sqrt().sqrt();
            let unit: [S; 3] = std::array::from_fn(|i| sum[i] / length);
            for i in 0..3 {
                out[s[i]] = radius * unit[i];
                for j in 0..3 {
                    let projected = if i == j { S::from_f64(1.0) - unit[i] * unit[j] } else { -(unit[i] * unit[j]) };
                    let slope = radius / length * projected + half * radius / square * (unit[i] * to[j]);
                    if let Some(at) = self.slopes.position(s[i], s[j]) {
                        slopes[at] = slope;
                    }
                }
            }
        }
    }
}

struct SphericalStepper<'s, S> {
    method: Arc<SphericalMidpoint>,
    field: Box<dyn Field<S> + 's>,
    increment: Vec<S>,
    end: Vec<S>,
    middle: Vec<S>,
    rate: Vec<S>,
    jacobian: Vec<S>,
    slopes: Vec<S>,
    products: Vec<S>,
}

impl<S: Scalar> Stepper<S> for SphericalStepper<'_, S> {
    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let SphericalStepper { method, field, increment, end, middle, rate, jacobian: own, slopes, products } = self;
        let start = (&from.values[..], &from.carry[..]);
        field.rate(&from.values, rate)?;
        scaled(h, rate, increment);
        machine.newton(method.site, increment, &mut |d, r, jacobian| {
            moved(start, d, end);
            method.middle(&from.values, end, middle, slopes);
            field.rate(middle, rate)?;
            field.jacobian(middle, own)?;
            method.product.evaluate(own, slopes, products);
            scaled(-h, rate, r);
            add_scaled(r, S::from_f64(1.0), d);
            clear(jacobian);
            method.blocks.add_identity(method.at[0], S::from_f64(1.0), jacobian);
            method.blocks.add(method.at[1], -h, products, jacobian);
            Ok(())
        })?;
        to.memory.copy_from_slice(&from.memory);
        advanced(start, increment, (&mut to.values, &mut to.carry));
        Ok(())
    }
}
