//! Canonical construction of sums, products, powers and function values.
//!
//! Rewrites hold wherever both sides are defined; some (√x·√x = x, x/x = 1) extend the domain.

use crate::expr::{Expr, Node, Poison};
use crate::function::Function;
use crate::index::{Atom, Ix};
use crate::number::Number;
use crate::order::compare;

/// A product of more factors is one factor of the products that it is part of. Otherwise aₙ = aₙ₋₁·sin(aₙ₋₁), taken
/// apart, would be n factors long and have n² in its derivative, and what aₙ and aₙ₋₁ share would be lost.
pub(crate) const WIDEST: usize = 16;

/// So is one of more than a few factors that is larger written out: something inside is used over and over.
const LARGEST: u64 = 100_000;
const FEW: usize = 6;

/// Whether a product is taken apart in the products that it is part of.
fn is_open(product: &Expr, factors: &[(Expr, Number)]) -> bool {
    factors.len() <= if product.size() <= LARGEST { WIDEST } else { FEW }
}

impl Expr {
    /// An integer index as a number: a sum over its atoms, so that `i + 1` is the same expression
    /// whether it comes from an index or from arithmetic.
    pub fn index(i: Ix) -> Expr {
        if i.is_undefined() {
            return Expr::poison(Poison::TooDeep);
        }
        let single = |atom: &Atom| Expr::make(Node::Index(Ix::from(atom.clone())));
        let terms: Vec<_> = i.terms().iter().map(|(atom, c)| (Number::from(*c), single(atom))).collect();
        Expr::linear(Number::from(i.offset()), terms)
    }

    /// The index and the positive divisor that this is the quotient of, if it is made of indices
    /// and rational numbers alone.
    fn as_index(&self) -> Option<(Ix, i64)> {
        let zero = [];
        let (constant, terms) = match self.node() {
            Node::Number(n) => (*n, &zero[..]),
            Node::Index(i) => return Some((i.clone(), 1)),
            Node::Add(constant, terms) => (*constant, terms.as_slice()),
            _ => return None,
        };
        let all = terms.iter().map(|t| t.0).chain([constant]);
        let mut divisor = 1i64;
        for n in all {
            let (_, d) = n.as_ratio()?;
            let (mut a, mut b) = (divisor, d);
            while b != 0 {
                (a, b) = (b, a % b);
            }
            divisor = (divisor / a).checked_mul(d)?;
        }
        let scaled = |n: Number| (n * Number::from(divisor)).as_integer().filter(|k| k.unsigned_abs() < 1 << 52);
        let mut sum = Ix::constant(scaled(constant)?);
        for (c, e) in terms {
            let Node::Index(i) = e.node() else { return None };
            sum = sum.plus(&i.times(scaled(*c)?));
        }
        Some((sum, divisor))
    }

    /// constant + Σ coefficient·term.
    pub fn linear(constant: Number, terms: impl IntoIterator<Item = (Number, Expr)>) -> Expr {
        let mut constant = constant;
        let mut flat: Vec<(Number, Expr)> = vec![];
        for (c, e) in terms {
            match e.node() {
                Node::Poison(p) => return Expr::poison(*p),
                Node::Number(n) => constant = constant + c * *n,
                Node::Add(k, inner) => {
                    constant = constant + c * *k;
                    flat.extend(inner.iter().map(|(d, t)| (c * *d, t.clone())));
                }
                _ => flat.push((c, e)),
            }
        }
        flat.sort_by(|a, b| compare(&a.1, &b.1));
        flat.dedup_by(|next, kept| {
            let same = next.1 == kept.1;
            if same {
                kept.0 = kept.0 + next.0;
            }
            same
        });
        flat.retain(|(c, _)| !c.is_zero());
        if !constant.is_finite() || flat.iter().any(|(c, _)| !c.is_finite()) {
            return Expr::poison(Poison::NotFinite);
        }
        match flat.as_slice() {
            [] => Expr::number(constant),
            [(c, e)] if c.is_one() && constant.is_zero() => e.clone(),
            _ => Expr::make(Node::Add(constant, flat)),
        }
    }

    /// The sum of many expressions.
    pub fn sum(terms: impl IntoIterator<Item = Expr>) -> Expr {
        Expr::linear(Number::ZERO, terms.into_iter().map(|e| (Number::ONE, e)))
    }

    /// `factor · self`.
    pub fn scale(&self, factor: Number) -> Expr {
        Expr::linear(Number::ZERO, [(factor, self.clone())])
    }

    /// The product of many expressions.
    pub fn product(factors: impl IntoIterator<Item = Expr>) -> Expr {
        powers(factors.into_iter().map(|e| (e, Number::ONE)))
    }

    /// `self^exponent` for a numeric exponent.
    pub fn pow(&self, exponent: impl Into<Number>) -> Expr {
        powers([(self.clone(), exponent.into())])
    }

    /// An integer power.
    pub fn powi(&self, exponent: i64) -> Expr {
        self.pow(Number::from(exponent))
    }

    /// The square root.
    pub fn sqrt(&self) -> Expr {
        self.pow(Number::HALF)
    }

    /// `self^exponent` for any exponent.
    pub fn power(&self, exponent: &Expr) -> Expr {
        match exponent.as_number() {
            Some(n) => self.pow(n),
            None => Expr::call(Function::Pow, vec![self.clone(), exponent.clone()]),
        }
    }

    /// Splits `c·e` into the number and the rest: (c, e).
    pub fn split_coefficient(&self) -> (Number, Expr) {
        match self.node() {
            Node::Number(n) => (*n, Expr::one()),
            Node::Add(k, terms) if k.is_zero() && terms.len() == 1 => terms[0].clone(),
            _ => (Number::ONE, self.clone()),
        }
    }

    /// Splits a sum into its numeric content c > 0 and the rest, whose coefficients are integers
    /// without a common factor: (c, rest). Anything else has content one.
    pub fn split_content(&self) -> (Number, Expr) {
        match self.node() {
            Node::Add(constant, terms) => primitive_part(self, *constant, terms, false),
            _ => (Number::ONE, self.clone()),
        }
    }

    /// The value of a function.
    pub fn call(function: Function, args: Vec<Expr>) -> Expr {
        if let Some(p) = args.iter().find_map(Expr::poisoned) {
            return Expr::poison(p);
        }
        if args.len() != function.arity() {
            return Expr::poison(Poison::ArgumentCount);
        }
        if let Some(value) = special_value(function, &args) {
            return value;
        }
        if (function.is_odd() || function.is_even()) && is_negated(&args[0]) {
            let flipped = Expr::call(function, vec![args[0].scale(Number::MINUS_ONE)]);
            return if function.is_odd() { flipped.scale(Number::MINUS_ONE) } else { flipped };
        }
        Expr::make(Node::Call(function, args))
    }
}

/// Whether an expression reads as minus something: its leading coefficient is negative.
fn is_negated(e: &Expr) -> bool {
    match e.node() {
        Node::Number(n) => n.is_negative(),
        Node::Add(_, terms) => terms[0].0.is_negative(),
        _ => false,
    }
}

/// Exact values at special arguments, and nothing where the result would be rounded.
fn special_value(function: Function, args: &[Expr]) -> Option<Expr> {
    use Function::*;
    let x = args.first()?;
    let number = x.as_number();
    match function {
        Sin | Tan | Asin | Atan | Sinh | Tanh if x.is_zero() => Some(Expr::zero()),
        Exp | Cos | Cosh if x.is_zero() => Some(Expr::one()),
        Log if x.is_one() => Some(Expr::zero()),
        Log if x.is_zero() => Some(Expr::poison(Poison::NotFinite)),
        Abs => number.map(|n| Expr::number(n.abs())),
        Sign => number.map(|n| {
            Expr::number(if n.is_zero() {
                0
            } else if n.is_negative() {
                -1
            } else {
                1
            })
        }),
        // Of indices: exact integer arithmetic.
        Floor if number.is_none() => {
            let (i, d) = x.as_index()?;
            i.floor_div(d).map(Expr::index)
        }
        Floor => number.map(|n| Expr::number(n.floor())),
        Min | Max => {
            let y = args.get(1)?;
            if x == y {
                return Some(x.clone());
            }
            let (a, b) = (number?, y.as_number()?);
            Some(Expr::number(if function == Min { a.min(b) } else { a.max(b) }))
        }
        Mod => {
            let modulus = args.get(1)?.as_number()?;
            let Some(inverse) = modulus.recip() else { return Some(Expr::poison(Poison::DivisionByZero)) };
            if let (None, Some(m), Some((i, 1))) = (number, modulus.as_integer(), x.as_index()) {
                return i.modulo(m).map(Expr::index);
            }
            let a = number?;
            Some(Expr::number(a + -(modulus * (a * inverse).floor())))
        }
        Pow => {
            let exponent = args.get(1)?;
            if let Some(n) = exponent.as_number() {
                return Some(x.pow(n));
            }
            x.is_one().then(Expr::one)
        }
        Stumpff(k) if x.is_zero() => {
            let factorial = (1..=k as i64).try_fold(1i64, |f, j| f.checked_mul(j))?;
            Some(Expr::ratio(1, factorial))
        }
        _ => None,
    }
}

/// The canonical product of powers.
pub(crate) fn powers(given: impl IntoIterator<Item = (Expr, Number)>) -> Expr {
    let mut product = Product { coefficient: Number::ONE, factors: vec![], poison: None };
    for (base, exponent) in given {
        product.push(&base, exponent);
    }
    product.finish()
}

struct Product {
    coefficient: Number,
    factors: Vec<(Expr, Number)>,
    poison: Option<Poison>,
}

impl Product {
    /// Multiplies by base^exponent, taking apart what can be taken apart.
    fn push(&mut self, base: &Expr, exponent: Number) {
        if let Some(p) = base.poisoned() {
            self.poison = self.poison.or(Some(p));
            return;
        }
        if exponent.is_zero() {
            return;
        }
        match base.node() {
            Node::Number(n) => self.push_number(*n, exponent),
            Node::Add(constant, terms) => {
                let (content, primitive) = primitive_part(base, *constant, terms, exponent.is_integer());
                // A content whose power does not fit stays inside.
                if content.is_one() || exponent.is_integer() && content.pow(exponent).is_none() {
                    self.factors.push((base.clone(), exponent));
                } else {
                    self.push_number(content, exponent);
                    match primitive.node() {
                        Node::Add(..) => self.factors.push((primitive, exponent)),
                        _ => self.push(&primitive, exponent),
                    }
                }
            }
            // (x^a)^k = x^(a k) holds for integer k; √(x²) is not x.
            Node::Mul(inner) if exponent.is_integer() && is_open(base, inner) => {
                for (b, k) in inner {
                    self.push(b, *k * exponent);
                }
            }
            _ => self.factors.push((base.clone(), exponent)),
        }
    }

    fn push_number(&mut self, n: Number, exponent: Number) {
        if n.is_zero() {
            if exponent.is_negative() {
                self.poison = self.poison.or(Some(Poison::DivisionByZero));
            }
            self.coefficient = Number::ZERO;
        } else if let Some(exact) = n.pow(exponent) {
            self.coefficient = self.coefficient * exact;
        } else if exponent.is_integer() || n.is_negative() || n.as_ratio().is_none() || exponent.as_ratio().is_none() {
            // A power outside the range of `f64`, or an even root of a negative number.
            self.poison = self.poison.or(Some(Poison::NotFinite));
        } else {
            // n^(whole + part) = n^whole · n^part with 0 < part < 1.
            let whole = exponent.floor();
            let part = exponent + -whole;
            match n.pow(whole) {
                Some(w) if !whole.is_zero() => {
                    self.coefficient = self.coefficient * w;
                    self.factors.push((Expr::number(n), part));
                }
                _ => self.factors.push((Expr::number(n), exponent)),
            }
        }
    }

    fn finish(mut self) -> Expr {
        if let Some(p) = self.poison {
            return Expr::poison(p);
        }
        if !self.coefficient.is_finite() {
            return Expr::poison(Poison::NotFinite);
        }
        if self.coefficient.is_zero() {
            return Expr::zero();
        }
        self.factors.sort_by(|a, b| compare(&a.0, &b.0));
        let before = self.factors.len();
        self.factors.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1 + next.1;
            }
            same
        });
        self.factors.retain(|(_, k)| !k.is_zero());
        // Collected exponents may have become integers: √(ab)·√(ab) = ab must be taken apart again.
        let reducible = |(b, k): &(Expr, Number)| match b.node() {
            Node::Number(n) => k.is_integer() || *k > Number::ONE || n.pow(*k).is_some(),
            Node::Mul(inner) => k.is_integer() && is_open(b, inner),
            Node::Add(..) => k.is_integer(),
            _ => false,
        };
        if before != self.factors.len() && self.factors.iter().any(reducible) {
            let again = std::mem::take(&mut self.factors);
            for (b, k) in again {
                self.push(&b, k);
            }
            return self.finish();
        }
        let core = match self.factors.as_slice() {
            [] => return Expr::number(self.coefficient),
            [(base, k)] if k.is_one() => base.clone(),
            _ => Expr::make(Node::Mul(self.factors)),
        };
        if self.coefficient.is_one() { core } else { core.scale(self.coefficient) }
    }
}

/// Splits a sum used as a factor into its numeric content and the rest with coprime integer
/// coefficients. The sign goes with the content only where the exponent is an integer.
fn primitive_part(sum: &Expr, constant: Number, terms: &[(Number, Expr)], signed: bool) -> (Number, Expr) {
    let all = terms.iter().map(|t| t.0).chain((!constant.is_zero()).then_some(constant));
    let mut content = Number::content(all);
    if signed && terms[0].0.is_negative() {
        content = -content;
    }
    match content.recip() {
        Some(inverse) if !content.is_one() => (content, sum.scale(inverse)),
        _ => (Number::ONE, sum.clone()),
    }
}
