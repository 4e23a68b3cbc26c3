//! A matrix to test with, and how well a solution solves it.
#![allow(dead_code, unreachable_pub)] // each test uses a part

use cotangent_scalar::{Dd, Real};
use cotangent_solve::{LinearSolver, Pattern};

/// A matrix with a pattern of its own.
#[derive(Clone, Debug)]
pub struct Matrix {
    pub pattern: Pattern,
    pub values: Vec<f64>,
}

impl Matrix {
    pub fn new(size: usize, entries: &[(u32, u32, f64)]) -> Self {
        let addresses: Vec<_> = entries.iter().map(|&(i, j, _)| (i, j)).collect();
        let pattern = Pattern::new(size, size, &addresses).unwrap();
        let mut values = vec![0.0; pattern.len()];
        for &(i, j, value) in entries {
            values[pattern.position(i as usize, j as usize).unwrap()] = value;
        }
        Self { pattern, values }
    }

    pub fn full(rows: &[&[f64]]) -> Self {
        let entry = |i: usize| move |(j, &value): (usize, &f64)| (i as u32, j as u32, value);
        let entries: Vec<_> =
            rows.iter().enumerate().flat_map(|(i, row)| row.iter().enumerate().map(entry(i))).collect();
        Self::new(rows.len(), &entries)
    }

    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        self.pattern.addresses().zip(&self.values).map(|((i, j), &value)| (i as usize, j as usize, value))
    }

    /// The same matrix with every zero written out, which makes it dense.
    pub fn filled(&self) -> Self {
        let n = self.pattern.rows() as u32;
        let mut entries: Vec<_> = (0..n).flat_map(|i| (0..n).map(move |j| (i, j, 0.0))).collect();
        entries.extend(self.entries().map(|(i, j, value)| (i as u32, j as u32, value)));
        Self::new(n as usize, &entries)
    }

    pub fn permuted(&self, rows: &[u32], columns: &[u32]) -> Self {
        let entries: Vec<_> = self.entries().map(|(i, j, value)| (rows[i], columns[j], value)).collect();
        Self::new(rows.len(), &entries)
    }

    pub fn solver(&self) -> LinearSolver<f64> {
        let mut solver = LinearSolver::new(&self.pattern).unwrap();
        solver.factor(&self.values).unwrap();
        solver
    }

    /// max |b − A x|/(|A||x| + |b|), the backward error, with the residual in double-double.
    pub fn backward_error(&self, x: &[f64], b: &[f64], transposed: bool) -> f64 {
        let mut residual: Vec<_> = b.iter().map(|&b| Dd::from(b)).collect();
        let mut size: Vec<_> = b.iter().map(|b| b.abs()).collect();
        for (i, j, value) in self.entries() {
            let (i, j) = if transposed { (j, i) } else { (i, j) };
            residual[i] = residual[i] - Dd::from(value) * Dd::from(x[j]);
            size[i] += (value * x[j]).abs();
        }
        residual.iter().zip(size).map(|(r, size)| r.value().abs() / size).fold(0.0, f64::max)
    }
}
