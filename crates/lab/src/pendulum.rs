//! The planar pendulum in closed form.

use cotangent_scalar::Real;
use cotangent_scalar::figures::short;

use crate::{Elliptic, EllipticError};

/// The motion of a unit mass on the unit circle under gravity g along −y, from any initial data.
///
/// With θ the angle from the lowest point, x = sin θ, y = −cos θ and θ″ = −g sin θ. Write
///
/// $$ s = \sin\tfrac{\theta}{2}, \quad c = \cos\tfrac{\theta}{2}, \quad w = \frac{\theta'}{2\sqrt g},
///    \qquad \kappa^2 = s^2 + w^2 = \frac{E+g}{2g} . $$
///
/// κ is constant. Below 1 the pendulum swings, (s, w, c) = (κ sn, κ cn, dn)(u|κ²) with u′ = √g;
/// above 1 it turns, (s, c, w) = (sn, cn, ±κ dn)(u|κ⁻²) with u′ = ±κ√g; at κ = 1 it creeps up to
/// the highest point, and the functions are hyperbolic.
///
/// The initial phase is never computed. By the addition theorem the values at time t are rational
/// in the initial values and the elliptic functions of the elapsed u alone,
///
/// $$ \mathrm{sn}(a+b) = \frac{\mathrm{sn}\,a\,\mathrm{cn}\,b\,\mathrm{dn}\,b
///    + \mathrm{sn}\,b\,\mathrm{cn}\,a\,\mathrm{dn}\,a}{1 - m\,\mathrm{sn}^2a\,\mathrm{sn}^2b}, $$
///
/// and likewise for cn and dn (Abramowitz & Stegun 16.17). So rest is no special case, and dual
/// numbers give the derivatives by time, g and initial data (for g = 0 or κ = 1, where the formula
/// changes, not by g or energy).
#[derive(Clone, Debug, PartialEq)]
pub struct Pendulum<S> {
    /// sin θ/2 and cos θ/2 at time zero.
    start: (S, S),
    /// θ′ at time zero.
    rate: S,
    orbit: Orbit<S>,
}

#[derive(Clone, Debug, PartialEq)]
enum Orbit<S> {
    /// No gravity: θ′ is constant.
    Free,
    /// κ < 1, rest included. The frequency is √g.
    Libration { frequency: S, functions: Elliptic<S> },
    /// κ = 1.
    Separatrix { frequency: S },
    /// κ > 1.
    Rotation { frequency: S, kappa: S, functions: Elliptic<S> },
}

/// Where the pendulum is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion<S> {
    /// (x, y) on the unit circle.
    pub position: [S; 2],
    /// (x′, y′), which is also the momentum.
    pub velocity: [S; 2],
    /// θ′.
    pub rate: S,
}

/// Data that are not those of a pendulum.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum PendulumError {
    /// g is negative or not finite.
    #[error("the gravity of a pendulum must be finite and not negative, not {value}")]
    Gravity {
        /// g.
        value: f64,
    },
    /// An infinity or NaN among the initial data.
    #[error("the initial data of a pendulum must be finite")]
    NotFinite,
    /// The position is not on the unit circle, to rounding.
    #[error("the pendulum starts off the unit circle: x^2 + y^2 - 1 = {}", short(*defect))]
    OffCircle {
        /// x² + y² − 1.
        defect: f64,
    },
    /// The velocity is not tangent to the circle, to rounding.
    #[error("the velocity of the pendulum is not tangent to the circle: x x' + y y' = {}", short(*defect))]
    NotTangent {
        /// x x′ + y y′.
        defect: f64,
    },
    /// The elliptic functions do not exist (g or the rate is at the end of the range).
    #[error(transparent)]
    Elliptic(#[from] EllipticError),
}

impl<S: Real> Pendulum<S> {
    /// The pendulum through `position` with `velocity`, under gravity `g`.
    ///
    /// # Errors
    /// If g is negative, a value is not finite, or the data are off the circle or its tangent by more
    /// than rounding explains (64 units in the last place).
    pub fn new(g: S, position: [S; 2], velocity: [S; 2]) -> Result<Self, PendulumError> {
        let ([x, y], [vx, vy]) = (position, velocity);
        if ![x, y, vx, vy].into_iter().all(Real::is_finite) {
            return Err(PendulumError::NotFinite);
        }
        let (one, half) = (S::from_f64(1.0), S::from_f64(0.5));
        let slack = 64.0 * S::EPSILON;
        let defect = (x * x + y * y - one).value();
        if defect.is_nan() || defect.abs() > slack {
            return Err(PendulumError::OffCircle { defect });
        }
        let (slope, speed) = ((x * vx + y * vy).value(), vx.value().abs().max(vy.value().abs()));
        if slope.is_nan() || slope.abs() > slack * speed {
            return Err(PendulumError::NotTangent { defect: slope });
        }
        // The half angle from the coordinate that does not cancel.
        let start = if y.value() <= 0.0 {
            let cos = ((one - y) * half).sqrt();
            (x * half / cos, cos)
        } else {
            let sin = ((one + y) * half).sqrt();
            (sin, x * half / sin)
        };
        Self::from_half_angle(g, start, x * vy - y * vx)
    }

    /// The pendulum at `angle` from the lowest point, with θ′ = `rate`, under gravity `g`.
    ///
    /// # Errors
    /// If g is negative or a value is not finite.
    pub fn from_angle(g: S, angle: S, rate: S) -> Result<Self, PendulumError> {
        Self::from_half_angle(g, (angle * S::from_f64(0.5)).sin_cos(), rate)
    }

    fn from_half_angle(g: S, (sin, cos): (S, S), rate: S) -> Result<Self, PendulumError> {
        if !(g.value() >= 0.0 && g.is_finite()) {
            return Err(PendulumError::Gravity { value: g.value() });
        }
        if ![sin, cos, rate].into_iter().all(Real::is_finite) {
            return Err(PendulumError::NotFinite);
        }
        // (−s, −c) is the same place; the closed form of a swing has c > 0.
        let start = if cos.value() < 0.0 { (-sin, -cos) } else { (sin, cos) };
        Ok(Self { start, rate, orbit: Orbit::of(g, start, rate)? })
    }

    /// Position and velocity at a time, positive or negative.
    pub fn at(&self, time: S) -> Motion<S> {
        let (start, half) = (self.start, S::from_f64(0.5));
        let two = S::from_f64(2.0);
        match &self.orbit {
            Orbit::Free => {
                let (sin, cos) = (self.rate * time * half).sin_cos();
                motion(start.0 * cos + start.1 * sin, start.1 * cos - start.0 * sin, self.rate)
            }
            Orbit::Libration { frequency, functions } => {
                let moved = functions.sn_cn_dn(*frequency * time);
                let (s, c, w) = swung(start, self.rate * half / *frequency, moved);
                motion(s, c, two * *frequency * w)
            }
            Orbit::Separatrix { frequency } => {
                let u = *frequency * time;
                let sech = S::from_f64(1.0) / u.cosh();
                let (s, c, w) = swung(start, self.rate * half / *frequency, (u.tanh(), sech, sech));
                motion(s, c, two * *frequency * w)
            }
            Orbit::Rotation { frequency, kappa, functions } => {
                // w is κ dn or −κ dn, and so is the rate of u.
                let speed = if self.rate.value() < 0.0 { -*kappa } else { *kappa };
                let dn = self.rate * half / (*frequency * speed);
                let moved = functions.sn_cn_dn(speed * *frequency * time);
                let (s, c, d) = turned(functions.parameter(), start, dn, moved);
                motion(s, c, two * *frequency * speed * d)
            }
        }
    }

    /// The smallest T > 0 after which the motion repeats itself; none at rest and on the separatrix.
    pub fn period(&self) -> Option<S> {
        let two = S::from_f64(2.0);
        let moves = self.rate.value() != 0.0;
        match &self.orbit {
            Orbit::Free => moves.then(|| two * S::pi() / self.rate.abs()),
            Orbit::Libration { frequency, functions } => {
                let swings = moves || self.start.0.value() != 0.0;
                swings.then(|| S::from_f64(4.0) * functions.quarter_period() / *frequency)
            }
            Orbit::Separatrix { .. } => None,
            Orbit::Rotation { frequency, kappa, functions } => {
                Some(two * functions.quarter_period() / (*kappa * *frequency))
            }
        }
    }
}

impl<S: Real> Orbit<S> {
    fn of(g: S, (sin, cos): (S, S), rate: S) -> Result<Self, EllipticError> {
        if g.value() == 0.0 {
            return Ok(Self::Free);
        }
        let frequency = g.sqrt();
        let w = rate * S::from_f64(0.5) / frequency;
        let energy = sin * sin + w * w;
        // 1 − κ², by the factors of cos² − w².
        let below = (cos - w) * (cos + w);
        Ok(if below.value() > 0.0 {
            Self::Libration { frequency, functions: Elliptic::with_complement(energy, below)? }
        } else if below.value() == 0.0 {
            Self::Separatrix { frequency }
        } else {
            let functions = Elliptic::with_complement(S::from_f64(1.0) / energy, -below / energy)?;
            Self::Rotation { frequency, kappa: energy.sqrt(), functions }
        })
    }
}

fn motion<S: Real>(sin: S, cos: S, rate: S) -> Motion<S> {
    let x = S::from_f64(2.0) * sin * cos;
    let y = (sin - cos) * (sin + cos);
    Motion { position: [x, y], velocity: [-rate * y, rate * x], rate }
}

/// (s, c, w) = (κ sn, dn, κ cn) of a + b, given those of a and (sn, cn, dn) of b.
fn swung<S: Real>((s, c): (S, S), w: S, (sn, cn, dn): (S, S, S)) -> (S, S, S) {
    // 1 − s² sn²
    let denominator = cn * cn + c * c * sn * sn;
    let later = |x: S| x / denominator;
    (later(s * cn * dn + w * c * sn), later(c * dn - s * w * sn * cn), later(w * cn - s * c * sn * dn))
}

/// (sn, cn, dn) of a + b, given (s, c, d) = (sn, cn, dn) of a and those of b.
fn turned<S: Real>(m: S, (s, c): (S, S), d: S, (sn, cn, dn): (S, S, S)) -> (S, S, S) {
    // 1 − m s² sn²
    let denominator = cn * cn + d * d * sn * sn;
    let later = |x: S| x / denominator;
    (later(s * cn * dn + sn * c * d), later(c * cn - s * sn * d * dn), later(d * dn - m * s * c * sn * cn))
}
