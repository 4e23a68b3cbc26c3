//! A solution under way: how long the next step is and how far it is extrapolated.

use cotangent_scalar::{Real, larger, largest};

use super::ReferenceError;
use super::control::{FEWEST_ROWS, Record};
use super::extrapolation::{Table, Value, amplification, most_rows};
use super::rates::{Counted, Failed};

/// After so many failures in a row a step is given up.
const MOST_REJECTIONS: u32 = 60;

/// One solution of the initial value problem.
pub(super) struct Trajectory<S> {
    pub(super) steps: u64,
    pub(super) rejected: u64,
    value: Value,
    tolerance: f64,
    most_rows: usize,
    state: Vec<S>,
    time: S,
    /// The size of the next step; zero before the first.
    step: f64,
    /// The row at which the next step should be good enough.
    row: usize,
    /// The largest |zᵢ| so far.
    sizes: Vec<f64>,
    /// The scale sᵢ of the last accepted step: the largest size of its block, or what rounding errors ask for.
    scales: Vec<f64>,
    /// So many components, one after the other, are of one unit.
    block: usize,
    table: Table<S>,
}

impl<S: Real> Trajectory<S> {
    pub(super) fn new(initial: &[S], tolerance: f64, block: usize, value: Value) -> Self {
        let most_rows = most_rows(S::EPSILON, tolerance);
        let sizes: Vec<f64> = initial.iter().map(|z| z.value().abs()).collect();
        // Hairer, Nørsett & Wanner's first guess for the order.
        let row = (0.6 * -tolerance.log10() + 1.5) as usize;
        Self {
            steps: 0,
            rejected: 0,
            value,
            tolerance,
            most_rows,
            state: initial.to_vec(),
            time: S::from_f64(0.0),
            step: 0.0,
            row: row.clamp(FEWEST_ROWS, most_rows),
            scales: sizes.clone(),
            block,
            sizes,
            table: Table::new(initial.len()),
        }
    }

    pub(super) fn state(&self) -> &[S] {
        &self.state
    }

    /// |zᵢ − z̃ᵢ|, or the rounding error of zᵢ.
    pub(super) fn distances(&self, other: &Self) -> Vec<f64> {
        let pairs = self.state.iter().zip(&other.state);
        pairs.zip(&self.sizes).map(|((&a, &b), size)| larger((a - b).value().abs(), S::EPSILON * size)).collect()
    }

    /// Errors of the components by their scales.
    pub(super) fn relative(&self, errors: &[f64]) -> impl Iterator<Item = f64> {
        errors.iter().zip(&self.scales).map(|(&error, &scale)| if error == 0.0 { 0.0 } else { error / scale })
    }

    /// Goes on to `target`, exactly.
    pub(super) fn advance<E>(&mut self, rates: &mut Counted<'_, '_, S, E>, target: S) -> Result<(), ReferenceError<E>> {
        let mut start = self.state.clone();
        while !(target - self.time).is_zero() {
            let now = self.time.value();
            rates.evaluate(&self.state, &mut start).map_err(|failed| failed.at(now))?;
            self.guess_step(&start, (target - self.time).value().abs());
            let noise = self.noise(rates, &start).map_err(|failed| failed.at(now))?;
            self.make_step(rates, target, &start, &noise)?;
        }
        Ok(())
    }

    /// Before the first step: a tenth or so of the time in which the rates would double the state, or
    /// a millionth of the whole.
    fn guess_step(&mut self, start: &[S], left: f64) {
        if self.step > 0.0 {
            return;
        }
        let size = |values: &[S]| largest(values.iter().map(|z| z.value()));
        // Different first steps of the two solutions keep all their steps different.
        let part = if self.value == Value::Last { 0.1 } else { 0.07 };
        let guess = part * size(&self.state) / size(start);
        self.step = if guess > 0.0 { guess.clamp(1e-6 * left, left) } else { left };
        for (size, rate) in self.sizes.iter_mut().zip(start) {
            *size = size.max(self.step * rate.value().abs());
        }
    }

    /// The rounding error of each rate: |f(z + δ) − f(z)| and |f|, for δ of the size of rounding
    /// errors (found with a larger δ). Components are moved by different amounts, lest effects of
    /// equal ones cancel. Where f is not defined at z + δ, that part is left out.
    fn noise<E>(&mut self, rates: &mut Counted<'_, '_, S, E>, start: &[S]) -> Result<Vec<f64>, Failed<E>> {
        let shift = S::EPSILON.sqrt();
        let golden = |i: usize| 0.5 + (i as f64 * 0.618_033_988_749_895).fract();
        let moved = self.state.iter().zip(&self.sizes).enumerate();
        let moved: Vec<S> = moved.map(|(i, (&z, size))| z + S::from_f64(shift * golden(i) * size)).collect();
        let mut slope = start.to_vec();
        let change: Vec<f64> = match rates.evaluate(&moved, &mut slope) {
            Ok(()) => slope.iter().zip(start).map(|(&a, &b)| (a - b).value().abs() / shift).collect(),
            Err(Failed::Budget { evaluations }) => return Err(Failed::Budget { evaluations }),
            Err(_) => vec![0.0; start.len()],
        };
        Ok(change.iter().zip(start).map(|(change, rate)| S::EPSILON * (change + rate.value().abs())).collect())
    }

    /// One step towards `target`, made smaller until it is good enough.
    fn make_step<E>(
        &mut self,
        rates: &mut Counted<'_, '_, S, E>,
        target: S,
        start: &[S],
        noise: &[f64],
    ) -> Result<(), ReferenceError<E>> {
        let time = self.time.value();
        let resolution = 4.0 * S::EPSILON * time.abs().max(target.value().abs());
        let remaining = target - self.time;
        let left = remaining.value().abs();
        let mut excess = f64::INFINITY;
        let mut failure = None;
        for _ in 0..MOST_REJECTIONS {
            let last = self.step >= 0.999 * left;
            // Two equal steps rather than one long and one short.
            let size = if last { left } else { self.step.min(0.5 * left) };
            if !last && size <= resolution {
                let too_small = ReferenceError::StepTooSmall { time, step: size };
                return Err(failure.map_or(too_small, |failed: Failed<E>| failed.at(time)));
            }
            let step = if last { remaining } else { S::from_f64(size.copysign(remaining.value())) };
            match self.attempt(rates, start, noise, step) {
                Ok(record) if record.accepted() => {
                    self.accept(step, noise, record.rows());
                    self.time = if last { target } else { self.time + step };
                    // A step cut short by the target says nothing about the next.
                    if size > 0.9 * self.step {
                        let plan = record.next(self.most_rows);
                        (self.step, self.row) = (size * plan.factor, plan.row);
                    }
                    return Ok(());
                }
                Ok(record) => {
                    let plan = record.again();
                    (self.step, self.row) = (size * plan.factor, plan.row);
                    excess = record.last();
                    failure = None;
                }
                Err(Failed::Budget { evaluations }) => return Err(ReferenceError::Budget { evaluations, time }),
                Err(failed) => {
                    self.step = 0.25 * size;
                    failure = Some(failed);
                }
            }
            self.rejected += 1;
        }
        let not_converged = ReferenceError::NotConverged { time, step: self.step, excess };
        Err(failure.map_or(not_converged, |failed| failed.at(time)))
    }

    /// Extrapolates until the step is good enough or will not be.
    fn attempt<E>(
        &mut self,
        rates: &mut Counted<'_, '_, S, E>,
        start: &[S],
        noise: &[f64],
        step: S,
    ) -> Result<Record, Failed<E>> {
        let limit = (self.row + 1).min(self.most_rows);
        let mut record = Record::default();
        self.table.clear();
        self.table.add_row(rates, &self.state, start, step)?;
        for row in 2..=limit {
            self.table.add_row(rates, &self.state, start, step)?;
            record.push(self.excess(row, noise, step));
            if record.accepted() || record.hopeless(limit) {
                break;
            }
        }
        Ok(record)
    }

    /// The largest difference of the last two extrapolated values, in tolerances.
    fn excess(&self, row: usize, noise: &[f64], step: S) -> f64 {
        let scales = self.step_scales(row, noise, step).into_iter().map(|(_, scale)| scale);
        let worst =
            largest(self.table.differences().zip(scales).map(|(difference, scale)| {
                if difference == 0.0 { 0.0 } else { difference / (self.tolerance * scale) }
            }));
        if worst.is_nan() { f64::INFINITY } else { worst }
    }

    /// The size and the scale of each component after this step.
    fn step_scales(&self, row: usize, noise: &[f64], step: S) -> Vec<(f64, f64)> {
        let grown = amplification(row) * step.value().abs() / self.tolerance;
        let ends = self.state.iter().zip(self.table.increments(self.value));
        let ends = ends.map(|(&z, increment)| (z + increment).value().abs());
        let sizes: Vec<f64> = ends.zip(&self.sizes).map(|(end, size)| size.max(end)).collect();
        let shared = sizes.chunks(self.block.max(1)).flat_map(|block| vec![largest(block); block.len()]);
        let scales = shared.zip(noise).map(|(size, noise)| size.max(grown * noise));
        sizes.iter().copied().zip(scales).collect()
    }

    fn accept(&mut self, step: S, noise: &[f64], row: usize) {
        let scales = self.step_scales(row, noise, step);
        for (i, (increment, (size, scale))) in self.table.increments(self.value).zip(scales).enumerate() {
            self.state[i] = self.state[i] + increment;
            self.sizes[i] = size;
            self.scales[i] = self.scales[i].max(scale);
        }
        self.steps += 1;
    }
}
