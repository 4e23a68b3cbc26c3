//! The continuous functions with Dirac's bracket: restricting the inverse of the bracket to the nodal values gives
//!
//! $$ M(y)\,\dot y = \nabla K(y), \qquad M = \frac1c \sum_i \frac{dy_i \wedge dy_{i+1}}{y_i + y_{i+1}}, \quad c = 2\,\Delta
//! x^{-3/2}, $$
//!
//! row by row (ẏᵢ₊₁/sᵢ − ẏᵢ₋₁/sᵢ₋₁)/c = ∂K/∂yᵢ with sᵢ = yᵢ + yᵢ₊₁. Each term of M is closed, so that Jacobi's identity
//! holds. The odd and the even nodes go separate ways: with qᵢ = ẏᵢ₊₁/sᵢ it is qᵢ = (sᵢ₋₂/sᵢ₋₁) qᵢ₋₂ + c ∂K/∂yᵢ once around,
//! O(n) operations, and det M = 0 where the product of all sᵢ with odd i is that with even i: for constants always, for
//! sines if 4 divides n. The bracket M⁻¹ is an integral operator, c y^(1/2) ∂⁻¹ y^(1/2)/Δx, not the −2 y^(1/2) ∂ y^(1/2)
//! of Burgers' equation; the separate sums over odd and even nodes show as a checkerboard from the first step.
//!
//! With the energy ½ Σyᵢ², which is K for smooth y, the flows of its parts are known: while yⱼ for odd j rest,
//! d/dt log(sⱼ/sⱼ₋₁) = c yⱼ, and the even ones follow from the ratios.

use super::{Circle, at, enough, even};
use crate::error::FieldsError;
use cotangent_dynamics::{AnySystem, Canonical, Dynamics, Failure, Family, Field, Split};
use cotangent_expr::{Expr, Ix};
use cotangent_model::{Sum, System};
use cotangent_scalar::{Dual, Scalar};
use cotangent_solve::Pattern;

/// The most cells for which the bracket is written out: it has n²/4 entries of n factors.
const WRITTEN: usize = 32;

/// The bracket M⁻¹ written out, for few cells: to be analysed. The variables are `y[1..n]` = Δx^(1/2) U, the energy is
/// K = Σ yᵢ²/3 + yᵢyᵢ₊₁/6.
pub fn reduced(cells: usize, start: impl Fn(&Expr) -> Expr) -> Result<System, FieldsError> {
    even(cells)?;
    if cells > WRITTEN {
        return Err(FieldsError::TooManyCells { cells, most: WRITTEN });
    }
    let mut circle = Circle::new("burgers_reduced", "Burgers' equation with Dirac's bracket", cells)?;
    let (n, dx) = (circle.n, circle.dx.clone());
    let y = circle.builder.variable_family("y", 1..=n);
    let node = |i: i64| at(&y, &Ix::constant((i - 1).rem_euclid(n) + 1));
    let s = |i: i64| node(i) + node(i + 1);
    let all = |parity: i64| Expr::product((0..n / 2).map(|k| s(parity + 2 * k)));
    let strength = Expr::from(2) / (dx.sqrt() * &dx);
    let mut entries = vec![];
    for j in 1..=n {
        // ẏ for K = yⱼ: qⱼ = c/(1 − Πsⱼ₊₂ₖ/Πsⱼ₋₁₊₂ₖ), and qᵢ = (sᵢ₋₂/sᵢ₋₁) qᵢ₋₂ from there.
        let (own, other) = (all(j), all(j - 1));
        let mut ratio = Expr::one();
        for k in 0..n / 2 {
            let (i, row) = (j + 2 * k, (j + 2 * k).rem_euclid(n) + 1);
            if k > 0 {
                ratio = ratio * s(i - 2) / s(i - 1);
            }
            // {y_row, y_j}, each pair once.
            if row < j {
                entries.push((node(row), node(j), &strength * s(i) * &ratio * &other / (&other - &own)));
            }
        }
    }
    let listed: Vec<(&Expr, &Expr, Expr)> = entries.iter().map(|(a, b, value)| (a, b, value.clone())).collect();
    let begin = |i: Ix| dx.sqrt() * start(&(Expr::index(i.shifted(-1)) * &dx));
    circle.builder.initial_family(&at(&y, &Ix::var(0)), 1..=n, begin);
    let energy = Sum::over("i", 1..=n, |i| {
        let next = circle.next(&i);
        at(&y, &i).powi(2) / 3 + at(&y, &i) * at(&y, &next) / 6
    });
    Ok(circle.builder.poisson(&listed, energy)?)
}

/// Into which parts the energy ½ Σyᵢ² is split.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Splitting {
    /// The nodes of odd number, and those of even number: O(n) operations for a step.
    Sublattices,
    /// Every node for itself: O(n²).
    Nodes,
}

/// The system with Dirac's bracket in numbers, for any even n, O(n) operations for ẏ.
#[derive(Clone, PartialEq, Debug)]
pub struct Reduced {
    cells: usize,
    strength: f64,
    /// Parts of ½ Σyᵢ²; without, the energy is K.
    splitting: Option<Splitting>,
}

impl Reduced {
    /// The system with the energy K on cells of a length.
    pub fn new(cells: usize, cell_length: f64) -> Result<Reduced, FieldsError> {
        enough(cells)?;
        even(cells)?;
        Ok(Reduced { cells, strength: 2.0 / cell_length.powf(1.5), splitting: None })
    }

    /// The same with the energy ½ Σyᵢ², in parts with known flows.
    pub fn split(self, splitting: Splitting) -> Reduced {
        Reduced { splitting: Some(splitting), ..self }
    }

    /// The same with another factor c in place of 2Δx^(−3/2): another unit of time.
    pub fn with_strength(self, strength: f64) -> Reduced {
        Reduced { strength, ..self }
    }

    /// Refuses a start where the brackets of the constraints are singular: where the product over odd nodes is that over
    /// even ones, up to rounding.
    pub fn check(&self, y: &[f64]) -> Result<(), FieldsError> {
        let s = |i: usize| y[i] + y[(i + 1) % y.len()];
        let ratio: f64 = (0..y.len() / 2).map(|k| s(2 * k) / s(2 * k + 1)).product();
        let rounding = 8.0 * f64::EPSILON * y.len() as f64;
        match (ratio - 1.0).abs() > rounding {
            true => Ok(()),
            false => Err(FieldsError::SingularStart { ratio }),
        }
    }

    fn gradient<S: Scalar>(&self, y: &[S], out: &mut [S]) {
        let n = y.len();
        for (i, out) in out.iter_mut().enumerate() {
            *out = match self.splitting {
                Some(_) => y[i],
                None => S::ratio(2, 3) * y[i] + (y[(i + 1) % n] + y[(i + n - 1) % n]) * S::ratio(1, 6),
            };
        }
    }

    /// ẏ = M⁻¹∇K.
    fn rate<S: Scalar>(&self, y: &[S], gradient: &[S], out: &mut [S]) {
        let n = y.len();
        let s = |i: usize| y[i % n] + y[(i + 1) % n];
        let c = S::from_f64(self.strength);
        for parity in 0..2 {
            let coefficient = |i: usize| (s(i + n - 2) / s(i + n - 1), c * gradient[i % n]);
            let mut q = around(n, parity, coefficient);
            for i in (parity..n).step_by(2) {
                out[(i + 1) % n] = s(i) * q;
                let (alpha, beta) = coefficient(i + 2);
                q = alpha * q + beta;
            }
        }
    }
}

/// The x with which xᵢ = αᵢ xᵢ₋₂ + βᵢ closes, once around the nodes i of one parity.
fn around<S: Scalar>(n: usize, first: usize, coefficient: impl Fn(usize) -> (S, S)) -> S {
    let (mut slope, mut constant) = (S::from_f64(1.0), S::from_f64(0.0));
    for i in (first + 2..first + n + 2).step_by(2) {
        let (alpha, beta) = coefficient(i);
        slope = alpha * slope;
        constant = alpha * constant + beta;
    }
    constant / (S::from_f64(1.0) - slope)
}

impl AnySystem for Reduced {
    fn view<'s, S: Scalar + 's>(&'s self) -> Box<dyn Dynamics<'s, S> + 's> {
        Box::new(View(self))
    }

    fn energy<S: Scalar>(&self, y: &[S]) -> S {
        let mut gradient = vec![S::from_f64(0.0); y.len()];
        self.gradient(y, &mut gradient);
        y.iter().zip(&gradient).fold(S::from_f64(0.0), |sum, (&y, &g)| sum + y * g) / S::from_f64(2.0)
    }

    fn is_canonical(&self) -> bool {
        false
    }

    fn names(&self) -> Vec<Family> {
        vec![Family::indexed("y", [(1, self.cells)])]
    }
}

struct View<'s>(&'s Reduced);

impl<'s, S: Scalar + 's> Dynamics<'s, S> for View<'s> {
    fn canonical(&self) -> Result<Option<Box<dyn Canonical<S> + 's>>, Failure> {
        Ok(None)
    }

    fn field(&self) -> Result<Option<Box<dyn Field<S> + 's>>, Failure> {
        Ok(Some(Box::new(View(self.0))))
    }

    fn has_split(&self) -> bool {
        self.0.splitting.is_some()
    }

    fn split(&self) -> Result<Option<Box<dyn Split<S> + 's>>, Failure> {
        Ok(self.0.splitting.map(|splitting| Box::new(Parts { system: self.0, splitting }) as Box<dyn Split<S>>))
    }

    fn manifold(&self) -> Result<Option<Box<dyn Canonical<S> + 's>>, Failure> {
        Ok(None)
    }
}

impl<S: Scalar> Field<S> for View<'_> {
    fn dimension(&self) -> usize {
        self.0.cells
    }

    fn jacobian_pattern(&mut self) -> Result<Pattern, Failure> {
        Pattern::dense(self.0.cells, self.0.cells).map_err(Failure::of)
    }

    fn rate(&mut self, y: &[S], out: &mut [S]) -> Result<(), Failure> {
        let mut gradient = vec![S::from_f64(0.0); y.len()];
        self.0.gradient(y, &mut gradient);
        self.0.rate(y, &gradient, out);
        Ok(())
    }

    fn jacobian(&mut self, y: &[S], out: &mut [S]) -> Result<(), Failure> {
        let n = y.len();
        let zero = Dual::constant(S::from_f64(0.0));
        let mut point: Vec<Dual<S>> = y.iter().map(|&y| Dual::constant(y)).collect();
        let (mut gradient, mut rate) = (vec![zero; n], vec![zero; n]);
        for j in 0..n {
            point[j] = Dual::variable(y[j], 0);
            self.0.gradient(&point, &mut gradient);
            self.0.rate(&point, &gradient, &mut rate);
            point[j] = Dual::constant(y[j]);
            (0..n).for_each(|i| out[i * n + j] = rate[i].tangent[0]);
        }
        Ok(())
    }
}

/// The flows of the parts of ½ Σyᵢ².
struct Parts<'s> {
    system: &'s Reduced,
    splitting: Splitting,
}

impl<S: Scalar> Split<S> for Parts<'_> {
    fn dimension(&self) -> usize {
        self.system.cells
    }

    fn parts(&self) -> usize {
        match self.splitting {
            Splitting::Sublattices => 2,
            Splitting::Nodes => self.system.cells,
        }
    }

    /// With ρⱼ = sⱼ/sⱼ₋₁ and eⱼ = exp(c h yⱼ) it is ρⱼ → eⱼρⱼ: the changes δ of the other nodes follow from
    /// δⱼ₊₁ = ρⱼeⱼ δⱼ₋₁ + (eⱼ − 1) sⱼ.
    fn increment(&mut self, part: usize, h: S, y: &[S], out: &mut [S]) -> Result<(), Failure> {
        let n = y.len();
        let one = S::from_f64(1.0);
        let s = |i: usize| y[i % n] + y[(i + 1) % n];
        let c = S::from_f64(self.system.strength) * h;
        let moves = |i: usize| self.splitting == Splitting::Sublattices || i % n == part;
        let coefficient = |i: usize| {
            let factor = if moves(i) { (c * y[i % n]).exp() } else { one };
            (s(i) / s(i + n - 1) * factor, (factor - one) * s(i))
        };
        let parity = part % 2;
        let mut delta = around(n, parity, coefficient);
        out.fill(S::from_f64(0.0));
        for i in (parity..n).step_by(2) {
            out[(i + 1) % n] = delta;
            let (alpha, beta) = coefficient(i + 2);
            delta = alpha * delta + beta;
        }
        Ok(())
    }
}
