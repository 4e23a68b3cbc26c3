//! From loops over arrays to a program: where each array is.

use super::fuse::fused;
use super::item::Item;
use super::unrolled::CONSTANTS;
use crate::program::{Address, Base, Instruction, Kernel, Op, Program, Segment, Store, System};
use cotangent_dynamics::{Failure, Misuse, Plan};

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
    let mut building = Building::new(arrays, inputs, outputs, plan);
    let (mut instructions, each) = (building.instructions(once)?, building.instructions(each)?);
    let mut program = building.program;
    program.once = instructions.len();
    instructions.extend(each);
    program.instructions = instructions;
    Ok(program)
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

    fn close(&mut self, open: &mut Segment, out: &mut Vec<Instruction>) {
        if !open.kernels.is_empty() {
            self.program.segments.push(std::mem::take(open));
            out.push(Instruction::Segment(self.program.segments.len() - 1));
        }
    }
}
