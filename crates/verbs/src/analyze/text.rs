//! The report as people read it: a derivation, step by step.

use crate::claims::{judged, outcome};
use crate::figures::{count, listed, wrapped};
use anstyle::{AnsiColor, Style};
use cotangent_analysis::{
    Analysis, Certainty, Class, ConditionOutcome, ConsistencyCondition, Constraint, DiracBracket, Implicit,
    MultiplierValue, Outcome,
};
use cotangent_expr::Expr;
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
pub(super) fn render(report: &Analysis, implicit: &[Implicit], coloured: bool) -> String {
    let mut page = Page { text: String::new(), coloured };
    page.heading(report);
    page.energy(report, implicit);
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
    page.section("assumed", report.assumptions.iter().map(|e| format!("{} != 0", cut(e))).collect());
    for kind in ["casimir", "invariant"] {
        let own = report.claims.iter().filter(|c| c.kind == kind);
        let line = own.map(|c| format!("{}: {}", c.name, judged(c, cut)));
        page.section(&format!("{kind}s"), line.collect());
    }
    page.section(
        "verdicts",
        report.verdicts.iter().map(|v| format!("{}: {}", v.statement, outcome(v.outcome))).collect(),
    );
    let branches = report.branches.iter().map(|b| {
        let factors: Vec<String> = b.factors.iter().map(|e| format!("{} = 0", cut(e))).collect();
        format!("{}: {}", factors.join(", "), conclusion(&b.analysis))
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

    fn heading(&mut self, report: &Analysis) {
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
        if !report.added.is_empty() {
            let what =
                if report.kind == "constant-form" { "momenta of the variables" } else { "multipliers as coordinates" };
            self.section("added", vec![format!("{}: {what}", report.added.join(", "))]);
        }
    }

    fn energy(&mut self, report: &Analysis, implicit: &[Implicit]) {
        if let Some(l) = &report.lagrangian {
            let mut lines = vec![format!("L = {}", cut(l))];
            if let Some(t) = &report.transform {
                let how = certainty(t.certainty);
                lines.push(format!("the velocity Hessian has rank {} of {} ({how})", t.rank, t.velocities));
            }
            self.section("lagrangian", lines);
        }
        if let Some(h) = &report.hamiltonian {
            let symbol = if report.constraints.is_empty() { "H" } else { "H_c" };
            let mut lines = vec![format!("{symbol} = {}", cut(h))];
            if report.transform.as_ref().is_some_and(|t| t.implicit) {
                lines.push("where v, the velocities, solves dL/dv = p".to_owned());
            }
            for i in implicit {
                let right: Vec<String> = i.right.iter().map(cut).collect();
                let (name, right) = (&i.name, right.join(", "));
                lines.push(match i.solved {
                    true => format!("and below {name} solves (d^2L/dv^2) {name} = ({right})"),
                    false => format!("and below {name} = ({right})"),
                });
            }
            self.section("hamiltonian", lines);
        }
    }

    fn total(&mut self, report: &Analysis) {
        let terms: Vec<String> = report.multipliers.iter().map(|m| format!("{}*{}", m.name, m.constraint)).collect();
        if terms.is_empty() {
            return;
        }
        let more = terms.len().saturating_sub(8);
        let tail = if more > 0 { format!(" + … ({more} more)") } else { String::new() };
        self.section("total", vec![format!("H_T = H_c + {}{tail}", terms[..terms.len() - more].join(" + "))]);
    }

    fn irregular(&mut self, report: &Analysis) {
        let lines = report.irregular.iter().map(|(name, e, new)| {
            let instead =
                if new.is_empty() { String::new() } else { format!("; replaced by {}", new.join(" = ")) + " = 0" };
            format!("{name}: the gradient of {} vanishes where it does{instead}", cut(e))
        });
        self.section("irregular", lines.collect());
    }

    fn multipliers(&mut self, report: &Analysis) {
        if report.consistent != Some(true) {
            return;
        }
        let implicit = report.multipliers.iter().filter(|m| matches!(m.value, MultiplierValue::Implicit)).count();
        let mut lines: Vec<String> = vec![];
        for m in &report.multipliers {
            match &m.value {
                MultiplierValue::Determined(e) => lines.push(format!("{} = {}", m.name, cut(e))),
                MultiplierValue::Arbitrary => lines.push(format!("{} is arbitrary", m.name)),
                MultiplierValue::Implicit => {}
            }
        }
        if implicit > 0 {
            let what = count(implicit, "is", "are");
            lines
                .push(format!("{what} determined by linear equations at each point, too long to be solved by symbols"));
        }
        self.section("multipliers", lines);
    }

    fn bracket(&mut self, report: &Analysis) {
        match &report.dirac_bracket {
            Some(DiracBracket::Table(all)) => {
                let mut lines: Vec<String> =
                    all.iter().map(|(a, b, e)| format!("{{{a}, {b}}}* = {}", cut(e))).collect();
                lines.push(if all.is_empty() { "all vanish" } else { "the others vanish" }.to_owned());
                self.section("Dirac bracket", lines);
            }
            Some(DiracBracket::Implicit(reason)) => {
                self.section("Dirac bracket", vec![format!("not written out: {reason}")])
            }
            _ => {}
        }
    }

    /// Where Dirac's conjecture fails, or that is not known.
    fn conjecture(&mut self, report: &Analysis) {
        let Some(c) = &report.conjecture else { return };
        let names = listed(&c.not_gauge.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>());
        let line = match c.outcome {
            Outcome::Holds(_) => return,
            Outcome::Undecided => {
                "whether all of these are gauge transformations (Dirac's conjecture) could not be decided".to_owned()
            }
            Outcome::Fails => {
                let are = if c.not_gauge.len() == 1 { "is" } else { "are" };
                let left = c.dimension.map_or(String::new(), |d| {
                    format!(
                        "; with gauge transformations alone taken out, {} left",
                        count(d, "dimension is", "dimensions are")
                    )
                });
                format!(
                    "Dirac's conjecture fails: {names} {are} first class, but no arbitrary multiplier changes what                      {} would{left}",
                    if c.not_gauge.len() == 1 { "it" } else { "they" }
                )
            }
        };
        self.section("conjecture", vec![line]);
    }

    fn poisson(&mut self, report: &Analysis) {
        let Some(p) = &report.poisson else { return };
        let mut lines = vec![];
        if let Some(r) = p.rank {
            lines.push(format!("rank {r} of {}", report.variables.len()));
        }
        if let Some((a, b, c, e)) = &p.jacobi_failure {
            let sum = format!("{{{a}, {{{b}, {c}}}}} + {{{b}, {{{c}, {a}}}}} + {{{c}, {{{a}, {b}}}}}");
            lines.push(format!("not a bracket: {sum} = {}", cut(e)));
        }
        self.section("bracket", lines);
    }

    fn verdict(&mut self, report: &Analysis) {
        self.text.push('\n');
        let (good, bad) = (AnsiColor::Green.on_default().bold(), AnsiColor::Red.on_default().bold());
        let style = if report.consistent == Some(true) && report.held() { good } else { bad };
        let text = conclusion(report);
        let (word, rest) = text.split_once(':').unwrap_or((&text, ""));
        let word = self.paint(style, word);
        let _ = match rest.is_empty() {
            true => writeln!(self.text, "{word}"),
            false => writeln!(self.text, "{word}:{rest}"),
        };
    }
}

/// The result in a line.
fn conclusion(report: &Analysis) -> String {
    match (report.consistent, &report.stopped) {
        (Some(true), _) if report.held() => format!("consistent: {}", counted(report)),
        (Some(true), _) => format!("consistent, but a check does not hold: {}", counted(report)),
        (Some(false), _) => "inconsistent: a constraint cannot be kept".to_owned(),
        (None, Some(reason)) => format!("undecided: {reason}"),
        (None, None) => "undecided".to_owned(),
    }
}

/// Classes and degrees of freedom.
fn counted(report: &Analysis) -> String {
    let mut parts = vec![];
    if let Some(c) = report.count {
        parts.push(match c.first + c.second {
            0 => "no constraints".to_owned(),
            _ => format!("{} first class, {} second class", c.first, c.second),
        });
    }
    if let Some(c) = report.before_gauge {
        parts.push(format!("without the gauge {} and {}", c.first, c.second));
    }
    if let Some(n) = report.degrees_of_freedom {
        parts.push(count(n, "degree of freedom", "degrees of freedom"));
    }
    parts.join("; ")
}

fn condition(step: &ConsistencyCondition, report: &Analysis) -> Vec<String> {
    let name = &step.constraint;
    let listing = |names: &[String]| listed(&names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>());
    let left = match &step.condition {
        Some(e) => format!("d/dt {name} = {}", cut(e)),
        // A constraint of the model that was not taken up.
        None if report.constraint(name).is_none() => name.clone(),
        None => format!("d/dt {name}"),
    };
    let outcome = match &step.outcome {
        ConditionOutcome::Identity(c) => format!("vanishes ({})", certainty(*c)),
        ConditionOutcome::Constraint(names) => {
            let found = |n: &String| {
                let e = report.constraint(n).map_or(String::new(), |c| format!(": {} = 0", cut(&c.expression)));
                format!("a new constraint {n}{e}")
            };
            names.iter().map(found).collect::<Vec<_>>().join(" and ")
        }
        ConditionOutcome::Multiplier(names) if names.len() > 4 => {
            format!("{} multipliers, solved together", names.len())
        }
        ConditionOutcome::Multiplier(names) => format!("determines {}", listing(names)),
        ConditionOutcome::Contradiction => "cannot vanish: a contradiction".to_owned(),
        ConditionOutcome::Dependent(c) => {
            format!("nothing new: it vanishes with the constraints before it ({})", certainty(*c))
        }
    };
    vec![left, format!("→ {outcome}")]
}

fn classified(c: &Constraint) -> String {
    let more: String = c.combination.iter().map(|(name, e)| format!(" + {}*{name}", factor(e))).collect();
    let made = if more.is_empty() { String::new() } else { format!(", as {}{more}", c.name) };
    format!("{}: {} = 0{made}", c.name, cut(&c.expression))
}

fn certainty(c: Certainty) -> String {
    outcome(Outcome::Holds(c))
}

/// A sum in parentheses.
fn factor(e: &Expr) -> String {
    let text = cut(e);
    if text.contains(' ') { format!("({text})") } else { text }
}

/// A long formula is cut, and says so.
fn cut(e: &Expr) -> String {
    let text = e.to_string();
    let length = text.chars().count();
    if length <= MAX_FORMULA {
        return text;
    }
    let start: String = text.chars().take(MAX_FORMULA).collect();
    format!("{start} … [cut: {length} characters; --json has all]")
}
