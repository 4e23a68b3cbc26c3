//! The equations in any arithmetic, entry by entry: for small N, to be certified and compared with.

use super::Torus;
use cotangent_dynamics::{AnySystem, Dynamics, Failure, Family, Field};
use cotangent_scalar::{Dual, Scalar};
use cotangent_solve::Pattern;

/// A complex number in any arithmetic.
type Complex<S> = [S; 2];

fn plus<S: Scalar>(a: Complex<S>, b: Complex<S>) -> Complex<S> {
    [a[0] + b[0], a[1] + b[1]]
}

fn times<S: Scalar>(a: Complex<S>, b: Complex<S>) -> Complex<S> {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

fn zero<S: Scalar>() -> Complex<S> {
    [S::from_f64(0.0); 2]
}

impl Torus {
    /// W of a state.
    fn entries<S: Scalar>(&self, z: &[S]) -> Vec<Complex<S>> {
        let n = self.size();
        let entry = |k: usize| {
            let (a, b) = (k / n, k % n);
            match a.cmp(&b) {
                std::cmp::Ordering::Equal => [S::from_f64(0.0), z[k]],
                std::cmp::Ordering::Less => [z[k], z[b * n + a]],
                std::cmp::Ordering::Greater => [-z[b * n + a], z[k]],
            }
        };
        (0..n * n).map(entry).collect()
    }

    /// B, by the sum over the waves of each band.
    fn stream<S: Scalar>(&self, w: &[Complex<S>]) -> Vec<Complex<S>> {
        let n = self.size();
        let root = |power: usize| {
            let angle = S::ratio(2 * (power % n) as i64, n as i64) * S::pi();
            [angle.cos(), angle.sin()]
        };
        // (1/N) Σⱼ exp(2πij(a − a′)/N) f(j) with f = −N/(4π|k|²).
        let kernel = |d: usize, shift: usize| {
            let term = |j: usize| {
                let square = self.square(j * n.div_ceil(2) % n, d);
                let factor = if square == 0.0 { 0.0 } else { -1.0 / square };
                let scale = S::from_f64(factor) / (S::from_f64(4.0) * S::pi());
                root(j * shift).map(|x| x * scale)
            };
            (0..n).map(term).fold(zero(), plus)
        };
        let mut out = vec![zero(); n * n];
        for d in 0..n {
            let kernel: Vec<Complex<S>> = (0..n).map(|shift| kernel(d, shift)).collect();
            for a in 0..n {
                let terms = (0..n).map(|c| times(kernel[(a + n - c) % n], w[c * n + (c + d) % n]));
                out[a * n + (a + d) % n] = terms.fold(zero(), plus);
            }
        }
        out
    }

    fn rate<S: Scalar>(&self, z: &[S], out: &mut [S]) {
        let n = self.size();
        let w = self.entries(z);
        let b = self.stream(&w);
        let product = |x: &[Complex<S>], y: &[Complex<S>], i: usize, j: usize| {
            (0..n).map(|k| times(x[i * n + k], y[k * n + j])).fold(zero(), plus)
        };
        for i in 0..n {
            for j in i..n {
                let (bw, wb) = (product(&b, &w, i, j), product(&w, &b, i, j));
                out[j * n + i] = bw[1] - wb[1];
                if i != j {
                    out[i * n + j] = bw[0] - wb[0];
                }
            }
        }
    }
}

impl AnySystem for Torus {
    fn view<'s, S: Scalar + 's>(&'s self) -> Box<dyn Dynamics<'s, S> + 's> {
        Box::new(View(self))
    }

    /// (8π³/N²) tr BW.
    fn energy<S: Scalar>(&self, z: &[S]) -> S {
        let w = self.entries(z);
        let b = self.stream(&w);
        let sum = w.iter().zip(&b).fold(S::from_f64(0.0), |sum, (w, b)| sum - (w[0] * b[0] + w[1] * b[1]));
        S::from_f64(8.0) * S::pi() * S::pi() * S::pi() * sum / S::from_f64((self.size() * self.size()) as f64)
    }

    fn is_canonical(&self) -> bool {
        false
    }

    fn names(&self) -> Vec<Family> {
        vec![Family::indexed("W", [(1, self.size()), (1, self.size())])]
    }
}

struct View<'s>(&'s Torus);

impl<'s, S: Scalar + 's> Dynamics<'s, S> for View<'s> {
    fn field(&self) -> Result<Option<Box<dyn Field<S> + 's>>, Failure> {
        Ok(Some(Box::new(View(self.0))))
    }
}

impl<S: Scalar> Field<S> for View<'_> {
    fn dimension(&self) -> usize {
        self.0.size() * self.0.size()
    }

    fn jacobian_pattern(&mut self) -> Result<Pattern, Failure> {
        let n = Field::<S>::dimension(self);
        Pattern::dense(n, n).map_err(Failure::of)
    }

    fn rate(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.0.rate(z, out);
        Ok(())
    }

    fn jacobian(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        let n = z.len();
        let mut point: Vec<Dual<S>> = z.iter().map(|&z| Dual::constant(z)).collect();
        let mut rate = vec![Dual::constant(S::from_f64(0.0)); n];
        for j in 0..n {
            point[j] = Dual::variable(z[j], 0);
            self.0.rate(&point, &mut rate);
            point[j] = Dual::constant(z[j]);
            (0..n).for_each(|i| out[i * n + j] = rate[i].tangent[0]);
        }
        Ok(())
    }
}
