//! Kernels, on any target.

use super::target::{Place, Target};
use crate::program::{Address, Base, Binary, Kernel, Op, Segment, Unary, Write};
use cotangent_expr::{Atom, Domain, Ix};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Straight-line code longer than this is cut: compile time grows faster than length.
pub(super) const PIECE: usize = 2000;

/// What becomes one native function: whole kernels, or a stretch of a long straight-line one.
pub(super) enum Piece<'a> {
    Kernels(&'a [Kernel]),
    Stretch { kernel: &'a Kernel, ops: Range<usize>, slots: std::rc::Rc<SpillSlots> },
}

/// Which values of a long kernel pass from stretch to stretch, and where they are kept.
pub(super) struct SpillSlots {
    slot: HashMap<u32, usize>,
    end: usize,
}

pub(super) fn pieces(segment: &Segment, work: usize) -> Vec<Piece<'_>> {
    let mut out = vec![];
    let mut start = 0;
    let is_long = |k: &Kernel| k.domain.is_point() && k.ops.len() > PIECE;
    for (k, kernel) in segment.kernels.iter().enumerate() {
        if is_long(kernel) {
            if start < k {
                out.push(Piece::Kernels(&segment.kernels[start..k]));
            }
            start = k + 1;
            let slots = std::rc::Rc::new(SpillSlots::new(kernel, work));
            for first in (0..kernel.ops.len()).step_by(PIECE) {
                let ops = first..(first + PIECE).min(kernel.ops.len());
                out.push(Piece::Stretch { kernel, ops, slots: slots.clone() });
            }
        }
    }
    if start < segment.kernels.len() {
        out.push(Piece::Kernels(&segment.kernels[start..]));
    }
    out
}

/// Values that are cheaper to make again than to keep.
fn is_cheap(op: &Op) -> bool {
    matches!(op, Op::Constant(_) | Op::Pi | Op::Index(_))
        || matches!(op, Op::Load(a) if matches!(a.base, Base::Input(_)))
}

impl SpillSlots {
    fn new(kernel: &Kernel, work: usize) -> SpillSlots {
        let mut slot = HashMap::new();
        let mut end = work;
        let mut keep = |value: u32, user: usize| {
            if value as usize / PIECE != user && !is_cheap(&kernel.ops[value as usize]) {
                slot.entry(value).or_insert_with(|| {
                    end += 1;
                    end - 1
                });
            }
        };
        for (k, op) in kernel.ops.iter().enumerate() {
            match op {
                Op::Unary(_, a) => keep(*a, k / PIECE),
                Op::Binary(_, a, b) => {
                    keep(*a, k / PIECE);
                    keep(*b, k / PIECE);
                }
                _ => {}
            }
        }
        SpillSlots { slot, end }
    }
}

impl<'a> Piece<'a> {
    /// The end of the work area this piece uses, beyond the program's own.
    pub(super) fn spill(&self) -> usize {
        match self {
            Piece::Kernels(_) => 0,
            Piece::Stretch { slots, .. } => slots.end,
        }
    }

    /// The kernels that it is of.
    pub(super) fn kernels(&self) -> &'a [Kernel] {
        match self {
            Piece::Kernels(kernels) => kernels,
            Piece::Stretch { kernel, .. } => std::slice::from_ref(kernel),
        }
    }

    /// Writes it down.
    pub(super) fn write<T: Target>(&self, target: &mut T) {
        let mut writer = Kernels { t: target, vars: vec![], sum: None };
        match self {
            Piece::Kernels(kernels) => kernels.iter().for_each(|kernel| writer.kernel(kernel)),
            Piece::Stretch { kernel, ops, slots } => writer.stretch(kernel, ops.clone(), slots),
        }
    }
}

/// A loop in the making: for i from one index to another, up or down.
pub(super) struct Each<T: Target> {
    pub(super) i: T::Integer,
    counter: T::Counter,
    step: i64,
    done: T::Label,
    again: T::Label,
}

impl<T: Target> Each<T> {
    pub(super) fn up(t: &mut T, first: T::Integer, last: T::Integer) -> Each<T> {
        Each::open(t, [first, last], 1)
    }

    pub(super) fn down(t: &mut T, first: T::Integer, last: T::Integer) -> Each<T> {
        Each::open(t, [first, last], -1)
    }

    fn open(t: &mut T, [first, last]: [T::Integer; 2], step: i64) -> Each<T> {
        let counter = t.counter();
        t.set_count(counter, first);
        let done = t.open_block();
        let again = t.open_loop();
        let i = t.count(counter);
        let more = if step > 0 { t.in_order(i, last) } else { t.in_order(last, i) };
        t.go_unless(more, done);
        Each { i, counter, step, done, again }
    }

    /// Leaves the loop before its end.
    pub(super) fn leave_if(&self, t: &mut T, truth: T::Truth) {
        t.go_if(truth, self.done);
    }

    pub(super) fn close(self, t: &mut T) {
        let step = t.integer(self.step);
        let next = t.sum(self.i, step);
        t.set_count(self.counter, next);
        t.go(self.again);
        t.close_loop(self.again);
        t.close_block(self.done);
    }
}

/// Writes down kernels, and adds what they put into outputs: the sum is finite only if all of these are.
pub(super) fn write_and_sum<T: Target>(target: &mut T, kernels: &[Kernel], sum: T::Cell) {
    let mut writer = Kernels { t: target, vars: vec![], sum: Some(sum) };
    kernels.iter().for_each(|kernel| writer.kernel(kernel));
}

struct Kernels<'t, T: Target> {
    t: &'t mut T,
    /// The loop variables.
    vars: Vec<T::Integer>,
    /// The sum of what is put into outputs, if it is asked for.
    sum: Option<T::Cell>,
}

impl<T: Target> Kernels<'_, T> {
    fn kernel(&mut self, kernel: &Kernel) {
        let sums: Vec<Option<T::Cell>> = kernel
            .stores
            .iter()
            .map(|s| {
                (s.write == Write::Reduce).then(|| {
                    let (sum, zero) = (self.t.cell(), self.t.number(0.0));
                    self.t.set(sum, zero);
                    sum
                })
            })
            .collect();
        match &kernel.domain {
            Domain::Ranges(ranges) => self.nest(ranges, kernel, &sums),
            Domain::Points(points) => {
                let arity = points.names.len() as i64;
                let count = points.values.len() as i64 / arity;
                let (first, last) = (self.t.integer(0), self.t.integer(count - 1));
                self.each(first, last, |e, k| {
                    let row = e.t.multiple(k, arity);
                    for v in 0..arity {
                        let at = e.shifted(row, v);
                        let value = e.t.entry(&points.values, at);
                        e.vars.push(value);
                    }
                    e.point(kernel, &sums);
                    e.vars.clear();
                });
            }
        }
        for (store, sum) in kernel.stores.iter().zip(sums) {
            if let Some(sum) = sum {
                let value = self.t.get(sum);
                self.add(&store.to, value);
            }
        }
    }

    fn nest(&mut self, ranges: &[cotangent_expr::Range], kernel: &Kernel, sums: &[Option<T::Cell>]) {
        let Some((first, rest)) = ranges.split_first() else { return self.point(kernel, sums) };
        let (low, high) = (self.index(&first.low), self.index(&first.high));
        self.each(low, high, |e, i| {
            e.vars.push(i);
            e.nest(rest, kernel, sums);
            e.vars.pop();
        });
    }

    /// for i in low..=high { body }
    fn each(&mut self, low: T::Integer, high: T::Integer, body: impl FnOnce(&mut Self, T::Integer)) {
        let each = Each::up(self.t, low, high);
        body(self, each.i);
        each.close(self.t);
    }

    fn point(&mut self, kernel: &Kernel, sums: &[Option<T::Cell>]) {
        let mut values = HashMap::with_capacity(kernel.ops.len());
        self.ops(kernel, 0..kernel.ops.len(), &mut values, &mut |_, _, _| None);
        self.total(kernel.stores.iter().filter(|s| matches!(s.to.base, Base::Output(_))).map(|s| values[&s.value]));
        for (store, sum) in kernel.stores.iter().zip(sums) {
            let value = values[&store.value];
            match (store.write, sum) {
                (Write::Reduce, Some(sum)) => {
                    let before = self.t.get(*sum);
                    let after = self.t.binary(Binary::Add, before, value);
                    self.t.set(*sum, after);
                }
                (Write::Set, _) => self.set(&store.to, value),
                _ => self.add(&store.to, value),
            }
        }
    }

    /// Adds values in pairs, so that a loop waits for one addition.
    fn total(&mut self, values: impl Iterator<Item = T::Number>) {
        let Some(total) = self.sum else { return };
        let mut sums: Vec<T::Number> = values.collect();
        while sums.len() > 1 {
            let pair = |pair: &[T::Number]| match *pair {
                [a, b] => self.t.binary(Binary::Add, a, b),
                _ => pair[0],
            };
            sums = sums.chunks(2).map(pair).collect();
        }
        if let Some(&sum) = sums.first() {
            let before = self.t.get(total);
            let sum = self.t.binary(Binary::Add, before, sum);
            self.t.set(total, sum);
        }
    }

    /// A stretch of a long kernel: values from earlier stretches come from their slots.
    fn stretch(&mut self, kernel: &Kernel, ops: Range<usize>, slots: &SpillSlots) {
        let mut values = HashMap::with_capacity(ops.len());
        let mut recall = |e: &mut Self, kernel: &Kernel, v: u32| match slots.slot.get(&v) {
            Some(&slot) => Some(e.load(&Address { base: Base::Work, at: Ix::constant(slot as i64) })),
            None => Some(e.cheap(&kernel.ops[v as usize])),
        };
        self.ops(kernel, ops.clone(), &mut values, &mut recall);
        for k in ops.clone() {
            if let Some(&slot) = slots.slot.get(&(k as u32)) {
                self.set(&Address { base: Base::Work, at: Ix::constant(slot as i64) }, values[&(k as u32)]);
            }
        }
        for store in kernel.stores.iter().filter(|s| ops.contains(&(s.value as usize))) {
            let value = values[&store.value];
            match store.write {
                Write::Set => self.set(&store.to, value),
                Write::Add | Write::Reduce => self.add(&store.to, value),
            }
        }
    }

    #[allow(clippy::type_complexity)]
    fn ops(
        &mut self,
        kernel: &Kernel,
        range: Range<usize>,
        values: &mut HashMap<u32, T::Number>,
        recall: &mut dyn FnMut(&mut Self, &Kernel, u32) -> Option<T::Number>,
    ) {
        let ops = &kernel.ops;
        let both = of_both(&ops[range.clone()]);
        let mut pairs: HashMap<u32, [T::Number; 2]> = HashMap::new();
        let mut get = |e: &mut Self, values: &mut HashMap<u32, T::Number>, v: u32| -> T::Number {
            if let Some(&known) = values.get(&v) {
                return known;
            }
            let value = recall(e, kernel, v).unwrap_or_else(|| e.t.number(f64::NAN));
            values.insert(v, value);
            value
        };
        for k in range.clone() {
            let value = match &ops[k] {
                Op::Unary(f @ (Unary::Sin | Unary::Cos), a) if both.contains(a) => {
                    let pair = match pairs.get(a) {
                        Some(&pair) => pair,
                        None => {
                            let x = get(self, values, *a);
                            let pair = self.t.sin_cos(x);
                            pairs.insert(*a, pair);
                            pair
                        }
                    };
                    pair[usize::from(*f == Unary::Cos)]
                }
                Op::Unary(f, a) => {
                    let x = get(self, values, *a);
                    self.t.unary(*f, x)
                }
                Op::Binary(f, a, b) => {
                    let (x, y) = (get(self, values, *a), get(self, values, *b));
                    self.t.binary(*f, x, y)
                }
                Op::Load(a) => self.load(a),
                cheap => self.cheap(cheap),
            };
            values.insert(k as u32, value);
        }
    }

    fn cheap(&mut self, op: &Op) -> T::Number {
        match op {
            Op::Constant(n) => self.t.number(n.to_f64()),
            Op::Pi => self.t.number(std::f64::consts::PI),
            Op::Index(i) => {
                let i = self.index(i);
                self.t.as_number(i)
            }
            Op::Load(a) => self.load(a),
            Op::Unary(..) | Op::Binary(..) => self.t.number(f64::NAN),
        }
    }

    fn place(&mut self, address: &Address) -> Place<T::Integer> {
        let offset = address.at.offset();
        let rest = address.at.shifted(-offset);
        let index = rest.as_constant().is_none().then(|| self.index(&rest));
        Place { base: address.base, index, offset }
    }

    fn load(&mut self, address: &Address) -> T::Number {
        let place = self.place(address);
        self.t.load(place)
    }

    fn set(&mut self, address: &Address, value: T::Number) {
        let place = self.place(address);
        self.t.store(place, value);
    }

    fn add(&mut self, address: &Address, value: T::Number) {
        let place = self.place(address);
        let before = self.t.load(place);
        let after = self.t.binary(Binary::Add, before, value);
        self.t.store(place, after);
    }

    fn shifted(&mut self, i: T::Integer, by: i64) -> T::Integer {
        if by == 0 {
            return i;
        }
        let by = self.t.integer(by);
        self.t.sum(i, by)
    }

    /// An index as an integer.
    fn index(&mut self, i: &Ix) -> T::Integer {
        let mut sum: Option<T::Integer> = None;
        for (atom, c) in i.terms() {
            let value = match atom {
                Atom::Var(v) => self.vars[*v as usize],
                Atom::Table(t, at) => {
                    let mut flat: Option<T::Integer> = None;
                    for (i, d) in at.iter().zip(t.dims()) {
                        let own = self.index(&i.shifted(-d.first));
                        flat = Some(match flat {
                            None => own,
                            Some(f) => {
                                let f = self.t.multiple(f, d.len as i64);
                                self.t.sum(f, own)
                            }
                        });
                    }
                    let flat = flat.unwrap_or_else(|| self.t.integer(0));
                    self.t.entry(t.values(), flat)
                }
                Atom::Mod(i, m) => {
                    let i = self.index(i);
                    self.t.divide(i, *m)[1]
                }
                Atom::Floor(i, d) => {
                    let i = self.index(i);
                    self.t.divide(i, *d)[0]
                }
            };
            let value = if *c == 1 { value } else { self.t.multiple(value, *c) };
            sum = Some(match sum {
                Some(sum) => self.t.sum(sum, value),
                None => value,
            });
        }
        match sum {
            None => self.t.integer(i.offset()),
            Some(sum) => self.shifted(sum, i.offset()),
        }
    }
}

/// Arguments whose sine and cosine are both wanted.
pub(super) fn of_both(ops: &[Op]) -> HashSet<u32> {
    let of = |f: Unary| -> HashSet<u32> {
        let argument = |op: &Op| if let Op::Unary(g, a) = op { (*g == f).then_some(*a) } else { None };
        ops.iter().filter_map(argument).collect()
    };
    of(Unary::Sin).intersection(&of(Unary::Cos)).copied().collect()
}
