//! The words of the language: statement words, functions, keys of `run` and kinds of drawing.

macro_rules! words {
    ($(#[$doc:meta])+ $type:ident { $($(#[$variant_doc:meta])* $variant:ident = $name:literal,)+ }) => {
        $(#[$doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $type {
            $(#[doc = concat!("`", $name, "`")] $(#[$variant_doc])* $variant,)+
        }

        impl $type {
            /// Every one of them.
            pub const ALL: &[$type] = &[$($type::$variant),+];

            /// How it is written.
            pub fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name,)+
                }
            }

            /// The one written like this.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some($type::$variant),)+
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

words! {
    /// A word that starts a statement.
    Keyword {
        Model = "model",
        Param = "param",
        Require = "require",
        Coord = "coord",
        Variables = "variables",
        Algebra = "algebra",
        Boundary = "boundary",
        Let = "let",
        Lagrangian = "lagrangian",
        Hamiltonian = "hamiltonian",
        Bracket = "bracket",
        Form = "form",
        Constraint = "constraint",
        Vakonomic = "vakonomic",
        Gauge = "gauge",
        Casimir = "casimir",
        Invariant = "invariant",
        Initial = "initial",
        Observe = "observe",
        Split = "split",
        Draw = "draw",
        Run = "run",
    }
}

words! {
    /// A matrix Lie algebra.
    AlgebraKind {
        /// All real matrices.
        Gl = "gl",
        /// Real matrices of trace 0.
        Sl = "sl",
        /// Antisymmetric real matrices.
        So = "so",
        /// Antihermitian matrices.
        U = "u",
        /// Antihermitian matrices of trace 0.
        Su = "su",
        /// Hamiltonian matrices.
        Sp = "sp",
    }
}

words! {
    /// A function of the language.
    Function {
        Sqrt = "sqrt",
        Exp = "exp",
        /// The natural logarithm.
        Log = "log",
        Sin = "sin",
        Cos = "cos",
        Tan = "tan",
        Asin = "asin",
        Acos = "acos",
        Atan = "atan",
        Atan2 = "atan2",
        Sinh = "sinh",
        Cosh = "cosh",
        Tanh = "tanh",
        Abs = "abs",
        Sign = "sign",
        Min = "min",
        Max = "max",
        Floor = "floor",
        Mod = "mod",
        /// `stumpff(k, s)` = Σ (−s)^j/(2j+k)!
        Stumpff = "stumpff",
    }
}

words! {
    /// A key of `run`.
    RunKey {
        Method = "method",
        Formulation = "formulation",
        Compose = "compose",
        Inner = "inner",
        Project = "project",
        Step = "step",
        Until = "until",
        Steps = "steps",
        Stages = "stages",
        Record = "record",
        Epsilon = "epsilon",
        Lapse = "lapse",
    }
}

words! {
    /// A lapse that has a name.
    BuiltInLapse {
        /// Steps of about the same length, by the kinetic energy.
        EquispacedPoses = "equispaced-poses",
        /// Steps of about the same length in phase space.
        EquispacedPhase = "equispaced-phase",
        /// Steps of the length h, by the kinetic energy.
        ArcLength = "arc-length",
        /// A power of the distance from the origin.
        Kepler = "kepler",
    }
}

words! {
    /// What a drawing shows.
    DrawingKind {
        /// A position.
        Point = "point",
        /// A straight rod between two positions, or a polyline through more.
        Rod = "rod",
        /// A small oriented body: a position in the plane and a heading.
        Vehicle = "vehicle",
        /// The path that a position leaves behind.
        Trail = "trail",
    }
}

words! {
    /// The colour of a drawing.
    Colour {
        Red = "red",
        Orange = "orange",
        Yellow = "yellow",
        Green = "green",
        Blue = "blue",
        Purple = "purple",
        Pink = "pink",
        Brown = "brown",
        Grey = "grey",
        Black = "black",
        White = "white",
    }
}

/// What the value of a `run` key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunValueKind {
    /// A word such as `kahan-li-8`.
    Word,
    /// An expression.
    Expression,
}

impl RunKey {
    /// What the value is. A `lapse` is an expression; a built-in word is an expression that is one
    /// plain name.
    pub fn value_kind(self) -> RunValueKind {
        match self {
            RunKey::Method | RunKey::Formulation | RunKey::Compose | RunKey::Inner | RunKey::Project => {
                RunValueKind::Word
            }
            _ => RunValueKind::Expression,
        }
    }
}

impl Function {
    /// The least and the greatest number of arguments.
    pub fn arity(self) -> (usize, usize) {
        match self {
            Function::Atan2 | Function::Mod | Function::Stumpff => (2, 2),
            Function::Min | Function::Max => (2, usize::MAX),
            _ => (1, 1),
        }
    }

    /// How a call looks, for messages.
    pub(crate) fn usage(self) -> &'static str {
        match self {
            Function::Atan2 => "atan2(y, x)",
            Function::Mod => "mod(a, b)",
            Function::Stumpff => "stumpff(k, s)",
            Function::Min => "min(a, b, …)",
            Function::Max => "max(a, b, …)",
            Function::Sqrt => "sqrt(x)",
            Function::Log => "log(x)",
            Function::Exp => "exp(x)",
            _ => "f(x)",
        }
    }
}

/// Names an expression cannot give to anything: functions, `sum`, `product`, `if`, `pi`, `in`. Statement
/// words are reserved only at the start of a line.
pub fn reserved_name(name: &str) -> bool {
    matches!(name, "sum" | "product" | "pi" | "in" | "if") || Function::from_name(name).is_some()
}

/// Whether people mean a unit of measurement by this name.
pub(crate) fn is_unit(name: &str) -> bool {
    matches!(
        name,
        "m" | "s"
            | "kg"
            | "g"
            | "mm"
            | "cm"
            | "km"
            | "ms"
            | "us"
            | "ns"
            | "N"
            | "Nm"
            | "J"
            | "W"
            | "Hz"
            | "Pa"
            | "K"
            | "V"
            | "T"
            | "C"
            | "A"
            | "mol"
            | "rad"
            | "deg"
            | "degree"
            | "degrees"
            | "sec"
            | "min"
            | "hr"
            | "eV"
            | "nm"
            | "amu"
            | "au"
    )
}

/// The function people mean who write the name of another language.
pub(crate) fn foreign_function(name: &str) -> Option<&'static str> {
    Some(match name {
        "ln" | "Log" | "Ln" => "log",
        "arcsin" => "asin",
        "arccos" => "acos",
        "arctan" => "atan",
        "arctan2" => "atan2",
        "fabs" => "abs",
        "sgn" | "signum" => "sign",
        "prod" => "product",
        "root" => "sqrt",
        _ => return None,
    })
}

/// The statement people mean who start a line with another word.
pub(crate) fn foreign_statement(word: &str) -> Option<Keyword> {
    Some(match word.to_ascii_lowercase().as_str() {
        "parameter" | "parameters" | "const" | "constant" => Keyword::Param,
        "coordinate" | "coordinates" => Keyword::Coord,
        "var" | "vars" | "variable" => Keyword::Variables,
        "energy" => Keyword::Hamiltonian,
        "define" | "def" => Keyword::Let,
        "init" | "start" => Keyword::Initial,
        "output" | "record" | "observable" => Keyword::Observe,
        "drawing" | "plot" | "picture" | "show" | "animate" => Keyword::Draw,
        "poisson" => Keyword::Bracket,
        "matrix" | "lie" => Keyword::Algebra,
        "holonomic" => Keyword::Constraint,
        _ => return None,
    })
}

/// The kind of drawing people mean who name it by another word.
pub(crate) fn foreign_drawing(word: &str) -> Option<DrawingKind> {
    Some(match word.to_ascii_lowercase().as_str() {
        "mass" | "dot" | "particle" | "ball" | "circle" | "atom" | "node" => DrawingKind::Point,
        "line" | "segment" | "polyline" | "bar" | "link" | "beam" | "edge" => DrawingKind::Rod,
        "car" | "body" | "arrow" | "bicycle" => DrawingKind::Vehicle,
        "trace" | "path" | "track" | "curve" | "orbit" => DrawingKind::Trail,
        _ => return None,
    })
}
