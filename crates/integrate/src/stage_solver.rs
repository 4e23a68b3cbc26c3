//! What solves the equations of stages.

/// What solves the equations of the stages of an implicit method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StageSolver {
    /// Newton's method, for any equations.
    Newton,
    /// An iteration to a fixed point, for equations that are not stiff.
    FixedPoint,
}

impl StageSolver {
    /// Both.
    pub const ALL: [StageSolver; 2] = [StageSolver::Newton, StageSolver::FixedPoint];

    /// The solver with this name.
    pub fn named(name: &str) -> Option<StageSolver> {
        StageSolver::ALL.into_iter().find(|solver| solver.name() == name)
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            StageSolver::Newton => "newton",
            StageSolver::FixedPoint => "fixed-point",
        }
    }
}
