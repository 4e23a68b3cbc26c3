//! The state a run starts from.

use crate::error::CompileError;
use crate::function::{Engine, FunctionBuilder};
use crate::values::{InitialValues, Rates, ValueError, evaluate};
use cotangent_model::{Dynamics, System};
use cotangent_solve::{NewtonError, NewtonOptions, NewtonWorkspace, newton};

/// The state (q, p), or the variables, that initial values describe: velocities become momenta.
pub fn start(system: &System, parameters: &[f64], initial: &InitialValues) -> Result<Vec<f64>, ValueError> {
    let q = &initial.coordinates;
    let p = match (&initial.rates, &system.dynamics) {
        (Rates::None, _) => vec![],
        (Rates::Momenta(p), _) => p.clone(),
        (Rates::Velocities(v), Dynamics::Lagrangian { coordinates, velocities, lagrangian, .. }) => {
            let momentum = lagrangian.gradient(velocities).map_err(CompileError::from)?;
            let inputs = [(coordinates, &q[..]), (velocities, &v[..]), (&system.parameter_layout(), parameters)];
            evaluate(&momentum, &inputs)?
        }
        (Rates::Velocities(v), _) => momenta(system, parameters, q, v)?,
    };
    Ok([q.clone(), p].concat())
}

/// The momenta with H_p(q, p) = v.
fn momenta(system: &System, parameters: &[f64], q: &[f64], v: &[f64]) -> Result<Vec<f64>, ValueError> {
    let Dynamics::Hamiltonian { coordinates, momenta, hamiltonian } = &system.dynamics else { return Ok(vec![]) };
    let velocity = hamiltonian.gradient(momenta).map_err(CompileError::from)?;
    let hessian = velocity.jacobian(momenta).map_err(CompileError::from)?;
    let f = FunctionBuilder::new()
        .input(coordinates)
        .input(momenta)
        .input(&system.parameter_layout())
        .output(&velocity)
        .sparse_output(&hessian)
        .engine(Engine::Tape)
        .compile()?;
    let failed = |reason: String| CompileError::System { name: "the momenta of the initial velocities".into(), reason };
    let Some(pattern) = f.pattern(1) else { return Ok(vec![]) };
    let mut workspace = NewtonWorkspace::new(pattern).map_err(|e| failed(e.to_string()))?;
    let options = NewtonOptions { max_halvings: 40, ..NewtonOptions::default() };
    let (mut p, mut work) = (vec![0.0; v.len()], f.workspace());
    newton(&mut workspace, &options, &mut p, |p, r, j| {
        f.call(&[q, p, parameters], &mut [&mut *r, j], &mut work)?;
        r.iter_mut().zip(v).for_each(|(r, v)| *r -= v);
        Ok(())
    })
    .map_err(|e: NewtonError<ValueError>| match e {
        NewtonError::Callback(inner) => inner,
        other => ValueError::NoMomenta { reason: other.to_string() },
    })?;
    Ok(p)
}
