//! The report as people read it.

use super::document::{
    Checked, Claim, Document, Formula, JacobiFailure, Line, Parameter, Refusal, RunNumber, RunSetting, Variable, Worst,
};
use super::values::{NotNamed, Values};
use crate::figures::{count, listed, number, short};
use crate::kind::{ClaimKind, ConstraintKind, GivenAs, Role};
use crate::printable;
use anstyle::{AnsiColor, Style};
use std::fmt::Write as _;

/// Draws the report.
pub(super) fn render(report: &Document, coloured: bool) -> String {
    let mut page = Page { text: String::new(), coloured };
    page.heading(report);
    page.variables(report);
    page.parameters(report);
    page.energy(report);
    page.constraints(report);
    let formulas = |list: &[Formula]| list.iter().flat_map(equations).collect::<Vec<_>>();
    page.section("gauges", report.gauges.iter().flat_map(relations).collect());
    for kind in [ClaimKind::Casimir, ClaimKind::Invariant] {
        let claims = report.claims.iter().filter(|c| c.kind == kind);
        let tested = |c: &Claim| {
            let mut lines = equations(&c.formula);
            lines.push(format!("  {}", cut(&c.verdict)));
            lines
        };
        page.section(&format!("{kind}s"), claims.flat_map(tested).collect());
    }
    page.section("observables", formulas(&report.observables));
    page.splits(report);
    page.initial(report);
    let setting = |s: &RunSetting| match &s.value {
        RunNumber::Number(value) => format!("{} = {}", s.key, number(*value)),
        RunNumber::Text(text) => format!("{} = {text}", s.key),
    };
    let run: Vec<String> = report.run.iter().map(setting).collect();
    page.section("run", wrap(&run));
    page.verdict(report);
    page.text
}

/// That Jacobi's identity fails, and for which variables.
fn not_a_bracket(failure: &JacobiFailure) -> String {
    let what = "note: no Poisson bracket, Jacobi's identity fails";
    match (&failure.variables, &failure.sum) {
        (Some([a, b, c]), Some(sum)) => {
            format!("{what}: {{{a}, {{{b}, {c}}}}} + {{{b}, {{{c}, {a}}}}} + {{{c}, {{{a}, {b}}}}} = {}", cut(sum))
        }
        _ => format!("{what} (sampled)"),
    }
}

/// The width of the labels on the left.
const MARGIN: usize = 14;
/// The width of a line that lists things.
const WIDTH: usize = 84;
/// Longer formulas are cut.
const MAX_FORMULA: usize = 400;

struct Page {
    text: String,
    coloured: bool,
}

impl Page {
    fn paint(&self, style: Style, text: &str) -> String {
        if self.coloured { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    /// A label and lines beside it; nothing without lines.
    fn section(&mut self, label: &str, lines: Vec<String>) {
        for (k, line) in lines.iter().enumerate() {
            let label = if k == 0 { label } else { "" };
            let gap = " ".repeat(MARGIN.saturating_sub(label.len()));
            let label = self.paint(AnsiColor::Cyan.on_default(), label);
            let line = fold(line).join(&format!("\n{}", " ".repeat(MARGIN + 6)));
            let _ = writeln!(self.text, "  {label}{gap}{line}");
        }
    }

    fn heading(&mut self, report: &Document) {
        let name = self.paint(Style::new().bold(), &report.name);
        let _ = match &report.title {
            Some(title) => writeln!(self.text, "{name}: {}", printable::line(title)),
            None => writeln!(self.text, "{name}"),
        };
        let size = |key: &str| report.sizes.get(key).copied().unwrap_or(0);
        let mut parts: Vec<String> =
            [("coordinates", "coordinate"), ("momenta", "momentum"), ("variables", "variable")]
                .iter()
                .filter(|(key, _)| report.sizes.contains_key(key))
                .map(|(many, one)| count(size(many), one, many))
                .collect();
        parts.push(match size("constraints") {
            0 => "no constraints".to_owned(),
            n => count(n, "constraint", "constraints"),
        });
        let _ = writeln!(self.text, "a {} model with {}\n", report.kind, listed(&parts));
    }

    fn variables(&mut self, report: &Document) {
        for (role, label) in
            [(Role::Coordinate, "coordinates"), (Role::Momentum, "momenta"), (Role::Variable, "variables")]
        {
            let own: Vec<String> = report.variables.iter().filter(|v| v.role == role).map(variable).collect();
            self.section(label, wrap(&own));
        }
        let mut bracket = wrap_cut(&report.bracket);
        bracket.extend(report.jacobi_failure.as_ref().map(not_a_bracket));
        self.section("bracket", bracket);
        self.section("form", wrap_cut(&report.form));
    }

    fn parameters(&mut self, report: &Document) {
        let integers = report.integers.iter().map(|(name, value)| format!("{name} = {value}"));
        self.section("integers", wrap(&integers.collect::<Vec<_>>()));
        let own: Vec<String> = report.parameters.iter().map(parameter).collect();
        self.section("parameters", wrap(&own));
    }

    fn energy(&mut self, report: &Document) {
        let given_as = report.energy.given_as;
        let symbol = match given_as {
            GivenAs::Lagrangian => "L",
            GivenAs::Hamiltonian => "H",
        };
        let lets: Vec<String> = report.lets.iter().map(|l| format!("{} = {}", l.members, cut(&l.expression))).collect();
        self.section("lets", lets);
        let expression = report.energy.written.as_ref().unwrap_or(&report.energy.expression);
        let mut lines = vec![format!("{symbol} = {}", cut(expression))];
        lines.push(match report.energy.initial {
            Some(value) => format!("energy at the start: {}", number(value)),
            None if report.energy.finite == Some(false) => "energy at the start: not a finite number".to_owned(),
            None => "energy at the start: not known, it takes a Legendre transform".to_owned(),
        });
        self.section(&given_as.to_string(), lines);
    }

    fn constraints(&mut self, report: &Document) {
        for (k, c) in report.constraints.iter().enumerate() {
            let label = if k == 0 { "constraints" } else { "" };
            if c.formula.members == 0 {
                self.section(label, vec![format!("{}: a family without members", c.formula.name)]);
                continue;
            }
            let mut lines: Vec<String> = relations(&c.formula).collect();
            let holonomic = c.kind == ConstraintKind::Holonomic;
            let mut state = vec![match c.formula.members {
                1 => c.kind.to_string(),
                n => format!("{}, {n} members", c.kind),
            }];
            state.push(self.residual("residual", c.residual.as_ref(), c));
            if holonomic {
                state.push(self.residual("hidden residual", c.hidden_residual.as_ref(), c));
            }
            lines.push(format!("  {}", state.join("; ")));
            self.section(label, lines);
        }
    }

    fn residual(&self, what: &str, worst: Option<&Worst>, c: &Checked) -> String {
        let Some(worst) = worst else { return format!("{what} not checked") };
        let size = short(worst.max_abs);
        let text = match c.formula.members {
            1 => format!("{what} {size}"),
            _ if worst.max_abs == 0.0 => format!("{what} 0"),
            _ => format!("largest {what} {size} at {}", worst.at),
        };
        if worst.holds { text } else { self.paint(AnsiColor::Red.on_default().bold(), &format!("{text}, VIOLATED")) }
    }

    fn splits(&mut self, report: &Document) {
        let mut lines: Vec<String> = report.splits.iter().flat_map(equations).collect();
        match (report.split_defect, report.splits_add_up()) {
            (Some(_), Some(true)) => lines.push("  the parts add up to the Hamiltonian (sampled)".to_owned()),
            (Some(_), None) => lines.push("  undecided: no sampled point has a finite energy".to_owned()),
            (Some(defect), _) => lines.push(format!("  relative difference from the Hamiltonian: {}", short(defect))),
            _ => {}
        }
        self.section("splits", lines);
    }

    fn initial(&mut self, report: &Document) {
        let given: Vec<String> = report.initial.values.iter().map(assignment).collect();
        let mut lines = wrap(&given);
        let missing: Vec<String> = report.initial.not_named.iter().map(not_named).collect();
        let mut rest = wrap(&missing);
        if let Some(first) = rest.first_mut() {
            *first = format!("not named, taken as 0: {first}");
        }
        lines.extend(rest);
        self.section("initial", lines);
    }

    fn verdict(&mut self, report: &Document) {
        self.text.push('\n');
        let good = AnsiColor::Green.on_default().bold();
        let bad = AnsiColor::Red.on_default().bold();
        let (style, word, why) = match report.consistent {
            Some(true) if report.sizes.get("constraints").copied().unwrap_or(0) == 0 => {
                (good, "consistent", "the model states no constraints".to_owned())
            }
            Some(true) => (good, "consistent", satisfied(report)),
            None => (Style::new().bold(), "undecided", undecided(report)),
            Some(false) => (bad, "inconsistent", "the initial data violate a constraint".to_owned()),
        };
        let _ = writeln!(self.text, "{}: {why}", self.paint(style, word));
        for c in &report.constraints {
            for line in violations(c) {
                let _ = writeln!(self.text, "  {line}");
            }
        }
        if report.consistent == Some(false) {
            let _ = writeln!(
                self.text,
                "  change the `initial` values in the model, or give others with --set; `run --project-initial` moves them onto the constraints"
            );
        }
        if report.energy.finite == Some(false) {
            let word = self.paint(bad, "undefined");
            let _ = writeln!(self.text, "{word}: the energy is not a finite number at the initial data; change them");
        }
        if let Some(Refusal { message, help, is_mistake, .. }) = &report.refused {
            let style = if *is_mistake { bad } else { Style::new().bold() };
            let word = if report.singular.is_some() { "singular" } else { "not run" };
            let _ = writeln!(self.text, "{}: {message}", self.paint(style, word));
            if let Some(help) = help {
                let _ = writeln!(self.text, "  {help}");
            }
        }
        if report.splits_add_up() == Some(false) {
            let word = self.paint(bad, "split");
            let _ = writeln!(self.text, "{word}: the parts do not add up to the Hamiltonian; correct one of them");
        }
        for c in report.claims.iter().filter(|c| c.is_refuted()) {
            let (word, name) = (self.paint(bad, "claim"), &c.formula.name);
            let what = match c.kind {
                ClaimKind::Casimir => "is no Casimir",
                ClaimKind::Invariant => "is not conserved",
            };
            let _ = writeln!(self.text, "{word}: `{name}` {what}");
        }
    }
}

fn satisfied(report: &Document) -> String {
    let hidden = report.constraints.iter().any(|c| c.hidden_residual.is_some());
    let many = report.sizes.get("constraints").copied().unwrap_or(0) > 1;
    match (many, hidden) {
        (false, true) => "the initial data satisfy the constraint and its time derivative".to_owned(),
        (true, true) => "the initial data satisfy the constraints and their time derivatives".to_owned(),
        (false, false) => "the initial data satisfy the constraint".to_owned(),
        (true, false) => "the initial data satisfy the constraints".to_owned(),
    }
}

fn undecided(report: &Document) -> String {
    let open: Vec<String> = (report.constraints.iter())
        .filter(|c| c.residual.is_none() || c.kind == ConstraintKind::Holonomic && c.hidden_residual.is_none())
        .map(|c| match c.residual {
            None => format!("`{}`", c.formula.name),
            Some(_) => format!("the time derivative of `{}`", c.formula.name),
        })
        .collect();
    let reason = "velocities and momenta are related by a Legendre transform, which `check` does not do";
    format!("{} could not be checked: {reason}", listed(&open))
}

/// What is violated, and the equation that should hold.
fn violations(c: &Checked) -> Vec<String> {
    let name = &c.formula.name;
    let bad = |w: &&Worst| !w.holds;
    let mut lines = vec![];
    if let Some(w) = c.residual.as_ref().filter(bad) {
        let value = short(w.value);
        lines.push(match w.violated {
            1 => format!("`{}` is off by {value}: left minus right side should be 0", w.at),
            n => format!("{n} members of `{name}` are off, `{}` by {value}: left minus right side should be 0", w.at),
        });
    }
    if let Some(w) = c.hidden_residual.as_ref().filter(bad) {
        let value = short(w.value);
        lines.push(match w.violated {
            1 => format!("`{}` changes at the rate {value}: its time derivative should be 0", w.at),
            n => format!("{n} members of `{name}` change, `{}` at the rate {value}: it should be 0", w.at),
        });
    }
    lines
}

/// `x`, `x[1..10]`, `u[1..3, 1..4]`.
fn place(name: &str, range: &[(i64, i64)]) -> String {
    if range.is_empty() {
        return name.to_owned();
    }
    let (base, prime) = name.strip_suffix('\'').map_or((name, ""), |base| (base, "'"));
    let dims: Vec<String> = range.iter().map(|(a, b)| format!("{a}..{b}")).collect();
    format!("{base}[{}]{prime}", dims.join(", "))
}

fn variable(v: &Variable) -> String {
    place(&v.name, &v.range)
}

fn parameter(p: &Parameter) -> String {
    let sign = p.sign.map_or(String::new(), |s| format!(" ({s})"));
    format!("{}{sign}", assignment(&p.values))
}

fn assignment(v: &Values) -> String {
    let name = place(&v.name, &v.range);
    match v.value {
        Some(value) => format!("{name} = {}", number(value)),
        None if v.members == 0 => format!("{name} (empty)"),
        None => {
            let shown: Vec<String> = v.sample.iter().map(|&s| number(s)).collect();
            let gap = if v.sample.len() < v.members { ", …, " } else { ", " };
            match shown.split_last() {
                Some((last, first)) if !first.is_empty() => format!("{name} = ({}{gap}{last})", first.join(", ")),
                _ => format!("{name} = {}", shown.join(", ")),
            }
        }
    }
}

fn not_named(n: &NotNamed) -> String {
    match n.of {
        1 => n.name.clone(),
        all if all == n.members => format!("{} ({all} members)", n.name),
        all => format!("{} ({} of {all} members)", n.name, n.members),
    }
}

fn equations(f: &Formula) -> Vec<String> {
    shown(f).iter().map(|c| format!("{} = {}", c.members, cut(&c.expression))).collect()
}

fn relations(f: &Formula) -> impl Iterator<Item = String> {
    shown(f).iter().map(|c| format!("{}: {} = 0", c.members, cut(&c.expression)))
}

/// As written where a `let` has a name for a part of it.
fn shown(f: &Formula) -> &[Line] {
    f.written.as_ref().map_or(&f.cases, std::slice::from_ref)
}

/// A long formula is cut, and says so.
fn cut(text: &str) -> String {
    let length = text.chars().count();
    if length <= MAX_FORMULA {
        return text.to_owned();
    }
    let start: String = text.chars().take(MAX_FORMULA).collect();
    format!("{start} … [cut: {length} characters; --json has all]")
}

/// A long line broken at blanks.
fn fold(line: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut width = 0;
    for word in line.split_inclusive(' ') {
        let length = word.chars().count();
        if width > 0 && width + length > WIDTH + 4 {
            lines.push(String::new());
            width = 0;
        }
        width += length;
        if let Some(last) = lines.last_mut() {
            last.push_str(word);
        }
    }
    lines.iter().map(|l| l.trim_end().to_owned()).collect()
}

/// Things separated by commas, in lines of a readable width.
fn wrap(parts: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = vec![];
    for (k, part) in parts.iter().enumerate() {
        let comma = if k + 1 < parts.len() { "," } else { "" };
        match lines.last_mut() {
            Some(line) if line.chars().count() + part.chars().count() + 2 <= WIDTH => {
                let _ = write!(line, " {part}{comma}");
            }
            _ => lines.push(format!("{part}{comma}")),
        }
    }
    if lines.len() > MAX_LINES {
        let shown: usize = lines.len() - MAX_LINES;
        lines.truncate(MAX_LINES);
        lines.push(format!("… [cut: {shown} more lines; --json has all]"));
    }
    lines
}

/// More lines are not shown.
const MAX_LINES: usize = 12;

fn wrap_cut(parts: &[String]) -> Vec<String> {
    wrap(&parts.iter().map(|p| cut(p)).collect::<Vec<_>>())
}
