//! Tensors as functions of what they read, to be evaluated with many values or once.

use crate::error::{CallError, CompileError};
use crate::function::{Engine, Function, FunctionBuilder};
use crate::lower::Storage;
use cotangent_expr::{Array, Digest, Expr, Layout, Node, Tensor, dependencies};
use cotangent_scalar::Limits;
use cotangent_solve::Pattern;
use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// A tensor on the tape. Only the arrays it reads are its inputs, so that the cost is that of the tensor, however
/// many parameters a model has.
pub struct Evaluator {
    f: Function,
    /// Where each vector that it is given has what it reads.
    reads: Vec<Vec<Range<usize>>>,
    /// The values of what reads nothing.
    constant: Option<Vec<f64>>,
}

impl Evaluator {
    /// A tensor as a function of vectors with these layouts, every entry of it.
    pub fn new(tensor: &Tensor, inputs: &[&Layout], limits: &Limits) -> Result<Evaluator, CompileError> {
        Evaluator::stored(tensor, Storage::Dense, inputs, limits)
    }

    /// A matrix as a function of vectors with these layouts, the entries of its [`pattern`](Evaluator::pattern).
    pub fn sparse(matrix: &Tensor, inputs: &[&Layout], limits: &Limits) -> Result<Evaluator, CompileError> {
        Evaluator::stored(matrix, Storage::Sparse, inputs, limits)
    }

    fn stored(
        tensor: &Tensor,
        storage: Storage,
        inputs: &[&Layout],
        limits: &Limits,
    ) -> Result<Evaluator, CompileError> {
        let read = read_by(tensor);
        let mut builder = FunctionBuilder::new();
        let mut reads = vec![];
        for layout in inputs {
            let mut own: Vec<(usize, &Array)> = read.values().filter_map(|a| Some((layout.offset(a)?, a))).collect();
            own.sort_by_key(|(start, _)| *start);
            reads.push(own.iter().map(|(start, a)| *start..start + a.len()).collect());
            builder = builder.input(&Layout::new(own.into_iter().map(|(_, a)| a.clone()).collect()));
        }
        let builder = match storage {
            Storage::Dense => builder.output(tensor),
            Storage::Sparse => builder.sparse_output(tensor),
        };
        let mut evaluator =
            Evaluator { f: builder.engine(Engine::Tape).within(limits).compile()?, reads, constant: None };
        if evaluator.reads.iter().all(Vec::is_empty) {
            evaluator.constant = evaluator.call(&vec![&[][..]; inputs.len()]).ok();
        }
        Ok(evaluator)
    }

    /// The entries of a matrix that are not identically zero.
    pub fn pattern(&self) -> Option<&Pattern> {
        self.f.pattern(0)
    }

    /// The values.
    pub fn call(&self, inputs: &[&[f64]]) -> Result<Vec<f64>, CallError> {
        if let Some(constant) = &self.constant {
            return Ok(constant.clone());
        }
        let mut out = vec![0.0; self.f.program().outputs[0]];
        let read = |(all, ranges): (&&[f64], &Vec<Range<usize>>)| -> Vec<f64> {
            ranges.iter().flat_map(|r| &all[r.clone()]).copied().collect()
        };
        let values: Vec<Vec<f64>> = inputs.iter().zip(&self.reads).map(read).collect();
        let values: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
        self.f.call(&values, &mut [&mut out], &mut self.f.workspace())?;
        Ok(out)
    }
}

/// The given arrays that a tensor reads, also through what defines others.
fn read_by(tensor: &Tensor) -> HashMap<Digest, Array> {
    let inner = dependencies(tensor);
    let tensors = std::iter::once(tensor).chain(inner.iter().flat_map(|a| a.definition().tensors()));
    let leaves = tensors.flat_map(Tensor::terms).flat_map(|t| t.value.leaves());
    let given = |leaf: Expr| match leaf.node() {
        Node::At(a, _) if a.is_given() => Some((a.digest(), a.clone())),
        _ => None,
    };
    leaves.filter_map(given).collect()
}

/// Things that are compiled when they are first asked for, and then kept.
pub(crate) struct Memo<K, T>(Mutex<HashMap<K, Arc<T>>>);

impl<K, T> Default for Memo<K, T> {
    fn default() -> Self {
        Memo(Mutex::default())
    }
}

impl<K: Eq + Hash, T> Memo<K, T> {
    /// What is known by a key, or is made now.
    pub(crate) fn get<E>(&self, key: K, make: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        // A thread that panicked has left the map as it was.
        let known = |key: &K| self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned();
        if let Some(found) = known(&key) {
            return Ok(found);
        }
        // Made outside of the lock: two threads may both do it, and the first one stays.
        let made = Arc::new(make()?);
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_insert(made).clone())
    }
}
