//! The eigenvalues of a vector field, linearised at the start of a motion.

use cotangent_compile::Tape;
use cotangent_dynamics::{Dynamics, Failure};
use cotangent_problem::Instance;
use cotangent_scalar::Dual;
use cotangent_solve::{EigenvalueError, eigenvalues};

/// Directions at once.
const WIDTH: usize = 4;

/// Why there are no eigenvalues.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SpectrumError {
    /// The equations are solved together with their constraints: there is no vector field.
    #[error("the equations are no vector field")]
    NoField,
    /// It has no value at the start.
    #[error(transparent)]
    Failure(#[from] Failure),
    /// The iteration did not arrive.
    #[error(transparent)]
    Eigenvalues(#[from] EigenvalueError),
}

/// The eigenvalues of f′(z₀) for ż = f(z), by real and then imaginary part; f′ is exact, by dual numbers.
pub fn spectrum(problem: &Instance) -> Result<Vec<[f64; 2]>, SpectrumError> {
    type Number = Dual<f64, WIDTH>;
    let parameters = problem.parameters.iter().map(|&p| Number::constant(p)).collect();
    let field = problem.equations.compiled.view(Tape, parameters).field()?;
    let mut field = field.ok_or(SpectrumError::NoField)?;
    let point = &problem.start;
    let mut rows = vec![vec![0.0; point.len()]; point.len()];
    for first in (0..point.len()).step_by(WIDTH) {
        let seed = |i: usize| std::array::from_fn(|k| f64::from(u8::from(i == first + k)));
        let z: Vec<Number> = point.iter().enumerate().map(|(i, &value)| Dual { value, tangent: seed(i) }).collect();
        let mut f = vec![Number::constant(0.0); z.len()];
        field.rate(&z, &mut f)?;
        for (row, rate) in rows.iter_mut().zip(&f) {
            row.iter_mut().skip(first).zip(rate.tangent).for_each(|(entry, slope)| *entry = slope);
        }
    }
    let mut found = eigenvalues(&rows)?;
    found.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    Ok(found)
}
