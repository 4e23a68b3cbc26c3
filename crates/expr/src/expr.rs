//! Scalar expressions: immutable, canonical by construction, identified by content.

use crate::array::{Array, Role};
use crate::digest::{Digest, Hasher};
use crate::function::Function;
use crate::index::Ix;
use crate::number::Number;
use std::sync::Arc;

/// A scalar expression.
///
/// Expressions are values: cheap to clone, `Send + Sync`, equal exactly when their canonical
/// forms are. Sums are flat with collected numeric coefficients, products flat with collected
/// numeric exponents, both in a canonical order; numbers are exact rationals while they fit.
/// Build them with operators and the functions of this type:
///
/// ```
/// use cotangent_expr::{Array, Expr, Role};
/// let x = Expr::from(&Array::scalar("x", Role::Coordinate));
/// let y = Expr::from(&Array::scalar("y", Role::Coordinate));
/// assert_eq!((&x * &x + &y * &y) - (y.powi(2) + x.powi(2)), Expr::zero());
/// assert_eq!(((x.powi(2) + y.powi(2) - 1) / 2).to_string(), "(x^2 + y^2 - 1)/2");
/// ```
#[derive(Clone)]
pub struct Expr(Arc<Inner>);

struct Inner {
    node: Node,
    digest: Digest,
    /// Longest path to a leaf; bounded by [`MAX_DEPTH`], so that recursion is safe.
    depth: u32,
    /// Nodes of the tree this would print as (saturating): exponential for nested sharing.
    size: u64,
    /// Loop variables that occur, as bits.
    free: u64,
}

/// What an expression is. Obtained by [`Expr::node`]; built only through [`Expr`], which keeps it canonical.
#[derive(Debug)]
pub enum Node {
    /// A number.
    Number(Number),
    /// The constant π.
    Pi,
    /// An integer index used as a number.
    Index(Ix),
    /// An element of an array.
    At(Array, Vec<Ix>),
    /// constant + Σ coefficient·term, at least one term; no term is a number or a sum.
    Add(Number, Vec<(Number, Expr)>),
    /// Π base^exponent, no numeric coefficient (that belongs to the sum around it).
    Mul(Vec<(Expr, Number)>),
    /// A function of one or two arguments.
    Call(Function, Vec<Expr>),
    /// Not an expression: the reason it could not be built. Everything made of it is it.
    Poison(Poison),
}

/// Why an expression could not be built.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Poison {
    /// A division by the number zero.
    #[error("division by zero")]
    DivisionByZero,
    /// A numeric operation without a finite result, such as an overflow or the logarithm of 0.
    #[error("a numeric operation has no finite value")]
    NotFinite,
    /// A function with the wrong number of arguments.
    #[error("a function has the wrong number of arguments")]
    ArgumentCount,
    /// Nesting deeper than [`MAX_DEPTH`].
    #[error("the expression is nested more than {MAX_DEPTH} deep")]
    TooDeep,
    /// A sum or product with too many members.
    #[error("a sum or product has more than {MAX_WIDTH} members")]
    TooWide,
}

/// The deepest nesting of operations. Flat sums and products count one level.
pub const MAX_DEPTH: u32 = 1000;

/// The largest number of members of one sum or product.
pub const MAX_WIDTH: usize = 1 << 20;

impl Expr {
    pub(crate) fn make(node: Node) -> Expr {
        let mut h = Hasher::new(0x65);
        let (mut depth, mut size, mut free) = (0u32, 1u64, 0u64);
        {
            let mut child = |e: &Expr| {
                depth = depth.max(e.0.depth);
                size = size.saturating_add(e.0.size);
                free |= e.0.free;
            };
            match &node {
                Node::Number(n) => h = n.words().iter().fold(h.word(1), |h, &w| h.word(w)),
                Node::Pi => h = h.word(2),
                Node::Index(i) => {
                    h = i.feed(h.word(3));
                    free = i.free();
                }
                Node::At(array, at) => {
                    h = at.iter().fold(h.word(4).digest(array.digest()), |h, i| i.feed(h));
                    free = at.iter().fold(0, |s, i| s | i.free());
                    depth = array.depth();
                }
                Node::Add(constant, terms) => {
                    h = constant.words().iter().fold(h.word(5), |h, &w| h.word(w));
                    for (c, e) in terms {
                        h = c.words().iter().fold(h.digest(e.0.digest), |h, &w| h.word(w));
                        child(e);
                    }
                }
                Node::Mul(factors) => {
                    h = h.word(6);
                    for (e, k) in factors {
                        h = k.words().iter().fold(h.digest(e.0.digest), |h, &w| h.word(w));
                        child(e);
                    }
                }
                Node::Call(f, args) => {
                    h = f.words().iter().fold(h.word(7), |h, &w| h.word(w));
                    for e in args {
                        h = h.digest(e.0.digest);
                        child(e);
                    }
                }
                Node::Poison(p) => h = h.word(8).word(*p as u64),
            }
        }
        let width = match &node {
            Node::Add(_, t) => t.len(),
            Node::Mul(f) => f.len(),
            _ => 0,
        };
        if width > MAX_WIDTH {
            return Expr::poison(Poison::TooWide);
        }
        if depth >= MAX_DEPTH {
            return Expr::poison(Poison::TooDeep);
        }
        Expr(Arc::new(Inner { node, digest: h.finish(), depth: depth + 1, size, free }))
    }

    pub(crate) fn poison(reason: Poison) -> Expr {
        Expr(Arc::new(Inner {
            node: Node::Poison(reason),
            digest: Hasher::new(0x70).word(reason as u64).finish(),
            depth: 1,
            size: 1,
            free: 0,
        }))
    }

    /// What it is.
    pub fn node(&self) -> &Node {
        &self.0.node
    }

    /// The content hash that identifies it.
    pub fn digest(&self) -> Digest {
        self.0.digest
    }

    /// The number of nodes of the tree it would print as (saturating).
    pub fn size(&self) -> u64 {
        self.0.size
    }

    pub(crate) fn depth(&self) -> u32 {
        self.0.depth
    }

    /// The loop variables it depends on, as bits.
    pub fn free(&self) -> u64 {
        self.0.free
    }

    /// Zero.
    pub fn zero() -> Expr {
        Expr::number(Number::ZERO)
    }

    /// One.
    pub fn one() -> Expr {
        Expr::number(Number::ONE)
    }

    /// A number.
    pub fn number(n: impl Into<Number>) -> Expr {
        let n = n.into();
        if n.is_finite() { Expr::make(Node::Number(n)) } else { Expr::poison(Poison::NotFinite) }
    }

    /// The fraction `numerator/denominator`.
    pub fn ratio(numerator: i64, denominator: i64) -> Expr {
        Number::ratio(numerator, denominator).map_or_else(|| Expr::poison(Poison::DivisionByZero), Expr::number)
    }

    /// The constant π.
    pub fn pi() -> Expr {
        Expr::make(Node::Pi)
    }

    /// An element of an array.
    pub fn at(array: &Array, index: Vec<Ix>) -> Expr {
        Expr::make(Node::At(array.clone(), index))
    }

    /// The number it is, if it is one.
    pub fn as_number(&self) -> Option<Number> {
        match self.node() {
            Node::Number(n) => Some(*n),
            _ => None,
        }
    }

    /// Whether it is the number zero.
    pub fn is_zero(&self) -> bool {
        self.as_number().is_some_and(Number::is_zero)
    }

    /// Whether it is the number one.
    pub fn is_one(&self) -> bool {
        self.as_number().is_some_and(Number::is_one)
    }

    /// The reason it could not be built, if so.
    pub fn poisoned(&self) -> Option<Poison> {
        match self.node() {
            Node::Poison(p) => Some(*p),
            _ => None,
        }
    }

    /// The sub-expressions, in order.
    pub fn children(&self) -> Box<dyn Iterator<Item = &Expr> + '_> {
        match self.node() {
            Node::Add(_, terms) => Box::new(terms.iter().map(|t| &t.1)),
            Node::Mul(factors) => Box::new(factors.iter().map(|f| &f.0)),
            Node::Call(_, args) => Box::new(args.iter()),
            _ => Box::new(std::iter::empty()),
        }
    }

    /// Whether such an array element occurs in a function with corners or jumps: derivatives do not show them.
    pub fn bends_with(&self, is_meant: &dyn Fn(&Expr) -> bool) -> bool {
        fn visit(e: &Expr, seen: &mut std::collections::HashSet<Digest>, is_meant: &dyn Fn(&Expr) -> bool) -> bool {
            let bends = matches!(e.node(), Node::Call(f, _) if f.has_corners());
            let here = || bends && e.leaves().iter().any(is_meant);
            seen.insert(e.digest()) && (here() || e.children().any(|c| visit(c, seen, is_meant)))
        }
        visit(self, &mut Default::default(), is_meant)
    }

    /// Every distinct array element that occurs, in canonical order of first visit.
    pub fn leaves(&self) -> Vec<Expr> {
        fn visit(e: &Expr, seen: &mut std::collections::HashSet<Digest>, out: &mut Vec<Expr>) {
            if seen.insert(e.digest()) {
                if let Node::At(..) = e.node() {
                    out.push(e.clone());
                }
                e.children().for_each(|c| visit(c, seen, out));
            }
        }
        let mut out = vec![];
        visit(self, &mut Default::default(), &mut out);
        out
    }

    /// The roles of the arrays that occur.
    pub fn uses(&self, role: Role) -> bool {
        self.leaves().iter().any(|l| matches!(l.node(), Node::At(a, _) if a.role() == role))
    }
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.digest == other.0.digest
    }
}
impl Eq for Expr {}

impl std::hash::Hash for Expr {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.digest.hash(state);
    }
}

impl std::fmt::Debug for Expr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

impl From<Number> for Expr {
    fn from(n: Number) -> Expr {
        Expr::number(n)
    }
}
impl From<i64> for Expr {
    fn from(n: i64) -> Expr {
        Expr::number(n)
    }
}
impl From<f64> for Expr {
    fn from(x: f64) -> Expr {
        Expr::number(x)
    }
}
/// The element of an array without dimensions.
impl From<&Array> for Expr {
    fn from(array: &Array) -> Expr {
        Expr::at(array, vec![])
    }
}
