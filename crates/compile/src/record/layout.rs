//! From loops over arrays to a program: where each array is.

use super::entry::array;
use super::fuse::fused;
use super::item::{self, Item};
use super::unrolled::CONSTANTS;
use crate::computed::computed_before_use;
use crate::program::{Address, Base, Instruction, Kernel, Op, Otherwise, Program, Segment, Store, System};
use cotangent_dynamics::{Failure, Misuse, Plan, Unrecordable};
use std::collections::BTreeMap;

/// Joins the loops of a step and lays out its memory. `inputs` and `outputs` are among the arrays.
pub(super) fn program(
    plan: &Plan,
    arrays: &[usize],
    inputs: &[usize],
    outputs: &[usize],
    items: Vec<Item>,
) -> Result<Program, Failure> {
    let changing: Vec<usize> =
        inputs.iter().enumerate().filter(|(k, _)| *k != CONSTANTS).map(|(_, &array)| array).collect();
    let [once, each] = fused(arrays, items, &changing, outputs);
    // Whether everything is computed before it is used is seen where every array has a place of its own.
    let apart = Building::new(arrays, inputs, outputs, plan).laid_out(once.clone(), each.clone(), false)?;
    if computed_before_use(&apart).is_err() {
        return Err(Misuse::from(Unrecordable::Leak).into());
    }
    Building::new(arrays, inputs, outputs, plan).laid_out(once, each, true)
}

/// From items to a program.
struct Building<'a> {
    program: Program,
    plan: &'a Plan,
    arrays: &'a [usize],
    /// Where each array is: a base, and from where on.
    places: Vec<Option<(Base, usize)>>,
}

impl<'a> Building<'a> {
    fn new(arrays: &'a [usize], inputs: &[usize], outputs: &[usize], plan: &'a Plan) -> Building<'a> {
        let lengths = |list: &[usize]| list.iter().map(|&array| arrays[array]).collect();
        let (inputs_of, outputs_of) = (lengths(inputs), lengths(outputs));
        let program = Program { inputs: inputs_of, outputs: outputs_of, plan: plan.clone(), ..Program::default() };
        let mut places = vec![None; arrays.len()];
        inputs.iter().enumerate().for_each(|(k, &array)| places[array] = Some((Base::Input(k), 0)));
        outputs.iter().enumerate().for_each(|(k, &array)| places[array] = Some((Base::Output(k), 0)));
        Building { program, plan, arrays, places }
    }

    /// The program of what is done once and what in each step, whose arrays may share places or not.
    fn laid_out(mut self, once: Vec<Item>, each: Vec<Item>, shared: bool) -> Result<Program, Failure> {
        let mut instructions = self.instructions(once)?;
        if shared {
            self.share(&each);
        }
        let each = self.instructions(each)?;
        self.program.once = instructions.len();
        instructions.extend(each);
        self.program.instructions = instructions;
        Ok(self.program)
    }

    /// Gives the arrays of a step their places: two that are never needed at the same time may have the same one, so that what is
    /// written is still near the processor. What was placed before stays.
    fn share(&mut self, items: &[Item]) {
        let mut spans = Spans::default();
        spans.follow(items);
        let placed = |&(array, _): &(usize, _)| self.places[array].is_none();
        let mut waiting: Vec<(usize, (usize, usize))> = spans.of.into_iter().filter(placed).collect();
        waiting.sort_by_key(|&(array, (first, _))| (first, array));
        let first_free = self.program.work;
        // The last item, the beginning and the end of those that are needed, in the order of their places.
        let mut needed: Vec<(usize, usize, usize)> = vec![];
        for (array, (first, last)) in waiting {
            needed.retain(|&(until, ..)| until >= first);
            let len = self.arrays[array];
            let mut at = first_free;
            let mut before = 0;
            for &(_, begin, end) in &needed {
                if at + len <= begin {
                    break;
                }
                at = end;
                before += 1;
            }
            needed.insert(before, (last, at, at + len));
            self.places[array] = Some((Base::Work, at));
            self.program.work = self.program.work.max(at + len);
        }
    }

    /// Where an array is; it gets a place when it is first met.
    fn place(&mut self, array: usize) -> (Base, usize) {
        let Building { program, arrays, places, .. } = self;
        *places[array].get_or_insert_with(|| {
            program.work += arrays[array];
            (Base::Work, program.work - arrays[array])
        })
    }

    /// Where an array is in the work area.
    fn in_work(&mut self, array: usize) -> Result<usize, Failure> {
        match self.place(array) {
            (Base::Work, at) => Ok(at),
            _ => Err(Misuse::Unknowns.into()),
        }
    }

    fn address(&mut self, address: &Address) -> Address {
        match address.base {
            Base::Output(array) => {
                let (base, first) = self.place(array);
                Address { base, at: address.at.shifted(first as i64) }
            }
            _ => address.clone(),
        }
    }

    fn kernel(&mut self, kernel: Kernel) -> Kernel {
        let Kernel { domain, ops, stores } = kernel;
        let ops = ops.into_iter().map(|op| match op {
            Op::Load(a) => Op::Load(self.address(&a)),
            other => other,
        });
        let ops = ops.collect();
        let stores = stores.into_iter().map(|s| Store { to: self.address(&s.to), ..s }).collect();
        Kernel { domain, ops, stores }
    }

    fn instructions(&mut self, items: Vec<Item>) -> Result<Vec<Instruction>, Failure> {
        let mut out = vec![];
        let mut open = Segment::default();
        for item in items {
            match item {
                Item::Kernel(kernel) => {
                    let kernel = self.kernel(kernel);
                    open.kernels.push(kernel);
                }
                Item::Newton { site, unknown, terms, residual, jacobian, body } => {
                    self.close(&mut open, &mut out);
                    let pattern = self.plan.unknowns(site).and_then(|u| u.pattern.clone());
                    let Some(pattern) = pattern else { return Err(Misuse::Unknowns.into()) };
                    self.program.systems.push(System { name: "step".into(), pattern, site: Some(site) });
                    let solver = self.program.systems.len() - 1;
                    let unknown = self.in_work(unknown)?;
                    let terms = terms.map(|terms| self.in_work(terms)).transpose()?;
                    let body = self.instructions(body)?;
                    let (residual, jacobian) = (self.in_work(residual)?, self.in_work(jacobian)?);
                    out.push(Instruction::Root { solver, unknown, terms, residual, jacobian, body });
                }
                Item::FixedPoint { site, unknown, next, body, otherwise } => {
                    self.close(&mut open, &mut out);
                    let (unknown, body) = (self.in_work(unknown)?, self.instructions(body)?);
                    let next = self.in_work(next)?;
                    let otherwise = otherwise.map(|o| self.otherwise(o)).transpose()?;
                    out.push(Instruction::FixedPoint { site, unknown, next, body, otherwise });
                }
                Item::Repeat { coefficients, coefficient, state, next, body } => {
                    self.close(&mut open, &mut out);
                    let count = self.arrays[state];
                    let (coefficient, state) = (self.in_work(coefficient)?, self.in_work(state)?);
                    let body = self.instructions(body)?;
                    let next = self.in_work(next)?;
                    out.push(Instruction::Repeat { coefficients, coefficient, state, next, count, body });
                }
                Item::Leave => {
                    self.close(&mut open, &mut out);
                    out.push(Instruction::Leave);
                }
                Item::Require { kind, residual, magnitude } => {
                    self.close(&mut open, &mut out);
                    let count = self.arrays[residual];
                    let (residual, magnitude) = (self.in_work(residual)?, self.in_work(magnitude)?);
                    out.push(Instruction::Require { kind, residual, magnitude, count });
                }
            }
        }
        self.close(&mut open, &mut out);
        Ok(out)
    }

    fn otherwise(&mut self, item::Otherwise { pause, solution, body }: item::Otherwise) -> Result<Otherwise, Failure> {
        let (pause, body) = (self.in_work(pause)?, self.instructions(body)?);
        Ok(Otherwise { pause, solution: self.in_work(solution)?, body })
    }

    fn close(&mut self, open: &mut Segment, out: &mut Vec<Instruction>) {
        if !open.kernels.is_empty() {
            self.program.segments.push(std::mem::take(open));
            out.push(Instruction::Segment(self.program.segments.len() - 1));
        }
    }
}

/// When arrays are needed: the first and the last item that each is met in. An iteration counts as one item; stages that are
/// repeated are followed inside, and what is there before them is needed until their end.
#[derive(Default)]
struct Spans {
    of: BTreeMap<usize, (usize, usize)>,
    now: usize,
}

impl Spans {
    fn follow(&mut self, items: &[Item]) {
        for item in items {
            self.now += 1;
            let Item::Repeat { body, .. } = item else {
                self.meet(met(item));
                continue;
            };
            let begin = self.now;
            self.meet(item.own_arrays());
            self.follow(body);
            self.now += 1;
            let around = |array: &usize| self.of.get(array).is_some_and(|span| span.0 <= begin);
            let until_now: Vec<usize> = met(item).into_iter().filter(around).collect();
            self.meet(until_now);
        }
    }

    fn meet(&mut self, arrays: Vec<usize>) {
        for array in arrays {
            self.of.entry(array).or_insert((self.now, self.now)).1 = self.now;
        }
    }
}

/// The arrays of an item.
fn met(item: &Item) -> Vec<usize> {
    let mut out = item.own_arrays();
    if let Item::Kernel(kernel) = item {
        let loads = kernel.ops.iter().filter_map(|op| if let Op::Load(a) = op { Some(a) } else { None });
        out.extend(loads.chain(kernel.stores.iter().map(|store| &store.to)).map(array));
    }
    out.extend(item.bodies().flatten().flat_map(met));
    out
}
