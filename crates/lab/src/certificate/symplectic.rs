//! The tangent map of a step, by dual numbers, on the tangent space of the constraint manifold; in
//! double-double arithmetic, as round-off, which a small step amplifies, is not a property of the
//! method.
//!
//! The tangent space at (q, p) is {(δq, δp): G δq = 0, ψ_q δq + ψ_p δp = 0}, that of J ż = ∇H is {δz: NᵀH_zz δz = 0} with
//! N a basis of ker J; derivatives are taken by dual numbers too.
//!
//! A method that preserves dq∧dp₋ with the momentum before its last half step, p₋ = p + h H_q(q, p), is looked at in these
//! variables.

use super::candidate::Candidate;
use super::reason::Reason;
use super::subject::Subject;
use crate::tangent::SymplecticDefect;
use cotangent_dynamics::Failure;
use cotangent_integrate::residuals;
use cotangent_scalar::{Dd, Dual, Real, Scalar, larger, largest};
use cotangent_solve::{LinearSolver, Pattern, null_space};

/// What a step does to tangent vectors.
#[derive(Clone, Copy, Default)]
pub(super) struct Mapped {
    /// How far it is from keeping what it should keep.
    pub(super) defect: f64,
    /// By how much it stretches a vector at most.
    pub(super) growth: f64,
    /// By which part of it it changes a vector at most.
    pub(super) change: f64,
}

impl Mapped {
    /// With this defect, of these vectors and their images.
    pub(super) fn new<V: AsRef<[Dd]>>(defect: f64, vectors: &[V], images: &[V]) -> Mapped {
        let length = |v: &mut dyn Iterator<Item = Dd>| v.fold(0.0f64, |sum, x| sum.hypot(x.value()));
        let mut mapped = Mapped { defect, ..Mapped::default() };
        for (vector, image) in vectors.iter().map(AsRef::as_ref).zip(images.iter().map(AsRef::as_ref)) {
            let size = length(&mut vector.iter().copied());
            mapped.growth = larger(mapped.growth, length(&mut image.iter().copied()) / size);
            let change = length(&mut image.iter().zip(vector).map(|(&a, &b)| a - b));
            mapped.change = larger(mapped.change, change / size);
        }
        mapped
    }
}

/// The largest change of the form by a step.
pub(super) fn measure<C: Candidate>(subject: &Subject<'_, C>, point: &[Dd], step: f64) -> Result<Mapped, Reason> {
    let (form, units) = form(subject, point)?;
    let vectors = tangent_space(subject, point, &units).map_err(Reason::Step)?;
    let moving = |vector: &Vec<Dd>| -> Vec<Dual<Dd>> {
        let direction: Vec<Dd> = vector.iter().zip(&units).map(|(&v, &u)| v * u).collect();
        seeded(point, &direction)
    };
    let tangent = |state: Vec<Dual<Dd>>| -> Result<Vec<Dd>, Failure> {
        let state = if subject.prepared.is_staggered() { staggered(subject, state, step)? } else { state };
        Ok(state.iter().zip(&units).map(|(d, &u)| d.tangent[0] / u).collect())
    };
    let pushed = |vector: &Vec<Dd>| tangent(subject.walk(&moving(vector), step, 1)?);
    let images = vectors.iter().map(pushed).collect::<Result<Vec<_>, _>>().map_err(Reason::Step)?;
    let own = |vector: &Vec<Dd>| tangent(moving(vector));
    let vectors = vectors.iter().map(own).collect::<Result<Vec<_>, _>>().map_err(Reason::Step)?;
    let defect = form.measure(&vectors, &images).map_err(Reason::Tangent)?.value;
    Ok(Mapped::new(defect, &vectors, &images))
}

/// (q, p₋) with p₋ = p + h H_q(q, p).
fn staggered<C: Candidate>(
    subject: &Subject<'_, C>,
    mut state: Vec<Dual<Dd>>,
    step: f64,
) -> Result<Vec<Dual<Dd>>, Failure> {
    let Some(mut canonical) = subject.problem.view::<Dual<Dd>>().canonical()? else { return Ok(state) };
    let (q, p) = state.split_at_mut(canonical.shape().coordinates);
    let mut force = p.to_vec();
    canonical.hamiltonian_q(q, p, &mut force)?;
    let h = Dual::from_f64(step);
    p.iter_mut().zip(force).for_each(|(p, force)| *p = *p + h * force);
    Ok(state)
}

/// The form that is to be kept, and the units in which it is: positions and momenta each in that of their own size.
fn form<C: Candidate>(subject: &Subject<'_, C>, point: &[Dd]) -> Result<(SymplecticDefect<Dd>, Vec<Dd>), Reason> {
    let n = point.len();
    if subject.problem.nature().halves {
        return Ok((SymplecticDefect::canonical(n / 2), units(point)));
    }
    let mut matrix = vec![Dd::from(0.0); n * n];
    if let Some(mut form) = subject.problem.view::<Dd>().presymplectic().map_err(Reason::Step)? {
        let pattern = form.shape().form.clone();
        let mut values = vec![Dd::from(0.0); pattern.len()];
        form.form(&mut values).map_err(Reason::Step)?;
        let size = largest(values.iter().map(|v| v.value()));
        for ((i, j), &value) in pattern.addresses().zip(&values) {
            matrix[i as usize * n + j as usize] = value / Dd::from(if size == 0.0 { 1.0 } else { size });
        }
    }
    let form = SymplecticDefect::with_form(n, matrix).map_err(Reason::Tangent)?;
    Ok((form, vec![Dd::from(power_of_two(point)); n]))
}

/// The largest position for each position, the largest momentum for each momentum.
fn units(point: &[Dd]) -> Vec<Dd> {
    let (q, p) = point.split_at(point.len() / 2);
    let (q, p) = (vec![power_of_two(q); q.len()], vec![power_of_two(p); p.len()]);
    [q, p].concat().into_iter().map(Dd::from).collect()
}

/// The size of values as a power of two, so that scaling is exact.
fn power_of_two(values: &[Dd]) -> f64 {
    let size = largest(values.iter().map(|v| v.value()));
    if size > 0.0 && size.is_finite() { 2f64.powi(size.log2().floor() as i32) } else { 1.0 }
}

pub(super) fn seeded(point: &[Dd], direction: &[Dd]) -> Vec<Dual<Dd>> {
    point.iter().zip(direction).map(|(&value, &d)| Dual { value, tangent: [d] }).collect()
}

/// What vanishes on a manifold, with its derivative in one direction.
type Residual<'a> = Box<dyn FnMut(&[Dual<Dd>]) -> Result<Vec<Dual<Dd>>, Failure> + 'a>;

/// A basis of the tangent space of φ = ψ = 0, in the given units.
///
/// An orthonormal one in `f64`, each vector then corrected to the tangent space by the least change,
/// v − Aᵀ(AAᵀ)⁻¹A v, where A has the gradients of φ and ψ as rows.
fn tangent_space<C: Candidate>(subject: &Subject<'_, C>, point: &[Dd], units: &[Dd]) -> Result<Vec<Vec<Dd>>, Failure> {
    let size = point.len();
    let unit = |k: usize| (0..size).map(|j| Dd::from(f64::from(u8::from(j == k)))).collect::<Vec<Dd>>();
    let mut residual: Residual<'_> = match subject.form()? {
        Some(mut form) => Box::new(move |z| form.residual(z)),
        None => match subject.manifold::<Dual<Dd>>()?.filter(|m| m.shape().constraints > 0) {
            Some(mut manifold) => Box::new(move |z| residuals(manifold.as_mut(), z)),
            None => return Ok((0..size).map(unit).collect()),
        },
    };
    let mut columns = vec![];
    for k in 0..size {
        columns.push(residual(&seeded(point, &unit(k)))?);
    }
    let rows = columns.first().map_or(0, Vec::len);
    let mut a: Vec<Dd> =
        (0..rows * size).map(|at| columns[at % size][at / size].tangent[0] * units[at % size]).collect();
    // Each row in units of its own.
    for row in a.chunks_mut(size) {
        let size = largest(row.iter().map(|v| v.value()));
        if size > 0.0 {
            row.iter_mut().for_each(|v| *v = *v / Dd::from(size));
        }
    }
    let pattern = Pattern::dense(rows, size).map_err(Failure::of)?;
    let values: Vec<f64> = a.iter().map(|v| v.value()).collect();
    let rough = null_space(&pattern, &values, 1e-12).map_err(Failure::of)?;
    let dot = |u: &[Dd], v: &[Dd]| u.iter().zip(v).fold(Dd::from(0.0), |s, (&u, &v)| s + u * v);
    let row = |i: usize| &a[i * size..(i + 1) * size];
    let mut solver = LinearSolver::new(&Pattern::dense(rows, rows).map_err(Failure::of)?).map_err(Failure::of)?;
    let gram: Vec<Dd> = (0..rows * rows).map(|k| dot(row(k / rows), row(k % rows))).collect();
    solver.factor(&gram).map_err(Failure::of)?;
    let corrected = |v: &Vec<f64>| {
        let mut v: Vec<Dd> = v.iter().map(|&v| Dd::from(v)).collect();
        let mut x: Vec<Dd> = (0..rows).map(|i| dot(row(i), &v)).collect();
        solver.solve(&mut x);
        for (i, &x) in x.iter().enumerate() {
            v.iter_mut().zip(row(i)).for_each(|(v, &a)| *v = *v - a * x);
        }
        v
    };
    Ok(rough.iter().map(corrected).collect())
}
