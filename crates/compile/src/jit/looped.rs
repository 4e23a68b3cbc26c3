//! Whole steps with loops over members, on any target: vectors are in memory, and Newton's method goes over them in loops.

use super::area::OF_UNKNOWN;
use super::elimination::{is_in_order, is_pivot, largest};
use super::kernels::{Each, PIECE, Piece, pieces, write_and_sum};
use super::newton::{Written, is_affine};
use super::regions::{Map, Regions};
use super::step::Rule;
use super::target::{Comparison, Place, Target};
use crate::program::{Base, Binary, Instruction, Kernel, Program, Segment, Unary, Write};
use cotangent_dynamics::Unknowns;
use cotangent_solve::{Bounds, Comparisons, Held};

/// Whether a step is made of loops, regions around them and requirements, and is not too long for one function.
pub(super) fn fits(program: &Program) -> bool {
    let is_loops = |i: &&Instruction| !matches!(i, Instruction::Factor { .. } | Instruction::Solve { .. });
    let is_whole = |segment: &Segment| pieces(segment, 0).iter().all(|piece| matches!(piece, Piece::Kernels(_)));
    let sets = |kernel: &Kernel| kernel.stores.iter().all(|s| matches!(s.to.base, Base::Work) || s.write == Write::Set);
    program.len() <= 4 * PIECE
        && program.segments.iter().all(|segment| segment.kernels.iter().all(sets))
        && program.systems.iter().all(|system| system.site.is_some())
        && program.all_instructions().iter().all(is_loops)
        && program.segments.iter().all(is_whole)
}

/// Writes down a function that makes one step from the inputs to the outputs, and says whether it did: not if it is out of the
/// ordinary. After the inputs of the program come the numbers of the stopping rule and two numbers that count. What is to be
/// done once has been done.
pub(super) fn write<T: Target>(target: &mut T, program: &Program) -> T::Integer {
    let made = target.counter();
    let nothing = target.integer(0);
    target.set_count(made, nothing);
    let bail = target.open_block();
    let [updates, iterations, sum] = [(); 3].map(|()| {
        let (cell, zero) = (target.cell(), target.number(0.0));
        target.set(cell, zero);
        cell
    });
    let mut s = Loops { t: target, program, updates, iterations, sum, bail };
    s.instructions(&program.instructions[program.once..]);
    s.bail_unless_finite(sum);
    for (offset, cell) in [updates, iterations].into_iter().enumerate() {
        let counts = Place { base: Base::Input(program.inputs.len() + 1), index: None, offset: offset as i64 };
        let (before, own) = (target.load(counts), target.get(cell));
        let sum = target.binary(Binary::Add, before, own);
        target.store(counts, sum);
    }
    let one = target.integer(1);
    target.set_count(made, one);
    target.close_block(bail);
    target.count(made)
}

pub(super) struct Loops<'t, 'p, T: Target> {
    pub(super) t: &'t mut T,
    pub(super) program: &'p Program,
    /// Updates of Newton's method and iterations to fixed points in this step.
    updates: T::Cell,
    pub(super) iterations: T::Cell,
    /// The sum of the results.
    sum: T::Cell,
    /// Where to go if something is out of the ordinary.
    bail: T::Label,
}

/// Where the vectors of an iteration are in the work area.
struct Vectors {
    system: usize,
    n: usize,
    entries: usize,
    unknown: usize,
    terms: Option<usize>,
    residual: usize,
    jacobian: usize,
    update: usize,
    sizes: usize,
    inverses: usize,
    previous_update: usize,
    previous_jacobian: usize,
    tridiagonal: bool,
}

/// What is told of each δⱼ, with j.
type Told<'a, 't, 'p, T> = dyn FnMut(&mut Loops<'t, 'p, T>, <T as Target>::Integer, <T as Target>::Number) + 'a;

/// What an iteration has seen of an update.
struct Seen<T: Target> {
    /// Σ |δⱼ|.
    total: T::Cell,
    /// max |δⱼ|/sⱼ.
    largest: T::Cell,
}

impl<T: Target> Regions<T> for Loops<'_, '_, T> {
    fn target(&mut self) -> &mut T {
        self.t
    }

    fn bail(&self) -> T::Label {
        self.bail
    }

    fn instructions(&mut self, list: &[Instruction]) {
        for instruction in list {
            match instruction {
                Instruction::Segment(k) => self.segment(&self.program.segments[*k]),
                Instruction::Root { .. } => self.root(instruction),
                Instruction::Require { residual, magnitude, count, .. } => self.require(*residual, *magnitude, *count),
                Instruction::FixedPoint { site, unknown, next, body, otherwise } => {
                    let Some(site) = self.program.plan.unknowns(*site) else { continue };
                    self.fixed_point(site, (*unknown, *next, body), otherwise.as_ref());
                }
                Instruction::Repeat { coefficients, coefficient, state, next, count, body } => {
                    self.stages(coefficients, [*coefficient, *state, *next, *count], body);
                }
                Instruction::Factor { .. } | Instruction::Solve { .. } | Instruction::Leave => self.t.go(self.bail),
            }
        }
    }

    fn number_at(&mut self, at: usize) -> T::Number {
        self.t.load(Place { base: Base::Work, index: None, offset: at as i64 })
    }

    fn set_number(&mut self, at: usize, value: T::Number) {
        self.t.store(Place { base: Base::Work, index: None, offset: at as i64 }, value);
    }

    fn copy(&mut self, from: usize, to: usize, count: usize) {
        self.each(count, |s, i| {
            let value = s.load(from, i);
            s.store(to, i, value);
        });
    }

    fn iterate(&mut self, site: &Unknowns, map: Map<'_>, patience: f64, failed: T::Label) {
        self.iterate_vectors(site, map, patience, failed);
    }
}

impl<'t, 'p, T: Target> Loops<'t, 'p, T> {
    fn segment(&mut self, segment: &Segment) {
        for &(base, start, len) in &segment.clear {
            let zero = self.t.number(0.0);
            self.each(len, |s, i| s.t.store(Place { base, index: Some(i), offset: start as i64 }, zero));
        }
        write_and_sum(self.t, &segment.kernels, self.sum);
    }

    /// for i in 0..len { body }
    pub(super) fn each(&mut self, len: usize, body: impl FnOnce(&mut Self, T::Integer)) {
        let (first, last) = (self.t.integer(0), self.t.integer(len as i64 - 1));
        let each = Each::up(self.t, first, last);
        body(self, each.i);
        each.close(self.t);
    }

    pub(super) fn load(&mut self, vector: usize, i: T::Integer) -> T::Number {
        self.t.load(Place { base: Base::Work, index: Some(i), offset: vector as i64 })
    }

    pub(super) fn store(&mut self, vector: usize, i: T::Integer, value: T::Number) {
        self.t.store(Place { base: Base::Work, index: Some(i), offset: vector as i64 }, value);
    }

    pub(super) fn size(&mut self, vector: usize, i: T::Integer) -> T::Number {
        let x = self.load(vector, i);
        self.t.unary(Unary::Abs, x)
    }

    pub(super) fn start(&mut self, value: f64) -> T::Cell {
        let value = self.t.number(value);
        self.start_with(value)
    }

    fn start_with(&mut self, value: T::Number) -> T::Cell {
        let cell = self.t.cell();
        self.t.set(cell, value);
        cell
    }

    pub(super) fn add(&mut self, cell: T::Cell, value: T::Number) {
        let before = self.t.get(cell);
        let sum = self.t.binary(Binary::Add, before, value);
        self.t.set(cell, sum);
    }

    /// A cell that is one as long as everything held, then zero.
    pub(super) fn hold(&mut self, cell: T::Cell, truth: T::Truth) {
        let (before, zero) = (self.t.get(cell), self.t.number(0.0));
        let after = self.t.choice(truth, before, zero);
        self.t.set(cell, after);
    }

    pub(super) fn held(&mut self, cell: T::Cell) -> T::Truth {
        let (value, zero) = (self.t.get(cell), self.t.number(0.0));
        self.t.compare(Comparison::Less, zero, value)
    }

    pub(super) fn rule(&mut self, which: Rule) -> T::Number {
        self.t.load(Place { base: Base::Input(self.program.inputs.len()), index: None, offset: which as i64 })
    }

    pub(super) fn bail_unless_finite(&mut self, sum: T::Cell) {
        let sum = self.t.get(sum);
        let finite = self.t.is_finite(sum);
        self.t.go_unless(finite, self.bail);
    }

    /// Residuals larger than what their terms explain are for the reference to judge.
    fn require(&mut self, residual: usize, magnitude: usize, count: usize) {
        let allowance = self.rule(Rule::Allowance);
        self.each(count, |s, i| {
            let (size, magnitude) = (s.size(residual, i), s.load(magnitude, i));
            let explained = s.t.binary(Binary::Mul, allowance, magnitude);
            let holds = s.t.compare(Comparison::AtMost, size, explained);
            s.t.go_unless(holds, s.bail);
        });
    }

    fn root(&mut self, root: &Instruction) {
        let Instruction::Root { solver, unknown, terms, residual, jacobian, body } = root else { return };
        let pattern = &self.program.systems[*solver].pattern;
        let (n, kept) = (pattern.rows(), self.program.work);
        let v = Vectors {
            system: *solver,
            n,
            entries: pattern.len(),
            unknown: *unknown,
            terms: *terms,
            residual: *residual,
            jacobian: *jacobian,
            update: kept,
            sizes: kept + n,
            inverses: kept + 2 * n,
            previous_update: kept + 3 * n,
            previous_jacobian: kept + OF_UNKNOWN * n,
            tridiagonal: pattern.is_tridiagonal(),
        };
        match is_affine(self.program, *solver) {
            true => self.affine(&v, body),
            false => self.newton(&v, body),
        }
    }

    /// One update from the first guess; none where every residual is zero already.
    fn affine(&mut self, v: &Vectors, body: &[Instruction]) {
        let done = self.t.open_block();
        self.instructions(body);
        let total = self.start(0.0);
        self.update(v, done, &mut |s, _, delta| s.add(total, delta));
        self.bail_unless_finite(total);
        self.step(v);
        let one = self.t.number(1.0);
        self.add(self.updates, one);
        self.t.close_block(done);
    }

    /// Newton's method by the rule of [`StoppingRule`](cotangent_solve::StoppingRule); anything but its ordinary course goes to
    /// `bail`. An iteration that goes astray, which the reference looks at more closely, has an update of 1, which is a stall.
    fn newton(&mut self, v: &Vectors, body: &[Instruction]) {
        let (count, previous, remembered) = (self.start(0.0), self.start(f64::NAN), self.start(0.0));
        let exit = self.t.open_block();
        let again = self.t.open_loop();
        self.instructions(body);
        let (made, limit, zero) = (self.t.get(count), self.rule(Rule::Limit), self.t.number(0.0));
        let first = self.t.compare(Comparison::Equal, made, zero);
        let seen = Seen { total: self.start(0.0), largest: self.start(0.0) };
        self.update(v, exit, &mut |s, j, delta| s.see(v, (first, &seen), j, delta));
        self.bail_unless_finite(seen.total);
        let spent = self.t.compare(Comparison::AtMost, limit, made);
        self.t.go_if(spent, self.bail);
        let one = self.t.number(1.0);
        self.add(self.updates, one);
        self.add(count, one);

        let (update, before) = (self.t.get(seen.largest), self.t.get(previous));
        self.t.set(previous, update);
        let bounds = Bounds::new(&mut Written(self.t), f64::EPSILON, update, before);
        let held = self.judge(v, &bounds);
        let smallest = self.rule(Rule::Update);
        let verdict = bounds.verdict(&mut Written(self.t), smallest, held);
        let moving = self.t.open_block();
        self.t.go_if(verdict.last, moving);
        self.t.go_unless(verdict.stalled, moving);
        // A stall at round-off is arrival; any other is for the reference to judge.
        self.t.go_if(verdict.round_off, exit);
        let known = self.held(remembered);
        self.t.go_unless(known, self.bail);
        let scale = self.rule(Rule::Scale);
        let vectors = [v.unknown, v.sizes, v.residual, v.jacobian, v.previous_jacobian, v.previous_update];
        let arrived = self.t.is_round_off(v.system, vectors, scale);
        self.t.go_if(arrived, exit);
        self.t.go(self.bail);
        self.t.close_block(moving);
        self.step(v);
        self.t.go_if(verdict.last, exit);
        self.remember(v, update, remembered);
        self.t.go(again);
        self.t.close_loop(again);
        self.t.close_block(exit);
    }

    /// x ← x − δ.
    fn step(&mut self, v: &Vectors) {
        self.each(v.n, |s, j| {
            let (x, delta) = (s.load(v.unknown, j), s.load(v.update, j));
            let next = s.t.binary(Binary::Sub, x, delta);
            s.store(v.unknown, j, next);
        });
    }

    /// Keeps update and Jacobian where an unknown changed by most of its size: if it is nothing but noise, the next is a stall.
    fn remember(&mut self, v: &Vectors, update: T::Number, remembered: T::Cell) {
        let (zero, half) = (self.t.number(0.0), self.t.number(0.5));
        self.t.set(remembered, zero);
        let done = self.t.open_block();
        let is_slight = self.t.compare(Comparison::Less, update, half);
        self.t.go_if(is_slight, done);
        for (len, from, to) in [(v.n, v.update, v.previous_update), (v.entries, v.jacobian, v.previous_jacobian)] {
            self.each(len, |s, i| {
                let x = s.load(from, i);
                s.store(to, i, x);
            });
        }
        let one = self.t.number(1.0);
        self.t.set(remembered, one);
        self.t.close_block(done);
    }

    /// Takes note of δⱼ: how large it and xⱼ have been, and what part of that it is.
    fn see(&mut self, v: &Vectors, (first, seen): (T::Truth, &Seen<T>), j: T::Integer, delta: T::Number) {
        let (delta, x) = (self.t.unary(Unary::Abs, delta), self.size(v.unknown, j));
        let (known, none) = (self.load(v.sizes, j), self.t.number(0.0));
        let known = self.t.choice(first, none, known);
        let mut c = Written(self.t);
        let size = c.larger(known, x);
        let size = c.larger(size, delta);
        self.store(v.sizes, j, size);
        let before = self.t.get(seen.largest);
        let largest = Bounds::larger(&mut Written(self.t), before, [delta, size]);
        self.t.set(seen.largest, largest);
        self.add(seen.total, delta);
    }

    /// What holds of all unknowns and equations.
    fn judge(&mut self, v: &Vectors, bounds: &Bounds<T::Number>) -> Held<T::Truth> {
        let cells = [(); 5].map(|()| self.start(1.0));
        self.tests(v.n, &cells[..3], 1, |s, j| {
            let (x, delta) = (s.size(v.unknown, j), s.size(v.update, j));
            bounds.unknown(&mut Written(s.t), [x, delta]).to_vec()
        });
        if let Some(terms) = v.terms {
            self.tests(v.n, &cells[3..], 0, |s, i| {
                let (f, terms) = (s.size(v.residual, i), s.load(terms, i));
                bounds.equation(&mut Written(s.t), [f, terms]).to_vec()
            });
        } else {
            let zero = self.t.number(0.0);
            cells[3..].iter().for_each(|&cell| self.t.set(cell, zero));
        }
        let explained = self.t.explained(v.system, [v.jacobian, v.unknown, v.residual]);
        let [a, b, c, d, e] = cells.map(|cell| self.held(cell));
        Held([a, b, c, d, e, explained])
    }

    /// Tests all entries, until none of the cells, but those not waited for, holds.
    fn tests(
        &mut self,
        len: usize,
        cells: &[T::Cell],
        waited: usize,
        test: impl FnOnce(&mut Self, T::Integer) -> Vec<T::Truth>,
    ) {
        let (first, last) = (self.t.integer(0), self.t.integer(len as i64 - 1));
        let each = Each::up(self.t, first, last);
        let tests = test(self, each.i);
        cells.iter().zip(tests).for_each(|(&cell, truth)| self.hold(cell, truth));
        let mut rest = self.t.number(0.0);
        for &cell in &cells[waited..] {
            let value = self.t.get(cell);
            rest = self.t.binary(Binary::Add, rest, value);
        }
        let zero = self.t.number(0.0);
        let none = self.t.compare(Comparison::Equal, rest, zero);
        each.leave_if(self.t, none);
        each.close(self.t);
    }

    /// δ = J⁻¹ f, of which `seen` is told one by one; goes to `exit` where every residual is zero.
    fn update(&mut self, v: &Vectors, exit: T::Label, seen: &mut Told<'_, 't, 'p, T>) {
        if !v.tridiagonal {
            return self.called(v, exit, seen);
        }
        let found = self.t.open_block();
        let general = self.t.open_block();
        let total = self.start(0.0);
        self.forward(v, total, general);
        self.exit_if_solved(v, total, exit);
        self.backward(v, seen);
        self.t.go(found);
        self.t.close_block(general);
        self.called(v, exit, seen);
        self.t.close_block(found);
    }

    fn called(&mut self, v: &Vectors, exit: T::Label, seen: &mut Told<'_, 't, 'p, T>) {
        let total = self.start(0.0);
        self.each(v.n, |s, i| {
            let f = s.size(v.residual, i);
            s.add(total, f);
        });
        self.exit_if_solved(v, total, exit);
        let good = self.t.eliminate(v.system, [v.jacobian, v.residual, v.update]);
        self.t.go_unless(good, self.bail);
        self.each(v.n, |s, j| {
            let delta = s.load(v.update, j);
            seen(s, j, delta);
        });
    }

    /// Where Σ |fᵢ| is zero, and the Jacobian finite; residuals that are not finite are out of the ordinary.
    fn exit_if_solved(&mut self, v: &Vectors, total: T::Cell, exit: T::Label) {
        self.bail_unless_finite(total);
        let (sum, zero) = (self.t.get(total), self.t.number(0.0));
        let unsolved = self.t.open_block();
        let solved = self.t.compare(Comparison::Equal, sum, zero);
        self.t.go_unless(solved, unsolved);
        let entries = self.start(0.0);
        self.each(v.entries, |s, k| {
            let j = s.load(v.jacobian, k);
            s.add(entries, j);
        });
        self.bail_unless_finite(entries);
        self.t.go(exit);
        self.t.close_block(unsolved);
    }
}

/// The row of a tridiagonal matrix that is next.
struct Row<T: Target> {
    diagonal: T::Cell,
    above: T::Cell,
    /// The largest size of an entry, before anything was eliminated.
    largest: T::Cell,
    /// What the row before was multiplied with, and its right-hand side.
    multiplier: T::Cell,
    before: T::Cell,
    /// Σ |fᵢ|.
    total: T::Cell,
}

/// Elimination of a tridiagonal matrix as [`LinearSolver`](cotangent_solve::LinearSolver) does it, with products by the inverses of
/// pivots, where it exchanges no rows.
impl<'t, 'p, T: Target> Loops<'t, 'p, T> {
    /// An entry of the Jacobian: this far behind the diagonal of row i.
    fn entry(&mut self, v: &Vectors, row: T::Integer, behind: i64) -> T::Number {
        let index = Some(self.t.multiple(row, 3));
        self.t.load(Place { base: Base::Work, index, offset: v.jacobian as i64 + behind })
    }

    /// L⁻¹ f, the inverses of the pivots, and Σ |fᵢ|; goes to `general` where the order of the rows is not that of the reference.
    fn forward(&mut self, v: &Vectors, total: T::Cell, general: T::Label) {
        let zero = self.t.integer(0);
        let (diagonal, above) = (self.entry(v, zero, 0), self.entry(v, zero, 1));
        let sizes = [diagonal, above].map(|x| self.t.unary(Unary::Abs, x));
        let row = largest(self.t, &sizes);
        let [diagonal, above, row] = [diagonal, above, row].map(|x| self.start_with(x));
        let [multiplier, before] = [(); 2].map(|()| self.start(0.0));
        let state = Row { diagonal, above, largest: row, multiplier, before, total };
        let last = v.n as i64 - 1;
        self.each(v.n - 2, |s, i| s.row(v, i, Some(true), &state, general));
        for (i, next) in [(last - 1, Some(false)), (last, None)] {
            let i = self.t.integer(i);
            self.row(v, i, next, &state, general);
        }
    }

    /// Eliminates row i, and makes the next one, which has an entry above the diagonal or not, if there is one.
    fn row(&mut self, v: &Vectors, i: T::Integer, next: Option<bool>, state: &Row<T>, general: T::Label) {
        let f = self.load(v.residual, i);
        let size = self.t.unary(Unary::Abs, f);
        self.add(state.total, size);
        let (factor, y) = (self.t.get(state.multiplier), self.t.get(state.before));
        let product = self.t.binary(Binary::Mul, factor, y);
        let y = self.t.binary(Binary::Sub, f, product);
        self.t.set(state.before, y);
        self.store(v.update, i, y);
        let (pivot, own_row, one) = (self.t.get(state.diagonal), self.t.get(state.largest), self.t.number(1.0));
        let inverse = self.t.binary(Binary::Div, one, pivot);
        self.store(v.inverses, i, inverse);
        let size = self.t.unary(Unary::Abs, pivot);
        let is_pivot = is_pivot(self.t, size, own_row);
        self.t.go_unless(is_pivot, general);
        let Some(has_above) = next else { return };
        let (below, own) = (self.entry(v, i, 2), self.entry(v, i, 3));
        let next = if has_above { self.entry(v, i, 4) } else { self.t.number(0.0) };
        let sizes = [below, own, next].map(|x| self.t.unary(Unary::Abs, x));
        let of_next = largest(self.t, &sizes);
        let in_order = is_in_order(self.t, [size, own_row], [sizes[0], of_next]);
        self.t.go_unless(in_order, general);
        let factor = self.t.binary(Binary::Mul, below, inverse);
        let above_pivot = self.t.get(state.above);
        let product = self.t.binary(Binary::Mul, factor, above_pivot);
        let pivot = self.t.binary(Binary::Sub, own, product);
        let Row { diagonal, above, largest, multiplier, .. } = *state;
        for (cell, value) in [(multiplier, factor), (diagonal, pivot), (above, next), (largest, of_next)] {
            self.t.set(cell, value);
        }
    }

    /// U⁻¹ of that, from the last row to the first.
    fn backward(&mut self, v: &Vectors, seen: &mut Told<'_, 't, 'p, T>) {
        let after = self.start(0.0);
        let (first, last) = (self.t.integer(0), self.t.integer(v.n as i64 - 1));
        let scaled = |s: &mut Self, i: T::Integer| {
            let (y, inverse) = (s.load(v.update, i), s.load(v.inverses, i));
            (s.t.binary(Binary::Mul, y, inverse), inverse)
        };
        let mut found = |s: &mut Self, i: T::Integer, delta: T::Number| {
            s.t.set(after, delta);
            s.store(v.update, i, delta);
            seen(s, i, delta);
        };
        let (delta, _) = scaled(self, last);
        found(self, last, delta);
        let next = self.t.integer(v.n as i64 - 2);
        let each = Each::down(self.t, next, first);
        let (y, inverse) = scaled(self, each.i);
        let (above, known) = (self.entry(v, each.i, 1), self.t.get(after));
        let factor = self.t.binary(Binary::Mul, above, inverse);
        let product = self.t.binary(Binary::Mul, factor, known);
        let delta = self.t.binary(Binary::Sub, y, product);
        found(self, each.i, delta);
        each.close(self.t);
    }
}
