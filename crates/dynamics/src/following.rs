//! The solutions of a step, followed while the step grows.

use crate::failure::Failure;
use crate::machine::{Contraction, Equations, Machine, Map};
use crate::numeric::Numeric;
use crate::plan::{Kind, Site};

/// A machine for steps of growing size from one state: each iteration starts from what its solutions in the smaller
/// steps extrapolate to, instead of the first guess of the method.
///
/// Where the equations of a step have several solutions, as near a singular configuration of a mechanism, that is
/// the one which the state moves to continuously: the smooth continuation of the motion.
pub struct Following<'m> {
    machine: &'m mut Numeric<f64>,
    /// The size of this step, as a part of the whole.
    part: f64,
    /// Iterations solved in this step.
    solved: usize,
    /// For each iteration of a step.
    past: Vec<Past>,
}

/// The last solutions of an iteration, the latest first, each with the size of its step.
type Past = [Option<(f64, Vec<f64>)>; 3];

impl<'m> Following<'m> {
    /// Follows the solutions that a machine finds.
    pub fn new(machine: &'m mut Numeric<f64>) -> Following<'m> {
        Following { machine, part: 0.0, solved: 0, past: vec![] }
    }

    /// Begins with a step of another size, a part of the whole.
    pub fn begin(&mut self, part: f64) {
        (self.part, self.solved) = (part, 0);
    }
}

/// The polynomial through the last solutions, at `part`.
fn extrapolated(past: &Past, part: f64, unknowns: &mut [f64]) {
    let known: Vec<&(f64, Vec<f64>)> = past.iter().flatten().collect();
    if known.is_empty() {
        return;
    }
    for (j, x) in unknowns.iter_mut().enumerate() {
        // Lagrange's formula.
        *x = 0.0;
        for (i, (at, values)) in known.iter().enumerate() {
            let others = known.iter().enumerate().filter(|(k, _)| *k != i);
            let weight: f64 = others.map(|(_, (other, _))| (part - other) / (at - other)).product();
            *x += weight * values[j];
        }
    }
}

impl Machine<f64> for Following<'_> {
    fn newton(&mut self, site: Site, unknowns: &mut [f64], equations: &mut Equations<'_, f64>) -> Result<(), Failure> {
        let which = self.solved;
        self.solved += 1;
        if self.past.len() <= which {
            self.past.resize_with(which + 1, Default::default);
        }
        extrapolated(&self.past[which], self.part, unknowns);
        self.machine.newton(site, unknowns, equations)?;
        let past = &mut self.past[which];
        past.rotate_right(1);
        past[0] = Some((self.part, unknowns.to_vec()));
        Ok(())
    }

    fn fixed_point(&mut self, site: Site, unknowns: &mut [f64], map: &mut Map<'_, f64>) -> Result<(), Failure> {
        self.machine.fixed_point(site, unknowns, map)
    }

    /// Branches are followed by Newton's method.
    fn contract(
        &mut self,
        _: Site,
        unknowns: &mut [f64],
        _: &mut f64,
        equations: &mut dyn Contraction<f64>,
    ) -> Result<(), Failure> {
        equations.otherwise(self, unknowns)
    }

    fn require(&mut self, kind: Kind, residual: &[f64], magnitude: &[f64]) -> Result<(), Failure> {
        self.machine.require(kind, residual, magnitude)
    }

    fn refine(&mut self, on: bool) -> bool {
        self.machine.refine(on)
    }

    fn value(&mut self, x: f64) -> Result<f64, Failure> {
        self.machine.value(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use cotangent_solve::{NewtonOptions, Pattern};

    #[test]
    fn the_solution_that_grows_from_nothing_is_found() {
        // x² = (1 − 2 t)² has the branches x = ±(1 − 2 t), which cross at t = ½. From a guess of its own (here 1)
        // Newton's method finds the positive one at t = 1; the one that is 1 at t = 0 is negative there.
        let mut plan = Plan::new();
        let pattern = Pattern::new(1, 1, &[(0, 0)]).unwrap();
        let site = plan.newton(pattern, vec![(Kind::Constraint, 1)]);
        let mut numeric = Numeric::new(&plan, NewtonOptions::default()).unwrap();
        let solve = |machine: &mut dyn Machine<f64>, t: f64| {
            let mut x = [1.0];
            machine
                .newton(site, &mut x, &mut |x, r, j| {
                    (r[0], j[0]) = (x[0] * x[0] - (1.0 - 2.0 * t).powi(2), 2.0 * x[0]);
                    Ok(())
                })
                .map(|()| x[0])
        };
        assert_eq!(solve(&mut numeric, 1.0), Ok(1.0));
        let mut following = Following::new(&mut numeric);
        let mut last = Ok(0.0);
        for k in 1..=9 {
            following.begin(f64::from(k) / 9.0);
            last = solve(&mut following, f64::from(k) / 9.0);
        }
        assert_eq!(last, Ok(-1.0));
    }
}
