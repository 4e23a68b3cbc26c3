//! Lie algebras of vector fields on a line, by exact integration of piecewise polynomials.
//!
//! Vector fields u(x)∂ₓ have the bracket [u, v] = u v′ − u′ v. Basis functions eᵢ whose brackets are sums of them,
//!
//! $$ [e_i, e_j] = \sum_k C_{ij}^k\, e_k, $$
//!
//! span a Lie algebra. With velocities u = Σ ξᵢeᵢ, an energy ½ ξᵀQξ and momenta m = Qξ the Euler–Poincaré equations
//! d/dt ⟨m, w⟩ = ⟨m, \[u, w\]⟩ are the Lie–Poisson system
//!
//! $$ \{m_i, m_j\} = \sum_k C_{ji}^k\, m_k, \qquad H = \tfrac12\, m^\mathsf{T} Q^{-1} m. $$
//!
//! (Clebsch variables lead to the same: the momentum of a particle that u carries along is a map to the dual of the algebra,
//! and it is a Poisson map because the basis closes.) Derivatives are taken piece by piece, jumps between pieces do not
//! count; so functions that are discontinuous there make pieces that do not know of each other. With Q the matrix of
//! ∫eᵢeⱼ the equations approach u_t = −3 u u_x.

use crate::error::FieldsError;
use crate::rational::{Fraction, derivative, integral, inverse, printed, product, sum};
use cotangent_expr::{Expr, Ix, Number};
use cotangent_model::{System, SystemBuilder};

/// A function that is a polynomial between points.
#[derive(Clone, PartialEq, Debug)]
pub struct PiecewisePolynomial {
    /// The points, increasing.
    pub points: Vec<Number>,
    /// For each piece the coefficients of growing powers of x − x₀, with x₀ the left end of the piece.
    pub pieces: Vec<Vec<Number>>,
}

/// A coefficient C of [eᵢ, eⱼ] = … + C eₖ, with i < j; functions are counted from 0.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StructureConstant {
    /// The first function of the bracket.
    pub i: usize,
    /// The second.
    pub j: usize,
    /// The function in the result.
    pub k: usize,
    /// Its coefficient.
    pub value: Number,
}

/// A Lie algebra of vector fields with a basis of piecewise polynomials.
///
/// ```
/// use cotangent_expr::Number;
/// use cotangent_fields::{PiecewisePolynomial, VectorFields};
///
/// // 1, x and x² on one piece: sl(2, R).
/// let power = |k: usize| PiecewisePolynomial {
///     points: vec![Number::from(0), Number::from(1)],
///     pieces: vec![(0..=k).map(|i| Number::from((i == k) as i64)).collect()],
/// };
/// let algebra = VectorFields::new(&[power(0), power(1), power(2)])?;
/// assert_eq!(algebra.constants().len(), 3);
/// let cubic = VectorFields::new(&[power(0), power(1), power(2), power(3)]);
/// assert!(cubic.unwrap_err().to_string().contains("span no Lie algebra"));
/// # Ok::<(), cotangent_fields::FieldsError>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct VectorFields {
    constants: Vec<StructureConstant>,
    gram: Vec<Vec<Number>>,
}

impl VectorFields {
    /// The algebra that functions span; refused if they depend on each other, or some bracket is no sum of them.
    pub fn new(basis: &[PiecewisePolynomial]) -> Result<VectorFields, FieldsError> {
        let points = basis.first().map(|e| &e.points).ok_or(FieldsError::NoFunctions)?;
        for (k, e) in basis.iter().enumerate() {
            let increasing = e.points.windows(2).all(|w| w[0] < w[1]);
            if e.points != *points || e.pieces.len() + 1 != points.len() || !increasing {
                return Err(FieldsError::OtherMesh { function: k + 1 });
            }
        }
        let fractions = |list: &[Number]| list.iter().map(|&x| Fraction::new(x)).collect::<Vec<_>>();
        let lengths: Vec<Fraction> = fractions(points).windows(2).map(|w| w[1] - w[0]).collect();
        let functions: Vec<Pieces> = basis.iter().map(|e| e.pieces.iter().map(|p| fractions(p)).collect()).collect();
        let paired = |a: &Pieces, b: &Pieces| {
            let parts = a.iter().zip(b).zip(&lengths).map(|((a, b), &l)| integral(&product(a, b), l));
            parts.fold(Fraction::ZERO, |sum, part| sum + part)
        };
        let row = |a: &Pieces| functions.iter().map(|b| paired(a, b)).collect();
        let gram: Vec<Vec<Fraction>> = functions.iter().map(row).collect();
        let Some(inverted) = inverse(&gram)? else {
            return Err(FieldsError::Dependent { function: dependent(&gram)? });
        };
        let mut constants = vec![];
        for (i, a) in functions.iter().enumerate() {
            for (j, b) in functions.iter().enumerate().skip(i + 1) {
                let bracket: Pieces = a.iter().zip(b).map(|(a, b)| commutator(a, b)).collect();
                let moments: Vec<Fraction> = functions.iter().map(|e| paired(e, &bracket)).collect();
                let coefficient =
                    |row: &Vec<Fraction>| row.iter().zip(&moments).fold(Fraction::ZERO, |sum, (&g, &m)| sum + g * m);
                let found: Vec<Fraction> = inverted.iter().map(coefficient).collect();
                // The projection onto the basis is the bracket itself, or there is no algebra.
                for (piece, own) in bracket.iter().enumerate() {
                    let rest = functions.iter().zip(&found).fold(own.clone(), |r, (e, &c)| sum(&r, -c, &e[piece]));
                    let remainder = printed(&rest)?;
                    if !remainder.is_empty() {
                        return Err(FieldsError::NotClosed {
                            first: i + 1,
                            second: j + 1,
                            remainder,
                            from: points[piece].to_string(),
                            to: points[piece + 1].to_string(),
                        });
                    }
                }
                for (k, c) in found.into_iter().enumerate() {
                    if !c.is_zero()? {
                        constants.push(StructureConstant { i, j, k, value: c.number()? });
                    }
                }
            }
        }
        Ok(VectorFields { constants, gram: numbers(&gram)? })
    }

    /// Constant and linear functions on each of so many cells of a length, not continuous between them: 1 and x − x̄ on
    /// the first, with x̄ its middle, then on the next.
    pub fn broken_linear(cells: usize, length: Number) -> Result<VectorFields, FieldsError> {
        let points: Vec<Number> = (0..=cells as i64).map(|k| Number::from(k) * length).collect();
        let on = |cell: usize, own: Vec<Number>| {
            let pieces = (0..cells).map(|k| if k == cell { own.clone() } else { vec![] }).collect();
            PiecewisePolynomial { points: points.clone(), pieces }
        };
        // x − x̄, so that the two are orthogonal.
        let linear = vec![length * -Number::HALF, Number::ONE];
        let both = |cell| [on(cell, vec![Number::ONE]), on(cell, linear.clone())];
        VectorFields::new(&(0..cells).flat_map(both).collect::<Vec<_>>())
    }

    /// The structure constants that are not zero.
    pub fn constants(&self) -> &[StructureConstant] {
        &self.constants
    }

    /// The matrix of ∫eᵢeⱼ dx: twice the kinetic energy of a fluid of density 1.
    pub fn gram(&self) -> &[Vec<Number>] {
        &self.gram
    }

    /// The Lie–Poisson system of an energy ½ ξᵀQξ of velocities u = Σ ξᵢeᵢ, in the momenta `m[1..]` = Qξ. Without Q that
    /// of [`gram`](VectorFields::gram).
    pub fn lie_poisson(&self, name: &str, energy: Option<&[Vec<Number>]>) -> Result<System, FieldsError> {
        let size = self.gram.len();
        let q = energy.unwrap_or(&self.gram);
        let symmetric = q.len() == size
            && q.iter().all(|row| row.len() == size)
            && (0..size).all(|i| (0..i).all(|j| q[i][j] == q[j][i]));
        let fractions = |row: &Vec<Number>| row.iter().map(|&x| Fraction::new(x)).collect();
        let inverted = if symmetric { inverse(&q.iter().map(fractions).collect::<Vec<_>>())? } else { None };
        let Some(inverted) = inverted else { return Err(FieldsError::NotAnEnergy { size }) };
        let inverted = numbers(&inverted)?;
        let mut builder = SystemBuilder::new(name);
        let m = builder.variable_family("m", 1..=size as i64);
        let at = |i: usize| Expr::at(&m, vec![Ix::constant(i as i64 + 1)]);
        // {m_i, m_j} = Σ C_ji^k m_k = −Σ C_ij^k m_k.
        let of_pair = |list: &[StructureConstant]| {
            let value = Expr::sum(list.iter().map(|c| at(c.k).scale(-c.value)));
            list.first().map(|c| (at(c.i), at(c.j), value))
        };
        let pairs = self.constants.chunk_by(|a, b| (a.i, a.j) == (b.i, b.j));
        let entries: Vec<(Expr, Expr, Expr)> = pairs.filter_map(of_pair).collect();
        let listed: Vec<(&Expr, &Expr, Expr)> = entries.iter().map(|(a, b, value)| (a, b, value.clone())).collect();
        let energy = (0..size).flat_map(|i| {
            let (at, inverted) = (&at, &inverted);
            (0..size).map(move |j| (at(i) * at(j)).scale(inverted[i][j] * Number::HALF))
        });
        Ok(builder.poisson(&listed, Expr::sum(energy))?)
    }
}

/// The polynomials of a function, piece by piece.
type Pieces = Vec<Vec<Fraction>>;

fn numbers(matrix: &[Vec<Fraction>]) -> Result<Vec<Vec<Number>>, FieldsError> {
    matrix.iter().map(|row| row.iter().map(|x| x.number()).collect()).collect()
}

/// a b′ − a′ b.
fn commutator(a: &[Fraction], b: &[Fraction]) -> Vec<Fraction> {
    sum(&product(a, &derivative(b)), -Fraction::ONE, &product(&derivative(a), b))
}

/// The number, from 1, of the first function that depends on those before it.
fn dependent(gram: &[Vec<Fraction>]) -> Result<usize, FieldsError> {
    for k in 1..=gram.len() {
        let leading: Vec<Vec<Fraction>> = gram[..k].iter().map(|row| row[..k].to_vec()).collect();
        if inverse(&leading)?.is_none() {
            return Ok(k);
        }
    }
    Ok(gram.len())
}
