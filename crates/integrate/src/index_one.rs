//! What J ż = ∇H(z) with a singular J determines: the part of z that J says nothing about, and the rates of all.
//!
//! With N a basis of ker J, Nᵀ∇H(z) = 0; where K = NᵀH_zzN is regular (index one) this determines the part of z in ker J, and
//! with its time derivative the rates:
//!
//! ```text
//! J ż = ∇H in the independent rows of J,   NᵀH_zz ż = 0.
//! ```
//!
//! Equations and variables may have any units: an equation is measured by Σⱼ |(NᵀH_zz)ᵢⱼ zⱼ|, what it changes by with the
//! variables it is made of.
//!
//! (R. I. McLachlan, K. Modin, O. Verdier & M. Wilkins, SIAM J. Sci. Comput. 36 (2014) A2229.)

use crate::blocks::{Block, BlockBuilder, Blocks};
use crate::sparse::Product;
use crate::stages::Kernel;
use crate::vector::{clear, times, zeros};
use cotangent_dynamics::{Equation, Failure, Field, Kind, Misuse, Presymplectic};
use cotangent_scalar::{Random, Real};
use cotangent_solve::{
    LinearSolver, NewtonError, NewtonOptions, NewtonWorkspace, Pattern, Scales, cancelled_rows, departure, newton,
};

/// What elimination leaves of a row is nothing if it is this part of its terms.
const CANCELLED: f64 = 1e-10;

/// Nᵀ∇H is zero if it is this part of its terms.
const SETTLED: f64 = 1e-11;

/// The iteration begins again where it is, so many times: what it first came from is no size of what it looks for.
const BEGINNINGS: usize = 6;

/// A solution is isolated if K changes by less than this part of itself where the variables change in half of their digits.
const ISOLATED: f64 = 0.25;

/// A variable of less than this part of others, in the scales of K, is as good as zero.
const NEGLIGIBLE: f64 = 1e-6;

/// J ż = ∇H, its kernel, and the vector field that it implies where Nᵀ∇H = 0.
#[derive(Clone)]
pub struct IndexOne<P, S> {
    system: P,
    kernel: Kernel,
    /// The independent rows of J, and Nᵀ.
    form: Vec<S>,
    basis: Vec<S>,
    /// The vectors of N, each by its entries.
    pub(crate) vectors: Vec<Vec<(usize, S)>>,
    /// The variable of each vector that no other one moves.
    own: Vec<usize>,
    /// The rows of Nᵀ.
    rows: Vec<usize>,
    /// NᵀH_zz.
    product: Product,
    /// K: its pattern, and (entry, entry of NᵀH_zz, factor).
    pub(crate) restricted: Pattern,
    terms: Vec<(usize, usize, S)>,
    blocks: Blocks,
    at: [Block; 2],
    solver: LinearSolver<S>,
    hessian: Vec<S>,
    products: Vec<S>,
    gradient: Vec<S>,
    matrix: Vec<S>,
}

impl<P: Presymplectic<S>, S: Real> IndexOne<P, S> {
    /// The equations with their kernel.
    pub fn new(mut system: P) -> Result<IndexOne<P, S>, Failure> {
        let shape = system.shape().clone();
        let n = shape.form.rows();
        let mut values = zeros(shape.form.len());
        system.form(&mut values)?;
        let numbers: Vec<f64> = values.iter().map(|v| v.value()).collect();
        let kernel = Kernel::new(&shape.form, &numbers).map_err(Failure::of)?;
        let (form, basis) = kernel.values(&values);
        let product = Product::new(kernel.pattern(), &shape.hessian).map_err(Failure::of)?;
        let mut builder = BlockBuilder::new(n);
        let at = [builder.block((0, 0), kernel.form()), builder.block((0, 0), &product.pattern)];
        let blocks = builder.build().map_err(Failure::of)?;
        let rows: Vec<usize> = (0..n).filter(|&i| kernel.is_dependent(i)).collect();
        let pattern = kernel.pattern();
        let entries =
            |&i: &usize| pattern.positions(i).zip(pattern.row(i)).map(|(k, &j)| (j as usize, basis[k])).collect();
        let vectors: Vec<Vec<(usize, S)>> = rows.iter().map(entries).collect();
        let own = |v: &Vec<(usize, S)>| v.iter().map(|e| e.0).find(|&j| kernel.is_free(j)).unwrap_or(0);
        let own = vectors.iter().map(own).collect();
        let (restricted, terms) = restricted(&product.pattern, &rows, &vectors)?;
        Ok(IndexOne {
            solver: LinearSolver::new(&blocks.pattern).map_err(Failure::of)?,
            hessian: zeros(shape.hessian.len()),
            products: zeros(product.pattern.len()),
            gradient: zeros(n),
            matrix: zeros(blocks.pattern.len()),
            system,
            kernel,
            form,
            basis,
            vectors,
            own,
            rows,
            product,
            restricted,
            terms,
            blocks,
            at,
        })
    }

    /// The dimension of ker J.
    pub fn kernel_dimension(&self) -> usize {
        self.vectors.len()
    }

    /// For each vector of N the variable that no other one moves.
    pub fn variables(&self) -> &[usize] {
        &self.own
    }

    /// Nᵀ∇H, relative to nothing.
    pub fn residual(&mut self, z: &[S]) -> Result<Vec<S>, Failure> {
        let IndexOne { system, kernel, basis, gradient, rows, .. } = self;
        system.gradient(z, gradient)?;
        let mut all = zeros(z.len());
        times(kernel.pattern(), basis, gradient, &mut all);
        Ok(rows.iter().map(|&i| all[i]).collect())
    }

    /// K at a state, by its entries.
    pub(crate) fn restricted_hessian(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        let IndexOne { system, basis, product, hessian, products, terms, .. } = self;
        system.hessian(z, hessian)?;
        product.evaluate(basis, hessian, products);
        clear(out);
        terms.iter().for_each(|&(entry, k, factor)| out[entry] = out[entry] + products[k] * factor);
        Ok(())
    }

    /// NᵀH_zz d where K was asked for last.
    pub(crate) fn along(&self, d: &[S]) -> Vec<S> {
        let mut all = zeros(d.len());
        times(&self.product.pattern, &self.products, d, &mut all);
        self.rows.iter().map(|&i| all[i]).collect()
    }

    /// The sizes of the equations at a state, as powers of two: one where they are zero.
    fn sizes(&mut self, z: &[S]) -> Result<Vec<f64>, Failure> {
        let IndexOne { system, basis, product, hessian, products, .. } = self;
        system.hessian(z, hessian)?;
        product.evaluate(basis, hessian, products);
        let pattern = &self.product.pattern;
        let size = |&i: &usize| {
            let terms = pattern.positions(i).zip(pattern.row(i));
            let sum: f64 = terms.map(|(k, &j)| (self.products[k].value() * z[j as usize].value()).abs()).sum();
            if sum.is_finite() && sum > 0.0 { sum.log2().round().exp2() } else { 1.0 }
        };
        Ok(self.rows.iter().map(size).collect())
    }

    /// The units of the variables of ker J at a state: what they change by if their equations change by their own sizes.
    pub fn units(&mut self, z: &[S]) -> Result<Vec<f64>, Failure> {
        let mut matrix = zeros(self.restricted.len());
        self.restricted_hessian(z, &mut matrix)?;
        let values: Vec<f64> = matrix.iter().map(|v| v.value()).collect();
        let scales = Scales::new(&self.restricted, &values, |_| true);
        let mut units: Vec<f64> = self.own.iter().map(|&j| z[j].value().abs()).collect();
        let mut solver = LinearSolver::new(&self.restricted).map_err(Failure::of)?;
        if solver.factor(&values).is_ok() {
            let (sizes, mut random) = (self.sizes(z)?, Random::default());
            for _ in 0..2 {
                let mut change: Vec<f64> = sizes.iter().map(|size| size * random.signed()).collect();
                solver.solve(&mut change);
                units.iter_mut().zip(&change).for_each(|(unit, change)| *unit = unit.max(change.abs()));
            }
        }
        // What is zero by chance, or nearly, has the unit of others.
        let scales: Vec<f64> = scales.columns.into_iter().map(|c| c.unwrap_or(1.0)).collect();
        let relative = units.iter().zip(&scales).map(|(unit, scale)| unit / scale);
        let largest = relative.filter(|r| r.is_finite()).fold(0.0, f64::max);
        let least = if largest > 0.0 { NEGLIGIBLE * largest } else { 1.0 };
        let known = |(unit, scale): (f64, &f64)| if unit.is_finite() { unit.max(least * scale) } else { *scale };
        Ok(units.into_iter().zip(&scales).map(known).collect())
    }

    /// The equation that is off most, by how much, and its size; `None` if all of them hold to this part of their sizes.
    pub fn violated(&mut self, z: &[S], tolerance: f64) -> Result<Option<(usize, f64, f64)>, Failure> {
        let (residual, sizes) = (self.residual(z)?, self.sizes(z)?);
        let off = |k: usize| residual[k].value().abs() / sizes[k];
        let worst = (0..sizes.len()).max_by(|&a, &b| off(a).total_cmp(&off(b)));
        let worst = worst.filter(|&k| off(k).is_nan() || off(k) > tolerance);
        Ok(worst.map(|k| (k, residual[k].value().abs(), sizes[k])))
    }

    /// Variables whose part in ker J the equations do not determine at a state: K is singular there.
    pub fn undetermined(&mut self, z: &[S]) -> Result<Vec<usize>, Failure> {
        let mut matrix = zeros(self.restricted.len());
        self.restricted_hessian(z, &mut matrix)?;
        let values: Vec<f64> = matrix.iter().map(|v| v.value()).collect();
        let rows = cancelled_rows(&self.restricted, &values, CANCELLED).map_err(Failure::of)?;
        Ok(rows.into_iter().map(|row| self.leading(row)).collect())
    }

    /// The variable that stands for a vector of N: that with its largest entry.
    fn leading(&self, vector: usize) -> usize {
        let larger = |best: (usize, f64), (j, n): &(usize, S)| match n.value().abs() > best.1 {
            true => (*j, n.value().abs()),
            false => best,
        };
        self.vectors[vector].iter().fold((0, 0.0), larger).0
    }

    /// Whether a solution is one by itself: at a multiple one K is singular, and changes by as much as it is in the least
    /// change of the variables.
    pub fn is_isolated(&mut self, z: &[S]) -> Result<bool, Failure> {
        let (mut here, mut beside) = (zeros(self.restricted.len()), zeros(self.restricted.len()));
        self.restricted_hessian(z, &mut here)?;
        let numbers = |list: &[S]| -> Vec<f64> { list.iter().map(|v| v.value()).collect() };
        let mut solver = LinearSolver::new(&self.restricted).map_err(Failure::of)?;
        if solver.factor(&numbers(&here)).is_err() {
            return Ok(false);
        }
        let mut random = Random::default();
        let mut moved = z.to_vec();
        for (vector, &own) in self.vectors.iter().zip(&self.own) {
            let change = z[own] * S::from_f64(f64::EPSILON.sqrt() * random.signed());
            vector.iter().for_each(|&(j, n)| moved[j] = moved[j] + n * change);
        }
        self.restricted_hessian(&moved, &mut beside)?;
        Ok(departure(&mut solver, &numbers(&here), &numbers(&beside)) < ISOLATED)
    }

    /// Moves the part of a state in ker J to where Nᵀ∇H = 0, by Newton's method from where it is.
    pub fn settle(&mut self, z: &mut [S]) -> Result<(), Failure> {
        let all: Vec<usize> = (0..self.vectors.len()).collect();
        self.settle_along(&all, z)?;
        match self.violated(z, SETTLED)? {
            Some((k, residual, size)) => {
                let equation = Equation { kind: Kind::State, index: self.leading(k) };
                Err(Failure::Unsatisfied { equation, residual, explained: SETTLED * size })
            }
            None => Ok(()),
        }
    }

    /// The same along some of the vectors of N, with the equations that belong to them.
    pub fn settle_along(&mut self, chosen: &[usize], z: &mut [S]) -> Result<(), Failure> {
        let (pattern, places) = self.block(chosen)?;
        let mut workspace = NewtonWorkspace::new(&pattern).map_err(Failure::of)?;
        let options = NewtonOptions { max_halvings: 30, ..NewtonOptions::default() };
        let mut matrix = zeros(self.restricted.len());
        for _ in 0..BEGINNINGS {
            let sizes: Vec<S> = self.sizes(z)?.into_iter().map(S::from_f64).collect();
            // The unknowns are variables themselves, so that a change is compared with what it changes.
            let first: Vec<S> = chosen.iter().map(|&k| z[self.own[k]]).collect();
            let mut mu = first.clone();
            let (start, vectors) = (z.to_vec(), self.vectors.clone());
            let shifted = |mu: &[S]| {
                let mut z = start.clone();
                for ((&k, &m), &first) in chosen.iter().zip(mu).zip(&first) {
                    vectors[k].iter().for_each(|&(j, n)| z[j] = z[j] + n * (m - first));
                }
                z
            };
            let outcome = newton(&mut workspace, &options, &mut mu, |mu, r, out| {
                let z = shifted(mu);
                let all = self.residual(&z)?;
                r.iter_mut().zip(chosen).for_each(|(r, &k)| *r = all[k] / sizes[k]);
                self.restricted_hessian(&z, &mut matrix)?;
                for (out, &(row, place)) in out.iter_mut().zip(&places) {
                    *out = matrix[place] / sizes[row];
                }
                Ok(())
            });
            outcome.map_err(|e: NewtonError<Failure>| match e.own() {
                Ok(error) => Failure::Newton { error: Box::new(error), equation: None },
                Err(failure) => failure,
            })?;
            let reached = shifted(&mu);
            z.copy_from_slice(&reached);
            let (residual, sizes) = (self.residual(z)?, self.sizes(z)?);
            if chosen.iter().all(|&k| residual[k].value().abs() <= SETTLED * sizes[k]) {
                break;
            }
        }
        Ok(())
    }

    /// One step of Newton's method along some of the vectors of N; whether there is one.
    pub fn advance_along(&mut self, chosen: &[usize], z: &mut [S]) -> Result<bool, Failure> {
        let (pattern, places) = self.block(chosen)?;
        let mut solver = LinearSolver::new(&pattern).map_err(Failure::of)?;
        let residual = self.residual(z)?;
        let mut matrix = zeros(self.restricted.len());
        self.restricted_hessian(z, &mut matrix)?;
        let values: Vec<S> = places.iter().map(|&(_, place)| matrix[place]).collect();
        let mut by: Vec<S> = chosen.iter().map(|&k| residual[k]).collect();
        if values.iter().any(|v| !v.is_finite()) || solver.factor(&values).is_err() {
            return Ok(false);
        }
        solver.solve(&mut by);
        if by.iter().any(|v| !v.is_finite()) {
            return Ok(false);
        }
        for (&k, &by) in chosen.iter().zip(&by) {
            self.vectors[k].iter().for_each(|&(j, n)| z[j] = z[j] - n * by);
        }
        Ok(true)
    }

    /// The block of K for some of the vectors: its pattern, and for each entry its row in K and its place there.
    fn block(&self, chosen: &[usize]) -> Result<(Pattern, Vec<(usize, usize)>), Failure> {
        let mut addresses = vec![];
        for (a, &row) in chosen.iter().enumerate() {
            for (b, &column) in chosen.iter().enumerate() {
                if let Some(place) = self.restricted.position(row, column) {
                    addresses.push(((a as u32, b as u32), (row, place)));
                }
            }
        }
        let list: Vec<(u32, u32)> = addresses.iter().map(|a| a.0).collect();
        let pattern = Pattern::new(chosen.len(), chosen.len(), &list).map_err(Failure::of)?;
        Ok((pattern, addresses.into_iter().map(|a| a.1).collect()))
    }
}

/// A pattern, and what adds to its entries: (entry, entry of another matrix, factor).
type Sums<S> = (Pattern, Vec<(usize, usize, S)>);

/// The pattern of (NᵀH_zz) N, and what adds to its entries.
fn restricted<S: Real>(product: &Pattern, rows: &[usize], vectors: &[Vec<(usize, S)>]) -> Result<Sums<S>, Failure> {
    // The vectors that move each variable.
    let mut movers: Vec<Vec<(usize, S)>> = vec![vec![]; product.columns()];
    for (k, vector) in vectors.iter().enumerate() {
        vector.iter().for_each(|&(j, n)| movers[j].push((k, n)));
    }
    let mut found = vec![];
    for (a, &row) in rows.iter().enumerate() {
        for (k, &j) in product.positions(row).zip(product.row(row)) {
            found.extend(movers[j as usize].iter().map(|&(b, n)| ((a as u32, b as u32), k, n)));
        }
    }
    let addresses: Vec<(u32, u32)> = found.iter().map(|f| f.0).collect();
    let pattern = Pattern::new(rows.len(), rows.len(), &addresses).map_err(Failure::of)?;
    let place = |(a, b): (u32, u32)| pattern.position(a as usize, b as usize).unwrap_or(0);
    let terms = found.into_iter().map(|(at, k, n)| (place(at), k, n)).collect();
    Ok((pattern, terms))
}

impl<P: Presymplectic<S>, S: Real> Field<S> for IndexOne<P, S> {
    fn dimension(&self) -> usize {
        self.gradient.len()
    }

    /// Its derivatives are asked for by implicit methods, which take the equations as they are.
    fn jacobian_pattern(&mut self) -> Result<Pattern, Failure> {
        Err(Misuse::OtherSystem.into())
    }

    fn rate(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        let IndexOne { system, kernel, form, basis, product, blocks, at, solver, hessian, products, matrix, .. } = self;
        system.gradient(z, out)?;
        let dependent = out.iter_mut().enumerate().filter(|(i, _)| kernel.is_dependent(*i));
        dependent.for_each(|(_, x)| *x = S::from_f64(0.0));
        system.hessian(z, hessian)?;
        product.evaluate(basis, hessian, products);
        clear(matrix);
        let one = S::from_f64(1.0);
        blocks.add(at[0], one, form, matrix);
        blocks.add(at[1], one, products, matrix);
        solver.factor(matrix).map_err(Failure::Singular)?;
        solver.solve(out);
        Ok(())
    }

    fn jacobian(&mut self, _: &[S], _: &mut [S]) -> Result<(), Failure> {
        self.jacobian_pattern().map(drop)
    }
}
