//! How far a linear map is from symplectic.

use cotangent_scalar::Real;

/// Measures what a step does to the symplectic form on a set of tangent vectors.
///
/// A map is symplectic if its derivative D keeps the form, ω(Du, Dv) = ω(u, v) for all tangent
/// vectors; it is enough to ask a basis of the tangent space. On a constraint surface that is a
/// basis of the kernel of the constraints' derivative, and ω restricted to it is the form to be
/// kept; so the vectors are given, and there may be fewer than 2n.
///
/// The defect of a pair is
///
/// $$ \frac{|\omega(Du, Dv) - \omega(u, v)|}{\max(1, |Du|)\,\max(1, |Dv|)} . $$
///
/// Where the map stretches (an unstable orbit, a long time), ω(Du, Dv) is a difference of large
/// products, and rounding alone spoils it in proportion to the denominator.
#[derive(Clone, Debug, PartialEq)]
pub struct SymplecticDefect<S> {
    size: usize,
    form: Form<S>,
}

#[derive(Clone, Debug, PartialEq)]
enum Form<S> {
    Canonical,
    /// ω(u, v) = uᵀ Ω v, row by row.
    Matrix(Vec<S>),
}

/// The largest defect over the pairs of a basis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Defect {
    /// The largest defect.
    pub value: f64,
    /// The largest |ω(Du, Dv) − ω(u, v)| as it is.
    pub absolute: f64,
    /// The pair with the largest defect; none if there is no pair, or none is off at all.
    pub pair: Option<(usize, usize)>,
}

/// Vectors or a form without a defect.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum TangentError {
    /// The form is not a square matrix.
    #[error("a form on {size} variables has {size}^2 entries, not {entries}")]
    FormSize {
        /// Variables.
        size: usize,
        /// Entries given.
        entries: usize,
    },
    /// The form is not antisymmetric.
    #[error("the symplectic form is not antisymmetric: entries ({row}, {column}) and ({column}, {row}) do not cancel")]
    NotSkew {
        /// Row of the first such entry.
        row: usize,
        /// Its column.
        column: usize,
    },
    /// Vectors and images do not correspond.
    #[error("{vectors} tangent vectors, but {images} images of them")]
    Count {
        /// Tangent vectors given.
        vectors: usize,
        /// Images given.
        images: usize,
    },
    /// A vector, or its image, does not have a component for each variable.
    #[error("tangent vector {index}, or its image, has {found} components instead of {expected}")]
    VectorSize {
        /// Which vector.
        index: usize,
        /// Its components.
        found: usize,
        /// The variables.
        expected: usize,
    },
    /// A vector or its image has a component that is not finite, or the form of it overflows.
    #[error("tangent vector {index}, its image, or the form of it is not finite")]
    NotFinite {
        /// Which vector.
        index: usize,
    },
}

impl<S: Real> SymplecticDefect<S> {
    /// The canonical form on n degrees of freedom, ω(u, v) = Σᵢ (uᵢ vₙ₊ᵢ − uₙ₊ᵢ vᵢ): positions
    /// first, then momenta.
    pub fn canonical(degrees: usize) -> Self {
        Self { size: degrees.saturating_mul(2), form: Form::Canonical }
    }

    /// The form ω(u, v) = uᵀ Ω v of so many variables, perhaps degenerate, with Ω given row by row.
    ///
    /// # Errors
    /// If Ω is not a square matrix of that size or not antisymmetric (exactly; NaN is not).
    pub fn with_form(size: usize, matrix: Vec<S>) -> Result<Self, TangentError> {
        if size.checked_mul(size) != Some(matrix.len()) {
            return Err(TangentError::FormSize { size, entries: matrix.len() });
        }
        for row in 0..size {
            for column in 0..=row {
                let sum = matrix[row * size + column] + matrix[column * size + row];
                if !(sum.is_finite() && sum.is_zero()) {
                    return Err(TangentError::NotSkew { row, column });
                }
            }
        }
        Ok(Self { size, form: Form::Matrix(matrix) })
    }

    /// The largest defect over all pairs of `vectors`, given the image of each under the derivative
    /// of the step.
    ///
    /// # Errors
    /// If vectors and images do not fit, or a value is not finite.
    pub fn measure<V: AsRef<[S]>>(&self, vectors: &[V], images: &[V]) -> Result<Defect, TangentError> {
        if vectors.len() != images.len() {
            return Err(TangentError::Count { vectors: vectors.len(), images: images.len() });
        }
        for list in [vectors, images] {
            for (index, vector) in list.iter().enumerate() {
                self.check(index, vector.as_ref())?;
            }
        }
        let sizes: Vec<f64> = images.iter().map(|image| length(image.as_ref()).max(1.0)).collect();
        let mut defect = Defect { value: 0.0, absolute: 0.0, pair: None };
        for j in 0..vectors.len() {
            for i in 0..j {
                let before = self.form(vectors[i].as_ref(), vectors[j].as_ref());
                let after = self.form(images[i].as_ref(), images[j].as_ref());
                let absolute = (after - before).value().abs();
                if !absolute.is_finite() {
                    return Err(TangentError::NotFinite { index: j });
                }
                let value = absolute / sizes[i] / sizes[j];
                defect.absolute = defect.absolute.max(absolute);
                if value > defect.value {
                    (defect.value, defect.pair) = (value, Some((i, j)));
                }
            }
        }
        Ok(defect)
    }

    /// ω(u, v), for vectors with a component for each variable.
    fn form(&self, u: &[S], v: &[S]) -> S {
        let zero = S::from_f64(0.0);
        let n = self.size / 2;
        match &self.form {
            Form::Canonical => (0..n).fold(zero, |sum, i| sum + u[i] * v[n + i] - u[n + i] * v[i]),
            Form::Matrix(matrix) => {
                let row = |i: usize| &matrix[i * self.size..(i + 1) * self.size];
                let product = |i: usize| row(i).iter().zip(v).fold(zero, |sum, (&a, &b)| sum + a * b);
                (0..self.size).fold(zero, |sum, i| sum + u[i] * product(i))
            }
        }
    }

    fn check(&self, index: usize, vector: &[S]) -> Result<(), TangentError> {
        let expected = self.size;
        if vector.len() != expected {
            return Err(TangentError::VectorSize { index, found: vector.len(), expected });
        }
        if !vector.iter().all(|x| x.is_finite()) {
            return Err(TangentError::NotFinite { index });
        }
        Ok(())
    }
}

/// The Euclidean length, of squares that cannot overflow.
fn length<S: Real>(vector: &[S]) -> f64 {
    vector.iter().fold(0.0, |sum: f64, x| sum.hypot(x.value()))
}

#[cfg(test)]
mod tests {
    use cotangent_scalar::{Dd, Dual, Scalar};

    use super::*;

    const PLANE: [[f64; 2]; 2] = [[1.0, 0.0], [0.0, 1.0]];

    #[test]
    fn a_shear_is_symplectic_and_a_dilation_is_not() {
        let canonical = SymplecticDefect::canonical(1);
        let shear = canonical.measure(&PLANE, &[[1.0, 0.0], [0.75, 1.0]]).unwrap();
        assert_eq!(shear, Defect { value: 0.0, absolute: 0.0, pair: None });
        // ω(Du, Dv) = 4, |Du| = |Dv| = 2.
        let dilation = canonical.measure(&PLANE, &[[2.0, 0.0], [0.0, 2.0]]).unwrap();
        assert_eq!(dilation, Defect { value: 0.75, absolute: 3.0, pair: Some((0, 1)) });
        // A contraction is not blown up by its small images.
        let contraction = canonical.measure(&PLANE, &[[0.5, 0.0], [0.0, 0.5]]).unwrap();
        assert_eq!(contraction.value, 0.75);
    }

    #[test]
    fn explicit_euler_has_the_defect_of_its_determinant() {
        // The pendulum: q + h p, p − h sin q has determinant 1 + h² cos q.
        let (q, p, h) = (0.5, 0.25, 0.1);
        let column = |i: usize| -> [Dd; 2] {
            let x: [Dual<Dd>; 2] = [0, 1].map(|k| {
                let value = Dd::from(if k == 0 { q } else { p });
                if k == i { Dual::variable(value, 0) } else { Dual::constant(value) }
            });
            let h = Dual::from_f64(h);
            [x[0] + h * x[1], x[1] - h * x[0].sin()].map(|y| y.tangent[0])
        };
        let images = [column(0), column(1)];
        let unit = PLANE.map(|v| v.map(Dd::from));
        let defect = SymplecticDefect::canonical(1).measure(&unit, &images).unwrap();
        assert!((defect.absolute - h * h * q.cos()).abs() < 1e-17);
    }

    #[test]
    fn a_given_form_is_kept_by_its_own_maps() {
        // Ω = [[0, 3], [−3, 0]] is kept by rotations, and the matrix form agrees with the canonical one.
        let three = SymplecticDefect::with_form(2, vec![0.0, 3.0, -3.0, 0.0]).unwrap();
        let rotation = [[0.6, 0.8], [-0.8, 0.6]];
        assert!(three.measure(&PLANE, &rotation).unwrap().value < 1e-15);
        assert_eq!(three.measure(&PLANE, &[[1.0, 0.0], [0.0, 0.5]]).unwrap().absolute, 1.5);
        let matrix = vec![0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0];
        let (general, canonical) = (SymplecticDefect::with_form(4, matrix).unwrap(), SymplecticDefect::canonical(2));
        let vectors = [[1.0, 2.0, 3.0, 4.0], [0.5, -1.0, 2.0, 0.25], [4.0, 0.0, -1.0, 1.0]];
        let images = [[1.0, 2.0, 3.0, 5.0], [0.5, -1.0, 2.5, 0.25], [4.0, 1.0, -1.0, 1.0]];
        assert_eq!(general.measure(&vectors, &images), canonical.measure(&vectors, &images));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let canonical = SymplecticDefect::canonical(1);
        let nan = [[1.0, f64::NAN], [0.0, 1.0]];
        assert_eq!(canonical.measure(&PLANE, &nan), Err(TangentError::NotFinite { index: 0 }));
        assert_eq!(canonical.measure(&PLANE, &PLANE[..1]), Err(TangentError::Count { vectors: 2, images: 1 }));
        let long = [vec![1.0; 3]];
        assert_eq!(canonical.measure(&long, &long), Err(TangentError::VectorSize { index: 0, found: 3, expected: 2 }));
        assert_eq!(
            SymplecticDefect::with_form(2, vec![0.0, 1.0, 1.0, 0.0]),
            Err(TangentError::NotSkew { row: 1, column: 0 })
        );
        assert_eq!(
            SymplecticDefect::with_form(usize::MAX, vec![0.0]),
            Err(TangentError::FormSize { size: usize::MAX, entries: 1 })
        );
        let huge = [[1e200, 0.0], [0.0, 1e200]];
        assert_eq!(canonical.measure(&PLANE, &huge), Err(TangentError::NotFinite { index: 1 }));
        assert_eq!(canonical.measure::<[f64; 2]>(&[], &[]).unwrap().pair, None);
    }
}
