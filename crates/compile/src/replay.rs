//! A recorded step on the tape: the reference for native code.

use crate::record::{FixedPoint, Iteration, LinearSolve, Recording, Requirement, TraceOp};
use crate::tape::{binary, unary};
use cotangent_dynamics::{Contraction, Failure, Machine, unsatisfied};
use cotangent_solve::LinearSolver;
use std::ops::Range;

/// What a replayed step works with.
pub(crate) struct Replay<'a> {
    pub(crate) recording: &'a Recording,
    pub(crate) state: &'a [f64],
    pub(crate) constants: &'a [f64],
    /// By position of the operation; beyond, room for the values of a matrix.
    pub(crate) values: &'a mut [f64],
    pub(crate) unknowns: &'a mut [Vec<f64>; 2],
    pub(crate) terms: &'a mut Vec<f64>,
    pub(crate) solvers: &'a mut [LinearSolver<f64>],
    /// The part of the terms of an equation that its residual may be.
    pub(crate) allowance: f64,
}

impl Recording {
    /// Room for the unknowns of Newton's method, and of fixed points: one may be solved inside of the other.
    pub(crate) fn room(&self) -> [Vec<f64>; 2] {
        let newton = self.iterations.iter().map(|i| i.guess.len()).max();
        let fixed = self.fixed_points.iter().map(|f| f.guess.len()).max();
        [newton, fixed].map(|len| vec![0.0; len.unwrap_or(0)])
    }
}

impl Replay<'_> {
    /// Operations with the iterations among them.
    pub(crate) fn run(&mut self, range: Range<usize>, machine: &mut dyn Machine<f64>) -> Result<(), Failure> {
        let recording = self.recording;
        let mut newton = recording.iterations.iter();
        let mut fixed_points = recording.fixed_points.iter();
        let mut next_newton = newton.find(|i| i.first() >= range.start);
        let mut next_fixed = fixed_points.find(|f| f.first() >= range.start);
        let mut k = range.start;
        while k < range.end {
            if let Some(fixed) = next_fixed.filter(|f| f.first() == k) {
                self.fixed_point(fixed, machine)?;
                k = fixed.last();
                next_fixed = fixed_points.next();
                next_newton = next_newton.into_iter().chain(newton.by_ref()).find(|i| i.first() >= k);
            } else if let Some(iteration) = next_newton.filter(|i| i.first() == k) {
                self.newton(iteration, machine)?;
                k = iteration.last();
                next_newton = newton.next();
            } else {
                self.plain(k)?;
                k += 1;
            }
        }
        Ok(())
    }

    fn newton(&mut self, iteration: &Iteration, machine: &mut dyn Machine<f64>) -> Result<(), Failure> {
        let (start, end, first) = (iteration.start as usize, iteration.end as usize, iteration.first());
        let mut room = std::mem::take(&mut self.unknowns[0]);
        let unknowns = &mut room[..iteration.guess.len()];
        self.gather(&iteration.guess, unknowns);
        let mut sizes = std::mem::take(self.terms);
        let terms = &mut sizes[..iteration.terms.len()];
        self.gather(&iteration.terms, terms);
        let solved = machine.newton_of_terms(iteration.site, unknowns, terms, &mut |x, r, j| {
            self.values[first..start].copy_from_slice(x);
            (start..end).try_for_each(|k| self.plain(k))?;
            self.gather(&iteration.residual, r);
            self.gather(&iteration.jacobian, j);
            Ok(())
        });
        self.values[end..iteration.last()].copy_from_slice(unknowns);
        (self.unknowns[0], *self.terms) = (room, sizes);
        solved
    }

    fn fixed_point(&mut self, fixed: &FixedPoint, machine: &mut dyn Machine<f64>) -> Result<(), Failure> {
        let n = fixed.guess.len();
        let mut room = std::mem::take(&mut self.unknowns[1]);
        let unknowns = &mut room[..n];
        self.gather(&fixed.guess, unknowns);
        let mut pause = fixed.otherwise.as_ref().map(|o| self.values[o.pause as usize]);
        let mut ways = Ways { replay: self, fixed };
        let solved = match &mut pause {
            Some(pause) => machine.contract(fixed.site, unknowns, pause, &mut ways),
            None => machine.fixed_point(fixed.site, unknowns, &mut |_, x, next| ways.map(x, next)),
        };
        let at = fixed.solution();
        self.values[at..at + n].copy_from_slice(unknowns);
        if let Some(pause) = pause {
            self.values[at + n] = pause;
        }
        self.unknowns[1] = room;
        solved
    }

    /// The values at these positions.
    fn gather(&self, positions: &[u32], out: &mut [f64]) {
        out.iter_mut().zip(positions).for_each(|(out, &at)| *out = self.values[at as usize]);
    }

    /// An operation outside of iterations, or in the equations of one.
    fn plain(&mut self, k: usize) -> Result<(), Failure> {
        let Replay { recording, state, constants, values: v, solvers, allowance, .. } = self;
        let Recording { ops, iterations, factors, solves, requirements, .. } = recording;
        match ops[k] {
            TraceOp::Input(i) => {
                let i = i as usize;
                v[k] = if i < state.len() { state[i] } else { constants[i - state.len()] };
            }
            TraceOp::Constant(c) => v[k] = c,
            TraceOp::Unary(f, a) => v[k] = unary(f, v[a as usize]),
            TraceOp::Binary(f, a, b) => v[k] = binary(f, v[a as usize], v[b as usize]),
            TraceOp::Factor(f) => {
                let matrix = &factors[f as usize].matrix;
                let (v, scratch) = v.split_at_mut(ops.len());
                let scratch = &mut scratch[..matrix.len()];
                scratch.iter_mut().zip(matrix).for_each(|(s, &at)| *s = v[at as usize]);
                let solver = &mut solvers[iterations.len() + f as usize];
                solver.factor(scratch).map_err(Failure::Singular)?;
            }
            TraceOp::Linear { solve, component: 0 } => {
                let LinearSolve { factor, rhs, transposed } = &solves[solve as usize];
                for (j, &at) in rhs.iter().enumerate() {
                    v[k + j] = v[at as usize];
                }
                let solver = &mut solvers[iterations.len() + *factor as usize];
                for x in v[k..k + rhs.len()].chunks_mut(solver.size().max(1)) {
                    if *transposed { solver.solve_transposed(x) } else { solver.solve(x) }
                }
            }
            TraceOp::Require(r) => {
                let Requirement { kind, residual, magnitude } = &requirements[r as usize];
                let equations = residual.iter().zip(magnitude).map(|(&r, &m)| (v[r as usize], v[m as usize]));
                return unsatisfied(*kind, equations, *allowance).map_or(Ok(()), Err);
            }
            TraceOp::Unknown { .. } | TraceOp::Solution { .. } | TraceOp::Linear { .. } => {}
        }
        Ok(())
    }
}

/// The two ways to a fixed point.
struct Ways<'r, 'a> {
    replay: &'r mut Replay<'a>,
    fixed: &'r FixedPoint,
}

impl Contraction<f64> for Ways<'_, '_> {
    fn map(&mut self, x: &[f64], next: &mut [f64]) -> Result<(), Failure> {
        let Ways { replay, fixed } = self;
        replay.values[fixed.first()..fixed.start as usize].copy_from_slice(x);
        (fixed.start as usize..fixed.end as usize).try_for_each(|k| replay.plain(k))?;
        replay.gather(&fixed.next, next);
        Ok(())
    }

    fn otherwise(&mut self, machine: &mut dyn Machine<f64>, x: &mut [f64]) -> Result<(), Failure> {
        let Ways { replay, fixed } = self;
        let Some(otherwise) = &fixed.otherwise else { return Ok(()) };
        replay.run(fixed.end as usize..otherwise.end as usize, machine)?;
        replay.gather(&otherwise.solution, x);
        Ok(())
    }
}
