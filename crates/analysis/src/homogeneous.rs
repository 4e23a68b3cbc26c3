//! Lagrangians of degree one in the velocities, up to a potential: nothing fixes the parameter of the path.
//!
//! For L = c √(vᵀK v) + b·v + L₀ the elimination of K as of a mass matrix, x = K_II⁻¹ (p − b)_I, gives besides the
//! φ_J the constraint (p − b)_I·x = c², and H_c = −L₀.
//!
//! A ratio L = v₀ ℓ(q, w) + L₀ with wᵢ = vᵢ/v₀, such as ẋ²/(2ṫ) − ṫ V, where ℓ is quadratic in w: the momenta are
//! pᵢ = ∂ℓ/∂wᵢ and p₀ = ℓ − w·∂ℓ/∂w. The Legendre transform h(q, p) of ℓ leaves the constraint p₀ + h = 0 besides its
//! own, and H_c = −L₀.

use crate::algebra::{Field, Polynomial};
use crate::error::AnalysisError;
use crate::transform::{Canonical, Lagrangian, Primary, Split, dense, normal_rows};
use cotangent_expr::{Expr, Node, Number};
use cotangent_theory::phase::{Sparse, gradient, symbols};

impl Lagrangian {
    /// L = c √(vᵀK v) + b·v + L₀: (rank of W, Hamiltonian form).
    pub(crate) fn root(&self, field: &mut Field) -> Result<Option<(usize, Canonical)>, AnalysisError> {
        let Some((c, root, rest)) = self.root_term(field) else { return Ok(None) };
        if self.moves(&c) {
            return Ok(None);
        }
        let n = self.velocities.len();
        let slopes = dense(&gradient(&rest, &self.velocities)?, n);
        let under = dense(&gradient(&root, &self.velocities)?, n);
        let quadratic: Vec<Sparse> = under.iter().map(|s| gradient(s, &self.velocities)).collect::<Result<_, _>>()?;
        let constant = |e: &Expr| !self.moves(e);
        let pure = self.at_rest(&root).is_zero() && under.iter().all(|s| self.at_rest(s).is_zero());
        if !(pure && slopes.iter().all(constant) && quadratic.iter().flat_map(Sparse::values).all(constant)) {
            return Ok(None);
        }
        let momenta = symbols(&self.momenta);
        let impulse: Vec<Expr> = momenta.iter().zip(&slopes).map(|(p, b)| p - b).collect();
        let Some(rows) = normal_rows(field, &quadratic) else { return Ok(None) };
        let Some(parts) = Split::new(field, &rows, &impulse) else { return Ok(None) };
        // The second derivatives are 2K.
        let shell = Expr::sum(parts.independent.iter().map(|&i| &impulse[i] * &parts.solution[&i])) * 2 - c.powi(2);
        let shell = field.normal(&shell).and_then(|f| field.sum(&f.numerator)).unwrap_or(shell);
        let names = self.coordinates.entry_names();
        let first = parts.independent.iter().min().map(|&i| Primary::running(&names[i], shell));
        let others = parts.rest.into_iter().map(|(j, e)| Primary::new(&names[j], e));
        let primaries: Vec<Primary> = first.into_iter().chain(others).collect();
        let energy = -self.at_rest(&rest);
        Ok(Some((n - primaries.len(), self.canonical(field, energy, primaries, parts.pivots))))
    }

    /// (c, Q, rest) of L = c √Q + rest with one root that contains velocities.
    fn root_term(&self, field: &mut Field) -> Option<(Expr, Expr, Expr)> {
        let f = field.normal(&self.value)?;
        let roots: Vec<(u32, Expr)> = f
            .numerator
            .unknowns()
            .into_iter()
            .filter_map(|v| match field.symbol(v).node() {
                Node::Mul(factors) => match factors.as_slice() {
                    [(base, k)] if *k == Number::HALF && self.moves(base) => Some((v, base.clone())),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        let [(v, base)] = roots.as_slice() else { return None };
        let parts = f.numerator.coefficients(*v);
        let [rest, c] = parts.as_slice() else { return None };
        let over = |p: &Polynomial| field.fraction(p.clone(), f.denominator.clone()).and_then(|f| field.expression(&f));
        Some((over(c)?, base.clone(), over(rest)?))
    }

    /// L = v₀ ℓ(q, v/v₀) + L₀: (rank of W, Hamiltonian form).
    pub(crate) fn reparametrised(
        &self,
        field: &mut Field,
        slopes: &[Expr],
    ) -> Result<Option<(usize, Canonical)>, AnalysisError> {
        let velocities = symbols(&self.velocities);
        // Σ v ∂L/∂v − L = −L₀, in normal form free of velocities.
        let euler = Expr::sum(velocities.iter().zip(slopes).map(|(v, s)| v * s)) - &self.value;
        let Some(normal) = field.normal(&euler) else { return Ok(None) };
        let Some(energy) = field.expression(&normal).filter(|e| !self.moves(e)) else { return Ok(None) };
        // With roots of velocities ℓ would depend on the sign of v₀.
        let Some(value) = field.normal(&self.value) else { return Ok(None) };
        let unknowns = [value.numerator.unknowns(), value.denominator.unknowns()].concat();
        let rational = |v: u32| matches!(field.symbol(v).node(), Node::At(..)) || !self.moves(field.symbol(v));
        if !unknowns.into_iter().all(rational) {
            return Ok(None);
        }
        let homogeneous = &self.value + &energy;
        for first in 0..velocities.len() {
            let unit = homogeneous.rewrite(&mut |leaf| (*leaf == velocities[first]).then(Expr::one));
            if let Some((h, parts)) = self.ratio(field, first, &unit)? {
                let (names, momenta) = (self.coordinates.entry_names(), symbols(&self.momenta));
                let shell = field.simplified(&(&momenta[first] + h));
                let mut primaries = vec![Primary::running(&names[first], shell)];
                let others = parts.rest.iter().filter(|r| r.0 != first);
                primaries.extend(others.map(|(j, e)| Primary::new(&names[*j], e.clone())));
                return Ok(Some((parts.independent.len(), self.canonical(field, energy, primaries, parts.pivots))));
            }
        }
        Ok(None)
    }

    /// h(q, p) and the elimination of a quadratic ℓ(q, w), all velocities but the first being w.
    fn ratio(&self, field: &mut Field, first: usize, unit: &Expr) -> Result<Option<(Expr, Split)>, AnalysisError> {
        let slopes = dense(&gradient(unit, &self.velocities)?, self.velocities.len());
        let hessian: Vec<Sparse> = slopes.iter().map(|s| gradient(s, &self.velocities)).collect::<Result<_, _>>()?;
        let Some(rows) = normal_rows(field, &hessian) else { return Ok(None) };
        for f in rows.iter().flat_map(|row| row.values()) {
            if field.expression(f).is_none_or(|e| self.moves(&e)) {
                return Ok(None);
            }
        }
        let momenta = symbols(&self.momenta);
        let impulse: Vec<Expr> = momenta.iter().zip(&slopes).map(|(p, s)| p - self.at_rest(s)).collect();
        let Some(parts) = Split::new(field, &rows, &impulse) else { return Ok(None) };
        if parts.independent.contains(&first) {
            return Ok(None);
        }
        let work = Expr::sum(parts.independent.iter().map(|&i| &impulse[i] * &parts.solution[&i]));
        Ok(Some((work / 2 - self.at_rest(unit), parts)))
    }
}
