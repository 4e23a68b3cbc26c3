//! J ż = ∇H(z) with a singular J, stepped by `gauss`: a velocity constraint with its multiplier and the velocities as
//! variables.
//!
//! Geodesics of the Heisenberg group: ẋ² + ẏ² is least under ż = (x ẏ − y ẋ)/2. With the Lagrangian
//! L = (ẋ² + ẏ²)/2, which is singular, and the multiplier λ,
//!
//! ```text
//! H(q, p, λ, v) = p·v − (v_x² + v_y²)/2 + λ (v_z + (y v_x − x v_y)/2),   J ż = (−ṗ, q̇, 0, 0)
//! ```
//!
//! (R. I. McLachlan, K. Modin, O. Verdier & M. Wilkins, SIAM J. Sci. Comput. 36 (2014) A2229.) p_z = −λ is constant and v
//! turns with the angular velocity −λ: from the origin with v = (c, 0, 0)
//!
//! ```text
//! x = c sin(λt)/λ,   y = −c (1 − cos(λt))/λ,   z = c²/(2λ) (sin(λt)/λ − t)
//! ```

use cotangent_dynamics::{
    Canonical, Dynamics, Failure, FailureKind, Field, Machine, Numeric, Presymplectic, PresymplecticShape, State,
    Stepper,
};
use cotangent_integrate::{Method, Prepared, Refusal};
use cotangent_scalar::{Dd, Dual, Real, Scalar};
use cotangent_solve::{NewtonOptions, Pattern};

/// An energy of `N` variables with a constant form, in any arithmetic.
trait Energy<const N: usize> {
    /// J, row by row.
    fn form(&self) -> [[f64; N]; N];
    fn energy<S: Scalar>(&self, z: [S; N]) -> S;
}

/// The derivatives of the energy by dual numbers.
struct Derived<'e, E, const N: usize> {
    energy: &'e E,
    shape: PresymplecticShape,
}

impl<E: Energy<N>, S: Scalar, const N: usize> Presymplectic<S> for Derived<'_, E, N> {
    fn shape(&self) -> &PresymplecticShape {
        &self.shape
    }

    fn form(&mut self, out: &mut [S]) -> Result<(), Failure> {
        let form = self.energy.form();
        let addresses = self.shape.form.addresses();
        out.iter_mut().zip(addresses).for_each(|(out, (i, j))| *out = S::from_f64(form[i as usize][j as usize]));
        Ok(())
    }

    fn gradient(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        let z: [Dual<S, N>; N] = std::array::from_fn(|k| Dual::variable(z[k], k));
        out.copy_from_slice(&self.energy.energy(z).tangent);
        Ok(())
    }

    fn hessian(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        let z: [Dual<Dual<S, N>, N>; N] = std::array::from_fn(|k| Dual::variable(Dual::variable(z[k], k), k));
        let rows = self.energy.energy(z).tangent;
        out.chunks_mut(N).zip(rows).for_each(|(out, row)| out.copy_from_slice(&row.tangent));
        Ok(())
    }
}

struct System<'e, E, const N: usize>(&'e E);

impl<'e, E: Energy<N>, S: Scalar + 'e, const N: usize> Dynamics<'e, S> for System<'e, E, N> {
    fn canonical(&self) -> Result<Option<Box<dyn Canonical<S> + 'e>>, Failure> {
        Ok(None)
    }

    fn field(&self) -> Result<Option<Box<dyn Field<S> + 'e>>, Failure> {
        Ok(None)
    }

    fn manifold(&self) -> Result<Option<Box<dyn Canonical<S> + 'e>>, Failure> {
        Ok(None)
    }

    fn presymplectic(&self) -> Result<Option<Box<dyn Presymplectic<S> + 'e>>, Failure> {
        let form = self.0.form();
        let all = (0..N as u32).flat_map(|i| (0..N as u32).map(move |j| (i, j)));
        let entries: Vec<(u32, u32)> = all.filter(|&(i, j)| form[i as usize][j as usize] != 0.0).collect();
        let pattern = |e: &[(u32, u32)]| Pattern::new(N, N, e).map_err(Failure::of);
        let dense: Vec<(u32, u32)> = (0..N as u32).flat_map(|i| (0..N as u32).map(move |j| (i, j))).collect();
        let shape = PresymplecticShape { form: pattern(&entries)?, hessian: pattern(&dense)? };
        Ok(Some(Box::new(Derived { energy: self.0, shape })))
    }
}

/// The state after some steps.
fn walk<E: Energy<N>, S: Real, const N: usize>(
    energy: &E,
    method: Method,
    start: &[S],
    (h, steps): (S, u32),
) -> Result<Vec<S>, Failure> {
    let system = System::<E, N>(energy);
    let prepared = Prepared::new(method, &system).map_err(Failure::of)?;
    let mut stepper: Box<dyn Stepper<S> + '_> = prepared.stepper(&system)?;
    let mut machine = Numeric::new(prepared.plan(), NewtonOptions::default())?;
    let mut state = State::new(start.to_vec(), stepper.memory());
    let mut next = state.clone();
    for _ in 0..steps {
        stepper.step(&mut machine as &mut dyn Machine<S>, h, &state, &mut next)?;
        std::mem::swap(&mut state, &mut next);
    }
    Ok(state.values)
}

struct Heisenberg;

const LAMBDA: f64 = 1.3;
const SPEED: f64 = 0.8;

impl Energy<10> for Heisenberg {
    fn form(&self) -> [[f64; 10]; 10] {
        let mut form = [[0.0; 10]; 10];
        for k in 0..3 {
            (form[k][3 + k], form[3 + k][k]) = (-1.0, 1.0);
        }
        form
    }

    fn energy<S: Scalar>(&self, [x, y, _, px, py, pz, lambda, vx, vy, vz]: [S; 10]) -> S {
        let half = S::from_f64(0.5);
        px * vx + py * vy + pz * vz - half * (vx * vx + vy * vy) + lambda * (vz + half * (y * vx - x * vy))
    }
}

/// The closed form at time t: (q, p, λ, v).
fn geodesic(t: Dd) -> [Dd; 10] {
    let (c, lambda, half) = (Dd::from(SPEED), Dd::from(LAMBDA), Dd::from(0.5));
    let (sin, cos) = (lambda * t).sin_cos();
    let (x, y) = (c * sin / lambda, -(c * (Dd::from(1.0) - cos) / lambda));
    let (vx, vy) = (c * cos, -(c * sin));
    let z = half * c * c / lambda * (sin / lambda - t);
    let vz = half * (x * vy - y * vx);
    [x, y, z, vx - half * lambda * y, vy + half * lambda * x, -lambda, lambda, vx, vy, vz]
}

/// The same equations in variables w with z = A w, in which the kernel of J is no plane of coordinates.
struct Sheared<E>(E);

/// A, an integer matrix of determinant one: each variable with twice the one after it, and the last with the first.
fn sheared<S: Scalar>(w: [S; 10]) -> [S; 10] {
    let two = S::from_f64(2.0);
    std::array::from_fn(|k| if k < 9 { w[k] + two * w[k + 1] } else { w[9] })
}

/// A⁻¹ z.
fn unsheared(z: [Dd; 10]) -> [Dd; 10] {
    let mut w = z;
    (0..9).rev().for_each(|k| w[k] = z[k] - Dd::from(2.0) * w[k + 1]);
    w
}

impl<E: Energy<10>> Energy<10> for Sheared<E> {
    /// AᵀJA.
    fn form(&self) -> [[f64; 10]; 10] {
        let form = self.0.form();
        let column = |j: usize| sheared(std::array::from_fn(|k| f64::from(u8::from(k == j))));
        let of = |u: [f64; 10], v: [f64; 10]| -> f64 {
            (0..10).map(|i| u[i] * form[i].iter().zip(v).map(|(a, v)| a * v).sum::<f64>()).sum()
        };
        std::array::from_fn(|i| std::array::from_fn(|j| of(column(i), column(j))))
    }

    fn energy<S: Scalar>(&self, w: [S; 10]) -> S {
        self.0.energy(sheared(w))
    }
}

fn distance(a: &[Dd], b: &[Dd]) -> f64 {
    a.iter().zip(b).fold(0.0, |most, (&a, &b)| most.max((a - b).value().abs()))
}

#[test]
fn gauss_with_s_stages_has_order_2s_in_all_variables() {
    let (start, time) = (geodesic(Dd::from(0.0)), Dd::from(2.0));
    let exact = geodesic(time);
    for s in 1..=3 {
        let error = |steps: u32| {
            let h = time / Dd::from(f64::from(steps));
            let end = walk(&Heisenberg, Method::Gauss { stages: s }, &start, (h, steps)).unwrap();
            distance(&end, &exact)
        };
        let errors = [8, 16, 32].map(error);
        for pair in errors.windows(2) {
            let order = (pair[0] / pair[1]).log2();
            assert!((order - 2.0 * s as f64).abs() < 0.1, "{s} stages: order {order}, errors {errors:?}");
        }
    }
}

#[test]
fn the_implicit_midpoint_rule_is_gauss_with_one_stage() {
    let start = geodesic(Dd::from(0.0));
    let of = |method| walk(&Heisenberg, method, &start, (Dd::from(0.1), 7)).unwrap();
    assert_eq!(of(Method::ImplicitMidpoint), of(Method::Gauss { stages: 1 }));
}

#[test]
fn the_two_form_is_kept_whatever_the_variables() {
    fn defect<E: Energy<10>>(energy: &E, start: [Dd; 10], stages: usize) -> f64 {
        let seeded: [Dual<Dd, 10>; 10] = std::array::from_fn(|k| Dual::variable(start[k], k));
        let end = walk(energy, Method::Gauss { stages }, &seeded, (Dual::from_f64(0.25), 4)).unwrap();
        let form = energy.form();
        let mut worst = 0.0f64;
        for (a, b) in (0..10).flat_map(|a| (0..10).map(move |b| (a, b))) {
            // (Dᵀ J D)ₐᵦ.
            let terms = (0..100).map(|k| {
                let (i, j) = (k / 10, k % 10);
                end[i].tangent[a] * Dd::from(form[i][j]) * end[j].tangent[b]
            });
            let image = terms.fold(Dd::from(0.0), |sum, term| sum + term);
            worst = worst.max((image - Dd::from(form[a][b])).value().abs());
        }
        worst
    }
    // Along the motion, so that nothing is special.
    let start = geodesic(Dd::from(0.7));
    for stages in 1..=3 {
        let defects = [defect(&Heisenberg, start, stages), defect(&Sheared(Heisenberg), unsheared(start), stages)];
        assert!(defects[0] < 1e-29 && defects[1] < 1e-26, "{stages} stages: {defects:?}");
    }
}

#[test]
fn the_steps_are_the_same_in_variables_in_which_the_kernel_is_no_plane_of_coordinates() {
    let start = geodesic(Dd::from(0.7));
    let method = Method::Gauss { stages: 2 };
    let plain = walk(&Heisenberg, method, &start, (Dd::from(0.1), 10)).unwrap();
    let other = walk(&Sheared(Heisenberg), method, &unsheared(start), (Dd::from(0.1), 10)).unwrap();
    let other: [Dd; 10] = std::array::from_fn(|k| other[k]);
    assert!(distance(&sheared(other), &plain) < 1e-27);
    assert!(distance(&plain, &geodesic(Dd::from(1.7))) > 1e-9, "with an error that is seen");
}

/// A constraint on positions as J ż = ∇H: λ does not follow from ∇H.
struct Holonomic;

impl Energy<3> for Holonomic {
    fn form(&self) -> [[f64; 3]; 3] {
        [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    }

    fn energy<S: Scalar>(&self, [q, p, lambda]: [S; 3]) -> S {
        S::from_f64(0.5) * p * p + lambda * q
    }
}

#[test]
fn a_form_whose_kernel_the_energy_says_nothing_about_is_singular() {
    let failure = walk(&Holonomic, Method::Gauss { stages: 1 }, &[0.0, 0.3, 0.0], (0.1, 1)).unwrap_err();
    assert!(failure.kind() == FailureKind::Singular, "{failure}");
}

#[test]
fn methods_for_ordinary_differential_equations_refuse_it() {
    let system = System::<Heisenberg, 10>(&Heisenberg);
    for method in [Method::Rk4, Method::Bdf2, Method::Radau2A { stages: 2 }] {
        let refused = Prepared::new(method, &system).err();
        assert_eq!(refused, Some(Refusal::UnknownMultipliers { method }));
    }
    assert!(matches!(Prepared::new(Method::Rattle, &system), Err(Refusal::NotCanonical { .. })));
}
