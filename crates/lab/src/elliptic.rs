//! Jacobi's elliptic functions and the integral they invert.

use cotangent_scalar::Real;

/// The elliptic functions of one parameter m, 0 ≤ m < 1, in any arithmetic.
///
/// $$ F(\varphi\,|\,m) = \int_0^\varphi \frac{d\theta}{\sqrt{1 - m \sin^2\theta}}, \qquad
///    K(m) = F(\tfrac{\pi}{2}\,|\,m), \qquad
///    \mathrm{sn}\,F = \sin\varphi,\ \mathrm{cn}\,F = \cos\varphi,\ \mathrm{dn}\,F = \sqrt{1 - m\sin^2\varphi}. $$
///
/// Everything is brought to m = 0, where the functions are circular, by the descending Landen
/// transformation (Abramowitz & Stegun 16.12 and 17.5), which is the arithmetic-geometric mean step
/// by step: with the modulus k, m = k², and k′ = √(1−m),
///
/// $$ k_1 = \frac{m}{(1+k')^2}, \qquad k_1' = \frac{2\sqrt{k'}}{1+k'}, \qquad
///    F(\varphi\,|\,m) = \frac{1+k_1}{2}\, F(\varphi_1\,|\,k_1^2), \qquad
///    \tan(\varphi_1 - \varphi) = k' \tan\varphi . $$
///
/// k falls quadratically: five levels bring m = ½ below 10⁻⁴². The formulas for the functions are
/// rational in those of the level below, and none subtracts numbers that are nearly equal, so the
/// loss is a few units in the last place, beside what the rounding of u itself means (|u| units).
/// No branch looks at u or φ, so that dual numbers differentiate all of it, by u, φ and m.
///
/// The result for an argument that is not finite is not finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Elliptic<S> {
    parameter: S,
    levels: Vec<Level<S>>,
    quarter_period: S,
}

/// One transformation: from (m, k′) of this level to k₁ of the next.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Level<S> {
    /// k′ of this level.
    complement: S,
    /// 1 − k′ of this level.
    versed: S,
    /// k₁, the modulus of the next level.
    next: S,
    /// 1 − k₁.
    next_versed: S,
}

/// A parameter without elliptic functions.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum EllipticError {
    /// The parameter is outside [0, 1), or not finite.
    #[error(
        "elliptic functions need a parameter m with 0 <= m < 1, not {parameter} (1 - m = {complement}); \
         at m = 1 they are hyperbolic"
    )]
    Parameter {
        /// m.
        parameter: f64,
        /// 1 − m.
        complement: f64,
    },
}

impl<S: Real> Elliptic<S> {
    /// The functions of parameter m = k².
    ///
    /// # Errors
    /// If not 0 ≤ m < 1.
    pub fn new(parameter: S) -> Result<Self, EllipticError> {
        Self::with_complement(parameter, S::from_f64(1.0) - parameter)
    }

    /// The functions of parameter m, given also 1 − m, where that is known better than by
    /// subtraction: close to m = 1, the functions depend on its relative size.
    ///
    /// # Errors
    /// If not 0 ≤ m ≤ 1 and 0 < 1 − m. (That the two belong together is up to the caller.)
    pub fn with_complement(parameter: S, complement: S) -> Result<Self, EllipticError> {
        let fits = (0.0..=1.0).contains(&parameter.value()) && complement.value() > 0.0 && complement.value() <= 1.0;
        if !(fits && parameter.is_finite() && complement.is_finite()) {
            return Err(EllipticError::Parameter { parameter: parameter.value(), complement: complement.value() });
        }
        let levels = descend(parameter, complement.sqrt());
        let one = S::from_f64(1.0);
        let factor = levels.iter().fold(one, |factor, level| factor * (one + level.next));
        Ok(Self { parameter, levels, quarter_period: S::pi() * S::from_f64(0.5) * factor })
    }

    /// m.
    pub fn parameter(&self) -> S {
        self.parameter
    }

    /// K(m): sn and cn have period 4K, dn has 2K.
    pub fn quarter_period(&self) -> S {
        self.quarter_period
    }

    /// sn, cn and dn of u, any real number.
    pub fn sn_cn_dn(&self, u: S) -> (S, S, S) {
        let one = S::from_f64(1.0);
        let scale = self.levels.iter().fold(one, |scale, level| scale * (one + level.next));
        let (sin, cos) = (u / scale).sin_cos();
        self.levels.iter().rev().fold((sin, cos, one), |(s, c, d), level| {
            let square = level.next * s * s;
            let denominator = one + square;
            let sn = (one + level.next) * s / denominator;
            // 1 − k₁ s² without cancellation.
            let dn = (level.next_versed + level.next * c * c) / denominator;
            (sn, c * d / denominator, dn)
        })
    }

    /// F(φ|m), any real φ: the inverse of the amplitude, F(φ + π) = F(φ) + 2K.
    pub fn first_kind(&self, amplitude: S) -> S {
        let (half, one) = (S::from_f64(0.5), S::from_f64(1.0));
        let (mut phi, mut factor) = (amplitude, one);
        for level in &self.levels {
            // φ₁ = φ + arctan(k′ tan φ), on the branch that follows φ.
            let (s, c) = phi.sin_cos();
            let lag = (level.versed * s * c).atan2(c * c + level.complement * s * s);
            phi = phi + phi - lag;
            factor = factor * half * (one + level.next);
        }
        factor * phi
    }
}

/// The levels until the last parameter is below the precision, and as many more as make derivative
/// parts right: each squares the modulus, hence also doubles the order of what is left out.
fn descend<S: Real>(parameter: S, complement: S) -> Vec<Level<S>> {
    /// The smallest k′ takes about fifteen.
    const MOST: usize = 40;
    let (one, two) = (S::from_f64(1.0), S::from_f64(2.0));
    let mut levels = Vec::new();
    let (mut m, mut k_prime) = (parameter, complement);
    let mut further = S::refinements();
    while levels.len() < MOST {
        if m.value() < S::EPSILON / 8.0 {
            if further == 0 {
                break;
            }
            further -= 1;
        }
        let sum = one + k_prime;
        let next = m / (sum * sum);
        levels.push(Level { complement: k_prime, versed: m / sum, next, next_versed: two * k_prime / sum });
        m = next * next;
        k_prime = two * k_prime.sqrt() / sum;
    }
    levels
}
