//! Iterations to a fixed point inline, for the stages of a Runge–Kutta method.

use super::newton::Written;
use super::regions::{Map, Regions};
use super::step::{Rule, Steps};
use super::target::{Comparison, Target};
use crate::program::{Binary, Unary};
use cotangent_dynamics::Unknowns;
use cotangent_solve::{Comparisons, StageRule, UNSETTLED};

/// What an iteration carries on besides its unknowns.
struct Loop<T: Target> {
    /// What is known of each entry of the vector.
    known: Vec<[T::Cell; 2]>,
    count: T::Cell,
}

/// An entry of the vector: its largest update at any stage, and its largest size.
struct Column<T: Target> {
    update: T::Number,
    size: T::Number,
}

impl<T: Target> Steps<'_, '_, T> {
    /// The iteration by the rule of [`StageRule`], operation for operation.
    pub(super) fn iterate_cells(
        &mut self,
        site: &Unknowns,
        (unknown, next, body): Map<'_>,
        patience: f64,
        failed: T::Label,
    ) {
        let n = site.len();
        let columns = n / site.repeats();
        let l =
            Loop::<T> { known: (0..columns).map(|_| [self.t.cell(), self.t.cell()]).collect(), count: self.t.cell() };
        let guess = self.listed(unknown, n);
        let finite = self.finite(&guess);
        self.t.go_unless(finite, self.bail);
        for (k, number) in UNSETTLED.into_iter().enumerate() {
            let number = self.t.number(number);
            l.known.iter().for_each(|known| self.t.set(known[k], number));
        }
        let (nothing, one) = (self.t.number(0.0), self.t.number(1.0));
        self.t.set(l.count, nothing);
        let arrived = self.t.open_block();
        let again = self.t.open_loop();
        let x = self.listed(unknown, n);
        self.count(1, one);
        self.instructions(body);
        let next = self.listed(next, n);
        let finite = self.finite(&next);
        // Sizes that add up to no number are for the reference to judge.
        self.t.go_unless(finite, self.bail);
        self.set_all(unknown, &next);
        let settled = self.settled(&l, site, (&x, &next));
        self.t.go_if(settled, arrived);
        let count = self.t.get(l.count);
        let count = self.t.binary(Binary::Add, count, one);
        self.t.set(l.count, count);
        let (limit, patience) = (self.rule(Rule::Limit), self.t.number(patience));
        let spent = [limit, patience].map(|limit| self.t.compare(Comparison::AtMost, limit, count));
        let spent = self.t.either(spent[0], spent[1]);
        self.t.go_if(spent, failed);
        self.t.go(again);
        self.t.close_loop(again);
        self.t.close_block(arrived);
    }

    /// Whether every entry of the vector is settled.
    fn settled(&mut self, l: &Loop<T>, site: &Unknowns, (x, next): (&[T::Number], &[T::Number])) -> T::Truth {
        let n = l.known.len();
        let (next, rounded) = next.split_at(if site.rounded { next.len() - n } else { next.len() });
        let columns: Vec<Column<T>> = (0..n).map(|j| self.column(x, next, j, n)).collect();
        let tolerance = self.rule(Rule::Tolerance);
        let (mut first, mut all) = (0, vec![]);
        for count in site.groups() {
            let group = first..first + count;
            let mut largest = self.t.number(0.0);
            for column in &columns[group.clone()] {
                largest = Written(self.t).larger(largest, column.size);
            }
            for j in group {
                let Column { update, size } = columns[j];
                let known = l.known[j].map(|cell| self.t.get(cell));
                let sizes = ([update, size, largest], rounded.get(j).copied());
                let (settled, known) = StageRule::judge(&mut Written(self.t), f64::EPSILON, tolerance, sizes, known);
                l.known[j].iter().zip(known).for_each(|(&cell, value)| self.t.set(cell, value));
                all.push(settled);
            }
            first += count;
        }
        self.all(all)
    }

    /// The entry j of a vector of n.
    fn column(&mut self, x: &[T::Number], next: &[T::Number], j: usize, n: usize) -> Column<T> {
        let zero = self.t.number(0.0);
        let (mut update, mut size) = (zero, zero);
        for k in (j..next.len()).step_by(n) {
            let change = self.t.binary(Binary::Sub, next[k], x[k]);
            let change = self.t.unary(Unary::Abs, change);
            update = Written(self.t).larger(update, change);
            let own = self.t.unary(Unary::Abs, next[k]);
            size = Written(self.t).larger(size, own);
        }
        Column { update, size }
    }
}
