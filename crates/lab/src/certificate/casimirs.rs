//! Functions that are claimed to be Casimirs of a bracket and are none.
//!
//! For a Casimir C, B∇C = 0 everywhere: its derivative along Bᵀw vanishes whatever w is. A few directions at a few points
//! tell, in a time proportional to the number of variables. What does not vanish is told from round-off by derivatives
//! along directions with entries of the same sizes and other signs, in which nothing cancels.

use super::candidate::Candidate;
use super::symplectic::seeded;
use cotangent_dynamics::Poisson;
use cotangent_scalar::{Dd, Dual, Random, Real, largest};

/// A function that is claimed to be a Casimir and is none.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NoCasimir {
    /// Its number among the Casimirs that are claimed.
    pub number: usize,
    /// The number of a variable z of the equations and {z, C}, at the start or near it; none where the first of very many
    /// variables commute with it.
    pub bracket: Option<(usize, f64)>,
}

/// Points: the start, and one near it, as a bracket may vanish there.
const POINTS: usize = 2;

/// How far that is from the start, relative to it.
const NEAR: f64 = 0.1;

/// Directions at each point, and draws of the signs in which nothing cancels.
const DRAWS: usize = 2;

/// What is not smaller, relative to its terms, is no round-off of parameters for which a function is a Casimir, as
/// abc = −1. That of the arithmetic is far below.
const ROUND_OFF: f64 = 1e-13;

/// So many variables are asked for their brackets with a function.
const MOST: usize = 1000;

/// The claimed Casimirs that are none, of the equations as they are integrated. What has no value there is not judged.
pub fn no_casimirs(problem: &impl Candidate) -> Vec<NoCasimir> {
    let (Ok(Some(bracket)), Ok(Some(functions))) = (problem.view().poisson(), problem.view().poisson()) else {
        return vec![];
    };
    let count = bracket.shape().casimirs;
    if count == 0 {
        return vec![];
    }
    let mut look = Look { bracket, functions, random: Random::default() };
    let mut found: Vec<Option<NoCasimir>> = vec![None; count];
    for k in 0..POINTS {
        let z = look.point(problem.start(), k);
        let Some(b) = look.tensor(&z) else { continue };
        for _ in 0..DRAWS {
            let w: Vec<f64> = z.iter().map(|_| look.random.signed()).collect();
            for (number, _) in look.moved(&z, &b, &w) {
                if found[number].is_none() {
                    found[number] = Some(look.named(number, &z, &b));
                }
            }
        }
    }
    found.into_iter().flatten().collect()
}

/// B, and the functions with a derivative in one direction, in double-double arithmetic.
struct Look<'s> {
    bracket: Box<dyn Poisson<Dd> + 's>,
    functions: Box<dyn Poisson<Dual<Dd>> + 's>,
    random: Random,
}

impl Look<'_> {
    /// The start (0), or a point near it.
    fn point(&mut self, start: &[f64], k: usize) -> Vec<Dd> {
        let size = largest(start);
        let unit = if size > 0.0 { size } else { 1.0 };
        let moved = |z: &f64| if k == 0 { *z } else { z + NEAR * self.random.signed() * unit };
        start.iter().map(moved).map(Dd::from).collect()
    }

    /// The entries of B that there are; `None` where they have no values.
    fn tensor(&mut self, z: &[Dd]) -> Option<Vec<Dd>> {
        let mut values = vec![Dd::from(0.0); self.bracket.shape().tensor.len()];
        self.bracket.tensor(z, &mut values).ok()?;
        values.iter().all(|v| v.is_finite()).then_some(values)
    }

    /// The functions with wᵀB∇C ≠ 0, with that.
    fn moved(&mut self, z: &[Dd], b: &[Dd], w: &[f64]) -> Vec<(usize, f64)> {
        let (mut along, mut sizes) = (vec![Dd::from(0.0); z.len()], vec![0.0; z.len()]);
        for ((i, j), &b) in self.bracket.shape().tensor.addresses().zip(b) {
            let term = Dd::from(w[i as usize]) * b;
            along[j as usize] = along[j as usize] + term;
            sizes[j as usize] += term.value().abs();
        }
        let Some(changes) = self.derivatives(z, &along) else { return vec![] };
        let mut terms = vec![0.0f64; changes.len()];
        for _ in 0..DRAWS {
            let other: Vec<Dd> = sizes.iter().map(|s| Dd::from(s.copysign(self.random.signed()))).collect();
            let Some(other) = self.derivatives(z, &other) else { return vec![] };
            terms.iter_mut().zip(other).for_each(|(t, o)| *t = t.max(o.abs()));
        }
        let changes = changes.into_iter().enumerate().zip(terms);
        changes.filter(|((_, change), terms)| change.abs() > ROUND_OFF * terms).map(|(change, _)| change).collect()
    }

    /// Derivatives of the functions along a direction; `None` where one has no value.
    fn derivatives(&mut self, z: &[Dd], direction: &[Dd]) -> Option<Vec<f64>> {
        let mut out = vec![Dual::constant(Dd::from(0.0)); self.functions.shape().casimirs];
        self.functions.casimirs(&seeded(z, direction), &mut out).ok()?;
        let derivatives: Vec<f64> = out.iter().map(|c| c.tangent[0].value()).collect();
        derivatives.iter().all(|d| d.is_finite()).then_some(derivatives)
    }

    /// With a variable that has a bracket with the function.
    fn named(&mut self, number: usize, z: &[Dd], b: &[Dd]) -> NoCasimir {
        let mut w = vec![0.0; z.len()];
        for k in 0..z.len().min(MOST) {
            w[k] = 1.0;
            let own = self.moved(z, b, &w).into_iter().find(|(moved, _)| *moved == number);
            if let Some((_, value)) = own {
                return NoCasimir { number, bracket: Some((k, value)) };
            }
            w[k] = 0.0;
        }
        NoCasimir { number, bracket: None }
    }
}
