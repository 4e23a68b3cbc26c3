//! Recording a step with its loops.

use super::item::{Item, Otherwise};
use super::layout::program;
use super::numbers::{elementary, operators};
use crate::program::{Address, Base, Binary, Instruction, Kernel, Op, Program, Store, Unary, Write};
use crate::tape::{binary, unary};
use cotangent_dynamics::{
    Contraction, Equations, Failure, Kind, Machine, Map, Misuse, Plan, Site, Stage, Unrecordable,
};
use cotangent_expr::{Dim, Domain, Ix, Number, Table};
use cotangent_scalar::{Place, Scalar, Sums};
use std::cell::RefCell;

/// The most kernels of a recording: one that has more is not made of loops.
const MOST_KERNELS: usize = 800;

/// In place of an array: the value of an operation of the loop that is being recorded.
const LANE: u32 = u32::MAX;

/// A number that knows where it is.
#[derive(Clone, Copy)]
pub enum Looped<'t> {
    /// Known while recording.
    Constant(f64),
    /// An entry of an array.
    Entry(u32, u32, &'t LoopRecorder),
}

#[derive(Default)]
struct Trace {
    arrays: Vec<usize>,
    items: Vec<Item>,
    /// What came before the regions that are being recorded, the outermost first.
    outside: Vec<Vec<Item>>,
    /// Whether an iteration is being recorded, and stages.
    iterated: bool,
    repeated: bool,
    /// The operations of the loop that is being recorded.
    body: Option<Vec<Op>>,
    kernels: usize,
    fault: Option<Unrecordable>,
}

impl Trace {
    /// Begins a region.
    fn begin(&mut self) {
        let before = std::mem::take(&mut self.items);
        self.outside.push(before);
    }

    /// Ends it: what it does.
    fn end(&mut self) -> Vec<Item> {
        let before = self.outside.pop().unwrap_or_default();
        std::mem::replace(&mut self.items, before)
    }
}

/// Records loops; lives as long as the [`Looped`] numbers that refer to it.
#[derive(Default)]
pub struct LoopRecorder(RefCell<Trace>);

/// A stretch of a vector.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// Entries of an array one after the other, from this one on.
    Entries(u32, u32),
    /// The same number again and again.
    Same(Uniform),
}

#[derive(Clone, Copy, PartialEq)]
enum Uniform {
    Constant(u64),
    Entry(u32, u32),
}

impl LoopRecorder {
    /// Records a step with the implicit equations of `plan`: `step` gets vectors of these lengths and gives others. The
    /// third of those it gets is constant from step to step.
    pub fn record(
        plan: &Plan,
        inputs: &[usize],
        step: impl for<'t> FnOnce(&mut LoopRecord<'t>, Vec<Vec<Looped<'t>>>) -> Result<Vec<Vec<Looped<'t>>>, Failure>,
    ) -> Result<Program, Failure> {
        let recorder = LoopRecorder::default();
        let given: Vec<usize> = inputs.iter().map(|&len| recorder.array(len)).collect();
        let vectors = given.iter().map(|&array| recorder.entries(array)).collect();
        let results = step(&mut LoopRecord { recorder: &recorder, plan }, vectors)?;
        let outputs: Vec<usize> = results.iter().map(|vector| recorder.copied(vector)).collect();
        let Trace { arrays, items, fault, .. } = recorder.0.into_inner();
        match fault {
            Some(why) => Err(Misuse::from(why).into()),
            None => program(plan, &arrays, &given, &outputs, items),
        }
    }

    fn array(&self, len: usize) -> usize {
        let mut trace = self.0.borrow_mut();
        trace.arrays.push(len);
        trace.arrays.len() - 1
    }

    fn entries(&self, array: usize) -> Vec<Looped<'_>> {
        let len = self.0.borrow().arrays[array];
        (0..len).map(|at| Looped::Entry(array as u32, at as u32, self)).collect()
    }

    fn item(&self, item: Item) {
        self.0.borrow_mut().items.push(item);
    }

    fn kernel(&self, domain: Domain, ops: Vec<Op>, stores: Vec<Store>) {
        let mut kernel = Kernel { domain, ops, stores };
        kernel.drop_unused();
        let mut trace = self.0.borrow_mut();
        trace.kernels += 1;
        match trace.kernels > MOST_KERNELS {
            true => trace.fault = Some(Unrecordable::TooLong),
            false => trace.items.push(Item::Kernel(kernel)),
        }
    }

    /// The position of a number among the operations of the loop that is being recorded.
    fn operand(&self, x: Looped<'_>) -> u32 {
        let mut trace = self.0.borrow_mut();
        let op = match x {
            Looped::Entry(LANE, at, _) if trace.body.is_some() => return at,
            Looped::Entry(LANE, ..) => {
                trace.fault = Some(Unrecordable::Foreign);
                Op::Constant(Number::ZERO)
            }
            Looped::Entry(array, at, own) => {
                if !std::ptr::eq(own, self) {
                    trace.fault = Some(Unrecordable::Foreign);
                }
                Op::Load(address(array as usize, Ix::constant(i64::from(at))))
            }
            Looped::Constant(c) => Op::Constant(Number::from(c)),
        };
        push(&mut trace.body, op)
    }

    /// Records an operation: into the loop that is being recorded, otherwise as a number of its own.
    fn operation(&self, operands: &[Looped<'_>], op: impl Fn(&[u32]) -> Op) -> Looped<'_> {
        let alone = self.0.borrow().body.is_none();
        if alone {
            self.0.borrow_mut().body = Some(vec![]);
        }
        let operands: Vec<u32> = operands.iter().map(|&x| self.operand(x)).collect();
        let value = push(&mut self.0.borrow_mut().body, op(&operands));
        if !alone {
            return Looped::Entry(LANE, value, self);
        }
        let array = self.array(1);
        let ops = self.0.borrow_mut().body.take().unwrap_or_default();
        let to = address(array, Ix::constant(0));
        self.kernel(Domain::point(), ops, vec![Store { to, value, write: Write::Set }]);
        Looped::Entry(array as u32, 0, self)
    }

    /// Records a loop, whose body stores what `f` says: an address and a number.
    fn repeat<'t>(&'t self, rounds: usize, f: impl FnOnce(&Ix) -> Vec<(Address, Looped<'t>, Write)>) {
        self.0.borrow_mut().body = Some(vec![]);
        let (domain, round) = match rounds {
            1 => (Domain::point(), Ix::constant(0)),
            _ => (Domain::range("k", 0, rounds as i64 - 1), Ix::var(0)),
        };
        let made = f(&round);
        let stores = made.into_iter().map(|(to, x, write)| Store { to, value: self.operand(x), write }).collect();
        let ops = self.0.borrow_mut().body.take().unwrap_or_default();
        self.kernel(domain, ops, stores);
    }

    fn load(&self, from: Address) -> Looped<'_> {
        Looped::Entry(LANE, push(&mut self.0.borrow_mut().body, Op::Load(from)), self)
    }

    fn uniform(&self, x: Uniform) -> Looped<'_> {
        match x {
            Uniform::Constant(bits) => Looped::Constant(f64::from_bits(bits)),
            Uniform::Entry(array, at) => Looped::Entry(array, at, self),
        }
    }

    /// A vector as a copy of its own.
    fn copied(&self, vector: &[Looped<'_>]) -> usize {
        let array = self.array(vector.len());
        for (start, len, part) in parts(vector) {
            self.repeat(len, |k| {
                let x = match part {
                    Part::Entries(from, at) => self.load(address(from as usize, k.shifted(i64::from(at)))),
                    Part::Same(x) => self.uniform(x),
                };
                vec![(address(array, k.shifted(start as i64)), x, Write::Set)]
            });
        }
        array
    }

    /// An array that a vector is a stretch of, and from where on; a copy, if it is none.
    fn stretch(&self, vector: &[Looped<'_>]) -> (usize, i64) {
        match parts(vector)[..] {
            [(_, _, Part::Entries(array, at))] => (array as usize, i64::from(at)),
            _ => (self.copied(vector), 0),
        }
    }

    /// An array that is this vector; a copy, if it is none.
    fn whole(&self, vector: &[Looped<'_>]) -> usize {
        match self.stretch(vector) {
            (array, 0) if self.0.borrow().arrays[array] == vector.len() => array,
            _ => self.copied(vector),
        }
    }

    /// Records what a function does, as loops; false if it solves equations.
    pub(crate) fn splice<'t>(
        &'t self,
        program: &Program,
        inputs: &[&[Looped<'t>]],
        outputs: &mut [&mut [Looped<'t>]],
    ) -> bool {
        let fits = inputs.iter().map(|x| x.len()).eq(program.inputs.iter().copied())
            && outputs.iter().map(|y| y.len()).eq(program.outputs.iter().copied());
        if !fits || program.instructions.iter().any(|i| !matches!(i, Instruction::Segment(_))) {
            return false;
        }
        let given: Vec<(usize, i64)> = inputs.iter().map(|vector| self.stretch(vector)).collect();
        let made: Vec<usize> = program.outputs.iter().map(|&len| self.array(len)).collect();
        let work = self.array(program.work);
        let placed = |a: &Address| match a.base {
            Base::Input(k) => address(given[k].0, a.at.shifted(given[k].1)),
            Base::Output(k) => address(made[k], a.at.clone()),
            Base::Work => address(work, a.at.clone()),
        };
        for segment in &program.segments {
            for &(base, start, len) in &segment.clear {
                self.repeat(len, |k| {
                    let to = placed(&Address { base, at: k.shifted(start as i64) });
                    vec![(to, Looped::Constant(0.0), Write::Set)]
                });
            }
            for kernel in &segment.kernels {
                let op = |op: &Op| match op {
                    Op::Load(a) => Op::Load(placed(a)),
                    other => other.clone(),
                };
                let store = |s: &Store| Store { to: placed(&s.to), ..s.clone() };
                let stores = kernel.stores.iter().map(store).collect();
                self.kernel(kernel.domain.clone(), kernel.ops.iter().map(op).collect(), stores);
            }
        }
        for (out, &array) in outputs.iter_mut().zip(&made) {
            out.copy_from_slice(&self.entries(array));
        }
        true
    }
}

fn address(array: usize, at: Ix) -> Address {
    Address { base: Base::Output(array), at }
}

fn push(body: &mut Option<Vec<Op>>, op: Op) -> u32 {
    let body = body.get_or_insert_default();
    body.push(op);
    body.len() as u32 - 1
}

/// The stretches of a vector: start, length, and what it is.
fn parts(vector: &[Looped<'_>]) -> Vec<(usize, usize, Part)> {
    let mut out: Vec<(usize, usize, Part)> = vec![];
    for (k, x) in vector.iter().enumerate() {
        let same = match *x {
            Looped::Constant(c) => Uniform::Constant(c.to_bits()),
            Looped::Entry(array, at, _) => Uniform::Entry(array, at),
        };
        if let Some((start, len, part)) = out.last_mut() {
            let continued = match (*part, same) {
                (Part::Entries(array, first), Uniform::Entry(own, at)) if array == own => {
                    // A stretch of one entry may still become the same again and again.
                    if *len == 1 && at == first {
                        *part = Part::Same(same);
                        true
                    } else {
                        at as usize == first as usize + (k - *start)
                    }
                }
                (Part::Same(x), y) => x == y,
                _ => false,
            };
            if continued {
                *len += 1;
                continue;
            }
        }
        let part = match same {
            Uniform::Entry(array, at) => Part::Entries(array, at),
            constant => Part::Same(constant),
        };
        out.push((k, 1, part));
    }
    out
}

/// The recorder that numbers of vectors refer to.
fn recorder_of<'t>(vectors: &[&[Looped<'t>]]) -> Option<&'t LoopRecorder> {
    vectors.iter().flat_map(|v| v.iter()).find_map(|x| match *x {
        Looped::Entry(_, _, recorder) => Some(recorder),
        Looped::Constant(_) => None,
    })
}

/// An index of a place, by the round.
fn index(place: &Place, rounds: usize, round: &Ix) -> Ix {
    match place {
        Place::Affine { start, step } => round.times(*step as i64).shifted(*start as i64),
        Place::Listed(_) if rounds == 1 => Ix::constant(place.at(0) as i64),
        Place::Listed(places) => {
            let values = places.iter().map(|&at| i64::from(at)).collect();
            let table = Table::new("place", vec![Dim { first: 0, len: rounds }], values);
            table.map_or_else(Ix::default, |table| Ix::table(table, vec![round.clone()]))
        }
    }
}

/// The machine that records: an iteration becomes one region, and so do stages.
pub struct LoopRecord<'t> {
    recorder: &'t LoopRecorder,
    plan: &'t Plan,
}

impl<'t> LoopRecord<'t> {
    /// The recorder of this step.
    pub fn recorder(&self) -> &'t LoopRecorder {
        self.recorder
    }

    /// Records the body of an iteration: the arrays of the vectors it gives, and what it does.
    fn iteration<const K: usize>(
        &mut self,
        body: impl FnOnce(&mut Self) -> Result<[Vec<Looped<'t>>; K], Failure>,
    ) -> Result<([usize; K], Vec<Item>), Failure> {
        let recorder = self.recorder;
        {
            let mut trace = recorder.0.borrow_mut();
            // What is too long already need not be recorded to its end.
            let fault = trace.fault.or(trace.iterated.then_some(Unrecordable::Nested));
            if let Some(why) = fault {
                return Err(Misuse::from(why).into());
            }
            trace.iterated = true;
            trace.begin();
        }
        let left = body(self)?.map(|vector| recorder.whole(&vector));
        let mut trace = recorder.0.borrow_mut();
        trace.iterated = false;
        Ok((left, trace.end()))
    }

    /// Records the map of a fixed-point equation: where its unknowns are, where it leaves its values, and what it does.
    fn map(
        &mut self,
        site: Site,
        unknowns: &[Looped<'t>],
        map: impl FnOnce(&mut Self, &[Looped<'t>], &mut [Looped<'t>]) -> Result<(), Failure>,
    ) -> Result<(usize, usize, Vec<Item>), Failure> {
        let planned = self.plan.unknowns(site).filter(|u| u.pattern.is_none() && u.len() == unknowns.len());
        if planned.ok_or(Misuse::NoSuchFixedPoint)?.stages.is_none() {
            return Err(Misuse::from(Unrecordable::FixedPoint).into());
        }
        let unknown = self.recorder.copied(unknowns);
        let ([next], body) = self.iteration(|machine| {
            let mut next = vec![Looped::Constant(0.0); unknowns.len()];
            map(machine, &machine.recorder.entries(unknown), &mut next)?;
            Ok([next])
        })?;
        Ok((unknown, next, body))
    }
}

impl<'t> Machine<Looped<'t>> for LoopRecord<'t> {
    fn newton(
        &mut self,
        site: Site,
        unknowns: &mut [Looped<'t>],
        equations: &mut Equations<'_, Looped<'t>>,
    ) -> Result<(), Failure> {
        self.newton_of_terms(site, unknowns, &[], equations)
    }

    fn newton_of_terms(
        &mut self,
        site: Site,
        unknowns: &mut [Looped<'t>],
        terms: &[Looped<'t>],
        equations: &mut Equations<'_, Looped<'t>>,
    ) -> Result<(), Failure> {
        let recorder = self.recorder;
        let pattern = self.plan.unknowns(site).and_then(|u| u.pattern.as_ref());
        let Some(pattern) = pattern.filter(|p| p.rows() == unknowns.len()) else {
            return Err(Misuse::NoSuchEquations.into());
        };
        let unknown = recorder.copied(unknowns);
        let terms = (!terms.is_empty()).then(|| recorder.whole(terms));
        let ([residual, jacobian], body) = self.iteration(|machine| {
            let mut residual = vec![Looped::Constant(0.0); unknowns.len()];
            let mut jacobian = vec![Looped::Constant(0.0); pattern.len()];
            equations(&machine.recorder.entries(unknown), &mut residual, &mut jacobian)?;
            Ok([residual, jacobian])
        })?;
        recorder.item(Item::Newton { site, unknown, terms, residual, jacobian, body });
        unknowns.copy_from_slice(&recorder.entries(unknown));
        Ok(())
    }

    fn fixed_point(
        &mut self,
        site: Site,
        unknowns: &mut [Looped<'t>],
        map: &mut Map<'_, Looped<'t>>,
    ) -> Result<(), Failure> {
        let recorder = self.recorder;
        let (unknown, next, body) = self.map(site, unknowns, |machine, x, next| map(machine, x, next))?;
        recorder.item(Item::FixedPoint { site, unknown, next, body, otherwise: None });
        unknowns.copy_from_slice(&recorder.entries(unknown));
        Ok(())
    }

    fn contract(
        &mut self,
        site: Site,
        unknowns: &mut [Looped<'t>],
        pause: &mut Looped<'t>,
        equations: &mut dyn Contraction<Looped<'t>>,
    ) -> Result<(), Failure> {
        let recorder = self.recorder;
        let paused = recorder.copied(&[*pause]);
        let (unknown, next, body) = self.map(site, unknowns, |_, x, next| equations.map(x, next))?;
        let (depth, kernels, fault, repeated) = {
            let mut trace = recorder.0.borrow_mut();
            trace.begin();
            (trace.outside.len(), trace.kernels, trace.fault, trace.repeated)
        };
        let recorded = equations.otherwise(self, unknowns);
        let mut solution = recorder.whole(unknowns);
        let mut trace = recorder.0.borrow_mut();
        let is_too_long = fault.is_none() && trace.fault == Some(Unrecordable::TooLong);
        let other = match recorded.is_err() || is_too_long {
            true => {
                // Not made of loops: a step that goes this way is left to calls, and what was recorded of it is forgotten.
                trace.outside.truncate(depth);
                trace.end();
                (trace.kernels, trace.fault, trace.iterated, trace.repeated) = (kernels, fault, false, repeated);
                solution = unknown;
                vec![Item::Leave]
            }
            false => trace.end(),
        };
        drop(trace);
        let otherwise = Some(Otherwise { pause: paused, solution, body: other });
        recorder.item(Item::FixedPoint { site, unknown, next, body, otherwise });
        unknowns.copy_from_slice(&recorder.entries(unknown));
        *pause = recorder.entries(paused)[0];
        Ok(())
    }

    fn repeat(
        &mut self,
        coefficients: &[Looped<'t>],
        state: &mut [Looped<'t>],
        stage: &mut Stage<'_, Looped<'t>>,
    ) -> Result<bool, Failure> {
        let recorder = self.recorder;
        let known = |c: &Looped<'t>| if let Looped::Constant(c) = c { Some(*c) } else { None };
        let Some(coefficients) = coefficients.iter().map(known).collect::<Option<Vec<f64>>>() else { return Ok(false) };
        if recorder.0.borrow().iterated || recorder.0.borrow().repeated {
            return Ok(false);
        }
        let (before, coefficient) = (recorder.copied(state), recorder.array(1));
        {
            let mut trace = recorder.0.borrow_mut();
            trace.repeated = true;
            trace.begin();
        }
        state.copy_from_slice(&recorder.entries(before));
        stage(self, recorder.entries(coefficient)[0], state)?;
        // Not where the next stage begins already.
        let next = recorder.copied(state);
        let body = {
            let mut trace = recorder.0.borrow_mut();
            trace.repeated = false;
            trace.end()
        };
        recorder.item(Item::Repeat { coefficients, coefficient, state: before, next, body });
        state.copy_from_slice(&recorder.entries(before));
        Ok(true)
    }

    fn require(&mut self, kind: Kind, residual: &[Looped<'t>], magnitude: &[Looped<'t>]) -> Result<(), Failure> {
        let (residual, magnitude) = (self.recorder.whole(residual), self.recorder.whole(magnitude));
        self.recorder.item(Item::Require { kind, residual, magnitude });
        Ok(())
    }

    fn value(&mut self, _: Looped<'t>) -> Result<f64, Failure> {
        Err(Misuse::from(Unrecordable::Decision).into())
    }
}

impl Looped<'_> {
    fn map(self, f: Unary) -> Self {
        match self {
            Looped::Constant(c) => Looped::Constant(unary(f, c)),
            Looped::Entry(_, _, r) => r.operation(&[self], |x| Op::Unary(f, x[0])),
        }
    }

    fn join(self, other: Self, f: Binary) -> Self {
        let recorder = match (self, other) {
            (Looped::Constant(a), Looped::Constant(b)) => return Looped::Constant(binary(f, a, b)),
            // Exact in IEEE arithmetic, whatever the other value is.
            (_, Looped::Constant(1.0)) if matches!(f, Binary::Mul | Binary::Div) => return self,
            (Looped::Constant(1.0), _) if f == Binary::Mul => return other,
            (Looped::Entry(_, _, r), _) | (_, Looped::Entry(_, _, r)) => r,
        };
        recorder.operation(&[self, other], |x| Op::Binary(f, x[0], x[1]))
    }
}

operators!(Looped);

impl Scalar for Looped<'_> {
    elementary!(Looped);

    fn each<const I: usize, const O: usize>(
        inputs: [&[Self]; I],
        outputs: [&mut [Self]; O],
        f: impl Fn([Self; I], [Self; O]) -> [Self; O],
    ) {
        let read: Vec<&[Self]> = inputs.iter().copied().chain(outputs.iter().map(|y| &**y)).collect();
        let len = read.iter().map(|x| x.len()).min().unwrap_or(0);
        let Some(recorder) = recorder_of(&read) else {
            // Nothing but constants: the same ones have the same result.
            let mut last: Option<(Vec<u64>, [Self; O])> = None;
            for k in 0..len {
                let bits = read_constants(&inputs, &outputs, k);
                let made = match &last {
                    Some((known, made)) if *known == bits => *made,
                    _ => f(std::array::from_fn(|i| inputs[i][k]), std::array::from_fn(|o| outputs[o][k])),
                };
                (0..O).for_each(|o| outputs[o][k] = made[o]);
                last = Some((bits, made));
            }
            return;
        };
        // Stretches in which every vector is entries of one array, or the same number.
        let stretches: Vec<Vec<(usize, usize, Part)>> = read.iter().map(|x| parts(&x[..len])).collect();
        let mut cuts: Vec<usize> = stretches.iter().flatten().map(|&(start, ..)| start).chain([len]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let made: [usize; O] = std::array::from_fn(|_| recorder.array(len));
        for pair in cuts.windows(2) {
            let (start, end) = (pair[0], pair[1]);
            recorder.repeat(end - start, |k| {
                let lane = |v: usize| {
                    let own = stretches[v].partition_point(|&(first, ..)| first <= start) - 1;
                    let (first, _, part) = stretches[v][own];
                    match part {
                        Part::Entries(array, at) => {
                            let at = i64::from(at) + (start - first) as i64;
                            recorder.load(address(array as usize, k.shifted(at)))
                        }
                        Part::Same(x) => recorder.uniform(x),
                    }
                };
                let results = f(std::array::from_fn(lane), std::array::from_fn(|o| lane(I + o)));
                let store = |(&to, x)| (address(to, k.shifted(start as i64)), x, Write::Set);
                made.iter().zip(results).map(store).collect()
            });
        }
        for (out, &array) in outputs.into_iter().zip(&made) {
            out[..len].copy_from_slice(&recorder.entries(array));
        }
    }

    fn sums<const K: usize>(
        plan: &Sums<K>,
        onto: bool,
        inputs: [&[Self]; K],
        out: &mut [Self],
        term: impl Fn([Self; K]) -> Self,
        last: impl Fn(Self) -> Self,
    ) {
        let read: Vec<&[Self]> = inputs.iter().copied().chain([&*out]).collect();
        let Some(recorder) = recorder_of(&read) else {
            for (round, l) in plan.loops().iter().flat_map(|l| (0..l.rounds).map(move |round| (round, l))) {
                for (to, terms) in &l.sums {
                    let out = &mut out[to.at(round)];
                    let terms = terms.iter().map(|at| term(std::array::from_fn(|k| inputs[k][at[k].at(round)])));
                    *out = last(terms.fold(if onto { *out } else { Looped::Constant(0.0) }, |sum, term| sum + term));
                }
            }
            return;
        };
        let given: [(usize, i64); K] = inputs.map(|x| recorder.stretch(x));
        let before = onto.then(|| recorder.stretch(out));
        let made = recorder.array(out.len());
        for l in plan.loops() {
            recorder.repeat(l.rounds, |round| {
                let sum = |(to, terms): &(Place, Vec<[Place; K]>)| {
                    let to = index(to, l.rounds, round);
                    let mut terms = terms.iter().map(|at| {
                        term(std::array::from_fn(|k| {
                            let (array, first) = given[k];
                            recorder.load(address(array, index(&at[k], l.rounds, round).shifted(first)))
                        }))
                    });
                    let first = match before {
                        Some((array, first)) => Some(recorder.load(address(array, to.shifted(first)))),
                        None => terms.next(),
                    };
                    let sum = terms.fold(first.unwrap_or(Looped::Constant(0.0)), |sum, term| sum + term);
                    (address(made, to), last(sum), Write::Set)
                };
                l.sums.iter().map(sum).collect()
            });
        }
        out.copy_from_slice(&recorder.entries(made));
    }

    fn total(x: &[Self]) -> Self {
        let Some(recorder) = recorder_of(&[x]) else { return x.iter().fold(Looped::Constant(0.0), |sum, &x| sum + x) };
        let (array, first) = recorder.stretch(x);
        let sum = recorder.array(1);
        let to = || address(sum, Ix::constant(0));
        recorder.repeat(1, |_| vec![(to(), Looped::Constant(0.0), Write::Set)]);
        recorder.repeat(x.len(), |k| vec![(to(), recorder.load(address(array, k.shifted(first))), Write::Reduce)]);
        Looped::Entry(sum as u32, 0, recorder)
    }
}

fn read_constants(inputs: &[&[Looped<'_>]], outputs: &[&mut [Looped<'_>]], k: usize) -> Vec<u64> {
    let bits = |x: Looped<'_>| if let Looped::Constant(c) = x { c.to_bits() } else { 0 };
    inputs.iter().map(|x| bits(x[k])).chain(outputs.iter().map(|y| bits(y[k]))).collect()
}
