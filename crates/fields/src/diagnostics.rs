//! What there is to see in a field on a circle.

use std::f64::consts::TAU;

/// Σ|uᵢ₊₁ − uᵢ| around the circle.
pub fn total_variation(u: &[f64]) -> f64 {
    u.iter().zip(u.iter().cycle().skip(1)).map(|(a, b)| (b - a).abs()).fold(0.0, |sum, change| sum + change)
}

/// |ûₖ| for k = 0, 1, …, at most to half the number of values: u = Σ ûₖ exp(ikx), so that a cos(kx) has |ûₖ| = a/2 (a for
/// the last, if the number of values is even).
pub fn spectrum(u: &[f64], modes: usize) -> Vec<f64> {
    let n = u.len();
    let amplitude = |k: usize| {
        let parts = u.iter().enumerate().fold([0.0, 0.0], |[re, im], (j, u)| {
            // The angle is reduced exactly, so that it is as good for large j k.
            let (sin, cos) = (TAU * ((j * k) % n) as f64 / n as f64).sin_cos();
            [re + u * cos, im - u * sin]
        });
        parts[0].hypot(parts[1]) / n as f64
    };
    let most = if n == 0 { 0 } else { n / 2 + 1 };
    (0..modes.min(most)).map(amplitude).collect()
}
