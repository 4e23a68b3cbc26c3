//! Formulas in plain characters, such as `p₁ = p½ − h/2 G(q)ᵀλ`, as LaTeX.
//!
//! Read from left to right: letters with their accents, then what is below and above them; fractions
//! of single factors; two blanks and more set equations apart. A character that is not known makes
//! the whole formula untranslatable, so nothing is ever shown that was not written.

/// The formula in LaTeX, or `None` if it has a character whose meaning is not known.
pub fn latex(formula: &str) -> Option<String> {
    let characters: Vec<char> = formula.trim().chars().collect();
    let mut reader = Reader { rest: &characters };
    let mut out = String::new();
    while !reader.rest.is_empty() {
        let factor = reader.factor()?;
        // What is in brackets stays on its line.
        let closes = factor.starts_with([')', ']']);
        match if closes { None } else { reader.denominator() } {
            Some(below) => out += &format!("\\frac{{{factor}}}{{{below}}}"),
            None => out += &factor,
        }
    }
    Some(out)
}

struct Reader<'a> {
    rest: &'a [char],
}

impl Reader<'_> {
    fn take(&mut self) -> Option<char> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> String {
        let count = self.rest.iter().take_while(|c| wanted(**c)).count();
        let (taken, rest) = self.rest.split_at(count);
        self.rest = rest;
        taken.iter().collect()
    }

    /// One letter with all that belongs to it, a number, a word, a sign or blanks.
    fn factor(&mut self) -> Option<String> {
        let first = *self.rest.first()?;
        if first == ' ' {
            let blanks = self.take_while(|c| c == ' ').len();
            return Some(if blanks > 1 { "\\qquad " } else { "\\, " }.to_owned());
        }
        if first.is_ascii_digit() {
            return Some(self.take_while(|c| c.is_ascii_digit() || c == '.'));
        }
        if first.is_ascii_alphabetic() {
            let run = self.rest.iter().take_while(|c| c.is_ascii_alphabetic()).count();
            // Several letters are a word, but a differential is two.
            if run > 1 {
                let word = format!("\\text{{{}}}", self.take_while(|c| c.is_ascii_alphabetic()));
                return Some(word + &self.scripts()?);
            }
        }
        let (letter, accent) = decomposed(self.take()?);
        let Some(symbol) = symbol(letter) else { return sign(letter) };
        let mut base = match accent.or_else(|| self.accent()) {
            Some(accent) => format!("\\{accent}{{{symbol}}}"),
            None => symbol,
        };
        base += &self.scripts()?;
        Some(base + " ")
    }

    fn accent(&mut self) -> Option<&'static str> {
        let accent = combining(*self.rest.first()?)?;
        self.take();
        Some(accent)
    }

    /// What is below and above a letter.
    fn scripts(&mut self) -> Option<String> {
        let (mut below, mut above) = (String::new(), String::new());
        loop {
            match self.rest {
                ['_', c, ..] if c.is_ascii_alphanumeric() => {
                    self.take();
                    below += &self.take_while(|c| c.is_ascii_alphanumeric());
                }
                ['_', c, ..] if c.is_alphabetic() && symbol(*c).is_some() => {
                    self.take();
                    below += &format!("{} ", self.take().and_then(symbol)?);
                }
                ['^', '(', ..] => {
                    self.take();
                    self.take();
                    above += &self.take_while(|c| c.is_ascii_alphanumeric() || "/.−-".contains(c)).replace('−', "-");
                    self.take().filter(|c| *c == ')')?;
                }
                ['^', c, ..] if c.is_ascii_digit() => {
                    self.take();
                    above += &self.take_while(|c| c.is_ascii_digit() || c == '.');
                }
                ['^', c, ..] if c.is_ascii_alphabetic() => {
                    self.take();
                    above += &self.take_while(|c| c.is_ascii_alphabetic());
                }
                ['½', ..] => {
                    self.take();
                    below += "1/2";
                }
                [c, ..] if subscript(*c).is_some() => below.extend(self.take().and_then(subscript)),
                [c, ..] if superscript(*c).is_some() => above += self.take().and_then(superscript)?,
                _ => break,
            }
        }
        let written =
            |mark: char, text: &str| if text.is_empty() { String::new() } else { format!("{mark}{{{text}}}") };
        Some(written('_', &below) + &written('^', &above))
    }

    /// After a factor: a slash and a number below it.
    fn denominator(&mut self) -> Option<String> {
        match self.rest {
            ['/', digit, ..] if digit.is_ascii_digit() => {
                self.take();
                Some(self.take_while(|c| c.is_ascii_digit()))
            }
            _ => None,
        }
    }
}

/// A letter that is one character with its accent.
fn decomposed(c: char) -> (char, Option<&'static str>) {
    match c {
        'ṗ' => ('p', Some("dot")),
        'ṫ' => ('t', Some("dot")),
        'ż' => ('z', Some("dot")),
        'ẋ' => ('x', Some("dot")),
        'ẏ' => ('y', Some("dot")),
        'â' => ('a', Some("hat")),
        'ẑ' => ('z', Some("hat")),
        'ŷ' => ('y', Some("hat")),
        'ȳ' => ('y', Some("bar")),
        'ā' => ('a', Some("bar")),
        'ã' => ('a', Some("tilde")),
        _ => (c, None),
    }
}

fn combining(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{307}' => "dot",
        '\u{308}' => "ddot",
        '\u{302}' => "hat",
        '\u{304}' | '\u{305}' => "bar",
        '\u{303}' => "tilde",
        _ => return None,
    })
}

/// What can have something below and above it.
fn symbol(c: char) -> Option<String> {
    const GREEK: [(char, &str); 38] = [
        ('α', "alpha"),
        ('β', "beta"),
        ('γ', "gamma"),
        ('δ', "delta"),
        ('ε', "varepsilon"),
        ('ζ', "zeta"),
        ('η', "eta"),
        ('θ', "theta"),
        ('κ', "kappa"),
        ('λ', "lambda"),
        ('μ', "mu"),
        ('ν', "nu"),
        ('ξ', "xi"),
        ('π', "pi"),
        ('ρ', "rho"),
        ('σ', "sigma"),
        ('τ', "tau"),
        ('φ', "varphi"),
        ('χ', "chi"),
        ('ψ', "psi"),
        ('ω', "omega"),
        ('Γ', "Gamma"),
        ('Δ', "Delta"),
        ('Θ', "Theta"),
        ('Λ', "Lambda"),
        ('Ξ', "Xi"),
        ('Π', "Pi"),
        ('Φ', "Phi"),
        ('Ψ', "Psi"),
        ('Ω', "Omega"),
        ('Σ', "sum"),
        ('∫', "int"),
        ('∂', "partial"),
        ('∇', "nabla"),
        ('∞', "infty"),
        ('ℓ', "ell"),
        ('‖', "|"),
        ('∏', "prod"),
    ];
    match c {
        'a'..='z' | 'A'..='Z' | ')' | ']' => Some(c.to_string()),
        '}' => Some("\\}".to_owned()),
        _ => GREEK.iter().find(|(greek, _)| *greek == c).map(|(_, name)| format!("\\{name}")),
    }
}

fn sign(c: char) -> Option<String> {
    let text = match c {
        '=' | '+' | '(' | '[' | ',' | ';' | ':' | '/' | '<' | '>' | '|' | '\'' | '*' | '.' => return Some(c.into()),
        '−' | '-' => "-",
        '…' => "\\dots ",
        '≤' => "\\le ",
        '≥' => "\\ge ",
        '≠' => "\\ne ",
        '≈' => "\\approx ",
        '·' => "\\cdot ",
        '×' => "\\times ",
        '→' => "\\to ",
        '←' => "\\leftarrow ",
        '∘' => "\\circ ",
        '∈' => "\\in ",
        '½' => "\\frac{1}{2}",
        '{' => "\\{",
        '√' => "\\surd ",
        '±' => "\\pm ",
        _ => return None,
    };
    Some(text.to_owned())
}

fn subscript(c: char) -> Option<char> {
    Some(match c {
        '₀'..='₉' => char::from_digit(c as u32 - '₀' as u32, 10)?,
        '₊' => '+',
        '₋' => '-',
        'ₐ' => 'a',
        'ₑ' => 'e',
        'ₕ' => 'h',
        'ᵢ' => 'i',
        'ⱼ' => 'j',
        'ₖ' => 'k',
        'ₗ' => 'l',
        'ₘ' => 'm',
        'ₙ' => 'n',
        'ₚ' => 'p',
        'ᵣ' => 'r',
        'ₛ' => 's',
        'ₜ' => 't',
        'ₓ' => 'x',
        _ => return None,
    })
}

fn superscript(c: char) -> Option<&'static str> {
    Some(match c {
        'ᵀ' => "\\mathsf{T}",
        '⁰' => "0",
        '¹' => "1",
        '²' => "2",
        '³' => "3",
        '⁴' => "4",
        '⁵' => "5",
        '⁶' => "6",
        '⁷' => "7",
        '⁸' => "8",
        '⁹' => "9",
        '⁺' => "+",
        '⁻' => "-",
        'ˢ' => "s",
        'ⁿ' => "n",
        'ᵏ' => "k",
        'ᵖ' => "p",
        '⁎' => "*",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squeezed(formula: &str) -> String {
        latex(formula).expect("known characters").replace("\\, ", "").replace(' ', "")
    }

    #[test]
    fn letters_carry_their_accents_and_scripts() {
        assert_eq!(squeezed("{g, g}⁻¹R"), r"\{g,g\}^{-1}R");
        assert_eq!(squeezed("ȳ = e^(sA) B^uv"), r"\bar{y}=e^{sA}B^{uv}");
        assert_eq!(squeezed("p½ = p − h/2 G(q)ᵀλ"), r"p_{1/2}=p-\frac{h}{2}G(q)^{\mathsf{T}}\lambda");
        assert_eq!(squeezed("ṗ = −H_q − ψ_qᵀη"), r"\dot{p}=-H_{q}-\psi_{q}^{\mathsf{T}}\eta");
        assert_eq!(squeezed("q̇ = H_pp"), r"\dot{q}=H_{pp}");
        assert_eq!(squeezed("0 = H_λ = g(q, v)"), r"0=H_{\lambda}=g(q,v)");
        assert_eq!(squeezed("Σⱼ âᵢⱼ p̄₁"), r"\sum_{j}\hat{a}_{ij}\bar{p}_{1}");
        assert_eq!(squeezed("3/2 z₁ − 2 z₋₁"), r"\frac{3}{2}z_{1}-2z_{-1}");
        assert_eq!(squeezed("f((z + z₁)/2)"), r"f((z+z_{1})/2)");
        assert_eq!(squeezed("a,   i = 1 … s"), r"a,\qquadi=1\dotss");
        assert_eq!(
            squeezed("ε₀^0.04 / ε^(1/8) ← err₅"),
            r"\varepsilon_{0}^{0.04}/\varepsilon^{1/8}\leftarrow\text{err}_{5}"
        );
        assert_eq!(squeezed("Q⁻¹ for all τ"), r"Q^{-1}\text{for}\text{all}\tau");
    }

    #[test]
    fn what_is_not_known_is_not_translated() {
        assert_eq!(latex("p ☃ q"), None);
        assert_eq!(latex("a\\b"), None);
        assert_eq!(latex(""), Some(String::new()));
    }
}
