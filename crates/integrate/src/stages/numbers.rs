//! The coefficients of stage equations in a step of one size.

use super::declaration::Row;
use super::planned::Stages;
use super::terms::Variable;
use crate::vector::zeros;
use cotangent_scalar::Scalar;

/// The coefficients in a step of one size.
pub(super) struct Numbers<S> {
    /// 1/hᵘ, by unknown.
    pub(super) units: Vec<S>,
    /// By point.
    pub(super) parts: Vec<S>,
    pub(super) weights: Vec<S>,
    /// By row.
    pub(super) factors: Vec<S>,
    pub(super) left: Vec<Vec<S>>,
    pub(super) right: Vec<Vec<S>>,
    /// The multiples of blocks in the Jacobian: on the left sides; and by point, those of derivatives.
    pub(super) left_blocks: Vec<S>,
    pub(super) uses: Vec<Vec<S>>,
}

impl<S: Scalar> Numbers<S> {
    /// Room for them.
    pub(super) fn new(stages: &Stages) -> Numbers<S> {
        let d = &stages.declared;
        let by_row = |len: fn(&Row) -> usize| d.rows.iter().map(|row| zeros(len(row))).collect();
        Numbers {
            units: zeros(d.unknowns.len()),
            parts: zeros(d.points.len()),
            weights: zeros(d.points.len()),
            factors: zeros(d.rows.len()),
            left: by_row(|row| if let Row::Increment { left, .. } = row { left.len() } else { 0 }),
            right: by_row(|row| if let Row::Increment { right, .. } = row { right.len() } else { 0 }),
            left_blocks: zeros(stages.left.len()),
            uses: stages.points.iter().map(|p| zeros(p.uses.len())).collect(),
        }
    }

    /// For a step of size h.
    pub(super) fn set(&mut self, stages: &Stages, h: S, given: &[S]) {
        let one = S::from_f64(1.0);
        let declared = &stages.declared;
        for (unit, unknown) in self.units.iter_mut().zip(&declared.unknowns) {
            *unit = (1..unknown.unit).fold(h, |power, _| power * h);
            *unit = if unknown.unit == 0 { one } else { one / *unit };
        }
        for (k, point) in declared.points.iter().enumerate() {
            self.parts[k] = point.part.map_or(one, |part| part.value(given));
            self.weights[k] = point.weight.map_or(one, |weight| h * weight.value(given));
        }
        for (i, row) in declared.rows.iter().enumerate() {
            let Row::Increment { left, right, factor, .. } = row else { continue };
            self.factors[i] = factor.map_or(one, |factor| h * factor.value(given));
            self.left[i].iter_mut().zip(left).for_each(|(d, (_, c))| *d = c.value(given));
            self.right[i].iter_mut().zip(right).for_each(|(a, (_, c))| *a = c.value(given));
        }
        self.set_blocks(stages);
    }

    /// The multiples of the blocks of the Jacobian.
    fn set_blocks(&mut self, stages: &Stages) {
        let declared = &stages.declared;
        for (out, &(_, row, entry)) in self.left_blocks.iter_mut().zip(&stages.left) {
            let Row::Increment { left, .. } = &declared.rows[row] else { continue };
            let (unknown, d) = (left[entry].0, self.left[row][entry]);
            *out = if declared.unknowns[unknown].unit == 0 { d } else { self.units[unknown] * d };
        }
        for (point, evaluation) in stages.points.iter().enumerate() {
            let at = &declared.points[point];
            for (out, u) in self.uses[point].iter_mut().zip(&evaluation.uses) {
                let scale = if at.weight.is_some() { self.weights[point] } else { self.factors[u.row] };
                let term = declared.rows[u.row].term();
                let factor = match u.entry {
                    Some(entry) if term.is_added() => scale * self.right[u.row][entry],
                    Some(entry) => -(scale * self.right[u.row][entry]),
                    None => S::from_f64(1.0),
                };
                let moves = matches!(u.by, Variable::Position | Variable::Momentum);
                let factor = if moves && at.part.is_some() { factor * self.parts[point] } else { factor };
                *out = at.unknown(u.by).map_or(factor, |unknown| factor * self.units[unknown]);
            }
        }
    }
}
