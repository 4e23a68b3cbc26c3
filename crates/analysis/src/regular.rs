//! What a condition F = 0 asks for, from the factors of F: those that it is written with, those that are found, those
//! over the real numbers, and those that F has on the surface that is known.

use crate::algebra::{Fraction, Polynomial, Relation, factors, pseudo_remainder};
use crate::surface::KnownSurface;
use cotangent_expr::{Expr, Function, Node, Number};

/// A condition taken apart.
#[derive(Debug)]
pub(crate) enum Condition {
    /// F vanishes where these do, and their gradients do not vanish with them as far as can be seen.
    Constraints {
        expressions: Vec<Expr>,
        /// Whether the gradient of F itself vanishes there: a power, or a sum of squares.
        irregular: bool,
        /// Whether F is the constraint up to parameters: no other factor was left out.
        whole: bool,
    },
    /// F vanishes everywhere: it asks for nothing.
    Identity,
    /// F vanishes nowhere.
    Contradiction,
    /// F vanishes where one of these does: the surface falls apart.
    Branches(Vec<Expr>),
}

/// The largest number of remainders formed to show that a part has no points, and the work granted for that.
const MAX_REMAINDERS: usize = 60;
const EMPTY: u64 = 1_000_000;
/// The largest number of choices of what the constraints eliminate, and the work granted for each.
const MAX_VIEWS: usize = 8;
const VIEW: u64 = 2_000_000;
/// Denominators are not looked for in longer expressions.
const MAX_WRITTEN: u64 = 2_000;

impl KnownSurface {
    /// Takes a condition apart. Factors made of parameters, and those that cannot vanish, are left out.
    pub(crate) fn condition(&mut self, f: &Expr) -> Condition {
        let found = self.as_written(f).or_else(|| self.factors_of(f)).or_else(|| power(f));
        match found.unwrap_or_else(|| Condition::Constraints {
            expressions: vec![f.clone()],
            irregular: false,
            whole: true,
        }) {
            regular @ Condition::Constraints { irregular: false, .. } => self.where_others_hold(f).unwrap_or(regular),
            other => other,
        }
    }

    /// Whether a condition is not a regular one by itself where the constraints hold.
    pub(crate) fn is_apart(&mut self, f: &Expr) -> bool {
        matches!(
            self.condition(f),
            Condition::Branches(_) | Condition::Contradiction | Condition::Constraints { irregular: true, .. }
        )
    }

    /// A sum of squares, or a product, as it is written.
    fn as_written(&mut self, f: &Expr) -> Option<Condition> {
        if let Some(expressions) = squares(f) {
            return Some(Condition::Constraints { expressions, irregular: true, whole: false });
        }
        let Node::Mul(factors) = without_number(f).node() else { return None };
        let (mut parts, mut powers): (Vec<Expr>, bool) = (vec![], false);
        for (base, k) in factors.iter().filter(|(_, k)| !k.is_negative()) {
            match self.condition(base) {
                Condition::Identity => return Some(Condition::Identity),
                Condition::Contradiction => {}
                Condition::Branches(all) => parts.extend(all),
                Condition::Constraints { expressions, irregular, .. } => {
                    powers = powers || irregular || !k.is_one();
                    match <[Expr; 1]>::try_from(expressions) {
                        Ok([one]) => parts.push(one),
                        Err(_) => parts.push(base.clone()),
                    }
                }
            }
        }
        match <[Expr; 1]>::try_from(parts) {
            // Several factors multiplied out may be more than one can see.
            Ok([one]) if factors.len() > 1 => {
                let short = |all: &[Expr]| all.iter().map(Expr::size).sum::<u64>() <= one.size();
                match self.factors_of(f) {
                    Some(Condition::Constraints { expressions, irregular, whole }) if short(&expressions) => {
                        Some(Condition::Constraints { expressions, irregular, whole })
                    }
                    _ => Some(match self.condition(&one) {
                        Condition::Constraints { expressions, irregular, .. } => {
                            Condition::Constraints { expressions, irregular: irregular || powers, whole: false }
                        }
                        other => other,
                    }),
                }
            }
            Ok(_) => None,
            // No factor vanishes anywhere; what is only divided by is looked at as a whole.
            Err(parts) if parts.is_empty() => {
                factors.iter().any(|(_, k)| !k.is_negative()).then_some(Condition::Contradiction)
            }
            Err(parts) => self.kept(parts),
        }
    }

    /// A condition that is fulfilled by any of several: those without points are left out, and so are those inside others.
    fn kept(&mut self, parts: Vec<Expr>) -> Option<Condition> {
        let mut left: Vec<(Expr, Option<Polynomial>)> = vec![];
        for e in parts {
            let e = self.shorter_where_others_hold(e);
            let p = self.field.normal(&e).map(|f| f.numerator);
            let empty = p.as_ref().and_then(|p| match self.leaves_the_domain(p) {
                true => Some(None),
                false => self.field.work().within(EMPTY, || self.emptiness(&[p])),
            });
            if let Some(unless) = empty {
                unless.iter().for_each(|p| self.assume(p));
                self.empty.push(e);
            } else if left.iter().all(|known| known.0 != e) {
                left.push((e, p));
            }
        }
        let mut inside = vec![false; left.len()];
        for (k, (_, p)) in left.iter().enumerate() {
            let Some(zeros) = p.as_ref().and_then(|p| self.field.semidefinite(p)).map(|s| s.zeros) else { continue };
            // x² + y² = 0 is inside x = 0 and inside y = x³.
            let relation = |z: &Polynomial| Some(Relation { unknown: self.main_unknown(z)?, polynomial: z.clone() });
            let Some(point) = zeros.iter().map(relation).collect::<Option<Vec<Relation>>>() else { continue };
            let outer = |q: &Polynomial| {
                let rest = self.field.reduce_with(q.clone(), &point);
                rest.is_some_and(|(rest, by)| rest.is_zero() && self.field.only_parameters(&by))
            };
            // Of parts that are inside each other one stays.
            let others = || left.iter().zip(&inside).enumerate().filter(|(j, (_, inside))| *j != k && !**inside);
            inside[k] = others().any(|(_, ((_, q), _))| q.as_ref().is_some_and(outer));
        }
        let mut inside = inside.into_iter();
        left.retain(|_| inside.next() != Some(true));
        Some(match left.as_slice() {
            [] => Condition::Contradiction,
            [(one, _)] => match self.condition(one) {
                Condition::Constraints { expressions, irregular, .. } => {
                    Condition::Constraints { expressions, irregular, whole: false }
                }
                other => other,
            },
            _ => Condition::Branches(left.into_iter().map(|l| l.0).collect()),
        })
    }

    /// Whether a polynomial vanishes, where the constraints hold, only where the model is not defined.
    fn leaves_the_domain(&self, p: &Polynomial) -> bool {
        let rest = self.field.reduce_with(p.clone(), self.plain()).map(|(rest, _)| rest);
        rest.is_some_and(|rest| !rest.is_zero() && self.vanishing(&rest).is_empty())
    }

    /// A part in the simplest form that it has where the constraints hold: x − 2 y is y where x = y.
    fn shorter_where_others_hold(&mut self, e: Expr) -> Expr {
        let work = &self.field.work();
        let Some(normal) = self.field.normal(&e) else { return e };
        let reduced = || {
            let rest = self.field.reduce_with(normal.numerator, self.plain())?.0;
            let state: Vec<_> =
                factors(&rest, work)?.into_iter().filter(|(p, _)| !self.field.only_parameters(p)).collect();
            let [(one, 1)] = state.as_slice() else { return None };
            self.field.sum(one).filter(|new| new.size() < e.size())
        };
        reduced().unwrap_or(e)
    }

    /// Notes that the factors of a condition are not known.
    fn unknown<T>(&mut self) -> Option<T> {
        self.unfactored = true;
        None
    }

    /// `None` if it is irreducible, or its factors are not known, which is noted.
    fn factors_of(&mut self, f: &Expr) -> Option<Condition> {
        let Some(normal) = self.field.normal(f) else { return self.unknown() };
        let whole = self.field.only_parameters(&normal.denominator);
        self.of_polynomial(&normal.numerator, whole)
    }

    fn of_polynomial(&mut self, numerator: &Polynomial, mut whole: bool) -> Option<Condition> {
        let work = &self.field.work();
        if numerator.is_zero() {
            return Some(Condition::Identity);
        }
        let mut left: Vec<(Polynomial, u32)> = vec![];
        let Some(all) = factors(numerator, work) else { return self.unknown() };
        for (p, k) in all {
            if self.may_vanish(&p) {
                // A number that may be zero decides nothing.
                return self.unknown();
            }
            if self.field.only_parameters(&p) {
                self.assume(&p);
            } else if self.field.strict_sign(&p).is_some() || self.is_excluded(&p) || self.never(&p) {
                whole = false;
            } else {
                left.push((p, k));
            }
        }
        if let [(p, k)] = left.as_slice() {
            if let Some(found) = self.field.semidefinite(p) {
                let zeros = found.zeros.iter().map(|z| self.field.sum(z)).collect::<Option<_>>();
                let Some(expressions) = zeros else { return self.unknown() };
                return Some(Condition::Constraints { expressions, irregular: true, whole: false });
            }
            if let Some(lines) = self.field.over_the_reals(p) {
                return self.kept(lines);
            }
            let expressions = match self.field.sum(p) {
                Some(one) => vec![one],
                None if whole && *k == 1 => return None,
                None => return self.unknown(),
            };
            return Some(Condition::Constraints { expressions, irregular: *k > 1, whole: whole && *k == 1 });
        }
        let mut parts = vec![];
        for (p, _) in &left {
            match self.field.over_the_reals(p) {
                Some(lines) => parts.extend(lines),
                None => match self.field.sum(p) {
                    Some(one) => parts.push(one),
                    None => return self.unknown(),
                },
            }
        }
        if parts.is_empty() { Some(Condition::Contradiction) } else { self.kept(parts) }
    }

    /// A condition that looks regular, where the constraints hold: x y + z eˣ is x y where z = 0. `None` if it is regular
    /// there, too.
    fn where_others_hold(&mut self, f: &Expr) -> Option<Condition> {
        let normal = self.field.normal(f)?;
        // What was replaced once is not replaced again.
        if self.replacing {
            return None;
        }
        match self.weak_normal(&normal) {
            Some(weak) if weak.is_zero() => return None,
            Some(_) => {}
            None => return self.unknown(),
        }
        let known = self.unfactored;
        self.replacing = true;
        let (mut found, mut seen) = (None, false);
        for view in self.views() {
            self.unfactored = false;
            found = self.field.work().within(VIEW, || self.seen_with(f, &normal, &view));
            seen = seen || !self.unfactored;
            if found.is_some() {
                break;
            }
        }
        self.replacing = false;
        self.unfactored = known || found.is_none() && !seen;
        found
    }

    /// The constraints that eliminate an unknown, and the same where one of them, or one more, eliminates another: those that
    /// are linear in it first.
    fn views(&self) -> Vec<Vec<Relation>> {
        let plain = self.plain();
        let (mut linear, mut others) = (vec![], vec![]);
        for r in self.relations() {
            let p = &r.polynomial;
            let place = plain.iter().position(|known| known.polynomial == *p);
            for unknown in p.unknowns().into_iter().filter(|&v| v != r.unknown && !self.field.is_parameter(v)) {
                if !p.coefficients(unknown).last().is_some_and(|lead| self.field.only_parameters(lead)) {
                    continue;
                }
                let mut view = plain.to_vec();
                match place {
                    Some(k) => view[k].unknown = unknown,
                    None => view.push(Relation { unknown, polynomial: p.clone() }),
                }
                if p.degree(unknown) == 1 { linear.push(view) } else { others.push(view) }
            }
        }
        let mut out = vec![plain.to_vec()];
        out.extend(linear.into_iter().chain(others));
        out.truncate(MAX_VIEWS);
        out
    }

    fn seen_with(&mut self, f: &Expr, normal: &Fraction, view: &[Relation]) -> Option<Condition> {
        let work = &self.field.work();
        let reduced = || {
            let (above, by_above) = self.field.reduce_with(normal.numerator.clone(), view)?;
            let (below, by_below) = self.field.reduce_with(normal.denominator.clone(), view)?;
            Some(self.field.fraction(above.times(&by_below, work)?, below.times(&by_above, work)?)?.numerator)
        };
        let Some(rest) = reduced() else { return self.unknown() };
        if rest == normal.numerator || rest.is_zero() {
            return None;
        }
        let known = self.empty.len();
        // What is written as a product stays one where a variable is replaced.
        let replaced = f.rewrite(&mut |leaf| self.value_of(leaf, view));
        let found = match self.as_written(&replaced) {
            Some(found) => Some(found),
            // Sheets that do not meet are regular together.
            None => match self.of_polynomial(&rest, false)? {
                Condition::Branches(all) if self.are_sheets(&all) => None,
                found => Some(found),
            },
        };
        match found {
            Some(Condition::Constraints { irregular: false, .. } | Condition::Identity) | None => {
                self.empty.truncate(known);
                None
            }
            found => found,
        }
    }

    /// What a constraint makes of a variable: a formula without it.
    fn value_of(&self, leaf: &Expr, view: &[Relation]) -> Option<Expr> {
        let own = |r: &&Relation| r.polynomial.degree(r.unknown) == 1 && self.field.symbol(r.unknown) == leaf;
        let relation = view.iter().find(own)?;
        match &relation.polynomial.coefficients(relation.unknown)[..] {
            [rest, lead] => Some(-(self.field.sum(rest)? / self.field.sum(lead)?)),
            _ => None,
        }
    }

    /// Notes what is divided by: the model is not defined where one of its factors vanishes.
    pub(crate) fn exclude(&mut self, divided: &[Expr]) {
        let work = &self.field.work();
        for e in divided {
            let Some(f) = self.field.normal(e) else { continue };
            let all = factors(&f.numerator, work).unwrap_or_else(|| vec![(f.numerator, 1)]);
            let all = all.into_iter().filter(|(p, _)| !self.field.only_parameters(p));
            let new: Vec<Expr> = all.filter_map(|(p, _)| self.field.sum(&p)).collect();
            self.excluded.extend(new);
        }
    }

    /// Whether a factor was taken not to vanish before, or cannot.
    pub(crate) fn is_excluded(&self, p: &Polynomial) -> bool {
        self.field.sum(p).is_some_and(|e| self.assumptions.contains(&e) || self.excluded.contains(&e))
    }

    /// Whether it is shown that no two of these vanish at once on the surface, and no constraint is irregular where one does:
    /// x² + y² + z² = 1 is the point x = y = 0 where z = 1.
    fn are_sheets(&mut self, parts: &[Expr]) -> bool {
        let normal = |e: &Expr| self.field.normal(e).map(|f| f.numerator);
        let all: Option<Vec<Polynomial>> = parts.iter().map(normal).collect();
        self.are_disjoint(parts) && all.is_some_and(|all| all.iter().all(|p| self.is_regular_where(p)))
    }

    /// Whether it is shown that no two of these vanish at once on the surface.
    pub(crate) fn are_disjoint(&mut self, parts: &[Expr]) -> bool {
        let normal: Option<Vec<Polynomial>> = parts.iter().map(|e| Some(self.field.normal(e)?.numerator)).collect();
        let Some(all) = normal else { return false };
        let apart = |k: usize, j: usize| {
            let work = self.field.work();
            work.within(EMPTY, || self.emptiness(&[&all[j], &all[k]]).is_some_and(|unless| unless.is_none()))
        };
        (0..all.len()).all(|k| (0..k).all(|j| apart(k, j)))
    }

    /// Whether no constraint is seen to be irregular where a polynomial vanishes, and those hold that are shorter.
    fn is_regular_where(&mut self, p: &Polynomial) -> bool {
        let mut all = self.polynomials.clone();
        all.sort_by_key(|q| q.0.len());
        let mut sheet: Vec<Relation> = vec![];
        for q in [p.clone()].into_iter().chain(all) {
            let Some((rest, _)) = self.field.reduce_with(q, &sheet) else { return false };
            if rest.is_zero() {
                continue;
            }
            if matches!(self.of_polynomial(&rest, false), Some(Condition::Constraints { irregular: true, .. })) {
                return false;
            }
            let unknown = self.main_unknown(&rest);
            sheet.extend(unknown.map(|unknown| Relation { unknown, polynomial: rest }));
        }
        true
    }

    /// Whether it is shown that a polynomial vanishes nowhere on the surface, whatever the parameters are.
    pub(crate) fn is_empty(&self, p: &Polynomial) -> bool {
        self.field.work().within(EMPTY, || self.emptiness(&[p]).is_some_and(|unless| unless.is_none()))
    }

    /// Whether it is shown that polynomials vanish together nowhere on the surface, and for which parameters alone that is not so:
    /// where those of a polynomial vanish. Where f and g vanish, so does every remainder of their division, whatever it is
    /// multiplied by: x + 3 and x² + y² − 1 leave y² + 8, x and x² − k leave k.
    fn emptiness(&self, further: &[&Polynomial]) -> Option<Option<Polynomial>> {
        let work = &self.field.work();
        let mut known: Vec<Polynomial> = further.iter().map(|&p| p.clone()).collect();
        let relations = self.relations().iter().chain(self.field.relations());
        known.extend(relations.map(|r| r.polynomial.clone()));
        let (mut looked, mut k) = (0, 0);
        while k < known.len() && looked < MAX_REMAINDERS {
            if self.field.strict_sign(&known[k]).is_some() {
                return Some(None);
            }
            for j in 0..k {
                for (f, g) in [(j, k), (k, j)] {
                    let shared = known[g].unknowns().into_iter().filter(|&v| !self.field.is_parameter(v));
                    let shared: Vec<u32> = shared.filter(|&v| known[f].degree(v) >= known[g].degree(v)).collect();
                    for v in shared {
                        looked += 1;
                        let rest = pseudo_remainder(&known[f], &known[g], v, work);
                        let Some((rest, _)) = rest.and_then(|r| self.field.reduce_with(r.0, &[])) else { continue };
                        if !rest.is_zero() && looked < MAX_REMAINDERS && !known.contains(&rest) {
                            known.push(rest);
                        }
                    }
                }
            }
            k += 1;
        }
        if known[k..].iter().any(|p| self.field.strict_sign(p).is_some()) {
            return Some(None);
        }
        // Generic parameters are no zeros of a polynomial.
        let special = known.iter().find(|p| self.field.only_parameters(p) && self.field.is_polynomial(p));
        special.map(|p| Some(p.clone()))
    }
}

/// What an expression divides by, as it is written.
pub(crate) fn denominators(e: &Expr) -> Vec<Expr> {
    if e.size() > MAX_WRITTEN {
        return vec![];
    }
    match e.node() {
        Node::Add(_, terms) => terms.iter().flat_map(|(_, t)| denominators(t)).collect(),
        Node::Mul(factors) => {
            let own = factors.iter().filter(|(_, k)| k.is_negative()).map(|(base, _)| base.clone());
            own.chain(factors.iter().flat_map(|(base, _)| denominators(base))).collect()
        }
        Node::Call(Function::Tan, args) => {
            let cosine = Expr::call(Function::Cos, args.to_vec());
            std::iter::once(cosine).chain(denominators(&args[0])).collect()
        }
        Node::Call(_, args) => args.iter().flat_map(denominators).collect(),
        _ => vec![],
    }
}

/// A product without the number before it.
fn without_number(f: &Expr) -> &Expr {
    match f.node() {
        Node::Add(rest, terms) if rest.is_zero() && terms.len() == 1 => &terms[0].1,
        _ => f,
    }
}

/// A power of something of which nothing is known.
fn power(f: &Expr) -> Option<Condition> {
    match without_number(f).node() {
        Node::Mul(factors) => match factors.as_slice() {
            [(base, k)] if k.as_integer().is_some_and(|k| k > 1) => {
                Some(Condition::Constraints { expressions: vec![base.clone()], irregular: true, whole: false })
            }
            _ => None,
        },
        _ => None,
    }
}

/// The functions whose squares, with weights of one sign, add up to this as it is written: it vanishes where all of them
/// do, and so does its gradient.
fn squares(f: &Expr) -> Option<Vec<Expr>> {
    let Node::Add(rest, terms) = f.node() else { return None };
    let signs = terms.iter().map(|(weight, _)| weight.is_negative());
    if !rest.is_zero() || terms.len() < 2 || signs.clone().any(|s| s) && !signs.clone().all(|s| s) {
        return None;
    }
    let root = |term: &Expr| match term.node() {
        Node::Mul(factors) => {
            let even = |k: &Number| k.as_integer().is_some_and(|k| k > 0 && k % 2 == 0);
            factors.iter().all(|(_, k)| even(k)).then(|| Expr::product(factors.iter().map(|(b, _)| b.clone())))
        }
        _ => None,
    };
    terms.iter().map(|(_, term)| root(term)).collect()
}
