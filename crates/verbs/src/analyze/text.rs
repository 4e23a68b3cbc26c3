//! The report as people read it: a derivation, step by step.

use super::document::{BranchEntry, Classes, ConditionEntry, Consequence, ConstraintEntry, Document};
use crate::figures::{count, listed, short, wrapped};
use crate::kind::{Class, ModelKind};
use anstyle::{AnsiColor, Style};
use std::fmt::Write as _;

/// The width of the labels on the left.
const MARGIN: usize = 14;
/// The width of a line.
const WIDTH: usize = 88;
/// Longer formulas are cut.
const MAX_FORMULA: usize = 400;
/// More lines of one kind are not shown.
const MAX_LINES: usize = 16;

/// Draws the report.
pub(super) fn render(report: &Document, coloured: bool) -> String {
    let mut page = Page { text: String::new(), coloured };
    page.heading(report);
    page.energy(report);
    page.poisson(report);
    let primary = report.constraints.iter().filter(|c| c.generation == 1);
    page.section("primary", primary.map(|c| format!("{}: {} = 0", c.name, cut(&c.expression))).collect());
    page.total(report);
    page.section("consistency", report.conditions.iter().flat_map(|s| condition(s, report)).collect());
    let gauges = report.constraints.iter().filter(|c| c.generation == 0);
    page.section("gauge", gauges.map(|c| format!("{}: {} = 0", c.name, cut(&c.expression))).collect());
    page.irregular(report);
    for (label, class) in [("first class", Class::First), ("second class", Class::Second)] {
        let own = report.constraints.iter().filter(|c| c.class == Some(class));
        page.section(label, own.map(classified).collect());
    }
    page.brackets(report);
    page.multipliers(report);
    let changes = report.gauge.iter().map(|g| {
        let all: Vec<String> = g.changes.iter().map(|(z, e)| format!("δ{z} = {}", factor(e))).collect();
        match all.is_empty() {
            true => format!("{}: changes nothing", g.generator),
            false => format!("{}: {}", g.generator, all.join(", ")),
        }
    });
    page.section("transforms", changes.collect());
    page.conjecture(report);
    page.bracket(report);
    page.section("assumed", report.assumptions.iter().map(|a| format!("{} != 0", cut(&a.expression))).collect());
    for (label, claims) in [("casimirs", &report.casimirs), ("invariants", &report.invariants)] {
        let mut lines: Vec<String> =
            claims.iter().map(|(name, claim)| format!("{name}: {}", claim.words(name, cut))).collect();
        if label == "casimirs" {
            let found = report.poisson.as_ref().and_then(|p| p.found_casimirs.as_ref()).into_iter().flatten();
            lines.extend(found.map(|c| format!("found: {} ({})", cut(&c.expression), c.verdict.words())));
        }
        page.section(label, lines);
    }
    page.section("verdicts", report.verdicts.iter().map(|v| format!("{}: {}", v.statement, v.words())).collect());
    let branches = report.branches.iter().map(|b| {
        let factors: Vec<String> = b.vanishing.iter().map(|e| format!("{} = 0", cut(e))).collect();
        let (word, more) = conclusion(&Concluded::from(b));
        format!("{}: {}", factors.join(", "), line(word, more))
    });
    page.section("parts", branches.collect());
    page.verdict(report);
    page.text
}

struct Page {
    text: String,
    coloured: bool,
}

impl Page {
    fn paint(&self, style: Style, text: &str) -> String {
        if self.coloured { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    /// A label and lines beside it; nothing without lines.
    fn section(&mut self, label: &str, mut lines: Vec<String>) {
        let more = lines.len().saturating_sub(MAX_LINES);
        if more > 0 {
            lines.truncate(MAX_LINES);
            lines.push(format!("… [cut: {more} more lines; --json has all]"));
        }
        for (k, line) in lines.iter().enumerate() {
            let label = if k == 0 { label } else { "" };
            let gap = " ".repeat(MARGIN.saturating_sub(label.len()));
            let label = self.paint(AnsiColor::Cyan.on_default(), label);
            let folded = wrapped(line, WIDTH).join(&format!("\n{}", " ".repeat(MARGIN + 6)));
            let _ = writeln!(self.text, "  {label}{gap}{folded}");
        }
    }

    fn heading(&mut self, report: &Document) {
        let name = self.paint(Style::new().bold(), &report.name);
        let _ = match &report.title {
            Some(title) => writeln!(self.text, "{name}: {}", title.replace(char::is_control, "?")),
            None => writeln!(self.text, "{name}"),
        };
        let variables = count(report.variables.len(), "variable", "variables");
        let _ = match report.variables.is_empty() {
            true => writeln!(self.text, "a {} model\n", report.kind),
            false => writeln!(self.text, "a {} model; phase space has {variables}\n", report.kind),
        };
        if !report.added_variables.is_empty() {
            let what = match report.kind {
                ModelKind::ConstantForm => "momenta of the variables",
                _ => "multipliers as coordinates",
            };
            self.section("added", vec![format!("{}: {what}", report.added_variables.join(", "))]);
        }
        if let Some(tau) = &report.orbit_parameter {
            self.section(
                "orbit",
                vec![format!(
                    "{tau}: its parameter, the time of a run; {tau}' = 1, as p_{tau} is added to the Hamiltonian"
                )],
            );
        }
    }

    fn energy(&mut self, report: &Document) {
        if let Some(l) = &report.lagrangian {
            let mut lines = vec![format!("{} = {}", report.symbols.lagrangian, cut(l))];
            if let Some(t) = &report.velocity_hessian {
                let how = t.verdict.words();
                lines.push(format!("the velocity Hessian has rank {} of {} ({how})", t.rank, t.velocities));
            }
            self.section("lagrangian", lines);
        }
        if let Some(h) = &report.hamiltonian {
            let symbols = &report.symbols;
            let symbol = if report.constraints.is_empty() { &symbols.hamiltonian } else { &symbols.canonical };
            let mut lines = vec![format!("{symbol} = {}", cut(h))];
            if report.velocity_hessian.as_ref().is_some_and(|t| t.is_implicit) {
                lines.push("where v, the velocities, solves dL/dv = p".to_owned());
            }
            for i in &report.implicit {
                let right: Vec<String> = i.right.iter().map(|e| cut(e)).collect();
                let (name, right) = (&i.name, right.join(", "));
                lines.push(match i.solved {
                    true => format!("and below {name} solves (d^2L/dv^2) {name} = ({right})"),
                    false => format!("and below {name} = ({right})"),
                });
            }
            self.section("hamiltonian", lines);
        }
    }

    fn total(&mut self, report: &Document) {
        let terms: Vec<String> =
            report.total.iter().map(|(multiplier, constraint)| format!("{multiplier}*{constraint}")).collect();
        if terms.is_empty() {
            return;
        }
        let more = terms.len().saturating_sub(8);
        let tail = if more > 0 { format!(" + … ({more} more)") } else { String::new() };
        let (total, canonical) = (&report.symbols.total, &report.symbols.canonical);
        let terms = terms[..terms.len() - more].join(" + ");
        self.section("total", vec![format!("{total} = {canonical} + {terms}{tail}")]);
    }

    fn irregular(&mut self, report: &Document) {
        let lines = report.replaced.iter().map(|r| {
            let instead =
                if r.by.is_empty() { String::new() } else { format!("; replaced by {}", r.by.join(" = ")) + " = 0" };
            format!("{}: the gradient of {} vanishes where it does{instead}", r.name, cut(&r.expression))
        });
        self.section("irregular", lines.collect());
    }

    fn multipliers(&mut self, report: &Document) {
        if report.consistent != Some(true) {
            return;
        }
        let mut lines: Vec<String> = vec![];
        let mut implicit = 0;
        for (name, value) in report.multipliers.iter() {
            match value {
                Some(value) => lines.push(format!("{name} = {}", cut(value))),
                None if report.arbitrary_multipliers.iter().any(|m| m == name) => {
                    lines.push(format!("{name} is arbitrary"));
                }
                None => implicit += 1,
            }
        }
        if implicit > 0 {
            let what = count(implicit as u64, "is", "are");
            lines
                .push(format!("{what} determined by linear equations at each point, too long to be solved by symbols"));
        }
        self.section("multipliers", lines);
    }

    /// The matrix of the brackets of the constraints.
    fn brackets(&mut self, report: &Document) {
        let Some(matrix) = &report.brackets else { return };
        let mut lines: Vec<String> = matrix.entries.iter().map(|(pair, e)| format!("{pair} = {}", cut(e))).collect();
        let more = lines.len().saturating_sub(MAX_LINES - 3);
        lines.truncate(MAX_LINES - 3);
        lines.push(match (matrix.entries.is_empty(), more) {
            (true, _) => "all vanish".to_owned(),
            (false, 0) => "the others vanish, or are minus one of these".to_owned(),
            (false, more) => format!("… [cut: {more} more; --json has all]"),
        });
        lines.push(format!("C has the rank {} of {}", matrix.rank, matrix.size));
        if let Some(at) = &matrix.at_start {
            let block = if matrix.rank < matrix.size { "the second-class block of C" } else { "C" };
            let (determinant, condition) = (short(at.determinant), short(at.condition));
            lines.push(match at.condition.is_finite() {
                true => {
                    format!("at the start {block} has the determinant {determinant}, the condition number {condition}")
                }
                false => format!("at the start {block} is singular: multipliers are not determined there"),
            });
        }
        self.section("brackets", lines);
    }

    fn bracket(&mut self, report: &Document) {
        if let Some(all) = &report.dirac_bracket {
            let mut lines: Vec<String> = all.iter().map(|(pair, e)| format!("{pair}* = {}", cut(e))).collect();
            lines.push(if all.is_empty() { "all vanish" } else { "the others vanish" }.to_owned());
            self.section("Dirac bracket", lines);
        } else if let Some(reason) = report.dirac_bracket_note.as_ref().filter(|_| report.second_class != Some(0)) {
            self.section("Dirac bracket", vec![format!("not written out: {reason}")]);
        }
    }

    /// Where Dirac's conjecture fails, or that is not known.
    fn conjecture(&mut self, report: &Document) {
        let Some(c) = &report.dirac_conjecture else { return };
        let names = listed(&c.not_gauge.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>());
        let is_fixed = report.before_gauge.is_some();
        let line = match c.holds {
            Some(true) => return,
            None => {
                let which = if is_fixed { "what is first class without the gauge conditions" } else { "these" };
                format!("whether all of {which} are gauge transformations (Dirac's conjecture) could not be decided")
            }
            Some(false) => {
                let are = if c.not_gauge.len() == 1 { "is" } else { "are" };
                let without = if is_fixed { " without the gauge conditions" } else { "" };
                let left = c.dimension.map_or(String::new(), |d| {
                    format!(
                        "; with gauge transformations alone taken out, {} left",
                        count(d, "dimension is", "dimensions are")
                    )
                });
                format!(
                    "Dirac's conjecture fails: {names} {are} first class{without}, but no arbitrary multiplier changes \
                     what {} would{left}",
                    if c.not_gauge.len() == 1 { "it" } else { "they" }
                )
            }
        };
        self.section("conjecture", vec![line]);
    }

    fn poisson(&mut self, report: &Document) {
        let Some(p) = &report.poisson else { return };
        let lines = p.lines(report.variables.len(), cut);
        self.section("bracket", lines);
        if let Some(algebra) = &p.lie_algebra {
            self.section("algebra", algebra.commutators(factor));
        }
    }

    fn verdict(&mut self, report: &Document) {
        self.text.push('\n');
        let (good, bad) = (AnsiColor::Green.on_default().bold(), AnsiColor::Red.on_default().bold());
        let style = if report.consistent == Some(true) && report.held() { good } else { bad };
        let (word, more) = conclusion(&Concluded::from(report));
        let concluded = line(&self.paint(style, word), more);
        let _ = writeln!(self.text, "{concluded}");
    }
}

/// What the last line is about.
struct Concluded<'a> {
    consistent: Option<bool>,
    held: bool,
    classes: [Option<usize>; 2],
    before_gauge: Option<&'a Classes>,
    degrees_of_freedom: Option<usize>,
    stopped: Option<&'a String>,
}

impl<'a> From<&'a Document> for Concluded<'a> {
    fn from(d: &'a Document) -> Concluded<'a> {
        Concluded {
            consistent: d.consistent,
            held: d.held(),
            classes: [d.first_class, d.second_class],
            before_gauge: d.before_gauge.as_ref(),
            degrees_of_freedom: d.degrees_of_freedom,
            stopped: d.stopped.as_ref(),
        }
    }
}

impl<'a> From<&'a BranchEntry> for Concluded<'a> {
    fn from(b: &'a BranchEntry) -> Concluded<'a> {
        Concluded {
            consistent: b.consistent,
            held: b.held,
            classes: [b.first_class, b.second_class],
            before_gauge: b.before_gauge.as_ref(),
            degrees_of_freedom: b.degrees_of_freedom,
            stopped: b.stopped.as_ref(),
        }
    }
}

/// The result in a word, and more of it.
fn conclusion(c: &Concluded<'_>) -> (&'static str, Option<String>) {
    match (c.consistent, c.stopped) {
        (Some(true), _) if c.held => ("consistent", Some(counted(c))),
        (Some(true), _) => ("consistent, but a check does not hold", Some(counted(c))),
        (Some(false), _) => ("inconsistent", Some("a constraint cannot be kept".to_owned())),
        (None, reason) => ("undecided", reason.cloned()),
    }
}

/// In a line, with a word as it is painted.
fn line(word: &str, more: Option<String>) -> String {
    more.map_or_else(|| word.to_owned(), |more| format!("{word}: {more}"))
}

/// Classes and degrees of freedom.
fn counted(c: &Concluded<'_>) -> String {
    let mut parts = vec![];
    if let [Some(first), Some(second)] = c.classes {
        parts.push(match first + second {
            0 => "no constraints".to_owned(),
            _ => format!("{first} first class, {second} second class"),
        });
    }
    if let Some(before) = c.before_gauge {
        parts.push(format!("without the gauge {} and {}", before.first_class, before.second_class));
    }
    if let Some(n) = c.degrees_of_freedom {
        parts.push(count(n, "degree of freedom", "degrees of freedom"));
    }
    parts.join("; ")
}

fn condition(step: &ConditionEntry, report: &Document) -> Vec<String> {
    let name = &step.constraint;
    let known = |name: &str| report.constraints.iter().find(|c| c.name == name);
    let listing = |names: &[String]| listed(&names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>());
    let left = match &step.derivative {
        Some(e) => format!("d/dt {name} = {}", cut(e)),
        // A constraint of the model that was not taken up.
        None if known(name).is_none() => name.clone(),
        None => format!("d/dt {name}"),
    };
    let how = step.known.as_ref().map_or(String::new(), |known| format!(" ({})", known.words()));
    let outcome = match (step.outcome, step.names.as_slice()) {
        (Consequence::Identity, _) => format!("vanishes{how}"),
        (Consequence::Constraint, names) => {
            let found = |n: &String| {
                let e = known(n).map_or(String::new(), |c| format!(": {} = 0", cut(&c.expression)));
                format!("a new constraint {n}{e}")
            };
            names.iter().map(found).collect::<Vec<_>>().join(" and ")
        }
        (Consequence::Multiplier, names) if names.len() > 4 => format!("{} multipliers, solved together", names.len()),
        (Consequence::Multiplier, names) => format!("determines {}", listing(names)),
        (Consequence::Contradiction, _) => "cannot vanish: a contradiction".to_owned(),
        (Consequence::Dependent, _) => format!("nothing new: it vanishes with the constraints before it{how}"),
    };
    vec![left, format!("→ {outcome}")]
}

fn classified(c: &ConstraintEntry) -> String {
    let more: String = c.combination.iter().map(|(name, e)| format!(" + {}*{name}", factor(e))).collect();
    let made = if more.is_empty() { String::new() } else { format!(", as {}{more}", c.name) };
    format!("{}: {} = 0{made}", c.name, cut(&c.expression))
}

/// A sum in parentheses.
fn factor(e: &str) -> String {
    let text = cut(e);
    if text.contains(' ') { format!("({text})") } else { text }
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
