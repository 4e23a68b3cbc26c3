//! Rational functions of a model's symbols, in a normal form that decides whether one vanishes.
//!
//! Symbols, and whatever is not built from them by arithmetic (sin x, √u, eˣ), are the unknowns of
//! polynomials; a fraction of two without a common divisor is the normal form. Unknowns that are not
//! independent carry a relation, sin²x + cos²x = 1 or (√u)² = u, by which polynomials are reduced.

use super::divisor::{common_monomial, greatest_common_divisor, pseudo_remainder};
use super::factors::factors;
use super::polynomial::{Monomial, Polynomial};
use super::turns::at_part_of_a_turn;
use super::work::Work;
use cotangent_expr::{Digest, Expr, Function, Node, Number, roundings};
use cotangent_model::Sign;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// Larger expressions are not brought to a normal form.
const MAX_SIZE: u64 = 20_000;
/// Longer expressions stay as they are: a common denominator of many terms is no simplification.
const MAX_SIMPLIFIED: u64 = 400;
/// The work that one expression may take.
const EXPRESSION: u64 = 20_000_000;
/// Only fractions with so few terms are factorised for print.
const MAX_FACTORISED: usize = 150;

/// numerator/denominator without a common divisor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Fraction {
    pub(crate) numerator: Polynomial,
    pub(crate) denominator: Polynomial,
}

impl Fraction {
    pub(crate) fn integer(n: i128) -> Fraction {
        Fraction { numerator: Polynomial::constant(n), denominator: Polynomial::one() }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }

    pub(crate) fn negated(&self) -> Fraction {
        Fraction { numerator: self.numerator.negated(), denominator: self.denominator.clone() }
    }

    /// The number of terms.
    pub(crate) fn size(&self) -> usize {
        self.numerator.0.len() + self.denominator.0.len()
    }
}

/// A polynomial that vanishes, with the unknown that it eliminates.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    pub(crate) unknown: u32,
    pub(crate) polynomial: Polynomial,
}

/// The unknowns met so far, and what relates them.
#[derive(Clone, Default)]
pub(crate) struct Field {
    /// What its algebra may take.
    work: Rc<Work>,
    unknowns: Vec<Expr>,
    known: HashMap<Digest, u32>,
    relations: Vec<Relation>,
    memo: HashMap<Digest, Option<Fraction>>,
    /// The roundings before it.
    roundings: u64,
    /// Symbols whose signs are known.
    pub(super) signs: Vec<(Expr, Sign)>,
}

/// Numbers that are no fractions are written with powers of ten to this.
const UNIT: i32 = 20;
/// Characters of a number that was written, rather than rounded: its digits and a point.
const FEW_DIGITS: usize = 16;

/// digits · 10^exponent, for a float that was written with few digits rather than rounded.
pub(crate) fn decimal_form(n: Number) -> Option<(i64, i32)> {
    let text = format!("{:e}", n.to_f64().abs());
    let (mantissa, exponent) = text.split_once('e').filter(|(mantissa, _)| mantissa.len() <= FEW_DIGITS)?;
    let behind = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len() as i32);
    let digits: i64 = mantissa.replace('.', "").parse().ok()?;
    Some((if n.is_negative() { -digits } else { digits }, exponent.parse::<i32>().ok()? - behind))
}

fn unit() -> Option<Expr> {
    Some(Expr::number(Number::decimal("1", i64::from(UNIT))?))
}

/// Whether Σ cₖ 10^(20 k) is zero, from the lowest power on.
fn is_nothing(sum: &BTreeMap<u32, i128>) -> bool {
    let unit = 10i128.pow(UNIT as u32);
    let (Some((&first, _)), Some((&last, _))) = (sum.first_key_value(), sum.last_key_value()) else { return true };
    let mut carried = 0i128;
    for k in first..=last {
        let c = sum.get(&k).copied().unwrap_or(0);
        let rest = carried % unit + c % unit;
        if rest % unit != 0 {
            return false;
        }
        carried = carried / unit + c / unit + rest / unit;
    }
    carried == 0
}

impl Field {
    /// With symbols of known signs; its algebra spends of this work.
    pub(crate) fn new(work: Rc<Work>, signs: Vec<(Expr, Sign)>) -> Field {
        Field { work, signs, roundings: roundings(), ..Field::default() }
    }

    /// Whether numbers were rounded since: then what is left where terms cancel may be rounding alone.
    pub(crate) fn is_rounded(&self) -> bool {
        roundings() != self.roundings
    }

    /// What its algebra may take.
    pub(crate) fn work(&self) -> Rc<Work> {
        self.work.clone()
    }

    /// The expression that an unknown denotes.
    pub(crate) fn symbol(&self, unknown: u32) -> &Expr {
        &self.unknowns[unknown as usize]
    }

    /// What relates the unknowns by themselves.
    pub(crate) fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// The unknown that a symbol is, or what is not built by arithmetic.
    pub(crate) fn unknown(&mut self, e: &Expr) -> u32 {
        *self.known.entry(e.digest()).or_insert_with(|| {
            self.unknowns.push(e.clone());
            self.unknowns.len() as u32 - 1
        })
    }

    fn single(&mut self, e: &Expr) -> Fraction {
        Fraction { numerator: Polynomial::unknown(self.unknown(e)), denominator: Polynomial::one() }
    }

    /// The normal form; `None` if it is too large.
    pub(crate) fn normal(&mut self, e: &Expr) -> Option<Fraction> {
        if e.size() > MAX_SIZE {
            return None;
        }
        if let Some(known) = self.memo.get(&e.digest()) {
            return known.clone();
        }
        let found = self.work().within(EXPRESSION, || self.build(e));
        self.memo.insert(e.digest(), found.clone());
        found
    }

    fn build(&mut self, e: &Expr) -> Option<Fraction> {
        if let Node::Call(f, args) = e.node()
            && let Some(known) = args.first().and_then(|x| at_part_of_a_turn(*f, x))
        {
            return self.normal(&known);
        }
        match e.node() {
            Node::Number(n) => Some(self.number(*n)),
            Node::Poison(_) => None,
            Node::Pi | Node::Index(_) | Node::At(..) => Some(self.single(e)),
            Node::Add(constant, terms) => {
                let mut sum = self.number(*constant);
                for (c, t) in terms {
                    let c = self.number(*c);
                    let term = self.normal(t)?;
                    let scaled = self.times(&c, &term)?;
                    sum = self.plus(&sum, &scaled)?;
                }
                Some(sum)
            }
            Node::Mul(all) => {
                let mut product = Fraction::integer(1);
                for (base, exponent) in all {
                    let factor = self.power(base, *exponent)?;
                    product = self.times(&product, &factor)?;
                }
                Some(product)
            }
            Node::Call(Function::Tan, args) => {
                let sine = self.trigonometric(Function::Sin, Function::Cos, &args[0], true)?;
                let cosine = self.trigonometric(Function::Cos, Function::Sin, &args[0], true)?;
                self.over(&sine, &cosine)
            }
            Node::Call(Function::Sin, args) => self.trigonometric(Function::Sin, Function::Cos, &args[0], true),
            Node::Call(Function::Cos, args) => self.trigonometric(Function::Cos, Function::Sin, &args[0], true),
            Node::Call(Function::Sinh, args) => self.trigonometric(Function::Sinh, Function::Cosh, &args[0], false),
            Node::Call(Function::Cosh, args) => self.trigonometric(Function::Cosh, Function::Sinh, &args[0], false),
            Node::Call(Function::Exp, args) => self.exponential(&args[0]),
            Node::Call(..) => Some(self.single(e)),
        }
    }

    fn number(&mut self, n: Number) -> Fraction {
        match n.as_ratio() {
            Some((a, b)) => {
                let (numerator, denominator) = (Polynomial::constant(a as i128), Polynomial::constant(b as i128));
                Fraction { numerator, denominator }
            }
            None => self.decimal(n).unwrap_or_else(|| self.single(&Expr::number(n))),
        }
    }

    /// A number of few digits that is too large or too small for a fraction of integers: an integer times a power of 10²⁰, which
    /// is a symbol, so that 10²¹ twice is 2·10²¹. Of more digits it was rounded, and is a symbol of its own: nothing exact is
    /// known about it.
    fn decimal(&mut self, n: Number) -> Option<Fraction> {
        let (digits, exponent) = decimal_form(n)?;
        let (powers, rest) = (exponent.div_euclid(UNIT), exponent.rem_euclid(UNIT));
        let unit = self.unknown(&unit()?);
        let power = if powers == 0 { vec![] } else { vec![(unit, powers.unsigned_abs())] };
        let power = Polynomial::monomial(Monomial(power), 1);
        let integer = Polynomial::constant(i128::from(digits).checked_mul(10i128.checked_pow(rest.unsigned_abs())?)?);
        Some(match powers < 0 {
            true => Fraction { numerator: integer, denominator: power },
            false => Fraction { numerator: integer.times(&power, &self.work())?, denominator: Polynomial::one() },
        })
    }

    /// The same without what powers of that symbol add up to nothing: 10·10²⁰ − 10²¹.
    pub(crate) fn added_up(&self, p: Polynomial) -> Polynomial {
        let Some(&own) = unit().and_then(|unit| self.known.get(&unit.digest())) else { return p };
        let mut groups: BTreeMap<Monomial, BTreeMap<u32, i128>> = BTreeMap::new();
        for (monomial, &c) in &p.0 {
            let others = monomial.0.iter().filter(|f| f.0 != own).copied().collect();
            groups.entry(Monomial(others)).or_default().insert(monomial.degree(own), c);
        }
        let vanishes = |m: &Monomial| {
            let others = Monomial(m.0.iter().filter(|f| f.0 != own).copied().collect());
            groups.get(&others).is_some_and(is_nothing)
        };
        Polynomial(p.0.iter().filter(|(m, _)| !vanishes(m)).map(|(m, &c)| (m.clone(), c)).collect())
    }

    /// Whether an unknown is that symbol.
    pub(crate) fn is_unit(&self, v: u32) -> bool {
        unit().is_some_and(|unit| unit == *self.symbol(v))
    }

    /// sin or cos (sinh or cosh) as an unknown, with the relation between the two.
    fn trigonometric(&mut self, f: Function, partner: Function, argument: &Expr, circular: bool) -> Option<Fraction> {
        let work = &self.work();
        let (own, other) = (Expr::call(f, vec![argument.clone()]), Expr::call(partner, vec![argument.clone()]));
        let fresh = !self.known.contains_key(&own.digest()) && !self.known.contains_key(&other.digest());
        let value = self.single(&own);
        let (a, b) = (self.unknown(&own), self.unknown(&other));
        if fresh {
            let odd = if matches!(f, Function::Sin | Function::Sinh) { a } else { b };
            let even = if odd == a { b } else { a };
            let square = |v: u32| Polynomial::monomial(Monomial(vec![(v, 2)]), 1);
            // sin² = 1 − cos², sinh² = cosh² − 1.
            let rest = Polynomial::one().minus(&square(even), work)?;
            let rest = if circular { rest } else { rest.negated() };
            self.relations.push(Relation { unknown: odd, polynomial: square(odd).minus(&rest, work)? });
        }
        Some(value)
    }

    /// e^(Σ cᵢ tᵢ) as a product of powers.
    fn exponential(&mut self, argument: &Expr) -> Option<Fraction> {
        let terms = match argument.node() {
            Node::Add(k, terms) if k.is_zero() => terms.clone(),
            _ => vec![(Number::ONE, argument.clone())],
        };
        let mut product = Fraction::integer(1);
        for (c, t) in terms {
            let (base, power) = match c.as_integer() {
                Some(k) if k.unsigned_abs() <= 16 => (t, k),
                _ if c.is_negative() => (t.scale(c.abs()), -1),
                _ => (t.scale(c), 1),
            };
            let atom = self.single(&Expr::call(Function::Exp, vec![base]));
            let factor = self.integer_power(&atom, power)?;
            product = self.times(&product, &factor)?;
        }
        Some(product)
    }

    fn power(&mut self, base: &Expr, exponent: Number) -> Option<Fraction> {
        let work = &self.work();
        let Some((n, root)) = exponent.as_ratio() else { return Some(self.single(&base.pow(exponent))) };
        if n.unsigned_abs() > 64 || root > 16 {
            return Some(self.single(&base.pow(exponent)));
        }
        let inner = self.normal(base)?;
        if root == 1 {
            return self.integer_power(&inner, n);
        }
        let atom = base.pow(Number::ratio(1, root)?);
        let fresh = !self.known.contains_key(&atom.digest());
        let value = self.single(&atom);
        if fresh {
            // r^root·denominator = numerator
            let unknown = self.unknown(&atom);
            let high = Polynomial::monomial(Monomial(vec![(unknown, root as u32)]), 1);
            let polynomial = high.times(&inner.denominator, work)?.minus(&inner.numerator, work)?;
            self.relations.push(Relation { unknown, polynomial });
        }
        self.integer_power(&value, n)
    }

    fn integer_power(&self, f: &Fraction, n: i64) -> Option<Fraction> {
        let work = &self.work();
        let k = u32::try_from(n.unsigned_abs()).ok()?;
        let (numerator, denominator) = (f.numerator.power(k, work)?, f.denominator.power(k, work)?);
        if n >= 0 { self.fraction(numerator, denominator) } else { self.fraction(denominator, numerator) }
    }

    /// Reduces by the relations: (r, m) with m·p = r wherever the relations hold.
    fn reduce(&self, p: Polynomial) -> Option<(Polynomial, Polynomial)> {
        let work = &self.work();
        reduce(p, self.relations.iter(), work)
    }

    /// The same with further relations, which the ones between the unknowns are applied after: x² + cos²θ where x = sin θ.
    pub(crate) fn reduce_with(&self, p: Polynomial, further: &[Relation]) -> Option<(Polynomial, Polynomial)> {
        let work = &self.work();
        reduce(p, further.iter().chain(&self.relations), work)
    }

    /// numerator/denominator in normal form; `None` also for a division by zero.
    pub(crate) fn fraction(&self, numerator: Polynomial, denominator: Polynomial) -> Option<Fraction> {
        let work = &self.work();
        let mut best = self.lowest_terms(numerator, denominator)?;
        // (cos² − 1)/sin is −sin: what has a relation may be brought out of the denominator.
        for r in &self.relations {
            if common_monomial(&best.denominator).degree(r.unknown) > 0 {
                let by = Polynomial::unknown(r.unknown);
                let (n, d) = (best.numerator.times(&by, work)?, best.denominator.times(&by, work)?);
                best = self.lowest_terms(n, d).filter(|new| new.size() < best.size()).unwrap_or(best);
            }
        }
        Some(best)
    }

    fn lowest_terms(&self, numerator: Polynomial, denominator: Polynomial) -> Option<Fraction> {
        let work = &self.work();
        let (n, by_n) = self.reduce(numerator)?;
        let (d, by_d) = self.reduce(denominator)?;
        let (n, d) = (n.times(&by_d, work)?, d.times(&by_n, work)?);
        if d.is_zero() {
            return None;
        }
        let common = greatest_common_divisor(&n, &d, work)?;
        let (n, d) = (n.over(&common, work)?, d.over(&common, work)?);
        let (denominator, kept) = d.positive();
        Some(Fraction { numerator: if kept { n } else { n.negated() }, denominator })
    }

    pub(crate) fn plus(&self, a: &Fraction, b: &Fraction) -> Option<Fraction> {
        let work = &self.work();
        if a.is_zero() || b.is_zero() {
            return Some(if a.is_zero() { b.clone() } else { a.clone() });
        }
        if a.denominator == b.denominator {
            return self.fraction(a.numerator.plus(&b.numerator, work)?, a.denominator.clone());
        }
        let common = greatest_common_divisor(&a.denominator, &b.denominator, work)?;
        let (da, db) = (a.denominator.over(&common, work)?, b.denominator.over(&common, work)?);
        let numerator = a.numerator.times(&db, work)?.plus(&b.numerator.times(&da, work)?, work)?;
        self.fraction(numerator, a.denominator.times(&db, work)?)
    }

    pub(crate) fn minus(&self, a: &Fraction, b: &Fraction) -> Option<Fraction> {
        self.plus(a, &b.negated())
    }

    pub(crate) fn times(&self, a: &Fraction, b: &Fraction) -> Option<Fraction> {
        let work = &self.work();
        if a.is_zero() || b.is_zero() {
            return Some(Fraction::integer(0));
        }
        self.fraction(a.numerator.times(&b.numerator, work)?, a.denominator.times(&b.denominator, work)?)
    }

    pub(crate) fn over(&self, a: &Fraction, b: &Fraction) -> Option<Fraction> {
        self.times(a, &Fraction { numerator: b.denominator.clone(), denominator: b.numerator.clone() })
    }

    /// A polynomial that every denominator divides.
    pub(crate) fn common_denominator<'a>(&self, all: impl Iterator<Item = &'a Fraction>) -> Option<Polynomial> {
        let work = &self.work();
        let mut common = Polynomial::one();
        for f in all {
            let shared = greatest_common_divisor(&common, &f.denominator, work)?;
            common = common.times(&f.denominator.over(&shared, work)?, work)?;
        }
        Some(common)
    }

    /// A polynomial by its monomials in what is no parameter: with the coefficient of each, which is made of parameters.
    pub(crate) fn by_variables(&self, p: &Polynomial) -> Vec<(Monomial, Polynomial)> {
        let mut out: BTreeMap<Monomial, Polynomial> = BTreeMap::new();
        for (m, &c) in &p.0 {
            let (own, rest): (Vec<_>, Vec<_>) = m.0.iter().partition(|(v, _)| self.is_parameter(*v));
            out.entry(Monomial(rest)).or_default().0.insert(Monomial(own), c);
        }
        out.into_iter().collect()
    }

    /// As an expression, with the denominator in factors; `None` if a number does not fit, or is too large.
    pub(crate) fn expression(&self, f: &Fraction) -> Option<Expr> {
        if f.is_zero() {
            return Some(Expr::zero());
        }
        let (above, below) = (self.factorised(&f.numerator)?, self.factorised(&f.denominator)?);
        finite(above / below)
    }

    /// As a sum of terms, where the denominator is a single term.
    fn terms(&self, f: &Fraction) -> Option<Expr> {
        let (below, &number) = f.denominator.0.last_key_value().filter(|_| f.denominator.0.len() == 1)?;
        let product =
            |m: &Monomial, sign: i64| Expr::product(m.0.iter().map(|&(v, k)| self.symbol(v).powi(sign * k as i64)));
        let below_each = product(below, -1);
        let mut terms = vec![];
        for (m, &c) in &f.numerator.0 {
            let c = Number::ratio(i64::try_from(c).ok()?, i64::try_from(number).ok()?)?;
            terms.push((c, product(m, 1) * &below_each));
        }
        finite(Expr::linear(Number::ZERO, terms))
    }

    /// The shortest of an expression, its normal form in factors, and its normal form as a sum.
    pub(crate) fn simplified(&mut self, e: &Expr) -> Expr {
        if e.size() > MAX_SIMPLIFIED {
            return e.clone();
        }
        let Some(f) = self.normal(e) else { return e.clone() };
        let forms = [self.terms(&f), self.expression(&f), Some(e.clone())];
        forms.into_iter().flatten().min_by_key(Expr::size).unwrap_or_else(|| e.clone())
    }

    fn factorised(&self, p: &Polynomial) -> Option<Expr> {
        let work = &self.work();
        if p.0.len() > MAX_FACTORISED {
            return self.sum(p);
        }
        let Some(parts) = factors(p, work) else { return self.sum(p) };
        let product =
            parts.iter().try_fold(Polynomial::one(), |product, (f, k)| product.times(&f.power(*k, work)?, work))?;
        let number = p.over(&product, work)?.as_constant()?;
        let mut all = vec![Expr::number(i64::try_from(number).ok()?)];
        for (f, k) in parts {
            all.push(self.sum(&f)?.powi(k as i64));
        }
        finite(Expr::product(all))
    }

    /// A polynomial as a sum.
    pub(crate) fn sum(&self, p: &Polynomial) -> Option<Expr> {
        let mut terms = vec![];
        for (m, &c) in &p.0 {
            let product = Expr::product(m.0.iter().map(|&(v, k)| self.symbol(v).powi(k as i64)));
            terms.push((Number::from(i64::try_from(c).ok()?), product));
        }
        finite(Expr::linear(Number::ZERO, terms))
    }
}

/// Rounded numbers may overflow: the shortest of all expressions is then none.
fn finite(e: Expr) -> Option<Expr> {
    e.poisoned().is_none().then_some(e)
}

/// Reduces a polynomial by relations until none applies: (r, m) with m·p = r modulo the relations.
fn reduce<'a>(
    p: Polynomial,
    relations: impl Iterator<Item = &'a Relation> + Clone,
    work: &Work,
) -> Option<(Polynomial, Polynomial)> {
    let (mut rest, mut multiplier) = (p, Polynomial::one());
    // Each relation may bring back unknowns that another one eliminates, but not for ever.
    for _ in 0..50 {
        let mut changed = false;
        for r in relations.clone() {
            if rest.degree(r.unknown) >= r.polynomial.degree(r.unknown) && !rest.is_zero() {
                let (next, by) = pseudo_remainder(&rest, &r.polynomial, r.unknown, work)?;
                rest = next;
                multiplier = multiplier.times(&by, work)?;
                changed = true;
            }
        }
        if !changed {
            return Some((rest, multiplier));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::Field;
    use cotangent_expr::{Array, Expr, Function, Role};

    fn symbol(name: &str) -> Expr {
        Expr::from(&Array::scalar(name, Role::Coordinate))
    }

    fn normal(e: &Expr) -> String {
        let mut field = Field::default();
        let f = field.normal(e).unwrap();
        field.expression(&f).unwrap().to_string()
    }

    #[test]
    fn common_divisors_cancel() {
        let (x, y) = (symbol("x"), symbol("y"));
        assert_eq!(normal(&((x.powi(2) - y.powi(2)) / (&x - &y))), "x + y");
        assert_eq!(normal(&(1 - x.powi(2) / (x.powi(2) + y.powi(2)))), "y^2/(x^2 + y^2)");
        assert_eq!(normal(&((&x + &y).powi(2) - x.powi(2) - 2 * (&x * &y) - y.powi(2))), "0");
    }

    #[test]
    fn functions_keep_their_relations() {
        let x = symbol("x");
        let call = |f: Function| Expr::call(f, vec![x.clone()]);
        let (sin, cos) = (call(Function::Sin), call(Function::Cos));
        assert_eq!(normal(&(sin.powi(2) + cos.powi(2))), "1");
        assert_eq!(normal(&((cos.powi(2) - 1) / &sin)), "-sin(x)");
        assert_eq!(normal(&(call(Function::Tan) * &cos / &sin)), "1");
        assert_eq!(normal(&(call(Function::Cosh).powi(2) - call(Function::Sinh).powi(2))), "1");
        let root = (x.powi(2) + 1).sqrt();
        assert_eq!(normal(&(&root * &root / (x.powi(2) + 1))), "1");
        assert_eq!(normal(&(1 / &root - &root / (x.powi(2) + 1))), "0");
        let growth = |e: Expr| Expr::call(Function::Exp, vec![e]);
        assert_eq!(normal(&(growth(x.clone()) * growth(-&x))), "1");
    }

    #[test]
    fn powers_of_a_large_number_add_up() {
        let sum = |list: &[(u32, i128)]| {
            super::is_nothing(&list.iter().copied().collect::<std::collections::BTreeMap<_, _>>())
        };
        let unit = 10i128.pow(20);
        assert!(sum(&[]) && sum(&[(0, unit), (1, -1)]) && sum(&[(1, 3 * unit), (2, -3)]));
        assert!(sum(&[(0, -5 * unit), (1, 5 - unit), (2, 1)]));
        assert!(!sum(&[(0, 1)]) && !sum(&[(0, unit), (1, 1)]) && !sum(&[(0, unit + 1), (1, -1)]));
        assert!(!sum(&[(0, i128::MAX), (1, i128::MAX)]) && !sum(&[(0, unit), (3, -1)]));
    }
}
