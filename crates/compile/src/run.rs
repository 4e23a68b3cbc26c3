//! Running a program: the order of instructions, linear solves and Newton's method, for every engine.

use crate::error::{CallError, CompileError};
use crate::program::{Instruction, Program};
use crate::tape::Memory;
use cotangent_dynamics::{Implicit, Unsolved};
use cotangent_scalar::Real;
use cotangent_solve::{LinearSolver, NewtonOptions, NewtonWorkspace, newton};

/// One linear solver or Newton workspace for each system of a program.
#[derive(Clone)]
pub(crate) struct Solvers<S> {
    linear: Vec<LinearSolver<S>>,
    /// For the systems that Newton's method solves: its workspace and the unknowns.
    roots: Vec<Option<(NewtonWorkspace<S>, Vec<S>)>>,
}

impl<S: Real> Solvers<S> {
    pub(crate) fn new(program: &Program) -> Result<Self, CompileError> {
        fn is_root(instructions: &[Instruction], system: usize) -> bool {
            instructions.iter().any(
                |s| matches!(s, Instruction::Root { solver, body, .. } if *solver == system || is_root(body, system)),
            )
        }
        let mut solvers = Solvers { linear: vec![], roots: vec![] };
        for (k, system) in program.systems.iter().enumerate() {
            let failed = |e| CompileError::system(&system.name, e);
            solvers.linear.push(LinearSolver::new(&system.pattern).map_err(failed)?);
            solvers.roots.push(match is_root(&program.instructions, k) {
                true => {
                    let workspace = NewtonWorkspace::new(&system.pattern).map_err(failed)?;
                    Some((workspace, vec![S::from_f64(0.0); system.pattern.rows()]))
                }
                false => None,
            });
        }
        Ok(solvers)
    }
}

/// An engine: runs the segment with this number on memory and registers.
pub(crate) type Engine<'a, S> = dyn Fn(usize, &mut Memory<'_, '_, S>, &mut [S]) + 'a;

/// One call under way.
pub(crate) struct Run<'a, 'b, S> {
    pub(crate) program: &'a Program,
    pub(crate) memory: Memory<'a, 'b, S>,
    pub(crate) registers: &'a mut [S],
    /// Runs segments.
    pub(crate) segment: &'a Engine<'a, S>,
}

impl<S: Real> Run<'_, '_, S> {
    pub(crate) fn instructions(&mut self, list: &[Instruction], solvers: &mut Solvers<S>) -> Result<(), CallError> {
        for instruction in list {
            match instruction {
                Instruction::Segment(k) => (self.segment)(*k, &mut self.memory, self.registers),
                Instruction::Factor { solver, values } => {
                    let system = &self.program.systems[*solver];
                    let values = &self.memory.work[*values..*values + system.pattern.len()];
                    let factored = solvers.linear[*solver].factor(values);
                    factored.map_err(|e| unsolved(&system.name, Unsolved::Linear(e)))?;
                }
                Instruction::Solve { solver, rhs, columns, transposed } => {
                    let n = self.program.systems[*solver].pattern.rows();
                    for x in self.memory.work[*rhs..*rhs + n * columns].chunks_exact_mut(n.max(1)) {
                        if *transposed {
                            solvers.linear[*solver].solve_transposed(x);
                        } else {
                            solvers.linear[*solver].solve(x);
                        }
                    }
                }
                Instruction::Root { solver, unknown, residual, jacobian, body, .. } => {
                    self.root(solvers, *solver, [*unknown, *residual, *jacobian], body)?;
                }
                // A function asks for values; only steps require equations to hold.
                Instruction::Require { .. } => {}
            }
        }
        Ok(())
    }

    fn root(
        &mut self,
        solvers: &mut Solvers<S>,
        solver: usize,
        at: [usize; 3],
        body: &[Instruction],
    ) -> Result<(), CallError> {
        let system = &self.program.systems[solver];
        let [unknown, residual, jacobian] = at;
        // Taken out while the body may use the other solvers.
        let Some((mut workspace, mut x)) = solvers.roots[solver].take() else { return Ok(()) };
        let n = x.len();
        x.copy_from_slice(&self.memory.work[unknown..unknown + n]);
        // Damped: an implicit function may be far from its starting point.
        let options = NewtonOptions { max_halvings: 40, ..NewtonOptions::default() };
        let result = newton(&mut workspace, &options, &mut x, |x, r, j| {
            self.memory.work[unknown..unknown + n].copy_from_slice(x);
            self.instructions(body, solvers)?;
            r.copy_from_slice(&self.memory.work[residual..residual + r.len()]);
            j.copy_from_slice(&self.memory.work[jacobian..jacobian + j.len()]);
            Ok(())
        });
        self.memory.work[unknown..unknown + n].copy_from_slice(&x);
        solvers.roots[solver] = Some((workspace, x));
        match result {
            Ok(_) => Ok(()),
            Err(error) => Err(match error.own() {
                Ok(error) => unsolved(&system.name, Unsolved::Newton(error)),
                Err(inner) => inner,
            }),
        }
    }
}

fn unsolved(name: &str, cause: Unsolved) -> CallError {
    CallError::Implicit(Box::new(Implicit { name: name.to_owned(), cause }))
}
