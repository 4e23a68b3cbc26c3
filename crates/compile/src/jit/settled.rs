//! Iterations to a fixed point over vectors in memory, for the stages of a Runge–Kutta method of a large system.

use super::area::columns;
use super::looped::Loops;
use super::newton::Written;
use super::regions::{Map, Regions};
use super::step::Rule;
use super::target::{Comparison, Target};
use crate::program::{Binary, Unary};
use cotangent_dynamics::Unknowns;
use cotangent_solve::{Comparisons, StageRule, UNSETTLED};

/// Where what is kept of the entries is in the work area, and where the unknowns and their next values are.
struct Columns {
    len: usize,
    unknown: usize,
    next: usize,
    update: usize,
    size: usize,
    known: [usize; 2],
    /// The rows of stages, and where the row that the map keeps begins.
    stages: usize,
    rounded: Option<usize>,
}

impl<T: Target> Loops<'_, '_, T> {
    /// The iteration by the rule of [`StageRule`], operation for operation.
    pub(super) fn iterate_vectors(
        &mut self,
        site: &Unknowns,
        (unknown, next, body): Map<'_>,
        patience: f64,
        failed: T::Label,
    ) {
        let (len, kept) = (columns(site), self.program.work);
        let stages = site.repeats() - usize::from(site.rounded);
        let rounded = site.rounded.then_some(unknown + stages * len);
        let [update, size, smallest, stalls] = std::array::from_fn(|k| kept + k * len);
        let c = Columns { len, unknown, next, update, size, known: [smallest, stalls], stages, rounded };
        let guess = self.start(0.0);
        self.each(site.len(), |s, i| {
            let x = s.load(unknown, i);
            s.add(guess, x);
        });
        self.bail_unless_finite(guess);
        for (to, number) in c.known.into_iter().zip(UNSETTLED) {
            let number = self.t.number(number);
            self.each(len, |s, j| s.store(to, j, number));
        }
        let count = self.start(0.0);
        let arrived = self.t.open_block();
        let again = self.t.open_loop();
        let one = self.t.number(1.0);
        self.add(self.iterations, one);
        self.instructions(body);
        let settled = self.start(1.0);
        let mut first = 0;
        for group in site.groups() {
            let largest = self.update_columns(&c, (first, group));
            self.judge_columns(&c, (first, group), largest, settled);
            first += group;
        }
        let settled = self.held(settled);
        self.t.go_if(settled, arrived);
        let one = self.t.number(1.0);
        self.add(count, one);
        let (made, limit, patience) = (self.t.get(count), self.rule(Rule::Limit), self.t.number(patience));
        let spent = [limit, patience].map(|limit| self.t.compare(Comparison::AtMost, limit, made));
        let spent = self.t.either(spent[0], spent[1]);
        self.t.go_if(spent, failed);
        self.t.go(again);
        self.t.close_loop(again);
        self.t.close_block(arrived);
    }

    /// The next values are taken for the entries of a group, with their updates and sizes; the largest of these.
    fn update_columns(&mut self, c: &Columns, (first, group): (usize, usize)) -> T::Cell {
        let (largest, sum) = (self.start(0.0), self.start(0.0));
        self.each(group, |s, j| {
            let zero = s.t.number(0.0);
            let (mut update, mut size) = (zero, zero);
            for stage in 0..c.stages {
                let at = first + stage * c.len;
                let (x, next) = (s.load(c.unknown + at, j), s.load(c.next + at, j));
                let change = s.t.binary(Binary::Sub, next, x);
                let change = s.t.unary(Unary::Abs, change);
                update = Written(s.t).larger(update, change);
                let own = s.t.unary(Unary::Abs, next);
                size = Written(s.t).larger(size, own);
                s.add(sum, next);
                s.store(c.unknown + at, j, next);
            }
            s.store(c.update + first, j, update);
            s.store(c.size + first, j, size);
            let before = s.t.get(largest);
            let after = Written(s.t).larger(before, size);
            s.t.set(largest, after);
        });
        // Sizes that add up to no number are for the reference to judge.
        self.bail_unless_finite(sum);
        largest
    }

    /// Whether the entries of a group are settled.
    fn judge_columns(&mut self, c: &Columns, (first, group): (usize, usize), largest: T::Cell, settled: T::Cell) {
        self.each(group, |s, j| {
            let [update, size] = [c.update, c.size].map(|at| s.load(at + first, j));
            let known = c.known.map(|at| s.load(at + first, j));
            let rounded = c.rounded.map(|at| s.load(at + first, j));
            let (tolerance, largest) = (s.rule(Rule::Tolerance), s.t.get(largest));
            let sizes = ([update, size, largest], rounded);
            let (is_settled, known) = StageRule::judge(&mut Written(s.t), f64::EPSILON, tolerance, sizes, known);
            c.known.into_iter().zip(known).for_each(|(at, value)| s.store(at + first, j, value));
            s.hold(settled, is_settled);
        });
    }
}
