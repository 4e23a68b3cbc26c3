//! [`LinearSolver`]: factorisation and solution of a square linear system.

use cotangent_scalar::{Cancel, Real};

use crate::Pattern;
use crate::banded::BandedLu;
use crate::choice::{Choice, Unsupported};
use crate::dense::DenseLu;
use crate::ordering::{Ordering, inverse};
use crate::pivoting::{PREFERRED, Scales, Singular};
use crate::planned::PlannedLu;
use crate::sparse::{LEAST_PLANNED, SparseLu};
use crate::symbolic::SymbolicFactorisation;

/// Solves A x = b and Aᵀ x = b for matrices of one pattern.
///
/// How is decided once, from the pattern (see [`Structure`]); so is all memory. Factoring and
/// solving do not allocate, with two exceptions: if a sparse factorisation has to exchange rows for
/// stability and that more than doubles the entries expected, it takes more memory, and keeps it;
/// and the first matrix that looks singular is looked at more closely with memory that it also keeps.
///
/// A factorisation depends on the values alone, not on what was factored before, and its decisions
/// on their real parts alone: dual numbers take the path of plain ones.
///
/// ```
/// use cotangent_solve::{LinearSolver, Pattern};
///
/// let pattern = Pattern::new(2, 2, &[(0, 1), (1, 0), (1, 1)])?;
/// let mut solver = LinearSolver::new(&pattern)?;
/// solver.factor(&[2.0, 1.0, 1.0])?; // 2 y = b₀, x + y = b₁
/// let mut x = [4.0, 3.0];
/// solver.solve(&mut x);
/// assert_eq!(x, [1.0, 2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct LinearSolver<S> {
    pattern: Pattern,
    /// On the diagonal, if that is quick: it is tried first.
    planned: Option<PlannedLu<S>>,
    factorisation: Factorisation<S>,
    scales: Scales,
    /// For each entry of the pattern: its place in the factorisation's storage.
    places: Vec<usize>,
    /// The order in which rows and columns are eliminated, if not as they are.
    orders: Option<(Vec<u32>, Vec<u32>)>,
    /// For each entry of the pattern: its row and column in that order.
    addresses: Vec<(u32, u32)>,
    scratch: Vec<S>,
    /// Whether it is a full tridiagonal matrix in its own order.
    tridiagonal: bool,
    /// The last factorisation.
    factored: Factored,
}

/// How the last matrix was factored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Factored {
    No,
    AsPlanned,
    /// With exchanges of rows, or by what needs none.
    InAnyOrder,
}

/// One variant for each way of solving.
#[derive(Clone, Debug)]
enum Factorisation<S> {
    Dense(DenseLu<S>),
    Banded(BandedLu<S>),
    Sparse(Box<SparseLu<S>>),
}

/// The way a [`LinearSolver`] was found to solve its systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// As a full matrix: small ones, and those that are nearly full.
    Dense,
    /// As a band matrix, possibly after a reordering of rows and columns.
    Banded {
        /// The number of diagonals below the main one.
        lower: usize,
        /// The number of diagonals above the main one.
        upper: usize,
    },
    /// As a sparse matrix, after a reordering that makes few new entries.
    Sparse {
        /// The number of entries of both factors, if rows need not be exchanged for stability.
        fill: usize,
    },
}

impl<S: Real> LinearSolver<S> {
    /// A solver for the matrices with the given square pattern.
    pub fn new(pattern: &Pattern) -> Result<Self, Unsupported> {
        let (size, columns) = (pattern.rows(), pattern.columns());
        if size != columns {
            return Err(Unsupported::NotSquare { rows: size, columns });
        }
        let (choice, _) = Choice::new(pattern)?;
        let mut addresses: Vec<_> = pattern.addresses().collect();
        let orders = match &choice {
            Choice::Dense => None,
            Choice::Banded(Ordering { rows, columns, .. })
            | Choice::Sparse(SymbolicFactorisation { rows, columns, .. }) => Some((rows.clone(), columns.clone())),
        };
        if let Some((rows, columns)) = &orders {
            let (rows, columns) = (inverse(rows), inverse(columns));
            for (i, j) in &mut addresses {
                (*i, *j) = (rows[*i as usize], columns[*j as usize]);
            }
        }
        let places = |place: &dyn Fn(usize, usize) -> usize| {
            addresses.iter().map(|&(i, j)| place(i as usize, j as usize)).collect()
        };
        let (factorisation, places) = match choice {
            Choice::Dense => {
                let lu = DenseLu::new(size);
                let places = places(&|i, j| lu.place(i, j));
                (Factorisation::Dense(lu), places)
            }
            Choice::Banded(o) => {
                let lu = BandedLu::new(size, o.lower, o.upper);
                let places = places(&|i, j| lu.place(i, j));
                (Factorisation::Banded(lu), places)
            }
            Choice::Sparse(symbolic) => {
                let by_columns: Vec<_> = addresses.iter().map(|&(i, j)| (j, i)).collect();
                let lu = SparseLu::new(symbolic, Pattern::new(size, size, &by_columns)?);
                let places = places(&|i, j| lu.place(i, j));
                (Factorisation::Sparse(Box::new(lu)), places)
            }
        };
        let natural = |o: &(Vec<u32>, Vec<u32>)| o.0.is_sorted() && o.1.is_sorted();
        let orders = orders.filter(|o| !natural(o));
        let tridiagonal = pattern.is_tridiagonal();
        let planned = match &factorisation {
            Factorisation::Dense(_) => None,
            Factorisation::Banded(_) if tridiagonal => None,
            Factorisation::Banded(_) => PlannedLu::new(size, &addresses, 1.0 / (1.0 + PREFERRED)),
            Factorisation::Sparse(_) => PlannedLu::new(size, &addresses, LEAST_PLANNED),
        };
        Ok(Self {
            planned,
            pattern: pattern.clone(),
            factorisation,
            scales: Scales::new(size),
            places,
            orders,
            tridiagonal,
            addresses,
            scratch: vec![S::from_f64(0.0); size],
            factored: if size == 0 { Factored::InAnyOrder } else { Factored::No },
        })
    }

    /// The number of equations.
    pub fn size(&self) -> usize {
        self.scratch.len()
    }

    /// The pattern the solver was built for.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// How the systems are solved.
    pub fn structure(&self) -> Structure {
        match &self.factorisation {
            Factorisation::Dense(_) => Structure::Dense,
            Factorisation::Banded(lu) => {
                let (lower, upper) = lu.bandwidth();
                Structure::Banded { lower, upper }
            }
            Factorisation::Sparse(lu) => Structure::Sparse { fill: lu.fill() },
        }
    }

    /// Factors the matrix with these values, given in the order of the pattern's positions.
    ///
    /// # Panics
    /// If the number of values is not the number of entries of the pattern.
    pub fn factor(&mut self, values: &[S]) -> Result<(), Singular> {
        assert_eq!(values.len(), self.places.len(), "one value for each entry of the pattern");
        if let Factorisation::Banded(lu) = &mut self.factorisation
            && self.tridiagonal
            && lu.factor_in_order(values, &mut self.scales, (&[], &mut []))
        {
            self.factored = Factored::InAnyOrder;
            return Ok(());
        }
        if self.factor_as_planned(values, false) { Ok(()) } else { self.factor_in_any_order(values) }
    }

    /// Factors the matrix with these values, and solves A x = b: the same as [`factor`](Self::factor) and
    /// [`solve`](Self::solve).
    ///
    /// # Panics
    /// If the number of values is not the number of entries of the pattern, or that of b or x not the number of equations.
    pub fn factor_and_solve(&mut self, values: &[S], b: &[S], x: &mut [S]) -> Result<(), Singular> {
        assert_eq!(values.len(), self.places.len(), "one value for each entry of the pattern");
        assert_eq!([b.len(), x.len()], [self.size(); 2], "one right-hand side for each equation");
        if let Factorisation::Banded(lu) = &mut self.factorisation
            && self.tridiagonal
            && lu.factor_in_order(values, &mut self.scales, (b, x))
        {
            self.factored = Factored::InAnyOrder;
            lu.back_in_order(x);
            return Ok(());
        }
        if self.planned.is_some() {
            self.put(b, false);
            if self.factor_as_planned(values, true) {
                if let Some(lu) = &self.planned {
                    lu.back(&mut self.scratch);
                }
                self.take(x, false);
                return Ok(());
            }
        }
        self.factor_in_any_order(values)?;
        x.copy_from_slice(b);
        self.solve(x);
        Ok(())
    }

    /// Factors on the diagonal, if that was planned and goes well, with the right-hand side in the scratch memory or without.
    fn factor_as_planned(&mut self, values: &[S], with_side: bool) -> bool {
        let Some(lu) = &mut self.planned else { return false };
        self.scales.measure(&self.addresses, values);
        let side = if with_side { &mut self.scratch[..] } else { &mut [] };
        let good = lu.factor(values, &mut self.scales, side);
        self.factored = if good { Factored::AsPlanned } else { Factored::No };
        good
    }

    /// Puts a right-hand side into the scratch memory, in the order of elimination.
    fn put(&mut self, x: &[S], transposed: bool) {
        match &self.orders {
            None => self.scratch.copy_from_slice(x),
            Some((rows, columns)) => {
                let order = if transposed { columns } else { rows };
                self.scratch.iter_mut().zip(order).for_each(|(place, &i)| *place = x[i as usize]);
            }
        }
    }

    /// Takes a solution from there.
    fn take(&self, x: &mut [S], transposed: bool) {
        match &self.orders {
            None => x.copy_from_slice(&self.scratch),
            Some((rows, columns)) => {
                let order = if transposed { rows } else { columns };
                self.scratch.iter().zip(order).for_each(|(&value, &j)| x[j as usize] = value);
            }
        }
    }

    fn factor_in_any_order(&mut self, values: &[S]) -> Result<(), Singular> {
        self.scales.measure(&self.addresses, values);
        let mut outcome = self.factor_scaled(values);
        if outcome.is_err() && !self.scales.cancel.is_set() {
            // Perhaps only in the eyes of rough scales: once more with the best.
            let entries = self.addresses.iter().zip(values).map(|(&(i, j), &value)| (i, j, value));
            if self.scales.balance(entries) && self.factor_scaled(values).is_ok() {
                outcome = Ok(());
            }
        }
        self.factored = if outcome.is_ok() { Factored::InAnyOrder } else { Factored::No };
        outcome.map_err(|singular| match &self.orders {
            Some((rows, columns)) => Singular {
                row: rows[singular.row] as usize,
                column: columns[singular.column] as usize,
                pivot: singular.pivot,
            },
            None => singular,
        })
    }

    /// Factorisations end when the token is set, within the time of one column: as if the matrix were singular.
    pub fn cancel_with(&mut self, cancel: &Cancel) {
        self.scales.cancel = cancel.clone();
    }

    fn factor_scaled(&mut self, values: &[S]) -> Result<(), Singular> {
        let storage = match &mut self.factorisation {
            Factorisation::Dense(lu) => &mut lu.entries,
            Factorisation::Banded(lu) => &mut lu.entries,
            Factorisation::Sparse(lu) => &mut lu.entries,
        };
        storage.fill(S::from_f64(0.0));
        for (&place, &value) in self.places.iter().zip(values) {
            storage[place] = value;
        }
        match &mut self.factorisation {
            Factorisation::Dense(lu) => lu.factor(&mut self.scales),
            Factorisation::Banded(lu) => lu.factor(&mut self.scales),
            Factorisation::Sparse(lu) => lu.factor(&mut self.scales),
        }
    }

    /// Solves A x = b; `x` holds b before and x after.
    ///
    /// Without a factorisation (none yet, or the last one failed) the result is NaN.
    ///
    /// # Panics
    /// If the length of `x` is not the number of equations.
    pub fn solve(&mut self, x: &mut [S]) {
        self.solve_in_order(x, false);
    }

    /// Solves Aᵀ x = b, otherwise as [`solve`](Self::solve).
    ///
    /// # Panics
    /// If the length of `x` is not the number of equations.
    pub fn solve_transposed(&mut self, x: &mut [S]) {
        self.solve_in_order(x, true);
    }

    fn solve_in_order(&mut self, x: &mut [S], transposed: bool) {
        assert_eq!(x.len(), self.size(), "one right-hand side for each equation");
        if self.factored == Factored::No {
            x.fill(S::from_f64(f64::NAN));
            return;
        }
        if self.orders.is_some() {
            self.put(x, transposed);
        }
        let own = if self.orders.is_some() { &mut self.scratch[..] } else { &mut *x };
        match (&self.planned, transposed) {
            (Some(lu), false) if self.factored == Factored::AsPlanned => lu.solve(own),
            (Some(lu), true) if self.factored == Factored::AsPlanned => lu.solve_transposed(own),
            _ => self.factorisation.solve(own, transposed),
        }
        if self.orders.is_some() {
            self.take(x, transposed);
        }
    }

    /// The smallest pivot of the last factorisation over its largest, rows and columns scaled: a
    /// cheap estimate of the reciprocal condition number. It is usually too large, seldom by
    /// orders of magnitude; NaN before the first factorisation.
    pub fn rcond(&self) -> f64 {
        self.scales.pivot_ratio()
    }
}

impl<S: Real> Factorisation<S> {
    fn solve(&mut self, x: &mut [S], transposed: bool) {
        match (self, transposed) {
            (Self::Dense(lu), false) => lu.solve(x),
            (Self::Dense(lu), true) => lu.solve_transposed(x),
            (Self::Banded(lu), false) => lu.solve(x),
            (Self::Banded(lu), true) => lu.solve_transposed(x),
            (Self::Sparse(lu), false) => lu.solve(x),
            (Self::Sparse(lu), true) => lu.solve_transposed(x),
        }
    }
}
