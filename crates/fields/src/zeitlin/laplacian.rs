//! B = (N/4π) Δ_N⁻¹ W, band by band: on Wₐ,ₐ₊d the wave Tₖ with k₂ = d is exp(2πi·2k₁a/N), so that Δ_N⁻¹ divides the
//! transform of a band by −|k|². W is skew-Hermitian, and half of the bands are enough: O(N² log N) operations.

use super::Torus;
use rustfft::Fft;
use rustfft::num_complex::Complex64;
use std::f64::consts::PI;
use std::sync::Arc;

/// The bands of a matrix with their transform.
pub(super) struct Bands {
    size: usize,
    forward: Arc<dyn Fft<f64>>,
    inverse: Arc<dyn Fft<f64>>,
    values: Vec<Complex64>,
    scratch: Vec<Complex64>,
    /// −1/(4π|k|²), in the order of the transform, which multiplies by N.
    factors: Vec<f64>,
}

impl Bands {
    pub(super) fn new(torus: &Torus) -> Bands {
        let n = torus.size;
        let factor = |place: usize| {
            let (d, j) = (place / n, place % n);
            // j = 2k₁ modulo N.
            let square = torus.square(j * n.div_ceil(2) % n, d);
            if square == 0.0 { 0.0 } else { -1.0 / (4.0 * PI * square) }
        };
        let count = n * n.div_ceil(2);
        let scratch = torus.forward.get_inplace_scratch_len().max(torus.inverse.get_inplace_scratch_len());
        Bands {
            size: n,
            forward: torus.forward.clone(),
            inverse: torus.inverse.clone(),
            values: vec![Complex64::ZERO; count],
            scratch: vec![Complex64::ZERO; scratch],
            factors: (0..count).map(factor).collect(),
        }
    }

    /// Real and imaginary part of B from those of W.
    pub(super) fn stream(&mut self, w: [&[f64]; 2], b: [&mut [f64]; 2]) {
        let n = self.size;
        for (d, band) in self.values.chunks_exact_mut(n).enumerate() {
            for (a, value) in band.iter_mut().enumerate() {
                let column = if a + d < n { a + d } else { a + d - n };
                *value = Complex64::new(w[0][a * n + column], w[1][a * n + column]);
            }
        }
        self.forward.process_with_scratch(&mut self.values, &mut self.scratch);
        self.values.iter_mut().zip(&self.factors).for_each(|(value, factor)| *value *= factor);
        self.inverse.process_with_scratch(&mut self.values, &mut self.scratch);
        let [re, im] = b;
        for (d, band) in self.values.chunks_exact(n).enumerate() {
            for (a, value) in band.iter().enumerate() {
                let column = if a + d < n { a + d } else { a + d - n };
                // B† = −B holds to the last bit.
                if d == 0 {
                    (re[a * n + a], im[a * n + a]) = (0.0, value.im);
                } else {
                    (re[a * n + column], im[a * n + column]) = (value.re, value.im);
                    (re[column * n + a], im[column * n + a]) = (-value.re, value.im);
                }
            }
        }
    }
}
