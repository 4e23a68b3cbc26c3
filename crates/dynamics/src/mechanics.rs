//! A Hamiltonian and constraints as functions; their derivatives by dual numbers.

use crate::any_system::AnySystem;
use crate::failure::Failure;
use crate::family::Family;
use crate::system::{Canonical, CanonicalShape, Dynamics, Field, Index};
use cotangent_scalar::{Dual, Scalar};
use cotangent_solve::{Pattern, PatternError};

/// A mechanical system as a paper states it: H(q, p), and φ(q) = 0 if it has constraints. No derivative is typed.
///
/// For small systems: a Jacobian takes as many evaluations as there are variables, a Hessian their square.
pub trait Mechanics {
    /// n, the number of coordinates.
    fn coordinates(&self) -> usize;

    /// H(q, p).
    fn hamiltonian<S: Scalar>(&self, q: &[S], p: &[S]) -> S;

    /// m, the number of constraints.
    fn constraint_count(&self) -> usize {
        0
    }

    /// φ(q), into `out`.
    fn constraints<S: Scalar>(&self, _q: &[S], _out: &mut [S]) {}
}

impl<M: Mechanics> AnySystem for M {
    fn view<'s, S: Scalar + 's>(&'s self) -> Box<dyn Dynamics<'s, S> + 's> {
        Box::new(View(self))
    }

    fn energy<S: Scalar>(&self, state: &[S]) -> S {
        let (q, p) = state.split_at(self.coordinates().min(state.len()));
        self.hamiltonian(q, p)
    }

    fn is_canonical(&self) -> bool {
        true
    }

    fn names(&self) -> Vec<Family> {
        ["q", "p"].map(|name| Family::indexed(name, [(1, self.coordinates())])).to_vec()
    }
}

struct View<'s, M>(&'s M);

impl<'s, M: Mechanics, S: Scalar + 's> Dynamics<'s, S> for View<'s, M> {
    fn canonical(&self) -> Result<Option<Box<dyn Canonical<S> + 's>>, Failure> {
        Ok(Some(Box::new(Derived::new(self.0).map_err(Failure::of)?)))
    }

    fn field(&self) -> Result<Option<Box<dyn Field<S> + 's>>, Failure> {
        // With constraints the multipliers are unknown.
        match self.0.constraint_count() {
            0 => Ok(Some(Box::new(Derived::new(self.0).map_err(Failure::of)?))),
            _ => Ok(None),
        }
    }

    fn manifold(&self) -> Result<Option<Box<dyn Canonical<S> + 's>>, Failure> {
        Dynamics::<S>::canonical(self)
    }
}

/// Once and twice differentiated.
type D1<S> = Dual<S>;
type D2<S> = Dual<Dual<S>>;

/// The system with its derivatives in the arithmetic `S`.
struct Derived<'s, M, S> {
    system: &'s M,
    shape: CanonicalShape,
    /// (q, p), to be differentiated.
    once: Vec<D1<S>>,
    twice: Vec<D2<S>>,
    /// φ.
    values_once: Vec<D1<S>>,
    values_twice: Vec<D2<S>>,
}

impl<'s, M: Mechanics, S: Scalar> Derived<'s, M, S> {
    fn new(system: &'s M) -> Result<Derived<'s, M, S>, PatternError> {
        let (n, m) = (system.coordinates(), system.constraint_count());
        let square = Pattern::dense(n, n)?;
        let shape = CanonicalShape {
            coordinates: n,
            constraints: m,
            index: Index::Three,
            separable: false,
            quadratic: false,
            jacobian: Pattern::dense(m, n)?,
            curvature: if m > 0 { square.clone() } else { Pattern::new(n, n, &[])? },
            curvature_along: Pattern::dense(m, n)?,
            hessian_qq: square.clone(),
            hessian_qp: square.clone(),
            hessian_pp: square,
        };
        let zero = || S::from_f64(0.0);
        Ok(Derived {
            system,
            shape,
            once: vec![Dual::constant(zero()); 2 * n],
            twice: vec![Dual::constant(Dual::constant(zero())); 2 * n],
            values_once: vec![Dual::constant(zero()); m],
            values_twice: vec![Dual::constant(Dual::constant(zero())); m],
        })
    }

    /// The state to differentiate, no variable being one yet.
    fn at(&mut self, z: impl Iterator<Item = S> + Clone) {
        self.once.iter_mut().zip(z.clone()).for_each(|(d, z)| *d = Dual::constant(z));
        self.twice.iter_mut().zip(z).for_each(|(d, z)| *d = Dual::constant(Dual::constant(z)));
    }

    fn gradient(&mut self, from: usize, out: &mut [S]) {
        let n = self.shape.coordinates;
        for (k, out) in out.iter_mut().enumerate() {
            let k = from + k;
            let value = self.once[k].value;
            self.once[k] = Dual::variable(value, 0);
            let (q, p) = self.once.split_at(n);
            *out = self.system.hamiltonian(q, p).tangent[0];
            self.once[k] = Dual::constant(value);
        }
    }

    /// ∂²H/∂zᵢ∂zⱼ for i from `rows`, j from `columns`, n of each.
    fn hessian(&mut self, rows: usize, columns: usize, out: &mut [S]) {
        let n = self.shape.coordinates;
        let one = S::from_f64(1.0);
        for i in 0..n {
            for j in 0..n {
                self.twice[rows + i].tangent[0].value = one;
                self.twice[columns + j].value.tangent[0] = one;
                let (q, p) = self.twice.split_at(n);
                out[i * n + j] = self.system.hamiltonian(q, p).tangent[0].tangent[0];
                self.twice[rows + i].tangent[0].value = S::from_f64(0.0);
                self.twice[columns + j].value.tangent[0] = S::from_f64(0.0);
            }
        }
    }
}

fn joined<'a, S: Scalar>(q: &'a [S], p: &'a [S]) -> impl Iterator<Item = S> + Clone + use<'a, S> {
    q.iter().chain(p).copied()
}

impl<M: Mechanics, S: Scalar> Canonical<S> for Derived<'_, M, S> {
    fn shape(&self) -> &CanonicalShape {
        &self.shape
    }

    fn hamiltonian_q(&mut self, q: &[S], p: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.at(joined(q, p));
        self.gradient(0, out);
        Ok(())
    }

    fn hamiltonian_p(&mut self, q: &[S], p: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.at(joined(q, p));
        self.gradient(q.len(), out);
        Ok(())
    }

    fn hessian_qq(&mut self, q: &[S], p: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.at(joined(q, p));
        self.hessian(0, 0, out);
        Ok(())
    }

    fn hessian_qp(&mut self, q: &[S], p: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.at(joined(q, p));
        self.hessian(0, q.len(), out);
        Ok(())
    }

    fn hessian_pp(&mut self, q: &[S], p: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.at(joined(q, p));
        self.hessian(q.len(), q.len(), out);
        Ok(())
    }

    fn constraints(&mut self, q: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.system.constraints(q, out);
        Ok(())
    }

    /// Σⱼ |∂φᵢ/∂qⱼ| max |q|: what the rounding of the positions makes of it.
    fn constraint_magnitudes(&mut self, q: &[S], out: &mut [S]) -> Result<(), Failure> {
        let n = q.len();
        let mut gradients = vec![S::from_f64(0.0); out.len() * n];
        Canonical::jacobian(self, q, &mut gradients)?;
        let largest = q.iter().fold(S::from_f64(0.0), |m, q| m.max(q.abs()));
        for (out, row) in out.iter_mut().zip(gradients.chunks(n.max(1))) {
            *out = row.iter().fold(S::from_f64(0.0), |sum, g| sum + g.abs()) * largest;
        }
        Ok(())
    }

    fn jacobian(&mut self, q: &[S], out: &mut [S]) -> Result<(), Failure> {
        let n = q.len();
        self.at(q.iter().copied());
        for j in 0..n {
            self.once[j] = Dual::variable(q[j], 0);
            self.system.constraints(&self.once[..n], &mut self.values_once);
            self.once[j] = Dual::constant(q[j]);
            for (i, value) in self.values_once.iter().enumerate() {
                out[i * n + j] = value.tangent[0];
            }
        }
        Ok(())
    }

    fn curvature(&mut self, q: &[S], lambda: &[S], out: &mut [S]) -> Result<(), Failure> {
        let n = q.len();
        let (zero, one) = (S::from_f64(0.0), S::from_f64(1.0));
        self.at(q.iter().copied());
        for (k, out) in out.iter_mut().enumerate() {
            let (i, j) = (k / n, k % n);
            self.twice[i].tangent[0].value = one;
            self.twice[j].value.tangent[0] = one;
            self.system.constraints(&self.twice[..n], &mut self.values_twice);
            self.twice[i].tangent[0].value = zero;
            self.twice[j].value.tangent[0] = zero;
            let terms = self.values_twice.iter().zip(lambda);
            *out = terms.fold(zero, |sum, (value, &lambda)| sum + lambda * value.tangent[0].tangent[0]);
        }
        Ok(())
    }

    fn curvature_along(&mut self, q: &[S], v: &[S], out: &mut [S]) -> Result<(), Failure> {
        let n = q.len();
        self.at(q.iter().copied());
        self.twice.iter_mut().zip(v).for_each(|(d, &v)| d.tangent[0].value = v);
        for j in 0..n {
            self.twice[j].value.tangent[0] = S::from_f64(1.0);
            self.system.constraints(&self.twice[..n], &mut self.values_twice);
            self.twice[j].value.tangent[0] = S::from_f64(0.0);
            for (i, value) in self.values_twice.iter().enumerate() {
                out[i * n + j] = value.tangent[0].tangent[0];
            }
        }
        Ok(())
    }
}

impl<M: Mechanics, S: Scalar> Field<S> for Derived<'_, M, S> {
    fn dimension(&self) -> usize {
        2 * self.shape.coordinates
    }

    fn jacobian_pattern(&mut self) -> Result<Pattern, Failure> {
        Pattern::dense(self.dimension(), self.dimension()).map_err(Failure::of)
    }

    /// (H_p, −H_q).
    fn rate(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        let (velocities, forces) = out.split_at_mut(self.shape.coordinates);
        self.at(z.iter().copied());
        self.gradient(self.shape.coordinates, velocities);
        self.gradient(0, forces);
        forces.iter_mut().for_each(|f| *f = -*f);
        Ok(())
    }

    fn jacobian(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        let n = self.shape.coordinates;
        self.at(z.iter().copied());
        let mut block = vec![S::from_f64(0.0); n * n];
        // Rows of H_p, then those of −H_q.
        for (row, rows) in [(0, n), (n, 0)] {
            for columns in [0, n] {
                self.hessian(rows, columns, &mut block);
                for (k, &h) in block.iter().enumerate() {
                    out[(row + k / n) * 2 * n + columns + k % n] = if row == 0 { h } else { -h };
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bead of variable mass on an ellipse: H = p₁²/(2 + q₂²) + p₂²/2 + q₁ q₂², φ = q₁² + 4 q₂² − 1.
    struct Bead;

    impl Mechanics for Bead {
        fn coordinates(&self) -> usize {
            2
        }

        fn hamiltonian<S: Scalar>(&self, q: &[S], p: &[S]) -> S {
            let two = S::from_f64(2.0);
            p[0] * p[0] / (two + q[1] * q[1]) + p[1] * p[1] / two + q[0] * q[1] * q[1]
        }

        fn constraint_count(&self) -> usize {
            1
        }

        fn constraints<S: Scalar>(&self, q: &[S], out: &mut [S]) {
            out[0] = q[0] * q[0] + S::from_f64(4.0) * q[1] * q[1] - S::from_f64(1.0);
        }
    }

    #[test]
    fn derivatives_are_those_of_calculus() {
        let (q, p) = ([0.5, 1.0], [3.0, -2.0]);
        let mut system: Derived<'_, Bead, f64> = Derived::new(&Bead).unwrap();
        let mut pair = [0.0; 2];
        system.hamiltonian_q(&q, &p, &mut pair).unwrap();
        // ∂H/∂q = (q₂², −2 p₁² q₂/(2 + q₂²)² + 2 q₁ q₂).
        assert_eq!(pair, [1.0, -2.0 + 1.0]);
        system.hamiltonian_p(&q, &p, &mut pair).unwrap();
        assert_eq!(pair, [2.0, -2.0]);
        let mut four = [0.0; 4];
        system.hessian_qq(&q, &p, &mut four).unwrap();
        // ∂²/∂q₂² of p₁²/(2 + q₂²) is p₁² (6 q₂² − 4)/(2 + q₂²)³ = 9·2/27.
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-14);
        assert!(close(&four, &[0.0, 2.0, 2.0, 18.0 / 27.0 + 1.0]), "{four:?}");
        system.hessian_qp(&q, &p, &mut four).unwrap();
        assert!(close(&four, &[0.0, 0.0, -4.0 * 3.0 / 9.0, 0.0]), "{four:?}");
        system.hessian_pp(&q, &p, &mut four).unwrap();
        assert!(close(&four, &[2.0 / 3.0, 0.0, 0.0, 1.0]), "{four:?}");
        Canonical::jacobian(&mut system, &q, &mut pair).unwrap();
        assert_eq!(pair, [1.0, 8.0]);
        system.curvature(&q, &[0.5], &mut four).unwrap();
        assert_eq!(four, [1.0, 0.0, 0.0, 4.0]);
        system.curvature_along(&q, &p, &mut pair).unwrap();
        assert_eq!(pair, [6.0, -16.0]);
        let mut z = [0.0; 4];
        system.rate(&[0.5, 1.0, 3.0, -2.0], &mut z).unwrap();
        assert_eq!(z, [2.0, -2.0, -1.0, 1.0]);
        let mut all = [0.0; 16];
        Field::jacobian(&mut system, &[0.5, 1.0, 3.0, -2.0], &mut all).unwrap();
        let rows = [
            [0.0, -4.0 / 3.0, 2.0 / 3.0, 0.0],
            [0.0, 0.0, 0.0, 1.0],
            [0.0, -2.0, 0.0, 0.0],
            [-2.0, -18.0 / 27.0 - 1.0, 4.0 / 3.0, 0.0],
        ];
        assert!(close(&all, &rows.concat()), "{all:?}");
    }
}
