//! Stumpff functions, accurate to a few units in the last place.
//!
//! With ρ = |s|/((k+1)(k+2)), the ratio of the first two terms of the series:
//!
//! - ρ ≤ 1 (2 for s < 0): the series in nested form, h_j = 1 − s h_{j+1}/((k+2j+1)(k+2j+2)), c_k = h₀/k!. It is
//!   the recurrence c_k = 1/k! − s c_{k+2} downwards, where an error shrinks by ρ in each step.
//! - else: c₀, c₁ or c₂ in closed form, then the recurrence upwards,
//!   c_{k+2} = (1/k! − c_k)/s, where an error shrinks by about 1/ρ in each step.
//!
//! The closed forms need √s better than it can be represented: an error of √s by one unit in the
//! last place changes cos √s by √s units. So the root comes in two parts ([`StumpffArithmetic::root`]).

use crate::Real;

/// What the evaluation needs of an arithmetic beside its functions.
pub(crate) trait StumpffArithmetic: Real {
    /// 1/k!, rounded; zero where it underflows.
    fn reciprocal_factorial(k: u32) -> Self;

    /// self/((n + 1)(n + 2)).
    fn over_next_two(self, n: u32) -> Self {
        let n = f64::from(n);
        self / Self::from_f64((n + 1.0) * (n + 2.0))
    }

    /// (z, δ) with z + δ = √self to twice the precision, for a positive finite `self`.
    fn root(self) -> (Self, Self);
}

/// c_k(s).
pub(crate) fn stumpff<S: StumpffArithmetic>(s: S, k: u32) -> S {
    let size = s.value().abs();
    let order = f64::from(k);
    // The terms of one sign for s < 0 let the series win a little longer.
    let rho = if s.value() < 0.0 { 2.0 } else { 1.0 };
    let nested_up_to = if k < 2 { 1.0 } else { rho * (order + 1.0) * (order + 2.0) };
    if size.is_nan() {
        s
    } else if size <= nested_up_to {
        nested_series(s, k)
    } else if s.value() > 0.0 {
        oscillating(s, k)
    } else {
        growing(-s, k)
    }
}

fn nested_series<S: StumpffArithmetic>(s: S, k: u32) -> S {
    let first = S::reciprocal_factorial(k);
    if first.is_zero() {
        return first;
    }
    let size = s.value().abs();
    let (mut terms, mut term) = (0, 1.0);
    while term > S::EPSILON / 16.0 {
        term *= size.over_next_two(k + 2 * terms);
        terms += 1;
    }
    let one = S::from_f64(1.0);
    // The factor does not wait for h.
    let nest = |h: S, j: u32| one - s.over_next_two(k + 2 * j) * h;
    (0..terms).rev().fold(one, nest) * first
}

/// s > 0: trigonometric closed forms.
fn oscillating<S: StumpffArithmetic>(s: S, k: u32) -> S {
    let bound = S::reciprocal_factorial(k); // |c_k(s)| ≤ 1/k! for s ≥ 0
    if bound.is_zero() || s.value().is_infinite() {
        // The limit is 0, but for the cosine, which has none.
        return S::from_f64(if k == 0 { f64::NAN } else { 0.0 });
    }
    let (z, delta) = s.root();
    let (sin_delta, cos_delta) = delta.sin_cos();
    if k == 0 {
        let (sin, cos) = z.sin_cos();
        return cos * cos_delta - sin * sin_delta;
    }
    if k % 2 == 1 {
        let (sin, cos) = z.sin_cos();
        let c1 = (sin * cos_delta + cos * sin_delta) / z;
        upwards(c1, 1, k, |c, reciprocal| (reciprocal - c) / s)
    } else {
        // c₂ = (1 − cos √s)/s = 2 sin²(√s/2)/s.
        let half = S::from_f64(0.5);
        let (sin, cos) = (half * z).sin_cos();
        let (sin_delta, cos_delta) = (half * delta).sin_cos();
        let sine = sin * cos_delta + cos * sin_delta;
        let c2 = S::from_f64(2.0) * sine * sine / s;
        upwards(c2, 2, k, |c, reciprocal| (reciprocal - c) / s)
    }
}

/// s = −q < 0: hyperbolic closed forms.
fn growing<S: StumpffArithmetic>(q: S, k: u32) -> S {
    if q.value().is_infinite() {
        return q;
    }
    let (z, delta) = q.root();
    let (start, half) = (k % 2, S::from_f64(0.5));
    if z.value() <= 40.0 {
        let (sinh, cosh) = (z.sinh(), z.cosh());
        let c = if start == 0 { cosh + delta * sinh } else { (sinh + delta * cosh) / z };
        upwards(c, start, k, |c, reciprocal| (c - reciprocal) / q)
    } else if z.value() <= 1400.0 {
        // e^{−z} is below the round-off of e^z. Scaled by a = e^{z/2}, since c_k may be finite
        // where c₀ is not.
        let a = (half * z).exp() * (S::from_f64(1.0) + half * delta);
        let c = if start == 0 { half * a } else { half * a / z };
        upwards(c, start, k, |c, reciprocal| (c - reciprocal / a) / q) * a
    } else {
        // The polynomial part is negligible here: c_k = e^z/(2 z^k).
        (z - S::from_f64(f64::from(k)) * z.ln()).exp() * half
    }
}

/// From c_j for j = `start` to c_k by steps of two.
fn upwards<S: StumpffArithmetic>(c: S, start: u32, k: u32, step: impl Fn(S, S) -> S) -> S {
    let mut c = c;
    for j in (start..k).step_by(2) {
        c = step(c, S::reciprocal_factorial(j));
    }
    c
}
