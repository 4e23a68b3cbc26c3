//! The derivation in LaTeX, as a paper would have it: displayed equations with words between them.

use crate::implicit::Implicit;
use crate::report::{
    Analysis, AtValues, BracketForm, Certainty, ClaimReport, Class, ConditionOutcome, ConsistencyCondition, Constraint,
    Count, DiracBracket, GaugeTransformation, MultiplierValue, Outcome, PoissonReport, Verdict,
};
use cotangent_expr::{Expr, latex_lines, latex_name as name, latex_width};
use cotangent_model::ClaimKind;
use std::fmt::Write as _;

/// Longer formulas are left out, and said to be.
const MAX_FORMULA: u64 = 300;
/// So many lines of one kind are written.
const MAX_LINES: usize = 40;

/// Wider matrices are not set by `amsmath` as they are.
const MAX_COLUMNS: usize = 10;
/// What is broken fits on lines of this width, in points: those of an article, with room for what is not measured exactly.
const WIDTH: f64 = 335.0;

/// The derivation in LaTeX, for the body of a document that uses `amsmath`.
pub fn latex(report: &Analysis) -> String {
    let (report, implicit) = &report.legible();
    let mut page = Page::default();
    page.comment(&format!("{}: Dirac's analysis", report.name));
    // Long derivations go on on the next page.
    page.text.push_str("\\allowdisplaybreaks\n");
    if let Some(l) = &report.lagrangian {
        page.words("The Lagrangian is", vec![format!("{} &= {}", symbol(&report.symbols.lagrangian), formula(l))]);
    }
    if let Some(t) = &report.transform {
        let (rank, n) = (t.rank, t.velocities);
        let text = format!(
            "\\operatorname{{rank}} \\frac{{\\partial^2 L}}{{\\partial \\dot q\\,\\partial \\dot q}} &= {rank} \\quad\\text{{of }} {n}"
        );
        page.words("Its Hessian by the velocities has the rank", vec![text]);
    }
    let primary = of_generation(report, 1);
    if !primary.is_empty() {
        // Others than those that the model states come from the rank.
        let source = match &report.transform {
            Some(t) if t.rank < t.velocities => "so that the primary constraints are",
            _ => "The primary constraints are",
        };
        page.words(source, primary);
    }
    if let Some(h) = &report.hamiltonian {
        let [canonical, total] = [&report.symbols.canonical, &report.symbols.total].map(|s| symbol(s));
        let mut lines = vec![format!("{canonical} &= {}", formula(h))];
        if !report.multipliers.is_empty() {
            let terms = report.multipliers.iter().map(|m| format!("{} {}", name(&m.name), name(&m.constraint)));
            lines.push(format!("{total} &= {canonical} + {}", some(terms.collect()).join(" + ")));
        }
        let words = if report.multipliers.is_empty() {
            "The Hamiltonian is"
        } else {
            "The canonical and the total Hamiltonian are"
        };
        page.words(words, lines);
    }
    let table = report.poisson.iter().flat_map(|p| &p.table);
    let entry = |(a, b, e): &(String, String, Expr)| format!("\\{{{}, {}\\}} &= {}", name(a), name(b), formula(e));
    page.words("The brackets that do not vanish are", table.map(entry).collect());
    let solved = |i: &Implicit| {
        let right: Vec<String> = i.right.iter().map(formula).collect();
        let matrix = if i.solved { "\\frac{\\partial^2 L}{\\partial v\\,\\partial v} " } else { "" };
        format!("{matrix}{} &= \\left({}\\right)", name(&i.name), right.join(",\\; "))
    };
    page.words("Below stand the solutions of", implicit.iter().map(solved).collect());
    page.words(
        "Conservation of the constraints in time requires",
        report.conditions.iter().map(|s| condition(s, report)).collect(),
    );
    for generation in 2..=report.constraints.iter().map(|c| c.generation).max().unwrap_or(0) {
        let title = match generation {
            2 => "The secondary constraints, without factors that do not vanish, are".to_owned(),
            n => format!("The constraints of generation {n}, likewise, are"),
        };
        page.words(&title, of_generation(report, generation));
    }
    page.words("The gauge conditions, and what follows from them, are", of_generation(report, 0));
    page.irregular(report);
    page.classes(report);
    page.brackets(report);
    if report.consistent == Some(true) {
        let multipliers = report.multipliers.iter().map(|m| match &m.value {
            MultiplierValue::Determined(e) => format!("{} &= {}", name(&m.name), formula(e)),
            MultiplierValue::Implicit => format!("{} &: \\text{{determined by linear equations}}", name(&m.name)),
            MultiplierValue::Arbitrary => format!("{} &: \\text{{arbitrary}}", name(&m.name)),
        });
        page.words("The multipliers are", multipliers.collect());
    }
    page.transformations(report);
    if let Some(DiracBracket::Table(table)) = &report.dirac_bracket {
        let lines = table.iter().map(|(a, b, e)| format!("\\{{{}, {}\\}}^* &= {}", name(a), name(b), formula(e)));
        page.words("The Dirac brackets that do not vanish are", lines.collect());
    }
    page.poisson(report);
    page.claims(report);
    page.end(report);
    page.text
}

/// L, H_c and H_T as they are, and other names as names.
fn symbol(text: &str) -> String {
    if ["L", "H_c", "H_T"].contains(&text) { text.to_owned() } else { name(text) }
}

/// The constraints of one generation.
fn of_generation(report: &Analysis, generation: usize) -> Vec<String> {
    let own = report.constraints.iter().filter(|c| c.generation == generation);
    own.map(|c| format!("{} &\\equiv {} \\approx 0", name(&c.name), formula(&c.expression))).collect()
}

/// A constraint with those that it takes to be first class.
fn combined(c: &Constraint) -> String {
    let more = c.combination.iter().map(|(b, k)| format!(" + {}\\,{}", factor(k), name(b)));
    format!("{}{}", name(&c.name), more.collect::<String>())
}

#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    /// A line that LaTeX does not read, whatever is in a name.
    fn comment(&mut self, text: &str) {
        let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
        let _ = writeln!(self.text, "% {}", text.replace(breaks, "?"));
    }

    /// Words, and equations after them; nothing without equations.
    fn words(&mut self, words: &str, lines: Vec<String>) {
        if lines.is_empty() {
            return;
        }
        let lines = broken(&some(lines)).join(" \\\\\n  ");
        let _ = writeln!(self.text, "{words}\n\\begin{{align*}}\n  {lines}\n\\end{{align*}}");
    }

    /// Whether the bracket of a Poisson model is one, its Lie algebra if it is linear, and the Casimirs that were found.
    fn poisson(&mut self, report: &Analysis) {
        let Some(poisson) = &report.poisson else { return };
        self.no_bracket(poisson);
        if let Some(algebra) = &poisson.algebra {
            let constant = |(i, j, k, value): &(String, String, String, Expr)| {
                let [i, j, k] = [i, j, k].map(|z| name(z));
                format!("C_{{{i}\\,{j}}}^{{{k}}} &= {}", formula(value))
            };
            let part = if poisson.form == Some(BracketForm::Affine) { "linear part of the bracket" } else { "bracket" };
            let words = format!(
                "The {part} is $\\{{z_i, z_j\\}} = \\sum_k C_{{ji}}^k z_k$, with the structure constants \
                 $C_{{ij}}^k = -C_{{ji}}^k$ of a Lie algebra that do not vanish"
            );
            self.words(&words, algebra.constants.iter().map(constant).collect());
            if let Some(known) = &algebra.name {
                let _ = writeln!(self.text, "The Lie algebra is ${}$.", algebra_name(known));
            }
        }
        let found = poisson.casimirs.iter().flat_map(|c| &c.found);
        let lines = found.enumerate().map(|(k, (e, _))| format!("C_{{{}}} &= {}", k + 1, formula(e)));
        self.words("Casimirs of the bracket are", lines.collect());
    }

    /// What the model claims to be conserved, and whether it is.
    fn claims(&mut self, report: &Analysis) {
        for (kind, words) in [
            (ClaimKind::Casimir, "The model claims as Casimirs of its bracket"),
            (ClaimKind::Invariant, "The model claims as invariants of the motion"),
        ] {
            let own = report.claims.iter().filter(|c| c.kind == kind);
            let claim = |c: &ClaimReport| {
                let how = became(c.outcome, c.at_values.as_ref());
                let mut lines = vec![format!("{} &= {} \\quad\\text{{({how})}}", name(&c.name), formula(&c.value))];
                if let (Outcome::Fails, Some(defect)) = (c.judgement(), &c.defect) {
                    lines.push(format!("&\\quad\\text{{where this should vanish: }} {}", formula(defect)));
                }
                lines
            };
            self.words(words, own.flat_map(claim).collect());
        }
    }

    /// That Jacobi's identity does not hold, and where it does.
    fn no_bracket(&mut self, poisson: &PoissonReport) {
        let Some((a, b, c, sum)) = &poisson.jacobi_failure else { return };
        let [a, b, c] = [a, b, c].map(|z| name(z));
        let own = poisson.jacobi_at_values.as_ref().filter(|v| matches!(v.outcome, Outcome::Holds(_)));
        let words = match own {
            Some(own) => {
                let value =
                    |(parameter, x): &(String, f64)| format!("${} = {}$", name(parameter), Expr::number(*x).latex(&[]));
                let values: Vec<String> = own.values.iter().map(value).collect();
                format!("Jacobi's identity holds at {}, and not in general:", some(values).join(", "))
            }
            None => "It is no Poisson bracket, as Jacobi's identity does not hold:".to_owned(),
        };
        let cyclic = |a: &str, b: &str, c: &str| format!("\\{{{a}, \\{{{b}, {c}\\}}\\}}");
        let [first, second, third] = [cyclic(&a, &b, &c), cyclic(&b, &c, &a), cyclic(&c, &a, &b)];
        self.words(&words, vec![format!("{first} + {second} + {third} &= {}", formula(sum))]);
    }

    fn irregular(&mut self, report: &Analysis) {
        let (replaced, others): (Vec<_>, Vec<_>) = report.irregular.iter().partition(|i| !i.2.is_empty());
        let line = |(chi, old, new): &(String, Expr, Vec<Expr>)| {
            let new: Vec<String> = new.iter().map(|e| format!("{} = 0", formula(e))).collect();
            let instead = if new.is_empty() { String::new() } else { format!("\\quad\\to\\quad {}", new.join(",\\ ")) };
            format!("{} &:\\quad {}{instead}", name(chi), formula(old))
        };
        self.words(
            "The gradients of these vanish where they do, and regular constraints take their place:",
            replaced.into_iter().map(line).collect(),
        );
        let words = "The gradients of these vanish, or depend on those of the others, where they do:";
        self.words(words, others.into_iter().map(line).collect());
    }

    fn classes(&mut self, report: &Analysis) {
        let of = |class: Class| {
            let own = report.constraints.iter().filter(move |c| c.class == Some(class));
            own.map(combined)
        };
        let line = |label: &str, all: Vec<String>| match all.is_empty() {
            true => None,
            false => Some(format!("\\text{{the {label} class:}} &\\quad {}", some(all).join(",\\ "))),
        };
        let lines = [line("first", of(Class::First).collect()), line("second", of(Class::Second).collect())];
        self.words("By their brackets with each other they are of", lines.into_iter().flatten().collect());
    }

    /// C as a matrix where that fits on the page, or else its entries.
    fn brackets(&mut self, report: &Analysis) {
        let Some(matrix) = &report.brackets else { return };
        let names: Vec<String> = report.constraints.iter().map(|c| name(&c.name)).collect();
        let mut rows = vec![vec!["0".to_owned(); names.len()]; names.len()];
        for (i, j, e) in &matrix.entries {
            rows[*i][*j] = formula(e);
            rows[*j][*i] = formula(&-e);
        }
        let column = |j: usize| rows.iter().map(|row| latex_width(&row[j])).fold(0.0, f64::max) + 10.0;
        let title = format!(
            "The matrix of their brackets, $C_{{ab}} = \\{{\\chi_a, \\chi_b\\}}$, has the rank {}:",
            matrix.second.len()
        );
        if names.len() <= MAX_COLUMNS && (0..names.len()).map(column).sum::<f64>() + 40.0 <= WIDTH {
            let rows: Vec<String> = rows.iter().map(|row| row.join(" & ")).collect();
            let rows = rows.join(" \\\\\n  ");
            let _ = writeln!(
                self.text,
                "{title}\n\\begin{{equation*}}\n  C = \\begin{{pmatrix}}\n  {rows}\n  \\end{{pmatrix}}\n\\end{{equation*}}"
            );
            return;
        }
        let entry =
            |(i, j, e): &(usize, usize, Expr)| format!("\\{{{}, {}\\}} &= {}", names[*i], names[*j], formula(e));
        self.words(&format!("{title} the entries that do not vanish are"), matrix.entries.iter().map(entry).collect());
    }

    fn transformations(&mut self, report: &Analysis) {
        let lines = |g: &GaugeTransformation| {
            let constraint = report.constraint(&g.generator);
            let generator = constraint.map_or_else(|| name(&g.generator), combined);
            // Its coefficients have brackets, too, with what vanishes on the surface.
            let equal = if constraint.is_some_and(|c| !c.combination.is_empty()) { "\\approx" } else { "=" };
            let line = |(z, e): &(String, Expr)| {
                let (z, change) = (name(z), times("\\varepsilon", e));
                format!("\\delta {z} &= \\varepsilon\\,\\{{{z}, {generator}\\}} {equal} {change}")
            };
            g.changes.iter().map(line).collect::<Vec<_>>()
        };
        let other =
            |g: &&GaugeTransformation| report.conjecture.as_ref().is_some_and(|c| c.not_gauge.contains(&g.generator));
        let (others, gauge): (Vec<_>, Vec<_>) = report.gauge.iter().partition(other);
        self.words(
            "The first-class constraints generate the gauge transformations",
            gauge.into_iter().flat_map(lines).collect(),
        );
        self.words(
            "First class, but no gauge transformations, as no arbitrary multiplier makes these changes (Dirac's conjecture \
             fails), are",
            others.iter().flat_map(|g| lines(g)).collect(),
        );
        // Gauge conditions may make them second class: then they generate nothing that is written here.
        let left_out = |n: &&String| report.constraint(n).is_some_and(|c| c.class == Some(Class::Second));
        let not_gauge = report.conjecture.iter().flat_map(|c| &c.not_gauge).filter(left_out);
        let names: Vec<String> = not_gauge.map(|n| format!("${}$", name(n))).collect();
        if !names.is_empty() {
            let _ = writeln!(
                self.text,
                "Without the gauge conditions {} would be first class, but no arbitrary multiplier makes the changes that they \
                 generate (Dirac's conjecture fails).",
                names.join(", ")
            );
        }
    }

    fn end(&mut self, report: &Analysis) {
        let assumed = report.assumptions.iter().map(|e| format!("&{} \\neq 0", formula(e)));
        self.words("It was assumed that", assumed.collect());
        for b in &report.branches {
            let factors = b.factors.iter().map(|e| format!("&{} = 0", formula(e)));
            self.words("A part of the constraint surface is", factors.collect());
            if let (Some(c), Some(n)) = (b.analysis.count, b.analysis.degrees_of_freedom) {
                let _ = writeln!(self.text, "There {}, and {}.", classes(c), freedom(n));
            }
        }
        if let (Some(c), Some(n)) = (report.count, report.degrees_of_freedom) {
            let _ = writeln!(self.text, "{}, and {}.", capital(&classes(c)), freedom(n));
        }
        if report.consistent == Some(false) {
            let _ = writeln!(self.text, "The equations of motion have no solutions.");
        }
        for Verdict { statement, outcome, at_values } in &report.verdicts {
            let how = became(*outcome, at_values.as_ref());
            self.comment(&format!("{statement}: {how}"));
        }
        if let Some(reason) = &report.stopped {
            self.comment(&format!("stopped: {reason}"));
        }
    }
}

/// How a statement is known, for all parameters or for those of the model alone.
fn became(outcome: Outcome, at_values: Option<&AtValues>) -> String {
    let how = match outcome {
        Outcome::Holds(Certainty::Proved) => "proved".to_owned(),
        Outcome::Holds(Certainty::Sampled(k)) => format!("sampled at {k} points"),
        Outcome::Fails => "does not hold".to_owned(),
        Outcome::Undecided => "undecided".to_owned(),
    };
    match at_values.filter(|v| matches!(v.outcome, Outcome::Holds(_))) {
        Some(_) => format!("{how}; it holds for the parameters of the model"),
        None => how,
    }
}

fn classes(c: Count) -> String {
    let are = |n: usize| if n == 1 { "constraint is" } else { "constraints are" };
    format!("{} {} first class, {} second class", c.first, are(c.first), c.second)
}

fn freedom(n: usize) -> String {
    format!("{n} {} left", if n == 1 { "degree of freedom is" } else { "degrees of freedom are" })
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |c| c.to_uppercase().chain(letters).collect())
}

fn condition(step: &ConsistencyCondition, report: &Analysis) -> String {
    let chi = name(&step.constraint);
    if step.condition.is_none() && report.constraint(&step.constraint).is_none() {
        // A constraint of the model that was not taken up.
        return format!("{chi} &\\approx 0 \\quad\\text{{follows from the others}}");
    }
    let left = format!("\\{{{chi}, {}\\}}", symbol(&report.symbols.total));
    let value = step.condition.as_ref().map_or("\\dots".to_owned(), formula);
    let names = |all: &[String]| all.iter().map(|n| name(n)).collect::<Vec<_>>().join(",\\ ");
    let after = match &step.outcome {
        ConditionOutcome::Identity(_) => "\\approx 0".to_owned(),
        ConditionOutcome::Constraint(new) => format!("\\quad\\Rightarrow\\quad {} \\approx 0", names(new)),
        ConditionOutcome::Multiplier(all) if all.len() > 1 => "\\quad\\text{determines the multipliers}".to_owned(),
        ConditionOutcome::Multiplier(all) => format!("\\quad\\text{{determines }} {}", names(all)),
        ConditionOutcome::Contradiction => "\\neq 0:\\quad\\text{a contradiction}".to_owned(),
        ConditionOutcome::Dependent(_) => "\\quad\\text{follows from the others}".to_owned(),
    };
    format!("{left} &= {value} {after}")
}

/// so(3) + R^2 as a formula.
fn algebra_name(text: &str) -> String {
    let one = |part: &str| match part.split_once('(') {
        Some((stem, rest)) if stem.len() <= 3 => format!("\\mathrm{{{stem}}}({rest}").replace('R', "\\mathbf{R}"),
        Some(_) => format!("\\text{{{part}}}"),
        None => part.replace('R', "\\mathbf{R}"),
    };
    text.split(" + ").map(one).collect::<Vec<_>>().join(" \\oplus ")
}

/// As much of a list as is written.
fn some(mut lines: Vec<String>) -> Vec<String> {
    if lines.len() > MAX_LINES {
        lines.truncate(MAX_LINES);
        lines.push("\\dots".to_owned());
    }
    lines
}

/// Equations, each over as many lines as it takes beside the widest left side.
fn broken(equations: &[String]) -> Vec<String> {
    let sides = || equations.iter().filter_map(|e| e.split_once('&'));
    let room = WIDTH - sides().map(|(left, _)| latex_width(left)).fold(0.0, f64::max);
    let mut lines = vec![];
    for equation in equations {
        let Some((left, right)) = equation.split_once('&') else {
            lines.push(equation.clone());
            continue;
        };
        for (k, line) in latex_lines(right, room, room).into_iter().enumerate() {
            lines.push(if k == 0 { format!("{left}&{line}") } else { format!("&{line}") });
        }
    }
    lines
}

fn formula(e: &Expr) -> String {
    if e.size() > MAX_FORMULA { "\\dots".to_owned() } else { e.latex(&[]) }
}

/// A product with a symbol in front.
fn times(symbol: &str, e: &Expr) -> String {
    match formula(e).as_str() {
        "1" => symbol.to_owned(),
        "-1" => format!("-{symbol}"),
        text if text.starts_with('-') && !matches!(e.node(), cotangent_expr::Node::Add(..)) => {
            format!("-{symbol}\\,{}", &text[1..])
        }
        _ => format!("{symbol}\\,{}", factor(e)),
    }
}

/// As a factor: a sum in parentheses.
fn factor(e: &Expr) -> String {
    match e.node() {
        cotangent_expr::Node::Add(..) => format!("\\left({}\\right)", formula(e)),
        _ => formula(e),
    }
}
