//! Configurations q* where several constraints depend on the others at once.
//!
//! With S the scaled Q, the vectors l_k of the least eigenvalues are combinations of the constraints whose gradients Gᵀl_k vanish in
//! q*. It is found by Newton's method for Gᵀl_k = 0 in the plane of v and n_k = H_pp Gᵀl_k, which for one degree of freedom is the
//! tangent space of all else, to which it is brought back with the other eigenvectors. What keeps to its branch there goes straight on:
//! a double parallelogram that turns uniformly is in q* when both lie flat. Which branches there are is told by [`forms`](super::forms).

use super::Conditioning;
use super::branch::Passed;
use super::face::{Face, Gradients, dot};
use super::forms::Forms;
use super::nearest::UNITS;
use cotangent_compile::CallError;
use cotangent_dynamics::Branch;
use cotangent_solve::spectrum;

/// Parts of a mechanism with more constraints are not looked at so closely.
const MOST: usize = 64;
/// Eigenvalues of S below this one may vanish nearby: gradients within a quarter of a radian.
const SMALL: f64 = 0.05;
/// An eigenvalue from which no direction is known to half the digits.
const LOST: f64 = 1e-14;
/// Numbers of combinations that are tried.
const TRIED: usize = 3;
/// Newton's method for q*: so many iterations, until a correction is this part of the step.
const NEWTON: (usize, f64) = (12, 1e-6);
/// What is left of the gradients in q*, relative to what they change by in a step.
const LEFT: f64 = 1e-4;
/// The least curvature, relative to the largest, with which a configuration is a point.
const FLAT: f64 = 1e-8;
/// What is further away than so many steps is not passed, or not looked for.
const NEAR: f64 = 2.0;
const FAR: f64 = 4.0;

/// What became of a motion where several constraints depend on the others.
pub(super) struct Route {
    pub(super) crossed: bool,
    /// Whether its branch goes on as it came, or back; none if it is another one.
    forth: Option<bool>,
}

impl Route {
    pub(super) fn branch(&self, passed: &Passed, is_one: bool) -> Branch {
        match self.forth {
            Some(true) if !(is_one && passed.reflected) => Branch::Kept,
            Some(false) if !is_one || passed.slowed => Branch::Kept,
            _ => Branch::Left,
        }
    }
}

/// l_k with the eigenvalues of S, in ascending order.
type Combinations = Vec<(f64, Vec<f64>)>;

impl Conditioning {
    /// How a step of the length `step` with these velocities goes by such a configuration; none if there is none, or nothing is known.
    pub(super) fn route(
        &mut self,
        gradients: &mut Gradients,
        constraint: usize,
        (from, ends): (usize, [&[f64]; 2]),
        (velocities, step): (&[Vec<f64>; 2], f64),
    ) -> Result<Option<Route>, CallError> {
        let [n, m] = gradients.parts.sizes(constraint);
        if !(2..=MOST).contains(&m) || n != m + 1 || step.is_nan() || step <= 0.0 {
            return Ok(None);
        }
        let mut from = from;
        let mut first = self.combinations(gradients, constraint, ends[from])?;
        if first[0].0 < LOST {
            from = 1 - from;
            first = self.combinations(gradients, constraint, ends[from])?;
        }
        if !(first[0].0 >= LOST && first[1].0 < SMALL) {
            return Ok(None);
        }
        let gap = |r: usize| first.get(r).map_or(1.0, |next| next.0) / first[r - 1].0;
        let mut ranks: Vec<usize> = (2..=m).filter(|r| first[r - 1].0 < SMALL).collect();
        ranks.sort_by(|a, b| gap(*b).total_cmp(&gap(*a)));
        for r in ranks.into_iter().take(TRIED) {
            let route = self.route_by(gradients, constraint, (from, ends), (velocities, step), &first[..r])?;
            if route.is_some() {
                return Ok(route);
            }
        }
        Ok(None)
    }

    fn route_by(
        &mut self,
        gradients: &mut Gradients,
        constraint: usize,
        (from, ends): (usize, [&[f64]; 2]),
        (velocities, step): (&[Vec<f64>; 2], f64),
        first: &[(f64, Vec<f64>)],
    ) -> Result<Option<Route>, CallError> {
        let (n, r) = (gradients.columns(), first.len());
        let mut at = ends[from].to_vec();
        let mut axes = vec![velocities[from].clone()];
        for (_, l) in first {
            axes.push(self.seen_along(gradients, &at, l)?.n);
        }
        let (mut by, mut shifted, mut size) = (step, f64::INFINITY, 0.0);
        let (mut bent, mut shift) = (vec![0.0; n], vec![0.0; n]);
        let mut forms = vec![];
        for _ in 0..NEWTON.0 {
            let all = self.combinations(gradients, constraint, &at)?;
            let (lost, others) = all.split_at(r);
            if others.first().is_some_and(|other| other.0 < LOST) {
                return Ok(None);
            }
            let mut faces = vec![];
            let mut is_level = true;
            for (_, l) in lost {
                let face = self.seen_along(gradients, &at, l)?;
                let [level, rounding] = gradients.level(&at, &self.parameters, l)?;
                is_level &= level.abs() <= UNITS * rounding + size * shifted * shifted;
                faces.push(face);
            }
            let phi: Vec<f64> = gradients.constraints().iter().map(|phi| -phi).collect();
            gradients.shift(&among(others, &phi), &mut shift);
            if !gradients.weigh() || !make_orthonormal(gradients, others, &mut axes) {
                return Ok(None);
            }
            if shifted <= NEWTON.1 * step {
                let left = faces.iter().flat_map(|face| axes.iter().map(|axis| dot(axis, &face.r).abs()));
                let is_singular = left.fold(0.0, f64::max) <= LEFT * size * step;
                let forms = if is_level && is_singular { Forms::new(forms) } else { None };
                let Some(forms) = forms else { return Ok(None) };
                return Ok(self.led(gradients, (&at, &axes), (ends, velocities, step), &forms));
            }
            forms.clear();
            for face in &faces {
                let mut form = vec![];
                for axis in &axes {
                    gradients.bend(face, &at, &self.parameters, (axis, by), &mut bent)?;
                    form.push(axes.iter().map(|other| dot(other, &bent)).collect::<Vec<f64>>());
                }
                forms.push(form);
            }
            size = forms.iter().flatten().flatten().fold(0.0f64, |size, entry| size.max(entry.abs()));
            let residuals: Vec<Vec<f64>> =
                faces.iter().map(|face| axes.iter().map(|axis| dot(axis, &face.r)).collect()).collect();
            let Some(change) = least_squares(&forms, &residuals) else { return Ok(None) };
            for (alpha, axis) in change.iter().zip(&axes) {
                shift.iter_mut().zip(axis).for_each(|(shift, axis)| *shift += alpha * axis);
            }
            at.iter_mut().zip(&shift).for_each(|(q, shift)| *q += shift);
            shifted = dot(&change, &change).sqrt();
            by = shifted.clamp(1e-5 * step, step);
            let apart = gradients.way(ends[from], &at);
            let distance = gradients.weighed(&apart, &apart).sqrt();
            if !(distance.is_finite() && distance <= FAR * step) {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// Where a motion is led that comes by q*, with these axes of its tangent space.
    fn led(
        &self,
        gradients: &mut Gradients,
        (at, axes): (&[f64], &[Vec<f64>]),
        (ends, velocities, step): ([&[f64]; 2], &[Vec<f64>; 2], f64),
        forms: &Forms,
    ) -> Option<Route> {
        let ways = ends.map(|end| gradients.way(at, end));
        let mut along = |w: &[f64]| -> Vec<f64> { axes.iter().map(|axis| gradients.weighed(axis, w)).collect() };
        let [first, last] = velocities.each_ref().map(|v| forms.branch(&along(v)));
        let (first, last) = (first?, last?);
        let forth = first.is_along(&last);
        let places = ways.map(|way| along(&way));
        let is_near = places.iter().any(|place| dot(place, place).sqrt() <= NEAR * step);
        let crossed = dot(&places[0], &first.direction) < 0.0 && dot(&places[1], &last.direction) > 0.0;
        (is_near || forth.is_some()).then_some(Route { crossed: crossed && forth == Some(true), forth })
    }

    /// The combinations of the constraints of a part at a state.
    fn combinations(
        &mut self,
        gradients: &Gradients,
        constraint: usize,
        state: &[f64],
    ) -> Result<Combinations, CallError> {
        self.evaluate(state)?;
        let parts = &gradients.parts.rows;
        let rows: Vec<usize> = (0..parts.len()).filter(|row| parts[*row] == parts[constraint]).collect();
        let places: Vec<Option<usize>> = (0..parts.len()).map(|row| rows.iter().position(|own| *own == row)).collect();
        let scales: Vec<f64> = rows.iter().map(|row| 1.0 / self.largest[*row].sqrt()).collect();
        let mut scaled = vec![vec![0.0; rows.len()]; rows.len()];
        for ((i, j), value) in self.solver.pattern().addresses().zip(&self.values) {
            if let (Some(i), Some(j)) = (places[i as usize], places[j as usize]) {
                scaled[i][j] = scales[i] * value * scales[j];
            }
        }
        let whole = |x: Vec<f64>| {
            let mut l = vec![0.0; parts.len()];
            rows.iter().zip(&scales).zip(x).for_each(|((row, scale), x)| l[*row] = scale * x);
            l
        };
        // Rounding may leave an eigenvalue below zero.
        let all = spectrum(scaled).into_iter().map(|(value, x)| (value.max(f64::MIN_POSITIVE), whole(x)));
        Ok(all.collect())
    }

    /// What is seen at a state of a combination of the constraints.
    fn seen_along(&self, gradients: &mut Gradients, state: &[f64], l: &[f64]) -> Result<Face, CallError> {
        let mut face = Face::new(l.len(), gradients.columns());
        face.c.copy_from_slice(l);
        gradients.look(state, &self.parameters, &mut face)?;
        Ok(face)
    }
}

/// The solution y of Q y = x for a multiple of these combinations.
fn among(combinations: &[(f64, Vec<f64>)], x: &[f64]) -> Vec<f64> {
    let mut y = vec![0.0; x.len()];
    for (value, l) in combinations {
        let part = dot(l, x) / value;
        y.iter_mut().zip(l).for_each(|(y, l)| *y += part * l);
    }
    y
}

/// Projects axes onto the tangent space of all but the combinations that vanish, where was looked at last, as an orthonormal basis;
/// whether it is one.
fn make_orthonormal(gradients: &mut Gradients, others: &[(f64, Vec<f64>)], axes: &mut [Vec<f64>]) -> bool {
    let mut normal = vec![0.0; gradients.columns()];
    for k in 0..axes.len() {
        let (known, rest) = axes.split_at_mut(k);
        let Some(axis) = rest.first_mut() else { return false };
        let mut rates = others.first().map_or(vec![], |(_, l)| vec![0.0; l.len()]);
        if !others.is_empty() {
            gradients.rates(axis, &mut rates);
            gradients.shift(&among(others, &rates), &mut normal);
            axis.iter_mut().zip(&normal).for_each(|(x, normal)| *x -= normal);
        }
        for other in known.iter() {
            let along = gradients.weighed(other, axis);
            axis.iter_mut().zip(other).for_each(|(x, other)| *x -= along * other);
        }
        let size = gradients.weighed(axis, axis).sqrt();
        if !(size.is_finite() && size > 0.0) {
            return false;
        }
        axis.iter_mut().for_each(|x| *x /= size);
    }
    true
}

/// The change x that makes all r_k + A_k x least, in proportion to the A_k; none if these vanish along a direction.
fn least_squares(forms: &[Vec<Vec<f64>>], residuals: &[Vec<f64>]) -> Option<Vec<f64>> {
    let n = forms.first()?.len();
    let (mut normal, mut side) = (vec![vec![0.0; n]; n], vec![0.0; n]);
    for (form, residual) in forms.iter().zip(residuals) {
        let square: f64 = form.iter().map(|row| dot(row, row)).sum();
        for ((row, side), normal) in form.iter().zip(&mut side).zip(&mut normal) {
            *side -= dot(row, residual) / square;
            normal.iter_mut().zip(form).for_each(|(entry, other)| *entry += dot(row, other) / square);
        }
    }
    if !normal.iter().flatten().chain(&side).all(|x| x.is_finite()) {
        return None;
    }
    let all = spectrum(normal);
    if all.first()?.0 <= FLAT * all.last()?.0 {
        return None;
    }
    let mut change = vec![0.0; n];
    for (value, x) in &all {
        let part = dot(x, &side) / value;
        change.iter_mut().zip(x).for_each(|(change, x)| *change += part * x);
    }
    Some(change)
}
