//! How well the constraint forces are determined along a run.
//!
//! The multipliers solve Q λ = …, with Q = G H_pp Gᵀ (or the matrix of brackets of the constraints that an analysis
//! found). Where constraints become dependent Q is singular. For the constraint i that the others determine most,
//!
//! ```text
//! κ = Q̂ᵢᵢ (Q⁻¹)ᵢᵢ,   Q̂ᵢᵢ the largest Qᵢᵢ of the run so far,
//! ```
//!
//! is its condition: with Q̂ᵢᵢ = Qᵢᵢ it is 1/sin² of the angle between ∇φᵢ and the span of the other gradients, in the
//! metric H_pp; a gradient that vanishes by itself makes it large, too. The part of ∇φᵢ that the others do not
//! explain is r = Gᵀc with Q c = (Q⁻¹)ᵢᵢ⁻¹ eᵢ. Through a singular configuration r goes through zero, and points
//! the other way behind it: where r(before) and r(after) are opposite, nearly, the step has crossed one. Whether a step
//! kept to its branch there is decided in [`branch`]; the configuration is found in [`nearest`].
//!
//! The matrix C of brackets is antisymmetric, without a diagonal: its condition is
//!
//! ```text
//! κ = max Ĉᵢⱼ |(C⁻¹)ⱼᵢ|,   Ĉᵢⱼ the largest |Cᵢⱼ| of the run so far,
//! ```
//!
//! which no units change. (C⁻¹)ⱼᵢ is ∂ log det C/∂Cᵢⱼ: on the way to a singular C one of these products grows without
//! bound. Whether C stayed regular inside a step is decided in [`multivalued`].

mod arms;
mod branch;
mod face;
mod multivalued;
mod nearest;

use crate::callable::Callable;
use crate::error::underived;
use branch::Nearest;
use cotangent_compile::{CallError, CompileError, Engine, FunctionBuilder};
use cotangent_dynamics::{Branch, Condition, Conditioned, Failure, NEARLY_SINGULAR};
use cotangent_expr::{Layout, Tensor};
use cotangent_solve::LinearSolver;
use cotangent_theory::{Motion, Space};
use face::{Face, Gradients};
use multivalued::Multivalued;

/// Where the smallest pivot is this part of the largest, the forces are determined well, and a step of a quarter of a
/// radian cannot have crossed a singular configuration.
const WELL: f64 = 0.3;

/// The cosine of the angle between r(before) and r(after) below which they are opposite. A gradient that only turns
/// quickly, as at the end of an ellipse, turns by less in a step.
const OPPOSITE: f64 = -0.8;

/// The condition of what is singular to working precision.
const MOST: f64 = 1.0 / f64::EPSILON;

/// Matrices of brackets up to this size are inverted to find their condition.
const SMALL: usize = 16;

/// Inverse iterations to find the constraint that depends on the others: each multiplies its lead by the condition.
const ITERATIONS: usize = 3;

/// Follows the condition of the constraint forces.
#[derive(Clone)]
pub struct Conditioning {
    /// What each row of the matrix is about.
    names: Layout,
    matrix: Callable,
    values: Vec<f64>,
    solver: LinearSolver<f64>,
    /// Entries whose size is followed, row by row: those of the diagonal, or all of an antisymmetric matrix.
    entries: Vec<Entry>,
    is_antisymmetric: bool,
    /// G and H_pp, where the matrix is made of them.
    gradients: Option<Gradients>,
    /// Where velocities and multipliers follow from the state by equations that may have several solutions.
    multivalued: Vec<Multivalued>,
    /// Q̂ or Ĉ up to the step that is looked at, and up to where that begins: what was looked at may not have become a step.
    largest: Vec<f64>,
    known: Vec<f64>,
    /// Whether an entry was much smaller than that at the end of the step that is looked at, and where it begins. Of the
    /// start of a run nothing is known.
    has_fallen: [bool; 2],
    /// The end of the step that was looked at last.
    reached: Vec<f64>,
    /// Where the last two steps began, since forces became badly determined. The first of them stays where it was as long
    /// as it is not known on which arm the second one lies.
    begun: [Vec<f64>; 2],
    is_placed: bool,
    parameters: Vec<f64>,
    /// Columns of Q⁻¹.
    direction: Vec<f64>,
    /// Both ends of a step.
    before: Face,
    after: Face,
}

/// Where an entry of the matrix is, and where its value, unless that is zero.
#[derive(Clone, Copy)]
struct Entry {
    row: usize,
    column: usize,
    at: Option<usize>,
}

impl Conditioning {
    /// What follows the forces of these equations, and their branch; none without constraints and with all rates.
    pub(crate) fn new(motion: &Motion) -> Result<Option<Conditioning>, CompileError> {
        let multivalued = Multivalued::new(motion)?;
        // A form has no constraints, but perhaps variables without rates.
        let none = Tensor::zero(vec![Layout::default(), Layout::default()]);
        let matrix = match motion.brackets() {
            Some(matrix) => matrix,
            None if !multivalued.is_empty() => &none,
            None => return Ok(None),
        };
        let builder = FunctionBuilder::new().input(&motion.state).input(&motion.parameters()).engine(Engine::Best);
        let function = builder.sparse_output(&motion.at_state(matrix).map_err(underived)?).compile()?;
        let Some(pattern) = function.pattern(0).cloned() else { return Ok(None) };
        let solver = LinearSolver::new(&pattern).map_err(|e| CompileError::system("the multipliers", e))?;
        let holonomic = motion.structure().filter(|_| motion.is_holonomic());
        let gradients = holonomic.map(|s| Gradients::new(motion, s)).transpose()?.flatten();
        let (m, columns) = (pattern.rows(), gradients.as_ref().map_or(0, Gradients::columns));
        let is_antisymmetric = matches!(motion.space, Space::Surface(_) | Space::Reduced(_));
        let entries: Vec<Entry> = match is_antisymmetric {
            true => {
                let places = pattern.addresses().enumerate();
                places.map(|(at, (i, j))| Entry { row: i as usize, column: j as usize, at: Some(at) }).collect()
            }
            false => (0..m).map(|i| Entry { row: i, column: i, at: pattern.position(i, i) }).collect(),
        };
        Ok(Some(Conditioning {
            names: matrix.shape()[0].clone(),
            matrix: function.into(),
            values: vec![0.0; pattern.len()],
            solver,
            gradients,
            multivalued,
            largest: vec![0.0; entries.len()],
            known: vec![0.0; entries.len()],
            has_fallen: [true; 2],
            entries,
            is_antisymmetric,
            reached: vec![0.0; motion.state.len()],
            begun: [vec![0.0; motion.state.len()], vec![0.0; motion.state.len()]],
            is_placed: true,
            parameters: vec![],
            direction: vec![0.0; m],
            before: Face::new(m, columns),
            after: Face::new(m, columns),
        }))
    }

    /// The same for these parameters, from the start of a run.
    pub(crate) fn with(&self, parameters: &[f64]) -> Conditioning {
        let multivalued = self.multivalued.iter().map(|m| m.with(parameters)).collect();
        Conditioning { parameters: parameters.to_vec(), multivalued, ..self.clone() }
    }

    /// The same without a look at branches: for states that are further apart than the steps of a method.
    pub fn of_forces(self) -> Conditioning {
        Conditioning { multivalued: vec![], ..self }
    }

    /// Looks at a step, given where the one before it began and its length, if they are known, or at several as one.
    fn observe_one(
        &mut self,
        earlier: (Option<&[f64]>, Option<f64>),
        [before, after]: [&[f64]; 2],
        was_ill: bool,
        is_one: bool,
    ) -> Result<Conditioned, CallError> {
        if self.names.is_empty() {
            return Ok(Conditioned::WELL);
        }
        if self.gradients.is_some() && self.largest.iter().all(|largest| *largest == 0.0) {
            self.evaluate(before)?;
            self.measure();
        }
        self.evaluate(after)?;
        // Of velocity constraints on coordinates without mass.
        if self.gradients.is_none() && self.values.iter().any(|v| v.is_infinite()) {
            return Ok(Conditioned::WELL);
        }
        let is_fallen = self.measure();
        if is_one {
            self.has_fallen[1] = is_fallen;
        }
        let fallen = is_fallen || self.has_fallen[0] || was_ill;
        // Of one constraint, or one pair, there is nothing else to know.
        if self.names.len() <= if self.is_antisymmetric { 2 } else { 1 } && !fallen {
            return Ok(Conditioned::WELL);
        }
        let singular = self.factor();
        let is_well = singular.is_none() && !is_fallen && !self.is_antisymmetric && self.solver.rcond() >= WELL;
        if is_well && !fallen {
            return Ok(Conditioned::WELL);
        }
        let (condition, constraint) = match singular {
            Some(row) => (MOST, row),
            // However many constraints add up to a large condition: of a long chain no link depends on its neighbours.
            None if is_well => (1.0, self.weakest()),
            None if self.is_antisymmetric && self.names.len() <= SMALL => {
                let rows = (0..self.names.len()).map(|row| (self.condition(row), row));
                rows.reduce(|worst, next| if next.0 > worst.0 { next } else { worst }).unwrap_or((1.0, 0))
            }
            None => {
                let weakest = self.weakest();
                (self.condition(weakest), weakest)
            }
        };
        let mut seen = Conditioned::of(condition, constraint, false);
        if let Some(mut gradients) = self.gradients.take() {
            let judged = self.judge(&mut gradients, earlier, [before, after], (was_ill, is_one), &mut seen);
            self.gradients = Some(gradients);
            judged?;
        }
        Ok(seen)
    }

    /// Whether the step kept to its branch; Q is factored at its end.
    fn judge(
        &mut self,
        gradients: &mut Gradients,
        earlier: (Option<&[f64]>, Option<f64>),
        [before, after]: [&[f64]; 2],
        (was_ill, is_one): (bool, bool),
        seen: &mut Conditioned,
    ) -> Result<(), CallError> {
        let constraint = seen.constraint;
        let last = self.face(gradients, constraint, after)?;
        std::mem::swap(&mut self.before, &mut self.after);
        self.evaluate(before)?;
        self.factor();
        let first = self.face(gradients, constraint, before)?;
        std::mem::swap(&mut self.before, &mut self.after);
        let near = was_ill || seen.is_ill();
        if !(first && last) || !near && self.before.cosine(&self.after) > OPPOSITE {
            return Ok(());
        }
        let mut parameters = std::mem::take(&mut self.parameters);
        let close = seen.condition >= NEARLY_SINGULAR;
        let (first, last) = (&mut self.before, &mut self.after);
        let passed = gradients.passed(first, last, [before, after], (earlier, close), &parameters);
        std::mem::swap(&mut self.parameters, &mut parameters);
        let passed = passed?;
        seen.crossed = passed.crossed;
        if passed.indefinite {
            seen.branch = Branch::Undetermined;
            return Ok(());
        }
        if !(passed.crossed || passed.turned || passed.moved) {
            return Ok(());
        }
        let from = usize::from(self.before.square >= self.after.square);
        let velocities = [self.before.v.clone(), self.after.v.clone()];
        match self.nearest(gradients, constraint, (from, [before, after]), (&velocities, passed.distance))? {
            Nearest::Far => seen.far = true,
            Nearest::Unknown => {}
            Nearest::At(point) => {
                seen.branch = point.branch(&passed, is_one);
                seen.gap = Some(point.has_gap());
                if is_one {
                    self.is_placed = point.arms.is_none_or(|[first, _]| first.are_known());
                }
            }
        }
        Ok(())
    }

    fn evaluate(&mut self, state: &[f64]) -> Result<(), CallError> {
        self.matrix.call(&[state, &self.parameters], &mut [&mut self.values])
    }

    /// Takes note of the sizes of entries; whether one is much smaller than it was.
    fn measure(&mut self) -> bool {
        let mut is_fallen = false;
        for (largest, entry) in self.largest.iter_mut().zip(&self.entries) {
            let size = entry.at.map_or(0.0, |at| self.values[at].abs());
            *largest = largest.max(size);
            is_fallen |= size < WELL * *largest;
        }
        is_fallen
    }

    /// Factors Q; the row that depends on the others, if it is singular.
    fn factor(&mut self) -> Option<usize> {
        self.solver.factor(&self.values).err().map(|singular| singular.row)
    }

    /// The constraint with the largest part in the direction that Q shrinks most.
    fn weakest(&mut self) -> usize {
        let m = self.direction.len();
        let mut sizes = vec![0.0f64; m];
        self.entries.iter().zip(&self.largest).for_each(|(e, largest)| sizes[e.row] = sizes[e.row].max(*largest));
        let size = |i: usize, x: f64| x.abs() * sizes[i].sqrt();
        // Entries of different sizes, so that no symmetry of the mechanism hides the direction.
        (0..m).for_each(|i| self.direction[i] = 1.0 + 0.5 * (i as f64 + 1.0).sin());
        for _ in 0..ITERATIONS {
            self.solver.solve(&mut self.direction);
            let norm = (0..m).map(|i| size(i, self.direction[i])).fold(0.0, f64::max);
            if !(norm.is_finite() && norm > 0.0) {
                break;
            }
            self.direction.iter_mut().for_each(|x| *x /= norm);
        }
        (0..m).max_by(|&i, &j| size(i, self.direction[i]).total_cmp(&size(j, self.direction[j]))).unwrap_or(0)
    }

    /// Q̂ᵢᵢ (Q⁻¹)ᵢᵢ, or the largest Ĉᵢⱼ |(C⁻¹)ⱼᵢ|, the matrix being factored.
    fn condition(&mut self, constraint: usize) -> f64 {
        self.column(constraint);
        let row = self.entries.iter().zip(&self.largest).filter(|(entry, _)| entry.row == constraint);
        let condition = row.fold(0.0f64, |most, (entry, largest)| {
            let size = (largest * self.direction[entry.column]).abs();
            if size.is_nan() { f64::NAN } else { most.max(size) }
        });
        if condition.is_finite() { condition.clamp(1.0, MOST) } else { MOST }
    }

    /// A column of Q⁻¹, Q being factored.
    fn column(&mut self, constraint: usize) {
        self.direction.fill(0.0);
        self.direction[constraint] = 1.0;
        self.solver.solve(&mut self.direction);
    }

    /// The gradient that the others do not explain at a state whose Q is factored, into `after`; whether it is
    /// determined.
    fn face(&mut self, gradients: &mut Gradients, constraint: usize, state: &[f64]) -> Result<bool, CallError> {
        self.column(constraint);
        let scale = self.direction[constraint];
        if !(scale.is_finite() && scale != 0.0) {
            return Ok(false);
        }
        self.after.c.iter_mut().zip(&self.direction).for_each(|(c, x)| *c = x / scale);
        gradients.look(state, &self.parameters, &mut self.after)?;
        Ok(true)
    }
}

impl Condition for Conditioning {
    /// A motion that goes over a gap in several steps, the states between which lie in the gap, does so in none of them: where
    /// forces are badly determined, they are looked at as one, too.
    fn observe(
        &mut self,
        [before, after]: [&[f64]; 2],
        step: Option<f64>,
        was_ill: bool,
    ) -> Result<Conditioned, Failure> {
        if self.reached == before {
            self.known.copy_from_slice(&self.largest);
            self.has_fallen[0] = self.has_fallen[1];
        }
        self.largest.copy_from_slice(&self.known);
        self.reached.copy_from_slice(after);
        let begun = std::mem::take(&mut self.begun);
        let earlier = begun.iter().rev().map(|state| &state[..]).find(|state| was_ill && *state != before);
        let was_placed = std::mem::replace(&mut self.is_placed, true);
        let seen = self.observe_one((earlier, step), [before, after], was_ill, true);
        self.begun = begun;
        let mut seen = seen?;
        for multivalued in &mut self.multivalued {
            if !multivalued.continues([before, after], step)? {
                seen.branch = Branch::Ended;
                return Ok(seen);
            }
        }
        if !was_ill {
            if seen.is_ill() {
                self.begun.iter_mut().for_each(|state| state.copy_from_slice(before));
            }
            return Ok(seen);
        }
        if self.begun[1] != before {
            if was_placed {
                self.begun.swap(0, 1);
            }
            self.begun[1].copy_from_slice(before);
        }
        if self.begun[0] == self.begun[1] || seen.branch != Branch::Kept {
            return Ok(seen);
        }
        let first = std::mem::take(&mut self.begun[0]);
        let both = self.observe_one((None, None), [&first, after], true, false);
        self.begun[0] = first;
        let both = both?;
        Ok(if both.branch == Branch::Kept { seen } else { both })
    }

    fn stays_well(&mut self, [before, after]: [&[f64]; 2]) -> Result<bool, Failure> {
        let is_simple = self.multivalued.is_empty() && !self.is_antisymmetric && self.gradients.is_some();
        if !is_simple || self.has_fallen[1] || self.reached != before {
            return Ok(false);
        }
        self.evaluate(after)?;
        let sizes = self.entries.iter().map(|entry| entry.at.map_or(0.0, |at| self.values[at].abs()));
        // What is no number is not well.
        let are_large = sizes.zip(&self.largest).all(|(size, largest)| size >= WELL * largest.max(size) && size > 0.0);
        let is_well = are_large && (self.names.len() <= 1 || self.factor().is_none() && self.solver.rcond() >= WELL);
        if !is_well {
            return Ok(false);
        }
        self.known.copy_from_slice(&self.largest);
        self.has_fallen[0] = false;
        self.measure();
        self.reached.copy_from_slice(after);
        Ok(true)
    }

    fn constraints(&self) -> Vec<String> {
        (0..self.names.len()).map(|i| self.names.entry_name(i)).collect()
    }

    /// The largest Qᵢᵢ so far, where the last steps began, and where the last one ended.
    fn memory(&self, memory: &mut Vec<f64>) {
        let flags = [self.is_placed, self.has_fallen[0], self.has_fallen[1]].map(|flag| f64::from(u8::from(flag)));
        let parts = [&self.largest[..], &self.known, &self.begun[0], &self.begun[1], &self.reached, &flags];
        parts.iter().for_each(|part| memory.extend_from_slice(part));
    }

    fn restore(&mut self, memory: &[f64]) {
        let [last, this] = &mut self.begun;
        let mut parts = [&mut self.largest, &mut self.known, last, this, &mut self.reached];
        let Some((memory, &[placed, began, ended])) = memory.split_last_chunk() else { return };
        if memory.len() == parts.iter().map(|part| part.len()).sum::<usize>() {
            let mut rest = memory;
            for part in &mut parts {
                let (own, after) = rest.split_at(part.len());
                part.copy_from_slice(own);
                rest = after;
            }
            self.is_placed = placed != 0.0;
            self.has_fallen = [began != 0.0, ended != 0.0];
        }
    }
}
