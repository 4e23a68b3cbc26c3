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
mod energy;
mod face;
mod forms;
mod judge;
mod multivalued;
mod nearest;
mod parts;
mod ranks;

use crate::callable::Callable;
use crate::error::underived;
use cotangent_compile::{CallError, CompileError, Engine, FunctionBuilder};
use cotangent_dynamics::{Branch, Condition, Conditioned, Failure};
use cotangent_expr::{Layout, Tensor};
use cotangent_solve::LinearSolver;
use cotangent_theory::{Motion, Space};
use energy::Energy;
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

/// After so many steps that change gradients by less than a large part they are known.
const YOUNG: f64 = 8.0;

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
    energy: Option<Energy>,
    /// Where velocities and multipliers follow from the state by equations that may have several solutions.
    multivalued: Vec<Multivalued>,
    /// Q̂ or Ĉ up to the step that is looked at, and up to where that begins: what was looked at may not have become a step.
    largest: Vec<f64>,
    known: Vec<f64>,
    /// Whether an entry was much smaller than that at the end of the step that is looked at, and where it begins. Of the
    /// start of a run nothing is known.
    has_fallen: [bool; 2],
    /// For how many more steps, there and where it begins, it is not known how large gradients are that vanish near the start of a
    /// run: until they hardly change in a step.
    young: [f64; 2],
    /// The end of the step that was looked at last.
    reached: Vec<f64>,
    /// Where the last two steps began, since forces became badly determined. The first of them stays where it was as long
    /// as it is not known on which arm the second one lies.
    begun: [Vec<f64>; 2],
    is_placed: bool,
    /// Steps that end where nothing can be told, up to the step that is looked at and up to where that begins: they are looked at as
    /// one with the next.
    blind: [Blind; 2],
    /// Whether nothing could be told of one of the ends that were looked at last.
    is_blind: bool,
    parameters: Vec<f64>,
    /// Columns of Q⁻¹.
    direction: Vec<f64>,
    /// Both ends of a step.
    before: Face,
    after: Face,
}

/// Where no state is.
const NOWHERE: f64 = f64::MAX;

/// Where steps began the last of which ended in a singular configuration to working precision, where that is, and how long they
/// took, if that is known; nowhere if there are none.
#[derive(Clone)]
struct Blind {
    from: Vec<f64>,
    to: Vec<f64>,
    duration: f64,
}

impl Blind {
    fn new(n: usize) -> Blind {
        Blind { from: vec![NOWHERE; n], to: vec![NOWHERE; n], duration: NOWHERE }
    }
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
        let energy = holonomic.map(|s| Energy::new(motion, s)).transpose()?.flatten();
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
            energy,
            multivalued,
            largest: vec![0.0; entries.len()],
            known: vec![0.0; entries.len()],
            has_fallen: [true; 2],
            young: [YOUNG; 2],
            entries,
            is_antisymmetric,
            reached: vec![0.0; motion.state.len()],
            begun: [vec![0.0; motion.state.len()], vec![0.0; motion.state.len()]],
            is_placed: true,
            blind: [Blind::new(motion.state.len()), Blind::new(motion.state.len())],
            is_blind: false,
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
            self.young[1] = 0.0;
        }
        // Beside what it has become an entry was small where the step began.
        let has_grown = self.largest.iter().zip(&self.known).any(|(largest, known)| WELL * largest > *known);
        let fallen = is_fallen || self.has_fallen[0] || was_ill || has_grown || self.young[0] > 0.0;
        // Of one constraint, or one pair, there is nothing else to know.
        if self.names.len() <= if self.is_antisymmetric { 2 } else { 1 } && !fallen {
            return Ok(Conditioned::WELL);
        }
        let singular = self.factor();
        let is_well = singular.is_none() && !is_fallen && !self.is_antisymmetric && self.solver.rcond() >= WELL;
        if is_well && !fallen {
            return Ok(Conditioned::WELL);
        }
        let mut found = match singular {
            Some(row) => vec![(MOST, row)],
            None if self.is_antisymmetric && self.names.len() <= SMALL => {
                (0..self.names.len()).map(|row| (self.condition(row), row)).collect()
            }
            None => self.weakest(),
        };
        if is_well {
            // However many constraints add up to a large condition: of a long chain no link depends on its neighbours.
            found.iter_mut().for_each(|(condition, _)| *condition = 1.0);
        }
        if has_grown {
            self.look_back([before, after], &mut found)?;
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        let worst = found.first().map_or(Conditioned::WELL, |&(condition, row)| Conditioned::of(condition, row, false));
        let Some(mut gradients) = self.gradients.take() else { return Ok(worst) };
        let judged = self.judge_parts(&mut gradients, earlier, [before, after], (was_ill, is_one), &found);
        self.gradients = Some(gradients);
        Ok(judged?.unwrap_or(worst))
    }

    /// Takes note of the conditions where a step begins, which no step before it has seen: that of the start of a run, or of
    /// gradients that have never been as large as they are now.
    fn look_back(&mut self, [before, after]: [&[f64]; 2], found: &mut Vec<(f64, usize)>) -> Result<(), CallError> {
        let Some(parts) = self.gradients.as_ref().map(|gradients| gradients.parts.rows.clone()) else { return Ok(()) };
        self.evaluate(before)?;
        if self.factor().is_none() {
            for start in self.weakest() {
                match found.iter_mut().find(|(_, row)| parts[*row] == parts[start.1]) {
                    Some(end) if end.0 < start.0 => *end = start,
                    Some(_) => {}
                    None => found.push(start),
                }
            }
        }
        self.evaluate(after)?;
        self.factor();
        Ok(())
    }

    /// Where a step begins that is looked at as one with those before it, which ended where nothing can be told, and its duration.
    fn sighted(&mut self, before: &[f64], step: Option<f64>) -> Option<(Vec<f64>, Option<f64>)> {
        let [known, last] = &mut self.blind;
        if last.to[0] == NOWHERE && known.to[0] == NOWHERE {
            return None;
        }
        // Momenta may have been brought back since.
        let n = self.gradients.as_ref().map_or(before.len(), Gradients::columns);
        if last.to[..n] == before[..n] {
            std::mem::swap(known, last);
        }
        *last = Blind::new(before.len());
        if known.to[..n] != before[..n] {
            return None;
        }
        let duration = step.filter(|_| known.duration != NOWHERE).map(|h| h + known.duration);
        Some((known.from.clone(), duration))
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

    /// The constraint of each part with the largest share in the direction that Q shrinks most there, and its condition; Q is
    /// factored. What is iterated is D Q⁻¹ D with D² the diagonal of Q̂, which no units and no masses change.
    fn weakest(&mut self) -> Vec<(f64, usize)> {
        let m = self.direction.len();
        let parts = self.gradients.as_ref().map_or(vec![0; m], |gradients| gradients.parts.rows.clone());
        let count = parts.iter().max().map_or(0, |last| last + 1);
        let mut sizes = vec![0.0f64; m];
        self.entries.iter().zip(&self.largest).for_each(|(e, largest)| sizes[e.row] = sizes[e.row].max(*largest));
        sizes.iter_mut().for_each(|size| *size = size.sqrt());
        // Entries of different sizes, so that no symmetry of the mechanism hides the direction.
        (0..m).for_each(|i| self.direction[i] = 1.0 + 0.5 * (i as f64 + 1.0).sin());
        let mut weakest = vec![usize::MAX; count];
        for _ in 0..ITERATIONS {
            self.direction.iter_mut().zip(&sizes).for_each(|(x, size)| *x *= size);
            self.solver.solve(&mut self.direction);
            self.direction.iter_mut().zip(&sizes).for_each(|(x, size)| *x *= size);
            weakest = vec![usize::MAX; count];
            for (i, part) in parts.iter().enumerate() {
                let most = &mut weakest[*part];
                if *most == usize::MAX || self.direction[i].abs() > self.direction[*most].abs() {
                    *most = i;
                }
            }
            let norms: Vec<f64> = weakest.iter().map(|most| self.direction[*most].abs()).collect();
            let scaled = |x: f64, norm: f64| if norm.is_finite() && norm > 0.0 { x / norm } else { 1.0 };
            self.direction.iter_mut().zip(&parts).for_each(|(x, part)| *x = scaled(*x, norms[*part]));
        }
        if self.is_antisymmetric {
            return weakest.into_iter().map(|row| (self.condition(row), row)).collect();
        }
        // One column of each block of Q⁻¹, which have no rows in common.
        self.direction.fill(0.0);
        weakest.iter().for_each(|row| self.direction[*row] = 1.0);
        self.solver.solve(&mut self.direction);
        weakest.iter().map(|&row| (clamped((self.largest[row] * self.direction[row]).abs()), row)).collect()
    }

    /// Q̂ᵢᵢ (Q⁻¹)ᵢᵢ, or the largest Ĉᵢⱼ |(C⁻¹)ⱼᵢ|, the matrix being factored.
    fn condition(&mut self, constraint: usize) -> f64 {
        self.column(constraint);
        let row = self.entries.iter().zip(&self.largest).filter(|(entry, _)| entry.row == constraint);
        let condition = row.fold(0.0f64, |most, (entry, largest)| {
            let size = (largest * self.direction[entry.column]).abs();
            if size.is_nan() { f64::NAN } else { most.max(size) }
        });
        clamped(condition)
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

fn clamped(condition: f64) -> f64 {
    if condition.is_finite() { condition.clamp(1.0, MOST) } else { MOST }
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
            self.young[0] = self.young[1];
        }
        self.largest.copy_from_slice(&self.known);
        self.reached.copy_from_slice(after);
        let begun = std::mem::take(&mut self.begun);
        let earlier = begun.iter().rev().map(|state| &state[..]).find(|state| was_ill && *state != before);
        let was_placed = std::mem::replace(&mut self.is_placed, true);
        let sighted = self.sighted(before, step);
        let (start, duration) = sighted.as_ref().map_or((before, step), |(start, duration)| (&start[..], *duration));
        self.is_blind = false;
        let seen = self.observe_one((earlier, duration), [start, after], was_ill, true);
        self.begun = begun;
        let mut seen = seen?;
        if self.is_blind {
            self.blind[1].from.copy_from_slice(start);
            self.blind[1].to.copy_from_slice(after);
            self.blind[1].duration = duration.unwrap_or(NOWHERE);
        }
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
        if !is_simple || self.has_fallen[1] || self.young[1] > 0.0 || self.reached != before {
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
        self.young[0] = 0.0;
        self.measure();
        self.reached.copy_from_slice(after);
        Ok(true)
    }

    fn constraints(&self) -> Vec<String> {
        (0..self.names.len()).map(|i| self.names.entry_name(i)).collect()
    }

    /// The largest Qᵢᵢ so far, where the last steps began, and where the last one ended.
    fn memory(&self, memory: &mut Vec<f64>) {
        let [placed, fell, falls] =
            [self.is_placed, self.has_fallen[0], self.has_fallen[1]].map(|flag| f64::from(u8::from(flag)));
        let flags = [placed, fell, falls, self.young[0], self.young[1]];
        let parts = [&self.largest[..], &self.known, &self.begun[0], &self.begun[1], &self.reached];
        parts.iter().for_each(|part| memory.extend_from_slice(part));
        let blind =
            self.blind.iter().flat_map(|blind| [&blind.from[..], &blind.to, std::slice::from_ref(&blind.duration)]);
        blind.chain([&flags[..]]).for_each(|part| memory.extend_from_slice(part));
    }

    fn restore(&mut self, memory: &[f64]) {
        let [last, this] = &mut self.begun;
        let [known, next] = &mut self.blind;
        let mut parts: Vec<&mut [f64]> = vec![&mut self.largest, &mut self.known, last, this, &mut self.reached];
        for blind in [known, next] {
            parts.extend([&mut blind.from[..], &mut blind.to, std::slice::from_mut(&mut blind.duration)]);
        }
        let Some((memory, &[placed, fell, falls, was_young, young])) = memory.split_last_chunk() else { return };
        if memory.len() == parts.iter().map(|part| part.len()).sum::<usize>() {
            let mut rest = memory;
            for part in &mut parts {
                let (own, after) = rest.split_at(part.len());
                part.copy_from_slice(own);
                rest = after;
            }
            self.is_placed = placed != 0.0;
            self.has_fallen = [fell, falls].map(|flag| flag != 0.0);
            self.young = [was_young, young];
        }
    }
}
