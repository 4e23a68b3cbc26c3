//! Small matrices of expressions, and linear systems with them.

use cotangent_expr::{Array, Error, Expr, Ix, Layout, Place, Tensor, Term, rows, solve};

/// A matrix by rows.
pub(super) type Rows = Vec<Vec<Expr>>;

/// The columns as rows; there are as many as said, also without rows.
pub(super) fn transposed(matrix: &Rows, columns: usize) -> Rows {
    (0..columns).map(|j| matrix.iter().map(|row| row[j].clone()).collect()).collect()
}

/// A x.
pub(super) fn times(matrix: &Rows, x: &[Expr]) -> Vec<Expr> {
    matrix.iter().map(|row| dot(row, x)).collect()
}

/// Aᵀx.
pub(super) fn transposed_times(matrix: &Rows, x: &[Expr], columns: usize) -> Vec<Expr> {
    times(&transposed(matrix, columns), x)
}

/// Σ aᵢbᵢ.
pub(super) fn dot(a: &[Expr], b: &[Expr]) -> Expr {
    Expr::sum(a.iter().zip(b).map(|(a, b)| a * b))
}

/// A as a tensor over numbered rows.
pub(super) fn tensor(name: &str, matrix: &Rows) -> Result<Tensor, Error> {
    let over = rows(name, matrix.len());
    let place = |k: usize| Place { array: over.clone(), index: vec![Ix::constant(k as i64)] };
    let mut terms = vec![];
    for (i, row) in matrix.iter().enumerate() {
        let own = row.iter().enumerate().filter(|(_, e)| !e.is_zero());
        terms.extend(own.map(|(j, e)| Term::plain(vec![place(i), place(j)], e.clone())));
    }
    let layout = Layout::new(vec![over.clone()]);
    Tensor::new(vec![layout.clone(), layout], terms)
}

/// The entries of a square matrix over numbered rows.
pub(super) fn entries(matrix: &Tensor) -> Result<Rows, Error> {
    let n = matrix.shape()[0].len();
    let mut out = vec![vec![Expr::zero(); n]; n];
    for (at, value) in crate::phase::entries(&matrix.expand()?) {
        if let [i, j] = at[..] {
            out[i][j] = &out[i][j] + &value;
        }
    }
    Ok(out)
}

/// The solution of A x = b, solved where it is evaluated, or by symbols where A has one row.
pub(super) fn solved(name: &str, matrix: &Rows, right: &[Expr]) -> Result<Vec<Expr>, Error> {
    match matrix.as_slice() {
        _ if right.iter().all(Expr::is_zero) => Ok(vec![Expr::zero(); right.len()]),
        [row] => Ok(vec![&right[0] / &row[0]]),
        _ => solved_by(name, matrix, right),
    }
}

/// The solution of A x = b, solved where it is evaluated.
pub(super) fn solved_by(name: &str, matrix: &Rows, right: &[Expr]) -> Result<Vec<Expr>, Error> {
    let matrix = tensor(name, matrix)?;
    let over = matrix.shape()[0].arrays()[0].clone();
    let place = |k: usize| Place { array: over.clone(), index: vec![Ix::constant(k as i64)] };
    let terms = right.iter().enumerate().filter(|(_, e)| !e.is_zero());
    let terms = terms.map(|(k, e)| Term::plain(vec![place(k)], e.clone())).collect();
    let x: Array = solve(name, &matrix, &Tensor::new(vec![Layout::new(vec![over.clone()])], terms)?)?;
    Ok((0..right.len()).map(|k| Expr::at(&x, vec![Ix::constant(k as i64)])).collect())
}
