//! The parts of a mechanism that neither a constraint nor a mass connects.
//!
//! G and H_pp, and with them Q = G H_pp Gᵀ, are block diagonal: how a part comes by a singular configuration has nothing to do with
//! how fast, how heavy or how well determined the others are. A part is judged by its own coordinates alone.

use cotangent_solve::Pattern;

/// Which part each constraint and each coordinate belongs to.
#[derive(Clone)]
pub(super) struct Parts {
    pub(super) rows: Vec<usize>,
    columns: Vec<usize>,
}

impl Parts {
    /// The blocks of these patterns of G and H_pp; the time, where it is a coordinate, connects nothing.
    pub(super) fn of(jacobian: &Pattern, metric: &Pattern, time: Option<usize>) -> Parts {
        let (m, n) = (jacobian.rows(), jacobian.columns());
        let mut leader: Vec<usize> = (0..m + n).collect();
        let of_metric = metric.addresses().map(|(i, j)| (i as usize, j as usize));
        let of_metric = of_metric.filter(|(i, j)| ![Some(*i), Some(*j)].contains(&time));
        let of_jacobian = jacobian.addresses().map(|(i, j)| (n + i as usize, j as usize));
        for (a, b) in of_metric.chain(of_jacobian) {
            let (a, b) = (first(&mut leader, a), first(&mut leader, b));
            leader[a.max(b)] = a.min(b);
        }
        let all: Vec<usize> = (0..m + n).map(|k| first(&mut leader, k)).collect();
        let (columns, rows) = all.split_at(n);
        // Numbered from 0, those with constraints first.
        let mut numbers = vec![usize::MAX; m + n];
        let mut count = 0;
        for leader in rows.iter().chain(columns) {
            if numbers[*leader] == usize::MAX {
                numbers[*leader] = count;
                count += 1;
            }
        }
        let numbered = |leaders: &[usize]| leaders.iter().map(|leader| numbers[*leader]).collect();
        Parts { rows: numbered(rows), columns: numbered(columns) }
    }

    /// Whether a coordinate belongs to the part of a constraint.
    pub(super) fn moves(&self, constraint: usize, coordinate: usize) -> bool {
        self.columns[coordinate] == self.rows[constraint]
    }

    /// How many coordinates and constraints the part of a constraint has.
    pub(super) fn sizes(&self, constraint: usize) -> [usize; 2] {
        let part = self.rows[constraint];
        [&self.columns, &self.rows].map(|parts| parts.iter().filter(|other| **other == part).count())
    }
}

/// The representative of what an entry is connected with.
fn first(leader: &mut [usize], mut entry: usize) -> usize {
    while leader[entry] != entry {
        leader[entry] = leader[leader[entry]];
        entry = leader[entry];
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_constraint_and_no_mass_connects_are_parts() {
        // φ₀(q₀, q₂) and φ₁(q₃), a mass that couples q₂ with q₄, and q₁ free.
        let jacobian = Pattern::new(2, 5, &[(0, 0), (0, 2), (1, 3)]).unwrap();
        let metric = Pattern::new(5, 5, &[(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (2, 4), (4, 2)]).unwrap();
        let parts = Parts::of(&jacobian, &metric, None);
        assert_eq!(parts.rows, [0, 1]);
        assert_eq!((0..5).map(|k| parts.moves(0, k)).collect::<Vec<_>>(), [true, false, true, false, true]);
        assert_eq!([parts.sizes(0), parts.sizes(1)], [[3, 1], [1, 1]]);
    }

    #[test]
    fn time_connects_nothing() {
        let jacobian = Pattern::new(1, 3, &[(0, 0)]).unwrap();
        let metric = Pattern::new(3, 3, &[(0, 0), (0, 1), (1, 0), (1, 2), (2, 1), (2, 2)]).unwrap();
        assert_eq!(Parts::of(&jacobian, &metric, Some(1)).sizes(0), [1, 1]);
        assert_eq!(Parts::of(&jacobian, &metric, None).sizes(0), [3, 1]);
    }
}
