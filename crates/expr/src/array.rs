//! Arrays: what an expression's leaves are elements of.

use crate::digest::{Digest, Hasher};
use crate::expr::Expr;
use crate::index::{Atom, Dim, Ix, flat_position};
use crate::tensor::Tensor;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// What an array stands for; it decides the order in which factors and terms are written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Role {
    /// A parameter: constant during a run, never folded into code.
    Parameter,
    /// A coordinate, or a variable of a Poisson or constant-form model.
    Coordinate,
    /// A velocity.
    Velocity,
    /// A momentum.
    Momentum,
    /// A Lagrange multiplier.
    Multiplier,
    /// Anything else: a defined sum, an adjoint, the solution of equations.
    Auxiliary,
}

/// An array of numbers: a scalar (no dimension) or a family (one or more dimensions).
///
/// Identified by content: a given array by name, role and dimensions, any other by its definition.
#[derive(Clone)]
pub struct Array(Arc<Inner>);

struct Inner {
    name: String,
    /// For what is derived from the solution of equations: the name of that solution.
    origin: Option<String>,
    role: Role,
    dims: Vec<Dim>,
    /// What the members are called, for a family over ranges that depend on one another.
    members: Option<Arc<[Vec<i64>]>>,
    definition: Definition,
    digest: Digest,
    depth: u32,
    /// Whether a root binds it.
    is_unknown: bool,
    /// Found when it is first asked for.
    unknowns: OnceLock<BTreeSet<Digest>>,
}

/// Where an array's values come from.
#[derive(Debug)]
pub enum Definition {
    /// From outside, when a compiled function is called.
    Given,
    /// From a formula for each element.
    Defined(Tensor),
    /// The solution x of A x = b, or of Aᵀx = b.
    ///
    /// A has rank two over `0..N` × `0..N`; b has rank one over `0..N`, or more ranks for several
    /// right-hand sides at once, one for each index of the further slots. Arrays with the same
    /// matrix share its factorisation.
    Solved {
        /// The matrix A.
        matrix: Tensor,
        /// The right-hand side b.
        rhs: Tensor,
        /// Solve with the transposed matrix.
        transposed: bool,
    },
    /// The root u of r(u) = 0 that Newton's method finds from a starting point.
    Root {
        /// The array that stands for u inside `residual` and `jacobian`. It is bound: what stands for
        /// the same array outside is something else.
        unknown: Array,
        /// r, of rank one over `0..N`.
        residual: Tensor,
        /// ∂r/∂u, of rank two over `0..N` × `0..N`.
        jacobian: Tensor,
        /// Where Newton's method starts, of rank one over `0..N`.
        start: Tensor,
    },
}

impl Definition {
    /// The tensors that the values are computed from.
    pub fn tensors(&self) -> Vec<&Tensor> {
        match self {
            Definition::Given => vec![],
            Definition::Defined(t) => vec![t],
            Definition::Solved { matrix, rhs, .. } => vec![matrix, rhs],
            Definition::Root { residual, jacobian, start, .. } => vec![residual, jacobian, start],
        }
    }
}

impl Array {
    /// A given scalar.
    pub fn scalar(name: &str, role: Role) -> Array {
        Array::given(name, role, vec![])
    }

    /// A given array.
    pub fn given(name: &str, role: Role, dims: Vec<Dim>) -> Array {
        Array::make(name, role, dims.clone(), Definition::Given, Array::given_digest(name, role, &dims), 0)
    }

    /// A given family whose members are these, such as the pairs (i, j) with j < i: in expressions they are numbered from
    /// 1, and called by their own indices in every name.
    pub fn listed(name: &str, role: Role, members: Vec<Vec<i64>>) -> Array {
        Array::given(name, role, vec![Dim { first: 1, len: members.len() }]).with_members(Some(members.into()))
    }

    /// A given array of another name with the same members.
    pub fn like(&self, name: &str, role: Role) -> Array {
        Array::given(name, role, self.dims().to_vec()).with_members(self.0.members.clone())
    }

    fn with_members(mut self, members: Option<Arc<[Vec<i64>]>>) -> Array {
        // Only an array that was just made is not shared.
        if let Some(own) = Arc::get_mut(&mut self.0) {
            own.members = members;
        }
        self
    }

    fn given_digest(name: &str, role: Role, dims: &[Dim]) -> Digest {
        let h = Hasher::new(0x61).text(name).word(role as u64);
        dims.iter().fold(h, |h, d| h.word(d.first as u64).word(d.len as u64)).finish()
    }

    /// The array that stands for the unknown of one root and no other.
    fn unknown(name: &str, content: Digest, dims: Vec<Dim>) -> Array {
        let own = format!("{name}#{content}");
        let digest = Array::given_digest(&own, Role::Auxiliary, &dims);
        Array(Arc::new(Inner {
            name: own,
            origin: Some(name.into()),
            role: Role::Auxiliary,
            dims,
            members: None,
            definition: Definition::Given,
            digest,
            depth: 0,
            is_unknown: true,
            unknowns: OnceLock::new(),
        }))
    }

    /// A given family with indices `first..=last` (empty if reversed).
    pub fn family(name: &str, role: Role, first: i64, last: i64) -> Array {
        let len = usize::try_from(last.saturating_sub(first).saturating_add(1)).unwrap_or(0);
        Array::given(name, role, vec![Dim { first, len }])
    }

    /// An array whose elements are those of a tensor of rank one.
    pub fn defined(name: &str, dims: Vec<Dim>, values: Tensor) -> Array {
        // A scalar may be given by a tensor of rank 0.
        let values =
            if values.rank() == 0 { values.lifted(&Array::given(name, Role::Auxiliary, vec![])) } else { values };
        let digest = dims
            .iter()
            .fold(Hasher::new(0x64).digest(values.digest()), |h, d| h.word(d.first as u64).word(d.len as u64))
            .finish();
        let depth = values.depth();
        Array::make(name, Role::Auxiliary, dims, Definition::Defined(values), digest, depth)
    }

    /// The solution of A x = b (or Aᵀx = b): see [`Definition::Solved`], and [`solve`](crate::solve)
    /// for the checked way to one.
    pub(crate) fn solved(name: &str, matrix: Tensor, rhs: Tensor, transposed: bool) -> Array {
        let digest = Hasher::new(0x73).digest(matrix.digest()).digest(rhs.digest()).word(transposed as u64).finish();
        let depth = matrix.depth().max(rhs.depth());
        let dims = rhs.shape().iter().flat_map(|slot| slot.flat_dims()).collect();
        Array::make(name, Role::Auxiliary, dims, Definition::Solved { matrix, rhs, transposed }, digest, depth)
    }

    /// The root of r(u) = 0: see [`Definition::Root`]. `unknown` is the array of one dimension that
    /// `residual` uses for u; residual and start are vectors of the same length,
    /// all over `0..N`. The array is bound by the root: it may serve for others.
    pub fn root(name: &str, unknown: Array, residual: Tensor, start: Tensor) -> Result<Array, crate::Error> {
        for t in [&residual, &start] {
            if t.rank() != 1 || unknown.dims().len() != 1 {
                return Err(crate::Error::Rank {
                    what: "a root",
                    expected: 1,
                    found: t.rank().max(unknown.dims().len()),
                });
            }
            if t.shape()[0].len() != unknown.len() {
                return Err(crate::Error::Misplaced { array: unknown.name().into(), slot: 0 });
            }
        }
        if unknown.dims()[0].first != 0 {
            return Err(crate::Error::Misplaced { array: unknown.name().into(), slot: 0 });
        }
        // The unknown is bound here: a name of its own keeps roots that were written with the same
        // array apart.
        let content = Hasher::new(0x72).digest(unknown.digest()).digest(residual.digest()).digest(start.digest());
        let bound = Array::unknown(name, content.finish(), unknown.dims().to_vec());
        let residual = residual.flattened(name)?.replace(&unknown, &bound)?;
        let (start, unknown) = (start.flattened(name)?, bound);
        let jacobian = residual.jacobian(&crate::Layout::new(vec![unknown.clone()]))?;
        let digest = Hasher::new(0x72).digest(residual.digest()).digest(start.digest()).finish();
        let depth = residual.depth().max(start.depth());
        let dims = unknown.dims().to_vec();
        Ok(Array::make(
            name,
            Role::Auxiliary,
            dims,
            Definition::Root { unknown, residual, jacobian, start },
            digest,
            depth,
        ))
    }

    fn make(name: &str, role: Role, dims: Vec<Dim>, definition: Definition, digest: Digest, depth: u32) -> Array {
        let unknowns = OnceLock::new();
        Array(Arc::new(Inner {
            name: name.into(),
            origin: None,
            role,
            dims,
            members: None,
            definition,
            digest,
            depth,
            is_unknown: false,
            unknowns,
        }))
    }

    /// The same array, known as derived from the solution `of` the same equations.
    pub(crate) fn derived(mut self, of: &Array) -> Array {
        // Only an array that was just made is not shared.
        if let Some(own) = Arc::get_mut(&mut self.0) {
            own.origin = Some(of.origin().into());
        }
        self
    }

    /// What a user knows it by: the name of the solution that it is a derivative of, or stands for;
    /// else its own.
    pub fn origin(&self) -> &str {
        self.0.origin.as_deref().unwrap_or(self.name())
    }

    /// The unknowns of roots that it depends on and that are not bound inside it: none, except for
    /// what stands inside the equations of a root. Each array is looked at once.
    pub fn unknowns(&self) -> &BTreeSet<Digest> {
        self.0.unknowns.get_or_init(|| {
            let mut all = BTreeSet::new();
            if self.0.is_unknown {
                all.insert(self.digest());
            }
            for term in self.definition().tensors().into_iter().flat_map(Tensor::terms) {
                for leaf in term.value.leaves() {
                    if let crate::Node::At(array, _) = leaf.node() {
                        all.extend(array.unknowns());
                    }
                }
            }
            if let Definition::Root { unknown, .. } = self.definition() {
                all.remove(&unknown.digest());
            }
            all
        })
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// What it stands for.
    pub fn role(&self) -> Role {
        self.0.role
    }

    /// The dimensions; none for a scalar.
    pub fn dims(&self) -> &[Dim] {
        &self.0.dims
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.0.dims.iter().fold(1, |n, d| n.saturating_mul(d.len))
    }

    /// Whether it has no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where its values come from.
    pub fn definition(&self) -> &Definition {
        &self.0.definition
    }

    /// Whether its values come from outside.
    pub fn is_given(&self) -> bool {
        matches!(self.0.definition, Definition::Given)
    }

    /// The content hash that identifies it.
    pub fn digest(&self) -> Digest {
        self.0.digest
    }

    /// How deeply its definition is nested.
    pub(crate) fn depth(&self) -> u32 {
        self.0.depth
    }

    /// The element with a constant index.
    pub fn element(&self, index: &[i64]) -> Expr {
        Expr::at(self, index.iter().map(|&i| Ix::constant(i)).collect())
    }

    /// The multi-index of the element at a flat position, row-major.
    pub fn multi_index(&self, mut flat: usize) -> Vec<i64> {
        let mut index = vec![0; self.dims().len()];
        for (i, d) in index.iter_mut().zip(self.dims()).rev() {
            *i = d.first + (flat % d.len.max(1)) as i64;
            flat /= d.len.max(1);
        }
        index
    }

    /// The row-major position of an element as an index expression, from 0.
    pub fn flat_index(&self, index: &[Ix]) -> Ix {
        self.dims()
            .iter()
            .zip(index)
            .fold(Ix::constant(0), |flat, (d, i)| flat.times(d.len as i64).plus(&i.shifted(d.first.saturating_neg())))
    }

    /// The members of a family over ranges that depend on one another, by their own indices.
    pub fn members(&self) -> Option<&[Vec<i64>]> {
        self.0.members.as_deref()
    }

    /// The row-major position of the member that is called by these indices.
    pub fn position(&self, index: &[i64]) -> Option<usize> {
        match self.members() {
            Some(members) => members.iter().position(|m| m == index),
            None => flat_position(self.dims(), index),
        }
    }

    /// The name of one element: `x`, `x[3]`, `u[2, 5]`.
    pub fn element_name(&self, index: &[i64]) -> String {
        let own = match (self.members(), index) {
            (Some(members), &[k]) => usize::try_from(k - 1).ok().and_then(|k| members.get(k)).map(Vec::as_slice),
            _ => None,
        };
        let index = own.unwrap_or(index);
        if index.is_empty() {
            self.name().to_string()
        } else {
            let index: Vec<String> = index.iter().map(i64::to_string).collect();
            format!("{}[{}]", self.name(), index.join(", "))
        }
    }

    /// The indices as they are shown: those of a member of its own name, not its number.
    pub fn shown_index(&self, index: &[Ix]) -> Vec<Ix> {
        if let (Some(members), [number]) = (self.members(), index) {
            if let Some(k) = number.as_constant() {
                let own = usize::try_from(k - 1).ok().and_then(|k| members.get(k));
                return own.map_or_else(|| index.to_vec(), |m| m.iter().map(|&k| Ix::constant(k)).collect());
            }
            if let ([(Atom::Table(_, at), 1)], 0) = (number.terms(), number.offset()) {
                return at.clone();
            }
        }
        index.to_vec()
    }
}

impl PartialEq for Array {
    fn eq(&self, other: &Self) -> bool {
        self.0.digest == other.0.digest
    }
}
impl Eq for Array {}
impl std::hash::Hash for Array {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.digest.hash(state);
    }
}
impl std::fmt::Debug for Array {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{:?}", self.name(), self.dims())
    }
}
