//! Burgers' equation u_t + u u_x = 0 on a circle, on broken linear functions.
//!
//! On each of n cells of length Δx = L/n the field is u φ + v ψ with the orthonormal φ = Δx^(−1/2), ψ = (12/Δx³)^(1/2)
//! (x − x̄). The bracket of vector fields, piece by piece ([`VectorFields`](crate::VectorFields)), with a factor 1/3 for
//! the speed, and the energy ½∫u² give n systems that do not know of each other,
//!
//! $$ \{u_i, v_i\} = -\tfrac13 C u_i, \quad C = \sqrt{12/\Delta x^3}, \qquad H = \tfrac12 \sum_i (u_i^2 + v_i^2), $$
//!
//! and it is constraints, one at each node, that make the field continuous: uᵢ + √3 vᵢ = uᵢ₊₁ − √3 vᵢ₊₁ ([`broken`]).
//! With nodal values yᵢ = Δx^(1/2) U(xᵢ), uᵢ = (yᵢ₋₁ + yᵢ)/2 and vᵢ = (yᵢ − yᵢ₋₁)/(2√3), they may be met
//!
//! - by Dirac's bracket, or by restricting the inverse of the bracket to y, which is the same ([`reduced`], [`Reduced`]):
//!   a Poisson system, and **no approximation of Burgers' equation**: its bracket is an integral operator;
//! - by the bracket of the averages of both sides at the nodes ([`averaged`]): antisymmetric, so that the energy is kept, but
//!   no Poisson bracket;
//! - by Galerkin's projection ([`Galerkin`]), which is the formulation `projected` of [`broken`], and with a lumped mass by
//!   the scheme of Zabusky and Kruskal ([`zabusky_kruskal`]).
//!
//! The last three approximate Burgers' equation until the shock, to second order. [`Midpoint`] makes steps of [`Galerkin`]
//! and [`Reduced`] in O(n) operations.
//!
//! J. Balk, Local numerical discretization of Euler–Poisson reduction, chapter 4, with signs and factors put right;
//! N. J. Zabusky & M. D. Kruskal, Phys. Rev. Lett. 15 (1965) 240.

mod galerkin;
mod midpoint;
mod reduced;

pub use galerkin::Galerkin;
pub use midpoint::{Midpoint, Ring};
pub use reduced::{Reduced, Splitting, reduced};

use crate::error::{FieldsError, length};
use cotangent_expr::{Array, Expr, Ix};
use cotangent_model::{Sum, System, SystemBuilder};

/// Neighbours of a cell differ from each other, and from those of its neighbours.
const FEWEST: usize = 4;

/// The broken linear functions with the constraints that make them continuous. As many constraints as cells: an odd number
/// of them is refused, as the matrix of their brackets is singular.
///
/// The variables are `u[1..n]`, `v[1..n]`, the constraints `jump[1..n]`, at the right end of each cell. `start` gives
/// u(x, 0).
///
/// ```
/// use cotangent_fields::burgers::broken;
/// use cotangent_expr::{Expr, Function};
///
/// let sine = |x: &Expr| Expr::call(Function::Sin, vec![x.clone()]);
/// assert_eq!(broken(6, sine)?.state().len(), 12);
/// assert!(broken(5, sine).unwrap_err().to_string().contains("take an even number"));
/// # Ok::<(), cotangent_fields::FieldsError>(())
/// ```
pub fn broken(cells: usize, start: impl Fn(&Expr) -> Expr) -> Result<System, FieldsError> {
    enough(cells)?;
    even(cells)?;
    let mut circle = Circle::new("burgers", "Burgers' equation on broken linear functions", cells)?;
    let (n, dx) = (circle.n, circle.dx.clone());
    let u = circle.builder.variable_family("u", 1..=n);
    let v = circle.builder.variable_family("v", 1..=n);
    let root = Expr::from(3).sqrt();
    let strength = (Expr::from(12) / dx.powi(3)).sqrt() / 3;
    circle.builder.bracket_family(1..=n, |i| (at(&u, &i), at(&v, &i), -(strength * at(&u, &i))));
    let jump = Sum::over("i", 1..=n, |i| {
        let next = circle.next(&i);
        at(&u, &i) + &root * at(&v, &i) - at(&u, &next) + &root * at(&v, &next)
    });
    circle.builder.constraint_family("jump", 1..=n, jump);
    let end = |i: &Ix, shift: i64| start(&(Expr::index(i.shifted(shift)) * &dx));
    circle.builder.initial_family(&at(&u, &Ix::var(0)), 1..=n, |i| dx.sqrt() * (end(&i, -1) + end(&i, 0)) / 2);
    let slope = |i: Ix| (&dx / 12).sqrt() * (end(&i, 0) - end(&i, -1));
    circle.builder.initial_family(&at(&v, &Ix::var(0)), 1..=n, slope);
    let energy = Sum::over("i", 1..=n, |i| (at(&u, &i).powi(2) + at(&v, &i).powi(2)) / 2);
    Ok(circle.builder.poisson(&[], energy)?)
}

/// The bracket of nodal averages, in nodal values `u[1..n]` at x = (i − 1)Δx:
///
/// $$ \{U_i, U_{i+1}\} = -\frac{U_i + U_{i+1}}{6\,\Delta x}, \qquad H = \sum_i \tfrac13 U_i^2 + \tfrac16 U_i U_{i+1}. $$
///
/// That of the averages ȳᵢ of both sides of a node of [`broken`] is, where the function is continuous,
/// {ȳᵢ, ȳᵢ₊₁} = −½Δx^(−3/2)(yᵢ + yᵢ₊₁), which moves with u_t = −3 u u_x; here is a third of it, for the speed of Burgers'
/// equation. Jacobi's identity fails, by (Uᵢ − Uᵢ₊₂)/(6Δx)² for neighbours. ((4.7) of Balk, with the left inverse (I, E)/2 of
/// the embedding; the Moore–Penrose inverse gives [`Galerkin`]'s equations.)
pub fn averaged(cells: usize, start: impl Fn(&Expr) -> Expr) -> Result<System, FieldsError> {
    let title = "Burgers' equation with the bracket of nodal averages";
    skew("burgers_averaged", title, cells, start, |y, z| y.powi(2) / 3 + y * z / 6)
}

/// The scheme of Zabusky and Kruskal, U̇ᵢ = −(Uᵢ₊₁ + Uᵢ + Uᵢ₋₁)(Uᵢ₊₁ − Uᵢ₋₁)/(6Δx): the bracket of [`averaged`] with
/// H = ½ ΣUᵢ².
pub fn zabusky_kruskal(cells: usize, start: impl Fn(&Expr) -> Expr) -> Result<System, FieldsError> {
    let title = "Burgers' equation after Zabusky and Kruskal";
    skew("zabusky_kruskal", title, cells, start, |y, _| y.powi(2) / 2)
}

/// {Uᵢ, Uᵢ₊₁} = −(Uᵢ + Uᵢ₊₁)/(6Δx) with an energy Σ h(Uᵢ, Uᵢ₊₁).
fn skew(
    name: &str,
    title: &str,
    cells: usize,
    start: impl Fn(&Expr) -> Expr,
    energy: impl Fn(&Expr, &Expr) -> Expr,
) -> Result<System, FieldsError> {
    let mut circle = Circle::new(name, title, cells)?;
    let (n, dx) = (circle.n, circle.dx.clone());
    let u = circle.builder.variable_family("u", 1..=n);
    let next = |i: &Ix| at(&u, &neighbour(i, n));
    circle.builder.bracket_family(1..=n, |i| (at(&u, &i), next(&i), -(at(&u, &i) + next(&i)) / (Expr::from(6) * &dx)));
    circle.builder.initial_family(&at(&u, &Ix::var(0)), 1..=n, |i| start(&(Expr::index(i.shifted(-1)) * &dx)));
    circle.builder.invariant("momentum", Sum::over("i", 1..=n, |i| at(&u, &i)));
    let total = Sum::over("i", 1..=n, |i| energy(&at(&u, &i), &next(&i)));
    Ok(circle.builder.poisson(&[], total)?)
}

/// n cells on a circle of length `L`, 2π by default.
struct Circle {
    builder: SystemBuilder,
    n: i64,
    dx: Expr,
}

impl Circle {
    fn new(name: &str, title: &str, cells: usize) -> Result<Circle, FieldsError> {
        enough(cells)?;
        let n = i64::try_from(cells).unwrap_or(i64::MAX);
        let mut builder = SystemBuilder::new(name);
        builder.title(title);
        let length = builder.parameter("L", Expr::pi() * 2);
        Ok(Circle { builder, n, dx: length / n })
    }

    fn next(&self, i: &Ix) -> Ix {
        neighbour(i, self.n)
    }
}

/// i + 1 on the ring 1..n.
fn neighbour(i: &Ix, n: i64) -> Ix {
    i.clone().modulo(n).map_or_else(|| i.clone(), |i| i.shifted(1))
}

fn at(array: &Array, i: &Ix) -> Expr {
    Expr::at(array, vec![i.clone()])
}

fn enough(cells: usize) -> Result<(), FieldsError> {
    match cells < FEWEST {
        true => Err(FieldsError::TooFewCells { cells, least: FEWEST }),
        false => Ok(()),
    }
}

fn even(cells: usize) -> Result<(), FieldsError> {
    match cells % 2 {
        0 => Ok(()),
        _ => Err(FieldsError::OddCells { cells }),
    }
}

fn regular(cell_length: f64) -> Result<f64, FieldsError> {
    length("cell length", cell_length)
}
