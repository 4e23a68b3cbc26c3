//! Stage equations planned for equations of motion of one shape: what is evaluated at which point, and where its
//! derivatives go.

use super::declaration::{Point, Row, StageEquations};
use super::shape::Shape;
use super::terms::{Matrix, Term, Variable};
use crate::blocks::{Block, BlockBuilder, Blocks};
use cotangent_dynamics::{Plan, Site};
use cotangent_solve::PatternError;
use std::collections::BTreeSet;
use std::ops::Range;

/// Stage equations, planned.
#[derive(Clone, Debug)]
pub(crate) struct Stages {
    pub(crate) shape: Shape,
    pub(super) declared: StageEquations,
    pub(super) site: Site,
    pub(super) blocks: Blocks,
    /// Where the unknowns are, and the rows.
    pub(super) unknowns: Vec<Range<usize>>,
    pub(super) rows: Vec<Range<usize>>,
    /// The left sides of the rows: for each unknown in them, multiples of the identity or of J.
    pub(super) left: Vec<(Block, usize, usize)>,
    /// For each row and each term on its right side, which of the values it is.
    pub(super) right: Vec<Vec<usize>>,
    pub(super) points: Vec<Evaluation>,
    /// The lengths of the values.
    pub(super) values: Vec<usize>,
}

/// What is evaluated at a point.
#[derive(Clone, Debug, Default)]
pub(super) struct Evaluation {
    /// Whether the terms need G, and the positions are those at the start, where G is known.
    pub(super) at_start: bool,
    /// The matrices that the terms need.
    pub(super) first: BTreeSet<Matrix>,
    /// Those that only the derivatives need.
    pub(super) others: BTreeSet<Matrix>,
    /// The terms on right sides, and which of the values they are.
    pub(super) terms: Vec<(Term, usize)>,
    /// The terms that are zero here, and their rows.
    pub(super) zero: Vec<(Term, usize)>,
    /// The row, and the value, of ∇H projected onto ker J.
    pub(super) kernel: Option<(usize, usize)>,
    /// Where the derivatives go, by matrix.
    pub(super) uses: Vec<Use>,
}

/// A derivative in the Jacobian.
#[derive(Clone, Debug)]
pub(super) struct Use {
    pub(super) matrix: Matrix,
    pub(super) block: Block,
    pub(super) row: usize,
    /// Which term of the right side; `None` for a term that is zero.
    pub(super) entry: Option<usize>,
    pub(super) by: Variable,
}

impl Stages {
    /// Adds the equations to the plan of a step.
    pub(crate) fn new(declared: StageEquations, shape: Shape, plan: &mut Plan) -> Result<Stages, PatternError> {
        let unknowns = ranges(declared.unknowns.iter().map(|u| shape.len(u.variable)));
        let rows = ranges(declared.rows.iter().map(|row| shape.rows(row.term())));
        let mut planner = Planner {
            builder: BlockBuilder::new(rows.last().map_or(0, |r| r.end)),
            points: vec![Evaluation::default(); declared.points.len()],
            values: vec![],
            declared: &declared,
            shape: &shape,
            unknowns: &unknowns,
            rows: &rows,
        };
        let left = planner.left();
        let right = (0..declared.rows.len()).map(|row| planner.right(row)).collect();
        let Planner { builder, mut points, values, .. } = planner;
        points.iter_mut().zip(&declared.points).for_each(|(evaluation, point)| evaluation.sort(point));
        let kinds = declared.rows.iter().zip(&rows).map(|(row, range)| (row.term().kind(), range.len())).collect();
        let blocks = builder.build()?;
        let site = plan.newton(blocks.pattern.clone(), kinds);
        Ok(Stages { shape, declared, site, blocks, unknowns, rows, left, right, points, values })
    }

    /// The number of variables of the state.
    pub(crate) fn dimension(&self) -> usize {
        self.shape.len(Variable::Position) + self.shape.len(Variable::Momentum)
    }
}

fn ranges(lengths: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    lengths
        .scan(0, |end, len| {
            *end += len;
            Some(*end - len..*end)
        })
        .collect()
}

struct Planner<'a> {
    declared: &'a StageEquations,
    shape: &'a Shape,
    unknowns: &'a [Range<usize>],
    rows: &'a [Range<usize>],
    builder: BlockBuilder,
    points: Vec<Evaluation>,
    values: Vec<usize>,
}

impl Planner<'_> {
    fn left(&mut self) -> Vec<(Block, usize, usize)> {
        let mut out = vec![];
        for (i, row) in self.declared.rows.iter().enumerate() {
            let Row::Increment { left, .. } = row else { continue };
            for (entry, &(unknown, _)) in left.iter().enumerate() {
                let place = (self.rows[i].start, self.unknowns[unknown].start);
                let block = match self.shape.form() {
                    Some(form) => self.builder.block(place, form),
                    None => self.builder.identity(place, self.rows[i].len()),
                };
                out.push((block, i, entry));
            }
        }
        out
    }

    /// The terms of a row.
    fn right(&mut self, row: usize) -> Vec<usize> {
        match &self.declared.rows[row] {
            &Row::Zero { term, point } => {
                self.points[point].zero.push((term, row));
                self.first(term, point);
                self.derivatives(term, point, (row, None));
                vec![]
            }
            Row::Increment { term, right, kernel, .. } => {
                if let Some(point) = *kernel {
                    self.values.push(self.rows[row].len());
                    self.points[point].kernel = Some((row, self.values.len() - 1));
                    self.derivative(Matrix::KernelHessian, point, Variable::Position, false, (row, None));
                }
                let value = |(entry, &(point, _)): (usize, &(usize, _))| {
                    self.derivatives(*term, point, (row, Some(entry)));
                    self.value(*term, point)
                };
                right.iter().enumerate().map(value).collect()
            }
        }
    }

    /// Which of the values a term at a point is.
    fn value(&mut self, term: Term, point: usize) -> usize {
        let known = self.points[point].terms.iter().find(|(t, _)| *t == term);
        if let Some(&(_, value)) = known {
            return value;
        }
        self.values.push(self.shape.rows(term));
        self.points[point].terms.push((term, self.values.len() - 1));
        self.first(term, point);
        self.values.len() - 1
    }

    /// The matrices that a term itself has.
    fn first(&mut self, term: Term, point: usize) {
        let at = &self.declared.points[point];
        let hidden = at.hidden_multiplier.map(|_| [Matrix::HiddenQ, Matrix::HiddenP]);
        let jacobian = match term {
            Term::Force => at.multiplier.is_some(),
            Term::HiddenConstraint => true,
            _ => false,
        };
        let first = &mut self.points[point].first;
        first.extend(jacobian.then_some(Matrix::Jacobian));
        first.extend(hidden.into_iter().flatten());
    }

    fn derivatives(&mut self, term: Term, point: usize, at: (usize, Option<usize>)) {
        for d in self.shape.derivatives(term) {
            self.derivative(d.matrix, point, d.by, d.transposed, at);
        }
    }

    fn derivative(
        &mut self,
        matrix: Matrix,
        point: usize,
        by: Variable,
        transposed: bool,
        (row, entry): (usize, Option<usize>),
    ) {
        let unknown = self.declared.points[point].unknown(by);
        let Some((unknown, pattern)) = unknown.zip(self.shape.pattern(matrix)) else { return };
        let place = (self.rows[row].start, self.unknowns[unknown].start);
        let block = match transposed {
            true => self.builder.transposed(place, pattern),
            false => self.builder.block(place, pattern),
        };
        self.points[point].others.extend(matrix.needs().iter().chain([&matrix]));
        self.points[point].uses.push(Use { matrix, block, row, entry, by });
    }
}

impl Evaluation {
    /// What the terms need is evaluated with them, and derivatives are added in the order of their matrices.
    fn sort(&mut self, point: &Point) {
        self.others.retain(|matrix| !self.first.contains(matrix));
        self.at_start = point.position.is_none() && self.first.remove(&Matrix::Jacobian);
        self.uses.sort_by_key(|u| u.matrix);
    }
}
