//! Greatest common divisors and factors of polynomials.
//!
//! The divisor of a and b is found one unknown at a time, by the primitive remainder sequence. It is
//! tried first on images modulo a prime, where the other unknowns have numbers: a divisor of the
//! polynomials has an image that divides the images, so images without a common divisor decide.

use super::polynomial::{Monomial, Polynomial};
use super::work::Work;

/// gcd of integers, not negative.
pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

/// The gcd of all coefficients.
pub(crate) fn content(p: &Polynomial) -> i128 {
    p.0.values().fold(0, |g, &c| gcd(g, c))
}

/// The monomial that divides every term.
pub(crate) fn common_monomial(p: &Polynomial) -> Monomial {
    let mut terms = p.0.keys();
    let Some(first) = terms.next() else { return Monomial::default() };
    let mut common = first.0.clone();
    for m in terms {
        common = common.into_iter().map(|(v, k)| (v, k.min(m.degree(v)))).filter(|f| f.1 > 0).collect();
    }
    Monomial(common)
}

/// The greatest common divisor with a positive leading coefficient.
pub(crate) fn greatest_common_divisor(a: &Polynomial, b: &Polynomial, work: &Work) -> Option<Polynomial> {
    if a.is_zero() || b.is_zero() {
        return Some(if a.is_zero() { b } else { a }.clone().positive().0);
    }
    let number = gcd(content(a), content(b));
    let (ma, mb) = (common_monomial(a), common_monomial(b));
    let strip = |p: &Polynomial, m: &Monomial| p.over(&Polynomial::monomial(m.clone(), content(p).max(1)), work);
    let (pa, pb) = (strip(a, &ma)?, strip(b, &mb)?);
    let shared = ma.0.iter().map(|&(v, k)| (v, k.min(mb.degree(v)))).filter(|f| f.1 > 0).collect();
    let core = primitive_divisor(&pa, &pb, work)?;
    core.times(&Polynomial::monomial(Monomial(shared), number), work).map(|p| p.positive().0)
}

/// For polynomials without numeric or monomial content.
fn primitive_divisor(a: &Polynomial, b: &Polynomial, work: &Work) -> Option<Polynomial> {
    if a.as_constant().is_some() || b.as_constant().is_some() {
        return Some(Polynomial::one());
    }
    if a == b || a.negated() == *b {
        return Some(a.clone());
    }
    let (ua, ub) = (a.unknowns(), b.unknowns());
    // An unknown of one alone is not in the divisor: go on with the coefficients.
    if let Some(&v) = ua.iter().find(|v| !ub.contains(v)) {
        return a.coefficients(v).iter().filter(|c| !c.is_zero()).try_fold(b.clone(), |g, c| divisor_of(&g, c, work));
    }
    if let Some(&v) = ub.iter().find(|v| !ua.contains(v)) {
        return b.coefficients(v).iter().filter(|c| !c.is_zero()).try_fold(a.clone(), |g, c| divisor_of(&g, c, work));
    }
    if ua.iter().all(|&v| image_degree(a, b, v) == Some(0)) {
        return Some(Polynomial::one());
    }
    for (large, small) in [(a, b), (b, a)] {
        if large.over(small, work).is_some() {
            return Some(small.clone().positive().0);
        }
    }
    let v = ua.into_iter().min_by_key(|&v| a.degree(v).min(b.degree(v)))?;
    remainder_sequence(a, b, v, work)
}

fn divisor_of(a: &Polynomial, b: &Polynomial, work: &Work) -> Option<Polynomial> {
    if a.is_one() { Some(a.clone()) } else { greatest_common_divisor(a, b, work) }
}

fn remainder_sequence(a: &Polynomial, b: &Polynomial, v: u32, work: &Work) -> Option<Polynomial> {
    let contents = |p: &Polynomial| {
        p.coefficients(v)
            .iter()
            .filter(|c| !c.is_zero())
            .try_fold(Polynomial::default(), |g, c| divisor_of(&g, c, work))
    };
    let (ca, cb) = (contents(a)?, contents(b)?);
    let (mut f, mut g) = (a.over(&ca, work)?, b.over(&cb, work)?);
    if f.degree(v) < g.degree(v) {
        (f, g) = (g, f);
    }
    while g.degree(v) > 0 {
        let rest = pseudo_remainder(&f, &g, v, work)?.0;
        if rest.is_zero() {
            let core = g.over(&contents(&g)?, work)?;
            return core.times(&greatest_common_divisor(&ca, &cb, work)?, work).map(|p| p.positive().0);
        }
        f = g;
        g = rest.over(&contents(&rest)?, work)?;
    }
    greatest_common_divisor(&ca, &cb, work)
}

/// (r, m) with m·f = q·g + r, of smaller degree in v than g; m a product of factors of g's leading
/// coefficient.
pub(crate) fn pseudo_remainder(
    f: &Polynomial,
    g: &Polynomial,
    v: u32,
    work: &Work,
) -> Option<(Polynomial, Polynomial)> {
    let degree = g.degree(v);
    let coefficients = g.coefficients(v);
    let lead = coefficients.last()?;
    let (mut rest, mut multiplier) = (f.clone(), Polynomial::one());
    while !rest.is_zero() && rest.degree(v) >= degree && degree > 0 {
        let k = rest.degree(v);
        let top = rest.coefficients(v).pop()?;
        let common = greatest_common_divisor(lead, &top, work)?;
        let (by, factor) = (lead.over(&common, work)?, top.over(&common, work)?);
        let shift = match k - degree {
            0 => Polynomial::one(),
            rise => Polynomial::monomial(Monomial(vec![(v, rise)]), 1),
        };
        rest = rest.times(&by, work)?.minus(&factor.times(&shift, work)?.times(g, work)?, work)?;
        multiplier = multiplier.times(&by, work)?;
    }
    Some((rest, multiplier))
}

/// 2⁶¹ − 1.
const PRIME: i128 = (1 << 61) - 1;

/// A bound on the degree of the divisor in v, from images modulo a prime; `None` if the images say
/// nothing.
fn image_degree(a: &Polynomial, b: &Polynomial, v: u32) -> Option<usize> {
    let (mut f, mut g) = (image(a, v), image(b, v));
    if *f.last()? == 0 || *g.last()? == 0 {
        return None;
    }
    if f.len() < g.len() {
        (f, g) = (g, f);
    }
    while g.len() > 1 {
        let inverse = power_modulo(*g.last()?, PRIME - 2);
        while f.len() >= g.len() {
            let factor = f.pop()? * inverse % PRIME;
            let shift = f.len() + 1 - g.len();
            for (k, c) in g[..g.len() - 1].iter().enumerate() {
                f[shift + k] = (f[shift + k] - factor * c % PRIME + PRIME) % PRIME;
            }
        }
        while f.last() == Some(&0) {
            f.pop();
        }
        if f.is_empty() {
            return Some(g.len() - 1);
        }
        (f, g) = (g, f);
    }
    Some(0)
}

/// The coefficients in v, with every other unknown replaced by a fixed large number.
fn image(p: &Polynomial, v: u32) -> Vec<i128> {
    let mut out = vec![0; p.degree(v) as usize + 1];
    for (m, &c) in &p.0 {
        let mut value = c.rem_euclid(PRIME);
        for &(w, k) in &m.0 {
            if w != v {
                let point = (w as i128 + 7) * 1_000_003_919_393 % PRIME + 104_729;
                value = value * power_modulo(point % PRIME, k as i128) % PRIME;
            }
        }
        let slot = &mut out[m.degree(v) as usize];
        *slot = (*slot + value) % PRIME;
    }
    out
}

fn power_modulo(mut base: i128, mut exponent: i128) -> i128 {
    let mut out = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            out = out * base % PRIME;
        }
        base = base * base % PRIME;
        exponent >>= 1;
    }
    out
}

/// Factors with their multiplicities, up to a number: the monomial ones, those that some unknown
/// separates, those that repeat, and those of quadratic polynomials in a power of an unknown. They need
/// not be irreducible.
pub(crate) fn factors(p: &Polynomial, work: &Work) -> Option<Vec<(Polynomial, u32)>> {
    let mut out: Vec<(Polynomial, u32)> = vec![];
    let m = common_monomial(p);
    out.extend(m.0.iter().map(|&(v, k)| (Polynomial::unknown(v), k)));
    let core = p.over(&Polynomial::monomial(m, content(p).max(1)), work)?;
    split(&core, 1, &mut out, work)?;
    coprime(out, work)
}

/// The same product of factors no two of which have one in common: what p and its derivative have in common is a factor of
/// what is left of p, too.
fn coprime(mut open: Vec<(Polynomial, u32)>, work: &Work) -> Option<Vec<(Polynomial, u32)>> {
    let mut out: Vec<(Polynomial, u32)> = vec![];
    open.reverse();
    while let Some((f, k)) = open.pop() {
        let mut common = None;
        for (at, (known, _)) in out.iter().enumerate() {
            let divisor = greatest_common_divisor(known, &f, work)?;
            if divisor.as_constant().is_none() {
                common = Some((at, divisor));
                break;
            }
        }
        let Some((at, divisor)) = common else {
            out.push((f, k));
            continue;
        };
        let (known, l) = out.remove(at);
        for (rest, times) in [(known.over(&divisor, work)?, l), (f.over(&divisor, work)?, k), (divisor, k + l)] {
            if rest.as_constant().is_none() {
                open.push((rest.positive().0, times));
            }
        }
    }
    Some(out)
}

fn split(p: &Polynomial, multiplicity: u32, out: &mut Vec<(Polynomial, u32)>, work: &Work) -> Option<()> {
    if p.as_constant().is_some() {
        return Some(());
    }
    for v in p.unknowns() {
        let parts = p.coefficients(v);
        let common =
            parts.iter().filter(|c| !c.is_zero()).try_fold(Polynomial::default(), |g, c| divisor_of(&g, c, work))?;
        let common = match common.as_constant() {
            Some(_) => greatest_common_divisor(p, &p.derivative(v, work)?, work)?,
            None => common,
        };
        if common.as_constant().is_none() {
            split(&p.over(&common, work)?, multiplicity, out, work)?;
            return split(&common, multiplicity, out, work);
        }
    }
    for v in p.unknowns() {
        if let Some(factor) = quadratic_factor(p, v, work) {
            split(&p.over(&factor, work)?, multiplicity, out, work)?;
            return split(&factor, multiplicity, out, work);
        }
    }
    let p = p.clone().positive().0;
    match out.iter_mut().find(|f| f.0 == p) {
        Some(known) => known.1 += multiplicity,
        None => out.push((p, multiplicity)),
    }
    Some(())
}

/// The factors, and in them those that are linear in some unknown.
pub(crate) fn irreducible_factors(p: &Polynomial, work: &Work) -> Option<Vec<(Polynomial, u32)>> {
    let mut open = factors(p, work)?;
    let mut out: Vec<(Polynomial, u32)> = vec![];
    while let Some((f, k)) = open.pop() {
        match work.within(LINEAR, || linear_factor(&f, work)).and_then(|one| Some((f.over(&one, work)?, one))) {
            Some((rest, one)) => {
                open.push((rest.positive().0, k));
                open.push((one.positive().0, k));
            }
            None => match out.iter_mut().find(|known| known.0 == f) {
                Some(known) => known.1 += k,
                None => out.push((f, k)),
            },
        }
    }
    out.reverse();
    Some(out)
}

/// What the search for linear factors may take,
const LINEAR: u64 = 1_000_000;
/// and how many divisors of a coefficient it tries.
const MAX_DIVISORS: usize = 96;

/// A factor α v + β with an unknown v, where α divides the first coefficient and β the last one, as for rational roots.
fn linear_factor(p: &Polynomial, work: &Work) -> Option<Polynomial> {
    // Linear in an unknown, and without a content: irreducible.
    if p.unknowns().iter().any(|&v| p.degree(v) == 1) {
        return None;
    }
    p.unknowns().into_iter().find_map(|v| {
        let coefficients = p.coefficients(v);
        let (first, last) = (divisors(coefficients.last()?, work)?, divisors(coefficients.first()?, work)?);
        let own = image(p, v);
        for alpha in &first {
            let below = power_modulo(*image(alpha, v).first()?, PRIME - 2);
            for beta in last.iter().flat_map(|b| [b.clone(), b.negated()]) {
                // p(−β/α) modulo the prime.
                let root = (PRIME - image(&beta, v).first()? * below % PRIME) % PRIME;
                let value = own.iter().rev().fold(0, |sum, c| (sum * root + c) % PRIME);
                if value == 0
                    && let Some(factor) = alpha.times(&Polynomial::unknown(v), work).and_then(|a| a.plus(&beta, work))
                    && p.over(&factor, work).is_some()
                {
                    return Some(factor);
                }
            }
        }
        None
    })
}

/// Products of factors of a polynomial, and of its content as far as small numbers divide that.
fn divisors(p: &Polynomial, work: &Work) -> Option<Vec<Polynomial>> {
    let number = content(p);
    let mut out: Vec<Polynomial> =
        (1..=number.min(1000)).filter(|d| number % d == 0).map(Polynomial::constant).collect();
    for (f, k) in factors(p, work)? {
        let mut more = vec![];
        for known in &out {
            let mut power = known.clone();
            for _ in 0..k {
                power = power.times(&f, work)?;
                more.push(power.clone());
            }
        }
        out.extend(more);
        if out.len() > MAX_DIVISORS {
            return None;
        }
    }
    Some(out)
}

/// A factor of a w² + b w + c with w a power of v: 2 a w + b − √(b² − 4 a c) without the content, if the root is a
/// polynomial.
fn quadratic_factor(p: &Polynomial, v: u32, work: &Work) -> Option<Polynomial> {
    let degree = p.degree(v);
    let coefficients = p.coefficients(v);
    let half = degree as usize / 2;
    let other = |(k, c): (usize, &Polynomial)| !c.is_zero() && k != 0 && k != half && k != degree as usize;
    if degree < 2 || degree % 2 == 1 || coefficients.iter().enumerate().any(other) {
        return None;
    }
    let (a, b, c) = (coefficients.last()?, &coefficients[half], &coefficients[0]);
    let four = Polynomial::constant(4);
    let root = square_root(&b.times(b, work)?.minus(&four.times(a, work)?.times(c, work)?, work)?, work)?;
    let power = Polynomial::monomial(Monomial(vec![(v, half as u32)]), 2);
    let factor = a.times(&power, work)?.plus(b, work)?.minus(&root, work)?;
    let content = factor
        .coefficients(v)
        .iter()
        .filter(|c| !c.is_zero())
        .try_fold(Polynomial::default(), |g, c| divisor_of(&g, c, work))?;
    let factor = factor.over(&content, work)?;
    p.over(&factor, work).is_some().then_some(factor)
}

/// The polynomial whose square this is.
fn square_root(p: &Polynomial, work: &Work) -> Option<Polynomial> {
    let (lead, &number) = p.0.last_key_value()?;
    let halved: Option<Vec<(u32, u32)>> = lead.0.iter().map(|&(v, k)| (k % 2 == 0).then_some((v, k / 2))).collect();
    let start = number.checked_isqrt().filter(|r| r * r == number)?;
    let mut root = Polynomial::monomial(Monomial(halved?), start);
    let (first, twice) = (root.0.last_key_value()?.0.clone(), start.checked_mul(2)?);
    // Each step finds the next term; a square of n terms has at least n of them.
    for _ in 0..p.0.len() {
        let rest = p.minus(&root.times(&root, work)?, work)?;
        let Some((m, c)) = rest.0.last_key_value() else { return Some(root) };
        if c % twice != 0 {
            return None;
        }
        root = root.plus(&Polynomial::monomial(m.over(&first)?, c / twice), work)?;
    }
    (p == &root.times(&root, work)?).then_some(root)
}

#[cfg(test)]
mod tests {
    use super::{factors, greatest_common_divisor, irreducible_factors, square_root};
    use crate::algebra::polynomial::Polynomial;
    use crate::algebra::work::Work;

    fn unknown(v: u32) -> Polynomial {
        Polynomial::unknown(v)
    }

    /// x² + 2y, x y − 3, x + y + z: no two have a common divisor.
    fn parts() -> [Polynomial; 3] {
        let work = &Work::default();
        let (x, y, z) = (unknown(0), unknown(1), unknown(2));
        let two = |p: &Polynomial| p.plus(p, work).unwrap();
        [
            x.times(&x, work).unwrap().plus(&two(&y), work).unwrap(),
            x.times(&y, work).unwrap().minus(&Polynomial::constant(3), work).unwrap(),
            x.plus(&y, work).unwrap().plus(&z, work).unwrap(),
        ]
    }

    #[test]
    fn the_common_divisor_of_products_is_the_common_factor() {
        let work = &Work::default();
        let [a, b, c] = parts();
        let divisor = greatest_common_divisor(&a.times(&b, work).unwrap(), &b.times(&c, work).unwrap(), work);
        assert_eq!(divisor, Some(b.clone()));
        assert_eq!(greatest_common_divisor(&a, &c, work), Some(Polynomial::one()));
        let square = b.times(&b, work).unwrap();
        assert_eq!(greatest_common_divisor(&square, &b.times(&a, work).unwrap(), work), Some(b));
    }

    #[test]
    fn repeated_factors_and_monomials_are_found() {
        let work = &Work::default();
        let [a, _, c] = parts();
        let p = a.times(&a, work).unwrap().times(&c, work).unwrap().times(&unknown(3), work).unwrap();
        let found = factors(&p, work).unwrap();
        assert!(found.contains(&(unknown(3), 1)), "{found:?}");
        assert!(found.contains(&(a, 2)), "{found:?}");
        assert!(found.contains(&(c, 1)), "{found:?}");
    }

    #[test]
    fn repeated_factors_are_told_from_those_beside_them() {
        // Of a²b, a is what it has in common with its derivatives, and a factor of the rest.
        let work = &Work::default();
        let [a, b, _] = parts();
        let p = a.times(&a, work).and_then(|square| square.times(&b, work)).unwrap();
        let found = factors(&p, work).unwrap();
        assert!(found.len() == 2 && found.contains(&(a, 2)) && found.contains(&(b, 1)), "{found:?}");
    }

    #[test]
    fn linear_factors_are_found_in_expanded_products() {
        let work = &Work::default();
        let [circle, parabola, line] = {
            let (x, y) = (unknown(0), unknown(1));
            let square = x.times(&x, work).unwrap();
            let r = square.plus(&y.times(&y, work).unwrap(), work).unwrap();
            let twice = y.plus(&y, work).unwrap();
            [
                r.minus(&Polynomial::one(), work).unwrap(),
                twice.minus(&square, work).unwrap().positive().0,
                x.minus(&y, work).unwrap(),
            ]
        };
        let product = circle.times(&parabola, work).unwrap().times(&line, work).unwrap().times(&line, work).unwrap();
        let found = irreducible_factors(&product, work).unwrap();
        assert_eq!(found.len(), 3, "{found:?}");
        for (f, k) in [(circle, 1), (parabola, 1), (line, 2)] {
            assert!(found.contains(&(f.clone(), k)), "{f:?}: {found:?}");
        }
        // x³ − y³, and x³ − 2 y³, which has none over the rational numbers.
        let cube = |v: u32| unknown(v).power(3, work).unwrap();
        assert_eq!(irreducible_factors(&cube(0).minus(&cube(1), work).unwrap(), work).unwrap().len(), 2);
        let two = cube(1).plus(&cube(1), work).unwrap();
        assert_eq!(irreducible_factors(&cube(0).minus(&two, work).unwrap(), work).unwrap().len(), 1);
    }

    #[test]
    fn quadratic_polynomials_split_if_their_discriminant_is_a_square() {
        let work = &Work::default();
        let (x, y) = (unknown(0), unknown(1));
        let square = |p: &Polynomial| p.times(p, work).unwrap();
        // x² − y²
        let found = factors(&square(&x).minus(&square(&y), work).unwrap(), work).unwrap();
        assert_eq!(found.len(), 2, "{found:?}");
        // (r² − 1)(r² − 4) with r² = x² + y²
        let r = square(&x).plus(&square(&y), work).unwrap();
        let less = |n| r.minus(&Polynomial::constant(n), work).unwrap();
        let mut found = factors(&less(1).times(&less(4), work).unwrap(), work).unwrap();
        found.sort_by_key(|f| f.0.0.values().copied().collect::<Vec<_>>());
        assert_eq!(found, [(less(4), 1), (less(1), 1)]);
        // x² + y² and x² − 2 do not.
        assert_eq!(factors(&r, work).unwrap().len(), 1);
        assert_eq!(factors(&square(&x).minus(&Polynomial::constant(2), work).unwrap(), work).unwrap().len(), 1);
        assert_eq!(square_root(&square(&less(1)), work), Some(less(1)));
        assert_eq!(square_root(&r, work), None);
    }
}
