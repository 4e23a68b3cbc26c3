//! How a bracket depends on its variables, and which Lie algebra a linear one comes from.
//!
//! A bracket Bᵢⱼ = Σ C_jiᵏ zₖ is that on the dual of the Lie algebra [eᵢ, eⱼ] = Σ C_ijᵏ eₖ, with the sign of the Euler
//! equations of a body: ż = z × ∇H on the dual of so(3), [e₁, e₂] = e₃. Its name is told by invariants that determine it:
//! centre, derived algebra, signature of the Killing form κ(x, y) = tr(ad x ad y).

use crate::algebra::{Field, Fraction, Monomial, Row, kernel, reduced};
use crate::report::{BracketForm, LieAlgebra};
use cotangent_theory::phase::Phase;
use std::collections::BTreeMap;

/// Larger algebras get no name.
const MAX_NAMED: usize = 10;
/// Brackets of more variables are not looked at.
const MAX_VARIABLES: usize = 200;
/// Algebras of a larger dimension are not looked at.
const MAX_DIMENSION: usize = 40;

/// The form of a bracket, with the Lie algebra of its linear part if it has nothing of higher degree; `None` where it is too
/// large.
pub(crate) fn form(phase: &Phase, field: &mut Field) -> Option<(BracketForm, Option<LieAlgebra>)> {
    let n = phase.len();
    if n > MAX_VARIABLES {
        return None;
    }
    let unknowns: Vec<u32> = phase.symbols.iter().map(|z| field.unknown(z)).collect();
    let mut algebra = Algebra::abelian(n);
    let (mut constant, mut linear, mut quadratic, mut other) = (false, false, false, false);
    for (i, row) in phase.bracket.iter().enumerate() {
        for (&j, b) in row.range(i + 1..) {
            let f = field.normal(b)?;
            if !f.is_zero() && !field.only_parameters(&f.denominator) {
                return Some((BracketForm::Other, None));
            }
            for (monomial, c) in field.by_variables(&f.numerator) {
                let c = field.fraction(c, f.denominator.clone())?;
                match &monomial.0[..] {
                    [] => constant = true,
                    [(v, 1)] if unknowns.contains(v) => {
                        linear = true;
                        let k = unknowns.iter().position(|u| u == v)?;
                        algebra.put(i, j, k, c.negated());
                    }
                    _ if monomial == pair(unknowns[i], unknowns[j]) => quadratic = true,
                    _ => other = true,
                }
            }
        }
    }
    let described = || if n <= MAX_DIMENSION { algebra.described(phase, field) } else { None };
    Some(match (constant, linear, quadratic, other) {
        (_, false, false, false) => (BracketForm::Constant, None),
        (false, true, false, false) => (BracketForm::Linear, described()),
        (true, true, false, false) => (BracketForm::Affine, described()),
        (false, false, true, false) => (BracketForm::LogCanonical, None),
        _ => (BracketForm::Other, None),
    })
}

/// zᵢ zⱼ
fn pair(a: u32, b: u32) -> Monomial {
    Monomial(vec![(a, 1)]).times(&Monomial(vec![(b, 1)]))
}

/// A Lie algebra by the brackets of its basis.
struct Algebra {
    dimension: usize,
    /// [eᵢ, eⱼ], for those that do not vanish.
    brackets: BTreeMap<(usize, usize), Row>,
}

impl Algebra {
    fn abelian(dimension: usize) -> Algebra {
        Algebra { dimension, brackets: BTreeMap::new() }
    }

    /// Sets C_ijᵏ = −C_jiᵏ.
    fn put(&mut self, i: usize, j: usize, k: usize, c: Fraction) {
        self.brackets.entry((j, i)).or_default().insert(k, c.negated());
        self.brackets.entry((i, j)).or_default().insert(k, c);
    }

    fn described(&self, phase: &Phase, field: &Field) -> Option<LieAlgebra> {
        let mut constants = vec![];
        for ((i, j), row) in self.brackets.iter().filter(|((i, j), _)| i < j) {
            for (k, c) in row {
                let [i, j, k] = [*i, *j, *k].map(|k| phase.names[k].clone());
                constants.push((i, j, k, field.expression(c)?));
            }
        }
        let whole = self.whole();
        let mut derived = vec![self.dimension];
        let mut last = whole.clone();
        loop {
            let next = self.products(field, &last, &last)?;
            if next.len() == last.len() {
                break;
            }
            derived.push(next.len());
            last = next;
        }
        let generic = constants.iter().any(|(_, _, _, c)| !c.leaves().is_empty());
        Some(LieAlgebra {
            constants,
            generic,
            name: self.name(field),
            centre: self.centre(field)?.len(),
            derived,
            killing: self.killing(field).and_then(|k| signature(field, k)),
        })
    }

    /// The basis.
    fn whole(&self) -> Vec<Row> {
        (0..self.dimension).map(|i| Row::from([(i, Fraction::integer(1))])).collect()
    }

    fn bracket(&self, field: &Field, x: &Row, y: &Row) -> Option<Row> {
        let mut out = Row::new();
        for (i, a) in x {
            for (j, b) in y {
                for (k, c) in self.brackets.get(&(*i, *j)).into_iter().flatten() {
                    let term = field.times(&field.times(a, b)?, c)?;
                    let old = out.remove(k).unwrap_or_else(|| Fraction::integer(0));
                    let sum = field.plus(&old, &term)?;
                    if !sum.is_zero() {
                        out.insert(*k, sum);
                    }
                }
            }
        }
        Some(out)
    }

    /// A basis of [U, V].
    fn products(&self, field: &Field, u: &[Row], v: &[Row]) -> Option<Vec<Row>> {
        let mut all = vec![];
        for x in u {
            for y in v {
                all.push(self.bracket(field, x, y)?);
            }
        }
        self.span(field, all)
    }

    /// A basis of what vectors span.
    fn span(&self, field: &Field, all: Vec<Row>) -> Option<Vec<Row>> {
        Some(reduced(field, all, self.dimension)?.into_iter().map(|(_, row)| row).collect())
    }

    /// A basis of the x with [x, eⱼ] = 0 for all j.
    fn centre(&self, field: &Field) -> Option<Vec<Row>> {
        let mut rows: BTreeMap<(usize, usize), Row> = BTreeMap::new();
        for ((i, j), row) in &self.brackets {
            for (k, c) in row {
                rows.entry((*j, *k)).or_default().insert(*i, c.clone());
            }
        }
        kernel(field, rows.into_values().collect(), self.dimension)
    }

    /// κᵢⱼ = Σ C_ikˡ C_jlᵏ.
    fn killing(&self, field: &Field) -> Option<Vec<Vec<Fraction>>> {
        let n = self.dimension;
        let mut out = vec![vec![Fraction::integer(0); n]; n];
        for ((i, k), row) in &self.brackets {
            for (l, c) in row {
                for j in 0..n {
                    if let Some(d) = self.brackets.get(&(j, *l)).and_then(|row| row.get(k)) {
                        out[*i][j] = field.plus(&out[*i][j], &field.times(c, d)?)?;
                    }
                }
            }
        }
        Some(out)
    }

    /// The algebra of a subspace that is one, given by a basis.
    fn within(&self, field: &Field, basis: &[Row]) -> Option<Algebra> {
        let basis = reduced(field, basis.to_vec(), self.dimension)?;
        let mut out = Algebra::abelian(basis.len());
        for (i, (_, x)) in basis.iter().enumerate() {
            for (j, (_, y)) in basis.iter().enumerate().skip(i + 1) {
                let product = self.bracket(field, x, y)?;
                // Each basis vector has its own pivot.
                for (k, (pivot, _)) in basis.iter().enumerate() {
                    if let Some(c) = product.get(pivot) {
                        out.put(i, j, k, c.clone());
                    }
                }
            }
        }
        Some(out)
    }

    /// The algebra modulo an ideal, given by a basis.
    fn modulo(&self, field: &Field, ideal: &[Row]) -> Option<Algebra> {
        let ideal = reduced(field, ideal.to_vec(), self.dimension)?;
        let rest: Vec<usize> = (0..self.dimension).filter(|k| ideal.iter().all(|(pivot, _)| pivot != k)).collect();
        let mut out = Algebra::abelian(rest.len());
        for (a, &i) in rest.iter().enumerate() {
            for (b, &j) in rest.iter().enumerate().skip(a + 1) {
                let product = self.brackets.get(&(i, j)).cloned().unwrap_or_default();
                for (c, k) in rest.iter().enumerate() {
                    let mut entry = product.get(k).cloned().unwrap_or_else(|| Fraction::integer(0));
                    for (pivot, row) in &ideal {
                        if let (Some(x), Some(y)) = (product.get(pivot), row.get(k)) {
                            entry = field.minus(&entry, &field.times(x, y)?)?;
                        }
                    }
                    if !entry.is_zero() {
                        out.put(a, b, c, entry);
                    }
                }
            }
        }
        Some(out)
    }

    /// Its name: that of each ideal that some of the variables span, and of the rest.
    fn name(&self, field: &Field) -> Option<String> {
        let mut names: Vec<String> = vec![];
        let mut abelian = 0;
        for block in self.blocks() {
            let unit = |k: &usize| Row::from([(*k, Fraction::integer(1))]);
            let own = self.within(field, &block.iter().map(unit).collect::<Vec<_>>())?;
            let (name, central) = own.without_summand(field)?;
            abelian += central;
            names.extend(name);
        }
        if abelian > 0 {
            names.push(if abelian == 1 { "R".to_owned() } else { format!("R^{abelian}") });
        }
        Some(names.join(" + "))
    }

    /// Variables that brackets connect.
    fn blocks(&self) -> Vec<Vec<usize>> {
        let mut label: Vec<usize> = (0..self.dimension).collect();
        for ((i, j), row) in &self.brackets {
            for k in row.keys().chain([j]) {
                let (a, b) = (label[*i], label[*k]);
                label.iter_mut().filter(|l| **l == a).for_each(|l| *l = b);
            }
        }
        let mut out: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (k, l) in label.into_iter().enumerate() {
            out.entry(l).or_default().push(k);
        }
        let mut blocks: Vec<Vec<usize>> = out.into_values().collect();
        blocks.sort();
        blocks
    }

    /// The name of what is left without an abelian summand, and the dimension of that. A complement W of Z ∩ [g, g] in the
    /// centre Z is one: any space that contains [g, g] is an ideal, and g is the sum of W and such a space.
    fn without_summand(&self, field: &Field) -> Option<(Option<String>, usize)> {
        let n = self.dimension;
        let derived = self.products(field, &self.whole(), &self.whole())?;
        if derived.is_empty() {
            return Some((None, n));
        }
        let centre = self.centre(field)?;
        let both = self.span(field, [&derived[..], &centre].concat())?.len();
        let summand = both - derived.len();
        if summand == 0 {
            return Some((Some(self.indecomposable(field, &derived, &centre)?), 0));
        }
        let mut central = derived.clone();
        for z in centre {
            let more = self.span(field, [&central[..], &[z]].concat())?;
            central = if more.len() > central.len() { more } else { central };
        }
        // [g, g], and unit vectors that are independent of it and of the centre.
        let mut rest = derived;
        for unit in self.whole() {
            let more = self.span(field, [&central[..], std::slice::from_ref(&unit)].concat())?;
            if more.len() > central.len() {
                central = more;
                rest.push(unit);
            }
        }
        let own = self.within(field, &rest)?;
        let derived = own.products(field, &own.whole(), &own.whole())?;
        let centre = own.centre(field)?;
        Some((Some(own.indecomposable(field, &derived, &centre)?), summand))
    }

    /// The name of an algebra without an abelian summand, if its invariants determine it.
    fn indecomposable(&self, field: &Field, derived: &[Row], centre: &[Row]) -> Option<String> {
        let n = self.dimension;
        if derived.len() == 1 && centre.len() == 1 {
            // The centre is [g, g]: the bracket is a symplectic form on g/[g, g].
            return Some(format!("Heisenberg({n})"));
        }
        if n > MAX_NAMED {
            return None;
        }
        if n == 2 {
            return Some("aff(1)".to_owned());
        }
        if n == 3 && derived.len() == 2 {
            return self.plane(field, derived);
        }
        let killing = signature(field, self.killing(field)?)?;
        if killing[2] == 0 {
            return semisimple(n, killing[0]).map(str::to_owned);
        }
        // [g, g] = g: the radical is where the Killing form vanishes. Where it is abelian and of dimension three, g/rad acts
        // on it, without invariant vectors: so(3) or sl(2) on three dimensions, in the only way there is.
        if n == 6 && derived.len() == 6 && killing[2] == 3 {
            let form = self.killing(field)?;
            let rows = form.iter().map(|row| (0..).zip(row.iter().cloned()).filter(|(_, c)| !c.is_zero()).collect());
            let radical = kernel(field, rows.collect(), n)?;
            if self.products(field, &radical, &radical)?.is_empty() {
                let quotient = self.modulo(field, &radical)?;
                return match signature(field, quotient.killing(field)?)? {
                    [0, 3, 0] => Some("e(3)".to_owned()),
                    [2, 1, 0] => Some("e(2,1)".to_owned()),
                    _ => None,
                };
            }
        }
        None
    }

    /// Three dimensions with an abelian plane [g, g], on which a third vector acts by a matrix M: det M > 0 = tr M turns it.
    fn plane(&self, field: &Field, derived: &[Row]) -> Option<String> {
        let basis = reduced(field, derived.to_vec(), 3)?;
        let third = (0..3).find(|k| basis.iter().all(|(pivot, _)| pivot != k))?;
        let turning = Row::from([(third, Fraction::integer(1))]);
        let mut m: Vec<Vec<Fraction>> = vec![];
        for (_, x) in &basis {
            let image = self.bracket(field, &turning, x)?;
            let entry = |pivot: &usize| image.get(pivot).cloned().unwrap_or_else(|| Fraction::integer(0));
            m.push(basis.iter().map(|(pivot, _)| entry(pivot)).collect());
        }
        let trace = field.plus(&m[0][0], &m[1][1])?;
        let det = field.minus(&field.times(&m[0][0], &m[1][1])?, &field.times(&m[0][1], &m[1][0])?)?;
        match (trace.is_zero(), sign(field, &det)?) {
            (true, true) => Some("e(2)".to_owned()),
            (true, false) => Some("e(1,1)".to_owned()),
            _ => None,
        }
    }
}

/// The real semisimple algebras of a dimension whose Killing form has so many positive squares, where there is only one.
fn semisimple(dimension: usize, positive: usize) -> Option<&'static str> {
    Some(match (dimension, positive) {
        (3, 0) => "so(3)",
        (3, 2) => "sl(2,R)",
        (6, 0) => "so(4)",
        (6, 2) => "so(3) + sl(2,R)",
        (6, 3) => "so(3,1)",
        (6, 4) => "so(2,2)",
        (8, 0) => "su(3)",
        (8, 4) => "su(2,1)",
        (8, 5) => "sl(3,R)",
        (10, 0) => "so(5)",
        (10, 4) => "so(4,1)",
        (10, 6) => "so(3,2)",
        _ => return None,
    })
}

/// Whether something that is not zero is positive.
fn sign(field: &Field, f: &Fraction) -> Option<bool> {
    Some(field.strict_sign(&f.numerator)? == field.strict_sign(&f.denominator)?)
}

/// A symmetric matrix as a sum of squares: how many are positive, negative, and missing.
fn signature(field: &Field, mut m: Vec<Vec<Fraction>>) -> Option<[usize; 3]> {
    let mut out = [0, 0, 0];
    let mut left: Vec<usize> = (0..m.len()).collect();
    loop {
        let Some(&i) = left.iter().find(|&&i| !m[i][i].is_zero()) else {
            // 2 x y = ((x + y)² − (x − y)²)/2
            let pair = left.iter().find_map(|&i| Some((i, *left.iter().find(|&&j| !m[i][j].is_zero())?)));
            let Some((i, j)) = pair else { break };
            for &k in &left {
                m[i][k] = field.plus(&m[i][k], &m[j][k])?;
            }
            for &k in &left {
                m[k][i] = field.plus(&m[k][i], &m[k][j])?;
            }
            continue;
        };
        out[usize::from(!sign(field, &m[i][i])?)] += 1;
        left.retain(|&k| k != i);
        for &j in &left {
            for &k in &left {
                let rest = field.over(&field.times(&m[j][i], &m[i][k])?, &m[i][i])?;
                m[j][k] = field.minus(&m[j][k], &rest)?;
            }
        }
    }
    out[2] = left.len();
    Some(out)
}
