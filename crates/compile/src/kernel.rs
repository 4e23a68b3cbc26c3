//! Straight-line code for expressions, with common sub-expressions computed once.

use crate::error::CompileError;
use crate::program::{Address, Binary, Kernel, Op, Store, Unary, Write};
use cotangent_expr::{Array, Digest, Domain, Expr, Function, Ix, Node, Number};
use cotangent_scalar::Limits;
use std::collections::HashMap;

/// The most instructions a program may have.
pub const MAX_OPS: usize = 4_000_000;

/// Where the value of an array element comes from.
pub(crate) enum Source {
    /// From memory.
    Memory(Address),
    /// A quotient: the solution of one linear equation.
    Quotient(Expr, Expr),
}

type Resolve<'a> = &'a mut dyn FnMut(&Array, &[Ix]) -> Result<Source, CompileError>;

/// Collects the instructions and stores of one kernel.
pub(crate) struct KernelBuilder {
    kernel: Kernel,
    done: HashMap<Digest, u32>,
    /// Instructions on earlier values, so that x·x inside x³ and x² is one multiplication.
    known: HashMap<Key, u32>,
    limits: Limits,
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Constant(Number3),
    Unary(Unary, u32),
    Binary(Binary, u32, u32),
}

/// A number as a hashable key.
type Number3 = (Option<(i64, i64)>, u64);

impl KernelBuilder {
    pub(crate) fn new(domain: Domain, limits: &Limits) -> Self {
        let kernel = Kernel { domain, ops: vec![], stores: vec![] };
        KernelBuilder { kernel, done: HashMap::new(), known: HashMap::new(), limits: limits.clone() }
    }

    pub(crate) fn store(&mut self, store: Store) {
        self.kernel.stores.push(store);
    }

    pub(crate) fn store_zero(&mut self, to: Address) {
        let value = self.constant(Number::ZERO);
        self.store(Store { to, value, write: Write::Set });
    }

    pub(crate) fn finish(self) -> Kernel {
        self.kernel
    }

    fn push(&mut self, op: Op) -> u32 {
        self.kernel.ops.push(op);
        self.kernel.ops.len() as u32 - 1
    }

    fn keyed(&mut self, key: Key, op: Op) -> u32 {
        if let Some(&at) = self.known.get(&key) {
            return at;
        }
        let at = self.push(op);
        self.known.insert(key, at);
        at
    }

    fn constant(&mut self, n: Number) -> u32 {
        self.keyed(Key::Constant((n.as_ratio(), n.to_f64().to_bits())), Op::Constant(n))
    }

    fn unary(&mut self, f: Unary, a: u32) -> u32 {
        self.keyed(Key::Unary(f, a), Op::Unary(f, a))
    }

    fn binary(&mut self, f: Binary, a: u32, b: u32) -> u32 {
        self.keyed(Key::Binary(f, a, b), Op::Binary(f, a, b))
    }

    /// The instruction that computes an expression.
    pub(crate) fn expr(&mut self, e: &Expr, resolve: Resolve<'_>) -> Result<u32, CompileError> {
        if let Some(&at) = self.done.get(&e.digest()) {
            return Ok(at);
        }
        self.limits.check()?;
        if self.kernel.ops.len() > MAX_OPS {
            return Err(CompileError::TooLarge { limit: MAX_OPS });
        }
        let at = match e.node() {
            Node::Number(n) => self.constant(*n),
            Node::Pi => self.push(Op::Pi),
            Node::Index(i) => self.push(Op::Index(i.clone())),
            Node::At(array, index) => match resolve(array, index)? {
                Source::Memory(address) => self.push(Op::Load(address)),
                Source::Quotient(b, a) => {
                    let (b, a) = (self.expr(&b, resolve)?, self.expr(&a, resolve)?);
                    self.binary(Binary::Div, b, a)
                }
            },
            Node::Poison(p) => return Err(cotangent_expr::Error::from(*p).into()),
            Node::Add(constant, terms) => self.sum(e, *constant, terms, resolve)?,
            Node::Mul(factors) => self.product(factors, resolve)?,
            Node::Call(f, args) => {
                let a = self.expr(&args[0], resolve)?;
                match binary_of(*f) {
                    Ok(op) => {
                        let b = self.expr(&args[1], resolve)?;
                        self.binary(op, a, b)
                    }
                    Err(op) => self.unary(op, a),
                }
            }
        };
        self.done.insert(e.digest(), at);
        Ok(at)
    }

    /// c·(Σ integer multiples of terms), c the common content: ½(x² + y² − 1).
    fn sum(
        &mut self,
        e: &Expr,
        constant: Number,
        terms: &[(Number, Expr)],
        resolve: Resolve<'_>,
    ) -> Result<u32, CompileError> {
        let members = terms.len() + !constant.is_zero() as usize;
        if members > 1 {
            let (content, primitive) = e.split_content();
            if !content.is_one() {
                let inner = self.expr(&primitive, resolve)?;
                return Ok(self.scaled(content, inner));
            }
        }
        // Begin with a member that is not negative, so that most sums need no negation.
        let lead = terms.iter().position(|(c, _)| !c.is_negative());
        let mut sum = None;
        if lead.is_none() && !constant.is_zero() && !constant.is_negative() {
            sum = Some(self.constant(constant));
        }
        let constant_done = sum.is_some();
        let lead = lead.unwrap_or(0);
        let order = std::iter::once(&terms[lead]).chain(&terms[..lead]).chain(&terms[lead + 1..]);
        for (c, t) in order {
            let value = self.expr(t, resolve)?;
            sum = Some(match sum {
                None => self.scaled(*c, value),
                Some(s) => {
                    let magnitude = self.scaled(c.abs(), value);
                    self.binary(if c.is_negative() { Binary::Sub } else { Binary::Add }, s, magnitude)
                }
            });
        }
        let Some(s) = sum else { return Ok(self.constant(constant)) };
        if constant.is_zero() || constant_done {
            return Ok(s);
        }
        let magnitude = self.constant(constant.abs());
        Ok(self.binary(if constant.is_negative() { Binary::Sub } else { Binary::Add }, s, magnitude))
    }

    fn scaled(&mut self, c: Number, value: u32) -> u32 {
        if c.is_one() {
            value
        } else if c == Number::MINUS_ONE {
            self.unary(Unary::Neg, value)
        } else {
            let c = self.constant(c);
            self.binary(Binary::Mul, c, value)
        }
    }

    /// Positive powers over negative ones.
    fn product(&mut self, factors: &[(Expr, Number)], resolve: Resolve<'_>) -> Result<u32, CompileError> {
        let (mut above, mut below) = (None, None);
        for (base, k) in factors {
            let base = self.expr(base, resolve)?;
            let power = self.power(base, k.abs());
            let side = if k.is_negative() { &mut below } else { &mut above };
            *side = Some(match *side {
                None => power,
                Some(p) => self.binary(Binary::Mul, p, power),
            });
        }
        Ok(match (above, below) {
            (Some(a), None) => a,
            (Some(a), Some(b)) => self.binary(Binary::Div, a, b),
            (None, b) => {
                let one = self.constant(Number::ONE);
                b.map_or(one, |b| self.binary(Binary::Div, one, b))
            }
        })
    }

    /// base^k for k > 0: squaring for integers, square roots for halves.
    fn power(&mut self, base: u32, k: Number) -> u32 {
        match k.as_ratio() {
            Some((n, 1)) if n <= 1024 => self.integer_power(base, n as u64),
            Some((n, 2)) if n <= 1024 => {
                let root = self.unary(Unary::Sqrt, base);
                self.integer_power(root, n as u64)
            }
            _ => {
                let k = self.constant(k);
                self.binary(Binary::Pow, base, k)
            }
        }
    }

    fn integer_power(&mut self, base: u32, n: u64) -> u32 {
        match n {
            0 | 1 => base,
            _ => {
                let half = self.integer_power(base, n / 2);
                let square = self.binary(Binary::Mul, half, half);
                if n % 2 == 1 { self.binary(Binary::Mul, square, base) } else { square }
            }
        }
    }
}

fn binary_of(f: Function) -> Result<Binary, Unary> {
    use Function::*;
    Err(match f {
        Atan2 => return Ok(Binary::Atan2),
        Min => return Ok(Binary::Min),
        Max => return Ok(Binary::Max),
        Mod => return Ok(Binary::Mod),
        Pow => return Ok(Binary::Pow),
        Exp => Unary::Exp,
        Log => Unary::Ln,
        Sin => Unary::Sin,
        Cos => Unary::Cos,
        Tan => Unary::Tan,
        Asin => Unary::Asin,
        Acos => Unary::Acos,
        Atan => Unary::Atan,
        Sinh => Unary::Sinh,
        Cosh => Unary::Cosh,
        Tanh => Unary::Tanh,
        Abs => Unary::Abs,
        Sign => Unary::Sign,
        Floor => Unary::Floor,
        Stumpff(k) => Unary::Stumpff(k),
    })
}
