//! The derivation in LaTeX, as a paper would have it: displayed equations with words between them.

use crate::report::{Analysis, Certainty, Class, DiracBracket, MultiplierValue, Outcome, Step, StepOutcome, Verdict};
use cotangent_expr::{Expr, latex_name};
use std::fmt::Write as _;

/// Longer formulas are left out, and said to be.
const MAX_FORMULA: u64 = 300;
/// So many lines of one kind are written.
const MAX_LINES: usize = 40;

/// The derivation in LaTeX, for the body of a document that uses `amsmath`.
pub fn latex(report: &Analysis) -> String {
    let mut page = Page::default();
    let _ = writeln!(page.text, "% {}: Dirac's analysis", report.name);
    if let Some(l) = &report.lagrangian {
        page.paragraph("Lagrangian", vec![format!("L &= {}", formula(l))]);
    }
    if let Some(t) = &report.transform {
        let (rank, n) = (t.rank, t.velocities);
        let text = format!(
            "\\operatorname{{rank}} \\frac{{\\partial^2 L}}{{\\partial \\dot q\\,\\partial \\dot q}} &= {rank} \\quad\\text{{of }} {n}"
        );
        page.paragraph("Legendre transform", vec![text]);
    }
    if let Some(h) = &report.hamiltonian {
        let mut lines = vec![format!("H_c &= {}", formula(h))];
        if !report.multipliers.is_empty() {
            let terms = report.multipliers.iter().map(|m| format!("{} {}", name(&m.name), name(&m.constraint)));
            lines.push(format!("H_T &= H_c + {}", some(terms.collect()).join(" + ")));
        }
        page.paragraph("Hamiltonian", lines);
    }
    for generation in 0..=report.constraints.iter().map(|c| c.generation).max().unwrap_or(0) {
        let own = report.constraints.iter().filter(|c| c.generation == generation);
        let lines = own.map(|c| format!("{} &\\equiv {} \\approx 0", name(&c.name), formula(&c.expression)));
        let title = match generation {
            0 => "Gauge conditions".to_owned(),
            1 => "Primary constraints".to_owned(),
            2 => "Secondary constraints".to_owned(),
            n => format!("Constraints of generation {n}"),
        };
        page.paragraph(&title, lines.collect());
    }
    page.paragraph("Consistency", report.steps.iter().map(condition).collect());
    page.classes(report);
    let multipliers = report.multipliers.iter().map(|m| match &m.value {
        MultiplierValue::Determined(e) => format!("{} &= {}", name(&m.name), formula(e)),
        MultiplierValue::Implicit => format!("{} &: \\text{{determined by linear equations}}", name(&m.name)),
        MultiplierValue::Arbitrary => format!("{} &: \\text{{arbitrary}}", name(&m.name)),
    });
    page.paragraph("Multipliers", multipliers.collect());
    let gauge = report.gauge.iter().flat_map(|g| {
        g.changes.iter().map(|(z, e)| {
            format!(
                "\\delta {} &= \\varepsilon\\,\\{{{}, {}\\}} = \\varepsilon\\,{}",
                name(z),
                name(z),
                name(&g.generator),
                factor(e)
            )
        })
    });
    page.paragraph("Gauge transformations", gauge.collect());
    if let Some(DiracBracket::Table(table)) = &report.dirac_bracket {
        let lines = table.iter().map(|(a, b, e)| format!("\\{{{}, {}\\}}^* &= {}", name(a), name(b), formula(e)));
        page.paragraph("Dirac bracket", lines.collect());
    }
    page.end(report);
    page.text
}

#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn paragraph(&mut self, title: &str, lines: Vec<String>) {
        if lines.is_empty() {
            return;
        }
        let lines = some(lines).join(" \\\\\n  ");
        let _ = writeln!(self.text, "\\paragraph{{{title}.}}\n\\begin{{align*}}\n  {lines}\n\\end{{align*}}");
    }

    fn classes(&mut self, report: &Analysis) {
        let of = |class: Class| {
            let own = report.constraints.iter().filter(move |c| c.class == Some(class));
            own.map(|c| {
                let more = c.combination.iter().map(|(b, k)| format!(" + {}\\,{}", factor(k), name(b)));
                format!("{}{}", name(&c.name), more.collect::<String>())
            })
        };
        let line = |label: &str, all: Vec<String>| match all.is_empty() {
            true => None,
            false => Some(format!("\\text{{{label} class:}} &\\quad {}", some(all).join(",\\ "))),
        };
        let lines = [line("first", of(Class::First).collect()), line("second", of(Class::Second).collect())];
        self.paragraph("Classes", lines.into_iter().flatten().collect());
    }

    fn end(&mut self, report: &Analysis) {
        if let Some(n) = report.degrees_of_freedom {
            let _ = writeln!(self.text, "\\paragraph{{Degrees of freedom.}} {n}.");
        }
        for Verdict { statement, outcome } in &report.verdicts {
            let how = match outcome {
                Outcome::Holds(Certainty::Proved) => "proved".to_owned(),
                Outcome::Holds(Certainty::Sampled(k)) => format!("sampled at {k} points"),
                Outcome::Fails => "does not hold".to_owned(),
                Outcome::Undecided => "undecided".to_owned(),
            };
            let _ = writeln!(self.text, "% {statement}: {how}");
        }
        if let Some(reason) = &report.stopped {
            let _ = writeln!(self.text, "% stopped: {reason}");
        }
    }
}

fn condition(step: &Step) -> String {
    let chi = name(&step.constraint);
    let left = format!("\\{{{chi}, H_T\\}}");
    let value = step.condition.as_ref().map_or("\\dots".to_owned(), formula);
    let names = |all: &[String]| all.iter().map(|n| name(n)).collect::<Vec<_>>().join(",\\ ");
    let after = match &step.outcome {
        StepOutcome::Identity(_) => "\\approx 0".to_owned(),
        StepOutcome::Constraint(new) => format!("\\quad\\Rightarrow\\quad {} \\approx 0", names(new)),
        StepOutcome::Multiplier(all) if all.len() > 1 => "\\quad\\text{determines the multipliers}".to_owned(),
        StepOutcome::Multiplier(all) => format!("\\quad\\text{{determines }} {}", names(all)),
        StepOutcome::Contradiction => "\\neq 0:\\quad\\text{a contradiction}".to_owned(),
        StepOutcome::Dependent(_) => "\\quad\\text{follows from the others}".to_owned(),
    };
    format!("{left} &= {value} {after}")
}

/// As much of a list as is written.
fn some(mut lines: Vec<String>) -> Vec<String> {
    if lines.len() > MAX_LINES {
        lines.truncate(MAX_LINES);
        lines.push("\\dots".to_owned());
    }
    lines
}

fn formula(e: &Expr) -> String {
    if e.size() > MAX_FORMULA { "\\dots".to_owned() } else { e.latex(&[]) }
}

/// As a factor: a sum in parentheses.
fn factor(e: &Expr) -> String {
    match e.node() {
        cotangent_expr::Node::Add(..) => format!("\\left({}\\right)", formula(e)),
        _ => formula(e),
    }
}

/// A name with an index and primes: \dot, \ddot, and a number of dots beyond.
fn name(text: &str) -> String {
    let plain = text.trim_end_matches('\'');
    let primes = text.len() - plain.len();
    let (stem, index) = match plain.split_once('[') {
        Some((stem, index)) => (stem, index.trim_end_matches(']')),
        None => (plain, ""),
    };
    let stem = latex_name(stem);
    let stem = match primes {
        0 => stem,
        1 => format!("\\dot{{{stem}}}"),
        2 => format!("\\ddot{{{stem}}}"),
        n => format!("{{{stem}}}^{{({n})}}"),
    };
    if index.is_empty() { stem } else { format!("{{{stem}}}_{{{index}}}") }
}
