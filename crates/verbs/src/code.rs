//! The codes of failures and refusals: what programs decide by.

use cotangent_compile::CompileError;
use cotangent_dynamics::{FailureKind, Source};
use cotangent_observe::{RunError, TableError};
use cotangent_plot::PlotError;
use cotangent_report::ReportError;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! codes {
    ($($group:literal: $(#[doc = $meaning:literal] $variant:ident = $name:literal,)+)+) => {
        /// A stable name for why something was refused or failed. The mistakes in a model's text have codes of their
        /// own, [`cotangent_model::diagnostic::Code`].
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Code {
            $($(#[doc = $meaning] $variant,)+)+
        }

        impl Code {
            /// Every code.
            pub const ALL: &[Code] = &[$($(Code::$variant,)+)+];

            /// The stable kebab-case name.
            pub fn name(self) -> &'static str {
                match self {
                    $($(Code::$variant => $name,)+)+
                }
            }
        }

        /// Every code by what it is about: its name and its meaning.
        const GROUPS: &[(&str, &[(Code, &str)])] = &[$(($group, &[$((Code::$variant, $meaning)),+])),+];
    };
}

/// The group of codes about files.
const FILES: &str = "Files";

codes! {
    "What is asked for":
    /// The arguments were not understood.
    Usage = "usage",
    /// There is no such model, neither a file nor a shipped one.
    UnknownModel = "unknown-model",
    /// There is nothing of this name.
    UnknownName = "unknown-name",
    /// There is no such method.
    UnknownMethod = "unknown-method",
    /// There is no such composition.
    UnknownComposition = "unknown-composition",
    /// There is no such solver of stages.
    UnknownStageSolver = "unknown-stage-solver",
    /// There is no such formulation.
    UnknownFormulation = "unknown-formulation",
    /// There is no such projection.
    UnknownProjection = "unknown-projection",
    /// The formulation has no such option.
    UnknownOption = "unknown-option",
    /// A chart names what is no coordinate.
    UnknownCoordinate = "unknown-coordinate",
    /// There is no such paper or experiment.
    UnknownExperiment = "unknown-experiment",
    /// The description of an experiment has a mistake.
    Experiment = "experiment",
    /// A name or number is given twice.
    DuplicateName = "duplicate-name",
    /// An option of a formulation is given twice.
    DuplicateOption = "duplicate-option",
    /// A list has an empty name, or nothing at all.
    EmptyList = "empty-list",
    /// A number of a formulation is not one that it takes.
    Option = "option",
    /// An option that the method does not have.
    DoesNotApply = "does-not-apply",
    /// A number of stages that the method does not have.
    Stages = "stages",
    /// An inner method that cannot be one.
    Inner = "inner",
    /// A tolerance of the error of a step that is none.
    Tol = "tol",
    /// A tolerance of the equations of a step that is none.
    SolverTol = "solver-tol",
    /// A threshold of a projection that is none, or without a projection.
    ProjectAbove = "project-above",
    /// A chart that has not as many coordinates as there are degrees of freedom.
    Chart = "chart",
    /// Charts are named where none are used.
    NoCharts = "no-charts",
    /// A threshold for the change of charts that is none.
    Threshold = "threshold",
    /// Steps and times that do not make a run.
    Schedule = "schedule",
    /// More combinations than are compared at once.
    TooMany = "too-many",
    /// The model, or what is asked of it, is too large.
    TooLarge = "too-large",
    /// Pictures of what is not measured.
    NotMeasured = "not-measured",
    /// Two results would go into one file.
    SameFile = "same-file",
    /// A name that cannot be that of a model.
    MalformedName = "malformed-name",
    /// A name that the language uses.
    ReservedName = "reserved-name",
    /// A file that exists already is not replaced.
    Exists = "exists",
    "Files":
    /// A directory where a file is needed.
    NotAFile = "not-a-file",
    /// A file cannot be read.
    Unreadable = "unreadable",
    /// A model text is too large.
    SourceTooLarge = "source-too-large",
    /// A file cannot be written.
    Unwritable = "unwritable",
    /// Writing a table failed on the way.
    Write = "write",
    /// Another run writes the table.
    Busy = "busy",
    /// A checkpoint cannot be read or written, or its interval is none.
    Checkpoint = "checkpoint",
    /// A table belongs to a run that can be resumed.
    UnfinishedRun = "unfinished-run",
    /// There is no run to resume.
    NothingToResume = "nothing-to-resume",
    /// What is to be resumed is not what was begun.
    ResumeDiffers = "resume-differs",
    /// A checkpoint belongs to another run.
    Foreign = "foreign",
    /// A figure could not be made.
    Plot = "plot",
    /// A report could not be made.
    Report = "report",
    /// The result cannot be written as JSON.
    Json = "json",
    /// Ctrl-C cannot be caught.
    Signals = "signals",
    "Values":
    /// Something has no value.
    MissingValue = "missing-value",
    /// A family has no such member.
    IndexOutOfRange = "index-out-of-range",
    /// A number that is not whole, or too large.
    NotAnInteger = "not-an-integer",
    /// A value contradicts the sign that the model states.
    WrongSign = "wrong-sign",
    /// A value is set for what takes none here.
    WrongPlace = "wrong-place",
    /// An expression has no finite value.
    NoValue = "no-value",
    /// No momenta have the initial velocities.
    NoMomenta = "no-momenta",
    /// The `run` statement says one thing twice.
    ConflictingRunKeys = "conflicting-run-keys",
    /// The `run` statement asks for what is not done here.
    UnsupportedRunKey = "unsupported-run-key",
    "The model and its start":
    /// The model text has mistakes.
    Model = "model",
    /// The initial data violate the constraints.
    Inconsistent = "inconsistent",
    /// The initial data could not be projected onto the constraints.
    NotProjected = "not-projected",
    /// Constraints depend on others.
    Redundant = "redundant",
    /// Constraints contradict each other.
    Contradictory = "contradictory",
    /// A constraint is written in a scale beyond the numbers of 64 bits.
    Scale = "scale",
    /// The gradient of a constraint vanishes where it holds, or depends there on those of others.
    Irregular = "irregular",
    /// Jacobi's identity fails for the bracket of the model.
    NotABracket = "not-a-bracket",
    /// The momenta do not determine the velocities.
    SingularLagrangian = "singular-lagrangian",
    /// The form does not determine the rates.
    SingularForm = "singular-form",
    /// A constraint is not holonomic.
    NotHolonomic = "not-holonomic",
    /// First-class constraints leave the motion undetermined.
    FirstClass = "first-class",
    /// There are more gauge conditions than there is to fix.
    Overfixed = "overfixed",
    /// Constraints cannot be kept: there is no motion.
    NoMotion = "no-motion",
    /// The analysis has no answer.
    Undecided = "undecided",
    /// There is no analysis.
    Analysis = "analysis",
    /// The equations of motion could not be derived.
    Derive = "derive",
    /// The equations could not be compiled.
    Compile = "compile",
    /// A quantity of the model could not be evaluated.
    Evaluate = "evaluate",
    "What fits together":
    /// A formulation, method, composition or projection that does not fit the model, or another choice.
    DoesNotFit = "does-not-fit",
    /// The method would ignore the constraints.
    IgnoresConstraints = "ignores-constraints",
    /// The method does not solve for multipliers, and they are unknowns.
    UnknownMultipliers = "unknown-multipliers",
    /// The method or formulation is for coordinates and momenta.
    NotCanonical = "not-canonical",
    /// The method cannot be composed.
    NotComposable = "not-composable",
    /// The method holds constraints where the formulation has their time derivatives.
    Index = "index",
    /// There are no constraints to project on.
    NothingToProject = "nothing-to-project",
    /// Constraints that mix all variables are projected on at once.
    NotSeparately = "not-separately",
    "Steps":
    /// An iteration did not arrive.
    NotConverged = "not-converged",
    /// What a step had to solve does not hold at its end.
    Unsatisfied = "unsatisfied",
    /// Equations have no unique solution.
    Singular = "singular",
    /// No solution of a step continues the motion smoothly.
    Torn = "torn",
    /// A step turned into another branch at a singular configuration.
    Branched = "branched",
    /// A step went over a gap between two branches.
    Jumped = "jumped",
    /// Velocities and multipliers do not continue through a step.
    Ended = "ended",
    /// The branches at a singular configuration are not known.
    Undetermined = "undetermined",
    /// The lapse is not positive: time does not pass.
    Standstill = "standstill",
    /// An infinity or NaN came up.
    NotFinite = "not-finite",
    /// A step was used wrongly: a defect of this program.
    Misused = "misused",
    /// It was interrupted.
    Interrupted = "interrupted",
    "What is not decided":
    /// There is nothing of this kind to measure.
    Absent = "absent",
    /// The exact motion is not known, or not for longer.
    NoExactMotion = "no-exact-motion",
    /// The motion comes to a singular configuration, where branches meet.
    SingularConfiguration = "singular-configuration",
    /// The errors at several steps show no order.
    NoOrder = "no-order",
    /// The error does not grow like a power of time.
    NoPower = "no-power",
    /// The step is too large: a smaller one shows more.
    StepTooLarge = "step-too-large",
    /// It is round-off at this step, or not told from it.
    RoundOff = "round-off",
    /// The run is too short: more steps show more.
    TooShort = "too-short",
    /// Nothing contrary is seen along this run, and nothing that the method keeps excludes it.
    NotExcluded = "not-excluded",
}

impl Code {
    /// Whether it is about a file.
    pub fn is_about_files(self) -> bool {
        GROUPS.iter().any(|(group, codes)| *group == FILES && codes.iter().any(|(code, _)| *code == self))
    }

    /// The code with a name.
    pub fn named(name: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.name() == name)
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Code, D::Error> {
        let name = String::deserialize(deserializer)?;
        Code::named(&name).ok_or_else(|| Error::custom(format!("there is no code `{name}`")))
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl From<FailureKind> for Code {
    fn from(kind: FailureKind) -> Code {
        match kind {
            FailureKind::NotConverged => Code::NotConverged,
            FailureKind::Unsatisfied => Code::Unsatisfied,
            FailureKind::Torn => Code::Torn,
            FailureKind::Branched => Code::Branched,
            FailureKind::Jumped => Code::Jumped,
            FailureKind::Ended => Code::Ended,
            FailureKind::Undetermined => Code::Undetermined,
            FailureKind::Standstill => Code::Standstill,
            FailureKind::Singular => Code::Singular,
            FailureKind::NotFinite => Code::NotFinite,
            FailureKind::Misused => Code::Misused,
            FailureKind::Interrupted => Code::Interrupted,
        }
    }
}

impl From<&TableError> for Code {
    fn from(error: &TableError) -> Code {
        match error {
            TableError::NothingToResume { .. }
            | TableError::Gone { .. }
            | TableError::NotAsLeft { .. }
            | TableError::TooShort { .. }
            | TableError::Changed { .. }
            | TableError::OtherColumns { .. } => Code::ResumeDiffers,
            TableError::Busy { .. } => Code::Busy,
            TableError::Interrupted { .. } => Code::Interrupted,
            TableError::Write { .. } => Code::Write,
            _ => Code::Unwritable,
        }
    }
}

impl From<&RunError> for Code {
    fn from(error: &RunError) -> Code {
        match error {
            RunError::Quantity(_) => Code::Evaluate,
            RunError::Table(error) => error.into(),
            RunError::Checkpoint(_) => Code::Checkpoint,
            RunError::Energy(_) => Code::NoValue,
            RunError::Pace(_) => Code::Standstill,
            RunError::Schedule(_) => Code::Schedule,
            RunError::Foreign(_) => Code::Foreign,
        }
    }
}

impl From<&PlotError> for Code {
    fn from(error: &PlotError) -> Code {
        match error {
            PlotError::UnknownExtension { .. } | PlotError::Destination(_) => Code::Unwritable,
            PlotError::Interrupted => Code::Interrupted,
            _ => Code::Plot,
        }
    }
}

impl From<&ReportError> for Code {
    fn from(error: &ReportError) -> Code {
        match error {
            ReportError::UnknownExtension { .. } | ReportError::Destination(_) => Code::Unwritable,
            _ => Code::Report,
        }
    }
}

/// What kept a run from beginning, or from going on.
impl From<&Source> for Code {
    fn from(source: &Source) -> Code {
        let error = source.error();
        match (error.downcast_ref::<RunError>(), error.downcast_ref::<CompileError>()) {
            (Some(error), _) => error.into(),
            (None, Some(_)) => Code::Compile,
            (None, None) => Code::Evaluate,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Code, GROUPS};
    use cotangent_model::diagnostic;
    use std::collections::BTreeSet;

    /// What programs decide by must not change unnoticed: this fails when a code is added, removed or renamed.
    #[test]
    fn the_book_lists_every_code() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/codes.md");
        let page = std::fs::read_to_string(path).unwrap();
        let (introduction, _) = page.split_once("\n## ").unwrap();
        let mut list = introduction.to_owned();
        for (group, codes) in GROUPS {
            list += &format!("\n## {group}\n\n| code | meaning |\n|---|---|\n");
            let line = |(code, meaning): &(Code, &str)| format!("| `{}` |{meaning} |\n", code.name());
            list += &codes.iter().map(line).collect::<String>();
        }
        list += "\n## Mistakes in the text of a model\n\n";
        let mistakes: Vec<String> = diagnostic::Code::ALL.iter().map(|code| format!("`{}`", code.name())).collect();
        list += &format!("{}.\n", mistakes.join(",\n"));
        assert_eq!(page, list, "the book has another list of codes than the program");
    }

    #[test]
    fn codes_about_files_are_those_of_their_group() {
        assert!(Code::Unwritable.is_about_files() && Code::Checkpoint.is_about_files());
        assert!(!Code::NotConverged.is_about_files() && !Code::Interrupted.is_about_files());
    }

    #[test]
    fn names_are_kebab_case_and_distinct() {
        let names: Vec<&str> = GROUPS.iter().flat_map(|(_, codes)| *codes).map(|(code, _)| code.name()).collect();
        assert!(names.iter().all(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '-')));
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    }
}
