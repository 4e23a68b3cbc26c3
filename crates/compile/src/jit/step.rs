//! Whole steps without loops over members, on any target: all numbers of the work area are cells.

use super::kernels::of_both;
use super::regions::{Map, Regions};
use super::target::{Comparison, Place, Sides, Target};
use crate::program::{Address, Base, Binary, Instruction, Kernel, Op, Program, Unary};
use cotangent_dynamics::{Unknowns, allowance};
use cotangent_solve::{NewtonOptions, StoppingRule};
use std::collections::{HashMap, HashSet};

/// What the numbers of a stopping rule make of its comparisons, in the order in which the code finds them.
pub(crate) struct Arrival([f64; 5]);

/// Which number of these.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    /// An update max |δⱼ|/sⱼ up to this is the last.
    Update,
    /// The same to a fixed point.
    Tolerance,
    /// The part of the terms of an equation that its residual may be.
    Allowance,
    /// Updates until the iteration is given up.
    Limit,
    /// The size of terms that do not show it.
    Scale,
}

impl Arrival {
    pub(crate) fn new(options: &NewtonOptions) -> Arrival {
        let StoppingRule { tolerance, max_iterations, scale } = options.stopping;
        Arrival([
            options.stopping.smallest_update(f64::EPSILON),
            tolerance.unwrap_or(0.0),
            allowance(f64::EPSILON, tolerance),
            // Steps that are halved are for the reference.
            if options.max_halvings > 0 { 0.0 } else { f64::from(max_iterations) },
            scale,
        ])
    }

    pub(super) fn numbers(&self) -> &[f64; 5] {
        &self.0
    }
}

/// A step in the making.
pub(super) struct Steps<'t, 'p, T: Target> {
    pub(super) t: &'t mut T,
    pub(super) program: &'p Program,
    cells: HashMap<(Base, i64), T::Cell>,
    /// Numbers of the work area that a kernel has set to the constant zero.
    pub(super) zeros: HashSet<i64>,
    /// Those of them that are left out of products and sums now.
    pub(super) nothing: HashSet<i64>,
    /// Updates of Newton's method and iterations to fixed points in this step.
    pub(super) counted: [T::Cell; 2],
    /// Where to go if something is out of the ordinary.
    pub(super) bail: T::Label,
}

/// Writes down a function that makes up to so many steps and says how many it made: it stops before one that is out of the
/// ordinary. After the inputs of the program come the numbers of the stopping rule and two numbers that count.
pub(super) fn write<T: Target>(target: &mut T, program: &Program, steps: T::Integer) -> T::Integer {
    let made = target.counter();
    let nothing = target.integer(0);
    target.set_count(made, nothing);
    let counted = [target.cell(), target.cell()];
    let bail = target.open_block();
    let mut s = Steps {
        t: target,
        program,
        cells: HashMap::new(),
        zeros: HashSet::new(),
        nothing: HashSet::new(),
        counted,
        bail,
    };
    let (once, each) = program.instructions.split_at(program.once);
    s.instructions(once);
    let again = s.t.open_loop();
    let done = s.t.count(made);
    let one = s.t.integer(1);
    let next = s.t.sum(done, one);
    let more = s.t.in_order(next, steps);
    s.t.go_unless(more, bail);
    let zero = s.t.number(0.0);
    counted.iter().for_each(|&cell| s.t.set(cell, zero));
    s.instructions(each);
    s.keep();
    s.t.set_count(made, next);
    s.t.go(again);
    s.t.close_loop(again);
    target.close_block(bail);
    target.count(made)
}

impl<T: Target> Steps<'_, '_, T> {
    /// The results become the state, if all are finite.
    fn keep(&mut self) {
        let places = |(k, &len): (usize, &usize)| (0..len as i64).map(move |at| (k, at)).collect::<Vec<_>>();
        let places: Vec<(usize, i64)> = self.program.outputs.iter().enumerate().flat_map(places).collect();
        let results: Vec<T::Number> = places.iter().map(|&(k, at)| self.get(Base::Output(k), at)).collect();
        let finite = self.finite(&results);
        self.t.go_unless(finite, self.bail);
        for (&(k, offset), &value) in places.iter().zip(&results) {
            // Values, carry, then memory, which comes after the constants among the inputs.
            let base = Base::Input(if k < 2 { k } else { k + 1 });
            self.t.store(Place { base, index: None, offset }, value);
        }
        let counts = Base::Input(self.program.inputs.len() + 1);
        let instructions = self.program.all_instructions();
        let used = [
            instructions.iter().any(|i| matches!(i, Instruction::Root { .. })),
            instructions.iter().any(|i| matches!(i, Instruction::FixedPoint { .. })),
        ];
        for k in (0..2).filter(|&k| used[k]) {
            let place = Place { base: counts, index: None, offset: k as i64 };
            let (before, own) = (self.t.load(place), self.t.get(self.counted[k]));
            let sum = self.t.binary(Binary::Add, before, own);
            self.t.store(place, sum);
        }
    }

    /// Residuals larger than what their terms explain are for the reference to judge.
    fn require(&mut self, residual: usize, magnitude: usize, count: usize) {
        let allowance = self.rule(Rule::Allowance);
        let (residuals, magnitudes) = (self.listed(residual, count), self.listed(magnitude, count));
        let mut hold = vec![];
        for (residual, magnitude) in residuals.into_iter().zip(magnitudes) {
            let size = self.t.unary(Unary::Abs, residual);
            let explained = self.t.binary(Binary::Mul, allowance, magnitude);
            hold.push(self.t.compare(Comparison::AtMost, size, explained));
        }
        let hold = self.all(hold);
        self.t.go_unless(hold, self.bail);
    }

    /// A kernel of one point, with memory in cells.
    fn kernel(&mut self, kernel: &Kernel) {
        let both = of_both(&kernel.ops);
        let mut pairs: HashMap<u32, [T::Number; 2]> = HashMap::new();
        let mut values: Vec<T::Number> = Vec::with_capacity(kernel.ops.len());
        // What is multiplied by zero is left out where a first guess is none: it is an entry of a Jacobian, or part of
        // one, and not finite only if that is not.
        let mut nothing: HashSet<u32> = HashSet::new();
        for (k, op) in kernel.ops.iter().enumerate() {
            let zero = |at: u32| nothing.contains(&at);
            let at = |k: u32| values[k as usize];
            let (value, vanishes) = match *op {
                Op::Load(ref a) if self.is_nothing(a) => (self.t.number(0.0), true),
                Op::Load(ref a) => (self.get(a.base, a.at.offset()), false),
                Op::Binary(Binary::Mul, a, b) if zero(a) || zero(b) => (self.t.number(0.0), true),
                Op::Unary(Unary::Neg, a) if zero(a) => (self.t.number(0.0), true),
                Op::Binary(Binary::Add | Binary::Sub, a, b) if zero(b) => (at(a), zero(a)),
                Op::Binary(Binary::Add, a, b) if zero(a) => (at(b), zero(b)),
                Op::Constant(n) => (self.t.number(n.to_f64()), false),
                Op::Pi => (self.t.number(std::f64::consts::PI), false),
                Op::Index(ref i) => (self.t.number(i.offset() as f64), false),
                Op::Unary(f @ (Unary::Sin | Unary::Cos), a) if both.contains(&a) => {
                    let x = at(a);
                    let pair = *pairs.entry(a).or_insert_with(|| self.t.sin_cos(x));
                    (pair[usize::from(f == Unary::Cos)], false)
                }
                Op::Unary(f, a) => (self.t.unary(f, at(a)), false),
                Op::Binary(f, a, b) => (self.t.binary(f, at(a), at(b)), false),
            };
            values.push(value);
            if vanishes {
                nothing.insert(k as u32);
            }
        }
        for store in &kernel.stores {
            if matches!(kernel.ops[store.value as usize], Op::Constant(n) if n.is_zero()) {
                self.zeros.insert(store.to.at.offset());
            }
            self.set(store.to.base, store.to.at.offset(), values[store.value as usize]);
        }
    }

    fn is_nothing(&self, address: &Address) -> bool {
        address.base == Base::Work && self.nothing.contains(&address.at.offset())
    }

    fn get(&mut self, base: Base, at: i64) -> T::Number {
        if let Base::Input(_) = base {
            return self.t.load(Place { base, index: None, offset: at });
        }
        let cell = self.cell(base, at);
        self.t.get(cell)
    }

    fn set(&mut self, base: Base, at: i64, value: T::Number) {
        let cell = self.cell(base, at);
        self.t.set(cell, value);
    }

    fn cell(&mut self, base: Base, at: i64) -> T::Cell {
        *self.cells.entry((base, at)).or_insert_with(|| self.t.cell())
    }

    /// Numbers of the work area that follow each other.
    pub(super) fn listed(&mut self, first: usize, count: usize) -> Vec<T::Number> {
        (first..first + count).map(|at| self.get(Base::Work, at as i64)).collect()
    }

    pub(super) fn set_all(&mut self, first: usize, values: &[T::Number]) {
        for (at, &value) in (first..).zip(values) {
            self.set(Base::Work, at as i64, value);
        }
    }

    /// A number of the stopping rule.
    pub(super) fn rule(&mut self, which: Rule) -> T::Number {
        self.t.load(Place { base: Base::Input(self.program.inputs.len()), index: None, offset: which as i64 })
    }

    /// Adds to what is counted.
    pub(super) fn count(&mut self, which: usize, more: T::Number) {
        let before = self.t.get(self.counted[which]);
        let sum = self.t.binary(Binary::Add, before, more);
        self.t.set(self.counted[which], sum);
    }

    pub(super) fn all(&mut self, truths: Vec<T::Truth>) -> T::Truth {
        let all = truths.into_iter().reduce(|a, b| self.t.both(a, b));
        all.unwrap_or_else(|| self.t.always())
    }

    /// Whether every value is finite: their sum is, unless it overflows, and then the reference decides.
    pub(super) fn finite(&mut self, values: &[T::Number]) -> T::Truth {
        match values.iter().copied().reduce(|a, b| self.t.binary(Binary::Add, a, b)) {
            Some(sum) => self.t.is_finite(sum),
            None => self.t.always(),
        }
    }

    /// Whether all residuals are zero.
    pub(super) fn vanish(&mut self, residuals: &[T::Number]) -> T::Truth {
        let zero = self.t.number(0.0);
        let vanish = residuals.iter().map(|&r| self.t.compare(Comparison::Equal, r, zero)).collect();
        self.all(vanish)
    }
}

impl<T: Target> Regions<T> for Steps<'_, '_, T> {
    fn target(&mut self) -> &mut T {
        self.t
    }

    fn bail(&self) -> T::Label {
        self.bail
    }

    fn instructions(&mut self, list: &[Instruction]) {
        for instruction in list {
            match instruction {
                Instruction::Segment(k) => {
                    self.program.segments[*k].kernels.iter().for_each(|kernel| self.kernel(kernel));
                }
                Instruction::Factor { solver, values } => {
                    let matrix = self.listed(*values, self.program.systems[*solver].pattern.len());
                    let good = self.t.factor(*solver, &matrix);
                    self.t.go_unless(good, self.bail);
                }
                Instruction::Solve { solver, rhs, columns, transposed } => {
                    let sides = self.listed(*rhs, columns * self.program.systems[*solver].pattern.rows());
                    let how = Sides { columns: *columns, transposed: *transposed, strict: false };
                    let (solution, good) = self.t.solve(*solver, &sides, how);
                    self.t.go_unless(good, self.bail);
                    self.set_all(*rhs, &solution);
                }
                Instruction::Root { .. } => self.newton(instruction),
                Instruction::FixedPoint { site, unknown, next, body, otherwise } => {
                    let Some(site) = self.program.plan.unknowns(*site) else { continue };
                    self.fixed_point(site, (*unknown, *next, body), otherwise.as_ref());
                }
                Instruction::Repeat { coefficients, coefficient, state, next, count, body } => {
                    self.stages(coefficients, [*coefficient, *state, *next, *count], body);
                }
                Instruction::Require { residual, magnitude, count, .. } => self.require(*residual, *magnitude, *count),
                Instruction::Leave => self.t.go(self.bail),
            }
        }
    }

    fn number_at(&mut self, at: usize) -> T::Number {
        self.get(Base::Work, at as i64)
    }

    fn set_number(&mut self, at: usize, value: T::Number) {
        self.set(Base::Work, at as i64, value);
    }

    fn copy(&mut self, from: usize, to: usize, count: usize) {
        let values = self.listed(from, count);
        self.set_all(to, &values);
    }

    fn iterate(&mut self, site: &Unknowns, map: Map<'_>, patience: f64, failed: T::Label) {
        self.iterate_cells(site, map, patience, failed);
    }
}
