//! The canonical state space form in a chart of the constraint manifold.
//!
//! A matrix A of n − m rows is a chart wherever R = [A; G] is regular: δ = A q determines a position
//! q(δ) with φ(q) = 0. With its conjugate momentum θ, p = Aᵀθ + GᵀΘ where Θ is such that
//! ψ(q, p) = 0, and with v = H_p(q, p)
//!
//! δ̇ = A v,   Rᵀ (θ̇, ·) = −H_q − Σᵢ Θᵢ φᵢ,qq v:
//!
//! the Hamiltonian system of Ĥ(δ, θ) = H(q, p) in 2(n − m) variables, without constraints. Back,
//! δ = A q and Rᵀ(θ, ·) = p. A chart is good near a point only: between steps it may be changed for
//! another, which leaves (q, p) as they are.
//! (Leimkuhler & Reich, Math. Comp. 63 (1994), §2.2, eqs. (10)–(11), with a mass matrix and for any H.)

use super::VectorField;
use super::algebra::{replaced, times, transposed_times};
use super::card::{Card, Least, Number, Shape};
use crate::error::TheoryError;
use crate::legendre::{try_whole, whole};
use crate::structure::{Structure, minus};
use cotangent_expr::{
    Array, Dim, Domain, Expr, Ix, Layout, Place, Range, Role, Tensor, Term, rows, solve, solve_transposed,
};

/// What there is to know about it.
pub(super) const CARD: Card = Card {
    name: "local-chart",
    summary: "canonical equations in local coordinates of the constraint manifold",
    equations: &[
        "δ̇ = A v,   A q = δ,   φ(q) = 0",
        "Rᵀ (θ̇, ·) = −H_q − Σᵢ Θᵢ φᵢ,qq v,   R = [A; G]",
        "v = H_p(q, p),   p = Aᵀθ + GᵀΘ,   0 = G v",
    ],
    symbols: "δ are n − m of the coordinates, θ their conjugate momenta; A takes δ out of q.",
    derivation: "The Hamiltonian Ĥ(δ, θ) = H(q, p) on the constraint manifold, in local coordinates: no \
        constraints are left, and every method for ordinary differential equations keeps φ = 0 and ψ = 0. \
        A chart is left for another as soon as that is better (by a factor, --opt threshold=F), \
        measured by |det G_D| for the coordinates D that depend on δ, in units of unit masses. Charts are \
        chosen automatically, or among those that --chart names. (q, p) goes on unchanged, but the energy \
        that a symplectic method nearly keeps depends on the chart: it drifts from chart to chart, more so \
        with a factor above 1, with which a chart is entered elsewhere than it is left. bdf2 starts anew \
        in each chart.",
    integrals: "H; φ = 0 and ψ = 0 hold identically",
    methods: "for methods for ordinary differential equations; symplectic step by step",
    reference: "B. Leimkuhler & S. Reich, Math. Comp. 63 (1994) 589, eqs. (10)–(11), for general H",
    numbers: &[Number {
        name: "threshold",
        meaning: "a chart is changed for one that is better by this factor; 1",
        least: Least::One,
    }],
    canonical: true,
    exact: true,
    model_energy: false,
    full: true,
    shape: Shape::Chart,
    unprojected: None,
    resets: false,
    inside: Some(
        "the momentum along the chart may be none of the Hamiltonian's domain, though that with its reaction is: \
         take another formulation",
    ),
};

/// The equations of motion in a chart that is a parameter.
#[derive(Clone, Debug)]
pub struct LocalChart {
    /// A: one array, n − m rows and n columns.
    pub chart: Layout,
    /// A position near those that are to be found: Newton's method for q(δ) starts there.
    pub reference: Layout,
    /// The rates of (δ, θ).
    pub field: VectorField,
    /// (δ, θ) as a function of (q, p).
    pub restriction: Tensor,
    /// (q, p) as a function of (δ, θ).
    pub lift: Tensor,
    /// A chart is changed for one that is better by this factor.
    pub threshold: f64,
}

/// The equations.
pub(super) fn equations(s: &Structure, threshold: f64) -> Result<LocalChart, TheoryError> {
    let (n, m) = (s.coordinates.len(), s.constraints.shape()[0].len());
    let Some(k) = n.checked_sub(m).filter(|&k| k > 0) else {
        return Err(TheoryError::Unfit { formulation: "local-chart", why: "its constraints leave nothing that moves" });
    };
    let dim = |len: usize| Dim { first: 0, len };
    // Names that no model can have.
    let delta = Array::given("local δ", Role::Coordinate, vec![dim(k)]);
    let theta = Array::given("local θ", Role::Momentum, vec![dim(k)]);
    let chart = Array::given("local chart", Role::Parameter, vec![dim(k), dim(n)]);
    let reference = Array::given("local reference", Role::Parameter, vec![dim(n)]);
    let matrix = matrix(s, &chart, &delta)?;

    let positions = positions(s, &chart, &delta, &reference)?;
    let at_position = |t: &Tensor| replaced(t, &s.coordinates, &positions);
    let reaction = reaction(s, &matrix, &theta, &at_position)?;
    let momenta = momenta(s, &matrix, &theta, &at_position(&s.jacobian)?, &reaction)?;
    let state = s.state();
    let physical: Vec<Array> = positions.iter().chain(&momenta).cloned().collect();
    let at = |t: &Tensor| replaced(t, &state, &physical);

    let velocity = at(&s.hamiltonian_p)?;
    let (given, curvature) = s.curvature()?;
    let curvature = at(&replaced(&curvature, &given, std::slice::from_ref(&reaction))?)?;
    let force = minus(&at(&s.hamiltonian_q)?.plus(&curvature.contract(1, &velocity, 0)?)?);
    // The first n − m entries of the solution are θ̇; the others are reaction forces.
    let rate = solve_transposed("theta_rate", &stacked(&matrix, &at_position(&s.jacobian)?)?, &force)?;
    let own = Layout::new(vec![delta.clone(), theta.clone()]);
    let mut terms = matrix.contract(1, &velocity, 0)?.terms().to_vec();
    terms.push(whole(&theta, |index| Expr::at(&rate, index)));
    let field = VectorField { state: own.clone(), rate: Tensor::new(vec![own.clone()], terms)? };

    let impulses = solve_transposed("theta_of", &stacked(&matrix, &s.jacobian)?, &identity(&s.momenta)?)?;
    let mut terms = matrix.contract(1, &identity(&s.coordinates)?, 0)?.terms().to_vec();
    terms.push(whole(&theta, |index| Expr::at(&impulses, index)));
    let restriction = Tensor::new(vec![own], terms)?;

    let lifted = state.arrays().iter().zip(&physical);
    let lifted = lifted.map(|(own, physical)| whole(own, |index| Expr::at(physical, index)));
    let lift = Tensor::new(vec![state.clone()], lifted.collect())?;
    let (chart, reference) = (Layout::new(vec![chart]), Layout::new(vec![reference]));
    Ok(LocalChart { chart, reference, field, restriction, lift, threshold })
}

/// A over δ and the coordinates.
fn matrix(s: &Structure, chart: &Array, delta: &Array) -> Result<Tensor, TheoryError> {
    let term = |q: &Array| {
        let row = Ix::var(q.dims().len() as u8);
        let mut term = try_whole(q, |index| {
            let column = s.coordinates.flat_index(q, &index)?;
            Ok(Expr::at(chart, vec![row.clone(), column]))
        })?;
        if let Domain::Ranges(ranges) = &mut term.domain {
            let dim = &delta.dims()[0];
            ranges.push(Range { name: "row".into(), low: Ix::constant(dim.first), high: Ix::constant(dim.last()) });
        }
        term.at.insert(0, Place { array: delta.clone(), index: vec![row] });
        Ok(term)
    };
    let terms = s.coordinates.arrays().iter().map(term).collect::<Result<_, TheoryError>>()?;
    Ok(Tensor::new(vec![Layout::new(vec![delta.clone()]), s.coordinates.clone()], terms)?)
}

/// q(δ): A q = δ, φ(q) = 0.
fn positions(s: &Structure, chart: &Array, delta: &Array, reference: &Array) -> Result<Vec<Array>, TheoryError> {
    let unknown = rows("position", s.coordinates.len());
    let in_place = |q: &Array, of: &Array, index: &[Ix]| Ok(Expr::at(of, vec![s.coordinates.flat_index(q, index)?]));
    let named = |of: &Array, name: &str| -> Result<Vec<Array>, TheoryError> {
        let one = |q: &Array| {
            let values =
                Tensor::new(vec![Layout::new(vec![q.clone()])], vec![try_whole(q, |index| in_place(q, of, &index))?])?;
            Ok(Array::defined(&format!("{name}_{}", q.name()), q.dims().to_vec(), values))
        };
        s.coordinates.arrays().iter().map(one).collect()
    };
    let guess = named(&unknown, "guess")?;
    let constraints = replaced(&s.constraints, &s.coordinates, &guess)?;
    // A q − δ over δ, then φ over the constraints.
    let columns =
        Range { name: "column".into(), low: Ix::constant(0), high: Ix::constant(s.coordinates.len() as i64 - 1) };
    let mut product = whole(delta, |mut index| {
        let column = Ix::var(index.len() as u8);
        index.push(column.clone());
        Expr::at(chart, index) * Expr::at(&unknown, vec![column])
    });
    if let Domain::Ranges(ranges) = &mut product.domain {
        ranges.push(columns);
    }
    let shift = whole(delta, |index| -Expr::at(delta, index));
    let shape = Layout::new(vec![delta.clone()]).then(&s.constraints.shape()[0]);
    let terms = [product, shift].into_iter().chain(constraints.terms().iter().cloned()).collect();
    let start = Layout::new(vec![unknown.clone()]);
    let start = Tensor::new(vec![start], vec![whole(&unknown, |index| Expr::at(reference, index))])?;
    let root = Array::root("position", unknown, Tensor::new(vec![shape], terms)?, start)?;
    named(&root, "chart")
}

/// Θ(δ, θ): ψ(q, Aᵀθ + GᵀΘ) = 0.
fn reaction(
    s: &Structure,
    matrix: &Tensor,
    theta: &Array,
    at_position: &dyn Fn(&Tensor) -> Result<Tensor, TheoryError>,
) -> Result<Array, TheoryError> {
    let hidden = at_position(&s.hidden)?;
    if s.hidden_p.jacobian_within(&s.momenta, &s.limits)?.is_zero() {
        // ψ is linear in the momenta: one step of Newton's method from Θ = 0 is the solution.
        let tangential = over_momenta(s, &times(&matrix.transposed()?, theta)?, "tangential")?;
        let residual = replaced(&hidden, &s.momenta, &tangential)?;
        return Ok(solve("reaction", &at_position(&s.gram)?, &minus(&residual))?);
    }
    let unknown = rows("reaction", s.constraints.shape()[0].len());
    let momenta = momenta(s, matrix, theta, &at_position(&s.jacobian)?, &unknown)?;
    let residual = replaced(&hidden, &s.momenta, &momenta)?;
    let start = Tensor::zero(residual.shape().to_vec());
    Ok(Array::root("reaction", unknown, residual, start)?)
}

/// Aᵀθ + GᵀΘ.
fn momenta(
    s: &Structure,
    matrix: &Tensor,
    theta: &Array,
    jacobian: &Tensor,
    reaction: &Array,
) -> Result<Vec<Array>, TheoryError> {
    let sum = times(&matrix.transposed()?, theta)?.plus(&transposed_times(jacobian, reaction)?)?;
    over_momenta(s, &sum, "chart")
}

/// A vector over the coordinates as arrays like the momenta.
fn over_momenta(s: &Structure, vector: &Tensor, name: &str) -> Result<Vec<Array>, TheoryError> {
    let part = |(q, p): (&Array, &Array)| {
        let own = vector.terms().iter().filter(|t| t.at[0].array == *q);
        let moved = own.map(|t| {
            let place = Place { array: p.clone(), index: t.at[0].index.clone() };
            Term { at: vec![place], ..t.clone() }
        });
        let values = Tensor::new(vec![Layout::new(vec![p.clone()])], moved.collect())?;
        Ok(Array::defined(&format!("{name}_{}", p.name()), p.dims().to_vec(), values))
    };
    s.coordinates.arrays().iter().zip(s.momenta.arrays()).map(part).collect()
}

/// R = [A; G].
fn stacked(matrix: &Tensor, jacobian: &Tensor) -> Result<Tensor, TheoryError> {
    let rows = matrix.shape()[0].then(&jacobian.shape()[0]);
    let terms = matrix.terms().iter().chain(jacobian.terms()).cloned().collect();
    Ok(Tensor::new(vec![rows, matrix.shape()[1].clone()], terms)?)
}

/// The vector of all entries of a layout.
fn identity(layout: &Layout) -> Result<Tensor, TheoryError> {
    let terms = layout.arrays().iter().map(|a| whole(a, |index| Expr::at(a, index))).collect();
    Ok(Tensor::new(vec![layout.clone()], terms)?)
}
