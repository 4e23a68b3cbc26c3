//! What helps where a step cannot be made, whose stages are iterated, or with a lapse: that is found by trying.

use crate::figures::short;
use cotangent_compile::Native;
use cotangent_dynamics::{Advance, Dynamics, Failure, FailureKind, Measure};
use cotangent_expr::Layout;
use cotangent_integrate::{Method, Prepared, StageSolver};
use cotangent_problem::Instance;

/// Steps are halved, and ε is doubled, so often.
const TRIES: i32 = 12;

/// Which bound the step violates, and which smaller step or larger ε could be made from the last state; `None` if there
/// is nothing to say.
pub(super) fn remedy(
    problem: &Instance,
    prepared: &Prepared,
    state: &[f64],
    step: f64,
    failure: &Failure,
) -> Option<String> {
    if matches!(failure, Failure::FixedPoint { .. }) && prepared.recipe().stage_solver == Some(StageSolver::FixedPoint)
    {
        return Some(
            "the iteration for the stages does not contract: leave out --stage-solver, or take --stage-solver newton, or a \
             smaller --step"
                .to_owned(),
        );
    }
    let motion = &problem.equations.motion;
    let lapse = motion.lapse.as_ref()?;
    // A smaller step only comes nearer to where a lapse vanishes.
    if failure.kind() == FailureKind::Standstill {
        return Some("the lapse vanishes where the motion goes: take another --lapse".to_owned());
    }
    let mut parts = vec![];
    if prepared.method() == Method::HamiltonPontryagin && failure.kind() == FailureKind::NotConverged {
        // In several degrees of freedom it is a bound on ∇Γ in all directions.
        let one = lapse.time == 1;
        let slope = one.then(|| slope(problem, state, step).ok().flatten()).flatten();
        let slope = slope.map_or(String::new(), |slope| format!(", and h dΓ/dt is about {} here", short(slope)));
        let bound = if one { ", h dΓ/dt > -1/2" } else { "" };
        parts.push(format!(
            "the equation for the momenta has a real solution only where the lapse does not fall too fast{bound}{slope}"
        ));
    }
    let smaller = (1..=TRIES).map(|k| step / 2f64.powi(k)).find(|h| can(problem, prepared, state, *h));
    if let Some(h) = smaller {
        parts.push(format!("from there a step of {} can be made (--step)", short(h)));
    }
    let (name, epsilon) = problem.formulation.numbers().into_iter().next()?;
    let number = Layout::new(vec![motion.numbers.arrays().first()?.clone()]);
    if lapse.pace.depends_on(&number) {
        let larger = (1..=TRIES).map(|k| epsilon.max(f64::MIN_POSITIVE) * 2f64.powi(k));
        let fits = |value: &f64| problem.with_number(name, *value).is_ok_and(|p| can(&p, prepared, state, step));
        if let Some(value) = larger.into_iter().find(fits) {
            parts.push(format!("with --opt {name}={} this one can", short(value)));
        }
    }
    match parts.is_empty() {
        true => Some("no smaller step can be made from there either: take another --lapse".to_owned()),
        false => Some(parts.join("; ")),
    }
}

/// Whether a step from a state can be made, and time passes at its end.
fn can(problem: &Instance, prepared: &Prepared, from: &[f64], h: f64) -> bool {
    let (Ok(mut integrator), Ok(mut quantities)) = (problem.integrator(prepared), problem.diagnostics()) else {
        return false;
    };
    let mut state = integrator.state(from.to_vec());
    integrator.advance(&mut state, h, 1).is_ok() && quantities.pace(&state.values).is_ok_and(|pace| pace > 0.0)
}

/// h dΓ/dt at the end of a step of the positions, with the momenta that the force leaves there.
fn slope(problem: &Instance, state: &[f64], h: f64) -> Result<Option<f64>, Failure> {
    let view = problem.equations.compiled.view(Native, problem.parameters.clone());
    let Some(mut canonical) = view.canonical()? else { return Ok(None) };
    let Ok(mut quantities) = problem.diagnostics() else { return Ok(None) };
    let n = canonical.shape().coordinates;
    let (q, p) = state.split_at(n);
    let mut rate = vec![0.0; n];
    canonical.hamiltonian_p(q, p, &mut rate)?;
    let end: Vec<f64> = q.iter().zip(&rate).map(|(q, v)| q + h * v).collect();
    canonical.hamiltonian_q(&end, p, &mut rate)?;
    let kicked: Vec<f64> = p.iter().zip(&rate).map(|(p, f)| p - h * f).collect();
    canonical.hamiltonian_p(&end, &kicked, &mut rate)?;
    let mut at = |part: f64| {
        let moved = end.iter().zip(&rate).map(|(q, v)| q + part * v);
        quantities.pace(&moved.chain(kicked.iter().copied()).collect::<Vec<_>>())
    };
    // A difference along q′ = Γ q̇.
    let part = 1e-4 * h;
    let slope = (at(part)? - at(-part)?) / (2.0 * part);
    Ok(Some(h * slope / at(0.0)?).filter(|slope| slope.is_finite()))
}
