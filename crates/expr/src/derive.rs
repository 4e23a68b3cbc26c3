//! Derivatives of tensors: gradients in reverse, Jacobians forward, through defined arrays,
//! linear solves and roots.
//!
//! Both are array operations: a family's derivative is again a family. Linear solves and roots are
//! differentiated implicitly; the solves this adds have the matrix of the original one, so that one
//! factorisation serves the value and all its derivatives.

use crate::array::{Array, Definition};
use crate::compose::{Partners, compose};
use crate::digest::Digest;
use crate::domain::{Domain, Range};
use crate::error::Error;
use crate::expr::{Expr, Node};
use crate::index::Ix;
use crate::layout::Layout;
use crate::partials::{Budget, partials};
use crate::tensor::{Place, Tensor, Term, rows};
use cotangent_scalar::Limits;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

impl Tensor {
    /// The gradient of a scalar by the entries of `by`: a vector.
    ///
    /// Reverse mode: one sweep from the scalar back through the arrays it depends on.
    pub fn gradient(&self, by: &Layout) -> Result<Tensor, Error> {
        self.gradient_within(by, &Limits::default())
    }

    /// The same within limits.
    pub fn gradient_within(&self, by: &Layout, limits: &Limits) -> Result<Tensor, Error> {
        if self.rank() != 0 {
            return Err(Error::Rank { what: "a gradient", expected: 0, found: self.rank() });
        }
        let mut sweep = Reverse { budget: Budget::within(limits), adjoints: HashMap::new() };
        for t in self.terms() {
            sweep.spread(t, Expr::one())?;
        }
        for array in dependencies(self).into_iter().rev() {
            sweep.pass_through(&array)?;
        }
        let mut terms = vec![];
        for array in by.arrays() {
            terms.extend(sweep.adjoints.remove(&array.digest()).unwrap_or_default());
        }
        at_roots(Tensor::unchecked(vec![by.clone()], terms), self)
    }

    /// The derivatives of all entries by the entries of `by`: a tensor of one rank more.
    pub fn jacobian(&self, by: &Layout) -> Result<Tensor, Error> {
        self.jacobian_within(by, &Limits::default())
    }

    /// The same within limits.
    pub fn jacobian_within(&self, by: &Layout, limits: &Limits) -> Result<Tensor, Error> {
        let budget = Budget::within(limits);
        let mut forward = Forward { by, budget, done: HashMap::new(), depends: HashMap::new() };
        let terms = forward.terms(self)?;
        let mut shape = self.shape().to_vec();
        shape.push(by.clone());
        at_roots(Tensor::unchecked(shape, terms), self)
    }

    /// The matrix of second derivatives of a scalar.
    pub fn hessian(&self, by: &Layout) -> Result<Tensor, Error> {
        self.hessian_within(by, &Limits::default())
    }

    /// The same within limits.
    pub fn hessian_within(&self, by: &Layout, limits: &Limits) -> Result<Tensor, Error> {
        self.gradient_within(by, limits)?.jacobian_within(by, limits)
    }
}

impl Tensor {
    /// Whether an entry of a layout occurs, also in what defines other arrays.
    pub fn depends_on(&self, layout: &Layout) -> bool {
        let inner = dependencies(self);
        let tensors = std::iter::once(self).chain(inner.iter().flat_map(|a| a.definition().tensors()));
        let is_entry = |leaf: &Expr| matches!(leaf.node(), Node::At(a, _) if layout.offset(a).is_some());
        tensors.flat_map(Tensor::terms).any(|t| t.value.leaves().iter().any(is_entry))
    }

    /// All arrays that occur, also in what defines others.
    pub fn occurring(&self) -> HashSet<Array> {
        let inner = dependencies(self);
        let tensors = std::iter::once(self).chain(inner.iter().flat_map(|a| a.definition().tensors()));
        let leaves = tensors.flat_map(Tensor::terms).flat_map(|t| t.value.leaves());
        leaves.filter_map(|leaf| Place::of(&leaf).map(|place| place.array)).collect()
    }
}

impl Expr {
    /// Each distinct array element of the expression, with the derivative by it.
    pub fn partials(&self) -> Result<Vec<(Expr, Expr)>, Error> {
        partials(self, &mut Budget::default())
    }

    /// The derivative by one array element.
    pub fn derivative(&self, by: &Expr) -> Result<Expr, Error> {
        let found = partials(self, &mut Budget::default())?;
        Ok(found.into_iter().find(|(leaf, _)| leaf == by).map_or_else(Expr::zero, |(_, d)| d))
    }
}

/// The arrays a tensor depends on that are not given, each after those it depends on itself.
pub fn dependencies(t: &Tensor) -> Vec<Array> {
    fn tensor(t: &Tensor, seen: &mut HashSet<Digest>, out: &mut Vec<Array>) {
        for term in t.terms() {
            for leaf in term.value.leaves() {
                if let Node::At(a, _) = leaf.node() {
                    array(a, seen, out);
                }
            }
        }
    }
    fn array(a: &Array, seen: &mut HashSet<Digest>, out: &mut Vec<Array>) {
        if a.is_given() || !seen.insert(a.digest()) {
            return;
        }
        a.definition().tensors().into_iter().for_each(|t| tensor(t, seen, out));
        out.push(a.clone());
    }
    let mut out = vec![];
    tensor(t, &mut HashSet::new(), &mut out);
    out
}

struct Reverse {
    budget: Budget,
    /// For each array, the terms that add up to its adjoint.
    adjoints: HashMap<Digest, Vec<Term>>,
}

impl Reverse {
    /// Adds weight·∂value/∂leaf of one term to the adjoint of each leaf.
    fn spread(&mut self, term: &Term, weight: Expr) -> Result<(), Error> {
        for (leaf, slope) in partials(&term.value, &mut self.budget)? {
            let Some(place) = Place::of(&leaf) else { continue };
            let value = &weight * slope;
            if let Some(p) = value.poisoned() {
                return Err(p.into());
            }
            let key = place.array.digest();
            self.adjoints.entry(key).or_default().push(Term { domain: term.domain.clone(), at: vec![place], value });
        }
        Ok(())
    }

    /// Passes the adjoint of an array on to what defines it.
    fn pass_through(&mut self, array: &Array) -> Result<(), Error> {
        let Some(terms) = self.adjoints.remove(&array.digest()) else { return Ok(()) };
        let adjoint = Tensor::unchecked(vec![Layout::new(vec![array.clone()])], terms);
        if adjoint.is_zero() {
            return Ok(());
        }
        match array.definition() {
            Definition::Given => {}
            Definition::Defined(t) => {
                let weight = weights(array, adjoint);
                for term in t.terms() {
                    self.spread(term, weight(&term.at[0].index))?;
                }
            }
            Definition::Solved { matrix, rhs, transposed } => {
                // A x = b: b̄ = A⁻ᵀ x̄ and Ā = −b̄ xᵀ.
                let name = format!("{}_adjoint", array.name());
                let bar =
                    Array::solved(&name, matrix.clone(), adjoint.reshaped(rhs.shape()), !transposed).derived(array);
                for term in rhs.terms() {
                    let index = term.at.iter().flat_map(|p| p.index.iter().cloned()).collect();
                    self.spread(term, Expr::at(&bar, index))?;
                }
                let columns = &rhs.shape()[1..];
                for term in matrix.terms() {
                    let (row, column) = (&term.at[0].index, &term.at[1].index);
                    let (b, x) = if *transposed { (column, row) } else { (row, column) };
                    // One term for each right-hand side: loop over its columns as well.
                    let (term, extra) = with_columns(term, columns)?;
                    let (b, x) = (b.iter().chain(&extra), x.iter().chain(&extra));
                    let weight = Expr::at(&bar, b.cloned().collect()) * Expr::at(array, x.cloned().collect());
                    self.spread(&term, -weight)?;
                }
            }
            Definition::Root { residual, jacobian, .. } => {
                // r(u, z) = 0: z̄ = −r_zᵀ w with r_uᵀ w = ū.
                // The unknown stands for u here and is a constant of the sweep.
                let name = format!("{}_adjoint", array.name());
                let w = Array::solved(&name, jacobian.clone(), adjoint.reshaped(residual.shape()), true).derived(array);
                for term in residual.terms() {
                    self.spread(term, -Expr::at(&w, term.at[0].index.clone()))?;
                }
            }
        }
        Ok(())
    }
}

/// The adjoint of a defined array as a function of the index: the formula itself for a scalar
/// with a plain adjoint, otherwise an element of a new defined array.
fn weights(array: &Array, adjoint: Tensor) -> impl Fn(&[Ix]) -> Expr {
    let plain = match adjoint.terms() {
        [t] if t.domain.is_point() && array.dims().is_empty() => Some(t.value.clone()),
        _ => None,
    };
    let bar = Array::defined(&format!("{}_adjoint", array.name()), array.dims().to_vec(), adjoint);
    move |index| plain.clone().unwrap_or_else(|| Expr::at(&bar, index.to_vec()))
}

/// Puts each root in the place of the unknown that stands for it in its own derivatives.
fn at_roots(mut derivative: Tensor, of: &Tensor) -> Result<Tensor, Error> {
    for root in dependencies(of) {
        if let Definition::Root { unknown, .. } = root.definition() {
            derivative = derivative.replace(unknown, &root)?;
        }
    }
    match derivative.terms().iter().find_map(|t| t.value.poisoned()) {
        Some(reason) => Err(reason.into()),
        None => Ok(derivative),
    }
}

/// Extends a term's domain by loops over the entries of the given slots; returns their indices.
fn with_columns(term: &Term, slots: &[Layout]) -> Result<(Term, Vec<Ix>), Error> {
    let dims: Vec<_> = slots.iter().flat_map(|l| l.flat_dims()).collect();
    if dims.is_empty() {
        return Ok((term.clone(), vec![]));
    }
    let arity = term.domain.arity();
    let ranges = dims.iter().enumerate().map(|(k, d)| Range {
        name: format!("c{k}").into(),
        low: Ix::constant(d.first),
        high: Ix::constant(d.last()),
    });
    let domain = crate::compose::product(&term.domain, ranges.collect())?;
    let extra = (0..dims.len()).map(|k| Ix::var((arity + k) as u8)).collect();
    Ok((Term { domain, ..term.clone() }, extra))
}

impl Tensor {
    /// The same entries read as a tensor of another shape with the same index lists.
    fn reshaped(&self, shape: &[Layout]) -> Tensor {
        let terms = self.terms().iter().map(|t| {
            let mut index = t.at.iter().flat_map(|p| p.index.iter().cloned());
            let at = shape
                .iter()
                .filter_map(|l| l.arrays().first())
                .map(|a| Place { array: a.clone(), index: index.by_ref().take(a.dims().len()).collect() });
            Term { at: at.collect(), ..t.clone() }
        });
        Tensor::unchecked(shape.to_vec(), terms.collect())
    }
}

struct Forward<'a> {
    by: &'a Layout,
    budget: Budget,
    /// ∂array/∂by for each array met.
    done: HashMap<Digest, Rc<Partners>>,
    /// Whether an array depends on `by`.
    depends: HashMap<Digest, bool>,
}

impl Forward<'_> {
    fn terms(&mut self, t: &Tensor) -> Result<Vec<Term>, Error> {
        let mut out = vec![];
        for term in t.terms() {
            for (leaf, slope) in partials(&term.value, &mut self.budget)? {
                let Some(place) = Place::of(&leaf) else { continue };
                if let Some(p) = slope.poisoned() {
                    return Err(p.into());
                }
                if self.by.offset(&place.array).is_some() {
                    let at = term.at.iter().cloned().chain([place]).collect();
                    out.push(Term { domain: term.domain.clone(), at, value: slope });
                } else if self.depends(&place.array) {
                    let inner = self.array(&place.array)?;
                    let outer = Term { value: slope, ..term.clone() };
                    out.extend(compose(&outer, &place.index, &inner, &mut self.budget)?);
                }
            }
        }
        Ok(out)
    }

    fn depends(&mut self, array: &Array) -> bool {
        if let Some(&known) = self.depends.get(&array.digest()) {
            return known;
        }
        let tensors = array.definition().tensors();
        let leaves: Vec<Array> = tensors
            .iter()
            .flat_map(|t| t.terms())
            .flat_map(|t| t.value.leaves())
            .filter_map(|l| Place::of(&l).map(|p| p.array))
            .collect();
        let known = leaves.iter().any(|a| self.by.offset(a).is_some() || self.depends(a));
        self.depends.insert(array.digest(), known);
        known
    }

    /// ∂array/∂by: slot 0 the array, slot 1 `by`.
    fn array(&mut self, array: &Array) -> Result<Rc<Partners>, Error> {
        if let Some(t) = self.done.get(&array.digest()) {
            return Ok(t.clone());
        }
        let terms = match array.definition() {
            Definition::Given => vec![],
            Definition::Defined(t) => {
                let own_place = |term: Term| {
                    let mut at = term.at;
                    at[0] = Place { array: array.clone(), index: at[0].index.clone() };
                    Term { at, ..term }
                };
                self.terms(t)?.into_iter().map(own_place).collect()
            }
            Definition::Solved { matrix, rhs, transposed } => {
                // A dx = db − dA x
                let mut right = self.terms(rhs)?;
                let columns = &rhs.shape()[1..];
                for term in self.terms(matrix)? {
                    let (row, column) = (term.at[0].clone(), term.at[1].clone());
                    let (to, x) = if *transposed { (column, row) } else { (row, column) };
                    let by = term.at[2].clone();
                    let (term, extra) = with_columns(&term, columns)?;
                    let x = x.index.iter().chain(&extra).cloned().collect();
                    let mut at = vec![Place { array: rhs.shape()[0].arrays()[0].clone(), index: to.index }];
                    let mut extra = extra.into_iter();
                    for l in columns {
                        let a = &l.arrays()[0];
                        at.push(Place { array: a.clone(), index: extra.by_ref().take(a.dims().len()).collect() });
                    }
                    at.push(by);
                    right.push(Term { at, value: -(term.value.clone() * Expr::at(array, x)), ..term });
                }
                self.solve_columns(array, matrix, rhs.shape(), right, *transposed)
            }
            Definition::Root { residual, jacobian, .. } => {
                // r_u du = −r_z dz
                let mut right = self.terms(residual)?;
                for t in &mut right {
                    t.value = -t.value.clone();
                }
                self.solve_columns(array, jacobian, residual.shape(), right, false)
            }
        };
        // Terms of the same place and domain are one.
        let own = Layout::new(vec![array.clone()]);
        let terms = Tensor::unchecked(vec![own, self.by.clone()], terms).terms().to_vec();
        let result = Rc::new(Partners::new(terms));
        self.done.insert(array.digest(), result.clone());
        Ok(result)
    }

    /// Terms of A⁻¹·right, one multi-column solve for each array of `by`.
    fn solve_columns(
        &self,
        array: &Array,
        matrix: &Tensor,
        shape: &[Layout],
        right: Vec<Term>,
        transposed: bool,
    ) -> Vec<Term> {
        let mut out = vec![];
        for by in self.by.arrays() {
            let own: Vec<Term> =
                right.iter().filter(|t| t.at.last().is_some_and(|p| &p.array == by)).cloned().collect();
            let mut full = shape.to_vec();
            full.push(Layout::new(vec![by.clone()]));
            let rhs = Tensor::unchecked(full, own);
            if rhs.is_zero() {
                continue;
            }
            let name = format!("d{}_d{}", array.name(), by.name());
            let solution = Array::solved(&name, matrix.clone(), rhs, transposed).derived(array);
            // Every entry of the solution: loops over the array's own dimensions and those of `by`.
            let dims = array.dims().iter().chain(by.dims());
            let ranges: Vec<Range> = dims
                .enumerate()
                .map(|(k, d)| Range {
                    name: format!("c{k}").into(),
                    low: Ix::constant(d.first),
                    high: Ix::constant(d.last()),
                })
                .collect();
            let vars: Vec<Ix> = (0..ranges.len()).map(|k| Ix::var(k as u8)).collect();
            let (own, other) = vars.split_at(array.dims().len());
            let at = vec![
                Place { array: array.clone(), index: own.to_vec() },
                Place { array: by.clone(), index: other.to_vec() },
            ];
            out.push(Term { domain: Domain::Ranges(ranges), at, value: Expr::at(&solution, vars.clone()) });
        }
        out
    }
}

/// The solution x of A x = b for tensors of any layout: an array over `0..N`, N the number of rows.
///
/// A right-hand side of higher rank holds several: its further slots are columns, and x has their
/// flat dimensions after its own. A singular matrix is reported when a compiled function is called,
/// except for a single equation, whose solution is the quotient b/a and then not finite.
pub fn solve(name: &str, matrix: &Tensor, rhs: &Tensor) -> Result<Array, Error> {
    solved(name, matrix, rhs, false)
}

/// The solution x of Aᵀx = b: see [`solve`].
pub fn solve_transposed(name: &str, matrix: &Tensor, rhs: &Tensor) -> Result<Array, Error> {
    solved(name, matrix, rhs, true)
}

fn solved(name: &str, matrix: &Tensor, rhs: &Tensor, transposed: bool) -> Result<Array, Error> {
    if matrix.rank() != 2 {
        return Err(Error::Rank { what: "the matrix of a linear solve", expected: 2, found: matrix.rank() });
    }
    if rhs.rank() == 0 {
        return Err(Error::Rank { what: "the right-hand side of a linear solve", expected: 1, found: 0 });
    }
    let (matrix, rhs) = (matrix.flattened(name)?, rhs.flattened(name)?);
    let n = rhs.shape()[0].len();
    if matrix.shape().iter().any(|l| l.len() != n) {
        return Err(Error::Misplaced { array: rows(name, n).name().into(), slot: 0 });
    }
    Ok(Array::solved(name, matrix, rhs, transposed))
}
