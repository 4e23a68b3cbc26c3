//! Replacing loop variables, array elements, and families by their expanded form.

use crate::array::{Array, Definition};
use crate::digest::Digest;
use crate::domain::Domain;
use crate::error::Error;
use crate::expr::{Expr, Node};
use crate::index::Ix;
use crate::tensor::{Tensor, Term};
use std::collections::HashMap;

impl Expr {
    /// Rebuilds the expression bottom-up, each distinct leaf once: `leaf` gives the replacement of
    /// an array element or an index, or `None` to keep it.
    pub fn rewrite(&self, leaf: &mut dyn FnMut(&Expr) -> Option<Expr>) -> Expr {
        fn go(e: &Expr, leaf: &mut dyn FnMut(&Expr) -> Option<Expr>, done: &mut HashMap<Digest, Expr>) -> Expr {
            if let Some(r) = done.get(&e.digest()) {
                return r.clone();
            }
            let new = match e.node() {
                Node::Number(_) | Node::Pi | Node::Poison(_) => e.clone(),
                Node::Index(_) | Node::At(..) => leaf(e).unwrap_or_else(|| e.clone()),
                Node::Add(k, terms) => {
                    let terms: Vec<_> = terms.iter().map(|(c, t)| (*c, go(t, leaf, done))).collect();
                    Expr::linear(*k, terms)
                }
                Node::Mul(factors) => {
                    let factors: Vec<_> = factors.iter().map(|(b, k)| go(b, leaf, done).pow(*k)).collect();
                    Expr::product(factors)
                }
                Node::Call(f, args) => Expr::call(*f, args.iter().map(|a| go(a, leaf, done)).collect()),
            };
            done.insert(e.digest(), new.clone());
            new
        }
        go(self, leaf, &mut HashMap::new())
    }

    /// Replaces loop variable `v` by the index `by[v]`; further variables stay.
    pub fn instantiate(&self, by: &[Ix]) -> Expr {
        if self.free() == 0 || by.is_empty() {
            return self.clone();
        }
        self.rewrite(&mut |leaf| match leaf.node() {
            Node::Index(i) => Some(Expr::index(i.substitute(by))),
            Node::At(a, at) => Some(Expr::at(a, at.iter().map(|i| i.substitute(by)).collect())),
            _ => None,
        })
    }
}

impl Tensor {
    /// Replaces array elements inside the values (not inside definitions of arrays).
    pub fn rewrite(&self, leaf: &mut dyn FnMut(&Expr) -> Option<Expr>) -> Result<Tensor, Error> {
        let terms = self.terms().iter().map(|t| Term { value: t.value.rewrite(leaf), ..t.clone() }).collect();
        Tensor::new(self.shape().to_vec(), terms)
    }

    /// Replaces array elements everywhere, also inside the definitions of other arrays, each of
    /// which is rewritten once. `leaf` gives the replacement of an element; `None` keeps the element
    /// and rewrites the definition of its array. Inside the equations of a root its unknown is bound
    /// and stays.
    pub fn rewrite_deep(&self, leaf: &mut dyn FnMut(&Expr) -> Option<Expr>) -> Result<Tensor, Error> {
        Deep { leaf, bound: vec![], done: HashMap::new() }.tensor(self)
    }

    /// Replaces one array by another of the same dimensions everywhere; the definition of the other
    /// stays as it is.
    pub(crate) fn replace(&self, from: &Array, to: &Array) -> Result<Tensor, Error> {
        self.rewrite_deep(&mut |leaf| match leaf.node() {
            Node::At(a, index) if a == from => Some(Expr::at(to, index.clone())),
            Node::At(a, _) if a == to => Some(leaf.clone()),
            _ => None,
        })
    }

    /// The reference form without loop variables: every point a term of its own, defined arrays
    /// replaced by their values.
    pub fn expand(&self) -> Result<Tensor, Error> {
        let mut memo = Expansion::default();
        memo.tensor(self)
    }
}

struct Deep<'a> {
    leaf: &'a mut dyn FnMut(&Expr) -> Option<Expr>,
    /// The unknowns of the roots around.
    bound: Vec<Digest>,
    /// By array and those of its unknowns that are bound around it.
    done: HashMap<(Digest, Vec<Digest>), Array>,
}

impl Deep<'_> {
    fn tensor(&mut self, t: &Tensor) -> Result<Tensor, Error> {
        let mut failed = None;
        let new = t.rewrite(&mut |leaf| {
            let Node::At(array, index) = leaf.node() else { return None };
            if self.bound.contains(&array.digest()) {
                return Some(leaf.clone());
            }
            if let Some(new) = (self.leaf)(leaf) {
                return Some(new);
            }
            match self.array(array) {
                Ok(new) => Some(Expr::at(&new, index.clone())),
                Err(e) => {
                    failed = Some(e);
                    None
                }
            }
        })?;
        failed.map_or(Ok(new), Err)
    }

    fn array(&mut self, array: &Array) -> Result<Array, Error> {
        // Inside a root the answer depends on its unknown, for arrays that do.
        let own = array.unknowns().iter().copied().filter(|u| self.bound.contains(u)).collect();
        let key = (array.digest(), own);
        if let Some(known) = self.done.get(&key) {
            return Ok(known.clone());
        }
        let depth = self.bound.len();
        if let Definition::Root { unknown, .. } = array.definition() {
            self.bound.push(unknown.digest());
        }
        // In the order of `Definition::tensors`, less the Jacobian of a root, which follows.
        let old: Vec<&Tensor> = match array.definition() {
            Definition::Root { residual, start, .. } => vec![residual, start],
            other => other.tensors(),
        };
        let new: Result<Vec<Tensor>, Error> = old.iter().map(|t| self.tensor(t)).collect();
        self.bound.truncate(depth);
        let new = new?;
        let name = array.name();
        let new = match (array.definition(), new.as_slice()) {
            // What does not change stays the same array.
            _ if old.iter().zip(&new).all(|(a, b)| *a == b) => array.clone(),
            (Definition::Defined(_), [t]) => Array::defined(name, array.dims().to_vec(), t.clone()),
            (Definition::Solved { transposed, .. }, [matrix, rhs]) => {
                Array::solved(name, matrix.clone(), rhs.clone(), *transposed).derived(array)
            }
            (Definition::Root { unknown, .. }, [residual, start]) => {
                Array::root(name, unknown.clone(), residual.clone(), start.clone())?
            }
            _ => array.clone(),
        };
        self.done.insert(key, new.clone());
        Ok(new)
    }
}

#[derive(Default)]
struct Expansion {
    /// Entries of defined arrays.
    values: HashMap<Digest, Vec<Expr>>,
    /// Solved and root arrays with expanded definitions.
    arrays: HashMap<Digest, Array>,
    points: u64,
}

impl Expansion {
    fn tensor(&mut self, t: &Tensor) -> Result<Tensor, Error> {
        self.points += t.count_points("expanding a family")?;
        if self.points > crate::error::MAX_POINTS {
            return Err(Error::TooLarge {
                what: "expanding a family",
                limit: crate::error::MAX_POINTS,
                unit: "points",
            });
        }
        let mut terms = vec![];
        let mut failed = None;
        for term in t.terms() {
            term.domain.for_each(&mut |vars| {
                let by: Vec<Ix> = vars.iter().map(|&v| Ix::constant(v)).collect();
                match self.value(&term.value.instantiate(&by)) {
                    Ok(value) => {
                        let at = term.at.iter().map(|p| p.substitute(&by)).collect();
                        terms.push(Term { domain: Domain::point(), at, value });
                    }
                    Err(e) => failed = Some(e),
                }
                failed.is_none()
            });
        }
        failed.map_or_else(|| Tensor::new(t.shape().to_vec(), terms), Err)
    }

    fn value(&mut self, e: &Expr) -> Result<Expr, Error> {
        let mut failed = None;
        let new = e.rewrite(&mut |leaf| {
            let Node::At(array, index) = leaf.node() else { return None };
            match self.element(array, index) {
                Ok(new) => new,
                Err(e) => {
                    failed = Some(e);
                    None
                }
            }
        });
        failed.map_or(Ok(new), Err)
    }

    fn element(&mut self, array: &Array, index: &[Ix]) -> Result<Option<Expr>, Error> {
        match array.definition() {
            Definition::Given => Ok(None),
            Definition::Defined(t) => {
                if !self.values.contains_key(&array.digest()) {
                    let entries = self.tensor(t)?.entries();
                    self.values.insert(array.digest(), entries);
                }
                let flat = array.flat_index(index).as_constant().and_then(|k| usize::try_from(k).ok());
                Ok(flat.and_then(|k| self.values[&array.digest()].get(k).cloned()))
            }
            Definition::Solved { matrix, rhs, transposed } => {
                if !self.arrays.contains_key(&array.digest()) {
                    let (matrix, rhs) = (self.tensor(matrix)?, self.tensor(rhs)?);
                    let new = Array::solved(array.name(), matrix, rhs, *transposed).derived(array);
                    self.arrays.insert(array.digest(), new);
                }
                Ok(Some(Expr::at(&self.arrays[&array.digest()], index.to_vec())))
            }
            Definition::Root { unknown, residual, start, .. } => {
                if !self.arrays.contains_key(&array.digest()) {
                    let (residual, start) = (self.tensor(residual)?, self.tensor(start)?);
                    let new = Array::root(array.name(), unknown.clone(), residual, start)?;
                    self.arrays.insert(array.digest(), new);
                }
                Ok(Some(Expr::at(&self.arrays[&array.digest()], index.to_vec())))
            }
        }
    }
}
