//! How far a step φ is from a Poisson map, φ′(z) B(z) φ′(z)ᵀ = B(φ(z)), by its tangent map in double-double arithmetic.

use super::candidate::Candidate;
use super::reason::Reason;
use super::subject::Subject;
use super::symplectic::{Mapped, seeded};
use cotangent_dynamics::{Failure, Poisson};
use cotangent_scalar::{Dd, Real, larger};

/// The largest entry of φ′Bφ′ᵀ − B∘φ, relative to the terms of its sums.
pub(super) fn measure<C: Candidate>(subject: &Subject<'_, C>, point: &[Dd], step: f64) -> Result<Mapped, Reason> {
    defect(subject, point, step).map_err(Reason::Step)
}

fn defect<C: Candidate>(subject: &Subject<'_, C>, point: &[Dd], step: f64) -> Result<Mapped, Failure> {
    let n = point.len();
    let zero = Dd::from(0.0);
    let Some(mut system) = subject.problem.view::<Dd>().poisson()? else { return Ok(Mapped::default()) };
    let unit = |k: usize| (0..n).map(|j| Dd::from(f64::from(u8::from(j == k)))).collect::<Vec<Dd>>();
    let mut columns = vec![];
    for k in 0..n {
        let image = subject.walk(&seeded(point, &unit(k)), step, 1)?;
        columns.push(image.iter().map(|d| d.tangent[0]).collect::<Vec<Dd>>());
    }
    let end = subject.walk(point, step, 1)?;
    let (before, after) = (full(system.as_mut(), point)?, full(system.as_mut(), &end)?);
    // φ′B, and the sizes of its terms.
    let mut pushed = vec![(zero, 0.0); n * n];
    for i in 0..n {
        for k in 0..n {
            let terms = (0..n).map(|j| columns[j][i] * before[j * n + k]);
            pushed[i * n + k] = terms.fold((zero, 0.0), |(sum, size), t| (sum + t, size + t.value().abs()));
        }
    }
    let (mut worst, mut terms) = (0.0, 0.0);
    for i in 0..n {
        for j in 0..n {
            let products = (0..n).map(|k| (pushed[i * n + k], columns[k][j]));
            let (image, size) =
                products.fold((zero, 0.0), |(sum, size), ((b, s), d)| (sum + b * d, size + s * d.value().abs()));
            worst = larger(worst, (image - after[i * n + j]).value().abs());
            terms = larger(larger(terms, size), after[i * n + j].value().abs());
        }
    }
    let units: Vec<Vec<Dd>> = (0..n).map(unit).collect();
    Ok(Mapped::new(if worst == 0.0 { 0.0 } else { worst / terms }, &units, &columns))
}

/// B(z), row by row.
fn full(system: &mut dyn Poisson<Dd>, z: &[Dd]) -> Result<Vec<Dd>, Failure> {
    let pattern = system.shape().tensor.clone();
    let mut values = vec![Dd::from(0.0); pattern.len()];
    system.tensor(z, &mut values)?;
    let mut matrix = vec![Dd::from(0.0); z.len() * z.len()];
    for ((i, j), &value) in pattern.addresses().zip(&values) {
        matrix[i as usize * z.len() + j as usize] = value;
    }
    Ok(matrix)
}
