//! Galerkin's projection onto continuous linear functions, in nodal values U:
//!
//! $$ (M \dot U)_i = -\frac{(U_i + U_{i+1})\,U_{i+1} - (U_{i-1} + U_i)\,U_{i-1}}{6\,\Delta x}, \qquad
//! M = \mathrm{circ}(\tfrac16, \tfrac23, \tfrac16), $$
//!
//! with the integrals ½ UᵀMU and ΣUᵢ. M⁻¹ is full, so that the equations of a step are solved with M on their left side:
//! the midpoint rule is 2M d + h T(U + d) = 0 for half the increment, d, with a Jacobian of three diagonals and two corners.

use super::enough;
use crate::error::FieldsError;
use cotangent_dynamics::{
    Advance, AnySystem, Canonical, Dynamics, Failure, Family, Field, Kind, Machine, Numeric, Plan, Site, State,
    Stepper, carried,
};
use cotangent_scalar::{Cancel, Scalar};
use cotangent_solve::{NewtonOptions, Pattern};

/// Galerkin's equations on a circle.
#[derive(Clone, PartialEq, Debug)]
pub struct Galerkin {
    cells: usize,
    cell_length: f64,
}

impl Galerkin {
    /// The equations on so many cells of a length.
    pub fn new(cells: usize, cell_length: f64) -> Result<Galerkin, FieldsError> {
        enough(cells)?;
        Ok(Galerkin { cells, cell_length })
    }

    /// T(U)/(6Δx).
    fn transport<S: Scalar>(&self, u: &[S], out: &mut [S]) {
        let n = u.len();
        let scale = S::from_f64(6.0 * self.cell_length);
        for (i, out) in out.iter_mut().enumerate() {
            let (before, after) = (u[(i + n - 1) % n], u[(i + 1) % n]);
            *out = ((u[i] + after) * after - (before + u[i]) * before) / scale;
        }
    }

    /// Its derivatives by the node before, the own and the node after.
    fn slopes<S: Scalar>(&self, u: &[S], i: usize) -> [S; 3] {
        let n = u.len();
        let (before, after) = (u[(i + n - 1) % n], u[(i + 1) % n]);
        let (two, scale) = (S::from_f64(2.0), S::from_f64(6.0 * self.cell_length));
        [-(two * before + u[i]) / scale, (after - before) / scale, (u[i] + two * after) / scale]
    }
}

/// The entries of M: own and neighbour.
fn mass<S: Scalar>() -> [S; 2] {
    [S::ratio(2, 3), S::ratio(1, 6)]
}

fn times_mass<S: Scalar>(u: &[S], i: usize) -> S {
    let n = u.len();
    let [own, neighbour] = mass::<S>();
    own * u[i] + neighbour * (u[(i + n - 1) % n] + u[(i + 1) % n])
}

/// Solves M x = b in place: elimination without the corners, which a second right side puts in (Sherman & Morrison).
fn divide_mass<S: Scalar>(b: &mut [S]) {
    let n = b.len();
    let [own, neighbour] = mass::<S>();
    // M = A + neighbour (e₁ + eₙ)(e₁ + eₙ)ᵀ with A = M without corners and own − neighbour at both ends.
    let zero = S::from_f64(0.0);
    let mut w = vec![zero; n];
    (w[0], w[n - 1]) = (S::from_f64(1.0), S::from_f64(1.0));
    let diagonal = |i: usize| if i == 0 || i == n - 1 { own - neighbour } else { own };
    let mut upper = vec![zero; n];
    let mut pivot = diagonal(0);
    for i in 0..n {
        if i > 0 {
            upper[i - 1] = neighbour / pivot;
            pivot = diagonal(i) - neighbour * upper[i - 1];
            b[i] = b[i] - neighbour * b[i - 1];
            w[i] = w[i] - neighbour * w[i - 1];
        }
        b[i] = b[i] / pivot;
        w[i] = w[i] / pivot;
    }
    for i in (0..n - 1).rev() {
        b[i] = b[i] - upper[i] * b[i + 1];
        w[i] = w[i] - upper[i] * w[i + 1];
    }
    let factor = neighbour * (b[0] + b[n - 1]) / (S::from_f64(1.0) + neighbour * (w[0] + w[n - 1]));
    b.iter_mut().zip(&w).for_each(|(b, &w)| *b = *b - factor * w);
}

impl AnySystem for Galerkin {
    fn view<'s, S: Scalar + 's>(&'s self) -> Box<dyn Dynamics<'s, S> + 's> {
        Box::new(View(self))
    }

    fn energy<S: Scalar>(&self, u: &[S]) -> S {
        let terms = (0..u.len()).map(|i| u[i] * times_mass(u, i));
        terms.fold(S::from_f64(0.0), |sum, term| sum + term) / S::from_f64(2.0)
    }

    fn is_canonical(&self) -> bool {
        false
    }

    fn names(&self) -> Vec<Family> {
        vec![Family::indexed("u", [(1, self.cells)])]
    }
}

struct View<'s>(&'s Galerkin);

impl<'s, S: Scalar + 's> Dynamics<'s, S> for View<'s> {
    fn canonical(&self) -> Result<Option<Box<dyn Canonical<S> + 's>>, Failure> {
        Ok(None)
    }

    fn field(&self) -> Result<Option<Box<dyn Field<S> + 's>>, Failure> {
        Ok(Some(Box::new(View(self.0))))
    }

    fn manifold(&self) -> Result<Option<Box<dyn Canonical<S> + 's>>, Failure> {
        Ok(None)
    }
}

impl<S: Scalar> Field<S> for View<'_> {
    fn dimension(&self) -> usize {
        self.0.cells
    }

    fn jacobian_pattern(&mut self) -> Result<Pattern, Failure> {
        Pattern::dense(self.0.cells, self.0.cells).map_err(Failure::of)
    }

    fn rate(&mut self, u: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.0.transport(u, out);
        divide_mass(out);
        out.iter_mut().for_each(|x| *x = -*x);
        Ok(())
    }

    fn jacobian(&mut self, u: &[S], out: &mut [S]) -> Result<(), Failure> {
        let n = u.len();
        let mut column = vec![S::from_f64(0.0); n];
        for j in 0..n {
            column.fill(S::from_f64(0.0));
            for (i, which) in [((j + 1) % n, 0), (j, 1), ((j + n - 1) % n, 2)] {
                column[i] = -self.0.slopes(u, i)[which];
            }
            divide_mass(&mut column);
            (0..n).for_each(|i| out[i * n + j] = column[i]);
        }
        Ok(())
    }
}

/// The midpoint rule on Galerkin's equations, O(n) operations a step.
pub struct GalerkinMidpoint {
    stepper: Midpoint,
    machine: Numeric<f64>,
    next: State<f64>,
}

impl GalerkinMidpoint {
    /// The method for a system, its equations solved to round-off.
    pub fn new(system: &Galerkin) -> Result<GalerkinMidpoint, Failure> {
        let n = system.cells as u32;
        let row = |i: u32| [(i, (i + n - 1) % n), (i, i), (i, (i + 1) % n)];
        let addresses: Vec<(u32, u32)> = (0..n).flat_map(row).collect();
        let pattern = Pattern::new(system.cells, system.cells, &addresses).map_err(Failure::of)?;
        let mut plan = Plan::new();
        let site = plan.newton(pattern.clone(), vec![(Kind::State, system.cells)]);
        let machine = Numeric::new(&plan, NewtonOptions::default())?;
        Ok(GalerkinMidpoint {
            stepper: Midpoint { system: system.clone(), pattern, site },
            machine,
            next: State::default(),
        })
    }
}

struct Midpoint {
    system: Galerkin,
    pattern: Pattern,
    site: Site,
}

impl<S: Scalar> Stepper<S> for Midpoint {
    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let n = self.system.cells;
        let (zero, two) = (S::from_f64(0.0), S::from_f64(2.0));
        let [own, neighbour] = mass::<S>();
        let (system, pattern) = (&self.system, &self.pattern);
        let mut half = vec![zero; n];
        let mut middle = vec![zero; n];
        machine.newton(self.site, &mut half, &mut |d, residual, jacobian| {
            middle.iter_mut().zip(&from.values).zip(d).for_each(|((m, &u), &d)| *m = u + d);
            system.transport(&middle, residual);
            for i in 0..n {
                residual[i] = two * times_mass(d, i) + h * residual[i];
                let [before, here, after] = system.slopes(&middle, i);
                let entries = [((i + n - 1) % n, neighbour, before), (i, own, here), ((i + 1) % n, neighbour, after)];
                for (j, mass, slope) in entries {
                    if let Some(k) = pattern.position(i, j) {
                        jacobian[k] = two * mass + h * slope;
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

impl Advance for GalerkinMidpoint {
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
        if state.values.len() != self.stepper.system.cells {
            return Err(cotangent_dynamics::Misuse::OtherState.into());
        }
        self.next.copy_from(state);
        self.stepper.step(&mut self.machine, h, state, &mut self.next)?;
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
