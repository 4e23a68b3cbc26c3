//! Sine, cosine and the angle of a point for [`Dd`].

use super::Dd;

impl Dd {
    /// Reduction to |r| ≤ π/4, Taylor series there.
    pub(super) fn sine_cosine(self) -> (Self, Self) {
        if !self.hi.is_finite() {
            return (Self::from(f64::NAN), Self::from(f64::NAN));
        }
        let (r, quadrant) = self.reduced_by_quarter_turns();
        let square = -(r * r);
        let sin = r + r * square * square.factorial_series(3, 14);
        let cos = Self::ONE + square * square.factorial_series(2, 15);
        match quadrant {
            0 => (sin, cos),
            1 => (cos, -sin),
            2 => (-sin, -cos),
            _ => (-cos, sin),
        }
    }

    /// The angle θ of the point (x, y), y = `self`: one correction of the double angle θ₀,
    ///
    /// tan(θ − θ₀) = (y cos θ₀ − x sin θ₀)/(x cos θ₀ + y sin θ₀),
    ///
    /// whose right side is so small that the tangent may be left out.
    pub(super) fn angle(self, x: Self) -> Self {
        let (y, x) = comparable(self, x);
        let guess = y.hi.atan2(x.hi);
        if guess.is_nan() || (y.hi == 0.0 && guess == 0.0) {
            return Self::from(guess);
        }
        if y.hi == 0.0 && x.hi == 0.0 {
            // Signed zeros: the angle of the half-axis.
            return y.angle(Self::from(x.hi.signum()));
        }
        let guess = Self::from(guess);
        let (sin, cos) = guess.sine_cosine();
        guess + (y * cos - x * sin) / (x * cos + y * sin)
    }
}

/// A point in the same direction whose coordinates neither overflow nor, if it matters, underflow.
fn comparable(y: Dd, x: Dd) -> (Dd, Dd) {
    let larger = y.hi.abs().max(x.hi.abs());
    if larger.is_infinite() {
        // Directions of infinity: an infinite coordinate hides a finite one.
        let limit = |c: f64| {
            let size: f64 = if c.is_infinite() { 1.0 } else { 0.0 };
            Dd::from(if c.is_nan() { c } else { size.copysign(c) })
        };
        (limit(y.hi), limit(x.hi))
    } else if larger > 1e250 {
        (y.scaled(-400), x.scaled(-400))
    } else if larger < 1e-100 {
        (y.scaled(500), x.scaled(500))
    } else {
        (y, x)
    }
}
