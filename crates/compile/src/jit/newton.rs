//! Newton's method inline, for the ordinary course of an iteration.

use super::regions::Regions;
use super::step::{Rule, Steps};
use super::target::{Comparison, Target};
use crate::program::{Binary, Instruction, Program, Unary};
use cotangent_solve::{Comparisons, Pattern, StoppingRule, Verdict};

/// What an iteration carries on besides its unknowns.
struct Loop<T: Target> {
    sizes: Vec<T::Cell>,
    previous: T::Cell,
    count: T::Cell,
}

/// A system with its residual and Jacobian at an iterate.
pub(super) struct At<'p, T: Target> {
    pub(super) system: usize,
    pub(super) pattern: &'p Pattern,
    pub(super) residual: Vec<T::Number>,
    pub(super) jacobian: Vec<T::Number>,
}

/// Whether the equations are affine in their unknowns.
pub(super) fn is_affine(program: &Program, system: usize) -> bool {
    let site = program.systems[system].site.and_then(|site| program.plan.unknowns(site));
    site.is_some_and(|unknowns| unknowns.affine)
}

impl<'p, T: Target> Steps<'_, 'p, T> {
    /// Newton's method by the rule of [`StoppingRule`], or one update of affine equations;
    /// anything but its ordinary course goes to `bail`.
    pub(super) fn newton(&mut self, root: &Instruction) {
        let Instruction::Root { solver, unknown, terms, residual, jacobian, body } = root else { return };
        let equations = (*solver, [*residual, *jacobian], &body[..]);
        if is_affine(self.program, *solver) {
            return self.affine(*unknown, equations);
        }
        let n = self.program.systems[*solver].pattern.rows();
        let l =
            Loop::<T> { sizes: (0..n).map(|_| self.t.cell()).collect(), previous: self.t.cell(), count: self.t.cell() };
        let zero = self.t.number(0.0);
        l.sizes.iter().for_each(|&size| self.t.set(size, zero));
        // No update yet: no comparison with NaN holds.
        let none = self.t.number(f64::NAN);
        self.t.set(l.previous, none);
        self.t.set(l.count, zero);
        let terms = terms.map_or(vec![], |terms| self.listed(terms, n));
        let exit = self.t.open_block();
        let again = self.t.open_loop();
        let x = self.listed(*unknown, n);
        let at = self.evaluated(equations);
        // Solved already: every residual is zero.
        let unsolved = self.t.open_block();
        let solved = self.vanish(&at.residual);
        self.t.go_unless(solved, unsolved);
        let finite = self.finite(&at.jacobian);
        self.t.go_if(finite, exit);
        self.t.close_block(unsolved);
        let (count, limit) = (self.t.get(l.count), self.rule(Rule::Limit));
        let spent = self.t.compare(Comparison::AtMost, limit, count);
        self.t.go_if(spent, self.bail);
        let delta = self.update(&at);
        let one = self.t.number(1.0);
        self.count(0, one);

        let verdict = self.judge(&l, (&x, &delta), &terms, &at);
        let next: Vec<T::Number> = x.iter().zip(&delta).map(|(&x, &d)| self.t.binary(Binary::Sub, x, d)).collect();
        self.set_all(*unknown, &next);
        self.t.go_if(verdict.last, exit);
        let moving = self.t.open_block();
        self.t.go_unless(verdict.stalled, moving);
        // A stall at round-off is arrival; any other is for the reference to judge.
        self.set_all(*unknown, &x);
        self.t.go_if(verdict.round_off, exit);
        self.t.go(self.bail);
        self.t.close_block(moving);
        self.t.set(l.previous, verdict.update);
        let count = self.t.binary(Binary::Add, count, one);
        self.t.set(l.count, count);
        self.t.go(again);
        self.t.close_loop(again);
        self.t.close_block(exit);
    }

    /// One update from the first guess.
    fn affine(&mut self, unknown: usize, equations: (usize, [usize; 2], &[Instruction])) {
        let n = self.program.systems[equations.0].pattern.rows();
        let x = self.listed(unknown, n);
        let zeros = (unknown..unknown + n).map(|at| at as i64).filter(|at| self.zeros.contains(at));
        self.nothing = zeros.collect();
        let at = self.evaluated(equations);
        self.nothing.clear();
        let delta = self.update(&at);
        let next: Vec<T::Number> = x.iter().zip(&delta).map(|(&x, &d)| self.t.binary(Binary::Sub, x, d)).collect();
        self.set_all(unknown, &next);
        // None where every residual is zero already.
        let solved = self.vanish(&at.residual);
        let (zero, one) = (self.t.number(0.0), self.t.number(1.0));
        let made = self.t.choice(solved, zero, one);
        self.count(0, made);
    }

    /// Residual and Jacobian at the unknowns.
    fn evaluated(&mut self, root: (usize, [usize; 2], &[Instruction])) -> At<'p, T> {
        let (system, [residual, jacobian], body) = root;
        self.instructions(body);
        let program: &'p Program = self.program;
        let pattern = &program.systems[system].pattern;
        let residual = self.listed(residual, pattern.rows());
        At { system, pattern, residual, jacobian: self.listed(jacobian, pattern.len()) }
    }

    /// δ = J⁻¹ r.
    fn update(&mut self, at: &At<'_, T>) -> Vec<T::Number> {
        if let (&[r], &[j]) = (&at.residual[..], &at.jacobian[..]) {
            let delta = self.t.binary(Binary::Div, r, j);
            // With these r is finite, too.
            let finite = self.finite(&[j, delta]);
            self.t.go_unless(finite, self.bail);
            return vec![delta];
        }
        self.solved(at)
    }

    /// What the stopping rule says of an update.
    fn judge(
        &mut self,
        l: &Loop<T>,
        (x, delta): (&[T::Number], &[T::Number]),
        terms: &[T::Number],
        at: &At<'_, T>,
    ) -> Verdict<T::Number, T::Truth> {
        let mut unknowns = vec![];
        for ((&x, &delta), &size) in x.iter().zip(delta).zip(&l.sizes) {
            let (x, delta) = (self.t.unary(Unary::Abs, x), self.t.unary(Unary::Abs, delta));
            let before = self.t.get(size);
            let mut c = Written(self.t);
            let largest = c.larger(before, x);
            let largest = c.larger(largest, delta);
            self.t.set(size, largest);
            unknowns.push([x, delta, largest]);
        }
        let (mut equations, mut moving) = (vec![], vec![]);
        for (i, &r) in at.residual.iter().enumerate() {
            let mut row = None;
            for (entry, &j) in at.pattern.positions(i).zip(at.pattern.row(i)) {
                let term = self.t.binary(Binary::Mul, at.jacobian[entry], x[j as usize]);
                let term = self.t.unary(Unary::Abs, term);
                row = Some(match row {
                    Some(sum) => self.t.binary(Binary::Add, sum, term),
                    None => term,
                });
            }
            let row = row.unwrap_or_else(|| self.t.number(0.0));
            let terms = terms.get(i).copied().unwrap_or_else(|| self.t.number(f64::NAN));
            let size = self.t.unary(Unary::Abs, r);
            equations.push([size, terms]);
            moving.push([size, row]);
        }
        let smallest = self.rule(Rule::Update);
        let previous = self.t.get(l.previous);
        let (unknowns, equations, moving) = (unknowns.into_iter(), equations.into_iter(), moving.into_iter());
        StoppingRule::judge(&mut Written(self.t), f64::EPSILON, (smallest, previous), unknowns, equations, moving)
    }
}

/// The comparisons of the stopping rule as instructions.
pub(super) struct Written<'t, T>(pub(super) &'t mut T);

impl<T: Target> Comparisons for Written<'_, T> {
    type Number = T::Number;
    type Truth = T::Truth;

    fn number(&mut self, x: f64) -> T::Number {
        self.0.number(x)
    }

    fn product(&mut self, a: T::Number, b: T::Number) -> T::Number {
        self.0.binary(Binary::Mul, a, b)
    }

    fn ratio(&mut self, a: T::Number, b: T::Number) -> T::Number {
        let zero = self.0.number(0.0);
        let nothing = self.0.compare(Comparison::Equal, a, zero);
        let quotient = self.0.binary(Binary::Div, a, b);
        self.0.choice(nothing, zero, quotient)
    }

    fn larger(&mut self, a: T::Number, b: T::Number) -> T::Number {
        // As one instruction: the larger one of two.
        let more = self.0.compare(Comparison::Less, a, b);
        self.0.choice(more, b, a)
    }

    fn at_most(&mut self, a: T::Number, b: T::Number) -> T::Truth {
        self.0.compare(Comparison::AtMost, a, b)
    }

    fn both(&mut self, a: T::Truth, b: T::Truth) -> T::Truth {
        self.0.both(a, b)
    }

    fn either(&mut self, a: T::Truth, b: T::Truth) -> T::Truth {
        self.0.either(a, b)
    }

    fn choice(&mut self, truth: T::Truth, a: T::Number, b: T::Number) -> T::Number {
        self.0.choice(truth, a, b)
    }
}
