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
//! the other way behind it: where r(before) and r(after) are opposite, nearly, the step has crossed one.

use crate::diagnostics::Measure;
use cotangent_compile::{CallError, CompileError, Engine, FunctionBuilder};
use cotangent_expr::Layout;
use cotangent_solve::{LinearSolver, Pattern};
use cotangent_theory::Motion;

/// Where the smallest pivot is this part of the largest, the forces are determined well, and a step of a quarter of a
/// radian cannot have crossed a singular configuration.
const WELL: f64 = 0.3;

/// A condition from which on a step may have several solutions: gradients within a quarter of a radian.
const ILL: f64 = 20.0;

/// A condition beyond which a configuration counts as singular, nearly: gradients within a hundredth of a radian, or one
/// of a hundredth of its size.
const NEARLY_SINGULAR: f64 = 1e4;

/// The cosine of the angle between r(before) and r(after) below which they are opposite. A gradient that only turns
/// quickly, as at the end of an ellipse, turns by less in a step.
const OPPOSITE: f64 = -0.8;

/// The condition of what is singular to working precision.
const MOST: f64 = 1.0 / f64::EPSILON;

/// Inverse iterations to find the constraint that depends on the others: each multiplies its lead by the condition.
const ITERATIONS: usize = 3;

/// What a step has met.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Conditioned {
    /// κ, at most 1/u; 1 where forces are determined well.
    pub condition: f64,
    /// The constraint that depends on the others most.
    pub constraint: usize,
    /// Whether the step went through a singular configuration.
    pub crossed: bool,
}

impl Conditioned {
    const WELL: Conditioned = Conditioned { condition: 1.0, constraint: 0, crossed: false };

    /// Whether a singular configuration is so near that a step may have several solutions.
    pub fn is_ill(&self) -> bool {
        self.crossed || self.condition >= ILL
    }

    /// Whether a singular configuration is near enough to be spoken of.
    pub fn is_singular(&self) -> bool {
        self.crossed || self.condition >= NEARLY_SINGULAR
    }
}

/// Follows the condition of the constraint forces.
pub struct Conditioning {
    /// What each row of the matrix is about.
    pub names: Layout,
    matrix: Measure,
    values: Vec<f64>,
    solver: LinearSolver<f64>,
    diagonal: Vec<Option<usize>>,
    /// G and H_pp, where the matrix is made of them.
    gradients: Option<Gradients>,
    /// Q̂, as far as it is known.
    largest: Vec<f64>,
    parameters: Vec<f64>,
    /// Q⁻¹ and r at both ends of a step.
    direction: Vec<f64>,
    before: Vec<f64>,
    after: Vec<f64>,
}

struct Gradients {
    function: Measure,
    jacobian: Pattern,
    metric: Pattern,
    g: Vec<f64>,
    h: Vec<f64>,
}

impl Conditioning {
    /// What follows the forces of these equations; none without constraints.
    pub(crate) fn new(motion: &Motion) -> Result<Option<Conditioning>, CompileError> {
        let structure = motion.structure.as_ref().filter(|_| motion.multipliers.is_some());
        let (gram, brackets) = (structure.map(|s| &s.gram), motion.surface.as_ref().map(|s| &s.brackets));
        let Some(matrix) = gram.or(brackets) else { return Ok(None) };
        let underived = |e: cotangent_theory::TheoryError| CompileError::Native(e.to_string());
        let builder = || {
            FunctionBuilder::new().input(&motion.state).input(&motion.system.parameter_layout()).engine(Engine::Best)
        };
        let function = builder().sparse_output(&motion.at_state(matrix).map_err(underived)?).compile()?;
        let Some(pattern) = function.pattern(0).cloned() else { return Ok(None) };
        let unsolvable =
            |e: &dyn std::fmt::Display| CompileError::System { name: "the multipliers".into(), reason: e.to_string() };
        let solver = LinearSolver::new(&pattern).map_err(|e| unsolvable(&e))?;
        let gradients = match structure {
            Some(s) => {
                let metric = s.hamiltonian_p.jacobian(&s.momenta)?;
                let at_state = |t| motion.at_state(t).map_err(underived);
                let f = builder().sparse_output(&s.jacobian).sparse_output(&at_state(&metric)?).compile()?;
                match (f.pattern(0).cloned(), f.pattern(1).cloned()) {
                    (Some(jacobian), Some(metric)) => Some(Gradients {
                        function: f.into(),
                        g: vec![0.0; jacobian.len()],
                        h: vec![0.0; metric.len()],
                        jacobian,
                        metric,
                    }),
                    _ => None,
                }
            }
            None => None,
        };
        let (m, columns) = (pattern.rows(), gradients.as_ref().map_or(0, |g| g.jacobian.columns()));
        Ok(Some(Conditioning {
            names: matrix.shape()[0].clone(),
            matrix: function.into(),
            values: vec![0.0; pattern.len()],
            solver,
            diagonal: (0..m).map(|i| pattern.position(i, i)).collect(),
            gradients,
            largest: vec![0.0; m],
            parameters: vec![],
            direction: vec![0.0; m],
            before: vec![0.0; columns],
            after: vec![0.0; columns],
        }))
    }

    /// The same for these parameters, from the start of a run.
    pub(crate) fn with(&self, parameters: &[f64]) -> Conditioning {
        let gradients = |g: &Gradients| Gradients {
            function: g.function.again(),
            jacobian: g.jacobian.clone(),
            metric: g.metric.clone(),
            g: g.g.clone(),
            h: g.h.clone(),
        };
        Conditioning {
            names: self.names.clone(),
            matrix: self.matrix.again(),
            values: self.values.clone(),
            solver: self.solver.clone(),
            diagonal: self.diagonal.clone(),
            gradients: self.gradients.as_ref().map(gradients),
            largest: self.largest.clone(),
            parameters: parameters.to_vec(),
            direction: self.direction.clone(),
            before: self.before.clone(),
            after: self.after.clone(),
        }
    }

    /// The largest Qᵢᵢ so far: what there is to remember.
    pub fn memory(&self) -> &[f64] {
        &self.largest
    }

    /// Goes on with what was remembered.
    pub fn restore(&mut self, memory: &[f64]) {
        if memory.len() == self.largest.len() {
            self.largest.copy_from_slice(memory);
        }
    }

    /// Looks at a step between two states.
    pub fn observe(&mut self, before: &[f64], after: &[f64]) -> Result<Conditioned, CallError> {
        self.evaluate(after)?;
        let mut fallen = false;
        for (largest, at) in self.largest.iter_mut().zip(&self.diagonal) {
            let size = at.map_or(0.0, |at| self.values[at].abs());
            *largest = largest.max(size);
            fallen |= size < WELL * *largest;
        }
        // Of one constraint there is nothing else to know.
        if self.largest.len() == 1 && !fallen {
            return Ok(Conditioned::WELL);
        }
        let singular = self.factor();
        if singular.is_none() && !fallen && self.solver.rcond() >= WELL {
            return Ok(Conditioned::WELL);
        }
        let constraint = singular.unwrap_or_else(|| self.weakest());
        let condition = if singular.is_some() { MOST } else { self.condition(constraint) };
        if self.gradients.is_none() {
            return Ok(Conditioned { condition, constraint, crossed: false });
        }
        let last = self.unexplained(constraint, after)?;
        std::mem::swap(&mut self.before, &mut self.after);
        self.evaluate(before)?;
        self.factor();
        let first = self.unexplained(constraint, before)?;
        let cosine = first.zip(last).and_then(|_| self.cosine());
        Ok(Conditioned { condition, constraint, crossed: cosine.is_some_and(|cosine| cosine < OPPOSITE) })
    }

    fn evaluate(&mut self, state: &[f64]) -> Result<(), CallError> {
        self.matrix.call(&[state, &self.parameters], &mut [&mut self.values])
    }

    /// Factors Q; the row that depends on the others, if it is singular.
    fn factor(&mut self) -> Option<usize> {
        self.solver.factor(&self.values).err().map(|singular| singular.row)
    }

    /// The constraint with the largest part in the direction that Q shrinks most.
    fn weakest(&mut self) -> usize {
        let m = self.direction.len();
        let size = |i: usize, x: f64| x.abs() * self.largest[i].sqrt();
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

    /// Q̂ᵢᵢ (Q⁻¹)ᵢᵢ, Q being factored.
    fn condition(&mut self, constraint: usize) -> f64 {
        self.direction.fill(0.0);
        self.direction[constraint] = 1.0;
        self.solver.solve(&mut self.direction);
        let condition = (self.largest[constraint] * self.direction[constraint]).abs();
        if condition.is_finite() { condition.clamp(1.0, MOST) } else { MOST }
    }

    /// r = Gᵀc at a state whose Q is factored, into `after`; `None` where it is not determined.
    fn unexplained(&mut self, constraint: usize, state: &[f64]) -> Result<Option<()>, CallError> {
        let Some(gradients) = &mut self.gradients else { return Ok(None) };
        let Gradients { function, jacobian, g, h, .. } = gradients;
        function.call(&[state, &self.parameters], &mut [g, h])?;
        self.direction.fill(0.0);
        self.direction[constraint] = 1.0;
        self.solver.solve(&mut self.direction);
        let scale = self.direction[constraint];
        if !(scale.is_finite() && scale != 0.0) {
            return Ok(None);
        }
        self.after.fill(0.0);
        for (i, c) in self.direction.iter().enumerate() {
            for (k, &j) in jacobian.positions(i).zip(jacobian.row(i)) {
                self.after[j as usize] += g[k] * c / scale;
            }
        }
        Ok(Some(()))
    }

    /// The cosine of the angle between r(before) and r(after) in the metric H_pp.
    fn cosine(&self) -> Option<f64> {
        let Gradients { metric, h, .. } = self.gradients.as_ref()?;
        let product = |a: &[f64], b: &[f64]| -> f64 {
            metric.addresses().zip(h).map(|((i, j), h)| a[i as usize] * h * b[j as usize]).sum()
        };
        let sizes = product(&self.before, &self.before) * product(&self.after, &self.after);
        (sizes > 0.0).then(|| product(&self.before, &self.after) / sizes.sqrt())
    }
}
