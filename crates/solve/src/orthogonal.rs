//! Orthonormal vectors, one after the other.

/// The span of some vectors: modified Gram–Schmidt, twice, which is enough (Giraud, Langou &
/// Rozložník, 2005).
pub(crate) struct Orthonormal {
    width: usize,
    basis: Vec<Vec<f64>>,
    /// For each vector taken up its components along the basis, up to its own.
    components: Vec<Vec<f64>>,
}

impl Orthonormal {
    pub(crate) fn new(width: usize) -> Self {
        Self { width, basis: Vec::new(), components: Vec::new() }
    }

    /// Takes up a vector; or, if at most `tolerance` of it is new, returns how it is combined from
    /// those taken up: (number, coefficient of the unit vector in that direction).
    pub(crate) fn add(&mut self, mut vector: Vec<f64>, tolerance: f64) -> Option<Vec<(usize, f64)>> {
        let size = norm(&vector);
        if size == 0.0 {
            return Some(Vec::new());
        }
        vector.iter_mut().for_each(|x| *x /= size);
        let mut along = vec![0.0; self.basis.len()];
        for _ in 0..2 {
            for (basis, along) in self.basis.iter().zip(&mut along) {
                *along += remove(basis, &mut vector);
            }
        }
        let left = norm(&vector);
        // What is left of a vector in the span is round-off, whatever the tolerance.
        if left <= tolerance.max(8.0 * f64::EPSILON) || self.basis.len() == self.width {
            return Some(self.combination(along));
        }
        vector.iter_mut().for_each(|x| *x /= left);
        self.basis.push(vector);
        along.push(left);
        self.components.push(along);
        None
    }

    /// Back-substitution: from components along the basis to coefficients of the vectors.
    fn combination(&self, mut along: Vec<f64>) -> Vec<(usize, f64)> {
        let mut combination = Vec::with_capacity(along.len());
        for k in (0..along.len()).rev() {
            let components = &self.components[k];
            let coefficient = along[k] / components[k];
            for (along, component) in along.iter_mut().zip(&components[..k]) {
                *along -= coefficient * component;
            }
            combination.push((k, coefficient));
        }
        combination
    }

    /// An orthonormal basis of what is orthogonal to all vectors.
    ///
    /// Each time the axis that is farthest from everything so far is taken up: with r of n
    /// directions known it is at least √(1 − r/n) away.
    pub(crate) fn complement(mut self) -> Vec<Vec<f64>> {
        let known = self.basis.len();
        let mut left = vec![1.0; self.width];
        let shrink = |left: &mut [f64], vector: &[f64]| left.iter_mut().zip(vector).for_each(|(l, v)| *l -= v * v);
        self.basis.iter().for_each(|vector| shrink(&mut left, vector));
        while self.basis.len() < self.width {
            let farthest = (0..self.width).max_by(|&a, &b| left[a].total_cmp(&left[b]).then(b.cmp(&a)));
            let mut vector = vec![0.0; self.width];
            vector[farthest.unwrap_or(0)] = 1.0;
            for _ in 0..2 {
                for basis in &self.basis {
                    remove(basis, &mut vector);
                }
            }
            let size = norm(&vector);
            vector.iter_mut().for_each(|x| *x /= size);
            shrink(&mut left, &vector);
            self.basis.push(vector);
        }
        self.basis.split_off(known)
    }
}

/// Takes from `vector` its part along the unit vector `basis`, and returns how long that was.
fn remove(basis: &[f64], vector: &mut [f64]) -> f64 {
    let along: f64 = basis.iter().zip(&*vector).map(|(b, v)| b * v).sum();
    vector.iter_mut().zip(basis).for_each(|(v, b)| *v -= along * b);
    along
}

/// For vectors whose largest entry is of order one or that are zero.
fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}
