//! Stage equations solved in one arithmetic.

use super::declaration::{Row, Sum};
use super::evaluator::{At, Evaluator};
use super::numbers::Numbers;
use super::planned::Stages;
use super::shape::Shape;
use super::terms::{Matrix, Term, Variable};
use crate::vector::{
    add, add_scaled, clear, combination, moved, negate, scale, scaled, subtract, subtract_scaled, times, zeros,
};
use cotangent_dynamics::{Failure, Machine, State};
use cotangent_scalar::Scalar;

/// What a step adds to its declaration.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a, S> {
    /// The numbers that are coefficients.
    pub(crate) given: &'a [S],
    /// ρ, row after row; empty if it is zero.
    pub(crate) past: &'a [S],
}

impl<S> Input<'_, S> {
    /// Nothing.
    pub(crate) fn none() -> Self {
        Input { given: &[], past: &[] }
    }
}

/// The unknowns of stage equations, and what is evaluated at them.
pub(crate) struct Work<S> {
    pub(super) unknowns: Vec<S>,
    pub(super) evaluated: Evaluated<S>,
}

pub(super) struct Evaluated<S> {
    pub(super) numbers: Numbers<S>,
    /// The variables of each point.
    points: Vec<[Vec<S>; 4]>,
    /// The values of terms.
    pub(super) values: Vec<Vec<S>>,
    /// G at the start, where a point needs it.
    jacobian: Vec<S>,
    sum: Vec<S>,
}

impl Stages {
    pub(crate) fn work<S: Scalar>(&self) -> Work<S> {
        let d = &self.declared;
        let lengths = |point: usize| {
            Variable::ALL.map(|variable| match (variable, d.points[point].unknown(variable)) {
                (Variable::Position | Variable::Momentum, _) | (_, Some(_)) => zeros(self.shape.len(variable)),
                (_, None) => vec![],
            })
        };
        let longest = self.rows.iter().chain(&self.unknowns).map(|r| r.len()).max().unwrap_or(0);
        Work {
            unknowns: zeros(self.unknowns.last().map_or(0, |r| r.end)),
            evaluated: Evaluated {
                numbers: Numbers::new(self),
                points: (0..d.points.len()).map(lengths).collect(),
                values: self.values.iter().map(|&len| zeros(len)).collect(),
                jacobian: zeros(self.shape.pattern(Matrix::Jacobian).map_or(0, |pattern| pattern.len())),
                sum: zeros(longest),
            },
        }
    }
}

impl<S: Scalar> Work<S> {
    /// Solves the equations for a step of size h from a state.
    pub(crate) fn solve(
        &mut self,
        stages: &Stages,
        machine: &mut dyn Machine<S>,
        evaluator: &mut Evaluator<'_, S>,
        (h, input): (S, Input<'_, S>),
        from: &State<S>,
    ) -> Result<(), Failure> {
        let Work { unknowns, evaluated } = self;
        evaluated.numbers.set(stages, h, input.given);
        evaluated.predict(stages, evaluator, h, from, unknowns)?;
        machine.newton(stages.site, unknowns, &mut |x, r, jacobian| {
            evaluated.equations(stages, evaluator, input.past, from, x, (r, jacobian))
        })
    }

    /// Evaluates the terms of right sides at the solution.
    pub(crate) fn evaluate(
        &mut self,
        stages: &Stages,
        evaluator: &mut Evaluator<'_, S>,
        from: &State<S>,
    ) -> Result<(), Failure> {
        self.evaluated.all_terms(stages, evaluator, from, &self.unknowns)
    }

    /// Puts a point where the solution has it.
    pub(crate) fn place(&mut self, stages: &Stages, point: usize, from: &State<S>) {
        self.evaluated.place(stages, point, from, &self.unknowns);
    }

    /// The vector that an unknown is.
    pub(crate) fn unknown(&self, stages: &Stages, unknown: usize) -> &[S] {
        &self.unknowns[stages.unknowns[unknown].clone()]
    }

    /// The same to be filled.
    pub(crate) fn unknown_mut(&mut self, stages: &Stages, unknown: usize) -> &mut [S] {
        &mut self.unknowns[stages.unknowns[unknown].clone()]
    }

    /// What else is known at the start, where unknowns were filled: G.
    pub(crate) fn start_at(&mut self, jacobian: &[S]) {
        self.evaluated.jacobian.copy_from_slice(jacobian);
    }

    /// out = the vector that an unknown stands for, whatever its units.
    pub(crate) fn vector(&self, stages: &Stages, unknown: usize, out: &mut [S]) {
        let x = self.unknown(stages, unknown);
        match stages.declared.unknowns[unknown].unit {
            0 => out.copy_from_slice(x),
            _ => scaled(self.evaluated.numbers.units[unknown], x, out),
        }
    }

    /// The variables of a point.
    pub(crate) fn point(&self, point: usize) -> (&[S], &[S]) {
        let [q, p, ..] = &self.evaluated.points[point];
        (q, p)
    }

    /// A term of right sides at a point, times the weight of that.
    pub(crate) fn term(&self, stages: &Stages, term: Term, point: usize) -> &[S] {
        let value = stages.points[point].terms.iter().find(|(t, _)| *t == term);
        value.map_or(&[], |&(_, value)| &self.evaluated.values[value])
    }
}

impl<S: Scalar> Evaluated<S> {
    /// A first guess: the rates at the start, without constraints. Also what else is known there.
    fn predict(
        &mut self,
        stages: &Stages,
        evaluator: &mut Evaluator<'_, S>,
        h: S,
        from: &State<S>,
        x: &mut [S],
    ) -> Result<(), Failure> {
        let (q, p) = from.values.split_at(stages.shape.len(Variable::Position));
        let at = At { q, p, lambda: &[], mu: &[] };
        if stages.points.iter().any(|point| point.at_start) {
            evaluator.differentiate(Matrix::Jacobian, at)?;
            self.jacobian.copy_from_slice(evaluator.matrix(Matrix::Jacobian));
        }
        clear(x);
        for (variable, moving) in [(Variable::Position, Term::Velocity), (Variable::Momentum, Term::Force)] {
            let term = match stages.shape {
                Shape::Canonical(_) => moving,
                Shape::Field(_) => Term::Rate,
                // J does not say what ż is.
                Shape::Presymplectic(_) => return Ok(()),
            };
            let rate = &mut self.sum[..stages.shape.len(variable)];
            if rate.is_empty() {
                continue;
            }
            evaluator.term(term, at, rate)?;
            if term.is_added() {
                negate(rate);
            }
            for (unknown, range) in stages.declared.unknowns.iter().zip(&stages.unknowns) {
                if unknown.variable == variable {
                    let out = &mut x[range.clone()];
                    scaled(h * unknown.node.value::<S>(&[]), rate, out);
                    (0..unknown.unit).for_each(|_| scale(h, out));
                }
            }
        }
        Ok(())
    }

    /// The variables of a point.
    fn place(&mut self, stages: &Stages, point: usize, from: &State<S>, x: &[S]) {
        let Evaluated { numbers, points, sum, .. } = self;
        let declared = &stages.declared.points[point];
        let positions = stages.shape.len(Variable::Position);
        for (variable, out) in Variable::ALL.into_iter().zip(&mut points[point]) {
            let start = match variable {
                Variable::Position => Some(0..positions),
                Variable::Momentum => Some(positions..positions + out.len()),
                _ => None,
            };
            let start = start.map(|range| (&from.values[range.clone()], &from.carry[range]));
            match (declared.unknown(variable), start) {
                (None, None) => {}
                (None, Some((values, _))) => out.copy_from_slice(values),
                (Some(unknown), start) => {
                    let mut x = &x[stages.unknowns[unknown].clone()];
                    let changed = &mut sum[..x.len()];
                    if stages.declared.unknowns[unknown].unit > 0 {
                        scaled(numbers.units[unknown], x, changed);
                        x = changed;
                    } else if declared.part.is_some() && start.is_some() {
                        scaled(numbers.parts[point], x, changed);
                        x = changed;
                    }
                    match start {
                        Some(start) => moved(start, x, out),
                        None => out.copy_from_slice(x),
                    }
                }
            }
        }
    }

    /// The terms of right sides at all points.
    pub(super) fn all_terms(
        &mut self,
        stages: &Stages,
        evaluator: &mut Evaluator<'_, S>,
        from: &State<S>,
        x: &[S],
    ) -> Result<(), Failure> {
        (0..self.points.len()).try_for_each(|point| {
            self.place(stages, point, from, x);
            self.terms(stages, evaluator, point)
        })
    }

    /// The terms of right sides at a point.
    fn terms(&mut self, stages: &Stages, evaluator: &mut Evaluator<'_, S>, point: usize) -> Result<(), Failure> {
        let Evaluated { numbers, points, values, jacobian, .. } = self;
        let (evaluation, at) = (&stages.points[point], at(&points[point]));
        if evaluation.at_start {
            evaluator.matrix_mut(Matrix::Jacobian).copy_from_slice(jacobian);
        }
        evaluation.first.iter().try_for_each(|&matrix| evaluator.differentiate(matrix, at))?;
        for &(term, value) in &evaluation.terms {
            evaluator.term(term, at, &mut values[value])?;
            if stages.declared.points[point].weight.is_some() {
                scale(numbers.weights[point], &mut values[value]);
            }
        }
        match evaluation.kernel {
            Some((_, value)) => evaluator.kernel(at, &mut values[value]),
            None => Ok(()),
        }
    }

    /// Residual and Jacobian.
    fn equations(
        &mut self,
        stages: &Stages,
        evaluator: &mut Evaluator<'_, S>,
        past: &[S],
        from: &State<S>,
        x: &[S],
        (r, jacobian): (&mut [S], &mut [S]),
    ) -> Result<(), Failure> {
        clear(jacobian);
        for (&(block, ..), &factor) in stages.left.iter().zip(&self.numbers.left_blocks) {
            match evaluator.form() {
                Some((_, form)) => stages.blocks.add(block, factor, form, jacobian),
                None => stages.blocks.add_identity(block, factor, jacobian),
            }
        }
        for (point, evaluation) in stages.points.iter().enumerate() {
            self.place(stages, point, from, x);
            self.terms(stages, evaluator, point)?;
            let at = at(&self.points[point]);
            for &(term, row) in &evaluation.zero {
                evaluator.term(term, at, &mut r[stages.rows[row].clone()])?;
            }
            evaluation.others.iter().try_for_each(|&matrix| evaluator.differentiate(matrix, at))?;
            for (u, &factor) in evaluation.uses.iter().zip(&self.numbers.uses[point]) {
                stages.blocks.add(u.block, factor, evaluator.matrix(u.matrix), jacobian);
            }
        }
        self.rows(stages, evaluator, past, x, r);
        Ok(())
    }

    /// The residuals of rows with increments, from the values of terms.
    fn rows(&mut self, stages: &Stages, evaluator: &Evaluator<'_, S>, mut past: &[S], x: &[S], r: &mut [S]) {
        let Evaluated { numbers, values, sum, .. } = self;
        for (i, row) in stages.declared.rows.iter().enumerate() {
            let Row::Increment { term, left, sum: order, kernel, .. } = row else { continue };
            let r = &mut r[stages.rows[i].clone()];
            let sum = &mut sum[..r.len()];
            let unknowns = left.iter().map(|&(unknown, _)| &x[stages.unknowns[unknown].clone()]);
            let terms = numbers.left[i].iter().copied().zip(unknowns);
            match evaluator.form() {
                Some((pattern, form)) => {
                    combination(terms, sum);
                    times(pattern, form, sum, r);
                }
                None => combination(terms, r),
            }
            if let Some(&(unknown, _)) = left.first().filter(|(u, _)| stages.declared.unknowns[*u].unit > 0) {
                scale(numbers.units[unknown], r);
            }
            if !past.is_empty() {
                let (own, rest) = past.split_at(r.len());
                subtract(r, own);
                past = rest;
            }
            let terms = numbers.right[i].iter().zip(&stages.right[i]).map(|(&c, &value)| (c, &values[value][..]));
            let accumulate = if term.is_added() { add_scaled } else { subtract_scaled };
            match order {
                _ if stages.right[i].is_empty() => {}
                Sum::Together => {
                    combination(terms, sum);
                    accumulate(r, numbers.factors[i], sum);
                }
                Sum::OneByOne => terms.for_each(|(c, value)| accumulate(r, c, value)),
            }
            let projected = kernel.and_then(|point| stages.points[point].kernel);
            if let Some((_, value)) = projected {
                add(r, &values[value]);
            }
        }
    }
}

fn at<S>([q, p, lambda, mu]: &[Vec<S>; 4]) -> At<'_, S> {
    At { q, p, lambda, mu }
}
