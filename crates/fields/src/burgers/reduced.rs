//! The continuous functions with Dirac's bracket: restricting the inverse of the bracket to the nodal values gives
//!
//! $$ M(y)\,\dot y = \nabla K(y), \qquad M = \frac1c \sum_i \frac{dy_i \wedge dy_{i+1}}{y_i + y_{i+1}}, \quad c = 2\,\Delta
//! x^{-3/2}, $$
//!
//! row by row (ẏᵢ₊₁/sᵢ − ẏᵢ₋₁/sᵢ₋₁)/c = ∂K/∂yᵢ with sᵢ = yᵢ + yᵢ₊₁ and K = Σ yᵢ²/3 + yᵢyᵢ₊₁/6. Each term of M is closed, so that Jacobi's identity
//! holds. The odd and the even nodes go separate ways: with qᵢ = ẏᵢ₊₁/sᵢ it is qᵢ = (sᵢ₋₂/sᵢ₋₁) qᵢ₋₂ + c ∂K/∂yᵢ once around,
//! O(n) operations, and det M = 0 where the product of all sᵢ with odd i is that with even i: for constants always, for
//! sines if 4 divides n. The bracket M⁻¹ is an integral operator, c y^(1/2) ∂⁻¹ y^(1/2)/Δx, not the −⅔ y^(1/2) ∂ y^(1/2)
//! of Burgers' equation; the separate sums over odd and even nodes show as a checkerboard from the first step.
//!
//! With the energy ½ Σyᵢ², which is K for smooth y, the flows of its parts are known: while yⱼ for odd j rest,
//! d/dt log(sⱼ/sⱼ₋₁) = c yⱼ, and the even ones follow from the ratios.

use super::{Circle, Ring, at, enough, even, regular};
use crate::error::FieldsError;
use cotangent_dynamics::{AnySystem, Dynamics, Failure, Family, Field, Split};
use cotangent_expr::{Expr, Ix};
use cotangent_model::{Sum, System};
use cotangent_scalar::{Dual, Scalar};
use cotangent_solve::Pattern;

/// The most cells for which the bracket is written out: it has n²/4 entries of n factors.
const WRITTEN: usize = 32;

/// The bracket M⁻¹ written out, for few cells: to be analysed. The variables are `y[1..n]` = Δx^(1/2) U, the energy is
/// K = Σ yᵢ²/3 + yᵢyᵢ₊₁/6.
pub fn reduced(cells: usize, start: impl Fn(&Expr) -> Expr) -> Result<System, FieldsError> {
    enough(cells)?;
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

/// The system with Dirac's bracket in numbers, for any even n: O(n) operations for ẏ, and for a step of
/// [`Midpoint`](super::Midpoint) or of a splitting into sublattices. ∂ẏ/∂y is full, so that other implicit methods take O(n³).
/// Where M is singular, up to rounding, every method ends with [`FieldsError::Singular`].
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
        Ok(Reduced { cells, strength: 2.0 / regular(cell_length)?.powf(1.5), splitting: None })
    }

    /// The same with the energy ½ Σyᵢ², in parts with known flows.
    pub fn split(self, splitting: Splitting) -> Reduced {
        Reduced { splitting: Some(splitting), ..self }
    }

    /// The same with another factor c in place of 2Δx^(−3/2): another unit of time.
    pub fn with_strength(self, strength: f64) -> Reduced {
        Reduced { strength, ..self }
    }

    /// ∂K/∂yᵢ from yᵢ₋₁, yᵢ, yᵢ₊₁, or that of ½ Σyᵢ².
    fn slope<S: Scalar>(&self, [before, own, after]: [S; 3]) -> S {
        match self.splitting {
            Some(_) => own,
            None => S::ratio(2, 3) * own + (after + before) * S::ratio(1, 6),
        }
    }

    fn gradient<S: Scalar>(&self, y: &[S], out: &mut [S]) {
        let n = y.len();
        for (i, out) in out.iter_mut().enumerate() {
            *out = self.slope([y[(i + n - 1) % n], y[i], y[(i + 1) % n]]);
        }
    }

    /// ẏ = M⁻¹∇K.
    fn rate<S: Scalar>(&self, y: &[S], gradient: &[S], out: &mut [S]) -> Result<(), FieldsError> {
        let n = y.len();
        let s = sums(y);
        let c = S::from_f64(self.strength);
        for parity in 0..2 {
            let link = |i: usize| Link { after: s(i + n - 1), before: s(i + n - 2), source: c * gradient[i % n] };
            closed(n, parity, link, |i, q| out[(i + 1) % n] = s(i) * q)?;
        }
        Ok(())
    }
}

/// sᵢ = yᵢ + yᵢ₊₁, i modulo n.
fn sums<S: Scalar>(y: &[S]) -> impl Fn(usize) -> S {
    move |i| y[i % y.len()] + y[(i + 1) % y.len()]
}

/// a xᵢ = b xᵢ₋₂ + a β.
struct Link<S> {
    /// a
    after: S,
    /// b
    before: S,
    /// β
    source: S,
}

/// Solves such equations for all i of one parity, once around the nodes: forward by b/a or backward by a/b, whichever makes
/// errors smaller. So one of the a, or of the b, may vanish, and where both do the matrix is singular.
fn closed<S: Scalar>(
    n: usize,
    parity: usize,
    link: impl Fn(usize) -> Link<S>,
    mut put: impl FnMut(usize, S),
) -> Result<(), FieldsError> {
    let one = S::from_f64(1.0);
    let growth = (parity..n).step_by(2).fold(one, |growth, i| growth * (link(i).before / link(i).after));
    let forward = growth.known().is_none_or(|growth| growth.abs() <= 1.0);
    // The map from x to x, one place further.
    let map = |k: usize| {
        let Link { after, before, source } = if forward { link(parity + 2 * k + 2) } else { link(parity + n - 2 * k) };
        match forward {
            true => (before / after, source),
            false => (after / before, -(after / before * source)),
        }
    };
    let (mut slope, mut constant) = (one, S::from_f64(0.0));
    for k in 0..n / 2 {
        let (factor, source) = map(k);
        (slope, constant) = (factor * slope, factor * constant + source);
    }
    let gap = one - slope;
    if gap.known().is_some_and(|gap| gap.abs() <= rounding(n) || gap.is_nan()) {
        return Err(FieldsError::Singular);
    }
    let mut x = constant / gap;
    for k in 0..n / 2 {
        put(if forward { parity + 2 * k } else { (parity + n - 2 * k) % n }, x);
        let (factor, source) = map(k);
        x = factor * x + source;
    }
    Ok(())
}

/// What rounding makes of a product of n quotients.
fn rounding(n: usize) -> f64 {
    8.0 * f64::EPSILON * n as f64
}

impl Ring for Reduced {
    fn nodes(&self) -> usize {
        self.cells
    }

    /// sᵢ₋₁sᵢ times row i of M v − h∇K, so that no sum divides.
    fn row<S: Scalar>(&self, y: [S; 3], v: [S; 3], h: S) -> S {
        let (before, after) = (y[0] + y[1], y[1] + y[2]);
        let c = S::from_f64(self.strength);
        v[2] * before - v[0] * after - h * c * before * after * self.slope(y)
    }

    /// Refuses states where the brackets of the constraints are singular: where the product of sᵢ over odd i is that over
    /// even i, up to rounding.
    fn check(&self, y: &[f64]) -> Result<(), FieldsError> {
        if y.len() != self.cells {
            return Err(FieldsError::OtherLength { given: y.len(), cells: self.cells });
        }
        distinct(y)
    }
}

/// Refuses y with the same product of sᵢ over odd and over even i, up to rounding.
fn distinct<S: Scalar>(y: &[S]) -> Result<(), FieldsError> {
    let s = sums(y);
    let ratio = |first: usize| (first..y.len()).step_by(2).fold(S::from_f64(1.0), |r, i| r * (s(i) / s(i + 1)));
    let Some((odd, even)) = ratio(0).known().zip(ratio(1).known()) else { return Ok(()) };
    let gap = 1.0 - if odd.abs() <= 1.0 { odd } else { even };
    match gap.abs() > rounding(y.len()) {
        true => Ok(()),
        false => Err(FieldsError::Singular),
    }
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
    fn field(&self) -> Result<Option<Box<dyn Field<S> + 's>>, Failure> {
        Ok(Some(Box::new(View(self.0))))
    }

    fn has_split(&self) -> bool {
        self.0.splitting.is_some()
    }

    fn split(&self) -> Result<Option<Box<dyn Split<S> + 's>>, Failure> {
        Ok(self.0.splitting.map(|splitting| Box::new(Parts { system: self.0, splitting }) as Box<dyn Split<S>>))
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
        self.0.rate(y, &gradient, out).map_err(Failure::of)
    }

    fn jacobian(&mut self, y: &[S], out: &mut [S]) -> Result<(), Failure> {
        let n = y.len();
        let zero = Dual::constant(S::from_f64(0.0));
        let mut point: Vec<Dual<S>> = y.iter().map(|&y| Dual::constant(y)).collect();
        let (mut gradient, mut rate) = (vec![zero; n], vec![zero; n]);
        for j in 0..n {
            point[j] = Dual::variable(y[j], 0);
            self.0.gradient(&point, &mut gradient);
            self.0.rate(&point, &gradient, &mut rate).map_err(Failure::of)?;
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
        // Where M is singular the equations for δ still have solutions, which do not go to zero with h.
        distinct(y).map_err(Failure::of)?;
        let n = y.len();
        let one = S::from_f64(1.0);
        let s = sums(y);
        let c = S::from_f64(self.system.strength) * h;
        let moves = |i: usize| self.splitting == Splitting::Sublattices || i % n == part;
        let link = |i: usize| {
            let factor = if moves(i) { (c * y[i % n]).exp() } else { one };
            Link { after: s(i + n - 1), before: s(i) * factor, source: (factor - one) * s(i) }
        };
        out.fill(S::from_f64(0.0));
        closed(n, part % 2, link, |i, delta| out[(i + 1) % n] = delta).map_err(Failure::of)
    }
}
