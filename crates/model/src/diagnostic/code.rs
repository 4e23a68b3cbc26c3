//! The stable names of the kinds of mistake.

use std::fmt;

macro_rules! codes {
    ($($(#[$doc:meta])+ $variant:ident = $name:literal,)+) => {
        /// The kind of a mistake. Its name is stable: programs that read `--json` rely on it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[$doc])+ $variant,)+
        }

        impl Code {
            /// Every code, in the order of the documentation.
            pub const ALL: &[Code] = &[$(Code::$variant),+];

            /// The stable kebab-case name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Code::$variant => $name,)+
                }
            }
        }
    };
}

codes! {
    /// The file is larger than [`crate::limits::MAX_SOURCE_BYTES`].
    SourceTooLarge = "source-too-large",
    /// The file is not UTF-8.
    NotUtf8 = "not-utf8",
    /// More than [`crate::limits::MAX_STATEMENTS`] statements.
    TooManyStatements = "too-many-statements",
    /// Brackets, exponents or signs nested deeper than [`crate::limits::MAX_NESTING`].
    TooDeep = "too-deep",

    /// A character that is not ASCII, where there is an ASCII spelling.
    NotAscii = "not-ascii",
    /// A character that means nothing in the language.
    UnexpectedCharacter = "unexpected-character",
    /// A string without its closing quote.
    UnclosedString = "unclosed-string",
    /// `1.`, `.5`, `1.2.3`, `1_000`, `1d0`, or an absurd exponent.
    MalformedNumber = "malformed-number",
    /// An operator of another language: `**`, `==`, `:=`, `...`, `!`, `%`, `|x|`.
    ForeignOperator = "foreign-operator",
    /// `;` between or after statements.
    Semicolon = "semicolon",

    /// A statement that starts with no known word.
    UnknownStatement = "unknown-statement",
    /// A statement on an indented line, which continues the one before.
    IndentedStatement = "indented-statement",
    /// A continuation that is not indented.
    UnindentedContinuation = "unindented-continuation",
    /// Two statements on one line.
    MissingLineBreak = "missing-line-break",
    /// A statement that ends before it says anything.
    IncompleteStatement = "incomplete-statement",
    /// Text after the end of a statement.
    TrailingText = "trailing-text",

    /// A bracket that is never closed.
    UnclosedBracket = "unclosed-bracket",
    /// A bracket closed by one of another kind.
    MismatchedBracket = "mismatched-bracket",
    /// A closing bracket that was never opened.
    UnmatchedBracket = "unmatched-bracket",

    /// `2x`, `x y`, `(a)(b)`.
    ImplicitMultiplication = "implicit-multiplication",
    /// An operator without its operand, or no expression where one is needed.
    MissingOperand = "missing-operand",
    /// `<` or `>` inside an expression or a constraint.
    Comparison = "comparison",
    /// A function named without its argument in parentheses.
    FunctionWithoutArgument = "function-without-argument",
    /// `name(…)` where `name` is no function.
    UnknownFunction = "unknown-function",
    /// The wrong number of arguments.
    ArgumentCount = "argument-count",
    /// An `if` without a comparison and two values, with branches of different kinds, or whose condition is not known
    /// when the model is read.
    MalformedCondition = "malformed-condition",
    /// A list where a single number stands, or one of the wrong length.
    MalformedList = "malformed-list",
    /// `x''`, `x'[i]`, `(…)'`: a prime where none can stand.
    MisplacedPrime = "misplaced-prime",
    /// `x[]`, `x[1][2]`, an index on what has none.
    MalformedIndex = "malformed-index",
    /// A binder that is not `i in a..b`.
    MalformedBinder = "malformed-binder",
    /// `sum` or `product` without binders or without a body.
    MalformedSum = "malformed-sum",

    /// A reserved word used as a name.
    ReservedName = "reserved-name",
    /// Something else where a name must stand.
    ExpectedName = "expected-name",
    /// An index where a declaration needs a binder.
    ExpectedBinder = "expected-binder",
    /// `=` is missing.
    MissingEquals = "missing-equals",
    /// An `=` too many, or where none belongs.
    UnexpectedEquals = "unexpected-equals",
    /// A constraint or a drawing without a name.
    MissingLabel = "missing-label",
    /// `:` is missing after the name of a constraint or a drawing.
    MissingColon = "missing-colon",
    /// No comma between two items.
    MissingComma = "missing-comma",
    /// A comma without an item after it.
    DanglingComma = "dangling-comma",
    /// A type other than `int` after `:`.
    UnknownType = "unknown-type",
    /// A condition on a parameter that is not a sign, or stands in the wrong place.
    MalformedSign = "malformed-sign",
    /// A momentum that is not a plain name.
    MalformedMomentum = "malformed-momentum",
    /// A bracket or form entry that is not `{a, b} = c` or `(a, b) = c`.
    MalformedPair = "malformed-pair",
    /// Something else after `algebra` than a matrix algebra.
    UnknownAlgebra = "unknown-algebra",
    /// A declaration of a matrix that is not `so(n): W`, or a size that does not exist.
    MalformedAlgebra = "malformed-algebra",
    /// Something else after `draw` than what can be drawn.
    UnknownDrawing = "unknown-drawing",
    /// A drawing that is not `name: (x, y)` or `name: (x, y) -- (u, v)`, or has the wrong number of
    /// points for what it draws.
    MalformedDrawing = "malformed-drawing",
    /// A title that is not in double quotes.
    MalformedTitle = "malformed-title",
    /// An unknown key of `run`.
    UnknownRunKey = "unknown-run-key",
    /// A key of `run` given twice.
    DuplicateRunKey = "duplicate-run-key",
    /// A value of a `run` key that is not a word or number as the key wants.
    MalformedRunValue = "malformed-run-value",

    /// A method, formulation, composition or projection that does not exist, in a `run` statement.
    UnknownRunValue = "unknown-run-value",

    /// A name that nothing declares.
    UnknownName = "unknown-name",
    /// A name, label, index or entry given twice.
    DuplicateName = "duplicate-name",
    /// A statement that may stand only once, or two that exclude each other.
    DuplicateStatement = "duplicate-statement",
    /// A statement that the model needs.
    MissingStatement = "missing-statement",
    /// A value that the model needs.
    MissingValue = "missing-value",
    /// A family without indices, a scalar with them, or the wrong number.
    IndexCount = "index-count",
    /// An index outside its family.
    IndexOutOfRange = "index-out-of-range",
    /// Something else where an integer is needed.
    NotAnInteger = "not-an-integer",
    /// A point of a drawing with too few or too many components, or with others than the rest.
    ComponentCount = "component-count",
    /// Something that does not belong where it stands: a momentum in a Lagrangian, a velocity in a
    /// plain constraint.
    WrongPlace = "wrong-place",
    /// A `let` that depends on itself.
    CyclicLet = "cyclic-let",
    /// A division by zero.
    DivisionByZero = "division-by-zero",
    /// An expression without a finite value.
    NoValue = "no-value",
    /// A constraint that constrains nothing.
    EmptyConstraint = "empty-constraint",
    /// A value that contradicts the sign stated for it.
    WrongSign = "wrong-sign",
    /// Integer parameters that do not satisfy what the model requires of them.
    RequirementFails = "requirement-fails",
    /// More members, points or terms than the limits allow.
    TooLarge = "too-large",
    /// Declared, but not used.
    Unused = "unused",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn names_are_kebab_case_and_distinct() {
        let mut names: Vec<_> = Code::ALL.iter().map(|c| c.name()).collect();
        for name in &names {
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '-' || c == '8'));
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Code::ALL.len());
    }
}
