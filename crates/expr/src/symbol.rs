//! The LaTeX of names: a letter or a word, and what stands below it.
//!
//! There is one notation for families: the index of a member is the last thing below its name, `x_{3}` and `p_{x,3}`;
//! a whole family has a letter there, `x_{i}`, and the range of i is said beside the formula.

/// Greek letters, and other names of letters.
const LETTERS: [&str; 40] = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "pi",
    "rho",
    "sigma",
    "tau",
    "upsilon",
    "phi",
    "chi",
    "psi",
    "omega",
    "Gamma",
    "Delta",
    "Theta",
    "Lambda",
    "Xi",
    "Pi",
    "Sigma",
    "Upsilon",
    "Phi",
    "Psi",
    "Omega",
    "varphi",
    "vartheta",
    "varepsilon",
    "ell",
    "hbar",
    "Re",
];

/// The LaTeX of a name: `p_x` is p_{x}, `theta1` is \theta_{1}, `p_x[3]` is p_{x,3}. Names that differ have formulas that
/// differ: underscores that separate nothing are printed, and the digit of `x_1` is slanted, unlike that of `x1`. (`x[1]`
/// is printed as `x1` is: a model has one or the other.) A prime makes a name of its own, `χ^[2]` for what the time
/// derivative of χ asks for, as that may differ from the derivative by a factor.
pub fn latex_name(name: &str) -> String {
    Symbol::new(name).latex()
}

/// The LaTeX of a member of a family, with a number or a letter for each index.
pub fn latex_member(name: &str, index: &[String]) -> String {
    Symbol::new(name).member(index.iter().cloned()).latex()
}

/// The LaTeX of the velocity of a member of a family.
pub fn latex_velocity(name: &str, index: &[String]) -> String {
    Symbol::new(name).dotted().member(index.iter().cloned()).latex()
}

/// A name as it is printed.
pub(crate) struct Symbol {
    /// What stands on the line.
    head: String,
    /// What stands below it.
    below: Vec<String>,
    primes: usize,
}

impl Symbol {
    pub(crate) fn new(name: &str) -> Symbol {
        let plain = name.trim_end_matches('\'');
        let primes = name.len() - plain.len();
        let (stem, index) = match plain.split_once('[') {
            Some((stem, index)) => (stem, index.trim_end_matches(']')),
            None => (plain, ""),
        };
        let bare = stem.trim_start_matches('_');
        let mut parts = bare.split('_');
        let (word, digits) = word(parts.next().unwrap_or(""));
        let head = "\\_".repeat(stem.len() - bare.len()) + &word;
        let mut below = if digits.is_empty() { vec![] } else { vec![digits] };
        below.extend(parts.map(|part| match self::word(part) {
            (stem, digits) if stem.is_empty() && digits.is_empty() => "\\_".to_owned(),
            (stem, digits) if stem.is_empty() => format!("\\mathit{{{digits}}}"),
            (stem, digits) => stem + &digits,
        }));
        let members = index.split([',', ';']).map(|i| i.trim().to_owned());
        Symbol { head, below, primes }.member(members.filter(|i| !i.is_empty()))
    }

    /// Its velocity.
    pub(crate) fn dotted(self) -> Symbol {
        Symbol { head: format!("\\dot{{{}}}", self.head), ..self }
    }

    /// A member of the family of that name.
    pub(crate) fn member(mut self, index: impl IntoIterator<Item = String>) -> Symbol {
        self.below.extend(index);
        self
    }

    pub(crate) fn latex(&self) -> String {
        let mut text = self.head.clone();
        if !self.below.is_empty() {
            text += &format!("_{{{}}}", self.below.join(","));
        }
        if self.primes > 0 {
            text += &format!("^{{[{}]}}", self.primes + 1);
        }
        text
    }
}

/// Letters, and the digits behind them.
fn word(word: &str) -> (String, String) {
    let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = word[stem.len()..].to_owned();
    let stem = match stem {
        s if LETTERS.contains(&s) => format!("\\{s}"),
        s if s.chars().count() <= 1 => s.to_owned(),
        s => format!("\\mathrm{{{s}}}"),
    };
    (stem, digits)
}
