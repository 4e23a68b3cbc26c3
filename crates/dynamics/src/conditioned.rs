//! How well the constraint forces are determined in a step.

/// What became of the branch that a motion was on, at a singular configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Branch {
    /// Nothing that is known.
    #[default]
    Kept,
    /// The motion turned into another branch where the smooth continuation goes straight on.
    Left,
    /// The motion went straight on over a gap between branches, where it should have turned.
    Jumped,
    /// Velocities and multipliers, or other variables without rates, are not the continuation of those before: their
    /// equations have several solutions, or are singular on the way.
    Ended,
    /// Nobody can tell: the masses are not positive there.
    Undetermined,
}

/// A condition from which on a step may have several solutions: gradients within a quarter of a radian.
const ILL: f64 = 20.0;

/// A condition beyond which a configuration counts as singular, nearly: gradients within a hundredth of a radian, or one
/// of a hundredth of its size.
pub const NEARLY_SINGULAR: f64 = 1e4;

/// What a step has met.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Conditioned {
    /// κ, at most 1/u; 1 where forces are determined well.
    pub condition: f64,
    /// The constraint that depends on the others most.
    pub constraint: usize,
    /// Whether the step went through a singular configuration.
    pub crossed: bool,
    /// What became of the branch there.
    pub branch: Branch,
    /// Whether there is a gap between branches, wider than what the state is off its constraints; none where that is not known.
    /// Beside its constraints a motion turns in gaps that are none.
    pub gap: Option<bool>,
    /// Whether a singular configuration is known to be far, whatever the condition says: gradients of very different
    /// sizes, or masses.
    pub far: bool,
}

impl Conditioned {
    /// Forces that are determined well.
    pub const WELL: Conditioned =
        Conditioned { condition: 1.0, constraint: 0, crossed: false, branch: Branch::Kept, gap: None, far: false };

    /// What is known from a condition alone.
    pub fn of(condition: f64, constraint: usize, crossed: bool) -> Conditioned {
        Conditioned { condition, constraint, crossed, ..Conditioned::WELL }
    }

    /// The worse of two steps that are one after the other.
    pub fn and(self, next: Conditioned) -> Conditioned {
        let (worse, other) = if next.is_worse_than(&self) { (next, self) } else { (self, next) };
        let branch = if worse.branch == Branch::Kept { other.branch } else { worse.branch };
        let gap = match (worse.gap, other.gap) {
            (Some(worse), Some(other)) => Some(worse && other),
            (worse, other) => worse.or(other),
        };
        Conditioned { crossed: worse.crossed || other.crossed, branch, gap, ..worse }
    }

    fn is_worse_than(&self, other: &Conditioned) -> bool {
        (self.is_singular(), self.condition) > (other.is_singular(), other.condition)
    }

    /// Whether a singular configuration is so near that a step may have several solutions.
    pub fn is_ill(&self) -> bool {
        self.crossed || self.branch != Branch::Kept || self.condition >= ILL
    }

    /// Whether a singular configuration is near enough to be spoken of.
    pub fn is_singular(&self) -> bool {
        self.crossed || self.branch != Branch::Kept || self.condition >= NEARLY_SINGULAR && !self.far
    }
}
