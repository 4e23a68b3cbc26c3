//! `--set name=value`: sizes, parameters and initial values from the command line.

use crate::failure::{Code, Failure};
use cotangent_compile::values::{self, Setting};
use cotangent_model::syntax::ast::{File, StatementKind};
use cotangent_model::syntax::parse_expression;
use cotangent_model::{ConstraintKind, System};

/// Reads `g=9.81`, `m[3]=2`, `x'=0`, `x[3]'=1/2`.
pub fn parse(text: &str) -> Result<Setting, String> {
    let (place, value) = text.split_once('=').ok_or("write NAME=VALUE, for example g=9.81")?;
    let (name, index) = read_place(place.trim())?;
    Ok(Setting { name, index, value: number(value.trim())? })
}

/// Reads `g`, `m[3]`, `x'`, `x[3]'`.
fn read_place(place: &str) -> Result<(String, Option<Vec<i64>>), String> {
    let (place, prime) = match place.strip_suffix('\'') {
        Some(place) => (place, "'"),
        None => (place, ""),
    };
    let (name, index) = match place.split_once('[') {
        None => (place, None),
        Some((name, rest)) => {
            let inside = rest.strip_suffix(']').ok_or("an index ends with `]`, as in m[3]=2")?;
            let index: Option<Vec<i64>> = inside.split([',', ';']).map(|i| i.trim().parse().ok()).collect();
            (name, Some(index.ok_or("an index is an integer, as in m[3]=2 or u[1,2]=0")?))
        }
    };
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    if !name.starts_with(letter) || !name.chars().all(|c| letter(c) || c.is_ascii_digit()) {
        return Err(format!("`{name}` is not a name; write NAME=VALUE, for example g=9.81"));
    }
    Ok((format!("{name}{prime}"), index))
}

/// The setting of a place such as `g`, `m[3]`, `x'`; a text that names none is refused as a name that no model has.
pub(crate) fn at(place: &str, value: f64) -> Setting {
    let (name, index) = read_place(place).unwrap_or_else(|_| (place.to_owned(), None));
    Setting { name, index, value }
}

/// The place of a setting, as it is typed: `m[3]`, `x[2]'`.
pub(crate) fn place(setting: &Setting) -> String {
    let Some(index) = &setting.index else { return setting.name.clone() };
    let (name, prime) = setting.name.strip_suffix('\'').map_or((setting.name.as_str(), ""), |name| (name, "'"));
    let index: Vec<String> = index.iter().map(i64::to_string).collect();
    format!("{name}[{}]{prime}", index.join(","))
}

/// Reads `alpha=3`.
pub fn option(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, for example alpha=3")?;
    Ok((name.trim().to_owned(), number(value.trim())?))
}

/// A whole number that is not negative, typed as a number or an expression.
pub fn whole_number(text: &str) -> Result<u64, String> {
    let refused = || format!("`{text}` is not a whole number of 0 or more");
    if let Ok(plain) = text.trim().parse::<u64>() {
        return Ok(plain);
    }
    let value = number(text.trim())?;
    if value > LARGEST {
        return Err(format!("`{text}` is too large: whole numbers go up to 2^53 here"));
    }
    let value = whole(value).ok_or_else(refused)?;
    u64::try_from(value).map_err(|_| refused())
}

/// A number, or an expression of the model language without names. What a double cannot hold is refused: neither
/// infinity nor 0 is meant by it.
pub fn number(text: &str) -> Result<f64, String> {
    let refused = || format!("`{text}` is not a value; write a number such as 9.81 or an expression such as pi/4");
    literals_fit(text)?;
    let plain: Option<f64> = text.parse().ok();
    if plain.is_some() && text.contains(|c: char| c.is_ascii_digit()) {
        return plain.filter(|v| v.is_finite()).ok_or_else(refused);
    }
    // The language itself reads and evaluates it, as the value of a parameter.
    parse_expression(text).map_err(|_| refused())?;
    let model = format!("param value = ({text})\ncoord x\nhamiltonian value*p_x\n");
    let system = System::parse(&model).map_err(|_| refused())?;
    match values::parameters(&system, &[]).as_deref() {
        Ok([value]) => Ok(*value),
        _ => Err(refused()),
    }
}

/// Whether every number that is written in a text is one that a double can hold.
fn literals_fit(text: &str) -> Result<(), String> {
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let length = literal(&rest[start..]);
        let (written, after) = rest[start..].split_at(length);
        let value: f64 = written.parse().unwrap_or(0.0);
        let mantissa = written.split(['e', 'E']).next().unwrap_or_default();
        if value.is_infinite() {
            return Err(format!("`{written}` is too large for a number of 64 bits: the largest is 1.8e308"));
        }
        if value == 0.0 && mantissa.contains(|c: char| ('1'..='9').contains(&c)) {
            return Err(format!(
                "`{written}` is too small for a number of 64 bits: it would be 0; the smallest is 4.9e-324"
            ));
        }
        rest = after;
    }
    Ok(())
}

/// The length of the number that a text begins with: digits, a fraction, an exponent.
fn literal(text: &str) -> usize {
    let digits = |from: usize| from + text[from..].chars().take_while(char::is_ascii_digit).count();
    let mut end = digits(0);
    if text[end..].starts_with('.') && digits(end + 1) > end + 1 {
        end = digits(end + 1);
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        if digits(end + 1 + sign) > end + 1 + sign {
            end = digits(end + 1 + sign);
        }
    }
    end
}

/// The settings of integer parameters, which decide sizes, and all others.
pub(crate) struct Settings {
    /// For [`cotangent_model::Options::integers`].
    pub(crate) integers: Vec<(String, i64)>,
    /// For [`values::parameters`] and [`values::initial`].
    pub(crate) values: Vec<Setting>,
}

impl Settings {
    /// Sorts settings by what the text declares.
    pub(crate) fn sort(set: &[Setting], file: &File) -> Result<Settings, Failure> {
        let mut sorted = Settings { integers: vec![], values: vec![] };
        for (k, s) in set.iter().enumerate() {
            let shown = place(s);
            if set[..k].iter().any(|t| t.name == s.name && t.index == s.index) {
                return Err(Failure::new(Code::DuplicateName, format!("--set gives `{shown}` twice")).help("keep one"));
            }
            match integer(file, &s.name) {
                None => sorted.values.push(s.clone()),
                Some(Integer::Table) => {
                    let message = format!("`{}` is a family of integers; --set cannot change it", s.name);
                    return Err(Failure::new(Code::WrongPlace, message).help("edit the model"));
                }
                Some(Integer::Size) if s.index.is_some() => {
                    let message = format!("`{}` is one integer; it has no member `{shown}`", s.name);
                    return Err(Failure::new(Code::IndexOutOfRange, message));
                }
                Some(Integer::Size) => match whole(s.value) {
                    Some(value) => sorted.integers.push((s.name.clone(), value)),
                    None => {
                        let message = match s.value.fract() == 0.0 {
                            true => format!(
                                "`{}` is an integer, and {} is too large for one",
                                s.name,
                                format_args!("{:e}", s.value)
                            ),
                            false => format!("`{}` is an integer, and {} is not", s.name, s.value),
                        };
                        return Err(Failure::new(Code::NotAnInteger, message));
                    }
                },
            }
        }
        Ok(sorted)
    }
}

enum Integer {
    Size,
    Table,
}

/// Whether a name is declared as an integer parameter.
fn integer(file: &File, name: &str) -> Option<Integer> {
    let declarations = file.statements.iter().filter_map(|s| match &s.kind {
        StatementKind::Param(list) => Some(list),
        _ => None,
    });
    let declared = declarations.flatten().find(|p| p.head.name.text == name)?;
    declared.integer?;
    Some(if declared.head.binders.is_empty() { Integer::Size } else { Integer::Table })
}

/// What is set and changes nothing: multipliers of constraints on positions follow from the motion.
pub(crate) fn without_effect(system: &System, set: &[Setting]) -> Vec<String> {
    let follows = |s: &&Setting| {
        let own = system.constraints.iter().find(|c| c.multiplier.name() == s.name);
        own.is_some_and(|c| c.kind != ConstraintKind::Vakonomic)
    };
    let said = |s: &Setting| {
        format!(
            "--set {} has no effect: the multiplier of a constraint without velocities follows from the motion",
            place(s)
        )
    };
    set.iter().filter(follows).map(said).collect()
}

/// Up to this a double counts by ones.
const LARGEST: f64 = (1u64 << 53) as f64;

fn whole(value: f64) -> Option<i64> {
    (value.fract() == 0.0 && value.abs() <= LARGEST).then_some(value as i64)
}

#[cfg(test)]
mod tests {
    use super::{parse, whole_number};

    fn read(text: &str) -> (String, Option<Vec<i64>>, f64) {
        let s = parse(text).unwrap();
        (s.name, s.index, s.value)
    }

    #[test]
    fn settings_are_read() {
        assert_eq!(read("g=9.81"), ("g".into(), None, 9.81));
        assert_eq!(read(" g = -1e3 "), ("g".into(), None, -1000.0));
        assert_eq!(read("m[3]=2"), ("m".into(), Some(vec![3]), 2.0));
        assert_eq!(read("u[-1, 2]=2/3"), ("u".into(), Some(vec![-1, 2]), 2.0 / 3.0));
        assert_eq!(read("x'=0"), ("x'".into(), None, 0.0));
        assert_eq!(read("x[2]'=cos(0)"), ("x'".into(), Some(vec![2]), 1.0));
        assert_eq!(read("g=0e-5000"), ("g".into(), None, 0.0));
        assert_eq!(read("g=2e-308/4"), ("g".into(), None, 5e-309));
        assert_eq!(read("phi=-pi/2"), ("phi".into(), None, -std::f64::consts::FRAC_PI_2));
    }

    #[test]
    fn whole_numbers_that_are_too_large_are_not_called_fractions() {
        assert_eq!([whole_number("20"), whole_number("2^3")], [Ok(20), Ok(8)]);
        assert!(whole_number("99999999999999999999").unwrap_err().contains("too large"));
        assert!(whole_number("2.5").unwrap_err().contains("not a whole number"));
        assert!(whole_number("-1").unwrap_err().contains("not a whole number"));
    }

    #[test]
    fn mistakes_are_refused() {
        for text in [
            "g",
            "=1",
            "g=",
            "g=x",
            "g=value",
            "g=inf",
            "g=nan",
            "g=1e999",
            "g=1e-5000",
            "g=-0.00e0 + 2e-400",
            "g=1/1e400",
            "2g=1",
            "m[=1",
            "m[]=1",
            "m[a]=1",
            "m[1]x=2",
            "x''=1",
            "g=1\ncoord y",
            "g=1/0",
            "g=θ",
            "g=log(-1)",
            "g==1",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
