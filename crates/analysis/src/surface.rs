//! The constraint surface, and equality on it.
//!
//! F ≈ 0 (weakly zero) if F vanishes wherever the constraints do. That is *proved* if F reduces to
//! zero by the constraints, taken as polynomials of which each eliminates one unknown (a triangular
//! set: where the leading coefficients do not vanish, a zero remainder says F ≈ 0), and does so, too,
//! in the cases where they vanish (see `cases`). Otherwise F is *sampled* at random points of the surface.

use crate::algebra::{Field, Fraction, Polynomial, Relation, factors};
use crate::error::AnalysisError;
use crate::point::Point;
use crate::report::Certainty;
use crate::sample::{RANDOM, Sampler};
use crate::weighed::Weighed;
use cotangent_expr::{Expr, Node, Role};
use cotangent_model::Sign;
use cotangent_scalar::{Real, Scalar};
use cotangent_theory::phase::Sparse;

/// Whether something vanishes on the surface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Weak {
    Zero(Certainty),
    /// Not zero at generic points.
    Nonzero,
    /// Nowhere zero: a number, or made of parameters alone.
    Never,
    Undecided,
}

/// What symbols show.
enum Shown {
    Surely(Weak),
    /// The polynomial vanishes where the multiplier, made of leading coefficients of the constraints, does not.
    ZeroByDivision {
        polynomial: Polynomial,
        multiplier: Polynomial,
    },
}

/// What values at points show, which are anywhere or on a surface, and at points beside the start; those outside the domain of
/// an expression say nothing, nor do those where it vanishes and a small term of it may hide.
fn sampled(random: &[Weighed], beside: &[Weighed], anywhere: bool) -> Weak {
    let vanishes = |x: Weighed| if anywhere { x.vanishes_anywhere() } else { x.vanishes() };
    let shown = |values: &[Weighed]| -> Vec<Option<bool>> {
        values.iter().filter(|x| x.speaks(anywhere)).map(|x| vanishes(*x)).collect()
    };
    let (random, beside) = (shown(random), shown(beside));
    let all = |value: bool| random.iter().chain(&beside).all(|v| *v == Some(value));
    match random.len() {
        _ if beside.len() > 1 && beside.iter().all(|v| *v == Some(false)) => Weak::Nonzero,
        0 | 1 => Weak::Undecided,
        k if all(true) => Weak::Zero(Certainty::Sampled(k)),
        _ if random.iter().all(|v| *v == Some(false)) => Weak::Nonzero,
        _ => Weak::Undecided,
    }
}

/// The constraint surface as far as it is known.
pub(crate) struct KnownSurface {
    pub(crate) field: Field,
    /// The constraints, each eliminating one unknown.
    relations: Vec<Relation>,
    /// Those whose leading coefficient is made of parameters.
    plain: Vec<Relation>,
    /// The constraints as they are, for proofs by cases.
    pub(crate) polynomials: Vec<Polynomial>,
    pub(crate) points: Vec<Point>,
    /// The constraints that the points were moved onto, with their gradients.
    pub(crate) sampled: (Vec<Expr>, Vec<Sparse>),
    /// Points of the surface where something vanishes that was divided by.
    pub(crate) special: Vec<(Expr, Vec<Point>)>,
    /// Whether there is none: all points of the phase space are meant.
    free: bool,
    pub(crate) sampler: Sampler,
    /// Parameters and expressions that were taken not to vanish.
    pub(crate) assumptions: Vec<Expr>,
    /// Where the Lagrangian is not defined: factors of its denominator.
    pub(crate) excluded: Vec<Expr>,
    /// Where the surface falls apart: the factors that are to vanish.
    pub(crate) chosen: Vec<Expr>,
    /// Factors that were shown to vanish nowhere on the surface.
    pub(crate) empty: Vec<Expr>,
    /// Whether a condition was taken as it is because its factors, there or where the constraints hold, were not found.
    pub(crate) unfactored: bool,
    /// Whether a condition is looked at with variables replaced by what the constraints make of them.
    pub(crate) replacing: bool,
    /// Whether polynomials are reduced by the constraints: not for large systems.
    symbolic: bool,
}

/// What is known of the constraints at some time.
#[derive(Clone)]
pub(crate) struct Known {
    relations: Vec<Relation>,
    plain: Vec<Relation>,
    polynomials: Vec<Polynomial>,
    assumptions: Vec<Expr>,
    free: bool,
}

/// How many points decide.
pub(crate) const POINTS: usize = 8;
/// And how many beside the start.
const BESIDE: usize = 4;
/// With more variables the surface is only sampled, at fewer points.
const MAX_SYMBOLIC: usize = 30;

impl KnownSurface {
    pub(crate) fn new(sampler: Sampler, field: Field, variables: usize) -> KnownSurface {
        KnownSurface {
            field,
            relations: vec![],
            plain: vec![],
            polynomials: vec![],
            points: vec![],
            sampled: (vec![], vec![]),
            special: vec![],
            free: true,
            sampler,
            assumptions: vec![],
            excluded: vec![],
            chosen: vec![],
            empty: vec![],
            unfactored: false,
            replacing: false,
            symbolic: variables <= MAX_SYMBOLIC,
        }
    }

    /// The constraints as polynomials, and those of them whose leading coefficient is made of parameters.
    pub(crate) fn relations(&self) -> &[Relation] {
        &self.relations
    }
    pub(crate) fn plain(&self) -> &[Relation] {
        &self.plain
    }

    /// Whether constraints are looked at by symbols.
    pub(crate) fn is_symbolic(&self) -> bool {
        self.symbolic
    }

    /// Takes up constraints for as long as it takes to look at something, and forgets them.
    pub(crate) fn for_the_moment<T>(&mut self, run: impl FnOnce(&mut KnownSurface) -> T) -> T {
        let known = self.known();
        let out = run(self);
        self.go_back(known);
        out
    }

    /// The constraints as they are known.
    pub(crate) fn known(&self) -> Known {
        let (relations, plain, polynomials) = (self.relations.clone(), self.plain.clone(), self.polynomials.clone());
        Known { relations, plain, polynomials, assumptions: self.assumptions.clone(), free: self.free }
    }

    /// Forgets constraints that were taken up since.
    pub(crate) fn go_back(&mut self, known: Known) {
        (self.relations, self.plain, self.polynomials) = (known.relations, known.plain, known.polynomials);
        (self.assumptions, self.free) = (known.assumptions, known.free);
    }

    /// Whether an expression is shown to vanish by the constraints, without a division.
    pub(crate) fn follows(&mut self, e: &Expr) -> bool {
        matches!(self.symbolically(e), Some(Shown::Surely(Weak::Zero(_))))
    }

    /// How many points are sampled.
    pub(crate) fn count(&self) -> usize {
        if self.symbolic { POINTS } else { 3 }
    }

    /// Moves the sampled points onto these constraints; how many were found.
    pub(crate) fn resample(&mut self, constraints: &[Expr], gradients: &[Sparse]) -> Result<usize, AnalysisError> {
        self.free = constraints.is_empty();
        self.points = self.sampler.surface(constraints, gradients, self.count())?;
        (self.sampled, self.special) = ((constraints.to_vec(), gradients.to_vec()), vec![]);
        Ok(self.points.len())
    }

    /// Takes up a constraint.
    pub(crate) fn add(&mut self, constraint: &Expr) {
        self.free = false;
        if !self.symbolic {
            return;
        }
        let Some(f) = self.field.normal(constraint) else { return };
        self.polynomials.push(f.numerator.clone());
        let Some((p, _)) = self.field.reduce_with(f.numerator, &self.relations) else { return };
        let Some(unknown) = self.main_unknown(&p) else { return };
        let relation = Relation { unknown, polynomial: p };
        let lead = relation.polynomial.coefficients(unknown).pop().unwrap_or_default();
        if self.field.only_parameters(&lead) {
            self.plain.push(relation.clone());
        }
        self.relations.push(relation);
    }

    /// Takes up a constraint that vanishes near the points where the others do: it eliminates nothing.
    pub(crate) fn add_dependent(&mut self, constraint: &Expr) {
        let normal = if self.symbolic { self.field.normal(constraint) } else { None };
        self.polynomials.extend(normal.map(|f| f.numerator));
    }

    /// The unknown that a constraint eliminates best: with the smallest degree, a leading coefficient
    /// that surely does not vanish, and momenta before coordinates.
    pub(crate) fn main_unknown(&self, p: &Polynomial) -> Option<u32> {
        let state = p.unknowns().into_iter().filter(|&v| !self.field.is_parameter(v));
        state.min_by_key(|&v| {
            let lead = p.coefficients(v).pop().unwrap_or_default();
            let role = match self.field.symbol(v).node() {
                Node::At(a, _) if a.role() == Role::Momentum => 0,
                Node::At(a, _) if a.is_given() => 1,
                _ => 2,
            };
            let certain = self.field.only_parameters(&lead);
            (p.degree(v).max(1) + if certain { 0 } else { 1 }, role, lead.0.len())
        })
    }

    /// Takes a factor not to vanish, and says so unless the model does.
    pub(crate) fn assume(&mut self, p: &Polynomial) {
        let work = &self.field.work();
        for (f, _) in factors(p, work).unwrap_or_else(|| vec![(p.clone(), 1)]) {
            let known = match f.unknowns()[..] {
                [v] if f == Polynomial::unknown(v) => {
                    matches!(self.field.sign(v), Some(Sign::Positive | Sign::Negative | Sign::NonZero))
                }
                _ => self.field.definite(&f) == Some(true),
            };
            if !known
                && let Some(e) = self.field.sum(&f)
                && !self.assumptions.contains(&e)
            {
                self.assumptions.push(e);
            }
        }
    }

    /// Takes those factors not to vanish that are made of parameters.
    pub(crate) fn assume_parameters(&mut self, p: &Polynomial) {
        let work = &self.field.work();
        for (f, _) in factors(p, work).unwrap_or_else(|| vec![(p.clone(), 1)]) {
            if self.field.only_parameters(&f) {
                self.assume(&f);
            }
        }
    }

    /// A form on the surface: zero if it vanishes there, otherwise reduced by those constraints only
    /// whose leading coefficient is made of parameters, which keeps it short.
    pub(crate) fn weak_normal(&self, f: &Fraction) -> Option<Fraction> {
        let work = &self.field.work();
        if self.field.reduce_with(f.numerator.clone(), &self.relations)?.0.is_zero() {
            return Some(Fraction::integer(0));
        }
        let (n, by_n) = self.field.reduce_with(f.numerator.clone(), &self.plain)?;
        let (d, by_d) = self.field.reduce_with(f.denominator.clone(), &self.plain)?;
        self.field.fraction(n.times(&by_d, work)?, d.times(&by_n, work)?)
    }

    /// Reduced by all constraints, which may divide by what vanishes at special points.
    fn fully_reduced(&self, f: &Fraction) -> Option<Fraction> {
        let work = &self.field.work();
        let (n, by_n) = self.field.reduce_with(f.numerator.clone(), &self.relations)?;
        let (d, by_d) = self.field.reduce_with(f.denominator.clone(), &self.relations)?;
        self.field.fraction(n.times(&by_d, work)?, d.times(&by_n, work)?)
    }

    /// The shortest form that is known on the surface.
    pub(crate) fn weakly_simplified(&mut self, e: &Expr) -> Expr {
        let mut best = self.simplified(e);
        if let Some(f) = self.field.normal(e) {
            // What is shorter by a division is another function where one divides by zero.
            let divided = self.fully_reduced(&f).filter(|new| self.divides_safely(&new.denominator, &f.denominator));
            for reduced in [self.weak_normal(&f), divided].into_iter().flatten() {
                if let Some(new) = self.field.expression(&reduced).filter(|new| new.size() < best.size()) {
                    best = new;
                }
            }
        }
        best
    }

    /// The same as it is written down: parameters that it divides by are taken not to vanish.
    pub(crate) fn written(&mut self, e: &Expr) -> Expr {
        let shortest = self.weakly_simplified(e);
        if let Some(f) = self.field.normal(&shortest) {
            self.assume_parameters(&f.denominator);
        }
        shortest
    }

    /// Decides for several expressions at once.
    pub(crate) fn decide(&mut self, all: &[Expr]) -> Result<Vec<Weak>, AnalysisError> {
        let shown: Vec<Option<Shown>> = all.iter().map(|e| self.symbolically(e)).collect();
        let open: Vec<usize> = (0..all.len()).filter(|&k| !matches!(shown[k], Some(Shown::Surely(_)))).collect();
        let mut out: Vec<Weak> = vec![Weak::Undecided; all.len()];
        for (weak, shown) in out.iter_mut().zip(&shown) {
            if let Some(Shown::Surely(known)) = shown {
                *weak = *known;
            }
        }
        if !open.is_empty() {
            let expressions: Vec<Expr> = open.iter().map(|&k| all[k].clone()).collect();
            let values = self.sampler.values(&expressions, &self.points)?;
            let beside = if self.free { self.sampler.draw_beside_start(BESIDE) } else { vec![] };
            let beside = self.sampler.values(&expressions, &beside)?;
            for (slot, &k) in open.iter().enumerate() {
                let own = |all: &[Vec<Weighed>]| all.iter().map(|v| v[slot]).collect::<Vec<_>>();
                out[k] = match (sampled(&own(&values), &own(&beside), self.free), &shown[k]) {
                    (zero @ Weak::Zero(_), Some(Shown::ZeroByDivision { polynomial, multiplier })) => {
                        match self.vanishes_in_all_cases(polynomial) {
                            true => Weak::Zero(Certainty::Proved),
                            // On another part of the surface, where something vanishes that was divided by, it may not.
                            false if self.lasts_beside(&all[k], multiplier)? => Weak::Undecided,
                            false => zero,
                        }
                    }
                    (weak, _) => weak,
                };
            }
        }
        Ok(out)
    }

    /// What points show of a sum of products of which each factor is evaluated by itself, so that numbers in them are not rounded
    /// together: where they were, an expanded sum may be rounding alone.
    pub(crate) fn decide_products(&mut self, all: &[Vec<Expr>], anywhere: bool) -> Result<Weak, AnalysisError> {
        let anywhere = anywhere || self.free;
        let points = match anywhere {
            true => (0..POINTS).map(|k| self.sampler.draw(k)).collect(),
            false => self.points.clone(),
        };
        let beside = if anywhere { self.sampler.draw_beside_start(BESIDE) } else { vec![] };
        let factors: Vec<Expr> = all.iter().flatten().cloned().collect();
        let sums = |points: &[Point]| -> Result<Vec<Weighed>, AnalysisError> {
            let sum = |values: Vec<Weighed>| {
                let mut values = values.into_iter();
                let one = Weighed::from_f64(1.0);
                let products = all.iter().map(|p| values.by_ref().take(p.len()).fold(one, |product, x| product * x));
                products.reduce(|a, b| a + b).unwrap_or(Weighed::from_f64(0.0))
            };
            Ok(self.sampler.values(&factors, points)?.into_iter().map(sum).collect())
        };
        Ok(sampled(&sums(&points)?, &sums(&beside)?, anywhere))
    }

    /// Decides whether expressions vanish everywhere, not only on the surface.
    pub(crate) fn decide_everywhere(&mut self, all: &[Expr]) -> Result<Vec<Weak>, AnalysisError> {
        let mut verdicts = self.decide_at(0, all)?;
        // In their shortest form, whose terms cancel less; then near the start, where they have a value.
        for first in [0, RANDOM] {
            let open: Vec<usize> = (0..all.len()).filter(|&k| verdicts[k] == Weak::Undecided).collect();
            if open.is_empty() {
                break;
            }
            let shortest: Vec<Expr> = open.iter().map(|&k| self.simplified(&all[k])).collect();
            let again = self.decide_at(first, &shortest)?;
            open.into_iter().zip(again).for_each(|(k, weak)| verdicts[k] = weak);
        }
        Ok(verdicts)
    }

    /// The same at the points that are drawn from this attempt on.
    fn decide_at(&mut self, first: usize, all: &[Expr]) -> Result<Vec<Weak>, AnalysisError> {
        let anywhere = (first..first + POINTS).map(|k| self.sampler.draw(k)).collect();
        let points = std::mem::replace(&mut self.points, anywhere);
        let (relations, free) = (std::mem::take(&mut self.relations), std::mem::replace(&mut self.free, true));
        let polynomials = std::mem::take(&mut self.polynomials);
        let verdicts = self.decide(all);
        (self.points, self.relations, self.free, self.polynomials) = (points, relations, free, polynomials);
        verdicts
    }

    /// Whether the surface is inside the one where these vanish: its points are, and symbols show it.
    pub(crate) fn is_inside<'a>(&mut self, others: impl Iterator<Item = &'a Expr>) -> Result<bool, AnalysisError> {
        let others: Vec<Expr> = others.cloned().collect();
        let values = self.sampler.values(&others, &self.points)?;
        let seen = !self.points.is_empty() && values.iter().flatten().all(|x| x.vanishes() == Some(true));
        Ok(seen
            && others.iter().all(|e| self.field.normal(e).is_some_and(|f| self.vanishes_in_all_cases(&f.numerator))))
    }

    /// Whether a polynomial is a number on the surface, and not zero: N where N = 1.
    pub(crate) fn never(&self, p: &Polynomial) -> bool {
        let rest = self.field.reduce_with(p.clone(), &self.relations).map(|(rest, _)| rest);
        rest.is_some_and(|rest| self.field.only_parameters(&rest) && !self.may_vanish(&rest))
    }

    /// Whether a polynomial is a number that is not seen to differ from zero, as √12 − 2√3.
    pub(crate) fn may_vanish(&self, p: &Polynomial) -> bool {
        let unknowns = p.unknowns();
        if unknowns.is_empty() || !unknowns.into_iter().all(|v| self.field.is_number(v)) {
            return p.is_zero();
        }
        let value = self.field.sum(p).and_then(|e| self.sampler.constant(&e));
        value.is_none_or(|x| match x.vanishes_anywhere() {
            Some(zero) => zero,
            // All digits of a double-double count, unless what it is made of was rounded to fewer.
            None => !x.is_finite() || self.field.is_rounded(),
        })
    }

    fn symbolically(&mut self, e: &Expr) -> Option<Shown> {
        let zero = Some(Shown::Surely(Weak::Zero(Certainty::Proved)));
        if e.is_zero() {
            return zero;
        }
        let f = self.field.normal(e)?;
        if f.is_zero() {
            return zero;
        }
        let numerator = f.numerator;
        let (rest, multiplier) = self.field.reduce_with(numerator.clone(), &self.relations)?;
        let rest = self.field.added_up(rest);
        match rest.is_zero() {
            true if self.field.only_parameters(&multiplier) => zero,
            true => Some(Shown::ZeroByDivision { polynomial: numerator, multiplier }),
            // multiplier·e is a number: e does not vanish.
            false if self.may_vanish(&rest) => None,
            false if self.field.only_parameters(&rest) && self.field.is_exact(&rest) => {
                Some(Shown::Surely(Weak::Never))
            }
            false if self.free && self.field.is_polynomial(&rest) => Some(Shown::Surely(Weak::Nonzero)),
            false => None,
        }
    }

    /// The shortest form that is known.
    pub(crate) fn simplified(&mut self, e: &Expr) -> Expr {
        self.field.simplified(e)
    }
}
