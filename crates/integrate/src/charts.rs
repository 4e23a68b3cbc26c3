//! A method in local coordinates of the constraint manifold, which are changed between its steps.
//!
//! A chart here is a choice of n − m of the coordinates; the others, D, follow from the constraints
//! wherever det G_D ≠ 0. How good it is, is |det G_D| in coordinates in which the kinetic energy is
//! that of unit masses: the volume that the gradients of the constraints span along D. The state
//! outside is always (q, p), so that a change of chart, between steps, moves nothing.
//!
//! A method that chooses its steps may come to the end of its chart inside an interval: where δ hardly moves any more, as
//! behind the turn in a narrow gap between two branches, the error control asks for ever smaller steps. It gives up soon, and
//! the interval is made in parts, each in its own chart.

use crate::refusal::Refusal;
use crate::vector::{clear, zeros};
use cotangent_dynamics::{
    Canonical, CanonicalShape, Chart, Failure, Machine, MemoryLayout, Misuse, Part, State, Stepper,
};
use cotangent_scalar::Scalar;
use std::sync::Arc;

/// Own steps in one chart, beyond which a method that chooses them gives up there.
pub(crate) const MOST_STEPS: u32 = 200;

/// An interval is made in so many parts at most, and as many tries of them may fail…
const MOST_PARTS: u32 = 500;

/// … the smallest of which is this part of it: a power of two.
const FINEST: u64 = 1 << 40;

/// The charts of a method: which there are, and when to change.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Charts {
    shape: CanonicalShape,
    /// n − m.
    local: usize,
    threshold: f64,
    /// Sets of coordinates to choose from; empty: any.
    given: Vec<Vec<usize>>,
}

impl Charts {
    pub(crate) fn new(
        shape: &CanonicalShape,
        local: usize,
        threshold: f64,
        given: &[Vec<usize>],
    ) -> Result<Arc<Charts>, Refusal> {
        if !(threshold >= 1.0 && threshold.is_finite()) {
            return Err(Refusal::Threshold { threshold });
        }
        let mut charts = vec![];
        for chart in given {
            let mut sorted = chart.clone();
            sorted.sort_unstable();
            sorted.dedup();
            let fits = sorted.len() == local && sorted.iter().all(|&k| k < shape.coordinates);
            if !fits || sorted.len() != chart.len() {
                return Err(Refusal::Chart { coordinates: chart.len(), needed: local });
            }
            charts.push(sorted);
        }
        Ok(Arc::new(Charts { shape: shape.clone(), local, threshold, given: charts }))
    }

    /// Whether there is nothing to change for.
    pub(crate) fn is_one(&self) -> bool {
        self.given.len() == 1
    }

    /// What a state remembers besides what the method does.
    pub(crate) fn memory(&self, of_method: MemoryLayout) -> MemoryLayout {
        of_method.with(Part::Chart, self.local).with(Part::ChartChanges, 1)
    }

    /// A method in these charts.
    pub(crate) fn around<'s, S: Scalar + 's>(
        self: &Arc<Charts>,
        inner: Box<dyn Stepper<S> + 's>,
        chart: Box<dyn Chart<S> + 's>,
        manifold: Box<dyn Canonical<S> + 's>,
        memory: &MemoryLayout,
    ) -> Box<dyn Stepper<S> + 's> {
        let state = State::new(zeros(2 * self.local), inner.memory());
        Box::new(InCharts {
            jacobian: zeros(self.shape.jacobian.len()),
            masses: zeros(self.shape.hessian_pp.len()),
            matrix: zeros(self.local * self.shape.coordinates),
            charts: self.clone(),
            memory: memory.clone(),
            from: state.clone(),
            to: state,
            own_steps: vec![],
            inner,
            chart,
            manifold,
        })
    }

    /// G in coordinates in which the kinetic energy is that of unit masses: m rows of n.
    fn gradients(&self, jacobian: &[f64], masses: &[f64]) -> Vec<Vec<f64>> {
        let (n, m) = (self.shape.coordinates, self.shape.constraints);
        let mut unit = vec![1.0; n];
        for ((row, column), mass) in self.shape.hessian_pp.addresses().zip(masses) {
            if row == column && *mass > 0.0 {
                unit[row as usize] = mass.sqrt();
            }
        }
        let mut rows = vec![vec![0.0; n]; m];
        for ((row, column), g) in self.shape.jacobian.addresses().zip(jacobian) {
            rows[row as usize][column as usize] += g * unit[column as usize];
        }
        rows
    }

    /// The chart to go on in: the one that is in use, unless another is better by the threshold.
    fn choose(&self, rows: &[Vec<f64>], current: Option<&[usize]>) -> Result<Vec<usize>, Failure> {
        let best = match self.given.as_slice() {
            [] => {
                let (dependent, volume) = eliminated(rows.to_vec(), (0..self.shape.coordinates).collect());
                let free = (0..self.shape.coordinates).filter(|k| !dependent.contains(k)).collect();
                (free, volume)
            }
            given => {
                let volumes = given.iter().map(|chart| (chart.clone(), self.volume(rows, chart)));
                volumes.fold((vec![], f64::NEG_INFINITY), |best, next| if next.1 > best.1 { next } else { best })
            }
        };
        let now = current.map_or(f64::NEG_INFINITY, |chart| self.volume(rows, chart));
        if let Some(chart) = current.filter(|_| best.1 <= self.threshold.ln() + now) {
            return Ok(chart.to_vec());
        }
        if best.1 > f64::NEG_INFINITY {
            return Ok(best.0);
        }
        Err(Failure::NoChart { given: self.given.len() })
    }

    /// log |det G_D|.
    fn volume(&self, rows: &[Vec<f64>], chart: &[usize]) -> f64 {
        let others = (0..self.shape.coordinates).filter(|k| !chart.contains(k)).collect();
        eliminated(rows.to_vec(), others).1
    }
}

/// Elimination with complete pivoting within some of the columns: the columns of the pivots, and the
/// logarithm of their product; −∞ where the rows are dependent.
fn eliminated(mut rows: Vec<Vec<f64>>, mut columns: Vec<usize>) -> (Vec<usize>, f64) {
    let (mut chosen, mut volume) = (vec![], 0.0);
    for k in 0..rows.len() {
        // The first of equals.
        let (mut best, mut size) = ((0, 0), 0.0f64);
        for (i, row) in rows.iter().enumerate().skip(k) {
            for (at, &j) in columns.iter().enumerate() {
                if row[j].abs() > size || !row[j].is_finite() {
                    (best, size) = ((i, at), row[j].abs());
                }
            }
        }
        if size == 0.0 || !size.is_finite() {
            return (chosen, f64::NEG_INFINITY);
        }
        let (i, j) = (best.0, columns.remove(best.1));
        rows.swap(k, i);
        let pivot = rows[k][j];
        chosen.push(j);
        volume += size.ln();
        let (done, rest) = rows.split_at_mut(k + 1);
        for row in rest {
            let factor = row[j] / pivot;
            if factor != 0.0 {
                columns.iter().for_each(|&c| row[c] -= factor * done[k][c]);
            }
        }
    }
    (chosen, volume)
}

struct InCharts<'s, S> {
    charts: Arc<Charts>,
    memory: MemoryLayout,
    inner: Box<dyn Stepper<S> + 's>,
    chart: Box<dyn Chart<S> + 's>,
    manifold: Box<dyn Canonical<S> + 's>,
    jacobian: Vec<S>,
    masses: Vec<S>,
    matrix: Vec<S>,
    from: State<S>,
    to: State<S>,
    /// The own states of the method in the last step, on the manifold.
    own_steps: Vec<S>,
}

impl<S: Scalar> InCharts<'_, S> {
    /// The chart for a step from a state; whether it is another than that of the last step.
    fn choose(&mut self, machine: &mut dyn Machine<S>, state: &State<S>) -> Result<(Vec<usize>, bool), Failure> {
        let InCharts { charts, memory, manifold, jacobian, masses, .. } = self;
        let (q, p) = state.values.split_at(charts.shape.coordinates);
        manifold.jacobian(q, jacobian)?;
        manifold.hessian_pp(q, p, masses)?;
        let mut numbers = |values: &[S]| values.iter().map(|&v| machine.value(v)).collect::<Result<Vec<_>, _>>();
        let remembered = numbers(memory.part(Part::Chart, &state.memory).ok_or(Misuse::OtherState)?)?;
        let current: Option<Vec<usize>> = remembered.iter().map(|&k| (k as usize).checked_sub(1)).collect();
        let rows = charts.gradients(&numbers(jacobian)?, &numbers(masses)?);
        let chosen = charts.choose(&rows, current.as_deref())?;
        let changed = current.is_some_and(|current| current != chosen);
        Ok((chosen, changed))
    }

    /// Lifts the own states of a method that chooses its steps, but for the last: it lies at the end of the step, or beyond it,
    /// where the chart may have no position any more.
    fn lift_own_steps(&mut self, n: usize) -> Result<(), Failure> {
        let local = 2 * self.charts.local;
        let own = self.inner.own_steps().unwrap_or_default();
        for state in own[..own.len().saturating_sub(local)].chunks_exact(local) {
            let at = self.own_steps.len();
            self.own_steps.resize(at + n, S::from_f64(0.0));
            self.chart.lift(state, &mut self.own_steps[at..])?;
        }
        Ok(())
    }

    /// A step in the chart that is best at its beginning.
    fn step_in_chart(
        &mut self,
        machine: &mut dyn Machine<S>,
        h: S,
        from: &State<S>,
        to: &mut State<S>,
    ) -> Result<(), Failure> {
        let (chosen, changed) = self.choose(machine, from)?;
        let (inner, n) = (self.inner.memory(), self.charts.shape.coordinates);
        let (one, before) = (S::from_f64(1.0), self.memory.part(Part::ChartChanges, &from.memory));
        let parts = self.memory.parts_mut([Part::Chart, Part::ChartChanges], &mut to.memory);
        let (Some(&[before]), Some([chart, changes])) = (before, parts) else {
            return Err(Misuse::OtherState.into());
        };
        changes.fill(if changed { before + one } else { before });
        clear(&mut self.matrix);
        for (row, &column) in chosen.iter().enumerate() {
            self.matrix[row * n + column] = one;
            chart[row] = S::from_f64(column as f64 + 1.0);
        }
        self.chart.set(&self.matrix, &from.values[..n]);
        self.chart.restrict(&from.values, &mut self.from.values)?;
        clear(&mut self.from.carry);
        self.from.memory.copy_from_slice(&from.memory[..inner]);
        if changed {
            self.inner.forget(&mut self.from.memory);
        }
        self.inner.step(machine, h, &self.from, &mut self.to)?;
        self.chart.lift(&self.to.values, &mut to.values)?;
        clear(&mut to.carry);
        to.memory[..inner].copy_from_slice(&self.to.memory);
        self.lift_own_steps(to.values.len())
    }
}

impl<S: Scalar> Stepper<S> for InCharts<'_, S> {
    fn memory(&self) -> usize {
        self.memory.range(Part::ChartChanges).map_or(0, |range| range.end)
    }

    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        self.own_steps.clear();
        if self.inner.own_steps().is_none() {
            return self.step_in_chart(machine, h, from, to);
        }
        let mut from = from.clone();
        let (mut done, mut part) = (0, FINEST);
        let (mut made, mut failed, mut last) = (0, 0, None);
        loop {
            let (size, known) = (h * S::from_f64(part as f64 / FINEST as f64), self.own_steps.len());
            match self.step_in_chart(machine, size, &from, to) {
                Ok(()) if done + part == FINEST => break,
                Ok(()) => {
                    (done, made) = (done + part, made + 1);
                    part = (2 * part).min(FINEST - done);
                    from.copy_from(to);
                }
                Err(failure @ (Failure::Misused(_) | Failure::Interrupted)) => return Err(failure),
                Err(failure) if part == 1 => return Err(failure),
                Err(failure) => {
                    self.own_steps.truncate(known);
                    (part, failed, last) = (part / 2, failed + 1, Some(failure));
                }
            }
            if let Some(failure) = last.take_if(|_| made.max(failed) >= MOST_PARTS) {
                return Err(failure);
            }
        }
        // The last one lies at the end of the step.
        self.own_steps.extend_from_slice(&to.values);
        Ok(())
    }

    fn own_steps(&self) -> Option<&[S]> {
        self.inner.own_steps().map(|_| &self.own_steps[..])
    }
}

#[cfg(test)]
mod tests {
    use super::eliminated;

    #[test]
    fn pivots_are_the_largest_and_their_product_is_the_determinant() {
        let rows = vec![vec![1.0, 0.0, 2.0], vec![0.0, 3.0, 1.0]];
        // 3, then 2 in what is left.
        let (columns, volume) = eliminated(rows.clone(), vec![0, 1, 2]);
        assert_eq!(columns, [1, 2]);
        assert!((volume - 6f64.ln()).abs() < 1e-15);
        let (columns, volume) = eliminated(rows.clone(), vec![0, 2]);
        assert_eq!(columns, [2, 0]);
        // det [[1, 2], [0, 1]] = 1.
        assert!(volume.abs() < 1e-15);
        assert_eq!(eliminated(rows, vec![0]).1, f64::NEG_INFINITY);
        assert_eq!(eliminated(vec![vec![1.0, 2.0], vec![2.0, 4.0]], vec![0, 1]).1, f64::NEG_INFINITY);
    }
}
