//! LU factorisation of a sparse matrix in a given order, with everything but numbers known beforehand.

use crate::pivoting::Scales;
use cotangent_scalar::Real;

/// So many multiplications for each row are worth a list of where they go; beyond, columns are worth more.
const MOST_MULTIPLICATIONS: usize = 40;
/// So many indices for each row are moved to make room for others in lists, at most: those of long rows would take too long.
const MOST_MOVED: usize = 1000;

/// Gaussian elimination on the diagonal: pivot after pivot, every product is subtracted from an entry whose place is known.
///
/// The entries of a pivot stand together: the pivot, the rest of its row of U, then that of its column of L, so that only the
/// places of what is changed have to be looked up. Where the diagonal has no good pivot nothing is known, and another
/// factorisation, which exchanges rows, has to be taken.
#[derive(Clone, Debug)]
pub(crate) struct PlannedLu<S> {
    pivots: Vec<Pivot>,
    /// The column of each entry of U and the row of each entry of L; of a pivot both.
    indices: Vec<u32>,
    /// Where products l·u are subtracted, pivot by pivot and l by l.
    targets: Vec<u32>,
    /// Where the entries of the matrix are put.
    places: Vec<u32>,
    /// U, L, and the inverses of the pivots.
    values: Vec<S>,
    /// A pivot is good if it is at least this part of the largest entry of its column, each relative to its row.
    least: f64,
}

/// Where the entries of a pivot are: its own, and the ends of its rows of U and columns of L.
#[derive(Clone, Copy, Debug)]
struct Pivot {
    own: u32,
    upper_end: u32,
    lower_end: u32,
}

impl<S: Real> PlannedLu<S> {
    /// For a matrix with entries at (row, column), in the order of elimination; none if it takes too many multiplications.
    pub(crate) fn new(size: usize, addresses: &[(u32, u32)], least: f64) -> Option<Self> {
        let (mut upper, mut lower) = (vec![vec![]; size], vec![vec![]; size]);
        for &(i, j) in addresses {
            if let Some((list, index)) = list(&mut upper, &mut lower, (i, j)) {
                list.push(index);
            }
        }
        upper.iter_mut().chain(&mut lower).for_each(|list| list.sort_unstable());
        let (mut multiplications, mut moved) = (0, 0);
        for k in 0..size {
            let (row, column): (Vec<u32>, Vec<u32>) = (upper[k].clone(), lower[k].clone());
            multiplications += row.len() * column.len();
            if multiplications > MOST_MULTIPLICATIONS * size || moved > MOST_MOVED * size {
                return None;
            }
            for (i, j) in column.iter().flat_map(|&i| row.iter().map(move |&j| (i, j))) {
                if let Some((list, index)) = list(&mut upper, &mut lower, (i, j))
                    && let Err(at) = list.binary_search(&index)
                {
                    moved += list.len() - at;
                    list.insert(at, index);
                }
            }
        }
        let (mut pivots, mut indices) = (Vec::with_capacity(size), vec![]);
        for (k, (row, column)) in upper.iter().zip(&lower).enumerate() {
            let own = u32::try_from(indices.len()).ok()?;
            let upper_end = own + 1 + row.len() as u32;
            pivots.push(Pivot { own, upper_end, lower_end: upper_end + column.len() as u32 });
            indices.push(k as u32);
            indices.extend(row.iter().chain(column));
        }
        let place = |i: u32, j: u32| {
            let pivot = pivots[i.min(j) as usize];
            let among = |list: &[u32], index: u32| list.binary_search(&index).unwrap_or(0) as u32;
            match i.cmp(&j) {
                std::cmp::Ordering::Equal => pivot.own,
                std::cmp::Ordering::Less => pivot.own + 1 + among(&upper[i as usize], j),
                std::cmp::Ordering::Greater => pivot.upper_end + among(&lower[j as usize], i),
            }
        };
        let places = addresses.iter().map(|&(i, j)| place(i, j)).collect();
        let mut targets = Vec::with_capacity(multiplications);
        for (row, column) in upper.iter().zip(&lower) {
            targets.extend(column.iter().flat_map(|&i| row.iter().map(move |&j| (i, j))).map(|(i, j)| place(i, j)));
        }
        let values = vec![S::from_f64(0.0); indices.len()];
        Some(PlannedLu { pivots, indices, targets, places, values, least })
    }

    /// Factors the matrix with these values, whose scales were measured; false if the diagonal does not do. A right-hand side `x`,
    /// if there is one, is eliminated on the way, and is L⁻¹ x then.
    pub(crate) fn factor(&mut self, values: &[S], scales: &mut Scales, x: &mut [S]) -> bool {
        self.values.fill(S::from_f64(0.0));
        for (&place, &value) in self.places.iter().zip(values) {
            self.values[place as usize] = value;
        }
        let mut targets = self.targets.iter();
        for (k, &Pivot { own, upper_end, lower_end }) in self.pivots.iter().enumerate() {
            let [own, upper_end, lower_end] = [own, upper_end, lower_end].map(|at| at as usize);
            let (done, rest) = self.values.split_at_mut(lower_end);
            let (upper, lower) = done[own..].split_at_mut(upper_end - own);
            let rows = &self.indices[upper_end..lower_end];
            let size = scales.in_row(k as u32, upper[0]);
            let mut good = scales.accept::<S>(k, size);
            for (&i, &entry) in rows.iter().zip(lower.iter()) {
                good &= self.least * scales.in_row(i, entry) <= size;
            }
            if !good {
                return false;
            }
            let inverse = S::from_f64(1.0) / upper[0];
            upper[0] = inverse;
            let side = x.get(k).copied();
            for (&i, entry) in rows.iter().zip(lower) {
                let factor = *entry * inverse;
                *entry = factor;
                for (&u, &target) in upper[1..].iter().zip(&mut targets) {
                    let value = &mut rest[target as usize - lower_end];
                    *value = *value - factor * u;
                }
                if let Some(side) = side {
                    x[i as usize] = x[i as usize] - factor * side;
                }
            }
        }
        true
    }

    /// The pivots from the first to the last, each with its place among the unknowns, the inverse, and the entries of U and L
    /// with their indices.
    fn blocks(&self) -> impl DoubleEndedIterator<Item = (usize, S, Entries<'_, S>, Entries<'_, S>)> {
        self.pivots.iter().enumerate().map(|(k, &Pivot { own, upper_end, lower_end })| {
            let [own, upper_end, lower_end] = [own, upper_end, lower_end].map(|at| at as usize);
            let part = |range: std::ops::Range<usize>| Entries(&self.indices[range.clone()], &self.values[range]);
            (k, self.values[own], part(own + 1..upper_end), part(upper_end..lower_end))
        })
    }

    /// A x = b, with b in `x` before and x after.
    pub(crate) fn solve(&self, x: &mut [S]) {
        for (k, _, _, lower) in self.blocks() {
            lower.subtract(x[k], x);
        }
        self.back(x);
    }

    /// U⁻¹ x.
    pub(crate) fn back(&self, x: &mut [S]) {
        for (k, inverse, upper, _) in self.blocks().rev() {
            x[k] = upper.subtracted(x[k], x) * inverse;
        }
    }

    /// Aᵀ x = b.
    pub(crate) fn solve_transposed(&self, x: &mut [S]) {
        for (k, inverse, upper, _) in self.blocks() {
            x[k] = x[k] * inverse;
            upper.subtract(x[k], x);
        }
        for (k, _, _, lower) in self.blocks().rev() {
            x[k] = lower.subtracted(x[k], x);
        }
    }
}

/// Entries of a row or column with their indices.
struct Entries<'a, S>(&'a [u32], &'a [S]);

impl<S: Real> Entries<'_, S> {
    /// x −= these times `factor`.
    fn subtract(&self, factor: S, x: &mut [S]) {
        for (&i, &entry) in self.0.iter().zip(self.1) {
            x[i as usize] = x[i as usize] - entry * factor;
        }
    }

    /// `sum` less their products with x.
    fn subtracted(&self, sum: S, x: &[S]) -> S {
        self.0.iter().zip(self.1).fold(sum, |sum, (&i, &entry)| sum - entry * x[i as usize])
    }
}

/// Where an entry off the diagonal is listed: in the row of a pivot, by its column, or in its column, by its row.
fn list<'a>(
    upper: &'a mut [Vec<u32>],
    lower: &'a mut [Vec<u32>],
    (i, j): (u32, u32),
) -> Option<(&'a mut Vec<u32>, u32)> {
    match i.cmp(&j) {
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Less => Some((&mut upper[i as usize], j)),
        std::cmp::Ordering::Greater => Some((&mut lower[j as usize], i)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cotangent_scalar::Random;

    /// A matrix with this diagonal, and entries between ±½ at some random places besides.
    fn matrix(n: usize, diagonal: f64, random: &mut Random) -> (Vec<(u32, u32)>, Vec<f64>) {
        let mut addresses: Vec<(u32, u32)> = (0..n as u32).map(|i| (i, i)).collect();
        for i in 1..n as u32 {
            let near = i - 1 - (random.uniform() * f64::from(i.min(4))) as u32;
            addresses.extend([(i, near), (near, i), (i, i - 1)]);
        }
        addresses.sort_unstable();
        addresses.dedup();
        let value = |&(i, j): &(u32, u32)| if i == j { diagonal } else { 0.0 } + random.uniform() - 0.5;
        let values = addresses.iter().map(value).collect();
        (addresses, values)
    }

    fn product(addresses: &[(u32, u32)], values: &[f64], x: &[f64], transposed: bool) -> Vec<f64> {
        let mut y = vec![0.0; x.len()];
        for (&(i, j), &value) in addresses.iter().zip(values) {
            let (i, j) = if transposed { (j, i) } else { (i, j) };
            y[i as usize] += value * x[j as usize];
        }
        y
    }

    #[test]
    fn solutions_solve_their_equations() {
        let mut random = Random::default();
        for n in [1, 2, 5, 30, 200] {
            let (addresses, values) = matrix(n, 4.0, &mut random);
            let mut lu = PlannedLu::new(n, &addresses, 0.05).unwrap();
            let mut scales = Scales::new(n);
            scales.measure(&addresses, &values);
            let x: Vec<f64> = (0..n).map(|_| random.uniform()).collect();
            let apart = |y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            let mut on_the_way = product(&addresses, &values, &x, false);
            let mut afterwards = on_the_way.clone();
            assert!(lu.factor(&values, &mut scales, &mut on_the_way), "{n}");
            lu.back(&mut on_the_way);
            lu.solve(&mut afterwards);
            assert_eq!(on_the_way, afterwards);
            assert!(apart(&afterwards) < 1e-14, "{n}: {:e}", apart(&afterwards));
            let mut transposed = product(&addresses, &values, &x, true);
            lu.solve_transposed(&mut transposed);
            assert!(apart(&transposed) < 1e-14, "{n}: {:e}", apart(&transposed));
        }
    }

    #[test]
    fn a_diagonal_that_does_not_do_is_noticed() {
        let mut random = Random::default();
        for (least, good) in [(0.05, true), (1.0, false)] {
            // The second row has the larger entry in the first column.
            let (addresses, values) = (vec![(0, 0), (0, 1), (1, 0), (1, 1)], vec![0.5, 1.0, 1.0, 0.5]);
            let mut lu = PlannedLu::new(2, &addresses, least).unwrap();
            let mut scales = Scales::new(2);
            scales.measure(&addresses, &values);
            assert_eq!(lu.factor(&values, &mut scales, &mut []), good);
        }
        let (addresses, mut values) = matrix(40, 4.0, &mut random);
        for bad in [0.0, f64::NAN, f64::INFINITY] {
            let at = addresses.iter().position(|&a| a == (0, 0)).unwrap();
            values[at] = bad;
            let mut lu = PlannedLu::new(40, &addresses, 0.05).unwrap();
            let mut scales = Scales::new(40);
            scales.measure(&addresses, &values);
            assert!(!lu.factor(&values, &mut scales, &mut []), "{bad}");
        }
    }

    #[test]
    fn what_fills_is_left_to_others() {
        let hub: Vec<(u32, u32)> = (1..100).flat_map(|i| [(0, i), (i, 0)]).chain((0..100).map(|i| (i, i))).collect();
        assert!(PlannedLu::<f64>::new(100, &hub, 0.05).is_none());
        // The same with the hub last.
        let last: Vec<(u32, u32)> = hub.iter().map(|&(i, j)| (99 - i, 99 - j)).collect();
        assert!(PlannedLu::<f64>::new(100, &last, 0.05).is_some());
    }
}
