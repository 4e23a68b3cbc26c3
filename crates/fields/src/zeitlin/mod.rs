//! The Euler equations of a plane fluid on a torus, as matrices: Zeitlin's truncation.
//!
//! With vorticity ω = Σ ωₖ exp(ik·x) on \[0, 2π)² and Δψ = ω it is ω_t = −{ψ, ω}. For odd N and r = exp(2πi/N) the matrices
//!
//! $$ (T_k)_{ab} = r^{k_1 k_2 + 2 k_1 a}\, \delta_{b,\,a+k_2}, \qquad [T_m, T_n] = -2\mathrm{i} \sin\!\left(\tfrac{2\pi}{N}
//! m \times n\right) T_{m+n}, $$
//!
//! indices modulo N, have the Poisson bracket of exp(ik·x) as the limit of their commutators. W = i Σ ωₖTₖ, skew-Hermitian,
//! moves by
//!
//! $$ \dot W = [B, W], \qquad B = \tfrac{N}{4\pi} \Delta_N^{-1} W, \quad \Delta_N T_k = -|k|^2\, T_k, $$
//!
//! |k| taken with −N/2 < k₁, k₂ < N/2: a Lie–Poisson system on su(N) that keeps all eigenvalues of W, N Casimirs in the place
//! of those ∫f(ω). The energy is ½∫|∇ψ|² = 2π² Σ |ωₖ|²/|k|².
//!
//! V. Zeitlin, Physica D 49 (1991) 353; D. B. Fairlie & C. K. Zachos, Phys. Lett. B 224 (1989) 101.

mod field;
mod isospectral;
mod laplacian;

pub use isospectral::{Isospectral, Products};

use crate::error::FieldsError;
use laplacian::Bands;
use rustfft::num_complex::Complex64;
use rustfft::{Fft, FftPlanner};
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// The fluid on a torus with N × N matrices. A state has N² numbers: the imaginary parts of W on the diagonal of a matrix, its
/// real parts above, and its imaginary parts above reflected below.
#[derive(Clone)]
pub struct Torus {
    size: usize,
    forward: Arc<dyn Fft<f64>>,
    inverse: Arc<dyn Fft<f64>>,
}

impl std::fmt::Debug for Torus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Torus").field("size", &self.size).finish_non_exhaustive()
    }
}

impl Torus {
    /// The torus for an odd N.
    ///
    /// ```
    /// use cotangent_fields::zeitlin::Torus;
    ///
    /// let torus = Torus::new(17)?;
    /// let state = torus.state(|x, y| x.cos() + (2.0 * y).sin());
    /// assert!((torus.enstrophy(&state)? - 2.0 * std::f64::consts::PI.powi(2)).abs() < 1e-12);
    /// assert!(Torus::new(16).unwrap_err().to_string().contains("odd N"));
    /// # Ok::<(), cotangent_fields::FieldsError>(())
    /// ```
    pub fn new(size: usize) -> Result<Torus, FieldsError> {
        if size < 3 || size.is_multiple_of(2) {
            return Err(FieldsError::NotOdd { size });
        }
        let mut planner = FftPlanner::new();
        Ok(Torus { size, forward: planner.plan_fft_forward(size), inverse: planner.plan_fft_inverse(size) })
    }

    /// N.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The state of a vorticity: its waves with |k₁|, |k₂| < N/2. Others are cut off, and so is its mean, as a fluid on a
    /// torus has none. It is taken at (4N + 1)² points: waves of 2N and more cannot be told from slower ones there.
    pub fn state(&self, vorticity: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        let (n, m) = (self.size, 4 * self.size + 1);
        let at = |k: usize| TAU * k as f64 / m as f64;
        let mut waves: Vec<Complex64> = (0..m * m).map(|k| vorticity(at(k / m), at(k % m)).into()).collect();
        plane(&mut waves, m, &*FftPlanner::new().plan_fft_forward(m));
        waves[0] = Complex64::ZERO;
        let unit = Complex64::I / (m * m) as f64;
        // Where k modulo N stands modulo 4N + 1.
        let place = |k: usize| if 2 * k < n { k } else { m - n + k };
        self.packed(&self.matrix((0..n * n).map(|k| waves[place(k / n) * m + place(k % n)] * unit)))
    }

    /// The vorticity of a state at the points (2πi/N, 2πj/N), in the order i N + j.
    pub fn vorticity(&self, state: &[f64]) -> Result<Vec<f64>, FieldsError> {
        let mut waves = self.coefficients(state)?;
        plane(&mut waves, self.size, &*self.inverse);
        Ok(waves.into_iter().map(|w| (w * -Complex64::I).re).collect())
    }

    /// ½∫|∇ψ|².
    pub fn energy(&self, state: &[f64]) -> Result<f64, FieldsError> {
        let waves = self.coefficients(state)?.into_iter().enumerate().skip(1);
        let sum: f64 = waves.map(|(k, w)| w.norm_sqr() / self.square(k / self.size, k % self.size)).sum();
        Ok(2.0 * PI * PI * sum)
    }

    /// ½∫ω² = (2π²/N) tr W†W.
    pub fn enstrophy(&self, state: &[f64]) -> Result<f64, FieldsError> {
        let n = self.size;
        let weight = |k: usize| if k / n == k % n { 1.0 } else { 2.0 };
        let sum: f64 = self.fits(state)?.iter().enumerate().map(|(k, w)| weight(k) * w * w).sum();
        Ok(2.0 * PI * PI * sum / n as f64)
    }

    /// W of a state, row by row.
    pub fn unpacked(&self, state: &[f64]) -> Result<Vec<Complex64>, FieldsError> {
        let n = self.size;
        let state = self.fits(state)?;
        let entry = |k: usize| {
            let (a, b) = (k / n, k % n);
            match a.cmp(&b) {
                std::cmp::Ordering::Equal => Complex64::new(0.0, state[k]),
                std::cmp::Ordering::Less => Complex64::new(state[k], state[b * n + a]),
                std::cmp::Ordering::Greater => Complex64::new(-state[b * n + a], state[k]),
            }
        };
        Ok((0..n * n).map(entry).collect())
    }

    fn fits<'z>(&self, state: &'z [f64]) -> Result<&'z [f64], FieldsError> {
        let cells = self.size * self.size;
        match state.len() == cells {
            true => Ok(state),
            false => Err(FieldsError::OtherLength { given: state.len(), cells }),
        }
    }

    fn packed(&self, matrix: &[Complex64]) -> Vec<f64> {
        let n = self.size;
        let entry = |k: usize| if k / n < k % n { matrix[k].re } else { matrix[(k % n) * n + k / n].im };
        (0..n * n).map(entry).collect()
    }

    /// |k|² of the wave with indices modulo N.
    fn square(&self, k1: usize, k2: usize) -> f64 {
        let near = |k: usize| k.min(self.size - k) as f64;
        near(k1).powi(2) + near(k2).powi(2)
    }

    /// Σ wₖTₖ for coefficients in the order k₁N + k₂.
    fn matrix(&self, waves: impl Iterator<Item = Complex64>) -> Vec<Complex64> {
        let n = self.size;
        let mut bands = vec![Complex64::ZERO; n * n];
        for (k, w) in waves.enumerate() {
            let (k1, k2) = (k / n, k % n);
            bands[k2 * n + (2 * k1) % n] = w * self.root(k1, k2);
        }
        self.inverse.process(&mut bands);
        let mut out = vec![Complex64::ZERO; n * n];
        for (k, w) in bands.into_iter().enumerate() {
            let (d, a) = (k / n, k % n);
            out[a * n + (a + d) % n] = w;
        }
        out
    }

    /// The coefficients of W = Σ wₖTₖ.
    fn coefficients(&self, state: &[f64]) -> Result<Vec<Complex64>, FieldsError> {
        let n = self.size;
        let w = self.unpacked(state)?;
        let mut bands: Vec<Complex64> = (0..n * n).map(|k| w[(k % n) * n + (k % n + k / n) % n]).collect();
        self.forward.process(&mut bands);
        let wave = |k: usize| {
            let (k1, k2) = (k / n, k % n);
            bands[k2 * n + (2 * k1) % n] * self.root(k1, k2).conj() / n as f64
        };
        Ok((0..n * n).map(wave).collect())
    }

    /// r^(k₁k₂): the same for k₁ + N, as r^N = 1.
    fn root(&self, k1: usize, k2: usize) -> Complex64 {
        let power = (k1 * k2) % self.size;
        Complex64::from_polar(1.0, TAU * power as f64 / self.size as f64)
    }

    fn bands(&self) -> Bands {
        Bands::new(self)
    }
}

/// A transform of n × n values in both directions of the plane.
fn plane(values: &mut [Complex64], n: usize, fft: &dyn Fft<f64>) {
    for _ in 0..2 {
        fft.process(values);
        for a in 0..n {
            for b in 0..a {
                values.swap(a * n + b, b * n + a);
            }
        }
    }
}
