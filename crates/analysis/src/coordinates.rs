//! A Poisson system in other coordinates u(z): {uᵢ, uⱼ} = (A B Aᵀ)ᵢⱼ with A = ∂u/∂z, and K(u) = H(z(u)).
//!
//! The inverse z(u) is found where u(z) is affine, A z + c with A and c made of parameters; otherwise it has to be given, and is
//! tried: z(u(z)) = z.

use crate::algebra::{Field, Fraction, Row, WORK, Work, inverse, size_cost};
use crate::analyze::signs;
use crate::error::AnalysisError;
use crate::poisson::everywhere;
use crate::report::Outcome;
use crate::sample::Sampler;
use crate::surface::KnownSurface;
use cotangent_expr::{Expr, Function, Node};
use cotangent_model::{Dynamics, System};
use cotangent_scalar::Limits;
use cotangent_theory::phase::Phase;
use std::collections::HashMap;
use std::rc::Rc;

/// Why there are no new coordinates.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum CoordinatesError {
    /// The system has no bracket.
    #[error("the model is {0}, and coordinates are changed in Poisson models")]
    NotPoisson(&'static str),
    /// Too few or too many.
    #[error("{given} new coordinates are given for {needed} variables")]
    Number {
        /// How many are given.
        given: usize,
        /// How many variables there are.
        needed: usize,
    },
    /// A linear map that is singular.
    #[error("the new coordinates depend on each other: their Jacobian is singular")]
    Singular,
    /// Not affine, and no inverse.
    #[error("`{0}` is not linear in the variables, and the inverse is not given")]
    NotAffine(String),
    /// An inverse that is none.
    #[error("the inverse is none: with the new coordinates put in, {variable} is off by {residual}")]
    NotInverse {
        /// The variable.
        variable: String,
        /// By how much it is off.
        residual: Expr,
    },
    /// Not decided whether the inverse is one.
    #[error(
        "not decided whether the inverse is one: it is not shown that {0} comes back with the new coordinates put in; where it \
         has a root, {0} may come back with another sign"
    )]
    Undecided(String),
    /// Formulas that are too large.
    #[error("the inverse is too large to be written out")]
    TooLarge,
    /// Something else.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
}

impl From<cotangent_expr::Error> for CoordinatesError {
    fn from(error: cotangent_expr::Error) -> CoordinatesError {
        CoordinatesError::Analysis(error.into())
    }
}

/// A Poisson system in other coordinates.
pub struct Coordinates {
    /// The old variables, by the new ones.
    pub inverse: Vec<Expr>,
    /// The brackets of the new ones that do not vanish: i < j, {uᵢ, uⱼ}.
    pub bracket: Vec<(usize, usize, Expr)>,
    field: Field,
    by: HashMap<Expr, Expr>,
}

impl Coordinates {
    /// From the new coordinates as functions of the variables, with the symbols that they get, and the variables as functions
    /// of those, if they are given.
    pub fn new(
        system: &System,
        functions: &[Expr],
        symbols: &[Expr],
        inverse: Option<Vec<Expr>>,
        limits: &Limits,
    ) -> Result<Coordinates, CoordinatesError> {
        let Dynamics::Poisson { variables, bracket, .. } = &system.dynamics else {
            return Err(CoordinatesError::NotPoisson(system.dynamics.kind()));
        };
        let phase = Phase::general(variables, bracket)?;
        let given = functions.len();
        if given != phase.len() || inverse.as_ref().is_some_and(|i| i.len() != given) {
            return Err(CoordinatesError::Number { given, needed: phase.len() });
        }
        let work = Rc::new(Work::new(WORK, limits));
        let mut field = Field::new(work.clone(), signs(system));
        let inverse = match inverse {
            Some(inverse) => {
                let sampler = Sampler::new(system, &phase.layout, work.clone());
                let mut surface = KnownSurface::new(sampler, field, phase.len());
                tried(&phase, functions, symbols, &inverse, &mut surface)?;
                inverse
            }
            None => affine(&phase, functions, symbols, &mut field)?,
        };
        // The new symbols may have names of old ones: a field of their own.
        let by = phase.symbols.iter().cloned().zip(inverse.iter().cloned()).collect();
        let mut out = Coordinates { inverse, bracket: vec![], field: Field::new(work, signs(system)), by };
        for (i, f) in functions.iter().enumerate() {
            let flow = phase.flow(&phase.gradient(f)?);
            for (j, g) in functions.iter().enumerate().skip(i + 1) {
                // {g, f} = ∇g·{z, f}
                let entry = out.put_in(&-Phase::pair(&phase.gradient(g)?, &flow));
                if !entry.is_zero() {
                    out.bracket.push((i, j, entry));
                }
            }
        }
        limits.check().map_err(AnalysisError::from)?;
        Ok(out)
    }

    /// A function of the variables as one of the new coordinates, as short as it is known.
    pub fn put_in(&mut self, e: &Expr) -> Expr {
        let new = without_inverse_pairs(&put_in(e, &self.by));
        match self.field.normal(&new) {
            Some(f) if f.is_zero() => Expr::zero(),
            _ => self.field.simplified(&new),
        }
    }
}

fn put_in(e: &Expr, by: &HashMap<Expr, Expr>) -> Expr {
    e.rewrite(&mut |leaf| match leaf.node() {
        Node::At(..) => by.get(leaf).cloned(),
        _ => None,
    })
}

/// log(exp(u)) is u: what logarithms as coordinates make of an energy.
fn without_inverse_pairs(e: &Expr) -> Expr {
    match e.node() {
        Node::Add(constant, terms) => {
            Expr::linear(*constant, terms.iter().map(|(c, t)| (*c, without_inverse_pairs(t))))
        }
        Node::Mul(factors) => Expr::product(factors.iter().map(|(base, k)| without_inverse_pairs(base).pow(*k))),
        Node::Call(f, args) => {
            let args: Vec<Expr> = args.iter().map(without_inverse_pairs).collect();
            match (f, args.first().map(Expr::node)) {
                (Function::Log, Some(Node::Call(Function::Exp, inner))) => inner[0].clone(),
                _ => Expr::call(*f, args),
            }
        }
        _ => e.clone(),
    }
}

/// z = A⁻¹(u − c) for u = A z + c.
fn affine(
    phase: &Phase,
    functions: &[Expr],
    symbols: &[Expr],
    field: &mut Field,
) -> Result<Vec<Expr>, CoordinatesError> {
    let zeros: HashMap<Expr, Expr> = phase.symbols.iter().map(|z| (z.clone(), Expr::zero())).collect();
    let mut rows: Vec<Row> = vec![];
    let mut shifted = vec![];
    for (f, u) in functions.iter().zip(symbols) {
        let mut row = Row::new();
        for (j, slope) in phase.gradient(f)? {
            let entry = field.normal(&slope).ok_or(CoordinatesError::TooLarge)?;
            let constant = |f: &Fraction| field.only_parameters(&f.numerator) && field.only_parameters(&f.denominator);
            if !entry.is_zero() && !constant(&entry) {
                return Err(CoordinatesError::NotAffine(u.to_string()));
            }
            row.insert(j, entry);
        }
        row.retain(|_, entry| !entry.is_zero());
        rows.push(row);
        shifted.push(u - put_in(f, &zeros));
    }
    let back = inverse(field, &rows, &mut Some, &mut size_cost).ok_or(CoordinatesError::Singular)?;
    let mut out = vec![];
    for row in back {
        let mut terms = vec![];
        for (k, c) in row {
            terms.push(field.expression(&c).ok_or(CoordinatesError::TooLarge)? * &shifted[k]);
        }
        out.push(Expr::sum(terms));
    }
    Ok(out)
}

/// Whether z(u(z)) = z.
fn tried(
    phase: &Phase,
    functions: &[Expr],
    symbols: &[Expr],
    inverse: &[Expr],
    surface: &mut KnownSurface,
) -> Result<(), CoordinatesError> {
    let by: HashMap<Expr, Expr> = symbols.iter().cloned().zip(functions.iter().cloned()).collect();
    for ((z, back), name) in phase.symbols.iter().zip(inverse).zip(&phase.names) {
        let residual = put_in(back, &by) - z;
        match everywhere(surface, std::slice::from_ref(&residual))?.0 {
            Outcome::Holds(_) => {}
            Outcome::Fails => {
                let residual = surface.simplified(&residual);
                return Err(CoordinatesError::NotInverse { variable: name.clone(), residual });
            }
            Outcome::Undecided => return Err(CoordinatesError::Undecided(name.clone())),
        }
    }
    Ok(())
}
