//! Semi-explicit differential–algebraic equations ż = f(z, λ), 0 = g(z): what methods for stiff
//! equations make of ordinary differential equations (no λ, no g) and of canonical equations with
//! constraints,
//!
//! ```text
//! z = (q, p),   f = (H_p, −H_q − Gᵀλ),   g = φ(q) (index 3) or G(q) H_p(q, p) (index 2)
//! ```

use crate::blocks::{Block, BlockBuilder};
use crate::sparse::{Product, plus_transposed_times, times};
use cotangent_dynamics::{Canonical, CanonicalShape, Dynamics, Failure, Field, Index, Kind, Misuse};
use cotangent_scalar::Scalar;
use cotangent_solve::{Pattern, PatternError};

/// Sizes, and where the derivatives of f and g have entries.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// The length of z.
    pub(crate) dimension: usize,
    /// How many of z come first that are positions; all of them without multipliers.
    pub(crate) positions: usize,
    /// The length of λ and of g.
    pub(crate) multipliers: usize,
    /// That of the equations, if they have multipliers.
    pub(crate) index: Option<Index>,
    /// What the equations determine, in order.
    pub(crate) rows: Vec<(Kind, usize)>,
    parts: Vec<Part>,
    /// For index 2.
    products: Option<Products>,
}

/// A part of the matrix [f_z f_λ; g_z 0], its first entry at a place.
#[derive(Clone, Debug)]
struct Part {
    place: (usize, usize),
    pattern: Pattern,
    transposed: bool,
}

/// The parts of ∂(G H_p) that are products: G H_pq and G H_pp.
#[derive(Clone, Debug)]
struct Products {
    q: Product,
    p: Product,
    /// For each entry of H_pq: where it is in H_qp.
    origin: Vec<usize>,
}

impl Shape {
    /// The shape of a vector field whose derivative has this pattern.
    pub(crate) fn field(jacobian: &Pattern) -> Shape {
        let n = jacobian.rows();
        let parts = vec![Part { place: (0, 0), pattern: jacobian.clone(), transposed: false }];
        let rows = vec![(Kind::State, n)];
        Shape { dimension: n, positions: n, multipliers: 0, index: None, rows, parts, products: None }
    }

    /// The shape of canonical equations with constraints; its parts are in the order in which
    /// [`SemiExplicit::differentiate`] adds them.
    pub(crate) fn canonical(shape: &CanonicalShape) -> Result<Shape, PatternError> {
        let (n, m) = (shape.coordinates, shape.constraints);
        let part = |row, column, p: &Pattern| Part { place: (row, column), pattern: p.clone(), transposed: false };
        let transposed = |row, column, p: &Pattern| Part { transposed: true, ..part(row, column, p) };
        let mut parts = vec![
            transposed(0, 0, &shape.hessian_qp),
            part(n, n, &shape.hessian_qp),
            part(0, n, &shape.hessian_pp),
            part(n, 0, &shape.hessian_qq),
            part(n, 0, &shape.curvature),
            transposed(n, 2 * n, &shape.jacobian),
        ];
        let (kind, products) = match shape.index {
            Index::Three => {
                parts.push(part(2 * n, 0, &shape.jacobian));
                (Kind::Constraint, None)
            }
            Index::Two => {
                let (pq, origin) = shape.hessian_qp.transposed();
                let q = Product::new(&shape.jacobian, &pq)?;
                let p = Product::new(&shape.jacobian, &shape.hessian_pp)?;
                parts.push(part(2 * n, 0, &shape.curvature_along));
                parts.push(part(2 * n, 0, &q.pattern));
                parts.push(part(2 * n, n, &p.pattern));
                (Kind::HiddenConstraint, Some(Products { q, p, origin }))
            }
        };
        let rows = vec![(Kind::Coordinate, n), (Kind::Momentum, n), (kind, m)];
        let index = Some(shape.index);
        Ok(Shape { dimension: 2 * n, positions: n, multipliers: m, index, rows, parts, products })
    }

    /// The parts of the matrix as blocks, its first entry at (at, at).
    pub(crate) fn blocks(&self, at: usize, b: &mut BlockBuilder) -> Vec<Block> {
        let block = |part: &Part| {
            let place = (at + part.place.0, at + part.place.1);
            if part.transposed { b.transposed(place, &part.pattern) } else { b.block(place, &part.pattern) }
        };
        self.parts.iter().map(block).collect()
    }

    /// The variables a part belongs to: 0 for positions, 1 for momenta, 2 for multipliers.
    pub(crate) fn column(&self, part: usize) -> usize {
        let column = self.parts[part].place.1;
        usize::from(column >= self.positions) + usize::from(column >= self.dimension)
    }

    /// The equations of a system of this shape.
    pub(crate) fn of<'s, S: Scalar + 's>(
        &self,
        system: &dyn Dynamics<'s, S>,
    ) -> Result<Box<dyn SemiExplicit<S> + 's>, Failure> {
        let missing = || Failure::from(Misuse::OtherSystem);
        Ok(match self.index {
            Some(_) => self.of_canonical(system.canonical()?.ok_or_else(missing)?),
            None => self.of_field(system.field()?.ok_or_else(missing)?),
        })
    }

    fn of_field<'s, S: Scalar + 's>(&self, field: Box<dyn Field<S> + 's>) -> Box<dyn SemiExplicit<S> + 's> {
        Box::new(Ordinary { field, matrix: self.matrix() })
    }

    fn of_canonical<'s, S: Scalar + 's>(&self, system: Box<dyn Canonical<S> + 's>) -> Box<dyn SemiExplicit<S> + 's> {
        let zero = |len: usize| vec![S::from_f64(0.0); len];
        let shape = system.shape().clone();
        Box::new(Constrained {
            system,
            products: self.products.clone(),
            force: zero(shape.coordinates),
            velocity: zero(shape.coordinates),
            g: zero(shape.jacobian.len()),
            pq: zero(shape.hessian_qp.len()),
            matrix: self.matrix(),
            product: self.matrix(),
            shape,
        })
    }

    /// Room for any part.
    fn matrix<S: Scalar>(&self) -> Vec<S> {
        vec![S::from_f64(0.0); self.parts.iter().map(|p| p.pattern.len()).max().unwrap_or(0)]
    }
}

/// Takes the parts of a matrix: which, a factor, and its values.
pub(crate) type Add<'a, S> = dyn FnMut(usize, S, &[S]) + 'a;

/// The equations.
pub(crate) trait SemiExplicit<S: Scalar> {
    /// f(z, λ) and g(z).
    fn evaluate(&mut self, z: &[S], lambda: &[S], f: &mut [S], g: &mut [S]) -> Result<(), Failure>;

    /// The derivatives of factor · f and of g.
    fn differentiate(&mut self, z: &[S], lambda: &[S], factor: S, add: &mut Add<'_, S>) -> Result<(), Failure>;
}

struct Ordinary<'s, S> {
    field: Box<dyn Field<S> + 's>,
    matrix: Vec<S>,
}

impl<S: Scalar> SemiExplicit<S> for Ordinary<'_, S> {
    fn evaluate(&mut self, z: &[S], _: &[S], f: &mut [S], _: &mut [S]) -> Result<(), Failure> {
        self.field.rate(z, f)
    }

    fn differentiate(&mut self, z: &[S], _: &[S], factor: S, add: &mut Add<'_, S>) -> Result<(), Failure> {
        self.field.jacobian(z, &mut self.matrix)?;
        add(0, factor, &self.matrix);
        Ok(())
    }
}

struct Constrained<'s, S> {
    system: Box<dyn Canonical<S> + 's>,
    shape: CanonicalShape,
    products: Option<Products>,
    /// H_q.
    force: Vec<S>,
    velocity: Vec<S>,
    g: Vec<S>,
    pq: Vec<S>,
    matrix: Vec<S>,
    product: Vec<S>,
}

impl<S: Scalar> SemiExplicit<S> for Constrained<'_, S> {
    fn evaluate(&mut self, z: &[S], lambda: &[S], f: &mut [S], g: &mut [S]) -> Result<(), Failure> {
        let Constrained { system, shape, .. } = self;
        let n = shape.coordinates;
        let ((q, p), (dq, dp)) = (z.split_at(n), f.split_at_mut(n));
        system.hamiltonian_p(q, p, dq)?;
        system.hamiltonian_q(q, p, &mut self.force)?;
        system.jacobian(q, &mut self.g)?;
        plus_transposed_times(&shape.jacobian, &self.g, lambda, &self.force, dp);
        dp.iter_mut().for_each(|x| *x = -*x);
        match self.products {
            None => system.constraints(q, g),
            Some(_) => {
                times(&shape.jacobian, &self.g, dq, g);
                Ok(())
            }
        }
    }

    fn differentiate(&mut self, z: &[S], lambda: &[S], factor: S, add: &mut Add<'_, S>) -> Result<(), Failure> {
        let Constrained { system, shape, products, velocity, g, pq, matrix, product, .. } = self;
        let (q, p) = z.split_at(shape.coordinates);
        let one = S::from_f64(1.0);
        system.jacobian(q, g)?;
        let qp = &mut matrix[..shape.hessian_qp.len()];
        system.hessian_qp(q, p, qp)?;
        add(0, factor, qp);
        add(1, -factor, qp);
        if let Some(Products { q: gq, origin, .. }) = products {
            pq.iter_mut().zip(&*origin).for_each(|(x, &at)| *x = qp[at]);
            let product = &mut product[..gq.pattern.len()];
            gq.evaluate(g, pq, product);
            add(7, one, product);
        }
        let pp = &mut matrix[..shape.hessian_pp.len()];
        system.hessian_pp(q, p, pp)?;
        add(2, factor, pp);
        if let Some(Products { p: gp, .. }) = products {
            let product = &mut product[..gp.pattern.len()];
            gp.evaluate(g, pp, product);
            add(8, one, product);
        }
        let qq = &mut matrix[..shape.hessian_qq.len()];
        system.hessian_qq(q, p, qq)?;
        add(3, -factor, qq);
        let bend = &mut matrix[..shape.curvature.len()];
        system.curvature(q, lambda, bend)?;
        add(4, -factor, bend);
        add(5, -factor, g);
        match products {
            None => add(6, one, g),
            Some(_) => {
                let bend = &mut matrix[..shape.curvature_along.len()];
                system.hamiltonian_p(q, p, velocity)?;
                system.curvature_along(q, velocity, bend)?;
                add(6, one, bend);
            }
        }
        Ok(())
    }
}
