//! The stages of the pair by iteration, with multipliers that hold the constraints in each round:
//!
//! ```text
//! Fⱼ = H_q(Qⱼ, Pⱼ),   P̂ᵢ = p − h Σⱼ âᵢⱼ (Fⱼ + G(Qⱼ)ᵀΛⱼ),   Q̂ᵢ = q + h Σⱼ aᵢⱼ H_p(Qⱼ, P̂ⱼ)
//! Λ ← Λ + h⁻² (A Â)⁻¹ ⊗ (G H_pp Gᵀ)⁻¹ φ(Q̂),   and P, Q as P̂, Q̂ with these
//! ```
//!
//! What the multipliers do to φ(Qᵢ) is −h² Σⱼ aᵢⱼ âⱼₖ G(Qᵢ) H_pp G(Qₖ)ᵀ, and in its place stands the matrix at the start of the
//! step: it is factored once, and of the size and sparsity of the constraints at one point. The rate of the iteration is of order h;
//! without constraint forces that turn it is of order h². A solution on the far side of a constraint, where G has turned by more
//! than a right angle against the start, repels it.
//!
//! It begins with what the velocities, forces and multipliers of the step before, continued as polynomials, make of this
//! one, as long as the steps are equal; otherwise from rest. φ is rounded as its terms are, and a multiplier is known up to
//! that over h² G H_pp Gᵀ, which may be far more than its own rounding: the row after the stages says it.

use super::LobattoPair;
use super::numbers::{Columns, Tables};
use crate::expected::equal_steps;
use crate::sparse::{Gram, GramWork, Times};
use crate::stages::{Evaluator, Input, Term, Work};
use crate::vector::{clear, combination, moved, scale, scaled, zeros};
use cotangent_dynamics::{
    CanonicalShape, Contraction, Failure, Kind, Machine, MemoryLayout, Misuse, Part, Plan, Site, State,
};
use cotangent_scalar::Scalar;
use cotangent_solve::{PatternError, SymmetricFactors, SymmetricValues};
use std::sync::Arc;

/// The iteration, planned.
#[derive(Clone, Debug)]
pub(super) struct Iterated {
    site: Site,
    /// Whether Newton's method solves where the iteration does not converge.
    guarded: bool,
    gram: Arc<Gram>,
    factors: SymmetricFactors,
    /// Products with H_pp.
    mass: Times,
    memory: MemoryLayout,
}

impl Iterated {
    pub(super) fn new(
        shape: &CanonicalShape,
        gram: &Arc<Gram>,
        stages: usize,
        guarded: bool,
        plan: &mut Plan,
    ) -> Result<Iterated, PatternError> {
        let columns = Columns::new(shape);
        let rows = [(Kind::Coordinate, columns.n), (Kind::Momentum, columns.momenta), (Kind::Constraint, columns.m)];
        let rows: Vec<_> = rows.into_iter().filter(|(_, count)| *count > 0).collect();
        let site = plan.rounded_stages(stages - 1, &rows);
        let memory = MemoryLayout::new().with(Part::NextTerms, (stages - 1) * columns.len()).with(Part::LastStep, 1);
        Ok(Iterated {
            site,
            guarded,
            gram: gram.clone(),
            factors: SymmetricFactors::new(gram.pattern())?,
            mass: Times::new(&shape.hessian_pp),
            memory: if guarded { memory.with(Part::Pause, 1) } else { memory },
        })
    }

    /// The stages expected in the next step, the size of the last, and for how long the iteration is not tried.
    pub(super) fn memory(&self) -> &MemoryLayout {
        &self.memory
    }

    pub(super) fn room<S: Scalar>(&self, method: &LobattoPair) -> Room<S> {
        let (shape, c) = (&method.ending.shape, &method.coefficients);
        let (n, m, s) = (shape.coordinates, shape.constraints, c.stages());
        let vectors = |count: usize, len: usize| (0..count).map(|_| zeros(len)).collect();
        Room {
            x: zeros(s * Columns::new(shape).len()),
            tables: Tables::new(c),
            inverse: vec![zeros(s - 1); s - 1],
            factors: self.factors.values(),
            matrix: zeros(self.gram.pattern().len()),
            gram: self.gram.work(),
            hpp: zeros(shape.hessian_pp.len()),
            sizes: zeros(m),
            q: vectors(s, n),
            p: zeros(n),
            forces: vectors(s - 1, n),
            turned: vectors(s - 1, n),
            jacobians: vectors(s - 1, shape.jacobian.len()),
            velocities: vectors(s, n),
            increment: zeros(n),
            defects: vectors(s - 1, m),
            multipliers: vectors(s - 1, m),
        }
    }
}

/// The iterate, one stage after the other, and what is evaluated at it.
pub(super) struct Room<S> {
    x: Vec<S>,
    tables: Tables<S>,
    /// (A Â)⁻¹/h².
    inverse: Vec<Vec<S>>,
    /// G H_pp Gᵀ at the start.
    factors: SymmetricValues<S>,
    matrix: Vec<S>,
    gram: GramWork<S>,
    hpp: Vec<S>,
    /// The sizes of the terms of φ there; what they make multipliers uncertain by.
    sizes: Vec<S>,
    /// Qᵢ; Q̂ᵢ is put where Qᵢ is not needed any more.
    q: Vec<Vec<S>>,
    p: Vec<S>,
    /// Fⱼ, and with the constraint forces.
    forces: Vec<Vec<S>>,
    turned: Vec<Vec<S>>,
    jacobians: Vec<Vec<S>>,
    velocities: Vec<Vec<S>>,
    increment: Vec<S>,
    /// φ(Q̂ᵢ).
    defects: Vec<Vec<S>>,
    multipliers: Vec<Vec<S>>,
}

/// The two ways to the stages.
pub(super) struct Ways<'w, 's, S> {
    pub(super) method: &'w LobattoPair,
    pub(super) iterated: &'w Iterated,
    pub(super) evaluator: &'w mut Evaluator<'s, S>,
    pub(super) work: &'w mut Work<S>,
    pub(super) room: &'w mut Room<S>,
    pub(super) h: S,
    pub(super) from: &'w State<S>,
}

impl<S: Scalar> Ways<'_, '_, S> {
    fn columns(&self) -> Columns {
        Columns::new(&self.method.ending.shape)
    }

    /// Solves for the stages, and leaves them where Newton's method would.
    pub(super) fn solve(&mut self, machine: &mut dyn Machine<S>, to: &mut [S]) -> Result<(), Failure> {
        let Iterated { site, guarded, memory, .. } = self.iterated;
        let (from, h) = (self.from, self.h);
        let expected = memory.part(Part::NextTerms, &from.memory).ok_or(Misuse::OtherState)?;
        let &[last] = memory.part(Part::LastStep, &from.memory).ok_or(Misuse::OtherState)? else {
            return Err(Misuse::OtherState.into());
        };
        let mut x = std::mem::take(&mut self.room.x);
        let (stages, sizes) = x.split_at_mut(expected.len());
        scaled(equal_steps(h, last), expected, stages);
        self.begin(sizes)?;
        let zero = S::from_f64(0.0);
        let mut pause = memory.part(Part::Pause, &from.memory).and_then(|p| p.first().copied()).unwrap_or(zero);
        let solved = match guarded {
            true => machine.contract(*site, &mut x, &mut pause, self),
            false => machine.fixed_point(*site, &mut x, &mut |_, x, next| self.map(x, next)),
        };
        let placed = solved.and_then(|()| self.place(&x));
        self.room.x = x;
        placed?;
        memory.part_mut(Part::LastStep, to).ok_or(Misuse::OtherState)?.fill(h);
        if let Some(written) = memory.part_mut(Part::Pause, to) {
            written.fill(pause);
        }
        Ok(())
    }

    /// What is known at the start: the matrix of the multipliers, and what rounding makes of the unknowns.
    fn begin(&mut self, sizes: &mut [S]) -> Result<(), Failure> {
        let columns = self.columns();
        let Ways { iterated, evaluator, room, h, from, .. } = self;
        let (q, p) = from.values.split_at(columns.n);
        let h = *h;
        let Room { tables, inverse, factors, matrix, gram, hpp, sizes: own, jacobians, increment, .. } = &mut **room;
        let [positions, momenta, multipliers] = columns.split_mut(sizes);
        [positions, momenta, multipliers].into_iter().for_each(clear);
        if columns.m == 0 {
            return Ok(());
        }
        let Some(g) = jacobians.first_mut() else { return Ok(()) };
        let system = evaluator.canonical()?;
        system.jacobian(q, g)?;
        system.hessian_pp(q, p, hpp)?;
        system.constraint_magnitudes(q, own)?;
        let [positions, momenta, multipliers] = columns.split_mut(sizes);
        let one = S::from_f64(1.0);
        iterated.gram.evaluate(one, (g, hpp, g), gram, matrix);
        factors.factor(&iterated.factors, matrix);
        let square = one / (h * h);
        for (row, own) in tables.inverse.iter().zip(inverse) {
            scaled(square, row, own);
        }
        // What rounding of φ does to the multipliers: of its own row, and by way of the others.
        multipliers.copy_from_slice(own);
        factors.solve(&iterated.factors, multipliers);
        for (i, (size, others)) in own.iter_mut().zip(&*multipliers).enumerate() {
            let diagonal = iterated.gram.pattern().position(i, i);
            let diagonal = diagonal.map_or(S::from_f64(0.0), |k| matrix[k].abs());
            *size = square * (*size / diagonal + others.abs());
        }
        scaled(tables.norm, own, multipliers);
        // h |Gᵀ| of that, and h |H_pp| of this.
        S::each([], [g], |[], [g]| [g.abs()]);
        S::each([], [hpp], |[], [x]| [x.abs()]);
        clear(positions);
        iterated.gram.jacobian.plus_transposed(g, own, positions, increment);
        scale(h.abs(), increment);
        iterated.mass.evaluate(hpp, increment, positions);
        scale(h.abs(), positions);
        momenta.iter_mut().zip(&*increment).for_each(|(out, &size)| *out = size);
        Ok(())
    }

    /// Qᵢ, and Fⱼ and G there.
    fn evaluate(&mut self, x: &[S]) -> Result<(), Failure> {
        let columns = self.columns();
        let Ways { evaluator, room, from, .. } = self;
        let (q, p) = from.halves(columns.n);
        let system = evaluator.canonical()?;
        room.q[0].copy_from_slice(q.0);
        for (out, row) in room.q[1..].iter_mut().zip(x.chunks(columns.len())) {
            moved(q, columns.split(row)[0], out);
        }
        for (j, row) in x.chunks(columns.len()).take(room.forces.len()).enumerate() {
            match columns.split(row)[1] {
                // Whatever the momenta are.
                [] => room.p.copy_from_slice(p.0),
                increment => moved(p, increment, &mut room.p),
            }
            system.hamiltonian_q(&room.q[j], &room.p, &mut room.forces[j])?;
            if columns.m > 0 {
                system.jacobian(&room.q[j], &mut room.jacobians[j])?;
            }
        }
        Ok(())
    }

    /// The forces with those of the constraints.
    fn turn(&mut self) {
        let (gram, room) = (&self.iterated.gram, &mut *self.room);
        for (j, out) in room.turned.iter_mut().enumerate() {
            match room.multipliers[j].is_empty() {
                true => out.copy_from_slice(&room.forces[j]),
                false => gram.jacobian.plus_transposed(&room.jacobians[j], &room.multipliers[j], &room.forces[j], out),
            }
        }
    }

    /// Pᵢ − p.
    fn momentum(room: &Room<S>, h: S, i: usize, out: &mut [S]) {
        let terms = room.tables.a_hat[i].iter().zip(&room.turned).map(|(&a, force)| (a, &force[..]));
        combination(terms, out);
        scale(-h, out);
    }

    /// H_p(Qᵢ, Pᵢ), with the positions of the iterate.
    fn velocities(&mut self) -> Result<(), Failure> {
        let n = self.method.ending.shape.coordinates;
        let Ways { evaluator, room, h, from, .. } = self;
        let (_, p) = from.halves(n);
        let system = evaluator.canonical()?;
        for i in 0..room.velocities.len() {
            let mut increment = std::mem::take(&mut room.increment);
            Self::momentum(room, *h, i, &mut increment);
            moved(p, &increment, &mut room.p);
            room.increment = increment;
            system.hamiltonian_p(&room.q[i], &room.p, &mut room.velocities[i])?;
        }
        Ok(())
    }

    /// Qᵢ − q, i = 2 … s counted from 0.
    fn position(room: &Room<S>, h: S, i: usize, out: &mut [S]) {
        combination(room.tables.a[i].iter().zip(&room.velocities).map(|(&a, v)| (a, &v[..])), out);
        scale(h, out);
    }

    /// Λ of the iterate.
    fn read_multipliers(&mut self, x: &[S]) {
        let columns = self.columns();
        for (out, row) in self.room.multipliers.iter_mut().zip(x.chunks(columns.len().max(1))) {
            out.copy_from_slice(columns.split(row)[2]);
        }
    }

    /// Moves Λ so that the constraints hold.
    fn correct(&mut self) -> Result<(), Failure> {
        let n = self.method.ending.shape.coordinates;
        let Ways { iterated, evaluator, room, h, from, .. } = self;
        let (q, _) = from.halves(n);
        let system = evaluator.canonical()?;
        for i in 0..room.defects.len() {
            let mut increment = std::mem::take(&mut room.increment);
            Self::position(room, *h, i, &mut increment);
            moved(q, &increment, &mut room.p);
            room.increment = increment;
            system.constraints(&room.p, &mut room.defects[i])?;
            room.factors.solve(&iterated.factors, &mut room.defects[i]);
        }
        let Room { multipliers, defects, inverse, .. } = &mut **room;
        for (lambda, row) in multipliers.iter_mut().zip(&*inverse) {
            for (&a, defect) in row.iter().zip(&*defects) {
                S::each([defect], [lambda], |[d], [x]| [x + a * d]);
            }
        }
        Ok(())
    }

    /// Leaves the iterate where Newton's method would.
    fn place(&mut self, x: &[S]) -> Result<(), Failure> {
        let columns = self.columns();
        self.read_multipliers(x);
        self.evaluate(x)?;
        self.turn();
        let Ways { method, work, room, h, .. } = self;
        let (stages, s) = (&method.stages, method.coefficients.stages());
        for i in 0..s {
            Self::momentum(room, *h, i, work.unknown_mut(stages, i));
        }
        for (i, row) in x.chunks(columns.len().max(1)).take(s - 1).enumerate() {
            let [position, _, multipliers] = columns.split(row);
            work.unknown_mut(stages, s + i).copy_from_slice(position);
            work.unknown_mut(stages, 2 * s - 1 + i).copy_from_slice(multipliers);
        }
        work.start_at(&room.jacobians[0]);
        Ok(())
    }

    /// The stages expected in the next step, of the velocities and forces of this one.
    pub(super) fn remember(&mut self, to: &mut [S]) -> Result<(), Failure> {
        let columns = self.columns();
        let Ways { method, iterated, work, room, h, .. } = self;
        let (stages, s) = (&method.stages, method.coefficients.stages());
        let next = iterated.memory.part_mut(Part::NextTerms, to).ok_or(Misuse::OtherState)?;
        let [of_positions, of_momenta, of_multipliers] = &room.tables.next;
        for (i, row) in next.chunks_mut(columns.len().max(1)).enumerate() {
            let [positions, momenta, multipliers] = columns.split_mut(row);
            let velocity = |(j, &c): (usize, &S)| (c, work.term(stages, Term::Velocity, j));
            combination(of_positions[i].iter().enumerate().map(velocity), positions);
            scale(*h, positions);
            if !momenta.is_empty() {
                let force = |(j, &c): (usize, &S)| (c, work.term(stages, Term::Force, j));
                combination(of_momenta[i].iter().enumerate().map(force), momenta);
                scale(-*h, momenta);
            }
            let multiplier = |(j, &c): (usize, &S)| (c, work.unknown(stages, 2 * s - 1 + j));
            combination(of_multipliers[i].iter().enumerate().map(multiplier), multipliers);
        }
        Ok(())
    }
}

impl<S: Scalar> Contraction<S> for Ways<'_, '_, S> {
    fn map(&mut self, x: &[S], next: &mut [S]) -> Result<(), Failure> {
        let columns = self.columns();
        self.read_multipliers(x);
        self.evaluate(x)?;
        self.turn();
        self.velocities()?;
        if columns.m > 0 {
            self.correct()?;
            self.turn();
            self.velocities()?;
        }
        let Ways { room, h, .. } = self;
        let rows = room.multipliers.len();
        for (i, row) in next.chunks_mut(columns.len().max(1)).take(rows).enumerate() {
            let [positions, momenta, multipliers] = columns.split_mut(row);
            Self::position(room, *h, i, positions);
            if !momenta.is_empty() {
                Self::momentum(room, *h, i, momenta);
            }
            multipliers.copy_from_slice(&room.multipliers[i]);
        }
        let kept = rows * columns.len();
        next[kept..].copy_from_slice(&x[kept..]);
        Ok(())
    }

    fn otherwise(&mut self, machine: &mut dyn Machine<S>, x: &mut [S]) -> Result<(), Failure> {
        let columns = self.columns();
        let Ways { method, evaluator, work, h, from, .. } = self;
        let (stages, s) = (&method.stages, method.coefficients.stages());
        work.solve(stages, machine, evaluator, (*h, Input::none()), from)?;
        for (i, row) in x.chunks_mut(columns.len().max(1)).take(s - 1).enumerate() {
            let [positions, momenta, multipliers] = columns.split_mut(row);
            positions.copy_from_slice(work.unknown(stages, s + i));
            if !momenta.is_empty() {
                momenta.copy_from_slice(work.unknown(stages, i));
            }
            multipliers.copy_from_slice(work.unknown(stages, 2 * s - 1 + i));
        }
        Ok(())
    }
}
