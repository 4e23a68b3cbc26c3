//! The names of Lie algebras, told by invariants that determine them: centre, derived algebra, signature of the Killing form
//! κ(x, y) = tr(ad x ad y).

use super::structure::{Algebra, sign, signature};
use crate::algebra::{Field, Fraction, Row, kernel, reduced};

/// Larger algebras without an abelian summand get no name.
const MAX_NAMED: usize = 10;

impl Algebra {
    /// Its name: that of each ideal that some of the variables span, and of the rest.
    pub(super) fn name(&self, field: &Field) -> Option<String> {
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
