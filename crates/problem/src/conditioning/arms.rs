//! The arms of a hyperbola ½ ξᵀA ξ = level, and on which of them a point lies.

use cotangent_dynamics::Branch;

/// The eigenvalues κ₊ > 0 > κ₋ of A = (a b; b d), and unit eigenvectors.
pub(super) struct Axes {
    values: [f64; 2],
    vectors: [[f64; 2]; 2],
}

/// Where a motion is.
pub(super) struct Arms {
    /// The signs of x₊ and x₋ along the axes, where they are known.
    signs: [Option<bool>; 2],
    /// The velocities along them.
    heading: [f64; 2],
}

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

    /// A vector in the plane along the axes.
    pub(super) fn along(&self, xi: [f64; 2]) -> [f64; 2] {
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
        let signs = [0, 1].map(|k| (parts[k].abs() > missing + rounding).then_some(x[k] > 0.0));
        Arms { signs, heading: [0.0; 2] }
    }
}

impl Arms {
    pub(super) const UNKNOWN: Arms = Arms { signs: [None, None], heading: [0.0; 2] };

    pub(super) fn are_known(&self) -> bool {
        self.signs.iter().all(Option::is_some)
    }

    /// The same of a motion with these velocities along the axes.
    pub(super) fn heading(self, heading: [f64; 2]) -> Arms {
        Arms { heading, ..self }
    }

    /// Whether another point lies on the other arm of the same branch.
    pub(super) fn is_around(&self, other: &Arms) -> bool {
        let changed = [0, 1].map(|k| self.signs[k].zip(other.signs[k]).is_some_and(|(a, b)| a != b));
        changed[0] != changed[1]
    }

    /// Whether a motion that kept to its branch goes the other way along it: where one coordinate keeps its sign the other one
    /// grows along the branch, or falls.
    pub(super) fn is_turned_back(&self, other: &Arms, level: f64) -> bool {
        let opposite = |k: usize| self.heading[k] * other.heading[k] < 0.0;
        match level {
            0.0 => opposite(0) && opposite(1),
            level => opposite(if level > 0.0 { 1 } else { 0 }),
        }
    }

    /// What became of the branch on the way to another point, on constraints of this level; none if that is not known.
    pub(super) fn leads_to(&self, other: &Arms, level: f64) -> Option<Branch> {
        let [plus, minus] = [0, 1].map(|k| Some(self.signs[k]? != other.signs[k]?));
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
    fn a_motion_does_not_go_back_along_its_branch() {
        // x y = level, from the arm along x to that along y.
        let axes = Axes::of([0.0, 1.0, 0.0]);
        let at = |[x, y]: [f64; 2], v: [f64; 2]| axes.arms([x, y], x * y, 1e-15).heading(axes.along(v));
        let (first, on) = (at([2.0, 0.5], [-1.0, 0.25]), at([0.5, 2.0], [-0.25, 1.0]));
        let (back, straight) = (at([0.5, 2.0], [0.25, -1.0]), at([-2.0, 0.1], [-1.0, 0.0]));
        assert!(!first.is_turned_back(&on, 1.0) && first.is_turned_back(&back, 1.0));
        assert!(!first.is_turned_back(&straight, 0.0) && on.is_turned_back(&back, 0.0));
    }

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
