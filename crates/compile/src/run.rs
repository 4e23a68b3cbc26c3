//! Running a program: the order of instructions, linear solves, iterations and stages, for every engine and in any
//! arithmetic.

use crate::error::CompileError;
use crate::program::{Instruction, Otherwise, Program, System};
use crate::tape::Memory;
use cotangent_dynamics::{
    Contraction, Equations, Failure, Implicit, Kind, Machine, Map, Misuse, Site, Unrecordable, Unsolved,
};
use cotangent_scalar::{Cancel, Real};
use cotangent_solve::{LinearSolver, NewtonOptions, NewtonWorkspace, newton};

/// What solves the equations of a program.
#[derive(Clone)]
pub(crate) struct Solvers<S> {
    /// For the matrices that are factored by instructions.
    pub(crate) linear: Vec<Option<LinearSolver<S>>>,
    /// For the roots of a function.
    roots: Vec<Option<NewtonWorkspace<S>>>,
    /// The unknowns of each system, and after them those of each site of the plan.
    rooms: Vec<Vec<S>>,
    /// The sizes of the terms of each system of a step.
    terms: Vec<Vec<S>>,
}

impl<S: Real> Solvers<S> {
    pub(crate) fn new(program: &Program) -> Result<Self, CompileError> {
        let instructions = program.all_instructions();
        let zeros = |len: usize| vec![S::from_f64(0.0); len];
        let mut solvers = Solvers { linear: vec![], roots: vec![], rooms: vec![], terms: vec![] };
        for (k, System { name, pattern, site }) in program.systems.iter().enumerate() {
            let failed = |e| CompileError::system(name, e);
            let factored = |i: &&Instruction| matches!(i, Instruction::Factor { solver, .. } if *solver == k);
            let root = |i: &&Instruction| matches!(i, Instruction::Root { solver, .. } if *solver == k);
            let sized =
                |i: &&Instruction| matches!(i, Instruction::Root { solver, terms: Some(_), .. } if *solver == k);
            let has = |which: &dyn Fn(&&Instruction) -> bool| instructions.iter().any(which);
            let linear = has(&factored).then(|| LinearSolver::new(pattern)).transpose().map_err(failed)?;
            let own = has(&root) && site.is_none();
            solvers.linear.push(linear);
            solvers.roots.push(own.then(|| NewtonWorkspace::new(pattern)).transpose().map_err(failed)?);
            solvers.rooms.push(if has(&root) { zeros(pattern.rows()) } else { vec![] });
            solvers.terms.push(if has(&sized) && !own { zeros(pattern.rows()) } else { vec![] });
        }
        let unknowns = |site: &cotangent_dynamics::Unknowns| if site.pattern.is_none() { site.len() } else { 0 };
        solvers.rooms.extend(program.plan.sites().iter().map(|site| zeros(unknowns(site))));
        Ok(solvers)
    }

    /// Calls fail when the token is set.
    pub(crate) fn cancel_with(&mut self, cancel: &Cancel) {
        self.linear.iter_mut().flatten().for_each(|solver| solver.cancel_with(cancel));
    }
}

/// An engine: runs the segment with this number on memory and registers.
pub(crate) type Engine<'a, S> = dyn Fn(usize, &mut Memory<'_, '_, S>, &mut [S]) + 'a;

/// One call under way.
pub(crate) struct Run<'a, 'b, S> {
    pub(crate) program: &'a Program,
    pub(crate) memory: Memory<'a, 'b, S>,
    pub(crate) registers: &'a mut [S],
    pub(crate) solvers: &'a mut Solvers<S>,
    /// Runs segments.
    pub(crate) segment: &'a Engine<'a, S>,
}

/// A region of an iteration with one result.
struct Region<'p> {
    unknown: usize,
    next: usize,
    body: &'p [Instruction],
}

impl<S: Real> Run<'_, '_, S> {
    /// Runs instructions; the implicit equations of a step are for the machine.
    pub(crate) fn instructions(&mut self, list: &[Instruction], machine: &mut dyn Machine<S>) -> Result<(), Failure> {
        for instruction in list {
            match instruction {
                Instruction::Segment(k) => (self.segment)(*k, &mut self.memory, self.registers),
                Instruction::Factor { solver, values } => self.factor(*solver, *values)?,
                Instruction::Solve { solver, rhs, columns, transposed } => {
                    let n = self.program.systems[*solver].pattern.rows();
                    let Some(linear) = &mut self.solvers.linear[*solver] else { continue };
                    for x in self.memory.work[*rhs..*rhs + n * columns].chunks_exact_mut(n.max(1)) {
                        if *transposed { linear.solve_transposed(x) } else { linear.solve(x) }
                    }
                }
                Instruction::Root { solver, unknown, terms, residual, jacobian, body } => {
                    let at = [*unknown, *residual, *jacobian];
                    match self.program.systems[*solver].site {
                        Some(site) => self.newton((*solver, site), at, *terms, body, machine)?,
                        None => self.root(*solver, at, *terms, body)?,
                    }
                }
                Instruction::FixedPoint { site, unknown, next, body, otherwise } => {
                    let region = Region { unknown: *unknown, next: *next, body };
                    self.fixed_point(*site, region, otherwise.as_ref(), machine)?;
                }
                Instruction::Repeat { coefficients, coefficient, state, next, count, body } => {
                    for &c in coefficients {
                        self.memory.work[*coefficient] = S::from_f64(c);
                        self.instructions(body, machine)?;
                        self.memory.work.copy_within(*next..*next + count, *state);
                    }
                }
                Instruction::Require { kind, residual, magnitude, count } => {
                    let [residual, magnitude] = [*residual, *magnitude].map(|at| &self.memory.work[at..at + count]);
                    machine.require(*kind, residual, magnitude)?;
                }
                Instruction::Leave => return Err(Misuse::from(Unrecordable::TooLong).into()),
            }
        }
        Ok(())
    }

    fn factor(&mut self, solver: usize, values: usize) -> Result<(), Failure> {
        let System { name, pattern, .. } = &self.program.systems[solver];
        let Some(linear) = &mut self.solvers.linear[solver] else { return Ok(()) };
        let factored = linear.factor(&self.memory.work[values..values + pattern.len()]);
        factored.map_err(|e| unsolved(name, Unsolved::Linear(e)))
    }

    /// Equations of a step.
    fn newton(
        &mut self,
        (solver, site): (usize, Site),
        places: [usize; 3],
        terms: Option<usize>,
        body: &[Instruction],
        machine: &mut dyn Machine<S>,
    ) -> Result<(), Failure> {
        let unknown = places[0];
        // Taken out while the body has the memory.
        let mut x = std::mem::take(&mut self.solvers.rooms[solver]);
        let mut sizes = std::mem::take(&mut self.solvers.terms[solver]);
        let at = unknown..unknown + x.len();
        x.copy_from_slice(&self.memory.work[at.clone()]);
        if let Some(terms) = terms {
            let len = sizes.len();
            sizes.copy_from_slice(&self.memory.work[terms..terms + len]);
        }
        let solved =
            machine.newton_of_terms(site, &mut x, &sizes, &mut |x, r, j| self.evaluate(body, places, x, [r, j]));
        self.memory.work[at].copy_from_slice(&x);
        (self.solvers.rooms[solver], self.solvers.terms[solver]) = (x, sizes);
        solved
    }

    /// Residual and Jacobian at an iterate; `places` says where it, and these, are in the work area.
    fn evaluate(
        &mut self,
        body: &[Instruction],
        [unknown, residual, jacobian]: [usize; 3],
        x: &[S],
        [r, j]: [&mut [S]; 2],
    ) -> Result<(), Failure> {
        self.memory.work[unknown..unknown + x.len()].copy_from_slice(x);
        self.instructions(body, &mut Nobody)?;
        r.copy_from_slice(&self.memory.work[residual..residual + r.len()]);
        j.copy_from_slice(&self.memory.work[jacobian..jacobian + j.len()]);
        Ok(())
    }

    /// A root of a function.
    fn root(
        &mut self,
        solver: usize,
        places: [usize; 3],
        terms: Option<usize>,
        body: &[Instruction],
    ) -> Result<(), Failure> {
        let unknown = places[0];
        let Some(mut workspace) = self.solvers.roots[solver].take() else { return Ok(()) };
        let mut x = std::mem::take(&mut self.solvers.rooms[solver]);
        let at = unknown..unknown + x.len();
        x.copy_from_slice(&self.memory.work[at.clone()]);
        workspace.set_first_terms(terms.map_or(&[], |terms| &self.memory.work[terms..terms + x.len()]));
        // Damped: an implicit function may be far from its starting point.
        let options = NewtonOptions { max_halvings: 40, ..NewtonOptions::default() };
        let result = newton(&mut workspace, &options, &mut x, |x, r, j| self.evaluate(body, places, x, [r, j]));
        self.memory.work[at].copy_from_slice(&x);
        (self.solvers.rooms[solver], self.solvers.roots[solver]) = (x, Some(workspace));
        match result {
            Ok(_) => Ok(()),
            Err(error) => Err(match error.own() {
                Ok(error) => unsolved(&self.program.systems[solver].name, Unsolved::Newton(error)),
                Err(inner) => inner,
            }),
        }
    }

    fn fixed_point(
        &mut self,
        site: Site,
        region: Region<'_>,
        otherwise: Option<&Otherwise>,
        machine: &mut dyn Machine<S>,
    ) -> Result<(), Failure> {
        let room = self.program.systems.len() + site.index();
        let mut x = std::mem::take(&mut self.solvers.rooms[room]);
        let at = region.unknown..region.unknown + x.len();
        x.copy_from_slice(&self.memory.work[at.clone()]);
        let mut pause = otherwise.map(|o| self.memory.work[o.pause]);
        let mut ways = Ways { run: self, region, otherwise };
        let solved = match &mut pause {
            Some(pause) => machine.contract(site, &mut x, pause, &mut ways),
            None => machine.fixed_point(site, &mut x, &mut |_, x, next| ways.map(x, next)),
        };
        self.memory.work[at].copy_from_slice(&x);
        if let Some((otherwise, pause)) = otherwise.zip(pause) {
            self.memory.work[otherwise.pause] = pause;
        }
        self.solvers.rooms[room] = x;
        solved
    }
}

/// The two ways to a fixed point.
struct Ways<'r, 'a, 'b, 'p, S> {
    run: &'r mut Run<'a, 'b, S>,
    region: Region<'p>,
    otherwise: Option<&'p Otherwise>,
}

impl<S: Real> Contraction<S> for Ways<'_, '_, '_, '_, S> {
    fn map(&mut self, x: &[S], next: &mut [S]) -> Result<(), Failure> {
        let Region { unknown, next: left, body } = self.region;
        self.run.memory.work[unknown..unknown + x.len()].copy_from_slice(x);
        self.run.instructions(body, &mut Nobody)?;
        next.copy_from_slice(&self.run.memory.work[left..left + next.len()]);
        Ok(())
    }

    fn otherwise(&mut self, machine: &mut dyn Machine<S>, x: &mut [S]) -> Result<(), Failure> {
        let Some(Otherwise { solution, body, .. }) = self.otherwise else { return Ok(()) };
        self.run.instructions(body, machine)?;
        x.copy_from_slice(&self.run.memory.work[*solution..*solution + x.len()]);
        Ok(())
    }
}

/// The machine of a function, which has no equations of a step, and of what is inside of an iteration.
pub(crate) struct Nobody;

impl<S: Real> Machine<S> for Nobody {
    fn newton(&mut self, _: Site, _: &mut [S], _: &mut Equations<'_, S>) -> Result<(), Failure> {
        Err(Misuse::NoSuchEquations.into())
    }

    fn fixed_point(&mut self, _: Site, _: &mut [S], _: &mut Map<'_, S>) -> Result<(), Failure> {
        Err(Misuse::NoSuchFixedPoint.into())
    }

    fn contract(&mut self, _: Site, _: &mut [S], _: &mut S, _: &mut dyn Contraction<S>) -> Result<(), Failure> {
        Err(Misuse::NoSuchFixedPoint.into())
    }

    // A function asks for values; only steps require equations to hold.
    fn require(&mut self, _: Kind, _: &[S], _: &[S]) -> Result<(), Failure> {
        Ok(())
    }

    fn value(&mut self, x: S) -> Result<f64, Failure> {
        Ok(x.value())
    }
}

fn unsolved(name: &str, cause: Unsolved) -> Failure {
    Failure::Implicit(Box::new(Implicit { name: name.to_owned(), cause }))
}
