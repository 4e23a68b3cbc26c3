//! Recording a step with all its loops written out.

mod machine;
mod number;

pub use machine::Record;

use crate::program::{Address, Base, Binary, Instruction, Kernel, Op, Program, Segment, Store, System, Unary, Write};
use cotangent_dynamics::{Failure, Misuse, Plan, Site, Unrecordable};
use cotangent_expr::{Domain, Ix, Number};
use cotangent_solve::Pattern;
use std::cell::RefCell;
use std::collections::HashMap;

/// The most operations of a recording: beyond, compiling it as one function would take seconds, and
/// calls of separate functions cost little in comparison.
pub const MAX_RECORDED: usize = 6_000;

/// The segment of what depends on constants alone.
const ONCE: usize = 0;

/// Where the value of a number is found.
#[derive(Clone, Copy)]
enum Home {
    Constant(f64),
    /// In memory.
    Memory(Base, usize),
    /// An operation of a segment; others find it in the work area, if they need it.
    Computed {
        segment: usize,
        op: u32,
        slot: Option<usize>,
    },
}

/// A number of a recording.
struct Known {
    home: Home,
    /// The region in which it has a value.
    region: u32,
    /// Whether its sign is known to be plus, that of a zero, too.
    plus: bool,
}

/// Instructions that are being recorded: those of the step, or of an iteration or a stage in it.
struct Region {
    id: u32,
    instructions: Vec<Instruction>,
}

struct Trace {
    program: Program,
    /// The regions that are open, the innermost last.
    open: Vec<Region>,
    regions: u32,
    /// The operations of the segment that is being recorded, and the numbers that it has loaded.
    kernel: Kernel,
    loaded: HashMap<u32, u32>,
    /// The same of what depends on constants alone.
    once: (Kernel, HashMap<u32, u32>),
    numbers: Vec<Known>,
    /// Operations already made, so that equal ones are made once.
    known: HashMap<Key, u32>,
    /// Whether an iteration is being recorded, and whether stages are.
    inside: bool,
    repeated: bool,
    fault: Option<Unrecordable>,
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Constant(u64),
    Unary(Unary, u32),
    Binary(Binary, u32, u32),
}

/// Records operations; lives as long as the [`Traced`] numbers that refer to it.
pub struct Recorder(RefCell<Trace>);

/// A number that records what is done with it.
#[derive(Clone, Copy)]
pub enum Traced<'t> {
    /// Known while recording.
    Constant(f64),
    /// A number of the recording.
    Value(u32, &'t Recorder),
}

fn point() -> Kernel {
    Kernel { domain: Domain::point(), ops: vec![], stores: vec![] }
}

fn in_work(at: usize) -> Address {
    Address { base: Base::Work, at: Ix::constant(at as i64) }
}

impl Trace {
    fn new(plan: &Plan, inputs: &[usize]) -> Trace {
        let segments = vec![Segment::default()];
        Trace {
            program: Program { inputs: inputs.to_vec(), segments, plan: plan.clone(), ..Program::default() },
            open: vec![Region { id: 0, instructions: vec![] }],
            regions: 1,
            kernel: point(),
            loaded: HashMap::new(),
            once: (point(), HashMap::new()),
            numbers: vec![],
            known: HashMap::new(),
            inside: false,
            repeated: false,
            fault: None,
        }
    }

    fn fail(&mut self, why: Unrecordable) {
        self.fault.get_or_insert(why);
    }

    fn number(&mut self, home: Home, region: u32) -> u32 {
        if self.numbers.len() >= MAX_RECORDED {
            self.fail(Unrecordable::TooLong);
            return 0;
        }
        let plus = matches!(home, Home::Constant(c) if c.is_sign_positive());
        self.numbers.push(Known { home, region, plus });
        self.numbers.len() as u32 - 1
    }

    fn region(&self) -> u32 {
        self.open.last().map_or(0, |region| region.id)
    }

    fn is_open(&self, region: u32) -> bool {
        self.open.iter().any(|open| open.id == region)
    }

    /// Whether a number depends on constants alone: on the third of the inputs.
    fn is_constant(&self, number: u32) -> bool {
        match self.numbers[number as usize].home {
            Home::Constant(_) | Home::Memory(Base::Input(CONSTANTS), _) => true,
            Home::Memory(..) => false,
            Home::Computed { segment, .. } => segment == ONCE,
        }
    }

    fn push(&mut self, once: bool, op: Op) -> u32 {
        let ops = if once { &mut self.once.0.ops } else { &mut self.kernel.ops };
        ops.push(op);
        ops.len() as u32 - 1
    }

    /// The position of a number among the operations of the segment that is being recorded, or of those made once.
    fn operand(&mut self, number: u32, once: bool) -> u32 {
        let Known { home, region, .. } = self.numbers[number as usize];
        if !self.is_open(region) {
            self.fail(Unrecordable::Leak);
        }
        let here = if once { ONCE } else { self.program.segments.len() };
        if let Home::Computed { segment, op, .. } = home
            && segment == here
        {
            return op;
        }
        let loaded = if once { &self.once.1 } else { &self.loaded };
        if let Some(&op) = loaded.get(&number) {
            return op;
        }
        let op = match home {
            Home::Constant(c) => Op::Constant(Number::from(c)),
            Home::Memory(base, at) => Op::Load(Address { base, at: Ix::constant(at as i64) }),
            Home::Computed { segment, op, slot } => Op::Load(in_work(match slot {
                Some(slot) => slot,
                None => self.keep(number, segment, op),
            })),
        };
        let op = self.push(once, op);
        let loaded = if once { &mut self.once.1 } else { &mut self.loaded };
        loaded.insert(number, op);
        op
    }

    /// Lets a segment leave a number in the work area.
    fn keep(&mut self, number: u32, segment: usize, op: u32) -> usize {
        let slot = self.program.work;
        self.program.work += 1;
        let store = Store { to: in_work(slot), value: op, write: Write::Set };
        match segment {
            ONCE => self.once.0.stores.push(store),
            _ => self.program.segments[segment].kernels[0].stores.push(store),
        }
        self.numbers[number as usize].home = Home::Computed { segment, op, slot: Some(slot) };
        slot
    }

    /// The number that an operation on others makes.
    fn operation(&mut self, key: Key, operands: &[u32], op: impl FnOnce(&[u32]) -> Op) -> u32 {
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let once = operands.iter().all(|&x| self.is_constant(x));
        let operands: Vec<u32> = operands.iter().map(|&x| self.operand(x, once)).collect();
        let op = self.push(once, op(&operands));
        let (segment, region) = if once { (ONCE, 0) } else { (self.program.segments.len(), self.region()) };
        let number = self.number(Home::Computed { segment, op, slot: None }, region);
        self.numbers[number as usize].plus = self.makes_plus(&key);
        self.known.insert(key, number);
        number
    }

    /// Whether the sign of what an operation makes is plus, if it is a number.
    fn makes_plus(&self, key: &Key) -> bool {
        let plus = |number: u32| self.numbers[number as usize].plus;
        match *key {
            Key::Constant(bits) => f64::from_bits(bits).is_sign_positive(),
            Key::Unary(Unary::Abs | Unary::Exp, _) => true,
            Key::Unary(f, a) => f == Unary::Sqrt && plus(a),
            Key::Binary(Binary::Mul, a, b) if a == b => true,
            Key::Binary(f, a, b) => matches!(f, Binary::Add | Binary::Mul | Binary::Div) && plus(a) && plus(b),
        }
    }

    fn constant(&mut self, c: f64) -> u32 {
        if let Some(&known) = self.known.get(&Key::Constant(c.to_bits())) {
            return known;
        }
        let number = self.number(Home::Constant(c), 0);
        self.known.insert(Key::Constant(c.to_bits()), number);
        number
    }

    /// Puts numbers one after the other into the work area.
    fn store(&mut self, numbers: &[u32]) -> usize {
        let first = self.program.work;
        self.program.work += numbers.len();
        for (at, &number) in (first..).zip(numbers) {
            let value = self.operand(number, false);
            self.kernel.stores.push(Store { to: in_work(at), value, write: Write::Set });
        }
        first
    }

    /// Ends the segment that is being recorded, as something else comes.
    fn close(&mut self) {
        self.loaded.clear();
        let kernel = std::mem::replace(&mut self.kernel, point());
        if kernel.ops.is_empty() {
            return;
        }
        self.program.segments.push(Segment { clear: vec![], kernels: vec![kernel] });
        let segment = self.program.segments.len() - 1;
        self.instruct(Instruction::Segment(segment));
    }

    fn instruct(&mut self, instruction: Instruction) {
        if let Some(region) = self.open.last_mut() {
            region.instructions.push(instruction);
        }
    }

    fn begin(&mut self) {
        self.close();
        self.open.push(Region { id: self.regions, instructions: vec![] });
        self.regions += 1;
    }

    /// What was computed in a region has no value after it.
    fn end(&mut self) -> Vec<Instruction> {
        self.close();
        let ended = self.open.pop().map_or(vec![], |region| region.instructions);
        let mut known = std::mem::take(&mut self.known);
        known.retain(|_, number| self.is_open(self.numbers[*number as usize].region));
        self.known = known;
        ended
    }

    fn system(&mut self, name: &str, pattern: &Pattern, site: Option<Site>) -> usize {
        self.program.systems.push(System { name: name.into(), pattern: pattern.clone(), site });
        self.program.systems.len() - 1
    }

    fn finish(mut self, results: &[Vec<u32>]) -> Result<Program, Failure> {
        for (k, numbers) in results.iter().enumerate() {
            self.program.outputs.push(numbers.len());
            for (at, &number) in numbers.iter().enumerate() {
                let value = self.operand(number, false);
                let to = Address { base: Base::Output(k), at: Ix::constant(at as i64) };
                self.kernel.stores.push(Store { to, value, write: Write::Set });
            }
        }
        self.close();
        if let Some(why) = self.fault {
            return Err(Misuse::from(why).into());
        }
        let Trace { mut program, mut open, once: (mut once, _), .. } = self;
        program.instructions = open.pop().map_or(vec![], |region| region.instructions);
        once.drop_unused();
        if !once.stores.is_empty() {
            program.segments[ONCE].kernels.push(once);
            program.instructions.insert(0, Instruction::Segment(ONCE));
            program.once = 1;
        }
        for segment in &mut program.segments[ONCE + 1..] {
            segment.kernels.iter_mut().for_each(Kernel::drop_unused);
        }
        Ok(program)
    }
}

/// Which of the inputs of a step stays the same.
pub(crate) const CONSTANTS: usize = 2;

impl Recorder {
    /// Records a step with the implicit equations of `plan`: `step` gets vectors of these lengths and gives others. The
    /// third of those it gets is constant from step to step.
    pub fn record(
        plan: &Plan,
        inputs: &[usize],
        step: impl for<'t> FnOnce(&mut Record<'t>, Vec<Vec<Traced<'t>>>) -> Result<Vec<Vec<Traced<'t>>>, Failure>,
    ) -> Result<Program, Failure> {
        let recorder = Recorder(RefCell::new(Trace::new(plan, inputs)));
        let vector = |(k, &len): (usize, &usize)| recorder.memory(Base::Input(k), 0, len);
        let given = inputs.iter().enumerate().map(vector).collect();
        let results = step(&mut Record { recorder: &recorder, plan }, given)?;
        let results: Vec<Vec<u32>> = results.iter().map(|vector| recorder.numbers(vector)).collect();
        recorder.0.into_inner().finish(&results)
    }

    /// Numbers that are found in memory, one after the other.
    fn memory(&self, base: Base, first: usize, count: usize) -> Vec<Traced<'_>> {
        let mut trace = self.0.borrow_mut();
        let region = if let Base::Input(_) = base { 0 } else { trace.region() };
        (first..first + count).map(|at| Traced::Value(trace.number(Home::Memory(base, at), region), self)).collect()
    }

    fn numbers(&self, vector: &[Traced<'_>]) -> Vec<u32> {
        vector.iter().map(|x| x.number(self)).collect()
    }

    fn store(&self, vector: &[Traced<'_>]) -> usize {
        let numbers = self.numbers(vector);
        self.0.borrow_mut().store(&numbers)
    }

    /// Records that a matrix is factored; which one it is.
    pub(crate) fn factor<'t>(&'t self, system: &System, matrix: &[Traced<'t>]) -> usize {
        let values = self.store(matrix);
        let mut trace = self.0.borrow_mut();
        trace.close();
        let solver = trace.system(&system.name, &system.pattern, None);
        trace.instruct(Instruction::Factor { solver, values });
        solver
    }

    /// Records linear equations; the right-hand sides become the solutions.
    pub(crate) fn solve<'t>(&'t self, solver: usize, sides: &mut [Traced<'t>], transposed: bool) {
        let rhs = self.store(sides);
        {
            let mut trace = self.0.borrow_mut();
            trace.close();
            let columns = sides.len() / trace.program.systems[solver].pattern.rows().max(1);
            trace.instruct(Instruction::Solve { solver, rhs, columns, transposed });
        }
        sides.copy_from_slice(&self.memory(Base::Work, rhs, sides.len()));
    }
}
