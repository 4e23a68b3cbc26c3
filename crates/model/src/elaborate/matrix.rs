//! Matrices of variables: which entries are variables, what the others are, and the bracket.

use crate::algebra::{Algebra, Part, Symmetry};
use cotangent_expr::{Array, Dim, Domain, Expr, Ix, Layout, Place, Role, Table, Tensor, Term};
use std::collections::BTreeMap;

/// A real matrix, some entries of which are variables: the others follow by symmetry or from the trace.
#[derive(Clone)]
pub(super) struct Matrix {
    /// The variables.
    pub(super) array: Array,
    pub(super) name: String,
    pub(super) part: Part,
    pub(super) size: usize,
    /// Which variable an entry is, up to its sign; 0 if it is none.
    pub(super) number: Table,
    /// All entries, as functions of the variables.
    pub(super) whole: Array,
}

/// What an entry of a matrix is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    /// A variable.
    Variable,
    /// Minus a variable.
    Opposite,
    /// Zero.
    Zero,
    /// Minus the sum of the others on the diagonal.
    Rest,
}

impl Matrix {
    /// What an entry is.
    pub(super) fn entry(&self, at: &[i64]) -> Entry {
        let &[i, j] = at else { return Entry::Zero };
        match self.part.symmetry {
            _ if self.part.has(i, j, self.size) => Entry::Variable,
            Symmetry::Antisymmetric if i == j => Entry::Zero,
            Symmetry::Antisymmetric => Entry::Opposite,
            Symmetry::Symmetric if i != j => Entry::Variable,
            Symmetry::Symmetric | Symmetry::None => Entry::Rest,
        }
    }
}

/// All entries of a matrix.
pub(super) fn whole(array: &Array, members: &[[i64; 2]], part: &Part, square: Vec<Dim>) -> Option<Array> {
    let size = square.first()?.len as i64;
    let matrix = Array::given(array.name(), Role::Auxiliary, square.clone());
    let names = || ["i", "j", "k"].map(Into::into).to_vec();
    let at = |i: Ix, j: Ix| vec![Place { array: matrix.clone(), index: vec![i, j] }];
    let value = Expr::at(array, vec![Ix::var(2)]);
    let points = |of: &dyn Fn(&[i64; 2]) -> bool| {
        let chosen = (1..).zip(members).filter(|(_, m)| of(m));
        Domain::from_points(names(), chosen.flat_map(|(k, m)| [m[0], m[1], k]).collect())
    };
    let mut terms = vec![Term { domain: points(&|_| true), at: at(Ix::var(0), Ix::var(1)), value: value.clone() }];
    if part.symmetry != Symmetry::None {
        let value = if part.symmetry == Symmetry::Symmetric { value.clone() } else { -&value };
        terms.push(Term { domain: points(&|m| m[0] != m[1]), at: at(Ix::var(1), Ix::var(0)), value });
    }
    if part.traceless {
        let last = Ix::constant(size);
        terms.push(Term { domain: points(&|m| m[0] == m[1]), at: at(last.clone(), last), value: -value });
    }
    let values = Tensor::new(vec![Layout::new(vec![matrix])], terms).ok()?;
    Some(Array::defined(array.name(), square, values))
}

/// {zₐ, z_b} = Σ C z_c as families over (a, b, c, C), one for each choice of arrays.
pub(super) fn lie_poisson(algebra: Algebra, arrays: &[Array]) -> Vec<Term> {
    let mut owners = vec![];
    for (k, array) in arrays.iter().enumerate() {
        owners.extend((1..=array.len() as i64).map(|m| (k, m)));
    }
    let mut families: BTreeMap<[usize; 3], Vec<i64>> = BTreeMap::new();
    for [a, b, c, value] in algebra.representation().bracket() {
        let [a, b, c] = [a, b, c].map(|k| owners[k as usize]);
        families.entry([a.0, b.0, c.0]).or_default().extend([a.1, b.1, c.1, value]);
    }
    let term = |([a, b, c], points): ([usize; 3], Vec<i64>)| {
        let place = |k: usize, v: u8| Place { array: arrays[k].clone(), index: vec![Ix::var(v)] };
        Term {
            domain: Domain::from_points(["a", "b", "c", "s"].map(Into::into).to_vec(), points),
            at: vec![place(a, 0), place(b, 1)],
            value: Expr::index(Ix::var(3)) * Expr::at(&arrays[c], vec![Ix::var(2)]),
        }
    };
    families.into_iter().map(term).collect()
}
