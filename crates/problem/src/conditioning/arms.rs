//! The arms of a hyperbola ½ ξᵀA ξ = level, and on which of them a point lies.

use cotangent_dynamics::Branch;

/// The eigenvalues κ₊ > 0 > κ₋ of A = (a b; b d), and unit eigenvectors.
pub(super) struct Axes {
    values: [f64; 2],
    vectors: [[f64; 2]; 2],
}

/// The signs of x₊ and x₋ along the axes, where they are known.
pub(super) struct Arms([Option<bool>; 2]);

impl Axes {
    pub(super) fn of([a, b, d]: [f64; 3]) -> Axes {
        let root = ((a - d) / 2.0).hypot(b);
        let vector = |root: f64| {
            // (A − κ) u = 0 with κ = (a + d)/2 + root; the larger of two ways to write u.
            let [x, y] = [root + (a - d) / 2.0, root - (a - d) / 2.0];
            let [x, y] = if x.abs() > y.abs() { [x, b] } else { [b, y] };
            [x / x.hypot(y), y / x.hypot(y)]
        };
        Axes { values: [(a + d) / 2.0 + root, (a + d) / 2.0 - root], vectors: [vector(root), vector(-root)] }
    }

    /// The size of the terms of ½ ξᵀA ξ.
    pub(super) fn size(&self, xi: [f64; 2]) -> f64 {
        self.parts(self.along(xi)).iter().map(|part| part.abs()).sum()
    }

    fn along(&self, xi: [f64; 2]) -> [f64; 2] {
        self.vectors.map(|u| u[0] * xi[0] + u[1] * xi[1])
    }

    fn parts(&self, x: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|k| self.values[k] * x[k] * x[k] / 2.0)
    }

    /// Where a point lies whose level is known but for rounding. By as much as it misses the level, ½ ξᵀA ξ is not all
    /// there is: a sign is known only if the point were off that level by more without its coordinate.
    pub(super) fn arms(&self, xi: [f64; 2], level: f64, rounding: f64) -> Arms {
        let x = self.along(xi);
        let parts = self.parts(x);
        let missing = (parts[0] + parts[1] - level).abs();
        Arms([0, 1].map(|k| (parts[k].abs() > missing + rounding).then_some(x[k] > 0.0)))
    }
}

impl Arms {
    pub(super) const UNKNOWN: Arms = Arms([None, None]);

    pub(super) fn are_known(&self) -> bool {
        self.0.iter().all(Option::is_some)
    }

    /// What became of the branch on the way to another point, on constraints of this level; none if that is not known.
    pub(super) fn leads_to(&self, other: &Arms, level: f64) -> Option<Branch> {
        let [plus, minus] = [0, 1].map(|k| Some(self.0[k]? != other.0[k]?));
        let kept = if level > 0.0 { plus } else { minus };
        match (plus, minus) {
            (Some(plus), Some(minus)) if level == 0.0 => Some(if plus == minus { Branch::Kept } else { Branch::Left }),
            _ if level == 0.0 => None,
            (Some(true), Some(true)) => Some(Branch::Jumped),
            _ => kept.map(|changed| if changed { Branch::Left } else { Branch::Kept }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_motion_keeps_to_its_branch_of_a_hyperbola_and_goes_straight_through_a_crossing() {
        // x y = level, turned by an angle: on x, y > 0 and on x, y < 0 for a positive level.
        for angle in [0.0f64, 0.3, 1.1, 2.0, 3.0, 4.5] {
            let (s, c) = angle.sin_cos();
            let axes = Axes::of([-2.0 * s * c, c * c - s * s, 2.0 * s * c]);
            let way = |level: f64, ends: [[f64; 2]; 2]| {
                let [first, last] = ends.map(|[x, y]| axes.arms([c * x - s * y, s * x + c * y], x * y, 1e-15));
                first.leads_to(&last, level)
            };
            let [near, far, back] = [[2.0, 0.5], [0.5, 2.0], [-4.0, -0.25]];
            assert_eq!(way(1.0, [near, far]), Some(Branch::Kept));
            assert_eq!(way(1.0, [near, back]), Some(Branch::Jumped));
            assert_eq!(way(-1.0, [near, far]), Some(Branch::Left));
            assert_eq!(way(0.0, [near, far]), Some(Branch::Left));
            let [near, far, back] = [near, far, back].map(|[x, y]| [x, -y]);
            assert_eq!(way(-1.0, [near, far]), Some(Branch::Kept));
            assert_eq!(way(-1.0, [near, back]), Some(Branch::Jumped));
            assert_eq!(way(1.0, [near, far]), Some(Branch::Left));
            // Along the axes themselves, where branches cross.
            assert_eq!(way(0.0, [[1.0, 0.0], [-2.0, 0.0]]), Some(Branch::Kept));
            assert_eq!(way(0.0, [[1.0, 0.0], [0.0, 2.0]]), Some(Branch::Left));
            assert_eq!(way(0.0, [[1e-9, 0.0], [0.0, 2.0]]), None);
        }
    }
}
