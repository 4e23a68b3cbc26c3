//! How large the terms of an expression are: what its rounding errors are relative to.
//!
//! The magnitude |e|₊ of an expression bounds, to first order and in units of the last place, what the
//! rounding of its inputs and of every operation can change it by. By the chain rule
//!
//! ```text
//! |x|₊ = |x|,   |c + Σ cᵢ eᵢ|₊ = |c| + Σ |cᵢ| |eᵢ|₊,   |Π bᵢ^kᵢ|₊ = Σᵢ |kᵢ| |bᵢ|₊ |bᵢ|^(kᵢ−1) Πⱼ≠ᵢ |bⱼ|^kⱼ,
//! |f(e)|₊ = |f′(e)| |e|₊ + |f(e)|       (and + |Π| where an exponent is no integer)
//! ```
//!
//! So (x − 1)² at x = 1 + 1e-8 has the magnitude 4e-8, though its value is 1e-16: whatever the units and
//! wherever the origin, a value that is no larger than some units of its magnitude cannot be told from zero.
//! (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 3.3: running error analysis.)

use crate::array::{Array, Definition};
use crate::digest::Digest;
use crate::domain::{Domain, Range};
use crate::error::Error;
use crate::expr::{Expr, Node};
use crate::function::Function;
use crate::index::{Dim, Ix};
use crate::number::Number;
use crate::partials::call_partial;
use crate::tensor::{Tensor, Term};
use std::collections::HashMap;

impl Tensor {
    /// The magnitude of each entry. That of the solution of linear equations is its size; that of an unknown of a root is the
    /// size of all of them together: where one is zero, it is what rounding in the equations of the others makes of it.
    pub fn magnitude(&self) -> Result<Tensor, Error> {
        Magnitudes::default().tensor(self)
    }

    /// The sum of the sizes of the terms of each entry, as they are written.
    pub fn term_sizes(&self) -> Result<Tensor, Error> {
        let sizes = |e: &Expr| match e.node() {
            Node::Add(constant, terms) => Expr::linear(constant.abs(), terms.iter().map(|(c, t)| (c.abs(), abs(t)))),
            _ => abs(e),
        };
        let terms = self.terms().iter().map(|t| Term { value: sizes(&t.value), ..t.clone() }).collect();
        Tensor::new(self.shape().to_vec(), terms)
    }
}

/// Magnitudes found so far, so that shared parts are visited once.
#[derive(Default)]
struct Magnitudes {
    expressions: HashMap<Digest, Expr>,
    arrays: HashMap<Digest, Array>,
}

impl Magnitudes {
    fn tensor(&mut self, t: &Tensor) -> Result<Tensor, Error> {
        let one = |term: &Term| Ok(Term { value: self.expression(&term.value)?, ..term.clone() });
        let terms = t.terms().iter().map(one).collect::<Result<_, Error>>()?;
        Tensor::new(t.shape().to_vec(), terms)
    }

    fn array(&mut self, array: &Array, values: &Tensor) -> Result<Array, Error> {
        if let Some(known) = self.arrays.get(&array.digest()) {
            return Ok(known.clone());
        }
        let magnitude =
            Array::defined(&format!("{}_magnitude", array.name()), array.dims().to_vec(), self.tensor(values)?);
        self.arrays.insert(array.digest(), magnitude.clone());
        Ok(magnitude)
    }

    /// Σ |xⱼ| of a solution x.
    fn size(&mut self, array: &Array) -> Result<Array, Error> {
        if let Some(known) = self.arrays.get(&array.digest()) {
            return Ok(known.clone());
        }
        let range = |(v, dim): (u8, &Dim)| {
            (
                Ix::var(v),
                Range { name: format!("i{v}").into(), low: Ix::constant(dim.first), high: Ix::constant(dim.last()) },
            )
        };
        let (index, ranges): (Vec<Ix>, Vec<Range>) = (0..).zip(array.dims()).map(range).unzip();
        let term = Term { domain: Domain::Ranges(ranges), at: vec![], value: abs(&Expr::at(array, index)) };
        let size = Array::defined(&format!("{}_size", array.name()), vec![], Tensor::new(vec![], vec![term])?);
        self.arrays.insert(array.digest(), size.clone());
        Ok(size)
    }

    fn expression(&mut self, e: &Expr) -> Result<Expr, Error> {
        if let Some(known) = self.expressions.get(&e.digest()) {
            return Ok(known.clone());
        }
        let found = match e.node() {
            Node::Number(_) | Node::Pi | Node::Index(_) => abs(e),
            Node::Poison(p) => return Err((*p).into()),
            Node::At(array, index) => match array.definition() {
                Definition::Defined(values) => Expr::at(&self.array(array, values)?, index.clone()),
                Definition::Root { .. } => Expr::from(&self.size(array)?),
                _ => abs(e),
            },
            Node::Add(constant, terms) => {
                let mut sizes = vec![];
                for (c, t) in terms {
                    sizes.push((c.abs(), self.expression(t)?));
                }
                Expr::linear(constant.abs(), sizes)
            }
            Node::Mul(factors) => {
                let mut parts = vec![];
                for (i, (base, k)) in factors.iter().enumerate() {
                    let others = factors.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, (b, k))| abs(b).pow(*k));
                    let share = self.expression(base)? * abs(base).pow(*k + Number::MINUS_ONE);
                    parts.push(others.fold(share, |product, b| product * b).scale(k.abs()));
                }
                // The power is rounded itself, however small its exponent.
                let fractional = factors.iter().any(|(_, k)| !k.is_integer());
                parts.extend(fractional.then(|| abs(e)));
                Expr::sum(parts)
            }
            Node::Call(f, args) => {
                let mut parts = vec![abs(e)];
                for (k, argument) in args.iter().enumerate() {
                    parts.push(abs(&call_partial(*f, args, k, e)) * self.expression(argument)?);
                }
                Expr::sum(parts)
            }
        };
        self.expressions.insert(e.digest(), found.clone());
        Ok(found)
    }
}

fn abs(e: &Expr) -> Expr {
    Expr::call(Function::Abs, vec![e.clone()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, Role};

    fn magnitude(e: &Expr) -> String {
        Tensor::scalar(e.clone()).and_then(|t| t.magnitude()).unwrap().as_scalar().unwrap().to_string()
    }

    fn variables() -> (Expr, Expr) {
        let of = |name| Expr::from(&Array::scalar(name, Role::Coordinate));
        (of("x"), of("y"))
    }

    #[test]
    fn terms_that_cancel_count_with_their_sizes() {
        let (x, y) = variables();
        assert_eq!(magnitude(&(&x - &y)), "abs(x) + abs(y)");
        assert_eq!(magnitude(&(1 - Expr::call(Function::Cos, vec![y]))), "abs(y)*abs(sin(y)) + abs(cos(y)) + 1");
    }

    #[test]
    fn a_square_is_as_uncertain_as_its_root_allows() {
        // d(x − 1)² = 2 (x − 1) dx, and dx is a unit of |x| + 1.
        let (x, _) = variables();
        assert_eq!(magnitude(&(&x - 1).powi(2)), "2*abs(x - 1)*(abs(x) + 1)");
    }

    #[test]
    fn a_root_is_rounded_itself() {
        let (x, _) = variables();
        assert_eq!(magnitude(&x.pow(Number::HALF)), "sqrt(abs(x))/2 + abs(sqrt(x))");
    }

    #[test]
    fn the_sizes_of_terms_are_those_that_are_written() {
        let (x, y) = variables();
        let sizes = Tensor::scalar(x.powi(12) - 3 * y).and_then(|t| t.term_sizes()).unwrap();
        assert_eq!(sizes.as_scalar().unwrap().to_string(), "abs(x^12) + 3*abs(y)");
    }

    #[test]
    fn definitions_are_looked_into() {
        let (x, y) = variables();
        let difference = Array::defined("d", vec![], Tensor::scalar(&x - &y).unwrap());
        let t = Tensor::scalar(Expr::from(&difference)).unwrap().magnitude().unwrap();
        assert_eq!(t.expand().unwrap().as_scalar().unwrap().to_string(), "abs(x) + abs(y)");
    }

    #[test]
    fn families_stay_families() {
        let x = Array::family("x", Role::Coordinate, 0, 100_000);
        let c = Array::family("c", Role::Auxiliary, 1, 100_000);
        let i = crate::Ix::var(0);
        let range = crate::Range { name: "i".into(), low: crate::Ix::constant(1), high: crate::Ix::constant(100_000) };
        let before = i.plus(&crate::Ix::constant(-1));
        let term = Term {
            domain: crate::Domain::Ranges(vec![range]),
            at: vec![crate::Place { array: c.clone(), index: vec![i.clone()] }],
            value: Expr::at(&x, vec![i]) - Expr::at(&x, vec![before]),
        };
        let links = Tensor::new(vec![Layout::new(vec![c])], vec![term]).unwrap();
        assert!(links.magnitude().unwrap().terms().len() <= 2);
    }
}
