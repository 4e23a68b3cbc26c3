//! The midpoint rule on a ring, O(n) operations a step.
//!
//! Both [`Galerkin`](super::Galerkin)'s and [`Reduced`](super::Reduced)'s equations are A(y)ẏ = b(y) with an A that couples
//! neighbours, and an inverse that is full. So the equations of a step are solved with A on their left side: for half the
//! increment, d, row i of 2A(y + d) d = h b(y + d) has the nodes i − 1, i, i + 1, and the Jacobian has three diagonals and
//! two corners. Where A is constant and symmetric, or antisymmetric, a quadratic energy is kept to round-off.

use crate::error::FieldsError;
use cotangent_dynamics::{Advance, Failure, Kind, Machine, Misuse, Numeric, Plan, Site, State, Stepper, carried};
use cotangent_scalar::{Cancel, Dual, Scalar};
use cotangent_solve::{NewtonOptions, Pattern};

/// Equations A(y)ẏ = b(y) on a ring of nodes.
pub trait Ring {
    /// The number of nodes.
    fn nodes(&self) -> usize;

    /// Row i of A(y)v − h b(y), perhaps times a number, from y and v at the nodes i − 1, i, i + 1.
    fn row<S: Scalar>(&self, y: [S; 3], v: [S; 3], h: S) -> S;

    /// Refuses states where A has no inverse.
    fn check(&self, y: &[f64]) -> Result<(), FieldsError>;
}

/// The midpoint rule for equations on a ring, solved to round-off.
pub struct Midpoint<R> {
    rows: Rows<R>,
    machine: Numeric<f64>,
    next: State<f64>,
}

impl<R: Ring + Clone> Midpoint<R> {
    /// The method for a system.
    pub fn new(system: &R) -> Result<Midpoint<R>, Failure> {
        let nodes = system.nodes();
        let n = u32::try_from(nodes).map_err(Failure::of)?;
        let row = |i: u32| around(i, n).map(|j| (i, j));
        let addresses: Vec<(u32, u32)> = (0..n).flat_map(row).collect();
        let pattern = Pattern::new(nodes, nodes, &addresses).map_err(Failure::of)?;
        let position = |&(i, j): &(u32, u32)| pattern.position(i as usize, j as usize).unwrap_or(usize::MAX);
        let positions = addresses.iter().map(position).collect();
        let mut plan = Plan::new();
        let site = plan.newton(pattern, vec![(Kind::State, nodes)]);
        let machine = Numeric::new(&plan, NewtonOptions::default())?;
        Ok(Midpoint { rows: Rows { system: system.clone(), positions, site }, machine, next: State::default() })
    }
}

/// i − 1, i, i + 1 on the ring 0..n.
fn around(i: u32, n: u32) -> [u32; 3] {
    [(i + n - 1) % n, i, (i + 1) % n]
}

struct Rows<R> {
    system: R,
    /// Where the three entries of each row stand in the pattern.
    positions: Vec<usize>,
    site: Site,
}

impl<S: Scalar, R: Ring> Stepper<S> for Rows<R> {
    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let n = self.system.nodes();
        let two = S::from_f64(2.0);
        let constant = Dual::<S, 3>::constant;
        let (system, positions) = (&self.system, &self.positions);
        let mut half = vec![S::from_f64(0.0); n];
        machine.newton(self.site, &mut half, &mut |d, residual, jacobian| {
            for i in 0..n {
                let nodes = [if i == 0 { n - 1 } else { i - 1 }, i, if i + 1 == n { 0 } else { i + 1 }];
                let d: [Dual<S, 3>; 3] = std::array::from_fn(|k| Dual::variable(d[nodes[k]], k));
                let y = std::array::from_fn(|k| constant(from.values[nodes[k]]) + d[k]);
                let row = system.row(y, d.map(|d| constant(two) * d), constant(h));
                residual[i] = row.value;
                for (k, &slope) in row.tangent.iter().enumerate() {
                    if let Some(entry) = jacobian.get_mut(positions[3 * i + k]) {
                        *entry = slope;
                    }
                }
            }
            Ok(())
        })?;
        for i in 0..n {
            (to.values[i], to.carry[i]) = carried(from.values[i], from.carry[i], two * half[i]);
        }
        Ok(())
    }
}

impl<R: Ring> Advance for Midpoint<R> {
    fn state(&self, values: Vec<f64>) -> State<f64> {
        State::new(values, 0)
    }

    fn advance(&mut self, state: &mut State<f64>, h: f64, steps: u64) -> Result<(), (u64, Failure)> {
        for k in 0..steps {
            self.follow(state, h, 1).map_err(|failure| (k, failure))?;
        }
        Ok(())
    }

    fn follow(&mut self, state: &mut State<f64>, h: f64, _parts: u32) -> Result<(), Failure> {
        if state.values.len() != self.rows.system.nodes() {
            return Err(Misuse::OtherState.into());
        }
        self.rows.system.check(&state.values).map_err(Failure::of)?;
        self.next.copy_from(state);
        self.rows.step(&mut self.machine, h, state, &mut self.next)?;
        std::mem::swap(state, &mut self.next);
        Ok(())
    }

    fn iterations(&self) -> u64 {
        self.machine.iterations
    }

    fn cancel_with(&mut self, cancel: &Cancel) {
        self.machine.cancel_with(cancel);
    }
}
