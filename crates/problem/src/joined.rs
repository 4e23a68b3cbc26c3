//! Named vectors as one.

use cotangent_compile::CompileError;
use cotangent_expr::{Array, Layout, Tensor};

/// Named vectors as one.
pub(crate) fn joined<'a>(parts: impl Iterator<Item = (&'a Array, &'a Tensor)>) -> Result<Tensor, CompileError> {
    let (arrays, tensors): (Vec<&Array>, Vec<&Tensor>) = parts.unzip();
    let layout = Layout::new(arrays.into_iter().cloned().collect());
    let terms = tensors.iter().flat_map(|t| t.terms().iter().cloned()).collect();
    Ok(Tensor::new(vec![layout], terms)?)
}
