//! From tensors to a program: storage, order of computation, and kernels.

use crate::error::CompileError;
use crate::kernel::{KernelBuilder, MAX_OPS, Source};
use crate::position::{Positions, dense_position, sparse_positions};
use crate::program::{Address, Base, Instruction, Program, Segment, Store, System, Write};
use cotangent_expr::{
    Array, Definition, Digest, Domain, Error, Expr, Ix, Layout, MAX_POINTS, Tensor, Term, dependencies,
};
use cotangent_scalar::Limits;
use cotangent_solve::Pattern;
use std::collections::HashMap;

/// Families with no more points than this are written out without loops.
pub const UNROLL: u64 = 48;

/// How an output is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// Every entry, row-major.
    Dense,
    /// The values of a matrix's pattern, row by row.
    Sparse,
}

/// Where an array lives.
#[derive(Clone)]
struct Home {
    base: Base,
    offset: usize,
    /// Several right-hand sides are stored one after the other, each this long.
    column: Option<usize>,
}

pub(crate) struct Lowered {
    pub(crate) program: Program,
    /// The pattern of each sparse output.
    pub(crate) patterns: Vec<Option<Pattern>>,
}

/// Lowers outputs as functions of the input layouts.
pub(crate) fn lower(
    inputs: &[Layout],
    outputs: &[(Tensor, Storage)],
    limits: &Limits,
) -> Result<Lowered, CompileError> {
    let mut lowering = Lowering { limits: limits.clone(), ..Lowering::default() };
    for (k, layout) in inputs.iter().enumerate() {
        lowering.program.inputs.push(layout.len());
        let mut offset = 0;
        for a in layout.arrays() {
            let home = Home { base: Base::Input(k), offset, column: None };
            if lowering.homes.insert(a.digest(), home).is_some() {
                return Err(CompileError::DuplicateInput(a.name().into()));
            }
            offset += a.len();
        }
    }
    // Plain terms count too: beyond the limit they are simply left as they are.
    let small = outputs.iter().map(|(t, _)| points(t)).fold(0, u64::saturating_add) <= UNROLL;
    let mut patterns = vec![];
    let mut writes = vec![];
    for (k, (tensor, storage)) in outputs.iter().enumerate() {
        let tensor = if small { tensor.expand()? } else { tensor.clone() };
        lowering.arrays(&tensor)?;
        let base = Base::Output(k);
        let (positions, pattern) = match storage {
            Storage::Dense => (dense(&tensor)?, None),
            Storage::Sparse => {
                let found = sparse_positions(&tensor, limits)?;
                (found.positions, Some(found.pattern))
            }
        };
        if positions.len as u64 > MAX_POINTS {
            return Err(Error::TooLarge { what: "an output", limit: MAX_POINTS, unit: "entries" }.into());
        }
        lowering.program.outputs.push(positions.len);
        patterns.push(pattern);
        writes.push((base, 0, positions));
    }
    lowering.stage(writes)?;
    lowering.flush();
    lowering.program.instructions = lowering.instructions;
    Ok(Lowered { program: lowering.program, patterns })
}

/// The points of a tensor and of everything it depends on.
fn points(t: &Tensor) -> u64 {
    let own = |t: &Tensor| t.terms().iter().map(|t| t.domain.count(UNROLL + 1)).fold(0, u64::saturating_add);
    let inner = |sum: u64, a: &Array| a.definition().tensors().into_iter().map(own).fold(sum, u64::saturating_add);
    dependencies(t).iter().fold(own(t), inner)
}

/// The sides of a plain single equation a·x = b: its solution is computed where it is used.
fn single_equation(array: &Array) -> Option<(Expr, Expr)> {
    let Definition::Solved { matrix, rhs, .. } = array.definition() else { return None };
    let plain = |t: &Tensor| t.terms().iter().all(|t| t.domain.is_point());
    let single = rhs.rank() == 1 && array.len() == 1 && plain(matrix) && plain(rhs);
    single.then(|| (rhs.entries().swap_remove(0), matrix.entries().swap_remove(0)))
}

fn dense(t: &Tensor) -> Result<Positions, Error> {
    let place = |term: &Term| Ok((term.clone(), dense_position(t, term)?));
    let terms = t.terms().iter().map(place).collect::<Result<_, Error>>()?;
    Ok(Positions { len: t.shape().iter().map(Layout::len).product(), terms })
}

#[derive(Default)]
struct Lowering {
    program: Program,
    homes: HashMap<Digest, Home>,
    /// Matrices already factored, by content.
    factored: HashMap<Digest, usize>,
    open: Segment,
    instructions: Vec<Instruction>,
    ops: usize,
    limits: Limits,
}

impl Lowering {
    /// Computes all arrays that a tensor depends on and that have no home yet.
    fn arrays(&mut self, t: &Tensor) -> Result<(), CompileError> {
        for array in dependencies(t) {
            if !self.homes.contains_key(&array.digest()) && self.is_computable(&array) {
                self.array(&array)?;
            }
        }
        Ok(())
    }

    /// Whether everything an array depends on is there: what depends on the unknown of a root is
    /// computed only inside that root's iteration.
    fn is_computable(&self, array: &Array) -> bool {
        array.unknowns().iter().all(|unknown| self.homes.contains_key(unknown))
    }

    fn reserve(&mut self, len: usize) -> usize {
        let at = self.program.work;
        self.program.work += len;
        at
    }

    fn array(&mut self, array: &Array) -> Result<(), CompileError> {
        match array.definition() {
            Definition::Given => {}
            Definition::Defined(t) => {
                if t.rank() != 1 || t.shape()[0].len() != array.len() {
                    return Err(Error::Misplaced { array: array.name().into(), slot: 0 }.into());
                }
                let offset = self.reserve(array.len());
                self.homes.insert(array.digest(), Home { base: Base::Work, offset, column: None });
                self.stage(vec![(Base::Work, offset, dense(t)?)])?;
            }
            Definition::Solved { .. } if single_equation(array).is_some() => {}
            Definition::Solved { matrix, rhs, transposed } => {
                let solver = self.factor(array.origin(), matrix)?;
                let n = rhs.shape()[0].len();
                let columns = array.len().checked_div(n).unwrap_or(0);
                let offset = self.reserve(array.len());
                let home = Home { base: Base::Work, offset, column: Some(n) };
                let place = |term: &Term| {
                    let index: Vec<Ix> = term.at.iter().flat_map(|p| p.index.iter().cloned()).collect();
                    (term.clone(), column_major(array, &index, n))
                };
                let positions = Positions { len: array.len(), terms: rhs.terms().iter().map(place).collect() };
                self.stage(vec![(Base::Work, offset, positions)])?;
                self.flush();
                self.instructions.push(Instruction::Solve { solver, rhs: offset, columns, transposed: *transposed });
                self.homes.insert(array.digest(), home);
            }
            Definition::Root { unknown, residual, jacobian, start } => {
                let n = unknown.len();
                let offset = self.reserve(n);
                let home = Home { base: Base::Work, offset, column: None };
                self.stage(vec![(Base::Work, offset, dense(start)?)])?;
                self.flush();
                let (solver, values, pattern) = self.system(array.origin(), jacobian)?;
                let (at, terms) = (self.reserve(n), self.reserve(n));
                // What the residual depends on is computed inside if it depends on the unknown. What is
                // computed inside belongs to the last iterate: outside, neither it nor the unknown is known.
                let homes = self.homes.clone();
                let factored = self.factored.clone();
                self.homes.insert(unknown.digest(), home.clone());
                // Of the first guess. In units of its own a residual is as large, or small, as its terms are.
                let sizes = residual.magnitude()?;
                self.arrays(&sizes)?;
                self.stage(vec![(Base::Work, terms, dense(&sizes)?)])?;
                self.flush();
                self.homes = homes.clone();
                self.factored = factored.clone();
                self.homes.insert(unknown.digest(), home.clone());
                let outer = std::mem::take(&mut self.instructions);
                self.arrays(residual)?;
                self.arrays(jacobian)?;
                self.stage(vec![(Base::Work, at, dense(residual)?), (Base::Work, values, pattern)])?;
                self.flush();
                let body = std::mem::replace(&mut self.instructions, outer);
                self.homes = homes;
                self.factored = factored;
                self.instructions.push(Instruction::Root {
                    solver,
                    unknown: offset,
                    terms: Some(terms),
                    residual: at,
                    jacobian: values,
                    body,
                });
                self.homes.insert(array.digest(), home);
            }
        }
        Ok(())
    }

    /// Registers a linear system and reserves its values.
    fn system(&mut self, name: &str, matrix: &Tensor) -> Result<(usize, usize, Positions), CompileError> {
        let found = sparse_positions(matrix, &self.limits)?;
        let values = self.reserve(found.positions.len);
        let system = System { name: name.into(), pattern: found.pattern, site: None };
        self.program.systems.push(system);
        Ok((self.program.systems.len() - 1, values, found.positions))
    }

    /// The solver for a matrix, factored once for all its right-hand sides.
    fn factor(&mut self, name: &str, matrix: &Tensor) -> Result<usize, CompileError> {
        if let Some(&solver) = self.factored.get(&matrix.digest()) {
            return Ok(solver);
        }
        let (solver, values, positions) = self.system(name, matrix)?;
        self.stage(vec![(Base::Work, values, positions)])?;
        self.flush();
        self.instructions.push(Instruction::Factor { solver, values });
        self.factored.insert(matrix.digest(), solver);
        Ok(solver)
    }

    /// Ends the open segment.
    fn flush(&mut self) {
        let segment = std::mem::take(&mut self.open);
        if !segment.kernels.is_empty() || !segment.clear.is_empty() {
            self.program.segments.push(segment);
            self.instructions.push(Instruction::Segment(self.program.segments.len() - 1));
        }
    }

    /// Emits kernels that compute tensors into memory: one per domain, all terms of it together.
    fn stage(&mut self, writes: Vec<(Base, usize, Positions)>) -> Result<(), CompileError> {
        let mut kernels: Vec<KernelBuilder> = vec![];
        let mut by_domain: HashMap<Digest, usize> = HashMap::new();
        let mut kernel = |kernels: &mut Vec<KernelBuilder>, domain: &Domain| {
            *by_domain.entry(domain.digest()).or_insert_with(|| {
                kernels.push(KernelBuilder::new(domain.clone(), &self.limits));
                kernels.len() - 1
            })
        };
        let mut clear = vec![];
        for (base, offset, positions) in writes {
            // Entries that are all written once are set; a few others are set to zero in place.
            let unwritten = positions.unwritten();
            let once = unwritten.is_some();
            let zeros = unwritten.filter(|z| z.len() as u64 <= UNROLL);
            match zeros {
                Some(zeros) if !zeros.is_empty() => {
                    let k = kernel(&mut kernels, &Domain::point());
                    for position in zeros {
                        kernels[k].store_zero(Address { base, at: Ix::constant((offset + position) as i64) });
                    }
                }
                Some(_) => {}
                None => clear.push((base, offset, positions.len)),
            }
            for (term, at) in positions.terms {
                let k = kernel(&mut kernels, &term.domain);
                let value = kernels[k].expr(&term.value, &mut |array, index| self.source(array, index))?;
                let write = match at.as_constant() {
                    _ if once => Write::Set,
                    Some(_) if !term.domain.is_point() => Write::Reduce,
                    _ => Write::Add,
                };
                let to = Address { base, at: at.shifted(offset as i64) };
                kernels[k].store(Store { to, value, write });
            }
        }
        for builder in kernels {
            let kernel = builder.finish();
            self.ops += kernel.ops.len();
            if self.ops > MAX_OPS {
                return Err(CompileError::TooLarge { limit: MAX_OPS });
            }
            self.open.kernels.push(kernel);
        }
        // Memory is cleared before the segment's kernels run, and belongs to this stage alone.
        self.open.clear.extend(clear);
        Ok(())
    }

    fn source(&self, array: &Array, index: &[Ix]) -> Result<Source, CompileError> {
        if let Some((b, a)) = single_equation(array) {
            return Ok(Source::Quotient(b, a));
        }
        let home = self.homes.get(&array.digest()).ok_or_else(|| CompileError::MissingInput(array.origin().into()))?;
        let at = match home.column {
            Some(n) => column_major(array, index, n),
            None => array.flat_index(index),
        };
        Ok(Source::Memory(Address { base: home.base, at: at.shifted(home.offset as i64) }))
    }
}

/// The position of x[row, column…] when each column of length n is stored in one piece.
fn column_major(array: &Array, index: &[Ix], n: usize) -> Ix {
    let dims = array.dims();
    let row = index[0].shifted(-dims[0].first);
    let column = dims[1..]
        .iter()
        .zip(&index[1..])
        .fold(Ix::constant(0), |flat, (d, i)| flat.times(d.len as i64).plus(&i.shifted(-d.first)));
    column.times(n as i64).plus(&row)
}
